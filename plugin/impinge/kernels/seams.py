"""What lies in a seam is no side: the touches of several pieces at one place of W are made one corner, or one side.

In the plane of W's places all touches are at one point, and near it each piece is a half-plane or, at a corner of its,
a wedge. That is all that this module looks at.
"""

from __future__ import annotations

from impinge.kernels.compiler import kernel
from impinge.kernels.layout import Floats
from impinge.kernels.touch_rows import (
    ACROSS,
    AT,
    CUTS,
    DROPPED,
    FEATURE,
    OPEN,
    OWNER,
    SAME,
    SECOND,
    STATE,
    SURFACE,
    TOUCHING,
    WHO,
)


@kernel()
def is_corner(touches: Floats, touch: int) -> bool:
    """Whether a touch has two normals."""
    return touches[touch, SECOND] != 0.0 or touches[touch, SECOND + 1] != 0.0


@kernel()
def is_same(nx: float, ny: float, mx: float, my: float) -> bool:
    """Whether two unit vectors are one direction."""
    return nx * mx + ny * my > 0.0 and abs(nx * my - ny * mx) <= SAME


@kernel()
def is_again(touch: int, other: int, near: Floats, touches: Floats) -> bool:
    """Whether two touches are one: at a place that several pieces share, by one normal, and as fast."""
    nx, ny = touches[other, ACROSS], touches[other, ACROSS + 1]
    if is_corner(touches, touch) or is_corner(touches, other):
        return False
    if not is_same(touches[touch, ACROSS], touches[touch, ACROSS + 1], nx, ny):
        return False
    if touches[touch, SURFACE] != touches[other, SURFACE] or touches[touch, SURFACE + 1] != touches[other, SURFACE + 1]:
        return False
    return is_same_place(touch, other, near, touches)


@kernel()
def is_same_place(one: int, other: int, near: Floats, touches: Floats) -> bool:
    """Whether two touches are at one place of W."""
    reach = 4.0 * (near[int(touches[one, WHO]), TOUCHING] + near[int(touches[other, WHO]), TOUCHING])
    across = abs(touches[one, AT] - touches[other, AT])
    return across <= reach and abs(touches[one, AT + 1] - touches[other, AT + 1]) <= reach


@kernel()
def ray_along(touch: int, side: int, touches: Floats) -> tuple[float, float]:
    """Direction in which a side of a wedge goes away from its corner."""
    at, other = ACROSS + 2 * side, ACROSS + 2 * (1 - side)
    x, y = -touches[touch, at + 1], touches[touch, at]
    if touches[touch, other] * x + touches[touch, other + 1] * y > 0.0:
        return -x, -y
    return x, y


@kernel(inline=False)
def is_within(touch: int, other: int, touches: Floats) -> bool:
    """Whether a wedge is part of what another piece of the same body is there."""
    if touches[other, WHO] != touches[touch, WHO] or not is_corner(touches, touch):
        return False
    for side in range(2):
        x, y = ray_along(touch, side, touches)
        if touches[other, ACROSS] * x + touches[other, ACROSS + 1] * y > SAME:
            return False
        if touches[other, SECOND] * x + touches[other, SECOND + 1] * y > SAME:
            return False
    return True


@kernel(inline=False)
def is_buried(touch: int, side: int, total: int, near: Floats, touches: Floats) -> bool:
    """Whether a side of a wedge lies inside of what else W touches, or flush with it."""
    x, y = ray_along(touch, side, touches)
    nx, ny = touches[touch, ACROSS + 2 * side], touches[touch, ACROSS + 2 * side + 1]
    for other in range(total):
        if other == touch:
            continue
        first = touches[other, ACROSS] * x + touches[other, ACROSS + 1] * y
        if touches[other, WHO] == touches[touch, WHO] and first < -SAME:
            if not is_corner(touches, other):
                return True
            if touches[other, SECOND] * x + touches[other, SECOND + 1] * y < -SAME:
                return True
        if is_same_place(touch, other, near, touches):
            if is_same(nx, ny, -touches[other, ACROSS], -touches[other, ACROSS + 1]):
                return True
            if is_corner(touches, other) and is_same(nx, ny, -touches[other, SECOND], -touches[other, SECOND + 1]):
                return True
    return False


@kernel(inline=False)
def join_corner(touch: int, total: int, near: Floats, touches: Floats) -> None:
    """Join a wedge that has one side left with another one, if they are a corner, and else leave it that side."""
    side = 1 if touches[touch, CUTS] == 1.0 else 0
    at = ACROSS + 2 * side
    nx, ny = touches[touch, at], touches[touch, at + 1]
    x, y = ray_along(touch, side, touches)
    joined = -1
    for other in range(touch + 1, total):
        cuts = touches[other, CUTS]
        if touches[other, STATE] == DROPPED or cuts == 0.0 or cuts == 3.0:
            continue
        if touches[other, WHO] != touches[touch, WHO] and not is_same_place(touch, other, near, touches):
            continue
        other_side = 1 if cuts == 1.0 else 0
        mx, my = touches[other, ACROSS + 2 * other_side], touches[other, ACROSS + 2 * other_side + 1]
        ox, oy = ray_along(other, other_side, touches)
        if mx * x + my * y < -SAME and nx * ox + ny * oy < -SAME:
            joined = other
            break
    touches[touch, ACROSS], touches[touch, ACROSS + 1] = nx, ny
    touches[touch, SECOND] = touches[touch, SECOND + 1] = 0.0
    touches[touch, FEATURE] = touches[touch, FEATURE + side]
    open_sides = 1.0 if int(touches[touch, OPEN]) >> side & 1 else 0.0
    if joined >= 0:
        side = 1 if touches[joined, CUTS] == 1.0 else 0
        touches[touch, SECOND] = touches[joined, ACROSS + 2 * side]
        touches[touch, SECOND + 1] = touches[joined, ACROSS + 2 * side + 1]
        touches[touch, FEATURE + 1], touches[touch, OWNER + 1] = touches[joined, FEATURE + side], joined
        open_sides += 2.0 if int(touches[joined, OPEN]) >> side & 1 else 0.0
        touches[joined, STATE] = DROPPED
    touches[touch, OPEN], touches[touch, CUTS] = open_sides, 0.0


@kernel(inline=False)
def join_seams(total: int, near: Floats, touches: Floats) -> None:
    """Make one corner of what several pieces are together where W touches them: what lies in a seam is no side.

    In the plane of W's places all touches are at one point, and near it each piece is a half-plane or, at a corner of
    its, a wedge. A side of a wedge counts only as far as it is not inside of another one of the same body, nor flush
    with another wedge; two that are left are a corner, or, with more than a half-plane between them, two sides.
    """
    for touch in range(total):
        if not is_corner(touches, touch):
            continue
        for other in range(total):
            if other == touch or not is_within(touch, other, touches):
                continue
            # Of two that are the same the first one stays.
            if other < touch or not is_within(other, touch, touches):
                touches[touch, CUTS] = 3.0
        for side in range(2):
            if touches[touch, CUTS] != 3.0 and is_buried(touch, side, total, near, touches):
                touches[touch, CUTS] += 1.0 + side
    for touch in range(total):
        if touches[touch, CUTS] == 3.0:
            touches[touch, STATE] = DROPPED
        elif touches[touch, CUTS] > 0.0 and touches[touch, STATE] != DROPPED:
            join_corner(touch, total, near, touches)
