"""Fifty thousand random rotating pairs, against sampled poses and against symmetries.

The oracle, `sampled_motions`, poses both solids as their motions say and measures. For the 43,000 pairs that do not
start in overlap, it samples 131,072 equal steps up to the impact, except where a bound on their speeds excludes a
contact. For 300 of them all of 10,000 steps are measured, and for 60 of them Shapely measures whole outlines in 1,000
steps. Some 21,700 collide.

The tolerance is twice the slop, plus `Courses.noise` for rounding. A smaller overlap may be an impact, or none. Solids
that start apart are more accurate: at the impact, the gap or overlap is at most a tenth of that noise.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np
import pytest
import shapely

import impinge as im
from sampled_motions import TURNING_KINDS, Courses, random_courses, random_turners
from scale import cases, some
from shapely_solids import EPSILON, leaves

SHARP = ("box", "quad", "triangle")
ROUND = ("rounded polygon", "off-centre capsule", "off-centre segment", "circle", "box")
CONVEX = tuple(kind for kind in TURNING_KINDS if "concave" not in kind and kind != "compound")
# Number of pairs, kinds, sizes, distance from the origin, and the largest number of turns.
REALMS = {
    "sharp": (12_000, SHARP, (0.5, 2.0), 10.0, 10.0),
    "slender": (8_000, ("slender box", "slender box", "box"), (0.5, 2.0), 10.0, 10.0),
    "rounded and off centre": (9_000, ROUND, (0.5, 2.0), 10.0, 10.0),
    "all kinds": (7_000, TURNING_KINDS, (0.5, 2.0), 10.0, 10.0),
    "part of a turn": (4_000, CONVEX, (0.5, 2.0), 10.0, 0.25),
    "starting in touch": (5_000, CONVEX, (0.5, 2.0), 10.0, 2.0),
    "tiny and far away": (2_500, CONVEX, (1e-3, 1e-2), 1e6, 10.0),
    "all sizes": (2_500, CONVEX, (1e-3, 1e6), 1.0, 10.0),
}
assert sum(realm[0] for realm in REALMS.values()) == 50_000
# At a small scale, only these run.
FIRST = ["all kinds", "sharp", "rounded and off centre", "starting in touch"]
realms = pytest.mark.parametrize("name", some(dict.fromkeys([*FIRST, *REALMS]), least=len(FIRST)))
# Shares of the time of impact, backwards from the impact.
BEFORE = (0.0, 1e-12, 1e-10, 1e-8, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1)
# Shares of the frame after an impact: the fastest pairs are past each other after a tiny share.
AFTER = np.geomspace(1e-11, 0.1, 31)


@dataclass
class Realm:
    """Moving pairs, their distance at the start, and the library's answers."""

    courses: Courses
    starting_gaps: np.ndarray
    impacts: im.batch.Impacts

    @property
    def tolerances(self):
        return 2.0 * self.courses.slops + self.courses.noise

    @property
    def struck(self):
        """Rows of the pairs that collide, and do not overlap at the start."""
        return np.flatnonzero(self.impacts.hit & ~self.impacts.overlapping)


def answered(courses):
    solids, starts, ends, pairs, accelerations = courses.packed()
    return im.batch.time_of_impact(solids, starts, ends, pairs, accelerations=accelerations)


@functools.cache
def realm(name):
    full, kinds, sizes, place, turns = REALMS[name]
    count = cases(full)
    rng = np.random.default_rng(40 + list(REALMS).index(name))
    courses = random_courses(rng, *random_turners(rng, 40 * len(kinds), kinds, sizes), count, place, turns)
    if name == "starting in touch":
        courses = brought_to_touch(rng, courses)
    gaps = courses.separations(np.arange(count), np.zeros(count), np.inf)
    return Realm(courses, gaps, answered(courses))


def brought_to_touch(rng, courses):
    """Move the second motions until the solids touch at the start, to half a slop. Other tests check if they do."""
    pairs = courses.at(np.zeros(len(courses)))
    found = im.batch.distance(*pairs.packed())
    wanted = rng.choice([-0.5, 0.0, 0.5], len(courses)) * courses.slops
    by = np.zeros((len(courses), 2, 3))
    by[:, 1, :2] = (wanted - found.distances)[:, None] * found.normals
    courses.starts[:] += by
    courses.ends[:] += by
    return courses


def touching_times(found):
    """Return the times until which nothing may overlap: that of the impact, or the frame's end."""
    return np.where(found.impacts.hit, found.impacts.times, 1.0)


@realms
def test_the_sampled_separations_are_those_of_shapely(name):
    """Check the oracle itself: distances agree, and for overlaps neither side contradicts."""
    courses = realm(name).courses[:1500]
    times = np.random.default_rng(1).uniform(0, 1, len(courses))
    ours, theirs = courses.separations(np.arange(len(courses)), times, np.inf), courses.at(times).gaps()
    apart = theirs > courses.noise
    assert (abs(ours - theirs)[apart] <= courses.noise[apart]).all()
    assert (ours[~apart] <= courses.noise[~apart]).all()
    assert 0.1 < apart.mean() < 0.97


@realms
def test_about_half_of_the_pairs_collide(name):
    """Otherwise the tests here would test little."""
    found = realm(name)
    assert 0.25 < found.impacts.hit.mean() < 0.9
    times = found.impacts.times
    assert ((times >= 0.0) & (times <= 1.0))[found.impacts.hit].all()
    assert np.isnan(times[~found.impacts.hit]).all()
    assert len(found.struck) > 0.2 * len(found.courses)
    assert (~found.impacts.hit).mean() > 0.1


@realms
def test_what_overlaps_at_the_start_is_told(name):
    found = realm(name)
    impacts, gaps = found.impacts, found.starting_gaps
    surely = gaps < -found.courses.slops - found.courses.noise
    surely_not = gaps > found.courses.noise - 0.9e-9 * found.courses.catalogue.extents[found.courses.chosen].min(axis=1)
    # A piece of a concave outline gives a lower bound: the outline's overlap may be deeper, but never shallower.
    whole = (found.courses.pieces.counts[found.courses.chosen] == 1).all(axis=1)
    assert impacts.overlapping[surely].all()
    assert not impacts.overlapping[surely_not & (whole | (gaps > 0.0))].any()
    assert (impacts.hit & (impacts.times == 0.0))[impacts.overlapping].all()
    assert (impacts.features_a[impacts.overlapping] == -1).all()
    assert (impacts.features_b[impacts.overlapping] == -1).all()


@realms
def test_until_an_impact_nothing_overlaps(name):
    """The answer is never late: neither at the reported time, nor at ten times just before it."""
    found = realm(name)
    rows = np.repeat(found.struck, len(BEFORE))
    times = found.impacts.times[rows] * (1.0 - np.tile(BEFORE, len(found.struck)))
    gaps = found.courses.separations(rows, times)
    assert (gaps >= -found.tolerances[rows]).all()


@realms
def test_nothing_is_missed(name):
    """Samples 131,072 steps up to the impact, or to the frame's end if there is none."""
    found = realm(name)
    rows = ~found.impacts.overlapping
    missed = found.courses[rows].overlap_before(touching_times(found)[rows], found.tolerances[rows])
    assert np.isnan(missed).all()


@pytest.mark.parametrize(
    "name", some(["sharp", "rounded and off centre", "starting in touch", "slender", "part of a turn"], least=2)
)
def test_nothing_is_missed_in_ten_thousand_steps_that_are_all_measured(name):
    found = realm(name)
    some = np.flatnonzero(~found.impacts.overlapping)[:60]
    rows = np.repeat(some, 10_000)
    times = (touching_times(found)[some][:, None] * np.linspace(0.0, 1.0, 10_000)).ravel()
    assert (found.courses.separations(rows, times) >= -found.tolerances[rows]).all()


def test_nothing_is_missed_by_whole_outlines():
    """Shapely, which uses no pieces, finds overlaps: a common area, or a crossing line."""
    found = realm("all kinds")
    some = np.flatnonzero(~found.impacts.overlapping & (found.courses.pieces.counts[found.courses.chosen] > 1).any(1))
    some = some[:60]
    # Rounded cores overlap when they are nearer than their radii. Sharp ones may touch, so they are sampled a bit
    # earlier.
    rows = np.repeat(some, 1000)
    times = (touching_times(found)[some][:, None] * np.linspace(0.0, 0.999, 1000)).ravel()
    pairs = found.courses[rows].at(times)
    gaps = pairs.gaps()
    # For sharp outlines a gap shows contact, not depth: the root of the common area bounds the depth.
    deep = np.flatnonzero(gaps < found.courses.noise[rows])
    told = found.tolerances[rows[deep]] + np.sqrt(found.courses.noise[rows[deep]])
    assert (pairs[deep].deepest() <= told).all()
    assert len(some) == 60


@realms
def test_at_an_impact_the_solids_touch(name):
    """Never early by more than the tolerance in distance, measured by Shapely."""
    found = realm(name)
    struck = found.courses[found.struck]
    gaps = struck.at(found.impacts.times[found.struck]).gaps()
    assert (gaps <= found.tolerances[found.struck]).all()


@realms
def test_every_impact_leads_into_an_overlap(name):
    """No false alarm: if they move on, the solids overlap, unless the frame ends just then.

    Corners that start on each other may graze within a slop, there or after a whole turn: one in a thousand.
    """
    found = realm(name)
    struck = found.struck[found.impacts.times[found.struck] < 1.0 - 1e-9]
    rows = np.repeat(struck, len(AFTER))
    times = np.minimum(found.impacts.times[rows] + np.tile(AFTER, len(struck)), 1.0)
    least = found.courses.separations(rows, times).reshape(-1, len(AFTER)).min(axis=1)
    grazes = np.mean(least >= -found.tolerances[struck])
    assert grazes <= (1e-3 if name == "starting in touch" else 0.0)
    assert len(struck) > 0.98 * len(found.struck)


@realms
def test_the_points_are_on_both_surfaces(name):
    found = realm(name)
    struck, impacts = found.struck, found.impacts
    pairs, tolerances = found.courses.at(touching_times(found))[struck], found.tolerances[struck]
    place = pairs.poses[:, 0, :2]
    counts = impacts.counts[struck]
    assert ((counts == 1) | (counts == 2)).all()
    for points in (impacts.points, impacts.ends[:, 0], impacts.ends[:, 1]):
        there = np.isfinite(points[struck]).all(axis=1)
        for side in range(2):
            off = pairs[there].point_gaps(side, (points[struck] - place)[there])
            assert (off <= tolerances[there]).all()
    assert np.isfinite(impacts.points[struck]).all()
    np.testing.assert_array_equal(np.isfinite(impacts.ends[struck]).all(axis=2).sum(axis=1), counts)


def named_feature(parts, part, kind, index):
    """Return both ends of the caller's vertex or edge, in the solid's own frame, and the radius around it."""
    corners, radius = parts[part]
    if kind == 0:
        return *corners[index], *corners[index], radius
    if len(corners) == 2:
        assert index in (0, 1)  # both sides of a capsule
        index = 0
    return *corners[index], *corners[index + 1], radius


@realms
def test_the_named_features_are_where_the_point_is(name):
    """Within twice the tolerance. For corners that graze, the error is the length of that tolerance along an edge."""
    found = realm(name)
    struck, impacts, catalogue = found.struck, found.impacts, found.courses.catalogue
    parts = [
        [(shapely.get_coordinates(core).tolist(), radius) for core, radius in leaves(solid)]
        for solid in catalogue.solids
    ]
    poses = found.courses.at(touching_times(found)).poses[struck]
    for side, features in enumerate((impacts.features_a, impacts.features_b)):
        rows = zip(found.courses.chosen[struck, side].tolist(), features[struck].tolist(), strict=True)
        named = np.array([named_feature(parts[solid], *feature) for solid, feature in rows])
        arms = impacts.points[struck] - poses[:, side, :2]
        cos, sin = np.cos(poses[:, side, 2]), np.sin(poses[:, side, 2])
        own = np.column_stack([cos * arms[:, 0] + sin * arms[:, 1], cos * arms[:, 1] - sin * arms[:, 0]])
        starts, edges = named[:, :2], named[:, 2:4] - named[:, :2]
        along = ((own - starts) * edges).sum(axis=1) / np.maximum((edges**2).sum(axis=1), 1e-300)
        nearest = starts + np.clip(along, 0.0, 1.0)[:, None] * edges
        off = np.hypot(*(own - nearest).T) - named[:, 4]
        assert (abs(off) <= 2.0 * found.tolerances[struck]).all()


def supports(courses, times, normals):
    """Return how far both solids reach along a normal, the first forwards, the second backwards, relative to the first.

    For solids of one convex piece; returns the gap between both.
    """
    rooms = []
    pieces = courses.pieces
    poses = courses.poses(np.arange(len(courses)), times)
    for row, (a, b) in enumerate(courses.chosen.tolist()):
        room = (poses[row, 1, :2] - poses[row, 0, :2]) @ normals[row]
        for solid, side, sign in ((a, 0, 1.0), (b, 1, -1.0)):
            piece = pieces.firsts[solid]
            points = pieces.corners[int(pieces.sides[piece])][pieces.places[piece]]
            cos, sin = math.cos(poses[row, side, 2]), math.sin(poses[row, side, 2])
            own = np.array([cos, -sin]) * normals[row, 0] + np.array([sin, cos]) * normals[row, 1]
            room -= (sign * (points @ own)).max() + pieces.radii[piece]
        rooms.append(room)
    return np.array(rooms)


@realms
def test_the_normal_is_a_unit_vector_that_parts_them(name):
    """Along the normal, no point of a convex b is behind a point of a convex a: to 1e-9 radians."""
    found = realm(name)
    struck = found.struck
    normals = found.impacts.normals[struck]
    np.testing.assert_allclose(np.hypot(*normals.T), 1.0, rtol=0, atol=8 * EPSILON)
    courses = found.courses[struck]
    convex = np.flatnonzero((courses.pieces.counts[courses.chosen] == 1).all(axis=1))[:1500]
    rooms = supports(courses[convex], found.impacts.times[struck][convex], normals[convex])
    reaches = courses.catalogue.reaches[courses.chosen].sum(axis=1)
    assert (abs(rooms) <= (found.tolerances[struck] + 1e-9 * reaches)[convex]).all()


def closing_speeds(courses, times, points, normals):
    """Return the speed of the second solid's material at a point along a normal, relative to the first solid."""
    turns = (courses.ends - courses.starts)[..., 2]
    # Rotation of a circle does not move it.
    turns = turns * (courses.pieces.turning[courses.chosen] > 0.0)
    places = courses.poses(np.arange(len(courses)), times)[..., :2]
    straight = (courses.ends - courses.starts)[..., :2] + (times[:, None, None] - 0.5) * courses.accelerations
    arms = points[:, None] - places
    speeds = straight + turns[..., None] * np.stack([-arms[..., 1], arms[..., 0]], axis=-1)
    return ((speeds[:, 1] - speeds[:, 0]) * normals).sum(axis=1)


@realms
def test_at_an_impact_the_solids_approach(name):
    """Along the normal, the point of b approaches that of a. For a stretch, one of its ends does."""
    found = realm(name)
    struck = found.struck
    courses, times, normals = found.courses[struck], found.impacts.times[struck], found.impacts.normals[struck]
    speeds = [
        closing_speeds(courses, times, points[struck], normals)
        for points in (found.impacts.ends[:, 0], found.impacts.ends[:, 1])
    ]
    # A slop away, a rotating solid may approach slightly slower than at the contact: by the root of the slop.
    slow = np.sqrt(found.tolerances[struck] / courses.catalogue.reaches[courses.chosen].max(axis=1))
    assert (np.fmin(*speeds) <= slow * courses.speeds).all()


@realms
def test_iterations_stay_few(name):
    """The number is that of an approach from far away, and does not depend on the number of slops on the way."""
    found = realm(name)
    iterations = found.impacts.iterations
    print(f"{name}: iterations {np.percentile(iterations, [50, 90, 99, 99.9, 100])}")  # shown with -s
    assert (iterations >= 0).all()
    assert np.median(iterations) <= 10
    assert np.percentile(iterations, 99) <= 100
    assert iterations.max() <= 500


@pytest.mark.parametrize("name", ["all kinds", "starting in touch"])
def test_the_scalar_function_gives_the_bits_of_the_arrays(name):
    found = realm(name)
    impacts = found.impacts
    for row, arguments in enumerate(found.courses[:400].one_by_one()):
        one = im.time_of_impact(*arguments)
        assert (one is not None) == impacts.hit[row]
        if one is None:
            assert np.isnan(impacts.times[row])
            continue
        assert one.time == impacts.times[row]
        assert one.normal == tuple(impacts.normals[row])
        assert one.point == tuple(impacts.points[row])
        assert one.points == tuple(map(tuple, impacts.ends[row, : impacts.counts[row]].tolist()))
        assert one.overlapping == impacts.overlapping[row]
        assert one.iterations == impacts.iterations[row]
        for feature, features in ((one.feature_a, impacts.features_a), (one.feature_b, impacts.features_b)):
            wanted = features[row].tolist()
            if feature is None:
                assert wanted == [-1, -1, -1]
            else:
                assert [feature.part, ["vertex", "edge"].index(feature.kind), feature.index] == wanted


@pytest.mark.parametrize("turns", [0.25, 10.0])
def test_all_pairs_that_strike_each_other_are_found(turns):
    """Without given pairs, it returns the same hits as for all pairs, sorted by time, then by pair."""
    rng = np.random.default_rng(5)
    courses = random_courses(rng, *random_turners(rng, 55, TURNING_KINDS, (0.3, 1.0)), 60, 12.0, turns)
    solids, starts, ends, _, accelerations = courses.packed()
    everyone = np.argwhere(np.triu(np.ones((len(solids), len(solids)), bool), 1))
    all_of_them = im.batch.time_of_impact(solids, starts, ends, everyone, accelerations=accelerations)
    found = im.batch.time_of_impact(solids, starts, ends, accelerations=accelerations)
    wanted = np.flatnonzero(all_of_them.hit)
    wanted = wanted[np.lexsort((everyone[wanted, 1], everyone[wanted, 0], all_of_them.times[wanted]))]
    np.testing.assert_array_equal(found.pairs, everyone[wanted])
    np.testing.assert_array_equal(found.times, all_of_them.times[wanted])
    np.testing.assert_array_equal(found.normals, all_of_them.normals[wanted])
    assert found.hit.all()
    assert 30 < len(wanted) < 0.5 * len(everyone)


def assert_same_impacts(courses, ours, theirs, tolerances, *, normals):
    """Assert that two answers about the same pairs are equal, or equally good.

    An impact may be early by a slop in distance. Slow solids take long for that, and grazing ones forever. So for times
    that differ by more than a millionth of the frame, or if only one is an impact, other checks apply. `courses` must
    then be within the tolerance of touching at both times, and overlap by no more in between. Returns the share of such
    pairs.
    """
    np.testing.assert_array_equal(ours.overlapping, theirs.overlapping)
    times = [np.where(answer.hit, answer.times, 1.0) for answer in (ours, theirs)]
    odd = (ours.hit != theirs.hit) | (abs(times[0] - times[1]) > 1e-6)
    rows = np.flatnonzero(odd)
    for answer in (ours, theirs):
        struck = rows[answer.hit[rows]]
        assert (courses[struck].at(answer.times[struck]).gaps() <= tolerances[struck]).all()
    between = np.linspace(0.0, 1.0, 101)
    low, high = np.minimum(*times)[rows, None], np.maximum(*times)[rows, None]
    gaps = courses.separations(np.repeat(rows, 101), (low + (high - low) * between).ravel())
    assert (gaps >= -np.repeat(tolerances[rows], 101)).all()
    same = ours.hit & theirs.hit & ~odd & ~ours.overlapping
    turned = abs(ours.normals - normals)[same].max(axis=1) > 1e-4
    # Where two corners meet, or two places of a concave solid at the same time, rounding may decide.
    assert turned.mean() <= 2e-3
    return odd.mean()


symmetric = pytest.mark.parametrize(
    "name", some(["sharp", "all kinds", "rounded and off centre", "slender", "all sizes"], least=2)
)
SOME = 1500


@symmetric
def test_swapped_pairs_have_the_same_impacts(name):
    found = realm(name)
    courses = found.courses[:SOME]
    ours, theirs = answered(courses), answered(courses.swapped())
    tolerances = found.tolerances[:SOME]
    assert assert_same_impacts(courses, ours, theirs, tolerances, normals=-theirs.normals) <= 2e-3
    same = ours.hit & theirs.hit & (abs(ours.times - theirs.times) <= 1e-12)
    swapped = (ours.features_a[same] == theirs.features_b[same]).all(axis=1)
    assert same.mean() > 0.2
    assert swapped.mean() >= 0.99


@symmetric
@pytest.mark.parametrize("angle", [0.7, math.pi / 2])
def test_turning_the_world_turns_the_impacts(name, angle):
    found = realm(name)
    courses = found.courses[:SOME]
    # Rotate about the first solid: rotated positions far away would be rounded, and the pair with them.
    courses = Courses(
        courses.catalogue,
        courses.pieces,
        courses.chosen,
        courses.starts - courses.starts[:, :1] * [1.0, 1.0, 0.0],
        courses.ends - courses.starts[:, :1] * [1.0, 1.0, 0.0],
        courses.accelerations,
    )
    turned = courses.turned(angle)
    tolerances = 2.0 * np.maximum(courses.slops, turned.slops) + 2.0 * courses.noise
    cos, sin = math.cos(-angle), math.sin(-angle)
    theirs = answered(turned)
    normals = theirs.normals @ np.array([[cos, sin], [-sin, cos]])
    assert assert_same_impacts(courses, answered(courses), theirs, tolerances, normals=normals) <= 2e-3


@symmetric
def test_moving_the_world_moves_the_impacts(name):
    found = realm(name)
    courses = found.courses[:SOME]
    # A power of two beyond all coordinates here: the tolerance covers its rounding.
    moved = courses.moved((2.0**21, -(2.0**22)) if name == "all sizes" else (1024.0, -4096.0))
    tolerances = 2.0 * moved.slops + 2.0 * moved.noise
    theirs = answered(moved)
    share = assert_same_impacts(courses, answered(courses), theirs, tolerances, normals=theirs.normals)
    assert share <= (1.0 if name == "all sizes" else 2e-3)  # there the slop is a large share of the solids' size


@symmetric
@pytest.mark.parametrize("factor", [2.0**-10, 2.0**20])
def test_scaling_the_world_by_a_power_of_two_scales_every_impact_to_the_bit(name, factor):
    found = realm(name)
    ours, theirs = answered(found.courses[:SOME]), answered(found.courses[:SOME].scaled(factor))
    for field in ("hit", "times", "normals", "counts", "features_a", "features_b", "overlapping", "iterations"):
        np.testing.assert_array_equal(getattr(ours, field), getattr(theirs, field))
    np.testing.assert_array_equal(ours.points * factor, theirs.points)
    np.testing.assert_array_equal(ours.ends * factor, theirs.ends)


@symmetric
@pytest.mark.parametrize("factor", [1e-3, 1e6])
def test_scaling_the_world_scales_the_impacts(name, factor):
    found = realm(name)
    courses = found.courses[:SOME]
    ours, theirs = answered(courses), answered(courses.scaled(factor))
    assert assert_same_impacts(courses, ours, theirs, 2 * found.tolerances[:SOME], normals=theirs.normals) <= 2e-3


def touching_stretches(gaps, tolerance):
    """Return the number of consecutive stretches of samples that touch."""
    touching = np.concatenate([[False], gaps <= tolerance])
    return int((touching[1:] & ~touching[:-1]).sum())


INSTANTS = 400


@pytest.mark.parametrize("name", some(["sharp", "all kinds", "rounded and off centre", "slender"], least=2))
def test_intervals_and_nearest_approaches_are_those_of_the_samples(name):
    """They touch from the first time to the second, but not before or just after, and are never nearer than told."""
    found = realm(name)
    times = np.linspace(0.0, 1.0, INSTANTS)
    for row, arguments in enumerate(found.courses[:75].one_by_one()):
        courses, tolerance = found.courses[row : row + 1], found.tolerances[row]

        def gaps(at, courses=courses):
            at = np.atleast_1d(at)
            return courses.separations(np.zeros(len(at), np.int64), at, np.inf)

        sampled = gaps(times)
        interval = im.contact_interval(*arguments)
        nearest = im.closest_approach(*arguments)
        if interval is None:
            assert sampled.min() > -tolerance
            assert abs(gaps(nearest.time)[0] - nearest.distance) <= tolerance
            assert nearest.distance <= sampled.min() + tolerance
            assert nearest.distance >= sampled.min() - courses.speeds[0] / INSTANTS
            continue
        enter, leave = interval
        assert nearest.distance == 0.0
        assert nearest.time == pytest.approx(enter, abs=1e-9)
        assert (sampled[times < enter] >= -tolerance).all()
        assert (sampled[(times >= enter) & (times <= leave)] <= tolerance).all()
        assert max(gaps([enter, leave])) <= tolerance
        if found.starting_gaps[row] > tolerance:
            assert enter == pytest.approx(found.impacts.times[row], abs=1e-6)
        if leave < 1.0:
            # They may touch again soon, so check only just after.
            assert gaps(np.minimum(leave + np.array([1e-7, 1e-6, 1e-5, 1e-4]), 1.0)).max() > -tolerance


@pytest.mark.parametrize("name", some(["sharp", "rounded and off centre", "part of a turn"], least=2))
def test_backwards_in_time_an_interval_begins_where_it_ended(name):
    """For pairs that touch in a single stretch of the frame."""
    found = realm(name)
    times = np.linspace(0.0, 1.0, 2000)
    compared = 0
    for row, arguments in enumerate(found.courses[:200].one_by_one()):
        sampled = found.courses[row : row + 1].separations(np.zeros(len(times), np.int64), times, 0.1)
        # They also must not graze before or after it, or almost separate in between.
        single = all(touching_stretches(sampled, level) == 1 for level in (-0.02, 0.0, 0.02))
        if not single or (sampled[[0, -1]] <= 0.02).any():
            continue
        a, motion_a, b, motion_b = arguments
        forwards = im.contact_interval(*arguments)
        back = im.contact_interval(a, reversed_motion(motion_a), b, reversed_motion(motion_b))
        assert (1.0 - back[1], 1.0 - back[0]) == pytest.approx(forwards, abs=1e-6)
        compared += 1
    assert compared >= 5


def reversed_motion(motion):
    return im.Motion(motion.end, motion.start, motion.acceleration)
