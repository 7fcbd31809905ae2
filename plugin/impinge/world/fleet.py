"""Fleets: thousands of copies of a world, stepped in one call on several threads.

Not here: the frame itself. Copies and single worlds make it with the same kernels, so their results are bit-identical.
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from impinge import checks
from impinge.checks import LARGEST, coordinates, first_wrong, flag, numbers
from impinge.errors import ShapeError, SnapshotError
from impinge.interrupts import surely
from impinge.kernels import columns as col
from impinge.kernels import entry
from impinge.kernels.arrays import Bools, Floats, Ints, QueryFilter, Rays
from impinge.sides import Side
from impinge.threads import Crew, Use, checked_threads, parts
from impinge.world.bodies import ALL_LAYERS, MAX_TURN_ANGLE, Body, checked_integer
from impinge.world.fleet_lane import Lane
from impinge.world.fleet_store import AT, FLOAT_COLUMNS, INT_AT, INT_COLUMNS, Store, Told
from impinge.world.state import ROW_REFERENCE_COLUMNS, State
from impinge.world.world import World

__all__ = ["FLEET_EVENT", "Fleet", "RayHits"]

Bodies: TypeAlias = Sequence[Body] | ArrayLike
Copied: TypeAlias = ArrayLike | None

POSE_COLUMNS = np.array((col.START, col.START + 1, col.ANGLE))
GOAL_COLUMNS = np.array((col.GOAL, col.GOAL + 1, col.GOAL_ANGLE))
BEFORE_COLUMNS = np.array((col.BEFORE, col.BEFORE + 1, col.BEFORE_ANGLE))
POSE_AT, GOAL_AT, BEFORE_AT = (
    [AT[each] for each in them.tolist()] for them in (POSE_COLUMNS, GOAL_COLUMNS, BEFORE_COLUMNS)
)
MOVEMENT_AT = [AT[col.MOVEMENT], AT[col.MOVEMENT + 1]]
VELOCITY_AT = [col.COPY_VELOCITY, col.COPY_VELOCITY + 1, col.COPY_SPIN]
IN_USE = "a fleet must not be used by two threads at a time"
# What a frame leaves on a body, apart from the time of its first touch, which may be no number.
RESULTS_AT = [AT[each] for each in col.FLOATS_OF_LAST_FRAME if each != col.FIRST_TOUCH]
# Columns of a body that no copy can change, so that another world must have the same.
FIXED_INTS = np.array((col.MIGHT, col.ORDER, col.RESPONSE, col.WHEN_STUCK, col.CARRYING, col.STICKY, col.PASSABLE))
FIXED_FLOATS = np.array((col.RESTITUTION, col.FLOOR_COSINE, col.SNAP, col.STEP_HEIGHT))
# Seconds of work for which another thread pays: a thread that sleeps begins some 100 us later.
WORK_OF_A_THREAD = 200e-6
# Seconds of a frame of a weak body, until a fleet knows its own.
PACE = 300e-9
# Rays for which another thread pays: each takes some 300 ns.
RAYS_OF_A_THREAD = 500

# The events of a fleet. `frame` counts from 0 within the call, `weak` and `mighty` are `Body.index`, `kind` is an index
# in `EVENT_KINDS`, and `side` has the bits of a `Side`.
FLEET_EVENT = np.dtype(
    [
        ("frame", "i4"),
        ("copy", "i4"),
        ("time", "f8"),
        ("kind", "i1"),
        ("weak", "i4"),
        ("mighty", "i4"),
        ("side", "i1"),
        ("speed", "f8"),
        ("normal", "f8", 2),
    ]
)


class FleetFrame:
    """The events of one call of `Fleet.step`. They are sorted at the first access.

    Examples
    --------
    >>> import impinge as im
    >>> im.Fleet(im.World(), 3).step().events.size
    0
    """

    def __init__(self, parts: list[Told]) -> None:
        self._parts = parts
        self._events: NDArray[np.void] | None = None

    @property
    def events(self) -> NDArray[np.void]:
        """Return all events of all copies, an array of `FLEET_EVENT`.

        They are sorted by frame, copy, time, kind, and the `Body.order` of the weak and of the mighty body. Those of
        one frame and copy are those of `Frame.events`, in the same order.
        """
        if self._events is None:
            rows = np.concatenate([rows for rows, _ in self._parts])
            places = np.concatenate([places for _, places in self._parts])
            keys = (col.EVENT_MIGHTY_ORDER, col.EVENT_WEAK_ORDER, col.EVENT_KIND, col.EVENT_TIME)
            order = np.lexsort((*(rows[:, key] for key in keys), places[:, 0], places[:, 1]))
            rows, places = rows[order], places[order]
            events = np.empty(len(rows), FLEET_EVENT)
            events["copy"], events["frame"] = places[:, 0], places[:, 1]
            for name, column in (
                ("time", col.EVENT_TIME),
                ("kind", col.EVENT_KIND),
                ("weak", col.EVENT_WEAK),
                ("mighty", col.EVENT_MIGHTY),
                ("side", col.EVENT_SIDE),
                ("speed", col.EVENT_SPEED),
            ):
                events[name] = rows[:, column]
            events["normal"] = rows[:, col.EVENT_NORMAL : col.EVENT_NORMAL + 2]
            self._events = events
        return self._events


class RayHits(NamedTuple):
    """What the rays of `Fleet.cast_rays` hit first: arrays with an axis for the copies and one for the rays.

    Attributes
    ----------
    times
        From 0 at the start of the ray to 1 at its end; NaN without a hit.
    bodies
        `Body.index` of the body that the ray hits; -1 without a hit.
    """

    times: Floats
    bodies: Ints


class Fleet:
    """Copies of a world that advance together.

    A copy is bit-identical to a `World` that is stepped alone, whatever the number of copies and threads. Bodies that
    no other body pushes, and that never get a goal, are stored once: the walls of a level. Each other body takes 256
    bytes in each copy.

    Arrays have a first axis for the copies, and a second one for the given bodies. Bodies are given as handles of the
    world from which the fleet was made, or as their `Body.index`.

    Parameters
    ----------
    world
        The world to copy. Later changes of it do not matter. Its lazy proxies are expanded.
    count
        Number of copies.
    threads
        Number of threads; by default, one for each processor.
    device
        "cpu", or "cuda" for an NVIDIA GPU: then the state of all copies is there, and poses, contacts and other reads
        are arrays there. Results agree with those of the CPU to rounding.
    moving
        Bodies of the highest rank that goals will move. Others become so at their first goal. Snapshots from before do
        not fit any more then.

    Raises
    ------
    ShapeError
        If an argument is not of its type or out of its range, or the world has plugins with hooks of a step.
    DeviceError
        If `device` is "cuda", and numba-cuda, a driver or a GPU is missing.

    Examples
    --------
    A thousand creatures fall on the same floor, each at its own speed:

    >>> import numpy as np, impinge as im
    >>> world = im.World()
    >>> floor = world.add(im.Box(100, 2), im.Pose(0, -1), might=1)
    >>> creature = world.add(im.Box(2, 2), im.Pose(0, 50))
    >>> fleet = im.Fleet(world, 1000)
    >>> falls = np.zeros((1000, 1, 2))
    >>> falls[:, 0, 1] = -np.arange(1000) / 10
    >>> fleet.set_velocities([creature], falls)
    >>> frame = fleet.step(frames=2)
    >>> fleet.poses([creature])[[0, 100, 999], 0].tolist()
    [[0.0, 50.0, 0.0], [0.0, 30.0, 0.0], [0.0, 1.0, 0.0]]
    >>> np.unique(frame.events["copy"]).size, fleet[999].body(creature.index).on_floor
    (754, True)
    """

    def __init__(
        self, world: World, count: int, *, threads: int | None = None, device: str = "cpu", moving: Bodies = ()
    ) -> None:
        if not isinstance(world, World):
            raise ShapeError(f"world must be a World, got {world!r}")
        if world._hooks.has_frames:
            raise ShapeError(f"world must have no plugins, got {world._hooks.names()}: a fleet calls no hooks")
        is_on_device = checks.is_cuda(device)
        self._count = checks.count("count", count)
        self._threads = checked_threads(threads)
        self._template = copy.copy(world)
        state = self._template._state
        if state.gone:
            state.forget_gone()
        if state.ranks_changed:
            state.sort_ranks()
        self._place_of = np.full(len(state.bodies), -1)
        nothing = np.empty((0, col.COPY_FLOAT_COLUMNS)), np.empty((0, col.COPY_INT_COLUMNS), np.int64)
        self._store = Store(*nothing, np.empty(0, np.int64), self._count)
        self._initial = Store(*nothing, np.empty(0, np.int64), 1)
        self._lanes: list[Lane] = []
        self._pace = PACE
        self._use, self._crew = Use(IN_USE), Crew()
        self._own(np.concatenate((state.order, _in_motion(state, state.movers.rows()))))
        self._own(self._rows(moving))
        if is_on_device:
            from impinge.gpu.fleets import DeviceStore

            self._store = DeviceStore(self._store.floats, self._store.ints, self._store.own, self._count)

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index: int) -> World:
        """Return a copy as a `World` of its own, whose bodies have the same `Body.index`.

        A body with a velocity has the goal of its next frame.
        """
        at = self._copy(index)
        world = copy.copy(self._template)
        state, own = world._state, self._store.own
        floats, ints = (each[0] for each in self._store.rows(np.array([at])))
        state.floats[own[:, None], FLOAT_COLUMNS] = floats[:, : col.COPY_VELOCITY]
        state.ints[own[:, None], INT_COLUMNS] = ints
        velocities = floats[:, VELOCITY_AT]
        goes = ~np.isnan(velocities[:, 0])
        goals = state.floats[own[:, None], POSE_COLUMNS] + velocities
        state.floats[own[goes][:, None], GOAL_COLUMNS] = goals[goes]
        state.floats[own, col.REACHED : col.REACHED + 2] = state.floats[own, col.START : col.START + 2]
        state.floats[own, col.REACHED_ANGLE] = state.floats[own, col.GOAL_ANGLE]
        entry.update_all_pose_bounds(own, state.floats, state.ints, state.pool.rows)
        state.note_moves(own)
        return world

    def __iter__(self) -> Iterator[World]:
        return (self[index] for index in range(self._count))

    def __repr__(self) -> str:
        return f"<Fleet of {self._count} worlds with {len(self._store.own)} bodies each>"

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for `copy` and `pickle`: without the memory of the threads."""
        return vars(self) | {"_lanes": [], "_use": Use(IN_USE), "_crew": Crew()}

    def __copy__(self) -> Fleet:
        """Return an independent fleet, as `copy.deepcopy` does: the arrays are what a step writes."""
        return self.__deepcopy__({})

    def __deepcopy__(self, memo: dict[int, Any]) -> Fleet:
        twin = memo[id(self)] = object.__new__(type(self))
        vars(twin).update(copy.deepcopy(self.__getstate__(), memo))
        return twin

    @property
    def threads(self) -> int:
        """Return the number of threads."""
        return self._threads

    @property
    def bytes_per_copy(self) -> int:
        """Return the memory that one more copy takes."""
        return self._store.bytes_per_copy()

    # Steps.

    def step(self, frames: int = 1, *, events: bool = True) -> FleetFrame:
        """Advance all copies.

        In each frame, a body with a velocity moves by it, and any other body moves to its goal. After a frame, the goal
        of a body is its pose.

        Parameters
        ----------
        frames
            Number of frames.
        events
            Whether to keep the events. Without them, the frames take less memory.

        Raises
        ------
        ShapeError
            If an argument is not of its type or out of its range. Nothing has changed then.
        RuntimeError
            If another thread is in a call of this fleet.
        """
        total = checks.count("frames", frames)
        keeps = flag("events", events)
        with self._alone():
            return FleetFrame(self._store.step(self._template._state, total, keeps, self._run))

    def _run(self, store: Store, frames: int, keeps_events: bool) -> list[Told]:
        """Make the frames that copies have left, of so many in this step; return the rows of their events.

        After an exception, as of a signal handler, they are made all the same. Kernels leave whole copies.
        """
        try:
            return self._run_lanes(store, frames, keeps_events)
        except BaseException:
            self._crew.finish()
            lane = Lane(self._template._state, self._store.own)  # the others may be half changed
            lane.begin(0, len(store), frames, keeps_events=False)
            lane.run(store)
            raise

    def _run_lanes(self, store: Store, frames: int, keeps_events: bool) -> list[Told]:
        work = len(store) * frames * max(1, len(self._template._state.order))
        lanes = self._lanes_for(len(store), 1 + int(work * self._pace / WORK_OF_A_THREAD))
        for lane, part in zip(lanes, parts(len(store), len(lanes), 1), strict=True):
            lane.begin(part.start, part.stop, frames, keeps_events)
        self._crew.run([partial(lane.run, store) for lane in lanes])
        self._pace = 0.5 * (self._pace + sum(lane.seconds for lane in lanes) / work)
        return [lane.told() for lane in lanes]

    def _lanes_for(self, copies: int, wanted: int) -> list[Lane]:
        """Return a number of lanes for some copies."""
        total = min(self._threads, copies, wanted)
        while len(self._lanes) < total:
            self._lanes.append(Lane(self._template._state, self._store.own))
        return self._lanes[:total]

    def _alone(self) -> _Alone:
        return _Alone(self)

    # What bodies shall do.

    def set_goals(self, bodies: Bodies, goals: ArrayLike, copies: Copied = None) -> None:
        """Set the goals of bodies for the next frame. Bodies with a velocity have none from then on.

        Parameters
        ----------
        bodies
            k bodies.
        goals : (n, k, 2) or (n, k, 3)
            x and y of each goal in the game's units, and its angle in radians, or an array that broadcasts to this
            shape. Without angles, the goals keep theirs.
        copies : (n,) int, optional
            The copies; None for all.

        Raises
        ------
        ShapeError
            If a body or a copy does not exist, an array has another shape, a number is not finite, or a body would turn
            by more than a hundred turns. Nothing has changed then.
        """
        rows, at, given = self._checked("goals", bodies, goals, copies)
        if given.shape[2] == 3:
            shared = self._template._state.floats[rows[:, None], [col.ANGLE]]
            self._store.check_turns("goals", given, at, self._place_of[rows], shared)
        with self._alone():
            places, store = self._own(rows), self._store

            def write() -> None:
                store.write(at, places, GOAL_AT[: given.shape[2]], given)
                store.write(at, places, [col.COPY_VELOCITY], np.nan)

            surely(write)

    def set_velocities(self, bodies: Bodies, velocities: ArrayLike, copies: Copied = None) -> None:
        """Set the velocities of bodies: each frame, the goal is the pose plus the velocity, until `set_goals`.

        Parameters
        ----------
        bodies
            k bodies.
        velocities : (n, k, 2) or (n, k, 3)
            x and y in the game's units per frame, and radians per frame, or an array that broadcasts to this shape.
            Without the latter, the bodies do not turn.
        copies : (n,) int, optional
            The copies; None for all.

        Raises
        ------
        ShapeError
            If a body or a copy does not exist, an array has another shape, a number is not finite, or a body would turn
            by more than a hundred turns. Nothing has changed then.
        """
        rows, at, given = self._checked("velocities", bodies, velocities, copies)
        if given.shape[2] == 3:
            self._store.check_turns("velocities", given, at, self._place_of[rows], None)
        with self._alone():
            places, store = self._own(rows), self._store

            def write() -> None:
                store.write(at, places, [col.COPY_SPIN], 0.0)
                store.write(at, places, VELOCITY_AT[: given.shape[2]], given)

            surely(write)

    def set_poses(self, bodies: Bodies, poses: ArrayLike, copies: Copied = None) -> None:
        """Teleport bodies: they collide with nothing on the way. Velocities stay.

        Parameters
        ----------
        bodies
            k bodies.
        poses : (n, k, 2) or (n, k, 3)
            x and y in the game's units, and angles in radians, or an array that broadcasts to this shape. Without
            angles, the bodies keep theirs.
        copies : (n,) int, optional
            The copies; None for all.

        Raises
        ------
        ShapeError
            If a body or a copy does not exist, an array has another shape, or a number is not finite. Nothing has
            changed then.
        """
        rows, at, given = self._checked("poses", bodies, poses, copies)
        with self._alone():
            places, store = self._own(rows), self._store

            def write() -> None:
                for columns in (POSE_AT, GOAL_AT):
                    store.write(at, places, columns[: given.shape[2]], given)
                if given.shape[2] == 2:
                    angles = store.read(at, places, POSE_AT[2:], np.empty((len(rows), 1)))
                    store.write(at, places, GOAL_AT[2:], angles)
                store.write_ints(at, places, INT_AT[col.STUCK_IN], -1)

            surely(write)

    def set_layers(self, bodies: Bodies, layers: ArrayLike, copies: Copied = None) -> None:
        """Set the layers of bodies: (n, k) integers from 1 on, see `Body.layer`.

        Raises
        ------
        ShapeError
            If a body or a copy does not exist, or an array has another shape or a number that is no layer.
        """
        self._set_bits("layers", col.LAYER, 1, bodies, layers, copies)

    def set_masks(self, bodies: Bodies, masks: ArrayLike, copies: Copied = None) -> None:
        """Set the masks of bodies: (n, k) integers from 0 on, see `Body.mask`.

        With the mask 0, a body meets nothing: so a copy does without it.

        Raises
        ------
        ShapeError
            If a body or a copy does not exist, or an array has another shape or a number that is no mask.
        """
        self._set_bits("masks", col.MASK, 0, bodies, masks, copies)

    def _set_bits(self, name: str, column: int, least: int, bodies: Bodies, values: ArrayLike, copies: Copied) -> None:
        rows, at = self._rows(bodies), self._copies(copies)
        shape = (len(at), len(rows))
        given = np.asarray(values)
        if given.dtype.kind not in "iu" or (given.size and not least <= given.min() <= given.max() <= ALL_LAYERS):
            raise ShapeError(f"{name} must be integers from {least} to {ALL_LAYERS}, got {values!r}")
        given = _broadcast(name, given.astype(np.int64), shape)
        with self._alone():
            self._store.write_ints(at, self._own(rows), INT_AT[column], given)

    # What bodies did.

    def poses(self, bodies: Bodies, copies: Copied = None) -> Floats:
        """Return the poses of k bodies, an array of shape (n, k, 3): x, y and angle."""
        return self._floats_at(self._rows(bodies), self._copies(copies), POSE_AT)

    def previous_poses(self, bodies: Bodies, copies: Copied = None) -> Floats:
        """Return the poses at the start of the last frame, an array of shape (n, k, 3)."""
        return self._floats_at(self._rows(bodies), self._copies(copies), BEFORE_AT)

    def velocities(self, bodies: Bodies, copies: Copied = None) -> Floats:
        """Return how far bodies came in the last frame, an array of shape (n, k, 3): x, y and angle."""
        return self._floats_at(self._rows(bodies), self._copies(copies), POSE_AT, BEFORE_AT)

    def movements(self, bodies: Bodies, copies: Copied = None) -> Floats:
        """Return `Body.movement` of k bodies, an array of shape (n, k, 2)."""
        return self._floats_at(self._rows(bodies), self._copies(copies), MOVEMENT_AT)

    def sides(self, bodies: Bodies, copies: Copied = None) -> NDArray[np.uint8]:
        """Return the bits of `Body.sides` of k bodies, an array of shape (n, k)."""
        found: NDArray[np.uint8] = self._ints_at(bodies, copies, col.SIDES, np.uint8)
        return found

    def blocked(self, bodies: Bodies, copies: Copied = None) -> NDArray[np.uint8]:
        """Return the bits of `Body.blocked` of k bodies, an array of shape (n, k)."""
        found: NDArray[np.uint8] = self._ints_at(bodies, copies, col.BLOCKED, np.uint8)
        return found

    def stuck(self, bodies: Bodies, copies: Copied = None) -> NDArray[np.uint8]:
        """Return the bits of `Body.stuck` of k bodies, an array of shape (n, k)."""
        found: NDArray[np.uint8] = self._ints_at(bodies, copies, col.STUCK, np.uint8)
        return found

    def overlapped(self, bodies: Bodies, copies: Copied = None) -> Bools:
        """Return `Body.overlapped` of k bodies, an array of shape (n, k)."""
        found: Bools = self._ints_at(bodies, copies, col.OVERLAPPED, np.bool_)
        return found

    def floors(self, bodies: Bodies, copies: Copied = None) -> Ints:
        """Return the `Body.index` of the floor of k bodies, an array of shape (n, k); -1 without a floor."""
        found: Ints = self._ints_at(bodies, copies, col.FLOOR)
        return found

    def floor_velocities(self, bodies: Bodies, copies: Copied = None) -> Floats:
        """Return `Body.floor_velocity` of k bodies, an array of shape (n, k, 2)."""
        rows, at = self._rows(bodies), self._copies(copies)
        found = self._floats_at(rows, at, [AT[col.FLOOR_SPEED], AT[col.FLOOR_SPEED + 1]])
        return self._store.zero_where_negative(found, self.floors(rows, at))

    def _floats_at(self, rows: Ints, at: Ints, columns: list[int], minus: list[int] | None = None) -> Floats:
        """Return columns of bodies, or how much they differ from others. Shared bodies do not move."""
        shared = self._template._state.floats[rows[:, None], FLOAT_COLUMNS[columns]]
        return self._store.read(at, self._place_of[rows], columns, shared, minus)

    def _ints_at(self, bodies: Bodies, copies: Copied, column: int, dtype: Any = np.int64) -> Any:
        rows, at = self._rows(bodies), self._copies(copies)
        shared = self._template._state.ints[rows, column]
        return self._store.read_ints(at, self._place_of[rows], INT_AT[column], shared, dtype)

    # Queries.

    def cast_rays(
        self, starts: ArrayLike, ends: ArrayLike, copies: Copied = None, *, mask: int = ALL_LAYERS, ignore: Bodies = ()
    ) -> RayHits:
        """Find the first body that each of many rays hits, at the poses between two frames.

        Parameters
        ----------
        starts, ends : (n, k, 2)
            Both ends of k rays in each copy, in the game's units, or arrays that broadcast to this shape.
        copies : (n,) int, optional
            The copies; None for all.
        mask
            Bits: the query finds only bodies whose layer has one of them.
        ignore
            Bodies to leave out.

        Returns
        -------
        RayHits
            Times and bodies, arrays of shape (n, k).

        Raises
        ------
        ShapeError
            If a body or a copy does not exist, an array has another shape, a number is not finite, or the mask is not
            an integer.
        RuntimeError
            If another thread is in a call of this fleet.

        Notes
        -----
        A ray hits the body that `World.along` finds first. The method: branch and bound in a packed R-tree.

        Examples
        --------
        >>> import impinge as im
        >>> world = im.World()
        >>> wall = world.add(im.Box(2, 20), im.Pose(30, 0), might=1)
        >>> hero = world.add(im.Box(2, 4), im.Pose(0, 0))
        >>> fleet = im.Fleet(world, 2)
        >>> fleet.set_poses([hero], [[(0, 0)], [(10, 0)]])
        >>> here = fleet.poses([hero])[..., :2]
        >>> times, bodies = fleet.cast_rays(here, here + [[(40, 0)], [(10, 0)]], ignore=[hero])
        >>> times.tolist(), bodies.tolist() == [[wall.index], [-1]]
        ([[0.725], [nan]], True)
        """
        at = self._copies(copies)
        both = [numbers(name, value, f"({len(at)}, k, 2)") for name, value in (("starts", starts), ("ends", ends))]
        for name, array in zip(("starts", "ends"), both, strict=True):
            if array.ndim == 0 or array.shape[-1] != 2:
                raise ShapeError(f"{name} must have 2 numbers for each ray, got shape {array.shape}")
            coordinates(name, array)
        count = max(array.shape[-2] if array.ndim > 1 else 1 for array in both)
        shape = (len(at), count, 2)
        rays = np.concatenate([_broadcast(name, a, shape) for name, a in zip(("starts", "ends"), both, strict=True)], 2)
        rays = rays.reshape(-1, 4)
        query = QueryFilter(checked_integer("mask", mask, 0), self._rows(ignore))
        hits = RayHits(np.empty((len(at), count)), np.empty((len(at), count), np.int64))
        if not hits.times.size:
            return hits
        with self._alone():
            store, at = self._store.on_host(at)
            lanes = self._lanes_for(len(at), 1 + len(rays) // RAYS_OF_A_THREAD)
            jobs = []
            for lane, part in zip(lanes, parts(len(at), len(lanes), 1), strict=True):
                span = slice(part.start * count, part.stop * count)
                some = Rays(at[part], rays[span], hits.times.reshape(-1)[span], hits.bodies.reshape(-1)[span])
                jobs.append(partial(lane.cast_rays, some, query, store))
            self._crew.run(jobs)
        return hits

    # Whole copies.

    def put(self, index: int, world: World) -> None:
        """Replace a copy by the state of a world.

        Parameters
        ----------
        index
            The copy.
        world
            A world with the same bodies, such as `fleet[i]`. Poses, goals, layers, masks and contacts may differ.

        Raises
        ------
        ShapeError
            If the copy does not exist, or the world has other bodies. Nothing has changed then.
        """
        at = self._copy(index)
        if not isinstance(world, World):
            raise ShapeError(f"world must be a World, got {world!r}")
        other, state = copy.copy(world)._state, self._template._state
        _check_same_bodies(other, state)
        used = np.flatnonzero(state.is_used)
        is_other = other.floats[used[:, None], FLOAT_COLUMNS] != state.floats[used[:, None], FLOAT_COLUMNS]
        is_other &= ~np.isnan(other.floats[used[:, None], FLOAT_COLUMNS])
        differs = is_other.any(axis=1)
        differs |= (other.ints[used[:, None], INT_COLUMNS] != state.ints[used[:, None], INT_COLUMNS]).any(axis=1)
        with self._alone():
            self._own(used[differs])
            self._store.set_rows(np.array([at]), *_rows_of(other, self._store.own))

    def copy(self, sources: ArrayLike, targets: ArrayLike) -> None:
        """Replace copies by others: the one at `targets[i]` by that at `sources[i]`.

        Raises
        ------
        ShapeError
            If a copy does not exist, the arrays have no or different lengths, or a target occurs twice.
        """
        to, of = self._targets("targets", targets), self._copies(sources, "sources")
        if len(of) != len(to):
            raise ShapeError(f"targets must be as many as sources, got {len(to)} for {len(of)}")
        with self._alone():
            self._store.copy_rows(of, to)

    def snapshot(self, copies: Copied = None) -> Ints:
        """Return the state of n copies as an array of integers with n rows, for `restore`.

        Rows may be kept, joined, and saved like those of any array. They are valid in each fleet of the same world, and
        hold no shapes.
        """
        at = self._copies(copies)
        floats, ints = self._store.rows(at)
        states = (floats.reshape(len(at), -1).view(np.int64), ints.reshape(len(at), -1))
        return np.concatenate(states, axis=1)

    def restore(self, copies: Copied, snapshots: ArrayLike) -> None:
        """Restore copies to the states of a snapshot, one for each or one for all.

        Raises
        ------
        ShapeError
            If a copy does not exist or occurs twice.
        SnapshotError
            If the array is no snapshot of a fleet of this world. Nothing has changed then.
        """
        at = self._targets("copies", np.arange(self._count) if copies is None else copies)
        states = np.asarray(snapshots)
        width = len(self._store.own) * (col.COPY_FLOAT_COLUMNS + col.COPY_INT_COLUMNS)
        is_fit = states.dtype == np.int64 and states.shape in ((width,), (1, width), (len(at), width))
        if not is_fit:
            raise SnapshotError(
                f"snapshots must be {len(at)} rows of {width} integers that this fleet has written since a body of the "
                f"highest rank got its first goal, got {states.dtype} of shape {states.shape}"
            )
        states = np.ascontiguousarray(states.reshape(-1, width))
        split = len(self._store.own) * col.COPY_FLOAT_COLUMNS
        floats = (
            np.ascontiguousarray(states[:, :split]).view(np.float64).reshape(len(states), -1, col.COPY_FLOAT_COLUMNS)
        )
        ints = states[:, split:].reshape(len(states), -1, col.COPY_INT_COLUMNS)
        _check_states(floats, ints, self._template._state)
        with self._alone():
            self._store.set_rows(at, floats, ints)

    def reset(self, copies: ArrayLike | None = None) -> None:
        """Restore copies to the world from which the fleet was made.

        Parameters
        ----------
        copies : (n,) int or (count,) bool, optional
            The copies, or a flag for each; None for all.

        Raises
        ------
        ShapeError
            If a copy does not exist, or an array has another shape.
        """
        at = self._copies(copies)
        with self._alone():
            self._store.set_rows(at, self._initial.floats, self._initial.ints)

    # Checks and layout.

    def _own(self, rows: Ints) -> Ints:
        """Give bodies their own rows in each copy; return their places among those."""
        places = self._place_of[rows]
        if (places >= 0).all():
            return places
        new = np.unique(rows[places < 0])
        place_of = self._place_of.copy()
        place_of[new] = np.arange(len(self._store.own), len(self._store.own) + len(new))
        more = new, *_rows_of(self._template._state, new)
        changes = {
            "_place_of": place_of,
            "_store": self._store.with_bodies(*more),
            "_initial": self._initial.with_bodies(*more),
            "_lanes": [],
        }
        vars(self).update(changes)  # in one call, so that no signal comes between
        return place_of[rows]

    def _rows(self, bodies: Bodies) -> Ints:
        """Return the rows of bodies, or raise an error."""
        state = self._template._state
        given: Any = [bodies] if isinstance(bodies, Body) else bodies
        if not isinstance(given, np.ndarray) and isinstance(given, Iterable):
            given = [self._index_of(body) if isinstance(body, Body) else body for body in given]
        try:
            rows = np.asarray(given)
        except ValueError:  # a ragged list
            rows = np.empty(())
        if rows.shape == (0,):
            return np.empty(0, np.int64)
        if rows.ndim != 1 or rows.dtype.kind not in "iu":
            raise ShapeError(f"bodies must be bodies of the fleet's world or their indices, got {bodies!r}")
        rows = rows.astype(np.int64)
        wrong = (rows < 0) | (rows >= len(state.bodies))
        wrong[~wrong] = ~state.is_used[rows[~wrong]]
        if wrong.any():
            raise ShapeError(
                f"bodies must be bodies of the fleet's world or their indices, got {first_wrong(rows, wrong)}"
            )
        return rows

    def _index_of(self, body: Body) -> int:
        """Return the row of a body of the world from which the fleet was made, of a copy, or of the fleet's own."""
        names, row = self._template._state.roll.names, body.index
        if row >= len(names) or body.world._state.roll.names[row] != names[row]:
            raise ShapeError(f"bodies must be bodies of the fleet's world or their indices, got {body!r}")
        return row

    def _copy(self, index: object) -> int:
        if (
            isinstance(index, bool)
            or not isinstance(index, int | np.integer)
            or not -self._count <= index < self._count
        ):
            raise IndexError(f"index must be that of one of {self._count} copies, got {index!r}")
        return int(index) % self._count

    def _copies(self, copies: Copied, name: str = "copies") -> Ints:
        """Return the numbers of copies, or raise an error with the name."""
        if copies is None:
            return np.arange(self._count)
        given = np.asarray(copies)
        if given.dtype == np.bool_ and given.shape == (self._count,):
            return np.flatnonzero(given)
        if given.size == 0 and given.ndim <= 1:
            return np.empty(0, np.int64)
        if given.dtype.kind not in "iu" or given.ndim > 1:
            raise ShapeError(f"{name} must be numbers of copies or {self._count} flags, got {copies!r}")
        found = np.atleast_1d(given).astype(np.int64)
        wrong = (found < 0) | (found >= self._count)
        if wrong.any():
            raise ShapeError(f"{name} must be from 0 to {self._count - 1}, got {first_wrong(found, wrong)}")
        return found

    def _targets(self, name: str, copies: Copied) -> Ints:
        """Return the numbers of copies of which none occurs twice, or raise an error with the name."""
        found = self._copies(copies, name)
        if len(found) > 1 and int(np.bincount(found).max()) > 1:
            raise ShapeError(f"{name} must not contain a copy twice, got {copies!r}")
        return found

    def _checked(self, name: str, bodies: Bodies, values: ArrayLike, copies: Copied) -> tuple[Ints, Ints, Floats]:
        """Return rows of bodies, numbers of copies, and coordinates with or without angles for all of them."""
        rows, at = self._rows(bodies), self._targets("copies", copies)
        there = self._store.checked(name, values, (len(at), len(rows)))
        if there is not None:
            return rows, at, there
        array = numbers(name, values, f"{(len(at), len(rows), 2)} or {(len(at), len(rows), 3)}")
        if array.ndim == 0 or array.shape[-1] not in (2, 3):
            raise ShapeError(f"{name} must have 2 or 3 numbers for each body, got shape {array.shape}")
        coordinates(name, array)
        return rows, at, _broadcast(name, array, (len(at), len(rows), array.shape[-1]))


class _Alone:
    """The context of a call that changes a fleet."""

    __slots__ = ("_call", "_fleet")

    def __init__(self, fleet: Fleet) -> None:
        self._fleet = fleet

    def __enter__(self) -> None:
        self._call = self._fleet._use.begin(sys._getframe(1))
        self._fleet._crew.finish()  # tasks of a call that an exception has ended

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is not None:
            self._fleet._lanes = []  # they may be half changed
        self._fleet._use.end(self._call)


def _rows_of(state: State, rows: Ints) -> tuple[Floats, Ints]:
    """Return the columns that copies have of bodies, which have no velocity."""
    floats = np.full((len(rows), col.COPY_FLOAT_COLUMNS), np.nan)
    floats[:, : col.COPY_VELOCITY] = state.floats[rows[:, None], FLOAT_COLUMNS]
    return floats, state.ints[rows[:, None], INT_COLUMNS]


def _broadcast(name: str, array: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    try:
        return np.broadcast_to(array, shape)
    except ValueError:
        raise ShapeError(f"{name} must have shape {shape} or broadcast to it, got {array.shape}") from None


def _in_motion(state: State, movers: Ints) -> Ints:
    """Return the bodies of the highest rank that move, or whose last frame shows that they did."""
    floats = state.floats
    poses, goals = floats[movers[:, None], POSE_COLUMNS], floats[movers[:, None], GOAL_COLUMNS]
    moves = (poses != goals).any(axis=1) | (poses != floats[movers[:, None], BEFORE_COLUMNS]).any(axis=1)
    moves |= (floats[movers, col.MOVEMENT : col.MOVEMENT + 2] != 0.0).any(axis=1)
    found: Ints = movers[moves]
    return found


def _check_same_bodies(other: State, state: State) -> None:
    """Raise an error if two worlds have different bodies, apart from what copies may change."""
    used = np.flatnonzero(state.is_used)
    is_same = np.array_equal(np.flatnonzero(other.is_used), used)
    is_same = is_same and np.array_equal(other.ints[used[:, None], FIXED_INTS], state.ints[used[:, None], FIXED_INTS])
    is_same = is_same and np.array_equal(
        other.floats[used[:, None], FIXED_FLOATS], state.floats[used[:, None], FIXED_FLOATS]
    )
    if not is_same or any(other.solid(row) != state.solid(row) for row in used.tolist()):
        raise ShapeError("world must have the same bodies as the fleet's, with the same shapes, ranks and settings")


def _check_states(floats: Floats, ints: Ints, state: State) -> None:
    """Raise an error if a state has an invalid number: kernels do not check them."""
    is_used = np.append(state.is_used[: len(state.bodies)], True)  # index -1 means no body, and is valid
    rows = ints[..., [INT_AT[column] for column in ROW_REFERENCE_COLUMNS]]
    places = floats[..., [*POSE_AT, *GOAL_AT, *BEFORE_AT]]
    velocities = floats[..., VELOCITY_AT]
    is_number = ~np.isnan(velocities)
    results = floats[..., RESULTS_AT]
    bits = ints[..., [INT_AT[column] for column in (col.SIDES, col.STUCK, col.BLOCKED)]]
    flags = ints[..., [INT_AT[column] for column in (col.OVERLAPPED, col.IS_CUT_SHORT)]]
    with np.errstate(invalid="ignore", over="ignore"):  # angles may still be no numbers
        turns = np.abs(places[..., 5] - places[..., 2])
    good = {
        "a pose": (np.abs(places) <= LARGEST).all(),
        # A body with a goal instead has no first number, and the others do not matter.
        "a velocity": (is_number.all(axis=-1) | ~is_number[..., 0]).all()
        and (np.abs(velocities[is_number]) <= LARGEST).all(),
        "a turn": (turns <= MAX_TURN_ANGLE).all()
        and (np.abs(velocities[..., 2])[is_number[..., 2]] <= MAX_TURN_ANGLE).all(),
        "a result of a frame": np.isfinite(results).all(),
        "a layer or a mask": (ints[..., INT_AT[col.LAYER]] >= 1).all() and (ints[..., INT_AT[col.MASK]] >= 0).all(),
        "a side": ((bits >= 0) & (bits <= int(Side.ALL))).all(),
        "a flag": ((flags >= 0) & (flags <= 1)).all(),
        "a body": ((rows >= -1) & (rows < len(state.bodies))).all() and is_used[rows].all(),
    }
    for name, is_good in good.items():
        if not is_good:
            raise SnapshotError(f"snapshots must be rows that a fleet has written, got {name} that no body has")
