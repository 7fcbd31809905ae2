"""The velocity of the weak box W under its contacts [5, 9], by axis.

Each contact of upright boxes constrains one axis, so these are two small problems. Only carrying connects them.
"""

from __future__ import annotations

import numpy as np

from impinge.kernels import columns as col
from impinge.kernels.arrays import Candidates, Floats, Ints
from impinge.kernels.compiler import kernel
from impinge.kernels.step.box_contacts import presses
from impinge.kernels.step.candidates import face_across, has_precedence, has_same_speed

# A floor may carry W into a wall that carries W off the floor, and the like: the choice repeats after two rounds.
BOX_CARRY_ROUNDS = 4


@kernel()
def bounded_speed(
    axis: int, target: float, contacts: tuple[int, int], candidates: Candidates, ints: Ints
) -> tuple[float, int, bool]:
    """Return W's velocity on an axis, within the bounds that its contacts set there.

    Returns
    -------
    speed, binder, squeezed
        The velocity; the candidate that sets it, -1 for none; whether W has no room.
    """
    near, tags = candidates.near, candidates.tags
    low, high = -np.inf, np.inf
    low_binder, high_binder, holder = -1, -1, -1
    for neighbour in range(contacts[0], contacts[1]):
        face = face_across(tags, neighbour, axis)
        if face < 0:
            continue
        holds = tags[neighbour, col.TAG_BITS] & col.BIT_HELD or tags[neighbour, col.TAG_CORNER] >= 0
        if holds and has_precedence(tags, ints, neighbour, holder):
            holder = neighbour
        speed = near[neighbour, col.NEAR_VELOCITY + axis]
        if face & 1:
            if has_same_speed(low, near, neighbour, axis):
                if has_precedence(tags, ints, neighbour, low_binder):
                    low, low_binder = speed, neighbour
            elif speed > low:
                low, low_binder = speed, neighbour
        elif has_same_speed(high, near, neighbour, axis):
            if has_precedence(tags, ints, neighbour, high_binder):
                high, high_binder = speed, neighbour
        elif speed < high:
            high, high_binder = speed, neighbour
    if holder >= 0:
        target = near[holder, col.NEAR_VELOCITY + axis]
    if low > high and not has_same_speed(high, near, low_binder, axis):
        return target, -1, True
    if target < low:
        return low, low_binder, False
    if target > high:
        return high, high_binder, False
    return target, holder, False


@kernel()
def carrier_along(axis: int, contacts: tuple[int, int], way: Floats, candidates: Candidates, ints: Ints) -> int:
    """Return the candidate that carries W along this axis, -1 for none. It presses on W on the other axis."""
    tags = candidates.tags
    chosen = -1
    for neighbour in range(contacts[0], contacts[1]):
        face = face_across(tags, neighbour, 1 - axis)
        if face < 0:
            continue
        held = tags[neighbour, col.TAG_BITS] & col.BIT_HELD
        if not held and not tags[neighbour, col.TAG_CARRIES] >> face & 1:
            continue
        # A body does not carry W while other contacts push W into it, or off it.
        if not has_same_speed(way[col.WAY_SPEED + 1 - axis], candidates.near, neighbour, 1 - axis):
            continue
        if presses(neighbour, face, way, candidates) and has_precedence(tags, ints, neighbour, chosen):
            chosen = neighbour
    return chosen


@kernel()
def choose_speeds(contacts: tuple[int, int], way: Floats, hold: Ints, candidates: Candidates, ints: Ints) -> bool:
    """Set W's velocity, binders and carriers from its contacts; return whether W has room [5, 9].

    The carriers depend on the contacts that press, and these depend on the carriers. So both axes are chosen together
    until the choice repeats. If the choice alternates instead (each contact would end the other), both contacts hold.
    """
    seen_x, seen_y = -1, -1
    hold[col.HOLD_CARRIER] = hold[col.HOLD_CARRIER + 1] = -1
    for _ in range(BOX_CARRY_ROUNDS):
        for axis in range(2):
            carrier = hold[col.HOLD_CARRIER + axis]
            carried = candidates.near[carrier, col.NEAR_VELOCITY + axis] if carrier >= 0 else 0.0
            way[col.WAY_TARGET + axis] = way[col.WAY_OWN + axis] + carried
            speed, binder, no_room = bounded_speed(axis, way[col.WAY_TARGET + axis], contacts, candidates, ints)
            way[col.WAY_SPEED + axis] = speed
            hold[col.HOLD_BINDER + axis] = binder
            if no_room:
                return False
        if hold[col.HOLD_BINDER] >= 0:
            seen_x = hold[col.HOLD_BINDER]
        if hold[col.HOLD_BINDER + 1] >= 0:
            seen_y = hold[col.HOLD_BINDER + 1]
        repeats = True
        for axis in range(2):
            carrier = carrier_along(axis, contacts, way, candidates, ints)
            repeats = repeats and carrier == hold[col.HOLD_CARRIER + axis]
            hold[col.HOLD_CARRIER + axis] = carrier
        if repeats:
            return True
    hold[col.HOLD_CARRIER] = hold[col.HOLD_CARRIER + 1] = -1
    hold[col.HOLD_BINDER] = seen_x
    hold[col.HOLD_BINDER + 1] = seen_y
    for axis in range(2):
        binder = hold[col.HOLD_BINDER + axis]
        way[col.WAY_SPEED + axis] = (
            candidates.near[binder, col.NEAR_VELOCITY + axis] if binder >= 0 else way[col.WAY_OWN + axis]
        )
    return True
