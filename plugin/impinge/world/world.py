"""Worlds: bodies of any shape in arrays, and the step. The handles that a game holds are in `bodies`."""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import repeat
from operator import setitem
from threading import get_ident
from time import perf_counter
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from impinge.errors import ShapeError
from impinge.hooks import Hooks, Plugins, Profile
from impinge.interrupts import Change, at_once, surely
from impinge.kernels import columns as col
from impinge.kernels import entry
from impinge.kernels.arrays import FrameRows
from impinge.motion import Pose
from impinge.query.records import SectorTarget
from impinge.sector.sectors import Sector, checked_pose
from impinge.shapes.solids import Solid
from impinge.sides import Side
from impinge.world import snapshot as snapshots
from impinge.world.adding import checked_data, checked_integers, checked_poses, row_of, row_of_many
from impinge.world.bodies import (
    ALL_LAYERS,
    Body,
    Frame,
    Response,
    WhenStuck,
    checked_integer,
    checked_turn,
    floor_cosine,
)
from impinge.world.counters import Counters, count
from impinge.world.expanding import Came, Journal, Left, Proxies, take_back
from impinge.world.pool import MAX_POSED_COLUMNS_PER_BODY, Slot
from impinge.world.queries import Searches
from impinge.world.state import NO_TOUCHES, NONE_BEGUN, TOUCH_COLUMNS, row_key

__all__ = ["World"]

# Highest `order` that a game may set. Rows of events hold it as a float, which is exact up to twice this. So as many
# bodies again can follow.
MAX_ORDER = 2**52
# Places and angles at the start, as goals and at the end of a frame: nine columns.
POSES = slice(col.START, col.REACHED_ANGLE + 1)
EVENT_BODIES = (col.EVENT_WEAK, col.EVENT_MIGHTY)
# Place and angle, as `World.poses` returns them.
POSE_COLUMNS = np.array((col.START, col.START + 1, col.ANGLE))


class World(Searches):
    """Bodies of several ranks that advance frame by frame.

    `copy.copy`, `copy.deepcopy` and `pickle` work: the copy has its own bodies and continues from the same state. It
    has no plugins, not even those of installed packages. Plugins that are registered before its next step continue from
    the contacts of the last frame, as after a `restore`.

    Parameters
    ----------
    entry_points
        Whether to register the plugins of installed packages: those of the entry point group ``impinge.plugins``. A
        plugin that fails is left out with a `RuntimeWarning`. With ``"strict"``, its error is raised.

    Raises
    ------
    ShapeError
        If `entry_points` is none of these.

    Examples
    --------
    A lift takes a creature up. The creature falls by 5 per frame, and the lift rises by 3:

    >>> from impinge import Box
    >>> world = World()
    >>> lift = world.add(Box(40, 10), Pose(0, 0), might=1)
    >>> creature = world.add(Box(10, 20), Pose(0, 15))
    >>> lift.goal, creature.goal = Pose(0, 3), Pose(0, 10)
    >>> frame = world.step()
    >>> creature.pose
    Pose(x=0.0, y=18.0, angle=0.0)
    >>> creature.blocked, frame.pushes[0].speed
    (<Side.BOTTOM: 4>, 3.0)
    """

    def __init__(self, *, entry_points: bool | Literal["strict"] = True) -> None:
        if not isinstance(entry_points, bool) and entry_points != "strict":
            raise ShapeError(f"entry_points must be True, False or 'strict', got {entry_points!r}")
        super().__init__()
        # The `expand` functions of lazy proxies, by row; and while a proxy expands, what can be taken back.
        self._proxies: Proxies = {}
        self._journal: Journal | None = None
        self._hooks = Hooks(self._state)
        if entry_points:
            self._hooks.register_installed(entry_points == "strict")

    def __len__(self) -> int:
        return int(np.count_nonzero(self._state.is_used))

    def __iter__(self) -> Iterator[Body]:
        return (body for body in self._state.bodies if body is not None)

    @property
    def counters(self) -> Counters:
        """Return what the world holds, and the work of its last step. The counts are taken at each call.

        Examples
        --------
        >>> from impinge import Box
        >>> world = World()
        >>> for x in range(0, 64, 16):
        ...     tile = world.add(Box(16, 16), Pose(x, 0), might=1)
        >>> hero = world.add(Box(8, 12), Pose(0, 14))
        >>> frame = world.step()
        >>> counters = world.counters
        >>> counters.bodies, counters.resolved, counters.solids, counters.cut_short
        (5, 1, 2, 0)
        """
        return count(self._state, self._hooks)

    @property
    def next_order(self) -> int:
        """Return the `Body.order` of the next body: higher than that of any body so far.

        The bodies of a lazy proxy take the places from here on, if the proxy gets the last one.
        """
        return self._state.added

    def add(
        self,
        shape: Any,
        pose: Pose,
        might: int = 0,
        layer: int = 1,
        mask: int = ALL_LAYERS,
        *,
        response: Response = "push",
        restitution: float = 1.0,
        carrying: Side = Side.ALL,
        sticky: Side = Side.NONE,
        passable: Side = Side.NONE,
        max_slope: float | None = None,
        snap: float = 0.0,
        step_height: float = 0.0,
        when_stuck: WhenStuck = "wait",
        order: int | None = None,
        expand: Callable[[Body], object] | None = None,
        data: object = None,
    ) -> Body:
        """Add a body.

        Parameters
        ----------
        shape, pose
            Shape and pose of the body. A plugin can convert a shape that is no `Solid`.
        might
            Rank. The body pushes bodies of lower might, and bodies of higher might push it. Equals pass through each
            other.
        layer, mask
            Bits. A mightier body pushes this body, or a sensor detects it, only if the layer of the other body and the
            mask of this body have a common bit.
        response
            Response of the weak body to a contact. A pair takes the response of its two bodies that is later in this
            list. ``"push"``: the weak body is kept out and slides along the other. ``"bounce"``: it rebounds.
            ``"stop"``: it stays at the contact. ``"sensor"``: neither body pushes the other. A frame in which both
            overlap has an event, regardless of their might, even if one passes completely through the other.
        restitution
            Part of the approach speed that a bounce keeps, from 0 to 1.
        carrying, sticky, passable
            Sides that take weaker bodies along, hold them, or let them in. They turn with the body.
        max_slope
            Makes the body a walker: the steepest slope that it walks on, in radians, less than a quarter turn.
        snap
            Distance below its feet in which a walker stays on the ground, in the game's units.
        step_height
            Height of the highest step that a walker climbs, above its feet, in the game's units. Round feet also roll
            over anything that they touch at a slope of at most `max_slope`.
        when_stuck
            Behaviour in the frames after the body got stuck between two mightier bodies, and ended inside the one that
            it could not avoid. ``"wait"``: it comes out on the side where it got in, once there is room. Until then
            its own movement takes it no deeper. ``"freeze"``: the same, but without own movement. ``"leave"``: in the
            next frame it is moved out by the shortest way, as if the game had placed it there.
        order
            Place in the order of adding, which breaks ties among equals; None for the end. For the bodies of a lazy
            proxy, and for a body that takes the place of a removed one.
        expand
            Makes the body a lazy proxy: it replaces other bodies until something approaches. The step calls this
            function with the proxy before a weaker body comes near it, or any body if the proxy is a sensor. The
            function removes the proxy and adds the other bodies within its bounds. They take part at once. The frame is
            the same as if they had always been there, if they do not move and sense nothing. If the function raises,
            the proxy is there again, and the bodies that it has added and removed are as before. Frames with active
            plugins, snapshots and copies call it first. See `World.expand`.
        data
            Any object of the game, for `Body.data`.

        Raises
        ------
        ShapeError
            If an argument is not of its type or out of its range. The world is unchanged then.

        Examples
        --------
        >>> import impinge as im
        >>> world = im.World()
        >>> coin = world.add(im.Circle(4), im.Pose(20, 0), response="sensor", data="gold")
        >>> ramp = world.add(im.Polygon([(0, 0), (40, 0), (40, 20)]), im.Pose(60, 0, angle=0.1), might=1)
        >>> hero = world.add(im.Capsule((0, -6), (0, 6), radius=5), im.Pose(0, 11), max_slope=0.8, snap=2)
        >>> coin.response, ramp.angle, hero.max_slope, len(world)
        ('sensor', 0.1, 0.8, 3)
        """
        state = self._state
        solid = self._hooks.solid_of("shape", shape)
        checked_pose("pose", pose)
        row = row_of(
            might, layer, mask, response, restitution, carrying, sticky, passable, max_slope, snap, step_height,
            when_stuck,
        )  # fmt: skip
        place = state.added if order is None else self._free_order(order)
        self._prepare_to_add(expand)
        added, slots, rows = state.added, [], []
        try:
            slots = [state.pool.take(solid)]
            rows = [state.take_row(self._stepper is not None)]
            values = state.new_row_values(pose, row, place, slots[0])
            body = Body(self, rows[0], slots[0].shape if shape is solid else shape, row.max_slope, data)
            self._take_in(rows, [body], values, [place], expand)
        except BaseException:  # memory has run out, or a signal interrupts
            self._undo_adding(added, rows, slots)
            raise
        return body

    def add_many(
        self,
        shapes: Any,
        poses: ArrayLike,
        might: ArrayLike = 0,
        layer: ArrayLike = 1,
        mask: ArrayLike = ALL_LAYERS,
        *,
        response: Response = "push",
        restitution: float = 1.0,
        carrying: Side = Side.ALL,
        sticky: Side = Side.NONE,
        passable: Side = Side.NONE,
        max_slope: float | None = None,
        snap: float = 0.0,
        step_height: float = 0.0,
        when_stuck: WhenStuck = "wait",
        order: ArrayLike | None = None,
        expand: Callable[[Body], object] | None = None,
        data: Sequence[object] | None = None,
    ) -> list[Body]:
        """Add many bodies at once, as where a level loads: the same as one `add` after the other, but much faster.

        Parameters
        ----------
        shapes
            One shape for all, or a list or tuple with one for each body.
        poses : (n, 2) or (n, 3)
            x and y of each body in the game's units, and its angle in radians. Without angles, they are 0.
        might, layer, mask
            As for `add`: one for all, or an array (n,) of integers.
        response, restitution, carrying, sticky, passable, max_slope, snap, step_height, when_stuck, expand
            As for `add`: the same for all.
        order : (n,) int
            Places in the order of adding; None for the end.
        data
            A list or tuple with an object for each body, for `Body.data`.

        Returns
        -------
        list of Body
            In the order of the poses.

        Raises
        ------
        ShapeError
            If an argument is not of its type or shape, or out of its range. The world is unchanged then.

        Examples
        --------
        >>> import impinge as im
        >>> world = im.World()
        >>> tiles = world.add_many(im.Box(16, 16), [(0, 0), (16, 0), (32, 0)], might=1, data=["grass", "grass", "ice"])
        >>> tiles[2].pose, tiles[2].data, world.at_point((16, 4)) == [tiles[1]]
        (Pose(x=32.0, y=0.0, angle=0.0), 'ice', True)
        """
        state = self._state
        places = checked_poses(poses)
        count = len(places)
        given, solids = self._solids_for(shapes, count)
        row, columns = row_of_many(
            count, might, layer, mask, response, restitution, carrying, sticky, passable, max_slope, snap,
            step_height, when_stuck,
        )  # fmt: skip
        objects = checked_data(data, count)
        columns[col.ORDER] = orders = self._free_orders(order, count)
        self._prepare_to_add(expand)
        added, slots, rows = state.added, [], []
        try:
            slots = state.pool.take_all(solids)
            rows = state.take_rows(count, self._stepper is not None)
            values = state.new_rows_values(places, row, columns, slots)
            bodies = [
                Body(self, index, slot.shape if shape is solid else shape, row.max_slope, each)
                for index, slot, shape, solid, each in zip(rows, slots, given, solids, objects, strict=True)
            ]
            self._take_in(rows, bodies, values, orders.tolist(), expand)
        except BaseException:  # memory has run out, or a signal interrupts
            self._undo_adding(added, rows, slots)
            raise
        return bodies

    def _prepare_to_add(self, expand: object) -> None:
        """Prepare for new bodies whose arguments are checked, or raise an error."""
        if expand is not None:
            self._check_expand(expand)
        if self._stepper is not None:
            self._refuse_others()
        if self._hooks.start is not None:
            self._hooks.start.keep_pool(self._state)

    def _take_in(
        self,
        rows: list[int],
        bodies: list[Body],
        values: tuple[NDArray[np.float64], NDArray[np.int64]],
        orders: list[int],
        expand: Callable[[Body], object] | None,
    ) -> None:
        """Add new bodies, whose rows get these values; within a frame with hooks, at its end."""
        state = self._state
        (floats, ints), key = values, row_key(rows)
        changes: list[Change] = [
            (setitem, state.floats, key, floats),
            (setitem, state.ints, key, ints),
            (setattr, state, "added", max(state.added, max(orders, default=-1) + 1)),
        ]
        if expand is not None:
            ints[:, col.IS_PROXY] = 1
            changes.append((self._proxies.update, dict.fromkeys(rows, expand)))
        state.note_orders(orders, rows)
        if self._hooks.changes is None:
            state.roll.enter(key)
            changes += state.entering(rows, bodies)
            if self._journal is not None:
                changes.append((self._journal.extend, list(map(Came, rows, bodies))))
        else:
            changes.append((state.arriving.update, dict(zip(rows, bodies, strict=True))))
        at_once(changes)

    def _undo_adding(self, added: int, rows: list[int], slots: Sequence[Slot]) -> None:
        """Free rows and slots that were taken for new bodies; `added` is the former `State.added`."""
        state = self._state
        state.added = added
        if rows and state.is_used[rows[0]]:
            self._take_out_all(rows)
            return
        at_once([*((state.arriving.pop, row, None) for row in rows), (state.free.extend, rows)])
        for slot in slots:
            state.pool.give_back(slot.first)

    def _solids_for(self, shapes: Any, count: int) -> tuple[Iterable[Any], Sequence[Solid]]:
        """Return the shapes of new bodies as they were given, and as solids, or raise an error."""
        if not isinstance(shapes, list | tuple):
            solid = self._hooks.solid_of("shapes", shapes)
            return repeat(shapes, count), [solid] * count
        if len(shapes) != count:
            raise ShapeError(f"shapes must be one shape, or one for each of {count} bodies, got {len(shapes)}")
        given = tuple(shapes)  # a plugin may change the list
        return given, [self._hooks.solid_of("shapes", shape) for shape in given]

    def _free_orders(self, order: ArrayLike | None, count: int) -> NDArray[np.int64]:
        """Return places in the order of adding, or raise an error if a body has one of them."""
        added = self._state.added
        if order is None:
            return np.arange(added, added + count)
        orders = checked_integers("order", order, count, 0)
        if len(np.unique(orders)) < count:
            raise ShapeError(f"order must be different for each body, got {order!r}")
        for place in orders[(orders < added) | (orders > MAX_ORDER)].tolist():
            self._free_order(place)
        return orders

    def _free_order(self, order: int) -> int:
        """Return a place in the order of adding, or raise an error if a body has it."""
        checked_integer("order", order, 0)
        if order > MAX_ORDER or (order < self._state.added and self._has_order(order)):
            raise ShapeError(f"order must be one that no body has, and at most {MAX_ORDER}, got {order}")
        return order

    def _has_order(self, order: int) -> bool:
        """Return whether a body has this place in the order of adding."""
        state = self._state
        if state.row_of is None:
            state.row_of = state.rows_by_order()
        row = state.row_of.get(order)
        if row is None or state.ints[row, col.ORDER] != order:
            return False
        return bool(state.is_used[row] or row in state.arriving)

    def remove(self, body: Body) -> None:
        """Remove a body from the world.

        Raises
        ------
        ValueError
            If the body is not in this world.
        """
        index = self._own("body", body)
        if not self._is_deferred(World._take_out, index):
            self._take_out(index)

    def _take_out(self, index: int) -> None:
        last = self._state.last() if self._state.last is not None else None
        if last is not None:
            last.events  # noqa: B018  builds the events now: another body may get this one's row
        self._take_out_all([index])

    def _take_out_all(self, rows: list[int]) -> None:
        state, journal = self._state, self._journal
        changes: list[Change] = [(setattr, state.body(row), "_world", None) for row in rows]
        changes += [(self._proxies.pop, row, None) for row in rows]
        changes += state.leaving(rows)
        if journal is not None:
            changes.append((journal.extend, [Left.of(state, self._proxies, row) for row in rows]))
        slots = [state.ints.item(row, col.SOLID) for row in rows]
        at_once(changes)
        if journal is None:
            for first in slots:
                state.pool.give_back(first)

    def step(self) -> Frame:
        """Advance all bodies by one frame: each towards its goal, the mightiest first.

        Raises
        ------
        RuntimeError
            If a hook calls this method, or another thread is in a step of this world.
        Exception
            Any exception of a hook, with a note that names the hook and its plugin. The world is then as it was before.
        Also an exception of an `expand` function: its proxy is then as before, too.
        """
        thread = get_ident()
        self._refuse_hooks("step")
        # Again, as the interpreter may have changed threads at the end of that call. Here it does not.
        if self._stepper is not None:
            self._refuse_others()
        begun = 0.0
        try:
            self._stepper, begun = thread, perf_counter()
            if self._hooks.has_frames:
                self.expand()
                return self._hooks.step(self, self._advance)
            self._hooks.pressed.clear()  # these pairs are older than the last frame
            return self._advance(0)
        finally:
            self._stepper = None
            if self._hooks.plugins is not None:
                self._hooks.plugins.count_frame(perf_counter() - begun)

    def _advance(self, asks: int) -> Frame:
        """Advance by one frame. `asks` are the LISTENS bits of the hooks to call."""
        try:
            return self._make_frame(asks)
        except BaseException:
            surely(self._state.undo_frame)
            raise

    def _make_frame(self, asks: int) -> Frame:
        state = self._state
        if state.underived:
            state.derive()
        counts = state.counts
        state.risen = None
        counts.fill(0)
        # From here on, `undo_frame` undoes what has been written, until the kernel sets this count to 0.
        counts[col.LISTENS], counts[col.BODIES_BEGUN] = asks, NONE_BEGUN
        if state.gone:
            state.forget_gone()
        state.frames_to_sort -= 1
        if state.ranks_changed:
            state.sort_ranks()
        elif state.frames_to_sort <= 0:
            state.sort_order()
        ranks = state.ranks()
        events = np.empty((2 * len(state.order) + 8, col.EVENT_COLUMNS))
        if len(state.last_frames) < len(state.order):
            state.last_frames = np.empty((len(state.order), col.LAST_FRAME_COLUMNS))
        if not state.pool.has_room_behind():
            state.forget_stances()
        state.count_stances()
        done, begun_anew = 0, -1
        while True:
            state.counts[col.LOWEST_MIGHT], state.counts[col.LONGEST_ROW] = state.lowest, state.pool.longest
            done = entry.step(
                done,
                ranks,
                state.all_bodies(),
                FrameRows(state.knots, events, state.verdicts, state.last_frames, state.counts),
                state.tree,
                state.candidates,
                state.touches,
            )
            if done == len(state.order):
                break
            lacks = int(state.counts[col.LACKS])
            if lacks & col.LACKS_EVENTS:
                rows = max(2 * len(events), int(state.counts[col.ROWS_WANTED]))
                events = np.concatenate((events, np.empty((rows - len(events), col.EVENT_COLUMNS))))
            state.enlarge()
            if state.counts[col.PROXY_NEAR]:
                self._expand_in_frame(int(state.counts[col.PROXY_NEAR]) - 1)
            if lacks & col.LACKS_STANCES:
                stances, most = state.pool.stances, MAX_POSED_COLUMNS_PER_BODY * len(state.bodies)
                # If this body already had all columns to itself, it alone needs more than the limit.
                state.set_stances(4 * stances if begun_anew == done else max(stances, min(2 * stances, most)))
                state.count_stances()
                begun_anew = done
            if state.counts[col.ASKED]:
                self._hooks.answer(self, int(state.order[done]))
                if not state.pool.has_room_behind():
                    # The solids for a pair may have longer rows than the bodies' own.
                    state.forget_stances()
                    state.count_stances()
            state.counts[col.EVENT_TOTAL] = state.counts[col.EVENTS_KEPT]
            state.counts[col.KNOT_TOTAL] = state.counts[col.KNOTS_KEPT]
        state.pool.stance_total = int(state.counts[col.STANCE_TOTAL])
        if asks:  # a query of a hook may have refreshed the tree before these bodies moved
            state.note_standing(np.concatenate((state.order, ranks.movers)))
        if len(ranks.movers):
            # Their swept bounds are still in the tree, so the next frame must refit their leaves even if they rest.
            state.movers.keep(ranks.movers[ranks.moved])
        events = events[: state.counts[col.EVENT_TOTAL]]
        if state.gone:  # a proxy has expanded: it has no events, even if a mightier body has pushed it before
            events = events[state.is_used[events[:, EVENT_BODIES].astype(np.int64)].all(axis=1)]
        result = Frame(events, state.bodies)
        state.last = weakref.ref(result)
        return result

    def expand(self, bodies: Iterable[Body] | None = None) -> int:
        """Expand lazy proxies: replace them by their bodies.

        Parameters
        ----------
        bodies
            Bodies to expand, if they are lazy proxies: for example the result of a query, which finds proxies
            unexpanded. None for all proxies.

        Returns
        -------
        int
            Number of expanded proxies.

        Raises
        ------
        RuntimeError
            If the `expand` function of a proxy does not remove it.
        ValueError
            If one of the bodies is not in this world.

        Examples
        --------
        A chunk of a large level is loaded when a body comes near:

        >>> import impinge as im
        >>> world = im.World()
        >>> def load(chunk):
        ...     world.remove(chunk)
        ...     for x in (0, 10, 20, 30):
        ...         world.add(im.Box(10, 10), im.Pose(x, 0), might=1)
        >>> chunk = world.add(im.Box(40, 10), im.Pose(15, 0), might=1, expand=load)
        >>> creature = world.add(im.Box(4, 4), im.Pose(11, 60))
        >>> creature.goal = im.Pose(11, 40)
        >>> frame = world.step()
        >>> len(world)
        2
        >>> creature.goal = im.Pose(11, 0)
        >>> frame = world.step()
        >>> len(world), creature.pose, [event.mighty.pose.x for event in frame.events]
        (5, Pose(x=11.0, y=7.0, angle=0.0), [10.0])
        """
        if not self._proxies:  # as in most frames
            return 0
        self._refuse_others()
        total = 0
        if bodies is None:
            while self._proxies:  # a proxy may expand into other proxies
                self._expand(next(iter(self._proxies)))
                total += 1
            return total
        for row in dict.fromkeys([self._own("bodies", body) for body in bodies]):
            if row in self._proxies:
                self._expand(row)
                total += 1
        return total

    def _expand(self, index: int) -> list[int]:
        """Expand a proxy, and return the rows of its bodies. After an exception, the proxy is there again."""
        state, outer = self._state, self._journal
        expand, body = self._proxies[index], state.body(index)
        journal: Journal = []
        try:
            self._journal = journal
            expand(body)
            if body._world is self:
                raise RuntimeError(f"expand must remove the body that it is called with, got {expand!r} for {body!r}")
        except BaseException:
            surely(lambda: take_back(self, state, self._proxies, journal))
            raise
        finally:
            self._journal = outer
        if outer is not None:
            outer += journal
        else:
            for entry in journal:
                if isinstance(entry, Left):
                    state.pool.give_back(entry.slot)
        return [entry.row for entry in journal if isinstance(entry, Came) and state.is_used[entry.row]]

    def _expand_in_frame(self, index: int) -> None:
        """Expand a proxy within a step. The tree stays unchanged, and the new bodies go to its tail."""
        state = self._state
        came, tree = np.array(self._expand(index), np.int64), state.tree
        state.tree = tree._replace(tail=np.concatenate((tree.tail, came[state.is_met(came)])))
        if not state.pool.has_room_behind():
            state.forget_stances()
            state.count_stances()

    def _check_expand(self, expand: object) -> None:
        if not callable(expand):
            raise ShapeError(f"expand must be a function or None, got {expand!r}")
        if self._hooks.changes is not None:
            raise RuntimeError("expand must be None for a body that a hook adds")

    def body(self, index: int) -> Body:
        """Return the body with a `Body.index`.

        Raises
        ------
        ShapeError
            If no body has this index.

        Examples
        --------
        >>> from impinge import Circle
        >>> world = World()
        >>> ball = world.add(Circle(2), Pose(0, 0))
        >>> world.body(ball.index) is ball
        True
        """
        is_row = isinstance(index, (int, np.integer)) and 0 <= index < len(self._state.bodies)
        body = self._state.bodies[index] if is_row else None
        if body is None:
            raise ShapeError(f"index must be that of a body in this world, got {index!r}")
        return body

    def register(self, plugin: object, name: str | None = None) -> str | None:
        """Register a plugin in this world: call its functions that are marked with `impinge.hookimpl`.

        `impinge.hooks` lists the hooks. The order in which the hooks of several plugins are called is that of pluggy.

        Parameters
        ----------
        plugin
            An object or a module.
        name
            Name of the plugin in messages; by default its own name or that of its class.

        Returns
        -------
        str
            The name.

        Raises
        ------
        ShapeError
            If the plugin is None.
        ValueError
            If the plugin, or another one of this name, is already registered.
        pluggy.PluginValidationError
            If a hook is unknown, is not marked, or has an unknown argument. The plugin is not registered then.

        Examples
        --------
        >>> import impinge as im
        >>> class Crushes:
        ...     @im.hookimpl
        ...     def impinge_stuck(self, event):
        ...         print(event.weak.data, "is crushed by", event.mighty.data)
        >>> world = im.World()
        >>> world.register(Crushes())
        'Crushes'
        >>> floor = world.add(im.Box(40, 2), im.Pose(0, -1), might=1, layer=2, data="floor")
        >>> press = world.add(im.Box(40, 2), im.Pose(0, 5), might=2, data="press")
        >>> creature = world.add(im.Box(2, 2), im.Pose(0, 1), data="creature")
        >>> press.goal = im.Pose(0, 1)
        >>> frame = world.step()
        creature is crushed by floor
        creature is crushed by press
        """
        return self._hooks.register(plugin, name)

    def unregister(self, plugin: object) -> None:
        """Remove a plugin from this world.

        Raises
        ------
        ValueError
            If the plugin is not registered.
        """
        self._hooks.unregister(plugin)

    @contextmanager
    def profile(self) -> Iterator[Profile]:
        """Measure how much of the steps each hook takes, in a `with` statement.

        Raises
        ------
        RuntimeError
            If the world is being profiled already.

        Examples
        --------
        >>> import impinge as im
        >>> class Slow:
        ...     @im.hookimpl
        ...     def impinge_frame_end(self, frame):
        ...         sum(range(1000))
        >>> world = im.World()
        >>> name = world.register(Slow())
        >>> with world.profile() as profile:
        ...     for _ in range(3):
        ...         frame = world.step()
        >>> profile.frames, profile.hooks["Slow", "impinge_frame_end"].calls
        (3, 3)
        >>> 0 < profile.hooks["Slow", "impinge_frame_end"].seconds < profile.seconds
        True
        """
        hooks, profile = self._hooks, Profile()
        if hooks.plugins is None:
            hooks.plugins = Plugins()
        if hooks.plugins.profile is not None:
            raise RuntimeError("a world must not be profiled twice at a time")
        hooks.plugins.profile = profile
        try:
            yield profile
        finally:
            hooks.plugins.profile = None

    def sector(
        self,
        sector: Sector,
        pose: Pose,
        *,
        mask: int = ALL_LAYERS,
        occluders: int = 0,
        ignore: Body | Iterable[Body] = (),
    ) -> list[SectorTarget[Body]]:
        """Find bodies as `Searches.sector` does, and call the hook `impinge_sector_hit` for each of them."""
        hits = super().sector(sector, pose, mask=mask, occluders=occluders, ignore=ignore)
        self._hooks.tell_hits(self, hits)
        return hits

    def _is_deferred(self, change: Callable[..., None], *values: Any) -> bool:
        """Return whether a hook runs, and keep its change for the end of the frame."""
        if self._stepper is None:
            return False
        self._refuse_others()
        if self._hooks.changes is None:  # a proxy expands, or the changes are made now
            return False
        self._hooks.changes.append((change, *values))
        return True

    def _refuse_hooks(self, name: str) -> None:
        self._refuse_others()
        if self._hooks.is_calling:
            raise RuntimeError(f"{name} must not be called by a hook")
        if self._stepper is not None and self._journal is not None:
            raise RuntimeError(f"{name} must not be called while a lazy proxy expands in a step")

    def snapshot(self) -> bytes:
        """Return the state of the world as bytes: all that its next steps depend on, and all attributes of its bodies.

        For rollback and saves: see `restore`. The bytes contain shapes as plain numbers, but not `Body.data`. A shape
        of a custom class becomes a `Compound` of its rounded convex pieces. If the class is derived from one of
        Impinge's shapes, and the pieces are unchanged, it becomes that shape.

        Plugins are not included. The pairs that pressed in the last frame, and the pairs that pass through each other,
        are. So in the next frame after a `restore`, no old contact begins again, and every contact that ends is
        reported. One exception: the ends of contacts with bodies that were removed between the last frame and the
        snapshot are not reported.

        Returns
        -------
        bytes
            Some 240 for each body. Two worlds in the same state may have different bytes.

        Raises
        ------
        ShapeError
            If a custom shape has a piece that none of Impinge's shapes can have.

        Examples
        --------
        >>> from impinge import Box
        >>> world, loaded = World(), World()
        >>> crate = world.add(Box(2, 2), Pose(3, 4))
        >>> loaded.restore(world.snapshot())
        >>> [(body.shape, body.pose) for body in loaded]
        [(Box(width=2.0, height=2.0), Pose(x=3.0, y=4.0, angle=0.0))]
        """
        self._refuse_hooks("snapshot")
        self.expand()
        return snapshots.snapshot(self._state, self._hooks)

    def restore(self, snapshot: bytes, *, limits: snapshots.SnapshotLimits = snapshots.DEFAULT_LIMITS) -> None:
        """Restore the state of a snapshot of this world or of another one.

        The next steps are bit-identical to those of the world of the snapshot, regardless of what happened to either
        world in between. This holds on one machine; the sine of another one may differ.

        A body of the snapshot that is still in the world keeps its handle and its `Body.data`. A body that was added
        after the snapshot is removed. A body that was removed after it comes back with a new handle, whose `data` is
        None; the old handle stays removed. In a world that never had the bodies of the snapshot, all its bodies are
        removed, and all bodies of the snapshot are new.

        Parameters
        ----------
        snapshot
            Bytes that `snapshot` returned. They may come from strangers: every number is checked.
        limits
            Limits of counts and sizes, which bound time and memory.

        Raises
        ------
        SnapshotError
            If the snapshot is none, is damaged or cut off, is of a newer version of Impinge, or exceeds a limit. The
            world is unchanged then.

        Examples
        --------
        >>> from impinge import Circle
        >>> world = World()
        >>> ball = world.add(Circle(2), Pose(0, 0), data="red")
        >>> before = world.snapshot()
        >>> ball.goal = Pose(5, 0)
        >>> frame, late = world.step(), world.add(Circle(1), Pose(0, 0))
        >>> world.restore(before)
        >>> ball.pose, ball.data, list(world) == [ball], late
        (Pose(x=0.0, y=0.0, angle=0.0), 'red', True, <Body, removed>)
        >>> world.restore(before[:-1])
        Traceback (most recent call last):
        ...
        impinge.errors.SnapshotError: snapshot must be one that World.snapshot made, got 363 bytes of 364
        """
        self._refuse_hooks("restore")
        if not isinstance(limits, snapshots.SnapshotLimits):
            raise ShapeError(f"limits must be SnapshotLimits, got {limits!r}")
        self.expand()
        snapshots.restore(self, self._state, self._hooks, snapshot, limits)

    def __getstate__(self) -> dict[str, Any]:
        return self._parts()

    def _parts(self) -> dict[str, Any]:
        self.expand()
        return snapshots.parts(self, self._state, self._hooks, vars(World(entry_points=False)))

    def __setstate__(self, parts: dict[str, Any]) -> None:
        World.__init__(self, entry_points=False)
        snapshots.join(self, self._state, self._hooks, parts)

    def __copy__(self) -> Self:
        """Return a world with its own bodies, which share their `data` with this world's. It has no plugins."""
        twin = type(self).__new__(type(self))
        twin.__setstate__(self._parts() | {"bodies": snapshots.shared_handles(self._state, twin)})
        return twin

    def set_goals(self, bodies: ArrayLike, goals: ArrayLike) -> None:
        """Set the goals of many bodies at once.

        Parameters
        ----------
        bodies : (n,) int
            Their `Body.index`.
        goals : (n, 2) or (n, 3)
            x and y of each goal in the game's units, and its angle in radians. Without angles, the goals keep theirs.

        Raises
        ------
        ShapeError
            If an index belongs to no body, a number is not finite, or a body would turn by more than a hundred turns.
            No goal changes then.

        Examples
        --------
        >>> import impinge as im
        >>> world = im.World()
        >>> rows = [world.add(im.Box(2, 1), im.Pose(9 * i, 0)).index for i in range(2)]
        >>> world.set_goals(rows, [(1, 0, 0.5), (9, 3, 0)])
        >>> frame = world.step()
        >>> world.positions(rows).tolist(), world.angles(rows).tolist()
        ([[1.0, 0.0], [9.0, 3.0]], [0.5, 0.0])
        """
        rows, places = self._checked_places("goals", bodies, goals)
        if not len(rows):
            return
        if places.shape[1] == 3:
            turns = places[:, 2] - self._state.floats[rows, col.ANGLE]
            worst = int(np.abs(turns).argmax())
            checked_turn(float(places[worst, 2]), float(turns[worst]))
        if not self._is_deferred(World._set_goals, rows, places):
            self._set_goals(rows, places)

    def set_poses(self, bodies: ArrayLike, poses: ArrayLike) -> None:
        """Teleport many bodies at once, as `Body.pose` does with one: they collide with nothing on the way.

        Parameters
        ----------
        bodies : (n,) int
            Their `Body.index`.
        poses : (n, 2) or (n, 3)
            x and y of each new pose in the game's units, and its angle in radians. Without angles, the bodies keep
            theirs.

        Raises
        ------
        ShapeError
            If an index belongs to no body, or a number is not finite. No pose changes then.

        Examples
        --------
        >>> import impinge as im
        >>> world = im.World()
        >>> rows = [world.add(im.Box(2, 1), im.Pose(9 * i, 0)).index for i in range(2)]
        >>> world.set_poses(rows, [(1, 0), (9, 3)])
        >>> world.positions(rows).tolist(), [body.index for body in world.at_point((9, 3))] == rows[1:]
        ([[1.0, 0.0], [9.0, 3.0]], True)
        """
        rows, places = self._checked_places("poses", bodies, poses)
        if not len(rows):
            return
        if not self._is_deferred(World._set_poses, rows, places):
            self._set_poses(rows, places)

    def _set_poses(self, rows: NDArray[np.int64], places: NDArray[np.float64]) -> None:
        state = self._state
        angles = places[:, 2] if places.shape[1] == 3 else state.floats[rows, col.ANGLE]
        turned = rows[(state.floats[rows, col.ANGLE] != angles) | (state.floats[rows, col.GOAL_ANGLE] != angles)]
        values = np.empty((len(rows), POSES.stop - POSES.start))
        values[:, 0:2] = values[:, 2:4] = values[:, 4:6] = places[:, :2]
        values[:, 6:] = angles[:, None]
        state.note_standing(rows)
        state.note_moves(rows)
        state.underived.update(turned.tolist())
        state.floats[rows, POSES], state.ints[rows, col.STUCK_IN] = values, -1
        entry.update_all_pose_bounds(turned, *state.all_bodies())
        state.underived.difference_update(turned.tolist())

    def _set_goals(self, rows: NDArray[np.int64], places: NDArray[np.float64]) -> None:
        state = self._state
        new = np.empty(len(rows), np.int64)
        state.movers.begin()
        count = entry.set_goals(rows, places, state.highest, *state.all_bodies(), state.movers.is_noted, new)
        state.movers.add(new[:count])

    def positions(self, bodies: ArrayLike) -> NDArray[np.float64]:
        """Return the places of many bodies.

        Parameters
        ----------
        bodies : (n,) int
            Their `Body.index`.

        Returns
        -------
        (n, 2) float64
            x and y, in the game's units.
        """
        return self._state.floats[self._rows(bodies), col.START : col.START + 2]

    def poses(self, bodies: ArrayLike) -> NDArray[np.float64]:
        """Return the poses of many bodies, in the form that `set_poses` and `set_goals` take.

        Parameters
        ----------
        bodies : (n,) int
            Their `Body.index`.

        Returns
        -------
        (n, 3) float64
            x and y in the game's units, and the angle in radians, counter-clockwise.

        Examples
        --------
        >>> import impinge as im
        >>> world = im.World()
        >>> world.poses([world.add(im.Circle(2), im.Pose(5, 7, angle=3)).index]).tolist()
        [[5.0, 7.0, 3.0]]
        """
        poses: NDArray[np.float64] = self._state.floats[self._rows(bodies)[:, None], POSE_COLUMNS]
        return poses

    def angles(self, bodies: ArrayLike) -> NDArray[np.float64]:
        """Return the angles of many bodies.

        Parameters
        ----------
        bodies : (n,) int
            Their `Body.index`.

        Returns
        -------
        (n,) float64
            Radians, counter-clockwise.

        Examples
        --------
        >>> from impinge import Circle
        >>> world = World()
        >>> world.angles([world.add(Circle(2), Pose(0, 0, angle=3)).index]).tolist()
        [3.0]
        """
        angles: NDArray[np.float64] = self._state.floats[self._rows(bodies), col.ANGLE]
        return angles

    def blocked(self, bodies: ArrayLike) -> NDArray[np.uint8]:
        """Return the sides of many bodies that a mightier body still presses on at the end of the last frame.

        Parameters
        ----------
        bodies : (n,) int
            Their `Body.index`.

        Returns
        -------
        (n,) uint8
            `Side` bits.
        """
        blocked: NDArray[np.uint8] = self._state.ints[self._rows(bodies), col.BLOCKED].astype(np.uint8)
        return blocked

    def _set_shape(self, index: int, solid: Solid, shape: Any) -> None:
        """Set the shape of a body: its solid, and the object that the game gave."""
        state = self._state
        if self._is_deferred(World._set_shape, index, solid, shape):
            return
        slot, body = state.pool.take(solid), state.body(index)
        row, left = state.ints[index], state.ints.item(index, col.SOLID)
        looks, first, columns = slot.shape if shape is solid else shape, slot.first, slot.columns
        try:
            state.note_deriving(index)
            state.note_move(index)
            row[col.SOLID], row[col.POSED], row[col.SOLID_COLUMNS], body._shape = first, first, columns, looks
            state.stand(index)
        finally:
            state.pool.give_back(left if row[col.SOLID] == first else first)

    def _set_goal(self, index: int, goal: Pose) -> None:
        state = self._state
        floats = state.floats
        turns = goal.angle != floats.item(index, col.GOAL_ANGLE)
        if turns:
            checked_turn(goal.angle, goal.angle - floats.item(index, col.ANGLE))
        if self._is_deferred(World._set_goal, index, goal):
            return
        state.note_move(index)
        if turns:
            state.note_deriving(index)
            row, x, y, angle = floats[index], goal.x, goal.y, goal.angle
            row[col.GOAL], row[col.GOAL + 1], row[col.GOAL_ANGLE], row[col.REACHED_ANGLE] = x, y, angle, angle
            state.stand(index)
        else:
            floats[index, col.GOAL], floats[index, col.GOAL + 1] = goal.x, goal.y

    def _place(self, index: int, pose: Pose) -> None:
        state = self._state
        if self._is_deferred(World._place, index, pose):
            return
        row, ints, x, y, angle = state.floats[index], state.ints[index], pose.x, pose.y, pose.angle
        turns = not row[col.ANGLE] == row[col.GOAL_ANGLE] == angle
        state.note_move(index)
        if turns:
            state.note_deriving(index)
        else:
            state.note_standing(index)
        row[POSES], ints[col.STUCK_IN] = (x, y, x, y, x, y, angle, angle, angle), -1
        if turns:
            state.stand(index)

    def _turn(self, index: int, angle: float) -> None:
        """Turn a body at once."""
        state = self._state
        if self._is_deferred(World._turn, index, angle):
            return
        row = state.floats[index]
        state.note_move(index)
        if not row[col.ANGLE] == row[col.GOAL_ANGLE] == angle:
            state.note_deriving(index)
            row[col.ANGLE] = row[col.GOAL_ANGLE] = row[col.REACHED_ANGLE] = angle
            state.stand(index)

    def _set_int(self, index: int, column: int, value: int) -> None:
        """Set a column that no other column is derived from."""
        if not self._is_deferred(World._set_int, index, column, value):
            self._state.ints[index, column] = value

    def _set_slope(self, index: int, slope: float | None) -> None:
        if self._is_deferred(World._set_slope, index, slope):
            return
        state, body, cosine = self._state, self._state.body(index), floor_cosine(slope)
        state.note_deriving(index)
        state.floats[index, col.FLOOR_COSINE], body._max_slope = cosine, slope
        state.stand(index)

    def _set_float(self, index: int, column: int, value: float) -> None:
        """Set a walker setting or the restitution, and update derived columns."""
        if self._is_deferred(World._set_float, index, column, value):
            return
        self._state.note_deriving(index)
        self._state.floats[index, column] = value
        self._state.stand(index)

    def _set_rank(self, index: int, column: int, value: int) -> None:
        """Set the might or the response of a body: they decide which bodies collide with it."""
        state = self._state
        if self._is_deferred(World._set_rank, index, column, value):
            return
        if state.ints[index, column] == value:
            return
        row = state.ints[index].copy()
        row[column] = value
        time = state.floats.item(index, col.FIRST_TOUCH)
        if row[col.MIGHT] >= state.highest and row[col.RESPONSE] != col.RESPONSE_SENSOR:
            row[TOUCH_COLUMNS], time = NO_TOUCHES, math.nan
        state.note_deriving(index)
        state.movers.note(index)  # `sort_ranks` removes it if other bodies can push it
        state.ints[index], state.floats[index, col.FIRST_TOUCH], state.ranks_changed = row, time, True
        state.stand(index)
