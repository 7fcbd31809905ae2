"""The threads of a fleet: each has a world of its own, into which it writes the copies, one after the other."""

from __future__ import annotations

from time import perf_counter

import numpy as np

from impinge.kernels import columns as col
from impinge.kernels import entry
from impinge.kernels.arrays import Copies, FrameRows, Ints, QueryFilter, Ranks, Rays
from impinge.shapes.solids import point_row
from impinge.world.fleet_store import Store, Told
from impinge.world.standing_tree import StandingTree
from impinge.world.state import TAIL_LIMIT, State

__all__ = ["Lane"]

# Events for which a thread has room at first.
EVENT_ROWS = 256
# Frames until a thread sorts its tree again: see `State.build_tree`.
FRAMES_BETWEEN_TREES = 64


class Lane:
    """The memory of one thread: a world in which the copies make their frames, one after the other.

    Own bodies that others can collide with are in its tree if they are more than `tail_limit`, else beside it.
    """

    def __init__(self, template: State, own: Ints, *, tail_limit: int = TAIL_LIMIT) -> None:
        state = self.state = template.draft()
        state.pool = template.pool.copy()
        fresh = State()
        state.knots, state.touches, state.counts = fresh.knots, fresh.touches, fresh.counts
        state.candidates = fresh.candidates._replace(marks=np.full(len(state.floats), -1, np.int64))
        state.last_frames = np.empty((len(state.order), col.LAST_FRAME_COLUMNS))
        state.standing_tree = None
        state.build_tree()
        moving = own[state.is_met(own)]
        self.has_movers_in_tree = len(moving) > tail_limit
        if not self.has_movers_in_tree:
            state.plant_tree(state.tree.leaves[~np.isin(state.tree.leaves, moving)], moving)
        self.frames_to_build = FRAMES_BETWEEN_TREES
        top = own[
            (state.ints[own, col.MIGHT] >= state.highest) & (state.ints[own, col.RESPONSE] != col.RESPONSE_SENSOR)
        ]
        self.ranks = Ranks(state.order, state.met, top, np.empty(len(top), np.bool_))
        self.posed = np.full(len(own), col.NOT_POSED, np.int64)
        self.job = np.zeros(col.JOB_COLUMNS, np.int64)
        self.seconds = 0.0
        self.events, self.places = np.empty((0, col.EVENT_COLUMNS)), np.empty((0, 2), np.int64)
        state.forget_stances()
        self.count_stances()
        state.counts[col.LOWEST_MIGHT], state.counts[col.LONGEST_ROW] = state.lowest, state.pool.longest

    def begin(self, first: int, end: int, frames: int, keeps_events: bool) -> None:
        """Take up the work on some copies."""
        state = self.state
        self.job[:] = first, end, frames, keeps_events
        state.counts[col.EVENT_TOTAL] = 0
        # Not the former ones, which a `FleetFrame` may still read.
        rows = max(EVENT_ROWS, len(self.events) if keeps_events else 0)
        self.events, self.places = np.empty((rows, col.EVENT_COLUMNS)), np.empty((rows, 2), np.int64)
        self.frames_to_build -= frames
        if self.frames_to_build <= 0 and self.has_movers_in_tree:
            state.build_tree()
            self.frames_to_build = FRAMES_BETWEEN_TREES

    def run(self, store: Store) -> None:
        """Make the frames that the copies have left."""
        begin = perf_counter()
        self._run(store)
        self.seconds = perf_counter() - begin

    def _run(self, store: Store) -> None:
        state = self.state
        while True:
            reached = entry.step_copies(
                self.job,
                Copies(store.floats, store.ints, store.own, self.posed, store.left, self.places),
                self.ranks,
                state.all_bodies(),
                FrameRows(state.knots, self.events, state.verdicts, state.last_frames, state.counts),
                state.tree,
                state.candidates,
                state.touches,
            )
            if reached == self.job[col.JOB_END]:
                return
            self.job[col.JOB_FIRST] = reached
            lacks = int(state.counts[col.LACKS])
            state.enlarge()
            if lacks & col.LACKS_EVENTS:
                self.events = np.concatenate((self.events, np.empty_like(self.events)))
                self.places = np.concatenate((self.places, np.empty_like(self.places)))
            if lacks & col.LACKS_STANCES:
                state.set_stances(2 * state.pool.stances)
                self.count_stances()

    def cast_rays(self, rays: Rays, query: QueryFilter, store: Store) -> None:
        """Cast rays in copies."""
        state = self.state
        if state.standing_tree is None:
            state.standing_tree = StandingTree(store.own)
        tree = state.fresh_tree().rows
        copies = Copies(store.floats, store.ints, store.own, self.posed, store.left, self.places)
        entry.cast_rays(rays, point_row(), state.pool.longest, copies, state.is_used, query, state.all_bodies(), tree)

    def told(self) -> Told:
        """Return the rows of the events, and copy and frame of each."""
        total = self.state.counts[col.EVENT_TOTAL]
        return self.events[:total], self.places[:total]

    def count_stances(self) -> None:
        """Tell the kernel which columns are for posed solids. No own body has some yet."""
        self.state.count_stances()
        self.posed[:] = col.NOT_POSED
