"""A published comparison of two rectangles by their projections on the axes. For tests, not for games.

The source is *Algoritmos para colisiones de boundings: Colisión Rectángulo-Rectángulo (Bounding quad)*, black-byte.com,
Jotatsu, 2010. The text and the code here are new. The behaviour is the published one, including its mistakes. Numbers
may be integers, fractions or floats. Python's floats replace the published ``float``, so a touch may round differently.

The page starts from an idea that it refutes: rectangles collide if a corner of one is inside the other
(`some_corner_is_inside`). In a cross, no corner is. The page replaces this idea by eight conditions, four for each
axis. Each tests whether an end of one projection is between the ends of the other. The page has them twice: in words
(`collide_as_told`), and as code (`collide_as_coded`). The page calls an overlap on all axes "more general", but does
not name these axes for turned rectangles. `overlap_on_all_axes` does.

Mistakes and gaps of the page
-----------------------------
Each has a test of the same name. Unless stated otherwise, squares are 2 x 2, from (0, 0) to (2, 2).

*third_corner_told_fourth_coded*
    On the y axis, the words use P1 and P3, the code uses p1 and p4. P3 and p4 have the same height only if the
    rectangle is upright. The code never reads p3, the y of p2, or the x of p4.
*order_of_corners_is_assumed*
    "Between" has no direction, but the code assumes one: p1 is to the left of p2, and above p4 with y up. So p1 is the
    top left corner, and p2 the top right one. A square that is given from its top right corner, with y down, or with a
    negative width does not even collide with itself. A square given counter-clockwise counts only as its top left
    corner.
*reversed_one_loses_its_middle*
    If only one of the two is reversed, they collide as long as one of its ends is inside the other. A wide reversed one
    with the other in its middle is missed.
*rotation_is_never_read*
    The page promises turned rectangles, and the struct has ``rot``. The code ignores it. A square at a distance of 0.3
    that a turn by 45 degrees would bring into another one is no hit. A square that the turn would take out of a corner
    is still a hit.
*turned_corners_are_misread*
    Turning the corners does not help either, as the code does not read their bounds. Turned counter-clockwise by 45
    degrees, a square counts as the lower left quarter of its bounds; by 90 degrees, as its lower left corner.
*two_axes_are_not_all*
    Even the true bounds are not enough for turned rectangles. The bounds of two slanting bars, side by side, overlap on
    x and on y.
*movement_is_coded_only*
    The code adds ``mov`` to the corners; the words do not mention it.
*movement_passes_through*
    Only the end of the movement is tested. The page warns of long movements, but only for the refuted idea: by either
    method, a square that moves by 10 from x = -5 passes through the other one.
*touching_counts*
    All comparisons include equality. A shared side is a collision, and so is a shared corner.
*rounding_decides_a_touch*
    Corner and movement are added in floating point and compared without a tolerance. A square that ends at x = 0.3
    does not touch one that begins at 0.1 and moves by 0.2, but touches one that begins at 0.15 and moves by 0.15.
*not_a_number_is_half_seen*
    Conditions that read a NaN fail, and the others decide. With a NaN in p1, squares collide if p2 is inside; with a
    NaN in the movement, never.
*seventeen_comparisons*
    The page counts eight times two comparisons, and one at the end. But the second of two is made only if the first
    succeeds: each axis takes 6 if the projections are apart, 7 if they meet, 8 if their right or upper ends coincide.
    Two for each axis are enough: each interval begins before the other ends.
*half_of_the_conditions_are_idle*
    Of two intervals that meet, one begins in the other, and one ends in the other. The first and the third condition
    on an axis find this, and so do the second and the fourth.
*comment_names_the_wrong_corner*
    The comment of the third condition on y names p4, as that of the fourth does. The condition is on p1. As it is idle,
    the result would be the same if the comment were right.
*comment_speaks_of_circles*
    The comment on the function promises two circles and their distance. Squares that overlap by a corner collide, the
    circles in them do not.
*comment_speaks_of_one_point*
    The last comment requires one point to be inside on both axes. In a cross, one corner is inside on x and another one
    on y, and that is right.
*corners_may_all_be_outside*
    The page shows the cross as its counter-example. Among upright rectangles there is no other. But two equal squares
    with the same centre, one of them turned by 45 degrees, have eight corners and none of them inside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

__all__ = [
    "Rectangle",
    "collide_as_coded",
    "collide_as_told",
    "is_inside",
    "overlap_on_all_axes",
    "some_corner_is_inside",
    "upright",
]

Number: TypeAlias = int | float | Fraction
Point: TypeAlias = tuple[Number, Number]
Corners: TypeAlias = Sequence[Point]


@dataclass(frozen=True, slots=True)
class Rectangle:
    """The published struct.

    Parameters
    ----------
    p1, p2, p3, p4
        The corners at the start. The published code assumes that p1 is the top left one, p2 the top right one, and p4
        the bottom left one, with y up.
    movement
        The movement in a frame; ``mov`` on the page.
    rotation
        ``rot`` on the page, which does not name a unit. Nothing reads it.
    """

    p1: Point
    p2: Point
    p3: Point
    p4: Point
    movement: Point = (0, 0)
    rotation: Number = 0

    @property
    def corners(self) -> tuple[Point, Point, Point, Point]:
        """All four corners at the end of the movement."""
        dx, dy = self.movement
        return (
            (self.p1[0] + dx, self.p1[1] + dy),
            (self.p2[0] + dx, self.p2[1] + dy),
            (self.p3[0] + dx, self.p3[1] + dy),
            (self.p4[0] + dx, self.p4[1] + dy),
        )


def upright(left: Number, bottom: Number, right: Number, top: Number, movement: Point = (0, 0)) -> Rectangle:
    """Return an axis-aligned rectangle with its corners in the order of the published code.

    Examples
    --------
    >>> upright(0, 0, 4, 2).p1
    (0, 2)
    """
    return Rectangle((left, top), (right, top), (right, bottom), (left, bottom), movement)


def collide_as_coded(a: Rectangle, b: Rectangle) -> bool:
    """Return whether two rectangles collide at the ends of their movements, exactly as the published code does.

    Examples
    --------
    The cross, which the page draws:

    >>> lying, standing = upright(0, 2, 10, 4), upright(4, 0, 6, 6)
    >>> collide_as_coded(lying, standing)
    True
    """
    a1, a2, _, a4 = a.corners
    b1, b2, _, b4 = b.corners
    on_x = False
    if a1[0] <= b2[0] and a1[0] >= b1[0]:
        on_x = True
    if a2[0] <= b2[0] and a2[0] >= b1[0]:
        on_x = True
    if b1[0] <= a2[0] and b1[0] >= a1[0]:
        on_x = True
    if b2[0] <= a2[0] and b2[0] >= a1[0]:
        on_x = True
    on_y = False
    if a1[1] <= b1[1] and a1[1] >= b4[1]:
        on_y = True
    if a4[1] <= b1[1] and a4[1] >= b4[1]:
        on_y = True
    if b1[1] <= a1[1] and b1[1] >= a4[1]:
        on_y = True
    if b4[1] <= a1[1] and b4[1] >= a4[1]:
        on_y = True
    return on_x and on_y


def collide_as_told(a: Rectangle, b: Rectangle) -> bool:
    """Return whether two rectangles collide by the words of the page: at their starts, by P1, P2 and P3.

    Examples
    --------
    >>> collide_as_told(upright(0, 2, 10, 4), upright(4, 0, 6, 6))
    True
    """
    on_x = (
        _is_between(a.p1[0], b.p1[0], b.p2[0])
        or _is_between(a.p2[0], b.p1[0], b.p2[0])
        or _is_between(b.p1[0], a.p1[0], a.p2[0])
        or _is_between(b.p2[0], a.p1[0], a.p2[0])
    )
    on_y = (
        _is_between(a.p1[1], b.p1[1], b.p3[1])
        or _is_between(a.p3[1], b.p1[1], b.p3[1])
        or _is_between(b.p1[1], a.p1[1], a.p3[1])
        or _is_between(b.p3[1], a.p1[1], a.p3[1])
    )
    return on_x and on_y


def _is_between(value: Number, one: Number, other: Number) -> bool:
    return min(one, other) <= value <= max(one, other)


def is_inside(point: Point, corners: Corners) -> bool:
    """Return whether a point is in a rectangle, turned or not; the border counts as inside.

    The page leaves this test to an earlier page. Here, a point is inside if it is on the same side of all four edges.

    Parameters
    ----------
    point
        The point.
    corners
        The four corners, in either direction around.

    Examples
    --------
    >>> is_inside((3, 1), upright(0, 0, 4, 2).corners), is_inside((5, 1), upright(0, 0, 4, 2).corners)
    (True, False)
    """
    sides = [
        (end[0] - start[0]) * (point[1] - start[1]) - (end[1] - start[1]) * (point[0] - start[0])
        for start, end in _edges(corners)
    ]
    return all(side >= 0 for side in sides) or all(side <= 0 for side in sides)


def some_corner_is_inside(a: Corners, b: Corners) -> bool:
    """Return whether a corner of one rectangle is inside the other: the idea that the page starts from, and refutes.

    Examples
    --------
    In a cross, no corner is:

    >>> some_corner_is_inside(upright(0, 2, 10, 4).corners, upright(4, 0, 6, 6).corners)
    False
    """
    return any(is_inside(corner, b) for corner in a) or any(is_inside(corner, a) for corner in b)


def overlap_on_all_axes(a: Corners, b: Corners) -> bool:
    """Return whether two rectangles, turned or not, overlap on the normals of all their edges; touching counts.

    Two separate convex shapes have a line between them that is parallel to an edge of one of them. So each rectangle
    gives two axes. Their lengths do not matter, so this needs no square root, and with fractions the answer is exact.

    Parameters
    ----------
    a, b
        The four corners of each, in either direction around.

    Raises
    ------
    ValueError
        If a side has length 0, and so no normal.

    Notes
    -----
    Gottschalk, Lin and Manocha, "OBBTree: A Hierarchical Structure for Rapid Interference Detection", 1996.

    Examples
    --------
    A diamond that touches a square at its corner, and the same diamond one unit farther away:

    >>> square = upright(0, 0, 4, 4).corners
    >>> overlap_on_all_axes(square, [(5, 3), (7, 5), (5, 7), (3, 5)])
    True
    >>> overlap_on_all_axes(square, [(6, 3), (8, 5), (6, 7), (4, 5)])
    False
    """
    for name, corners in (("a", a), ("b", b)):
        if any(start == end for start, end in _edges(corners)):
            raise ValueError(f"{name} must have sides with a length, got {corners!r}")
    for start, end in _edges(a)[:2] + _edges(b)[:2]:
        normal = end[1] - start[1], start[0] - end[0]
        heights_a = [_dot(normal, corner) for corner in a]
        heights_b = [_dot(normal, corner) for corner in b]
        if max(heights_a) < min(heights_b) or max(heights_b) < min(heights_a):
            return False
    return True


def _edges(corners: Corners) -> list[tuple[Point, Point]]:
    return list(zip(corners, [*corners[1:], corners[0]], strict=True))


def _dot(a: Point, b: Point) -> Number:
    return a[0] * b[0] + a[1] * b[1]
