"""What the games share: options, a window or the lack of a screen, controls, the picture. No game in it.

Arcade reads while it is imported whether it is to run without a screen. So this module imports it late.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, cast

import impinge

if TYPE_CHECKING:
    import arcade
    from pyglet.input import Controller

__all__ = ["Controls", "Game", "Options", "StageError", "play", "run"]

STEP: Final = 1 / 60  # seconds of game time in a frame
HEADLESS_FRAMES: Final = 600  # ten seconds of game time: enough to see every feature once
DEAD_ZONE: Final = 0.25  # of a stick's way, in which it counts as released: worn sticks rest at up to 0.2

NO_GRAPHICS: Final = (
    "Arcade cannot draw on this machine: {reason}. "
    "On Debian and Ubuntu: apt install libegl1 libgl1 libgl1-mesa-dri libfontconfig1 libfreetype6. "
    "`python -m impinge doctor` looks at the rest"
)
NO_WINDOW: Final = (
    "Arcade cannot open a window: {reason}. With ARCADE_HEADLESS=1 set the game runs without one. "
    "`python -m impinge doctor` looks at the rest"
)


class StageError(Exception):
    """A game cannot run here. The message is one line, for the person at the keyboard."""


@dataclass(frozen=True)
class Options:
    """The command line's options. `frames` is None for as long as the player likes."""

    autoplay: bool = False
    frames: int | None = None
    seed: int = 0
    screenshot: Path | None = None
    sound: bool = False


@dataclass(frozen=True)
class Controls:
    """What the player wants in this frame, whether it comes from keys, a gamepad or a script."""

    walk: float = 0.0  # -1 to the left ... 1 to the right
    jump: bool = False


class Game(Protocol):
    """What the stage needs of a game, which is an `arcade.View` made with a seed and a flag for sound."""

    frame: int
    controls: Callable[[], Controls]

    def autoplay(self) -> Callable[[], Controls]:
        """Give controls that play the game by themselves."""

    def on_fixed_update(self, delta_time: float) -> None:
        """Play a frame."""

    def on_draw(self) -> None:
        """Draw the frame."""

    def summary(self) -> str:
        """Say what happened, in a line."""


class HandControls:
    """Controls from the keyboard (arrows or WASD, space) and from the first gamepad, if there is one."""

    def __init__(self, window: arcade.Window) -> None:
        import arcade

        self.keys = arcade.key
        assert window.keyboard is not None  # it is None only in windows that are made without polling
        self.pressed = window.keyboard
        self.gamepad: Controller | None = None
        try:
            self.manager = arcade.ControllerManager()
        except OSError:  # no input devices to look through, as in a container
            return
        self.manager.push_handlers(on_connect=self.connect, on_disconnect=self.disconnect)
        for gamepad in self.manager.get_controllers():
            self.connect(gamepad)

    def connect(self, gamepad: Controller) -> None:
        """Use a gamepad that was plugged in, unless there is one in use."""
        if self.gamepad is None:
            gamepad.open()
            self.gamepad = gamepad

    def disconnect(self, gamepad: Controller) -> None:
        """Forget a gamepad that was unplugged."""
        if gamepad is self.gamepad:
            self.gamepad = None

    def __call__(self) -> Controls:
        """Read what is held down now."""
        key, down = self.keys, self.pressed
        right = down[key.RIGHT] or down[key.D]
        left = down[key.LEFT] or down[key.A]
        walk = float(right) - float(left)
        jump = down[key.SPACE] or down[key.UP] or down[key.W]
        if self.gamepad is not None:
            tilt = self.gamepad.leftx
            walk = walk or (tilt if abs(tilt) > DEAD_ZONE else self.gamepad.dpadx)
            jump = jump or self.gamepad.a
        return Controls(walk, jump)


def has_screen() -> bool:
    """Whether a window can be opened. Only on Linux is a machine without a screen usual."""
    if os.environ.get("ARCADE_HEADLESS"):
        return False
    return not sys.platform.startswith("linux") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


@contextmanager
def graphics_errors(headless: bool) -> Iterator[None]:
    """Say in a line what Arcade, pyglet and the graphics libraries say in tracebacks.

    They raise unrelated types (ImportError for a missing library, a bare Exception for a driver), so this
    goes around nothing but the import of Arcade and the making of the window.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise StageError(f"{error}. Arcade comes with: pip install 'impinge[demos]'") from error
    except Exception as error:
        message = NO_GRAPHICS if headless else NO_WINDOW
        raise StageError(message.format(reason=str(error).rstrip("."))) from error


def play(name: str, options: Options) -> Game:
    """Play a game to its end, and return it as it then stands.

    Without a screen it plays itself as fast as it can, and draws its last frame only.

    Raises
    ------
    StageError
        When there is nothing to draw with, or nowhere to save the picture.
    """
    if options.screenshot is not None and not options.screenshot.absolute().parent.is_dir():
        raise StageError(f"no folder to save {options.screenshot} in")
    headless = not has_screen()
    if headless:
        os.environ["ARCADE_HEADLESS"] = "True"
    with graphics_errors(headless):
        import arcade
    impinge.warm_up(progress=True)
    module = importlib.import_module(f"impinge_demos.{name}")
    with graphics_errors(headless):
        window = arcade.Window(module.WIDTH, module.HEIGHT, module.TITLE)
    game: Game = module.Game(options.seed, options.sound)
    if options.autoplay or headless:
        game.controls = game.autoplay()
    else:
        game.controls = HandControls(window)
    if headless:
        for _ in range(options.frames or HEADLESS_FRAMES):
            game.on_fixed_update(STEP)
    else:
        _run_in_window(window, game, options.frames)
    if options.screenshot is not None:
        game.on_draw()
        save_picture(options.screenshot)
    window.close()
    return game


def _run_in_window(window: arcade.Window, game: Game, frames: int | None) -> None:
    """Run Arcade's loop until the player leaves or the frames are over, and leave the window open."""
    import arcade

    def leave() -> bool:
        # Without its handlers the game stands still in the frames that are left of Arcade's turn.
        window.hide_view()
        arcade.exit()
        return True  # keeps pyglet from closing the window

    def count(_: float) -> None:
        if frames is not None and game.frame >= frames:
            leave()

    # Handlers pushed before the view's are called after them.
    window.push_handlers(on_close=leave, on_fixed_update=count)
    window.run(cast("arcade.View", game))


def save_picture(path: Path) -> None:
    """Save what the window shows as a PNG of 256 colours: a third of the bytes, and it looks the same."""
    import arcade

    arcade.get_image(components=3).quantize(colors=256).save(path, format="PNG", optimize=True)


def run(name: str, options: Options) -> None:
    """Play a game, save its picture, and say what happened."""
    headless = not has_screen()
    if headless and options.screenshot is None:
        options = replace(options, screenshot=Path(f"{name}.png"))
    game = play(name, options)
    print(f"{name}: {game.summary()}")
    if headless:
        print("It ran headless and played itself, because there is no screen.")
    if options.screenshot is not None:
        print(f"The last frame is in {options.screenshot}")
