"""Sprites of any size and lists of them, for the tests of the Arcade adapter."""

from __future__ import annotations

from typing import Any, Protocol

import arcade
from arcade import Sprite, SpriteList

__all__ = ["blocks", "listed"]


class Block(Protocol):
    """Makes a rectangular sprite at (x, y), and sets its attributes."""

    def __call__(self, x: float, y: float, width: float = ..., height: float = ..., **values: Any) -> Sprite: ...


def blocks(width: float, height: float) -> Block:
    """Return a function that makes sprites of this size, unless a call gives another one."""

    def block(x: float, y: float, width: float = width, height: float = height, **values: Any) -> Sprite:
        sprite = arcade.SpriteSolidColor(width, height, x, y)  # type: ignore[arg-type]  # sizes may be fractions
        for name, value in values.items():
            setattr(sprite, name, value)
        return sprite

    return block


def listed(*sprites: Any, **options: Any) -> SpriteList[Any]:
    """Return a list of sprites, with options of `SpriteList`."""
    sprite_list: SpriteList[Any] = SpriteList(**options)
    sprite_list.extend(sprites)
    return sprite_list
