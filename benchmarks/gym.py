"""Env steps a second: the vector environments of `impinge_gym`, LunarLander of gymnasium, a loop over Arcade's engine.

The level is `impinge_gym.MEADOW`: a step is one frame of one copy, with its observation, reward and resets. The loop
plays the same level with the same keys on Arcade's own engine, and reads positions only. LunarLander takes part if
Box2D is installed (`pip install "gymnasium[box2d]"`): a world of one body with legs.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import warnings
from dataclasses import dataclass
from typing import Any

os.environ.setdefault("ARCADE_HEADLESS", "True")  # Arcade reads this variable at import

import arcade
import gymnasium
import numpy as np
from timing import Contender, compare, machine

import impinge as im
from impinge import runtime
from impinge_gym import MEADOW, PLATFORMER
from impinge_gym.level import AREA_LAYER, DEADLY_LAYER
from impinge_gym.observations import View
from impinge_gym.players import ACTIONS as NAMES

SEED = 1
ACTIONS = 97  # rows of actions, used over and over
HOLD = 8  # steps for which an action is held


@dataclass(frozen=True, slots=True)
class Size:
    """Size of the benchmark: copies of each table, environments of the loops, steps of a turn, and turns."""

    copies: tuple[int, ...]
    loops: int
    steps: int
    turns: int


FULL = Size(copies=(64, 4_096), loops=64, steps=32, turns=7)
QUICK = Size(copies=(8,), loops=2, steps=4, turns=2)


def actions(count: int, kinds: int) -> Any:
    """Return rows of random actions, each held for a while."""
    drawn = np.random.default_rng(SEED).integers(kinds, size=(ACTIONS // HOLD + 1, count))
    return np.repeat(drawn, HOLD, axis=0)[:ACTIONS]


def stepper(envs: Any, steps: int) -> Any:
    """Return a function that takes a number of steps in a vector of environments."""
    envs.reset(seed=SEED)
    rows = actions(envs.num_envs, int(envs.single_action_space.n))
    at = 0

    def run() -> None:
        nonlocal at
        for _ in range(steps):
            envs.step(rows[at % ACTIONS])
            at += 1

    return run


def ours(copies: int, view: View, threads: int, steps: int) -> Contender:
    """Return a vector environment on a fleet."""
    envs = gymnasium.make_vec("impinge/Platformer-v0", num_envs=copies, observation=view, threads=threads)
    name = f"VectorEnv, {copies:,} copies, {view}, {threads} thread{'s' * (threads > 1)}"
    return Contender(name, stepper(envs, steps), copies * steps)


class Alone:
    """One copy of the level on Arcade's engine."""

    def __init__(self) -> None:
        rule, world = PLATFORMER, MEADOW.world
        walls: arcade.SpriteList[arcade.Sprite] = arcade.SpriteList(use_spatial_hash=True)
        platforms: arcade.SpriteList[arcade.Sprite] = arcade.SpriteList()
        self.coins: arcade.SpriteList[arcade.Sprite] = arcade.SpriteList()
        for body in world:
            left, bottom, right, top = body.shape.bounds(body.pose)
            if body.index == MEADOW.player:
                continue
            sprite = arcade.SpriteSolidColor(right - left, top - bottom, (left + right) / 2, (bottom + top) / 2)
            if body.layer & (AREA_LAYER | DEADLY_LAYER):
                self.coins.append(sprite)
            elif body.index in MEADOW.tracks:
                path = MEADOW.tracks[body.index]
                sprite.change_x = path.poses[1, 0] - path.poses[0, 0]
                sprite.boundary_left, sprite.boundary_right = left, path.poses[:, 0].max() + (right - left) / 2
                platforms.append(sprite)
            else:
                walls.append(sprite)
        self.start = tuple(MEADOW.spawns[0].tolist())
        self.hero = arcade.SpriteSolidColor(*MEADOW.size, *self.start)
        self.engine = arcade.PhysicsEnginePlatformer(
            self.hero, platforms=platforms, gravity_constant=rule.gravity, walls=walls
        )
        self.rule = rule

    def step(self, action: int) -> tuple[float, float]:
        """Play a frame, and return where the player is."""
        hero = self.hero
        name = NAMES["platformer"][action]
        hero.change_x = self.rule.speed * (name.startswith("right") - name.startswith("left"))
        if "jump" in name and self.engine.can_jump():
            self.engine.jump(self.rule.jump)
        self.engine.update()
        arcade.check_for_collision_with_list(hero, self.coins)
        if hero.top < 0.0:
            hero.position, hero.velocity = self.start, (0.0, 0.0)
        return hero.position


def arcade_loop(count: int, steps: int) -> Contender:
    """Return a loop over games on Arcade's engine."""
    games, rows, at = [Alone() for _ in range(count)], actions(count, len(NAMES["platformer"])).tolist(), 0

    def run() -> None:
        nonlocal at
        for _ in range(steps):
            np.array([game.step(action) for game, action in zip(games, rows[at % ACTIONS], strict=True)])
            at += 1

    return Contender(f"a loop over {count} games on Arcade's engine", run, count * steps)


def lander(count: int, steps: int) -> list[Contender]:
    """Return gymnasium's LunarLander in its vector environment, if Box2D is installed."""
    if not importlib.util.find_spec("Box2D"):
        return []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Box2D's bindings use names that Python 3.12 deprecates
        envs = gymnasium.make_vec("LunarLander-v3", num_envs=count, vectorization_mode="sync")
    return [Contender(f"LunarLander on Box2D, {count} in a vector", stepper(envs, steps), count * steps)]


def rays(copies: int) -> list[Contender]:
    """Return the rays of an observation, and the same ones asked of a few worlds."""
    fleet = im.Fleet(MEADOW.world, copies)
    starts = np.random.default_rng(SEED).uniform((0.0, 64.0), (1_500.0, 250.0), (copies, 1, 2))
    angles = np.arange(16) * np.pi / 8
    ends = starts + 256.0 * np.column_stack((np.cos(angles), np.sin(angles)))
    few = min(copies, 4)
    worlds, begins, tips = [fleet[number] for number in range(few)], starts[:few, 0].tolist(), ends[:few].tolist()

    def loop() -> None:
        for world, start, end in zip(worlds, begins, tips, strict=True):
            for tip in end:
                world.along(start, tip)

    loop()
    return [
        Contender(f"Fleet.cast_rays, {copies:,} copies", lambda: fleet.cast_rays(starts, ends), copies * 16),
        Contender("a loop over World.along", loop, few * 16),
    ]


def main(size: Size) -> None:
    """Print a table for each number of copies, and one of rays."""
    threads = len(os.sched_getaffinity(0))
    print(machine("gymnasium", "arcade"))
    for copies in size.copies:
        views: tuple[View, ...] = ("rays", "tiles", "positions")
        rows = [ours(copies, "rays", 1, size.steps)] if threads > 1 else []
        rows = [*(ours(copies, view, threads, size.steps) for view in views), *rows]
        rows += [*lander(size.loops, size.steps), arcade_loop(size.loops, size.steps)]
        seconds = compare(f"A step of one of {copies:,} copies of a level", "an env step", rows, size.turns)
        rates = (f"{1.0 / each:,.0f} ({row.name})" for each, row in zip(seconds, rows, strict=True))
        print("\nSteps a second:", "; ".join(rates))
    compare("A ray of 16 in each copy", "a ray", rays(size.copies[-1]), size.turns)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="take a moment; the figures mean nothing")
    runtime.prepare()
    main(QUICK if parser.parse_args().quick else FULL)
