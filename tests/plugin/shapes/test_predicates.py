"""Turns and circles against fractions, where floats fail: near lines, near circles, near zero size."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from impinge.shapes.predicates import certain_turns, crossing_point, exact_integers, in_circle, turn
from scale import cases

# Tiny steps around a value, which put points on a line or slightly off it; integers; any numbers within the limits.
HAIRS = st.builds(lambda place, steps: place + steps * 2.0**-52, st.sampled_from([0.5, 1.0, 12.0]), st.integers(-8, 8))
NUMBERS = st.one_of(HAIRS, st.integers(-3, 3).map(float), st.floats(-1e100, 1e100), st.floats(-1e-100, 1e-100))
POINTS = st.tuples(NUMBERS, NUMBERS)
SMALL = st.one_of(HAIRS, st.integers(-3, 3).map(float), st.floats(-2, 2))
SMALL_POINTS = st.tuples(SMALL, SMALL)


def sign(number):
    return (number > 0) - (number < 0)


def exact_turn(a, b, c):
    (ax, ay), (bx, by), (cx, cy) = [(Fraction(x), Fraction(y)) for x, y in (a, b, c)]
    return sign((bx - ax) * (cy - ay) - (by - ay) * (cx - ax))


def exact_circle(a, b, c, d):
    """Return the sign of the determinant of rows (x, y, x^2 + y^2, 1), by minors of its first column."""
    rows = [(Fraction(x), Fraction(y)) for x, y in (a, b, c, d)]
    rows = [(x, y, x * x + y * y) for x, y in rows]
    # The centre from two perpendicular bisectors, then plain distances: another method than the code's.
    (ax, ay, aa), (bx, by, bb), (cx, cy, cc), (dx, dy, _) = rows
    twice = 2 * ((bx - ax) * (cy - ay) - (by - ay) * (cx - ax))
    ux = ((bb - aa) * (cy - ay) - (cc - aa) * (by - ay)) / twice
    uy = ((cc - aa) * (bx - ax) - (bb - aa) * (cx - ax)) / twice
    return sign((ax - ux) ** 2 + (ay - uy) ** 2 - (dx - ux) ** 2 - (dy - uy) ** 2)


@settings(max_examples=cases(500))
@given(POINTS, POINTS, POINTS)
def test_the_sign_of_a_turn_is_exact(a, b, c):
    assert sign(turn(a, b, c)) == exact_turn(a, b, c)


@settings(max_examples=cases(300))
@given(st.lists(st.tuples(POINTS, POINTS, POINTS), min_size=1, max_size=8))
def test_turns_that_are_certain_are_right(triples):
    a, b, c = np.array(triples).transpose(1, 2, 0)
    for signed, triple in zip(certain_turns(a, b, c).tolist(), triples, strict=True):
        assert signed in (0, exact_turn(*triple))


def test_turns_of_plain_triangles_are_certain():
    """If all were uncertain, every answer would still be right, but every outline would be slow."""
    a, b, c = np.random.default_rng(0).random((3, 2, 1000))
    assert np.count_nonzero(certain_turns(a, b, c)) > 990


@settings(max_examples=cases(500))
@given(SMALL_POINTS, SMALL_POINTS, SMALL_POINTS, SMALL_POINTS)
def test_in_circle_is_exact(a, b, c, d):
    if exact_turn(a, b, c) < 0:
        a, c = c, a
    if exact_turn(a, b, c) > 0:
        assert in_circle(a, b, c, d) == (exact_circle(a, b, c, d) > 0)


@pytest.mark.parametrize("scale", [1e-100, 1e-80, 1.0, 1e80, 1e100])
def test_in_circle_does_not_lose_fourth_powers_that_no_float_holds(scale):
    a, b, c = (0.0, 0.0), (2.0 * scale, 0.0), (2.0 * scale, 2.0 * scale)
    assert in_circle(a, b, c, (0.0, 1.5 * scale))
    assert not in_circle(a, b, c, (0.0, 2.0 * scale))
    assert not in_circle(a, b, c, (0.0, 2.5 * scale))


@settings(max_examples=cases(300))
@given(POINTS, POINTS, POINTS, POINTS)
def test_a_crossing_is_the_float_nearest_to_the_exact_one(a, b, c, d):
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = [(Fraction(x), Fraction(y)) for x, y in (a, b, c, d)]
    # Both lines as p x + q y = r, and Cramer's rule: another method than the code's.
    p, q, r, s = by - ay, ax - bx, dy - cy, cx - dx
    if (determinant := p * s - q * r) != 0:
        one, other = p * ax + q * ay, r * cx + s * cy
        exact = (one * s - q * other) / determinant, (p * other - one * r) / determinant
        if max(map(abs, exact)) < 10**300:
            assert crossing_point(a, b, c, d) == (float(exact[0]), float(exact[1]))


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_exact_integers_keep_proportions(values):
    integers = exact_integers(values)
    scales = {Fraction(integer) / Fraction(value) for integer, value in zip(integers, values, strict=True) if value}
    assert len(scales) <= 1
    assert all(integer == 0 for integer, value in zip(integers, values, strict=True) if not value)
