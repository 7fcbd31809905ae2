"""Run a game in a window or without a screen, with its options and pictures. No game logic.

Arcade decides at import whether it runs without a screen. So this module imports Arcade late.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

if TYPE_CHECKING:
    import arcade

    from impinge_demos.demo import Demo
    from impinge_demos.recording import Recording

__all__ = ["Options", "StageError", "has_screen", "open_menu", "play", "run"]

HEADLESS_FRAMES: Final = 600  # ten seconds of game time: enough to see every feature once
# Frames that a window plays at most before it draws again. Where frames take longer than 1/60 s, the game runs
# slower instead of trying to catch up.
CATCH_UP: Final = 3
EXTENSIONS: Final = {"screenshot": (".png", ".jpg", ".jpeg"), "record": (".gif",)}  # of the options' files

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
    """A game cannot run here. The message is one line for the player."""


@dataclass(frozen=True)
class Options:
    """The command line's options. With `frames` None the game runs until the player leaves."""

    autoplay: bool = False
    frames: int | None = None
    seed: int = 0
    screenshot: Path | None = None
    record: Path | None = None
    debug: bool = False
    mute: bool = False


def has_sound_device() -> bool:
    """Return whether there may be a sound device.

    Only on Linux are machines without one common. There, the libraries that look for one take time and complain.
    """
    if not sys.platform.startswith("linux") or "PULSE_SERVER" in os.environ:
        return True
    servers = (Path(os.environ.get("XDG_RUNTIME_DIR", "/run"), name) for name in ("pulse/native", "pipewire-0"))
    return any(Path("/dev/snd").glob("pcm*p")) or any(server.exists() for server in servers)


def has_screen() -> bool:
    """Return whether a window can be opened. Only on Linux are machines without a screen common."""
    if os.environ.get("ARCADE_HEADLESS"):
        return False
    return not sys.platform.startswith("linux") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


@contextmanager
def graphics_errors(headless: bool) -> Iterator[None]:
    """Report errors of Arcade, pyglet and the graphics libraries in one line instead of a traceback.

    They raise unrelated types: ImportError for a missing library, a bare Exception for a driver. So this wraps only
    the import of Arcade and the creation of the window.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise StageError(f"{error}. Arcade comes with: pip install 'impinge[demos]'") from error
    except Exception as error:
        message = NO_GRAPHICS if headless else NO_WINDOW
        raise StageError(message.format(reason=str(error).rstrip("."))) from error


def open_window() -> arcade.Window:
    """Open the window, or Arcade's headless window where there is no screen."""
    headless = not has_screen()
    if headless:
        os.environ["ARCADE_HEADLESS"] = "True"
    if headless or not has_sound_device():
        # Arcade 3.3 sets pyglet's option from its own variable, but loads pyglet's driver before it does.
        for variable in ("PYGLET_AUDIO", "ARCADE_SOUND_BACKENDS"):
            os.environ.setdefault(variable, "silent")
    with graphics_errors(headless):
        import arcade
        from pyglet.font.base import Font
    from impinge_demos.scene import HEIGHT, WIDTH

    with graphics_errors(headless):
        window = arcade.Window(WIDTH, HEIGHT, "Impinge", resizable=True, fixed_frame_cap=CATCH_UP)
    # Text of pyglet's fonts is jagged where the window scales it.
    Font.texture_min_filter = Font.texture_mag_filter = window.ctx.LINEAR
    arcade.resources.load_liberation_fonts()
    return window


def load(name: str, seed: int, sound: bool) -> Demo:
    """Make a game by its name."""
    game: Demo = importlib.import_module(f"impinge_demos.{name}").Game(seed, sound)
    return game


def play(name: str, options: Options) -> Demo:
    """Play a game to its end, and return it in its last state.

    Without a screen the game plays itself as fast as it can, and draws only its last frame and the recorded frames.

    Raises
    ------
    StageError
        If the machine cannot draw, or if the folder for a picture does not exist or its name has another extension.
    """
    for option, extensions in EXTENSIONS.items():
        _check_file(option, getattr(options, option), extensions)
    headless = not has_screen()
    window = open_window()
    from impinge_demos.controls import HandControls
    from impinge_demos.recording import Recording, save_picture

    game = load(name, options.seed, sound=not (options.mute or headless))
    game.show_debug = options.debug
    game.controls = game.autoplay() if options.autoplay or headless else HandControls(window)
    window.set_caption(game.title)
    recording = None if options.record is None else Recording(options.record)
    if headless:
        _run_through(game, options.frames or HEADLESS_FRAMES, recording)
    else:
        _run_in_window(window, game, options.frames, recording)
    if recording is not None:
        recording.save()
    if options.screenshot is not None:
        game.on_draw()
        save_picture(options.screenshot)
    window.close()
    return game


def _check_file(option: str, path: Path | None, extensions: Sequence[str]) -> None:
    """Check the file of an option before the game runs, so that no game is lost for its name."""
    if path is None:
        return
    if path.suffix.lower() not in extensions:
        raise StageError(f"--{option} must be a file that ends in {' or '.join(extensions)}, got {path}")
    if not path.absolute().parent.is_dir():
        raise StageError(f"no folder to save {path} in")


def _run_through(game: Demo, frames: int, recording: Recording | None) -> None:
    """Play a number of frames without a screen."""
    from impinge_demos.demo import STEP
    from impinge_demos.recording import EVERY

    for frame in range(frames):
        game.on_fixed_update(STEP)
        if recording is not None and frame % EVERY == 0:
            game.on_draw()
            recording.take()


def _run_in_window(window: arcade.Window, game: Demo, frames: int | None, recording: Recording | None) -> None:
    """Run Arcade's loop until the player leaves or the frames are over, and leave the window open."""
    import arcade

    from impinge_demos.recording import EVERY

    def leave() -> bool:
        # Without its view the game does not move on in the frames that are left of Arcade's turn.
        window.hide_view()
        arcade.exit()
        return True  # stops pyglet from closing the window

    def count(_: float) -> None:
        if frames is not None and game.frame >= frames:
            leave()

    def record() -> None:
        if recording is not None and game.frame // EVERY >= len(recording.pictures):
            recording.take()

    # Handlers pushed before the view's handlers are called after them.
    window.push_handlers(on_close=leave, on_fixed_update=count, on_draw=record)
    window.run(cast("arcade.View", game))


def open_menu(seed: int, sound: bool) -> None:
    """Open a window with the menu of the games.

    Raises
    ------
    StageError
        If there is no screen, or if the machine cannot draw.
    """
    if not has_screen():
        raise StageError("there is no screen for the menu. Without one a game plays itself: give its name (see --list)")
    window = open_window()
    from impinge_demos.controls import HandControls
    from impinge_demos.menu import Menu

    window.run(cast("arcade.View", Menu(HandControls(window), seed, sound)))


def run(name: str, options: Options) -> None:
    """Play a game, save its picture, and print a summary."""
    headless = not has_screen()
    if headless and options.screenshot is None:
        options = replace(options, screenshot=Path(f"{name}.png"))
    game = play(name, options)
    print(f"{name}: {game.summary()}")
    if headless:
        print("It ran headless and played itself, because there is no screen.")
    if options.screenshot is not None:
        print(f"The last frame is in {options.screenshot}")
    if options.record is not None:
        print(f"The recording is in {options.record}")
