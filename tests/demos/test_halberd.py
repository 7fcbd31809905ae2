"""The demo game `halberd`. Each run has its own process: Arcade has one window per process, headless or not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scale import cases, some
from screenless import Runner, python, python_fork, said

# Play a game automatically, and print everything that could tell two games apart. JSON keeps floats bit-exact.
PLAY = """
import json, sys
from impinge_demos import stage

seed, frames = map(int, sys.argv[1:])
print(json.dumps(stage.play("halberd", stage.Options(autoplay=True, frames=frames, seed=seed)).state()))
"""

# Start of all scripts below. They read the walls from the map a second time, as Shapely polygons.
BEGIN = """
import json, math, os, sys
os.environ["ARCADE_HEADLESS"] = "True"
import arcade, shapely, shapely.affinity
import impinge as im
from impinge_demos import demo, halberd, halberd_castle, halberd_fighters
from impinge_demos.controls import Controls

arcade.Window(demo.WIDTH, demo.HEIGHT)
SLOP = 1e-6
tiles = [(x, y, mark) for y, line in enumerate(halberd_castle.LEVEL) for x, mark in enumerate(line)]
WALLS = [shapely.box(24 * x, 24 + 24 * y, 24 * x + 24, 48 + 24 * y) for x, y, mark in tiles if mark in "#x"]
CIRCLES = [(24 * x + 12, 36 + 24 * y, 18) for x, y, mark in tiles if mark == "o"] + [(528, 300, 16)]
SOLID = {(x, y) for x, y, mark in tiles if mark in "#x"}
PILLARS = [shapely.Point(u, v).buffer(radius - 0.05) for u, v, radius in CIRCLES]
MASONRY = shapely.union_all([*WALLS, *PILLARS])

def room(x, y):
    # how far a place is from the nearest wall, up to a tile away, by plain arithmetic
    column, row = int(x // 24), int((y - 24) // 24)
    around = [(column + across, row + up) for across in (-1, 0, 1) for up in (-1, 0, 1)]
    corners = [(24 * i, 24 + 24 * j) for i, j in around if (i, j) in SOLID]
    squares = [math.hypot(max(l - x, x - l - 24, 0), max(b - y, y - b - 24, 0)) for l, b in corners]
    return min([*squares, *(math.hypot(x - u, y - v) - radius for u, v, radius in CIRCLES)])

def stone(game):
    # all that stops a look or a blow, with the gate as it stands
    x, y = 528, 300
    beams = [shapely.box(x - 102, y - 6, x + 102, y + 6), shapely.box(x - 6, y - 102, x + 6, y + 102)]
    return [MASONRY, *(shapely.affinity.rotate(beam, game.gate.angle, (x, y), use_radians=True) for beam in beams)]

def is_clear(stones, start, end, inside=1e-3):
    # whether a line goes through no wall; it may end on the face of one
    line = shapely.LineString([start, end])
    return sum(shapely.intersection(line, solid).length for solid in stones) < inside

def turned(angle):
    return (angle + math.pi) % math.tau - math.pi
"""

# Play a game automatically, check every frame by means independent of the game, and print the results.
WATCH = (
    BEGIN
    + """

game = halberd.Game(int(sys.argv[1]))
game.controls = game.autoplay()
struck, health, hurt_at, seen, unseen = set(), game.knight.health, -1000, 0, 0
lines, state = set(), None

def watched_strike(fighter, targets, walls, strike=halberd_fighters.Fighter.strike):
    swing = fighter.swing
    before, after = fighter.body.previous, fighter.body.pose
    strikes = strike(fighter, targets, walls)
    for hit in strikes:
        assert (swing, hit.target) not in struck, "one swing hits nobody twice"
        struck.add((swing, hit.target))
        assert not hit.target.safe and hit.target.health > 0
        along = lambda start, end: (start.x + hit.time * (end.x - start.x), start.y + hit.time * (end.y - start.y))
        (x, y), (u, v) = along(before, after), along(hit.target.body.previous, hit.target.body.pose)
        attack, distance = fighter.weapon.attack, math.dist((x, y), (u, v))
        assert distance <= attack.sector.radius + 12 + 1e-3
        assert distance >= attack.sector.inner_radius - 12 - 1e-3
        aside = abs(turned(math.atan2(v - y, u - x) - fighter.facing))
        widest = abs(attack.swing) / 2 + attack.sector.half_angle + math.asin(min(12 / distance, 1))
        assert aside <= widest + 1e-3
        assert attack.windup <= swing.elapsed - 1 + hit.time + 1e-9 <= attack.windup + attack.active + 1e-6
        assert is_clear(stone(game), (x, y), hit.point, 0.1), "no blow goes through a wall"
        assert math.isclose(math.hypot(*hit.knockback), attack.knockback)
    return strikes

def watched_look(guard, game, look=halberd_fighters.Guard.look):
    global seen, unseen
    known = len(game.sightings)
    sees = look(guard, game)
    assert sees == (len(game.sightings) > known), "the hook hears of what is seen, and of nothing else"
    eye, (x, y) = guard.place, game.knight.place
    if sees:
        seen += 1
        if seen % 3:
            return sees
        point = game.sightings[-1]
        assert math.dist(point, (x, y)) <= 12 + SLOP
        assert math.dist(point, eye) <= 185 + SLOP
        assert abs(turned(math.atan2(point[1] - eye[1], point[0] - eye[0]) - guard.facing)) <= 0.5 + SLOP
        assert is_clear(stone(game), eye, point)
    elif math.dist(eye, (x, y)) < 197:
        unseen += 1
        if unseen % 4:
            return sees
        solid = stone(game)
        for number in range(24):
            angle = number * math.tau / 24
            place = x + 11.5 * math.cos(angle), y + 11.5 * math.sin(angle)
            aside = abs(turned(math.atan2(place[1] - eye[1], place[0] - eye[0]) - guard.facing))
            if math.dist(eye, place) < 184 and aside < 0.49:
                assert not is_clear(solid, eye, place, 1e-9), "whatever is in the cone and behind no wall is seen"
    return sees

halberd_fighters.Fighter.strike, halberd_fighters.Guard.look = watched_strike, watched_look
for _ in range(1500):
    earned, wave = game.score, game.wave
    game.on_fixed_update(1 / 60)
    lines.add(game.shows())
    state = game.state() if game.frame == 600 else state
    everybody = [game.knight, *game.guards]
    for number, one in enumerate(everybody):
        assert room(*one.place) >= 12 - SLOP, (game.frame, one.place, "in a wall")
        for other in everybody[number + 1 :]:
            if math.dist(one.place, other.place) < 24 - SLOP:
                assert one.body.stuck or other.body.stuck, (game.frame, "one stands in another")
    assert all(gem.response == "sensor" for gem in game.gems)
    if game.knight.health < health:
        assert game.knight.health == health - 1
        assert game.frame - hurt_at >= 60, "who was hit is safe for a second"
        hurt_at = game.frame
    health = game.knight.health
    assert game.score >= earned or game.wave == 1, "points are lost only with the game"
print(json.dumps({"counts": game.counts, "seen": seen, "unseen": unseen, "lines": sorted(lines), "state": state}))
"""
)

# Situations set up by hand, each in its own game with a single guard.
SCENES = (
    BEGIN
    + """
import functools
# These sprites are only drawn. To make them anew for each of 16 games takes half a second.
halberd.castle, halberd.gate_sprite = functools.cache(halberd.castle), functools.cache(halberd.gate_sprite)

def scene(knight, guard, facing, weapon="sword"):
    # the knight looks to the right; only the first guard is left, and stands still
    game = halberd.Game(0)
    for other in game.guards[1:]:
        game.world.remove(other.body)
    del game.guards[1:]
    if weapon == "halberd":
        game.on_key_press(arcade.key.Q, 0)
    game.knight.body.pose, game.knight.facing = im.Pose(*knight), 0.0
    one = game.guards[0]
    one.body.pose, one.facing, one.search = im.Pose(*guard), facing, 100_000
    return game, one

def played(game, frames, **wish):
    for _ in range(frames):
        game.play(Controls(**wish))
        game.frame += 1

answers = {}
# The hall of the castle, between the pillars on its left, is 24 by 24 tiles of floor: rows from y = 48 to 552.
for name, guard, facing, weapon in [
    ("behind", (400, 200), 0.0, "sword"),
    ("before", (400, 200), math.pi, "sword"),
    ("too near", (376, 200), 0.0, "halberd"),
    ("far", (436, 200), 0.0, "halberd"),
    ("out of reach", (436, 200), 0.0, "sword"),
]:
    game, one = scene((350, 200), guard, facing, weapon)
    game.controls = lambda: Controls(first=game.frame == 1)
    for _ in range(12 if weapon == "sword" else 20):
        game.on_fixed_update(1 / 60)
    answers[name] = [one.health, game.counts["backstabs"], game.counts[weapon]]

# The same from behind, when he knows already.
game, one = scene((350, 200), (400, 200), 0.0)
one.alert = 2.0
played(game, 12, first=True)
answers["known"] = [one.health, game.counts["backstabs"], game.counts["sword"]]

# The gate stands upright from y = 198 to 402 between them, or they are above it.
for name, y in (("behind the gate", 340), ("above the gate", 430)):
    game, one = scene((450, y), (600, y), math.pi)
    game.gate.pose, game.gate_turn, one.search = im.Pose(528, 300), 0.0, 100_000
    played(game, 5)
    answers[name] = one.alert > 0

# A wall of 24 pixels, from x = 288 to 312, is between them.
game, one = scene((275, 500), (325, 500), 0.0)
played(game, 30, first=True)
answers["through a wall"] = [one.health, game.counts["sword"]]

# Thrown at that wall from the right, by 30 pixels in the first frame.
game, one = scene((420, 84), (350, 84), 0.0, "halberd")
game.knight.facing, one.health = math.pi, 5
played(game, 30, first=True)
answers["slam"] = [game.counts["slams"], one.place[0], one.health]

# Two in a row: who is thrown knocks down the next, and pushes him along.
game, one = scene((350, 200), (430, 200), 0.0, "halberd")
game.guards.append(halberd_fighters.Guard(game, (500, 200), 2))
game.guards[1].search = 100_000
one.health = 5
before = game.guards[1].place
played(game, 32, first=True)
answers["bowled"] = [game.counts["bowled"], game.guards[1].place[0] - before[0] > 20 if len(game.guards) > 1 else None]

# Heard at 100 pixels by who looks away: walking is loud, sneaking is not.
for name, sneaks in (("walking", False), ("sneaking", True)):
    game, one = scene((350, 200), (350, 310), math.pi / 2)
    played(game, 11, x=-1.0, second=sneaks)
    answers[name] = one.clue is not None

# Seen: alarmed after a while, then the wind-up, then a blow; who steps back out of the red in time is missed.
for name, flees in (("stays", False), ("flees", True)):
    game, one = scene((350, 200), (420, 200), math.pi)
    one.search = 0
    for _ in range(90):
        winds_up = one.swing is not None
        played(game, 1, y=1.0 if flees and winds_up else 0.0)
        if one.swing is not None and one.swing.phase == "recovery":
            break
    answers[name] = [one.pursues, game.knight.health]

# Keys.
game = halberd.Game(3)
names = [game.knight.weapon.name]
for key in (arcade.key.Q, arcade.key.TAB, arcade.key.F2):
    game.on_key_press(key, 0)
    names.append(game.knight.weapon.name)
game.play(Controls(first=True))
game.on_key_press(arcade.key.Q, 0)
names.append(game.knight.weapon.name)
answers["weapons"] = names
shown = []
for _ in range(2):
    game.on_key_press(arcade.key.F1, 0)
    shown.append(game.show_debug)
    game.on_draw()
answers["debug"] = shown
left = []
game.leave = lambda: left.append(True)
game.on_key_press(arcade.key.ESCAPE, 0)
answers["left"] = left

# Restart, in the middle of a game that plays itself.
game.controls = game.autoplay()
for _ in range(700):
    game.on_fixed_update(1 / 60)
best = game.best
game.on_key_press(arcade.key.R, 0)
answers["best"] = [best > 0, game.best == best]
answers["restart"] = [game.score, game.wave, len(game.guards), len(game.gems), game.knight.health, game.message]
for _ in range(30):
    game.on_fixed_update(1 / 60)
game.on_draw()

# Who has fallen begins again by himself.
game.knight.health, game.score = 0, 70
game.on_fixed_update(1 / 60)
answers["fallen"] = game.message
for _ in range(110):
    game.on_fixed_update(1 / 60)
answers["begun again"] = [game.message, game.score, game.wave, game.knight.health]
print(json.dumps(answers))
"""
)

# Play badly, as people do, and check that nothing breaks.
BADLY = (
    BEGIN
    + """
import random

for manner in ("holds everything", "does nothing", "mashes"):
    game, chance = halberd.Game(5), random.Random(11)
    for frame in range(600 if manner == "does nothing" else 300):
        if manner == "holds everything":
            wish = Controls(1.0, 1.0, True, True, True, True)
        elif manner == "does nothing":
            wish = Controls()
        else:
            x, y = chance.choice((-1, 0, 1)), chance.choice((-1, 0, 1))
            wish = Controls(x, y, chance.random() < 0.5, chance.random() < 0.3)
            if chance.random() < 0.2:
                keys = arcade.key
                game.on_key_press(chance.choice((keys.Q, keys.F1, keys.F2, keys.X, keys.TAB)), 0)
            if chance.random() < 0.01:
                game.on_key_press(arcade.key.R, 0)
        game.controls = lambda: wish
        game.on_fixed_update(1 / 60)
        if frame % 60 == 0:
            game.on_draw()
        assert all(room(*one.place) >= 12 - SLOP for one in (game.knight, *game.guards)), (manner, frame)
        assert 0 <= game.knight.health <= 3
        assert game.guards or game.pause
"""
)


def answer(script: str, *arguments: object, folder: Path, runner: Runner = python_fork) -> Any:
    return json.loads(said(runner("-c", script, *arguments, folder=folder)))


@pytest.fixture(scope="module", params=some(range(cases(3, least=2))))
def seed(request: pytest.FixtureRequest) -> int:
    number: int = request.param
    return number


@pytest.fixture(scope="module")
def watched(seed: int, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return the results of an automatic game. `WATCH` asserts everything that is promised for every frame."""
    return answer(WATCH, seed, folder=tmp_path_factory.mktemp("watched"))


@pytest.mark.long
def test_a_seed_gives_the_same_game_to_the_bit_and_another_another(seed: int, watched: Any, tmp_path: Path) -> None:
    """One of the two games was checked frame by frame, and the other one was not."""
    assert answer(PLAY, seed, 600, folder=tmp_path, runner=python) == watched["state"]
    other = answer(PLAY, seed + 1, 600, folder=tmp_path)
    assert all(watched["state"][name] != other[name] for name in ("gate", "guards", "counts"))


def test_autoplay_wins_and_loses_and_meets_all_of_the_game(watched: Any) -> None:
    names = ("sword", "halberd", "backstabs", "slams", "alarms", "hurts", "gems", "kills", "waves", "losses")
    assert [name for name in names if not watched["counts"].get(name)] == []


def test_sight_was_looked_at_from_both_sides(watched: Any) -> None:
    assert watched["seen"] > 50
    assert watched["unseen"] > 50


def test_the_line_on_the_screen_follows_what_happens(watched: Any) -> None:
    beginnings = {line.split(":")[0] for line in watched["lines"]}
    assert {"Sword", "Halberd", "Cones", "Sneaking", "From behind", "Thrown against a wall"} <= beginnings


@pytest.fixture(scope="module")
def scenes(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return answer(SCENES, folder=tmp_path_factory.mktemp("scenes"))


def test_a_blow_from_behind_and_unseen_counts_double(scenes: Any) -> None:
    """Guards have a health of 2: a blow from behind kills, one from the front does not. [health, from behind, hits]"""
    assert scenes["behind"] == [0, 1, 1]
    assert scenes["before"] == [1, 0, 1]
    assert scenes["known"] == [1, 0, 1], "he has been warned"


def test_a_halberd_reaches_far_and_misses_who_is_too_near(scenes: Any) -> None:
    """The ring begins at 58. A guard at 26, with a radius of 12, is in its hole; a guard at 86 is within 112."""
    assert scenes["too near"] == [2, 0, 0]
    assert scenes["far"] == [0, 1, 1]
    assert scenes["out of reach"] == [2, 0, 0]


def test_the_gate_hides_who_is_behind_it(scenes: Any) -> None:
    assert scenes["behind the gate"] is False
    assert scenes["above the gate"] is True


def test_no_blow_goes_through_a_wall(scenes: Any) -> None:
    """Attacker and guard are 50 apart, and the sword reaches 56: only the wall prevents a hit."""
    assert scenes["through a wall"] == [2, 0]


def test_who_is_thrown_against_a_wall_is_stopped_by_it_and_hurt(scenes: Any) -> None:
    slams, x, health = scenes["slam"]
    assert slams == 1
    assert x >= 312 + 12 - 1e-6
    assert health == 5 - 2, "one for the blow, one for the wall"


def test_who_is_thrown_knocks_down_another(scenes: Any) -> None:
    assert scenes["bowled"] == [1, True]


def test_walking_is_heard_and_sneaking_is_not(scenes: Any) -> None:
    assert scenes["walking"] is True
    assert scenes["sneaking"] is False


def test_a_guard_strikes_whom_he_sees_and_misses_who_gets_out_of_the_way(scenes: Any) -> None:
    assert scenes["stays"] == [True, 2]
    assert scenes["flees"] == [True, 3]


def test_keys_change_the_weapon_but_not_in_a_swing(scenes: Any) -> None:
    assert scenes["weapons"] == ["sword", "halberd", "sword", "halberd", "halberd"]


def test_f1_and_esc_work(scenes: Any) -> None:
    assert scenes["debug"] == [True, False]
    assert scenes["left"] == [True]


def test_r_starts_again_and_the_best_score_stays(scenes: Any) -> None:
    """Wave 1 has three guards, and there are seven gems on the map."""
    assert scenes["best"] == [True, True]
    assert scenes["restart"] == [0, 1, 3, 7, 3, ""]


def test_a_lost_game_says_so_and_begins_again(scenes: Any) -> None:
    assert scenes["fallen"] == "You fell in wave 1"
    assert scenes["begun again"] == ["", 0, 1, 3]


@pytest.mark.long
def test_however_badly_it_is_played_nothing_breaks(tmp_path: Path) -> None:
    said(python_fork("-c", BADLY, folder=tmp_path))
