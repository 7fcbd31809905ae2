"""A long run of one scene that adds and removes all the time: memory, and the times of frames, at its start and end.

`python tests/oracles/soak.py world --minutes 60`, or `sprites`, or `space`. Each tenth of the run is a row.
The scene has the same number of bodies at all times, so neither memory nor times should grow. Times are those of the
processor: other programs do not count.
"""

from __future__ import annotations

import argparse
import gc
import os
import random
import resource
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import impinge as im
from impinge import Pose

ROWS = 10
BODIES = 400  # that come and go
SIZE = 1000.0  # of the arena
LIFE = 200  # frames that a body stays
ELL = im.Polygon([(0, 0), (9, 0), (9, 3), (3, 3), (3, 9), (0, 9)])
SHAPES = (im.Box(8, 8), im.Circle(4), im.Capsule((-5, 0), (5, 0), 3), ELL)


def worlds() -> Iterator[None]:
    """Step a world of walls and movers of all shapes. Bodies come and go, and some frames are taken back."""
    chance, drift, world = random.Random(1), np.random.default_rng(1), im.World(entry_points=False)
    for _ in range(BODIES):
        world.add(chance.choice(SHAPES), place(chance), might=2)
    movers: list[im.Body] = []
    while True:
        while len(movers) < BODIES or chance.random() < 0.5:
            shape = im.Box(chance.uniform(2, 9), 5) if chance.random() < 0.5 else chance.choice(SHAPES)
            movers.append(world.add(shape, place(chance), might=chance.randrange(2), when_stuck="leave"))
        while len(movers) > BODIES:
            world.remove(movers.pop(0))
        rows = [body.index for body in movers]
        world.set_goals(rows, world.positions(rows) + drift.normal(0, 5, (len(rows), 2)))
        before = world.snapshot() if chance.random() < 0.01 else None
        world.step()
        if before is not None:
            world.restore(before)
        world.nearest((0, 0))
        yield


def place(chance: random.Random) -> Pose:
    half = 0.5 * SIZE
    return Pose(chance.uniform(-half, half), chance.uniform(-half, half), chance.uniform(-3, 3))


def sprites() -> Iterator[None]:
    """Update a `PushEngine`: sprites are killed, and others come; the walls move."""
    os.environ.setdefault("ARCADE_HEADLESS", "True")  # Arcade reads it at import
    import arcade

    from impinge_arcade import PushEngine

    chance = random.Random(2)
    walls: arcade.SpriteList[arcade.Sprite] = arcade.SpriteList()
    players: arcade.SpriteList[arcade.Sprite] = arcade.SpriteList()

    def sprite(size: float) -> arcade.Sprite:
        pose = place(chance)
        return arcade.SpriteSolidColor(int(size), int(size), pose.x, pose.y)

    walls.extend(sprite(32) for _ in range(BODIES))
    engine = PushEngine(weak=[players], mighty=walls)
    while True:
        while len(players) < BODIES or chance.random() < 0.5:
            players.append(sprite(chance.choice((8, 12, 16))))
        while len(players) > BODIES:
            players[0].kill()
        for player in players:
            player.change_x, player.change_y = chance.uniform(-5, 5), chance.uniform(-5, 5)
        for wall in walls[: BODIES // 8]:
            wall.change_x = chance.uniform(-2, 2)
        engine.update()
        yield


def spaces() -> Iterator[None]:
    """Step a space with `continuous` and a `push_rule`; bullets are removed by the handler of their collision."""
    import pymunk

    from impinge_pymunk import continuous, push_rule

    chance, space = random.Random(3), pymunk.Space()
    half, bullet, wall, crate, door = 0.5 * SIZE, 1, 2, 3, 4
    corners = [(-half, -half), (half, -half), (half, half), (-half, half)]
    for one, other in zip(corners, [*corners[1:], corners[0]], strict=True):
        edge = pymunk.Segment(space.static_body, one, other, 2)
        edge.collision_type = wall
        space.add(edge)
    for _ in range(BODIES // 8):
        pose = place(chance)
        box = pymunk.Poly.create_box(space.static_body, (20, 20))
        box = pymunk.Poly(space.static_body, [(x + pose.x, y + pose.y) for x, y in box.get_vertices()])
        box.collision_type = wall
        space.add(box)
    doors = [add(space, pymunk.Body(body_type=pymunk.Body.KINEMATIC), (60, 10), place(chance), door) for _ in range(4)]
    for _ in range(BODIES // 16):
        add(space, pymunk.Body(1, 100), (12, 12), place(chance), crate)
    struck: set[pymunk.Body] = set()

    def strike(arbiter: pymunk.Arbiter, space: pymunk.Space, _: Any) -> bool:
        body = arbiter.shapes[0].body
        if body not in struck:
            struck.add(body)
            space.remove(body, *body.shapes)  # Pymunk does it after the step
        return True

    if hasattr(space, "on_collision"):  # Pymunk 7
        space.on_collision(bullet, wall, begin=lambda *arguments: strike(*arguments) and None)
    else:
        space.add_collision_handler(bullet, wall).begin = strike
    push_rule(space, door, crate)
    continuous(space)
    bullets: list[pymunk.Body] = []
    while True:
        bullets = [body for body in bullets if body not in struck]
        struck.clear()
        while len(bullets) < BODIES // 8:
            body = pymunk.Body(1, 10)
            bullets.append(add(space, body, (4, 4), place(chance), bullet))
            body.velocity = chance.uniform(-3000, 3000), chance.uniform(-3000, 3000)
        for body in doors:
            body.velocity = chance.uniform(-60, 60), chance.uniform(-60, 60)
        space.step(1 / 60)
        yield


def add(space: Any, body: Any, size: tuple[float, float], pose: Pose, kind: int) -> Any:
    import pymunk

    body.position = pose.x, pose.y
    box = pymunk.Poly.create_box(body, size)
    box.collision_type = kind
    space.add(body, box)
    return body


SCENES: dict[str, Callable[[], Iterator[None]]] = {"world": worlds, "sprites": sprites, "space": spaces}


def resident() -> float:
    """Return the memory of this process in MB: now where the system tells it, else the most so far."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return pages * resource.getpagesize() / 1e6


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scene", choices=SCENES)
    parser.add_argument("--minutes", type=float, default=60.0)
    chosen = parser.parse_args()
    frames = SCENES[chosen.scene]()
    for _ in range(LIFE):
        next(frames)
    print("minutes     frames  median ms  99.9 % ms  worst ms       MB   objects")
    begun = time.perf_counter()
    for row in range(1, ROWS + 1):
        took = []
        while time.perf_counter() - begun < row / ROWS * 60.0 * chosen.minutes or len(took) < ROWS:
            before = time.thread_time()
            next(frames)
            took.append(1e3 * (time.thread_time() - before))
        gc.collect()
        most = statistics.quantiles(took, n=1000)[-1]
        print(
            f"{row / ROWS * chosen.minutes:7.1f}  {len(took):9}  {statistics.median(took):9.3f}  {most:9.3f}  "
            f"{max(took):8.2f}  {resident():7.1f}  {len(gc.get_objects()):8}",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
