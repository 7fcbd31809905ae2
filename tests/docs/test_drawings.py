"""The pictures match what their scripts draw, and every picture is shown on a page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PIL import Image, ImageChops, ImageStat

from scale import some
from screenless import python_fork, said

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PICTURES = DOCS / "pictures"
# The page that each script draws pictures for.
PAGES = {script.stem.removeprefix("draw_"): script for script in sorted(DOCS.glob("draw_*.py"))}
# The last pages are long tests: these play six games, and explore a level.
PAGES |= {page: PAGES.pop(page) for page in ("demos", "playtest")}
# Pages outside the folder. `docs/contributing.md` only includes CONTRIBUTING.md.
AT_THE_ROOT = {"readme": ROOT / "README.md", "contributing": ROOT / "CONTRIBUTING.md"}


def shown_on(page: Path) -> set[str]:
    """Return the pictures that a page shows."""
    return set(re.findall(r"\]\((?:docs/)?pictures/([^)]+)\)", page.read_text("utf-8")))


@pytest.fixture(scope="module", params=some(PAGES, least=4))
def page(request: pytest.FixtureRequest) -> str:
    """Return each page that has a script to draw its pictures."""
    name: str = request.param
    return name


@pytest.fixture(scope="module")
def drawn(page: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Draw the pictures of a page anew, and return them."""
    folder = tmp_path_factory.mktemp("pictures")
    said(python_fork(PAGES[page], folder, folder=ROOT))
    return {path.name: path for path in folder.iterdir()}


def test_there_are_pages_with_pictures() -> None:
    assert {"impacts", "sectors", "worlds"} <= PAGES.keys()


def test_a_page_shows_what_its_script_draws(page: str, drawn: dict[str, Path]) -> None:
    assert drawn
    # A page may continue on pages that have no script of their own: `pymunk.md` continues in `pymunk-continuous.md`.
    pages = [path for path in DOCS.glob(f"{page}*.md") if path.stem == page or path.stem not in PAGES]
    pages += [AT_THE_ROOT[page]] if page in AT_THE_ROOT else []
    assert set().union(*map(shown_on, pages)) == set(drawn)


def test_pictures_are_small(drawn: dict[str, Path]) -> None:
    assert {name: path.stat().st_size for name, path in drawn.items() if path.stat().st_size > 100_000} == {}


def test_what_is_shown_is_what_is_drawn(drawn: dict[str, Path]) -> None:
    """Another version of Pillow may draw letters slightly differently, but lines must not move."""
    for name, path in drawn.items():
        with Image.open(path) as now, Image.open(PICTURES / name) as shown:
            assert now.size == shown.size, name
            difference = ImageChops.difference(now.convert("L"), shown.convert("L"))
        assert ImageStat.Stat(difference).mean[0] < 0.3, name


def test_no_picture_is_left_over() -> None:
    shown = set().union(*map(shown_on, [*AT_THE_ROOT.values(), *DOCS.glob("*.md")]))
    assert {path.name for path in PICTURES.iterdir()} == shown
