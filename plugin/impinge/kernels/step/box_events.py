"""The next event of the weak box W. Between two events all paths are straight, so a division gives the time.

Times are absolute, from 0 to 1. Might and the order of adding sort simultaneous events. The order in which the
broadphase found the bodies never does.
"""

from __future__ import annotations

import numpy as np

from impinge.kernels import columns as col
from impinge.kernels.arrays import Bodies, Candidates, Floats, Ints
from impinge.kernels.compiler import kernel
from impinge.kernels.step.box_contacts import is_sticky
from impinge.kernels.step.candidates import (
    LAST_INSTANT,
    has_precedence,
    has_same_speed,
    leads_into,
    load_stretch,
    mighty_place,
)

# Kinds of events.
FRAME_ENDS = 0
PATH_BENDS = 1  # the candidate's path bends
ENTERS = 2  # W comes into contact with it
SLIDES_OFF = 3  # W reaches the end of its face
LEAVES = 4  # W has left a passable body

# Speeds that differ by at most this part are equal: a diagonal path is diagonal wherever it starts.
EQUAL_PACE = 1e-12

# Times closer than this are one instant.
SAME_INSTANT = 4 * 2.220446049250313e-16


@kernel()
def time_to_enter(neighbour: int, x: float, y: float, way: Floats, candidates: Candidates) -> tuple[float, int, bool]:
    """Return the time until W enters a candidate, the face, and whether W enters at a corner; infinity if W does not.

    `x` and `y` are the place of W relative to the candidate. The slab method (Kay and Kajiya 1986) runs on the
    candidate's box, grown by the size of W. Whether W enters, and by which face, follows from this box less the slop on
    all sides. So an internal edge, or an edge within the slop, does not stop W. The time is that of the contact.
    """
    near = candidates.near
    slop = near[neighbour, col.NEAR_GAP]
    entry, leave, touch, pace, face, at_corner = -np.inf, np.inf, 0.0, 0.0, -1, False
    for axis in range(2):
        offset = x if axis == 0 else y
        speed = way[col.WAY_SPEED + axis] - near[neighbour, col.NEAR_VELOCITY + axis]
        reach = near[neighbour, col.NEAR_REACH + axis]
        gap = abs(offset) - reach
        if speed == 0.0:
            if gap >= -slop:
                return np.inf, -1, False
            continue
        ahead = offset if speed < 0.0 else -offset
        leave = min(leave, (ahead + reach - slop) / abs(speed))
        if gap < -slop:
            continue
        if ahead < 0.0:
            return np.inf, -1, False
        entry = max(entry, (gap + slop) / abs(speed))
        # W leaves a corner and meets it at one instant. A time that is only rounding would make two instants of it.
        touches = gap / abs(speed) if gap > near[neighbour, col.NEAR_NOISE] else 0.0
        at_corner = face >= 0 and abs(touches - touch) * max(abs(speed), pace) <= slop
        if face < 0 or is_y_normal(touches, abs(speed), touch, pace, slop):
            face = 2 * axis + (1 if offset > 0.0 else 0)
            pace = abs(speed)
        touch = max(touch, touches)
    if face < 0 or entry >= leave:
        return np.inf, -1, False
    if candidates.tags[neighbour, col.TAG_BITS] & (col.BIT_RELEASED << (face >> 1)):
        # W has just slid off the end of that face, so it enters by the adjacent face.
        face = 2 + (1 if y > 0.0 else 0) if face < 2 else (1 if x > 0.0 else 0)
    return touch, face, at_corner


@kernel()
def is_y_normal(touches: float, pace: float, touched: float, other_pace: float, slop: float) -> bool:
    """Return whether the y axis, with contact at `touches`, is the normal, not the x axis, with contact at `touched`.

    If W moves by at most the slop between the two times, W hits a corner. Then the slower axis is the normal, and the
    x axis if both are equally fast.
    """
    if abs(touches - touched) * max(pace, other_pace) > slop:
        return touches > touched
    return pace < other_pace * (1.0 - EQUAL_PACE)


@kernel()
def time_to_slide_on(neighbour: int, x: float, y: float, way: Floats, candidates: Candidates) -> tuple[float, int]:
    """Return the time until W, level with a face of the candidate, moves onto it and presses; and that face."""
    near = candidates.near
    slop = near[neighbour, col.NEAR_GAP]
    for axis in range(2):
        across, along = (x, y) if axis == 0 else (y, x)
        face = 2 * axis + (1 if across > 0.0 else 0)
        if abs(abs(across) - near[neighbour, col.NEAR_REACH + axis]) > slop:
            continue
        if not has_same_speed(way[col.WAY_SPEED + axis], near, neighbour, axis):
            continue
        if not leads_into(way[col.WAY_TARGET + axis], near, neighbour, face):
            continue
        drift = way[col.WAY_SPEED + 1 - axis] - near[neighbour, col.NEAR_VELOCITY + 1 - axis]
        gap = abs(along) - near[neighbour, col.NEAR_REACH + 1 - axis]
        passable = candidates.tags[neighbour, col.TAG_PASSES] >> face & 1
        if gap >= -slop and (drift < 0.0 if along > 0.0 else drift > 0.0) and not passable:
            return gap / abs(drift) if gap > near[neighbour, col.NEAR_NOISE] else 0.0, face
    return np.inf, -1


@kernel()
def time_to_leave(neighbour: int, x: float, y: float, way: Floats, near: Floats) -> float:
    """Return the time until W, at (x, y) relative to a candidate that it passes through, has left it."""
    result = np.inf
    for axis in range(2):
        offset = x if axis == 0 else y
        speed = way[col.WAY_SPEED + axis] - near[neighbour, col.NEAR_VELOCITY + axis]
        reach = near[neighbour, col.NEAR_REACH + axis]
        if speed != 0.0:
            result = min(result, (reach - offset) / speed if speed > 0.0 else (reach + offset) / -speed)
        elif abs(offset) >= reach:
            return 0.0
    return max(result, 0.0)


@kernel()
def time_to_slide_off(neighbour: int, x: float, y: float, way: Floats, candidates: Candidates) -> float:
    """Return the time until W, in contact with a face of the candidate, reaches the end of that face."""
    near = candidates.near
    along = 1 - (candidates.tags[neighbour, col.TAG_FACE] >> 1)
    offset = x if along == 0 else y
    drift = way[col.WAY_SPEED + along] - near[neighbour, col.NEAR_VELOCITY + along]
    if drift == 0.0:
        return np.inf
    ahead = near[neighbour, col.NEAR_REACH + along] - (offset if drift > 0.0 else -offset)
    return ahead / abs(drift) if ahead > near[neighbour, col.NEAR_NOISE] else 0.0


@kernel()
def next_event(time: float, count: int, way: Floats, candidates: Candidates, ints: Ints) -> tuple[float, int, int, int]:
    """Return the first event after `time`: its time, its candidate, its kind and its face.

    Of simultaneous events, the bends of paths come first and corners last. The velocity of W at that instant decides
    whether W enters at a corner, and by which side. In another order, the side of the second of two ceiling tiles
    stopped W.
    """
    near, tags = candidates.near, candidates.tags
    best, chosen, kind, by, first = LAST_INSTANT, -1, FRAME_ENDS, -1, 0
    for neighbour in range(count):
        x = way[col.WAY_PLACE] - mighty_place(near, neighbour, 0, time)
        y = way[col.WAY_PLACE + 1] - mighty_place(near, neighbour, 1, time)
        bits = tags[neighbour, col.TAG_BITS]
        face = tags[neighbour, col.TAG_FACE]
        what, at_corner = ENTERS, False
        if bits & col.BIT_IGNORED:
            lasts, what = time_to_leave(neighbour, x, y, way, near), LEAVES
        elif tags[neighbour, col.TAG_CORNER] >= 0:
            lasts = np.inf
        elif face >= 0:
            lasts = np.inf
            if bits & col.BIT_ACTIVE:
                lasts, what = time_to_slide_off(neighbour, x, y, way, candidates), SLIDES_OFF
        else:
            lasts, face, at_corner = time_to_enter(neighbour, x, y, way, candidates)
            if face < 0:
                lasts, face = time_to_slide_on(neighbour, x, y, way, candidates)
        at = time + lasts
        if near[neighbour, col.NEAR_T1] <= at and near[neighbour, col.NEAR_T1] < LAST_INSTANT:
            at, what = near[neighbour, col.NEAR_T1], PATH_BENDS
        order = 0 if what == PATH_BENDS else 2 if at_corner else 1
        if chosen < 0 or abs(at - best) > SAME_INSTANT or (order == first and at != best):
            is_next = at < best
        else:
            is_next = order < first or (order == first and has_precedence(tags, ints, neighbour, chosen))
        if is_next:
            best, chosen, kind, by, first = at, neighbour, what, face, order
    return best, chosen, kind, by


@kernel()
def apply_event(
    neighbour: int,
    kind: int,
    face: int,
    time: float,
    way: Floats,
    candidates: Candidates,
    bodies: Bodies,
    knots: Floats,
) -> None:
    """Apply an event to the state between W and a candidate."""
    tags = candidates.tags
    if kind == PATH_BENDS:
        tags[neighbour, col.TAG_STRETCH] += 1
        load_stretch(candidates, neighbour, bodies, knots)
    elif kind == LEAVES:
        tags[neighbour, col.TAG_BITS] &= ~col.BIT_IGNORED
    elif kind == SLIDES_OFF:
        tags[neighbour, col.TAG_BITS] &= ~(col.BIT_HELD | col.BIT_SQUEEZED)
        tags[neighbour, col.TAG_BITS] |= col.BIT_RELEASED << (face >> 1)
        tags[neighbour, col.TAG_FACE] = -1
    elif tags[neighbour, col.TAG_PASSES] >> face & 1:
        tags[neighbour, col.TAG_BITS] |= col.BIT_IGNORED
    else:
        if tags[neighbour, col.TAG_BITS] & (col.BIT_RELEASED << (face >> 1)):
            # W slid off both faces at one instant: it stays on the corner between them.
            other = 1 - (face >> 1)
            beyond = way[col.WAY_PLACE + other] > mighty_place(candidates.near, neighbour, other, time)
            tags[neighbour, col.TAG_CORNER] = 2 * other + (1 if beyond else 0)
        tags[neighbour, col.TAG_FACE] = face
        if time == 0.0 and is_sticky(neighbour, face, way, candidates):
            tags[neighbour, col.TAG_BITS] |= col.BIT_HELD


@kernel()
def release_ended_faces(
    count: int,
    time: float,
    way: Floats,
    candidates: Candidates,
    bodies: Bodies,
    knots: Floats,
) -> bool:
    """Release the faces whose end W has just reached; return whether there are any.

    Otherwise a body that stops W at the same instant would keep W on a face that it no longer overlaps.
    """
    tags = candidates.tags
    any_released = False
    for neighbour in range(count):
        if not tags[neighbour, col.TAG_BITS] & col.BIT_ACTIVE or tags[neighbour, col.TAG_FACE] < 0:
            continue
        x = way[col.WAY_PLACE] - mighty_place(candidates.near, neighbour, 0, time)
        y = way[col.WAY_PLACE + 1] - mighty_place(candidates.near, neighbour, 1, time)
        if time_to_slide_off(neighbour, x, y, way, candidates) == 0.0:
            apply_event(neighbour, SLIDES_OFF, tags[neighbour, col.TAG_FACE], time, way, candidates, bodies, knots)
            any_released = True
    return any_released
