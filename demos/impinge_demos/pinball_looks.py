"""The drawing of `pinball`: the table, the panels beside it, and Pymunk's shapes as lines. No rules."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import arcade
from arcade.shape_list import ShapeElementList, create_ellipse_outline, create_line, create_polygon
from arcade.types import Color
from pyglet.graphics import Batch
from pymunk import Segment, SpaceDebugDrawOptions, Vec2d
from pymunk.space_debug_draw_options import SpaceDebugColor

from impinge_demos.demo import PAPER, SPARK, STEP, text
from impinge_demos.pinball_table import (
    BALL,
    BUMPERS,
    DRAIN,
    FLOOR,
    LANE,
    LAUNCHER,
    LEFT,
    MIDDLE,
    OUTLINE,
    RIGHT,
    ROLLOVERS,
    SLINGSHOTS,
    THICK,
    WALLS,
    Kind,
)

if TYPE_CHECKING:
    from impinge_demos.pinball import Game

__all__ = ["Looks", "Outlines"]

FADE = 30  # frames in which the mark of an impact fades

BED, EDGE, GLOW = Color(24, 30, 62), Color(236, 240, 255), Color(90, 150, 255, 60)
RUBBER, BRASS, LIT, UNLIT = Color(255, 92, 120), Color(255, 206, 92), Color(120, 255, 170), Color(66, 76, 120)
DIM, ALARM = Color(150, 160, 190), Color(255, 96, 96)


class Looks:
    """All drawings of the game: the static table, the moving parts, and the panels."""

    def __init__(self, balls: int) -> None:
        self.bed = bed()
        self.ball = arcade.Sprite(":resources:images/pinball/pool_cue_ball.png", scale=BALL / 32)
        self.bumpers = [arcade.Sprite(":resources:images/pinball/bumper.png", scale=52 / 96) for _ in BUMPERS]
        self.lamps = [arcade.SpriteCircle(7, PAPER) for _ in ROLLOVERS]
        for lamp, ((left, y), (right, _)) in zip(self.lamps, ROLLOVERS, strict=True):
            lamp.position = (left + right) / 2, y
        self.sprites: arcade.SpriteList[arcade.Sprite] = arcade.SpriteList()
        self.sprites.extend([*self.lamps, *self.bumpers, self.ball])
        self.panels = Panels(balls)

    def draw(self, game: Game) -> None:
        """Draw a frame."""
        table = game.table
        self.bed.draw()
        self.panels.draw(game)
        draw_walls([target for target in table.targets if target not in game.down], LIT)
        draw_walls([table.gate], BRASS)
        draw_walls([table.board], BRASS)
        for flipper in table.flippers:
            draw_bar(flipper.body.local_to_world(flipper.shape.a), flipper.body.local_to_world(flipper.shape.b))
        self.draw_launcher(game)
        self.draw_trail(game)
        for rollover, lamp in zip(table.rollovers, self.lamps, strict=True):
            lamp.color = LIT if rollover in game.lanes else UNLIT
        for bumper, sprite in zip(table.bumpers, self.bumpers, strict=True):
            sprite.position = bumper.offset
        self.ball.position = table.ball.position
        self.ball.angle = -math.degrees(table.ball.angle)
        self.sprites.draw()

    def draw_launcher(self, game: Game) -> None:
        """Draw the spring, compressed by the charge."""
        x, top = (LANE + RIGHT) / 2, LAUNCHER - 2 - 18 * game.charge
        coils = [(x + (7 if turn % 2 else -7), FLOOR + (top - FLOOR) * turn / 8) for turn in range(9)]
        arcade.draw_line_strip(coils, DIM, 2)
        arcade.draw_lbwh_rectangle_filled(LANE + 4, top - 2, RIGHT - LANE - 8, 4, BRASS)
        if game.charge:
            arcade.draw_lbwh_rectangle_filled(LANE + 3, 100, 3, 260 * game.charge, ALARM)

    def draw_trail(self, game: Game) -> None:
        """Draw the fading trail of the ball, and rings at its impacts."""
        ends = [end for way in pairwise(game.trail) for end in way]
        for number in range(1, 5):
            arcade.draw_lines(ends[-12 * number :], SPARK.replace(a=50), 6 - number)
        arcade.draw_points(game.holes, ALARM, 7)
        for frame, hit in game.hits:
            age = (game.frame - frame) / FADE
            if age < 1 and hit.kind is not Kind.DRAIN:
                touched = hit.place + BALL * hit.normal
                arcade.draw_circle_outline(*touched, 4 + 22 * age, BRASS.replace(a=int(220 * (1 - age))), 2)


def bed() -> ShapeElementList[Any]:
    """Make the static parts: a wall is a line of one pixel with a glow."""
    shapes: ShapeElementList[Any] = ShapeElementList()
    shapes.append(create_polygon(OUTLINE, BED))
    for radius in range(40, 240, 40):
        shapes.append(create_ellipse_outline(MIDDLE, 372, radius, radius, UNLIT.replace(a=70), 2, num_segments=64))
    shapes.append(create_line(LEFT, DRAIN, LANE, DRAIN, ALARM.replace(a=70), 3))
    for begin, end in WALLS:
        shapes.append(create_line(*begin, *end, GLOW, 9))
        shapes.append(create_line(*begin, *end, EDGE, 1))
    for corners in SLINGSHOTS:
        shapes.append(create_polygon(corners, UNLIT))
        shapes.append(create_line(*corners[0], *corners[-1], RUBBER, 2 * THICK))
    return shapes


def draw_walls(walls: Iterable[Segment], color: Color) -> None:
    """Draw thin walls in the style of the table."""
    ends = [wall.body.local_to_world(end) for wall in walls for end in (wall.a, wall.b)]
    arcade.draw_lines(ends, color.replace(a=60), 9)
    arcade.draw_lines(ends, color, 2)


def draw_bar(begin: Vec2d, end: Vec2d) -> None:
    """Draw a flipper."""
    arcade.draw_line(*begin, *end, RUBBER, 2 * THICK)
    arcade.draw_circle_filled(*begin, 6, PAPER)
    arcade.draw_circle_filled(*end, THICK, RUBBER)


class Panels:
    """The panels at both sides: speed of the ball, escaped balls, and the state of the game."""

    def __init__(self, balls: int) -> None:
        self.balls: arcade.SpriteList[arcade.Sprite] = arcade.SpriteList()
        self.balls.extend(arcade.SpriteCircle(BALL, PAPER) for _ in range(balls))
        for number, ball in enumerate(self.balls):
            ball.position = 796 + 28 * number, 492
        self.state = text(22, 512, 22, LIT, words="Continuous")
        self.way = text(22, 404, 14, PAPER)
        self.escaped = {True: text(22, 238, 34, LIT), False: text(136, 238, 34, ALARM)}
        self.times = text(784, 404, 34, BRASS)
        self.level = text(784, 238, 34, PAPER)
        self.labels = [
            text(22, 490, 11, DIM, words="F2: continuous or plain Pymunk"),
            text(22, 360, 11, DIM, words="the ball is 18 px wide,"),
            text(22, 342, 11, DIM, words="the walls are 1 px thick"),
            text(22, 284, 14, PAPER, words="balls escaped"),
            text(22, 214, 11, DIM, words="continuous"),
            text(136, 214, 11, DIM, words="plain"),
            text(784, 512, 22, PAPER, words="balls"),
            text(784, 380, 11, DIM, words="light the three lanes at the top"),
            text(784, 214, 11, DIM, words="hit the three drop targets"),
            text(MIDDLE, 236, 22, UNLIT, "center", "IMPINGE"),
        ]
        self.batch = Batch()
        for line in (self.state, self.way, *self.escaped.values(), self.times, self.level, *self.labels):
            line.batch = self.batch

    def draw(self, game: Game) -> None:
        """Draw the panels."""
        color = LIT if game.is_continuous else ALARM
        if self.state.color != color:
            self.state.text, self.state.color = "Continuous" if game.is_continuous else "Plain Pymunk", color
        way = game.table.ball.velocity.length * STEP
        self.way.text = f"{way:.0f} px in a frame"
        arcade.draw_line(22, 392, 22 + max(way, 1), 392, color, 6)
        for is_continuous, count in self.escaped.items():
            count.text = str(game.escaped[is_continuous])
        self.times.text = f"x {game.multiplier}"
        self.level.text = f"level {game.level}"
        for number, ball in enumerate(self.balls, 1):
            ball.color = UNLIT if number < game.ball else PAPER
        self.balls.draw()
        self.batch.draw()


class Outlines(SpaceDebugDrawOptions):
    """Debug drawing for Pymunk and Impinge that collects lines by colour and draws them with Arcade."""

    def __init__(self) -> None:
        super().__init__()
        self.shape_outline_color = SpaceDebugColor(*LIT)
        self.lines: dict[Color, list[Vec2d]] = {}

    def draw(self) -> None:
        """Draw the collected lines."""
        for color, points in self.lines.items():
            arcade.draw_lines(points, color, 1)

    def draw_segment(self, a: Vec2d, b: Vec2d, color: Any) -> None:
        """Add a line."""
        self.lines.setdefault(Color(*color.as_int()), []).extend((a, b))

    def draw_polygon(self, verts: Any, radius: float, outline_color: Any, fill_color: Any) -> None:
        """Add an outline."""
        for begin, end in pairwise([*verts, verts[0]]):
            self.draw_segment(begin, end, outline_color)

    def draw_circle(self, pos: Vec2d, angle: float, radius: float, outline_color: Any, fill_color: Any) -> None:
        """Add a circle, with a radius that shows its angle."""
        rim = [pos + Vec2d(radius, 0).rotated(angle + math.tau * part / 24) for part in range(24)]
        self.draw_polygon(rim, 0, outline_color, fill_color)
        self.draw_segment(pos, rim[0], outline_color)

    def draw_fat_segment(self, a: Vec2d, b: Vec2d, radius: float, outline_color: Any, fill_color: Any) -> None:
        """Add the outline of a thick line."""
        across = radius * (b - a).perpendicular_normal()
        self.draw_polygon([a + across, b + across, b - across, a - across], 0, outline_color, fill_color)

    def draw_dot(self, size: float, pos: Vec2d, color: Any) -> None:
        """Add a small circle."""
        self.draw_circle(pos, 0, size, color, color)
