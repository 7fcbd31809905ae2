"""The demo game `pinball`. Each run has its own process: Arcade has one window per process, headless or not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scale import some
from screenless import python, python_fork, said

HEAD = """
import itertools, json, os, random, sys
os.environ["ARCADE_HEADLESS"] = "True"
import arcade
from impinge_demos import demo, pinball, pinball_table
from impinge_demos.controls import Controls
from impinge_demos.pinball_table import Kind

arcade.Window(demo.WIDTH, demo.HEIGHT)
arcade.resources.load_liberation_fonts()
"""

# Play a game for each seed, one after the other.
PLAY = f"""{HEAD}
states = {{}}
for seed in sys.argv[2:]:
    game = pinball.Game(int(seed))
    game.controls = game.autoplay()
    for _ in range(int(sys.argv[1])):
        game.on_fixed_update(1 / 60)
    states[seed] = game.state()
print(json.dumps(states))
"""

# Play well, and badly. After each frame, Shapely checks where the ball is and which path it took.
WATCH = f"""{HEAD}
from shapely import LineString, MultiLineString, Point, Polygon, prepare

def mash(seed):
    chance = random.Random(seed)
    return lambda: Controls(0, 0, chance.random() < 0.7, chance.random() < 0.1, chance.random() < 0.5,
                            chance.random() < 0.5)

def hold(left, right):
    frames = itertools.count()
    return lambda: Controls(0, 0, next(frames) % 60 < 50, False, left, right)

def hammer(pace):
    frames = itertools.count()
    def press():
        frame = next(frames)
        return Controls(0, 0, frame % 50 < 48, frame % 70 == 0, frame // pace % 2 == 0, frame // pace % 2 == 1)
    return press

players = {{
    "autoplay 0": None, "autoplay 1": None, "autoplay 2": None, "mashing": mash(3), "holding all": hold(True, True),
    "holding one": hold(True, False), "hammering": hammer(4),
}}
table = Polygon(pinball_table.OUTLINE)
walls = MultiLineString(pinball_table.WALLS)
prepare(table)
prepare(walls)
told = {{}}
for name in sys.argv[1:]:
    player = players[name]
    game = pinball.Game(list(players).index(name))
    game.controls = player or game.autoplay()
    outside = crossed = 0
    deepest, levels, multipliers, wrong_bills = 0.0, set(), set(), 0
    for _ in range(900 if player else 2400):
        before = game.table, game.met[Kind.TARGET], len(game.down)
        game.on_fixed_update(1 / 60)
        ball = Point(game.table.ball.position)
        outside += not table.contains(ball)
        deepest = max(deepest, pinball_table.BALL + pinball_table.THIN - walls.distance(ball))
        way = list(game.trail)[-2 - len(game.table.meetings):]
        crossed += len(way) > 1 and walls.crosses(LineString(way))
        levels.add(game.level)
        multipliers.add(game.multiplier)
        # A target counts when it is hit, and is gone by then.
        if game.table is before[0] and game.met[Kind.TARGET] - before[1] != max(0, len(game.down) - before[2]):
            wrong_bills += 1
    told[name] = {{
        "outside": outside, "crossed": crossed, "deepest": deepest, "levels": sorted(levels),
        "multipliers": sorted(multipliers), "wrong bills": wrong_bills, "escaped": game.escaped[True],
        "met": {{kind.name: count for kind, count in game.met.items()}}, "launches": game.launches, "lost": game.lost,
        "score": game.best, "fastest": game.fastest, "tilts": game.tilts, "games": game.games, "frame": game.frame,
    }}
print(json.dumps(told))
"""

# Launch the ball at the same speeds in a space with plain Pymunk steps and in a space with continuous steps.
ESCAPE = f"""{HEAD}
from shapely import Point, Polygon
from impinge_pymunk import continuous

table_outline = Polygon(pinball_table.OUTLINE)
lost = {{}}
for name in ("plain", "continuous"):
    lost[name] = []
    for speed in range(2000, 4400, 200):
        table = pinball_table.Table(lambda: 0.0)
        if name == "continuous":
            continuous(table.space)
        table.ball.velocity, table.ball.position = (0, speed), pinball_table.START
        for _ in range(120):
            table.step()
        if not table_outline.contains(Point(table.ball.position)):
            lost[name].append(speed)

# F2, pressed again and again in the middle of a game.
chance, told = random.Random(5), [0, 0]
for seed in range(3):
    game = pinball.Game(seed)
    game.controls = game.autoplay()
    for _ in range(900):
        if chance.random() < 0.04:
            game.on_key_press(arcade.key.F2, 0)
        game.on_fixed_update(1 / 60)
    told = [told[0] + game.escaped[True], told[1] + game.escaped[False]]
print(json.dumps({{"launched": lost, "switched": told}}))
"""

RULES = f"""{HEAD}
def fresh(*presses, place=None, velocity=(0, 0)):
    game = pinball.Game(0)
    game.controls = lambda: game.script.pop(0) if game.script else Controls()
    game.script = list(presses)
    if place is not None:
        game.table.ball.position, game.table.ball.velocity = place, velocity
        game.launched = -10**6
    return game

def run(game, frames):
    for _ in range(frames):
        game.on_fixed_update(1 / 60)
    return game

SPACE, LEFT, RIGHT, SHOVE = Controls(first=True), Controls(left=True), Controls(right=True), Controls(second=True)
DRAINING = {{"place": (489, 70), "velocity": (0, -100)}}
middle = 489

# Without keys the ball stays where it waits.
game = run(fresh(), 600)
assert game.table.is_waiting and (game.launches, game.score, game.lost) == (0, 0, 0)

# A tap and a long press. Half a minute is no stronger than the 45 frames that a full charge takes.
tap = run(fresh(SPACE), 3)
assert tap.launches == 1 and 1100 < tap.table.ball.velocity.y < 1300
full, longer = run(fresh(*[SPACE] * 45), 47), run(fresh(*[SPACE] * 1800), 1802)
assert 4000 < full.table.ball.velocity.y < 4250
assert full.table.ball.velocity == longer.table.ball.velocity
for game in (tap, full):
    assert game.charge == 0
    assert min(run(game, 1).table.ball.position.x for _ in range(60)) < 600, "out of the lane"
    assert game.met[Kind.GATE] >= 1

# The gate is shut from above, at any speed.
for speed in (0, 500, 4000):
    game = fresh(place=(741, 470), velocity=(0, -speed))
    for _ in range(60):
        run(game, 1)
        x, y = game.table.ball.position
        assert not (x > pinball_table.LANE and y < 400), (speed, x, y)

# A ball at rest on a flipper is struck up the table, by either, and never ends below it.
for press, x in ((LEFT, middle - 50), (RIGHT, middle + 50)):
    game = run(fresh(place=(x, 100)), 10)
    game.script = [press] * 20
    top = max(run(game, 1).table.ball.position.y for _ in range(40))
    assert top > 252, "100 px over the tip of a raised flipper"
    assert game.met[Kind.FLIPPER] >= 1

# A flipper strikes a ball that comes at 4,000 px/s, 67 px in a frame: it is not through in any frame.
for delay in range(6):
    game = fresh(*[Controls()] * delay, *[LEFT] * 30, place=(middle - 55, 420), velocity=(0, -4000))
    assert all(run(game, 1).table.ball.position.y > 80 for _ in range(14)), delay

# The ball crosses a sensor of one pixel in a frame, in which it moves by 58 px. The table reports it once.
game = run(fresh(place=(441, 545), velocity=(0, -3500)), 2)
assert game.table.ball.position.y < 495 - 9 - 1
assert game.met[Kind.ROLLOVER] == 1 and len(game.lanes) == 1 and game.score == 25
# All three lanes: the multiplier, and dark again.
for x in (489, 537):
    game.table.ball.position, game.table.ball.velocity = (x, 545), (0, -3500)
    run(game, 2)
assert (game.multiplier, game.lanes) == (2, [])
assert game.score in (25 * 3 + 100, 25 * 3 + 100 + 10), "the bumper below may have been struck by then"

# Three drop targets: each counts once, the table is steeper then, and they come up again.
game = fresh()
for count, target in enumerate(list(game.table.targets), 1):
    across = (target.b - target.a).perpendicular_normal()
    game.table.ball.position, game.table.ball.velocity = (target.a + target.b) / 2 + 60 * across, -4000 * across
    run(game, 2)
    assert game.met[Kind.TARGET] == count and target not in game.table.space.shapes
    assert game.score == 50 * count + 500 * (count == 3)
assert game.level == 2 and abs(game.table.space.gravity[1] + 1120) < 1e-6
game.table.serve()
run(game, 100)
assert all(target in game.table.space.shapes for target in game.table.targets)

# A bumper kicks: the ball leaves it faster than it came.
game = fresh(place=game.table.bumpers[2].offset + (0, 45), velocity=(0, -300))
run(game, 3)
assert game.met[Kind.BUMPER] == 1 and game.score == 10
assert game.table.ball.velocity.y > 0.8 * 300 + 480 - 50, "elasticity and kick, less what gravity takes in three frames"

# The spinner: 5 points for the hit, and 5 for each half turn.
game = run(fresh(place=(620, 385), velocity=(1500, 0)), 20)
assert game.met[Kind.SPINNER] >= 1
assert abs(game.table.spinner.angle - 1.5708) > 0.5

# Shoves: two go, the third one within three seconds tilts, and the flippers are dead until the next ball.
game = fresh(Controls(), SHOVE, Controls(), SHOVE, place=(middle - 1, 250))
run(game, 1)
for x in (130, 0):  # to the right, and back
    run(game, 1)
    assert abs(game.table.ball.velocity.x - x) < 1e-9
    run(game, 1)
assert game.tilts == 0 and not game.is_tilted
game.script = [SHOVE, Controls(), SHOVE]
run(game, 1)
assert game.tilts == 1 and "Tilt" in game.message
run(game, 2)
assert abs(game.table.ball.velocity.x) < 1e-9 and game.tilts == 1, "a tilted table is not shoved"
game.script = [LEFT] * 10
run(game, 10)
assert abs(game.table.flippers[0].body.angle - pinball_table.REST) < 1e-9
game.table.ball.position, game.table.ball.velocity = (middle, 70), (0, -100)
run(game, 10)
assert not game.is_tilted
game.script = [LEFT] * 10
run(game, 10)
assert game.table.flippers[0].body.angle > pinball_table.REST + 0.5

# Held down, a key shoves once.
game = run(fresh(Controls(), *[SHOVE] * 200, place=(middle, 250)), 4)
assert len(game.nudges) == 1

# A ball that is lost at once comes back, one time. Then it is lost; after three the game is over, and starts again.
game = run(fresh(SPACE), 2)
for saves, ball in ((1, 1), (1, 2)):
    game.table.ball.position, game.table.ball.velocity = DRAINING["place"], DRAINING["velocity"]
    run(game, 6)
    assert (game.saves, game.ball) == (saves, ball), (game.saves, game.ball)
    assert game.table.is_waiting
for ball in (3, 3):
    game.launched = -10**6
    game.table.ball.position, game.table.ball.velocity = DRAINING["place"], DRAINING["velocity"]
    run(game, 6)
    assert game.ball == ball
assert game.lost == 3 and "Game over" in game.message and game.pause
score = game.score
run(game, 140)
assert game.games == 1
run(game, 20)
assert (game.games, game.ball, game.score, game.message) == (2, 1, 0, "") and game.best == score

# R in the middle of a game, and in the pause after one. Plain steps stay plain.
for frames in (5, 200, 700):
    game = fresh()
    game.controls = game.autoplay()
    run(game, frames)
    best, games = game.best, game.games
    game.on_key_press(arcade.key.F2, 0)
    game.on_key_press(arcade.key.R, 0)
    assert (game.score, game.ball, game.level, game.multiplier, game.message) == (0, 1, 1, 1, "")
    assert (game.games, game.best) == (games + 1, best)
    assert game.table.is_waiting and not game.is_continuous and "Plain Pymunk" in game.shows()
    game.on_key_press(arcade.key.F2, 0)
    assert game.is_continuous and "Plain" not in game.shows()
    run(game, 30)

# F1 and Esc.
left = []
game.leave = lambda: left.append(True)
game.on_draw()
game.on_key_press(arcade.key.F1, 0)
assert game.show_debug
game.on_draw()
game.on_key_press(arcade.key.F1, 0)
game.on_key_press(arcade.key.ESCAPE, 0)
assert not game.show_debug and left == [True]

# What the line on the screen says goes with what happens, and fits into the window.
game = fresh()
game.controls = game.autoplay()
said = set()
for _ in range(1500):
    run(game, 1)
    said.add(game.shows())
assert len(said) >= 6, said
for line in (*said, pinball.PLAIN):
    assert demo.text(14, 0, 12, demo.PAPER, words=line).right < demo.WIDTH, line
game.score = game.best = 9_999_999
assert demo.text(14, 0, 14, demo.PAPER, words=game.scores()).right < demo.WIDTH
"""


def watch(folder: Path, *players: str) -> dict[str, dict[str, Any]]:
    told: dict[str, dict[str, Any]] = json.loads(said(python_fork("-c", WATCH, *players, folder=folder)))
    return told


@pytest.fixture(scope="module", params=some(range(3)))
def autoplayed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return observations of a game of autoplay: 2,400 frames."""
    name = f"autoplay {request.param}"
    return watch(tmp_path_factory.mktemp("watched"), name)[name]


@pytest.fixture(scope="module")
def badly_played(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """Return observations of games of four bad players, 900 frames each."""
    players = "mashing", "holding all", "holding one", "hammering"
    return watch(tmp_path_factory.mktemp("watched"), *players)


@pytest.mark.long
def test_a_seed_gives_the_same_game_to_the_bit_and_another_gives_another(tmp_path: Path) -> None:
    one = json.loads(said(python("-c", PLAY, 900, 7, 8, folder=tmp_path)))
    other = json.loads(said(python_fork("-c", PLAY, 900, 8, 7, folder=tmp_path)))
    assert one == other
    for name in ("bodies", "bumpers", "hits"):
        assert one["7"][name] != one["8"][name]


def assert_is_kept(game: dict[str, Any], frames: int) -> None:
    """Require that no ball leaves the table or passes a wall, and that each drop target counts once."""
    assert game["frame"] >= frames
    assert (game["outside"], game["crossed"], game["escaped"]) == (0, 0, 0)
    # Steps are swept once the ball moves more than a quarter of its width, 4.5 px. Gravity within the step adds to
    # that.
    assert game["deepest"] < 5.0
    assert game["fastest"] > 1200, "20 px in a frame: more than its width"
    assert game["wrong bills"] == 0


@pytest.mark.parametrize("name", ["mashing", "holding all", "holding one", "hammering"])
def test_with_continuous_steps_no_ball_leaves_the_table(name: str, badly_played: dict[str, dict[str, Any]]) -> None:
    assert_is_kept(badly_played[name], 900)


def test_autoplay_meets_everything_on_the_table_and_wins_and_loses(autoplayed: dict[str, Any]) -> None:
    game = autoplayed
    assert_is_kept(game, 2400)
    assert min(game["met"].values()) > 0, game["met"]
    assert game["met"]["TARGET"] > 3
    assert game["launches"] > 1
    assert game["lost"] > 0
    assert game["score"] > 500
    assert game["fastest"] > 4000
    assert max(game["levels"]) > 1 or max(game["multipliers"]) > 1


def test_who_mashes_the_keys_tilts_the_table(badly_played: dict[str, dict[str, Any]]) -> None:
    assert badly_played["mashing"]["tilts"] > 0
    assert badly_played["hammering"]["lost"] > 0


def test_the_same_launches_leave_the_table_in_plain_pymunk_and_f2_counts_them(tmp_path: Path) -> None:
    told = json.loads(said(python_fork("-c", ESCAPE, folder=tmp_path)))
    assert len(told["launched"]["plain"]) > 4
    assert told["launched"]["continuous"] == []
    with_continuous, without = told["switched"]
    assert with_continuous == 0
    assert without > 3


def test_the_rules_of_the_game_and_its_keys(tmp_path: Path) -> None:
    said(python_fork("-c", RULES, folder=tmp_path))
