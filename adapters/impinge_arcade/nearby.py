"""What is near each sprite that asks about a list again and again: remembered, so that most answers need no search.

Between two frames a sprite goes a few pixels, and most of what it might meet is where it was. This is the neighbour
list of Verlet ("Computer 'experiments' on classical fluids", 1967). Not here: what overlaps what to the last bit, which
the world of the list tells where bounds alone cannot.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from arcade import BasicSprite

import impinge as im
from impinge_arcade.following import Changes, Noted, Roster
from impinge_arcade.shapes import Form, Placement, form_of, placed_form

__all__ = ["NearRoster"]

# Sprites that asked and are remembered: as many as there may be bullets.
ASKERS = 256
# Comparisons of what has changed with what is near, up to which they cost less than to look around again.
COMPARISONS = 64
# Times its reach: how far a sprite may go from where it was looked around before that is done again.
ROOM = 3.0
# Part of that by which it is looked ahead of a sprite that is on its way.
LEAD = 0.85
# Times its reach: how far is looked around, so that more than where it may be is seen.
AROUND = ROOM + 1.01
# Part of its reach up to which a sprite may have gone between two questions to be likely to stay nearby.
NEAR_STEP = 0.5
# Sprites for whose bounds there is room at first.
LEAST_BOUNDS = 16
# What bounds are sure to tell: parts of the size and of the coordinates that are far more than the slop.
SURE_OF_SIZE, SURE_OF_PLACE = 1e-6, 1e-12


# What a sprite takes up: left, bottom, right, top, and 1 if that is all its own, as that of an upright box is. Tuples
# without names are made in a tenth of the time, and there are many.
_Bounds: TypeAlias = tuple[float, float, float, float, float]
# How far somebody may go, along x and along y, until it can be in the bounds of a sprite; the place of that among those
# around, in the order in which they came; its body; and its bounds. Who is far away is not looked at itself: that would
# fetch it from the slowest memory.
_Other: TypeAlias = tuple[float, int, int, float, float, float, float, float]
BODY = 2


class _Surroundings(NamedTuple):
    """All that a sprite may overlap while it is not far from a place.

    Attributes
    ----------
    form, own
        The form of the sprite, and what it takes up where its position is 0, with a margin on each side.
    margin
        So wide that bounds which overlap by more than two of it are sure to.
    x, y, room
        The place, and how far from there the sprite may be, along x and along y.
    half
        How far from the place it reaches while it is there, along x and along y.
    others
        Those who are nearest when it is at the place come first.
    """

    form: Form
    own: _Bounds
    margin: float
    x: float
    y: float
    room: float
    half: float
    others: list[_Other]

    @property
    def is_box(self) -> bool:
        """Whether all that the sprite takes up is its own."""
        return self.own[4] != 0.0

    def may_be_reached(self, x: float, y: float, reach: float) -> bool:
        """Whether something may be where the sprite may be, of which nothing is further from a place than its reach."""
        wide = self.half + reach
        return not (abs(x - self.x) > wide or abs(y - self.y) > wide)

    def overlapped(self, x: float, y: float) -> list[int] | None:
        """Return the bodies that the sprite overlaps at a position, in their order; None if bounds cannot tell."""
        left, bottom, right, top, is_box = self.own
        left, bottom, right, top = left + x, bottom + y, right + x, top + y
        sure = 2.0 * self.margin
        gone_x, gone_y = abs(x - self.x), abs(y - self.y)
        gone = gone_x if gone_x > gone_y else gone_y
        found = []
        for until, place, body, low_x, low_y, high_x, high_y, is_other_box in self.others:
            if until > gone:
                break
            if low_x > right or high_x < left or low_y > top or high_y < bottom:
                continue
            if not (is_box and is_other_box):
                return None
            if right - low_x <= sure or high_x - left <= sure or top - low_y <= sure or high_y - bottom <= sure:
                return None
            found.append((place, body))
        if len(found) > 1:
            found.sort()
        return [body for _, body in found]


class NearRoster(Roster):
    """A roster that is asked what overlaps sprites, each of them again and again.

    Examples
    --------
    >>> import arcade
    >>> from impinge_arcade.shapes import form_of
    >>> coins, player = arcade.SpriteList(), arcade.SpriteSolidColor(20, 20)
    >>> coins.extend([arcade.SpriteSolidColor(8, 8, center_x=40 * i) for i in range(5)])
    >>> roster = NearRoster(coins, im.World())
    >>> for player.center_x in range(0, 60, 5):
    ...     _ = roster.follow()
    ...     for coin in roster.over(player, *form_of(player)):
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
        # By the index of their bodies: what sprites take up, and the sprites.
        self._bounds = np.zeros((LEAST_BOUNDS, 5))
        self._sprites: dict[int, BasicSprite] = {}
        self._surroundings: dict[BasicSprite, _Surroundings] = {}
        # Of each sprite that asked: a place, how far from there it is likely to be when it asks again, and how many
        # upheavals there had been.
        self._asked: dict[BasicSprite, tuple[float, float, float, int]] = {}
        self._upheavals = 0
        # Up to which serial of the list the surroundings are true; the bodies may lag behind.
        self._heard = -1
        # Where those stand who are just brought up to date.
        self._placements: dict[BasicSprite, Placement] = {}

    def follow(self) -> Changes | None:
        """Bring the bodies up to date; returns what has changed."""
        self._hear()
        return self._catch_up()

    def _catch_up(self) -> Changes | None:
        self._placements.clear()
        changes = super().follow()
        if changes is not None:
            self._note_bounds([*changes.joined, *changes.changed])
        return changes

    def _note_bounds(self, sprites: Sequence[BasicSprite]) -> None:
        if not sprites:
            return
        rows = [self.bodies[sprite].index for sprite in sprites]
        if (highest := max(rows)) >= len(self._bounds):
            self._bounds = np.concatenate((self._bounds, np.zeros((highest + 1, 5))))
        self._bounds[rows] = [_bounds(self._placements[sprite]) for sprite in sprites]
        self._sprites.update(zip(rows, sprites, strict=True))

    def take_out(self, sprite: BasicSprite) -> None:
        """Remove the body of a sprite that is gone."""
        del self._sprites[self.bodies[sprite].index]
        super().take_out(sprite)

    def stands(self, sprites: Collection[BasicSprite]) -> list[Placement]:
        """Return where sprites stand."""
        placed = super().stands(sprites)
        self._placements.update(zip(sprites, placed, strict=True))
        return placed

    def over(self, asker: BasicSprite, form: Form, angle: float) -> list[Any]:
        """Return the sprites that overlap another one of a form at an angle, in the order of the list; never itself."""
        follower = self._follower
        if not isinstance(follower, Noted) or follower.notes.serial != self._heard:
            self._hear()
        x, y = asker.position
        around = self._surroundings.get(asker)
        if (
            around is not None
            and around.form is form
            and (angle == 0.0 or not around.is_box)
            and abs(x - around.x) <= around.room
            and abs(y - around.y) <= around.room
        ):
            found = around.overlapped(x, y)
            if found is not None:
                return self._found(found)
            placed = placed_form(asker, form, angle)
            self._catch_up()
        else:
            placed = placed_form(asker, form, angle)
            self._catch_up()
            around = self._look_around(asker, form, placed)
            found = None if around is None else around.overlapped(x, y)
            if found is not None:
                return self._found(found)
        bodies = self.world.overlapping(placed.solid, placed.pose)
        return [sprite for sprite in self.sprites(bodies) if sprite is not asker] if bodies else []

    def _found(self, bodies: list[int]) -> list[Any]:
        """Return the sprites of bodies, in the order of the list."""
        sprites = list(map(self._sprites.__getitem__, bodies))
        if self._places is not None and len(sprites) > 1:
            sprites.sort(key=self._places.__getitem__)
        return sprites

    def _hear(self) -> None:
        """Forget the surroundings in which something has changed since this was asked last."""
        follower = self._follower
        if not isinstance(follower, Noted):
            changes = self._catch_up()
            if changes is not None:
                self._forget_all(len(changes.gone) + len(changes.joined) + len(changes.changed))
            return
        serial = follower.notes.serial
        heard = self._heard
        news = follower.news(heard) if serial - heard <= COMPARISONS and self._surroundings else None
        if news is None or not all(map(self.bodies.__contains__, news[0])):
            self._forget_all(serial - heard)
        else:
            changed, left = news
            lost = {self.bodies[sprite].index for sprite in (*changed, *left) if sprite in self.bodies}
            arrived = [(sprite, *sprite.position, form_of(sprite)[0].reach) for sprite in changed]
            for asker, around in list(self._surroundings.items()):
                if any(other[BODY] in lost for other in around.others) or any(
                    around.may_be_reached(x, y, reach) for sprite, x, y, reach in arrived if sprite is not asker
                ):
                    del self._surroundings[asker]
        self._heard = serial

    def _forget_all(self, news: int) -> None:
        """Forget all surroundings; if so much has changed, it is not worthwhile to look around again."""
        self._surroundings.clear()
        if news * len(self._asked) > COMPARISONS:
            self._upheavals += 1

    def _look_around(self, asker: BasicSprite, form: Form, placed: Placement) -> _Surroundings | None:
        """Note what is around a sprite, unless it is likely to be elsewhere when it asks again."""
        x, y = asker.position
        reach = form.reach
        room = ROOM * reach
        place = self._likely_place(asker, x, y, reach, room)
        if place is None:
            return None
        there_x, there_y = place
        margin = SURE_OF_SIZE * reach + SURE_OF_PLACE * (abs(x) + abs(y) + 2.0 * room)
        left, bottom, right, top, is_box = _bounds(placed)
        own = left - x - margin, bottom - y - margin, right - x + margin, top - y + margin, is_box
        left, bottom, right, top = own[0] + there_x, own[1] + there_y, own[2] + there_x, own[3] + there_y
        half = AROUND * reach
        own_body, others = self.bodies.get(asker), list[_Other]()
        bodies = self.world.indices_in_box(_square(half), im.Pose(there_x, there_y))
        for body, bounds in zip(bodies.tolist(), self._bounds[bodies].tolist(), strict=True):
            low_x, low_y, high_x, high_y, is_other_box = bounds
            until = max(low_x - right, left - high_x, low_y - top, bottom - high_y)
            if own_body is None or body != own_body.index:
                others.append((until, len(others), body, low_x, low_y, high_x, high_y, is_other_box))
        others.sort()
        around = self._surroundings[asker] = _Surroundings(form, own, margin, there_x, there_y, room, half, others)
        return around

    def _likely_place(
        self, asker: BasicSprite, x: float, y: float, reach: float, room: float
    ) -> tuple[float, float] | None:
        """Return the place around which a sprite is likely to be the next times, if there is one."""
        asked, step = self._asked.get(asker), NEAR_STEP * reach
        if asked is None and len(self._asked) >= ASKERS:
            self._asked.clear()
            self._surroundings.clear()
        across, up, far, upheavals = (x - asked[0], y - asked[1], *asked[2:]) if asked is not None else (x, y, -1.0, 0)
        gone = max(abs(across), abs(up))
        if gone > far or upheavals != self._upheavals:
            self._surroundings.pop(asker, None)
            self._asked[asker] = x, y, step, self._upheavals
            return None
        if gone > room:  # it is on its way
            x, y = x + LEAD * room * across / gone, y + LEAD * room * up / gone
        self._asked[asker] = x, y, room + step, self._upheavals
        return x, y


@lru_cache(ASKERS)
def _square(half: float) -> im.Box:
    return im.Box(2.0 * half, 2.0 * half)


def _bounds(placed: Placement) -> _Bounds:
    solid, x, y, angle, reach = placed
    if angle == 0.0 and type(solid) is im.Box:
        across, up = 0.5 * solid.width, 0.5 * solid.height
        return x - across, y - up, x + across, y + up, 1.0
    return x - reach, y - reach, x + reach, y + reach, 0.0
