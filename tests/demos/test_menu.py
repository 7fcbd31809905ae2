"""Drive the menu by real key presses in a real window: xdotool, on an Xvfb screen."""

from __future__ import annotations

import os
import shutil
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

    def title(self) -> str:
        """Read the title of the only window."""
        found = self.tool("search", "--onlyvisible", "--name", ".").split()
        return self.tool("getwindowname", found[0]) if found else ""

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
