"""Levels with planted faults, made of boxes; each fault is known by hand."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

import impinge as im
from impinge_playtest import Area, Level, Platformer, TopDown, Track, level_from_world

__all__ = ["FLAG", "HERO", "JUMPER", "RUNNER", "Room", "shutting_door"]

# Its jumps rise by 13.0, 12.4, ... 0.4 in 22 frames: 147.4 in all.
JUMPER = Platformer(speed=5.0, jump=13.0, gravity=0.6)
RUNNER = TopDown(speed=5.0)
HERO = im.Box(20, 40)
FLAG = Area("flag", 740, 0, 760, 40)


class Room:
    """A closed room of 800 by 400 with the hero at its left, to be filled."""

    def __init__(self, *, floor: Iterable[tuple[float, float]] = ((0, 800),)) -> None:
        self.world = im.World()
        for left, right in floor:
            self.block(left, -20, right, 0)
        self.block(-20, -20, 0, 420)
        self.block(800, -20, 820, 420)
        self.block(-20, 400, 820, 420)
        self.tracks: dict[im.Body, Track] = {}

    def block(self, left: float, bottom: float, right: float, top: float) -> im.Body:
        """Add a block."""
        box = im.Box(right - left, top - bottom)
        return self.world.add(box, im.Pose((left + right) / 2, (bottom + top) / 2), might=1)

    def level(self, x: float = 60.0, y: float = 20.0, **parts: Any) -> Level:
        """Return the level."""
        hero = self.world.add(HERO, im.Pose(x, y), max_slope=0.8, step_height=5.0)
        given: dict[str, Any] = {"goals": [FLAG], "tracks": self.tracks, **parts}
        return level_from_world(self.world, hero, **given)


def shutting_door(room: Room, left: float) -> None:
    """Add a door, 20 wide and 100 high, that goes down to the floor and up again every 100 frames."""
    door = room.block(left, 100, left + 20, 200)
    heights = [150.0 - 2.0 * min(frame % 100, 100 - frame % 100) for frame in range(200)]
    room.tracks[door] = Track(np.array([(left + 10, height, 0.0) for height in heights]), 100)
