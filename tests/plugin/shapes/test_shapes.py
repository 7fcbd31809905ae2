"""Shapes: measures, contents and errors. Oracles: closed forms, Shapely, and exact fractions for `contains`."""

from __future__ import annotations

import copy
import dataclasses
import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
import shapely
import shapely.affinity
from hypothesis import given, settings
from hypothesis import strategies as st

import impinge as im
from exact_solids import holds
from impinge import Bounds, Box, Capsule, Circle, Compound, Polygon, Pose
from scale import cases
from shapely_solids import COMB, HOOK, HOURGLASS, KINDS, SPIRAL, random_solid, whole

# Edges per quarter circle, and how far they are inside the circle at most, as a share of the radius.
QUAD_SEGS = 64
SAGITTA = 1.0 - math.cos(math.pi / 4 / QUAD_SEGS)
# The area that a circle has in addition to that polygon, as a share of its own.
MISSING = 1.0 - math.sin(math.pi / 2 / QUAD_SEGS) / (math.pi / 2 / QUAD_SEGS)
OUTLINES = [COMB, SPIRAL, HOOK, HOURGLASS, [(0, 0), (4, -3), (1, 0), (4, 3)], [(0, 0), (5, 1), (2, 4)]]
SOLIDS = [
    Box(4, 2),
    Circle(3),
    Capsule((-1, 0), (3, 2), 0.5),
    Capsule((-1, 0), (3, 2)),
    Polygon(COMB),
    Polygon(HOOK, 0.25),
    Compound([(Box(4, 2), Pose(1, 1, 0.5)), (Circle(1), Pose(-2, 0))]),
    Compound([(Compound([(Polygon(HOOK), Pose(1, 0, 1.0))]), Pose(0, 2, -2.0)), (Capsule((0, 0), (1, 1)), Pose(3, 3))]),
]
names = [f"{type(solid).__name__} {index}" for index, solid in enumerate(SOLIDS)]
solids = pytest.mark.parametrize("solid", SOLIDS, ids=names)


def nearly(value, tolerance=1e-12):
    return pytest.approx(value, rel=0, abs=tolerance)


def test_measures_in_closed_form():
    assert Box(4, 3).area == 12
    assert Circle(2).area == nearly(4 * math.pi)
    assert Capsule((0, 0), (3, 4), 2).area == nearly(20 + 4 * math.pi)
    assert Capsule((0, 0), (3, 4)).area == 0
    assert Capsule((1, 1), (1, 1), 2).area == nearly(4 * math.pi)
    assert Polygon([(0, 0), (4, 0), (0, 3)]).area == nearly(6)
    assert Polygon([(0, 0), (4, 0), (0, 3)]).centroid == nearly((4 / 3, 1))
    assert Polygon([(0, 0), (4, 0), (0, 3)], 0.5).area == nearly(6 + 12 * 0.5 + math.pi / 4)
    assert Capsule((0, 0), (3, 4), 2).centroid == Capsule((0, 0), (3, 4)).centroid == (1.5, 2)
    assert Box(4, 3).centroid == Circle(2).centroid == (0, 0)


def test_what_parts_share_counts_once():
    """Two unit disks, a unit apart, overlap in a lens of known area."""
    lens = 2 * math.pi / 3 - math.sqrt(3) / 2
    disks = Compound([(Circle(1), Pose(0, 0)), (Circle(1), Pose(1, 0))])
    assert disks.area == nearly(2 * math.pi - lens, 1e-9)
    assert disks.centroid == nearly((0.5, 0), 1e-9)
    assert Compound([(Box(2, 2), Pose(0, 0))] * 3).area == nearly(4)
    assert Compound([(Box(2, 2), Pose(0, 0)), (Circle(1), Pose(0, 0))]).area == nearly(4)
    # Parts that do not touch: the centroid is between them.
    assert Compound([(Box(2, 2), Pose(-5, 0)), (Box(2, 6), Pose(5, 0))]).centroid == nearly((2.5, 0))


@pytest.mark.parametrize("kind", KINDS)
def test_area_centroid_and_bounds_are_those_of_shapely(kind):
    """Shapely's arcs are polygons inside the circles, so its areas are too small by the difference."""
    rng = np.random.default_rng(KINDS.index(kind))
    for _ in range(40):
        solid, pose = random_solid(rng, kind, 3.0), Pose(*rng.uniform(-5, 5, 2), rng.uniform(-4, 4))
        geometry = whole(solid, quad_segs=QUAD_SEGS)
        size = math.dist(geometry.bounds[:2], geometry.bounds[2:])
        is_round = "circle" in kind or "capsule" in kind or "rounded" in kind or kind == "compound"
        left_out = 4 * MISSING * size**2 if is_round else 0.0
        assert geometry.area - 1e-9 <= solid.area <= geometry.area + left_out + 1e-9
        if geometry.area > 0.0:
            centre = geometry.centroid
            lever = 1e-9 + left_out * size / geometry.area
            assert solid.centroid == nearly((centre.x, centre.y), lever)
        placed = whole(solid, pose, QUAD_SEGS).bounds
        off = 1e-9 + (SAGITTA * size if is_round else 0.0)
        assert solid.bounds(pose) == nearly(Bounds(*placed), off)
        assert solid.bounds() == nearly(Bounds(*geometry.bounds), off)
        assert solid.bounds() == solid.bounds(Pose(0, 0))


def test_bounds_have_names():
    bounds = Polygon([(0, 0), (4, -3), (1, 0), (4, 3)], 0.5).bounds(Pose(10, 20))
    assert bounds == Bounds(left=9.5, bottom=16.5, right=14.5, top=23.5)
    assert Box(2, 4).bounds(Pose(0, 0, math.pi / 2)) == nearly(Bounds(-2, -1, 2, 1))


@pytest.mark.parametrize("outline", OUTLINES)
def test_contains_on_a_grid_is_exact(outline):
    """Every corner, many points on edges, and points in line with them."""
    polygon = Polygon(outline)
    for x2 in range(-2, 22):
        for y2 in range(-8, 20):
            point = Fraction(x2, 2), Fraction(y2, 2)
            assert polygon.contains((x2 / 2, y2 / 2)) is holds(outline, point), point
            # The same for a posed polygon, rotated by a quarter turn and moved.
            place = (5 - y2 / 2, 3 + x2 / 2)
            assert polygon.contains(place, Pose(5, 3, math.pi / 2)) is holds(outline, point), point


@pytest.mark.parametrize("kind", KINDS)
def test_contains_says_what_shapely_says(kind):
    rng = np.random.default_rng(50 + KINDS.index(kind))
    seen = set()
    for _ in range(60):
        solid, pose = random_solid(rng, kind, 3.0), Pose(*rng.uniform(-5, 5, 2), rng.uniform(-4, 4))
        geometry = whole(solid, pose, 256)
        left, bottom, right, top = geometry.bounds
        points = rng.uniform((left, bottom), (right, top), (40, 2))
        borders = shapely.boundary(shapely.get_parts(geometry))
        is_clear = shapely.distance(borders[:, None], shapely.points(points)).min(axis=0) > 1e-3
        for point, expected in zip(points[is_clear], shapely.contains_xy(geometry, points[is_clear]), strict=True):
            answer = solid.contains(tuple(point), pose)
            assert answer is bool(expected)
            seen.add(answer)
    assert seen == ({False} if kind == "segment" else {True, False})


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e6])
def test_the_border_is_in_the_solid_within_the_slop(size):
    """The slop is 1e-9 of the extent; a point has none."""
    turn = Pose(0, 0, 0.3)
    cos, sin = math.cos(0.3), math.sin(0.3)
    for share, answer in ((1 - 1e-7, True), (1.0, True), (1 + 4e-10, True), (1 + 1e-8, False)):
        assert Circle(size).contains((size * share * 0.6, size * share * 0.8)) is answer
        assert Box(size, 4 * size).contains((0.5 * size * share, size)) is answer
        along = 0.5 * size * share
        assert Box(size, 4 * size).contains((along * cos, along * sin), turn) is answer
        assert Capsule((0, 0), (size, 0), size).contains((size, size * share)) is answer
    assert Capsule((0, 0), (2 * size, size)).contains((size, size / 2))


def test_a_far_away_solid_contains_what_is_in_it():
    box, pose = Box(1, 1), Pose(1e6, -1e6, 1e-3)
    assert box.contains((1e6 + 0.499, -1e6), pose)
    assert not box.contains((1e6 + 0.501, -1e6), pose)
    assert not box.contains((0, 0), pose)
    assert not box.contains((1e100, 1e100), pose)


# Scaling.

factors = st.floats(0.1, 10) | st.floats(-10, -0.1)


@solids
@pytest.mark.parametrize("scale", [2, -0.5, (3, 3), (-2, 2), (2, -2), (-1, -1)])
def test_equal_factors_scale_every_shape(solid, scale):
    sx, sy = scale if isinstance(scale, tuple) else (scale, scale)
    scaled = solid.transformed(scale)
    assert type(scaled) is type(solid)
    wanted = shapely.affinity.scale(whole(solid), sx, sy, origin=(0, 0))
    assert whole(scaled).hausdorff_distance(wanted) < 1e-9 + 3 * SAGITTA * abs(sx)
    assert scaled.area == nearly(solid.area * sx**2, 1e-9)
    x, y = solid.centroid
    assert scaled.centroid == nearly((sx * x, sy * y), 1e-9)


@settings(max_examples=cases(100))
@given(sx=factors, sy=factors, angle=st.floats(-7, 7), inner=st.floats(-7, 7))
def test_unequal_factors_shear_turned_parts(sx, sy, angle, inner):
    """A box that is rotated in its compound becomes a parallelogram."""
    nested = Compound([(Box(2, 1), Pose(1, 0, inner)), (Polygon(HOOK), Pose(-2, 3))])
    for solid in (
        Compound([(Box(4, 2), Pose(1, 2, angle)), (nested, Pose(0, -3, angle))]),
        Compound([(Capsule((0, 0), (2, 1)), Pose(3, 3, angle))]),
    ):
        scaled = solid.transformed((sx, sy))
        wanted = shapely.affinity.scale(whole(solid), sx, sy, origin=(0, 0))
        # Use covers: GEOS gets areas of differences wrong where two outlines are equal except for the last place.
        assert whole(scaled).buffer(1e-9).covers(wanted)
        assert wanted.buffer(1e-9).covers(whole(scaled))
        assert scaled.area == pytest.approx(wanted.area, rel=1e-9)


@pytest.mark.parametrize("scale", [(2, -3), (0.5, 1), (-4, 1)])
def test_unequal_factors_stretch_what_is_not_round(scale):
    sx, sy = scale
    assert Box(4, 2).transformed(scale) == Box(4 * abs(sx), 2 * abs(sy))
    assert Capsule((1, 2), (3, -4)).transformed(scale) == Capsule((sx, 2 * sy), (3 * sx, -4 * sy))
    wanted = shapely.affinity.scale(shapely.Polygon(COMB), sx, sy, origin=(0, 0))
    assert whole(Polygon(COMB).transformed(scale)).symmetric_difference(wanted).area < 1e-9


@pytest.mark.parametrize(
    "solid",
    [
        Circle(1),
        Capsule((0, 0), (1, 0), 0.5),
        Polygon(COMB, 0.5),
        Compound([(Box(1, 1), Pose(0, 0)), (Circle(1), Pose(0, 0))]),
        Compound([(Capsule((0, 0), (1, 0), 0.5), Pose(0, 0, 1.0))]),
    ],
)
def test_what_is_round_stays_so(solid):
    with pytest.raises(
        im.ShapeError, match=r"^scale must be the same on both axes for a shape with a radius, got \(1(\.0)?, 2(\.0)?\)"
    ):
        solid.transformed((1, 2))


@solids
@pytest.mark.parametrize(
    ("scale", "message"),
    [
        (0, "scale must not be zero, got 0"),
        ((1, 0), r"scale must not be zero, got \(1, 0\)"),
        (math.nan, "scale must be finite, got nan"),
        ((math.inf, math.inf), r"scale\[0\] must be finite, got inf"),
        ("large", r"scale must be two numbers \(x, y\), got 'large'"),
        ((1, 2, 3), "scale must be two numbers"),
        (None, "scale must be a number, got None"),
    ],
)
def test_a_scale_that_is_none_is_refused(solid, scale, message):
    with pytest.raises(im.ShapeError, match=f"^{message}"):
        solid.transformed(scale)


# Composition of polygons.

TRIANGLE = [(0, 0), (4, 0), (0, 3)]


@pytest.mark.parametrize(
    "vertices",
    [
        TRIANGLE,
        tuple(TRIANGLE),
        np.array(TRIANGLE),
        np.array(TRIANGLE, np.float32),
        [[0, 0], [4, 0], [0, 3]],
        [np.array([0, 0]), np.array([4, 0]), np.array([0, 3])],
        iter(TRIANGLE),
        (vertex for vertex in TRIANGLE),
    ],
    ids=["list", "tuple", "array", "single precision", "lists", "arrays", "iterator", "generator"],
)
def test_vertices_come_in_all_containers(vertices):
    polygon = Polygon(vertices)
    assert polygon == Polygon(TRIANGLE)
    assert polygon.vertices == ((0.0, 0.0), (4.0, 0.0), (0.0, 3.0))
    assert all(type(value) is float for vertex in polygon.vertices for value in vertex)


def test_the_array_of_vertices_is_not_kept():
    vertices = np.array(TRIANGLE, float)
    polygon = Polygon(vertices)
    vertices[0] = 9
    assert polygon.vertices[0] == (0, 0)
    assert polygon.area == 6


def test_the_outline_has_one_form():
    clockwise = [(2, 2), (2, 0), (1, 0), (0, 0), (0, 2), (2, 2)]
    assert Polygon(clockwise).outline == Polygon([(0, 0), (2, 0), (2, 2), (0, 2)]).outline
    assert Polygon(clockwise).outline == ((0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0))
    assert Polygon(clockwise).is_convex
    assert not Polygon(COMB).is_convex
    assert not Polygon(COMB, 3).is_convex


@pytest.mark.parametrize("outline", OUTLINES)
def test_the_pieces_are_convex_and_cover_the_polygon_once(outline):
    pieces = [shapely.Polygon(piece.points) for piece in Polygon(outline).pieces]
    assert all(piece.exterior.is_ccw for piece in pieces)
    assert all(piece.area == pytest.approx(piece.convex_hull.area, rel=1e-12) for piece in pieces)
    assert sum(piece.area for piece in pieces) == pytest.approx(shapely.Polygon(outline).area, rel=1e-12)
    assert shapely.union_all(pieces).symmetric_difference(shapely.Polygon(outline)).area < 1e-12


# Refused arguments.

NUMBERS = [math.nan, math.inf, -math.inf, -1, "wide", None, 10**400]


@pytest.mark.parametrize("value", [*NUMBERS, 0])
def test_sizes_are_positive(value):
    for make, name in (
        (lambda: Circle(value), "radius"),
        (lambda: Box(value, 1), "width"),
        (lambda: Box(1, value), "height"),
    ):
        with pytest.raises(im.ShapeError, match=rf"^{name} must be .* got ") as error:
            make()
        assert repr(value) in str(error.value)


@pytest.mark.parametrize("value", NUMBERS)
def test_radii_are_not_negative(value):
    for make in (lambda: Capsule((0, 0), (1, 0), value), lambda: Polygon(TRIANGLE, value)):
        with pytest.raises(im.ShapeError, match=r"^radius must be .* got ") as error:
            make()
        assert repr(value) in str(error.value)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Capsule(1, (0, 0)), r"a must be two numbers \(x, y\), got 1"),
        (lambda: Capsule((0, 0), (0, 0, 0)), r"b must be two numbers \(x, y\), got \(0, 0, 0\)"),
        (lambda: Capsule((0, math.nan), (0, 0)), r"a\[1\] must be finite, got nan"),
        (lambda: Capsule((0, 0), (math.inf, 0)), r"b\[0\] must be finite, got inf"),
        (lambda: Capsule((0, 0), ("x", 0)), r"b\[0\] must be a number, got 'x'"),
        (lambda: Capsule((2, 1), (2, 1)), "radius must be positive where a and b coincide, got 0.0"),
        (lambda: Polygon("outline"), "vertices must be an array of numbers"),
        (lambda: Polygon(None), "vertices must"),
        (lambda: Polygon(5), "vertices must have shape"),
        (lambda: Polygon([(0, 0), (1, 0, 0)]), "vertices must be an array of numbers"),
        (lambda: Polygon([0, 1, 2]), r"vertices must have shape \(n, 2\), got \(3,\)"),
        (lambda: Polygon([]), "vertices must"),
        (lambda: Polygon([(0, 0), (1, 1)]), "vertices must be at least three different points"),
        (lambda: Polygon([(0, 0), (1, 1), (0, 0), (1, 1)]), "vertices must be at least three different points"),
        (lambda: Polygon([(0, 0), (1, 1), (2, 2)]), "vertices must enclose an area"),
        (lambda: Polygon([(0, 0), (1, math.nan), (2, 0)]), "vertices must be finite .* got nan in row 1"),
        (lambda: Polygon([(0, 0), (2, 2), (2, 0), (0, 2)]), "vertices must not cross"),
        (lambda: Polygon([(0, 0), (4, 0), (4, 4), (2, 0), (0, 4)]), "vertices must not touch"),
        (lambda: Compound([]), r"parts must be pairs of a shape and a Pose, at least one, got \[\]"),
        (lambda: Compound(None), "parts must be pairs .* got None"),
        (lambda: Compound(5), "parts must be pairs .* got 5"),
        (lambda: Compound([Box(1, 1)]), "parts must be pairs of a shape and a Pose, got Box"),
        (lambda: Compound([(Box(1, 1), (0, 0))]), "parts must be pairs of a shape and a Pose, got "),
        (lambda: Compound([(Pose(0, 0), Box(1, 1))]), "parts must be pairs of a shape and a Pose, got "),
        (lambda: Compound([(Box(1, 1), Pose(0, 0), 1)]), "parts must be pairs of a shape and a Pose, got "),
        (lambda: Box(1, 1).contains((1, 2, 3)), r"point must be two numbers \(x, y\), got \(1, 2, 3\)"),
        (lambda: Box(1, 1).contains((math.nan, 0)), r"point\[0\] must be finite, got nan"),
        (lambda: Box(1, 1).contains((0, 0), (1, 1)), r"pose must be a Pose, got \(1, 1\)"),
        (lambda: Box(1, 1).contains((0, 0), None), "pose must be a Pose, got None"),
        (lambda: Circle(1).bounds((1, 1)), r"pose must be a Pose, got \(1, 1\)"),
    ],
)
def test_what_is_no_shape_is_refused_by_name_and_value(make, message):
    with pytest.raises(im.ShapeError, match=f"^{message}"):
        make()


def test_a_generator_of_parts_is_taken_once():
    compound = Compound((Circle(1), Pose(x, 0)) for x in range(3))
    assert len(compound.parts) == 3
    assert compound == Compound([[Circle(1), Pose(x, 0)] for x in range(3)])


# Values.


@solids
def test_solids_are_values(solid):
    twin = dataclasses.replace(solid)
    assert twin == solid
    assert hash(twin) == hash(solid)
    assert len({solid, twin}) == 1
    field = dataclasses.fields(solid)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(solid, field, getattr(solid, field))
    with pytest.raises(dataclasses.FrozenInstanceError):
        delattr(solid, field)


@solids
@pytest.mark.parametrize("make", [copy.copy, copy.deepcopy, lambda solid: pickle.loads(pickle.dumps(solid))])
def test_copies_answer_as_the_original_does(solid, make):
    before = solid.area, solid.centroid, im.distance(solid, Pose(0, 0), Box(1, 1), Pose(3, 4, 1.0))
    twin = make(solid)
    assert twin == solid
    assert (twin.area, twin.centroid, im.distance(twin, Pose(0, 0), Box(1, 1), Pose(3, 4, 1.0))) == before


def test_replace_makes_another_shape_and_checks_it():
    solid = Polygon(TRIANGLE, 0.5)
    assert solid.area > 6
    sharp = dataclasses.replace(solid, radius=0)
    assert (sharp.area, sharp.radius, sharp.vertices) == (6, 0.0, solid.vertices)
    assert not im.overlaps(sharp, Pose(0, 0), Circle(0.1), Pose(-0.3, 1))
    assert im.overlaps(solid, Pose(0, 0), Circle(0.1), Pose(-0.3, 1))
    with pytest.raises(im.ShapeError, match=r"^radius must be"):
        dataclasses.replace(solid, radius=-1)


def test_equal_numbers_make_equal_shapes():
    assert Box(1, 2) == Box(1.0, np.float64(2))
    assert Circle(1) != Box(1, 1)
    assert Box(1, 2) != Box(2, 1)
    assert Polygon(TRIANGLE) != Polygon(TRIANGLE[::-1])  # an equal solid, but another list
    assert Polygon(TRIANGLE).outline == Polygon(TRIANGLE[::-1]).outline
    assert repr(Capsule((0, 0), (1, 2), 3)) == "Capsule(a=(0.0, 0.0), b=(1.0, 2.0), radius=3.0)"
    assert eval(repr(SOLIDS[6])) == SOLIDS[6]


# Compounds.


def test_nested_compounds_are_their_parts_where_they_end_up():
    inner = Compound([(Box(4, 2), Pose(3, 0, math.pi / 2))])
    outer = Compound([(inner, Pose(0, 5, math.pi / 2))])
    assert outer.bounds() == nearly(Bounds(-2, 7, 2, 9))
    assert outer.contains((0, 8))
    assert not outer.contains((3, 5))
    flat = Compound([(Box(4, 2), Pose(0, 8, math.pi))])
    for place in (Pose(0, 0), Pose(1, 2, 3)):
        one, other = (im.distance(solid, place, Circle(1), Pose(10, 10)) for solid in (outer, flat))
        assert one.distance == nearly(other.distance)
        assert one.point_a == nearly(other.point_a)


def test_a_compound_of_one_part_is_that_part():
    rng = np.random.default_rng(8)
    for kind in KINDS[:-1]:
        solid = random_solid(rng, kind, 2.0)
        alone = Compound([(solid, Pose(0, 0))])
        assert alone.area == pytest.approx(solid.area, rel=1e-9)
        assert alone.centroid == nearly(solid.centroid, 1e-9)
        assert alone.bounds(Pose(1, 2, 0.7)) == solid.bounds(Pose(1, 2, 0.7))
        found = [im.distance(one, Pose(0, 0, 0.3), Box(1, 2), Pose(1, 0.5)) for one in (solid, alone)]
        assert found[0].distance == nearly(found[1].distance)


@solids
def test_arrays_of_a_shape_are_read_only(solid):
    """A written column sent kernels past the end of the row: `Box(2, 2).row[0] = 1e6` ended the process."""
    rows = [solid.row, solid.drawn_in(9.0), im.Sector(5, 1).row, im.Sector(5, 1).cells]
    for row in rows:
        with pytest.raises(ValueError, match="read-only"):
            row[...] = 1e6
    assert im.overlaps(solid, Pose(0, 0), solid, Pose(0, 0))
