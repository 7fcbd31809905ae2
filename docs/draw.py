"""Draw all pictures of all pages: `python docs/draw.py`. Each `draw_*.py` in this folder draws those of one page.

Plots of measurements are drawn by `benchmarks/`; the pages give the commands above the plots.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

DOCS: Final = Path(__file__).parent
FIRST_PICTURE: Final = [
    *("-m", "impinge_demos", "crusher", "--autoplay", "--frames", "348", "--seed", "0"),
    *("--record", str(DOCS / "pictures" / "crusher.gif")),
]


def main() -> None:
    """Run all scripts, one after the other."""
    scripts = [[str(script)] for script in sorted(DOCS.glob("draw_*.py"))]
    for arguments in [*scripts, FIRST_PICTURE]:
        subprocess.run([sys.executable, *arguments], check=True, env={**os.environ, "ARCADE_HEADLESS": "True"})


if __name__ == "__main__":
    main()
