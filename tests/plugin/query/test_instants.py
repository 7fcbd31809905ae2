"""When two moving solids touch, and when they are nearest: `contact_interval` and `closest_approach`."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

import impinge as im
from impinge import Box, Capsule, Circle, Compound, Motion, Polygon, Pose
from scale import cases, some

STILL = Motion.still(Pose(0, 0))
ARROW = Polygon([(0, 0), (4, -3), (1, 0), (4, 3)])
whole = st.integers(-12, 12)
size = st.integers(1, 6)


def straight(start, end):
    return Motion(Pose(*start), Pose(*end))


def exact_interval_of_boxes(sizes, start, way):
    """Return the interval by the slab method, in fractions: |x| and |y| of the second centre within both half sizes."""
    enter, leave = Fraction(0), Fraction(1)
    for (a, b), x, v in zip(sizes, start, way, strict=True):
        reach = Fraction(a + b, 2)
        if v == 0:
            if abs(x) > reach:
                return None
        else:
            times = sorted((Fraction(side * reach - x) / v) for side in (-1, 1))
            enter, leave = max(enter, times[0]), min(leave, times[1])
    return (enter, leave) if enter <= leave else None


@given(st.tuples(size, size), st.tuples(size, size), st.tuples(whole, whole), st.tuples(whole, whole))
@settings(max_examples=cases(400), derandomize=True)
def test_boxes_touch_when_their_projections_do(across, up, start, way):
    a, b = Box(across[0], up[0]), Box(across[1], up[1])
    end = (start[0] + way[0], start[1] + way[1])
    expected = exact_interval_of_boxes((across, up), start, way)
    found = im.contact_interval(a, STILL, b, straight(start, end))
    if expected is None:
        assert found is None
    else:
        assert found == pytest.approx([float(time) for time in expected], abs=1e-14)


@given(size, size, st.tuples(whole, whole), st.tuples(whole, whole))
@settings(max_examples=cases(400), derandomize=True)
def test_circles_touch_while_their_centres_are_within_both_radii(one, other, start, way):
    """x² + 2 (x·v) t + v² t² = (r + s)², solved with 60 digits."""
    (x, y), (u, v) = start, way
    a, b, c = u * u + v * v, x * u + y * v, x * x + y * y - (one + other) ** 2
    with mpmath.workdps(60):
        if a == 0:
            expected = (0, 1) if c <= 0 else None
        elif b * b < a * c:
            expected = None
        else:
            root = mpmath.sqrt(b * b - a * c)
            enter, leave = max((-b - root) / a, 0), min((-b + root) / a, 1)
            expected = (enter, leave) if enter <= leave else None
    found = im.contact_interval(Circle(one), STILL, Circle(other), straight(start, (x + u, y + v)))
    if expected is None:
        assert found is None
    else:
        # For a graze, both times are the root of a difference of whole numbers that is almost zero.
        assert found == pytest.approx([float(time) for time in expected], abs=1e-7 if b * b == a * c else 1e-13)


SOLIDS = {
    "circle": Circle(1.5),
    "box": Box(3, 1),
    "capsule": Capsule((-2, 0), (1, 1), 0.5),
    "segment": Capsule((-2, -1), (2, 1)),
    "arrow": ARROW,
    "rounded arrow": Polygon(ARROW.vertices, 0.25),
    "hammer": Compound([(Box(1, 5), Pose(0, 0)), (Circle(1), Pose(0, 3))]),
}


def geometry(solid, angle):
    """Return Shapely's geometry of a rotated solid without its radius, and the radius; for compounds one per part."""
    parts = []
    for piece in solid.pieces:
        points = np.array(piece.points) @ np.array(
            [[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]]
        )
        kind = {1: shapely.Point, 2: shapely.LineString}.get(len(points), shapely.Polygon)
        parts.append((kind(points[0] if len(points) == 1 else points), piece.radius))
    return parts


def sampled_gaps(a, motion_a, b, motion_b, times):
    """Return the distances at many times, by Shapely; zero for overlaps."""
    offsets = np.array(
        [
            (motion_b.at(time).x - motion_a.at(time).x, motion_b.at(time).y - motion_a.at(time).y)
            for time in times.tolist()
        ]
    )
    gaps = np.full(len(times), np.inf)
    for core_a, radius_a in geometry(a, motion_a.start.angle):
        for core_b, radius_b in geometry(b, motion_b.start.angle):
            moved = [shapely.transform(core_b, lambda points, by=offset: points + by) for offset in offsets]
            gaps = np.minimum(gaps, shapely.distance(core_a, np.array(moved)) - radius_a - radius_b)
    return np.maximum(gaps, 0.0)


@pytest.mark.parametrize("a", some(SOLIDS, least=4))
@pytest.mark.parametrize("b", SOLIDS)
def test_no_sampled_instant_tells_otherwise(a, b):
    """Straight and ballistic motion, at any angle, past and through each other: 300 samples of each path."""
    rng = np.random.default_rng([list(SOLIDS).index(a), list(SOLIDS).index(b)])
    times = np.linspace(0.0, 1.0, 300)
    step = times[1]
    for _ in range(4):
        turns = rng.uniform(-3, 3, 2)
        bend = tuple(rng.uniform(-30, 30, 2) * rng.integers(0, 2))
        motion_a, motion_b = (
            Motion(Pose(*rng.uniform(-7, 7, 2), turn), Pose(*rng.uniform(-7, 7, 2), turn), acceleration)
            for turn, acceleration in zip(turns, (bend, (0.0, 0.0)), strict=True)
        )
        gaps = sampled_gaps(SOLIDS[a], motion_a, SOLIDS[b], motion_b, times)
        found = im.contact_interval(SOLIDS[a], motion_a, SOLIDS[b], motion_b)
        nearest = im.closest_approach(SOLIDS[a], motion_a, SOLIDS[b], motion_b)
        # A bound on the speed, so this is the largest change between two samples.
        unseen = step * (30 + 2 * 15)
        assert nearest.distance <= gaps.min() + 1e-12
        assert nearest.distance >= gaps.min() - unseen
        assert sampled_gaps(SOLIDS[a], motion_a, SOLIDS[b], motion_b, np.array([nearest.time]))[0] == pytest.approx(
            nearest.distance, abs=1e-8
        )
        if found is None:
            assert gaps.min() > 0.0
            continue
        enter, leave = found
        assert nearest == (enter, 0.0)
        assert (gaps[times < enter] > 0.0).all()
        assert (gaps[(times >= enter) & (times <= leave)] <= 1e-8).all()
        after = gaps[times > leave]
        assert not len(after) or after[0] > 0.0 or leave > times[times <= leave][-1]


def test_a_bullet_is_caught_between_two_frames():
    bullet, wall = Circle(1), Box(1, 100)
    assert im.contact_interval(bullet, straight((-3000, 0), (3000, 0)), wall, STILL) == (
        pytest.approx(0.5 - 1.5 / 6000),
        pytest.approx(0.5 + 1.5 / 6000),
    )


@pytest.mark.parametrize("way", [((-8, 0), (8, 0)), ((0, -8), (0, 8)), ((8, 0), (-8, 0))])
def test_a_dot_that_goes_along_an_axis_enters_and_leaves_a_box(way):
    """The published formula divides by zero here."""
    dot = Circle(1e-9)
    assert im.contact_interval(dot, straight(*way), Box(8, 8), STILL) == pytest.approx((0.25, 0.75), abs=1e-9)


def test_what_only_grazes_touches_for_an_instant():
    assert im.contact_interval(Circle(1), straight((-4, 3), (4, 3)), Circle(2), STILL) == (0.5, 0.5)
    assert im.contact_interval(Box(2, 2), straight((-8, 4), (8, 4)), Box(6, 6), STILL) == (0.25, 0.75)
    assert im.contact_interval(Box(2, 2), straight((-8, 0), (0, 8)), Box(6, 6), STILL) == (0.5, 0.5)


def test_starting_in_touch():
    ball, floor = Circle(1), Box(10, 2)
    assert im.contact_interval(ball, straight((0, 2), (0, 5)), floor, STILL) == (0.0, 0.0)
    assert im.contact_interval(ball, straight((0, 2), (3, 2)), floor, STILL) == (0.0, 1.0)
    assert im.contact_interval(ball, straight((0, 2), (0, 1)), floor, STILL) == (0.0, 1.0)
    assert im.contact_interval(ball, Motion.still(Pose(0, 2)), floor, STILL) == (0.0, 1.0)


def test_inside_each_other_all_the_time():
    assert im.contact_interval(Circle(1), straight((0, 0), (2, 0)), Box(20, 20), STILL) == (0.0, 1.0)
    assert im.closest_approach(Circle(1), straight((0, 0), (2, 0)), Box(20, 20), STILL) == (0.0, 0.0)


def test_the_first_of_two_contacts_is_given():
    """It is thrown up from under a ceiling's edge and falls back: it touches on both ways."""
    thrown = Motion.ballistic(Pose(0, 0), velocity=(0, 16), acceleration=(0, -32))
    found = im.contact_interval(Circle(0.5), thrown, Box(4, 1), Motion.still(Pose(0, 4)))
    assert found == pytest.approx((0.25, 0.75))
    hole = Compound([(Box(4, 1), Pose(0, 3)), (Box(4, 1), Pose(0, -3))])
    between = im.contact_interval(Circle(0.5), straight((0, 6), (0, -6)), hole, STILL)
    assert between == pytest.approx((2 / 12, 4 / 12))


def test_what_stays_apart_never_touches():
    assert im.contact_interval(Circle(1), Motion.still(Pose(5, 0)), Circle(1), STILL) is None
    assert im.closest_approach(Circle(1), Motion.still(Pose(5, 0)), Circle(1), STILL) == (0.0, 3.0)


def test_two_that_go_side_by_side_are_nearest_from_the_start():
    assert im.closest_approach(Circle(1), straight((0, 0), (9, 9)), Circle(1), straight((4, 0), (13, 9))) == (0.0, 2.0)


def test_a_wheel_that_turns_is_one_that_does_not():
    rolling, rock = Motion(Pose(-5, 0, 0), Pose(5, 0, -6)), Motion.still(Pose(0, 0))
    assert im.contact_interval(Circle(1), rolling, Circle(1), rock) == pytest.approx((0.3, 0.7))


@pytest.mark.parametrize("ask", [im.contact_interval, im.closest_approach])
def test_arguments_of_another_type_are_refused_by_name(ask):
    with pytest.raises(im.ShapeError, match=r"a must be a solid shape .* got 'ball'"):
        ask("ball", STILL, Circle(1), STILL)
    with pytest.raises(im.ShapeError, match="b must be a solid shape"):
        ask(Circle(1), STILL, None, STILL)
    with pytest.raises(im.ShapeError, match="motion_b must be a Motion, got Pose"):
        ask(Circle(1), STILL, Circle(1), Pose(0, 0))
