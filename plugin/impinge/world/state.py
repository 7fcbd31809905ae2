"""The state of a world: its arrays, and what is known about them between two frames.

`World` owns one. Snapshots, hooks and queries work on it. Not here: what a game sees, and checks of arguments.
"""

from __future__ import annotations

import copy
import weakref
from collections.abc import Sequence
from operator import setitem

import numpy as np

from impinge.interrupts import Change
from impinge.kernels import columns as col
from impinge.kernels import entry
from impinge.kernels.arrays import Bodies, Bools, Candidates, Floats, Ints, PosedSolids, Ranks, Tree
from impinge.kernels.space import tree
from impinge.motion import Pose
from impinge.shapes.solids import Solid
from impinge.world.adding import ROW_REFERENCE_COLUMNS, NewRow, set_solids
from impinge.world.bodies import REMOVED, Body, Frame
from impinge.world.movers import Movers
from impinge.world.pool import GROWTH, INITIAL_POSED_COLUMNS, Pool, Slot
from impinge.world.snapshot import Roll
from impinge.world.standing_tree import StandingTree

__all__ = ["ROW_REFERENCE_COLUMNS", "TAIL_LIMIT", "State"]

# Largest number of bodies beside the tree until it is rebuilt. A scan of 32 costs as much as a query of the tree of
# 10,000 bodies, and building that tree takes a millisecond.
TAIL_LIMIT = 32
# The tree is rebuilt when each of its bodies has moved this many times on average: by then its boxes overlap.
MOVES_BEFORE_REBUILD = 16
# A weak body moves by a few of its sizes in this time, and sorting all costs as much as a tenth of a frame.
FRAMES_BETWEEN_SORTS = 64
# Rows of a new world: for bodies, and of the arrays that a step enlarges when it lacks rows.
INITIAL_ROWS = 16
INITIAL_KNOTS = 256
INITIAL_TOUCHES = 64
INITIAL_CANDIDATES = 16
PLACE_COLUMNS = (col.START, col.GOAL, col.REACHED, col.BEFORE)
ANGLE_COLUMNS = np.array((col.ANGLE, col.GOAL_ANGLE, col.REACHED_ANGLE, col.BEFORE_ANGLE))
# Columns of a free row, which may still have a leaf in the tree: without layer and mask it meets nothing.
FREE_COLUMNS = np.array((col.MIGHT, col.RESPONSE, col.LAYER, col.MASK, col.IS_PROXY))
FREE_VALUES = np.array((REMOVED, col.RESPONSE_PUSH, 0, 0, 0))
# Columns of the contacts of the last frame: cleared for bodies that no body can push any more.
TOUCH_COLUMNS = np.array((
    col.SIDES, col.STUCK, col.BLOCKED, col.KNOT_COUNT, col.IS_CUT_SHORT, col.FLOOR, col.STUCK_IN
))  # fmt: skip
NO_TOUCHES = np.array((0, 0, 0, 0, 0, -1, -1))
# The number of bodies begun, in `State.counts`, of a frame that has begun none. It is 0 once the frame is committed.
NONE_BEGUN = -1
# The index of a lone row.
FIRST_ROW = np.zeros(1, np.int64)


class State:
    """The rows of all bodies, and what is derived from them.

    Attributes
    ----------
    floats, ints, is_used
        The rows, see `kernels.columns`, and which of them belong to bodies.
    bodies, free, added
        The handle in each row, the free rows, and the `Body.order` of the next body.
    arriving
        Bodies that hooks have added in this frame, by row: they enter at its end.
    pool, roll
        The solids, and what snapshots keep of bodies and shapes.
    gone
        Rows that were freed since the last step: references to them mean the removed bodies.
    row_of
        The row of each `Body.order`, built at the first lookup. Some rows are those of removed bodies.
    order, met
        The bodies that a frame resolves, mightiest first, and those of them that others can collide with: middle ranks,
        and sensors.
    lowest, highest, ranks_changed, frames_to_sort
        The ends of the ranks, whether `order` must be found again, and the frames until it is sorted.
    all_are_met
        Whether all bodies are in the tree, because only sensors detect them.
    movers
        The moving bodies of the highest rank.
    tree, moves
        The broadphase: a tree of all bodies that can push and all sensors, with a tail of those that were added later,
        and the moves since it was built.
    standing_tree
        The tree of world queries; None until the first of them.
    last
        The last frame.
    knots, candidates, touches, verdicts, last_frames, counts
        Memory of the kernel `step`: allocating it takes longer than a frame with few moving bodies.
    one_row
        Memory for the row of one body, for kernels that take several.
    underived
        Rows whose derived columns may be out of date: see `note_deriving`.
    risen
        To undo a frame: the bodies that no body can push from this frame on, their contacts of the last one, and its
        lowest and highest rank.
    """

    def __init__(self) -> None:
        self.floats = np.zeros((INITIAL_ROWS, col.FLOAT_COLUMNS))
        self.ints = np.zeros((INITIAL_ROWS, col.INT_COLUMNS), np.int64)
        self.is_used: Bools = np.zeros(INITIAL_ROWS, np.bool_)
        self.bodies: list[Body | None] = []
        self.free: list[int] = []
        self.added = 0
        self.pool = Pool()
        self.roll = Roll()
        self.arriving: dict[int, Body] = {}
        self.gone: set[int] = set()
        self.row_of: dict[int, int] | None = None
        self.order = np.empty(0, np.int64)
        self.met = np.empty(0, np.int64)
        self.lowest, self.highest = 0, 0
        self.ranks_changed = True
        self.frames_to_sort = 0
        self.all_are_met = False
        self.movers = Movers(INITIAL_ROWS)
        no_rows = np.empty(0, np.int64)
        no_leaves = np.full(INITIAL_ROWS, -1, np.int64)
        self.tree = Tree(np.empty((0, 4)), np.zeros(2, np.int64), no_rows, no_leaves, no_rows)
        self.moves = 0
        self.standing_tree: StandingTree | None = None
        self.last: weakref.ref[Frame] | None = None
        self.knots = np.empty((INITIAL_KNOTS, col.KNOT_COLUMNS))
        self.candidates = Candidates(*candidate_rows(INITIAL_CANDIDATES), no_leaves.copy())
        self.touches = np.empty((INITIAL_TOUCHES, col.TOUCH_COLUMNS))
        self.verdicts = np.empty((0, col.VERDICT_COLUMNS))
        self.last_frames = np.empty((0, col.LAST_FRAME_COLUMNS))
        self.counts = np.zeros(col.COUNT_COLUMNS, np.int64)
        self.one_row = np.zeros(1, np.int64)
        self.underived: set[int] = set()
        self.risen: tuple[Ints, Ints, Floats, tuple[int, int]] | None = None
        self._kept_bodies: Bodies | None = None

    def draft(self) -> State:
        """Return a copy to write into. Its attributes then replace those of this state."""
        self.derive()
        draft = copy.copy(self)
        for name in ("floats", "ints", "is_used", "gone", "movers", "roll", "underived"):
            setattr(draft, name, getattr(self, name).copy())
        draft.tree = self.tree._replace(leaf_of=self.tree.leaf_of.copy())
        return draft

    def body(self, row: int) -> Body:
        """Return the body in a row."""
        body = self.bodies[row]
        assert body is not None
        return body

    def has(self, body: Body) -> bool:
        """Return whether a body is in this world."""
        row = body._index
        return row < len(self.bodies) and self.bodies[row] is body

    def solid(self, row: int) -> Solid:
        """Return the solid of the body in a row."""
        return self.pool[int(self.ints[row, col.SOLID])].shape

    def pose(self, index: int, place: int, angle: int) -> Pose:
        """Return the pose in these columns of a row."""
        item = self.floats.item
        return Pose(item(index, place), item(index, place + 1), item(index, angle))

    def all_bodies(self) -> Bodies:
        """Return all bodies as the kernels take them. The bundle is kept until an array grows, as a query is short."""
        kept = self._kept_bodies
        if kept is None or kept.floats is not self.floats or kept.solids is not self.pool.rows:
            kept = self._kept_bodies = Bodies(self.floats, self.ints, self.pool.rows)
        return kept

    def posed_solids(self, bodies: Ints) -> PosedSolids:
        """Return the posed solids of bodies at their places."""
        firsts = np.zeros(len(bodies) + 1, np.int64)
        np.cumsum(self.ints[bodies, col.SOLID_COLUMNS], out=firsts[1:])
        solids = PosedSolids(np.empty(firsts[-1]), firsts, np.empty((len(bodies), 2)))
        entry.write_posed_bodies(self.all_bodies(), bodies, solids)
        return solids

    def take_row(self, is_in_frame: bool) -> int:
        """Return a free row, or a new one."""
        if not is_in_frame:
            return self.free.pop() if self.free else self.new_row()
        # Within a frame, a leaf of the tree, or a reference to a body that was just removed, may still lead to a free
        # row. Such a row must not go to a new body.
        for place in range(len(self.free) - 1, max(len(self.free) - TAIL_LIMIT, 0) - 1, -1):
            if self.tree.leaf_of[self.free[place]] < 0 and self.free[place] not in self.gone:
                return self.free.pop(place)
        return self.new_row()

    def take_rows(self, count: int, is_in_frame: bool) -> list[int]:
        """Return free rows, or new ones: those that `take_row` would return in turn."""
        if is_in_frame:
            return [self.take_row(is_in_frame) for _ in range(count)]
        old, total = min(count, len(self.free)), len(self.bodies)
        self.make_room(total + count - old)
        rows = self.free[len(self.free) - old :][::-1]
        del self.free[len(self.free) - old :]
        rows += range(total, total + count - old)
        self.bodies += [None] * (count - old)
        return rows

    def new_row(self) -> int:
        """Return a new row at the end."""
        index = len(self.bodies)
        self.make_room(index + 1)
        self.bodies.append(None)
        return index

    def make_room(self, rows: int) -> None:
        """Grow all arrays to at least this number of rows for bodies."""
        more = rows - len(self.floats)
        if more > 0:
            more = max(more, int(GROWTH * len(self.floats)))
            self.movers.make_room(len(self.floats) + more)
            # All of them at once: if memory runs out, or a signal interrupts, no array is longer than another.
            grown = {
                "floats": np.concatenate((self.floats, np.zeros((more, col.FLOAT_COLUMNS)))),
                "ints": np.concatenate((self.ints, np.zeros((more, col.INT_COLUMNS), np.int64))),
                "tree": self.tree._replace(leaf_of=np.concatenate((self.tree.leaf_of, np.full(more, -1)))),
                "is_used": np.concatenate((self.is_used, np.zeros(more, np.bool_))),
                "candidates": self.candidates._replace(marks=np.full(len(self.floats) + more, -1, np.int64)),
            }
            vars(self).update(grown)

    def new_row_values(self, pose: Pose, new: NewRow, order: int, slot: Slot) -> tuple[Floats, Ints]:
        """Return the row of a new body, as two arrays of one row."""
        floats, ints = new.floats[None].copy(), new.ints[None].copy()
        row, whole = floats[0], ints[0]
        whole[col.ORDER] = order
        whole[col.SOLID] = whole[col.POSED] = slot.first
        whole[col.SOLID_COLUMNS] = slot.columns
        for column in PLACE_COLUMNS:
            row[column], row[column + 1] = pose.x, pose.y
        if pose.angle != 0.0:
            row[ANGLE_COLUMNS] = pose.angle
        entry.update_all_pose_bounds(FIRST_ROW, floats, ints, self.pool.rows)
        return floats, ints

    def new_rows_values(
        self, poses: Floats, new: NewRow, columns: dict[int, Ints], slots: list[Slot]
    ) -> tuple[Floats, Ints]:
        """Return the rows of new bodies, which differ in some columns of `ints`, and in their poses, (n, 3)."""
        count = len(poses)
        floats, ints = np.tile(new.floats, (count, 1)), np.tile(new.ints, (count, 1))
        for column, values in columns.items():
            ints[:, column] = values
        for column in PLACE_COLUMNS:
            floats[:, column : column + 2] = poses[:, :2]
        floats[:, ANGLE_COLUMNS] = poses[:, 2:]
        rows = np.arange(count)
        set_solids(ints, rows, slots)
        entry.update_all_pose_bounds(rows, floats, ints, self.pool.rows)
        return floats, ints

    def note_deriving(self, index: int) -> None:
        """Note that a body is about to get another shape, angle, response or walker setting: `stand` must follow."""
        if self.standing_tree is not None:
            self.standing_tree.note(index)
        self.underived.add(index)

    def stand(self, index: int) -> None:
        """Update the columns that are derived from a body's shape, angles, response and walker settings."""
        self.one_row[0] = index
        entry.update_all_pose_bounds(self.one_row, self.floats, self.ints, self.pool.rows)
        self.underived.discard(index)

    def derive(self) -> None:
        """Update derived columns where an interruption came between `note_deriving` and `stand`."""
        rows = np.fromiter(self.underived, np.int64, len(self.underived))
        entry.update_all_pose_bounds(rows, self.floats, self.ints, self.pool.rows)
        self.underived.clear()

    def entering(self, rows: Sequence[int], bodies: Sequence[Body]) -> list[Change]:
        """Return the changes, for `at_once`, that activate bodies; their rows may be written by the same call."""
        key = row_key(rows)
        self.note_standing(key)
        handles = [] if isinstance(key, int) else self.bodies.copy()
        for row, body in zip(rows, bodies, strict=True) if handles else ():
            handles[row] = body
        return [
            (setitem, self.bodies, key, bodies[0]) if isinstance(key, int) else (setattr, self, "bodies", handles),
            (setitem, self.is_used, key, True),
            (setattr, self, "ranks_changed", True),
            # Also those that other bodies can push: `sort_ranks` removes them.
            self.movers.noting(rows),
        ]

    def leaving(self, rows: Sequence[int]) -> list[Change]:
        """Return the changes, for `at_once`, that remove bodies. Their leaves stay in the tree."""
        key = row_key(rows)
        self.note_standing(key)
        columns = (key if isinstance(key, int) else key[:, None]), FREE_COLUMNS
        return [
            (setitem, self.ints, columns, FREE_VALUES),
            *((setitem, self.bodies, row, None) for row in rows),
            (setitem, self.is_used, key, False),
            (setattr, self, "ranks_changed", True),
            (self.gone.update, rows),
            (self.free.extend, rows),
        ]

    def note_orders(self, orders: Sequence[int], rows: Sequence[int]) -> None:
        """Note where the new bodies with some places in the order of adding will be."""
        if self.row_of is not None:
            self.row_of.update(zip(orders, rows, strict=True))
            if len(self.row_of) > 2 * len(self.bodies):
                self.row_of = None  # most of its bodies were removed

    def rows_by_order(self) -> dict[int, int]:
        """Return the rows of all bodies by their places in the order of adding."""
        rows = [*np.flatnonzero(self.is_used[: len(self.bodies)]).tolist(), *self.arriving]
        return dict(zip(self.ints[rows, col.ORDER].tolist(), rows, strict=True))

    def fresh_tree(self) -> StandingTree:
        """Return the updated tree of world queries. The first query builds it."""
        if self.standing_tree is None:
            self.standing_tree = StandingTree()
        if not self.standing_tree.is_fresh:
            self.derive()
            self.standing_tree.refresh(self.floats, self.is_used)
        return self.standing_tree

    def note_standing(self, bodies: int | Ints) -> None:
        """Note that bodies are about to get another pose or shape, to be added, or to be removed."""
        if self.standing_tree is not None:
            self.standing_tree.note(bodies)

    def forget_standing(self) -> None:
        """Discard the tree, so that the next query rebuilds it: the poses of all bodies may have changed."""
        self.standing_tree = None

    def note_move(self, index: int) -> None:
        """Note that a body is about to get another goal or pose."""
        if self.is_top(index):
            self.movers.note(index)

    def note_moves(self, rows: Ints) -> None:
        """Note that bodies are about to get other goals or poses."""
        is_top = self.ints[rows, col.MIGHT] >= self.highest
        self.movers.note_all(rows[is_top & (self.ints[rows, col.RESPONSE] != col.RESPONSE_SENSOR)])

    def is_top(self, index: int) -> bool:
        """Return whether no body can push this one: it has the highest rank and is no sensor."""
        item = self.ints.item
        return item(index, col.MIGHT) >= self.highest and item(index, col.RESPONSE) != col.RESPONSE_SENSOR

    def forget_stances(self) -> None:
        """Discard all posed solids, and reserve columns for new ones."""
        self.set_stances(max(self.pool.stances, INITIAL_POSED_COLUMNS))

    def set_stances(self, columns: int) -> None:
        """Reserve this number of columns for posed solids, and mark all bodies as not posed."""
        ints = self.ints[: len(self.bodies)]
        ints[ints[:, col.POSED] != ints[:, col.SOLID], col.POSED] = col.NOT_POSED
        self.pool.set_stances(columns)

    def count_stances(self) -> None:
        """Tell the kernel which columns are for posed solids."""
        self.counts[col.STANCE_TOTAL] = self.pool.stance_total
        self.counts[col.STANCE_END] = self.pool.stance_end
        # No column counts as free until the frame ends: after an interruption, the used ones are unknown.
        self.pool.stance_total = self.pool.stance_end

    def forget_gone(self) -> None:
        """Clear references to removed bodies, which may lead to the new bodies in their rows."""
        is_gone = np.zeros(len(self.bodies), np.bool_)
        is_gone[list(self.gone)] = True
        for column in ROW_REFERENCE_COLUMNS:
            noted = self.ints[: len(self.bodies), column]
            noted[is_gone[noted] & (noted >= 0)] = -1
        self.gone.clear()

    def sort_ranks(self) -> None:
        """Sort the bodies by rank, and put all bodies that others can collide with into the tree or its tail.

        Only bodies that push or are pushed have a rank: a sensor has none.
        """
        ints = self.ints[: len(self.bodies)]
        alive = np.flatnonzero(self.is_used[: len(self.bodies)])
        is_sensor = ints[alive, col.RESPONSE] == col.RESPONSE_SENSOR
        mights = ints[alive, col.MIGHT]
        ranks = mights[~is_sensor]
        ends = (int(ranks.min()), int(ranks.max())) if len(ranks) else (0, 0)
        top = alive[(mights == ends[1]) & ~is_sensor]
        if ends != (self.lowest, self.highest):
            former = self.lowest, self.highest
            self.risen = top, self.ints[top[:, None], TOUCH_COLUMNS], self.floats[top, col.FIRST_TOUCH], former
            self.ints[top[:, None], TOUCH_COLUMNS] = NO_TOUCHES
            self.floats[top, col.FIRST_TOUCH] = np.nan
            self.movers.keep(top)
            self.lowest, self.highest = ends
        else:
            movers, is_top = self.movers.rows(), np.zeros(len(self.is_used), np.bool_)
            is_top[top] = True
            if not is_top[movers].all():
                self.movers.keep(movers[is_top[movers]])
        self.order = alive[(mights < self.highest) | is_sensor]
        ints[:, col.LOOKS] = 0
        ints[self.order, col.LOOKS] = 1
        # Bodies of the highest rank are not in the order, so sensors must find them. With a single rank, no other body
        # needs them in the tree.
        self.all_are_met = self.lowest == self.highest and bool(is_sensor.any())
        self.sort_order()
        met = alive[self.is_met(alive)]
        self.tree = self.tree._replace(tail=met[self.tree.leaf_of[met] < 0])
        if len(self.tree.tail) > TAIL_LIMIT:
            self.build_tree()
        self.ranks_changed = False

    def sort_order(self) -> None:
        """Sort the weak bodies by rank, the mightiest first, and along a Hilbert curve within each.

        Bodies of one rank do not see each other, so their order is free. Nearby bodies in sequence use the same part of
        the tree, which is then still in the cache.
        """
        keys = np.empty(len(self.order), np.int64)
        entry.hilbert_keys(self.floats, self.order, keys)
        self.order = self.order[np.lexsort((keys, -self.ints[self.order, col.MIGHT]))]
        self.met = self.order[self.is_met(self.order)]
        self.frames_to_sort = FRAMES_BETWEEN_SORTS

    def is_met(self, bodies: Ints) -> Bools:
        """Return which bodies others can collide with: all that can push, sensors, and all that only sensors detect."""
        is_met: Bools = (self.ints[bodies, col.MIGHT] > self.lowest) | self.all_are_met
        is_met |= self.ints[bodies, col.RESPONSE] == col.RESPONSE_SENSOR
        return is_met

    def build_tree(self) -> None:
        """Build the tree from all bodies that others can collide with."""
        alive = np.flatnonzero(self.is_used[: len(self.bodies)])
        met = alive[self.is_met(alive)]
        keys = np.empty(len(met), np.int64)
        entry.hilbert_keys(self.floats, met, keys)
        self.plant_tree(met[np.argsort(keys, kind="stable")], np.empty(0, np.int64))
        self.moves = 0

    def plant_tree(self, leaves: Ints, tail: Ints) -> None:
        """Build the tree from bodies in the order of its leaves, with others beside it."""
        levels, leaf_of = tree.level_starts(len(leaves)), self.tree.leaf_of.copy()
        nodes = np.empty((int(levels[-1]), 4))
        entry.fill_tree(nodes, levels, leaf_of, self.floats, self.ints, self.knots, leaves)
        self.tree = Tree(nodes, levels, leaves, leaf_of, tail)

    def ranks(self) -> Ranks:
        """Return which bodies the next frame resolves and moves, after rebuilding the tree if it is due."""
        movers = self.movers.rows()
        moving = len(movers) + len(self.met)
        if moving:
            if 0 < MOVES_BEFORE_REBUILD * len(self.tree.leaves) < self.moves:
                # The knots of the last frame's paths are no longer valid.
                self.ints[np.concatenate((movers, self.met)), col.KNOT_COUNT] = 0
                self.build_tree()
            self.moves += moving
        if self.standing_tree is not None:
            # Before they move: whatever an interruption leaves out after the kernel must not matter.
            self.note_standing(np.concatenate((self.order, movers)))
        return Ranks(self.order, self.met, movers, np.empty(len(movers), np.bool_))

    def enlarge(self) -> None:
        """Enlarge the arrays of which a step lacked rows, except for its events and hook answers.

        The rows of near bodies and touches belong to the current body, which is resolved again. So they are not copied.
        """
        lacks = int(self.counts[col.LACKS])
        if lacks & col.LACKS_KNOTS:
            self.knots = np.concatenate((self.knots, np.empty_like(self.knots)))
        if lacks & col.LACKS_TOUCHES:
            self.touches = np.empty((2 * len(self.touches), self.touches.shape[1]))
        if lacks & col.LACKS_NEAR:
            near, tags = candidate_rows(2 * len(self.candidates.near))
            self.candidates = self.candidates._replace(near=near, tags=tags)

    def undo_frame(self) -> None:
        """Undo what has been written of a frame that is not committed."""
        if self.counts[col.BODIES_BEGUN] == 0:
            return
        if self.risen is not None:
            top, ints, times, (self.lowest, self.highest) = self.risen
            self.ranks_changed = True
            self.ints[top[:, None], TOUCH_COLUMNS] = ints
            self.floats[top, col.FIRST_TOUCH] = times
        entry.undo(self.order, self.all_bodies(), self.last_frames, self.counts)


def row_key(rows: Sequence[int]) -> int | Ints:
    """Return the index of some rows in an array. That of a lone row is an integer, which is faster."""
    return rows[0] if len(rows) == 1 else np.array(rows, np.int64)


def candidate_rows(rows: int) -> tuple[Floats, Ints]:
    """Return memory for this number of bodies near a weak one."""
    return np.empty((rows, col.NEAR_COLUMNS)), np.empty((rows, col.TAG_COLUMNS), np.int64)
