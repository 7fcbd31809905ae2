"""Debug drawing of an engine's bodies and of its last update. It is not meant for a game's own graphics.

Lines of one colour are drawn in one call, and bodies of one shape are placed together, so a thousand bodies do not slow
the game down.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, Final, Protocol, TypeAlias
from weakref import WeakKeyDictionary

import arcade
import numpy as np
from arcade.types import Color
from numpy.typing import NDArray

from impinge import Body, Polygon, Pose, Sector, Side, World, contact
from impinge.shapes.solids import Piece, Solid, Vector

__all__ = ["draw_debug"]

# End points of separate lines, two for each line.
Lines: TypeAlias = NDArray[np.float64]

WEAK: Final = Color(0, 90, 255)
MIGHTY: Final = Color(40, 40, 60)
SENSOR: Final = Color(0, 150, 150)
SWEEP: Final = Color(255, 0, 200)
NORMAL: Final = Color(255, 60, 0)
TOUCHED: Final = Color(255, 170, 0)
BLOCKED: Final = Color(0, 160, 60)
STUCK: Final = Color(230, 0, 0)
SECTOR: Final = Color(150, 60, 220)

EDGE_WIDTH: Final = 4  # pixels; the outlines are 1 wide, and edges must stand out from them
ARROW: Final = 24  # pixels from the contact to the arrow's tip
BARB: Final = 6  # pixels
LIFT: Final = 1e-3  # squared displacement, in pixels, below which a body counts as still
FLAT: Final = 0.25  # pixels of error allowed for an arc

NORMALS: Final[dict[Side, Vector]] = {
    Side.LEFT: (1.0, 0.0),
    Side.RIGHT: (-1.0, 0.0),
    Side.BOTTOM: (0.0, 1.0),
    Side.TOP: (0.0, -1.0),
}


class Shown(Protocol):
    """An engine that can be drawn: `PushEngine`, `PhysicsEngineSimple`, `PhysicsEnginePlatformer`."""

    @property
    def world(self) -> World:
        """Return the world with the engine's bodies."""

    @property
    def events(self) -> Sequence[Any]:
        """Return the contacts: their `weak` and `mighty` are bodies, or sprites that are the `Body.data` of bodies."""


def draw_debug(engine: Shown, *, sectors: Iterable[tuple[Sector, Pose]] = ()) -> None:
    """Draw the shapes, sweeps, contacts and sides of an engine's last update, in the current camera.

    Shapes are outlined: pushing bodies dark, pushable bodies blue, sensors teal. Bodies that moved show their swept
    area and their path. Arrows are the normals at the contact points. Thick edges are sides of pushable bodies: orange
    for touched, green for still blocked, red for stuck.

    Parameters
    ----------
    engine
        The engine to draw. It may be new, without an update.
    sectors
        More sectors to draw, each with the pose of its apex. The pose's angle is its direction, in radians.

    Examples
    --------
    >>> from impinge_arcade import PushEngine
    >>> player, wall = arcade.SpriteSolidColor(20, 20), arcade.SpriteSolidColor(4, 80, center_x=30)
    >>> engine = PushEngine(weak=player, mighty=wall)
    >>> def on_draw():
    ...     draw_debug(engine, sectors=[(Sector(60, 0.5), Pose(player.center_x, player.center_y))])
    """
    # Shapes that are known only to a plugin have no outline here.
    bodies = [body for body in engine.world if isinstance(body.shape, Solid)]
    lines: dict[tuple[Color, int], list[Lines]] = defaultdict(list)
    for color, group in _by_color(bodies).items():
        lines[color, 1] += _outlines(group, [body.pose for body in group])
    moved = [body for body in bodies if _has_moved(body)]
    lines[SWEEP, 1] += _outlines(moved, [body.previous for body in moved])
    lines[SWEEP, 1] += [_way(body) for body in moved]
    for body in bodies:
        for color, sides in ((TOUCHED, body.sides), (BLOCKED, body.blocked), (STUCK, body.stuck)):
            if sides:
                lines[color, EDGE_WIDTH].append(_edges(body, sides))
    # Events of engines hold sprites instead of bodies. The game may have removed a sprite since.
    known = {id(body.data): body for body in bodies} | {id(body): body for body in bodies}
    for event in engine.events:
        weak, mighty = known.get(id(event.weak)), known.get(id(event.mighty))
        if weak is not None:
            lines[NORMAL, 2].append(_arrows(weak, mighty, event.side))
    lines[SECTOR, 1] += [_placed(_sector(sector), [pose]) for sector, pose in sectors]
    for (color, width), parts in lines.items():
        if parts:
            arcade.draw_lines(np.concatenate(parts).tolist(), color, width)


def _by_color(bodies: Sequence[Body]) -> dict[Color, list[Body]]:
    groups: dict[Color, list[Body]] = defaultdict(list)
    for body in bodies:
        groups[SENSOR if body.response == "sensor" else MIGHTY if body.might else WEAK].append(body)
    return groups


def _has_moved(body: Body) -> bool:
    across, up = body.pose.x - body.previous.x, body.pose.y - body.previous.y
    return across * across + up * up > LIFT or body.pose.angle != body.previous.angle


def _closed(points: Sequence[Vector]) -> Lines:
    """Return the closed line through some points."""
    ring = np.array(points, np.float64)
    return np.stack((ring, np.roll(ring, -1, axis=0)), axis=1).reshape(-1, 2)


def _arc(centre: Vector, radius: float, start: float, turn: float) -> list[Vector]:
    """Return points along an arc, within `FLAT` pixels of it."""
    step = 2.0 * math.acos(max(1.0 - FLAT / radius, 0.5)) if radius > 0.0 else math.tau
    count = max(math.ceil(abs(turn) / step), 1)
    angles = [start + turn * number / count for number in range(count + 1)]
    return [(centre[0] + radius * math.cos(angle), centre[1] + radius * math.sin(angle)) for angle in angles]


def _around(piece: Piece) -> Lines:
    """Return the outline of a piece: its edges, and an arc at each corner."""
    points, radius = piece
    if len(points) == 1:
        return _closed(_arc(points[0], radius, 0.0, math.tau)[:-1])
    if radius == 0.0:
        return _closed(points)
    border: list[Vector] = []
    for number, (x, y) in enumerate(points):
        before, after = points[number - 1], points[(number + 1) % len(points)]
        start = math.atan2(y - before[1], x - before[0]) - 0.5 * math.pi
        end = math.atan2(after[1] - y, after[0] - x) - 0.5 * math.pi
        border += _arc((x, y), radius, start, (end - start) % math.tau)
    return _closed(border)


# Outlines of shapes that are still in use: they are needed in each frame.
_known: WeakKeyDictionary[Solid, Lines] = WeakKeyDictionary()


def _outline(shape: Solid) -> Lines:
    """Return the outline of a shape in its own frame; for rounded concave shapes, the outlines of all pieces."""
    found = _known.get(shape)
    if found is None:
        if isinstance(shape, Polygon) and shape.radius == 0.0:
            found = _closed(shape.outline)
        else:
            found = np.concatenate([_around(piece) for piece in shape.pieces])
        _known[shape] = found
    return found


def _placed(lines: Lines, poses: Sequence[Pose]) -> Lines:
    """Return the outline of a shape at some poses."""
    places = np.array([(pose.x, pose.y, pose.angle) for pose in poses], np.float64)
    cos, sin = np.cos(places[:, 2, None]), np.sin(places[:, 2, None])
    x, y = lines[:, 0], lines[:, 1]
    placed = np.stack((cos * x - sin * y + places[:, 0, None], sin * x + cos * y + places[:, 1, None]), axis=2)
    return placed.reshape(-1, 2)


def _outlines(bodies: Sequence[Body], poses: Sequence[Pose]) -> list[Lines]:
    """Return the outlines of bodies at some poses; bodies with the same shape are placed together."""
    by_shape: dict[Solid, list[Pose]] = defaultdict(list)
    for body, pose in zip(bodies, poses, strict=True):
        by_shape[body.shape].append(pose)
    return [_placed(_outline(shape), own) for shape, own in by_shape.items()]


def _way(body: Body) -> Lines:
    """Return the path of a body's position, and the paths of the two points that bound its swept area."""
    start, end = body.previous, body.pose
    across, up = end.x - start.x, end.y - start.y
    ways = [(start.x, start.y), (end.x, end.y)]
    if start.angle == end.angle and (across or up):
        outline = _placed(_outline(body.shape), [start])
        beside = outline @ (-up, across)
        for farthest in (outline[beside.argmin()], outline[beside.argmax()]):
            ways += [(farthest[0], farthest[1]), (farthest[0] + across, farthest[1] + up)]
    return np.array(ways, np.float64)


def _edges(body: Body, sides: Side) -> Lines:
    """Return some sides of a body's bounding box."""
    left, bottom, right, top = body.shape.bounds(body.pose)
    ends = {
        Side.LEFT: ((left, bottom), (left, top)),
        Side.RIGHT: ((right, bottom), (right, top)),
        Side.BOTTOM: ((left, bottom), (right, bottom)),
        Side.TOP: ((left, top), (right, top)),
    }
    return np.array([point for side in sides for point in ends[side]], np.float64)


def _arrows(weak: Body, mighty: Body | None, sides: Side) -> Lines:
    """Return arrows at the contact points along the normals; without a contact, from the sides of the weak body."""
    found = contact(mighty.shape, mighty.pose, weak.shape, weak.pose) if mighty is not None else None
    if found is not None:
        return np.concatenate([_arrow(point, found.normal) for point in found.points])
    left, bottom, right, top = weak.shape.bounds(weak.pose)
    x, y = 0.5 * (left + right), 0.5 * (bottom + top)
    starts = {Side.LEFT: (left, y), Side.RIGHT: (right, y), Side.BOTTOM: (x, bottom), Side.TOP: (x, top)}
    return np.concatenate([_arrow(starts[side], NORMALS[side]) for side in sides])


def _arrow(start: Vector, normal: Vector) -> Lines:
    (x, y), (across, up) = start, normal
    tip = x + across * ARROW, y + up * ARROW
    barbs = [(tip[0] - BARB * (across + turn * up), tip[1] - BARB * (up - turn * across)) for turn in (-1.0, 1.0)]
    return np.array([start, tip, tip, barbs[0], tip, barbs[1]], np.float64)


def _sector(sector: Sector) -> Lines:
    """Return the outline of a sector in its own frame."""
    centre, turn = (0.0, 0.0), 2.0 * sector.half_angle
    outer = _arc(centre, sector.radius, -sector.half_angle, turn)
    inner = _arc(centre, sector.inner_radius, sector.half_angle, -turn)
    if turn < math.tau:
        return _closed(outer + inner)
    return np.concatenate((_closed(outer), _closed(inner)))
