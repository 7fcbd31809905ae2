"""What an agent sees, for all copies at once: rays, tiles around the player, or positions.

Each observation is a row of numbers from -1 to 1. The first `STATE` of them are the same for all kinds: velocity (2),
what `Moves.state` says (2), the way to the nearest exit (2), and to the nearest coin that is left (2).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

import impinge as im
from impinge.world.bodies import ALL_LAYERS
from impinge_gym.game import Game
from impinge_gym.level import AREA_LAYER, centres

__all__ = ["STATE", "Observation", "Positions", "Rays", "Reader", "Tiles", "View", "view_of"]

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
View: TypeAlias = Literal["rays", "tiles", "positions"]

STATE: Final = 8
PLANES: Final = 4


class Reader(Protocol):
    """What an observation adds to the first `STATE` numbers, for the copies of one game."""

    low: float
    size: int

    def read(self, copies: Ints) -> Floats:
        """Return the numbers of some copies, an array of shape (n, size) from `low` to 1."""


class Observation(Protocol):
    """A kind of observation. A game may write its own."""

    def reader(self, game: Game) -> Reader:
        """Return the reader for a game."""


@dataclass(frozen=True)
class Rays:
    """Rays from the middle of the player in all directions, counter-clockwise from the right.

    Of each ray: the part of its reach up to the first body, 1 without one; then, of each, 1 if that is deadly.

    Attributes
    ----------
    count
        Number of rays.
    reach
        Their length in tiles.
    """

    count: int = 16
    reach: float = 8.0

    def reader(self, game: Game) -> Reader:
        """Return the reader for a game."""
        return _RayReader(self, game)


@dataclass(frozen=True)
class Tiles:
    """Tiles around the player: four planes of rows of columns, from the bottom left one.

    The planes are solid (1, one-way platforms 0.5), deadly, coins that are left, and exits.

    Attributes
    ----------
    columns, rows
        Number of tiles.
    """

    columns: int = 11
    rows: int = 9

    def reader(self, game: Game) -> Reader:
        """Return the reader for a game."""
        return _TileReader(self, game)


@dataclass(frozen=True)
class Positions:
    """Positions in the level, from -1 to 1: of the player, and of all movers; then 1 for each coin that is left."""

    def reader(self, game: Game) -> Reader:
        """Return the reader for a game."""
        return _PositionReader(game)


def view_of(observation: View | Observation, game: Game) -> _View:
    """Return the reader of all numbers of an observation, or raise an error."""
    kinds: dict[object, Observation] = {"rays": Rays(), "tiles": Tiles(), "positions": Positions()}
    kind = kinds.get(observation) if isinstance(observation, str) else observation
    if kind is None or not hasattr(kind, "reader"):
        names = ", ".join(map(repr, kinds))
        raise ValueError(f"observation must be {names} or an object with a reader, got {observation!r}")
    return _View(game, kind.reader(game))


class _View:
    """All numbers of an observation."""

    def __init__(self, game: Game, reader: Reader) -> None:
        self.game, self.reader = game, reader
        left, bottom, right, top = game.level.bounds
        self.extent = np.array((right - left, top - bottom))
        self.exits, self.coins = centres(game.level.exits), centres(game.level.coins)
        size = STATE + reader.size
        self.low, self.high = np.full(size, -1.0, np.float32), np.ones(size, np.float32)
        self.low[STATE:] = reader.low

    def read(self, copies: Ints) -> NDArray[np.float32]:
        """Return the observations of some copies."""
        game, found = self.game, np.empty((len(copies), STATE + self.reader.size), np.float32)
        here = game.positions[copies]
        found[:, :2] = game.fleet.velocities(game.player, copies)[:, 0, :2] / game.players.speeds
        found[:, 2:4] = game.players.seen(game.contacts)[copies]
        found[:, 4:6] = self._nearest(here, self.exits, None)
        found[:, 6:8] = self._nearest(here, self.coins, game.collected[copies])
        found[:, STATE:] = self.reader.read(copies)
        return np.clip(found, self.low, self.high, out=found)

    def _nearest(self, here: Floats, places: Floats, are_gone: NDArray[np.bool_] | None) -> Floats:
        """Return the way to the nearest place as a part of the level; 0 without one."""
        if not len(places):
            return np.zeros((len(here), 2))
        ways = places - here[:, None]
        lengths = np.hypot(ways[..., 0], ways[..., 1])
        if are_gone is not None:
            lengths[are_gone] = np.inf
        nearest = lengths.argmin(axis=1)[:, None]
        found: Floats = np.take_along_axis(ways, nearest[..., None], axis=1)[:, 0] / self.extent
        found[np.isinf(np.take_along_axis(lengths, nearest, axis=1)[:, 0])] = 0.0
        return found


class _RayReader:
    low = 0.0

    def __init__(self, rays: Rays, game: Game) -> None:
        if rays.count < 1 or not 0.0 < rays.reach < np.inf:
            raise im.ShapeError(f"rays must be some, of a positive and finite reach, got {rays!r}")
        self.game, self.size = game, 2 * rays.count
        angles = np.arange(rays.count) * (2.0 * np.pi / rays.count)
        self.ways = rays.reach * game.level.tile * np.column_stack((np.cos(angles), np.sin(angles)))
        left, bottom, right, top = game.level.world.body(game.level.player).shape.bounds()
        self.middle = np.array((0.5 * (left + right), 0.5 * (bottom + top)))
        self.is_deadly = game.level.is_deadly

    def read(self, copies: Ints) -> Floats:
        """Cast the rays."""
        game = self.game
        starts = (game.positions[copies] + self.middle)[:, None]
        times, bodies = game.fleet.cast_rays(
            starts, starts + self.ways, copies, mask=ALL_LAYERS & ~AREA_LAYER, ignore=game.player
        )
        return np.concatenate((np.where(bodies < 0, 1.0, times), self.is_deadly[bodies]), axis=1)


class _TileReader:
    low = 0.0

    def __init__(self, tiles: Tiles, game: Game) -> None:
        if tiles.columns < 1 or tiles.rows < 1:
            raise im.ShapeError(f"tiles must be at least one, got {tiles!r}")
        level = game.level
        self.game, self.size = game, PLANES * tiles.rows * tiles.columns
        self.cells, self.first = level.cells()
        self.offsets = [level.tile * (np.arange(count) - count // 2) for count in (tiles.columns, tiles.rows)]
        halves = [np.array(level.world.body(row).shape.bounds()) for row in game.tracks.bodies.tolist()]
        self.halves = np.array([(box[2:] - box[:2]) / 2 for box in halves]).reshape(-1, 2)
        self.coins = centres(level.coins)
        self.coin_halves = np.full((len(self.coins), 2), 0.5 * level.tile)

    def read(self, copies: Ints) -> Floats:
        """Sample the tiles in a grid around each player."""
        game, cells, tile = self.game, self.cells, self.game.level.tile
        across, up = (game.positions[copies, axis, None] + self.offsets[axis] for axis in range(2))
        column, row = (
            np.rint((at - first) / tile).astype(int) for at, first in zip((across, up), self.first, strict=True)
        )
        is_in = ((row >= 0) & (row < cells.shape[1]))[:, :, None] & ((column >= 0) & (column < cells.shape[2]))[:, None]
        column, row = column.clip(0, cells.shape[2] - 1), row.clip(0, cells.shape[1] - 1)
        found = np.moveaxis(cells[:, row[:, :, None], column[:, None]] * is_in, 0, 1)
        movers = game.track_poses(copies)[..., :2]
        np.maximum(found[:, 0], _covered(across, up, movers, self.halves), out=found[:, 0])
        places = np.where(game.collected[copies][..., None], np.inf, self.coins)
        found[:, 2] = _covered(across, up, places, self.coin_halves)
        flat: Floats = found.reshape(len(copies), -1)
        return flat


class _PositionReader:
    low = -1.0

    def __init__(self, game: Game) -> None:
        self.game = game
        left, bottom, right, top = game.level.bounds
        self.middle, self.half = np.array((left + right, bottom + top)) / 2, np.array((right - left, top - bottom)) / 2
        self.size = 2 + 2 * len(game.level.tracks) + len(game.level.coins)

    def read(self, copies: Ints) -> Floats:
        """Return the positions, relative to the level."""
        places = np.concatenate((self.game.positions[copies, None], self.game.track_poses(copies)[..., :2]), axis=1)
        relative = (places - self.middle) / self.half
        return np.concatenate((relative.reshape(len(copies), -1), ~self.game.collected[copies]), axis=1)


def _covered(across: Floats, up: Floats, places: Floats, halves: Floats) -> NDArray[np.bool_]:
    """Return which points of each copy's grid are in one of its boxes, an array of shape (n, rows, columns)."""
    in_x = np.abs(across[:, None] - places[..., 0, None]) <= halves[:, 0, None]
    in_y = np.abs(up[:, None] - places[..., 1, None]) <= halves[:, 1, None]
    found: NDArray[np.bool_] = np.any(in_y[..., None] & in_x[:, :, None], axis=1)
    return found
