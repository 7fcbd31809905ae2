"""The rules of a player in all copies at once: running and jumping, or walking in a game from above."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol, TypeAlias

import gymnasium
import numpy as np
from numpy.typing import NDArray

import impinge as im

__all__ = ["Contacts", "Moves", "Platformer", "PlatformerMoves", "TopDown", "TopDownMoves"]

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]

# The platformer's actions: the direction of the run, and whether the jump key is down.
RUNS: Final = np.array([-1.0, -1.0, 0.0, 0.0, 1.0, 1.0])
JUMPS: Final = np.array([False, True, False, True, False, True])
# The top-down actions: stand still, then eight directions, counter-clockwise from the right.
DIAGONAL: Final = math.sqrt(0.5)
WAYS: Final = np.array(
    [
        (0.0, 0.0),
        (1.0, 0.0),
        (DIAGONAL, DIAGONAL),
        (0.0, 1.0),
        (-DIAGONAL, DIAGONAL),
        (-1.0, 0.0),
        (-DIAGONAL, -DIAGONAL),
        (0.0, -1.0),
        (DIAGONAL, -DIAGONAL),
    ]
)
NEVER: Final = -1


class Contacts(NamedTuple):
    """What the player touched at the end of a frame, in all copies."""

    on_floor: Bools
    floor_rise: Floats  # velocity upwards of the floor
    blocked: NDArray[np.uint8]


class Moves(Protocol):
    """The rules of a player in all copies. It holds their state between frames."""

    space: gymnasium.spaces.Discrete
    speeds: Floats  # largest speeds on both axes, for observations

    def reset(self, copies: Ints) -> None:
        """Forget what the players of some copies did."""

    def velocities(self, actions: Ints, contacts: Contacts) -> Floats:
        """Return the velocity of each player in the next frame, an array of shape (n, 2)."""

    def settle(self, contacts: Contacts) -> None:
        """Note what a frame has brought."""

    def state(self, contacts: Contacts) -> Floats:
        """Return what an agent has to know of it, from -1 to 1: an array of shape (n, 2)."""


@dataclass(frozen=True)
class Platformer:
    """A player that runs and jumps under gravity, like `impinge_arcade.Walker` with `impinge_arcade.Jump`.

    There are six actions: left, stand, right, each without and with the jump key. A jump begins when the key goes down.

    Attributes
    ----------
    run
        Speed to the left and the right, in the game's units per frame.
    jump
        Speed upwards at the take-off.
    gravity
        What the speed downwards gains in each frame.
    max_fall
        Largest speed downwards by gravity.
    coyote, buffer
        Frames after the edge in which a jump is still possible, and before the landing in which a press is remembered.
    times
        Jumps until the next landing.
    cut
        Part of the speed upwards that is left when the key goes up during the rise, from 0 to 1.
    """

    run: float = 4.0
    jump: float = 11.0
    gravity: float = 0.6
    max_fall: float = 16.0
    coyote: int = 4
    buffer: int = 4
    times: int = 1
    cut: float = 0.5

    def moves(self, count: int) -> PlatformerMoves:
        """Return the state of a number of players."""
        return PlatformerMoves(self, count)


@dataclass(frozen=True)
class TopDown:
    """A player that walks in eight directions, seen from above. Action 0 stands still; 1 to 8 go counter-clockwise.

    Attributes
    ----------
    speed
        Its speed, in the game's units per frame.
    """

    speed: float = 4.0

    def moves(self, count: int) -> TopDownMoves:
        """Return the state of a number of players."""
        return TopDownMoves(self)


class PlatformerMoves:
    """Players that run and jump; the rule of each is that of `Platformer`."""

    def __init__(self, rule: Platformer, count: int) -> None:
        self.rule = rule
        self.space = gymnasium.spaces.Discrete(len(RUNS))
        self.speeds = np.array((rule.run, max(rule.jump, rule.max_fall)))
        self.rise = np.zeros(count)  # speed upwards
        self.is_held = np.zeros(count, np.bool_)
        # Frames since the press that is remembered, frames in the air, and jumps since the ground.
        self.pressed_ago = np.full(count, NEVER)
        self.in_air, self.done = np.zeros(count, np.int64), np.zeros(count, np.int64)
        self.is_rising, self.is_released = np.zeros(count, np.bool_), np.zeros(count, np.bool_)

    def reset(self, copies: Ints) -> None:
        """Forget what the players of some copies did."""
        self.rise[copies], self.pressed_ago[copies] = 0.0, NEVER
        for array in (self.is_held, self.in_air, self.done, self.is_rising, self.is_released):
            array[copies] = 0

    def velocities(self, actions: Ints, contacts: Contacts) -> Floats:
        """Return the velocity of each player in the next frame, an array of shape (n, 2)."""
        rule, rise = self.rule, self.rise
        is_held = JUMPS[actions]
        is_pressed, is_let_go = is_held & ~self.is_held, self.is_held & ~is_held
        self.is_held = is_held
        self.pressed_ago[is_pressed] = 0
        self.is_released = (self.is_released | is_let_go) & ~is_pressed
        is_supported = contacts.on_floor & (rise <= 0.0)
        np.maximum(rise - rule.gravity, np.minimum(rise, -rule.max_fall), out=rise)
        self.in_air = np.where(is_supported, 0, self.in_air + 1)
        self.done[is_supported] = 0
        self.is_rising &= ~is_supported
        # After a fall from an edge, the jump from the ground is gone.
        self.done[(self.done == 0) & (self.in_air > rule.coyote)] = 1
        is_wanted = self.pressed_ago >= 0
        jumps = is_wanted & (self.done < rule.times)
        self.done += jumps
        self.in_air[jumps] = rule.coyote + 1
        self.is_rising |= jumps
        rise[jumps] = rule.jump + np.maximum(contacts.floor_rise[jumps], 0.0)
        is_kept = is_wanted & ~jumps & (self.pressed_ago < rule.buffer)
        self.pressed_ago = np.where(is_kept, self.pressed_ago + 1, NEVER)
        is_cut = self.is_rising & self.is_released & (rise > 0.0)
        rise[is_cut] *= rule.cut
        self.is_rising &= ~is_cut
        return np.column_stack((rule.run * RUNS[actions], rise))

    def settle(self, contacts: Contacts) -> None:
        """Stop the vertical speeds at floors and ceilings."""
        is_under = (contacts.blocked & int(im.Side.TOP)) != 0
        self.rise[((self.rise < 0.0) & contacts.on_floor) | ((self.rise > 0.0) & is_under)] = 0.0

    def state(self, contacts: Contacts) -> Floats:
        """Return whether a player is on a floor, and whether its jump key is down."""
        return np.column_stack((contacts.on_floor, self.is_held)).astype(np.float64)


class TopDownMoves:
    """Players that walk in eight directions."""

    def __init__(self, rule: TopDown) -> None:
        self.rule = rule
        self.space = gymnasium.spaces.Discrete(len(WAYS))
        self.speeds = np.array((rule.speed, rule.speed))

    def reset(self, copies: Ints) -> None:
        """Do nothing: a walk has no state."""

    def velocities(self, actions: Ints, contacts: Contacts) -> Floats:
        """Return the velocity of each player in the next frame, an array of shape (n, 2)."""
        return self.rule.speed * WAYS[actions]

    def settle(self, contacts: Contacts) -> None:
        """Do nothing: a walk has no state."""

    def state(self, contacts: Contacts) -> Floats:
        """Return which sides of a player are blocked: -1 for left or bottom, 1 for right or top, on each axis."""
        bits = contacts.blocked.astype(np.int64)
        sides = [(bits & int(side)) != 0 for side in (im.Side.LEFT, im.Side.RIGHT, im.Side.BOTTOM, im.Side.TOP)]
        left, right, bottom, top = (each.astype(np.float64) for each in sides)
        return np.column_stack((right - left, top - bottom))
