"""Draws what a push engine sees and did in its last update. For looking at, not for a game's own picture."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, TypeAlias

import arcade
from arcade.types import Color

from impinge import Body, Box, Pose, Side

if TYPE_CHECKING:
    from impinge_arcade.engine import PushEngine

__all__ = ["draw_debug"]

Point: TypeAlias = tuple[float, float]

WEAK: Final = Color(0, 90, 255)
MIGHTY: Final = Color(40, 40, 60)
SWEEP: Final = Color(255, 0, 200)
NORMAL: Final = Color(255, 60, 0)
TOUCHED: Final = Color(255, 170, 0)
BLOCKED: Final = Color(0, 160, 60)
STUCK: Final = Color(230, 0, 0)

EDGE_WIDTH: Final = 4  # pixels; the outlines are 1 wide, and edges must stand out from them
ARROW: Final = 24  # pixels from the touched side to the arrow's tip
BARB: Final = 6  # pixels
LIFT: Final = 1e-3  # squared way, in pixels, below which a box counts as standing

NORMALS: Final[dict[Side, Point]] = {
    Side.LEFT: (1.0, 0.0),
    Side.RIGHT: (-1.0, 0.0),
    Side.BOTTOM: (0.0, 1.0),
    Side.TOP: (0.0, -1.0),
}


def draw_debug(engine: PushEngine) -> None:
    """Draw the boxes, sweeps, contacts and sides of an engine's last update, in the current camera.

    Boxes are outlined, dark for those that push and blue for those that are pushed. A box that moved has its
    sweep around it, and its centre's way in it. Arrows are the normals of contacts. Thick edges are sides of
    the pushed: orange touched, green still blocked, red stuck.

    Parameters
    ----------
    engine
        The engine to show. It need not have been updated yet.
    """
    lines: dict[tuple[Color, int], list[Point]] = {}

    def draw(color: Color, points: Iterator[Point], width: int = 1) -> None:
        lines.setdefault((color, width), []).extend(points)

    bodies = {sprite: engine.body(sprite) for sprite in engine.sprites()}
    for body in bodies.values():
        box = _box(body)
        draw(MIGHTY if body.might else WEAK, _outline(box, body.pose))
        if _moved(body):
            draw(SWEEP, _sweep(box, body.previous, body.pose))
        for color, sides in ((TOUCHED, body.sides), (BLOCKED, body.blocked), (STUCK, body.stuck)):
            draw(color, _edges(box, body.pose, sides), EDGE_WIDTH)
    for event in engine.events:
        if event.weak in bodies:  # the game may have taken it out since
            body = bodies[event.weak]
            draw(NORMAL, _arrows(_box(body), body.pose, event.side), 2)

    for (color, width), points in lines.items():
        if points:
            arcade.draw_lines(points, color, width)


def _box(body: Body) -> Box:
    """Return the shape of a sprite's body, which is a box."""
    assert isinstance(body.shape, Box)
    return body.shape


def _moved(body: Body) -> bool:
    across, up = body.pose.x - body.previous.x, body.pose.y - body.previous.y
    return across * across + up * up > LIFT


def _corners(shape: Box, pose: Pose) -> tuple[Point, Point, Point, Point]:
    """Give left bottom, right bottom, right top, left top."""
    left, right = pose.x - shape.width / 2, pose.x + shape.width / 2
    bottom, top = pose.y - shape.height / 2, pose.y + shape.height / 2
    return (left, bottom), (right, bottom), (right, top), (left, top)


def _outline(shape: Box, pose: Pose) -> Iterator[Point]:
    corners = _corners(shape, pose)
    for start, end in zip(corners, (*corners[1:], corners[0]), strict=True):
        yield start
        yield end


def _sweep(shape: Box, start: Pose, end: Pose) -> Iterator[Point]:
    """Give the way of the centre, the box at its start, and the two corners' ways that bound the sweep."""
    yield start.x, start.y
    yield end.x, end.y
    yield from _outline(shape, start)
    rising = (end.x - start.x) * (end.y - start.y) > 0
    # A box that rises to the right is bounded by the ways of its left top and right bottom corners.
    bounding = (1, 3) if rising else (0, 2)
    before, after = _corners(shape, start), _corners(shape, end)
    for corner in bounding:
        yield before[corner]
        yield after[corner]


def _edges(shape: Box, pose: Pose, sides: Side) -> Iterator[Point]:
    left_bottom, right_bottom, right_top, left_top = _corners(shape, pose)
    if Side.LEFT in sides:
        yield from (left_bottom, left_top)
    if Side.RIGHT in sides:
        yield from (right_bottom, right_top)
    if Side.BOTTOM in sides:
        yield from (left_bottom, right_bottom)
    if Side.TOP in sides:
        yield from (left_top, right_top)


def _arrows(shape: Box, pose: Pose, sides: Side) -> Iterator[Point]:
    """Give for each side an arrow from its middle into the box: the way the push goes."""
    for side in sides:
        across, up = NORMALS[side]
        x, y = pose.x - across * shape.width / 2, pose.y - up * shape.height / 2
        tip = x + across * ARROW, y + up * ARROW
        yield x, y
        yield tip
        for turn in (-1.0, 1.0):
            yield tip
            yield tip[0] - BARB * (across + turn * up), tip[1] - BARB * (up + turn * across)
