"""One step of a world: each weak body against the mightier bodies near it, rank by rank, in one call.

`step` resolves all bodies, and `resolve_box` one plain box. `push_pairs` resolves pairs without a world.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from impinge.kernels import columns as col
from impinge.kernels import examples
from impinge.kernels.arrays import (
    Bodies,
    Bools,
    Candidates,
    Contacts,
    Floats,
    FrameRows,
    Ints,
    Ranks,
    Scratch,
    Tree,
    Workspace,
)
from impinge.kernels.compiler import kernel
from impinge.kernels.space.posed_solids import update_pose_bounds
from impinge.kernels.space.tree import FANOUT, MAX_LEVELS, refit, set_straight_paths
from impinge.kernels.step.box_contacts import clear_instant_flags, refresh_contacts, report_contacts
from impinge.kernels.step.box_events import ENTERS, FRAME_ENDS, SLIDES_OFF, apply_event, next_event, release_ended_faces
from impinge.kernels.step.box_path import (
    add_knot,
    begin_legs,
    end_path,
    reset_box,
    set_own_movement,
    stores_path,
    weak_place,
    write_box_end,
)
from impinge.kernels.step.box_speeds import choose_speeds
from impinge.kernels.step.box_start import box_overlap_reach, depenetrate_box, enter_passable, mark_sticky_faces
from impinge.kernels.step.broadphase import find_candidates, widen_along_path
from impinge.kernels.step.hook_answers import answered_normal, has_answered_solids
from impinge.kernels.step.resolve_solid import resolve_solid
from impinge.kernels.step.rows import must_resolve_again
from impinge.kernels.tolerances import LARGEST

# W meets a candidate on at most two faces before either bends its path. A longer loop is a rounding trap.
BOX_TURN_LIMIT = 64
BOX_TURNS_PER_NEIGHBOUR = 16
# Returned instead of a number of candidates if one of them is no plain box.
NOT_PLAIN = -1


@kernel()
def forget(count: int, candidates: Candidates, counts: Ints) -> None:
    """Take the marks off all that is near W."""
    for neighbour in range(count):
        candidates.marks[candidates.tags[neighbour, col.TAG_BODY]] = -1
    for sensor in range(candidates.near.shape[0] - counts[col.SENSOR_TOTAL], candidates.near.shape[0]):
        candidates.marks[candidates.tags[sensor, col.TAG_BODY]] = -1


@kernel()
def all_plain(first: int, count: int, tags: Ints, ints: Ints, frame: FrameRows) -> bool:
    """Whether the neighbours from the first on are plain boxes, and no sensor is near."""
    counts = frame.counts
    plain = counts[col.SENSOR_TOTAL] == 0 and counts[col.ASKED] == 0
    for neighbour in range(first, count):
        plain = (
            plain
            and ints[tags[neighbour, col.TAG_BODY], col.IS_PLAIN] != 0
            and tags[neighbour, col.TAG_RULE] == col.RESPONSE_PUSH
        )
        if counts[col.LISTENS]:
            given_x, given_y = answered_normal(tags[neighbour, col.TAG_BODY], frame)
            plain = plain and given_x == 0.0 and given_y == 0.0
            plain = plain and not has_answered_solids(tags[neighbour, col.TAG_BODY], frame)
    return plain


@kernel()
def find_plain(
    weak: int,
    time: float,
    scratch: Scratch,
    candidates: Candidates,
    bodies: Bodies,
    frame: FrameRows,
    tree: Tree,
) -> bool:
    """Add the bodies in the query to the candidates; return whether all of the new ones are plain boxes."""
    known = scratch.run[col.RUN_COUNT]
    scratch.run[col.RUN_COUNT] = find_candidates(weak, known, time, scratch, candidates, bodies, frame, tree)
    return all_plain(known, scratch.run[col.RUN_COUNT], candidates.tags, bodies.ints, frame)


@kernel()
def begin_box(
    weak: int, bodies: Bodies, frame: FrameRows, tree: Tree, candidates: Candidates, way: Floats, scratch: Scratch
) -> bool:
    """Put W at its start, find its candidates, and move it out of overlaps; return whether the box path applies."""
    floats, bounds, run = bodies.floats, scratch.bounds, scratch.run
    run[col.RUN_COUNT] = run[col.RUN_TURNS] = frame.counts[col.SENSOR_TOTAL] = 0
    reset_box(weak, way, scratch.hold, bodies)
    set_own_movement(weak, way, floats)
    bounds[col.LOW_X] = bounds[col.LOW_Y] = np.inf
    bounds[col.HIGH_X] = bounds[col.HIGH_Y] = -np.inf
    widen_along_path(weak, bounds, way, floats, 1.0)
    if not find_plain(weak, 0.0, scratch, candidates, bodies, frame, tree):
        return False
    if run[col.RUN_COUNT] == 0:
        return True
    moved = box_overlap_reach(run[col.RUN_COUNT], way, candidates)
    if moved > 0.0:
        for axis in range(2):
            bounds[axis] -= moved
            bounds[2 + axis] += moved
        if not find_plain(weak, 0.0, scratch, candidates, bodies, frame, tree):
            return False
        if not depenetrate_box(weak, run[col.RUN_COUNT], way, candidates, bodies, frame):
            return False
        set_own_movement(weak, way, floats)
    enter_passable(run[col.RUN_COUNT], way, candidates)
    mark_sticky_faces(run[col.RUN_COUNT], way, candidates)
    if stores_path(weak, bodies.ints, frame.counts):
        add_knot(weak, way, 0.0, bodies.ints, frame)
    return True


@kernel()
def move_box(
    weak: int, bodies: Bodies, frame: FrameRows, tree: Tree, candidates: Candidates, way: Floats, scratch: Scratch
) -> bool:
    """Move W from event to event until the frame ends; return whether the box path still applies."""
    ints, tags, hold, run = bodies.ints, candidates.tags, scratch.hold, scratch.run
    time, count, is_path_kept = 0.0, run[col.RUN_COUNT], stores_path(weak, ints, frame.counts)
    while count:
        run[col.RUN_TURNS] += 1
        contacts = refresh_contacts(count, way, candidates, time)
        has_room = choose_speeds(contacts, way, hold, candidates, ints)
        if has_room:
            report_contacts(weak, contacts, way, hold, time, candidates, bodies, frame)
        if frame.counts[col.ASKED] or not has_room:
            return False
        if begin_legs(weak, way, hold, time, candidates, bodies) and is_path_kept:
            add_knot(weak, way, time, ints, frame)
        if run[col.RUN_TURNS] > BOX_TURN_LIMIT + BOX_TURNS_PER_NEIGHBOUR * count:
            return False
        if widen_along_path(weak, scratch.bounds, way, bodies.floats, 1.0 - time):
            if not find_plain(weak, time, scratch, candidates, bodies, frame, tree):
                return False
            if run[col.RUN_COUNT] > count:
                count = run[col.RUN_COUNT]
                continue
        at, neighbour, kind, face = next_event(time, count, way, candidates, ints)
        if kind == FRAME_ENDS:
            break
        if at > time:
            time = at
            clear_instant_flags(count, tags)
            for axis in range(2):
                way[col.WAY_PLACE + axis] = weak_place(way, hold, candidates.near, axis, time)
            # Off this face W takes another way, and may miss the contact that was next: find the next event again.
            if release_ended_faces(count, time, way, candidates, bodies, frame.knots) and kind in (ENTERS, SLIDES_OFF):
                continue
        apply_event(neighbour, kind, face, time, way, candidates, bodies, frame.knots)
    return True


@kernel()
def resolve_box(
    weak: int, bodies: Bodies, frame: FrameRows, tree: Tree, candidates: Candidates, way: Floats, scratch: Scratch
) -> int:
    """Take one plain box through its frame; return the number of its candidates. `write_box_end` writes where it ends.

    Return `NOT_PLAIN` if a candidate is no plain box, W has no room, or its turns do not end: what it has done by
    then means nothing.
    """
    run, counts = scratch.run, frame.counts
    is_resolved = begin_box(weak, bodies, frame, tree, candidates, way, scratch)
    is_resolved = is_resolved and move_box(weak, bodies, frame, tree, candidates, way, scratch)
    forget(run[col.RUN_COUNT], candidates, counts)
    if not is_resolved:
        return NOT_PLAIN
    counts[col.TURN_TOTAL] += run[col.RUN_TURNS]
    counts[col.NEAR_TOTAL] += run[col.RUN_COUNT]
    return int(run[col.RUN_COUNT])


@kernel(inline=False, allocates=True)
def make_scratch(longest: int) -> Scratch:
    """Return memory for a step of solids whose rows have at most `longest` columns."""
    return Scratch(
        np.empty(4),
        np.empty(4),
        np.empty(2 * FANOUT * MAX_LEVELS, np.int64),
        np.empty(2 * longest),
        np.empty(2 * longest),
        np.empty((2, col.MOTION_COLUMNS)),
        np.empty((2, col.CIRCLE_COLUMNS)),
        np.empty((col.STACK_ROWS, 2), np.int64),
        np.empty(col.COURSE_COLUMNS),
        np.empty(col.AXIS_COLUMNS),
        np.empty((1, col.IMPACT_COLUMNS)),
        np.empty(col.HOLD_COLUMNS, np.int64),
        np.empty(col.RUN_COLUMNS, np.int64),
    )


@kernel(inline=False, allocates=True)
def make_workspace(longest: int, touches: Floats) -> Workspace:
    """Return memory for a step of solids whose rows have at most `longest` columns."""
    contacts = Contacts(touches, np.empty((col.PLANE_ROWS, col.PLANE_COLUMNS)))
    return Workspace(np.empty(col.WAY_COLUMNS), make_scratch(longest), contacts)


@kernel()
def keep_last_frame(weak: int, place: int, bodies: Bodies, last_frames: Floats) -> None:
    """Keep what the last frame left on W: its next frame depends on it, and may be resolved again, or never made."""
    for at in range(len(col.INTS_OF_LAST_FRAME)):
        last_frames[place, at] = bodies.ints[weak, col.INTS_OF_LAST_FRAME[at]]
    for at in range(len(col.FLOATS_OF_LAST_FRAME)):
        last_frames[place, len(col.INTS_OF_LAST_FRAME) + at] = bodies.floats[weak, col.FLOATS_OF_LAST_FRAME[at]]


@kernel()
def restore_last_frame(weak: int, place: int, bodies: Bodies, last_frames: Floats) -> None:
    """Undo what this frame has written over that."""
    for at in range(len(col.INTS_OF_LAST_FRAME)):
        bodies.ints[weak, col.INTS_OF_LAST_FRAME[at]] = int(last_frames[place, at])
    for at in range(len(col.FLOATS_OF_LAST_FRAME)):
        bodies.floats[weak, col.FLOATS_OF_LAST_FRAME[at]] = last_frames[place, len(col.INTS_OF_LAST_FRAME) + at]


@kernel()
def resolve_by_box_path(
    weak: int, bodies: Bodies, frame: FrameRows, tree: Tree, candidates: Candidates, way: Floats, scratch: Scratch
) -> bool:
    """Resolve a plain box and write where it ends; returns False if the box path does not apply."""
    if not bodies.ints[weak, col.IS_PLAIN] or bodies.ints[weak, col.STUCK_IN] >= 0:
        return False
    count = resolve_box(weak, bodies, frame, tree, candidates, way, scratch)
    if count == NOT_PLAIN:
        return False
    if not must_resolve_again(frame.counts):
        write_box_end(weak, way, scratch.hold, candidates, bodies)
        if count and stores_path(weak, bodies.ints, frame.counts):
            end_path(weak, way, scratch.hold, bodies, frame)
    return True


@kernel()
def set_out(ranks: Ranks, bodies: Bodies, knots: Floats, tree: Tree) -> None:
    """Give all bodies that others can collide with straight paths to their goals, and update the tree to these."""
    set_straight_paths(tree.nodes, tree.levels, tree.leaf_of, bodies.floats, bodies.ints, knots, ranks.movers)
    set_straight_paths(tree.nodes, tree.levels, tree.leaf_of, bodies.floats, bodies.ints, knots, ranks.met)


@kernel(inline=False)
def resolve_ranks(
    first: int,
    ranks: Ranks,
    bodies: Bodies,
    frame: FrameRows,
    tree: Tree,
    candidates: Candidates,
    workspace: Workspace,
) -> int:
    """Resolve the weak bodies from place `first` of their order on; return the place that it reached: see `step`."""
    floats, ints, counts, order = bodies.floats, bodies.ints, frame.counts, ranks.order
    way, scratch, contacts = workspace.way, workspace.scratch, workspace.contacts
    counts[col.ASKED] = counts[col.LACKS] = counts[col.PROXY_NEAR] = 0
    for place in range(first, order.shape[0]):
        weak = order[place]
        counts[col.EVENTS_KEPT], counts[col.KNOTS_KEPT] = counts[col.EVENT_TOTAL], counts[col.KNOT_TOTAL]
        keep_last_frame(weak, place, bodies, frame.last_frames)
        counts[col.BODIES_BEGUN] = place + 1
        stuck = ints[weak, col.STUCK]
        is_done = resolve_by_box_path(weak, bodies, frame, tree, candidates, way, scratch)
        if not is_done and counts[col.ASKED] == 0 and not must_resolve_again(counts):
            counts[col.EVENT_TOTAL], counts[col.KNOT_TOTAL] = counts[col.EVENTS_KEPT], counts[col.KNOTS_KEPT]
            end, ints[weak, col.STUCK] = counts[col.STANCE_END], stuck
            resolve_solid(weak, bodies, frame, tree, candidates, way, scratch, contacts)
            # The columns behind this end were for this body only.
            counts[col.STANCE_END] = end
        if must_resolve_again(counts) or counts[col.ASKED]:
            restore_last_frame(weak, place, bodies, frame.last_frames)
            return place
        counts[col.VERDICT_TOTAL] = 0
        if stores_path(weak, ints, counts):
            refit(tree.nodes, tree.levels, tree.leaf_of, floats, ints, frame.knots, weak)
    return order.shape[0]


@kernel()
def commit_body(floats: Floats, ints: Ints, rows: Floats, body: int) -> bool:
    """Make the pose that a body reached its start and goal; return whether it moved or turned.

    It stays within the limit of coordinates, also where a body at that limit pushes it further.
    """
    for axis in range(2):
        floats[body, col.REACHED + axis] = min(max(floats[body, col.REACHED + axis], -LARGEST), LARGEST)
    moved = (
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
        update_pose_bounds(floats, ints, rows, body)
    return bool(moved)


@kernel()
def commit(ranks: Ranks, bodies: Bodies, counts: Ints) -> None:
    """Make the poses that all bodies reached their starts and goals."""
    floats = bodies.floats
    counts[col.BODIES_BEGUN] = 0
    for body in ranks.order:
        commit_body(floats, bodies.ints, bodies.solids, body)
    for place in range(ranks.movers.shape[0]):
        body = ranks.movers[place]
        for axis in range(2):
            floats[body, col.MOVEMENT + axis] = floats[body, col.GOAL + axis] - floats[body, col.START + axis]
        ranks.moved[place] = commit_body(floats, bodies.ints, bodies.solids, body)


@kernel()
def undo_begun(order: Ints, bodies: Bodies, last_frames: Floats, counts: Ints) -> None:
    """Undo a step that is not committed: bodies have the contacts of the last frame again."""
    for place in range(counts[col.BODIES_BEGUN]):
        restore_last_frame(order[place], place, bodies, last_frames)
    counts[col.BODIES_BEGUN] = 0


def _step_example() -> tuple[int, Ranks, Bodies, FrameRows, Tree, Candidates, Floats]:
    bodies, tree, touches = examples.bodies(), examples.tree(), examples.floats(col.TOUCH_COLUMNS)
    return 0, examples.ranks(), bodies, examples.frame_rows(), tree, examples.candidates(), touches


@kernel(_step_example, nogil=True)
def step(
    first: int,
    ranks: Ranks,
    bodies: Bodies,
    frame: FrameRows,
    tree: Tree,
    candidates: Candidates,
    touches: Floats,
) -> int:
    """Advance all bodies by one frame, from place `first` of the weak bodies' order on.

    Returns the place that it reached. If that is the number of weak bodies, the frame is committed. It is less if an
    array ran out of rows (see `LACKS`), if a hook has to answer (`ASKED`), or if a lazy proxy is near (`PROXY_NEAR`).
    The caller helps and calls again from this place on; the counters then have their values from before that body.
    `candidates` means nothing between two calls, except that all marks are -1.
    """
    if first == 0:
        set_out(ranks, bodies, frame.knots, tree)
    workspace = make_workspace(frame.counts[col.LONGEST_ROW], touches)
    place = resolve_ranks(first, ranks, bodies, frame, tree, candidates, workspace)
    if place == ranks.order.shape[0]:
        commit(ranks, bodies, frame.counts)
    return place


def _undo_example() -> tuple[Ints, Bodies, Floats, Ints]:
    frame = examples.frame_rows()
    return np.zeros(1, np.int64), examples.bodies(), frame.last_frames, frame.counts


@kernel(_undo_example)
def undo(order: Ints, bodies: Bodies, last_frames: Floats, counts: Ints) -> None:
    """Call `undo_begun`."""
    undo_begun(order, bodies, last_frames, counts)


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
                update_pose_bounds(floats, ints, rows, body)
        is_top = ints[body, col.MIGHT] >= highest and ints[body, col.RESPONSE] != col.RESPONSE_SENSOR
        if is_top and not is_noted[body]:
            is_noted[body] = True
            movers[count] = body
            count += 1
    return count


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


@kernel(_pairs_example, nogil=True)
def push_pairs(
    sizes: Floats,
    moves: Floats,
    rules: Ints,
    ends: Floats,
    times: Floats,
    sides: NDArray[np.uint8],
    overlapped: Bools,
) -> None:
    """Resolve independent pairs of boxes; the last four arrays are the answer.

    Rows of `sizes`: width and height of the mighty box, then of the weak one. Of `moves`: start and end of the mighty
    centre, start and goal of the weak one. Of `rules`: carrying, sticky and passable sides.
    """
    floats, ints = np.zeros((2, col.FLOAT_COLUMNS)), np.zeros((2, col.INT_COLUMNS), np.int64)
    bodies, longs = Bodies(floats, ints, np.empty(0)), np.zeros(1, np.int64)
    tree = Tree(np.empty((0, 4)), np.zeros(2, np.int64), np.empty(0, np.int64), np.empty(0, np.int64), longs)
    frame = FrameRows(
        np.empty((0, col.KNOT_COLUMNS)),
        np.empty((0, col.EVENT_COLUMNS)),
        np.empty((0, col.VERDICT_COLUMNS)),
        np.empty((0, col.LAST_FRAME_COLUMNS)),
        np.zeros(col.COUNT_COLUMNS, np.int64),
    )
    candidates = Candidates(
        np.empty((1, col.NEAR_COLUMNS)), np.empty((1, col.TAG_COLUMNS), np.int64), np.full(2, -1, np.int64)
    )
    way, scratch = np.empty(col.WAY_COLUMNS), make_scratch(0)
    frame.counts[col.LOWEST_MIGHT] = 1
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
        resolve_box(weak, bodies, frame, tree, candidates, way, scratch)
        write_box_end(weak, way, scratch.hold, candidates, bodies)
        ends[pair, 0] = floats[weak, col.REACHED]
        ends[pair, 1] = floats[weak, col.REACHED + 1]
        times[pair] = floats[weak, col.FIRST_TOUCH]
        sides[pair] = ints[weak, col.SIDES]
        overlapped[pair] = ints[weak, col.OVERLAPPED] != 0
