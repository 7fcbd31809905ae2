"""Fleets on a CUDA device: their copies, and the memory of their frames.

The state stays on the device. A copy that needs more rows than its lane has, or memory of any size, is left to the
host.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numba import cuda
from numpy.typing import ArrayLike, NDArray

from impinge.checks import LARGEST
from impinge.errors import ShapeError
from impinge.gpu import fleet_launches as launches
from impinge.gpu.device import NOTHING_WRONG, Array, checked_array, is_on_device, is_simulated, on_cuda, run_threads
from impinge.kernels import columns as col
from impinge.kernels.arrays import Floats, Ints, Ranks, Tree
from impinge.world.bodies import MAX_TURN_ANGLE
from impinge.world.fleet_lane import Lane
from impinge.world.fleet_store import AT, Run, Store, Told, too_far
from impinge.world.state import State

__all__ = ["DeviceLanes", "DeviceStore"]

# Lanes at most: more than an H100 runs at once with 255 registers each.
MAX_LANES = 1 << 16
# Part of the free memory that lanes take, and the bytes that they take in the simulator.
MEMORY_SHARE, SIMULATED_MEMORY = 0.5, 1 << 24
# Arrays of indices that stay on the device.
KEPT_INDICES = 64
# Rows of each lane. A copy that needs more is left to the host.
EVENT_ROWS, NEAR_ROWS, TOUCH_ROWS, KNOT_ROWS = 64, 64, 64, 64


class DeviceStore(Store):
    """The own bodies of all copies, on the device: see `Store`. Reads return arrays on the device."""

    def __init__(self, floats: Floats, ints: Ints, own: Ints, count: int) -> None:
        super().__init__(floats, ints, own, count)
        self.floats, self.ints, self.left = on_cuda(self.floats), on_cuda(self.ints), on_cuda(self.left)
        self._all = np.arange(count), on_cuda(np.arange(count))
        # A program reads and writes the same bodies in each frame.
        self._kept = lru_cache(maxsize=KEPT_INDICES)(_on_cuda)
        self._boxes: DeviceBoxes | None = None
        self._lanes: DeviceLanes | None = None

    def __getstate__(self) -> tuple[Floats, Ints, Ints, int]:
        return self.floats.copy_to_host(), self.ints.copy_to_host(), self.own, len(self)

    def __setstate__(self, state: tuple[Floats, Ints, Ints, int]) -> None:
        DeviceStore.__init__(self, *state)

    def __deepcopy__(self, memo: dict[int, Any]) -> DeviceStore:
        return DeviceStore(*self.__getstate__())

    def __len__(self) -> int:
        return int(self.left.shape[0])

    def step(self, template: State, frames: int, keeps_events: bool, run: Run) -> list[Told]:
        """Make frames of all copies: those that the device cannot make with the host's `run`."""
        told: list[Told] = []
        if self._boxes is None:
            self._boxes = DeviceBoxes(template, self.own, len(self))
        if self._boxes.are_alone:
            events, unfinished = self._boxes.step(self, frames, keeps_events)
            told.append(events)
            if not unfinished:
                return told
        else:
            run_threads(launches.set_all, len(self), self.left, frames)
        if self._lanes is None:
            self._lanes = DeviceLanes(template, self.own, len(self))
        more, unfinished = self._lanes.step(self, frames, keeps_events)
        told += more
        return told + self._finished(frames, keeps_events, run) if unfinished else told

    def _finished(self, frames: int, keeps_events: bool, run: Run) -> list[Told]:
        """Let the host make the frames that copies have left."""
        left = self.left.copy_to_host()
        at = np.flatnonzero(left)
        host, _ = self.on_host(at)
        host.left[:] = left[at]
        told = run(host, frames, keeps_events)
        self.set_rows(at, *host.rows(np.arange(len(at))))
        for _, places in told:
            places[:, 0] = at[places[:, 0]]
        return told

    def _copies(self, at: Ints) -> Array:
        """Return the numbers of copies on the device."""
        numbers, there = self._all
        return there if len(at) == len(numbers) and np.array_equal(at, numbers) else on_cuda(at)

    def _indices(self, numbers: ArrayLike) -> Array:
        """Return places or columns of bodies on the device."""
        return self._kept(np.asarray(numbers, np.int64).tobytes())

    def read(
        self, at: Ints, places: Ints, columns: Sequence[int], shared: Floats, minus: Sequence[int] | None = None
    ) -> Array:
        """Return columns of bodies, less the columns `minus`, of shape (n, k, columns)."""
        found = self._taken(self.floats, at, places, columns, shared)
        if minus is not None:
            run_threads(launches.subtract, found.size, found, self._taken(self.floats, at, places, minus, shared))
        return found

    def read_ints(self, at: Ints, places: Ints, column: int, shared: Ints, dtype: Any = np.int64) -> Array:
        """Return a column of integers, of shape (n, k)."""
        found = self._taken(self.ints, at, places, [column], shared[:, None], dtype)
        return found.reshape(found.shape[:2])

    def _taken(
        self, rows: Array, at: Ints, places: Ints, columns: Sequence[int], shared: Any, dtype: Any = None
    ) -> Array:
        found = cuda.device_array((len(at), len(places), len(columns)), rows.dtype if dtype is None else dtype)
        arrays = self._copies(at), self._indices(places), self._indices(columns)
        # Most readers ask for own bodies only.
        others = on_cuda(shared) if (places < 0).any() else rows
        run_threads(launches.take_columns, found.size, rows, len(self.own), *arrays, others, found)
        return found

    def write(self, at: Ints, places: Ints, columns: Sequence[int], values: Any) -> None:
        """Write columns of bodies: a number, or values of shape (n, k, columns)."""
        self._put(self.floats, at, places, columns, values)

    def write_ints(self, at: Ints, places: Ints, column: int, values: Any) -> None:
        """Write a column of integers: one, or values of shape (n, k)."""
        self._put(self.ints, at, places, [column], values if np.ndim(values) == 0 else np.asarray(values)[..., None])

    def _put(self, rows: Array, at: Ints, places: Ints, columns: Sequence[int], values: Any) -> None:
        if np.ndim(values) == 0:
            values = np.full((1, 1, 1), values, rows.dtype)
        arrays = self._copies(at), self._indices(places), self._indices(columns), on_cuda(values)
        run_threads(launches.put_columns, len(at) * len(places) * len(columns), rows, len(self.own), *arrays)

    def check_turns(self, name: str, given: Any, at: Ints, places: Ints, shared: Floats | None) -> None:
        """Raise an error if bodies turn too far: see `Store.check_turns`."""
        angles, wrong = on_cuda(given), on_cuda(np.array([NOTHING_WRONG]))
        here = on_cuda(np.zeros((1, 1, 1))) if shared is None else self.read(at, places, [AT[col.ANGLE]], shared)
        total = len(at) * len(places)
        run_threads(launches.find_wide_turns, total, angles, 2, here, MAX_TURN_ANGLE, wrong)
        index = int(wrong.copy_to_host()[0])
        if index != NOTHING_WRONG:
            here = np.broadcast_to(here.copy_to_host()[..., 0], (len(at), len(places))).reshape(-1)
            raise too_far(name, angles.copy_to_host()[..., 2].reshape(-1)[index] - here[index])

    def zero_where_negative(self, values: Array, signs: Array) -> Array:
        """Return values, of shape (n, k, columns), that are zero for all bodies with a negative sign, (n, k)."""
        run_threads(launches.zero_where_negative, signs.size, values, signs)
        return values

    def checked(self, name: str, values: Any, shape: tuple[int, ...]) -> Array | None:
        """Return numbers that are on the device, or raise an error with their name; return None for others."""
        if not is_on_device(values):
            return None
        array = checked_array(name, values)
        given = tuple(array.shape)
        if given not in ((*shape, 2), (*shape, 3)):
            raise ShapeError(f"{name} must have shape {(*shape, 2)} or {(*shape, 3)} on a device, got {given}")
        wrong = on_cuda(np.array([NOTHING_WRONG]))
        run_threads(launches.find_wrong_numbers, array.size, array.reshape(array.size), LARGEST, wrong)
        index = int(wrong.copy_to_host()[0])
        if index != NOTHING_WRONG:
            number = array.copy_to_host().reshape(-1)[index].item()
            raise ShapeError(f"{name} must be finite and at most {LARGEST:g} in size, got {number!r}")
        return array

    def rows(self, at: Ints) -> tuple[Floats, Ints]:
        """Return all that can differ in copies, as NumPy arrays of shapes (n, bodies, columns)."""
        floats, ints = self._whole(at)
        return floats.copy_to_host(), ints.copy_to_host()

    def _whole(self, at: Ints) -> tuple[Array, Array]:
        places = np.arange(len(self.own))
        return (
            self._taken(self.floats, at, places, range(col.COPY_FLOAT_COLUMNS), np.zeros((1, 1))),
            self._taken(self.ints, at, places, range(col.COPY_INT_COLUMNS), np.zeros((1, 1), np.int64)),
        )

    def set_rows(self, at: Ints, floats: Any, ints: Any) -> None:
        """Replace copies."""
        places, shape = np.arange(len(self.own)), (-1, max(len(self.own), 1))
        for rows, values in ((self.floats, floats), (self.ints, ints)):
            columns = range(rows.shape[1])
            self._put(rows, at, places, columns, values.reshape(*shape, len(columns)))

    def copy_rows(self, sources: Ints, targets: Ints) -> None:
        """Replace copies by others."""
        self.set_rows(targets, *self._whole(sources))

    def with_bodies(self, own: Ints, floats: Floats, ints: Ints) -> DeviceStore:
        """Return a store with more own bodies, which are the same in each copy."""
        more = self.on_host(np.arange(len(self)))[0].with_bodies(own, floats, ints)
        return DeviceStore(more.floats, more.ints, more.own, len(self))

    def on_host(self, at: Ints) -> tuple[Store, Ints]:
        """Return some copies as a store of the host, and their numbers in it."""
        floats, ints = self.rows(at)
        rows = floats.reshape(-1, col.COPY_FLOAT_COLUMNS), ints.reshape(-1, col.COPY_INT_COLUMNS)
        return Store(*rows, self.own, len(at)), np.arange(len(at))


class DeviceBoxes:
    """Upright boxes that meet no other own body, as in most levels of tiles: each makes its frames in a thread.

    They share all that no frame changes, and need no lane.
    """

    def __init__(self, template: State, own: Ints, copies: int) -> None:
        used = np.flatnonzero(template.is_used[: len(template.bodies)])
        are_boxes = bool(template.ints[used, col.IS_PLAIN].all())
        self.are_alone = are_boxes and len(own) > 0 and not template.is_met(own).any()
        if not self.are_alone:
            return
        state = Lane(template, own, tail_limit=len(own)).state
        bodies, rows = len(state.bodies), copies * len(own)
        arrays = state.floats[:bodies], state.ints[:bodies], state.counts, np.empty(0, np.int64)
        self.room = launches.BoxRoom(*map(on_cuda, arrays))
        self.tree, self.own = Tree(*map(on_cuda, state.tree)), on_cuda(own)
        self.after = launches.BoxRows(
            cuda.device_array((rows, col.COPY_FLOAT_COLUMNS), np.float64),
            cuda.device_array((rows, col.COPY_INT_COLUMNS), np.int64),
            on_cuda(np.zeros(copies, np.int64)),
            on_cuda(np.zeros(2, np.int64)),
        )
        self.calls = self.events_before = 0
        self.silent, self.told = _event_rows(0), _event_rows(rows)

    def step(self, store: DeviceStore, frames: int, keeps_events: bool) -> tuple[Told, int]:
        """Make frames of all copies; return their events, and how many copies have all of these frames left."""
        copies, rows = launches.LaneCopies(store.floats, store.ints, self.own, store.left), store.floats.shape[0]
        while True:
            self.calls += 1
            job, told = (frames, self.calls, self.events_before), self.told if keeps_events else self.silent
            run_threads(launches.step_boxes, rows, job, copies, self.room, self.tree, self.after, told)
            found = self.after.found.copy_to_host()
            total = int(found[launches.FOUND_EVENTS]) - self.events_before
            self.events_before += total
            if total <= len(told.events):
                break
            self.told = _event_rows(2 * total)
        events, places = (each[:total].copy_to_host() for each in told) if total else _no_events()
        if found[launches.FOUND_FAILED] < self.calls:
            former = store.floats, store.ints
            store.floats, store.ints = self.after.floats, self.after.ints
            self.after = self.after._replace(floats=former[0], ints=former[1])
            return (events, places), 0
        unfinished = on_cuda(np.zeros(1, np.int64))
        run_threads(launches.keep_boxes, rows, frames, self.calls, copies, self.after, unfinished)
        if total:
            are_made = self.after.failed.copy_to_host()[places[:, 0]] < self.calls
            events, places = events[are_made], places[are_made]
        return (events, places), int(unfinished.copy_to_host()[0])


def _event_rows(rows: int) -> launches.BoxEvents:
    events = cuda.device_array((rows, col.EVENT_COLUMNS), np.float64)
    return launches.BoxEvents(events, cuda.device_array((rows, 2), np.int64))


class DeviceLanes:
    """The memory of the threads of a device, and the frames that they make."""

    def __init__(self, template: State, own: Ints, copies: int) -> None:
        lane = Lane(template, own, tail_limit=len(own))
        state = lane.state
        _reserve_posed(lane, own)
        bodies = max(len(state.bodies), 1)
        longest = max(state.pool.longest, 1)
        rows: dict[str, NDArray[Any]] = {
            "floats": state.floats[:bodies],
            "ints": state.ints[:bodies],
            "solids": np.append(state.pool.rows, 0.0),
            "counts": state.counts,
            "posed": lane.posed,
            "marks": np.full(bodies, -1),
        }
        empty = {
            "knots": ((KNOT_ROWS, col.KNOT_COLUMNS), np.float64),
            "events": ((EVENT_ROWS, col.EVENT_COLUMNS), np.float64),
            "verdicts": ((1, col.VERDICT_COLUMNS), np.float64),
            "last_frames": ((max(len(state.order), 1), col.LAST_FRAME_COLUMNS), np.float64),
            "moved": ((max(len(lane.ranks.movers), 1),), np.bool_),
            "places": ((EVENT_ROWS, 2), np.int64),
            "near": ((NEAR_ROWS, col.NEAR_COLUMNS), np.float64),
            "tags": ((NEAR_ROWS, col.TAG_COLUMNS), np.int64),
            "touches": ((TOUCH_ROWS, col.TOUCH_COLUMNS), np.float64),
            "rows": ((2 * longest,), np.float64),
            "turned": ((2 * longest,), np.float64),
        }
        size = sum(each.nbytes for each in rows.values())
        size += sum(int(np.prod(shape)) * np.dtype(dtype).itemsize for shape, dtype in empty.values())
        self.total = max(1, min(copies, MAX_LANES, _free_memory() // size))
        made = {name: _repeated(each, self.total) for name, each in rows.items()}
        made |= {name: cuda.device_array((self.total, *shape), dtype) for name, (shape, dtype) in empty.items()}
        self.bodies = launches.LaneBodies(*(made[name] for name in launches.LaneBodies._fields))
        self.rows = launches.LaneRows(*(made[name] for name in launches.LaneRows._fields))
        self.near = launches.LaneNear(*(made[name] for name in launches.LaneNear._fields))
        self.tree = Tree(*map(on_cuda, state.tree))
        self.ranks = Ranks(*map(on_cuda, lane.ranks))
        self.own = on_cuda(own)
        self.first_stance = int(state.counts[col.STANCE_TOTAL])

    def step(self, store: DeviceStore, frames: int, keeps_events: bool) -> tuple[list[Told], int]:
        """Make the frames that copies have left; return their events, and how many copies still have frames left."""
        job = on_cuda(np.array((self.first_stance, 0, frames, keeps_events), np.int64))
        copies = launches.LaneCopies(store.floats, store.ints, self.own, store.left)
        told: list[Told] = []
        while True:
            unfinished = on_cuda(np.zeros(1, np.int64))
            arrays = job, copies, self.ranks, self.tree, self.bodies, self.rows, self.near, unfinished
            run_threads(launches.step_lanes, self.total, *arrays)
            told.append(self._told() if keeps_events else _no_events())
            left = int(unfinished.copy_to_host()[0])
            # If lanes had no room for more events, they have now.
            if not left or not len(told[-1][0]):
                return told, left

    def _told(self) -> Told:
        """Return the rows of the events of all lanes, and copy and frame of each."""
        totals = self.rows.counts.copy_to_host()[:, col.EVENT_TOTAL]
        total = int(totals.sum())
        if not total:
            return _no_events()
        events, places = cuda.device_array((total, col.EVENT_COLUMNS)), cuda.device_array((total, 2), np.int64)
        run_threads(launches.pack_events, self.total, self.rows, on_cuda(np.cumsum(totals) - totals), events, places)
        return events.copy_to_host(), places.copy_to_host()


def _on_cuda(numbers: bytes) -> Array:
    return on_cuda(np.frombuffer(numbers, np.int64).copy())


def _no_events() -> Told:
    return np.empty((0, col.EVENT_COLUMNS)), np.empty((0, 2), np.int64)


def _reserve_posed(lane: Lane, own: Ints) -> None:
    """Reserve columns for the posed solids of all bodies that may need some."""
    state = lane.state
    turned = np.flatnonzero(state.is_used[: len(state.bodies)] & (state.floats[: len(state.bodies), col.ANGLE] != 0.0))
    state.set_stances(max(state.pool.stances, state.pool.longest * (len(own) + len(turned) + 1)))
    lane.count_stances()


def _free_memory() -> int:
    """Return the bytes that lanes may take."""
    if is_simulated():
        return SIMULATED_MEMORY
    return int(MEMORY_SHARE * cuda.current_context().get_memory_info().free)


def _repeated(array: NDArray[Any], count: int) -> Array:
    """Return an array on the device, as often as `count` says, with an axis for that."""
    target = cuda.device_array((count, *array.shape), array.dtype)
    if array.size:
        run_threads(launches.repeat_row, target.size, on_cuda(array.reshape(-1)), target.reshape(count, array.size))
    return target
