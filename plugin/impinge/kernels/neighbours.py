"""The bodies near one weak box: a row each in `near` (floats) and `tags` (ints), and what is asked of one of them.

In all that follows W is the weak box, and a neighbour is a mightier one, M, that its query has found. A neighbour that
moves on a bent path is looked at one straight stretch at a time.
"""

from __future__ import annotations

import numpy as np

from impinge.kernels.compiler import kernel
from impinge.kernels.layout import (
    ANGLE,
    CARRYING,
    END,
    END_ANGLE,
    FIRST_KNOT,
    GOAL,
    HALF,
    KNOT_COUNT,
    KNOT_PLACE,
    KNOT_TIME,
    LOWER_REACH,
    MIGHT,
    ORDER,
    PASSABLE,
    RESPONSE,
    SIZE,
    START,
    STICKY,
    UPPER_REACH,
    Floats,
    Ints,
)
from impinge.kernels.tolerances import ROUNDING, SLOP

# A neighbour, `near`: its present straight stretch from T0 to T1, and the pair's own figures.
T0 = 0
T1 = 1
FROM = 2  # where it stands at T0
TO = 4  # where it stands at T1
VELOCITY = 6
REACH = 8  # sum of the half extents: they overlap on an axis where |W - M| < REACH
GAP = 10  # the pair's slop
NOISE = 11  # the part of it that is rounding: what is nearer is at the same instant
TURNED = 12  # its angle at T0
SPIN = 13  # radians a frame
STUCK_NORMAL = 14  # by which it pressed when W got stuck between it and a mightier one, 2 columns
CHAIN_FROM = 16  # where W was, as M sees it, when the chain in place of its outline was taken, 2 columns
CHAIN_ROOM = 18  # how far W may get from there; 0 if M is whole
NEAR_COLUMNS = 19

# A neighbour, `tags`.
BODY = 0
FACE = 1  # face of M that W touches: 2 * axis + (1 for the high side), -1 for none
CORNER = 2  # the second face where W is pinned on a corner, -1 otherwise
STRETCH = 3  # which stretch of its bent path
BITS = 4
RULE = 5  # the response of the pair
CARRIES = 6  # these three: sides of M, as of this pair
STICKS = 7
PASSES = 8
SEQUENCE = 9  # of row i, the neighbour that is the i-th by might and age: what is added up depends on the order
# What the two are to each other, in `solids`: columns of the solid in its own frame and as it stands, and how many.
SOLID_M = 10
STANDING_M = 11
COLUMNS_M = 12
SOLID_W = 13
STANDING_W = 14
COLUMNS_W = 15
WHOLE = 16  # M's own three of these, while they are those of a chain of its outline
CHAIN = 19  # columns of such a chain in its own frame, -1 for none
CHAIN_STANDING = 20  # and as it stands
TAG_COLUMNS = 21
IGNORED = 1  # W came in by a passable side and has not left yet [8]
HELD = 2  # on a sticky face since t = 0 [9]
SQUEEZED = 4  # overlaps W, or will, as W has nowhere else to go [10]
ACTIVE = 8  # presses on W, or holds it
RELEASED = 16  # << axis: W slid off that face at this very instant
SETTLED = 64  # W was moved out of it at the frame's start
REPORTED = 256  # << face: a push event was written
REPORTED_STUCK = 4096  # << face: a stuck event was written
TOUCHED = 65536  # W touches it, or is in it, in this turn


@kernel()
def mighty_place(near: Floats, neighbour: int, axis: int, time: float) -> float:
    """Return where a neighbour stands; exactly its end at the end of its stretch."""
    if time >= near[neighbour, T1]:
        return near[neighbour, TO + axis]
    return near[neighbour, FROM + axis] + near[neighbour, VELOCITY + axis] * (time - near[neighbour, T0])


@kernel()
def angle_of_mighty(near: Floats, neighbour: int, time: float) -> float:
    """Return the angle of a neighbour at a time."""
    return near[neighbour, TURNED] + near[neighbour, SPIN] * (time - near[neighbour, T0])


@kernel(inline=False)
def load_stretch(near: Floats, tags: Ints, neighbour: int, floats: Floats, ints: Ints, knots: Floats) -> None:
    """Copy the neighbour's present straight stretch to `near`."""
    body = tags[neighbour, BODY]
    count = ints[body, KNOT_COUNT]
    near[neighbour, SPIN] = floats[body, END_ANGLE] - floats[body, ANGLE]
    near[neighbour, TURNED] = floats[body, ANGLE]
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
    near[neighbour, TURNED] += near[neighbour, SPIN] * near[neighbour, T0]
    for axis in range(2):
        near[neighbour, FROM + axis] = knots[knot, KNOT_PLACE + axis]
        near[neighbour, TO + axis] = knots[knot + 1, KNOT_PLACE + axis]
        near[neighbour, VELOCITY + axis] = (near[neighbour, TO + axis] - near[neighbour, FROM + axis]) / lasting


@kernel()
def farthest(floats: Floats, body: int) -> float:
    """Largest coordinate that a body has in this frame: scales the rounding part of the slop."""
    result = 0.0
    for axis in range(2):
        reach = max(abs(floats[body, START + axis]), abs(floats[body, GOAL + axis]))
        reach += max(floats[body, UPPER_REACH + axis], -floats[body, LOWER_REACH + axis])
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
    tags[neighbour, RULE] = max(ints[weak, RESPONSE], ints[mighty, RESPONSE])
    tags[neighbour, CARRIES], tags[neighbour, STICKS] = ints[mighty, CARRYING], ints[mighty, STICKY]
    tags[neighbour, PASSES] = ints[mighty, PASSABLE]
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


@kernel()
def face_across(tags: Ints, neighbour: int, axis: int) -> int:
    """Return the face by which the neighbour touches W across an axis, -1 for none."""
    if tags[neighbour, FACE] >> 1 == axis:
        return tags[neighbour, FACE]
    if tags[neighbour, CORNER] >> 1 == axis:
        return tags[neighbour, CORNER]
    return -1


@kernel()
def leads_into(speed: float, near: Floats, neighbour: int, face: int) -> bool:
    """Whether a velocity across a face of the neighbour leads W into it, by more than rounding in a frame."""
    closing = near[neighbour, VELOCITY + (face >> 1)] - speed
    return (closing if face & 1 else -closing) > near[neighbour, NOISE]


@kernel()
def keeps_up(speed: float, near: Floats, neighbour: int, axis: int) -> bool:
    """Whether a velocity is the neighbour's own on an axis.

    But for rounding: two crates that one wall pushes have velocities that differ in the last bit, and W, level with
    both, is on both.
    """
    return abs(near[neighbour, VELOCITY + axis] - speed) <= near[neighbour, NOISE]
