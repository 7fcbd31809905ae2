"""Arcade's collision checks and platformer engine, and Impinge's replacements of them, on the same sprites.

Impinge's functions are called as by a game that changed only its import. Without a spatial hash, Arcade looks at every
sprite. On more than 1,500 sprites it uses the graphics card by default; here it does not. `arcade-accelerate` replaces
Arcade's functions for good, so it is timed in a process of its own, if it is installed.
"""

from __future__ import annotations

import gc
import math
import os
import random
import statistics
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from itertools import cycle, islice
from typing import Any

from timing import Contender, compare, machine

os.environ.setdefault("ARCADE_HEADLESS", "True")  # Arcade reads it at import
ACCELERATED = "--accelerated"
if ACCELERATED in sys.argv:
    # As its documentation says: before the import of Arcade, or it replaces only half.
    import arcade_accelerate

    arcade_accelerate.bootstrap()
import arcade  # noqa: E402  after arcade-accelerate
from arcade.hitbox import algo_detailed  # noqa: E402

if ACCELERATED not in sys.argv:
    import impinge_arcade

TILE = 32  # pixels, like all lengths here
ROBOT = ":resources:images/animated_characters/robot/robot_fall.png"
CHECKS = 50  # a turn
WAY, STEP = 1000, 4.0  # positions until the walk repeats; pixels between two checks
SIMPLE = 3  # Arcade's method that looks at every sprite
MOST = 1500  # sprites in a list up to which it does so by default

Check = Callable[[arcade.Sprite, Any], list[Any]]


def tile(x: float, y: float) -> arcade.Sprite:
    return arcade.SpriteSolidColor(TILE, TILE, x, y)


@cache
def robot_texture() -> arcade.Texture:
    """Return a texture with a concave hit box of 20 points and more. Arcade traces it at each load, in 30 ms."""
    return arcade.load_texture(ROBOT, hit_box_algorithm=algo_detailed)


def robot(x: float, y: float) -> arcade.Sprite:
    return arcade.Sprite(robot_texture(), scale=0.4, center_x=x, center_y=y)


KINDS: dict[str, Callable[[float, float], arcade.Sprite]] = {"tile": tile, "robot": robot}


def places(side: float, leaps: bool) -> list[tuple[float, float]]:
    """Return the positions of a sprite at each check: along a walk in small steps, or anywhere."""
    rnd = random.Random(1)
    if leaps:
        return [(rnd.uniform(0, side), rnd.uniform(0, side)) for _ in range(WAY)]
    x, y, way, found = 0.5 * side, 0.5 * side, 0.0, []
    for _ in range(WAY):
        way += rnd.uniform(-0.3, 0.3)
        x, y = (x + STEP * math.cos(way)) % side, (y + STEP * math.sin(way)) % side
        found.append((x, y))
    return found


def walk(
    name: str, kind: str, count: int, moving: int, leaps: bool, turns: int, check: Check, *, use_spatial_hash: bool
) -> Contender:
    """Return a contender that checks one sprite that walks or leaps, while some of the others move."""
    make = KINDS[kind]
    side = int(1.5 * count**0.5) + 1
    cells = random.Random(0).sample([(x, y) for x in range(side) for y in range(side)], count)
    sprites: arcade.SpriteList[arcade.Sprite] = arcade.SpriteList(use_spatial_hash, lazy=True)
    sprites.extend([make(TILE * x, TILE * y) for x, y in cells])
    everybody, player, rnd, found = list(sprites), make(0, 0), random.Random(1), [0]
    way = cycle(places(TILE * side, leaps))

    def run() -> None:
        for player.position in islice(way, CHECKS):
            for sprite in rnd.sample(everybody, moving) if moving else ():
                sprite.center_x += rnd.choice((-1, 1))
            found[0] += len(check(player, sprites))

    return Contender(name, run, CHECKS, work=lambda: f"{found[0] / CHECKS / (turns + 1):.2f} found")


def simple(sprite: arcade.Sprite, sprites: Any) -> list[Any]:
    return arcade.check_for_collision_with_list(sprite, sprites, SIMPLE)


def time_accelerated(kind: str, count: int, moving: int, leaps: int, turns: int) -> None:
    """Print the time of Arcade's checks in this process, with and without a spatial hash, in seconds."""
    for check, hashed in ((arcade.check_for_collision_with_list, True), (simple, False)):
        contender = walk("", kind, count, moving, bool(leaps), turns, check, use_spatial_hash=hashed)
        contender.run()
        taken = []
        for _ in range(turns):
            begun = time.perf_counter()
            contender.run()
            taken.append((time.perf_counter() - begun) / CHECKS)
        print(statistics.median(taken), contender.work())


def print_accelerated(kind: str, count: int, moving: int, leaps: bool, turns: int, ours: float) -> None:
    """Print the same for arcade-accelerate, if it is installed."""
    if find_spec("arcade_accelerate") is None:
        return
    command = [sys.executable, __file__, ACCELERATED, kind, str(count), str(moving), str(int(leaps)), str(turns)]
    run = subprocess.run(command, capture_output=True, encoding="utf-8", check=True)
    for name, line in zip(("spatial hash", "without"), run.stdout.splitlines()[-2:], strict=True):
        seconds, work = line.split(maxsplit=1)
        print(f"arcade-accelerate, {name}: {float(seconds) * 1e6:.1f} µs, ratio {float(seconds) / ours:.2f}, {work}")


def checks(kind: str, count: int, turns: int, moving: int, title: str, *, leaps: bool = False) -> None:
    """Time checks of one sprite that walks or leaps among others."""

    def contender(name: str, check: Check, use_spatial_hash: bool) -> Contender:
        return walk(name, kind, count, moving, leaps, turns, check, use_spatial_hash=use_spatial_hash)

    taken = compare(
        f"{count:,} {title}",
        "a check",
        [
            contender("impinge_arcade", impinge_arcade.check_for_collision_with_list, False),
            contender("impinge_arcade, spatial hash", impinge_arcade.check_for_collision_with_list, True),
            contender("arcade, spatial hash", arcade.check_for_collision_with_list, True),
            contender("arcade", simple, False),
        ],
        turns,
    )
    print_accelerated(kind, count, moving, leaps, turns, taken[0])


def storm(targets: int, shots: int, turns: int) -> None:
    """Time a frame in which all sprites move and every shot checks for hits. Arcade's `update` is included."""

    def contender(name: str, check: Check, *, use_spatial_hash: bool) -> Contender:
        rnd, found = random.Random(4), [0]
        lists: list[arcade.SpriteList[arcade.Sprite]] = []
        for count, hashed in ((targets, use_spatial_hash), (shots, False)):
            lists.append(arcade.SpriteList(hashed, lazy=True))
            lists[-1].extend([tile(rnd.uniform(0, 1280), rnd.uniform(0, 720)) for _ in range(count)])
            for sprite in lists[-1]:
                sprite.velocity = rnd.uniform(-3, 3), rnd.uniform(-3, 3)

        def run() -> None:
            for sprites in lists:
                for sprite in sprites:
                    sprite.update()
            for shot in lists[1]:
                found[0] += len(check(shot, lists[0]))

        return Contender(name, run, 1, work=lambda: f"{found[0] / (turns + 1):.0f} found")

    compare(
        f"{targets:,} targets and {shots:,} shots, all of which move",
        "a frame",
        [
            contender("impinge_arcade", impinge_arcade.check_for_collision_with_list, use_spatial_hash=False),
            contender("arcade, spatial hash", arcade.check_for_collision_with_list, use_spatial_hash=True),
            contender("arcade", simple, use_spatial_hash=False),
        ],
        turns,
    )


def platformer(tiles: int, turns: int, walks: bool) -> None:
    """Time an update of an engine with one player on a map of tiles."""
    columns = tiles // 5

    def contender(name: str, engine_class: Any, lists: int = 1, *, use_spatial_hash: bool = True) -> Contender:
        rnd = random.Random(2)
        placed = [tile(TILE * x, TILE * y) for x in range(columns) for y in range(4)]
        placed += [tile(TILE * rnd.randrange(columns), TILE * rnd.randrange(6, 12)) for _ in range(columns)]
        walls: list[arcade.SpriteList[arcade.Sprite]] = []
        for first in range(lists):
            walls.append(arcade.SpriteList(use_spatial_hash, lazy=True))
            walls[-1].extend(placed[first::lists])
        player = arcade.Sprite(ROBOT, scale=0.4, center_x=TILE * columns / 2, center_y=5 * TILE)
        engine = engine_class(player, walls=walls)
        for _ in range(60):
            engine.update()
        updates = [0]

        def run() -> None:
            for _ in range(CHECKS):
                updates[0] += 1
                if walks:
                    player.change_x = 4 if updates[0] % 200 < 100 else -4
                    if updates[0] % 40 == 0 and engine.can_jump():
                        engine.jump(9)
                engine.update()

        return Contender(name, run, CHECKS, work=lambda: f"at {player.center_x:,.0f}, {player.center_y:,.0f}")

    title = "walks and jumps" if walks else "stands"
    compare(
        f"A player {title} on a map of {tiles:,} tiles",
        "an update",
        [
            contender("impinge_arcade", impinge_arcade.PhysicsEnginePlatformer),
            contender("arcade, spatial hash", arcade.PhysicsEnginePlatformer),
            # An engine cannot tell its checks to avoid the graphics card. With short lists they do not use it.
            contender("arcade", arcade.PhysicsEnginePlatformer, tiles // MOST + 1, use_spatial_hash=False),
        ],
        turns,
    )


def taking_up(tiles: int, turns: int) -> None:
    """Time the creation of an engine on a map of tiles, with its first update."""

    def contender(name: str, engine_class: Any, *, is_whole: bool = False) -> Contender:
        walls: arcade.SpriteList[arcade.Sprite] = arcade.SpriteList(use_spatial_hash=True, lazy=True)
        walls.extend([tile(TILE * x, TILE * y) for x in range(tiles // 5) for y in range(5)])
        kept: list[Any] = []

        def run() -> None:
            kept[:] = [engine_class(arcade.SpriteSolidColor(20, 40, TILE * 10, TILE * 4.5 + 20), walls=walls)]
            if is_whole:
                kept.append(kept[0].world)
            kept[0].update()

        def work() -> str:
            kept.clear()
            gc.collect()
            tracemalloc.start()
            run()
            size, _ = tracemalloc.get_traced_memory()
            tracemalloc.stop()
            return f"{size / 1e6:.1f} MB"

        return Contender(name, run, 1, after=kept.clear, work=work)

    compare(
        f"A map of {tiles:,} tiles is taken up",
        "a first update",
        [
            contender("impinge_arcade", impinge_arcade.PhysicsEnginePlatformer),
            contender("impinge_arcade, each tile by itself", impinge_arcade.PhysicsEnginePlatformer, is_whole=True),
            contender("arcade, spatial hash, made before", arcade.PhysicsEnginePlatformer),
        ],
        turns,
    )


def crowd(players: int, walls: int, turns: int) -> None:
    """Time a frame of many players among walls, half of which move."""

    def sprites(*, use_spatial_hash: bool) -> tuple[list[arcade.Sprite], Any, Any]:
        rnd = random.Random(3)
        still: arcade.SpriteList[arcade.Sprite] = arcade.SpriteList(use_spatial_hash, lazy=True)
        moving: arcade.SpriteList[arcade.Sprite] = arcade.SpriteList(lazy=True)
        far = 4 * TILE * walls**0.5
        still.extend([tile(rnd.uniform(0, far), rnd.uniform(0, far)) for _ in range(walls // 2)])
        moving.extend([tile(rnd.uniform(0, far), rnd.uniform(0, far)) for _ in range(walls // 2)])
        for wall in moving:
            wall.change_x = rnd.choice((-2, 2))
            wall.boundary_left, wall.boundary_right = wall.left - 100, wall.right + 100
        crowd = [arcade.SpriteSolidColor(20, 20, rnd.uniform(0, far), rnd.uniform(0, far)) for _ in range(players)]
        for player in crowd:
            player.velocity = rnd.uniform(-3, 3), rnd.uniform(-3, 3)
        return crowd, still, moving

    def theirs(name: str, *, use_spatial_hash: bool) -> Contender:
        crowd, still, moving = sprites(use_spatial_hash=use_spatial_hash)
        engines = [arcade.PhysicsEnginePlatformer(crowd[0], moving, 0, walls=still)]
        engines += [arcade.PhysicsEnginePlatformer(player, None, 0, walls=[still]) for player in crowd[1:]]
        for engine in engines[1:]:
            engine.walls.append(moving)

        def run() -> None:
            for engine in engines:
                engine.update()

        return Contender(name, run, 1)

    ours, still, moving = sprites(use_spatial_hash=False)
    engine = impinge_arcade.PhysicsEngineSimple(ours[0], still, players=ours[1:], moving_walls=moving)
    compare(
        f"{players:,} players among {walls:,} walls, half of which move",
        "a frame",
        [
            Contender("impinge_arcade", engine.update, 1),
            # No spatial hash for moving walls: Arcade advises against it, and is slower with one.
            theirs("arcade, an engine for each, spatial hash for walls at rest", use_spatial_hash=True),
            theirs("arcade, an engine for each", use_spatial_hash=False),
        ],
        turns,
    )


def main() -> None:
    """Print all tables."""
    is_quick = "--quick" in sys.argv[1:]
    print(machine("arcade"))
    turns = 2 if is_quick else 15
    for count in (20, 50) if is_quick else (200, 2000, 20000):
        checks("tile", count, turns, 0, "tiles at rest")
    checks("tile", 50 if is_quick else 2000, turns, 5, "tiles, 5 of them move between two checks")
    checks("tile", 50 if is_quick else 2000, turns, 0, "tiles at rest, for a sprite that leaps", leaps=True)
    checks("robot", 50 if is_quick else 2000, turns, 0, "concave robots at rest")
    for targets, shots in ((10, 5),) if is_quick else ((50, 20), (300, 50), (1000, 100)):
        storm(targets, shots, 2 if is_quick else 30)
    for walks in (False, True):
        platformer(100 if is_quick else 5000, turns, walks)
    taking_up(100 if is_quick else 5000, turns)
    crowd(5 if is_quick else 500, 20 if is_quick else 200, 2 if is_quick else 5)


if __name__ == "__main__":
    if ACCELERATED in sys.argv:
        time_accelerated(sys.argv[2], *map(int, sys.argv[3:]))
    else:
        main()
