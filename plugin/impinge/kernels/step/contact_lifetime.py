"""Contact lifetime: how long the same sides press on a solid W, and where W goes around a corner."""

from __future__ import annotations

import math

from impinge.kernels import columns as col
from impinge.kernels.arrays import Bodies, Candidates, Floats, Ints, Part
from impinge.kernels.compiler import kernel
from impinge.kernels.pair.cast import way_through
from impinge.kernels.step.candidates import angle_of_mighty, relative_place, relative_velocity
from impinge.kernels.step.contact_planes import chosen_normal, contact_noise, is_walkable_contact, separating_speed
from impinge.kernels.step.contacts import (
    SAME_ANGLE,
    carries_by_some_faces,
    has_real_rotation,
    real_spins,
    rotated,
    slide_room,
    slide_room_ahead,
    slide_speed,
    spin_of_normal,
)
from impinge.kernels.step.internal_edges import is_corner, is_same_contact
from impinge.kernels.step.rounded_corners import (
    angle_to_face,
    is_round,
    roll_around_corner,
    time_to_edge,
    walk_around_corner,
)

# W moves this far past the end of a side that turns away, in multiples of the touching distance `NEAR_TOUCHING`.
OVERSHOOT = 64.0


@kernel(inline=False)
def repeats_pressing_contact(touch: int, total: int, near: Floats, touches: Floats) -> bool:
    """Return whether a contact repeats one that presses on W by another piece.

    If the contact itself presses, only contacts before it in the list count.
    """
    for other in range(touch if touches[touch, col.TOUCH_STATE] == col.STATE_PRESSES else total):
        if (
            other != touch
            and touches[other, col.TOUCH_STATE] == col.STATE_PRESSES
            and is_same_contact(touch, other, near, touches)
        ):
            return True
    return False


@kernel()
def presses_or_blocks(touch: int, way: Floats, near: Floats, touches: Floats) -> bool:
    """Return whether a contact presses on W, or would press if W had its own velocity."""
    if touches[touch, col.TOUCH_STATE] != col.STATE_IDLE:
        return bool(touches[touch, col.TOUCH_STATE] != col.STATE_DROPPED)
    loose, _ = separating_speed(touch, way[col.WAY_OWN], way[col.WAY_OWN + 1], touches)
    return loose < -contact_noise(touch, way[col.WAY_OWN], way[col.WAY_OWN + 1], near, touches)


@kernel(inline=False)
def is_side_continued(
    touch: int, total: int, along: float, way: Floats, near: Floats, solids: Floats, touches: Floats
) -> bool:
    """Return whether another pressing contact continues a side past its end, over an internal edge."""
    for other in range(total):
        if (
            other == touch
            or touches[other, col.TOUCH_STATE] != col.STATE_PRESSES
            or not is_same_contact(touch, other, near, touches)
        ):
            continue
        neighbour = int(touches[other, col.TOUCH_NEIGHBOUR])
        normal = rotated(
            touches[other, col.TOUCH_NORMAL], touches[other, col.TOUCH_NORMAL + 1], -touches[other, col.TOUCH_TWIST]
        )
        back, ahead = slide_room(other, normal, way, near, solids, touches)
        if (ahead if along > 0.0 else back) > max(
            2.0 * near[neighbour, col.NEAR_FUZZ], near[neighbour, col.NEAR_NOISE]
        ):
            return True
    return False


@kernel()
def separating_speeds(
    touch: int, side: int, vx: float, vy: float, near: Floats, touches: Floats
) -> tuple[float, float]:
    """Return the speeds at which a velocity leads away from a turning contact, at the middle and end of the span."""
    owner = int(touches[touch, col.TOUCH_OWNER + side])
    neighbour = int(touches[owner, col.TOUCH_NEIGHBOUR])
    nx, ny = touches[touch, col.TOUCH_NORMAL + 2 * side], touches[touch, col.TOUCH_NORMAL + 2 * side + 1]
    limit = touches[touch, col.TOUCH_LIMIT + side]
    middle = nx * vx + ny * vy - limit
    mx, my = rotated(nx, ny, touches[touch, col.TOUCH_TWIST + side])
    if touches[touch, col.TOUCH_FEATURE + side] == col.FEATURE_VERTICES:
        return middle, mx * (vx - touches[owner, col.TOUCH_SURFACE]) + my * (vy - touches[owner, col.TOUCH_SURFACE + 1])
    # The normal turns with its edge, so rotation adds the same speed along it during the whole span.
    ux, uy = near[neighbour, col.NEAR_VELOCITY], near[neighbour, col.NEAR_VELOCITY + 1]
    return middle, mx * (vx - ux) + my * (vy - uy) - (limit - nx * ux - ny * uy)


@kernel(inline=False)
def may_start_to_press(touch: int, touches: Floats) -> bool:
    """Return whether a plain side does not press on W in the middle of a span, but may do so at its start or end."""
    is_idle = touches[touch, col.TOUCH_STATE] == col.STATE_IDLE and not is_corner(touches, touch)
    return is_idle and touches[touch, col.TOUCH_FEATURE] < col.FEATURE_VERTICES


@kernel(inline=False)
def entering_time(touch: int, way: Floats, candidates: Candidates, touches: Floats) -> float:
    """Return how long W moves into a turning contact from which it moves away in the middle of the span.

    The contact does not press, as the middle counts. The time is infinite if the depth by then is at most the touching
    distance.
    """
    near = candidates.near
    side = 0
    neighbour = int(touches[int(touches[touch, col.TOUCH_OWNER]), col.TOUCH_NEIGHBOUR])
    if touches[touch, col.TOUCH_TWIST] == 0.0 or candidates.tags[neighbour, col.TAG_BITS] & col.BIT_HELD:
        return math.inf
    middle, _ = separating_speeds(touch, side, way[col.WAY_SPEED], way[col.WAY_SPEED + 1], near, touches)
    nx, ny = rotated(
        touches[touch, col.TOUCH_NORMAL], touches[touch, col.TOUCH_NORMAL + 1], -touches[touch, col.TOUCH_TWIST]
    )
    begin = nx * (way[col.WAY_SPEED] - touches[touch, col.TOUCH_FIRST_SURFACE]) + ny * (
        way[col.WAY_SPEED + 1] - touches[touch, col.TOUCH_FIRST_SURFACE + 1]
    )
    noise = contact_noise(touch, way[col.WAY_SPEED], way[col.WAY_SPEED + 1], near, touches)
    if begin >= -noise or middle < 0.0:
        return math.inf
    time = way[col.WAY_SPAN] * 0.5 * begin / (begin - middle)
    return math.inf if -0.5 * begin * time <= near[neighbour, col.NEAR_TOUCHING] else time


@kernel(inline=False)
def pressing_time(touch: int, side: int, way: Floats, candidates: Candidates, touches: Floats) -> float:
    """Return how long W's own movement leads into a turning contact, if it leads away before the end of the span.

    The time is infinite if the movement leads away at the middle, or not at the end.
    """
    neighbour = int(touches[int(touches[touch, col.TOUCH_OWNER + side]), col.TOUCH_NEIGHBOUR])
    if touches[touch, col.TOUCH_TWIST + side] == 0.0 or candidates.tags[neighbour, col.TAG_BITS] & col.BIT_HELD:
        return math.inf
    middle, end = separating_speeds(touch, side, way[col.WAY_OWN], way[col.WAY_OWN + 1], candidates.near, touches)
    noise = contact_noise(touch, way[col.WAY_OWN], way[col.WAY_OWN + 1], candidates.near, touches)
    if middle >= -noise or end <= noise:
        return math.inf
    return way[col.WAY_SPAN] * 0.5 * (1.0 + middle / (middle - end))


@kernel(inline=False)
def time_to_next_face(
    touch: int, side: int, weak: int, way: Floats, candidates: Candidates, ints: Ints, touches: Floats
) -> float:
    """Return how long an edge's normal belongs to the same face of a turning M; infinite if no face matters."""
    near = candidates.near
    neighbour = int(touches[int(touches[touch, col.TOUCH_OWNER + side]), col.TOUCH_NEIGHBOUR])
    if near[neighbour, col.NEAR_SPIN] == 0.0 or touches[touch, col.TOUCH_FEATURE + side] >= col.FEATURE_VERTICES:
        return math.inf
    closing = spin_of_normal(touch, side, weak, way, candidates, ints, touches) - near[neighbour, col.NEAR_SPIN]
    if closing == 0.0 or not carries_by_some_faces(neighbour, candidates.tags):
        return math.inf
    nx, ny = touches[touch, col.TOUCH_NORMAL + 2 * side], touches[touch, col.TOUCH_NORMAL + 2 * side + 1]
    facing = angle_of_mighty(near, neighbour, way[col.WAY_TIME])
    angle = math.atan2(ny, nx) - touches[touch, col.TOUCH_TWIST + side] - facing
    ahead = angle_to_face(angle, 1.0 if closing > 0.0 else -1.0, 2.0 * SAME_ANGLE)
    return max(ahead / abs(closing), way[col.WAY_SHORTEST])


@kernel()
def count_holding(weak: int, total: int, way: Floats, near: Floats, floats: Floats, touches: Floats) -> tuple[int, int]:
    """Return how many sides press on W, and how many press on or block a walker that goes around a corner.

    An arc ends where W enters one that does not press. A straight leg beside it was off by 0.3 in a notch of two balls.
    """
    holding, beside = 0, 0
    for touch in range(total):
        if presses_or_blocks(touch, way, near, touches) and not repeats_pressing_contact(touch, total, near, touches):
            holding += 1 if touches[touch, col.TOUCH_STATE] != col.STATE_IDLE else 0
            # A walker that goes around a corner leaves the floors there, but not the walls beside it.
            ny = touches[touch, col.TOUCH_NORMAL + 1]
            is_wall = not is_walkable_contact(touch, ny, floats[weak, col.FLOOR_COSINE], touches)
            beside += 1 if touches[touch, col.TOUCH_STATE] != col.STATE_IDLE or is_wall else 0
    return holding, beside


@kernel(inline=False)
def turns_at_corner(
    touch: int, is_carried: bool, weak: int, way: Floats, candidates: Candidates, ints: Ints, touches: Floats
) -> bool:
    """Return whether W, or the body of a round corner in contact, turns in a way that matters there."""
    _, _, _, owner = chosen_normal(touch, touches)
    neighbour = int(touches[owner, col.TOUCH_NEIGHBOUR])
    spin_m, spin_w = real_spins(neighbour, weak, way, candidates, ints)
    if spin_m != 0.0 or spin_w != 0.0:
        return True
    # The rotation of a disk that does not carry W does not matter.
    matters = is_carried or carries_by_some_faces(neighbour, candidates.tags)
    return bool(candidates.near[neighbour, col.NEAR_SPIN] != 0.0 and matters)


@kernel(inline=False)
def go_around_corner(
    touch: int,
    is_carried: bool,
    is_up: bool,
    rest: float,
    way: Floats,
    candidates: Candidates,
    solids: Floats,
    touches: Floats,
) -> float:
    """Set W's velocity around a rounded corner; return how long it has that velocity, `rest` at most.

    `is_up` tells whether W is a walker that can stand on the corner.
    """
    if is_up:
        lasting, x, y = walk_around_corner(touch, rest, way, candidates, solids, touches)
    else:
        lasting, x, y = roll_around_corner(touch, is_carried, rest, way, candidates, solids, touches)
    if lasting > 0.0:
        _, _, _, owner = chosen_normal(touch, touches)
        neighbour = int(touches[owner, col.TOUCH_NEIGHBOUR])
        way[col.WAY_SPEED] = candidates.near[neighbour, col.NEAR_VELOCITY] + x / lasting
        way[col.WAY_SPEED + 1] = candidates.near[neighbour, col.NEAR_VELOCITY + 1] + y / lasting
        return lasting
    return rest


@kernel(inline=False)
def lifetime_at_end(
    touch: int,
    along: float,
    total: int,
    weak: int,
    way: Floats,
    candidates: Candidates,
    bodies: Bodies,
    touches: Floats,
) -> float:
    """Return how long W moves on past the end of a straight side that turns away from it; else infinity."""
    near = candidates.near
    _, _, _, owner = chosen_normal(touch, touches)
    neighbour = int(touches[owner, col.TOUCH_NEIGHBOUR])
    past_end = OVERSHOOT * near[neighbour, col.NEAR_TOUCHING] / abs(along)
    if is_corner(touches, touch):
        # A walker with pointed feet is held up to the very end of a floor, and walks off it.
        other, x, y = 1 if touches[touch, col.TOUCH_CHOSEN] != 2.0 else 0, way[col.WAY_SPEED], way[col.WAY_SPEED + 1]
        at = col.TOUCH_NORMAL + 2 * other
        leaves = touches[touch, at] * x + touches[touch, at + 1] * y - touches[touch, col.TOUCH_LIMIT + other]
        return past_end if leaves > contact_noise(touch, x, y, near, touches) else math.inf
    if near[neighbour, col.NEAR_SPIN] == 0.0 and not has_real_rotation(weak, way[col.WAY_WHIRL], bodies.ints):
        return math.inf
    if is_side_continued(touch, total, along, way, near, bodies.solids, touches):
        return math.inf
    # The next side here lies inside another body in contact, and that body may continue in another direction.
    return past_end


@kernel(inline=False)
def time_to_leave(touch: int, way: Floats, candidates: Candidates, solids: Floats, touches: Floats) -> float:
    """Return how long W overlaps a piece that leaves it no room; infinity if W moves with it, or only grazes it."""
    near, neighbour = candidates.near, int(touches[touch, col.TOUCH_NEIGHBOUR])
    vx, vy = relative_velocity(near, neighbour, way)
    speed = math.sqrt(vx * vx + vy * vy)
    if speed == 0.0:
        return math.inf
    a, b = candidates.tags[neighbour, col.TAG_SOLID_M], candidates.tags[neighbour, col.TAG_SOLID_W]
    piece_m, piece_w = int(touches[touch, col.TOUCH_PIECE_M]), int(touches[touch, col.TOUCH_PIECE_W])
    out = way_through(
        Part(solids, piece_m),
        Part(solids, piece_w),
        relative_place(near, neighbour, way),
        (vx / speed, vy / speed),
        near[neighbour, col.NEAR_GAP],
        near[neighbour, col.NEAR_FUZZ],
        2.0 * (solids[a + col.FARTHEST] + solids[b + col.FARTHEST]),
    )
    return max(out, 0.0) / speed


@kernel(inline=False)
def time_into_idle(total: int, rest: float, way: Floats, near: Floats, touches: Floats) -> float:
    """Return for how long W may follow an arc that leads into a contact which does not press on W, `rest` at most.

    Where W's outline goes on from a rounded corner to an edge, both are in contact. The depth that W gets into the edge
    grows with the square of the time: once W touches it, the edge presses.
    """
    least = rest
    for touch in range(total):
        if touches[touch, col.TOUCH_STATE] not in (col.STATE_IDLE, col.STATE_DROPPED):
            continue
        straight = arc = -math.inf
        for side in range(2 if is_corner(touches, touch) else 1):
            owner = int(touches[touch, col.TOUCH_OWNER + side])
            nx, ny = touches[touch, col.TOUCH_NORMAL + 2 * side], touches[touch, col.TOUCH_NORMAL + 2 * side + 1]
            ground = nx * touches[owner, col.TOUCH_SURFACE] + ny * touches[owner, col.TOUCH_SURFACE + 1]
            straight = max(straight, nx * way[col.WAY_STRAIGHT] + ny * way[col.WAY_STRAIGHT + 1] - ground)
            arc = max(arc, nx * way[col.WAY_SPEED] + ny * way[col.WAY_SPEED + 1] - ground)
        neighbour = int(touches[touch, col.TOUCH_NEIGHBOUR])
        noise = contact_noise(touch, way[col.WAY_STRAIGHT], way[col.WAY_STRAIGHT + 1], near, touches)
        if straight >= -noise and -arc * rest > near[neighbour, col.NEAR_TOUCHING]:
            least = min(least, math.sqrt(rest * near[neighbour, col.NEAR_TOUCHING] / -arc))
    return least


@kernel(inline=False)
def go_around_corners(
    total: int, is_carried: bool, rest: float, way: Floats, candidates: Candidates, solids: Floats, touches: Floats
) -> float:
    """Set W's velocity around the rounded corners in contact; return how long it has that velocity, `rest` at most."""
    for _ in range(2):
        lasting = rest
        way[col.WAY_SPEED], way[col.WAY_SPEED + 1] = way[col.WAY_STRAIGHT], way[col.WAY_STRAIGHT + 1]
        for touch in range(total):
            if touches[touch, col.TOUCH_GOES_AROUND] != 0.0:
                is_up = touches[touch, col.TOUCH_GOES_AROUND] == 2.0
                lasting = go_around_corner(touch, is_carried, is_up, lasting, way, candidates, solids, touches)
        rest = time_into_idle(total, lasting, way, candidates.near, touches)
        if rest == lasting:
            break
    return lasting


@kernel(inline=False)
def contact_set_lifetime(
    weak: int, way: Floats, candidates: Candidates, bodies: Bodies, touches: Floats, run: Ints
) -> float:
    """Return how long the same sides press on W, `rest` at most. At a rounded corner, set W's velocity around it."""
    total, is_carried, rest = run[col.RUN_TOTAL], run[col.RUN_CARRIER] >= 0, way[col.WAY_REST]
    solids, near, cosine = bodies.solids, candidates.near, bodies.floats[weak, col.FLOOR_COSINE]
    holding, beside = count_holding(weak, total, way, near, bodies.floats, touches)
    # W may be pressed a little longer. But beyond an edge's end it could pass the thin wall there.
    shortest, is_around = way[col.WAY_SHORTEST], False
    for touch in range(total):
        touches[touch, col.TOUCH_GOES_AROUND], touches[touch, col.TOUCH_ENDS] = 0.0, math.inf
        if may_start_to_press(touch, touches):
            rest = min(rest, max(entering_time(touch, way, candidates, touches), shortest))
        is_jammed = touches[touch, col.TOUCH_FEATURE] == col.FEATURE_JAMMED
        if touches[touch, col.TOUCH_STATE] == col.STATE_REJECTED or is_jammed:
            # What W is stuck in changes W's velocity only until W has left it.
            rest = min(rest, max(time_to_leave(touch, way, candidates, solids, touches), shortest))
        if touches[touch, col.TOUCH_STATE] != col.STATE_PRESSES:
            continue
        nx, ny, _, owner = chosen_normal(touch, touches)
        side = 1 if touches[touch, col.TOUCH_CHOSEN] == 2.0 else 0
        rest = min(rest, max(pressing_time(touch, side, way, candidates, touches), shortest))
        rest = min(rest, time_to_next_face(touch, side, weak, way, candidates, bodies.ints, touches))
        neighbour = int(touches[owner, col.TOUCH_NEIGHBOUR])
        along = slide_speed(touch, side, (nx, ny), weak, way, candidates, bodies, touches)
        if abs(along) * rest <= near[neighbour, col.NEAR_FUZZ]:
            continue
        normal = rotated(nx, ny, -touches[touch, col.TOUCH_TWIST + side])
        room = slide_room_ahead(touch, side, normal, weak, way, candidates, bodies, touches)
        touches[touch, col.TOUCH_ENDS] = (room + near[neighbour, col.NEAR_TOUCHING]) / abs(along)
        if room > 0.0:
            rest = min(rest, room / abs(along))
        elif not is_round(touch, solids, touches):
            rest = min(rest, lifetime_at_end(touch, along, total, weak, way, candidates, bodies, touches))
        # Several pieces may share the corner, and each may have the next edge. The contact with room ahead counts.
        elif not is_side_continued(touch, total, along, way, near, solids, touches):
            is_up = is_walkable_contact(touch, normal[1], cosine, touches)
            # On too steep a corner, a walker's velocity does not follow from its own movement alone.
            is_bound = (cosine <= 1.0 and not is_up) or (beside if is_up else holding) > 1
            if is_bound or turns_at_corner(touch, is_carried, weak, way, candidates, bodies.ints, touches):
                way[col.WAY_ROLLING] = col.ROLLS_NOW
                touches[touch, col.TOUCH_FEATURE + side] = col.FEATURE_VERTICES
                rest = min(rest, time_to_edge(touch, side, normal, weak, way, candidates, bodies, touches))
            else:
                touches[touch, col.TOUCH_GOES_AROUND], is_around = 2.0 if is_up else 1.0, True
    way[col.WAY_STRAIGHT], way[col.WAY_STRAIGHT + 1] = way[col.WAY_SPEED], way[col.WAY_SPEED + 1]
    if not is_around:
        return rest
    # An arc has the mean velocity of the whole leg, so it comes after all that ends the leg.
    return go_around_corners(total, is_carried, rest, way, candidates, solids, touches)
