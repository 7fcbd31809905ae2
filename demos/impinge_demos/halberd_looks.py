"""The drawing of `halberd`: textures that Arcade does not have, painted once, and light that walls cut. No rules."""

from __future__ import annotations

import math
from functools import cache
from typing import Any, Final

import arcade
import numpy as np
from arcade.shape_list import ShapeElementList, create_triangles_filled_with_colors
from arcade.types import Color
from numpy.typing import NDArray
from PIL import Image, ImageDraw

import impinge as im
from impinge_demos.halberd_castle import LEVEL, PILLAR, TILE, centre, marks

__all__ = ["Lights", "castle", "fighter_texture", "gate_sprite", "weapon_texture"]

FINE: Final = 8  # pixels of a painting for one of the window; a texture has 2
SHADE: Final = (14, 16, 26, 255)
STEEL: Final = (206, 214, 226, 255)
GLEAM: Final = (244, 248, 255, 255)
WOOD: Final = (152, 106, 66, 255)
TILES: Final = ":resources:images/tiles/"
FLOOR, WALL = Color(74, 78, 94), Color(146, 154, 182)


class Painting:
    """A painting. Its coordinates are pixels of the window from its middle, y up."""

    def __init__(self, width: int, height: int) -> None:
        self.image = Image.new("RGBA", (FINE * width, FINE * height))
        self.pen = ImageDraw.Draw(self.image)

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Return the pixel of the painting at a place."""
        return self.image.width / 2 + FINE * x, self.image.height / 2 - FINE * y

    def disk(self, x: float, y: float, wide: float, high: float, color: tuple[int, ...]) -> None:
        """Paint an ellipse with these half-axes."""
        self.pen.ellipse((*self.at(x - wide, y + high), *self.at(x + wide, y - high)), color)

    def area(self, color: tuple[int, ...], *points: tuple[float, float]) -> None:
        """Paint a polygon."""
        self.pen.polygon([self.at(*point) for point in points], color)

    def bar(self, left: float, right: float, half: float, color: tuple[int, ...]) -> None:
        """Paint a bar along the middle."""
        self.area(color, (left, -half), (right, -half), (right, half), (left, half))

    def texture(self) -> arcade.Texture:
        """Return it as a texture with smooth edges, for sprites at a scale of half."""
        width, height = self.image.size
        smooth = self.image.resize((2 * width // FINE, 2 * height // FINE), Image.Resampling.LANCZOS)
        return arcade.Texture(smooth, hit_box_algorithm=arcade.hitbox.algo_bounding_box)  # fast; never used


@cache
def fighter_texture(cloak: Color, crest: Color) -> arcade.Texture:
    """Paint a fighter in armour from above, facing right."""
    painting = Painting(32, 32)
    painting.disk(-1.5, 0, 10, 13.5, SHADE)
    painting.disk(-1.5, 0, 8.8, 12.3, cloak)
    for side in (-1, 1):
        painting.disk(0, 9 * side, 4.6, 4, SHADE)
        painting.disk(0, 9 * side, 3.6, 3, STEEL)
    painting.disk(1, 0, 8, 7.6, SHADE)
    painting.disk(1, 0, 6.9, 6.5, STEEL)
    painting.disk(2.2, 2, 3, 2.4, GLEAM)
    painting.area(SHADE, (5.2, -4), (7.2, -3), (7.2, 3), (5.2, 4))  # the visor
    painting.area(crest, (-9, -1.8), (3, -1.2), (3, 1.2), (-9, 1.8))
    return painting.texture()


@cache
def weapon_texture(length: int, blade: int) -> arcade.Texture:
    """Paint a weapon that points right: a pole with an axe at its end, or with a long blade a sword."""
    painting = Painting(length, 28)
    end = length / 2
    base = end - blade
    painting.bar(-end, base + 3, 1.8, SHADE)
    painting.bar(-end + 0.5, base + 3, 1.1, WOOD)
    if 2 * blade > length:
        painting.area(SHADE, (base - 2, -6), (base + 1.5, -6), (base + 1.5, 6), (base - 2, 6))
        painting.area(SHADE, (base, -2.8), (end - 5, -2.8), (end, 0), (end - 5, 2.8), (base, 2.8))
        painting.area(STEEL, (base, -1.9), (end - 5.5, -1.9), (end - 1.5, 0), (end - 5.5, 1.9), (base, 1.9))
        painting.area(GLEAM, (base, 0), (end - 1.5, 0), (end - 5.5, 1.9), (base, 1.9))
    else:
        painting.area(SHADE, (base - 2, -1), (base + 2, -13), (end - 6, -10), (end - 8, -1), (end, 0), (end - 8, 3))
        painting.area(SHADE, (base - 2, 1), (base, 9), (base + 6, 3), (end, 0))
        painting.area(STEEL, (base, -1), (base + 3, -11), (end - 8, -9), (end - 10, -1))
        painting.area(GLEAM, (base + 1, 1), (base + 1.5, 6), (base + 5, 1.5), (end - 1.5, 0), (base, -1))
    return painting.texture()


def gate_sprite() -> arcade.Sprite:
    """Paint the gate."""
    painting = Painting(208, 208)
    for half, color in ((6.0, SHADE), (4.8, WOOD)):
        painting.bar(-102 + 6 - half, 102 - 6 + half, half, color)
        painting.area(color, (-half, -96 - half), (half, -96 - half), (half, 96 + half), (-half, 96 + half))
    for number in range(-5, 6):
        for x, y in ((17.0 * number, 0.0), (0.0, 17.0 * number)):
            painting.disk(x, y, 1.8, 1.8, SHADE)
            painting.disk(x, y + 0.4, 1.1, 1.1, STEEL)
    for radius, color in ((16.0, SHADE), (14.8, STEEL), (9, SHADE), (7.8, WOOD)):
        painting.disk(0, 0, radius, radius, color)
    return arcade.Sprite(painting.texture(), 0.5)


def castle() -> arcade.SpriteList[arcade.Sprite]:
    """Make the sprites of the floor and the walls. They are only drawn."""
    made: arcade.SpriteList[arcade.Sprite] = arcade.SpriteList()
    for row, line in enumerate(LEVEL):
        for column, mark in enumerate(line):
            x, y = centre((column, row))
            is_wall = mark == "#"
            stone = arcade.Sprite(f"{TILES}{'brickGrey' if is_wall else 'stoneCenter'}.png", TILE / 128, x, y)
            shade = 5 * ((3 * column + 5 * row) % 4)
            stone.color = Color(*(part - shade for part in (WALL if is_wall else FLOOR).rgb))
            made.append(stone)
            if mark == "x":
                made.append(arcade.Sprite(f"{TILES}boxCrate_double.png", TILE / 128, x, y))
    for cell in marks("o"):
        pillar = arcade.Sprite(pillar_texture(), 0.5)
        pillar.position = centre(cell)
        made.append(pillar)
    return made


def pillar_texture() -> arcade.Texture:
    """Paint a pillar from above."""
    painting, radius = Painting(40, 40), PILLAR.radius
    for inset, color in ((0, SHADE), (1.2, (118, 130, 156, 255)), (5, SHADE), (6, (150, 162, 190, 255))):
        painting.disk(0, 0, radius - inset, radius - inset, color)
    painting.disk(-3, 3, 6, 6, (176, 188, 214, 255))
    return painting.texture()


class Lights:
    """Light and shadow of sectors, cut by walls, fading outwards from the apex. All are drawn in one call."""

    def __init__(self) -> None:
        self.points: list[Any] = []
        self.colors: list[Any] = []

    def add(self, sector: im.Sector, pose: im.Pose, walls: im.Occluders, color: Color, far: float = 0.25) -> None:
        """Add the part of a sector that the walls do not hide. At the rim the colour has `far` times its opacity."""
        whole = im.Sector(sector.radius, sector.half_angle)
        outline = im.visible_outline(whole, pose, walls, tolerance=0.5)
        if len(outline) < 3:
            return
        apex = np.array((pose.x, pose.y))
        # Without the apex: the points of the rim. The inner arc bounds the quads on the other side.
        rim = outline[1:] if sector.half_angle < math.pi else np.concatenate((outline, outline[:1]))
        distances = np.hypot(*(rim - apex).T)
        inner = apex + (rim - apex) * np.minimum(1.0, sector.inner_radius / np.maximum(distances, 1e-9))[:, None]
        quads = np.stack((inner[:-1], rim[:-1], rim[1:], inner[:-1], rim[1:], inner[1:]), axis=1).reshape(-1, 2)
        self.points += quads.tolist()
        self.colors += self.shades(quads - apex, sector, color, far)

    def shades(self, places: NDArray[np.float64], sector: im.Sector, color: Color, far: float) -> list[Any]:
        """Return the colour of each place."""
        part = np.clip((np.hypot(*places.T) - sector.inner_radius) / (sector.radius - sector.inner_radius), 0, 1)
        alphas = color.a * (1 - (1 - far) * part)
        return [(*color.rgb, int(alpha)) for alpha in alphas]

    def draw(self) -> None:
        """Draw all sectors, and forget them."""
        if self.points:
            shapes = ShapeElementList[Any]()
            shapes.append(create_triangles_filled_with_colors(self.points, self.colors))
            shapes.draw()
        self.points, self.colors = [], []
