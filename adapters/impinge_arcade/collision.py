"""Arcade's collision functions with the same signatures: exact, also for concave and for large hit boxes.

Sprites collide if their hit boxes overlap. As in Arcade, touching is not a collision.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from arcade import BasicSprite, SpriteSequence, SpriteType
from arcade.types import Point

import impinge as im
from impinge_arcade.following import Roster
from impinge_arcade.nearby import NearList
from impinge_arcade.shapes import AbsenceError, Form, form_of, presence

__all__ = [
    "check_for_collision",
    "check_for_collision_with_list",
    "check_for_collision_with_lists",
    "get_sprites_at_point",
]

# Attributes of a list for its boxes and for its world of bodies: they are freed with the list.
NEAR, BODIES = "_impinge_near", "_impinge_roster"


def check_for_collision(sprite1: BasicSprite, sprite2: BasicSprite) -> bool:
    """Return whether two sprites overlap; a replacement for `arcade.check_for_collision`.

    Raises
    ------
    TypeError
        If one of them is not a sprite.
    impinge.ShapeError
        If a hit box cannot be read. After ``bootstrap(strict=True)`` also if it has less than 3 points or no area, a
        scale is 0, or a number is not finite: by default such sprites collide with nothing.

    Examples
    --------
    >>> import arcade
    >>> one, other = arcade.SpriteSolidColor(10, 10), arcade.SpriteSolidColor(10, 10, center_x=10)
    >>> check_for_collision(one, other)
    False
    >>> other.center_x = 9.75
    >>> check_for_collision(one, other)
    True
    """
    for name, sprite in (("1", sprite1), ("2", sprite2)):
        if not isinstance(sprite, BasicSprite):
            hint = ": for a list there is check_for_collision_with_list" if isinstance(sprite, SpriteSequence) else ""
            raise TypeError(f"sprite{name} must be a sprite, got {sprite!r}{hint}")
    a, b = presence(sprite1), presence(sprite2)
    if a is None or b is None:
        return False
    reach = a.reach + b.reach
    if abs(a.x - b.x) >= 2.0 * reach or abs(a.y - b.y) >= 2.0 * reach:
        return False
    return im.overlaps(a.solid, a.pose, b.solid, b.pose, include_touching=False)


def check_for_collision_with_list(
    sprite: BasicSprite, sprite_list: SpriteSequence[SpriteType] | Sequence[SpriteType], method: int = 0
) -> list[SpriteType]:
    """Return the sprites of a list that a sprite overlaps; a replacement for Arcade's function of this name.

    Parameters
    ----------
    sprite
        The sprite; it does not collide with itself.
    sprite_list
        The list, with or without a spatial hash. From the first call on, its changes are observed. While nothing in it
        moves, a longer list costs no more. Also a plain list or tuple, which Arcade refuses: it is read at each call.
    method
        Ignored; it exists for Arcade's signature.

    Returns
    -------
    list of Sprite
        The overlapping sprites, in the order of the list.

    Raises
    ------
    TypeError
        If an argument has a wrong type.
    impinge.ShapeError
        As `check_for_collision`, also for a sprite of the list that is far away.

    Examples
    --------
    >>> import arcade
    >>> coins, player = arcade.SpriteList(), arcade.SpriteSolidColor(20, 20, center_x=25)
    >>> coins.extend([arcade.SpriteSolidColor(8, 8, center_x=10 * i) for i in range(5)])
    >>> [coin.center_x for coin in check_for_collision_with_list(player, coins)]
    [20, 30]
    """
    near, found = _near_of(sprite_list), _form_of(sprite)
    if found is None:
        return []
    form, angle = found
    return near.over(sprite, form, angle)


def check_for_collision_with_lists(
    sprite: BasicSprite,
    sprite_lists: Iterable[SpriteSequence[SpriteType] | Sequence[SpriteType]],
    method: int = 0,
) -> list[SpriteType]:
    """Return the sprites of several lists that a sprite overlaps, list by list.

    Parameters
    ----------
    sprite, sprite_lists, method
        As for `check_for_collision_with_list`.

    Raises
    ------
    TypeError, impinge.ShapeError
        As `check_for_collision_with_list`.

    Examples
    --------
    >>> import arcade
    >>> lists = [arcade.SpriteList(), arcade.SpriteList()]
    >>> for sprites in lists:
    ...     sprites.append(arcade.SpriteSolidColor(8, 8))
    >>> len(check_for_collision_with_lists(lists[0][0], lists))
    1
    """
    form, found = _form_of(sprite), list[SpriteType]()
    for near in list(map(_near_of, sprite_lists)):
        if form is not None:
            found += near.over(sprite, *form)
    return found


def get_sprites_at_point(
    point: Point, sprite_list: SpriteSequence[SpriteType] | Sequence[SpriteType]
) -> list[SpriteType]:
    """Return the sprites of a list that contain a point; the border counts.

    Parameters
    ----------
    point
        (x, y); a third number is ignored.
    sprite_list
        As for `check_for_collision_with_list`.

    Raises
    ------
    TypeError, impinge.ShapeError
        As `check_for_collision_with_list`; also if the point is not finite.

    Examples
    --------
    >>> import arcade
    >>> cards = arcade.SpriteList()
    >>> cards.extend([arcade.SpriteSolidColor(40, 60, center_x=30 * i) for i in range(3)])
    >>> [card.center_x for card in get_sprites_at_point((15, 0), cards)]
    [0, 30]
    """
    roster = roster_of(sprite_list)
    return roster.sprites(roster.world.at_point((point[0], point[1])))


def roster_of(sprite_list: SpriteSequence[Any] | Sequence[Any]) -> Roster:
    """Return the bodies of a list, in their own world and up to date."""
    roster: Roster | None = getattr(sprite_list, BODIES, None)
    if roster is None:
        _check_list(sprite_list)
        roster = Roster(sprite_list, im.World(entry_points=False))
        _keep(sprite_list, BODIES, roster)
    roster.follow()
    return roster


def _near_of(sprite_list: SpriteSequence[Any] | Sequence[Any]) -> NearList:
    near: NearList | None = getattr(sprite_list, NEAR, None)
    if near is None:
        _check_list(sprite_list)
        near = NearList(sprite_list)
        _keep(sprite_list, NEAR, near)
    return near


def _keep(sprite_list: object, name: str, value: object) -> None:
    """Store a value with its list; a list or tuple of Python cannot, and is read again at each call."""
    if not isinstance(sprite_list, list | tuple):
        setattr(sprite_list, name, value)


def _check_list(sprite_list: object) -> None:
    if not isinstance(sprite_list, SpriteSequence | list | tuple):
        raise TypeError(f"sprite_list must be a SpriteList, got {sprite_list!r}")


def _form_of(sprite: BasicSprite) -> tuple[Form, float] | None:
    """Return the form and angle of a sprite, or None if it collides with nothing."""
    try:
        return form_of(sprite)
    except AbsenceError:
        presence(sprite)  # raises the error, or warns
        return None
    except AttributeError:  # a type check beforehand would take as long as finding the form
        if isinstance(sprite, BasicSprite):
            raise
        raise TypeError(f"sprite must be a sprite, got {sprite!r}") from None
