"""Frames of many copies of a world in one call.

The own bodies of a copy are written into the rows of one world. That world makes the frames, and the bodies are read
back. So the bodies that no copy changes, the tree, and the memory of a step exist once for each thread.
"""

from __future__ import annotations

import math

import numpy as np

from impinge.kernels import columns as col
from impinge.kernels import examples
from impinge.kernels.arrays import (
    Bodies,
    Bools,
    Candidates,
    Copies,
    Floats,
    FrameRows,
    Ints,
    QueryFilter,
    Ranks,
    Rays,
    Search,
    Tree,
    Workspace,
)
from impinge.kernels.compiler import kernel
from impinge.kernels.pair.impacts import set_circle
from impinge.kernels.space.posed_solids import update_pose_bounds
from impinge.kernels.space.tree import FANOUT, MAX_LEVELS
from impinge.kernels.space.world_queries import first_hit, make_cast, query_example, refit_pose_leaf
from impinge.kernels.step.frame import commit, make_workspace, resolve_ranks, set_out, undo_begun


@kernel()
def keep_posed_solid(place: int, copies: Copies, ints: Ints) -> None:
    """Let an own body use the columns of its posed solid again, which an upright body does without."""
    body = copies.own[place]
    if ints[body, col.POSED] == col.NOT_POSED:
        ints[body, col.POSED] = copies.posed[place]
    elif ints[body, col.POSED] != ints[body, col.SOLID]:
        copies.posed[place] = ints[body, col.POSED]


@kernel(inline=False)
def load_copy(copy: int, copies: Copies, bodies: Bodies) -> None:
    """Write the own bodies of a copy into the rows of the world."""
    floats, ints = bodies.floats, bodies.ints
    for place in range(copies.own.shape[0]):
        body, row = copies.own[place], copy * copies.own.shape[0] + place
        angle, goal_angle = floats[body, col.ANGLE], floats[body, col.GOAL_ANGLE]
        for at in range(len(col.FLOATS_OF_COPY)):
            floats[body, col.FLOATS_OF_COPY[at]] = copies.floats[row, at]
        for at in range(len(col.INTS_OF_COPY)):
            ints[body, col.INTS_OF_COPY[at]] = copies.ints[row, at]
        for axis in range(2):
            floats[body, col.REACHED + axis] = floats[body, col.START + axis]
        floats[body, col.REACHED_ANGLE] = floats[body, col.GOAL_ANGLE]
        ints[body, col.KNOT_COUNT] = 0
        if angle != floats[body, col.ANGLE] or goal_angle != floats[body, col.GOAL_ANGLE]:
            update_pose_bounds(floats, ints, bodies.solids, body)


@kernel(inline=False)
def store_copy(copy: int, copies: Copies, bodies: Bodies) -> None:
    """Read the own bodies of a copy back."""
    for place in range(copies.own.shape[0]):
        body, row = copies.own[place], copy * copies.own.shape[0] + place
        for at in range(len(col.FLOATS_OF_COPY)):
            copies.floats[row, at] = bodies.floats[body, col.FLOATS_OF_COPY[at]]
        for at in range(len(col.INTS_OF_COPY)):
            copies.ints[row, at] = bodies.ints[body, col.INTS_OF_COPY[at]]


@kernel(inline=False)
def follow_velocities(copy: int, copies: Copies, bodies: Bodies) -> None:
    """Set the goals of the own bodies that have a velocity."""
    floats, ints = bodies.floats, bodies.ints
    for place in range(copies.own.shape[0]):
        body, row = copies.own[place], copy * copies.own.shape[0] + place
        if not math.isnan(copies.floats[row, col.COPY_VELOCITY]):
            for axis in range(2):
                floats[body, col.GOAL + axis] = (
                    floats[body, col.START + axis] + copies.floats[row, col.COPY_VELOCITY + axis]
                )
            wished = floats[body, col.ANGLE] + copies.floats[row, col.COPY_SPIN]
            if wished != floats[body, col.GOAL_ANGLE]:
                floats[body, col.GOAL_ANGLE] = floats[body, col.REACHED_ANGLE] = wished
                update_pose_bounds(floats, ints, bodies.solids, body)
        keep_posed_solid(place, copies, ints)


@kernel(inline=False)
def make_frame(
    copy: int,
    copies: Copies,
    ranks: Ranks,
    bodies: Bodies,
    frame: FrameRows,
    tree: Tree,
    candidates: Candidates,
    workspace: Workspace,
) -> bool:
    """Advance the copy in the rows of the world by one frame; return False, with the frame undone, if rows ran out."""
    counts = frame.counts
    events = counts[col.EVENT_TOTAL]
    counts[col.KNOT_TOTAL] = counts[col.VERDICT_TOTAL] = counts[col.BODIES_BEGUN] = 0
    follow_velocities(copy, copies, bodies)
    set_out(ranks, bodies, frame.knots, tree)
    place = resolve_ranks(0, ranks, bodies, frame, tree, candidates, workspace)
    is_made = place == ranks.order.shape[0]
    if is_made:
        commit(ranks, bodies, counts)
    else:
        undo_begun(ranks.order, bodies, frame.last_frames, counts)
        counts[col.EVENT_TOTAL] = events
    for own in range(copies.own.shape[0]):
        keep_posed_solid(own, copies, bodies.ints)
    return bool(is_made)


def _copies_example() -> tuple[Ints, Copies, Ranks, Bodies, FrameRows, Tree, Candidates, Floats]:
    job, bodies, frame = np.zeros(col.JOB_COLUMNS, np.int64), examples.bodies(), examples.frame_rows()
    tree, candidates, touches = examples.tree(), examples.candidates(), examples.floats(col.TOUCH_COLUMNS)
    return job, examples.copies(), examples.ranks(), bodies, frame, tree, candidates, touches


@kernel(_copies_example, nogil=True)
def step_copies(
    job: Ints,
    copies: Copies,
    ranks: Ranks,
    bodies: Bodies,
    frame: FrameRows,
    tree: Tree,
    candidates: Candidates,
    touches: Floats,
) -> int:
    """Make the frames that copies have left, from the first copy of the job to its last one.

    Returns the copy that it reached. If that is not the end of the job, an array ran out of rows in the next frame of
    that copy (see `LACKS`). The caller enlarges it and calls again from this copy on.
    """
    counts = frame.counts
    workspace = make_workspace(counts[col.LONGEST_ROW], touches)
    for copy in range(job[col.JOB_FIRST], job[col.JOB_END]):
        load_copy(copy, copies, bodies)
        while copies.left[copy] > 0:
            first = counts[col.EVENT_TOTAL]
            if not make_frame(copy, copies, ranks, bodies, frame, tree, candidates, workspace):
                store_copy(copy, copies, bodies)
                return copy
            for event in range(first, counts[col.EVENT_TOTAL]):
                copies.places[event, 0] = copy
                copies.places[event, 1] = job[col.JOB_FRAMES] - copies.left[copy]
            if not job[col.JOB_KEEPS_EVENTS]:
                counts[col.EVENT_TOTAL] = 0
            copies.left[copy] -= 1
        store_copy(copy, copies, bodies)
    return job[col.JOB_END]


def _rays_example() -> tuple[Rays, Floats, int, Copies, Bools, QueryFilter, Bodies, Tree]:
    longs = np.zeros(1, np.int64)
    rays, flags = Rays(longs, examples.floats(4), np.zeros(1), longs), np.zeros(1, np.bool_)
    return rays, examples.solid_row(), 1, examples.copies(), flags, *query_example()


@kernel(_rays_example, nogil=True)
def cast_rays(
    rays: Rays,
    point: Floats,
    longest: int,
    copies: Copies,
    is_used: Bools,
    query: QueryFilter,
    bodies: Bodies,
    tree: Tree,
) -> None:
    """Write what rays in copies hit first, at the poses between two frames.

    `point` is the solid of a ray's tip, `longest` the length of the longest row of a body's solid, and the tree that of
    world queries. Its leaves follow the own bodies of each copy.
    """
    cast, tip, one = make_cast(point, longest), 0, 0
    search = Search(
        np.empty(2 * FANOUT * MAX_LEVELS, np.int64),
        np.empty(FANOUT * MAX_LEVELS),
        np.empty((2, col.STRUCK_COLUMNS)),
        np.empty(col.RAY_COLUMNS),
    )
    each = rays.times.shape[0] // max(rays.copies.shape[0], 1)
    for group in range(rays.copies.shape[0]):
        load_copy(rays.copies[group], copies, bodies)
        for place in range(copies.own.shape[0]):
            body = copies.own[place]
            refit_pose_leaf(tree, tree.leaf_of[body], bodies.floats, is_used, body)
            keep_posed_solid(place, copies, bodies.ints)
        for ray in range(group * each, (group + 1) * each):
            for axis in range(2):
                cast.motions[one, col.MOTION_BEGIN + axis] = rays.ends[ray, axis]
                cast.motions[one, col.MOTION_END + axis] = rays.ends[ray, 2 + axis]
            set_circle(point, tip, cast.motions, one, cast.circles)
            cast.stands[one] = False
            body = first_hit(cast, query, bodies, tree, search)
            rays.bodies[ray] = body
            rays.times[ray] = search.hits[0, col.IMPACT_TIME] if body >= 0 else math.nan
