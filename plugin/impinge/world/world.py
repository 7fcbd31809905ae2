"""Worlds: bodies of any shape in arrays, and the step. The handles that a game holds are in `bodies`."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from threading import get_ident
from time import perf_counter
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from impinge.checks import not_negative
from impinge.errors import ShapeError
from impinge.hooks import Hooks, Plugins, Profile
from impinge.kernels import columns as col
from impinge.kernels import entry
from impinge.kernels.arrays import Bodies, Candidates, FrameRows, Tree
from impinge.kernels.space import tree
from impinge.kernels.tolerances import ROUNDING
from impinge.motion import Pose
from impinge.query.records import SectorTarget
from impinge.sector.sectors import Sector, checked_pose
from impinge.shapes.solids import Solid
from impinge.sides import Side, checked_sides
from impinge.world import snapshot as state
from impinge.world.bodies import (
    ALL_LAYERS,
    REMOVED,
    Body,
    Frame,
    Response,
    WhenStuck,
    checked_integer,
    checked_might,
    checked_response,
    checked_restitution,
    checked_slope,
    checked_turn,
    checked_when_stuck,
    floor_cosine,
)
from impinge.world.interrupts import surely
from impinge.world.movers import Movers
from impinge.world.pool import GROWTH, INITIAL_POSED_COLUMNS, MAX_POSED_COLUMNS_PER_BODY, Pool
from impinge.world.queries import Searches

__all__ = ["World"]

# Largest number of bodies beside the tree until it is rebuilt. A scan of 32 costs as much as a query of the tree of
# 10,000 bodies, and building that tree takes a millisecond.
TAIL_LIMIT = 32
# The tree is rebuilt when each of its bodies has moved this many times on average: by then its boxes overlap.
MOVES_BEFORE_REBUILD = 16
# A weak body moves by a few of its sizes in this time, and sorting all costs as much as a tenth of a frame.
FRAMES_BETWEEN_SORTS = 64
# Highest `order` that a game may set. Rows of events hold it as a float, which is exact up to twice this. So as many
# bodies again can follow.
MAX_ORDER = 2**52
# Columns that refer to the row of another body.
ROW_REFERENCE_COLUMNS = (col.ANCHORED, col.ANCHORED + 1, col.FLOOR, col.STUCK_IN)
# Place and angle, as `World.poses` returns them.
POSE_COLUMNS = np.array((col.START, col.START + 1, col.ANGLE))
ANGLE_COLUMNS = np.array((col.ANGLE, col.GOAL_ANGLE, col.REACHED_ANGLE, col.BEFORE_ANGLE))


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
        self._bodies: list[Body | None] = []
        self._free: list[int] = []
        self._added = 0
        # The `unfold` functions of lazy proxies, by row; and while a proxy expands in a step, the rows of its bodies.
        self._folded: dict[int, Callable[[Body], object]] = {}
        self._unfolded: list[int] | None = None
        # The row of each `Body.order`, built at the first lookup. Some rows are those of removed bodies.
        self._row_of: dict[int, int] | None = None
        self._floats = np.zeros((16, col.FLOAT_COLUMNS))
        self._ints = np.zeros((16, col.INT_COLUMNS), np.int64)
        self._knots = np.empty((64, col.KNOT_COLUMNS))
        self._counts = np.zeros(col.COUNT_COLUMNS, np.int64)
        self._last: weakref.ref[Frame] | None = None
        self._movers = Movers(16)
        self._ranks_changed = True
        self._lowest, self._highest = 0, 0
        self._order = np.empty(0, np.int64)
        # The bodies of `_order` that others can collide with: middle ranks, and sensors.
        self._met = np.empty(0, np.int64)
        self._all_are_met = False
        # Rows that were freed since the last step: references to them mean the removed bodies.
        self._gone: set[int] = set()
        self._frames_to_sort = 0
        # The broadphase: a tree of all bodies that can push and all sensors, and a tail of those that were added later.
        self._nodes = np.empty((0, 4))
        self._levels = np.zeros(2, np.int64)
        self._leaves = np.empty(0, np.int64)
        self._leaf_of = np.full(16, -1, np.int64)
        self._is_used = np.zeros(16, np.bool_)
        # Scratch arrays of the kernel. Allocating them takes longer than a frame with few moving bodies.
        self._near, self._tags = np.empty((16, col.NEAR_COLUMNS)), np.empty((16, col.TAG_COLUMNS), np.int64)
        self._marks = np.full(16, -1, np.int64)
        self._last_frames = np.empty((0, col.LAST_FRAME_COLUMNS))
        self._tail = np.empty(0, np.int64)
        self._moves = 0
        self._pool = Pool()
        self._roll = state.Roll()
        self._verdicts = np.empty((0, col.VERDICT_COLUMNS))
        self._touches = np.empty((64, col.TOUCH_COLUMNS))
        self._hooks = Hooks()
        # While hooks of a frame run: the changes to apply at its end, each with its rows, and the bodies to add. At
        # other times, None and an empty dictionary.
        self._changes: list[tuple[Any, ...]] | None = None
        self._arriving: dict[int, Body] = {}
        if entry_points:
            self._hooks.register_installed(entry_points == "strict")

    def __len__(self) -> int:
        return int(np.count_nonzero(self._is_used))

    def __iter__(self) -> Iterator[Body]:
        return (body for body in self._bodies if body is not None)

    @property
    def next_order(self) -> int:
        """Return the `Body.order` of the next body: higher than that of any body so far."""
        return self._added

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
        unfold: Callable[[Body], object] | None = None,
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
            Place in the order of adding, which breaks ties among equals; None for the end. For a body that comes back
            to its former place, or takes the place of another one.
        unfold
            Makes the body a lazy proxy: it replaces other bodies until something approaches. The step calls this
            function with the proxy before a weaker body comes near it, or any body if the proxy is a sensor. The
            function removes the proxy and adds the other bodies within its bounds. They take part at once. The frame is
            the same as if they had always been there, if they do not move and sense nothing. The function must not
            raise. Frames with active plugins, snapshots and copies call it first. See `unfold`.
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
        solid = self._hooks.solid_of("shape", shape)
        checked_pose("pose", pose)
        numbers = {
            col.MIGHT: checked_might(might),
            col.LAYER: checked_integer("layer", layer, 1),
            col.MASK: checked_integer("mask", mask, 0),
            col.RESPONSE: checked_response(response),
            col.WHEN_STUCK: checked_when_stuck(when_stuck),
            col.CARRYING: checked_sides("carrying", carrying),
            col.STICKY: checked_sides("sticky", sticky),
            col.PASSABLE: checked_sides("passable", passable),
        }
        slope = checked_slope(max_slope)
        sizes = {
            col.RESTITUTION: checked_restitution(restitution),
            col.FLOOR_COSINE: floor_cosine(slope),
            col.SNAP: not_negative("snap", snap),
            col.STEP_HEIGHT: not_negative("step_height", step_height),
        }
        place = self._added if order is None else self._free_order(order)
        self._check_unfold(unfold)
        self._refuse_others()
        if self._hooks.start is not None:
            self._hooks.start.keep_pool(self)
        slot = self._pool.take(solid)
        index = -1
        try:
            index = self._take_row()
            numbers |= {col.ORDER: place, col.SOLID: slot.first, col.POSED: slot.first}
            numbers[col.SOLID_COLUMNS] = slot.columns
            self._write_row(index, pose, numbers, sizes)
            body = Body(self, index, slot.shape if shape is solid else shape, slope, data)
            if unfold is not None:
                self._ints[index, col.IS_PROXY] = 1
                self._folded[index] = unfold
            if self._changes is None:
                self._enter(index, body)
            else:
                self._arriving[index] = body
        except BaseException:  # memory has run out, or a signal interrupts
            if index >= 0:
                self._arriving.pop(index, None)
                self._movers.forget(index)
                self._clear_row(index)
                self._free.append(index)
            self._pool.give_back(slot.first)
            raise
        self._added = max(self._added, place + 1)
        if self._row_of is not None:
            self._row_of[place] = index
            if len(self._row_of) > 2 * len(self._bodies):
                self._row_of = None  # most of its bodies were removed
        return body

    def _write_row(self, index: int, pose: Pose, numbers: dict[int, int], sizes: dict[int, float]) -> None:
        """Write the row of a new body: its pose, and the given columns."""
        ints, floats = self._ints[index], self._floats[index]
        ints[:], floats[:] = 0, 0.0
        for column in ROW_REFERENCE_COLUMNS:
            ints[column] = -1
        for column, number in numbers.items():
            ints[column] = number
        for column, size in sizes.items():
            floats[column] = size
        floats[col.FIRST_TOUCH] = np.nan
        for column in (col.START, col.GOAL, col.REACHED, col.BEFORE):
            floats[column], floats[column + 1] = pose.x, pose.y
        floats[ANGLE_COLUMNS] = pose.angle
        self._stand(index)

    def _free_order(self, order: int) -> int:
        """Return a place in the order of adding, or raise an error if a body has it."""
        checked_integer("order", order, 0)
        if order > MAX_ORDER or (order < self._added and self._has_order(order)):
            raise ShapeError(f"order must be one that no body has, and at most {MAX_ORDER}, got {order}")
        return order

    def _has_order(self, order: int) -> bool:
        """Return whether a body has this place in the order of adding."""
        if self._row_of is None:
            self._row_of = self._rows_by_order()
        row = self._row_of.get(order)
        if row is None or self._ints[row, col.ORDER] != order:
            return False
        return bool(self._is_used[row] or row in self._arriving)

    def _rows_by_order(self) -> dict[int, int]:
        """Return the rows of all bodies by their places in the order of adding."""
        rows = [*np.flatnonzero(self._is_used[: len(self._bodies)]).tolist(), *self._arriving]
        return dict(zip(self._ints[rows, col.ORDER].tolist(), rows, strict=True))

    def _enter(self, index: int, body: Body) -> None:
        """Activate a body that already has its row."""
        self._roll.enter(index)
        self._bodies[index] = body
        self._is_used[index] = True
        if self._unfolded is not None:
            self._unfolded.append(index)
        self._ranks_changed = True
        self._note_standing(index)
        self._note_move(index)

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
        last = self._last() if self._last is not None else None
        if last is not None:
            last.events  # noqa: B018  builds the events now: another body may get this one's row
        body = self._body(index)

        def take_out() -> None:
            self._ranks_changed = True
            self._movers.forget(index)
            self._note_standing(index)
            self._gone.add(index)
            body._world = None
            self._clear_row(index)

        surely(take_out)
        self._free.append(index)
        self._give_back(index)

    def step(self) -> Frame:
        """Advance all bodies by one frame: each towards its goal, the mightiest first.

        Raises
        ------
        RuntimeError
            If a hook calls this method, or another thread is in a step of this world.
        Exception
            Any exception of a hook, with a note that names the hook and its plugin. The world is then as it was before.
        """
        thread = get_ident()
        self._refuse_hooks("step")
        # Again, as the interpreter may have changed threads at the end of that call. Here it does not.
        if self._stepper is not None:
            self._refuse_others()
        self._stepper = thread
        begun = perf_counter()
        try:
            if self._hooks.has_frames:
                self.unfold()
                return self._hooks.step(self)
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
            surely(self._undo_frame)
            raise

    def _undo_frame(self) -> None:
        """Undo what the kernel has written of a frame that is not committed."""
        bodies = Bodies(self._floats, self._ints, self._pool.rows)
        entry.undo(self._order, bodies, self._last_frames, self._counts)

    def _make_frame(self, asks: int) -> Frame:
        self._counts.fill(0)
        self._counts[col.LISTENS] = asks
        if self._gone:
            self._forget_gone()
        self._frames_to_sort -= 1
        if self._ranks_changed:
            self._sort_ranks()
        elif self._frames_to_sort <= 0:
            self._sort_order()
        movers = self._set_out()
        events = np.empty((2 * len(self._order) + 8, col.EVENT_COLUMNS))
        if len(self._last_frames) < len(self._order):
            self._last_frames = np.empty((len(self._order), col.LAST_FRAME_COLUMNS))
        if not self._pool.has_room_behind():
            self._forget_stances()
        self._count_stances()
        done, begun_anew = 0, -1
        while True:
            self._counts[col.LOWEST_MIGHT], self._counts[col.LONGEST_ROW] = self._lowest, self._pool.longest
            done = entry.step(
                done,
                self._order,
                Bodies(self._floats, self._ints, self._pool.rows),
                FrameRows(self._knots, events, self._verdicts, self._counts),
                Tree(self._nodes, self._levels, self._leaves, self._leaf_of, self._tail),
                Candidates(self._near, self._tags, self._marks),
                self._touches,
                self._last_frames,
            )
            if done == len(self._order):
                break
            lacks = int(self._counts[col.LACKS])
            if lacks & col.LACKS_EVENTS:
                rows = max(2 * len(events), int(self._counts[col.ROWS_WANTED]))
                events = np.concatenate((events, np.empty((rows - len(events), col.EVENT_COLUMNS))))
            if lacks & col.LACKS_KNOTS:
                self._knots = np.concatenate((self._knots, np.empty_like(self._knots)))
            if lacks & col.LACKS_TOUCHES:
                # They belong to the current body, which is resolved again, so their contents are not copied.
                self._touches = np.empty((2 * len(self._touches), self._touches.shape[1]))
            if self._counts[col.PROXY_NEAR]:
                self._unfold_in_frame(int(self._counts[col.PROXY_NEAR]) - 1)
            if lacks & col.LACKS_NEAR:
                rows = 2 * len(self._near)
                self._near, self._tags = np.empty((rows, col.NEAR_COLUMNS)), np.empty((rows, col.TAG_COLUMNS), np.int64)
            if lacks & col.LACKS_STANCES:
                doubled, most = 2 * self._pool.stances, MAX_POSED_COLUMNS_PER_BODY * len(self._bodies)
                # If this body already had all columns to itself, it alone needs more than the limit.
                self._set_stances(doubled if begun_anew == done else max(self._pool.stances, min(doubled, most)))
                self._count_stances()
                begun_anew = done
            if self._counts[col.ASKED]:
                self._hooks.answer(self, int(self._order[done]))
                if not self._pool.has_room_behind():
                    # The solids for a pair may have longer rows than the bodies' own.
                    self._forget_stances()
                    self._count_stances()
            self._counts[col.EVENT_TOTAL] = self._counts[col.EVENTS_KEPT]
            self._counts[col.KNOT_TOTAL] = self._counts[col.KNOTS_KEPT]
        self._pool.stance_total = int(self._counts[col.STANCE_TOTAL])
        self._commit_all(movers)
        result = Frame(events[: self._counts[col.EVENT_TOTAL]], self._bodies)
        self._last = weakref.ref(result)
        return result

    def unfold(self, bodies: Iterable[Body] | None = None) -> int:
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
            If the `unfold` function of a proxy does not remove it.
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
        >>> chunk = world.add(im.Box(40, 10), im.Pose(15, 0), might=1, unfold=load)
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
        if not self._folded:  # as in most frames
            return 0
        self._refuse_others()
        total = 0
        if bodies is None:
            while self._folded:  # a proxy may expand into other proxies
                self._unfold(next(iter(self._folded)))
                total += 1
            return total
        for row in dict.fromkeys([self._own("bodies", body) for body in bodies]):
            if row in self._folded:
                self._unfold(row)
                total += 1
        return total

    def _unfold(self, index: int) -> None:
        unfold, body = self._folded[index], self._body(index)
        unfold(body)
        if body._world is self:
            raise RuntimeError(f"unfold must remove the body that it is called with, got {unfold!r} for {body!r}")

    def _unfold_in_frame(self, index: int) -> None:
        """Expand a proxy within a step. The tree stays unchanged, and the new bodies go to its tail."""
        self._unfolded = []
        try:
            self._unfold(index)
        finally:
            came, self._unfolded = np.array(self._unfolded, np.int64), None
        self._tail = np.concatenate((self._tail, came[self._is_met(came)]))
        if not self._pool.has_room_behind():
            self._forget_stances()
            self._count_stances()

    def _check_unfold(self, unfold: object) -> None:
        if unfold is None:
            return
        if not callable(unfold):
            raise ShapeError(f"unfold must be a function or None, got {unfold!r}")
        if self._changes is not None:
            raise RuntimeError("unfold must be None for a body that a hook adds")

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
        is_row = isinstance(index, (int, np.integer)) and 0 <= index < len(self._bodies)
        body = self._bodies[index] if is_row else None
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
        if self._changes is None:  # a proxy expands, or the changes are made now
            return False
        self._changes.append((change, *values))
        return True

    def _refuse_hooks(self, name: str) -> None:
        self._refuse_others()
        if self._hooks.is_calling:
            raise RuntimeError(f"{name} must not be called by a hook")
        if self._unfolded is not None:
            raise RuntimeError(f"{name} must not be called while a body unfolds in a step")

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
        self.unfold()
        return state.snapshot(self)

    def restore(self, snapshot: bytes, *, limits: state.SnapshotLimits = state.DEFAULT_LIMITS) -> None:
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
        impinge.errors.SnapshotError: snapshot must be one that World.snapshot made, got 362 bytes of 363
        """
        self._refuse_hooks("restore")
        if not isinstance(limits, state.SnapshotLimits):
            raise ShapeError(f"limits must be SnapshotLimits, got {limits!r}")
        self.unfold()
        state.restore(self, snapshot, limits)

    def __getstate__(self) -> dict[str, Any]:
        self.unfold()
        return state.parts(self, vars(World(entry_points=False)))

    def __setstate__(self, parts: dict[str, Any]) -> None:
        World.__init__(self, entry_points=False)
        state.join(self, parts)

    def __copy__(self) -> Self:
        """Return a world with its own bodies, which share their `data` with this world's. It has no plugins."""
        self.unfold()
        twin = type(self).__new__(type(self))
        twin.__setstate__(state.shared_parts(self, twin, vars(World(entry_points=False))))
        return twin

    def _set_out(self) -> NDArray[np.int64]:
        """Give all bodies that others can collide with their paths of this frame; return those of the highest rank."""
        movers = self._movers.rows()
        bodies = np.concatenate((movers, self._met)) if len(self._met) else movers
        if len(bodies):
            if 0 < MOVES_BEFORE_REBUILD * len(self._leaves) < self._moves:
                # The knots of the last frame's paths are no longer valid.
                self._ints[bodies, col.KNOT_COUNT] = 0
                self._build_tree()
            self._moves += len(bodies)
            entry.set_straight_paths(
                self._nodes, self._levels, self._leaf_of, self._floats, self._ints, self._knots, bodies
            )
        return movers

    def _commit_all(self, movers: NDArray[np.int64]) -> None:
        """Move all bodies to the end of their paths, and keep the movers of the highest rank that moved.

        The swept bounds of these are still in the tree, so the next frame must refit their leaves even if they rest.
        """
        weak = len(self._order)
        bodies = np.concatenate((self._order, movers)) if len(movers) else self._order
        moved = np.empty(len(bodies), np.bool_)
        # Before they move: whatever an interruption leaves out after the kernel must not matter.
        self._note_standing(bodies)
        entry.commit(bodies, weak, self._floats, self._ints, self._pool.rows, moved, self._counts)
        if len(movers):
            self._movers.keep(movers[moved[weak:]])

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
            turns = places[:, 2] - self._floats[rows, col.ANGLE]
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
        for column in (col.START, col.GOAL, col.REACHED):
            self._floats[rows, column : column + 2] = places[:, :2]
        self._ints[rows, col.STUCK_IN] = -1
        angles = places[:, 2] if places.shape[1] == 3 else self._floats[rows, col.ANGLE]
        turned = (self._floats[rows, col.ANGLE] != angles) | (self._floats[rows, col.GOAL_ANGLE] != angles)
        for place in np.flatnonzero(turned).tolist():
            self._turn(int(rows[place]), float(angles[place]))
        self._note_standing(rows)
        self._note_moves(rows)

    def _set_goals(self, rows: NDArray[np.int64], places: NDArray[np.float64]) -> None:
        movers = np.empty(len(rows), np.int64)
        is_noted = self._movers.is_noted
        try:
            count = entry.set_goals(
                rows, places, self._highest, self._floats, self._ints, self._pool.rows, is_noted, movers
            )
            self._movers.add(movers[:count])
        except BaseException:  # an interruption between the two
            self._movers.keep(np.flatnonzero(is_noted))
            raise

    def _note_moves(self, rows: NDArray[np.int64]) -> None:
        is_top = self._ints[rows, col.MIGHT] >= self._highest
        for index in rows[is_top & (self._ints[rows, col.RESPONSE] != col.RESPONSE_SENSOR)].tolist():
            self._movers.note(index)

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
        return self._floats[self._rows(bodies), col.START : col.START + 2]

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
        poses: NDArray[np.float64] = self._floats[self._rows(bodies)[:, None], POSE_COLUMNS]
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
        angles: NDArray[np.float64] = self._floats[self._rows(bodies), col.ANGLE]
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
        blocked: NDArray[np.uint8] = self._ints[self._rows(bodies), col.BLOCKED].astype(np.uint8)
        return blocked

    def _clear_row(self, index: int) -> None:
        # Its leaf stays in the tree, but with layer and mask 0 it collides with nothing.
        row = self._ints[index]
        row[col.MIGHT], row[col.RESPONSE] = REMOVED, col.RESPONSE_PUSH
        row[col.LAYER] = row[col.MASK] = 0
        row[col.IS_PROXY] = 0
        self._folded.pop(index, None)
        self._bodies[index] = None
        self._is_used[index] = False

    def _take_row(self) -> int:
        """Return a free row, or a new one."""
        if self._changes is None and self._unfolded is None:
            return self._free.pop() if self._free else self._new_row()
        # Within a frame, a leaf of the tree, or a reference to a body that was just removed, may still lead to a free
        # row. Such a row must not go to a new body.
        for place in range(len(self._free) - 1, max(len(self._free) - TAIL_LIMIT, 0) - 1, -1):
            if self._leaf_of[self._free[place]] < 0 and self._free[place] not in self._gone:
                return self._free.pop(place)
        return self._new_row()

    def _new_row(self) -> int:
        index = len(self._bodies)
        self._make_room(index + 1)
        self._bodies.append(None)
        return index

    def _make_room(self, rows: int) -> None:
        """Grow all arrays to at least this number of rows for bodies."""
        more = rows - len(self._floats)
        if more > 0:
            more = max(more, int(GROWTH * len(self._floats)))
            self._movers.make_room(len(self._floats) + more)
            # All of them at once: if memory runs out, or a signal interrupts, no array is longer than another.
            grown = {
                "_floats": np.concatenate((self._floats, np.zeros((more, col.FLOAT_COLUMNS)))),
                "_ints": np.concatenate((self._ints, np.zeros((more, col.INT_COLUMNS), np.int64))),
                "_leaf_of": np.concatenate((self._leaf_of, np.full(more, -1))),
                "_is_used": np.concatenate((self._is_used, np.zeros(more, np.bool_))),
                "_marks": np.full(len(self._floats) + more, -1, np.int64),
            }
            vars(self).update(grown)

    def _pose(self, index: int, place: int, angle: int) -> Pose:
        item = self._floats.item
        return Pose(item(index, place), item(index, place + 1), item(index, angle))

    def _set_shape(self, index: int, solid: Solid, shape: Any) -> None:
        """Set the shape of a body: its solid, and the object that the game gave."""
        if self._is_deferred(World._set_shape, index, solid, shape):
            return
        slot, row, body = self._pool.take(solid), self._ints[index], self._body(index)
        before = int(row[col.SOLID])

        def set_shape() -> None:
            row[col.SOLID] = row[col.POSED] = slot.first
            row[col.SOLID_COLUMNS] = slot.columns
            body._shape = slot.shape if shape is solid else shape
            self._stand(index)
            self._note_move(index)

        surely(set_shape)
        self._pool.give_back(before)

    def _give_back(self, index: int) -> None:
        """Free the columns of a body in the pool."""
        self._pool.give_back(int(self._ints[index, col.SOLID]))

    def _set_goal(self, index: int, goal: Pose) -> None:
        row = self._floats[index]
        if goal.angle != row.item(col.GOAL_ANGLE):
            checked_turn(goal.angle, goal.angle - row.item(col.ANGLE))
        if self._is_deferred(World._set_goal, index, goal):
            return
        row[col.GOAL], row[col.GOAL + 1] = goal.x, goal.y
        if row.item(col.GOAL_ANGLE) != goal.angle:
            row[col.GOAL_ANGLE] = row[col.REACHED_ANGLE] = goal.angle
            self._stand(index)
        self._note_move(index)

    def _place(self, index: int, pose: Pose) -> None:
        if self._is_deferred(World._place, index, pose):
            return
        row = self._floats[index]
        for column in (col.START, col.GOAL, col.REACHED):
            row[column], row[column + 1] = pose.x, pose.y
        self._ints[index, col.STUCK_IN] = -1
        self._turn(index, pose.angle)
        self._note_standing(index)

    def _turn(self, index: int, angle: float) -> None:
        """Turn a body at once."""
        if self._is_deferred(World._turn, index, angle):
            return
        row = self._floats[index]
        if not row[col.ANGLE] == row[col.GOAL_ANGLE] == angle:
            row[col.ANGLE] = row[col.GOAL_ANGLE] = row[col.REACHED_ANGLE] = angle
            self._stand(index)
        self._note_move(index)

    def _set_int(self, index: int, column: int, value: int) -> None:
        """Set a column that no other column is derived from."""
        if not self._is_deferred(World._set_int, index, column, value):
            self._ints[index, column] = value

    def _set_slope(self, index: int, slope: float | None) -> None:
        if self._is_deferred(World._set_slope, index, slope):
            return
        self._body(index)._max_slope = slope
        self._set_float(index, col.FLOOR_COSINE, floor_cosine(slope))

    def _set_float(self, index: int, column: int, value: float) -> None:
        """Set a walker setting or the restitution, and update derived columns."""
        if self._is_deferred(World._set_float, index, column, value):
            return
        self._floats[index, column] = value
        self._stand(index)

    def _set_rank(self, index: int, column: int, value: int) -> None:
        """Set the might or the response of a body: they decide which bodies collide with it."""
        if self._is_deferred(World._set_rank, index, column, value):
            return
        if self._ints[index, column] == value:
            return
        self._ints[index, column] = value
        self._ranks_changed = True
        self._stand(index)
        self._movers.forget(index)
        self._note_move(index)
        if self._is_top(index):
            self._forget_touches(np.array((index,)))

    def _stand(self, index: int) -> None:
        """Update the columns that are derived from a body's shape, angles and response."""
        entry.update_all_pose_bounds(np.array((index,)), self._floats, self._ints, self._pool.rows)
        self._note_standing(index)

    def _refuse_reach(self, index: int, solid: Solid) -> None:
        """Raise an error if a hook answers with a solid that leaves the bounds of the body's own solid.

        The broadphase finds the body by its own bounds.
        """
        row = self._floats[index]
        angle, goal = row[col.ANGLE], row[col.GOAL_ANGLE]
        bounds = solid.bounds(Pose(0.0, 0.0, float(angle)))
        lower, upper = (row[first : first + 2] for first in (col.LOWER_REACH, col.UPPER_REACH))
        spare = ROUNDING * (upper - lower).max()
        reaches = [*(lower - bounds[:2]), *(bounds[2:] - upper)]
        if angle != goal:
            reaches = [solid.row[col.FARTHEST] - upper.max()]
        if max(reaches) > spare:
            raise ShapeError(
                f"impinge_narrowphase must not answer with what reaches beyond the bounds of {self._body(index)!r}, "
                f"got {solid!r}"
            )

    def _forget_stances(self) -> None:
        """Discard all posed solids, and reserve columns for new ones."""
        self._set_stances(max(self._pool.stances, INITIAL_POSED_COLUMNS))

    def _set_stances(self, columns: int) -> None:
        """Reserve this number of columns for posed solids, and mark all bodies as not posed."""
        ints = self._ints[: len(self._bodies)]
        ints[ints[:, col.POSED] != ints[:, col.SOLID], col.POSED] = col.NOT_POSED
        self._pool.set_stances(columns)

    def _count_stances(self) -> None:
        """Tell the kernel which columns are for posed solids."""
        self._counts[col.STANCE_TOTAL] = self._pool.stance_total
        self._counts[col.STANCE_END] = self._pool.stance_end
        # No column counts as free until the frame ends: after an interruption, the used ones are unknown.
        self._pool.stance_total = self._pool.stance_end

    def _note_move(self, index: int) -> None:
        if self._is_top(index):
            self._movers.note(index)

    def _is_top(self, index: int) -> bool:
        """Return whether no body can push this one: it has the highest rank and is no sensor."""
        item = self._ints.item
        return item(index, col.MIGHT) >= self._highest and item(index, col.RESPONSE) != col.RESPONSE_SENSOR

    def _forget_gone(self) -> None:
        """Clear references to removed bodies, which may lead to the new bodies in their rows."""
        is_gone = np.zeros(len(self._bodies), np.bool_)
        is_gone[list(self._gone)] = True
        for column in ROW_REFERENCE_COLUMNS:
            noted = self._ints[: len(self._bodies), column]
            noted[is_gone[noted] & (noted >= 0)] = -1
        self._gone.clear()

    def _forget_touches(self, bodies: NDArray[np.int64]) -> None:
        """Clear the contacts of the last frame for bodies that no body can push any more."""
        for column in (col.SIDES, col.STUCK, col.BLOCKED, col.KNOT_COUNT, col.IS_CUT_SHORT):
            self._ints[bodies, column] = 0
        self._ints[bodies, col.FLOOR] = self._ints[bodies, col.STUCK_IN] = -1
        self._floats[bodies, col.FIRST_TOUCH] = np.nan

    def _sort_ranks(self) -> None:
        """Sort the bodies by rank, and put all bodies that others can collide with into the tree or its tail.

        Only bodies that push or are pushed have a rank: a sensor has none.
        """
        ints = self._ints[: len(self._bodies)]
        alive = np.flatnonzero(self._is_used[: len(self._bodies)])
        is_sensor = ints[alive, col.RESPONSE] == col.RESPONSE_SENSOR
        mights = ints[alive, col.MIGHT]
        ranks = mights[~is_sensor]
        ends = (int(ranks.min()), int(ranks.max())) if len(ranks) else (0, 0)
        if ends != (self._lowest, self._highest):
            top = alive[(mights == ends[1]) & ~is_sensor]
            self._forget_touches(top)
            self._movers.keep(top)
            self._lowest, self._highest = ends
        self._order = alive[(mights < self._highest) | is_sensor]
        ints[:, col.LOOKS] = 0
        ints[self._order, col.LOOKS] = 1
        # Bodies of the highest rank are not in the order, so sensors must find them. With a single rank, no other body
        # needs them in the tree.
        self._all_are_met = self._lowest == self._highest and bool(is_sensor.any())
        self._sort_order()
        met = alive[self._is_met(alive)]
        self._tail = met[self._leaf_of[met] < 0]
        if len(self._tail) > TAIL_LIMIT:
            self._build_tree()
        self._ranks_changed = False

    def _sort_order(self) -> None:
        """Sort the weak bodies by rank, the mightiest first, and along a Hilbert curve within each.

        Bodies of one rank do not see each other, so their order is free. Nearby bodies in sequence use the same part of
        the tree, which is then still in the cache.
        """
        keys = np.empty(len(self._order), np.int64)
        entry.hilbert_keys(self._floats, self._order, keys)
        self._order = self._order[np.lexsort((keys, -self._ints[self._order, col.MIGHT]))]
        self._met = self._order[self._is_met(self._order)]
        self._frames_to_sort = FRAMES_BETWEEN_SORTS

    def _is_met(self, bodies: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which bodies others can collide with: all that can push, sensors, and all that only sensors detect."""
        is_met: NDArray[np.bool_] = (self._ints[bodies, col.MIGHT] > self._lowest) | self._all_are_met
        is_met |= self._ints[bodies, col.RESPONSE] == col.RESPONSE_SENSOR
        return is_met

    def _build_tree(self) -> None:
        alive = np.flatnonzero(self._is_used[: len(self._bodies)])
        met = alive[self._is_met(alive)]
        keys = np.empty(len(met), np.int64)
        entry.hilbert_keys(self._floats, met, keys)
        self._leaves = met[np.argsort(keys, kind="stable")]
        self._levels = tree.level_starts(len(met))
        self._nodes = np.empty((int(self._levels[-1]), 4))
        self._tail = np.empty(0, np.int64)
        self._moves = 0
        entry.fill_tree(self._nodes, self._levels, self._leaf_of, self._floats, self._ints, self._knots, self._leaves)
