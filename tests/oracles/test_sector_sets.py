"""Test the oracle for sectors against figures worked out by hand, 50 digits, Shapely, and dense samples."""

from __future__ import annotations

import math
from dataclasses import replace

import mpmath
import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

import impinge as im
from scale import cases
from sector_sets import (
    Outlines,
    Scene,
    Sectors,
    Ways,
    chords_needed,
    convex_parts,
    exact_disk_gap,
    exact_nearest,
    first_touches,
    inside_polygon,
    outside_polygon,
    polygon_bounds,
    random_sectors,
)
from shapely_solids import EPSILON, KINDS, Catalogue, random_catalogue, whole

QUARTER = math.pi / 4
ROOT = math.sqrt(2)
PAIR = im.Compound([(im.Circle(1), im.Pose(14, 0)), (im.Circle(1), im.Pose(0, 30))])


def sector(radius, half_angle, inner_radius=0.0, pose=(0.0, 0.0, 0.0)):
    return Sectors(*(np.array([value], np.float64) for value in (radius, half_angle, inner_radius, pose)))


def gap(one, center, radius=0.0):
    return wide(one.fine.disk_gaps(np.array([center], np.longdouble), np.array([radius], np.longdouble))[0])


def wide(value):
    """Return all bits of a long double."""
    high = float(value)
    if math.isinf(high):
        return high
    with mpmath.workdps(50):
        return mpmath.mpf(high) + mpmath.mpf(float(value - high))


def nearest(one, center, radius):
    found = one.fine.nearest(np.array([center], np.longdouble), np.array([radius], np.longdouble))
    return wide(found.distances[0]), float(found.bearings[0])


def solid_gap(one, solid, pose=(0.0, 0.0, 0.0)):
    return float(Outlines(Catalogue([solid])).gaps(one.fine, np.array([0]), np.array([pose], np.longdouble))[0])


# Figures worked out by hand.


@pytest.mark.parametrize(
    ("one", "point", "expected"),
    [
        (sector(10, QUARTER), (5, 5), 0),
        (sector(10, QUARTER), (13, 0), 3),
        (sector(10, QUARTER), (-4, 3), 5),  # the apex
        (sector(10, QUARTER), (0, 4), 2 * ROOT),  # the upper edge
        (sector(10, QUARTER), (2, -6), 2 * ROOT),  # the lower edge
        (sector(10 * ROOT, QUARTER), (7, 14), 5),  # its corner (10, 10), a 3-4-5 triangle
        (sector(10, QUARTER, 4), (1, 0), 3),
        (sector(10, QUARTER, 5), (0, 0), 5),
        (sector(10 * ROOT, QUARTER, 5 * ROOT), (2, 1), 5 * ROOT - math.sqrt(5)),
        (sector(10 * ROOT, QUARTER, 5 * ROOT), (1, 2), 5),  # the inner corner (5, 5)
        (sector(10, math.pi), (-12, 0), 2),
        (sector(10, math.pi, 3), (-1, 0), 2),
        (sector(10, 3 * QUARTER), (-5, 0), 5 / ROOT),  # behind, equally far from both edges
        (sector(10, 3 * QUARTER), (-5, 6), 0),
        (sector(10, math.pi / 2), (-2, 3), 2),
        (sector(10, QUARTER, 0, (100, 50, math.pi / 2)), (100, 63), 3),
        (sector(10, QUARTER, 0, (100, 50, math.pi)), (87, 50), 3),
        (sector(10, QUARTER, 0, (100, 50, 4.5 * math.pi)), (97, 46), 5),
    ],
)
def test_gaps(one, point, expected):
    assert float(gap(one, point)) == pytest.approx(expected, abs=1e-14)
    assert float(gap(one, point, 0.5)) == pytest.approx(expected - 0.5, abs=1e-14)
    assert float(exact_disk_gap(one, point, 0.5)) == pytest.approx(expected - 0.5, abs=1e-14)


@pytest.mark.parametrize(
    ("one", "center", "radius", "distance", "bearing"),
    [
        (sector(10, QUARTER), (8, 0), 3, 5, 0),
        (sector(10, QUARTER), (8, 1), 9, 0, 0),  # contains the apex
        (sector(10, QUARTER), (13, 0), 2.5, math.inf, math.nan),
        (sector(10, QUARTER), (6, 8), 5, 7 * ROOT - math.sqrt(23), QUARTER),
        (sector(10, QUARTER), (0, 3 * ROOT), 5, 0, 0),
        (sector(10, QUARTER), (0, 7), 5, 3 * ROOT, QUARTER),
        (sector(10, QUARTER), (-3, 0), 3, 0, 0),
        (sector(10, QUARTER), (-3, 0), 2, math.inf, math.nan),
        (sector(10, QUARTER, 5), (8, 0), 4, 5, 0),
        (sector(10, QUARTER, 5), (8, 0), 2, 6, 0),
        (sector(10, QUARTER, 5), (0, 0), 4, math.inf, math.nan),
        (sector(10, QUARTER, 5), (0, 0), 5, 5, 0),
        (sector(10, math.pi), (-8, 0), 3, 5, math.pi),
        (sector(10, math.pi / 2, 5), (-3, 4), 5, 5, math.atan2(4, -3) - math.pi / 3),  # where the distance is 5
    ],
)
def test_nearest_points(one, center, radius, distance, bearing):
    found = nearest(one, center, radius)
    exactly = exact_nearest(one, center, radius)
    assert float(found[0]) == pytest.approx(distance, abs=1e-14)
    if math.isinf(distance):
        assert exactly is None
        return
    assert found[1] == pytest.approx(bearing, abs=1e-14)
    assert float(exactly[0]) == pytest.approx(distance, abs=1e-14)
    assert float(abs(exactly[1])) == pytest.approx(abs(bearing), abs=1e-14)


@pytest.mark.parametrize(
    ("center", "region"),
    [((5, 1), 1), ((50, 1), 1), ((7, 14), 2), ((7, -14), 3), ((-5, 1), 4), ((2, -4), 5), ((2, 4), 6)],
)
def test_regions(center, region):
    one, centers = sector(10 * ROOT, QUARTER), np.array([center], np.float64)
    assert one.regions(centers)[0] == region
    assert one.border_distances(centers)[0] > 0.5


@pytest.mark.parametrize(
    ("one", "solid", "pose", "expected"),
    [
        (sector(10, QUARTER), im.Box(2, 2), (14, 0, 0), 3),
        (sector(10, QUARTER), im.Box(2, 2), (5, 0, 0.3), 0),
        (sector(10, QUARTER), im.Box(200, 200), (0, 0, 0), 0),  # encloses the whole sector
        (sector(10, QUARTER), im.Box(2, 2), (-4, 0, 0), 3),
        (sector(10, QUARTER), im.Capsule((0, 12), (12, 0), 1), (0, 0, 0), 0 - 1),
        (sector(10, QUARTER), im.Capsule((-12, 30), (12, 30), 1), (0, 0, 0), 30 - 5 * ROOT - 1),
        (sector(10, QUARTER), im.Capsule((15, -9), (15, 9)), (0, 0, 0), 5),
        (sector(10, math.pi, 6), im.Capsule((-3, 4), (3, 4)), (0, 0, 0), 1),
        (sector(10, math.pi, 6), im.Box(4, 4), (0, 0, 0), 6 - 2 * ROOT),
        (sector(10, QUARTER, 6), im.Capsule((0, 0), (12, 0)), (0, 0, 0), 0),  # out of the hole, through the ring
        (sector(10, QUARTER, 6), im.Capsule((-1, 0), (5, 0)), (0, 0, 0), 1),
        (sector(10, QUARTER), PAIR, (0, 0, 0), 3),
        # The apex is in the notch, near its bottom: the bottom is nearer than the sides of the notch.
        (sector(3, QUARTER), im.Polygon([(5, -9), (5, 9), (-9, 9), (-9, 7), (4, 7), (4, -9)]), (0, 0, 0), 1),
    ],
)
def test_gaps_of_solids(one, solid, pose, expected):
    assert solid_gap(one, solid, pose) == pytest.approx(expected, abs=1e-14)


def test_extents_and_what_is_inside_by_a_margin():
    assert sector(10, math.pi).extents[0] == 20
    assert sector(10, math.pi / 2).extents[0] == pytest.approx(10)
    assert sector(10, math.pi / 6).extents[0] == pytest.approx(10)
    assert sector(10, math.pi / 3, 9).extents[0] == pytest.approx(5.5)
    rng = np.random.default_rng(3)
    sectors = random_sectors(rng, 20_000, (0.5, 2.0), 1.0)
    margins = 0.05 * rng.random(20_000) * sectors.extents
    deep = sectors.inset(margins)
    points = sectors.poses[:, :2] + rng.uniform(-2, 2, (20_000, 2))
    inside = (deep.point_gaps(points) == 0.0) & (deep.radii > deep.inner_radii)
    directions = np.linspace(0, 2 * np.pi, 16)
    for angle in directions:
        around = points + 0.999 * margins[:, None] * (np.cos(angle), np.sin(angle))
        assert (sectors.point_gaps(around)[inside] <= 1e-12).all()
    assert inside.sum() > 1000


# Compared with 50 digits.

angles = st.one_of(st.floats(1e-3, math.pi), st.sampled_from([QUARTER, math.pi / 2, 3 * QUARTER, math.pi]))
coordinates = st.floats(-20, 20).map(lambda value: value if abs(value) > 1e-6 else 0.0)


inner_radii = st.sampled_from([0.0, 0.0, 1.0, 5.0, 9.99])


@given(angles, inner_radii, st.floats(-7, 7), coordinates, coordinates, st.floats(0.01, 15))
def test_disks_have_the_gaps_and_the_nearest_points_of_fifty_digits(half_angle, inner, facing, x, y, radius):
    one = sector(10.0, half_angle, inner, (0.3, -0.7, facing))
    exactly = exact_disk_gap(one, (x, y), radius)
    assert abs(mpmath.fsub(gap(one, (x, y), radius), exactly, exact=True)) <= 1e-17
    if abs(exactly) < 1e-17:
        return
    found, exact = nearest(one, (x, y), radius), exact_nearest(one, (x, y), radius)
    assert (exact is None) == math.isinf(found[0]) == (exactly > 0)
    if exact is None:
        return
    # Where a disk is tangent to an edge, half of the digits are lost: nine remain.
    assert abs(found[0] - exact[0]) <= 1e-8
    is_anywhere = abs(abs(found[1]) - half_angle) < 1e-12 or abs(found[1]) > 3.14159
    if exact[0] > 0:
        assert abs(abs(found[1]) - abs(exact[1])) <= 1e-7
        assert is_anywhere or abs(found[1] - exact[1]) <= 1e-7


@given(st.floats(0.3, 3.0), st.floats(-0.29, 0.29), st.floats(1e-6, 1e-2), st.floats(-0.999999, 0.999999))
def test_small_disks_at_the_inner_arc_have_the_bearings_of_fifty_digits(half_angle, bearing, radius, reach):
    one = sector(10.0, half_angle, 5.0)
    far = 5.0 + reach * radius
    center = (far * math.cos(bearing), far * math.sin(bearing))
    assert abs(nearest(one, center, radius)[1] - float(exact_nearest(one, center, radius)[1])) <= 1e-13


# Compared with dense samples.


def inside_of(one, count):
    """Return points of a sector in its own frame, including points of its border."""
    radius, half_angle, inner = (float(value[0]) for value in (one.radii, one.half_angles, one.inner_radii))
    lengths, bearings = np.meshgrid(np.linspace(inner, radius, count), np.linspace(-half_angle, half_angle, count))
    return np.column_stack([(lengths * np.cos(bearings)).ravel(), (lengths * np.sin(bearings)).ravel()])


def test_gaps_are_those_of_the_nearest_sampled_point():
    rng = np.random.default_rng(5)
    sectors = random_sectors(rng, 150, (0.5, 2.0), 0.0)
    sectors.poses[:] = 0.0
    points = rng.uniform(-3, 3, (150, 2))
    gaps = sectors.point_gaps(points)
    for row in range(150):
        sampled = np.hypot(*(inside_of(sectors[row : row + 1], 400) - points[row]).T).min()
        assert gaps[row] <= sampled + 1e-12
        assert sampled - gaps[row] <= 2.0 * np.pi / 400


def test_nearest_points_are_those_of_the_nearest_sampled_ones():
    rng = np.random.default_rng(6)
    count = cases(300, least=100)
    sectors = random_sectors(rng, count, (0.5, 2.0), 0.0)
    sectors.poses[:] = 0.0
    centers, radii = rng.uniform(-2, 2, (count, 2)), rng.uniform(0.1, 1.5, count)
    found, gaps = sectors.nearest(centers, radii), sectors.disk_gaps(centers, radii)
    seen = 0
    for row in range(count):
        points = inside_of(sectors[row : row + 1], 401)
        points = points[np.hypot(*(points - centers[row]).T) <= radii[row]]
        if len(points) == 0:
            continue
        far = np.hypot(*points.T)
        least = far.min()
        assert found.distances[row] <= least + 1e-12
        if gaps[row] < -0.1:
            seen += 1
            assert least - found.distances[row] <= 0.2
            bearings = abs(np.arctan2(*points[far <= least + 1e-12].T[::-1]))
            if sectors.inner_radii[row] == found.distances[row] > 0.0 and least <= found.distances[row] + 1e-12:
                assert abs(found.bearings[row]) <= bearings.min() + 1e-12
                assert bearings.min() - abs(found.bearings[row]) <= 0.02
    assert seen > 80 / 300 * count


# Compared with Shapely.


def test_the_polygons_are_inside_and_outside():
    rng = np.random.default_rng(7)
    for radius, half_angle, inner, _ in zip(*vars(random_sectors(rng, 150, (0.5, 2.0), 1.0)).values(), strict=True):
        one = sector(radius, half_angle, inner)
        area = half_angle * (radius**2 - inner**2)
        chords = chords_needed(radius, half_angle, inner, 1e-3)
        within, around = (make(radius, half_angle, inner, chords) for make in (inside_polygon, outside_polygon))
        for polygon in (within, around):
            assert polygon.is_valid
            assert polygon.area == pytest.approx(area, abs=1e-2 * radius**2 * half_angle)
        assert within.area <= area <= around.area
        points = rng.uniform(-2, 2, (2000, 2)) * radius
        gaps = one[np.zeros(len(points), int)].point_gaps(points)
        assert (gaps[shapely.contains_xy(within, *points.T)] <= 1e-12).all()
        assert (gaps[~shapely.intersects_xy(around, *points.T)] > 0.0).all()


def test_gaps_of_solids_are_between_those_of_the_polygons():
    """The gaps of solids of all kinds lie between those of the two polygons.

    The nearest point of a part is also checked: a sector of that radius reaches it.
    """
    rng = np.random.default_rng(8)
    count = 1200
    catalogue = random_catalogue(rng, 60, (0.1, 2.0))
    outlines = Outlines(catalogue)
    sectors = random_sectors(rng, 40, (0.5, 3.0), 0.0)[rng.integers(0, 40, count)]
    sectors.poses[:] = 0.0
    chosen = rng.integers(0, 60, count)
    bearing = rng.uniform(-np.pi, np.pi, count)
    far = rng.uniform(0, 1, count) * (sectors.radii + catalogue.reaches[chosen])
    poses = np.column_stack([far * np.cos(bearing), far * np.sin(bearing), rng.uniform(-np.pi, np.pi, count)])
    numbers = list(zip(sectors.radii, sectors.half_angles, sectors.inner_radii, strict=True))
    chords = [chords_needed(*row, 1e-5) for row in numbers]
    polygons = [
        np.array([make(*row, count) for row, count in zip(numbers, chords, strict=True)])
        for make in (inside_polygon, outside_polygon)
    ]
    gaps = outlines.gaps(sectors.fine, chosen, poses)
    least, greatest, first, last = polygon_bounds(catalogue, chosen, poses, *polygons)
    apart = gaps > 1e-12
    assert (least <= gaps + 1e-12)[apart].all()
    assert (gaps <= greatest + 1e-12).all()
    assert (greatest - least <= 1e-4)[apart].all()
    assert 0.2 < apart.mean() < 0.8
    touching = np.isfinite(last) & ~apart
    for lengths, is_met in ((first - 1e-9, False), (last + 1e-9, True)):
        rows = np.flatnonzero(touching & (lengths > sectors.inner_radii))
        reached = outlines.gaps(sectors.up_to(lengths)[rows].fine, chosen[rows], poses[rows])
        assert ((reached <= 1e-12) if is_met else (reached > 0.0)).all()
        assert len(rows) > 100
    assert set(KINDS) > {"compound", "segment"}


# Rays.


def test_rays_end_where_shapely_says():
    rng = np.random.default_rng(9)
    catalogue = random_catalogue(rng, 40, (0.3, 1.5))
    for number in range(30):
        apex = tuple(rng.uniform(-2, 2, 2))
        standing = [
            (catalogue.solids[k], im.Pose(*rng.uniform(-5, 5, 2), rng.uniform(-3, 3))) for k in rng.integers(0, 40, 5)
        ]
        around = shapely.union_all([whole(solid, pose) for solid, pose in standing])
        scene = Scene(apex, standing)
        bearings = rng.uniform(-np.pi, np.pi, 40)
        first = scene.first(bearings)
        ways = np.column_stack([np.cos(bearings), np.sin(bearings)])
        rays = shapely.linestrings(np.stack([np.broadcast_to(apex, ways.shape), apex + 20 * ways], axis=1))
        theirs = shapely.distance(shapely.intersection(rays, around), shapely.Point(apex))
        theirs[np.isnan(theirs)] = np.inf
        grazed = shapely.intersects(rays, around.buffer(2e-3)) & ~shapely.intersects(rays, around)
        assert (np.isinf(first) == np.isinf(theirs))[~grazed].all(), number
        both = np.isfinite(first) & np.isfinite(theirs)
        ends = np.array(apex) + first[both, None] * ways[both]
        assert (shapely.distance(around, shapely.points(ends)) <= 1e-3).all()
        before = np.array(apex) + (first[both, None] - 5e-3) * ways[both]
        assert not shapely.contains_xy(around.buffer(-2e-3), *before[first[both] > 5e-3].T).any()


def test_spans_of_convex_parts():
    slab = Scene((0, 0), [(im.Box(2, 4), im.Pose(5, 0))])
    low, high = slab.span(np.array([0.0, math.atan2(1, 4), 1.0, math.pi]))
    np.testing.assert_allclose(low[:2], [4, math.hypot(4, 1)], atol=1e-14)
    np.testing.assert_allclose(high[:2], [6, math.hypot(6, 1.5)], atol=1e-14)
    assert np.isinf(low[2])
    assert low[3] == pytest.approx(-6)
    angle = im.Polygon([(0, 0), (5, 0), (5, 1), (1, 1), (1, 4), (0, 4)])
    spans = [Scene((-1, 0), [part]).span(np.array([0.6])) for part in convex_parts(angle, im.Pose(0, 0))]
    assert min(low[0] for low, _ in spans) == pytest.approx(1 / math.cos(0.6))
    assert max(high[0] for _, high in spans if np.isfinite(high[0])) == pytest.approx(2 / math.cos(0.6))
    disk = Scene((0, 0), [(im.Circle(1), im.Pose(0, 3))])
    np.testing.assert_allclose(disk.span(np.array([math.pi / 2]))[0], 2, atol=1e-14)
    np.testing.assert_allclose(np.diff(disk.silhouettes()), [2 * math.asin(1 / 3)], atol=1e-14)
    assert Scene((0.3, 0.2), [(im.Box(1, 1), im.Pose(0, 0))]).first(np.zeros(1))[0] == 0.0
    assert np.isinf(Scene((0, 0), []).first(np.zeros(1))[0])


# Sampled times.


def test_the_first_of_all_steps_is_found():
    """Compare with all steps, measured one by one."""
    rng = np.random.default_rng(10)
    count, levels = 400, 9
    sectors = random_sectors(rng, count, (0.5, 2.0), 0.0)
    starts = np.column_stack([rng.uniform(-4, 4, (count, 2)), np.zeros(count)])
    disks = Ways(starts, -starts * rng.uniform(0, 1.5, (count, 1)), rng.normal(0, 3, (count, 2)))
    ends = sectors.poses + np.column_stack([rng.normal(0, 1, (count, 2)), rng.normal(0, 9, count)])
    blades = Ways(sectors.poses, ends, rng.normal(0, 1, (count, 2)))
    radii = rng.uniform(0.05, 0.5, count)

    def gaps(rows, times):
        moved = replace(sectors[rows], poses=blades[rows].at(times))
        return moved.disk_gaps(disks[rows].at(times)[:, :2], radii[rows])

    speeds = disks.speeds_from(blades) + blades.turns * sectors.radii
    found, least = first_touches(gaps, speeds, np.zeros(count), levels)
    steps = np.linspace(0, 1, 2**levels + 1)
    every = np.stack([gaps(np.arange(count), np.full(count, step)) for step in steps], axis=1)
    expected = np.where((every <= 0.0).any(axis=1), steps[np.argmax(every <= 0.0, axis=1)], np.inf)
    np.testing.assert_array_equal(found, expected)
    assert 0.2 < np.isfinite(found).mean() < 0.8
    assert (least >= every.min(axis=1) - 1e-12).all()
    assert (abs(np.diff(every, axis=1)) <= speeds[:, None] / 2**levels * (1 + 1e-12) + 64 * EPSILON).all()


def test_ways_are_motions():
    rng = np.random.default_rng(11)
    ways = Ways(*rng.normal(0, 3, (2, 50, 3)), rng.normal(0, 5, (50, 2)))
    times = np.append(rng.random(49), 1.0)
    motions = [motion.at(time) for motion, time in zip(ways.one_by_one(), times.tolist(), strict=True)]
    np.testing.assert_allclose(ways.at(times), [(pose.x, pose.y, pose.angle) for pose in motions], atol=1e-13)
