"""Values read from one sprite: its name for messages, its direction, its speeds, and step or teleport.

Its exact solid is in `shapes`.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Sequence
from math import fabs
from typing import Any, Final

import numpy as np
from arcade import BasicSprite, Sprite
from numpy.typing import NDArray

import impinge as im
from impinge.checks import LARGEST

__all__ = [
    "FARTHEST",
    "are_coordinates",
    "check_ways",
    "facing_pose",
    "is_step",
    "name_of",
    "rows_of",
    "turn",
]


# Pixels. The largest coordinate allowed for a sprite: beyond it, floats cannot represent single pixels.
FARTHEST: Final = 1e15


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


def check_ways(sprites: Sequence[BasicSprite]) -> None:
    """Refuse sprites whose positions or velocities are not finite, or whose velocities lead out of range."""
    for sprite in sprites:
        if not isinstance(sprite, Sprite):  # it has no speed
            continue
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
            f"{name_of(sprite)}: velocity must be finite, and lead to coordinates of at most {FARTHEST:g} in size, got "
            f"{sprite.velocity} and change_angle={turn} at {sprite.position}"
        )
