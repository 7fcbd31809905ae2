"""Queries of one pair without checks and with few or no records, for adapters: they have checked shapes and places.

`overlap_pair` takes the row of a solid (`Solid.row`, or `Solid.drawn_in` to exclude contacts), x, y and angle, and the
same of another solid. It returns whether the two overlap, as `impinge.overlaps` does.
"""

from __future__ import annotations

import math
from typing import NamedTuple, TypeAlias

from impinge.kernels import columns as col
from impinge.kernels.arrays import Course
from impinge.kernels.entry import contact_time_pair, deep_impact_pair, impact_pair, overlap_pair
from impinge.query.impacts import Impact, course_of, impact_of
from impinge.shapes.solids import Solid, Vector

__all__ = [
    "Course",
    "Touch",
    "Traits",
    "course_of",
    "deep_impact",
    "impact",
    "overlap_pair",
    "reach_of",
    "time_of_contact",
    "touch",
]

# Of a pair, for `deep_impact`: the first body's thickness, the difference between its solid and its core, the largest
# distance of the points of each from its place, and of those that rotation can bring into contact.
Traits: TypeAlias = tuple[float, float, float, float, float, float]


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


def deep_impact(core: Solid, course_a: Course, b: Solid, course_b: Course, traits: Traits, safe: float) -> Touch | None:
    """Return the impact of a core and a solid if the pair would be too deep at the end of their courses, else None.

    For an engine that resolves overlaps unless they are too deep. Rotating pairs that touch at the start get the time
    when they are too deep. `safe` is the allowed depth of the first body, as a fraction of its thickness; the
    difference between its solid and its core is always allowed.

    Examples
    --------
    A ball of radius 1 ends 0.5 deep, or 1 deep, in another one:

    >>> from impinge import Circle
    >>> way, still = (0.0, 0.0, 0.0, 6.0, 0.0, 0.0, 0.0, 0.0), (7.5, 0.0, 0.0, 7.5, 0.0, 0.0, 0.0, 0.0)
    >>> traits = 1.0, 0.0, 1.0, 1.0, 0.0, 0.0
    >>> deep_impact(Circle(1), way, Circle(1), still, traits, 0.6)
    >>> way = 0.0, 0.0, 0.0, 6.5, 0.0, 0.0, 0.0, 0.0
    >>> found = deep_impact(Circle(1), way, Circle(1), still, traits, 0.6)
    >>> found and round(found.time, 3)
    0.846
    """
    time, normal, point, is_overlapping = deep_impact_pair(core.row, course_a, b.row, course_b, traits, safe)
    return None if math.isnan(time) else Touch(time, normal, point, bool(is_overlapping))


def time_of_contact(
    a: Solid, course_a: Course, b: Solid, course_b: Course, traits: Traits, depth: float
) -> float | None:
    """Return the time when two solids overlap by a depth after their impact.

    None without an impact before the end, if they overlap at the start, and if they do not approach each other.

    Examples
    --------
    >>> from impinge import Circle
    >>> way, still = (0.0, 0.0, 0.0, 8.0, 0.0, 0.0, 0.0, 0.0), (6.0, 0.0, 0.0, 6.0, 0.0, 0.0, 0.0, 0.0)
    >>> time_of_contact(Circle(1), way, Circle(1), still, (1.0, 0.0, 1.0, 1.0, 0.0, 0.0), 0.5)
    0.5625
    """
    time = contact_time_pair(a.row, course_a, b.row, course_b, traits, depth)
    return None if math.isnan(time) else time


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
