"""How the bodies of a world stand: their solids at their angles, and what follows from these for their rows.

Not here: where solids are kept, which is in `pool`; one solid at an angle, in its own columns, is in `solids`.
"""

from __future__ import annotations

import math

import numpy as np

from impinge.kernels.compiler import kernel
from impinge.kernels.layout import (
    ANGLE,
    EXTENT,
    FARTHEST,
    FIRST_NODE,
    FIRST_POINT,
    FLOAT_COLUMNS,
    FLOOR_COSINE,
    GOAL_ANGLE,
    HALF,
    INT_COLUMNS,
    IS_BOX,
    IS_PLAIN,
    LOWER,
    LOWER_REACH,
    NODE_CENTRE,
    NODE_COLUMNS,
    NODE_LEFT,
    NODE_RIGHT,
    NORMAL,
    PIECE_COLUMNS,
    PIECE_TOTAL,
    PIECES,
    POINT,
    POINT_COLUMNS,
    RESPONSE,
    RESPONSE_PUSH,
    SIZE,
    SNAP,
    SOLID,
    SOLID_COLUMNS,
    STANDING,
    STEP_HEIGHT,
    TOP_POINT,
    UPPER,
    UPPER_REACH,
    Floats,
    Ints,
)
from impinge.kernels.solids import find_bounds


@kernel(inline=False)
def move_row(source: Floats, first: int, columns: int, target: Floats, at: int) -> None:
    """Copy the row of a solid to other columns, of the same array or another, with all that refers to columns."""
    for column in range(columns):
        target[at + column] = source[first + column]
    away = at - first
    for index in range(int(source[first + PIECE_TOTAL])):
        piece = at + PIECES + PIECE_COLUMNS * index
        for column in range(piece + FIRST_POINT, piece + TOP_POINT + 1):
            target[column] += away
    target[at + FIRST_NODE] += away
    for node in range(int(target[at + FIRST_NODE]), at + columns, NODE_COLUMNS):
        for child in range(node + NODE_LEFT, node + NODE_RIGHT + 1):
            if target[child] >= 0.0:
                target[child] += away


def _write_example() -> tuple[Floats, Floats, int]:
    row = np.zeros(PIECES + PIECE_COLUMNS)
    return row, row, 0


@kernel(_write_example)
def write_row(row: Floats, target: Floats, at: int) -> None:
    """Copy a row that begins at column 0 to another array."""
    move_row(row, int(np.int64(0)), row.shape[0], target, at)  # for a literal Numba would compile it once more


@kernel(inline=False)
def stand_at(source: Floats, first: int, columns: int, cos: float, sin: float, target: Floats, at: int) -> None:
    """Write a solid as it stands at an angle to other columns, of the same array or another, and find its bounds."""
    move_row(source, first, columns, target, at)
    if cos == 1.0 and sin == 0.0:
        return
    first_node = int(target[at + FIRST_NODE])
    first_point = at + PIECES + PIECE_COLUMNS * int(target[at + PIECE_TOTAL])
    for point in range(first_point, first_node, POINT_COLUMNS):
        for vector in (point + POINT, point + NORMAL):
            x, y = target[vector], target[vector + 1]
            target[vector] = cos * x - sin * y
            target[vector + 1] = sin * x + cos * y
    for node in range(first_node, at + columns, NODE_COLUMNS):
        x, y = target[node + NODE_CENTRE], target[node + NODE_CENTRE + 1]
        target[node + NODE_CENTRE] = cos * x - sin * y
        target[node + NODE_CENTRE + 1] = sin * x + cos * y
    target[at + IS_BOX] = 0.0
    find_bounds(target, at)


@kernel()
def is_plain(floats: Floats, ints: Ints, rows: Floats, body: int) -> bool:
    """Whether a body is an upright box that does not turn, is only pushed, and is no walker."""
    return bool(
        rows[ints[body, SOLID] + IS_BOX] == 1.0
        and floats[body, ANGLE] == 0.0
        and floats[body, GOAL_ANGLE] == 0.0
        and ints[body, RESPONSE] == RESPONSE_PUSH
        and floats[body, FLOOR_COSINE] > 1.0
        and floats[body, SNAP] == 0.0
        and floats[body, STEP_HEIGHT] == 0.0
    )


@kernel(inline=False)
def stand_body(floats: Floats, ints: Ints, rows: Floats, body: int) -> None:
    """Bring a body's standing row, its bounds, and whether it is plain up to date with its shape and its angles."""
    solid, standing = ints[body, SOLID], ints[body, STANDING]
    is_turning = floats[body, ANGLE] != floats[body, GOAL_ANGLE]
    if standing != solid:
        cos, sin = math.cos(floats[body, ANGLE]), math.sin(floats[body, ANGLE])
        stand_at(rows, solid, ints[body, SOLID_COLUMNS], cos, sin, rows, standing)
    for axis in range(2):
        lower, upper = rows[standing + LOWER + axis], rows[standing + UPPER + axis]
        floats[body, HALF + axis] = 0.5 * (upper - lower)
        # What turns without a row of its own is a disk around its place, with the same bounds at any angle.
        if is_turning and standing != solid:
            upper = rows[solid + FARTHEST]
            lower = -upper
        floats[body, LOWER_REACH + axis] = lower
        floats[body, UPPER_REACH + axis] = upper
    floats[body, SIZE] = rows[solid + EXTENT]
    ints[body, IS_PLAIN] = 1 if is_plain(floats, ints, rows, body) else 0


def _stand_example() -> tuple[Ints, Floats, Ints, Floats]:
    return np.zeros(1, np.int64), np.zeros((1, FLOAT_COLUMNS)), np.zeros((1, INT_COLUMNS), np.int64), np.zeros(1)


@kernel(_stand_example)
def stand_bodies(bodies: Ints, floats: Floats, ints: Ints, rows: Floats) -> None:
    """Do so for several."""
    for body in bodies:
        stand_body(floats, ints, rows, body)
