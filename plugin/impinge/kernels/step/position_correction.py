"""Position correction at the end of a span or frame: neither rotation nor rounding takes W off a contact."""

from __future__ import annotations

import math

from impinge.kernels import columns as col
from impinge.kernels.arrays import Bodies, Candidates, Floats, FrameRows, Ints, Report, Vector
from impinge.kernels.compiler import kernel
from impinge.kernels.pair.separation import both_radii, core_gap
from impinge.kernels.step.candidates import mighty_place, relative_place
from impinge.kernels.step.contact_lifetime import may_start_to_press
from impinge.kernels.step.contact_planes import chosen_normal
from impinge.kernels.step.contacts import has_real_rotation, pose_candidate, pose_weak, rotated, slide_room
from impinge.kernels.step.events import report_contact
from impinge.kernels.step.internal_edges import is_corner
from impinge.kernels.step.next_contact import LEAST_CORNER_SINE, free_share
from impinge.kernels.tolerances import SLOP

# A surface may turn away from W. A gap is closed up to this part of the distance that surface and W move in a span.
CORRECTED_GAP_SHARE = 1.0 / 64.0
# The next correction may be so many times longer than the last one, for legs of equal time.
STRAYING_RESERVE = 4.0
# Rounds of position correction over all contacts at the end of a span. The first ones also close gaps. The error at a
# corner falls with the square of the correction.
GAP_ROUNDS, CORRECTION_ROUNDS = 2, 3


@kernel(inline=False)
def reach_of_piece(solids: Floats, piece: int, nx: float, ny: float) -> float:
    """Return how far a core extends in a direction."""
    first, total = int(solids[piece + col.FIRST_POINT]), int(solids[piece + col.POINT_TOTAL])
    reach = -math.inf
    for at in range(first, first + col.POINT_COLUMNS * total, col.POINT_COLUMNS):
        reach = max(reach, nx * solids[at + col.POINT] + ny * solids[at + col.POINT + 1])
    return reach


@kernel(inline=False)
def gap_of_contact(
    touch: int, way: Floats, near: Floats, solids: Floats, touches: Floats
) -> tuple[float, float, float]:
    """Return the gap of a contact after a leg, along the normal of the same side, and that normal now."""
    nx, ny, _, owner = chosen_normal(touch, touches)
    side = 1 if touches[touch, col.TOUCH_CHOSEN] == 2.0 else 0
    neighbour = int(touches[owner, col.TOUCH_NEIGHBOUR])
    piece_m, piece_w = int(touches[owner, col.TOUCH_PIECE_M]), int(touches[owner, col.TOUCH_PIECE_W])
    dx, dy = relative_place(near, neighbour, way)
    radius = both_radii(solids, piece_m, solids, piece_w)
    if touches[touch, col.TOUCH_FEATURE + side] == col.FEATURE_VERTICES:
        gap, nx, ny = core_gap(solids, piece_m, solids, piece_w, (dx, dy), near[neighbour, col.NEAR_FUZZ], math.inf)
        return gap - radius, nx, ny
    # Measured from that side, W is never on the wrong side of a wall, however thin both of them are.
    since_middle = 2.0 * way[col.WAY_REST] / way[col.WAY_SPAN] - 1.0
    nx, ny = rotated(nx, ny, touches[touch, col.TOUCH_TWIST + side] * since_middle)
    reach = reach_of_piece(solids, piece_m, nx, ny) + reach_of_piece(solids, piece_w, -nx, -ny)
    return nx * dx + ny * dy - reach - radius, nx, ny


@kernel(inline=False)
def is_between_ends(touch: int, normal: Vector, way: Floats, near: Floats, solids: Floats, touches: Floats) -> bool:
    """Return whether W is still between the ends of the edge that it touched."""
    back, ahead = slide_room(touch, normal, way, near, solids, touches)
    return min(back, ahead) >= 0.0


@kernel()
def shift_along_side(distance: float, normal: Vector, held: Vector) -> Vector:
    """Return the shift that moves W along a normal by a distance, but not off the side that was corrected before.

    The side has the normal `held`, or none. In a wedge, W would lose the contact with that side, and regain it in a leg
    of 1e-8 frames. That made three legs of one, a thousand times a frame.
    """
    (nx, ny), (hx, hy) = normal, held
    sine = hx * ny - hy * nx
    if abs(sine) < LEAST_CORNER_SINE:
        return distance * nx, distance * ny
    return -distance * hy / sine, distance * hx / sine


@kernel(inline=False)
def correct_position(
    weak: int, way: Floats, candidates: Candidates, bodies: Bodies, touches: Floats, counts: Ints, run: Ints
) -> tuple[bool, bool]:
    """Correct the position of W at the end of a span: onto the contacts that press, and out of those that it sank into.

    The span linearised the rotation. Return whether W had sunk into a contact by more than the slop, and whether the
    leg has to be shorter: the correction is longer than the last one lets expect, and meets a third body.
    """
    total, count = run[col.RUN_TOTAL], run[col.RUN_ACTIVE]
    time, rest = way[col.WAY_TIME], way[col.WAY_REST]
    ints, solids, near = bodies.ints, bodies.solids, candidates.near
    from_x, from_y = way[col.WAY_PLACE], way[col.WAY_PLACE + 1]
    if has_real_rotation(weak, way[col.WAY_WHIRL], ints):
        pose_weak(weak, count, way[col.WAY_ANGLE], candidates.tags, bodies, counts)
    was_sunk, shifted = False, 0.0
    for turn in range(GAP_ROUNDS + CORRECTION_ROUNDS):
        moved, held_x, held_y = False, 0.0, 0.0
        for touch in range(total - 1, -1, -1):
            # The mightiest comes last, so that no weaker body presses W through it.
            presses = touches[touch, col.TOUCH_STATE] == col.STATE_PRESSES
            if (
                touches[touch, col.TOUCH_FORCED] == col.FORCED_PINNED
                or touches[touch, col.TOUCH_FEATURE] == col.FEATURE_JAMMED
                or not (presses or may_start_to_press(touch, touches))
            ):
                continue
            neighbour = int(touches[touch, col.TOUCH_NEIGHBOUR])
            pose_candidate(neighbour, time, candidates, bodies)
            gap, nx, ny = gap_of_contact(touch, way, near, solids, touches)
            if not presses and (gap > 0.0 or not is_between_ends(touch, (nx, ny), way, near, solids, touches)):
                continue
            fastest = abs(touches[touch, col.TOUCH_SURFACE]) + abs(touches[touch, col.TOUCH_SURFACE + 1])
            if has_real_rotation(weak, way[col.WAY_WHIRL], ints):
                fastest += abs(way[col.WAY_WHIRL]) * solids[candidates.tags[neighbour, col.TAG_SOLID_W] + col.FARTHEST]
            bound = CORRECTED_GAP_SHARE * (fastest + abs(way[col.WAY_SPEED]) + abs(way[col.WAY_SPEED + 1])) * rest
            slop = near[neighbour, col.NEAR_GAP]
            # An overlap is corrected in each round, a gap only in the first ones: if W cannot satisfy both, it stays
            # out. The correction of a gap may have moved W into this contact, even through a thin wall.
            if -bound - shifted <= gap < 0.0 or (turn < GAP_ROUNDS and slop < gap <= bound + shifted):
                x, y = shift_along_side(0.5 * slop - gap, (nx, ny), (held_x, held_y))
                way[col.WAY_PLACE], way[col.WAY_PLACE + 1] = way[col.WAY_PLACE] + x, way[col.WAY_PLACE + 1] + y
                shifted += math.sqrt(x * x + y * y)
                moved, was_sunk = True, was_sunk or gap < -slop
            if presses and gap <= bound + shifted:
                held_x, held_y = nx, ny
        if not moved:
            break
    x, y = way[col.WAY_PLACE] - from_x, way[col.WAY_PLACE + 1] - from_y
    length, expected = math.sqrt(x * x + y * y), way[col.WAY_STRAYED]
    slop = SLOP * bodies.floats[weak, col.SIZE]
    if length > slop:
        way[col.WAY_STRAYED] = STRAYING_RESERVE * length / (rest * rest)
    else:
        # A short leg says little.
        way[col.WAY_STRAYED] = min(expected, STRAYING_RESERVE * slop / (rest * rest))
    if length > min(way[col.WAY_STRAYING], expected) * rest * rest:
        # The span was short enough for the deviation, but not for an earlier overlap: in a wedge that correction is
        # much larger.
        way[col.WAY_PLACE], way[col.WAY_PLACE + 1] = from_x, from_y
        share = free_share(count, total, ints[weak, col.MIGHT], (x, y), way, candidates, bodies, touches)
        if share < 1.0 and length > slop and expected < way[col.WAY_STRAYING]:
            return was_sunk, True
        way[col.WAY_PLACE], way[col.WAY_PLACE + 1] = from_x + share * x, from_y + share * y
    return was_sunk, False


@kernel(inline=False)
def sinks_into_contact(axis: int, shift: float, total: int, near: Floats, touches: Floats) -> bool:
    """Return whether a shift along an axis sinks W into a contact by more than the slop of that contact.

    The shift is about a slop of another contact. A contact of smaller bodies has a smaller slop.
    """
    for touch in range(total):
        inwards = -touches[touch, col.TOUCH_NORMAL + axis] * shift
        if (
            touches[touch, col.TOUCH_STATE] != col.STATE_DROPPED
            and inwards > near[int(touches[touch, col.TOUCH_NEIGHBOUR]), col.NEAR_GAP]
        ):
            return True
    return False


@kernel(inline=False)
def align_to_sides(weak: int, total: int, way: Floats, candidates: Candidates, bodies: Bodies, touches: Floats) -> None:
    """Put W at the frame's end exactly onto the axis-aligned sides that press on it, so that rounding does not add up.

    A side that does not press only moves W out, if W has sunk into it.
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
        if has_real_rotation(
            candidates.tags[neighbour, col.TAG_BODY], near[neighbour, col.NEAR_SPIN], bodies.ints
        ) or has_real_rotation(weak, way[col.WAY_WHIRL], bodies.ints):
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
            # The rounding of a velocity may have sunk W into a side that does not press.
            is_near = abs(shift) <= 4.0 * (near[neighbour, col.NEAR_GAP] + near[neighbour, col.NEAR_FUZZ])
            if (
                is_near
                and (presses or shift * across > 0.0)
                and not sinks_into_contact(axis, shift, total, near, touches)
            ):
                way[col.WAY_PLACE + axis] = place


@kernel(inline=False)
def keep_carrier_offset(
    weak: int,
    carrier: int,
    is_one_leg: bool,
    way: Floats,
    candidates: Candidates,
    bodies: Bodies,
    touches: Floats,
) -> None:
    """Keep W at exactly the same offset from its carrier, or rounding would make W creep."""
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
        # The anchor of the last frame stays if it gives exactly the same start.
        if rode == body and start + floats[weak, col.ANCHOR + axis] == floats[weak, col.START + axis]:
            anchor = floats[weak, col.ANCHOR + axis]
        ints[weak, col.ANCHORED + axis] = body
        floats[weak, col.ANCHOR + axis] = anchor
        way[col.WAY_PLACE + axis] = end + anchor


@kernel(inline=False)
def report_remaining_overlaps(
    weak: int,
    total: int,
    candidates: Candidates,
    bodies: Bodies,
    touches: Floats,
    frame: FrameRows,
) -> None:
    """Report W as stuck in the bodies that it still overlaps at the frame's end."""
    for touch in range(total):
        neighbour = int(touches[touch, col.TOUCH_NEIGHBOUR])
        if (
            touches[touch, col.TOUCH_STATE] == col.STATE_DROPPED
            or touches[touch, col.TOUCH_DEPTH] >= -candidates.near[neighbour, col.NEAR_TOUCHING]
        ):
            continue
        if candidates.tags[neighbour, col.TAG_BITS] & col.BIT_IGNORED == 0 and not is_corner(touches, touch):
            normal = touches[touch, col.TOUCH_NORMAL], touches[touch, col.TOUCH_NORMAL + 1]
            report = Report(1.0, normal, touches[touch, col.TOUCH_LIMIT])
            report_contact(weak, neighbour, report, True, candidates, bodies, frame)
