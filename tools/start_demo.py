"""Entry point of a bundled demo: start the game that the program is named after."""

from __future__ import annotations

import sys
from pathlib import Path

from impinge_demos.__main__ import main

if __name__ == "__main__":
    sys.exit(main([Path(sys.executable).stem, *sys.argv[1:]]))
