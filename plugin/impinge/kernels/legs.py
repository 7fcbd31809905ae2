"""The way of the weak box W through its frame: `way` (floats) and `hold` (ints).

The position of W on an axis is kept as a *leg*: an origin, a rate, and the neighbour that the origin is counted from,
if any. A W that rests on M at the frame's end is therefore exactly `m + half extents`, however many events came
before, and an axis on which nothing happened ends on the goal to the bit.
"""

from __future__ import annotations

import numpy as np

from impinge.kernels.compiler import kernel
from impinge.kernels.layout import (
    ANCHOR,
    ANCHORED,
    BLOCKED,
    END,
    FIRST_KNOT,
    FLOOR,
    GOAL,
    IS_CUT_SHORT,
    KNOT_COUNT,
    KNOT_PLACE,
    KNOT_TIME,
    KNOT_TOTAL,
    LACKS_KNOTS,
    MOVEMENT,
    OVERLAPPED,
    SIDES,
    START,
    STUCK,
    STUCK_IN,
    TIME,
    Floats,
    Ints,
)
from impinge.kernels.neighbours import BITS, BODY, REACH, SQUEEZED, VELOCITY, mighty_place
from impinge.kernels.rows import take_rows

# W itself, `way`.
PLACE = 0  # where W stands now
ORIGIN = 2
RATE = 4
SINCE = 6
SPEED = 8  # velocity that W really has
OWN = 10  # velocity that W would have undisturbed
TARGET = 12  # own velocity plus that of the body which carries it
ANGLE_NOW = 14  # its angle now, and the radians that it turns in a frame
WHIRL = 15
SPAN = 16  # for how long its touches hold, at the most
LONGEST = 17  # for how long they are to hold
SHORTEST = 18  # for how long they have to, so that there is an end to it
EVEN = 19  # for how long they would, if that were not given
ROLLING = 20  # radians a frame by which it goes round a corner that it touches
FLUSH = 21  # for how long no edges that nearly face each other come to lie flush
SWIFTEST = 22  # speed of its own movement at the start, or of the fastest body that it bounced off
WAY_COLUMNS = 23

# W itself, `hold`.
TIE = 0  # neighbour that the origin is counted from, -1 for none
FREE = 2  # 1 as long as nothing has happened on this axis
BINDER = 4  # neighbour whose velocity W has on this axis, -1 for none
CARRIER = 6  # neighbour that carries W along this axis, -1 for none
HOLD_COLUMNS = 8


@kernel()
def weak_place(way: Floats, hold: Ints, near: Floats, axis: int, time: float) -> float:
    """Return where W stands by its present leg."""
    own = way[RATE + axis] * (time - way[SINCE + axis])
    tie = hold[TIE + axis]
    if tie >= 0:
        return mighty_place(near, tie, axis, time) + way[ORIGIN + axis] + own
    return way[ORIGIN + axis] + own


@kernel()
def set_out(weak: int, way: Floats, hold: Ints, floats: Floats, ints: Ints) -> None:
    """Put W at its start, and clear what the last frame left on it."""
    for axis in range(2):
        way[PLACE + axis] = floats[weak, START + axis]
        hold[TIE + axis] = -1
        hold[FREE + axis] = 1
    floats[weak, TIME] = np.nan
    ints[weak, SIDES] = ints[weak, STUCK] = ints[weak, BLOCKED] = 0
    ints[weak, OVERLAPPED] = ints[weak, KNOT_COUNT] = ints[weak, IS_CUT_SHORT] = 0
    ints[weak, FLOOR] = ints[weak, STUCK_IN] = -1


@kernel()
def set_course(weak: int, way: Floats, floats: Floats) -> None:
    """Set W's own movement, from where it stands to its goal, and its first legs."""
    for axis in range(2):
        way[ORIGIN + axis] = way[PLACE + axis]
        way[SINCE + axis] = 0.0
        way[OWN + axis] = floats[weak, GOAL + axis] - way[PLACE + axis]
        way[RATE + axis] = way[OWN + axis]
        way[SPEED + axis] = way[OWN + axis]
        way[TARGET + axis] = way[OWN + axis]


@kernel()
def begin_legs(
    weak: int,
    way: Floats,
    hold: Ints,
    time: float,
    near: Floats,
    tags: Ints,
    floats: Floats,
    ints: Ints,
) -> bool:
    """Turn W onto its chosen velocity; returns whether its path bends here."""
    bends = False
    for axis in range(2):
        binder, carrier = hold[BINDER + axis], hold[CARRIER + axis]
        tie, rate = -1, way[OWN + axis]
        if binder >= 0:
            tie, rate = binder, 0.0
        elif carrier >= 0 and near[carrier, VELOCITY + axis] != 0.0:
            tie = carrier
        if tie == hold[TIE + axis] and rate == way[RATE + axis] and binder < 0:
            continue
        origin = way[PLACE + axis]
        if tie >= 0:
            mighty = mighty_place(near, tie, axis, time)
            origin -= mighty
            if binder >= 0 and not tags[tie, BITS] & SQUEEZED:
                origin = near[tie, REACH + axis] if origin > 0.0 else -near[tie, REACH + axis]
            elif time == 0.0 and ints[weak, ANCHORED + axis] == tags[tie, BODY]:
                # Riding on since the last frame: the same offset again, or rounding would make W creep.
                anchor = floats[weak, ANCHOR + axis]
                if mighty + anchor == way[PLACE + axis]:
                    origin = anchor
            if tie == hold[TIE + axis] and rate == way[RATE + axis] and origin == way[ORIGIN + axis]:
                continue
        bends = True
        hold[TIE + axis] = tie
        hold[FREE + axis] = 0
        way[RATE + axis] = rate
        way[ORIGIN + axis] = origin
        way[SINCE + axis] = time
        way[PLACE + axis] = weak_place(way, hold, near, axis, time)
    return bends


@kernel()
def add_knot(weak: int, way: Floats, time: float, ints: Ints, knots: Floats, counts: Ints) -> None:
    """Add a bend to W's path; one that falls on the bend before replaces it."""
    knot = counts[KNOT_TOTAL] - 1
    if ints[weak, KNOT_COUNT] == 0 or knots[knot, KNOT_TIME] < time:
        knot = take_rows(KNOT_TOTAL, 1, knots.shape[0], LACKS_KNOTS, counts)
        if knot < 0:
            return
        if ints[weak, KNOT_COUNT] == 0:
            ints[weak, FIRST_KNOT] = knot
        ints[weak, KNOT_COUNT] += 1
    knots[knot, KNOT_TIME] = time
    for axis in range(2):
        knots[knot, KNOT_PLACE + axis] = way[PLACE + axis]


@kernel()
def finish(weak: int, way: Floats, hold: Ints, near: Floats, tags: Ints, floats: Floats, ints: Ints) -> None:
    """Write where W ends, and what it rides on."""
    for axis in range(2):
        floats[weak, MOVEMENT + axis] = way[OWN + axis]
        tie = hold[TIE + axis]
        if hold[FREE + axis]:
            floats[weak, END + axis] = floats[weak, GOAL + axis]
        else:
            floats[weak, END + axis] = weak_place(way, hold, near, axis, 1.0)
        ints[weak, ANCHORED + axis] = -1
        if tie >= 0:
            ints[weak, ANCHORED + axis] = tags[tie, BODY]
            floats[weak, ANCHOR + axis] = way[ORIGIN + axis] + way[RATE + axis] * (1.0 - way[SINCE + axis])


@kernel()
def end_path(weak: int, way: Floats, hold: Ints, floats: Floats, ints: Ints, knots: Floats, counts: Ints) -> None:
    """Close W's bent path at its end; a straight one is not kept."""
    if hold[FREE] and hold[FREE + 1] and not ints[weak, OVERLAPPED]:
        counts[KNOT_TOTAL] -= ints[weak, KNOT_COUNT]
        ints[weak, KNOT_COUNT] = 0
        return
    for axis in range(2):
        way[PLACE + axis] = floats[weak, END + axis]
    add_knot(weak, way, 1.0, ints, knots, counts)
