"""Solids as rows of floats (see `layout`): how they are written, and how they are turned to an angle."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from impinge.kernels.compiler import kernel
from impinge.kernels.layout import (
    BOTTOM_POINT,
    EXTENT,
    FARTHEST,
    FIRST_NODE,
    FIRST_POINT,
    IS_BOX,
    LOWER,
    NODE_CENTRE,
    NODE_COLUMNS,
    NODE_LEFT,
    NODE_RADIUS,
    NODE_RIGHT,
    NORMAL,
    PIECE_COLUMNS,
    PIECE_LOWER,
    PIECE_TOTAL,
    PIECE_UPPER,
    PIECES,
    POINT,
    POINT_COLUMNS,
    POINT_TOTAL,
    RADIUS,
    SKIN,
    TOP_POINT,
    UPPER,
    Floats,
    Ints,
)
from impinge.kernels.tolerances import HAIR, ROUNDING

# A piece as the rim has it: points, and a radius.
Pieces = Sequence[tuple[Sequence[tuple[float, float]], float]]


def row_of(pieces: Pieces, *, is_box: bool = False, extent: float | None = None) -> Floats:
    """Write a solid, in its own frame.

    Parameters
    ----------
    pieces
        Points, counter-clockwise, and radius of each.
    is_box
        Whether it is a rectangle along the axes of its frame.
    extent
        What scales the slop, where it is not to be that of the points.
    """
    first = PIECES + PIECE_COLUMNS * len(pieces)
    first_node = first + POINT_COLUMNS * sum(len(points) for points, _ in pieces)
    row = np.zeros(first_node + NODE_COLUMNS * (2 * len(pieces) - 1))
    row[PIECE_TOTAL], row[FIRST_NODE] = len(pieces), first_node
    row[IS_BOX] = is_box
    for index, (points, radius) in enumerate(pieces):
        piece = PIECES + PIECE_COLUMNS * index
        row[piece + RADIUS], row[piece + POINT_TOTAL], row[piece + FIRST_POINT] = radius, len(points), first
        _write_points(row, first, points)
        row[FARTHEST] = max(row[FARTHEST], radius + max(math.hypot(x, y) for x, y in points))
        first += POINT_COLUMNS * len(points)
    _write_nodes(row, pieces)
    find_bounds(row, 0)
    if extent is None:
        sides = row[UPPER] - row[LOWER], row[UPPER + 1] - row[LOWER + 1]
        extent = min(sides) or max(sides)
    row[EXTENT] = extent
    return row


def with_skins(row: Floats) -> Floats:
    """Return the row of a solid as a world has it: what of it has no inside has a skin, and is bounded with that."""
    bare = [
        piece
        for piece in range(PIECES, PIECES + PIECE_COLUMNS * int(row[PIECE_TOTAL]), PIECE_COLUMNS)
        if row[piece + RADIUS] == 0.0 and row[piece + POINT_TOTAL] <= 2.0
    ]
    if not bare:
        return row
    row, skin = row.copy(), HAIR * float(max(row[UPPER] - row[LOWER], row[UPPER + 1] - row[LOWER + 1]))
    row[[piece + SKIN for piece in bare]] = skin
    row[int(row[FIRST_NODE]) + NODE_RADIUS :: NODE_COLUMNS] += skin
    find_bounds(row, 0)
    return row


def packed(rows: Sequence[Floats]) -> tuple[Floats, Ints]:
    """Put rows one after the other; returns them, and the column at which each begins, with one past the last."""
    firsts = np.concatenate([[0], np.cumsum([len(row) for row in rows], dtype=np.int64)]).astype(np.int64)
    together = np.concatenate([*rows, np.empty(0)])
    for first, row in zip(firsts.tolist(), rows, strict=False):
        pieces = together[first + PIECES : first + PIECES + PIECE_COLUMNS * int(row[PIECE_TOTAL])]
        pieces.reshape(-1, PIECE_COLUMNS)[:, [FIRST_POINT, BOTTOM_POINT, TOP_POINT]] += first
        children = together[first + int(row[FIRST_NODE]) : first + len(row)].reshape(-1, NODE_COLUMNS)[:, NODE_LEFT:]
        children[children >= 0.0] += first
        together[first + FIRST_NODE] += first
    return together, firsts


def _write_points(row: Floats, first: int, points: Sequence[tuple[float, float]]) -> None:
    for index, (x, y) in enumerate(points):
        next_x, next_y = points[(index + 1) % len(points)]
        length = math.hypot(next_x - x, next_y - y)
        normal = ((next_y - y) / length, (x - next_x) / length) if length else (0.0, 0.0)
        at = first + POINT_COLUMNS * index
        row[at : at + POINT_COLUMNS] = x, y, *normal, length


def _write_nodes(row: Floats, pieces: Pieces) -> None:
    """Write the tree: pieces are halved by their middles, along the axis on which these are spread more widely."""
    # In plain Python: most solids are one piece, for which NumPy takes longer than all the rest does.
    middles = []
    for points, _ in pieces:
        xs, ys = zip(*points, strict=True)
        middles.append((0.5 * (min(xs) + max(xs)), 0.5 * (min(ys) + max(ys))))
    free = int(row[FIRST_NODE])
    waiting = [(list(range(len(pieces))), -1)]
    while waiting:
        members, parent = waiting.pop()
        node, free = free, free + NODE_COLUMNS
        if parent >= 0:
            row[parent] = node
        discs = [(x, y, pieces[member][1]) for member in members for x, y in pieces[member][0]]
        x = 0.5 * (min(x - r for x, _, r in discs) + max(x + r for x, _, r in discs))
        y = 0.5 * (min(y - r for _, y, r in discs) + max(y + r for _, y, r in discs))
        reach = max(math.hypot(px - x, py - y) + r for px, py, r in discs)
        row[node : node + NODE_COLUMNS] = x, y, reach * (1.0 + ROUNDING), -1.0, PIECES + PIECE_COLUMNS * members[0]
        if len(members) > 1:
            widths = [max(at) - min(at) for at in zip(*(middles[member] for member in members), strict=True)]
            axis = int(widths[1] > widths[0])
            members.sort(key=lambda member: middles[member][axis])
            half = len(members) // 2
            waiting += [(members[half:], node + NODE_RIGHT), (members[:half], node + NODE_LEFT)]


def _example() -> tuple[Floats, int]:
    return np.zeros(PIECES + PIECE_COLUMNS), 0


@kernel(_example)
def find_bounds(row: Floats, solid: int) -> None:
    """Find the bounds and the outermost points of a solid's pieces, and its own bounds."""
    row[solid + LOWER] = row[solid + LOWER + 1] = np.inf
    row[solid + UPPER] = row[solid + UPPER + 1] = -np.inf
    for index in range(int(row[solid + PIECE_TOTAL])):
        piece = solid + PIECES + PIECE_COLUMNS * index
        first = int(row[piece + FIRST_POINT])
        bottom = top = first
        left = right = row[first + POINT]
        for number in range(1, int(row[piece + POINT_TOTAL])):
            at = first + POINT_COLUMNS * number
            x, y = row[at + POINT], row[at + POINT + 1]
            left, right = min(left, x), max(right, x)
            low, high = row[bottom + POINT + 1], row[top + POINT + 1]
            if y < low or (y == low and x < row[bottom + POINT]):
                bottom = at
            if y > high or (y == high and x > row[top + POINT]):
                top = at
        row[piece + BOTTOM_POINT], row[piece + TOP_POINT] = bottom, top
        radius = row[piece + RADIUS] + row[piece + SKIN]
        row[piece + PIECE_LOWER], row[piece + PIECE_UPPER] = left - radius, right + radius
        row[piece + PIECE_LOWER + 1] = row[bottom + POINT + 1] - radius
        row[piece + PIECE_UPPER + 1] = row[top + POINT + 1] + radius
        for axis in range(2):
            row[solid + LOWER + axis] = min(row[solid + LOWER + axis], row[piece + PIECE_LOWER + axis])
            row[solid + UPPER + axis] = max(row[solid + UPPER + axis], row[piece + PIECE_UPPER + axis])


@kernel(inline=False)
def turn(source: Floats, solid: int, end: int, angle: float, target: Floats) -> None:
    """Write a solid as it stands at an angle into the same columns of another array."""
    turn_by(source, solid, end, math.cos(angle), math.sin(angle), target)


def _turn_example() -> tuple[Floats, int, int, float, float, Floats]:
    row, solid = _example()
    return row, solid, solid, 1.0, 0.0, row


@kernel(_turn_example)
def turn_by(source: Floats, solid: int, end: int, cos: float, sin: float, target: Floats) -> None:
    """Do the same by the cosine and the sine of the angle."""
    for column in range(solid, end):
        target[column] = source[column]
    if cos == 1.0 and sin == 0.0:
        return
    pieces = int(source[solid + PIECE_TOTAL])
    first_node = int(source[solid + FIRST_NODE])
    for at in range(solid + PIECES + PIECE_COLUMNS * pieces, first_node, POINT_COLUMNS):
        for vector in (POINT, NORMAL):
            x, y = source[at + vector], source[at + vector + 1]
            target[at + vector] = cos * x - sin * y
            target[at + vector + 1] = sin * x + cos * y
    for node in range(first_node, end, NODE_COLUMNS):
        x, y = source[node + NODE_CENTRE], source[node + NODE_CENTRE + 1]
        target[node + NODE_CENTRE] = cos * x - sin * y
        target[node + NODE_CENTRE + 1] = sin * x + cos * y
    target[solid + IS_BOX] = 0.0
    find_bounds(target, solid)
