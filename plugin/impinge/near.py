"""Boxes around what moves all the time, and which of them another one meets: for who keeps an order of its own.

Not here: shapes, and bodies that push each other; a `World` answers the same question about its bodies.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from impinge.checks import LARGEST
from impinge.kernels import columns as col
from impinge.kernels import entry
from impinge.kernels.arrays import Bools, Floats, Ints

__all__ = ["GONE", "NearBoxes"]

# Rows for which there is room at first.
LEAST_ROOM = 16
# Up to so many boxes a grid saves nothing.
LEAST_GRID = 128
# To make a grid takes as long as to look at this many boxes for each that there is: then it is made.
GRID_COSTS = 64
# The part of all boxes that fits into a cell, and how many buckets there are for each box.
FITTING, BUCKETS_A_BOX = 0.97, 2
# What is met by nothing.
GONE = (np.inf, np.inf, -np.inf, -np.inf, 0.0)


class NearBoxes:
    """Upright boxes in rows.

    Attributes
    ----------
    extents
        Of each row left, bottom, right and top of its box as seen from its position; and 1 if there is nothing smaller
        in it, or 0. After a change `move` it.

    Examples
    --------
    >>> near = NearBoxes()
    >>> rows = near.append([(-1, -1, 1, 1, 1.0)] * 3)
    >>> near.move(rows, np.array([(0, 0), (1.5, 0), (9, 0)]))
    True
    >>> near.met(-1, -1, 0.9, 1, 0.5)
    [0, -2]
    """

    __slots__ = ("_boxes", "_debt", "_entries", "_found", "_is_loose", "_loose", "_loose_total", "_side", "_starts",
                 "extents", "total")  # fmt: skip

    def __init__(self) -> None:
        self.total = 0
        self.extents: Floats = np.empty((0, col.BOX_COLUMNS))
        self._boxes = self.extents
        self._is_loose: Bools = np.empty(0, np.bool_)
        self._loose: Ints = np.empty(0, np.int64)
        self._found = self._entries = self._loose
        self._starts: Ints = np.zeros(1, np.int64)
        self._loose_total, self._side, self._debt = 0, 1.0, 0

    def append(self, extents: Sequence[Sequence[float]]) -> Ints:
        """Add rows by their extents, nowhere yet; returns which they are."""
        rows = np.arange(self.total, self.total + len(extents))
        if not len(rows):
            return rows
        self.total += len(extents)
        if self.total > len(self.extents):
            room = max(LEAST_ROOM, 2 * self.total) - len(self.extents)
            self.extents = np.concatenate((self.extents, np.tile(GONE, (room, 1))))
            self._boxes = np.concatenate((self._boxes, np.tile(GONE, (room, 1))))
            self._is_loose = np.concatenate((self._is_loose, np.zeros(room, np.bool_)))
            self._loose = np.concatenate((self._loose, np.empty(room, np.int64)))
            self._entries = np.concatenate((self._entries, np.empty(room, np.int64)))
            self._found = np.empty_like(self._loose)
        self.reshape(rows, extents)
        return rows

    def reshape(self, rows: Ints, extents: Sequence[Sequence[float]]) -> None:
        """Give rows other extents; they are where they are until they `move`."""
        self.extents[rows] = np.reshape(extents, (-1, col.BOX_COLUMNS))
        self._boxes[rows, col.BOX_IS_FULL] = self.extents[rows, col.BOX_IS_FULL]

    def move(self, rows: Ints, positions: Floats) -> bool:
        """Put rows to positions, (n,) int and (n, 2); returns whether these are in the range of coordinates.

        If one is not, none is moved.
        """
        loose_total = entry.move_boxes(
            self._boxes, self.extents, self._is_loose, self._loose, self._loose_total, rows, positions, LARGEST
        )
        if loose_total < 0:
            return False
        self._loose_total = loose_total
        return True

    def met(self, left: float, bottom: float, right: float, top: float, sure: float) -> list[int]:
        """Return the rows of all boxes that another one meets, touches too, in no order.

        Those that it overlaps by more than `sure`, and that have nothing smaller in them, are told as they are, others
        as -1 - row.
        """
        self._debt += self._loose_total
        if self._debt > GRID_COSTS * self.total and self.total > LEAST_GRID:
            self._make_grid()
        count = entry.boxes_met(
            self._boxes, self.total, self._loose, self._loose_total, self._is_loose, self._starts, self._entries,
            self._side, left, bottom, right, top, sure, self._found,
        )  # fmt: skip
        return self._found[:count].tolist() if count else []

    def _make_grid(self) -> None:
        """Put all boxes into a grid, in which most of them fit into a cell."""
        self._debt = 0
        there = self._boxes[: self.total]
        sizes = (there[:, 2:4] - there[:, :2]).max(axis=1)
        sizes = sizes[sizes > 0.0]
        if not len(sizes):
            return
        place = int(FITTING * (len(sizes) - 1))
        self._side = float(np.partition(sizes, place)[place])
        buckets = 1 << (BUCKETS_A_BOX * self.total).bit_length()
        if len(self._starts) != buckets + 1:
            self._starts = np.empty(buckets + 1, np.int64)
        self._loose_total = entry.fill_grid(
            self._boxes, self.total, self._side, self._is_loose, self._loose, self._starts, self._entries
        )
