"""Solids as rows of floats (see `columns`): writing them, and posing them at an angle."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from impinge.kernels import columns as col
from impinge.kernels.arrays import Floats, Ints
from impinge.kernels.compiler import kernel
from impinge.kernels.tolerances import HAIR, ROUNDING

# Pieces as Python passes them: points and a radius for each.
Pieces = Sequence[tuple[Sequence[tuple[float, float]], float]]


def row_of(pieces: Pieces, *, is_box: bool = False, extent: float | None = None) -> Floats:
    """Return the row of a solid in its own frame, as a read-only array.

    Parameters
    ----------
    pieces
        Points, counter-clockwise, and radius of each piece.
    is_box
        Whether the solid is a rectangle along the axes of its frame.
    extent
        Length that scales the slop. By default the smaller side of the bounds, or the larger one if that is zero.
    """
    first = col.PIECES + col.PIECE_COLUMNS * len(pieces)
    first_node = first + col.POINT_COLUMNS * sum(len(points) for points, _ in pieces)
    row = np.zeros(first_node + col.NODE_COLUMNS * (2 * len(pieces) - 1))
    row[col.PIECE_TOTAL], row[col.FIRST_NODE] = len(pieces), first_node
    row[col.IS_BOX] = is_box
    for index, (points, radius) in enumerate(pieces):
        piece = col.PIECES + col.PIECE_COLUMNS * index
        row[piece + col.RADIUS], row[piece + col.POINT_TOTAL], row[piece + col.FIRST_POINT] = radius, len(points), first
        _write_points(row, first, points)
        row[col.FARTHEST] = max(row[col.FARTHEST], radius + max(math.hypot(x, y) for x, y in points))
        first += col.POINT_COLUMNS * len(points)
    _write_nodes(row, pieces)
    find_bounds(row, 0)
    if extent is None:
        sides = row[col.UPPER] - row[col.LOWER], row[col.UPPER + 1] - row[col.LOWER + 1]
        extent = min(sides) or max(sides)
    row[col.EXTENT] = extent
    row.setflags(write=False)  # it leads kernels from column to column
    return row


def with_skins(row: Floats) -> Floats:
    """Return the row of a solid for a world: pieces without an inside get a skin, and all bounds include it."""
    bare = [
        piece
        for piece in range(col.PIECES, col.PIECES + col.PIECE_COLUMNS * int(row[col.PIECE_TOTAL]), col.PIECE_COLUMNS)
        if row[piece + col.RADIUS] == 0.0 and row[piece + col.POINT_TOTAL] <= 2.0
    ]
    if not bare:
        return row
    row, skin = row.copy(), HAIR * float(max(row[col.UPPER] - row[col.LOWER], row[col.UPPER + 1] - row[col.LOWER + 1]))
    row[[piece + col.SKIN for piece in bare]] = skin
    row[int(row[col.FIRST_NODE]) + col.NODE_RADIUS :: col.NODE_COLUMNS] += skin
    find_bounds(row, 0)
    return row


def packed(rows: Sequence[Floats]) -> tuple[Floats, Ints]:
    """Concatenate rows; return the result, and the column at which each begins, with one past the last."""
    firsts = np.concatenate([[0], np.cumsum([len(row) for row in rows], dtype=np.int64)]).astype(np.int64)
    together = np.concatenate([*rows, np.empty(0)])
    for first, row in zip(firsts.tolist(), rows, strict=False):
        pieces = together[first + col.PIECES : first + col.PIECES + col.PIECE_COLUMNS * int(row[col.PIECE_TOTAL])]
        pieces.reshape(-1, col.PIECE_COLUMNS)[:, [col.FIRST_POINT, col.BOTTOM_POINT, col.TOP_POINT]] += first
        children = together[first + int(row[col.FIRST_NODE]) : first + len(row)].reshape(-1, col.NODE_COLUMNS)[
            :, col.NODE_LEFT :
        ]
        children[children >= 0.0] += first
        together[first + col.FIRST_NODE] += first
    return together, firsts


def _write_points(row: Floats, first: int, points: Sequence[tuple[float, float]]) -> None:
    for index, (x, y) in enumerate(points):
        next_x, next_y = points[(index + 1) % len(points)]
        length = math.hypot(next_x - x, next_y - y)
        normal = ((next_y - y) / length, (x - next_x) / length) if length else (0.0, 0.0)
        at = first + col.POINT_COLUMNS * index
        row[at : at + col.POINT_COLUMNS] = x, y, *normal, length


def _write_nodes(row: Floats, pieces: Pieces) -> None:
    """Write the tree: it halves the pieces by their centres, along the axis on which these spread more widely."""
    # Plain Python: most solids have one piece, for which NumPy takes longer than all the rest of the work.
    middles = []
    for points, _ in pieces:
        xs, ys = zip(*points, strict=True)
        middles.append((0.5 * (min(xs) + max(xs)), 0.5 * (min(ys) + max(ys))))
    free = int(row[col.FIRST_NODE])
    waiting = [(list(range(len(pieces))), -1)]
    while waiting:
        members, parent = waiting.pop()
        node, free = free, free + col.NODE_COLUMNS
        if parent >= 0:
            row[parent] = node
        discs = [(x, y, pieces[member][1]) for member in members for x, y in pieces[member][0]]
        x = 0.5 * (min(x - r for x, _, r in discs) + max(x + r for x, _, r in discs))
        y = 0.5 * (min(y - r for _, y, r in discs) + max(y + r for _, y, r in discs))
        reach = max(math.hypot(px - x, py - y) + r for px, py, r in discs)
        row[node : node + col.NODE_COLUMNS] = (
            x,
            y,
            reach * (1.0 + ROUNDING),
            -1.0,
            col.PIECES + col.PIECE_COLUMNS * members[0],
        )
        if len(members) > 1:
            widths = [max(at) - min(at) for at in zip(*(middles[member] for member in members), strict=True)]
            axis = int(widths[1] > widths[0])
            members.sort(key=lambda member: middles[member][axis])
            half = len(members) // 2
            waiting += [(members[half:], node + col.NODE_RIGHT), (members[:half], node + col.NODE_LEFT)]


def _example() -> tuple[Floats, int]:
    return np.zeros(col.PIECES + col.PIECE_COLUMNS), 0


@kernel(_example)
def find_bounds(row: Floats, solid: int) -> None:
    """Write the bounds of a solid and of its pieces, and the lowest and highest point of each piece."""
    row[solid + col.LOWER] = row[solid + col.LOWER + 1] = np.inf
    row[solid + col.UPPER] = row[solid + col.UPPER + 1] = -np.inf
    for index in range(int(row[solid + col.PIECE_TOTAL])):
        piece = solid + col.PIECES + col.PIECE_COLUMNS * index
        first = int(row[piece + col.FIRST_POINT])
        bottom = top = first
        left = right = row[first + col.POINT]
        for number in range(1, int(row[piece + col.POINT_TOTAL])):
            at = first + col.POINT_COLUMNS * number
            x, y = row[at + col.POINT], row[at + col.POINT + 1]
            left, right = min(left, x), max(right, x)
            low, high = row[bottom + col.POINT + 1], row[top + col.POINT + 1]
            if y < low or (y == low and x < row[bottom + col.POINT]):
                bottom = at
            if y > high or (y == high and x > row[top + col.POINT]):
                top = at
        row[piece + col.BOTTOM_POINT], row[piece + col.TOP_POINT] = bottom, top
        radius = row[piece + col.RADIUS] + row[piece + col.SKIN]
        row[piece + col.PIECE_LOWER], row[piece + col.PIECE_UPPER] = left - radius, right + radius
        row[piece + col.PIECE_LOWER + 1] = row[bottom + col.POINT + 1] - radius
        row[piece + col.PIECE_UPPER + 1] = row[top + col.POINT + 1] + radius
        for axis in range(2):
            row[solid + col.LOWER + axis] = min(row[solid + col.LOWER + axis], row[piece + col.PIECE_LOWER + axis])
            row[solid + col.UPPER + axis] = max(row[solid + col.UPPER + axis], row[piece + col.PIECE_UPPER + axis])


@kernel()
def end_of(row: Floats, solid: int) -> int:
    """Return the column behind the last one of a solid: that of its last node."""
    return int(row[solid + col.FIRST_NODE]) + col.NODE_COLUMNS * (2 * int(row[solid + col.PIECE_TOTAL]) - 1)


@kernel(inline=False)
def turn(source: Floats, solid: int, end: int, angle: float, target: Floats) -> None:
    """Write a solid posed at an angle into the same columns of another array."""
    turn_by(source, solid, end, math.cos(angle), math.sin(angle), target)


def _turn_example() -> tuple[Floats, int, int, float, float, Floats]:
    row, solid = _example()
    return row, solid, solid, 1.0, 0.0, row


@kernel(_turn_example)
def turn_by(source: Floats, solid: int, end: int, cos: float, sin: float, target: Floats) -> None:
    """Write a solid posed at the angle of a cosine and a sine into the same columns of another array."""
    for column in range(solid, end):
        target[column] = source[column]
    if cos == 1.0 and sin == 0.0:
        return
    pieces = int(source[solid + col.PIECE_TOTAL])
    first_node = int(source[solid + col.FIRST_NODE])
    for at in range(solid + col.PIECES + col.PIECE_COLUMNS * pieces, first_node, col.POINT_COLUMNS):
        for vector in (col.POINT, col.NORMAL):
            x, y = source[at + vector], source[at + vector + 1]
            target[at + vector] = cos * x - sin * y
            target[at + vector + 1] = sin * x + cos * y
    for node in range(first_node, end, col.NODE_COLUMNS):
        x, y = source[node + col.NODE_CENTRE], source[node + col.NODE_CENTRE + 1]
        target[node + col.NODE_CENTRE] = cos * x - sin * y
        target[node + col.NODE_CENTRE + 1] = sin * x + cos * y
    target[solid + col.IS_BOX] = 0.0
    find_bounds(target, solid)
