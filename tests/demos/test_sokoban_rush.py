"""The demo game `sokoban_rush`. Each run has its own process: Arcade has one window per process, headless or not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from impinge_demos.sokoban_rush_halls import HALLS
from scale import some
from screenless import python, python_fork, said

PLAY = """
import json, sys
from impinge_demos import stage

seed, frames = map(int, sys.argv[1:])
game = stage.play("sokoban_rush", stage.Options(autoplay=True, frames=frames, seed=seed))
print(json.dumps(game.state()))
"""

# Code shared by the plays below. Shapely finds overlaps, from the corners that the shapes were made of.
TOOLS = """
import functools, json, os, random, sys
os.environ["ARCADE_HEADLESS"] = "True"
import arcade, shapely
from impinge_demos import demo, sokoban_rush
from impinge_demos.controls import Controls
from impinge_demos.sokoban_rush_halls import HALLS, Hall, Track

window = arcade.Window(demo.WIDTH, demo.HEIGHT)
arcade.resources.load_liberation_fonts()
SLOP = 1e-6  # pixels; that of the shapes is some 1e-8
ROOM = shapely.box(0, 0, demo.WIDTH, demo.HEIGHT - demo.BAR)

def outline(body):
    pose = body.pose
    return shapely.Polygon([(pose.x + x, pose.y + y) for x, y in body.shape.outline])

@functools.cache
def walls(plan):
    '''Return the walls and the posts of a hall, each as one shape.'''
    cells = [(letter, shapely.box(48 * x, 48 * y, 48 * x + 48, 48 * y + 48)) for (x, y), letter in plan]
    return [shapely.union_all([cell for letter, cell in cells if letter == wanted]) for wanted in "#%"]

def check(game):
    '''Look whether anything is in anything else.'''
    assert not game.robot.stuck
    wall, posts = walls(tuple(game.plan.items()))
    crates = [outline(each.body) for each in game.crates if not each.is_sunk]
    machines = [outline(each.body) for each in game.machines]
    robot = outline(game.robot)
    pairs = [(crate, other) for crate in crates for other in (*machines, robot, wall, posts)]
    pairs += [(crate, other) for number, crate in enumerate(crates) for other in crates[:number]]
    pairs += [(robot, other) for other in (*machines, wall)]
    for shape, other in pairs:
        assert shape.disjoint(other) or shape.intersection(other).area < 40 * SLOP, (game.frame, shape, other)
    assert all(ROOM.contains(shape) for shape in (*crates, robot)), game.frame

def places(game):
    return [(body.pose.x, body.pose.y, body.layer) for body in game.world]
"""

# Play automatically and check every frame.
WATCH = (
    TOOLS
    + """
game = sokoban_rush.Game(int(sys.argv[1]))
game.controls = game.autoplay()
crushed = 0
for _ in range(1500):
    lives, message = game.lives, game.message
    before = [(machine.body, machine.body.pose, machine.track.speed) for machine in game.machines]
    game.on_fixed_update(demo.STEP)
    if game.robot.stuck:
        crushed += 1  # it is shown so for a moment, and then undone
        continue
    check(game)
    if not game.pause and "rewound" not in game.now and before[0][0] is game.machines[0].body:
        for body, start, speed in before:
            assert abs(body.pose.x - start.x) + abs(body.pose.y - start.y) <= speed + SLOP
wooden = [crate for crate in game.crates if crate.colour]
assert sorted(pad.colour for pad in game.pads) == sorted(crate.colour for crate in wooden)
print(json.dumps(game.counts | {"longest": game.longest, "best": game.best, "seen": crushed}))
"""
)

# Play a hall wildly: nothing breaks, and nothing gets into anything.
MASH = (
    TOOLS
    + """
number = int(sys.argv[1])
game = sokoban_rush.Game(number)
game.number = number
game.build()
chance = random.Random(number)
keys = Controls()
for frame in range(300):
    if frame % 7 == 0:
        x, y = chance.choice((-1, 0, 1)), chance.choice((-1, 0, 1))
        keys = Controls(x, y, chance.random() < 0.2, chance.random() < 0.1)
    game.controls = lambda: keys
    game.on_fixed_update(demo.STEP)
    if not game.robot.stuck:
        check(game)
game.show_debug = True
game.on_draw()
"""
)

# Play by scripted input, and print the results for the tests to check.
HANDS = (
    TOOLS
    + """
def hall(plan, *tracks):
    '''Make one small hall the only one.'''
    HALLS[:] = [Hall("Test", 60, list(tracks), plan)]
    made = None
    for seed in range(20):
        made = sokoban_rush.Game(seed)
        if not made.is_mirrored:
            return made

def hold(game, controls, frames):
    game.controls = lambda: controls
    for _ in range(frames):
        game.on_fixed_update(demo.STEP)

out = {}
PLANS = [(hall.plan, hall.tracks) for hall in HALLS]

halls = list(HALLS)

# All at once, and nothing at all.
game = sokoban_rush.Game(0)
hold(game, Controls(1, 1, True, True, True, True), 600)
out["all"] = [game.frame, game.counts["rewound"] > 0]
game = sokoban_rush.Game(0)
hold(game, Controls(), 600)
out["nothing"] = [game.frame, game.robot.pose.x, game.robot.pose.y, game.lives]

# Rewinding: sixty frames on, and as many back.
game = sokoban_rush.Game(3)
game.controls = game.autoplay()
for _ in range(100):
    game.on_fixed_update(demo.STEP)
before, clock = places(game), game.clock
for _ in range(60):
    game.on_fixed_update(demo.STEP)
between = places(game)
hold(game, Controls(second=True), 30)
out["rewound"] = [places(game) == before, between == before, clock - game.clock]

# A crate, and a wall behind it.
game = hall("#######\\n#@.r.##\\n#R....#\\n#######")
hold(game, Controls(x=1), 90)
crate = game.crates[0]
out["wall"] = [crate.body.pose.x, game.robot.pose.x, game.counts["jammed"], crate.body.pose.y]

# Two crates in a row: the mightier pushes the other one, the weaker does not.
for name, ranks in (("down", (7, 3)), ("up", (3, 7))):
    game = hall("##########\\n#@.rg....#\\n#RG......#\\n##########")
    for crate in game.crates:
        crate.body.might = ranks["rg".index(crate.colour)]
    hold(game, Controls(x=1), 50)
    x = {crate.colour: crate.body.pose.x for crate in game.crates}
    out[name] = [game.robot.pose.x, x["r"], x["g"]]

# Four ranks in one frame, and the posts that a robot slips through.
game = hall("##############\\n#..JI.@.r....#\\n#R..........##\\n##############", Track("cart", (1, 2), (11, 2), 6.0, 1))
hold(game, Controls(), 130)
out["chain"] = [game.longest, game.lives]
game = hall("########\\n#@.%r..#\\n#R.....#\\n########")
hold(game, Controls(x=1), 30)
out["posts"] = [game.robot.pose.x, game.crates[0].body.pose.x]
game = hall("########\\n#@.r%..#\\n#R.....#\\n########")
hold(game, Controls(x=1), 60)
out["stopped"] = [game.robot.pose.x, game.crates[0].body.pose.x]

# A belt, a pad, the points.
game = hall("#########\\n#@.r>>>R#\\n#########")
hold(game, Controls(x=1), 30)
hold(game, Controls(), 80)
crate = game.crates[0]
out["belt"] = [crate.body.pose.x, crate.is_sunk, game.counts["sunk"], game.counts["cleared"]]

# Crushed until the game is lost; then it starts again.
game = hall("#########\\n#..@#...#\\n#R...r..#\\n#########", Track("cart", (1, 2), (3, 2), 6.0, 20))
lives = []
scores = []
game.score = 70
for _ in range(900):
    hold(game, Controls(), 1)
    scores.append(game.score)
    if not lives or lives[-1] != game.lives:
        lives.append(game.lives)
out["lives"] = [lives[:5], scores[0], scores[-1], game.counts["lost"] > 0]

# The clock runs out.
game = hall("#########\\n#..@#...#\\n#R...r..#\\n#########")
out["seconds"] = game.clock
game.clock = 30
hold(game, Controls(), 29)
running = game.lives, game.message
hold(game, Controls(), 1)
out["clock"] = [running, (game.lives, game.message)]

# Keys.
HALLS[:] = halls
game = sokoban_rush.Game(0)
game.controls = game.autoplay()
left = []
game.leave = lambda: left.append(True)
for _ in range(150):
    game.on_fixed_update(demo.STEP)
score = game.score
game.on_key_press(arcade.key.F1, 0)
shown = game.show_debug
game.on_draw()
game.on_key_press(arcade.key.F1, 0)
game.on_key_press(arcade.key.R, 0)
out["keys"] = [score > 0, shown, game.show_debug, game.score, game.lives, game.number, len(game.tape)]
for _ in range(50):
    game.on_fixed_update(demo.STEP)
game.on_key_press(arcade.key.ESCAPE, 0)
out["keys"].append(left)
out["plans"] = [plan for plan, _ in PLANS]
print(json.dumps(out))
"""
)


@pytest.fixture(scope="module")
def hands(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return the results of the plays by scripted input."""
    result: dict[str, Any] = json.loads(said(python_fork("-c", HANDS, folder=tmp_path_factory.mktemp("hands"))))
    return result


@pytest.mark.long
def test_a_seed_gives_the_same_game_to_the_bit_and_another_one_another(tmp_path: Path) -> None:
    one, again, other = (
        json.loads(said(runner("-c", PLAY, seed, 600, folder=tmp_path)))
        for runner, seed in ((python, 7), (python_fork, 7), (python_fork, 8))
    )
    assert one == again
    assert one["places"] != other["places"]


@pytest.mark.parametrize("seed", some(range(3)))
def test_autoplay_meets_everything_that_there_is(seed: int, tmp_path: Path) -> None:
    counts: dict[str, int] = json.loads(said(python_fork("-c", WATCH, seed, folder=tmp_path)))
    for name in ("crushed", "rewound", "chained", "jammed", "sunk", "pulled", "carried", "pushed", "cleared"):
        assert counts[name] > 0, name
    assert counts["longest"] >= 5
    assert counts["best"] >= 4 * 50
    assert counts["seen"] > 0


@pytest.mark.parametrize("hall", some(range(len(HALLS))))
def test_a_mashing_player_breaks_nothing(hall: int, tmp_path: Path) -> None:
    said(python_fork("-c", MASH, hall, folder=tmp_path))


def test_an_idle_and_a_greedy_player_break_nothing(hands: dict[str, Any]) -> None:
    assert hands["all"] == [600, True]
    # Nothing crosses the start of the robot: row 6, column 7, or column 13 if the hall is mirrored.
    frame, x, y, lives = hands["nothing"]
    assert (frame, y, lives) == (600, 6.5 * 48, 3)
    assert x in (7.5 * 48, 13.5 * 48)


def test_holding_shift_brings_back_the_world_but_not_the_clock(hands: dict[str, Any]) -> None:
    is_back, was_the_same, frames = hands["rewound"]
    assert is_back
    assert not was_the_same
    assert frames == 60 + 30


def test_a_crate_at_a_wall_stops_who_pushes_it(hands: dict[str, Any]) -> None:
    """The wall begins at 240, a crate is 40 wide, and the robot is 32 wide."""
    crate_x, robot_x, jams, crate_y = hands["wall"]
    assert crate_x == pytest.approx(240 - 20, abs=1e-6)
    assert robot_x == pytest.approx(240 - 40 - 16, abs=1e-6)
    assert jams == 1
    assert crate_y == 2.5 * 48


def test_a_crate_pushes_a_weaker_one_and_is_stopped_by_a_mightier_one(hands: dict[str, Any]) -> None:
    """Unobstructed, the robot reaches 72 + 50 * 3 = 222. The second crate stops it unless that crate yields."""
    assert hands["down"] == pytest.approx([222, 222 + 36, 222 + 76], abs=1e-6)
    # The second crate begins at 216 and is 40 wide.
    assert hands["up"] == pytest.approx([216 - 76, 216 - 40, 216], abs=1e-6)


def test_a_cart_pushes_iron_that_pushes_you_that_push_wood(hands: dict[str, Any]) -> None:
    longest, lives = hands["chain"]
    assert longest == 5
    assert lives == 3


def test_posts_let_the_robot_through_and_keep_crates_out(hands: dict[str, Any]) -> None:
    assert hands["posts"][0] == pytest.approx(72 + 30 * 3, abs=1e-6)
    # The posts begin at 192.
    assert hands["stopped"] == pytest.approx([192 - 40 - 16, 192 - 20], abs=1e-6)


def test_a_belt_takes_a_crate_to_its_pad_where_it_sinks_in(hands: dict[str, Any]) -> None:
    assert hands["belt"] == [7.5 * 48, True, 1, 1]


def test_to_be_crushed_costs_a_life_and_after_three_the_game_starts_again(hands: dict[str, Any]) -> None:
    lives, first_score, last_score, is_lost = hands["lives"]
    assert lives[:5] == [3, 2, 1, 0, 3]
    assert is_lost
    assert first_score == 70
    assert last_score < 70


def test_the_clock_costs_a_life(hands: dict[str, Any]) -> None:
    assert hands["seconds"] == 60 * 60
    assert hands["clock"] == [[3, ""], [2, "Time is up!"]]


def test_keys_show_what_impinge_sees_restart_and_leave(hands: dict[str, Any]) -> None:
    assert hands["keys"] == [True, True, False, 0, 3, 0, 0, [True]]


def test_every_hall_fills_the_window_and_has_a_pad_for_each_crate(hands: dict[str, Any]) -> None:
    assert len(hands["plans"]) >= 5
    for plan in hands["plans"]:
        rows = plan.split()
        assert [len(row) for row in rows] == [21] * 12
        letters = "".join(rows)
        assert letters.count("@") == 1
        for colour in "rgby":
            assert letters.count(colour) == letters.count(colour.upper()) <= 1
        assert set(rows[0] + rows[-1] + "".join(row[0] + row[-1] for row in rows)) == {"#"}
