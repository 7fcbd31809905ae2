"""Break the arrays that kernels get, or those that a world, a fleet or a tree keeps: no call may end the process.

`python tests/oracles/broken_state.py --cases 10000 --seed 7` prints how many cases raised, returned, took too long, or
ended their process. Each batch of cases runs in a fork, and a case that ends it is named.
"""

from __future__ import annotations

import argparse
import inspect
import os
import resource
import signal
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeAlias

import numpy as np

import impinge as im
from forks import fork
from impinge.kernels import compiler
from recorded_calls import record

Rng: TypeAlias = np.random.Generator
Path: TypeAlias = tuple[Any, ...]
# Kernels by name, and arguments of a call of each.
Calls: TypeAlias = list[tuple[str, tuple[Any, ...]]]

ODD_INTEGERS = (
    -(1 << 63),
    (1 << 63) - 1,
    1 << 62,
    -(1 << 40),
    1 << 40,
    1 << 31,
    100_000,
    4096,
    257,
    33,
    2,
    1,
    0,
    -1,
    -2,
)
ODD_FLOATS = (0.0, -1.0, 1.0, 7.5, 1e9, 1e18, -1e18, 1e300, float("inf"), float("-inf"), float("nan"))
# Seconds for a case: a huge counter may keep a kernel busy. And bytes of memory: it may ask for too much.
PATIENCE = 20
MEMORY = 8 << 30
# Numbers that are addresses of C functions and objects: no array has bounds for them.
ADDRESSES = {"functions", "objects", "function", "second", "third", "engine"}


def broken_array(random: Rng, array: np.ndarray[Any, Any]) -> Any:
    """Return an array with odd numbers, another size, or another layout."""
    kind = int(random.integers(12))
    if kind < 6 and array.size:
        broken = array.copy()
        odd: Any = ODD_FLOATS if array.dtype.kind == "f" else ODD_INTEGERS if array.dtype == np.int64 else (0, 1)
        total = (1, 1, 3, array.size)[int(random.integers(4))]
        at = random.integers(array.size, size=total)
        broken.reshape(-1)[at] = [odd[int(i)] for i in random.integers(len(odd), size=total)]
        return broken
    if kind < 8:
        return array[: int(random.integers(len(array) + 1))].copy()
    if kind == 8 and array.ndim == 2:
        return np.ascontiguousarray(array[:, : int(random.integers(array.shape[1] + 1))])
    if kind == 9:
        return array[:0].copy()
    others: tuple[Callable[[], Any], ...] = (
        lambda: array[::-1],
        lambda: array[::2],
        lambda: np.broadcast_to(array[:1], (100_000, *array.shape[1:])) if len(array) else array,
        lambda: array.astype(np.float32),
        lambda: array.view(np.int64) if array.dtype == np.float64 else array.astype(np.float64),
        lambda: array.reshape(-1),
        lambda: array.reshape(1, -1),
        lambda: None,
        lambda: array.tolist(),
    )
    return others[int(random.integers(len(others)))]()


def broken(random: Rng, value: Any) -> Any:
    """Return another value for an array, a number, or a flag."""
    if isinstance(value, np.ndarray):
        return broken_array(random, value)
    if isinstance(value, bool | np.bool_):
        return not value
    if isinstance(value, int | np.integer):
        return int(ODD_INTEGERS[int(random.integers(len(ODD_INTEGERS)))])
    return float(ODD_FLOATS[int(random.integers(len(ODD_FLOATS)))])


def leaves(value: Any, path: Path = ()) -> Iterator[Path]:
    """Yield the paths of the arrays and numbers in arguments."""
    if isinstance(value, tuple):
        for at, each in enumerate(value):
            yield from leaves(each, (*path, at))
    elif isinstance(value, np.ndarray | int | float | np.integer | np.floating | np.bool_):
        yield path


def replaced(value: Any, path: Path, change: Callable[[Any], Any]) -> Any:
    """Return arguments with another value at a path."""
    if not path:
        return change(value)
    parts = [replaced(each, path[1:], change) if at == path[0] else each for at, each in enumerate(value)]
    return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)


def spoiled_call(random: Rng, names: list[str], arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the arguments of a kernel with one to three broken values."""
    paths = [path for path in leaves(arguments) if names[path[0]] not in ADDRESSES]
    for _ in range(int(random.integers(1, 4))):
        path = paths[int(random.integers(len(paths)))]
        try:
            arguments = replaced(arguments, path, lambda value: broken(random, value))
        except TypeError:
            continue  # broken already, to no array
    return arguments


class Scene:
    """A world in the middle of a game, its fleet and its tree, and calls of them."""

    def __init__(self, random: Rng) -> None:
        self.random = random
        self.world = world = im.World(entry_points=False)
        shapes = [
            im.Box(3, 2),
            im.Circle(1.5),
            im.Capsule((0, 0), (3, 1), 0.5),
            im.Polygon([(0, 0), (4, -3), (1, 0), (4, 3)], 0.25),
            im.Compound([(im.Circle(1), im.Pose(1, 0)), (im.Box(1, 2), im.Pose(-1, 0, 0.4))]),
        ]
        only_boxes = bool(random.integers(2))
        for at in range(int(random.integers(2, 60))):
            shape = shapes[0 if only_boxes else int(random.integers(len(shapes)))]
            pose = im.Pose(*random.uniform(0, 25, 2), 0 if only_boxes else random.uniform(-1, 1))
            slope = 0.8 if random.integers(4) == 0 else None
            world.add(shape, pose, might=at % 3, max_slope=slope, snap=1.0, step_height=0.5)
        self.rows = np.array([body.index for body in world])
        for _ in range(2):
            self.move()
            world.step()
        world.at_point((3, 3))
        world.remove(next(iter(world)))
        self.rows = np.array([body.index for body in world])
        self.fleet = im.Fleet(world, 3, threads=1)
        self.fleet.set_velocities(self.rows, random.normal(0, 1, (3, len(self.rows), 3)) * (1, 1, 0.05))
        self.fleet.step(2)
        self.fleet.cast_rays(*random.uniform(0, 25, (2, 3, 4, 2)))
        self.move()

    def move(self) -> None:
        goals = self.world.poses(self.rows) + self.random.normal(0, 2, (len(self.rows), 3)) * (1, 1, 0.1)
        self.world.set_goals(self.rows, goals)

    def calls(self) -> list[Callable[[], object]]:
        world, fleet, random = self.world, self.fleet, self.random
        start, end = im.Pose(*random.uniform(0, 25, 2)), im.Pose(*random.uniform(0, 25, 2), 0.5)
        return [
            world.step,
            world.step,
            lambda: world.at_point((5, 5)),
            lambda: world.in_box(im.Box(9, 9), start),
            lambda: world.along((0, 0), (25, 25)),
            lambda: world.sweep(im.Circle(1), im.Motion(start, end)),
            lambda: world.nearest((3, 4)),
            lambda: world.sector(im.Sector(9, 1), start, occluders=1),
            lambda: world.overlapping_pairs(self.rows[:4], world.poses(self.rows[:4])[:, :2]),
            lambda: self.move(),
            lambda: world.add(im.Circle(2), start, might=1),
            lambda: world.remove(next(iter(world))),
            lambda: world.restore(world.snapshot()),
            lambda: fleet.step(2),
            lambda: fleet.cast_rays(*random.uniform(0, 25, (2, 3, 4, 2))),
            lambda: fleet[0].step(),
            lambda: fleet.set_poses(self.rows, fleet.poses(self.rows)),
        ]

    def holders(self) -> list[tuple[Any, str]]:
        """Return the attributes that hold arrays and counters: of the world, and of the lanes of the fleet."""
        lanes = self.fleet._lanes
        states = [self.world._state, self.fleet._template._state, *(lane.state for lane in lanes)]
        objects = [*states, self.fleet._store, *lanes, *(state.pool for state in states)]
        objects += [state.standing_tree for state in states if state.standing_tree is not None]
        objects += [state.movers for state in states]
        kinds = (np.ndarray, int, float, tuple)
        return [
            (each, name)
            for each in objects
            for name in (vars(each) if hasattr(each, "__dict__") else each.__slots__)
            if isinstance(getattr(each, name), kinds)
        ]

    def spoil(self) -> str:
        """Break one to three attributes; return their names."""
        spoiled = []
        for _ in range(int(self.random.integers(1, 4))):
            holders = self.holders()
            holder, name = holders[int(self.random.integers(len(holders)))]
            value = getattr(holder, name)
            paths = list(leaves(value))
            if not paths:
                continue
            path = paths[int(self.random.integers(len(paths)))]
            setattr(holder, name, replaced(value, path, lambda old: broken(self.random, old)))
            # The state keeps a bundle of its arrays.
            if hasattr(holder, "_kept_bodies"):
                holder._kept_bodies = None
            spoiled.append(f"{type(holder).__name__}.{name}{list(path)}")
        return ", ".join(spoiled)


def spoil_a_world(random: Rng, _: object) -> Iterator[str]:
    """Break what a world or a fleet keeps, and yield its name, then what each of six calls does."""
    scene = Scene(random)
    yield scene.spoil()
    calls = scene.calls()
    for at in random.permutation(len(calls))[:6].tolist():
        try:
            calls[at]()
        except Exception as error:
            yield type(error).__name__
        else:
            yield "returned"


def spoil_a_call(random: Rng, calls: Calls) -> Iterator[str]:
    """Break arguments of a kernel, and yield its name, then what it does."""
    name, arguments = calls[int(random.integers(len(calls)))]
    kernel = compiler.entry_points()[name][0]
    function = compiler.source_of(kernel)
    assert function is not None
    yield name
    try:
        kernel(*spoiled_call(random, list(inspect.signature(function).parameters), arguments))
    except Exception as error:
        yield type(error).__name__
    else:
        yield "returned"


def outcome(spoil: Callable[[], Iterator[str]]) -> tuple[list[str], int]:
    """Run a case in a fork. Return the lines that it yielded, and the signal that ended it, or 0."""
    reads, writes = os.pipe()
    child = fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.alarm(PATIENCE)
        warnings.simplefilter("ignore")
        code = 1
        try:
            for line in spoil():
                os.write(writes, line.encode() + b"\n")
            code = 0
        finally:
            os._exit(code)
    os.close(writes)
    with os.fdopen(reads, "rb") as pipe:
        lines = pipe.read().decode().splitlines()
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0, lines
    return lines, os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0


def run(cases: int, seed: int, calls: Calls | None = None, show: Callable[[str], object] = print) -> int:
    """Try cases, of worlds or of these calls of kernels; return how many ended their process."""
    outcomes, ended = Counter[str](), 0
    for case in range(cases):
        random = np.random.default_rng((seed, case))
        spoil = partial(spoil_a_world, random, None) if calls is None else partial(spoil_a_call, random, calls)
        lines, number = outcome(spoil)
        outcomes.update(lines[1:])
        if number == signal.SIGALRM:
            outcomes["too long"] += 1
            show(f"case {case}: took more than {PATIENCE} s: {lines}")
        elif number:
            ended += 1
            show(f"case {case}: ended by signal {number}: {lines}")
    show(f"{cases} cases: {dict(outcomes)}, {ended} ended their process")
    return ended


def main() -> int:
    """Run the program."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kernels", action="store_true", help="break arguments of recorded calls of kernels")
    chosen = parser.parse_args()
    calls = [(name, before) for name, before, *_ in record()] if chosen.kernels else None
    return 1 if run(chosen.cases, chosen.seed, calls) else 0


if __name__ == "__main__":
    sys.exit(main())
