"""Test the oracle for the time of impact against fractions, and against figures worked out by hand."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import impinge as im
from exact_solids import meet, squared_distance
from scale import cases, some
from shapely_solids import Catalogue, Pairs, random_catalogue, random_pairs
from swept_outlines import exact_overlap, first_touches, judged

SQUARE = im.Box(2, 2)
BALL = im.Circle(1)
# A notch that is open to the right, 2 high and 2 deep.
NOTCHED = im.Polygon([(0, 0), (4, 0), (4, 1), (2, 1), (2, 3), (4, 3), (4, 4), (0, 4)])


def pair(a, b, place, angle=0.0):
    return Pairs(Catalogue([a, b]), np.array([[0, 1]]), np.array([[(0.0, 0.0, 0.0), (*place, angle)]], np.float64))


def first(a, b, place, way, bend=None, angle=0.0):
    bends = None if bend is None else np.array([bend], np.float64)
    return first_touches(pair(a, b, place, angle), np.array([way], np.float64), bends)[0]


# Figures worked out by hand.


@pytest.mark.parametrize(
    ("a", "b", "place", "way", "time"),
    [
        (SQUARE, SQUARE, (6, 0), (-8, 0), 0.5),
        (SQUARE, SQUARE, (6, 1.5), (-8, 0), 0.5),
        (SQUARE, SQUARE, (6, 2), (-8, 0), 0.5),  # grazing
        (SQUARE, SQUARE, (6, 2.5), (-8, 0), math.inf),
        (SQUARE, SQUARE, (6, 6), (-8, -8), 0.5),  # corner on corner
        (SQUARE, SQUARE, (6, 0), (-2, 0), 2.0),  # after the frame's end
        (SQUARE, SQUARE, (6, 0), (8, 0), math.inf),
        (SQUARE, SQUARE, (6, 0), (0, 0), math.inf),
        (BALL, BALL, (6, 0), (-8, 0), 0.5),
        (BALL, BALL, (3 + math.sqrt(3), 1), (-6, 0), 0.5),
        (BALL, SQUARE, (6, 2), (-8, 0), 5 / 8),  # the corner touches the top of the ball
        (SQUARE, BALL, (6, 0), (-8, 0), 0.5),
        (SQUARE, BALL, (1.6 + 4, 1.8), (-8, 0), 0.5),  # a 3-4-5 triangle at the corner
        (im.Capsule((0, -3), (0, 3), 1), BALL, (6, 2), (-8, 0), 0.5),
        (im.Capsule((0, -3), (0, 3)), im.Capsule((0, 0), (1, 0)), (4, 2), (-8, 0), 0.5),
        (NOTCHED, im.Box(1, 1), (6.5, 2), (-8, 0), 0.5),  # into the notch
        (NOTCHED, im.Box(1, 1), (6.5, 1.25), (-8, 0), 0.25),
        (NOTCHED, im.Circle(0.5), (6.5, 2), (-8, 0), 0.5),
        (im.Polygon(NOTCHED.vertices, 0.25), im.Circle(0.5), (6.75, 2), (-8, 0), 0.5),
        (im.Compound([(SQUARE, im.Pose(-9, 0)), (SQUARE, im.Pose(0, 0))]), SQUARE, (6, 0), (-8, 0), 0.5),
    ],
)
def test_straight_ways(a, b, place, way, time):
    assert first(a, b, place, way) == pytest.approx(time, abs=1e-14)
    assert first(b, a, (-place[0], -place[1]), (-way[0], -way[1])) == pytest.approx(time, abs=1e-14)


@pytest.mark.parametrize(
    ("a", "b", "place", "way", "bend", "time"),
    [
        # A fall from rest by 4 of 16 takes half of the time.
        (SQUARE, SQUARE, (0, 6), (0, -16), (0, -32), 0.5),
        (SQUARE, BALL, (0, 6), (0, -16), (0, -32), 0.5),
        (BALL, BALL, (0, 6), (0, -16), (0, -32), 0.5),
        (BALL, SQUARE, (0.5, 6), (0, -16), (0, -32), 0.5),
        # Up by 4 within half of the frame and down again: a graze at the highest point.
        (im.Box(40, 2), SQUARE, (0, -6), (9, 0), (0, -32), 0.5),
        (im.Box(40, 2), BALL, (0, -6), (9, 0), (0, -32), 0.5),
        (im.Box(40, 2), SQUARE, (0, -6.1), (9, 0), (0, -32), math.inf),
        (im.Box(40, 2), BALL, (0, -6.1), (9, 0), (0, -32), math.inf),
    ],
)
def test_bent_ways(a, b, place, way, bend, time):
    assert first(a, b, place, way, bend) == pytest.approx(time, abs=1e-7)  # a graze is a root of multiplicity two


def test_what_is_undecided():
    """Undecided cases: grazing, touching at the start, touching at the end of the frame. All others are decided."""
    cases = [
        ((6, 2), (-8, 0), False),
        ((6, 2 - 1e-10), (-8, 0), False),
        ((6, 2 - 1e-6), (-8, 0), True),
        ((6, 2 + 1e-6), (-8, 0), True),
        ((2, 0), (-1, 0), False),
        ((6, 0), (-4, 0), False),
        ((6, 0), (-4 - 1e-6, 0), True),
        ((6, 0), (-4 + 1e-6, 0), True),
        ((6, 6), (-8, -8), True),
        ((1, 0), (-1, 0), True),
    ]
    for place, way, is_decided in cases:
        found = judged(pair(SQUARE, SQUARE, place), np.array([way], np.float64))
        assert found.is_decided[0] == is_decided, place
    assert judged(pair(SQUARE, SQUARE, (1, 0)), np.array([(1.0, 0.0)])).is_overlapping[0]


# Compared with fractions.

coordinates = st.integers(-6, 6)
places = st.tuples(st.integers(-30, 30), st.integers(-30, 30))
ways = st.tuples(st.integers(-20, 20), st.integers(-20, 20)).filter(any)
bends = st.tuples(st.integers(-20, 20), st.integers(-20, 20)).filter(any)


@st.composite
def outlines(draw):
    """Return corners around a centre, sorted by their angle: concave about half of the time."""
    points = draw(st.lists(st.tuples(coordinates, coordinates).filter(any), min_size=3, max_size=7, unique=True))
    points.sort(key=lambda point: (math.atan2(point[1], point[0]), point))
    try:
        polygon = im.Polygon(points)
    except im.ShapeError:
        assume(False)
    assume(len(polygon.outline) == len(points))
    return polygon


def integers(polygon):
    return [(int(x), int(y)) for x, y in polygon.outline]


convex_outlines = outlines().filter(lambda outline: outline.is_convex).map(integers)


def at(outline, place, way, bend, time):
    """Return an outline at an exact time."""
    (x, y), (wx, wy), (bx, by) = place, way, bend
    dx = x + (wx - Fraction(bx, 2)) * time + Fraction(bx, 2) * time**2
    dy = y + (wy - Fraction(by, 2)) * time + Fraction(by, 2) * time**2
    return [(px + dx, py + dy) for px, py in outline]


def exact_first_touch(a, b, place, way, since=0):
    """Try each time at which a corner crosses the line of an edge, in order; None if they never touch."""
    instants = set()
    moving = at(b, place, way, (0, 0), 0)
    for corners, edges, sign in ((moving, a, 1), (a, moving, -1)):
        for (ax, ay), (bx, by) in zip(edges, [*edges[1:], edges[0]], strict=True):
            speed = sign * ((bx - ax) * way[1] - (by - ay) * way[0])
            if speed:
                instants |= {-((bx - ax) * (y - ay) - (by - ay) * (x - ax)) / Fraction(speed) for x, y in corners}
    in_order = sorted(time for time in instants if time >= since)
    return next((time for time in in_order if meet(a, at(b, place, way, (0, 0), time))), None)


@settings(max_examples=cases(100))
@given(outlines(), outlines(), places, ways)
def test_sharp_outlines_on_straight_ways_in_fractions(a, b, place, way):
    corners_a, corners_b = integers(a), integers(b)
    assume(not meet(corners_a, at(corners_b, place, way, (0, 0), 0)))
    exact = exact_first_touch(corners_a, corners_b, place, way)
    found = first(a, b, place, way)
    assert found == (math.inf if exact is None else pytest.approx(float(exact), rel=1e-13))


def assert_is_first(a, b, place, way, bend, radius, time):
    """Assert that at this time the distance equals the radii, and was never smaller before, up to rounding."""
    corners_a, corners_b = integers(a), integers(b)
    reach = Fraction(radius) ** 2

    def excess(instant):
        return float(squared_distance(corners_a, at(corners_b, place, way, bend, Fraction(instant))) - reach)

    if time <= 1.0:
        assert excess(time) == pytest.approx(0.0, abs=1e-9)
    last = min(time, 1.0)
    assert all(excess(last * k / 16) >= -1e-9 for k in range(16))


@settings(max_examples=cases(60, least=5))
@given(outlines(), outlines(), places, ways, st.integers(1, 8))
def test_rounded_outlines_on_straight_ways_in_fractions(a, b, place, way, radius):
    assume(squared_distance(integers(a), at(integers(b), place, way, (0, 0), 0)) > radius**2)
    rounded = im.Polygon(b.vertices, float(radius))
    assert_is_first(a, b, place, way, (0, 0), radius, first(a, rounded, place, way))


@settings(max_examples=cases(60, least=5))
@given(outlines(), outlines(), places, ways, bends, st.integers(0, 8))
def test_outlines_on_bent_ways_in_fractions(a, b, place, way, bend, radius):
    assume(squared_distance(integers(a), at(integers(b), place, way, bend, 0)) > radius**2)
    rounded = im.Polygon(b.vertices, float(radius))
    pairs, arguments = pair(a, rounded, place), (np.array([way], np.float64), np.array([bend], np.float64))
    # For grazing pairs, rounding decides whether roots of multiplicity two are found.
    assume(judged(pairs, *arguments, margins=np.array([1e-6])).is_decided[0])
    assert_is_first(a, b, place, way, bend, radius, first_touches(pairs, *arguments)[0])


@settings(max_examples=cases(60, least=5))
@given(convex_outlines, convex_outlines, places, ways)
def test_the_insides_of_convex_outlines_overlap_between_the_exact_times(a, b, place, way):
    placed = np.array([b], np.float64) + place
    (enter,), (leave,) = exact_overlap(np.array([a], np.float64), placed, np.array([way], np.float64))
    small = Fraction(1, 10**6)
    if enter < leave:
        start, end = Fraction(float(enter)).limit_denominator(10**5), Fraction(float(leave)).limit_denominator(10**5)
        for time, touch in ((start - small, False), (start, True), (end, True), (end + small, False)):
            assert meet(a, at(b, place, way, (0, 0), time)) is touch
    else:  # at most a graze: no contact if one of them is a little smaller
        (x, y), count = (sum(values) for values in zip(*a, strict=True)), len(a)
        smaller = [(px + (Fraction(x, count) - px) * small, py + (Fraction(y, count) - py) * small) for px, py in a]
        assert exact_first_touch(smaller, b, place, way, since=-1000) is None


@pytest.mark.parametrize("seed", some(range(4)))
def test_moving_the_world_and_swapping_change_nothing(seed):
    rng = np.random.default_rng([5, seed])
    pairs = random_pairs(rng, random_catalogue(rng, 90, (0.3, 3.0)), 500, 10.0)
    reach = pairs.catalogue.reaches[pairs.chosen].sum(axis=1)
    pairs.poses[:, 1, :2] += 2.5 * reach[:, None] * np.sign(pairs.offsets)
    ways = -pairs.offsets * rng.uniform(0.5, 1.5, (500, 2))
    bends = rng.uniform(-1, 1, (500, 2)) * reach[:, None]
    for arguments, swapped in (((ways,), (-ways,)), ((ways, bends), (-ways, -bends))):
        found = judged(pairs, *arguments)
        other = first_touches(pairs.swapped(), *swapped)
        moved = first_touches(pairs.moved(np.zeros((500, 2))), *arguments)
        hit = found.is_decided & found.is_hit
        assert hit.mean() > 0.3
        assert found.is_decided.mean() > 0.99
        np.testing.assert_allclose(other[hit], found.times[hit], rtol=0, atol=1e-10)
        np.testing.assert_allclose(moved[hit], found.times[hit], rtol=0, atol=1e-10)
