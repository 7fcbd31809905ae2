"""What agents see, against queries of each copy's world, and by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from impinge import Box, Circle, Pose, ShapeError, World
from impinge.world.bodies import ALL_LAYERS
from impinge_gym import (
    MEADOW,
    PLATFORMER,
    Level,
    PlatformerVectorEnv,
    Rays,
    Tiles,
    TopDownVectorEnv,
    Track,
    level_of_rows,
)
from impinge_gym.level import AREA_LAYER
from impinge_gym.observations import STATE


def test_rays_end_at_what_they_hit_first_in_each_copy() -> None:
    envs = PlatformerVectorEnv(12, MEADOW, observation=Rays(count=7, reach=5.0))
    observations, _ = envs.reset(seed=2)
    random = np.random.default_rng(1)
    for _ in range(40):
        observations, *_ = envs.step(random.choice([2, 4, 5], 12))
    angles, hits = np.arange(7) * (2 * np.pi / 7), 0
    for number, world in enumerate(envs.game.fleet):
        x, y = envs.game.positions[number].tolist()
        for ray, angle in enumerate(angles.tolist()):
            end = x + 5 * 32.0 * np.cos(angle), y + 5 * 32.0 * np.sin(angle)
            hit = world.along((x, y), end, mask=ALL_LAYERS & ~AREA_LAYER, ignore=world.body(MEADOW.player))[:1]
            expected = hit[0].impact.time if hit else 1.0
            assert observations[number, STATE + ray] == pytest.approx(expected, abs=1e-6)
            assert observations[number, STATE + 7 + ray] == bool(hit and MEADOW.is_deadly[hit[0].target.index])
            hits += bool(hit)
    assert hits > 20


def test_rays_tell_what_is_deadly() -> None:
    level = level_of_rows(["@.^", "#..", "###"], tile=10, from_above=True)
    envs = TopDownVectorEnv(1, level, observation=Rays(count=4, reach=10))
    observations, _ = envs.reset()
    # To the right a spike that begins at 21, to the left and above nothing, below a wall; the player is at (5, 25).
    np.testing.assert_allclose(observations[0, STATE:], [0.16, 1, 1, 0.05, 1, 0, 0, 0], atol=1e-6)


def test_tiles_are_those_around_the_player() -> None:
    envs = PlatformerVectorEnv(
        1, level_of_rows(["o.=.", "@.^F", "####"], tile=10), observation=Tiles(columns=5, rows=3)
    )
    observations, _ = envs.reset()
    solid, deadly, coins, exits = observations[0, STATE:].reshape(4, 3, 5)[:, ::-1].tolist()
    assert solid == [[0, 0, 0, 0, 0.5], [0, 0, 0, 0, 0], [0, 0, 1, 1, 1]]
    assert deadly == [[0, 0, 0, 0, 0], [0, 0, 0, 0, 1], [0, 0, 0, 0, 0]]
    assert coins == [[0, 0, 1, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0]]
    assert exits == [[0] * 5] * 3


def test_tiles_show_movers_where_they_are_and_no_coins_that_are_gone() -> None:
    track = Track(np.array([(35.0, 5.0), (45.0, 5.0)]), 2)
    level = level_of_rows(["@o......"], tile=10, from_above=True, movers=[(Box(10, 10), track)])
    envs = TopDownVectorEnv(1, level, observation=Tiles(columns=9, rows=1), random_starts=False)
    observations, _ = envs.reset()
    planes = observations[0, STATE:].reshape(4, 9)
    assert planes[0].tolist() == [0, 0, 0, 0, 0, 0, 0, 1, 0]
    assert planes[2].tolist() == [0, 0, 0, 0, 0, 1, 0, 0, 0]
    envs.game.fleet.set_poses([level.player], [(15, 5)])
    observations, *_ = envs.step(np.array([1]))
    planes = observations[0, STATE:].reshape(4, 9)
    # The player is at 19, and the mover from 40 to 50: of 39, 49 and 59 it covers the second.
    assert planes[0].tolist() == [0, 0, 0, 0, 0, 0, 0, 1, 0]
    assert not planes[2].any()


def test_positions_are_relative_to_the_level() -> None:
    level = level_of_rows(["@...o"], tile=10, from_above=True, movers=[(Circle(2), Track(np.array([(25.0, 5.0)])))])
    envs = TopDownVectorEnv(1, level, observation="positions")
    observations, _ = envs.reset()
    # The bodies reach from 2.5 to 47.5, and from 2.5 to 7.5.
    np.testing.assert_allclose(observations[0, STATE:], [-20 / 22.5, 0, 0, 0, 1], atol=1e-6)
    np.testing.assert_allclose(observations[0, :STATE], [0, 0, 0, 0, 0, 0, 40 / 45, 0], atol=1e-6)


def test_the_state_is_speed_contacts_and_ways() -> None:
    level = level_of_rows(["@.o.F", "#####"], tile=10)
    envs = PlatformerVectorEnv(1, level, rule=replace(PLATFORMER, speed=2.0))
    envs.reset()
    for _ in range(3):
        observations, *_ = envs.step(np.array([5]))
    x, y = envs.game.positions[0]
    rise = 11.0 - 0.6 * 2
    expected = [1.0, rise / 16.0, 0.0, 1.0, (45 - x) / 50, (15 - y) / 20, (25 - x) / 50, (15 - y) / 20]
    np.testing.assert_allclose(observations[0, :STATE], np.clip(expected, -1, 1), atol=1e-6)


def test_crates_are_seen_by_rays() -> None:
    world = World()
    hero, crate = world.add(Circle(2), Pose(0, 0)), world.add(Box(4, 4), Pose(12, 0))
    envs = TopDownVectorEnv(1, Level(world, hero, tile=10), observation=Rays(count=1, reach=2))
    observations, _ = envs.reset()
    np.testing.assert_allclose(observations[0, STATE:], [0.5, 0.0], atol=1e-6)
    assert crate.might == 0


@pytest.mark.parametrize("view", [Rays(count=0), Rays(reach=np.inf), Tiles(columns=0)])
def test_empty_views_are_refused(view: Rays | Tiles) -> None:
    with pytest.raises(ShapeError, match="must be"):
        PlatformerVectorEnv(1, observation=view)
