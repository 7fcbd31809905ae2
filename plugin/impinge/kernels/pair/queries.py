"""Entry points for two posed solids: overlap, distance, depth and contact points."""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np

from impinge.kernels import columns as col
from impinge.kernels.arrays import Bools, Floats, Ints, Vector
from impinge.kernels.compiler import kernel
from impinge.kernels.pair.manifold import measure
from impinge.kernels.pair.separation import bounds_gap, noise_of, solid_gap, solids_overlap
from impinge.kernels.pair.solids import turn
from impinge.kernels.tolerances import ROUNDING, SLOP

# Signed distance, normal, both witness points, number of manifold points, these points, their depths, and the slop.
Answer: TypeAlias = tuple[float, Vector, Vector, Vector, int, Vector, Vector, Vector, float]


@kernel()
def slop_of(a: Floats, solid_a: int, ax: float, ay: float, b: Floats, solid_b: int, bx: float, by: float) -> float:
    """Return the distance up to which two solids touch."""
    coordinate = max(
        max(abs(ax), abs(ay)) + a[solid_a + col.FARTHEST], max(abs(bx), abs(by)) + b[solid_b + col.FARTHEST]
    )
    return SLOP * min(a[solid_a + col.EXTENT], b[solid_b + col.EXTENT]) + ROUNDING * coordinate


@kernel(inline=False)
def overlap(a: Floats, solid_a: int, b: Floats, solid_b: int, offset: Vector, slop: float) -> bool:
    """Return whether two posed solids overlap or touch."""
    if bounds_gap(a, solid_a + col.LOWER, b, solid_b + col.LOWER, offset) > slop:
        return False
    dx, dy = offset
    if a[solid_a + col.IS_BOX] == 1.0 and b[solid_b + col.IS_BOX] == 1.0:
        # Upright boxes fill their bounds. Where corners are opposite each other, the distance is larger than either
        # gap.
        gap_x = max(
            b[solid_b + col.LOWER] + dx - a[solid_a + col.UPPER], a[solid_a + col.LOWER] - b[solid_b + col.UPPER] - dx
        )
        gap_y = max(
            b[solid_b + col.LOWER + 1] + dy - a[solid_a + col.UPPER + 1],
            a[solid_a + col.LOWER + 1] - b[solid_b + col.UPPER + 1] - dy,
        )
        return gap_x <= 0.0 or gap_y <= 0.0 or math.hypot(gap_x, gap_y) <= slop
    noise = noise_of(a, solid_a, b, solid_b, offset)
    return solids_overlap(a, solid_a, b, solid_b, offset, noise, slop)


def _example_row() -> Floats:
    return np.zeros(col.PIECES + col.PIECE_COLUMNS)


def _pair_example() -> tuple[Floats, float, float, float, Floats, float, float, float]:
    return _example_row(), 0.0, 0.0, 0.0, _example_row(), 0.0, 0.0, 0.0


@kernel(_pair_example)
def overlap_pair(
    a: Floats, ax: float, ay: float, turn_a: float, b: Floats, bx: float, by: float, turn_b: float
) -> bool:
    """Return whether two solids overlap or touch, each given by its row, its place and its angle."""
    start = 0
    slop = slop_of(a, start, ax, ay, b, start, bx, by)
    dx, dy = bx - ax, by - ay
    # The solids are at least this far apart at any angle.
    if math.hypot(dx, dy) - a[col.FARTHEST] - b[col.FARTHEST] > slop:
        return False
    if turn_a != 0.0:
        turned = np.empty_like(a)
        turn(a, start, a.shape[0], turn_a, turned)
        a = turned
    if turn_b != 0.0:
        turned = np.empty_like(b)
        turn(b, start, b.shape[0], turn_b, turned)
        b = turned
    return overlap(a, start, b, start, (dx, dy), slop)


@kernel(_pair_example)
def gap_pair(a: Floats, ax: float, ay: float, turn_a: float, b: Floats, bx: float, by: float, turn_b: float) -> float:
    """Return the signed distance of two solids: below zero, the depth of the deepest pair of their pieces.

    It changes no faster than the solids move. The depth of the whole solids can, as where a slot opens.
    """
    start = 0
    if turn_a != 0.0:
        turned = np.empty_like(a)
        turn(a, start, a.shape[0], turn_a, turned)
        a = turned
    if turn_b != 0.0:
        turned = np.empty_like(b)
        turn(b, start, b.shape[0], turn_b, turned)
        b = turned
    offset = bx - ax, by - ay
    gap, _, _, _, _ = solid_gap(a, start, b, start, offset, noise_of(a, start, b, start, offset))
    return gap


@kernel(_pair_example)
def measure_pair(
    a: Floats, ax: float, ay: float, turn_a: float, b: Floats, bx: float, by: float, turn_b: float
) -> Answer:
    """Return the result of `measure` for two solids, each given by its row, its place and its angle."""
    start = 0
    slop = slop_of(a, start, ax, ay, b, start, bx, by)
    if turn_a != 0.0:
        turned = np.empty_like(a)
        turn(a, start, a.shape[0], turn_a, turned)
        a = turned
    if turn_b != 0.0:
        turned = np.empty_like(b)
        turn(b, start, b.shape[0], turn_b, turned)
        b = turned
    # One array holds all that two single pieces need: each further array takes as long as comparing two circles.
    measured = np.empty((col.MEASURED_ROWS, col.MEASURED_COLUMNS))
    at = col.MEASURED
    measure(a, start, b, start, (bx - ax, by - ay), slop, measured)
    # Return a tuple: an array takes half a microsecond more to pass and to read.
    return (
        measured[at, col.CONTACT_GAP],
        (measured[at, col.CONTACT_NORMAL], measured[at, col.CONTACT_NORMAL + 1]),
        (ax + measured[at, col.CONTACT_WITNESS_A], ay + measured[at, col.CONTACT_WITNESS_A + 1]),
        (ax + measured[at, col.CONTACT_WITNESS_B], ay + measured[at, col.CONTACT_WITNESS_B + 1]),
        int(measured[at, col.CONTACT_POINT_COUNT]),
        (ax + measured[at, col.CONTACT_POINTS], ay + measured[at, col.CONTACT_POINTS + 1]),
        (ax + measured[at, col.CONTACT_POINTS + 2], ay + measured[at, col.CONTACT_POINTS + 3]),
        (measured[at, col.CONTACT_DEPTHS], measured[at, col.CONTACT_DEPTHS + 1]),
        slop,
    )


def _stand_example() -> tuple[Floats, Ints, Floats, Floats, Floats]:
    return _example_row(), np.zeros(2, np.int64), np.zeros((1, 3)), _example_row(), np.zeros((1, 4))


@kernel(_stand_example, nogil=True)
def pose_solids(rows: Floats, firsts: Ints, poses: Floats, standing: Floats, bounds: Floats) -> None:
    """Write all posed solids, and their bounds in the game's frame; the bounds of two solids that touch overlap.

    Solid i has the columns from `firsts[i]` to `firsts[i + 1]`.
    """
    farthest = 0.0
    for solid in range(bounds.shape[0]):
        x, y = abs(poses[solid, col.POSE_PLACE]), abs(poses[solid, col.POSE_PLACE + 1])
        farthest = max(farthest, max(x, y) + rows[firsts[solid] + col.FARTHEST])
    for solid in range(bounds.shape[0]):
        first = firsts[solid]
        turn(rows, first, firsts[solid + 1], poses[solid, col.POSE_ANGLE], standing)
        # No pair has a larger slop: it grows with the smaller of two extents and with the larger of two coordinates.
        margin = SLOP * rows[first + col.EXTENT] + ROUNDING * farthest
        for axis in range(2):
            bounds[solid, axis] = poses[solid, col.POSE_PLACE + axis] + standing[first + col.LOWER + axis] - margin
            bounds[solid, 2 + axis] = poses[solid, col.POSE_PLACE + axis] + standing[first + col.UPPER + axis] + margin


@kernel()
def do_overlap(rows: Floats, firsts: Ints, poses: Floats, one: int, other: int) -> bool:
    """Return whether two of many posed solids overlap or touch."""
    a, b = firsts[one], firsts[other]
    ax, ay, bx, by = poses[one, 0], poses[one, 1], poses[other, 0], poses[other, 1]
    slop = slop_of(rows, a, ax, ay, rows, b, bx, by)
    return overlap(rows, a, rows, b, (bx - ax, by - ay), slop)


def _overlaps_example() -> tuple[Floats, Ints, Floats, Floats, Ints, Bools]:
    pairs = np.zeros((1, 2), np.int64)
    return _example_row(), np.zeros(1, np.int64), np.zeros((1, 3)), np.zeros((1, 4)), pairs, np.zeros(1, np.bool_)


@kernel(_overlaps_example, nogil=True)
def overlap_pairs(rows: Floats, firsts: Ints, poses: Floats, bounds: Floats, pairs: Ints, answers: Bools) -> None:
    """Write for each pair whether its solids overlap or touch; `rows` holds posed solids."""
    for pair in range(pairs.shape[0]):
        one, other = pairs[pair, 0], pairs[pair, 1]
        answers[pair] = False
        if bounds[other, 0] > bounds[one, 2] or bounds[one, 0] > bounds[other, 2]:
            continue
        if bounds[other, 1] > bounds[one, 3] or bounds[one, 1] > bounds[other, 3]:
            continue
        answers[pair] = do_overlap(rows, firsts, poses, one, other)


@kernel()
def write_measures(
    rows: Floats, firsts: Ints, poses: Floats, pairs: Ints, pair: int, measured: Floats, answers: Floats
) -> None:
    """Write the result of `measure` for a pair of posed solids, with points in the game's frame."""
    one, other, at = pairs[pair, 0], pairs[pair, 1], col.MEASURED
    a, b = firsts[one], firsts[other]
    ax, ay, bx, by = poses[one, 0], poses[one, 1], poses[other, 0], poses[other, 1]
    slop = slop_of(rows, a, ax, ay, rows, b, bx, by)
    measure(rows, a, rows, b, (bx - ax, by - ay), slop, measured)
    for column in range(col.CONTACT_COLUMNS):
        answers[pair, column] = measured[at, column]
    for column in (col.CONTACT_WITNESS_A, col.CONTACT_WITNESS_B, col.CONTACT_POINTS, col.CONTACT_POINTS + 2):
        answers[pair, column] += ax
        answers[pair, column + 1] += ay


def _measures_example() -> tuple[Floats, Ints, Floats, Ints, Floats]:
    rows, firsts, poses, _, pairs, _ = _overlaps_example()
    return rows, firsts, poses, pairs, np.zeros((1, col.CONTACT_COLUMNS))


@kernel(_measures_example, nogil=True)
def measure_pairs(rows: Floats, firsts: Ints, poses: Floats, pairs: Ints, answers: Floats) -> None:
    """Write the result of `measure` for each pair, with points in the game's frame; `rows` holds posed solids."""
    measured = np.empty((col.MEASURED_ROWS, col.MEASURED_COLUMNS))
    for pair in range(pairs.shape[0]):
        write_measures(rows, firsts, poses, pairs, pair, measured, answers)


def _sweep_example() -> tuple[Floats, Ints, int]:
    return np.zeros((1, 4)), np.zeros(1, np.int64), 0


@kernel(_sweep_example, nogil=True)
def sweep(bounds: Floats, order: Ints, axis: int) -> Ints:
    """Return all pairs whose bounds overlap, the lower index first.

    Sweep and prune (Baraff, 1992): `order` sorts the bounds by their lower ends on an axis.
    """
    across = 1 - axis
    pairs = np.empty((2 * order.shape[0] + 1, 2), np.int64)
    count = 0
    for place in range(order.shape[0]):
        one = order[place]
        low, high, end = bounds[one, across], bounds[one, 2 + across], bounds[one, 2 + axis]
        for other_place in range(place + 1, order.shape[0]):
            other = order[other_place]
            if bounds[other, axis] > end:
                break
            if bounds[other, across] > high or low > bounds[other, 2 + across]:
                continue
            if count == pairs.shape[0]:
                more = np.empty((2 * count, 2), np.int64)
                for row in range(count):  # one assignment for all takes two seconds to compile
                    more[row, 0], more[row, 1] = pairs[row, 0], pairs[row, 1]
                pairs = more
            # The lower index goes first, so that results do not depend on the order along the axis.
            pairs[count, 0], pairs[count, 1] = min(one, other), max(one, other)
            count += 1
    return pairs[:count]
