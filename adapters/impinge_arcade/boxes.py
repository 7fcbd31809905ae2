"""Values read from one sprite: its state, name for messages, direction, and step or teleport.

Its exact solid is in `shapes`.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterable
from functools import cache
from math import fabs
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from arcade import BasicSprite, Sprite, SpriteSolidColor
from arcade.hitbox import HitBox, RotatableHitBox
from numpy.typing import NDArray

import impinge as im
from impinge.checks import LARGEST

__all__ = [
    "FARTHEST",
    "Reading",
    "Readings",
    "are_coordinates",
    "check_ways",
    "facing_pose",
    "is_step",
    "name_of",
    "read",
    "reader_of",
    "rows_of",
    "turn",
]


# Pixels. The largest coordinate allowed for a sprite: beyond it, floats cannot represent single pixels.
FARTHEST: Final = 1e15


class Reading(NamedTuple):
    """The state of a sprite; equal readings mean that nothing has changed."""

    position: tuple[float, float]
    velocity: tuple[float, float]
    hit_box: HitBox
    scale: tuple[float, float]
    angle: float


# Readings of many sprites: a list for each field. A tuple for each sprite would give the garbage collector 200 tuples
# to scan in every update, only to find that no wall has moved.
Readings: TypeAlias = list[list[Any]]


def read(sprite: BasicSprite) -> Reading:
    """Read a sprite; without velocity or angle, it counts as still and upright."""
    hit_box = sprite.hit_box
    velocity = sprite.velocity if isinstance(sprite, Sprite) else (0.0, 0.0)
    angle = hit_box.angle if isinstance(hit_box, RotatableHitBox) else 0.0
    return Reading(sprite.position, velocity, hit_box, hit_box.scale, angle)


def reader_of(sprites: list[BasicSprite]) -> Callable[[list[Any]], Readings]:
    """Choose how to read these sprites: by Arcade's slots or by its properties.

    Checking 200 walls for a change takes 16 µs by the slots and 80 by the properties, in every update. Properties are
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


def rows_of(pairs: Iterable[Any]) -> NDArray[np.float64]:
    """Return pairs of numbers as rows of an array.

    Raises
    ------
    TypeError, ValueError, OverflowError
        If an element is not a pair of numbers. NumPy alone would convert numeric text.
    """
    return np.frombuffer(array("d", [each for x, y in pairs for each in (x, y)])).reshape(-1, 2)


def name_of(sprite: object) -> str:
    """Return the name of a sprite for error messages."""
    if isinstance(sprite, BasicSprite):
        return f"{type(sprite).__name__} at {sprite.position}"
    return repr(sprite)


def are_coordinates(*numbers: Any) -> bool:
    """Return whether all values are numbers that a world takes."""
    try:
        return all(abs(number) <= LARGEST for number in numbers)
    except TypeError:
        return False


def turn(degrees: float) -> tuple[float, float]:
    """Return cosine and sine of clockwise degrees; exact for quarter turns, so that a turned tile stays flush."""
    quarters, rest = divmod(degrees, 90.0)
    if rest == 0.0:
        return ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))[int(quarters) % 4]
    return math.cos(math.radians(degrees)), math.sin(math.radians(degrees))


def facing_pose(sprite: BasicSprite, degrees: float | None) -> im.Pose:
    """Return the pose for an action in a direction, in degrees clockwise from up; None is the sprite's own angle."""
    x, y = sprite.position
    if degrees is None:
        degrees = getattr(sprite, "angle", 0.0)
    return im.Pose(x, y, 0.5 * math.pi - math.radians(degrees))


def is_step(sprite: BasicSprite, way: tuple[float, float], size: tuple[float, float]) -> bool:
    """Return whether a displacement counts as a step: at most half the sprite's longer side plus its speed.

    A larger displacement is a teleport by the game.
    """
    speed = sprite.velocity if isinstance(sprite, Sprite) else (0.0, 0.0)
    return math.hypot(*way) <= 0.5 * max(abs(size[0]), abs(size[1])) + math.hypot(*speed)


def check_ways(sprites: list[Sprite]) -> None:
    """Refuse sprites whose positions or velocities are not finite, or whose velocities lead out of range."""
    for sprite in sprites:
        turn = sprite.change_angle
        try:
            (x, y), (across, up) = sprite.position, sprite.velocity
            # NaN and infinity fail this comparison too.
            if fabs(x + across) <= FARTHEST and fabs(y + up) <= FARTHEST and fabs(turn) <= FARTHEST:
                continue
        except (TypeError, ValueError, OverflowError):
            pass  # not a number, not a pair, or an integer too large for a float
        if not are_coordinates(*sprite.position):
            raise im.ShapeError(f"{name_of(sprite)}: position must be finite, and at most {LARGEST:g} in size")
        raise im.ShapeError(
            f"{name_of(sprite)}: velocity must be finite, got {sprite.velocity} and change_angle={turn}"
        )
