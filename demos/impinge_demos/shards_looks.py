"""The drawing of `shards`: rocks with facets, sparks, streaks, and what Impinge sees. No rules."""

from __future__ import annotations

import math
import random
from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

import arcade
from arcade.shape_list import Shape, ShapeElementList, create_line_loop, create_triangles_filled_with_colors
from arcade.types import Color

from impinge import Polygon
from impinge_demos.demo import BAR, HEIGHT, PAPER, WIDTH
from impinge_demos.shards_rocks import Vector, along, around, edges, measured, minus, placed

if TYPE_CHECKING:
    from impinge_demos.shards import Aim, Game, Thing

__all__ = ["BLUE", "BORDER", "EMBER", "GREY", "NIGHT", "WALL", "Looks", "picture"]

NIGHT: Final = Color(14, 17, 30)
WALL: Final = Color(70, 84, 112)
EMBER: Final = Color(214, 140, 88)  # stone
GREY: Final = Color(122, 142, 168)  # steel
BLUE: Final = Color(110, 200, 255)  # the ship
STAR: Final = Color(200, 215, 255)

BORDER: Final = 8  # pixels of the walls that are drawn
LIGHT: Final = (-0.45, 0.9)  # direction of the light, in the frame of each rock
STREWN: Final = 0.6  # standard deviation in radians of the directions of sparks
GLOW: Final = 10  # frames in which a streak fades
RECENT: Final = 110  # frames for which F1 shows an impact
GHOSTS: Final = 15.0, 30.0  # frames ahead for which F1 shows the poses of rocks


class Spark(NamedTuple):
    """A spark: where it began, its velocity in pixels a frame, its first and last frame, its colour."""

    start: Vector
    velocity: Vector
    born: int
    gone: int
    color: Color


class Streak(NamedTuple):
    """A straight part of a bullet's path, and its frame."""

    start: Vector
    end: Vector
    frame: int


class Mark(NamedTuple):
    """An impact: its point, its normal, and its frame."""

    point: Vector
    normal: Vector
    frame: int


class Looks:
    """All drawings of the game."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.sparks: deque[Spark] = deque(maxlen=500)
        self.streaks: deque[Streak] = deque(maxlen=60)
        self.marks: deque[Mark] = deque(maxlen=60)
        strewn = random.Random(1)
        self.sky = [
            (shaded(STAR, light), [(strewn.uniform(0, WIDTH), strewn.uniform(24, HEIGHT - BAR)) for _ in range(count)])
            for light, count in ((0.25, 90), (0.45, 45), (0.8, 16))
        ]

    def strew(self, thing: Thing, point: Vector, normal: Vector, count: int) -> None:
        """Throw sparks off a thing at an impact, along its normal."""
        self.marks.append(Mark(point, normal, self.game.frame))
        self.throw(thing.color, point, normal, count)

    def burst(self, color: Color, outline: Sequence[Vector]) -> None:
        """Throw sparks off all corners of an outline, away from its centroid."""
        middle = measured(outline)[1]
        for corner in outline:
            self.throw(color, corner, minus(corner, middle), 4)

    def throw(self, color: Color, start: Vector, direction: Vector, count: int) -> None:
        """Throw sparks roughly in a direction."""
        chance, frame = self.game.random, self.game.frame
        course = math.atan2(direction[1], direction[0])
        for _ in range(count):
            velocity = around(course + chance.gauss(0, STREWN), chance.uniform(1.0, 5.0))
            self.sparks.append(Spark(start, velocity, frame, frame + chance.randint(12, 34), shaded(color, 1.3)))

    def follow(self, bullet: Thing, end: Vector) -> None:
        """Add a streak for a bullet's path up to a point."""
        self.streaks.append(Streak(bullet.trail, end, self.game.frame))
        bullet.trail = end

    def draw(self) -> None:
        """Draw the frame."""
        game = self.game
        for color, places in self.sky:
            arcade.draw_points(places, color, 2)
        for rock in game.rocks:
            show(rock)
        if game.ship is not None:
            draw_ship(game, game.ship)
        if game.aim is not None:
            draw_aim(game.aim)
        self.draw_streaks()
        self.draw_sparks()
        half = BORDER / 2
        left, right, bottom, top = half, WIDTH - half, 24 + half, HEIGHT - BAR - half
        arcade.draw_lrbt_rectangle_outline(left, right, bottom, top, WALL, BORDER)

    def draw_streaks(self) -> None:
        """Draw the fading streaks of the bullets."""
        for age in range(GLOW):
            ends = [end for streak in self.streaks if self.game.frame - streak.frame == age for end in streak[:2]]
            arcade.draw_lines(ends, PAPER.replace(a=255 - 240 * age // GLOW), 3 if age < 2 else 2)

    def draw_sparks(self) -> None:
        """Draw the sparks that still glow, a batch for each colour and brightness."""
        frame = self.game.frame
        batches: dict[Color, list[Vector]] = {}
        for start, (vx, vy), born, gone, color in self.sparks:
            if frame < gone:
                part = (frame - born) / (gone - born)
                x, y = along(start, (start[0] + vx, start[1] + vy), (frame - born) * (1 - 0.3 * part))
                glowing = color.replace(a=255 - 60 * int(4 * part))
                batches.setdefault(glowing, []).extend(((x, y), (x - 2 * vx, y - 2 * vy)))
        for color, ends in batches.items():
            arcade.draw_lines(ends, color, 2)

    def draw_debug(self) -> None:
        """Draw the convex pieces, hulls, motions of the next half second, and impacts with their normals."""
        game = self.game
        seams, ghosts, ways, hulls = [], [], [], []
        for thing in game.things()[1:]:
            shape, pose = thing.body.shape, thing.body.pose
            end = thing.ahead(max(GHOSTS)).end
            ways += [(pose.x, pose.y), (end.x, end.y)]
            if isinstance(shape, Polygon):
                seams += [end for piece in shape.pieces for end in edges(placed(piece.points, pose))]
                hulls += edges(placed(thing.hull.vertices, pose))
                for frames in GHOSTS:
                    ghosts += edges(placed(shape.vertices, thing.ahead(frames).end))
        recent = [mark for mark in self.marks if game.frame - mark.frame < RECENT]
        normals = [end for (x, y), (nx, ny), _ in recent for end in ((x, y), (x + 26 * nx, y + 26 * ny))]
        foretold = []
        if game.aim is not None and isinstance(game.aim.thing.body.shape, Polygon):
            foretold = edges(placed(game.aim.thing.body.shape.vertices, game.aim.thing.ahead(game.aim.frames).end))
        for ends, color, width in (
            (ghosts, GREY.replace(a=110), 1),
            (hulls, arcade.color.ORCHID.replace(a=170), 1),
            (seams, arcade.color.WHITE, 1),
            (ways, arcade.color.GREEN_YELLOW, 1),
            (foretold, arcade.color.YELLOW, 1),
            (normals, arcade.color.RED, 2),
        ):
            arcade.draw_lines(ends, color, width)
        arcade.draw_points([mark.point for mark in recent], arcade.color.YELLOW, 6)


def draw_ship(game: Game, ship: Thing) -> None:
    """Draw the ship, its flame, its shield, and the shield's charge."""
    pose = ship.body.pose
    if game.is_thrusting:
        tip = -24 - 6 * (game.frame // 2 % 2)
        flame = placed([(-8, 5), (tip, 0), (-8, -5)], pose)
        arcade.draw_polygon_filled(flame, arcade.color.YELLOW_ORANGE)
    show(ship)
    if game.safe:
        arcade.draw_circle_outline(pose.x, pose.y, 24 + game.safe / 4, PAPER.replace(a=60 + 2 * game.safe), 2)
    if game.is_shielded:
        arcade.draw_circle_outline(pose.x, pose.y, 27, BLUE, 3)
    if game.charge < 1.0:
        left, bottom = pose.x - 18, pose.y - 36
        arcade.draw_lrbt_rectangle_filled(left, left + 36, bottom, bottom + 4, BLUE.replace(a=70))
        arcade.draw_lrbt_rectangle_filled(left, left + 36 * game.charge, bottom, bottom + 4, BLUE)


def draw_aim(aim: Aim) -> None:
    """Draw the aim line, the surface it hits, and the rebound from things that a bullet does not cut."""
    (x, y), (nx, ny) = aim.impact.point, aim.impact.normal
    way = math.dist(aim.start, (x, y))
    dashes = [along(aim.start, (x, y), reach / way) for reach in range(0, int(way) - 9, 9)]
    dashes = [*dashes[: len(dashes) // 2 * 2], (x - 9 * ny, y + 9 * nx), (x + 9 * ny, y - 9 * nx)]
    color = aim.thing.color
    if not aim.thing.breaks and way > 0.0:
        dx, dy = (x - aim.start[0]) / way, (y - aim.start[1]) / way
        into = dx * nx + dy * ny
        dashes += [(x, y), (x + 60 * (dx - 2 * into * nx), y + 60 * (dy - 2 * into * ny))]
    arcade.draw_lines(dashes, shaded(color, 1.3).replace(a=170), 1)


def picture(shape: Polygon, color: Color) -> ShapeElementList[Shape]:
    """Make the drawing of a polygon: a facet for each triangle of its convex pieces, and a rim."""
    corners: list[Vector] = []
    colors: list[Color] = []
    for piece in shape.pieces:
        first = piece.points[0]
        for second, third in zip(piece.points[1:], piece.points[2:], strict=False):
            x, y = (first[0] + second[0] + third[0]) / 3, (first[1] + second[1] + third[1]) / 3
            lit = (x * LIGHT[0] + y * LIGHT[1]) / (math.hypot(x, y) + 9.0)
            corners += [first, second, third]
            colors += [shaded(color, 0.52 + 0.2 * lit)] * 3
    painted: ShapeElementList[Shape] = ShapeElementList()
    painted.append(create_triangles_filled_with_colors(corners, colors))
    painted.append(create_line_loop(shape.outline, shaded(color, 1.15), 2))
    return painted


def show(thing: Thing) -> None:
    """Draw a thing at its pose. Arcade's angles are clockwise, in degrees."""
    painted, pose = thing.picture, thing.body.pose
    painted.position, painted.angle = (pose.x, pose.y), -math.degrees(pose.angle)
    painted.draw()


def shaded(color: Color, light: float) -> Color:
    """Return a lighter or darker colour."""
    return Color(*(min(255, int(light * part)) for part in color[:3]))
