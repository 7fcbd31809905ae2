"""Pymunk's shapes and bodies as solids, poses and motions of Impinge.

Queries on them are in `queries`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import lru_cache
from typing import TypeAlias

import pymunk

import impinge as im
from impinge.checks import LARGEST
from impinge.shapes.solids import Solid
from impinge_pymunk.chipmunk import Bounds, mark_of, outline_of, place_of

__all__ = [
    "Point",
    "centred_solid",
    "checked_place",
    "motion_of",
    "pose_of",
    "rectangle_of",
    "shape_of",
    "solid_of",
    "swing",
]

Point: TypeAlias = tuple[float, float]
# The radius and the points of a shape.
Outline: TypeAlias = tuple[float, ...]

# Number of shapes in the caches: all bullets of a game share one entry.
REMEMBERED = 4096
# Attribute of a shape for its mark and its solid. Pymunk copies no private attributes.
KEPT = "_impinge_solid"


def shape_of(shape: pymunk.Shape | pymunk.Body) -> Solid:
    """Return the solid of a shape in the frame of its body; for a body, the solid of all its shapes.

    Parameters
    ----------
    shape
        A `pymunk.Circle`, `Segment` or `Poly`, or a body with such shapes.

    Returns
    -------
    impinge.Solid
        A `Circle`, `Capsule` or `Polygon`. A rectangle with upright sides, centred on the body, becomes a `Box`. The
        radius of a `Poly` becomes rounding. A circle away from the body's centre becomes a `Compound`, and so do
        several shapes.

    Raises
    ------
    TypeError
        If the argument is neither a shape nor a body.
    impinge.ShapeError
        If a number is not finite, a shape has no extent, or the body has no shape; the message names the object.

    Examples
    --------
    >>> body = pymunk.Body(1, 1)
    >>> shape_of(pymunk.Circle(body, 5))
    Circle(radius=5.0)
    >>> shape_of(pymunk.Segment(body, (0, 0), (30, 0), 1))
    Capsule(a=(0.0, 0.0), b=(30.0, 0.0), radius=1.0)
    >>> shape_of(pymunk.Poly.create_box(body, (20, 10)))
    Box(width=20.0, height=10.0)
    """
    if not isinstance(shape, pymunk.Shape):
        if not isinstance(shape, pymunk.Body):
            raise TypeError(f"shape must be a pymunk.Shape or a pymunk.Body, got {shape!r}")
        if not shape.shapes:
            raise im.ShapeError(f"{shape!r} must have a shape")
        return solid_of(shape.shapes)
    mark, kept = mark_of(shape), getattr(shape, KEPT, None)
    if kept is None or kept[0] != mark:
        kept = mark, _new_solid(shape)
        setattr(shape, KEPT, kept)
    solid: Solid = kept[1]
    return solid


def _new_solid(shape: pymunk.Shape) -> Solid:
    try:
        if isinstance(shape, pymunk.Circle):
            return _circle(outline_of(shape))
        if isinstance(shape, pymunk.Segment):
            return _capsule(outline_of(shape))
        return _polygon(outline_of(shape))
    except im.ShapeError as error:
        raise im.ShapeError(f"{shape!r}: {error}") from None


def solid_of(shapes: Iterable[pymunk.Shape]) -> Solid:
    """Return the solid of shapes of one body; they are in the same order in every run."""
    solids = [shape_of(shape) for shape in shapes]
    if len(solids) == 1:
        return solids[0]
    # `Body.shapes` is a set, so its order is not the game's order.
    return im.Compound([(solid, im.Pose(0.0, 0.0)) for solid in sorted(solids, key=repr)])


def centred_solid(shape: pymunk.Shape) -> tuple[Solid, Point]:
    """Return a solid of a shape, and the place of its origin in the frame of the body.

    Circles and upright rectangles are around their centres, so equal ones have equal solids.

    Examples
    --------
    >>> body = pymunk.Body(1, 1)
    >>> centred_solid(pymunk.Poly(body, [(40, 0), (60, 0), (60, 10), (40, 10)]))
    (Box(width=20.0, height=10.0), (50.0, 5.0))
    >>> centred_solid(pymunk.Circle(body, 5, offset=(7, 0)))
    (Circle(radius=5.0), (7.0, 0.0))
    """
    bounds = rectangle_of(shape)
    if bounds is not None:
        left, bottom, right, top = bounds
        return im.Box(right - left, top - bottom), (0.5 * (left + right), 0.5 * (bottom + top))
    if isinstance(shape, pymunk.Circle):
        radius, x, y = outline_of(shape)
        return shape_of(shape) if x == y == 0.0 else im.Circle(radius), (x, y)
    return shape_of(shape), (0.0, 0.0)


def rectangle_of(shape: pymunk.Shape) -> Bounds | None:
    """Return the bounds of an upright rectangle without a radius in the frame of its body; None for another shape.

    Examples
    --------
    >>> rectangle_of(pymunk.Poly(None, [(0, 0), (2, 0), (2, 3), (0, 3)])), rectangle_of(pymunk.Circle(None, 2))
    ((0.0, 0.0, 2.0, 3.0), None)
    """
    if not isinstance(shape, pymunk.Poly):
        return None
    outline = outline_of(shape)
    if len(outline) != 9 or outline[0] != 0.0:
        return None
    # Chipmunk keeps the corners of the convex hull, in order: opposite ones are equal in no coordinate.
    _, x, y, second_x, second_y, third_x, third_y, fourth_x, fourth_y = outline
    if not (
        (second_x == x and third_y == second_y and fourth_x == third_x and fourth_y == y)
        or (second_y == y and third_x == second_x and fourth_y == third_y and fourth_x == x)
    ):
        return None
    left, right = (x, third_x) if x < third_x else (third_x, x)
    bottom, top = (y, third_y) if y < third_y else (third_y, y)
    if not 0.0 < (right - left) * (top - bottom) < math.inf:
        return None
    return left, bottom, right, top


@lru_cache(REMEMBERED)
def _circle(outline: Outline) -> Solid:
    radius, x, y = outline
    circle = im.Circle(radius)
    return circle if x == y == 0.0 else im.Compound([(circle, im.Pose(x, y))])


@lru_cache(REMEMBERED)
def _capsule(outline: Outline) -> Solid:
    radius, x, y, end_x, end_y = outline
    return im.Capsule((x, y), (end_x, end_y), radius)


@lru_cache(REMEMBERED)
def _polygon(outline: Outline) -> Solid:
    radius, *flat = outline
    vertices = list(zip(flat[::2], flat[1::2], strict=True))
    (left, bottom), (right, top) = min(vertices), max(vertices)
    is_upright = set(vertices) == {(left, bottom), (right, bottom), (right, top), (left, top)}
    if is_upright and radius == 0.0 and (left, bottom) == (-right, -top):
        return im.Box(right - left, top - bottom)
    return im.Polygon(vertices, radius)


def pose_of(body: pymunk.Body) -> im.Pose:
    """Return the position and angle of a body as a pose.

    Raises
    ------
    TypeError
        If the argument is not a body.
    impinge.ShapeError
        If its position or angle is not finite.

    Examples
    --------
    >>> body = pymunk.Body(1, 1)
    >>> body.position, body.angle = (3, 4), 0.5
    >>> pose_of(body)
    Pose(x=3.0, y=4.0, angle=0.5)
    """
    _check_body(body)
    x, y = body.position
    return _pose(body, x, y, body.angle)


def checked_place(body: pymunk.Body) -> tuple[float, float, float]:
    """Return position and angle of a body, or raise the error of `pose_of`."""
    place = x, y, angle = place_of(body)
    if not abs(x) + abs(y) + abs(angle) <= LARGEST:
        pose_of(body)
    return place


def motion_of(body: pymunk.Body, dt: float) -> im.Motion:
    """Return the motion of a body in a step by its velocities, without obstacles.

    This is the first part of `pymunk.Space.step`: gravity and impulses change the velocity afterwards. The motion is
    that of the body's position. If a body turns and its centre of gravity differs from its position, the true path is
    an arc. Both ends are then exact, and the path between them is straight.

    Parameters
    ----------
    body
        The body.
    dt
        Duration of the step, in the time unit of the velocities.

    Raises
    ------
    TypeError
        If the argument is not a body.
    impinge.ShapeError
        If a number is not finite, or the duration is below 0.

    Examples
    --------
    >>> body = pymunk.Body(1, 1)
    >>> body.velocity, body.angular_velocity = (6000, 0), 30
    >>> motion_of(body, 0.01).end
    Pose(x=60.0, y=0.0, angle=0.3)
    """
    start = pose_of(body)
    dt = _duration(dt)
    (across, up), turn = body.velocity, body.angular_velocity * dt
    swing_x, swing_y = swing(body.center_of_gravity, start.angle, start.angle + turn)
    end = start.x + across * dt + swing_x, start.y + up * dt + swing_y, start.angle + turn
    return im.Motion(start, _pose(body, *end))


def swing(center: Point, before: float, after: float) -> Point:
    """Return the displacement of a body's position when the body turns about its centre of gravity."""
    if center == (0.0, 0.0):
        return center
    (x, y), turns = center, [(math.cos(angle), math.sin(angle)) for angle in (before, after)]
    (old_x, old_y), (new_x, new_y) = ((cos * x - sin * y, sin * x + cos * y) for cos, sin in turns)
    return old_x - new_x, old_y - new_y


def _pose(body: pymunk.Body, x: float, y: float, angle: float) -> im.Pose:
    if not abs(x) + abs(y) + abs(angle) <= LARGEST:
        raise im.ShapeError(
            f"{body!r}: position, angle and velocities must be finite, and lead to coordinates of at most {LARGEST:g} "
            f"in size, got {(x, y)} and the angle {angle}"
        )
    return im.Pose(x, y, angle)


def _check_body(body: object) -> None:
    if not isinstance(body, pymunk.Body):
        raise TypeError(f"body must be a pymunk.Body, got {body!r}")


def _duration(dt: float) -> float:
    if isinstance(dt, bool) or not isinstance(dt, (int, float)) or not 0.0 <= dt < math.inf:
        raise im.ShapeError(f"dt must be a finite number, 0 or more, got {dt!r}")
    return float(dt)
