"""Walls as bodies that follow the sprites the game moves, and platforms that move by their velocities.

Players and their rules are in `level`; merged tiles are in `tiles`.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import Any, Final

from arcade import BasicSprite, Sprite

import impinge as im
from impinge.shapes.solids import Solid
from impinge_arcade.bodies import Bodies, Place
from impinge_arcade.boxes import are_coordinates, check_ways, is_step, name_of
from impinge_arcade.following import Changes, Noted, Roster, reshape
from impinge_arcade.shapes import REMEMBERED, Placement, own_shape

__all__ = ["STILL", "PlatformRoster", "SweptRoster", "check_moves", "moving_of"]

# Attributes that are read from all sprites at once.
POSITION: Final = attrgetter("position")
BOUNDARIES: Final = attrgetter("boundary_left", "boundary_right", "boundary_bottom", "boundary_top")
STILL: Final = (0, 0)
UNBOUNDED: Final = (None, None, None, None)
# Factor on the reach of a hit box: no point of it is further away, whatever the rounding.
NEARLY: Final = 1.01


class SweptRoster(Roster):
    """A list whose sprites sweep to their new positions, and push the bodies in their way.

    A sprite is teleported instead if the game moved it by more than half its own size plus its own speed: for example a
    door that opens by being placed outside the map.
    """

    def __init__(self, source: Collection[BasicSprite], world: im.World, **rule: Any) -> None:
        super().__init__(source, world, **rule)
        # Sprites that the game has moved. Their bodies sweep there in the next step.
        self.going: set[BasicSprite] = set()

    def take_out(self, sprites: Sequence[BasicSprite]) -> None:
        """Remove the bodies of sprites that left the list."""
        super().take_out(sprites)
        self.going.difference_update(sprites)

    def place(self, sprites: Sequence[BasicSprite], placements: Sequence[Placement]) -> None:
        """Set goals for the bodies of sprites that moved, and poses for those that were teleported."""
        bodies = [self.bodies[sprite] for sprite in sprites]
        # Sprites to teleport, and bodies to sweep.
        put: list[BasicSprite] = []
        put_placements: list[Placement] = []
        going: list[im.Body] = []
        goals: list[Place] = []
        stand = Bodies(bodies).read(self.world)
        for sprite, placed, body, stands in zip(sprites, placements, bodies, stand, strict=True):
            has_stepped = _has_stepped(sprite, placed, stands)
            self.has_placed = self.has_placed or not has_stepped
            if reshape(body, placed) or not has_stepped or placed.angle != stands[2]:
                put.append(sprite)
                put_placements.append(placed)
                self.going.discard(sprite)
            else:
                self.going.add(sprite)
                going.append(body)
                goals.append((placed.x, placed.y, placed.angle))
        super().place(put, put_placements)
        Bodies(going).aim(self.world, goals)


class PlatformRoster(SweptRoster):
    """Walls that also move by their velocities."""

    def __init__(self, source: Collection[BasicSprite], world: im.World, **rule: Any) -> None:
        super().__init__(source, world, **rule)
        # Upper bound of the reach of all hit boxes; sprites whose bodies are not at the sprites' positions; and sprites
        # that the game has moved since the last step.
        self._reach = 0.0
        self._beside: set[BasicSprite] = set()
        self._moved: set[BasicSprite] = set()

    def stands(self, sprites: Collection[BasicSprite]) -> list[Placement | None]:
        """Return the placements of sprites, and update the upper bound of their reach."""
        placements = super().stands(sprites)
        for sprite, placed in zip(sprites, placements, strict=True):
            if placed is None:
                continue
            solid, x, y, _, reach = placed
            is_hit_box = own_shape(sprite) is None and not isinstance(solid, im.Circle)
            self._reach = max(self._reach, NEARLY * reach if is_hit_box else math.inf)
            (self._beside.discard if (x, y) == sprite.position else self._beside.add)(sprite)
        return placements

    def take_out(self, sprites: Sequence[BasicSprite]) -> None:
        """Remove the bodies of sprites that left the list."""
        super().take_out(sprites)
        self._beside.difference_update(sprites)
        self._moved.difference_update(sprites)

    def place(self, sprites: Sequence[BasicSprite], placements: Sequence[Placement]) -> None:
        """Set goals for the bodies of sprites that moved, and poses for those that were teleported."""
        self._moved.update(sprites)
        super().place(sprites, placements)

    def advance(self, platforms: list[Sprite]) -> None:
        """Move platforms of the list by their velocities, and set the goals of their bodies.

        Call it right after `follow`, before anything in the list changes: then most platforms need no new check.
        """
        straight: list[Sprite] = []
        others: list[BasicSprite] = []
        # Arcade's hit box edges take as long as all the rest, so they are read only near the boundaries.
        reach, absent, special = self._reach, self.absent, self._beside | self._moved | self.absent.keys()
        for sprite, bounds in zip(platforms, map(BOUNDARIES, platforms), strict=True):
            if bounds != UNBOUNDED and sprite not in absent and _is_near(sprite.position, bounds, reach):
                _turn_round(sprite, *bounds)
                others.append(sprite)
            elif sprite in special:
                others.append(sprite)
            else:
                straight.append(sprite)
            (x, y), (across, up) = sprite.position, sprite.velocity
            sprite.position = x + across, y + up
        if isinstance(self._follower, Noted):  # scanned lists are read again anyway
            Bodies([self.bodies[sprite] for sprite in straight]).go(self.world, list(map(POSITION, straight)))
            self._take_up(Changes([], [], others, None), [], self.stands(others))
            self._moved.clear()


def _has_stepped(sprite: BasicSprite, placed: Placement, stands: Place) -> bool:
    """Return whether a wall moved to its position in steps, as opposed to being teleported."""
    x, y, angle = stands
    way = placed.x - x, placed.y - y
    solid = placed.solid
    size = (solid.width, solid.height) if angle == 0.0 and isinstance(solid, im.Box) else _size(solid, angle)
    return way == (0.0, 0.0) or is_step(sprite, way, size)


@lru_cache(REMEMBERED)
def _size(solid: Solid, angle: float) -> tuple[float, float]:
    """Return width and height of a solid at an angle."""
    left, bottom, right, top = solid.bounds(im.Pose(0.0, 0.0, angle))
    return right - left, top - bottom


def _is_near(place: tuple[float, float], bounds: tuple[float | None, ...], reach: float) -> bool:
    """Return whether a platform may have reached one of its boundaries."""
    x, y = place
    left, right, bottom, top = bounds
    return (
        (left is not None and x - reach <= left)
        or (right is not None and x + reach >= right)
        or (bottom is not None and y - reach <= bottom)
        or (top is not None and y + reach >= top)
    )


def _turn_round(
    sprite: Sprite, left: float | None, right: float | None, bottom: float | None, top: float | None
) -> None:
    """Turn a platform round if it has reached one of its boundaries."""
    across, up = sprite.velocity
    if left is not None and sprite.left <= left:
        sprite.left, across = left, abs(across)
    if right is not None and sprite.right >= right:
        sprite.right, across = right, -abs(across)
    if top is not None and sprite.top >= top:
        sprite.top, up = top, -abs(up)
    if bottom is not None and sprite.bottom <= bottom:
        sprite.bottom, up = bottom, abs(up)
    sprite.velocity = across, up


def moving_of(sprites: Iterable[Any]) -> list[Sprite]:
    """Return the sprites with a velocity."""
    if all(issubclass(kind, Sprite) for kind in set(map(type, sprites))):
        return [sprite for sprite in sprites if sprite.velocity != STILL]
    wrong = next(sprite for sprite in sprites if not isinstance(sprite, Sprite))
    raise TypeError(f"platforms must be Sprites, got {name_of(wrong)}")


def check_moves(platforms: list[Sprite]) -> None:
    """Refuse platforms with a velocity or boundaries that are not finite."""
    check_ways(platforms)
    boundaries = list(map(BOUNDARIES, platforms))
    if not are_coordinates(
        *(each for bounds in boundaries if bounds != UNBOUNDED for each in bounds if each is not None)
    ):
        for sprite, bounds in zip(platforms, boundaries, strict=True):
            if not are_coordinates(*(each for each in bounds if each is not None)):
                raise im.ShapeError(f"{name_of(sprite)}: boundaries must be finite, got {bounds}")
