"""Play one of Pymunk's own examples without a screen: `play_example.py NAME FRAMES PICTURE [continuous]`.

The script presses keys and clicks the mouse as the frames go by. With `continuous`, each space that the example makes
has continuous steps; the example itself is unchanged. Prints how many spaces it made, and where their bodies ended.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import runpy
import sys
from typing import Any

os.environ.update(SDL_VIDEODRIVER="dummy", SDL_AUDIODRIVER="dummy", PYGAME_HIDE_SUPPORT_PROMPT="1")

import pygame
import pymunk
import pymunk.pygame_util

from impinge_pymunk import continuous

KEYS = [pygame.K_SPACE, pygame.K_UP, pygame.K_LEFT, pygame.K_RIGHT, pygame.K_f, pygame.K_j]


class Over(BaseException):
    """Signal that enough frames have been played. It is no `Exception`, as examples catch those."""


class Player:
    """Count the frames, and send input."""

    def __init__(self, frames: int, picture: str) -> None:
        self.frames, self.picture, self.shown = frames, picture, 0
        self.flip = pygame.display.flip

    def show(self, *areas: Any) -> None:
        """Replace `pygame.display.flip`."""
        self.flip()
        self.shown += 1
        if self.shown >= self.frames:
            pygame.image.save(pygame.display.get_surface(), self.picture)
            raise Over
        if self.shown % 20 == 5:
            key, place = KEYS[self.shown // 20 % len(KEYS)], (200 + self.shown % 200, 150)
            for kind in (pygame.KEYDOWN, pygame.KEYUP):
                pygame.event.post(pygame.event.Event(kind, key=key, mod=0, unicode=""))
            for kind in (pygame.MOUSEBUTTONDOWN, pygame.MOUSEBUTTONUP):
                pygame.event.post(pygame.event.Event(kind, button=1, pos=place))

    def mouse(self) -> tuple[int, int]:
        """Replace `pygame.mouse.get_pos`."""
        return 300 + self.shown % 100, 200


class Clock:
    """A clock on which each frame takes exactly one frame's time."""

    def tick(self, *rate: float) -> int:
        return 16

    def get_fps(self) -> float:
        return 60.0

    def get_time(self) -> int:
        return 16


def main(name: str, frames: int, picture: str, is_continuous: bool) -> None:
    spaces: list[pymunk.Space] = []
    begin = pymunk.Space.__init__

    def begin_noted(space: pymunk.Space, *arguments: Any, **options: Any) -> None:
        begin(space, *arguments, **options)
        spaces.append(space)
        if is_continuous:
            continuous(space)

    changed: Any = pymunk.Space
    changed.__init__ = begin_noted
    player = Player(frames, picture)
    pygame.display.flip = player.show
    pygame.display.update = player.show
    pygame.mouse.get_pos = player.mouse
    pygame.time.Clock = Clock  # type: ignore[misc, assignment]
    pygame.time.get_ticks = lambda: 16 * player.shown
    random.seed(1)
    with contextlib.suppress(Over, SystemExit):
        runpy.run_module(f"pymunk.examples.{name}", run_name="__main__")
    places = [(*body.position, body.angle) for space in spaces for body in space.bodies]
    json.dump({"spaces": len(spaces), "frames": player.shown, "places": places}, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3], "continuous" in sys.argv[4:])
