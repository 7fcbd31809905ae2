"""A level to explore: a world, its player, the moving parts by frame, and the named areas."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

import impinge as im
from impinge_playtest.checkpoint import DAMAGES
from impinge_playtest.tracks import Ints, Track

__all__ = ["Area", "Level", "level_from_world"]


class Area(NamedTuple):
    """A named rectangle, in the game's units."""

    name: str
    left: float
    bottom: float
    right: float
    top: float


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

    def fingerprint(self) -> str:
        """Return a digest that is the same for the same level in all processes. `dumps` has random names of bodies.

        Examples
        --------
        >>> def made(width):
        ...     world = im.World()
        ...     hero = world.add(im.Box(width, 40), im.Pose(0, 20))
        ...     return level_from_world(world, hero, border=Area("border", -50, 0, 50, 100))
        >>> made(20).fingerprint() == made(20).fingerprint(), made(20).fingerprint() == made(21).fingerprint()
        (True, False)
        """
        bodies = [[body.index, *(str(getattr(body, name)) for name in TRAITS)] for body in self.world]
        kept = json.loads(self.dumps()) | {"world": bodies}
        return hashlib.sha256(json.dumps(kept).encode()).hexdigest()

    def dumps(self) -> str:
        """Return the level as text, for `loads`. `Body.data` is not in it."""
        kept = {
            "world": base64.b64encode(zlib.compress(self.world.snapshot())).decode(),
            "player": self.player,
            "tracks": {str(index): [track.poses.tolist(), track.period] for index, track in self.tracks.items()},
            "name": self.name,
            "border": [self.border.name, *(str(float(side)) for side in self.border[1:])],
        }
        kept |= {kind: [list(area) for area in getattr(self, kind)] for kind in AREAS}
        return json.dumps(kept)

    @classmethod
    def loads(cls, text: str) -> Level:
        """Return the level of a text that `dumps` has made.

        Raises
        ------
        impinge.SnapshotError
            If the text is no level, or exceeds the limits of `impinge.SnapshotLimits`.
        """
        try:
            return cls._loaded(text)
        except im.SnapshotError:
            raise
        except DAMAGES as error:
            raise im.SnapshotError(f"level must be a text of Level.dumps, got one with {error!r}") from None

    @classmethod
    def _loaded(cls, text: str) -> Level:
        kept: dict[str, Any] = json.loads(text)
        world, limits = im.World(entry_points=False), im.SnapshotLimits()
        limits.check("size", len(text))
        reader = zlib.decompressobj()
        # One byte more than a snapshot may have: then `restore` refuses it.
        world.restore(reader.decompress(base64.b64decode(kept["world"]), limits.size + 1), limits=limits)
        tracks = {int(index): Track(np.array(poses), period) for index, (poses, period) in kept["tracks"].items()}
        name, *sides = kept["border"]
        areas = {kind: tuple(Area(*area) for area in kept[kind]) for kind in AREAS}
        border = Area(name, *map(float, sides))
        return cls(world, kept["player"], border, tracks=tracks, name=kept["name"], **areas)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as text: the bodies of a game may have sprites as their data."""
        return Level.loads, (self.dumps(),)


# What decides how a body moves.
TRAITS = (
    "shape", "pose", "goal", "order", "might", "layer", "mask", "response", "restitution", "carrying", "sticky",
    "passable", "max_slope", "snap", "step_height", "when_stuck",
)  # fmt: skip
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
