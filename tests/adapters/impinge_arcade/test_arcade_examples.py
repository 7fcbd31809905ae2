"""Unmodified example games of Arcade run under `bootstrap`, with scripted key presses.

Each game runs headless in its own process. Shapely, which is independent of both engines, checks that no player is ever
in a wall. With Arcade's engines and the same keys, the player gets about as far.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from typing import Any

import pytest

from scale import PATIENCE, some

GAMES = {
    "sprite_move_walls.py": 5,
    "sprite_moving_platforms.py": 12,
    "sprite_enemies_in_platformer.py": 100,
    "template_platformer.py": 100,
    "sprite_tiled_map.py": 60,
    "platform_tutorial/15_ladders_moving_platforms.py": 100,
    "platform_tutorial/19_shooting.py": 100,
}

PLAY = """
import json, os, random, runpy, sys
import arcade, shapely

name, whose, frames = sys.argv[1], sys.argv[2], int(sys.argv[3])
random.seed(0)
if whose == "ours":
    import impinge_arcade
    impinge_arcade.bootstrap()
engines = []
for kind in (arcade.PhysicsEngineSimple, arcade.PhysicsEnginePlatformer):
    def init(self, *arguments, former=kind.__init__, **others):
        former(self, *arguments, **others)
        engines.append(self)
    kind.__init__ = init


def outline(sprite):
    return shapely.make_valid(shapely.Polygon(sprite.hit_box.get_adjusted_points()))


def depth(engine):
    player = outline(engine.player_sprite)
    # What it overlaps by, in pixels: an area over a length.
    return max(
        (
            player.intersection(outline(wall)).area / 10
            for walls in engine.walls
            for wall in walls
            if abs(wall.center_x - engine.player_sprite.center_x) < 200
        ),
        default=0.0,
    )


def run():
    window, held, rnd, way, worst = arcade.get_window(), [], random.Random(3), [], 0.0
    key = arcade.key
    window.dispatch_events()
    for frame in range(frames):
        if frame % 20 == 0:
            for each in held:
                window.dispatch_event("on_key_release", each, 0)
            held = rnd.choice([[key.RIGHT], [key.RIGHT, key.UP], [key.LEFT], [key.UP], [key.DOWN, key.RIGHT]])
            for each in held:
                window.dispatch_event("on_key_press", each, 0)
        window.dispatch_event("on_update", 1 / 60)
        window.dispatch_event("on_fixed_update", 1 / 60)
        window.dispatch_events()
        way.append(engines[-1].player_sprite.position)
        if frame % 5 == 0:
            worst = max(worst, depth(engines[-1]))
    window.switch_to()
    window.dispatch_event("on_draw")
    window.dispatch_events()
    picture = arcade.get_image().convert("RGB")
    print(json.dumps({"engine": type(engines[-1]).__module__, "way": way, "worst": worst,
                      "colours": len(picture.getcolors(1 << 24))}))


arcade.run = run
path = os.path.join(os.path.dirname(arcade.__file__), "examples", name)
sys.argv = [path]
runpy.run_path(path, run_name="__main__")
"""


@cache
def played(game: str, whose: str, frames: int) -> dict[str, Any]:
    run = subprocess.run(
        [sys.executable, "-c", PLAY, game, whose, str(frames)],
        env={**os.environ, "ARCADE_HEADLESS": "True"},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    result: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    return result


@pytest.mark.parametrize("game", some(GAMES, least=2))
def test_a_game_runs_and_nobody_is_in_a_wall(game: str) -> None:
    result = played(game, "ours", 160)
    assert result["engine"] == "impinge_arcade.physics_engines"
    assert result["worst"] < 1e-6
    assert result["colours"] > 10  # the picture is not blank


@pytest.mark.parametrize("game", some(GAMES, least=2))
def test_it_goes_as_it_does_with_arcade_s_engines(game: str) -> None:
    """Tolerance: two pixels across, and one frame's fall vertically.

    Arcade's players land in quarters of a pixel, often late. The comparison ends where another named difference begins:
    a slide along a slanting edge.
    """
    ours, theirs = played(game, "ours", 160), played(game, "theirs", 160)
    for (x, y), (their_x, their_y) in list(zip(ours["way"], theirs["way"], strict=True))[: GAMES[game]]:
        assert abs(x - their_x) <= 2
        assert abs(y - their_y) <= 16
