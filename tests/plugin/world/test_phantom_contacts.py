"""What the world says of contacts, judged by distances: nothing far away blocks, holds up or squeezes a body.

At full scale, some 500,000 body-frames. `python tests/oracles/phantom_contacts.py --body-frames 2000000` runs more.
"""

from __future__ import annotations

import math

import pytest

import impinge as im
from impinge import Pose, Side, World
from phantom_contacts import CLASSES, FRAMES, is_wrong, judged, random_scene
from scale import cases


@pytest.mark.parametrize("name", CLASSES)
def test_what_a_body_says_of_its_contacts(name):
    """Run scenes in closed rooms: what blocks a body is near, as is its floor, and none leaves or enters a wall."""
    lies, body_frames = [], 0
    for number in range(cases(60)):
        outcome = judged(random_scene(name, 21, number))
        body_frames += outcome.body_frames
        lies += [(number, lie) for lie in outcome.lies if is_wrong(lie)]
    assert not lies
    assert body_frames > FRAMES * cases(60)


def distance(body, other):
    return im.distance(body.shape, body.pose, other.shape, other.pose).distance


def test_a_compound_passes_a_round_hill():
    """It slides around the hill and leaves it. It was stuck at its first contact, and flew on through the air."""
    ends = []
    for parts in (1, 256):
        hero = im.Compound([(im.Circle(1), Pose(0, -1)), (im.Circle(1), Pose(0, 1)), (im.Box(2, 2), Pose(0, 0))])
        world = World()
        world.add(im.Circle(20), Pose(0, 0), might=1)
        body = world.add(hero, Pose(20.3, 12.7))
        for _ in range(parts):
            body.goal = Pose(body.pose.x - 7.3 / parts, body.pose.y - 29.7 / parts)
            world.step()
            assert body.stuck == Side.NONE
        assert body.blocked == Side.NONE
        ends.append(body.coordinates[:2])
    # By rule, what follows on a way around a round corner sees the chord: 1/500 of the radius.
    assert ends[0] == pytest.approx(ends[1], abs=22 / 250)
    assert ends[0] == pytest.approx((17.90, -16.16), abs=22 / 250)


def test_two_bodies_squeeze_a_third_and_leave():
    """It ended 23 units below, blocked at the top, with 16 units of air around it."""
    ends = []
    for parts in (1, 64):
        world = World()
        ways = [
            (im.Polygon([(1.7, 5.65), (-3.56, -4.7), (-2.76, -5.2)]), (-9, 14), (-20, -12), 3),
            (im.Box(12, 7.9), (-5, 28), (0, -28), 2),
            (im.Polygon([(0, 0), (4.23, 0), (4.23, 2.54)]), (-15, 20), (33, 17), 0),
        ]
        bodies = [world.add(shape, Pose(*start), might) for shape, start, _, might in ways]
        for _ in range(parts):
            for body, (_, _, way, _) in zip(bodies, ways, strict=True):
                body.goal = Pose(body.pose.x + way[0] / parts, body.pose.y + way[1] / parts)
            world.step()
        assert bodies[2].blocked == Side.NONE or min(distance(bodies[2], other) for other in bodies[:2]) < 1e-6
        ends.append(bodies[2].coordinates[1])
    assert ends == pytest.approx([17.73, 17.73], abs=0.02)


def test_a_walker_at_the_corner_of_a_ledge_that_comes():
    """The ledge pushed it off its corner, so it is in the air. It was on the floor there, and could jump."""
    world = World()
    ledge = world.add(im.Box(100, 20), Pose(70, 10), might=1)
    walker = world.add(im.Circle(6), Pose(14.828, 24.488), max_slope=0.8)
    ledge.goal, walker.goal = Pose(68, 10), Pose(19.828, 26.036)
    world.step()
    assert distance(walker, ledge) > 0.1
    assert not walker.on_floor
    assert walker.blocked == Side.NONE


def test_a_walker_that_falls_off_a_wall():
    """The foot is at the corner of a wall, and slides down past it. It climbed, along the floor behind it."""
    world = World()
    world.add(im.Polygon([(0, 0), (-16, 4), (-16, 0)]), Pose(0, 0), might=1)
    walker = world.add(im.Polygon([(2.3, 1.8), (1.7, -3.2), (2.2, -2.2)]), Pose(-17.7, 7.2), max_slope=0.8)
    walker.goal = Pose(-18.7, 4.2)
    world.step()
    assert walker.pose.y < 5
    assert not walker.on_floor


def test_a_body_leaves_two_of_different_ranks():
    """It begins in both. A way out of both is free, as among equals; it was stuck for ever."""
    for mights in ((1, 1), (1, 2), (2, 1)):
        world = World()
        others = [
            world.add(im.Circle(5.26), Pose(-2.24, -4.77), might=mights[0]),
            world.add(im.Circle(4.1), Pose(4.61, 3.13), might=mights[1]),
        ]
        body = world.add(im.Circle(1.92), Pose(0, 0), when_stuck="leave")
        for _ in range(2):
            world.step()
        assert body.stuck == Side.NONE, mights
        assert min(distance(body, other) for other in others) > -1e-6, mights
        assert math.hypot(*body.coordinates[:2]) < 10, mights


def test_a_box_that_turns_on_a_long_way_stops_at_a_wall():
    for far in (1e3, 1e6, 1e8, 1e9):
        world = World()
        world.add(im.Box(1, 60), Pose(10, 0), might=1)
        body = world.add(im.Box(2, 2), Pose(0, 0))
        body.goal = Pose(far, 0, 0.3)
        world.step()
        # Turned, its half width is cos + sin of the angle.
        assert body.coordinates == pytest.approx((9.5 - math.cos(0.3) - math.sin(0.3), 0, 0.3), abs=1e-3), far
