"""What happens to players: areas that they meet, against a world's sensors; falls, crushes and paths, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from impinge import Box, Circle, Polygon, Pose, ShapeError, World
from impinge_gym import PLATFORMER, Level, Platformer, TopDown, Track, level_of_rows, there_and_back
from impinge_gym.game import Areas, Game
from impinge_gym.level import Area

STILL = 0  # of a top-down game
RIGHT = 1


def test_areas_are_met_as_sensors_of_a_world() -> None:
    random = np.random.default_rng(3)
    shapes = [Box(6, 3), Circle(3), Polygon([(0, 0), (8, 0), (0, 5)]), Circle(0.5)]
    areas = tuple(
        Area(shapes[i % 4], Pose(*random.uniform(-30, 30, 2).tolist(), angle=random.uniform(0, 6))) for i in range(12)
    )
    player, count = Box(3, 5), 300
    starts = random.uniform(-30, 30, (count, 2))
    ends = starts + random.normal(0.0, 15.0, (count, 2))
    met = Areas(player, count, areas).met(starts, ends)
    for number in range(count):
        world = World()
        sensors = [world.add(shape, pose, response="sensor") for shape, pose in areas]
        hero = world.add(player, Pose(*starts[number].tolist()))
        hero.goal = Pose(*ends[number].tolist())
        sensed = {index for event in world.step().sensed for index in (event.weak.index, event.mighty.index)}
        assert met[number].tolist() == [sensor.index in sensed for sensor in sensors]
    assert 0.05 < met.mean() < 0.5


def test_an_area_is_met_by_a_player_that_flies_through_it() -> None:
    level = level_of_rows(["@.......................o......................F"], tile=10, from_above=True)
    game = Game(level, TopDown(speed=400.0), 1)
    situation = game.step(np.array([RIGHT]))
    assert situation.coins.tolist() == [1]
    assert not situation.at_exit.any()
    situation = game.step(np.array([RIGHT]))
    assert situation.coins.tolist() == [0]  # it is gone
    assert situation.at_exit.tolist() == [True]
    assert situation.episode_steps.tolist() == [2]
    assert (situation.length, situation.previous_distances[0]) == (470.0, 70.0)


def test_falls_and_hurts_are_noted_once_they_happen() -> None:
    level = level_of_rows(["@..^", "#.##", "####", "####"], tile=10)
    game = Game(level, Platformer(speed=2.0, gravity=1.0), 3)
    told = []
    for _ in range(14):
        told.append(game.step(np.array([0, 4, 2])))  # left, right, stand
    assert [bool(now.fell[0]) for now in told].index(True) < 13
    assert [bool(now.hurt[0]) for now in told] == [False] * 14
    assert not told[-1].fell[2]
    assert not np.any([now.crushed for now in told])


def test_a_press_crushes() -> None:
    world = World()
    world.add(Box(100, 10), Pose(0, -5), might=1)
    hero = world.add(Box(4, 8), Pose(0, 4))
    press = world.add(Box(20, 10), Pose(0, 30), might=1)
    level = Level(world, hero, tracks={press: there_and_back((0, 30), (0, 8), 11)})
    game = Game(level, PLATFORMER, 2)
    game.fleet.set_poses([hero.index], [(40, 4)], [1])
    told = [game.step(np.array([2, 2])) for _ in range(12)]
    # The press needs to come down by 17 of its 22 units: 2 in each frame.
    assert [bool(now.crushed[0]) for now in told].index(True) == 8
    assert not any(now.crushed[1] for now in told)


def test_bodies_repeat_their_tracks_from_the_frame_of_each_copy() -> None:
    track = there_and_back((50.0, 5.0), (80.0, 5.0), 10)
    level = level_of_rows(["@.........", "##########"], tile=10, movers=[(Box(8, 4), track)])
    game = Game(level, PLATFORMER, 30)
    game.reset(np.arange(30), np.random.default_rng(1))
    begun, (mover,) = game.frames.copy(), level.tracks
    assert len(set(begun.tolist())) > 5
    for frame in range(1, 45):
        game.step(np.full(30, 2))
        found = game.fleet.poses([mover])[:, 0, :2]
        np.testing.assert_allclose(found, track.poses[(begun + frame) % 20, :2], rtol=0.0, atol=1e-9)


def test_a_skip_holds_an_action_and_ends_with_an_episode() -> None:
    level = level_of_rows(["@F...o"], tile=10, from_above=True)
    game = Game(level, TopDown(speed=10.0), 1, frame_skip=6)
    situation = game.step(np.array([RIGHT]))
    assert situation.at_exit.tolist() == [True]
    assert situation.coins.tolist() == [0]  # after the exit, nothing counts
    assert game.positions.tolist() == [[65.0, 5.0]]


def test_a_situation_stays_when_its_copies_begin_again() -> None:
    level = level_of_rows(["@..F"], tile=10, from_above=True)
    game = Game(level, TopDown(speed=10.0), 2)
    game.step(np.array([RIGHT, STILL]))
    situation = game.step(np.array([RIGHT, STILL]))
    game.reset(np.array([0, 1]), None)
    game.step(np.array([STILL, STILL]))
    assert situation.positions.tolist() == [[25.0, 5.0], [5.0, 5.0]]
    assert situation.previous_positions.tolist() == [[15.0, 5.0], [5.0, 5.0]]
    assert (situation.distances.tolist(), situation.previous_distances.tolist()) == ([10.0, 30.0], [20.0, 30.0])
    assert game.distances.tolist() == [30.0, 30.0]


def test_a_level_keeps_a_copy_of_its_world() -> None:
    world = World()
    floor, hero = world.add(Box(100, 10), Pose(0, -5), might=1), world.add(Box(4, 8), Pose(0, 4))
    coin = world.add(Circle(2), Pose(20, 4), response="sensor")
    level = Level(world, hero, coins=[coin], exits=[])
    world.remove(floor)
    assert len(level.world) == 3
    assert world.body(coin.index).response == "sensor"
    assert level.distances([(0, 0), (1, 1)]).tolist() == [0.0, 0.0]


def test_bad_levels_are_refused() -> None:
    world, other = World(), World()
    hero = world.add(Box(4, 8), Pose(0, 4))
    other.add(Box(1, 1), Pose(0, 0))
    for message, make in {
        "world must be a World, got 3": lambda: Level(3, hero),  # type: ignore[arg-type]
        "player must be bodies of the world or their indices, got None": lambda: Level(world, None),  # type: ignore[arg-type]
        "tile must be positive and finite, got 0": lambda: Level(world, hero, tile=0),
        r"spawns must be finite numbers of shape \(k, 2\), got \[1\]": lambda: Level(world, hero, spawns=[1]),
        "poses must be finite": lambda: Level(world, hero, tracks={hero: Track(np.array([(0, np.nan)]))}),
        "rows must contain an @": lambda: level_of_rows(["###"]),
        "frames must be": lambda: there_and_back((0, 0), (1, 0), 0),
    }.items():
        with pytest.raises(ShapeError, match=message):
            make()
    with pytest.raises(ValueError, match="index"):
        Level(world, 5)
