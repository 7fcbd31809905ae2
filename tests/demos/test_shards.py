"""The demo game `shards`. Each run has its own process: Arcade has one window per process, headless or not.

Shapely, which shares no code with Impinge, checks cuts, overlaps and hulls.
"""

from __future__ import annotations

import json
import math
import random
from pathlib import Path
from typing import Any

import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

import impinge as im
from impinge_demos.shards_rocks import crescent, cut, hull, measured, nut, star
from scale import some
from screenless import Runner, python, python_fork, said

# Start of every script below. `overlap` is the area where rocks and the ship overlap each other or leave the room.
BEGIN = """
import json, math, os, random, sys
os.environ["ARCADE_HEADLESS"] = "True"
import arcade, shapely
import impinge as im
from impinge_demos import shards
from impinge_demos.controls import Controls

arcade.Window(shards.WIDTH, shards.HEIGHT)
ROOM = shapely.box(8, 32, 1000, 568)

def solid(thing):
    pose, corners = thing.body.pose, thing.body.shape.vertices
    cos, sin = math.cos(pose.angle), math.sin(pose.angle)
    return shapely.Polygon([(pose.x + cos * x - sin * y, pose.y + sin * x + cos * y) for x, y in corners])

def overlap(game):
    solids = [solid(thing) for thing in game.things() if isinstance(thing.body.shape, im.Polygon)]
    return sum(one.area for one in solids) - shapely.union_all(solids).intersection(ROOM).area

def step(game, controls=Controls()):
    game.controls = lambda: controls
    game.on_fixed_update(1 / 60)

def alone(seed=0):
    # A game with nothing but the ship, at rest in the middle and heading right, and one stone too far off to matter.
    game = shards.Game(seed)
    far = shards.make_rock(shards.Kind.STONE, [(0, 0), (30, 0), (0, 30)], im.Pose(900, 500))
    game.ship.body = shards.replace(game.ship.body, pose=im.Pose(504, 300, 0))
    game.rocks = [far]
    step(game)
    return game

def add(game, kind, outline, pose, velocity=(0, 0), spin=0):
    game.rocks.append(shards.make_rock(kind, outline, pose, velocity, spin))
    return game.rocks[-1]
"""

# Play games by their seeds, and print everything that could tell two games apart. JSON keeps floats bit-exact.
PLAY = """
states = []
for seed in map(int, sys.argv[1:]):
    game = shards.Game(seed)
    game.controls = game.autoplay()
    for _ in range(500):
        game.on_fixed_update(1 / 60)
    states.append(game.state())
print(json.dumps(states))
"""

# Play 1,400 frames, and check every frame and every cut.
WATCH = """
game = shards.Game(int(sys.argv[1]))
game.controls = game.autoplay()
worst = {"overlap": 0.0, "cut": 0.0, "off the outline": 0.0, "off the bullet": 0.0, "outside": 0}
cut, split = shards.cut, game.split

def watched_cut(outline, point, direction):
    parts = cut(outline, point, direction)
    whole, solids = shapely.Polygon(outline), [shapely.Polygon(part) for part in parts]
    missed = whole.symmetric_difference(shapely.union_all(solids)).area
    worst["cut"] = max(worst["cut"], missed, abs(sum(solid.area for solid in solids) - whole.area))
    return parts

def watched_split(stone, bullet, point):
    place = bullet.body.pose
    worst["off the outline"] = max(worst["off the outline"], solid(stone).exterior.distance(shapely.Point(point)))
    flown = math.dist((place.x, place.y), point)
    if bullet in bullets:
        worst["off the bullet"] = max(worst["off the bullet"], abs(flown - 2))
    split(stone, bullet, point)

shards.cut, game.split = watched_cut, watched_split
bullets = []
for _ in range(1400):
    bullets[:] = game.bullets
    game.on_fixed_update(1 / 60)
    worst["overlap"] = max(worst["overlap"], overlap(game))
    worst["outside"] += sum(not ROOM.contains(shapely.Point(b.body.pose.x, b.body.pose.y)) for b in game.bullets)
met = {name: getattr(game, name) for name in (
    "shots", "splits", "crumbled", "ricochets", "bumps", "struck", "lost", "hollows", "cleared", "life", "best"
)}
print(json.dumps([worst, met]))
"""

# Play badly, as beginners do: idle, hold all keys, mash keys.
HANDS = """
chance = random.Random(5)

def mash(frame):
    return Controls(chance.choice((-1, 0, 1)), chance.choice((-1, 0, 1)), chance.random() < 0.5, chance.random() < 0.5)

worst = []
for hands in (
    lambda frame: Controls(),
    lambda frame: Controls(1, 1, True, True, True, True),
    lambda frame: Controls(0, 1),
    lambda frame: Controls(0.3, -1, first=True),
    mash,
):
    game = shards.Game(3)
    over = 0.0
    for frame in range(300):
        game.controls = lambda: hands(frame)
        game.on_fixed_update(1 / 60)
        over = max(over, overlap(game))
        if frame % 100 == 99:
            game.on_draw()
            game.on_key_press(arcade.key.F1, 0)
        if frame == 200:
            game.on_key_press(arcade.key.R, 0)
    worst.append(over)
print(json.dumps(worst))
"""

SCENES = """
told = {}
C = [(64 * math.cos(a / 10), 64 * math.sin(a / 10)) for a in range(10, 54, 4)]
C += [(40 * math.cos(a / 10), 40 * math.sin(a / 10)) for a in range(50, 10, -4)]

# The aim, on a crescent that flies and turns: where it says, and in the frame that it says.
game = alone()
target = add(game, shards.Kind.STONE, C, im.Pose(880, 330, 0.4), (-2.5, 1.5), 0.07)
step(game)
foretold, struck = game.aim, []
assert foretold.thing is target
split = game.split
game.split = lambda stone, bullet, point: (struck.append((game.frame, point)), split(stone, bullet, point))
start = game.frame
step(game, Controls(first=True))
for _ in range(10):
    step(game)
(frame, point), = struck
told["aim"] = [math.dist(point, foretold.impact.point), frame - start - math.ceil(foretold.frames)]

# A shot from nearby, with the muzzle in the stone.
game = alone()
add(game, shards.Kind.STONE, [(0, -40), (60, -40), (60, 40), (0, 40)], im.Pose(525, 300))
step(game, Controls(first=True))
told["point-blank"] = [game.splits, len(game.bullets), game.struck]

# Mass and momentum of a cut.
game = alone()
shards.DUST = 0.0
stone = add(game, shards.Kind.STONE, C, im.Pose(700, 300, 1.0), (1.0, -0.5), 0.03)
body = stone.body
others = [rock for rock in game.rocks if rock is not stone]
bullet = shards.Thing(shards.Kind.BULLET, im.RigidBody(shards.BULLET, im.Pose(600, 310), (240.0, 30.0), mass=4.0))
game.split(stone, bullet, (body.pose.x - 30, body.pose.y + 20))
parts = [rock.body for rock in game.rocks if rock not in others]
told["cut"] = [
    len(parts),
    math.fsum(part.mass for part in parts) - body.mass,
    *(math.fsum(p.mass * p.velocity[k] for p in parts) - body.mass * body.velocity[k] - 4.0 * (240.0, 30.0)[k]
      for k in (0, 1)),
    max(abs(part.spin - body.spin) for part in parts),
]
shards.DUST = 700.0

# The hollow: within the hull of a stone for a second.
game = alone()
crescent = add(game, shards.Kind.STONE, C, im.Pose(504, 300))
for _ in range(60):
    step(game)
hull = solid(crescent).convex_hull
told["hollow"] = [
    game.dares, game.score, game.lives, game.struck, game.hollow is crescent,
    hull.intersection(solid(game.ship)).area / solid(game.ship).area, solid(crescent).distance(solid(game.ship)) > 5,
]

# A stone that flies at the ship: without the shield, with it, and so slowly that it does no harm.
SHIELD = Controls(second=True)
for name, speed, controls in (("bare", 3, Controls()), ("shielded", 3, SHIELD), ("gentle", 0.5, Controls())):
    game = alone()
    square = [(0, 0), (40, 0), (40, 40), (0, 40)]
    add(game, shards.Kind.STONE, square, im.Pose(400, 280), (speed, 0))
    flying = 90
    for _ in range(flying if speed > 1 else 300):
        step(game, controls if game.frame > 10 else Controls())
    told[name] = [game.lives, game.struck, game.shielded]

# Steel: the bullet flies on, and the steel is pushed.
game = alone()
steel = add(game, shards.Kind.STEEL, [(0, -40), (60, -40), (60, 40), (0, 40)], im.Pose(700, 300, 0.5))
step(game, Controls(first=True))
for _ in range(2):
    step(game)
told["steel"] = [game.ricochets, game.splits, steel.body.velocity[0] > 0.1]

# Three hits: lost, and after a while it begins again by itself. Then the keys.
game = alone()
game.lives, game.score = 1, 77
add(game, shards.Kind.STONE, [(0, 0), (40, 0), (40, 40), (0, 40)], im.Pose(430, 280), (3, 0))
messages = []
for _ in range(160):
    step(game)
    messages.append(game.message)
told["lost"] = [game.lost, "Shattered!" in messages, game.life, game.lives, game.score, game.wave]
game.score, game.lives, game.wave = 5, 1, 4
game.on_key_press(arcade.key.R, 0)
told["restart"] = [game.score, game.lives, game.wave, game.life]
left = []
game.leave = lambda: left.append(True)
for key in (arcade.key.F1, arcade.key.ESCAPE):
    game.on_key_press(key, 0)
game.on_draw()
told["keys"] = [game.show_debug, left]

# All stones gone: the next wave.
game = alone()
game.rocks.clear()
before = game.wave
step(game)
stones = sum(rock.breaks for rock in game.rocks)
told["wave"] = [game.wave - before, game.cleared, game.score, stones > 3, overlap(game) < 1e-6]
print(json.dumps(told))
"""


def answer(script: str, *arguments: object, folder: Path, runner: Runner = python_fork) -> Any:
    return json.loads(said(runner("-c", BEGIN + script, *arguments, folder=folder)))


@pytest.mark.long
def test_a_seed_gives_the_same_game_to_the_bit_and_another_one_another(tmp_path: Path) -> None:
    first, second = (answer(PLAY, 7, 8, folder=tmp_path, runner=runner) for runner in (python, python_fork))
    assert first == second
    assert first[0]["bodies"] != first[1]["bodies"]
    assert first[0]["counts"] != first[1]["counts"]


@pytest.mark.parametrize("seed", some([0, 1]))
def test_autoplay_meets_all_that_there_is_and_nothing_overlaps_in_any_frame(seed: int, tmp_path: Path) -> None:
    worst, met = answer(WATCH, seed, folder=tmp_path)
    assert min(met.values()) > 0, met
    assert met["life"] > 1, "it lost, and began again"
    assert worst["outside"] == 0, "bullets outside the room"
    # The slop is 1e-9 of sizes of up to 200 pixels, along outlines of up to 1,000 pixels.
    assert worst["overlap"] < 1e-6
    assert worst["cut"] < 1e-6
    assert worst["off the outline"] < 1e-6
    assert worst["off the bullet"] < 1e-6


@pytest.mark.long
def test_no_hands_and_bad_hands_break_nothing(tmp_path: Path) -> None:
    assert max(answer(HANDS, folder=tmp_path)) < 1e-6


def test_the_rules(tmp_path: Path) -> None:
    told = answer(SCENES, folder=tmp_path)
    off, frames_late = told["aim"]
    assert off < 1e-6
    assert frames_late == 0
    assert told["point-blank"] == [1, 0, 0]
    parts, mass, *momentum, spin = told["cut"]
    assert parts >= 2
    assert abs(mass) < 1e-6
    assert max(map(abs, momentum)) < 1e-6
    assert spin == 0
    *counts, part_in_hull, is_clear = told["hollow"]
    assert counts == [1, 50, 3, 0, True], "daring pays once, and does no harm"
    assert part_in_hull > 0.9, "an engine that takes hulls would have struck the ship"
    assert is_clear
    assert told["bare"] == [2, 1, 0]
    assert told["shielded"] == [3, 0, 1]
    assert told["gentle"] == [3, 0, 0]
    assert told["steel"] == [1, 0, True]
    assert told["lost"] == [1, True, 2, 3, 0, 1]
    assert told["restart"] == [0, 3, 1, 3]
    assert told["keys"] == [True, [True]]
    assert told["wave"] == [1, 1, 100, True, True]


numbers = st.integers(-60, 60).map(float)


@given(seed=st.integers(0, 999), x=numbers, y=numbers, angle=st.floats(0, math.tau))
def test_a_cut_gives_all_of_a_polygon_and_each_part_is_on_one_side(seed: int, x: float, y: float, angle: float) -> None:
    chance = random.Random(seed)
    outline = chance.choice([star, crescent, nut])(chance)
    check_cut(outline, (x, y), (math.cos(angle), math.sin(angle)))


@given(seed=st.integers(0, 999), one=st.integers(0, 7), other=st.integers(0, 7))
def test_a_cut_from_corner_to_corner_is_one_too(seed: int, one: int, other: int) -> None:
    """A part that touched itself at a corner was not a valid polygon: the game ended with a ShapeError."""
    outline = star(random.Random(seed))
    (ax, ay), (bx, by) = outline[one], outline[other]
    angle = math.atan2(by - ay, bx - ax) if one != other else 1.0
    check_cut(outline, (ax, ay), (math.cos(angle), math.sin(angle)))


def check_cut(outline: list[tuple[float, float]], point: tuple[float, float], direction: tuple[float, float]) -> None:
    parts = cut(outline, point, direction)
    whole = shapely.Polygon(outline)
    assert math.isclose(math.fsum(measured(part)[0] for part in parts), whole.area, rel_tol=1e-12)
    for part in parts:
        heights = [direction[0] * (y - point[1]) - direction[1] * (x - point[0]) for x, y in part]
        assert min(heights) > -1e-3 or max(heights) < 1e-3
        if measured(part)[0] > 1.0:
            assert im.Polygon(part).area == pytest.approx(shapely.Polygon(part).area)
            assert whole.buffer(1e-6).covers(shapely.Polygon(part))


def test_a_comb_is_cut_into_its_back_and_each_of_its_teeth() -> None:
    comb = [(0, 0), (9, 0), (9, 5), (8, 5), (8, 1), (5, 1), (5, 5), (4, 5), (4, 1), (1, 1), (1, 5), (0, 5)]
    parts = cut([(float(x), float(y)) for x, y in comb], (0.0, 2.0), (1.0, 0.0))
    assert sorted(measured(part)[0] for part in parts) == [3, 3, 3, 12]


@given(seed=st.integers(0, 999))
def test_a_hull_is_shapelys(seed: int) -> None:
    outline = crescent(random.Random(seed))
    assert shapely.Polygon(hull(outline)).equals(shapely.Polygon(outline).convex_hull)
