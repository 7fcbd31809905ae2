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

# Play 1,500 frames, and print the player's events, and the counts of the game.
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
print(json.dumps({"met": sorted(met)} | {
    name: getattr(game, name) for name in ("pushes", "crushes", "goals", "fired", "through", "frame", "life")
}))
"""


def played(seed: int, frames: int, folder: Path, runner: Runner = python_fork) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(said(runner("-c", PLAY, seed, frames, folder=folder)))
    return result


@pytest.mark.long
def test_a_seed_gives_the_same_game_to_the_bit_and_another_another(tmp_path: Path) -> None:
    one, again, other = (
        played(seed, 900, tmp_path, runner) for seed, runner in ((7, python), (7, python_fork), (8, python_fork))
    )
    assert one == again
    assert one["places"] != other["places"]
    assert one["hits"] != other["hits"]


@pytest.fixture(scope="module", params=some([0, 1, 2]))
def watched(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    run = python_fork("-c", WATCH, request.param, folder=tmp_path_factory.mktemp("watched"))
    told: dict[str, Any] = json.loads(said(run))
    return told


def test_autoplay_is_pushed_and_crushed_and_gets_home_and_no_bullet_gets_through(watched: dict[str, Any]) -> None:
    assert watched["frame"] == 1500
    assert watched["pushes"] > 0
    assert watched["crushes"] > 0
    assert watched["goals"] > 0
    assert watched["life"] > 1
    assert watched["fired"] > 90
    assert watched["through"] == 0


def test_autoplay_meets_every_kind_of_wall(watched: dict[str, Any]) -> None:
    assert watched["met"] == [
        "jumped up through a one-way platform",
        "lifted by the elevator",
        "pushed by a block",
    ]
