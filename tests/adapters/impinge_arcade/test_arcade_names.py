"""The doctor detects an Arcade version that does not call what `arcade_names` listens to."""

import os
import subprocess
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


@pytest.mark.parametrize("change", ["", "arcade.Sprite.change_x = property(lambda sprite: sprite._velocity[0])"])
def test_an_arcade_that_does_not_tell_of_speeds_is_read_in_each_update(change: str) -> None:
    """A wall starts to move, another one stops, and the first one turns, after the engine has seen both."""
    game = f"""
import arcade
{change}
from impinge_arcade import PushEngine
walls = arcade.SpriteList()
walls.extend([arcade.SpriteSolidColor(10, 10, center_x=x) for x in (0, 100)])
walls[1].velocity = 3, 0
engine = PushEngine(mighty=walls)
engine.update()
walls[0].velocity, walls[1].velocity = (5, 0), (0, 0)
engine.update()
walls[0].change_angle = 2
engine.update()
assert [(wall.position, wall.angle) for wall in walls] == [((10, 0), 2), ((103, 0), 0)]
"""
    subprocess.run([sys.executable, "-c", game], check=True, env=ENVIRON)
