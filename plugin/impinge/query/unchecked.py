"""Queries of one pair without checks and with few or no records, for adapters: they have checked shapes and places.

`overlap_pair` takes the row of a solid (`Solid.row`, or `Solid.drawn_in` to exclude contacts), x, y and angle, and the
same of another solid. It returns whether the two overlap, as `impinge.overlaps` does.

`impact_pair` takes the row and the course of a solid, and those of another one. It returns numbers, first the time of
`impinge.time_of_impact`, which is NaN without a hit; `impact_of` makes the record from both solids and these numbers.
"""

from __future__ import annotations

from impinge.kernels import columns as col
from impinge.kernels.arrays import Course
from impinge.kernels.entry import impact_pair, overlap_pair
from impinge.query.impacts import course_of, impact_of
from impinge.shapes.solids import Solid

__all__ = [
    "Course",
    "course_of",
    "impact_of",
    "impact_pair",
    "overlap_pair",
    "reach_of",
]


def reach_of(solid: Solid) -> float:
    """Return the largest distance of a solid's points from the origin of its frame.

    Examples
    --------
    >>> from impinge import Box
    >>> reach_of(Box(6, 8))
    5.0
    """
    return solid.row.item(col.FARTHEST)
