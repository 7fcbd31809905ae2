"""The script that plays `swarm`: wait at a press, go through when it opens, and on to the lit home."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from impinge_demos.controls import Controls

if TYPE_CHECKING:
    from impinge_demos.swarm import Game, Places

__all__ = ["Bot"]

GATE = 150.0  # x, in front of the first press
YARD = 300.0  # x, behind it
SHARE = 0.3  # part of the swarm that must have arrived before the lantern goes on
PATIENCE = 150  # frames after which the lantern goes on anyway


class Bot:
    """Controls that play `swarm`."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.script: Iterator[Controls] = iter(())

    def __call__(self) -> Controls:
        """Return the controls for the next frame."""
        controls = next(self.script, None)
        if controls is None:
            self.script = self.lead()
            controls = next(self.script)
        return controls

    def lead(self) -> Iterator[Controls]:
        """Lead the swarm from the nursery to the lit home."""
        middle = 300.0
        yield from self.go(GATE, middle)
        yield from self.wait(lambda places: places[:, 0] > 90)
        yield from self.go(YARD, middle)
        yield from self.wait(lambda places: places[:, 0] > 225)
        yield from self.go(640, middle)
        yield from self.wait(lambda places: places[:, 0] > 560)
        yield from self.go(790, middle)
        yield from self.wait(lambda places: places[:, 0] > 720)
        home = self.game.lit
        yield from self.go(950, (480.0, 300.0, 120.0)[home])
        for _ in range(PATIENCE):
            if self.game.lit != home:
                return
            yield Controls()

    def go(self, x: float, y: float) -> Iterator[Controls]:
        """Carry the lantern to a place."""
        while max(abs(x - self.game.lantern[0]), abs(y - self.game.lantern[1])) > 1:
            away_x, away_y = x - self.game.lantern[0], y - self.game.lantern[1]
            yield Controls(min(max(away_x / 8, -1.0), 1.0), min(max(away_y / 8, -1.0), 1.0))

    def wait(self, arrived: Callable[[Places], NDArray[np.bool_]]) -> Iterator[Controls]:
        """Stand still until enough agents have arrived."""
        for _ in range(PATIENCE):
            if arrived(self.game.places).mean() > SHARE:
                return
            yield Controls()
