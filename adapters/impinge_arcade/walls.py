"""Walls as bodies that follow the sprites the game moves, and platforms that move by their speeds.

Players and their rules are in `level`; merged tiles are in `tiles`.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import Any, Final
from weakref import WeakSet

from arcade import BasicSprite, Sprite

import impinge as im
from impinge.shapes.solids import Solid
from impinge_arcade.arcade_names import has_plain_speed, hear_speeds
from impinge_arcade.bodies import Bodies, Place
from impinge_arcade.boxes import are_coordinates, check_ways, is_step, name_of
from impinge_arcade.following import Changes, Noted, Roster, reshape
from impinge_arcade.shapes import REMEMBERED, Placement, bounds_placement, own_shape, presence

__all__ = ["STILL", "PlatformRoster", "RankRoster", "SweptRoster", "check_moves", "is_sweep", "turn_round"]

# Attributes that are read from all sprites at once.
POSITION: Final = attrgetter("position")
BOUNDARIES: Final = attrgetter("boundary_left", "boundary_right", "boundary_bottom", "boundary_top")
STILL: Final = (0, 0)
UNBOUNDED: Final = (None, None, None, None)
# Factor on the reach of a hit box: no point of it is further away, whatever the rounding.
NEARLY: Final = 1.01
# Radians. A sprite that the game turns by this much or more in an update is turned without a sweep: quarter turns of
# tiles are no rotation.
QUARTER: Final = 0.5 * math.pi


class SweptRoster(Roster):
    """A list whose sprites sweep to their new positions and angles, and push the bodies in their way.

    A sprite is teleported instead if the game moved it by more than half its longer side plus its own speed, or turned
    it by a quarter turn or more: for example a door that opens by being placed outside the map.

    Attributes
    ----------
    going, has_going
        Sprites that the game has moved. Their bodies sweep to them in the next step. And whether `settle` has something
        to do after it.
    has_bounds
        Whether the bodies are the bounding boxes of the hit boxes.
    """

    def __init__(self, source: Collection[BasicSprite], world: im.World, **rule: Any) -> None:
        super().__init__(source, world, **rule)
        self.going: set[BasicSprite] = set()
        self.has_going = False
        self.has_bounds = False
        # Sprites that have turned: all of their angle is in the pose, so that the next turn can be a sweep.
        self._turners: set[BasicSprite] = set()

    def stands(self, sprites: Collection[BasicSprite]) -> list[Placement | None]:
        """Return the placements of sprites, None for those that collide with nothing."""
        if self.has_bounds:
            return list(map(bounds_placement, sprites))
        out, strict, turners = self.left_out, self.is_strict, self._turners
        return [None if each in out else presence(each, strict=strict, turns=each in turners) for each in sprites]

    def settle(self) -> None:
        """Note that the bodies have reached their sprites."""
        self.going.clear()
        self.has_going = False

    def take_out(self, sprites: Sequence[BasicSprite]) -> None:
        """Remove the bodies of sprites that left the list."""
        super().take_out(sprites)
        self.going.difference_update(sprites)
        self._turners.difference_update(sprites)

    def place(self, sprites: Sequence[BasicSprite], placements: Sequence[Placement]) -> None:
        """Set goals for the bodies of sprites that moved, and poses for those that were teleported."""
        self.has_going = True
        bodies = [self.bodies[sprite] for sprite in sprites]
        # Sprites to teleport, and bodies to sweep.
        put: list[BasicSprite] = []
        put_placements: list[Placement] = []
        going: list[im.Body] = []
        goals: list[Place] = []
        stand = Bodies(bodies).read(self.world)
        for sprite, placed, body, stands in zip(sprites, placements, bodies, stand, strict=True):
            has_stepped = is_sweep(sprite, placed, stands)
            self.has_placed = self.has_placed or not has_stepped
            if reshape(body, placed) or not has_stepped:
                put.append(sprite)
                put_placements.append(placed)
                self.going.discard(sprite)
            else:
                self.going.add(sprite)
                going.append(body)
                goals.append((placed.x, placed.y, turned(placed.angle, stands[2])))
            if placed.angle != stands[2]:
                self._turners.add(sprite)
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

    def settle(self) -> None:
        """Note that the bodies have reached their sprites."""
        super().settle()
        self._moved.clear()

    def moving(self) -> list[Sprite]:
        """Return the sprites that have a speed.

        Raises
        ------
        TypeError
            If an object in the list has no velocity.
        """
        if all(issubclass(kind, Sprite) for kind in set(map(type, self.source))):
            return [sprite for sprite in self.source if sprite.velocity != STILL]
        wrong = next(sprite for sprite in self.source if not isinstance(sprite, Sprite))
        raise TypeError(f"platforms must be Sprites, got {name_of(wrong)}")

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
                turn_round(sprite, *bounds)
                others.append(sprite)
            elif sprite in special:
                others.append(sprite)
            else:
                straight.append(sprite)
            (x, y), (across, up) = sprite.position, sprite.velocity
            sprite.position = x + across, y + up
        if isinstance(self._follower, Noted):  # scanned lists are read again anyway
            Bodies([self.bodies[sprite] for sprite in straight]).go(self.world, list(map(POSITION, straight)))
            self._follower.commit()
            self._take_up(Changes([], [], others, None), [], self.stands(others))


class RankRoster(PlatformRoster):
    """Sprites of the highest rank of a `PushEngine`: nothing pushes them.

    They move and turn by their speeds, except in an update before which the game has moved them. A `BasicSprite`, which
    has no speed, moves only if the game moves it.

    Attributes
    ----------
    peers
        All rosters of the engine. A sprite in several lists has one body, and the first of them moves it.
    seen
        All sprites that have been in the engine.
    handed
        Bodies that its sprites had before; they keep them.
    """

    def __init__(self, source: Iterable[BasicSprite], world: im.World, **rule: Any) -> None:
        super().__init__(source, world, **rule)  # type: ignore[arg-type]
        self.peers: list[RankRoster] = [self]
        self.seen: WeakSet[BasicSprite] = WeakSet()
        self.handed: dict[BasicSprite, im.Body] = {}
        # The sprites that had a speed when the watch of the list had counted so many settings of speeds.
        self._moving: list[Sprite] = []
        self._counted = -1
        self._are_counted = hear_speeds()

    def enter(self, sprites: Sequence[BasicSprite], placements: Sequence[Placement]) -> None:
        """Add bodies for new sprites, except for those that have one, in another list or from before."""
        shared = {sprite: peer.bodies[sprite] for sprite in sprites for peer in self._others() if sprite in peer.bodies}
        shared |= {sprite: self.handed.pop(sprite) for sprite in sprites if sprite in self.handed}
        own = [(each, placed) for each, placed in zip(sprites, placements, strict=True) if each not in shared]
        super().enter(*zip(*own, strict=True)) if own else None
        self.bodies |= shared
        moved = [(each, placed) for each, placed in zip(sprites, placements, strict=True) if each in shared]
        self.place(*zip(*moved, strict=True)) if moved else None
        self.seen.update(sprites)
        self._counted = -1 if sprites else self._counted

    def hand_over(self) -> dict[BasicSprite, im.Body]:
        """Return the bodies of all sprites that are in no other list, and have none from then on."""
        others = self._others()
        own = {each: body for each, body in self.bodies.items() if not any(each in peer.bodies for peer in others)}
        self.bodies.clear()
        return own

    def take_out(self, sprites: Sequence[BasicSprite]) -> None:
        """Remove the bodies of sprites that left the list, except for those that are in another list."""
        for sprite in sprites:
            if any(sprite in peer.bodies for peer in self._others()):
                del self.bodies[sprite]
        self._counted = -1
        super().take_out([sprite for sprite in sprites if sprite in self.bodies])

    def place(self, sprites: Sequence[BasicSprite], placements: Sequence[Placement]) -> None:
        """Set goals or poses; a sprite with a new shape, or where it was, still moves by its speed."""
        bodies = [self.bodies[sprite] for sprite in sprites]
        idle = [
            sprite
            for sprite, (solid, *place, _), body, stands in zip(
                sprites, placements, bodies, Bodies(bodies).read(self.world), strict=True
            )
            if tuple(place) == stands or not (body.shape is solid or body.shape == solid)
        ]
        super().place(sprites, placements)
        self._moved.difference_update(idle)

    def _others(self) -> list[RankRoster]:
        return [peer for peer in self.peers if peer is not self]

    def moving(self) -> list[Sprite]:
        """Return the sprites that have a speed, and that the game has not moved since the last update."""
        follower = self._follower
        counted = follower.notes.speeds if self._are_counted and isinstance(follower, Noted) else -1
        if counted < 0 or counted != self._counted:
            sprites = [each for each in self.bodies if isinstance(each, Sprite)]
            self._moving = [each for each in sprites if each.velocity != STILL or each.change_angle]
            self._counted = counted if all(map(has_plain_speed, set(map(type, sprites)))) else -1
        moving, moved = self._moving, self._moved
        if not moving:
            return moving
        if moved:
            check_moves(moving)
            moving = [each for each in moving if each not in moved]
        first = self.peers[: self.peers.index(self)]
        return [each for each in moving if not any(each in peer.bodies for peer in first)] if first else moving

    def advance(self, platforms: list[Sprite]) -> None:
        """Move and turn sprites of the list by their speeds, and set the goals of their bodies."""
        turning = [sprite for sprite in platforms if sprite.change_angle]
        for sprite in turning:
            sprite.angle += sprite.change_angle
        if self.has_bounds and turning:
            self.follow()  # the new boxes are no sweep, but the move that follows is
        else:
            self._moved.update(turning)
        super().advance(platforms)

    def teleport(self, sprite: BasicSprite) -> None:
        """Place the body at the sprite's position and angle, without a sweep."""
        self.follow()
        (placed,) = self.stands([sprite])
        assert placed is not None  # an engine of ranks is strict
        body = self.bodies[sprite]
        reshape(body, placed)
        body.pose = placed.pose
        self.going.discard(sprite)
        self._moved.discard(sprite)


def turned(angle: float, former: float) -> float:
    """Return an angle plus the full turns that bring it closest to a former one, in radians."""
    return angle if angle == former else former + math.remainder(angle - former, math.tau)


def is_sweep(sprite: BasicSprite, placed: Placement, stands: Place) -> bool:
    """Return whether a sprite came to its place by a step of the game, as opposed to a teleport."""
    x, y, angle = stands
    if placed.angle != angle and abs(math.remainder(placed.angle - angle, math.tau)) >= QUARTER:
        return False
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


def turn_round(
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
