"""The published stepping with its mistakes, and the regions and overlaps of quads.

Coordinates are pixels with y down. Results of the stepping are worked out from the published code. Correct results come
from plain geometry or the exact push rule.
"""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from exact_push import ExactBox, ExactMotion, exact_push
from impinge.reference.quads import (
    Edge,
    Overlap,
    Quad,
    Region,
    TwoQuads,
    collision_of_two_quads,
    region_of,
    stepped,
    way_of_overlap,
)
from scale import cases

Point = tuple[float, float]
Pixel = tuple[int, int]

STANDS = ((0, 0), (0, 0))
EIGHT = (8, 8)


def pair(weak: tuple[Point, Point], mighty: tuple[Pixel, Pixel] = STANDS) -> TwoQuads:
    """Return M and W, 8 x 8 each, with their starts and ends."""
    return TwoQuads(
        mighty_size=EIGHT,
        weak_size=EIGHT,
        mighty_start=mighty[0],
        mighty_end=mighty[1],
        weak_start=weak[0],
        weak_goal=weak[1],
    )


WORKED_EXAMPLE = pair(weak=((2, -6), (1, -5)), mighty=((-7, 4), (-4, 1)))


class TestThePublishedStepping:
    def test_the_worked_example_of_the_page(self) -> None:
        # Three steps. The first brings no contact. The other two each set W back by its own (-1/3, 1/3). They then add
        # M's (1, -1), and the -1/3 of W's own motion that does not lead into M.
        end = collision_of_two_quads(WORKED_EXAMPLE)
        assert end.weak_end == pytest.approx((2 - 1 / 3 + 2 * (1 - 1 / 3), -6 + 1 / 3 - 2))
        assert end.weak_end == pytest.approx((3, -7.6667), abs=1e-4)
        assert (end.sides, end.steps) == (Edge.DOWN, 3)
        assert not end.assertion_failed

    def test_with_fine_pixels_the_worked_example_is_that_of_the_push_rule(self) -> None:
        assert stepped(WORKED_EXAMPLE, 5000).weak_end == pytest.approx((2.5, -7), abs=1e-3)

    def test_a_pixel_a_unit_is_the_published_stepping(self) -> None:
        assert stepped(WORKED_EXAMPLE, 1) == collision_of_two_quads(WORKED_EXAMPLE)

    def test_quads_that_stay_on_their_sides_are_left_alone(self) -> None:
        # Point 2: W passes from above M to below it, to its right. The fractional part of its goal is kept.
        end = collision_of_two_quads(pair(weak=((8.5, -20), (30.25, 20))))
        assert (end.weak_end, end.sides, end.fraction) == ((30.25, 20), Edge.NONE, None)

    @pytest.mark.parametrize("size", [(0, 8), (8, -1)])
    def test_a_size_that_is_not_positive_is_refused(self, size: Pixel) -> None:
        with pytest.raises(ValueError, match="mighty_size"):
            replace(WORKED_EXAMPLE, mighty_size=size)
        with pytest.raises(ValueError, match="weak_size"):
            replace(WORKED_EXAMPLE, weak_size=size)

    def test_pixels_per_unit_must_be_positive(self) -> None:
        with pytest.raises(ValueError, match="pixels_per_unit"):
            stepped(WORKED_EXAMPLE, 0)

    @settings(max_examples=cases(50, least=5))
    @given(
        beside=st.integers(-7, 7),
        gap=st.integers(0, 8),
        sideways=st.integers(-12, 12),
        fall=st.integers(0, 12),
        way=st.tuples(st.integers(-12, 12), st.integers(-12, 12)),
    )
    def test_as_pixels_shrink_a_fall_on_a_moving_floor_comes_to_follow_the_push_rule(
        self, beside: int, gap: int, sideways: int, fall: int, way: Pixel
    ) -> None:
        # x overlaps from the start, the two approach in y, and W does not run ahead of the push.
        assume(fall > way[1])
        quads = pair(weak=((beside, -8 - gap), (beside + sideways, fall - 8 - gap)), mighty=((0, 0), way))
        box = ExactBox(Fraction(4), Fraction(4))
        rule = exact_push(
            box,
            ExactMotion((Fraction(0), Fraction(0)), (Fraction(way[0]), Fraction(-way[1]))),
            box,
            (Fraction(beside), Fraction(8 + gap)),
            (Fraction(beside + sideways), Fraction(8 + gap - fall)),
        )
        # Two sides mean that W moved over to the neighbouring face, and it does run ahead of that face's push.
        assume(rule.sides.bit_count() < 2)
        assert stepped(quads, 128).weak_end == pytest.approx((float(rule.x), float(-rule.y)), abs=0.25)


class TestMistakes:
    """Named as in the module, which explains the cause of each."""

    @pytest.mark.parametrize("place", [(5, 0), (-5, 0), (0, 5), (0, -5), (7, 7), (0, 0)])
    def test_inside_is_not_moved_out(self, place: Point) -> None:
        at_rest = collision_of_two_quads(pair(weak=(place, place)))
        assert (at_rest.weak_end, at_rest.fraction) == (place, None)

    def test_inside_is_held(self) -> None:
        leaving = collision_of_two_quads(pair(weak=((5, 0), (12, 0))))
        assert leaving.weak_end == (5, 0)
        assert leaving.assertion_failed
        # M drags W along, whether W is ahead of it or behind it.
        assert collision_of_two_quads(pair(((5, 0), (5, 0)), ((0, 0), (20, 0)))).weak_end == (25, 0)
        assert collision_of_two_quads(pair(((5, 0), (5, 0)), ((0, 0), (-20, 0)))).weak_end == (-15, 0)

    def test_slower_than_a_pixel_walks_through(self) -> None:
        place: Point = (-8, 0)
        for _ in range(18):
            end = collision_of_two_quads(pair(weak=(place, (place[0] + 0.9, 0))))
            assert end.sides is Edge.NONE
            place = end.weak_end
        assert place[0] > 8
        # At one pixel per frame it never gets in.
        assert collision_of_two_quads(pair(weak=((-8, 0), (-7, 0)))).weak_end == (-8, 0)

    def test_fraction_of_the_goal_is_lost(self) -> None:
        assert collision_of_two_quads(pair(weak=((0, -8), (2.9, -7)))).weak_end == pytest.approx((2, -8))

    def test_one_step_too_many(self) -> None:
        # 30 steps of (1/3, 1), clear of M's lower left corner: W is below M before it comes near in x.
        end = collision_of_two_quads(pair(weak=((-12, 0), (-2, 30))))
        assert end.steps == 30
        assert end.weak_end == pytest.approx((-2 + 1 / 3, 30 + 1))

    @pytest.mark.parametrize("goal", [(-8, 0), (-2, 30), (20, 0)])
    def test_fraction_is_always_one(self, goal: Point) -> None:
        # W barely touches M while passing, and stops after a third of the way.
        assert collision_of_two_quads(pair(weak=((-12, 0), goal))).fraction == 1

    def test_sides_are_those_of_the_last_step(self) -> None:
        # The floor supports W in the first four of its twelve steps, so W ends higher than its goal.
        slid_off = collision_of_two_quads(pair(weak=((4, -8), (16, -4))))
        assert slid_off.weak_end[1] == pytest.approx(-5)
        assert slid_off.sides is Edge.NONE
        # A wall that W slides off is reported: there y, which finds the end, is checked after x.
        assert collision_of_two_quads(pair(weak=((-8, 4), (-4, 16)))).sides is Edge.RIGHT

    def test_corner_holds(self) -> None:
        end = collision_of_two_quads(pair(weak=((-9, -9), (-2, -2))))
        assert (end.weak_end, end.sides) == ((-7, -7), Edge.RIGHT | Edge.DOWN)
        # W is inside now, so it is held whatever it does next.
        assert collision_of_two_quads(pair(weak=(end.weak_end, (-20, -7)))).weak_end == (-7, -7)
        # With finer pixels W gets in less deep. But W never slides on, as it does a pixel beside the corner.
        assert stepped(pair(weak=((-9, -9), (-2, -2))), 64).weak_end == pytest.approx((-8, -8), abs=1 / 32)
        assert collision_of_two_quads(pair(weak=((-9, -10), (-2, -3)))).weak_end == (-2, -8)

    def test_corner_pushes_without_a_side(self) -> None:
        end = collision_of_two_quads(pair(weak=((8, 8), (8, 8)), mighty=((0, 0), (4, 4))))
        assert (end.weak_end, end.sides) == ((12, 12), Edge.NONE)

    def test_corner_missed_reports_a_side(self) -> None:
        # M's top right corner passes through W's bottom left one, and the two never share an area.
        end = collision_of_two_quads(pair(weak=((0, 0), (0, 0)), mighty=((-9, 7), (-5, 11))))
        assert (end.weak_end, end.sides) == ((0, 0), Edge.LEFT)

    def test_touch_counts_as_overlap(self) -> None:
        along_the_top = pair(weak=((-12, -8), (6, -8)))
        end = collision_of_two_quads(along_the_top)
        assert (end.weak_end, end.sides) == ((-8, -8), Edge.RIGHT)
        assert collision_of_two_quads(pair(weak=((-12, 8), (6, 8)))).weak_end == (-8, 8)
        # The least fall or rise makes y strict, and then W runs on. Finer pixels do not help.
        assert collision_of_two_quads(pair(weak=((-12, -8), (6, -9)))).sides is Edge.NONE
        assert stepped(along_the_top, 64).weak_end == (-8, -8)

    def test_less_than_a_pixel_is_missed(self) -> None:
        # W lies on the floor with its last half pixel, and with its first.
        assert collision_of_two_quads(pair(weak=((-7.5, -8), (-7.5, -4)))).weak_end == (-7.5, -4)
        right_end = pair(weak=((-0.5, -8), (-0.5, -4)), mighty=((-8, 0), (-8, 0)))
        assert collision_of_two_quads(right_end).weak_end == (-0.5, -4)
        # Left of x = 0 the same truncation rounds the other way.
        on_the_left = pair(weak=((-15.5, -8), (-15.5, -4)), mighty=((-8, 0), (-8, 0)))
        assert collision_of_two_quads(on_the_left).weak_end == (-15.5, -8)

    def test_ahead_of_the_push_is_carried_in_part(self) -> None:
        # W touches M's right face and moves right at a third of M's speed. Two pushes take it 2/3 of a pixel ahead, and
        # M catches up in one step. So W is carried in two steps of three.
        ahead = pair(weak=((8, 4), (18, 4)), mighty=((0, 0), (30, 30)))
        assert collision_of_two_quads(ahead).weak_end == pytest.approx((38, 4 + 20))
        # A resting W is carried all the way, and finer pixels change neither result.
        assert collision_of_two_quads(replace(ahead, weak_goal=(8, 4))).weak_end == pytest.approx((38, 34))
        assert stepped(ahead, 16).weak_end == pytest.approx((38, 24), abs=1 / 4)

    def test_ahead_of_the_push_meets_a_phantom(self) -> None:
        # M pushes W down. M is as wide as W, and W moves 6 to the right with nothing on its right.
        ahead = pair(weak=((0, 8), (6, 18)), mighty=((0, 0), (0, 40)))
        end = collision_of_two_quads(ahead)
        assert end.weak_end == pytest.approx((3, 48))
        assert end.sides is Edge.RIGHT
        assert collision_of_two_quads(replace(ahead, weak_goal=(6, 8))).weak_end == pytest.approx((6, 48))

    def test_stops_short(self) -> None:
        # A gap of three closes by two per step. The second step would overlap by one, so W goes back to a gap of one.
        end = collision_of_two_quads(pair(weak=((-11, 0), (-6, 0)), mighty=((0, 0), (-5, 0))))
        assert -5 - (end.weak_end[0] + 8) == 1

    def test_rounding_decides_a_touch(self) -> None:
        # W ends at -11, where its right side would touch M at -3: the sum of three thirds is slightly larger.
        touching = pair(weak=((-12, 0), (-11, 0)), mighty=((0, 0), (-3, 0)))
        assert collision_of_two_quads(touching).weak_end == pytest.approx((-11 - 4 / 3, 0))
        aside = pair(weak=((-8, 0), (-7, 0)), mighty=((4, 0), (1, 0)))
        assert collision_of_two_quads(aside).weak_end == pytest.approx((-7, 0))

    @given(sticky=st.sampled_from(Edge), passable=st.sampled_from(Edge))
    def test_three_fields_do_nothing(self, sticky: Edge, passable: Edge) -> None:
        end = collision_of_two_quads(replace(WORKED_EXAMPLE, sticky=sticky, passable=passable))
        assert end == collision_of_two_quads(WORKED_EXAMPLE)
        assert end.stuck is Edge.NONE


class TestRegions:
    @pytest.mark.parametrize(
        ("number", "region", "point"),
        [
            (0, Region.ABOVE_LEFT, (-1, -1)),
            (1, Region.ABOVE, (4, -1)),
            (2, Region.ABOVE_RIGHT, (9, -1)),
            (3, Region.LEFT, (-1, 4)),
            (4, Region.INSIDE, (4, 4)),
            (5, Region.RIGHT, (9, 4)),
            (6, Region.BELOW_LEFT, (-1, 9)),
            (7, Region.BELOW, (4, 9)),
            (8, Region.BELOW_RIGHT, (9, 9)),
        ],
    )
    def test_nine_regions_numbered_as_on_the_page(self, number: int, region: Region, point: Point) -> None:
        assert region_of(point, Quad(0, 0, 8, 8)) is region
        assert region == number

    @pytest.mark.parametrize(
        ("point", "region"),
        [
            ((0, 4), Region.LEFT),
            ((8, 4), Region.RIGHT),
            ((4, 0), Region.ABOVE),
            ((4, 8), Region.BELOW),
            ((0, 0), Region.ABOVE_LEFT),
            ((8, 8), Region.BELOW_RIGHT),
        ],
    )
    def test_the_border_is_outside(self, point: Point, region: Region) -> None:
        assert region_of(point, Quad(0, 0, 8, 8)) is region


SMALL = st.integers(0, 6)
QUADS = st.builds(Quad, SMALL, SMALL, st.integers(1, 6), st.integers(1, 6))


def pixels(quad: Quad) -> set[Pixel]:
    left, top, width, height = int(quad.x), int(quad.y), int(quad.width), int(quad.height)
    return {(x, y) for x in range(left, left + width) for y in range(top, top + height)}


def corner_pixels(quad: Quad) -> list[Pixel]:
    left, top = int(quad.x), int(quad.y)
    right, bottom = left + int(quad.width) - 1, top + int(quad.height) - 1
    return [(left, top), (right, top), (left, bottom), (right, bottom)]


class TestFiveWaysOfOverlap:
    def test_figure_1_no_intersection(self) -> None:
        assert way_of_overlap(Quad(0, 0, 5, 3), Quad(8, 4, 6, 3)) is Overlap.NONE

    def test_figure_2_by_a_corner(self) -> None:
        assert way_of_overlap(Quad(0, 0, 5, 3), Quad(3, 2, 6, 3)) is Overlap.CORNER

    def test_figure_3_by_two_points(self) -> None:
        assert way_of_overlap(Quad(0, 0, 11, 3), Quad(3, 2, 6, 3)) is Overlap.SIDE

    def test_figure_4_a_cross(self) -> None:
        # The page's warning: neither quad has a corner in the other.
        wide, tall = Quad(0, 1, 11, 3), Quad(3, 0, 6, 5)
        assert way_of_overlap(wide, tall) is Overlap.CROSS
        for one, other in ((wide, tall), (tall, wide)):
            for x in (one.x, one.x + one.width):
                for y in (one.y, one.y + one.height):
                    assert region_of((x, y), other) is not Region.INSIDE

    def test_figure_5_one_inside_the_other(self) -> None:
        assert way_of_overlap(Quad(0, 0, 10, 7), Quad(2, 1, 6, 5)) is Overlap.INSIDE

    @pytest.mark.parametrize("other", [Quad(8, 0, 8, 8), Quad(0, -8, 8, 8), Quad(8, 8, 8, 8)])
    def test_touching_is_not_overlap(self, other: Quad) -> None:
        assert way_of_overlap(Quad(0, 0, 8, 8), other) is Overlap.NONE

    @pytest.mark.parametrize(
        ("other", "way"),
        [
            (Quad(0, 0, 8, 8), Overlap.INSIDE),  # equal
            (Quad(0, 2, 8, 4), Overlap.INSIDE),  # as wide, and less high
            (Quad(3, 0, 8, 8), Overlap.SIDE),  # as high, moved sideways
            (Quad(0, -2, 4, 12), Overlap.SIDE),  # a cross, except that the left sides are flush
        ],
    )
    def test_a_corner_on_the_border_of_an_overlap_counts(self, other: Quad, way: Overlap) -> None:
        assert way_of_overlap(Quad(0, 0, 8, 8), other) is way

    @given(QUADS, QUADS)
    def test_it_is_what_counting_corner_pixels_says(self, a: Quad, b: Quad) -> None:
        # A corner is in the other quad if the pixel that fills it is.
        if not pixels(a) & pixels(b):
            expected = Overlap.NONE
        else:
            in_b = sum(pixel in pixels(b) for pixel in corner_pixels(a))
            in_a = sum(pixel in pixels(a) for pixel in corner_pixels(b))
            ways = {0: Overlap.CROSS, 1: Overlap.CORNER, 2: Overlap.SIDE, 4: Overlap.INSIDE}
            expected = ways[max(in_a, in_b)]
        assert way_of_overlap(a, b) is expected

    @given(QUADS, QUADS)
    def test_the_order_does_not_matter(self, a: Quad, b: Quad) -> None:
        assert way_of_overlap(a, b) is way_of_overlap(b, a)

    @given(QUADS, QUADS)
    def test_inside_means_that_one_holds_all_of_the_other(self, a: Quad, b: Quad) -> None:
        holds_all = pixels(a) <= pixels(b) or pixels(b) <= pixels(a)
        assert (way_of_overlap(a, b) is Overlap.INSIDE) == holds_all
