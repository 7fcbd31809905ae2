"""Start-up time of a game: the imports, and the first frame of a world.

Each turn is a process of its own, so all times include the start of Python.
"""

from __future__ import annotations

import subprocess
import sys
from functools import partial

from timing import Contender, compare, machine

from impinge import runtime

FULL = 15  # timed starts
QUICK = 2

WORLD = """
import impinge as im
world = im.World()
world.add(im.Box(2, 2), im.Pose(0, 0), might=1).goal = im.Pose(4, 0)
world.add(im.Circle(1), im.Pose(5, 0))
world.step()
"""
PROGRAMS = {
    "import numpy": "import numpy",
    "import impinge": "import impinge",
    "import impinge, and a world's first frame": WORLD,
}


def start(program: str) -> None:
    """Run a program in a new process."""
    subprocess.run([sys.executable, "-c", program], check=True)


def main(turns: int) -> None:
    runtime.prepare()
    print(machine())
    contenders = [Contender(name, partial(start, program), 1) for name, program in PROGRAMS.items()]
    compare("A start", "a start", contenders, turns)


if __name__ == "__main__":
    main(QUICK if "--quick" in sys.argv[1:] else FULL)
