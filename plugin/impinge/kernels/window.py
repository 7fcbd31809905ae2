"""Which neighbours a solid W looks at for now, where it has many: those that its way meets in the next part of a frame.

They have the first rows. A frame that passes n bodies would otherwise look at n of them at each of n contacts: over
2,000 flat tiles that took 1.8 s, and takes 0.02 s.
"""

from __future__ import annotations

import math

from impinge.kernels.chains import drop_chain
from impinge.kernels.compiler import kernel
from impinge.kernels.gathering import meets_body
from impinge.kernels.layout import LOWER_REACH, UPPER_REACH, Floats, Ints
from impinge.kernels.legs import PLACE, SPEED
from impinge.kernels.neighbours import (
    BITS,
    BODY,
    HELD,
    IGNORED,
    NEAR_COLUMNS,
    SEQUENCE,
    SQUEEZED,
    TAG_COLUMNS,
    TOUCHED,
    goes_first,
)
from impinge.kernels.tree import HIGH_X, HIGH_Y, LOW_X, LOW_Y

# So many neighbours are looked at all the time. Of n more, the square root of that, so that neither the looks at these
# nor those for another window take more than the other.
FEW = 16
# Part of the room around W in the window that it may use up before there is another window.
USED_UP = 0.5
# How far W goes on in one go, in parts of that room: on an arc of an eighth of a radian it is off by half of the room.
STRAIGHT = 4.0


@kernel()
def room_around(weak: int, floats: Floats) -> float:
    """How far the window reaches beyond W's way on all sides: W slides and rolls off its straight way."""
    return max(
        floats[weak, UPPER_REACH] - floats[weak, LOWER_REACH],
        floats[weak, UPPER_REACH + 1] - floats[weak, LOWER_REACH + 1],
    )


@kernel(inline=False)
def set_window(weak: int, count: int, rest: float, way: Floats, floats: Floats, window: Floats) -> None:
    """Put the window around W and the next part of its way: such that it meets a few of its neighbours."""
    window[LOW_X] = window[LOW_Y] = -math.inf
    window[HIGH_X] = window[HIGH_Y] = math.inf
    if count <= FEW:
        return
    room, share = room_around(weak, floats), rest * max(float(FEW), math.sqrt(count)) / count
    for axis in range(2):
        ahead = way[PLACE + axis] + way[SPEED + axis] * share
        window[axis] = min(way[PLACE + axis], ahead) + floats[weak, LOWER_REACH + axis] - room
        window[2 + axis] = max(way[PLACE + axis], ahead) + floats[weak, UPPER_REACH + axis] + room


@kernel()
def time_in_window(weak: int, rest: float, way: Floats, floats: Floats, window: Floats) -> float:
    """For how long W stays inside the window, of `rest` at the most, also where it rolls off its straight way."""
    if window[LOW_X] == -math.inf:
        return rest
    fastest = max(abs(way[SPEED]), abs(way[SPEED + 1]))
    if fastest > 0.0:
        rest = min(rest, STRAIGHT * room_around(weak, floats) / fastest)
    for axis in range(2):
        speed = way[SPEED + axis]
        if speed > 0.0:
            rest = min(rest, (window[2 + axis] - way[PLACE + axis] - floats[weak, UPPER_REACH + axis]) / speed)
        elif speed < 0.0:
            rest = min(rest, (window[axis] - way[PLACE + axis] - floats[weak, LOWER_REACH + axis]) / speed)
    return max(rest, 0.0)


@kernel()
def needs_window(weak: int, inside: float, rest: float, way: Floats, floats: Floats) -> bool:
    """Whether W is about to leave the window before the frame's end."""
    speed = max(abs(way[SPEED]), abs(way[SPEED + 1]))
    return inside < rest and inside * speed <= USED_UP * room_around(weak, floats)


@kernel()
def swap_rows(one: int, other: int, near: Floats, tags: Ints) -> None:
    """Let two neighbours change rows."""
    for column in range(NEAR_COLUMNS):
        near[one, column], near[other, column] = near[other, column], near[one, column]
    for column in range(TAG_COLUMNS):
        tags[one, column], tags[other, column] = tags[other, column], tags[one, column]


@kernel(inline=False)
def sort_neighbours(count: int, tags: Ints, ints: Ints) -> None:
    """Sort neighbours by might and age: what is added up, and the first of equals, depend on the order."""
    for neighbour in range(count):
        place = neighbour
        while place > 0 and goes_first(tags, ints, neighbour, tags[place - 1, SEQUENCE]):
            tags[place, SEQUENCE] = tags[place - 1, SEQUENCE]
            place -= 1
        tags[place, SEQUENCE] = neighbour


@kernel(inline=False)
def look_through(
    count: int, window: Floats, near: Floats, tags: Ints, floats: Floats, ints: Ints, knots: Floats
) -> int:
    """Put the neighbours whose ways meet the window into the first rows, and sort them; returns how many they are."""
    active = 0
    for neighbour in range(count):
        if count > FEW and not meets_body(window, floats, ints, knots, tags[neighbour, BODY]):
            tags[neighbour, BITS] &= ~(TOUCHED | IGNORED | HELD | SQUEEZED)
            drop_chain(neighbour, near, tags)
            continue
        if neighbour != active:
            swap_rows(neighbour, active, near, tags)
        active += 1
    sort_neighbours(active, tags, ints)
    for neighbour in range(active, count):
        tags[neighbour, SEQUENCE] = neighbour
    return active
