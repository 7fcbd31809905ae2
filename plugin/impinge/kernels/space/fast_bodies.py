"""Bodies of another engine that are fast for their size, and the pairs that may hit each other in a step."""

from __future__ import annotations

import math

import numpy as np

from impinge.kernels import columns as col
from impinge.kernels.arrays import BodyShapes, Floats, Ints
from impinge.kernels.compiler import kernel
from impinge.kernels.pair.depth import length_of


@kernel()
def write_swept_bounds(figures: Floats, row: int, extent: float, time: float, swept: Floats, fast: int) -> None:
    """Write the bounds of a body's motion, and its duration."""
    for axis in range(2):
        begin = figures[row, col.FIGURE_PLACE + axis]
        end = begin + figures[row, col.FIGURE_VELOCITY + axis] * time
        swept[fast, axis], swept[fast, 2 + axis] = min(begin, end) - extent, max(begin, end) + extent
    swept[fast, col.SWEPT_TIME] = time


def _fast_example() -> tuple[Floats, Floats, float, Ints, Floats, Ints, Floats]:
    numbers, swept = np.zeros(1, np.int64), np.zeros((1, col.SWEPT_COLUMNS))
    return np.zeros((1, col.FIGURE_COLUMNS)), np.zeros((1, col.SIZE_COLUMNS)), 0.0, numbers, np.zeros(1), numbers, swept


@kernel(_fast_example)
def find_fast(
    figures: Floats, sizes: Floats, time: float, late: Ints, times: Floats, rows: Ints, swept: Floats
) -> tuple[int, float]:
    """Write the rows of bodies that move farther than their limits, and their motions.

    Bodies in `late`, in ascending order, move for `times` instead of `time`.

    Returns
    -------
    (int, float)
        The number of these bodies, and an upper bound of the way of any point of the others. If a number of a body is
        not finite, -1 minus its row, and zero.
    """
    count, place, slow = 0, 0, 0.0
    for row in range(figures.shape[0]):
        for column in range(col.FIGURE_COLUMNS):
            if not abs(figures[row, column]) < math.inf:
                return -1 - row, 0.0
        own = time
        if place < late.shape[0] and late[place] == row:
            own = times[place]
            place += 1
        across, up = figures[row, col.FIGURE_VELOCITY], figures[row, col.FIGURE_VELOCITY + 1]
        speed = length_of(across, up) + abs(figures[row, col.FIGURE_SPIN]) * sizes[row, col.SIZE_REACH]
        if speed * own > sizes[row, col.SIZE_LIMIT]:
            rows[count] = row
            write_swept_bounds(figures, row, sizes[row, col.SIZE_EXTENT], own, swept, count)
            count += 1
        elif sizes[row, col.SIZE_LIMIT] < math.inf:
            slow = max(slow, speed * own)
    return count, slow


@kernel()
def goes_before(swept: Floats, axis: int, one: int, other: int) -> bool:
    """Return whether a motion begins before another one along an axis; of equal ones, the lower row goes first."""
    return swept[one, axis] < swept[other, axis] or (swept[one, axis] == swept[other, axis] and one < other)


@kernel(inline=False)
def longer_axis(swept: Floats, count: int) -> int:
    """Return the axis along which motions are farther apart, from row to row: along the other, more of them overlap."""
    spread_x = spread_y = 0.0
    for row in range(1, count):
        spread_x += abs(swept[row, 0] - swept[row - 1, 0])
        spread_y += abs(swept[row, 1] - swept[row - 1, 1])
    return 0 if spread_x >= spread_y else 1


@kernel(inline=False)
def sort_along(swept: Floats, axis: int, order: Ints) -> None:
    """Write the rows of motions, sorted by where they begin (Shell, "A high-speed sorting procedure", 1959)."""
    total = order.shape[0]
    for place in range(total):
        order[place] = place
    gap = total // 2
    while gap > 0:
        for place in range(gap, total):
            moved, at = order[place], place
            while at >= gap and goes_before(swept, axis, moved, order[at - gap]):
                order[at] = order[at - gap]
                at -= gap
            order[at] = moved
        gap //= 2


@kernel()
def update_shape_bounds(figures: Floats, shapes: BodyShapes, shape: int) -> None:
    """Write the bounds of a shape, if its body has another pose than at the last call."""
    outlines, bodies, bounds, poses = shapes
    body = bodies[shape]
    x, y, angle = figures[body, col.FIGURE_PLACE], figures[body, col.FIGURE_PLACE + 1], figures[body, col.FIGURE_ANGLE]
    if x == poses[shape, 0] and y == poses[shape, 1] and angle == poses[shape, 2]:
        return
    poses[shape, 0], poses[shape, 1], poses[shape, 2] = x, y, angle
    cos, sin, radius = math.cos(angle), math.sin(angle), outlines[shape, col.OUTLINE_RADIUS]
    across, up = outlines[shape, col.OUTLINE_CENTRE], outlines[shape, col.OUTLINE_CENTRE + 1]
    half_x, half_y = outlines[shape, col.OUTLINE_HALF], outlines[shape, col.OUTLINE_HALF + 1]
    x, y = x + cos * across - sin * up, y + sin * across + cos * up
    width, height = abs(cos) * half_x + abs(sin) * half_y + radius, abs(sin) * half_x + abs(cos) * half_y + radius
    bounds[shape, 0], bounds[shape, 1], bounds[shape, 2], bounds[shape, 3] = (
        x - width,
        y - height,
        x + width,
        y + height,
    )


@kernel()
def first_reaching(farthest: Floats, left: float) -> int:
    """Return the first place of an ascending array whose number is not below another one."""
    low, high = 0, farthest.shape[0]
    while low < high:
        middle = (low + high) // 2
        if farthest[middle] < left:
            low = middle + 1
        else:
            high = middle
    return low


@kernel()
def append_pair(pairs: Ints, count: int, one: int, other: int) -> int:
    """Append a pair if there is room; return the number of pairs, including those without room."""
    if count < pairs.shape[0]:
        pairs[count, 0], pairs[count, 1] = one, other
    return count + 1


@kernel(inline=False)
def find_mates(swept: Floats, axis: int, order: Ints, mates: Ints) -> int:
    """Write the pairs of fast bodies whose bounds overlap, by sweep and prune; return their number."""
    total, across = 0, 1 - axis
    for place in range(order.shape[0]):
        one = order[place]
        for other_place in range(place + 1, order.shape[0]):
            other = order[other_place]
            if swept[other, axis] > swept[one, 2 + axis]:
                break
            if swept[other, across] <= swept[one, 2 + across] and swept[other, 2 + across] >= swept[one, across]:
                total = append_pair(mates, total, one, other)
    return total


@kernel(inline=False)
def find_obstacles(
    box: tuple[float, float, float, float],
    shape: int,
    swept: Floats,
    axis: int,
    order: Ints,
    farthest: Floats,
    near: Ints,
    count: int,
) -> int:
    """Append the fast bodies near the bounds of a shape, along the axis and across it; return the number of pairs."""
    (begin, end, low, high), across = box, 1 - axis
    for place in range(first_reaching(farthest, begin), order.shape[0]):
        fast = order[place]
        if swept[fast, axis] > end:
            break
        if swept[fast, 2 + axis] >= begin and swept[fast, across] <= high and swept[fast, 2 + across] >= low:
            count = append_pair(near, count, fast, shape)
    return count


@kernel(inline=False)
def sort_by_fast_body(near: Ints, total: int, ordered: Ints, firsts: Ints) -> None:
    """Sort pairs that are in the order of their shapes by their fast bodies, the lower ones first.

    The last two arrays are memory: `firsts` for the fast bodies and one more, all 0.
    """
    for pair in range(total):
        firsts[near[pair, 0] + 1] += 1
    for fast in range(1, firsts.shape[0]):
        firsts[fast] += firsts[fast - 1]
    for pair in range(total):
        place = firsts[near[pair, 0]]
        firsts[near[pair, 0]] += 1
        ordered[place, 0], ordered[place, 1] = near[pair, 0], near[pair, 1]
    for pair in range(total):
        near[pair, 0], near[pair, 1] = ordered[pair, 0], ordered[pair, 1]


def _near_example() -> tuple[Floats, BodyShapes, Ints, Floats, int, float, Ints, Ints]:
    figures, _, _, rows, _, _, swept = _fast_example()
    shapes = BodyShapes(np.zeros((1, col.OUTLINE_COLUMNS)), rows, np.zeros((1, 4)), np.zeros((1, 3)))
    pairs = np.zeros((1, 2), np.int64)
    return figures, shapes, rows, swept, 0, 0.0, pairs, pairs


@kernel(_near_example)
def find_near(
    figures: Floats, shapes: BodyShapes, rows: Ints, swept: Floats, count: int, slow: float, near: Ints, mates: Ints
) -> tuple[int, int]:
    """Write the pairs that may hit each other: fast bodies with shapes of other bodies, and with each other.

    Parameters
    ----------
    figures, shapes
        All bodies, and their shapes.
    rows, swept, count, slow
        The results of `find_fast`.
    near : (k, 2)
        Pairs of a row of `swept` and a shape, sorted.
    mates : (k, 2)
        Pairs of rows of `swept`.

    Returns
    -------
    (int, int)
        The numbers of both pairs. If one exceeds the length of its array, the rest is left out.
    """
    order, farthest, is_fast = np.empty(count, np.int64), np.empty(count), np.zeros(figures.shape[0], np.bool_)
    axis = longer_axis(swept, count)
    sort_along(swept, axis, order)
    across, last, bottom, top = 1 - axis, -math.inf, math.inf, -math.inf
    for place in range(count):
        fast = order[place]
        is_fast[rows[fast]] = True
        last = max(last, swept[fast, 2 + axis])
        bottom, top = min(bottom, swept[fast, across]), max(top, swept[fast, 2 + across])
        farthest[place] = last
    total, bounds = 0, shapes.bounds
    for shape in range(shapes.bodies.shape[0]):
        if is_fast[shapes.bodies[shape]]:
            continue
        update_shape_bounds(figures, shapes, shape)
        begin, end = bounds[shape, axis] - slow, bounds[shape, 2 + axis] + slow
        low, high = bounds[shape, across] - slow, bounds[shape, 2 + across] + slow
        if low <= top and high >= bottom and begin <= last:
            total = find_obstacles((begin, end, low, high), shape, swept, axis, order, farthest, near, total)
    if total <= near.shape[0]:
        # The order along an axis is no order for a game.
        sort_by_fast_body(near, total, np.empty((total, 2), np.int64), np.zeros(count + 1, np.int64))
    return total, find_mates(swept, axis, order, mates)
