"""The velocity of a solid W among its contacts: of those that enter no contact, the one nearest to W's target.

Each contact allows a half-plane of velocities, so the answer is the nearest point of a convex polygon. It is the target
itself, the foot of the target on one border, or the crossing of two borders. If the half-planes have no common point,
those of the mightiest bodies apply first.
"""

from __future__ import annotations

import math

from impinge.kernels import columns as col
from impinge.kernels.arrays import Bodies, Candidates, Contacts, Floats, Ints
from impinge.kernels.compiler import kernel
from impinge.kernels.pair.separation import both_radii
from impinge.kernels.step.candidates import angle_of_mighty, has_precedence
from impinge.kernels.step.contacts import (
    angle_tolerance,
    carries_by_some_faces,
    face_along,
    face_of_mighty,
    rotated,
    slide_speed,
    spin_of_normal,
)
from impinge.kernels.step.internal_edges import is_corner, is_same_contact, is_same_direction
from impinge.kernels.tolerances import ROUNDING

# Rounds in which carriers and pressing contacts are chosen. If a floor carries W into a wall that carries W off the
# floor, the choice repeats after two rounds.
CARRY_ROUNDS = 4


ALL_FACES = 15
# `TOUCH_CHOSEN` of a corner that is set aside.
SET_ASIDE = -1.0
# W counts as on a diagonal between two faces of M if it is no further off, in multiples of `angle_tolerance`.
NEAR_DIAGONAL = 4.0
# Sine of an angle. Two borders within it count as parallel: at their crossing, W would leave the gap between them at
# ten million times their closing speed.
PARALLEL_BORDERS = 1e-7
# The same for a body in which W is stuck: the gap is closed already. A body that was stuck 4 deep left at 4e7 a frame.
JAMMED_BORDERS = 0.25
# In slops: a thousandth of the smaller body. W is stuck in a piece that it overlaps by more, or was so before.
JAMMED_DEPTH = 1e6
# Sine of an angle. Two contacts have different directions only if their normals differ by more.
DIFFERENT_SINE = 1e-6
# Sticky sides that hold W at once: half of the half-planes are left for contacts.
MOST_HOLDING = col.PLANE_ROWS // 2
# Least upward part of the normal at a ledge's edge that lifts a walker. The lift is then at most 16 times its pace.
LEAST_LIFTING_NORMAL = 1.0 / 16.0


@kernel()
def contact_noise(touch: int, x: float, y: float, near: Floats, touches: Floats) -> float:
    """Return the part of a velocity along a normal that is only rounding, of places and of the velocity itself."""
    neighbour = int(touches[touch, col.TOUCH_NEIGHBOUR])
    return near[neighbour, col.NEAR_NOISE] + near[neighbour, col.NEAR_FUZZ] + ROUNDING * (abs(x) + abs(y))


@kernel()
def separating_speed(touch: int, x: float, y: float, touches: Floats) -> tuple[float, float]:
    """Return the speed at which a velocity leads W away from a contact, and by which normal; negative if it leads in.

    A velocity enters a corner only if it enters both sides. The side that it enters more slowly holds W, as it takes
    less of the movement; of equals the one with the normal nearer to the x axis. A chosen or forced normal applies
    alone.
    """
    chosen = (
        touches[touch, col.TOUCH_CHOSEN] if touches[touch, col.TOUCH_CHOSEN] > 0.0 else touches[touch, col.TOUCH_FORCED]
    )
    first = (
        touches[touch, col.TOUCH_NORMAL] * x
        + touches[touch, col.TOUCH_NORMAL + 1] * y
        - touches[touch, col.TOUCH_LIMIT]
    )
    if chosen == 1.0:
        return first, 1.0
    sx, sy = touches[touch, col.TOUCH_SECOND_NORMAL], touches[touch, col.TOUCH_SECOND_NORMAL + 1]
    if sx == 0.0 and sy == 0.0:
        return first, 1.0
    second = sx * x + sy * y - touches[touch, col.TOUCH_LIMIT + 1]
    if chosen == 2.0 or second > first or (second == first and abs(sx) > abs(touches[touch, col.TOUCH_NORMAL])):
        return second, 2.0
    return first, 1.0


@kernel()
def is_passable(touch: int, which: float, touches: Floats) -> bool:
    """Return whether a normal belongs to a passable side."""
    return int(touches[touch, col.TOUCH_OPEN]) & int(which) != 0


@kernel()
def chosen_normal(touch: int, touches: Floats) -> tuple[float, float, float, int]:
    """Return the normal by which a contact holds W, the speed of M along it, and the contact whose pieces have it."""
    side = 1 if touches[touch, col.TOUCH_CHOSEN] == 2.0 else 0
    at = col.TOUCH_NORMAL + 2 * side
    return (
        touches[touch, at],
        touches[touch, at + 1],
        touches[touch, col.TOUCH_LIMIT + side],
        int(touches[touch, col.TOUCH_OWNER + side]),
    )


@kernel()
def is_inside(planes: Floats, plane: int, x: float, y: float, leeway: float) -> bool:
    """Return whether a velocity is in a half-plane, or out of it by no more than a leeway."""
    return planes[plane, 0] * x + planes[plane, 1] * y >= planes[plane, col.PLANE_BORDER] - leeway


@kernel()
def is_allowed(planes: Floats, count: int, x: float, y: float, pace: float) -> bool:
    """Return whether a velocity is in all half-planes, up to rounding.

    `pace` adds the rounding of the velocity that this one was computed from. Without it, a bounce made a body faster
    than the way to its goal. Then no velocity was in the half-plane of a wall in contact, and the wall was dropped.
    """
    noise = ROUNDING * (abs(x) + abs(y) + pace)
    plane = 0
    while plane < count and is_inside(planes, plane, x, y, planes[plane, col.PLANE_LEEWAY] + noise):
        plane += 1
    return plane == count


@kernel(inline=False)
def nearest_on_border(planes: Floats, last: int, x: float, y: float) -> tuple[bool, float, float]:
    """Return whether a velocity on the last half-plane's border is in all others, and the one nearest to (x, y)."""
    pace, nx, ny = abs(x) + abs(y), planes[last, 0], planes[last, 1]
    border = planes[last, col.PLANE_BORDER]
    short = border - (nx * x + ny * y)
    px, py = x + short * nx, y + short * ny
    if short > 0.0 and is_allowed(planes, last + 1, px, py, pace):
        return True, px, py
    found, best, best_x, best_y = False, math.inf, x, y
    for other in range(last):
        ax, ay, a = planes[other, 0], planes[other, 1], planes[other, col.PLANE_BORDER]
        sine, parallel = ax * ny - ay * nx, PARALLEL_BORDERS
        if ax * nx + ay * ny < 0.0:
            parallel = max(planes[other, col.PLANE_PARALLEL], planes[last, col.PLANE_PARALLEL])
        if abs(sine) <= parallel:
            continue
        px, py = (a * ny - border * ay) / sine, (border * ax - a * nx) / sine
        square = (px - x) * (px - x) + (py - y) * (py - y)
        if square < best and is_allowed(planes, last + 1, px, py, pace):
            found, best, best_x, best_y = True, square, px, py
    return found, best_x, best_y


@kernel(inline=False)
def nearest_allowed(planes: Floats, count: int, x: float, y: float) -> tuple[bool, float, float]:
    """Return whether any velocity is in all half-planes, and the one that is nearest to (x, y).

    One by one [Seidel, 1991]: if a further half-plane excludes the nearest velocity, the next one is on its border.
    """
    noise, px, py = ROUNDING * (abs(x) + abs(y)), x, y
    for last in range(count):
        if not is_inside(planes, last, px, py, noise + ROUNDING * (abs(px) + abs(py))):
            found, px, py = nearest_on_border(planes, last, x, y)
            if not found:
                return False, x, y
    return True, px, py


@kernel(inline=False)
def swap_planes(one: int, other: int, planes: Floats) -> None:
    """Let two half-planes change places."""
    for column in range(col.PLANE_COLUMNS if one != other else 0):
        planes[one, column], planes[other, column] = planes[other, column], planes[one, column]


@kernel(inline=False)
def drop_infeasible_planes(
    count: int, x: float, y: float, tags: Ints, ints: Ints, touches: Floats, planes: Floats
) -> tuple[int, bool, float, float]:
    """Drop the half-planes that leave no velocity together with mightier ones [10]: first those of sticky sides.

    Returns the number of half-planes kept, whether a contact was dropped that W must not enter, and the target. Such a
    contact moves the target onto its border: so it still presses W against the contacts that are kept.
    """
    kept, is_squeezed, is_moved, px, py = 0, False, False, x, y
    for place in range(count):
        best = place
        for plane in range(place + 1, count):
            one, other = (
                int(touches[int(planes[plane, col.PLANE_TOUCH]), col.TOUCH_NEIGHBOUR]),
                int(touches[int(planes[best, col.PLANE_TOUCH]), col.TOUCH_NEIGHBOUR]),
            )
            holds, best_holds = planes[plane, col.PLANE_HOLDS], planes[best, col.PLANE_HOLDS]
            if holds < best_holds or (holds == best_holds and one != other and has_precedence(tags, ints, one, other)):
                best = plane
        # Those of one body stay in their order.
        for plane in range(best, place, -1):
            swap_planes(plane - 1, plane, planes)
        swap_planes(kept, place, planes)
        if is_moved:
            _, px, py = nearest_allowed(planes, kept, x, y)
            is_moved = False
        found, nearest_x, nearest_y = True, px, py
        if not is_inside(planes, kept, px, py, ROUNDING * (abs(px) + abs(py) + abs(x) + abs(y))):
            found, nearest_x, nearest_y = nearest_on_border(planes, kept, x, y)
        if found:
            kept, px, py = kept + 1, nearest_x, nearest_y
        elif planes[kept, col.PLANE_HOLDS] == 0.0:
            is_squeezed = True
            touch = int(planes[kept, col.PLANE_TOUCH])
            touches[touch, col.TOUCH_STATE] = col.STATE_REJECTED
            nx, ny = planes[kept, 0], planes[kept, 1]
            short = max(planes[kept, col.PLANE_BORDER] - (nx * x + ny * y), 0.0)
            x, y, is_moved = x + short * nx, y + short * ny, True
    return kept, is_squeezed, x, y


@kernel()
def add_plane(count: int, touch: int, near: Floats, touches: Floats, planes: Floats) -> int:
    """Add the half-plane of a contact; return the number of half-planes."""
    nx, ny, limit, _ = chosen_normal(touch, touches)
    planes[count, 0], planes[count, 1], planes[count, col.PLANE_BORDER] = nx, ny, limit
    planes[count, col.PLANE_LEEWAY], planes[count, col.PLANE_TOUCH] = (
        contact_noise(touch, 0.0, 0.0, near, touches),
        touch,
    )
    planes[count, col.PLANE_HOLDS] = 0.0
    deep = -JAMMED_DEPTH * near[int(touches[touch, col.TOUCH_NEIGHBOUR]), col.NEAR_GAP]
    is_jammed = touches[touch, col.TOUCH_FEATURE] == col.FEATURE_JAMMED or touches[touch, col.TOUCH_DEPTH] < deep
    planes[count, col.PLANE_PARALLEL] = JAMMED_BORDERS if is_jammed else PARALLEL_BORDERS
    return count + 1


@kernel()
def add_holding_plane(count: int, touch: int, near: Floats, touches: Floats, planes: Floats) -> int:
    """Add the half-plane of velocities that do not leave a sticky side; return the number of half-planes."""
    after = add_plane(count, touch, near, touches, planes)
    for column in (0, 1, col.PLANE_BORDER):
        planes[count, column] = -planes[count, column]
    planes[count, col.PLANE_HOLDS] = 1.0
    return after


@kernel()
def fastest_entered_contact(
    total: int, x: float, y: float, candidates: Candidates, ints: Ints, touches: Floats
) -> tuple[int, float]:
    """Return the idle contact that a velocity leads into the fastest, or -1, and the normal that holds W."""
    pick, deepest, which = -1, 0.0, 0.0
    for touch in range(total):
        if touches[touch, col.TOUCH_STATE] != col.STATE_IDLE:
            continue
        loose, normal = separating_speed(touch, x, y, touches)
        if loose >= -contact_noise(touch, x, y, candidates.near, touches) or is_passable(touch, normal, touches):
            continue
        # Plain sides come before corners: the velocity that they leave decides which side of a corner W enters.
        if pick >= 0 and is_corner(touches, touch) and not is_corner(touches, pick):
            continue
        is_plainer = pick >= 0 and is_corner(touches, pick) and not is_corner(touches, touch)
        if pick >= 0 and loose >= deepest and not is_plainer:
            one, other = int(touches[touch, col.TOUCH_NEIGHBOUR]), int(touches[pick, col.TOUCH_NEIGHBOUR])
            if loose > deepest or one == other or not has_precedence(candidates.tags, ints, one, other):
                continue
        pick, deepest, which = touch, loose, normal
    return pick, which


@kernel()
def is_sticky_side(touch: int, time: float, near: Floats, tags: Ints, touches: Floats) -> bool:
    """Return whether a contact is with a plain side that is sticky."""
    neighbour = int(touches[touch, col.TOUCH_NEIGHBOUR])
    if tags[neighbour, col.TAG_STICKS] == 0 or touches[touch, col.TOUCH_STATE] == col.STATE_DROPPED:
        return False
    if is_corner(touches, touch) or is_passable(touch, 1.0, touches):
        return False
    nx, ny = touches[touch, col.TOUCH_NORMAL], touches[touch, col.TOUCH_NORMAL + 1]
    # Sides turn with their body: the normal at the start of the span counts.
    normal = rotated(nx, ny, -touches[touch, col.TOUCH_TWIST])
    return tags[neighbour, col.TAG_STICKS] >> face_of_mighty(near, neighbour, time, normal) & 1 != 0


@kernel(inline=False)
def release_left_sides(total: int, way: Floats, candidates: Candidates, touches: Floats, planes: Floats) -> None:
    """Release W from sticky bodies whose sides its own movement leaves, and at their ends [9].

    The other contacts may turn the own movement away: at the foot of a ramp, W walks off the ramp along the floor. They
    count as if they stood still, or W would leave a side because that side recedes.
    """
    near, tags, count = candidates.near, candidates.tags, 0
    for touch in range(total):
        is_side = touches[touch, col.TOUCH_STATE] != col.STATE_DROPPED and not is_corner(touches, touch)
        if is_side and touches[touch, col.TOUCH_OPEN] == 0.0 and count < col.PLANE_ROWS:
            count = add_plane(count, touch, near, touches, planes)
            planes[count - 1, col.PLANE_BORDER] = 0.0
    own_x, own_y, time = way[col.WAY_OWN], way[col.WAY_OWN + 1], way[col.WAY_TIME]
    _, x, y = nearest_allowed(planes, count, own_x, own_y)
    for touch in range(total):
        leaves = touches[touch, col.TOUCH_NORMAL] * x + touches[touch, col.TOUCH_NORMAL + 1] * y
        is_left = leaves > contact_noise(touch, own_x, own_y, near, touches)
        holds = not is_left and is_sticky_side(touch, time, near, tags, touches)
        touches[touch, col.TOUCH_HOLDS] = 1.0 if holds else 0.0
    for touch in range(total):
        neighbour, holds = int(touches[touch, col.TOUCH_NEIGHBOUR]), False
        for other in range(total):
            holds = holds or (
                touches[other, col.TOUCH_HOLDS] == 1.0 and touches[other, col.TOUCH_NEIGHBOUR] == neighbour
            )
        if not holds:
            tags[neighbour, col.TAG_BITS] &= ~col.BIT_HELD


@kernel(inline=False)
def switch_corner_sides(total: int, way: Floats, near: Floats, touches: Floats) -> bool:
    """Send W over the corners that its carrier takes it off; return whether there are any.

    W's own movement leads back. So W changes to the other side; if the carrier takes it off that too, W stays on the
    corner.
    """
    changed = False
    for touch in range(total):
        if (
            touches[touch, col.TOUCH_STATE] != col.STATE_PRESSES
            or not is_corner(touches, touch)
            or touches[touch, col.TOUCH_FORCED] == col.FORCED_PINNED
        ):
            continue
        side = 1 if touches[touch, col.TOUCH_CHOSEN] == 2.0 else 0
        other = col.TOUCH_NORMAL + 2 * (1 - side)
        leaves = touches[touch, other] * way[col.WAY_SPEED] + touches[touch, other + 1] * way[col.WAY_SPEED + 1]
        noise = contact_noise(touch, way[col.WAY_SPEED], way[col.WAY_SPEED + 1], near, touches)
        if leaves - touches[touch, col.TOUCH_LIMIT + 1 - side] > noise:
            touches[touch, col.TOUCH_FORCED] = col.FORCED_PINNED if touches[touch, col.TOUCH_WENT_OVER] else 2.0 - side
            touches[touch, col.TOUCH_WENT_OVER] = 1.0
            changed = True
    return changed


@kernel()
def is_pinned(total: int, touches: Floats) -> bool:
    """Return whether W stays on a corner."""
    pinned = False
    for touch in range(total):
        pinned = pinned or touches[touch, col.TOUCH_FORCED] == col.FORCED_PINNED
    return pinned


@kernel()
def mark_pinned_corners(total: int, way: Floats, near: Floats, touches: Floats) -> None:
    """Mark the corners that W stays on as pressing, unless other contacts move W off them."""
    for touch in range(total):
        if touches[touch, col.TOUCH_FORCED] != col.FORCED_PINNED or touches[touch, col.TOUCH_STATE] != col.STATE_IDLE:
            continue
        noise = contact_noise(touch, way[col.WAY_SPEED], way[col.WAY_SPEED + 1], near, touches)
        loose, which = separating_speed(touch, way[col.WAY_SPEED], way[col.WAY_SPEED + 1], touches)
        if loose <= noise:
            first = (
                touches[touch, col.TOUCH_NORMAL] * way[col.WAY_SPEED]
                + touches[touch, col.TOUCH_NORMAL + 1] * way[col.WAY_SPEED + 1]
            )
            stays = first - touches[touch, col.TOUCH_LIMIT] >= -noise
            touches[touch, col.TOUCH_STATE], touches[touch, col.TOUCH_CHOSEN] = (
                col.STATE_PRESSES,
                1.0 if stays else which,
            )


@kernel(inline=False)
def solve_planes(
    total: int, way: Floats, candidates: Candidates, ints: Ints, touches: Floats, planes: Floats
) -> tuple[bool, int]:
    """Set W's velocity for its target; return whether W has no room, and the number of half-planes that apply."""
    tags, count = candidates.tags, 0
    x, y = way[col.WAY_TARGET], way[col.WAY_TARGET + 1]
    for touch in range(total):
        if touches[touch, col.TOUCH_STATE] == col.STATE_DROPPED:
            continue
        touches[touch, col.TOUCH_STATE], touches[touch, col.TOUCH_CHOSEN] = col.STATE_IDLE, 0.0
        if touches[touch, col.TOUCH_FORCED] == col.FORCED_PINNED:
            x, y = touches[touch, col.TOUCH_SURFACE], touches[touch, col.TOUCH_SURFACE + 1]
        is_held = tags[int(touches[touch, col.TOUCH_NEIGHBOUR]), col.TAG_BITS] & col.BIT_HELD and count < MOST_HOLDING
        if is_held and touches[touch, col.TOUCH_HOLDS] == 1.0:
            count = add_holding_plane(count, touch, candidates.near, touches, planes)
    goal_x, goal_y, squeezed = x, y, False
    if count:
        count, _, x, y = drop_infeasible_planes(count, x, y, tags, ints, touches, planes)
        _, x, y = nearest_allowed(planes, count, goal_x, goal_y)
    while count < col.PLANE_ROWS:
        pick, which = fastest_entered_contact(total, x, y, candidates, ints, touches)
        if pick < 0:
            break
        touches[pick, col.TOUCH_STATE], touches[pick, col.TOUCH_CHOSEN] = col.STATE_PRESSES, which
        count = add_plane(count, pick, candidates.near, touches, planes)
        found, px, py = nearest_on_border(planes, count - 1, goal_x, goal_y)
        if not found:
            count, dropped, goal_x, goal_y = drop_infeasible_planes(count, goal_x, goal_y, tags, ints, touches, planes)
            squeezed = squeezed or dropped
            _, px, py = nearest_allowed(planes, count, goal_x, goal_y)
        x, y = px, py
    way[col.WAY_SPEED], way[col.WAY_SPEED + 1] = x, y
    mark_pinned_corners(total, way, candidates.near, touches)
    return squeezed, count


@kernel()
def is_floor(ny: float, cosine: float) -> bool:
    """Return whether a walker can stand on a surface with this normal."""
    return ny >= cosine


@kernel()
def is_walkable_contact(touch: int, ny: float, cosine: float, touches: Floats) -> bool:
    """Return whether a walker can stand on a contact: on a walkable slope, or on the edge of a low ledge.

    Round or pointed feet come onto a step gradually. Meanwhile they rest on its edge, however steep the normal is.
    """
    return is_floor(ny, cosine) or touches[touch, col.TOUCH_IS_LEDGE] == 1.0


@kernel()
def is_beside(touch: int, nx: float, ny: float, total: int, near: Floats, touches: Floats) -> bool:
    """Return whether a side of a corner is flush with a plain side in contact: then W is beside it, not on top."""
    for other in range(total):
        if other == touch or touches[other, col.TOUCH_STATE] == col.STATE_DROPPED or is_corner(touches, other):
            continue
        reach = 4.0 * (
            near[int(touches[touch, col.TOUCH_NEIGHBOUR]), col.NEAR_TOUCHING]
            + near[int(touches[other, col.TOUCH_NEIGHBOUR]), col.NEAR_TOUCHING]
        )
        off = nx * (touches[touch, col.TOUCH_PLACE] - touches[other, col.TOUCH_PLACE]) + ny * (
            touches[touch, col.TOUCH_PLACE + 1] - touches[other, col.TOUCH_PLACE + 1]
        )
        if abs(off) <= reach and is_same_direction(
            nx, ny, touches[other, col.TOUCH_NORMAL], touches[other, col.TOUCH_NORMAL + 1]
        ):
            return True
    return False


@kernel(inline=False)
def lift_by_floors(
    weak: int, total: int, x: float, y: float, candidates: Candidates, floats: Floats, touches: Floats
) -> tuple[float, int]:
    """Return the vertical velocity that floors give a walker, and the contact of the last one, or -1.

    The walker's horizontal velocity is `x`; its vertical velocity without a floor is `y`.
    """
    lifted, floor = y, -1
    # A sticky floor comes first: the walker moves with it, unless another floor holds the walker up.
    for turn in range(2):
        for touch in range(total):
            if (
                touches[touch, col.TOUCH_STATE] != col.STATE_PRESSES
                and touches[touch, col.TOUCH_STATE] != col.STATE_IDLE
            ):
                continue
            is_held = candidates.tags[int(touches[touch, col.TOUCH_NEIGHBOUR]), col.TAG_BITS] & col.BIT_HELD != 0
            loose, which = separating_speed(touch, x, lifted, touches)
            noise = contact_noise(touch, x, lifted, candidates.near, touches)
            if not (is_held and floor < 0 if turn == 0 else loose < -noise):
                continue
            side = 1 if which == 2.0 else 0
            for _ in range(2):
                nx, ny = touches[touch, col.TOUCH_NORMAL + 2 * side], touches[touch, col.TOUCH_NORMAL + 2 * side + 1]
                mx, my = (
                    touches[touch, col.TOUCH_NORMAL + 2 * (1 - side)],
                    touches[touch, col.TOUCH_NORMAL + 2 * (1 - side) + 1],
                )
                is_side = not is_passable(touch, 1.0 + side, touches) and not (
                    is_corner(touches, touch) and is_beside(touch, mx, my, total, candidates.near, touches)
                )
                if is_side and is_walkable_contact(touch, ny, floats[weak, col.FLOOR_COSINE], touches):
                    touches[touch, col.TOUCH_STATE], touches[touch, col.TOUCH_CHOSEN] = col.STATE_PRESSES, 1.0 + side
                    lifted, floor = (touches[touch, col.TOUCH_LIMIT + side] - nx * x) / ny, touch
                    break
                if not is_corner(touches, touch):
                    break
                # At the end of a floor, the normal may be that of a side of a pointed foot. The walker still stands.
                side = 1 - side
    return lifted, floor


@kernel(inline=False)
def speed_against_wall(wall: int, floor: int, x: float, y: float, touches: Floats) -> float:
    """Return the horizontal velocity of a walker with the target `x` at a contact that is no floor.

    At a wall that is upright or faces up, the walker moves along with the wall, which does not lift it. Between a
    floor and an overhang, the walker goes as far as it fits.
    """
    nx, ny, limit, owner = chosen_normal(wall, touches)
    if floor >= 0 and ny <= 0.0:
        mx, my, border, _ = chosen_normal(floor, touches)
        sine = mx * ny - my * nx
        return (border * ny - limit * my) / sine if abs(sine) > DIFFERENT_SINE else x
    if (floor >= 0 or y <= 0.0) and ny >= 0.0 and nx * (x - touches[owner, col.TOUCH_SURFACE]) < 0.0:
        # If a steep side sinks faster than the walker falls, the side's own speed takes the walker off it. The walker
        # would return to the side at once, thousands of times.
        needed = (limit - ny * y) / nx
        return (
            needed
            if floor < 0 and nx * (needed - touches[owner, col.TOUCH_SURFACE]) < 0.0
            else touches[owner, col.TOUCH_SURFACE]
        )
    return x


@kernel(inline=False)
def solve_walker(
    weak: int,
    total: int,
    way: Floats,
    candidates: Candidates,
    bodies: Bodies,
    contacts: Contacts,
) -> bool:
    """Set the velocity of a walker: floors lift it and do not reduce its pace, steeper contacts stop it.

    Returns whether the walker has no room.
    """
    ints, touches, planes = bodies.ints, contacts.touches, contacts.planes
    goal_x, goal_y = way[col.WAY_TARGET], way[col.WAY_TARGET + 1]
    x, y = goal_x, goal_y
    count, squeezed = 0, False
    for touch in range(total):
        if touches[touch, col.TOUCH_STATE] != col.STATE_DROPPED:
            touches[touch, col.TOUCH_STATE], touches[touch, col.TOUCH_CHOSEN] = col.STATE_IDLE, 0.0
    while count < col.PLANE_ROWS:
        lifted, floor = lift_by_floors(weak, total, x, y, candidates, bodies.floats, touches)
        pick, which = fastest_entered_contact(total, x, lifted, candidates, ints, touches)
        if pick < 0:
            y = lifted
            break
        touches[pick, col.TOUCH_STATE], touches[pick, col.TOUCH_CHOSEN] = col.STATE_PRESSES, which
        count = add_plane(count, pick, candidates.near, touches, planes)
        goal_x = speed_against_wall(pick, floor, goal_x, goal_y, touches)
        # The remaining pace decides how fast floors lift the walker, and walls must leave the walker on these floors.
        # Otherwise a walker that slides down too steep a slope is pushed back on the floor at the foot of the slope.
        on_floor, _ = lift_by_floors(weak, total, goal_x, goal_y, candidates, bodies.floats, touches)
        found, x, y = nearest_allowed(planes, count, goal_x, on_floor)
        if not found:
            squeezed = True
            count, _, goal_x, goal_y = drop_infeasible_planes(
                count, goal_x, on_floor, candidates.tags, ints, touches, planes
            )
            _, x, y = nearest_allowed(planes, count, goal_x, goal_y)
    way[col.WAY_SPEED], way[col.WAY_SPEED + 1] = x, y
    # A floor lifts the walker into a ceiling: the plain rule then treats all contacts alike.
    for plane in range(count):
        short = planes[plane, col.PLANE_BORDER] - (planes[plane, 0] * x + planes[plane, 1] * y)
        pace = abs(x) + abs(y) + abs(way[col.WAY_TARGET]) + abs(way[col.WAY_TARGET + 1])
        if short > planes[plane, col.PLANE_LEEWAY] + ROUNDING * pace:
            squeezed, _ = solve_planes(total, way, candidates, ints, touches, planes)
            break
    return squeezed


@kernel()
def has_pressing_twin(touch: int, total: int, near: Floats, touches: Floats) -> bool:
    """Return whether another piece with the same side there, up to rounding, presses on W."""
    for other in range(total):
        if (
            other != touch
            and touches[other, col.TOUCH_STATE] == col.STATE_PRESSES
            and is_same_contact(touch, other, near, touches)
        ):
            return True
    return False


@kernel()
def flush_corner_side(touch: int, noise: float, way: Floats, touches: Floats) -> float:
    """Return the normal, 1 or 2, of the side of a corner that W slides onto, if W's target leads into it; else 0.

    Another contact holds W by the same normal: its side is flush with this one.
    """
    for side in range(2):
        at, other = col.TOUCH_NORMAL + 2 * side, col.TOUCH_NORMAL + 2 * (1 - side)
        limit = touches[touch, col.TOUCH_LIMIT + side]
        along = touches[touch, at] * way[col.WAY_SPEED] + touches[touch, at + 1] * way[col.WAY_SPEED + 1] - limit
        onto = touches[touch, other] * way[col.WAY_SPEED] + touches[touch, other + 1] * way[col.WAY_SPEED + 1]
        wanted = touches[touch, at] * way[col.WAY_TARGET] + touches[touch, at + 1] * way[col.WAY_TARGET + 1] - limit
        is_onto = abs(along) <= noise and onto - touches[touch, col.TOUCH_LIMIT + 1 - side] < -noise
        if is_onto and wanted < -noise and not is_passable(touch, 1.0 + side, touches):
            return 1.0 + side
    return 0.0


@kernel(inline=False)
def mark_pressing_contacts(total: int, way: Floats, candidates: Candidates, touches: Floats) -> None:
    """Mark the contacts that press on W: W's target leads into them, and W's velocity does not lead away."""
    near = candidates.near
    for touch in range(total):
        state = touches[touch, col.TOUCH_STATE]
        if state in (col.STATE_DROPPED, col.STATE_REJECTED):
            continue
        x, y = (
            max(abs(way[col.WAY_SPEED]), abs(way[col.WAY_TARGET])),
            max(abs(way[col.WAY_SPEED + 1]), abs(way[col.WAY_TARGET + 1])),
        )
        noise = contact_noise(touch, x, y, near, touches)
        loose, which = separating_speed(touch, way[col.WAY_SPEED], way[col.WAY_SPEED + 1], touches)
        touches[touch, col.TOUCH_STATE] = col.STATE_IDLE
        # Round feet that roll over the common corner of two boards come onto the side of one board. Its normal was
        # 7e-12 off the normal at the corner, so the side did not press. The feet rolled on around the corner of the
        # other board, into that side.
        is_off = loose > noise and not has_pressing_twin(touch, total, near, touches)
        if is_off or is_passable(touch, which, touches):
            continue
        if state == col.STATE_IDLE:
            if is_corner(touches, touch):
                # W passes a corner that its velocity does not enter, wherever its target leads.
                which = flush_corner_side(touch, noise, way, touches)
                if which > 0.0:
                    touches[touch, col.TOUCH_CHOSEN], touches[touch, col.TOUCH_STATE] = which, col.STATE_PRESSES
                continue
            wanted, which = separating_speed(touch, way[col.WAY_TARGET], way[col.WAY_TARGET + 1], touches)
            if (
                wanted >= -noise
                and not candidates.tags[int(touches[touch, col.TOUCH_NEIGHBOUR]), col.TAG_BITS] & col.BIT_HELD
            ):
                continue
            if is_passable(touch, which, touches):
                continue
            touches[touch, col.TOUCH_CHOSEN] = which
            loose, _ = separating_speed(touch, way[col.WAY_SPEED], way[col.WAY_SPEED + 1], touches)
            if loose > noise and not has_pressing_twin(touch, total, near, touches):
                touches[touch, col.TOUCH_CHOSEN] = 0.0
                continue
        touches[touch, col.TOUCH_STATE] = col.STATE_PRESSES


@kernel(inline=False)
def carried_slide_speed(
    touch: int,
    side: int,
    share: float,
    weak: int,
    way: Floats,
    candidates: Candidates,
    bodies: Bodies,
    touches: Floats,
) -> float:
    """Return the signed speed of W along a round corner if M carries W with a share of its velocity."""
    nx, ny, limit, owner = chosen_normal(touch, touches)
    ground_x, ground_y = touches[owner, col.TOUCH_GROUND], touches[owner, col.TOUCH_GROUND + 1]
    x, y = way[col.WAY_SPEED], way[col.WAY_SPEED + 1]
    way[col.WAY_SPEED], way[col.WAY_SPEED + 1] = (
        way[col.WAY_OWN] + share * ground_x,
        way[col.WAY_OWN + 1] + share * ground_y,
    )
    if is_walkable_contact(touch, ny, bodies.floats[weak, col.FLOOR_COSINE], touches):
        way[col.WAY_SPEED + 1] = (limit - nx * way[col.WAY_SPEED]) / ny
    slide = slide_speed(touch, side, (nx, ny), weak, way, candidates, bodies, touches)
    way[col.WAY_SPEED], way[col.WAY_SPEED + 1] = x, y
    return slide


@kernel(inline=False)
def carrying_share(
    touch: int,
    weak: int,
    total: int,
    way: Floats,
    candidates: Candidates,
    bodies: Bodies,
    touches: Floats,
) -> float:
    """Return the share of its velocity with which M carries W at a contact: 0, 1, or a value between on a diagonal.

    A round corner of M may have a diagonal between a carrying face and another one. W may be carried off the one face,
    and move back by itself from the other. Then W stays on the diagonal, and moves with M.
    """
    near, tags, time = candidates.near, candidates.tags, way[col.WAY_TIME]
    nx, ny, _, owner = chosen_normal(touch, touches)
    neighbour = int(touches[owner, col.TOUCH_NEIGHBOUR])
    if tags[neighbour, col.TAG_BITS] & col.BIT_HELD or tags[neighbour, col.TAG_CARRIES] == ALL_FACES:
        return 1.0
    side = 1 if touches[touch, col.TOUCH_CHOSEN] == 2.0 else 0
    # The normal at the start of the span counts: the span ends where another face begins.
    x, y = rotated(nx, ny, -touches[touch, col.TOUCH_TWIST + side])
    plain = float(tags[neighbour, col.TAG_CARRIES] >> face_of_mighty(near, neighbour, time, (x, y)) & 1)
    radius = both_radii(
        bodies.solids, int(touches[owner, col.TOUCH_PIECE_M]), bodies.solids, int(touches[owner, col.TOUCH_PIECE_W])
    )
    if (
        not carries_by_some_faces(neighbour, tags)
        or radius <= 0.0
        or touches[touch, col.TOUCH_FEATURE + side] != col.FEATURE_VERTICES
    ):
        return plain
    angle = math.atan2(y, x) - angle_of_mighty(near, neighbour, time)
    off = angle - 0.25 * math.pi - 0.5 * math.pi * math.floor(angle / (0.5 * math.pi))
    if abs(off) > NEAR_DIAGONAL * angle_tolerance(neighbour, radius, near):
        return plain
    for other in range(total):
        if touches[other, col.TOUCH_STATE] == col.STATE_PRESSES and other != touch:
            mx, my, _, _ = chosen_normal(other, touches)
            if abs(nx * my - ny * mx) > DIFFERENT_SINE:
                return plain
    to_left = math.cos(angle - off + 0.5), math.sin(angle - off + 0.5)
    to_right = math.cos(angle - off - 0.5), math.sin(angle - off - 0.5)
    left = tags[neighbour, col.TAG_CARRIES] >> face_along(to_left) & 1
    right = tags[neighbour, col.TAG_CARRIES] >> face_along(to_right) & 1
    if left == right:
        return plain
    with_it = near[neighbour, col.NEAR_SPIN] * radius
    carried = carried_slide_speed(touch, side, 1.0, weak, way, candidates, bodies, touches) - with_it
    alone = carried_slide_speed(touch, side, 0.0, weak, way, candidates, bodies, touches) - with_it
    to_carrier = 1.0 if left else -1.0
    if to_carrier * carried < 0.0 and to_carrier * alone > 0.0:
        return alone / (alone - carried)
    if to_carrier * carried >= 0.0 and to_carrier * alone >= 0.0:
        return 1.0
    if to_carrier * carried <= 0.0 and to_carrier * alone <= 0.0:
        return 0.0
    return plain


@kernel()
def choose_carrier(
    first: int, weak: int, total: int, way: Floats, candidates: Candidates, bodies: Bodies, touches: Floats
) -> int:
    """Return the contact of the mightiest body that presses with a carrying side, of equals the first added; else -1.

    With a `first` carrier, return the next one: its normal has another direction.
    """
    tags, chosen = candidates.tags, -1
    for touch in range(total):
        if touches[touch, col.TOUCH_STATE] != col.STATE_PRESSES or touch == first:
            continue
        nx, ny, _, owner = chosen_normal(touch, touches)
        neighbour = int(touches[owner, col.TOUCH_NEIGHBOUR])
        carries_by_all = (
            tags[neighbour, col.TAG_CARRIES] == ALL_FACES or tags[neighbour, col.TAG_BITS] & col.BIT_HELD != 0
        )
        if tags[neighbour, col.TAG_CARRIES] == 0 and not carries_by_all:
            continue
        if not carries_by_all and carrying_share(touch, weak, total, way, candidates, bodies, touches) == 0.0:
            continue
        if first >= 0:
            mx, my, _, _ = chosen_normal(first, touches)
            if abs(nx * my - ny * mx) <= DIFFERENT_SINE:
                continue
        if chosen >= 0:
            _, _, _, rival = chosen_normal(chosen, touches)
            other = int(touches[rival, col.TOUCH_NEIGHBOUR])
            if neighbour == other or not has_precedence(tags, bodies.ints, neighbour, other):
                continue
        chosen = touch
    return chosen


@kernel(inline=False)
def carrier_velocity(
    weak: int, total: int, way: Floats, candidates: Candidates, bodies: Bodies, touches: Floats
) -> tuple[float, float, int]:
    """Return the velocity that carriers give W, and the contact of the first carrier, or -1."""
    for touch in range(total):
        touches[touch, col.TOUCH_ON_DIAGONAL] = 0.0
    first = choose_carrier(-1, weak, total, way, candidates, bodies, touches)
    if first < 0:
        return 0.0, 0.0, -1
    last = choose_carrier(first, weak, total, way, candidates, bodies, touches)
    x = y = 0.0
    for touch in (first, last):
        if touch < 0:
            continue
        if is_corner(touches, touch) and touches[touch, col.TOUCH_FORCED] == 0.0:
            # Otherwise the choice alternates: W is carried off the corner, so it is not carried, so it does not leave.
            touches[touch, col.TOUCH_FORCED] = touches[touch, col.TOUCH_CHOSEN]
        nx, ny, _, owner = chosen_normal(touch, touches)
        share = 1.0
        if candidates.tags[int(touches[owner, col.TOUCH_NEIGHBOUR]), col.TAG_CARRIES] != ALL_FACES:
            share = carrying_share(touch, weak, total, way, candidates, bodies, touches)
        touches[touch, col.TOUCH_ON_DIAGONAL] = 1.0 if 0.0 < share < 1.0 else 0.0
        if is_walkable_contact(touch, ny, bodies.floats[weak, col.FLOOR_COSINE], touches):
            x += share * touches[owner, col.TOUCH_GROUND]
        else:
            speed = nx * touches[owner, col.TOUCH_GROUND] + ny * touches[owner, col.TOUCH_GROUND + 1]
            x += share * (touches[owner, col.TOUCH_GROUND] - speed * nx)
            y += share * (touches[owner, col.TOUCH_GROUND + 1] - speed * ny)
    return x, y, first


@kernel(inline=False)
def hold_by_all_contacts(
    weak: int, total: int, way: Floats, candidates: Candidates, bodies: Bodies, contacts: Contacts
) -> tuple[bool, int]:
    """Set W's velocity where contacts end each other by carrying: all contacts that press on W then hold it.

    Returns whether W has no room, and the contact that carries it, or -1.
    """
    touches = contacts.touches
    way[col.WAY_TARGET], way[col.WAY_TARGET + 1] = way[col.WAY_OWN], way[col.WAY_OWN + 1]
    solve_planes(total, way, candidates, bodies.ints, touches, contacts.planes)
    mark_pressing_contacts(total, way, candidates, touches)
    x, y, carrier = carrier_velocity(weak, total, way, candidates, bodies, touches)
    x, y = way[col.WAY_OWN] + x, way[col.WAY_OWN + 1] + y
    first = -1
    for touch in range(total):
        if touches[touch, col.TOUCH_STATE] != col.STATE_PRESSES:
            continue
        nx, ny, limit, _ = chosen_normal(touch, touches)
        if first < 0:
            first = touch
            short = limit - (nx * x + ny * y)
            x, y = x + short * nx, y + short * ny
            continue
        mx, my, border, _ = chosen_normal(first, touches)
        sine = mx * ny - my * nx
        if abs(sine) > DIFFERENT_SINE:
            x, y = (border * ny - limit * my) / sine, (limit * mx - border * nx) / sine
            break
    # The same contacts hold W as before. This solve only keeps W from entering other contacts.
    for touch in range(total):
        touches[touch, col.TOUCH_FORCED] = (
            touches[touch, col.TOUCH_CHOSEN]
            if touches[touch, col.TOUCH_STATE] == col.STATE_PRESSES
            else touches[touch, col.TOUCH_FORCED]
        )
        touches[touch, col.TOUCH_WENT_OVER] = 1.0 if touches[touch, col.TOUCH_STATE] == col.STATE_PRESSES else 0.0
    way[col.WAY_TARGET], way[col.WAY_TARGET + 1] = x, y
    squeezed, _ = solve_planes(total, way, candidates, bodies.ints, touches, contacts.planes)
    for touch in range(total):
        if touches[touch, col.TOUCH_WENT_OVER] and touches[touch, col.TOUCH_STATE] == col.STATE_IDLE:
            touches[touch, col.TOUCH_CHOSEN] = max(touches[touch, col.TOUCH_FORCED], 1.0)
            loose, _ = separating_speed(touch, way[col.WAY_SPEED], way[col.WAY_SPEED + 1], touches)
            if loose <= contact_noise(touch, way[col.WAY_SPEED], way[col.WAY_SPEED + 1], candidates.near, touches):
                touches[touch, col.TOUCH_STATE] = col.STATE_PRESSES
    return squeezed, carrier


@kernel(inline=False)
def set_corners_aside(total: int, touches: Floats) -> bool:
    """Set corner contacts aside if W also touches plain sides that move; return whether it did so."""
    moving, corners = 0, 0
    for touch in range(total):
        if touches[touch, col.TOUCH_STATE] == col.STATE_DROPPED:
            continue
        if is_corner(touches, touch):
            corners += 1
        elif touches[touch, col.TOUCH_GROUND] != 0.0 or touches[touch, col.TOUCH_GROUND + 1] != 0.0:
            moving += 1
    if moving == 0 or corners == 0:
        return False
    for touch in range(total):
        if touches[touch, col.TOUCH_STATE] != col.STATE_DROPPED and is_corner(touches, touch):
            touches[touch, col.TOUCH_STATE], touches[touch, col.TOUCH_CHOSEN] = col.STATE_DROPPED, SET_ASIDE
    return True


@kernel(inline=False)
def restore_corners(total: int, touches: Floats) -> None:
    """Make the corners that were set aside idle contacts again."""
    for touch in range(total):
        if touches[touch, col.TOUCH_STATE] == col.STATE_DROPPED and touches[touch, col.TOUCH_CHOSEN] == SET_ASIDE:
            touches[touch, col.TOUCH_STATE], touches[touch, col.TOUCH_CHOSEN] = col.STATE_IDLE, 0.0


@kernel(inline=False)
def choose_carriers(
    weak: int, total: int, way: Floats, candidates: Candidates, bodies: Bodies, contacts: Contacts
) -> tuple[bool, int, bool]:
    """Set W's velocity from its target, and the target from the carriers, until both agree.

    The carriers depend on the contacts that press, and these on the carriers. So both are chosen in turn until the
    choice repeats, or until two choices take turns. Returns whether W has no room, the contact that carries it, or -1,
    and whether both agree.
    """
    touches = contacts.touches
    squeezed, carrier, repeats = False, -1, 0
    last_x = last_y = math.nan
    for _ in range(3 * CARRY_ROUNDS):
        if bodies.floats[weak, col.FLOOR_COSINE] <= 1.0:
            squeezed = solve_walker(weak, total, way, candidates, bodies, contacts)
        else:
            squeezed, _ = solve_planes(total, way, candidates, bodies.ints, touches, contacts.planes)
        mark_pressing_contacts(total, way, candidates, touches)
        x, y, carrier = carrier_velocity(weak, total, way, candidates, bodies, touches)
        if is_pinned(total, touches):
            return squeezed, carrier, True
        x, y = way[col.WAY_OWN] + x, way[col.WAY_OWN + 1] + y
        if x == way[col.WAY_TARGET] and y == way[col.WAY_TARGET + 1]:
            if not switch_corner_sides(total, way, candidates.near, touches):
                return squeezed, carrier, True
            x, y = way[col.WAY_OWN], way[col.WAY_OWN + 1]
        repeats = repeats + 1 if x == last_x and y == last_y else 0
        if repeats == 2:
            break
        last_x, last_y = way[col.WAY_TARGET], way[col.WAY_TARGET + 1]
        way[col.WAY_TARGET], way[col.WAY_TARGET + 1] = x, y
    return squeezed, carrier, False


@kernel(inline=False)
def choose_velocity(
    weak: int, total: int, way: Floats, candidates: Candidates, bodies: Bodies, contacts: Contacts
) -> tuple[bool, int]:
    """Set W's target and velocity; return whether W has no room, and the contact that carries it, or -1."""
    way[col.WAY_TARGET], way[col.WAY_TARGET + 1] = way[col.WAY_OWN], way[col.WAY_OWN + 1]
    held = 0
    for touch in range(total):
        held |= candidates.tags[int(contacts.touches[touch, col.TOUCH_NEIGHBOUR]), col.TAG_BITS] & col.BIT_HELD
    if held:
        release_left_sides(total, way, candidates, contacts.touches, contacts.planes)
    if set_corners_aside(total, contacts.touches):
        # The side of a corner that W strikes depends on W's velocity, and so on its carrier. Without this, a corner
        # struck a box on a lift as if the lift did not carry it: the box was pushed along instead of held down.
        _, _, settled = choose_carriers(weak, total, way, candidates, bodies, contacts)
        restore_corners(total, contacts.touches)
        if not settled:
            way[col.WAY_TARGET], way[col.WAY_TARGET + 1] = way[col.WAY_OWN], way[col.WAY_OWN + 1]
    squeezed, carrier, settled = choose_carriers(weak, total, way, candidates, bodies, contacts)
    if not settled:
        squeezed, carrier = hold_by_all_contacts(weak, total, way, candidates, bodies, contacts)
    return squeezed, carrier


@kernel(inline=False)
def allow_for_slides(
    weak: int, total: int, way: Floats, candidates: Candidates, bodies: Bodies, touches: Floats
) -> bool:
    """Move the vertices on turning edges along these; return whether W's velocity may change by that.

    In the middle of the span a vertex is half of its slide further on, and so is the lever by which the edge moves W.
    Without that, a triangle that turned on a disk of ten times its size was off by 0.01 after 0.03 rad. W's velocity
    has to be known: that of the last span would slide W out of a corner that turns.
    """
    solids, tags, near, may_change = bodies.solids, candidates.tags, candidates.near, False
    x, y = way[col.WAY_SPEED], way[col.WAY_SPEED + 1]
    for touch in range(total):
        is_still = touches[touch, col.TOUCH_TWIST] == 0.0 and touches[touch, col.TOUCH_TWIST + 1] == 0.0
        if is_still or touches[touch, col.TOUCH_STATE] == col.STATE_DROPPED:
            continue
        change = 0.0
        for side in range(2 if is_corner(touches, touch) else 1):
            if touches[touch, col.TOUCH_TWIST + side] == 0.0:
                continue
            if touches[touch, col.TOUCH_FEATURE + side] >= col.FEATURE_VERTICES:
                continue
            spin = spin_of_normal(touch, side, weak, way, candidates, bodies.ints, touches)
            neighbour = int(touches[int(touches[touch, col.TOUCH_OWNER + side]), col.TOUCH_NEIGHBOUR])
            normal = touches[touch, col.TOUCH_NORMAL + 2 * side], touches[touch, col.TOUCH_NORMAL + 2 * side + 1]
            slide = 0.5 * way[col.WAY_SPAN] * slide_speed(touch, side, normal, weak, way, candidates, bodies, touches)
            # A faster W leaves the edge sooner, and that leg is planned again.
            longest = solids[tags[neighbour, col.TAG_SOLID_M] + col.FARTHEST]
            longest += solids[tags[neighbour, col.TAG_SOLID_W] + col.FARTHEST]
            slide = min(max(slide, -longest), longest)
            touches[touch, col.TOUCH_LIMIT + side] -= spin * slide
            change = max(change, abs(spin * slide))
        if change > 0.0 and not may_change:
            noise = contact_noise(touch, x, y, near, touches)
            loose, _ = separating_speed(touch, x, y, touches)
            may_change = change > noise and (touches[touch, col.TOUCH_STATE] != col.STATE_IDLE or loose < -noise)
    return may_change
