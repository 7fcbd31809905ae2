"""The pictures are what their script draws, and all of them are shown."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image, ImageChops, ImageStat

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The pictures, drawn anew."""
    folder = tmp_path_factory.mktemp("pictures")
    subprocess.run([sys.executable, DOCS / "draw_impacts.py", folder], check=True, timeout=120)
    return {path.name: path for path in folder.iterdir()}


def test_each_picture_is_shown(drawn: dict[str, Path]) -> None:
    page = (DOCS / "impacts.md").read_text("utf-8")
    assert len(drawn) == 4
    assert [name for name in drawn if f"](pictures/{name})" not in page] == []


def test_pictures_are_small(drawn: dict[str, Path]) -> None:
    assert {name: path.stat().st_size for name, path in drawn.items() if path.stat().st_size > 100_000} == {}


def test_what_is_shown_is_what_is_drawn(drawn: dict[str, Path]) -> None:
    """Another version of Pillow may draw letters a little differently, but no line elsewhere."""
    for name, path in drawn.items():
        with Image.open(path) as now, Image.open(DOCS / "pictures" / name) as shown:
            assert now.size == shown.size, name
            difference = ImageChops.difference(now.convert("L"), shown.convert("L"))
        assert ImageStat.Stat(difference).mean[0] < 0.3, name
