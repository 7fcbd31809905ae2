"""One frame: every weak body against the mightier ones around it, rank by rank, in one call.

`resolve` takes one weak body through its frame; `step` takes all, and `push_pairs` takes pairs that nothing else
is near to.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from impinge.kernels import columns as col
from impinge.kernels.arrays import Bools, Floats, Ints
from impinge.kernels.compiler import kernel
from impinge.kernels.pair.cast import STACK_ROWS
from impinge.kernels.space.posed_solids import stand_body
from impinge.kernels.space.tree import FANOUT, MAX_LEVELS, refit
from impinge.kernels.step.box_contacts import forget_instant, refresh_contacts, report_contacts
from impinge.kernels.step.box_events import ENTERS, FRAME_ENDS, SLIDES_OFF, apply_event, next_event, release_ends
from impinge.kernels.step.box_path import add_knot, begin_legs, end_path, finish, set_course, set_out, weak_place
from impinge.kernels.step.box_speeds import choose_speeds
from impinge.kernels.step.box_start import enter_passable, hold_sticky, leave_overlaps, overlap_total
from impinge.kernels.step.broadphase import gather, widen
from impinge.kernels.step.hook_answers import given_normal, gives_solids
from impinge.kernels.step.resolve_solid import resolve_solid
from impinge.kernels.step.rows import has_run_out

# Each neighbour is met on two faces at the most before it or W turns; a loop that runs on has met a rounding trap.
BOX_TURN_LIMIT = 64
BOX_TURNS_PER_NEIGHBOUR = 16
# Returned in place of a number of neighbours where not all are plain boxes.
NOT_PLAIN = -1


@kernel()
def forget(count: int, near: Floats, tags: Ints, marks: Ints, counts: Ints) -> None:
    """Take the marks off all that is near W."""
    for neighbour in range(count):
        marks[tags[neighbour, col.TAG_BODY]] = -1
    for sensor in range(near.shape[0] - counts[col.SENSOR_TOTAL], near.shape[0]):
        marks[tags[sensor, col.TAG_BODY]] = -1


@kernel()
def all_plain(first: int, count: int, tags: Ints, ints: Ints, verdicts: Floats, counts: Ints) -> bool:
    """Whether the neighbours from the first on are plain boxes, and no sensor is near."""
    plain = counts[col.SENSOR_TOTAL] == 0 and counts[col.ASKED] == 0
    for neighbour in range(first, count):
        plain = (
            plain
            and ints[tags[neighbour, col.TAG_BODY], col.IS_PLAIN] != 0
            and tags[neighbour, col.TAG_RULE] == col.RESPONSE_PUSH
        )
        if counts[col.LISTENS]:
            given_x, given_y = given_normal(tags[neighbour, col.TAG_BODY], verdicts, counts)
            plain = plain and given_x == 0.0 and given_y == 0.0
            plain = plain and not gives_solids(tags[neighbour, col.TAG_BODY], verdicts, counts)
    return plain


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
    verdicts: Floats,
    events: Floats,
    counts: Ints,
) -> int:
    """Take one plain box through its frame; returns the number of its neighbours. `finish` writes where it ends.

    Returns `NOT_PLAIN` where a neighbour is no plain box, W has no room, or its turns do not end: what it has done by
    then means nothing.
    """
    counts[col.SENSOR_TOTAL] = 0
    set_out(weak, way, hold, floats, ints)
    set_course(weak, way, floats)
    bounds[col.LOW_X] = bounds[col.LOW_Y] = np.inf
    bounds[col.HIGH_X] = bounds[col.HIGH_Y] = -np.inf
    widen(weak, bounds, way, floats, 1.0)
    count = gather(
        weak,
        0,
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
        verdicts,
        counts,
    )
    if not all_plain(0, count, tags, ints, verdicts, counts):
        forget(count, near, tags, marks, counts)
        return NOT_PLAIN
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
                verdicts,
                counts,
            )
            if not all_plain(0, count, tags, ints, verdicts, counts):
                forget(count, near, tags, marks, counts)
                return NOT_PLAIN
            if not leave_overlaps(weak, count, way, near, tags, floats, ints, verdicts, events, counts):
                forget(count, near, tags, marks, counts)
                return NOT_PLAIN
            set_course(weak, way, floats)
        enter_passable(count, way, near, tags, ints)
        hold_sticky(count, way, near, tags, ints)
        if keeps_path:
            add_knot(weak, way, 0.0, ints, knots, counts)
    time, turns = 0.0, 0
    while count:
        turns += 1
        refresh_contacts(count, way, near, tags, ints, time)
        has_room = choose_speeds(count, way, hold, near, tags, ints)
        if has_room:
            report_contacts(weak, count, way, hold, time, near, tags, floats, ints, verdicts, events, counts)
        if counts[col.ASKED] or not has_room:
            forget(count, near, tags, marks, counts)
            return NOT_PLAIN
        if begin_legs(weak, way, hold, time, near, tags, floats, ints) and keeps_path:
            add_knot(weak, way, time, ints, knots, counts)
        if turns > BOX_TURN_LIMIT + BOX_TURNS_PER_NEIGHBOUR * count:
            forget(count, near, tags, marks, counts)
            return NOT_PLAIN
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
                verdicts,
                counts,
            )
            if not all_plain(count, found, tags, ints, verdicts, counts):
                forget(found, near, tags, marks, counts)
                return NOT_PLAIN
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
                way[col.WAY_PLACE + axis] = weak_place(way, hold, near, axis, time)
            # Off one face, W goes another way: whether it then meets what it was about to meet has to be asked again.
            if release_ends(count, time, way, near, tags, floats, ints, knots) and kind in (ENTERS, SLIDES_OFF):
                continue
        apply_event(neighbour, kind, face, time, way, near, tags, floats, ints, knots)
    forget(count, near, tags, marks, counts)
    counts[col.TURN_TOTAL] += turns
    counts[col.NEAR_TOTAL] += count
    return count


def _step_example() -> tuple[
    int, Ints, int, Floats, Ints, Floats, int, Floats, Floats, Ints, Ints, Ints, Ints,
    Floats, Ints, Ints, Floats, Floats, Floats, Ints,
]:  # fmt: skip
    longs = np.zeros(1, np.int64)
    floats, ints = np.zeros((1, col.FLOAT_COLUMNS)), np.zeros((1, col.INT_COLUMNS), np.int64)
    # `order` to `longest`, the knots and the tree, the rows of the neighbours, verdicts and touches, and the answers.
    return (
        0, longs, 0, floats, ints, np.zeros(1), 1, floats, floats, longs, longs, longs, longs,
        floats, ints, longs, floats, floats, floats, longs,
    )  # fmt: skip


@kernel(_step_example)
def step(
    first: int,
    order: Ints,
    lowest: int,
    floats: Floats,
    ints: Ints,
    solids: Floats,
    longest: int,
    knots: Floats,
    nodes: Floats,
    levels: Ints,
    leaves: Ints,
    leaf_of: Ints,
    tail: Ints,
    near: Floats,
    tags: Ints,
    marks: Ints,
    verdicts: Floats,
    touches: Floats,
    events: Floats,
    counts: Ints,
) -> int:
    """Resolve the weak bodies from place `first` of `order` on, which is sorted from the mightiest rank down.

    Returns the place it came to: less than the number of bodies where `events`, `knots`, `touches`, `near` or the
    columns to stand in ran out, or where a body is near that stands in for others. The caller goes on from there with
    more of them, and with the totals that were kept from before that body. `near`, `tags` and `marks` mean nothing
    between two calls, but that all marks are -1, of which there is one for each body.
    """
    way, hold = np.empty(col.WAY_COLUMNS), np.empty(col.HOLD_COLUMNS, np.int64)
    bounds, window, stack = np.empty(4), np.empty(4), np.empty(2 * FANOUT * MAX_LEVELS, np.int64)
    planes, rows, turned = np.empty((col.PLANE_ROWS, col.PLANE_COLUMNS)), np.empty(2 * longest), np.empty(2 * longest)
    motions, circles, answers = (
        np.empty((2, col.MOTION_COLUMNS)),
        np.empty((2, col.CIRCLE_COLUMNS)),
        np.empty((1, col.IMPACT_COLUMNS)),
    )
    pairs, course, axis = np.empty((STACK_ROWS, 2), np.int64), np.empty(col.COURSE_COLUMNS), np.empty(col.AXIS_COLUMNS)
    counts[col.ASKED] = counts[col.LACKS] = counts[col.PROXY_NEAR] = 0
    for place in range(first, order.shape[0]):
        weak = order[place]
        counts[col.EVENTS_KEPT], counts[col.KNOTS_KEPT] = counts[col.EVENT_TOTAL], counts[col.KNOT_TOTAL]
        keeps_path = ints[weak, col.MIGHT] > lowest
        # What the last frame has left on it counts in this one: it has to be there again if it is gone through again.
        floor, anchored_x, anchored_y = ints[weak, col.FLOOR], ints[weak, col.ANCHORED], ints[weak, col.ANCHORED + 1]
        anchor_x, anchor_y = floats[weak, col.ANCHOR], floats[weak, col.ANCHOR + 1]
        speed_x, speed_y = floats[weak, col.FLOOR_SPEED], floats[weak, col.FLOOR_SPEED + 1]
        stuck_in, normal_x, normal_y = (
            ints[weak, col.STUCK_IN],
            floats[weak, col.STUCK_NORMAL],
            floats[weak, col.STUCK_NORMAL + 1],
        )
        stuck = ints[weak, col.STUCK]
        count = NOT_PLAIN
        if ints[weak, col.IS_PLAIN] and stuck_in < 0:
            count = resolve(
                weak, keeps_path, floats, ints, knots, nodes, levels, leaves, tail,
                near, tags, way, hold, bounds, stack, marks, verdicts, events, counts,
            )  # fmt: skip
        is_plain = count != NOT_PLAIN
        if not is_plain and counts[col.ASKED] == 0 and not has_run_out(counts):
            counts[col.EVENT_TOTAL], counts[col.KNOT_TOTAL] = counts[col.EVENTS_KEPT], counts[col.KNOTS_KEPT]
            end, ints[weak, col.STUCK] = counts[col.STANCE_END], stuck
            resolve_solid(
                weak, keeps_path, floats, ints, solids, knots, nodes, levels, leaves, tail,
                near, tags, way, bounds, window, stack, marks, touches, planes, rows, turned, motions, circles,
                pairs, course, axis, answers, verdicts, events, counts,
            )  # fmt: skip
            # The columns behind it were for this body alone.
            counts[col.STANCE_END] = end
        if is_plain and not has_run_out(counts):
            finish(weak, way, hold, near, tags, floats, ints)
            if keeps_path and count:
                end_path(weak, way, hold, floats, ints, knots, counts)
        if has_run_out(counts) or counts[col.ASKED]:
            ints[weak, col.FLOOR], ints[weak, col.ANCHORED], ints[weak, col.ANCHORED + 1] = (
                floor,
                anchored_x,
                anchored_y,
            )
            floats[weak, col.ANCHOR], floats[weak, col.ANCHOR + 1] = anchor_x, anchor_y
            floats[weak, col.FLOOR_SPEED], floats[weak, col.FLOOR_SPEED + 1] = speed_x, speed_y
            ints[weak, col.STUCK_IN], ints[weak, col.STUCK] = stuck_in, stuck
            floats[weak, col.STUCK_NORMAL], floats[weak, col.STUCK_NORMAL + 1] = normal_x, normal_y
            return place
        counts[col.VERDICT_TOTAL] = 0
        if keeps_path:
            refit(nodes, levels, leaf_of, floats, ints, knots, weak)
    return order.shape[0]


def _goals_example() -> tuple[Ints, Floats, int, Floats, Ints, Floats, Bools, Ints]:
    floats, ints = np.zeros((1, col.FLOAT_COLUMNS)), np.zeros((1, col.INT_COLUMNS), np.int64)
    longs = np.zeros(1, np.int64)
    return longs, np.zeros((1, 2)), 0, floats, ints, np.zeros(1), np.zeros(1, np.bool_), longs


@kernel(_goals_example)
def set_goals(
    bodies: Ints, goals: Floats, highest: int, floats: Floats, ints: Ints, rows: Floats, is_noted: Bools, movers: Ints
) -> int:
    """Set the places of goals, and their angles where there are any.

    Notes which bodies are of the highest rank; returns how many had not been noted before, the first rows of `movers`.
    """
    count = 0
    for place in range(bodies.shape[0]):
        body = bodies[place]
        floats[body, col.GOAL], floats[body, col.GOAL + 1] = goals[place, 0], goals[place, 1]
        if goals.shape[1] == 3:
            wished = floats[body, col.GOAL_ANGLE]
            floats[body, col.GOAL_ANGLE] = floats[body, col.REACHED_ANGLE] = goals[place, 2]
            if wished != goals[place, 2]:
                stand_body(floats, ints, rows, body)
        is_top = ints[body, col.MIGHT] >= highest and ints[body, col.RESPONSE] != col.RESPONSE_SENSOR
        if is_top and not is_noted[body]:
            is_noted[body] = True
            movers[count] = body
            count += 1
    return count


def _commit_example() -> tuple[Ints, Floats, Ints, Floats, Bools]:
    floats, ints = np.zeros((1, col.FLOAT_COLUMNS)), np.zeros((1, col.INT_COLUMNS), np.int64)
    return np.zeros(1, np.int64), floats, ints, np.zeros(1), np.zeros(1, np.bool_)


@kernel(_commit_example)
def commit(bodies: Ints, floats: Floats, ints: Ints, rows: Floats, moved: Bools) -> None:
    """Let bodies stand where they ended, wishing to stay there; those that turned, or wished to, at their new angle.

    Writes which of them are elsewhere, or at another angle, than they were.
    """
    for place in range(bodies.shape[0]):
        body = bodies[place]
        moved[place] = (
            floats[body, col.START] != floats[body, col.REACHED]
            or floats[body, col.START + 1] != floats[body, col.REACHED + 1]
            or floats[body, col.ANGLE] != floats[body, col.REACHED_ANGLE]
        )
        for axis in range(2):
            floats[body, col.BEFORE + axis] = floats[body, col.START + axis]
            floats[body, col.START + axis] = floats[body, col.REACHED + axis]
            floats[body, col.GOAL + axis] = floats[body, col.REACHED + axis]
        before, end = floats[body, col.ANGLE], floats[body, col.REACHED_ANGLE]
        wished = floats[body, col.GOAL_ANGLE]
        floats[body, col.BEFORE_ANGLE] = before
        if end != before or wished != before:
            floats[body, col.ANGLE] = floats[body, col.GOAL_ANGLE] = end
            stand_body(floats, ints, rows, body)


def _pairs_example() -> tuple[Floats, Floats, Ints, Floats, Floats, NDArray[np.uint8], Bools]:
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
    overlapped: Bools,
) -> None:
    """Resolve pairs that nothing else is near to; the last four arrays are the answer.

    Rows of `sizes`: width and height of the mighty box, then of the weak one. Of `moves`: start and end of the mighty
    centre, start and goal of the weak one. Of `rules`: carrying, sticky and passable sides.
    """
    floats, ints = np.zeros((2, col.FLOAT_COLUMNS)), np.zeros((2, col.INT_COLUMNS), np.int64)
    near, tags = np.empty((1, col.NEAR_COLUMNS)), np.empty((1, col.TAG_COLUMNS), np.int64)
    way, hold = np.empty(col.WAY_COLUMNS), np.empty(col.HOLD_COLUMNS, np.int64)
    bounds, stack = np.empty(4), np.empty(2, np.int64)
    marks = np.full(2, -1, np.int64)
    nodes, levels, leaves = np.empty((0, 4)), np.zeros(2, np.int64), np.empty(0, np.int64)
    knots, events, verdicts = (
        np.empty((0, col.KNOT_COLUMNS)),
        np.empty((0, col.EVENT_COLUMNS)),
        np.empty((0, col.VERDICT_COLUMNS)),
    )
    counts, tail = np.zeros(col.COUNT_COLUMNS, np.int64), np.zeros(1, np.int64)
    mighty, weak = 0, 1
    ints[mighty, col.MIGHT] = ints[mighty, col.LAYER] = ints[weak, col.MASK] = 1
    ints[mighty, col.IS_PLAIN] = ints[weak, col.IS_PLAIN] = 1
    for pair in range(sizes.shape[0]):
        for body in range(2):
            for axis in range(2):
                half = 0.5 * sizes[pair, 2 * body + axis]
                floats[body, col.HALF + axis] = floats[body, col.UPPER_REACH + axis] = half
                floats[body, col.LOWER_REACH + axis] = -half
                floats[body, col.START + axis] = moves[pair, 4 * body + axis]
                floats[body, col.GOAL + axis] = floats[body, col.REACHED + axis] = moves[pair, 4 * body + 2 + axis]
            floats[body, col.SIZE] = min(sizes[pair, 2 * body], sizes[pair, 2 * body + 1])
        ints[mighty, col.CARRYING] = rules[pair, 0]
        ints[mighty, col.STICKY] = rules[pair, 1]
        ints[mighty, col.PASSABLE] = rules[pair, 2]
        ints[weak, col.ANCHORED] = ints[weak, col.ANCHORED + 1] = ints[weak, col.STUCK_IN] = -1
        resolve(
            weak, weak == mighty, floats, ints, knots, nodes, levels, leaves, tail,
            near, tags, way, hold, bounds, stack, marks, verdicts, events, counts,
        )  # fmt: skip
        finish(weak, way, hold, near, tags, floats, ints)
        ends[pair, 0] = floats[weak, col.REACHED]
        ends[pair, 1] = floats[weak, col.REACHED + 1]
        times[pair] = floats[weak, col.FIRST_TOUCH]
        sides[pair] = ints[weak, col.SIDES]
        overlapped[pair] = ints[weak, col.OVERLAPPED] != 0
