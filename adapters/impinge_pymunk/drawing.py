"""Debug drawing of sweeps, sectors and stops with the game's own `pymunk.SpaceDebugDrawOptions`, of any kind.

`pymunk.Space.debug_draw` draws the shapes and constraints of the space itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from contextlib import suppress
from itertools import pairwise

import pymunk
from pymunk import SpaceDebugDrawOptions, Vec2d
from pymunk.space_debug_draw_options import SpaceDebugColor

import impinge as im
from impinge.sector.sectors import Walls
from impinge.shapes.solids import Piece, Solid
from impinge_pymunk.continuity import Continuous
from impinge_pymunk.queries import SectorQueryInfo, SweepQueryInfo
from impinge_pymunk.shapes import pose_of, shape_of

__all__ = ["draw_sector", "draw_stops", "draw_sweep"]

WAY = SpaceDebugColor(255, 0, 200, 255)
GHOST, GHOSTLY = SpaceDebugColor(255, 0, 200, 255), SpaceDebugColor(255, 190, 240, 90)
STRUCK, STRIKING = SpaceDebugColor(255, 60, 0, 255), SpaceDebugColor(255, 190, 160, 130)
SEEN, LIGHT = SpaceDebugColor(150, 60, 220, 255), SpaceDebugColor(205, 175, 240, 110)

ARROW = 20.0  # length of a drawn normal, in units of the space
DOT = 5.0  # pixels, as for `SpaceDebugDrawOptions.draw_dot`
NOTHING = 1e-9  # fraction of a squared radius: a smaller cross product means an edge that points at the apex
BEND = 0.25  # radians that a body turns between two drawn points of a way


def draw_sweep(
    options: SpaceDebugDrawOptions,
    shape: pymunk.Shape | pymunk.Body | Solid,
    motion: im.Motion,
    hits: Iterable[SweepQueryInfo] = (),
) -> None:
    """Draw the way of a shape, the shape at its start and end, and its hits.

    Parameters
    ----------
    options
        The drawing options of the game, such as `pymunk.pygame_util.DrawOptions`.
    shape, motion
        The arguments of `sweep_query`.
    hits
        The result of `sweep_query`; for each hit, the shape is drawn at the hit, with the normal.

    Raises
    ------
    TypeError, impinge.ShapeError
        If an argument has a wrong type, or a shape has no solid.

    Examples
    --------
    >>> def on_draw(space, options, crate, motion):
    ...     space.debug_draw(options)
    ...     draw_sweep(options, crate, motion, sweep_query(space, crate, motion))
    """
    _check_options(options)
    solid = shape if isinstance(shape, Solid) else shape_of(shape)
    if not isinstance(motion, im.Motion):
        raise TypeError(f"motion must be an impinge.Motion, got {motion!r}")
    turns = abs(motion.end.angle - motion.start.angle)
    bends = motion.acceleration != (0.0, 0.0)
    points = 1 + max(math.ceil(turns / BEND), 16 if bends else 1)
    places = [motion.at(number / (points - 1)) for number in range(points)]
    for begin, end in pairwise(places):
        options.draw_segment(Vec2d(begin.x, begin.y), Vec2d(end.x, end.y), WAY)
    for pose in (motion.start, motion.end):
        _draw_solid(options, solid, pose, GHOST, GHOSTLY)
    for hit in hits:
        _draw_solid(options, solid, motion.at(hit.alpha), STRUCK, STRIKING)
        options.draw_segment(hit.point, hit.point + ARROW * hit.normal, STRUCK)
        options.draw_dot(DOT, hit.point, STRUCK)


def draw_sector(
    options: SpaceDebugDrawOptions,
    sector: im.Sector,
    pose: im.Pose | pymunk.Body,
    hits: Iterable[SectorQueryInfo] = (),
    *,
    occluders: Iterable[pymunk.Shape] = (),
) -> None:
    """Draw the visible part of a sector, and its hits.

    Parameters
    ----------
    options
        The drawing options of the game.
    sector, pose
        The arguments of `sector_query`.
    hits
        The result of `sector_query`.
    occluders
        The shapes that block the view.

    Raises
    ------
    TypeError, impinge.ShapeError
        If an argument has a wrong type, or a shape has no solid.

    Examples
    --------
    >>> def on_draw(space, options, guard, eye, walls):
    ...     space.debug_draw(options)
    ...     draw_sector(options, eye, guard, sector_query(space, eye, guard, occluders=walls), occluders=walls)
    """
    _check_options(options)
    if not isinstance(sector, im.Sector):
        raise TypeError(f"sector must be an impinge.Sector, got {sector!r}")
    place = pose_of(pose) if isinstance(pose, pymunk.Body) else pose
    walls: Walls = [
        (shape_of(wall), pose_of(wall.body))
        for wall in occluders
        if not wall.sensor and wall.body is not None and wall.body is not pose
    ]
    outline = im.visible_outline(sector, place, walls)
    points = [Vec2d(x, y) for x, y in outline.tolist()]
    apex = Vec2d(place.x, place.y)
    for begin, end in zip(points, [*points[1:], *points[:1]], strict=True):
        options.draw_segment(begin, end, SEEN)
        # `draw_polygon` needs convex polygons. Edges back along the inner radius or towards the apex enclose no area.
        if (begin - apex).cross(end - apex) > NOTHING * sector.radius**2:
            near = [apex + sector.inner_radius * (point - apex).normalized() for point in (end, begin)]
            options.draw_polygon([begin, end, *near[: 2 if sector.inner_radius else 1]], 0.0, LIGHT, LIGHT)
    for hit in hits:
        options.draw_segment(Vec2d(place.x, place.y), hit.point, STRUCK)
        options.draw_dot(DOT, hit.point, STRUCK)


def draw_stops(options: SpaceDebugDrawOptions, steps: Continuous) -> None:
    """Draw the stops of the last step, and the bodies that are behind.

    At the contact point of each stop, a normal points out of the shape that was hit. A body that is behind has the
    color of a sweep, and a line along the way that it is behind, at its present velocity.

    Parameters
    ----------
    options
        The drawing options of the game.
    steps
        The continuous steps of the space.

    Raises
    ------
    TypeError
        If an argument has a wrong type.

    Examples
    --------
    >>> def on_draw(space, options, steps):
    ...     space.debug_draw(options)
    ...     draw_stops(options, steps)
    """
    _check_options(options)
    if not isinstance(steps, Continuous):
        raise TypeError(f"steps must be an impinge_pymunk.Continuous, got {steps!r}")
    for body, time in steps.behind.items():
        for shape in body.shapes:
            # A circle of radius 0 is swept, but it has no outline.
            with suppress(im.ShapeError):
                if shape.space is steps.space:
                    _draw_solid(options, shape_of(shape), pose_of(body), GHOST, GHOSTLY)
        center = body.local_to_world(body.center_of_gravity)
        options.draw_segment(center, center + time * body.velocity, WAY)
    for stop in steps.stops:
        options.draw_segment(stop.point, stop.point - ARROW * stop.normal, STRUCK)
        options.draw_dot(DOT, stop.point, STRUCK)


def _draw_solid(
    options: SpaceDebugDrawOptions, solid: Solid, pose: im.Pose, outline: SpaceDebugColor, fill: SpaceDebugColor
) -> None:
    """Draw the pieces of a solid at a pose."""
    for piece in solid.pieces:
        _draw_piece(options, piece, pose, outline, fill)


def _draw_piece(
    options: SpaceDebugDrawOptions, piece: Piece, pose: im.Pose, outline: SpaceDebugColor, fill: SpaceDebugColor
) -> None:
    place = Vec2d(pose.x, pose.y)
    points = [place + Vec2d(*point).rotated(pose.angle) for point in piece.points]
    if len(points) == 1:
        options.draw_circle(points[0], pose.angle, piece.radius, outline, fill)
    elif len(points) == 2:
        options.draw_fat_segment(points[0], points[1], piece.radius, outline, fill)
    else:
        options.draw_polygon(points, piece.radius, outline, fill)


def _check_options(options: object) -> None:
    if not isinstance(options, SpaceDebugDrawOptions):
        raise TypeError(f"options must be pymunk.SpaceDebugDrawOptions, got {options!r}")
