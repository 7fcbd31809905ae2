"""What lies in a seam is no side: the touches of several pieces at one place of W are made one corner, or one side.

In the plane of W's places all touches are at one point, and near it each piece is a half-plane or, at a corner of its,
a wedge. That is all that this module looks at.
"""

from __future__ import annotations

from impinge.kernels import columns as col
from impinge.kernels.arrays import Floats
from impinge.kernels.compiler import kernel
from impinge.kernels.tolerances import SAME_SINE


@kernel()
def is_corner(touches: Floats, touch: int) -> bool:
    """Whether a touch has two normals."""
    return touches[touch, col.TOUCH_SECOND_NORMAL] != 0.0 or touches[touch, col.TOUCH_SECOND_NORMAL + 1] != 0.0


@kernel()
def is_same(nx: float, ny: float, mx: float, my: float) -> bool:
    """Whether two unit vectors are one direction."""
    return nx * mx + ny * my > 0.0 and abs(nx * my - ny * mx) <= SAME_SINE


@kernel()
def is_again(touch: int, other: int, near: Floats, touches: Floats) -> bool:
    """Whether two touches are one: at a place that several pieces share, by one normal, and as fast."""
    nx, ny = touches[other, col.TOUCH_NORMAL], touches[other, col.TOUCH_NORMAL + 1]
    if is_corner(touches, touch) or is_corner(touches, other):
        return False
    if not is_same(touches[touch, col.TOUCH_NORMAL], touches[touch, col.TOUCH_NORMAL + 1], nx, ny):
        return False
    if (
        touches[touch, col.TOUCH_SURFACE] != touches[other, col.TOUCH_SURFACE]
        or touches[touch, col.TOUCH_SURFACE + 1] != touches[other, col.TOUCH_SURFACE + 1]
    ):
        return False
    return is_same_place(touch, other, near, touches)


@kernel()
def is_same_place(one: int, other: int, near: Floats, touches: Floats) -> bool:
    """Whether two touches are at one place of W."""
    reach = 4.0 * (
        near[int(touches[one, col.TOUCH_NEIGHBOUR]), col.NEAR_TOUCHING]
        + near[int(touches[other, col.TOUCH_NEIGHBOUR]), col.NEAR_TOUCHING]
    )
    across = abs(touches[one, col.TOUCH_PLACE] - touches[other, col.TOUCH_PLACE])
    return across <= reach and abs(touches[one, col.TOUCH_PLACE + 1] - touches[other, col.TOUCH_PLACE + 1]) <= reach


@kernel()
def ray_along(touch: int, side: int, touches: Floats) -> tuple[float, float]:
    """Direction in which a side of a wedge goes away from its corner."""
    at, other = col.TOUCH_NORMAL + 2 * side, col.TOUCH_NORMAL + 2 * (1 - side)
    x, y = -touches[touch, at + 1], touches[touch, at]
    if touches[touch, other] * x + touches[touch, other + 1] * y > 0.0:
        return -x, -y
    return x, y


@kernel(inline=False)
def is_within(touch: int, other: int, touches: Floats) -> bool:
    """Whether a wedge is part of what another piece of the same body is there."""
    if touches[other, col.TOUCH_NEIGHBOUR] != touches[touch, col.TOUCH_NEIGHBOUR] or not is_corner(touches, touch):
        return False
    for side in range(2):
        x, y = ray_along(touch, side, touches)
        if touches[other, col.TOUCH_NORMAL] * x + touches[other, col.TOUCH_NORMAL + 1] * y > SAME_SINE:
            return False
        if touches[other, col.TOUCH_SECOND_NORMAL] * x + touches[other, col.TOUCH_SECOND_NORMAL + 1] * y > SAME_SINE:
            return False
    return True


@kernel(inline=False)
def is_buried(touch: int, side: int, total: int, near: Floats, touches: Floats) -> bool:
    """Whether a side of a wedge lies inside of what else W touches, or flush with it."""
    x, y = ray_along(touch, side, touches)
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
            if is_same(nx, ny, -touches[other, col.TOUCH_NORMAL], -touches[other, col.TOUCH_NORMAL + 1]):
                return True
            if is_corner(touches, other) and is_same(
                nx, ny, -touches[other, col.TOUCH_SECOND_NORMAL], -touches[other, col.TOUCH_SECOND_NORMAL + 1]
            ):
                return True
    return False


@kernel(inline=False)
def join_corner(touch: int, total: int, near: Floats, touches: Floats) -> None:
    """Join a wedge that has one side left with another one, if they are a corner, and else leave it that side."""
    side = 1 if touches[touch, col.TOUCH_CUTS] == 1.0 else 0
    at = col.TOUCH_NORMAL + 2 * side
    nx, ny = touches[touch, at], touches[touch, at + 1]
    x, y = ray_along(touch, side, touches)
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
        ox, oy = ray_along(other, other_side, touches)
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
                touches[touch, col.TOUCH_CUTS] = 3.0
        for side in range(2):
            if touches[touch, col.TOUCH_CUTS] != 3.0 and is_buried(touch, side, total, near, touches):
                touches[touch, col.TOUCH_CUTS] += 1.0 + side
    for touch in range(total):
        if touches[touch, col.TOUCH_CUTS] == 3.0:
            touches[touch, col.TOUCH_STATE] = col.STATE_DROPPED
        elif touches[touch, col.TOUCH_CUTS] > 0.0 and touches[touch, col.TOUCH_STATE] != col.STATE_DROPPED:
            join_corner(touch, total, near, touches)
