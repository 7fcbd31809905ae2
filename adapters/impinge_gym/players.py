"""The players of all copies: actions of agents as inputs of `impinge_playtest.Moves`."""

from __future__ import annotations

import math
from typing import Final, NamedTuple, TypeAlias

import gymnasium
import numpy as np
from numpy.typing import NDArray

import impinge as im
from impinge_playtest.moves import HELD, Moves, Platformer, TopDown
from impinge_playtest.tracks import Floats, Ints

__all__ = ["ACTIONS", "PLATFORMER", "TOP_DOWN", "Contacts", "Players"]

Bools: TypeAlias = NDArray[np.bool_]

# The inputs of the actions, by their names.
ACTIONS: Final = {
    "platformer": ("left", "left jump", "stand", "jump", "right", "right jump"),
    # Stand, then counter-clockwise from the right.
    "topdown": ("stand", "right", "right up", "up", "left up", "left", "left down", "down", "right down"),
}
# The players of environments that are given none.
PLATFORMER: Final = Platformer(speed=4.0, jump=11.0, gravity=0.6, max_fall=16.0, coyote=4, buffer=4, cut=0.5)
TOP_DOWN: Final = TopDown(speed=4.0, diagonal=math.sqrt(0.5))


class Contacts(NamedTuple):
    """What the player touched at the end of a frame, in all copies."""

    on_floor: Bools
    floor_rise: Floats  # velocity upwards of the floor
    blocked: NDArray[np.uint8]


class Players:
    """The players of a number of copies.

    Attributes
    ----------
    rule
        What they can do.
    space
        The actions.
    speeds
        Largest speeds on both axes, for observations.
    states
        Their states between frames, as `Moves.states` makes them.
    """

    def __init__(self, rule: Moves, count: int) -> None:
        self.rule, self.states = rule, rule.states(count)
        self._inputs = np.array([rule.names.index(name) for name in ACTIONS[rule.kind]])
        self._no_ladder = np.zeros(count, np.bool_)
        self.space = gymnasium.spaces.Discrete(len(self._inputs))
        if isinstance(rule, Platformer):
            rise = rule.jump if rule.max_fall == math.inf else max(rule.jump, rule.max_fall)
            self.speeds = np.array((rule.speed, rise))
        else:
            assert isinstance(rule, TopDown)
            self.speeds = np.array((rule.speed, rule.speed))

    def reset(self, copies: Ints) -> None:
        """Forget what the players of some copies did."""
        self.states[copies] = 0.0

    def velocities(self, actions: Ints) -> Floats:
        """Return the velocity of each player in the next frame, an array of shape (n, 2)."""
        return self.rule.velocities(self.states, self._inputs[actions], self._no_ladder)

    def settle(self, contacts: Contacts) -> None:
        """Note what a frame has brought."""
        self.rule.settle(self.states, contacts.blocked, contacts.on_floor, contacts.floor_rise)

    def seen(self, contacts: Contacts) -> Floats:
        """Return what an agent has to know of the players, from -1 to 1: an array of shape (n, 2).

        In a platformer, whether each is on a floor, and whether its jump key is down. From above, which sides are
        blocked: -1 for left or bottom, 1 for right or top, on each axis.
        """
        if isinstance(self.rule, Platformer):
            return np.column_stack((contacts.on_floor, self.states[:, HELD]))
        bits = contacts.blocked.astype(np.int64)
        sides = [(bits & int(side)) != 0 for side in (im.Side.LEFT, im.Side.RIGHT, im.Side.BOTTOM, im.Side.TOP)]
        left, right, bottom, top = (each.astype(np.float64) for each in sides)
        return np.column_stack((right - left, top - bottom))
