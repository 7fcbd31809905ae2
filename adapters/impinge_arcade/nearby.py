"""What is near the places where sprites ask, remembered cell by cell, so that most answers need no search.

A cell knows what is in it and around it: a spatial hash (Teschner and others, "Optimized spatial hashing for collision
detection of deformable objects", 2003) that is filled where somebody asks. Not here: what overlaps what to the last
bit, which the world of the list tells where bounds alone cannot.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from arcade import BasicSprite

import impinge as im
from impinge_arcade.following import Changes, Noted, Roster
from impinge_arcade.shapes import Form, Placement, form_of, placed_form, side_of

__all__ = ["NearRoster"]

# Cells that are remembered: those of a map of 4,000 pixels in square, some 14 MB.
CELLS = 4096
# News between two questions up to which each is looked at. If there are more, all cells are forgotten, and for some
# questions none is filled: in the next frame as much may change.
UPHEAVAL = 32
UNSURE = 8
# Cells around one sprite up to which they are forgotten one by one when it changes.
CELLS_OF_ONE = 256
# Part of its side: how far around a cell something concerns it, and so little more that rounding does not matter.
AROUND = 0.51
# Sprites for whose bounds there is room at first.
LEAST_BOUNDS = 16
# What bounds are sure to tell: parts of the size and of the coordinates that are far more than the slop.
SURE_OF_SIZE, SURE_OF_PLACE = 1e-6, 1e-12

# What a sprite takes up: left, bottom, right, top, and 1 if that is all its own, as that of an upright box is.
_Bounds: TypeAlias = tuple[float, float, float, float, float]
# Its body, and its bounds. No named tuple, for there are many, and no sprite: to look at one that is not near fetches
# it from the slowest memory.
_Other: TypeAlias = tuple[int, float, float, float, float, float]
# The side of a cell, and its column and row.
_Key: TypeAlias = tuple[float, float, float]


class _Cell(NamedTuple):
    """What is within half a side of a cell, so what anybody overlaps whose position is in it, and who fits into it.

    Attributes
    ----------
    margin
        Bounds that are further apart do not overlap, and those that overlap by more do.
    others
        All of them, in the order in which they came.
    """

    margin: float
    others: list[_Other]


class NearRoster(Roster):
    """A roster that is asked what overlaps sprites, here and there, again and again.

    Examples
    --------
    >>> import arcade
    >>> from impinge_arcade.shapes import form_of
    >>> coins, player = arcade.SpriteList(), arcade.SpriteSolidColor(20, 20)
    >>> coins.extend([arcade.SpriteSolidColor(8, 8, center_x=40 * i) for i in range(5)])
    >>> roster = NearRoster(coins, im.World())
    >>> for player.center_x in range(0, 60, 5):
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
        # Where those stand who are just brought up to date.
        self._placements: dict[BasicSprite, Placement] = {}
        self._cells: dict[_Key, _Cell] = {}
        self._sides: set[float] = set()
        self._least_side = 0.0
        # Cells that were asked for once, of late; which was the last one; and for how many questions none is filled.
        self._asked: set[_Key] = set()
        self._last: _Key = (0.0, math.inf, math.inf)
        self._unsure = 0
        # Up to which serials of the list the cells are true, and the bodies, which may lag behind.
        self._heard = self._caught_up = -1
        # Who asked last, if it has changed itself, and the cells do not know yet.
        self._withheld: BasicSprite | None = None

    def follow(self) -> Changes | None:
        """Bring the bodies up to date; returns what has changed."""
        return self._catch_up()

    def _catch_up(self, asker: BasicSprite | None = None) -> Changes | None:
        """Do so; or leave it if nothing has changed but who asks, who never finds itself."""
        follower = self._follower
        if isinstance(follower, Noted):
            if follower.notes.serial == self._caught_up:
                return None
            if asker is not None and follower.news(self._caught_up) == ([asker], []):
                self._withheld = asker
                return None
            self._hear(None)
        self._placements.clear()
        changes = super().follow()
        if changes is not None:
            self._note_bounds([*changes.joined, *changes.changed])
        self._caught_up = self._heard
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
        if (
            not isinstance(follower, Noted)
            or follower.notes.serial != self._heard
            or (self._withheld is not None and self._withheld is not asker)
        ):
            self._hear(asker)
        x, y = asker.position
        solid, (across, up), reach, side = form
        if side < self._least_side:
            side = self._least_side
        key = side, x // side, y // side
        cell = self._cells.get(key) or self._filled(key, asker, form, angle)
        if cell is None:
            return self._searched(asker, form, angle)
        margin, others = cell
        is_box = angle == 0.0 and type(solid) is im.Box
        if is_box:
            x, y = x + across, y + up
            across, up = 0.5 * solid.width + margin, 0.5 * solid.height + margin  # type: ignore[attr-defined]
        else:
            across = up = reach + margin
        left, bottom, right, top, sure = x - across, y - up, x + across, y + up, 2.0 * margin
        sprites, found = self._sprites, []
        for body, low_x, low_y, high_x, high_y, is_other_box in others:
            if low_x > right or high_x < left or low_y > top or high_y < bottom:
                continue
            sprite = sprites[body]
            if sprite is asker:
                continue
            if not (is_box and is_other_box):
                return self._searched(asker, form, angle)
            if right - low_x <= sure or high_x - left <= sure or top - low_y <= sure or high_y - bottom <= sure:
                return self._searched(asker, form, angle)
            found.append(sprite)
        if self._places is not None and len(found) > 1:
            found.sort(key=self._places.__getitem__)
        return found

    def _searched(self, asker: BasicSprite, form: Form, angle: float) -> list[Any]:
        """Return the same by a search among all."""
        placed = placed_form(asker, form, angle)
        self._catch_up(asker)
        bodies = self.world.overlapping(placed.solid, placed.pose)
        return [sprite for sprite in self.sprites(bodies) if sprite is not asker] if bodies else []

    def _filled(self, key: _Key, asker: BasicSprite, form: Form, angle: float) -> _Cell | None:
        """Return what is in a cell and around it, and remember it, unless that is likely to be of no use.

        It is of use for who walks, and comes from a cell beside it, and where there are questions again and again. In a
        cell that was forgotten the first one is answered by a search: what has changed there may do so again.
        """
        if self._unsure:
            self._unsure -= 1
            return None
        side, column, row = key
        last, self._last = self._last, key
        is_next_to_it = side == last[0] and max(abs(column - last[1]), abs(row - last[2])) == 1.0
        if not is_next_to_it and key not in self._asked:
            if len(self._asked) >= CELLS:
                self._asked.clear()
            self._asked.add(key)
            return None
        self._asked.discard(key)
        placed_form(asker, form, angle)  # or refuse it
        self._catch_up(asker)
        if not self._cells:
            self._least_side = self._usual_side()
        x, y = side * (column + 0.5), side * (row + 0.5)
        bodies = self.world.indices_in_box(_square(2.0 * side), im.Pose(x, y))
        others = [(body, *bounds) for body, bounds in zip(bodies.tolist(), self._bounds[bodies].tolist(), strict=True)]
        if len(self._cells) >= CELLS:
            self._forget_all()
        margin = SURE_OF_SIZE * side + SURE_OF_PLACE * (abs(x) + abs(y) + side)
        cell = self._cells[key] = _Cell(margin, others)
        self._sides.add(side)
        return cell

    def _usual_side(self) -> float:
        """Return the side of a cell for what is as large as most sprites here: there are too many smaller ones."""
        widths = self._bounds[:, 2] - self._bounds[:, 0]
        there = widths > 0.0
        return side_of(0.5 * float(widths[there].mean())) if there.any() else 0.0

    def _hear(self, asker: BasicSprite | None) -> None:
        """Forget the cells in which something has changed since this was asked last.

        What an asker itself has done is withheld until somebody else asks, as it changes nothing for itself.
        """
        follower = self._follower
        if not isinstance(follower, Noted):
            if self._catch_up() is not None:
                self._forget_all()
            return
        serial = follower.notes.serial
        news = follower.news(self._heard) if serial - self._heard <= UPHEAVAL else None
        withheld = None
        if news is None:
            self._forget_all()
        elif self._cells:
            changed, left = news
            if self._withheld is not None and self._withheld not in changed:
                changed.append(self._withheld)
            if asker in changed:
                changed.remove(asker)
                withheld = asker
            self._forget_around(changed, left)
        self._heard, self._withheld = serial, withheld

    def _forget_around(self, changed: list[BasicSprite], left: list[BasicSprite]) -> None:
        """Forget the cells that know where some sprites were, and those that do not know where they are now."""
        for sprite in changed:
            (x, y), reach = sprite.position, form_of(sprite)[0].reach
            if not -math.inf < x + y < math.inf:
                super().follow()  # which refuses it
            west, south, east, north = x - reach, y - reach, x + reach, y + reach
            body = self.bodies.get(sprite)
            if body is not None:
                was_west, was_south, was_east, was_north, _ = self._bounds[body.index].tolist()
                if was_west < x < was_east and was_south < y < was_north:
                    # It has hardly moved: what concerns both places is forgotten at once.
                    west, south = min(west, was_west), min(south, was_south)
                    east, north = max(east, was_east), max(north, was_north)
                else:
                    self._forget(was_west, was_south, was_east, was_north)
            self._forget(west, south, east, north)
        for sprite in left:
            body = self.bodies.get(sprite)
            if body is not None:
                self._forget(*self._bounds[body.index, :4].tolist())

    def _forget(self, west: float, south: float, east: float, north: float) -> None:
        """Forget all cells that know what is within some bounds."""
        for side in self._sides:
            around = AROUND * side
            columns = range(int((west - around) // side), int((east + around) // side) + 1)
            rows = range(int((south - around) // side), int((north + around) // side) + 1)
            if len(columns) * len(rows) > CELLS_OF_ONE:
                self._forget_all()
                return
            for column in columns:
                for row in rows:
                    self._cells.pop((side, column, row), None)

    def _forget_all(self) -> None:
        """Forget all cells, and that for a while."""
        self._cells.clear()
        self._asked.clear()
        self._sides.clear()
        self._unsure = UNSURE


@lru_cache
def _square(side: float) -> im.Box:
    return im.Box(side, side)


def _bounds(placed: Placement) -> _Bounds:
    solid, x, y, angle, reach = placed
    if angle == 0.0 and type(solid) is im.Box:
        across, up = 0.5 * solid.width, 0.5 * solid.height
        return x - across, y - up, x + across, y + up, 1.0
    return x - reach, y - reach, x + reach, y + reach, 0.0
