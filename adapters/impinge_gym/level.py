"""Levels: a world, its player, and the areas and paths that make a game of it.

Not here: levels from Tiled maps, which are in `maps`, and the copies that play a level, which are in `game`.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

import impinge as im
from impinge.shapes.solids import Solid
from impinge_playtest.tracks import Floats, Track

__all__ = ["AREA_LAYER", "DEADLY_LAYER", "Area", "Level", "level_of_rows"]

BodyOrIndex: TypeAlias = im.Body | int

# Layers of the bodies that stand for areas. Nothing collides with them; rays see the deadly ones.
AREA_LAYER: Final = 1 << 62
DEADLY_LAYER: Final = 1 << 61
# Part of a tile by which a probe is smaller than the tile: flush neighbours do not fill it.
PROBE: Final = 0.1
WALL, PLAYER_MIGHT = 1, 0
PASSABLE: Final = im.Side.LEFT | im.Side.RIGHT | im.Side.BOTTOM


class Area(NamedTuple):
    """A place that the player passes through: a coin, an exit, or a deadly area."""

    shape: Solid
    pose: im.Pose


class Level:
    """A level for learning agents. It keeps a copy of the world, so one level serves many environments.

    Parameters
    ----------
    world
        Walls, platforms, crates, and the player.
    player
        The body of the player.
    exits, coins, deadly
        Bodies of the world that become areas: the player passes through them, and the game notes that it has met them.
    tracks
        Bodies that move by the frame, whatever is in their way.
    spawns : (k, 2), optional
        Positions where an episode may begin; by default, that of the player.
    tile
        Side of a tile in the game's units; by default, the longer side of the player.

    Attributes
    ----------
    bounds
        Left, bottom, right and top of all bodies.
    is_deadly
        For each `Body.index`, whether the body is deadly; False at index -1.

    Raises
    ------
    impinge.ShapeError
        If an argument is not of its type or shape, a number is not finite, or a body is not in the world.

    Examples
    --------
    >>> world = im.World()
    >>> floor = world.add(im.Box(200, 20), im.Pose(100, -10), might=1)
    >>> hero = world.add(im.Box(10, 20), im.Pose(20, 10))
    >>> door = world.add(im.Box(10, 20), im.Pose(180, 10), response="sensor")
    >>> level = Level(world, hero, exits=[door], tile=20)
    >>> level.bounds, level.exits[0].pose.x, level.distances([(20, 10)]).tolist()
    ((0.0, -20.0, 200.0, 20.0), 180.0, [160.0])
    """

    def __init__(
        self,
        world: im.World,
        player: BodyOrIndex,
        *,
        exits: Iterable[BodyOrIndex] = (),
        coins: Iterable[BodyOrIndex] = (),
        deadly: Iterable[BodyOrIndex] = (),
        tracks: Mapping[im.Body, Track] | Mapping[int, Track] | None = None,
        spawns: ArrayLike | None = None,
        tile: float | None = None,
    ) -> None:
        if not isinstance(world, im.World):
            raise im.ShapeError(f"world must be a World, got {world!r}")
        own = self.world = copy.copy(world)
        self.player = _index("player", player, own)
        groups = {"exits": exits, "coins": coins, "deadly": deadly}
        rows = {name: [_index(name, body, own) for body in bodies] for name, bodies in groups.items()}
        self.exits, self.coins, self.deadly = (
            tuple(Area(own.body(row).shape, own.body(row).pose) for row in rows[name]) for name in groups
        )
        self._exit_centres = centres(self.exits)
        self.tracks = {_index("tracks", body, own): track for body, track in (tracks or {}).items()}
        body = own.body(self.player)
        self.spawns = _places("spawns", [(body.pose.x, body.pose.y)] if spawns is None else spawns)
        left, bottom, right, top = body.shape.bounds()
        self.size = right - left, top - bottom
        self.tile = max(self.size) if tile is None else float(tile)
        if not 0.0 < self.tile < np.inf:
            raise im.ShapeError(f"tile must be positive and finite, got {tile!r}")
        self.bounds = _bounds(own)
        # One more for the index -1, which means no body.
        self.is_deadly = np.zeros(max(body.index for body in own) + 2, np.bool_)
        self.is_deadly[rows["deadly"]] = True
        _make_areas(own, rows["exits"] + rows["coins"], rows["deadly"])
        for row, track in self.tracks.items():
            own.body(row).pose = im.Pose(*track.poses[0].tolist())

    def distances(self, positions: ArrayLike) -> Floats:
        """Return the distance of each position (n, 2) to the centre of the nearest exit; 0 without exits."""
        places = np.asarray(positions, np.float64)
        if not self.exits:
            return np.zeros(len(places))
        ways = places[:, None] - self._exit_centres
        found: Floats = np.hypot(ways[..., 0], ways[..., 1]).min(axis=1)
        return found

    def cells(self) -> tuple[Floats, tuple[float, float]]:
        """Return which tiles of the level are full, and where the centre of the first tile is.

        The array has shape (4, rows, columns), rows from the bottom up, and these planes: solid (one-way platforms
        count half), deadly, coins, exits. Bodies that move are left out.
        """
        left, bottom, right, top = self.bounds
        columns, rows = (max(1, round((high - low) / self.tile)) for low, high in ((left, right), (bottom, top)))
        found = np.zeros((4, rows, columns))
        side = self.tile * (1.0 - PROBE)
        moving = {self.player, *self.tracks}
        weak = {body.index for body in self.world if body.might < self.world.body(self.player).might + 1}
        for row in range(rows):
            for column in range(columns):
                centre = im.Pose(left + (column + 0.5) * self.tile, bottom + (row + 0.5) * self.tile)
                for body in self.world.in_box(im.Box(side, side), centre):
                    if body.layer & (AREA_LAYER | DEADLY_LAYER) or body.index in moving | weak:
                        continue
                    found[0, row, column] = max(found[0, row, column], 0.5 if body.passable else 1.0)
                for plane, areas in enumerate((self.deadly, self.coins, self.exits), start=1):
                    probe = im.Box(side, side)
                    found[plane, row, column] = any(im.overlaps(probe, centre, *area) for area in areas)
        return found, (left + 0.5 * self.tile, bottom + 0.5 * self.tile)

    def __deepcopy__(self, memo: dict[int, object]) -> Level:
        """Return the level itself: nothing changes it."""
        return self


def centres(areas: Sequence[Area]) -> Floats:
    """Return the centres of the bounds of areas, an array of shape (n, 2)."""
    bounds = [shape.bounds(pose) for shape, pose in areas]
    found = [(0.5 * (left + right), 0.5 * (bottom + top)) for left, bottom, right, top in bounds]
    return np.array(found).reshape(-1, 2)


def level_of_rows(
    rows: Sequence[str],
    *,
    tile: float = 32.0,
    player: Solid | None = None,
    from_above: bool = False,
    movers: Iterable[tuple[Solid, Track]] = (),
) -> Level:
    """Make a level of rows of letters, the top row first.

    Parameters
    ----------
    rows
        A letter for each tile: ``#`` wall, ``=`` one-way platform, ``o`` coin, ``F`` exit, ``^`` deadly, ``@`` where
        the player may start; anything else is free.
    tile
        Side of a tile in the game's units.
    player
        Shape of the player; by default a box of half a tile by three quarters of one, or, from above, a disk of half a
        tile.
    from_above
        Whether the game is top-down: walls carry nothing.
    movers
        The shape and the track of each platform that moves.

    Raises
    ------
    impinge.ShapeError
        If there is no ``@``, or the tile is not positive and finite.

    Examples
    --------
    >>> level = level_of_rows(["...o..F", "@..#...", "#######"])
    >>> len(level.world), len(level.coins), level.spawns.tolist(), level.bounds
    (11, 1, [[16.0, 44.0]], (0.0, 0.0, 224.0, 96.0))
    """
    if not 0.0 < tile < np.inf:
        raise im.ShapeError(f"tile must be positive and finite, got {tile!r}")
    places: dict[str, list[tuple[float, float]]] = {letter: [] for letter in "#=oF^@"}
    for row, line in enumerate(reversed(rows)):
        for column, letter in enumerate(line):
            if letter in places:
                places[letter].append(((column + 0.5) * tile, (row + 0.5) * tile))
    if not places["@"]:
        raise im.ShapeError(f"rows must contain an @, where the player starts, got {list(rows)!r}")
    world = im.World(entry_points=False)
    side = im.Box(tile, tile)
    carrying = im.Side.NONE if from_above else im.Side.TOP
    world.add_many(side, _places("rows", places["#"]), might=WALL, carrying=carrying)
    world.add_many(side, _places("rows", places["="]), might=WALL, carrying=carrying, passable=PASSABLE)
    coins = world.add_many(im.Circle(0.25 * tile), _places("rows", places["o"]), response="sensor")
    exits = world.add_many(im.Box(0.5 * tile, tile), _places("rows", places["F"]), response="sensor")
    low = np.array((0.0, 0.25 * tile))
    deadly = world.add_many(
        im.Box(0.8 * tile, 0.5 * tile), _places("rows", places["^"]) - (0.0 if from_above else low), response="sensor"
    )
    if player is None:
        player = im.Circle(0.25 * tile) if from_above else im.Box(0.5 * tile, 0.75 * tile)
    spawns = _places("rows", places["@"])
    if not from_above:
        spawns[:, 1] -= 0.5 * tile + player.bounds().bottom
    walks = None if from_above else np.pi / 4 + 1e-6
    hero = world.add(player, im.Pose(*spawns[0].tolist()), might=PLAYER_MIGHT, max_slope=walks)
    tracks = {
        world.add(shape, im.Pose(*track.poses[0].tolist()), might=WALL, carrying=carrying, sticky=carrying): track
        for shape, track in movers
    }
    return Level(world, hero, exits=exits, coins=coins, deadly=deadly, spawns=spawns, tile=tile, tracks=tracks)


def _make_areas(world: im.World, areas: list[int], deadly: list[int]) -> None:
    """Turn bodies into areas: at rest, in the highest rank, which a fleet stores once, and in layers of their own."""
    both = AREA_LAYER | DEADLY_LAYER
    known = {*areas, *deadly}
    highest = max((body.might for body in world if body.index not in known and body.response != "sensor"), default=0)
    for body in world:
        if body.index in known:
            body.response, body.might = "push", max(highest, 1)
            body.layer, body.mask = (DEADLY_LAYER if body.index in deadly else AREA_LAYER), 0
        else:
            body.layer, body.mask = max(body.layer & ~both, 1), body.mask & ~both


def _bounds(world: im.World) -> tuple[float, float, float, float]:
    edges = np.array([body.shape.bounds(body.pose) for body in world])
    left, bottom = edges[:, :2].min(axis=0).tolist()
    right, top = edges[:, 2:].max(axis=0).tolist()
    return left, bottom, right, top


def _index(name: str, body: BodyOrIndex, world: im.World) -> int:
    index = body.index if isinstance(body, im.Body) else body
    if isinstance(index, bool) or not isinstance(index, int | np.integer):
        raise im.ShapeError(f"{name} must be bodies of the world or their indices, got {body!r}")
    return world.body(int(index)).index


def _places(name: str, places: ArrayLike) -> Floats:
    found = np.array(places, np.float64)
    if not found.size and name == "rows":
        return np.empty((0, 2))
    if found.ndim != 2 or found.shape[1] != 2 or not len(found) or not np.isfinite(found).all():
        raise im.ShapeError(f"{name} must be finite numbers of shape (k, 2), got {places!r}")
    return found
