"""Queries of one pair without checks and with few or no records, for adapters: they have checked shapes and places.

`overlap_pair` takes the row of a solid (`Solid.row`, or `Solid.drawn_in` to exclude contacts), x, y and angle, and the
same of another solid. It returns whether the two overlap, as `impinge.overlaps` does.
"""

from __future__ import annotations

from impinge.kernels import columns as col
from impinge.kernels.arrays import Course
from impinge.kernels.entry import impact_pair, overlap_pair
from impinge.query.impacts import Impact, course_of, impact_of
from impinge.shapes.solids import Solid

__all__ = [
    "Course",
    "course_of",
    "impact",
    "overlap_pair",
    "reach_of",
]


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
