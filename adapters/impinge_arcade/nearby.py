"""What is near each sprite that asks about a list again and again: remembered, so that most answers need no search.

Between two frames a sprite goes a few pixels, and most of what it might meet is where it was. This is the neighbour
list of Verlet ("Computer 'experiments' on classical fluids", 1967). Not here: what overlaps what to the last bit, which
the world of the list tells where bounds alone cannot.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from arcade import BasicSprite

import impinge as im
from impinge_arcade.following import Changes, Noted, Roster
from impinge_arcade.shapes import Placement, placement

__all__ = ["NearRoster"]

# Sprites that asked and are remembered: as many as there may be bullets.
ASKERS = 256
# Comparisons of what has changed with what is near, up to which they cost less than to look around again.
COMPARISONS = 64
# Times its reach: how far around a sprite is looked.
AROUND = 3.0
# Part of its reach up to which a sprite may have gone between two questions to be likely to stay nearby.
NEAR_STEP = 0.5
# What bounds are sure to tell: parts of the size and of the coordinates that are far more than the slop.
SURE_OF_SIZE, SURE_OF_PLACE = 1e-6, 1e-12


class _Bounds(NamedTuple):
    """What a sprite takes up."""

    sprite: BasicSprite
    left: float
    bottom: float
    right: float
    top: float
    is_box: bool  # and nothing else is within these bounds


class _Surroundings(NamedTuple):
    """All that overlaps some bounds."""

    left: float
    bottom: float
    right: float
    top: float
    others: Sequence[_Bounds]

    def is_touched(self, other: _Bounds) -> bool:
        """Whether a sprite has come into these bounds."""
        return (
            other.left <= self.right
            and other.right >= self.left
            and other.bottom <= self.top
            and other.top >= self.bottom
        )


class NearRoster(Roster):
    """A roster that is asked what overlaps sprites, each of them again and again.

    Examples
    --------
    >>> import arcade
    >>> from impinge_arcade.shapes import placement
    >>> coins, player = arcade.SpriteList(), arcade.SpriteSolidColor(20, 20)
    >>> coins.extend([arcade.SpriteSolidColor(8, 8, center_x=40 * i) for i in range(5)])
    >>> roster = NearRoster(coins, im.World())
    >>> for player.center_x in range(0, 60, 5):
    ...     _ = roster.follow()
    ...     for coin in roster.over(player, placement(player)):
    ...         print(player.center_x, coin.center_x)
    0 0
    5 0
    10 0
    30 40
    35 40
    40 40
    45 40
    50 40
    """

    def __init__(self, *arguments: Any, **rule: Any) -> None:
        super().__init__(*arguments, **rule)
        self._placements: dict[BasicSprite, Placement] = {}
        self._surroundings: dict[BasicSprite, _Surroundings] = {}
        # Where each sprite was when it asked last, and how many upheavals there had been.
        self._asked: dict[BasicSprite, tuple[float, float, int]] = {}
        self._upheavals = 0
        # Up to which serial of the list the surroundings are true; the bodies may lag behind. And where those that have
        # changed stood then.
        self._heard, self._stood = -1, dict[BasicSprite, Placement]()

    def follow(self) -> Changes | None:
        """Bring the bodies up to date; returns what has changed."""
        self._hear()
        return self._catch_up()

    def _catch_up(self) -> Changes | None:
        changes = super().follow()
        self._stood.clear()
        for sprite in () if changes is None else changes.gone:
            self._placements.pop(sprite, None)
        if changes is not None and self._is_upheaval(len(changes.joined) + len(changes.changed) + len(changes.gone)):
            self._upheavals += 1
        return changes

    def _is_upheaval(self, news: int) -> bool:
        """Whether so many sprites have changed that to ask who is concerned costs more than to look around again."""
        return news * len(self._asked) > COMPARISONS

    def stands(self, sprites: Collection[BasicSprite]) -> list[Placement]:
        """Return where sprites stand."""
        # Who has been heard of is not read again, as long as there are surroundings for which all is heard.
        heard = self._stood if self._surroundings else {}
        placed = [heard.get(sprite) or placement(sprite) for sprite in sprites]
        self._placements.update(zip(sprites, placed, strict=True))
        return placed

    def over(self, asker: BasicSprite, placed: Placement) -> list[Any]:
        """Return the sprites that overlap another one, but for itself, in the order of the list."""
        self._hear()
        solid, x, y, angle, reach = placed
        around = self._surroundings.get(asker)
        if around is None or not (
            around.left <= x - reach
            and around.right >= x + reach
            and around.bottom <= y - reach
            and around.top >= y + reach
        ):
            self._catch_up()
            around = self._look_around(asker, placed) if self._is_likely_to_stay(asker, x, y, reach) else None
        if around is not None:
            found = _sure(around.others, placed) if around.others else []
            if found is not None:
                return found
            self._catch_up()
        bodies = self.world.overlapping(solid, im.Pose(x, y, angle))
        return [sprite for sprite in self.sprites(bodies) if sprite is not asker] if bodies else []

    def _hear(self) -> None:
        """Forget the surroundings in which something has changed."""
        if not self._surroundings:
            return
        follower = self._follower
        if not isinstance(follower, Noted):
            if super().follow() is not None:
                self._surroundings.clear()
            return
        if follower.serial == self._heard:
            return
        news = follower.news(self._heard)
        if (
            news is None
            or self._is_upheaval(len(news[0]) + len(news[1]))
            or not all(map(self.bodies.__contains__, news[0]))
        ):
            self._surroundings.clear()
            return
        changed, left = news
        lost = {*changed, *left}
        self._stood.update((sprite, placement(sprite)) for sprite in changed)
        arrived = [_bounds(sprite, self._stood[sprite]) for sprite in changed]
        for asker, around in list(self._surroundings.items()):
            if any(other.sprite in lost for other in around.others) or any(
                around.is_touched(other) for other in arrived if other.sprite is not asker
            ):
                del self._surroundings[asker]
        self._heard = follower.serial

    def _is_likely_to_stay(self, asker: BasicSprite, x: float, y: float, reach: float) -> bool:
        was = self._asked.get(asker)
        if was is None and len(self._asked) >= ASKERS:
            self._asked.clear()
            self._surroundings.clear()
        self._asked[asker] = x, y, self._upheavals
        if was is None or was[2] != self._upheavals:
            return False
        step = NEAR_STEP * reach
        return abs(x - was[0]) <= step and abs(y - was[1]) <= step

    def _look_around(self, asker: BasicSprite, placed: Placement) -> _Surroundings:
        x, y, half = placed.x, placed.y, AROUND * placed.reach
        bodies = self.world.in_box(_square(half), im.Pose(x, y))
        others = [_bounds(sprite, self._placements[sprite]) for sprite in self.sprites(bodies) if sprite is not asker]
        around = _Surroundings(x - half, y - half, x + half, y + half, others)
        if not self._surroundings and isinstance(self._follower, Noted):
            self._heard = self._follower.serial
        self._surroundings[asker] = around
        return around


@lru_cache(ASKERS)
def _square(half: float) -> im.Box:
    return im.Box(2.0 * half, 2.0 * half)


def _bounds(sprite: BasicSprite, placed: Placement) -> _Bounds:
    solid, x, y, angle, reach = placed
    if angle == 0.0 and type(solid) is im.Box:
        across, up = 0.5 * solid.width, 0.5 * solid.height
        return _Bounds(sprite, x - across, y - up, x + across, y + up, True)
    return _Bounds(sprite, x - reach, y - reach, x + reach, y + reach, False)


def _sure(others: Sequence[_Bounds], placed: Placement) -> list[Any] | None:
    """Return the sprites that overlap a solid where it stands, if bounds tell that of all of them."""
    solid, x, y, angle, reach = placed
    across = up = reach
    is_box = angle == 0.0 and type(solid) is im.Box
    if is_box:
        across, up = 0.5 * solid.width, 0.5 * solid.height  # type: ignore[attr-defined]
    sure = SURE_OF_SIZE * reach + SURE_OF_PLACE * (abs(x) + abs(y))
    left, bottom, right, top = x - across - sure, y - up - sure, x + across + sure, y + up + sure
    found = []
    for sprite, low_x, low_y, high_x, high_y, is_other_box in others:
        if low_x > right or high_x < left or low_y > top or high_y < bottom:
            continue
        if not (is_box and is_other_box):
            return None
        if min(right - low_x, high_x - left, top - low_y, high_y - bottom) <= 2.0 * sure:
            return None
        found.append(sprite)
    return found
