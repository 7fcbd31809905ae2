"""Players of a `PushEngine` that run, jump and climb: a `Walker` for each, with the abilities that a game gives it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, Protocol

import numpy as np
from arcade import BasicSprite, Sprite, SpriteSequence

import impinge as im
from impinge import Side
from impinge.checks import finite, not_negative
from impinge_arcade.collision import check_for_collision_with_lists
from impinge_arcade.engine import PushEngine
from impinge_arcade.placing import free_places

__all__ = ["Ability", "Jump", "Ladders", "Walker", "WallSlide"]

# In radians, added to the slope: hit boxes with edges of 45 degrees may be steeper by rounding.
ROUNDED = 1e-6


class Ability(Protocol):
    """What a `Walker` can do; a game may write its own, for example a dash."""

    def prepare(self, walker: Walker) -> None:
        """Change the speed of the walker's sprite in an update, after gravity."""


class Walker:
    """A sprite that walks on floors and slopes under gravity. Speeds are in pixels per update.

    The game sets the sprite's `change_x`, or calls `run`. The walker sets its `change_y` in each update of the engine:
    gravity adds to it, and floors and ceilings stop it.

    Parameters
    ----------
    engine
        The engine of the sprite.
    sprite
        The sprite, added to the engine as a weak one.
    abilities
        What it can do, for example `Jump`. They act in this order.
    gravity
        What the sprite's speed downwards gains in each update.
    max_fall
        Its largest speed downwards by gravity.
    max_slope_degrees
        The steepest slope that it walks up and stands on, from 0 to less than 90.
    snap
        On the way down a slope or stairs, the sprite stays on ground that is at most this far below its feet, in
        pixels.
    step_height
        Height of the highest step that it climbs, in pixels.

    Attributes
    ----------
    is_supported
        Whether the sprite can jump as from the ground in this update: on a floor, or by an ability such as `Ladders`.

    Raises
    ------
    TypeError
        If the sprite is not a `Sprite`.
    ValueError
        If the sprite is not in the engine.
    impinge.ShapeError
        If a number is out of range.

    Examples
    --------
    >>> import arcade
    >>> hero = arcade.SpriteSolidColor(20, 40, center_y=100)
    >>> ground = arcade.SpriteSolidColor(400, 20)
    >>> engine = PushEngine(weak=hero, mighty=ground)
    >>> jump = Jump(10, coyote=5, buffer=5)
    >>> walker = Walker(engine, hero, jump, gravity=1)
    >>> for frame in range(20):
    ...     events = engine.update()
    >>> walker.on_floor, hero.bottom, hero.change_y
    (True, 10.0, 0.0)
    >>> jump.press()
    >>> events = engine.update()
    >>> walker.on_floor, hero.bottom, hero.change_y
    (False, 20.0, 10.0)
    """

    def __init__(
        self,
        engine: PushEngine,
        sprite: Sprite,
        *abilities: Ability,
        gravity: float,
        max_fall: float = math.inf,
        max_slope_degrees: float = 45.0,
        snap: float = 0.0,
        step_height: float = 0.0,
    ) -> None:
        if not isinstance(sprite, Sprite):
            raise TypeError(f"sprite must be a Sprite, got {sprite!r}")
        if not 0.0 <= finite("max_slope_degrees", max_slope_degrees) < 90.0:
            raise im.ShapeError(f"max_slope_degrees must be at least 0 and less than 90, got {max_slope_degrees!r}")
        self.engine, self.sprite, self.abilities = engine, sprite, abilities
        self.gravity = finite("gravity", gravity)
        self.max_fall = max_fall if max_fall == math.inf else not_negative("max_fall", max_fall)
        self.is_supported = False
        self._rule = math.radians(max_slope_degrees) + ROUNDED, snap, step_height
        self._body: im.Body | None = None
        self._updated: im.Body | None = None  # the body whose contacts are known, from an update
        self._follow_body(engine.body(sprite))
        engine.run(self)

    @property
    def on_floor(self) -> bool:
        """Return whether the sprite stood on something at the end of the last update."""
        if self.sprite not in self.engine:
            return False
        self._follow_body(self.engine.body(self.sprite))  # it may have left and come back since the last update
        return self._body is not None and self._body.on_floor

    @property
    def floor(self) -> BasicSprite | None:
        """Return the sprite under its feet at the end of the last update, or None."""
        return self.engine.floor(self.sprite)

    @property
    def floor_velocity(self) -> tuple[float, float]:
        """Return the velocity of the floor under its feet; (0, 0) in the air."""
        return self._body.floor_velocity if self._body is not None and self.on_floor else (0.0, 0.0)

    @property
    def wall(self) -> Side:
        """Return the sides, of `Side.LEFT` and `Side.RIGHT`, on which a wall stopped it in the last update."""
        return self.engine.blocked(self.sprite) & (Side.LEFT | Side.RIGHT)

    def run(self, speed: float) -> None:
        """Set the wanted speed to the right, until the next call."""
        self.sprite.change_x = finite("speed", speed)

    def before_update(self) -> None:
        """Let gravity and the abilities act; the engine calls it."""
        sprite = self.sprite
        if sprite not in self.engine:
            return
        self._follow_body(self.engine.body(sprite))
        is_on_ground = self.on_floor if self._updated is self._body else self._touches_ground()
        self.is_supported = is_on_ground and sprite.change_y <= 0.0
        sprite.change_y = max(sprite.change_y - self.gravity, min(sprite.change_y, -self.max_fall))
        for ability in self.abilities:
            ability.prepare(self)

    def after_update(self) -> None:
        """Stop the sprite's vertical speed at floors and ceilings; the engine calls it."""
        sprite = self.sprite
        if sprite not in self.engine:
            return
        self._updated = self._body
        up = sprite.change_y
        if (up < 0.0 and self.on_floor) or (up > 0.0 and Side.TOP in self.engine.blocked(sprite)):
            sprite.change_y = 0.0

    def _touches_ground(self) -> bool:
        """Return whether gravity takes the sprite into something, or it is in something, as Arcade's `can_jump`."""
        body = self.engine.body(self.sprite)
        pose = body.pose
        return not free_places(self.engine.world, body, np.array([(pose.x, pose.y - self.gravity)]))

    def _follow_body(self, body: im.Body) -> None:
        """Make a new body of the sprite a walker."""
        if body is not self._body:
            body.max_slope, body.snap, body.step_height = self._rule
            self._body = body


class Jump:
    """Jumps: from the ground, shortly after it, and in the air.

    Parameters
    ----------
    speed
        Speed upwards at the take-off, in pixels per update. The speed of a rising floor is added.
    coyote
        Updates after leaving the ground in which the jump still counts as one from the ground.
    buffer
        Updates for which a press before the landing is remembered.
    times
        Jumps until the next landing; 2 for a double jump.
    cut
        Part of the speed upwards that is left when the key is released during the rise, from 0 to 1.

    Raises
    ------
    impinge.ShapeError
        If a number is out of range.
    """

    def __init__(self, speed: float, *, coyote: int = 0, buffer: int = 0, times: int = 1, cut: float = 1.0) -> None:
        self.speed, self.cut = not_negative("speed", speed), not_negative("cut", cut)
        self.coyote, self.buffer, self.times = coyote, buffer, times
        for name, count in (("coyote", coyote), ("buffer", buffer), ("times", times)):
            if isinstance(count, bool) or not isinstance(count, int) or count < 0:
                raise im.ShapeError(f"{name} must be an integer, 0 or more, got {count!r}")
        self._done = 0
        self._in_air = 0
        self._pressed_ago: int | None = None
        self._is_rising = self._is_released = False

    def press(self) -> None:
        """Jump in the next update in which it is possible, within `buffer` updates."""
        self._pressed_ago, self._is_released = 0, False

    def release(self) -> None:
        """Cut the rise of a jump."""
        self._is_released = True

    def prepare(self, walker: Walker) -> None:
        """Jump, if the key was pressed and a jump is left; the walker calls it."""
        sprite = walker.sprite
        if walker.is_supported:
            self._done = self._in_air = 0
            self._is_rising = False
        else:
            self._in_air += 1
        if self._done == 0 and self._in_air > self.coyote:
            self._done = 1  # fell off: the jump from the ground is gone
        if self._pressed_ago is not None:
            if self._done < self.times:
                self._done += 1
                self._in_air = self.coyote + 1
                self._pressed_ago, self._is_rising = None, True
                sprite.change_y = self.speed + max(0.0, walker.floor_velocity[1])
            else:
                self._pressed_ago = None if self._pressed_ago >= self.buffer else self._pressed_ago + 1
        if self._is_rising and self._is_released and sprite.change_y > 0.0:
            sprite.change_y *= self.cut
            self._is_rising = False


class Ladders:
    """Climbing: on a ladder, gravity does not act. Give it to a `Walker` before `Jump`, to jump off ladders.

    Parameters
    ----------
    ladders
        A list of sprites, or an iterable of lists.

    Attributes
    ----------
    speed
        The wanted speed upwards on a ladder, in pixels per update. The game sets it from the keys.
    is_on
        Whether the sprite was on a ladder before the last update.
    """

    def __init__(self, ladders: SpriteSequence[Any] | Iterable[SpriteSequence[Any]]) -> None:
        self.lists = [ladders] if isinstance(ladders, SpriteSequence) else list(ladders)
        self.speed = self._climbed = 0.0
        self.is_on = False

    def prepare(self, walker: Walker) -> None:
        """Climb, if the sprite is on a ladder and does not rise faster; the walker calls it."""
        sprite, was_on = walker.sprite, self.is_on
        is_slow = sprite.change_y <= max(self.speed, self._climbed, 0.0)
        self.is_on = is_slow and bool(check_for_collision_with_lists(sprite, self.lists))
        if self.is_on and (self.speed or not walker.is_supported):
            sprite.change_y = self.speed
        elif was_on and is_slow and sprite.change_y > 0.0:
            sprite.change_y = 0.0  # at the upper end: no hop
        self._climbed = self.speed if self.is_on else 0.0
        walker.is_supported = walker.is_supported or self.is_on


class WallSlide:
    """A slower fall along a wall against which the sprite runs.

    Parameters
    ----------
    speed
        The largest speed downwards along a wall, in pixels per update.
    """

    def __init__(self, speed: float) -> None:
        self.speed = not_negative("speed", speed)

    def prepare(self, walker: Walker) -> None:
        """Slow the fall; the walker calls it."""
        sprite, wall = walker.sprite, walker.wall
        runs_against = (sprite.change_x < 0.0 and Side.LEFT in wall) or (sprite.change_x > 0.0 and Side.RIGHT in wall)
        if runs_against and not walker.is_supported:
            sprite.change_y = max(sprite.change_y, -self.speed)
