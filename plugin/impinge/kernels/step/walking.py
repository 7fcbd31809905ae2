"""What walkers do beyond the push rule: find ledges, reach down to the ground they have just left, and walk up steps.

Walkers reach down at the frame's end, and walk up a step when they come to it. How they walk is in `contact_planes`.
"""

from __future__ import annotations

import math

from impinge.kernels import columns as col
from impinge.kernels.arrays import Bodies, Candidates, Floats
from impinge.kernels.compiler import kernel
from impinge.kernels.pair.cast import IN_OVERLAP, NEVER, cast_pieces
from impinge.kernels.pair.separation import PARALLEL, facing_edge, support
from impinge.kernels.step.broadphase import cover
from impinge.kernels.step.candidates import mighty_place
from impinge.kernels.step.contact_planes import FOOTING, chosen_normal, holds_up, is_floor
from impinge.kernels.step.contacts import face_of_mighty, stand_neighbour
from impinge.kernels.step.depenetration import depth_at
from impinge.kernels.step.internal_edges import is_corner

# It goes onto a step by this part of its height at least: less would be the corner of the step, and it would slide off.
TREAD = 1.0 / 64.0


@kernel(inline=False)
def height_of_corner(piece: int, nx: float, ny: float, solids: Floats) -> float:
    """How high it is where the corner of a piece is touched by a normal; minus infinity on an edge."""
    _, sine = facing_edge(solids, piece, nx, ny)
    if sine <= PARALLEL:
        return -math.inf
    return solids[support(solids, piece, nx, ny) + col.POINT + 1] + solids[piece + col.RADIUS] * ny


@kernel(inline=False)
def height_of_ledge(piece: int, nx: float, ny: float, cosine: float, solids: Floats) -> float:
    """How high the ledge is that ends where a normal touches a piece: at a corner, or with a slope up to a corner.

    On its other side that can be stood on. Infinity for what is none.
    """
    first, total = int(solids[piece + col.FIRST_POINT]), int(solids[piece + col.POINT_TOTAL])
    if total == 1:
        return math.inf
    last = first + col.POINT_COLUMNS * (total - 1)
    edge, sine = facing_edge(solids, piece, nx, ny)
    at = support(solids, piece, nx, ny)
    if sine <= PARALLEL:
        # Counter-clockwise an edge that faces to the left leads down.
        at = edge if nx < 0.0 else first if edge == last else edge + col.POINT_COLUMNS
    before = last if at == first else at - col.POINT_COLUMNS
    if max(solids[at + col.NORMAL + 1], solids[before + col.NORMAL + 1]) < cosine:
        return math.inf
    # All of it: on a round corner it is touched lower down.
    return solids[at + col.POINT + 1] + solids[piece + col.RADIUS]


@kernel(inline=False)
def find_ledges(
    weak: int,
    total: int,
    time: float,
    way: Floats,
    candidates: Candidates,
    bodies: Bodies,
    touches: Floats,
) -> None:
    """Note where a walker touches a ledge that is so low that it stands on the edge of it.

    Walking against it, one that is no higher than a step; else one that it reaches down from to the ground, too.
    """
    floats = bodies.floats
    for touch in range(total):
        nx, ny = touches[touch, col.TOUCH_NORMAL], touches[touch, col.TOUCH_NORMAL + 1]
        if touches[touch, col.TOUCH_STATE] == col.STATE_DROPPED or is_corner(touches, touch) or ny < FOOTING:
            continue
        neighbour, highest = int(touches[touch, col.TOUCH_NEIGHBOUR]), floats[weak, col.STEP_HEIGHT]
        if nx * way[col.WAY_OWN] >= 0.0:
            highest = max(highest, floats[weak, col.SNAP])
        feet = way[col.WAY_PLACE + 1] + bodies.solids[candidates.tags[neighbour, col.TAG_STANDING_W] + col.LOWER + 1]
        place = mighty_place(candidates.near, neighbour, 1, time) - feet - candidates.near[neighbour, col.NEAR_TOUCHING]
        height = height_of_ledge(
            int(touches[touch, col.TOUCH_PIECE_M]), nx, ny, floats[weak, col.FLOOR_COSINE], bodies.solids
        )
        if place + height <= highest:
            touches[touch, col.TOUCH_IS_LEDGE] = 1.0


@kernel(inline=False)
def free_way(
    weak: int,
    count: int,
    time: float,
    x: float,
    y: float,
    ux: float,
    uy: float,
    length: float,
    candidates: Candidates,
    bodies: Bodies,
) -> tuple[float, float, float, int, int]:
    """How far W gets from a place in a direction, among the bodies as they are at a time.

    And the normal of what stops it, what that is, or -1, and which piece of it.
    """
    solids, near, tags = bodies.solids, candidates.near, candidates.tags
    way, nx, ny, chosen, piece = length, 0.0, 0.0, -1, -1
    for place in range(count):
        neighbour = tags[place, col.TAG_SEQUENCE]
        if tags[neighbour, col.TAG_BITS] & col.BIT_IGNORED:
            continue
        stand_neighbour(neighbour, time, candidates, bodies)
        a, b = tags[neighbour, col.TAG_STANDING_M], tags[neighbour, col.TAG_STANDING_W]
        dx, dy = x - mighty_place(near, neighbour, 0, time), y - mighty_place(near, neighbour, 1, time)
        for piece_m in range(
            a + col.PIECES, a + col.PIECES + col.PIECE_COLUMNS * int(solids[a + col.PIECE_TOTAL]), col.PIECE_COLUMNS
        ):
            for piece_w in range(
                b + col.PIECES, b + col.PIECES + col.PIECE_COLUMNS * int(solids[b + col.PIECE_TOTAL]), col.PIECE_COLUMNS
            ):
                met, mx, my = cast_pieces(
                    solids,
                    piece_m,
                    solids,
                    piece_w,
                    dx,
                    dy,
                    ux,
                    uy,
                    near[neighbour, col.NEAR_GAP],
                    near[neighbour, col.NEAR_FUZZ],
                    way,
                )
                if met in (NEVER, IN_OVERLAP) or met >= way:
                    continue
                if tags[neighbour, col.TAG_PASSES] >> face_of_mighty(near, neighbour, time, mx, my) & 1:
                    continue
                way, nx, ny, chosen, piece = met, mx, my, neighbour, piece_m
    return way, nx, ny, chosen, piece


@kernel(inline=False)
def stand_on(weak: int, neighbour: int, candidates: Candidates, bodies: Bodies) -> None:
    """Note that W stands on a neighbour."""
    ints = bodies.ints
    ints[weak, col.FLOOR] = candidates.tags[neighbour, col.TAG_BODY]
    ints[weak, col.BLOCKED] |= col.BOTTOM
    ints[weak, col.SIDES] |= col.BOTTOM
    bodies.floats[weak, col.FLOOR_SPEED], bodies.floats[weak, col.FLOOR_SPEED + 1] = (
        candidates.near[neighbour, col.NEAR_VELOCITY],
        candidates.near[neighbour, col.NEAR_VELOCITY + 1],
    )


@kernel()
def may_snap(weak: int, was_on_floor: bool, way: Floats, bodies: Bodies) -> bool:
    """Whether W has walked off a floor, and does not jump."""
    return (
        was_on_floor
        and bodies.ints[weak, col.FLOOR] < 0
        and way[col.WAY_OWN + 1] <= 0.0
        and bodies.floats[weak, col.SNAP] > 0.0
    )


@kernel(inline=False)
def snap_down(
    weak: int,
    count: int,
    way: Floats,
    candidates: Candidates,
    bodies: Bodies,
) -> bool:
    """Put W, at the frame's end, back onto a floor that it has walked off, if it is not far below; returns whether."""
    floats = bodies.floats
    x, y = way[col.WAY_PLACE], way[col.WAY_PLACE + 1]
    down, nx, ny, floor, piece = free_way(weak, count, 1.0, x, y, 0.0, -1.0, floats[weak, col.SNAP], candidates, bodies)
    if floor < 0:
        return False
    cosine = floats[weak, col.FLOOR_COSINE]
    feet = y - down + bodies.solids[candidates.tags[floor, col.TAG_STANDING_W] + col.LOWER + 1]
    # Round feet come off a step by its edge, and stay in touch with it until the next one is below them.
    ledge = (
        mighty_place(candidates.near, floor, 1, 1.0)
        + height_of_ledge(piece, nx, ny, cosine, bodies.solids)
        - candidates.near[floor, col.NEAR_TOUCHING]
    )
    if not is_floor(nx, ny, cosine) and ledge > feet + max(floats[weak, col.SNAP], floats[weak, col.STEP_HEIGHT]):
        return False
    way[col.WAY_PLACE + 1] = y - down
    stand_on(weak, floor, candidates, bodies)
    return True


@kernel(inline=False)
def is_at_step(weak: int, was_on_floor: bool, total: int, way: Floats, bodies: Bodies, touches: Floats) -> bool:
    """Whether W walks against something too steep to walk on, and can take steps."""
    if (
        bodies.floats[weak, col.STEP_HEIGHT] == 0.0
        or way[col.WAY_OWN + 1] > 0.0
        or not (was_on_floor or bodies.ints[weak, col.FLOOR] >= 0)
    ):
        return False
    cosine = bodies.floats[weak, col.FLOOR_COSINE]
    for touch in range(total):
        if touches[touch, col.TOUCH_STATE] == col.STATE_PRESSES:
            nx, ny, _, _ = chosen_normal(touch, touches)
            if nx * way[col.WAY_TARGET] < 0.0 <= ny and not holds_up(touch, nx, ny, cosine, touches):
                return True
    return False


@kernel()
def tread(weak: int, way: Floats, floats: Floats) -> float:
    """Return how far W goes forwards to stand on a step, and in which direction."""
    return math.copysign(TREAD * floats[weak, col.STEP_HEIGHT], way[col.WAY_TARGET])


@kernel()
def way_ahead(weak: int, time: float, way: Floats, floats: Floats) -> float:
    """Return how far W would go on from a step in this frame, at least a tread."""
    return max(abs(way[col.WAY_TARGET]) * (1.0 - time), abs(tread(weak, way, floats)))


@kernel(inline=False)
def cover_step(weak: int, time: float, bounds: Floats, way: Floats, floats: Floats) -> bool:
    """Widen the query to cover W on a step that it may take; returns whether it had to."""
    ahead = math.copysign(way_ahead(weak, time, way, floats), way[col.WAY_TARGET])
    return cover(
        weak, bounds, way, floats, way[col.WAY_PLACE] + ahead, way[col.WAY_PLACE + 1] + floats[weak, col.STEP_HEIGHT]
    )


@kernel(inline=False)
def step_up(
    weak: int,
    count: int,
    time: float,
    way: Floats,
    candidates: Candidates,
    bodies: Bodies,
) -> bool:
    """Put W onto what is in its way, if it is no higher than a step; returns whether it is.

    Up, forwards by a tread and down again, among the bodies as they are at this instant: it has to come to stand on a
    floor that is higher than where it was. From there it walks on. Among the bodies as they are at the frame's end it
    was below a floor that rose by more than its thickness.
    """
    floats, solids = bodies.floats, bodies.solids
    height, x, y = floats[weak, col.STEP_HEIGHT], way[col.WAY_PLACE], way[col.WAY_PLACE + 1]
    feet = y + solids[bodies.ints[weak, col.POSED] + col.LOWER + 1]
    up, _, _, _, _ = free_way(weak, count, time, x, y, 0.0, 1.0, height, candidates, bodies)
    forwards = tread(weak, way, floats)
    ux = 1.0 if forwards > 0.0 else -1.0
    # What it would walk over and fall from in this frame is no step, but a wall.
    ahead = way_ahead(weak, time, way, floats)
    ahead, _, _, _, _ = free_way(weak, count, time, x, y + up, ux, 0.0, ahead, candidates, bodies)
    _, _, _, below, _ = free_way(weak, count, time, x + ux * ahead, y + up, 0.0, -1.0, up, candidates, bodies)
    if below < 0:
        return False
    along, _, _, _, _ = free_way(weak, count, time, x, y + up, ux, 0.0, abs(forwards), candidates, bodies)
    x += forwards
    down, nx, ny, floor, piece = free_way(weak, count, time, x, y + up, 0.0, -1.0, up, candidates, bodies)
    if along < abs(forwards) or floor < 0:
        return False
    cosine, place, highest = (
        floats[weak, col.FLOOR_COSINE],
        mighty_place(candidates.near, floor, 1, time),
        feet + height,
    )
    highest += candidates.near[floor, col.NEAR_TOUCHING]
    # Feet that are round come down on the edge of what is higher than they are lifted: that is no step of theirs.
    if place + height_of_corner(piece, nx, ny, solids) > highest:
        return False
    is_ledge = ny >= FOOTING and place + height_of_ledge(piece, nx, ny, cosine, solids) <= highest
    if not is_floor(nx, ny, cosine) and not is_ledge:
        return False
    y += up - down
    for neighbour in range(count):
        if candidates.tags[neighbour, col.TAG_BITS] & col.BIT_IGNORED or candidates.tags[neighbour, col.TAG_PASSES]:
            continue
        depth, _, _ = depth_at(neighbour, weak, x, y, time, candidates, bodies)
        if depth > 0.0:
            return False
    way[col.WAY_PLACE], way[col.WAY_PLACE + 1] = x, y
    stand_on(weak, floor, candidates, bodies)
    return True
