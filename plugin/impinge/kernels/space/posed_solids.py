"""Posed solids: the solids of a world's bodies at their angles, and the columns of bodies that depend on them.

Not here: the memory of solids, which is in `pool`, and turning a single solid in its own columns, which is in `solids`.

A posed solid takes as much memory as the rest of its body, and most bodies have no candidates. So it is written on
demand only. A frame writes it into columns that are freed from time to time (`ensure_posed_solid`), a query into its
own ones.
"""

from __future__ import annotations

import math

import numpy as np

from impinge.kernels import columns as col
from impinge.kernels.arrays import Floats, Ints
from impinge.kernels.compiler import kernel
from impinge.kernels.pair.solids import find_bounds
from impinge.kernels.step.rows import take_rows


@kernel(inline=False)
def move_row(source: Floats, first: int, columns: int, target: Floats, at: int) -> None:
    """Copy the row of a solid to other columns, of the same array or another, and adjust its references to columns."""
    for column in range(columns):
        target[at + column] = source[first + column]
    away = at - first
    for index in range(int(source[first + col.PIECE_TOTAL])):
        piece = at + col.PIECES + col.PIECE_COLUMNS * index
        for column in range(piece + col.FIRST_POINT, piece + col.TOP_POINT + 1):
            target[column] += away
    target[at + col.FIRST_NODE] += away
    for node in range(int(target[at + col.FIRST_NODE]), at + columns, col.NODE_COLUMNS):
        for child in range(node + col.NODE_LEFT, node + col.NODE_RIGHT + 1):
            if target[child] >= 0.0:
                target[child] += away


def _write_example() -> tuple[Floats, Floats, int]:
    row = np.zeros(col.PIECES + col.PIECE_COLUMNS)
    return row, row, 0


@kernel(_write_example)
def write_row(row: Floats, target: Floats, at: int) -> None:
    """Copy a row that begins at column 0 to another array."""
    move_row(row, 0, row.shape[0], target, at)


@kernel(inline=False)
def write_posed_solid(
    source: Floats, first: int, columns: int, cos: float, sin: float, target: Floats, at: int
) -> None:
    """Write a solid posed at an angle to other columns, of the same array or another, and compute its bounds."""
    move_row(source, first, columns, target, at)
    if cos == 1.0 and sin == 0.0:
        return
    first_node = int(target[at + col.FIRST_NODE])
    first_point = at + col.PIECES + col.PIECE_COLUMNS * int(target[at + col.PIECE_TOTAL])
    for point in range(first_point, first_node, col.POINT_COLUMNS):
        for vector in (point + col.POINT, point + col.NORMAL):
            x, y = target[vector], target[vector + 1]
            target[vector] = cos * x - sin * y
            target[vector + 1] = sin * x + cos * y
    for node in range(first_node, at + columns, col.NODE_COLUMNS):
        x, y = target[node + col.NODE_CENTRE], target[node + col.NODE_CENTRE + 1]
        target[node + col.NODE_CENTRE] = cos * x - sin * y
        target[node + col.NODE_CENTRE + 1] = sin * x + cos * y
    target[at + col.IS_BOX] = 0.0
    find_bounds(target, at)


@kernel()
def is_plain(floats: Floats, ints: Ints, rows: Floats, body: int) -> bool:
    """Return whether a body is an upright box that does not turn, only pushes, and is no walker."""
    return bool(
        rows[ints[body, col.SOLID] + col.IS_BOX] == 1.0
        and floats[body, col.ANGLE] == 0.0
        and floats[body, col.GOAL_ANGLE] == 0.0
        and ints[body, col.RESPONSE] == col.RESPONSE_PUSH
        and floats[body, col.FLOOR_COSINE] > 1.0
        and floats[body, col.SNAP] == 0.0
        and floats[body, col.STEP_HEIGHT] == 0.0
    )


@kernel()
def is_centred_disk(rows: Floats, solid: int) -> bool:
    """Return whether a solid is one disk around its origin, which is the same at any angle."""
    point = int(rows[solid + col.PIECES + col.FIRST_POINT]) + col.POINT
    return bool(
        rows[solid + col.PIECE_TOTAL] == 1.0
        and rows[solid + col.PIECES + col.POINT_TOTAL] == 1.0
        and rows[point] == 0.0
        and rows[point + 1] == 0.0
    )


@kernel(inline=False)
def bounds_at(rows: Floats, solid: int, angle: float) -> tuple[float, float, float, float]:
    """Return the bounds of a solid at an angle: left, bottom, right, top. They are bit-identical to a posed solid's."""
    cos, sin = math.cos(angle), math.sin(angle)
    low_x = low_y = math.inf
    high_x = high_y = -math.inf
    for index in range(int(rows[solid + col.PIECE_TOTAL])):
        piece = solid + col.PIECES + col.PIECE_COLUMNS * index
        left = bottom = math.inf
        right = top = -math.inf
        first = int(rows[piece + col.FIRST_POINT]) + col.POINT
        for point in range(first, first + col.POINT_COLUMNS * int(rows[piece + col.POINT_TOTAL]), col.POINT_COLUMNS):
            x = cos * rows[point] - sin * rows[point + 1]
            y = sin * rows[point] + cos * rows[point + 1]
            left, right, bottom, top = min(left, x), max(right, x), min(bottom, y), max(top, y)
        radius = rows[piece + col.RADIUS] + rows[piece + col.SKIN]
        low_x, low_y = min(low_x, left - radius), min(low_y, bottom - radius)
        high_x, high_y = max(high_x, right + radius), max(high_y, top + radius)
    return low_x, low_y, high_x, high_y


@kernel(inline=False)
def update_pose_bounds(floats: Floats, ints: Ints, rows: Floats, body: int) -> None:
    """Update a body's bounds, and whether it is plain, after its shape or its angles change.

    This does not write the posed solid: `ensure_posed_solid` does, once a body comes near.
    """
    solid, angle = ints[body, col.SOLID], floats[body, col.ANGLE]
    is_turning = angle != floats[body, col.GOAL_ANGLE]
    left, right = rows[solid + col.LOWER], rows[solid + col.UPPER]
    bottom, top = rows[solid + col.LOWER + 1], rows[solid + col.UPPER + 1]
    if (angle == 0.0 and not is_turning) or is_centred_disk(rows, solid):
        ints[body, col.POSED] = solid
    else:
        if ints[body, col.POSED] == solid:
            ints[body, col.POSED] = col.NOT_POSED
        if is_turning:
            right = top = rows[solid + col.FARTHEST]
            left = bottom = -right
        else:
            left, bottom, right, top = bounds_at(rows, solid, angle)
    floats[body, col.LOWER_REACH], floats[body, col.UPPER_REACH] = left, right
    floats[body, col.LOWER_REACH + 1], floats[body, col.UPPER_REACH + 1] = bottom, top
    floats[body, col.HALF], floats[body, col.HALF + 1] = 0.5 * (right - left), 0.5 * (top - bottom)
    floats[body, col.SIZE] = rows[solid + col.EXTENT]
    ints[body, col.IS_PLAIN] = 1 if is_plain(floats, ints, rows, body) else 0


@kernel(inline=False)
def update_posed_solid(solid: int, standing: int, columns: int, angle: float, solids: Floats) -> None:
    """Update a posed solid to an angle, if it has a row of its own. A solid without one needs no rotation."""
    if standing != solid and solids[standing - 1] != angle:
        write_posed_solid(solids, solid, columns, math.cos(angle), math.sin(angle), solids, standing)
        solids[standing - 1] = angle


@kernel(inline=False)
def update_posed_body(body: int, angle: float, ints: Ints, solids: Floats) -> None:
    """Update a body's posed solid to an angle."""
    update_posed_solid(ints[body, col.SOLID], ints[body, col.POSED], ints[body, col.SOLID_COLUMNS], angle, solids)


@kernel(inline=False)
def take_posed_row(columns: int, solids: Floats, counts: Ints) -> int:
    """Take a row for a posed solid and return its first column. The column before it has the angle of that solid.

    If no columns are free, return the spare row behind their end. The current body is then resolved again, and nothing
    that is written until then counts.
    """
    first = take_rows(col.STANCE_TOTAL, 1 + columns, counts[col.STANCE_END], col.LACKS_STANCES, counts)
    if first < 0:
        first = counts[col.STANCE_END]
    solids[first] = math.nan
    return int(first + 1)


@kernel(inline=False)
def ensure_posed_solid(body: int, floats: Floats, ints: Ints, solids: Floats, counts: Ints) -> None:
    """Give a body a posed solid at its angle at the frame's start. It keeps that row from frame to frame."""
    if ints[body, col.POSED] == ints[body, col.SOLID]:
        return
    if ints[body, col.POSED] == col.NOT_POSED:
        ints[body, col.POSED] = take_posed_row(ints[body, col.SOLID_COLUMNS], solids, counts)
    update_posed_body(body, floats[body, col.ANGLE], ints, solids)


@kernel(inline=False)
def write_posed_body(floats: Floats, ints: Ints, rows: Floats, body: int, target: Floats, at: int) -> None:
    """Write a body's posed solid, as between two frames, to columns of another array."""
    solid, angle = ints[body, col.SOLID], floats[body, col.ANGLE]
    cos, sin = math.cos(angle), math.sin(angle)
    if is_centred_disk(rows, solid):
        cos, sin = 1.0, 0.0
    write_posed_solid(rows, solid, ints[body, col.SOLID_COLUMNS], cos, sin, target, at)


def _stand_example() -> tuple[Ints, Floats, Ints, Floats]:
    return (
        np.zeros(1, np.int64),
        np.zeros((1, col.FLOAT_COLUMNS)),
        np.zeros((1, col.INT_COLUMNS), np.int64),
        np.zeros(1),
    )


@kernel(_stand_example)
def update_all_pose_bounds(bodies: Ints, floats: Floats, ints: Ints, rows: Floats) -> None:
    """Call `update_pose_bounds` for several bodies."""
    for body in bodies:
        update_pose_bounds(floats, ints, rows, body)
