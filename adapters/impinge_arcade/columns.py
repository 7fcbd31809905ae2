"""Many players, read and written column by column. A player by itself is in `players`."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import fabs
from operator import attrgetter
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from arcade import BasicSprite, Sprite, SpriteCircle, SpriteSolidColor
from arcade.hitbox import HitBox, RotatableHitBox
from numpy.typing import NDArray

from impinge_arcade.boxes import FARTHEST, rows_of
from impinge_arcade.players import NOWHERE
from impinge_arcade.shapes import own_shapes

__all__ = ["Columns", "Reading", "Readings", "read", "reader_of"]

# Number of updates between range checks of the players, while the game changes neither positions nor velocities.
UPDATES_TO_CHECK: Final = 60
# Attributes that are read from all sprites at once.
VELOCITY: Final = attrgetter("velocity")
TEXTURE: Final = attrgetter("texture")

# Readings of many sprites: a list for each field. A tuple for each sprite would give the garbage collector 200 tuples
# to scan in every update, only to find that no player has changed.
Readings: TypeAlias = list[list[Any]]


class Reading(NamedTuple):
    """The state of a sprite; equal readings mean that nothing has changed."""

    position: tuple[float, float]
    velocity: tuple[float, float]
    hit_box: HitBox
    scale: tuple[float, float]
    angle: float


def read(sprite: BasicSprite) -> Reading:
    """Read a sprite; without velocity or angle, it counts as still and upright."""
    hit_box = sprite.hit_box
    velocity = sprite.velocity if isinstance(sprite, Sprite) else (0.0, 0.0)
    angle = hit_box.angle if isinstance(hit_box, RotatableHitBox) else 0.0
    return Reading(sprite.position, velocity, hit_box, hit_box.scale, angle)


def reader_of(sprites: list[BasicSprite]) -> Callable[[list[Any]], Readings]:
    """Choose how to read these sprites: by Arcade's slots or by its properties.

    Checking 200 players for a change takes 16 µs by the slots and 80 by the properties, in every update. Properties are
    read for classes that override them, and for Arcade versions with other slots.
    """
    return _read_slots if all(map(_has_slots, set(map(type, sprites)))) else _read_properties


def _read_slots(sprites: list[Any]) -> Readings:
    return [
        [each._position for each in sprites],
        [each._velocity for each in sprites],
        [each._hit_box for each in sprites],
        [each._hit_box._scale for each in sprites],
        [getattr(each._hit_box, "_angle", 0.0) for each in sprites],  # a game's own hit box class may have no angle
    ]


def _read_properties(sprites: list[Any]) -> Readings:
    return [list(column) for column in zip(*map(read, sprites), strict=True)]


@cache
def _has_slots(kind: type[BasicSprite]) -> bool:
    """Return whether `_read_slots` and the properties of a class give the same values."""
    if any(getattr(kind, name, None) is not getattr(Sprite, name) for name in ("position", "velocity", "hit_box")):
        return False
    probe = SpriteSolidColor(3, 5, 7.0, 11.0, angle=13.0)
    probe.velocity, probe.scale = (17.0, 19.0), (23.0, 29.0)
    try:
        return _read_slots([probe]) == _read_properties([probe])
    except AttributeError:
        return False


class _Pairs:
    """A column of number pairs, as tuples and as an array; only changed pairs are converted.

    Finding numbers takes most of the time of reading them: they are scattered over the memory.
    """

    __slots__ = ("array", "tuples")

    def __init__(self) -> None:
        self.tuples: list[Any] = []
        self.array = np.empty((0, 2))

    def take(self, pairs: list[Any]) -> bool:
        """Store pairs; return whether they changed. If one is not a pair of numbers, the array is one row of NaN."""
        try:
            tuples = list(map(tuple, pairs))  # the game may change a list in place
            if tuples == self.tuples:
                return False
            if len(tuples) != len(self.array):
                self.array = rows_of(tuples)
            else:
                both = enumerate(zip(tuples, self.tuples, strict=True))
                places = [place for place, (pair, former) in both if pair is not former]
                self.array[places] = rows_of(tuples[place] for place in places)
        except (TypeError, ValueError, OverflowError):
            tuples, self.array = [], np.array([NOWHERE])
        self.tuples = tuples
        return True

    def put(self, place: int, pair: tuple[float, float]) -> None:
        """Replace one pair."""
        self.tuples[place] = pair
        self.array[place] = pair


class Columns:
    """Many players, read column by column.

    Attributes
    ----------
    stands, ways, turns, is_turning
        Positions, velocities and `change_angle` of the sprites, and whether any of them turns.
    offsets
        Positions of the bodies relative to the sprites, (n, 2).
    ends
        Poses of their bodies after the last step, (n, 3); None if the bodies may have been moved since.
    is_restless
        Whether a hit box may change in place, because its points are a list.
    """

    def __init__(self, sprites: list[Sprite], turn_of: Callable[[Any], float]) -> None:
        self._sprites, self._turn_of = sprites, turn_of
        self._read = reader_of([*sprites])
        self._has_circles = any(isinstance(sprite, SpriteCircle) for sprite in sprites)
        self.stands, self.ways = _Pairs(), _Pairs()
        self.offsets = np.zeros((len(sprites), 2))
        self.turns: list[float] = []
        self.is_turning = False
        self._updates_to_check = 0
        self.ends: NDArray[np.float64] | None = None
        self.is_restless = False

    def look(self) -> None:
        """Check for hit boxes that may change in place; sprites may have got new hit boxes."""
        self.is_restless = any(not isinstance(sprite.hit_box.points, tuple) for sprite in self._sprites)

    def read(self) -> Readings:
        """Read all values that poses and solids depend on; of the speeds, only `change_angle`."""
        sprites = self._sprites
        stands, ways, *looks = self._read(sprites)
        if self.stands.take(stands) | self.ways.take(ways):
            self._updates_to_check = 0
        self.turns = list(map(self._turn_of, sprites))
        self.is_turning = self.turns.count(0) < len(self.turns)
        # The texture only matters for the solid of a `SpriteCircle`.
        textures = list(map(TEXTURE, sprites)) if self._has_circles else []
        return [self.stands.tuples, *looks, self.turns, textures, own_shapes(sprites)]

    def read_ways(self) -> None:
        """Read the velocities again."""
        self.ways.take(list(map(VELOCITY, self._sprites)))

    def is_going_somewhere(self) -> bool:
        """Return whether positions and speeds are finite and keep all players in range."""
        if self._updates_to_check == 0:
            # NaN and infinity fail this comparison too.
            if not np.abs(self.stands.array + self.ways.array).max() <= FARTHEST:
                return False
            self._updates_to_check = UPDATES_TO_CHECK
        self._updates_to_check -= 1
        try:
            return not self.is_turning or sum(map(fabs, self.turns)) <= FARTHEST
        except (TypeError, OverflowError):
            return False

    def goals(self, starts: NDArray[np.float64], moves: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the goals of the bodies for displacements, (n, 3), without what the turn of an offset box adds."""
        goals = starts.copy()
        goals[:, :2] += moves
        if self.is_turning:
            goals[:, 2] -= np.radians(self.turns)
        return goals

    def write(
        self,
        starts: NDArray[np.float64],
        goals: NDArray[np.float64],
        ends: NDArray[np.float64],
        moves: NDArray[np.float64],
        left: list[int],
    ) -> None:
        """Write the positions of players to their sprites, except those of the places `left`.

        It is `Player.arrive` by arrays, of poses and displacements, (n, 3) and (n, 2).
        """
        stands, sprites, places = self.stands, self._sprites, self.stands.array
        ends, starts, goals = ends[:, :2], starts[:, :2], goals[:, :2]
        put = np.where(ends != starts, ends - self.offsets, places)
        put = np.where(ends == goals, places + moves, put)
        is_changed = (put != places).any(axis=1)
        is_changed[left] = False
        changed = np.flatnonzero(is_changed)
        places[changed] = put[changed]
        for place, position in zip(changed.tolist(), map(tuple, put[changed].tolist()), strict=True):
            sprites[place].position = stands.tuples[place] = position
