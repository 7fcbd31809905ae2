"""Depenetration of a solid W: at the frame's start [3, 8], and after rotation has sunk W into a contact."""

from __future__ import annotations

import math

import numpy as np

from impinge.kernels import columns as col
from impinge.kernels.arrays import Bodies, Candidates, Contacts, Floats, FrameRows, Ints, Part, Report, Vector
from impinge.kernels.compiler import kernel
from impinge.kernels.pair.cast import NEVER, way_through
from impinge.kernels.pair.depth import FIRST_REACH, add_cores, covering_outline, rows_needed, way_out, way_within
from impinge.kernels.pair.separation import bounds_gap, noise_of, solid_gap
from impinge.kernels.step.candidate_window import order_candidates
from impinge.kernels.step.candidates import has_precedence, mighty_place, relative_place
from impinge.kernels.step.contact_planes import (
    PARALLEL_BORDERS,
    drop_infeasible_planes,
    nearest_allowed,
    swap_planes,
)
from impinge.kernels.step.contacts import face_along
from impinge.kernels.step.events import report_contact
from impinge.kernels.step.internal_edges import is_corner
from impinge.kernels.step.next_contact import free_share

# Limit of the pairs of pieces, of all candidates, in one search for a way out: with more, W is too deep in solid
# ground.
CORE_LIMIT = 1024
# Limit of the distance that W moves out of contacts that it has sunk into, in depths of the deepest.
CORRECTION_LIMIT = 32.0


@kernel(inline=False)
def way_out_of_box(a: int, b: int, dx: float, dy: float, solids: Floats) -> tuple[float, float, float]:
    """Return the distance and the normal by which one upright box leaves another. Ties: the first side [3]."""
    best, nx, ny = solids[b + col.UPPER] + dx - solids[a + col.LOWER], -1.0, 0.0
    right = solids[a + col.UPPER] - solids[b + col.LOWER] - dx
    down = solids[b + col.UPPER + 1] + dy - solids[a + col.LOWER + 1]
    up = solids[a + col.UPPER + 1] - solids[b + col.LOWER + 1] - dy
    if right < best:
        best, nx = right, 1.0
    if down < best:
        best, nx, ny = down, 0.0, -1.0
    if up < best:
        best, nx, ny = up, 0.0, 1.0
    return best, nx, ny


@kernel(inline=False)
def depth_at(
    neighbour: int, x: float, y: float, time: float, candidates: Candidates, bodies: Bodies
) -> tuple[float, float, float]:
    """Return the depth at which W at (x, y) overlaps a candidate, and the normal of the shortest way out; else 0."""
    solids, near = bodies.solids, candidates.near
    a, b = candidates.tags[neighbour, col.TAG_STANDING_M], candidates.tags[neighbour, col.TAG_STANDING_W]
    slop = near[neighbour, col.NEAR_GAP]
    dx, dy = x - mighty_place(near, neighbour, 0, time), y - mighty_place(near, neighbour, 1, time)
    if bounds_gap(solids, a + col.LOWER, solids, b + col.LOWER, (dx, dy)) >= -slop:
        return 0.0, 0.0, 0.0
    # A way out along an axis is that out of the bounds. Of equal ways it applies, in the order of the sides.
    depth, x, y = way_out_of_box(a, b, dx, dy, solids)
    if solids[a + col.IS_BOX] == 1.0 and solids[b + col.IS_BOX] == 1.0:
        return depth, x, y
    noise = noise_of(solids, a, solids, b, (dx, dy))
    gap, nx, ny, _, _ = solid_gap(solids, a, solids, b, (dx, dy), noise)
    if gap >= -slop:
        return 0.0, 0.0, 0.0
    if solids[a + col.PIECE_TOTAL] > 1.0 or solids[b + col.PIECE_TOTAL] > 1.0:
        out, nx, ny = way_out(solids, a, solids, b, (dx, dy), slop, -gap)
        gap = -out
    return (depth, x, y) if depth <= noise - gap else (-gap, nx, ny)


@kernel(inline=False)
def solid_overlap_reach(count: int, way: Floats, candidates: Candidates, bodies: Bodies) -> float:
    """Return an upper bound of the distance that depenetration moves W; 0 without an overlap.

    Also mark the passable bodies that W overlaps at its start, so that W may pass through them [8].
    """
    tags = candidates.tags
    reach = 0.0
    for neighbour in range(count):
        depth, _, _ = depth_at(neighbour, way[col.WAY_PLACE], way[col.WAY_PLACE + 1], 0.0, candidates, bodies)
        if depth > 0.0:
            if tags[neighbour, col.TAG_PASSES]:
                tags[neighbour, col.TAG_BITS] |= col.BIT_IGNORED
            else:
                a, b = tags[neighbour, col.TAG_SOLID_M], tags[neighbour, col.TAG_SOLID_W]
                reach = max(reach, 2.0 * (bodies.solids[a + col.FARTHEST] + bodies.solids[b + col.FARTHEST]))
    return reach


@kernel()
def is_obstacle(neighbour: int, might: int, tags: Ints, ints: Ints) -> bool:
    """Return whether W must not move into a candidate when it leaves a body of rank `might`."""
    if tags[neighbour, col.TAG_PASSES] or tags[neighbour, col.TAG_BITS] & col.BIT_SQUEEZED:
        return False
    return bool(ints[tags[neighbour, col.TAG_BODY], col.MIGHT] >= might)


@kernel(inline=False)
def is_free_place(might: int, place: Vector, count: int, way: Floats, candidates: Candidates, bodies: Bodies) -> bool:
    """Return whether W at a place overlaps no obstacle of rank `might` or above now."""
    for neighbour in range(count):
        if is_obstacle(neighbour, might, candidates.tags, bodies.ints):
            depth, _, _ = depth_at(neighbour, place[0], place[1], way[col.WAY_TIME], candidates, bodies)
            if depth > 0.0:
                return False
    return True


@kernel(inline=False, allocates=True)
def way_out_of_all(
    might: int,
    deepest: float,
    most: float,
    count: int,
    way: Floats,
    candidates: Candidates,
    bodies: Bodies,
) -> tuple[float, float, float]:
    """Return length and unit direction of the shortest way out of all obstacles of rank `might` or above.

    The way out of each of two flush tiles leads into the other one, so together they are one obstacle. The search
    starts within twice the depth of the deepest obstacle, and then doubles its reach. The length is `most` if the
    search finds no shorter way.
    """
    ints, solids, near, tags = bodies.ints, bodies.solids, candidates.near, candidates.tags
    reach, slop = min(FIRST_REACH * deepest, most), 0.0
    order_candidates(count, tags, ints)
    while True:
        core_total, corner_total = 0, 0
        for neighbour in range(count):
            if is_obstacle(neighbour, might, tags, ints):
                a, b = tags[neighbour, col.TAG_STANDING_M], tags[neighbour, col.TAG_STANDING_W]
                dx = way[col.WAY_PLACE] - mighty_place(near, neighbour, 0, 0.0)
                dy = way[col.WAY_PLACE + 1] - mighty_place(near, neighbour, 1, 0.0)
                more, more_corners = rows_needed(solids, a, solids, b, (dx, dy), reach)
                core_total, corner_total = core_total + more, corner_total + more_corners
        if core_total > CORE_LIMIT:
            return most, 0.0, 0.0
        cores, corners = np.empty((core_total, col.CORE_COLUMNS)), np.empty((corner_total, col.POINT_COLUMNS))
        borders = np.empty((2 * corner_total, col.BORDER_COLUMNS))
        core = corner = 0
        for place in range(count):
            neighbour = tags[place, col.TAG_SEQUENCE]
            if is_obstacle(neighbour, might, tags, ints):
                a, b = tags[neighbour, col.TAG_STANDING_M], tags[neighbour, col.TAG_STANDING_W]
                dx = way[col.WAY_PLACE] - mighty_place(near, neighbour, 0, 0.0)
                dy = way[col.WAY_PLACE + 1] - mighty_place(near, neighbour, 1, 0.0)
                core, corner = add_cores(
                    Part(solids, a), Part(solids, b), (dx, dy), reach, core, corner, cores, corners
                )
                slop = max(slop, near[neighbour, col.NEAR_GAP])
        length, x, y = way_within(reach, core, slop, cores, corners, borders)
        if length < reach:
            # Of equal ways, one along an axis applies, in the order of the sides [3].
            for side in range(4):
                across = 1.0 if side & 1 else -1.0
                ux, uy = (across, 0.0) if side < 2 else (0.0, across)
                beyond = length + slop
                if covering_outline((beyond * ux, beyond * uy), 0.0, -1, -1, core, 0, cores, corners) < 0:
                    return length, ux, uy
            return length, x, y
        if reach >= most:
            return most, 0.0, 0.0
        reach = min(2.0 * reach, most)


@kernel(inline=False)
def distance_to_entry_side(
    neighbour: int, nx: float, ny: float, way: Floats, candidates: Candidates, solids: Floats
) -> float:
    """Return the distance along a normal that takes W out of a candidate, on the side where W came in."""
    near = candidates.near
    a, b = candidates.tags[neighbour, col.TAG_STANDING_M], candidates.tags[neighbour, col.TAG_STANDING_W]
    far = 2.0 * (solids[a + col.FARTHEST] + solids[b + col.FARTHEST])
    slop, noise, longest = near[neighbour, col.NEAR_GAP], near[neighbour, col.NEAR_FUZZ], 0.0
    dx, dy = relative_place(near, neighbour, way)
    for piece_m in range(
        a + col.PIECES, a + col.PIECES + col.PIECE_COLUMNS * int(solids[a + col.PIECE_TOTAL]), col.PIECE_COLUMNS
    ):
        for piece_w in range(
            b + col.PIECES, b + col.PIECES + col.PIECE_COLUMNS * int(solids[b + col.PIECE_TOTAL]), col.PIECE_COLUMNS
        ):
            out = way_through(Part(solids, piece_m), Part(solids, piece_w), (dx, dy), (nx, ny), slop, noise, far)
            if out != NEVER:
                longest = max(longest, out)
    return longest


@kernel()
def report_now(neighbour: int, normal: Vector, way: Floats, near: Floats) -> Report:
    """Return what to report about the contact with a candidate now."""
    nx, ny = normal
    speed = nx * near[neighbour, col.NEAR_VELOCITY] + ny * near[neighbour, col.NEAR_VELOCITY + 1]
    return Report(way[col.WAY_TIME], normal, speed)


@kernel(inline=False)
def mark_stuck(
    weak: int, neighbour: int, normal: Vector, way: Floats, candidates: Candidates, bodies: Bodies, frame: FrameRows
) -> None:
    """Record and report that W is stuck in a candidate, which keeps pressing on W by a normal."""
    near, face = candidates.near, face_along(normal)
    report_contact(weak, neighbour, report_now(neighbour, normal, way, near), True, candidates, bodies, frame)
    candidates.tags[neighbour, col.TAG_BITS] |= col.BIT_SQUEEZED
    near[neighbour, col.NEAR_STUCK_NORMAL], near[neighbour, col.NEAR_STUCK_NORMAL + 1] = normal
    bodies.ints[weak, col.SIDES] |= 1 << face | 1 << (face ^ 1)
    bodies.ints[weak, col.STUCK] |= 1 << face | 1 << (face ^ 1)


@kernel(inline=False)
def leave_by_entry_side(
    neighbour: int, normal: Vector, way: Floats, candidates: Candidates, bodies: Bodies, touches: Floats, run: Ints
) -> bool:
    """Move W out of a candidate that it was stuck in, on the side where it came in; return whether there is room [10].

    By the shortest way, W would leave on the far side of a press that has moved on through W.
    """
    count, (nx, ny) = run[col.RUN_COUNT], normal
    back = distance_to_entry_side(neighbour, nx, ny, way, candidates, bodies.solids)
    might = bodies.ints[candidates.tags[neighbour, col.TAG_BODY], col.MIGHT]
    x, y = way[col.WAY_PLACE] + back * nx, way[col.WAY_PLACE + 1] + back * ny
    share = 1.0
    if back > 0.0:
        share = free_share(count, 0, might, (back * nx, back * ny), way, candidates, bodies, touches)
    if share < 1.0 or not is_free_place(might, (x, y), count, way, candidates, bodies):
        return False
    way[col.WAY_PLACE], way[col.WAY_PLACE + 1] = x, y
    return True


@kernel(inline=False)
def leave_last_frame(
    weak: int, way: Floats, candidates: Candidates, bodies: Bodies, touches: Floats, frame: FrameRows, run: Ints
) -> None:
    """Move W, at the frame's start, out of the body that it was stuck in, or report that it still is."""
    stuck_in = run[col.RUN_STUCK_IN]
    normal = bodies.floats[weak, col.STUCK_NORMAL], bodies.floats[weak, col.STUCK_NORMAL + 1]
    for neighbour in range(run[col.RUN_COUNT]):
        if candidates.tags[neighbour, col.TAG_BODY] != stuck_in or candidates.tags[neighbour, col.TAG_PASSES]:
            continue
        depth, _, _ = depth_at(neighbour, way[col.WAY_PLACE], way[col.WAY_PLACE + 1], 0.0, candidates, bodies)
        if depth == 0.0:
            continue
        bodies.ints[weak, col.OVERLAPPED] = 1
        if leave_by_entry_side(neighbour, normal, way, candidates, bodies, touches, run):
            report = report_now(neighbour, normal, way, candidates.near)
            report_contact(weak, neighbour, report, False, candidates, bodies, frame)
        else:
            mark_stuck(weak, neighbour, normal, way, candidates, bodies, frame)


@kernel(inline=False)
def leave_squeeze(way: Floats, candidates: Candidates, bodies: Bodies, touches: Floats, run: Ints) -> bool:
    """Move W out of bodies that it was stuck in, as soon as no mightier one holds it there; return whether it moved."""
    near, has_left = candidates.near, False
    for neighbour in range(run[col.RUN_ACTIVE]):
        if candidates.tags[neighbour, col.TAG_BITS] & col.BIT_SQUEEZED == 0:
            continue
        x, y = way[col.WAY_PLACE], way[col.WAY_PLACE + 1]
        depth, _, _ = depth_at(neighbour, x, y, way[col.WAY_TIME], candidates, bodies)
        normal = near[neighbour, col.NEAR_STUCK_NORMAL], near[neighbour, col.NEAR_STUCK_NORMAL + 1]
        if depth > 0.0 and leave_by_entry_side(neighbour, normal, way, candidates, bodies, touches, run):
            candidates.tags[neighbour, col.TAG_BITS] &= ~col.BIT_SQUEEZED
            has_left = True
    return has_left


@kernel(inline=False)
def deepest_candidate(
    count: int, way: Floats, candidates: Candidates, bodies: Bodies
) -> tuple[int, float, float, float]:
    """Return the candidate that W leaves next, -1 for none: the mightiest, then the deepest, then the first added.

    Also return the depth, and the normal of the shortest way out.
    """
    ints, tags = bodies.ints, candidates.tags
    chosen, deepest, nx, ny = -1, 0.0, 0.0, 0.0
    for neighbour in range(count):
        if tags[neighbour, col.TAG_BITS] & (col.BIT_SQUEEZED | col.BIT_SETTLED) or tags[neighbour, col.TAG_PASSES]:
            continue
        depth, x, y = depth_at(neighbour, way[col.WAY_PLACE], way[col.WAY_PLACE + 1], 0.0, candidates, bodies)
        if depth == 0.0:
            continue
        if chosen >= 0:
            might, best = ints[tags[neighbour, col.TAG_BODY], col.MIGHT], ints[tags[chosen, col.TAG_BODY], col.MIGHT]
            if might < best or (might == best and depth < deepest):
                continue
            if might == best and depth == deepest and not has_precedence(tags, ints, neighbour, chosen):
                continue
        chosen, deepest, nx, ny = neighbour, depth, x, y
    return chosen, deepest, nx, ny


@kernel(inline=False)
def way_out_from_start(
    might: int,
    start: Vector,
    reach: float,
    way: Floats,
    candidates: Candidates,
    bodies: Bodies,
    touches: Floats,
    run: Ints,
) -> tuple[bool, float, float]:
    """Return whether W leaves all obstacles at once from where it started, and the displacement from its place there.

    W has left the mightier bodies first. From there no straight way may lead out of the others: between two circles it
    would cross the circle that W has just left.
    """
    ints, tags, count, deepest = bodies.ints, candidates.tags, run[col.RUN_COUNT], 0.0
    x, y = way[col.WAY_PLACE], way[col.WAY_PLACE + 1]
    way[col.WAY_PLACE], way[col.WAY_PLACE + 1] = start
    for neighbour in range(count):
        if is_obstacle(neighbour, might, tags, ints):
            depth, _, _ = depth_at(neighbour, start[0], start[1], 0.0, candidates, bodies)
            deepest = max(deepest, depth)
    length, nx, ny = way_out_of_all(might, deepest, reach, count, way, candidates, bodies)
    shift, barred = (length * nx, length * ny), might if run[col.RUN_WAITS] else might + 1
    is_free = length < reach and free_share(count, 0, barred, shift, way, candidates, bodies, touches) == 1.0
    way[col.WAY_PLACE], way[col.WAY_PLACE + 1] = x, y
    return is_free, start[0] + shift[0] - x, start[1] + shift[1] - y


@kernel(inline=False)
def depenetrate_solid(
    weak: int,
    reach: float,
    way: Floats,
    candidates: Candidates,
    bodies: Bodies,
    touches: Floats,
    frame: FrameRows,
    run: Ints,
) -> None:
    """Move W out of all overlaps at the frame's start, the mightiest first, or report W as stuck there [3, 10].

    A press may be closer to a wall than W is thick. Then the shortest way out leads through that wall. So a body that
    was stuck, and waits, needs a way that crosses no other body of the same rank or above.
    """
    count, start = run[col.RUN_COUNT], (way[col.WAY_PLACE], way[col.WAY_PLACE + 1])
    ints, tags = bodies.ints, candidates.tags
    while True:
        chosen, deepest, nx, ny = deepest_candidate(count, way, candidates, bodies)
        if chosen < 0:
            break
        ints[weak, col.OVERLAPPED] = 1
        might, length = ints[tags[chosen, col.TAG_BODY], col.MIGHT], deepest
        x, y = way[col.WAY_PLACE] + length * nx, way[col.WAY_PLACE + 1] + length * ny
        is_straight = is_free_place(might, (x, y), count, way, candidates, bodies)
        if not is_straight:
            length, nx, ny = way_out_of_all(might, deepest, reach, count, way, candidates, bodies)
        x, y, barred = length * nx, length * ny, might if run[col.RUN_WAITS] else might + 1
        # All of this way lies inside the bodies that W leaves, or it would not be the shortest.
        is_free = length < reach and free_share(count, 0, barred, (x, y), way, candidates, bodies, touches) == 1.0
        if not is_free and (way[col.WAY_PLACE] != start[0] or way[col.WAY_PLACE + 1] != start[1]):
            is_free, x, y = way_out_from_start(might, start, reach, way, candidates, bodies, touches, run)
        for neighbour in range(count):
            if ints[tags[neighbour, col.TAG_BODY], col.MIGHT] != might or not is_obstacle(neighbour, might, tags, ints):
                continue
            depth, out_x, out_y = depth_at(
                neighbour, way[col.WAY_PLACE], way[col.WAY_PLACE + 1], 0.0, candidates, bodies
            )
            if depth == 0.0:
                continue
            if is_free and is_straight and neighbour != chosen:
                continue
            if is_free:
                tags[neighbour, col.TAG_BITS] |= col.BIT_SETTLED
                report = report_now(neighbour, (nx, ny), way, candidates.near)
                report_contact(weak, neighbour, report, False, candidates, bodies, frame)
            else:
                mark_stuck(weak, neighbour, (out_x, out_y), way, candidates, bodies, frame)
        if is_free:
            way[col.WAY_PLACE], way[col.WAY_PLACE + 1] = way[col.WAY_PLACE] + x, way[col.WAY_PLACE + 1] + y
    for neighbour in range(count):
        if tags[neighbour, col.TAG_PASSES]:
            depth, _, _ = depth_at(neighbour, way[col.WAY_PLACE], way[col.WAY_PLACE + 1], 0.0, candidates, bodies)
            if depth > 0.0:
                tags[neighbour, col.TAG_BITS] |= col.BIT_IGNORED
            else:
                # Depenetration from another body may have moved W out of this one too.
                tags[neighbour, col.TAG_BITS] &= ~col.BIT_IGNORED


@kernel()
def might_of_contact(touch: int, tags: Ints, ints: Ints, touches: Floats) -> int:
    """Return the might of the body of a contact."""
    return ints[tags[int(touches[touch, col.TOUCH_NEIGHBOUR]), col.TAG_BODY], col.MIGHT]


@kernel(inline=False)
def depenetration_vector(total: int, candidates: Candidates, ints: Ints, contacts: Contacts) -> tuple[float, float]:
    """Return the displacement that takes W out of contacts that it has sunk into by more than the slop; zero for none.

    It is the shortest vector that all contacts allow. A body that W is stuck in does not count: W stays in it until
    there is room.
    """
    tags, touches, planes = candidates.tags, contacts.touches, contacts.planes
    count, deepest, worst = 0, 0.0, -1
    for touch in range(total):
        if touches[touch, col.TOUCH_STATE] == col.STATE_DROPPED or is_corner(touches, touch) or count == col.PLANE_ROWS:
            continue
        neighbour = int(touches[touch, col.TOUCH_NEIGHBOUR])
        if tags[neighbour, col.TAG_BITS] & col.BIT_SQUEEZED:
            continue
        if touches[touch, col.TOUCH_DEPTH] < -candidates.near[neighbour, col.NEAR_TOUCHING]:
            deepest = max(deepest, -touches[touch, col.TOUCH_DEPTH])
            if worst < 0 or has_precedence(tags, ints, neighbour, int(touches[worst, col.TOUCH_NEIGHBOUR])):
                worst = touch
        planes[count, 0], planes[count, 1] = touches[touch, col.TOUCH_NORMAL], touches[touch, col.TOUCH_NORMAL + 1]
        planes[count, col.PLANE_BORDER] = min(-touches[touch, col.TOUCH_DEPTH], math.inf)
        planes[count, col.PLANE_PARALLEL] = PARALLEL_BORDERS
        planes[count, col.PLANE_LEEWAY], planes[count, col.PLANE_TOUCH] = (
            candidates.near[neighbour, col.NEAR_GAP],
            touch,
        )
        planes[count, col.PLANE_HOLDS] = 0.0
        count += 1
        # Of pieces of one body that leave no room, W stays in the one that it is in most: their order says nothing.
        for plane in range(count - 1, 0, -1):
            before = int(touches[int(planes[plane - 1, col.PLANE_TOUCH]), col.TOUCH_NEIGHBOUR])
            if before != neighbour or planes[plane - 1, col.PLANE_BORDER] <= planes[plane, col.PLANE_BORDER]:
                break
            swap_planes(plane - 1, plane, planes)
    if worst < 0:
        return 0.0, 0.0
    found, x, y = nearest_allowed(planes, count, 0.0, 0.0)
    if not found:
        count, _, x, y = drop_infeasible_planes(count, 0.0, 0.0, tags, ints, touches, planes)
        _, x, y = nearest_allowed(planes, count, x, y)
        # Rounding may be left. W looks at its contacts again only if it moves out of one.
        slop = candidates.near[int(touches[worst, col.TOUCH_NEIGHBOUR]), col.NEAR_GAP]
        if x * x + y * y <= slop * slop:
            return 0.0, 0.0
    if x * x + y * y > CORRECTION_LIMIT * CORRECTION_LIMIT * deepest * deepest:
        # Two sides that nearly face each other leave no room nearby. A correction must not lead into the mightier one.
        nx, ny, might = (
            touches[worst, col.TOUCH_NORMAL],
            touches[worst, col.TOUCH_NORMAL + 1],
            might_of_contact(worst, tags, ints, touches),
        )
        for row in range(count):
            touch = int(planes[row, col.PLANE_TOUCH])
            opposes = nx * touches[touch, col.TOUCH_NORMAL] + ny * touches[touch, col.TOUCH_NORMAL + 1] < 0.0
            if opposes and might_of_contact(touch, tags, ints, touches) >= might:
                return 0.0, 0.0
        x, y = -touches[worst, col.TOUCH_DEPTH] * nx, -touches[worst, col.TOUCH_DEPTH] * ny
    return x, y
