"""The moving bodies of a world's highest rank. No body pushes that rank, so a frame skips its resting bodies.

Not here: bodies of other ranks. Each frame processes all of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

import numpy as np

from impinge.interrupts import Change
from impinge.kernels.arrays import Bools, Ints

__all__ = ["Movers"]


class Movers:
    """A set of rows of bodies, in any order.

    A dictionary takes single bodies, and an array takes many at once. In the dictionary, ten thousand turning bodies
    cost a millisecond per frame. The set may contain bodies that were removed, or got another rank, until the ranks are
    sorted again.

    Attributes
    ----------
    is_noted
        For each row of the world, whether the array contains it. A kernel may set this, between `begin` and `add`.

    Examples
    --------
    >>> movers = Movers(4)
    >>> for row in (3, 1, 3):
    ...     movers.note(row)
    >>> movers.rows().tolist()
    [3, 1]
    >>> movers.keep(movers.rows()[1:])
    >>> movers.rows().tolist()
    [1]
    """

    __slots__ = ("_few", "_lacks", "_rows", "is_noted")

    def __init__(self, room: int) -> None:
        self._few: dict[int, None] = {}
        self._rows = np.empty(0, np.int64)
        # Whether the array lacks rows that a kernel has marked.
        self._lacks = False
        self.is_noted: Bools = np.zeros(room, np.bool_)

    def make_room(self, room: int) -> None:
        """Grow to at least this number of rows."""
        if room > len(self.is_noted):
            self.is_noted = np.concatenate((self.is_noted, np.zeros(room - len(self.is_noted), np.bool_)))

    def copy(self) -> Self:
        """Return an independent copy."""
        twin = type(self)(0)
        twin._few, twin._rows, twin.is_noted = dict(self._few), self._rows, self.is_noted.copy()
        twin._lacks = self._lacks
        return twin

    def note(self, row: int) -> None:
        """Add one row."""
        self._few[row] = None

    def note_all(self, rows: Ints) -> None:
        """Add some rows."""
        self._few.update(dict.fromkeys(rows.tolist()))

    def noting(self, rows: Iterable[int]) -> Change:
        """Return the change that adds some rows."""
        return self._few.update, dict.fromkeys(rows)

    def begin(self) -> None:
        """Prepare for a kernel that marks rows in `is_noted`, and for `add`."""
        if self._lacks:
            self._complete()
        self._lacks = True  # until `add`, also if an interruption leaves that out

    def add(self, rows: Ints) -> None:
        """Add the rows that a kernel has marked since `begin`. They must have been unmarked before."""
        joined = np.concatenate((self._rows, rows)) if len(rows) else self._rows
        self._rows, self._lacks = joined, False

    def rows(self) -> Ints:
        """Return all rows."""
        if self._lacks:
            self._complete()
        if self._few:
            few = np.fromiter(self._few, np.int64, len(self._few))
            few = few[~self.is_noted[few]]
            joined = np.concatenate((self._rows, few))
            self._rows, self.is_noted[few] = joined, True  # in one statement, so that no signal comes between
            self._few.clear()
        return self._rows

    def _complete(self) -> None:
        rows = np.flatnonzero(self.is_noted)
        self._rows, self._lacks = rows, False

    def keep(self, rows: Ints) -> None:
        """Replace all rows by these."""
        if self._lacks:
            self._complete()
        self.is_noted[self._rows], self.is_noted[rows], self._rows, self._few = False, True, rows, {}
