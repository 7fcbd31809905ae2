"""One frame: every weak body against the mightier ones around it, rank by rank, in one call.

`resolve` takes one weak body through its frame; `step` takes all, and `push_pairs` takes pairs that nothing else
is near to.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from impinge.kernels.compiler import kernel
from impinge.kernels.contacts import forget_instant, refresh_contacts, report_contacts
from impinge.kernels.events import ENTERS, FRAME_ENDS, SLIDES_OFF, apply_event, next_event, release_ends
from impinge.kernels.layout import (
    ANCHORED,
    BEFORE,
    CARRYING,
    COUNT_COLUMNS,
    CUT_SHORT,
    END,
    EVENT_COLUMNS,
    EVENT_TOTAL,
    EVENTS_KEPT,
    FLOAT_COLUMNS,
    GOAL,
    HALF,
    INT_COLUMNS,
    KNOT_COLUMNS,
    KNOT_TOTAL,
    KNOTS_KEPT,
    LAYER,
    MASK,
    MIGHT,
    NEAR_TOTAL,
    OVERLAPPED,
    PASSABLE,
    SIDES,
    SIZE,
    START,
    STICKY,
    TIME,
    TURN_TOTAL,
    Floats,
    Ints,
)
from impinge.kernels.legs import (
    HOLD_COLUMNS,
    PLACE,
    SPEED,
    WAY_COLUMNS,
    add_knot,
    begin_legs,
    cut_short,
    end_path,
    finish,
    set_course,
    set_out,
    weak_place,
)
from impinge.kernels.neighbours import (
    BODY,
    NEAR_COLUMNS,
    STRETCH,
    T1,
    TAG_COLUMNS,
    load_stretch,
    set_neighbour,
)
from impinge.kernels.speeds import choose_speeds
from impinge.kernels.start import enter_passable, hold_sticky, leave_overlaps, overlap_total
from impinge.kernels.tolerances import ROUNDING, SLOP
from impinge.kernels.tree import FANOUT, HIGH_X, HIGH_Y, LOW_X, LOW_Y, MAX_LEVELS, refit, swept_range

# Each neighbour is met on two faces at the most before it or W turns; a loop that runs on has met a rounding trap.
TURN_LIMIT = 64
TURNS_PER_NEIGHBOUR = 16
# The query is a little wider than the slop, so that what W touches at its start is found whatever the rounding.
QUERY_MARGIN = 4.0


@kernel()
def admit(
    weak: int,
    mighty: int,
    count: int,
    time: float,
    near: Floats,
    tags: Ints,
    marks: Ints,
    floats: Floats,
    ints: Ints,
    knots: Floats,
) -> int:
    """Add a body to the neighbours if it can push W and is not among them yet; returns their new number."""
    if marks[mighty] == weak or ints[mighty, MIGHT] <= ints[weak, MIGHT] or not ints[mighty, LAYER] & ints[weak, MASK]:
        return count
    marks[mighty] = weak
    set_neighbour(near, tags, count, weak, mighty, floats, ints, knots)
    while near[count, T1] <= time and near[count, T1] < 1.0:
        tags[count, STRETCH] += 1
        load_stretch(near, tags, count, floats, ints, knots)
    return count + 1


@kernel()
def meets_node(bounds: Floats, nodes: Floats, node: int) -> bool:
    """Whether a node of the tree overlaps or touches the query; in one go, as which side fails cannot be foreseen."""
    return (
        (nodes[node, LOW_X] <= bounds[HIGH_X])
        & (nodes[node, LOW_Y] <= bounds[HIGH_Y])
        & (nodes[node, HIGH_X] >= bounds[LOW_X])
        & (nodes[node, HIGH_Y] >= bounds[LOW_Y])
    )


@kernel()
def meets_body(bounds: Floats, floats: Floats, ints: Ints, knots: Floats, body: int) -> bool:
    """Whether a body's path overlaps or touches the query."""
    for axis in range(2):
        low, high = swept_range(floats, ints, knots, body, axis)
        if low > bounds[2 + axis] or high < bounds[axis]:
            return False
    return True


@kernel()
def gather(
    weak: int,
    count: int,
    time: float,
    bounds: Floats,
    near: Floats,
    tags: Ints,
    marks: Ints,
    floats: Floats,
    ints: Ints,
    knots: Floats,
    nodes: Floats,
    levels: Ints,
    leaves: Ints,
    tail: Ints,
    stack: Ints,
) -> int:
    """Add all bodies whose swept bounds meet the query's to the neighbours; returns their new number."""
    for mighty in tail:
        if meets_body(bounds, floats, ints, knots, mighty):
            count = admit(weak, mighty, count, time, near, tags, marks, floats, ints, knots)
    if nodes.shape[0] == 0 or not meets_node(bounds, nodes, nodes.shape[0] - 1):
        return count
    # Only nodes that meet the query are put on the stack: level and node.
    depth = 1
    stack[0] = levels.shape[0] - 2
    stack[1] = nodes.shape[0] - 1
    while depth > 0:
        depth -= 1
        level, node = stack[2 * depth], stack[2 * depth + 1]
        if level == 0:
            count = admit(weak, leaves[node], count, time, near, tags, marks, floats, ints, knots)
            continue
        first = levels[level - 1] + (node - levels[level]) * FANOUT
        for child in range(first, min(first + FANOUT, levels[level])):
            if meets_node(bounds, nodes, child):
                stack[2 * depth] = level - 1
                stack[2 * depth + 1] = child
                depth += 1
    return count


@kernel()
def widen(weak: int, bounds: Floats, way: Floats, floats: Floats, rest: float) -> bool:
    """Widen the query to cover W on its present course for the rest of the frame; returns whether it had to."""
    wider = False
    for axis in range(2):
        half = floats[weak, HALF + axis] + QUERY_MARGIN * SLOP * floats[weak, SIZE]
        ahead = way[PLACE + axis] + way[SPEED + axis] * rest
        half += QUERY_MARGIN * ROUNDING * (abs(way[PLACE + axis]) + abs(ahead))
        low, high = min(way[PLACE + axis], ahead), max(way[PLACE + axis], ahead)
        # Only a course that leaves the query by more than the margin calls for another one.
        if low - floats[weak, HALF + axis] < bounds[axis] or high + floats[weak, HALF + axis] > bounds[2 + axis]:
            bounds[axis] = min(bounds[axis], low - half)
            bounds[2 + axis] = max(bounds[2 + axis], high + half)
            wider = True
    return wider


@kernel()
def resolve(
    weak: int,
    keeps_path: bool,
    floats: Floats,
    ints: Ints,
    knots: Floats,
    nodes: Floats,
    levels: Ints,
    leaves: Ints,
    tail: Ints,
    near: Floats,
    tags: Ints,
    way: Floats,
    hold: Ints,
    bounds: Floats,
    stack: Ints,
    marks: Ints,
    events: Floats,
    counts: Ints,
) -> int:
    """Take one weak body through its frame; returns the number of its neighbours. `finish` writes where it ends."""
    set_out(weak, way, hold, floats, ints)
    set_course(weak, way, floats)
    bounds[LOW_X] = bounds[LOW_Y] = np.inf
    bounds[HIGH_X] = bounds[HIGH_Y] = -np.inf
    widen(weak, bounds, way, floats, 1.0)
    count = gather(
        weak,
        int(np.int64(0)),  # for a literal Numba would compile `gather` once more
        0.0,
        bounds,
        near,
        tags,
        marks,
        floats,
        ints,
        knots,
        nodes,
        levels,
        leaves,
        tail,
        stack,
    )
    if count:
        moved = overlap_total(count, way, near, tags, ints)
        if moved > 0.0:
            for axis in range(2):
                bounds[axis] -= moved
                bounds[2 + axis] += moved
            count = gather(
                weak,
                count,
                0.0,
                bounds,
                near,
                tags,
                marks,
                floats,
                ints,
                knots,
                nodes,
                levels,
                leaves,
                tail,
                stack,
            )
            leave_overlaps(weak, count, way, near, tags, floats, ints, events, counts)
            set_course(weak, way, floats)
        enter_passable(count, way, near, tags, ints)
        hold_sticky(count, way, near, tags, ints)
        if keeps_path:
            add_knot(weak, way, 0.0, ints, knots, counts)
    time, turns = 0.0, 0
    while count:
        turns += 1
        refresh_contacts(count, way, near, tags, ints, time)
        squeezed = choose_speeds(count, way, hold, near, tags, ints)
        report_contacts(weak, squeezed, count, way, hold, time, near, tags, floats, ints, events, counts)
        if begin_legs(weak, way, hold, time, near, tags, floats, ints) and keeps_path:
            add_knot(weak, way, time, ints, knots, counts)
        if turns > TURN_LIMIT + TURNS_PER_NEIGHBOUR * count:
            cut_short(time, way, hold, near)
            counts[CUT_SHORT] += 1
            break
        if widen(weak, bounds, way, floats, 1.0 - time):
            found = gather(
                weak,
                count,
                time,
                bounds,
                near,
                tags,
                marks,
                floats,
                ints,
                knots,
                nodes,
                levels,
                leaves,
                tail,
                stack,
            )
            if found > count:
                count = found
                continue
        at, neighbour, kind, face = next_event(time, count, way, near, tags, ints)
        if kind == FRAME_ENDS:
            break
        if at > time:
            time = at
            forget_instant(count, tags)
            for axis in range(2):
                way[PLACE + axis] = weak_place(way, hold, near, axis, time)
            # Off one face, W goes another way: whether it then meets what it was about to meet has to be asked again.
            if release_ends(count, time, way, near, tags, floats, ints, knots) and kind in (ENTERS, SLIDES_OFF):
                continue
        apply_event(neighbour, kind, face, time, way, near, tags, floats, ints, knots)
    for neighbour in range(count):
        marks[tags[neighbour, BODY]] = -1
    counts[TURN_TOTAL] += turns
    counts[NEAR_TOTAL] += count
    return count


def _step_example() -> tuple[
    int, Ints, int, Floats, Ints, Floats, Floats, Ints, Ints, Ints, Ints, Floats, Ints, Ints, Floats, Ints
]:
    longs = np.zeros(1, np.int64)
    floats, ints = np.zeros((1, FLOAT_COLUMNS)), np.zeros((1, INT_COLUMNS), np.int64)
    # `order` to `ints`, then the knots and the tree, then the rows of the neighbours, the events and the counts.
    return 0, longs, 0, floats, ints, floats, floats, longs, longs, longs, longs, floats, ints, longs, floats, longs


@kernel(_step_example)
def step(
    first: int,
    order: Ints,
    lowest: int,
    floats: Floats,
    ints: Ints,
    knots: Floats,
    nodes: Floats,
    levels: Ints,
    leaves: Ints,
    leaf_of: Ints,
    tail: Ints,
    near: Floats,
    tags: Ints,
    marks: Ints,
    events: Floats,
    counts: Ints,
) -> int:
    """Resolve the weak bodies from place `first` of `order` on, which is sorted from the mightiest rank down.

    Returns the place it came to: less than the number of bodies where `events` or `knots` ran out of rows. The
    caller goes on from there with more rows, and with the totals that were kept from before that body. `near`, `tags`
    and `marks` have a row for each body, and mean nothing between two calls, but that all marks are -1.
    """
    way, hold = np.empty(WAY_COLUMNS), np.empty(HOLD_COLUMNS, np.int64)
    bounds, stack = np.empty(4), np.empty(2 * FANOUT * MAX_LEVELS, np.int64)
    for place in range(first, order.shape[0]):
        weak = order[place]
        counts[EVENTS_KEPT], counts[KNOTS_KEPT] = counts[EVENT_TOTAL], counts[KNOT_TOTAL]
        keeps_path = ints[weak, MIGHT] > lowest
        count = resolve(
            weak, keeps_path, floats, ints, knots, nodes, levels, leaves, tail,
            near, tags, way, hold, bounds, stack, marks, events, counts,
        )  # fmt: skip
        # One knot is kept free for the end of the path.
        if counts[EVENT_TOTAL] > events.shape[0] or counts[KNOT_TOTAL] >= knots.shape[0]:
            return place
        finish(weak, way, hold, near, tags, floats, ints)
        if keeps_path:
            if count:
                end_path(weak, way, hold, floats, ints, knots, counts)
            refit(nodes, levels, leaf_of, floats, ints, knots, weak)
    return order.shape[0]


def _commit_example() -> tuple[Ints, Floats]:
    return np.zeros(1, np.int64), np.zeros((1, FLOAT_COLUMNS))


@kernel(_commit_example)
def commit(bodies: Ints, floats: Floats) -> None:
    """Let bodies stand where they ended, wishing to stay there."""
    for body in bodies:
        for axis in range(2):
            floats[body, BEFORE + axis] = floats[body, START + axis]
            floats[body, START + axis] = floats[body, END + axis]
            floats[body, GOAL + axis] = floats[body, END + axis]


def _pairs_example() -> tuple[Floats, Floats, Ints, Floats, Floats, NDArray[np.uint8], NDArray[np.bool_]]:
    return (
        np.full((1, 4), 1.0),
        np.zeros((1, 8)),
        np.zeros((1, 3), np.int64),
        np.zeros((1, 2)),
        np.zeros(1),
        np.zeros(1, np.uint8),
        np.zeros(1, np.bool_),
    )


@kernel(_pairs_example)
def push_pairs(
    sizes: Floats,
    moves: Floats,
    rules: Ints,
    ends: Floats,
    times: Floats,
    sides: NDArray[np.uint8],
    overlapped: NDArray[np.bool_],
) -> None:
    """Resolve pairs that nothing else is near to; the last four arrays are the answer.

    Rows of `sizes`: width and height of the mighty box, then of the weak one. Of `moves`: start and end of the mighty
    centre, start and goal of the weak one. Of `rules`: carrying, sticky and passable sides.
    """
    floats, ints = np.zeros((2, FLOAT_COLUMNS)), np.zeros((2, INT_COLUMNS), np.int64)
    near, tags = np.empty((1, NEAR_COLUMNS)), np.empty((1, TAG_COLUMNS), np.int64)
    way, hold = np.empty(WAY_COLUMNS), np.empty(HOLD_COLUMNS, np.int64)
    bounds, stack = np.empty(4), np.empty(2, np.int64)
    marks = np.full(2, -1, np.int64)
    nodes, levels, leaves = np.empty((0, 4)), np.zeros(2, np.int64), np.empty(0, np.int64)
    knots, events = np.empty((0, KNOT_COLUMNS)), np.empty((0, EVENT_COLUMNS))
    counts, tail = np.zeros(COUNT_COLUMNS, np.int64), np.zeros(1, np.int64)
    mighty, weak = int(np.int64(0)), int(np.int64(1))  # for literals Numba would compile everything once more
    ints[mighty, MIGHT] = ints[mighty, LAYER] = ints[weak, MASK] = 1
    for pair in range(sizes.shape[0]):
        for body in range(2):
            for axis in range(2):
                floats[body, HALF + axis] = 0.5 * sizes[pair, 2 * body + axis]
                floats[body, START + axis] = moves[pair, 4 * body + axis]
                floats[body, GOAL + axis] = floats[body, END + axis] = moves[pair, 4 * body + 2 + axis]
            floats[body, SIZE] = min(sizes[pair, 2 * body], sizes[pair, 2 * body + 1])
        ints[mighty, CARRYING] = rules[pair, 0]
        ints[mighty, STICKY] = rules[pair, 1]
        ints[mighty, PASSABLE] = rules[pair, 2]
        ints[weak, ANCHORED] = ints[weak, ANCHORED + 1] = -1
        resolve(
            weak, weak == mighty, floats, ints, knots, nodes, levels, leaves, tail,
            near, tags, way, hold, bounds, stack, marks, events, counts,
        )  # fmt: skip
        finish(weak, way, hold, near, tags, floats, ints)
        ends[pair, 0] = floats[weak, END]
        ends[pair, 1] = floats[weak, END + 1]
        times[pair] = floats[weak, TIME]
        sides[pair] = ints[weak, SIDES]
        overlapped[pair] = ints[weak, OVERLAPPED] != 0
