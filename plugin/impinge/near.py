"""Moving upright boxes, and a fast query for those that another box overlaps, for callers with an order of their own.

Not here: shapes, and bodies that push each other. A `World` has the same query for its bodies.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from impinge.checks import LARGEST
from impinge.kernels import columns as col
from impinge.kernels import entry
from impinge.kernels.arrays import BoxGrid, Floats, Ints

__all__ = ["GONE", "NearBoxes"]

# Least number of rows to allocate.
MIN_BOX_ROWS = 16
# Up to this number of boxes, a grid saves no time.
MIN_GRID_BOXES = 128
# Building a grid takes as long as checking this many loose boxes for each box of the grid. When queries have checked
# that many, the grid is rebuilt.
GRID_BUILD_COST = 64
# The part of all boxes that fits into a cell, and the number of buckets per box.
CELL_FIT_PART, BUCKETS_PER_BOX = 0.97, 2
# Extents of a removed box: no box overlaps them.
GONE = (np.inf, np.inf, -np.inf, -np.inf, 0.0)


class NearBoxes:
    """Upright boxes, one in each row.

    Attributes
    ----------
    extents
        For each row, left, bottom, right and top of the box relative to its position. Then 1 if the box is the whole
        shape, or 0 if it only bounds a smaller one. After a change, `move` the row.

    Examples
    --------
    >>> near = NearBoxes()
    >>> rows = near.append([(-1, -1, 1, 1, 1.0)] * 3)
    >>> near.move(rows, np.array([(0, 0), (1.5, 0), (9, 0)]))
    True
    >>> near.met(-1, -1, 0.9, 1, 0.5)
    [0, -2]
    """

    __slots__ = ("_debt", "_found", "_grid", "_loose_total", "_side", "extents", "total")

    def __init__(self) -> None:
        self.total = 0
        self.extents: Floats = np.empty((0, col.BOX_COLUMNS))
        self._found: Ints = np.empty(0, np.int64)
        self._grid = BoxGrid(self.extents, np.empty(0, np.bool_), self._found, np.zeros(1, np.int64), self._found)
        self._loose_total, self._side, self._debt = 0, 1.0, 0

    def append(self, extents: Sequence[Sequence[float]]) -> Ints:
        """Add rows with these extents, and return their indices. They have no position until they `move`."""
        rows = np.arange(self.total, self.total + len(extents))
        if not len(rows):
            return rows
        self.total += len(extents)
        if self.total > len(self.extents):
            room = max(MIN_BOX_ROWS, 2 * self.total) - len(self.extents)
            self.extents = np.concatenate((self.extents, np.tile(GONE, (room, 1))))
            boxes, is_loose, loose, starts, entries = self._grid
            self._grid = BoxGrid(
                np.concatenate((boxes, np.tile(GONE, (room, 1)))),
                np.concatenate((is_loose, np.zeros(room, np.bool_))),
                np.concatenate((loose, np.empty(room, np.int64))),
                starts,
                np.concatenate((entries, np.empty(room, np.int64))),
            )
            self._found = np.empty(len(self.extents), np.int64)
        self.reshape(rows, extents)
        return rows

    def reshape(self, rows: Ints, extents: Sequence[Sequence[float]]) -> None:
        """Set the extents of rows. Their boxes stay unchanged until they `move`."""
        self.extents[rows] = np.reshape(extents, (-1, col.BOX_COLUMNS))
        self._grid.boxes[rows, col.BOX_IS_FULL] = self.extents[rows, col.BOX_IS_FULL]

    def move(self, rows: Ints, positions: Floats) -> bool:
        """Move rows, (n,) int, to positions, (n, 2), and return whether these are within the limit of coordinates.

        If one is not, no row moves.
        """
        loose_total = entry.move_boxes(self._grid, self._loose_total, self.extents, rows, positions, LARGEST)
        if loose_total < 0:
            return False
        self._loose_total = loose_total
        return True

    def met(self, left: float, bottom: float, right: float, top: float, sure: float) -> list[int]:
        """Return the rows of all boxes that a box overlaps or touches, unsorted.

        A row is returned as it is if its box is a whole shape that overlaps by more than `sure`. Else it is returned as
        -1 - row, and the caller must check the shape.
        """
        self._debt += self._loose_total
        if self._debt > GRID_BUILD_COST * self.total and self.total > MIN_GRID_BOXES:
            self._make_grid()
        count = entry.overlapping_boxes(
            self._grid, self.total, self._loose_total, self._side, (left, bottom, right, top), sure, self._found
        )
        return self._found[:count].tolist() if count else []

    def _make_grid(self) -> None:
        """Build a grid of all boxes, with cells into which most of them fit."""
        self._debt = 0
        there = self._grid.boxes[: self.total]
        sizes = (there[:, 2:4] - there[:, :2]).max(axis=1)
        sizes = sizes[sizes > 0.0]
        if not len(sizes):
            return
        place = int(CELL_FIT_PART * (len(sizes) - 1))
        self._side = float(np.partition(sizes, place)[place])
        buckets = 1 << (BUCKETS_PER_BOX * self.total).bit_length()
        if len(self._grid.starts) != buckets + 1:
            self._grid = self._grid._replace(starts=np.empty(buckets + 1, np.int64))
        self._loose_total = entry.fill_grid(self._grid, self.total, self._side)
