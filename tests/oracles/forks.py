"""Cases that run in a fork of this process: if one ends the interpreter, it is one failed test with the case's name."""

from __future__ import annotations

import os
import pickle
import traceback
import warnings
from collections.abc import Callable, Sequence
from typing import Any, BinaryIO

__all__ = ["fork", "forked"]


def fork() -> int:
    """Fork this process, as `os.fork` does, also where threads run.

    Python 3.12 and newer warn of threads, as of that of pytest-xdist. No child here takes a lock of such a thread.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def forked(function: Callable[[int], Any], names: Sequence[str]) -> list[Any]:
    """Return the results of `function(0)`, `function(1)`, ..., a call for each name, all in one fork.

    Where the system has no forks, the calls run in this process.

    Raises
    ------
    AssertionError
        If a call raises, or ends the process. The message has its name, and the traceback or the signal.
    """
    if not hasattr(os, "fork"):
        return [function(at) for at in range(len(names))]
    reads, writes = os.pipe()
    child = fork()
    if child == 0:
        with os.fdopen(writes, "wb") as pipe:
            answer(pipe, function, len(names))
        os._exit(0)
    os.close(writes)
    results: list[Any] = []
    with os.fdopen(reads, "rb") as pipe:
        while pipe.peek(1):
            result, error = pickle.load(pipe)
            assert error is None, f"{names[len(results)]}: {error}"
            results.append(result)
    _, status = os.waitpid(child, 0)
    assert len(results) == len(names), f"{names[len(results)]}: the process ended with code {status}"
    return results


def answer(pipe: BinaryIO, function: Callable[[int], Any], total: int) -> None:
    """Write the result of each call to a pipe at once, or a traceback, after which there are no more calls."""
    for at in range(total):
        try:
            result = function(at), None
        except BaseException:
            result = None, traceback.format_exc()
        pickle.dump(result, pipe)
        pipe.flush()
        if result[1]:
            return
