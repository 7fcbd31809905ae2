"""Smooth pictures of steps of equal time: sprites are drawn between the last two, and stand where the last one ended.

Not here: when a step is due, which is Arcade's `on_fixed_update`; `attach` runs both.
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
    """What moves sprites by one step at a time: engines of `impinge_arcade`, of Arcade, or a game's own."""

    def update(self) -> Any:
        """Move them."""


class Interpolation:
    """An engine whose sprites are drawn between its last two steps, which `attach` does for a window or a view.

    Parameters
    ----------
    engine
        What has an `update`.
    sprites
        A sprite, or lists of them, that are drawn so; lists are followed. None: all of a `PushEngine`; of Arcade's
        engines and those in their place the players, the platforms and the moving walls.

    Raises
    ------
    TypeError
        If there is no such engine, or it does not tell which sprites it moves and none are given.

    Notes
    -----
    The picture is behind by what is left of a step. A sprite that the game has put elsewhere is drawn there at once, if
    that is further away than half its own size beyond its speed. Each sprite takes some 0.7 µs a step: where most of a
    `PushEngine` are walls, give those that move.

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
        # Where all of them stood after the last step, and of those that it has moved, from where.
        self._ends: dict[Any, Stand] = {}
        self._ways: dict[Any, Stand] = {}
        # Those that are drawn just now, and where.
        self._drawn: dict[Any, Stand] = {}

    def update(self) -> Any:
        """Take one step; returns what the engine's `update` does."""
        self._put_back()
        # A way begins where the sprite was drawn last, unless the game has put it elsewhere since.
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
        """Return where a sprite is drawn, for a camera that follows it in `on_update`; see `drawn`."""
        return self._between(sprite, _part(fraction))[0]

    @contextmanager
    def drawn(self, fraction: float | None = None) -> Iterator[None]:
        """Let the sprites be where they are drawn, for as long as the block lasts.

        Parameters
        ----------
        fraction
            From 0, where the last step began, to 1, where it ended. None: what Arcade's fixed clock tells.
        """
        if self._drawn:  # in a block within a block they are there already
            yield
            return
        part = _part(fraction)
        for sprite, end in self._ends.items():
            stands = _stand(sprite)
            if stands != end:
                # The game has moved it since: it is drawn there, and goes on from there.
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
        """Let those that are drawn be where they stand; where the game has put one while it drew, it stays."""
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
        turn = (angle - begin_angle + 180.0) % 360.0 - 180.0  # the short way: 350 degrees are followed by 10
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
    """Whether a sprite came from where it was by going, not by being put elsewhere."""
    (x, y), (former_x, former_y) = sprite.position, former
    return is_step(sprite, (x - former_x, y - former_y), (sprite.width, sprite.height))


def _stand(sprite: BasicSprite) -> Stand:
    return sprite.position, getattr(sprite, "angle", 0.0)


def _put(sprite: Any, former: Stand, stands: Stand) -> None:
    sprite.position = stands[0]
    if stands[1] != former[1]:  # sprites that cannot turn have no angle
        sprite.angle = stands[1]


def _part(fraction: float | None) -> float:
    # More than a step is left where Arcade takes no more than so many in a frame.
    return min(max(GLOBAL_FIXED_CLOCK.fraction if fraction is None else fraction, 0.0), 1.0)


def _each(sprites: Any) -> Iterator[Any]:
    if isinstance(sprites, BasicSprite):
        yield sprites
    else:
        for part in sprites:
            yield from _each(part)
