"""Copies of a level that players play, all in one call: the fleet, the areas, and how an episode begins and ends."""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

import impinge as im
from impinge.batch import Solids, time_of_impact
from impinge.shapes.solids import Solid
from impinge_gym.level import Area, Level
from impinge_gym.players import Contacts, Players
from impinge_playtest.moves import Moves, TopDown
from impinge_playtest.tracks import Tracks

__all__ = ["Areas", "Game", "Situation"]

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]

BOTTOM: Final = int(im.Side.BOTTOM)
# Random starts are before this frame.
LAST_FRAME: Final = 1 << 40


class Situation(NamedTuple):
    """The outcome of a step in n copies. Rewards and ends are functions of it.

    Attributes
    ----------
    positions, previous_positions : (n, 2)
        Where the player is and was, in the game's units.
    distances, previous_distances : (n,)
        To the nearest exit.
    coins : (n,)
        Number of coins collected in this step.
    at_exit, fell, crushed, hurt : (n,) bool
        Whether the player met an exit, is outside of the level, had no room between two bodies, or met something
        deadly.
    episode_steps : (n,)
        Number of steps since the episode began.
    length : float
        Distance from the first spawn to the nearest exit; 1 without exits.
    """

    positions: Floats
    previous_positions: Floats
    distances: Floats
    previous_distances: Floats
    coins: Ints
    at_exit: Bools
    fell: Bools
    crushed: Bools
    hurt: Bools
    episode_steps: Ints
    length: float


class Areas:
    """Areas of a level, and the players of all copies that meet them."""

    def __init__(self, player: Solid, count: int, areas: tuple[Area, ...]) -> None:
        self.count = count
        self.solids = Solids([*[player] * count, *(shape for shape, _ in areas)])
        self.poses = np.array([(pose.x, pose.y, pose.angle) for _, pose in areas]).reshape(-1, 3)
        self.bounds = np.array([shape.bounds(pose) for shape, pose in areas]).reshape(-1, 4)
        self.box = np.array(player.bounds())

    def met(self, starts: Floats, ends: Floats) -> Bools:
        """Return which areas (a) each player (n) meets on a straight way, an array of shape (n, a)."""
        low, high = np.minimum(starts, ends) + self.box[:2], np.maximum(starts, ends) + self.box[2:]
        found: Bools = (low[:, :1] <= self.bounds[:, 2]) & (high[:, :1] >= self.bounds[:, 0])
        found &= (low[:, 1:] <= self.bounds[:, 3]) & (high[:, 1:] >= self.bounds[:, 1])
        pairs = np.argwhere(found)
        if len(pairs):
            first, last = (
                np.concatenate((np.column_stack((places, np.zeros(self.count))), self.poses))
                for places in (starts, ends)
            )
            found[pairs[:, 0], pairs[:, 1]] = time_of_impact(
                self.solids, first, last, np.add(pairs, (0, self.count))
            ).hit
        return found


class Game:
    """A number of copies of a level.

    Attributes
    ----------
    fleet
        The copies.
    players
        What the players do with actions.
    positions : (n, 2)
        Where the players are.
    distances : (n,)
        From there to the nearest exit.
    collected : (n, coins) bool
        Which coins are gone.
    frames : (n,)
        The frames of the moving bodies.
    steps : (n,)
        Steps since the episodes began.
    """

    def __init__(
        self, level: Level, rule: Moves, count: int, *, frame_skip: int = 1, threads: int | None = None
    ) -> None:
        self.level, self.count, self.frame_skip = level, count, frame_skip
        self.tracks = Tracks(level.tracks)
        self.fleet = im.Fleet(level.world, count, threads=threads, moving=[level.player, *self.tracks.bodies])
        self.player = np.array([level.player])
        body = level.world.body(level.player)
        self.is_walker = body.max_slope is not None
        self.players = Players(rule, count)
        self.has_ceiling = isinstance(rule, TopDown)
        self.areas = Areas(body.shape, count, (*level.exits, *level.coins, *level.deadly))
        self.frames = np.zeros(count, np.int64)
        self.steps = np.zeros(count, np.int64)
        self.collected = np.zeros((count, len(level.coins)), np.bool_)
        self.length = float(level.distances(level.spawns[:1])[0]) or 1.0
        self.positions = np.tile(level.spawns[:1], (count, 1))
        self.distances = level.distances(self.positions)
        self.contacts = self._contacts()

    def reset(self, copies: Ints, random: np.random.Generator | None) -> None:
        """Begin an episode in some copies: at a random spawn and frame, or at the first ones without a generator."""
        level, fleet, total = self.level, self.fleet, len(copies)
        fleet.reset(copies)
        spawns, frames = np.zeros(total, np.int64), np.zeros(total, np.int64)
        if random is not None:
            spawns = random.integers(len(level.spawns), size=total)
            frames = random.integers(min(self.tracks.lead + self.tracks.cycle, LAST_FRAME), size=total)
        self.positions, self.distances = self.positions.copy(), self.distances.copy()  # rewards may keep the old ones
        self.positions[copies] = level.spawns[spawns]
        self.distances[copies] = level.distances(self.positions[copies])
        fleet.set_poses(self.player, self.positions[copies][:, None], copies)
        self.frames[copies] = frames
        if len(self.tracks.bodies):
            fleet.set_poses(self.tracks.bodies, self.tracks.poses(frames), copies)
        self.players.reset(copies)
        self.steps[copies], self.collected[copies] = 0, False
        on_floor, floor_rise, blocked = self._contacts()
        self.contacts.on_floor[copies] = on_floor[copies]
        self.contacts.floor_rise[copies] = floor_rise[copies]
        self.contacts.blocked[copies] = blocked[copies]

    def step(self, actions: Ints) -> Situation:
        """Hold the actions for the frames of a step; what happens after the end of an episode does not count."""
        level, before, far = self.level, self.positions, self.distances
        exits, coins = len(level.exits), len(level.coins)
        fell, crushed = (np.zeros(self.count, np.bool_) for _ in range(2))
        met = np.zeros((self.count, len(self.areas.poses)), np.bool_)
        for _ in range(self.frame_skip):
            is_over = fell | crushed | _any(met[:, :exits]) | _any(met[:, exits + coins :])
            start = self.positions
            self._advance(actions)
            goes_on = ~is_over
            met |= self.areas.met(start, self.positions) & goes_on[:, None]
            fell |= self._outside() & goes_on
            crushed |= (self.fleet.stuck(self.player)[:, 0] != 0) & goes_on
        taken = met[:, exits : exits + coins] & ~self.collected
        self.collected |= taken
        self.steps += 1
        self.distances = level.distances(self.positions)
        return Situation(
            positions=self.positions,
            previous_positions=before,
            distances=self.distances,
            previous_distances=far,
            coins=np.count_nonzero(taken, axis=1),
            at_exit=_any(met[:, :exits]),
            fell=fell,
            crushed=crushed,
            hurt=_any(met[:, exits + coins :]),
            episode_steps=self.steps.copy(),
            length=self.length,
        )

    def track_poses(self, copies: Ints) -> Floats:
        """Return where the moving bodies of some copies are, an array of shape (n, bodies, 3)."""
        return self.tracks.poses(self.frames[copies])

    def _advance(self, actions: Ints) -> None:
        """Make a frame."""
        self.fleet.set_velocities(self.player, self.players.velocities(actions)[:, None])
        self.frames += 1
        if len(self.tracks.bodies):
            self.fleet.set_goals(self.tracks.bodies, self.tracks.poses(self.frames))
        self.fleet.step(events=False)
        self.positions = self.fleet.poses(self.player)[:, 0, :2]
        self.contacts = self._contacts()
        self.players.settle(self.contacts)

    def _contacts(self) -> Contacts:
        fleet, player = self.fleet, self.player
        blocked = fleet.blocked(player)[:, 0]
        on_floor = fleet.floors(player)[:, 0] >= 0 if self.is_walker else (blocked & BOTTOM) != 0
        return Contacts(on_floor, fleet.floor_velocities(player)[:, 0, 1], blocked)

    def _outside(self) -> Bools:
        """Return which players have left the level, other than upwards in a platformer."""
        left, bottom, right, top = self.level.bounds
        width, height = self.level.size
        x, y = self.positions.T
        found: Bools = (x < left - width) | (x > right + width) | (y < bottom - height)
        return found | (y > top + height) if self.has_ceiling else found


def _any(flags: Bools) -> Bools:
    """Return whether any flag of each row is set."""
    found: Bools = np.any(flags, axis=1)
    return found
