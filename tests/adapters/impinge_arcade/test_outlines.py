"""The area that a self-intersecting outline encloses. The oracle is Shapely: all faces between the outline's edges."""

from __future__ import annotations

import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from impinge import Polygon
from impinge_arcade.outlines import enclosed
from scale import cases

Point = tuple[float, float]

# Coarse coordinates make corners meet corners, and edges run along edges.
coarse = st.integers(-4, 4).map(float)
fine = st.floats(-100, 100).map(lambda number: round(number, 3))
outlines = st.one_of(
    st.lists(st.tuples(coarse, coarse), min_size=1, max_size=14),
    st.lists(st.tuples(fine, fine), min_size=3, max_size=10),
)


def inside_of(outline: list[Point]) -> shapely.Geometry:
    """Return all points that have no path to infinity without crossing the outline."""
    if len(set(outline)) < 2:
        return shapely.Polygon()
    faces = shapely.polygonize([shapely.node(shapely.LineString([*outline, outline[0]]))])
    union = shapely.union_all(shapely.get_parts(faces))
    return shapely.union_all([shapely.Polygon(part.exterior) for part in shapely.get_parts(union)])


@settings(max_examples=cases(300))
@given(outlines)
def test_it_is_all_that_the_outline_goes_around(outline: list[Point]) -> None:
    expected = inside_of(outline)
    loops = [shapely.Polygon(loop) for loop in enclosed(outline)]
    assert all(loop.is_valid and loop.exterior.is_ccw for loop in loops)
    found = shapely.union_all(loops)
    assert found.symmetric_difference(expected).area <= 1e-9 * (1 + expected.area)
    # The loops do not overlap each other.
    assert abs(sum(loop.area for loop in loops) - found.area) <= 1e-9 * (1 + found.area)


def test_two_halves_that_hang_together_by_a_point_are_two() -> None:
    bow_tie: list[Point] = [(-2, -1), (2, 1), (2, -1), (-2, 1)]
    assert sorted(shapely.Polygon(loop).area for loop in enclosed(bow_tie)) == [2, 2]


def test_a_hole_is_filled() -> None:
    """The inner and outer outline of a frame are joined by a slit. Its hole counts as filled."""
    frame: list[Point] = [(0, 0), (9, 0), (9, 9), (0, 9), (0, 0), (3, 3), (3, 6), (6, 6), (6, 3), (3, 3)]
    assert sum(shapely.Polygon(loop).area for loop in enclosed(frame)) == 81


def test_what_goes_there_and_back_encloses_nothing() -> None:
    assert enclosed([(0, 0), (3, 1), (5, 7), (3, 1)]) == []
    assert enclosed([(1, 1)]) == enclosed([(1, 1), (1, 1)]) == enclosed([]) == []


def test_a_spike_of_a_traced_picture() -> None:
    """The detailed outline of Arcade's own malePerson_idle goes up a spike and back down to the spike's foot."""
    foot: list[Point] = [(-18, -64), (18, -64), (18, 40), (-18, 40), (-18, -36), (-30, -36), (-18, -36)]
    (loop,) = enclosed(foot)
    assert Polygon(loop).area == 36 * 104
