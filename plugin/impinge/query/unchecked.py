"""Queries of one pair without checks and with few or no records, for adapters: they have checked shapes and places.

`overlap_pair` takes the row of a solid (`Solid.row`, or `Solid.drawn_in` to exclude contacts), x, y and angle, and the
same of another solid. It returns whether the two overlap, as `impinge.overlaps` does.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from impinge.kernels import columns as col
from impinge.kernels.arrays import Course
from impinge.kernels.entry import impact_pair, overlap_pair
from impinge.query.impacts import Impact, course_of, impact_of
from impinge.shapes.solids import Solid, Vector

__all__ = ["Course", "Touch", "course_of", "impact", "overlap_pair", "reach_of", "touch"]


class Touch(NamedTuple):
    """The impact of two solids: an `impinge.Impact` without points and features."""

    time: float
    normal: Vector
    point: Vector
    is_overlapping: bool


def touch(a: Solid, course_a: Course, b: Solid, course_b: Course) -> Touch | None:
    """Return the first impact of two moving solids, or None: `impinge.time_of_impact`, in half of its time.

    A course is a motion as a tuple of floats: x, y and angle at its start, the same at its end, and its acceleration.

    Examples
    --------
    >>> from impinge import Circle
    >>> way, still = (0.0, 0.0, 0.0, 10.0, 0.0, 0.0, 0.0, 0.0), (7.0, 0.0, 0.0, 7.0, 0.0, 0.0, 0.0, 0.0)
    >>> touch(Circle(1), way, Circle(1), still)
    Touch(time=0.5, normal=(1.0, 0.0), point=(6.0, 0.0), is_overlapping=False)
    """
    answer = impact_pair(a.row, course_a, b.row, course_b)
    time = answer[col.IMPACT_TIME]
    if math.isnan(time):
        return None
    _, nx, ny, count, x, y, far_x, far_y = answer[:8]
    if count != 1.0:
        x, y = 0.5 * (x + far_x), 0.5 * (y + far_y)
    return Touch(time, (nx, ny), (x, y), answer[col.IMPACT_OVERLAPPING] == 1.0)


def impact(a: Solid, course_a: Course, b: Solid, course_b: Course) -> Impact | None:
    """Return the first impact of two moving solids, or None: `impinge.time_of_impact` for courses.

    Examples
    --------
    >>> from impinge import Circle
    >>> way, still = (0.0, 0.0, 0.0, 10.0, 0.0, 0.0, 0.0, 0.0), (7.0, 0.0, 0.0, 7.0, 0.0, 0.0, 0.0, 0.0)
    >>> found = impact(Circle(1), way, Circle(1), still)
    >>> found and found.time
    0.5
    """
    return impact_of(a, b, impact_pair(a.row, course_a, b.row, course_b))


def reach_of(solid: Solid) -> float:
    """Return the largest distance of a solid's points from the origin of its frame.

    Examples
    --------
    >>> from impinge import Box
    >>> reach_of(Box(6, 8))
    5.0
    """
    return solid.row.item(col.FARTHEST)
