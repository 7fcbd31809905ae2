"""The pictures of `sokoban_rush`: what Arcade does not bring is painted here, once. Nothing that moves."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache
from typing import Final

import arcade
import PIL.Image
import PIL.ImageDraw
import PIL.ImageFont
from arcade.types import Color

__all__ = ["COLOURS", "SHARP", "TILE", "crate", "grate", "iron", "machine", "pad", "rails", "wall"]

TILE: Final = 48  # pixels
SHARP: Final = 2  # pixels of a picture to a pixel of the window
FONT: Final = ":resources:fonts/ttf/Liberation/Liberation_Sans_Bold.ttf"
TILES: Final = ":resources:images/tiles/"

# Each colour has a shape of its own too: the number of its corners, and its turn in degrees.
COLOURS: Final = {
    "r": (Color(226, 74, 62), 3, 30),
    "g": (Color(46, 160, 92), 4, 0),
    "b": (Color(52, 120, 220), 32, 0),
    "y": (Color(240, 176, 32), 6, 0),
}
SHADOW: Final = (20, 24, 36, 90)
STEEL: Final = (104, 112, 128, 255)
BRIGHT: Final = (176, 184, 200, 255)
DARK: Final = (52, 58, 72, 255)
HAZARD: Final = (250, 196, 40, 255)
MAGNET: Final = (216, 60, 56, 255)


class Painting:
    """A square picture in the making, with a place for everything in pixels of the window, y down."""

    def __init__(self, size: float, base: PIL.Image.Image | None = None) -> None:
        side = round(SHARP * size)
        empty = PIL.Image.new("RGBA", (side, side))
        self.image = empty if base is None else base.convert("RGBA").resize((side, side))
        self.pen = PIL.ImageDraw.Draw(self.image, "RGBA")
        self.middle = size / 2

    def box(self, inset: float, colour: tuple[int, ...], radius: float = 0.0, line: float = 0.0) -> None:
        """Paint a square around the middle, or with a line its border."""
        ends = SHARP * inset, SHARP * inset, self.image.width - SHARP * inset - 1, self.image.width - SHARP * inset - 1
        if line:
            self.pen.rounded_rectangle(ends, SHARP * radius, outline=colour, width=round(SHARP * line))
        else:
            self.pen.rounded_rectangle(ends, SHARP * radius, fill=colour)

    def shape(self, colour: str, radius: float, opacity: int = 255) -> None:
        """Paint the shape that belongs to a colour."""
        fill, corners, turn = COLOURS[colour]
        angles = [math.radians(turn - 360 * corner / corners) for corner in range(corners)]
        middle, length = SHARP * self.middle, SHARP * radius
        points = [(middle + length * math.cos(angle), middle + length * math.sin(angle)) for angle in angles]
        self.pen.polygon(points, fill=(*fill.rgb, opacity))

    def words(self, words: str, size: float) -> None:
        """Write around the middle."""
        font = PIL.ImageFont.truetype(str(arcade.resources.resolve(FONT)), round(SHARP * size))
        middle = SHARP * self.middle
        border = (20, 24, 36, 255)
        self.pen.text((middle, middle), words, "white", font, "mm", stroke_width=SHARP, stroke_fill=border)

    def texture(self) -> arcade.Texture:
        """Hand it over."""
        return arcade.Texture(self.image)


@cache
def crate(colour: str, number: int) -> arcade.Texture:
    """Paint a wooden crate."""
    painting = Painting(40, arcade.load_texture(f"{TILES}boxCrate.png").image)
    painting.box(6, (104, 68, 34, 255), 2)
    painting.shape(colour, 15)
    painting.words(str(number), 15)
    return painting.texture()


@cache
def iron(number: int, is_coupling: bool) -> arcade.Texture:
    """Paint a block of iron; the sticky sides of a coupling are red."""
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
    """Paint a cart, a tug or the head of a piston; its front is to the right, or turned from there by degrees."""
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
    """Paint the place where a crate belongs, without it or with it."""
    painting = Painting(TILE)
    border = (*COLOURS[colour][0].rgb, 255)
    painting.box(1, (*COLOURS[colour][0].rgb, 200 if done else 60), 6)
    painting.box(1, border, 6, 2.5)
    painting.shape(colour, 15, 255 if not done else 120)
    if done:
        painting.pen.line([(26, 50), (42, 66), (72, 30)], fill=(255, 255, 255, 255), width=12, joint="curve")
    return painting.texture()


@cache
def grate() -> arcade.Texture:
    """Paint posts that let a robot through."""
    painting = Painting(TILE)
    for x in (12, 48, 84):
        for y in (12, 48, 84):
            painting.pen.ellipse((x - 9, y - 9, x + 9, y + 13), fill=SHADOW)
            painting.pen.ellipse((x - 9, y - 9, x + 9, y + 9), fill=DARK)
            painting.pen.ellipse((x - 5, y - 6, x + 5, y + 4), fill=HAZARD)
    return painting.texture()


def wall(x: float, y: float, in_front: bool) -> arcade.Sprite:
    """Make a piece of wall; what is in front of the room's floor shows its bricks."""
    sprite = arcade.Sprite(f"{TILES}brickTextureWhite.png", TILE / 128, x, y)
    sprite.color = Color(120, 134, 164) if in_front else Color(84, 96, 124)
    return sprite


def rails(ends: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the lines of a track between two places: sleepers, and the two rails."""
    (x, y), (far_x, far_y) = ends
    length = math.hypot(far_x - x, far_y - y)
    across, up = (far_x - x) / length, (far_y - y) / length
    points = []
    for side in (-9.0, 9.0):
        points += [(x - side * up, y + side * across), (far_x - side * up, far_y + side * across)]
    for way in range(0, round(length) + 1, 12):
        points += [(x + way * across + turn * up, y + way * up - turn * across) for turn in (-14.0, 14.0)]
    return points
