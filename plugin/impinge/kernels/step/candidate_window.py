"""Which neighbours a solid W looks at for now, where it has many: those that its way meets in the next part of a frame.

They have the first rows. A frame that passes n bodies would otherwise look at n of them at each of n contacts: over
2,000 flat tiles that took 1.8 s, and takes 0.02 s.
"""

from __future__ import annotations

import math

from impinge.kernels import columns as col
from impinge.kernels.arrays import Bodies, Candidates, Floats, Ints
from impinge.kernels.compiler import kernel
from impinge.kernels.step.broadphase import meets_body
from impinge.kernels.step.candidates import goes_first
from impinge.kernels.step.outline_chains import drop_chain

# So many neighbours are looked at all the time. Of n more, the square root of that, so that neither the looks at these
# nor those for another window take more than the other.
FEW_EDGES = 16
# Part of the room around W in the window that it may use up before there is another window.
WINDOW_USED_UP = 0.5
# How far W goes on in one go, in parts of that room: on an arc of an eighth of a radian it is off by half of the room.
STRAIGHT = 4.0


@kernel()
def room_around(weak: int, floats: Floats) -> float:
    """How far the window reaches beyond W's way on all sides: W slides and rolls off its straight way."""
    return max(
        floats[weak, col.UPPER_REACH] - floats[weak, col.LOWER_REACH],
        floats[weak, col.UPPER_REACH + 1] - floats[weak, col.LOWER_REACH + 1],
    )


@kernel(inline=False)
def set_window(weak: int, count: int, rest: float, way: Floats, floats: Floats, window: Floats) -> None:
    """Put the window around W and the next part of its way: such that it meets a few of its neighbours."""
    window[col.LOW_X] = window[col.LOW_Y] = -math.inf
    window[col.HIGH_X] = window[col.HIGH_Y] = math.inf
    if count <= FEW_EDGES:
        return
    room, share = room_around(weak, floats), rest * max(float(FEW_EDGES), math.sqrt(count)) / count
    for axis in range(2):
        ahead = way[col.WAY_PLACE + axis] + way[col.WAY_SPEED + axis] * share
        window[axis] = min(way[col.WAY_PLACE + axis], ahead) + floats[weak, col.LOWER_REACH + axis] - room
        window[2 + axis] = max(way[col.WAY_PLACE + axis], ahead) + floats[weak, col.UPPER_REACH + axis] + room


@kernel()
def time_in_window(weak: int, rest: float, way: Floats, floats: Floats, window: Floats) -> float:
    """For how long W stays inside the window, of `rest` at the most, also where it rolls off its straight way."""
    if window[col.LOW_X] == -math.inf:
        return rest
    fastest = max(abs(way[col.WAY_SPEED]), abs(way[col.WAY_SPEED + 1]))
    if fastest > 0.0:
        rest = min(rest, STRAIGHT * room_around(weak, floats) / fastest)
    for axis in range(2):
        speed = way[col.WAY_SPEED + axis]
        if speed > 0.0:
            rest = min(
                rest, (window[2 + axis] - way[col.WAY_PLACE + axis] - floats[weak, col.UPPER_REACH + axis]) / speed
            )
        elif speed < 0.0:
            rest = min(rest, (window[axis] - way[col.WAY_PLACE + axis] - floats[weak, col.LOWER_REACH + axis]) / speed)
    return max(rest, 0.0)


@kernel()
def needs_window(weak: int, inside: float, rest: float, way: Floats, floats: Floats) -> bool:
    """Whether W is about to leave the window before the frame's end."""
    speed = max(abs(way[col.WAY_SPEED]), abs(way[col.WAY_SPEED + 1]))
    return inside < rest and inside * speed <= WINDOW_USED_UP * room_around(weak, floats)


@kernel()
def swap_rows(one: int, other: int, candidates: Candidates) -> None:
    """Let two neighbours change rows."""
    near, tags = candidates.near, candidates.tags
    for column in range(col.NEAR_COLUMNS):
        near[one, column], near[other, column] = near[other, column], near[one, column]
    for column in range(col.TAG_COLUMNS):
        tags[one, column], tags[other, column] = tags[other, column], tags[one, column]


@kernel(inline=False)
def sort_neighbours(count: int, tags: Ints, ints: Ints) -> None:
    """Sort neighbours by might and age: what is added up, and the first of equals, depend on the order."""
    for neighbour in range(count):
        place = neighbour
        while place > 0 and goes_first(tags, ints, neighbour, tags[place - 1, col.TAG_SEQUENCE]):
            tags[place, col.TAG_SEQUENCE] = tags[place - 1, col.TAG_SEQUENCE]
            place -= 1
        tags[place, col.TAG_SEQUENCE] = neighbour


@kernel(inline=False)
def look_through(count: int, window: Floats, candidates: Candidates, bodies: Bodies, knots: Floats) -> int:
    """Put the neighbours whose ways meet the window into the first rows, and sort them; returns how many they are."""
    tags = candidates.tags
    active = 0
    for neighbour in range(count):
        if count > FEW_EDGES and not meets_body(window, bodies, knots, tags[neighbour, col.TAG_BODY]):
            tags[neighbour, col.TAG_BITS] &= ~(col.BIT_TOUCHED | col.BIT_IGNORED | col.BIT_HELD | col.BIT_SQUEEZED)
            drop_chain(neighbour, candidates)
            continue
        if neighbour != active:
            swap_rows(neighbour, active, candidates)
        active += 1
    sort_neighbours(active, tags, bodies.ints)
    for neighbour in range(active, count):
        tags[neighbour, col.TAG_SEQUENCE] = neighbour
    return active
