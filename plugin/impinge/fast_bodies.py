"""Bodies of another engine that are fast for their size, and the pairs that may hit each other, for adapters.

Not here: whether a pair hits each other, which `query.unchecked` computes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np

from impinge.kernels import columns as col
from impinge.kernels.arrays import BodyShapes, Floats, Ints
from impinge.kernels.entry import find_fast, find_near

__all__ = ["FastBodies", "Pairs"]

# Pairs of a fast body, by its number, and another fast body or a shape.
Pairs: TypeAlias = list[tuple[int, int]]

# Rows of pairs to allocate at first.
MIN_PAIRS = 64

NO_ROWS, NO_TIMES = np.empty(0, np.int64), np.empty(0)


class FastBodies:
    """The fast bodies of a step.

    Parameters
    ----------
    sizes : (n, 3)
        For each body, the longest way that needs no sweep, infinite for a body without shapes; the radius at which its
        rotation counts; and an upper bound of the distance of its points from its place.
    outlines : (m, 5)
        For each shape, a box in the frame of its body, as centre and half extents, and the radius around it.
    bodies
        The row of each shape's body.

    Examples
    --------
    Body 0 moves by 6, which is more than its limit of 1. The shape of body 1 is in its way:

    >>> fast = FastBodies([(1, 0, 2), (1, 0, 2)], [(0, 0, 0, 0, 2), (0, 0, 1, 1, 0)], [0, 1])
    >>> figures = np.array([(0.0, 0.0, 0.0, 600.0, 0.0, 0.0), (5.0, 0.0, 0.0, 0.0, 0.0, 0.0)])
    >>> fast.find(figures, 0.01, {})
    1
    >>> fast.row(0), fast.time(0), fast.pairs(figures)
    (0, 0.01, ([(0, 1)], []))
    """

    def __init__(
        self, sizes: Sequence[Sequence[float]], outlines: Sequence[Sequence[float]], bodies: Sequence[int]
    ) -> None:
        self._sizes = np.array(sizes, np.float64).reshape(-1, col.SIZE_COLUMNS)
        boxes = np.array(outlines, np.float64).reshape(-1, col.OUTLINE_COLUMNS)
        # No pose is equal to NaN.
        poses = np.full((len(boxes), 3), math.nan)
        self._shapes = BodyShapes(boxes, np.array(bodies, np.int64), np.empty((len(boxes), 4)), poses)
        self._rows, self._swept = np.empty(len(sizes), np.int64), np.empty((len(sizes), col.SWEPT_COLUMNS))
        self._near: Ints = np.empty((MIN_PAIRS, 2), np.int64)
        self._mates: Ints = np.empty((MIN_PAIRS, 2), np.int64)
        self._count, self._slow = 0, 0.0

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

    def row(self, number: int) -> int:
        """Return the row of a fast body."""
        return self._rows.item(number)

    def time(self, number: int) -> float:
        """Return the duration of the motion of a fast body."""
        return self._swept.item(number, col.SWEPT_TIME)

    def pairs(self, figures: Floats) -> tuple[Pairs, Pairs]:
        """Return the pairs that may hit each other: of fast bodies with shapes of others, and with each other."""
        while True:
            near, mates = self._near, self._mates
            total, mates_total = find_near(
                figures, self._shapes, self._rows, self._swept, self._count, self._slow, near, mates
            )
            if total <= len(near) and mates_total <= len(mates):
                break
            self._near, self._mates = (np.empty((2 * each, 2), np.int64) for each in (total, mates_total))
        # Sorted, because the order along an axis is no order for a game.
        pairs: Pairs = sorted([(number, shape) for number, shape in near[:total].tolist()])
        return pairs, [(one, another) for one, another in mates[:mates_total].tolist()]
