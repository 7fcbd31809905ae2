"""Levels: tracks of moving bodies, files, and errors."""

from __future__ import annotations

import dataclasses
import math
import pickle
from typing import Any

import numpy as np
import pytest

import impinge as im
from impinge_playtest import Area, Level, Track, play, track_of
from impinge_playtest.tracks import Tracks
from planted_rooms import JUMPER, Room, shutting_door


def poses(xs: Any) -> Any:
    return np.array([(x, 2.0, 0.0) for x in xs], float)


@pytest.mark.parametrize("lead", [0, 1, 7])
@pytest.mark.parametrize("period", [1, 2, 5, 12])
def test_a_track_finds_the_period_of_a_recording(lead: int, period: int) -> None:
    """Lead-in of 100, 101, ... and then 0, 1, ... period - 1 again and again."""
    recorded = poses([*range(100, 100 + lead), *(frame % period for frame in range(5 * period))])
    track = track_of(recorded)
    assert (track.period, len(track.poses)) == (period, lead + period)
    found = Tracks({3: track}).poses(np.arange(len(recorded)))
    assert (found[:, 0] == recorded).all()


def test_a_recording_that_does_not_repeat_ends_at_its_last_pose() -> None:
    track = track_of(poses(range(20)))
    assert track.period == 0
    assert Tracks({0: track}).poses(np.array([0, 19, 20, 500]))[:, 0, 0].tolist() == [0.0, 19.0, 19.0, 19.0]


def test_tracks_of_several_bodies_are_told_apart() -> None:
    tracks = Tracks({9: Track(poses([5, 6]), 2), 4: Track(poses([1, 2, 3]), 3)})
    assert tracks.bodies.tolist() == [4, 9]
    found = tracks.poses(np.array([0, 1, 2, 3, 1000]))[:, :, 0]
    assert found.tolist() == [[1, 5], [2, 6], [3, 5], [1, 6], [2, 5]]


def full_level() -> Level:
    room = Room()
    shutting_door(room, 400)
    area = Area("a", 1, 2, 3, 4)
    return room.level(coins=[area], deadly=[area], ladders=[area], name="full")


@pytest.mark.parametrize(
    "copied", [lambda level: Level.loads(level.dumps()), lambda level: pickle.loads(pickle.dumps(level))]
)
def test_a_level_survives_a_file_and_a_pickle(copied: Any) -> None:
    level = full_level()
    twin = copied(level)
    assert twin.dumps() == level.dumps()
    assert (twin.border, twin.goals, twin.ladders, twin.name) == (level.border, level.goals, level.ladders, "full")
    assert math.isinf(twin.border.top)
    assert twin.fingerprint() == level.fingerprint()
    keys = [2] * 90 + [5] * 90
    assert (play(twin, JUMPER, keys).places == play(level, JUMPER, keys).places).all()


def test_the_fingerprint_is_that_of_the_level_and_not_of_its_world() -> None:
    """Two worlds give their bodies different random names."""
    level = full_level()
    assert full_level().fingerprint() == level.fingerprint()
    assert full_level().dumps() != level.dumps()
    changed = [dataclasses.replace(level, **change) for change in ({"name": "x"}, {"goals": ()}, {"tracks": {}})]
    lower = full_level()
    next(iter(lower.world)).might = 3
    assert len({level.fingerprint(), lower.fingerprint(), *(each.fingerprint() for each in changed)}) == 5


def test_bad_levels_are_refused() -> None:
    room = Room()
    wall = room.block(0, 0, 1, 1)
    hero = room.world.add(im.Box(20, 40), im.Pose(60, 20))
    border = Area("border", 0, 0, 1, 1)
    still = Track(poses([0]))

    def made(**changes: Any) -> Level:
        return Level(**{"world": room.world, "player": hero.index, "border": border, **changes})

    for changes, message in (
        ({"player": wall.index}, f"player must be the index of a body of might 0 in the world, got {wall.index}"),
        ({"player": 99}, "player must be the index .*, got 99"),
        ({"tracks": {hero.index: still}}, f"tracks must be of bodies .*, got body {hero.index}"),
        ({"goals": (Area("g", 2, 0, 1, 1),)}, "area 'g' must not have a negative size"),
        ({"goals": (border, border)}, "must have different names"),
        ({"border": Area("border", -math.inf, 0, 1, 1)}, "border must have finite left and right sides"),
    ):
        with pytest.raises(im.ShapeError, match=message):
            made(**changes)


def test_bad_tracks_are_refused() -> None:
    for given, period, message in (
        (np.zeros((0, 3)), 0, r"poses must be .* got shape \(0, 3\)"),
        (np.zeros((2, 4)), 0, r"poses must be .* got shape \(2, 4\)"),
        (np.full((2, 3), np.nan), 0, "poses must be"),
        (np.zeros((2, 3)), 3, "period must be from 0 to 2, got 3"),
    ):
        with pytest.raises(im.ShapeError, match=message):
            Track(given, period)


def test_replays_refuse_unknown_inputs() -> None:
    with pytest.raises(ValueError, match="inputs must be from 0 to 11, got 12"):
        play(full_level(), JUMPER, [12])
