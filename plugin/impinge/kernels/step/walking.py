"""Walking beyond the push rule: ledges, snapping down to the ground that a walker has just left, and steps.

A walker snaps down at the frame's end, and climbs a step on contact. `contact_planes` has the velocity of walkers.
"""

from __future__ import annotations

import math

from impinge.kernels import columns as col
from impinge.kernels.arrays import Bodies, Candidates, Floats, Part, Vector
from impinge.kernels.compiler import kernel
from impinge.kernels.pair.cast import IN_OVERLAP, NEVER, cast_pieces
from impinge.kernels.pair.separation import PARALLEL, facing_edge, support
from impinge.kernels.step.broadphase import widen_to_place
from impinge.kernels.step.candidates import mighty_place
from impinge.kernels.step.contact_planes import LEAST_LIFTING_NORMAL, chosen_normal, is_floor, is_walkable_contact
from impinge.kernels.step.contacts import face_of_mighty, pose_candidate
from impinge.kernels.step.depenetration import depth_at
from impinge.kernels.step.internal_edges import is_corner

# A walker moves onto a step by at least this part of `step_height`: with less it would touch the corner, and slide off.
TREAD = 1.0 / 64.0
# Directions.
UP, DOWN = (0.0, 1.0), (0.0, -1.0)


@kernel(inline=False)
def height_of_corner(piece: int, nx: float, ny: float, solids: Floats) -> float:
    """Return the height at which a normal touches a corner of a piece; minus infinity on an edge."""
    _, sine = facing_edge(solids, piece, nx, ny)
    if sine <= PARALLEL:
        return -math.inf
    return solids[support(solids, piece, nx, ny) + col.POINT + 1] + solids[piece + col.RADIUS] * ny


@kernel(inline=False)
def height_of_ledge(piece: int, nx: float, ny: float, cosine: float, solids: Floats) -> float:
    """Return the height of the ledge that a normal touches on a piece: at its corner, or on a slope up to its corner.

    A ledge has a floor on the other side of the corner. Infinity if there is no ledge.
    """
    first, total = int(solids[piece + col.FIRST_POINT]), int(solids[piece + col.POINT_TOTAL])
    if total == 1:
        return math.inf
    last = first + col.POINT_COLUMNS * (total - 1)
    edge, sine = facing_edge(solids, piece, nx, ny)
    at = support(solids, piece, nx, ny)
    if sine <= PARALLEL:
        # Edges run counter-clockwise, so an edge that faces left leads down.
        at = edge if nx < 0.0 else first if edge == last else edge + col.POINT_COLUMNS
    before = last if at == first else at - col.POINT_COLUMNS
    if max(solids[at + col.NORMAL + 1], solids[before + col.NORMAL + 1]) < cosine:
        return math.inf
    # The top of the ledge: the contact with a round corner is lower.
    return solids[at + col.POINT + 1] + solids[piece + col.RADIUS]


@kernel(inline=False)
def find_ledges(
    weak: int,
    total: int,
    way: Floats,
    candidates: Candidates,
    bodies: Bodies,
    touches: Floats,
) -> None:
    """Mark the contacts with ledges that are so low that a walker stands on their edges.

    If the walker walks against the ledge, the limit is `step_height`. Otherwise `snap` is the limit if it is larger.
    """
    floats, time = bodies.floats, way[col.WAY_TIME]
    for touch in range(total):
        nx, ny = touches[touch, col.TOUCH_NORMAL], touches[touch, col.TOUCH_NORMAL + 1]
        if (
            touches[touch, col.TOUCH_STATE] == col.STATE_DROPPED
            or is_corner(touches, touch)
            or ny < LEAST_LIFTING_NORMAL
        ):
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
def free_distance(
    count: int,
    time: float,
    start: Vector,
    direction: Vector,
    length: float,
    candidates: Candidates,
    bodies: Bodies,
) -> tuple[float, float, float, int, int]:
    """Return how far W moves from a place in a direction, at most `length`, among the bodies as they are at a time.

    Also return the normal of the contact that stops W, its candidate, -1 for none, and the piece of that candidate.
    """
    (x, y), solids, near, tags = start, bodies.solids, candidates.near, candidates.tags
    way, nx, ny, chosen, piece = length, 0.0, 0.0, -1, -1
    for place in range(count):
        neighbour = tags[place, col.TAG_SEQUENCE]
        if tags[neighbour, col.TAG_BITS] & col.BIT_IGNORED:
            continue
        pose_candidate(neighbour, time, candidates, bodies)
        a, b = tags[neighbour, col.TAG_STANDING_M], tags[neighbour, col.TAG_STANDING_W]
        dx, dy = x - mighty_place(near, neighbour, 0, time), y - mighty_place(near, neighbour, 1, time)
        slop, noise = near[neighbour, col.NEAR_GAP], near[neighbour, col.NEAR_FUZZ]
        for piece_m in range(
            a + col.PIECES, a + col.PIECES + col.PIECE_COLUMNS * int(solids[a + col.PIECE_TOTAL]), col.PIECE_COLUMNS
        ):
            for piece_w in range(
                b + col.PIECES, b + col.PIECES + col.PIECE_COLUMNS * int(solids[b + col.PIECE_TOTAL]), col.PIECE_COLUMNS
            ):
                met, mx, my = cast_pieces(
                    Part(solids, piece_m), Part(solids, piece_w), (dx, dy), direction, slop, noise, way
                )
                if met in (NEVER, IN_OVERLAP) or met >= way:
                    continue
                if tags[neighbour, col.TAG_PASSES] >> face_of_mighty(near, neighbour, time, (mx, my)) & 1:
                    continue
                way, nx, ny, chosen, piece = met, mx, my, neighbour, piece_m
    return way, nx, ny, chosen, piece


@kernel(inline=False)
def set_floor(weak: int, neighbour: int, candidates: Candidates, bodies: Bodies) -> None:
    """Record that W stands on a candidate."""
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
    """Return whether W has walked off a floor, and does not jump."""
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
    """Move W, at the frame's end, down to a floor that is within `snap` below it; return whether there is one."""
    floats = bodies.floats
    x, y = way[col.WAY_PLACE], way[col.WAY_PLACE + 1]
    down, nx, ny, floor, piece = free_distance(count, 1.0, (x, y), DOWN, floats[weak, col.SNAP], candidates, bodies)
    if floor < 0:
        return False
    cosine = floats[weak, col.FLOOR_COSINE]
    feet = y - down + bodies.solids[candidates.tags[floor, col.TAG_STANDING_W] + col.LOWER + 1]
    # Round feet leave a step over its edge, and stay in contact with it until the next step is below them.
    ledge = (
        mighty_place(candidates.near, floor, 1, 1.0)
        + height_of_ledge(piece, nx, ny, cosine, bodies.solids)
        - candidates.near[floor, col.NEAR_TOUCHING]
    )
    if not is_floor(ny, cosine) and ledge > feet + max(floats[weak, col.SNAP], floats[weak, col.STEP_HEIGHT]):
        return False
    way[col.WAY_PLACE + 1] = y - down
    set_floor(weak, floor, candidates, bodies)
    return True


@kernel(inline=False)
def is_at_step(weak: int, was_on_floor: bool, total: int, way: Floats, bodies: Bodies, touches: Floats) -> bool:
    """Return whether W can take steps, and walks against a contact that is too steep to walk on."""
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
            if nx * way[col.WAY_TARGET] < 0.0 <= ny and not is_walkable_contact(touch, ny, cosine, touches):
                return True
    return False


@kernel()
def tread_distance(weak: int, way: Floats, floats: Floats) -> float:
    """Return how far W moves forwards to stand on a step; the sign is the direction."""
    return math.copysign(TREAD * floats[weak, col.STEP_HEIGHT], way[col.WAY_TARGET])


@kernel()
def distance_after_step(weak: int, time: float, way: Floats, floats: Floats) -> float:
    """Return how far W would move on from a step in this frame, at least a tread."""
    return max(abs(way[col.WAY_TARGET]) * (1.0 - time), abs(tread_distance(weak, way, floats)))


@kernel(inline=False)
def widen_for_step(weak: int, time: float, bounds: Floats, way: Floats, floats: Floats) -> bool:
    """Widen the query to cover W on a step that it may take; return whether it changed."""
    ahead = math.copysign(distance_after_step(weak, time, way, floats), way[col.WAY_TARGET])
    return widen_to_place(
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
    """Put W onto an obstacle that is no higher than a step; return whether there is such a step.

    W moves up, forwards by a tread and down again, among the bodies as they are at this instant. It must come to stand
    on a floor above its present place, and walks on from there. Among the bodies as they are at the frame's end, W was
    below a floor that rose by more than its thickness.
    """
    floats, solids = bodies.floats, bodies.solids
    height, x, y = floats[weak, col.STEP_HEIGHT], way[col.WAY_PLACE], way[col.WAY_PLACE + 1]
    feet = y + solids[bodies.ints[weak, col.POSED] + col.LOWER + 1]
    up, _, _, _, _ = free_distance(count, time, (x, y), UP, height, candidates, bodies)
    forwards = tread_distance(weak, way, floats)
    ux = 1.0 if forwards > 0.0 else -1.0
    # An obstacle that W would walk over and fall from in this frame is a wall, not a step.
    ahead = distance_after_step(weak, time, way, floats)
    ahead, _, _, _, _ = free_distance(count, time, (x, y + up), (ux, 0.0), ahead, candidates, bodies)
    _, _, _, below, _ = free_distance(count, time, (x + ux * ahead, y + up), DOWN, up, candidates, bodies)
    if below < 0:
        return False
    along, _, _, _, _ = free_distance(count, time, (x, y + up), (ux, 0.0), abs(forwards), candidates, bodies)
    x += forwards
    down, nx, ny, floor, piece = free_distance(count, time, (x, y + up), DOWN, up, candidates, bodies)
    if along < abs(forwards) or floor < 0:
        return False
    cosine, place, highest = (
        floats[weak, col.FLOOR_COSINE],
        mighty_place(candidates.near, floor, 1, time),
        feet + height,
    )
    highest += candidates.near[floor, col.NEAR_TOUCHING]
    # Round feet can come down on the edge of an obstacle that is higher than `step_height`: that is no step.
    if place + height_of_corner(piece, nx, ny, solids) > highest:
        return False
    is_ledge = ny >= LEAST_LIFTING_NORMAL and place + height_of_ledge(piece, nx, ny, cosine, solids) <= highest
    if not is_floor(ny, cosine) and not is_ledge:
        return False
    y += up - down
    for neighbour in range(count):
        if candidates.tags[neighbour, col.TAG_BITS] & col.BIT_IGNORED or candidates.tags[neighbour, col.TAG_PASSES]:
            continue
        depth, _, _ = depth_at(neighbour, x, y, time, candidates, bodies)
        if depth > 0.0:
            return False
    way[col.WAY_PLACE], way[col.WAY_PLACE + 1] = x, y
    set_floor(weak, floor, candidates, bodies)
    return True
