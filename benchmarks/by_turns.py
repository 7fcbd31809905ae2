"""Time the other benchmarks in two checkouts or two kernel backends by turns.

`python benchmarks/by_turns.py world_step world_shapes --against ../before` compares this checkout with another one, and
`--against . --kernels native jit` the native module with Numba. Without `--against`, this checkout takes turns with
itself, which shows the noise. Each side runs the benchmarks of its own checkout in a process; only the rows of Impinge
take turns, and the process of the other side waits meanwhile. So a disturbance of the machine affects both.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import inspect
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
# Those whose first rows are calls of Impinge. `cold_start` times processes.
NAMES = (
    *("questions", "impacts", "sectors", "push_boxes", "world_step", "world_shapes", "long_frames"),
    *("push_engine", "drop_in"),
)


def serve(root: Path, name: str, is_quick: bool) -> None:
    """Run a benchmark of a checkout: announce each row of Impinge, and take a turn for each line of the input."""
    # This checkout's benchmarks time what is installed, which may be a wheel.
    folders = ("benchmarks",) if root == ROOT else ("benchmarks", "plugin", "adapters", "demos")
    sys.path[:0] = [str(root / folder) for folder in folders]
    answers, sys.stdout = sys.stdout, sys.stderr
    import timing

    from impinge import World

    def compare(title: str, unit: str, contenders: Sequence[Any], turns: int) -> list[float]:
        gc.collect()
        gc.disable()
        for row in contenders:
            is_world = isinstance(getattr(getattr(row.run, "__self__", None), "world", None), World)
            if row is not contenders[0] and not is_world:
                continue
            print(turns, f"{title}: {row.name}", sep="\t", file=answers, flush=True)
            for _ in range(turns + 1):
                sys.stdin.readline()
                begun = time.perf_counter()
                row.run()
                seconds = (time.perf_counter() - begun) / row.count
                row.after()
                print(seconds, file=answers, flush=True)
        gc.enable()
        return [1.0] * len(contenders)

    timing.compare = compare
    sys.argv = [name] + ["--quick"] * is_quick
    module = importlib.import_module(name)
    given = {"size": module.QUICK if is_quick else module.FULL, "plot": None} if hasattr(module, "FULL") else {}
    module.main(*(given[each] for each in inspect.signature(module.main).parameters))


class Side:
    """A process that runs one benchmark, turn by turn."""

    def __init__(self, root: Path, kernels: str, name: str, is_quick: bool) -> None:
        environment = {**os.environ, "IMPINGE_KERNELS": kernels, "ARCADE_HEADLESS": "True", "PYTHONUTF8": "1"}
        command = [sys.executable, __file__, name, "--serve", str(root)] + ["--quick"] * is_quick
        pipe = subprocess.PIPE
        quiet = subprocess.DEVNULL if is_quick else None
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=quiet, env=environment, text=True)

    def line(self) -> str:
        """Return its next line, or an empty one at the end."""
        assert self.process.stdout is not None
        return self.process.stdout.readline()

    def turn(self) -> float:
        """Return the seconds of its next turn."""
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return float(self.line())

    def end(self) -> int:
        """Wait for its end, and return its exit code."""
        with self.process:
            pass
        return self.process.returncode


def rows_of(sides: Sequence[Side]) -> list[tuple[str, ...]]:
    """Return the rows of one benchmark: least times of both sides, and their ratio."""
    from timing import duration

    rows = []
    while all(announced := [side.line().strip() for side in sides]):
        if announced[0] != announced[1]:
            raise SystemExit(f"the two checkouts time different things: {announced}")
        turns, title = announced[0].split("\t")
        taken: tuple[list[float], list[float]] = ([], [])
        for number in range(int(turns) + 1):
            for which in (0, 1) if number % 2 else (1, 0):
                taken[which].append(sides[which].turn())
        before, after = (min(times[1:]) for times in taken)
        rows.append((title, duration(before), duration(after), f"{before / after:.2f}"))
    codes = [side.end() for side in sides]
    if any(codes):
        raise SystemExit("a benchmark failed")
    return rows


def main() -> None:
    """Print the least times of both sides for each row of Impinge, and their ratio."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("names", nargs="*", default=["world_step"], help=f"benchmarks: {', '.join(NAMES)}")
    parser.add_argument("--against", type=Path, default=ROOT, metavar="FOLDER", help="the other checkout")
    parser.add_argument("--kernels", nargs=2, default=["", ""], metavar="MODE", help="backends: those there, then here")
    parser.add_argument("--quick", action="store_true", help="take a moment; the figures mean nothing")
    parser.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.serve:
        serve(chosen.serve.resolve(), chosen.names[0], chosen.quick)
        return
    from timing import aligned, machine

    print(machine())
    for name in chosen.names:
        roots = zip((chosen.against, ROOT), chosen.kernels, strict=True)
        rows = rows_of([Side(root.resolve(), kernels, name, chosen.quick) for root, kernels in roots])
        table = aligned([("", "a turn there", "a turn here", "ratio"), *rows])
        print(f"\nIs {name} as fast here as there?\n{table}", flush=True)


if __name__ == "__main__":
    main()
