"""Candidates of one weak body W: a row each in `near` (floats) and `tags` (ints), and functions of one row.

A candidate is a mightier body M that the broadphase found for W. If M moves on a bent path, its row has one straight
stretch of that path at a time.
"""

from __future__ import annotations

import numpy as np

from impinge.kernels import columns as col
from impinge.kernels.arrays import Bodies, Candidates, Floats, Ints, Vector
from impinge.kernels.compiler import kernel
from impinge.kernels.tolerances import ROUNDING, SLOP

# A later event belongs to t = 0 of the next frame: an event exactly at the end must not depend on rounding.
LAST_INSTANT = 1.0 - 8 * 2.220446049250313e-16


@kernel()
def mighty_place(near: Floats, neighbour: int, axis: int, time: float) -> float:
    """Return the place of a candidate on an axis; exactly the end of its stretch at the stretch's end."""
    if time >= near[neighbour, col.NEAR_T1]:
        return near[neighbour, col.NEAR_TO + axis]
    return near[neighbour, col.NEAR_FROM + axis] + near[neighbour, col.NEAR_VELOCITY + axis] * (
        time - near[neighbour, col.NEAR_T0]
    )


@kernel()
def relative_place(near: Floats, neighbour: int, way: Floats) -> Vector:
    """Return the present place of a solid W relative to a candidate."""
    time = way[col.WAY_TIME]
    return (
        way[col.WAY_PLACE] - mighty_place(near, neighbour, 0, time),
        way[col.WAY_PLACE + 1] - mighty_place(near, neighbour, 1, time),
    )


@kernel()
def relative_velocity(near: Floats, neighbour: int, way: Floats) -> Vector:
    """Return the present velocity of a solid W relative to a candidate."""
    return (
        way[col.WAY_SPEED] - near[neighbour, col.NEAR_VELOCITY],
        way[col.WAY_SPEED + 1] - near[neighbour, col.NEAR_VELOCITY + 1],
    )


@kernel()
def angle_of_mighty(near: Floats, neighbour: int, time: float) -> float:
    """Return the angle of a candidate at a time."""
    return near[neighbour, col.NEAR_ANGLE] + near[neighbour, col.NEAR_SPIN] * (time - near[neighbour, col.NEAR_T0])


@kernel(inline=False)
def load_stretch(candidates: Candidates, neighbour: int, bodies: Bodies, knots: Floats) -> None:
    """Copy the candidate's present straight stretch to `near`."""
    floats, near = bodies.floats, candidates.near
    body = candidates.tags[neighbour, col.TAG_BODY]
    count = bodies.ints[body, col.KNOT_COUNT]
    near[neighbour, col.NEAR_SPIN] = floats[body, col.REACHED_ANGLE] - floats[body, col.ANGLE]
    near[neighbour, col.NEAR_ANGLE] = floats[body, col.ANGLE]
    if count == 0:
        near[neighbour, col.NEAR_T0] = 0.0
        near[neighbour, col.NEAR_T1] = 1.0
        for axis in range(2):
            near[neighbour, col.NEAR_FROM + axis] = floats[body, col.START + axis]
            near[neighbour, col.NEAR_TO + axis] = floats[body, col.REACHED + axis]
            near[neighbour, col.NEAR_VELOCITY + axis] = (
                floats[body, col.REACHED + axis] - floats[body, col.START + axis]
            )
        return
    knot = bodies.ints[body, col.FIRST_KNOT] + candidates.tags[neighbour, col.TAG_STRETCH]
    near[neighbour, col.NEAR_T0] = knots[knot, col.KNOT_TIME]
    near[neighbour, col.NEAR_T1] = knots[knot + 1, col.KNOT_TIME]
    lasting = near[neighbour, col.NEAR_T1] - near[neighbour, col.NEAR_T0]
    near[neighbour, col.NEAR_ANGLE] += near[neighbour, col.NEAR_SPIN] * near[neighbour, col.NEAR_T0]
    for axis in range(2):
        near[neighbour, col.NEAR_FROM + axis] = knots[knot, col.KNOT_PLACE + axis]
        near[neighbour, col.NEAR_TO + axis] = knots[knot + 1, col.KNOT_PLACE + axis]
        near[neighbour, col.NEAR_VELOCITY + axis] = (
            near[neighbour, col.NEAR_TO + axis] - near[neighbour, col.NEAR_FROM + axis]
        ) / lasting


@kernel()
def time_to_bend(count: int, time: float, near: Floats) -> float:
    """Return the time until the next bend of any candidate's path, or until the frame ends."""
    until = 1.0
    for neighbour in range(count):
        if near[neighbour, col.NEAR_T1] < LAST_INSTANT:
            until = min(until, near[neighbour, col.NEAR_T1])
    return until - time


@kernel()
def largest_coordinate(floats: Floats, body: int) -> float:
    """Return the largest coordinate that a body has in this frame; it scales the rounding part of the slop."""
    result = 0.0
    for axis in range(2):
        reach = max(abs(floats[body, col.START + axis]), abs(floats[body, col.GOAL + axis]))
        reach += max(floats[body, col.UPPER_REACH + axis], -floats[body, col.LOWER_REACH + axis])
        result = max(result, reach)
    return result


@kernel()
def write_candidate(
    candidates: Candidates,
    neighbour: int,
    weak: int,
    mighty: int,
    bodies: Bodies,
    knots: Floats,
) -> None:
    """Write the row of a new candidate, at the frame's start."""
    floats, ints, near, tags = bodies.floats, bodies.ints, candidates.near, candidates.tags
    tags[neighbour, col.TAG_BODY] = mighty
    tags[neighbour, col.TAG_FACE] = -1
    tags[neighbour, col.TAG_CORNER] = -1
    tags[neighbour, col.TAG_STRETCH] = 0
    tags[neighbour, col.TAG_BITS] = 0
    tags[neighbour, col.TAG_RULE] = max(ints[weak, col.RESPONSE], ints[mighty, col.RESPONSE])
    tags[neighbour, col.TAG_CARRIES], tags[neighbour, col.TAG_STICKS] = (
        ints[mighty, col.CARRYING],
        ints[mighty, col.STICKY],
    )
    tags[neighbour, col.TAG_PASSES] = ints[mighty, col.PASSABLE]
    load_stretch(candidates, neighbour, bodies, knots)
    for axis in range(2):
        near[neighbour, col.NEAR_REACH + axis] = floats[weak, col.HALF + axis] + floats[mighty, col.HALF + axis]
    near[neighbour, col.NEAR_NOISE] = ROUNDING * max(
        largest_coordinate(floats, weak), largest_coordinate(floats, mighty)
    )
    near[neighbour, col.NEAR_GAP] = (
        SLOP * min(floats[weak, col.SIZE], floats[mighty, col.SIZE]) + near[neighbour, col.NEAR_NOISE]
    )


@kernel()
def comes_first(body: int, rival: int, ints: Ints) -> bool:
    """Return whether a body takes precedence over another one, -1 for none: the mightier, of equals the first added."""
    if rival < 0:
        return True
    if ints[body, col.MIGHT] != ints[rival, col.MIGHT]:
        return bool(ints[body, col.MIGHT] > ints[rival, col.MIGHT])
    return bool(ints[body, col.ORDER] < ints[rival, col.ORDER])


@kernel()
def has_precedence(tags: Ints, ints: Ints, neighbour: int, other: int) -> bool:
    """Return whether a candidate takes precedence over another, -1 for none."""
    return comes_first(tags[neighbour, col.TAG_BODY], tags[other, col.TAG_BODY] if other >= 0 else -1, ints)


@kernel()
def overlaps_at(near: Floats, neighbour: int, x: float, y: float) -> bool:
    """Return whether W at (x, y) overlaps the candidate at the start of its stretch by more than the slop."""
    slop = near[neighbour, col.NEAR_GAP]
    return (
        abs(x - near[neighbour, col.NEAR_FROM]) < near[neighbour, col.NEAR_REACH] - slop
        and abs(y - near[neighbour, col.NEAR_FROM + 1]) < near[neighbour, col.NEAR_REACH + 1] - slop
    )


@kernel()
def shortest_way_out(near: Floats, neighbour: int, x: float, y: float) -> tuple[float, int]:
    """Return the shortest way of W at (x, y) out of a candidate: distance and face. Ties: the first face [3]."""
    best, best_face = np.inf, 0
    for face in range(4):
        axis = face >> 1
        offset = (x if axis == 0 else y) - near[neighbour, col.NEAR_FROM + axis]
        way = (
            near[neighbour, col.NEAR_REACH + axis] - offset
            if face & 1
            else near[neighbour, col.NEAR_REACH + axis] + offset
        )
        if way < best:
            best, best_face = way, face
    return best, best_face


@kernel()
def face_across(tags: Ints, neighbour: int, axis: int) -> int:
    """Return the candidate's face across an axis that is in contact with W, -1 for none."""
    if tags[neighbour, col.TAG_FACE] >> 1 == axis:
        return tags[neighbour, col.TAG_FACE]
    if tags[neighbour, col.TAG_CORNER] >> 1 == axis:
        return tags[neighbour, col.TAG_CORNER]
    return -1


@kernel()
def leads_into(speed: float, near: Floats, neighbour: int, face: int) -> bool:
    """Return whether a velocity across a face of the candidate leads W into it, by more than rounding in a frame."""
    closing = near[neighbour, col.NEAR_VELOCITY + (face >> 1)] - speed
    return (closing if face & 1 else -closing) > near[neighbour, col.NEAR_NOISE]


@kernel()
def has_same_speed(speed: float, near: Floats, neighbour: int, axis: int) -> bool:
    """Return whether a velocity on an axis equals the candidate's, up to rounding.

    Two crates that one wall pushes have velocities that differ in the last bit. A body W that is level with both is in
    contact with both.
    """
    return abs(near[neighbour, col.NEAR_VELOCITY + axis] - speed) <= near[neighbour, col.NEAR_NOISE]
