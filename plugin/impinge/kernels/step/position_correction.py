"""What is made good at the end of a span or of a frame, so that neither turning nor rounding takes W off a touch."""

from __future__ import annotations

import math

from impinge.kernels import columns as col
from impinge.kernels.arrays import Bodies, Candidates, Floats, FrameRows, Ints
from impinge.kernels.compiler import kernel
from impinge.kernels.pair.separation import both_radii, core_gap
from impinge.kernels.step.candidates import mighty_place
from impinge.kernels.step.contact_lifetime import may_turn_in
from impinge.kernels.step.contact_planes import chosen_normal
from impinge.kernels.step.contacts import room_along, rotated, stand_neighbour, stand_weak, turns_now
from impinge.kernels.step.events import report_touch
from impinge.kernels.step.internal_edges import is_corner
from impinge.kernels.step.next_contact import free_share

# Part of the way that a surface goes in an even span, within which it is followed when it has turned away.
EVEN_LEFT = 1.0 / 64.0
# How often W is put back in touch with all that it touches at the end of a span.
TOUCH_ROUNDS = 3


@kernel(inline=False)
def reach_of_piece(solids: Floats, piece: int, nx: float, ny: float) -> float:
    """How far a core reaches in a direction."""
    first, total = int(solids[piece + col.FIRST_POINT]), int(solids[piece + col.POINT_TOTAL])
    reach = -math.inf
    for at in range(first, first + col.POINT_COLUMNS * total, col.POINT_COLUMNS):
        reach = max(reach, nx * solids[at + col.POINT] + ny * solids[at + col.POINT + 1])
    return reach


@kernel(inline=False)
def gap_of_touch(
    touch: int, time: float, rest: float, way: Floats, near: Floats, solids: Floats, touches: Floats
) -> tuple[float, float, float]:
    """How far W is off what it has touched for `rest`, by the side that it did so by, and the normal there now."""
    nx, ny, _, owner = chosen_normal(touch, touches)
    side = 1 if touches[touch, col.TOUCH_CHOSEN] == 2.0 else 0
    neighbour = int(touches[owner, col.TOUCH_NEIGHBOUR])
    piece_m, piece_w = int(touches[owner, col.TOUCH_PIECE_M]), int(touches[owner, col.TOUCH_PIECE_W])
    dx = way[col.WAY_PLACE] - mighty_place(near, neighbour, 0, time)
    dy = way[col.WAY_PLACE + 1] - mighty_place(near, neighbour, 1, time)
    radius = both_radii(solids, piece_m, solids, piece_w)
    if touches[touch, col.TOUCH_FEATURE + side] == col.FEATURE_VERTICES:
        gap, nx, ny = core_gap(solids, piece_m, solids, piece_w, dx, dy, near[neighbour, col.NEAR_FUZZ], math.inf)
        return gap - radius, nx, ny
    # Seen by that side, W is never on the wrong side of a wall, be both of them ever so thin.
    nx, ny = rotated(nx, ny, touches[touch, col.TOUCH_TWIST + side] * (2.0 * rest / way[col.WAY_SPAN] - 1.0))
    reach = reach_of_piece(solids, piece_m, nx, ny) + reach_of_piece(solids, piece_w, -nx, -ny)
    return nx * dx + ny * dy - reach - radius, nx, ny


@kernel(inline=False)
def is_beside(
    touch: int, nx: float, ny: float, time: float, way: Floats, near: Floats, solids: Floats, touches: Floats
) -> bool:
    """Whether W is still before the edge that it has touched, and not past one of its ends."""
    neighbour = int(touches[touch, col.TOUCH_NEIGHBOUR])
    dx = way[col.WAY_PLACE] - mighty_place(near, neighbour, 0, time)
    dy = way[col.WAY_PLACE + 1] - mighty_place(near, neighbour, 1, time)
    back, ahead = room_along(touch, nx, ny, dx, dy, near[neighbour, col.NEAR_FUZZ], solids, touches)
    return min(back, ahead) >= 0.0


@kernel(inline=False)
def keep_in_touch(
    weak: int, way: Floats, candidates: Candidates, bodies: Bodies, touches: Floats, counts: Ints, run: Ints
) -> bool:
    """Make good, at the end of a span, what has turned otherwise than evenly: draw W to what presses on it, and off.

    Returns whether W had sunk into something by more than the slop.
    """
    total, count = run[col.RUN_TOTAL], run[col.RUN_ACTIVE]
    time, rest, straying = way[col.WAY_TIME], way[col.WAY_REST], way[col.WAY_STRAYING]
    ints, solids, near = bodies.ints, bodies.solids, candidates.near
    from_x, from_y = way[col.WAY_PLACE], way[col.WAY_PLACE + 1]
    if turns_now(weak, way[col.WAY_WHIRL], ints):
        stand_weak(weak, count, way[col.WAY_ANGLE], candidates.tags, bodies, counts)
    was_sunk, shifted = False, 0.0
    for turn in range(TOUCH_ROUNDS):
        moved = False
        for touch in range(total - 1, -1, -1):
            # The mightiest last: W is never pressed through one by a lesser one.
            presses = touches[touch, col.TOUCH_STATE] == col.STATE_PRESSES
            if (
                touches[touch, col.TOUCH_FORCED] == col.FORCED_PINNED
                or touches[touch, col.TOUCH_FEATURE] == col.FEATURE_JAMMED
                or not (presses or may_turn_in(touch, touches))
            ):
                continue
            neighbour = int(touches[touch, col.TOUCH_NEIGHBOUR])
            stand_neighbour(neighbour, time, candidates, bodies)
            gap, nx, ny = gap_of_touch(touch, time, rest, way, near, solids, touches)
            if not presses and (gap > 0.0 or not is_beside(touch, nx, ny, time, way, near, solids, touches)):
                continue
            fastest = abs(touches[touch, col.TOUCH_SURFACE]) + abs(touches[touch, col.TOUCH_SURFACE + 1])
            if turns_now(weak, way[col.WAY_WHIRL], ints):
                fastest += abs(way[col.WAY_WHIRL]) * solids[candidates.tags[neighbour, col.TAG_SOLID_W] + col.FARTHEST]
            bound = EVEN_LEFT * (fastest + abs(way[col.WAY_SPEED]) + abs(way[col.WAY_SPEED + 1])) * rest
            slop = near[neighbour, col.NEAR_GAP]
            # Off it in any case, and to it just once: who cannot do both is pressed off.
            # A contact that draws W to it may have drawn it into this one, even through a thin wall.
            if -bound - shifted <= gap < 0.0 or (turn == 0 and slop < gap <= bound):
                way[col.WAY_PLACE] += (0.5 * slop - gap) * nx
                way[col.WAY_PLACE + 1] += (0.5 * slop - gap) * ny
                shifted += abs(0.5 * slop - gap)
                moved, was_sunk = True, was_sunk or gap < -slop
        if not moved:
            break
    x, y, strays = way[col.WAY_PLACE] - from_x, way[col.WAY_PLACE + 1] - from_y, straying * rest * rest
    if x * x + y * y > strays * strays:
        # The span was short enough for what strays, and not for what had sunk in before: in a wedge that is much more.
        way[col.WAY_PLACE], way[col.WAY_PLACE + 1] = from_x, from_y
        share = free_share(count, total, ints[weak, col.MIGHT], (x, y), way, candidates, bodies, touches)
        way[col.WAY_PLACE], way[col.WAY_PLACE + 1] = from_x + share * x, from_y + share * y
    return was_sunk


@kernel(inline=False)
def sinks_in(axis: int, shift: float, total: int, near: Floats, touches: Floats) -> bool:
    """Whether a shift along an axis, by a slop of one contact, sinks W into another one, of smaller bodies, by more."""
    for touch in range(total):
        inwards = -touches[touch, col.TOUCH_NORMAL + axis] * shift
        if (
            touches[touch, col.TOUCH_STATE] != col.STATE_DROPPED
            and inwards > near[int(touches[touch, col.TOUCH_NEIGHBOUR]), col.NEAR_GAP]
        ):
            return True
    return False


@kernel(inline=False)
def settle(weak: int, total: int, way: Floats, candidates: Candidates, bodies: Bodies, touches: Floats) -> None:
    """Put W at the frame's end exactly onto the sides along an axis that press on it: no frame adds its rounding.

    Off those that do not press, if it has sunk in.
    """
    solids, near = bodies.solids, candidates.near
    for touch in range(total):
        presses = touches[touch, col.TOUCH_STATE] == col.STATE_PRESSES
        nx, ny, _, owner = chosen_normal(touch, touches)
        neighbour = int(touches[owner, col.TOUCH_NEIGHBOUR])
        if not presses and (
            touches[touch, col.TOUCH_STATE] != col.STATE_IDLE
            or candidates.tags[neighbour, col.TAG_PASSES]
            or is_corner(touches, touch)
        ):
            continue
        if turns_now(
            candidates.tags[neighbour, col.TAG_BODY], near[neighbour, col.NEAR_SPIN], bodies.ints
        ) or turns_now(weak, way[col.WAY_WHIRL], bodies.ints):
            continue
        for axis in range(2):
            across = nx if axis == 0 else ny
            if abs(across) != 1.0:
                continue
            piece_m, piece_w = int(touches[owner, col.TOUCH_PIECE_M]), int(touches[owner, col.TOUCH_PIECE_W])
            off = both_radii(solids, piece_m, solids, piece_w)
            off += reach_of_piece(solids, piece_m, nx, ny) + reach_of_piece(solids, piece_w, -nx, -ny)
            place = mighty_place(near, neighbour, axis, 1.0) + across * off
            shift = place - way[col.WAY_PLACE + axis]
            # W may have sunk into a side that does not press, by the rounding of a velocity.
            is_near = abs(shift) <= 4.0 * (near[neighbour, col.NEAR_GAP] + near[neighbour, col.NEAR_FUZZ])
            if is_near and (presses or shift * across > 0.0) and not sinks_in(axis, shift, total, near, touches):
                way[col.WAY_PLACE + axis] = place


@kernel(inline=False)
def ride(
    weak: int,
    carrier: int,
    is_one_leg: bool,
    way: Floats,
    candidates: Candidates,
    bodies: Bodies,
    touches: Floats,
) -> None:
    """Keep W at the very offset that it has from what it rides on, or rounding would make it creep."""
    floats, ints, near = bodies.floats, bodies.ints, candidates.near
    neighbour = -1
    if carrier >= 0 and is_one_leg:
        _, _, _, owner = chosen_normal(carrier, touches)
        neighbour = int(touches[owner, col.TOUCH_NEIGHBOUR])
    for axis in range(2):
        rode = ints[weak, col.ANCHORED + axis]
        ints[weak, col.ANCHORED + axis] = -1
        if neighbour < 0 or way[col.WAY_SPEED + axis] != near[neighbour, col.NEAR_VELOCITY + axis]:
            continue
        if near[neighbour, col.NEAR_VELOCITY + axis] == 0.0:
            continue
        body = candidates.tags[neighbour, col.TAG_BODY]
        start, end = mighty_place(near, neighbour, axis, 0.0), mighty_place(near, neighbour, axis, 1.0)
        anchor = floats[weak, col.START + axis] - start
        # What it was in the frame before is what the game sees: the same place.
        if rode == body and start + floats[weak, col.ANCHOR + axis] == floats[weak, col.START + axis]:
            anchor = floats[weak, col.ANCHOR + axis]
        ints[weak, col.ANCHORED + axis] = body
        floats[weak, col.ANCHOR + axis] = anchor
        way[col.WAY_PLACE + axis] = end + anchor


@kernel(inline=False)
def report_left(
    weak: int,
    total: int,
    candidates: Candidates,
    bodies: Bodies,
    touches: Floats,
    frame: FrameRows,
) -> None:
    """Report W as stuck in what it still overlaps at the frame's end."""
    for touch in range(total):
        neighbour = int(touches[touch, col.TOUCH_NEIGHBOUR])
        if (
            touches[touch, col.TOUCH_STATE] == col.STATE_DROPPED
            or touches[touch, col.TOUCH_DEPTH] >= -candidates.near[neighbour, col.NEAR_TOUCHING]
        ):
            continue
        if candidates.tags[neighbour, col.TAG_BITS] & col.BIT_IGNORED == 0 and not is_corner(touches, touch):
            nx, ny, speed = (
                touches[touch, col.TOUCH_NORMAL],
                touches[touch, col.TOUCH_NORMAL + 1],
                touches[touch, col.TOUCH_LIMIT],
            )
            report_touch(weak, neighbour, nx, ny, speed, True, 1.0, candidates, bodies, frame)
