"""The crusher game. Each run has its own process: Arcade has one window, and is headless for good or not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import PIL.Image
import pytest

# Plays a game, and prints all that could tell two games apart. Floats go through JSON to the bit.
PLAY = """
import json, sys
from impinge_demos import stage

seed, frames = map(int, sys.argv[1:])
game = stage.play("crusher", stage.Options(autoplay=True, frames=frames, seed=seed))
places = [sprite.position for sprite in (game.player, *game.movers, *game.coins)]
hits = [(hit.x, hit.y, hit.frame) for hit in game.hits]
print(json.dumps({"places": places, "hits": hits, **{
    name: getattr(game, name) for name in ("pushes", "crushes", "goals", "fired", "through", "frame", "life")
}}))
"""

# Plays 1,500 frames, and prints what the player met on the way.
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


def python(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run Python in a folder, on a machine that has no screen."""
    environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)


def played(seed: int, frames: int, folder: Path) -> dict[str, Any]:
    run = python("-c", PLAY, str(seed), str(frames), folder=folder)
    assert run.returncode == 0, run.stderr
    result: dict[str, Any] = json.loads(run.stdout)
    return result


def test_a_seed_gives_the_same_game_to_the_bit(tmp_path: Path) -> None:
    assert played(7, 900, tmp_path) == played(7, 900, tmp_path)


def test_another_seed_gives_another_game(tmp_path: Path) -> None:
    one, other = played(1, 300, tmp_path), played(2, 300, tmp_path)
    assert one["places"] != other["places"]
    assert one["hits"] != other["hits"]


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_autoplay_is_pushed_and_crushed_and_gets_home_and_no_bullet_gets_through(seed: int, tmp_path: Path) -> None:
    game = played(seed, 1500, tmp_path)
    assert game["frame"] == 1500
    assert game["pushes"] > 0
    assert game["crushes"] > 0
    assert game["goals"] > 0
    assert game["life"] > 1
    assert game["fired"] > 90
    assert game["through"] == 0


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_autoplay_meets_every_kind_of_wall(seed: int, tmp_path: Path) -> None:
    run = python("-c", WATCH, str(seed), folder=tmp_path)
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout) == [
        "jumped up through a one-way platform",
        "lifted by the elevator",
        "pushed by a block",
    ]


def test_without_a_screen_it_plays_itself_and_saves_a_picture(tmp_path: Path) -> None:
    run = python("-m", "impinge_demos", "crusher", folder=tmp_path)
    assert run.returncode == 0, run.stderr
    assert "600 frames" in run.stdout
    assert "0 through the wall" in run.stdout
    assert "no screen" in run.stdout
    assert "crusher.png" in run.stdout
    picture = tmp_path / "crusher.png"
    assert picture.stat().st_size < 300_000
    with PIL.Image.open(picture) as image:
        assert image.size == (1008, 624)
        assert len(image.convert("RGB").getcolors(1 << 24)) > 100


def test_without_a_name_the_games_are_listed(tmp_path: Path) -> None:
    run = python("-m", "impinge_demos", folder=tmp_path)
    assert run.returncode == 0
    assert run.stdout.startswith("crusher ")


@pytest.mark.parametrize(
    ("arguments", "code", "complaint"),
    [
        (["tetris"], 2, "tetris"),
        (["crusher", "--frames", "0"], 2, "--frames: must be a whole number from 1 on, got '0'"),
        (["crusher", "--seed", "x"], 2, "--seed"),
        (["crusher", "--screenshot", "nowhere/picture.png"], 1, "no folder to save nowhere/picture.png in"),
    ],
)
def test_a_wrong_command_is_refused_in_a_line(arguments: list[str], code: int, complaint: str, tmp_path: Path) -> None:
    run = python("-m", "impinge_demos", *arguments, folder=tmp_path)
    assert run.returncode == code
    assert complaint in run.stderr.splitlines()[-1]
    assert "Traceback" not in run.stderr


def test_missing_graphics_libraries_are_named_with_their_packages(tmp_path: Path) -> None:
    """A server image has no libGL. Then `import arcade` ends in pyglet's ImportError, five frames deep."""
    bare_server = (
        "import ctypes, sys\n"
        "load = ctypes.CDLL.__init__\n"
        "def refuse(self, name, *rest, **more):\n"
        "    if name and ('libGL' in name or 'libEGL' in name): raise OSError(name)\n"
        "    load(self, name, *rest, **more)\n"
        "ctypes.CDLL.__init__ = refuse\n"
        "from impinge_demos.__main__ import main\n"
        "sys.exit(main(['crusher']))\n"
    )
    run = python("-c", bare_server, folder=tmp_path)
    assert run.returncode == 1
    assert len(run.stderr.splitlines()) == 1
    assert "apt install libegl1 libgl1" in run.stderr
    assert "python -m impinge doctor" in run.stderr


def test_keys_and_gamepad_move_the_player(tmp_path: Path) -> None:
    hands = """
import os
os.environ["ARCADE_HEADLESS"] = "True"
from types import SimpleNamespace
import arcade
from impinge_demos.stage import Controls, HandControls

def no_devices():
    raise FileNotFoundError("/dev/input")

arcade.ControllerManager = no_devices  # headless, Arcade has none
window = arcade.Window(64, 64)
hands = HandControls(window)
assert hands() == Controls(0.0, False)
window.keyboard.on_key_press(arcade.key.D, 0)
assert hands() == Controls(1.0, False)
window.keyboard.on_key_press(arcade.key.LEFT, 0)
window.keyboard.on_key_press(arcade.key.SPACE, 0)
assert hands() == Controls(0.0, True)

gamepad = SimpleNamespace(leftx=0.1, dpadx=0.0, a=False, open=lambda: None)
for key in (arcade.key.D, arcade.key.LEFT, arcade.key.SPACE):
    window.keyboard.on_key_release(key, 0)
hands.connect(gamepad)
assert hands() == Controls(0.0, False), "a worn stick at rest"
gamepad.leftx, gamepad.a = -0.75, True
assert hands() == Controls(-0.75, True)
gamepad.leftx, gamepad.dpadx = 0.1, 1.0
assert hands() == Controls(1.0, True)
hands.disconnect(gamepad)
assert hands() == Controls(0.0, False)
"""
    run = python("-c", hands, folder=tmp_path)
    assert run.returncode == 0, run.stderr
