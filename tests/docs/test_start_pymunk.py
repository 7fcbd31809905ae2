"""Follow "Five minutes with Pymunk" literally: the programs print what the page shows."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

PAGE = (Path(__file__).parents[2] / "docs" / "start-pymunk.md").read_text("utf-8")
BOXES: list[tuple[str, str]] = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
ROOM, DOOR, _ = (content for language, content in BOXES if language == "python")
# Text blocks without a language: commands, the two lines to add, and the printed output.
SHOWN = [content for language, content in BOXES if not language]
GONE, KEPT = (shown for shown in SHOWN if shown.startswith("after 1 s"))
(PUSHED,) = (shown for shown in SHOWN if shown.startswith("step 1"))


def printed_by(program: str) -> str:
    """Run a program in its own process, and return what it prints."""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return ended.stdout


def with_the_two_lines() -> str:
    """Return the first program with the two lines inserted where the page says."""
    imported, called = (shown for shown in SHOWN if "continuous" in shown)
    place = "space = make_room()\n"
    assert ROOM.count(place) == 1
    return imported + ROOM.replace(place, place + called)


def places_in(printed: str) -> list[tuple[int, int]]:
    """Return the positions of the ball in the printed output."""
    return [(int(x), int(y)) for x, y in re.findall(r"at (-?\d+), (-?\d+)", printed)]


def test_the_ball_leaves_its_room_in_plain_pymunk() -> None:
    assert printed_by(ROOM) == GONE
    assert all(x > 800 for x, _ in places_in(GONE))


def test_two_lines_more_and_it_stays() -> None:
    assert printed_by(with_the_two_lines()) == KEPT
    places = places_in(KEPT)
    assert len(places) == 3
    assert all(0 < x < 800 and 0 < y < 600 for x, y in places)


def test_the_door_takes_the_crate_along_and_springs_open() -> None:
    assert printed_by(DOOR) == PUSHED
