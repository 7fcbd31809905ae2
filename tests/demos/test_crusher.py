"""The demo game `crusher`. Each run has its own process: Arcade has one window per process, headless or not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scale import some
from screenless import Runner, python, python_fork, said

# Play a game, and print everything that could tell two games apart. JSON keeps floats bit-exact.
PLAY = """
import json, sys
from impinge_demos import stage

seed, frames = map(int, sys.argv[1:])
game = stage.play("crusher", stage.Options(autoplay=True, frames=frames, seed=seed))
print(json.dumps({**game.state(), **{
    name: getattr(game, name) for name in ("pushes", "crushes", "goals", "fired", "through", "frame", "life")
}}))
"""

# Play 1,500 frames, and print the player's events.
WATCH = """
import json, os, sys
os.environ["ARCADE_HEADLESS"] = "True"
import arcade
from impinge_demos import crusher

arcade.Window(crusher.WIDTH, crusher.HEIGHT)
game = crusher.Game(int(sys.argv[1]))
game.controls = game.autoplay()
met = set()
for _ in range(1500):
    game.on_fixed_update(1 / 60)
    if game.block in game.pushing:
        met.add("pushed by a block")
    if game.elevator in game.pushing:
        met.add("lifted by the elevator")
    if game.player.change_y > 0 and arcade.check_for_collision_with_list(game.player, game.one_way):
        met.add("jumped up through a one-way platform")
print(json.dumps(sorted(met)))
"""


def played(seed: int, frames: int, folder: Path, runner: Runner = python_fork) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(said(runner("-c", PLAY, seed, frames, folder=folder)))
    return result


def test_a_seed_gives_the_same_game_to_the_bit(tmp_path: Path) -> None:
    assert played(7, 900, tmp_path) == played(7, 900, tmp_path, python)


def test_another_seed_gives_another_game(tmp_path: Path) -> None:
    one, other = played(1, 300, tmp_path), played(2, 300, tmp_path)
    assert one["places"] != other["places"]
    assert one["hits"] != other["hits"]


@pytest.mark.parametrize("seed", some([0, 1, 2]))
def test_autoplay_is_pushed_and_crushed_and_gets_home_and_no_bullet_gets_through(seed: int, tmp_path: Path) -> None:
    game = played(seed, 1500, tmp_path)
    assert game["frame"] == 1500
    assert game["pushes"] > 0
    assert game["crushes"] > 0
    assert game["goals"] > 0
    assert game["life"] > 1
    assert game["fired"] > 90
    assert game["through"] == 0


@pytest.mark.parametrize("seed", some([0, 1, 2]))
def test_autoplay_meets_every_kind_of_wall(seed: int, tmp_path: Path) -> None:
    assert json.loads(said(python_fork("-c", WATCH, seed, folder=tmp_path))) == [
        "jumped up through a one-way platform",
        "lifted by the elevator",
        "pushed by a block",
    ]
