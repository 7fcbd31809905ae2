"""Random moving solids that do not rotate, against casts of raw outlines and against symmetries.

There are 210,000 convex pairs, 20,400 concave ones with up to 200 corners, 7,000 with acceleration, and 50,000 with
whole numbers. The oracle is `swept_outlines`: it splits nothing, and takes no steps. Cases that it cannot decide are
left out: a graze within twice the slop, or a touch at one of the frame's ends. They are at most one pair in a thousand,
which the tests count; of these pairs it is none. For near grazes, and for whole numbers, other oracles decide exactly.

Tolerances are 1e-9 of the frame and of the size, plus rounding on both sides.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace

import numpy as np
import pytest
import shapely
from shapely.geometry.polygon import orient

import impinge as im
from impinge.reference import polygons as published
from scale import cases, some
from shapely_solids import EPSILON, Catalogue, Pairs, concave_outline, random_solid
from swept_outlines import Judgement, corners_of, exact_overlap, judged

CONVEX_KINDS = ("box", "circle", "capsule", "segment", "convex polygon", "convex polygon", "rounded convex polygon")
CONCAVE_KINDS = ("concave polygon", "star", "angle", "arrow", "rounded concave polygon", "compound", "convex polygon")
QUARTERS = (0.0, math.pi / 2, math.pi, -math.pi / 2)
CONVEX, CONCAVE, THROWN = cases(25_000), cases(5_000, least=1_500), cases(3_000, least=1_500)
# Kinds, number of pairs, sizes, the largest coordinate of a position, and how many times their size pairs move.
REALMS = {
    "units": (CONVEX_KINDS, CONVEX, (0.3, 3.0), 10.0, 3.0),
    "tiny": (CONVEX_KINDS, CONVEX, (1e-3, 2e-3), 1e-3, 3.0),
    "tiny and far away": (CONVEX_KINDS, CONVEX, (1e-3, 1e-2), 1e6, 3.0),
    "huge": (CONVEX_KINDS, CONVEX, (1e5, 1e6), 1e6, 3.0),
    "all sizes near the origin": (CONVEX_KINDS, CONVEX, (1e-3, 1e6), 1.0, 3.0),
    "all sizes far away": (CONVEX_KINDS, CONVEX, (1e-3, 1e6), 1e6, 3.0),
    "quarter turns": (CONVEX_KINDS, CONVEX, (0.3, 3.0), 10.0, 3.0),
    "nearly parallel": (CONVEX_KINDS, cases(10_000), (0.3, 3.0), 10.0, 3.0),
    "fast": (CONVEX_KINDS, CONVEX, (0.3, 3.0), 10.0, 1e5),
    "concave": (CONCAVE_KINDS, CONCAVE, (0.3, 3.0), 10.0, 3.0),
    "concave, all sizes": (CONCAVE_KINDS, CONCAVE, (1e-3, 1e6), 1.0, 3.0),
    "concave at quarter turns": (CONCAVE_KINDS, CONCAVE, (0.3, 3.0), 10.0, 3.0),
    "concave and fast": (CONCAVE_KINDS, CONCAVE, (0.3, 3.0), 10.0, 1e4),
    "many corners": (("gear",), cases(400, least=100), (0.3, 3.0), 10.0, 3.0),
    "thrown": (CONVEX_KINDS, THROWN, (0.3, 3.0), 10.0, 3.0),
    "thrown, concave": (CONCAVE_KINDS, THROWN // 3, (0.3, 3.0), 10.0, 3.0),
    "thrown, all sizes": (CONVEX_KINDS, THROWN, (1e-3, 1e6), 1.0, 3.0),
}
STRAIGHT = [name for name in REALMS if "thrown" not in name]
ARROW = [(0, 0), (4, -3), (1, 0), (4, 3)]
ANGLE = [(0, 0), (5, 0), (5, 1), (1, 1), (1, 4), (0, 4)]


def solid_of_kind(rng, kind, size):
    """Return a solid. Every second polygon is clockwise: the caller's indices then differ from the outline's."""
    if kind == "gear":
        count = int(rng.integers(20, 201))
        angles = (np.arange(count) + rng.uniform(-0.3, 0.3, count)) * (2 * np.pi / count)
        vertices = np.column_stack([np.cos(angles), np.sin(angles)]) * rng.uniform(0.6, 1, count)[:, None]
    elif kind in ("arrow", "angle"):
        vertices = np.array(ARROW if kind == "arrow" else ANGLE) / 4 + rng.uniform(-0.5, 0.5, 2)
    elif kind == "star":
        vertices = concave_outline(rng)
    else:
        solid = random_solid(rng, kind, size)
        if isinstance(solid, im.Polygon) and rng.random() < 0.5:
            return im.Polygon(solid.vertices[::-1], solid.radius)
        return solid
    return im.Polygon(size * vertices[:: rng.choice([-1, 1])])


def catalogue_of(rng, kinds, sizes, count=280):
    low, high = np.log(sizes[0]), np.log(sizes[1])
    return Catalogue([solid_of_kind(rng, kinds[k % len(kinds)], np.exp(rng.uniform(low, high))) for k in range(count)])


@dataclass
class Ways:
    """Pairs posed at the start, and their motions through the frame.

    `ends` are (m, 2, 3), as the poses of the pairs; `accelerations` (m, 2, 2), or None.
    """

    pairs: Pairs
    ends: np.ndarray
    accelerations: np.ndarray | None = None

    def __len__(self):
        return len(self.pairs)

    def __getitem__(self, rows):
        return Ways(self.pairs[rows], self.ends[rows], None if self.accelerations is None else self.accelerations[rows])

    @property
    def relative(self):
        moves = self.ends[:, :, :2] - self.pairs.poses[:, :, :2]
        return moves[:, 1] - moves[:, 0]

    @property
    def bends(self):
        return None if self.accelerations is None else self.accelerations[:, 1] - self.accelerations[:, 0]

    @property
    def lengths(self):
        bends = 0.0 if self.bends is None else np.hypot(*self.bends.T)
        return np.hypot(*self.relative.T) + bends

    @property
    def noise(self):
        return self.pairs.noise + 16 * EPSILON * self.lengths

    @property
    def coordinates(self):
        ends = abs(self.ends[:, :, :2]).max(axis=2) + self.pairs.catalogue.reaches[self.pairs.chosen]
        return np.maximum(self.pairs.coordinates, ends.max(axis=1))

    @property
    def slops(self):
        return 1e-9 * self.pairs.extents + 8 * EPSILON * self.coordinates

    @property
    def sizes(self):
        return self.pairs.catalogue.reaches[self.pairs.chosen].sum(axis=1)

    def judgement(self) -> Judgement:
        return judged(self.pairs, self.relative, self.bends, margins=2.0 * self.slops + self.noise)

    def impacts(self):
        solids, starts, numbers = self.pairs.packed()
        accelerations = None if self.accelerations is None else self.accelerations.reshape(-1, 2)
        return im.batch.time_of_impact(solids, starts, self.ends.reshape(-1, 3), numbers, accelerations=accelerations)

    def places(self, side, times):
        """Return the displacements of the solids on one side at given times."""
        moves = self.ends[:, side, :2] - self.pairs.poses[:, side, :2]
        bend = 0.0 if self.accelerations is None else self.accelerations[:, side]
        times = times[:, None]
        return moves * times - 0.5 * times * (1.0 - times) * bend

    def at(self, times):
        """Return the pairs at given times, relative to the first solids."""
        return self.pairs.moved(self.places(1, times) - self.places(0, times))

    def swapped(self):
        accelerations = None if self.accelerations is None else self.accelerations[:, ::-1]
        return Ways(self.pairs.swapped(), self.ends[:, ::-1], accelerations)

    def reversed(self):
        """Return the motions from the end back to the start. The acceleration is the same in both time directions."""
        poses = self.ends.copy()
        return Ways(Pairs(self.pairs.catalogue, self.pairs.chosen, poses), self.pairs.poses.copy(), self.accelerations)

    def one_by_one(self):
        """Return the arguments of `impinge.time_of_impact`."""
        solids = self.pairs.catalogue.solids
        for row, chosen in enumerate(self.pairs.chosen.tolist()):
            arguments = []
            for side in range(2):
                start, end = (im.Pose(*poses[row, side].tolist()) for poses in (self.pairs.poses, self.ends))
                acceleration = (0.0, 0.0) if self.accelerations is None else self.accelerations[row, side].tolist()
                arguments += [solids[chosen[side]], im.Motion(start, end, tuple(acceleration))]
            yield arguments


def random_ways(rng, catalogue, count, place, speed, *, angles=(), is_thrown=False):
    """Draw pairs of which every second one meets: b moves past a, over it, or not far enough; a moves, too.

    One in twelve may start in overlap.
    """
    chosen = rng.integers(0, len(catalogue.solids), (count, 2))
    reaches = catalogue.reaches[chosen].sum(axis=1)[:, None]
    poses = np.empty((count, 2, 3))
    poses[:, :, 2] = rng.choice(angles, (count, 2)) if angles else rng.uniform(-np.pi, np.pi, (count, 2))
    poses[:, 0, :2] = rng.uniform(-place, place, (count, 2))
    direction = rng.uniform(-np.pi, np.pi, count)
    ahead = np.column_stack([np.cos(direction), np.sin(direction)])
    aside = np.column_stack([-ahead[:, 1], ahead[:, 0]])
    length = reaches * np.exp(rng.uniform(0.0, np.log(speed), (count, 1)))
    back = (1.0 + 0.5 * rng.random((count, 1))) * reaches + rng.random((count, 1)) * np.maximum(length - reaches, 0.0)
    back = np.where(rng.random((count, 1)) < 1 / 12, rng.random((count, 1)) * reaches, back)
    miss = rng.uniform(-1.2, 1.2, (count, 1)) * reaches
    poses[:, 1, :2] = poses[:, 0, :2] - back * ahead + miss * aside
    ends = poses.copy()
    ends[:, 0, :2] += rng.uniform(-1.0, 1.0, (count, 2)) * length
    ends[:, 1, :2] += ends[:, 0, :2] - poses[:, 0, :2] + 1.3 * length * ahead
    if not is_thrown:
        return Ways(Pairs(catalogue, chosen, poses), ends)
    return Ways(Pairs(catalogue, chosen, poses), ends, rng.normal(0.0, 2.0, (count, 2, 2)) * length[:, None])


def make_nearly_parallel(rng, ways):
    """Return pairs of equal solids, one rotated by a quarter or half a turn plus an angle from 1e-3 down to 1e-12."""
    count = len(ways)
    ways.pairs.chosen[:, 1] = ways.pairs.chosen[:, 0]
    hair = rng.choice([-1.0, 1.0], count) * 10.0 ** rng.uniform(-12, -3, count)
    for poses in (ways.pairs.poses, ways.ends):
        poses[:, 1, 2] = ways.pairs.poses[:, 0, 2] + hair
    turn = rng.choice(QUARTERS, count)
    ways.pairs.poses[:, 1, 2] += turn
    ways.ends[:, 1, 2] += turn


@dataclass
class Realm:
    ways: Ways
    expected: Judgement
    found: im.batch.Impacts

    @property
    def hits(self):
        """Rows that surely are impacts without an overlap at the start."""
        return np.flatnonzero(self.expected.is_decided & self.expected.is_hit)


@functools.cache
def realm(name):
    kinds, count, sizes, place, speed = REALMS[name]
    rng = np.random.default_rng(40 + list(REALMS).index(name))
    catalogue = catalogue_of(rng, kinds, sizes, 60 if name == "many corners" else 280)
    angles = QUARTERS if "quarter turns" in name else ()
    ways = random_ways(rng, catalogue, count, place, speed, angles=angles, is_thrown="thrown" in name)
    if name == "nearly parallel":
        make_nearly_parallel(rng, ways)
    return Realm(ways, ways.judgement(), ways.impacts())


# At a small scale, only these run.
FIRST = ["units", "concave", "thrown", "quarter turns", "nearly parallel", "all sizes far away"]
realms = pytest.mark.parametrize("name", some(dict.fromkeys([*FIRST, *REALMS]), least=len(FIRST)))


@realms
def test_next_to_nothing_is_left_out(name):
    expected = realm(name).expected
    assert np.mean(~expected.is_decided) < 1e-3
    assert 0.25 < np.mean(expected.is_hit) < 0.8
    assert 0.002 < np.mean(expected.is_overlapping) < 0.2
    assert np.mean(~expected.is_hit & ~expected.is_overlapping) > 0.1


@realms
def test_what_hits_and_what_does_not(name):
    expected, found = realm(name).expected, realm(name).found
    sure = expected.is_decided
    np.testing.assert_array_equal(found.hit[sure], (expected.is_hit | expected.is_overlapping)[sure])
    np.testing.assert_array_equal(found.overlapping[sure], expected.is_overlapping[sure])


@realms
def test_when_it_hits(name):
    rows = realm(name).hits
    expected, found = realm(name).expected, realm(name).found
    error = abs(found.times[rows] - expected.times[rows])
    assert (error <= 1e-9).all()
    # All of them are steep enough for tiny rounding errors. So the error is rounding alone.
    assert expected.errors[rows].max() < 1e-10
    assert (error <= 1e-15 + 4.0 * expected.errors[rows]).all()


@realms
def test_rows_without_an_impact_have_no_answers(name):
    found = realm(name).found
    misses = ~found.hit
    for values in (found.times, found.normals, found.points, found.ends):
        assert np.isnan(values[misses]).all()
    assert (found.counts[misses] == 0).all()
    assert (found.features_a[misses] == -1).all()
    assert (found.features_b[misses] == -1).all()
    assert not found.overlapping[misses].any()
    assert (found.times[found.hit] >= 0.0).all()
    assert (found.times[found.hit] <= 1.0).all()


@realms
def test_what_overlaps_at_the_start_answers_as_contact_does(name):
    """Another module compares `contact` with Shapely."""
    found, ways = realm(name).found, realm(name).ways
    rows = np.flatnonzero(found.overlapping)
    contacts = im.batch.contact(*ways[rows].pairs.packed())
    assert len(rows) > 2
    assert (found.times[rows] == 0.0).all()
    assert (found.features_a[rows] == -1).all()
    assert (found.features_b[rows] == -1).all()
    np.testing.assert_allclose(found.normals[rows], contacts.normals, rtol=0, atol=1e-12)


@realms
def test_the_points_are_on_both_solids(name):
    """The point, and both ends of a stretch: Shapely measures their distances from the solids at that time."""
    rows = realm(name).hits
    ways, found = realm(name).ways[rows], realm(name).found
    then = ways.at(found.times[rows])
    seen_from = ways.pairs.poses[:, 0, :2] + ways.places(0, found.times[rows])
    rounding = 1e-9 * ways.sizes + ways.noise + 4 * EPSILON * ways.coordinates
    for points in (found.points[rows], found.ends[rows, 0], found.ends[rows, 1]):
        there = np.flatnonzero(~np.isnan(points[:, 0]))
        for side in range(2):
            gaps = then[there].point_gaps(side, points[there] - seen_from[there])
            assert (gaps <= rounding[there]).all()
    assert not np.isnan(found.points[rows]).any()
    assert not np.isnan(found.ends[rows, 0]).any()
    np.testing.assert_array_equal(np.isnan(found.ends[rows, 1, 0]), found.counts[rows] == 1)
    middle = np.where((found.counts[rows] == 1)[:, None], found.ends[rows, 0], found.ends[rows].mean(axis=1))
    assert (abs(middle - found.points[rows]).max(axis=1) <= rounding).all()


@realms
def test_the_normals_are_units_against_the_movement(name):
    rows = realm(name).hits
    ways, found = realm(name).ways[rows], realm(name).found
    normals, times = found.normals[rows], found.times[rows]
    np.testing.assert_allclose(np.hypot(*normals.T), 1.0, rtol=0, atol=8 * EPSILON)
    velocity = ways.relative - (0.0 if ways.bends is None else (0.5 - times)[:, None] * ways.bends)
    assert ((normals * velocity).sum(axis=1) < 0.0).all()


@realms
def test_moving_along_the_normal_parts_and_against_it_overlaps(name):
    """The shift is a millionth of the smaller solid. No notch here is narrower than that."""
    rows = realm(name).hits[:1500]
    ways, found = realm(name).ways[rows], realm(name).found
    step = np.maximum(1e-6 * ways.pairs.extents, 20 * (ways.slops + ways.noise))
    # Two segments that lie on each other, or almost, have no inside.
    is_thin = np.all([features.is_segment for features in features_of(realm(name), rows)], axis=0)
    fits = (step < 1e-3 * ways.pairs.extents) & ~is_thin
    assert fits.mean() > 0.3
    then, by = ways.at(found.times[rows]), step[:, None] * found.normals[rows]
    for way, is_apart in ((by, True), (-by, False)):
        gaps = Pairs(then.catalogue, then.chosen, then.poses).moved(way).gaps()
        assert ((gaps > 0.0) == is_apart)[fits].all()


# With acceleration, steps that reach a round corner give directions only to the root of rounding.
SIDEWAYS = 4 * math.sqrt(EPSILON)


class Features:
    """The geometry of the reported features, in the frame of the first solid of each pair at the time of impact.

    For one side: `here` and `there` (m, 2) are the ends of an edge, or twice the vertex; `outward` is an edge's normal.
    """

    def __init__(self, ways, side, times, features):
        catalogue, poses = ways.pairs.catalogue, ways.pairs.poses
        outlines = [corners_of(catalogue, leaf) for leaf in range(len(catalogue.cores))]
        counts = np.array([len(outline) for outline in outlines])
        padded = np.zeros((len(outlines), counts.max(), 2))
        for leaf, outline in enumerate(outlines):
            padded[leaf, : len(outline)] = outline
        following = np.array([np.resize(np.roll(outline, -1, axis=0), (counts.max(), 2)) for outline in outlines])
        winding = np.array(
            [
                -1.0 if core.geom_type == "Polygon" and not core.exterior.is_ccw else 1.0
                for core in catalogue.cores.tolist()
            ]
        )
        part, self.kinds, index = features.T
        assert (part >= 0).all()
        assert (part < catalogue.counts[ways.pairs.chosen[:, side]]).all()
        leaves = catalogue.firsts[ways.pairs.chosen[:, side]] + part
        assert (index >= 0).all()
        assert (index < counts[leaves]).all()
        assert np.isin(self.kinds, (0, 1)).all()
        self.radii = catalogue.radii[leaves]
        self.is_segment = (counts[leaves] == 2) & (self.radii == 0.0)
        self.is_edge = self.kinds == 1
        assert (counts[leaves] > 1)[self.is_edge].all()
        cos, sin = np.cos(poses[:, side, 2]), np.sin(poses[:, side, 2])
        place = ways.at(times).offsets * side

        def placed(points):
            return np.column_stack([cos * points[:, 0] - sin * points[:, 1], sin * points[:, 0] + cos * points[:, 1]])

        self.before = placed(padded[leaves, (index - 1) % counts[leaves]]) + place
        self.here = placed(padded[leaves, index]) + place
        self.after = placed(following[leaves, index]) + place
        along = np.where(self.is_edge[:, None], self.after - self.here, 1.0)
        self.lengths = np.hypot(*along.T)
        self.outward = winding[leaves, None] * np.column_stack([along[:, 1], -along[:, 0]]) / self.lengths[:, None]

    def gaps(self, points):
        """Return the distances of points from the feature."""
        along = np.where(self.is_edge[:, None], self.after - self.here, 0.0)
        share = ((points - self.here) * along).sum(axis=1) / np.where(self.is_edge, self.lengths, 1.0) ** 2
        nearest = self.here + np.clip(share, 0.0, 1.0)[:, None] * along
        return abs(np.hypot(*(points - nearest).T) - self.radii)


def features_of(realm, rows):
    ways, found = realm.ways[rows], realm.found
    times = found.times[rows]
    return Features(ways, 0, times, found.features_a[rows]), Features(ways, 1, times, found.features_b[rows])


@realms
def test_the_features_are_where_the_point_is(name):
    """Features are named by the caller's vertices: a corner, the edge that starts there, or a radius around either."""
    rows = realm(name).hits
    ways, found = realm(name).ways[rows], realm(name).found
    points = found.points[rows] - ways.pairs.poses[:, 0, :2] - ways.places(0, found.times[rows])
    rounding = 1e-9 * ways.sizes + ways.noise + 4 * EPSILON * ways.coordinates
    sideways = SIDEWAYS * ways.sizes * ("thrown" in name)
    for features in features_of(realm(name), rows):
        assert (features.gaps(points) <= rounding + sideways).all()


@realms
def test_a_stretch_is_one_of_two_edges(name):
    rows = realm(name).hits[realm(name).found.counts[realm(name).hits] == 2]
    for features in features_of(realm(name), rows):
        assert features.is_edge.all()
    assert len(rows) > cases(20) or name not in ("quarter turns", "concave at quarter turns", "nearly parallel")


@realms
def test_the_normal_is_that_of_the_features(name):
    """For an edge it is the edge's own normal. Between two round corners it goes from centre to centre."""
    rows = realm(name).hits
    ways, normals = realm(name).ways[rows], realm(name).found.normals[rows]
    a, b = features_of(realm(name), rows)
    ends = realm(name).found.ends[rows]
    stretches = np.where(realm(name).found.counts[rows] == 2, np.hypot(*(ends[:, 1] - ends[:, 0]).T), np.inf)
    for features, sign in ((a, 1.0), (b, -1.0)):
        error = np.hypot(*(sign * features.outward - normals).T)
        # Edges that separate by the slop along their common stretch are almost parallel.
        tolerance = 1e-12 + 4.0 * (ways.noise / features.lengths + ways.slops / stretches)
        assert (error <= tolerance)[features.is_edge].all()
    reach = a.radii + b.radii
    round_corners = ~a.is_edge & ~b.is_edge & (reach > 0.0)
    error = np.hypot(*(b.here - a.here - reach[:, None] * normals).T)
    sideways = SIDEWAYS * reach * ("thrown" in name)
    assert (error <= 4.0 * (ways.slops + ways.noise) + sideways)[round_corners].all()
    assert round_corners.sum() > (0.005 * len(rows) if name != "many corners" else -1)
    assert np.mean(a.is_edge | b.is_edge) > 0.5


@realms
def test_the_scalar_function_gives_the_answers_of_the_arrays(name):
    found = realm(name).found
    for row, arguments in enumerate(realm(name).ways[:80].one_by_one()):
        assert_same(im.time_of_impact(*arguments), found, row)


def assert_same(impact, found, row):
    assert (impact is not None) == found.hit[row]
    if impact is None:
        return
    assert impact.time == found.times[row]
    assert impact.point == tuple(found.points[row])
    assert impact.normal == tuple(found.normals[row])
    assert impact.points == tuple(map(tuple, found.ends[row, : found.counts[row]].tolist()))
    assert impact.overlapping == found.overlapping[row]
    assert impact.iterations == found.iterations[row]
    for feature, features in ((impact.feature_a, found.features_a), (impact.feature_b, found.features_b)):
        part, kind, index = features[row].tolist()
        expected = None if part < 0 else im.Feature(("vertex", "edge")[kind], index, part)
        assert feature == expected


# Dense sampling, and the published method.


@pytest.mark.parametrize("name", some(["units", "concave", "thrown", "fast", "thrown, concave"], least=3))
def test_nothing_overlaps_before_and_something_does_just_after(name):
    """Shapely checks 250 times before the impact, or in the whole frame without one."""
    rows = np.flatnonzero(realm(name).expected.is_decided & ~realm(name).expected.is_overlapping)[:120]
    ways, found = realm(name).ways[rows], realm(name).found
    hit, ends = found.hit[rows], np.where(found.hit[rows], found.times[rows], 1.0)
    shares = np.append(np.linspace(0.0, 1.0, 250, endpoint=False), 1.0 - 1e-6)
    every = np.repeat(np.arange(len(rows)), len(shares))
    before = ways[every].at(np.outer(ends, shares).ravel())
    assert (before.gaps() > 0.0).all()
    assert 30 < hit.sum() < 110
    # Later by the time for an overlap of a hundred thousandth, but for near grazes no more than that.
    step = 1e-5 * ways.pairs.extents / ways.lengths
    later = np.minimum(ends + step, 1.0)
    into = ways.at(later).gaps() <= 0.0
    assert into[hit & (ends + step < 1.0)].mean() > 0.98


@pytest.mark.parametrize(("name", "count"), some([("units", 12_000), ("quarter turns", 6000), ("concave", 1500)], 2))
def test_the_published_method_where_it_is_right(name, count):
    """Where it is right, its time is that of the casts. Its module says how often it is wrong, and why."""
    ways, expected, found = realm(name).ways, realm(name).expected, realm(name).found
    catalogue = ways.pairs.catalogue
    is_sharp = np.array(
        [
            catalogue.counts[k] == 1
            and catalogue.radii[catalogue.firsts[k]] == 0.0
            and catalogue.cores[catalogue.firsts[k]].geom_type == "Polygon"
            for k in range(len(catalogue.solids))
        ]
    )
    rows = np.arange(cases(count, least=1_000))
    rows = rows[is_sharp[ways.pairs.chosen[rows]].all(axis=1) & (expected.is_decided & ~expected.is_overlapping)[rows]]
    times = np.array([published_time(ways[[row]]) for row in rows])
    is_right = np.isnan(times) == ~expected.is_hit[rows]
    is_right &= ~(abs(times - expected.times[rows]) > 1e-9)
    assert is_right.mean() > 0.99
    hits = rows[is_right & ~np.isnan(times)]
    assert len(hits) > 0.3 * len(rows) > 30
    np.testing.assert_array_equal(found.hit[rows][is_right], ~np.isnan(times)[is_right])
    np.testing.assert_allclose(found.times[hits], times[is_right & ~np.isnan(times)], rtol=0, atol=2e-9)


def published_time(ways):
    """Apply the published method to one pair, with the first solid at the pair's origin.

    Both move: a resting solid has no path that the method could cut.
    """
    pair, arguments = ways.pairs, []
    for side in range(2):
        (x, y), angle = pair.offsets[0] * side, pair.poses[0, side, 2]
        corners = corners_of(pair.catalogue, int(pair.catalogue.firsts[pair.chosen[0, side]]))
        cos, sin = math.cos(angle), math.sin(angle)
        arguments.append([(x + cos * px - sin * py, y + sin * px + cos * py) for px, py in corners.tolist()])
        arguments.append(tuple((ways.ends[0, side, :2] - pair.poses[0, side, :2]).tolist()))
    collision = published.collision_of_polygons(*arguments)
    return math.nan if collision is None else collision.time


# Near grazes, and starts in contact.

# Distances by which they miss each other, in slops: within one slop it is a graze.
BRINKS = (-1e4, -100.0, -3.0, -1.5, -0.4, 0.0, 0.5, 3.0, 100.0)


@pytest.mark.parametrize(
    "name", some(["units", "quarter turns", "tiny and far away", "all sizes near the origin", "fast"], least=2)
)
def test_on_the_brink_of_a_graze(name):
    """Convex pairs are shifted until they almost miss each other. An overlap of more than a slop is an impact."""
    rng = np.random.default_rng(8)
    ways = realm(name).ways[np.flatnonzero(~realm(name).expected.is_overlapping)[:5000]]
    lengths = ways.lengths
    aside = np.column_stack([-ways.relative[:, 1], ways.relative[:, 0]]) / lengths[:, None]
    room = highest(ways.pairs, aside)
    brinks = rng.choice(BRINKS, len(ways))
    poses, ends = ways.pairs.poses.copy(), ways.ends.copy()
    shift = aside * (room + brinks * ways.slops)[:, None] - ways.relative / lengths[:, None] * ways.sizes[:, None]
    # At least five times their size, so that they pass each other completely.
    moves = ways.relative / lengths[:, None] * np.maximum(lengths, 5.0 * ways.sizes)[:, None]
    poses[:, 1, :2] += shift
    ends[:, 1, :2] = poses[:, 1, :2] + ends[:, 0, :2] - poses[:, 0, :2] + moves
    brink = Ways(Pairs(ways.pairs.catalogue, ways.pairs.chosen, poses), ends)
    is_apart = brink.pairs.gaps() > 2 * brink.slops
    passes = ((brink.relative + brink.pairs.offsets) * brink.relative).sum(axis=1) > brink.sizes * brink.lengths
    # Far away, rounding moves the positions slightly.
    aside = np.column_stack([-brink.relative[:, 1], brink.relative[:, 0]]) / brink.lengths[:, None]
    missing = -highest(brink.pairs, aside) / brink.slops
    told = is_apart & passes & (abs(missing + 0.8) > 0.3) & (brink.noise < 0.1 * brink.slops)
    found = brink.impacts()
    np.testing.assert_array_equal(found.hit[told], (missing < -0.8)[told])
    assert told.mean() > 0.5
    assert min((found.hit & told).sum(), (~found.hit & told).sum()) > 0.2 * len(ways)
    assert ((missing < 0.0) & ~found.hit & told).mean() > 0.05


def highest(pairs, aside):
    """Return how far the second solid of a pair must move aside to be past the first; `aside` are unit vectors."""
    catalogue = pairs.catalogue
    far = -(pairs.offsets * aside).sum(axis=1)
    for side, sign in ((0, 1.0), (1, -1.0)):
        angles = pairs.poses[:, side, 2]
        cos, sin = np.cos(angles), np.sin(angles)
        # The direction in the frame of each solid.
        own = sign * np.column_stack([cos * aside[:, 0] + sin * aside[:, 1], cos * aside[:, 1] - sin * aside[:, 0]])
        for number, leaf in enumerate(catalogue.firsts):
            rows = pairs.chosen[:, side] == number
            far[rows] += (own[rows] @ corners_of(catalogue, leaf).T).max(axis=1) + catalogue.radii[leaf]
    return far


@pytest.mark.parametrize("name", some(["units", "quarter turns", "tiny", "huge"], least=2))
def test_from_a_touch(name):
    """Convex pairs start in contact and move in any direction: the impact is at once, or never."""
    rows = realm(name).hits[:4000]
    rng = np.random.default_rng(9)
    ways, times = realm(name).ways[rows], realm(name).expected.times[rows]
    poses = ways.pairs.poses.copy()
    for side in range(2):
        poses[:, side, :2] += ways.places(side, times)
    ends = poses.copy()
    ends[:, :, :2] += rng.uniform(-1, 1, (len(rows), 2, 2)) * ways.sizes[:, None, None]
    touch = Ways(Pairs(ways.pairs.catalogue, ways.pairs.chosen, poses), ends)
    # A little later, Shapely sees them overlap, or apart.
    step = 1e-4 * ways.pairs.extents / touch.lengths
    later = touch.at(step)
    gaps, sure = later.gaps(), 20 * touch.slops + touch.noise
    back = later.moved(-10.0 * sure[:, None] * touch.relative / touch.lengths[:, None])
    is_in, is_out = (gaps <= 0.0) & (back.gaps() <= 0.0), (gaps > sure) & ~are_segments(touch.pairs)
    found = touch.impacts()
    assert not found.overlapping.any()
    assert found.hit[is_in].all()
    assert (found.times[is_in] <= 1e-4).all()
    assert not found.hit[is_out].any()
    assert (is_in | is_out).mean() > 0.97
    assert min(is_in.mean(), is_out.mean()) > 0.3


def test_thrown_from_a_touch():
    """They start in contact on any parabola: the impact is at once, when they fall back, or never."""
    start, rows = realm("units"), realm("units").hits[:8000]
    rng = np.random.default_rng(12)
    ways, times = start.ways[rows], start.expected.times[rows]
    poses = ways.pairs.poses.copy()
    for side in range(2):
        poses[:, side, :2] += ways.places(side, times)
    ends = poses.copy()
    ends[:, :, :2] += rng.uniform(-1, 1, (len(rows), 2, 2)) * ways.sizes[:, None, None]
    accelerations = rng.normal(0, 4, (len(rows), 2, 2)) * ways.sizes[:, None, None]
    touch = Ways(Pairs(ways.pairs.catalogue, ways.pairs.chosen, poses), ends, accelerations)
    # A little later, Shapely sees them overlap, or apart. From then on the oracle decides.
    step = 1e-4 * ways.pairs.extents / touch.lengths
    later, sure = touch.at(step), 20 * touch.slops + touch.noise
    velocity = touch.relative - (0.5 - step)[:, None] * touch.bends
    back = later.moved(-10.0 * sure[:, None] * velocity / np.hypot(*velocity.T)[:, None])
    is_in, is_out = (later.gaps() <= 0.0) & (back.gaps() <= 0.0), (later.gaps() > sure) & ~are_segments(touch.pairs)
    onwards = judged(later, velocity + 0.5 * touch.bends, touch.bends, margins=2.0 * touch.slops + touch.noise)
    expected = onwards.times + step
    is_out &= onwards.is_decided & (abs(expected - 1.0) > 1e-6)
    found = touch.impacts()
    assert not found.overlapping.any()
    assert found.hit[is_in].all()
    assert (found.times[is_in] <= 1e-4).all()
    np.testing.assert_array_equal(found.hit[is_out], (expected <= 1.0)[is_out])
    falls_back = is_out & (expected <= 1.0)
    # The slop allows this error in time.
    speed = abs((found.normals * (touch.relative - (0.5 - found.times)[:, None] * touch.bends)).sum(axis=1))
    error = abs(found.times - expected)
    assert (error <= 1e-9 + 2.0 * touch.slops / speed)[falls_back].all()
    assert (is_in | is_out).mean() > 0.97
    assert min(is_in.sum(), is_out.sum() - falls_back.sum(), falls_back.sum()) > cases(500)


def are_segments(pairs):
    """Return whether both solids are segments. Overlaid segments have no side on which they could separate."""
    sharp = [isinstance(solid, im.Capsule) and solid.radius == 0.0 for solid in pairs.catalogue.solids]
    return np.array(sharp)[pairs.chosen].all(axis=1)


# Symmetries.

symmetric = pytest.mark.parametrize(
    "name", some(["units", "concave", "thrown", "tiny and far away", "all sizes near the origin"], least=3)
)


def assert_same_impacts(realm, rows, other, *, is_swapped=False):
    """Compare the answers about some rows with those about the same pairs in another form."""
    expected, found = realm.expected, realm.found
    sure = expected.is_decided[rows]
    np.testing.assert_array_equal(other.hit[sure], found.hit[rows][sure])
    hit = sure & expected.is_hit[rows]
    error, ways = abs(other.times - found.times[rows]), realm.ways[rows]
    # In another place, rounding is different.
    rounding = ways.noise + 8 * EPSILON * ways.coordinates
    assert (error <= 1e-12 + 2.0 * expected.errors[rows] * rounding / ways.noise)[hit].all()
    normals = -other.normals if is_swapped else other.normals
    features = (other.features_b, other.features_a) if is_swapped else (other.features_a, other.features_b)
    same = (features[0] == found.features_a[rows]).all(axis=1) & (features[1] == found.features_b[rows]).all(axis=1)
    assert same[hit].mean() > 0.999
    error = np.hypot(*(normals - found.normals[rows]).T)
    # Near a corner of a tiny radius, the normal is off by the ratio of rounding to the radius.
    assert np.mean(error[hit & same] > 1e-6) < 2e-3
    assert hit.sum() > 0.25 * len(error)


@symmetric
def test_swapped_pairs_give_swapped_answers(name):
    rows = np.arange(min(4000, len(realm(name).ways)))
    assert_same_impacts(realm(name), rows, realm(name).ways[rows].swapped().impacts(), is_swapped=True)


@symmetric
@pytest.mark.parametrize("way", ["straight", "thrown"])
def test_a_motion_that_both_share_changes_nothing(name, way):
    """Both share a linear motion, or fall together."""
    rows = np.arange(min(4000, len(realm(name).ways)))
    ways = realm(name).ways[rows]
    rng = np.random.default_rng(6)
    common = rng.uniform(-1, 1, (len(rows), 1, 2)) * ways.sizes[:, None, None]
    ends, accelerations = ways.ends.copy(), ways.accelerations
    if way == "straight":
        ends[:, :, :2] += common
    else:
        accelerations = common + (np.zeros((len(rows), 2, 2)) if accelerations is None else accelerations)
    carried = replace(ways, ends=ends, accelerations=accelerations)
    expected, found = carried.judgement() if way == "straight" else realm(name).expected, carried.impacts()
    assert_same_impacts(Realm(ways, expected, realm(name).found), rows, found)


@symmetric
@pytest.mark.parametrize("factor", [1e-3, 1e6])
def test_scaling_the_world_changes_no_time(name, factor):
    rows = np.arange(min(4000, len(realm(name).ways)))
    assert_same_impacts(realm(name), rows, scaled(realm(name).ways[rows], factor).impacts())


def scaled(ways, factor):
    pairs = ways.pairs
    catalogue = Catalogue([solid.transformed(factor) for solid in pairs.catalogue.solids])
    return Ways(
        Pairs(catalogue, pairs.chosen, pairs.poses * [factor, factor, 1.0]),
        ways.ends * [factor, factor, 1.0],
        None if ways.accelerations is None else factor * ways.accelerations,
    )


@pytest.mark.parametrize("name", some(["units", "concave", "thrown", "tiny and far away"], least=3))
@pytest.mark.parametrize("factor", [0.25, 1024.0])
def test_scaling_by_a_power_of_two_scales_every_answer_to_the_bit(name, factor):
    rows = np.arange(min(2000, len(realm(name).ways)))
    found, other = realm(name).found, scaled(realm(name).ways[rows], factor).impacts()
    for same in ("hit", "times", "normals", "counts", "features_a", "features_b", "overlapping", "iterations"):
        np.testing.assert_array_equal(getattr(other, same), getattr(found, same)[rows])
    np.testing.assert_array_equal(other.points, factor * found.points[rows])
    np.testing.assert_array_equal(other.ends, factor * found.ends[rows])


@pytest.mark.parametrize("name", some(["units", "concave", "quarter turns", "thrown"], least=2))
def test_time_reversed(name):
    """The first contact of the reversed motion starts where the last contact of the forward motion ends."""
    ways, expected = realm(name).ways, realm(name).expected
    back = ways[:400].reversed()
    there_and_back = expected.is_decided[:400] & expected.is_hit[:400] & (back_judged := back.judgement()).is_decided
    rows = np.flatnonzero(there_and_back & back_judged.is_hit)[:60]
    assert len(rows) > 15
    found = back[rows].impacts()
    for number, arguments in enumerate(ways[rows].one_by_one()):
        a, motion_a, b, motion_b = arguments
        row, time = rows[number], found.times[number]
        impact = im.time_of_impact(*arguments)
        tolerance = 1e-8 + 10 * (expected.errors[row] + back_judged.errors[row])
        enter, leave = im.contact_interval(*arguments)
        assert enter == pytest.approx(impact.time, abs=tolerance)
        reverse = [a, backwards(motion_a), b, backwards(motion_b)]
        again = im.contact_interval(*reverse)
        assert again[0] == pytest.approx(time, abs=tolerance)
        if name in ("units", "quarter turns"):  # convex, and the path straight: there is only one contact
            assert leave == pytest.approx(1.0 - time, abs=tolerance)
            assert again[1] == pytest.approx(1.0 - impact.time, abs=tolerance)


def backwards(motion):
    return im.Motion(motion.end, motion.start, motion.acceleration)


# Exact cases: corners on corners, edges along edges, starts in contact.


def grid_ways(rng, count, catalogue):
    """Return solids that start and end on a grid."""
    poses = np.zeros((count, 2, 3))
    poses[:, :, :2] = rng.integers(-12, 13, (count, 2, 2))
    ends = poses.copy()
    ends[:, :, :2] += rng.integers(-16, 17, (count, 2, 2))
    ends[::20, 1, :2] = poses[::20, 1, :2] + ends[::20, 0, :2] - poses[::20, 0, :2]  # no relative motion
    return Ways(Pairs(catalogue, rng.integers(0, len(catalogue.solids), (count, 2)), poses), ends)


def random_hull(rng):
    """A convex outline with integer corners."""
    hull = shapely.MultiPoint(rng.integers(-4, 5, (int(rng.integers(3, 9)), 2))).convex_hull
    return hull if hull.geom_type == "Polygon" else random_hull(rng)


@functools.cache
def grid():
    rng = np.random.default_rng(70)
    hulls = [im.Polygon(orient(random_hull(rng)).exterior.coords[:-1]) for _ in range(100)]
    ways = grid_ways(rng, cases(30_000, least=3_000), Catalogue(hulls + [im.Box(4, 2)] * 50))
    outlines = [corners_of(ways.pairs.catalogue, leaf) for leaf in range(len(ways.pairs.catalogue.cores))]
    filled = np.stack([outline[np.minimum(np.arange(8), len(outline) - 1)] for outline in outlines])
    corners_b = filled[ways.pairs.chosen[:, 1]] + ways.pairs.offsets[:, None]
    return ways, exact_overlap(filled[ways.pairs.chosen[:, 0]], corners_b, ways.relative), ways.impacts()


def test_on_a_grid_every_graze_touch_and_corner_is_told():
    """There is no margin here, and only touches at the very end of the frame are left out."""
    ways, (enter, leave), found = grid()
    overlap, touch = (enter < 0.0) & (leave > 0.0), (enter == 0.0) & (leave > 0.0)
    hit = (enter > 0.0) & (enter < 1.0)
    sure = enter != 1.0
    np.testing.assert_array_equal(found.overlapping[sure], overlap[sure])
    np.testing.assert_array_equal(found.hit[sure], (overlap | touch | hit)[sure])
    assert (found.times[overlap | touch] == 0.0).all()
    np.testing.assert_allclose(found.times[hit], enter[hit], rtol=0, atol=1e-14)
    still = (ways.relative == 0.0).all(axis=1)
    grazes = ~np.isfinite(enter) & ~still & (ways.pairs.gaps() > 0.0)
    assert min(overlap.sum(), touch.sum(), (leave == 0.0).sum(), still.sum(), grazes.sum()) > cases(200)
    assert np.mean(~sure) < 0.02


def test_on_a_grid_compounds_strike_as_their_parts_do():
    """Parts overlap, are flush, or have gaps. No seam between them is a corner, and each part is grazed separately."""
    rng = np.random.default_rng(71)
    parts = [im.Polygon(orient(random_hull(rng)).exterior.coords[:-1]) for _ in range(60)] + [im.Box(4, 2)] * 20
    solids = []
    for _ in range(150):
        chosen, places = rng.integers(0, 80, 3), 2 * rng.integers(-2, 3, (3, 2))
        solids.append(im.Compound([(parts[k], im.Pose(x, y)) for k, (x, y) in zip(chosen, places, strict=True)]))
    catalogue = Catalogue(solids)
    ways = grid_ways(rng, cases(10_000), catalogue)
    outlines = [corners_of(catalogue, leaf) for leaf in range(len(catalogue.cores))]
    filled = np.stack([outline[np.minimum(np.arange(8), len(outline) - 1)] for outline in outlines])
    first, is_overlapping = np.full(len(ways), np.inf), np.zeros(len(ways), bool)
    for one, other in np.ndindex(3, 3):
        corners_a = filled[catalogue.firsts[ways.pairs.chosen[:, 0]] + one]
        corners_b = filled[catalogue.firsts[ways.pairs.chosen[:, 1]] + other] + ways.pairs.offsets[:, None]
        enter, leave = exact_overlap(corners_a, corners_b, ways.relative)
        is_overlapping |= (enter < 0.0) & (leave > 0.0)
        first = np.minimum(first, np.where((enter >= 0.0) & (leave > 0.0), enter, np.inf))
    assert_exactly(ways, first, is_overlapping)


def random_cells(rng):
    """Return squares that form one outline without a hole, no two joined only at a corner; each by its position."""
    cells = [(0, 0)]
    while len(cells) < 6:
        x, y = cells[rng.integers(len(cells))]
        step = ((1, 0), (-1, 0), (0, 1), (0, -1))[rng.integers(4)]
        grown = [*cells, (x + step[0], y + step[1])]
        outline = shapely.union_all([shapely.box(2 * x, 2 * y, 2 * x + 2, 2 * y + 2) for x, y in grown])
        if grown[-1] not in cells and outline.buffer(-0.1).geom_type == "Polygon" and not outline.interiors:
            cells = grown
    return 2.0 * np.array(cells), im.Polygon(outline.exterior.coords[:-1])


def test_on_a_grid_concave_polygons_strike_as_their_cells_do():
    """The result does not depend on the split into pieces: sliding along steps, into tight notches, past corners."""
    rng = np.random.default_rng(72)
    cells, solids = zip(*(random_cells(rng) for _ in range(60)), strict=True)
    ways = grid_ways(rng, cases(10_000), Catalogue(solids))
    square, places = np.array([(0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0)]), np.stack(cells)
    first, is_overlapping = np.full(len(ways), np.inf), np.zeros(len(ways), bool)
    for one, other in np.ndindex(6, 6):
        corners_a = square + places[ways.pairs.chosen[:, 0], one][:, None]
        corners_b = square + (places[ways.pairs.chosen[:, 1], other] + ways.pairs.offsets)[:, None]
        enter, leave = exact_overlap(corners_a, corners_b, ways.relative)
        is_overlapping |= (enter < 0.0) & (leave > 0.0)
        first = np.minimum(first, np.where((enter >= 0.0) & (leave > 0.0), enter, np.inf))
    assert_exactly(ways, first, is_overlapping)


def assert_exactly(ways, first, is_overlapping):
    found, sure = ways.impacts(), is_overlapping | (first != 1.0)
    np.testing.assert_array_equal(found.overlapping[sure], is_overlapping[sure])
    np.testing.assert_array_equal(found.hit[sure], (is_overlapping | (first < 1.0))[sure])
    hit = ~is_overlapping & (first < 1.0)
    np.testing.assert_allclose(found.times[hit], first[hit], rtol=0, atol=1e-14)
    assert min(is_overlapping.sum(), hit.sum(), (hit & (first == 0.0)).sum(), (~found.hit).sum()) > cases(100)
    assert np.mean(~sure) < 0.05


def test_on_a_grid_the_normals_are_those_of_the_corners():
    """Sharp corner on sharp corner: the normal is against the motion, within the normals of both corners."""
    ways, (enter, _), found = grid()
    rows = np.flatnonzero((enter >= 0.0) & (enter < 1.0))
    some, times, normals = ways[rows], found.times[rows], found.normals[rows]
    a, b = (Features(some, side, times, (found.features_a, found.features_b)[side][rows]) for side in range(2))
    points = found.points[rows] - some.pairs.poses[:, 0, :2] - some.places(0, times)
    for features in (a, b):
        assert (features.gaps(points) <= 1e-12).all()
    corners = ~a.is_edge & ~b.is_edge
    assert corners.sum() > cases(100)
    directions = -some.relative / some.lengths[:, None]
    # All normals that no edge at either corner opposes are allowed: the one nearest to the direction is given.
    edges = [a.before - a.here, a.after - a.here, b.here - b.before, b.here - b.after]
    reach_over = np.stack([(edge * normals).sum(axis=1) for edge in edges])
    assert (reach_over[:, corners] <= 1e-12).all()
    is_free = np.stack([(edge * directions).sum(axis=1) for edge in edges]).max(axis=0) <= 1e-12
    np.testing.assert_allclose(normals[corners & is_free], directions[corners & is_free], rtol=0, atol=1e-12)
    # Otherwise the normal is perpendicular to one of the edges.
    assert (reach_over.max(axis=0)[corners & ~is_free] >= -1e-12).all()
    assert min((corners & is_free).sum(), (corners & ~is_free).sum()) > cases(20)
    for features, sign in ((a, 1.0), (b, -1.0)):
        edge = features.is_edge
        np.testing.assert_allclose(sign * normals[edge], features.outward[edge], rtol=0, atol=1e-12)
