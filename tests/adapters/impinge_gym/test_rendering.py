"""Pictures: colours at places whose bodies are known, and equal pictures for equal copies."""

from __future__ import annotations

import os
from collections.abc import Iterator

import gymnasium
import numpy as np
import pytest

os.environ.setdefault("ARCADE_HEADLESS", "True")  # Arcade reads this variable at import
import arcade

from impinge import Box
from impinge_gym import PlatformerVectorEnv, TopDownVectorEnv, Track, level_of_rows
from impinge_gym.rendering import COIN, DEADLY, EXIT, MOVER, ONE_WAY, PLAYER, SKY, WALL

TRACK = Track(np.array([(90.0, 10.0), (90.0, 30.0)]), 2)
LEVEL = level_of_rows(["@.o=.F", "..^#.."], tile=20, from_above=True, movers=[(Box(10, 10), TRACK)])


@pytest.fixture(scope="module")
def envs() -> Iterator[TopDownVectorEnv]:
    """Return two copies to draw."""
    envs = TopDownVectorEnv(2, LEVEL, render_mode="rgb_array", render_width=240, random_starts=False)
    envs.reset()
    yield envs
    envs.close()
    arcade.get_window().close()


def colour(picture: np.ndarray, x: float, y: float) -> tuple[int, ...]:
    """Return the colour at a place of the level: the bodies reach from 5 to 115 and from 0 to 40."""
    left, bottom, right, _ = LEVEL.bounds
    scale = 240 / (right - left)
    row = picture.shape[0] - 1 - int((y - bottom + 20) * scale)
    return tuple(picture[row, int((x - left) * scale)].tolist())


def test_bodies_are_drawn_where_they_are(envs: TopDownVectorEnv) -> None:
    pictures = envs.render()
    assert pictures is not None
    assert [picture.dtype for picture in pictures] == [np.uint8, np.uint8]
    assert pictures[0].shape[1:] == (240, 3)
    np.testing.assert_array_equal(*pictures)
    places = {
        (10, 30): PLAYER, (50, 30): COIN, (70, 30): ONE_WAY, (70, 10): WALL, (50, 10): DEADLY, (110, 30): EXIT,
        (90, 10): MOVER, (30, 10): SKY, (90, 30): SKY,
    }  # fmt: skip
    assert {place: colour(pictures[0], *place) for place in places} == places


def test_copies_are_drawn_apart(envs: TopDownVectorEnv) -> None:
    envs.reset()
    for _ in range(9):
        envs.step(np.array([1, 0]))  # the first one walks onto the coin
    pictures = envs.render()
    assert pictures is not None
    assert [colour(picture, 46, 30) for picture in pictures] == [PLAYER, COIN]
    assert [colour(picture, 10, 30) for picture in pictures] == [SKY, PLAYER]
    envs.game.fleet.set_poses([LEVEL.player], [(30, 30)], [0])
    envs.game.positions[0] = 30, 30
    pictures = envs.render()
    assert pictures is not None
    assert [colour(picture, 50, 30) for picture in pictures] == [SKY, COIN]  # it is gone


def test_without_a_mode_there_is_no_picture() -> None:
    with pytest.warns(UserWarning, match="render_mode='rgb_array'"):
        assert PlatformerVectorEnv(1).render() is None


def test_a_single_environment_gives_one_picture() -> None:
    env = gymnasium.make("impinge/TopDown-v0", render_mode="rgb_array", level=LEVEL, render_width=240)
    env.reset()
    picture = env.render()
    assert isinstance(picture, np.ndarray)
    assert picture.shape[1:] == (240, 3)
