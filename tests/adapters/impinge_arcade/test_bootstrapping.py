"""`bootstrap` replaces Arcade's functions and engines, and can be undone."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from types import ModuleType

import arcade
import pytest
from arcade.hitbox import HitBox

import impinge_arcade
from impinge_arcade import bootstrap, restore

NAMES = [
    "PhysicsEnginePlatformer",
    "PhysicsEngineSimple",
    "check_for_collision",
    "check_for_collision_with_list",
    "check_for_collision_with_lists",
    "get_sprites_at_point",
]
THEIRS = {name: getattr(arcade, name) for name in NAMES}


@pytest.fixture
def game(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """Import a game's module that takes its names from Arcade, under `bootstrap`."""
    path = f"{tmp_path}/game_of_the_test.py"
    with open(path, "w", encoding="utf-8") as file:
        file.write("from arcade import PhysicsEngineSimple, check_for_collision\n")
    monkeypatch.syspath_prepend(tmp_path)
    bootstrap()
    yield importlib.import_module("game_of_the_test")
    restore()
    del sys.modules["game_of_the_test"]


def holders() -> dict[str, set[str]]:
    """Return where Arcade's modules hold each of Arcade's own functions."""
    return {
        name: {
            f"{module}.{key}"
            for module, found in sys.modules.items()
            if module.split(".")[0] == "arcade"
            for key, value in vars(found).items()
            if value is THEIRS[name]
        }
        for name in NAMES
    }


def test_all_are_replaced_and_given_back() -> None:
    before = holders()
    assert all(f"arcade.{name}" in before[name] for name in NAMES)
    assert "arcade.paths.check_for_collision_with_list" in before["check_for_collision_with_list"]
    bootstrap()
    bootstrap()
    try:
        assert not any(holders().values())
        assert all(getattr(arcade, name) is getattr(impinge_arcade, name) for name in NAMES)
    finally:
        restore()
    assert holders() == before
    restore()
    assert holders() == before


def test_a_game_that_is_imported_later_has_ours(game: ModuleType) -> None:
    assert game.PhysicsEngineSimple is impinge_arcade.PhysicsEngineSimple
    player, walls = arcade.SpriteSolidColor(20, 20), arcade.SpriteList()
    walls.append(arcade.SpriteSolidColor(4, 100, center_x=100))
    engine = game.PhysicsEngineSimple(player, walls)
    assert isinstance(engine, THEIRS["PhysicsEngineSimple"])
    player.change_x = 5000
    assert engine.update() == [walls[0]]
    restore()
    player.position, player.change_x = (0, 0), 5000
    assert engine.update() == [walls[0]]  # it moves on


def test_sprites_ask_ours() -> None:
    """Use a hit box larger than its texture, which Arcade's own check misses."""
    beam, player = arcade.SpriteSolidColor(8, 8), arcade.SpriteSolidColor(8, 8, center_x=90)
    beam.hit_box = HitBox(((-100, -4), (100, -4), (100, 4), (-100, 4)))
    beams = arcade.SpriteList()
    beams.append(beam)
    assert (player.collides_with_sprite(beam), player.collides_with_list(beams)) == (False, [])
    bootstrap()
    try:
        assert (player.collides_with_sprite(beam), player.collides_with_list(beams)) == (True, [beam])
    finally:
        restore()
    assert (player.collides_with_sprite(beam), player.collides_with_list(beams)) == (False, [])
