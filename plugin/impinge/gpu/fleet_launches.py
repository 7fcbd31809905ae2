"""The CUDA kernels of `impinge.Fleet`: a thread for each lane, body, or number. The frame is that of a world.

A lane is the memory of a thread: a world in which copies make their frames, one after the other. Boxes that do not meet
each other need none: each is all that a thread changes.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from numba import cuda, float64, int64

from impinge.gpu.launches import launch
from impinge.gpu.thread_rows import FewMarks, ThreadRows
from impinge.gpu.translate import in_thread, on_device
from impinge.kernels import columns as col
from impinge.kernels.arrays import Bodies, Candidates, Contacts, Copies, FrameRows, Ranks, Scratch, Tree, Workspace
from impinge.kernels.space.tree import FANOUT, MAX_LEVELS
from impinge.kernels.step import copies as steps

__all__ = [
    "FOUND_EVENTS",
    "FOUND_FAILED",
    "BoxEvents",
    "BoxRoom",
    "BoxRows",
    "LaneBodies",
    "LaneCopies",
    "LaneNear",
    "LaneRows",
    "find_wide_turns",
    "find_wrong_numbers",
    "keep_boxes",
    "pack_events",
    "put_columns",
    "repeat_row",
    "set_all",
    "step_boxes",
    "step_lanes",
    "subtract",
    "take_columns",
    "zero_where_negative",
]

TREE_STACK, PAIR_STACK = 2 * FANOUT * MAX_LEVELS, (col.STACK_ROWS, 2)
MOTIONS, CIRCLES, ANSWERS = (2, col.MOTION_COLUMNS), (2, col.CIRCLE_COLUMNS), (1, col.IMPACT_COLUMNS)
PLANES = col.PLANE_ROWS, col.PLANE_COLUMNS
COURSE_COLUMNS, AXIS_COLUMNS, WAY_COLUMNS = col.COURSE_COLUMNS, col.AXIS_COLUMNS, col.WAY_COLUMNS
HOLD_COLUMNS, RUN_COLUMNS = col.HOLD_COLUMNS, col.RUN_COLUMNS
EVENT_TOTAL, STANCE_TOTAL, LACKS, LACKS_STANCES = col.EVENT_TOTAL, col.STANCE_TOTAL, col.LACKS, col.LACKS_STANCES
POSED, SOLID, NOT_POSED = col.POSED, col.SOLID, col.NOT_POSED
JOB_FRAMES, JOB_KEEPS_EVENTS = col.JOB_FRAMES, col.JOB_KEEPS_EVENTS
COPY_ANGLE, COPY_GOAL_ANGLE = (col.FLOATS_OF_COPY.index(column) for column in (col.ANGLE, col.GOAL_ANGLE))
COPY_VELOCITY, COPY_SPIN = col.COPY_VELOCITY, col.COPY_SPIN
FOUND_FAILED, FOUND_EVENTS = 0, 1
# Memory of a thread of `step_boxes`. A box that needs more rows is left to a lane.
BOX_NEAR, BOX_EVENTS = 24, 12
ONE_ROW, OWN_FLOATS, OWN_INTS, COUNTS = (1, 2), (1, col.FLOAT_COLUMNS), (1, col.INT_COLUMNS), col.COUNT_COLUMNS
NEAR, TAGS, EVENTS = (BOX_NEAR, col.NEAR_COLUMNS), (BOX_NEAR, col.TAG_COLUMNS), (BOX_EVENTS, col.EVENT_COLUMNS)
KNOTS, VERDICTS, LAST_FRAMES = (1, col.KNOT_COLUMNS), (1, col.VERDICT_COLUMNS), (1, col.LAST_FRAME_COLUMNS)

load_copy, store_copy = on_device(steps.load_copy), on_device(steps.store_copy)
make_frame, make_box_frame = on_device(steps.make_frame), on_device(steps.make_frame, only_boxes=True)


class LaneCopies(NamedTuple):
    """The copies of a fleet: `impinge.kernels.arrays.Copies` without the arrays of a lane."""

    floats: Any
    ints: Any
    own: Any
    left: Any


class BoxRoom(NamedTuple):
    """The world of boxes: all bodies, and what no frame changes."""

    floats: Any
    ints: Any
    counts: Any
    nobody: Any  # no rows of bodies


class BoxRows(NamedTuple):
    """The own bodies of all copies after their frames, and who did not make them."""

    floats: Any
    ints: Any
    failed: Any  # of each copy, the number of the last call in which a body did not make its frames
    found: Any  # the largest of these numbers, and how many events there were in all calls


class BoxEvents(NamedTuple):
    """The events of all boxes in one call, in any order."""

    events: Any
    places: Any  # copy and frame of each


class LaneBodies(NamedTuple):
    """All bodies of each lane. The last column of `solids` is a mark: see `impinge.gpu.translate`."""

    floats: Any
    ints: Any
    solids: Any


class LaneRows(NamedTuple):
    """What the frames of each lane write: `FrameRows`, and more."""

    knots: Any
    events: Any
    verdicts: Any
    last_frames: Any
    counts: Any
    moved: Any
    posed: Any
    places: Any  # copy and frame of each event


class LaneNear(NamedTuple):
    """Memory of each lane for what is near the current body."""

    near: Any
    tags: Any
    marks: Any
    touches: Any
    rows: Any
    turned: Any


class LaneWorld(NamedTuple):
    """The world of one lane."""

    bodies: Bodies
    frame: FrameRows
    candidates: Candidates
    workspace: Workspace


@cuda.jit(device=True)
def forget_posed(bodies: Bodies, posed: Any, first_stance: int, counts: Any) -> None:
    """Free all columns for posed solids."""
    for body in range(bodies.ints.shape[0]):
        if bodies.ints[body, POSED] != bodies.ints[body, SOLID]:
            bodies.ints[body, POSED] = NOT_POSED
    for place in range(posed.shape[0]):
        posed[place] = NOT_POSED
    counts[STANCE_TOTAL] = first_stance


@cuda.jit(device=True)
def advance(copy: int, job: Any, copies: Copies, ranks: Ranks, tree: Tree, world: LaneWorld) -> bool:
    """Make the frames that a copy has left; return False at one that the host has to make."""
    bodies, frame, candidates, workspace = world
    counts, mark, has_freed = frame.counts, bodies.solids.shape[0] - 1, False
    load_copy(copy, copies, bodies)
    while copies.left[copy] > 0:
        first = counts[EVENT_TOTAL]
        bodies.solids[mark] = 0.0
        is_made = make_frame(copy, copies, ranks, bodies, frame, tree, candidates, workspace)
        if is_made and bodies.solids[mark] == 0.0:
            for event in range(first, counts[EVENT_TOTAL]):
                copies.places[event, 0] = copy
                copies.places[event, 1] = job[JOB_FRAMES] - copies.left[copy]
            if not job[JOB_KEEPS_EVENTS]:
                counts[EVENT_TOTAL] = 0
            copies.left[copy] -= 1
            store_copy(copy, copies, bodies)
            has_freed = False
            continue
        counts[EVENT_TOTAL] = first
        if is_made or has_freed or not counts[LACKS] & LACKS_STANCES:
            return False
        forget_posed(bodies, copies.posed, job[0], counts)
        load_copy(copy, copies, bodies)
        has_freed = True
    return True


@in_thread
def step_lane(
    lane: int,
    job: Any,
    store: LaneCopies,
    ranks: Ranks,
    tree: Tree,
    bodies: LaneBodies,
    rows: LaneRows,
    near: LaneNear,
    unfinished: Any,
) -> None:
    """Make the frames of the copies of a lane: see `step_lanes`."""
    lanes = bodies.floats.shape[0]
    scratch = Scratch(
        cuda.local.array(4, float64),
        cuda.local.array(4, float64),
        cuda.local.array(TREE_STACK, int64),
        near.rows[lane],
        near.turned[lane],
        cuda.local.array(MOTIONS, float64),
        cuda.local.array(CIRCLES, float64),
        cuda.local.array(PAIR_STACK, int64),
        cuda.local.array(COURSE_COLUMNS, float64),
        cuda.local.array(AXIS_COLUMNS, float64),
        cuda.local.array(ANSWERS, float64),
        cuda.local.array(HOLD_COLUMNS, int64),
        cuda.local.array(RUN_COLUMNS, int64),
    )
    contacts = Contacts(near.touches[lane], cuda.local.array(PLANES, float64))
    workspace = Workspace(cuda.local.array(WAY_COLUMNS, float64), scratch, contacts)
    own = Bodies(bodies.floats[lane], bodies.ints[lane], bodies.solids[lane])
    counts = rows.counts[lane]
    frame = FrameRows(rows.knots[lane], rows.events[lane], rows.verdicts[lane], rows.last_frames[lane], counts)
    candidates = Candidates(near.near[lane], near.tags[lane], near.marks[lane])
    some = Ranks(ranks.order, ranks.met, ranks.movers, rows.moved[lane])
    world = LaneWorld(own, frame, candidates, workspace)
    copies = Copies(store.floats, store.ints, store.own, rows.posed[lane], store.left, rows.places[lane])
    counts[EVENT_TOTAL] = 0
    for copy in range(lane, store.left.shape[0], lanes):
        if not advance(copy, job, copies, some, tree, world):
            cuda.atomic.add(unfinished, 0, 1)


@launch
def step_lanes(
    job: Any,
    store: LaneCopies,
    ranks: Ranks,
    tree: Tree,
    bodies: LaneBodies,
    rows: LaneRows,
    near: LaneNear,
    unfinished: Any,
) -> None:
    """Make the frames that all copies have left, each thread those of some copies, as far apart as there are lanes.

    The first number of the job is the first column for posed solids. `unfinished` counts the copies that have frames
    left after that: an array of their lane is full, or a body needs memory that only the host has.
    """
    lane = cuda.grid(1)
    if lane < bodies.floats.shape[0]:
        step_lane(lane, job, store, ranks, tree, bodies, rows, near, unfinished)


@cuda.jit(device=True)
def is_upright(floats: Any, row: int) -> bool:
    """Return whether an own body does not turn."""
    turns = floats[row, COPY_ANGLE] != 0.0 or floats[row, COPY_GOAL_ANGLE] != 0.0
    return not turns and (math.isnan(floats[row, COPY_VELOCITY]) or floats[row, COPY_SPIN] == 0.0)


@cuda.jit(device=True)
def tell_events(copy: int, at: int, frame: FrameRows, before: int, found: Any, told: BoxEvents) -> None:
    """Add the events of a body in one frame to those of all, if there is room for them."""
    total = frame.counts[EVENT_TOTAL]
    if told.events.shape[0] == 0 or total == 0:
        return
    first = cuda.atomic.add(found, FOUND_EVENTS, total) - before
    for event in range(total if first + total <= told.events.shape[0] else 0):
        told.places[first + event, 0], told.places[first + event, 1] = copy, at
        for column in range(told.events.shape[1]):
            told.events[first + event, column] = frame.events[event, column]


@in_thread
def step_box(row: int, job: Any, store: LaneCopies, room: BoxRoom, tree: Tree, after: BoxRows, told: BoxEvents) -> None:
    """Make frames of an own body: see `step_boxes`."""
    frames, call, before = job
    bodies = store.own.shape[0]
    body = store.own[row % bodies]
    own_floats, own_ints = cuda.local.array(OWN_FLOATS, float64), cuda.local.array(OWN_INTS, int64)
    counts, own, posed = cuda.local.array(COUNTS, int64), cuda.local.array(1, int64), cuda.local.array(1, int64)
    for column in range(own_floats.shape[1]):
        own_floats[0, column] = room.floats[body, column]
    for column in range(own_ints.shape[1]):
        own_ints[0, column] = room.ints[body, column]
    for column in range(counts.shape[0]):
        counts[column] = room.counts[column]
    own[0], posed[0] = body, NOT_POSED
    marks: Any = FewMarks(cuda.local.array(BOX_NEAR, int64), cuda.local.array(ONE_ROW, int64))
    marks.state[0, 0] = 0
    # The box path uses neither the solids, of which the last column is a mark, nor most of the scratch memory.
    solids, no_floats, no_rows = cuda.local.array(1, float64), cuda.local.array(1, float64), room.floats
    no_ints = cuda.local.array(ONE_ROW, int64)
    scratch = Scratch(
        cuda.local.array(4, float64),
        cuda.local.array(4, float64),
        cuda.local.array(TREE_STACK, int64),
        no_floats,
        no_floats,
        no_rows,
        no_rows,
        no_ints,
        no_floats,
        no_floats,
        no_rows,
        cuda.local.array(HOLD_COLUMNS, int64),
        cuda.local.array(RUN_COLUMNS, int64),
    )
    workspace = Workspace(cuda.local.array(WAY_COLUMNS, float64), scratch, Contacts(no_rows, no_rows))
    floats: Any = ThreadRows(room.floats, own_floats, body)
    ints: Any = ThreadRows(room.ints, own_ints, body)
    world = Bodies(floats, ints, solids)
    frame = FrameRows(
        cuda.local.array(KNOTS, float64),
        cuda.local.array(EVENTS, float64),
        cuda.local.array(VERDICTS, float64),
        cuda.local.array(LAST_FRAMES, float64),
        counts,
    )
    candidates = Candidates(cuda.local.array(NEAR, float64), cuda.local.array(TAGS, int64), marks)
    ranks = Ranks(own, room.nobody, room.nobody, no_floats)
    copies = Copies(store.floats, store.ints, own, posed, own, no_ints)
    is_made = is_upright(store.floats, row)
    if is_made:
        load_copy(row, copies, world)
    at = 0
    while is_made and at < frames:
        counts[EVENT_TOTAL], solids[0] = 0, 0.0
        is_made = make_box_frame(row, copies, ranks, world, frame, tree, candidates, workspace)
        is_made = is_made and solids[0] == 0.0
        if is_made:
            tell_events(row // bodies, at, frame, before, after.found, told)
        at += 1
    if is_made:
        store_copy(row, Copies(after.floats, after.ints, own, posed, own, no_ints), world)
        for column in range(COPY_VELOCITY, store.floats.shape[1]):
            after.floats[row, column] = store.floats[row, column]
    else:
        after.failed[row // bodies] = after.found[FOUND_FAILED] = call


@launch
def step_boxes(job: Any, store: LaneCopies, room: BoxRoom, tree: Tree, after: BoxRows, told: BoxEvents) -> None:
    """Make frames of all copies, a thread for each own body: upright boxes that meet no other own body.

    The own bodies of the store stay as they are. The job is the number of frames, that of this call, which is larger
    than those of former ones, and how many events there have been.
    """
    row = cuda.grid(1)
    if row < store.floats.shape[0]:
        step_box(row, job, store, room, tree, after, told)


@launch
def keep_boxes(frames: int, call: int, store: LaneCopies, after: BoxRows, unfinished: Any) -> None:
    """Take over the copies of which all bodies have made their frames. The other copies have these left: count them."""
    row, bodies = cuda.grid(1), store.own.shape[0]
    if row < store.floats.shape[0]:
        copy, is_first, has_failed = row // bodies, row % bodies == 0, after.failed[row // bodies] == call
        if is_first:
            store.left[copy] = frames if has_failed else 0
        if is_first and has_failed:
            cuda.atomic.add(unfinished, 0, 1)
        if not has_failed:
            for column in range(store.floats.shape[1]):
                store.floats[row, column] = after.floats[row, column]
            for column in range(store.ints.shape[1]):
                store.ints[row, column] = after.ints[row, column]


@launch
def pack_events(rows: LaneRows, firsts: Any, events: Any, places: Any) -> None:
    """Write the events of all lanes one after the other, those of a lane from `firsts` on."""
    lane = cuda.grid(1)
    if lane < firsts.shape[0]:
        for event in range(rows.counts[lane, EVENT_TOTAL]):
            for column in range(events.shape[1]):
                events[firsts[lane] + event, column] = rows.events[lane, event, column]
            for column in range(2):
                places[firsts[lane] + event, column] = rows.places[lane, event, column]


@launch
def repeat_row(row: Any, target: Any) -> None:
    """Write a row into all rows."""
    index = cuda.grid(1)
    if index < target.shape[0] * target.shape[1]:
        target[index // target.shape[1], index % target.shape[1]] = row[index % target.shape[1]]


@launch
def set_all(target: Any, value: int) -> None:
    """Write a number everywhere."""
    index = cuda.grid(1)
    if index < target.shape[0]:
        target[index] = value


@launch
def take_columns(rows: Any, bodies: int, at: Any, places: Any, columns: Any, shared: Any, found: Any) -> None:
    """Read columns of bodies: see `impinge.world.fleet_store.Store`, whose copies have a number of `bodies` each."""
    index, width = cuda.grid(1), found.shape[2]
    copy, place, column = index // (found.shape[1] * width), index // width % found.shape[1], index % width
    if copy < found.shape[0]:
        if places[place] < 0:
            found[copy, place, column] = shared[place, column]
        else:
            found[copy, place, column] = rows[at[copy] * bodies + places[place], columns[column]]


@launch
def put_columns(rows: Any, bodies: int, at: Any, places: Any, columns: Any, values: Any) -> None:
    """Write columns of bodies: values for all copies, bodies and columns, or one for all along an axis."""
    index, width = cuda.grid(1), columns.shape[0]
    copy, place, column = index // (places.shape[0] * width), index // width % places.shape[0], index % width
    if copy < at.shape[0]:
        value = values[copy % values.shape[0], place % values.shape[1], column % values.shape[2]]
        rows[at[copy] * bodies + places[place], columns[column]] = value


@launch
def subtract(values: Any, others: Any) -> None:
    """Subtract others from values."""
    index, width = cuda.grid(1), values.shape[2]
    copy, place, column = index // (values.shape[1] * width), index // width % values.shape[1], index % width
    if copy < values.shape[0]:
        values[copy, place, column] -= others[copy, place, column]


@launch
def zero_where_negative(values: Any, signs: Any) -> None:
    """Write zero into all columns of the bodies with a negative sign."""
    index = cuda.grid(1)
    copy, place = index // values.shape[1], index % values.shape[1]
    if copy < values.shape[0] and signs[copy, place] < 0:
        for column in range(values.shape[2]):
            values[copy, place, column] = 0.0


@launch
def find_wrong_numbers(values: Any, largest: float, wrong: Any) -> None:
    """Write the lowest index of a number that is not finite, or too large."""
    index = cuda.grid(1)
    if index < values.shape[0] and not abs(values[index]) <= largest:
        cuda.atomic.min(wrong, 0, index)


@launch
def find_wide_turns(angles: Any, column: int, before: Any, most: float, wrong: Any) -> None:
    """Write the lowest index of a body that turns by more than `most` to one of the columns of `angles`."""
    index = cuda.grid(1)
    copy, place = index // angles.shape[1], index % angles.shape[1]
    if copy < angles.shape[0]:
        here = before[copy % before.shape[0], place % before.shape[1], 0]
        if abs(angles[copy, place, column] - here) > most:
            cuda.atomic.min(wrong, 0, index)
