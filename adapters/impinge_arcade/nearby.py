"""Overlap queries for a sprite and a list: first on boxes that follow the list, then on the exact solids.

The boxes themselves are in `impinge.near`. For other queries a list has a world of bodies, see `following`.
"""

from __future__ import annotations

import math
from operator import attrgetter
from typing import Any, Final, TypeAlias

import numpy as np
from arcade import BasicSprite
from numpy.typing import NDArray

import impinge as im
from impinge.checks import LARGEST
from impinge.near import GONE, NearBoxes
from impinge.query.unchecked import overlap_pair
from impinge_arcade.boxes import rows_of
from impinge_arcade.following import Following, Noted
from impinge_arcade.shapes import AbsenceError, Form, form_of, placed_form, placement, presence

__all__ = ["NearList"]

POSITION: Final = attrgetter("position")
# Overlaps of boxes that count without an exact test: fractions of size and coordinates that far exceed the slop.
SURE_OF_SIZE, SURE_OF_PLACE = 1e-6, 1e-12
# Pixels. Smaller coordinates count as this large, so that a solid is not shrunk anew for each of them.
MAP = 2.0**16
# Rows of removed sprites, beyond the number of sprites in the list, after which all rows are numbered anew.
MOST_GONE = 64

# Left, bottom, right and top relative to the sprite. In `_Extents` a fifth number is 1 if the box is the exact solid.
_Bounds: TypeAlias = tuple[float, float, float, float]
_Extents: TypeAlias = tuple[float, float, float, float, float]


class NearList(Following):
    """A list with boxes around its sprites, for repeated overlap queries while sprites move.

    Examples
    --------
    >>> import arcade
    >>> from impinge_arcade.shapes import form_of
    >>> coins, player = arcade.SpriteList(), arcade.SpriteSolidColor(20, 20)
    >>> coins.extend([arcade.SpriteSolidColor(8, 8, center_x=40 * i) for i in range(5)])
    >>> near = NearList(coins)
    >>> for player.center_x in range(0, 60, 10):
    ...     for coin in near.over(player, *form_of(player)):
    ...         print(player.center_x, coin.center_x)
    0 0
    10 0
    30 40
    40 40
    50 40
    """

    def __init__(self, source: Any) -> None:
        super().__init__(source)
        # One row for each sprite, in the order of the list. Some rows belong to removed sprites.
        self._near = NearBoxes()
        self._sprites: list[BasicSprite | None] = []
        self._rows: dict[BasicSprite, int] = {}
        self._are_restless = False  # whether hit box points may change in place
        self._absent: set[BasicSprite] = set()  # those that collide with nothing
        self._serial = -1  # of the last change of the list that was taken up

    def over(self, asker: BasicSprite, form: Form, angle: float) -> list[Any]:
        """Return the sprites that overlap another sprite with this form and angle, in list order, without itself."""
        follower = self._follower
        if not isinstance(follower, Noted) or follower.notes.serial != self._serial:
            self._follow()
        solid, _, reach, bounds = form
        try:
            x, y = asker.position
            x, y, far = float(x), float(y), abs(x) + abs(y)  # Numba would compile again for other number types
        except (TypeError, ValueError, OverflowError):
            far = math.nan
        if not far <= LARGEST:
            presence(asker)  # raises the error or warns
            return []
        left, bottom, right, top = _turned(bounds, angle) if angle else bounds
        margin = SURE_OF_SIZE * reach + SURE_OF_PLACE * far
        sure = 2.0 * margin if angle == 0.0 and type(solid) is im.Box else math.inf
        rows = self._near.met(x + left - margin, y + bottom - margin, x + right + margin, y + top + margin, sure)
        if not rows:
            return rows
        if len(rows) > 1:
            rows.sort(key=_place)
        sprites, found = self._sprites, []
        for row in rows:
            sprite = sprites[row if row >= 0 else -1 - row]
            if sprite is not asker and (row >= 0 or self._overlap(asker, form, angle, sprite)):  # type: ignore[arg-type]
                found.append(sprite)
        return found

    @staticmethod
    def _overlap(asker: BasicSprite, form: Form, angle: float, other: BasicSprite) -> bool:
        """Return whether two sprites overlap, as `impinge.overlaps` does with ``include_touching=False``."""
        solid, x, y, _, _ = placed_form(asker, form, angle)
        other_solid, other_x, other_y, other_angle, reach = placement(other)
        row = solid.drawn_in(max(MAP, abs(x), abs(y), abs(other_x) + reach, abs(other_y) + reach))
        return overlap_pair(row, x, y, angle, other_solid.row, other_x, other_y, other_angle)

    def _follow(self) -> None:
        """Update the boxes from the list; if a sprite is invalid, nothing changes."""
        follower = self._follower
        serial = follower.notes.serial if isinstance(follower, Noted) else -1
        changes = self._news(self._rows)
        if changes is not None:
            gone, joined, changed, order = changes
            if order is None and len(self._sprites) - len(self._rows) > len(self._rows) + MOST_GONE:
                order = list(self.source)
            if order is not None:
                self._number(order)
            else:
                self._take_up(gone, joined, changed)
            self._follower.commit()
        self._serial = serial

    def _number(self, order: list[BasicSprite]) -> None:
        """Give all sprites new rows, in this order."""
        order = list(dict.fromkeys(order))  # a source other than a SpriteList may hold a sprite twice
        extents, places = self._measured(order)
        near = NearBoxes()
        near.move(near.append(extents), places)
        self._near = near
        self._sprites, self._rows = [*order], {sprite: row for row, sprite in enumerate(order)}
        self._absent.intersection_update(order)
        self._are_restless = any(map(_is_restless, order))

    def _take_up(self, gone: list[BasicSprite], joined: list[BasicSprite], changed: list[BasicSprite]) -> None:
        """Append rows for new sprites, update changed ones, and free the rows of removed ones."""
        has_moved_only = isinstance(self._follower, Noted) and self._follower.has_moved_only
        if has_moved_only and not (self._are_restless or self._absent) and self._have_moved(changed):
            return
        extents, places = self._measured(changed)
        new_extents, new_places = self._measured(joined)
        rows: NDArray[np.int64]
        if changed:
            rows = np.array([self._rows[sprite] for sprite in changed])
            self._near.reshape(rows, extents)
            self._near.move(rows, places)
        if gone:
            rows = np.array([self._rows.pop(sprite) for sprite in gone])
            for row in rows.tolist():
                self._sprites[row] = None
            self._near.reshape(rows, [GONE] * len(gone))
            self._near.move(rows, np.zeros((len(gone), 2)))
            self._absent.difference_update(gone)
        if joined:
            rows = self._near.append(new_extents)
            self._near.move(rows, new_places)
            self._sprites += joined
            self._rows.update(zip(joined, rows.tolist(), strict=True))
            self._are_restless = self._are_restless or any(map(_is_restless, joined))

    def _have_moved(self, sprites: list[BasicSprite]) -> bool:
        """Move the rows of sprites, and return True; if a position is invalid, no row moves."""
        try:
            places = rows_of(map(POSITION, sprites))
        except (TypeError, ValueError, OverflowError):
            return False
        return self._near.move(np.array([self._rows[sprite] for sprite in sprites]), places)

    def _measured(self, sprites: list[BasicSprite]) -> tuple[list[_Extents], NDArray[np.float64]]:
        """Return extents and positions of sprites; sprites that collide with nothing are as removed ones."""
        try:
            extents, places = [_extents(*form_of(sprite)) for sprite in sprites], rows_of(map(POSITION, sprites))
            if np.abs(places).max(initial=0.0) <= LARGEST:
                self._absent.difference_update(sprites)
                return extents, places
        except (AbsenceError, TypeError, ValueError, OverflowError):
            pass
        absent = {sprite for sprite in sprites if presence(sprite) is None}
        self._absent = (self._absent - set(sprites)) | absent
        return (
            [GONE if sprite in absent else _extents(*form_of(sprite)) for sprite in sprites],
            rows_of((0.0, 0.0) if sprite in absent else sprite.position for sprite in sprites),
        )


def _place(row: int) -> int:
    return row if row >= 0 else -1 - row


def _extents(form: Form, angle: float) -> _Extents:
    bounds = form.bounds
    return (*_turned(bounds, angle), 0.0) if angle else (*bounds, 1.0 if type(form.solid) is im.Box else 0.0)


def _turned(bounds: _Bounds, angle: float) -> _Bounds:
    """Return the bounds of a rectangle that is rotated around the sprite."""
    left, bottom, right, top = bounds
    x, y = 0.5 * (left + right), 0.5 * (bottom + top)
    half_width, half_height = 0.5 * (right - left), 0.5 * (top - bottom)
    cosine, sine = math.cos(angle), math.sin(angle)
    x, y = cosine * x - sine * y, sine * x + cosine * y
    across = half_width * abs(cosine) + half_height * abs(sine)
    up = half_width * abs(sine) + half_height * abs(cosine)
    return x - across, y - up, x + across, y + up


def _is_restless(sprite: BasicSprite) -> bool:
    return not isinstance(sprite.hit_box.points, tuple)
