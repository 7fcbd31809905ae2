"""Paths that are any function of time: against closed forms, mpmath, dense samples, and polynomials."""

from __future__ import annotations

import math
from itertools import pairwise

import mpmath
import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from numpy.polynomial import Polynomial

import impinge as im
from impinge.predict import curves
from impinge.predict.relations import (
    BoundedRelation,
    Curve,
    Path,
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

TOLERANCE = 1e-6
# A crossing is within some consecutive pieces that are no longer than the tolerance.
EARLY = 4 * TOLERANCE
ORIGIN = Path.still((0, 0))
TURN = 2 * math.pi


def orbit(radius, phase=0.0, bounds="both"):
    """Return a path once around the origin per unit of time."""

    def place(time):
        return radius * math.cos(TURN * time + phase), radius * math.sin(TURN * time + phase)

    speed, acceleration = TURN * radius, TURN**2 * radius
    limits = {"speed": (speed, math.inf), "acceleration": (math.inf, acceleration), "both": (speed, acceleration)}
    return Curve(place, *limits[bounds])


BOUNDS = ["speed", "acceleration", "both"]


def assert_just_before(found, expected, early=EARLY):
    assert expected - early <= found <= expected + 1e-12


# --- closed forms --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bounds", BOUNDS)
def test_a_moon_comes_to_a_ship(bounds):
    """The law of cosines: 5² + 8² - 2 5 8 cos(angle) = 4²."""
    angle = math.acos((25 + 64 - 16) / 80) / TURN
    ((enter, leave),) = moving_circles(orbit(5, bounds=bounds), 3, Path.still((8, 0)), 1, (0.25, 1.25))
    assert_just_before(enter, 1 - angle)
    assert_just_before(-leave, -1 - angle)
    assert first_time(squared_distance(orbit(5, bounds=bounds), Path.still((8, 0))), 16, (0.25, 1.25)) == enter


@pytest.mark.parametrize("bounds", BOUNDS)
@pytest.mark.parametrize("tolerance", [1e-3, 1e-6, 1e-9])
def test_a_bob_reaches_a_line(bounds, tolerance):
    limits = {"speed": (3 * TURN, math.inf), "acceleration": (math.inf, 3 * TURN**2), "both": (3 * TURN, 3 * TURN**2)}
    bob = Curve(lambda time: (7 * 0 + 2, 3 * math.sin(TURN * time)), *limits[bounds])
    height = distance_to_line(bob, (0, 0), (1, 0))
    found = times(height, 1.5, tolerance=tolerance)
    assert len(found) == 2
    for time, expected in zip(found, (1 / 12, 5 / 12), strict=True):
        assert_just_before(time, expected, 4 * tolerance)
    ((enter, leave),) = intervals_within(vertical_distance(ORIGIN, bob), -1.5, tolerance=tolerance)
    assert_just_before(enter, 7 / 12, 4 * tolerance)
    assert_just_before(-leave, -11 / 12, 4 * tolerance)


def test_an_ease_in_one_dimension():
    """10 (1 - e^-5t) is 9 at t = ln(10) / 5, and 10 never."""
    ease = Curve(lambda time: 10 * (1 - math.exp(-5 * time)), speed=50)
    relation = horizontal_distance(Curve(lambda time: 0, speed=0), ease)
    # At 9 it moves at 5, a tenth of the bound.
    assert_just_before(first_time(relation, 9), math.log(10) / 5, 12 * TOLERANCE)
    assert first_time(relation, 10.1, (0, 4)) is None
    # Closer to its slow end, the acceleration must be known: the bound of 50 per unit of time is far too large there.
    with pytest.raises(im.PredictionError):
        first_time(relation, 10.001, (0, 4))
    known = Curve(ease.position, speed=50, acceleration=250)
    assert first_time(horizontal_distance(Curve(lambda time: 0, speed=0), known), 10.001, (0, 4)) is None
    ((begin, end),) = intervals_below(relation, 9)
    assert begin == 0
    assert_just_before(end, math.log(10) / 5, 12 * TOLERANCE)


@pytest.mark.parametrize("bounds", BOUNDS)
def test_two_moons_with_bounds_of_different_kinds_meet(bounds):
    """They go round at the same rate in opposite directions: from a quarter apart they meet after an eighth."""

    other = Curve(lambda time: (5 * math.sin(TURN * time), 5 * math.cos(TURN * time)), speed=5 * TURN)
    apart = squared_distance(orbit(5, bounds=bounds), other)
    # Seen from the origin, the angle is a quarter turn minus twice the angle that each has moved.
    expected = (math.pi / 2 - 2 * math.asin(1 / 5)) / (2 * TURN)
    assert_just_before(first_time(apart, 4), expected)


def test_a_helix_in_three_dimensions_comes_near_a_star():
    helix = Curve(lambda time: (math.cos(9 * time), math.sin(9 * time), 2 * time), speed=math.hypot(9, 2))
    star = Curve(lambda time: (2, 0, 2), speed=0)
    relation = squared_distance(helix, star)
    with mpmath.workdps(30):
        expected = mpmath.findroot(
            lambda t: (mpmath.cos(9 * t) - 2) ** 2 + mpmath.sin(9 * t) ** 2 + (2 * t - 2) ** 2 - mpmath.mpf(2),
            (0.6, 0.62),
        )
    assert_just_before(first_time(relation, 2, (0, 3)), float(expected))
    assert_just_before(moving_circles(helix, 1, star, math.sqrt(2) - 1, (0, 3))[0][0], float(expected))


@pytest.mark.parametrize("bounds", BOUNDS)
def test_a_dot_on_an_orbit_goes_through_a_box(bounds):
    """A circle of 5 around the origin and the box from (3, -2) to (7, 2): it is inside while |sin| is at most 2/5."""
    aside = math.asin(2 / 5) / TURN
    ((enter, leave),) = dot_through_box(orbit(5, bounds=bounds), (5, 0), 4, 4, (0.5, 1.5))
    assert_just_before(enter, 1 - aside)
    assert_just_before(-leave, -1 - aside)


def test_a_wave_front_that_grows_catches_a_swimmer():
    """The swimmer is at (10 + 2 sin t, 0), the front at 3 t: mpmath solves for equality."""
    swimmer = Curve(lambda time: (10 + 2 * math.sin(time), 0), speed=2)
    radius = Polynomial([0, 3])
    expected = float(mpmath.findroot(lambda t: 10 + 2 * mpmath.sin(t) - 3 * t, 3))
    for relation in (
        squared_distance(swimmer, ORIGIN) - radius * radius,
        -(radius * radius) + squared_distance(swimmer, ORIGIN),
        horizontal_distance(ORIGIN, swimmer) - radius,
        -(radius - horizontal_distance(ORIGIN, swimmer)) * 2,
    ):
        assert_just_before(first_time(relation, 0, (0, 8)), expected)


# --- grazes, near misses, and undecided cases ---------------------------------------------------------------------


@pytest.mark.parametrize("bounds", BOUNDS)
@pytest.mark.parametrize("center", [8.0, 3.0])
def test_a_graze_is_found_and_a_near_miss_is_not(bounds, center):
    """The orbit of 5 comes within 3 of (8, 0), from inside; a circle of 2 at (3, 0) touches it from inside."""
    apart = squared_distance(orbit(5, bounds=bounds), Path.still((center, 0)))
    nearest = abs(center - 5)
    early = 3e-3 if bounds == "speed" else 1e-5
    found = times(apart, nearest**2, (0.5, 1.5))
    assert_just_before(found[0], 1, early)
    ((enter, leave),) = intervals_within(apart, nearest**2, (0.5, 1.5))
    assert 1 - early <= enter <= 1 <= leave <= 1 + early
    assert intervals_below(apart, nearest**2, (0.5, 1.5)) == ()
    assert times(apart, (nearest - 1e-3) ** 2, (0.5, 1.5)) == ()
    assert intervals_within(apart, (nearest - 1e-3) ** 2, (0.5, 1.5)) == ()


def test_a_graze_takes_fewer_pieces_where_the_acceleration_is_known():
    def looks(bounds):
        relation = squared_distance(orbit(5, bounds=bounds), Path.still((8, 0)))
        seen = []
        counted = BoundedRelation(relation.value, lambda begin, end: seen.append(begin) or relation.bounds(begin, end))
        times(counted, 9, (0.5, 1.5))
        return len(seen)

    assert looks("both") <= looks("acceleration") < 1_000
    assert looks("speed") < 20_000


def test_what_stays_at_the_value_is_not_decided_but_its_first_time_is(monkeypatch):
    monkeypatch.setattr(curves, "MOST_PIECES", 5_000)  # a second each for ten times as many
    still = squared_distance(orbit(5), ORIGIN)
    assert first_time(still, 25) == 0
    for ask in (times, intervals_within, intervals_below):
        with pytest.raises(im.PredictionError, match=r"^tolerance must be larger.*1e-06.* 5,000 pieces"):
            ask(still, 25)
    assert intervals_within(still, 25.001) == ((0, 1),)
    assert intervals_within(still, 24.999) == ()


def test_a_minimum_that_takes_too_long_is_refused(monkeypatch):
    monkeypatch.setattr(curves, "MOST_PIECES", 5_000)
    rough = squared_distance(Curve(orbit(5), speed=1000), ORIGIN)
    with pytest.raises(im.PredictionError, match=r"^tolerance must be larger.* 5,000 pieces"):
        minimum(rough)


def test_a_position_faster_than_its_bound_is_refused():
    late = Curve(lambda time: (100 * time, 0), speed=10)
    with pytest.raises(im.ShapeError, match=r"^speed must be a bound on the speed, got 10.* changes by 100"):
        first_time(squared_distance(late, ORIGIN), 25)


# --- against dense samples -----------------------------------------------------------------------------------------

coefficients = st.lists(st.tuples(*[st.integers(-8, 8).map(lambda n: n / 4)] * 4), min_size=1, max_size=3)


def fourier(terms, bounds):
    """Return a sum of circular motions: x = sum a cos(n t) + b sin(n t), y with c and d; bounds term by term."""

    def place(time):
        waves = [(math.cos(n * time), math.sin(n * time), term) for n, term in enumerate(terms, 1)]
        return sum(c * t[0] + s * t[1] for c, s, t in waves), sum(c * t[2] + s * t[3] for c, s, t in waves)

    speed = sum(n * math.hypot(*term) for n, term in enumerate(terms, 1))
    acceleration = sum(n * n * math.hypot(*term) for n, term in enumerate(terms, 1))
    limits = {"speed": (speed, math.inf), "acceleration": (math.inf, acceleration), "both": (speed, acceleration)}
    return Curve(place, *limits[bounds])


def covers(intervals, time):
    return any(enter <= time <= leave for enter, leave in intervals)


@settings(max_examples=cases(12, least=5), phases=[Phase.explicit, Phase.reuse, Phase.generate])  # shrinking takes long
@given(coefficients, coefficients, st.integers(1, 40).map(lambda n: n / 10), st.sampled_from(BOUNDS))
def test_no_sample_contradicts_the_intervals(one, other, radius, bounds):
    p, q = fourier(one, bounds), fourier(other, bounds)
    relation, value = squared_distance(p, q), radius**2
    fastest = sum(n * math.hypot(*term) for terms in (one, other) for n, term in enumerate(terms, 1))
    try:
        within = intervals_within(relation, value, (0, 6), tolerance=1e-4)
        below = intervals_below(relation, value, (0, 6), tolerance=1e-4)
        found = times(relation, value, (0, 6), tolerance=1e-4)
    except im.PredictionError:  # they move alike, and the distance is the radius
        assert np.ptp([math.dist(p(time), q(time)) for time in np.linspace(0, 6, 400)]) < 0.1
        return
    samples = [(time, math.dist(p(time), q(time)) - radius) for time in np.linspace(0, 6, 601).tolist()]
    for time, over in samples:
        if over < -1e-9:
            assert covers(within, time)
        elif over > 1e-9:
            assert not covers(below, time)
        # Undecided pieces are near the value: no path gets farther within the tolerance.
        if covers(within, time) != covers(below, time):
            assert abs(over) <= fastest * 1e-4 + 1e-9
    for (before, over), (time, after) in pairwise(samples):
        if over * after < 0 and min(abs(over), abs(after)) > 1e-9:
            # Undecided times are contiguous from the last reported one on.
            at = max(at for at in found if at <= time)
            assert all(abs(gap) <= fastest * 1e-4 + 1e-9 for sample, gap in samples if at <= sample < before)


@settings(max_examples=cases(12, least=5), phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(coefficients, coefficients, st.sampled_from(BOUNDS))
def test_no_sample_is_less_than_the_minimum(one, other, bounds):
    p, q = fourier(one, bounds), fourier(other, bounds)
    try:
        found = minimum(squared_distance(p, q), (0, 6))
    except im.PredictionError:
        assert np.ptp([math.dist(p(time), q(time)) for time in np.linspace(0, 6, 400)]) < 0.1
        return
    assert found.value == pytest.approx(math.dist(p(found.time), q(found.time)) ** 2, abs=1e-12)
    samples = [math.dist(p(time), q(time)) ** 2 for time in np.linspace(0, 6, 601).tolist()]
    assert min(samples) >= found.value - 1e-6 * (1 + max(samples))


# --- the same as polynomials ---------------------------------------------------------------------------------------

quarters = st.integers(-16, 16).map(lambda n: n / 4)
paths = st.builds(Path, *[st.lists(quarters, min_size=1, max_size=4)] * 2)


def as_curve(path):
    """Return a path as a curve, with bounds from its coefficients, for times from 0 to 1."""
    velocity, pull = path.velocity, path.velocity.velocity
    speed = math.hypot(*(sum(map(abs, axis)) for axis in (velocity.x, velocity.y)))
    return Curve(path, speed, math.hypot(*(sum(map(abs, axis)) for axis in (pull.x, pull.y))))


@settings(max_examples=cases(30, least=5))
@given(paths, paths, st.integers(1, 24).map(lambda n: n / 8 + 0.01))
def test_a_curve_and_a_path_agree_with_two_paths(p, q, radius):
    exact = moving_circles(p, radius, q, 0)
    for one, other in ((as_curve(p), q), (p, as_curve(q)), (as_curve(p), as_curve(q))):
        try:
            found = moving_circles(one, radius, other, 0)
        except im.PredictionError:
            assert not exact or squared_distance(p, q).degree() > 0
            continue
        for enter, leave in exact:
            assert any(low <= enter + 1e-9 and leave <= high + 1e-9 for low, high in found)
        for time in {time for interval in found for time in interval}:
            if not covers(exact, time):
                assert math.dist(p(time), q(time)) == pytest.approx(radius, abs=1e-3)


@settings(max_examples=cases(20, least=5))
@given(paths, quarters, quarters)
def test_the_box_agrees(path, x, y):
    exact = dot_through_box(path, (x, y), 1.3, 2.7)
    found = dot_through_box(as_curve(path), (x, y), 1.3, 2.7)
    for enter, leave in exact:
        assert any(low <= enter + 1e-9 and leave <= high + 1e-9 for low, high in found)
    for time in {time for interval in found for time in interval}:
        place = path(time)
        assert max(abs(place[0] - x) - 0.65, abs(place[1] - y) - 1.35) <= 1e-3


# --- refused arguments -----------------------------------------------------------------------------------------------

STEADY = Curve(lambda time: (time, 0), speed=1)
SOLID_BODY = Curve(lambda time: (time, 0, 0), speed=1)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: Curve((1, 2), speed=1), r"position must be a function of time, got \(1, 2\)"),
        (lambda: Curve(math.sin), "speed or acceleration must be finite, got inf for both"),
        (lambda: Curve(math.sin, speed=-1), "speed must be finite and not negative, got -1"),
        (lambda: Curve(math.sin, speed=math.nan), "speed must be finite and not negative, got nan"),
        (lambda: Curve(math.sin, acceleration="much"), "acceleration must be a number, got 'much'"),
        (lambda: STEADY(math.inf), "time must be finite, got inf"),
        (lambda: Curve(lambda time: "ab", speed=1)(0), "position must return one to three finite numbers, got 'ab'"),
        (lambda: Curve(lambda time: (1, 2, 3, 4), speed=1)(0), "position must return one to three .* at time 0"),
        (lambda: Curve(lambda time: math.nan, speed=1)(0), "position must return one to three finite numbers, got nan"),
        (lambda: Curve(lambda time: None, speed=1)(0), "position must return one to three finite numbers, got None"),
        (lambda: first_time(squared_distance(STEADY, SOLID_BODY), 1), "p and q must have as many .* got 2 and 3"),
        (
            lambda: first_time(vertical_distance(*[Curve(math.sin, speed=1)] * 2), 1),
            "p and q must have 2 .* got 1",
        ),
        (lambda: first_time(distance_to_line(SOLID_BODY, (0, 0), (1, 0)), 1), "p and q must have as many .* 2 and 3"),
        (lambda: times(squared_distance(STEADY, ORIGIN), 1, (0, math.inf)), "interval must end at a finite time"),
        (lambda: minimum(squared_distance(STEADY, ORIGIN), (0, math.inf)), "interval must end at a finite time"),
        (
            lambda: times(squared_distance(STEADY, ORIGIN), 1, tolerance=0),
            "tolerance must be positive and finite, got 0",
        ),
        (
            lambda: minimum(squared_distance(STEADY, ORIGIN), tolerance=-1),
            "tolerance must be positive and finite, got -1",
        ),
        (lambda: times(squared_distance(STEADY, ORIGIN), math.nan), "value must be finite, got nan"),
        (lambda: BoundedRelation(3, lambda begin, end: (0, 0)), "value must be a function, got 3"),
        (lambda: BoundedRelation(math.sin, None), "bounds must be a function, got None"),
        (lambda: squared_distance(STEADY, ORIGIN) + math.inf, "number must be finite, got inf"),
        (lambda: dot_through_box(STEADY, (0, 0), 1, 1, (0, math.inf)), "interval must end at a finite time"),
    ],
)
def test_what_cannot_be_is_refused_by_name_and_value(ask, message):
    with pytest.raises(im.ShapeError, match=f"^{message}"):
        ask()


def test_what_is_no_relation_cannot_be_added():
    relation = squared_distance(STEADY, ORIGIN)
    for calculate in (lambda: relation + "1", lambda: relation - [1], lambda: relation * None):
        with pytest.raises(TypeError):
            calculate()
