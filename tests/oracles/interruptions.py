"""Exceptions that come where a signal handler or another thread may raise them: at a chosen point, or by a timer."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dis import opmap
from types import CodeType, FrameType
from typing import Any

__all__ = ["Interrupt", "InterruptError", "alarmed"]

# After these, CPython may handle a signal. After some of them it does only in some cases, or before the next one.
CHECKING = {
    opmap[name]
    for name in ("RESUME", "CALL", "CALL_KW", "CALL_FUNCTION_EX", "JUMP_BACKWARD", "CALL_INTRINSIC_1", "BEFORE_WITH")
    if name in opmap
}


class InterruptError(Exception):
    """What the signal handler raises."""


class Interrupt:
    """Raises an exception at the points with these numbers, counted from 1, within files whose path begins so.

    Points are the begin of each line, and all places where CPython handles signals.

    Attributes
    ----------
    points
        The lines of the points so far.
    """

    def __init__(self, sources: Sequence[str], *at: int) -> None:
        self.sources, self.at = tuple(sources), at
        self.points: list[str] = []
        # By frame: whether the last opcode may be followed by a signal.
        self._checks: dict[FrameType, bool] = {}

    def __enter__(self) -> Interrupt:
        sys.settrace(self._trace)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)
        self._checks.clear()

    def _trace(self, frame: FrameType, event: str, _: object) -> Any:
        code: CodeType = frame.f_code
        if not code.co_filename.startswith(self.sources):
            return None
        if event == "call":
            frame.f_trace_opcodes = True
        elif event == "return":
            self._checks.pop(frame, None)
        elif event == "line":
            self._checks[frame] = False
            self._reach(frame)
        elif event == "opcode":
            if self._checks.get(frame, False):
                self._reach(frame)
            self._checks[frame] = code.co_code[frame.f_lasti] in CHECKING
        return self._trace

    def _reach(self, frame: FrameType) -> None:
        self.points.append(f"{frame.f_code.co_filename}:{frame.f_lineno}")
        if len(self.points) in self.at:
            if len(self.points) == max(self.at):
                sys.settrace(None)
            raise InterruptError


@contextmanager
def alarmed(seconds: float) -> Iterator[None]:
    """Raise an exception from a real signal after this time, unless the block has ended."""

    def interrupt(*_: object) -> None:
        raise InterruptError

    former = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, former)
