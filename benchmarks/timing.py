"""Time contenders in turns, and print them side by side. To find the slow part of one of them, use a profiler."""

from __future__ import annotations

import gc
import os
import platform
import random
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import impinge
from impinge import runtime

__all__ = ["Contender", "aligned", "compare", "duration", "machine"]


@dataclass(frozen=True, slots=True)
class Contender:
    """A function to time.

    Attributes
    ----------
    name
        Its name in the table.
    run
        Takes one turn.
    count
        The divisor of the time of a turn: the number of pairs, movers or updates in it.
    after
        Called after each turn, and not timed.
    work
        Returns what was done, after the last turn.
    """

    name: str
    run: Callable[[], object]
    count: int
    after: Callable[[], object] = lambda: None
    work: Callable[[], str] = lambda: ""


def compare(title: str, unit: str, contenders: Sequence[Contender], turns: int) -> list[float]:
    """Time contenders and print a table with ratios to the first of them.

    Parameters
    ----------
    title
        The question that the table answers.
    unit
        What one of `Contender.count` is, with its article.
    contenders
        They take turns, A B C, B A C, so that a disturbance of the machine affects all of them. The order is shuffled
        in each round. In a fixed order, a contender that ran after one of the same kind found its code in the
        processor's caches, and was 10 % faster.
    turns
        Timed turns of each, after one that is not timed.

    Returns
    -------
    list of float
        The seconds of the column `unit`, contender by contender.
    """
    seconds = _take_turns(contenders, turns)
    rows = [("", unit, "half of the turns", "least", "ratio", "work done")]
    for contender, taken in zip(contenders, seconds, strict=True):
        # Two turns of one round are close in time, so their ratio is steadier than the ratio of the medians.
        ratio = statistics.median(own / first for own, first in zip(taken, seconds[0], strict=True))
        low, middle, high = statistics.quantiles(taken, n=4, method="inclusive")
        spread = f"{duration(low)} .. {duration(high)}"
        rows.append((contender.name, duration(middle), spread, duration(min(taken)), f"{ratio:,.2f}", contender.work()))
    print(f"\n{title}\n{aligned(rows)}", flush=True)
    return [statistics.median(taken) for taken in seconds]


def machine(*others: str) -> str:
    """Return the machine and the versions of Python, Impinge and the other packages."""
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", *others))
    software = f"Python {platform.python_version()}, impinge {impinge.__version__} ({runtime.KERNELS}), {packages}"
    return f"{_processor()}, {os.cpu_count()} cores\n{software}"


def _take_turns(contenders: Sequence[Contender], turns: int) -> list[list[float]]:
    """Return the seconds that one count of each contender took in each turn."""
    seconds: list[list[float]] = [[] for _ in contenders]
    entries, shuffler = list(zip(contenders, seconds, strict=True)), random.Random(0)
    gc.collect()
    gc.disable()  # a collection cleans up after many turns, but would count for one
    try:
        for timed in (False, *[True] * turns):
            for contender, taken in shuffler.sample(entries, len(entries)):
                begun = time.perf_counter()
                contender.run()
                ended = time.perf_counter()
                contender.after()
                if timed:
                    taken.append((ended - begun) / contender.count)
    finally:
        gc.enable()
    return seconds


def duration(seconds: float) -> str:
    """Return a time with three digits in a suitable unit.

    >>> duration(2.5e-7), duration(0.0123), duration(3.4567e-6)
    ('250 ns', '12.3 ms', '3.46 µs')
    """
    scale, name = next(((s, n) for s, n in ((1e-6, "ns"), (1e-3, "µs")) if seconds < s), (1.0, "ms"))
    value = seconds / scale * 1e3
    return f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f} {name}"


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Return rows of text in columns: names and work left-aligned, figures right-aligned."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    last = len(widths) - 1
    return "\n".join(
        "  ".join(
            cell.ljust(width) if i in (0, last) else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


def _processor() -> str:
    """Return the name of the processor. `platform` does not know it on Linux."""
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text("utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
