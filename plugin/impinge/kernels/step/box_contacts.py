"""Contacts of the weak box W at an instant: the faces that touch W, and those that press. `box_speeds` uses them."""

from __future__ import annotations

from impinge.kernels import columns as col
from impinge.kernels.arrays import Bodies, Candidates, Floats, FrameRows, Ints, Report
from impinge.kernels.compiler import kernel
from impinge.kernels.step.candidates import face_across, has_precedence, has_same_speed, leads_into, mighty_place
from impinge.kernels.step.events import write_event
from impinge.kernels.step.hook_answers import is_contact_answered

# A face as a number: 2 * axis + (1 for the high side).
TOP_FACE = 3


@kernel(inline=False)
def report_face(
    weak: int,
    neighbour: int,
    face: int,
    time: float,
    candidates: Candidates,
    bodies: Bodies,
    frame: FrameRows,
) -> None:
    """Record the contact of a face with W, and write its event once a frame."""
    tags = candidates.tags
    side = 1 << (face ^ 1)
    speed = candidates.near[neighbour, col.NEAR_VELOCITY + (face >> 1)]
    across = 1.0 if face & 1 else -1.0
    report = Report(time, (across, 0.0) if face < 2 else (0.0, across), across * speed)
    if frame.counts[col.LISTENS] and not is_contact_answered(neighbour, report, tags, frame):
        return
    bodies.ints[weak, col.SIDES] |= side
    if not bodies.floats[weak, col.FIRST_TOUCH] <= time:
        bodies.floats[weak, col.FIRST_TOUCH] = time
    if tags[neighbour, col.TAG_BITS] & col.BIT_REPORTED << face:
        return
    tags[neighbour, col.TAG_BITS] |= col.BIT_REPORTED << face
    write_event(weak, tags[neighbour, col.TAG_BODY], col.KIND_PUSH, side, report, bodies.ints, frame)


@kernel()
def touched_face(way: Floats, candidates: Candidates, neighbour: int, time: float) -> int:
    """Return the face of the candidate that W touches within the slop, -1 for none. A corner alone does not touch."""
    near = candidates.near
    slop = near[neighbour, col.NEAR_GAP]
    x = way[col.WAY_PLACE] - mighty_place(near, neighbour, 0, time)
    y = way[col.WAY_PLACE + 1] - mighty_place(near, neighbour, 1, time)
    gap_x = abs(x) - near[neighbour, col.NEAR_REACH]
    gap_y = abs(y) - near[neighbour, col.NEAR_REACH + 1]
    if gap_x > slop or gap_y > slop or (gap_x >= -slop and gap_y >= -slop):
        return -1
    # Rounding can put W a little deeper than the slop: then the nearer face counts.
    is_across_x = gap_x >= -slop or (gap_y < -slop and gap_x > gap_y)
    face = (1 if x > 0.0 else 0) if is_across_x else (3 if y > 0.0 else 2)
    if candidates.tags[neighbour, col.TAG_PASSES] >> face & 1:
        return -1
    return face


@kernel()
def is_sticky(neighbour: int, face: int, way: Floats, candidates: Candidates) -> bool:
    """Return whether a sticky face holds W: W moves relative to it [4], and W's own movement does not lead away."""
    if not candidates.tags[neighbour, col.TAG_STICKS] >> face & 1:
        return False
    if (
        way[col.WAY_OWN] == candidates.near[neighbour, col.NEAR_VELOCITY]
        and way[col.WAY_OWN + 1] == candidates.near[neighbour, col.NEAR_VELOCITY + 1]
    ):
        return False
    own = way[col.WAY_OWN + (face >> 1)]
    return own <= 0.0 if face & 1 else own >= 0.0


@kernel()
def gap_across_face(way: Floats, near: Floats, neighbour: int, face: int, time: float) -> float:
    """Return the gap between W and a face along the face's normal; negative if they overlap."""
    axis = face >> 1
    offset = way[col.WAY_PLACE + axis] - mighty_place(near, neighbour, axis, time)
    return (offset if face & 1 else -offset) - near[neighbour, col.NEAR_REACH + axis]


@kernel()
def has_left_face(way: Floats, near: Floats, neighbour: int, face: int, time: float) -> bool:
    """Return whether W has left a face that it touched: W is off the face, or past its end."""
    slop = near[neighbour, col.NEAR_GAP]
    along = 1 - (face >> 1)
    offset = way[col.WAY_PLACE + along] - mighty_place(near, neighbour, along, time)
    return (
        gap_across_face(way, near, neighbour, face, time) > slop
        or abs(offset) > near[neighbour, col.NEAR_REACH + along] + slop
    )


@kernel()
def refresh_contacts(count: int, way: Floats, candidates: Candidates, time: float) -> tuple[int, int]:
    """Remove the contacts that have opened since the last iteration, and find the new ones.

    Returns
    -------
    tuple of int
        The first candidate in contact, and the one after the last: few of many candidates are between the two.
    """
    near, tags, first, end = candidates.near, candidates.tags, count, count
    for neighbour in range(count):
        bits = tags[neighbour, col.TAG_BITS] & ~col.BIT_ACTIVE
        face = tags[neighbour, col.TAG_FACE]
        if face >= 0 and has_left_face(way, near, neighbour, face, time):
            face = -1
            bits &= ~(col.BIT_HELD | col.BIT_SQUEEZED)
        if face < 0 and not bits & col.BIT_IGNORED:
            face = touched_face(way, candidates, neighbour, time)
        if face >= 0:
            if gap_across_face(way, near, neighbour, face, time) < -near[neighbour, col.NEAR_GAP]:
                bits |= col.BIT_SQUEEZED
            else:
                bits &= ~col.BIT_SQUEEZED
        tags[neighbour, col.TAG_FACE] = face
        tags[neighbour, col.TAG_BITS] = bits
        if face >= 0 or tags[neighbour, col.TAG_CORNER] >= 0:
            first, end = min(first, neighbour), neighbour + 1
    return first, end


@kernel()
def clear_instant_flags(count: int, tags: Ints) -> None:
    """Clear the state of one instant: the faces that W has just slid off, and the corners that it stays on."""
    for neighbour in range(count):
        tags[neighbour, col.TAG_BITS] &= ~(col.BIT_RELEASED | col.BIT_RELEASED << 1)
        if tags[neighbour, col.TAG_CORNER] >= 0:
            tags[neighbour, col.TAG_CORNER] = tags[neighbour, col.TAG_FACE] = -1


@kernel()
def presses(neighbour: int, face: int, way: Floats, candidates: Candidates) -> bool:
    """Return whether a face in contact presses on W, given the target velocity and the velocity of W."""
    near = candidates.near
    axis = face >> 1
    speed = way[col.WAY_SPEED + axis]
    if leads_into(speed, near, neighbour, face):
        return True
    if not has_same_speed(speed, near, neighbour, axis):
        return False
    holds = candidates.tags[neighbour, col.TAG_BITS] & col.BIT_HELD or candidates.tags[neighbour, col.TAG_CORNER] >= 0
    return bool(holds) or leads_into(way[col.WAY_TARGET + axis], near, neighbour, face)


@kernel()
def report_contacts(
    weak: int,
    contacts: tuple[int, int],
    way: Floats,
    hold: Ints,
    time: float,
    candidates: Candidates,
    bodies: Bodies,
    frame: FrameRows,
) -> None:
    """Mark the contacts that press on W in this iteration, and report them."""
    ints, near, tags = bodies.ints, candidates.near, candidates.tags
    ints[weak, col.BLOCKED] = 0
    ints[weak, col.FLOOR] = -1
    floor = -1
    for neighbour in range(contacts[0], contacts[1]):
        for axis in range(2):
            face = face_across(tags, neighbour, axis)
            if face < 0:
                continue
            if neighbour != hold[col.HOLD_BINDER + axis] and not presses(neighbour, face, way, candidates):
                continue
            tags[neighbour, col.TAG_BITS] |= col.BIT_ACTIVE
            if leads_into(way[col.WAY_SPEED + axis], near, neighbour, face):
                tags[neighbour, col.TAG_BITS] |= col.BIT_SQUEEZED
            ints[weak, col.BLOCKED] |= 1 << (face ^ 1)
            if face == TOP_FACE and has_precedence(tags, ints, neighbour, floor):
                floor = neighbour
                ints[weak, col.FLOOR] = tags[neighbour, col.TAG_BODY]
                bodies.floats[weak, col.FLOOR_SPEED] = near[neighbour, col.NEAR_VELOCITY]
                bodies.floats[weak, col.FLOOR_SPEED + 1] = near[neighbour, col.NEAR_VELOCITY + 1]
            report_face(weak, neighbour, face, time, candidates, bodies, frame)
