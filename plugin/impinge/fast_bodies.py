"""Bodies of another engine that are fast for their size, and the pairs that may hit each other, for adapters.

Not here: whether a pair hits each other, which `query.unchecked` computes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from impinge.kernels import columns as col
from impinge.kernels.arrays import BodyShapes, Bounds, Floats, Ints
from impinge.kernels.entry import find_fast, find_near

__all__ = ["FastBodies", "Pairs"]

# Pairs of a fast body, by its number, and another fast body or a shape.
Pairs: TypeAlias = list[tuple[int, int]]

# Rows of pairs to allocate at first.
MIN_PAIRS = 64

NO_ROWS, NO_TIMES = np.empty(0, np.int64), np.empty(0)
NO_SHAPES = BodyShapes(np.empty((0, col.OUTLINE_COLUMNS)), NO_ROWS, np.empty((0, 4)), np.empty((0, 3)))


class FastBodies:
    """The fast bodies of a step.

    Parameters
    ----------
    sizes : (n, 3)
        For each body, which may be resized: the longest way that needs no sweep, infinite for a body without shapes;
        the radius at which its rotation counts; and an upper bound of the distance of its points from its place.
    outlines : (m, 5)
        For each shape, a box in the frame of its body, as centre and half extents, and the radius around it.
    bodies : (m,) int
        The row of each shape's body.

    Examples
    --------
    Body 0 moves by 6, which is more than its limit of 1. The shape of body 1 is in its way:

    >>> fast = FastBodies([(1, 0, 2), (1, 0, 2)], [(0, 0, 0, 0, 2), (0, 0, 1, 1, 0)], [0, 1])
    >>> figures = np.array([(0.0, 0.0, 0.0, 600.0, 0.0, 0.0), (5.0, 0.0, 0.0, 0.0, 0.0, 0.0)])
    >>> fast.find(figures, 0.01, {})
    1
    >>> fast.rows(), fast.times(), fast.pairs(figures)
    (array([0]), [0.01], ([(0, 1)], []))
    """

    def __init__(self, sizes: ArrayLike, outlines: ArrayLike, bodies: ArrayLike) -> None:
        self._sizes = np.array(sizes, np.float64).reshape(-1, col.SIZE_COLUMNS)
        boxes = np.array(outlines, np.float64).reshape(-1, col.OUTLINE_COLUMNS)
        # No pose is equal to NaN.
        poses = np.full((len(boxes), 3), math.nan)
        self._shapes = BodyShapes(boxes, np.array(bodies, np.int64), np.empty((len(boxes), 4)), poses)
        total = len(self._sizes)
        self._rows, self._swept = np.empty(total, np.int64), np.empty((total, col.SWEPT_COLUMNS))
        self._near: Ints = np.empty((MIN_PAIRS, 2), np.int64)
        self._mates: Ints = np.empty((MIN_PAIRS, 2), np.int64)
        self._count, self._slow = 0, 0.0

    def resize(self, row: int, size: Sequence[float]) -> None:
        """Set the size of a body."""
        self._sizes[row] = size

    def find(self, figures: Floats, time: float, late: Mapping[int, float]) -> int:
        """Find the fast bodies, and return their number; if a body has a number that is not finite, -1 minus its row.

        Parameters
        ----------
        figures : (n, 6)
            Position, angle, velocity and angular velocity of each body.
        time
            Duration of the motions.
        late
            Durations of the motions of other rows.
        """
        rows, times = NO_ROWS, NO_TIMES
        if late:
            rows = np.array(sorted(late), np.int64)
            times = np.array([late[row] for row in rows.tolist()], np.float64)
        self._count, self._slow = find_fast(figures, self._sizes, time, rows, times, self._rows, self._swept)
        return self._count

    def take(self, rows: Sequence[int], bounds: Sequence[Bounds]) -> None:
        """Take some bodies as the fast ones, in this order, with the bounds of their motions; all others stand."""
        self._count, self._slow = len(rows), 0.0
        self._rows[: len(rows)] = rows
        self._swept[: len(rows), : col.SWEPT_TIME] = bounds
        self._swept[: len(rows), col.SWEPT_TIME] = 0.0

    def rows(self) -> Ints:
        """Return the rows of the fast bodies: in ascending order, unless others were taken."""
        return self._rows[: self._count]

    def times(self) -> list[float]:
        """Return the duration of the motion of each fast body."""
        times: list[float] = self._swept[: self._count, col.SWEPT_TIME].tolist()
        return times

    def bounds(self, number: int) -> tuple[float, float, float, float]:
        """Return the bounds in which a fast body may hit another shape: left, bottom, right and top."""
        left, bottom, right, top, _ = self._swept[number].tolist()
        return left - self._slow, bottom - self._slow, right + self._slow, top + self._slow

    def pairs(self, figures: Floats) -> tuple[Pairs, Pairs]:
        """Return the pairs that may hit each other: of fast bodies with shapes of others, and with each other."""
        return self._pairs(figures, self._shapes)

    def mates(self, figures: Floats) -> Pairs:
        """Return the pairs of fast bodies that may hit each other."""
        _, mates = self._pairs(figures, NO_SHAPES)
        return mates

    def _pairs(self, figures: Floats, shapes: BodyShapes) -> tuple[Pairs, Pairs]:
        while True:
            near, mates = self._near, self._mates
            total, mates_total = find_near(
                figures, shapes, self._rows, self._swept, self._count, self._slow, near, mates
            )
            if total <= len(near) and mates_total <= len(mates):
                break
            self._near, self._mates = (np.empty((2 * each, 2), np.int64) for each in (total, mates_total))
        # Sorted, because the order along an axis is no order for a game.
        pairs: Pairs = sorted([(number, shape) for number, shape in near[:total].tolist()])
        return pairs, [(one, another) for one, another in mates[:mates_total].tolist()]
