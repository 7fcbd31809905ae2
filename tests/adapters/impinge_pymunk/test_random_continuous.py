"""Random rooms that no body may leave, and rows in which no body may overtake another.

So a check after each step is enough. With `IMPINGE_SCALE=10` in the environment, the tests run ten times as many
scenes.
"""

from __future__ import annotations

import math
import random

import pytest
from pymunk import Body, Circle, Segment, Space

from continuous_scenes import CLASSES, FRAME, FRAMES, SPEED, heading, is_in, play, polygon, sides_of, thrown
from impinge_pymunk import continuous
from scale import cases


@pytest.mark.parametrize("seed", range(cases(2)))
def test_fifty_bullets_stay_in_their_room(seed: int) -> None:
    """Walls are 1 px thick, six more stand inside, and everything is elastic: plain Pymunk loses 999 of 1,000 bullets.

    With 50 steps per frame, each of 2 px, it loses 169 of 1,000.
    """
    rnd = random.Random(seed)
    space = Space()
    corners = [(-200.0, -200.0), (200.0, -200.0), (200.0, 200.0), (-200.0, 200.0)]
    sides_of(rnd, space, space.static_body, corners)
    for _ in range(6):
        (x, y), (across, up) = heading(rnd, rnd.uniform(0, 150)), heading(rnd, rnd.uniform(20, 40))
        wall = Segment(space.static_body, (x - across, y - up), (x + across, y + up), 0.5)
        wall.elasticity = 1
        space.add(wall)
    bullets = []
    for _ in range(50):
        bullet = Body(1, 1)
        bullet.position, bullet.velocity = (rnd.uniform(-190, 190), rnd.uniform(-190, 190)), heading(rnd, SPEED)
        ball = Circle(bullet, 2)
        ball.elasticity = 1
        space.add(bullet, ball)
        bullets.append(bullet)
    continuous(space)
    for _ in range(FRAMES):
        space.step(FRAME)
        assert all(is_in(bullet.position, corners) for bullet in bullets)


@pytest.mark.parametrize("seed", range(cases(6)))
def test_no_body_of_any_shape_leaves_a_room(seed: int) -> None:
    """A body that rested in a wall deeper than the slop was pushed further through it, a little in every step."""
    rnd = random.Random(seed)
    space = Space()
    number = rnd.randrange(3, 7)
    corners = polygon(number, 200)
    sides_of(rnd, space, space.static_body, corners)
    elasticity = rnd.choice([0.0, 0.5, 1.0])
    bodies = [thrown(rnd, space, 200 * math.cos(math.pi / number) - 15, elasticity) for _ in range(30)]
    continuous(space)
    for _ in range(FRAMES):
        space.step(FRAME)
        assert all(is_in(body.local_to_world(body.center_of_gravity), corners) for body in bodies)


@pytest.mark.parametrize("seed", range(cases(10)))
def test_no_body_leaves_a_room_that_drives_and_turns(seed: int) -> None:
    """The room moves at up to 2,800 px/s and turns once a second. One ball held up another, and a wall ran over it."""
    rnd = random.Random(seed)
    space = Space()
    room = Body(body_type=Body.KINEMATIC)
    room.velocity, room.angular_velocity = (rnd.uniform(-2000, 2000), rnd.uniform(-2000, 2000)), rnd.uniform(-6, 6)
    space.add(room)
    number = rnd.randrange(3, 7)
    corners = polygon(number, 200)
    sides_of(rnd, space, room, corners)
    elasticity = rnd.choice([0.0, 0.5, 1.0])
    bodies = [thrown(rnd, space, 200 * math.cos(math.pi / number) - 15, elasticity) for _ in range(rnd.choice([1, 8]))]
    continuous(space)
    for _ in range(FRAMES):
        space.step(FRAME)
        places = [room.world_to_local(body.local_to_world(body.center_of_gravity)) for body in bodies]
        assert all(is_in(place, corners) for place in places)


def watch_a_line(seed: int) -> None:
    """Check that six bullets between two walls keep their order. Some of them bounce with half of their speed."""
    rnd = random.Random(seed)
    space = Space()
    sides_of(rnd, space, space.static_body, [(-300, -50), (300, -50), (300, 50), (-300, 50)])
    bullets = []
    for number in range(6):
        bullet = Body(rnd.uniform(0.2, 5), 1)
        bullet.position, bullet.velocity = (90 * number - 250, 0), (rnd.uniform(-SPEED, SPEED), 0)
        ball = Circle(bullet, rnd.uniform(1, 4))
        ball.elasticity = rnd.choice([0.5, 1])
        space.add(bullet, ball)
        bullets.append(bullet)
    continuous(space)
    for _ in range(FRAMES):
        space.step(FRAME)
        places = [bullet.position.x for bullet in bullets]
        assert places == sorted(places)
        assert places[0] > -300
        assert places[-1] < 300


@pytest.mark.parametrize("seed", range(cases(15)))
def test_bullets_on_a_line_keep_their_order(seed: int) -> None:
    """Some fell through each other: two bullets that met after a step were taken for a pair that may pass through."""
    watch_a_line(seed)


@pytest.mark.parametrize("seed", [34, 191, 233, 274, 506, 601, 612, 690, 999, 3335, 3478, 3983])
def test_bullets_that_are_squeezed_on_a_line_keep_their_order_too(seed: int) -> None:
    """Of 4,000 lines, 23 lost their order, for one of these reasons.

    A bullet never hit a bullet that slowly fled from it. Or it was separated from one neighbour and so missed the one
    it was heading for. Or it went deep into its neighbour after the step, or was run over while it waited.
    """
    watch_a_line(seed)


@pytest.mark.parametrize("kind", CLASSES)
def test_random_scenes_keep_their_bodies_moving_and_their_energy(kind: str) -> None:
    """Of 400 scenes of each class with variable steps, 161 doubled their energy, and 28 bodies froze in mid-air."""
    for seed in range(cases(20)):
        for is_variable in (False, True):
            count = play(kind, seed, "continuous", is_variable=is_variable)
            assert (count.escapes, count.freezes, count.doubled) == (0, 0, 0), (seed, is_variable)
