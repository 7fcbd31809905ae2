"""Scenes that once gave wrong results: `tests/oracles/known_kinds.py` draws their relatives."""

from __future__ import annotations

import math

import pytest

from impinge import Box, Capsule, Circle, Compound, Polygon, Pose, Side, World, distance


def walk(shape, start, step, walls, frames):
    """Return where a body ends that moves by the same step in each frame, and what blocks it."""
    world = World()
    for wall, pose in walls:
        world.add(wall, pose, 1)
    body = world.add(shape, start)
    for _ in range(frames):
        body.goal = Pose(body.pose.x + step[0], body.pose.y + step[1])
        world.step()
    return body.pose.x, body.pose.y, body.blocked


def test_a_box_climbs_a_ramp_of_tiles():
    """Its corner reached a seam, and the next tile's lower corner stopped it for ever at (28, 38)."""
    tiles = [(Polygon([(0, 0), (16, 0), (16, 16)]), Pose(16 * i, 16 * i)) for i in range(8)]
    x, y, blocked = walk(Box(8, 12), Pose(20, 32), (1.5, -1), tiles, 80)
    # Of each step, a quarter remains along the ramp on both axes, from the contact at (24, 24) on.
    assert (x, y) == pytest.approx((41, 51))
    assert blocked == Side.BOTTOM


def test_a_pointed_body_slides_over_the_seam_of_two_tiles():
    """It halted where its tip reached the seam."""
    tiles = [(Box(16, 16), Pose(-40, -24)), (Box(16, 16), Pose(-24, -24))]
    x, y, _ = walk(Polygon([(6.8, -0.8), (-2.3, -1.2), (6.2, -2.5)]), Pose(-38.1, -13.5), (-0.2, -3.4), tiles, 1)
    assert (x, y) == pytest.approx((-38.3, -13.5))


def test_a_walker_does_not_stand_on_a_seam_in_a_wall():
    """A segment beside a wall of two flush boxes stood on the lower one's corner."""
    world = World()
    world.add(Box(16, 8.715502988435125), Pose(56, -20.357751494217563), 1)
    world.add(Box(8, 7.284497011564875), Pose(60, -28.357751494217563), 1)
    feet = Compound([(Capsule((-2, -3), (1, 1)), Pose(-4, 4))])
    walker = world.add(feet, Pose(70, -24), max_slope=0.4)
    walker.goal = Pose(68, -26)
    world.step()
    assert walker.coordinates == pytest.approx((70, -26, 0))
    assert (walker.blocked, walker.on_floor) == (Side.LEFT, False)


def test_a_compound_passes_over_a_hill():
    """It was called stuck in the one hill after 128 corrections of its chords, and ended 3.7 away from the hill."""
    hero = Compound([(Circle(1), Pose(0, -1)), (Circle(1), Pose(0, 1)), (Box(2, 2), Pose(0, 0))])
    world = World()
    world.add(Circle(20), Pose(0, 0), 1)
    body = world.add(hero, Pose(20.3, 12.7))
    body.goal = Pose(13, -17)
    world.step()
    assert body.stuck == body.blocked == Side.NONE
    # It slides from circle to side to circle, and leaves where its own movement is tangent. Chords are off the arc by
    # up to a 500th of the radius of 20.
    assert body.pose.x == pytest.approx(17.898, abs=0.04)
    assert body.pose.y == pytest.approx(-16.163, abs=0.04)


def test_a_squeezed_body_is_free_once_it_has_left():
    """After the squeeze it went on with the velocity of the body that it was stuck in, blocked 16 away from it."""
    world = World()
    press = world.add(Polygon([(1.7, 5.65), (-3.56, -4.7), (-2.76, -5.2)]), Pose(-9, 14), 3)
    box = world.add(Box(12, 7.9), Pose(-5, 28), 2)
    body = world.add(Polygon([(0, 0), (4.23, 0), (4.23, 2.54)]), Pose(-15, 20))
    press.goal, box.goal, body.goal = Pose(-29, 2), Pose(-5, 0), Pose(18, 37)
    world.step()
    assert body.stuck == Side.BOTTOM | Side.TOP
    assert body.blocked == Side.NONE
    # A frame in 64 parts ends at 17.73.
    assert body.pose.y == pytest.approx(17.73, abs=0.2)


def test_a_walker_that_leaves_a_moving_ledge_is_not_on_its_floor():
    """It left the round contact along the tangent, and stayed on the floor to the end of the frame: a double jump."""
    world = World()
    ledge = world.add(Box(100, 20), Pose(70, 10), 1)
    walker = world.add(Circle(6), Pose(14.828, 24.488), max_slope=0.8)
    ledge.goal, walker.goal = Pose(68, 10), Pose(19.828, 26.036)
    world.step()
    assert distance(walker.shape, walker.pose, ledge.shape, ledge.pose).distance > 0.3
    assert not walker.on_floor
    assert walker.blocked == Side.NONE


def test_blocked_is_the_side_at_the_end_of_a_slide():
    """A ball slides over the top of a disk to its left side."""
    world = World()
    disk = world.add(Circle(3), Pose(2.5, 0.4), 1)
    ball = world.add(Circle(1), Pose(-1.6, 4.9))
    ball.goal = Pose(0.4, 2.4)
    world.step()
    assert ball.blocked == Side.RIGHT
    assert abs(ball.pose.x - disk.pose.x) > abs(ball.pose.y - disk.pose.y)


@pytest.mark.parametrize("sticky", [Side.NONE, Side.TOP])
def test_a_ball_rests_in_a_sticky_valley(sticky):
    """Pressed into the valley, it climbed and fell by 0.26 in turns."""
    world = World()
    for sign in (1, -1):
        world.add(Polygon([(0, 0), (sign * 10, 0), (sign * 10, 8)]), Pose(0, 0), 1, sticky=sticky)
    ball = world.add(Circle(1), Pose(0, 3))
    for _ in range(12):
        ball.goal = Pose(0, ball.pose.y - 3)
        world.step()
        # The ball touches both slopes: its centre is 1 / cos(slope) above their foot.
        assert ball.pose.y == pytest.approx(math.hypot(1, 0.8))


def test_a_body_walks_off_a_sticky_ramp_along_the_floor():
    """Both the floor and the ramp are sticky. It is not held at the foot of the ramp that it walks away from."""
    world = World()
    world.add(Box(100, 10), Pose(0, -5), 1, sticky=Side.TOP)
    world.add(Polygon([(0, 0), (10, 0), (10, 8)]), Pose(0, 0), 1, sticky=Side.TOP)
    ball = world.add(Circle(1), Pose(-0.3507810593582122, 1))
    for _ in range(3):
        ball.goal = Pose(ball.pose.x - 1, ball.pose.y - 1)
        world.step()
    assert ball.coordinates == pytest.approx((-3.3507810593582122, 1, 0))


def test_a_body_leaves_two_bodies_of_different_ranks():
    """It left the mightier circle first, and no straight way from there led out of the other one: stuck for ever."""
    world = World()
    circles = [world.add(Circle(5.26), Pose(-2.24, -4.77), 1), world.add(Circle(4.1), Pose(4.61, 3.13), 2)]
    body = world.add(Circle(1.92), Pose(0, 0), when_stuck="leave")
    world.step()
    assert body.stuck == Side.NONE
    for circle in circles:
        gap = math.dist(body.coordinates[:2], circle.coordinates[:2]) - circle.shape.radius - 1.92
        assert gap == pytest.approx(0, abs=1e-6)


def test_a_turning_box_on_a_long_way_stops_at_a_wall():
    """Far ways have a large margin for rounding: edges that were flush within it counted as a corner."""
    world = World()
    world.add(Box(1, 100), Pose(10, 0), 1)
    box = world.add(Box(2, 2), Pose(0, 0))
    box.goal = Pose(1e8, 0, 0.3)
    world.step()
    assert box.blocked == Side.RIGHT
    # The half diagonal at 45 degrees + 0.3.
    assert box.pose.x == pytest.approx(9.5 - math.cos(0.3) - math.sin(0.3), abs=1e-6)
