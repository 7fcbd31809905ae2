"""What a player can do: inputs, and the velocities that they give, for many players at once.

The rules are those of `impinge_arcade.Walker`, `Jump` and `Ladders`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import impinge as im
from impinge.checks import not_negative, positive
from impinge_playtest.tracks import Floats, Ints

__all__ = ["Moves", "Platformer", "TopDown", "moves_from"]

Bools = NDArray[np.bool_]

LEFT, RIGHT, BOTTOM, TOP = (int(side) for side in (im.Side.LEFT, im.Side.RIGHT, im.Side.BOTTOM, im.Side.TOP))

# Columns of the states of players.
VY, SUPPORTED, FLOOR_VY = range(3)
AIR, DONE, RISING = range(3, 6)  # frames in the air, jumps since the floor, and whether a jump still rises
HELD, PRESSED, RELEASED = range(6, 9)  # the jump key: PRESSED counts frames since a press that is remembered, from 1
ON_LADDER, CLIMBED = range(9, 11)
STATE_COLUMNS = 11


class Moves(ABC):
    """The inputs of a game, and its rules of movement.

    Players are rows of an array of states, whose columns belong to the class.
    """

    names: tuple[str, ...]  # of the inputs; the first one is "stand"
    kind: str
    stances: int  # how many `stance` tells apart

    def states(self, count: int) -> Floats:
        """Return the states of players at the start."""
        return np.zeros((count, STATE_COLUMNS))

    @abstractmethod
    def velocities(self, states: Floats, inputs: Ints, touches_ladder: Bools) -> Floats:
        """Update the states for a frame with these inputs; return the velocities, of shape (n, 2)."""

    @abstractmethod
    def settle(self, states: Floats, blocked: NDArray[np.uint8], is_on_floor: Bools, floor_vy: Floats) -> None:
        """Update the states after a frame by the contacts of the players."""

    @abstractmethod
    def stance(self, states: Floats) -> Ints:
        """Return how the players stand, as small integers: part of the place that they have reached."""

    @abstractmethod
    def is_supported(self, states: Floats) -> Bools:
        """Return which players are at rest, so that their place and their inputs decide what comes next."""

    def drops(self, states: Floats, inputs: Ints) -> Bools:
        """Return which players drop through a one-way platform, if they stand on one."""
        return np.zeros(len(states), np.bool_)

    def settings(self) -> dict[str, Any]:
        """Return the parameters, for `moves_from`."""
        kept = {name: getattr(self, name) for name in self.__dataclass_fields__}  # type: ignore[attr-defined]
        return {"kind": self.kind, **{name: str(each) if each == math.inf else each for name, each in kept.items()}}


@dataclass(frozen=True)
class Platformer(Moves):
    """Run, jump, climb, and drop through one-way platforms. Lengths are in the game's units, per frame.

    Parameters
    ----------
    speed
        Of running.
    jump
        Speed upwards in the first frame of a jump. Arcade's `PhysicsEnginePlatformer.jump(v)` gives `v - gravity`.
    gravity
        What a player's speed downwards gains in each frame.
    max_fall
        Largest speed downwards.
    coyote
        Frames after leaving a floor in which a jump still counts as one from the floor.
    buffer
        Frames before the landing in which a press is remembered.
    jumps
        Jumps until the next landing; 2 for a double jump.
    cut
        Part of the speed upwards that is left when the key is released during the rise, from 0 to 1.
    climb
        Speed on ladders.
    drop
        How far down a player is moved to drop through a one-way platform; 0 if it cannot.

    Raises
    ------
    impinge.ShapeError
        If a number is out of range.

    Examples
    --------
    >>> Platformer(speed=4, jump=12, gravity=0.6).names[:6]
    ('stand', 'left', 'right', 'jump', 'left jump', 'right jump')
    """

    speed: float = 5.0
    jump: float = 19.0
    gravity: float = 1.0
    max_fall: float = math.inf
    coyote: int = 0
    buffer: int = 0
    jumps: int = 1
    cut: float = 1.0
    climb: float = 5.0
    drop: float = 1.0

    kind = "platformer"
    stances = 3
    names = tuple(
        " ".join(filter(None, (way, key))) or "stand"
        for key in ("", "jump", "up", "down")
        for way in ("", "left", "right")
    )

    def __post_init__(self) -> None:
        positive("speed", self.speed)
        for name in ("jump", "gravity", "cut", "climb", "drop"):
            not_negative(name, getattr(self, name))
        if not self.max_fall > 0.0:
            raise im.ShapeError(f"max_fall must be positive, got {self.max_fall!r}")
        for name in ("coyote", "buffer", "jumps"):
            count = getattr(self, name)
            if isinstance(count, bool) or not isinstance(count, int) or count < 0:
                raise im.ShapeError(f"{name} must be an integer, 0 or more, got {count!r}")

    def velocities(self, states: Floats, inputs: Ints, touches_ladder: Bools) -> Floats:  # noqa: D102
        key, way = np.divmod(inputs, 3)
        vy = states[:, VY]
        is_supported = (states[:, SUPPORTED] > 0.0) & (vy <= 0.0)
        vy = np.maximum(vy - self.gravity, np.minimum(vy, -self.max_fall))
        if touches_ladder.any() or states[:, ON_LADDER].any():
            vy = self._climb(states, vy, key, touches_ladder, is_supported)
            is_supported = is_supported | (states[:, ON_LADDER] > 0.0)
        states[:, VY] = self._jump(states, vy, key == 1, is_supported)
        found = np.empty((len(states), 2))
        found[:, 0], found[:, 1] = SPEEDS[way] * self.speed, states[:, VY]
        return found

    def _jump(self, states: Floats, vy: Floats, is_held: Bools, is_supported: Bools) -> Floats:
        """Return the vertical speeds after what the jump key does."""
        was_held = states[:, HELD] > 0.0
        is_pressed = is_held & ~was_held
        pressed = np.where(is_pressed, 1.0, states[:, PRESSED])
        is_released = ((states[:, RELEASED] > 0.0) | (was_held & ~is_held)) & ~is_pressed
        air = np.where(is_supported, 0.0, states[:, AIR] + 1.0)
        done = np.where(is_supported, 0.0, states[:, DONE])
        done[(done == 0.0) & (air > self.coyote)] = 1.0  # fell off: the jump from the ground is gone
        is_wanted = pressed > 0.0
        jumps = is_wanted & (done < self.jumps)
        done[jumps] += 1.0
        air[jumps] = self.coyote + 1.0
        vy = np.where(jumps, self.jump + np.maximum(states[:, FLOOR_VY], 0.0), vy)
        rises = ((states[:, RISING] > 0.0) & ~is_supported) | jumps
        ends = rises & is_released & (vy > 0.0)
        vy = np.where(ends, vy * self.cut, vy)
        states[:, AIR], states[:, DONE], states[:, RISING] = np.minimum(air, self.coyote + 1.0), done, rises & ~ends
        is_kept = is_wanted & ~jumps & (pressed <= self.buffer)
        states[:, HELD], states[:, RELEASED] = is_held, is_released
        states[:, PRESSED] = np.where(is_kept, pressed + 1.0, 0.0)
        return vy

    def _climb(self, states: Floats, vy: Floats, key: Ints, touches: Bools, is_supported: Bools) -> Floats:
        """Return the vertical speeds after what ladders do."""
        wanted = np.where(key == 2, self.climb, np.where(key == 3, -self.climb, 0.0))
        was_on = states[:, ON_LADDER] > 0.0
        is_slow = vy <= np.maximum(np.maximum(wanted, states[:, CLIMBED]), 0.0)
        is_on = is_slow & touches
        climbs = is_on & ((wanted != 0.0) | ~is_supported)
        leaves = ~climbs & was_on & is_slow & (vy > 0.0)  # at the upper end: no hop
        states[:, ON_LADDER], states[:, CLIMBED] = is_on, np.where(is_on, wanted, 0.0)
        return np.where(climbs, wanted, np.where(leaves, 0.0, vy))

    def settle(self, states: Floats, blocked: NDArray[np.uint8], is_on_floor: Bools, floor_vy: Floats) -> None:  # noqa: D102
        vy = states[:, VY]
        vy[((vy < 0.0) & is_on_floor) | ((vy > 0.0) & ((blocked & TOP) != 0))] = 0.0
        states[:, SUPPORTED], states[:, FLOOR_VY] = is_on_floor, floor_vy

    def stance(self, states: Floats) -> Ints:  # noqa: D102
        found: Ints = np.where(self.is_supported(states), 0, 1 + (states[:, VY] > 0.0))
        return found

    def is_supported(self, states: Floats) -> Bools:  # noqa: D102
        found: Bools = ((states[:, SUPPORTED] > 0.0) & (states[:, VY] <= 0.0)) | (states[:, ON_LADDER] > 0.0)
        return found

    def drops(self, states: Floats, inputs: Ints) -> Bools:  # noqa: D102
        found: Bools = (inputs >= 9) & (states[:, SUPPORTED] > 0.0) & (self.drop > 0.0)
        return found


SPEEDS = np.array((0.0, -1.0, 1.0))


@dataclass(frozen=True)
class TopDown(Moves):
    """Walk in eight directions.

    Parameters
    ----------
    speed
        Speed along an axis, in the game's units per frame.
    diagonal
        Part of that speed on each axis when a player walks along both; the root of 0.5 for one speed in all directions.

    Examples
    --------
    >>> TopDown(speed=4).names
    ('stand', 'left', 'right', 'down', 'left down', 'right down', 'up', 'left up', 'right up')
    """

    speed: float = 5.0
    diagonal: float = 1.0

    kind = "topdown"
    stances = 1
    names = tuple(
        " ".join(filter(None, (way, key))) or "stand" for key in ("", "down", "up") for way in ("", "left", "right")
    )

    def __post_init__(self) -> None:
        positive("speed", self.speed)
        positive("diagonal", self.diagonal)

    def velocities(self, states: Floats, inputs: Ints, touches_ladder: Bools) -> Floats:  # noqa: D102
        key, way = np.divmod(inputs, 3)
        found: Floats = np.stack((SPEEDS[way], SPEEDS[key]), axis=1) * self.speed
        found[(key > 0) & (way > 0)] *= self.diagonal
        return found

    def settle(self, states: Floats, blocked: NDArray[np.uint8], is_on_floor: Bools, floor_vy: Floats) -> None:
        """Do nothing: walls do not change what inputs do."""

    def stance(self, states: Floats) -> Ints:  # noqa: D102
        return np.zeros(len(states), np.int64)

    def is_supported(self, states: Floats) -> Bools:  # noqa: D102
        return np.ones(len(states), np.bool_)


def moves_from(settings: dict[str, Any]) -> Moves:
    """Return the moves of `Moves.settings`.

    Raises
    ------
    ValueError
        If there are no moves of this kind.
    """
    given: dict[str, Any] = {
        name: float(each) if isinstance(each, str) else each for name, each in settings.items() if name != "kind"
    }
    for made in (Platformer, TopDown):
        if made.kind == settings.get("kind"):
            return made(**given)
    raise ValueError(f"moves must be 'platformer' or 'topdown', got {settings.get('kind')!r}")
