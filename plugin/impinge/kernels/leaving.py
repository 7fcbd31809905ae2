"""How a solid W gets out of what it overlaps: at the frame's start [3, 8], and where turning has sunk it in."""

from __future__ import annotations

import math

import numpy as np

from impinge.kernels.casting import OVERLAPPED as CAST_OVERLAPPED
from impinge.kernels.casting import cast_pieces
from impinge.kernels.compiler import kernel
from impinge.kernels.layout import (
    FARTHEST,
    IS_BOX,
    LOWER,
    MIGHT,
    OVERLAPPED,
    PIECE_COLUMNS,
    PIECE_TOTAL,
    PIECES,
    POINT_COLUMNS,
    SIDES,
    STUCK,
    UPPER,
    Floats,
    Ints,
)
from impinge.kernels.legs import PLACE
from impinge.kernels.meeting import free_share
from impinge.kernels.neighbours import (
    BITS,
    BODY,
    GAP,
    IGNORED,
    PASSES,
    SEQUENCE,
    SETTLED,
    SOLID_M,
    SOLID_W,
    SQUEEZED,
    STANDING_M,
    STANDING_W,
    STUCK_NORMAL,
    VELOCITY,
    goes_first,
    mighty_place,
)
from impinge.kernels.penetration import (
    BORDER_COLUMNS,
    CORE_COLUMNS,
    FIRST_REACH,
    add_cores,
    covering,
    rows_needed,
    way_out,
    way_within,
)
from impinge.kernels.reporting import report_touch
from impinge.kernels.seams import is_corner
from impinge.kernels.separation import bounds_gap, noise_of, solid_gap
from impinge.kernels.touch_rows import ACROSS, DEPTH, DROPPED, FUZZ, STATE, TOUCHING, WHO
from impinge.kernels.touches import face_along
from impinge.kernels.window import sort_neighbours
from impinge.kernels.yielding import (
    BORDER,
    LEEWAY,
    PLANE_ROWS,
    TOUCH,
    heed_the_mightier,
    nearest_allowed,
)

# Pairs of pieces, of all that is near, among which a way out is looked for: more, and W is too deep in solid ground.
MOST_CORES = 1024
# How far W is moved out of contacts that it has sunk into, in depths of the deepest.
MOST_PART = 32.0


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
    """How far W may be moved at the most to leave the bodies that it starts in; 0 if there are none.

    Marks the bodies that W may pass through as it starts in them [8], too.
    """
    reach = 0.0
    for neighbour in range(count):
        depth, _, _ = depth_at(neighbour, weak, way[PLACE], way[PLACE + 1], 0.0, near, tags, ints, solids)
        if depth > 0.0:
            if tags[neighbour, PASSES]:
                tags[neighbour, BITS] |= IGNORED
            else:
                a, b = tags[neighbour, SOLID_M], tags[neighbour, SOLID_W]
                reach = max(reach, 2.0 * (solids[a + FARTHEST] + solids[b + FARTHEST]))
    return reach


@kernel()
def is_obstacle(neighbour: int, might: int, tags: Ints, ints: Ints) -> bool:
    """Whether W must not be moved into a neighbour to leave one of a might."""
    if tags[neighbour, PASSES] or tags[neighbour, BITS] & SQUEEZED:
        return False
    return bool(ints[tags[neighbour, BODY], MIGHT] >= might)


@kernel(inline=False)
def is_free_place(
    weak: int, might: int, x: float, y: float, count: int, near: Floats, tags: Ints, ints: Ints, solids: Floats
) -> bool:
    """Whether W at a place overlaps no neighbour of a might or above at the frame's start."""
    for neighbour in range(count):
        if is_obstacle(neighbour, might, tags, ints):
            depth, _, _ = depth_at(neighbour, weak, x, y, 0.0, near, tags, ints, solids)
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
    near: Floats,
    tags: Ints,
    ints: Ints,
    solids: Floats,
) -> tuple[float, float, float]:
    """Length and unit direction of the shortest way out of all neighbours of a might or above; `most` if longer.

    The way out of each of two flush tiles leads into the other one: together they are one obstacle. It is looked for
    within twice the depth of the deepest first, and then ever farther away.
    """
    reach, slop = min(FIRST_REACH * deepest, most), 0.0
    sort_neighbours(count, tags, ints)
    while True:
        core_total, corner_total = 0, 0
        for neighbour in range(count):
            if is_obstacle(neighbour, might, tags, ints):
                a, b = tags[neighbour, STANDING_M], tags[neighbour, STANDING_W]
                dx = way[PLACE] - mighty_place(near, neighbour, 0, 0.0)
                dy = way[PLACE + 1] - mighty_place(near, neighbour, 1, 0.0)
                more, more_corners = rows_needed(solids, a, solids, b, dx, dy, reach)
                core_total, corner_total = core_total + more, corner_total + more_corners
        if core_total > MOST_CORES:
            return most, 0.0, 0.0
        cores, corners = np.empty((core_total, CORE_COLUMNS)), np.empty((corner_total, POINT_COLUMNS))
        borders = np.empty((2 * corner_total, BORDER_COLUMNS))
        core = corner = 0
        for place in range(count):
            neighbour = tags[place, SEQUENCE]
            if is_obstacle(neighbour, might, tags, ints):
                a, b = tags[neighbour, STANDING_M], tags[neighbour, STANDING_W]
                dx = way[PLACE] - mighty_place(near, neighbour, 0, 0.0)
                dy = way[PLACE + 1] - mighty_place(near, neighbour, 1, 0.0)
                core, corner = add_cores(core, corner, reach, solids, a, solids, b, dx, dy, cores, corners)
                slop = max(slop, near[neighbour, GAP])
        length, x, y = way_within(reach, core, slop, cores, corners, borders)
        if length < reach:
            # Of equal ways that along an axis is the one, in the order of the sides [3].
            for side in range(4):
                across = 1.0 if side & 1 else -1.0
                ux, uy = (across, 0.0) if side < 2 else (0.0, across)
                beyond = length + slop
                if covering(beyond * ux, beyond * uy, 0.0, -1, -1, core, 0, cores, corners) < 0:
                    return length, ux, uy
            return length, x, y
        if reach >= most:
            return most, 0.0, 0.0
        reach = min(2.0 * reach, most)


@kernel(inline=False)
def way_back(neighbour: int, nx: float, ny: float, way: Floats, near: Floats, tags: Ints, solids: Floats) -> float:
    """How far W goes along a normal until it comes out of a neighbour by the side that it came in by."""
    a, b = tags[neighbour, STANDING_M], tags[neighbour, STANDING_W]
    far = 2.0 * (solids[a + FARTHEST] + solids[b + FARTHEST])
    slop, noise = near[neighbour, GAP], near[neighbour, FUZZ]
    dx = way[PLACE] - mighty_place(near, neighbour, 0, 0.0) + far * nx
    dy = way[PLACE + 1] - mighty_place(near, neighbour, 1, 0.0) + far * ny
    back = far
    for piece_m in range(a + PIECES, a + PIECES + PIECE_COLUMNS * int(solids[a + PIECE_TOTAL]), PIECE_COLUMNS):
        for piece_w in range(b + PIECES, b + PIECES + PIECE_COLUMNS * int(solids[b + PIECE_TOTAL]), PIECE_COLUMNS):
            met, _, _ = cast_pieces(solids, piece_m, solids, piece_w, dx, dy, -nx, -ny, slop, noise, back)
            if met != CAST_OVERLAPPED:
                back = min(back, met)
    return far - back


@kernel(inline=False)
def get_stuck(
    weak: int,
    neighbour: int,
    nx: float,
    ny: float,
    near: Floats,
    tags: Ints,
    floats: Floats,
    ints: Ints,
    verdicts: Floats,
    events: Floats,
    counts: Ints,
) -> None:
    """Note that W is stuck in a neighbour, which goes on to press on it by a normal."""
    speed = nx * near[neighbour, VELOCITY] + ny * near[neighbour, VELOCITY + 1]
    report_touch(weak, neighbour, nx, ny, speed, True, 0.0, near, tags, floats, ints, verdicts, events, counts)
    tags[neighbour, BITS] |= SQUEEZED
    near[neighbour, STUCK_NORMAL], near[neighbour, STUCK_NORMAL + 1] = nx, ny
    face = face_along(nx, ny)
    ints[weak, SIDES] |= 1 << face | 1 << (face ^ 1)
    ints[weak, STUCK] |= 1 << face | 1 << (face ^ 1)


@kernel(inline=False)
def wait_for_room(
    weak: int,
    stuck_in: int,
    nx: float,
    ny: float,
    count: int,
    way: Floats,
    near: Floats,
    tags: Ints,
    floats: Floats,
    ints: Ints,
    solids: Floats,
    touches: Floats,
    verdicts: Floats,
    events: Floats,
    counts: Ints,
) -> None:
    """Move W back out of the body that it got stuck in before, by the side that it came in by, if there is room [10].

    Out by the shortest way it would leave a press, that has gone on through it, on the far side.
    """
    for neighbour in range(count):
        if tags[neighbour, BODY] != stuck_in or tags[neighbour, PASSES]:
            continue
        depth, _, _ = depth_at(neighbour, weak, way[PLACE], way[PLACE + 1], 0.0, near, tags, ints, solids)
        if depth == 0.0:
            continue
        ints[weak, OVERLAPPED] = 1
        back, might = way_back(neighbour, nx, ny, way, near, tags, solids), ints[stuck_in, MIGHT]
        x, y = way[PLACE] + back * nx, way[PLACE + 1] + back * ny
        share = 1.0
        if back > 0.0:
            share = free_share(count, 0, might, back * nx, back * ny, 0.0, way, near, tags, ints, solids, touches)
        if share == 1.0 and is_free_place(weak, might, x, y, count, near, tags, ints, solids):
            way[PLACE], way[PLACE + 1] = x, y
            speed = nx * near[neighbour, VELOCITY] + ny * near[neighbour, VELOCITY + 1]
            report_touch(weak, neighbour, nx, ny, speed, False, 0.0, near, tags, floats, ints, verdicts, events, counts)
        else:
            get_stuck(weak, neighbour, nx, ny, near, tags, floats, ints, verdicts, events, counts)


@kernel(inline=False)
def leave_solids(
    weak: int,
    waits: bool,
    reach: float,
    count: int,
    way: Floats,
    near: Floats,
    tags: Ints,
    floats: Floats,
    ints: Ints,
    solids: Floats,
    touches: Floats,
    verdicts: Floats,
    events: Floats,
    counts: Ints,
) -> None:
    """Move W out of all that it overlaps at the frame's start, the mightiest first, or call it stuck there [3, 10].

    What pressed W against a wall has come nearer to it than W is thick, and the shortest way out is through that wall.
    So who was stuck before, and is to wait, waits for a way that leads into nothing else as mighty.
    """
    while True:
        chosen, deepest, nx, ny = -1, 0.0, 0.0, 0.0
        for neighbour in range(count):
            if tags[neighbour, BITS] & (SQUEEZED | SETTLED) or tags[neighbour, PASSES]:
                continue
            depth, x, y = depth_at(neighbour, weak, way[PLACE], way[PLACE + 1], 0.0, near, tags, ints, solids)
            if depth == 0.0:
                continue
            if chosen >= 0:
                rival, best = ints[tags[neighbour, BODY], MIGHT], ints[tags[chosen, BODY], MIGHT]
                if rival < best or (rival == best and depth < deepest):
                    continue
                if rival == best and depth == deepest and not goes_first(tags, ints, neighbour, chosen):
                    continue
            chosen, deepest, nx, ny = neighbour, depth, x, y
        if chosen < 0:
            break
        ints[weak, OVERLAPPED] = 1
        might, length = ints[tags[chosen, BODY], MIGHT], deepest
        x, y = way[PLACE] + length * nx, way[PLACE + 1] + length * ny
        is_straight = is_free_place(weak, might, x, y, count, near, tags, ints, solids)
        if not is_straight:
            length, nx, ny = way_out_of_all(might, deepest, reach, count, way, near, tags, ints, solids)
        is_free = length < reach
        if is_free:
            x, y = length * nx, length * ny
            # All of this way is inside of the bodies that it leaves, or it would not be the shortest.
            barred = might if waits else might + 1
            is_free = free_share(count, 0, barred, x, y, 0.0, way, near, tags, ints, solids, touches) == 1.0
        for neighbour in range(count):
            if ints[tags[neighbour, BODY], MIGHT] != might or not is_obstacle(neighbour, might, tags, ints):
                continue
            depth, out_x, out_y = depth_at(neighbour, weak, way[PLACE], way[PLACE + 1], 0.0, near, tags, ints, solids)
            if depth == 0.0:
                continue
            if is_free and is_straight and neighbour != chosen:
                continue
            if is_free:
                tags[neighbour, BITS] |= SETTLED
                speed = nx * near[neighbour, VELOCITY] + ny * near[neighbour, VELOCITY + 1]
                report_touch(
                    weak, neighbour, nx, ny, speed, False, 0.0, near, tags, floats, ints, verdicts, events, counts
                )
            else:
                get_stuck(weak, neighbour, out_x, out_y, near, tags, floats, ints, verdicts, events, counts)
        if is_free:
            way[PLACE], way[PLACE + 1] = way[PLACE] + x, way[PLACE + 1] + y
    for neighbour in range(count):
        if tags[neighbour, PASSES]:
            depth, _, _ = depth_at(neighbour, weak, way[PLACE], way[PLACE + 1], 0.0, near, tags, ints, solids)
            if depth > 0.0:
                tags[neighbour, BITS] |= IGNORED
            else:
                # Moved out of another one it may be out of this one as well.
                tags[neighbour, BITS] &= ~IGNORED


@kernel()
def might_of_touch(touch: int, tags: Ints, ints: Ints, touches: Floats) -> int:
    """Might of the neighbour that a touch is with."""
    return ints[tags[int(touches[touch, WHO]), BODY], MIGHT]


@kernel(inline=False)
def way_to_part(
    total: int, near: Floats, tags: Ints, ints: Ints, touches: Floats, planes: Floats
) -> tuple[float, float]:
    """Return how W has to be moved out of contacts that it has sunk into by more than the slop; zero if in none.

    The shortest vector that all contacts allow. What W is stuck in is left out: it stays in that until there is room.
    """
    count, deepest, worst = 0, 0.0, -1
    for touch in range(total):
        if touches[touch, STATE] == DROPPED or is_corner(touches, touch) or count == PLANE_ROWS:
            continue
        neighbour = int(touches[touch, WHO])
        if tags[neighbour, BITS] & SQUEEZED:
            continue
        if touches[touch, DEPTH] < -near[neighbour, TOUCHING]:
            deepest = max(deepest, -touches[touch, DEPTH])
            if worst < 0 or goes_first(tags, ints, neighbour, int(touches[worst, WHO])):
                worst = touch
        planes[count, 0], planes[count, 1] = touches[touch, ACROSS], touches[touch, ACROSS + 1]
        planes[count, BORDER] = min(-touches[touch, DEPTH], math.inf)
        planes[count, LEEWAY], planes[count, TOUCH] = near[neighbour, GAP], touch
        count += 1
    if worst < 0:
        return 0.0, 0.0
    found, x, y = nearest_allowed(planes, count, 0.0, 0.0)
    if not found:
        count, x, y = heed_the_mightier(count, 0.0, 0.0, tags, ints, touches, planes)
        _, x, y = nearest_allowed(planes, count, x, y)
    if x * x + y * y > MOST_PART * MOST_PART * deepest * deepest:
        # Two sides that nearly face each other leave no room nearby: a correction must not lead into the mightier one.
        nx, ny, might = touches[worst, ACROSS], touches[worst, ACROSS + 1], might_of_touch(worst, tags, ints, touches)
        for row in range(count):
            touch = int(planes[row, TOUCH])
            opposes = nx * touches[touch, ACROSS] + ny * touches[touch, ACROSS + 1] < 0.0
            if opposes and might_of_touch(touch, tags, ints, touches) >= might:
                return 0.0, 0.0
        x, y = -touches[worst, DEPTH] * nx, -touches[worst, DEPTH] * ny
    return x, y
