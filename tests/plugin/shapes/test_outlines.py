"""Outlines against Shapely and fractions: which are refused and why, which vertices are dropped, and the pieces."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
import shapely
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from impinge.errors import ShapeError
from impinge.shapes.outlines import clean_outline
from impinge.shapes.splitting import convex_pieces
from scale import cases

RELATIVE_SLOP, EPS = 1e-9, 2.0**-52


def star(tips, inner=0.5):
    angles = [math.pi * i / tips for i in range(2 * tips)]
    return [((inner, 1.0)[i % 2] * math.cos(a), (inner, 1.0)[i % 2] * math.sin(a)) for i, a in enumerate(angles)]


def comb(teeth):
    vertices = [(0, 0), (2 * teeth - 1, 0)]
    for i in reversed(range(teeth)):
        vertices += [(2 * i + 1, 5), (2 * i, 5)]
        if i:
            vertices += [(2 * i, 1), (2 * i - 1, 1)]
    return vertices


def spiral(count, turns):
    angles = [2 * math.pi * turns * i / (count - 1) for i in range(count)]
    out = [((a + 3) * math.cos(a), (a + 3) * math.sin(a)) for a in angles]
    back = [((a + 1) * math.cos(a), (a + 1) * math.sin(a)) for a in angles]
    return out + back[::-1]


def noisy_round(count, low, seed=0):
    rng = np.random.default_rng(seed)
    angles, radii = np.sort(rng.uniform(0, 2 * math.pi, count)), rng.uniform(low, 1, count)
    return np.column_stack([radii * np.cos(angles), radii * np.sin(angles)]).tolist()


def untangled(points):
    """Return a tour through random points. Reverse stretches of it while that makes it shorter (2-opt)."""
    tour = np.array(points, dtype=float)
    improved = True
    while improved:
        improved = False
        for i in range(len(tour) - 2):
            a, b = tour[i], tour[i + 1]
            last = len(tour) - (i == 0)
            c, d = tour[i + 2 : last], np.roll(tour, -1, axis=0)[i + 2 : last]
            gain = np.hypot(*(b - a)) + np.hypot(*(d - c).T) - np.hypot(*(c - a).T) - np.hypot(*(d - b).T)
            if len(gain) and gain.max() > 1e-9:
                stop = i + 3 + int(gain.argmax())
                tour[i + 1 : stop] = tour[i + 1 : stop][::-1].copy()
                improved = True
    return [tuple(point) for point in tour.tolist()]


# Outlines that Arcade 3.3.3's detailed algorithm traced around pictures that come with it.
ZOMBIE = [
    (-41, -34), (-17, -14), (-25, -7), (-19, 26), (-10, 26), (4, 39), (29, 29), (24, 8), (29, -4), (18, -15),
    (34, -41), (23, -48), (31, -52), (17, -63), (-1, -45), (-18, -64), (-25, -47), (-14, -41), (-15, -29), (-32, -46),
]  # fmt: skip
PALMS = [
    (-113, -120), (-113, -16), (-49, -15), (-53, 64), (-59, 57), (-58, 73), (-66, 64), (-68, 82), (-76, 78), (-63, 92),
    (-67, 100), (-58, 94), (-50, 105), (-49, 99), (-34, 104), (-42, 94), (-32, 95), (-37, 90), (-27, 86), (-34, 85),
    (-29, 82), (-38, 62), (-45, 67), (-44, -16), (-9, -15), (-12, 13), (2, 69), (-2, 66), (-2, 73), (-9, 68), (-3, 81),
    (-8, 85), (-1, 85), (-7, 90), (0, 90), (-1, 97), (6, 91), (15, 96), (29, 92), (19, 88), (27, 78), (20, 78),
    (22, 65), (12, 70), (0, 44), (-7, 12), (-2, -16), (69, -12), (64, 21), (54, 36), (46, 35), (48, 45), (43, 41),
    (42, 45), (47, 50), (38, 52), (39, 59), (53, 58), (49, 66), (69, 62), (74, 44), (64, 42), (72, -12), (112, -16),
    (112, -120),
]  # fmt: skip
ADVENTURER = [
    (-32, -31), (-22, -18), (-26, 2), (-21, 19), (-9, 30), (8, 31), (26, 13), (24, -20), (32, -31), (32, -52),
    (29, -59), (17, -57), (22, -39), (16, -29), (18, -64), (3, -63), (2, -46), (-4, -64), (-18, -64), (-15, -30),
    (-22, -39), (-16, -47), (-18, -59), (-31, -56),
]  # fmt: skip
SHAPES = {
    "arrow": [(0, 0), (4, -3), (1, 0), (4, 3)],
    "star of 5": star(5),
    "star of 40": star(40, 0.9),
    "comb": comb(12),
    "tilted comb": (np.array(comb(12)) @ [[0.6, 0.8], [-0.8, 0.6]]).tolist(),
    "spiral": spiral(60, 3),
    "noisy round": noisy_round(300, 0.5),
    "deep noisy round": noisy_round(300, 0.01),
    "tour": untangled(np.random.default_rng(1).random((200, 2))),
    "tour on a grid": untangled(np.stack(np.meshgrid(range(6), range(6)), -1).reshape(-1, 2)),
    "zombie": ZOMBIE,
    "palms": PALMS,
    "needle": [(0, 0), (1e6, 1e-3), (2e6, 0), (1e6, 2e-3)],
    "notch that all but cuts through": [(0, 0), (4, 0), (4, 4), (2, 1e-7), (0, 4)],
}


def fractions(points):
    return [(Fraction(x), Fraction(y)) for x, y in points]


def cross(a, b, c):
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def around(points):
    return zip(points[-1:] + points[:-1], points, points[1:] + points[:1], strict=True)


def doubled_area(points):
    return sum(a[0] * b[1] - a[1] * b[0] for a, b, _ in around(points))


def inward_corners(outline):
    return sum(cross(a, b, c) < 0 for a, b, c in around(fractions(outline.points)))


def assert_pieces_are_the_polygon(outline):
    """Assert that the pieces are strictly convex, inside, and of the same total area: they cover it without overlap."""
    polygon = shapely.Polygon(outline.points)
    pieces = convex_pieces(outline)
    total = 0
    for piece in pieces:
        corners = fractions(outline.points[k] for k in piece)
        assert all(cross(a, b, c) > 0 for a, b, c in around(corners))
        assert sum(a > b < c for a, b, c in around(corners)) == 1  # left turns, and once around
        total += doubled_area(corners)
    assert total == doubled_area(fractions(outline.points))
    shapes = [shapely.Polygon([outline.points[k] for k in piece]) for piece in pieces]
    small = 1e-9 * polygon.area + 1e-12 * polygon.length * max(map(abs, polygon.bounds))
    shapely.prepare(polygon)  # the difference with 2,000 vertices takes a millisecond, and seldom has to be known
    assert all(polygon.covers(shape) or shape.difference(polygon).area <= small for shape in shapes)
    if len(shapes) <= 60:
        assert all(a.intersection(b).area <= small for i, a in enumerate(shapes) for b in shapes[:i])
    assert shapely.union_all(shapes, grid_size=None).symmetric_difference(polygon).area <= small


@pytest.mark.parametrize("vertices", SHAPES.values(), ids=SHAPES)
def test_pieces_are_convex_and_together_the_polygon(vertices):
    outline = clean_outline(vertices)
    assert_pieces_are_the_polygon(outline)
    assert len(convex_pieces(outline)) <= 2 * inward_corners(outline) + 1  # the bound of Hertel and Mehlhorn


@pytest.mark.parametrize(
    ("name", "most"),
    [
        ("arrow", 2),  # the fewest possible, as for the next two: half of the inward corners and one more
        ("star of 5", 4),
        ("comb", 13),  # the teeth and the back: cut flush with the back, though that makes straight corners
        ("tilted comb", 24),  # the same with corners off the line by rounding: these cannot be left out
        ("zombie", 9),
        ("palms", 36),
        ("spiral", 59),
    ],
)
def test_pieces_are_few(name, most):
    outline = clean_outline(SHAPES[name])
    assert math.ceil(inward_corners(outline) / 2) + 1 <= len(convex_pieces(outline)) <= most


@pytest.mark.parametrize("offset", [0.0, 1e6])
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e6])
@pytest.mark.parametrize("name", ["star of 5", "comb", "spiral", "palms"])
def test_size_and_place_do_not_matter(name, scale, offset):
    vertices = np.array(SHAPES[name]) * scale + offset
    outline = clean_outline(vertices)
    assert set(outline.points) <= {tuple(vertex) for vertex in vertices.tolist()}  # bit for bit
    assert_pieces_are_the_polygon(outline)


@pytest.mark.long
def test_an_outline_of_two_thousand_vertices():
    outline = clean_outline(noisy_round(2000, 0.3))
    assert len(outline.points) == 2000
    assert_pieces_are_the_polygon(outline)


GRID = st.tuples(st.integers(0, 5), st.integers(0, 5))
TOURS = st.lists(GRID, min_size=4, max_size=14, unique=True).map(untangled)


@settings(max_examples=cases(300))
@given(TOURS)
def test_pieces_of_tours_through_a_grid(vertices):
    """Many corners are on one line: straight cuts, straight corners, cuts that would graze a corner."""
    assume(shapely.Polygon(vertices).is_valid)
    outline = clean_outline(vertices)
    assert not any(cross(a, b, c) == 0 for a, b, c in around(list(outline.points)))
    assert_pieces_are_the_polygon(outline)


@settings(max_examples=cases(200))
@given(TOURS, st.integers(0, 2**32))
def test_pieces_of_tours_a_hair_off_a_grid(vertices, seed):
    """Thinner than in any game: slivers of some 1e-13, which the slop only removes on straight edges."""
    hairs = np.random.default_rng(seed).integers(-400, 400, (len(vertices), 2)) * EPS
    try:
        outline = clean_outline(np.array(vertices) + hairs)
    except ShapeError:
        assume(False)
    corners = [[outline.points[k] for k in piece] for piece in convex_pieces(outline)]
    assert all(cross(a, b, c) > 0 for piece in corners for a, b, c in around(fractions(piece)))
    assert sum(doubled_area(fractions(piece)) for piece in corners) == doubled_area(fractions(outline.points))


@settings(max_examples=cases(1500))
@given(st.lists(GRID, min_size=3, max_size=8))
def test_what_shapely_calls_invalid_is_refused_and_nothing_else(vertices):
    """On a small grid most lists cross, touch or double back somewhere."""
    assume(len(set(vertices)) >= 3)
    if shapely.Polygon(vertices).is_valid:
        outline = clean_outline(vertices)
        exact = doubled_area(fractions(vertices))
        assert outline.area == abs(exact) / 2
        assert outline.centroid == pytest.approx(shapely.Polygon(vertices).centroid.coords[0], rel=1e-12)
    else:
        with pytest.raises(ShapeError, match=r"^vertices must (not (cross|touch|double back)|enclose an area)"):
            clean_outline(vertices)


@settings(max_examples=cases(500))
@given(st.integers(0, 2**32), st.integers(4, 10))
def test_a_crossing_is_where_the_message_says(seed, count):
    vertices = np.random.default_rng(seed).random((count, 2)).tolist()
    try:
        clean_outline(vertices)
    except ShapeError as error:
        assert not shapely.Polygon(vertices).is_valid
        numbers = re.fullmatch(
            r"vertices must not cross: the edges from (\d+) and from (\d+) do at \((.*), (.*)\)", str(error)
        )
        one, other = int(numbers[1]), int(numbers[2])
        a, b, c, d = fractions(vertices[k % count] for k in (one, one + 1, other, other + 1))
        assert cross(a, b, c) * cross(a, b, d) < 0 > cross(c, d, a) * cross(c, d, b)
        share = cross(c, d, a) / (cross(c, d, a) - cross(c, d, b))
        exact = [float(a[k] + share * (b[k] - a[k])) for k in (0, 1)]
        assert [float(numbers[3]), float(numbers[4])] == exact
    else:
        assert shapely.Polygon(vertices).is_valid


@settings(max_examples=cases(300))
@given(TOURS, st.integers(0, 13), st.booleans(), st.booleans(), st.integers(0, 2**32))
def test_neither_the_first_vertex_nor_the_winding_matters(vertices, start, backwards, closed, seed):
    hairs = np.random.default_rng(seed).normal(0, [[1e-3], [1e-9]][seed % 2], (len(vertices), 2))
    vertices = (np.array(vertices) + hairs).tolist()
    try:
        first = clean_outline(vertices)
    except ShapeError:
        assume(False)
    other_way = vertices[start % len(vertices) :] + vertices[: start % len(vertices)]
    if backwards:
        other_way.reverse()
    again = clean_outline(other_way + other_way[:closed])
    assert (again.points, again.area, again.centroid) == (first.points, first.area, first.centroid)
    assert again.points == tuple(tuple(other_way[k]) for k in again.indices)
    assert again.points[0] == min(again.points)
    assert doubled_area(fractions(again.points)) > 0
    assert again.is_convex == (inward_corners(again) == 0)


def test_a_convex_outline_is_one_piece_and_kept_to_the_bit():
    hexagon = [(math.cos(k), math.sin(k)) for k in range(6)]
    outline = clean_outline(hexagon[::-1])
    assert outline.is_convex
    assert set(outline.points) == set(hexagon)
    assert convex_pieces(outline) == ((0, 1, 2, 3, 4, 5),)


def test_a_pentagram_turns_left_only_and_is_not_convex():
    """It turns left at each corner, but goes round twice."""
    pentagram = [(math.cos(4 * math.pi * k / 5), math.sin(4 * math.pi * k / 5)) for k in range(5)]
    with pytest.raises(ShapeError, match="must not cross"):
        clean_outline(pentagram)


def test_equal_and_collinear_vertices_are_left_out():
    vertices = [(0, 0), (0, 0), (1, 0), (2, 0), (2, 0), (2, 1), (2, 2), (2, 2), (0, 2), (0, 1), (0, 0), (0, 0)]
    outline = clean_outline(vertices)
    assert outline.points == ((0, 0), (2, 0), (2, 2), (0, 2))
    assert outline.indices == (0, 3, 6, 8)  # of equal vertices the first is kept


def test_vertices_within_the_slop_are_left_out_and_others_are_not():
    """The slop of a unit square is 1e-9: half of it is no corner, twice it is one."""
    square = [(0, 0), (1, 0), (1, 1), (0, 1)]
    assert clean_outline([(0, 0), (0.5, -5e-10), *square[1:]]).points == clean_outline(square).points
    assert len(clean_outline([(0, 0), (5e-10, 0), *square[1:]]).points) == 4
    assert len(clean_outline([(0, 0), (2e-9, -2e-9), *square[1:]]).points) == 5
    assert len(clean_outline([(0, 0), (0.5, -2e-9), *square[1:]]).points) == 5
    assert len(clean_outline([(0, 0), (0.5, 2e-9), *square[1:]]).points) == 5


def test_the_leftmost_vertex_may_be_one_that_is_left_out():
    vertices = [(0, 0), (2, 0), (2, 2), (0, 2), (-1e-10, 1)]
    assert clean_outline(vertices).points == ((0, 0), (2, 0), (2, 2), (0, 2))


def test_errors_of_vertices_left_out_do_not_add_up():
    """An arc of 2,000 vertices, each within the slop of its neighbours' line: dropping all would lose 1000 slops."""
    sag = 1e-6
    arc = [(k / 1000 - 1, -sag * (1 - (k / 1000 - 1) ** 2)) for k in range(2001)]
    vertices = [*arc, (1, 1), (-1, 1)]
    outline = clean_outline(vertices)
    assert 30 < len(outline.points) < 300
    edges = shapely.LinearRing(outline.points)
    slop = RELATIVE_SLOP * (1 + sag) + 8 * EPS
    assert max(edges.distance(shapely.Point(vertex)) for vertex in vertices) <= slop * (1 + 1e-6)


def test_a_straight_edge_of_many_vertices_is_one_edge():
    side = [(float(k), 0.0) for k in range(1000)]
    assert len(clean_outline([*side, (1000, 0), (1000, 7), (0, 7)]).points) == 4


def test_area_and_centroid_lose_nothing_far_away():
    """Relative to the origin, the shoelace formula loses all digits of this triangle's area and centroid."""
    vertices = [(2**26, 2**26), (2**26 + 1, 2**26), (2**26, 2**26 + 3)]
    outline = clean_outline(vertices)
    assert (outline.area, outline.centroid) == (1.5, (2**26 + 1 / 3, 2**26 + 1))


def test_area_and_centroid_of_a_needle():
    """Its area is 1e-12 of its squared length: floats lose all digits of it."""
    vertices = [(0.1, 0.1), (100.3, 100.2), (200.7, 200.1)]
    vertices = [*vertices, (100.3, math.nextafter(100.2, 0) - 1e-6)]
    outline = clean_outline(vertices)
    points = fractions(outline.points)
    exact = doubled_area(points)
    assert outline.area == pytest.approx(float(exact / 2), rel=1e-15)
    moment = sum((a[0] + b[0]) * (a[0] * b[1] - a[1] * b[0]) for a, b, _ in around(points))
    assert outline.centroid[0] == pytest.approx(float(moment / (3 * exact)), rel=1e-15)


SQUARE = [(0, 0), (4, 0), (4, 4), (0, 4)]


@pytest.mark.parametrize(
    ("vertices", "message"),
    [
        (None, r"vertices must have shape \(n, 2\), got \(\)"),
        ("triangle", r"vertices must be an array of numbers of shape \(n, 2\), got 'triangle'"),
        ([("0", "0"), ("1", "0"), ("0", "1")], r"vertices must be an array of numbers"),
        ([(0, 0), (1, 0), (0,)], r"vertices must be an array of numbers of shape \(n, 2\), got \[\(0, 0\), "),
        ([(0, 0), (1, 0), (0, 1j)], r"vertices must be an array of numbers"),
        ([(0, 0), (1, 0), (0, 10**400)], r"vertices must be an array of numbers"),
        ([(0, 0, 0), (1, 0, 0), (0, 1, 0)], r"vertices must have shape \(n, 2\), got \(3, 3\)"),
        ([], r"vertices must have shape \(n, 2\), got \(0,\)"),
        ([(0, 0), (1, math.nan), (0, 1)], r"vertices must be finite and at most 1e\+100 in size, got nan in row 1"),
        ([(0, 0), (1, 0), (-math.inf, 1)], r"got -inf in row 2"),
        ([(0, 0), (1, 0), (2e100, 1)], r"got 2e\+100 in row 2"),
        ([(0, 0), (1, 0), (0, 0)], r"at least three different points, got \[\(0\.0, 0\.0\), \(1\.0, 0\.0\)\]"),
        ([(0, 0), (1e-101, 0), (0, 1e-101)], r"vertices must be at least 1e-100 apart, got a box of 1e-101 by 1e-101"),
        ([(0, 0), (1, 1), (3, 3)], r"enclose an area, got 3 .* the line from \(0\.0, 0\.0\) to \(3\.0, 3\.0\)"),
        ([(0, 0), (3, 3), (1, 1), (2, 2)], r"must not double back, got a spike at vertex 0, \(0\.0, 0\.0\)"),
        ([(0, 0), (1, 1), (0.5, 0.5 + 1e-12)], r"enclose an area, got 3 within 1e-09 of the line"),
        (
            [*SQUARE[:2], (4, 2), (9, 2), (4, 2), *SQUARE[2:]],
            r"must not double back, got a spike at vertex 3, \(9\.0, 2",
        ),
        ([(0, 0), (6, 0), (4, 0), (4, 4), (0, 4)], r"must not double back, got a spike at vertex 1, \(6\.0, 0\.0\)"),
        ([(0, 0), (4, 4), (4, 0), (0, 4)], r"must not cross: the edges from 0 and from 2 do at \(2\.0, 2\.0\)"),
        ([(0, 4), (4, 0), (4, 4), (0, 0)], r"must not cross: the edges from 0 and from 2 do at \(2\.0, 2\.0\)"),
        ([(4, 4), (0, 0), (2, 0), (2, 0), (4, 0), (0, 4)], r"the edges from 0 and from 4 do at \(2\.0, 2\.0\)"),
        ([(4, 0), (4, 4), (0, 0), (0, 4)], r"must not cross: the edges from 1 and from 3 do at \(2\.0, 2\.0\)"),
        ([*SQUARE[:3], (2, 0), SQUARE[3]], r"must not touch: vertex 3 and the edge from 0 do at \(2\.0, 0\.0\)"),
        ([(2, 0), *SQUARE[2::-1], SQUARE[3]], r"must not touch: vertex 0 and the edge from 2 do at \(2\.0, 0\.0\)"),
        ([(0, 0), (4, 0), (2, 2), (4, 4), (0, 4), (2, 2)], r"must not touch: vertex (2|5) and vertex (2|5) do at \(2"),
        ([*SQUARE, (0, 3), (1, 3), (2, 0), (1, 0), (1, 2), (0, 2)], r"must not touch: "),
        ([*SQUARE, (0, 0), (1, 1), (1, 2), (2, 1), (1, 1)], r"must not touch: vertex"),
        (
            ADVENTURER,
            r"must not cross: the edges from 18 and from 20 do at \(-16\.447368421052\d+, -46\.40350877192\d+\)",
        ),
    ],
)
def test_refusals_say_what_is_wrong_and_where(vertices, message):
    with pytest.raises(ShapeError, match=message) as error:
        clean_outline(vertices)
    assert str(error.value).startswith("vertices must ")


def test_any_sequence_of_pairs_will_do():
    plain = clean_outline([(0, 0), (3, 0), (1, 1), (0, 3)])
    rows = [Fraction(0), Fraction(0)], np.array([3, 0], np.int8), (1.0, np.float32(1)), [0, 3]
    for vertices in (np.array([(0, 0), (3, 0), (1, 1), (0, 3)], np.float32), rows, [list(row) for row in rows]):
        assert clean_outline(vertices) == plain
    assert hash(plain) == hash(clean_outline(rows))


def test_there_is_one_zero():
    """With -0.0, equal outlines would differ in their bits."""
    points = clean_outline([(-0.0, -0.0), (1.0, -0.0), (-0.0, 1.0)]).points
    assert all(math.copysign(1.0, value) == 1.0 for point in points for value in point)


def test_corners_that_all_lie_on_two_circles_split_all_the_same():
    """In a ring with a slit, the corners around a cut do not decide which cut is better. Ties must not swap forever."""
    outer = [(5, 0), (4, 3), (3, 4), (0, 5), (-3, 4), (-4, 3), (-5, 0), (-4, -3), (-3, -4), (0, -5), (3, -4), (4, -3)]
    inner = [(2 * x / 5, 2 * y / 5) for x, y in outer]
    outline = clean_outline(outer + inner[::-1])
    assert inward_corners(outline) == 10
    assert_pieces_are_the_polygon(outline)


def test_a_corner_just_on_the_shortest_cut():
    """The shortest cut, from (-1, 0) to (1, 0), goes through (0, 0): the rest would be joined only at a point."""
    outline = clean_outline([(-1, 0), (0, -1), (1, 0), (10, 20), (9, 21), (0, 0), (-9, 21), (-10, 20)])
    assert_pieces_are_the_polygon(outline)


def test_indices_tell_the_callers_order():
    """Indices run backwards through a clockwise list, forwards through a counter-clockwise one."""
    assert clean_outline([(0, 0), (4, 0), (4, 4)]).indices == (0, 1, 2)
    assert clean_outline([(4, 4), (4, 0), (0, 0)]).indices == (2, 1, 0)
    assert all(j == i + 1 for i, j in pairwise(clean_outline(comb(3)).indices))
