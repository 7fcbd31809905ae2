"""Where a world keeps the rows of its solids: one array, in which equal shapes share a slot.

In the same array are the columns in which some of them stand at an angle for a while. Not here: what stands in a row,
which is in `kernels.layout`, and how one is turned, which is in `kernels.standing`.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from impinge.kernels.arrays import Floats
from impinge.kernels.entry import write_row
from impinge.kernels.pair.solids import with_skins
from impinge.shapes.solids import Solid

__all__ = ["Pool", "Slot"]

# Columns that a new pool has room for: half a dozen boxes, and as many that stand at an angle.
FIRST_COLUMNS = 512
# Columns to stand in: when a world takes its first step; and how many there may be for each body, half a box's. All
# else about a body takes some 80.
FIRST_STANCES = 256
STANCES_A_BODY = 24
# By what part an array grows that has one row or so for each body: by less, it would be copied more often than filled.
GROWTH = 0.25


@dataclass(slots=True)
class Slot:
    """Columns that hold a solid in its own frame.

    Attributes
    ----------
    shape
        The solid; of equal ones the first that came.
    first, columns
        Its first column, and how many it has.
    is_shared
        Whether equal shapes have it too.
    users
        How many bodies have it.
    """

    shape: Solid
    first: int
    columns: int
    is_shared: bool
    users: int = 0


class Pool:
    """Rows of solids in one array that grows; what is free is used again by rows of the same length.

    Attributes
    ----------
    rows
        The array. Another one once it has grown: ask for it anew after each `take` and `set_stances`.
    longest
        Columns of the longest row that there ever was, at least 1.
    stance_total, stance_end
        The next column to stand in, and where these end: see `kernels.standing.give_stance`.

    Examples
    --------
    >>> from impinge import Box, Circle
    >>> pool = Pool()
    >>> tile, twin, ball = pool.take(Box(2, 2)), pool.take(Box(2, 2)), pool.take(Circle(3))
    >>> tile is twin, tile.users, pool.longest == tile.columns
    (True, 2, True)
    >>> pool.give_back(ball.first)
    >>> pool.take(Circle(4)).first == ball.first
    True
    """

    def __init__(self) -> None:
        self.rows: Floats = np.zeros(FIRST_COLUMNS)
        self.longest = 1
        self._end = 0
        self._slots: dict[int, Slot] = {}
        self._shared: dict[Solid, Slot] = {}
        self._free: defaultdict[int, list[int]] = defaultdict(list)
        self.stance_total = self.stance_end = 0
        self._stance_first = self._stance_columns = 0

    def __getitem__(self, first: int) -> Slot:
        """Return the slot of a solid by its first column."""
        return self._slots[first]

    def take(self, shape: Solid) -> Slot:
        """Return the slot of a shape, for one more body; of equal shapes it is the same.

        A shape that cannot be hashed may change without notice, so it shares with nobody.
        """
        try:
            slot = self._shared.get(shape)
            is_shared = True
        except TypeError:
            slot, is_shared = None, False
        if slot is None:
            slot = self._write(shape, is_shared)
        slot.users += 1
        return slot

    def give_back(self, first: int) -> None:
        """Count a body less for the slot at a column; the last one frees it."""
        slot = self._slots[first]
        slot.users -= 1
        if slot.users == 0:
            del self._slots[first]
            if slot.is_shared:
                del self._shared[slot.shape]
            self._free[slot.columns].append(first)

    @property
    def stances(self) -> int:
        """How many columns there are to stand in."""
        return self.stance_end - self._stance_first

    def set_stances(self, stances: int) -> None:
        """Have so many columns to stand in, with room for the longest row behind them; takes all back."""
        if self._stance_first + self._stance_columns == self._end:
            # Nothing is behind them: they are made longer where they are.
            self._end = self._stance_first
        elif self._stance_columns:
            self._free[self._stance_columns].append(self._stance_first)
        # A power of two, so that it is seldom that a longer one comes.
        self._stance_columns = stances + (1 << self.longest.bit_length())
        self._stance_first = self._reserve(self._stance_columns)
        self.stance_total, self.stance_end = self._stance_first, self._stance_first + stances

    def has_room_behind(self) -> bool:
        """Whether the longest row has room behind the columns to stand in: there may be a longer one by now."""
        return self._stance_columns - self.stances > self.longest

    def _reserve(self, columns: int) -> int:
        """Return the first of so many columns; what is in them is not said."""
        if self._free[columns]:
            return self._free[columns].pop()
        first = self._end
        self._end += columns
        if self._end > len(self.rows):
            room = max(self._end, int((1.0 + GROWTH) * len(self.rows))) - len(self.rows)
            self.rows = np.concatenate((self.rows, np.zeros(room)))
        return first

    def _write(self, shape: Solid, is_shared: bool) -> Slot:
        # Made before anything is changed: the row of a shape of the game's own may fail.
        row = with_skins(shape.row)
        first = self._reserve(len(row))
        self.longest = max(self.longest, len(row))
        write_row(row, self.rows, first)
        slot = self._slots[first] = Slot(shape, first, len(row), is_shared)
        if is_shared:
            self._shared[shape] = slot
        return slot
