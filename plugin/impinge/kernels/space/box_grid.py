"""A spatial hash of upright boxes that move all the time: finds the boxes that a box overlaps or touches.

It needs no shapes and no tree. Some boxes are in a grid. The others are loose, and are tested one by one. A box that
moves becomes loose until the grid is filled again. The cells of the grid are hashed (Teschner and others, "Optimized
spatial hashing for collision detection of deformable objects", 2003). So the grid has no borders, and a distant box
costs the others nothing.
"""

from __future__ import annotations

import math

import numpy as np

from impinge.kernels import columns as col
from impinge.kernels.arrays import Bounds, BoxGrid, Floats, Ints
from impinge.kernels.compiler import kernel

# Limit of a cell's column plus its row: up to it, a float holds every integer. Boxes beyond it stay loose.
FARTHEST_CELL = 2.0**52
# Primes that spread the columns and rows of the grid over the buckets.
SPREAD_X, SPREAD_Y = 73_856_093, 19_349_663


@kernel()
def bucket_of(column: int, row: int, buckets: int) -> int:
    """Return the bucket of a cell. The number of buckets is a power of two."""
    return ((column * SPREAD_X) ^ (row * SPREAD_Y)) & (buckets - 1)


def _empty_grid() -> BoxGrid:
    boxes, numbers = np.zeros((1, col.BOX_COLUMNS)), np.zeros(1, np.int64)
    return BoxGrid(boxes, np.zeros(1, np.bool_), numbers, np.zeros(2, np.int64), numbers)


def _move_example() -> tuple[BoxGrid, int, Floats, Ints, Floats, float]:
    return _empty_grid(), 0, np.zeros((1, col.BOX_COLUMNS)), np.zeros(1, np.int64), np.zeros((1, 2)), 0.0


@kernel(_move_example)
def move_boxes(grid: BoxGrid, loose_total: int, extents: Floats, rows: Ints, positions: Floats, farthest: float) -> int:
    """Move boxes to positions and make them loose; return the new number of loose boxes.

    If a position is not finite, or is beyond `largest_coordinate`, move no box and return -1.
    """
    boxes, is_loose, loose, _, _ = grid
    for index in range(rows.shape[0]):
        if not abs(positions[index, 0]) + abs(positions[index, 1]) <= farthest:
            return -1
    for index in range(rows.shape[0]):
        row = rows[index]
        for axis in range(2):
            boxes[row, col.BOX_LEFT + axis] = extents[row, col.BOX_LEFT + axis] + positions[index, axis]
            boxes[row, col.BOX_RIGHT + axis] = extents[row, col.BOX_RIGHT + axis] + positions[index, axis]
        if not is_loose[row]:
            is_loose[row] = True
            loose[loose_total] = row
            loose_total += 1
    return loose_total


def _fill_example() -> tuple[BoxGrid, int, float]:
    return _empty_grid(), 0, 1.0


@kernel(_fill_example)
def fill_grid(grid: BoxGrid, total: int, side: float) -> int:
    """Put each box into the cell of its centre. Boxes larger than a cell stay loose; return their number.

    A box whose left exceeds its right is a removed one.
    """
    boxes, is_loose, loose, starts, entries = grid
    buckets, loose_total = starts.shape[0] - 1, 0
    for bucket in range(buckets + 1):
        starts[bucket] = 0
    for is_counted in range(2):
        for row in range(total):
            width, height = (
                boxes[row, col.BOX_RIGHT] - boxes[row, col.BOX_LEFT],
                boxes[row, col.BOX_TOP] - boxes[row, col.BOX_BOTTOM],
            )
            column = math.floor((boxes[row, col.BOX_LEFT] + 0.5 * width) / side)
            line = math.floor((boxes[row, col.BOX_BOTTOM] + 0.5 * height) / side)
            is_loose[row] = not (
                0.0 <= width <= side and 0.0 <= height <= side and abs(column) + abs(line) < FARTHEST_CELL
            )
            if not is_loose[row]:
                bucket = bucket_of(int(column), int(line), buckets)
                if is_counted:
                    # Fill each bucket from its end, so that `starts` is right afterwards.
                    starts[bucket] -= 1
                    entries[starts[bucket]] = row
                else:
                    starts[bucket] += 1
            elif is_counted and width >= 0.0:
                loose[loose_total] = row
                loose_total += 1
        if not is_counted:
            for bucket in range(buckets):
                starts[bucket + 1] += starts[bucket]
    return loose_total


@kernel()
def append_candidate_box(boxes: Floats, row: int, bounds: Bounds, sure: float, found: Ints, count: int) -> int:
    """Append a box's row to the candidates if the box overlaps or touches given bounds; return the new count.

    If they overlap by more than `sure`, and the box's shape fills it, the overlap is certain. Other candidates need a
    test of their shapes, and are written as -1 - row.
    """
    left, bottom, right, top = bounds
    low_x, high_x = boxes[row, col.BOX_LEFT], boxes[row, col.BOX_RIGHT]
    low_y, high_y = boxes[row, col.BOX_BOTTOM], boxes[row, col.BOX_TOP]
    if low_x <= right and high_x >= left and low_y <= top and high_y >= bottom:
        depth = min(min(right - low_x, high_x - left), min(top - low_y, high_y - bottom))
        found[count] = row if depth > sure and boxes[row, col.BOX_IS_FULL] == 1.0 else -1 - row
        count += 1
    return count


def _overlapping_example() -> tuple[BoxGrid, int, int, float, Bounds, float, Ints]:
    return _empty_grid(), 0, 0, 1.0, (0.0, 0.0, 0.0, 0.0), 0.0, np.zeros(1, np.int64)


@kernel(_overlapping_example)
def overlapping_boxes(
    grid: BoxGrid, total: int, loose_total: int, side: float, bounds: Bounds, sure: float, found: Ints
) -> int:
    """Write the rows of all boxes that overlap or touch given bounds, in any order; return their number.

    Certain overlaps, by more than `sure`, differ from other candidates: see `append_candidate_box`.
    """
    boxes, is_loose, loose, starts, entries = grid
    left, bottom, right, top = bounds
    count, buckets = 0, starts.shape[0] - 1
    half = 0.5 * side
    low_column, high_column = math.floor((left - half) / side), math.floor((right + half) / side)
    low_line, high_line = math.floor((bottom - half) / side), math.floor((top + half) / side)
    cells = (high_column - low_column + 1.0) * (high_line - low_line + 1.0)
    farthest = max(abs(low_column), abs(high_column)) + max(abs(low_line), abs(high_line))
    if not (cells < total and farthest < FARTHEST_CELL):
        for row in range(total):
            count = append_candidate_box(boxes, row, bounds, sure, found, count)
        return count
    for index in range(loose_total):
        count = append_candidate_box(boxes, loose[index], bounds, sure, found, count)
    if buckets == 0:
        return count
    for column in range(int(low_column), int(high_column) + 1):
        for line in range(int(low_line), int(high_line) + 1):
            bucket = bucket_of(column, line, buckets)
            for index in range(starts[bucket], starts[bucket + 1]):
                row = entries[index]
                if is_loose[row]:
                    continue
                before = count
                count = append_candidate_box(boxes, row, bounds, sure, found, count)
                if count > before:
                    # Several cells may share a bucket. It is searched for each of them, but a box counts for its own
                    # cell only.
                    width, height = (
                        boxes[row, col.BOX_RIGHT] - boxes[row, col.BOX_LEFT],
                        boxes[row, col.BOX_TOP] - boxes[row, col.BOX_BOTTOM],
                    )
                    own_column = math.floor((boxes[row, col.BOX_LEFT] + 0.5 * width) / side)
                    own_line = math.floor((boxes[row, col.BOX_BOTTOM] + 0.5 * height) / side)
                    if own_column != column or own_line != line:
                        count = before
    return count
