"""What a bundled demo starts with: the game that the program is named after.

With `--report FILE` it writes down which functions Numba compiled, for `build_demo.py` to look at.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from numba.core import event

from impinge_demos.__main__ import main


def start() -> int:
    """Play the game; the exit code is that of `python -m impinge_demos`."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--report", type=Path)
    own, others = parser.parse_known_args()
    with event.install_recorder("numba:compile") as recorder:
        code = main([Path(sys.executable).stem, *others])
    if own.report is not None:
        begun = [happened for _, happened in recorder.buffer if happened.is_start]
        own.report.write_text(json.dumps([str(happened.data["dispatcher"]) for happened in begun]))
    return code


if __name__ == "__main__":
    sys.exit(start())
