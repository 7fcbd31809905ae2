"""For how long what presses on a solid W goes on to press by the same sides, and where W goes round a corner."""

from __future__ import annotations

import math

from impinge.kernels.compiler import kernel
from impinge.kernels.layout import FLOOR_COSINE, Floats, Ints
from impinge.kernels.legs import OWN, PLACE, ROLLING, SHORTEST, SPAN, SPEED, WHIRL
from impinge.kernels.neighbours import BITS, BODY, HELD, NOISE, SPIN, VELOCITY, angle_of_mighty, mighty_place
from impinge.kernels.rolling import (
    angle_to_face,
    is_round,
    roll,
    time_to_edge,
    walk_round,
)
from impinge.kernels.seams import is_again, is_corner
from impinge.kernels.touch_rows import (
    ACROSS,
    CHOSEN,
    DROPPED,
    FEATURE,
    FIRST,
    FUZZ,
    IDLE,
    LIMIT,
    OWNER,
    PRESSES,
    STATE,
    SURFACE,
    TOUCHING,
    TWIST,
    VERTICES,
    WHO,
)
from impinge.kernels.touches import (
    SAME_ANGLE,
    carries_by_some,
    room_ahead,
    room_along,
    rotated,
    slide_along,
    spin_of_normal,
    turns_now,
)
from impinge.kernels.yielding import chosen_normal, holds_up, noise_of_touch, slack

# Distances up to which they touch, by which W goes on past an end that turns away.
PAST = 64.0


@kernel(inline=False)
def is_another(touch: int, total: int, near: Floats, touches: Floats) -> bool:
    """Whether a touch is one that presses on W by another piece: before in the list, where it presses itself."""
    for other in range(touch if touches[touch, STATE] == PRESSES else total):
        if other != touch and touches[other, STATE] == PRESSES and is_again(touch, other, near, touches):
            return True
    return False


@kernel()
def is_in_the_way(touch: int, way: Floats, near: Floats, touches: Floats) -> bool:
    """Whether a touch presses on W, or would if what does press let W go where it would like to."""
    if touches[touch, STATE] != IDLE:
        return bool(touches[touch, STATE] != DROPPED)
    loose, _ = slack(touch, way[OWN], way[OWN + 1], touches)
    return loose < -noise_of_touch(touch, way[OWN], way[OWN + 1], near, touches)


@kernel(inline=False)
def goes_on(
    touch: int, total: int, along: float, time: float, way: Floats, near: Floats, solids: Floats, touches: Floats
) -> bool:
    """Whether at the end of a side another one goes on as it does: over a seam."""
    for other in range(total):
        if other == touch or touches[other, STATE] != PRESSES or not is_again(touch, other, near, touches):
            continue
        neighbour = int(touches[other, WHO])
        dx = way[PLACE] - mighty_place(near, neighbour, 0, time)
        dy = way[PLACE + 1] - mighty_place(near, neighbour, 1, time)
        nx, ny = rotated(touches[other, ACROSS], touches[other, ACROSS + 1], -touches[other, TWIST])
        back, ahead = room_along(other, nx, ny, dx, dy, near[neighbour, FUZZ], solids, touches)
        if (ahead if along > 0.0 else back) > max(2.0 * near[neighbour, FUZZ], near[neighbour, NOISE]):
            return True
    return False


@kernel()
def speeds_off(touch: int, side: int, vx: float, vy: float, near: Floats, touches: Floats) -> tuple[float, float]:
    """How fast a velocity leads off what turns, half way through the span and at its end."""
    owner = int(touches[touch, OWNER + side])
    neighbour = int(touches[owner, WHO])
    nx, ny = touches[touch, ACROSS + 2 * side], touches[touch, ACROSS + 2 * side + 1]
    limit = touches[touch, LIMIT + side]
    middle = nx * vx + ny * vy - limit
    mx, my = rotated(nx, ny, touches[touch, TWIST + side])
    if touches[touch, FEATURE + side] == VERTICES:
        return middle, mx * (vx - touches[owner, SURFACE]) + my * (vy - touches[owner, SURFACE + 1])
    # What turning adds to the speed along the normal is the same all the time, as the normal turns with it.
    ux, uy = near[neighbour, VELOCITY], near[neighbour, VELOCITY + 1]
    return middle, mx * (vx - ux) + my * (vy - uy) - (limit - nx * ux - ny * uy)


@kernel(inline=False)
def may_turn_in(touch: int, touches: Floats) -> bool:
    """Whether W touches a side that does not press on it half way through a span, and may at its beginning or end."""
    is_idle = touches[touch, STATE] == IDLE and not is_corner(touches, touch)
    return is_idle and touches[touch, FEATURE] < VERTICES


@kernel(inline=False)
def time_to_lead_off(touch: int, way: Floats, near: Floats, tags: Ints, touches: Floats) -> float:
    """For how long W is led into what turns and does not press on it, as W is led off it half way through the span.

    What is lost by then has to be more than the slop.
    """
    side = 0
    neighbour = int(touches[int(touches[touch, OWNER]), WHO])
    if touches[touch, TWIST] == 0.0 or tags[neighbour, BITS] & HELD:
        return math.inf
    middle, _ = speeds_off(touch, side, way[SPEED], way[SPEED + 1], near, touches)
    nx, ny = rotated(touches[touch, ACROSS], touches[touch, ACROSS + 1], -touches[touch, TWIST])
    begin = nx * (way[SPEED] - touches[touch, FIRST]) + ny * (way[SPEED + 1] - touches[touch, FIRST + 1])
    noise = noise_of_touch(touch, way[SPEED], way[SPEED + 1], near, touches)
    if begin >= -noise or middle < 0.0:
        return math.inf
    time = way[SPAN] * 0.5 * begin / (begin - middle)
    return math.inf if -0.5 * begin * time <= near[neighbour, TOUCHING] else time


@kernel(inline=False)
def time_to_come_off(touch: int, side: int, way: Floats, near: Floats, tags: Ints, touches: Floats) -> float:
    """For how long W's own movement leads into what turns under it, if it comes to lead off before the span's end."""
    neighbour = int(touches[int(touches[touch, OWNER + side]), WHO])
    if touches[touch, TWIST + side] == 0.0 or tags[neighbour, BITS] & HELD:
        return math.inf
    middle, end = speeds_off(touch, side, way[OWN], way[OWN + 1], near, touches)
    noise = noise_of_touch(touch, way[OWN], way[OWN + 1], near, touches)
    if middle >= -noise or end <= noise:
        return math.inf
    return way[SPAN] * 0.5 * (1.0 + middle / (middle - end))


@kernel(inline=False)
def time_to_face(
    touch: int,
    side: int,
    weak: int,
    time: float,
    way: Floats,
    near: Floats,
    tags: Ints,
    ints: Ints,
    touches: Floats,
) -> float:
    """For how long the normal of an edge belongs to the same face of M, which turns, if it matters to which."""
    neighbour = int(touches[int(touches[touch, OWNER + side]), WHO])
    if near[neighbour, SPIN] == 0.0 or touches[touch, FEATURE + side] >= VERTICES:
        return math.inf
    closing = spin_of_normal(touch, side, weak, way, near, tags, ints, touches) - near[neighbour, SPIN]
    if closing == 0.0 or not carries_by_some(neighbour, tags):
        return math.inf
    nx, ny = touches[touch, ACROSS + 2 * side], touches[touch, ACROSS + 2 * side + 1]
    angle = math.atan2(ny, nx) - touches[touch, TWIST + side] - angle_of_mighty(near, neighbour, time)
    ahead = angle_to_face(angle, 1.0 if closing > 0.0 else -1.0, 2.0 * SAME_ANGLE)
    return max(ahead / abs(closing), way[SHORTEST])


@kernel(inline=False)
def time_to_end(
    weak: int,
    total: int,
    carrier: int,
    time: float,
    rest: float,
    way: Floats,
    near: Floats,
    tags: Ints,
    floats: Floats,
    ints: Ints,
    solids: Floats,
    touches: Floats,
) -> float:
    """For how long the sides that press on W go on to be the same; W is sent round a corner that it rolls over."""
    pressing, hindering = 0, 0
    for touch in range(total):
        if is_in_the_way(touch, way, near, touches) and not is_another(touch, total, near, touches):
            hindering += 1
            # Who walks round a corner is off the floors that it leaves, and not off the walls beside it.
            nx, ny = touches[touch, ACROSS], touches[touch, ACROSS + 1]
            is_wall = not holds_up(touch, nx, ny, floats[weak, FLOOR_COSINE], touches)
            pressing += 1 if touches[touch, STATE] != IDLE or is_wall else 0
    for touch in range(total):
        if may_turn_in(touch, touches):
            rest = min(rest, time_to_lead_off(touch, way, near, tags, touches))
        if touches[touch, STATE] != PRESSES:
            continue
        nx, ny, _, owner = chosen_normal(touch, touches)
        side = 1 if touches[touch, CHOSEN] == 2.0 else 0
        neighbour = int(touches[owner, WHO])
        rest = min(rest, time_to_come_off(touch, side, way, near, tags, touches))
        rest = min(rest, time_to_face(touch, side, weak, time, way, near, tags, ints, touches))
        along = slide_along(touch, side, nx, ny, weak, way, near, tags, ints, solids, touches)
        if abs(along) * rest <= near[neighbour, FUZZ]:
            continue
        nx, ny = rotated(nx, ny, -touches[touch, TWIST + side])
        room = room_ahead(touch, side, nx, ny, weak, time, way, near, tags, ints, solids, touches)
        if room > 0.0:
            rest = min(rest, room / abs(along))
        elif is_round(touch, solids, touches):
            # Of several pieces that have the corner in common, each may have the next edge: the first one counts.
            if goes_on(touch, total, along, time, way, near, solids, touches):
                continue
            # A wheel that does not carry W may turn as it likes.
            matters = carrier >= 0 or carries_by_some(neighbour, tags)
            turning = near[neighbour, SPIN] != 0.0 and (
                matters or turns_now(tags[neighbour, BODY], near[neighbour, SPIN], ints)
            )
            turning = turning or turns_now(weak, way[WHIRL], ints)
            is_up = holds_up(touch, nx, ny, floats[weak, FLOOR_COSINE], touches)
            # A walker does not go along what is too steep by its own movement alone.
            slips = floats[weak, FLOOR_COSINE] <= 1.0 and not is_up
            if turning or slips or (pressing if is_up else hindering) > 1:
                way[ROLLING] = 1.0
                touches[touch, FEATURE + side] = VERTICES
                rest = min(rest, time_to_edge(touch, side, nx, ny, weak, time, way, near, tags, ints, solids, touches))
                continue
            facing = angle_of_mighty(near, neighbour, time)
            if is_up:
                lasting, mx, my = walk_round(touch, facing, rest, way, near, tags, solids, touches)
            else:
                lasting, mx, my = roll(touch, carrier >= 0, facing, rest, way, near, tags, solids, touches)
            if lasting > 0.0:
                rest = lasting
                way[SPEED] = near[neighbour, VELOCITY] + mx / lasting
                way[SPEED + 1] = near[neighbour, VELOCITY + 1] + my / lasting
        elif (
            (near[neighbour, SPIN] != 0.0 or turns_now(weak, way[WHIRL], ints))
            and not is_corner(touches, touch)
            and not goes_on(touch, total, along, time, way, near, solids, touches)
        ):
            # What followed here is inside of what W touches elsewhere, which goes on otherwise.
            rest = min(rest, PAST * near[neighbour, TOUCHING] / abs(along))
    return rest
