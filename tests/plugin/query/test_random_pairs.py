"""A hundred thousand pairs of all kinds of solids, near and far, tiny and huge, against Shapely and symmetries.

Tolerances are in `Pairs.noise`, sixteen units in the last place of the farthest coordinate relative to the first solid:
only rounding, on both sides. Cases within that of the slop are not judged.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np
import pytest

import impinge as im
from scale import cases, some
from shapely_solids import EPSILON, Catalogue, Pairs, random_catalogue, random_pairs

COUNT = cases(12_500, least=1_250)
QUARTERS = (0.0, math.pi / 2, math.pi, -math.pi / 2)
# Sizes, and the largest coordinate of a position.
REALMS = {
    "units": ((0.3, 3.0), 10.0),
    "tiny": ((1e-3, 2e-3), 1e-3),
    "tiny and far away": ((1e-3, 1e-2), 1e6),
    "huge": ((1e5, 1e6), 1e6),
    "all sizes near the origin": ((1e-3, 1e6), 1.0),
    "all sizes far away": ((1e-3, 1e6), 1e6),
    "quarter turns": ((0.3, 3.0), 10.0),
    "about to touch": ((0.3, 3.0), 10.0),
}
# Offsets from touching, in extents of the smaller solid. The slop is 1e-9.
BRINKS = (-1e-6, -1e-8, -1e-9, 0.0, 0.9e-9, 1.1e-9, 1e-8, 1e-6)


@dataclass
class Realm:
    """Pairs, their distances by Shapely, and the library's answers."""

    pairs: Pairs
    gaps: np.ndarray
    overlaps: np.ndarray
    separations: im.batch.Separations
    contacts: im.batch.Contacts

    @property
    def ways_out(self):
        return self.separations.normals * np.maximum(-self.separations.distances, 0.0)[:, None]


@functools.cache
def realm(name):
    sizes, place = REALMS[name]
    rng = np.random.default_rng(20 + list(REALMS).index(name))
    catalogue = random_catalogue(rng, 270, sizes)
    pairs = random_pairs(rng, catalogue, COUNT, place, angles=QUARTERS if name == "quarter turns" else ())
    if name == "about to touch":
        pairs = brought_to_the_brink(rng, pairs)
    packed = pairs.packed()
    return Realm(
        pairs,
        pairs.gaps(),
        im.batch.overlaps(*packed),
        im.batch.distance(*packed),
        im.batch.contact(*packed),
    )


def brought_to_the_brink(rng, pairs):
    """Move the second solids until they almost touch. Shapely decides which of them do."""
    found = im.batch.distance(*pairs.packed())
    wanted = rng.choice(BRINKS, len(pairs)) * pairs.extents
    return pairs.moved((wanted - found.distances)[:, None] * found.normals)


# At a small scale, only these run.
FIRST = ["units", "all sizes near the origin", "tiny and far away", "about to touch"]
realms = pytest.mark.parametrize("name", some(dict.fromkeys([*FIRST, *REALMS]), least=len(FIRST)))


@realms
def test_overlaps_says_what_shapely_says(name):
    found = realm(name)
    surely = found.gaps <= 1e-9 * found.pairs.extents - found.pairs.noise
    surely_not = found.gaps > found.pairs.slops + found.pairs.noise
    assert found.overlaps[surely].all()
    assert not found.overlaps[surely_not].any()
    assert min(surely.sum(), surely_not.sum()) > 0.35 * COUNT
    assert (surely | surely_not).sum() > 0.97 * COUNT


@realms
def test_distance_says_what_shapely_says(name):
    found = realm(name)
    apart = found.gaps > found.pairs.noise
    error = abs(found.separations.distances - found.gaps)
    assert (error[apart] <= found.pairs.noise[apart]).all()
    assert (found.separations.distances[~apart] <= found.pairs.noise[~apart]).all()


def test_pairs_on_the_brink_are_on_both_sides_of_it():
    """Otherwise the two tests above would not test the boundary."""
    found = realm("about to touch")
    ratio = found.gaps / found.pairs.extents
    for low, high in ((-np.inf, 0.0), (0.5e-9, 1e-9), (1e-9, 1.5e-9), (0.5e-8, 1.5e-8)):
        assert ((ratio > low) & (ratio <= high)).sum() > COUNT // 20


@realms
def test_all_questions_agree_about_what_touches(name):
    found = realm(name)
    np.testing.assert_array_equal(found.contacts.touching, found.overlaps)
    touching = found.overlaps
    np.testing.assert_array_equal(
        found.contacts.depths[touching], np.maximum(-found.separations.distances[touching], 0.0)
    )
    np.testing.assert_array_equal(found.contacts.normals[touching], found.separations.normals[touching])


@realms
def test_the_scalar_functions_give_the_bits_of_the_arrays(name):
    found = realm(name)
    for row, arguments in enumerate(found.pairs[:250].one_by_one()):
        assert im.overlaps(*arguments) == found.overlaps[row]
        one = im.distance(*arguments)
        assert one.distance == found.separations.distances[row]
        for point, points in ((one.point_a, "points_a"), (one.point_b, "points_b"), (one.normal, "normals")):
            assert point == tuple(getattr(found.separations, points)[row])
        contact = im.contact(*arguments)
        assert (contact is not None) == found.contacts.touching[row]
        if contact is not None:
            count = found.contacts.counts[row]
            assert contact.normal == tuple(found.contacts.normals[row])
            assert contact.depth == found.contacts.depths[row]
            assert contact.points == tuple(map(tuple, found.contacts.points[row, :count].tolist()))
            assert contact.depths == tuple(found.contacts.point_depths[row, :count].tolist())


@realms
def test_the_nearest_points_are_on_both_solids(name):
    """Within the slop: where solids face each other along a stretch, its ends are equally near up to the slop."""
    found = realm(name)
    pairs, separations = found.pairs, found.separations
    rounding = pairs.slops + pairs.noise
    np.testing.assert_allclose(np.hypot(*separations.normals.T), 1.0, rtol=0, atol=8 * EPSILON)
    across = separations.points_b - separations.points_a
    error = abs(across - separations.distances[:, None] * separations.normals).max(axis=1)
    assert (error <= rounding).all()
    place = pairs.poses[:, 0, :2]
    assert (pairs.point_gaps(0, separations.points_a - place) <= rounding).all()
    assert (pairs.point_gaps(1, separations.points_b - place) <= rounding).all()
    # After separation, the solids touch in that one point: so neither point is inside.
    parted = pairs.moved(found.ways_out)
    assert (
        parted.point_gaps(1, separations.points_a - place)[separations.distances <= 0.0] <= 2 * rounding.max()
    ).all()


@realms
def test_moving_by_the_depth_parts_the_solids(name):
    """After the move they only touch, with neither a gap nor an overlap, both within the slop.

    For a remaining overlap, Shapely gives the area. A corner that is deep by x has an area of some x², so the depth is
    only known to the root of the area's accuracy.
    """
    found = realm(name)
    overlapping = found.separations.distances < 0.0
    pairs = found.pairs[overlapping]
    parted = pairs.moved(found.ways_out[overlapping])
    rounding = pairs.slops + pairs.noise
    assert (parted.gaps() <= rounding).all()
    told = np.sqrt(pairs.noise * pairs.catalogue.reaches[pairs.chosen].sum(axis=1))
    assert (parted.deepest() <= rounding + told).all()
    assert overlapping.sum() > 0.3 * COUNT


@realms
def test_no_shorter_way_parts_them(name):
    found = realm(name)
    overlapping = np.flatnonzero(found.separations.distances < 0.0)[:1500]
    pairs, depths = found.pairs[overlapping], -found.separations.distances[overlapping]
    normals = found.separations.normals[overlapping]
    directions = np.random.default_rng(1).uniform(-math.pi, math.pi, (len(pairs), 24))
    # The axes and directions near the normal are the ones that could be shorter than a wrong answer.
    directions[:, :4] = QUARTERS
    directions[:, 4:8] = np.arctan2(*normals.T[::-1])[:, None] + [-0.2, -0.02, 0.02, 0.2]
    for angles in directions.T:
        way = np.column_stack([np.cos(angles), np.sin(angles)]) * (0.999 * depths)[:, None]
        assert (pairs.moved(way).gaps() <= pairs.noise).all()


def assert_same_answers(found, other, *, turned=lambda vectors: vectors, is_swapped=False):
    """Compare the answers about pairs with those about the same pairs in another form; `turned` maps vectors.

    A normal goes from point to point: rounding rotates it by the points' error over their distance. Solids that overlap
    may have two ways out of nearly equal length. A change of the shorter one is no error. Random pairs have next to
    none of these.
    """
    pairs, ours = found.pairs, found.separations
    noise = 2 * (pairs.slops + pairs.noise)
    assert (abs(other.distances - ours.distances) <= noise).all()
    error = abs((-other.normals if is_swapped else other.normals) - turned(ours.normals)).max(axis=1)
    well_posed = abs(ours.distances) > 1e4 * noise
    assert well_posed.mean() > 0.95
    apart = well_posed & (ours.distances > 0.0)
    assert (error[apart] <= 1e-3).all()
    assert np.mean(error[well_posed] > 1e-3) < 1e-3


symmetric = pytest.mark.parametrize(
    "name", some(["units", "tiny and far away", "all sizes near the origin", "huge"], least=2)
)


@symmetric
def test_swapped_pairs_give_swapped_answers(name):
    found = realm(name)
    swapped = im.batch.distance(*found.pairs.swapped().packed())
    assert_same_answers(found, swapped, is_swapped=True)
    np.testing.assert_array_equal(im.batch.overlaps(*found.pairs.swapped().packed()), found.overlaps)
    assert_same_points(
        found, swapped.points_b - found.separations.points_a, swapped.normals, -found.separations.normals
    )


def assert_same_points(found, difference, normals, same_normals):
    """Nearest points are the same unless they are the ends of a stretch that rounding distinguishes.

    This covers only solids that are apart, and not round a shallow corner: there a point moves as fast as an angle.
    """
    pairs = found.pairs
    apart = found.separations.distances > 1e4 * (pairs.slops + pairs.noise)
    same = apart & (abs(normals - same_normals).max(axis=1) < 1e-9)
    assert same.sum() > 0.3 * COUNT
    reach = pairs.catalogue.reaches[pairs.chosen].sum(axis=1)
    wrong = abs(difference).max(axis=1) > 1e-6 * reach + 8 * EPSILON * pairs.coordinates
    assert np.mean(wrong[same]) < 1e-3


@symmetric
def test_turning_the_world_turns_the_answers(name):
    found = realm(name)
    angle = 0.7
    cos, sin = math.cos(angle), math.sin(angle)
    matrix = np.array([[cos, sin], [-sin, cos]])
    # Rotate about the first solid: rotated positions far away would be rounded, and the pair with them.
    pairs = found.pairs.moved(np.zeros((COUNT, 2)))
    pairs.poses[:, :, :2] = pairs.poses[:, :, :2] @ matrix
    pairs.poses[:, :, 2] += angle
    turned = im.batch.distance(*pairs.packed())
    assert_same_answers(found, turned, turned=lambda vectors: vectors @ matrix)
    assert_same_points(
        found,
        turned.points_a - (found.separations.points_a - found.pairs.poses[:, 0, :2]) @ matrix,
        turned.normals,
        found.separations.normals @ matrix,
    )


@symmetric
def test_mirroring_the_world_mirrors_the_answers(name):
    found = realm(name)
    mirror = np.array([-1.0, 1.0])
    pairs = Pairs(
        Catalogue([solid.transformed((-1, 1)) for solid in found.pairs.catalogue.solids]),
        *(found.pairs.chosen, found.pairs.poses * [-1.0, 1.0, -1.0]),
    )
    mirrored = im.batch.distance(*pairs.packed())
    assert_same_answers(found, mirrored, turned=lambda vectors: vectors * mirror)
    np.testing.assert_array_equal(im.batch.overlaps(*pairs.packed()), found.overlaps)
    assert_same_points(
        found,
        mirrored.points_a - found.separations.points_a * mirror,
        mirrored.normals,
        found.separations.normals * mirror,
    )


@pytest.mark.parametrize("name", some(["units", "tiny and far away", "about to touch"], least=2))
@pytest.mark.parametrize("factor", [0.25, 1024.0])
def test_scaling_the_world_by_a_power_of_two_scales_every_answer_to_the_bit(name, factor):
    """Nothing is absolute: no constant has a unit, not even the slop."""
    found = realm(name)
    scaled = Pairs(
        Catalogue([solid.transformed(factor) for solid in found.pairs.catalogue.solids]),
        found.pairs.chosen,
        found.pairs.poses * [factor, factor, 1.0],
    )
    packed = scaled.packed()
    ours, theirs = found.separations, im.batch.distance(*packed)
    np.testing.assert_array_equal(im.batch.overlaps(*packed), found.overlaps)
    np.testing.assert_array_equal(theirs.distances, factor * ours.distances)
    np.testing.assert_array_equal(theirs.normals, ours.normals)
    np.testing.assert_array_equal(theirs.points_a, factor * ours.points_a)
    contacts = im.batch.contact(*packed)
    np.testing.assert_array_equal(contacts.counts, found.contacts.counts)
    np.testing.assert_array_equal(contacts.points, factor * found.contacts.points)
    np.testing.assert_array_equal(contacts.point_depths, factor * found.contacts.point_depths)


def test_the_order_of_the_vertices_changes_no_bit():
    found = realm("units")
    rng = np.random.default_rng(4)
    solids = list(found.pairs.catalogue.solids)
    for index, solid in enumerate(solids):
        if isinstance(solid, im.Polygon):
            start = int(rng.integers(len(solid.vertices)))
            solids[index] = im.Polygon((solid.vertices[start:] + solid.vertices[:start])[::-1], solid.radius)
    packed = Pairs(Catalogue(solids), found.pairs.chosen, found.pairs.poses).packed()
    for answers, same in (
        (im.batch.distance(*packed), found.separations),
        (im.batch.contact(*packed), found.contacts),
    ):
        for name in answers.__slots__:
            np.testing.assert_array_equal(getattr(answers, name), getattr(same, name))


def half_way_off(found, rows):
    """Return how far contact points are from half way, in roundings; each is NaN if there is no such point.

    Half the depth along the normal in one direction, a point is on one solid; in the other direction, on the other
    solid.
    """
    pairs, contacts = found.pairs[rows], found.contacts
    rounding = pairs.slops + pairs.noise
    off = np.full((len(pairs), 2), np.nan)
    for number in range(2):
        there = contacts.counts[rows] > number
        near = pairs[there]
        points = contacts.points[rows][there, number] - near.poses[:, 0, :2]
        half = 0.5 * contacts.point_depths[rows][there, number, None] * contacts.normals[rows][there]
        off[there, number] = np.maximum(near.point_gaps(0, points + half), near.point_gaps(1, points - half))
    return off / rounding[:, None]


def is_convex(found):
    """Return whether both solids of a pair are convex; a compound of one part counts as concave here."""
    convex = [
        not isinstance(solid, im.Compound) and getattr(solid, "is_convex", True)
        for solid in found.pairs.catalogue.solids
    ]
    return np.array(convex)[found.pairs.chosen].all(axis=1)


@realms
def test_contact_points_are_half_way_between_the_surfaces(name):
    found = realm(name)
    off = half_way_off(found, np.flatnonzero(found.contacts.touching & is_convex(found)))
    assert np.nanmax(off) <= 2.0
    assert (~np.isnan(off)).sum() > COUNT // 20


@realms
def test_contact_points_in_a_notch_are_half_way_between_the_surfaces(name):
    """Where the way out ends in a corner between two pieces, each point has its own normal."""
    found = realm(name)
    off = half_way_off(found, np.flatnonzero(found.contacts.touching & ~is_convex(found)))
    assert np.nanmax(off) <= 2.0
    assert (~np.isnan(off)).sum() > COUNT // 20


@realms
def test_the_deepest_contact_point_is_as_deep_as_the_contact(name):
    contacts, pairs = realm(name).contacts, realm(name).pairs
    touching = contacts.touching
    deepest = np.nanmax(contacts.point_depths[touching], axis=1)
    assert (abs(deepest - contacts.depths[touching]) <= 2 * (pairs.slops + pairs.noise)[touching]).all()
    assert (np.isnan(contacts.point_depths) == (np.arange(2) >= contacts.counts[:, None])).all()
    assert (contacts.counts[touching] > 0).all()
