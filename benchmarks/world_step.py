"""Time of a frame of many movers among many tiles: `World.step`, Pymunk's `Space.step`, and Arcade's simple engine.

They solve different problems. Pymunk's bodies have mass, and both others test only the end of a motion, so fast
movers tunnel. So the table also gives the movers that were stopped, and those outside the world's walls.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, replace

import numpy as np
import pymunk
from numpy.typing import NDArray
from timing import Contender, compare, machine

import impinge as im
from impinge import runtime
from impinge.kernels import columns as col

os.environ.setdefault("ARCADE_HEADLESS", "True")  # Arcade reads it at import
import arcade

SEED = 1
TILE = 32.0  # pixels, like all lengths here
MOVER = 24.0
COVERED = 0.2  # part of a strewn world's cells that has a tile
FLOOR_LENGTH = 100  # tiles of a floor
FLOOR_HEIGHT = 4 * TILE  # distance between floors

Vectors = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Size:
    """Size of the benchmark: movers and tiles, those of the growing worlds, Arcade's movers, and turns."""

    movers: int
    tiles: int
    growth: tuple[tuple[int, int], ...]
    arcade_movers: int
    turns: int


FULL = Size(
    movers=1_000,
    tiles=10_000,
    growth=((1_000, 10_000), (10_000, 10_000), (1_000, 100_000), (10_000, 100_000)),
    arcade_movers=10,
    turns=100,
)
QUICK = Size(movers=20, tiles=400, growth=((20, 400), (40, 400)), arcade_movers=2, turns=3)


@dataclass(frozen=True, slots=True)
class Scene:
    """Tiles, and movers with their velocities in pixels a frame.

    `rebound` is the factor of a velocity on the axis on which its mover was stopped: -1 turns the mover round,
    1 lets it press on.
    """

    tiles: Vectors
    movers: Vectors
    velocities: Vectors
    rebound: tuple[float, float] = (-1.0, -1.0)


def strewn(movers: int, tiles: int, fastest: float) -> Scene:
    """Return a square with tiles in random cells and along its border; movers begin in free cells."""
    random = np.random.default_rng(SEED)
    side = int(np.ceil(np.sqrt(tiles / COVERED)))
    cells = np.stack(np.meshgrid(np.arange(side), np.arange(side)), axis=-1).reshape(-1, 2)
    at_border = ((cells == 0) | (cells == side - 1)).any(axis=1)
    inner = random.permutation(cells[~at_border])
    count = tiles - int(at_border.sum())
    return Scene(
        TILE * np.concatenate((cells[at_border], inner[:count])),
        TILE * inner[count : count + movers],
        random.uniform(-fastest, fastest, (movers, 2)),
    )


def platformer(movers: int, tiles: int) -> Scene:
    """Return floors with a tile at both ends of each. Movers stand on them, are pulled down, and walk to and fro."""
    random = np.random.default_rng(SEED)
    floors = np.arange(tiles // FLOOR_LENGTH)
    columns = np.concatenate((np.arange(FLOOR_LENGTH - 2), (0, FLOOR_LENGTH - 3)))
    raised = np.repeat((0.0, TILE), (FLOOR_LENGTH - 2, 2))
    xs, ys = np.tile(TILE * columns, len(floors)), np.add.outer(FLOOR_HEIGHT * floors, raised).ravel()
    places = random.uniform(2 * TILE, TILE * (FLOOR_LENGTH - 5), movers)
    heights = FLOOR_HEIGHT * random.choice(floors, movers) + 0.5 * (TILE + MOVER)
    walking = random.uniform(1.0, 4.0, movers) * random.choice((-1.0, 1.0), movers)
    return Scene(
        np.stack((xs, ys), axis=1),
        np.stack((places, heights), axis=1),
        np.stack((walking, np.full(movers, -1.0)), axis=1),
        rebound=(-1.0, 1.0),
    )


class Game:
    """The part of a game between two frames: read the movers' positions, turn stopped movers round, set new goals.

    A mover counts as stopped if it moved by less than half its velocity on an axis. A mover beyond the outermost tiles
    has tunnelled, and is sent back. None of this is timed, and it is the same for all contenders.
    """

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.low, self.high = scene.tiles.min(axis=0), scene.tiles.max(axis=0)
        self.places = scene.movers
        self.velocities = scene.velocities
        self.goals = scene.movers + scene.velocities
        self.frames = 0
        self.stopped = 0
        self.outside = 0

    def steer(self, places: Vectors) -> None:
        """Compare the movers' positions with their velocities, and set the next velocities and goals."""
        speeds = np.abs(self.velocities)
        stopped = (places - self.places) * np.sign(self.velocities) < 0.5 * speeds
        velocities = np.where(stopped, self.scene.rebound, 1.0) * self.velocities
        self.velocities = np.where(places < self.low, speeds, np.where(places > self.high, -speeds, velocities))
        self.frames += 1
        self.stopped += int(stopped.any(axis=1).sum())
        self.outside += int(((places < self.low) | (places > self.high)).any(axis=1).sum())
        self.places, self.goals = places, places + self.velocities

    def a_frame(self, total: int) -> float:
        """Return the mean of a total over frames and movers."""
        return total / (self.frames * len(self.places))

    def work(self) -> str:
        """Return how many movers were stopped, and how many were outside."""
        return f"{100 * self.a_frame(self.stopped):.0f} % stopped, {100 * self.a_frame(self.outside):.0f} % outside"


class ImpingeGame(Game):
    """`World.set_goals` and `World.step`."""

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        self.world = im.World()
        for x, y in scene.tiles.tolist():
            self.world.add(im.Box(TILE, TILE), im.Pose(x, y), might=1)
        movers = [self.world.add(im.Box(MOVER, MOVER), im.Pose(x, y)) for x, y in scene.movers.tolist()]
        self.rows = np.array([mover.index for mover in movers])
        self.events = 0
        self.counts = np.zeros(col.COUNT_COLUMNS, np.int64)

    def run(self) -> None:
        """Take one frame."""
        self.world.set_goals(self.rows, self.goals)
        self.frame = self.world.step()

    def after(self) -> None:
        """Count events and work, and set the next goals."""
        self.events += len(self.frame.events)
        # The counters are not public, but unlike times they are the same on every machine.
        self.counts += self.world._state.counts
        self.steer(self.world.positions(self.rows))

    def work(self) -> str:
        """Return also the work for a mover in a frame: broadphase candidates, turns of the event loop, events."""
        near, turns = (self.a_frame(self.counts[column]) for column in (col.NEAR_TOTAL, col.TURN_TOTAL))
        events = self.a_frame(self.events)
        return f"{super().work()}; a mover: {near:.2f} neighbours, {turns:.2f} turns, {events:.2f} events"


class PymunkGame(Game):
    """`Space.step`: dynamic boxes that cannot turn or collide with each other, like weak bodies of a `World`."""

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        self.space = pymunk.Space()
        half = 0.5 * TILE
        for x, y in scene.tiles.tolist():
            corners = [(x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half)]
            self.space.add(pymunk.Poly(self.space.static_body, corners))
        self.bodies = []
        for place in scene.movers.tolist():
            body = pymunk.Body(mass=1.0, moment=float("inf"))
            body.position = tuple(place)
            box = pymunk.Poly.create_box(body, (MOVER, MOVER))
            box.filter = pymunk.ShapeFilter(group=1)
            self.space.add(body, box)
            self.bodies.append(body)
        self.set_off()

    def set_off(self) -> None:
        """Set the velocities of the movers."""
        for body, velocity in zip(self.bodies, self.velocities.tolist(), strict=True):
            body.velocity = tuple(velocity)

    def run(self) -> None:
        """Take one frame."""
        self.space.step(1.0)

    def after(self) -> None:
        """Read the positions, and set the next velocities."""
        self.steer(np.array([body.position for body in self.bodies]))
        self.set_off()


class ArcadeGame(Game):
    """`arcade.PhysicsEngineSimple`, one for each mover, with a spatial hash over the walls."""

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        walls: arcade.SpriteList[arcade.Sprite] = arcade.SpriteList(use_spatial_hash=True)
        for x, y in scene.tiles.tolist():
            walls.append(arcade.SpriteSolidColor(int(TILE), int(TILE), x, y))
        self.engines = [
            arcade.PhysicsEngineSimple(arcade.SpriteSolidColor(int(MOVER), int(MOVER), x, y), walls)
            for x, y in scene.movers.tolist()
        ]
        self.set_off()

    def set_off(self) -> None:
        """Set the velocities of the movers."""
        for engine, velocity in zip(self.engines, self.velocities.tolist(), strict=True):
            engine.player_sprite.velocity = tuple(velocity)

    def run(self) -> None:
        """Take one frame."""
        for engine in self.engines:
            engine.update()

    def after(self) -> None:
        """Read the positions, and set the next velocities."""
        self.steer(np.array([engine.player_sprite.position for engine in self.engines]))
        self.set_off()


def contender(name: str, game: ImpingeGame | PymunkGame | ArcadeGame) -> Contender:
    return Contender(name, game.run, len(game.scene.movers), game.after, game.work)


def compare_on(title: str, scene: Scene, size: Size) -> None:
    few = replace(scene, movers=scene.movers[: size.arcade_movers], velocities=scene.velocities[: size.arcade_movers])
    compare(
        f"{title}: {size.movers:,} movers, {size.tiles:,} tiles",
        "a mover",
        [
            contender("impinge.World", ImpingeGame(scene)),
            contender("pymunk.Space", PymunkGame(scene)),
            contender(f"arcade.PhysicsEngineSimple, {size.arcade_movers} movers", ArcadeGame(few)),
        ],
        size.turns,
    )


def compare_growth(size: Size) -> None:
    compare(
        "impinge.World as the strewn world grows, at the same density",
        "a mover",
        [
            contender(f"{movers:,} movers, {tiles:,} tiles", ImpingeGame(strewn(movers, tiles, MOVER)))
            for movers, tiles in size.growth
        ],
        size.turns // 2 + 1,
    )


def main(size: Size) -> None:
    runtime.prepare()
    print(machine("pymunk", "arcade"))
    compare_on("top-down, up to their size a frame", strewn(size.movers, size.tiles, MOVER), size)
    compare_on("platformer, all stand and walk", platformer(size.movers, size.tiles), size)
    compare_on("fast, up to 30 times their size a frame", strewn(size.movers, size.tiles, 30 * MOVER), size)
    compare_growth(size)
    print("\nNot measured: bump.lua on LuaJIT took 2.9 µs a move on a comparable machine.")


if __name__ == "__main__":
    main(QUICK if "--quick" in sys.argv[1:] else FULL)
