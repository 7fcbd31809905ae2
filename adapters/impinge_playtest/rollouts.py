"""Rollouts: many players that go on from known states, in a fleet. Compiled code makes their frames."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import impinge as im
from impinge_playtest.grid import Cells, Zone
from impinge_playtest.level import Level
from impinge_playtest.moves import Bools, Moves
from impinge_playtest.tracks import Floats, Ints, Tracks

__all__ = ["CRUSH", "DEATH", "FALL", "NEVER", "Found", "Rollouts", "Starts", "random_inputs", "usable_inputs"]

# How a rollout ends.
CRUSH, FALL, DEATH = 1, 2, 3
# Frames of a cell that was not reached.
NEVER = np.iinfo(np.int32).max
# Frames for which an input is held, drawn with equal chances.
HELD = (1, 2, 4, 8, 16, 32, 64)


class Starts(NamedTuple):
    """States of n players: rows of a fleet, states of their moves, frames since the start of the level."""

    rows: Ints
    states: Floats
    frames: Ints

    def at(self, which: slice) -> Starts:
        """Return some of the states."""
        return Starts(self.rows[which], self.states[which], self.frames[which])


@dataclass(frozen=True, slots=True)
class Found:
    """What the rollouts of a shard found.

    Attributes
    ----------
    cells, copies, steps
        Cells that were reached sooner than before, the copy that did, and after how many frames of its rollout.
    starts
        The states in these cells.
    visits
        All visited cells, and how many frames were spent in each.
    edges
        Pairs of cells: a player that stood in the first one stood next in the second one.
    endings
        For each rollout that ended: copy, frames, one of `CRUSH`, `FALL`, `DEATH`, and the cell in which it stood
        last, or -1.
    places
        Where those ended, of shape (k, 2).
    touches
        Goals and coins, numbered in this order, that were touched: area, copy, frames of the first touch, and the last
        cell in which the player stood, or -1.
    frames
        Frames played.
    """

    cells: Ints
    copies: Ints
    steps: Ints
    starts: Starts
    visits: tuple[Ints, Ints]
    edges: Ints
    endings: Ints
    places: Floats
    touches: Ints
    frames: int


def usable_inputs(level: Level, moves: Moves) -> Ints:
    """Return the inputs that may do something in a level: without ladders nothing is up."""
    names = np.array(moves.names)
    is_up, is_down = np.char.find(names, "up") >= 0, np.char.find(names, "down") >= 0
    if moves.kind == "topdown" or level.ladders:
        return np.arange(len(names))
    useful = ~is_up if len(level.one_way) else ~(is_up | is_down)
    return np.flatnonzero(useful)


def random_inputs(random: np.random.Generator, usable: Ints, count: int, frames: int) -> Ints:
    """Return random inputs, of shape (count, frames), each held for a random time."""
    ends = np.cumsum(random.choice(HELD, (count, frames)), axis=1)
    drawn = random.choice(usable, (count, frames))
    rows, ended = np.repeat(np.arange(count), frames), ends.ravel()
    is_within = ended < frames
    ends_at = np.zeros((count, frames), np.int64)
    ends_at[rows[is_within], ended[is_within]] = 1
    found: Ints = np.take_along_axis(drawn, np.cumsum(ends_at, axis=1), axis=1)
    return found


class Rollouts:
    """A fleet of players of one level.

    Parameters
    ----------
    level, moves, cells
        What is played.
    count
        Number of players.
    threads
        Threads of the fleet.
    """

    def __init__(self, level: Level, moves: Moves, cells: Cells, count: int, threads: int = 1) -> None:
        self.moves, self.cells, self.count = moves, cells, count
        self._player = np.array([level.player])
        self._tracks = Tracks(level.tracks)
        self._fleet = im.Fleet(level.world, count, threads=threads, moving=self._tracks.bodies)
        self._contacts = Contacts(level, self._tracks)
        self._ladders = Zone(level.ladders, level, cells) if level.ladders else None
        self._deadly = Zone(level.deadly, level, cells) if level.deadly else None
        self._goals = Zone(level.goals + level.coins, level, cells)
        self._drops = bool(len(level.one_way)) and moves.kind == "platformer"

    def first(self) -> Starts:
        """Return the state at frame 0."""
        self._fleet.reset()
        return Starts(self._fleet.snapshot([0]), self.moves.states(1), np.zeros(1, np.int64))

    def places_of(self, starts: Starts) -> Floats:
        """Return the positions of the player in n states, of shape (n, 2)."""
        self._fleet.restore(np.arange(len(starts.frames)), starts.rows)
        return self._places()[: len(starts.frames)]

    def play(self, starts: Starts, inputs: Ints, best: NDArray[np.int32]) -> Found:
        """Play n rollouts.

        Parameters
        ----------
        starts
            Where they start, n states.
        inputs : (n, t) int
            The inputs of t frames.
        best : int
            The fewest frames that are known for each cell. The method writes those that it finds.
        """
        used = len(starts.frames)
        fleet, frames = self._fleet, np.zeros(self.count, np.int64)
        frames[:used] = starts.frames
        states = self.moves.states(self.count)
        states[:used] = starts.states
        fleet.restore(np.arange(used), starts.rows)
        log = _Log(frames, used, inputs.shape[1])
        places, floors = self._places(), fleet.floors(self._player)[:, 0]
        positions = self.cells.positions(places)
        log.write(0, places, positions, self._cells(positions, states, frames), self._rest(states))
        given = np.zeros((inputs.shape[1], self.count), np.int64)
        given[:, :used] = inputs.T
        for step, chosen in enumerate(given):
            self._steer(states, chosen, frames, log, step, floors)
            floors, stuck = self._advance(states, frames)
            places = self._places()
            positions = self.cells.positions(places)
            log.write(step + 1, places, positions, self._cells(positions, states, frames), self._rest(states))
            log.end(step, stuck, self._contacts.is_outside(places), self._dies(places, positions))
            self._keep_new(log, step, states, frames, best)
        return log.found(self._goals)

    def _steer(self, states: Floats, inputs: Ints, frames: Ints, log: _Log, step: int, floors: Ints) -> None:
        """Set the velocities and goals of a frame."""
        fleet, touches = self._fleet, np.zeros(self.count, np.bool_)
        if self._ladders is not None:
            touches = self._ladders.touches(log.places[step], log.positions[step])
        if self._drops:
            drops = np.flatnonzero(self.moves.drops(states, inputs) & self._contacts.is_one_way(floors))
            if len(drops):
                lower = log.places[step, drops] - (0.0, getattr(self.moves, "drop", 0.0))
                fleet.set_poses(self._player, lower[:, None], drops)
        fleet.set_velocities(self._player, self.moves.velocities(states, inputs, touches)[:, None])
        if len(self._tracks.bodies):
            fleet.set_goals(self._tracks.bodies, self._tracks.poses(frames + 1))

    def _advance(self, states: Floats, frames: Ints) -> tuple[Ints, Bools]:
        """Make a frame; return the floors of all players, and which of them are stuck."""
        fleet = self._fleet
        fleet.step(events=False)
        frames += 1
        blocked, floors = fleet.blocked(self._player)[:, 0], fleet.floors(self._player)[:, 0]
        is_on_floor, floor_vy = self._contacts.floors(blocked, floors, frames)
        self.moves.settle(states, blocked, is_on_floor, floor_vy)
        return floors, fleet.stuck(self._player)[:, 0] != 0

    def _places(self) -> Floats:
        found: Floats = self._fleet.poses(self._player)[:, 0, :2]
        return found

    def _cells(self, positions: Ints, states: Floats, frames: Ints) -> Ints:
        return self.cells.numbers(positions, self.moves.stance(states), frames)

    def _rest(self, states: Floats) -> Bools:
        return self.moves.is_supported(states)

    def _dies(self, places: Floats, positions: Ints) -> Bools:
        if self._deadly is None:
            return np.zeros(self.count, np.bool_)
        return self._deadly.touches(places, positions)

    def _keep_new(self, log: _Log, step: int, states: Floats, frames: Ints, best: NDArray[np.int32]) -> None:
        """Keep the states of players that reached a cell sooner than before."""
        cells = log.cells[step + 1]
        sooner = np.flatnonzero(log.lives[step + 1] & (frames < best[cells]))
        if not len(sooner):
            return
        order = sooner[np.lexsort((frames[sooner], cells[sooner]))]
        first = order[np.append(True, np.diff(cells[order]) != 0)]
        best[cells[first]] = frames[first]
        log.kept.append(
            (cells[first], first, np.full(len(first), step + 1), self._fleet.snapshot(first), states[first],
             frames[first])
        )  # fmt: skip


class Contacts:
    """What the contacts of a player mean: for the rollouts and for a replay."""

    def __init__(self, level: Level, tracks: Tracks) -> None:
        highest = max((body.index for body in level.world), default=0) + 1
        self._is_one_way = np.zeros(highest + 1, np.bool_)
        self._is_one_way[level.one_way] = True
        self._track_of = np.full(highest + 1, -1)
        self._track_of[tracks.bodies] = np.arange(len(tracks.bodies))
        self._tracks = tracks
        self._walks = level.world.body(level.player).max_slope is not None
        size, border = level.size, level.border
        self._sides = np.array(
            (border.left - size.right, border.bottom - size.top, border.right - size.left, border.top - size.bottom)
        )

    def is_one_way(self, floors: Ints) -> Bools:
        """Return which floors can be passed; -1 is no floor."""
        found: Bools = self._is_one_way[floors]
        return found

    def floors(self, blocked: Ints | np.ndarray, floors: Ints, frames: Ints) -> tuple[Bools, Floats]:
        """Return which players stand on a floor, and how fast it rises."""
        is_on_floor = floors >= 0 if self._walks else (blocked & int(im.Side.BOTTOM)) != 0
        rises = np.zeros(len(floors))
        movers = np.flatnonzero(self._track_of[floors] >= 0)
        if len(movers):
            now = frames[movers]
            moved = self._tracks.poses(now) - self._tracks.poses(now - 1)
            rises[movers] = moved[np.arange(len(movers)), self._track_of[floors[movers]], 1]
        return is_on_floor, rises

    def is_outside(self, places: Floats) -> Bools:
        """Return which players are wholly outside of the border."""
        x, y = places[:, 0], places[:, 1]
        left, bottom, right, top = self._sides
        found: Bools = (x < left) | (y < bottom) | (x > right) | (y > top)
        return found


class _Log:
    """What the players of a call of `Rollouts.play` did, by frame and copy."""

    def __init__(self, started: Ints, used: int, frames: int) -> None:
        count, self._started = len(started), started.copy()
        self.places = np.empty((frames + 1, count, 2))
        self.positions, self.cells = np.empty((frames + 1, count), np.int64), np.empty((frames + 1, count), np.int64)
        self.lives, self.rests = np.zeros((frames + 1, count), np.bool_), np.zeros((frames + 1, count), np.bool_)
        self.lives[0, :used] = True
        self.kept: list[tuple[Ints, Ints, Ints, Ints, Floats, Ints]] = []
        self._endings: list[Ints] = []
        self._ended_at: list[Floats] = []

    def write(self, now: int, places: Floats, positions: Ints, cells: Ints, rests: Bools) -> None:
        self.places[now], self.positions[now], self.cells[now], self.rests[now] = places, positions, cells, rests

    def end(self, step: int, crushed: Bools, fallen: Bools, dead: Bools) -> None:
        """Note the players whose life has ended in this frame."""
        lives = self.lives[step]
        ends = lives & (crushed | fallen | dead)
        self.lives[step + 1] = lives & ~ends
        if ends.any():
            copies = np.flatnonzero(ends)
            why = np.where(dead[copies], DEATH, np.where(fallen[copies], FALL, CRUSH))
            self._endings.append(np.stack((copies, np.full(len(copies), step + 1), why), axis=1))
            self._ended_at.append(self.places[step + 1, copies])

    def found(self, goals: Zone) -> Found:
        """Return what was found. A cell that was found twice counts with the fewest frames, the last ones."""
        lives, stood = self.lives, self._last_stood()
        endings = np.concatenate(self._endings or [np.empty((0, 3), np.int64)])
        before = stood[endings[:, 1] - 1, endings[:, 0]]
        kept = [np.concatenate(each) for each in zip(*self.kept, strict=True)] if self.kept else None
        if kept is None:
            empty = np.empty(0, np.int64)
            kept = [empty, empty, empty, np.empty((0, 0), np.int64), np.empty((0, 0)), empty]
        _, last = np.unique(kept[0][::-1], return_index=True)
        cells, copies, steps, rows, states, frames = (each[len(kept[0]) - 1 - last] for each in kept)
        values, counts = np.unique(self.cells[lives], return_counts=True)
        return Found(
            cells, copies, steps, Starts(rows, states, frames), (values, counts), self._edges(stood),
            np.column_stack((endings, before)), np.concatenate(self._ended_at or [np.empty((0, 2))]),
            self._touches(goals, stood), int(lives[1:].sum()),
        )  # fmt: skip

    def _last_stood(self) -> Ints:
        """Return the last cell in which each player stood until each frame, or -1."""
        frames = np.arange(len(self.cells))[:, None]
        last = np.maximum.accumulate(np.where(self.rests & self.lives, frames, -1), axis=0)
        cells = np.take_along_axis(self.cells, np.maximum(last, 0), axis=0)
        found: Ints = np.where(last >= 0, cells, -1)
        return found

    def _edges(self, stood: Ints) -> Ints:
        first, second = stood[:-1], stood[1:]
        moved = (first >= 0) & (first != second) & self.lives[1:]
        return np.unique(np.stack((first[moved], second[moved]), axis=1), axis=0)

    def _touches(self, goals: Zone, stood: Ints) -> Ints:
        """Return the first touches of areas, as `Found.touches`."""
        steps, copies = np.nonzero(self.lives)
        players, areas = goals.touched(self.places[steps, copies], self.positions[steps, copies])
        steps, copies = steps[players], copies[players]
        order = np.lexsort((copies, self._started[copies] + steps, areas))
        table = np.stack((areas[order], copies[order], steps[order], stood[steps, copies][order]), axis=1)
        # One row for each area and each cell from which it was touched: that of the fewest frames since the start.
        _, first = np.unique(table[:, [0, 3]], axis=0, return_index=True)
        found: Ints = table[np.sort(first)]
        return found
