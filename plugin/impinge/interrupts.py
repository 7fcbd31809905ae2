"""Changes that an interruption, such as Ctrl-C, does not leave half made.

A signal handler may raise an exception between any two lines. So a change of a world computes its result aside, then
publishes it: by one statement without calls, as CPython handles signals only after a call, at the start of a function
and at the end of a turn of a loop; by one call of a function in C, such as `dict.update` of all attributes; or, if
several objects change, by `at_once`. Notes that something is out of date come before the change, and notes that it is
up to date again after it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from itertools import starmap
from operator import call
from typing import Any, TypeAlias

__all__ = ["Change", "at_once", "surely"]

# Attempts at a change that is interrupted. A signal that comes in each of them is no signal of a user.
ATTEMPTS = 100


# A function in C, such as `setattr` or `operator.setitem`, and its arguments.
Change: TypeAlias = tuple[Any, ...]


def at_once(changes: Sequence[Change]) -> None:
    """Make changes in one call, which no signal interrupts.

    Examples
    --------
    >>> numbers = [1, 2]
    >>> at_once([(numbers.append, 3), (numbers.pop, 0)])
    >>> numbers
    [2, 3]
    """
    deque(starmap(call, changes), maxlen=0)


def surely(change: Callable[[], object]) -> None:
    """Make a change to its end, from its beginning again after each interruption, and then raise the last of them.

    It is for what takes long, such as to wait for threads or to undo a frame.
    """
    interruption: BaseException | None = None
    for _ in range(ATTEMPTS):
        try:
            change()
            break
        except BaseException as error:
            interruption = error
    if interruption is not None:
        raise interruption
