"""Which bodies of a world's highest rank do not rest: nobody pushes them, so those that rest cost a frame nothing.

Not here: bodies of the other ranks, which are all gone through in each frame.
"""

from __future__ import annotations

from typing import Self

import numpy as np

from impinge.kernels.arrays import Bools, Ints

__all__ = ["Movers"]


class Movers:
    """Rows of bodies, each once, in no order that matters.

    What the game does one by one is noted in a dictionary, and what it does to many at once in an array: ten thousand
    that turn took a millisecond a frame in the dictionary.

    Attributes
    ----------
    is_noted
        By row of the world, whether a body is in the array. A kernel may set that, and hand over the rows: see `add`.

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
        """See that there is room for bodies in so many rows."""
        if room > len(self.is_noted):
            self.is_noted = np.concatenate((self.is_noted, np.zeros(room - len(self.is_noted), np.bool_)))

    def copy(self) -> Self:
        """Return the same for another time."""
        twin = type(self)(0)
        twin._few, twin._rows, twin.is_noted = dict(self._few), self._rows, self.is_noted.copy()
        return twin

    def note(self, row: int) -> None:
        """Note a body."""
        self._few[row] = None

    def add(self, rows: Ints) -> None:
        """Take rows that were marked in `is_noted`, and were not before."""
        if len(rows):
            self._rows = np.concatenate((self._rows, rows))

    def forget(self, row: int) -> None:
        """Forget a body."""
        self._few.pop(row, None)
        if self.is_noted[row]:
            self.is_noted[row] = False
            self._rows = self._rows[self._rows != row]

    def rows(self) -> Ints:
        """Return all rows."""
        if self._few:
            few = np.fromiter(self._few, np.int64, len(self._few))
            self._few.clear()
            few = few[~self.is_noted[few]]
            self.is_noted[few] = True
            self.add(few)
        return self._rows

    def keep(self, rows: Ints) -> None:
        """Forget all but these, which need not have been there."""
        self._few.clear()
        self.is_noted[self._rows] = False
        self.is_noted[rows] = True
        self._rows = rows
