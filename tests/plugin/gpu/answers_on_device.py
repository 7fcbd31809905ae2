"""Answers of `device="cuda"` against those of the CPU: on a GPU, or in numba-cuda's simulator.

`test_on_device.py` runs this file in processes of its own, as the simulator is chosen when numba-cuda is imported. By
hand: `python -m pytest tests/plugin/gpu/answers_on_device.py`, with NUMBA_ENABLE_CUDASIM=1 for the simulator.

The CPU's answers have oracles of their own, in `tests/plugin/query` and `tests/plugin/sector`.
"""

from __future__ import annotations

import doctest
import math
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import cuda

import impinge as im
from impinge import batch
from shapely_solids import KINDS, random_solid

IS_SIMULATED = os.environ.get("NUMBA_ENABLE_CUDASIM", "0") != "0"
# The simulator runs some hundred pairs a second.
SOLIDS, PAIRS, DISKS = (12, 60, 80) if IS_SIMULATED else (400, 200_000, 200_000)
# Relative to sizes and coordinates of some ten units. docs/gpu.md says so.
TOLERANCE = 1e-9


def crowd(seed: int) -> tuple[batch.Solids, Any, Any, Any]:
    """Return solids of all kinds, their poses at the start and at the end of a frame, and pairs of different ones."""
    rng = np.random.default_rng(seed)
    solids = batch.Solids([random_solid(rng, KINDS[index % len(KINDS)], 1.0) for index in range(SOLIDS)])
    width = 0.7 * math.sqrt(SOLIDS)
    starts = np.column_stack((rng.uniform(-width, width, (SOLIDS, 2)), rng.uniform(-4, 4, SOLIDS)))
    ends = starts + np.column_stack((rng.uniform(-4, 4, (SOLIDS, 2)), rng.uniform(-3, 3, SOLIDS)))
    first = rng.integers(0, SOLIDS, PAIRS)
    return solids, starts, ends, np.column_stack((first, (first + rng.integers(1, SOLIDS, PAIRS)) % SOLIDS))


@pytest.mark.parametrize("includes", [True, False])
def test_overlaps(includes: bool) -> None:
    solids, poses, _, pairs = crowd(1)
    ours = batch.overlaps(solids, poses, pairs, include_touching=includes, device="cuda")
    theirs = batch.overlaps(solids, poses, pairs, include_touching=includes)
    assert isinstance(ours, np.ndarray)
    assert 0 < theirs.sum() < PAIRS
    apart = np.abs(batch.distance(solids, poses, pairs).distances) > TOLERANCE
    np.testing.assert_array_equal(ours[apart], theirs[apart])


def test_boxes_that_touch_overlap_unless_touching_is_excluded() -> None:
    boxes = batch.Solids([im.Box(2, 2), im.Box(2, 2), im.Box(2, 2)])
    poses, pairs = [(0, 0), (2, 0), (3.9, 0)], [(0, 1), (1, 2), (0, 2)]
    assert batch.overlaps(boxes, poses, pairs, device="cuda").tolist() == [True, True, False]
    found = batch.overlaps(boxes, poses, pairs, include_touching=False, device="cuda")
    assert found.tolist() == [False, True, False]


def test_distances() -> None:
    solids, poses, _, pairs = crowd(2)
    ours, theirs = (batch.distance(solids, poses, pairs, device=device) for device in ("cuda", "cpu"))
    several = np.array([len(shape.pieces) > 1 for shape in solids])[pairs].any(axis=1)
    assert (theirs.distances[several] < -TOLERANCE).any()  # the CPU measures these
    np.testing.assert_allclose(ours.distances, theirs.distances, rtol=0, atol=TOLERANCE)
    # Of parallel edges, any pair of points is nearest, and from the middle of a square, several ways out are shortest.
    assert np.isclose(ours.normals, theirs.normals, rtol=0, atol=1e-6).all(axis=1).mean() > 0.99
    along = np.einsum("ij,ij->i", ours.points_b - ours.points_a, ours.normals)
    assert np.isclose(along, ours.distances, rtol=0, atol=TOLERANCE).mean() > 0.99


def test_a_distance_known_by_hand() -> None:
    found = batch.distance(batch.Solids([im.Circle(1), im.Circle(2)]), [(0, 0), (6, 8)], [(0, 1)], device="cuda")
    assert found.distances.tolist() == [pytest.approx(7.0)]
    assert found.normals.tolist() == [pytest.approx([0.6, 0.8])]
    assert found.points_a.tolist() == [pytest.approx([0.6, 0.8])]
    assert found.points_b.tolist() == [pytest.approx([4.8, 6.4])]


@pytest.mark.parametrize("way", ["straight", "turning", "accelerated"])
def test_times_of_impact(way: str) -> None:
    solids, starts, ends, pairs = crowd(3)
    if way != "turning":
        ends[:, 2] = starts[:, 2]
    pulls = np.random.default_rng(3).uniform(-6, 6, (SOLIDS, 2)) if way == "accelerated" else None
    ours, theirs = (
        batch.time_of_impact(solids, starts, ends, pairs, accelerations=pulls, device=device)
        for device in ("cuda", "cpu")
    )
    assert 0 < theirs.hit.sum() < PAIRS
    # Near misses may differ.
    assert (ours.hit != theirs.hit).sum() <= PAIRS // 10_000
    both = ours.hit & theirs.hit
    np.testing.assert_allclose(ours.times[both], theirs.times[both], rtol=0, atol=TOLERANCE)
    assert np.isclose(ours.normals[both], theirs.normals[both], rtol=0, atol=1e-6).all(axis=1).mean() > 0.99
    assert (ours.features_a[both] == theirs.features_a[both]).all(axis=1).mean() > 0.99


def test_a_time_known_by_hand() -> None:
    solids = batch.Solids([im.Box(2, 20), im.Circle(1), im.Circle(1)])
    starts, ends = [(0, 0), (9, 0), (9, 40)], [(0, 0), (-11, 0), (-11, 40)]
    found = batch.time_of_impact(solids, starts, ends, [(0, 1), (0, 2)], device="cuda")
    assert found.hit.tolist() == [True, False]
    assert found.times[0] == pytest.approx(0.35)
    assert found.features_a.tolist() == [[0, 1, 1], [-1, -1, -1]]


@pytest.mark.parametrize("walls", [(), [(im.Box(1, 3), im.Pose(4, 1, 0.3))]])
def test_sector_hits(walls: Any) -> None:
    rng = np.random.default_rng(4)
    centers, radii = rng.uniform(-10, 10, (DISKS, 2)), rng.uniform(0, 1, DISKS)
    sector, pose = im.Sector(9, 1.2, 1), im.Pose(0.5, -0.25, 0.7)
    ours, theirs = (batch.sector_hits(sector, pose, centers, radii, walls, device=device) for device in ("cuda", "cpu"))
    assert theirs.indices.size > DISKS / 20
    np.testing.assert_array_equal(np.sort(ours.indices), np.sort(theirs.indices))
    own, their = np.argsort(ours.indices), np.argsort(theirs.indices)
    np.testing.assert_allclose(ours.distances[own], theirs.distances[their], rtol=0, atol=TOLERANCE)
    np.testing.assert_allclose(ours.bearings[own], theirs.bearings[their], rtol=0, atol=1e-6)
    assert (np.diff(ours.distances) >= 0.0).all()


def test_a_hit_known_by_hand() -> None:
    hits = batch.sector_hits(im.Sector(10, 0.5), im.Pose(0, 0), [(9, 0), (0, 5), (4, 0)], [1, 1, 2], device="cuda")
    assert hits.indices.tolist() == [2, 0]
    assert hits.distances.tolist() == [2.0, 8.0]
    assert hits.bearings.tolist() == [0.0, 0.0]


def test_arrays_on_the_device_stay_there() -> None:
    solids, starts, ends, pairs = crowd(5)
    places, goals, chosen = (cuda.to_device(array) for array in (starts, ends, pairs))
    found = batch.overlaps(solids, places, chosen, device="cuda")
    assert not isinstance(found, np.ndarray)
    assert found.copy_to_host().tolist() == batch.overlaps(solids, starts, pairs, device="cuda").tolist()
    apart = batch.distance(solids, places, pairs, device="cuda")
    expected = batch.distance(solids, starts, pairs, device="cuda")
    for name in expected.__slots__:
        np.testing.assert_array_equal(getattr(apart, name).copy_to_host(), getattr(expected, name))
    impacts = batch.time_of_impact(solids, places, goals, chosen, device="cuda")
    on_host, whole = batch.time_of_impact(solids, starts, ends, pairs, device="cuda"), impacts.copy_to_host()
    np.testing.assert_array_equal(impacts.times.copy_to_host(), on_host.times)
    np.testing.assert_array_equal(whole.points, on_host.points)
    hits = batch.sector_hits(im.Sector(9, 1), im.Pose(0, 0), cuda.to_device(starts[:, :2].copy()), 0.5, device="cuda")
    assert hits.indices.copy_to_host().tolist() == (
        batch.sector_hits(im.Sector(9, 1), im.Pose(0, 0), starts[:, :2], 0.5, device="cuda").indices.tolist()
    )


def with_nan(array: Any, row: int, column: int) -> Any:
    changed = np.array(array, np.float64)
    changed[row, column] = math.nan
    return changed


SHAPES = batch.Solids([im.Box(2, 2), im.Circle(1), im.Circle(1)])
POSES = np.array([(0.0, 0.0), (1.0, 1.0), (5.0, 5.0)])


@pytest.mark.parametrize("place", [np.asarray, cuda.to_device])
@pytest.mark.parametrize(
    ("question", "message"),
    [
        (lambda at: batch.overlaps(SHAPES, at(with_nan(POSES, 1, 1)), [(0, 1)], device="cuda"),
         r"poses must be finite and at most 1e\+100 in size, got nan at \[1, 1\]"),
        (lambda at: batch.distance(SHAPES, at(POSES[:2]), [(0, 1)], device="cuda"),
         "poses must have 3 rows like the solids, got 2"),
        (lambda at: batch.distance(SHAPES, at(np.zeros(3)), [(0, 1)], device="cuda"),
         r"poses must have shape \(n, 2\) or \(n, 3\), got \(3,\)"),
        (lambda at: batch.overlaps(SHAPES, POSES, at(np.array([(0, 1), (2, 3)])), device="cuda"),
         r"pairs must be indices below 3, got 3 at \[1, 1\]"),
        (lambda at: batch.time_of_impact(SHAPES, POSES, at(with_nan(POSES, 2, 0)), [(0, 1)], device="cuda"),
         r"ends must be finite and at most 1e\+100 in size, got nan at \[2, 0\]"),
        (lambda at: batch.sector_hits(im.Sector(9, 1), im.Pose(0, 0), at(POSES), np.array([1, -2, 1]), device="cuda"),
         r"radii must be finite and not negative, got -2\.0 at \[1\]"),
        (lambda at: batch.sector_hits(im.Sector(9, 1), im.Pose(0, 0), at(with_nan(POSES, 2, 0)), 1.0, device="cuda"),
         r"centers must be finite and at most 1e\+100 in size, got \[nan, 5\.0\] at \[2\]"),
    ],
)  # fmt: skip
def test_invalid_arrays_are_refused_by_name_and_value(
    place: Callable[[Any], Any], question: Callable[[Callable[[Any], Any]], Any], message: str
) -> None:
    with pytest.raises(im.ShapeError, match=f"^{message}"):
        question(place)


@pytest.mark.parametrize(
    ("poses", "message"),
    [
        (POSES.astype(np.float32), "poses must be float64 on a device, got float32"),
        (np.asfortranarray(POSES), "poses must be in C order on a device, got strides"),
    ],
)
def test_arrays_that_the_kernels_cannot_read_are_refused(poses: Any, message: str) -> None:
    with pytest.raises(im.ShapeError, match=f"^{message}"):
        batch.overlaps(SHAPES, cuda.to_device(poses), [(0, 1)], device="cuda")


def test_no_pairs_have_no_answers() -> None:
    none = np.empty((0, 2), np.int64)
    assert batch.overlaps(SHAPES, POSES, none, device="cuda").shape == (0,)
    assert batch.distance(SHAPES, POSES, none, device="cuda").points_a.shape == (0, 2)
    assert batch.time_of_impact(SHAPES, POSES, POSES, none, device="cuda").hit.shape == (0,)
    assert batch.sector_hits(im.Sector(9, 1), im.Pose(0, 0), [], [], device="cuda").indices.shape == (0,)


def test_pairs_must_be_given() -> None:
    with pytest.raises(im.ShapeError, match=r"^pairs must be given with device='cuda', got None"):
        batch.time_of_impact(SHAPES, POSES, POSES, device="cuda")


def test_the_page_shows_these_answers() -> None:
    page = (Path(__file__).parents[3] / "docs" / "gpu.md").read_text("utf-8")
    examples = "".join(re.findall(r"^```pycon\n(.*?)^```$", page, re.DOTALL | re.MULTILINE))
    told: list[str] = []
    transcript = doctest.DocTestParser().get_doctest(examples, {}, "gpu.md", None, 0)
    assert len(transcript.examples) > 10
    assert not doctest.DocTestRunner().run(transcript, out=told.append).failed, "".join(told)
