"""What of a world's bodies a sector reaches: which of them are near, and how they stand as solids.

What is in the sector is found in `sectors`, and what walls leave of it in `visibility`.
"""

from __future__ import annotations

import numpy as np

from impinge.kernels.compiler import kernel
from impinge.kernels.layout import (
    EXTENT,
    FARTHEST,
    FIRST_NODE,
    FIRST_POINT,
    FLOAT_COLUMNS,
    HALF,
    INT_COLUMNS,
    LAYER,
    LENGTH,
    NODE_LEFT,
    NODE_RADIUS,
    NODE_RIGHT,
    PIECES,
    POINT,
    POINT_COLUMNS,
    SIZE,
    START,
    Floats,
    Ints,
)
from impinge.kernels.penetration import length_of
from impinge.kernels.questions import Bools
from impinge.kernels.solids import find_bounds
from impinge.kernels.tolerances import ROUNDING, SLOP

CORNERS = 4


def _near_example() -> tuple[Floats, Ints, Bools, int, float, float, float, Ints]:
    floats, ints = np.zeros((1, FLOAT_COLUMNS)), np.zeros((1, INT_COLUMNS), np.int64)
    return floats, ints, np.zeros(1, np.bool_), 0, 0.0, 0.0, 0.0, np.zeros(1, np.int64)


@kernel(_near_example)
def bodies_within(
    floats: Floats, ints: Ints, is_used: Bools, layers: int, x: float, y: float, reach: float, bodies: Ints
) -> int:
    """Write the rows of all bodies of some layers that may be within a reach of a place; returns how many."""
    count = 0
    wide = reach * (1.0 + SLOP) + 2.0 * ROUNDING * (abs(x) + abs(y) + reach)
    for body in range(bodies.shape[0]):
        if not is_used[body] or ints[body, LAYER] & layers == 0:
            continue
        half_x, half_y = floats[body, HALF], floats[body, HALF + 1]
        gap_x = max(abs(floats[body, START] - x) - half_x * (1.0 + SLOP), 0.0)
        gap_y = max(abs(floats[body, START + 1] - y) - half_y * (1.0 + SLOP), 0.0)
        if gap_x * gap_x + gap_y * gap_y <= wide * wide:
            bodies[count] = body
            count += 1
    return count


def _stand_example() -> tuple[Floats, Ints, Floats, Floats, Ints, Floats]:
    return (
        np.zeros((1, FLOAT_COLUMNS)),
        np.zeros(1, np.int64),
        np.zeros(1),
        np.zeros(1),
        np.zeros(2, np.int64),
        np.zeros((1, 2)),
    )


@kernel(_stand_example)
def stand_boxes(floats: Floats, bodies: Ints, square: Floats, rows: Floats, firsts: Ints, places: Floats) -> None:
    """Write bodies as solids, one after the other, and where they stand; `square` is the row of a box of side 2."""
    width = square.shape[0]
    for index in range(bodies.shape[0]):
        body, first = bodies[index], index * width
        firsts[index], firsts[index + 1] = first, first + width
        places[index, 0], places[index, 1] = floats[body, START], floats[body, START + 1]
        half_x, half_y = floats[body, HALF], floats[body, HALF + 1]
        for column in range(width):
            rows[first + column] = square[column]
        point = first + int(square[PIECES + FIRST_POINT])
        rows[first + PIECES + FIRST_POINT] = point
        for corner in range(CORNERS):
            at = point + POINT_COLUMNS * corner
            rows[at + POINT] *= half_x
            rows[at + POINT + 1] *= half_y
            # The lower edge comes first.
            rows[at + LENGTH] = 2.0 * (half_x if corner % 2 == 0 else half_y)
        rows[first + EXTENT], rows[first + FARTHEST] = floats[body, SIZE], length_of(half_x, half_y)
        node = first + int(square[FIRST_NODE])
        rows[first + FIRST_NODE] = node
        rows[node + NODE_RADIUS] = length_of(half_x, half_y)
        for child in range(node + NODE_LEFT, node + NODE_RIGHT + 1):
            if rows[child] >= 0.0:
                rows[child] += first
        find_bounds(rows, first)
