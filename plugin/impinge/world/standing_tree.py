"""The tree of world queries: the bounds of all bodies at their current poses.

Not here: the tree of a frame, which holds swept bounds of the bodies that others can collide with. It is in `state`.
"""

from __future__ import annotations

import numpy as np

from impinge.kernels import columns as col
from impinge.kernels import entry
from impinge.kernels.arrays import Bools, Floats, Ints, Tree
from impinge.kernels.space import tree

__all__ = ["NO_BODY_ROWS", "StandingTree"]

# Spare leaves for new bodies, as a part of the number of bodies, and their least number. When none is left, the tree is
# rebuilt. Empty leaves cost a query nothing.
SPARE_LEAF_PART, MIN_SPARE_LEAVES = 1 / 4, 32
# Strays: moving bodies whose leaves are among those of resting bodies. Each may make a node of eight leaves as wide as
# the world. So the tree is rebuilt when their number exceeds the largest of three limits: a part of all bodies, a part
# of the known movers, and a constant.
MAX_STRAY_PART, MAX_STRAY_PART_OF_MOVERS, MIN_STRAY_LIMIT = 1 / 256, 1 / 2, 32
# Movers are sorted again when each has moved this many times on average: by a few of its sizes.
MOVES_BEFORE_SORT = 64
# Up to this part of all leaves is refitted one by one. Beyond that, refitting all leaves is faster.
SINGLE_REFIT_PART = 1 / 2

NO_BODY_ROWS = np.empty(0, np.int64)
# Bounds that overlap no others.
EMPTY_BOUNDS = np.array((np.inf, np.inf, -np.inf, -np.inf))


class StandingTree:
    """The bounds of all bodies at their current poses, in a packed tree (see `kernels.space.tree`) that follows them.

    `movers` are bodies that will move, as far as the caller knows.

    The first leaves are those of bodies that never moved, the next those of movers, both along a Hilbert curve. The
    last leaves are empty. So movers do not widen the nodes of resting bodies.

    Attributes
    ----------
    rows
        The tree as the kernels take it, without bodies beside it. Each `refresh` may replace it.
    is_fresh
        Whether nothing was noted since the last update.
    farthest
        Upper limit of the coordinates of all bodies, in absolute value.
    """

    __slots__ = (
        "_few", "_first_free", "_first_mover", "_has_moved", "_has_stepped", "_is_stale", "_is_whole", "_movers",
        "_moves", "_strays", "farthest", "is_fresh", "rows",
    )  # fmt: skip

    def __init__(self, movers: Ints = NO_BODY_ROWS) -> None:
        self._movers = movers
        self.rows = Tree(np.empty((0, 4)), np.zeros(2, np.int64), NO_BODY_ROWS, NO_BODY_ROWS, NO_BODY_ROWS)
        self.is_fresh = False
        # False before the tree is built, and while it is updated: after an interruption it is built again.
        self._is_whole = False
        self.farthest = 0.0
        self._has_moved = np.empty(0, np.bool_)
        # The array notes the many bodies that a step moves, the set the single ones that the game changes.
        self._is_stale = np.empty(0, np.bool_)
        self._few: set[int] = set()
        self._has_stepped = False
        self._first_mover = self._first_free = 0
        self._moves = self._strays = 0

    def note(self, bodies: int | Ints) -> None:
        """Note that bodies have another pose or shape, were added, or were removed."""
        self.is_fresh = False
        if isinstance(bodies, int):
            self._few.add(bodies)
        else:
            # Rows beyond the array belong to bodies that were added since the last update.
            is_known = bodies < len(self._is_stale)
            self._is_stale[bodies[is_known]] = True
            self._few.update(bodies[~is_known].tolist())
            self._has_stepped = True

    def refresh(self, floats: Floats, is_used: Bools) -> None:
        """Update the tree for all noted bodies."""
        was_whole, self._is_whole = self._is_whole, False
        stale = self._stale(len(floats))
        if was_whole:
            self._follow(stale, floats, is_used)
        else:
            self._build(floats, is_used)
        left, bottom, right, top = self.rows.nodes[-1].tolist()  # bounds of the root, which is empty without bodies
        self.farthest = max(-left, -bottom, right, top) if left <= right else 0.0
        self._is_whole = self.is_fresh = True

    def _follow(self, stale: Ints, floats: Floats, is_used: Bools) -> None:
        """Update the tree for these bodies."""
        leaves, leaf_of = self.rows.leaves, self.rows.leaf_of
        newcomers = stale[(leaf_of[stale] < 0) & is_used[stale]]
        if len(newcomers) > len(leaves) - self._first_free:
            self._build(floats, is_used)
            return
        if len(newcomers):
            after = self._first_free + len(newcomers)
            leaves[self._first_free : after] = newcomers
            leaf_of[newcomers] = np.arange(self._first_free, after)
            self._first_free = after
        self._refit(stale[leaf_of[stale] >= 0], floats, is_used)
        movers = self._first_free - self._first_mover
        if self._strays > max(MIN_STRAY_LIMIT, MAX_STRAY_PART * self._first_free, MAX_STRAY_PART_OF_MOVERS * movers):
            self._build(floats, is_used)
        elif self._moves > MOVES_BEFORE_SORT * max(MIN_STRAY_LIMIT, movers):
            self._sort_movers(floats, is_used)

    def _stale(self, room: int) -> Ints:
        """Return the rows of all noted bodies, clear the notes, and grow the arrays to the number of rows."""
        few = np.fromiter(self._few, np.int64, len(self._few))
        self._few.clear()
        grown = room - len(self._is_stale)
        if grown:
            noted = np.concatenate((self._is_stale, np.zeros(grown, np.bool_)))
            moved = np.concatenate((self._has_moved, np.zeros(grown, np.bool_)))
            rows = self.rows._replace(leaf_of=np.concatenate((self.rows.leaf_of, np.full(grown, -1))))
            self._is_stale, self._has_moved, self.rows = noted, moved, rows
        if not self._has_stepped:
            return few
        self._is_stale[few] = True
        stale = np.flatnonzero(self._is_stale)
        self._is_stale[stale] = False
        self._has_stepped = False
        return stale

    def _refit(self, bodies: Ints, floats: Floats, is_used: Bools) -> None:
        """Fit the leaves of bodies, and the nodes above them."""
        world = self.rows, floats, is_used, self._has_moved
        if len(bodies) > SINGLE_REFIT_PART * len(self.rows.leaves):
            moves, strays = entry.fit_pose_leaves(*world, 0, self._first_mover)
        else:
            moves, strays = entry.refit_pose_leaves(*world, bodies, self._first_mover)
        self._moves += moves
        self._strays += strays

    def _build(self, floats: Floats, is_used: Bools) -> None:
        """Build the tree from all bodies."""
        alive = np.flatnonzero(is_used)
        self._has_moved[alive] |= _is_moving(floats[alive])
        self._has_moved[self._movers] = True
        has_moved = self._has_moved[alive]
        resting, moving = (
            _sort_along_hilbert_curve(alive[~has_moved], floats),
            _sort_along_hilbert_curve(alive[has_moved], floats),
        )
        self._first_mover, self._first_free = len(resting), len(alive)
        room = max(MIN_SPARE_LEAVES, int(SPARE_LEAF_PART * len(alive)))
        leaves = np.concatenate((resting, moving, np.full(room, -1)))
        levels = tree.level_starts(len(leaves))
        leaf_of = np.full(len(self.rows.leaf_of), -1)
        leaf_of[leaves[: len(alive)]] = np.arange(len(alive))
        self.rows = Tree(np.tile(EMPTY_BOUNDS, (int(levels[-1]), 1)), levels, leaves, leaf_of, NO_BODY_ROWS)
        self._moves = self._strays = 0
        entry.fit_pose_leaves(self.rows, floats, is_used, self._has_moved, 0, 0)

    def _sort_movers(self, floats: Floats, is_used: Bools) -> None:
        """Sort the leaves of all movers again. The leaves of removed bodies become empty."""
        nodes, leaves, leaf_of = self.rows.nodes, self.rows.leaves, self.rows.leaf_of
        first, end = self._first_mover, self._first_free
        movers = leaves[first:end]
        moving = _sort_along_hilbert_curve(movers[is_used[movers]], floats)
        leaf_of[movers] = -1
        self._first_free = first + len(moving)
        leaf_of[moving] = np.arange(first, self._first_free)
        leaves[first : self._first_free], leaves[self._first_free : end] = moving, -1
        nodes[first:end] = EMPTY_BOUNDS
        self._moves = 0
        entry.fit_pose_leaves(self.rows, floats, is_used, self._has_moved, first, first)


def _sort_along_hilbert_curve(bodies: Ints, floats: Floats) -> Ints:
    """Sort bodies along a Hilbert curve."""
    keys = np.empty(len(bodies), np.int64)
    entry.hilbert_keys(floats, bodies, keys)
    return bodies[np.argsort(keys)]


def _is_moving(rows: Floats) -> Bools:
    """Return which bodies moved in the last frame, or have another goal: all that is known at the first query."""
    places = slice(col.START, col.START + 2)
    is_moving: Bools = rows[:, col.ANGLE] != rows[:, col.BEFORE_ANGLE]
    is_moving |= rows[:, col.ANGLE] != rows[:, col.GOAL_ANGLE]
    for column in (col.BEFORE, col.GOAL):
        is_moving |= (rows[:, places] != rows[:, column : column + 2]).any(axis=1)
    return is_moving
