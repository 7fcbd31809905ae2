"""The moves of a playtest are those of games: the oracle is `Walker` with its abilities, on a `PushEngine`."""

from __future__ import annotations

from typing import Any

import arcade
import numpy as np
import pytest
from arcade import SpriteSolidColor

import impinge as im
from impinge import Side
from impinge_arcade import Jump, Ladders, PhysicsEngineSimple, PushEngine, Walker
from impinge_playtest import Platformer, TopDown, play
from impinge_playtest.maps import areas_of, level_from_engine
from impinge_playtest.moves import moves_from
from scale import some

ONE_WAY = Side.LEFT | Side.RIGHT | Side.BOTTOM
HELD = (1, 2, 5, 20)


def stage() -> tuple[PushEngine, arcade.Sprite, arcade.SpriteList[Any]]:
    """Return a room with steps, a plank, a ladder, a ferry and a lift, and its hero."""
    hero = SpriteSolidColor(20, 40, 100, 30)
    walls, planks, ladders = arcade.SpriteList(), arcade.SpriteList(), arcade.SpriteList()
    for x, y, width, height in ((400, 0, 800, 20), (0, 300, 20, 600), (800, 300, 20, 600), (300, 40, 60, 60)):
        walls.append(SpriteSolidColor(width, height, x, y))
    planks.append(SpriteSolidColor(100, 10, 200, 100))
    ladders.append(SpriteSolidColor(20, 200, 500, 110))
    ferry, lift = SpriteSolidColor(80, 16, 400, 150), SpriteSolidColor(60, 16, 650, 30)
    ferry.change_x, ferry.boundary_left, ferry.boundary_right = 2, 340, 560
    lift.change_y, lift.boundary_bottom, lift.boundary_top = 3, 20, 260
    engine = PushEngine(weak=hero, mighty=walls)
    engine.add([ferry, lift], might=1)
    engine.add(planks, might=1, passable=ONE_WAY)
    return engine, hero, ladders


def random_keys(seed: int, frames: int, count: int) -> list[int]:
    random = np.random.default_rng(seed)
    keys: list[int] = []
    while len(keys) < frames:
        keys += [int(random.integers(count))] * int(random.choice(HELD))
    return keys[:frames]


RULES: list[dict[str, Any]] = [
    {"jump": 12.0, "gravity": 0.6},
    {"jump": 10.0, "gravity": 0.5, "coyote": 4, "jumps": 2, "cut": 0.4, "max_fall": 6.0},
]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("seed", some(range(4)))
def test_a_player_moves_like_a_walker_of_a_game(rule: dict[str, Any], seed: int) -> None:
    engine, hero, ladders = stage()
    moves = Platformer(speed=4.0, climb=3.0, drop=0.0, **rule)
    level = level_from_engine(engine, hero, moves, ladders=areas_of(ladders, "ladder"))
    keys = [0, *random_keys(seed, 600, len(moves.names))]  # a player at the start of a level has not landed yet
    found = play(level, moves, keys)

    engine, hero, ladders = stage()
    engine.update()  # frame 0 of a level is after the first update of the engine
    jump = Jump(
        rule["jump"], **{name: rule[name] for name in ("coyote", "cut") if name in rule}, times=rule.get("jumps", 1)
    )
    climb = Ladders(ladders)
    walker = Walker(
        engine, hero, climb, jump, gravity=rule["gravity"], max_fall=rule.get("max_fall", np.inf), step_height=4.0
    )
    before, places = False, []
    for number in keys:
        walker.run(4.0 * (0, -1, 1)[number % 3])
        climb.speed = 3.0 * (0, 0, 1, -1)[number // 3]
        if (number // 3 == 1) != before:
            (jump.release if before else jump.press)()
        before = number // 3 == 1
        engine.update()
        places.append(hero.position)
    np.testing.assert_allclose(found.places[1 : 1 + len(places)], places[: len(found.places) - 1], atol=1e-9)
    assert np.ptp(found.places, axis=0).min() > 80.0  # it got around


def test_down_drops_through_a_plank() -> None:
    engine, hero, _ = stage()
    hero.position = 200, 125
    moves = Platformer(speed=4.0, jump=12.0, gravity=0.6)
    level = level_from_engine(engine, hero, moves)
    stand, down = moves.names.index("stand"), moves.names.index("down")
    assert play(level, moves, [stand] * 40).places[-1].tolist() == [200.0, 125.0]
    assert play(level, moves, [stand] * 10 + [down] + [stand] * 40).places[-1].tolist() == [200.0, 30.0]


@pytest.mark.parametrize("seed", range(2))
def test_a_topdown_player_moves_like_that_of_the_engine(seed: int) -> None:
    def room() -> tuple[PhysicsEngineSimple, arcade.Sprite]:
        hero, walls, doors = SpriteSolidColor(20, 20, 100, 100), arcade.SpriteList(), arcade.SpriteList()
        for x, y, width, height in ((200, 0, 400, 20), (200, 400, 400, 20), (0, 200, 20, 400), (400, 200, 20, 400)):
            walls.append(SpriteSolidColor(width, height, x, y))
        walls.append(SpriteSolidColor(60, 60, 200, 200, angle=30))
        doors.append(SpriteSolidColor(20, 80, 300, 60))
        doors[0].change_y, doors[0].boundary_bottom, doors[0].boundary_top = 2, 20, 200
        return PhysicsEngineSimple(hero, walls, moving_walls=[doors]), hero

    engine, hero = room()
    moves = TopDown(speed=5.0)
    level = level_from_engine(engine, hero, moves)
    keys = random_keys(seed, 400, len(moves.names))
    found = play(level, moves, keys)

    engine, hero = room()
    engine.update()  # frame 0 of a level
    places = []
    for number in keys:
        hero.change_x, hero.change_y = 5.0 * (0, -1, 1)[number % 3], 5.0 * (0, -1, 1)[number // 3]
        engine.update()
        places.append(hero.position)
    np.testing.assert_allclose(found.places[1:], places[: len(found.places) - 1], atol=1e-9)
    assert np.ptp(found.places, axis=0).min() > 80.0


def test_moves_survive_a_file() -> None:
    for moves in (Platformer(speed=3.0, jumps=2, max_fall=9.0), Platformer(), TopDown(speed=2.0)):
        assert moves_from(moves.settings()) == moves
    with pytest.raises(ValueError, match="moves must be 'platformer' or 'topdown', got 'fly'"):
        moves_from({"kind": "fly"})


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (lambda: Platformer(speed=0.0), "speed must be"),
        (lambda: Platformer(gravity=-1.0), "gravity must be"),
        (lambda: Platformer(max_fall=0.0), "max_fall must be positive, got 0.0"),
        (lambda: Platformer(coyote=-1), "coyote must be an integer, 0 or more, got -1"),
        (lambda: TopDown(speed=float("nan")), "speed must be"),
    ],
)
def test_bad_numbers_are_refused(made: Any, message: str) -> None:
    with pytest.raises(im.ShapeError, match=message):
        made()
