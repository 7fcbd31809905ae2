"""Time the broadphases of the library, each where it is used against the next best one."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from timing import Contender, compare, machine

import impinge as im
from impinge import runtime
from impinge.fast_bodies import FastBodies
from impinge.kernels import entry
from impinge.near import NearBoxes

SIZE = 24.0  # of all boxes, in pixels
QUERIES = 20


@dataclass(frozen=True, slots=True)
class Size:
    """Numbers of boxes, and turns."""

    all_pairs: int
    few: tuple[int, ...]
    moving: int
    turns: int


FULL = Size(all_pairs=10_000, few=(10, 50), moving=2_000, turns=40)
QUICK = Size(all_pairs=100, few=(10,), moving=50, turns=3)


def places(count: int) -> NDArray[np.float64]:
    """Return places of boxes that cover a tenth of a square."""
    return np.random.default_rng(1).random((count, 2)) * np.sqrt(10.0 * count) * SIZE


def world_of(centres: NDArray[np.float64]) -> tuple[im.World, NDArray[np.int64]]:
    """Return a world of boxes, and their rows."""
    world = im.World(entry_points=False)
    return world, np.array([world.add(im.Box(SIZE, SIZE), im.Pose(x, y)).index for x, y in centres.tolist()])


def swept(bounds: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the pairs that overlap, by sweep and prune."""
    return entry.sweep(bounds, np.argsort(bounds[:, 0], kind="stable"), 0)


def compare_all_pairs(count: int, turns: int) -> None:
    """Compare one sweep with the tree of a world that is there already."""
    centres = places(count)
    bounds = np.hstack((centres - 0.5 * SIZE, centres + 0.5 * SIZE))
    world, rows = world_of(centres)
    poses = world.poses(rows)
    world.overlapping_pairs(rows, poses)
    contenders = [
        Contender("sweep and prune", lambda: swept(bounds), 1),
        Contender("World.overlapping_pairs, the tree is there", lambda: world.overlapping_pairs(rows, poses), 1),
    ]
    compare(f"All pairs of {count:,} boxes, once", "a turn", contenders, turns)


def compare_few(count: int, turns: int) -> None:
    """Compare the broadphase of fast bodies, all of which are fast here, with the sweep of batches."""
    centres = places(count)
    bounds = np.hstack((centres - 0.5 * SIZE, centres + 0.5 * SIZE))
    figures = np.hstack((centres, np.zeros((count, 4))))
    # No way is shorter than a limit below zero.
    fast = FastBodies([(-1.0, 0.0, 0.5 * SIZE)] * count, [(0.0, 0.0, 0.0, 0.0, 0.5 * SIZE)] * count, range(count))

    def pairs_of_fast() -> None:
        fast.find(figures, 0.1, {})
        fast.pairs(figures)

    contenders = [
        Contender("FastBodies, which also finds them", pairs_of_fast, 1),
        Contender("sweep and prune", lambda: swept(bounds), 1),
    ]
    compare(f"All pairs of {count} fast bodies", "a turn", contenders, turns)


def compare_moving(count: int, moving: int, turns: int) -> None:
    """Compare the grid with the tree of a world, if some boxes move before the queries."""
    centres = places(count)
    near = NearBoxes()
    boxes = near.append([(-0.5 * SIZE, -0.5 * SIZE, 0.5 * SIZE, 0.5 * SIZE, 1.0)] * count)
    near.move(boxes, centres)
    world, rows = world_of(centres)
    box, half, asked = im.Box(SIZE, SIZE), 0.5 * SIZE, centres[:QUERIES].tolist()

    def in_grid() -> None:
        near.move(boxes[:moving], centres[:moving])
        for x, y in asked:
            near.met(x - half, y - half, x + half, y + half, half)

    def in_tree() -> None:
        world.set_poses(rows[:moving], centres[:moving])
        for x, y in asked:
            world.in_box(box, im.Pose(x, y))

    contenders = [Contender("NearBoxes", in_grid, 1), Contender("World.in_box", in_tree, 1)]
    compare(f"{QUERIES} queries after {moving:,} of {count:,} boxes moved", "a turn", contenders, turns)


def main(size: Size) -> None:
    runtime.prepare()
    print(machine())
    compare_all_pairs(size.all_pairs, size.turns)
    for count in size.few:
        compare_few(count, 10 * size.turns)
    for moving in (size.moving, 5):
        compare_moving(size.moving, moving, size.turns)


if __name__ == "__main__":
    main(QUICK if "--quick" in sys.argv[1:] else FULL)
