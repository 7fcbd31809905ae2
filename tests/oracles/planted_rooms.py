"""Levels with planted faults, made of boxes; each fault is known by hand. And the report of one, as bytes."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

import impinge as im
from impinge_playtest import Area, Exploration, Level, Platformer, TopDown, Track, explore, level_from_world

__all__ = ["FLAG", "HERO", "JUMPER", "RUNNER", "Room", "busy_level", "explore_busily", "report_files", "shutting_door"]

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


def busy_level() -> Level:
    """Return a level with findings of most kinds: a door, a hole, a pit."""
    room = Room(floor=((0, 620), (660, 800)))
    shutting_door(room, 150)
    for left, height in ((230, 70), (280, 130), (330, 190)):
        room.block(left, 0, left + 50, height)
    room.block(560, 0, 600, 190)
    coins = [Area("low", 30, 50, 40, 60), Area("high", 450, 390, 460, 399)]
    return room.level(coins=coins, border=Area("border", -20, -20, 820, 420))


def explore_busily(level: Level, **options: Any) -> Exploration:
    """Explore the busy level with cells so small that rounds have several shards."""
    return explore(level, JUMPER, **{"frames": 250_000, "seed": 5, "cell_size": 4.0, **options})


def report_files(found: Exploration, folder: Path) -> dict[str, bytes]:
    """Return the names and the content of all files of a report."""
    from impinge_playtest.report import write_report  # only reports need Pillow

    write_report(found, folder)
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
