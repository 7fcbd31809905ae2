"""Players of a fleet against the walker of the Arcade adapter: the same inputs lead to the same places."""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np
import pytest

os.environ.setdefault("ARCADE_HEADLESS", "True")  # Arcade reads this variable at import
import arcade

import impinge_gym
from impinge import Box, Side
from impinge_arcade import Jump, PushEngine, Walker
from impinge_gym.game import Game
from impinge_gym.players import ACTIONS
from impinge_playtest.moves import VY
from scale import some

TILE = 32.0
COPIES = 5
ROWS = [
    "....................",
    "....................",
    "..........##........",
    "......==......#.....",
    "@..#.....##...#....#",
    "######...########.##",
]


class Alone:
    """One player in Arcade, on the same level."""

    def __init__(self, rule: impinge_gym.Platformer, ferry: np.ndarray) -> None:
        walls, planks = arcade.SpriteList(), arcade.SpriteList()
        for row, line in enumerate(reversed(ROWS)):
            for column, letter in enumerate(line):
                at = (column + 0.5) * TILE, (row + 0.5) * TILE
                if letter in "#=":
                    (walls if letter == "#" else planks).append(arcade.SpriteSolidColor(TILE, TILE, *at))
        self.hero = arcade.SpriteSolidColor(0.5 * TILE, 0.75 * TILE, 0.5 * TILE, (1.0 + 0.375) * TILE)
        self.ferry, self.path, self.frame = arcade.SpriteSolidColor(2 * TILE, 0.5 * TILE, *ferry[0]), ferry, 0
        self.engine = PushEngine(weak=self.hero)
        self.engine.add(walls, might=1, carrying=Side.TOP)
        self.engine.add(planks, might=1, carrying=Side.TOP, passable=Side.LEFT | Side.RIGHT | Side.BOTTOM)
        self.engine.add(self.ferry, might=1, carrying=Side.TOP, sticky=Side.TOP)
        self.jump = Jump(rule.jump, coyote=rule.coyote, buffer=rule.buffer, times=rule.jumps, cut=rule.cut)
        self.walker = Walker(self.engine, self.hero, self.jump, gravity=rule.gravity, max_fall=rule.max_fall)
        self.rule, self.is_held = rule, False

    def step(self, action: int) -> tuple[float, float]:
        """Press and release the keys of an action, and return where the player is a frame later."""
        name = ACTIONS["platformer"][action]
        is_held = "jump" in name
        if is_held and not self.is_held:
            self.jump.press()
        elif self.is_held and not is_held:
            self.jump.release()
        self.is_held = is_held
        self.walker.run(self.rule.speed * (name.startswith("right") - name.startswith("left")))
        self.frame += 1
        now, then = self.path[(self.frame - 1) % len(self.path)], self.path[self.frame % len(self.path)]
        self.ferry.change_x, self.ferry.change_y = then - now
        self.engine.update()
        return self.hero.position


@pytest.mark.parametrize("jumps", some([2, 1]))
def test_players_move_as_walkers_of_arcade_do(jumps: int) -> None:
    # It comes up through the floor, and lifts what stands there.
    ferry = impinge_gym.there_and_back((1.5 * TILE, 0.0), (4.0 * TILE, 2.0 * TILE), 50)
    level = impinge_gym.level_of_rows(ROWS, tile=TILE, movers=[(Box(2 * TILE, 0.5 * TILE), ferry)])
    rule = replace(impinge_gym.PLATFORMER, coyote=3, jumps=jumps, cut=0.4, max_fall=9.0)
    game = Game(level, rule, COPIES)
    others = [Alone(rule, ferry.poses[:, :2]) for _ in range(COPIES)]
    random = np.random.default_rng(7)
    actions = np.full(COPIES, 2)
    rises = rides = 0
    for _ in range(500):
        # An action lasts a while, mostly to the right at first.
        actions = np.where(random.random(COPIES) < 0.2, random.choice([0, 1, 2, 4, 5, 5, 3], COPIES), actions)
        game.step(actions)
        expected = np.array([other.step(action) for other, action in zip(others, actions, strict=True)])
        np.testing.assert_allclose(game.positions, expected, rtol=0.0, atol=1e-6)
        rises += int(np.count_nonzero(game.players.states[:, VY] > rule.jump - 0.1))
        rides += int(np.count_nonzero(game.contacts.floor_rise))
    assert rises > 30
    assert rides > 20


def test_a_walk_from_above_goes_to_eight_sides_at_one_speed() -> None:
    game = Game(impinge_gym.level_of_rows(["@"], from_above=True), replace(impinge_gym.TOP_DOWN, speed=5.0), 9)
    before = game.positions.copy()
    game.step(np.arange(9))
    way = game.positions - before
    assert way[0].tolist() == [0.0, 0.0]
    np.testing.assert_allclose(np.hypot(*way[1:].T), 5.0)
    np.testing.assert_allclose(np.arctan2(way[1:, 1], way[1:, 0]) % (2 * np.pi), np.arange(8) * np.pi / 4, atol=1e-12)
