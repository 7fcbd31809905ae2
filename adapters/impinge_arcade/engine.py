"""The push engine: Arcade sprites in, an Impinge world inside, positions and events out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, cast

import numpy as np
from arcade import BasicSprite, Sprite, SpriteList

import impinge as im
from impinge import Side
from impinge_arcade.boxes import Reading, Readings, SpriteBox, are_finite, name_of, read, reader_of, sprite_box

__all__ = ["PushEngine", "SpriteEvent"]

STILL = (0, 0)
# As plain integers: to ask a `Side` takes a microsecond, for each player in each update.
LEFT, RIGHT, BOTTOM, TOP = (int(side) for side in Side)
VELOCITY = Reading._fields.index("velocity")

# A sprite, a list that is followed as it changes, or several of them.
Sprites = BasicSprite | Iterable[BasicSprite]


@dataclass(frozen=True, slots=True)
class SpriteEvent:
    """A contact of the last update.

    Attributes
    ----------
    kind
        ``"push"``: the mighty sprite kept the weak one out. ``"stuck"``: the weak one had no room between it and
        another.
    time
        When it began: 0 at the update's start, 1 at its end.
    weak, mighty
        The sprites.
    side
        The side of the weak sprite that was touched.
    speed
        Speed of the mighty sprite towards the weak one, in pixels an update: positive when it pushes, 0 when the weak
        one ran against it, negative when it recedes.
    """

    kind: Literal["push", "stuck"]
    time: float
    weak: BasicSprite
    mighty: BasicSprite
    side: Side
    speed: float


class _Lone:
    """A sprite that was added by itself. It goes when it is killed: taken out of all the lists it was in."""

    def __init__(self, sprite: BasicSprite) -> None:
        self.sprite = sprite
        self._was_listed = False

    def __iter__(self) -> Iterator[BasicSprite]:
        listed = bool(self.sprite.sprite_lists)
        self._was_listed = self._was_listed or listed
        if listed or not self._was_listed:
            yield self.sprite


class _Member:
    """A sprite of the engine, its body, and what was last read of both."""

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
        """Put the body where the sprite is, or was."""
        self.body.pose = _pose(position, self.offset)
        self.place = [self.body.pose.x, self.body.pose.y]


@dataclass(eq=False)
class _Group:
    """Sprites that were added together, and the rule for them."""

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
        """Whether there is anything to do for these sprites."""
        return self.is_moving or readings != self.readings

    def note(self, readings: Readings) -> None:
        """Remember what was read, once nothing in it was wrong."""
        self.readings = readings
        self.is_moving = any(velocity != STILL for velocity in readings[VELOCITY]) if readings else False


@dataclass(frozen=True, slots=True)
class _Move:
    """What a sprite is going to do in this update."""

    member: _Member
    reading: Reading
    box: SpriteBox | None  # a new one, if its hit box has changed
    origin: tuple[float, float]  # where the sprite sets out from: the game may have put it there, unmet
    target: tuple[float, float]


class PushEngine:
    """Moves sprites, and lets the mighty ones push, carry and crush the weak ones; exactly, at any speed.

    Parameters
    ----------
    weak, mighty
        A sprite, a `SpriteList`, or an iterable of sprites or of lists; of might 0 and 1. Lists are followed: what
        is added to them, removed, killed, rescaled or turned between two updates counts in the next. A sprite collides
        as the bounds of its hit box.

    Notes
    -----
    A weak sprite, of might 0 or less, moves by `change_x` and `change_y`; where the game puts it otherwise, it simply
    stands. A mighty sprite moves by `change_x` and `change_y` too, or by where the game has put it since the last
    update: what is in the way is pushed. `teleport` puts a mighty sprite elsewhere without sweeping what is between.

    Raises
    ------
    impinge.ShapeError
        If a sprite's position, speed or hit box is not finite, or has no area; the message names the sprite.
    ValueError
        If a sprite is added twice.
    TypeError
        If something is not a sprite.

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
        """Add sprites, with a rule of their own.

        Parameters
        ----------
        sprites
            As for the engine: lists among them are followed.
        might
            They push sprites of lower might, and are pushed by those of higher.
        layer, mask
            Bits: a sprite is pushed only by those whose layer has a bit of its mask.
        carrying, sticky, passable
            Sides of theirs that take weaker sprites along, hold them, or let them in.
            ``passable=Side.LEFT | Side.RIGHT | Side.BOTTOM`` makes one-way platforms.
        """
        # A body by this rule, in a world of its own: what is wrong with the rule shows before anything has changed.
        trial = im.World()
        trial.add(im.Box(1, 1), im.Pose(0, 0), might, layer, mask, carrying=carrying, sticky=sticky, passable=passable)
        groups = [_Group(source, might, layer, mask, carrying, sticky, passable) for source in _sources(sprites)]
        self._follow([*self._groups, *groups])

    def remove(self, sprites: Sprites | Iterable[Sprites]) -> None:
        """Take out sprites or lists that were added.

        Raises
        ------
        ValueError
            If one of them was not added; nothing is taken out then.
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
        """Move all sprites by one step; returns what touched, in order of time.

        An error leaves every sprite where it was.
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
        """Let a mighty sprite be where the game has put it, without having swept over what is between."""
        member = self._member(sprite)
        member.body.shape, member.offset = sprite_box(sprite)
        member.stand_at(sprite.position)
        member.reading = read(sprite)
        member.group.readings = []

    def sprites(self) -> Iterator[BasicSprite]:
        """All sprites that the engine knows."""
        return iter(self._members)

    def body(self, sprite: BasicSprite) -> im.Body:
        """Return the body of a sprite in `world`, to look at: where it stands follows from the sprite."""
        return self._member(sprite).body

    def sides(self, sprite: BasicSprite) -> Side:
        """Sides of a weak sprite that were touched in the last update."""
        return self._member(sprite).body.sides

    def blocked(self, sprite: BasicSprite) -> Side:
        """Sides of a weak sprite that are still pressed on: ``Side.BOTTOM`` when it stands on something."""
        return self._member(sprite).body.blocked

    def stuck(self, sprite: BasicSprite) -> Side:
        """Sides between which a weak sprite had no room in the last update."""
        return self._member(sprite).body.stuck

    def _member(self, sprite: BasicSprite) -> _Member:
        member = self._members.get(sprite)
        if member is None:
            raise ValueError(f"sprite must have been added to this engine, got {name_of(sprite)}")
        return member

    def _follow(self, groups: list[_Group]) -> None:
        """Bring the members up to date with their lists; all is checked before anything changes."""
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
        """Find what the sprites of a group are going to do; those that stay where they are do nothing."""
        return [
            self._move(group, member, reading)
            for member, reading in zip(group.members, map(Reading._make, zip(*readings, strict=True)), strict=True)
            if reading.velocity != STILL or reading != member.reading
        ]

    def _move(self, group: _Group, member: _Member, reading: Reading) -> _Move:
        (x, y), (dx, dy) = reading.position, reading.velocity
        if not are_finite(x, y, dx, dy):
            raise im.ShapeError(f"{name_of(member.sprite)}: position and velocity must be finite, got {reading[:2]}")
        box = sprite_box(member.sprite) if reading[2:] != member.reading[2:] else None
        origin = target = reading.position
        if reading.position == member.reading.position or group.might <= 0:
            target = (x + dx, y + dy)
        else:
            origin = member.reading.position
        offset = member.offset if box is None else box.offset
        if not are_finite(target[0] + offset[0], target[1] + offset[1]):
            raise im.ShapeError(f"{name_of(member.sprite)}: where it goes must be finite, got velocity={(dx, dy)}")
        return _Move(member, reading, box, origin, target)

    def _set_out(self, moves: list[_Move]) -> list[list[float]]:
        """Tell the world of the moves; returns the goals of the bodies."""
        for move in moves:
            member = move.member
            if move.box is not None:
                member.body.shape, member.offset = move.box
            if move.box is not None or move.origin != member.reading.position:
                member.stand_at(move.origin)
            member.reading = move.reading
        # An axis without movement keeps the body's own coordinate: worked out again, it may differ by one bit.
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
        """Write where the pushable sprites have come to, and stop them where they are blocked."""
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
    """Write a sprite's position if it is another one, and remember it as the engine's own doing."""
    if position != member.reading.position:
        member.sprite.position = position
        member.reading = Reading(position, *member.reading[1:])
        member.group.readings = []


def _stop(sprite: Sprite, blocked: int) -> None:
    """Take away the speed that leads into what blocks a sprite."""
    dx, dy = sprite.velocity
    if blocked & (LEFT if dx < 0 else RIGHT) and dx:
        sprite.change_x = 0
    if blocked & (BOTTOM if dy < 0 else TOP) and dy:
        sprite.change_y = 0


def _pose(position: tuple[float, float], offset: tuple[float, float]) -> im.Pose:
    return im.Pose(position[0] + offset[0], position[1] + offset[1])


def _sources(sprites: Sprites | Iterable[Sprites]) -> list[Iterable[BasicSprite]]:
    """Split what was added into sources that are followed: lone sprites, and lists."""
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
    """Whether two sources are the same list or the same lone sprite."""
    if isinstance(source, _Lone) and isinstance(other, _Lone):
        return source.sprite is other.sprite
    return source is other
