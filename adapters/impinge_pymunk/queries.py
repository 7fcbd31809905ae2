"""Queries that Pymunk lacks: shape casts, sectors, and times of impact.

Candidates come from the space's own index. So, as for Pymunk's queries, a game must reindex shapes that it moves.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter
from typing import Any, NamedTuple, TypeAlias

import pymunk

import impinge as im
from impinge.query.unchecked import Course, course_of, impact_of, impact_pair, reach_of
from impinge.sector.sectors import facing, unchecked_hit, visible_cells
from impinge.shapes.solids import Solid, Vector
from impinge_pymunk.chipmunk import Filter, filter_of, shapes_near
from impinge_pymunk.shapes import checked_place, motion_of, pose_of, shape_of, solid_of

__all__ = [
    "SectorQueryInfo",
    "SweepQueryInfo",
    "sector_query",
    "sweep_query",
    "sweep_query_first",
    "time_of_impact",
]

EVERYTHING = pymunk.ShapeFilter()
# Distance at which shapes count as beside a way or a sector, as a fraction of all lengths: more than slop and rounding.
ROUNDING = 1e-8
# Length of the first stretch of a way in which the first hit is looked for, as a multiple of the solid's size.
FIRST_STRETCH = 3.0
# The least length of the first stretch, as a fraction of the way: a tiny solid needs no more than eight of them.
LEAST_STRETCH = 1e-3
# Up to this length, as such a multiple, a way has few shapes in its bounds that are not in its strip.
SHORT = 4.0

# The corners of a box, by the signs of a direction along which they are the lowest.
CORNERS: dict[tuple[bool, bool], Callable[[Any], Vector]] = {
    (False, False): attrgetter("l", "b"),
    (False, True): attrgetter("l", "t"),
    (True, False): attrgetter("r", "b"),
    (True, True): attrgetter("r", "t"),
}

Bounds: TypeAlias = tuple[float, float, float, float]
Blocking: TypeAlias = pymunk.ShapeFilter | Iterable[pymunk.Shape]
# Unit normal of a straight border, and the coordinate of its outside along the normal.
Border: TypeAlias = tuple[float, float, float]
# A hit: the answer of the kernels, first its time; the solid that is cast; and the shape, with its solid.
_Hit: TypeAlias = tuple[Course, Solid, pymunk.Shape, Solid]


class SweepQueryInfo(NamedTuple):
    """A hit of a sweep, in the style of `pymunk.SegmentQueryInfo`.

    Attributes
    ----------
    shape
        The shape that is hit.
    point
        The first contact point; for contact along an edge, its middle.
    normal
        Unit vector out of the hit surface at the point.
    alpha
        Fraction of the way until the hit, from 0 to 1.
    impact
        The full result, from the swept shape (a) to the hit shape (b): the vertex or edge of each, and whether they
        overlap from the start.
    """

    shape: pymunk.Shape
    point: pymunk.Vec2d
    normal: pymunk.Vec2d
    alpha: float
    impact: im.Impact


class SectorQueryInfo(NamedTuple):
    """A hit of a sector, in the style of `pymunk.PointQueryInfo`.

    Attributes
    ----------
    shape
        The shape that is hit.
    point
        Its nearest point in the sector; with occluders, its nearest visible point.
    distance
        Distance from the apex to the point.
    bearing
        Angle from the sector's direction to the point, in radians, counter-clockwise.
    """

    shape: pymunk.Shape
    point: pymunk.Vec2d
    distance: float
    bearing: float


def sweep_query(
    space: pymunk.Space,
    shape: pymunk.Shape | pymunk.Body | Solid,
    motion: im.Motion,
    shape_filter: pymunk.ShapeFilter | None = None,
) -> list[SweepQueryInfo]:
    """Cast a shape: find all shapes of a space that it hits on its way, without stopping at any.

    Parameters
    ----------
    space
        The space. Its bodies count as still.
    shape
        A shape or body of Pymunk, in the space or not, or any solid of Impinge. It is swept in the frame of its body.
        It does not hit itself nor the other shapes of its body.
    motion
        Start and end of the body, with or without turning; `motion_of` returns the motion by its velocities.
    shape_filter
        As for Pymunk's own queries. None for the filter of the shape, as in `pymunk.Space.shape_query`; for a body, the
        filter of each of its shapes.

    Returns
    -------
    list of SweepQueryInfo
        The hits, the earliest first. Grazing or sliding along a shape is not a hit. Sensors are included, as in
        `pymunk.Space.segment_query`.

    Raises
    ------
    TypeError, impinge.ShapeError
        If an argument has a wrong type, or a shape has no solid.

    Notes
    -----
    It uses the method of `impinge.time_of_impact`.

    Examples
    --------
    >>> space = pymunk.Space()
    >>> wall = pymunk.Segment(space.static_body, (100, -50), (100, 50), 0)
    >>> space.add(wall)
    >>> way = im.Motion(im.Pose(0, 0), im.Pose(1000, 0))
    >>> [(hit.alpha, hit.point, hit.normal) for hit in sweep_query(space, im.Circle(10), way)]
    [(0.09, Vec2d(100.0, 0.0), Vec2d(-1.0, 0.0))]
    """
    casts, own, course = _casts(space, shape, motion, shape_filter), _body_of(shape), course_of(motion)
    found = [
        _info(hit)
        for solid, its_filter in casts
        for other in _near_way(space, course, reach_of(solid), its_filter)
        if other is not shape and (hit := _sweep(solid, course, other, own)) is not None
    ]
    found.sort(key=attrgetter("alpha"))
    if len(casts) == 1:
        return found
    # Several shapes of the body may hit the same shape: the first hit counts.
    firsts: dict[pymunk.Shape, SweepQueryInfo] = {}
    for info in found:
        firsts.setdefault(info.shape, info)
    return list(firsts.values())


def sweep_query_first(
    space: pymunk.Space,
    shape: pymunk.Shape | pymunk.Body | Solid,
    motion: im.Motion,
    shape_filter: pymunk.ShapeFilter | None = None,
) -> SweepQueryInfo | None:
    """Cast a shape: find the first shape of a space that it hits on its way.

    Parameters
    ----------
    space, shape, motion, shape_filter
        As for `sweep_query`, with the same errors.

    Returns
    -------
    SweepQueryInfo or None
        The first result of `sweep_query`; None without a hit.

    Notes
    -----
    It looks along the way only as far as the first hit, in stretches, each three times as long as the one before.

    Examples
    --------
    >>> space = pymunk.Space()
    >>> space.add(*(pymunk.Circle(space.static_body, 5, (x, 0)) for x in (300, 200, 100)))
    >>> hit = sweep_query_first(space, im.Circle(5), im.Motion(im.Pose(0, 0), im.Pose(1000, 0)))
    >>> hit and (hit.alpha, hit.point)
    (0.09, Vec2d(95.0, 0.0))
    """
    casts, own, course = _casts(space, shape, motion, shape_filter), _body_of(shape), course_of(motion)
    first, info = math.inf, None
    for solid, its_filter in casts:
        seen, reach = set[pymunk.Shape](), reach_of(solid)
        for end, stretch in _stretches(course, reach):
            for other in _near_way(space, stretch, reach, its_filter):
                if other is not shape and other not in seen:
                    seen.add(other)
                    hit = _sweep(solid, course, other, own)
                    if hit is not None and hit[0][0] < first:
                        first, info = hit[0][0], hit
            if first < end:
                break
    return None if info is None else _info(info)


def _sweep(solid: Solid, course: Course, shape: pymunk.Shape, own: pymunk.Body | None) -> _Hit | None:
    """Return the hit of a solid and a shape; None without one, and for a shape of the own body."""
    body = shape.body or _owner(shape)
    if body is own:
        return None
    place, other = checked_place(body), shape_of(shape)
    answer = impact_pair(solid.row, course, other.row, (*place, *place, 0.0, 0.0))
    return None if math.isnan(answer[0]) else (answer, solid, shape, other)


def _info(hit: _Hit) -> SweepQueryInfo:
    answer, solid, shape, other = hit
    impact = impact_of(solid, other, answer)
    assert impact is not None
    # The normal points out of the hit shape; a unary minus could give -0.0.
    normal = pymunk.Vec2d(0.0 - impact.normal[0], 0.0 - impact.normal[1])
    return SweepQueryInfo(shape, pymunk.Vec2d(*impact.point), normal, impact.time, impact)


def _casts(
    space: pymunk.Space,
    shape: pymunk.Shape | pymunk.Body | Solid,
    motion: im.Motion,
    shape_filter: pymunk.ShapeFilter | None,
) -> list[tuple[Solid, Filter]]:
    """Return the solids to cast, each with its filter; raise the errors of `sweep_query`."""
    _check("space", space, pymunk.Space)
    _check("motion", motion, im.Motion)
    if shape_filter is not None:
        _check("shape_filter", shape_filter, pymunk.ShapeFilter)
        return [(shape if isinstance(shape, Solid) else shape_of(shape), shape_filter)]
    if isinstance(shape, pymunk.Shape):
        return [(shape_of(shape), filter_of(shape))]
    if isinstance(shape, Solid):
        return [(shape, EVERYTHING)]
    groups: dict[pymunk.ShapeFilter, list[pymunk.Shape]] = {}
    for part in shape.shapes if isinstance(shape, pymunk.Body) else ():
        groups.setdefault(part.filter, []).append(part)
    # A body without shapes raises the error of `shape_of`.
    return [(solid_of(groups[key]), key) for key in sorted(groups)] or [(shape_of(shape), EVERYTHING)]


def sector_query(
    space: pymunk.Space,
    sector: im.Sector,
    pose: im.Pose | pymunk.Body,
    shape_filter: pymunk.ShapeFilter = EVERYTHING,
    *,
    occluders: Blocking = (),
) -> list[SectorQueryInfo]:
    """Find all shapes of a space in a sector: for a sword stroke, a blast, or the view of a guard.

    Parameters
    ----------
    space
        The space.
    sector
        The sector.
    pose
        Position of the apex and direction of the sector, in radians, counter-clockwise. A body stands for its position
        and angle, and its own shapes are neither found nor occlude.
    shape_filter
        As for Pymunk's own queries.
    occluders
        Shapes that block the view, or a filter that finds them in the space. No shape hides itself.

    Returns
    -------
    list of SectorQueryInfo
        The nearest first. Touching the sector counts. Sensors are included, and never block the view.

    Raises
    ------
    TypeError, impinge.ShapeError
        If an argument has a wrong type, or a shape has no solid.

    Notes
    -----
    It uses the method of `impinge.sector_hit`.

    Examples
    --------
    >>> import math
    >>> space = pymunk.Space()
    >>> for x in (40, 80, -40):
    ...     body = pymunk.Body(1, 1)
    ...     body.position = x, 0
    ...     space.add(body, pymunk.Circle(body, 10))
    >>> sword = im.Sector(100, half_angle=math.radians(45))
    >>> [hit.distance for hit in sector_query(space, sword, im.Pose(0, 0))]
    [30.0, 70.0]
    """
    _check("sector", sector, im.Sector)
    own = pose if isinstance(pose, pymunk.Body) else None
    place = pose_of(pose) if isinstance(pose, pymunk.Body) else pose
    _check("pose", place, im.Pose)
    _check("space", space, pymunk.Space)
    _check("shape_filter", shape_filter, pymunk.ShapeFilter)
    bounds, borders = _bounds_of_sector(sector, place), _beside_sector(sector, place)
    walls = [
        (shape_of(wall), pose_of(_owner(wall)))
        for wall in _blocking(space, bounds, occluders)
        if not wall.sensor and (own is None or wall.body is not own)
    ]
    cells = visible_cells(sector, place, im.Occluders(walls) if walls else ())
    found = []
    for shape in shapes_near(space, bounds, shape_filter, _within(borders)):
        body = shape.body or _owner(shape)
        hit = None if body is own else unchecked_hit(cells, sector, place, shape_of(shape), checked_place(body))
        if hit is not None:
            found.append(SectorQueryInfo(shape, pymunk.Vec2d(*hit.point), hit.distance, hit.bearing))
    found.sort(key=attrgetter("distance"))
    return found


def time_of_impact(
    shape_a: pymunk.Shape | pymunk.Body, shape_b: pymunk.Shape | pymunk.Body, dt: float
) -> im.Impact | None:
    """Return when and how two shapes hit each other within a step, if nothing stops them before.

    Parameters
    ----------
    shape_a, shape_b
        Shapes or bodies, in a space or not.
    dt
        Duration of the step.

    Returns
    -------
    impinge.Impact or None
        Its `time` is a fraction of the step, from 0 to 1; None if they do not hit.

    Raises
    ------
    TypeError, impinge.ShapeError
        If an argument has a wrong type, a shape has no body or no solid, or a number is not finite.

    Examples
    --------
    >>> bullet, target = pymunk.Body(1, 1), pymunk.Body(1, 1)
    >>> target.position, bullet.velocity = (50, 0), (6000, 0)
    >>> impact = time_of_impact(pymunk.Circle(bullet, 2), pymunk.Circle(target, 8), 1 / 60)
    >>> round(impact.time, 9)
    0.4
    """
    motions = [motion_of(_owner(shape), dt) for shape in (shape_a, shape_b)]
    return im.time_of_impact(shape_of(shape_a), motions[0], shape_of(shape_b), motions[1])


def _bounds_of_sector(sector: im.Sector, place: im.Pose) -> Bounds:
    left, bottom, right, top = sector.bounds(place)
    margin = _margin(place, sector.radius)
    return left - margin, bottom - margin, right + margin, top + margin


def _stretches(course: Course, reach: float) -> Iterator[tuple[float, Course]]:
    """Yield a motion in stretches, each with its end from 0 to 1: each three times as long as the one before."""
    x, y, angle, end_x, end_y, _, pull_x, pull_y = course
    across, up = end_x - x, end_y - y
    length, begin = math.hypot(across, up), 0.0
    part = 1.0 if length <= FIRST_STRETCH * reach else max(FIRST_STRETCH * reach / length, LEAST_STRETCH)
    here = x, y
    while begin < 1.0:
        end = min(begin + part, 1.0)
        bend = 0.5 * end * (1.0 - end)
        there = x + across * end - bend * pull_x, y + up * end - bend * pull_y
        squared = (end - begin) * (end - begin)
        yield end, (*here, angle, *there, angle, squared * pull_x, squared * pull_y)
        begin, here, part = end, there, 3.0 * part


def _near_way(space: pymunk.Space, course: Course, reach: float, shape_filter: Filter) -> list[pymunk.Shape]:
    """Return the shapes that a solid may hit, up to a distance from its origin, by their bounds."""
    x, y, _, end_x, end_y, _, pull_x, pull_y = course
    # Under acceleration, the path deviates from the straight line by an eighth of the acceleration at most.
    wide, high = reach + abs(pull_x) / 8, reach + abs(pull_y) / 8
    left, right = (x, end_x) if x < end_x else (end_x, x)
    bottom, top = (y, end_y) if y < end_y else (end_y, y)
    bounds = left - wide, bottom - high, right + wide, top + high
    across, up = end_x - x, end_y - y
    length = math.hypot(across, up)
    if pull_x != 0.0 or pull_y != 0.0 or length <= SHORT * reach:
        return shapes_near(space, bounds, shape_filter)
    # The way is in a strip.
    nx, ny = -up / length, across / length
    middle, half = nx * x + ny * y, reach + ROUNDING * (abs(x) + abs(y) + reach + length)
    borders = (nx, ny, half + middle), (-nx, -ny, half - middle)
    return shapes_near(space, bounds, shape_filter, _within(borders))


def _beside_sector(sector: im.Sector, place: im.Pose) -> tuple[Border, ...]:
    """Return the borders of a sector, if it is convex, without its arc."""
    if sector.half_angle > 0.5 * math.pi:
        return ()
    (x, y), (right_x, right_y) = facing(place.angle + sector.half_angle), facing(place.angle - sector.half_angle)
    margin = _margin(place, sector.radius)
    return (
        (-y, x, x * place.y - y * place.x + margin),
        (right_y, -right_x, right_y * place.x - right_x * place.y + margin),
    )


def _margin(place: im.Pose, size: float) -> float:
    return ROUNDING * (abs(place.x) + abs(place.y) + size)


def _within(borders: tuple[Border, ...]) -> Callable[[Any], bool] | None:
    """Return a function that returns whether a box is not outside of a border; None without borders."""
    if not borders:
        return None
    (x, y, most), (other_x, other_y, other_most) = borders
    corner, other_corner = _inmost_corner(x, y), _inmost_corner(other_x, other_y)

    def is_within(box: Any) -> bool:
        left, bottom = corner(box)
        if x * left + y * bottom <= most:
            left, bottom = other_corner(box)
            return other_x * left + other_y * bottom <= other_most
        return False

    return is_within


def _inmost_corner(x: float, y: float) -> Callable[[Any], Vector]:
    """Return a function that returns the corner of a box that is the lowest along a direction."""
    return CORNERS[x < 0.0, y < 0.0]


def _blocking(space: pymunk.Space, bounds: Bounds, occluders: Blocking) -> Iterable[pymunk.Shape]:
    if isinstance(occluders, pymunk.ShapeFilter):
        return shapes_near(space, bounds, occluders)
    if not isinstance(occluders, Iterable):
        raise TypeError(f"occluders must be shapes or a pymunk.ShapeFilter, got {occluders!r}")
    walls = list(occluders)
    for wall in walls:
        _check("occluders", wall, pymunk.Shape)
    return walls


def _body_of(shape: object) -> pymunk.Body | None:
    if isinstance(shape, pymunk.Body):
        return shape
    return shape.body if isinstance(shape, pymunk.Shape) else None


def _owner(shape: pymunk.Shape | pymunk.Body) -> pymunk.Body:
    body = _body_of(shape)
    if body is None:
        raise im.ShapeError(f"{shape!r} must have a body")
    return body


def _check(name: str, value: object, kind: type) -> None:
    if not isinstance(value, kind):
        library = kind.__module__.partition(".")[0]
        article = "an" if library == "impinge" else "a"
        raise TypeError(f"{name} must be {article} {library}.{kind.__name__}, got {value!r}")
