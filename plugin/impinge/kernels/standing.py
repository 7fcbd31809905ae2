"""How the bodies of a world stand: their solids at their angles, and what follows from these for their rows.

Not here: where solids are kept, which is in `pool`; one solid at an angle, in its own columns, is in `solids`.

A solid at an angle takes as much room as all else of its body, and most bodies have nobody near. So one is written only
where somebody asks: for a frame in columns that are given back now and then (`give_stance`), for a question in its own.
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
    LACKS_STANCES,
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
    POINT_TOTAL,
    RADIUS,
    RESPONSE,
    RESPONSE_PUSH,
    SIZE,
    SKIN,
    SNAP,
    SOLID,
    SOLID_COLUMNS,
    STANCE_END,
    STANCE_TOTAL,
    STANDING,
    STEP_HEIGHT,
    TOP_POINT,
    UNSTOOD,
    UPPER,
    UPPER_REACH,
    Floats,
    Ints,
)
from impinge.kernels.rows import take_rows
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
    move_row(row, 0, row.shape[0], target, at)


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


@kernel()
def is_disk(rows: Floats, solid: int) -> bool:
    """Whether a solid is one disk around its origin, which stands the same at any angle."""
    point = int(rows[solid + PIECES + FIRST_POINT]) + POINT
    return bool(
        rows[solid + PIECE_TOTAL] == 1.0
        and rows[solid + PIECES + POINT_TOTAL] == 1.0
        and rows[point] == 0.0
        and rows[point + 1] == 0.0
    )


@kernel(inline=False)
def bounds_at(rows: Floats, solid: int, angle: float) -> tuple[float, float, float, float]:
    """Bounds of a solid at an angle, to the bit those of its row there: left, bottom, right, top."""
    cos, sin = math.cos(angle), math.sin(angle)
    low_x = low_y = math.inf
    high_x = high_y = -math.inf
    for index in range(int(rows[solid + PIECE_TOTAL])):
        piece = solid + PIECES + PIECE_COLUMNS * index
        left = bottom = math.inf
        right = top = -math.inf
        first = int(rows[piece + FIRST_POINT]) + POINT
        for point in range(first, first + POINT_COLUMNS * int(rows[piece + POINT_TOTAL]), POINT_COLUMNS):
            x = cos * rows[point] - sin * rows[point + 1]
            y = sin * rows[point] + cos * rows[point + 1]
            left, right, bottom, top = min(left, x), max(right, x), min(bottom, y), max(top, y)
        radius = rows[piece + RADIUS] + rows[piece + SKIN]
        low_x, low_y = min(low_x, left - radius), min(low_y, bottom - radius)
        high_x, high_y = max(high_x, right + radius), max(high_y, top + radius)
    return low_x, low_y, high_x, high_y


@kernel(inline=False)
def stand_body(floats: Floats, ints: Ints, rows: Floats, body: int) -> None:
    """Bring a body's bounds, and whether it is plain, up to date with its shape and its angles.

    Its row is left for who comes near: `give_stance`.
    """
    solid, angle = ints[body, SOLID], floats[body, ANGLE]
    is_turning = angle != floats[body, GOAL_ANGLE]
    left, right = rows[solid + LOWER], rows[solid + UPPER]
    bottom, top = rows[solid + LOWER + 1], rows[solid + UPPER + 1]
    if (angle == 0.0 and not is_turning) or is_disk(rows, solid):
        ints[body, STANDING] = solid
    else:
        if ints[body, STANDING] == solid:
            ints[body, STANDING] = UNSTOOD
        if is_turning:
            right = top = rows[solid + FARTHEST]
            left = bottom = -right
        else:
            left, bottom, right, top = bounds_at(rows, solid, angle)
    floats[body, LOWER_REACH], floats[body, UPPER_REACH] = left, right
    floats[body, LOWER_REACH + 1], floats[body, UPPER_REACH + 1] = bottom, top
    floats[body, HALF], floats[body, HALF + 1] = 0.5 * (right - left), 0.5 * (top - bottom)
    floats[body, SIZE] = rows[solid + EXTENT]
    ints[body, IS_PLAIN] = 1 if is_plain(floats, ints, rows, body) else 0


@kernel(inline=False)
def stand_solid(solid: int, standing: int, columns: int, angle: float, solids: Floats) -> None:
    """Turn a solid to an angle where it stands, if that is a row of its own: another has no need to."""
    if standing != solid and solids[standing - 1] != angle:
        stand_at(solids, solid, columns, math.cos(angle), math.sin(angle), solids, standing)
        solids[standing - 1] = angle


@kernel(inline=False)
def stand_now(body: int, angle: float, ints: Ints, solids: Floats) -> None:
    """Turn a body to an angle."""
    stand_solid(ints[body, SOLID], ints[body, STANDING], ints[body, SOLID_COLUMNS], angle, solids)


@kernel(inline=False)
def take_stance(columns: int, solids: Floats, counts: Ints) -> int:
    """Return the first column of a row to stand in, in front of which is the angle at which something stands there.

    Once the columns are used up, the body that is resolved is gone through again, and what is written until then means
    nothing: it has its place at their end.
    """
    first = take_rows(STANCE_TOTAL, 1 + columns, counts[STANCE_END], LACKS_STANCES, counts)
    if first < 0:
        first = counts[STANCE_END]
    solids[first] = math.nan
    return int(first + 1)


@kernel(inline=False)
def give_stance(body: int, floats: Floats, ints: Ints, solids: Floats, counts: Ints) -> None:
    """See that a body stands in some row at its angle of the frame's start; it keeps that from frame to frame."""
    if ints[body, STANDING] == ints[body, SOLID]:
        return
    if ints[body, STANDING] == UNSTOOD:
        ints[body, STANDING] = take_stance(ints[body, SOLID_COLUMNS], solids, counts)
    stand_now(body, floats[body, ANGLE], ints, solids)


@kernel(inline=False)
def write_stance(floats: Floats, ints: Ints, rows: Floats, body: int, target: Floats, at: int) -> None:
    """Write a body's solid as it stands between two frames to columns of another array."""
    solid, angle = ints[body, SOLID], floats[body, ANGLE]
    cos, sin = math.cos(angle), math.sin(angle)
    if is_disk(rows, solid):
        cos, sin = 1.0, 0.0
    stand_at(rows, solid, ints[body, SOLID_COLUMNS], cos, sin, target, at)


def _stand_example() -> tuple[Ints, Floats, Ints, Floats]:
    return np.zeros(1, np.int64), np.zeros((1, FLOAT_COLUMNS)), np.zeros((1, INT_COLUMNS), np.int64), np.zeros(1)


@kernel(_stand_example)
def stand_bodies(bodies: Ints, floats: Floats, ints: Ints, rows: Floats) -> None:
    """Do so for several."""
    for body in bodies:
        stand_body(floats, ints, rows, body)
