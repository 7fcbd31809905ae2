"""The bodies of a space whose collision types have rules, as bodies of two `World`s that are kept up to date.

In the first one the frames are resolved of which plugins hear. The second one, the shadow, is for what is put right
after a step, of which nobody hears. Not here: what is done with either, which is in `pushing`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import pymunk
from numpy.typing import NDArray
from pymunk import batch

import impinge as im
from impinge.shapes import Solid
from impinge_pymunk.ranks import FREE, Ranks
from impinge_pymunk.shapes import pose_of, shape_of

__all__ = ["Member", "Mirror", "Motions"]

Floats: TypeAlias = NDArray[np.float64]
Rows: TypeAlias = NDArray[np.int64]

STATIC = pymunk.Body.STATIC
ANYTHING = pymunk.ShapeFilter()
MOTION = (
    batch.BodyFields.BODY_ID
    | batch.BodyFields.POSITION
    | batch.BodyFields.ANGLE
    | batch.BodyFields.VELOCITY
    | batch.BodyFields.ANGULAR_VELOCITY
)
# A shape as far as it can change: what it is made of shows in how large it is and where its middle is.
Look: TypeAlias = tuple[pymunk.Shape, float, float, pymunk.Vec2d]


@dataclass(eq=False, slots=True)
class Member:
    """What is one body of the worlds: a body that gives way with all of its shapes, or one shape of another one."""

    body: pymunk.Body
    kind: int
    is_weak: bool
    looks: list[Look] = field(default_factory=list)
    row: int = -1
    solid: Solid = field(init=False)
    # The smaller side of what it takes up.
    size: float = field(init=False)
    shapes: list[pymunk.Shape] = field(init=False)
    twins: tuple[im.Body, ...] = ()

    def take(self, looks: list[Look], solid: Solid) -> None:
        """Look so, and be a solid from now on."""
        self.looks, self.shapes = looks, [look[0] for look in looks]
        left, bottom, right, top = solid.bounds()
        # A segment without a radius has no smaller one.
        self.solid, self.size = solid, min(right - left, top - bottom) or max(right - left, top - bottom)


@dataclass(frozen=True, slots=True)
class Motions:
    """How the bodies of all members stand and go: places and angles (n, 3), and velocities (n, 3)."""

    poses: Floats
    velocities: Floats
    # Whether they are in the space.
    present: NDArray[np.bool_]

    def after(self, dt: float, middles: Floats) -> Floats:
        """Return where they are after a time: a body turns about its centre of gravity, which goes straight on."""
        # What is not finite then is refused.
        with np.errstate(over="ignore", invalid="ignore"):
            ends = self.poses + self.velocities * dt
        turning = np.flatnonzero(middles.any(axis=1) & (self.velocities[:, 2] != 0.0) & np.isfinite(ends[:, 2]))
        ends[turning, :2] += turned(middles[turning], self.poses[turning, 2]) - turned(
            middles[turning], ends[turning, 2]
        )
        return ends


def turned(points: Floats, angles: Floats) -> Floats:
    """Return points turned about the origin."""
    cos, sin = np.cos(angles), np.sin(angles)
    return np.column_stack((cos * points[:, 0] - sin * points[:, 1], sin * points[:, 0] + cos * points[:, 1]))


class Mirror:
    """Members for all shapes of a space that rules are about.

    Attributes
    ----------
    world, shadow
        The worlds; `Body.data` of their bodies is the `pymunk.Body`.
    members
        The members, as rows of all that is told of them.
    is_weak, is_static
        Whether a member gives way, and whether it stands for good.
    sizes
        The size of each member.
    has_filters
        Whether a shape's filter may forbid a pair.
    """

    def __init__(self, space: pymunk.Space) -> None:
        self.world = im.World()
        self.shadow = im.World(entry_points=False)
        self._space = space
        self._ranks = Ranks()
        self._known: dict[pymunk.Body | pymunk.Shape, Member] = {}
        self._buffer = batch.Buffer()
        self.has_filters = False
        self._number()

    def follow(self, ranks: Ranks) -> None:
        """Take up other rules."""
        for key, member in list(self._known.items()):
            if member.kind not in ranks.might:
                self._forget(key)
        self._ranks = ranks
        for member in self._known.values():
            for twin in member.twins:
                twin.might = ranks.might[member.kind]
                twin.layer = ranks.layer(member.kind)
                twin.mask = ranks.mask(member.kind) if member.is_weak else 0
                twin.carrying, twin.sticky, twin.passable = ranks.sides.get(member.kind, FREE)
        self._number()

    def look(self) -> None:
        """See what has come, gone or changed in the space since the last look.

        Raises
        ------
        impinge.ShapeError
            If a shape has no solid, or a body that gives way has ruled shapes of several types; the space is as it was.
        """
        found = self._find()
        solids = {key: _solid(member) for key, member in found.items() if self._is_new(key, member)}
        gone = [key for key in self._known if key not in found]
        for key in gone:
            self._forget(key)
        for key, solid in solids.items():
            self._put(key, found[key], solid)
        if gone or solids:
            self._number()

    def _find(self) -> dict[pymunk.Body | pymunk.Shape, Member]:
        mights, found, has_filters = self._ranks.might, dict[pymunk.Body | pymunk.Shape, Member](), False
        gives_way = {kind for kind in mights if self._ranks.mask(kind)}
        pushes = self._ranks.sides.keys()
        standing = {body for body in self.bodies if body.body_type == STATIC}
        for shape in self._space.shapes:
            kind = shape.collision_type
            if kind not in mights or shape.sensor:
                continue
            has_filters = has_filters or shape.filter != ANYTHING
            body, known = shape.body, self._known.get(shape)
            if known is not None and known.kind == kind and kind in pushes and body is known.body and body in standing:
                # Levels are made of these by the thousand: they are not looked at any closer.
                found[shape] = known
                continue
            assert body is not None  # it is in the space
            is_weak = kind in gives_way and body.body_type != STATIC
            if not is_weak and kind not in pushes:
                continue
            member = found.setdefault(body if is_weak else shape, Member(body, kind, is_weak))
            if member.kind != kind:
                raise im.ShapeError(
                    f"{body!r} must give way with shapes of one collision type, got {member.kind} and {kind}"
                )
            member.looks.append((shape, shape.radius, shape.area, shape.center_of_gravity))
        for member in [member for key, member in found.items() if not member.is_weak and member.body in found]:
            raise im.ShapeError(
                f"{member.body!r} must give way with shapes of one collision type, "
                f"got {found[member.body].kind} and {member.kind}"
            )
        self.has_filters = has_filters
        return found

    def _is_new(self, key: pymunk.Body | pymunk.Shape, member: Member) -> bool:
        known = self._known.get(key)
        return known is not member and (
            known is None
            or known.looks != member.looks
            or (known.body, known.kind, known.is_weak) != (member.body, member.kind, member.is_weak)
        )

    def _put(self, key: pymunk.Body | pymunk.Shape, member: Member, solid: Solid) -> None:
        known, ranks, kind = self._known.get(key), self._ranks, member.kind
        if known is not None and (known.body, known.kind, known.is_weak) == (member.body, kind, member.is_weak):
            # It keeps what the worlds know of it.
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
                data=member.body,
            )
            for world in (self.world, self.shadow)
        )
        self._known[key] = member

    def _forget(self, key: pymunk.Body | pymunk.Shape) -> None:
        member = self._known.pop(key, None)
        if member is not None:
            member.row = -1
            for twin in member.twins:
                twin.world.remove(twin)

    def _number(self) -> None:
        self.members = list(self._known.values())
        self.bodies = list(dict.fromkeys(member.body for member in self.members))
        places = {body: place for place, body in enumerate(self.bodies)}
        self._ids = np.array([body.id for body in self.bodies], np.uint64)
        self._of = np.array([places[member.body] for member in self.members], np.int64)
        self.rows, self.shadow_rows = (
            np.array([member.twins[which].index for member in self.members], np.int64) for which in (0, 1)
        )
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
        """Return the member that a body of one of the worlds is."""
        return self._by_twin.get(twin)

    def motions(self) -> Motions:
        """Return how the bodies of the members stand and go now."""
        buffer = self._buffer
        buffer.clear()
        batch.get_space_bodies(self._space, MOTION, buffer)
        ids = np.frombuffer(bytes(buffer.int_buf()), np.uint64)
        numbers = np.frombuffer(bytes(buffer.float_buf()), np.float64).reshape(len(ids), 6)
        if not len(self.bodies):
            return Motions(np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0, np.bool_))
        order = np.argsort(ids)
        places = order[np.minimum(np.searchsorted(ids, self._ids, sorter=order), len(ids) - 1)]
        present = ids[places] == self._ids
        found = numbers[places]
        for place in np.flatnonzero(~present).tolist():
            # A shape may stay when its body is taken out; then that goes nowhere.
            body = self.bodies[place]
            found[place] = *body.position, body.angle, 0.0, 0.0, 0.0
        mine, there = found[self._of], present[self._of]
        velocities = mine[:, 3:].copy()
        velocities[self.is_static()] = 0.0
        return Motions(mine[:, :3].copy(), velocities, there)

    def is_static(self) -> NDArray[np.bool_]:
        """Return which members never move by themselves."""
        static = np.array([body.body_type == STATIC for body in self.bodies], np.bool_)
        return static[self._of] if len(static) else np.zeros(0, np.bool_)

    def middles(self) -> Floats:
        """Return the centres of gravity in the frames of their bodies."""
        middles = np.array([body.center_of_gravity for body in self.bodies], np.float64).reshape(-1, 2)
        return middles[self._of] if len(middles) else middles


def _solid(member: Member) -> Solid:
    # By their looks and not by the order in which they came, as `shape_of` does for a body.
    solids = sorted((shape_of(look[0]) for look in member.looks), key=repr)
    return solids[0] if len(solids) == 1 else im.Compound([(solid, im.Pose(0.0, 0.0)) for solid in solids])
