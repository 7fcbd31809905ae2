"""Prediction of times: against exact fractions, dense sampling, and worked examples by name."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.polynomial import Polynomial

import impinge as im
from impinge.predict.relations import (
    Minimum,
    Path,
    circle_and_segment,
    common,
    distance_to_line,
    dot_through_box,
    first_time,
    horizontal_distance,
    intervals_below,
    intervals_within,
    minimum,
    moving_circles,
    squared_distance,
    times,
    vertical_distance,
)
from scale import cases

FOREVER = (0, math.inf)
SAMPLES = [Fraction(i, 96) for i in range(97)]

quarters = st.integers(-16, 16).map(lambda n: n / 4)
points = st.tuples(quarters, quarters)
sizes = st.integers(1, 16).map(lambda n: n / 4)
paths = st.builds(Path, st.lists(quarters, min_size=1, max_size=4), st.lists(quarters, min_size=1, max_size=4))
relations = st.lists(quarters, min_size=1, max_size=6)


def exactly(coefficients, at):
    return sum(Fraction(c) * Fraction(at) ** i for i, c in enumerate(coefficients))


def exact_place(path, at):
    return exactly(path.x, at), exactly(path.y, at)


def exact_square(p, q, at):
    (px, py), (qx, qy) = exact_place(p, at), exact_place(q, at)
    return (qx - px) ** 2 + (qy - py) ** 2


def covers(intervals, at):
    return any(enter <= at <= leave for enter, leave in intervals)


def rounding(coefficients, value, at):
    """Return the largest rounding error of a value near zero, from half a unit in each term."""
    size = sum(abs(Fraction(c)) * Fraction(at) ** i for i, c in enumerate(coefficients)) + abs(Fraction(value))
    return 8 * len(coefficients) * Fraction(2.0**-53) * size


def assert_ordered(intervals, low=0.0, high=1.0):
    flat = [time for interval in intervals for time in interval]
    assert flat == sorted(flat)
    assert all(low <= time <= high for time in flat)
    assert all(a[1] < b[0] for a, b in pairwise(intervals))


# --- relations -----------------------------------------------------------------------------------------------------


@given(paths, paths, st.sampled_from(SAMPLES))
def test_relations_are_what_the_places_say(p, q, at):
    """Quarters up to degree 3: every coefficient is exact, so a relation must be exact too."""
    (px, py), (qx, qy) = exact_place(p, at), exact_place(q, at)
    assert exactly(squared_distance(p, q).coef.tolist(), at) == (qx - px) ** 2 + (qy - py) ** 2
    assert exactly(horizontal_distance(p, q).coef.tolist(), at) == qx - px
    assert exactly(vertical_distance(p, q).coef.tolist(), at) == qy - py
    assert exact_place(p - q, at) == (px - qx, py - qy)


@given(paths, points, points, st.sampled_from(SAMPLES))
def test_the_distance_to_a_line_is_positive_to_its_left(path, a, b, at):
    if a == b:
        return
    x, y = map(float, exact_place(path, at))
    left = ((b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0])) / math.dist(a, b)
    assert distance_to_line(path, a, b)(float(at)) == pytest.approx(left, abs=1e-12)


def test_relations_are_polynomials_to_calculate_with():
    """A custom relation: twice as near to one point as to the other."""
    dot, near, far = Path.linear((-4, 0), (4, 0)), Path.still((0, 0)), Path.still((6, 0))
    relation = 4 * squared_distance(dot, near) - squared_distance(dot, far)
    at = times(relation)
    assert at == pytest.approx([0.75])  # at x = 2
    assert squared_distance(dot, far)(at[0]) == pytest.approx(4 * squared_distance(dot, near)(at[0]))


# --- times ---------------------------------------------------------------------------------------------------------


@settings(max_examples=cases(300))
@given(relations, quarters)
def test_times_part_what_is_above_from_what_is_below(relation, value):
    found = times(relation, value)
    for at in found:
        slope = sum(i * abs(c) for i, c in enumerate(relation))
        assert abs(exactly(relation, at) - Fraction(value)) <= rounding(relation, value, at) + Fraction(slope) / 2**51
    last = None
    for at in SAMPLES:
        over = exactly(relation, at) - Fraction(value)
        if abs(over) <= rounding(relation, value, at):
            last = None
            continue
        if last is not None and (over > 0) != (last[1] > 0):
            assert any(last[0] <= time <= at for time in found)
        last = at, over


@settings(max_examples=cases(300))
@given(relations, quarters)
def test_intervals_are_where_the_relation_is_less_or_no_more(relation, value):
    below, within = intervals_below(relation, value), intervals_within(relation, value)
    assert_ordered(below)
    assert_ordered(within)
    for at in SAMPLES:
        over = exactly(relation, at) - Fraction(value)
        if abs(over) > rounding(relation, value, at):
            assert covers(below, at) == covers(within, at) == (over < 0)
        elif over == 0:  # within the accuracy of the root of a fifth power
            assert any(enter - 2e-3 <= at <= leave + 2e-3 for enter, leave in within)


@settings(max_examples=cases(200))
@given(relations)
def test_no_sample_is_less_than_the_minimum_and_none_before_it_as_little(relation):
    least = minimum(relation)
    assert exactly(relation, least.time) == pytest.approx(least.value, abs=1e-12)
    for at in SAMPLES:
        value = exactly(relation, at)
        margin = rounding(relation, 0, at) + rounding(relation, 0, least.time)
        assert value >= Fraction(least.value) - margin
        if at < least.time - 1e-2:  # further away than rounding makes the function flat
            assert value > Fraction(least.value)


def test_the_earliest_of_equal_minima():
    """A W with both minima at 1: (t - 1/4)² (t - 3/4)² + 1."""
    w = Polynomial([-0.25, 1]) ** 2 * Polynomial([-0.75, 1]) ** 2 + 1
    assert minimum(w) == Minimum(pytest.approx(0.25), pytest.approx(1))
    assert minimum(w, (0.5, 1)) == Minimum(pytest.approx(0.75), pytest.approx(1))
    assert minimum([3]) == Minimum(0, 3)
    assert minimum([0, 1, -1]) == Minimum(0, 0)


def test_the_minimum_in_an_interval_without_an_end():
    assert minimum([5, -4, 1], FOREVER) == Minimum(2, 1)
    assert minimum([5, 4, 1], FOREVER) == Minimum(0, 5)
    assert minimum([5, 1, 0, -1e-9], FOREVER) == Minimum(math.inf, -math.inf)
    assert minimum([5, 1, 0, 0], FOREVER) == Minimum(0, 5)
    assert minimum([0, 0, 1e300], (1e100, 1e200)).time == 1e100


def test_a_relation_that_is_the_value_all_the_time():
    assert times([2], 2) == (0,)
    assert times([2, 0, 0], 2, (0.25, 1)) == (0.25,)
    assert first_time([2], 2, FOREVER) == 0
    assert intervals_below([2], 2) == ()
    assert intervals_within([2], 2, FOREVER) == ((0, math.inf),)
    assert times([2], 3) == ()
    assert intervals_below([2], 3) == intervals_within([2], 3) == ((0, 1),)


def test_touching_from_below_ends_no_interval():
    hill = [0, 4, -4]  # 1 at half time
    assert intervals_below(hill, 1) == intervals_within(hill, 1) == ((0, 1),)
    assert times(hill, 1) == (0.5,)


def test_a_third_that_rounding_misses_is_touched():
    """Rounding the coefficients of (t - 1/3)² makes it nonzero everywhere."""
    square = [Fraction(1, 9), Fraction(-2, 3), 1]
    rounded = [float(c) for c in square]
    assert exactly(rounded, Fraction(-rounded[1]) / 2) != 0
    assert times(rounded) == (pytest.approx(1 / 3, abs=1e-15),)
    assert len(intervals_within(rounded)) == 1
    assert intervals_below(rounded) == ()


def test_the_value_counts_among_what_is_rounded():
    """1e8 + (t - 1/2)² against 1e8: the difference has the square to 1e-8 only."""
    assert times([1e8 + 0.25, -1, 1], 1e8) == (pytest.approx(0.5, abs=2e-4),)


def test_a_polynomial_with_a_domain_of_its_own_means_the_same():
    plain = Polynomial([6, -5, 1])
    moved = plain.convert(domain=[1, 9])
    assert times(moved, 0, (0, 9)) == pytest.approx((2, 3))
    assert Path(moved, [1]).x == pytest.approx(Path(plain, [1]).x)


interval_rows = st.lists(st.integers(0, 40), max_size=12, unique=True).map(
    lambda ends: [(a, b) for a, b in zip(sorted(ends)[::2], sorted(ends)[1::2], strict=False)]
)


@given(interval_rows, interval_rows)
def test_common_is_what_both_cover(a, b):
    both = common(a, b)
    assert_ordered(both, 0, 40)
    for n in range(81):
        assert covers(both, n / 2) == (covers(a, n / 2) and covers(b, n / 2))
    assert common(b, a) == both


# --- paths ---------------------------------------------------------------------------------------------------------


def test_paths_go_where_they_say():
    assert Path.linear((1, 2), (5, -2))(0) == (1, 2)
    assert Path.linear((1, 2), (5, -2))(1) == (5, -2)
    thrown = Path.ballistic((1, 2), (3, 4), (0, -10))
    assert (thrown(2), thrown.velocity(2)) == ((7, -10), (3, -16))
    pushed = Path.cubic((0, 0), (1, 0), (2, 0), (6, 12))
    assert (pushed(1), pushed.velocity.velocity(1)) == ((1 + 1 + 1, 2), (8, 12))
    assert Path.still((1, 2)).velocity == Path.still((0, 0))


def test_paths_are_values():
    assert Path((1, 2, 0), (3,)) == Path([1.0, 2.0], (3, 0, 0)) == Path(Polynomial([1, 2]), [3])
    assert len({Path.still((0, 1)), Path((0,), (1,)), Path.steady((0, 1), (0, 0))}) == 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        Path.still((0, 0)).x = (1.0,)


@pytest.mark.parametrize("acceleration", [(0.0, 0.0), (3.0, -8.0)])
def test_the_path_of_a_motion_is_where_its_centre_is(acceleration):
    motion = im.Motion(im.Pose(1, 2, 0.5), im.Pose(-3, 7, 9.5), acceleration)
    path = Path.of(motion)
    for at in (0, 0.125, 0.5, 0.75, 1):
        assert path(at) == pytest.approx((motion.at(at).x, motion.at(at).y), abs=1e-14)


# --- the questions of the page ---------------------------------------------------------------------------------------


@settings(max_examples=cases(300))
@given(paths, sizes, paths, sizes)
def test_circles_touch_or_overlap_when_their_centres_are_near(p, radius_p, q, radius_q):
    together = moving_circles(p, radius_p, q, radius_q)
    assert_ordered(together)
    reach = Fraction(radius_p + radius_q) ** 2
    relation = squared_distance(p, q).coef.tolist()
    for at in SAMPLES:
        over = exact_square(p, q, at) - reach
        if abs(over) > rounding(relation, reach, at):
            assert covers(together, at) == (over < 0)


@settings(max_examples=cases(300))
@given(points, st.integers(0, 16).map(lambda n: n / 4), points, points)
def test_the_part_of_a_segment_in_a_circle(center, radius, a, b):
    part = circle_and_segment(center, radius, a, b)
    path, middle = Path.linear(a, b), Path.still(center)
    for at in SAMPLES:
        over = exact_square(path, middle, at) - Fraction(radius) ** 2
        if abs(over) > rounding(squared_distance(path, middle).coef.tolist(), radius**2, at):
            assert covers([part] if part else [], at) == (over < 0)


@settings(max_examples=cases(300))
@given(paths, points, sizes, sizes)
def test_a_dot_is_in_a_box_when_it_is_between_all_four_sides(path, center, width, height):
    stay = dot_through_box(path, center, width, height)
    assert_ordered(stay)
    for at in SAMPLES:
        x, y = exact_place(path, at)
        over = max(
            abs(x - Fraction(center[0])) - Fraction(width) / 2, abs(y - Fraction(center[1])) - Fraction(height) / 2
        )
        if abs(over) > Fraction(1, 2**40):
            assert covers(stay, at) == (over < 0)


def test_the_two_circles_of_the_page():
    """(2, 7) and (-1, 2) per second: (3, 5) of relative motion. At that distance, they meet at the very end."""
    p, q = Path.steady((0, 0), (2, 7)), Path.steady((3, 5), (-1, 2))
    assert squared_distance(p, q).coef.tolist() == [34, -68, 34]
    assert minimum(squared_distance(p, q)) == Minimum(1, 0)
    # They are within 2 of each other for 2 / √34 of a second before that.
    assert moving_circles(p, 1, q, 1) == ((pytest.approx(1 - 2 / math.sqrt(34)), 1),)
    assert moving_circles(p, 1, q, 1, FOREVER) == (
        (pytest.approx(1 - 2 / math.sqrt(34)), pytest.approx(1 + 2 / math.sqrt(34))),
    )


def test_circles_that_graze_at_one_instant():
    for gap in (2, 0.3, 1e-3, 1e6):
        graze = moving_circles(Path.linear((-4 * gap, gap), (4 * gap, gap)), gap / 3, Path.still((0, 0)), gap - gap / 3)
        assert graze == ((pytest.approx(0.5), pytest.approx(0.5)),)
        assert graze[0][0] == graze[0][1]


def test_circles_that_pass_by_a_hair_do_not_touch():
    passing = Path.linear((-4, 2 + 1e-12), (4, 2 + 1e-12))
    assert moving_circles(passing, 1, Path.still((0, 0)), 1) == ()


def test_circles_that_touch_at_the_frames_ends():
    toward, wall = Path.linear((-3, 0), (-2, 0)), Path.still((0, 0))
    assert moving_circles(toward, 1, wall, 1) == ((1, 1),)
    assert moving_circles(Path.linear((-2, 0), (-3, 0)), 1, wall, 1) == ((0, 0),)


def test_circles_that_move_alike():
    p, q = Path.steady((0, 0), (5, 5)), Path.steady((1, 0), (5, 5))
    assert moving_circles(p, 1, q, 1) == ((0, 1),)
    assert moving_circles(p, 0.5, q, 0.5) == ((0, 1),)
    assert moving_circles(p, 0.25, q, 0.25) == ()


def test_points_meet():
    assert moving_circles(Path.linear((-1, -1), (1, 1)), 0, Path.linear((1, -1), (-1, 1)), 0) == ((0.5, 0.5),)


def test_a_thrown_circle_meets_another_twice():
    """Up at 8 against a gravity of 16, and down again: within 1/4 of a height of 3/2 on both ways."""
    ball = Path.ballistic((0, 0), (0, 8), (0, -16))
    together = moving_circles(ball, 0.125, Path.still((0, 1.5)), 0.125)
    # 8t - 8t² = 1.25 and 1.75
    roots = [0.5 - math.sqrt(0.25 - 1.25 / 8), 0.5 - math.sqrt(0.25 - 1.75 / 8)]
    assert together == (
        (pytest.approx(roots[0]), pytest.approx(roots[1])),
        (pytest.approx(1 - roots[1]), pytest.approx(1 - roots[0])),
    )


def test_the_segment_of_the_page():
    assert circle_and_segment((0, 0), 5, (-8, 3), (8, 3)) == (0.25, 0.75)
    assert circle_and_segment((0, 0), 5, (-8, 5), (8, 5)) == (0.5, 0.5)
    assert circle_and_segment((0, 0), 5, (-8, 5.5), (8, 5.5)) is None
    assert circle_and_segment((0, 0), 5, (-1, 0), (1, 1)) == (0, 1)
    assert circle_and_segment((0, 0), 5, (0, 0), (10, 0)) == (0, 0.5)
    assert circle_and_segment((0, 0), 5, (6, 0), (10, 0)) is None
    assert circle_and_segment((0, 0), 5, (3, 4), (3, 4)) == (0, 1)
    assert circle_and_segment((0, 0), 5, (3, 5), (3, 5)) is None


@pytest.mark.parametrize(("start", "end"), [((-8, -8), (8, 8)), ((8, 8), (-8, -8)), ((-8, 8), (8, -8))])
def test_the_dot_of_the_page_in_every_direction(start, end):
    assert dot_through_box(Path.linear(start, end), (0, 0), 4, 4) == ((0.375, 0.625),)


def test_the_dot_along_an_axis_and_standing_still():
    assert dot_through_box(Path.linear((0, -8), (0, 8)), (0, 0), 4, 8) == ((0.25, 0.75),)
    assert dot_through_box(Path.linear((3, -8), (3, 8)), (0, 0), 4, 8) == ()
    assert dot_through_box(Path.linear((2, -8), (2, 8)), (0, 0), 4, 8) == ((0.25, 0.75),)  # along a side
    assert dot_through_box(Path.still((1, 1)), (0, 0), 4, 4, FOREVER) == (FOREVER,)
    assert dot_through_box(Path.still((3, 1)), (0, 0), 4, 4, FOREVER) == ()
    assert dot_through_box(Path.linear((0, 0), (8, 0)), (0, 0), 4, 4) == ((0, 0.25),)
    assert dot_through_box(Path.steady((-8, 0), (1, 0)), (0, 0), 4, 4, FOREVER) == ((6, 10),)


@pytest.mark.parametrize("scale", [1, 0.1, 1 / 3, 700])
def test_the_dot_that_only_touches_a_corner(scale):
    """It reaches the upper and the right side at two times that rounding separates: no time would be in both."""
    stay = dot_through_box(Path.linear((-scale, 7 * scale), (3 * scale, -scale)), (0, 0), 2 * scale, 6 * scale)
    assert stay == ((pytest.approx(0.5, abs=1e-15), pytest.approx(0.5, abs=1e-15)),)
    assert dot_through_box(Path.linear((-1, 7.001), (3, -0.999)), (0, 0), 2, 6) == ()


# --- refused arguments -----------------------------------------------------------------------------------------------

ORIGIN = Path.still((0, 0))


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: times([1, math.nan]), r"relation\[1\] must be finite, got nan"),
        (lambda: times([math.inf]), r"relation\[0\] must be finite, got inf"),
        (lambda: times(Polynomial([1, math.nan])), r"relation\[1\] must be finite, got nan"),
        (lambda: times([1, "x"]), r"relation\[1\] must be a number, got 'x'"),
        (lambda: times([]), r"relation must have a coefficient, got \[\]"),
        (lambda: times("12"), "relation must be a Polynomial or coefficients, got '12'"),
        (lambda: times(3), "relation must be a Polynomial or coefficients, got 3"),
        (lambda: times([1e308, 1e308]), "relation must have smaller coefficients"),
        (lambda: times([1], math.nan), "value must be finite, got nan"),
        (lambda: times([1], 0, (1, 0)), r"interval must not run backwards, got \(1, 0\)"),
        (lambda: times([1], 0, (0, math.nan)), "interval must not run backwards"),
        (lambda: times([1], 0, (-math.inf, 0)), "interval must begin at a finite time"),
        (lambda: minimum([1], (0,)), r"interval must be two times \(begin, end\), got \(0,\)"),
        (lambda: intervals_below([1], 0, (2, 1)), "interval must not run backwards"),
        (lambda: dot_through_box(ORIGIN, (0, 0), 1, 1, (2, 1)), "interval must not run backwards"),
        (lambda: common([(1, 0)], []), r"intervals_a must be ascending, got \(1, 0\)"),
        (lambda: common([], [(0, 2), (1, 3)]), r"intervals_b must be ascending, got \(1, 3\) after 2\.0"),
        (lambda: common([3], []), r"intervals_a must be intervals \(enter, leave\), got 3"),
        (lambda: Path([math.nan], [0]), r"x\[0\] must be finite, got nan"),
        (lambda: Path([0], [0, math.inf]), r"y\[1\] must be finite, got inf"),
        (lambda: Path.still(3), r"place must be two numbers"),
        (lambda: Path.of(im.Pose(0, 0)), "motion must be a Motion, got Pose"),
        (lambda: ORIGIN(math.nan), "time must be finite, got nan"),
        (lambda: squared_distance(ORIGIN, (0, 0)), r"q must be a Path or a Curve, got \(0, 0\)"),
        (lambda: distance_to_line(ORIGIN, (1, 1), (1, 1)), r"b must not be a, got \(1, 1\)"),
        (lambda: moving_circles(ORIGIN, -1, ORIGIN, 1), "radius_a must be finite and not negative, got -1"),
        (lambda: moving_circles(ORIGIN, 1, None, 1), "path_b must be a Path or a Curve, got None"),
        (lambda: circle_and_segment((0, 0), math.nan, (0, 0), (1, 1)), "radius must be .* got nan"),
        (lambda: dot_through_box(ORIGIN, (0, 0), 0, 1), "width must be positive and finite, got 0"),
    ],
)
def test_what_cannot_be_is_refused_by_name_and_value(ask, message):
    with pytest.raises(im.ShapeError, match=f"^{message}"):
        ask()
