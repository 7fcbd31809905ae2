"""Arcade's questions about collisions, by its own signatures: exact, for concave hit boxes and for large ones.

Sprites collide if their hit boxes overlap; merely to touch is no collision, as in Arcade.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from arcade import BasicSprite, SpriteSequence, SpriteType
from arcade.types import Point

import impinge as im
from impinge_arcade.following import Roster
from impinge_arcade.nearby import NearList
from impinge_arcade.shapes import Form, form_of, placement

__all__ = [
    "check_for_collision",
    "check_for_collision_with_list",
    "check_for_collision_with_lists",
    "get_sprites_at_point",
]

# Where a list keeps the boxes around its sprites, and the world of their bodies: they go when the list goes.
NEAR, BODIES = "_impinge_near", "_impinge_roster"


def check_for_collision(sprite1: BasicSprite, sprite2: BasicSprite) -> bool:
    """Whether two sprites overlap; takes the place of `arcade.check_for_collision`.

    Raises
    ------
    TypeError
        If one of them is not a sprite.
    impinge.ShapeError
        If a hit box has less than 3 points or no area, a scale is 0, or a number is not finite; it names the sprite.

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
    a, b = placement(sprite1), placement(sprite2)
    reach = a.reach + b.reach
    if abs(a.x - b.x) >= 2.0 * reach or abs(a.y - b.y) >= 2.0 * reach:
        return False
    return im.overlaps(a.solid, a.pose, b.solid, b.pose, include_touching=False)


def check_for_collision_with_list(
    sprite: BasicSprite, sprite_list: SpriteSequence[SpriteType], method: int = 0
) -> list[SpriteType]:
    """Return the sprites of a list that a sprite overlaps; takes the place of Arcade's function of this name.

    Parameters
    ----------
    sprite
        The sprite; it does not collide with itself.
    sprite_list
        The list. What it is told of its sprites is noted from now on, so one in which nothing moves costs no more the
        longer it is; with and without a spatial hash.
    method
        Only for Arcade's sake: there is one way.

    Returns
    -------
    list of Sprite
        In the order of the list.

    Raises
    ------
    TypeError
        If an argument is not of its type.
    impinge.ShapeError
        As `check_for_collision`; also for a sprite of the list that is nowhere near.

    Examples
    --------
    >>> import arcade
    >>> coins, player = arcade.SpriteList(), arcade.SpriteSolidColor(20, 20, center_x=25)
    >>> coins.extend([arcade.SpriteSolidColor(8, 8, center_x=10 * i) for i in range(5)])
    >>> [coin.center_x for coin in check_for_collision_with_list(player, coins)]
    [20, 30]
    """
    form, angle = _form_of(sprite)
    return _near_of(sprite_list).over(sprite, form, angle)


def check_for_collision_with_lists(
    sprite: BasicSprite, sprite_lists: Iterable[SpriteSequence[SpriteType]], method: int = 0
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
    form, angle = _form_of(sprite)
    found: list[SpriteType] = []
    for near in list(map(_near_of, sprite_lists)):
        found += near.over(sprite, form, angle)
    return found


def get_sprites_at_point(point: Point, sprite_list: SpriteSequence[SpriteType]) -> list[SpriteType]:
    """Return the sprites of a list that hold a point; on the border counts.

    Parameters
    ----------
    point
        (x, y); a third number is left out of account.
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


def roster_of(sprite_list: SpriteSequence[Any]) -> Roster:
    """Return the bodies of a list in a world of their own, up to date."""
    roster: Roster | None = getattr(sprite_list, BODIES, None)
    if roster is None:
        _check_list(sprite_list)
        roster = Roster(sprite_list, im.World(entry_points=False))
        setattr(sprite_list, BODIES, roster)
    roster.follow()
    return roster


def _near_of(sprite_list: SpriteSequence[Any]) -> NearList:
    near: NearList | None = getattr(sprite_list, NEAR, None)
    if near is None:
        _check_list(sprite_list)
        near = NearList(sprite_list)
        setattr(sprite_list, NEAR, near)
    return near


def _check_list(sprite_list: object) -> None:
    if not isinstance(sprite_list, SpriteSequence):
        raise TypeError(f"sprite_list must be a SpriteList, got {sprite_list!r}")


def _form_of(sprite: BasicSprite) -> tuple[Form, float]:
    try:
        return form_of(sprite)
    except AttributeError:  # to ask for its class first takes as long as to find its form
        if isinstance(sprite, BasicSprite):
            raise
        raise TypeError(f"sprite must be a sprite, got {sprite!r}") from None
