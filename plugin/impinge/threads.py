"""Threads for kernels that run without Python's global lock: one pool, which fleets and batches share."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from itertools import pairwise
from types import FrameType
from typing import Any, TypeAlias, TypeVar

from impinge.checks import count

__all__ = ["Crew", "Use", "checked_threads", "parts", "run_all"]

R = TypeVar("R")
# The process and the frame of a call.
Call: TypeAlias = tuple[int, FrameType]

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
    """Run tasks at once, the first in this thread, and return their results."""
    return Crew().run(tasks)


class Crew:
    """Threads at work on the same arrays. No task runs on beside those of the next call.

    An exception at any line of `run`, as of a signal handler, leaves at worst tasks that still run: `finish` then waits
    for them. A task has its future before a thread can take it, so none is missed. A lock would stay locked in a
    process that is forked meanwhile.
    """

    def __init__(self) -> None:
        # The process, as a forked one has none of its parent's threads.
        self._tasks: tuple[int, list[Future[Any]]] = (0, [])

    def run(self, tasks: Sequence[Callable[[], R]]) -> list[R]:
        """Run tasks at once, the first in this thread, and return their results."""
        self.finish()
        if len(tasks) == 1:
            return [tasks[0]()]
        others: list[Future[R]] = [Future() for _ in tasks[1:]]
        self._tasks = os.getpid(), list(others)
        try:
            for task, future in zip(tasks[1:], others, strict=True):
                _threads().submit(_carry_out, task, future)
            first = tasks[0]()
            wait(others)
        except BaseException:
            self.finish()
            raise
        self._tasks = os.getpid(), []
        return [first, *(other.result() for other in others)]

    def finish(self) -> None:
        """Call off the tasks that have not begun, and wait for the others."""
        process, futures = self._tasks
        if futures and process == os.getpid():
            wait([future for future in futures if not future.cancel()])
        self._tasks = process, []


def _carry_out(task: Callable[[], R], future: Future[R]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        result = task()
    except BaseException as error:
        future.set_exception(error)
    else:
        future.set_result(result)


class Use:
    """Which call uses an object: one at a time.

    A call is known by its frame, which is on a stack as long as it runs. So an exception at any line leaves nothing
    behind that bars the next call, and no lock stays locked in a forked process.

    Examples
    --------
    >>> use = Use("a fleet")
    >>> def call():
    ...     use.begin(sys._getframe())
    ...     use.begin(sys._getframe())
    >>> call()
    Traceback (most recent call last):
    ...
    RuntimeError: a fleet must not be used by two threads at a time
    """

    def __init__(self, name: str) -> None:
        self._name = name
        # Also those that have ended without `end`.
        self._calls: list[Call] = []

    def begin(self, frame: FrameType) -> Call:
        """Begin a call, or raise an error during another one, also in a process that was forked during that one."""
        call = os.getpid(), frame
        calls = self._calls
        # Before the others are looked at: of two calls that begin at the same time, one or both are refused.
        calls.append(call)
        if len(calls) > 1:
            for other in calls[:]:
                if other is not call and _is_running(*other):
                    self.end(call)
                    raise RuntimeError(f"{self._name} must not be used by two threads at a time")
                if other is not call:
                    self.end(other)
        return call

    def end(self, call: Call) -> None:
        """End a call."""
        with suppress(ValueError):  # another thread has found that it is over
            self._calls.remove(call)


def _is_running(process: int, call: FrameType) -> bool:
    """Return whether a call is on the stack of a thread, or was when the process was forked: its work is half done."""
    if process != os.getpid():
        return True
    for top in sys._current_frames().values():
        frame: FrameType | None = top
        while frame is not None:
            if frame is call:
                return True
            frame = frame.f_back
    return False


def _threads() -> ThreadPoolExecutor:
    global _pool
    if _pool is None or _pool[0] != os.getpid():
        _pool = os.getpid(), ThreadPoolExecutor(max(1, processors() - 1), "impinge")
    return _pool[1]
