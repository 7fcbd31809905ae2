"""Copies of a space's ruled bodies in two `World`s, kept up to date.

The first world resolves the frames, and plugins observe it. The second world, the shadow, serves the position
correction after a step, which plugins do not observe. `push_stage` uses both.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from operator import itemgetter
from typing import TypeAlias

import numpy as np
import pymunk
from numpy.typing import NDArray
from pymunk import batch

import impinge as im
from impinge.shapes.solids import Solid
from impinge_pymunk.chipmunk import Finder, Traits, center_of, figures_of, place_of, traits_of, types_of
from impinge_pymunk.ranks import FREE, Ranks
from impinge_pymunk.shapes import pose_of, shape_of, solid_of
from impinge_pymunk.tiles import Block, blocks_of

__all__ = ["Member", "Mirror", "Motions", "in_any"]

Floats: TypeAlias = NDArray[np.float64]
Rows: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]

STATIC = pymunk.Body.STATIC
ANYTHING = pymunk.ShapeFilter()
NO_FILTER = tuple(ANYTHING)
# Number of static shapes that are checked in turn in each step, besides those near weak bodies.
SAMPLE = 256
# Number of new static shapes from which on tiles among them become blocks.
MANY = 64
MOTION = (
    batch.BodyFields.BODY_ID
    | batch.BodyFields.POSITION
    | batch.BodyFields.ANGLE
    | batch.BodyFields.VELOCITY
    | batch.BodyFields.ANGULAR_VELOCITY
)
# A shape with its changeable geometry: its radius, its area, and its centre of gravity, which also show its vertices.
Look: TypeAlias = tuple[pymunk.Shape, float, float, pymunk.Vec2d]


@dataclass(eq=False, slots=True)
class Member:
    """One body of the worlds: a weak body of the space with all its shapes, or one shape of another body."""

    body: pymunk.Body
    kind: int
    is_weak: bool
    looks: list[Look] = field(default_factory=list)
    row: int = -1
    solid: Solid = field(init=False)
    # The smaller side of its bounds, and the largest distance of its points from the position of its body.
    size: float = field(init=False)
    reach: float = field(init=False)
    shapes: list[pymunk.Shape] = field(init=False)
    twins: tuple[im.Body, ...] = ()

    def take(self, looks: list[Look], solid: Solid) -> None:
        """Store the shapes' geometry and the solid."""
        self.looks, self.shapes = looks, [look[0] for look in looks]
        left, bottom, right, top = solid.bounds()
        # A segment without a radius has no smaller side.
        self.solid, self.size = solid, min(right - left, top - bottom) or max(right - left, top - bottom)
        self.reach = math.hypot(max(-left, right), max(-bottom, top))


@dataclass(frozen=True, slots=True)
class Motions:
    """Poses (n, 3) and velocities (n, 3) of the bodies of all members."""

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
    is_weak
        Whether each member gives way.
    sizes
        The size of each member.
    has_filters
        Whether the filter of a shape may forbid a pair.
    """

    def __init__(self, space: pymunk.Space) -> None:
        self.world = im.World()
        self.shadow = im.World(entry_points=False)
        self._space = space
        self._ranks = Ranks()
        self._known: dict[pymunk.Body | pymunk.Shape, Member] = {}
        self._buffer = batch.Buffer()
        self._find_near = Finder(space)
        self.has_filters = False
        # As of the last look: all shapes, their bodies, the types of these, and the static ones; and whether shapes
        # were sorted without a successful look since.
        self._shapes: list[pymunk.Shape] | None = None
        self._bodies: list[pymunk.Body] = []
        self._types: list[int] = []
        self._static: set[pymunk.Body] = set()
        self._is_sorted_anew = False
        # Shapes of bodies that are not static; shapes of static bodies with their traits; the latter again as a list,
        # to be checked in turn; and the new ones among them.
        self._moving: list[pymunk.Shape] = []
        self._still: dict[pymunk.Shape, Traits | None] = {}
        self._in_turn: list[pymunk.Shape] = []
        self._turn = 0
        self._fresh: list[pymunk.Shape] = []
        self._has_still_filters = False
        # Tiles in blocks, which no weak body has come near; the shapes near weak bodies; whether a block was expanded.
        self._block_of: dict[pymunk.Shape, Block] = {}
        self._blocks: dict[Block, None] = {}
        self._near: set[pymunk.Shape] = set()
        self._has_grown = False
        self._number()

    def follow(self, ranks: Ranks) -> None:
        """Take up new rules."""
        for block in list(self._blocks):
            self._drop(block)
        for key, member in list(self._known.items()):
            if member.kind not in ranks.might:
                self._forget(key)
        self._ranks = ranks
        # All shapes are checked again.
        self._shapes, self._still = None, {}
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
        shapes = list(self._space.shapes)
        if shapes != self._shapes or types_of(self._bodies) != self._types:
            self._sort(shapes)
        changed = self._changed(dt)
        if any(traits[0] not in self._static for traits in changed.values()):
            # A shape was out of the space for a moment, and now has another body.
            self._sort(shapes)
            changed = self._changed(dt)
        self._expand_changed(changed)
        looked = self._moving
        if changed:
            looked = [shape for shape in shapes if shape in changed or shape not in self._still]
        blocks = self._new_blocks(looked, changed)
        if blocks:
            lazy = {shape for block in blocks for shape in block.tiles}
            numbers = {shape: number for number, shape in enumerate(looked)}
            looked = [shape for shape in looked if shape not in lazy]
        found, has_filters = self._find(looked)
        solids = {
            key: solid_of(look[0] for look in member.looks)
            for key, member in found.items()
            if self._is_new(key, member)
        }
        has_news = self._is_sorted_anew or bool(changed)
        keys = list(self._known) if has_news else self._agile
        gone = [key for key in keys if key not in found and (key in changed or key not in self._still)]
        for key in gone:
            self._forget(key)
        # Blocks do not change the order of adding.
        firsts = [world.next_order for world in (self.world, self.shadow)]
        for block in blocks:
            self._put_block(block, firsts)
        for key, solid in solids.items():
            member = found[key]
            number = numbers[member.looks[0][0]] if blocks else 0
            self._put(key, member, solid, [first + number for first in firsts] if blocks else None)
        if blocks:
            self._number()
            self._near = self._nearby(dt)
        if self._blocks:
            near = {self._block_of.get(shape) for shape in self._near}
            for block in [block for block in self._blocks if block in near]:
                self._expand(block)
        if changed:
            self._still.update(changed)
            self._fresh = []
            self._has_still_filters = any(self._is_filtered(traits) for traits in self._still.values())
        if gone or solids or has_news or self._has_grown:
            self._number()
        self._is_sorted_anew = False
        self.has_filters = has_filters or self._has_still_filters

    def _sort(self, shapes: list[pymunk.Shape]) -> None:
        """Sort shapes into those of static bodies and the others."""
        owners = {shape: shape.body for shape in shapes}
        self._bodies = [body for body in dict.fromkeys(owners.values()) if body is not None]
        self._types = types_of(self._bodies)
        self._static = static = {body for body, kind in zip(self._bodies, self._types, strict=True) if kind == STATIC}
        # The flag stays set until a look succeeds: it may raise an error.
        self._shapes, self._is_sorted_anew = shapes, True
        self._moving = [shape for shape, body in owners.items() if body not in static]
        self._still = {shape: self._still.get(shape) for shape, body in owners.items() if body in static}
        self._in_turn = list(self._still)
        self._fresh = [shape for shape, traits in self._still.items() if traits is None]

    def _changed(self, dt: float) -> dict[pymunk.Shape, Traits]:
        """Return the checked shapes of static bodies whose traits have changed."""
        return {shape: traits for shape in self._suspects(dt) if (traits := traits_of(shape)) != self._still[shape]}

    def _suspects(self, dt: float) -> set[pymunk.Shape]:
        """Return the shapes of static bodies that must be checked."""
        turn = self._in_turn[self._turn : self._turn + SAMPLE]
        self._turn = self._turn + SAMPLE if self._turn + SAMPLE < len(self._in_turn) else 0
        suspects = {*self._fresh, *turn}
        self._near = set()
        if len(suspects) < len(self._still):
            self._near = self._nearby(dt)
            suspects |= self._near
        return suspects

    def _nearby(self, dt: float) -> set[pymunk.Shape]:
        """Return the shapes of static bodies that weak bodies may come near in a step."""
        near: set[pymunk.Shape] = set()
        members = [member for key in self._agile if (member := self._known.get(key)) is not None]
        goers = [(member, figures_of(member.body)) for member in members]
        ways = [
            (math.hypot(across, up) + abs(spin) * member.reach) * dt for member, (_, _, _, across, up, spin) in goers
        ]
        # A pushed body moves as far as the body that pushes it.
        farthest = max(ways, default=0.0)
        for (member, (x, y, *_)), way in zip(goers, ways, strict=True):
            if member.is_weak:
                around = 2.0 * member.reach + way + farthest
                near.update(self._find_near((x - around, y - around, x + around, y + around)))
        return near & self._still.keys()

    def _new_blocks(self, shapes: list[pymunk.Shape], changed: dict[pymunk.Shape, Traits]) -> list[Block]:
        """Return blocks of new static shapes."""
        if len(self._fresh) < MANY:
            return []
        fresh = [
            (number, shape, traits[1])
            for number, shape in enumerate(shapes)
            if (traits := changed.get(shape)) is not None
            and self._still[shape] is None
            and shape not in self._known
            and traits[1] in self._ranks.sides
            and not traits[2]
        ]
        return blocks_of(fresh)

    def _put_block(self, block: Block, firsts: list[int]) -> None:
        """Add the proxies of a block. They take the last place of its tiles."""
        block.tiles = dict(sorted(block.tiles.items(), key=itemgetter(1)))
        carrying, sticky, passable = self._ranks.sides[block.kind]
        last = max(block.tiles.values())
        block.proxies = tuple(
            world.add(
                block.solid,
                block.pose,
                might=self._ranks.might[block.kind],
                layer=self._ranks.layer(block.kind),
                mask=0,
                carrying=carrying,
                sticky=sticky,
                passable=passable,
                order=first + last,
                expand=lambda proxy: self._expand(block),
                data=block.body,
            )
            for world, first in zip((self.world, self.shadow), firsts, strict=True)
        )
        block.firsts = tuple(firsts)
        self._block_of |= dict.fromkeys(block.tiles, block)
        self._blocks[block] = None

    def _drop(self, block: Block) -> None:
        """Remove a block without its tiles."""
        for proxy in block.proxies:
            proxy.world.remove(proxy)
        del self._blocks[block]
        for shape in block.tiles:
            del self._block_of[shape]

    def _expand(self, block: Block, skipped: Collection[pymunk.Shape] = ()) -> None:
        """Replace a block by its tiles, permanently."""
        self._drop(block)
        for shape, number in block.tiles.items():
            if shape in self._still and shape not in skipped:
                member = Member(block.body, block.kind, False, [_look(shape)])
                self._put(shape, member, shape_of(shape), [first + number for first in block.firsts])
        self._has_grown = True

    def _expand_changed(self, changed: Collection[pymunk.Shape]) -> None:
        """Expand blocks of which a tile is gone or changed, or whose body was moved."""
        stale = [self._block_of[shape] for shape in changed if shape in self._block_of]
        if self._is_sorted_anew:
            stale += [block for shape, block in self._block_of.items() if shape not in self._still]
        places = {block.body: block.place for block in self._blocks}
        moved = {body for body, place in places.items() if place_of(body) != place}
        for body in moved:
            pose_of(body)  # the error for a place that is not finite comes before any change
        stale += [block for block in self._blocks if block.body in moved]
        for block in dict.fromkeys(stale):
            self._expand(block, changed)

    def catch_up(self) -> bool:
        """Take up the tiles of blocks that were expanded in a frame: they are the last members, and do not move."""
        if not self._has_grown:
            return False
        self._number()
        return True

    def _is_filtered(self, traits: Traits | None) -> bool:
        return traits is not None and traits[1] in self._ranks.sides and not traits[2] and traits[3:] != NO_FILTER

    def _find(self, shapes: Iterable[pymunk.Shape]) -> tuple[dict[pymunk.Body | pymunk.Shape, Member], bool]:
        """Return the members of some shapes, and whether any of these shapes has a filter."""
        mights, found, has_filters = self._ranks.might, dict[pymunk.Body | pymunk.Shape, Member](), False
        gives_way = {kind for kind in mights if self._ranks.mask(kind)}
        pushes = self._ranks.sides.keys()
        for shape in shapes:
            kind = shape.collision_type
            if kind not in mights or shape.sensor:
                continue
            has_filters = has_filters or shape.filter != ANYTHING
            body = shape.body
            assert body is not None  # it is in the space
            is_weak = kind in gives_way and body.body_type != STATIC
            if not is_weak and kind not in pushes:
                continue
            member = found.setdefault(body if is_weak else shape, Member(body, kind, is_weak))
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

    def _is_new(self, key: pymunk.Body | pymunk.Shape, member: Member) -> bool:
        known = self._known.get(key)
        return (
            known is None
            or known.looks != member.looks
            or (known.body, known.kind, known.is_weak) != (member.body, member.kind, member.is_weak)
        )

    def _put(
        self, key: pymunk.Body | pymunk.Shape, member: Member, solid: Solid, orders: list[int] | None = None
    ) -> None:
        known, ranks, kind = self._known.get(key), self._ranks, member.kind
        if known is not None and (known.body, known.kind, known.is_weak) == (member.body, kind, member.is_weak):
            # The twins stay, so the worlds keep their state.
            known.take(member.looks, solid)
            for twin in known.twins:
                twin.shape = solid
            return
        self._forget(key)
        carrying, sticky, passable = ranks.sides.get(kind, FREE)
        member.take(member.looks, solid)
        member.twins = tuple(
            world.add(
                solid,
                pose_of(member.body),
                might=ranks.might[kind],
                layer=ranks.layer(kind),
                mask=ranks.mask(kind) if member.is_weak else 0,
                carrying=carrying,
                sticky=sticky,
                passable=passable,
                order=order,
                data=member.body,
            )
            for world, order in zip((self.world, self.shadow), orders or (None, None), strict=True)
        )
        self._known[key] = member

    def _forget(self, key: pymunk.Body | pymunk.Shape) -> None:
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
        static = np.array(types_of(self.bodies), np.int64) == STATIC
        self._is_static = static[self._of]
        self._moving_places = np.flatnonzero(~static).tolist()
        self._seen_ids = b""
        self.is_weak = np.array([member.is_weak for member in self.members], np.bool_)
        self.sizes = np.array([member.size for member in self.members], np.float64)
        self._by_shape = {shape: member for member in self.members for shape in member.shapes}
        self._by_twin = {twin: member for member in self.members for twin in member.twins}
        for row, member in enumerate(self.members):
            member.row = row

    def member_of(self, shape: pymunk.Shape) -> Member | None:
        """Return the member that a shape belongs to."""
        return self._by_shape.get(shape)

    def member_of_twin(self, twin: im.Body) -> Member | None:
        """Return the member of a body of one of the worlds."""
        return self._by_twin.get(twin)

    def motions(self) -> Motions:
        """Return the present poses and velocities of the members' bodies."""
        buffer = self._buffer
        buffer.clear()
        batch.get_space_bodies(self._space, MOTION, buffer)
        ids = bytes(buffer.int_buf())
        numbers = np.frombuffer(bytearray(buffer.float_buf()), np.float64).reshape(-1, 6)
        if not len(self.bodies):
            return Motions(np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0, np.bool_))
        if ids != self._seen_ids:
            self._places, self._present = self._sought(np.frombuffer(ids, np.uint64))
            self._seen_ids = ids
        mine = numbers[self._places[self._of]]
        for row in np.flatnonzero(~self._present[self._of]).tolist():
            # A shape may stay in the space after its body is removed; the body then does not move.
            body = self.members[row].body
            mine[row] = *body.position, body.angle, 0.0, 0.0, 0.0
        velocities = mine[:, 3:].copy()
        velocities[self._is_static] = 0.0
        return Motions(mine[:, :3].copy(), velocities, self._present[self._of])

    def _sought(self, ids: NDArray[np.uint64]) -> tuple[Rows, Flags]:
        """Return the places of the members' bodies in a list of ids, and whether the ids are in it."""
        order = np.argsort(ids)
        places = order[np.minimum(np.searchsorted(ids, self._ids, sorter=order), len(ids) - 1)]
        return places, ids[places] == self._ids

    def middles(self) -> Floats:
        """Return the centres of gravity in body frames; zeros for static bodies, which do not turn."""
        middles = np.zeros((len(self.bodies), 2))
        for place in self._moving_places:
            middles[place] = center_of(self.bodies[place])
        return middles[self._of]


def _look(shape: pymunk.Shape) -> Look:
    return shape, shape.radius, shape.area, shape.center_of_gravity
