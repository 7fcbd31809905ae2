"""Copies of a space's ruled bodies in two `World`s, kept up to date.

The first world resolves the frames, and plugins observe it. The second world, the shadow, serves the position
correction after a step, which plugins do not observe. `push_stage` uses both.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from operator import itemgetter
from typing import Any, TypeAlias

import numpy as np
import pymunk
from numpy.typing import NDArray
from pymunk import batch

import impinge as im
from impinge.shapes.solids import Solid
from impinge_pymunk.chipmunk import Finder, Traits, centers_of, counts_of_shapes, mark_of, place_of, traits_of, types_of
from impinge_pymunk.ranks import FREE, Ranks
from impinge_pymunk.shapes import Point, centred_solid, checked_place, pose_of, solid_of
from impinge_pymunk.tiles import Block, blocks_of

__all__ = ["Member", "Mirror", "Motions", "in_any"]

Floats: TypeAlias = NDArray[np.float64]
Rows: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]

STATIC = pymunk.Body.STATIC
ANYTHING = pymunk.ShapeFilter()
NO_FILTER = tuple(ANYTHING)
# Number of static shapes that are checked in turn in each step, besides those near weak bodies. The others matter only
# to plugins that query the world.
SAMPLE = 16
# Space around the bounds of a search for static shapes near a weak body, as a part of their size.
SPARE = 0.25
# Number of new static shapes from which on tiles among them become blocks.
MANY = 64
MOTION = (
    batch.BodyFields.BODY_ID
    | batch.BodyFields.POSITION
    | batch.BodyFields.ANGLE
    | batch.BodyFields.VELOCITY
    | batch.BodyFields.ANGULAR_VELOCITY
)
# A shape with the mark of its outline, which may change.
Look: TypeAlias = tuple[pymunk.Shape, tuple[float, ...]]
Key: TypeAlias = pymunk.Body | pymunk.Shape


@dataclass(eq=False, slots=True)
class Member:
    """One body of the worlds: a weak body of the space with all its shapes, or one shape of another body."""

    body: pymunk.Body
    kind: int
    is_weak: bool
    # Whether the body is static. The solid is then around the centre of the shape: equal tiles have the same solid.
    is_static: bool
    looks: list[Look] = field(default_factory=list)
    row: int = -1
    solid: Solid = field(init=False)
    # The origin of the solid in the frame of the body.
    center: Point = (0.0, 0.0)
    # The smaller side of its bounds, and the largest distance of its points from its origin.
    size: float = field(init=False)
    reach: float = field(init=False)
    shapes: list[pymunk.Shape] = field(init=False)
    twins: tuple[im.Body, ...] = ()

    def measure(self) -> None:
        """Read the solid from the shapes, or raise an error."""
        self.shapes = [look[0] for look in self.looks]
        self.solid, self.center = centred_solid(self.shapes[0]) if self.is_static else (solid_of(self.shapes), ORIGIN)
        self.size, self.reach = _size_and_reach(self.solid)

    def is_like(self, other: Member) -> bool:
        """Return whether another member is of the same body, kind and rank."""
        mine, others = ((each.body, each.kind, each.is_weak, each.is_static) for each in (self, other))
        return mine == others


ORIGIN = (0.0, 0.0)


@lru_cache
def _size_and_reach(solid: Solid) -> tuple[float, float]:
    left, bottom, right, top = solid.bounds()
    # A segment without a radius has no smaller side.
    size = min(right - left, top - bottom) or max(right - left, top - bottom)
    return size, math.hypot(max(-left, right), max(-bottom, top))


@dataclass(frozen=True, slots=True)
class Motions:
    """Poses (n, 3) of the solids of all members, and velocities (n, 3) of their bodies."""

    poses: Floats
    velocities: Floats
    # Whether they are in the space.
    present: Flags

    def after(self, dt: float, middles: Floats) -> Floats:
        """Return the poses after a time: a body turns about its centre of gravity, which moves in a straight line."""
        # Values that are not finite are refused later.
        with np.errstate(over="ignore", invalid="ignore"):
            ends = self.poses + self.velocities * dt
        turning = np.flatnonzero((self.velocities[:, 2] != 0.0) & np.isfinite(ends[:, 2]))
        turning = turning[middles[turning].any(axis=1)]
        ends[turning, :2] += turned(middles[turning], self.poses[turning, 2]) - turned(
            middles[turning], ends[turning, 2]
        )
        return ends


def in_any(flags: Flags) -> Flags:
    """Return the rows in which any of three columns is true; `any` takes ten times as long for such a short axis."""
    rows: Flags = flags[:, 0] | flags[:, 1] | flags[:, 2]
    return rows


def turned(points: Floats, angles: Floats) -> Floats:
    """Return points rotated about the origin."""
    cos, sin = np.cos(angles), np.sin(angles)
    return np.column_stack((cos * points[:, 0] - sin * points[:, 1], sin * points[:, 0] + cos * points[:, 1]))


class Mirror:
    """The members for all shapes of a space whose collision types have rules.

    Attributes
    ----------
    world, shadow
        The worlds; `Body.data` of their bodies is the `pymunk.Body`.
    members
        The members, in the order of all rows.
    is_weak, weak_rows
        Whether each member gives way, and the rows of those that do.
    sizes, is_dynamic
        The size of each member, and whether its body is dynamic.
    has_filters
        Whether the filter of a shape may forbid a pair.
    by_row, by_shadow_row
        The members by the `impinge.Body.index` of their bodies in each world.
    by_pointer
        The shapes by Chipmunk's pointers to them.
    """

    def __init__(self, space: pymunk.Space) -> None:
        self.world = im.World()
        self.shadow = im.World(entry_points=False)
        self._space = space
        self._ranks = Ranks()
        self._known: dict[Key, Member] = {}
        self._buffer = batch.Buffer()
        self._find_near = Finder(space)
        self.has_filters = False
        # As of the last look: all shapes, how many were ever added, their bodies, the types of these, and the static
        # ones; and whether shapes were sorted without a successful look since.
        self._shapes: list[pymunk.Shape] = []
        self._added = 0
        self._bodies: list[pymunk.Body] = []
        self._types: list[int] = []
        self._static: set[pymunk.Body] = set()
        self._is_sorted_anew = False
        # Shapes of bodies that are not static, with their traits and outlines; shapes of static bodies with their
        # traits; the latter again as a list, to be checked in turn; and the new ones among them.
        self._moving: list[pymunk.Shape] = []
        self._marks: list[Any] = []
        self._still: dict[pymunk.Shape, Traits | None] = {}
        self._in_turn: list[pymunk.Shape] = []
        self._turn = 0
        self._fresh: list[pymunk.Shape] = []
        self._has_still_filters = False
        # Tiles in blocks, which no weak body has come near; the shapes near weak bodies, and those that the searches
        # have found; whether a block was expanded, and whether a static body was moved.
        self._block_of: dict[pymunk.Shape, Block] = {}
        self._blocks: dict[Block, None] = {}
        self._block_of_proxy: dict[im.Body, Block] = {}
        self._near: set[pymunk.Shape] = set()
        self._reached: set[pymunk.Shape] = set()
        self._reached_list: list[pymunk.Shape] = []
        self._reached_traits: list[Traits | None] = []
        self._has_grown = self._have_moved = False
        # What the last `read` has read; the ids for which the members' bodies, and all static bodies, were found in it;
        # and the poses of the latter.
        self._read_ids = self._static_poses = b""
        self._seen_ids: bytes | None = None
        self._static_ids: bytes | None = None
        self._numbers = np.empty((0, 6))
        self._static_places = np.empty(0, np.int64)
        self._number()
        self.read()

    def follow(self, ranks: Ranks) -> None:
        """Take up new rules."""
        for block in list(self._blocks):
            self._drop(block)
        for key, member in list(self._known.items()):
            if member.kind not in ranks.might:
                self._forget(key)
        self._ranks = ranks
        # All shapes are checked again.
        self._shapes, self._still = [], {}
        for member in self._known.values():
            for twin in member.twins:
                twin.might = ranks.might[member.kind]
                twin.layer = ranks.layer(member.kind)
                twin.mask = ranks.mask(member.kind) if member.is_weak else 0
                twin.carrying, twin.sticky, twin.passable = ranks.sides.get(member.kind, FREE)
        self._number()

    def look(self, dt: float) -> None:
        """Update the members after changes in the space since the last look.

        Levels have thousands of static shapes. A static shape is checked when it is new, and again when a weak body may
        come near it during the step. Some others are checked in turn.

        Raises
        ------
        impinge.ShapeError
            If a shape has no solid, or a weak body has ruled shapes of several types; then the space has not changed.
        """
        self.read()
        added, present = counts_of_shapes(self._space)
        if (added, present) != (self._added, len(self._shapes)) or types_of(self._bodies) != self._types:
            self._sort(list(self._space.shapes), added)
        # The flag stays set until a look succeeds, as that of a sort.
        self._have_moved = self._have_static_moved() or self._have_moved
        if self._have_moved:
            self._forget_searches()
        changed = self._changed(dt)
        self._expand_changed(changed)
        marks = [*traits_of(self._moving), *map(mark_of, self._moving)]
        if self._is_sorted_anew or changed or marks != self._marks:
            self._take_up(changed, dt)
            self._marks = marks
        near = self._near & self._block_of.keys()
        if near:
            approached = {self._block_of[shape] for shape in near}
            self._expand([block for block in self._blocks if block in approached])
        if self._has_grown:
            self._number()
        self._have_moved = False

    def _take_up(self, changed: dict[pymunk.Shape, Traits], dt: float) -> None:
        """Take up new and changed shapes, and forget those that are gone."""
        looked = self._moving
        if changed:
            looked = [shape for shape in self._shapes if shape in changed or shape not in self._still]
        blocks = self._new_blocks(looked, changed)
        if blocks:
            lazy = {shape for block in blocks for shape in block.tiles}
            numbers = {shape: number for number, shape in enumerate(looked)}
            looked = [shape for shape in looked if shape not in lazy]
        found, has_filters = self._find(looked)
        news = {key: member for key, member in found.items() if self._is_new(key, member)}
        for member in news.values():
            member.measure()
        keys = list(self._known) if self._is_sorted_anew or changed else self._agile
        for key in [key for key in keys if key not in found and (key in changed or key not in self._still)]:
            self._forget(key)
        # Blocks do not change the order of adding.
        firsts = [world.next_order for world in (self.world, self.shadow)]
        places = [numbers[member.shapes[0]] for member in news.values()] if blocks else range(len(news))
        self._put_blocks(blocks, firsts)
        self._put(news, [[first + place for place in places] for first in firsts])
        if changed:
            self._still.update(changed)
            self._fresh = []
            self._has_still_filters = any(self._is_filtered(traits) for traits in self._still.values())
        self._is_sorted_anew = False
        self.has_filters = has_filters or self._has_still_filters
        self._number()
        if blocks:
            self._near = self._nearby(dt)

    def _sort(self, shapes: list[pymunk.Shape], added: int) -> None:
        """Sort shapes into those of static bodies and the others. `added` is how many shapes were ever added."""
        # A shape may have been out of the space for a moment: it is the last one again, maybe with another body.
        for shape in shapes[max(len(shapes) - (added - self._added), 0) :]:
            self._still.pop(shape, None)
        self._added = added
        owners = {shape: shape.body for shape in shapes}
        self._bodies = [body for body in dict.fromkeys(owners.values()) if body is not None]
        self._types, self._static_ids = types_of(self._bodies), None
        self._static = static = {body for body, kind in zip(self._bodies, self._types, strict=True) if kind == STATIC}
        # The flag stays set until a look succeeds: it may raise an error.
        self._shapes, self._is_sorted_anew = shapes, True
        self._moving = [shape for shape, body in owners.items() if body not in static]
        self._still = {shape: self._still.get(shape) for shape, body in owners.items() if body in static}
        self._in_turn = list(self._still)
        self._fresh = [shape for shape, traits in self._still.items() if traits is None]
        self._forget_searches()

    def _changed(self, dt: float) -> dict[pymunk.Shape, Traits]:
        """Return the checked shapes of static bodies whose traits have changed."""
        turn = self._in_turn[self._turn : self._turn + SAMPLE]
        self._turn = self._turn + SAMPLE if self._turn + SAMPLE < len(self._in_turn) else 0
        suspects = [*self._fresh, *turn]
        self._near = self._nearby(dt) if len(set(suspects)) < len(self._still) else set()
        # In most steps nothing has changed: one comparison of lists takes half the time of a lookup for each shape.
        if self._near and traits_of(self._reached_list) != self._reached_traits:
            suspects += self._reached_list
        still, pairs = self._still, zip(suspects, traits_of(suspects), strict=True)
        return {shape: traits for shape, traits in pairs if traits != still[shape]}

    def _nearby(self, dt: float) -> set[pymunk.Shape]:
        """Return the shapes of static bodies that weak bodies may come near in a step.

        A weak body searches again only when it leaves the bounds of its last search, or when a static body has moved.
        """
        rows = self._agile_rows
        figures, reaches = self._figures(rows), self._reaches
        with np.errstate(over="ignore", invalid="ignore"):  # values that are not finite are refused later
            ways = (np.hypot(figures[:, 3], figures[:, 4]) + np.abs(figures[:, 5]) * reaches) * dt
            # A pushed body moves as far as the body that pushes it.
            around = (2.0 * reaches + ways + ways.max(initial=0.0))[:, None]
            low, high = figures[:, :2] - around, figures[:, :2] + around
            is_within = (low >= self._searched[:, :2]) & (high <= self._searched[:, 2:])
        leaving = np.flatnonzero(self.is_weak[rows] & ~(is_within[:, 0] & is_within[:, 1])).tolist()
        for place in leaving:
            spare = SPARE * around[place]
            self._searched[place] = bounds = np.concatenate((low[place] - spare, high[place] + spare))
            left, bottom, right, top = bounds.tolist()
            # The space does not find shapes whose filter meets nothing any more, but the worlds still have them.
            near = {*self._find_near((left, bottom, right, top)), *self._still_within(bounds[:2], bounds[2:])}
            self._found[place] = self._still.keys() & near
        if leaving:
            self._reached = set().union(*self._found)
            self._reached_list = list(self._reached)
            self._reached_traits = [self._still[shape] for shape in self._reached_list]
        return self._reached

    def _still_within(self, low: Floats, high: Floats) -> list[pymunk.Shape]:
        """Return the shapes of static members that may reach into bounds."""
        places, reaches = self._poses_of_still()[self._still_rows, :2], self._still_reaches
        is_within = (places + reaches >= low) & (places - reaches <= high)
        rows = self._still_rows[is_within[:, 0] & is_within[:, 1]].tolist()
        return [shape for row in rows for shape in self.members[row].shapes]

    def _forget_searches(self) -> None:
        self._searched: Floats = np.full((len(self._agile_rows), 4), np.nan)
        self._reached = set()
        self._found: list[set[pymunk.Shape]] = [set()] * len(self._agile_rows)

    def _new_blocks(self, shapes: list[pymunk.Shape], changed: dict[pymunk.Shape, Traits]) -> list[Block]:
        """Return blocks of new static shapes."""
        if len(self._fresh) < MANY:
            return []
        fresh = [
            (number, shape, traits[0])
            for number, shape in enumerate(shapes)
            if (traits := changed.get(shape)) is not None
            and self._still[shape] is None
            and shape not in self._known
            and traits[0] in self._ranks.sides
            and not traits[1]
        ]
        return blocks_of(fresh)

    def _put_blocks(self, blocks: list[Block], firsts: list[int]) -> None:
        """Add the proxies of blocks. They take the last place of their tiles."""
        for block in blocks:
            block.tiles = dict(sorted(block.tiles.items(), key=itemgetter(1)))
            block.firsts = tuple(firsts)
            self._block_of |= dict.fromkeys(block.tiles, block)
            self._blocks[block] = None
        for kind in dict.fromkeys(block.kind for block in blocks):
            own = [block for block in blocks if block.kind == kind]
            proxies = [
                world.add_many(
                    [block.solid for block in own],
                    [(block.pose.x, block.pose.y) for block in own],
                    order=[first + max(block.tiles.values()) for block in own],
                    expand=self._expand_proxy,
                    data=[block.body for block in own],
                    **self._rule(kind, is_weak=False),
                )
                for world, first in zip((self.world, self.shadow), firsts, strict=True)
            ]
            for block, *both in zip(own, *proxies, strict=True):
                block.proxies = tuple(both)
                self._block_of_proxy |= dict.fromkeys(both, block)

    def _rule(self, kind: int, *, is_weak: bool) -> dict[str, Any]:
        """Return the settings of bodies of a type in the worlds."""
        ranks = self._ranks
        carrying, sticky, passable = ranks.sides.get(kind, FREE)
        return {
            "might": ranks.might[kind],
            "layer": ranks.layer(kind),
            "mask": ranks.mask(kind) if is_weak else 0,
            "carrying": carrying,
            "sticky": sticky,
            "passable": passable,
        }

    def _drop(self, block: Block) -> None:
        """Remove a block without its tiles."""
        for proxy in block.proxies:
            proxy.world.remove(proxy)
            del self._block_of_proxy[proxy]
        del self._blocks[block]
        for shape in block.tiles:
            del self._block_of[shape]

    def _expand_proxy(self, proxy: im.Body) -> None:
        """Expand the block of a proxy, in a step of its world."""
        self._expand([self._block_of_proxy[proxy]])

    def _expand(self, blocks: Collection[Block]) -> None:
        """Replace blocks by their tiles, permanently, except by tiles that are gone or changed."""
        news: dict[Key, Member] = {}
        orders: tuple[list[int], list[int]] = [], []
        for block in blocks:
            self._drop(block)
            for (shape, number), traits in zip(block.tiles.items(), traits_of(block.tiles), strict=True):
                if self._still.get(shape) == traits:
                    news[shape] = member = Member(block.body, block.kind, False, True, [_look(shape)])
                    member.measure()
                    for of_world, first in zip(orders, block.firsts, strict=True):
                        of_world.append(first + number)
        self._put(news, orders)
        self._has_grown = self._has_grown or bool(blocks)

    def _expand_changed(self, changed: Collection[pymunk.Shape]) -> None:
        """Expand blocks of which a tile is gone or changed, or whose body was moved."""
        stale = [self._block_of[shape] for shape in changed if shape in self._block_of]
        if self._is_sorted_anew:
            stale += [block for shape, block in self._block_of.items() if shape not in self._still]
        if self._have_moved:
            places = {block.body: block.place for block in self._blocks}
            moved = {body for body, place in places.items() if place_of(body) != place}
            for body in moved:
                pose_of(body)  # the error for a place that is not finite comes before any change
            stale += [block for block in self._blocks if block.body in moved]
        if stale:
            self._expand(dict.fromkeys(stale))

    def catch_up(self) -> bool:
        """Take up the tiles of blocks that were expanded in a frame: they are the last members, and do not move."""
        if not self._has_grown:
            return False
        self._number()
        return True

    def _is_filtered(self, traits: Traits | None) -> bool:
        return traits is not None and traits[0] in self._ranks.sides and not traits[1] and traits[2:] != NO_FILTER

    def _find(self, shapes: Iterable[pymunk.Shape]) -> tuple[dict[Key, Member], bool]:
        """Return the members of some shapes, and whether any of these shapes has a filter."""
        mights, found, has_filters = self._ranks.might, dict[Key, Member](), False
        gives_way = {kind for kind in mights if self._ranks.mask(kind)}
        pushes = self._ranks.sides.keys()
        for shape in shapes:
            kind = shape.collision_type
            if kind not in mights or shape.sensor:
                continue
            has_filters = has_filters or shape.filter != ANYTHING
            body = shape.body
            assert body is not None  # it is in the space
            is_static = body.body_type == STATIC
            is_weak = kind in gives_way and not is_static
            if not is_weak and kind not in pushes:
                continue
            member = found.setdefault(body if is_weak else shape, Member(body, kind, is_weak, is_static))
            if member.kind != kind:
                raise im.ShapeError(
                    f"{body!r} must give way with shapes of one collision type, got {member.kind} and {kind}"
                )
            member.looks.append(_look(shape))
        for member in [member for key, member in found.items() if not member.is_weak and member.body in found]:
            raise im.ShapeError(
                f"{member.body!r} must give way with shapes of one collision type, "
                f"got {found[member.body].kind} and {member.kind}"
            )
        return found, has_filters

    def _is_new(self, key: Key, member: Member) -> bool:
        known = self._known.get(key)
        return known is None or known.looks != member.looks or not known.is_like(member)

    def _put(self, news: dict[Key, Member], orders: Sequence[Sequence[int]]) -> None:
        """Add new members, or change known ones, with their places in the order of adding in both worlds."""
        groups: dict[tuple[int, bool], list[tuple[Member, int, int]]] = {}
        for (key, member), *places in zip(news.items(), *orders, strict=True):
            known = self._known.get(key)
            if known is not None and known.is_like(member):
                # The twins stay, so the worlds keep their state.
                known.looks = member.looks
                known.measure()
                for twin in known.twins:
                    twin.shape = known.solid
                continue
            self._forget(key)
            self._known[key] = member
            groups.setdefault((member.kind, member.is_weak), []).append((member, *places))
        for (kind, is_weak), group in groups.items():
            members = [member for member, *_ in group]
            solids, bodies = [member.solid for member in members], [member.body for member in members]
            poses = np.array([checked_place(body) for body in bodies])
            poses[:, :2] += turned(np.array([member.center for member in members]), poses[:, 2])
            twins = [
                world.add_many(
                    solids,
                    poses,
                    order=[places[which] for _, *places in group],
                    data=bodies,
                    **self._rule(kind, is_weak=is_weak),
                )
                for which, world in enumerate((self.world, self.shadow))
            ]
            for member, *both in zip(members, *twins, strict=True):
                member.twins = tuple(both)

    def _forget(self, key: Key) -> None:
        member = self._known.pop(key, None)
        if member is not None:
            member.row = -1
            for twin in member.twins:
                twin.world.remove(twin)

    def _number(self) -> None:
        self._has_grown = False
        self.members = list(self._known.values())
        self.bodies = list(dict.fromkeys(member.body for member in self.members))
        places = {body: place for place, body in enumerate(self.bodies)}
        self._ids = np.array([body.id for body in self.bodies], np.uint64)
        self._of = np.array([places[member.body] for member in self.members], np.int64)
        self.rows, self.shadow_rows = (
            np.array([member.twins[which].index for member in self.members], np.int64) for which in (0, 1)
        )
        self._agile = [key for key in self._known if key not in self._still]
        types = np.array(types_of(self.bodies), np.int64)
        self.is_dynamic = (types == pymunk.Body.DYNAMIC)[self._of].tolist()
        is_static = (types == STATIC)[self._of]
        self._seen_ids = None
        self._agile_rows, self._still_rows = np.flatnonzero(~is_static), np.flatnonzero(is_static)
        self._agile_bodies = [self.members[row].body for row in self._agile_rows.tolist()]
        # One row for each static body, and the poses of static members as of the last figures of these.
        self._still_firsts = self._still_rows[np.unique(self._of[self._still_rows], return_index=True)[1]]
        self._still_reaches = np.array([self.members[row].reach for row in self._still_rows.tolist()])[:, None]
        self._still_figures: bytes | None = None
        self._still_poses = np.empty((0, 3))
        self._reaches = np.array([self.members[row].reach for row in self._agile_rows.tolist()])
        self._forget_searches()
        self.is_weak = np.array([member.is_weak for member in self.members], np.bool_)
        self.weak_rows = np.flatnonzero(self.is_weak).tolist()
        self.sizes = np.array([member.size for member in self.members], np.float64)
        self._by_shape = {shape: member for member in self.members for shape in member.shapes}
        self.by_pointer = {shape._shape: shape for shape in self._by_shape}
        self._by_twin = {twin: member for member in self.members for twin in member.twins}
        self.by_row, self.by_shadow_row = (
            dict(zip(rows.tolist(), self.members, strict=True)) for rows in (self.rows, self.shadow_rows)
        )
        for row, member in enumerate(self.members):
            member.row = row

    def member_of(self, shape: pymunk.Shape) -> Member | None:
        """Return the member that a shape belongs to."""
        return self._by_shape.get(shape)

    def member_of_twin(self, twin: im.Body) -> Member | None:
        """Return the member of a body of one of the worlds."""
        return self._by_twin.get(twin)

    def read(self) -> None:
        """Read positions and velocities of all bodies of the space."""
        buffer = self._buffer
        buffer.clear()
        batch.get_space_bodies(self._space, MOTION, buffer)
        # Copies: the next call overwrites the buffer.
        self._numbers = np.frombuffer(bytearray(buffer.float_buf()), np.float64).reshape(-1, 6)
        self._read_ids = bytes(buffer.int_buf())
        if not self._read_ids:
            self._numbers = np.zeros((1, 6))  # a row for bodies that are not in the space

    def _find_places(self) -> None:
        """Find the members' bodies among those that were read."""
        ids = np.frombuffer(self._read_ids, np.uint64)
        self._places, self._present = self._sought(ids)
        self._are_present = self._present[self._of]
        self._seen_ids = self._read_ids

    def _have_static_moved(self) -> bool:
        """Return whether a static body of any shape may have been moved since the last call."""
        if self._read_ids != self._static_ids:
            ids = np.frombuffer(self._read_ids, np.uint64)
            static = np.array([body.id for body in self._static], np.uint64)
            self._static_ids, self._static_places = self._read_ids, np.flatnonzero(np.isin(ids, static))
        # A shape may stay in the space after its body is removed: the places of such bodies are not read.
        are_all_read = len(self._static_places) == len(self._static)
        before, self._static_poses = self._static_poses, self._numbers[self._static_places, :3].tobytes()
        return not are_all_read or before != self._static_poses

    def motions(self) -> Motions:
        """Return the poses of the members' solids and the velocities of their bodies, as they were read."""
        figures = self._figures(self._agile_rows)
        poses, velocities = self._poses_of_still().copy(), np.zeros((len(self.members), 3))
        poses[self._agile_rows], velocities[self._agile_rows] = figures[:, :3], figures[:, 3:]
        return Motions(poses, velocities, self._are_present)

    def _poses_of_still(self) -> Floats:
        """Return the poses of the members' solids; those of bodies that are not static are empty."""
        read = self._figures(self._still_firsts)[:, :3].tobytes()
        if read == self._still_figures:
            return self._still_poses
        poses, rows = np.empty((len(self.members), 3)), self._still_rows
        poses[rows] = self._figures(rows)[:, :3]
        centers = np.array([self.members[row].center for row in rows.tolist()]).reshape(-1, 2)
        beside = np.flatnonzero(centers.any(axis=1))
        poses[rows[beside], :2] += turned(centers[beside], poses[rows[beside], 2])
        self._still_figures, self._still_poses = read, poses
        return poses

    def _figures(self, rows: Rows) -> Floats:
        """Return positions and velocities of the bodies of some members."""
        of = self._of[rows]
        if self._seen_ids != self._read_ids:
            self._find_places()
        figures: Floats = self._numbers[self._places[of]]
        for place in np.flatnonzero(~self._present[of]).tolist():
            # A shape may stay in the space after its body is removed; the body then does not move.
            body = self.members[int(rows[place])].body
            figures[place] = *body.position, body.angle, 0.0, 0.0, 0.0
        return figures

    def _sought(self, ids: NDArray[np.uint64]) -> tuple[Rows, Flags]:
        """Return the places of the members' bodies in a list of ids, and whether the ids are in it."""
        if not len(ids):
            return np.zeros(len(self._ids), np.int64), np.zeros(len(self._ids), np.bool_)
        order = np.argsort(ids)
        places = order[np.minimum(np.searchsorted(ids, self._ids, sorter=order), len(ids) - 1)]
        return places, ids[places] == self._ids

    def middles(self) -> Floats:
        """Return the centres of gravity in body frames; zeros for static bodies, which do not turn."""
        middles = np.zeros((len(self.members), 2))
        if self._agile_bodies:
            middles[self._agile_rows] = centers_of(self._agile_bodies)
        return middles


def _look(shape: pymunk.Shape) -> Look:
    return shape, mark_of(shape)
