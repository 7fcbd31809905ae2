"""Play the games of the how-to pages, and compare the result with what their pages promise."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

os.environ.setdefault("ARCADE_HEADLESS", "True")  # Arcade reads this variable at import
import arcade
from arcade import key

DOCS = Path(__file__).parents[2] / "docs"
FRAME = 1 / 60  # seconds
MOMENTS = np.linspace(0.0, 1.0, 4001)  # moments of a frame that are sampled
RAYS = 4000  # rays cast from a guard


@pytest.fixture(scope="module")
def window() -> Iterator[arcade.Window]:
    """Return a window to show the games in."""
    window = arcade.Window(800, 600, visible=False)
    yield window
    window.close()


def game_of(window: arcade.Window, page: str, view: str) -> Any:
    """Return the game of a page, by the name of its view."""
    text = (DOCS / f"{page}.md").read_text("utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    (program,) = (block for block in blocks if f"class {view}(" in block)
    names: dict[str, Any] = {"__name__": view}
    exec(compile(program, f"{page}.md", "exec"), names)
    game = names[view]()
    window.show_view(game)
    return game


def play(game: Any, updates: int) -> None:
    for _ in range(updates):
        game.on_fixed_update(FRAME)


def test_bullets_hit_what_is_in_their_way_at_some_moment_of_the_frame(window: arcade.Window) -> None:
    game = game_of(window, "howto-bullets", "Range")
    told, expected = [], []
    for _ in range(200):
        targets = [(target.center_x, target.center_y, target.change_y) for target in game.targets]
        hits = game.hits
        play(game, 1)
        is_hit = np.zeros(len(MOMENTS), np.bool_)
        for x, y, up in targets:
            up = up if 100 < y < 500 else -up  # the game reverses it first
            # The bullet measures 6 by 2 and moves 2,000 to the right from (20, 300). The target measures 2 by 60.
            across = np.abs(20 + 2000 * MOMENTS - x) < 3 + 1
            is_hit |= across & (np.abs(300 - y - up * MOMENTS) < 1 + 30)
        told.append(game.hits - hits)
        expected.append(int(is_hit.any()))
    assert told == expected
    assert 20 < sum(told) < 180


def test_a_stroke_hits_two_goblins_once_and_throws_none_into_a_wall(window: arcade.Window) -> None:
    game = game_of(window, "howto-melee", "Arena")
    starts = [goblin.position for goblin in game.goblins]
    game.on_key_press(key.SPACE, 0)
    play(game, 60)
    assert game.hits == 2
    assert [goblin.position != start for goblin, start in zip(game.goblins, starts, strict=True)] == [
        True,
        True,
        False,  # behind the wall
        False,  # out of reach
    ]
    for goblin in game.goblins:
        x, y = goblin.position
        for wall in game.walls:
            gap = max(abs(x - wall.center_x) - wall.width / 2, abs(y - wall.center_y) - wall.height / 2)
            assert gap > 14 - 1e-6


def nearest_wall(game: Any, x: float, y: float, bearings: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how far each ray goes before it hits a wall: slabs for boxes, the circle equation for the pillar."""
    cos, sin = np.cos(bearings), np.sin(bearings)
    reach = np.full(len(bearings), math.inf)
    for wall in game.walls:
        dx, dy = wall.center_x - x, wall.center_y - y
        if isinstance(wall, arcade.SpriteCircle):
            reach = np.minimum(reach, to_disk(dx, dy, wall.width / 2, bearings))
            continue
        with np.errstate(divide="ignore"):
            across = np.sort([(dx - wall.width / 2) / cos, (dx + wall.width / 2) / cos], axis=0)
            up = np.sort([(dy - wall.height / 2) / sin, (dy + wall.height / 2) / sin], axis=0)
        enter, leave = np.maximum(across[0], up[0]), np.minimum(across[1], up[1])
        reach = np.where((enter <= leave) & (enter >= 0), np.minimum(reach, enter), reach)
    return reach


def to_disk(dx: float, dy: float, radius: float, bearings: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how far rays go before they hit a disk."""
    along, aside = dx * np.cos(bearings) + dy * np.sin(bearings), dy * np.cos(bearings) - dx * np.sin(bearings)
    half_chord = np.sqrt(np.maximum(radius * radius - aside * aside, 0.0))
    return np.where((np.abs(aside) < radius) & (along > 0), along - half_chord, math.inf)


def is_seen(game: Any, thief: arcade.Sprite, radius: float) -> bool:
    """Return whether any of many rays hits a thief of this size before it hits a wall."""
    x, y = game.guard.position
    facing = math.radians(90 - game.guard.angle)
    bearings = facing + np.radians(np.linspace(-28, 28, RAYS))
    ways = to_disk(thief.center_x - x, thief.center_y - y, radius, bearings)
    return bool(np.any((ways < nearest_wall(game, x, y, bearings)) & (ways < 330)))


def test_a_guard_sees_whom_rays_come_to(window: arcade.Window) -> None:
    game = game_of(window, "howto-vision", "Yard")
    game.on_key_press(key.LEFT, 0)
    views = []
    for update in range(240):
        if update == 30:
            game.on_key_release(key.LEFT, 0)
            game.on_key_press(key.DOWN, 0)
        play(game, 1)
        seen = {thief for thief, _ in game.seen}
        for thief in game.thieves:
            # A gap between two rays may hide a sliver of the thief. So test with a slightly smaller thief and a
            # slightly larger one.
            if is_seen(game, thief, 11.8):
                assert thief in seen
            if not is_seen(game, thief, 12.2):
                assert thief not in seen
            views.append(thief in seen)
    assert 20 < sum(views) < len(views) - 20


def test_a_hero_collects_coins_and_comes_back_from_a_death_zone(window: arcade.Window) -> None:
    game = game_of(window, "howto-tile-maps", "Level")
    coins = game.scene["Coins"]
    there = len(coins)
    game.on_key_press(key.RIGHT, 0)
    farthest, returns = 0.0, 0
    for update in range(900):
        if update % 45 == 0:
            game.on_key_press(key.SPACE, 0)
        play(game, 1)
        if game.hero.position == (100, 200):
            returns += 1
        farthest = max(farthest, game.hero.center_x)
    assert farthest > 1000
    assert returns > 0
    assert game.score == there - len(coins) > 0
