"""What is made good at the end of a span or of a frame, so that neither turning nor rounding takes W off a touch."""

from __future__ import annotations

import math

from impinge.kernels.compiler import kernel
from impinge.kernels.ending import may_turn_in
from impinge.kernels.layout import (
    ANCHOR,
    ANCHORED,
    FARTHEST,
    FIRST_POINT,
    MIGHT,
    POINT,
    POINT_COLUMNS,
    POINT_TOTAL,
    START,
    Floats,
    Ints,
)
from impinge.kernels.legs import ANGLE_NOW, PLACE, SPAN, SPEED, WHIRL
from impinge.kernels.meeting import free_share
from impinge.kernels.neighbours import BITS, BODY, GAP, IGNORED, PASSES, SOLID_W, SPIN, VELOCITY, mighty_place
from impinge.kernels.reporting import report_touch
from impinge.kernels.seams import is_corner
from impinge.kernels.separation import both_radii, core_gap
from impinge.kernels.touch_rows import (
    ACROSS,
    CHOSEN,
    DEPTH,
    DROPPED,
    FEATURE,
    FORCED,
    FUZZ,
    IDLE,
    JAMMED,
    LIMIT,
    PIECE_M,
    PIECE_W,
    PINNED,
    PRESSES,
    STATE,
    SURFACE,
    TOUCHING,
    TWIST,
    VERTICES,
    WHO,
)
from impinge.kernels.touches import room_along, rotated, stand_neighbour, stand_weak, turns_now
from impinge.kernels.yielding import chosen_normal

# Part of the way that a surface goes in an even span, within which it is followed when it has turned away.
EVEN_LEFT = 1.0 / 64.0
# How often W is put back in touch with all that it touches at the end of a span.
TOUCH_ROUNDS = 3


@kernel(inline=False)
def reach_of_piece(solids: Floats, piece: int, nx: float, ny: float) -> float:
    """How far a core reaches in a direction."""
    first, total = int(solids[piece + FIRST_POINT]), int(solids[piece + POINT_TOTAL])
    reach = -math.inf
    for at in range(first, first + POINT_COLUMNS * total, POINT_COLUMNS):
        reach = max(reach, nx * solids[at + POINT] + ny * solids[at + POINT + 1])
    return reach


@kernel(inline=False)
def gap_of_touch(
    touch: int, time: float, rest: float, way: Floats, near: Floats, solids: Floats, touches: Floats
) -> tuple[float, float, float]:
    """How far W is off what it has touched for `rest`, by the side that it did so by, and the normal there now."""
    nx, ny, _, owner = chosen_normal(touch, touches)
    side = 1 if touches[touch, CHOSEN] == 2.0 else 0
    neighbour = int(touches[owner, WHO])
    piece_m, piece_w = int(touches[owner, PIECE_M]), int(touches[owner, PIECE_W])
    dx = way[PLACE] - mighty_place(near, neighbour, 0, time)
    dy = way[PLACE + 1] - mighty_place(near, neighbour, 1, time)
    radius = both_radii(solids, piece_m, solids, piece_w)
    if touches[touch, FEATURE + side] == VERTICES:
        gap, nx, ny = core_gap(solids, piece_m, solids, piece_w, dx, dy, near[neighbour, FUZZ], math.inf)
        return gap - radius, nx, ny
    # Seen by that side, W is never on the wrong side of a wall, be both of them ever so thin.
    nx, ny = rotated(nx, ny, touches[touch, TWIST + side] * (2.0 * rest / way[SPAN] - 1.0))
    reach = reach_of_piece(solids, piece_m, nx, ny) + reach_of_piece(solids, piece_w, -nx, -ny)
    return nx * dx + ny * dy - reach - radius, nx, ny


@kernel(inline=False)
def is_beside(
    touch: int, nx: float, ny: float, time: float, way: Floats, near: Floats, solids: Floats, touches: Floats
) -> bool:
    """Whether W is still before the edge that it has touched, and not past one of its ends."""
    neighbour = int(touches[touch, WHO])
    dx = way[PLACE] - mighty_place(near, neighbour, 0, time)
    dy = way[PLACE + 1] - mighty_place(near, neighbour, 1, time)
    back, ahead = room_along(touch, nx, ny, dx, dy, near[neighbour, FUZZ], solids, touches)
    return min(back, ahead) >= 0.0


@kernel(inline=False)
def keep_in_touch(
    weak: int,
    total: int,
    count: int,
    straying: float,
    time: float,
    rest: float,
    way: Floats,
    near: Floats,
    tags: Ints,
    ints: Ints,
    solids: Floats,
    touches: Floats,
    counts: Ints,
) -> bool:
    """Make good, at the end of a span, what has turned otherwise than evenly: draw W to what presses on it, and off.

    Returns whether W had sunk into something by more than the slop.
    """
    from_x, from_y = way[PLACE], way[PLACE + 1]
    if turns_now(weak, way[WHIRL], ints):
        stand_weak(weak, count, way[ANGLE_NOW], tags, ints, solids, counts)
    was_sunk, shifted = False, 0.0
    for turn in range(TOUCH_ROUNDS):
        moved = False
        for touch in range(total - 1, -1, -1):
            # The mightiest last: W is never pressed through one by a lesser one.
            presses = touches[touch, STATE] == PRESSES
            if (
                touches[touch, FORCED] == PINNED
                or touches[touch, FEATURE] == JAMMED
                or not (presses or may_turn_in(touch, touches))
            ):
                continue
            neighbour = int(touches[touch, WHO])
            stand_neighbour(neighbour, time, near, tags, ints, solids)
            gap, nx, ny = gap_of_touch(touch, time, rest, way, near, solids, touches)
            if not presses and (gap > 0.0 or not is_beside(touch, nx, ny, time, way, near, solids, touches)):
                continue
            fastest = abs(touches[touch, SURFACE]) + abs(touches[touch, SURFACE + 1])
            if turns_now(weak, way[WHIRL], ints):
                fastest += abs(way[WHIRL]) * solids[tags[neighbour, SOLID_W] + FARTHEST]
            bound = EVEN_LEFT * (fastest + abs(way[SPEED]) + abs(way[SPEED + 1])) * rest
            slop = near[neighbour, GAP]
            # Off it in any case, and to it just once: who cannot do both is pressed off.
            # A contact that draws W to it may have drawn it into this one, even through a thin wall.
            if -bound - shifted <= gap < 0.0 or (turn == 0 and slop < gap <= bound):
                way[PLACE] += (0.5 * slop - gap) * nx
                way[PLACE + 1] += (0.5 * slop - gap) * ny
                shifted += abs(0.5 * slop - gap)
                moved, was_sunk = True, was_sunk or gap < -slop
        if not moved:
            break
    x, y, strays = way[PLACE] - from_x, way[PLACE + 1] - from_y, straying * rest * rest
    if x * x + y * y > strays * strays:
        # The span was short enough for what strays, and not for what had sunk in before: in a wedge that is much more.
        way[PLACE], way[PLACE + 1] = from_x, from_y
        share = free_share(count, total, ints[weak, MIGHT], x, y, time, way, near, tags, ints, solids, touches)
        way[PLACE], way[PLACE + 1] = from_x + share * x, from_y + share * y
    return was_sunk


@kernel(inline=False)
def sinks_in(axis: int, shift: float, total: int, near: Floats, touches: Floats) -> bool:
    """Whether a shift along an axis, by a slop of one contact, sinks W into another one, of smaller bodies, by more."""
    for touch in range(total):
        inwards = -touches[touch, ACROSS + axis] * shift
        if touches[touch, STATE] != DROPPED and inwards > near[int(touches[touch, WHO]), GAP]:
            return True
    return False


@kernel(inline=False)
def settle(
    weak: int, total: int, way: Floats, near: Floats, tags: Ints, ints: Ints, solids: Floats, touches: Floats
) -> None:
    """Put W at the frame's end exactly onto the sides along an axis that press on it: no frame adds its rounding.

    Off those that do not press, if it has sunk in.
    """
    for touch in range(total):
        presses = touches[touch, STATE] == PRESSES
        nx, ny, _, owner = chosen_normal(touch, touches)
        neighbour = int(touches[owner, WHO])
        if not presses and (touches[touch, STATE] != IDLE or tags[neighbour, PASSES] or is_corner(touches, touch)):
            continue
        if turns_now(tags[neighbour, BODY], near[neighbour, SPIN], ints) or turns_now(weak, way[WHIRL], ints):
            continue
        for axis in range(2):
            across = nx if axis == 0 else ny
            if abs(across) != 1.0:
                continue
            piece_m, piece_w = int(touches[owner, PIECE_M]), int(touches[owner, PIECE_W])
            off = both_radii(solids, piece_m, solids, piece_w)
            off += reach_of_piece(solids, piece_m, nx, ny) + reach_of_piece(solids, piece_w, -nx, -ny)
            place = mighty_place(near, neighbour, axis, 1.0) + across * off
            shift = place - way[PLACE + axis]
            # W may have sunk into a side that does not press, by the rounding of a velocity.
            is_near = abs(shift) <= 4.0 * (near[neighbour, GAP] + near[neighbour, FUZZ])
            if is_near and (presses or shift * across > 0.0) and not sinks_in(axis, shift, total, near, touches):
                way[PLACE + axis] = place


@kernel(inline=False)
def ride(
    weak: int,
    carrier: int,
    is_one_leg: bool,
    way: Floats,
    near: Floats,
    tags: Ints,
    floats: Floats,
    ints: Ints,
    touches: Floats,
) -> None:
    """Keep W at the very offset that it has from what it rides on, or rounding would make it creep."""
    neighbour = -1
    if carrier >= 0 and is_one_leg:
        _, _, _, owner = chosen_normal(carrier, touches)
        neighbour = int(touches[owner, WHO])
    for axis in range(2):
        rode = ints[weak, ANCHORED + axis]
        ints[weak, ANCHORED + axis] = -1
        if neighbour < 0 or way[SPEED + axis] != near[neighbour, VELOCITY + axis]:
            continue
        if near[neighbour, VELOCITY + axis] == 0.0:
            continue
        body = tags[neighbour, BODY]
        start, end = mighty_place(near, neighbour, axis, 0.0), mighty_place(near, neighbour, axis, 1.0)
        anchor = floats[weak, START + axis] - start
        # What it was in the frame before is what the game sees: the same place.
        if rode == body and start + floats[weak, ANCHOR + axis] == floats[weak, START + axis]:
            anchor = floats[weak, ANCHOR + axis]
        ints[weak, ANCHORED + axis] = body
        floats[weak, ANCHOR + axis] = anchor
        way[PLACE + axis] = end + anchor


@kernel(inline=False)
def report_left(
    weak: int,
    total: int,
    near: Floats,
    tags: Ints,
    floats: Floats,
    ints: Ints,
    touches: Floats,
    verdicts: Floats,
    events: Floats,
    counts: Ints,
) -> None:
    """Report W as stuck in what it still overlaps at the frame's end."""
    for touch in range(total):
        neighbour = int(touches[touch, WHO])
        if touches[touch, STATE] == DROPPED or touches[touch, DEPTH] >= -near[neighbour, TOUCHING]:
            continue
        if tags[neighbour, BITS] & IGNORED == 0 and not is_corner(touches, touch):
            nx, ny, speed = touches[touch, ACROSS], touches[touch, ACROSS + 1], touches[touch, LIMIT]
            report_touch(weak, neighbour, nx, ny, speed, True, 1.0, near, tags, floats, ints, verdicts, events, counts)
