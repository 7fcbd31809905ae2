"""What `draw_debug` draws: lines by colour, recorded instead of drawn by Arcade, and once on the screen."""

from __future__ import annotations

import math
from typing import Any

import arcade
import numpy as np
import pytest
import shapely

import impinge as im
from impinge import Pose, Side
from impinge_arcade import PushEngine, debug, draw_debug


class Stage:
    """A world, and the events of its last frame."""

    def __init__(self) -> None:
        self.world = im.World()
        self.events: tuple[Any, ...] = ()

    def step(self) -> None:
        self.events = self.world.step().events


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> dict[Any, np.ndarray]:
    """Return the points of lines, by colour, of the last call."""
    calls: dict[Any, np.ndarray] = {}
    monkeypatch.setattr(arcade, "draw_lines", lambda points, color, width: calls.update({color: np.array(points)}))
    return calls


def polygons(lines: np.ndarray) -> shapely.Geometry:
    """Return the areas that lines enclose."""
    return shapely.union_all(shapely.get_parts(shapely.polygonize(shapely.linestrings(lines.reshape(-1, 2, 2)))))


SHAPES = {
    "box": (im.Box(40, 20), 40 * 20),
    "circle": (im.Circle(30), math.pi * 900),
    "capsule": (im.Capsule((-20, 0), (20, 10), 8), math.hypot(40, 10) * 16 + math.pi * 64),
    "concave": (im.Polygon([(-30, -30), (30, -30), (30, 30), (0, -10), (-30, 30)]), 60 * 60 - 60 * 40 / 2),
    "rounded": (
        im.Polygon([(-20, -10), (20, -10), (0, 20)], 5),
        600 + 5 * (40 + 2 * math.hypot(20, 30)) + math.pi * 25,
    ),
    "compound": (im.Compound([(im.Box(10, 10), Pose(-20, 0)), (im.Circle(6), Pose(20, 0))]), 100 + math.pi * 36),
}


@pytest.mark.parametrize(("shape", "area"), SHAPES.values(), ids=SHAPES)
def test_the_outline_of_a_shape_encloses_its_area_where_it_stands(drawn: Any, shape: Any, area: float) -> None:
    stage = Stage()
    pose = Pose(300, 200, 0.7)
    stage.world.add(shape, pose, might=1)
    draw_debug(stage)
    enclosed = polygons(drawn[debug.MIGHTY])
    # The outline may be off by a quarter of a pixel all around.
    assert enclosed.area == pytest.approx(area, abs=0.25 * enclosed.length)
    bounds = shape.bounds(pose)
    assert enclosed.bounds == pytest.approx((bounds.left, bounds.bottom, bounds.right, bounds.top), abs=0.3)


def test_bodies_have_colours_by_what_they_do(drawn: Any) -> None:
    stage = Stage()
    stage.world.add(im.Box(10, 10), Pose(0, 0), might=1)
    stage.world.add(im.Box(20, 10), Pose(50, 0))
    stage.world.add(im.Box(30, 10), Pose(0, 50), response="sensor")
    draw_debug(stage)
    areas = {color: polygons(lines).area for color, lines in drawn.items()}
    assert areas == {debug.MIGHTY: 100, debug.WEAK: 200, debug.SENSOR: 300}


def test_what_moved_has_its_sweep_around_it(drawn: Any) -> None:
    stage = Stage()
    ball = stage.world.add(im.Circle(10), Pose(0, 0))
    ball.goal = Pose(300, 400)
    stage.step()
    draw_debug(stage)
    swept = polygons(np.concatenate((drawn[debug.SWEEP], drawn[debug.WEAK])))
    assert swept.area == pytest.approx(500 * 20 + math.pi * 100, rel=0.02)
    assert [0, 0] in drawn[debug.SWEEP].tolist()
    stage.step()
    drawn.clear()
    draw_debug(stage)
    assert debug.SWEEP not in drawn


def test_a_contact_has_an_arrow_where_it_touches_in_the_direction_of_the_push(drawn: Any) -> None:
    stage = Stage()
    stage.world.add(im.Polygon([(-100, -100), (100, -100), (100, 100)]), Pose(0, 0), might=1, data="hill")
    ball = stage.world.add(im.Circle(10), Pose(0, 60), data="ball")
    ball.goal = Pose(0, 0)
    stage.step()
    draw_debug(stage)
    start, tip = drawn[debug.NORMAL][:2]
    half = math.sqrt(0.5)
    touch = (ball.pose.x + 10 * half, ball.pose.y - 10 * half)
    assert start == pytest.approx(touch)
    assert tip == pytest.approx((touch[0] - debug.ARROW * half, touch[1] + debug.ARROW * half))
    left, bottom, right, _ = ball.shape.bounds(ball.pose)
    assert drawn[debug.BLOCKED].tolist() == [[left, bottom], [right, bottom]]


def test_of_what_came_apart_again_the_arrow_is_at_its_side(drawn: Any) -> None:
    stage = Stage()
    wall = stage.world.add(im.Box(10, 100), Pose(50, 0), might=1)
    ball = stage.world.add(im.Box(20, 20), Pose(0, 0), response="bounce")
    ball.goal = Pose(60, 0)
    stage.step()
    draw_debug(stage)
    assert drawn[debug.NORMAL][0].tolist() == [ball.pose.x + 10, 0]
    assert ball.sides == Side.RIGHT
    stage.world.remove(wall)
    draw_debug(stage)
    assert drawn[debug.NORMAL][0].tolist() == [ball.pose.x + 10, 0]


@pytest.mark.parametrize(
    ("sector", "area"),
    [
        (im.Sector(100, 0.6), 0.6 * 100**2),
        (im.Sector(100, 0.6, 40), 0.6 * (100**2 - 40**2)),
        (im.Sector(100, math.pi), math.pi * 100**2),
    ],
)
def test_sectors_are_drawn_where_they_face(drawn: Any, sector: im.Sector, area: float) -> None:
    draw_debug(Stage(), sectors=[(sector, Pose(500, 300, 0.5 * math.pi))])
    enclosed = polygons(drawn[debug.SECTOR])
    assert enclosed.area == pytest.approx(area, rel=0.01)
    assert enclosed.bounds[3] == pytest.approx(400, abs=0.3)


def test_a_thousand_bodies_of_a_colour_are_one_call(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    monkeypatch.setattr(arcade, "draw_lines", lambda points, color, width: calls.append(len(points)))
    stage = Stage()
    for number in range(1000):
        stage.world.add(im.Box(1 + number % 10, 3), Pose(10 * number, 0, number / 7), might=1)
    draw_debug(stage)
    assert calls == [8 * 1000]


def test_the_outline_is_on_the_screen(window: Any) -> None:
    player = arcade.SpriteSolidColor(20, 20, 32, 32)
    engine = PushEngine(weak=player)
    window.clear(color=arcade.color.WHITE)
    draw_debug(engine)
    seen = {arcade.get_pixel(x, 32)[:3] for x in range(20, 25)}
    assert debug.WEAK[:3] in seen
    assert arcade.get_pixel(32, 32)[:3] == arcade.color.WHITE[:3]
