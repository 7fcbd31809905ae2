"""What an explorer finds against plain random play, and how fast it plays.

The levels are that of the demo game `crusher`, which is small, and a shaft with ledges on alternating sides. Random
play starts again after 1,200 frames, or when the player is crushed. Both use the same kind of inputs.

With Ray installed, a hall with 336 ledges shows the work of a worker and that of the driver.
"""

from __future__ import annotations

import argparse
import os
import pickle
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from unittest.mock import patch

os.environ.setdefault("ARCADE_HEADLESS", "True")  # Arcade reads it at import
import arcade
import numpy as np
from timing import Contender, compare, machine

import impinge as im
from impinge.kernels import entry
from impinge_demos.crusher import GRAVITY, JUMP, WALK, Game
from impinge_demos.demo import HEIGHT, WIDTH
from impinge_playtest import Area, Level, Moves, Platformer, Progress, explore, level_from_world, play
from impinge_playtest.archive import Archive
from impinge_playtest.explorer import FRAMES, _Explorer, _shards
from impinge_playtest.grid import Cells
from impinge_playtest.maps import areas_of, level_from_engine
from impinge_playtest.rollouts import Rollouts, Starts, random_inputs, usable_inputs
from impinge_playtest.shards import COPIES, Here, Played, Players, Processes, Shard
from impinge_playtest.tracks import Ints

SEED = 1
LIFE = 1_200  # frames of a random life
LEDGES = 16
HALL = 6_000, 1_500


@dataclass(frozen=True, slots=True)
class Size:
    """Size: frames after which cells are counted, shards of a turn, frames of a world, turns, rounds in the hall."""

    counts: tuple[int, ...]
    shards: int
    frames: int
    turns: int
    rounds: int


FULL = Size(counts=(50_000, 200_000, 500_000, 1_000_000), shards=4, frames=2_000, turns=9, rounds=16)
QUICK = Size(counts=(20_000,), shards=1, frames=50, turns=2, rounds=1)


def crusher() -> tuple[Level, Moves]:
    """Return the level of the demo, and what its player can do."""
    arcade.Window(WIDTH, HEIGHT)
    game = Game(seed=0)
    moves = Platformer(speed=WALK, jump=JUMP, gravity=GRAVITY)

    def advance() -> None:
        for mover in game.movers:
            mover.set_speed()
        game.engine.update()

    areas = {"goals": areas_of(game.flags, "flag"), "coins": areas_of(game.coins, "coin")}
    return level_from_engine(game.engine, game.player, moves, advance=advance, name="crusher", **areas), moves


def shaft() -> tuple[Level, Moves]:
    """Return a shaft with 16 ledges, one jump apart. A player that misses a ledge falls back."""
    world = im.World()
    for x, y, width, height in ((200, -10, 440, 20), (-10, 1000, 20, 2000), (410, 1000, 20, 2000)):
        world.add(im.Box(width, height), im.Pose(x, y), might=1)
    coins = []
    for number in range(LEDGES):
        x, y = (130 if number % 2 else 270), 100.0 * (number + 1)
        world.add(im.Box(80, 10), im.Pose(x, y - 5), might=1)
        coins.append(Area(f"ledge {number + 1}", x - 10, y, x + 10, y + 20))
    hero = world.add(im.Box(20, 40), im.Pose(200, 20), max_slope=0.8, step_height=5)
    return level_from_world(world, hero, coins=coins, name="shaft"), Platformer(speed=5.0, jump=12.0, gravity=0.6)


def hall() -> tuple[Level, Moves]:
    """Return a hall of 6,000 by 1,500 with rows of ledges, so large that a round has several shards."""
    world, random, (width, height) = im.World(), np.random.default_rng(SEED), HALL
    for x, y, w, h in (
        (width / 2, -10, width + 40, 20),
        (-10, height / 2, 20, height),
        (width + 10, height / 2, 20, height),
    ):
        world.add(im.Box(w, h), im.Pose(x, y), might=1)
    for y in range(100, height, 100):
        for x in range(0, width, 250):
            world.add(im.Box(100, 10), im.Pose(x + random.uniform(50, 200), y - 5), might=1)
    hero = world.add(im.Box(20, 40), im.Pose(200, 20), max_slope=0.8, step_height=5)
    goal = Area("far", width - 60, height - 200, width - 20, height - 100)
    return level_from_world(world, hero, goals=[goal], name="hall"), Platformer(speed=5.0, jump=12.0, gravity=0.6)


def explored(level: Level, moves: Moves, counts: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """Yield cells and goals that the explorer has reached after so many frames."""
    told: list[Progress] = []
    explore(level, moves, frames=counts[-1], seed=SEED, progress=told.append)
    for count in counts:
        at = next(progress for progress in told if progress.frames >= count)
        yield at.cells, at.reached


def played_at_random(level: Level, moves: Moves, counts: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """Yield cells and goals that random play has reached after so many frames."""
    cells, random = Cells(level, moves), np.random.default_rng(SEED)
    rollouts, usable = Rollouts(level, moves, cells, 32), usable_inputs(level, moves)
    best, touched, frames = np.full(cells.total, np.iinfo(np.int32).max, np.int32), set[int](), 0
    first = rollouts.first()
    starts = Starts(np.repeat(first.rows, 32, axis=0), np.repeat(first.states, 32, axis=0), np.repeat(first.frames, 32))
    for count in counts:
        while frames < count:
            found = rollouts.play(starts, random_inputs(random, usable, 32, LIFE), best)
            frames += found.frames
            touched |= set(found.touches[:, 0].tolist())
        yield int(np.count_nonzero(best < np.iinfo(np.int32).max)), len(touched)


def compare_finds(level: Level, moves: Moves, size: Size) -> None:
    """Print what both have found after so many frames, in a line each: nothing here is a time."""
    total = len(level.goals) + len(level.coins)
    both = zip(explored(level, moves, size.counts), played_at_random(level, moves, size.counts), strict=True)
    for count, (explorer, random) in zip(size.counts, both, strict=True):
        print(
            f"\n{level.name}, {count:,} frames: the explorer found {explorer[0]:,} cells and {explorer[1]} of {total} "
            f"goals, random play {random[0]:,} cells and {random[1]} goals",
            flush=True,
        )


@contextmanager
def timed_kernel() -> Iterator[list[float]]:
    """Measure the seconds in the compiled code of the frames."""
    spent, kernel = [0.0], entry.step_copies

    def timed(*arguments: object) -> int:
        began = time.perf_counter()
        reached: int = kernel(*arguments)
        spent[0] += time.perf_counter() - began
        return reached

    entry.step_copies = timed
    try:
        yield spent
    finally:
        entry.step_copies = kernel


def compare_speeds(level: Level, moves: Moves, size: Size) -> None:
    """Time shards that start in all reached cells: here, in two processes, with threads; and a single world."""
    here = Here(level, moves, None)
    archive, cells = reached(level, moves, here)
    rows = archive.choose(np.random.default_rng(SEED), COPIES)
    shards = [Shard((SEED, 0, number), archive.starts(rows), FRAMES) for number in range(size.shards)]
    news = cells, archive.frames
    processes = Processes(level, moves, None, 2)
    threads = Here(level, moves, None, threads=2)
    inputs = random_inputs(np.random.default_rng(SEED), usable_inputs(level, moves), 1, size.frames)[0]
    frames = size.shards * COPIES * FRAMES
    alone = len(play(level, moves, inputs).places) - 1
    with ray_of_two() as has_ray:
        compare(
            "How fast is it? crusher, rollouts from reached cells",
            "a frame",
            [
                Contender("explorer, one process", lambda: here.play(shards, news), frames),
                Contender("explorer, 2 threads", lambda: threads.play(shards, news), frames),
                Contender("explorer, 2 processes", lambda: processes.play(shards, news), frames),
                Contender("a World of its own", lambda: play(level, moves, inputs), alone),
                *(ray_contenders(level, moves, shards, news) if has_ray else ()),
            ],
            size.turns,
        )
    processes.close()
    with timed_kernel() as spent:
        began = time.perf_counter()
        for _ in range(size.turns):
            here.play(shards, news)
        share = 1.0 - spent[0] / (time.perf_counter() - began)
    print(f"\nShare of the time of one process outside of compiled code: {share:.0%}", flush=True)


@contextmanager
def ray_of_two() -> Iterator[bool]:
    """Start Ray with two workers, if it is installed; tell whether it is."""
    if find_spec("ray") is None:
        yield False
        return
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    import ray

    with ray.init(address="local", num_cpus=2, include_dashboard=False, logging_level="error", log_to_driver=False):
        yield True


def ray_contenders(level: Level, moves: Moves, shards: Sequence[Shard], news: tuple[Ints, Ints]) -> Iterator[Contender]:
    """Yield Ray with one worker, where a task takes both CPUs, and with two."""
    from impinge_playtest import ray_cluster

    tasks, frames = ray_cluster.RayTasks(level, moves, None, "local"), len(shards) * COPIES * FRAMES
    alone = ray_cluster.shard_task.options(num_cpus=2)

    def play_alone() -> list[Played]:
        with patch.object(ray_cluster, "shard_task", alone):
            return list(tasks.play(shards, news))

    yield Contender("explorer, Ray, 1 worker", play_alone, frames)
    yield Contender("explorer, Ray, 2 workers", lambda: list(tasks.play(shards, news)), frames)


class Watched:
    """Plays shards, and adds up what they send and how long it takes."""

    def __init__(self, players: Players) -> None:
        self._players, self.shards, self.sent, self.returned, self.seconds = players, 0, 0, 0, 0.0

    def play(self, shards: Sequence[Shard], news: tuple[Ints, Ints]) -> list[Played]:
        began = time.process_time()
        played = list(self._players.play(shards, news))
        self.seconds += time.process_time() - began
        self.shards += len(shards)
        self.sent += sum(len(pickle.dumps(shard, 5)) for shard in shards)
        self.returned += sum(len(pickle.dumps(each, 5)) for each in played)
        return played

    def close(self) -> None:
        self._players.close()


def share_work(size: Size) -> None:
    """Print the work of a worker and of the driver for a shard, in CPU time: other load hardly changes it."""
    level, moves = hall()
    explorer = _Explorer(level, moves, SEED, None)
    watched = explorer.players = Watched(explorer.here)
    for _ in range(size.rounds):
        explorer.play_round()
    total = watched.shards
    told = (
        f"hall, {total} shards, {len(explorer.archive):,} cells: of a worker, a shard takes "
        f"{watched.seconds / total * 1e3:.0f} ms; {watched.sent / total / 1e3:.0f} kB go there, "
        f"{watched.returned / total / 1e3:,.0f} kB come back"
    )
    with ray_of_two() as has_ray:
        if has_ray:
            best = explorer.archive.best
            told += f"; of the driver {driver_time(level, moves, size.rounds, best) * 1e3:.1f} ms"
            told += f"; in a round, {best.nbytes / 1e3:,.0f} kB go to each node"
    print(f"\n{told}", flush=True)


def driver_time(level: Level, moves: Moves, rounds: int, best: Ints) -> float:
    """Return the CPU seconds of the driver's thread for a shard on Ray, without the first round."""
    from impinge_playtest.ray_cluster import RayTasks

    explorer = _Explorer(level, moves, SEED, None)
    players = explorer.players = RayTasks(level, moves, None, "local")
    explorer.play_round()
    began, shards = time.thread_time(), 0
    for _ in range(rounds - 1):
        shards += _shards(len(explorer.archive))
        explorer.play_round()
    spent = time.thread_time() - began
    players.close()
    assert (explorer.archive.best == best).all()
    return spent / max(shards, 1)


def reached(level: Level, moves: Moves, here: Here) -> tuple[Archive, Ints]:
    """Return an archive after some lives of random play."""
    first = here.rollouts.first()
    cells = here.rollouts.cells
    start = cells.positions(here.rollouts.places_of(first))
    cell = int(cells.numbers(start, moves.stance(first.states), first.frames)[0])
    archive = Archive(cells.total, first, cell)
    random, usable = np.random.default_rng(SEED), usable_inputs(level, moves)
    for _ in range(8):
        rows = archive.choose(random, COPIES)
        nodes, starts = archive.nodes(rows), archive.starts(rows)
        inputs = random_inputs(random, usable, COPIES, FRAMES)
        archive.merge(nodes, inputs.astype(np.int8), here.rollouts.play(starts, inputs, archive.best.copy()))
    return archive, archive.cells


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a small size: the figures mean nothing")
    size = QUICK if parser.parse_args().quick else FULL
    print(machine("arcade"))
    level, moves = crusher()
    compare_finds(level, moves, size)
    compare_finds(*shaft(), size)
    compare_speeds(level, moves, size)
    share_work(size)


if __name__ == "__main__":
    main()
