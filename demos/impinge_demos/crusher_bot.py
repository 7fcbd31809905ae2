"""The script that plays `crusher`. It reacts to the state of the game, so it works with every seed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from impinge import Side
from impinge_demos.controls import Controls

if TYPE_CHECKING:
    from impinge_demos.crusher import Game

__all__ = ["Bot"]

TILE = 48
NEAR = 4.0  # pixels: one frame of walking


class Bot:
    """Controls that play `crusher`. In its first life it walks under the press; later it waits for the press."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.life = 0
        self.script: Iterator[Controls] = iter(())

    def __call__(self) -> Controls:
        """Return the controls for the next frame."""
        if self.life != self.game.life:
            self.life = self.game.life
            self.script = self.live()
        return next(self.script, Controls())

    def live(self) -> Iterator[Controls]:
        """Play the level for one life."""
        game = self.game
        if game.life == 1:
            yield from self.walk_to(5 * TILE)
            yield from self.wait_until(lambda: game.block in game.pushing, 120)
            yield from self.wait_until(lambda: game.block not in game.pushing, 30)
        yield from self.climb_to(6.2 * TILE, 3 * TILE, reach=0.5 * TILE)
        if game.life > 1:
            yield from self.climb_to(3.2 * TILE, 5 * TILE, reach=2.5 * TILE)
            yield from self.walk_to(2.5 * TILE)
        yield from self.walk_to(8.4 * TILE)
        yield from self.wait_until(lambda: game.elevator.top <= TILE and game.elevator.step < 20)
        yield from self.walk_to(10 * TILE)
        yield from self.wait_until(lambda: game.elevator.top >= 7 * TILE)
        yield from self.walk_to(13.2 * TILE)
        if game.life == 1:
            yield from self.walk_to(15 * TILE, hurry=False)
            yield from self.wait_until(lambda: False)
        yield from self.wait_until(lambda: game.press.change_y > 0 and game.press.bottom > 8.5 * TILE)
        yield from self.walk_to(19.8 * TILE)
        yield from self.walk_to(20.5 * TILE)

    def walk_to(self, x: float, hurry: bool = True) -> Iterator[Controls]:
        """Walk to a place. In a hurry, jump over obstacles."""
        while (walk := self.way_to(x)) != 0.0:
            yield Controls(walk, first=hurry and self.is_blocked(walk))

    def climb_to(self, x: float, height: float, reach: float) -> Iterator[Controls]:
        """Walk to a place and jump once it is in reach, until the player stands at this height."""
        while not (self.game.grounded and self.game.player.bottom >= height - 1):
            walk = self.way_to(x)
            yield Controls(walk, first=self.is_blocked(walk) or abs(x - self.game.player.center_x) < reach)

    def way_to(self, x: float) -> float:
        """Return the direction to a place: -1 to the left, 1 to the right, 0 when it is reached."""
        distance = x - self.game.player.center_x
        return 0.0 if abs(distance) <= NEAR else 1.0 if distance > 0 else -1.0

    def is_blocked(self, walk: float) -> bool:
        """Return whether something blocks the player in this direction."""
        ahead = Side.RIGHT if walk > 0 else Side.LEFT if walk < 0 else Side.NONE
        return bool(ahead & self.game.engine.blocked(self.game.player))

    def wait_until(self, condition: Callable[[], bool], patience: int = 10_000) -> Iterator[Controls]:
        """Stand still until a condition holds, or for `patience` frames."""
        for _ in range(patience):
            if condition():
                return
            yield Controls()
