"""Threads and processes: what a world refuses, and what works side by side."""

from __future__ import annotations

import asyncio
import functools
import multiprocessing
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import impinge as im
from forks import fork
from impinge import Box, Circle, Pose, World
from impinge.batch import Solids, overlaps
from scale import some


def crowd(seed, total=150):
    """Return a world of bodies of three ranks, and their rows."""
    random = np.random.default_rng(seed)
    world = World(entry_points=False)
    shapes = [Box(3, 2), Circle(1.5), im.Capsule((0, 0), (3, 1), 0.5)]
    rows = [
        world.add(shapes[i % 3], Pose(*random.uniform(0, 60, 2), i % 2), might=i // 7 % 3).index for i in range(total)
    ]
    return world, rows


def played(seed, frames=15):
    """Return the poses at the end of a game."""
    world, rows = crowd(seed)
    random = np.random.default_rng(seed)
    for _ in range(frames):
        world.set_goals(rows, world.poses(rows) + random.normal(0, 1, (len(rows), 3)))
        world.step()
    return world.poses(rows).tobytes()


@functools.cache
def played_alone(seed):
    return played(seed)


def within_a_step(call):
    """Call a function with a world by a second thread while the first is in a step; return what it raises."""
    world, rows = crowd(1)
    caught = []

    class Lets:
        @im.hookimpl
        def impinge_frame_begin(self):
            with ThreadPoolExecutor(1) as pool:
                caught.append(pool.submit(call, world, world.body(rows[0])).exception())

    world.register(Lets())
    before = world.snapshot()
    twin = World(entry_points=False)
    twin.restore(before)
    world.step()
    twin.step()
    assert world.poses(rows).tobytes() == twin.poses(rows).tobytes()
    return caught[0]


CALLS = {
    "step": lambda world, body: world.step(),
    "add": lambda world, body: world.add(Box(1, 1), Pose(0, 0)),
    "remove": lambda world, body: world.remove(body),
    "goal": lambda world, body: setattr(body, "goal", Pose(1, 1)),
    "pose": lambda world, body: setattr(body, "pose", Pose(1, 1)),
    "angle": lambda world, body: setattr(body, "angle", 1.0),
    "shape": lambda world, body: setattr(body, "shape", Circle(1)),
    "might": lambda world, body: setattr(body, "might", 9),
    "layer": lambda world, body: setattr(body, "layer", 2),
    "snap": lambda world, body: setattr(body, "snap", 2.0),
    "max_slope": lambda world, body: setattr(body, "max_slope", 1.0),
    "set_goals": lambda world, body: world.set_goals([0], [(1, 1)]),
    "set_poses": lambda world, body: world.set_poses([0], [(1, 1)]),
    "snapshot": lambda world, body: world.snapshot(),
    "restore": lambda world, body: world.restore(b""),
    "query": lambda world, body: world.at_point((0, 0)),
    "sector": lambda world, body: world.sector(im.Sector(5, 1), Pose(0, 0)),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_second_thread_is_refused_during_a_step(call):
    error = within_a_step(call)
    assert isinstance(error, RuntimeError)
    assert "second thread" in str(error)


def test_a_second_thread_may_read_during_a_step():
    assert within_a_step(lambda world, body: (body.pose, body.blocked, len(world), world.poses([0]))) is None


def test_two_threads_at_one_world_do_no_harm():
    """Two steps at a time ended the process: one freed and moved the arrays of the other."""
    world, rows = crowd(2)
    refused, done, kept = [], [], []

    def plays(seed):
        random = np.random.default_rng(seed)
        for _ in range(200):
            try:
                world.set_goals(rows, world.poses(rows) + random.normal(0, 1, (len(rows), 3)))
                world.step()
                added = world.add(Circle(1), Pose(5, 5))
                kept.append(added)
                world.remove(added)  # the step of another thread may refuse it
                kept.remove(added)
                world.at_point((5, 5))
                done.append(seed)
            except RuntimeError as error:
                refused.append(str(error))

    threads = [threading.Thread(target=plays, args=(seed,)) for seed in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(done) + len(refused) == 600
    assert all("second thread" in text for text in refused)
    assert len(world) == len(rows) + len(kept)
    world.step()
    assert np.isfinite(world.poses(rows)).all()


@pytest.mark.parametrize("seeds", some([range(4), range(4, 8)]))
def test_worlds_of_several_threads_play_as_alone(seeds):
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(played, seeds)) == [played_alone(seed) for seed in seeds]


def test_a_world_may_change_threads_between_steps():
    world, rows = crowd(3)
    with ThreadPoolExecutor(1) as pool:
        for _ in range(5):
            pool.submit(world.step).result()
            world.step()
    assert np.isfinite(world.poses(rows)).all()


def test_a_step_that_fails_lets_the_next_thread_in():
    class Fails:
        @im.hookimpl
        def impinge_frame_begin(self):
            raise KeyError

    world, _ = crowd(4)
    fails = Fails()
    world.register(fails)
    with pytest.raises(KeyError):
        world.step()
    world.unregister(fails)
    with ThreadPoolExecutor(1) as pool:
        pool.submit(world.step).result()


def test_indices_may_be_overwritten_while_a_batch_runs():
    """The kernel trusted the caller's array, which another thread filled with other numbers: the process ended."""
    solids = Solids([Box(1, 1)] * 64)
    poses = np.random.default_rng(5).uniform(0, 9, (64, 2))
    good = np.random.default_rng(6).integers(0, 64, (20_000, 2))
    pairs, stop = good.copy(), threading.Event()

    def spoils():
        while not stop.is_set():
            pairs[:] = 1 << 40
            pairs[:] = good

    thread = threading.Thread(target=spoils)
    thread.start()
    try:
        for _ in range(100):
            try:
                assert len(overlaps(solids, poses, pairs)) == len(pairs)
            except im.ShapeError as error:
                assert "pairs must be indices below 64" in str(error)  # noqa: PT017  both outcomes are right
    finally:
        stop.set()
        thread.join()


def test_worlds_play_as_alone_among_tasks():
    async def play(seed):
        await asyncio.sleep(0)
        return await asyncio.to_thread(played, seed)

    async def both():
        return await asyncio.gather(play(0), play(1))

    assert asyncio.run(both()) == [played_alone(0), played_alone(1)]


def test_worlds_play_as_alone_in_spawned_processes():
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert pool.map(played, range(2)) == [played_alone(0), played_alone(1)]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
def test_a_forked_world_gives_its_bodies_other_names():
    """Parent and child gave the same names, so a child's snapshot made the parent's handles other bodies."""
    world = World(entry_points=False)
    old = world.add(Box(1, 1), Pose(0, 0), data="old")
    reads, writes = os.pipe()
    child = fork()
    if child == 0:
        world.add(Circle(2), Pose(5, 5))
        with os.fdopen(writes, "wb") as pipe:
            pipe.write(world.snapshot())
        os._exit(0)
    os.close(writes)
    mine = world.add(Box(3, 3), Pose(9, 9), data="mine")
    with os.fdopen(reads, "rb") as pipe:
        world.restore(pipe.read())
    os.waitpid(child, 0)
    assert [body.data for body in world] == ["old", None]
    assert next(iter(world)) is old
    assert repr(mine) == "<Body, removed>"
