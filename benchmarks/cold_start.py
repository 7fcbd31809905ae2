"""What a game waits for before its first frame: importing, reading the kernels from disk, and once compiling them.

Each turn is a process of its own, so the time of starting Python is in all of them.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from functools import partial

from timing import Contender, compare, machine

import impinge

# Timed starts, with the machine code on disk and without: compiling takes many seconds.
FULL = (15, 2)
QUICK = (2, 0)

PROGRAMS = {
    "import numba": "import numba",
    "import impinge": "import impinge",
    "import impinge, kernels from disk": "import impinge; impinge.warm_up()",
}
COMPILING = "import impinge; impinge.warm_up()"


def start(program: str, cache: str = os.environ.get("NUMBA_CACHE_DIR", "")) -> None:
    """Run a program, with the kernels' machine code in a folder or where it usually is."""
    subprocess.run([sys.executable, "-c", program], env={**os.environ, "NUMBA_CACHE_DIR": cache}, check=True)


def start_for_the_first_time(program: str) -> None:
    """Run a program that finds no machine code."""
    with tempfile.TemporaryDirectory() as cache:
        start(program, cache)


def main(turns: int, first_turns: int) -> None:
    impinge.warm_up(progress=True)
    print(machine())
    later = [Contender(name, partial(start, program), 1) for name, program in PROGRAMS.items()]
    compare("A later start", "a start", later, turns)
    if first_turns:
        first = [
            Contender("import numba", partial(start_for_the_first_time, PROGRAMS["import numba"]), 1),
            Contender("import impinge, kernels compiled", partial(start_for_the_first_time, COMPILING), 1),
        ]
        compare("The first start", "a start", first, first_turns)


if __name__ == "__main__":
    main(*(QUICK if "--quick" in sys.argv[1:] else FULL))
