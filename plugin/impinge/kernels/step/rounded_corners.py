"""The motion of a solid W around a rounded corner in contact, in closed form.

W moves on a circle around the corner, and its driving velocity is constant. With an angle d from the direction of this
velocity to the normal, and a radius R, R d' = -speed sin d. So tan(d / 2) shrinks with exp(-speed t / R).
"""

from __future__ import annotations

import math

from impinge.kernels import columns as col
from impinge.kernels.arrays import Bodies, Candidates, Floats, Vector
from impinge.kernels.compiler import kernel
from impinge.kernels.pair.separation import both_radii
from impinge.kernels.step.candidates import angle_of_mighty
from impinge.kernels.step.contact_planes import chosen_normal, contact_noise
from impinge.kernels.step.contacts import (
    SAME_ANGLE,
    angle_tolerance,
    carries_by_some_faces,
    real_spins,
    slide_speed,
)

# Radians. For new contacts and for lower ranks, the path around a corner consists of straight stretches of this angle.
LONGEST_ARC = 1.0 / 8.0
# W may return over a diagonal between two faces that it has just crossed. Then the next span is `SHORTER_SPAN` of the
# present one. `NEAR_DIAGONAL_HAIRS` and `PAST_DIAGONAL_HAIRS` are multiples of `angle_tolerance`: the largest angle to
# that diagonal, and the least angle that the normal turns.
SHORTER_SPAN = 0.25
NEAR_DIAGONAL_HAIRS = 2.0
PAST_DIAGONAL_HAIRS = 8.0


@kernel()
def wrapped_angle(angle: float) -> float:
    """Return an angle wrapped to the range from -pi to pi."""
    return angle - 2.0 * math.pi * math.floor(angle / (2.0 * math.pi) + 0.5)


@kernel(inline=False)
def angle_to_edge(solids: Floats, piece: int, sign: float, angle: float, way: float) -> float:
    """Return the angle from a normal to that of the next edge of a piece; `sign` -1 takes the opposite normals."""
    first, total = int(solids[piece + col.FIRST_POINT]), int(solids[piece + col.POINT_TOTAL])
    least = math.inf
    if total == 1:
        return least
    for at in range(first, first + col.POINT_COLUMNS * total, col.POINT_COLUMNS):
        ahead = way * wrapped_angle(
            math.atan2(sign * solids[at + col.NORMAL + 1], sign * solids[at + col.NORMAL]) - angle
        )
        if ahead < 0.0:
            ahead += 2.0 * math.pi
        if ahead > SAME_ANGLE:
            least = min(least, ahead)
    return least


@kernel()
def angle_to_face(angle: float, way: float, hair: float) -> float:
    """Return the angle that a normal, relative to M, turns until it belongs to the next face of M.

    It ends a hair past the diagonal between two faces. From there on M may begin or cease to carry W.
    """
    quarters = (way * wrapped_angle(angle) + 0.25 * math.pi) / (0.5 * math.pi)
    return 0.5 * math.pi * (math.floor(quarters - hair / math.pi) + 1.0 - quarters) + hair


@kernel(inline=False)
def leaving_margin(touch: int, x: float, y: float, radius: float, near: Floats, touches: Floats) -> float:
    """Return the angle past a tangent at which a movement leads away from a corner by more than rounding."""
    _, _, _, owner = chosen_normal(touch, touches)
    tolerance = angle_tolerance(int(touches[owner, col.TOUCH_NEIGHBOUR]), radius, near) - 2.0 * SAME_ANGLE
    return tolerance + 2.0 * contact_noise(touch, x, y, near, touches) / math.sqrt(x * x + y * y)


@kernel(inline=False)
def roll_around_corner(
    touch: int,
    is_carried: bool,
    rest: float,
    way: Floats,
    candidates: Candidates,
    solids: Floats,
    touches: Floats,
) -> tuple[float, float, float]:
    """Return how long W moves around a corner in contact in one stretch, and its displacement relative to M.

    The time is 0 if W does not move along the corner.
    """
    nx, ny, _, owner = chosen_normal(touch, touches)
    piece_m, piece_w = int(touches[owner, col.TOUCH_PIECE_M]), int(touches[owner, col.TOUCH_PIECE_W])
    radius = both_radii(solids, piece_m, solids, piece_w)
    loose_x, loose_y = (
        way[col.WAY_OWN] - touches[owner, col.TOUCH_SURFACE],
        way[col.WAY_OWN + 1] - touches[owner, col.TOUCH_SURFACE + 1],
    )
    # A carried W slides by its own movement. It leaves when this movement, relative to M's surface, leads away.
    drive_x, drive_y = (way[col.WAY_OWN], way[col.WAY_OWN + 1]) if is_carried else (loose_x, loose_y)
    speed = math.sqrt(drive_x * drive_x + drive_y * drive_y)
    angle, heading = math.atan2(ny, nx), math.atan2(drive_y, drive_x)
    off = wrapped_angle(angle - heading)
    if speed == 0.0 or abs(math.sin(off)) * speed <= 1e-300 or abs(off) < SAME_ANGLE:
        return 0.0, 0.0, 0.0
    side = 1.0 if off > 0.0 else -1.0
    turn = min(LONGEST_ARC, abs(off) * 0.5)
    turn = min(turn, angle_to_edge(solids, piece_m, 1.0, angle, -side))
    turn = min(turn, angle_to_edge(solids, piece_w, -1.0, angle, -side))
    neighbour = int(touches[owner, col.TOUCH_NEIGHBOUR])
    if carries_by_some_faces(neighbour, candidates.tags):
        facing = angle_of_mighty(candidates.near, neighbour, way[col.WAY_TIME])
        turn = min(turn, angle_to_face(angle - facing, -side, angle_tolerance(neighbour, radius, candidates.near)))
    if candidates.tags[neighbour, col.TAG_BITS] & col.BIT_HELD:
        loose_x, loose_y = way[col.WAY_OWN], way[col.WAY_OWN + 1]
    if loose_x != 0.0 or loose_y != 0.0:
        # W leaves where the normal is perpendicular to W's own movement relative to M's surface, or to that alone if M
        # holds W: past that angle by the rounding at a tiny corner, and by that of the speed, or W would stay there and
        # press again and again.
        leaving = side * wrapped_angle(angle - math.atan2(loose_y, loose_x))
        if leaving < 0.0:
            leaving += 2.0 * math.pi
        past = leaving_margin(touch, loose_x, loose_y, radius, candidates.near, touches)
        turn = min(turn, leaving - 0.5 * math.pi + past)
        if turn <= 0.0:
            return 0.0, 0.0, 0.0
    time = radius / speed * math.log(math.tan(0.5 * abs(off)) / math.tan(0.5 * (abs(off) - turn)))
    if time > rest:
        time = rest
        after = 2.0 * math.atan(math.tan(0.5 * abs(off)) * math.exp(-speed * time / radius))
        turn = abs(off) - after
    angle -= side * turn
    return time, radius * (math.cos(angle) - nx), radius * (math.sin(angle) - ny)


@kernel(inline=False)
def walk_around_corner(
    touch: int, rest: float, way: Floats, candidates: Candidates, solids: Floats, touches: Floats
) -> tuple[float, float, float]:
    """Return the same as `roll_around_corner` for a walker that can stand on the corner: its pace stays the same."""
    nx, ny, _, owner = chosen_normal(touch, touches)
    piece_m, piece_w = int(touches[owner, col.TOUCH_PIECE_M]), int(touches[owner, col.TOUCH_PIECE_W])
    radius = both_radii(solids, piece_m, solids, piece_w)
    pace, fall = (
        way[col.WAY_SPEED] - touches[owner, col.TOUCH_SURFACE],
        way[col.WAY_OWN + 1] - touches[owner, col.TOUCH_SURFACE + 1],
    )
    side = 1.0 if pace > 0.0 else -1.0
    angle = math.atan2(ny, nx)
    # The walker leaves where the ground descends faster than the walker falls.
    turn = min(LONGEST_ARC, math.atan2(-fall, abs(pace)) - side * (0.5 * math.pi - angle))
    turn = min(turn, angle_to_edge(solids, piece_m, 1.0, angle, -side))
    turn = min(turn, angle_to_edge(solids, piece_w, -1.0, angle, -side))
    neighbour = int(touches[owner, col.TOUCH_NEIGHBOUR])
    if carries_by_some_faces(neighbour, candidates.tags):
        facing = angle_of_mighty(candidates.near, neighbour, way[col.WAY_TIME])
        turn = min(turn, angle_to_face(angle - facing, -side, angle_tolerance(neighbour, radius, candidates.near)))
    if pace == 0.0 or turn <= 0.0:
        return 0.0, 0.0, 0.0
    time = min(radius * (math.cos(angle - side * turn) - nx) / pace, rest)
    across = nx + pace * time / radius
    return time, pace * time, radius * (math.sqrt(max(1.0 - across * across, 0.0)) - ny)


@kernel(inline=False)
def time_to_edge(
    touch: int,
    side: int,
    normal: Vector,
    weak: int,
    way: Floats,
    candidates: Candidates,
    bodies: Bodies,
    touches: Floats,
) -> float:
    """Return how long W moves around a corner in a straight stretch at its present speed: to the next edge or face."""
    solids, near = bodies.solids, candidates.near
    owner = int(touches[touch, col.TOUCH_OWNER + side])
    neighbour = int(touches[owner, col.TOUCH_NEIGHBOUR])
    piece_m, piece_w = int(touches[owner, col.TOUCH_PIECE_M]), int(touches[owner, col.TOUCH_PIECE_W])
    radius = both_radii(solids, piece_m, solids, piece_w)
    rate = slide_speed(touch, side, normal, weak, way, candidates, bodies, touches) / radius
    lasting, angle = math.inf, math.atan2(normal[1], normal[0])
    if rate != 0.0:
        lasting = LONGEST_ARC / abs(rate)
    closing = rate - near[neighbour, col.NEAR_SPIN]
    if (
        closing != 0.0
        and carries_by_some_faces(neighbour, candidates.tags)
        and not touches[touch, col.TOUCH_ON_DIAGONAL]
    ):
        hair = angle_tolerance(neighbour, radius, near)
        facing = angle_of_mighty(near, neighbour, way[col.WAY_TIME])
        ahead = angle_to_face(angle - facing, 1.0 if closing > 0.0 else -1.0, hair)
        if (
            way[col.WAY_LONGEST] < 1.0
            and ahead <= NEAR_DIAGONAL_HAIRS * hair
            and way[col.WAY_LONGEST] * abs(closing) > PAST_DIAGONAL_HAIRS * hair
        ):
            # W returns only later, as its speed along the corner grows: a shorter span has another mean speed.
            lasting = min(lasting, SHORTER_SPAN * way[col.WAY_SPAN])
        else:
            lasting = min(lasting, ahead / abs(closing))
    spin_m, spin_w = real_spins(neighbour, weak, way, candidates, bodies.ints)
    for sign, piece, spin in ((1.0, piece_m, spin_m), (-1.0, piece_w, spin_w)):
        closing = rate - spin
        if closing != 0.0:
            ahead = angle_to_edge(solids, piece, sign, angle, 1.0 if closing > 0.0 else -1.0)
            lasting = min(lasting, ahead / abs(closing))
    return lasting


@kernel()
def is_round(touch: int, solids: Floats, touches: Floats) -> bool:
    """Return whether the pieces of a contact are rounded."""
    _, _, _, owner = chosen_normal(touch, touches)
    return (
        both_radii(solids, int(touches[owner, col.TOUCH_PIECE_M]), solids, int(touches[owner, col.TOUCH_PIECE_W])) > 0.0
    )
