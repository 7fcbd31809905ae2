"""Shared code of the scripts that draw the pages' pictures: a sheet to draw on, and the command that writes files.

The `draw_*.py` in this folder draw the pictures. They need Pillow, which comes with Arcade.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

import impinge as im

Point = tuple[float, float]
Points = Sequence[Point]
Colour = tuple[int, int, int]

WIDTH = 960  # of a picture, in pixels
FINER = 4  # factor of the size at which pictures are drawn, then scaled down to smooth all edges
TEXT = 22  # height of letters, in pixels
COLOURS = 64  # in a file, few to keep it small
WHITE, INK, GREY = (255, 255, 255), (32, 32, 36), (128, 128, 136)
BLUE, ORANGE, GREEN = (31, 95, 168), (200, 88, 22), (20, 128, 72)


class Figure:
    """A white sheet that shows a part of the game's plane, y up. Widths of lines are in pixels."""

    def __init__(self, left: float, bottom: float, right: float, top: float) -> None:
        self.left, self.top = left, top
        self.unit = WIDTH * FINER / (right - left)
        self.image = Image.new("RGB", (WIDTH * FINER, round((top - bottom) * self.unit / FINER) * FINER), WHITE)
        self.pen = ImageDraw.Draw(self.image)

    def at(self, place: Point) -> Point:
        """Return the place on the sheet of a point of the game."""
        return (place[0] - self.left) * self.unit, (self.top - place[1]) * self.unit

    def line(self, points: Points, colour: Colour, width: float = 2.0, *, dashed: bool = False) -> None:
        """Draw a line through points."""
        on_sheet = [self.at(point) for point in points]
        for stroke in dashes(on_sheet, 8.0 * FINER) if dashed else [on_sheet]:
            self.pen.line(stroke, colour, round(width * FINER), joint="curve")

    def area(
        self, points: Points, colour: Colour, width: float = 2.0, *, fill: float = 0.0, dashed: bool = False
    ) -> None:
        """Draw an outline, and fill it with its colour at the opacity `fill`."""
        if fill > 0.0:
            self.pen.polygon([self.at(point) for point in points], paled(colour, fill))
        # The first edge is repeated, so that the first corner is joined like all others.
        self.line([*points, *points[: 1 if dashed else 2]], colour, width, dashed=dashed)

    def disk(self, centre: Point, radius: float, colour: Colour, width: float = 2.0, *, fill: float = 0.0) -> None:
        """Draw a circle."""
        turns = [math.tau * step / 120 for step in range(120)]
        rim = [(centre[0] + radius * math.cos(turn), centre[1] + radius * math.sin(turn)) for turn in turns]
        self.area(rim, colour, width, fill=fill)

    def dot(self, place: Point, colour: Colour = INK, *, hollow: bool = False) -> None:
        """Draw a point."""
        x, y = self.at(place)
        reach = 6.0 * FINER
        box = x - reach, y - reach, x + reach, y + reach
        self.pen.ellipse(box, WHITE if hollow else colour, colour, 2 * FINER)

    def arrow(self, start: Point, end: Point, colour: Colour = INK, width: float = 3.0) -> None:
        """Draw an arrow."""
        (x, y), (tip_x, tip_y) = self.at(start), self.at(end)
        length = math.hypot(tip_x - x, tip_y - y)
        ux, uy = (tip_x - x) / length, (tip_y - y) / length
        long, wide = (9.0 + 3.0 * width) * FINER, (3.0 + 1.5 * width) * FINER
        neck_x, neck_y = tip_x - long * ux, tip_y - long * uy
        self.pen.line([(x, y), (neck_x, neck_y)], colour, round(width * FINER))
        barbs = [(neck_x - side * wide * uy, neck_y + side * wide * ux) for side in (-1.0, 1.0)]
        self.pen.polygon([(tip_x, tip_y), *barbs], colour)

    def text(self, place: Point, words: str, colour: Colour = INK, anchor: str = "mm") -> None:
        """Write a text at a place; the anchor is one of Pillow's."""
        self.pen.text(self.at(place), words, colour, ImageFont.load_default(TEXT * FINER), anchor)

    def save(self, path: Path) -> None:
        """Write the picture as a PNG."""
        smooth = self.image.reduce(FINER)
        smooth.quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)


def write(pictures: Mapping[str, Callable[[], Figure]], page: str) -> None:
    """Write all pictures of a page into the folder of the command line, by default `docs/pictures`."""
    parser = argparse.ArgumentParser(description=f"Draw the pictures of the page about {page}.")
    parser.add_argument("folder", nargs="?", type=Path, default=Path(__file__).parent / "pictures")
    folder = parser.parse_args().folder
    for name, draw in pictures.items():
        draw().save(folder / name)


def standing(solid: im.Polygon | im.Box, pose: im.Pose) -> list[Point]:
    """Return the outline of a solid at a pose."""
    if isinstance(solid, im.Box):
        x, y = solid.width / 2, solid.height / 2
        outline: Points = [(-x, -y), (x, -y), (x, y), (-x, y)]
    else:
        outline = solid.vertices
    cos, sin = math.cos(pose.angle), math.sin(pose.angle)
    return [(pose.x + cos * x - sin * y, pose.y + sin * x + cos * y) for x, y in outline]


def between(start: Point, end: Point, time: float) -> Point:
    """Return the place on a straight path at a time from 0 to 1."""
    return start[0] + time * (end[0] - start[0]), start[1] + time * (end[1] - start[1])


def paled(colour: Colour, share: float) -> Colour:
    """Return a colour at an opacity on white."""
    red, green, blue = (round(255 + share * (part - 255)) for part in colour)
    return red, green, blue


def dashes(points: Points, length: float) -> list[list[Point]]:
    """Cut a line into dashes, so that each straight part begins and ends with a dash."""
    strokes = []
    for start, end in pairwise(points):
        count = max(round(math.dist(start, end) / length / 2.0), 1)
        # There is one gap less than dashes.
        share = 1.0 / (2 * count - 1)
        strokes += [
            [between(start, end, 2 * i * share), between(start, end, (2 * i + 1) * share)] for i in range(count)
        ]
    return strokes
