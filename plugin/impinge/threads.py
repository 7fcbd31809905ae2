"""Threads for kernels that run without Python's global lock: one pool, which fleets and batches share."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from itertools import pairwise
from typing import TypeVar

from impinge.checks import count
from impinge.interrupts import surely

__all__ = ["checked_threads", "parts", "run_all"]

R = TypeVar("R")

# The process that made the pool, and the pool: a forked process has none of its parent's threads.
_pool: tuple[int, ThreadPoolExecutor] | None = None


def processors() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def checked_threads(threads: int | None) -> int:
    """Return a number of threads, by default one for each processor, or raise an error."""
    return processors() if threads is None else count("threads", threads)


def parts(total: int, threads: int, least: int) -> list[slice]:
    """Divide rows into contiguous parts, one for each thread that pays: all but a lone part have this many rows.

    Examples
    --------
    >>> parts(10, 4, 3)
    [slice(0, 3, None), slice(3, 6, None), slice(6, 10, None)]
    >>> parts(0, 4, 3)
    [slice(0, 0, None)]
    """
    pieces = max(1, min(threads, total // least))
    ends = [total * piece // pieces for piece in range(pieces + 1)]
    return [slice(first, end) for first, end in pairwise(ends)]


def run_all(tasks: Sequence[Callable[[], R]]) -> list[R]:
    """Run tasks at once, the first in this thread, and return their results.

    It returns, or raises, after the last one has ended: also if a signal handler raises an exception meanwhile.
    """
    others: list[Future[R]] = []
    try:
        for task in tasks[1:]:
            others.append(_threads().submit(task))
        first = tasks[0]()
    finally:
        surely(lambda: wait(others))
    return [first, *(other.result() for other in others)]


def _threads() -> ThreadPoolExecutor:
    global _pool
    if _pool is None or _pool[0] != os.getpid():
        _pool = os.getpid(), ThreadPoolExecutor(max(1, processors() - 1), "impinge")
    return _pool[1]
