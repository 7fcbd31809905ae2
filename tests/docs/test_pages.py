"""The examples on the pages run as written: transcripts give the shown output, and programs terminate."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

from screenless import python_fork, said

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]

# A game runs until its window is closed. Here the window closes after half a second of game time.
FEW_FRAMES = """
import os
os.environ["ARCADE_HEADLESS"] = "True"
import arcade
arcade.run = lambda: arcade.get_window().test(30)
"""


def python_blocks() -> dict[str, str]:
    """Return every Python block of the pages, with its page and first line."""
    found = {}
    for page in PAGES:
        text = page.read_text("utf-8")
        for block in re.finditer(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
            line = text.count("\n", 0, block.start(1)) + 1
            found[f"{page.name}:{line}"] = block[1]
    return found


BLOCKS = python_blocks()
TRANSCRIPTS = {place: code for place, code in BLOCKS.items() if code.startswith(">>>")}
PROGRAMS = {place: code for place, code in BLOCKS.items() if place not in TRANSCRIPTS}


@pytest.mark.parametrize("code", TRANSCRIPTS.values(), ids=TRANSCRIPTS)
def test_a_transcript_gives_what_it_shows(code: str) -> None:
    told: list[str] = []
    transcript = doctest.DocTestParser().get_doctest(code, {}, "transcript", None, 0)
    failed = doctest.DocTestRunner().run(transcript, out=told.append).failed
    assert not failed, "".join(told)


@pytest.mark.parametrize("code", PROGRAMS.values(), ids=PROGRAMS)
def test_a_program_runs(code: str) -> None:
    said(python_fork("-c", FEW_FRAMES + code, folder=ROOT))


def test_there_are_examples_of_both_kinds() -> None:
    assert TRANSCRIPTS
    assert PROGRAMS


def test_links_between_the_pages_lead_somewhere() -> None:
    broken = [
        f"{page.name}: {target}"
        for page in PAGES
        for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", page.read_text("utf-8"))
        if not (page.parent / target).exists()
    ]
    assert broken == []
