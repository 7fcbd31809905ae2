"""Random sectors against the polar oracle in 80 bits, Shapely, rays, sampled times, and symmetries.

At the scale of CI: 50,000 disks, half of them built to touch a border, exactly or within 1e-12 or 1e-8; 5,000 solids of
all kinds; 100 scenes with occluders and some 55 maps of tiles; 11,000 sweeps of disks and 1,400 of solids, each sampled
in 16,384 steps, except where a bound on their speeds excludes a contact. `IMPINGE_SCALE=10` in the environment makes it
ten times as many.

All cases are judged, except in the band where the slop's own uncertainty leaves both answers open. There, scalar and
batch must still agree.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pytest
import shapely

import impinge as im
from scale import IS_SMALL, cases
from sector_sets import (
    FINE,
    NOISE_UNITS,
    Outlines,
    Scene,
    Sectors,
    Ways,
    chords_needed,
    convex_parts,
    first_touches,
    inside_polygon,
    outside_polygon,
    polygon_bounds,
    random_sectors,
)
from shapely_solids import EPSILON, KINDS, Catalogue, Pairs, leaves, placing, random_catalogue

DISKS_EACH = 200
# Number of sectors, their sizes, distance from the origin, sizes of disks in radii of the sector, and the share of
# disks that are built to touch a border.
REALMS = {
    "units": (50, (0.5, 2.0), 10.0, (1e-2, 3.0), 0.0),
    "borders": (60, (0.5, 2.0), 10.0, (1e-2, 3.0), 0.9),
    "borders at the origin": (30, (0.5, 2.0), 0.0, (1e-2, 3.0), 0.9),
    "borders far away": (20, (0.5, 2.0), 1e6, (1e-2, 3.0), 0.9),
    "disks of all sizes": (30, (0.5, 2.0), 1.0, (1e-6, 1e6), 0.3),
    "tiny": (20, (1e-3, 2e-3), 1e-3, (1e-2, 3.0), 0.3),
    "tiny and far away": (20, (1e-3, 1e-2), 1e6, (1e-2, 3.0), 0.3),
    "huge": (20, (1e5, 1e6), 1e6, (1e-2, 3.0), 0.3),
}
realms = pytest.mark.parametrize("name", REALMS)
# In extents of the smaller one: clearly on one side of the slop, or clearly within it.
OFFSETS = (0.0, 1e-12, -1e-12, 1e-8, -1e-8)


class Answers(NamedTuple):
    """Found hits: distances and bearings are NaN where there is none."""

    hit: np.ndarray
    distances: np.ndarray
    bearings: np.ndarray


@dataclass
class Disks:
    """Sectors, each with several disks: row r is a disk of sector ``owners[r]``."""

    sectors: Sectors
    centers: np.ndarray
    radii: np.ndarray

    @property
    def owners(self):
        return np.repeat(np.arange(len(self.sectors)), len(self.radii) // len(self.sectors))

    @functools.cached_property
    def rows(self):
        return self.sectors[self.owners]

    @functools.cached_property
    def fine(self):
        return self.rows.fine, self.centers.astype(FINE), self.radii.astype(FINE)

    @functools.cached_property
    def gaps(self):
        sectors, centers, radii = self.fine
        return sectors.disk_gaps(centers, radii)

    @property
    def noise(self):
        return NOISE_UNITS * (self.rows.radii + self.radii + np.hypot(*(self.centers - self.rows.poses[:, :2]).T))

    @property
    def slops(self):
        """Return bounds of the slop: the largest coordinate it depends on is not specified exactly."""
        places = np.maximum(abs(self.rows.poses[:, :2]), abs(self.centers)).max(axis=1)
        extents = 1e-9 * np.minimum(self.rows.extents, 2.0 * self.radii)
        return extents + 8 * EPSILON * places, extents + 8 * EPSILON * (places + self.rows.radii + self.radii)

    def answers(self, occluders=None):
        """Return the answers of the array functions."""
        answers = Answers(np.zeros(len(self.radii), bool), *np.full((2, len(self.radii)), np.nan))
        each = len(self.radii) // len(self.sectors)
        for number, (sector, pose) in enumerate(self.sectors.one_by_one()):
            part = slice(number * each, (number + 1) * each)
            standing = () if occluders is None else occluders[number]
            found = im.batch.sector_hits(sector, pose, self.centers[part], self.radii[part], standing)
            rows = found.indices + number * each
            assert found.indices.dtype == np.int64
            order = list(zip(found.distances.tolist(), found.indices.tolist(), strict=True))
            assert order == sorted(order)
            assert len(set(rows.tolist())) == len(rows)
            answers.hit[rows] = True
            answers.distances[rows] = found.distances
            answers.bearings[rows] = found.bearings
        return answers

    def one_by_one(self, occluders=None):
        """Return the answers of single calls; points have no circle, and are left out."""
        pairs = self.sectors.one_by_one()
        rows = zip(self.owners.tolist(), self.centers.tolist(), self.radii.tolist(), strict=True)
        return [
            im.sector_hit(
                *pairs[owner], im.Circle(radius), im.Pose(*center), () if occluders is None else occluders[owner]
            )
            if radius
            else None
            for owner, center, radius in rows
        ]


def direction(bearings):
    return np.stack([np.cos(bearings), np.sin(bearings)], axis=-1)


def border_places(rng, sectors, radii):
    """Return centres of disks that touch a sector from outside, plus an offset: at arcs, edges, corners and apex."""
    count = len(radii)
    side, along = rng.choice([-1.0, 1.0], count), rng.random(count)
    turn, half = rng.uniform(0, np.pi / 2, count), sectors.half_angles
    on_arc, edge = rng.uniform(-1, 1, count) * half, side * half
    between = sectors.inner_radii + along * (sectors.radii - sectors.inner_radii)
    kind = rng.integers(0, 5, count)
    lengths = np.choose(kind, [sectors.radii, sectors.inner_radii, between, sectors.radii, sectors.inner_radii])
    bearings = np.choose(kind, [on_arc, on_arc, edge, edge, edge])
    beside = half + np.pi / 2
    normals = np.choose(kind, [on_arc, on_arc + np.pi, side * beside, side * (half + turn), side * (beside + turn)])
    offsets = rng.choice(OFFSETS, count) * np.minimum(sectors.extents, 2.0 * radii)
    facing = sectors.poses[:, 2].astype(FINE)
    arms = lengths[:, None] * direction(facing + bearings) + (radii + offsets)[:, None] * direction(facing + normals)
    return (sectors.poses[:, :2] + arms).astype(np.float64)


def random_disks(rng, sectors, sizes, share_at_borders, each=DISKS_EACH):
    rows = sectors[np.repeat(np.arange(len(sectors)), each)]
    radii = rows.radii * np.exp(rng.uniform(*np.log(sizes), len(rows)))
    radii[rng.random(len(rows)) < 0.02] = 0.0
    far = rng.uniform(0, 1.05, len(rows)) * (rows.radii + np.minimum(radii, 2.0 * rows.radii))
    # Some of the huge disks come from far away, just near enough to reach.
    from_afar = rng.random(len(rows)) < 0.3
    far = np.where(from_afar, radii + rng.uniform(-0.5, 1.2, len(rows)) * rows.radii, far)
    centers = rows.poses[:, :2] + abs(far)[:, None] * direction(rng.uniform(-np.pi, np.pi, len(rows)))
    at_border = rng.random(len(rows)) < share_at_borders
    centers[at_border] = border_places(rng, rows[at_border], radii[at_border])
    return Disks(sectors, centers, radii)


@functools.cache
def disks_of(name):
    count, sizes, place, disk_sizes, share = REALMS[name]
    rng = np.random.default_rng(80 + list(REALMS).index(name))
    return random_disks(rng, random_sectors(rng, cases(count, least=5), sizes, place), disk_sizes, share)


@functools.cache
def answers_of(name):
    return disks_of(name).answers()


@functools.cache
def hits_of(name):
    return disks_of(name).one_by_one()


def assert_touching(disks, hit):
    low, high = disks.slops
    assert hit[disks.gaps <= low - disks.noise].all()
    assert not hit[disks.gaps > high + disks.noise].any()


@realms
def test_which_disks_touch(name):
    disks = disks_of(name)
    assert_touching(disks, answers_of(name).hit)
    low, high = disks.slops
    is_open = (disks.gaps > low - disks.noise) & (disks.gaps <= high + disks.noise)
    # Far from the origin, the slop is mostly rounding; for points it is only rounding.
    assert is_open.mean() < (0.5 if "far away" in name else 0.25)
    assert 0.15 < answers_of(name).hit.mean() < 0.9
    if "borders" in name:
        near = abs(disks.gaps) / np.maximum(np.minimum(disks.rows.extents, 2 * disks.radii), 1e-300)
        assert ((near > 0.9e-8) & (near < 1.1e-8)).mean() > (0.0 if "far away" in name else 0.15)


@realms
def test_one_by_one_is_as_in_arrays(name):
    disks, answers, hits = disks_of(name), answers_of(name), hits_of(name)
    circles = np.flatnonzero(disks.radii > 0.0)
    np.testing.assert_array_equal([hits[row] is not None for row in circles], answers.hit[circles])
    rows = circles[answers.hit[circles]]
    found = np.array([(hits[row].distance, hits[row].bearing) for row in rows])
    assert (abs(found[:, 0] - answers.distances[rows]) <= disks.noise[rows]).all()
    assert (abs(found[:, 1] - answers.bearings[rows]) <= 16 * EPSILON).all()


@realms
def test_the_points_are_where_distance_and_bearing_say(name):
    disks, hits = disks_of(name), hits_of(name)
    rows = np.array([row for row, hit in enumerate(hits) if hit is not None])
    found = np.array([(hits[row].distance, hits[row].bearing, *hits[row].point) for row in rows])
    sectors = disks.rows[rows].fine
    expected = sectors.poses[:, :2] + found[:, :1] * direction(sectors.poses[:, 2] + found[:, 1].astype(FINE))
    rounding = disks.noise[rows] + 2 * EPSILON * abs(found[:, 2:]).max(axis=1)
    assert (abs(found[:, 2:] - expected).max(axis=1) <= rounding).all()


def assert_nearest(disks, answers):
    """Assert that the point is on both and none is nearer. Where disks graze an edge, no hit is lost."""
    rows = np.flatnonzero(answers.hit)
    assert len(rows) > 0
    sectors, centers, radii = (part[rows] for part in disks.fine)
    distances, bearings = answers.distances[rows].astype(FINE), answers.bearings[rows].astype(FINE)
    margins = disks.slops[1][rows] + disks.noise[rows]
    assert (abs(bearings) <= np.pi).all()
    assert (abs(bearings) <= sectors.half_angles + margins / np.maximum(distances, margins)).all()
    assert (distances >= sectors.inner_radii - margins).all()
    assert (distances <= sectors.radii + margins).all()
    points = distances[:, None] * direction(bearings)
    assert (np.hypot(*(points - sectors.local(centers)).T) <= radii + margins).all()
    widest = sectors.nearest(centers, radii + 2 * margins)
    assert (distances >= widest.distances - 2 * margins).all()
    # For disks that overlap by more than the slop, distances and bearings are those of the exact disk.
    narrowest = sectors.nearest(centers, radii - 2 * margins)
    sure = np.isfinite(narrowest.distances) & (radii > 2 * margins)
    assert (distances <= narrowest.distances + 2 * margins)[sure].all()
    at_apex = sure & (narrowest.distances == 0.0)
    assert (distances[at_apex] == 0.0).all()
    assert (bearings[at_apex] == 0.0).all()
    known = sure & (distances > 16 * margins)
    tolerances = 4 * margins / np.maximum(distances, margins) + 16 * EPSILON

    low = np.fmin(abs(widest.bearings), abs(narrowest.bearings)) - tolerances
    high = np.fmax(abs(widest.bearings), abs(narrowest.bearings)) + tolerances
    assert ((abs(bearings) >= low) & (abs(bearings) <= high))[known].all()
    far, seen = sectors.seen(centers)
    is_sided = known & (far * np.minimum(np.pi - abs(seen), abs(seen)) > 16 * margins) & (abs(bearings) > tolerances)
    assert (np.sign(bearings) == np.sign(seen))[is_sided].all()
    return sure, at_apex, known


@realms
def test_the_nearest_points_of_disks(name):
    sure, at_apex, known = assert_nearest(disks_of(name), answers_of(name))
    assert sure.mean() > 0.2 or IS_SMALL
    assert known.mean() > 0.05
    assert at_apex.sum() > 10 or IS_SMALL


@realms
def test_the_regions_of_disks(name):
    disks, hits = disks_of(name), hits_of(name)
    rows = np.array([row for row, hit in enumerate(hits) if hit is not None])
    sectors, centers, _ = (part[rows] for part in disks.fine)
    clear = sectors.border_distances(centers) > 4 * (disks.slops[1] + disks.noise)[rows]
    clear &= np.hypot(*(disks.centers - disks.rows.poses[:, :2])[rows].T) > 0.0
    found = np.array([hits[row].region for row in rows])
    np.testing.assert_array_equal(found[clear], sectors.regions(centers)[clear])
    assert set(found[clear]) == {1, 2, 3, 4, 5, 6}
    assert clear.mean() > 0.5


@realms
def test_which_points_sectors_contain(name):
    """Test points on borders, and points anywhere."""
    disks = disks_of(name)
    some = np.random.default_rng(1).permutation(len(disks.radii))[: cases(4000)]
    sectors, centers, _ = (part[some] for part in disks.fine)
    # A point has no extent.
    low = 8 * EPSILON * np.maximum(abs(sectors.poses[:, :2]), abs(centers)).max(axis=1)
    high = low + 1e-9 * sectors.extents + 8 * EPSILON * sectors.radii
    noise, gaps = disks.noise[some], sectors.point_gaps(centers)
    pairs = disks.sectors.one_by_one()
    found = np.array(
        [
            pairs[owner][0].contains(tuple(center), pairs[owner][1])
            for owner, center in zip(disks.owners[some].tolist(), disks.centers[some].tolist(), strict=True)
        ]
    )
    assert found[gaps <= low - noise].all()
    assert not found[gaps > high + noise].any()
    assert 0.02 < found.mean() < 0.9


# The same in other frames.


def similar(disks, kind):
    """Return the same disks mirrored, moved or scaled, and the factors of distances and bearings."""
    sectors, centers = disks.sectors, disks.centers
    if kind == "mirrored":
        flip = np.array([1.0, -1.0, -1.0])
        return Disks(replace(sectors, poses=sectors.poses * flip), centers * flip[:2], disks.radii), 1.0, -1.0
    if kind == "turned and moved":
        angle, by = 0.7, np.array([3.0, -8.0])
        turn = np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])
        poses = np.column_stack([sectors.poses[:, :2] @ turn + by, sectors.poses[:, 2] + angle])
        return Disks(replace(sectors, poses=poses), centers @ turn + by, disks.radii), 1.0, 1.0
    factor = float(kind)
    poses = sectors.poses * (factor, factor, 1.0)
    scaled = Sectors(sectors.radii * factor, sectors.half_angles, sectors.inner_radii * factor, poses)
    return Disks(scaled, centers * factor, disks.radii * factor), factor, 1.0


@pytest.mark.parametrize("kind", ["mirrored", "turned and moved", "1e-3", "1e6"])
@pytest.mark.parametrize("name", ["units", "borders"])
def test_the_answers_do_not_depend_on_the_frame(name, kind):
    disks, answers = disks_of(name), answers_of(name)
    other, factor, sign = similar(disks, kind)
    others = other.answers()
    assert_touching(other, others.hit)
    # For disks built to touch exactly, rounding may move a point out by the last bit.
    sure = abs(disks.gaps) > 0.0 if kind == "mirrored" else abs(disks.gaps) > 4 * (disks.slops[1] + disks.noise)
    np.testing.assert_array_equal(others.hit[sure], answers.hit[sure])
    # Other tests cover the errors of bearings and distances for grazing disks.
    deep = answers.hit & (disks.gaps < -1e-3 * disks.rows.extents) & (answers.distances > 1e-3 * disks.rows.radii)
    distances = others.distances[deep] / factor
    np.testing.assert_allclose(distances, answers.distances[deep], rtol=1e-11, atol=1e-12)
    behind = abs(disks.rows.seen(disks.centers)[1]) > np.pi - 1e-9
    both = deep & ~behind
    np.testing.assert_allclose(sign * others.bearings[both], answers.bearings[both], rtol=0, atol=1e-8)
    assert deep.sum() > (500 if name == "units" else 100) or IS_SMALL


# Solids.

SOLID_REALMS = {
    "units": (2500, (0.3, 3.0), (0.3, 3.0), 10.0),
    "far away": (1000, (0.3, 3.0), (0.3, 3.0), 1e6),
    "tiny": (500, (1e-3, 2e-3), (1e-3, 2e-3), 1e-3),
    "all sizes": (1000, (0.1, 10.0), (1e-3, 1e3), 1.0),
}
solid_realms = pytest.mark.parametrize("name", SOLID_REALMS)


@dataclass
class Solids:
    """Sectors with one solid each."""

    catalogue: Catalogue
    sectors: Sectors
    chosen: np.ndarray
    poses: np.ndarray

    @functools.cached_property
    def outlines(self):
        return Outlines(self.catalogue)

    @functools.cached_property
    def gaps(self):
        return self.outlines.gaps(self.sectors.fine, self.chosen, self.poses.astype(FINE))

    @property
    def reaches(self):
        return self.catalogue.reaches[self.chosen]

    @property
    def noise(self):
        far = np.hypot(*(self.poses - self.sectors.poses)[:, :2].T)
        return 2 * NOISE_UNITS * (self.sectors.radii + self.reaches + far)

    @property
    def slops(self):
        places = np.maximum(abs(self.sectors.poses), abs(self.poses))[:, :2].max(axis=1)
        extents = 1e-9 * np.minimum(self.sectors.extents, self.catalogue.extents[self.chosen])
        return extents + 8 * EPSILON * places, extents + 8 * EPSILON * (places + self.sectors.radii + self.reaches)

    @property
    def margins(self):
        return self.slops[1] + self.noise

    @functools.cached_property
    def hits(self):
        pairs, poses = self.sectors.one_by_one(), [im.Pose(*pose) for pose in self.poses.tolist()]
        solids = self.catalogue.solids
        return [im.sector_hit(*pairs[row], solids[self.chosen[row]], pose) for row, pose in enumerate(poses)]

    @functools.cached_property
    def rows(self):
        return np.array([row for row, hit in enumerate(self.hits) if hit is not None])

    @functools.cached_property
    def found(self):
        """Return distances, bearings, and points in the sectors' frames, of `rows`."""
        found = np.array(
            [(self.hits[row].distance, self.hits[row].bearing, *self.hits[row].point) for row in self.rows]
        )
        return found[:, 0], found[:, 1], self.sectors[self.rows].local(found[:, 2:])

    @property
    def local_poses(self):
        place = self.sectors.local(self.poses[:, :2])
        return np.column_stack([place, self.poses[:, 2] - self.sectors.poses[:, 2]])


@functools.cache
def solids_of(name):
    count, sizes, solid_sizes, place = SOLID_REALMS[name]
    count = cases(count, least=50)
    rng = np.random.default_rng(90 + list(SOLID_REALMS).index(name))
    catalogue = random_catalogue(rng, 180, solid_sizes)
    few = random_sectors(rng, cases(60, least=6), sizes, place)
    sectors = few[rng.integers(0, len(few), count)]
    chosen = rng.integers(0, 180, count)
    reaches = catalogue.reaches[chosen]
    far = rng.uniform(0, 1.1, count) * sectors.radii + rng.uniform(0, 1, count) * reaches
    poses = np.column_stack([far[:, None] * direction(rng.uniform(-np.pi, np.pi, count)), np.zeros(count)])
    poses[:, :2] += sectors.poses[:, :2]
    poses[:, 2] = np.where(rng.random(count) < 0.2, 0.0, rng.uniform(-np.pi, np.pi, count))
    return Solids(catalogue, sectors, chosen, poses)


@functools.cache
def bounds_of(name):
    solids = solids_of(name)
    numbers = np.column_stack([solids.sectors.radii, solids.sectors.half_angles, solids.sectors.inner_radii])
    few, which = np.unique(numbers, axis=0, return_inverse=True)
    polygons = [
        np.array([make(*row, chords_needed(*row, 1e-4)) for row in few.tolist()])[which]
        for make in (inside_polygon, outside_polygon)
    ]
    return polygon_bounds(solids.catalogue, solids.chosen, solids.local_poses, *polygons)


@solid_realms
def test_which_solids_touch(name):
    solids = solids_of(name)
    hit, (low, high) = np.array([one is not None for one in solids.hits]), solids.slops
    assert hit[solids.gaps <= low - solids.noise].all()
    assert not hit[solids.gaps > high + solids.noise].any()
    assert 0.25 < hit.mean() < 0.8
    assert all(
        one.region is None or isinstance(solids.catalogue.solids[solids.chosen[row]], im.Circle)
        for row, one in enumerate(solids.hits)
        if one is not None
    )


@solid_realms
def test_solids_that_shapely_sees_touch_do(name):
    """Solids that meet the polygon inside the sector are hit. Solids that miss the polygon around it are not."""
    solids, (least, greatest, _, last) = solids_of(name), bounds_of(name)
    hit = np.array([one is not None for one in solids.hits])
    assert hit[greatest <= -solids.noise].all()
    assert hit[np.isfinite(last)].all()
    assert not hit[least > solids.margins].any()
    assert ((greatest <= 0.0) | (least > 0.0)).mean() > 0.99


@solid_realms
def test_the_distances_of_solids_are_between_those_of_shapely(name):
    solids, (least, greatest, first, last) = solids_of(name), bounds_of(name)
    rows, (distances, *_), margins = solids.rows, solids.found, solids.margins
    assert (distances <= last[rows] + margins[rows]).all()
    # If a share of the smaller one is common, the nearest point is not a graze.
    known = np.isfinite(first[rows]) & (greatest[rows] <= 0.0) & (least[rows] <= 0.0)
    short = distances < first[rows] - 1e-6 * solids.sectors.radii[rows]
    assert not short[known].any()
    assert known.mean() > 0.8


@solid_realms
def test_the_nearest_points_of_solids(name):
    """The point is on both. A sector slightly shorter than its distance does not reach the solid."""
    solids, rows = solids_of(name), solids_of(name).rows
    distances, bearings, points = solids.found
    sectors, margins = solids.sectors[rows], solids.margins[rows]
    assert (abs(bearings) <= np.pi).all()
    assert (distances >= sectors.inner_radii - margins).all()
    assert (distances <= sectors.radii + margins).all()
    rounding = solids.noise[rows] + 4 * EPSILON * abs(sectors.poses[:, :2]).max(axis=1)
    assert (np.hypot(*(distances[:, None] * direction(bearings) - points).T) <= rounding).all()
    flat = replace(sectors, poses=np.zeros((len(rows), 3)))
    assert (flat.point_gaps(points) <= margins + rounding).all()
    local = solids.local_poses[rows]
    twice = Pairs(solids.catalogue, np.stack([solids.chosen[rows]] * 2, axis=1), np.stack([local] * 2, axis=1))
    assert (twice.point_gaps(0, points - local[:, :2]) <= margins + rounding).all()
    deep = flat.inset(2 * margins)
    shorter = deep.up_to(np.minimum(deep.radii, distances - 2 * margins - deep.poses[:, 0]))
    real = shorter.radii > shorter.inner_radii
    reached = solids.outlines.gaps(shorter[real].fine, solids.chosen[rows[real]], local[real].astype(FINE))
    assert (reached > 0.0).all()
    assert real.mean() > 0.3
    at_apex = distances == 0.0
    assert (bearings[at_apex] == 0.0).all()
    assert at_apex.sum() > 0 or IS_SMALL


@solid_realms
def test_of_all_points_on_the_inner_arc_the_bearing_is_the_smallest(name):
    solids, rows = solids_of(name), solids_of(name).rows
    distances, bearings, _ = solids.found
    sectors, margins, local = solids.sectors[rows], solids.margins[rows], solids.local_poses[rows]
    seen = 0
    for number in np.flatnonzero((sectors.inner_radii > 0.0) & (distances <= sectors.inner_radii + margins)).tolist():
        seen += 1
        solid, margin = solids.catalogue.solids[solids.chosen[rows[number]]], 4.0 * margins[number]
        length = sectors.inner_radii[number]
        least = abs(bearings[number]) - margin / length
        if least <= 0.0:
            continue
        turns = np.linspace(0, 1, 17)[:-1] * least
        some = shapely.points(length * direction(np.concatenate([turns, -turns])))
        place = placing(im.Pose(*local[number].tolist()))
        for core, radius in leaves(solid):
            placed = shapely.transform(core, place)
            depths = radius - shapely.distance(placed, some)
            depths += np.where(depths == radius, shapely.distance(shapely.boundary(placed), some), 0.0)
            assert (depths <= margin).all()
    assert seen > 10 or IS_SMALL


# Sight.


class Place(NamedTuple):
    sector: im.Sector
    pose: im.Pose
    standing: list
    scene: Scene | Tiles


class Tiles:
    """Boxes for rays, with the apex possibly on a border: a ray that leaves a box is not stopped by it."""

    def __init__(self, apex, walls):
        self.scenes = [Scene(apex, [wall]) for wall in walls]

    def first(self, bearings):
        first = np.full(len(bearings), np.inf)
        for low, high in (scene.span(bearings) for scene in self.scenes):
            np.minimum(first, np.where(high > 1e-9, np.maximum(low, 0.0), np.inf), out=first)
        return first

    def silhouettes(self):
        return np.unique(np.concatenate([scene.silhouettes() for scene in self.scenes]))


SCENES = cases(100)
HAIR = 1e-6  # radians: targets visible in a smaller angle are not judged


@functools.cache
def scenes():
    rng = np.random.default_rng(95)
    catalogue = random_catalogue(rng, 180, (0.2, 1.5))
    sectors = random_sectors(rng, SCENES, (1.0, 4.0), 10.0)
    places = []
    for sector, pose in sectors.one_by_one():
        standing = []
        for index in rng.integers(0, 180, rng.integers(1, 9)).tolist():
            far = sector.radius * math.sqrt(rng.uniform(0.002, 1.2)) + (0.3 if rng.random() < 0.9 else 0.0)
            x, y = far * direction(rng.uniform(-np.pi, np.pi))
            standing.append(
                (catalogue.solids[index], im.Pose(pose.x + x, pose.y + y, float(rng.choice([0.0, 1.0]) * rng.random())))
            )
        places.append(Place(sector, pose, standing, Scene((pose.x, pose.y), standing)))
    return sectors, places


def bearings_of(place, more=()):
    """Return bearings from the facing to test: everywhere, at each border of the occluders, and beside it."""
    half = place.sector.half_angle
    special = np.concatenate([place.scene.silhouettes(), *(scene.silhouettes() for scene in more)]) - place.pose.angle
    beside = np.concatenate([special + step for step in (-1e-3, -3e-6, -2 * HAIR, 0.0, 2 * HAIR, 3e-6, 1e-3)])
    beside = np.concatenate([beside, [0.0, half - 2 * HAIR, 2 * HAIR - half]])
    beside -= 2 * np.pi * np.round(beside / (2 * np.pi))
    everywhere = np.linspace(-half, half, 401)
    bearings = np.concatenate([everywhere, beside])
    return np.sort(bearings[abs(bearings) <= half - HAIR])


def least_seen(place, target, target_pose, bearings, first):
    """Return the nearest distance at which rays see a target. Each ray counts only with both of its close neighbours.

    `first` are the ends of the rays and of their neighbours: (3, n).
    """
    sector, pose = place.sector, place.pose
    seen = np.full((3, len(bearings)), np.inf)
    for part in convex_parts(target, target_pose):
        scene = Scene((pose.x, pose.y), [part])
        for row, beside in enumerate((-HAIR, 0.0, HAIR)):
            low, high = scene.span(pose.angle + bearings + beside)
            near, far = np.maximum(low, sector.inner_radius), np.minimum(high, sector.radius)
            is_there = (near <= far) & (near < first[row] - 1e-7)
            seen[row] = np.where(is_there, np.minimum(seen[row], near), seen[row])
    return seen.max(axis=0).min()


def assert_is_visible(place, distance, bearing):
    angle = place.pose.angle + bearing
    first = place.scene.first(angle + np.array([0.0, 1e-10, -1e-10, 1e-8, -1e-8, 1e-7, -1e-7]))
    assert first.max() >= distance - 1e-7


@functools.cache
def targets():
    rng = np.random.default_rng(96)
    catalogue = random_catalogue(rng, 180, (0.1, 1.0))
    places = scenes()[1]
    chosen = []
    for place in places:
        mine = []
        for index in rng.integers(0, 180, 4).tolist():
            x, y = rng.uniform(0.2, 1.1) * place.sector.radius * direction(rng.uniform(-1, 1) * place.sector.half_angle)
            cos, sin = math.cos(place.pose.angle), math.sin(place.pose.angle)
            at = im.Pose(place.pose.x + cos * x - sin * y, place.pose.y + sin * x + cos * y, rng.uniform(-3, 3))
            mine.append((catalogue.solids[index], at))
        chosen.append(mine)
    return chosen


def test_targets_behind_others():
    """Targets that rays see are seen, equally near. A target reported as seen is on a ray that reaches it."""
    seen = hidden = cut = 0
    for place, mine in zip(scenes()[1], targets(), strict=True):
        for target, pose in mine:
            bearings = bearings_of(place, [Scene((place.pose.x, place.pose.y), [(target, pose)])])
            first = np.stack([place.scene.first(place.pose.angle + bearings + step) for step in (-HAIR, 0.0, HAIR)])
            least = least_seen(place, target, pose, bearings, first)
            free = im.sector_hit(place.sector, place.pose, target, pose)
            hit = im.sector_hit(place.sector, place.pose, target, pose, place.standing)
            if hit is None:
                assert np.isinf(least)
                hidden += free is not None
                continue
            assert free is not None
            assert hit.distance >= free.distance - 1e-8
            assert hit.distance <= least + 1e-7
            assert_is_visible(place, hit.distance, hit.bearing)
            local = Pairs(Catalogue([target]), np.zeros((1, 2), int), np.array([[(pose.x, pose.y, pose.angle)] * 2]))
            assert local.point_gaps(0, np.array([hit.point]) - (pose.x, pose.y))[0] <= 1e-7
            seen += 1
            cut += hit.distance > free.distance + 1e-6
    assert min(seen, hidden) > 50 or IS_SMALL
    assert cut > 2 or IS_SMALL


def test_disks_behind_others():
    """Arrays agree with single calls, and both with rays."""
    sectors, places = scenes()
    rng = np.random.default_rng(97)
    disks = random_disks(rng, sectors, (0.01, 0.5), 0.0, each=16)
    standing = [place.standing for place in places]
    answers, hits = disks.answers(standing), disks.one_by_one(standing)
    free = disks.answers()
    seen = hidden = 0
    for row, owner in enumerate(disks.owners.tolist()):
        place = places[owner]
        target = im.Circle(max(disks.radii[row], 1e-9)), im.Pose(*disks.centers[row].tolist())
        if disks.radii[row] > 0.0:
            assert (hits[row] is not None) == answers.hit[row]
        if hits[row] is not None:
            assert abs(hits[row].distance - answers.distances[row]) <= 1e-12
            assert abs(hits[row].bearing - answers.bearings[row]) <= 1e-12
        if not free.hit[row]:
            assert not answers.hit[row]
            continue
        if answers.hit[row]:
            seen += 1
            assert_is_visible(place, answers.distances[row], answers.bearings[row])
            assert answers.distances[row] >= free.distances[row] - 1e-8
            if answers.distances[row] <= free.distances[row] + 1e-9:
                continue
        bearings = bearings_of(place, [Scene((place.pose.x, place.pose.y), [target])])
        first = np.stack([place.scene.first(place.pose.angle + bearings + step) for step in (-HAIR, 0.0, HAIR)])
        least = least_seen(place, *target, bearings, first)
        if answers.hit[row]:
            assert answers.distances[row] <= least + 1e-7
        else:
            hidden += 1
            assert np.isinf(least)
    assert min(seen, hidden) > 100 or IS_SMALL


def seen_from_elsewhere(standing, factor, by):
    """Return solids and their poses, scaled and then moved."""
    return [
        (solid.transformed(factor), im.Pose(factor * pose.x + by, factor * pose.y - by, pose.angle))
        for solid, pose in standing
    ]


@pytest.mark.parametrize(("factor", "by"), [(1e-3, 0.0), (1e6, 0.0), (1.0, 1e6), (1e-3, 1e3)])
def test_sight_does_not_depend_on_the_frame(factor, by):
    """Only rounding at the new place may differ: some bits of a coordinate there, more at a grazing angle."""
    count = 0
    for (sector, pose, standing, _), mine in zip(scenes()[1], targets(), strict=True):
        ((_, eye),) = seen_from_elsewhere([(im.Circle(1), pose)], factor, by)
        other = im.Sector(sector.radius * factor, sector.half_angle, sector.inner_radius * factor)
        walls = seen_from_elsewhere(standing, factor, by)
        for (target, place), (copy, there) in zip(mine, seen_from_elsewhere(mine, factor, by), strict=True):
            hit = im.sector_hit(sector, pose, target, place, standing)
            again = im.sector_hit(other, eye, copy, there, walls)
            assert (hit is None) == (again is None)
            if hit is not None:
                assert again.distance / factor == pytest.approx(hit.distance, abs=1e-6)
                count += 1
        lit, copied = (
            im.visible_outline(*args) - (args[1].x, args[1].y)
            for args in ((sector, pose, standing), (other, eye, walls))
        )
        areas = [0.5 * (x * np.roll(y, -1) - y * np.roll(x, -1)).sum() for x, y in (lit.T, copied.T)]
        assert areas[1] / factor**2 == pytest.approx(areas[0], abs=1e-6)
    assert count > 100 or IS_SMALL


@functools.cache
def tile_maps():
    """Return walls of tiles, flush or joined at corners, and an apex on the grid: free, at a wall, in a corner."""
    rng = np.random.default_rng(98)
    places = []
    for _ in range(cases(60)):
        cells = np.argwhere(rng.random((9, 9)) < rng.choice([0.1, 0.3])) - 4.0
        walls = [(im.Box(1, 1), im.Pose(*cell)) for cell in cells.tolist()]
        x, y = (rng.integers(-4, 5, 2) * rng.choice([0.5, 0.25])).tolist()
        half, facing = (math.pi / 4 * rng.integers(1, 5)), math.pi / 4 * rng.integers(-4, 5)
        sector = im.Sector(float(rng.integers(2, 6)), float(half), float(rng.choice([0.0, 0.0, 0.5, 1.0])))
        inside = [wall for wall in cells if max(abs(wall - (x, y))) < 0.5]
        if walls and not inside:
            places.append(Place(sector, im.Pose(x, y, facing), walls, Tiles((x, y), walls)))
    return places


def test_targets_among_tiles():
    rng = np.random.default_rng(99)
    seen = hidden = 0
    for place in tile_maps():
        for _ in range(6):
            target = (im.Box(0.5, 0.5), im.Circle(0.25), im.Box(0.5, 1.0))[rng.integers(3)]
            pose = im.Pose(*(rng.integers(-18, 19, 2) * 0.25).tolist(), float(rng.choice([0.0, math.pi / 4])))
            bearings = bearings_of(place, [Scene((place.pose.x, place.pose.y), [(target, pose)])])
            first = np.stack([place.scene.first(place.pose.angle + bearings + step) for step in (-HAIR, 0.0, HAIR)])
            least = least_seen(place, target, pose, bearings, first)
            hit = im.sector_hit(place.sector, place.pose, target, pose, place.standing)
            if hit is None:
                assert np.isinf(least)
                hidden += 1
                continue
            assert hit.distance <= least + 1e-7
            assert_is_visible(place, hit.distance, hit.bearing)
            if isinstance(target, im.Circle):
                found = im.batch.sector_hits(place.sector, place.pose, [(pose.x, pose.y)], 0.25, place.standing)
                np.testing.assert_allclose(found.distances, [hit.distance], rtol=0, atol=1e-12)
            seen += 1
    assert min(seen, hidden) > 50 or IS_SMALL


def test_an_apex_on_a_wall():
    """On a face, within a few bits, half of the light is left; on a corner three quarters; within the slop as well."""
    rng = np.random.default_rng(130)
    for _ in range(cases(1000)):
        width, height = rng.uniform(0.2, 3, 2)
        pose = im.Pose(*rng.uniform(-5, 5, 2), float(rng.choice([0.0, math.pi / 4, rng.uniform(-3, 3)])))
        is_corner = rng.random() < 0.3
        depth = rng.choice([0.0, 0.0, 2e-10, -2e-10]) * min(width, height)
        place = (-width / 2 + depth, -height / 2 + depth if is_corner else height * rng.uniform(-0.45, 0.45))
        apex = placing(pose)(np.array([place]))[0]
        facing = rng.choice([pose.angle, pose.angle + math.pi / 2, rng.uniform(-3, 3)])
        outline = im.visible_outline(im.Sector(4.0, math.pi), im.Pose(*apex, facing), [(im.Box(width, height), pose)])
        x, y = (outline - apex).T
        lit = 0.5 * (x * np.roll(y, -1) - y * np.roll(x, -1)).sum() / (16 * math.pi)
        assert lit == pytest.approx(0.75 if is_corner else 0.5, abs=2e-3)


def windings(outline, points):
    """Return how often an outline goes round points, counter-clockwise."""
    turns = np.zeros(len(points), int)
    for (ax, ay), (bx, by) in zip(outline, np.roll(outline, -1, axis=0), strict=True):
        left = (bx - ax) * (points[:, 1] - ay) - (by - ay) * (points[:, 0] - ax)
        turns += (ay <= points[:, 1]) & (points[:, 1] < by) & (left > 0)
        turns -= (by <= points[:, 1]) & (points[:, 1] < ay) & (left < 0)
    return turns


@pytest.mark.parametrize("tolerance", [None, 1e-5])
def test_what_is_lit_is_what_rays_reach(tolerance):
    """Points on rays are inside or outside of the outline as the rays say, except within the tolerance of it."""
    count = 0
    for place in scenes()[1][:: 1 if tolerance is None else 4] + tile_maps()[:: 2 if tolerance is None else 8]:
        sector, pose, standing, scene = place
        outline = im.visible_outline(sector, pose, standing, tolerance)
        assert outline.ndim == 2
        assert outline.shape[1] == 2
        allowed = (tolerance or sector.radius / 1000) + 1e-7
        bearings = bearings_of(place)
        first = np.stack([scene.first(pose.angle + bearings + step) for step in (-HAIR, 0.0, HAIR)])
        lit = np.clip(first, sector.inner_radius, sector.radius)
        if len(outline) < 3:
            assert (lit[1] <= sector.inner_radius + 1e-7).all()
            continue
        local = outline - (pose.x, pose.y)
        border = shapely.LinearRing(local)
        signed = 0.5 * (local[:, 0] * np.roll(local[:, 1], -1) - local[:, 1] * np.roll(local[:, 0], -1)).sum()
        far = np.hypot(*local.T)
        assert (far <= sector.radius + 1e-9).all()
        assert (far >= sector.inner_radius - 1e-9).all() or sector.inner_radius == 0.0
        if sector.inner_radius == 0.0 and sector.half_angle < math.pi:
            assert far[0] <= 1e-12
        # Corners are on the arcs, at the apex, or on the occluders.
        cores = [
            (shapely.transform(core, placing(at)), radius) for solid, at in standing for core, radius in leaves(solid)
        ]
        around = shapely.union_all([core.buffer(radius, 256) if radius else core for core, radius in cores])
        loose = (abs(far - sector.radius) > 1e-9) & (abs(far - sector.inner_radius) > 1e-9) & (far > 1e-9)
        seen = abs(np.angle(np.exp(1j * (np.arctan2(local[:, 1], local[:, 0]) - pose.angle))))
        loose &= abs(seen - sector.half_angle) > 1e-9
        assert (shapely.distance(around, shapely.points(outline[loose])) <= 1e-4).all()
        for lengths in (
            sector.inner_radius + (lit.min(axis=0) - sector.inner_radius) * 0.5,
            lit.min(axis=0) - 2 * allowed,
            lit.max(axis=0) + 2 * allowed,
            np.full(len(bearings), 0.5 * (sector.radius + sector.inner_radius)),
            np.full(len(bearings), 0.999 * sector.radius),
        ):
            is_lit = (lengths < lit.min(axis=0)) & (lengths > sector.inner_radius)
            is_dark = (lengths > 0.0) & ((lengths > lit.max(axis=0)) | (lengths < sector.inner_radius))
            points = lengths[:, None] * direction(pose.angle + bearings)
            # The outline may touch itself, so count how often it goes round the points.
            turns = windings(local, points)
            is_far = shapely.distance(border, shapely.points(points)) > allowed
            assert (turns == 1)[is_lit & is_far].all()
            assert (turns == 0)[is_dark & is_far].all()
            count += is_lit.sum() + is_dark.sum()
        # The area, as a sum over 20,000 more rays.
        steps = (np.arange(20_000) + 0.5) / 10_000 - 1.0
        reach = np.clip(scene.first(pose.angle + steps * sector.half_angle), sector.inner_radius, sector.radius)
        area = sector.half_angle * np.mean(reach**2 - sector.inner_radius**2)
        longest = allowed * shapely.length(border) + 1e-3 * sector.radius**2 * (1 + len(standing))
        assert signed == pytest.approx(area, abs=longest)
    assert count > 20_000 or IS_SMALL


# Sweeps.

SWEEPS = {
    "still sector": (2000, 0.0, 0.0, 0.0, 10.0),
    "moving sector": (1000, 1.0, 0.0, 0.0, 10.0),
    "thrown": (1000, 1.0, 0.0, 2.0, 10.0),
    "turning": (1000, 0.0, 1.0, 0.0, 10.0),
    "turning and thrown": (600, 1.0, 3.0, 2.0, 10.0),
    "turning far away": (400, 1.0, 1.0, 0.0, 1e5),
}
sweeps = pytest.mark.parametrize("name", SWEEPS)


@dataclass
class Swept:
    """Moving sectors, with one moving disk or solid each.

    `shapes` are the library's arguments; `gaps` returns the distances of rows at times, in any precision.
    """

    sectors: Sectors
    ways: Ways
    shapes: list
    extents: np.ndarray
    reaches: np.ndarray
    shape_ways: Ways
    gap: object

    def gaps(self, rows, times, precision=np.float64):
        times = np.asarray(times, precision)
        moved = replace(self.sectors[rows], poses=self.ways[rows].at(times))
        moved = moved.fine if precision is FINE else moved
        return self.gap(rows, moved, self.shape_ways[rows].at(times))

    @functools.cached_property
    def speeds(self):
        return (
            self.shape_ways.speeds_from(self.ways)
            + self.ways.turns * self.sectors.radii
            + self.shape_ways.turns * self.reaches
        )

    @property
    def places(self):
        ends = [self.ways.starts, self.ways.ends, self.shape_ways.starts, self.shape_ways.ends]
        return np.max([abs(poses[:, :2]).max(axis=1) for poses in ends], axis=0)

    @property
    def slops(self):
        """Return the least and the greatest slop. Coordinates on a curved path may be larger than at its ends."""
        extents = 1e-9 * np.minimum(self.sectors.extents, self.extents)
        bends = sum(np.hypot(*ways.accelerations.T) for ways in (self.ways, self.shape_ways))
        most = self.places + bends + self.sectors.radii + self.reaches
        starts = np.maximum(abs(self.ways.starts[:, :2]), abs(self.shape_ways.starts[:, :2])).max(axis=1)
        return extents + 8 * EPSILON * starts, extents + 8 * EPSILON * most

    @property
    def noise(self):
        angles = 1.0 + np.max(
            [abs(ways.starts[:, 2]) + abs(ways.ends[:, 2]) for ways in (self.ways, self.shape_ways)], 0
        )
        bends = sum(np.hypot(*ways.accelerations.T) for ways in (self.ways, self.shape_ways))
        return NOISE_UNITS * (self.places + bends + (self.sectors.radii + self.reaches) * angles)

    @functools.cached_property
    def impacts(self):
        motions, shape_motions = self.ways.one_by_one(), self.shape_ways.one_by_one()
        return [
            im.sector_sweep(sector, motion, shape, shape_motion)
            for (sector, _), motion, shape, shape_motion in zip(
                self.sectors.one_by_one(), motions, self.shapes, shape_motions, strict=True
            )
        ]

    @functools.cached_property
    def rows(self):
        return np.array([row for row, impact in enumerate(self.impacts) if impact is not None])

    @functools.cached_property
    def times(self):
        """Times of `rows`."""
        return np.array([self.impacts[row].time for row in self.rows])

    @property
    def thresholds(self):
        return self.slops[0] - self.noise

    @functools.cached_property
    def sampled(self):
        return first_touches(self.gaps, self.speeds, self.thresholds)


def random_ways(rng, sectors, reaches, moving, turns, bends, place):
    """Return motions of which about every second one leads to the sector, from beside it; some start in it."""
    count = len(sectors)
    size = (sectors.radii + reaches)[:, None]
    starts = sectors.poses.copy()
    drift = moving * rng.normal(0, 1, (count, 2)) * size
    spins = turns * np.exp(rng.uniform(np.log(0.02), np.log(12.0), count)) * rng.choice([-1, 1], count)
    ends = starts + np.column_stack([drift, spins])
    blade = Ways(starts, ends, bends * rng.normal(0, 1, (count, 2)) * size * (rng.random((count, 1)) < 0.5))
    where = rng.uniform(-np.pi, np.pi, count)
    begin = starts[:, :2] + direction(where) * size * rng.uniform(0.3, 2.0, (count, 1))
    end = ends[:, :2] + rng.normal(0, 0.8, (count, 2)) * size
    angle = rng.uniform(-np.pi, np.pi, count)
    spin = turns * rng.normal(0, 2, count)
    shape = Ways(
        np.column_stack([begin, angle]),
        np.column_stack([end, angle + spin]),
        bends * rng.normal(0, 1, (count, 2)) * size * (rng.random((count, 1)) < 0.5),
    )
    return blade, shape


def swept_disks(sectors, blade, radii, shape):
    def gap(rows, moved, poses):
        return moved.disk_gaps(poses[:, :2], radii[rows])

    circles = [im.Circle(radius) for radius in radii.tolist()]
    return Swept(sectors, blade, circles, 2.0 * radii, radii, shape, gap)


@functools.cache
def swept_disks_of(name):
    count, moving, turns, bends, place = SWEEPS[name]
    rng = np.random.default_rng(100 + list(SWEEPS).index(name))
    sectors = random_sectors(rng, cases(count), (0.5, 2.0), place)
    radii = sectors.radii * np.exp(rng.uniform(np.log(0.02), 0, len(sectors)))
    blade, shape = random_ways(rng, sectors, radii, moving, turns, bends, place)
    return swept_disks(sectors, blade, radii, shape)


SOLID_SWEEPS = {name: row for name, row in SWEEPS.items() if name != "turning far away"}


@functools.cache
def swept_solids_of(name):
    count, moving, turns, bends, place = SOLID_SWEEPS[name]
    count = cases(count // 4, least=120)
    rng = np.random.default_rng(110 + list(SWEEPS).index(name))
    catalogue = random_catalogue(rng, 10 * len(KINDS), (0.2, 1.5))
    outlines = Outlines(catalogue)
    sectors = random_sectors(rng, count, (0.5, 2.0), place)
    chosen = rng.integers(0, len(catalogue.solids), count)
    blade, shape = random_ways(rng, sectors, catalogue.reaches[chosen], moving, turns, bends, place)

    def gap(rows, moved, poses):
        return outlines.gaps(moved, chosen[rows], poses)

    solids = [catalogue.solids[index] for index in chosen]
    return Swept(sectors, blade, solids, catalogue.extents[chosen], catalogue.reaches[chosen], shape, gap)


# Shares of the time of impact, backwards from the impact.
BEFORE = (1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1)


def assert_swept(swept):
    """Assert that impacts are never late, never early by more than the slop, and never missed."""
    reported = np.full(len(swept.sectors), np.inf)
    reported[swept.rows] = swept.times
    assert ((swept.times >= 0.0) & (swept.times <= 1.0)).all()
    first, _ = swept.sampled
    assert (reported <= first).all()
    gaps = swept.gaps(swept.rows, swept.times, FINE)
    assert (gaps <= (swept.slops[1] + swept.noise)[swept.rows]).all()
    # Just before the impact nothing is common: disks overlap by no more than rounding, and sharp solids have a gap.
    rows = np.repeat(swept.rows, len(BEFORE))
    gaps = swept.gaps(rows, np.repeat(swept.times, len(BEFORE)) * (1.0 - np.tile(BEFORE, len(swept.rows))), FINE)
    is_late = (gaps < -swept.noise[rows]) | (gaps == 0.0)
    assert not is_late[np.repeat(swept.times, len(BEFORE)) > 0.0].any()
    everyone = np.arange(len(swept.sectors))
    at_start = swept.gaps(everyone, np.zeros(len(everyone)), FINE)
    assert (reported[at_start <= swept.thresholds] == 0.0).all()
    is_overlapping = np.array([impact is not None and impact.overlapping for impact in swept.impacts])
    assert not is_overlapping[at_start > swept.slops[1] + swept.noise].any()
    assert 0.2 < np.isfinite(reported).mean() < 0.95
    assert np.isfinite(first).mean() > 0.2
    assert (at_start > 0.0).mean() > 0.3


@sweeps
def test_disks_are_swept_over_in_time(name):
    assert_swept(swept_disks_of(name))


@sweeps
def test_disks_that_overlap_at_the_start_are_told(name):
    swept = swept_disks_of(name)
    everyone = np.arange(len(swept.sectors))
    deep = swept.gaps(everyone, np.zeros(len(everyone)), FINE) < -swept.slops[1] - swept.noise
    assert all(swept.impacts[row].overlapping for row in np.flatnonzero(deep))
    assert deep.sum() > 20 or IS_SMALL


@pytest.mark.parametrize("name", SOLID_SWEEPS)
def test_solids_are_swept_over_in_time(name):
    assert_swept(swept_solids_of(name))


@pytest.mark.parametrize(("factor", "by"), [(1e-3, 0.0), (1e6, 0.0), (1.0, 1e5), (1e-3, 1e3)])
@pytest.mark.parametrize("name", ["still sector", "turning and thrown"])
def test_sweeps_do_not_depend_on_the_frame(name, factor, by):
    """Tiny, huge and far away: here too, never late, and never early by more than the slop."""
    swept = swept_disks_of(name)

    def similar_way(way):
        poses = [ends * (factor, factor, 1.0) + (by, -by, 0.0) for ends in (way.starts, way.ends)]
        return Ways(*poses, way.accelerations * factor)

    sectors = swept.sectors
    poses = sectors.poses * (factor, factor, 1.0) + (by, -by, 0.0)
    other = Sectors(sectors.radii * factor, sectors.half_angles, sectors.inner_radii * factor, poses)
    assert_swept(swept_disks(other, similar_way(swept.ways), swept.reaches * factor, similar_way(swept.shape_ways)))


@pytest.mark.parametrize("name", ["still sector", "turning"])
def test_solids_are_not_missed_by_shapely(name):
    """A thousand steps, one by one, of the polygon inside the sector: each contact was reported before."""
    swept = swept_solids_of(name)
    for row in range(min(cases(40, least=10), len(swept.sectors))):
        impact = swept.impacts[row]
        until = 1.0 if impact is None else impact.time
        if until == 0.0:
            continue
        one = swept.sectors[row : row + 1]
        numbers = float(one.radii[0]), float(one.half_angles[0]), float(one.inner_radii[0])
        inside = inside_polygon(*numbers, chords_needed(*numbers, 1e-4))
        times = np.linspace(0.0, until * (1.0 - 1e-9), 1000)
        same = np.full(1000, row)
        places = [placing(im.Pose(*pose)) for pose in swept.ways[same].at(times).tolist()]
        blades = np.array([shapely.transform(inside, place) for place in places])
        for core, radius in leaves(swept.shapes[row]):
            moved = [placing(im.Pose(*pose)) for pose in swept.shape_ways[same].at(times).tolist()]
            cores = np.array([shapely.transform(core, place) for place in moved])
            assert (shapely.distance(blades, cores) >= radius - swept.slops[1][row]).all()


@sweeps
def test_the_points_and_normals_of_sweeps(name):
    """The point is on both. A shift along the normal separates them at the full rate."""
    swept = swept_disks_of(name)
    rows = np.array([row for row in swept.rows if not swept.impacts[row].overlapping])
    times = np.array([swept.impacts[row].time for row in rows])
    margins = 2 * (swept.slops[1] + swept.noise)[rows]
    normals = np.array([swept.impacts[row].normal for row in rows])
    points = np.array([swept.impacts[row].point for row in rows])
    np.testing.assert_allclose(np.hypot(*normals.T), 1.0, rtol=0, atol=8 * EPSILON)
    moved = replace(swept.sectors[rows], poses=swept.ways[rows].at(times)).fine
    assert (moved.point_gaps(points.astype(FINE)) <= margins).all()
    disks = swept.shape_ways[rows].at(times)[:, :2].astype(FINE)
    radii = swept.reaches[rows]
    assert (abs(np.hypot(*(points - disks).T) - radii) <= margins).all()
    step = 1e-3 * np.minimum(swept.sectors.extents, swept.extents)[rows]
    ahead = moved.disk_gaps(disks + step[:, None] * normals, radii) - moved.disk_gaps(disks, radii)
    # In a hole that is hardly larger than the disk, the far side comes nearer. Behind the apex, the other edge does.
    roomy = moved.inner_radii == 0.0
    roomy &= (moved.half_angles <= np.pi / 2) | moved.is_round
    assert (ahead >= step * (1 - 1e-6) - margins)[roomy].all()
    assert roomy.sum() > 20 or IS_SMALL
    assert all(swept.impacts[row].feature_a is None for row in rows)


def test_grazing_and_resting_touches_are_told():
    """Disks that touch a border at one moment while moving sideways are reported, unlike at three slops away."""
    rng = np.random.default_rng(120)
    count = cases(3000)
    sectors = random_sectors(rng, count, (0.5, 2.0), 3.0)
    radii = sectors.radii * np.exp(rng.uniform(np.log(0.05), 0, count))
    centers = border_places(rng, sectors, radii)
    slop = 1e-9 * np.minimum(sectors.extents, 2 * radii)
    touching = sectors.fine.disk_gaps(centers.astype(FINE), radii.astype(FINE))
    # Sideways means perpendicular to the direction of the nearest point, which is the gradient of the gap.
    steps = 1e-6 * radii
    slope = np.stack(
        [
            sectors.fine.disk_gaps(centers + steps[:, None] * axis, radii.astype(FINE)) - touching
            for axis in np.eye(2).astype(FINE)
        ],
        axis=1,
    ).astype(np.float64)
    slope /= np.maximum(np.hypot(*slope.T), 1e-300)[:, None]
    aside = np.column_stack([-slope[:, 1], slope[:, 0]]) * rng.choice([-1.0, 1.0], count)[:, None]
    centers = (centers + rng.choice([0.0, 0.4, 3.0], count)[:, None] * slop[:, None] * slope.astype(FINE)).astype(float)
    reach = (sectors.radii + radii)[:, None]
    before, after = rng.uniform(0, 2, (2, count, 1)) * reach * rng.integers(0, 2, (2, count, 1))
    still = Ways(sectors.poses, sectors.poses, np.zeros((count, 2)))
    begins, stops = centers - before * aside, centers + after * aside
    starts, ends = (np.column_stack([places, np.zeros(count)]) for places in (begins, stops))
    shape = Ways(starts, ends, np.zeros((count, 2)))
    swept = swept_disks(sectors, still, radii, shape)
    times = (before / np.maximum(before + after, 1e-300))[:, 0]
    at_touch = swept.gaps(np.arange(count), times, FINE)
    must = at_touch <= swept.thresholds - 2 * swept.noise
    reported = np.full(count, np.inf)
    reported[swept.rows] = swept.times
    # For this time, a disk that passes a round border is within the slop.
    length = (before + after)[:, 0]
    window = np.sqrt(8 * slop * (sectors.radii + radii)) / np.maximum(length, 1e-300)
    assert (reported <= times + window)[must].all()
    assert must.sum() > 500 or IS_SMALL
    gaps = swept.gaps(swept.rows, swept.times, FINE)
    assert (gaps <= (swept.slops[1] + swept.noise)[swept.rows]).all()
    assert np.isinf(reported).sum() > 200 or IS_SMALL


@pytest.mark.parametrize("name", SOLID_SWEEPS)
def test_along_the_normals_of_sweeps_solids_part(name):
    """For convex solids and convex sectors: they separate by the length of the shift, whatever features touch."""
    swept = swept_solids_of(name)
    is_convex = (swept.sectors.inner_radii == 0.0) & ((swept.sectors.half_angles <= np.pi / 2) | swept.sectors.is_round)
    is_convex &= np.array([len(solid.pieces) == 1 for solid in swept.shapes])
    rows = np.array([row for row in swept.rows if is_convex[row] and not swept.impacts[row].overlapping])
    times = np.array([swept.impacts[row].time for row in rows], FINE)
    normals = np.array([swept.impacts[row].normal for row in rows])
    np.testing.assert_allclose(np.hypot(*normals.T), 1.0, rtol=0, atol=8 * EPSILON)
    moved = replace(swept.sectors[rows], poses=swept.ways[rows].at(times)).fine
    poses = swept.shape_ways[rows].at(times)
    steps = 1e-3 * np.minimum(swept.sectors.extents, swept.extents)[rows]
    poses[:, :2] += steps[:, None] * normals
    margins = 2 * (swept.slops[1] + swept.noise)[rows]
    assert (swept.gap(rows, moved, poses) >= steps * (1 - 1e-5) - margins).all()
    assert len(rows) >= 5 or IS_SMALL


def test_the_normals_of_segments_that_strike_are_against_the_way():
    """The segment reaches the apex, a corner or the arc from outside. It has two normals, one of them inwards."""
    rng = np.random.default_rng(124)
    cone, still = im.Sector(10, 0.5), im.Motion.still(im.Pose(0, 0))
    for _ in range(cases(500)):
        bearing, length = rng.uniform(-np.pi, np.pi), rng.uniform(3, 12)
        c, s, angle = math.cos(bearing), math.sin(bearing), bearing + rng.uniform(-0.5, 0.5)
        way = im.Motion(im.Pose(20 * c, 20 * s, angle), im.Pose(-5 * c, -5 * s, angle))
        impact = im.sector_sweep(cone, still, im.Capsule((0, -length), (0, length)), way)
        assert impact is not None
        assert impact.normal[0] * c + impact.normal[1] * s > 0.0


def test_solids_that_pass_by():
    """They pass a resting sector at a part of the slop or up to a thousandth: only those within the slop are hits."""
    rng = np.random.default_rng(122)
    count = cases(400)
    sectors = random_sectors(rng, count, (0.5, 2.0), 3.0)
    catalogue = random_catalogue(rng, 10 * len(KINDS), (0.2, 1.5))
    outlines, chosen = Outlines(catalogue), rng.integers(0, 10 * len(KINDS), count)
    reaches = catalogue.reaches[chosen]
    slop = 1e-9 * np.minimum(sectors.extents, catalogue.extents[chosen])
    beside = np.choose(rng.integers(0, 5, count), [0.0 * slop, 0.4 * slop, 1e3 * slop, 1e5 * slop, 1e-3 * reaches])
    poses = np.column_stack([np.zeros((count, 2)), rng.uniform(-np.pi, np.pi, count)]).astype(FINE)
    poses[:, :2] = (
        sectors.poses[:, :2] + direction(rng.uniform(-np.pi, np.pi, count)) * (sectors.radii + reaches)[:, None]
    )

    def gap(rows, moved, at):
        return outlines.gaps(moved, chosen[rows], at)

    everyone, fine = np.arange(count), sectors.fine
    for _ in range(40):  # towards it, along the slope of the gap
        gaps = gap(everyone, fine, poses)
        step = 1e-7 * reaches
        slope = [gap(everyone, fine, poses + step[:, None] * axis) - gaps for axis in np.eye(3)[:2].astype(FINE)]
        slope = np.stack(slope, axis=1)
        slope /= np.maximum(np.hypot(*slope.T), 1e-300)[:, None]
        poses[:, :2] -= (gaps - beside)[:, None] * slope
    aside = np.column_stack([-slope[:, 1], slope[:, 0]]) * rng.choice([-1.0, 1.0], count)[:, None]
    lengths = rng.uniform(0.5, 2.0, (2, count, 1)) * (sectors.radii + reaches)[:, None]
    ends = [
        np.column_stack([poses[:, :2] + way, poses[:, 2]]).astype(float)
        for way in (-lengths[0] * aside, lengths[1] * aside)
    ]
    still, nothing = Ways(sectors.poses, sectors.poses, np.zeros((count, 2))), np.zeros((count, 2))
    solids = [catalogue.solids[index] for index in chosen]
    swept = Swept(sectors, still, solids, catalogue.extents[chosen], reaches, Ways(*ends, nothing), gap)
    reported = np.full(count, np.inf)
    reported[swept.rows] = swept.times
    assert (swept.gaps(swept.rows, swept.times, FINE) <= (swept.slops[1] + swept.noise)[swept.rows]).all()
    times = (lengths[0] / lengths.sum(axis=0))[:, 0]
    touching = swept.gaps(everyone, times, FINE) <= 0.5 * slop
    window = np.sqrt(8 * slop * (sectors.radii + reaches)) / lengths.sum(axis=0)[:, 0]
    assert (reported <= times + window)[touching].all()
    assert (reported <= swept.sampled[0]).all()
    assert touching.sum() > 0.2 * count
    assert np.isinf(reported).sum() > 0.1 * count


def test_swings_that_only_just_reach():
    """Round arcs turn past a disk right at their reach: a touch within half a slop, a miss at five."""
    rng = np.random.default_rng(123)
    count = cases(1000)
    sectors = random_sectors(rng, count, (0.5, 2.0), 3.0)
    sectors.half_angles[:] = rng.uniform(0.05, 1.2, count)
    radii = sectors.radii * np.exp(rng.uniform(np.log(0.05), 0, count))
    offsets = rng.choice([0.0, 0.4, -0.4, 5.0], count)
    bearing = sectors.poses[:, 2] + rng.uniform(1.3, 2.5, count)
    slop = 1e-9 * np.minimum(sectors.extents, 2 * radii)
    far = sectors.radii.astype(FINE) + radii + offsets * slop
    centers = (sectors.poses[:, :2] + far[:, None] * direction(bearing.astype(FINE))).astype(float)
    nothing, turn = np.zeros((count, 2)), np.column_stack([np.zeros((count, 2)), rng.uniform(2.6, 12.0, count)])
    poses = np.column_stack([centers, np.zeros(count)])
    swept = swept_disks(sectors, Ways(sectors.poses, sectors.poses + turn, nothing), radii, Ways(poses, poses, nothing))
    hit = np.array([impact is not None for impact in swept.impacts])
    assert hit[offsets < 1.0].all()
    assert not hit[offsets > 1.0].any()
    assert (swept.gaps(swept.rows, swept.times, FINE) <= (swept.slops[1] + swept.noise)[swept.rows]).all()


def test_disks_that_slide_along_an_edge():
    """They slide from beyond its end towards the apex: the time is when they pass that end, and not later.

    The path is parallel to the edge except for the last bit: an exact ray meets the edge anywhere, or nowhere.
    """
    rng = np.random.default_rng(121)
    count = cases(2000)
    sectors = random_sectors(rng, count, (0.5, 2.0), 1.0)
    sectors.half_angles[:] = rng.uniform(0.05, 0.75 * np.pi, count)
    sectors.inner_radii[:] *= rng.integers(0, 2, count)
    radii = sectors.radii * rng.uniform(0.05, 0.4, count)
    side = rng.choice([-1.0, 1.0], count)
    edge = sectors.poses[:, 2].astype(FINE) + side * sectors.half_angles
    ahead, aside = direction(edge), direction(edge + side * np.pi / 2)
    begin, end = (sectors.radii * factor for factor in (rng.uniform(1.1, 2.0, count), rng.uniform(-1.0, 0.9, count)))
    lines = [
        (sectors.poses[:, :2] + far[:, None] * ahead + radii[:, None] * aside).astype(float) for far in (begin, end)
    ]
    starts, ends = (np.column_stack([line, np.zeros(count)]) for line in lines)
    still = Ways(sectors.poses, sectors.poses, np.zeros((count, 2)))
    swept = swept_disks(sectors, still, radii, Ways(starts, ends, np.zeros((count, 2))))
    reported = np.full(count, np.inf)
    reported[swept.rows] = swept.times
    over_the_end = (begin - sectors.radii) / (begin - end)
    # On their way round the corner they are already within the slop.
    window = np.sqrt(8e-9 * sectors.radii * radii) / (begin - end)
    assert (reported <= over_the_end + 1e-12).all()
    assert (reported >= over_the_end - window).all()
