"""The demo game `swarm`. Each run has its own process: Arcade has one window per process, headless or not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scale import some
from screenless import python, python_fork, said

PLAY = """
import json, sys
from impinge_demos import stage

seed, frames = map(int, sys.argv[1:])
game = stage.play("swarm", stage.Options(autoplay=True, frames=frames, seed=seed))
print(json.dumps(game.state()))
"""

# Play with some agents. After each frame, find agents inside walls by arithmetic that does not use the game's code.
WATCH = """
import json, os, sys
os.environ["ARCADE_HEADLESS"] = "True"
import arcade, math, shapely
import numpy as np
from shapely import affinity
from impinge_demos import demo, swarm
from impinge_demos.controls import Controls

def core(shape):
    # a shape is all that is within a radius of its core
    name = type(shape).__name__
    if name == "Box":
        return shapely.box(-shape.width / 2, -shape.height / 2, shape.width / 2, shape.height / 2), 0.0
    if name == "Capsule":
        return shapely.LineString([shape.a, shape.b]), shape.radius
    (radius,) = {core(part)[1] for part, _ in shape.parts}
    assert all((pose.x, pose.y) == (0, 0) for _, pose in shape.parts)
    turned = [affinity.rotate(core(part)[0], pose.angle, (0, 0), use_radians=True) for part, pose in shape.parts]
    return shapely.union_all(turned), radius

def depths(core, pose, places):
    # how deep the agents are in a wall, in whose frame they are looked at
    area, radius = core
    cosine, sine = math.cos(pose.angle), math.sin(pose.angle)
    local = (places - (pose.x, pose.y)) @ [(cosine, -sine), (sine, cosine)]
    return swarm.RADIUS + radius - shapely.distance(area, shapely.points(local))

arcade.Window(demo.WIDTH, demo.HEIGHT)
seed, swarm.AGENTS = map(int, sys.argv[1:])
game = swarm.Game(seed)
bot = game.autoplay()
mashed = [Controls(1, 1, True, True), Controls(-1, 0.5, True), Controls(), Controls(-1, -1, False, True)]
cores = [core(wall.shape) for wall in swarm.MOVING]
deep, alive, outside, chase, closed, seen = 0.0, set(), 0, 0, 0, {"home": 0, "crushed": 0, "pushed": 0}
for frame in range(640):
    controls = bot() if frame < 560 else mashed[frame // 20 % 4]
    game.controls = lambda: controls
    moved = []
    move = game.engine.move
    def watched(*arguments):
        moved.append(move(*arguments))
        return moved[0]._replace(places=moved[0].places.copy())
    game.engine.move = watched
    game.on_fixed_update(1 / 60)
    del game.engine.move
    free = np.ones(len(game.places), bool)
    free[moved[0].crushed] = False
    places = moved[0].places[free]
    for each, wall in zip(cores, swarm.MOVING):
        deep = max(deep, depths(each, wall.pose(game.moment), places).max())
    x, y = places.T
    outside += int(((x < 0) | (x > demo.WIDTH) | (y < swarm.BOTTOM) | (y > swarm.TOP)).sum())
    alive.add(len(game.places))
    for name in ("home", "crushed", "pushed"):
        seen[name] += len(getattr(moved[0], name))
print(json.dumps({"deep": float(deep), "outside": outside, "alive": sorted(alive), "seen": seen,
                  "came": game.came, "lost": game.lost}))
"""

SWITCH = """
import os
os.environ["ARCADE_HEADLESS"] = "True"
import arcade
import numpy as np
from impinge_demos import demo, swarm

arcade.Window(demo.WIDTH, demo.HEIGHT)
swarm.AGENTS = 60
game = swarm.Game(0)
game.controls = game.autoplay()
for _ in range(150):
    game.on_fixed_update(1 / 60)
before = game.places.copy()
game.on_key_press(arcade.key.F2, 0)
assert isinstance(game.engine, swarm.ArcadeEngine)
assert (game.places == before).all()
for _ in range(60):
    game.on_fixed_update(1 / 60)
game.on_draw()
assert "Arcade" in game.shows()
moved = np.hypot(*(game.places - before).T)
assert np.median(moved) > 20, "Arcade moves them as well"
game.on_key_press(arcade.key.F2, 0)
assert isinstance(game.engine, swarm.ImpingeEngine)
game.on_fixed_update(1 / 60)
game.on_key_press(arcade.key.F1, 0)
assert game.show_debug
game.on_draw()
game.on_key_press(arcade.key.R, 0)
assert (game.level, game.score, game.left) == (1, 0, swarm.ROUND)
for _ in range(swarm.ROUND + swarm.PAUSE):
    game.on_fixed_update(1 / 60)
assert game.level == 2, "the next round"
"""


@pytest.mark.long
def test_a_seed_gives_the_same_game_to_the_bit_and_another_gives_another(tmp_path: Path) -> None:
    one, again, other = (
        said(runner("-c", PLAY, seed, 80, folder=tmp_path))
        for runner, seed in ((python, 7), (python_fork, 7), (python_fork, 8))
    )
    assert one == again
    assert json.loads(one)["places"] != json.loads(other)["places"]


@pytest.mark.parametrize(("seed", "agents"), some([(0, 150), (0, 400), (1, 400)]))
def test_nobody_is_ever_inside_of_a_wall_but_who_is_crushed(seed: int, agents: int, tmp_path: Path) -> None:
    told: dict[str, Any] = json.loads(said(python_fork("-c", WATCH, seed, agents, folder=tmp_path)))
    assert told["deep"] < 1e-6
    assert told["outside"] == 0
    assert told["alive"] == [agents]
    assert min(told["seen"].values()) > 0, told["seen"]
    assert told["seen"]["home"] == told["came"]
    assert told["seen"]["crushed"] == told["lost"]


def test_engines_are_switched_in_the_middle_and_rounds_follow_each_other(tmp_path: Path) -> None:
    said(python_fork("-c", SWITCH, folder=tmp_path))
