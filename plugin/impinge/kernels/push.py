"""The push rule for one weak box among the mighty boxes near it, event by event until the frame ends.

The rule is stated in docs/push-rule.md; numbers in brackets below are its points. Nothing is sampled: between two
events every path is straight, so the next event is a division away.

The position of W on an axis is kept as a *leg*: an origin, a rate, and the neighbour the origin is counted from, if
any. A W that rests on M at the frame's end is therefore exactly `m + half extents`, however many events came before,
and an axis on which nothing happened ends on the goal to the bit.
"""

from __future__ import annotations

import numpy as np

from impinge.kernels.compiler import kernel
from impinge.kernels.layout import (
    ANCHOR,
    ANCHORED,
    BLOCKED,
    CARRYING,
    END,
    EVENT_KIND,
    EVENT_MIGHTY,
    EVENT_SIDE,
    EVENT_SPEED,
    EVENT_TIME,
    EVENT_TOTAL,
    EVENT_WEAK,
    FIRST_KNOT,
    GOAL,
    HALF,
    KIND_PUSH,
    KIND_STUCK,
    KNOT_COUNT,
    KNOT_PLACE,
    KNOT_TIME,
    KNOT_TOTAL,
    MIGHT,
    ORDER,
    OVERLAPPED,
    PASSABLE,
    SIDES,
    SIZE,
    START,
    STICKY,
    STUCK,
    TIME,
    Floats,
    Ints,
)

# Gap below which boxes count as touching: relative to the smallest extent, plus rounding at the largest coordinate.
# An event's place is rounded about four times on its way, each time by half a unit in the last place; twice that is 8
# half units, and as much again for coordinates that grow during the frame.
SLOP = 1e-9
ROUNDING = 8 * 2.220446049250313e-16

# A neighbour, `near`: its present straight stretch from T0 to T1, and the pair's own figures.
T0 = 0
T1 = 1
FROM = 2  # where it stands at T0
TO = 4  # where it stands at T1
VELOCITY = 6
REACH = 8  # sum of the half extents: they overlap on an axis where |W - M| < REACH
GAP = 10  # the pair's slop
NOISE = 11  # the part of it that is rounding: what is nearer is at the same instant
NEAR_COLUMNS = 12

# A neighbour, `tags`.
BODY = 0
FACE = 1  # face of M that W touches: 2 * axis + (1 for the high side), -1 for none
CORNER = 2  # the second face where W is pinned on a corner, -1 otherwise
STRETCH = 3  # which stretch of its bent path
BITS = 4
TAG_COLUMNS = 5

IGNORED = 1  # W came in by a passable side and has not left yet [8]
HELD = 2  # on a sticky face since t = 0 [9]
SQUEEZED = 4  # overlaps W, which had nowhere else to go [10]
ACTIVE = 8  # presses on W, or holds it
RELEASED = 16  # << axis: W slid off that face at this very instant
SETTLED = 64  # W was moved out of it at the frame's start
REPORTED = 256  # << face: a push event was written
REPORTED_STUCK = 4096  # << face: a stuck event was written

# W itself, `way`.
PLACE = 0  # where W stands now
ORIGIN = 2
RATE = 4
SINCE = 6
SPEED = 8  # velocity that W really has
OWN = 10  # velocity that W would have undisturbed
TARGET = 12  # own velocity plus that of the body which carries it
WAY_COLUMNS = 14

# W itself, `hold`.
TIE = 0  # neighbour that the origin is counted from, -1 for none
FREE = 2  # 1 as long as nothing has happened on this axis
BINDER = 4  # neighbour whose velocity W has on this axis, -1 for none
CARRIER = 6  # neighbour that carries W along this axis, -1 for none
HOLD_COLUMNS = 8

# What happens next.
FRAME_ENDS = 0
TURNS = 1  # the neighbour's path bends
ENTERS = 2  # W comes to touch it
SLIDES_OFF = 3  # W reaches the end of its face
LEAVES = 4  # W has passed out of a passable body

# Each neighbour is met on two faces at the most before it or W turns; a loop that runs on has met a rounding trap.
TURN_LIMIT = 64
TURNS_PER_NEIGHBOUR = 16
# Carried into a wall that carries W off the floor, and the like: the choice repeats after two rounds.
CARRY_ROUNDS = 4
# Speeds that differ by less than rounding are as fast: a diagonal is a diagonal wherever it starts.
EQUAL_PACE = 1e-12
# Later than this is the next frame's t = 0: an event exactly at the end must not depend on rounding.
LAST_INSTANT = 1.0 - 8 * 2.220446049250313e-16


@kernel()
def mighty_place(near: Floats, neighbour: int, axis: int, time: float) -> float:
    """Return where a neighbour stands; exactly its end at the end of its stretch."""
    if time >= near[neighbour, T1]:
        return near[neighbour, TO + axis]
    return near[neighbour, FROM + axis] + near[neighbour, VELOCITY + axis] * (time - near[neighbour, T0])


@kernel()
def weak_place(way: Floats, hold: Ints, near: Floats, axis: int, time: float) -> float:
    """Return where W stands by its present leg."""
    own = way[RATE + axis] * (time - way[SINCE + axis])
    tie = hold[TIE + axis]
    if tie >= 0:
        return mighty_place(near, tie, axis, time) + way[ORIGIN + axis] + own
    return way[ORIGIN + axis] + own


@kernel(inline=False)
def load_stretch(near: Floats, tags: Ints, neighbour: int, floats: Floats, ints: Ints, knots: Floats) -> None:
    """Copy the neighbour's present straight stretch to `near`."""
    body = tags[neighbour, BODY]
    count = ints[body, KNOT_COUNT]
    if count == 0:
        near[neighbour, T0] = 0.0
        near[neighbour, T1] = 1.0
        for axis in range(2):
            near[neighbour, FROM + axis] = floats[body, START + axis]
            near[neighbour, TO + axis] = floats[body, END + axis]
            near[neighbour, VELOCITY + axis] = floats[body, END + axis] - floats[body, START + axis]
        return
    knot = ints[body, FIRST_KNOT] + tags[neighbour, STRETCH]
    near[neighbour, T0] = knots[knot, KNOT_TIME]
    near[neighbour, T1] = knots[knot + 1, KNOT_TIME]
    lasting = near[neighbour, T1] - near[neighbour, T0]
    for axis in range(2):
        near[neighbour, FROM + axis] = knots[knot, KNOT_PLACE + axis]
        near[neighbour, TO + axis] = knots[knot + 1, KNOT_PLACE + axis]
        near[neighbour, VELOCITY + axis] = (near[neighbour, TO + axis] - near[neighbour, FROM + axis]) / lasting


@kernel()
def farthest(floats: Floats, body: int) -> float:
    """Largest coordinate that a body has in this frame: scales the rounding part of the slop."""
    result = 0.0
    for axis in range(2):
        reach = max(abs(floats[body, START + axis]), abs(floats[body, GOAL + axis])) + floats[body, HALF + axis]
        result = max(result, reach)
    return result


@kernel()
def set_neighbour(
    near: Floats,
    tags: Ints,
    neighbour: int,
    weak: int,
    mighty: int,
    floats: Floats,
    ints: Ints,
    knots: Floats,
) -> None:
    """Fill the row of a newly found neighbour, as of the frame's start."""
    tags[neighbour, BODY] = mighty
    tags[neighbour, FACE] = -1
    tags[neighbour, CORNER] = -1
    tags[neighbour, STRETCH] = 0
    tags[neighbour, BITS] = 0
    load_stretch(near, tags, neighbour, floats, ints, knots)
    for axis in range(2):
        near[neighbour, REACH + axis] = floats[weak, HALF + axis] + floats[mighty, HALF + axis]
    near[neighbour, NOISE] = ROUNDING * max(farthest(floats, weak), farthest(floats, mighty))
    near[neighbour, GAP] = SLOP * min(floats[weak, SIZE], floats[mighty, SIZE]) + near[neighbour, NOISE]


@kernel()
def goes_first(tags: Ints, ints: Ints, neighbour: int, other: int) -> bool:
    """Whether a neighbour comes before another where only one can: the mightier, then the one added first."""
    if other < 0:
        return True
    body, rival = tags[neighbour, BODY], tags[other, BODY]
    if ints[body, MIGHT] != ints[rival, MIGHT]:
        return ints[body, MIGHT] > ints[rival, MIGHT]
    return ints[body, ORDER] < ints[rival, ORDER]


@kernel()
def overlaps_at(near: Floats, neighbour: int, x: float, y: float) -> bool:
    """Whether W at (x, y) overlaps the neighbour at the frame's start by more than the slop."""
    slop = near[neighbour, GAP]
    return (
        abs(x - near[neighbour, FROM]) < near[neighbour, REACH] - slop
        and abs(y - near[neighbour, FROM + 1]) < near[neighbour, REACH + 1] - slop
    )


@kernel()
def shortest_way_out(near: Floats, neighbour: int, x: float, y: float) -> tuple[float, int]:
    """How far, and by which face, W at (x, y) leaves a neighbour that it overlaps. Ties: the first face [3]."""
    best, best_face = np.inf, 0
    for face in range(4):
        axis = face >> 1
        offset = (x if axis == 0 else y) - near[neighbour, FROM + axis]
        way = near[neighbour, REACH + axis] - offset if face & 1 else near[neighbour, REACH + axis] + offset
        if way < best:
            best, best_face = way, face
    return best, best_face


@kernel(inline=False)
def report(
    weak: int,
    neighbour: int,
    face: int,
    stuck: bool,
    time: float,
    near: Floats,
    tags: Ints,
    floats: Floats,
    ints: Ints,
    events: Floats,
    counts: Ints,
) -> None:
    """Note that a face touches W, and whether W is stuck there; each once a frame."""
    side = 1 << (face ^ 1)
    ints[weak, SIDES] |= side
    if not floats[weak, TIME] <= time:
        floats[weak, TIME] = time
    seen = (REPORTED_STUCK if stuck else REPORTED) << face
    if stuck:
        ints[weak, STUCK] |= side
    if tags[neighbour, BITS] & seen:
        return
    tags[neighbour, BITS] |= seen
    event = counts[EVENT_TOTAL]
    counts[EVENT_TOTAL] += 1
    if event < events.shape[0]:
        speed = near[neighbour, VELOCITY + (face >> 1)]
        events[event, EVENT_TIME] = time
        events[event, EVENT_SPEED] = speed if face & 1 else -speed
        events[event, EVENT_WEAK] = weak
        events[event, EVENT_MIGHTY] = tags[neighbour, BODY]
        events[event, EVENT_SIDE] = side
        events[event, EVENT_KIND] = KIND_STUCK if stuck else KIND_PUSH


@kernel()
def enter_passable(count: int, way: Floats, near: Floats, tags: Ints, ints: Ints) -> None:
    """Let W pass through the passable bodies that it starts in [8]."""
    for neighbour in range(count):
        if ints[tags[neighbour, BODY], PASSABLE] and overlaps_at(near, neighbour, way[PLACE], way[PLACE + 1]):
            tags[neighbour, BITS] |= IGNORED


@kernel()
def overlap_total(count: int, way: Floats, near: Floats, tags: Ints, ints: Ints) -> float:
    """How far W may be moved at the most to leave the bodies that it starts in; 0 if there are none."""
    total = 0.0
    for neighbour in range(count):
        if not ints[tags[neighbour, BODY], PASSABLE] and overlaps_at(near, neighbour, way[PLACE], way[PLACE + 1]):
            # Out of another body it may come to lie deeper in this one: no way is longer than across it.
            total += 2.0 * max(near[neighbour, REACH], near[neighbour, REACH + 1])
    return total


@kernel()
def deepest_overlap(count: int, way: Floats, near: Floats, tags: Ints, ints: Ints) -> int:
    """Which neighbour W is to be moved out of next, -1 if none: the mightiest, then the deepest, then the first."""
    chosen, depth = -1, 0.0
    for neighbour in range(count):
        if tags[neighbour, BITS] & (SQUEEZED | SETTLED) or ints[tags[neighbour, BODY], PASSABLE]:
            continue
        if not overlaps_at(near, neighbour, way[PLACE], way[PLACE + 1]):
            continue
        out, _ = shortest_way_out(near, neighbour, way[PLACE], way[PLACE + 1])
        if chosen >= 0:
            might, best = ints[tags[neighbour, BODY], MIGHT], ints[tags[chosen, BODY], MIGHT]
            if might < best or (might == best and out < depth):
                continue
            if might == best and out == depth and not goes_first(tags, ints, neighbour, chosen):
                continue
        chosen, depth = neighbour, out
    return chosen


@kernel()
def leads_into_another(
    chosen: int, x: float, y: float, count: int, way: Floats, near: Floats, tags: Ints, ints: Ints
) -> bool:
    """Whether moving W to (x, y), out of `chosen`, would put it into a mightier body or into an equal one anew."""
    might = ints[tags[chosen, BODY], MIGHT]
    for neighbour in range(count):
        if neighbour == chosen or ints[tags[neighbour, BODY], PASSABLE]:
            continue
        if not overlaps_at(near, neighbour, x, y):
            continue
        rival = ints[tags[neighbour, BODY], MIGHT]
        due = overlaps_at(near, neighbour, way[PLACE], way[PLACE + 1]) and not tags[neighbour, BITS] & SETTLED
        if rival > might or (rival == might and not due):
            return True
    return False


@kernel(inline=False)
def leave_overlaps(
    weak: int,
    count: int,
    way: Floats,
    near: Floats,
    tags: Ints,
    floats: Floats,
    ints: Ints,
    events: Floats,
    counts: Ints,
) -> None:
    """Move W out of what it overlaps at the frame's start [3], or call it stuck there [10]."""
    while True:
        chosen = deepest_overlap(count, way, near, tags, ints)
        if chosen < 0:
            return
        _, face = shortest_way_out(near, chosen, way[PLACE], way[PLACE + 1])
        axis = face >> 1
        reach = near[chosen, REACH + axis]
        place = near[chosen, FROM + axis] + (reach if face & 1 else -reach)
        x = place if axis == 0 else way[PLACE]
        y = way[PLACE + 1] if axis == 0 else place
        ints[weak, OVERLAPPED] = 1
        stuck = leads_into_another(chosen, x, y, count, way, near, tags, ints)
        report(weak, chosen, face, stuck, 0.0, near, tags, floats, ints, events, counts)
        if stuck:
            tags[chosen, FACE] = face
            tags[chosen, BITS] |= SQUEEZED
            ints[weak, SIDES] |= 1 << face
            ints[weak, STUCK] |= 1 << face
        else:
            tags[chosen, BITS] |= SETTLED
            way[PLACE] = x
            way[PLACE + 1] = y


@kernel()
def hold_sticky(count: int, way: Floats, near: Floats, tags: Ints, ints: Ints) -> None:
    """Note which sticky faces hold W: touched at the frame's start, and W's own movement does not point away [9]."""
    for neighbour in range(count):
        if tags[neighbour, BITS] & IGNORED or not ints[tags[neighbour, BODY], STICKY]:
            continue
        face = touched_face(way, near, tags, ints, neighbour, 0.0)
        if face >= 0 and is_sticky(neighbour, face, way, near, tags, ints):
            tags[neighbour, FACE] = face
            tags[neighbour, BITS] |= HELD


@kernel()
def is_sticky(neighbour: int, face: int, way: Floats, near: Floats, tags: Ints, ints: Ints) -> bool:
    """Whether a face holds W: it is sticky, W moves relative to it [4], and W's own movement does not point away."""
    if not ints[tags[neighbour, BODY], STICKY] >> face & 1:
        return False
    if way[OWN] == near[neighbour, VELOCITY] and way[OWN + 1] == near[neighbour, VELOCITY + 1]:
        return False
    own = way[OWN + (face >> 1)]
    return own <= 0.0 if face & 1 else own >= 0.0


@kernel()
def touched_face(way: Floats, near: Floats, tags: Ints, ints: Ints, neighbour: int, time: float) -> int:
    """Face of the neighbour that W touches within the slop, -1 for none. Corners alone do not touch."""
    slop = near[neighbour, GAP]
    x = way[PLACE] - mighty_place(near, neighbour, 0, time)
    y = way[PLACE + 1] - mighty_place(near, neighbour, 1, time)
    gap_x = abs(x) - near[neighbour, REACH]
    gap_y = abs(y) - near[neighbour, REACH + 1]
    if gap_x > slop or gap_y > slop or (gap_x >= -slop and gap_y >= -slop):
        return -1
    # Past a rounding trap W can be a little deeper than the slop: then the nearer face counts.
    is_across_x = gap_x >= -slop or (gap_y < -slop and gap_x > gap_y)
    face = (1 if x > 0.0 else 0) if is_across_x else (3 if y > 0.0 else 2)
    if ints[tags[neighbour, BODY], PASSABLE] >> face & 1:
        return -1
    return face


@kernel()
def refresh_contacts(count: int, way: Floats, near: Floats, tags: Ints, ints: Ints, time: float) -> None:
    """Drop the contacts that have opened since the last turn, and note those that are there now."""
    for neighbour in range(count):
        bits = tags[neighbour, BITS] & ~ACTIVE
        face = tags[neighbour, FACE]
        if face >= 0 and is_apart(way, near, neighbour, face, time):
            face = -1
            bits &= ~(HELD | SQUEEZED)
        if face < 0 and not bits & IGNORED:
            face = touched_face(way, near, tags, ints, neighbour, time)
        if face >= 0:
            if across_gap(way, near, neighbour, face, time) < -near[neighbour, GAP]:
                bits |= SQUEEZED
            else:
                bits &= ~SQUEEZED
        tags[neighbour, FACE] = face
        tags[neighbour, BITS] = bits


@kernel()
def forget_instant(count: int, tags: Ints) -> None:
    """Forget what only holds for one instant: which faces W has just slid off, and the corners that it stays on."""
    for neighbour in range(count):
        tags[neighbour, BITS] &= ~(RELEASED | RELEASED << 1)
        if tags[neighbour, CORNER] >= 0:
            tags[neighbour, CORNER] = tags[neighbour, FACE] = -1


@kernel()
def across_gap(way: Floats, near: Floats, neighbour: int, face: int, time: float) -> float:
    """Gap between W and a face, along its normal; negative where they overlap."""
    axis = face >> 1
    offset = way[PLACE + axis] - mighty_place(near, neighbour, axis, time)
    return (offset if face & 1 else -offset) - near[neighbour, REACH + axis]


@kernel()
def is_apart(way: Floats, near: Floats, neighbour: int, face: int, time: float) -> bool:
    """Whether W has left a face that it touched: off it, or past its end."""
    slop = near[neighbour, GAP]
    along = 1 - (face >> 1)
    offset = way[PLACE + along] - mighty_place(near, neighbour, along, time)
    return across_gap(way, near, neighbour, face, time) > slop or abs(offset) > near[neighbour, REACH + along] + slop


@kernel()
def face_across(tags: Ints, neighbour: int, axis: int) -> int:
    """Return the face by which the neighbour touches W across an axis, -1 for none."""
    if tags[neighbour, FACE] >> 1 == axis:
        return tags[neighbour, FACE]
    if tags[neighbour, CORNER] >> 1 == axis:
        return tags[neighbour, CORNER]
    return -1


@kernel()
def bounded_speed(
    axis: int, target: float, count: int, near: Floats, tags: Ints, ints: Ints
) -> tuple[float, int, bool]:
    """W's velocity on an axis between the bodies that touch it there.

    Returns
    -------
    speed, binder, squeezed
        The velocity; the neighbour that sets it, -1 if none does; whether W has no room.
    """
    low, high = -np.inf, np.inf
    low_binder, high_binder, holder = -1, -1, -1
    for neighbour in range(count):
        face = face_across(tags, neighbour, axis)
        if face < 0:
            continue
        holds = tags[neighbour, BITS] & HELD or tags[neighbour, CORNER] >= 0
        if holds and goes_first(tags, ints, neighbour, holder):
            holder = neighbour
        speed = near[neighbour, VELOCITY + axis]
        if face & 1:
            if speed > low or (speed == low and goes_first(tags, ints, neighbour, low_binder)):
                low, low_binder = speed, neighbour
        elif speed < high or (speed == high and goes_first(tags, ints, neighbour, high_binder)):
            high, high_binder = speed, neighbour
    if holder >= 0:
        target = near[holder, VELOCITY + axis]
    if low > high:
        speed, binder = yielding_speed(axis, target, count, near, tags, ints)
        return speed, binder, True
    if target < low:
        return low, low_binder, False
    if target > high:
        return high, high_binder, False
    return target, holder, False


@kernel(inline=False)
def yielding_speed(axis: int, target: float, count: int, near: Floats, tags: Ints, ints: Ints) -> tuple[float, int]:
    """W's velocity and binder where not all bodies can be heeded: the mightiest first, each that still can be [10]."""
    low, high = -np.inf, np.inf
    low_binder, high_binder, last = -1, -1, -1
    while True:
        chosen = -1
        for neighbour in range(count):
            if face_across(tags, neighbour, axis) < 0:
                continue
            if last >= 0 and not goes_first(tags, ints, last, neighbour):
                continue
            if neighbour != last and goes_first(tags, ints, neighbour, chosen):
                chosen = neighbour
        if chosen < 0:
            break
        last = chosen
        # Who cannot be heeded still presses W against the one that can.
        speed = near[chosen, VELOCITY + axis]
        if face_across(tags, chosen, axis) & 1:
            if speed > high:
                target = np.inf
            elif speed > low:
                low, low_binder = speed, chosen
        elif speed < low:
            target = -np.inf
        elif speed < high:
            high, high_binder = speed, chosen
    if target < low:
        return low, low_binder
    if target > high:
        return high, high_binder
    return target, -1


@kernel()
def leads_into(speed: float, near: Floats, neighbour: int, face: int) -> bool:
    """Whether a velocity across a face of the neighbour leads W into it."""
    closing = near[neighbour, VELOCITY + (face >> 1)] - speed
    return closing > 0.0 if face & 1 else closing < 0.0


@kernel()
def presses(neighbour: int, face: int, way: Floats, near: Floats, tags: Ints) -> bool:
    """Whether a face that W touches is pressed against W, given W's target and its velocity."""
    axis = face >> 1
    speed = way[SPEED + axis]
    if leads_into(speed, near, neighbour, face):
        return True
    if near[neighbour, VELOCITY + axis] != speed:
        return False
    holds = tags[neighbour, BITS] & HELD or tags[neighbour, CORNER] >= 0
    return bool(holds) or leads_into(way[TARGET + axis], near, neighbour, face)


@kernel()
def carrier_along(axis: int, count: int, way: Floats, near: Floats, tags: Ints, ints: Ints) -> int:
    """Find the neighbour that carries W along this axis, -1 for none: it presses on the other axis."""
    chosen = -1
    for neighbour in range(count):
        face = face_across(tags, neighbour, 1 - axis)
        if face < 0:
            continue
        held = tags[neighbour, BITS] & HELD
        if not held and not ints[tags[neighbour, BODY], CARRYING] >> face & 1:
            continue
        # W is not on the face of a body that it is pushed into, or off.
        if near[neighbour, VELOCITY + 1 - axis] != way[SPEED + 1 - axis]:
            continue
        if presses(neighbour, face, way, near, tags) and goes_first(tags, ints, neighbour, chosen):
            chosen = neighbour
    return chosen


@kernel()
def choose_speeds(count: int, way: Floats, hold: Ints, near: Floats, tags: Ints, ints: Ints) -> int:
    """Set W's velocity, binders and carriers from what touches it; returns the axes (bits) without room [5, 9, 10].

    Who carries depends on who presses, and who presses on who carries: both axes are chosen together until the
    choice repeats. If it alternates instead (each contact would switch the other off), both contacts hold.
    """
    seen_x, seen_y = -1, -1
    hold[CARRIER] = hold[CARRIER + 1] = -1
    for _ in range(CARRY_ROUNDS):
        squeezed = 0
        for axis in range(2):
            carrier = hold[CARRIER + axis]
            carried = near[carrier, VELOCITY + axis] if carrier >= 0 else 0.0
            way[TARGET + axis] = way[OWN + axis] + carried
            speed, binder, no_room = bounded_speed(axis, way[TARGET + axis], count, near, tags, ints)
            way[SPEED + axis] = speed
            hold[BINDER + axis] = binder
            if no_room:
                squeezed |= 1 << axis
        if hold[BINDER] >= 0:
            seen_x = hold[BINDER]
        if hold[BINDER + 1] >= 0:
            seen_y = hold[BINDER + 1]
        repeats = True
        for axis in range(2):
            carrier = carrier_along(axis, count, way, near, tags, ints)
            repeats = repeats and carrier == hold[CARRIER + axis]
            hold[CARRIER + axis] = carrier
        if repeats:
            return squeezed
    hold[CARRIER] = hold[CARRIER + 1] = -1
    hold[BINDER] = seen_x
    hold[BINDER + 1] = seen_y
    for axis in range(2):
        binder = hold[BINDER + axis]
        way[SPEED + axis] = near[binder, VELOCITY + axis] if binder >= 0 else way[OWN + axis]
    return 0


@kernel()
def report_contacts(
    weak: int,
    squeezed: int,
    count: int,
    way: Floats,
    hold: Ints,
    time: float,
    near: Floats,
    tags: Ints,
    floats: Floats,
    ints: Ints,
    events: Floats,
    counts: Ints,
) -> None:
    """Mark the contacts that press on W in this turn, and report them."""
    ints[weak, BLOCKED] = 0
    for neighbour in range(count):
        for axis in range(2):
            face = face_across(tags, neighbour, axis)
            if face < 0:
                continue
            if neighbour != hold[BINDER + axis] and not presses(neighbour, face, way, near, tags):
                continue
            tags[neighbour, BITS] |= ACTIVE
            if leads_into(way[SPEED + axis], near, neighbour, face):
                tags[neighbour, BITS] |= SQUEEZED
            ints[weak, BLOCKED] |= 1 << (face ^ 1)
            stuck = (squeezed >> axis & 1) != 0
            report(weak, neighbour, face, stuck, time, near, tags, floats, ints, events, counts)


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
def time_to_enter(neighbour: int, x: float, y: float, way: Floats, near: Floats, tags: Ints) -> tuple[float, int]:
    """Time until W, x and y off the neighbour, enters it, and the face by which; infinity if it does not.

    The slab method (Kay and Kajiya 1986) on the neighbour grown by W. Whether and by which face W enters is asked
    of the grown box less the slop on all sides, so that a seam or an edge within the slop does not catch; the time
    is that of the touch.
    """
    slop = near[neighbour, GAP]
    entry, leave, touch, pace, face = -np.inf, np.inf, 0.0, 0.0, -1
    for axis in range(2):
        offset = x if axis == 0 else y
        speed = way[SPEED + axis] - near[neighbour, VELOCITY + axis]
        reach = near[neighbour, REACH + axis]
        gap = abs(offset) - reach
        if speed == 0.0:
            if gap >= -slop:
                return np.inf, -1
            continue
        ahead = offset if speed < 0.0 else -offset
        leave = min(leave, (ahead + reach - slop) / abs(speed))
        if gap < -slop:
            continue
        if ahead < 0.0:
            return np.inf, -1
        entry = max(entry, (gap + slop) / abs(speed))
        # A time that is only rounding would be another instant, and a corner is left and met at one instant.
        touches = gap / abs(speed) if gap > near[neighbour, NOISE] else 0.0
        if face < 0 or comes_later(touches, abs(speed), touch, pace, slop):
            face = 2 * axis + (1 if offset > 0.0 else 0)
            pace = abs(speed)
        touch = max(touch, touches)
    if face < 0 or entry >= leave:
        return np.inf, -1
    if tags[neighbour, BITS] & (RELEASED << (face >> 1)):
        # W has just slid off that face, at its end: the way in is by the neighbouring one.
        face = 2 + (1 if y > 0.0 else 0) if face < 2 else (1 if x > 0.0 else 0)
    return touch, face


@kernel()
def comes_later(touches: float, pace: float, touched: float, other_pace: float, slop: float) -> bool:
    """Whether the y axis, touching at `touches`, is the normal rather than the x axis, touching at `touched`.

    A corner is hit where the two times are less than the slop apart; there the slower axis is the normal, the x axis
    where both are as fast.
    """
    if abs(touches - touched) * max(pace, other_pace) > slop:
        return touches > touched
    return pace < other_pace * (1.0 - EQUAL_PACE)


@kernel()
def time_to_slide_on(
    neighbour: int, x: float, y: float, way: Floats, near: Floats, tags: Ints, ints: Ints
) -> tuple[float, int]:
    """Time until W, which glides level with a face of the neighbour, comes over it and presses; and the face."""
    slop = near[neighbour, GAP]
    for axis in range(2):
        across, along = (x, y) if axis == 0 else (y, x)
        face = 2 * axis + (1 if across > 0.0 else 0)
        if abs(abs(across) - near[neighbour, REACH + axis]) > slop:
            continue
        if way[SPEED + axis] != near[neighbour, VELOCITY + axis] or not leads_into(
            way[TARGET + axis], near, neighbour, face
        ):
            continue
        drift = way[SPEED + 1 - axis] - near[neighbour, VELOCITY + 1 - axis]
        gap = abs(along) - near[neighbour, REACH + 1 - axis]
        passable = ints[tags[neighbour, BODY], PASSABLE] >> face & 1
        if gap >= -slop and (drift < 0.0 if along > 0.0 else drift > 0.0) and not passable:
            return gap / abs(drift) if gap > near[neighbour, NOISE] else 0.0, face
    return np.inf, -1


@kernel()
def time_to_leave(neighbour: int, x: float, y: float, way: Floats, near: Floats) -> float:
    """Time until W, x and y off a neighbour that it passes through, is out of it."""
    result = np.inf
    for axis in range(2):
        offset = x if axis == 0 else y
        speed = way[SPEED + axis] - near[neighbour, VELOCITY + axis]
        reach = near[neighbour, REACH + axis]
        if speed != 0.0:
            result = min(result, (reach - offset) / speed if speed > 0.0 else (reach + offset) / -speed)
        elif abs(offset) >= reach:
            return 0.0
    return max(result, 0.0)


@kernel()
def time_to_slide_off(neighbour: int, x: float, y: float, way: Floats, near: Floats, tags: Ints) -> float:
    """Time until W, which presses on a face of the neighbour, reaches that face's end."""
    along = 1 - (tags[neighbour, FACE] >> 1)
    offset = x if along == 0 else y
    drift = way[SPEED + along] - near[neighbour, VELOCITY + along]
    if drift == 0.0:
        return np.inf
    ahead = near[neighbour, REACH + along] - (offset if drift > 0.0 else -offset)
    return ahead / abs(drift) if ahead > near[neighbour, NOISE] else 0.0


@kernel()
def next_event(
    time: float, count: int, way: Floats, near: Floats, tags: Ints, ints: Ints
) -> tuple[float, int, int, int]:
    """Find what happens first after `time`: when, to which neighbour, what, and by which face."""
    best, chosen, kind, by = LAST_INSTANT, -1, FRAME_ENDS, -1
    for neighbour in range(count):
        x = way[PLACE] - mighty_place(near, neighbour, 0, time)
        y = way[PLACE + 1] - mighty_place(near, neighbour, 1, time)
        bits = tags[neighbour, BITS]
        face = tags[neighbour, FACE]
        what = ENTERS
        if bits & IGNORED:
            lasts, what = time_to_leave(neighbour, x, y, way, near), LEAVES
        elif tags[neighbour, CORNER] >= 0:
            lasts = np.inf
        elif face >= 0:
            lasts = np.inf
            if bits & ACTIVE:
                lasts, what = time_to_slide_off(neighbour, x, y, way, near, tags), SLIDES_OFF
        else:
            lasts, face = time_to_enter(neighbour, x, y, way, near, tags)
            if face < 0:
                lasts, face = time_to_slide_on(neighbour, x, y, way, near, tags, ints)
        at = time + lasts
        if near[neighbour, T1] <= at and near[neighbour, T1] < LAST_INSTANT:
            at, what = near[neighbour, T1], TURNS
        if at < best or (at == best and chosen >= 0 and goes_first(tags, ints, neighbour, chosen)):
            best, chosen, kind, by = at, neighbour, what, face
    return best, chosen, kind, by


@kernel()
def apply_event(
    neighbour: int,
    kind: int,
    face: int,
    time: float,
    way: Floats,
    near: Floats,
    tags: Ints,
    floats: Floats,
    ints: Ints,
    knots: Floats,
) -> None:
    """Note what an event changes between W and a neighbour."""
    if kind == TURNS:
        tags[neighbour, STRETCH] += 1
        load_stretch(near, tags, neighbour, floats, ints, knots)
    elif kind == LEAVES:
        tags[neighbour, BITS] &= ~IGNORED
    elif kind == SLIDES_OFF:
        tags[neighbour, BITS] &= ~(HELD | SQUEEZED)
        tags[neighbour, BITS] |= RELEASED << (face >> 1)
        tags[neighbour, FACE] = -1
    elif ints[tags[neighbour, BODY], PASSABLE] >> face & 1:
        tags[neighbour, BITS] |= IGNORED
    else:
        if tags[neighbour, BITS] & (RELEASED << (face >> 1)):
            # Slid off both faces at one instant: W stays on the corner between them.
            other = 1 - (face >> 1)
            beyond = way[PLACE + other] > mighty_place(near, neighbour, other, time)
            tags[neighbour, CORNER] = 2 * other + (1 if beyond else 0)
        tags[neighbour, FACE] = face
        if time == 0.0 and is_sticky(neighbour, face, way, near, tags, ints):
            tags[neighbour, BITS] |= HELD


@kernel()
def release_ends(
    count: int,
    time: float,
    way: Floats,
    near: Floats,
    tags: Ints,
    floats: Floats,
    ints: Ints,
    knots: Floats,
) -> None:
    """Let go of the faces whose end W has just come to.

    What stops W at that very instant would otherwise keep it on a face that it no longer overlaps.
    """
    for neighbour in range(count):
        if not tags[neighbour, BITS] & ACTIVE or tags[neighbour, FACE] < 0:
            continue
        x = way[PLACE] - mighty_place(near, neighbour, 0, time)
        y = way[PLACE + 1] - mighty_place(near, neighbour, 1, time)
        if time_to_slide_off(neighbour, x, y, way, near, tags) == 0.0:
            apply_event(neighbour, SLIDES_OFF, tags[neighbour, FACE], time, way, near, tags, floats, ints, knots)


@kernel()
def add_knot(weak: int, way: Floats, time: float, ints: Ints, knots: Floats, counts: Ints) -> None:
    """Add a bend to W's path; one that falls on the bend before replaces it."""
    if ints[weak, KNOT_COUNT] == 0:
        ints[weak, FIRST_KNOT] = counts[KNOT_TOTAL]
    knot = counts[KNOT_TOTAL]
    if ints[weak, KNOT_COUNT] and knot <= knots.shape[0] and knots[knot - 1, KNOT_TIME] >= time:
        knot -= 1
    else:
        ints[weak, KNOT_COUNT] += 1
        counts[KNOT_TOTAL] += 1
    if knot < knots.shape[0]:
        knots[knot, KNOT_TIME] = time
        for axis in range(2):
            knots[knot, KNOT_PLACE + axis] = way[PLACE + axis]


@kernel()
def finish(weak: int, way: Floats, hold: Ints, near: Floats, tags: Ints, floats: Floats, ints: Ints) -> None:
    """Write where W ends, and what it rides on."""
    for axis in range(2):
        tie = hold[TIE + axis]
        if hold[FREE + axis]:
            floats[weak, END + axis] = floats[weak, GOAL + axis]
        else:
            floats[weak, END + axis] = weak_place(way, hold, near, axis, 1.0)
        ints[weak, ANCHORED + axis] = -1
        if tie >= 0:
            ints[weak, ANCHORED + axis] = tags[tie, BODY]
            floats[weak, ANCHOR + axis] = way[ORIGIN + axis] + way[RATE + axis] * (1.0 - way[SINCE + axis])


@kernel(inline=False)
def cut_short(time: float, way: Floats, hold: Ints, near: Floats) -> None:
    """Let W stay where it is for the rest of the frame, or with what it rests on."""
    for axis in range(2):
        tie = hold[TIE + axis]
        way[ORIGIN + axis] = way[PLACE + axis] - (mighty_place(near, tie, axis, time) if tie >= 0 else 0.0)
        way[RATE + axis] = 0.0
        way[SINCE + axis] = time
        hold[FREE + axis] = 0


@kernel()
def set_out(weak: int, way: Floats, hold: Ints, floats: Floats, ints: Ints) -> None:
    """Put W at its start, and clear what the last frame left on it."""
    for axis in range(2):
        way[PLACE + axis] = floats[weak, START + axis]
        hold[TIE + axis] = -1
        hold[FREE + axis] = 1
    floats[weak, TIME] = np.nan
    ints[weak, SIDES] = ints[weak, STUCK] = ints[weak, BLOCKED] = 0
    ints[weak, OVERLAPPED] = ints[weak, KNOT_COUNT] = 0


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
