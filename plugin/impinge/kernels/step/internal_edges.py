"""Removal of internal edges: the contacts of several pieces at one place of W become one corner, or one side.

In the configuration space of W all contacts are at one point. Near it each piece is a half-plane, or a wedge at a
corner of the piece. This module uses nothing else of the pieces.
"""

from __future__ import annotations

from impinge.kernels import columns as col
from impinge.kernels.arrays import Floats
from impinge.kernels.compiler import kernel
from impinge.kernels.tolerances import SAME_SINE


@kernel()
def is_corner(touches: Floats, touch: int) -> bool:
    """Return whether a contact has two normals."""
    return touches[touch, col.TOUCH_SECOND_NORMAL] != 0.0 or touches[touch, col.TOUCH_SECOND_NORMAL + 1] != 0.0


@kernel()
def is_same_direction(nx: float, ny: float, mx: float, my: float) -> bool:
    """Return whether two unit vectors have the same direction."""
    return nx * mx + ny * my > 0.0 and abs(nx * my - ny * mx) <= SAME_SINE


@kernel()
def is_same_contact(touch: int, other: int, near: Floats, touches: Floats) -> bool:
    """Return whether two contacts are the same: several pieces share the place, the normal and the velocity."""
    nx, ny = touches[other, col.TOUCH_NORMAL], touches[other, col.TOUCH_NORMAL + 1]
    if is_corner(touches, touch) or is_corner(touches, other):
        return False
    if not is_same_direction(touches[touch, col.TOUCH_NORMAL], touches[touch, col.TOUCH_NORMAL + 1], nx, ny):
        return False
    if (
        touches[touch, col.TOUCH_SURFACE] != touches[other, col.TOUCH_SURFACE]
        or touches[touch, col.TOUCH_SURFACE + 1] != touches[other, col.TOUCH_SURFACE + 1]
    ):
        return False
    return is_same_place(touch, other, near, touches)


@kernel()
def is_same_place(one: int, other: int, near: Floats, touches: Floats) -> bool:
    """Return whether two contacts are at the same place of W."""
    reach = 4.0 * (
        near[int(touches[one, col.TOUCH_NEIGHBOUR]), col.NEAR_TOUCHING]
        + near[int(touches[other, col.TOUCH_NEIGHBOUR]), col.NEAR_TOUCHING]
    )
    across = abs(touches[one, col.TOUCH_PLACE] - touches[other, col.TOUCH_PLACE])
    return across <= reach and abs(touches[one, col.TOUCH_PLACE + 1] - touches[other, col.TOUCH_PLACE + 1]) <= reach


@kernel()
def side_direction(touch: int, side: int, touches: Floats) -> tuple[float, float]:
    """Return the direction of a side of a wedge, away from its corner."""
    at, other = col.TOUCH_NORMAL + 2 * side, col.TOUCH_NORMAL + 2 * (1 - side)
    x, y = -touches[touch, at + 1], touches[touch, at]
    if touches[touch, other] * x + touches[touch, other + 1] * y > 0.0:
        return -x, -y
    return x, y


@kernel(inline=False)
def is_inside_piece(touch: int, other: int, touches: Floats) -> bool:
    """Return whether a wedge lies within another piece of the same body."""
    if touches[other, col.TOUCH_NEIGHBOUR] != touches[touch, col.TOUCH_NEIGHBOUR] or not is_corner(touches, touch):
        return False
    for side in range(2):
        x, y = side_direction(touch, side, touches)
        if touches[other, col.TOUCH_NORMAL] * x + touches[other, col.TOUCH_NORMAL + 1] * y > SAME_SINE:
            return False
        if touches[other, col.TOUCH_SECOND_NORMAL] * x + touches[other, col.TOUCH_SECOND_NORMAL + 1] * y > SAME_SINE:
            return False
    return True


@kernel(inline=False)
def is_internal_side(touch: int, side: int, total: int, near: Floats, touches: Floats) -> bool:
    """Return whether a side of a wedge lies inside another piece of its body, or flush against another contact."""
    x, y = side_direction(touch, side, touches)
    nx, ny = touches[touch, col.TOUCH_NORMAL + 2 * side], touches[touch, col.TOUCH_NORMAL + 2 * side + 1]
    for other in range(total):
        if other == touch:
            continue
        first = touches[other, col.TOUCH_NORMAL] * x + touches[other, col.TOUCH_NORMAL + 1] * y
        if touches[other, col.TOUCH_NEIGHBOUR] == touches[touch, col.TOUCH_NEIGHBOUR] and first < -SAME_SINE:
            if not is_corner(touches, other):
                return True
            if (
                touches[other, col.TOUCH_SECOND_NORMAL] * x + touches[other, col.TOUCH_SECOND_NORMAL + 1] * y
                < -SAME_SINE
            ):
                return True
        if is_same_place(touch, other, near, touches):
            if is_same_direction(nx, ny, -touches[other, col.TOUCH_NORMAL], -touches[other, col.TOUCH_NORMAL + 1]):
                return True
            if is_corner(touches, other) and is_same_direction(
                nx, ny, -touches[other, col.TOUCH_SECOND_NORMAL], -touches[other, col.TOUCH_SECOND_NORMAL + 1]
            ):
                return True
    return False


@kernel(inline=False)
def join_corner(touch: int, total: int, near: Floats, touches: Floats) -> None:
    """Join a wedge that has one side left with another such wedge, if both form a corner; else keep that side."""
    side = 1 if touches[touch, col.TOUCH_CUTS] == 1.0 else 0
    at = col.TOUCH_NORMAL + 2 * side
    nx, ny = touches[touch, at], touches[touch, at + 1]
    x, y = side_direction(touch, side, touches)
    joined = -1
    for other in range(touch + 1, total):
        cuts = touches[other, col.TOUCH_CUTS]
        if touches[other, col.TOUCH_STATE] == col.STATE_DROPPED or cuts == 0.0 or cuts == 3.0:
            continue
        if touches[other, col.TOUCH_NEIGHBOUR] != touches[touch, col.TOUCH_NEIGHBOUR] and not is_same_place(
            touch, other, near, touches
        ):
            continue
        other_side = 1 if cuts == 1.0 else 0
        mx, my = (
            touches[other, col.TOUCH_NORMAL + 2 * other_side],
            touches[other, col.TOUCH_NORMAL + 2 * other_side + 1],
        )
        ox, oy = side_direction(other, other_side, touches)
        if mx * x + my * y < -SAME_SINE and nx * ox + ny * oy < -SAME_SINE:
            joined = other
            break
    touches[touch, col.TOUCH_NORMAL], touches[touch, col.TOUCH_NORMAL + 1] = nx, ny
    touches[touch, col.TOUCH_SECOND_NORMAL] = touches[touch, col.TOUCH_SECOND_NORMAL + 1] = 0.0
    touches[touch, col.TOUCH_FEATURE] = touches[touch, col.TOUCH_FEATURE + side]
    open_sides = 1.0 if int(touches[touch, col.TOUCH_OPEN]) >> side & 1 else 0.0
    if joined >= 0:
        side = 1 if touches[joined, col.TOUCH_CUTS] == 1.0 else 0
        touches[touch, col.TOUCH_SECOND_NORMAL] = touches[joined, col.TOUCH_NORMAL + 2 * side]
        touches[touch, col.TOUCH_SECOND_NORMAL + 1] = touches[joined, col.TOUCH_NORMAL + 2 * side + 1]
        touches[touch, col.TOUCH_FEATURE + 1], touches[touch, col.TOUCH_OWNER + 1] = (
            touches[joined, col.TOUCH_FEATURE + side],
            joined,
        )
        open_sides += 2.0 if int(touches[joined, col.TOUCH_OPEN]) >> side & 1 else 0.0
        touches[joined, col.TOUCH_STATE] = col.STATE_DROPPED
    touches[touch, col.TOUCH_OPEN], touches[touch, col.TOUCH_CUTS] = open_sides, 0.0


@kernel(inline=False)
def join_internal_edges(total: int, near: Floats, touches: Floats) -> None:
    """Join the contacts of several pieces into corners and sides, without internal edges.

    A side of a wedge counts only if it is not inside another piece of the same body, and not flush with another wedge.
    Two sides that are left form a corner, or two plain sides if their bodies leave W less than a half-plane.
    """
    for touch in range(total):
        if not is_corner(touches, touch):
            continue
        for other in range(total):
            if other == touch or not is_inside_piece(touch, other, touches):
                continue
            # Of two equal wedges, the first one stays.
            if other < touch or not is_inside_piece(other, touch, touches):
                touches[touch, col.TOUCH_CUTS] = 3.0
        for side in range(2):
            if touches[touch, col.TOUCH_CUTS] != 3.0 and is_internal_side(touch, side, total, near, touches):
                touches[touch, col.TOUCH_CUTS] += 1.0 + side
    for touch in range(total):
        if touches[touch, col.TOUCH_CUTS] == 3.0:
            touches[touch, col.TOUCH_STATE] = col.STATE_DROPPED
        elif touches[touch, col.TOUCH_CUTS] > 0.0 and touches[touch, col.TOUCH_STATE] != col.STATE_DROPPED:
            join_corner(touch, total, near, touches)
