"""Explores a level: returns to reached cells, goes on from there with random inputs, and keeps what is new."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypedDict, Unpack

import numpy as np

import impinge as im
from impinge_playtest.archive import Archive, Node, are_nodes
from impinge_playtest.checkpoint import Arrays, Checkpoint
from impinge_playtest.findings import Finding, Route
from impinge_playtest.graph import closed_components, leads_to
from impinge_playtest.judge import Ending, Judge
from impinge_playtest.level import Level
from impinge_playtest.moves import Bools, Moves
from impinge_playtest.replay import ENDINGS
from impinge_playtest.rollouts import CRUSH, FALL, Rollouts
from impinge_playtest.shards import COPIES, Here, Played, Players, Processes, Shard
from impinge_playtest.tracks import Floats, Ints

__all__ = ["Exploration", "Progress", "Run", "explore"]

# Reached cells for each shard of a round, up to 16 shards, and beyond. As many workers can share a round as it has
# shards. But shards do not know each other's finds: with at least 4, `crusher` took 872,000 frames to all goals, with
# at least 1 it took 387,000. Without the 16, a level took 15 % more frames until 200,000 cells were reached.
CELLS_OF_SHARD, CELLS_OF_MORE = 4096, 16_384
SHARDS = 16
# Frames of a rollout, and of those of the first round, which all start in few cells.
FRAMES, FIRST_FRAMES = 96, 192
# Frames that a player stands at first: where it comes to rest is the place to which there must be a way back.
SETTLING = 240
# Rollouts that start in a suspected trap before it is reported, and rounds for that.
TRIES = 1000
ROUNDS_OF_SUSPECTS = 60


class Progress(NamedTuple):
    """How far an exploration has come."""

    frames: int
    cells: int
    reached: int
    areas: int
    falls: int
    crushes: int


@dataclass(frozen=True, slots=True, eq=False)
class Exploration:
    """What an exploration found.

    Attributes
    ----------
    level, moves, seed
        What was played.
    frames, rounds
        How long.
    cells
        Number of cells that were reached.
    places, first
        Positions that were reached, (n, 2), and the fewest frames until each.
    cell_size
        Sides of these positions.
    routes
        The shortest route found to each goal and coin that was reached.
    findings
        What is wrong, in the order of `KINDS`.
    unconfirmed
        Number of findings that a world of its own did not repeat. They are not reported. More than 0 is an error of
        this library.
    """

    level: Level
    moves: Moves
    seed: int
    frames: int
    rounds: int
    cells: int
    places: Floats
    first: Ints
    cell_size: float
    routes: tuple[Route, ...]
    findings: tuple[Finding, ...]
    unconfirmed: int


class Run(TypedDict, total=False):
    """Where an exploration runs, and how it survives: keywords of `explore` that do not change its result."""

    workers: int
    ray: str | None
    checkpoint: Path | str | None
    resume: bool


def explore(
    level: Level,
    moves: Moves,
    *,
    frames: int = 3_000_000,
    seconds: float | None = None,
    seed: int = 0,
    cell_size: float | None = None,
    progress: Callable[[Progress], object] | None = None,
    **run: Unpack[Run],
) -> Exploration:
    """Explore a level.

    Parameters
    ----------
    level, moves
        The level, and what a player can do.
    frames
        Frames to play. The check of suspected traps plays more.
    seconds
        Time after which no further round begins, None for no limit. With a limit, results depend on the machine.
    seed
        Seed of all random numbers. The same seed gives the same result, wherever it is played.
    cell_size
        Sides of a cell, in the game's units; by default half the shorter side of the player.
    progress
        Called after each round. If it raises an error, the checkpoint is written first.
    workers : int, default 1
        Number of processes; 1 for this one only.
    ray : str, optional
        Play on a Ray cluster instead: its address, "auto" for the one of this machine, or "local" to start Ray here.
        A worker or a node that ends costs the work that it did then. Needs ``impinge[ray]``.
    checkpoint : path, optional
        A file to write the state to, each minute and when all frames are played.
    resume : bool, default False
        Go on from the checkpoint. The result is that of an exploration without a break.

    Raises
    ------
    impinge.ShapeError
        If a number is out of range.
    ValueError
        If `checkpoint` is no checkpoint, is damaged, or is of another level, moves, seed, cell size or version.
    ConnectionError, ModuleNotFoundError
        If no cluster answers at the address, or Ray is not installed.
    OSError
        If the checkpoint cannot be read or written.

    Examples
    --------
    >>> from impinge_playtest import Area, TopDown, level_from_world
    >>> world = im.World()
    >>> for x, y, width, height in ((0, 55, 110, 10), (0, -55, 110, 10), (-55, 0, 10, 100), (55, 0, 10, 100)):
    ...     wall = world.add(im.Box(width, height), im.Pose(x, y), might=1)
    >>> hero = world.add(im.Box(10, 10), im.Pose(0, 0))
    >>> level = level_from_world(world, hero, goals=[Area("flag", 30, 30, 40, 40), Area("star", 70, 0, 80, 10)])
    >>> found = explore(level, TopDown(speed=5), frames=50_000)
    >>> [(route.name, route.frames) for route in found.routes], [each.name for each in found.findings]
    ([('flag', 6)], ['star'])
    """
    told = _checked(frames, seed, run)
    explorer = _Explorer(level, moves, seed, cell_size)
    path, checkpoint = told["checkpoint"], None
    if path is not None:
        checkpoint = Checkpoint(Path(path), explorer.subject())
        if told["resume"]:
            checkpoint.load(explorer.restore)
    explorer.players = _players(explorer, told)
    try:
        _play_rounds(explorer, frames, seconds, progress, checkpoint)
        return explorer.result(explorer.traps(progress))
    finally:
        explorer.players.close()


def _checked(frames: int, seed: int, run: Run) -> Run:
    """Return the keywords with their defaults."""
    told: Run = {"workers": 1, "ray": None, "checkpoint": None, "resume": False}
    for name in run.keys() - told.keys():
        raise TypeError(f"explore() got an unexpected keyword argument {name!r}")
    told.update(run)
    for name, count in (("frames", frames), ("workers", told["workers"])):
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            raise im.ShapeError(f"{name} must be a positive integer, got {count!r}")
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise im.ShapeError(f"seed must be an integer, 0 or more, got {seed!r}")
    if told["ray"] is not None and told["workers"] != 1:
        raise im.ShapeError(f"workers must be 1 with ray, got {told['workers']}")
    if told["resume"] and told["checkpoint"] is None:
        raise im.ShapeError("resume must be False without a checkpoint, got True")
    return told


def _players(explorer: _Explorer, run: Run) -> Players:
    """Return what plays the rounds."""
    played = explorer.level, explorer.moves, explorer.cells.size
    address, workers = run["ray"], run["workers"]
    if address is not None:
        from impinge_playtest.ray_cluster import RayTasks  # an optional package

        return RayTasks(*played, address)
    return Processes(*played, workers) if workers > 1 else explorer.here


def _play_rounds(
    explorer: _Explorer,
    frames: int,
    seconds: float | None,
    progress: Callable[[Progress], object] | None,
    checkpoint: Checkpoint | None,
) -> None:
    """Play the rounds, apart from those that check suspected traps: these begin anew after a break."""
    ends = None if seconds is None else time.monotonic() + seconds
    while explorer.frames < frames and (ends is None or time.monotonic() < ends):
        explorer.play_round()
        try:
            if progress is not None:
                progress(explorer.progress())
        except BaseException:
            if checkpoint is not None:
                checkpoint.save(explorer.state())
            raise
        if checkpoint is not None:
            checkpoint.save_in_time(explorer.state)
    if checkpoint is not None:
        checkpoint.save(explorer.state())


def _shards(cells: int) -> int:
    """Return the number of shards of a round."""
    return max(1, min(cells // CELLS_OF_SHARD, SHARDS), cells // CELLS_OF_MORE)


class _Explorer:
    """The state of an exploration."""

    def __init__(self, level: Level, moves: Moves, seed: int, size: float | None) -> None:
        self.level, self.moves, self.seed = level, moves, seed
        self.here = Here(level, moves, size)
        self.cells = self.here.rollouts.cells
        self.frames = self.rounds = 0
        bounds = level.size
        self.near = 2.0 * max(bounds.right - bounds.left, bounds.top - bounds.bottom)
        self.touches: dict[int, tuple[int, Node]] = {}
        self.endings: dict[tuple[int, int, int], Ending] = {}
        self._settle()
        self.players: Players = self.here
        self._news = self.archive.cells.copy(), self.archive.frames.copy()

    def _settle(self) -> None:
        """Start the archive, and stand until the player is at rest."""
        rollouts = Rollouts(self.level, self.moves, self.cells, 1)
        first = rollouts.first()
        position = self.cells.positions(rollouts.places_of(first))
        cell = int(self.cells.numbers(position, self.moves.stance(first.states), first.frames)[0])
        self.archive = Archive(self.cells.total, first, cell)
        inputs = np.zeros((1, SETTLING), np.int64)
        found = rollouts.play(first, inputs, self.archive.best.copy())
        self._merge(np.array([[-1, 0]]), first.frames, (found, inputs.astype(np.int8)))
        self.home = np.unique(self.cells.position_of(self.archive.cells[self._rests()]))

    def subject(self) -> dict[str, Any]:
        """Return what is played, for `Checkpoint`. Another version of the library may play otherwise."""
        given = {"seed": self.seed, "cell_size": self.cells.size, "version": im.__version__}
        return {"level": f"{self.level.name} {self.level.fingerprint()[:16]}", "moves": self.moves.settings(), **given}

    def state(self) -> Arrays:
        """Return all that later rounds depend on, for `restore`."""
        touches = [(area, total, *node) for area, (total, node) in self.touches.items()]
        endings = [(*tile, *ending.node, ending.frames, ending.times) for tile, ending in self.endings.items()]
        return {
            "played": np.array([self.frames, self.rounds]),
            "touches": np.array(touches, np.int64).reshape(-1, 4),
            "endings": np.array(endings, np.int64).reshape(-1, 7),
            "places": np.array([ending.place for ending in self.endings.values()]).reshape(-1, 2),
            **self.archive.arrays(),
        }

    def restore(self, state: Arrays) -> None:
        """Take the place of an exploration whose `state` is given."""
        self.archive.restore(state)
        self._check(state)
        self.frames, self.rounds = state["played"].tolist()
        self.touches = {area: (total, (rollout, steps)) for area, total, rollout, steps in state["touches"].tolist()}
        self.endings = {
            (why, column, row): Ending((rollout, steps), frames, (x, y), times)
            for (why, column, row, rollout, steps, frames, times), (x, y) in zip(
                state["endings"].tolist(), state["places"].tolist(), strict=True
            )
        }
        self._news = self.archive.cells.copy(), self.archive.frames.copy()

    def _check(self, state: Arrays) -> None:
        """Raise a ValueError if a state is none of an exploration, apart from its archive."""
        lengths, inputs, touches, endings = (state[name] for name in ("lengths", "inputs", "touches", "endings"))
        areas = len(self.level.goals) + len(self.level.coins)
        good = {
            "played": state["played"].shape == (2,) and state["played"].min() >= 0,
            "inputs": inputs.min(initial=0) >= 0 and inputs.max(initial=0) < len(self.moves.names),
            "touches": touches.ndim == 2
            and ((touches[:, 0] >= 0) & (touches[:, 0] < areas) & (touches[:, 1] >= 0)).all()
            and are_nodes(touches[:, 2:4], lengths, len(lengths)),
            "endings": endings.ndim == 2
            and np.isin(endings[:, 0], list(ENDINGS)).all()
            and are_nodes(endings[:, 3:5], lengths, len(lengths))
            and (endings[:, 5:] >= 0).all(),
            "places": np.isfinite(state["places"]).all(),
        }
        for name, is_good in good.items():
            if not is_good or state[name].dtype.kind not in "if":
                raise ValueError(f"{name} must be those of an exploration, got others")

    def _rests(self) -> Bools:
        """Return in which rows of the archive the player is at rest."""
        return self.moves.is_supported(self.archive.states)

    def play_round(self, among: Ints | None = None) -> None:
        """Play a round, from cells with the greatest weights, or from some rows."""
        random = np.random.default_rng((self.seed, self.rounds))
        shards, nodes, frames = [], [], FRAMES if self.rounds else FIRST_FRAMES
        count = _shards(len(self.archive))
        chosen = self.archive.choose(random, count * COPIES, among)
        for number, rows in enumerate(np.split(chosen, count)):
            nodes.append(self.archive.nodes(rows))
            shards.append(Shard((self.seed, self.rounds, number), self.archive.starts(rows), frames))
        before = self.archive.frames.copy()
        for shard, from_nodes, played in zip(shards, nodes, self.players.play(shards, self._news), strict=True):
            self._merge(from_nodes, shard.starts.frames, played)
        changed = np.ones(len(self.archive), np.bool_)
        changed[: len(before)] = self.archive.frames[: len(before)] != before
        self._news = self.archive.cells[changed], self.archive.frames[changed]
        self.rounds += 1

    def _merge(self, nodes: Ints, started: Ints, played: Played) -> None:
        """Add what a shard has found, whose rollouts started at these nodes and frames."""
        found, inputs = played
        kept = self.archive.merge(nodes, inputs, found)
        self.frames += found.frames
        for area, copy, steps, stood in found.touches.tolist():
            total = int(started[copy]) + steps
            if area not in self.touches or total < self.touches[area][0]:
                self.touches[area] = total, (int(kept[copy]), steps)
            if area < len(self.level.goals) and stood >= 0:
                self.archive.exits[stood] = True
        for (copy, steps, why, _), (x, y) in zip(found.endings.tolist(), found.places.tolist(), strict=True):
            tile = why, math.floor(x / self.near), math.floor(y / self.near)
            ending = Ending((int(kept[copy]), steps), int(started[copy]) + steps, (x, y), 1)
            known = self.endings.get(tile, ending._replace(times=0))
            soonest = ending if ending.frames < known.frames else known
            self.endings[tile] = soonest._replace(times=known.times + 1)

    def progress(self) -> Progress:
        """Return how far it has come."""
        tiles = [why for why, _, _ in self.endings]
        areas = len(self.level.goals) + len(self.level.coins)
        return Progress(self.frames, len(self.archive), len(self.touches), areas, tiles.count(FALL), tiles.count(CRUSH))

    def traps(self, after_round: Callable[[Progress], object] | None) -> list[Ints]:
        """Return rows of the archive from which no way leads back, a group for each closed component.

        A group counts only after many rollouts from it.
        """
        for _ in range(ROUNDS_OF_SUSPECTS):
            groups = self._closed()
            suspects = [rows for rows in groups if self.archive.chosen[rows].sum() < TRIES]
            if not suspects:
                return groups
            self.play_round(np.concatenate(suspects))
            if after_round is not None:
                after_round(self.progress())
        return [rows for rows in self._closed() if self.archive.chosen[rows].sum() >= TRIES]

    def _closed(self) -> list[Ints]:
        archive, rests = self.archive, self._rests()
        edges = archive.row_of(archive.edges())
        is_home = rests & np.isin(self.cells.position_of(archive.cells), self.home)
        suspects = rests & ~leads_to(edges, archive.exits[archive.cells] | is_home)
        return closed_components(edges, len(archive), np.flatnonzero(suspects))

    def result(self, traps: list[Ints]) -> Exploration:
        """Return what was found. Each finding is played again first."""
        judge = Judge(self.level, self.moves, self.archive)
        areas = self.level.goals + self.level.coins
        routes = [
            judge.route(areas[number], self.touches[number][1])
            for number in range(len(areas))
            if number in self.touches
        ]
        positions = self.cells.position_of(self.archive.cells)
        order = np.lexsort((self.archive.frames, positions))
        order = order[np.append(True, np.diff(positions[order]) != 0)]
        found, first = positions[order], self.archive.frames[order]
        places = self.cells.centres(found)
        for number, area in enumerate(areas):
            if number not in self.touches:
                judge.note_unreached(area, places)
        for why in (FALL, CRUSH):
            endings = [ending for (kind, _, _), ending in self.endings.items() if kind == why]
            judge.note_endings(why, endings, self.near)
        entrances = np.array([rows[np.argmin(self.archive.frames[rows])] for rows in traps], np.int64)
        starts = self.archive.starts(entrances)
        at = [self.here.rollouts.places_of(starts.at(slice(n, n + 1)))[0] for n in range(len(entrances))]
        judge.note_traps(traps, entrances, np.array(at).reshape(-1, 2), positions, self.near)
        return Exploration(
            self.level, self.moves, self.seed, self.frames, self.rounds, len(self.archive), places, first,
            self.cells.size, tuple(route for route in routes if route is not None), judge.sorted_findings(),
            judge.unconfirmed,
        )  # fmt: skip
