"""Debug drawing of sweeps, sectors and stops, checked by draw options that only record the calls."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pymunk
import pytest
from pymunk import Body, SpaceDebugDrawOptions, Vec2d

import impinge as im
from impinge_pymunk import continuous, draw_sector, draw_stops, draw_sweep, sector_query, sweep_query


class Notes(SpaceDebugDrawOptions):
    """Draw options that record calls instead of drawing."""

    def __init__(self) -> None:
        super().__init__()
        self.circles: list[tuple[Vec2d, float]] = []
        self.segments: list[tuple[Vec2d, Vec2d]] = []
        self.fat_segments: list[tuple[Vec2d, Vec2d, float]] = []
        self.polygons: list[tuple[list[Vec2d], float]] = []
        self.dots: list[Vec2d] = []

    def draw_circle(self, pos: Vec2d, angle: float, radius: float, *colors: Any) -> None:
        self.circles.append((pos, radius))

    def draw_segment(self, a: Vec2d, b: Vec2d, color: Any) -> None:
        self.segments.append((a, b))

    def draw_fat_segment(self, a: Vec2d, b: Vec2d, radius: float, *colors: Any) -> None:
        self.fat_segments.append((a, b, radius))

    def draw_polygon(self, verts: Any, radius: float, *colors: Any) -> None:
        self.polygons.append((list(verts), radius))

    def draw_dot(self, size: float, pos: Vec2d, color: Any) -> None:
        self.dots.append(pos)


def area(polygon: list[Vec2d]) -> float:
    return 0.5 * sum(a.cross(b) for a, b in zip(polygon, [*polygon[1:], polygon[0]], strict=True))


def test_a_sweep_shows_the_shape_at_both_ends_and_where_it_strikes() -> None:
    space, notes = pymunk.Space(), Notes()
    space.add(pymunk.Segment(space.static_body, (50, -90), (50, 90), 1))
    motion = im.Motion(im.Pose(0, 0), im.Pose(200, 0))
    draw_sweep(notes, im.Circle(9), motion, sweep_query(space, im.Circle(9), motion))
    assert notes.circles == [((0, 0), 9), ((200, 0), 9), ((40, 0), 9)]
    assert notes.dots == [(49, 0)]
    assert ((0, 0), (200, 0)) in notes.segments
    # The normal points back towards the ball's start.
    assert any(begin == (49, 0) and end.x < 49 and end.y == 0 for begin, end in notes.segments)


def test_each_kind_of_shape_is_drawn_as_what_it_is() -> None:
    body, notes = Body(1, 1), Notes()
    body.position, body.angle = (100, 0), math.pi / 2
    still = im.Motion.still(im.Pose(100, 0, math.pi / 2))
    draw_sweep(notes, pymunk.Segment(body, (0, 0), (10, 0), 2), still)
    draw_sweep(notes, pymunk.Poly(body, [(0, 0), (10, 0), (10, 5)], radius=1), still)
    (a, b, radius) = notes.fat_segments[0]
    assert a == pytest.approx((100, 0))
    assert b == pytest.approx((100, 10))
    assert radius == 2
    vertices, rounding = notes.polygons[0]
    assert rounding == 1
    assert area(vertices) == pytest.approx(25)


@pytest.mark.parametrize("inner", [0.0, 40.0])
@pytest.mark.parametrize("half_angle", [0.4, 2.5, math.pi])
def test_the_light_of_a_sector_has_its_area(inner: float, half_angle: float) -> None:
    notes = Notes()
    draw_sector(notes, im.Sector(100, half_angle, inner), im.Pose(30, 40, angle=1))
    light = sum(area(polygon) for polygon, _ in notes.polygons)
    assert light == pytest.approx((100**2 - inner**2) * half_angle, rel=5e-3)
    assert all(area(polygon) > 0 for polygon, _ in notes.polygons)


def test_nothing_is_lit_behind_a_wall_and_who_is_seen_is_marked() -> None:
    space, notes, guard = pymunk.Space(), Notes(), Body(1, 1)
    wall = pymunk.Segment(space.static_body, (50, -200), (50, 200), 1)
    near, far = (pymunk.Circle(space.static_body, 5, (x, 0)) for x in (30, 80))
    space.add(guard, pymunk.Circle(guard, 3), wall, near, far)
    eye = im.Sector(100, 0.5)
    hits = sector_query(space, eye, guard, occluders=[wall])
    draw_sector(notes, eye, guard, hits, occluders=[wall])
    assert max(point.x for polygon, _ in notes.polygons for point in polygon) == pytest.approx(49)
    assert [dot.x for dot in sorted(notes.dots)] == pytest.approx([25, 49])


def test_stops_and_bodies_that_are_behind_are_drawn() -> None:
    """The bullet bounces at 50 and waits at -4: it is 0.525 of a step behind, less 49 px, which leaves 3.5 px."""
    space, notes, bullet = pymunk.Space(), Notes(), Body(1, 1)
    bullet.velocity = 6000, 0
    shapes = pymunk.Circle(bullet, 2), *(pymunk.Segment(space.static_body, (x, -9), (x, 9), 0.5) for x in (-4, 50))
    for shape in shapes:
        shape.elasticity = 1
    space.add(bullet, *shapes)
    # A point cannot be drawn as a shape.
    space.add(pymunk.Circle(bullet, 0))
    steps = continuous(space)
    draw_stops(notes, steps)
    assert not notes.dots
    assert not notes.circles
    space.step(1 / 60)
    draw_stops(notes, steps)
    [dot], [(place, radius)] = notes.dots, notes.circles
    assert tuple(dot) == pytest.approx((49.5, 0), abs=1e-3)
    assert tuple(place) == pytest.approx((-1.5, 0), abs=1e-3)
    assert radius == 2
    way, normal = sorted(notes.segments, key=lambda segment: segment[0].x)
    # It still has to go on beyond the wall at which it waits; the normal points out of the wall that it hit.
    assert [point.x for point in way] == pytest.approx([-1.5, -5], abs=1e-3)
    assert normal[0] == dot
    assert normal[1].x < 49.5
    assert normal[1].y == pytest.approx(0, abs=1e-3)


WRONG: list[tuple[Callable[[], Any], str]] = [
    (lambda: draw_sweep(3, im.Circle(1), WAY), "options must be pymunk.SpaceDebugDrawOptions, got 3"),
    (lambda: draw_sweep(Notes(), im.Circle(1), 3), "motion must be an impinge.Motion, got 3"),
    (lambda: draw_sweep(Notes(), 3, WAY), "shape must be a pymunk.Shape or a pymunk.Body, got 3"),
    (lambda: draw_sector(3, im.Sector(1, 1), im.Pose(0, 0)), "options must be pymunk.SpaceDebugDrawOptions, got 3"),
    (lambda: draw_stops(3, 3), "options must be pymunk.SpaceDebugDrawOptions, got 3"),
    (lambda: draw_stops(Notes(), 3), "steps must be an impinge_pymunk.Continuous, got 3"),
    (lambda: draw_sector(Notes(), 3, im.Pose(0, 0)), "sector must be an impinge.Sector, got 3"),
    (lambda: draw_sector(Notes(), im.Sector(1, 1), 3), "pose must be a Pose, got 3"),
]
WAY = im.Motion(im.Pose(0, 0), im.Pose(9, 0))


@pytest.mark.parametrize(("call", "complaint"), WRONG)
def test_wrong_arguments_are_named(call: Callable[[], Any], complaint: str) -> None:
    with pytest.raises((TypeError, im.ShapeError), match=complaint):
        call()
