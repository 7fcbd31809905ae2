"""The sprites that a game gives to a `PushEngine`, as sources that the engine follows: lists and single sprites."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias, cast

from arcade import BasicSprite, SpriteList

from impinge_arcade.arcade_names import count_listings

__all__ = ["Lone", "Source", "Sprites", "is_same_source", "split_sources"]

# A sprite, a list that the engine follows, or several of them.
Sprites: TypeAlias = BasicSprite | Iterable[BasicSprite]


class Lone:
    """A sprite that was added by itself. It leaves when it is killed, that is, taken out of all its lists."""

    def __init__(self, sprite: BasicSprite) -> None:
        self.sprite = sprite
        self._lists = count_listings(sprite)
        self._unlisted = -1 if self._lists else self._lists.listings

    def __iter__(self) -> Iterator[BasicSprite]:
        return iter((self.sprite,) if len(self) else ())

    def __len__(self) -> int:
        # A sprite that has been in no list since it was added stays: some games never list their player.
        return 1 if self._lists or self._lists.listings == self._unlisted else 0


Source: TypeAlias = SpriteList[Any] | list[BasicSprite] | Lone


def split_sources(sprites: Sprites | Iterable[Sprites]) -> list[Source]:
    """Split the sprites of a caller into sources to follow.

    Raises
    ------
    TypeError
        If they are neither sprites nor lists of them.
    """
    if isinstance(sprites, BasicSprite):
        return [Lone(sprites)]
    if isinstance(sprites, SpriteList):
        return [sprites]
    if isinstance(sprites, str) or not isinstance(sprites, Iterable):
        raise TypeError(f"sprites must be sprites or lists of them, got {sprites!r}")
    if isinstance(sprites, list) and all(isinstance(part, BasicSprite) for part in sprites):
        return [cast(list[BasicSprite], sprites)]
    return [source for part in sprites for source in split_sources(part)]


def is_same_source(source: Source, other: Source) -> bool:
    """Return whether two sources are the same list or the same single sprite."""
    if isinstance(source, Lone) and isinstance(other, Lone):
        return source.sprite is other.sprite
    return source is other
