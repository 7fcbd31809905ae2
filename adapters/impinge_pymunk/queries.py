"""Queries that Pymunk lacks: shape casts, sectors, and times of impact.

Candidates come from the space's own index. So, as for Pymunk's queries, a game must reindex shapes that it moves.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

import pymunk

import impinge as im
from impinge.shapes.solids import Solid
from impinge_pymunk.shapes import motion_of, pose_of, shape_of

__all__ = ["SectorQueryInfo", "SweepQueryInfo", "sector_query", "sweep_query", "time_of_impact"]

EVERYTHING = pymunk.ShapeFilter()
# Factor on circles around shapes, and radians added to sectors: more than the rounding error.
ROUND, ROUNDING = 1.0 + 1e-9, 1e-9

Bounds: TypeAlias = tuple[float, float, float, float]
Blocking: TypeAlias = pymunk.ShapeFilter | Iterable[pymunk.Shape]


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
    shape_filter: pymunk.ShapeFilter = EVERYTHING,
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
        As for Pymunk's own queries.

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
    solid = _solid(shape)
    _check("motion", motion, im.Motion)
    own, extent = _body_of(shape), _extent(solid)
    near = [
        other
        for other in _near(space, _bounds_of_way(solid, motion), shape_filter)
        if other is not shape and (own is None or other.body is not own) and not _is_beside(other, motion, extent)
    ]
    hits = im.sweep(solid, motion, [(shape_of(other), pose_of(_owner(other))) for other in near])
    return [_told(near[hit.target], hit.impact) for hit in hits]


def _told(shape: pymunk.Shape, impact: im.Impact) -> SweepQueryInfo:
    x, y = impact.normal
    # The normal points out of the hit shape; a unary minus could give -0.0.
    return SweepQueryInfo(shape, pymunk.Vec2d(*impact.point), pymunk.Vec2d(0.0 - x, 0.0 - y), impact.time, impact)


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
    reach = sector.radius
    bounds = _around(place, reach)
    walls = im.Occluders(
        (shape_of(wall), pose_of(_owner(wall)))
        for wall in _blocking(space, bounds, occluders)
        if not wall.sensor and (own is None or wall.body is not own)
    )
    found = []
    for shape in _near(space, bounds, shape_filter):
        if (own is not None and shape.body is own) or _is_aside(shape, sector, place):
            continue
        hit = im.sector_hit(sector, place, shape_of(shape), pose_of(_owner(shape)), walls)
        if hit is not None:
            found.append(SectorQueryInfo(shape, pymunk.Vec2d(*hit.point), hit.distance, hit.bearing))
    return sorted(found, key=lambda info: info.distance)


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


def _bounds_of_way(solid: Solid, motion: im.Motion) -> Bounds:
    """Return the bounds of a solid's motion, possibly slightly larger."""
    start, end = motion.start, motion.end
    (left, bottom, right, top), (x0, y0, x1, y1) = solid.bounds(start), solid.bounds(end)
    if start.angle != end.angle:
        reach = _extent(solid)
        (left, bottom, right, top), (x0, y0, x1, y1) = _around(start, reach), _around(end, reach)
    # Under acceleration, the path deviates from the straight line by an eighth of the acceleration at most.
    across, up = (abs(part) / 8 for part in motion.acceleration)
    return min(left, x0) - across, min(bottom, y0) - up, max(right, x1) + across, max(top, y1) + up


def _around(pose: im.Pose, reach: float) -> Bounds:
    return pose.x - reach, pose.y - reach, pose.x + reach, pose.y + reach


def _extent(solid: Solid) -> float:
    """Return an upper bound of the distance of a solid's points from its origin."""
    left, bottom, right, top = solid.bounds(im.Pose(0.0, 0.0))
    return math.hypot(max(-left, right), max(-bottom, top))


def _circle(shape: pymunk.Shape) -> tuple[float, float, float]:
    """Return a circle around a shape at its last indexed position: x, y and radius."""
    left, bottom, right, top = shape.bb
    # The factor keeps points on the border inside, despite rounding.
    return 0.5 * (left + right), 0.5 * (bottom + top), 0.5 * ROUND * math.hypot(right - left, top - bottom)


def _is_beside(shape: pymunk.Shape, motion: im.Motion, extent: float) -> bool:
    """Return whether a shape is too far beside a straight way to be hit, as most candidates are."""
    if motion.acceleration != (0.0, 0.0):
        return False
    x, y, radius = _circle(shape)
    start, end = motion.start, motion.end
    across, up = end.x - start.x, end.y - start.y
    far = (radius + extent) * math.hypot(across, up)
    return abs((x - start.x) * up - (y - start.y) * across) > far


def _is_aside(shape: pymunk.Shape, sector: im.Sector, place: im.Pose) -> bool:
    """Return whether a shape is too far from the apex or the direction of a sector to be in it."""
    x, y, radius = _circle(shape)
    dx, dy = x - place.x, y - place.y
    distance = math.hypot(dx, dy)
    if distance <= radius:
        return False
    bearing = math.remainder(math.atan2(dy, dx) - place.angle, math.tau)
    return (
        distance - radius > sector.radius or abs(bearing) - math.asin(radius / distance) > sector.half_angle + ROUNDING
    )


def _near(space: pymunk.Space, bounds: Bounds, shape_filter: pymunk.ShapeFilter) -> list[pymunk.Shape]:
    _check("space", space, pymunk.Space)
    _check("shape_filter", shape_filter, pymunk.ShapeFilter)
    return space.bb_query(pymunk.BB(*bounds), shape_filter)


def _blocking(space: pymunk.Space, bounds: Bounds, occluders: Blocking) -> Iterable[pymunk.Shape]:
    if isinstance(occluders, pymunk.ShapeFilter):
        return _near(space, bounds, occluders)
    if not isinstance(occluders, Iterable):
        raise TypeError(f"occluders must be shapes or a pymunk.ShapeFilter, got {occluders!r}")
    walls = list(occluders)
    for wall in walls:
        _check("occluders", wall, pymunk.Shape)
    return walls


def _solid(shape: object) -> Solid:
    return shape if isinstance(shape, Solid) else shape_of(shape)  # type: ignore[arg-type]


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
