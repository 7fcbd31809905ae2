"""What sectors reach, what walls leave visible, and when swings hit: every special case by name.

Random cases, against independent oracles, have their own module, and so do the errors of the published algorithm.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import impinge as im
from impinge import Box, Capsule, Circle, Compound, Feature, Motion, Occluders, Polygon, Pose, Sector
from impinge.errors import ShapeError
from scale import some

HERE = Pose(0, 0)
QUARTER = math.pi / 4
CONE = Sector(10, QUARTER)
RING = Sector(10, QUARTER, inner_radius=5)
DISK = Sector(10, math.pi)
# The ends of these sectors' edges.
CORNER = 10 * math.sqrt(0.5)
INNER_CORNER = 5 * math.sqrt(0.5)
# Open at the top: a notch from x = 2 to x = 8, from y = 2 up.
CUP = Polygon([(0, 0), (10, 0), (10, 10), (8, 10), (8, 2), (2, 2), (2, 10), (0, 10)])
SQUARE = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
VIEWS = [HERE, Pose(3, -7), Pose(3, -7, 0.3), Pose(-1, 2, math.pi / 2), Pose(0, 5, math.pi), Pose(4, 0, -2.5)]


def nearly(value, tolerance=1e-12):
    return pytest.approx(value, rel=0, abs=tolerance)


def away(length, bearing):
    return length * math.cos(bearing), length * math.sin(bearing)


def seen_from(view, x, y, angle=0.0):
    """Return a pose that has these coordinates in the frame of a view."""
    cos, sin = math.cos(view.angle), math.sin(view.angle)
    return Pose(view.x + cos * x - sin * y, view.y + sin * x + cos * y, view.angle + angle)


def hit(sector, shape, place, occluders=(), angle=0.0):
    return im.sector_hit(sector, HERE, shape, Pose(*place, angle), occluders)


def assert_hit(found, distance, bearing, tolerance=1e-12):
    assert found is not None
    assert (found.distance, found.bearing) == nearly((distance, bearing), tolerance)
    assert found.point == nearly(away(distance, bearing), tolerance)


def has_no_negative_zero(*numbers):
    return all(number != 0.0 or math.copysign(1.0, number) == 1.0 for number in numbers)


# The sector itself.


def test_areas_by_the_numbers():
    assert Sector(10, math.pi).area == nearly(100 * math.pi)
    assert Sector(10, math.pi / 2).area == nearly(50 * math.pi)
    assert Sector(10, 0.25, inner_radius=6).area == 16.0
    assert Sector(3, 1e-6).area == nearly(9e-6, 1e-20)


@pytest.mark.parametrize(
    ("sector", "pose", "bounds"),
    [
        (CONE, HERE, (0, -CORNER, 10, CORNER)),
        (CONE, Pose(1, 2, math.pi / 2), (1 - CORNER, 2, 1 + CORNER, 12)),
        (RING, HERE, (INNER_CORNER, -CORNER, 10, CORNER)),
        (Sector(10, math.pi / 2), Pose(0, 0, math.pi), (-10, -10, 0, 10)),
        (Sector(10, 0.75 * math.pi), HERE, (-CORNER, -10, 10, 10)),
        (DISK, Pose(5, 5, 1.0), (-5, -5, 15, 15)),
        (Sector(10, QUARTER), Pose(0, 0, QUARTER), (0, 0, 10, 10)),
        (Sector(10, 0.1, inner_radius=5), Pose(0, 0, 0.1), (5 * math.cos(0.2), 0, 10, 10 * math.sin(0.2))),
    ],
)
def test_bounds_by_the_numbers(sector, pose, bounds):
    found = sector.bounds(pose)
    assert found == nearly(bounds)
    assert has_no_negative_zero(*found)


def test_the_border_belongs_to_it():
    for place in [(0, 0), (10, 0), (CORNER, CORNER), (CORNER, -CORNER), (3, 3), (3, -3), (6, 5)]:
        assert CONE.contains(place, HERE), place
    for place in [(-1e-6, 0), (10 + 1e-6, 0), (3, 3 + 1e-6), (3, -3 - 1e-6), (CORNER + 1e-6, CORNER + 1e-6)]:
        assert not CONE.contains(place, HERE), place
    assert RING.contains((5, 0), HERE)
    assert not RING.contains((3, 3), HERE)
    assert not RING.contains((5 - 1e-6, 0), HERE)
    assert not RING.contains((0, 0), HERE)
    assert DISK.contains((0, 0), HERE)
    assert DISK.contains((-10, 0), HERE)


# Disks, by the published regions.


@pytest.mark.parametrize(
    ("place", "radius", "region", "distance", "bearing"),
    [
        ((5, 0), 2, 1, 3, 0),
        ((12, 0), 3, 1, 9, 0),
        ((3, -1), 1, 1, math.sqrt(10) - 1, -math.atan(1 / 3)),
        ((1, 0), 2, 1, 0, 0),
        (seen_from(Pose(0, 0, QUARTER), 11, 1), 2, 2, 11 - math.sqrt(3), QUARTER),
        (seen_from(Pose(0, 0, -QUARTER), 11, -1), 2, 3, 11 - math.sqrt(3), -QUARTER),
        ((-1, 0), 2, 4, 0, 0),
        ((-1, 0.5), 2, 4, 0, 0),
        (seen_from(Pose(0, 0, -QUARTER), 5, -1), 2, 5, 5 - math.sqrt(3), -QUARTER),
        (seen_from(Pose(0, 0, QUARTER), 5, 1), 2, 6, 5 - math.sqrt(3), QUARTER),
    ],
)
def test_the_regions_of_a_disk(place, radius, region, distance, bearing):
    place = (place.x, place.y) if isinstance(place, Pose) else place
    found = hit(CONE, Circle(radius), place)
    assert_hit(found, distance, bearing)
    assert found.region == region


def on_inner_arc(along, beside, radius):
    """Return the smaller bearing at which a disk beside the left edge of the ring crosses its inner arc."""
    return QUARTER + math.atan2(beside, along) - spread(math.hypot(along, beside), 5, radius)


@pytest.mark.parametrize(
    ("along", "beside", "region", "distance", "bearing"),
    [
        (4, 1, 4, 5, lambda: on_inner_arc(4, 1, 2)),  # nearest to the corner of the inner arc, which it covers
        (6, 1, 6, 5, lambda: on_inner_arc(6, 1, 2)),
        (8, 1, 6, 8 - math.sqrt(3), lambda: QUARTER),
        (11, 1, 2, 11 - math.sqrt(3), lambda: QUARTER),
    ],
)
@pytest.mark.parametrize("side", [1, -1])
def test_the_regions_of_a_disk_beside_a_ring(along, beside, region, distance, bearing, side):
    place = seen_from(Pose(0, 0, side * QUARTER), along, side * beside)
    found = im.sector_hit(RING, HERE, Circle(2), place)
    assert_hit(found, distance, side * bearing(), 1e-9)
    assert found.region == (region if side > 0 else {2: 3, 4: 4, 6: 5}[region])


def test_only_circles_have_a_region():
    rounded = Polygon(SQUARE, 0.5)
    pair = Compound([(Circle(1), Pose(0, 0)), (Circle(1), Pose(1, 0))])
    for shape in (Box(2, 2), Capsule((0, 0), (0, 0), 1), rounded, CUP, pair, Compound([(Circle(1), HERE)])):
        found = hit(CONE, shape, (5, 0))
        assert found is not None
        assert found.region is None, shape


def test_the_apex_inside_a_shape():
    for shape in (Circle(3), Box(4, 4), Capsule((-2, 0), (2, 1), 2), Polygon(SQUARE, 1), Compound([(Box(4, 4), HERE)])):
        for sector in (CONE, DISK, Sector(10, 1e-6)):
            assert hit(sector, shape, (-0.5, 0.3))[:3] == (0.0, 0.0, (0.0, 0.0)), (shape, sector)
    # In the bottom of the cup, and in its notch, which is outside the cup.
    assert hit(CONE, CUP, (-5, -1)).distance == 0.0
    assert hit(CONE, CUP, (-5, -6)).distance == nearly(3.0)


# Special half angles.


@pytest.mark.parametrize("facing", [0, math.pi / 2, math.pi, -math.pi / 2, -math.pi, 3 * math.pi / 2, 2 * math.pi])
@pytest.mark.parametrize("scale", [1.0, 1e-3, 1e6])
def test_a_box_flush_with_the_edge_of_half_a_disk(facing, scale):
    """Exact: floats only approximate a quarter turn, but the edge of this sector is on an axis."""
    turn = {0: (1, 0), 1: (0, 1), 2: (-1, 0), 3: (0, -1)}[round(facing / (math.pi / 2)) % 4]
    sector, box = Sector(10 * scale, math.pi / 2), Box(2 * scale, 2 * scale)
    for side in (1, -1):
        for back, answer in ((1.0, True), (1.0 + 1e-6, False), (1.0 - 1e-6, True)):
            x, y = -back * scale, side * 5 * scale
            place = Pose(turn[0] * x - turn[1] * y, turn[1] * x + turn[0] * y)
            found = im.sector_hit(sector, Pose(0, 0, facing), box, place)
            assert (found is not None) is answer
            if back == 1.0:
                assert (found.distance, found.bearing) == (nearly(4 * scale, 1e-12 * scale), side * math.pi / 2)


@pytest.mark.parametrize("facing", [0, math.pi / 2, math.pi, -math.pi / 2])
def test_a_box_flush_with_the_edge_of_a_quarter_of_a_disk(facing):
    """A quarter disk that faces along a diagonal, made of one that faces along an axis."""
    pose = Pose(0, 0, facing + QUARTER)
    for gap, answer in ((0.0, True), (1e-6, False)):
        below = seen_from(Pose(0, 0, facing), 5, -1 - gap)
        assert (im.sector_hit(CONE, pose, Box(2, 2), below) is not None) is answer


@pytest.mark.parametrize("facing", [0.0, 0.4, math.pi / 2, math.pi, -2.0])
def test_half_a_disk_reaches_nothing_behind_it(facing):
    pose = Pose(1, 1, facing)
    sector = Sector(10, math.pi / 2)
    for x, y, answer in [(-1, 0, True), (-1 - 1e-6, 0, False), (-0.9, 9, True), (-1 - 1e-6, 9, False), (-1, -5, True)]:
        assert (im.sector_hit(sector, pose, Circle(1), seen_from(pose, x, y)) is not None) is answer, (x, y)


@pytest.mark.parametrize("pose", VIEWS)
@pytest.mark.parametrize("inner", [0.0, 2.0])
def test_a_disk_has_no_back(pose, inner):
    """A shape behind is in front, too: there is no edge at half a turn."""
    sector = Sector(10, math.pi, inner)
    for shape in (Circle(1), Box(2, 2), Capsule((0, -3), (0, 3), 1), Polygon(SQUARE)):
        found = im.sector_hit(sector, pose, shape, seen_from(pose, -5, 0))
        assert (found.distance, abs(found.bearing)) == nearly((4, math.pi), 1e-9)
        assert found.region == (1 if isinstance(shape, Circle) else None)
    for gap, answer in ((0.0, True), (1e-6, False)):
        assert (im.sector_hit(sector, pose, Circle(1), seen_from(pose, -11 - gap, 0)) is not None) is answer


def test_a_turn_less_than_a_disk_has_a_wedge_behind():
    sector = Sector(10, math.pi - 0.1)
    inside, beside = 5 * math.sin(0.1) - 1e-6, 5 * math.sin(0.1)
    assert hit(sector, Circle(inside), (-5, 0)) is None
    assert_hit(hit(sector, Circle(beside + 1e-6), (-5, 0)), 5 * math.cos(0.1), math.pi - 0.1, 1e-2)


def test_the_thinnest_of_sectors_is_a_line():
    thin = Sector(10, 1e-6)
    assert_hit(hit(thin, Circle(0.1), (5, 0)), 4.9, 0)
    assert_hit(hit(thin, Circle(1e-6), (5, 5.5e-6)), 5.0, 1e-6, 1e-6)
    assert hit(thin, Circle(1e-6), (5, 7e-6)) is None
    assert_hit(hit(thin, Box(2, 2), (5, 1)), 4, 0)
    assert hit(thin, Box(2, 2), (5, 1 + 7e-6)) is None
    assert hit(thin, Box(2, 2), (-1 - 1e-6, 0)) is None
    assert hit(thin, Box(2, 2), (-1, 0)).distance == nearly(0, 1e-9)


# Touches.

TIP = Polygon([(0, 0), (3, 1), (3, -1)])
# The pose of a shape at a gap from the sector, in the sector's frame, with the nearest point at gap 0.
TOUCHES = {
    "disk on arc": (CONE, Circle(2), lambda gap: (*away(12 + gap, 0.2), 0), 10, 0.2),
    "box on arc": (CONE, Box(2, 4), lambda gap: (11 + gap, 0, 0), 10, 0),
    "corner on arc": (CONE, TIP, lambda gap: (*away(10 + gap, -0.3), -0.3), 10, -0.3),
    "capsule on arc": (CONE, Capsule((0, -3), (0, 3), 1), lambda gap: (*away(11 + gap, 0.5), 0.5), 10, 0.5),
    "disk on edge": (CONE, Circle(2), lambda gap: (*turned(QUARTER, 5, 2 + gap), 0), 5, QUARTER),
    "box on edge": (CONE, Box(2, 4), lambda gap: (*turned(QUARTER, 5, 2 + gap), QUARTER), 4, QUARTER),
    "corner on edge": (CONE, TIP, lambda gap: (*turned(-QUARTER, 5, -gap), -3 * QUARTER), 5, -QUARTER),
    "disk on corner": (CONE, Circle(2), lambda gap: (CORNER, CORNER + 2 + gap, 0), 10, QUARTER),
    "box on corner": (CONE, Box(4, 2), lambda gap: (CORNER, CORNER + 1 + gap, 0), 10, QUARTER),
    "corner on corner": (CONE, TIP, lambda gap: (CORNER, -CORNER - gap, -math.pi / 2), 10, -QUARTER),
    "disk on apex": (CONE, Circle(2), lambda gap: (-2 - gap, 0, 0), 0, 0),
    "box on apex": (CONE, Box(2, 4), lambda gap: (-1 - gap, 0, 0), 0, 0),
    "corner on apex": (CONE, TIP, lambda gap: (-gap, 0, math.pi), 0, 0),
    "disk on inner arc": (RING, Circle(2), lambda gap: (*away(3 - gap, -0.4), 0), 5, -0.4),
    "corner on inner arc": (RING, TIP, lambda gap: (*away(5 - gap, 0.4), 0.4 + math.pi), 5, 0.4),
    "capsule on inner arc": (RING, Capsule((0, 0), (-2, 1), 1), lambda gap: (4 - gap, 0, 0), 5, 0),
    "disk on inner corner": (RING, Circle(2), lambda gap: (INNER_CORNER - 2 - gap, INNER_CORNER, 0), 5, QUARTER),
    "box on inner corner": (RING, Box(2, 2), lambda gap: (INNER_CORNER - 1 - gap, -INNER_CORNER, 0), 5, -QUARTER),
}


def turned(angle, x, y):
    pose = seen_from(Pose(0, 0, angle), x, y)
    return pose.x, pose.y


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", TOUCHES)
def test_to_touch_is_enough_and_a_millionth_beside_is_not(name, view):
    sector, shape, place, distance, bearing = TOUCHES[name]
    for gap in (0.0, 1e-10, -1e-10, -1e-6, 1e-6):
        found = im.sector_hit(sector, view, shape, seen_from(view, *place(gap)))
        assert (found is not None) is (gap < 1e-6), gap
        if found is not None and "arc" in name and gap > -1e-6:
            assert (found.distance, found.bearing) == nearly((distance, bearing), 1e-3)
        elif found is not None:
            assert found.distance == nearly(distance, 5e-3)
            assert distance == 0 or found.bearing == nearly(bearing, 1e-3)


@pytest.mark.parametrize("factor", [1e-3, 1e6])
@pytest.mark.parametrize("name", TOUCHES)
def test_touches_in_tiny_and_in_huge_units(name, factor):
    sector, shape, place, *_ = TOUCHES[name]
    sector = Sector(sector.radius * factor, sector.half_angle, sector.inner_radius * factor)
    shape = shape.transformed(factor)
    for gap, answer in ((0.0, True), (1e-6, False)):
        x, y, angle = place(gap)
        assert (hit(sector, shape, (x * factor, y * factor), (), angle) is not None) is answer


@pytest.mark.parametrize("name", TOUCHES)
def test_touches_a_million_away(name):
    """There the slop is 2e-9 of rounding, plus 1e-9 of the extents."""
    sector, shape, place, *_ = TOUCHES[name]
    pose = Pose(1e6, -1e6)
    for gap, answer in ((0.0, True), (1e-6, False), (-1e-6, True)):
        assert (im.sector_hit(sector, pose, shape, seen_from(pose, *place(gap))) is not None) is answer


# Rings.


def test_what_is_in_the_hole_is_not_reached():
    for sector in (RING, Sector(10, math.pi, 5), Sector(10, 2.5, 5)):
        for shape in (Circle(1), Box(2, 2), Capsule((-1, 0), (1, 1), 1), CUP.transformed(0.2)):
            assert hit(sector, shape, (0, 0)) is None
            assert hit(sector, shape, (1, 1)) is None


def test_what_lies_across_the_hole():
    whole = Sector(10, math.pi, 5)
    assert_hit(hit(whole, Box(30, 1), (0, 0)), 5, 0)
    assert_hit(hit(whole, Capsule((-20, 0), (20, 0)), (0, 0)), 5, 0)
    behind = hit(whole, Capsule((-20, 0), (-3, 0)), (0, 0))
    assert (behind.distance, abs(behind.bearing)) == nearly((5, math.pi))
    assert hit(RING, Box(1, 30), (0, 0)) is None
    upright = hit(Sector(10, 0.75 * math.pi, 5), Box(1, 30), (0, 0))
    # Equal on both sides: where its right face crosses the arc.
    assert (upright.distance, abs(upright.bearing)) == nearly((5, math.acos(0.1)))


def test_the_whole_inner_arc_inside_a_shape():
    for sector in (RING, Sector(10, math.pi, 5), Sector(10, 2.5, 5)):
        for shape, region in ((Circle(20), 1), (Box(40, 40), None), (Polygon(SQUARE, 30), None)):
            found = hit(sector, shape, (0, 0))
            assert_hit(found, 5, 0)
            assert found.region == region
        assert_hit(hit(sector, Circle(20), (-3, 4)), 5, 0)


@pytest.mark.parametrize("side", [1, -1])
def test_of_a_part_of_the_inner_arc_what_is_least_aside(side):
    # A half plane, and a disk with a 3-4-5 triangle, so its centre and both crossings are known.
    assert_hit(hit(RING, Box(100, 100), (0, side * 51)), 5, side * math.asin(0.2))
    place = away(5, side * 0.6)
    assert_hit(hit(RING, Circle(1), place), 5, side * (0.6 - 2 * math.asin(0.1)))
    capsule = Capsule((0, 0), (0, side * 10), 1)
    assert_hit(hit(RING, capsule, (5, side * 3)), 5, side * (math.atan2(3, 5) - spread(math.hypot(5, 3), 5, 1)), 1e-9)


def spread(distance, inner, radius):
    """Return the angle at the apex between a disk's centre and where its border crosses the inner arc."""
    return math.acos((distance**2 + inner**2 - radius**2) / (2 * distance * inner))


# Shapes that are not convex, and ties.


@pytest.mark.parametrize(
    ("facing", "radius", "distance", "bearing"),
    [
        (-math.pi / 2, 5, 4, 0),
        (-math.pi / 2, 3.9, None, 0),
        (0, 5, 3, 0),
        (math.pi, 5, 3, 0),
        (math.pi / 2, 20, None, 0),
        (QUARTER, 5, 3 / math.cos(QUARTER - 0.5), -0.5),
    ],
)
def test_a_sector_in_the_notch_of_a_cup(facing, radius, distance, bearing):
    """The sector looks out at the top. A short one does not reach the walls at its sides."""
    found = im.sector_hit(Sector(radius, 0.5), Pose(5, 6, facing), CUP, HERE)
    if distance is None:
        assert found is None
    else:
        assert (found.distance, found.bearing) == nearly((distance, bearing))


def test_a_disk_in_the_notch_of_a_cup():
    for radius, answer in ((3, True), (3 - 1e-6, False)):
        found = im.sector_hit(Sector(radius, math.pi), Pose(5, 6, math.pi / 2), CUP, HERE)
        assert (found is not None) is answer
        if answer:
            assert (found.distance, abs(found.bearing)) == nearly((3, math.pi / 2))
    # A ring around the whole cup, and a disk-shaped ring whose hole contains only the notch.
    assert im.sector_hit(Sector(30, math.pi, 20), Pose(5, 6), CUP, HERE) is None
    assert im.sector_hit(Sector(30, math.pi, 4), Pose(5, 6), CUP, HERE).distance == nearly(4)


def test_of_a_compound_the_nearest_part_inside_counts():
    near_but_beside = (Circle(1), Pose(0, 4))
    far = (Box(2, 2), Pose(7, 0))
    behind = (Circle(1), Pose(-3, 0))
    assert_hit(hit(CONE, Compound([near_but_beside, far, behind]), (0, 0)), 6, 0)
    assert hit(CONE, Compound([near_but_beside, behind]), (0, 0)) is None
    assert_hit(hit(CONE, Compound([(Compound([far]), Pose(1, 1))]), (0, 0)), 7, 0)


def test_capsules_and_segments():
    assert_hit(hit(CONE, Capsule((0, -9), (0, 9), 1), (6, 0)), 5, 0)
    assert_hit(hit(CONE, Capsule((0, 0), (9, 9)), (6, 2)), math.hypot(6, 2), math.atan2(2, 6))
    assert_hit(hit(CONE, Capsule((0, 8), (8, 0)), (0, 0)), math.sqrt(32), QUARTER)
    assert_hit(hit(Sector(10, 0.3), Capsule((0, 8), (8, 0)), (0, 0)), 8 / (math.cos(0.3) + math.sin(0.3)), 0.3)
    # Along an edge, a slop beside it.
    assert_hit(hit(CONE, Capsule((1, 1), (2, 2)), (0, 0)), math.sqrt(2), QUARTER, 2e-9)
    assert hit(CONE, Capsule((1, 1), (2, 2)), (0, 1e-6)) is None


def test_of_points_as_near_the_one_less_aside_is_told():
    """Two disks at a distance of 4 with 3-4-5 triangles: one at 53 degrees to the left, one at 37 to the right."""
    parts = [(Circle(1), Pose(3, 4)), (Circle(1), Pose(4, -3))]
    for order in (parts, parts[::-1]):
        assert_hit(hit(Sector(10, 1), Compound(order), (0, 0)), 4, -math.atan2(3, 4))
    even = [(Circle(1), Pose(4, 3)), (Circle(1), Pose(4, -3))]
    found = hit(Sector(10, 1), Compound(even), (0, 0))
    assert (found.distance, abs(found.bearing)) == nearly((4, math.atan2(3, 4)))
    # The edge cuts the left one, which is then farther away.
    assert_hit(hit(Sector(10, 0.9), Compound(parts), (0, 0)), 4, -math.atan2(3, 4))


def test_the_nearest_point_of_a_shape_may_be_beside_the_sector():
    """The box corner at (3, 0.4) is outside the sector. The lower side counts, where it enters the sector."""
    assert_hit(hit(Sector(10, 0.1), Box(4, 8), (5, 4.4)), 0.4 / math.sin(0.1), 0.1)
    assert_hit(hit(Sector(10, 0.2), Box(4, 8), (5, 4.4)), math.hypot(3, 0.4), math.atan2(0.4, 3))


# Walls.


def lit_area(outline):
    x, y = outline.T
    return 0.5 * float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)))


GATE = [(Box(2, 4), Pose(4, 2.5)), (Box(2, 4), Pose(4, -2.5))]  # hides all to the left of the facing, for some distance


def test_what_a_wall_hides_in_part():
    wall = [(Box(2, 4), Pose(3, 2))]  # all that is to the left of the facing, for a while
    assert_hit(hit(CONE, Box(2, 2), (7, 0.5), wall), 6, 0)
    assert_hit(hit(CONE, Box(2, 2), (7, -0.5), wall), 6, 0)
    assert hit(CONE, Box(2, 2), (7, 1 + 1e-6), wall) is None
    assert_hit(hit(CONE, Circle(1), (7, -0.6), wall), math.hypot(7, 0.6) - 1, -math.atan2(0.6, 7))
    assert_hit(hit(CONE, Circle(1), (7, 0.6), wall), 7 - 0.8, 0)


def test_what_is_behind_a_gap():
    assert_hit(hit(CONE, Box(2, 20), (8, 0), GATE), 7, 0)
    # The light ends at the far corners: a slope of 0.5 / 5.
    assert_hit(hit(CONE, Box(2, 3), (9, 2.4), GATE), math.hypot(9, 0.9), math.atan(0.1))
    found = hit(CONE, Box(2, 3), (9, -2.4), GATE)
    assert (found.distance, found.bearing) == nearly((math.hypot(9, 0.9), -math.atan(0.1)))
    for gap, answer in ((-1e-6, True), (1e-6, False)):
        assert (hit(Sector(20, QUARTER), Box(2, 3), (9, 2.5 + gap), GATE) is not None) is answer
    assert hit(CONE, Circle(0.5), (8, 2), GATE) is None
    # A ring looks through, too; and between the walls.
    assert_hit(hit(Sector(10, QUARTER, 7.5), Box(2, 20), (8, 0), GATE), 7.5, 0)
    assert_hit(hit(CONE, Circle(0.25), (4, 0), GATE), 3.75, 0)


@pytest.mark.parametrize("factor", [1e-3, 1.0, 1e6])
@pytest.mark.parametrize("view", [HERE, Pose(1e6, -1e6, 0.3), Pose(1e6, -1e6, math.pi)])
def test_walls_in_other_units_and_far_away(factor, view):
    """The same gate; with a thousandth of the size at a million away, the slop is 2e-6 of it."""
    sector = Sector(12 * factor, QUARTER)
    walls = [(wall.transformed(factor), seen_from(view, pose.x * factor, pose.y * factor)) for wall, pose in GATE]
    walls = [(wall, Pose(pose.x, pose.y, view.angle)) for wall, pose in walls]
    tolerance = 1e-8 + 1e-9 * abs(view.x) / factor

    def seen(shape, x, y):
        place = seen_from(view, x * factor, y * factor)
        found = im.sector_hit(sector, view, shape.transformed(factor), place, walls)
        return None if found is None else (found.distance / factor, found.bearing)

    assert seen(Box(2, 20), 8, 0) == nearly((7, 0), tolerance)
    assert seen(Box(2, 3), 9, 2.4) == nearly((math.hypot(9, 0.9), math.atan(0.1)), 10 * tolerance)
    assert seen(Box(2, 3), 9, 2.5 - 1e-3) is not None
    assert seen(Box(2, 3), 9, 2.5 + 1e-3) is None
    assert seen(Circle(0.5), 8, 2) is None
    outline = (im.visible_outline(sector, view, walls, 1e-8 * factor) - (view.x, view.y)) / factor
    # On either side: through the gap, on the wall's lower side from (5, 0.5) to (3, 0.5), on its face up to (3, 3).
    area = 2 * (72 * math.atan(0.1) + 0.5 * (5 - 3) * 0.5 + 0.5 * 3 * (3 - 0.5))
    assert lit_area(outline) == nearly(area, 1e3 * tolerance + 1e-5)


@pytest.mark.parametrize("view", VIEWS)
def test_no_light_falls_through_walls_that_stand_flush(view):
    """The tiles are at tenths: 3 * 0.1 is not 0.3, so there are gaps of some units in the last place."""
    walls = [(Box(0.3, 0.1), seen_from(view, 2, 0.1 * number)) for number in range(-60, 61)]
    eye = Sector(20, 1.2)
    for target in (Box(1, 30), Circle(3), Capsule((0, -2), (0, 2))):
        assert im.sector_hit(eye, view, target, seen_from(view, 8, 0), walls) is None
    outline = im.visible_outline(eye, view, walls)
    ahead = (outline - (view.x, view.y)) @ (math.cos(view.angle), math.sin(view.angle))
    assert ahead.max() == nearly(1.85, 1e-9)
    # With one tile removed, light passes.
    assert im.sector_hit(eye, view, Box(1, 30), seen_from(view, 8, 0), walls[:60] + walls[61:]).distance == 7.5


def test_no_light_falls_through_a_corner_at_which_walls_touch():
    walls = [(Box(2, 2), Pose(3, 1)), (Box(2, 2), Pose(5, -1))]
    assert hit(Sector(20, 0.2), Box(1, 30), (9, 0), walls) is None
    walls = [(Box(2, 2), Pose(3, 1)), (Box(2, 2), Pose(5, -1 - 1e-3))]
    assert hit(Sector(20, 0.2), Box(1, 30), (9, 0), walls).distance == nearly(8.5, 1e-3)


@pytest.mark.parametrize(
    "wall",
    [
        (Box(2, 4), Pose(5, 1)),
        (Box(2, 4), Pose(5, 1, 0.4)),
        (Circle(2), Pose(5, -1)),
        (Capsule((0, -3), (0, 3), 1), Pose(5, 0)),
        (Capsule((0, -3), (0, 3)), Pose(5, 0)),
        (Polygon(SQUARE, 1), Pose(5, 2)),
        (CUP, Pose(1, -5)),
        (CUP, Pose(-5, -1.5)),
        (Compound([(Box(1, 1), Pose(0, 0)), (Circle(1), Pose(2, 1))]), Pose(4, 0)),
    ],
)
def test_the_face_of_a_wall_can_be_seen(wall):
    """No shape hides itself, and no equal shape, nor one behind or beside it, hides it."""
    free = hit(CONE, wall[0], (wall[1].x, wall[1].y), (), wall[1].angle)
    others = [(Box(2, 40), Pose(30, 0)), (Box(2, 2), Pose(0, 8)), (Circle(3), Pose(-4, 0))]
    if free.distance == 0.0:  # from inside
        assert im.sector_hit(CONE, HERE, *wall, [wall]) is None
        return
    for walls in ([wall], [wall, wall], [wall, *others], [*others, wall]):
        found = im.sector_hit(CONE, HERE, *wall, walls)
        assert (found.distance, found.bearing) == nearly(free[:2], 1e-9)


def test_what_stands_against_a_wall_behind_it_is_not_seen():
    wall = [(Box(1, 40), Pose(4, 0))]
    assert hit(CONE, Box(1, 1), (5, 0), wall) is None
    assert_hit(hit(CONE, Box(1, 1), (3, 0), wall), 2.5, 0)
    # A shape inside the wall is hidden, a shape that sticks out is not.
    assert hit(CONE, Circle(0.25), (4, 0), wall) is None
    assert_hit(hit(CONE, Circle(1), (4, 0), wall), 3, 0)


INSIDE = [
    (Box(4, 4), Pose(1, 0)),
    (Circle(3), Pose(-1, 1)),
    (Capsule((-2, 0), (2, 0), 1), Pose(0, 0.5)),
    (Polygon(SQUARE, 1), Pose(1.5, 0)),
    (CUP, Pose(-5, -1)),
    (Compound([(Circle(1), Pose(9, 9)), (Box(2, 2), HERE)]), HERE),
]


@pytest.mark.parametrize("wall", INSIDE)
def test_from_inside_a_wall_nothing_is_seen(wall):
    for sector in (CONE, DISK, RING):
        for target in (Circle(1), Box(30, 30), wall[0]):
            assert hit(sector, target, (6, 0), [wall]) is None
        assert im.visible_outline(sector, HERE, [wall]).shape == (0, 2)
        assert len(im.batch.sector_hits(sector, HERE, [(6, 0), (0, 0)], 1.0, [wall]).indices) == 0


def test_in_the_notch_of_a_cup_is_not_inside_of_it():
    assert_hit(hit(DISK, CUP, (-5, -6), [(CUP, Pose(-5, -6))], 0), 3, 0, 1e-9)
    found = im.sector_hit(Sector(20, 0.5), Pose(5, 6, math.pi / 2), Circle(1), Pose(5, 15), [(CUP, HERE)])
    assert found.distance == nearly(8)
    assert im.sector_hit(Sector(20, 0.5), Pose(5, 6), Circle(1), Pose(15, 6), [(CUP, HERE)]) is None


ON_A_FACE = {
    "box": (Box(2, 6), Pose(-1, 0.5)),
    "turned box": (Box(6, 2), Pose(-1, 0.5, math.pi / 2)),
    "circle": (Circle(2), Pose(-2, 0)),
    "rounded": (Polygon(SQUARE, 1), Pose(-2, 0.5)),
    "capsule": (Capsule((0, -2), (0, 2), 1), Pose(-1, 0.5)),
}


@pytest.mark.parametrize("name", ON_A_FACE)
def test_on_the_face_of_a_wall_what_is_before_it_is_seen(name):
    wall = ON_A_FACE[name]
    assert_hit(hit(DISK, Circle(1), (5, 1), [wall]), math.sqrt(26) - 1, math.atan2(1, 5))
    assert_hit(hit(DISK, Circle(1), (1, 6), [wall]), math.sqrt(37) - 1, math.atan2(6, 1))
    for behind in ((-7, 0), (-3, 6), (-3, -6), (-1 - 1e-6, 9)):
        assert hit(DISK, Circle(1), behind, [wall]) is None, behind
    for peeking in ((-0.5, 6), (-0.5, -6)):
        found = hit(DISK, Circle(1), peeking, [wall])
        assert abs(found.bearing) == nearly(math.pi / 2, 1e-9)
        assert found.distance == nearly(6 - math.sqrt(0.75), 1e-9)
    assert lit_area(im.visible_outline(DISK, HERE, [wall], 1e-8)) == nearly(50 * math.pi, 1e-5)
    # Half of the light, whatever the facing.
    assert im.visible_outline(CONE, Pose(0, 0, math.pi), [wall]).shape == (0, 2)
    assert lit_area(im.visible_outline(CONE, HERE, [wall], 1e-8)) == nearly(CONE.area, 1e-5)
    assert lit_area(im.visible_outline(CONE, Pose(0, 0, math.pi / 2), [wall], 1e-8)) == nearly(CONE.area / 2, 1e-5)


@pytest.mark.parametrize("angle", [0.0, 0.3, math.pi / 2, math.pi, -2.0])
def test_on_the_corner_of_a_wall_three_quarters_are_seen(angle):
    pose = seen_from(Pose(0, 0, angle), -1, -2)
    wall = Box(2, 4), Pose(pose.x, pose.y, angle)  # its upper right corner
    for facing in (0.0, angle, angle + QUARTER, angle - 2.0):
        view = Pose(0, 0, facing)
        assert lit_area(im.visible_outline(DISK, view, [wall], 1e-8)) == nearly(75 * math.pi, 1e-5)
        for bearing, answer in ((0.0, True), (QUARTER, True), (3 * QUARTER, True), (-QUARTER, True)):
            target = Pose(*away(6, angle + bearing))
            assert (im.sector_hit(DISK, view, Circle(0.5), target, [wall]) is not None) is answer
        hidden = Pose(*away(6, angle - 3 * QUARTER))
        assert im.sector_hit(DISK, view, Circle(0.5), hidden, [wall]) is None


def test_walls_that_are_not_in_the_way_change_nothing():
    behind = (Box(2, 40), Pose(9, 0))
    beyond = (Box(2, 40), Pose(11.5, 0))
    at_the_back = (Box(2, 40), Pose(-3, 0))
    beside = (Box(10, 2), Pose(5, 8))
    between_but_lower = (Box(1, 1), Pose(3, -2))
    for walls in itertools.permutations([behind, beyond, at_the_back, beside, between_but_lower], 2):
        assert_hit(hit(CONE, Box(2, 2), (6, 1), walls), 5, 0)
        assert im.sector_hit(CONE, HERE, Box(2, 2), Pose(6, 1), walls) == hit(CONE, Box(2, 2), (6, 1))


def test_no_walls_in_any_form():
    for none in ((), [], Occluders([]), iter(())):
        assert hit(CONE, Circle(2), (5, 0), none) == (3.0, 0.0, (3.0, 0.0), 1)
        assert lit_area(im.visible_outline(CONE, HERE, none, 1e-8)) == nearly(CONE.area, 1e-5)


def test_walls_prepared_once_are_the_same_walls():
    walls = [*GATE, (Circle(1), Pose(7, 3))]
    prepared = Occluders(walls)
    assert (len(prepared), list(prepared), prepared[0], prepared[1:]) == (3, walls, GATE[0], tuple(walls[1:]))
    for target in (Box(2, 20), Circle(0.5), CUP):
        for place in ((8, 0), (9, 2.4), (7, -6)):
            of_all = [hit(CONE, target, place, form) for form in (walls, tuple(walls), iter(walls), prepared, prepared)]
            assert all(found == of_all[0] for found in of_all)
    np.testing.assert_array_equal(im.visible_outline(CONE, HERE, walls), im.visible_outline(CONE, HERE, prepared))


# Round walls: a sight line is a tangent. With a 3-4-5 triangle, it leaves at the sine of 0.6.


def test_the_sight_line_past_a_round_wall():
    wall, edge = [(Circle(3), Pose(5, 0))], math.asin(0.6)
    for side in (1, -1):
        centre = away(10, side * edge)
        found = hit(Sector(20, 1), Circle(1), centre, wall)
        assert (found.distance, found.bearing) == nearly((9, side * edge), 1e-6)
        for hair, answer in ((1e-6, True), (-1e-6, False)):
            centre = away(10, side * (edge - math.asin(0.1) + hair))
            assert (hit(Sector(20, 1), Circle(1), centre, wall) is not None) is answer
    assert hit(Sector(20, 1), Box(2, 4), (12, 0), wall) is None
    found = hit(Sector(20, 1), Box(2, 40), (12, 0), wall)
    assert (found.distance, abs(found.bearing)) == nearly((11 / 0.8, edge), 1e-6)


def test_a_target_partly_inside_a_round_wall():
    """The part of a box outside the pillar is visible."""
    pillar = (Circle(3), Pose(6, 0))
    assert_hit(hit(CONE, Box(6, 1), (5, 0), [pillar]), 2, 0)
    found = hit(CONE, Box(1, 4), (5, 0), [pillar])
    # Its left face, x = 4.5, leaves the pillar at y = sqrt(9 - 2.25), which is beyond its corner at y = 2.
    assert found is None
    found = hit(CONE, Box(1, 6), (5, 0), [pillar])
    height = math.sqrt(9 - 1.5**2)
    assert (found.distance, abs(found.bearing)) == nearly((math.hypot(4.5, height), math.atan2(height, 4.5)), 1e-9)


@pytest.mark.parametrize("side", [1, -1])
def test_the_sight_line_past_a_rounded_corner(side):
    """A square of side 2 rounded by 1: its nearer corners reach farthest aside, as disks around (4, 1) and (4, -1)."""
    wall = [(Polygon(SQUARE, 1), Pose(5, 0))]
    edge = math.atan2(1, 4) + math.asin(1 / math.sqrt(17))
    for hair, answer in ((1e-6, True), (-1e-6, False)):
        centre = away(9, side * (edge - math.asin(0.1 / 9) + hair))
        assert (hit(CONE, Circle(0.1), centre, wall) is not None) is answer
    assert lit_area(im.visible_outline(CONE, HERE, wall, 1e-8)) == nearly(
        100 * (QUARTER - edge) + rounded_front(edge), 1e-5
    )


def rounded_front(edge):
    """Return the area between the apex and the front of that rounded square: triangles, minus disk segments."""
    # In the upper half: to the end of the straight face at (3, 1), then along the disk to the tangent point.
    tangent = math.sqrt(16)
    touch = (tangent * math.cos(edge), tangent * math.sin(edge))
    along_face = 0.5 * 3 * 1
    centre_angle = math.pi - math.atan2(touch[1] - 1, touch[0] - 4)
    chord = 0.5 * (3 * touch[1] - 1 * touch[0])
    segment = 0.5 * (centre_angle - math.sin(centre_angle))
    return 2 * (along_face + chord - segment)


def test_the_sight_line_past_a_capsule():
    wall = [(Capsule((0, 0), (0, 10), 1), Pose(5, 0))]
    edge = -math.asin(1 / 5)
    for hair, answer in ((1e-6, True), (-1e-6, False)):
        centre = away(9, edge + math.asin(0.1 / 9) - hair)
        assert (hit(CONE, Circle(0.1), centre, wall) is not None) is answer


def test_walls_that_cross():
    """Two segments cross at (6, 0): the visible area ends at the nearer one, and the corner is exact."""
    walls = [(Capsule((4, -4), (8, 4)), HERE), (Capsule((4, 4), (8, -4)), HERE)]
    outline = im.visible_outline(CONE, HERE, walls)
    assert min(math.dist(corner, (6, 0)) for corner in outline.tolist()) <= 1e-12
    assert lit_area(outline) == nearly(24, 1e-9)
    assert hit(CONE, Circle(0.5), (7, 0), walls) is None
    assert_hit(hit(CONE, Circle(0.5), (5, 0), walls), 4.5, 0)
    boxes = [(Box(4, 4), Pose(6, 1)), (Box(4, 4), Pose(6.5, -1)), (Box(2, 2), Pose(6, 0, QUARTER))]
    # On the left, the face at x = 4. On the right that face ends at y = -1, and the face at x = 4.5 is visible.
    outline = im.visible_outline(Sector(10, math.atan(0.5)), HERE, boxes)
    assert lit_area(outline) == nearly(4 + 2 + 0.5 * 4.5**2 * 0.25, 1e-9)
    assert hit(Sector(20, 0.2), Box(2, 2), (12, 0), boxes) is None


# A full turn: there is no edge at half a turn.

BACK = {
    "box": (Box(2, 4), Pose(-6, 0), 5, math.pi - math.atan2(2, 5)),
    "uneven box": (Box(2, 4), Pose(-6, 1), 5, math.pi - math.atan2(3, 5)),
    "circle": (Circle(3), Pose(-5, 0), 2, math.pi - math.asin(0.6)),
    "rounded": (Polygon(SQUARE, 1), Pose(-5, 0), 3, math.pi - math.atan2(1, 4) - math.asin(1 / math.sqrt(17))),
    "capsule": (
        Capsule((0, -2), (0, 2), 1), Pose(-6, 0), 5, math.pi - math.atan2(2, 6) - math.asin(1 / math.sqrt(40)),
    ),
}  # fmt: skip


@pytest.mark.parametrize("facing", [0.0, math.pi, math.pi / 2, -math.pi / 2, 0.3, 3.0, -3.1])
@pytest.mark.parametrize("name", BACK)
def test_a_wall_across_the_back(name, facing):
    wall, place, face, edge = BACK[name]
    walls, view = [(wall, place)], Pose(0, 0, facing)
    eye = Sector(20, math.pi)
    own = im.sector_hit(eye, view, wall, place, walls)
    assert own.distance == nearly(face, 1e-9)
    assert own.point == nearly((-face, 0), 1e-6)
    for target in (Circle(0.5), Box(1, 1), Capsule((0, -0.3), (0, 0.3), 0.2)):
        assert im.sector_hit(eye, view, target, Pose(-12, 0), walls) is None
        assert im.sector_hit(eye, view, target, Pose(12, 0), walls) is not None
    assert len(im.batch.sector_hits(eye, view, [(-12, 0), (-12, 0.1)], 0.5, walls).indices) == 0
    for hair, answer in ((1e-6, False), (-1e-6, True)):
        centre = Pose(*away(12, edge + math.asin(0.1 / 12) + hair))
        assert (im.sector_hit(eye, view, Circle(0.1), centre, walls) is not None) is answer
    # The result does not depend on the facing.
    mirrored = [(wall.transformed((-1, 1)), Pose(-place.x, place.y))]
    areas = [lit_area(im.visible_outline(eye, at, all_of, 1e-6)) for at, all_of in ((view, walls), (HERE, mirrored))]
    assert areas[0] == pytest.approx(areas[1], rel=1e-6)


# Many walls, against rays.


def box_edges(walls):
    starts, ends = [], []
    for box, pose in walls:
        x, y = box.width / 2, box.height / 2
        corners = [seen_from(pose, *corner) for corner in ((-x, -y), (x, -y), (x, y), (-x, y))]
        places = [(corner.x, corner.y) for corner in corners]
        starts += places
        ends += [*places[1:], places[0]]
    return np.array(starts), np.array(ends)


def first_on_rays(angles, starts, ends):
    """Return how far rays from the origin get before the first of some edges; infinite where there is none."""
    ux, uy = np.cos(angles)[:, None], np.sin(angles)[:, None]
    ax, ay = starts.T
    ex, ey = (ends - starts).T
    across = ux * ey - uy * ex
    with np.errstate(divide="ignore", invalid="ignore"):
        along, share = (ax * ey - ay * ex) / across, (ax * uy - ay * ux) / across
    met = (across != 0.0) & (along > 0.0) & (share >= 0.0) & (share <= 1.0)
    return np.where(met, along, np.inf).min(axis=1)


@pytest.fixture(scope="module")
def forest():
    """Return a thousand boxes, none of them around the origin; more are hidden than visible."""
    rng = np.random.default_rng(5)
    walls = []
    while len(walls) < 1000:
        x, y = rng.uniform(-50, 50, 2)
        if math.hypot(x, y) > 3:
            walls.append((Box(*rng.uniform(0.1, 1.2, 2)), Pose(x, y, rng.uniform(-3, 3))))
    return walls


@pytest.mark.parametrize(("half", "facing"), [(math.pi, 0.0), (math.pi, 2.0), (1.2, 1.0), (2.8, math.pi)])
def test_the_outline_among_a_thousand_walls_is_what_rays_reach(forest, half, facing):
    sector = Sector(40, half)
    outline = im.visible_outline(sector, Pose(0, 0, facing), Occluders(forest), 1e-6)
    angles = facing + np.random.default_rng(6).uniform(-half, half, 3000)
    expected = np.minimum(first_on_rays(angles, *box_edges(forest)), 40)
    # Rays leave the outline once: it is star-shaped around the apex.
    starts, ends = outline, np.roll(outline, -1, axis=0)
    apart = np.hypot(*(ends - starts).T) > 0.0
    found = np.concatenate([farthest_on_rays(part, starts[apart], ends[apart]) for part in np.array_split(angles, 30)])
    np.testing.assert_allclose(found, expected, rtol=0, atol=2e-6)
    assert (expected < 40).mean() > 0.9
    assert lit_area(outline) == pytest.approx(half * np.mean(expected**2), rel=0.1)


def farthest_on_rays(angles, starts, ends):
    ux, uy = np.cos(angles)[:, None], np.sin(angles)[:, None]
    ax, ay = starts.T
    ex, ey = (ends - starts).T
    across = ux * ey - uy * ex
    with np.errstate(divide="ignore", invalid="ignore"):
        along, share = (ax * ey - ay * ex) / across, (ax * uy - ay * ux) / across
    # A ray through a corner is on both sides of it.
    met = (across != 0.0) & (share >= -1e-9) & (share <= 1 + 1e-9)
    return np.where(met, along, 0.0).max(axis=1)


def test_targets_among_a_thousand_walls_are_as_rays_see_them(forest):
    rng = np.random.default_rng(7)
    sector, walls, edges = Sector(40, math.pi), Occluders(forest), box_edges(forest)
    centres, radii = rng.uniform(-25, 25, (400, 2)), rng.uniform(0.05, 0.6, 400)
    seen = hidden = 0
    for centre, radius in zip(centres.tolist(), radii.tolist(), strict=True):
        distance = math.hypot(*centre)
        if distance <= radius + 1e-6:
            continue
        middle, aside = math.atan2(centre[1], centre[0]), math.asin(radius / distance)
        angles = middle + aside * np.linspace(-1 + 1e-6, 1 - 1e-6, 101)
        left = distance * np.sin(angles - middle)
        near = distance * np.cos(angles - middle) - np.sqrt(radius**2 - left**2)
        first = first_on_rays(angles, *edges)
        is_seen = near < first - 1e-9
        found = im.sector_hit(sector, HERE, Circle(radius), Pose(*centre), walls)
        if found is None:
            hidden += 1
            assert not is_seen.any()
        else:
            seen += 1
            assert found.distance <= near[is_seen].min(initial=np.inf) + 1e-9
            beside = found.bearing + np.array([-1e-8, -1e-10, 0, 1e-10, 1e-8])
            assert first_on_rays(beside, *edges).max() >= found.distance - 1e-6
            assert math.dist(found.point, centre) <= radius + 1e-8
    assert min(seen, hidden) > 40


# The visible area, as an outline.


def assert_is_counter_clockwise(outline, pose=HERE):
    """Assert that no part of it goes backwards around the apex."""
    local = outline - (pose.x, pose.y)
    x, y = local.T
    assert (x * np.roll(y, -1) - y * np.roll(x, -1) >= -1e-9).all()


@pytest.mark.parametrize(
    ("wall", "shadow"),
    [
        # (wall, area that it removes from a disk of light): behind a face at x = 4 from y = -1 to 1.
        ((Box(2, 2), Pose(5, 0)), 100 * math.atan2(1, 4) - 4),
        ((Capsule((4, -1), (4, 1)), HERE), 100 * math.atan2(1, 4) - 4),
        ((Box(2, 40), Pose(5, 0)), 100 * math.acos(0.4) - 4 * math.sqrt(84)),
        ((Circle(3), Pose(5, 0)), 100 * math.asin(0.6) - (12 - 9 * math.acos(0.6))),
        ((Box(2, 2), Pose(0, 5)), 100 * math.atan2(1, 4) - 4),
        ((Box(2, 2), Pose(-5, 0)), 100 * math.atan2(1, 4) - 4),
        ((Circle(3), Pose(-5, 0)), 100 * math.asin(0.6) - (12 - 9 * math.acos(0.6))),
        ((Box(math.sqrt(8), math.sqrt(8)), Pose(6, 0, QUARTER)), 100 * math.atan2(2, 6) - 8),
    ],
    ids=["box", "segment", "wall", "pillar", "above", "behind", "pillar behind", "on its corner"],
)
@pytest.mark.parametrize("facing", [0.0, 1.0, math.pi])
def test_a_disk_of_light_with_one_wall(wall, shadow, facing):
    outline = im.visible_outline(DISK, Pose(0, 0, facing), [wall], 1e-8)
    assert lit_area(outline) == nearly(100 * math.pi - shadow, 1e-5)
    assert_is_counter_clockwise(outline)


@pytest.mark.parametrize("view", VIEWS)
def test_the_outline_of_a_sector_without_walls(view):
    for sector in (
        CONE,
        Sector(10, 2.5),
        Sector(10, math.pi / 2),
        Sector(1e-3, 0.5),
        Sector(1e6, 0.5),
        Sector(5, 1e-6),
    ):
        outline = im.visible_outline(sector, view, (), 1e-9 * sector.radius)
        local = outline - (view.x, view.y)
        # It starts at the apex, goes to the right edge, and returns along the left one.
        assert tuple(outline[0]) == (view.x, view.y)
        for row, bearing in ((1, -sector.half_angle), (-1, sector.half_angle)):
            place = seen_from(view, *away(sector.radius, bearing))
            assert tuple(outline[row]) == nearly((place.x, place.y), 1e-12 * (sector.radius + 10))
        np.testing.assert_allclose(np.hypot(*local[1:].T), sector.radius, rtol=1e-9)
        assert lit_area(local) == pytest.approx(sector.area, rel=1e-7)


@pytest.mark.parametrize("tolerance", [None, 1.0, 0.1, 1e-3, 1e-6])
def test_chords_stay_within_the_tolerance(tolerance):
    allowed = 0.01 if tolerance is None else tolerance
    walls = [(Circle(2), Pose(5, 1))]
    for sector in (DISK, CONE):
        outline = im.visible_outline(sector, HERE, walls, tolerance)
        middles = 0.5 * (outline + np.roll(outline, -1, axis=0))
        far, of_pillar = np.hypot(*outline.T), np.hypot(*(outline - (5, 1)).T)
        on_arc = (abs(far - 10) < 1e-9) & (abs(np.roll(far, -1) - 10) < 1e-9)
        on_pillar = (abs(of_pillar - 2) < 1e-9) & (abs(np.roll(of_pillar, -1) - 2) < 1e-9)
        assert on_arc.any()
        assert on_pillar.any()
        assert (np.hypot(*middles[on_arc].T) >= 10 - allowed * (1 + 1e-6)).all()
        assert (np.hypot(*(middles - (5, 1))[on_pillar].T) >= 2 - allowed * (1 + 1e-6)).all()
        # The number of points is not much larger than required.
        assert len(outline) < 10 + 2 * math.pi / math.acos(1 - allowed / 10) + math.pi / math.acos(
            1 - min(allowed / 2, 1)
        )


def test_a_finer_outline_than_floats_can_tell_is_no_coarser_one():
    """The whole arc became one chord: in floats, the cosine of half its angle is 1."""
    fine = im.visible_outline(Sector(10, 1e-6), HERE, (), 1e-15)
    assert lit_area(fine) == pytest.approx(1e-4, rel=1e-9)
    x, y = im.visible_outline(Sector(10, 1e-3), HERE, (), 5e-16).T
    middles = np.hypot(0.5 * (x[1:-1] + x[2:]), 0.5 * (y[1:-1] + y[2:]))
    assert middles.min() >= 10 - 5e-15


@pytest.mark.parametrize("half", [QUARTER, 2.5, math.pi])
def test_the_outline_of_a_ring(half):
    ring = Sector(10, half, inner_radius=4.5)
    outline = im.visible_outline(ring, HERE, (), 1e-8)
    far = np.hypot(*outline.T)
    assert (np.minimum(abs(far - 10), abs(far - 4.5)) <= 1e-9).all()
    assert lit_area(outline) == nearly(half * (100 - 4.5**2), 1e-5)
    # A wall in the hole: its face is at x = 4, and the area behind it is dark.
    outline = im.visible_outline(ring, HERE, [(Box(2, 2), Pose(5, 0))], 1e-8)
    assert lit_area(outline) == nearly((half - math.atan2(1, 4)) * (100 - 4.5**2), 1e-5)
    # A wall through the ring: at x = 6, as high as possible.
    outline = im.visible_outline(ring, HERE, [(Box(2, 40), Pose(7, 0))], 1e-8)
    edge = min(half, math.acos(0.6))
    assert lit_area(outline) == nearly(36 * math.tan(edge) + 100 * (half - edge) - half * 4.5**2, 1e-5)


def test_in_the_dark_there_is_no_outline():
    around = [(Box(2, 2), Pose(5, 0))]
    for view, walls in [
        (Pose(5, 0), around),
        (Pose(4, 0), around),  # on its face, facing into the wall
        (HERE, [(Circle(1), Pose(0.5, 0)), *around]),
    ]:
        outline = im.visible_outline(Sector(3, 0.5), view, walls)
        assert (outline.shape, outline.dtype) == ((0, 2), np.float64)
    # A ring with all walls in the hole.
    outline = im.visible_outline(RING, HERE, [(Box(1, 40), Pose(2, 0))])
    assert outline.shape == (0, 2)


def test_no_zero_is_negative():
    """Games print these values, and -0.0 looks wrong in a log."""
    zeros = [Pose(0.0, 0.0), Pose(-0.0, -0.0, -0.0), Pose(0, 0, math.pi), Pose(0, 0, -math.pi), Pose(0, 0, math.pi / 2)]
    shapes = [Circle(1), Box(2, 2), Capsule((0, -1), (0, 1), 0.5), Polygon(SQUARE, 0.5), CUP, Capsule((-1, 0), (1, 0))]
    places = [(5, 0.0), (5, -0.0), (-5, 0.0), (-5, -0.0), (0.0, 5), (-0.0, -5), (0.0, -0.0), (1, 0), (-1, 0), (0, 1)]
    walls = [(), [(Box(1, 1), Pose(8, 8))]]
    count = 0
    for sector, view in itertools.product((CONE, DISK, Sector(10, math.pi / 2), RING, Sector(10, math.pi, 5)), zeros):
        for shape, (x, y), standing in itertools.product(shapes, places, walls):
            found = im.sector_hit(sector, view, shape, Pose(x, y, -0.0), standing)
            if found is not None:
                count += 1
                assert has_no_negative_zero(found.distance, found.bearing, *found.point), (
                    sector,
                    view,
                    shape,
                    x,
                    y,
                )
        for standing in walls:
            hits = im.batch.sector_hits(sector, view, places, 1.0, standing)
            assert has_no_negative_zero(*hits.distances, *hits.bearings)
            assert has_no_negative_zero(*im.visible_outline(sector, view, standing).ravel())
    assert count > 200


# Moving sectors and shapes.

ORIGIN = Motion.still(HERE)


def edge(index, part=0):
    return Feature("edge", index, part)


def vertex(index, part=0):
    return Feature("vertex", index, part)


def swing(begin, end, x=0.0, y=0.0):
    return Motion(Pose(x, y, begin), Pose(x, y, end))


def going(start, way, angle=0.0):
    return Motion(Pose(*start, angle), Pose(start[0] + way[0], start[1] + way[1], angle))


def still(x, y, angle=0.0):
    return Motion.still(Pose(x, y, angle))


def assert_impact(impact, time, normal, point, feature, tolerance=1e-9):
    assert impact is not None
    assert impact.time == nearly(time, tolerance)
    assert impact.normal == nearly(normal, 1e-6)
    assert impact.point == nearly(point, 1e-6)
    assert impact.points == (impact.point,)
    assert (impact.feature_a, impact.feature_b) == (None, feature)
    assert not impact.overlapping
    assert has_no_negative_zero(impact.time, *impact.normal)


@pytest.mark.parametrize("name", TOUCHES)
def test_what_stands_still_is_touched_at_once_or_never(name):
    sector, shape, place, *_ = TOUCHES[name]
    for gap, answer in ((0.0, True), (1e-6, False), (-1e-3, True)):
        x, y, angle = place(gap)
        impact = im.sector_sweep(sector, ORIGIN, shape, still(x, y, angle))
        assert (impact is not None) is answer
        if answer:
            assert (impact.time, impact.overlapping) == (0.0, gap < 0)
            assert (impact.feature_b is None) is impact.overlapping
            assert math.hypot(*impact.normal) == nearly(1.0)


@pytest.mark.parametrize("name", TOUCHES)
@pytest.mark.parametrize("way", [(0, 0), (100, -30), (1e5, 1e5)])
def test_what_moves_alike_stays_as_it_is(name, way):
    sector, shape, place, *_ = TOUCHES[name]
    for gap, answer in ((1e-3, False), (-1e-3, True)):
        x, y, angle = place(gap)
        impact = im.sector_sweep(sector, going((0, 0), way), shape, going((x, y), way, angle))
        assert (impact is not None) is answer
        assert impact is None or (impact.time, impact.overlapping) == (0.0, True)


@pytest.mark.parametrize("name", TOUCHES)
def test_to_part_from_a_touch_is_a_touch(name):
    sector, shape, place, *_ = TOUCHES[name]
    (x, y, angle), (nearer_x, nearer_y, _) = place(0.0), place(-1e-3)
    way = 5e3 * (x - nearer_x), 5e3 * (y - nearer_y)
    impact = im.sector_sweep(sector, ORIGIN, shape, going((x, y), way, angle))
    assert (impact.time, impact.overlapping) == (0.0, False)
    # Where a corner meets a corner, there is more than one direction of separation.
    has_one_normal = name not in ("corner on corner", "corner on apex")
    if has_one_normal:
        assert impact.normal == nearly((way[0] / 5, way[1] / 5), 1e-3)
    moved = x + 1e-3 * impact.normal[0], y + 1e-3 * impact.normal[1]
    assert hit(sector, shape, moved, (), angle) is None
    # From slightly farther away it is no touch. In the reversed motion, the shape arrives at that time.
    beyond = place(1e-3)
    if "inner" not in name:
        assert im.sector_sweep(sector, ORIGIN, shape, going(beyond[:2], way, angle)) is None
    arriving = im.sector_sweep(
        sector, ORIGIN, shape, going((x + way[0] / 10, y + way[1] / 10), (-way[0] / 5, -way[1] / 5), angle)
    )
    assert arriving.time == nearly(0.5, 1e-8)
    if has_one_normal:
        assert arriving.normal == nearly((way[0] / 5, way[1] / 5), 1e-3)


@pytest.mark.parametrize("turns", [1 / 6, 10, 1000])
@pytest.mark.parametrize("side", [1, -1])
def test_a_target_between_two_frames_of_a_fast_swing(turns, side):
    """Ten turns per second are a sixth of a turn per frame at 60 frames per second. Other cases turn more."""
    turn, blade, target = 2 * math.pi * turns, Sector(40, 0.05), Circle(1)
    begin = -math.pi / 6
    place = away(30, side * 0.2)
    for angle in (begin, begin + turn):
        assert im.sector_hit(blade, Pose(0, 0, side * angle), target, Pose(*place)) is None
    impact = im.sector_sweep(blade, swing(side * begin, side * (begin + turn)), target, still(*place))
    reached = 0.2 - math.asin(1 / 30) - 0.05
    assert impact.time == nearly((reached - begin) / turn, 1e-9)
    # The leading edge touches the disk from the side: the normal is perpendicular to that edge, in swing direction.
    bearing = side * (reached + 0.05)
    assert impact.normal == nearly((-side * math.sin(bearing), side * math.cos(bearing)), 1e-6)
    assert impact.point == nearly(away(30 * math.cos(math.asin(1 / 30)), bearing), 1e-6)
    assert impact.feature_b == vertex(0)


SWEPT = [Circle(1), Box(2, 3), Capsule((-1, 0), (2, 0), 0.5), Polygon(SQUARE, 0.3), CUP.transformed(0.4)]


@pytest.mark.parametrize("shape", SWEPT)
@pytest.mark.parametrize("turns", [1, 10])
def test_nothing_within_reach_escapes_a_whole_turn(shape, turns):
    rng = np.random.default_rng(8)
    for bearing in rng.uniform(-math.pi, math.pi, 40).tolist():
        for blade in (Sector(40, 1e-3), Sector(40, 0.3, 25)):
            impact = im.sector_sweep(blade, swing(0.5, 0.5 + turns * 2 * math.pi), shape, still(*away(30, bearing)))
            assert impact is not None
            assert impact.time <= 1 / turns
            touching = im.sector_hit(
                Sector(blade.radius, blade.half_angle + 1e-8, blade.inner_radius),
                Pose(0, 0, 0.5 + impact.time * turns * 2 * math.pi), shape, Pose(*away(30, bearing)),
            )  # fmt: skip
            assert touching is not None
    assert im.sector_sweep(Sector(40, 0.3), swing(0, 62), shape, still(43, 0)) is None
    assert im.sector_sweep(Sector(40, 0.3, 25), swing(0, 62), shape, still(0, 18)) is None


def test_a_disk_that_turns_is_one_that_does_not():
    impact = im.sector_sweep(Sector(10, math.pi), Motion(HERE, Pose(20, 0, 50.0)), Box(2, 4), still(25, 0))
    assert_impact(impact, 14 / 20, (1, 0), (24, 0), edge(3))


# Each part of the border, and the feature of the shape it meets: the normal points from the sector to the shape.
WAYS = {
    "arc on face": (CONE, Box(2, 4), (25, 1), (-20, 0), 14 / 20, (1, 0), (10, 0), edge(3)),
    "edge on a disk": (
        CONE, Circle(math.sqrt(2)), (4, 16), (0, -20), 0.5, (-math.sqrt(0.5), math.sqrt(0.5)), (5, 5), vertex(0),
    ),
    "edge on a corner": (CONE, Box(2, 2), (4, 16), (0, -20), 0.5, (-math.sqrt(0.5), math.sqrt(0.5)), (5, 5), vertex(1)),
    "corner on a face": (CONE, Box(30, 2), (0, 18 + CORNER), (0, -20), 17 / 20, (0, 1), (CORNER, CORNER), edge(0)),
    "corner on a disk": (CONE, Circle(2), (CORNER, CORNER + 12), (0, -20), 0.5, (0, 1), (CORNER, CORNER), vertex(0)),
    "apex on a face": (CONE, Box(2, 4), (-11, 0), (20, 0), 0.5, (-1, 0), (0, 0), edge(1)),
    "apex on a disk": (CONE, Circle(2), (-12, 0), (20, 0), 0.5, (-1, 0), (0, 0), vertex(0)),
    "inner arc on a disk": (RING, Circle(1), (-6, 0), (20, 0), 0.5, (-1, 0), (5, 0), vertex(0)),
}  # fmt: skip


@pytest.mark.parametrize("moving", ["shape", "sector", "both"])
@pytest.mark.parametrize("name", WAYS)
def test_whoever_moves_the_impact_is_the_same(name, moving):
    sector, shape, start, way, time, normal, point, feature = WAYS[name]
    if moving == "shape":
        motion, shape_motion, apex = ORIGIN, going(start, way), (0, 0)
    elif moving == "sector":
        motion, shape_motion = going((0, 0), (-way[0], -way[1])), still(*start)
        apex = -time * way[0], -time * way[1]
    else:
        motion, shape_motion = going((0, 0), (300, -40)), going(start, (way[0] + 300, way[1] - 40))
        apex = 300 * time, -40 * time
    impact = im.sector_sweep(sector, motion, shape, shape_motion)
    assert_impact(impact, time, normal, (apex[0] + point[0], apex[1] + point[1]), feature)


def test_an_arc_and_a_disk_meet_at_three_four_five():
    impact = im.sector_sweep(Sector(10, 1), ORIGIN, Circle(5), going((12 + 6, 9 + 8), (-12, -16)))
    assert_impact(impact, 0.5, (0.8, 0.6), (8, 6), vertex(0))


@pytest.mark.parametrize("shape", [Circle(1), Box(2, 3), Capsule((-1, 0), (1, 0)), Compound([(Circle(1), HERE)])])
@pytest.mark.parametrize("sector", [CONE, DISK, Sector(10, 1e-6)])
def test_both_in_one_place(sector, shape):
    for motion, shape_motion in (
        (ORIGIN, ORIGIN),
        (swing(0, 3), ORIGIN),
        (going((0, 0), (5, 5)), going((0, 0), (5, 5))),
        (ORIGIN, going((0, 0), (-50, 0))),
    ):
        impact = im.sector_sweep(sector, motion, shape, shape_motion)
        assert impact.time == 0.0
        assert math.hypot(*impact.normal) == nearly(1.0)
        assert all(math.isfinite(number) for number in impact.point)
    assert im.sector_sweep(Sector(10, math.pi, 5), ORIGIN, shape, swing(0, 3)) is None


def test_out_of_the_hole_of_a_ring():
    """A disk inside it leaves through the arc, where there is one, or unhindered."""
    ring = Sector(10, 2.0, 5)
    impact = im.sector_sweep(ring, ORIGIN, Circle(1), going((0, 0), (3, 4)))
    assert_impact(impact, 4 / 5, (-0.6, -0.8), (3, 4), vertex(0))
    impact = im.sector_sweep(ring, ORIGIN, Box(2, 2), going((0, 0), (8, 0)))
    assert impact.time == nearly((math.sqrt(24) - 1) / 8, 1e-9)
    assert abs(impact.point[1]) == nearly(1, 1e-6)
    assert im.sector_sweep(ring, ORIGIN, Circle(1), going((0, 0), (-30, 0))) is None
    assert im.sector_sweep(ring, ORIGIN, Circle(1), going((0, 0), (0, 0))) is None


def test_what_moves_away_or_stops_short():
    for way in ((5, 0), (0, 5), (0.1, -5), (-0.999999, 0)):
        assert im.sector_sweep(CONE, ORIGIN, Circle(1), going((12, 0), way)) is None, way
    assert im.sector_sweep(CONE, ORIGIN, Circle(1), going((12, 0), (-1, 0))).time == nearly(1.0, 1e-8)
    assert im.sector_sweep(CONE, swing(1.0, 2.0), Circle(1), still(8, 0)) is None


def test_grazes_count_and_a_millionth_beside_does_not():
    """In contrast, `time_of_impact` is about motion that is stopped, and ignores grazes."""
    up = Motion.still(Pose(0, 0, math.pi / 2))
    for gap, answer in ((0.0, True), (1e-6, False)):
        graze = going((-40, 11 + gap), (80, 0))
        impact = im.sector_sweep(CONE, up, Circle(1), graze)
        assert (impact is not None) is answer
        # It is within the slop for as long as the arc curves away by less than the slop.
        assert impact is None or impact.time == nearly(0.5, math.sqrt(2 * 11 * 4e-9) / 80)
        past = im.sector_sweep(CONE, up, Box(2, 2), going((CORNER + 1 + gap, 30), (0, -60)))
        assert (past is not None) is answer
        swung = im.sector_sweep(CONE, swing(2.0, 4.0), Circle(1), still(*away(11 + gap, 3.0)))
        assert (swung is not None) is answer


def test_a_ball_that_falls_into_view():
    falling = Motion.ballistic(Pose(0, 30), (0, 0), (0, -80))
    impact = im.sector_sweep(CONE, still(0, 0, math.pi / 2), Circle(1), falling)
    assert_impact(impact, math.sqrt(19 / 40), (0, 1), (0, 10), vertex(0))
    # Down and up again: it turns round at a height of 11.5, or of 10.5.
    for top, answer in ((11.5, None), (10.5, 1.0)):
        rise = math.sqrt(2 * 40 * (30 - top))
        bounce = Motion.ballistic(Pose(0, 30), (0, -rise), (0, 40), duration=2 * rise / 40)
        impact = im.sector_sweep(CONE, still(0, 0, math.pi / 2), Circle(1), bounce)
        if answer is None:
            assert impact is None
        else:
            expected = (rise - math.sqrt(rise**2 - 2 * 40 * 19)) / 40
            assert impact.time == nearly(expected / (2 * rise / 40), 1e-8)
    # With the same motion, nothing happens between them.
    both = [Motion.ballistic(Pose(x, 0), (5, 30), (0, -80)) for x in (0, 12)]
    assert im.sector_sweep(CONE, both[0], Circle(1), both[1]) is None


@pytest.mark.parametrize("factor", [1e-3, 1.0, 1e6])
@pytest.mark.parametrize("far", [0.0, 1e6])
def test_sweeps_in_other_units_and_far_away(factor, far):
    """The slop is 1e-9 of the tiny size, plus rounding of the position: 2e-9 a million away."""
    blade, target = Sector(40 * factor, 0.05), Circle(factor)
    impact = im.sector_sweep(blade, swing(-1, 1, far, -far), target, still(far + 30 * factor, -far))
    expected = (1 - math.asin(1 / 30) - 0.05) / 2
    assert impact.time == nearly(expected, 1e-8 + 1e-9 * (far > 0) / factor)
    ram = im.sector_sweep(
        blade, going((far, -far), (40 * factor, 0)), Box(2 * factor, 2 * factor), still(far + 61 * factor, -far)
    )
    assert ram.time == nearly(0.5, 1e-8 + 1e-9 * (far > 0) / factor)
    assert ram.normal == nearly((1, 0), 1e-3)


def random_ways(rng, spin):
    start, end = rng.uniform(-14, 14, (2, 2))
    facing, places = rng.uniform(-3, 3), rng.uniform(-2, 2, (2, 2))
    motion = Motion(Pose(*places[0], facing), Pose(*places[1], facing + rng.uniform(-4, 4) * spin))
    return motion, Motion(Pose(*start, 0.3), Pose(*end, 0.3 + rng.uniform(-2, 2) * spin))


def backwards(motion, until):
    """Return the motion from a time back to the start."""
    part = motion.part(0.0, until)
    return Motion(part.end, part.start, part.acceleration)


@pytest.mark.parametrize("spin", [0, 1])
@pytest.mark.parametrize("shape", SWEPT)
def test_time_run_backwards(shape, spin):
    """Reversed from the first contact, they touch at once; reversed from slightly earlier, never."""
    rng = np.random.default_rng(9)
    count = 0
    for _ in range(150):
        motion, shape_motion = random_ways(rng, spin)
        sector = Sector(rng.uniform(3, 9), rng.uniform(0.1, 3.1))
        impact = im.sector_sweep(sector, motion, shape, shape_motion)
        if impact is None:
            assert im.sector_sweep(sector, backwards(motion, 1.0), shape, backwards(shape_motion, 1.0)) is None
        elif impact.time > 1e-3:
            count += 1
            back = im.sector_sweep(sector, backwards(motion, impact.time), shape, backwards(shape_motion, impact.time))
            assert back.time == nearly(0.0, 1e-6)
            before = impact.time - 1e-5
            assert im.sector_sweep(sector, backwards(motion, before), shape, backwards(shape_motion, before)) is None
    assert count > 30


@pytest.mark.parametrize("spin", some([1, 0]))
@pytest.mark.parametrize("shape", SWEPT)
def test_a_sector_hits_between_a_fan_inside_it_and_one_around_it(shape, spin):
    """Two polygons of chords and of tangents are ordinary solids: see `time_of_impact`."""
    rng = np.random.default_rng(10)
    count = 0
    for _ in range(100):
        motion, shape_motion = random_ways(rng, spin)
        radius, half = rng.uniform(4, 9), rng.uniform(0.2, 1.5)
        chords = 100
        steps = np.linspace(-half, half, chords + 1)
        inside = Polygon([(0, 0), *(away(radius, step) for step in steps)])
        far, middles = radius / math.cos(half / chords), 0.5 * (steps[1:] + steps[:-1])
        corners = [away(radius, -half), *(away(far, step) for step in middles), away(radius, half)]
        around = Polygon([(0, 0), *corners])
        impact = im.sector_sweep(Sector(radius, half), motion, shape, shape_motion)
        first = im.time_of_impact(around, motion, shape, shape_motion)
        last = im.time_of_impact(inside, motion, shape, shape_motion)
        if last is not None:
            assert impact.time <= last.time + 1e-9
        if impact is not None:
            # No exact graze is among these.
            assert first.time <= impact.time + 1e-6
            count += 1
        if impact is not None and last is not None and impact.time > 0:
            assert last.time - first.time <= 0.1
    assert count > 30


# Errors: by name, with the value.

NONSENSE = [None, "disk", 3.0, (1, 2), object]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 1), "radius must be positive and finite, got 0"),
        ((-1, 1), "radius must be positive and finite, got -1"),
        ((math.nan, 1), "radius must be positive and finite, got nan"),
        ((math.inf, 1), "radius must be positive and finite, got inf"),
        ((1e-101, 1), "radius must be from 1e-100 to 1e\\+100, got 1e-101"),
        (("10", 1), "radius must be a number, got '10'"),
        ((None, 1), "radius must be a number, got None"),
        ((10, 0), "half_angle must be more than 0 and at most pi, got 0"),
        ((10, -0.5), "half_angle must be more than 0 and at most pi, got -0.5"),
        ((10, 3.1416), "half_angle must be more than 0 and at most pi, got 3.1416"),
        ((10, math.nan), "half_angle must be finite, got nan"),
        ((10, [1]), "half_angle must be a number, got \\[1\\]"),
        ((10, 1, 10), "inner_radius must be less than the radius 10.0, got 10"),
        ((10, 1, 11), "inner_radius must be less than the radius 10.0, got 11"),
        ((10, 1, -1), "inner_radius must be finite and not negative, got -1"),
        ((10, 1, math.nan), "inner_radius must be finite and not negative, got nan"),
        ((10, 1, "5"), "inner_radius must be a number, got '5'"),
    ],
)
def test_no_sector_of_nonsense(arguments, message):
    with pytest.raises(ShapeError, match=message):
        Sector(*arguments)


def test_a_sector_is_a_value():
    assert Sector(10, 1) == Sector(10.0, 1.0, 0)
    assert len({Sector(10, 1), Sector(10.0, 1.0), Sector(10, 1, 2)}) == 2
    with pytest.raises(AttributeError):
        CONE.radius = 5
    assert Sector(np.float64(10), np.float32(1)).radius == 10


@pytest.mark.parametrize("value", NONSENSE)
def test_what_is_no_sector_no_pose_no_solid_and_no_motion_is_refused_by_name(value):
    calls = {
        "sector": [
            lambda: im.sector_hit(value, HERE, Circle(1), HERE),
            lambda: im.visible_outline(value, HERE, ()),
            lambda: im.sector_sweep(value, ORIGIN, Circle(1), ORIGIN),
            lambda: im.batch.sector_hits(value, HERE, [(0, 0)], 1),
        ],
        "pose": [
            lambda: im.sector_hit(CONE, value, Circle(1), HERE),
            lambda: im.visible_outline(CONE, value, ()),
            lambda: im.batch.sector_hits(CONE, value, [(0, 0)], 1),
            lambda: CONE.contains((0, 0), value),
            lambda: CONE.bounds(value),
        ],
        "shape": [
            lambda: im.sector_hit(CONE, HERE, value, HERE),
            lambda: im.sector_sweep(CONE, ORIGIN, value, ORIGIN),
        ],
        "shape_pose": [lambda: im.sector_hit(CONE, HERE, Circle(1), value)],
        "motion": [lambda: im.sector_sweep(CONE, value, Circle(1), ORIGIN)],
        "shape_motion": [lambda: im.sector_sweep(CONE, ORIGIN, Circle(1), value)],
    }
    for name, callers in calls.items():
        for call in callers:
            with pytest.raises(ShapeError) as caught:
                call()
            assert str(caught.value).startswith(f"{name} must be a")
            assert str(caught.value).endswith(f"got {value!r}")


@pytest.mark.parametrize(
    ("place", "message"),
    [
        (3, "place must be two numbers \\(x, y\\), got 3"),
        ((1, 2, 3), "place must be two numbers \\(x, y\\), got \\(1, 2, 3\\)"),
        ((1, math.nan), "place\\[1\\] must be finite, got nan"),
        (("1", 2), "place\\[0\\] must be a number, got '1'"),
    ],
)
def test_no_place_of_nonsense(place, message):
    with pytest.raises(ShapeError, match=message):
        CONE.contains(place, HERE)


WALL = (Box(1, 1), Pose(3, 0))


@pytest.mark.parametrize(
    ("walls", "message"),
    [
        (None, "occluders must be pairs of a solid and a Pose, got None"),
        (0, "occluders must be pairs of a solid and a Pose, got 0"),
        (3, "occluders must be pairs of a solid and a Pose, got 3"),
        (WALL, "occluders\\[0\\] must be a solid and a Pose, got Box"),
        ([WALL, Box(1, 1)], "occluders\\[1\\] must be a solid and a Pose, got Box"),
        ([WALL, WALL, (Box(1, 1), (3, 0))], "occluders\\[2\\] must be a solid and a Pose, got .*\\(3, 0\\)"),
        ([(Pose(3, 0), Box(1, 1))], "occluders\\[0\\] must be a solid and a Pose, got \\(Pose"),
        ([(CONE, HERE)], "occluders\\[0\\] must be a solid and a Pose, got \\(Sector"),
        ([(*WALL, 1)], "occluders\\[0\\] must be a solid and a Pose, got "),
        ("walls", "occluders\\[0\\] must be a solid and a Pose, got 'w'"),
        (np.zeros((2, 2)), "occluders\\[0\\] must be a solid and a Pose, got array"),
    ],
)
def test_no_walls_of_nonsense(walls, message):
    for call in (
        lambda: Occluders(walls),
        lambda: im.sector_hit(CONE, HERE, Circle(1), HERE, walls),
        lambda: im.visible_outline(CONE, HERE, walls),
        lambda: im.batch.sector_hits(CONE, HERE, [(0, 0)], 1, walls),
    ):
        with pytest.raises(ShapeError, match=message):
            call()


@pytest.mark.parametrize(
    ("tolerance", "message"),
    [
        (0, "tolerance must be positive and finite, got 0"),
        (-1, "tolerance must be positive and finite, got -1"),
        (math.nan, "tolerance must be positive and finite, got nan"),
        ("fine", "tolerance must be a number, got 'fine'"),
    ],
)
def test_no_tolerance_of_nonsense(tolerance, message):
    with pytest.raises(ShapeError, match=message):
        im.visible_outline(CONE, HERE, (), tolerance)


@pytest.mark.parametrize(
    ("centers", "radii", "message"),
    [
        ([(0, 0, 0)], 1, "centers must have shape \\(n, 2\\), got \\(1, 3\\)"),
        ((5, 0), 1, "centers must have shape \\(n, 2\\), got \\(2,\\)"),
        ([[(0, 0)]], 1, "centers must have shape \\(n, 2\\), got \\(1, 1, 2\\)"),
        ([("a", "b")], 1, "centers must be an array of numbers of shape \\(n, 2\\), got "),
        (None, 1, "centers must "),
        ([(0, 0), (1, math.nan)], 1, "centers must be finite .* got \\[1.0, nan\\] at \\[1\\]"),
        ([(0, 0), (-math.inf, 1)], 1, "centers must be finite .* got \\[-inf, 1.0\\] at \\[1\\]"),
        ([(0, 0), (1e6, 1e101)], 1, "centers must be finite and at most 1e\\+100 in size, got .* at \\[1\\]"),
        ([(0, 0)], [1, 2], "radii must have shape \\(1,\\) or be one number, got \\(2,\\)"),
        ([(0, 0)], [[1]], "radii must have shape \\(1,\\) or be one number, got \\(1, 1\\)"),
        ([(0, 0), (5, 0)], [1, -2], "radii must be finite and not negative, got -2.0 at \\[1\\]"),
        ([(0, 0), (500, 0)], -2, "radii must be finite and not negative, got -2.0 at \\[0\\]"),
        ([(0, 0), (500, 0)], [1, -2], "radii must be finite and not negative, got -2.0 at \\[1\\]"),
        ([(0, 0), (500, 0)], [1, math.nan], "radii must be finite and not negative, got nan at \\[1\\]"),
        ([(0, 0), (5, 0)], [1, math.inf], "radii must be finite and not negative, got inf at \\[1\\]"),
        ([(0, 0)], "big", "radii must be an array of numbers of shape \\(n,\\), got 'big'"),
        ([(0, 0)], 1j, "radii must be an array of numbers of shape \\(n,\\), got 1j"),
    ],
)
def test_no_disks_of_nonsense(centers, radii, message):
    for walls in ((), [WALL]):
        with pytest.raises(ShapeError, match=message):
            im.batch.sector_hits(CONE, HERE, centers, radii, walls)


def test_arrays_are_left_as_they_are():
    centers, radii = np.array([(5.0, 0.0), (0.0, 5.0), (4.0, 0.0)]), np.array([1.0, 1.0, 2.0])
    kept = centers.copy(), radii.copy()
    hits = im.batch.sector_hits(CONE, HERE, centers, radii, GATE)
    assert hits.indices.tolist() == [2, 0]
    np.testing.assert_array_equal(centers, kept[0])
    np.testing.assert_array_equal(radii, kept[1])
    for form in (centers.astype(np.float32), centers[::1].tolist(), np.asfortranarray(centers), centers.astype(int)):
        found = im.batch.sector_hits(CONE, HERE, form, radii, GATE)
        np.testing.assert_array_equal(found.indices, hits.indices)
        np.testing.assert_array_equal(found.distances, hits.distances)


@pytest.mark.parametrize("walls", [(), GATE])
def test_of_equal_distances_the_lower_index_comes_first(walls):
    centers = [(5, 0), (2.5, 0), (5, 0), (0, 9), (2.5, 0), (5, 0)]
    hits = im.batch.sector_hits(CONE, HERE, centers, 0.25, walls)
    assert hits.indices.tolist() == [1, 4, 0, 2, 5]
    assert hits.distances.tolist() == [2.25, 2.25, 4.75, 4.75, 4.75]
    assert hits.bearings.tolist() == [0.0] * 5
    none = im.batch.sector_hits(CONE, HERE, [], 1.0, walls)
    assert [part.shape for part in none] == [(0,)] * 3
    assert none.indices.dtype == np.int64


def test_points_among_disks():
    """A radius of 0 is a point: it is reached within the slop, which is only rounding."""
    hits = im.batch.sector_hits(CONE, HERE, [(5, 0), (10, 0), (10 + 1e-6, 0), (3, 3), (3, 3 + 1e-6), (0, 0)], 0)
    assert hits.indices.tolist() == [5, 3, 0, 1]
    assert hits.distances == nearly([0, math.sqrt(18), 5, 10])


def test_a_wall_in_line_with_the_apex_hides_no_more_than_itself():
    """Its side has no width then, but rounding swapped the bearings of its ends: as a whole turn, it hid everything.

    A guard on the line on which tiles begin had that once in 250 facings.
    """
    rng = np.random.default_rng(8)
    eye = im.Sector(10, math.pi)
    for _ in range(2000):
        along, facing = rng.uniform(-math.pi, math.pi, 2)
        distance, side = rng.uniform(1.0, 5.0), rng.choice([-0.5, 0.5])
        cos, sin = math.cos(along), math.sin(along)
        wall = im.Box(1, 1), im.Pose(distance * cos - side * sin, distance * sin + side * cos, along)
        x, y = im.visible_outline(eye, im.Pose(0, 0, facing), [wall]).T
        lit = 0.5 * abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1)))
        hidden = math.atan2(1.0, distance - 0.5)  # the side of a unit that faces the apex, from its line on
        assert lit > (1.0 - hidden / math.tau) * eye.area * 0.998  # chords instead of arcs


def test_the_inner_arc_is_seen_up_to_a_round_wall_that_crosses_it():
    """The smallest bearing at the inner radius is where the pillar crosses it, not where sight lines touch it."""
    ring, size, away = im.Sector(10, 1.2, inner_radius=5), 1.5, 5.5
    pillar = im.Circle(size), im.Pose(away * math.cos(-0.1), away * math.sin(-0.1))
    hit = im.sector_hit(ring, im.Pose(0, 0), im.Box(30, 30), im.Pose(0, 0), [pillar])
    # The triangle of the apex, the centre of the pillar, and the crossing.
    expected = math.acos((away**2 + 5**2 - size**2) / (2 * away * 5)) - 0.1
    assert hit.distance == 5.0
    assert abs(hit.bearing) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("wall", [(Box(2, 2), Pose(0, 5)), (Box(1e6, 1e6), Pose(-5e5 - 0.1, 0))])
@pytest.mark.parametrize("half_angle", [1e-300, 1e-10, 1e-4])
def test_a_narrow_sector_is_not_taken_for_a_gap(wall, half_angle):
    """Gaps narrower than the slop count as closed. A thin sector was treated as such a gap when any wall was near."""
    seen = im.sector_hit(Sector(1, half_angle), HERE, Circle(0.1), Pose(0.5, 0), [wall])
    assert seen is not None
    assert seen.distance == pytest.approx(0.4, abs=1e-12)


@pytest.mark.parametrize("gap", [1e-3, 1e-6])
@pytest.mark.parametrize("pull", [0.6, 6.0, 60.0])
def test_what_falls_past_an_edge_is_not_hit(gap, pull):
    """Games leave skins of that size. The steps of the advancement shrank beside the edge until it gave up."""
    falls = Motion.ballistic(Pose(-1 - gap, 20), (0, -60), (0, -pull))
    assert im.sector_sweep(Sector(40, math.pi / 2), Motion.still(HERE), Circle(1), falls) is None


def test_what_is_in_the_hole_of_a_swinging_ring_is_not_hit():
    ring, swing = Sector(40, 0.3, 20), Motion(HERE, Pose(1e-3, 0, 2))
    assert im.sector_sweep(ring, swing, Circle(1), Motion.still(Pose(18.9, 0))) is None
    back = Motion(Pose(0, 0, -0.1), Pose(-1e-3, 0, 0.1))  # so the hole leaves it, half a thousandth before the arc
    struck = im.sector_sweep(ring, back, Circle(1), Motion.still(Pose(19 - 5e-4, 0)))
    assert struck is not None
    assert struck.time == pytest.approx(0.5, abs=1e-4)


def onto_the_apex(view, half_angle, corners, way):
    """Return the impact of a resting sector and a polygon that reaches its apex at half time."""
    begin, end = (seen_from(view, part * way[0], part * way[1]) for part in (-0.5, 0.5))
    return im.sector_sweep(Sector(10, half_angle), Motion.still(view), Polygon(corners), Motion(begin, end))


@pytest.mark.parametrize("view", VIEWS)
def test_a_face_that_strikes_the_apex_tells_its_own_normal(view):
    """From below, at 3 degrees to the edge of a sector of 17 degrees, which was taken to reach downwards at its apex.

    So it seemed to continue along this normal. The normal of another face was reported, with a vertex that is not
    there. A shift along that normal separated them by half of its length.
    """
    corners = [(-0.2, -1.6), (0.9, -0.18), (-0.6, 0.12), (-1.2, -0.5), (-2.2, -1.6)]
    impact = onto_the_apex(view, 0.15, corners, (-1, 10))
    normal = turned(view.angle, -1 / math.sqrt(26), -5 / math.sqrt(26))  # perpendicular to y = -x / 5
    assert_impact(impact, 0.5, normal, (view.x, view.y), edge(1))


@pytest.mark.parametrize("view", VIEWS)
def test_a_triangle_that_strikes_a_needle_is_not_drawn_over_it(view):
    """A sector of 6 degrees, and a triangle that rises from below with its upper side against the apex.

    For the same reason as above, the normal of its lower side was reported. That points up: a shift along it moved the
    triangle over the sector, and the gap stayed 0.
    """
    impact = onto_the_apex(view, 0.05, [(-6, 2), (-4, -3), (1.2, -0.4)], (3, 11))
    normal = turned(view.angle, -1 / math.sqrt(10), -3 / math.sqrt(10))  # perpendicular to y = -x / 3
    assert_impact(impact, 0.5, normal, (view.x, view.y), edge(2))
