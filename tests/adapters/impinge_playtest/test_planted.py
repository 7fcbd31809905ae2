"""Planted faults are found, each once, and what is right is not reported.

A playtest that misses a pit is worse than none, and one that reports sound levels is soon switched off.
"""

from __future__ import annotations

import numpy as np
import pytest

import impinge as im
from impinge_playtest import Area, Exploration, explore, play
from impinge_playtest.level import level_from_world
from planted_rooms import FLAG, JUMPER, RUNNER, Room, shutting_door
from scale import cases

FRAMES = cases(120_000, least=40_000)


def kinds(found: Exploration) -> list[str]:
    assert found.unconfirmed == 0
    return [finding.kind for finding in found.findings]


def test_a_sound_level_has_no_findings() -> None:
    room = Room()
    room.block(300, 0, 340, 60)
    found = explore(room.level(), JUMPER, frames=FRAMES)
    assert kinds(found) == []
    assert [route.name for route in found.routes] == ["flag"]


@pytest.mark.long
def test_the_shortest_route_is_found() -> None:
    """The flag is touched from x > 730 on, 670 from the start: the 134th frame touches its edge, the 135th is in."""
    found = explore(Room().level(), JUMPER, frames=400_000)
    assert found.routes[0].frames == 135


def test_a_pit_without_an_exit_is_a_trap() -> None:
    """Stairs lead up to a wall of 160 that no jump from the floor behind it can climb; the exit is before it."""
    room = Room()
    for left, height in ((200, 60), (300, 110), (400, 160)):
        room.block(left, 0, left + 100, height)
    room.block(700, 0, 800, 200)
    found = explore(room.level(goals=[Area("exit", 0, 0, 30, 40)]), JUMPER, frames=FRAMES)
    assert kinds(found) == ["trap"]
    (trap,) = found.findings
    assert (trap.x > 500, trap.x < 700, trap.y) == (True, True, 20.0)


def test_a_pit_with_an_exit_is_none() -> None:
    room = Room()
    for left, height in ((200, 60), (300, 110), (400, 160)):
        room.block(left, 0, left + 100, height)
    room.block(700, 0, 800, 200)
    room.block(500, 0, 540, 80)
    found = explore(room.level(goals=[Area("exit", 0, 0, 30, 40)]), JUMPER, frames=FRAMES)
    assert kinds(found) == []


@pytest.mark.long
def test_a_pit_one_unit_too_deep_is_a_trap() -> None:
    """A jump rises by 147.4 units: a player climbs walls of 147, not of 148, although cells are 10 units high."""
    for height, expected in ((147, []), (148, ["trap"])):
        room = Room()
        for left, step in ((200, 60), (300, 110), (400, height)):
            room.block(left, 0, left + 100, step)
        room.block(700, 0, 800, 300)
        found = explore(room.level(goals=[Area("exit", 0, 0, 30, 40)]), JUMPER, frames=360_000)
        assert kinds(found) == expected, height


def test_a_door_that_crushes() -> None:
    room = Room()
    shutting_door(room, 400)
    found = explore(room.level(), JUMPER, frames=FRAMES)
    assert kinds(found) == ["crush"]
    (crush,) = found.findings
    assert 380 < crush.x < 440
    replay = play(found.level, JUMPER, crush.inputs)
    assert replay.ending == "crush"


def test_a_hole_in_the_border() -> None:
    room = Room(floor=((0, 500), (540, 800)))
    found = explore(room.level(border=Area("border", -20, -20, 820, 420)), JUMPER, frames=FRAMES)
    assert kinds(found) == ["fall"]
    (fall,) = found.findings
    assert 500 < fall.x < 540
    assert fall.y < -40.0


def test_a_coin_behind_a_wall() -> None:
    room = Room()
    room.block(600, 0, 620, 400)
    coins = [Area("near", 400, 50, 410, 60), Area("far", 700, 50, 710, 60)]
    found = explore(room.level(goals=[Area("exit", 0, 0, 30, 40)], coins=coins), JUMPER, frames=FRAMES)
    assert kinds(found) == ["unreached"]
    assert found.findings[0].name == "far"


def test_a_hole_as_wide_as_the_player_holds_it_for_ever() -> None:
    """A hole has exactly the width of the player. Below its lid, which is solid from below, it has also its height."""
    room = Room(floor=((0, 400), (420, 800)))
    room.block(400, -80, 420, -60)
    room.block(390, -60, 400, -20)
    room.block(420, -60, 430, -20)
    from_below = im.Side.LEFT | im.Side.RIGHT | im.Side.TOP
    room.world.add(im.Box(20, 4), im.Pose(410, -18), might=1, passable=from_below)
    found = explore(room.level(), JUMPER, frames=FRAMES)
    assert kinds(found) == ["stuck"]
    assert (found.findings[0].x, found.findings[0].y) == (410.0, -40.0)


def test_a_deadly_area_ends_a_life_without_a_finding() -> None:
    room = Room()
    room.block(300, 0, 310, 10)
    found = explore(room.level(deadly=[Area("lava", 500, 0, 510, 400)]), JUMPER, frames=FRAMES)
    assert kinds(found) == ["unreached"]
    assert found.places[:, 0].max() < 500.0


def test_a_ladder_is_climbed() -> None:
    room = Room()
    room.block(400, 0, 800, 250)
    goal = Area("attic", 440, 250, 460, 290)
    without = explore(room.level(goals=[goal]), JUMPER, frames=FRAMES)
    assert kinds(without) == ["unreached"]
    room = Room()
    room.block(400, 0, 800, 250)
    found = explore(room.level(goals=[goal], ladders=[Area("ladder", 380, 0, 400, 260)]), JUMPER, frames=FRAMES)
    assert kinds(found) == []


def test_rooms_from_above() -> None:
    """A wall with a gap of 30 lets a player of 20 through; one with a gap of 18 does not."""
    for gap, expected in ((30, []), (18, ["unreached"])):
        world = im.World()
        for x, y, width, height in (
            (200, -10, 440, 20),
            (200, 210, 440, 20),
            (-10, 100, 20, 200),
            (410, 100, 20, 200),
            (200, 40, 10, 80),
            (200, 80 + gap + (120 - gap) / 2, 10, 120 - gap),
        ):
            world.add(im.Box(width, height), im.Pose(x, y), might=1)
        hero = world.add(im.Box(20, 20), im.Pose(40, 40))
        level = level_from_world(world, hero, goals=[Area("exit", 380, 0, 400, 20)])
        assert kinds(explore(level, RUNNER, frames=FRAMES)) == expected


def test_all_places_of_a_room_are_reached_and_none_in_walls() -> None:
    room = Room()
    room.block(300, 0, 340, 60)
    found = explore(room.level(), JUMPER, frames=FRAMES)
    x, y = found.places.T
    assert ((x > 0) & (x < 800) & (y > 0) & (y < 400)).all()
    floor = np.unique(x[y < 30])
    assert len(floor) >= 800 / found.cell_size - 2 * 6  # all cells of the floor but those next to walls and the block


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"frames": 0}, "frames must be a positive integer, got 0"),
        ({"workers": True}, "workers must be a positive integer, got True"),
        ({"seed": -1}, "seed must be an integer, 0 or more, got -1"),
        ({"cell_size": 0.0}, "size must be"),
    ],
)
def test_bad_arguments_are_refused(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(im.ShapeError, match=message):
        explore(Room().level(goals=[FLAG]), JUMPER, **arguments)  # type: ignore[arg-type]
