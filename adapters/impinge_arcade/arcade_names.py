"""Arcade's private names, all that are used to hear what changes, and nowhere else: how a list tells of its sprites.

An Arcade in which they mean something else is noticed by a trial, and then lists are read through instead: slower, and
as correct. Not here: what is done about what has changed, see `following`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from arcade import BasicSprite, Sprite, SpriteList, SpriteSolidColor

__all__ = ["Watch", "is_plain", "note_shape", "watch", "watching_works"]

# What a sprite calls of each list that it is in when it has moved, grown or turned, and a list when one has come.
NOTICES = ("_update_all", "_update_position", "_update_size", "_update_width", "_update_height", "_update_angle")
# The one that a move alone calls.
MOVE = "_update_position"
# What changes the order of a list; who is inserted is found not to have come last.
REORDERINGS = ("reverse", "shuffle", "sort", "swap")
# Sprites that went and are remembered, and so kept from being freed: bullets come and go all the time.
REMEMBERED = 256
# Where a list keeps its watch.
PLACE = "_impinge_watch"


class Watch:
    """What a list has told of its sprites since it is watched.

    Attributes
    ----------
    serial
        Counts all that was told: as long as it stays, nothing has changed.
    changed, left
        Sprites that came, moved, turned, or became another shape, and sprites that went; each with the serial of the
        last time, in the order of those.
    reordered
        The serial of the last time when the order changed, or when it was forgotten who went.
    upset
        The serial of the last time when anything happened but that a sprite moved.
    """

    __slots__ = ("changed", "left", "reordered", "serial", "upset")

    def __init__(self) -> None:
        self.serial = self.reordered = self.upset = 0
        self.changed: dict[BasicSprite, int] = {}
        self.left: dict[BasicSprite, int] = {}

    def note(self, sprite: BasicSprite) -> None:
        """Note that a sprite came or changed."""
        self.note_move(sprite)
        self.upset = self.serial

    def note_move(self, sprite: BasicSprite) -> None:
        """Note that a sprite moved."""
        self.serial += 1
        self.changed.pop(sprite, None)
        self.changed[sprite] = self.serial

    def note_left(self, sprite: BasicSprite) -> None:
        """Note that a sprite went."""
        self.serial += 1
        self.upset = self.serial
        self.changed.pop(sprite, None)
        self.left.pop(sprite, None)
        self.left[sprite] = self.serial
        if len(self.left) > REMEMBERED:
            self.left.clear()
            self.note_order()

    def note_order(self) -> None:
        """Note that the order changed, and with it perhaps who is there."""
        self.serial += 1
        self.reordered = self.upset = self.serial

    def note_clear(self) -> None:
        """Note that all went."""
        self.note_order()
        self.changed.clear()
        self.left.clear()


def watch(sprites: object) -> Watch | None:
    """Return the watch over a list, begun now if there was none; None if this cannot be watched."""
    if not isinstance(sprites, SpriteList) or not watching_works():
        return None
    return _watched(sprites)


def note_shape(sprite: BasicSprite) -> None:
    """Note that a sprite has become another shape, in all lists that it is in."""
    for sprites in sprite.sprite_lists:
        found = vars(sprites).get(PLACE)
        if found is not None:
            found.note(sprite)


@cache
def is_plain(kind: type[BasicSprite]) -> bool:
    """Whether sprites of a class tell of all their changes as Arcade's own do."""
    return all(
        getattr(kind, name, None) in (getattr(BasicSprite, name), getattr(Sprite, name))
        for name in ("position", "hit_box", "scale", "angle", "width", "height", "size", "scale_x", "scale_y")
        if hasattr(BasicSprite, name)
    )


@cache
def watching_works() -> bool:
    """Whether this Arcade tells a watch of all that changes: tried out once, on a sprite of its own."""
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
        # On the list itself, so lists that nobody asks about pay nothing.
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
    """Note the sprite that a method of a list is called with, and then call it."""
    former = getattr(sprites, name)

    def noting(sprite: BasicSprite) -> Any:
        note(sprite)
        return former(sprite)

    setattr(sprites, name, noting)


def _after(sprites: SpriteList[Any], name: str, note: Callable[[], None]) -> None:
    """Call a method of a list, and then note that."""
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
    """Let lists hear of a sprite's new hit box: Arcade tells nobody, so its own spatial hash keeps the old one."""
    former: Any = Sprite.hit_box

    def set_hit_box(sprite: Sprite, hit_box: Any) -> None:
        former.fset(sprite, hit_box)
        note_shape(sprite)

    Sprite.hit_box = former.setter(set_hit_box)  # type: ignore[method-assign]
