"""The published comparison of rectangles with its mistakes, and the one on all axes against clipping, in fractions.

Coordinates have y up. Results of the code are worked out from the page. Correct results come from shared lattice
points, or from clipping one rectangle by the other.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from impinge.reference.rectangles import (
    Rectangle,
    collide_as_coded,
    collide_as_told,
    is_inside,
    overlap_on_all_axes,
    some_corner_is_inside,
    upright,
)
from scale import cases

Whole = tuple[int, int]

SQUARE = upright(0, 0, 2, 2)
LYING, STANDING = upright(0, 2, 10, 4), upright(4, 0, 6, 6)


def lattice_points(bounds: tuple[int, int, int, int]) -> set[Whole]:
    left, bottom, right, top = bounds
    return set(product(range(left, right + 1), range(bottom, top + 1)))


@st.composite
def whole_bounds(draw: st.DrawFn) -> tuple[int, int, int, int]:
    left, bottom = draw(st.integers(-6, 6)), draw(st.integers(-6, 6))
    return left, bottom, left + draw(st.integers(1, 8)), bottom + draw(st.integers(1, 8))


@st.composite
def turned(draw: st.DrawFn) -> tuple[Whole, Whole, int, int]:
    """Return a centre, a direction of any length, and half the sides in units of that length."""
    middle = draw(st.tuples(st.integers(-12, 12), st.integers(-12, 12)))
    direction = draw(st.tuples(st.integers(-3, 3), st.integers(-3, 3)).filter(any))
    return middle, direction, draw(st.integers(1, 4)), draw(st.integers(1, 4))


def corners_of(rectangle: tuple[Whole, Whole, int, int]) -> list[Whole]:
    (x, y), (u, v), half_length, half_height = rectangle
    ways = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    return [
        (x + a * half_length * u - b * half_height * v, y + a * half_length * v + b * half_height * u) for a, b in ways
    ]


def clipped(polygon: list[tuple[Fraction, Fraction]], clip: list[Whole]) -> list[tuple[Fraction, Fraction]]:
    """Clip by Sutherland and Hodgman, border included: empty if the two share no point."""
    for (ax, ay), (bx, by) in zip(clip, clip[1:] + clip[:1], strict=True):
        heights = [(bx - ax) * (y - ay) - (by - ay) * (x - ax) for x, y in polygon]
        rest = []
        for i, (x, y) in enumerate(polygon):
            (before_x, before_y), before, height = polygon[i - 1], heights[i - 1], heights[i]
            if before * height < 0:
                part = Fraction(before) / (before - height)
                rest.append((before_x + part * (x - before_x), before_y + part * (y - before_y)))
            if height >= 0:
                rest.append((x, y))
        polygon = rest
    return polygon


class TestThePublishedComparison:
    def test_a_cross_collides_and_has_no_corner_inside(self) -> None:
        for a, b in ((LYING, STANDING), (STANDING, LYING)):
            assert collide_as_coded(a, b)
            assert collide_as_told(a, b)
            assert not some_corner_is_inside(a.corners, b.corners)

    @given(whole_bounds(), whole_bounds())
    def test_upright_ones_collide_when_they_share_a_point(self, a, b) -> None:
        # If the corners are whole numbers, the common part has whole corners too.
        expected = bool(lattice_points(a) & lattice_points(b))
        assert collide_as_coded(upright(*a), upright(*b)) is expected
        assert collide_as_told(upright(*a), upright(*b)) is expected
        assert overlap_on_all_axes(upright(*a).corners, upright(*b).corners) is expected

    @given(whole_bounds(), whole_bounds(), st.tuples(st.integers(-9, 9), st.integers(-9, 9)))
    def test_it_looks_where_the_movements_end(self, a, b, movement) -> None:
        dx, dy = movement
        moved = (a[0] + dx, a[1] + dy, a[2] + dx, a[3] + dy)
        expected = bool(lattice_points(moved) & lattice_points(b))
        assert collide_as_coded(upright(*a, movement=movement), upright(*b)) is expected
        assert collide_as_coded(upright(*b), upright(*a, movement=movement)) is expected


class TestTheRefutedIdea:
    @given(whole_bounds(), whole_bounds())
    def test_among_upright_ones_it_misses_crosses_and_nothing_else(self, a, b) -> None:
        def is_cross(lying, standing) -> bool:
            return lying[0] < standing[0] < standing[2] < lying[2] and standing[1] < lying[1] < lying[3] < standing[3]

        shares = bool(lattice_points(a) & lattice_points(b))
        cross = is_cross(a, b) or is_cross(b, a)
        assert some_corner_is_inside(upright(*a).corners, upright(*b).corners) is (shares and not cross)

    @given(turned(), st.tuples(st.integers(-20, 20), st.integers(-20, 20)))
    def test_a_point_is_inside_when_it_is_in_the_rectangles_own_frame(self, rectangle, point) -> None:
        (x, y), (u, v), half_length, half_height = rectangle
        along = (point[0] - x) * u + (point[1] - y) * v
        across = (point[1] - y) * u - (point[0] - x) * v
        square = u * u + v * v
        expected = abs(along) <= half_length * square and abs(across) <= half_height * square
        assert is_inside(point, corners_of(rectangle)) is expected
        assert is_inside(point, corners_of(rectangle)[::-1]) is expected


class TestAllAxes:
    @settings(max_examples=cases(500))
    @given(turned(), turned())
    def test_it_is_whether_clipping_leaves_anything(self, a, b) -> None:
        polygon = [(Fraction(x), Fraction(y)) for x, y in corners_of(a)]
        expected = bool(clipped(polygon, corners_of(b)))
        assert overlap_on_all_axes(corners_of(a), corners_of(b)) is expected
        assert overlap_on_all_axes(corners_of(b)[::-1], corners_of(a)) is expected

    @given(turned(), st.integers(0, 3), st.integers(-1, 1))
    def test_touching_is_exact_in_fractions(self, rectangle, corner, step) -> None:
        # A diamond whose corner touches the middle of a side, and diamonds slightly further out and in.
        corners = [(Fraction(x), Fraction(y)) for x, y in corners_of(rectangle)]
        (ax, ay), (bx, by) = corners[corner], corners[(corner + 1) % 4]
        out = (by - ay, ax - bx)
        hair = Fraction(step, 10**40)
        tip = ((ax + bx) / 2 + hair * out[0], (ay + by) / 2 + hair * out[1])
        ways = [
            (0, 0),
            (out[0] - out[1], out[1] + out[0]),
            (2 * out[0], 2 * out[1]),
            (out[0] + out[1], out[1] - out[0]),
        ]
        diamond = [(tip[0] + dx, tip[1] + dy) for dx, dy in ways]
        assert overlap_on_all_axes(corners, diamond) is (step <= 0)

    def test_a_side_without_length_is_refused(self) -> None:
        flat = upright(0, 1, 2, 1).corners
        with pytest.raises(ValueError, match="b must have sides"):
            overlap_on_all_axes(SQUARE.corners, flat)
        with pytest.raises(ValueError, match="a must have sides"):
            overlap_on_all_axes(flat, SQUARE.corners)


class Counted(int):
    """An integer that counts the comparisons in which it is the left operand."""

    made = 0

    def __le__(self, other: int) -> bool:
        Counted.made += 1
        return int(self) <= int(other)

    def __ge__(self, other: int) -> bool:
        Counted.made += 1
        return int(self) >= int(other)

    def __add__(self, other: int) -> Counted:
        return Counted(int(self) + other)


def turned_by_45_degrees(square: Rectangle) -> list[tuple[float, float]]:
    """Rotate a square counter-clockwise about its centre."""
    (left, top), _, (right, bottom), _ = square.corners
    x, y, reach = (left + right) / 2, (bottom + top) / 2, math.sqrt(2) * (right - left) / 2
    return [(x - reach, y), (x, y + reach), (x + reach, y), (x, y - reach)]


class TestMistakes:
    """Named as in the module, which explains the cause of each."""

    def test_third_corner_told_fourth_coded(self) -> None:
        # A slanting p3: the text uses it, down to y = -9, and the code stays at 0.
        slanting = replace(SQUARE, p3=(2, -9))
        below = upright(0, -5, 2, -4)
        assert collide_as_told(slanting, below)
        assert not collide_as_coded(slanting, below)
        # The code does not read these values, so they may be anything.
        odd = Rectangle((0, 2), (2, math.nan), (math.nan, math.nan), (math.nan, 0))
        assert collide_as_coded(odd, upright(1, 1, 3, 3))
        assert not collide_as_coded(odd, upright(3, 1, 5, 3))

    @pytest.mark.parametrize(
        "square",
        [
            Rectangle((2, 2), (0, 2), (0, 0), (2, 0)),  # from the top right corner
            Rectangle((0, 0), (2, 0), (2, 2), (0, 2)),  # from the top left corner, y down
            upright(2, 0, 0, 2),  # of negative width
            upright(0, 2, 2, 0),  # of negative height
        ],
    )
    def test_order_of_corners_is_assumed(self, square: Rectangle) -> None:
        assert not collide_as_coded(square, square)
        # The text does not depend on the direction.
        assert collide_as_told(square, square)

    def test_order_of_corners_is_assumed_and_so_is_its_direction(self) -> None:
        counter_clockwise = Rectangle((0, 2), (0, 0), (2, 0), (2, 2))
        assert not collide_as_coded(counter_clockwise, upright(1, 0, 3, 3))
        assert collide_as_coded(counter_clockwise, upright(-1, 2, 0, 3))

    def test_reversed_one_loses_its_middle(self) -> None:
        wide = upright(9, 0, -9, 2)
        assert not collide_as_coded(wide, SQUARE)
        assert not collide_as_coded(SQUARE, wide)
        assert collide_as_told(wide, SQUARE)
        # With an end inside, it does collide.
        assert collide_as_coded(upright(1, 0, -9, 2), SQUARE)
        assert collide_as_coded(upright(9, 0, 1, 2), SQUARE)

    @pytest.mark.parametrize("rotation", [math.pi / 4, 45])
    def test_rotation_is_never_read(self, rotation: float) -> None:
        beside, at_corner = upright(2.3, 0, 4.3, 2), upright(1.9, 1.9, 3.9, 3.9)
        rotated = replace(SQUARE, rotation=rotation)
        assert not collide_as_coded(rotated, beside)
        assert collide_as_coded(rotated, at_corner)
        assert overlap_on_all_axes(turned_by_45_degrees(SQUARE), beside.corners)
        assert not overlap_on_all_axes(turned_by_45_degrees(SQUARE), at_corner.corners)

    def test_turned_corners_are_misread(self) -> None:
        # A diamond about (0, 0) that reaches to 10. It is treated as the square from (-10, -10) to (0, 0).
        diamond = Rectangle((-10, 0), (0, 10), (10, 0), (0, -10))
        assert not collide_as_coded(diamond, upright(1, 1, 3, 3))
        assert overlap_on_all_axes(diamond.corners, upright(1, 1, 3, 3).corners)
        assert collide_as_coded(diamond, upright(-11, -11, -9, -9))
        assert not overlap_on_all_axes(diamond.corners, upright(-11, -11, -9, -9).corners)
        # Rotated by 90 degrees, only the corner (0, 0) remains.
        quarter = Rectangle((0, 0), (0, 2), (2, 2), (2, 0))
        assert not collide_as_coded(quarter, upright(1, 1, 3, 3))
        assert collide_as_coded(quarter, upright(-1, -1, 0, 0))

    def test_two_axes_are_not_all(self) -> None:
        # Two bars at 45 degrees, 20 long and 2 wide, times the root of two, with a gap of 2 between them.
        bar = [(0, 0), (20, 20), (18, 22), (-2, 2)]
        other = [(x + 4, y - 4) for x, y in bar]
        for axis in (0, 1):
            assert max(p[axis] for p in bar) > min(p[axis] for p in other)
            assert max(p[axis] for p in other) > min(p[axis] for p in bar)
        assert not overlap_on_all_axes(bar, other)
        # With their bounds instead, the page finds a collision.
        assert collide_as_coded(upright(-2, 0, 20, 22), upright(2, -4, 24, 18))

    def test_movement_is_coded_only(self) -> None:
        coming = upright(-5, 0, -3, 2, movement=(4, 0))
        assert collide_as_coded(coming, SQUARE)
        assert not collide_as_told(coming, SQUARE)

    def test_movement_passes_through(self) -> None:
        passing = upright(-5, 0, -3, 2, movement=(10, 0))
        assert not collide_as_coded(passing, SQUARE)
        assert not some_corner_is_inside(passing.corners, SQUARE.corners)
        assert collide_as_coded(replace(passing, movement=(5, 0)), SQUARE)

    @pytest.mark.parametrize("other", [upright(2, 0, 4, 2), upright(0, -3, 2, 0), upright(2, 2, 4, 4)])
    def test_touching_counts(self, other: Rectangle) -> None:
        assert collide_as_coded(SQUARE, other)
        assert collide_as_told(SQUARE, other)

    def test_rounding_decides_a_touch(self) -> None:
        ending = upright(-1.7, 0, 0.3, 2)
        assert not collide_as_coded(ending, upright(0.1, 0, 2.1, 2, movement=(0.2, 0)))
        assert collide_as_coded(ending, upright(0.15, 0, 2.15, 2, movement=(0.15, 0)))
        # In fractions, both touch.
        tenth = Fraction(1, 10)
        ending = upright(-17 * tenth, 0, 3 * tenth, 2)
        assert collide_as_coded(ending, upright(tenth, 0, 21 * tenth, 2, movement=(2 * tenth, 0)))
        assert collide_as_coded(ending, upright(tenth * 3 / 2, 0, 43 * tenth / 2, 2, movement=(tenth * 3 / 2, 0)))

    def test_not_a_number_is_half_seen(self) -> None:
        broken = replace(SQUARE, p1=(math.nan, 2))
        assert collide_as_coded(broken, upright(1, 1, 3, 3))
        assert not collide_as_coded(broken, upright(-1, 1, 1, 3))
        assert not collide_as_coded(replace(SQUARE, movement=(math.nan, 0)), SQUARE)

    @pytest.mark.parametrize(
        ("other", "comparisons"),
        [
            ((5, 5, 7, 7), 6 + 6),  # apart on both axes
            ((-5, 1, -3, 3), 6 + 7),  # apart on x only
            ((1, 1, 3, 3), 7 + 7),
            ((2, 2, 4, 4), 7 + 7),  # touching
            ((1, 1, 2, 3), 8 + 7),  # flush on the right
            ((0, 0, 2, 2), 8 + 8),  # and at the top
        ],
    )
    def test_seventeen_comparisons(self, other: tuple[int, int, int, int], comparisons: int) -> None:
        def counted(left: int, bottom: int, right: int, top: int) -> Rectangle:
            return upright(Counted(left), Counted(bottom), Counted(right), Counted(top))

        Counted.made = 0
        collide_as_coded(counted(0, 0, 2, 2), counted(*other))
        assert Counted.made == comparisons

    @given(whole_bounds(), whole_bounds())
    def test_half_of_the_conditions_are_idle(self, a, b) -> None:
        for low, high in ((0, 2), (1, 3)):
            first, second = b[low] <= a[low] <= b[high], b[low] <= a[high] <= b[high]
            third, fourth = a[low] <= b[low] <= a[high], a[low] <= b[high] <= a[high]
            assert (first or third) == (second or fourth) == (first or second or third or fourth)
            # Two comparisons would be enough.
            assert (first or third) == (a[low] <= b[high] and b[low] <= a[high])

    @given(whole_bounds(), whole_bounds())
    def test_comment_names_the_wrong_corner(self, a, b) -> None:
        # The conditions on y without the third: for the code as commented, the third would repeat the fourth.
        (_, a_low, _, a_high), (_, b_low, _, b_high) = a, b
        rest = [b_low <= a_high <= b_high, b_low <= a_low <= b_high, a_low <= b_low <= a_high]
        assert any(rest) is collide_as_coded(upright(0, a_low, 1, a_high), upright(0, b_low, 1, b_high))

    def test_comment_speaks_of_circles(self) -> None:
        other = upright(1.9, 1.9, 3.9, 3.9)
        assert math.dist((1, 1), (2.9, 2.9)) > 1 + 1
        assert collide_as_coded(SQUARE, other)

    def test_comment_speaks_of_one_point(self) -> None:
        inside_on_both = [
            corner
            for one, other in ((LYING, STANDING), (STANDING, LYING))
            for corner in one.corners
            if other.p1[0] <= corner[0] <= other.p2[0] and other.p4[1] <= corner[1] <= other.p1[1]
        ]
        assert inside_on_both == []
        assert collide_as_coded(LYING, STANDING)

    def test_corners_may_all_be_outside(self) -> None:
        diamond = turned_by_45_degrees(SQUARE)
        assert overlap_on_all_axes(SQUARE.corners, diamond)
        assert not some_corner_is_inside(SQUARE.corners, diamond)
