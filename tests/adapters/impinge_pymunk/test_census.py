"""The census of a space: which bodies are fast, and which shapes are near their motions."""

from __future__ import annotations

import math
import random

import pytest
from pymunk import Body, Circle, Poly, Segment, Shape, Space

from impinge_pymunk import census, continuous
from impinge_pymunk.census import Census
from impinge_pymunk.encounters import Encounters
from impinge_pymunk.parts import Parts

FRAME = 1 / 60


def filled(rnd: random.Random) -> Space:
    """Return a space with static, slow and fast bodies at random places."""
    space = Space()
    for number in range(120):
        kind = Body.STATIC if number % 3 else Body.DYNAMIC
        body = Body(1, 1, kind)
        body.position, body.angle = (rnd.uniform(0, 400), rnd.uniform(0, 400)), rnd.uniform(-4, 4)
        shape: Shape = rnd.choice(
            [
                Circle(body, rnd.uniform(2, 9), (rnd.uniform(-9, 9), 3)),
                Segment(body, (-9, rnd.uniform(-9, 9)), (12, 1), 1),
                Poly.create_box(body, (rnd.uniform(2, 30), 6)),
            ]
        )
        space.add(body, shape)
        if kind == Body.DYNAMIC:
            body.velocity = rnd.choice([(0, 0), (10, 10), (6000, 0), (-3000, 4000)])
            body.angular_velocity = rnd.uniform(-1, 1)
    return space


@pytest.mark.parametrize("seed", range(5))
def test_a_pass_over_all_shapes_finds_what_the_index_of_pymunk_finds(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pymunk's index has the exact bounds of most shapes; those of a turned shape with a box around it are larger."""
    space = filled(random.Random(seed))
    bodies = Census(space, Parts(space.collision_slop))
    bodies.read()
    assert bodies.find_fast(FRAME, {}) > 5
    found = {}
    for limit in (0, 10**6):
        monkeypatch.setattr(census, "SHAPES_PER_QUERY", limit)
        near, pairs_of_fast = bodies.pairs()
        found[limit] = [*map(tuple, near.tolist())], pairs_of_fast.tolist()
    (by_index, mates), (by_pass, others) = found.values()
    assert len(by_index) > 20
    assert set(by_index) <= set(by_pass)
    assert len(by_pass) <= len(by_index) + len(by_index) // 5
    assert mates == others
    assert by_index == sorted(by_index)


def test_a_static_body_that_becomes_dynamic_is_swept() -> None:
    """Sizes are measured when a body first moves, since those of 5,000 static tiles are never used."""
    space = Space()
    wall = Segment(space.static_body, (150, -50), (150, 50), 0.5)
    body = Body(1, 1, Body.STATIC)
    space.add(wall, body, Circle(body, 2))
    continuous(space)
    space.step(FRAME)
    body.body_type = Body.DYNAMIC
    body.mass, body.moment, body.velocity = 1, 1, (9000, 0)
    for _ in range(3):
        space.step(FRAME)
    assert body.position.x < 150


def test_a_body_whose_shapes_stay_without_it_is_an_obstacle() -> None:
    space = Space()
    post, bullet = Body(body_type=Body.STATIC), Body(1, 1)
    post.position, bullet.velocity = (50, 0), (6000, 0)
    space.add(post, bullet, Segment(post, (0, -50), (0, 50), 0.5), Circle(bullet, 2))
    continuous(space)
    space.remove(post)
    space.step(FRAME)
    assert bullet.position.x == pytest.approx(47.5, abs=0.01)
    assert math.isfinite(bullet.velocity.x)


def test_pairs_have_the_parts_of_their_own_shapes_after_others_were_measured_again() -> None:
    """A door turns about its middle, which changes neither area nor centre. Its part's number was given to the ball."""
    space, body = Space(), Body(1, 1)
    door, ball = Segment(space.static_body, (60, -20), (60, 20), 1), Circle(body, 2)
    body.velocity = 6000, 0
    space.add(door, body, ball)
    parts = Parts(slop=0.1)
    bodies = Census(space, parts)
    encounters = Encounters(space, bodies, parts)
    for turned in (False, True):
        if turned:
            door.unsafe_set_endpoints((40, 0), (80, 0))
            parts.of(door, (0, 0))
            parts.begin()
            ball.unsafe_set_radius(3)
            parts.of(ball, (0, 0))
            parts.begin()
        bodies.read()
        bodies.find_fast(FRAME, {})
        encounter = encounters.of_step(bodies.pairs(), FRAME, {})
        assert len(encounter.pairs) == 1
        told = [parts.numbered(number).shape for number in encounter.pairs[0, [1, 3]].tolist()]
        assert told == [bodies.shapes[shape] for shape in encounter.shapes[0].tolist()]
