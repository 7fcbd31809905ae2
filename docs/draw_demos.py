"""Draw the pictures of `demos.md`: `python docs/draw_demos.py` writes them into `docs/pictures`.

Each game plays itself in a process of its own, without a screen, up to a frame with enough to see.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from PIL import Image

PICTURES: Final = Path(__file__).parent / "pictures"

# The frame of each picture, with seed 0.
MOMENTS: Final = {
    "halberd": 240,
    "shards": 60,
    "pinball": 180,
    "sokoban_rush": 160,
    "swarm": 330,
}

# A game that shows how long its frames take would look different on each machine: here they take what was measured on a
# quiet one with two cores.
PROGRAM: Final = """
import itertools, runpy, types
from impinge_demos import swarm
readings = itertools.count()
swarm.time = types.SimpleNamespace(perf_counter=lambda: 0.0085 * next(readings))
runpy.run_module("impinge_demos", run_name="__main__")
"""


def draw(name: str, frames: int, path: Path) -> None:
    """Let a game play itself, and save its last frame at two thirds of its size."""
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder, "whole.png")
        command = [sys.executable, "-c", PROGRAM, name, "--frames", str(frames), "--screenshot", str(whole)]
        environment = {**os.environ, "ARCADE_HEADLESS": "True"}
        subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
        with Image.open(whole) as image:
            small = image.convert("RGB").resize((672, 416), Image.Resampling.LANCZOS)
    small.quantize(colors=128).save(path, optimize=True)


def main(folder: Path) -> None:
    """Draw all pictures."""
    for name, frames in MOMENTS.items():
        draw(name, frames, folder / f"demo-{name}.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURES)
