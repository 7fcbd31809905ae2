"""A signal handler raises at any point of a step of a space: the next steps end where they end without it.

Pymunk's own step is not taken back: the frame of the exception may be half made. Each case runs in a fork, so the test
names the line if a case ends the process.
"""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from pymunk import Body, Poly, Space

import impinge as im
import impinge_pymunk
from forks import forked
from impinge_pymunk import continuous, push_rule
from interruptions import Interrupt, InterruptError
from scale import cases

SOURCES = [str(Path(impinge_pymunk.__file__).parent), str(Path(im.__file__).parent / "world")]
LIFT, CRATE = 1, 2
DT = 1 / 60


def level(is_continuous: bool) -> tuple[Space, list[Body]]:
    """Return a space in which a lift brings crates up to a ceiling of air, and its bodies."""
    space = Space()
    space.gravity = 0, -900
    push_rule(space, LIFT, CRATE)
    if is_continuous:
        continuous(space)
    bodies = []
    for number in range(4):
        kind = Body.KINEMATIC if number == 0 else Body.DYNAMIC
        body = Body(body_type=kind) if number == 0 else Body(1, math.inf)
        body.position = (0, 0) if number == 0 else (50 * number - 100, 30)
        body.velocity = (0, 60) if number == 0 else (0, 0)
        shape = Poly.create_box(body, (300, 20) if number == 0 else (20, 20))
        shape.collision_type = LIFT if number == 0 else CRATE
        space.add(body, shape)
        bodies.append(body)
    for _ in range(3):
        space.step(DT)
    return space, bodies


def end_of(space: Space, bodies: list[Body]) -> list[tuple[float, float]]:
    """Let the lift stop, and return where the crates come to rest on it."""
    bodies[0].velocity = 0, 0
    bodies[0].position = 0, 10
    for _ in range(30):
        space.step(DT)
    return [body.position for body in bodies]


@pytest.mark.parametrize("is_continuous", [False, True])
def test_an_interrupted_step_of_a_space_leaves_a_space_that_works(is_continuous: bool) -> None:
    expected = end_of(*level(is_continuous))
    assert [y for _, y in expected[1:]] == pytest.approx([30] * 3, abs=0.2)
    space, _ = level(is_continuous)
    with Interrupt(SOURCES) as counted:
        space.step(DT)
    points = range(0, len(counted.points), max(1, len(counted.points) // cases(1_500, least=50)))

    def interrupted(number: int) -> list[tuple[float, float]]:
        space, bodies = level(is_continuous)
        try:
            with Interrupt(SOURCES, points[number] + 1):
                space.step(DT)
        except InterruptError:
            pass
        return end_of(space, bodies)

    for point, ends in zip(points, forked(interrupted, [counted.points[at] for at in points]), strict=True):
        for end, wanted in zip(ends, expected, strict=True):
            assert end == pytest.approx(wanted, abs=0.3), counted.points[point]
