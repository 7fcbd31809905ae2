"""A published method for the impact of two polygons that do not turn. For tests, not for games.

The source is *Collision point of two non-rotating polygons*, POLYCOLL.TXT, Drake Christensen, 1996. The text and the
code here are new. The behaviour is the published one, including its mistakes. Numbers may be integers, fractions or
floats. The method needs no square root, so fractions give exact results.

The lines of two segments, "red" and "blue", cross in a point. While both segments move, this point moves too, straight
from its initial to its final position. Where an endpoint's path crosses that path, the endpoint is on the other line.
If that position is on the other segment, it is an impact. Parallel segments have no such path: their lines meet at one
instant, by distance and closing speed, and then the endpoints are tested. The text has nine figures. They are lost; the
tests rebuild each.

How often it is right
---------------------
The table compares it with an exact oracle, on 20 000 random pairs of convex and concave outlines, a quarter in each
group. "Fine" outlines have whole coordinates up to 1000, so hardly any features coincide. "Coarse" ones have whole
coordinates up to 4, so many do. Times within 1e-9 of a frame are right. Pairs that overlap at the start are counted
separately.

=================  =========  =========  =========  =========
.                  fine,      fine,      coarse,    coarse,
                   both move  1 at rest  both move  1 at rest
=================  =========  =========  =========  =========
right hit          2751       1378       2801       1551
right miss         1547       1537       1286       1249
missed             0          93         0          115
late               0          1254       0          1138
early              0          0          32         11
false hit          0          0          110        95
overlap: later     693        678        497        555
overlap: never     9          60         11         54
overlap: at once   0          0          263        232
=================  =========  =========  =========  =========

So it is right if both move and nothing coincides. If one is at rest, about half of the impacts are reported correctly.
All missed or late impacts become right if the same movement is added to both, so that no corner is at rest. Of the 248
early or false hits, 209 are touches without an impact (56 of them at time 0), and 39 are rounding, which fractions
avoid.

What the text leaves open
-------------------------
Each has a test of the same name, here and below.

*earliest_pair_is_not_told*
    "That's all there is to it", says the text after two segments. But several pairs of two objects can meet. Here, the
    earliest counts.
*distance_has_no_sign*
    Paths are drawn from the start of the frame to its end, but are intersected as lines: otherwise there would not
    always be four points. A point behind the initial one is as near as one ahead, so objects that separate would meet
    half way. Here, a point behind or beyond the path does not count.
*place_of_the_other_segment_is_not_told*
    A point is tested on the other segment, which moves too. Here, its position at that time counts, as figure 7 needs.
*time_is_needed_for_every_point_and_no_root*
    So the time comes first, not last as in the hints on speed. Their square root is not needed either: distances along
    one path are in proportion to their components.
*threshold_is_not_told*
    The text does not say when lines are nearly parallel. `NEARLY_PARALLEL` is chosen here.
*borders_of_the_frame_are_not_told*
    The text does not mention the end of the frame either. Times 0 and 1 both count, so a touch between two frames is
    reported in both.
*four_points_may_be_fewer*
    "We end up with four". An endpoint whose path is parallel to the other path has no point; an endpoint at rest has
    none either.

Where it errs
-------------
Unless stated otherwise, boxes are 2 x 2.

*corner_that_stands_is_missed*
    The corners of an object at rest have no path. A wall that moves onto the tip of a spear passes it. The impact is
    reported late, when the wall's own corners reach the spear's back, or never.
*frame_of_reference_decides*
    If the spear moves and the wall is at rest, the impact is found, and also if both move. The relative movement is the
    same.
*endpoint_along_its_edge_has_no_point*
    An edge that moves along itself takes the intersection with it: both paths are on one line. The other edge of that
    corner finds the impact, unless it has the same problem.
*intersection_that_stands_has_no_path*
    If both edges move along themselves, or are at rest, the intersection does not move. Again, only another pair can
    find the impact.
*less_is_not_up_to*
    A distance "greater" than the length is outside, but for parallel segments, a distance "less" than it is inside. If
    two segments share both ends, no end is in the other. So a segment does not hit an equal one.
*equal_boxes_pass_through*
    All three together: box (0, 0) moves by (10, 0) through an equal one at (5, 0). A taller box is hit. The equal one
    is hit too if both rise by 1.
*kept_distance_divides_by_zero*
    The closing speeds of parallel edges that slide add up to 0. Here, as with the infinities of C, this gives no hit.
*equal_movements_divide_by_zero*
    The same happens to parallel edges if both objects have equal movements; other edges have no point. So no collision
    is reported, with or without overlap.
*rounding_makes_a_path*
    In floats, an intersection at rest may move by a last digit. The time on that path is noise. From (-3, 0), a tip is
    reported to hit at once; in truth it takes 6/31.
*paths_on_one_line_cross_anywhere*
    In floats, paths on one line are not exactly parallel either. A triangle is reported to be hit in a corner after
    2/35. Neither is true.
*rounding_misses_a_corner_on_a_corner*
    Distances are compared without a tolerance. Two spears that meet tip on tip after 7/12 pass through each other.
*far_intersection_loses_digits*
    Numbers that overflowed in 1996 now lose digits. At an angle of 1e-13, without the rule for nearly parallel lines,
    an impact is reported 1e-5 early.
*nearly_parallel_leaves_out_the_angle*
    With that rule, the distance depends on where it is measured. The time is wrong by up to angle times length over
    speed.
*lens_counts_as_segment*
    The points nearer to both ends than the length form a lens. It extends up to 0.87 times the length beside the
    segment. On the line the rule is exact, but nearly parallel segments are not on one line.
*start_in_overlap_is_told_when_it_ends*
    Box (1, 1) is at rest. Box (0, 0), which overlaps it, moves by (9, 0). The reported time is 1/9, when its side
    leaves through the other's side.
*inside_is_told_at_the_wall*
    Outlines are hollow. An outline that starts inside another one is reported at the wall on its way out, or never.
*leaving_a_touch_counts*
    Boxes that touch and separate collide at time 0.
*graze_counts*
    Corners that touch in passing collide too.
*end_of_a_moving_floor_holds*
    A box slides on a floor to its end, or to a seam. If the floor moves, other than along itself, this is an impact,
    as the corner of the floor is then on the side of the box.
*stretch_is_told_as_one_end*
    If edges meet along a stretch, the first endpoint in the order of the text is reported. That depends on which
    segment is red.
*common_movement_culls_nothing*
    Boxes 100 apart that both move by 1000 have swept bounds that meet, and so have most of their edges.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

__all__ = [
    "NEARLY_PARALLEL",
    "Bounds",
    "Closing",
    "Collision",
    "MovingSegment",
    "PossiblePoint",
    "are_nearly_parallel",
    "bounds_meet",
    "closing",
    "collision_of_parallel_segments",
    "collision_of_polygons",
    "collision_of_segments",
    "crossing_of_lines",
    "falls_inside",
    "lies_outside",
    "path_of_intersection",
    "possible_points",
    "swept_bounds",
    "time_on_path",
]

Number: TypeAlias = int | float | Fraction
Point: TypeAlias = tuple[Number, Number]
Outline: TypeAlias = Sequence[Point]

NEARLY_PARALLEL = 2.0**-26
"""Sine of the angle up to which lines count as parallel. The text names none. This is the square root of the rounding
unit: below it, the far intersection costs a float more accuracy than the rule for parallel lines, which ignores the
angle."""


@dataclass(frozen=True)
class Collision:
    """The first collision of two outlines.

    Attributes
    ----------
    time : number
        Time of impact, from 0 to 1, in frames.
    point : tuple of number
        The contact point at that time.
    edge_a, edge_b : int
        The edges of the first and the second outline that meet. Edge i starts at vertex i.
    """

    time: Number
    point: Point
    edge_a: int
    edge_b: int


@dataclass(frozen=True, slots=True)
class MovingSegment:
    """A line segment at the start of the frame, and its movement in the frame."""

    start: Point
    end: Point
    movement: Point = (0, 0)

    @property
    def ends(self) -> tuple[Point, Point]:
        """Both ends at the start of the frame."""
        return self.start, self.end

    def at(self, time: Number) -> tuple[Point, Point]:
        """Return both ends at a time.

        Examples
        --------
        >>> MovingSegment((0, 0), (0, 2), movement=(4, 0)).at(0.5)
        ((2.0, 0.0), (2.0, 2.0))
        """
        dx, dy = time * self.movement[0], time * self.movement[1]
        return (self.start[0] + dx, self.start[1] + dy), (self.end[0] + dx, self.end[1] + dy)


@dataclass(frozen=True, slots=True)
class Bounds:
    """An axis-aligned bounding box."""

    left: Number
    bottom: Number
    right: Number
    top: Number


def swept_bounds(points: Sequence[Point], movement: Point) -> Bounds:
    """Return the bounding box of points over "the full extents" of their motion in the frame.

    Examples
    --------
    >>> swept_bounds([(0, 0), (2, 0), (0, 1)], movement=(-5, 3))
    Bounds(left=-5, bottom=0, right=2, top=4)
    """
    dx, dy = movement
    xs = [x for x, _ in points]
    ys = [y for _, y in points]
    return Bounds(min(xs) + min(dx, 0), min(ys) + min(dy, 0), max(xs) + max(dx, 0), max(ys) + max(dy, 0))


def bounds_meet(a: Bounds, b: Bounds) -> bool:
    """Return whether two boxes share a point. Touching boxes do, so that culling removes no touch.

    Examples
    --------
    >>> bounds_meet(Bounds(0, 0, 2, 2), Bounds(2, 1, 4, 3)), bounds_meet(Bounds(0, 0, 2, 2), Bounds(3, 1, 4, 3))
    (True, False)
    """
    return a.left <= b.right and b.left <= a.right and a.bottom <= b.top and b.bottom <= a.top


def crossing_of_lines(one: tuple[Point, Point], other: tuple[Point, Point]) -> Point | None:
    """Return the point where two lines cross, each given by two points; None if they are parallel or a pair is equal.

    Examples
    --------
    >>> crossing_of_lines(((0, 0), (1, 1)), ((0, 4), (1, 3)))
    (2.0, 2.0)
    """
    (start, along), (other_start, across) = _line(one), _line(other)
    determinant = _cross(along, across)
    if determinant == 0:
        return None
    part = _cross(_minus(other_start, start), across) / determinant
    return start[0] + part * along[0], start[1] + part * along[1]


def path_of_intersection(red: MovingSegment, blue: MovingSegment) -> tuple[Point, Point] | None:
    """Return the initial and the final intersection of the lines of two segments (figures 3 and 4).

    Both segments are extended "indefinitely". As they move in straight lines at constant speed, the intersection does
    so too. The result is None if they are parallel.

    Examples
    --------
    The coordinates are new, as in all examples here. Those of the figures are lost.

    >>> red = MovingSegment((0, 0), (0, 10), movement=(8, 4))
    >>> blue = MovingSegment((8, 8), (14, 5), movement=(-8, -4))
    >>> path_of_intersection(red, blue)
    ((0.0, 12.0), (8.0, 0.0))
    """
    initial = crossing_of_lines(red.at(0), blue.at(0))
    final = crossing_of_lines(red.at(1), blue.at(1))
    return None if initial is None or final is None else (initial, final)


def time_on_path(point: Point, path: tuple[Point, Point]) -> Number:
    """Return the time of a point on a path: 0 at the initial point, 1 at the final one, negative before.

    The text divides two distances, with a square root for each. The quotient of their components along the path is the
    same, needs no root, and has a sign.

    Raises
    ------
    ZeroDivisionError
        If the path has length 0.

    Examples
    --------
    >>> time_on_path((4, 6), ((0, 12), (8, 0)))
    0.5
    """
    initial, along = _line(path)
    return _dot(_minus(point, initial), along) / _dot(along, along)


@dataclass(frozen=True, slots=True)
class PossiblePoint:
    """A crossing of an endpoint's path with the path of the intersection (figure 5).

    Attributes
    ----------
    point : tuple of number
        The crossing.
    endpoint : int
        The endpoint: 0 and 1 are the start and the end of the red segment, 2 and 3 those of the blue one.
    squared_distance : number
        Squared distance from the initial intersection.
    time : number
        In frames. Before 0 and after 1, the point is on the line of the path, but not on the path.
    """

    point: Point
    endpoint: int
    squared_distance: Number
    time: Number


def possible_points(red: MovingSegment, blue: MovingSegment) -> list[PossiblePoint]:
    """Return the possible points of collision, at most four, nearest to the initial intersection first (figure 5).

    All paths are extended to lines. An endpoint has no point if its path is parallel to that of the intersection, or
    has length 0.

    Examples
    --------
    >>> red = MovingSegment((0, 0), (0, 10), movement=(8, 4))
    >>> blue = MovingSegment((8, 8), (14, 5), movement=(-8, -4))
    >>> [(point.endpoint, point.time) for point in possible_points(red, blue)]
    [(1, 0.125), (2, 0.5), (0, 0.75), (3, 0.875)]
    """
    path = path_of_intersection(red, blue)
    if path is None:
        return []
    points = []
    for endpoint, (at_start, at_end) in enumerate(zip(red.at(0) + blue.at(0), red.at(1) + blue.at(1), strict=True)):
        point = crossing_of_lines((at_start, at_end), path)
        if point is not None:
            points.append(PossiblePoint(point, endpoint, _squared_distance(path[0], point), time_on_path(point, path)))
    return sorted(points, key=lambda point: point.squared_distance)


def lies_outside(point: Point, segment: tuple[Point, Point]) -> bool:
    """Return whether "either distance" to the ends "is greater than the length" of the segment (figure 6).

    Examples
    --------
    >>> lies_outside((5, 0), ((0, 0), (4, 0))), lies_outside((4, 0), ((0, 0), (4, 0)))
    (True, False)
    """
    squared_length = _squared_distance(*segment)
    return any(_squared_distance(point, end) > squared_length for end in segment)


def falls_inside(point: Point, segment: tuple[Point, Point]) -> bool:
    """Return whether "the distance to both" ends "is less than the length" of the segment: the rule if parallel.

    Examples
    --------
    >>> falls_inside((3, 0), ((0, 0), (4, 0))), falls_inside((4, 0), ((0, 0), (4, 0)))
    (True, False)
    """
    squared_length = _squared_distance(*segment)
    return all(_squared_distance(point, end) < squared_length for end in segment)


def are_nearly_parallel(red: MovingSegment, blue: MovingSegment, threshold: Number = NEARLY_PARALLEL) -> bool:
    """Return whether two segments are parallel, or so nearly parallel that they are treated as such.

    Parameters
    ----------
    red, blue
        The segments. A segment of length 0 is parallel to any other.
    threshold
        Sine of the largest angle; 0 only accepts segments that are parallel in the given numbers.

    Examples
    --------
    >>> red = MovingSegment((0, 0), (0, 10))
    >>> [are_nearly_parallel(red, MovingSegment((5, 0), (end, 10))) for end in (5, 5.0000001, 6)]
    [True, True, False]
    """
    (_, along_red), (_, along_blue) = _line(red.ends), _line(blue.ends)
    lengths_and_sine = _cross(along_red, along_blue)
    squared_lengths = _dot(along_red, along_red) * _dot(along_blue, along_blue)
    return lengths_and_sine * lengths_and_sine <= threshold * threshold * squared_lengths


@dataclass(frozen=True, slots=True)
class Closing:
    """Distance and closing speeds of parallel lines (figure 9), all times the length of red, so without a square root.

    Attributes
    ----------
    distance : number
        From the red line to the blue one; negative if blue is to the right of red, looking along red.
    rate_red, rate_blue : number
        The distance that each segment's movement closes in a frame.
    """

    distance: Number
    rate_red: Number
    rate_blue: Number

    @property
    def time(self) -> Number | None:
        """The time at which the lines meet, ``distance / (rate1 + rate2)``; None if their distance is constant.

        The text's quotient is then infinite or NaN, and so not a time in the frame.
        """
        rate = self.rate_red + self.rate_blue
        return None if rate == 0 else self.distance / rate


def closing(red: MovingSegment, blue: MovingSegment) -> Closing:
    """Return distance and closing speeds of two parallel segments (figures 8 and 9).

    For nearly parallel segments, the distance is that of the blue start from the red line, perpendicular to that line.

    Examples
    --------
    >>> red = MovingSegment((0, 10), (0, 0), movement=(6, 4))
    >>> blue = MovingSegment((12, 2), (12, 6), movement=(-10, -2))
    >>> speeds = closing(red, blue)
    >>> speeds
    Closing(distance=120, rate_red=60, rate_blue=100)
    >>> speeds.time
    0.75
    """
    start, along = _line(red.ends)
    return Closing(
        distance=_cross(along, _minus(blue.start, start)),
        rate_red=_cross(along, red.movement),
        rate_blue=-_cross(along, blue.movement),
    )


def collision_of_parallel_segments(red: MovingSegment, blue: MovingSegment) -> tuple[Number, Point] | None:
    """Return time and point of the collision of two parallel or nearly parallel segments, if there is one.

    At the instant at which their lines coincide, the endpoints are tested in the order of the text: red, then blue.

    Examples
    --------
    >>> red = MovingSegment((0, 10), (0, 0), movement=(6, 4))
    >>> blue = MovingSegment((12, 2), (12, 6), movement=(-10, -2))
    >>> collision_of_parallel_segments(red, blue)
    (0.75, (4.5, 3.0))
    """
    time = closing(red, blue).time
    if time is None or not 0 <= time <= 1:
        return None
    red_then, blue_then = red.at(time), blue.at(time)
    endpoints = [(end, blue_then) for end in red_then] + [(end, red_then) for end in blue_then]
    return next(((time, end) for end, other in endpoints if falls_inside(end, other)), None)


def collision_of_segments(
    red: MovingSegment, blue: MovingSegment, nearly_parallel: Number = NEARLY_PARALLEL
) -> tuple[Number, Point] | None:
    """Return time and point of the collision of two segments, if there is one (figures 3 to 9).

    Parameters
    ----------
    red, blue
        The segments.
    nearly_parallel
        Sine of the angle up to which they are treated as parallel.

    Examples
    --------
    Point 1, the upper end of red, passes in front of blue; point 2, the tip of blue, hits red:

    >>> red = MovingSegment((0, 0), (0, 10), movement=(8, 4))
    >>> blue = MovingSegment((8, 8), (14, 5), movement=(-8, -4))
    >>> collision_of_segments(red, blue)
    (0.5, (4.0, 6.0))
    """
    if are_nearly_parallel(red, blue, nearly_parallel):
        return collision_of_parallel_segments(red, blue)
    for possible in possible_points(red, blue):
        other = blue if possible.endpoint < 2 else red
        if 0 <= possible.time <= 1 and not lies_outside(possible.point, other.at(possible.time)):
            return possible.time, possible.point
    return None


def collision_of_polygons(
    a: Outline,
    movement_a: Point,
    b: Outline,
    movement_b: Point,
    nearly_parallel: Number = NEARLY_PARALLEL,
) -> Collision | None:
    """Return the earliest collision over all pairs of segments, exactly as published.

    Parameters
    ----------
    a, b
        Vertices in either direction around, convex or not.
    movement_a, movement_b
        The movement of each in the frame.
    nearly_parallel
        Sine of the angle up to which segments are treated as parallel.

    Returns
    -------
    Collision or None
        Of several at the same time, the one of the first edges.

    Examples
    --------
    >>> box = [(-6, 0), (0, 0), (0, 10), (-6, 10)]
    >>> arrowhead = [(8, 8), (14, 5), (12, 8), (14, 11)]
    >>> collision_of_polygons(box, (8, 4), arrowhead, (-8, -4))
    Collision(time=0.5, point=(4.0, 6.0), edge_a=1, edge_b=0)
    """
    if not bounds_meet(swept_bounds(a, movement_a), swept_bounds(b, movement_b)):
        return None
    reds, blues = _swept_edges(a, movement_a), _swept_edges(b, movement_b)
    earliest: Collision | None = None
    for edge_a, (red, bounds_red) in enumerate(reds):
        for edge_b, (blue, bounds_blue) in enumerate(blues):
            if not bounds_meet(bounds_red, bounds_blue):
                continue
            collision = collision_of_segments(red, blue, nearly_parallel)
            if collision is not None and (earliest is None or collision[0] < earliest.time):
                earliest = Collision(*collision, edge_a, edge_b)
    return earliest


def _swept_edges(outline: Outline, movement: Point) -> list[tuple[MovingSegment, Bounds]]:
    return [
        (MovingSegment(start, end, movement), swept_bounds((start, end), movement))
        for start, end in zip(outline, [*outline[1:], outline[0]], strict=True)
    ]


def _line(points: tuple[Point, Point]) -> tuple[Point, Point]:
    """Return a point of a line, and its direction."""
    return points[0], _minus(points[1], points[0])


def _minus(a: Point, b: Point) -> Point:
    return a[0] - b[0], a[1] - b[1]


def _dot(a: Point, b: Point) -> Number:
    return a[0] * b[0] + a[1] * b[1]


def _cross(a: Point, b: Point) -> Number:
    return a[0] * b[1] - a[1] * b[0]


def _squared_distance(a: Point, b: Point) -> Number:
    across = _minus(a, b)
    return _dot(across, across)
