"""Test the judge of random rooms against Shapely, and against figures worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
import shapely

import impinge as im
from scale import cases, some
from separating_axes import Solids, pieces
from shapely_solids import KINDS, random_catalogue, random_pairs, random_solid, whole
from stepped_world import gap

SQUARE = im.Box(2, 2)
BALL = im.Circle(1)
ROD = im.Capsule((-3, 0), (3, 0))


def separation(a, b, x, y, angle=0.0):
    poses = np.array([[(100.0, -50.0, 0.0), (100.0 + x, -50.0 + y, angle)]])
    return Solids([a, b]).separations(poses, np.array([[0, 1]])).item()


@pytest.mark.parametrize(
    ("a", "b", "place", "expected"),
    [
        (SQUARE, SQUARE, (1.5, 0), -0.5),
        (SQUARE, SQUARE, (1.5, 1.75), -0.25),
        (SQUARE, SQUARE, (2, 0), 0.0),
        (SQUARE, BALL, (0, 0), -2.0),
        (SQUARE, BALL, (1.3, 1.4), -0.5),
        (BALL, SQUARE, (-1.5, -1.5), math.sqrt(0.5) - 1.0),
        (BALL, BALL, (0, 1.5), -0.5),
        (BALL, BALL, (0, 0), -2.0),
        (SQUARE, ROD, (0, 0.75), -0.25),
        (SQUARE, ROD, (3.5, 0), -0.5),
        (ROD, ROD, (1, 0), 0.0),
        (ROD, BALL, (3, 0.5), -0.5),
        (im.Compound([(SQUARE, im.Pose(-5, 0)), (SQUARE, im.Pose(5, 0))]), SQUARE, (0, 0), math.inf),
        (im.Compound([(SQUARE, im.Pose(-5, 0)), (SQUARE, im.Pose(5, 0))]), SQUARE, (3.5, 0), -0.5),
    ],
)
def test_figures(a, b, place, expected):
    found = separation(a, b, *place)
    assert found == (math.inf if expected == math.inf else pytest.approx(expected, abs=1e-14))


def test_crossing_segments_are_as_deep_as_the_shorter_way_off_one_of_them():
    assert separation(ROD, ROD, 1, 1, math.pi / 2) == pytest.approx(-2.0)
    assert separation(ROD, ROD, 0, 3, math.pi / 2) == pytest.approx(0.0, abs=1e-15)


@pytest.mark.parametrize("kind", KINDS)
def test_pieces_cover_the_solid(kind):
    """A point is in one of the pieces exactly if it is in Shapely's solid, apart from the chords of arcs."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        solid = random_solid(rng, kind, 2.0)
        assert all(len(core) and radius >= 0.0 for core, radius in pieces(solid))
        union = whole(solid)
        spots = rng.uniform(-6, 6, (50, 2))
        dot = im.Circle(1e-9)
        poses = np.zeros((len(spots), 2, 3))
        poses[:, 1, :2] = spots
        held = Solids([solid, dot]).separations(poses, np.array([[0, 1]])).ravel() < 0.0
        inside = shapely.contains_xy(union, *spots.T)
        sure = shapely.distance(shapely.boundary(union) if union.area else union, shapely.points(spots)) > 1e-2
        assert (held == inside)[sure].all()


@pytest.mark.parametrize("seed", some(range(10)))
def test_random_pairs_against_distances_of_shapely(seed):
    """Compare distances where solids are apart. Where they overlap, the depth is at most the shortest depenetration."""
    rng = np.random.default_rng([11, seed])
    pairs = random_pairs(rng, random_catalogue(rng, 90, (0.3, 3.0)), 300, 20.0)
    gaps = pairs.gaps()
    found = np.array(
        [
            Solids([a, b]).separations(poses[None], np.array([[0, 1]]), margin=2.0).item()
            for (a, _, b, _), poses in zip(pairs.one_by_one(), pairs.poses, strict=True)
        ]
    )
    apart = gaps > 1e-12
    near = apart & (gaps < 2.0)
    assert near.sum() > 50
    np.testing.assert_allclose(found[near], gaps[near], rtol=0, atol=1e-12)
    assert (found[gaps >= 2.0] >= 2.0 - 1e-12).all()
    assert (found[gaps < -1e-12] < 0.0).all()
    assert (found[gaps == 0.0] <= 1e-12).all()


CONVEX = ("box", "circle", "capsule", "convex polygon", "rounded convex polygon")


def test_depths_of_convex_solids_are_those_of_shapely():
    rng = np.random.default_rng(12)
    deep, count = 0, cases(400, least=100)
    for _ in range(count):
        a, b = (random_solid(rng, str(rng.choice(CONVEX)), 2.0) for _ in range(2))
        pose_a, pose_b = (im.Pose(*rng.uniform(-2, 2, 2).tolist(), rng.uniform(-3, 3)) for _ in range(2))
        expected = gap(a, pose_a, b, pose_b)
        found = Solids([a, b]).separations(
            np.array([[(p.x, p.y, p.angle) for p in (pose_a, pose_b)]]), np.array([[0, 1]])
        )
        if expected < 0.0:
            deep += 1
            assert found.item() == pytest.approx(expected, abs=1e-9)
    assert deep > 0.5 * count


def test_depths_of_all_solids_are_no_more_than_the_way_out():
    rng = np.random.default_rng(13)
    deep, count = 0, cases(300, least=100)
    for _ in range(count):
        a, b = (random_solid(rng, str(rng.choice(KINDS)), 2.0) for _ in range(2))
        pose_a, pose_b = (im.Pose(*rng.uniform(-2, 2, 2).tolist(), rng.uniform(-3, 3)) for _ in range(2))
        expected = gap(a, pose_a, b, pose_b)
        poses = np.array([[(p.x, p.y, p.angle) for p in (pose_a, pose_b)]])
        found = Solids([a, b]).separations(poses, np.array([[0, 1]])).item()
        if expected < -1e-6:
            deep += 1
            assert expected - 1e-6 <= found < 0.0
        elif expected > 1e-9:
            assert found > 0.0
    assert deep > count / 3


def test_many_frames_at_once_are_those_one_by_one():
    rng = np.random.default_rng(14)
    solids = Solids([random_solid(rng, kind, 2.0) for kind in KINDS])
    pairs = np.array([(a, b) for a in range(len(KINDS)) for b in range(a)])
    poses = rng.uniform(-4, 4, (30, len(KINDS), 3))
    together = solids.separations(poses, pairs)
    for frame in range(30):
        np.testing.assert_array_equal(together[frame], solids.separations(poses[frame : frame + 1], pairs)[0])
    assert (together < 0.0).mean() > 0.1


def test_how_far_solids_reach_in_a_room():
    solids = Solids([SQUARE, im.Capsule((0, 0), (4, 0), 0.5)])
    poses = np.array([[(13.0, 20.0, 0.0), (10.0, 20.0, math.pi / 2)]])
    reach, centres = solids.farthest(poses, np.array([(10.0, 20.0, 0.0)]))
    assert reach == pytest.approx(np.array([[4.0, 4.5]]))
    assert centres == pytest.approx(np.array([[3.0, 2.0]]))
    turned = solids.farthest(poses, np.array([(10.0, 20.0, math.pi / 4)]))[0]
    assert turned == pytest.approx(np.array([[3 * math.sqrt(0.5) + math.sqrt(2), 4 * math.sqrt(0.5) + 0.5]]))
