"""All private names of Arcade that the adapter uses to observe sprite lists. No other module uses such names for it.

A self-test detects an Arcade version in which these names work differently. Lists are then scanned instead: slower, but
with the same results. The reaction to changes is in `following`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from arcade import BasicSprite, Sprite, SpriteList, SpriteSolidColor

__all__ = [
    "Listings",
    "Watch",
    "count_listings",
    "has_plain_speed",
    "hear_speeds",
    "is_plain",
    "note_shape",
    "watch",
    "watching_works",
]

# Methods of a list that a sprite calls after it moved, grew or turned, and that a list calls for a new sprite.
NOTICES = ("_update_all", "_update_position", "_update_size", "_update_width", "_update_height", "_update_angle")
# The only one of them that is called for a move.
MOVE = "_update_position"
# Methods that change the order of a list. An insertion is detected otherwise: the new sprite is not the last one.
REORDERINGS = ("reverse", "shuffle", "sort", "swap")
# Most removed sprites that are remembered, and so not freed: games add and remove bullets all the time.
REMEMBERED = 256
# The attribute of a list for its watch.
PLACE = "_impinge_watch"


class Watch:
    """All changes of a list's sprites since the watch began.

    Attributes
    ----------
    serial
        The number of changes noted so far: while it is the same, nothing has changed.
    changed, left
        Sprites that were added, moved, turned or reshaped, and sprites that were removed. Each has the serial of its
        last change, in the order of these serials.
    reordered
        The serial of the last change of order, or of the last time that removed sprites were forgotten.
    upset
        The serial of the last change other than the move of a sprite.
    speeds
        The number of speeds that were set, after `hear_speeds`; they are no changes.
    """

    __slots__ = ("changed", "left", "reordered", "serial", "speeds", "upset")

    def __init__(self) -> None:
        self.serial = self.reordered = self.upset = self.speeds = 0
        self.changed: dict[BasicSprite, int] = {}
        self.left: dict[BasicSprite, int] = {}

    def note(self, sprite: BasicSprite) -> None:
        """Note that a sprite was added or changed."""
        self.note_move(sprite)
        self.upset = self.serial

    def note_move(self, sprite: BasicSprite) -> None:
        """Note that a sprite moved."""
        self.serial += 1
        self.changed.pop(sprite, None)
        self.changed[sprite] = self.serial

    def note_left(self, sprite: BasicSprite) -> None:
        """Note that a sprite was removed."""
        self.serial += 1
        self.upset = self.serial
        self.changed.pop(sprite, None)
        self.left.pop(sprite, None)
        self.left[sprite] = self.serial
        if len(self.left) > REMEMBERED:
            self.left.clear()
            self.note_order()

    def note_order(self) -> None:
        """Note that the order changed, and possibly the set of sprites."""
        self.serial += 1
        self.reordered = self.upset = self.serial

    def note_clear(self) -> None:
        """Note that all sprites were removed."""
        self.note_order()
        self.changed.clear()
        self.left.clear()


def watch(sprites: object) -> Watch | None:
    """Return the watch of a list, starting one if needed; None if the list cannot be watched."""
    if not isinstance(sprites, SpriteList) or not watching_works():
        return None
    return _watched(sprites)


def note_shape(sprite: BasicSprite) -> None:
    """Note a new shape of a sprite in all lists that contain it."""
    for sprites in sprite.sprite_lists:
        found = vars(sprites).get(PLACE)
        if found is not None:
            found.note(sprite)


class Listings(list[Any]):
    """The lists of a sprite; `listings` counts how often it was added to one."""

    listings = 0

    def append(self, sprites: Any) -> None:
        """Add a list, as Arcade does."""
        self.listings += 1
        super().append(sprites)


def count_listings(sprite: BasicSprite) -> Listings:
    """Return the lists of a sprite, which count from now on how often it is added to one."""
    lists = sprite.sprite_lists
    if not isinstance(lists, Listings):
        lists = sprite.sprite_lists = Listings(lists)
    return lists


# The attributes that hold the speed of a sprite.
SPEEDS = ("velocity", "change_x", "change_y", "change_angle")


@cache
def hear_speeds() -> bool:
    """Count each speed that is set, in the watches of the sprite's lists; return whether this works in this Arcade.

    This takes a quarter of a microsecond for each. Reading the speeds of 200 walls takes 14 in each update.
    """
    if not watching_works():
        return False
    try:
        for name in SPEEDS:
            former: Any = getattr(Sprite, name)
            read = getattr(former, "fget", former.__get__)
            setattr(Sprite, name, property(read, _counting(former), doc=former.__doc__))
        sprites: SpriteList[Sprite] = SpriteList(lazy=True)
        found, sprite = _watched(sprites), SpriteSolidColor(2, 3)
        sprites.append(sprite)
        for number, name in enumerate(SPEEDS, 1):
            setattr(sprite, name, (2.0, 3.0) if name == "velocity" else 5.0)
            if found.speeds < number:
                return False
        return (sprite.velocity, sprite.change_angle) == ((5.0, 5.0), 5.0)
    except (AttributeError, TypeError):
        return False


def _counting(former: Any) -> Callable[[Sprite, Any], None]:
    write = former.__set__

    def count(sprite: Sprite, speed: Any) -> None:
        write(sprite, speed)
        for sprites in sprite.sprite_lists:
            found = vars(sprites).get(PLACE)
            if found is not None:
                found.speeds += 1

    return count


@cache
def has_plain_speed(kind: type[BasicSprite]) -> bool:
    """Return whether sprites of a class have Arcade's own speeds, or none."""
    return not issubclass(kind, Sprite) or all(getattr(kind, name) is getattr(Sprite, name) for name in SPEEDS)


@cache
def is_plain(kind: type[BasicSprite]) -> bool:
    """Return whether sprites of a class report all their changes in the same way as Arcade's own classes."""
    return all(
        getattr(kind, name, None) in (getattr(BasicSprite, name), getattr(Sprite, name))
        for name in ("position", "hit_box", "scale", "angle", "width", "height", "size", "scale_x", "scale_y")
        if hasattr(BasicSprite, name)
    )


@cache
def watching_works() -> bool:
    """Return whether this Arcade reports all changes to a watch; tested once, on a trial sprite."""
    try:
        _hear_hit_boxes()
        sprites: SpriteList[Sprite] = SpriteList(lazy=True)
        found = _watched(sprites)
        sprite, other = SpriteSolidColor(2, 3), SpriteSolidColor(2, 3)
        sprites.append(other)
        changes: tuple[Callable[[], object], ...] = (
            lambda: sprites.append(sprite),
            lambda: setattr(sprite, "position", (5.0, 7.0)),
            lambda: setattr(sprite, "center_x", 6.0),
            lambda: setattr(sprite, "scale", 2.0),
            lambda: setattr(sprite, "scale_x", 3.0),
            lambda: setattr(sprite, "width", 5.0),
            lambda: setattr(sprite, "height", 5.0),
            lambda: setattr(sprite, "size", (6.0, 6.0)),
            lambda: setattr(sprite, "angle", 10.0),
            lambda: setattr(sprite, "hit_box", other.hit_box),
        )
        for change in changes:
            found.changed.clear()
            change()
            if sprite not in found.changed:
                return False
        sprite.remove_from_sprite_lists()
        sprites.pop()
        return sprite in found.left and other in found.left
    except (AttributeError, TypeError):
        return False


def _watched(sprites: SpriteList[Any]) -> Watch:
    found = vars(sprites).get(PLACE)
    if found is None:
        found = Watch()
        # Patched on the instance, so that other lists cost nothing.
        for name in NOTICES:
            _before(sprites, name, found.note_move if name == MOVE else found.note)
        for name in REORDERINGS:
            _after(sprites, name, found.note_order)
        _after(sprites, "clear", found.note_clear)
        _before(sprites, "remove", found.note_left)
        _after_pop(sprites, found)
        setattr(sprites, PLACE, found)
    assert isinstance(found, Watch)
    return found


def _before(sprites: SpriteList[Any], name: str, note: Callable[[BasicSprite], None]) -> None:
    """Replace a method of a list: note its sprite argument, then call the original."""
    former = getattr(sprites, name)

    def noting(sprite: BasicSprite) -> Any:
        note(sprite)
        return former(sprite)

    setattr(sprites, name, noting)


def _after(sprites: SpriteList[Any], name: str, note: Callable[[], None]) -> None:
    """Replace a method of a list: call the original, then note the change."""
    former = getattr(sprites, name)

    def noting(*arguments: Any, **others: Any) -> Any:
        result = former(*arguments, **others)
        note()
        return result

    setattr(sprites, name, noting)


def _after_pop(sprites: SpriteList[Any], found: Watch) -> None:
    former = sprites.pop

    def pop(index: int = -1) -> Any:
        sprite = former(index)
        found.note_left(sprite)
        return sprite

    sprites.pop = pop  # type: ignore[method-assign]


@cache
def _hear_hit_boxes() -> None:
    """Report new hit boxes to lists. Arcade does not, so even its own spatial hash keeps the old hit box."""
    former: Any = Sprite.hit_box

    def set_hit_box(sprite: Sprite, hit_box: Any) -> None:
        former.fset(sprite, hit_box)
        note_shape(sprite)

    Sprite.hit_box = former.setter(set_hit_box)  # type: ignore[method-assign]
