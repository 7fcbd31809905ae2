"""Levels from Arcade's own Tiled maps, against the game that Arcade's adapter makes of them."""

from __future__ import annotations

import os

import numpy as np
import pytest

os.environ.setdefault("ARCADE_HEADLESS", "True")  # Arcade reads this variable at import
import arcade
import gymnasium

from impinge_arcade import engine_for
from impinge_gym import PLATFORMER, Platformer, level_of_map
from impinge_gym.game import Game

LADDERS = ":resources:tiled_maps/map_with_ladders.json"
TWO = ":resources:tiled_maps/map2_level_1.json"


def test_platforms_move_as_in_the_game() -> None:
    level = level_of_map(LADDERS, spawn=(100, 200))
    tile_map = arcade.load_tilemap(LADDERS, 0.5)
    engine = engine_for(
        tile_map, arcade.SpriteSolidColor(32, 56, 100, 200), walls="Platforms", platforms="Moving Platforms"
    )
    sprites = list(tile_map.sprite_lists["Moving Platforms"])
    assert len(level.tracks) == len(sprites) > 0
    game = Game(level, PLATFORMER, 1)
    rows = sorted(level.tracks)
    # The level begins where the platforms are after the first frame in which they repeat their path.
    starts = [tuple(sprite.position) for sprite in sprites]
    engine.update()
    behind = {}
    for frame in range(2000):
        at = game.fleet.poses(rows)[0, :, :2]
        for number, sprite in enumerate(sprites):
            offset = np.array(engine.body(sprite).pose.x - sprite.center_x)
            if number not in behind and abs(at[number, 0] - offset - sprite.center_x) < 1e-6:
                behind[number] = frame
        if len(behind) == len(sprites):
            break
        engine.update()
    for _ in range(600):
        game.step(np.array([2]))
        engine.update()
        at = game.fleet.poses(rows)[0]
        bodies = [engine.body(sprite).pose for sprite in sprites]
        np.testing.assert_allclose(at[:, :2], [(pose.x, pose.y) for pose in bodies], rtol=0.0, atol=1e-6)
    assert starts != [tuple(sprite.position) for sprite in sprites]


def test_a_player_walks_a_map_as_in_the_game() -> None:
    """Not the same frames: Arcade's engine has other rules for jumps. But the same floors."""
    level = level_of_map(TWO, spawn=(128, 256), roles={"walls": "Platforms", "coins": ["Coins"], "deadly": ()})
    tile_map = arcade.load_tilemap(TWO, 0.5)
    hero = arcade.SpriteSolidColor(32, 56, 128, 256)
    engine = engine_for(tile_map, hero, walls="Platforms", gravity_constant=0.6)
    game = Game(level, Platformer(speed=3.0, jump=11.0, gravity=0.6), 1)
    for frame in range(150):
        hero.change_x = 0.0 if frame < 60 else 3.0
        engine.update()
        game.step(np.array([2 if frame < 60 else 4]))
    np.testing.assert_allclose(game.positions[0], hero.position, rtol=0.0, atol=1e-6)
    assert game.contacts.on_floor[0]
    assert hero.center_x > 200
    assert len(level.coins) == len(tile_map.sprite_lists["Coins"])
    assert level.deadly == ()


def test_an_environment_takes_the_path_of_a_map() -> None:
    envs = gymnasium.make_vec(
        "impinge/Platformer-v0", num_envs=3, level=TWO, map_options={"spawn": (128, 256)}, observation="tiles"
    )
    observations, _ = envs.reset(seed=0)
    assert observations in envs.observation_space
    assert envs.level.deadly


@pytest.mark.parametrize(
    ("roles", "message"),
    [
        ({"floors": "Platforms"}, r"roles must be of .*walls.*, got \['floors'\]"),
        ({"walls": "Wall"}, "Wall"),
    ],
)
def test_unknown_layers_are_refused(roles: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        level_of_map(TWO, spawn=(128, 256), roles=roles)
