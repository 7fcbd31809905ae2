"""The CUDA kernels of `impinge.batch`: a thread for each solid, pair or disk. All formulas are in `impinge.kernels`."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from typing import Any

from numba import cuda, float64, int64

from impinge.checks import LARGEST
from impinge.gpu.device import is_simulated
from impinge.gpu.translate import in_thread, on_device
from impinge.kernels import columns as col
from impinge.kernels.arrays import Mover, MovingPair, MovingSolids, Part
from impinge.kernels.compiler import source_stamp
from impinge.kernels.pair import impacts, queries, solids
from impinge.kernels.sector import nearest
from impinge.kernels.space import posed_solids

__all__ = [
    "MAX_MOVING_THREADS",
    "check_pairs",
    "hit_disks",
    "impact_pairs",
    "load_rows",
    "measure_pairs",
    "overlap_pairs",
    "pose_movers",
    "pose_solids",
]

# Threads of `impact_pairs`, each with memory for two solids: more than an H100 runs at once with 255 registers each.
MAX_MOVING_THREADS = 1 << 16

MEASURED_SHAPE = col.MEASURED_ROWS, col.MEASURED_COLUMNS
CONTACT_SHAPE = 1, col.CONTACT_COLUMNS
CONTACT_GAP, CONTACT_NORMAL = col.CONTACT_GAP, col.CONTACT_NORMAL
CONTACT_WITNESS_A, CONTACT_WITNESS_B = col.CONTACT_WITNESS_A, col.CONTACT_WITNESS_B
STACK_SHAPE = col.STACK_ROWS, 2
ANSWER_SHAPE = 1, col.IMPACT_COLUMNS
COURSE_COLUMNS, AXIS_COLUMNS, IMPACT_COLUMNS = col.COURSE_COLUMNS, col.AXIS_COLUMNS, col.IMPACT_COLUMNS
IMPACT_TIME, IMPACT_ITERATIONS = col.IMPACT_TIME, col.IMPACT_ITERATIONS
ANGLE, BEGIN_ANGLE = col.POSE_ANGLE, col.MOTION_BEGIN_ANGLE
DISK_COLUMNS, BEST_COLUMNS = col.DISK_COLUMNS, col.BEST_COLUMNS

turn, move_row = on_device(solids.turn), on_device(posed_solids.move_row)
do_overlap, write_measures = on_device(queries.do_overlap), on_device(queries.write_measures)
set_circle, circles_miss = on_device(impacts.set_circle), on_device(impacts.circles_miss)
is_bent, find_impact = on_device(impacts.is_bent), on_device(impacts.find_impact)
write_disk, is_valid_disk = on_device(nearest.write_disk), on_device(nearest.is_valid_disk)
hit_disk = on_device(nearest.hit_disk)


def launch(function: Callable[..., None]) -> Any:
    """Return a CUDA kernel. Its machine code is kept on disk, as compiling `impact_pairs` takes a minute."""
    kernel = cuda.jit(function)
    if os.environ.get("IMPINGE_CACHE", "1") == "1" and not is_simulated():
        kernel.enable_caching()
        # The code of all kernels is in it.
        kept = kernel._cache._cache_file
        kept._source_stamp = kept._source_stamp, source_stamp()
    return kernel


@launch
def load_rows(source: Any, target: Any, first: int, wrong: Any, largest: Any) -> None:
    """Copy coordinates to columns of rows, as often as the rows have room for them.

    `wrong` takes the lowest place, row by row, of a number that is no coordinate, and `largest` the largest size of x
    and y.
    """
    row = cuda.grid(1)
    if row < source.shape[0]:
        for column in range(source.shape[1]):
            number = source[row, column]
            for again in range(row, target.shape[0], source.shape[0]):
                target[again, first + column] = number
            if not abs(number) <= LARGEST:
                cuda.atomic.min(wrong, 0, row * source.shape[1] + column)
            elif column < 2:
                cuda.atomic.max(largest, 0, abs(number))


@launch
def check_pairs(pairs: Any, count: int, wrong: Any) -> None:
    """Write the lowest place, row by row, of a number that is no index."""
    row = cuda.grid(1)
    if row < pairs.shape[0]:
        for column in range(2):
            if not 0 <= pairs[row, column] < count:
                cuda.atomic.min(wrong, 0, 2 * row + column)


@launch
def pose_solids(rows: Any, firsts: Any, poses: Any, standing: Any) -> None:
    """Write all posed solids."""
    solid = cuda.grid(1)
    if solid < poses.shape[0]:
        turn(rows, firsts[solid], firsts[solid + 1], poses[solid, ANGLE], standing)


@launch
def overlap_pairs(rows: Any, firsts: Any, poses: Any, pairs: Any, shift: int, answers: Any) -> None:
    """Write for each pair of posed solids whether they overlap. The first of a pair is `shift` solids further on."""
    pair = cuda.grid(1)
    if pair < pairs.shape[0]:
        answers[pair] = do_overlap(rows, firsts, poses, pairs[pair, 0] + shift, pairs[pair, 1])


@in_thread
def measure_pair(
    pair: int, rows: Any, firsts: Any, poses: Any, pairs: Any, gaps: Any, points_a: Any, points_b: Any, normals: Any
) -> None:
    """Write distance, witness points and normal of a pair of posed solids."""
    measured = cuda.local.array(MEASURED_SHAPE, float64)
    answer = cuda.local.array(CONTACT_SHAPE, float64)
    write_measures(rows, firsts, poses, pairs[pair : pair + 1], 0, measured, answer)
    gaps[pair] = answer[0, CONTACT_GAP]
    for axis in range(2):
        points_a[pair, axis] = answer[0, CONTACT_WITNESS_A + axis]
        points_b[pair, axis] = answer[0, CONTACT_WITNESS_B + axis]
        normals[pair, axis] = answer[0, CONTACT_NORMAL + axis]


@launch
def measure_pairs(
    rows: Any, firsts: Any, poses: Any, pairs: Any, gaps: Any, points_a: Any, points_b: Any, normals: Any
) -> None:
    """Write distance, witness points and normal of each pair of posed solids."""
    pair = cuda.grid(1)
    if pair < pairs.shape[0]:
        measure_pair(pair, rows, firsts, poses, pairs, gaps, points_a, points_b, normals)


@launch
def pose_movers(rows: Any, firsts: Any, motions: Any, standing: Any, circles: Any) -> None:
    """Write the posed solids that do not turn, and the circle around the motion of each solid."""
    solid = cuda.grid(1)
    if solid < motions.shape[0]:
        first = firsts[solid]
        set_circle(rows, first, motions, solid, circles)
        turn(rows, first, firsts[solid + 1], motions[solid, BEGIN_ANGLE], standing)


@in_thread
def impact_some(
    thread: int,
    threads: int,
    solids: MovingSolids,
    circles: Any,
    work: Any,
    pairs: Any,
    times: Any,
    iterations: Any,
    answers: Any,
) -> None:
    """Write the impacts of the pairs of a thread: see `impact_pairs`."""
    rows, firsts, motions, standing, stands = solids
    course = cuda.local.array(COURSE_COLUMNS, float64)
    axis = cuda.local.array(AXIS_COLUMNS, float64)
    stack = cuda.local.array(STACK_SHAPE, int64)
    found = cuda.local.array(ANSWER_SHAPE, float64)
    for pair in range(thread, pairs.shape[0], threads):
        one, other = pairs[pair, 0], pairs[pair, 1]
        times[pair], iterations[pair] = math.nan, 0
        if circles_miss(circles, one, other):
            continue
        a, b = Mover(rows, firsts[one], one, standing), Mover(rows, firsts[other], other, standing)
        marks = stands[0]
        if is_bent(a, b, motions):
            copied = work[2 * thread]
            move_row(rows, firsts[other], firsts[other + 1] - firsts[other], copied, 0)
            b = Mover(copied, 0, other, work[2 * thread + 1])
            marks = stands[1]
        find_impact(MovingPair(a, b, course, axis), motions, marks, stack, found, 0)
        times[pair], iterations[pair] = found[0, IMPACT_TIME], int(found[0, IMPACT_ITERATIONS])
        if not math.isnan(times[pair]):
            for column in range(IMPACT_COLUMNS):
                answers[pair, column] = found[0, column]


@launch
def impact_pairs(
    solids: MovingSolids, circles: Any, work: Any, pairs: Any, times: Any, iterations: Any, answers: Any
) -> None:
    """Write the time of impact of each pair, or NaN, its steps, and the row of its impact.

    The first row of `solids.stands` says that all solids are posed. A pair on a bent path poses its second solid anew:
    it has a copy of that solid in two rows of `work`, two for each thread, and writes into the second row of `stands`.
    """
    impact_some(cuda.grid(1), cuda.gridsize(1), solids, circles, work, pairs, times, iterations, answers)


@in_thread
def hit_one(
    index: int, cells: Any, sector: Any, frame: Any, centers: Any, radii: Any, distances: Any, directions: Any
) -> bool:
    """Write distance and direction of a disk that a sector touches, else NaN; return whether it is valid."""
    row, best = cuda.local.array(DISK_COLUMNS, float64), cuda.local.array(BEST_COLUMNS, float64)
    apex, facing = (frame[0], frame[1]), (frame[2], frame[3])
    place, radius = (centers[index, 0], centers[index, 1]), radii[index]
    if not is_valid_disk(apex, place, radius):
        return False
    write_disk(row)
    distance, x, y = hit_disk(cells, sector, apex, facing, place, radius, Part(row, 0), best)
    distances[index], directions[index, 0], directions[index, 1] = distance, x, y
    return True


@launch
def hit_disks(
    cells: Any, sector: Any, frame: Any, centers: Any, radii: Any, wrong: Any, distances: Any, directions: Any
) -> None:
    """Write distance and direction of each disk that a sector touches, else NaN, and the first invalid disk.

    `frame` has the apex of the sector, and the direction that it faces.
    """
    index = cuda.grid(1)
    if index < radii.shape[0] and not hit_one(index, cells, sector, frame, centers, radii, distances, directions):
        cuda.atomic.min(wrong, 0, index)
