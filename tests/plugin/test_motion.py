"""Poses in a frame: straight motion, and ballistic motion against the parabola in exact fractions."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import impinge as im
from impinge import Motion, Pose

numbers = st.floats(-1e4, 1e4)
vectors = st.tuples(numbers, numbers)
times = st.floats(0, 1)
# An absolute error, for numbers too small to have full precision.
UNDERFLOW = 1e-300


@given(start=vectors, velocity=vectors, acceleration=vectors, spin=numbers, duration=st.floats(1e-3, 1e2), time=times)
def test_what_is_thrown_follows_the_parabola(start, velocity, acceleration, spin, duration, time):
    motion = Motion.ballistic(Pose(*start, 0.5), velocity, acceleration, spin, duration)
    pose = motion.at(time)
    elapsed = Fraction(duration) * Fraction(time)
    for place, begun, speed, growth in zip((pose.x, pose.y), start, velocity, acceleration, strict=True):
        parts = Fraction(begun), Fraction(speed) * elapsed, Fraction(growth) * elapsed**2 / 2
        # Units in the last place of the largest term, at the frame's end, which is rounded first.
        largest = abs(begun) + abs(speed) * duration + abs(growth) * duration**2
        assert abs(sum(parts) - Fraction(place)) <= 8 * 2.0**-52 * largest + UNDERFLOW
    turned = Fraction(1, 2) + Fraction(spin) * elapsed
    assert abs(turned - Fraction(pose.angle)) <= 8 * 2.0**-52 * (1 + abs(spin) * duration) + UNDERFLOW


@given(start=vectors, velocity=vectors, acceleration=vectors, spin=numbers)
def test_both_ends_are_met_to_the_bit(start, velocity, acceleration, spin):
    motion = Motion.ballistic(Pose(*start), velocity, acceleration, spin)
    assert motion.at(0) == motion.start == Pose(*start)
    assert motion.at(1) is motion.end


def test_a_throw_by_the_numbers():
    """Up at 30 per second under 10 per second squared: at the top after three seconds, 45 high."""
    motion = Motion.ballistic(Pose(0, 0), (5, 30), (0, -10), spin=math.pi, duration=6)
    assert motion.at(0.5) == Pose(15, 45, 3 * math.pi)
    assert motion.end == Pose(30, 0, 6 * math.pi)
    assert motion.at(0.25).y == motion.at(0.75).y == 33.75


@given(a=vectors, b=vectors, time=times)
def test_without_acceleration_it_is_the_straight_way(a, b, time):
    straight = Motion(Pose(*a), Pose(*b))
    velocity = (b[0] - a[0], b[1] - a[1])
    thrown = Motion.ballistic(Pose(*a), velocity, (0, 0))
    assert thrown.acceleration == (0.0, 0.0)
    assert (thrown.at(time).x, thrown.at(time).y) == pytest.approx(
        (straight.at(time).x, straight.at(time).y), rel=0, abs=1e-11
    )


def test_what_is_still_is_still():
    pose = Pose(0.1, 0.7, 3)
    for time in (0, 0.3, 1):
        assert Motion.still(pose).at(time) == pose


def test_turning_goes_evenly_and_more_than_once_around():
    motion = Motion(Pose(0, 0, 1.0), Pose(0, 0, 1.0 + 8 * math.pi))
    assert motion.at(0.5).angle == pytest.approx(1.0 + 4 * math.pi)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"start": (0, 0)}, r"start must be a Pose, got \(0, 0\)"),
        ({"velocity": 5}, r"velocity must be two numbers \(x, y\), got 5"),
        ({"velocity": (math.nan, 0)}, r"velocity\[0\] must be finite, got nan"),
        ({"acceleration": (0, math.inf)}, r"acceleration\[1\] must be finite, got inf"),
        ({"acceleration": "down"}, r"acceleration must be two numbers \(x, y\), got 'down'"),
        ({"spin": math.nan}, "spin must be finite, got nan"),
        ({"spin": None}, "spin must be a number, got None"),
        ({"duration": 0}, "duration must be positive and finite, got 0"),
        ({"duration": -1}, "duration must be positive and finite, got -1"),
        ({"velocity": (1e100, 0), "duration": 1e10}, r"x must be at most 1e\+100 in size, got 1e\+110"),
    ],
)
def test_a_throw_refuses_by_name_and_value(arguments, message):
    with pytest.raises(im.ShapeError, match=f"^{message}"):
        Motion.ballistic(**{"start": Pose(0, 0), "velocity": (0, 0), "acceleration": (0, 0), **arguments})


@pytest.mark.parametrize("time", [-1e-9, 1.0000001, math.nan, math.inf, "late", None])
def test_a_time_outside_the_frame_is_refused(time):
    with pytest.raises(im.ShapeError, match=r"^time must be .* got ") as error:
        Motion.still(Pose(0, 0)).at(time)
    assert repr(time) in str(error.value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((Pose(0, 0), (1, 1)), r"end must be a Pose, got \(1, 1\)"),
        ((None, Pose(0, 0)), "start must be a Pose, got None"),
        ((Pose(0, 0), Pose(0, 0), (0, math.nan)), r"acceleration\[1\] must be finite, got nan"),
        ((Pose(0, 0), Pose(0, 0), 1), r"acceleration must be two numbers \(x, y\), got 1"),
    ],
)
def test_a_motion_refuses_by_name_and_value(arguments, message):
    with pytest.raises(im.ShapeError, match=f"^{message}"):
        Motion(*arguments)
