"""Interpolation between fixed steps: sprites are drawn between their last two positions, and then put back.

Arcade's `on_fixed_update` decides when a step is due; `attach` runs both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol, TypeAlias

from arcade import BasicSprite
from arcade.clock import GLOBAL_FIXED_CLOCK

from impinge_arcade.boxes import is_step
from impinge_arcade.engine import PushEngine

__all__ = ["Engine", "Interpolation", "has_gone"]

Stand: TypeAlias = tuple[tuple[float, float], float]


class Engine(Protocol):
    """An object that moves sprites by one step at a time: an engine of `impinge_arcade`, of Arcade, or of a game."""

    def update(self) -> Any:
        """Move the sprites by one step."""


class Interpolation:
    """An engine whose sprites are drawn between their last two steps; pass it to `attach`.

    Parameters
    ----------
    engine
        An object with an `update` method.
    sprites
        A sprite, or lists of sprites, to interpolate; changes of the lists take effect. None: all sprites of a
        `PushEngine`; for Arcade's engines and their replacements the players, platforms and moving walls.

    Raises
    ------
    TypeError
        If the engine has no `update`, or if `sprites` is missing for an engine whose sprites are unknown.

    Notes
    -----
    The picture lags behind by the rest of a step. Teleported sprites are not interpolated: a move counts as a teleport
    if it exceeds half the sprite's size plus its speed. Each sprite takes some 0.7 µs a step: if most sprites of a
    `PushEngine` are walls, give only the sprites that move.

    Examples
    --------
    >>> import arcade
    >>> from impinge_arcade import PushEngine
    >>> ball = arcade.SpriteSolidColor(10, 10)
    >>> smooth = Interpolation(PushEngine(ball))
    >>> ball.change_x = 8
    >>> for step in range(2):
    ...     events = smooth.update()
    >>> with smooth.drawn(fraction=0.25):
    ...     ball.center_x
    10.0
    >>> ball.center_x
    16
    """

    def __init__(self, engine: Engine, sprites: BasicSprite | Iterable[Any] | None = None) -> None:
        if not callable(getattr(engine, "update", None)):
            raise TypeError(f"engine must have an update(), got {engine!r}")
        if sprites is None and not isinstance(engine, PushEngine) and not hasattr(engine, "player_sprite"):
            raise TypeError(f"sprites must be given for an engine that does not tell them, got {engine!r}")
        self.engine = engine
        self._sprites = sprites
        # Positions and angles after the last step; and those before it, for sprites that it has moved.
        self._ends: dict[Any, Stand] = {}
        self._ways: dict[Any, Stand] = {}
        # Sprites that are at their drawn positions now, with these positions.
        self._drawn: dict[Any, Stand] = {}

    def update(self) -> Any:
        """Take one step; return the result of the engine's `update`."""
        self._put_back()
        # A sprite's way begins at its end of the last step, unless the game has teleported the sprite since.
        begins = {}
        for sprite in self._followed():
            stands = _stand(sprite)
            former = self._ends.get(sprite, stands)
            begins[sprite] = former if former != stands and has_gone(sprite, former[0]) else stands
        told = self.engine.update()
        self._ends = {sprite: _stand(sprite) for sprite in begins}
        self._ways = {sprite: begin for sprite, begin in begins.items() if begin != self._ends[sprite]}
        return told

    def position(self, sprite: BasicSprite, fraction: float | None = None) -> tuple[float, float]:
        """Return the drawn position of a sprite, for a camera that follows it in `on_update`; see `drawn`."""
        return self._between(sprite, _part(fraction))[0]

    @contextmanager
    def drawn(self, fraction: float | None = None) -> Iterator[None]:
        """Move the sprites to their drawn positions for the duration of a ``with`` block.

        Parameters
        ----------
        fraction
            From 0, the start of the last step, to 1, its end. None: the fraction of Arcade's fixed clock.
        """
        if self._drawn:  # in a nested block the sprites are already at their drawn positions
            yield
            return
        part = _part(fraction)
        for sprite, end in self._ends.items():
            stands = _stand(sprite)
            if stands != end:
                # The game has moved the sprite since the step: draw it there, and interpolate from there.
                self._ends[sprite] = stands
                self._ways.pop(sprite, None)
        self._drawn = {sprite: self._between(sprite, part) for sprite in self._ways}
        for sprite, stands in self._drawn.items():
            _put(sprite, self._ends[sprite], stands)
        try:
            yield
        finally:
            self._put_back()

    def _put_back(self) -> None:
        """Move drawn sprites back to their real positions, except sprites that the game has moved while drawing."""
        for sprite, stands in self._drawn.items():
            if _stand(sprite) == stands:
                _put(sprite, stands, self._ends[sprite])
        self._drawn = {}

    def _between(self, sprite: BasicSprite, part: float) -> Stand:
        (x, y), angle = stands = _stand(sprite)
        begin = self._ways.get(sprite)
        if begin is None or stands != self._ends[sprite]:
            return stands
        (begin_x, begin_y), begin_angle = begin
        left = 1.0 - part
        turn = (angle - begin_angle + 180.0) % 360.0 - 180.0  # the short way: from 350 to 10 degrees is 20
        return (x - left * (x - begin_x), y - left * (y - begin_y)), angle - left * turn

    def _followed(self) -> Iterator[Any]:
        if self._sprites is not None:
            return _each(self._sprites)
        engine: Any = self.engine
        if isinstance(engine, PushEngine):
            return iter(list(engine.sprites()))
        lists = [getattr(engine, name, ()) for name in ("players", "platforms", "one_way", "moving_walls")]
        return _each([engine.player_sprite, *lists])


def has_gone(sprite: BasicSprite, former: tuple[float, float]) -> bool:
    """Return whether a sprite moved to its position in a step, as opposed to being teleported."""
    (x, y), (former_x, former_y) = sprite.position, former
    return is_step(sprite, (x - former_x, y - former_y), (sprite.width, sprite.height))


def _stand(sprite: BasicSprite) -> Stand:
    return sprite.position, getattr(sprite, "angle", 0.0)


def _put(sprite: Any, former: Stand, stands: Stand) -> None:
    sprite.position = stands[0]
    if stands[1] != former[1]:  # sprites that cannot turn have no angle attribute
        sprite.angle = stands[1]


def _part(fraction: float | None) -> float:
    # The fraction exceeds 1 if Arcade limits the number of fixed updates in a frame.
    return min(max(GLOBAL_FIXED_CLOCK.fraction if fraction is None else fraction, 0.0), 1.0)


def _each(sprites: Any) -> Iterator[Any]:
    if isinstance(sprites, BasicSprite):
        yield sprites
    else:
        for part in sprites:
            yield from _each(part)
