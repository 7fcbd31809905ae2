"""What all demo games share: command line, pictures, keys. Each run has its own process: Arcade has one window."""

from __future__ import annotations

from pathlib import Path

import PIL.Image
import pytest

from impinge_demos import GAMES
from screenless import python

# The result of each game after ten seconds of autoplay with seed 0. The results were recorded once and then checked
# frame by frame.
ENDS = {
    "crusher": "600 frames, 4 pushes, 1 crushes, 0 goals, 70 bullets, 0 through the wall",
    "halberd": "600 frames, score 330, 1 waves, 3 kills, 1 backstabs, 2 sword, 2 halberd, "
    "1 slams, 0 bowled, 2 alarms, 1 hurts, 1 gems, 0 losses",
    "shards": "600 frames, 23 shots, 19 splits into 40 parts, 21 crumbled, 3 ricochets, 3 hits taken, 0 waves",
    "pinball": "600 frames, 1 launches, 0 balls lost, best score 1275, 21 bumpers, up to 4156 px/s, 0 escaped",
    "sokoban_rush": "600 frames, best score 100, longest chain 5, 1 rewound, 1 crushed, 2 chained, "
    "1 jammed, 2 sunk, 1 pulled, 2 carried, 4 pushed, 0 cleared, 0 lost",
    "swarm": "600 frames, 5,000 agents, 1,607,501 pushes, 44 came home, 266 crushed, 1 rounds",
}


def test_every_game_has_an_end_here() -> None:
    assert ENDS.keys() == GAMES.keys()


@pytest.mark.parametrize("name", GAMES)
def test_without_a_screen_a_game_plays_itself_and_saves_a_picture(name: str, tmp_path: Path) -> None:
    run = python("-m", "impinge_demos", name, folder=tmp_path)
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines() == [
        f"{name}: {ENDS[name]}",
        "It ran headless and played itself, because there is no screen.",
        f"The last frame is in {name}.png",
    ]
    picture = tmp_path / f"{name}.png"
    assert picture.stat().st_size < 300_000
    with PIL.Image.open(picture) as image:
        assert image.size == (1008, 624)
        assert len(image.convert("RGB").getcolors(1 << 24)) > 100


@pytest.mark.parametrize("name", GAMES)
def test_what_impinge_sees_is_drawn_over_a_game(name: str, tmp_path: Path) -> None:
    """F1 shows the debug view in a window, `--debug` from the start. It changes the picture and nothing else."""
    runs = [
        python("-m", "impinge_demos", name, "--frames", "90", "--screenshot", f"{number}.png", *more, folder=tmp_path)
        for number, more in enumerate([(), ("--debug",)])
    ]
    summaries = [run.stdout.splitlines()[0] for run in runs]
    assert summaries[0] == summaries[1]
    assert (tmp_path / "0.png").read_bytes() != (tmp_path / "1.png").read_bytes()


def test_a_recording_is_a_gif_of_half_the_size_whatever_the_name_of_its_file(tmp_path: Path) -> None:
    run = python("-m", "impinge_demos", "crusher", "--frames", "40", "--record", "play", folder=tmp_path)
    assert run.returncode == 0, run.stderr
    assert "The recording is in play" in run.stdout
    with PIL.Image.open(tmp_path / "play") as gif:
        assert (gif.size, gif.n_frames, gif.info["duration"]) == ((504, 312), 14, 50)


def test_the_games_are_listed_with_a_line_for_each(tmp_path: Path) -> None:
    run = python("-m", "impinge_demos", "--list", folder=tmp_path)
    assert run.returncode == 0
    assert [line.split()[0] for line in run.stdout.splitlines()] == list(GAMES)


def test_help_names_every_game_and_option(tmp_path: Path) -> None:
    run = python("-m", "impinge_demos", "--help", folder=tmp_path)
    assert run.returncode == 0
    options = ("--list", "--autoplay", "--frames", "--seed", "--screenshot", "--record", "--debug", "--sound")
    assert [word for word in (*GAMES, *options, "exit status") if word not in run.stdout] == []
    assert max(map(len, run.stdout.splitlines())) <= 120


@pytest.mark.parametrize(
    ("arguments", "code", "complaint"),
    [
        (["tetris"], 2, "tetris"),
        (["crusher", "--frames", "0"], 2, "--frames: must be a whole number from 1 on, got '0'"),
        (["crusher", "--seed", "x"], 2, "--seed"),
        (["crusher", "--screenshot", "nowhere/picture.png"], 1, "no folder to save nowhere/picture.png in"),
        (["crusher", "--record", "nowhere/play.gif"], 1, "no folder to save nowhere/play.gif in"),
        (["--frames", "10"], 2, "--frames needs the NAME of a game"),
        ([], 1, "there is no screen for the menu. Without one a game plays itself: give its name (see --list)"),
    ],
)
def test_a_wrong_command_is_refused_in_a_line(arguments: list[str], code: int, complaint: str, tmp_path: Path) -> None:
    run = python("-m", "impinge_demos", *arguments, folder=tmp_path)
    assert run.returncode == code
    (line,) = run.stderr.splitlines()
    assert complaint in line


def test_missing_graphics_libraries_are_named_with_their_packages(tmp_path: Path) -> None:
    """A server image has no libGL. There, `import arcade` ends in an ImportError of pyglet, five frames deep."""
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


def test_keys_and_gamepad_say_what_the_player_wants(tmp_path: Path) -> None:
    hands = """
import os
os.environ["ARCADE_HEADLESS"] = "True"
from types import SimpleNamespace
import arcade
from impinge_demos.controls import Controls, HandControls

def no_devices():
    raise FileNotFoundError("/dev/input")

arcade.ControllerManager = no_devices  # headless, Arcade has none
window = arcade.Window(64, 64)
hands = HandControls(window)
keys, hold, release = arcade.key, window.keyboard.on_key_press, window.keyboard.on_key_release
assert hands() == Controls()
hold(keys.D, 0)
assert hands() == Controls(x=1.0, right=True)
hold(keys.LEFT, 0)
hold(keys.SPACE, 0)
assert hands() == Controls(first=True, left=True, right=True), "both ways at once: nowhere"
for key in (keys.D, keys.LEFT, keys.SPACE):
    release(key, 0)
hold(keys.DOWN, 0)
hold(keys.RSHIFT, 0)
assert hands() == Controls(y=-1.0, second=True)
release(keys.DOWN, 0)
release(keys.RSHIFT, 0)

handlers = {}
gamepad = SimpleNamespace(
    leftx=0.1, lefty=0.0, dpadx=0.0, dpady=0.0, a=False, b=False, leftshoulder=False, rightshoulder=False,
    open=lambda: None, push_handlers=handlers.update,
)
hands.connect(gamepad)
assert hands() == Controls(), "a worn stick at rest"
gamepad.leftx, gamepad.a = -0.75, True
assert hands() == Controls(x=-0.75, first=True)
gamepad.leftx, gamepad.dpady, gamepad.a, gamepad.b, gamepad.leftshoulder = 0.1, 1.0, False, True, True
assert hands() == Controls(y=1.0, second=True, left=True)

pressed = []
window.push_handlers(on_key_press=lambda symbol, modifiers: pressed.append(symbol))
for button in ("start", "back", "y", "x", "a"):
    handlers["on_button_press"](gamepad, button)
window.dispatch_events()
assert pressed == [keys.R, keys.ESCAPE, keys.F1, keys.F2]
hands.disconnect(gamepad)
assert hands() == Controls()
"""
    run = python("-c", hands, folder=tmp_path)
    assert run.returncode == 0, run.stderr
