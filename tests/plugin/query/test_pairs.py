"""Two solids: named cases, and exact arithmetic where possible. Random solids against Shapely have their own module."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from functools import lru_cache

import mpmath
import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

import impinge as im
from exact_solids import meet, squared_distance
from impinge import Box, Capsule, Circle, Compound, Polygon, Pose
from scale import cases, some
from shapely_solids import COMB, EPSILON, HOOK, HOURGLASS, SPIRAL

ORIGIN = Pose(0, 0)
QUARTER = math.pi / 2
PLANK = Box(10, 2)
NOTCHED = Polygon([(0, 0), (6, 0), (6, 6), (4, 6), (4, 2), (2, 2), (2, 6), (0, 6)])
KINDS = {
    "box": Box(2, 3),
    "circle": Circle(1),
    "capsule": Capsule((-1, 0), (1, 1), 0.5),
    "segment": Capsule((-1, 0), (1, 1)),
    "polygon": Polygon([(0, 0), (2, 0), (1, 2)]),
    "concave polygon": NOTCHED,
    "rounded polygon": Polygon([(0, 0), (2, 0), (1, 2)], 0.25),
    "compound": Compound([(Box(2, 2), Pose(0, 0)), (Circle(1), Pose(2, 0, 1.0))]),
}


def nearly(value, tolerance=1e-12):
    return pytest.approx(value, rel=0, abs=tolerance)


def all_answers(a, pose_a, b, pose_b):
    return im.overlaps(a, pose_a, b, pose_b), im.distance(a, pose_a, b, pose_b), im.contact(a, pose_a, b, pose_b)


# Named cases.


def test_a_cross_has_no_corner_inside_the_other():
    """The published counter-example: two planks cross, and every corner is outside the other plank."""
    for angle in (QUARTER, math.pi / 4, 1.0):
        crossing = Pose(0, 0, angle)
        cos, sin = math.cos(angle), math.sin(angle)
        corners = [(x, y) for x in (-5, 5) for y in (-1, 1)]
        assert not any(PLANK.contains((cos * x - sin * y, sin * x + cos * y)) for x, y in corners)
        assert not any(PLANK.contains(corner, crossing) for corner in corners)
        assert im.overlaps(PLANK, ORIGIN, PLANK, crossing)
    # The shortest way out of a square cross is along either plank.
    assert im.distance(PLANK, ORIGIN, PLANK, Pose(0, 0, QUARTER)).distance == nearly(-6)


@pytest.mark.parametrize("angle", [0.0, 0.3, QUARTER])
@pytest.mark.parametrize("place", [0.0, 1000.1, 1e6])
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_what_only_touches_counts_only_with_touching(angle, place, scale):
    """Flush tiles, at any place and of any size, do not overlap. A thousandth of their size nearer, they do."""
    tile, ball, slope = Box(2 * scale, 2 * scale), Circle(scale), Polygon([(-scale, 0), (scale, 0), (0, 3 * scale)])
    cos, sin = math.cos(angle), math.sin(angle)
    for a, b, (x, y) in ((tile, tile, (2, 0.5)), (tile, ball, (2, 0)), (ball, ball, (0, 2)), (slope, tile, (0.3, -1))):
        for nearer, expected in ((1.0, False), (1 - 1e-3, True)):
            across, up = scale * x * nearer, scale * y * nearer
            there = Pose(place + cos * across - sin * up, place + sin * across + cos * up, angle)
            assert im.overlaps(a, Pose(place, place, angle), b, there)
            assert im.overlaps(a, Pose(place, place, angle), b, there, include_touching=False) is expected
            assert im.overlaps(b, there, a, Pose(place, place, angle), include_touching=False) is expected


@pytest.mark.parametrize(("a", "b"), list(itertools.product(KINDS, repeat=2)))
def test_without_touching_to_overlap_is_to_have_a_depth(a, b):
    """`distance` uses another method, and is itself tested against exact arithmetic and Shapely."""
    rng = np.random.default_rng(0)
    for _ in range(40):
        there = Pose(*rng.uniform(-6, 6, 2), rng.choice([0.0, rng.uniform(-4, 4)]))
        distance = im.distance(KINDS[a], ORIGIN, KINDS[b], there).distance
        if abs(distance) > 1e-6:
            assert im.overlaps(KINDS[a], ORIGIN, KINDS[b], there, include_touching=False) is (distance < 0)


def test_the_arguments_are_checked_without_touching():
    with pytest.raises(im.ShapeError, match=r"^b must be a solid shape"):
        im.overlaps(PLANK, ORIGIN, 3, ORIGIN, include_touching=False)
    with pytest.raises(im.ShapeError, match=r"^pose_b must be a Pose"):
        im.overlaps(PLANK, ORIGIN, PLANK, (0, 0), include_touching=False)
    for value in (None, 0, "no"):
        with pytest.raises(im.ShapeError, match=rf"^include_touching must be True or False, got {value!r}"):
            im.overlaps(PLANK, ORIGIN, PLANK, ORIGIN, include_touching=value)


@pytest.mark.parametrize(("gap", "overlaps"), [(-1e-3, True), (0.0, True), (1e-3, False)])
def test_a_square_on_its_corner_reaches_half_its_diagonal(gap, overlaps):
    """Its bounds, and the circle around it, overlap the other square long before it does."""
    square, turned = Box(2, 2), math.pi / 4
    pose = Pose(1 + math.sqrt(2) + gap, 0.25, turned)
    found, separation, contact = all_answers(square, ORIGIN, square, pose)
    assert found is overlaps
    assert separation.distance == nearly(gap)
    assert (contact is not None) is overlaps
    # Corner to corner, both squares standing on their corners.
    apart = Pose(2 + gap, 2 + gap, turned)
    assert im.overlaps(square, Pose(0, 0, turned), square, Pose(2 * math.sqrt(2) + gap, 0, turned)) is overlaps
    # Side by side, where only the bounds overlap.
    assert not im.overlaps(square, Pose(0, 0, turned), square, apart)
    assert im.distance(square, Pose(0, 0, turned), square, apart).distance == nearly(math.hypot(2 + gap, 2 + gap) - 2)


def test_what_is_in_a_notch_is_not_in_the_solid():
    probe = Circle(1e-3)
    assert not im.overlaps(NOTCHED, ORIGIN, probe, Pose(3, 2.5))
    assert im.distance(NOTCHED, ORIGIN, probe, Pose(3, 2.5)).distance == nearly(0.499)
    assert im.contact(NOTCHED, ORIGIN, probe, Pose(3, 2.5)) is None
    assert im.overlaps(NOTCHED, ORIGIN, probe, Pose(1, 5))
    # The convex hull would overlap.
    assert im.overlaps(Polygon([(0, 0), (6, 0), (6, 6), (0, 6)]), ORIGIN, probe, Pose(3, 2.5))


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e6])
@pytest.mark.parametrize("offset", [0.0, 1e6])
@pytest.mark.parametrize("kind", ["boxes", "circles", "turned boxes", "a box and a circle", "a large and a small box"])
def test_what_is_within_the_slop_touches_and_what_is_not_does_not(kind, size, offset):
    """The slop is 1e-9 of the smaller extent, plus eight units in the last place of the largest coordinate."""
    quarter = math.pi / 4
    a, b, angle, reach, extent = {
        "boxes": (Box(size, 3 * size), Box(2 * size, size), 0.0, 1.5 * size, size),
        "circles": (Circle(size), Circle(2 * size), 0.0, 3 * size, 2 * size),
        "turned boxes": (Box(size, size), Box(size, size), quarter, math.sqrt(2) * size, size),
        "a box and a circle": (Box(size, size), Circle(size), 0.0, 1.5 * size, size),
        "a large and a small box": (Box(1000 * size, size), Box(size, size), 0.0, 500.5 * size, size),
    }[kind]
    slop = 1e-9 * extent + 8 * EPSILON * offset
    for share, answer in ((-1.0, True), (0.0, True), (0.5, True), (2.5, False), (1e3, False)):
        # Rounding of the coordinates adds to the slop, and also moves the solids by as much.
        near = Pose(offset + reach + share * (slop + 8 * EPSILON * 1000 * size), offset, angle)
        found, separation, contact = all_answers(a, Pose(offset, offset, angle), b, near)
        assert found is answer, share
        assert (contact is not None) is answer, share
        assert abs(separation.distance) <= (abs(share) + 0.1) * (slop + 8 * EPSILON * 1000 * size) + EPSILON * offset


@pytest.mark.parametrize(("a", "b"), [(a, b) for a in KINDS for b in KINDS])
def test_solids_a_million_units_apart(a, b):
    a, b = KINDS[a], KINDS[b]
    found, separation, contact = all_answers(a, Pose(0, 0, 0.3), b, Pose(1e6, -1e6, 2.0))
    assert (found, contact) == (False, None)
    assert separation.distance == pytest.approx(1e6 * math.sqrt(2), abs=12)
    assert separation.normal == nearly((math.sqrt(0.5), -math.sqrt(0.5)), 1e-4)
    assert a.contains(separation.point_a, Pose(0, 0, 0.3))
    assert b.contains(separation.point_b, Pose(1e6, -1e6, 2.0))


SEGMENT = Capsule((0, 0), (4, 0))


@pytest.mark.parametrize(
    ("pose", "distance"),
    [
        (Pose(2, -2, QUARTER), -2.0),  # they cross in the middle
        (Pose(3, -2.5, QUARTER), -1.0),
        (Pose(4, 0, QUARTER), 0.0),  # end to end, across
        (Pose(2, 0, QUARTER), 0.0),  # a T
        (Pose(4, 0), 0.0),  # end to end, in line
        (Pose(2, 0), 0.0),  # in line, half overlapping
        (Pose(0, 0), 0.0),
        (Pose(0, 0, math.pi), 0.0),
        (Pose(5, 0), 1.0),  # in line and apart
        (Pose(-7, 0), 3.0),
        (Pose(2, 1), 1.0),  # side by side
        (Pose(4, 1), 1.0),
        (Pose(5, 1), math.sqrt(2)),
        (Pose(-5, 1), math.sqrt(2)),
        (Pose(9, 2, math.pi), math.sqrt(5)),
        (Pose(5, -1, QUARTER), 1.0),
    ],
)
@pytest.mark.parametrize("turn", [0.0, QUARTER, 1.0])
def test_segments(pose, distance, turn):
    """Side by side or in line, the walk around both turned back before the far end of the second one."""
    cos, sin = math.cos(turn), math.sin(turn)
    place = Pose(cos * pose.x - sin * pose.y, sin * pose.x + cos * pose.y, pose.angle + turn)
    for arguments in ((SEGMENT, Pose(0, 0, turn), SEGMENT, place), (SEGMENT, place, SEGMENT, Pose(0, 0, turn))):
        found, separation, contact = all_answers(*arguments)
        assert separation.distance == nearly(distance, 1e-9)
        assert found is (distance <= 0.0)
        assert (contact is not None) is found


@pytest.mark.parametrize("radius", [0.0, 0.25])
@pytest.mark.parametrize("turn", [0.0, QUARTER, 1.0])
def test_a_capsule_parallel_to_the_sides_of_a_box(turn, radius):
    """The capsule's two sides have opposite normals: neither comes first until the normals of the box are sorted in."""
    box = Box(2, 2)
    capsule = Capsule((0, 0), (4, 0), radius)
    cos, sin = math.cos(turn), math.sin(turn)
    for x, y in itertools.product((-3, -1, 0, 2, 4, 5, 6, 7), (-3, -1, 0, 1, 2)):
        place = Pose(cos * x - sin * y, sin * x + cos * y, turn)
        apart = math.hypot(max(x - 5, -1 - x, 0), max(abs(y) - 1, 0))
        ways = (1 + y, 1 - y, 1 + x, 5 - x)
        # The shortest way is square to a side, or along the capsule into the middle. The way out round a corner is also
        # one.
        depth = min(ways) + radius
        for arguments in ((capsule, Pose(0, 0, turn), box, place), (box, place, capsule, Pose(0, 0, turn))):
            found, separation, _ = all_answers(*arguments)
            assert found is (apart <= radius), (x, y)
            assert separation.distance == nearly(-depth if apart == 0 else apart - radius, 1e-9), (x, y)


# Circles and upright boxes against exact fractions; every float is one.

magnitudes = st.floats(1e-3, 1e6)
places = st.floats(-1e6, 1e6) | st.floats(-1e-3, 1e-3) | st.just(0.0)


@settings(max_examples=cases(1000))
@given(
    radii=st.tuples(magnitudes, magnitudes),
    a=st.tuples(places, places),
    b=st.tuples(places, places),
    near=st.booleans(),
)
def test_circles_are_those_of_the_school_book(radii, a, b, near):
    if near:  # close to a contact
        angle = a[0]
        b = (a[0] + sum(radii) * math.cos(angle), a[1] + sum(radii) * math.sin(angle))
    one, other, pose, other_pose = Circle(radii[0]), Circle(radii[1]), Pose(*a), Pose(*b)
    found, separation, contact = all_answers(one, pose, other, other_pose)
    squared = sum((Fraction(v) - Fraction(u)) ** 2 for u, v in zip(a, b, strict=True))
    reach = Fraction(radii[0]) + Fraction(radii[1])
    coordinate = max(max(map(abs, a)) + radii[0], max(map(abs, b)) + radii[1])
    slop = 1e-9 * 2 * min(radii) + 8 * EPSILON * coordinate
    if squared <= reach**2:
        assert found
    elif squared > (reach + Fraction(1.01 * slop)) ** 2:
        assert not found
    assert (contact is not None) is found
    with mpmath.workdps(50):
        exact = mpmath.sqrt(mpmath.mpf(squared.numerator) / squared.denominator) - mpmath.mpf(radii[0]) - radii[1]
        # Rounding may merge distinct centres: sixteen units in the last place, and four for the sum.
        assert abs(separation.distance - exact) <= 20 * EPSILON * (math.sqrt(squared) + sum(radii))
    if math.sqrt(squared) > 1e-6 * coordinate:
        assert separation.normal == nearly(tuple((v - u) / math.sqrt(squared) for u, v in zip(a, b, strict=True)), 1e-8)
    if contact is not None:
        assert len(contact.points) == 1
        assert contact.depth == max(-separation.distance, 0.0)
        assert contact.depths[0] == nearly(contact.depth, 20 * EPSILON * (math.sqrt(squared) + sum(radii)))


@pytest.mark.parametrize("scale", [2.0**-10, 1.0, 2.0**17])
@pytest.mark.parametrize(("x", "y", "length"), [(3, 4, 5), (5, 12, 13), (20, 21, 29), (-8, 15, 17)])
def test_circles_touch_to_the_last_place(x, y, length, scale):
    """The distance of the centres is exact: the circles touch, and one unit in the last place changes nothing."""
    one, other = Circle(2 * scale), Circle((length - 2) * scale)
    pose = Pose(x * scale, y * scale)
    assert im.overlaps(one, ORIGIN, other, pose)
    assert im.distance(one, ORIGIN, other, pose).distance == 0.0
    assert im.contact(one, ORIGIN, other, pose).depth == 0.0
    assert im.contact(one, ORIGIN, other, pose).points[0] == nearly(
        (2 * scale * x / length, 2 * scale * y / length), 1e-9
    )
    larger, smaller = (Circle(math.nextafter(other.radius, limit)) for limit in (math.inf, 0.0))
    assert im.overlaps(one, ORIGIN, larger, pose)
    assert im.overlaps(one, ORIGIN, smaller, pose)
    assert not im.overlaps(one, ORIGIN, Circle(other.radius * (1 - 1e-7)), pose)


def test_circles_around_one_centre_part_to_the_left():
    separation = im.distance(Circle(3), Pose(1e6, 5), Circle(2), Pose(1e6, 5))
    assert (separation.distance, separation.normal) == (-5.0, (-1.0, 0.0))
    assert separation.point_a == (1e6 - 3, 5)
    assert separation.point_b == (1e6 + 2, 5)


quarters = st.integers(-40, 40).map(lambda number: number / 4)
extents = st.integers(1, 40).map(lambda number: number / 4)


@settings(max_examples=cases(1500))
@given(
    sizes=st.tuples(extents, extents, extents, extents),
    a=st.tuples(quarters, quarters),
    b=st.tuples(quarters, quarters),
)
def test_upright_boxes_are_their_projections(sizes, a, b):
    """On quarters everything is exact, so results must be equal."""
    one, other = Box(*sizes[:2]), Box(*sizes[2:])
    found, separation, contact = all_answers(one, Pose(*a), other, Pose(*b))
    low_a, high_a, low_b, high_b = (
        [Fraction(place) + sign * Fraction(size) / 2 for place, size in zip(pose, box, strict=True)]
        for pose, box in ((a, sizes[:2]), (b, sizes[2:]))
        for sign in (-1, 1)
    )
    # The distances from a to b to the left, the right, down and up.
    ways = [low_a[0] - high_b[0], low_b[0] - high_a[0], low_a[1] - high_b[1], low_b[1] - high_a[1]]
    gaps = [max(ways[:2]), max(ways[2:])]
    assert found is (max(gaps) <= 0)
    exact = math.sqrt(gaps[0] ** 2 + gaps[1] ** 2) if min(gaps) > 0 else float(max(gaps))
    assert separation.distance == nearly(exact)
    best = [index for index, way in enumerate(ways) if way == max(ways)]
    normals = [(-1.0, 0.0), (1.0, 0.0), (0.0, -1.0), (0.0, 1.0)]
    if max(gaps) < 0:
        assert separation.normal in [normals[index] for index in best]
    if contact is None:
        return
    assert contact.depth == -max(gaps)
    assert separation.normal == contact.normal
    if max(gaps) == 0 and min(gaps) == 0:
        # Corner on corner.
        assert contact.points == (
            (a[0] + (b[0] > a[0] or -1) * sizes[0] / 2, a[1] + (b[1] > a[1] or -1) * sizes[1] / 2),
        )
        return
    axis = normals.index(contact.normal) // 2
    middle = {0: low_a[0] + high_b[0], 1: high_a[0] + low_b[0], 2: low_a[1] + high_b[1], 3: high_a[1] + low_b[1]}
    across = 1 - axis
    ends = [max(low_a[across], low_b[across]), min(high_a[across], high_b[across])]
    expected = [(middle[normals.index(contact.normal)] / 2, end) for end in ends]
    expected = sorted(tuple(map(float, point if axis == 0 else point[::-1])) for point in expected)
    assert [nearly(point) for point in expected] == sorted(contact.points)
    assert contact.depths == nearly((contact.depth, contact.depth))


# Polygons on a grid of integers against the exact oracle.

OUTLINES = {
    "square": [(0, 0), (4, 0), (4, 4), (0, 4)],
    "triangle": [(0, 0), (5, 1), (2, 4)],
    "octagon": [(1, 0), (3, 0), (4, 1), (4, 3), (3, 4), (1, 4), (0, 3), (0, 1)],
    "comb": COMB,
    "spiral": SPIRAL,
    "hook": HOOK,
    "hourglass": HOURGLASS,
    "arrow": [(0, 0), (4, -3), (1, 0), (4, 3)],
}


solid = lru_cache(len(OUTLINES))(Polygon)


def assert_exact(one, other, dx=0, dy=0):
    """Compare with the oracle; on a small grid no pair is almost touching."""
    there = [(x + dx, y + dy) for x, y in other]
    found, separation, contact = all_answers(solid(tuple(one)), ORIGIN, solid(tuple(other)), Pose(dx, dy))
    exact = meet(one, there)
    assert found is exact, (one, there)
    assert (contact is not None) is exact
    if exact:
        assert separation.distance <= 1e-9
    else:
        assert separation.distance == nearly(math.sqrt(squared_distance(one, there)))


@pytest.mark.parametrize(("a", "b"), some([(a, b) for a in OUTLINES for b in OUTLINES if a <= b], least=8))
def test_outlines_on_a_grid_meet_where_exact_arithmetic_says_so(a, b):
    """All cases occur: vertex on vertex, vertex on edge, edge along edge, one in a notch or the inside of the other."""
    for dx in range(-10, 11, 2):
        for dy in range(-9, 10, 2):
            assert_exact(OUTLINES[a], OUTLINES[b], dx, dy)


grid_points = st.tuples(st.integers(-4, 4), st.integers(-4, 4))


@st.composite
def grid_outlines(draw):
    """Draw points on a grid, sorted by direction from a centre off the grid, if they form a simple polygon."""
    points = draw(st.lists(grid_points, min_size=3, max_size=8, unique=True))
    points.sort(key=lambda point: math.atan2(point[1] - 0.31, point[0] + 0.17))
    outline = shapely.Polygon(points)
    if not (outline.is_valid and outline.area > 0):
        return [(0, 0), (3, 0), (1, 2)]
    return points


@settings(max_examples=cases(700))
@given(one=grid_outlines(), other=grid_outlines(), dx=st.integers(-6, 6), dy=st.integers(-6, 6))
def test_any_outlines_on_a_grid_meet_where_exact_arithmetic_says_so(one, other, dx, dy):
    assert_exact(one, other, dx, dy)


@pytest.mark.parametrize(
    ("other", "dx", "dy", "touching"),
    [
        ("square", 4, 4, True),  # vertex on vertex
        ("triangle", 4, 2, True),  # vertex on edge
        ("square", 4, 1, True),  # edge along edge
        ("square", 4, -4, True),
        ("square", 5, 5, False),
        ("square", 0, 0, True),  # the same square
        ("octagon", 0, 0, True),  # edges shared, and inside
    ],
)
def test_grid_cases_by_name(other, dx, dy, touching):
    assert im.overlaps(Polygon(OUTLINES["square"]), ORIGIN, Polygon(OUTLINES[other]), Pose(dx, dy)) is touching
    assert_exact(OUTLINES["square"], OUTLINES[other], dx, dy)


def test_one_inside_the_other_overlaps_though_no_edges_cross():
    assert_exact([(0, 0), (20, 0), (20, 20), (0, 20)], SPIRAL, 5, 5)
    assert im.overlaps(Polygon(SPIRAL), Pose(5, 5), Box(40, 40), Pose(10, 10))
    assert im.overlaps(NOTCHED, ORIGIN, Circle(0.25), Pose(3, 1))


# Contacts.


def assert_contact(found, normal, depth, points, depths, tolerance=1e-12):
    assert found is not None
    assert found.normal == nearly(normal, tolerance)
    assert found.depth == nearly(depth, tolerance)
    pairs = sorted(zip(found.points, found.depths, strict=True))
    expected = sorted(zip(points, depths, strict=True))
    assert len(pairs) == len(expected)
    for (point, deep), (wanted, wanted_deep) in zip(pairs, expected, strict=True):
        assert point == nearly(wanted, tolerance)
        assert deep == nearly(wanted_deep, tolerance)


def test_a_crate_on_a_table_stands_on_the_ends_of_its_edge():
    found = im.contact(PLANK, ORIGIN, Box(2, 2), Pose(4, 1.75))
    assert_contact(found, (0, 1), 0.25, [(3, 0.875), (5, 0.875)], [0.25, 0.25])
    over_the_edge = im.contact(PLANK, ORIGIN, Box(2, 2), Pose(5.5, 2))
    assert_contact(over_the_edge, (0, 1), 0.0, [(4.5, 1), (5, 1)], [0, 0])


def test_a_box_on_its_corner_stands_on_it():
    found = im.contact(Box(10, 2), ORIGIN, Box(2, 2), Pose(1, 1 + math.sqrt(2) - 0.125, math.pi / 4))
    assert_contact(found, (0, 1), 0.125, [(1, 1 - 0.0625)], [0.125])


@pytest.mark.parametrize("turn", [0.0, 0.5, 2.0])
def test_a_table_stands_on_both_legs(turn):
    table = Compound([(Box(8, 1), Pose(0, 3.5)), (Box(1, 3), Pose(-3, 1.5)), (Box(1, 3), Pose(3, 1.5))])
    floor = Box(20, 2)
    cos, sin = math.cos(turn), math.sin(turn)

    def turned(x, y):
        return cos * x - sin * y, sin * x + cos * y

    found = im.contact(floor, Pose(*turned(0, -1), turn), table, Pose(*turned(0.5, -0.25), turn))
    assert_contact(found, turned(0, 1), 0.25, [turned(-3, -0.125), turned(4, -0.125)], [0.25, 0.25], 1e-9)


@pytest.mark.parametrize(("angle", "points"), [(0.0, 2), (math.pi, 2), (0.1, 1), (QUARTER, 1)])
def test_a_capsule_lies_on_two_points_and_leans_on_one(angle, points):
    capsule = Capsule((-3, 0), (3, 0), 1)
    lift = 3 * abs(math.sin(angle))
    found = im.contact(Box(20, 2), ORIGIN, capsule, Pose(0, 1.875 + lift, angle))
    assert len(found.points) == points
    assert found.normal == nearly((0, 1), 1e-9)
    assert found.depth == nearly(0.125, 1e-9)
    if points == 2:
        assert_contact(found, (0, 1), 0.125, [(-3, 1 - 0.0625), (3, 1 - 0.0625)], [0.125, 0.125], 1e-9)


def test_a_circle_touches_in_one_point():
    found = im.contact(Box(4, 4), ORIGIN, Circle(1), Pose(2.5, 1))
    assert_contact(found, (1, 0), 0.5, [(1.75, 1)], [0.5])
    corner = im.contact(Box(2, 2), ORIGIN, Circle(5), Pose(4, 5))
    assert_contact(corner, (0.6, 0.8), 0.0, [(1, 1)], [0])


def test_a_tilted_box_pressed_in_has_two_depths():
    """The lower corner is pressed in deeper, by the height to which the tilt lifts the other corner."""
    tilt = 0.01
    lowest = math.cos(tilt) + math.sin(tilt)
    found = im.contact(Box(20, 2), ORIGIN, Box(2, 2), Pose(0, 1 + lowest - 0.1, tilt))
    assert found.normal == nearly((0, 1))
    assert found.depth == nearly(0.1)
    assert sorted(found.depths) == nearly([0.1 - 2 * math.sin(tilt), 0.1])
    for (x, y), depth in zip(found.points, found.depths, strict=True):
        assert y == nearly(1 - depth / 2)
        deep = depth > 0.09
        # Its bottom corners, at (-1, -1) and (1, -1) in its own frame.
        assert x == nearly(math.cos(tilt) * (-1 if deep else 1) + math.sin(tilt))


def test_vertex_on_vertex_is_one_point():
    found = im.contact(Polygon([(0, 0), (4, 1), (4, -1)]), Pose(0, 0), Polygon([(0, 0), (-4, 1), (-4, -1)]), ORIGIN)
    assert (found.depth, found.points, found.depths) == (0.0, ((0.0, 0.0),), (0.0,))
    square = im.contact(Box(2, 2), ORIGIN, Box(2, 2), Pose(2, 2))
    assert (square.depth, square.points) == (0.0, ((1.0, 1.0),))


@settings(max_examples=cases(200))
@given(
    turn=st.floats(-10, 10),
    place=st.tuples(st.floats(-1e3, 1e3), st.floats(-1e3, 1e3)),
    shift=st.floats(-5.5, 5.5),
    depth=st.floats(0, 0.5),
)
def test_edges_that_are_parallel_at_any_angle_touch_along_what_they_share(turn, place, shift, depth):
    cos, sin = math.cos(turn), math.sin(turn)

    def turned(x, y):
        return place[0] + cos * x - sin * y, place[1] + sin * x + cos * y

    found = im.contact(PLANK, Pose(*place, turn), Box(2, 2), Pose(*turned(shift, 2 - depth), turn))
    ends = max(-5, shift - 1), min(5, shift + 1)
    points = sorted(turned(end, 1 - depth / 2) for end in ends)
    assert found.normal == nearly((-sin, cos), 1e-9)
    assert found.depth == nearly(depth, 1e-9)
    assert len(found.points) == 2
    # Rounding decides the order of two points with the same x.
    assert any(np.allclose(order, points, rtol=0, atol=1e-9) for order in (found.points, found.points[::-1]))
    assert found.depths == nearly((depth, depth), 1e-9)


@pytest.mark.parametrize("reach", [10.0, 1e2, 1e3, 1e4, 1e6])
def test_a_crate_stands_on_a_turned_table_wherever_that_is(reach):
    """Rounding sinks one into the other by about one rounding unit.

    Of two edges on one line, only one was then tested. With positions up to a thousand, one pair in a thousand was 4 or
    6 apart.
    """
    count = cases(50_000)
    rng = np.random.default_rng(0)
    turn, shift = rng.uniform(-10, 10, count), rng.uniform(-5.5, 5.5, count)
    places = rng.uniform(-reach, reach, (count, 2))
    cos, sin = np.cos(turn), np.sin(turn)
    tables = np.column_stack([places, turn])
    crates = np.column_stack([places[:, 0] + cos * shift - sin * 2, places[:, 1] + sin * shift + cos * 2, turn])
    solids = im.batch.Solids([PLANK] * count + [Box(2, 2)] * count)
    pairs = np.arange(2 * count).reshape(2, -1).T
    poses = np.vstack([tables, crates])
    assert im.batch.overlaps(solids, poses, pairs).all()
    np.testing.assert_allclose(im.batch.distance(solids, poses, pairs).distances, 0.0, atol=1e-12 + 4 * EPSILON * reach)
    contacts = im.batch.contact(solids, poses, pairs)
    assert (contacts.counts == 2).all()
    apart = np.diff(contacts.points, axis=1)[:, 0]
    shared = np.minimum(shift + 1, 5) - np.maximum(shift - 1, -5)
    np.testing.assert_allclose(np.hypot(*apart.T), shared, rtol=0, atol=1e-9 + 16 * EPSILON * reach)


# Refusals.


@pytest.mark.parametrize("question", [im.overlaps, im.distance, im.contact])
@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (0, "box", "a must be a solid shape .* got 'box'"),
        (0, Pose(0, 0), "a must be a solid shape"),
        (2, None, "b must be a solid shape .* got None"),
        (2, Box(1, 1).pieces, "b must be a solid shape"),
        (1, (0, 0), r"pose_a must be a Pose, got \(0, 0\)"),
        (3, None, "pose_b must be a Pose, got None"),
        (3, im.Motion.still(ORIGIN), "pose_b must be a Pose, got Motion"),
    ],
)
def test_a_question_refuses_what_is_no_solid_or_pose(question, place, value, message):
    arguments = [Box(1, 1), ORIGIN, Circle(1), ORIGIN]
    arguments[place] = value
    with pytest.raises(im.ShapeError, match=f"^{message}"):
        question(*arguments)


def test_answers_are_values():
    separations = [im.distance(Box(1, 1), ORIGIN, Circle(1), Pose(5, 0)) for _ in range(2)]
    assert separations[0] == separations[1]
    assert len(set(separations)) == 1
    with pytest.raises(AttributeError):
        separations[0].distance = 3.0
    contact = im.contact(Box(1, 1), ORIGIN, Circle(1), ORIGIN)
    assert hash(contact) == hash(im.contact(Box(1, 1), ORIGIN, Circle(1), ORIGIN))
    with pytest.raises(AttributeError):
        contact.depth = 3.0


TURNED = [0.0, QUARTER, math.pi, -math.pi, 1.5 * math.pi, 2 * math.pi]


@pytest.mark.parametrize(
    "b", [Box(2, 10), Box(0.1, 8), Polygon([(-1, -4), (1, -4), (1, 4)]), Capsule((-1, 0), (1, 0), 0.5)]
)
@pytest.mark.parametrize("a", [Capsule((-1, 0), (1, 0)), Capsule((0, -1), (0, 1)), Capsule((-1, 0), (1, 0), 0.5)])
def test_level_edges_that_rounding_has_tilted(a, b):
    """Rotated by pi, a level edge has a normal that is 1e-16 off, and was taken to point down instead of up.

    The walk then began one edge off: a segment in a box, both rotated by pi, was 5 apart instead of 2 deep. The same
    pair rotated by another angle has no level edges.
    """
    other = 0.7345
    cos, sin = math.cos(other), math.sin(other)
    for turn_a, turn_b in itertools.product(TURNED, TURNED):
        for x, y in ((0.0, 0.0), (0.3, 0.0), (0.0, 0.3)):
            pose_a, pose_b = Pose(0, 0, turn_a), Pose(x, y, turn_b)
            wanted = im.distance(
                a, Pose(0, 0, turn_a + other), b, Pose(x * cos - y * sin, x * sin + y * cos, turn_b + other)
            ).distance
            assert im.distance(a, pose_a, b, pose_b).distance == nearly(wanted, 1e-9)
            assert im.distance(b, pose_b, a, pose_a).distance == nearly(wanted, 1e-9)
            assert im.overlaps(a, pose_a, b, pose_b) == (im.contact(a, pose_a, b, pose_b) is not None)


@pytest.mark.parametrize("value", [im.Circle, "circle", None, 5])
def test_what_is_no_solid_is_refused_also_if_it_is_the_class_of_one(value):
    for question in (im.overlaps, im.distance, im.contact):
        with pytest.raises(im.ShapeError, match=r"^b must be a solid shape"):
            question(Circle(1), Pose(0, 0), value, Pose(0, 0))


def test_numbers_whose_products_leave_the_range_of_floats_are_refused():
    """A circle of 1e160 did not overlap itself, and the distance of two far poses was not a number."""
    with pytest.raises(im.ShapeError, match=r"^radius must be from 1e-100 to 1e\+100, got 1e\+160"):
        Circle(1e160)
    with pytest.raises(im.ShapeError, match=r"^width must be from 1e-100"):
        Box(5e-324, 1)
    with pytest.raises(im.ShapeError, match=r"^x must be at most 1e\+100 in size, got -1.7e\+308"):
        Pose(-1.7e308, 0)
    assert im.distance(Circle(1e99), Pose(-1e100, 0), Circle(1e99), Pose(1e100, 0)).distance == nearly(1.8e100, 1e85)


@pytest.mark.parametrize("value", ["12", b"12", {1, 2}, {1: 2, 3: 4}])
def test_texts_and_sets_are_no_points(value):
    with pytest.raises(im.ShapeError, match=r"^a must be two numbers"):
        Capsule(value, (5, 5))
    with pytest.raises(im.ShapeError, match=r"^x must be a number"):
        Pose(value, 0)


def test_a_segment_across_the_end_of_an_edge():
    """Rounding had put the segment a trillionth beyond the end of the edge, so a quarter of it was cut off.

    The point on it was 227 away from where both are nearest.
    """
    pill = Capsule((-3000, 0), (3000, 0), 1000)
    wedge = Polygon([(0, 0), (4000, 0), (0, 3000)])
    found = im.distance(pill, Pose(4642.976881894796, 3000, math.pi), wedge, Pose(0, -1000, QUARTER))
    assert found.distance == nearly(642.976881894796, 1e-9)
    assert found.point_b[0] - found.point_a[0] == nearly(-642.976881894796, 1e-9)


def test_points_are_given_for_circles_in_one_place():
    """After separation, neither circle touched within the slop: the points were uninitialised memory."""
    eyes = Compound([(Circle(1e6), Pose(0, 0))] * 2)
    wedge = Polygon([(0, 0), (4e6, 0), (0, 3e6)])
    found = im.contact(eyes, Pose(1000000.000001, 1e6), wedge, Pose(1e6, 1e6, 1e-9))
    assert max(found.depths) == nearly(found.depth, 1e-2)
    assert all(math.hypot(x - 1e6, y - 1e6) < 2e6 for x, y in found.points)
