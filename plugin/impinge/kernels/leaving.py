"""How a solid W gets out of what it overlaps: at the frame's start [3, 8], and where turning has sunk it in."""

from __future__ import annotations

import math

from impinge.kernels.compiler import kernel
from impinge.kernels.layout import (
    FARTHEST,
    IS_BOX,
    LOWER,
    MIGHT,
    OVERLAPPED,
    PIECE_TOTAL,
    SIDES,
    STUCK,
    UPPER,
    Floats,
    Ints,
)
from impinge.kernels.legs import PLACE
from impinge.kernels.neighbours import (
    BITS,
    BODY,
    GAP,
    IGNORED,
    PASSES,
    SETTLED,
    SOLID_M,
    SOLID_W,
    SQUEEZED,
    STANDING_M,
    STANDING_W,
    VELOCITY,
    goes_first,
    mighty_place,
)
from impinge.kernels.penetration import way_out
from impinge.kernels.reporting import report_touch
from impinge.kernels.seams import is_corner
from impinge.kernels.separation import bounds_gap, noise_of, solid_gap
from impinge.kernels.touch_rows import ACROSS, DEPTH, DROPPED, STATE, TOUCHING, WHO
from impinge.kernels.touches import face_along
from impinge.kernels.yielding import (
    BORDER,
    LEEWAY,
    PLANE_ROWS,
    TOUCH,
    heed_the_mightier,
    nearest_allowed,
)


@kernel(inline=False)
def way_out_of_box(a: int, b: int, dx: float, dy: float, solids: Floats) -> tuple[float, float, float]:
    """How far, and by which side, one upright box leaves another. Ties: the first side [3]."""
    best, nx, ny = solids[b + UPPER] + dx - solids[a + LOWER], -1.0, 0.0
    right = solids[a + UPPER] - solids[b + LOWER] - dx
    down = solids[b + UPPER + 1] + dy - solids[a + LOWER + 1]
    up = solids[a + UPPER + 1] - solids[b + LOWER + 1] - dy
    if right < best:
        best, nx = right, 1.0
    if down < best:
        best, nx, ny = down, 0.0, -1.0
    if up < best:
        best, nx, ny = up, 0.0, 1.0
    return best, nx, ny


@kernel(inline=False)
def depth_at(
    neighbour: int, weak: int, x: float, y: float, time: float, near: Floats, tags: Ints, ints: Ints, solids: Floats
) -> tuple[float, float, float]:
    """How deep W at a place overlaps a neighbour, and the normal by which it leaves the soonest; 0 if it does not."""
    a, b = tags[neighbour, STANDING_M], tags[neighbour, STANDING_W]
    slop = near[neighbour, GAP]
    dx, dy = x - mighty_place(near, neighbour, 0, time), y - mighty_place(near, neighbour, 1, time)
    if bounds_gap(solids, a + LOWER, solids, b + LOWER, dx, dy) >= -slop:
        return 0.0, 0.0, 0.0
    # Along an axis it is the way out of the bounds: of equal ways that is the one, in the order of the sides.
    depth, x, y = way_out_of_box(a, b, dx, dy, solids)
    if solids[a + IS_BOX] == 1.0 and solids[b + IS_BOX] == 1.0:
        return depth, x, y
    noise = noise_of(solids, a, solids, b, dx, dy)
    gap, nx, ny, _, _ = solid_gap(solids, a, solids, b, dx, dy, noise)
    if gap >= -slop:
        return 0.0, 0.0, 0.0
    if solids[a + PIECE_TOTAL] > 1.0 or solids[b + PIECE_TOTAL] > 1.0:
        out, nx, ny = way_out(solids, a, solids, b, dx, dy, slop, -gap)
        gap = -out
    return (depth, x, y) if depth <= noise - gap else (-gap, nx, ny)


@kernel(inline=False)
def reach_of_overlaps(
    weak: int, count: int, way: Floats, near: Floats, tags: Ints, ints: Ints, solids: Floats
) -> float:
    """How far W may be moved at the most to leave what it starts in; 0 if there is nothing.

    Marks what W may pass through as it starts in it [8], too.
    """
    total = 0.0
    for neighbour in range(count):
        depth, _, _ = depth_at(neighbour, weak, way[PLACE], way[PLACE + 1], 0.0, near, tags, ints, solids)
        if depth > 0.0:
            if tags[neighbour, PASSES]:
                tags[neighbour, BITS] |= IGNORED
            else:
                a, b = tags[neighbour, SOLID_M], tags[neighbour, SOLID_W]
                total += 2.0 * (solids[a + FARTHEST] + solids[b + FARTHEST])
    return total


@kernel(inline=False)
def leave_solids(
    weak: int,
    count: int,
    way: Floats,
    near: Floats,
    tags: Ints,
    floats: Floats,
    ints: Ints,
    solids: Floats,
    verdicts: Floats,
    events: Floats,
    counts: Ints,
) -> None:
    """Move W out of what it overlaps at the frame's start, the mightiest first, or call it stuck there [3, 10]."""
    while True:
        chosen, deepest, nx, ny = -1, 0.0, 0.0, 0.0
        for neighbour in range(count):
            if tags[neighbour, BITS] & (SQUEEZED | SETTLED) or tags[neighbour, PASSES]:
                continue
            depth, x, y = depth_at(neighbour, weak, way[PLACE], way[PLACE + 1], 0.0, near, tags, ints, solids)
            if depth == 0.0:
                continue
            if chosen >= 0:
                might, best = ints[tags[neighbour, BODY], MIGHT], ints[tags[chosen, BODY], MIGHT]
                if might < best or (might == best and depth < deepest):
                    continue
                if might == best and depth == deepest and not goes_first(tags, ints, neighbour, chosen):
                    continue
            chosen, deepest, nx, ny = neighbour, depth, x, y
        if chosen < 0:
            break
        x, y = way[PLACE] + deepest * nx, way[PLACE + 1] + deepest * ny
        ints[weak, OVERLAPPED] = 1
        stuck = leads_into_solid(chosen, weak, x, y, count, way, near, tags, ints, solids)
        speed = nx * near[chosen, VELOCITY] + ny * near[chosen, VELOCITY + 1]
        report_touch(weak, chosen, nx, ny, speed, stuck, 0.0, near, tags, floats, ints, verdicts, events, counts)
        if stuck:
            tags[chosen, BITS] |= SQUEEZED
            side = 1 << (face_along(nx, ny) ^ 1)
            ints[weak, SIDES] |= side
            ints[weak, STUCK] |= side
        else:
            tags[chosen, BITS] |= SETTLED
            way[PLACE], way[PLACE + 1] = x, y
    for neighbour in range(count):
        if tags[neighbour, PASSES]:
            depth, _, _ = depth_at(neighbour, weak, way[PLACE], way[PLACE + 1], 0.0, near, tags, ints, solids)
            if depth > 0.0:
                tags[neighbour, BITS] |= IGNORED
            else:
                # Moved out of another one it may be out of this one as well.
                tags[neighbour, BITS] &= ~IGNORED


@kernel(inline=False)
def leads_into_solid(
    chosen: int,
    weak: int,
    x: float,
    y: float,
    count: int,
    way: Floats,
    near: Floats,
    tags: Ints,
    ints: Ints,
    solids: Floats,
) -> bool:
    """Whether moving W out of `chosen` would put it into a mightier body or into an equal one anew."""
    might = ints[tags[chosen, BODY], MIGHT]
    for neighbour in range(count):
        rival = ints[tags[neighbour, BODY], MIGHT]
        if neighbour == chosen or rival < might or tags[neighbour, PASSES]:
            continue
        depth, _, _ = depth_at(neighbour, weak, x, y, 0.0, near, tags, ints, solids)
        if depth == 0.0:
            continue
        if rival > might or tags[neighbour, BITS] & SETTLED:
            return True
        depth, _, _ = depth_at(neighbour, weak, way[PLACE], way[PLACE + 1], 0.0, near, tags, ints, solids)
        if depth == 0.0:
            return True
    return False


@kernel(inline=False)
def part_from(total: int, way: Floats, near: Floats, tags: Ints, ints: Ints, touches: Floats, planes: Floats) -> bool:
    """Move W out of what turning has sunk it into by more than the slop, if there is room; returns whether it moved."""
    count, is_sunk = 0, False
    for touch in range(total):
        if touches[touch, STATE] == DROPPED or is_corner(touches, touch) or count == PLANE_ROWS:
            continue
        neighbour = int(touches[touch, WHO])
        if tags[neighbour, BITS] & SQUEEZED:
            # It is stuck in this one from the start.
            continue
        if touches[touch, DEPTH] < -near[neighbour, TOUCHING]:
            is_sunk = True
        planes[count, 0], planes[count, 1] = touches[touch, ACROSS], touches[touch, ACROSS + 1]
        planes[count, BORDER] = min(-touches[touch, DEPTH], math.inf)
        planes[count, LEEWAY], planes[count, TOUCH] = near[neighbour, GAP], touch
        count += 1
    if not is_sunk:
        return False
    found, x, y = nearest_allowed(planes, count, 0.0, 0.0)
    if not found:
        count, x, y = heed_the_mightier(count, 0.0, 0.0, tags, ints, touches, planes)
        _, x, y = nearest_allowed(planes, count, x, y)
    way[PLACE] += x
    way[PLACE + 1] += y
    return x != 0.0 or y != 0.0
