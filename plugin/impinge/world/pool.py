"""Storage for the rows of a world's solids: one array, in which equal shapes share a slot.

The same array has columns for posed solids. Not here: the contents of a row, which `kernels.columns` lists, and
rotating a solid, which is in `kernels.space.posed_solids`.
"""

from __future__ import annotations

import copy
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from impinge.kernels.arrays import Floats
from impinge.kernels.entry import write_row
from impinge.kernels.pair.solids import with_skins
from impinge.shapes.solids import Solid

__all__ = ["Pool", "Slot"]

# Columns of a new pool: half a dozen boxes, and as many posed boxes.
INITIAL_SOLID_COLUMNS = 512
# Columns for posed solids: their number at a world's first step, and their limit per body, half of a posed box. All
# other data of a body takes some 80 columns.
INITIAL_POSED_COLUMNS = 256
MAX_POSED_COLUMNS_PER_BODY = 24
# Relative growth of an array with about one row per body. With less, copying would cost more than filling it.
GROWTH = 0.25


@dataclass(slots=True)
class Slot:
    """Columns that hold a solid in its own frame.

    Attributes
    ----------
    shape
        The solid; among equal ones, the first that was added.
    first, columns
        Its first column, and its number of columns.
    is_shared
        Whether equal shapes use this slot, too.
    users
        Number of bodies that use it.
    """

    shape: Solid
    first: int
    columns: int
    is_shared: bool
    users: int = 0


class Pool:
    """Rows of solids in one growing array. Rows of the same length reuse free columns.

    Attributes
    ----------
    rows
        The array. Growth replaces it: read this attribute again after each `take` and `set_stances`.
    longest
        Number of columns of the longest row so far, at least 1.
    end
        Number of columns of all rows, of those that are free again, and for posed solids.
    stance_total, stance_end
        Next free column for posed solids, and the end of these columns: see `kernels.space.posed_solids.give_stance`.

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
        self.rows: Floats = np.zeros(INITIAL_SOLID_COLUMNS)
        self.longest = 1
        self.end = 0
        self._slots: dict[int, Slot] = {}
        self._shared: dict[Solid, Slot] = {}
        self._free: defaultdict[int, list[int]] = defaultdict(list)
        self.stance_total = self.stance_end = 0
        # First column for posed solids, and their number, with those for the longest row behind them.
        self._stances = 0, 0

    def __len__(self) -> int:
        """Return the number of slots."""
        return len(self._slots)

    def __getitem__(self, first: int) -> Slot:
        """Return the slot that begins at a column."""
        return self._slots[first]

    def copy(self) -> Pool:
        """Return an independent copy."""
        twin = copy.copy(self)
        twin.rows = self.rows.copy()
        twin._slots = {first: copy.copy(slot) for first, slot in self._slots.items()}
        twin._shared = {shape: twin._slots[slot.first] for shape, slot in self._shared.items()}
        twin._free = defaultdict(list, {columns: list(free) for columns, free in self._free.items()})
        return twin

    def take(self, shape: Solid) -> Slot:
        """Return the slot of a shape, and count one more user. Equal shapes share a slot.

        A shape that cannot be hashed could change later, so it gets a slot of its own.
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

    def take_all(self, shapes: Iterable[Solid]) -> list[Slot]:
        """Return the slot of each shape, as `take` does; one object has one slot. An error takes none."""
        slots: list[Slot] = []
        known: dict[int, Slot] = {}
        try:
            for shape in shapes:
                slot = known.get(id(shape))
                if slot is None:
                    slot = known[id(shape)] = self.take(shape)
                else:
                    slot.users += 1
                slots.append(slot)
        except BaseException:
            for slot in slots:
                self.give_back(slot.first)
            raise
        return slots

    def give_back(self, first: int) -> None:
        """Count one user less for the slot at a column. The last user frees it."""
        slot = self._slots[first]
        slot.users -= 1
        if slot.users == 0:
            if slot.is_shared:
                del self._shared[slot.shape]
            del self._slots[first]
            self._free[slot.columns].append(first)

    @property
    def stances(self) -> int:
        """Return the number of columns for posed solids."""
        return self.stance_end - self._stances[0]

    @property
    def posed_columns(self) -> int:
        """Return the number of these columns that posed solids take."""
        return self.stance_total - self._stances[0]

    def set_stances(self, stances: int) -> None:
        """Reserve this number of columns for posed solids, with room for the longest row behind them.

        This discards all posed solids.
        """
        # A power of two, so a longer row seldom needs new columns.
        columns = stances + (1 << self.longest.bit_length())
        (first, before), end = self._stances, self.end
        if first + before == end and not self._free[columns]:
            # They are the last columns, so they grow in place.
            end, before = first + columns, 0
            self._grow(end)
        else:
            first = self._reserve(columns)
            end = self.end
        left, last = self._stances[0], first + stances
        self.end, self._stances, self.stance_total, self.stance_end = end, (first, columns), first, last
        if before:
            self._free[before].append(left)

    def has_room_behind(self) -> bool:
        """Return whether the longest row still fits behind the columns for posed solids: `longest` may have grown."""
        return self._stances[1] - self.stances > self.longest

    def _reserve(self, columns: int) -> int:
        """Return the first of this number of free columns. Their contents are undefined."""
        if self._free[columns]:
            return self._free[columns].pop()
        first = self.end
        self._grow(first + columns)
        self.end += columns
        return first

    def _grow(self, columns: int) -> None:
        """Grow to at least this number of columns."""
        if columns > len(self.rows):
            room = max(columns, int((1.0 + GROWTH) * len(self.rows))) - len(self.rows)
            self.rows = np.concatenate((self.rows, np.zeros(room)))

    def _write(self, shape: Solid, is_shared: bool) -> Slot:
        # Before any change, because `row` of a custom shape may raise.
        row = with_skins(shape.row)
        first = self._reserve(len(row))
        self.longest = max(self.longest, len(row))
        write_row(row, self.rows, first)
        slot = self._slots[first] = Slot(shape, first, len(row), is_shared)
        if is_shared:
            self._shared[shape] = slot
        return slot
