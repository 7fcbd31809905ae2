"""The broadphase: one packed tree of bounds, over the bodies that can push and the sensors.

Bodies are sorted along a Hilbert curve and grouped by eight, level by level, in one flat array (a packed R-tree: Kamel
and Faloutsos, "On packing R-trees", 1993). The tree has no cell size, so worlds of any scale and of mixed sizes work
equally well. A moving body only widens or shrinks the bounds above it.
"""

from __future__ import annotations

import numpy as np

from impinge.kernels import columns as col
from impinge.kernels.arrays import Floats, Ints
from impinge.kernels.compiler import kernel

# Children of a node. Of 4, 8 and 16, the value 8 was fastest for 1,000 small boxes among 10,000.
FANOUT = 8
# Bits of a Hilbert coordinate: 65,536 columns over the bounds of the world, far finer than necessary.
HILBERT_BITS = 16
MAX_LEVELS = 24


@kernel()
def hilbert_index(column: int, row: int) -> int:
    """Return the distance of a cell along the Hilbert curve (Warren, Hacker's Delight, 2nd ed., ch. 16)."""
    index = 0
    side = 1 << (HILBERT_BITS - 1)
    while side > 0:
        right = 1 if column & side else 0
        up = 1 if row & side else 0
        index += side * side * ((3 * right) ^ up)
        if not up:
            if right:
                column = (1 << HILBERT_BITS) - 1 - column
                row = (1 << HILBERT_BITS) - 1 - row
            column, row = row, column
        side >>= 1
    return index


def _hilbert_example() -> tuple[Floats, Ints, Ints]:
    return np.zeros((1, col.FLOAT_COLUMNS)), np.zeros(1, np.int64), np.zeros(1, np.int64)


@kernel(_hilbert_example)
def hilbert_keys(floats: Floats, bodies: Ints, keys: Ints) -> None:
    """Write each body's distance along the Hilbert curve over the bounds of all their centres."""
    if bodies.shape[0] == 0:
        return
    low_x = low_y = np.inf
    high_x = high_y = -np.inf
    for body in bodies:
        low_x, high_x = min(low_x, floats[body, col.START]), max(high_x, floats[body, col.START])
        low_y, high_y = min(low_y, floats[body, col.START + 1]), max(high_y, floats[body, col.START + 1])
    last = (1 << HILBERT_BITS) - 1
    scale_x = last / (high_x - low_x) if high_x > low_x else 0.0
    scale_y = last / (high_y - low_y) if high_y > low_y else 0.0
    for i in range(bodies.shape[0]):
        column = int((floats[bodies[i], col.START] - low_x) * scale_x)
        row = int((floats[bodies[i], col.START + 1] - low_y) * scale_y)
        keys[i] = hilbert_index(min(column, last), min(row, last))


@kernel()
def swept_range(floats: Floats, ints: Ints, knots: Floats, body: int, axis: int) -> tuple[float, float]:
    """Return the interval that a body sweeps on an axis in this frame."""
    low = min(floats[body, col.START + axis], floats[body, col.REACHED + axis])
    high = max(floats[body, col.START + axis], floats[body, col.REACHED + axis])
    first = ints[body, col.FIRST_KNOT]
    for knot in range(first, first + ints[body, col.KNOT_COUNT]):
        low = min(low, knots[knot, col.KNOT_PLACE + axis])
        high = max(high, knots[knot, col.KNOT_PLACE + axis])
    return low + floats[body, col.LOWER_REACH + axis], high + floats[body, col.UPPER_REACH + axis]


@kernel()
def set_leaf(nodes: Floats, leaf: int, floats: Floats, ints: Ints, knots: Floats, body: int) -> bool:
    """Fit the bounds of a leaf to its body's path; return whether they changed."""
    changed = False
    for axis in range(2):
        low, high = swept_range(floats, ints, knots, body, axis)
        changed = changed or nodes[leaf, axis] != low or nodes[leaf, 2 + axis] != high
        nodes[leaf, axis] = low
        nodes[leaf, 2 + axis] = high
    return changed


@kernel()
def cover_children(nodes: Floats, levels: Ints, level: int, node: int) -> bool:
    """Fit the bounds of a node of an upper level to its children; return whether they changed."""
    first = levels[level - 1] + (node - levels[level]) * FANOUT
    last = min(first + FANOUT, levels[level])
    changed = False
    for side in range(4):
        bound = nodes[first, side]
        for child in range(first + 1, last):
            bound = min(bound, nodes[child, side]) if side < 2 else max(bound, nodes[child, side])
        if nodes[node, side] != bound:
            nodes[node, side] = bound
            changed = True
    return changed


def _refit_example() -> tuple[Floats, Ints, Ints, Floats, Ints, Floats, Ints]:
    return (
        np.zeros((1, 4)),
        np.zeros(2, np.int64),
        np.zeros(1, np.int64),
        np.zeros((1, col.FLOAT_COLUMNS)),
        np.zeros((1, col.INT_COLUMNS), np.int64),
        np.zeros((1, col.KNOT_COLUMNS)),
        np.zeros(1, np.int64),
    )


@kernel()
def refit(nodes: Floats, levels: Ints, leaf_of: Ints, floats: Floats, ints: Ints, knots: Floats, body: int) -> None:
    """Update the tree to the path of a body, if the body is in it."""
    node = leaf_of[body]
    if node < 0:
        return
    if not set_leaf(nodes, node, floats, ints, knots, body):
        # A body that only turns in place has the same bounds in each frame.
        return
    for level in range(1, levels.shape[0] - 1):
        node = levels[level] + (node - levels[level - 1]) // FANOUT
        if not cover_children(nodes, levels, level, node):
            return


@kernel()
def set_straight_paths(
    nodes: Floats, levels: Ints, leaf_of: Ints, floats: Floats, ints: Ints, knots: Floats, bodies: Ints
) -> None:
    """Give bodies straight paths to their goals, and update the tree to these paths."""
    for body in bodies:
        for axis in range(2):
            floats[body, col.REACHED + axis] = floats[body, col.GOAL + axis]
        floats[body, col.REACHED_ANGLE] = floats[body, col.GOAL_ANGLE]
        ints[body, col.KNOT_COUNT] = 0
        refit(nodes, levels, leaf_of, floats, ints, knots, body)


@kernel(_refit_example)
def fill_tree(
    nodes: Floats, levels: Ints, leaf_of: Ints, floats: Floats, ints: Ints, knots: Floats, bodies: Ints
) -> None:
    """Fill a tree of given levels; `bodies` are in the order of its leaves."""
    leaf_of[:] = -1
    for leaf in range(bodies.shape[0]):
        set_leaf(nodes, leaf, floats, ints, knots, bodies[leaf])
        leaf_of[bodies[leaf]] = leaf
    for level in range(1, levels.shape[0] - 1):
        for node in range(levels[level], levels[level + 1]):
            cover_children(nodes, levels, level, node)


def level_starts(leaves: int) -> Ints:
    """Return the first node of each level, leaves first, and one past the last node.

    >>> level_starts(20)
    array([ 0, 20, 23, 24])
    """
    starts, width = [0], leaves
    while True:
        starts.append(starts[-1] + width)
        if width <= 1:
            return np.array(starts, np.int64)
        width = -(-width // FANOUT)
