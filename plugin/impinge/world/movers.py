"""The moving bodies of a world's highest rank. No body pushes that rank, so a frame skips its resting bodies.

Not here: bodies of other ranks. Each frame processes all of them.
"""

from __future__ import annotations

from typing import Self

import numpy as np

from impinge.kernels.arrays import Bools, Ints

__all__ = ["Movers"]


class Movers:
    """A set of rows of bodies, in any order.

    A dictionary takes single bodies, and an array takes many at once. In the dictionary, ten thousand turning bodies
    cost a millisecond per frame.

    Attributes
    ----------
    is_noted
        For each row of the world, whether the array contains it. A kernel may set this and then pass the rows to `add`.

    Examples
    --------
    >>> movers = Movers(4)
    >>> for row in (3, 1, 3):
    ...     movers.note(row)
    >>> movers.rows().tolist()
    [3, 1]
    >>> movers.forget(3)
    >>> movers.rows().tolist()
    [1]
    """

    __slots__ = ("_few", "_rows", "is_noted")

    def __init__(self, room: int) -> None:
        self._few: dict[int, None] = {}
        self._rows = np.empty(0, np.int64)
        self.is_noted: Bools = np.zeros(room, np.bool_)

    def make_room(self, room: int) -> None:
        """Grow to at least this number of rows."""
        if room > len(self.is_noted):
            self.is_noted = np.concatenate((self.is_noted, np.zeros(room - len(self.is_noted), np.bool_)))

    def copy(self) -> Self:
        """Return an independent copy."""
        twin = type(self)(0)
        twin._few, twin._rows, twin.is_noted = dict(self._few), self._rows, self.is_noted.copy()
        return twin

    def note(self, row: int) -> None:
        """Add one row."""
        self._few[row] = None

    def add(self, rows: Ints) -> None:
        """Add rows that the caller has just marked in `is_noted`. They must have been unmarked before."""
        if len(rows):
            self._rows = np.concatenate((self._rows, rows))

    def forget(self, row: int) -> None:
        """Remove one row."""
        self._few.pop(row, None)
        if self.is_noted[row]:
            self.is_noted[row] = False
            self._rows = self._rows[self._rows != row]

    def rows(self) -> Ints:
        """Return all rows."""
        if self._few:
            few = np.fromiter(self._few, np.int64, len(self._few))
            few = few[~self.is_noted[few]]
            joined = np.concatenate((self._rows, few))
            self._rows, self.is_noted[few] = joined, True  # in one statement, so that no signal comes between
            self._few.clear()
        return self._rows

    def keep(self, rows: Ints) -> None:
        """Replace all rows by these."""
        self._few.clear()
        self.is_noted[self._rows] = False
        self.is_noted[rows] = True
        self._rows = rows
