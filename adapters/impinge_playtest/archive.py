"""The archive of reached cells: the state in which each was reached soonest, and the inputs that lead there.

The method is that of Ecoffet, Huizinga, Lehman, Stanley and Clune, "First return, then explore", Nature 590 (2021).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from impinge_playtest.checkpoint import Arrays
from impinge_playtest.rollouts import NEVER, Found, Starts
from impinge_playtest.tracks import Floats, Ints

__all__ = ["Archive", "Node"]

# The end of a part of a rollout: number of the rollout, and frames played of it. The start of the level is (-1, 0).
Node = tuple[int, int]
START: Node = (-1, 0)


class Archive:
    """All reached cells of a level. Rows are in the order in which the cells were found.

    Attributes
    ----------
    best
        For each cell of the level, the fewest frames after which it was reached, or `NEVER`.
    seen
        For each cell, the frames that players have spent in it.
    exits
        For each cell, whether a player stood in it and next reached a goal or the end of its life.
    """

    def __init__(self, total: int, first: Starts, cell: int) -> None:
        self.best = np.full(total, NEVER, np.int32)
        self.seen = np.zeros(total, np.int64)
        self.exits = np.zeros(total, np.bool_)
        self._row_of = np.full(total, -1, np.int64)
        self._rows = Table(first.rows.shape[1], np.int64)
        self._states = Table(first.states.shape[1], np.float64)
        self._numbers = Table(5, np.int64)  # cell, frames, rollout, steps, how often it was chosen
        self._inputs: list[bytes] = []
        self._parents = Table(2, np.int64)
        self._edges, self._new_edges = np.empty(0, np.int64), list[Ints]()
        self.best[cell], self._row_of[cell] = 0, 0
        self._rows.append(first.rows)
        self._states.append(first.states)
        self._numbers.append(np.array([[cell, 0, *START, 0]]))

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def cells(self) -> Ints:
        """Return all reached cells, in the order in which they were found."""
        return self._numbers.values[:, 0]

    @property
    def frames(self) -> Ints:
        """Return the fewest frames until each reached cell."""
        return self._numbers.values[:, 1]

    @property
    def chosen(self) -> Ints:
        """Return how often rollouts have started in each reached cell."""
        return self._numbers.values[:, 4]

    @property
    def states(self) -> Floats:
        """Return the states of the moves in the reached cells."""
        found: Floats = self._states.values
        return found

    def row_of(self, cells: Ints) -> Ints:
        """Return the rows of reached cells."""
        found: Ints = self._row_of[cells]
        return found

    def choose(self, random: np.random.Generator, count: int, among: Ints | None = None) -> Ints:
        """Return rows to go on from. Cells that players have seen or chosen rarely have greater weights."""
        rows = np.arange(len(self)) if among is None else among
        seen, chosen = self.seen[self.cells[rows]], self.chosen[rows]
        weights = np.cumsum(1.0 / np.sqrt((1.0 + seen) * (1.0 + chosen)))
        # One draw from each of `count` equal parts of the weights. In a shaft with 16 ledges, free draws took 11 % more
        # frames until all were reached.
        parts = (np.arange(count) + random.random(count)) / count
        drawn = np.searchsorted(weights, parts * weights[-1], side="right")
        found: Ints = np.sort(rows[np.minimum(drawn, len(rows) - 1)])
        np.add.at(self.chosen, found, 1)
        return found

    def starts(self, rows: Ints) -> Starts:
        """Return the states in some rows."""
        return Starts(self._rows.values[rows], self._states.values[rows], self.frames[rows])

    def nodes(self, rows: Ints) -> Ints:
        """Return how rows were reached, of shape (n, 2): for `path`."""
        return self._numbers.values[rows, 2:4]

    def merge(self, nodes: Ints, inputs: NDArray[np.int8], found: Found) -> Ints:
        """Add what a shard has found.

        Parameters
        ----------
        nodes
            `nodes` of the rows from which its rollouts started, as they were then.
        inputs
            What was played.

        Returns
        -------
        array of int
            By copy, the number of its rollout, or -1. Rollouts are kept that found a cell, ended, or touched an area.
        """
        sooner = found.starts.frames < self.best[found.cells]
        used = np.unique(np.concatenate((found.copies[sooner], found.endings[:, 0], found.touches[:, 1])))
        kept = np.full(len(inputs), -1)
        kept[used] = len(self._inputs) + np.arange(len(used))
        self._inputs += [inputs[copy].tobytes() for copy in used.tolist()]
        self._parents.append(nodes[used])
        self._put(found, np.flatnonzero(sooner), kept)
        self.seen[found.visits[0]] += found.visits[1]
        self._new_edges.append(found.edges[:, 0] * len(self.best) + found.edges[:, 1])
        # Sorted again only when they have doubled: the time for a shard does not grow with the archive.
        if sum(map(len, self._new_edges)) > max(len(self._edges), FEW_EDGES):
            self._join_edges()
        self.exits[found.endings[found.endings[:, 3] >= 0, 3]] = True
        return kept

    def _join_edges(self) -> None:
        self._edges = np.unique(np.concatenate([self._edges, *self._new_edges]))
        self._new_edges = []

    def _put(self, found: Found, which: Ints, kept: Ints) -> None:
        """Keep the states of cells that are new, or were reached sooner than before."""
        if not len(which):
            return
        cells = found.cells[which]
        rollouts = kept[found.copies[which]]
        frames = found.starts.frames[which]
        new = self._row_of[cells] < 0
        numbers = np.stack((cells, frames, rollouts, found.steps[which], np.zeros(len(cells), np.int64)), axis=1)
        old = self._row_of[cells[~new]]
        self._numbers.values[old, 1:4] = numbers[~new, 1:4]
        self._rows.values[old] = found.starts.rows[which[~new]]
        self._states.values[old] = found.starts.states[which[~new]]
        self._row_of[cells[new]] = len(self) + np.arange(np.count_nonzero(new))
        if new.any():
            self._numbers.append(numbers[new])
            self._rows.append(found.starts.rows[which[new]])
            self._states.append(found.starts.states[which[new]])
        self.best[cells] = frames

    def edges(self) -> Ints:
        """Return all observed pairs of cells in which a player stood one after the other, of shape (n, 2)."""
        self._join_edges()
        return np.stack(np.divmod(self._edges, len(self.best)), axis=1)

    def arrays(self) -> Arrays:
        """Return all that the archive holds, for `restore`."""
        self._join_edges()
        cells = self.cells
        return {
            "numbers": self._numbers.values,
            "rows": self._rows.values,
            "states": self._states.values,
            "seen": self.seen[cells],
            "exits": self.exits[cells],
            "edges": self._edges,
            "parents": self._parents.values,
            "lengths": np.array([len(each) for each in self._inputs], np.int64),
            "inputs": np.frombuffer(b"".join(self._inputs), np.int8),
        }

    def restore(self, kept: Arrays) -> None:
        """Take the place of an archive of the same level, whose `arrays` are given.

        Raises
        ------
        KeyError, ValueError
            If they are not those of such an archive.
        """
        for name, own in self.arrays().items():
            given = kept[name]
            if given.dtype != own.dtype or given.shape[1:] != own.shape[1:]:
                raise ValueError(f"{name} must be of {own.dtype} and {own.shape}, got {given.dtype} and {given.shape}")
            if name in BY_ROW and (len(given) != len(kept["numbers"]) or not len(given)):
                raise ValueError(f"{name} must have {len(kept['numbers'])} rows, got {len(given)}")
        _check(kept, len(self.best))
        for table, name in ((self._numbers, "numbers"), (self._rows, "rows"), (self._states, "states")):
            table.fill(kept[name])
        self._parents.fill(kept["parents"])
        ends = np.cumsum(kept["lengths"]).tolist()
        inputs = kept["inputs"].tobytes()
        self._inputs = [inputs[start:end] for start, end in zip([0, *ends], ends, strict=False)]
        self._edges, self._new_edges = kept["edges"], []
        cells = self.cells
        for by_cell, start in ((self.best, NEVER), (self.seen, 0), (self.exits, False), (self._row_of, -1)):
            by_cell[:] = start
        self.best[cells], self._row_of[cells] = self.frames, np.arange(len(self))
        self.seen[cells], self.exits[cells] = kept["seen"], kept["exits"]

    def path(self, node: Node) -> Ints:
        """Return all inputs from the start of the level to a node."""
        parts: list[NDArray[np.int8]] = []
        rollout, steps = node
        while rollout >= 0:
            parts.append(np.frombuffer(self._inputs[rollout], np.int8)[:steps])
            rollout, steps = self._parents.values[rollout].tolist()
        found: Ints = np.concatenate(parts[::-1] or [np.empty(0, np.int8)]).astype(np.int64)
        return found


def are_nodes(nodes: Ints, lengths: Ints, end: Ints | int) -> bool:
    """Return whether nodes are the start, or steps of rollouts before `end`."""
    rollouts, steps = nodes[:, 0], nodes[:, 1]
    is_start = rollouts == START[0]
    if not ((rollouts >= START[0]) & (rollouts < np.maximum(end, 0)))[~is_start].all():
        return False
    most = np.append(lengths, 0)[rollouts]
    return bool(((steps >= 0) & (steps <= most)).all())


def _check(kept: Arrays, total: int) -> None:
    """Raise a ValueError if arrays are not those of an archive with so many cells in its level."""
    numbers, lengths, parents = kept["numbers"], kept["lengths"], kept["parents"]
    cells, frames, chosen = numbers[:, 0], numbers[:, 1], numbers[:, 4]
    good = {
        "cells": cells.min() >= 0 and cells.max() < total and len(np.unique(cells)) == len(cells),
        "frames": frames.min() >= 0 and frames.max() < NEVER and chosen.min() >= 0 and kept["seen"].min() >= 0,
        "states": np.isfinite(kept["states"]).all(),
        "lengths": lengths.min(initial=0) >= 0
        and lengths.max(initial=0) <= len(kept["inputs"])
        and int(lengths.sum()) == len(kept["inputs"])
        and len(lengths) == len(parents),
        "edges": kept["edges"].min(initial=0) >= 0 and kept["edges"].max(initial=0) < total * total,
    }
    # A rollout began in a cell that earlier ones had reached, so that each path has a start.
    good["parents"] = good["lengths"] and are_nodes(parents, lengths, np.arange(len(parents)))
    good["numbers"] = good["lengths"] and are_nodes(numbers[:, 2:4], lengths, len(lengths))
    for name, is_good in good.items():
        if not is_good:
            raise ValueError(f"{name} must be those of an exploration, got others")


# Arrays with a row for each reached cell.
BY_ROW = ("numbers", "rows", "states", "seen", "exits")
# Edges that are not worth sorting.
FEW_EDGES = 1 << 18


class Table:
    """An array that grows by rows."""

    def __init__(self, columns: int, kind: Any) -> None:
        self._all: NDArray[Any] = np.empty((256, columns), kind)
        self._used = 0

    def __len__(self) -> int:
        return self._used

    @property
    def values(self) -> NDArray[Any]:
        """Return the rows in use, to read and to write."""
        return self._all[: self._used]

    def fill(self, rows: NDArray[Any]) -> None:
        """Replace all rows."""
        self._used = 0
        self.append(rows)

    def append(self, rows: NDArray[Any]) -> None:
        """Add rows at the end."""
        total = self._used + len(rows)
        if total > len(self._all):
            larger = np.empty((max(total, 2 * len(self._all)), self._all.shape[1]), self._all.dtype)
            larger[: self._used] = self.values
            self._all = larger
        self._all[self._used : total] = rows
        self._used = total
