"""Each step of the tutorial is a game. The tests play it by keys, and it does what its page says."""

from __future__ import annotations

import importlib.util
import os
import re
from pathlib import Path
from typing import Any

import pytest

os.environ.setdefault("ARCADE_HEADLESS", "True")  # Arcade reads this variable at import
import arcade
from arcade import key

DOCS = Path(__file__).parents[3] / "docs"
STEPS = sorted((DOCS / "platformer").glob("*.py"))
TILE = 64


@pytest.fixture(scope="module")
def window() -> Any:
    """Return a window to show the games in."""
    window = arcade.Window(800, 600, visible=False)
    yield window
    window.close()


def game_of(window: arcade.Window, name: str) -> Any:
    """Return the game of a step, as its file makes it."""
    (path,) = (path for path in STEPS if name in path.stem)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    game = module.Game()
    window.show_view(game)
    return game


def play(game: Any, updates: int) -> None:
    for _ in range(updates):
        game.on_update(1 / 60)


def put(game: Any, column: float, bottom: float) -> None:
    """Place the hero somewhere, at rest."""
    game.hero.center_x, game.hero.bottom = TILE * column, bottom
    game.hero.velocity = 0, 0


def test_there_is_a_step_for_each_file_and_a_file_for_each_step() -> None:
    page = (DOCS / "platformer.md").read_text("utf-8")
    assert re.findall(r"{literalinclude} platformer/(\S+)", page) == [path.name for path in STEPS]
    assert len(STEPS) == 7


@pytest.mark.parametrize("path", STEPS, ids=lambda path: path.stem)
def test_a_step_is_drawn(window: arcade.Window, path: Path) -> None:
    game = game_of(window, path.stem)
    game.on_draw()
    sky = arcade.color.SKY_BLUE
    assert arcade.get_pixel(400, 590)[:3] == sky[:3]
    assert (arcade.get_pixel(400, 20)[:3] == sky[:3]) is (path is STEPS[0])


@pytest.mark.parametrize("path", STEPS, ids=lambda path: path.stem)
def test_what_is_marked_as_new_in_a_step_is_new(path: Path) -> None:
    page = (DOCS / "platformer.md").read_text("utf-8")
    block = page[page.index(path.name) :].partition("```")[0]
    marked = re.search(r":emphasize-lines: (\S+)", block)
    if marked is None:
        assert path is STEPS[0]
        return
    numbers: list[int] = []
    for part in marked.group(1).split(","):
        first, _, last = part.partition("-")
        numbers += range(int(first), int(last or first) + 1)
    former = STEPS[STEPS.index(path) - 1].read_text("utf-8").splitlines()
    lines = path.read_text("utf-8").splitlines()
    # The first line of a file is its title.
    assert numbers == [number for number, line in enumerate(lines[1:], 2) if line.strip() and line not in former]


@pytest.mark.parametrize("name", ["03", "04", "05", "06"])
def test_she_falls_to_the_ground_and_stands_exactly_on_it(window: arcade.Window, name: str) -> None:
    game = game_of(window, name)
    play(game, 60)
    assert game.hero.bottom == TILE
    game.on_key_press(key.UP, 0)
    play(game, 5)
    assert game.hero.bottom > 2 * TILE - 20
    play(game, 60)
    assert game.hero.bottom == TILE


@pytest.mark.parametrize("name", ["03", "04", "05", "06"])
def test_a_crate_stops_her_on_her_way(window: arcade.Window, name: str) -> None:
    game = game_of(window, name)
    play(game, 60)
    game.on_key_press(key.RIGHT, 0)
    play(game, 120)
    assert game.hero.right == pytest.approx(5 * TILE)
    game.on_key_release(key.RIGHT, 0)
    play(game, 1)
    assert game.hero.change_x == 0


def test_a_coin_is_hers_once_she_has_been_in_it(window: arcade.Window) -> None:
    game = game_of(window, "04")
    put(game, 2, TILE)
    game.on_key_press(key.RIGHT, 0)
    play(game, 30)
    assert (game.score, len(game.coins)) == (1, 3)


def test_a_coin_that_she_flies_through_within_an_update_is_hers_too(window: arcade.Window) -> None:
    game = game_of(window, "04")
    put(game, 3.5, 9 * TILE)
    game.hero.change_y = -9 * TILE
    play(game, 1)
    assert game.score == 1


def test_the_ferry_takes_her_over_the_pit_and_the_lift_up(window: arcade.Window) -> None:
    game = game_of(window, "05")
    ferry, lift, _ = game.platforms
    put(game, ferry.center_x / TILE, ferry.top)
    for _ in range(200):
        play(game, 1)
        assert game.hero.bottom == ferry.top
        assert game.hero.center_x == pytest.approx(ferry.center_x, abs=1e-6)
    put(game, lift.center_x / TILE, lift.top)
    heights = []
    for _ in range(300):
        play(game, 1)
        assert game.hero.bottom == pytest.approx(lift.top, abs=1e-9)
        heights.append(game.hero.bottom)
    assert max(heights) - min(heights) > 4 * TILE


def test_the_press_crushes_her_and_she_is_back_at_the_start(window: arcade.Window) -> None:
    game = game_of(window, "05")
    put(game, 22, TILE)
    play(game, 120)
    assert game.crushed == 1
    assert game.hero.center_x == 100


def test_who_falls_into_the_pit_is_back_at_the_start(window: arcade.Window) -> None:
    game = game_of(window, "05")
    put(game, 16.5, 5 * TILE)
    play(game, 100)
    assert (game.crushed, game.hero.center_x) == (0, 100)


def test_she_jumps_up_through_a_plank_and_stands_on_it(window: arcade.Window) -> None:
    game = game_of(window, "06")
    put(game, 24.5, TILE)
    play(game, 1)
    game.on_key_press(key.UP, 0)
    play(game, 60)
    assert game.hero.bottom == pytest.approx(game.planks[2].top)


def test_she_walks_up_the_hill_and_down_again_and_never_leaves_the_ground(window: arcade.Window) -> None:
    game = game_of(window, "06")
    put(game, 25.2, TILE)
    play(game, 1)
    game.on_key_press(key.RIGHT, 0)
    heights = []
    while game.hero.center_x < 32 * TILE:
        play(game, 1)
        assert game.engine.body(game.hero).on_floor
        heights.append(game.hero.bottom)
    assert max(heights) == pytest.approx(3 * TILE)
    assert heights[-1] == TILE


def test_f1_shows_what_the_engine_sees(window: arcade.Window) -> None:
    game = game_of(window, "06")
    play(game, 5)
    game.on_draw()
    before = arcade.get_image().tobytes()
    game.on_key_press(key.F1, 0)
    game.on_draw()
    assert arcade.get_image().tobytes() != before


def test_step_7_she_pushes_a_crate_and_rides_on_it(window: arcade.Window) -> None:
    game = game_of(window, "07")
    play(game, 60)
    assert game.hero.bottom == TILE
    game.on_key_press(key.RIGHT, 0)
    play(game, 90)
    crate = game.crates[0]
    assert crate.center_x > 5.5 * TILE + 30
    assert crate.bottom == TILE
    game.on_key_release(key.RIGHT, 0)
    play(game, 2)
    rest = crate.center_x
    play(game, 20)
    assert crate.center_x == rest
    put(game, crate.center_x / TILE, crate.top + 5)
    play(game, 10)
    assert game.engine.floor(game.hero) is crate


def test_step_7_a_belt_a_lift_and_a_turning_plank_take_her_along(window: arcade.Window) -> None:
    game = game_of(window, "07")
    put(game, 30, 4 * TILE)
    play(game, 60)
    before = game.hero.center_x
    play(game, 10)
    assert game.hero.center_x == before + 20
    lift = game.lifts[0]
    put(game, lift.center_x / TILE, lift.top + 1)
    play(game, 5)
    aside = game.hero.center_x - lift.center_x
    play(game, 100)
    assert game.hero.center_x - lift.center_x == pytest.approx(aside)
    put(game, 7.5, 5 * TILE)
    play(game, 60)
    assert game.engine.floor(game.hero) is game.wheels[0]


def test_step_7_she_climbs_the_ladder_jumps_twice_and_takes_a_coin(window: arcade.Window) -> None:
    game = game_of(window, "07")
    put(game, 24.5, TILE)
    play(game, 2)
    game.on_key_press(key.UP, 0)
    play(game, 60)
    assert game.hero.bottom > 3 * TILE
    game.on_key_release(key.UP, 0)
    play(game, 10)
    height = game.hero.bottom
    for _ in range(2):
        game.on_key_press(key.SPACE, 0)
        play(game, 8)
    assert game.hero.bottom > height + 2.5 * TILE
    assert game.score == 1


def test_step_7_who_falls_into_the_pit_is_back_at_the_start(window: arcade.Window) -> None:
    game = game_of(window, "07")
    put(game, 16.5, 5 * TILE)
    play(game, 60)
    assert game.hero.center_x == 100
