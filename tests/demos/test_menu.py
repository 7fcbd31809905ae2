"""Drive the menu and a game by real key presses in a real window: xdotool, on an Xvfb screen."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from PIL import Image, ImageChops, ImageGrab

from impinge_demos import GAMES
from scale import PATIENCE

pytestmark = pytest.mark.skipif(
    shutil.which("Xvfb") is None and "CI" not in os.environ,
    reason="Xvfb and xdotool are not installed: on Debian, apt install xvfb xdotool",
)


class Screen(NamedTuple):
    """A virtual screen in memory."""

    display: str

    def tool(self, *arguments: str) -> str:
        """Call xdotool, and return its output."""
        environment = {**os.environ, "DISPLAY": self.display}
        return subprocess.run(
            ["xdotool", *arguments], env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
        ).stdout.strip()

    def window(self) -> str:
        """Return the number of the only window, or nothing."""
        return next(iter(self.tool("search", "--onlyvisible", "--name", ".").split()), "")

    def title(self) -> str:
        """Read the title of the only window."""
        window = self.window()
        return self.tool("getwindowname", window) if window else ""

    def press(self, key: str) -> None:
        """Press a key for long enough that a frame notices it."""
        self.tool("keydown", key)
        time.sleep(0.2)
        self.tool("keyup", key)

    def picture(self) -> Image.Image:
        """Take a screenshot."""
        return ImageGrab.grab(xdisplay=self.display).convert("RGB")


@pytest.fixture
def screen() -> Iterator[Screen]:
    """Return an Xvfb screen, which picks a free display number itself."""
    read, write = os.pipe()
    # Without -noreset, the server starts again when its last client leaves, and refuses a client that comes then.
    command = ["Xvfb", "-displayfd", str(write), "-screen", "0", "1100x700x24", "-nolisten", "tcp", "-noreset"]
    with subprocess.Popen(command, pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        os.close(write)
        with os.fdopen(read) as pipe:
            number = pipe.readline().strip()
        yield Screen(f":{number}")
        server.terminate()


@pytest.fixture
def menu(screen: Screen, tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Return the menu, in a window on the screen."""
    environment = {
        name: value for name, value in os.environ.items() if name not in ("ARCADE_HEADLESS", "WAYLAND_DISPLAY")
    }
    environment["DISPLAY"] = screen.display
    command = [sys.executable, "-m", "impinge_demos"]
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL) as process:
        yield process
        process.kill()


def wait_until(menu: subprocess.Popen[bytes], condition: Callable[[], bool], what: str) -> None:
    """Wait until a condition holds, as long as the menu runs."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert menu.poll() is None, f"the menu has ended before: {what}"
        assert time.monotonic() < end, f"not within {PATIENCE:g} s: {what}"
        time.sleep(0.1)


def differ(one: Image.Image, other: Image.Image, box: tuple[int, int, int, int]) -> bool:
    """Return whether two pictures differ within a box: left, top, right, bottom."""
    return ImageChops.difference(one.crop(box), other.crop(box)).getbbox() is not None


def test_a_game_is_chosen_played_and_left_by_keys(screen: Screen, menu: subprocess.Popen[bytes]) -> None:
    names = list(GAMES)
    wait_until(menu, lambda: screen.title() == "Impinge", "the menu's window")
    wait_until(menu, lambda: len(screen.picture().getcolors(1 << 24) or ()) > 50, "the menu's first picture")
    entries = (0, 40, 260, 60 + 52 * len(names))  # the names in the window, which is in the corner of the screen
    before = screen.picture()
    screen.press("Down")
    wait_until(menu, lambda: differ(before, screen.picture(), entries), "the second entry, lit")

    screen.press("Return")
    wait_until(menu, lambda: screen.title().lower().startswith(names[1].split("_")[0]), f"{names[1]}, from the menu")
    screen.press("F1")
    screen.press("Escape")
    wait_until(menu, lambda: screen.title() == "Impinge", "the menu again")

    screen.press("Up")
    screen.press("space")
    wait_until(menu, lambda: screen.title().lower().startswith(names[0]), f"{names[0]}, by the space bar")
    still = screen.picture()
    screen.press("Right")
    wait_until(menu, lambda: differ(still, screen.picture(), (0, 60, 1000, 560)), "the game going on")
    screen.press("Escape")
    wait_until(menu, lambda: screen.title() == "Impinge", "the menu for the third time")
    screen.press("Escape")
    assert menu.wait(PATIENCE) == 0


@pytest.mark.long
def test_taps_between_two_frames_all_count(screen: Screen, menu: subprocess.Popen[bytes]) -> None:
    """The menu asked once a frame which keys were down. At 5 frames a second it missed most taps."""
    names = list(GAMES)
    wait_until(menu, lambda: len(screen.picture().getcolors(1 << 24) or ()) > 50, "the menu's first picture")
    menu.send_signal(signal.SIGSTOP)  # no frame is slower than this one
    screen.tool("key", "--delay", "5", "Down", "Down", "s", "w", "Return")
    menu.send_signal(signal.SIGCONT)
    wait_until(menu, lambda: screen.title().lower().startswith(names[2]), f"{names[2]}, by taps alone")


def is_black(picture: Image.Image, box: tuple[int, int, int, int]) -> bool:
    """Return whether all of a box is black: left, top, right, bottom."""
    return picture.crop(box).getbbox() is None


@pytest.mark.long
def test_a_picture_is_scaled_to_its_window(screen: Screen, menu: subprocess.Popen[bytes]) -> None:
    """A larger window showed what lies outside the world: walls and rocks that wait beyond the edge."""
    wait_until(menu, lambda: len(screen.picture().getcolors(1 << 24) or ()) > 50, "the menu's first picture")
    for width, height, picture, bars in [
        # 1008:624 in 1100 x 400 is 646 x 400, from 227 on; in 500 x 700 it is 500 x 310, from 195 on.
        (1100, 400, (228, 1, 872, 399), [(0, 0, 226, 400), (874, 0, 1100, 400)]),
        (500, 700, (1, 196, 499, 504), [(0, 0, 500, 194), (0, 506, 500, 700)]),
    ]:

        def fits(picture: tuple[int, int, int, int] = picture, bars: list[tuple[int, int, int, int]] = bars) -> bool:
            seen = screen.picture()
            left, top, right, bottom = picture
            corners = [(x, y) for x in (left, right - 1) for y in (top, bottom - 1)]
            return all(is_black(seen, bar) for bar in bars) and all(any(seen.getpixel(at)) for at in corners)

        screen.tool("windowsize", screen.window(), str(width), str(height))
        wait_until(menu, fits, f"the picture in {width} x {height}")


@pytest.mark.long
def test_a_game_is_paused_and_fills_the_screen(screen: Screen, menu: subprocess.Popen[bytes]) -> None:
    wait_until(menu, lambda: len(screen.picture().getcolors(1 << 24) or ()) > 50, "the menu's first picture")
    screen.press("Return")
    wait_until(menu, lambda: screen.title().lower().startswith(next(iter(GAMES))), "a game")
    middle = (0, 60, 1000, 560)

    def moves() -> bool:
        before = screen.picture()
        time.sleep(0.5)
        return differ(before, screen.picture(), middle)

    wait_until(menu, moves, "the game going on")
    screen.press("p")
    wait_until(menu, lambda: not moves(), "the game standing still")
    screen.press("m")
    screen.press("p")
    wait_until(menu, moves, "the game going on again")

    beside = (1020, 60, 1090, 560)  # the window has 1008 pixels, the screen 1100
    assert is_black(screen.picture(), beside)
    screen.press("F11")
    wait_until(menu, lambda: not is_black(screen.picture(), beside), "a full screen")
    screen.press("F11")
    wait_until(menu, lambda: moves() and is_black(screen.picture(), beside), "a window again")

    def has_focus() -> bool:
        """Focus the window, as a window manager would: a window that was not on the screen yet did not get it."""
        screen.tool("windowfocus", screen.window())
        return screen.tool("getwindowfocus") == screen.window() != ""

    wait_until(menu, has_focus, "the focus")
    screen.press("Escape")
    wait_until(menu, lambda: screen.title() == "Impinge", "the menu again")
