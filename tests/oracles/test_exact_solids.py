"""Test the exact oracle against figures worked out by hand, and against Shapely."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
import shapely

from exact_solids import holds, meet, squared_distance

SQUARE = [(0, 0), (4, 0), (4, 4), (0, 4)]
# The notch is open to the right.
NOTCHED = [(0, 0), (6, 0), (6, 1), (1, 1), (1, 5), (6, 5), (6, 6), (0, 6)]


def moved(outline, dx, dy):
    return [(x + dx, y + dy) for x, y in outline]


@pytest.mark.parametrize(
    ("point", "answer"),
    [
        ((1, 3), True),  # on a wall of the notch
        ((Fraction(11, 10), 3), False),
        ((6, 1), True),  # a corner
        ((0, 3), True),
        ((-1, 0), False),  # in line with an edge
        ((7, 1), False),
        ((5, Fraction(1, 2)), True),
    ],
)
def test_the_points_of_a_notched_square(point, answer):
    assert holds(NOTCHED, point) is answer
    assert holds(NOTCHED[::-1], point) is answer


@pytest.mark.parametrize(
    ("dx", "dy", "answer"),
    [
        (4, 4, True),  # corner on corner
        (4, 1, True),  # edge on edge
        (2, 2, True),
        (0, 0, True),
        (Fraction(4001, 1000), 4, False),
        (-5, 0, False),
    ],
)
def test_squares_that_meet_and_squares_that_do_not(dx, dy, answer):
    assert meet(SQUARE, moved(SQUARE, dx, dy)) is answer


def test_what_stands_in_a_notch_without_touching_does_not_meet_it():
    peg = [(2, 2), (3, 2), (3, 4), (2, 4)]
    assert not meet(NOTCHED, peg)
    assert squared_distance(NOTCHED, peg) == 1
    assert meet(NOTCHED, moved(peg, -1, 0))
    assert meet(SQUARE, [(1, 1), (2, 1), (2, 2)])  # no edges cross: one is inside the other


def test_distances_that_can_be_read_off_the_page():
    assert squared_distance(SQUARE, moved(SQUARE, 7, 8)) == 9 + 16
    assert squared_distance(SQUARE, moved(SQUARE, 9, -2)) == 25
    assert squared_distance(SQUARE, [(6, 4), (7, 5), (4, 6)]) == 2  # a corner from the edge opposite to it


def test_random_triangles_as_shapely_has_them():
    rng = np.random.default_rng(3)
    for _ in range(300):
        one, other = (rng.integers(0, 12, (3, 2)) for _ in range(2))
        triangles = shapely.Polygon(one), shapely.Polygon(other)
        if not all(triangle.area > 0 for triangle in triangles):
            continue
        points = [[(int(x), int(y)) for x, y in points] for points in (one, other)]
        assert meet(*points) == triangles[0].intersects(triangles[1])
        assert math.sqrt(squared_distance(*points)) == pytest.approx(triangles[0].distance(triangles[1]), abs=1e-12)
