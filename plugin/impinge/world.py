"""Many bodies, one frame at a time. The bodies lie in arrays; the objects here are handles and answers."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from impinge.errors import ShapeError
from impinge.kernels import frame, layout, sectors, sights, tree, visibility
from impinge.kernels.neighbours import NEAR_COLUMNS, TAG_COLUMNS
from impinge.motion import Pose
from impinge.push import upright
from impinge.sector import Sector, SectorHit, checked_pose, checked_sector, facing
from impinge.shapes import Box
from impinge.sides import Side, checked_sides

__all__ = ["ALL_LAYERS", "Body", "Event", "Frame", "World"]

# Every bit that a layer can have: 63, the positive part of a 64-bit integer.
ALL_LAYERS = (1 << 63) - 1

# Bodies that stand beside the tree until it is built again. Looking through 32 costs what a look into the tree of
# 10,000 costs, and building that takes a millisecond.
TAIL_LIMIT = 32
# The tree is built again when each of its bodies has moved this many times on average: its boxes have grown together.
MOVES_BEFORE_REBUILD = 16
# A weak body wanders a few of its sizes in this time, and sorting them costs as much as a tenth of a frame.
FRAMES_BETWEEN_SORTS = 64
# All bodies are boxes: each is this one, drawn out.
_SQUARE = Box(2, 2)
REMOVED = np.iinfo(np.int64).min


@dataclass(frozen=True, slots=True)
class Event:
    """A contact of one frame.

    Attributes
    ----------
    kind
        ``"push"``: the mighty body kept the weak one out. ``"stuck"``: the weak one had no room between it and another.
    time
        When it began, from 0 to 1.
    weak, mighty
        The bodies.
    side
        The side of the weak body that was touched.
    speed
        Speed of the mighty body towards the weak one, in units a frame: positive when it pushes, 0 when the weak one
        ran against it, negative when it recedes.
    """

    kind: Literal["push", "stuck"]
    time: float
    weak: Body
    mighty: Body
    side: Side
    speed: float


class Frame:
    """What happened in one step; the events become objects when they are first asked for."""

    def __init__(self, rows: NDArray[np.float64], bodies: list[Body | None]) -> None:
        self._rows = rows
        self._bodies = bodies

    @cached_property
    def events(self) -> tuple[Event, ...]:
        """All events in order of time; at the same time pushes first, then by the order in which bodies were added."""
        rows: list[list[float]] = self._rows.tolist()
        rows.sort(
            key=itemgetter(layout.EVENT_TIME, layout.EVENT_KIND, layout.EVENT_WEAK_ORDER, layout.EVENT_MIGHTY_ORDER)
        )
        return tuple(map(self._event, rows))

    @property
    def pushes(self) -> tuple[Event, ...]:
        """The events of kind ``"push"``."""
        return tuple(event for event in self.events if event.kind == "push")

    @property
    def stuck(self) -> tuple[Event, ...]:
        """The events of kind ``"stuck"``."""
        return tuple(event for event in self.events if event.kind == "stuck")

    def _event(self, row: list[float]) -> Event:
        weak, mighty = self._bodies[int(row[layout.EVENT_WEAK])], self._bodies[int(row[layout.EVENT_MIGHTY])]
        assert weak is not None
        assert mighty is not None
        return Event(
            "stuck" if row[layout.EVENT_KIND] == layout.KIND_STUCK else "push",
            row[layout.EVENT_TIME],
            weak,
            mighty,
            Side(int(row[layout.EVENT_SIDE])),
            row[layout.EVENT_SPEED],
        )


class Body:
    """A body of a `World`, made by `World.add`.

    Attributes
    ----------
    data
        Whatever the game wants to find again here.
    """

    __slots__ = ("__weakref__", "_index", "_shape", "_world", "data")

    def __init__(self, world: World, index: int, shape: Box, data: Any) -> None:
        self._world: World | None = world
        self._index = index
        self._shape = shape
        self.data = data

    def __repr__(self) -> str:
        if self._world is None:
            return "<Body, removed>"
        return f"<Body {self._index}: {self._shape} at {self.pose}>"

    @property
    def world(self) -> World:
        """The world it belongs to."""
        if self._world is None:
            raise ValueError("this body was removed from its world")
        return self._world

    @property
    def index(self) -> int:
        """Its row in `World.set_goals` and `World.positions`; given to another body once this one is removed."""
        self.world  # noqa: B018  a removed body has no row
        return self._index

    @property
    def shape(self) -> Box:
        """Its shape; a new one takes effect at the next step."""
        return self._shape

    @shape.setter
    def shape(self, shape: Box) -> None:
        self.world._set_shape(self._index, checked_box(shape))
        self._shape = shape

    @property
    def pose(self) -> Pose:
        """Where it stands. To set it moves the body there at once, and nothing in between is met."""
        return Pose(*self.world._pair(self._index, layout.START))

    @pose.setter
    def pose(self, pose: Pose) -> None:
        self.world._place(self._index, *upright("pose", pose))

    @property
    def previous(self) -> Pose:
        """Where it stood at the start of the last frame."""
        return Pose(*self.world._pair(self._index, layout.BEFORE))

    @property
    def goal(self) -> Pose:
        """Where it would like to be at the frame's end; after each step, where it is."""
        return Pose(*self.world._pair(self._index, layout.GOAL))

    @goal.setter
    def goal(self, goal: Pose) -> None:
        self.world._set_goal(self._index, *upright("goal", goal))

    @property
    def might(self) -> int:
        """Its rank: it pushes bodies of lower might, and is pushed by those of higher."""
        return int(self.world._ints[self._index, layout.MIGHT])

    @property
    def carrying(self) -> Side:
        """Its sides that take a weaker body along."""
        return self._sides(layout.CARRYING)

    @carrying.setter
    def carrying(self, sides: Side) -> None:
        self.world._ints[self._index, layout.CARRYING] = checked_sides("carrying", sides)

    @property
    def sticky(self) -> Side:
        """Its sides that hold a weaker body."""
        return self._sides(layout.STICKY)

    @sticky.setter
    def sticky(self, sides: Side) -> None:
        self.world._ints[self._index, layout.STICKY] = checked_sides("sticky", sides)

    @property
    def passable(self) -> Side:
        """Its sides that let a weaker body in."""
        return self._sides(layout.PASSABLE)

    @passable.setter
    def passable(self, sides: Side) -> None:
        self.world._ints[self._index, layout.PASSABLE] = checked_sides("passable", sides)

    @property
    def sides(self) -> Side:
        """Its sides that a mightier body touched in the last frame."""
        return self._sides(layout.SIDES)

    @property
    def blocked(self) -> Side:
        """Its sides that a mightier body still presses on at the frame's end."""
        return self._sides(layout.BLOCKED)

    @property
    def stuck(self) -> Side:
        """Its sides between which it had no room in the last frame."""
        return self._sides(layout.STUCK)

    @property
    def time(self) -> float | None:
        """When it was first touched in the last frame, from 0 to 1; None if it was not."""
        time = float(self.world._floats[self._index, layout.TIME])
        return None if time != time else time

    def _sides(self, column: int) -> Side:
        return Side(int(self.world._ints[self._index, column]))


class World:
    """Bodies of several ranks, and the frames they go through.

    Examples
    --------
    A lift takes a creature up; the creature falls by 5 a frame, the lift rises by 3:

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

    def __init__(self) -> None:
        self._bodies: list[Body | None] = []
        self._free: list[int] = []
        self._added = 0
        self._floats = np.zeros((16, layout.FLOAT_COLUMNS))
        self._ints = np.zeros((16, layout.INT_COLUMNS), np.int64)
        self._knots = np.empty((64, layout.KNOT_COLUMNS))
        self._counts = np.zeros(layout.COUNT_COLUMNS, np.int64)
        self._last: weakref.ref[Frame] | None = None
        # Bodies of the highest rank that do not rest; the others are met in every frame anyway.
        self._moved: dict[int, None] = {}
        self._ranks_changed = True
        self._lowest, self._highest = 0, 0
        self._order = np.empty(0, np.int64)
        self._middle = 0
        self._frames_to_sort = 0
        # The broadphase: a tree over all bodies that can push, and a tail of those that came after it was built.
        self._nodes = np.empty((0, 4))
        self._levels = np.zeros(2, np.int64)
        self._leaves = np.empty(0, np.int64)
        self._leaf_of = np.full(16, -1, np.int64)
        self._is_used = np.zeros(16, np.bool_)
        # The kernel's own rows: made once, as making them takes longer than a frame with few bodies that move.
        self._near = np.empty((16, NEAR_COLUMNS))
        self._tags = np.empty((16, TAG_COLUMNS), np.int64)
        self._marks = np.full(16, -1, np.int64)
        self._tail = np.empty(0, np.int64)
        self._moves = 0

    def __len__(self) -> int:
        return len(self._bodies) - len(self._free)

    def __iter__(self) -> Iterator[Body]:
        return (body for body in self._bodies if body is not None)

    def add(
        self,
        shape: Box,
        pose: Pose,
        might: int = 0,
        layer: int = 1,
        mask: int = ALL_LAYERS,
        *,
        carrying: Side = Side.ALL,
        sticky: Side = Side.NONE,
        passable: Side = Side.NONE,
        data: object = None,
    ) -> Body:
        """Add a body.

        Parameters
        ----------
        shape, pose
            What it is, and where it stands.
        might
            Its rank. It pushes bodies of lower might and is pushed by those of higher; equals pass through each other.
        layer, mask
            Bits. It is pushed by a mightier body only if that body's layer has a bit of its own mask.
        carrying, sticky, passable
            Its sides that take weaker bodies along, hold them, or let them in.
        data
            Whatever the game wants to find again in `Body.data`.

        Raises
        ------
        ShapeError
            If an argument is not of its type; nothing is added then.
        """
        checked_box(shape)
        x, y = upright("pose", pose)
        numbers = (
            checked_integer("might", might, REMOVED + 1),
            checked_integer("layer", layer, 1),
            checked_integer("mask", mask, 0),
            checked_sides("carrying", carrying),
            checked_sides("sticky", sticky),
            checked_sides("passable", passable),
        )
        index = self._free.pop() if self._free else self._new_row()
        body = Body(self, index, shape, data)
        self._bodies[index] = body
        self._is_used[index] = True
        row = self._ints[index]
        row[:] = 0
        row[layout.ANCHORED : layout.ANCHORED + 2] = -1
        row[layout.ORDER] = self._added
        for column, number in zip(
            (layout.MIGHT, layout.LAYER, layout.MASK, layout.CARRYING, layout.STICKY, layout.PASSABLE),
            numbers,
            strict=True,
        ):
            row[column] = number
        self._added += 1
        self._floats[index, layout.TIME] = np.nan
        self._set_shape(index, shape)
        self._place(index, x, y)
        self._floats[index, layout.BEFORE : layout.BEFORE + 2] = x, y
        self._ranks_changed = True
        return body

    def remove(self, body: Body) -> None:
        """Take a body out of the world.

        Raises
        ------
        ValueError
            If it is not in this world.
        """
        self._own("body", body)
        last = self._last() if self._last is not None else None
        if last is not None:
            last.events  # noqa: B018  made now: another body may get this one's row
        self._ints[body._index, layout.MIGHT] = REMOVED
        self._bodies[body._index] = None
        self._is_used[body._index] = False
        self._free.append(body._index)
        self._moved.pop(body._index, None)
        body._world = None
        self._ranks_changed = True

    def step(self) -> Frame:
        """Take all bodies through one frame: each towards its goal, the mightiest first."""
        self._counts[:] = 0
        self._frames_to_sort -= 1
        if self._ranks_changed:
            self._sort_ranks()
        elif self._frames_to_sort == 0:
            self._sort_order()
        movers = self._set_out()
        events = np.empty((2 * len(self._order) + 8, layout.EVENT_COLUMNS))
        done = 0
        while True:
            done = frame.step(
                done,
                self._order,
                self._lowest,
                self._floats,
                self._ints,
                self._knots,
                self._nodes,
                self._levels,
                self._leaves,
                self._leaf_of,
                self._tail,
                self._near,
                self._tags,
                self._marks,
                events,
                self._counts,
            )
            if done == len(self._order):
                break
            if self._counts[layout.EVENT_TOTAL] > len(events):
                events = np.concatenate((events, np.empty_like(events)))
            if self._counts[layout.KNOT_TOTAL] >= len(self._knots):
                self._knots = np.concatenate((self._knots, np.empty_like(self._knots)))
            self._counts[layout.EVENT_TOTAL] = self._counts[layout.EVENTS_KEPT]
            self._counts[layout.KNOT_TOTAL] = self._counts[layout.KNOTS_KEPT]
        frame.commit(self._order, self._floats)
        if len(movers):
            self._rest(movers)
        result = Frame(events[: self._counts[layout.EVENT_TOTAL]], self._bodies)
        self._last = weakref.ref(result)
        return result

    def _set_out(self) -> NDArray[np.int64]:
        """Give all that can push its way for this frame; returns the bodies of the highest rank among them."""
        movers = np.fromiter(self._moved, np.int64, len(self._moved))
        bodies = np.concatenate((movers, self._order[: self._middle])) if self._middle else movers
        if len(bodies):
            if 0 < MOVES_BEFORE_REBUILD * len(self._leaves) < self._moves:
                self._build_tree()
            self._moves += len(bodies)
            tree.set_out(self._nodes, self._levels, self._leaf_of, self._floats, self._ints, self._knots, bodies)
        return movers

    def _rest(self, movers: NDArray[np.int64]) -> None:
        """Let the movers of the highest rank stand where they have come to.

        Those that did move have left their swept bounds in the tree: in the next frame they set out again, at rest or
        not, and are fitted anew.
        """
        starts = self._floats[movers, layout.START : layout.START + 2]
        moved = (starts != self._floats[movers, layout.END : layout.END + 2]).any(axis=1)
        frame.commit(movers, self._floats)
        self._moved = dict.fromkeys(movers[moved].tolist())

    def set_goals(self, bodies: ArrayLike, goals: ArrayLike) -> None:
        """Set the goals of many bodies at once.

        Parameters
        ----------
        bodies : (n,) int
            Their `Body.index`.
        goals : (n, 2)
            Where they would like to be at the frame's end.

        Raises
        ------
        ShapeError
            If an index is no body's, or a coordinate is not finite; nothing is changed then.
        """
        rows = self._rows(bodies)
        places = np.asarray(goals, np.float64)
        if not len(rows) and not len(places):
            return
        if places.shape != (len(rows), 2):
            raise ShapeError(f"goals must have shape {(len(rows), 2)}, got {places.shape}")
        if not np.isfinite(places).all():
            wrong = int(np.argmin(np.isfinite(places).all(axis=1)))
            raise ShapeError(f"goals must be finite, got {places[wrong].tolist()!r} at row {wrong}")
        self._floats[rows, layout.GOAL : layout.GOAL + 2] = places
        is_top = self._ints[rows, layout.MIGHT] >= self._highest
        if is_top.any():
            self._moved.update(dict.fromkeys(rows[is_top].tolist()))

    def positions(self, bodies: ArrayLike) -> NDArray[np.float64]:
        """Where many bodies stand.

        Parameters
        ----------
        bodies : (n,) int
            Their `Body.index`.

        Returns
        -------
        (n, 2) float64
            Their centres.
        """
        return self._floats[self._rows(bodies), layout.START : layout.START + 2]

    def blocked(self, bodies: ArrayLike) -> NDArray[np.uint8]:
        """Sides of many bodies that a mightier body still presses on at the last frame's end.

        Parameters
        ----------
        bodies : (n,) int
            Their `Body.index`.

        Returns
        -------
        (n,) uint8
            `Side` bits.
        """
        blocked: NDArray[np.uint8] = self._ints[self._rows(bodies), layout.BLOCKED].astype(np.uint8)
        return blocked

    def sector(
        self,
        sector: Sector,
        pose: Pose,
        *,
        mask: int = ALL_LAYERS,
        occluders: int = 0,
        ignore: Body | Iterable[Body] = (),
    ) -> list[tuple[Body, SectorHit]]:
        """Find all bodies that a sector reaches as they stand, as `impinge.sector_hit` does: the nearest first.

        Parameters
        ----------
        sector, pose
            The sector, where its apex is, and where it faces.
        mask
            Bits: only bodies whose layer has one of them are looked for.
        occluders
            Bits: bodies whose layer has one of them hide what is behind them.
        ignore
            A body, or several, that is neither hit nor in the way: first of all the one that strikes.

        Returns
        -------
        list of pairs
            Each body with its `SectorHit`. Of equal distances the body that was added first comes first.

        Raises
        ------
        ShapeError
            If an argument is not of its type.

        Examples
        --------
        >>> import impinge as im
        >>> world, sword = im.World(), im.Sector(40, 0.5)
        >>> wall = world.add(im.Box(2, 20), im.Pose(20, 0), might=1, layer=2)
        >>> near, far = (world.add(im.Box(4, 4), im.Pose(x, 0)) for x in (10, 30))
        >>> [(body is near, hit.distance) for body, hit in world.sector(sword, im.Pose(0, 0), mask=1)]
        [(True, 8.0), (False, 28.0)]
        >>> [body is near for body, hit in world.sector(sword, im.Pose(0, 0), mask=1, occluders=2)]
        [True]
        """
        checked_sector(sector)
        cos, sin = facing(checked_pose("pose", pose).angle)
        wanted = checked_integer("mask", mask, 0), checked_integer("occluders", occluders, 0)
        bodies = ignore if isinstance(ignore, Iterable) else (ignore,)
        left_out = [self._own("ignore", body) for body in bodies]
        is_seen = self._is_used[: len(self._bodies)].copy()
        is_seen[left_out] = False
        near, walls = (self._within(is_seen, layers, pose, sector.radius) for layers in wanted)
        cells = sector.cells
        if len(walls):
            cells = visibility.lit_cells(sector.row, pose.x, pose.y, cos, sin, *self._solids(walls))
        hits = np.empty((len(near), sectors.HIT_COLUMNS))
        sectors.hit_solids(cells, sector.row, pose.x, pose.y, cos, sin, *self._solids(near), hits)
        chosen = np.flatnonzero(~np.isnan(hits[:, 0]))
        order = np.lexsort((self._ints[near[chosen], layout.ORDER], hits[chosen, 0]))
        return [
            (self._body(row), SectorHit(distance, bearing, (x, y), None))
            for row, (distance, bearing, x, y, _) in zip(
                near[chosen[order]].tolist(), hits[chosen[order]].tolist(), strict=True
            )
        ]

    def _within(self, is_seen: NDArray[np.bool_], layers: int, pose: Pose, reach: float) -> NDArray[np.int64]:
        """Return the rows of all bodies of some layers that may be within a reach of a place."""
        bodies = np.empty(len(is_seen), np.int64)
        return bodies[: sights.bodies_within(self._floats, self._ints, is_seen, layers, pose.x, pose.y, reach, bodies)]

    def _solids(self, bodies: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64]]:
        """Return bodies as solids as they stand, one row after the other, where each begins, and its place."""
        rows = np.empty(len(bodies) * len(_SQUARE.row))
        firsts, places = np.zeros(len(bodies) + 1, np.int64), np.empty((len(bodies), 2))
        sights.stand_boxes(self._floats, bodies, _SQUARE.row, rows, firsts, places)
        return rows, firsts, places

    def _body(self, row: int) -> Body:
        body = self._bodies[row]
        assert body is not None
        return body

    def _own(self, name: str, body: object) -> int:
        """Return the row of a body of this world, or refuse what is none."""
        if not isinstance(body, Body) or body._world is not self:
            raise ValueError(f"{name} must be one of this world, got {body!r}")
        return body._index

    def _rows(self, bodies: ArrayLike) -> NDArray[np.int64]:
        rows = np.asarray(bodies)
        if rows.shape == (0,):
            return np.empty(0, np.int64)
        if rows.ndim != 1 or rows.dtype.kind not in "iu":
            raise ShapeError(f"bodies must be indices of shape (n,), got {bodies!r}")
        rows = rows.astype(np.int64, copy=False)
        try:
            # Unsigned, a negative index lies beyond the end, so one look tells all: this is done in every frame.
            if self._is_used[rows.view(np.uint64)].all():
                return rows
        except IndexError:
            pass
        wrong = next(row for row in rows.tolist() if not (0 <= row < len(self._bodies) and self._is_used[row]))
        raise ShapeError(f"bodies must be in this world, got index {wrong}")

    def _new_row(self) -> int:
        index = len(self._bodies)
        if index == len(self._floats):
            self._floats = np.concatenate((self._floats, np.zeros_like(self._floats)))
            self._ints = np.concatenate((self._ints, np.zeros_like(self._ints)))
            self._leaf_of = np.concatenate((self._leaf_of, np.full_like(self._leaf_of, -1)))
            self._is_used = np.concatenate((self._is_used, np.zeros_like(self._is_used)))
            self._near = np.empty((2 * index, NEAR_COLUMNS))
            self._tags = np.empty((2 * index, TAG_COLUMNS), np.int64)
            self._marks = np.full(2 * index, -1, np.int64)
        self._bodies.append(None)
        return index

    def _pair(self, index: int, column: int) -> list[float]:
        pair: list[float] = self._floats[index, column : column + 2].tolist()
        return pair

    def _set_shape(self, index: int, shape: Box) -> None:
        row = self._floats[index]
        row[layout.HALF], row[layout.HALF + 1] = 0.5 * shape.width, 0.5 * shape.height
        row[layout.SIZE] = min(shape.width, shape.height)
        self._note_move(index)

    def _set_goal(self, index: int, x: float, y: float) -> None:
        row = self._floats[index]
        row[layout.GOAL], row[layout.GOAL + 1] = x, y
        self._note_move(index)

    def _place(self, index: int, x: float, y: float) -> None:
        row = self._floats[index]
        for column in (layout.START, layout.GOAL, layout.END):
            row[column], row[column + 1] = x, y
        self._note_move(index)

    def _note_move(self, index: int) -> None:
        if self._ints[index, layout.MIGHT] >= self._highest:
            self._moved[index] = None

    def _sort_ranks(self) -> None:
        """Sort the bodies into ranks, and see that all that can push are in the tree or in its tail."""
        self._ranks_changed = False
        ints = self._ints[: len(self._bodies)]
        mights = ints[:, layout.MIGHT]
        alive = np.flatnonzero(mights != REMOVED)
        ends = (int(mights[alive].min()), int(mights[alive].max())) if len(alive) else (0, 0)
        if ends != (self._lowest, self._highest):
            self._lowest, self._highest = ends
            top = alive[mights[alive] == self._highest]
            for column in (layout.SIDES, layout.STUCK, layout.BLOCKED, layout.KNOT_COUNT):
                ints[top, column] = 0
            self._floats[top, layout.TIME] = np.nan
            self._moved = dict.fromkeys(top.tolist())
        self._order = alive[mights[alive] < self._highest]
        self._middle = int((mights[self._order] > self._lowest).sum())
        self._sort_order()
        pushing = alive[mights[alive] > self._lowest]
        self._tail = pushing[self._leaf_of[pushing] < 0]
        if len(self._tail) > TAIL_LIMIT:
            self._build_tree()

    def _sort_order(self) -> None:
        """Sort the weak bodies by rank, the mightiest first, and along a Hilbert curve within each.

        Bodies of one rank do not see each other, so their order is free; neighbours one after the other find the same
        part of the tree still at hand.
        """
        keys = np.empty(len(self._order), np.int64)
        tree.hilbert_keys(self._floats, self._order, keys)
        self._order = self._order[np.lexsort((keys, -self._ints[self._order, layout.MIGHT]))]
        self._frames_to_sort = FRAMES_BETWEEN_SORTS

    def _build_tree(self) -> None:
        mights = self._ints[: len(self._bodies), layout.MIGHT]
        pushing = np.flatnonzero((mights != REMOVED) & (mights > self._lowest))
        keys = np.empty(len(pushing), np.int64)
        tree.hilbert_keys(self._floats, pushing, keys)
        self._leaves = pushing[np.argsort(keys, kind="stable")]
        self._levels = tree.level_starts(len(pushing))
        self._nodes = np.empty((int(self._levels[-1]), 4))
        self._tail = np.empty(0, np.int64)
        self._moves = 0
        tree.fill(self._nodes, self._levels, self._leaf_of, self._floats, self._ints, self._knots, self._leaves)


def checked_box(shape: object) -> Box:
    """Return a box, or refuse what is none."""
    if not isinstance(shape, Box):
        raise ShapeError(f"shape must be a Box, got {shape!r}")
    return shape


def checked_integer(name: str, value: Any, least: int) -> int:
    """Return an integer of 64 bits, or refuse it by name."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= ALL_LAYERS:
        raise ShapeError(f"{name} must be an integer from {least} to {ALL_LAYERS}, got {value!r}")
    return value
