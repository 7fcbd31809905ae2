"""Where a world keeps the rows of its solids: one array, in which equal shapes share a slot.

Not here: what stands in a row, which is in `kernels.layout`, and how one is turned, which is in `kernels.standing`.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from impinge.kernels.layout import (
    FIRST_POINT,
    PIECE_TOTAL,
    PIECES,
    POINT,
    POINT_TOTAL,
    Floats,
)
from impinge.kernels.solids import with_skins
from impinge.kernels.standing import write_row
from impinge.shapes import Solid

__all__ = ["Pool", "Slot"]

# Columns that a new pool has room for: a dozen boxes.
FIRST_COLUMNS = 512


@dataclass(slots=True)
class Slot:
    """Columns that hold a solid in its own frame.

    Attributes
    ----------
    shape
        The solid; of equal ones the first that came.
    first, columns
        Its first column, and how many it has.
    is_disk
        Whether it is one disk around its origin, which stands the same at any angle.
    is_shared
        Whether equal shapes have it too.
    users
        How many bodies have it.
    """

    shape: Solid
    first: int
    columns: int
    is_disk: bool
    is_shared: bool
    users: int = 0


class Pool:
    """Rows of solids in one array that grows; what is free is used again by rows of the same length.

    Attributes
    ----------
    rows
        The array. Another one once it has grown: ask for it anew after each `take` and `reserve`.
    longest
        Columns of the longest row that there ever was, at least 1.

    Examples
    --------
    >>> from impinge import Box, Circle
    >>> pool = Pool()
    >>> tile, twin, ball = pool.take(Box(2, 2)), pool.take(Box(2, 2)), pool.take(Circle(3))
    >>> tile is twin, tile.users, ball.is_disk, pool.longest == tile.columns
    (True, 2, True, True)
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
            self.release(first, slot.columns)

    def reserve(self, columns: int) -> int:
        """Return the first of so many columns for the use of one body; what is in them is not said."""
        self.longest = max(self.longest, columns)
        if self._free[columns]:
            return self._free[columns].pop()
        first = self._end
        self._end += columns
        if self._end > len(self.rows):
            room = max(self._end, 2 * len(self.rows)) - len(self.rows)
            self.rows = np.concatenate((self.rows, np.zeros(room)))
        return first

    def release(self, first: int, columns: int) -> None:
        """Free columns that `reserve` gave."""
        self._free[columns].append(first)

    def _write(self, shape: Solid, is_shared: bool) -> Slot:
        # Made before anything is changed: the row of a shape of the game's own may fail.
        row = with_skins(shape.row)
        point = int(row[PIECES + FIRST_POINT]) + POINT
        is_disk = bool(row[PIECE_TOTAL] == row[PIECES + POINT_TOTAL] == 1.0 and not row[point : point + 2].any())
        first = self.reserve(len(row))
        write_row(row, self.rows, first)
        slot = self._slots[first] = Slot(shape, first, len(row), is_disk, is_shared)
        if is_shared:
            self._shared[shape] = slot
        return slot
