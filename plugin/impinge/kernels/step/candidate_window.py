"""A window of candidates for a solid W with many: only those near the next part of W's path are active.

The active candidates have the first rows. Without a window, a frame with n candidates tests n of them at each of n
contacts. Over 2,000 flat tiles that took 1.8 s; with the window it takes 0.02 s.
"""

from __future__ import annotations

import math

from impinge.kernels import columns as col
from impinge.kernels.arrays import Bodies, Candidates, Floats, Ints
from impinge.kernels.compiler import kernel
from impinge.kernels.step.broadphase import meets_body
from impinge.kernels.step.candidates import has_precedence
from impinge.kernels.step.outline_chains import drop_chain

# Up to this many candidates are all active. Of n more, a window meets about the square root of n. Then the tests of
# active candidates and the choice of new windows take about the same time.
FEW_CANDIDATES = 16
# W may use up this part of the window's margin (`window_margin`) before it gets another window.
USABLE_MARGIN = 0.5
# Longest move of W at once, in multiples of that margin: on an arc of 1/8 radian it deviates by half of the margin.
LONGEST_STRAIGHT = 4.0


@kernel()
def window_margin(weak: int, floats: Floats) -> float:
    """Return the margin of the window around W's straight path, on all sides: W slides and rolls off that path."""
    return max(
        floats[weak, col.UPPER_REACH] - floats[weak, col.LOWER_REACH],
        floats[weak, col.UPPER_REACH + 1] - floats[weak, col.LOWER_REACH + 1],
    )


@kernel(inline=False)
def set_window(weak: int, count: int, rest: float, way: Floats, floats: Floats, window: Floats) -> None:
    """Set the window around W and the next part of its path, so that it meets few of the candidates.

    If there are few candidates, the window is infinite.
    """
    window[col.LOW_X] = window[col.LOW_Y] = -math.inf
    window[col.HIGH_X] = window[col.HIGH_Y] = math.inf
    if count <= FEW_CANDIDATES:
        return
    room, share = window_margin(weak, floats), rest * max(float(FEW_CANDIDATES), math.sqrt(count)) / count
    for axis in range(2):
        ahead = way[col.WAY_PLACE + axis] + way[col.WAY_SPEED + axis] * share
        window[axis] = min(way[col.WAY_PLACE + axis], ahead) + floats[weak, col.LOWER_REACH + axis] - room
        window[2 + axis] = max(way[col.WAY_PLACE + axis], ahead) + floats[weak, col.UPPER_REACH + axis] + room


@kernel()
def time_in_window(weak: int, rest: float, way: Floats, floats: Floats, window: Floats) -> float:
    """Return how long W stays inside the window, `rest` at most, even if it rolls off its straight path."""
    if window[col.LOW_X] == -math.inf:
        return rest
    fastest = max(abs(way[col.WAY_SPEED]), abs(way[col.WAY_SPEED + 1]))
    if fastest > 0.0:
        rest = min(rest, LONGEST_STRAIGHT * window_margin(weak, floats) / fastest)
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
    """Return whether W is about to leave the window before the frame's end."""
    speed = max(abs(way[col.WAY_SPEED]), abs(way[col.WAY_SPEED + 1]))
    return inside < rest and inside * speed <= USABLE_MARGIN * window_margin(weak, floats)


@kernel()
def swap_rows(one: int, other: int, candidates: Candidates) -> None:
    """Swap the rows of two candidates."""
    near, tags = candidates.near, candidates.tags
    for column in range(col.NEAR_COLUMNS):
        near[one, column], near[other, column] = near[other, column], near[one, column]
    for column in range(col.TAG_COLUMNS):
        tags[one, column], tags[other, column] = tags[other, column], tags[one, column]


@kernel(inline=False)
def order_candidates(count: int, tags: Ints, ints: Ints) -> None:
    """Write the order of candidates by might and age to `TAG_SEQUENCE`: sums and ties depend on it."""
    for neighbour in range(count):
        place = neighbour
        while place > 0 and has_precedence(tags, ints, neighbour, tags[place - 1, col.TAG_SEQUENCE]):
            tags[place, col.TAG_SEQUENCE] = tags[place - 1, col.TAG_SEQUENCE]
            place -= 1
        tags[place, col.TAG_SEQUENCE] = neighbour


@kernel(inline=False)
def select_candidates(count: int, window: Floats, candidates: Candidates, bodies: Bodies, knots: Floats) -> int:
    """Move the candidates whose paths meet the window to the first rows, and sort them; return their number."""
    tags = candidates.tags
    active = 0
    for neighbour in range(count):
        if count > FEW_CANDIDATES and not meets_body(window, bodies, knots, tags[neighbour, col.TAG_BODY]):
            tags[neighbour, col.TAG_BITS] &= ~(col.BIT_TOUCHED | col.BIT_IGNORED | col.BIT_HELD | col.BIT_SQUEEZED)
            drop_chain(neighbour, candidates)
            continue
        if neighbour != active:
            swap_rows(neighbour, active, candidates)
        active += 1
    order_candidates(active, tags, bodies.ints)
    for neighbour in range(active, count):
        tags[neighbour, col.TAG_SEQUENCE] = neighbour
    return active
