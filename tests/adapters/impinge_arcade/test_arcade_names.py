"""The doctor detects an Arcade version that does not call what `arcade_names` listens to."""

import os
import sys
from pathlib import Path

import pytest

from impinge.runtime.doctor import Machine, Watching

ENVIRON = {**os.environ, "ARCADE_HEADLESS": "True"}


def test_the_installed_arcade_tells_what_changes_in_its_lists() -> None:
    assert Machine().try_watching(ENVIRON) == Watching(works=True)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param("del arcade.SpriteList._update_position", id="another-name"),
        pytest.param("arcade.Sprite.position = property(lambda sprite: (0, 0), lambda *_: None)", id="tells-nobody"),
    ],
)
def test_of_another_arcade_the_doctor_says_that_it_does_not(change: str, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(f"import arcade\n{change}\n", "utf-8")
    path = os.pathsep.join((str(tmp_path), *sys.path))
    assert Machine().try_watching({**ENVIRON, "PYTHONPATH": path}) == Watching(works=False)
