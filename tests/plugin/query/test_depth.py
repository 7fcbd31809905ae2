"""Depths of overlaps, compared with the distance to the border of all overlapping positions."""

from __future__ import annotations

import itertools
import math
from functools import cache

import numpy as np
import pytest
import shapely

import impinge as im
from impinge import Box, Capsule, Circle, Compound, Polygon, Pose
from scale import some
from shapely_solids import COMB, HOOK, HOURGLASS, SPIRAL, forbidden_offsets

# Where the union is shrunk or enlarged by a share of itself, sharp corners move farther than the edges do.
SHRUNK, TOLERANCE = 1e-9, 1e-6
QUAD_SEGS = 64

TABLE = Compound([(Box(8, 2), Pose(0, 3)), (Box(2, 4), Pose(-3, 0)), (Box(2, 4), Pose(3, 0))])
CROSS = Compound([(Box(6, 2), Pose(0, 0)), (Box(2, 6), Pose(0, 0))])
ARROW = Polygon([(0, 0), (4, -3), (1, 0), (4, 3)])
SHARP = {
    "box": Box(4, 2),
    "small box": Box(2, 2),
    "triangle": Polygon([(0, 0), (3, 1), (1, 3)]),
    "arrow": ARROW,
    "comb": Polygon(COMB),
    "spiral": Polygon(SPIRAL),
    "hook": Polygon(HOOK),
    "hourglass": Polygon(HOURGLASS),
    "table": TABLE,
    "cross": CROSS,
}
ROUND = {
    "circle": Circle(1),
    "capsule": Capsule((0, 0), (1, 2), 0.5),
    "rounded hook": Polygon(HOOK, 0.5),
    "rounded table": Compound(
        [(Capsule((-4, 3), (4, 3), 1), Pose(0, 0)), (Box(2, 4), Pose(-3, 0)), (Circle(1), Pose(3, 0))]
    ),
}


@cache
def depths_on_a_grid(a, b):
    """Return ways out of both solids from each deep overlap on a grid of halves, and Shapely's depths.

    There are two bounds: positions where b fits into a slot of its own width may count as free, or not.
    """
    forbidden = forbidden_offsets(a, b, QUAD_SEGS, -SHRUNK)
    left, bottom, right, top = forbidden.bounds
    grid = itertools.product(np.arange(math.ceil(left), right, 0.5), np.arange(math.ceil(bottom), top, 0.5))
    places = np.array(list(grid))
    points = shapely.points(places)
    open_union = forbidden_offsets(a, b, QUAD_SEGS, SHRUNK)
    inside = shapely.contains_properly(open_union, points) & (open_union.boundary.distance(points) > 0.05)
    places, points = places[inside], points[inside]
    return places, open_union.boundary.distance(points), forbidden.boundary.distance(points)


def separations_at(a, b, places):
    solids = im.batch.Solids([a, *[b] * len(places)])
    pairs = np.column_stack([np.zeros(len(places), int), np.arange(1, len(places) + 1)])
    return im.batch.distance(solids, np.vstack([[(0.0, 0.0)], places]), pairs)


@pytest.mark.parametrize(("a", "b"), list(itertools.combinations_with_replacement(SHARP, 2)))
def test_depths_of_sharp_solids_are_exact(a, b):
    places, least, most = depths_on_a_grid(SHARP[a], SHARP[b])
    depths = -separations_at(SHARP[a], SHARP[b], places).distances
    # Without a slot of exactly that width, both bounds are the same.
    assert (depths >= least - TOLERANCE).all()
    assert (depths <= most + TOLERANCE).all()
    assert len(places) > 10


@pytest.mark.parametrize(
    ("a", "b"), some([*itertools.combinations_with_replacement(ROUND, 2), *itertools.product(ROUND, SHARP)], least=20)
)
def test_depths_of_round_solids_are_those_of_the_polygons_around_and_inside_them(a, b):
    """An arc of k edges is inside the circle by r (1 - cos(pi / 2 / k)), so two polygons bound the depth.

    The depth is at least that of the inner polygon. It is at most that of the outer one, whose radius is larger by the
    same amount.
    """
    a, b = ROUND[a], (SHARP | ROUND)[b]
    places, least, most = depths_on_a_grid(a, b)
    depths = -separations_at(a, b, places).distances
    # Where arcs cross at an angle, their crossing moves farther than the arcs.
    arc = 2.0 * (1.0 - math.cos(math.pi / 4 / QUAD_SEGS))
    assert (depths >= least - TOLERANCE - arc).all()
    assert (depths <= most + 20 * arc).all()
    assert len(places) > 5


@pytest.mark.parametrize(
    ("a", "b"), [("comb", "circle"), ("spiral", "circle"), ("spiral", "box"), ("comb", "small box"), ("table", "box")]
)
def test_the_way_out_leads_to_where_they_just_touch(a, b):
    """This includes ways into slots of exactly the width of the solid."""
    a, b = SHARP[a], (SHARP | ROUND)[b]
    places, _, _ = depths_on_a_grid(a, b)
    found = separations_at(a, b, places)
    after = places - found.distances[:, None] * found.normals
    touching = separations_at(a, b, after)
    np.testing.assert_allclose(touching.distances, 0.0, atol=1e-9)


# A player as wide as the shaft overlaps its wall. Either depth is valid: to where it just fits, or out of the shaft.
FITTING = {
    "circle in a shaft": (Polygon(COMB), Circle(1), Pose(2.5, 6), (0.5, math.sqrt(2**2 + 0.5**2))),
    "circle in a corridor": (Polygon(SPIRAL), Circle(1), Pose(2, 2.5), (0.5, math.sqrt(2**2 + 0.5**2))),
    "box in a shaft": (Polygon(COMB), Box(2, 2), Pose(3.25, 6), (0.25, 3.0)),
    "box in a corridor": (Polygon(SPIRAL), Box(2, 2), Pose(3, 2.75), (0.25, math.sqrt(2**2 + 0.25**2))),
    "box under a table": (TABLE, Box(4, 2), Pose(0, 1.5), (0.5, 3.5)),
}


@pytest.mark.parametrize("name", FITTING)
def test_what_just_fits_into_a_slot_and_overlaps_its_wall(name):
    """With circles, the mouth of the slot is where two arcs touch but do not cross. The slot was not found.

    The answer was then the way between the bounding boxes, which ends in the open, and points from uninitialised
    memory.
    """
    a, b, pose, depths = FITTING[name]
    found = im.distance(a, Pose(0, 0), b, pose)
    assert any(found.distance == pytest.approx(-depth, abs=1e-9) for depth in depths)
    assert_parts_there(found, a, b, pose)


# Depth, and the normals of all ways of that length.
NAMED = {
    "two crosses": (CROSS, CROSS, math.sqrt(20), [(4, 2), (2, 4)]),
    "a circle in the middle of a box": (Box(4, 4), Circle(1), 3.0, [(1, 0), (0, 1)]),
    "circles around one centre": (Circle(2), Circle(1), 3.0, [(1, 0)]),
    "planks on one another": (Box(10, 2), Box(10, 2), 2.0, [(0, 1)]),
    "a box within a box": (Box(10, 8), Box(2, 4), 6.0, [(1, 0), (0, 1)]),
}


@pytest.mark.parametrize("name", NAMED)
def test_of_several_shortest_ways_one_is_told(name):
    a, b, depth, ways = NAMED[name]
    found = im.distance(a, Pose(0, 0), b, Pose(0, 0))
    assert found.distance == pytest.approx(-depth, abs=1e-9)
    normal = tuple(abs(part) for part in found.normal)
    assert any(normal == pytest.approx((x / math.hypot(x, y), y / math.hypot(x, y)), abs=1e-9) for x, y in ways)
    assert_parts_there(found, a, b, Pose(0, 0))


def test_a_depth_is_not_that_of_a_piece():
    """A rounded hook on another: its pieces separate at half a unit, where the next pieces overlap by two."""
    hook = Polygon(HOOK, 0.5)
    found = im.distance(hook, Pose(0, 0), hook, Pose(5, 4.5))
    assert found.distance == pytest.approx(-1.5, abs=1e-9)
    assert_parts_there(found, hook, hook, Pose(5, 4.5))


def assert_parts_there(found, a, b, pose):
    """Assert that the way leads to a touch, at the point that was reported on both solids."""
    assert math.hypot(*found.normal) == pytest.approx(1.0, abs=1e-15)
    x, y = (-found.distance * part for part in found.normal)
    assert im.distance(a, Pose(0, 0), b, Pose(pose.x + x, pose.y + y, pose.angle)).distance == pytest.approx(
        0, abs=1e-8
    )
    assert (found.point_b[0] + x, found.point_b[1] + y) == pytest.approx(found.point_a, abs=1e-8)
    assert a.contains(found.point_a)
    assert b.contains(found.point_b, pose)


def test_the_nearest_points_of_a_deep_overlap_differ_by_the_depth():
    """In a hook, on a grid: of two pieces that touch after separation, one may touch round a corner of the other.

    The points were taken from that pair, a whole unit from where the solids separate last.
    """
    for a, b in itertools.product(SHARP.values(), (SHARP | ROUND).values()):
        places, _, _ = depths_on_a_grid(a, b)
        places = places[:: max(len(places) // 50, 1)]
        found = separations_at(a, b, places)
        np.testing.assert_allclose(
            found.points_b - found.points_a, found.distances[:, None] * found.normals, rtol=0, atol=1e-8
        )


@pytest.mark.parametrize("turn", [0.0, 1e-12, 1e-10, 1e-9, 1e-7, math.pi / 2, math.pi, -2.0])
def test_edges_on_one_line_that_rounding_has_parted(turn):
    """A trough in itself: the position was on the line of two edges of one core, and by rounding inside of both.

    The deciding edge was the far one. So at some angles a position half a unit deep was taken for a free one.
    """
    trough = Polygon([(0, 0), (10, 0), (10, 10), (8, 10), (8, 2), (2, 2), (2, 10), (0, 10)], 0.25)
    cross = Compound([(Capsule((-1, 0), (1, 0)), Pose(0, 0)), (Capsule((0, -1), (0, 1)), Pose(0, 0))])
    wedge = Polygon([(0, 0), (4, 0), (0, 3)], 0.5)
    pose = Pose(0, 0, turn)
    assert im.distance(trough, pose, trough, pose).distance == pytest.approx(-10.5, abs=1e-9)
    assert im.distance(wedge, pose, cross, pose).distance == pytest.approx(-math.sqrt(0.5), abs=1e-9)


@pytest.mark.parametrize("radius", [1e-3, 1e-6, 1e-9, 1e-12])
def test_a_speck_on_the_corner_of_a_compound(radius):
    """Its depth is its thickness. Rounding put the corner beyond the ends of both edges: the depth was 0.48."""
    hammer = Compound([(Box(1, 5), Pose(0, 0, -0.9772744181829764)), (Circle(1), Pose(2.28595566, -2.08618892))])
    pose = Pose(-3.2826477846763, 2.0455418563786, 0.47437288007831)
    corner = (0.5, 2.5)
    for angle, x, y in ((-0.9772744181829764, 0.0, 0.0), (pose.angle, pose.x, pose.y)):
        cos, sin = math.cos(angle), math.sin(angle)
        corner = (x + cos * corner[0] - sin * corner[1], y + sin * corner[0] + cos * corner[1])
    depth = -im.distance(hammer, pose, Circle(radius), Pose(*corner)).distance
    assert depth == pytest.approx(radius, rel=1e-6, abs=1e-14)
