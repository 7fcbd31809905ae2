"""Time of a frame of one world among many: `impinge.Fleet`, a loop over worlds, processes, and other engines.

Each world is a room of 273 tiles in which 8 bodies fly about; they get new velocities every 16 frames. The yardstick of
another field, gymnasium's LunarLander on Box2D, is a world of one body with legs; it takes part if it is installed
(`pip install "gymnasium[box2d]"`). A GPU takes part if there is one, with `impinge[cuda]`.
"""

from __future__ import annotations

import argparse
import copy
import importlib.util
import multiprocessing
import os
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.pool import Pool
from typing import Any

import numpy as np
import pymunk
from numpy.typing import NDArray
from timing import Contender, compare, machine

import impinge as im
from impinge import runtime
from impinge.gpu.device import missing

SEED = 1
SIDE = 40  # tiles
TILE = 16.0
TILES = 273
MOVERS = 8
SPEED = 6.0  # pixels a frame
FRAMES_OF_A_VELOCITY = 16

Velocities = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Size:
    """Size of the benchmark: copies of each table, worlds of the loops, frames of a turn, and turns."""

    copies: tuple[int, ...]
    worlds: int
    frames: int
    turns: int


FULL = Size(copies=(64, 1_024, 10_000), worlds=64, frames=32, turns=7)
QUICK = Size(copies=(8,), worlds=2, frames=16, turns=2)
SHAPES = {"boxes": im.Box(12, 12), "capsules": im.Capsule((0, -4), (0, 4), 4)}


def places() -> tuple[Velocities, Velocities]:
    """Return the centres of the tiles, those at the border first, and of the movers."""
    random = np.random.default_rng(SEED)
    cells = np.stack(np.meshgrid(np.arange(SIDE), np.arange(SIDE)), axis=-1).reshape(-1, 2)
    at_border = ((cells == 0) | (cells == SIDE - 1)).any(axis=1)
    inner = random.permutation(cells[~at_border])
    count = TILES - int(at_border.sum())
    tiles = np.concatenate((cells[at_border], inner[:count]))
    return TILE * tiles, TILE * inner[count : count + MOVERS]


def template(shape: im.Circle | im.Box | im.Capsule) -> tuple[im.World, NDArray[np.int64]]:
    """Return a world, and the indices of its movers."""
    tiles, movers = places()
    world = im.World()
    for x, y in tiles.tolist():
        world.add(im.Box(TILE, TILE), im.Pose(x, y), might=1)
    return world, np.array([world.add(shape, im.Pose(x, y)).index for x, y in movers.tolist()])


class Speeds:
    """Velocities of all movers of all copies; every few frames there are others."""

    def __init__(self, copies: int) -> None:
        random = np.random.default_rng(SEED)
        self.values = random.uniform(-SPEED, SPEED, (7, copies, MOVERS, 2))
        self.frame = 0

    def next(self, frames: int) -> Velocities | None:
        """Return the velocities from the next frame on, or None if they stay."""
        before, self.frame = self.frame, self.frame + frames
        is_due = before % FRAMES_OF_A_VELOCITY == 0
        return self.values[before // FRAMES_OF_A_VELOCITY % len(self.values)] if is_due else None


class Loop:
    """Worlds that a Python loop steps."""

    def __init__(self, worlds: int, shape: Any) -> None:
        world, self.rows = template(shape)
        self.worlds = [copy.copy(world) for _ in range(worlds)]
        self.speeds = Speeds(worlds)
        self.velocities = self.speeds.values[0]

    def run(self, frames: int) -> None:
        """Make frames in all worlds."""
        for _ in range(frames):
            new = self.speeds.next(1)
            self.velocities = self.velocities if new is None else new
            for world, velocities in zip(self.worlds, self.velocities, strict=True):
                world.set_goals(self.rows, world.positions(self.rows) + velocities)
                world.step()


class Spaces:
    """Spaces of Pymunk that a Python loop steps: bodies without gravity, elastic as those of a game of pool."""

    def __init__(self, worlds: int) -> None:
        tiles, movers = places()
        self.spaces, self.bodies = [], []
        for _ in range(worlds):
            space = pymunk.Space()
            for x, y in tiles.tolist():
                half = 0.5 * TILE
                corners = [(x + a * half, y + b * half) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
                tile = pymunk.Poly(space.static_body, corners)
                space.add(tile)
            bodies = []
            for x, y in movers.tolist():
                body = pymunk.Body(1, float("inf"))
                body.position = x, y
                box = pymunk.Poly.create_box(body, (12, 12))
                box.filter = pymunk.ShapeFilter(group=1)
                space.add(body, box)
                bodies.append(body)
            self.spaces.append(space)
            self.bodies.append(bodies)
        self.speeds = Speeds(worlds)

    def run(self, frames: int) -> None:
        """Make frames in all spaces."""
        for _ in range(frames):
            new = self.speeds.next(1)
            if new is not None:
                for bodies, velocities in zip(self.bodies, new.tolist(), strict=True):
                    for body, velocity in zip(bodies, velocities, strict=True):
                        body.velocity = velocity[0], velocity[1]
            for space in self.spaces:
                space.step(1.0)


class Copies:
    """A fleet. On a GPU, the velocities are there too."""

    def __init__(self, copies: int, shape: Any, threads: int, device: str = "cpu") -> None:
        world, self.rows = template(shape)
        self.fleet = im.Fleet(world, copies, threads=threads, device=device)
        self.speeds: Any = Speeds(copies)
        if device == "cuda":
            from numba import cuda

            self.speeds.values = [cuda.to_device(values) for values in self.speeds.values]

    def run(self, frames: int, frames_a_call: int) -> None:
        """Make frames in all copies."""
        for _ in range(frames // frames_a_call):
            new = self.speeds.next(frames_a_call)
            if new is not None:
                self.fleet.set_velocities(self.rows, new)
            self.fleet.step(frames_a_call, events=False)


kept: dict[str, Loop] = {}


def run_in_process(worlds: int, shape: str, frames: int) -> None:
    """Make frames in worlds of this process."""
    if shape not in kept:
        kept[shape] = Loop(worlds, SHAPES[shape])
    kept[shape].run(frames)


def lander(worlds: int, frames: int) -> Contender | None:
    """Return gymnasium's LunarLander in a vector environment, or None if it is not installed."""
    if not importlib.util.find_spec("gymnasium") or not importlib.util.find_spec("Box2D"):
        return None
    gymnasium: Any = importlib.import_module("gymnasium")
    env: Any = gymnasium.make_vec("LunarLander-v3", num_envs=worlds, vectorization_mode="sync")
    env.reset(seed=SEED)
    actions = np.random.default_rng(SEED).integers(4, size=(frames, worlds))

    def run() -> None:
        for frame in range(frames):
            env.step(actions[frame])

    return Contender("gymnasium's LunarLander, Box2D, a loop", run, worlds * frames)


def contenders(size: Size, copies: int, shape: str, processes: int, pool: Pool) -> list[Contender]:
    """Return the rows of a table."""
    frames, worlds = size.frames, size.worlds
    loop = Loop(worlds, SHAPES[shape])
    share = -(-worlds // processes)
    rows = [
        Contender(f"a loop over {worlds} worlds", lambda: loop.run(frames), worlds * frames),
        Contender(
            f"{processes} processes, {share} worlds each",
            lambda: pool.starmap(run_in_process, [(share, shape, frames)] * processes, 1),
            share * processes * frames,
        ),
    ]

    def fleet(threads: int, frames_a_call: int, device: str = "cpu") -> Contender:
        many = Copies(copies, SHAPES[shape], threads, device)
        where = "CUDA" if device == "cuda" else f"{threads} thread{'s' * (threads > 1)}"
        name = f"Fleet, {where}, {frames_a_call} frame{'s' * (frames_a_call > 1)} a call"
        run: Callable[[], None] = lambda: many.run(frames, frames_a_call)  # noqa: E731
        return Contender(name, run, copies * frames, work=lambda: f"{many.fleet.bytes_per_copy:,} bytes a copy")

    rows += [fleet(threads, calls) for threads in sorted({1, processes}) for calls in (1, FRAMES_OF_A_VELOCITY)]
    if not missing()[0]:
        rows += [fleet(processes, calls, "cuda") for calls in (1, FRAMES_OF_A_VELOCITY)]
    if shape == "boxes":
        spaces = Spaces(worlds)
        rows.append(Contender(f"a loop over {worlds} of Pymunk's spaces", lambda: spaces.run(frames), worlds * frames))
        yardstick = lander(worlds, frames)
        rows += [] if yardstick is None else [yardstick]
    return rows


def main(size: Size) -> None:
    """Print tables for boxes and for capsules."""
    processes = len(os.sched_getaffinity(0))
    print(machine("pymunk"))
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        for shape in SHAPES:
            for copies in size.copies:
                title = f"A frame of one of {copies:,} worlds: {MOVERS} {shape} among {TILES} tiles"
                compare(title, "a world-frame", contenders(size, copies, shape, processes, pool), size.turns)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="take a moment; the figures mean nothing")
    runtime.prepare()
    main(QUICK if parser.parse_args().quick else FULL)
