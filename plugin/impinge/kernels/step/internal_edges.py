"""Removal of internal edges: the contacts of several pieces at one place of W become one corner, or one side.

In the configuration space of W all contacts are at one point. Near it each piece is a half-plane, or a wedge at a
corner of the piece, and pieces that move alike are one obstacle: the union of these. This module finds the sides of
that union, whatever bodies the pieces belong to, and uses nothing else of the pieces.
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
def move_alike(one: int, other: int, near: Floats, touches: Floats) -> bool:
    """Return whether the surfaces of two contacts have the same velocity, up to rounding."""
    a, b = int(touches[one, col.TOUCH_NEIGHBOUR]), int(touches[other, col.TOUCH_NEIGHBOUR])
    noise = near[a, col.NEAR_NOISE] + near[a, col.NEAR_FUZZ] + near[b, col.NEAR_NOISE] + near[b, col.NEAR_FUZZ]
    return (
        abs(touches[one, col.TOUCH_SURFACE] - touches[other, col.TOUCH_SURFACE]) <= noise
        and abs(touches[one, col.TOUCH_SURFACE + 1] - touches[other, col.TOUCH_SURFACE + 1]) <= noise
    )


@kernel()
def is_same_contact(touch: int, other: int, near: Floats, touches: Floats) -> bool:
    """Return whether two contacts are the same: several pieces share the place, the normal and the velocity."""
    nx, ny = touches[other, col.TOUCH_NORMAL], touches[other, col.TOUCH_NORMAL + 1]
    if is_corner(touches, touch) or is_corner(touches, other):
        return False
    if not is_same_direction(touches[touch, col.TOUCH_NORMAL], touches[touch, col.TOUCH_NORMAL + 1], nx, ny):
        return False
    return move_alike(touch, other, near, touches) and is_same_place(touch, other, near, touches)


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
def is_one_obstacle(touch: int, other: int, near: Floats, touches: Floats) -> bool:
    """Return whether the pieces of two contacts are parts of one obstacle: of one body, or solid and moving alike.

    Tiles of a floor are one obstacle. So a box with a corner at their seam is not stopped by the next tile's side,
    which lies inside the tile before.
    """
    if touches[touch, col.TOUCH_NEIGHBOUR] == touches[other, col.TOUCH_NEIGHBOUR]:
        return True
    if touches[touch, col.TOUCH_OPEN] != 0.0 or touches[other, col.TOUCH_OPEN] != 0.0:
        return False
    if (
        touches[touch, col.TOUCH_FEATURE] == col.FEATURE_JAMMED
        or touches[other, col.TOUCH_FEATURE] == col.FEATURE_JAMMED
    ):
        return False
    return move_alike(touch, other, near, touches)


@kernel()
def side_direction(touch: int, side: int, touches: Floats) -> tuple[float, float]:
    """Return the direction of a side of a wedge, away from its corner.

    It is to the left of the side's normal where the wedge begins, counter-clockwise, and to the right where it ends.
    """
    at, other = col.TOUCH_NORMAL + 2 * side, col.TOUCH_NORMAL + 2 * (1 - side)
    x, y = -touches[touch, at + 1], touches[touch, at]
    if touches[touch, other] * x + touches[touch, other + 1] * y > 0.0:
        return -x, -y
    return x, y


@kernel()
def begins_wedge(touch: int, side: int, touches: Floats) -> bool:
    """Return whether a side is the one where the wedge begins, counter-clockwise."""
    at, other = col.TOUCH_NORMAL + 2 * side, col.TOUCH_NORMAL + 2 * (1 - side)
    return touches[touch, other + 1] * touches[touch, at] <= touches[touch, other] * touches[touch, at + 1]


@kernel()
def is_within(touch: int, x: float, y: float, tolerance: float, touches: Floats) -> bool:
    """Return whether a direction leads into the half-plane or wedge of a contact, further than a tolerance."""
    if touches[touch, col.TOUCH_NORMAL] * x + touches[touch, col.TOUCH_NORMAL + 1] * y >= tolerance:
        return False
    return not is_corner(touches, touch) or (
        touches[touch, col.TOUCH_SECOND_NORMAL] * x + touches[touch, col.TOUCH_SECOND_NORMAL + 1] * y < tolerance
    )


@kernel(inline=False)
def is_inside_piece(touch: int, other: int, touches: Floats) -> bool:
    """Return whether a wedge lies within another piece of the same body."""
    if touches[other, col.TOUCH_NEIGHBOUR] != touches[touch, col.TOUCH_NEIGHBOUR]:
        return False
    (x, y), (ux, uy) = side_direction(touch, 0, touches), side_direction(touch, 1, touches)
    return is_within(other, x, y, SAME_SINE, touches) and is_within(other, ux, uy, SAME_SINE, touches)


@kernel(inline=False)
def is_internal_side(touch: int, side: int, total: int, near: Floats, touches: Floats) -> bool:
    """Return whether a side of a wedge lies inside another piece of its obstacle, or flush against one."""
    x, y = side_direction(touch, side, touches)
    nx, ny = touches[touch, col.TOUCH_NORMAL + 2 * side], touches[touch, col.TOUCH_NORMAL + 2 * side + 1]
    for other in range(total):
        if other == touch:
            continue
        if is_within(other, x, y, -SAME_SINE, touches) and is_one_obstacle(touch, other, near, touches):
            return True
        if is_same_place(touch, other, near, touches):
            if is_same_direction(nx, ny, -touches[other, col.TOUCH_NORMAL], -touches[other, col.TOUCH_NORMAL + 1]):
                return True
            if is_corner(touches, other) and is_same_direction(
                nx, ny, -touches[other, col.TOUCH_SECOND_NORMAL], -touches[other, col.TOUCH_SECOND_NORMAL + 1]
            ):
                return True
    return False


@kernel()
def last_side(touch: int, touches: Floats) -> int:
    """Return the side of a wedge that is left."""
    return 1 if touches[touch, col.TOUCH_CUTS] == 1.0 else 0


@kernel()
def is_cut(touch: int, touches: Floats) -> bool:
    """Return whether a wedge has one side left."""
    return 0.0 < touches[touch, col.TOUCH_CUTS] < 3.0 and is_corner(touches, touch)


@kernel(inline=False)
def other_end(touch: int, total: int, near: Floats, touches: Floats) -> tuple[int, int]:
    """Return the wedge and the side at the other end of the corner whose one end is the last side of a wedge.

    The sides that are left are the border of the obstacle. So the corner ends at the next side with the other
    direction. If that is a half-turn away or more, there is no corner, and the answer is -1.
    """
    last = last_side(touch, touches)
    (x, y), begins = side_direction(touch, last, touches), begins_wedge(touch, last, touches)
    turn, found, end, nearest = 1.0 if begins else -1.0, -1, 0, -2.0
    for other in range(total):
        cuts = int(touches[other, col.TOUCH_CUTS])
        if other == touch or not is_corner(touches, other) or not is_one_obstacle(touch, other, near, touches):
            continue
        for side in range(2):
            ux, uy = side_direction(other, side, touches)
            is_ahead = turn * (x * uy - y * ux) > SAME_SINE and x * ux + y * uy > nearest
            if is_ahead and not cuts >> side & 1 and begins_wedge(other, side, touches) != begins:
                found, end, nearest = other, side, x * ux + y * uy
    return found, end


@kernel(inline=False)
def write_side(touch: int, place: int, other: int, side: int, touches: Floats) -> None:
    """Make a side of a wedge one of the two sides of a contact."""
    at, to, bit = col.TOUCH_NORMAL + 2 * side, col.TOUCH_NORMAL + 2 * place, 1 << place
    touches[touch, to], touches[touch, to + 1] = touches[other, at], touches[other, at + 1]
    touches[touch, col.TOUCH_FEATURE + place] = touches[other, col.TOUCH_FEATURE + side]
    touches[touch, col.TOUCH_OWNER + place] = other
    is_open = int(touches[other, col.TOUCH_OPEN]) >> side & 1
    touches[touch, col.TOUCH_OPEN] = float(int(touches[touch, col.TOUCH_OPEN]) & ~bit | bit * is_open)


@kernel(inline=False)
def faces_side(touch: int, side: int, total: int, near: Floats, touches: Floats) -> bool:
    """Return whether another contact, at another place of W, has a side with the opposite normal."""
    nx, ny = touches[touch, col.TOUCH_NORMAL + 2 * side], touches[touch, col.TOUCH_NORMAL + 2 * side + 1]
    for other in range(total):
        for at in (col.TOUCH_NORMAL, col.TOUCH_SECOND_NORMAL):
            is_opposite = is_same_direction(nx, ny, -touches[other, at], -touches[other, at + 1])
            if is_opposite and not is_same_place(touch, other, near, touches):
                return True
    return False


@kernel(inline=False)
def closes_slot(touch: int, total: int, near: Floats, touches: Floats) -> bool:
    """Return whether W fits exactly between two sides, and a wedge closes the slot: the sides alone let W through.

    A box of the width of a shaft fell into a triangle at its bottom, whose sides are inside of both walls.
    """
    for other in range(total):
        for side in range(2 if is_corner(touches, other) else 1):
            if other == touch or not faces_side(other, side, total, near, touches):
                continue
            x, y = -touches[other, col.TOUCH_NORMAL + 2 * side + 1], touches[other, col.TOUCH_NORMAL + 2 * side]
            if is_within(touch, x, y, -SAME_SINE, touches) or is_within(touch, -x, -y, -SAME_SINE, touches):
                return True
    return False


@kernel(inline=False)
def join_internal_edges(total: int, near: Floats, touches: Floats) -> None:
    """Join the contacts of several pieces into corners and sides, without internal edges.

    A side of a wedge counts only if it is on the border of the obstacle. Two such sides of different wedges form a
    corner, or two plain sides if they leave W less than a half-plane.
    """
    for touch in range(total):
        if not is_corner(touches, touch):
            continue
        for other in range(total):
            if other == touch or not is_inside_piece(touch, other, touches):
                continue
            # Of two equal wedges, the first one stays.
            if other < touch or not is_corner(touches, other) or not is_inside_piece(other, touch, touches):
                touches[touch, col.TOUCH_CUTS] = 3.0
        for side in range(2):
            if touches[touch, col.TOUCH_CUTS] != 3.0 and is_internal_side(touch, side, total, near, touches):
                touches[touch, col.TOUCH_CUTS] += 1.0 + side
        if touches[touch, col.TOUCH_CUTS] == 3.0:
            if closes_slot(touch, total, near, touches):
                touches[touch, col.TOUCH_CUTS] = 0.0
            else:
                touches[touch, col.TOUCH_STATE] = col.STATE_DROPPED
    # A corner is written to the wedge where it begins; its last side stays in its place, as others look for it.
    for turn in range(2):
        for touch in range(total):
            side = last_side(touch, touches)
            if not is_cut(touch, touches) or begins_wedge(touch, side, touches) != (turn == 0):
                continue
            other, end = other_end(touch, total, near, touches)
            if other < 0:
                write_side(touch, 0, touch, side, touches)
                touches[touch, col.TOUCH_SECOND_NORMAL] = touches[touch, col.TOUCH_SECOND_NORMAL + 1] = 0.0
            elif turn == 0:
                write_side(touch, 1 - side, other, end, touches)
            else:
                touches[touch, col.TOUCH_STATE] = col.STATE_DROPPED
