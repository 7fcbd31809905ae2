"""Functions of Chipmunk, called by their addresses in each runtime. The oracle: the same ones through Pymunk."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pytest
from pymunk import Body, Circle, Poly, Segment, ShapeFilter, Space, Vec2d

import impinge as im
from impinge.meetings import Meetings, PartRows, Rests, Sending, SweptPart
from impinge_pymunk import chipmunk

DT = 1 / 60


def crowd(rng: np.random.Generator) -> tuple[Space, list[Body]]:
    """Return a space, and its bodies of all types, one of which is sleeping, with shapes of all kinds."""
    space = Space()
    space.sleep_time_threshold = 1
    bodies = []
    for number in range(12):
        body = Body(*rng.uniform(0.1, 9, 2), body_type=(Body.DYNAMIC, Body.KINEMATIC, Body.STATIC)[number % 3])
        body.position, body.angle = Vec2d(*rng.uniform(-9, 9, 2)), rng.uniform(-9, 9)
        body.center_of_gravity = Vec2d(*rng.uniform(-1, 1, 2))
        body.velocity, body.force, body.angular_velocity = Vec2d(*rng.normal(0, 9, 2)), Vec2d(*rng.normal(0, 9, 2)), 3.0
        shapes = Circle(body, 2, (1, 0)), Segment(body, (0, 1), (2, 3), 0.5), Poly(body, [(0, 0), (3, 0), (0, 2)])
        for shape in shapes:
            shape.sensor = bool(rng.random() < 0.5)
            group, categories, mask = (int(rng.integers(0, 1 << bits)) for bits in (62, 32, 32))
            shape.filter = ShapeFilter(group, categories, mask)
        space.add(body, *shapes)
        bodies.append(body)
    bodies[0].sleep()
    return space, bodies


def check_readers(rng: np.random.Generator) -> None:
    space, bodies = crowd(rng)
    bodies_at, shapes = chipmunk.addresses_of(bodies), list(space.shapes)
    states, numbers = chipmunk.facts_of_bodies(bodies_at)
    assert states.tolist() == [[body.body_type, body.is_sleeping] for body in bodies]
    assert chipmunk.states_of(bodies_at).tolist() == states.tolist()
    assert numbers.tolist() == [[*body.center_of_gravity, body.mass] for body in bodies]
    facts, marks = chipmunk.facts_of_shapes(chipmunk.addresses_of(shapes))
    assert facts[:, :4].tolist() == [[*shape.filter, shape.sensor] for shape in shapes]
    assert marks.tolist() == [[shape.area, *shape.center_of_gravity] for shape in shapes]
    # Those of the largest numbers.
    shapes[0].filter = ShapeFilter((1 << 63) - 1, (1 << 32) - 1, (1 << 32) - 1)
    facts, _ = chipmunk.facts_of_shapes(chipmunk.addresses_of(shapes[:1]))
    assert facts[0, :3].tolist() == [*shapes[0].filter]


def check_before_a_step(seed: int) -> None:
    """Bodies begin a step so that it brings them to their stops. The oracle: an equal space steps with these values."""
    (space, bodies), (_twin, twins) = (crowd(np.random.default_rng(seed)) for _ in range(2))
    bodies, twins = ([body for body in each if body.body_type == Body.DYNAMIC] for each in (bodies, twins))
    rng, gravity = np.random.default_rng(seed), Vec2d(3.0, -90.0)
    assert bodies[0].is_sleeping
    ends, velocities, times = rng.normal(0, 9, (4, 3)), rng.normal(0, 9, (4, 3)), np.array([DT, DT, 2 * DT, DT])
    ends[1, 2] = bodies[1].angle + velocities[1, 2] * DT
    meetings, known = courses_of(space, bodies, ends)
    may_fall = np.array([True, False, True, True])
    falling = np.ones(4, np.bool_)
    meetings.send(Sending(np.arange(4), velocities, may_fall), known, times, DT, gravity, falling)
    # All are swept, none was stopped, and only the third one has more time than the step.
    assert falling.tolist() == [False, False, True, False]

    for number, body in enumerate(twins):
        x, y, spin = velocities[number]
        if falling[number]:
            body.force -= body.mass * gravity
            x, y = body.velocity = Vec2d(x, y) + gravity * times[number]
        angle = ends[number, 2] - spin * DT
        body.angle = angle
        middle = Vec2d(ends[number, 0] - x * DT, ends[number, 1] - y * DT)
        body.position = middle - body.center_of_gravity.rotated(angle)
    for body, other in zip(bodies, twins, strict=True):
        assert (*body.position, body.angle) == pytest.approx((*other.position, other.angle), abs=1e-12)
        assert body.velocity == other.velocity
        assert (body.force, body.is_sleeping) == (other.force, False)


def check_after_a_step(seed: int) -> None:
    """Bodies go on after a step. The oracle: an equal space."""
    (space, bodies), (twin, twins) = (crowd(np.random.default_rng(seed)) for _ in range(2))
    bodies, twins = ([body for body in each if body.body_type == Body.DYNAMIC] for each in (bodies, twins))
    rng, places = np.random.default_rng(seed), np.array([2, 0, 3])
    meetings, known = courses_of(space, bodies, np.zeros((4, 3)))
    rests, fractions = rng.normal(0, 9, (3, 11)), np.array([1.0, 0.25, 0.5])
    after, falls = rng.normal(0, 9, (4, 6)), np.array([(0.0, 0.0), (1.0, 1.0), (5.0, -7.0), (3.0, 2.0)])
    falling = np.array([True, True, True, False])
    meetings.finish(places, Rests(rests), fractions, known, after, falls, falling)

    for place, rest, fraction in zip(places, rests, fractions, strict=True):
        body, (x, y, angle) = twins[place], rest[:3] + (rest[3:6] - rest[:3]) * fraction
        body.angle = angle
        body.position = Vec2d(x, y) - body.center_of_gravity.rotated(angle)
        if place == 2:
            body.velocity = Vec2d(*after[2, 3:5]) + Vec2d(5.0, -7.0) * rest[10] * fraction
        twin.reindex_shapes_for_body(body)
    for body, other in zip(bodies, twins, strict=True):
        assert (*body.position, body.angle) == pytest.approx((*other.position, other.angle), abs=1e-12)
        assert body.velocity == pytest.approx(other.velocity, abs=1e-12)
    for shape, other_shape in zip(space.shapes, twin.shapes, strict=True):
        assert shape.bb == pytest.approx(other_shape.bb, abs=1e-12)


def courses_of(space: Space, bodies: list[Body], ends: np.ndarray) -> tuple[Meetings, np.ndarray]:
    """Return the motions of swept bodies without any pair, and what is known of the bodies."""
    addresses = chipmunk.addresses_of(bodies)
    movers = [(0.0, 0.0, 0.0, *end, 0.0, 0.0, 1.0, 0, 0, 1, 0) for end in ends]
    _, known = chipmunk.facts_of_bodies(addresses)
    meetings = Meetings(movers, PartRows(), [], chipmunk.engine_of(space, addresses))
    meetings.settle(0.5, DT)
    return meetings, known


def overlapping(rng: np.random.Generator) -> tuple[Space, Body]:
    """Return a space with a body that Pymunk pushes out of an overlap in the next step."""
    space = Space()
    wall = Segment(space.static_body, (-99, 0), (99, 0), 5)
    body = Body(2, 30)
    body.position, body.angle = (rng.uniform(-9, 9), 6.0), rng.uniform(-0.5, 0.5)
    body.center_of_gravity = Vec2d(*rng.uniform(-1, 1, 2))
    box = Poly.create_box(body, (8, 6))
    space.add(wall, body, box)
    space.step(DT)
    body.velocity, body.angular_velocity = Vec2d(*rng.normal(0, 5, 2)), rng.choice([0.0, 2.0])
    return space, body


def check_partings(seed: int) -> None:
    """The oracle: an equal body, whose next motion is that of its velocities and the push."""
    (space, body), (twin, pushed) = (overlapping(np.random.default_rng(seed)) for _ in range(2))
    before = body.local_to_world(body.center_of_gravity)
    pose, velocity, spin = (*body.position, body.angle), body.velocity, body.angular_velocity

    # A meeting with a wall far below, so that the push is taken.
    way = (*before, body.angle, before.x, before.y - 500, body.angle, 0.0, 0.0)
    wall = (before.x, before.y - 300, 0.0, before.x, before.y - 300, 0.0, 0.0, 0.0)
    movers = [(*way, 1.0, 0, 0, 1, 1), (*wall, 1.0, 1, 1, 0, 0)]
    parts = [SweptPart(im.Circle(9), im.Circle(9), (9.0, 0.0, 9.0, 9.0))] * 2
    engine = chipmunk.engine_of(space, np.array([*chipmunk.addresses_of([body]), 0]))
    for taken in (False, True):
        meetings = Meetings(movers, PartRows(parts), [(0, 0, 1, 1, 0, 0)], engine)
        meetings.settle(0.5, DT)
        parting = meetings.courses.numbers[0, 3:6].tolist()
        assert ((*body.position, body.angle), body.velocity, body.angular_velocity) == (pose, velocity, spin)
        if taken:
            # Once only: Pymunk has nothing left of it.
            assert parting == pytest.approx([0, 0, 0], abs=1e-12)
            break
        twin.step(DT)
        after = pushed.local_to_world(pushed.center_of_gravity)
        moved = *(after - before - velocity * DT), pushed.angle - pose[2] - spin * DT
        assert math.hypot(*moved) > 0.01
        assert parting == pytest.approx(moved, abs=1e-9)


def check_contacts() -> None:
    space, body = overlapping(np.random.default_rng(0))
    other = Body(1, 1)
    other.position = 0, 500
    space.add(other, Circle(other, 3))
    space.step(DT)
    static, near, far = ([member] for member in (space.static_body, body, other))
    have = [chipmunk.have_contacts(space, chipmunk.addresses_of(each)) for each in (static, near, far, far + near, [])]
    assert have == [True, True, False, True, False]


def check_all() -> None:
    for seed in range(20):
        check_readers(np.random.default_rng(seed))
        check_before_a_step(seed)
        check_after_a_step(seed)
        check_partings(seed)
    check_contacts()


def test_calls_by_address_do_what_pymunk_does() -> None:
    check_all()


# Numba compiles what it needs for a minute.
@pytest.mark.parametrize(
    "mode", ["python", *(pytest.param("jit", marks=pytest.mark.long) for _ in range(find_spec("numba") is not None))]
)
def test_the_other_runtimes_call_the_same(mode: str) -> None:
    environment = os.environ | {"IMPINGE_KERNELS": mode}
    subprocess.run([sys.executable, __file__], env=environment, check=True)


if __name__ == "__main__":
    check_all()
