"""The path of the weak box W through its frame: `way` (floats) and `hold` (ints).

The position of W on an axis is stored as a *leg*: an origin, a rate, and the candidate that the origin is relative to,
if any. So a W that rests on M at the frame's end is exactly at `m + half extents`, after any number of events. On an
axis without events, W ends exactly on its goal.
"""

from __future__ import annotations

import numpy as np

from impinge.kernels import columns as col
from impinge.kernels.arrays import Bodies, Candidates, Floats, FrameRows, Ints
from impinge.kernels.compiler import kernel
from impinge.kernels.step.candidates import mighty_place
from impinge.kernels.step.rows import take_rows

# Part of W's size by which its path may be off its bends. Some hundred slops: contacts of W itself are exact.
STRAIGHT = 1e-7


@kernel()
def weak_place(way: Floats, hold: Ints, near: Floats, axis: int, time: float) -> float:
    """Return the position of W on an axis, from its present leg."""
    own = way[col.WAY_RATE + axis] * (time - way[col.WAY_SINCE + axis])
    tie = hold[col.HOLD_TIE + axis]
    if tie >= 0:
        return mighty_place(near, tie, axis, time) + way[col.WAY_ORIGIN + axis] + own
    return way[col.WAY_ORIGIN + axis] + own


@kernel()
def reset_box(weak: int, way: Floats, hold: Ints, bodies: Bodies) -> None:
    """Put W at its start, and clear the results of its last frame."""
    ints = bodies.ints
    for axis in range(2):
        way[col.WAY_PLACE + axis] = bodies.floats[weak, col.START + axis]
        hold[col.HOLD_TIE + axis] = -1
        hold[col.HOLD_FREE + axis] = 1
    bodies.floats[weak, col.FIRST_TOUCH] = np.nan
    ints[weak, col.SIDES] = ints[weak, col.STUCK] = ints[weak, col.BLOCKED] = 0
    ints[weak, col.OVERLAPPED] = ints[weak, col.KNOT_COUNT] = ints[weak, col.IS_CUT_SHORT] = 0
    ints[weak, col.FLOOR] = ints[weak, col.STUCK_IN] = -1


@kernel()
def set_own_movement(weak: int, way: Floats, floats: Floats) -> None:
    """Set W's own movement, from its present place to its goal, and its first legs."""
    for axis in range(2):
        way[col.WAY_ORIGIN + axis] = way[col.WAY_PLACE + axis]
        way[col.WAY_SINCE + axis] = 0.0
        way[col.WAY_OWN + axis] = floats[weak, col.GOAL + axis] - way[col.WAY_PLACE + axis]
        way[col.WAY_RATE + axis] = way[col.WAY_OWN + axis]
        way[col.WAY_SPEED + axis] = way[col.WAY_OWN + axis]
        way[col.WAY_TARGET + axis] = way[col.WAY_OWN + axis]


@kernel()
def begin_legs(
    weak: int,
    way: Floats,
    hold: Ints,
    time: float,
    candidates: Candidates,
    bodies: Bodies,
) -> bool:
    """Start new legs with W's chosen velocity; return whether W's path bends here."""
    near = candidates.near
    bends = False
    for axis in range(2):
        binder, carrier = hold[col.HOLD_BINDER + axis], hold[col.HOLD_CARRIER + axis]
        tie, rate = -1, way[col.WAY_OWN + axis]
        if binder >= 0:
            tie, rate = binder, 0.0
        elif carrier >= 0 and near[carrier, col.NEAR_VELOCITY + axis] != 0.0:
            tie = carrier
        if tie == hold[col.HOLD_TIE + axis] and rate == way[col.WAY_RATE + axis] and binder < 0:
            continue
        origin = way[col.WAY_PLACE + axis]
        if tie >= 0:
            mighty = mighty_place(near, tie, axis, time)
            origin -= mighty
            if binder >= 0 and not candidates.tags[tie, col.TAG_BITS] & col.BIT_SQUEEZED:
                origin = near[tie, col.NEAR_REACH + axis] if origin > 0.0 else -near[tie, col.NEAR_REACH + axis]
            elif time == 0.0 and bodies.ints[weak, col.ANCHORED + axis] == candidates.tags[tie, col.TAG_BODY]:
                # The same body carried W in the last frame: keep that offset, or rounding would make W creep.
                anchor = bodies.floats[weak, col.ANCHOR + axis]
                if mighty + anchor == way[col.WAY_PLACE + axis]:
                    origin = anchor
            if (
                tie == hold[col.HOLD_TIE + axis]
                and rate == way[col.WAY_RATE + axis]
                and origin == way[col.WAY_ORIGIN + axis]
            ):
                continue
        bends = True
        hold[col.HOLD_TIE + axis] = tie
        hold[col.HOLD_FREE + axis] = 0
        way[col.WAY_RATE + axis] = rate
        way[col.WAY_ORIGIN + axis] = origin
        way[col.WAY_SINCE + axis] = time
        way[col.WAY_PLACE + axis] = weak_place(way, hold, near, axis, time)
    return bends


@kernel()
def stores_path(weak: int, ints: Ints, counts: Ints) -> bool:
    """Return whether W's path is stored, because bodies of lower ranks may meet W on it."""
    return bool(ints[weak, col.MIGHT] > counts[col.LOWEST_MIGHT])


@kernel()
def add_knot(weak: int, way: Floats, time: float, ints: Ints, frame: FrameRows) -> None:
    """Add a bend to W's path; it replaces an earlier bend of the same time."""
    knots = frame.knots
    knot = frame.counts[col.KNOT_TOTAL] - 1
    if ints[weak, col.KNOT_COUNT] == 0 or knots[knot, col.KNOT_TIME] < time:
        knot = take_rows(col.KNOT_TOTAL, 1, knots.shape[0], col.LACKS_KNOTS, frame.counts)
        if knot < 0:
            return
        if ints[weak, col.KNOT_COUNT] == 0:
            ints[weak, col.FIRST_KNOT] = knot
        ints[weak, col.KNOT_COUNT] += 1
    knots[knot, col.KNOT_TIME] = time
    for axis in range(2):
        knots[knot, col.KNOT_PLACE + axis] = way[col.WAY_PLACE + axis]


@kernel(inline=False)
def add_bend(weak: int, way: Floats, time: float, bodies: Bodies, frame: FrameRows) -> None:
    """Add a bend to W's path. It replaces the last bend if the path then stays within a tolerance of all bends.

    Bodies of lower ranks make a leg of each stretch of the path. In a wedge, W may move to and fro by some slops.
    """
    knots, ints = frame.knots, bodies.ints
    last = frame.counts[col.KNOT_TOTAL] - 1
    if ints[weak, col.KNOT_COUNT] >= 2 and knots[last, col.KNOT_TIME] < time:
        leeway, is_near = STRAIGHT * bodies.floats[weak, col.SIZE], True
        first, until = last - 1, knots[last, col.KNOT_TIME] - knots[last - 1, col.KNOT_TIME]
        for axis in range(2):
            begin, low, high = knots[first, col.KNOT_PLACE + axis], col.WAY_FAN + axis, col.WAY_FAN + 2 + axis
            bend = knots[last, col.KNOT_PLACE + axis] - begin
            way[low], way[high] = max(way[low], (bend - leeway) / until), min(way[high], (bend + leeway) / until)
            velocity = (way[col.WAY_PLACE + axis] - begin) / (time - knots[first, col.KNOT_TIME])
            is_near = is_near and way[low] <= velocity <= way[high]
        if is_near:
            knots[last, col.KNOT_TIME] = time
    if ints[weak, col.KNOT_COUNT] == 0 or knots[last, col.KNOT_TIME] < time:
        way[col.WAY_FAN] = way[col.WAY_FAN + 1] = -np.inf
        way[col.WAY_FAN + 2] = way[col.WAY_FAN + 3] = np.inf
    add_knot(weak, way, time, ints, frame)


@kernel()
def write_box_end(weak: int, way: Floats, hold: Ints, candidates: Candidates, bodies: Bodies) -> None:
    """Write where W ends, its own velocity, and the bodies that carry it."""
    floats = bodies.floats
    for axis in range(2):
        floats[weak, col.MOVEMENT + axis] = way[col.WAY_OWN + axis]
        tie = hold[col.HOLD_TIE + axis]
        if hold[col.HOLD_FREE + axis]:
            floats[weak, col.REACHED + axis] = floats[weak, col.GOAL + axis]
        else:
            floats[weak, col.REACHED + axis] = weak_place(way, hold, candidates.near, axis, 1.0)
        bodies.ints[weak, col.ANCHORED + axis] = -1
        if tie >= 0:
            bodies.ints[weak, col.ANCHORED + axis] = candidates.tags[tie, col.TAG_BODY]
            floats[weak, col.ANCHOR + axis] = way[col.WAY_ORIGIN + axis] + way[col.WAY_RATE + axis] * (
                1.0 - way[col.WAY_SINCE + axis]
            )


@kernel()
def end_path(weak: int, way: Floats, hold: Ints, bodies: Bodies, frame: FrameRows) -> None:
    """Add the end of W's bent path; a straight path is not stored."""
    ints = bodies.ints
    if hold[col.HOLD_FREE] and hold[col.HOLD_FREE + 1] and not ints[weak, col.OVERLAPPED]:
        frame.counts[col.KNOT_TOTAL] -= ints[weak, col.KNOT_COUNT]
        ints[weak, col.KNOT_COUNT] = 0
        return
    for axis in range(2):
        way[col.WAY_PLACE + axis] = bodies.floats[weak, col.REACHED + axis]
    add_knot(weak, way, 1.0, ints, frame)
