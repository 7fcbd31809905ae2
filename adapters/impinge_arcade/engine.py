"""The push engine: it steps Arcade sprites in an Impinge world, and writes back positions and events."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, cast

import numpy as np
from arcade import BasicSprite, Sprite, SpriteList

import impinge as im
from impinge import Side
from impinge.checks import LARGEST
from impinge_arcade.boxes import Reading, Readings, SpriteBox, are_coordinates, name_of, read, reader_of, sprite_box

__all__ = ["PushEngine", "SpriteEvent"]

STILL = (0, 0)
# Plain integers: an operation on a `Side` takes a microsecond, for each player in each update.
LEFT, RIGHT, BOTTOM, TOP = (int(side) for side in Side)
VELOCITY = Reading._fields.index("velocity")

# A sprite, a list that the engine follows, or several of them.
Sprites = BasicSprite | Iterable[BasicSprite]


@dataclass(frozen=True, slots=True)
class SpriteEvent:
    """A contact of the last update.

    Attributes
    ----------
    kind
        ``"push"``: the mighty sprite kept the weak one out. ``"stuck"``: the weak sprite had no room between the mighty
        sprite and another one.
    time
        When the contact began: 0 at the update's start, 1 at its end.
    weak, mighty
        The sprites.
    side
        The side of the weak sprite that was touched.
    speed
        Speed of the mighty sprite towards the weak one, in pixels per update: positive if it pushes the weak sprite,
        0 if the weak sprite ran into it, negative if it recedes.
    """

    kind: Literal["push", "stuck"]
    time: float
    weak: BasicSprite
    mighty: BasicSprite
    side: Side
    speed: float


class _Lone:
    """A sprite that was added by itself. It is removed when it is killed, that is, taken out of all its lists."""

    def __init__(self, sprite: BasicSprite) -> None:
        self.sprite = sprite
        self._was_listed = False

    def __iter__(self) -> Iterator[BasicSprite]:
        listed = bool(self.sprite.sprite_lists)
        self._was_listed = self._was_listed or listed
        if listed or not self._was_listed:
            yield self.sprite


class _Member:
    """A sprite of the engine, its body, and the last reading of both."""

    __slots__ = ("body", "group", "index", "offset", "place", "reading", "sprite")

    def __init__(self, sprite: BasicSprite, group: _Group, body: im.Body, offset: tuple[float, float]) -> None:
        self.sprite = sprite
        self.group = group
        self.body = body
        self.index = body.index
        self.offset = offset
        self.reading = read(sprite)
        self.place = [body.pose.x, body.pose.y]

    def stand_at(self, position: tuple[float, float]) -> None:
        """Place the body for a position of the sprite."""
        self.body.pose = _pose(position, self.offset)
        self.place = [self.body.pose.x, self.body.pose.y]


@dataclass(eq=False)
class _Group:
    """Sprites that were added together, and their rule."""

    source: Iterable[BasicSprite]
    might: int
    layer: int
    mask: int
    carrying: Side
    sticky: Side
    passable: Side
    sprites: list[BasicSprite] = field(default_factory=list)
    members: list[_Member] = field(default_factory=list)
    readings: Readings = field(default_factory=list)
    read: Callable[[list[Any]], Readings] = field(default_factory=lambda: reader_of([]))
    is_moving: bool = False

    def has_changed(self, readings: Readings) -> bool:
        """Return whether these sprites move or have changed."""
        return self.is_moving or readings != self.readings

    def note(self, readings: Readings) -> None:
        """Store readings after they were checked."""
        self.readings = readings
        self.is_moving = any(velocity != STILL for velocity in readings[VELOCITY]) if readings else False


@dataclass(frozen=True, slots=True)
class _Move:
    """The planned move of a sprite in this update."""

    member: _Member
    reading: Reading
    box: SpriteBox | None  # the new box, if the hit box has changed
    origin: tuple[float, float]  # start of the move: the game may have teleported the sprite there
    target: tuple[float, float]


class PushEngine:
    """Move sprites; mighty sprites push, carry and crush weak ones, exactly and at any speed.

    Parameters
    ----------
    weak, mighty
        A sprite, a `SpriteList`, or an iterable of sprites or of lists. Weak sprites have might 0, mighty ones 1. The
        engine follows lists: sprites that are added, removed, killed, rescaled or turned between two updates change in
        the next one. The collision shape of a sprite is the bounding box of its hit box.

    Notes
    -----
    A weak sprite, of might 0 or less, moves by `change_x` and `change_y`. If the game sets its position, it is
    teleported there. A mighty sprite also moves by `change_x` and `change_y`, or to the position that the game has set
    since the last update. It pushes the sprites in its way. `teleport` moves a mighty sprite without this sweep.

    Raises
    ------
    impinge.ShapeError
        If a sprite's position, speed or hit box is not finite, or the hit box has no area; the message names it.
    ValueError
        If a sprite is added twice.
    TypeError
        If an object is not a sprite.

    Examples
    --------
    >>> import arcade
    >>> player = arcade.SpriteSolidColor(20, 40, center_x=50, center_y=100)
    >>> lift = arcade.SpriteSolidColor(60, 10, center_x=50, center_y=75)
    >>> engine = PushEngine(weak=player, mighty=lift)
    >>> lift.change_y, player.change_y = 3, -1
    >>> [event.side for event in engine.update()]
    [<Side.BOTTOM: 4>]
    >>> player.position, player.change_y
    ((50.0, 103.0), 0)
    """

    def __init__(self, weak: Sprites | Iterable[Sprites] = (), mighty: Sprites | Iterable[Sprites] = ()) -> None:
        self.world = im.World()
        self.events: tuple[SpriteEvent, ...] = ()
        self._groups: list[_Group] = []
        self._members: dict[BasicSprite, _Member] = {}
        self._highest = 0
        self._pushable: list[_Member] = []
        self._pushable_rows = np.empty(0, np.int64)
        self.add(weak, might=0)
        self.add(mighty, might=1)

    def add(
        self,
        sprites: Sprites | Iterable[Sprites],
        might: int = 1,
        layer: int = 1,
        mask: int = im.ALL_LAYERS,
        *,
        carrying: Side = Side.ALL,
        sticky: Side = Side.NONE,
        passable: Side = Side.NONE,
    ) -> None:
        """Add sprites with their own rule.

        Parameters
        ----------
        sprites
            As for the engine: lists are followed.
        might
            The rank of the sprites: they push sprites of lower might, and sprites of higher might push them.
        layer, mask
            Bit sets: a sprite can be pushed only by sprites whose layer has a bit of its mask.
        carrying, sticky, passable
            Sides of these sprites that carry weaker sprites, hold them, or let them in.
            ``passable=Side.LEFT | Side.RIGHT | Side.BOTTOM`` makes one-way platforms.
        """
        # A trial body in its own world: it raises an error for an invalid rule before anything changes.
        trial = im.World()
        trial.add(im.Box(1, 1), im.Pose(0, 0), might, layer, mask, carrying=carrying, sticky=sticky, passable=passable)
        groups = [_Group(source, might, layer, mask, carrying, sticky, passable) for source in _sources(sprites)]
        self._follow([*self._groups, *groups])

    def remove(self, sprites: Sprites | Iterable[Sprites]) -> None:
        """Remove sprites or lists that were added.

        Raises
        ------
        ValueError
            If one of them was not added; then nothing is removed.
        """
        kept = list(self._groups)
        for source in _sources(sprites):
            group = next((group for group in kept if _is_same(group.source, source)), None)
            if group is None:
                named = name_of(source.sprite) if isinstance(source, _Lone) else repr(source)
                raise ValueError(f"sprites must have been added to this engine, got {named}")
            kept.remove(group)
        self._follow(kept)

    def update(self) -> tuple[SpriteEvent, ...]:
        """Move all sprites by one step; return the contacts in order of time.

        After an error, no sprite has moved.
        """
        self._follow(self._groups)
        readings = [group.read(group.sprites) for group in self._groups]
        changed = [(group, now) for group, now in zip(self._groups, readings, strict=True) if group.has_changed(now)]
        moves = [move for group, now in changed for move in self._moves(group, now)]
        for group, now in changed:
            group.note(now)
        goals = self._set_out(moves)
        frame = self.world.step()
        plans = {move.member: (goal, move.target) for move, goal in zip(moves, goals, strict=True)}
        for member, (goal, target) in plans.items():
            if member.group.might == self._highest:
                member.place = goal
                _put(member, target)
        self._write_back(plans)
        self.events = tuple(
            SpriteEvent(event.kind, event.time, event.weak.data, event.mighty.data, event.side, event.speed)
            for event in frame.events
            if event.kind in ("push", "stuck")
        )
        return self.events

    def teleport(self, sprite: BasicSprite) -> None:
        """Place a mighty sprite's body at the position that the game has set, without a sweep from the old position."""
        member = self._member(sprite)
        member.body.shape, member.offset = sprite_box(sprite)
        member.stand_at(sprite.position)
        member.reading = read(sprite)
        member.group.readings = []

    def sprites(self) -> Iterator[BasicSprite]:
        """Return an iterator over all sprites of the engine."""
        return iter(self._members)

    def body(self, sprite: BasicSprite) -> im.Body:
        """Return the body of a sprite in `world`, for reading only: its pose follows the sprite."""
        return self._member(sprite).body

    def sides(self, sprite: BasicSprite) -> Side:
        """Return the sides of a weak sprite that were touched in the last update."""
        return self._member(sprite).body.sides

    def blocked(self, sprite: BasicSprite) -> Side:
        """Return the sides of a weak sprite that are still blocked: ``Side.BOTTOM`` if it stands on something."""
        return self._member(sprite).body.blocked

    def stuck(self, sprite: BasicSprite) -> Side:
        """Return the sides between which a weak sprite had no room in the last update."""
        return self._member(sprite).body.stuck

    def _member(self, sprite: BasicSprite) -> _Member:
        member = self._members.get(sprite)
        if member is None:
            raise ValueError(f"sprite must have been added to this engine, got {name_of(sprite)}")
        return member

    def _follow(self, groups: list[_Group]) -> None:
        """Update the members from their lists; everything is checked before anything changes."""
        wanted = [list(group.source) for group in groups]
        if len(groups) == len(self._groups) and all(
            now == group.sprites for group, now in zip(groups, wanted, strict=True)
        ):
            return
        owners: dict[BasicSprite, _Group] = {}
        for group, sprites in zip(groups, wanted, strict=True):
            for sprite in sprites:
                if not isinstance(sprite, BasicSprite):
                    raise TypeError(f"sprites must be sprites or lists of them, got {sprite!r}")
                if sprite in owners:
                    raise ValueError(f"{name_of(sprite)} must not be added to the engine twice")
                owners[sprite] = group
        former = {member.sprite: group for group in self._groups for member in group.members}
        leaving = [sprite for sprite, group in former.items() if owners.get(sprite) is not group]
        boxes = {sprite: sprite_box(sprite) for sprite, group in owners.items() if former.get(sprite) is not group}
        for sprite in leaving:
            self.world.remove(self._members.pop(sprite).body)
        for sprite, box in boxes.items():
            self._members[sprite] = self._enter(sprite, box, owners[sprite])
        for group, sprites in zip(groups, wanted, strict=True):
            group.sprites = sprites
            group.members = [self._members[sprite] for sprite in sprites]
            group.readings = []
            group.read = reader_of(sprites)
        self._groups = groups
        self._highest = max((group.might for group in groups if group.members), default=0)
        self._pushable = [member for group in groups if group.might < self._highest for member in group.members]
        self._pushable_rows = np.array([member.index for member in self._pushable], np.int64)

    def _enter(self, sprite: BasicSprite, box: SpriteBox, group: _Group) -> _Member:
        body = self.world.add(
            box.box,
            _pose(sprite.position, box.offset),
            group.might,
            group.layer,
            group.mask,
            carrying=group.carrying,
            sticky=group.sticky,
            passable=group.passable,
            data=sprite,
        )
        return _Member(sprite, group, body, box.offset)

    def _moves(self, group: _Group, readings: Readings) -> list[_Move]:
        """Return the moves of a group's sprites; sprites that do not move have none."""
        return [
            self._move(group, member, reading)
            for member, reading in zip(group.members, map(Reading._make, zip(*readings, strict=True)), strict=True)
            if reading.velocity != STILL or reading != member.reading
        ]

    def _move(self, group: _Group, member: _Member, reading: Reading) -> _Move:
        (x, y), (dx, dy) = reading.position, reading.velocity
        if not are_coordinates(x, y, dx, dy):
            raise im.ShapeError(
                f"{name_of(member.sprite)}: position and velocity must be finite and at most {LARGEST:g} in size, "
                f"got {reading[:2]}"
            )
        box = sprite_box(member.sprite) if reading[2:] != member.reading[2:] else None
        origin = target = reading.position
        if reading.position == member.reading.position or group.might <= 0:
            target = (x + dx, y + dy)
        else:
            origin = member.reading.position
        offset = member.offset if box is None else box.offset
        if not are_coordinates(target[0] + offset[0], target[1] + offset[1]):
            raise im.ShapeError(
                f"{name_of(member.sprite)}: destination must be at most {LARGEST:g} in size, got velocity={(dx, dy)}"
            )
        return _Move(member, reading, box, origin, target)

    def _set_out(self, moves: list[_Move]) -> list[list[float]]:
        """Pass the moves to the world; return the goals of the bodies."""
        for move in moves:
            member = move.member
            if move.box is not None:
                member.body.shape, member.offset = move.box
            if move.box is not None or move.origin != member.reading.position:
                member.stand_at(move.origin)
            member.reading = move.reading
        # An axis without movement keeps the body's own coordinate: a new sum may differ in the last bit.
        goals = [
            [
                place if to == origin else to + offset
                for place, origin, to, offset in zip(
                    move.member.place, move.origin, move.target, move.member.offset, strict=True
                )
            ]
            for move in moves
        ]
        self.world.set_goals([move.member.index for move in moves], goals)
        return goals

    def _write_back(self, plans: dict[_Member, tuple[list[float], tuple[float, float]]]) -> None:
        """Write the new positions of pushable sprites, and stop these at blocked sides."""
        ends = self.world.positions(self._pushable_rows).tolist()
        blocked = self.world.blocked(self._pushable_rows).tolist()
        for member, end, sides in zip(self._pushable, ends, blocked, strict=True):
            if member in plans or end != member.place:
                goal, target = plans.get(member, (member.place, member.reading.position))
                x, y = (
                    wanted if place == aim else place - offset
                    for wanted, place, aim, offset in zip(target, end, goal, member.offset, strict=True)
                )
                _put(member, (x, y))
                member.place = end
            if sides and isinstance(member.sprite, Sprite):
                _stop(member.sprite, sides)


def _put(member: _Member, position: tuple[float, float]) -> None:
    """Set a sprite's position if it changed, and note that the engine set it."""
    if position != member.reading.position:
        member.sprite.position = position
        member.reading = Reading(position, *member.reading[1:])
        member.group.readings = []


def _stop(sprite: Sprite, blocked: int) -> None:
    """Set the speeds of a sprite that point towards blocked sides to 0."""
    dx, dy = sprite.velocity
    if blocked & (LEFT if dx < 0 else RIGHT) and dx:
        sprite.change_x = 0
    if blocked & (BOTTOM if dy < 0 else TOP) and dy:
        sprite.change_y = 0


def _pose(position: tuple[float, float], offset: tuple[float, float]) -> im.Pose:
    return im.Pose(position[0] + offset[0], position[1] + offset[1])


def _sources(sprites: Sprites | Iterable[Sprites]) -> list[Iterable[BasicSprite]]:
    """Split the sprites of a caller into sources to follow: single sprites and lists."""
    if isinstance(sprites, BasicSprite):
        return [_Lone(sprites)]
    if isinstance(sprites, SpriteList):
        return [sprites]
    if isinstance(sprites, str) or not isinstance(sprites, Iterable):
        raise TypeError(f"sprites must be sprites or lists of them, got {sprites!r}")
    if isinstance(sprites, list) and all(isinstance(part, BasicSprite) for part in sprites):
        return [cast(list[BasicSprite], sprites)]
    return [source for part in sprites for source in _sources(part)]


def _is_same(source: Iterable[BasicSprite], other: Iterable[BasicSprite]) -> bool:
    """Return whether two sources are the same list or the same single sprite."""
    if isinstance(source, _Lone) and isinstance(other, _Lone):
        return source.sprite is other.sprite
    return source is other
