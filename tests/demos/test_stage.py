"""What all demo games share: command line, pictures, keys. Each run has its own process: Arcade has one window."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image, ImageChops

from impinge_demos import GAMES, stage
from scale import some
from screenless import python, python_fork, said

# What the rules of each game say about its counts after ten seconds of autoplay, whatever the bot has met until then.
# No count is known beforehand: sines differ between machines in the last bit, and so two games go apart.
RULES: dict[str, Callable[[dict[str, int]], list[bool]]] = {
    "crusher": lambda counts: [
        0 < counts["bullets"] <= 600 // 8,  # a shot every 8 frames, and none in a pause
        counts["through the wall"] == 0,
    ],
    "halberd": lambda counts: [
        counts["losses"] > 0
        or counts["score"]
        == 50 * (counts["kills"] + counts["backstabs"])
        + 20 * (counts["slams"] + counts["bowled"])
        + 10 * counts["gems"]
        + 100 * counts["waves"],
        counts["backstabs"] <= counts["sword"] + counts["halberd"],
        counts["kills"] <= counts["sword"] + counts["halberd"] + counts["slams"] + counts["bowled"],
        counts["kills"] >= 3 * counts["waves"],
        counts["hurts"] >= 3 * counts["losses"],
        counts["hurts"] <= 10,  # safe for a second after each
    ],
    "shards": lambda counts: [
        0 < counts["splits"] <= counts["shots"],  # a bullet is gone after a split
        counts["parts"] >= 2 * counts["splits"],
    ],
    "pinball": lambda counts: [
        counts["launches"] >= max(1, counts["balls lost"]),
        counts["best score"] % 5 == 0,
        counts["balls lost"] > 2 or counts["best score"] >= 10 * counts["bumpers"],  # else a second game has begun
        counts["up to px/s"] > 1200,  # 20 px in a frame: more than the width of the ball
        counts["escaped"] == 0,
    ],
    "sokoban_rush": lambda counts: [
        counts["best score"] % 2 == 0,
        counts["best score"] >= 50 * min(counts["sunk"], 1),  # a crate is paid once, however often it sinks
        counts["lost"] > 0 or counts["best score"] >= 10 * counts["longest chain"],
        (counts["longest chain"] > 3) == (counts["chained"] > 0),
        counts["cleared"] <= counts["sunk"],
    ],
    "swarm": lambda counts: [
        counts["agents"] == 5000,
        counts["pushes"] > 0,
        counts["rounds"] == 1,
    ],
}

# Play a game automatically, and again by the controls and keys that the bot has given, in the debug view. Print both
# states; JSON keeps floats bit-exact.
REPLAY = """
import json, os, sys
os.environ["ARCADE_HEADLESS"] = "True"
from impinge_demos import stage

name, frames = sys.argv[1], int(sys.argv[2])
stage.open_window()
from impinge_demos.recording import taken

given, keys, states = [], [], []
for is_replay in (False, True):
    game = stage.load(name, 5, False)
    game.show_debug = is_replay
    bot, press = game.autoplay(), game.on_key_press
    for frame in range(frames):
        if is_replay:
            for symbol in keys[frame]:
                press(symbol, 0)
        else:
            keys.append([])
            game.on_key_press = lambda symbol, modifiers: (keys[frame].append(symbol), press(symbol, modifiers))
            given.append(bot())
        game.controls = lambda: given[frame]
        game.on_fixed_update(1 / 60)
        if frame % 40 == 39:
            game.on_draw()
    taken().save(f"{is_replay:d}.png")
    states.append(game.state())
print(json.dumps(states))
"""


def counted(summary: str) -> dict[str, int]:
    """Return the counts of a game's summary by what they count: "4 pushes, best score 20, up to 12 px/s"."""
    summary = summary.replace(" into ", ", ")
    counts = {}
    for part in re.sub(r"(?<=\d),(?=\d{3})", "", summary).split(", "):
        number = re.search(r"\d+", part)
        assert number is not None, part
        counts[" ".join((part[: number.start()] + part[number.end() :]).split())] = int(number[0])
    return counts


def test_every_game_has_rules_here() -> None:
    assert RULES.keys() == GAMES.keys()


@pytest.mark.parametrize("name", some(GAMES, least=2))
def test_without_a_screen_a_game_plays_itself_and_saves_a_picture(name: str, tmp_path: Path) -> None:
    run = python_fork("-m", "impinge_demos", name, folder=tmp_path)
    assert run.returncode == 0, run.stderr
    summary, *lines = run.stdout.splitlines()
    assert lines == [
        "It ran headless and played itself, because there is no screen.",
        f"The last frame is in {name}.png",
    ]
    assert summary.startswith(f"{name}: ")
    counts = counted(summary.removeprefix(f"{name}: "))
    assert counts.pop("frames") == 600
    assert all(RULES[name](counts)), counts
    picture = tmp_path / f"{name}.png"
    assert picture.stat().st_size < 300_000
    with Image.open(picture) as image:
        assert image.size == (1008, 624)
        assert len(image.convert("RGB").getcolors(1 << 24)) > 100


# The games that the test above leaves to the long run come first.
@pytest.mark.parametrize("name", some([*list(GAMES)[2:], *list(GAMES)[:2]], least=2))
def test_the_same_seed_and_the_same_controls_give_the_same_game_to_the_bit(name: str, tmp_path: Path) -> None:
    """The replay shows what Impinge sees, which changes the picture and nothing else."""
    one, again = json.loads(said(python_fork("-c", REPLAY, name, 120, folder=tmp_path)))
    assert one == again
    assert is_drawn_over(tmp_path)


def test_what_impinge_sees_is_drawn_on_request(tmp_path: Path) -> None:
    """F1 shows the debug view in a window, `--debug` from the start."""
    runs = [
        python_fork("-m", "impinge_demos", "crusher", "--frames", 90, "--screenshot", name, *more, folder=tmp_path)
        for name, *more in (["0.png"], ["1.png", "--debug"])
    ]
    summaries = [run.stdout.splitlines()[0] for run in runs]
    assert summaries[0] == summaries[1]
    assert is_drawn_over(tmp_path)


def is_drawn_over(folder: Path) -> bool:
    """Return whether two pictures differ below the bar at the top, which may show how long a frame took."""
    pictures = []
    for number in range(2):
        with Image.open(folder / f"{number}.png") as picture:
            pictures.append(picture.convert("RGB").crop((0, 48, 1008, 624)))
    return ImageChops.difference(*pictures).getbbox() is not None


def test_a_recording_is_a_gif_of_half_the_size(tmp_path: Path) -> None:
    run = python_fork("-m", "impinge_demos", "crusher", "--frames", "40", "--record", "play.GIF", folder=tmp_path)
    assert run.returncode == 0, run.stderr
    assert "The recording is in play.GIF" in run.stdout
    with Image.open(tmp_path / "play.GIF") as gif:
        assert (gif.size, gif.n_frames, gif.info["duration"]) == ((504, 312), 14, 50)


def test_a_screenshot_has_the_format_that_its_name_ends_in(tmp_path: Path) -> None:
    """A PNG was written into every file, also into one called .jpg."""
    for name, kind in [("last.jpg", "JPEG"), ("last.png", "PNG")]:
        run = python_fork("-m", "impinge_demos", "crusher", "--frames", "2", "--screenshot", name, folder=tmp_path)
        assert run.returncode == 0, run.stderr
        with Image.open(tmp_path / name) as picture:
            assert (picture.format, picture.size) == (kind, (1008, 624))


def test_the_games_are_listed_with_a_line_for_each(tmp_path: Path) -> None:
    run = python_fork("-m", "impinge_demos", "--list", folder=tmp_path)
    assert run.returncode == 0
    assert [line.split()[0] for line in run.stdout.splitlines()] == list(GAMES)


def test_help_names_every_game_and_option(tmp_path: Path) -> None:
    run = python_fork("-m", "impinge_demos", "--help", folder=tmp_path)
    assert run.returncode == 0
    options = ("--list", "--autoplay", "--frames", "--seed", "--screenshot", "--record", "--debug", "--mute")
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
        (
            ["crusher", "--screenshot", "x.bmp"],
            1,
            "--screenshot must be a file that ends in .png or .jpg or .jpeg",
        ),
        (["crusher", "--record", "x.mp4"], 1, "--record must be a file that ends in .gif, got x.mp4"),
        (["crusher", "--record", "gif"], 1, "--record must be a file that ends in .gif, got gif"),
        (["--frames", "10"], 2, "--frames needs the NAME of a game"),
        ([], 1, "there is no screen for the menu. Without one a game plays itself: give its name (see --list)"),
    ],
)
def test_a_wrong_command_is_refused_in_a_line(arguments: list[str], code: int, complaint: str, tmp_path: Path) -> None:
    run = python_fork("-m", "impinge_demos", *arguments, folder=tmp_path)
    assert run.returncode == code
    (line,) = run.stderr.splitlines()
    assert complaint in line
    assert run.stdout == ""  # no game was played and lost
    assert list(tmp_path.iterdir()) == []


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

def tap(key):
    window.dispatch_event("on_key_press", key, 0)
    window.dispatch_event("on_key_release", key, 0)
    window.dispatch_events()

tap(keys.SPACE)
tap(keys.UP)
assert hands() == Controls(y=1.0, first=True), "taps between two frames"
assert hands() == Controls(), "each counts once"
view = arcade.View()
view.is_paused = True
window.show_view(view)
tap(keys.SPACE)
view.is_paused = False
assert hands() == Controls(), "a tap in a pause is not for the game"

handlers = {}
gamepad = SimpleNamespace(
    leftx=0.1, lefty=0.0, dpadx=0.0, dpady=0.0, a=False, b=False, leftshoulder=False, rightshoulder=False,
    open=lambda: None, push_handlers=handlers.update,
)
hands.connect(gamepad)
assert hands() == Controls(), "a worn stick at rest"
gamepad.leftx, gamepad.a = -0.75, True
assert hands() == Controls(x=-0.75, first=True)
assert hands.on_gamepad() == hands()
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
    run = python_fork("-c", hands, folder=tmp_path)
    assert run.returncode == 0, run.stderr


KEYS_AND_SOUNDS = """
import os
os.environ["ARCADE_HEADLESS"] = "True"
from pathlib import Path
from impinge_demos import GAMES, sounds, stage

window = stage.open_window()
import arcade
from pyglet.media import get_audio_driver

assert "Silent" in type(get_audio_driver()).__name__, "a machine without a screen is not searched for a device"
heard, play = [], sounds.play
sounds.play = lambda file, volume: heard.append(file)
for name in GAMES:
    game = stage.load(name, 0, True)
    assert game.lines.keys.content_width <= 1008 - 2 * 9, f"{name}: the line of keys leaves the picture"
    for file in game.sounds.values():
        assert Path(arcade.resources.resolve(f":resources:sounds/{file}.wav")).is_file(), file

def after(frames, keys=()):
    heard.clear()
    for key in keys:
        game.on_key_press(key, 0)
    for _ in range(frames):
        game.on_fixed_update(1 / 60)
    return set(heard)

game = stage.load("crusher", 0, True)
game.controls = game.autoplay()
assert "laser1" in after(30)
assert after(30, [arcade.key.M]) == set()
assert "laser1" in after(30, [arcade.key.M])

before = game.state()
assert after(30, [arcade.key.P]) == set()
assert (game.frame, game.state()) == (90, before), "paused"
after(30, [arcade.key.P])
assert game.frame == 120
undisturbed = stage.load("crusher", 0, False)
undisturbed.controls = undisturbed.autoplay()
for _ in range(120):
    undisturbed.on_fixed_update(1 / 60)
assert game.state() == undisturbed.state(), "sounds and pauses leave the game as it is"
after(1, [arcade.key.P, arcade.key.R])
assert game.frame == 121, "a restart ends a pause"

heard.clear()
for _ in range(100):
    game.play_sound("coin")
assert heard == ["coin1"], "once, not a hundred times as loud"

class Unplugged:
    def play(self, volume):
        raise RuntimeError("the device is gone")

play("coin1", 1.0)  # without a device
sounds.get_audio_driver = lambda: None
tried = []
arcade.load_sound = lambda file: tried.append(file) or Unplugged()
play("coin1", 1.0)
assert tried == [":resources:sounds/coin1.wav"]
"""


def test_sounds_and_pauses(tmp_path: Path) -> None:
    run = python_fork("-c", KEYS_AND_SOUNDS, folder=tmp_path)
    assert (run.returncode, run.stderr) == (0, "")


PLACES = """
import os
os.environ["ARCADE_HEADLESS"] = "True"
import arcade
from impinge_demos.scene import PICTURE, placed

assert placed(PICTURE, 1008, 624).lbwh_int == (0, 0, 1008, 624)
assert placed(PICTURE, 504, 312).lbwh_int == (0, 0, 504, 312)
assert placed(PICTURE, 2016, 624).lbwh_int == (504, 0, 1008, 624)
assert placed(PICTURE, 1008, 824).lbwh_int == (0, 100, 1008, 624)
assert placed(arcade.LBWH(100, 50, 10, 20), 2016, 1448).lbwh_int == (200, 200, 20, 40)
assert placed(PICTURE, 0, 0).height > 0, "minimized"
"""


def test_a_picture_keeps_its_aspect_in_every_window(tmp_path: Path) -> None:
    run = python_fork("-c", PLACES, folder=tmp_path)
    assert run.returncode == 0, run.stderr


def test_a_device_for_sounds_is_where_linux_has_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(Path, "glob", lambda *_: iter(()))  # no sound card
    monkeypatch.delenv("PULSE_SERVER", raising=False)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert not stage.has_sound_device()
    (tmp_path / "pipewire-0").touch()
    assert stage.has_sound_device()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "nothing"))
    assert not stage.has_sound_device()
    monkeypatch.setenv("PULSE_SERVER", "somewhere")
    assert stage.has_sound_device()
