"""What changes while a lazy proxy expands, to take it back if its `expand` function raises.

Not here: when a proxy expands, which is in `world`.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import setitem
from typing import TYPE_CHECKING, NamedTuple, Self, TypeAlias

from impinge.interrupts import Change, at_once
from impinge.kernels import columns as col
from impinge.kernels.arrays import Floats, Ints
from impinge.world.bodies import Body

if TYPE_CHECKING:
    from impinge.world.state import State
    from impinge.world.world import World

__all__ = ["Came", "Journal", "Left", "Proxies", "take_back"]

# The `expand` functions of lazy proxies, by row.
Proxies: TypeAlias = dict[int, Callable[[Body], object]]


class Came(NamedTuple):
    """A body that was added."""

    row: int
    body: Body


class Left(NamedTuple):
    """A body that was removed, and its former state. It keeps its slot of the pool until the expansion has ended."""

    row: int
    body: Body
    floats: Floats
    ints: Ints
    name: int
    was_gone: bool
    expand: Callable[[Body], object] | None

    @classmethod
    def of(cls, state: State, proxies: Proxies, row: int) -> Self:
        """Return what has to be known of a body that is about to be removed."""
        return cls(
            row,
            state.body(row),
            state.floats[row].copy(),
            state.ints[row].copy(),
            int(state.roll.names[row]),
            row in state.gone,
            proxies.get(row),
        )

    @property
    def slot(self) -> int:
        """Return the first column of its slot in the pool."""
        return int(self.ints[col.SOLID])

    def returning(self, world: World, state: State, proxies: Proxies) -> list[Change]:
        """Return the changes, for `at_once`, that bring the body back."""
        changes: list[Change] = [
            (setitem, state.floats, self.row, self.floats),
            (setitem, state.ints, self.row, self.ints),
            (setitem, state.roll.names, self.row, self.name),
            *state.entering([self.row], [self.body]),
            (setattr, self.body, "_world", world),
        ]
        if not self.was_gone:
            changes.append((state.gone.discard, self.row))
        if self.expand is not None:
            changes.append((setitem, proxies, self.row, self.expand))
        return changes


# In the order of time.
Journal: TypeAlias = list[Came | Left]


def take_back(world: World, state: State, proxies: Proxies, journal: Journal) -> None:
    """Remove the bodies that came, bring back those that left, and clear the journal, all at once."""
    slots = {entry.body: entry.slot for entry in journal if isinstance(entry, Left)}
    changes: list[Change] = []
    given_back: list[int] = []
    used: set[int] = set()
    for entry in reversed(journal):
        if isinstance(entry, Left):
            changes += entry.returning(world, state, proxies)
            used.add(entry.row)
            continue
        given_back.append(slots.get(entry.body, int(state.ints[entry.row, col.SOLID])))
        changes += state.leaving([entry.row])
        changes.append((setattr, entry.body, "_world", None))
        changes.append((proxies.pop, entry.row, None))
        used.discard(entry.row)
    # An interruption may have lost the free row of a body that left.
    came = {entry.row for entry in journal if isinstance(entry, Came)}
    free = [row for row in [*state.free, *(came - set(state.free))] if row not in used]
    at_once([*changes, (setattr, state, "free", free), (journal.clear,)])
    for first in given_back:
        state.pool.give_back(first)
