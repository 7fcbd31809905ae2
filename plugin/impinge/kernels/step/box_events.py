"""What happens next to the weak box W, and when: between two events all paths are straight, so a division tells.

Times are absolute, from 0 to 1. Two events of one instant are told apart by rank and by the order of adding, never by
the order in which the broadphase has found them.
"""

from __future__ import annotations

import numpy as np

from impinge.kernels import columns as col
from impinge.kernels.arrays import Bodies, Candidates, Floats, Ints
from impinge.kernels.compiler import kernel
from impinge.kernels.step.box_contacts import is_sticky
from impinge.kernels.step.candidates import goes_first, keeps_up, leads_into, load_stretch, mighty_place

# What happens next.
FRAME_ENDS = 0
TURNS = 1  # the neighbour's path bends
ENTERS = 2  # W comes to touch it
SLIDES_OFF = 3  # W reaches the end of its face
LEAVES = 4  # W has passed out of a passable body

# Speeds that differ by less than rounding are as fast: a diagonal is a diagonal wherever it starts.
EQUAL_PACE = 1e-12

# Times that are nearer are one.
SAME_INSTANT = 4 * 2.220446049250313e-16

# Later than this is the next frame's t = 0: an event exactly at the end must not depend on rounding.
LAST_INSTANT = 1.0 - 8 * 2.220446049250313e-16


@kernel()
def time_to_enter(neighbour: int, x: float, y: float, way: Floats, candidates: Candidates) -> tuple[float, int, bool]:
    """Time until W, x and y off the neighbour, enters it, by which face, and whether at a corner; or infinity.

    The slab method (Kay and Kajiya 1986) on the neighbour grown by W. Whether and by which face W enters is asked
    of the grown box less the slop on all sides, so that a seam or an edge within the slop does not catch; the time
    is that of the touch.
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
        # A time that is only rounding would be another instant, and a corner is left and met at one instant.
        touches = gap / abs(speed) if gap > near[neighbour, col.NEAR_NOISE] else 0.0
        at_corner = face >= 0 and abs(touches - touch) * max(abs(speed), pace) <= slop
        if face < 0 or comes_later(touches, abs(speed), touch, pace, slop):
            face = 2 * axis + (1 if offset > 0.0 else 0)
            pace = abs(speed)
        touch = max(touch, touches)
    if face < 0 or entry >= leave:
        return np.inf, -1, False
    if candidates.tags[neighbour, col.TAG_BITS] & (col.BIT_RELEASED << (face >> 1)):
        # W has just slid off that face, at its end: the way in is by the neighbouring one.
        face = 2 + (1 if y > 0.0 else 0) if face < 2 else (1 if x > 0.0 else 0)
    return touch, face, at_corner


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
    neighbour: int, x: float, y: float, way: Floats, candidates: Candidates, ints: Ints
) -> tuple[float, int]:
    """Time until W, which glides level with a face of the neighbour, comes over it and presses; and the face."""
    near = candidates.near
    slop = near[neighbour, col.NEAR_GAP]
    for axis in range(2):
        across, along = (x, y) if axis == 0 else (y, x)
        face = 2 * axis + (1 if across > 0.0 else 0)
        if abs(abs(across) - near[neighbour, col.NEAR_REACH + axis]) > slop:
            continue
        if not keeps_up(way[col.WAY_SPEED + axis], near, neighbour, axis):
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
    """Time until W, x and y off a neighbour that it passes through, is out of it."""
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
    """Time until W, which presses on a face of the neighbour, reaches that face's end."""
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
    """Find what happens first after `time`: when, to which neighbour, what, and by which face.

    Of what happens at one instant the bends come first, and corners last: by which side W enters one, or whether it
    does at all, is up to how it moves by then. On a ceiling of two tiles it was stopped at the side of the second one.
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
                lasts, face = time_to_slide_on(neighbour, x, y, way, candidates, ints)
        at = time + lasts
        if near[neighbour, col.NEAR_T1] <= at and near[neighbour, col.NEAR_T1] < LAST_INSTANT:
            at, what = near[neighbour, col.NEAR_T1], TURNS
        order = 0 if what == TURNS else 2 if at_corner else 1
        if chosen < 0 or abs(at - best) > SAME_INSTANT or (order == first and at != best):
            is_next = at < best
        else:
            is_next = order < first or (order == first and goes_first(tags, ints, neighbour, chosen))
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
    """Note what an event changes between W and a neighbour."""
    tags = candidates.tags
    if kind == TURNS:
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
            # Slid off both faces at one instant: W stays on the corner between them.
            other = 1 - (face >> 1)
            beyond = way[col.WAY_PLACE + other] > mighty_place(candidates.near, neighbour, other, time)
            tags[neighbour, col.TAG_CORNER] = 2 * other + (1 if beyond else 0)
        tags[neighbour, col.TAG_FACE] = face
        if time == 0.0 and is_sticky(neighbour, face, way, candidates, bodies.ints):
            tags[neighbour, col.TAG_BITS] |= col.BIT_HELD


@kernel()
def release_ends(
    count: int,
    time: float,
    way: Floats,
    candidates: Candidates,
    bodies: Bodies,
    knots: Floats,
) -> bool:
    """Let go of the faces whose end W has just come to; returns whether there were any.

    What stops W at that very instant would otherwise keep it on a face that it no longer overlaps.
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
