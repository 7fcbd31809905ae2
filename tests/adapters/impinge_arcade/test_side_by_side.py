"""Compare Arcade's engines with ours on the same random levels, frame by frame from the same state.

Both are compared with two independent oracles. One finds where tiles stop a box on its straight path, in two thousand
steps. The other moves the box vertically first and then across, as Arcade does. So every difference has a name:

corner
    The two paths end at different places, since Arcade's path cuts the corner.
rounding
    Arcade stops within two pixels of a wall, or a quarter of a pixel above the floor, and at hundredths.
ramp
    Arcade's platformer tries to walk up a ramp. The try hits other walls, which it reports too, or succeeds in mid-air.

Everything else is the same to the last digit, and the same walls are reported as hit in the same order.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from typing import Any

import arcade
import pytest

import impinge_arcade
from scale import some

TILE = 32
WIDTH, HEIGHT = 24, 28
REACH_X, REACH_Y = (WIDTH + TILE) / 2, (HEIGHT + TILE) / 2
STEPS = 2000

Cell = tuple[int, int]
Place = tuple[float, float]


def level(rnd: random.Random) -> tuple[Any, set[Cell]]:
    """Return a closed room with tiles in it."""
    cells = {(x, -4) for x in range(-12, 13)} | {(x, y) for x in (-12, 12) for y in range(-3, 9)}
    cells |= {(x, 8) for x in range(-12, 13)}
    room = [(x, y) for x in range(-11, 12) for y in range(-3, 8)]
    cells |= set(rnd.sample(room, 50))
    walls = arcade.SpriteList()
    walls.extend([arcade.SpriteSolidColor(TILE, TILE, TILE * x, TILE * y) for x, y in sorted(cells)])
    return walls, cells


def stopped(place: Place, by: float, axis: int, cells: set[Cell]) -> Place:
    """Return where tiles stop a box that moves along an axis."""
    reach, across_reach = (REACH_X, REACH_Y) if axis == 0 else (REACH_Y, REACH_X)
    start, across = place[axis], place[1 - axis]
    end = start + by
    for cell in cells:
        at, beside = TILE * cell[axis], TILE * cell[1 - axis]
        if abs(across - beside) < across_reach:
            if by > 0 and start <= at - reach:
                end = min(end, at - reach)
            if by < 0 and start >= at + reach:
                end = max(end, at + reach)
    return (end, across) if axis == 0 else (across, end)


def straight(place: Place, wish: Place, cells: set[Cell]) -> Place:
    x, y = place
    reach = REACH_X + abs(wish[0]), REACH_Y + abs(wish[1])
    near = {cell for cell in cells if abs(TILE * cell[0] - x) <= reach[0] and abs(TILE * cell[1] - y) <= reach[1]}
    for _ in range(STEPS):
        place = stopped(stopped(place, wish[0] / STEPS, 0, near), wish[1] / STEPS, 1, near)
    return place


def up_then_across(place: Place, wish: Place, cells: set[Cell]) -> Place:
    return stopped(stopped(place, wish[1], 1, cells), wish[0], 0, cells)


@pytest.mark.parametrize("speeds", [(-3, -1, 0, 1, 2, 4), (-7.3, -2.6, 0, 0.4, 5.1)], ids=["whole", "broken"])
@pytest.mark.parametrize("kind", ["PhysicsEngineSimple", "PhysicsEnginePlatformer"])
@pytest.mark.parametrize("seed", some(range(3)))
def test_every_difference_has_a_name(kind: str, speeds: tuple[float, ...], seed: int) -> None:
    rnd = random.Random(seed)
    walls, cells = level(rnd)
    is_platformer = kind == "PhysicsEnginePlatformer"
    free = sorted({(x, y) for x in range(-11, 12) for y in range(-3, 8)} - cells)
    x, y = rnd.choice(free)
    theirs, ours = (arcade.SpriteSolidColor(WIDTH, HEIGHT, TILE * x, TILE * y) for _ in range(2))
    engines = getattr(arcade, kind)(theirs, walls=walls), getattr(impinge_arcade, kind)(ours, walls=walls)
    names: Counter[str] = Counter()
    for frame in range(150):
        if frame % 15 == 0:
            wanted = rnd.choice(speeds), rnd.choice(speeds)
        theirs.position, theirs.velocity = ours.position, ours.velocity
        if is_platformer:
            can_jump = [engine.can_jump() for engine in engines]
            assert can_jump[0] == can_jump[1]
            if can_jump[0] and rnd.random() < 0.15:
                for engine in engines:
                    engine.jump(8)
        for sprite in (theirs, ours):
            sprite.change_x = wanted[0]
            if not is_platformer:
                sprite.change_y = wanted[1]
        place = ours.position
        wish = ours.change_x, ours.change_y - (engines[1].gravity_constant if is_platformer else 0)
        their_hits, our_hits = (engine.update() for engine in engines)

        expected, cut = straight(place, wish, cells), up_then_across(place, wish, cells)
        assert math.dist(ours.position, expected) <= 2 * math.hypot(*wish) / STEPS + 1e-9
        found = []
        if math.dist(cut, expected) > 2 * math.hypot(*wish) / STEPS + 1e-9:
            found.append("corner")
        off = [abs(one - other) for one, other in zip(theirs.position, cut, strict=True)]
        if max(off) >= 2:
            assert is_platformer
            assert off[1] <= abs(wish[0]) + 0.5
            found.append("ramp")
        elif max(off) > 1e-9:
            found.append("rounding")
        if set(their_hits) != set(our_hits) and not found:
            assert is_platformer
            assert set(our_hits) < set(their_hits)
            found.append("ramp")
        if not found:
            assert our_hits == their_hits
        if "corner" not in found:
            assert ours.velocity == theirs.velocity
        names["+".join(found) or "same"] += 1
    assert names["same"] >= 40
    assert names["corner"] + names["ramp"] <= 15
