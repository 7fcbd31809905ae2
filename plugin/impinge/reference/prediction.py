"""Three published examples of predicting collisions. For tests; games use `impinge.predict`.

The source is a page on predicting collisions, "P1(t), P2(t), R(t) = n"; its author and year are unknown. It writes the
relation of two moving bodies as a polynomial in time, R(t). It solves for the time at which R(t) has a value n, or is
least. The text and the code here are new. The behaviour is the published one, including its mistakes.

Mistakes in the published page
------------------------------
Each has a test of the same name. `predict` has the right answer.

First example, two circles:

*relation_is_printed_with_other_velocities*
    The circles move by (2, 7) and (-1, 2) in a second, but R(t) begins with (x1 + 2t) - (x2 - 2t) and (y1 + 2t) - (y2 +
    t). These differences grow by 4t and t; the next lines, with 3t and 5t, are right. From (0, 0) and (3, 5), the first
    line gives R(1) = 17 instead of 0.
*velocity_is_printed_with_one_letter*
    Circle 2 moves by "(a2, a2)"; formula (1) has (a2, b2). In the example, that gives (-1, -1), and 8t instead of 5t.
*overlap_at_an_end_is_missed*
    The circles must be close enough at the time t1 of least distance, and t1 must be within the second. Circles of
    radius 1 at (0, 0) and (3, 0) that approach at 1.5 a second touch at t = 2/3, but t1 = 2. Circles that overlap at
    the start and separate have t1 < 0.
*least_distance_at_the_very_end_is_missed*
    ``0 < t < 1`` excludes t1 = 1 and t1 = 0: circles of radius 1 at (0, 0) and (3, 0) that approach at 3 a second end
    inside each other, and count as a miss.
*equal_velocities_divide_by_zero*
    Formulas (1) and (2) divide by the square of the relative speed. For circles that overlap and have equal velocities,
    that is 0.
*graze_is_missed*
    R(t1) must be less than the square of the sum of the radii. Circles of radius 1 that pass at a distance of 2 touch
    at one instant, and are missed.

Second example, a segment and a circle:

*second_end_is_printed_for_the_first*
    The formula ends in (b - y2) instead of (b - y1). For the segment from (-4, 0) to (4, 2) and a circle at (0, 1), it
    gives t1 = 0.441 instead of 0.5. The version for a circle at the origin is right.
*end_inside_is_missed*
    If t1 is not between 0 and 1, only "an infinite line would intersect that circle". But the segment from (0.5, 0) to
    (3, 0) begins in the circle of radius 1 at the origin, with t1 = -0.2. And the line need not meet the circle: that
    from (5, 5) to (6, 5) has t1 = -5, and passes at a distance of 5.
*one_point_divides_by_zero*
    A segment from (0, 0) to (0, 0) is a point inside the circle around it.

Third example, a dot and a box:

*along_an_axis_divides_by_zero*
    The path "cannot be vertical", nor horizontal. On the way from (-8, 0) to (8, 0), a dot is in a box of 8 x 4 at the
    origin from 0.25 to 0.75.
*enter_and_leave_change_places*
    t1 and t3 belong to the right and the upper side, so they are the later ones if the dot moves right or up. The lemma
    (printed as "t14 and t32", meant as t1 < t4 and t3 < t2) expects them first, so it misses every dot that moves right
    and up. From (-8, -8) to (8, 8), with a box of 4 x 4, the times are 0.625, 0.375, 0.625 and 0.375. The reverse path
    is a hit.
*middle_two_mean_nothing_without_overlap*
    From (-8, 0) to (8, 16), the dot passes beside that box. The middle two of the four times are 0.125 and 0.375, the
    time between the two intervals.
*which_times_lie_in_the_second*
    "Check whether t is between 0 and 1" does not say which t. If it means all four, a dot from (8, 1) to (-8, 0.5) is
    missed, as it reaches the floor of the box at t = 6. If it means none, the dot from (8, 1) to (4, 0.5) is in the box
    from 1.5 on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

Point: TypeAlias = tuple[float, float]


@dataclass(frozen=True, slots=True)
class MovingCircle:
    """A circle, and its movement in one second."""

    center: Point
    radius: float
    movement: Point


def printed_relation(circle_1: Point, circle_2: Point, time: float) -> float:
    """Return R(t) of the first example, by its first printed line.

    Examples
    --------
    >>> printed_relation((0, 0), (3, 5), 0)
    34
    """
    x1, y1 = circle_1
    x2, y2 = circle_2
    return ((x1 + 2 * time) - (x2 - 2 * time)) ** 2 + ((y1 + 2 * time) - (y2 + time)) ** 2


def time_of_least_distance(circle_1: MovingCircle, circle_2: MovingCircle) -> float:
    """Return the time of least distance of the centres of two circles, by formula (1) of the page.

    Raises
    ------
    ZeroDivisionError
        If both velocities are equal.

    Examples
    --------
    The page's velocities. The page has no positions; these are chosen so that the centres meet:

    >>> time_of_least_distance(MovingCircle((0, 0), 1, (2, 7)), MovingCircle((3, 5), 1, (-1, 2)))
    1.0
    """
    (x1, y1), (a1, b1) = circle_1.center, circle_1.movement
    (x2, y2), (a2, b2) = circle_2.center, circle_2.movement
    return -((a1 - a2) * (x1 - x2) + (b1 - b2) * (y1 - y2)) / ((a1 - a2) ** 2 + (b1 - b2) ** 2)


def time_of_least_distance_relative(place: Point, movement: Point) -> float:
    """Return the time of least distance of a moving point from the origin, by formula (2) of the page.

    Raises
    ------
    ZeroDivisionError
        If the point does not move.

    Examples
    --------
    >>> time_of_least_distance_relative((-3, -5), (3, 5))
    1.0
    """
    x, y = place
    a, b = movement
    return -(a * x + b * y) / (a**2 + b**2)


def circles_collide(circle_1: MovingCircle, circle_2: MovingCircle) -> bool:
    """Return whether two circles collide within a second, exactly as published.

    Raises
    ------
    ZeroDivisionError
        If both velocities are equal.

    Examples
    --------
    >>> circles_collide(MovingCircle((0, 0), 1, (2, 7)), MovingCircle((1.5, 2.5), 1, (-1, 2)))
    True
    """
    time = time_of_least_distance(circle_1, circle_2)
    squared = sum(
        ((circle_1.center[i] + circle_1.movement[i] * time) - (circle_2.center[i] + circle_2.movement[i] * time)) ** 2
        for i in (0, 1)
    )
    return squared < (circle_1.radius + circle_2.radius) ** 2 and 0 < time < 1


def time_on_segment(center: Point, start: Point, end: Point) -> float:
    """Return the part of a segment up to its point nearest to a circle's centre, as printed, with y2 for y1.

    Raises
    ------
    ZeroDivisionError
        If the segment is a point.

    Examples
    --------
    >>> time_on_segment((0, 1), (-4, 1), (4, 1))
    0.5
    """
    (a, b), (x1, y1), (x2, y2) = center, start, end
    return ((x2 - x1) * (a - x1) + (y2 - y1) * (b - y2)) / ((x2 - x1) ** 2 + (y2 - y1) ** 2)


def time_on_segment_at_origin(start: Point, end: Point) -> float:
    """Return the part of a segment up to its point nearest to the origin, by the page's shorter formula.

    Raises
    ------
    ZeroDivisionError
        If the segment is a point.

    Examples
    --------
    >>> time_on_segment_at_origin((-4, -1), (4, 1))
    0.5
    """
    (x1, y1), (x2, y2) = start, end
    return -((x2 - x1) * x1 + (y2 - y1) * y1) / ((x2 - x1) ** 2 + (y2 - y1) ** 2)


def segment_meets_circle_at_origin(radius: float, start: Point, end: Point) -> bool:
    """Return whether a segment crosses a circle around the origin, exactly as published.

    Raises
    ------
    ZeroDivisionError
        If the segment is a point.

    Examples
    --------
    >>> segment_meets_circle_at_origin(5, (-8, 3), (8, 3))
    True
    """
    time = time_on_segment_at_origin(start, end)
    squared = sum((a + (b - a) * time) ** 2 for a, b in zip(start, end, strict=True))
    return 0 < time < 1 and squared < radius**2


def times_at_sides(
    start: Point, end: Point, center: Point, width: float, height: float
) -> tuple[float, float, float, float]:
    """Return t1 to t4 of the third example: the times at which a dot is at the right, left, upper and lower side.

    Raises
    ------
    ZeroDivisionError
        If the dot moves along an axis.

    Examples
    --------
    >>> times_at_sides((8, 8), (-8, -8), (0, 0), 4, 4)
    (0.375, 0.625, 0.375, 0.625)
    """
    (x1, y1), (x2, y2), (a, b) = start, end, center
    return (
        (width / 2 - x1 + a) / (x2 - x1),
        -(width / 2 + x1 - a) / (x2 - x1),
        (height / 2 - y1 + b) / (y2 - y1),
        -(height / 2 + y1 - b) / (y2 - y1),
    )


def middle_two(times: tuple[float, float, float, float]) -> tuple[float, float]:
    """Return the second and the third of four times: start and end of the dot's stay in the box, if there is one.

    Examples
    --------
    >>> middle_two((0.25, 0.75, 0.5, 1.0))
    (0.5, 0.75)
    """
    _, begin, end, _ = sorted(times)
    return begin, end


def stay_in_box(start: Point, end: Point, center: Point, width: float, height: float) -> tuple[float, float] | None:
    """Return the times at which a dot enters and leaves a box, or None, as published.

    Only the check that the times are from 0 to 1 is missing.

    Raises
    ------
    ZeroDivisionError
        If the dot moves along an axis.

    Examples
    --------
    >>> stay_in_box((8, 8), (-8, -8), (0, 0), 4, 4)
    (0.375, 0.625)
    """
    times = times_at_sides(start, end, center, width, height)
    t1, t2, t3, t4 = times
    return middle_two(times) if t1 < t4 and t3 < t2 else None
