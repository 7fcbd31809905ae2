"""Time of an update of `PushEngine`, and of `arcade.PhysicsEngineSimple` with the same sprites and walls.

Arcade's engine moves one player, so each of many players has its own engine. It does not move walls.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from timing import Contender, compare, machine

from impinge import runtime

os.environ.setdefault("ARCADE_HEADLESS", "True")  # Arcade reads it at import
import arcade

from impinge_arcade import PushEngine

WALL = 64  # pixels, like all lengths here
PLAYER = 32
ON_THE_FLOOR = 0.5 * (WALL + PLAYER)
IN_THE_AIR = 4.0 * WALL
STEPS = 8  # updates in one direction, then as many back

Velocity = tuple[float, float]
Walls = arcade.SpriteList[arcade.Sprite]
Engine = PushEngine | arcade.PhysicsEngineSimple


@dataclass(frozen=True, slots=True)
class Size:
    """Size of the benchmark: walls, players, and turns with one player and with many."""

    walls: int
    players: int
    turns: int
    turns_of_many: int


FULL = Size(walls=200, players=200, turns=300, turns_of_many=60)
QUICK = Size(walls=20, players=10, turns=3, turns_of_many=3)


def push_engine(players: list[arcade.Sprite], walls: Walls) -> list[Engine]:
    return [PushEngine(weak=players, mighty=walls)]


def simple_engines(players: list[arcade.Sprite], walls: Walls) -> list[Engine]:
    return [arcade.PhysicsEngineSimple(player, walls) for player in players]


class Level:
    """A row of walls with players above it, and their engines."""

    def __init__(
        self,
        walls: int,
        players: int,
        height: float,
        engines: Callable[[list[arcade.Sprite], Walls], list[Engine]],
        *,
        spatial_hash: bool = False,
    ) -> None:
        self.walls: Walls = arcade.SpriteList(use_spatial_hash=spatial_hash)
        self.walls.extend(arcade.SpriteSolidColor(WALL, WALL, WALL * i, 0) for i in range(walls))
        # In the middle, one wall apart: no player reaches an end of the row.
        first = 0.5 * WALL * (walls - players)
        self.players: list[arcade.Sprite] = [
            arcade.SpriteSolidColor(PLAYER, PLAYER, first + WALL * i, height) for i in range(players)
        ]
        self.engines = engines(self.players, self.walls)
        self.courses: list[tuple[arcade.Sprite, Velocity]] = []
        self.touched: list[Sequence[object]] = []
        self.updates = 0
        self.touches = 0

    def send(self, sprites: Iterable[arcade.Sprite], velocity: Velocity) -> None:
        """Make sprites move to and fro on the x axis."""
        self.courses += [(sprite, velocity) for sprite in sprites]
        self.set_off()

    def set_off(self) -> None:
        """Set velocities for the next update, as games do: Arcade's engine sets those of blocked sprites to 0."""
        direction = 1 if self.updates // STEPS % 2 == 0 else -1
        for sprite, (x, y) in self.courses:
            sprite.velocity = (direction * x, y)

    def update(self) -> None:
        """Update all engines."""
        self.touched = [engine.update() for engine in self.engines]

    def after(self) -> None:
        """Count the contacts, and set the next velocities."""
        self.updates += 1
        self.touches += sum(map(len, self.touched))
        self.set_off()

    def contender(self, name: str) -> Contender:
        """Return this level as a contender."""
        return Contender(name, self.update, 1, self.after, lambda: f"{self.touches / self.updates:.1f} touches")


def compare_engines(title: str, walls: int, players: int, height: float, velocity: Velocity, turns: int) -> None:
    contenders = []
    for name, engines in (("PushEngine", push_engine), ("PhysicsEngineSimple", simple_engines)):
        for kind, spatial_hash in (("plain list", False), ("spatial hash", True)):
            level = Level(walls, players, height, engines, spatial_hash=spatial_hash)
            level.send(level.players, velocity)
            contenders.append(level.contender(f"{name}, {kind}"))
    compare(f"{title}, {walls} walls", "an update", contenders, turns)


def compare_moving_walls(size: Size) -> None:
    contenders = []
    for kind, spatial_hash in (("plain list", False), ("spatial hash", True)):
        level = Level(size.walls, 1, ON_THE_FLOOR, push_engine, spatial_hash=spatial_hash)
        level.send(level.players, (0.0, -1.0))
        level.send(level.walls, (1.0, 0.0))
        contenders.append(level.contender(f"PushEngine, {kind}"))
    compare(f"1 player rides, {size.walls} walls move", "an update", contenders, size.turns)


def shooting(walls: int, name: str, *, spatial_hash: bool) -> Contender:
    """Return a player that stands, and shots that push the walls; the last one leaves before every other update."""
    level = Level(walls, 1, ON_THE_FLOOR, push_engine, spatial_hash=spatial_hash)
    shots: Walls = arcade.SpriteList()
    for engine in level.engines:
        assert isinstance(engine, PushEngine)
        engine.add(shots, might=2)

    def after() -> None:
        level.after()
        if shots:
            shots.clear()
        else:
            shots.append(arcade.SpriteSolidColor(8, 8, 0, 2 * IN_THE_AIR))

    return Contender(name, level.update, 1, after)


def compare_shots(size: Size) -> None:
    kinds = (("plain list", False), ("spatial hash", True))
    contenders = [shooting(size.walls, f"PushEngine, {kind}", spatial_hash=hashed) for kind, hashed in kinds]
    title = f"1 player stands, {size.walls} walls, a list of shots that push them empties or fills"
    compare(title, "an update", contenders, size.turns_of_many)


def main(size: Size) -> None:
    runtime.prepare()
    print(machine("arcade"))
    compare_engines("1 player in the air", size.walls, 1, IN_THE_AIR, (3.0, 0.0), size.turns)
    compare_engines("1 player stands", size.walls, 1, ON_THE_FLOOR, (0.0, -1.0), size.turns)
    compare_engines("1 player slides along the floor", size.walls, 1, ON_THE_FLOOR, (3.0, -1.0), size.turns)
    many = f"{size.players} players slide along the floor"
    for walls in (size.walls, size.walls // 2):
        compare_engines(many, walls, size.players, ON_THE_FLOOR, (3.0, -1.0), size.turns_of_many)
    compare_moving_walls(size)
    compare_shots(size)


if __name__ == "__main__":
    main(QUICK if "--quick" in sys.argv[1:] else FULL)
