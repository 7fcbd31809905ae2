"""Start of the frame for the weak box W: depenetration [3], passable bodies [8] and sticky faces [9]."""

from __future__ import annotations

from impinge.kernels import columns as col
from impinge.kernels.arrays import Bodies, Candidates, Floats, FrameRows, Ints
from impinge.kernels.compiler import kernel
from impinge.kernels.step.box_contacts import is_sticky, report_face, touched_face
from impinge.kernels.step.candidates import has_precedence, overlaps_at, shortest_way_out


@kernel()
def enter_passable(count: int, way: Floats, candidates: Candidates) -> None:
    """Let W pass through the passable bodies that it overlaps at its start [8]."""
    for neighbour in range(count):
        if candidates.tags[neighbour, col.TAG_PASSES] and overlaps_at(
            candidates.near, neighbour, way[col.WAY_PLACE], way[col.WAY_PLACE + 1]
        ):
            candidates.tags[neighbour, col.TAG_BITS] |= col.BIT_IGNORED


@kernel()
def box_overlap_reach(count: int, way: Floats, candidates: Candidates) -> float:
    """Return an upper bound of the distance that depenetration moves W; 0 without an overlap."""
    near = candidates.near
    total = 0.0
    for neighbour in range(count):
        if not candidates.tags[neighbour, col.TAG_PASSES] and overlaps_at(
            near, neighbour, way[col.WAY_PLACE], way[col.WAY_PLACE + 1]
        ):
            # On its way out of another body, W may get deeper into this one. No way out is longer than across it.
            total += 2.0 * max(near[neighbour, col.NEAR_REACH], near[neighbour, col.NEAR_REACH + 1])
    return total


@kernel()
def deepest_overlap(count: int, way: Floats, candidates: Candidates, ints: Ints) -> int:
    """Return the candidate that W leaves next, -1 for none: the mightiest, then the deepest, then the first added."""
    tags = candidates.tags
    chosen, depth = -1, 0.0
    for neighbour in range(count):
        if tags[neighbour, col.TAG_BITS] & col.BIT_SETTLED or tags[neighbour, col.TAG_PASSES]:
            continue
        if not overlaps_at(candidates.near, neighbour, way[col.WAY_PLACE], way[col.WAY_PLACE + 1]):
            continue
        out, _ = shortest_way_out(candidates.near, neighbour, way[col.WAY_PLACE], way[col.WAY_PLACE + 1])
        if chosen >= 0:
            might, best = ints[tags[neighbour, col.TAG_BODY], col.MIGHT], ints[tags[chosen, col.TAG_BODY], col.MIGHT]
            if might < best or (might == best and out < depth):
                continue
            if might == best and out == depth and not has_precedence(tags, ints, neighbour, chosen):
                continue
        chosen, depth = neighbour, out
    return chosen


@kernel()
def overlaps_obstacle(chosen: int, x: float, y: float, count: int, candidates: Candidates, ints: Ints) -> bool:
    """Return whether W at (x, y), where it has left `chosen`, overlaps another body that is at least as mighty."""
    tags = candidates.tags
    might = ints[tags[chosen, col.TAG_BODY], col.MIGHT]
    for neighbour in range(count):
        if (
            neighbour == chosen
            or tags[neighbour, col.TAG_PASSES]
            or ints[tags[neighbour, col.TAG_BODY], col.MIGHT] < might
        ):
            continue
        if overlaps_at(candidates.near, neighbour, x, y):
            return True
    return False


@kernel(inline=False)
def depenetrate_box(
    weak: int,
    count: int,
    way: Floats,
    candidates: Candidates,
    bodies: Bodies,
    frame: FrameRows,
) -> bool:
    """Move W out of its overlaps at the frame's start [3]; return False if a way out leads into another body."""
    ints, near = bodies.ints, candidates.near
    while True:
        chosen = deepest_overlap(count, way, candidates, ints)
        if chosen < 0:
            return True
        _, face = shortest_way_out(near, chosen, way[col.WAY_PLACE], way[col.WAY_PLACE + 1])
        axis = face >> 1
        reach = near[chosen, col.NEAR_REACH + axis]
        place = near[chosen, col.NEAR_FROM + axis] + (reach if face & 1 else -reach)
        x = place if axis == 0 else way[col.WAY_PLACE]
        y = way[col.WAY_PLACE + 1] if axis == 0 else place
        if overlaps_obstacle(chosen, x, y, count, candidates, ints):
            return False
        ints[weak, col.OVERLAPPED] = 1
        report_face(weak, chosen, face, 0.0, candidates, bodies, frame)
        candidates.tags[chosen, col.TAG_BITS] |= col.BIT_SETTLED
        way[col.WAY_PLACE] = x
        way[col.WAY_PLACE + 1] = y


@kernel()
def mark_sticky_faces(count: int, way: Floats, candidates: Candidates) -> None:
    """Mark the sticky faces that hold W: W touches them at t = 0, and its own movement does not lead away [9]."""
    tags = candidates.tags
    for neighbour in range(count):
        if tags[neighbour, col.TAG_BITS] & col.BIT_IGNORED or not tags[neighbour, col.TAG_STICKS]:
            continue
        face = touched_face(way, candidates, neighbour, 0.0)
        if face >= 0 and is_sticky(neighbour, face, way, candidates):
            tags[neighbour, col.TAG_FACE] = face
            tags[neighbour, col.TAG_BITS] |= col.BIT_HELD
