"""Bodies of a world that follow a list of sprites. A list in which nothing has changed costs nothing.

How Arcade reports changes is in `arcade_names`; push rules are in `level`.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from arcade import BasicSprite, SpriteList

import impinge as im
from impinge.shapes.solids import Solid
from impinge_arcade.arcade_names import Watch, is_plain, watch
from impinge_arcade.bodies import FEW_PLACED
from impinge_arcade.boxes import name_of
from impinge_arcade.shapes import Placement, looks_of, presence

__all__ = ["Changes", "Follower", "Noted", "Roster", "reshape", "solid_of"]


class Changes(NamedTuple):
    """The changes of a list since its follower was last asked.

    Attributes
    ----------
    gone, joined, changed
        Sprites that were removed; sprites that were added; sprites that stayed, but may have moved or changed shape.
    order
        All sprites in order, if the order may have changed; None if all new sprites come after the others.
    """

    gone: list[BasicSprite]
    joined: list[BasicSprite]
    changed: list[BasicSprite]
    order: list[BasicSprite] | None


class Noted:
    """Follows a list, `source`, that reports its changes in `notes`; `seen` is the serial of the last one taken up.

    A list in which nothing has changed takes a tenth of a microsecond, however long it is.
    """

    def __init__(self, source: SpriteList[Any], notes: Watch) -> None:
        self._source, self.notes = source, notes
        self.seen = -1

    def poll(self, known: Mapping[BasicSprite, object]) -> Changes | None:
        """Return the changes since the last `commit`, or None."""
        notes, source = self.notes, self._source
        if notes.serial == self.seen:
            return None
        if self.has_moved_only:
            return Changes([], [], _since(notes.changed, self.seen), None)
        changed = [sprite for sprite in _since(notes.changed, self.seen) if sprite in source]
        left = [sprite for sprite in _since(notes.left, self.seen) if sprite in known]
        gone = [sprite for sprite in left if sprite not in source]
        joined = [sprite for sprite in changed if sprite not in known]
        stayed = [sprite for sprite in changed if sprite in known]
        is_in_order = self.seen >= 0 and notes.reordered <= self.seen and len(gone) == len(left)
        if is_in_order and len(known) - len(gone) + len(joined) == len(source):
            newest: list[BasicSprite] = source[-len(joined) :] if joined else []  # type: ignore[index]
            if set(newest) == set(joined):
                return Changes(gone, newest, stayed, None)
        order = list(source)
        gone = [sprite for sprite in known if sprite not in source]
        return Changes(gone, [sprite for sprite in order if sprite not in known], stayed, order)

    def commit(self) -> None:
        """Mark the changes of the last `poll` as done."""
        self.seen = self.notes.serial

    @property
    def has_moved_only(self) -> bool:
        """Return whether all changes since the last `commit` are moves of sprites."""
        return self.notes.upset <= self.seen

    @property
    def is_reliable(self) -> bool:
        """Return whether all sprites report their changes; asked when sprites were added."""
        return all(map(is_plain, set(map(type, self._source))))


class _Scanned:
    """Follows sprites by reading all of them, about a microsecond each in every update.

    For sources and sprites that do not report their changes: lists of Python, other sequences of sprites, sprite
    classes that override a property, and versions of Arcade that a `Watch` does not know.
    """

    def __init__(self, source: Iterable[BasicSprite]) -> None:
        self._source = source
        self._sprites: list[BasicSprite] = []
        self._readings: list[Any] = []
        self._read: tuple[list[BasicSprite], list[Any]] = [], []

    def poll(self, known: Mapping[BasicSprite, object]) -> Changes | None:
        """Return the changes since the last `commit`, or None."""
        sprites = list(self._source)
        readings = list(map(_reading, sprites))
        if sprites == self._sprites and readings == self._readings:
            return None
        self._read = sprites, readings
        former = dict(zip(self._sprites, self._readings, strict=True))
        now = dict(zip(sprites, readings, strict=True))
        return Changes(
            [sprite for sprite in known if sprite not in now],
            [sprite for sprite in now if sprite not in known],
            [sprite for sprite, reading in now.items() if sprite in known and reading != former.get(sprite)],
            sprites,
        )

    def commit(self) -> None:
        """Mark the changes of the last `poll` as done."""
        self._sprites, self._readings = self._read


Follower: TypeAlias = Noted | _Scanned


class Following:
    """A list with its best follower: by the list's own reports, or else by scanning it."""

    def __init__(self, source: Any) -> None:
        self.source = source
        notes = watch(source)
        self._follower: Follower = _Scanned(source) if notes is None else Noted(source, notes)

    @property
    def is_quiet(self) -> bool:
        """Return whether the list has reported no change since the last `commit`: a fast answer for most frames."""
        follower = self._follower
        return type(follower) is Noted and follower.notes.serial == follower.seen

    def _news(self, known: Mapping[BasicSprite, object]) -> Changes | None:
        """Return the changes since the follower's last `commit`, or None; refuse objects that are not sprites."""
        changes = self._follower.poll(known)
        if changes is None:
            return None
        if changes.joined and isinstance(self._follower, Noted) and not self._follower.is_reliable:
            self._follower = _Scanned(self.source)
            changes = self._follower.poll(known)
            assert changes is not None
        for sprite in changes.joined:
            if not isinstance(sprite, BasicSprite):
                raise TypeError(f"sprites must be sprites, got {sprite!r}")
        return changes


class Roster(Following):
    """The bodies of a list of sprites in a world; `Body.data` is the sprite.

    Attributes
    ----------
    source
        The list that is followed.
    world
        The world with the bodies; it may hold other bodies too.
    bodies
        The body of each sprite; `absent` ones have none.
    absent
        Sprites that collide with nothing: those without area, those at NaN, and those in `left_out`.
    is_strict
        Whether sprites without area or at NaN are refused instead; None: see `shapes.set_strict`.
    left_out
        Sprites that have no body here even if they are in the list: see `leave_out`.
    has_placed
        Whether bodies were added or teleported. The owner of the roster resets it.

    Examples
    --------
    >>> import arcade
    >>> tiles = arcade.SpriteList()
    >>> tiles.extend([arcade.SpriteSolidColor(32, 32, center_x=32 * i) for i in range(3)])
    >>> roster = Roster(tiles, im.World())
    >>> _ = roster.follow()
    >>> tiles[2].center_y = 100
    >>> _ = roster.follow()
    >>> [body.pose.y for body in roster.world]
    [0.0, 0.0, 100.0]
    """

    def __init__(self, source: Collection[BasicSprite], world: im.World, **rule: Any) -> None:
        super().__init__(source)
        self.world, self._rule = world, rule
        self.bodies: dict[BasicSprite, im.Body] = {}
        self.absent: dict[BasicSprite, None] = {}
        self.is_strict: bool | None = None
        self.left_out: frozenset[BasicSprite] = frozenset()
        self.has_placed = False
        # Index of each sprite in the list; None if the list has the order in which the bodies were added.
        self._places: dict[BasicSprite, int] | None = None

    def follow(self) -> Changes | None:
        """Update the bodies from the sprites; return the changes.

        Raises
        ------
        impinge.ShapeError
            If a sprite is invalid; then no body has changed.
        TypeError
            If an object in the list is not a sprite.
        """
        known: Mapping[BasicSprite, object] = ChainMap(self.bodies, self.absent) if self.absent else self.bodies  # type: ignore[arg-type]
        changes = self._news(known)
        if changes is not None:
            placed = self.stands(changes.joined), self.stands(changes.changed)
            self._follower.commit()
            self._take_up(changes, *placed)
        return changes

    def leave_out(self, sprites: frozenset[BasicSprite]) -> None:
        """Take the bodies of sprites out, or none of a list: players do not collide with themselves."""
        changed = [each for each in self.left_out ^ sprites if each in self.bodies or each in self.absent]
        self.left_out = sprites
        self._take_up(Changes([], [], changed, None), [], self.stands(changed))

    def _take_up(self, changes: Changes, new: list[Placement | None], now: list[Placement | None]) -> None:
        """Update the bodies, with the placements of sprites that joined or changed."""
        gone, joined, changed, order = changes
        if self.absent or None in new or None in now:
            for sprite in gone:
                self.absent.pop(sprite, None)
            stay, enter = self._sorted(zip(changed, now, strict=True)), self._sorted(zip(joined, new, strict=True))
            if any(sprite not in self.bodies for sprite in stay):  # it does not come last in the list
                order = list(self.source)
            gone = [sprite for sprite in (*gone, *changed) if sprite in self.bodies and sprite not in stay]
            enter |= {sprite: placed for sprite, placed in stay.items() if sprite not in self.bodies}
            stay = {sprite: placed for sprite, placed in stay.items() if sprite in self.bodies}
            joined, new, changed, now = list(enter), list(enter.values()), list(stay), list(stay.values())
        self.has_placed = self.has_placed or bool(joined)
        if gone:
            self.take_out(gone)
        self.place(changed, now)  # type: ignore[arg-type]
        self.enter(joined, new)  # type: ignore[arg-type]
        if order is not None:
            order = [sprite for sprite in order if sprite in self.bodies] if self.absent else order
            is_as_added = order == list(self.bodies)
            self._places = None if is_as_added else {sprite: place for place, sprite in enumerate(order)}
        elif self._places is not None and joined:
            # Removed sprites leave gaps: the highest number may exceed the number of sprites.
            first = 1 + next(reversed(self._places.values()), -1)
            self._places.update((sprite, first + place) for place, sprite in enumerate(joined))

    def _sorted(self, placed: Iterable[tuple[BasicSprite, Placement | None]]) -> dict[BasicSprite, Placement]:
        """Note which of some sprites are absent, and return the placements of the others."""
        present = {}
        for sprite, placement in placed:
            if placement is None:
                self.absent[sprite] = None
            else:
                self.absent.pop(sprite, None)
                present[sprite] = placement
        return present

    def stands(self, sprites: Collection[BasicSprite]) -> list[Placement | None]:
        """Return the placements of sprites, None for those that collide with nothing."""
        out, strict = self.left_out, self.is_strict
        return [None if sprite in out else presence(sprite, strict=strict) for sprite in sprites]

    def enter(self, sprites: Sequence[BasicSprite], placements: Sequence[Placement]) -> None:
        """Add bodies for new sprites."""
        for sprite, (solid, x, y, angle, _) in zip(sprites, placements, strict=True):
            self.bodies[sprite] = self.world.add(solid, im.Pose(x, y, angle), data=sprite, **self._rule)

    def body(self, sprite: BasicSprite) -> im.Body:
        """Return the body of a sprite of the list."""
        return self.bodies[sprite]

    def take_out(self, sprites: Sequence[BasicSprite]) -> None:
        """Remove the bodies of removed sprites; several sprites may share one body."""
        for body in dict.fromkeys(map(self.bodies.pop, sprites)):
            self.world.remove(body)
        if self._places is not None:
            for sprite in sprites:
                del self._places[sprite]

    def place(self, sprites: Sequence[BasicSprite], placements: Sequence[Placement]) -> None:
        """Set the solids and poses of bodies to those of their sprites."""
        bodies = [self.bodies[sprite] for sprite in sprites]
        for body, placed in zip(bodies, placements, strict=True):
            reshape(body, placed)
        if len(bodies) > FEW_PLACED:
            poses = [(placed.x, placed.y, placed.angle) for placed in placements]
            self.world.set_poses([body.index for body in bodies], poses)
        else:
            for body, placed in zip(bodies, placements, strict=True):
                body.pose = placed.pose

    def own(self, asker: object) -> list[im.Body]:
        """Return the body of a sprite in a list, so that a query can ignore it; empty if it is not in the list."""
        return [self.bodies[asker]] if isinstance(asker, BasicSprite) and asker in self.bodies else []

    def sprites(self, bodies: Iterable[im.Body]) -> list[Any]:
        """Return the sprites of some bodies, in the order of the list."""
        found = [body.data for body in bodies]
        if self._places is not None and len(found) > 1:
            found.sort(key=self._places.__getitem__)
        return found


def solid_of(body: im.Body) -> Solid:
    """Return the solid of a sprite's body."""
    shape = body.shape
    assert isinstance(shape, Solid)
    return shape


def reshape(body: im.Body, placed: Placement) -> bool:
    """Give a body the solid of its sprite; return whether it changed."""
    shape = body.shape
    if shape is placed.solid or shape == placed.solid:
        return False
    body.shape = placed.solid
    return True


def _since(notes: dict[BasicSprite, int], seen: int) -> list[BasicSprite]:
    """Return the sprites noted after a serial, in that order; they are at the end of the dict."""
    found = []
    for sprite, serial in reversed(notes.items()):
        if serial <= seen:
            break
        found.append(sprite)
    found.reverse()
    return found


def _reading(sprite: object) -> object:
    """Read all values that a sprite's solid and pose depend on; equal readings mean that nothing has changed."""
    if not isinstance(sprite, BasicSprite):
        raise TypeError(f"sprites must be sprites, got {name_of(sprite)}")
    return sprite.position, looks_of(sprite)
