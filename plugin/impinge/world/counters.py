"""Counts of what a world holds, and of the work of its last step: they show leaks, and why a frame is slow."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from impinge.kernels import columns as col

if TYPE_CHECKING:
    from impinge.hooks import Hooks
    from impinge.world.state import State

__all__ = ["Counters", "count"]


class Counters(NamedTuple):
    """What a world holds, and the work of its last step: see `World.counters`.

    Attributes
    ----------
    bodies
        Number of bodies.
    movers
        Number of moving bodies of the highest rank. A step skips all others of that rank.
    solids
        Number of different shapes. Bodies with equal shapes share one, if the shape can be hashed.
    solid_columns
        Size of the memory for these shapes, in numbers of 8 bytes. Memory of removed shapes is used again.
    posed_columns
        The part of this memory that holds rotated shapes: of bodies that others came near to.
    resolved
        Number of bodies that the last step resolved: those that others can push, and sensors.
    iterations
        Number of iterations of the event loops of the last step: about one for each change of the contacts of a body.
    cut_short
        Number of bodies that the last step stopped at their limit of iterations. Each has an event.
    knots
        Number of vertices of all bent paths of the last step: those of pushed bodies that others can collide with.
    pressing
        Number of pairs in contact at the last step, if a plugin has the hook `impinge_begin` or `impinge_separate`.
    passing
        Number of pairs that `impinge_begin` lets pass through each other.
    bytes
        Memory of all arrays. Python objects, such as bodies and shapes, are not included.
    """

    bodies: int
    movers: int
    solids: int
    solid_columns: int
    posed_columns: int
    resolved: int
    iterations: int
    cut_short: int
    knots: int
    pressing: int
    passing: int
    bytes: int


def count(state: State, hooks: Hooks) -> Counters:
    """Return the counters of a world."""
    parts = [*vars(state).values(), state.pool.rows, state.movers.is_noted, state.movers.rows()]
    if state.standing_tree is not None:
        parts.append(state.standing_tree.rows)
    return Counters(
        bodies=int(np.count_nonzero(state.is_used)),
        movers=int(np.count_nonzero(state.is_used[state.movers.rows()])),
        solids=len(state.pool),
        solid_columns=state.pool.end,
        posed_columns=state.pool.posed_columns,
        resolved=len(state.order),
        iterations=int(state.counts[col.TURN_TOTAL]),
        cut_short=int(state.counts[col.CUT_SHORT]),
        knots=int(state.counts[col.KNOT_TOTAL]),
        pressing=len(hooks.pressed),
        passing=len(hooks.passing),
        bytes=sum(_arrays(parts).values()),
    )


def _arrays(parts: Iterable[object]) -> dict[int, int]:
    """Return the bytes of all arrays by their identity, as several bundles may have the same array."""
    found: dict[int, int] = {}
    for part in parts:
        if isinstance(part, np.ndarray):
            found[id(part)] = part.nbytes
        elif isinstance(part, tuple):
            found |= _arrays(part)
    return found
