"""The drawing of `sokoban_rush`, with paintings of what Arcade does not bring. No rules.

The tiles and the robot are Kenney's (kenney.nl); Arcade brings them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Final

import arcade
import PIL.Image
import PIL.ImageDraw
import PIL.ImageFont
from arcade.types import Color

from impinge import Body, Side
from impinge_arcade import draw_debug
from impinge_demos.controls import Controls
from impinge_demos.demo import BAR, HEIGHT, INK, PAPER, SPARK, WIDTH, text
from impinge_demos.sokoban_rush_halls import BELTS, TILE, middle

if TYPE_CHECKING:
    from impinge_demos.sokoban_rush import Game

__all__ = ["FLOORING", "Picture"]

Points = list[tuple[float, float]]

SHARP: Final = 2  # pixels of a painting to a pixel of the window
FONT: Final = ":resources:fonts/ttf/Liberation/Liberation_Sans_Bold.ttf"
TILES: Final = ":resources:images/tiles/"
ROBOT: Final = ":resources:images/animated_characters/robot/robot_"

# Each colour also has a shape: the number of its corners, and its angle in degrees.
SHAPES: Final = {
    "r": (Color(226, 74, 62), 3, 30),
    "g": (Color(46, 160, 92), 4, 0),
    "b": (Color(52, 120, 220), 32, 0),
    "y": (Color(240, 176, 32), 6, 0),
}
SHADOW: Final = Color(20, 24, 36, 90)
STEEL: Final = Color(104, 112, 128)
BRIGHT: Final = Color(176, 184, 200)
DARK: Final = Color(52, 58, 72)
HAZARD: Final = Color(250, 196, 40)
MAGNET: Final = Color(216, 60, 56)
PANEL: Final = Color(104, 68, 34)

FLOORING: Final = Color(222, 220, 212)
JOINT: Final = Color(208, 206, 198)
BRICKS: Final = Color(84, 96, 124)
FRONT: Final = Color(120, 134, 164)  # bricks of walls that face the player
TRACK: Final = Color(150, 146, 136)
DANGER: Final = Color(250, 214, 120)
RUBBER: Final = Color(74, 80, 96)
ARROW: Final = Color(150, 160, 184)
JAM: Final = Color(235, 40, 40)
VEIL: Final = Color(40, 90, 200, 70)
PUSH: Final = Color(0, 120, 210)

LAMP: Final = 30  # frames for which a machine blinks before it starts
BESIDE: Final = 32  # pixels between the middles of bodies and the arrow of a push
ARROWHEAD: Final = ((8, 0), (-6, 8), (-6, -8))
METER: Final = 120  # pixels of the meter at a full tape


class Painting:
    """A square painting. Its coordinates are pixels of the window, y down."""

    def __init__(self, size: float, base: PIL.Image.Image | None = None) -> None:
        side = round(SHARP * size)
        empty = PIL.Image.new("RGBA", (side, side))
        self.image = empty if base is None else base.convert("RGBA").resize((side, side))
        self.pen = PIL.ImageDraw.Draw(self.image, "RGBA")
        self.middle = size / 2

    def box(self, inset: float, colour: Color, radius: float = 0.0, line: float = 0.0) -> None:
        """Paint a square around the middle, or only its border if `line` is not 0."""
        ends = SHARP * inset, SHARP * inset, self.image.width - SHARP * inset - 1, self.image.width - SHARP * inset - 1
        if line:
            self.pen.rounded_rectangle(ends, SHARP * radius, outline=colour, width=round(SHARP * line))
        else:
            self.pen.rounded_rectangle(ends, SHARP * radius, fill=colour)

    def shape(self, colour: str, radius: float, opacity: int = 255) -> None:
        """Paint the shape of a colour."""
        fill, corners, turn = SHAPES[colour]
        angles = [math.radians(turn - 360 * corner / corners) for corner in range(corners)]
        middle, length = SHARP * self.middle, SHARP * radius
        points = [(middle + length * math.cos(angle), middle + length * math.sin(angle)) for angle in angles]
        self.pen.polygon(points, fill=(*fill.rgb, opacity))

    def words(self, words: str, size: float) -> None:
        """Write a text in the middle."""
        font = PIL.ImageFont.truetype(str(arcade.resources.resolve(FONT)), round(SHARP * size))
        middle = SHARP * self.middle
        self.pen.text((middle, middle), words, "white", font, "mm", stroke_width=SHARP, stroke_fill=INK)

    def texture(self) -> arcade.Texture:
        """Return the texture."""
        return arcade.Texture(self.image)


@cache
def crate(colour: str, number: int) -> arcade.Texture:
    """Paint a wooden crate."""
    painting = Painting(40, arcade.load_texture(f"{TILES}boxCrate.png").image)
    painting.box(6, PANEL, 2)
    painting.shape(colour, 15)
    painting.words(str(number), 15)
    return painting.texture()


@cache
def iron(number: int, is_coupling: bool) -> arcade.Texture:
    """Paint a block of iron. The sticky sides of a coupling are red."""
    painting = Painting(40)
    painting.box(0, DARK, 5)
    painting.box(2, STEEL, 4)
    painting.box(7, BRIGHT, 3, 1.5)
    for x in (9, 71):
        for y in (9, 71):
            painting.pen.ellipse((x - 3, y - 3, x + 3, y + 3), fill=BRIGHT)
    for x in (0, 74) if is_coupling else ():
        painting.pen.rectangle((x, 12, x + 5, 67), fill=MAGNET)
    painting.words(str(number), 14)
    return painting.texture()


@cache
def machine(kind: str, number: int, turn: int) -> arcade.Texture:
    """Paint a cart, a tug or the head of a piston. Its front is on the right, rotated by degrees."""
    painting = Painting(44)
    painting.box(0, DARK, 3)
    painting.box(2, HAZARD, 2)
    for x in range(-88, 88, 28):
        painting.pen.polygon([(x, 88), (x + 14, 88), (x + 102, 0), (x + 88, 0)], fill=DARK)
    painting.box(7, STEEL, 3)
    painting.pen.rectangle((70, 0, 87, 87), fill=MAGNET if kind == "tug" else BRIGHT)
    painting.pen.rectangle((70, 26, 87, 61), fill=BRIGHT if kind == "tug" else STEEL)
    turned = Painting(44, painting.image.rotate(turn))
    turned.words(str(number), 14)
    return turned.texture()


@cache
def pad(colour: str, done: bool) -> arcade.Texture:
    """Paint a pad, without its crate or with it."""
    painting = Painting(TILE)
    color = SHAPES[colour][0]
    painting.box(1, color.replace(a=200 if done else 60), 6)
    painting.box(1, color, 6, 2.5)
    painting.shape(colour, 15, 255 if not done else 120)
    if done:
        painting.pen.line([(26, 50), (42, 66), (72, 30)], fill=(255, 255, 255, 255), width=12, joint="curve")
    return painting.texture()


@cache
def posts() -> arcade.Texture:
    """Paint posts. A robot fits between them, a crate does not."""
    painting = Painting(TILE)
    for x in (16, 48, 80):
        for y in (16, 48, 80):
            painting.pen.ellipse((x - 9, y - 9, x + 9, y + 13), fill=SHADOW)
            painting.pen.ellipse((x - 9, y - 9, x + 9, y + 9), fill=DARK)
            painting.pen.ellipse((x - 5, y - 6, x + 5, y + 4), fill=HAZARD)
    return painting.texture()


class Picture:
    """The drawing of a hall: static parts are made once, moving sprites follow their bodies."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.ground: arcade.shape_list.ShapeElementList[arcade.shape_list.Shape] = arcade.shape_list.ShapeElementList()
        self.standing: arcade.SpriteList[arcade.Sprite] = arcade.SpriteList()
        self.belts = [(middle(cell), BELTS[letter]) for cell, letter in game.plan.items() if letter in BELTS]
        self.draw_ground()
        self.build()
        self.pads = sprites(painted(pad(each.colour, False), each.place.x, each.place.y) for each in game.pads)
        self.crates = sprites(
            painted(
                crate(each.colour, each.body.might) if each.colour else iron(each.body.might, bool(each.body.sticky))
            )
            for each in game.crates
        )
        turns = [round(math.degrees(math.atan2(*each.track.direction[::-1]))) for each in game.machines]
        self.machines = sprites(
            painted(machine(each.track.kind, each.body.might, turn))
            for each, turn in zip(game.machines, turns, strict=True)
        )
        names = ["idle", "climb0", "climb1", *(f"walk{number}" for number in range(8))]
        self.rightward = {name: arcade.load_texture(f"{ROBOT}{name}.png") for name in names}
        self.leftward = {name: texture.flip_left_right() for name, texture in self.rightward.items()}
        self.facing = self.rightward
        self.robot = arcade.Sprite(self.facing["idle"], 0.46)
        self.robots = sprites([self.robot])
        self.rank = text(0, 0, 14, INK, "center", str(game.robot.might))
        self.meter = text(14, 21, 10, PAPER, words="to rewind")
        self.show(Controls())

    def draw_ground(self) -> None:
        """Draw the joints of the floor, the tracks, the belts, and the roof behind the lines of text."""
        roof = arcade.shape_list.create_rectangle_filled(WIDTH / 2, HEIGHT - BAR / 2, WIDTH, BAR, BRICKS)
        self.add_lines([(x, y) for x in range(0, WIDTH, TILE) for y in (0, HEIGHT)], JOINT, 2)
        self.add_lines([(x, y) for y in range(0, HEIGHT, TILE) for x in (0, WIDTH)], JOINT, 2)
        for each in self.game.machines:
            ends: Points = [(stop.x, stop.y) for stop in each.stops]
            if each.track.kind == "piston":
                self.add_lines(ends, DANGER, 44)
            else:
                self.add_lines(rails(*ends), TRACK, 3)
        for place, (across, up) in self.belts:
            sizes = TILE if across else TILE - 8, TILE if up else TILE - 8
            self.ground.append(arcade.shape_list.create_rectangle_filled(place.x, place.y, *sizes, RUBBER))
        self.ground.append(roof)

    def add_lines(self, points: Points, color: Color, width: float) -> None:
        """Add lines to the ground, two points each."""
        for start, end in zip(points[::2], points[1::2], strict=True):
            self.ground.append(arcade.shape_list.create_line(*start, *end, color, width))

    def build(self) -> None:
        """Add the sprites of walls and posts."""
        for (column, row), letter in self.game.plan.items():
            place = middle((column, row))
            if letter == "%":
                self.standing.append(painted(posts(), place.x, place.y))
            elif letter == "#":
                wall = arcade.Sprite(f"{TILES}brickTextureWhite.png", TILE / 128, place.x, place.y)
                wall.color = BRICKS if self.game.plan.get((column, row - 1), "#") == "#" else FRONT
                self.standing.append(wall)

    def show(self, controls: Controls) -> None:
        """Place every sprite at its body."""
        game = self.game
        bodies = [each.body for each in game.crates] + [each.body for each in game.machines]
        for body, sprite in zip(bodies, (*self.crates, *self.machines), strict=True):
            sprite.position = body.pose.x, body.pose.y
        for each, sprite in zip(game.crates, self.crates, strict=True):
            sprite.visible = not each.is_sunk
        done = {each.colour for each in game.crates if each.is_sunk}
        for place, sprite in zip(game.pads, self.pads, strict=True):
            sprite.texture = pad(place.colour, place.colour in done)
        x, y = game.robot.pose.x, game.robot.pose.y
        if controls.x:
            self.facing = self.rightward if controls.x > 0 else self.leftward
        name = f"walk{int((x - y) // 8) % 8}" if controls.x or controls.y else "idle"
        if controls.y > 0 and not controls.x:
            name = f"climb{int(y // 16) % 2}"
        self.robot.texture = self.facing[name]
        self.robot.center_x, self.robot.bottom = x, y - 18
        self.robot.color = JAM if "crushed" in game.now else arcade.color.WHITE

    def draw(self) -> None:
        """Draw the frame."""
        self.ground.draw()
        self.draw_belts()
        self.pads.draw()
        for each in self.game.machines:
            if each.track.kind == "piston":
                home, head = each.stops[0], each.body.pose
                arcade.draw_line(home.x, home.y, head.x, head.y, BRICKS, 16)
        self.standing.draw()
        for members in (self.crates, self.machines, self.robots):
            members.draw()
        arcade.draw_lines([point for body, sides in self.game.jams.items() for point in edges(body, sides)], JAM, 5)
        for each in self.game.machines:
            if each.heading and 0 < each.rest < LAMP and each.rest % 10 < 5:
                arcade.draw_circle_filled(each.body.pose.x, each.body.pose.y, 15, JAM.replace(a=110))
                arcade.draw_circle_filled(each.body.pose.x, each.body.pose.y, 8, JAM)
        self.draw_tape()

    def draw_belts(self) -> None:
        """Draw the moving arrows on the belts."""
        points: Points = []
        way = 2 * self.game.frame % (TILE / 2)
        for place, (across, up) in self.belts:
            for start in (way - TILE / 2, way):
                x, y = place.x + start * across, place.y + start * up
                for turn in (-9, 9):
                    points += [(x, y), (x - 7 * across + turn * up, y - 7 * up + turn * across)]
        arcade.draw_lines(points, ARROW, 3)

    def draw_tape(self) -> None:
        """Draw how much can be rewound, and a veil during a rewind."""
        if "rewound" in self.game.now:
            arcade.draw_lrbt_rectangle_filled(0, WIDTH, 0, HEIGHT - BAR, VEIL)
            lines = range(self.game.frame % 12, HEIGHT - BAR, 12)
            arcade.draw_lines([(x, y) for y in lines for x in (0, WIDTH)], VEIL, 2)
        tape = self.game.tape
        arcade.draw_lrbt_rectangle_filled(8, 20 + METER, 4, 36, INK)
        self.meter.draw()
        if tape:
            arcade.draw_lrbt_rectangle_filled(14, 14 + METER * len(tape) / (tape.maxlen or 1), 10, 16, SPARK)

    def draw_debug(self) -> None:
        """Draw the adapter's debug drawing of the world, and an arrow for each push."""
        draw_debug(self.game)
        for event in self.game.foreman.pushes:
            (across, up), start, end = event.normal, event.mighty.pose, event.weak.pose
            x, y = end.x - BESIDE * up, end.y + BESIDE * across
            arcade.draw_line(start.x - BESIDE * up, start.y + BESIDE * across, x, y, PUSH, 4)
            tip, left, right = ((x + a * across - b * up, y + a * up + b * across) for a, b in ARROWHEAD)
            arcade.draw_triangle_filled(*tip, *left, *right, PUSH)
        self.rank.position = self.game.robot.pose.x, self.game.robot.pose.y - 6
        self.rank.draw()


def rails(start: tuple[float, float], end: tuple[float, float]) -> Points:
    """Return the lines of a track: two rails, and the sleepers."""
    (x, y), (far_x, far_y) = start, end
    length = math.dist(start, end)
    across, up = (far_x - x) / length, (far_y - y) / length
    points: Points = []
    for side in (-9.0, 9.0):
        points += [(x - side * up, y + side * across), (far_x - side * up, far_y + side * across)]
    for way in range(0, round(length) + 1, 12):
        points += [(x + way * across + side * up, y + way * up - side * across) for side in (-14.0, 14.0)]
    return points


def edges(body: Body, sides: Side) -> Points:
    """Return lines along some sides of a body."""
    left, bottom, right, top = body.shape.bounds(body.pose)
    corners = {
        Side.LEFT: [(left, bottom), (left, top)],
        Side.RIGHT: [(right, bottom), (right, top)],
        Side.BOTTOM: [(left, bottom), (right, bottom)],
        Side.TOP: [(left, top), (right, top)],
    }
    return [point for side in sides for point in corners[side]]


def painted(texture: arcade.Texture, x: float = 0.0, y: float = 0.0) -> arcade.Sprite:
    """Return a sprite of a painting."""
    return arcade.Sprite(texture, 1 / SHARP, x, y)


def sprites(members: Iterable[arcade.Sprite]) -> arcade.SpriteList[arcade.Sprite]:
    """Return a sprite list."""
    made: arcade.SpriteList[arcade.Sprite] = arcade.SpriteList()
    made.extend(members)
    return made
