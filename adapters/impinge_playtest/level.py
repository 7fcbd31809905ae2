"""A level to explore: a world, its player, the moving parts by frame, and the named areas."""

from __future__ import annotations

import base64
import json
import math
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

import impinge as im
from impinge.checks import numbers

__all__ = ["Area", "Floats", "Ints", "Level", "Track", "Tracks", "level_from_world", "track_of"]

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]

# In a recorded track, poses that differ by less are equal: positions that are added up differ by rounding.
ROUNDING = 1e-6


class Area(NamedTuple):
    """A named rectangle, in the game's units."""

    name: str
    left: float
    bottom: float
    right: float
    top: float


@dataclass(frozen=True, eq=False)
class Track:
    """The poses of a body by frame: what a moving platform does whatever the player does.

    Attributes
    ----------
    poses : (t, 3) float
        x, y and angle at the frames 0 to t - 1.
    period
        After the last pose the track goes on with the one `period` rows before its end; 0 if the body then stays.
    """

    poses: Floats
    period: int = 0

    def __post_init__(self) -> None:
        poses = numbers("poses", self.poses, "(t, 3)")
        if poses.ndim != 2 or poses.shape[1] != 3 or not len(poses) or not np.isfinite(poses).all():
            raise im.ShapeError(f"poses must be finite, of shape (t, 3) with t > 0, got shape {poses.shape}")
        if not 0 <= self.period <= len(poses):
            raise im.ShapeError(f"period must be from 0 to {len(poses)}, got {self.period!r}")
        object.__setattr__(self, "poses", poses)


def track_of(poses: ArrayLike) -> Track:
    """Return a recorded movement as a track: with the period after which it repeats, if it does so.

    Parameters
    ----------
    poses : (t, 3) float
        x, y and angle of each frame. A movement counts as periodic if it was recorded for two periods at the end.

    Examples
    --------
    >>> there_and_back = [(x, 0, 0) for x in (5, 0, 1, 2, 1, 0, 1, 2, 1, 0, 1)]
    >>> track = track_of(there_and_back)
    >>> track.period, len(track.poses)
    (4, 5)
    """
    recorded = numbers("poses", poses, "(t, 3)")
    total = len(recorded)
    is_last = np.abs(recorded - recorded[-1]).max(axis=1) <= ROUNDING
    for period in (total - 1 - np.flatnonzero(is_last[:-1])[::-1]).tolist():
        differs = np.abs(recorded[period:] - recorded[:-period]).max(axis=1) > ROUNDING
        wrong = np.flatnonzero(differs)
        first = int(wrong[-1]) + 1 if len(wrong) else 0
        if total - first >= 2 * period:
            return Track(recorded[: first + period], period)
    return Track(recorded)


class Tracks:
    """The tracks of all moving bodies, for many frames at once."""

    def __init__(self, tracks: Mapping[int, Track]) -> None:
        self.bodies = np.array(sorted(tracks), np.int64)
        ordered = [tracks[body] for body in self.bodies.tolist()]
        self._poses = np.concatenate([track.poses for track in ordered] or [np.empty((0, 3))])
        self._lengths = np.array([len(track.poses) for track in ordered], np.int64)
        self._starts = np.cumsum(self._lengths) - self._lengths
        # A body that stays at its last pose repeats that pose.
        self._periods = np.array([track.period or 1 for track in ordered], np.int64)
        self.periods = np.array([track.period or len(track.poses) for track in ordered], np.int64)
        self.bounds = [
            (*track.poses[:, :2].min(axis=0).tolist(), *track.poses[:, :2].max(axis=0).tolist()) for track in ordered
        ]

    def phases(self, frames: Ints) -> Ints:
        """Return the rows in their tracks at n frames, of shape (n, k)."""
        past = frames[:, None] - self._lengths
        return np.where(past < 0, frames[:, None], self._lengths - self._periods + past % self._periods)

    def poses(self, frames: Ints) -> Floats:
        """Return the poses at n frames, of shape (n, k, 3)."""
        found: Floats = self._poses[self.phases(frames) + self._starts]
        return found


@dataclass(frozen=True, eq=False)
class Level:
    """A level to explore.

    Attributes
    ----------
    world
        The world at frame 0, with the player at its start. Give walls the highest might, see `impinge.Fleet`.
    player
        `Body.index` of the player, a weak body.
    border
        A player wholly outside of it has fallen out of the world. Sides may be infinite, apart from the left and right.
    goals
        Areas that the player must reach. Each of them ends the level: from each place there must be a way to one of
        them, or back to the start.
    coins
        Areas that the player must reach, and that do not end the level.
    deadly, ladders
        Areas in which a player dies, and in which it climbs.
    tracks
        `Body.index` of the moving bodies, and what they do.
    name
        The name of the level in reports.

    Raises
    ------
    impinge.ShapeError
        If the player or a moving body is not in the world or of a wrong rank, or an area has a negative size, or two
        goals or coins have the same name.
    """

    world: im.World
    player: int
    border: Area
    goals: tuple[Area, ...] = ()
    coins: tuple[Area, ...] = ()
    deadly: tuple[Area, ...] = ()
    ladders: tuple[Area, ...] = ()
    tracks: Mapping[int, Track] = field(default_factory=dict)
    name: str = "level"

    def __post_init__(self) -> None:
        ranks = {body.index: body.might for body in self.world}
        if ranks.get(self.player, 1) > 0:
            raise im.ShapeError(f"player must be the index of a body of might 0 in the world, got {self.player!r}")
        for index in self.tracks:
            if ranks.get(index, 0) <= 0:
                raise im.ShapeError(f"tracks must be of bodies with a might above 0 in the world, got body {index!r}")
        names = [area.name for area in (*self.goals, *self.coins)]
        if len(set(names)) < len(names):
            raise im.ShapeError(f"goals and coins must have different names, got {names}")
        for area in (*self.goals, *self.coins, *self.deadly, *self.ladders, self.border):
            if not (area.left <= area.right and area.bottom <= area.top):
                raise im.ShapeError(f"area {area.name!r} must not have a negative size, got {tuple(area)}")
        if not math.isfinite(self.border.right - self.border.left):
            raise im.ShapeError(f"border must have finite left and right sides, got {tuple(self.border)}")

    @property
    def start(self) -> im.Pose:
        """The pose of the player at frame 0."""
        return self.world.body(self.player).pose

    @property
    def size(self) -> im.Bounds:
        """The bounds of the player's shape around its position."""
        bounds: im.Bounds = self.world.body(self.player).shape.bounds()
        return bounds

    @property
    def one_way(self) -> Ints:
        """`Body.index` of the bodies with sides that the player can pass."""
        return np.array([body.index for body in self.world if body.passable], np.int64)

    def dumps(self) -> str:
        """Return the level as text, for `loads`. `Body.data` is not in it."""
        kept = {
            "world": base64.b64encode(zlib.compress(self.world.snapshot())).decode(),
            "player": self.player,
            "tracks": {str(index): [track.poses.tolist(), track.period] for index, track in self.tracks.items()},
            "name": self.name,
            "border": [str(side) for side in self.border],
        }
        kept |= {kind: [list(area) for area in getattr(self, kind)] for kind in AREAS}
        return json.dumps(kept)

    @classmethod
    def loads(cls, text: str) -> Level:
        """Return the level of a text that `dumps` has made."""
        kept: dict[str, Any] = json.loads(text)
        world = im.World(entry_points=False)
        world.restore(zlib.decompress(base64.b64decode(kept["world"])))
        tracks = {int(index): Track(np.array(poses), period) for index, (poses, period) in kept["tracks"].items()}
        name, *sides = kept["border"]
        areas = {kind: tuple(Area(*area) for area in kept[kind]) for kind in AREAS}
        border = Area(name, *map(float, sides))
        return cls(world, kept["player"], border, tracks=tracks, name=kept["name"], **areas)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as text: the bodies of a game may have sprites as their data."""
        return Level.loads, (self.dumps(),)


# The kinds of named areas of a level.
AREAS = ("goals", "coins", "deadly", "ladders")


def level_from_world(
    world: im.World,
    player: im.Body,
    *,
    tracks: Mapping[im.Body, Track] | None = None,
    border: Area | None = None,
    name: str = "level",
    **areas: Iterable[Area],
) -> Level:
    """Make a level from a world.

    Parameters
    ----------
    world
        The world at frame 0. Later changes of it do not matter.
    player
        The player: a body of might 0, at its start.
    tracks, border, name
        As for `Level`. The default border is around all bodies, open at the top.
    areas
        `goals`, `coins`, `deadly` and `ladders`, as for `Level`.

    Raises
    ------
    impinge.ShapeError
        As for `Level`.
    TypeError
        If there is no such kind of areas.

    Examples
    --------
    >>> world = im.World()
    >>> floor = world.add(im.Box(400, 20), im.Pose(0, -10), might=1)
    >>> hero = world.add(im.Box(20, 40), im.Pose(0, 20))
    >>> level = level_from_world(world, hero, goals=[Area("exit", 150, 0, 170, 40)])
    >>> level.border
    Area(name='border', left=-200.0, bottom=-20.0, right=200.0, top=inf)
    """
    kept = im.World(entry_points=False)
    kept.restore(world.snapshot())
    return Level(
        kept,
        player.index,
        border or _border(kept),
        tracks={body.index: track for body, track in (tracks or {}).items()},
        name=name,
        **{kind: tuple(members) for kind, members in areas.items()},
    )


def _border(world: im.World) -> Area:
    """Return the bounds of all bodies, open at the top."""
    bounds = [body.shape.bounds(body.pose) for body in world]
    return Area(
        "border",
        min(each.left for each in bounds),
        min(each.bottom for each in bounds),
        max(each.right for each in bounds),
        math.inf,
    )
