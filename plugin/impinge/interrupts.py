"""Changes that an interruption, such as Ctrl-C, does not leave half made."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["surely"]


def surely(change: Callable[[], object]) -> None:
    """Make a change to its end, also if a signal handler raises an exception in the middle: then do it again."""
    try:
        change()
    except BaseException:
        change()
        raise
