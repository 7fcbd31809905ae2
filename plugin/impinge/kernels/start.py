"""How a frame begins for the weak box W: out of what it overlaps [3, 8], and onto what holds it [9]."""

from __future__ import annotations

from impinge.kernels.compiler import kernel
from impinge.kernels.contacts import is_sticky, report, touched_face
from impinge.kernels.layout import MIGHT, OVERLAPPED, Floats, Ints
from impinge.kernels.legs import PLACE
from impinge.kernels.neighbours import (
    BITS,
    BODY,
    FACE,
    FROM,
    HELD,
    IGNORED,
    PASSES,
    REACH,
    SETTLED,
    STICKS,
    goes_first,
    overlaps_at,
    shortest_way_out,
)


@kernel()
def enter_passable(count: int, way: Floats, near: Floats, tags: Ints, ints: Ints) -> None:
    """Let W pass through the passable bodies that it starts in [8]."""
    for neighbour in range(count):
        if tags[neighbour, PASSES] and overlaps_at(near, neighbour, way[PLACE], way[PLACE + 1]):
            tags[neighbour, BITS] |= IGNORED


@kernel()
def overlap_total(count: int, way: Floats, near: Floats, tags: Ints, ints: Ints) -> float:
    """How far W may be moved at the most to leave the bodies that it starts in; 0 if there are none."""
    total = 0.0
    for neighbour in range(count):
        if not tags[neighbour, PASSES] and overlaps_at(near, neighbour, way[PLACE], way[PLACE + 1]):
            # Out of another body it may come to lie deeper in this one: no way is longer than across it.
            total += 2.0 * max(near[neighbour, REACH], near[neighbour, REACH + 1])
    return total


@kernel()
def deepest_overlap(count: int, way: Floats, near: Floats, tags: Ints, ints: Ints) -> int:
    """Which neighbour W is to be moved out of next, -1 if none: the mightiest, then the deepest, then the first."""
    chosen, depth = -1, 0.0
    for neighbour in range(count):
        if tags[neighbour, BITS] & SETTLED or tags[neighbour, PASSES]:
            continue
        if not overlaps_at(near, neighbour, way[PLACE], way[PLACE + 1]):
            continue
        out, _ = shortest_way_out(near, neighbour, way[PLACE], way[PLACE + 1])
        if chosen >= 0:
            might, best = ints[tags[neighbour, BODY], MIGHT], ints[tags[chosen, BODY], MIGHT]
            if might < best or (might == best and out < depth):
                continue
            if might == best and out == depth and not goes_first(tags, ints, neighbour, chosen):
                continue
        chosen, depth = neighbour, out
    return chosen


@kernel()
def leads_into_another(chosen: int, x: float, y: float, count: int, near: Floats, tags: Ints, ints: Ints) -> bool:
    """Whether W at (x, y), out of `chosen`, would be in a mightier body or in an equal one."""
    might = ints[tags[chosen, BODY], MIGHT]
    for neighbour in range(count):
        if neighbour == chosen or tags[neighbour, PASSES] or ints[tags[neighbour, BODY], MIGHT] < might:
            continue
        if overlaps_at(near, neighbour, x, y):
            return True
    return False


@kernel(inline=False)
def leave_overlaps(
    weak: int,
    count: int,
    way: Floats,
    near: Floats,
    tags: Ints,
    floats: Floats,
    ints: Ints,
    verdicts: Floats,
    events: Floats,
    counts: Ints,
) -> bool:
    """Move W out of what it overlaps at the frame's start [3]; False where a way out leads into another body."""
    while True:
        chosen = deepest_overlap(count, way, near, tags, ints)
        if chosen < 0:
            return True
        _, face = shortest_way_out(near, chosen, way[PLACE], way[PLACE + 1])
        axis = face >> 1
        reach = near[chosen, REACH + axis]
        place = near[chosen, FROM + axis] + (reach if face & 1 else -reach)
        x = place if axis == 0 else way[PLACE]
        y = way[PLACE + 1] if axis == 0 else place
        if leads_into_another(chosen, x, y, count, near, tags, ints):
            return False
        ints[weak, OVERLAPPED] = 1
        report(weak, chosen, face, 0.0, near, tags, floats, ints, verdicts, events, counts)
        tags[chosen, BITS] |= SETTLED
        way[PLACE] = x
        way[PLACE + 1] = y


@kernel()
def hold_sticky(count: int, way: Floats, near: Floats, tags: Ints, ints: Ints) -> None:
    """Note which sticky faces hold W: touched at the frame's start, and W's own movement does not point away [9]."""
    for neighbour in range(count):
        if tags[neighbour, BITS] & IGNORED or not tags[neighbour, STICKS]:
            continue
        face = touched_face(way, near, tags, ints, neighbour, 0.0)
        if face >= 0 and is_sticky(neighbour, face, way, near, tags, ints):
            tags[neighbour, FACE] = face
            tags[neighbour, BITS] |= HELD
