"""Arrays of pairs of solids: refused arguments, empty arrays, and all pairs against the broadphase."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest

import impinge as im
from impinge import Box, Capsule, Circle, Compound, Polygon, Pose
from scale import some
from shapely_solids import KINDS, random_solid

QUESTIONS = [im.batch.overlaps, im.batch.distance, im.batch.contact]
SOLIDS = im.batch.Solids([Box(2, 2), Circle(1), Capsule((0, 0), (1, 0))])
POSES = [(0, 0, 0.5), (1, 1, 0), (5, 5, 1)]
questions = pytest.mark.parametrize("question", QUESTIONS)


def test_solids_are_a_sequence():
    shapes = [Box(2, 2), Circle(1), Circle(1)]
    solids = im.batch.Solids(shapes)
    assert isinstance(solids, Sequence)
    assert list(solids) == shapes
    assert len(solids) == 3
    assert solids[-1] is shapes[2]
    assert solids[1:] == tuple(shapes[1:])
    assert solids.index(Circle(1)) == 1
    assert solids.count(Circle(1)) == 2
    assert Box(2, 2) in solids
    assert Box(2, 3) not in solids
    with pytest.raises(IndexError):
        solids[3]
    assert len(im.batch.Solids(shape for shape in shapes)) == 3
    assert len(im.batch.Solids([])) == 0


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        ([Box(1, 1), None], r"shapes\[1\] must be a solid shape .* got None"),
        ([Box], r"shapes\[0\] must be a solid shape"),
        ([(Box(1, 1), Pose(0, 0))], r"shapes\[0\] must be a solid shape"),
        ("ab", r"shapes\[0\] must be a solid shape .* got 'a'"),
    ],
)
def test_solids_refuse_what_is_none(shapes, message):
    with pytest.raises(im.ShapeError, match=f"^{message}"):
        im.batch.Solids(shapes)


@pytest.mark.parametrize(
    ("poses", "message"),
    [
        ([(0, 0), (1, 1)], "poses must have 3 rows like the solids, got 2"),
        ([(0, 0)] * 4, "poses must have 3 rows like the solids, got 4"),
        ([0, 1, 2], r"poses must have shape \(n, 2\) or \(n, 3\), got \(3,\)"),
        ([(0,)] * 3, r"poses must have shape .* got \(3, 1\)"),
        ([(0, 0, 0, 0)] * 3, r"poses must have shape .* got \(3, 4\)"),
        ([[(0, 0)] * 3] * 2, r"poses must have shape .* got \(2, 3, 2\)"),
        (5, r"poses must have shape .* got \(\)"),
        ("here", "poses must be an array of numbers"),
        ([(0, 0), (0, 0, 0), (1, 1)], "poses must be an array of numbers"),
        ([Pose(0, 0)] * 3, "poses must be an array of numbers"),
        ([(0, 0), (math.nan, 0), (0, 0)], r"poses must be finite and at .* in size, got nan at \[1, 0\]"),
        ([(0, 0, 0), (0, 0, 0), (0, 0, math.inf)], r"poses must be finite and at .* in size, got inf at \[2, 2\]"),
    ],
)
def test_poses_are_refused_by_row_and_value(poses, message):
    for question in QUESTIONS:
        with pytest.raises(im.ShapeError, match=f"^{message}"):
            question(SOLIDS, poses, [(0, 1)])
    with pytest.raises(im.ShapeError, match=f"^{message}"):
        im.batch.overlapping_pairs(SOLIDS, poses)


@questions
@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([(0, 3)], r"pairs must be indices below 3, got 3 at \[0, 1\]"),
        ([(0, 1), (-1, 1)], r"pairs must be indices below 3, got -1 at \[1, 0\]"),
        (np.array([(0, 2**63)], np.uint64), r"pairs must be indices below 3, got 9223372036854775808 at \[0, 1\]"),
        ([(0.0, 1.0)], r"pairs must be integers of shape \(m, 2\), got float64 of shape \(1, 2\)"),
        ([(True, False)], r"pairs must be integers of shape \(m, 2\), got bool of shape \(1, 2\)"),
        ([0, 1], r"pairs must be integers of shape \(m, 2\), got int64 of shape \(2,\)"),
        ([(0, 1, 2)], r"pairs must be integers of shape \(m, 2\), got int64 of shape \(1, 3\)"),
        (1, r"pairs must be integers of shape \(m, 2\), got int64 of shape \(\)"),
        ("01", r"pairs must be integers of shape \(m, 2\)"),
    ],
)
def test_pairs_are_refused_by_row_and_value(question, pairs, message):
    with pytest.raises(im.ShapeError, match=f"^{message}"):
        question(SOLIDS, POSES, pairs)


@questions
def test_ragged_pairs_are_refused(question):
    with pytest.raises(im.ShapeError, match=r"^pairs must be"):
        question(SOLIDS, POSES, [(0, 1), (0,)])


@pytest.mark.parametrize("solids", [[Box(1, 1)] * 3, None, Box(1, 1), "solids"])
def test_solids_have_to_be_packed(solids):
    for question in QUESTIONS:
        with pytest.raises(im.ShapeError, match=r"^solids must be Solids, got "):
            question(solids, POSES, [(0, 1)])
    with pytest.raises(im.ShapeError, match=r"^solids must be Solids, got "):
        im.batch.overlapping_pairs(solids, POSES)


@pytest.mark.parametrize("pairs", [[], np.empty((0, 2), int), np.empty((0, 2)), ()])
def test_no_pairs_have_no_answers(pairs):
    assert im.batch.overlaps(SOLIDS, POSES, pairs).shape == (0,)
    found = im.batch.distance(SOLIDS, POSES, pairs)
    assert [getattr(found, name).shape for name in ("distances", "points_a", "points_b", "normals")] == [
        (0,),
        (0, 2),
        (0, 2),
        (0, 2),
    ]
    contacts = im.batch.contact(SOLIDS, POSES, pairs)
    names = ("touching", "normals", "depths", "counts", "points", "point_depths")
    assert [getattr(contacts, name).shape for name in names] == [(0,), (0, 2), (0,), (0,), (0, 2, 2), (0, 2)]


@pytest.mark.parametrize("poses", [np.empty((0, 2)), np.empty((0, 3))])
def test_no_solids_have_no_pairs(poses):
    none = im.batch.Solids([])
    assert im.batch.overlaps(none, poses, []).shape == (0,)
    found = im.batch.overlapping_pairs(none, poses)
    assert (found.shape, found.dtype) == ((0, 2), np.int64)


def test_one_solid_has_no_pairs():
    assert im.batch.overlapping_pairs(im.batch.Solids([Box(1, 1)]), [(5, 5)]).shape == (0, 2)


def test_the_kinds_of_the_arrays():
    found = im.batch.contact(SOLIDS, POSES, np.array([(0, 1), (0, 2)], np.int32))
    assert found.touching.dtype == np.bool_
    assert found.counts.dtype == np.int64
    assert found.touching.tolist() == [True, False]
    assert found.counts.tolist()[1] == 0
    assert np.isnan(found.normals[1]).all()
    assert np.isnan(found.depths[1])
    assert np.isnan(found.points[1]).all()
    assert np.isnan(found.point_depths[1]).all()
    assert im.batch.overlaps(SOLIDS, POSES, np.array([(0, 1)], np.uint8)).tolist() == [True]
    # Columns of a larger array, every other row, and integers instead of floats.
    wide = np.arange(24).reshape(6, 4)[::2, 1:3]
    np.testing.assert_array_equal(
        im.batch.distance(SOLIDS, wide, [(0, 1)]).distances,
        im.batch.distance(SOLIDS, wide.astype(float).copy(), [(0, 1)]).distances,
    )


def test_a_solid_overlaps_itself_and_the_order_of_the_pairs_is_kept():
    pairs = [(2, 0), (1, 1), (0, 1), (1, 0), (2, 2)]
    assert im.batch.overlaps(SOLIDS, POSES, pairs).tolist() == [False, True, True, True, True]


def test_the_arguments_are_not_changed_nor_are_the_answers_shared():
    poses, pairs = np.array(POSES, float), np.array([(0, 1), (0, 2)])
    before = poses.copy(), pairs.copy()
    first = im.batch.distance(SOLIDS, poses, pairs)
    for name in first.__slots__:
        getattr(first, name)[:] = 7
    again = im.batch.distance(SOLIDS, poses, pairs)
    assert again.distances[1] == pytest.approx(
        im.distance(SOLIDS[0], Pose(0, 0, 0.5), SOLIDS[2], Pose(5, 5, 1)).distance
    )
    np.testing.assert_array_equal(poses, before[0])
    np.testing.assert_array_equal(pairs, before[1])
    for name, other in itertools.permutations(again.__slots__, 2):
        assert not np.shares_memory(getattr(again, name), getattr(again, other))


# All pairs.


def crowd(seed, kind):
    """Return two hundred solids of all kinds, some of them the same object."""
    rng = np.random.default_rng(seed)
    sizes = {"huge coordinates": 1e3, "sizes of all magnitudes": None}.get(kind, 1.0)
    shapes = [
        random_solid(rng, KINDS[index % len(KINDS)], sizes or float(10 ** rng.uniform(-3, 3))) for index in range(60)
    ]
    shapes = [shapes[index] for index in rng.integers(0, len(shapes), 200)]
    poses = np.column_stack([rng.uniform(-15, 15, (200, 2)), rng.uniform(-4, 4, 200)])
    if kind == "clustered":
        poses[:, :2] = rng.uniform(-40, 40, (5, 2))[rng.integers(0, 5, 200)] + rng.normal(0, 1.5, (200, 2))
    elif kind == "huge coordinates":
        poses[:, :2] = 1e6 + 1e3 * poses[:, :2]
    elif kind == "in one place":
        poses[:, :2] = (3.0, -7.0)
    elif kind == "in a row":
        poses[:, 1] = 2.0
        poses[:, 0] *= 10
    elif kind == "in a column":
        poses[:, 0] = 1e5
        poses[:, 1] *= 10
    elif kind == "upright on a grid":
        # Exact contacts: edge on edge and corner on corner.
        shapes = [Box(2, 2) if index % 2 else Circle(1) for index in range(200)]
        poses = np.column_stack([2.0 * rng.integers(-8, 8, (200, 2)), np.zeros(200)])
    return shapes, poses


CROWDS = [
    "anywhere",
    "clustered",
    "huge coordinates",
    "sizes of all magnitudes",
    "in one place",
    "in a row",
    "in a column",
    "upright on a grid",
]


@pytest.mark.parametrize("kind", CROWDS)
@pytest.mark.parametrize("seed", some(range(3)))
def test_the_broadphase_finds_what_asking_about_all_pairs_does(kind, seed):
    shapes, poses = crowd(seed, kind)
    solids = im.batch.Solids(shapes)
    everything = np.array(list(itertools.combinations(range(len(shapes)), 2)))
    expected = everything[im.batch.overlaps(solids, poses, everything)]
    found = im.batch.overlapping_pairs(solids, poses)
    np.testing.assert_array_equal(found, expected)
    assert len(expected) > 20


def test_on_a_grid_neighbours_touch():
    """A field of four by three unit squares: each touches its neighbours at sides and corners."""
    poses = [(x, y) for y in range(3) for x in range(4)]
    found = im.batch.overlapping_pairs(im.batch.Solids([Box(1, 1)] * 12), poses)
    expected = [
        (i, j)
        for (i, one), (j, other) in itertools.combinations(enumerate(poses), 2)
        if max(abs(one[0] - other[0]), abs(one[1] - other[1])) <= 1
    ]
    assert found.tolist() == [list(pair) for pair in expected]


@pytest.mark.parametrize("offset", [0.0, 1e6])
@pytest.mark.parametrize(("share", "answer"), [(0.5, [[0, 1]]), (4.0, [])])
def test_the_broadphase_knows_the_slop(offset, share, answer):
    """Two disks are a slop apart, along either axis, far from the origin and near it."""
    slop = 1e-9 * 2 + 8 * 2.0**-52 * (offset + 5)
    disks = im.batch.Solids([Circle(1), Circle(1)])
    for way in ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0)):
        poses = np.full((2, 2), offset)
        poses[1] += np.multiply(way, 2 + share * slop)
        assert im.batch.overlapping_pairs(disks, poses).tolist() == answer


def test_a_field_that_all_overlaps_has_all_pairs():
    """There are more pairs than the initial capacity."""
    count = 60
    found = im.batch.overlapping_pairs(im.batch.Solids([Circle(1)] * count), np.zeros((count, 2)))
    assert found.tolist() == [list(pair) for pair in itertools.combinations(range(count), 2)]


@pytest.mark.parametrize("kind", ["anywhere", "in one place", "upright on a grid"])
def test_the_same_question_has_the_same_answer_to_the_bit(kind):
    shapes, poses = crowd(5, kind)
    pairs = np.random.default_rng(0).integers(0, 200, (3000, 2))
    answers = []
    for _ in range(3):
        solids = im.batch.Solids(list(shapes))
        found, contacts = im.batch.distance(solids, poses, pairs), im.batch.contact(solids, poses, pairs)
        answers.append(
            [im.batch.overlapping_pairs(solids, poses).tobytes()]
            + [getattr(record, name).tobytes() for record in (found, contacts) for name in record.__slots__]
        )
        # The memory of the next answers contains other numbers: some answers were once returned without being written.
        np.full(15 * len(pairs), 1e5 * len(answers))
    assert answers[0] == answers[1] == answers[2]


def test_what_stands_beside_a_pair_has_no_say_in_its_answer():
    shapes, poses = crowd(6, "anywhere")
    pairs = np.random.default_rng(1).integers(0, 200, (500, 2))
    together = im.batch.distance(im.batch.Solids(shapes), poses, pairs)
    for row, (i, j) in enumerate(pairs):
        alone = im.batch.distance(im.batch.Solids([shapes[j], shapes[i]]), poses[[j, i]], [(1, 0)])
        assert alone.distances[0] == together.distances[row]
        assert (alone.points_a[0] == together.points_a[row]).all()
        assert (alone.normals[0] == together.normals[row]).all()


def test_an_angle_of_zero_is_no_angle():
    shapes = [Box(2, 2), Polygon([(0, 0), (3, 0), (0, 3)]), Compound([(Circle(1), Pose(0, 0, 2.0))])]
    places = np.array([(0.0, 0.0), (1.5, 0.5), (2.0, 3.0)])
    pairs = [(0, 1), (1, 2), (0, 2)]
    flat = im.batch.distance(im.batch.Solids(shapes), places, pairs)
    # One of the others is rotated, so all are written again.
    shapes, turned = [*shapes, Box(1, 1)], np.column_stack([places, np.zeros(3)])
    mixed = im.batch.distance(im.batch.Solids(shapes), np.vstack([turned, (50, 50, 0.3)]), pairs)
    for name in flat.__slots__:
        np.testing.assert_array_equal(getattr(flat, name), getattr(mixed, name))


def bytes_of_all(threads: int) -> list[bytes]:
    """Return the bytes of all results of all functions, for 200 solids."""
    shapes, poses = crowd(7, "anywhere")
    rng = np.random.default_rng(7)
    solids, count = im.batch.Solids(shapes), len(shapes)
    ends, pairs = poses + rng.uniform(-3, 3, poses.shape), rng.integers(0, count, (700, 2))
    found, contacts = (question(solids, poses, pairs, threads=threads) for question in (QUESTIONS[1], QUESTIONS[2]))
    arrays = [getattr(record, name) for record in (found, contacts) for name in record.__slots__]
    for includes in (False, True):
        arrays.append(im.batch.overlaps(solids, poses, pairs, include_touching=includes, threads=threads))
        arrays.append(im.batch.overlapping_pairs(solids, poses, include_touching=includes, threads=threads))
    for chosen in (pairs, None):
        impacts = im.batch.time_of_impact(solids, poses, ends, chosen, threads=threads)
        names = "pairs times iterations hit overlapping normals points counts ends features_a features_b"
        arrays += [getattr(impacts, name) for name in names.split()]
    arrays += im.batch.sector_hits(im.Sector(9, 1), Pose(20, 20, 1), poses[:, :2], 1.0, threads=threads)
    centres = rng.uniform(-3, 3, (4, count, 2))
    pushes = im.batch.push_boxes((2, 1), centres[0], centres[1], (1, 2), centres[2], centres[3], threads=threads)
    arrays += [getattr(pushes, name) for name in pushes.__slots__]
    return [array.tobytes() for array in arrays]


def test_the_number_of_threads_changes_no_bit(monkeypatch):
    alone = bytes_of_all(1)
    for name in ("OVERLAPS", "CONTACTS", "IMPACTS", "DISKS", "PUSHES"):
        monkeypatch.setattr(im.batch, f"{name}_OF_A_THREAD", 10)
    # Each part of time_of_impact has at least as many pairs as there are solids: three parts here.
    for threads in (2, 3, 16):
        assert bytes_of_all(threads) == alone


def test_the_first_wrong_disk_is_named_whichever_thread_finds_it(monkeypatch):
    monkeypatch.setattr(im.batch, "DISKS_OF_A_THREAD", 10)
    centres, radii = np.zeros((100, 2)), np.ones(100)
    radii[71] = -1.0
    centres[95, 1] = math.nan
    for threads in (1, 2, 3, 7):
        with pytest.raises(im.ShapeError, match=r"^radii must be finite and not negative, got -1\.0 at \[71\]"):
            im.batch.sector_hits(im.Sector(9, 1), Pose(0, 0), centres, radii, threads=threads)


@pytest.mark.parametrize("threads", [0, -1, 1.5, True, "2"])
def test_threads_are_a_positive_integer(threads):
    for question in (*QUESTIONS, lambda *given, threads: im.batch.overlapping_pairs(*given[:2], threads=threads)):
        with pytest.raises(im.ShapeError, match=f"^threads must be a positive integer, got {threads!r}"):
            question(SOLIDS, POSES, [(0, 1)], threads=threads)
