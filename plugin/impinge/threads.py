"""Threads for kernels that run without Python's global lock: one pool, which fleets and batches share."""

from __future__ import annotations

import _thread
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import pairwise
from queue import Empty, SimpleQueue
from types import FrameType
from typing import Any, Generic, TypeAlias, TypeVar

from impinge.checks import count
from impinge.interrupts import at_once

__all__ = ["Crew", "Use", "checked_threads", "parts", "run_all"]

R = TypeVar("R")
# The process and the frame of a call.
Call: TypeAlias = tuple[int, FrameType]

# Seconds until a call looks again whether its tasks are done, if an interruption has lost the note of that.
LOST = 0.01

# The process that started the threads, and the queue of their tasks: a forked process has none of its parent's threads.
_pool: tuple[int, SimpleQueue[Task[Any]]] | None = None


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


class Task(Generic[R]):
    """A call for a thread of the pool.

    It has no lock: an exception between the two steps of `with lock` would leave it locked, as those of a `Future` and
    of a `ThreadPoolExecutor`.
    """

    def __init__(self, function: Callable[[], R], notes: SimpleQueue[None]) -> None:
        self.function = function
        self.is_cancelled = self.is_done = False
        self.results: list[R] = []
        self.error: BaseException | None = None
        self._notes = notes

    def carry_out(self) -> None:
        """Call the function, unless the task is cancelled, and note that it is done."""
        try:
            if not self.is_cancelled:
                self.results.append(self.function())
        except BaseException as error:
            self.error = error
        self.is_done = True
        self._notes.put(None)

    def wait(self) -> None:
        """Wait until the task is done."""
        while not self.is_done:
            with suppress(Empty):
                self._notes.get(timeout=LOST)

    def result(self) -> R:
        """Return the result, or raise the error."""
        if self.error is not None:
            raise self.error
        return self.results[0]


class Crew:
    """Threads at work on the same arrays. No task runs on beside those of the next call.

    An exception at any line of `run`, as of a signal handler, leaves at worst tasks that still run: `finish` then waits
    for them. They are noted before a thread can take one, so none is missed.
    """

    def __init__(self) -> None:
        # The process, as a forked one has none of its parent's threads.
        self._tasks: tuple[int, list[Task[Any]]] = (0, [])

    def run(self, functions: Sequence[Callable[[], R]]) -> list[R]:
        """Call functions at once, the first in this thread, and return their results."""
        self.finish()
        if len(functions) == 1:
            return [functions[0]()]
        queue, notes = _queue(), SimpleQueue[None]()
        others = [Task(function, notes) for function in functions[1:]]
        self._tasks = os.getpid(), []
        try:
            for task in others:
                at_once([(self._tasks[1].append, task), (queue.put, task)])
            first = functions[0]()
            for task in others:
                task.wait()
        except BaseException:
            self.finish()
            raise
        self._tasks = os.getpid(), []
        return [first, *(task.result() for task in others)]

    def finish(self) -> None:
        """Call off the tasks that have not begun, and wait for the others."""
        process, tasks = self._tasks
        if process == os.getpid():
            for task in tasks:
                task.is_cancelled = True
            for task in tasks:
                task.wait()
        self._tasks = process, []


class Use:
    """Which call uses an object: one at a time, or a RuntimeError with the given message.

    A call is known by its frame, which is on a stack as long as it runs. So an exception at any line leaves nothing
    behind that bars the next call, and no lock stays locked in a forked process.

    Examples
    --------
    >>> use = Use("a fleet must not be used by two threads at a time")
    >>> def call():
    ...     use.begin(sys._getframe())
    ...     use.begin(sys._getframe())
    >>> call()
    Traceback (most recent call last):
    ...
    RuntimeError: a fleet must not be used by two threads at a time
    """

    def __init__(self, refusal: str) -> None:
        self._refusal = refusal
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
                    raise RuntimeError(self._refusal)
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


def _queue() -> SimpleQueue[Task[Any]]:
    """Return the queue of the threads, one less than there are processors, which the first call starts."""
    global _pool
    if _pool is None or _pool[0] != os.getpid():
        queue = SimpleQueue[Task[Any]]()
        for _ in range(max(1, processors() - 1)):
            _thread.start_new_thread(_work, (queue,))
        _pool = os.getpid(), queue
    return _pool[1]


def _work(queue: SimpleQueue[Task[Any]]) -> None:
    while True:
        queue.get().carry_out()
