"""Slow frames of small scenes, found by hill climbing.

A scene has some bodies of 10 to 60 pixels. At its start none overlaps another. In its one frame a body moves by at most
40 pixels and turns by at most 0.5 radians, as in a game. Bodies of the highest rank are walls that move and turn;
those of lower ranks are pushed. The climb changes a scene at random, and keeps a change that makes the frame cost more.

`python tests/oracles/slow_frames.py --bodies 12 --seconds 300 --seed 1` prints the slowest frame that it found, and the
scene as an expression. `--random` draws new scenes only.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

import impinge as im
from impinge import Pose, runtime

SHORTEST, LONGEST = 10.0, 60.0  # pixels, of a body's longer side
FARTHEST, MOST_TURNED = 40.0, 0.5  # pixels and radians that a body moves and turns in the frame
RANKS = 5
# Pixels for each body and side of the square in which a scene is drawn: so that bodies meet several others.
SPACING = 40.0
# Changes in a row that cost no more, after which a climb begins again with another scene.
PATIENCE = 600
# Random scenes of which the slowest one begins a climb.
BEGINNINGS = 20
REPEATS = 3

Rng = np.random.Generator


@dataclass(frozen=True)
class Item:
    """A body of a scene: `x`, `y` and `turn` are the way to its goal."""

    shape: Any
    start: Pose
    x: float
    y: float
    turn: float
    might: int

    @property
    def goal(self) -> Pose:
        return Pose(self.start.x + self.x, self.start.y + self.y, self.start.angle + self.turn)


class Cost(NamedTuple):
    """The cost of a frame: iterations of the event loops, and milliseconds of CPU time."""

    iterations: int
    milliseconds: float


Scene = tuple[Item, ...]
Measure = Callable[[Cost], float]


def made(scene: Scene) -> im.World:
    """Return a world with the bodies of a scene, and with their goals."""
    world = im.World(entry_points=False)
    for item in scene:
        world.add(item.shape, item.start, item.might).goal = item.goal
    return world


def cost_of(scene: Scene, repeats: int = REPEATS) -> Cost:
    """Step a fresh world some times; return the iterations and the shortest time."""
    shortest, iterations = math.inf, 0
    for _ in range(repeats):
        world = made(scene)
        begin = time.thread_time()
        world.step()
        shortest = min(shortest, 1e3 * (time.thread_time() - begin))
        iterations = world.counters.iterations
    return Cost(iterations, shortest)


def random_shape(rng: Rng) -> Any:
    """Return a shape of any kind, with a longer side between the limits."""
    long = float(rng.uniform(SHORTEST, LONGEST))
    short = long * float(rng.uniform(0.15, 1.0))
    kind = rng.integers(7)
    if kind == 0:
        return im.Circle(long / 2)
    if kind == 1:
        return im.Capsule((-(long - short) / 2, 0), ((long - short) / 2, 0), short / 2)
    if kind <= 3:
        return im.Box(long, short)
    if kind == 4:
        # Corners of a convex polygon lie on an ellipse.
        angles = np.sort(rng.uniform(0, 2 * math.pi, rng.integers(3, 8)))
        while np.diff(angles, append=angles[0] + 2 * math.pi).min() < 0.2:
            angles = np.sort(rng.uniform(0, 2 * math.pi, len(angles)))
        corners = [(long / 2 * math.cos(angle), short / 2 * math.sin(angle)) for angle in angles.tolist()]
        return im.Polygon(corners, float(rng.choice([0.0, 0.0, short / 8])))
    if kind == 5:
        wide, thin = long, float(rng.uniform(0.2, 0.8)) * short
        return im.Polygon([(0, 0), (wide, 0), (wide, thin), (thin, thin), (thin, short), (0, short)])
    return im.Compound([(im.Box(long - short, 0.6 * short), Pose(0, 0)), (im.Circle(short / 2), Pose(-long / 4, 0))])


def random_item(rng: Rng, half: float) -> Item:
    x, y = rng.uniform(-half, half, 2).tolist()
    angle = float(rng.choice([0.0, rng.uniform(-math.pi, math.pi)]))
    way, turn = random_motion(rng)
    return Item(random_shape(rng), Pose(x, y, angle), *way, turn, int(rng.integers(RANKS)))


def random_motion(rng: Rng) -> tuple[tuple[float, float], float]:
    """Return a way and a turn within the limits; some bodies are still, and many do not turn."""
    length = FARTHEST * float(rng.choice([0.0, rng.uniform(), rng.uniform()]))
    angle = float(rng.uniform(-math.pi, math.pi))
    turn = MOST_TURNED * float(rng.choice([0.0, rng.uniform(-1, 1), rng.uniform(-1, 1)]))
    return (length * math.cos(angle), length * math.sin(angle)), turn


def is_free(item: Item, others: Sequence[Item]) -> bool:
    """Return whether a body overlaps none of the others at its start."""
    return not any(im.overlaps(item.shape, item.start, other.shape, other.start) for other in others)


def half_of(bodies: int) -> float:
    """Return half of the side of the square in which so many bodies are drawn."""
    return SPACING * math.sqrt(bodies) / 2


def random_scene(rng: Rng, bodies: int) -> Scene:
    """Draw bodies until so many are free of each other."""
    half = half_of(bodies)
    scene: list[Item] = []
    while len(scene) < bodies:
        item = random_item(rng, half)
        if is_free(item, scene):
            scene.append(item)
        half *= 1.002  # a crowded square grows
    return tuple(scene)


def changed_item(rng: Rng, item: Item, half: float) -> Item:
    """Return a body with another place, motion, rank or shape: a little different, or any."""
    by = 10.0 ** float(rng.uniform(-4, 0))
    step = rng.normal(0, by, 6)
    kind = rng.integers(8)
    if kind == 0:
        return random_item(rng, half)
    if kind == 1:
        return replace(item, might=int(rng.integers(RANKS)))
    if kind == 2:
        return replace(item, shape=random_shape(rng))
    if kind == 3:
        way, turn = random_motion(rng)
        return replace(item, x=way[0], y=way[1], turn=turn)
    start, x, y, turn = item.start, item.x, item.y, item.turn
    if kind in (4, 5):
        x, y = (np.array([x, y]) + FARTHEST * step[:2]).tolist()
        turn = float(np.clip(turn + MOST_TURNED * step[2], -MOST_TURNED, MOST_TURNED))
        shrink = min(1.0, FARTHEST / max(math.hypot(x, y), 1e-300))
        x, y = x * shrink, y * shrink
    if kind in (5, 6, 7):
        moved = np.array([start.x, start.y, start.angle]) + step[3:] * np.array([LONGEST, LONGEST, 1.0])
        start = Pose(*moved.tolist())
    return replace(item, start=start, x=x, y=y, turn=turn)


def changed(rng: Rng, scene: Scene) -> Scene | None:
    """Return a scene of which one to three bodies differ, or None if one of them overlaps another."""
    items = list(scene)
    for place in rng.choice(len(items), min(len(items), int(rng.choice([1, 1, 2, 3]))), replace=False).tolist():
        items[place] = changed_item(rng, items[place], half_of(len(items)))
        if not is_free(items[place], items[:place] + items[place + 1 :]):
            return None
    return tuple(items)


def climb(rng: Rng, bodies: int, measure: Measure, is_over: Callable[[], bool]) -> tuple[Cost, Scene]:
    """Climb until the time is over, each time from another scene; return the worst cost and its scene."""
    worst: tuple[Cost, Scene] = Cost(0, 0.0), ()
    while not is_over():
        beginnings = [random_scene(rng, bodies) for _ in range(BEGINNINGS)]
        here = max(((cost_of(scene), scene) for scene in beginnings), key=lambda found: measure(found[0]))
        failed = 0
        while failed < PATIENCE and not is_over():
            scene = changed(rng, here[1])
            if scene is None:
                continue
            cost = cost_of(scene, 1)
            if measure(cost) > measure(here[0]):
                cost = cost_of(scene)  # the first time may have been that of a page fault
            failed += 1
            if measure(cost) > measure(here[0]):
                here, failed = (cost, scene), 0
        worst = max(worst, here, key=lambda found: measure(found[0]))
    return worst


def draw(rng: Rng, bodies: int, measure: Measure, is_over: Callable[[], bool]) -> tuple[Cost, Scene]:
    """Draw scenes until the time is over; return the worst cost and its scene."""
    worst: tuple[Cost, Scene] = Cost(0, 0.0), ()
    while not is_over():
        scene = random_scene(rng, bodies)
        cost = cost_of(scene, 1)
        if measure(cost) > measure(worst[0]):
            worst = max(worst, (cost_of(scene), scene), key=lambda found: measure(found[0]))
    return worst


def for_seconds(seconds: float) -> Callable[[], bool]:
    """Return a function that says whether so many seconds have passed since this call."""
    end = time.monotonic() + seconds
    return lambda: time.monotonic() >= end


def for_calls(count: int) -> Callable[[], bool]:
    """Return a function that says whether it has been called more often than that."""
    called = [0]

    def is_over() -> bool:
        called[0] += 1
        return called[0] > count

    return is_over


MEASURES: dict[str, Measure] = {"time": lambda cost: cost.milliseconds, "iterations": lambda cost: cost.iterations}


def main() -> None:
    """Climb for some seconds, and print the slowest frame."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--bodies", type=int, default=12)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--by", choices=MEASURES, default="time", help="cost that the climb makes larger")
    parser.add_argument("--random", action="store_true", help="draw random scenes, and do not climb")
    arguments = parser.parse_args()
    runtime.prepare()
    rng = np.random.default_rng([arguments.seed, arguments.bodies])
    search = draw if arguments.random else climb
    cost, scene = search(rng, arguments.bodies, MEASURES[arguments.by], for_seconds(arguments.seconds))
    print(f"{arguments.bodies} bodies, seed {arguments.seed}: {cost.milliseconds:.2f} ms, {cost.iterations} iterations")
    print("(")
    for item in scene:
        print(f"    {item!r},")
    print(")")


if __name__ == "__main__":
    main()
