"""Times contenders in turns, and prints them side by side. What is slow in one of them, a profiler has to find."""

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

__all__ = ["Contender", "compare", "machine"]


@dataclass(frozen=True, slots=True)
class Contender:
    """Something to time.

    Attributes
    ----------
    name
        What the table calls it.
    run
        Takes one turn.
    count
        By how much the time of a turn is divided: the pairs, movers or updates in it.
    after
        Is called after each turn, and not timed.
    work
        Says what was done, after the last turn.
    """

    name: str
    run: Callable[[], object]
    count: int
    after: Callable[[], object] = lambda: None
    work: Callable[[], str] = lambda: ""


def compare(title: str, unit: str, contenders: Sequence[Contender], turns: int) -> list[float]:
    """Time contenders and print a table, with the first of them as the measure of the others.

    Parameters
    ----------
    title
        What is asked.
    unit
        What one of `Contender.count` is, with its article.
    contenders
        They take turns, A B C, B A C, so that whatever slows the machine down for a while meets all of them. The order
        is shuffled in each round: with a fixed one, who came after a contender of the same kind found its code in the
        processor's caches, and was 10 % faster.
    turns
        Timed turns of each, after one that is not timed.

    Returns
    -------
    list of float
        The seconds of the column `unit`, contender by contender.
    """
    seconds = _take_turns(contenders, turns)
    rows = [("", unit, "half of the turns", "ratio", "work done")]
    for contender, taken in zip(contenders, seconds, strict=True):
        # Two turns of one round stand side by side, so their ratio is steadier than that of the medians.
        ratio = statistics.median(own / first for own, first in zip(taken, seconds[0], strict=True))
        low, middle, high = statistics.quantiles(taken, n=4, method="inclusive")
        spread = f"{_duration(low)} .. {_duration(high)}"
        rows.append((contender.name, _duration(middle), spread, f"{ratio:,.2f}", contender.work()))
    print(f"\n{title}\n{_aligned(rows)}", flush=True)
    return [statistics.median(taken) for taken in seconds]


def machine(*others: str) -> str:
    """Say on what is measured, with the versions of other packages that take part."""
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", *others))
    software = f"Python {platform.python_version()}, impinge {impinge.__version__} ({runtime.KERNELS}), {packages}"
    return f"{_processor()}, {os.cpu_count()} cores\n{software}"


def _take_turns(contenders: Sequence[Contender], turns: int) -> list[list[float]]:
    """Return the seconds that one count of each contender took in each turn."""
    seconds: list[list[float]] = [[] for _ in contenders]
    entries, shuffler = list(zip(contenders, seconds, strict=True)), random.Random(0)
    gc.collect()
    gc.disable()  # a collection is the work of many turns, and would be charged to one
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


def _duration(seconds: float) -> str:
    """Write a time with three digits in the unit that suits it.

    >>> _duration(2.5e-7), _duration(0.0123), _duration(3.4567e-6)
    ('250 ns', '12.3 ms', '3.46 µs')
    """
    scale, name = next(((s, n) for s, n in ((1e-6, "ns"), (1e-3, "µs")) if seconds < s), (1.0, "ms"))
    value = seconds / scale * 1e3
    return f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f} {name}"


def _aligned(rows: Sequence[Sequence[str]]) -> str:
    """Set rows of text in columns: names and work to the left, figures to the right."""
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
    """Name the processor: Linux does not tell it by `platform`."""
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text("utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
