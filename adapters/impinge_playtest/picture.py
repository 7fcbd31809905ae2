"""Pictures of a level: when its places were reached, the routes, the findings; and a replay as a GIF. By Pillow."""

from __future__ import annotations

import colorsys
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np
from PIL import Image, ImageDraw, ImageFont

import impinge as im
from impinge.shapes.solids import Solid
from impinge_playtest.explorer import Exploration
from impinge_playtest.level import Area, Level
from impinge_playtest.moves import Moves
from impinge_playtest.replay import play
from impinge_playtest.tracks import Floats, Ints, Tracks

__all__ = ["HEAT", "draw", "record", "route_colour"]

Colour: TypeAlias = tuple[int, int, int]

WIDTH, HEIGHT = 1800, 1200  # of a picture at most, in pixels
SMALL = 640  # width of a GIF at most
FINER = 2  # factor of the size at which pictures are drawn
EVERY = 3  # frames of 1/60 s between two pictures of a GIF
LINGER = 20  # pictures of a GIF after its end
VOID, WALL, PLANK, MOVER = (18, 21, 30), (112, 120, 136), (176, 140, 90), (236, 140, 48)
LADDER, DEADLY, GOAL, COIN = (150, 110, 70), (220, 40, 60), (70, 220, 120), (250, 210, 60)
PLAYER, ALARM, PALE = (255, 255, 255), (255, 64, 84), (214, 220, 230)
# Colours of the heat map, from soon to late.
HEAT: tuple[Colour, ...] = ((44, 62, 120), (40, 110, 142), (32, 150, 130), (110, 190, 80), (230, 215, 60))


class Sheet:
    """A picture of a part of a level, y up."""

    def __init__(self, area: Area, width: int, height: int) -> None:
        self.area = area
        self.unit = min(width / (area.right - area.left), height / (area.top - area.bottom)) * FINER
        size = (
            max(1, math.ceil((area.right - area.left) * self.unit / FINER)) * FINER,
            max(1, math.ceil((area.top - area.bottom) * self.unit / FINER)) * FINER,
        )
        self.image = Image.new("RGB", size, VOID)
        self.pen = ImageDraw.Draw(self.image)

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Return the pixel of a point of the level."""
        return (x - self.area.left) * self.unit, (self.area.top - y) * self.unit

    def box(self, area: Area, fill: Colour | None, outline: Colour | None = None) -> None:
        """Draw a rectangle, at least a pixel wide."""
        left, top = self.at(area.left, area.top)
        right, bottom = self.at(area.right, area.bottom)
        self.pen.rectangle((left, top, max(right, left + FINER), max(bottom, top + FINER)), fill, outline, FINER)

    def solid(self, shape: Solid, pose: im.Pose, fill: Colour) -> None:
        """Draw a shape."""
        cosine, sine = math.cos(pose.angle), math.sin(pose.angle)
        for piece in shape.pieces:
            points = [self.at(pose.x + x * cosine - y * sine, pose.y + x * sine + y * cosine) for x, y in piece.points]
            radius = piece.radius * self.unit
            if len(points) > 2:
                self.pen.polygon(points, fill)
            if radius > 0.0 or len(points) < 3:
                self.pen.line([*points, points[0]], fill, max(1, round(2.0 * radius)), joint="curve")
                for x, y in points:
                    self.pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill)

    def text(self, x: float, y: float, words: str, colour: Colour, size: float = 13.0) -> None:
        """Write words around a pixel, inside the picture."""
        font = ImageFont.load_default(size * FINER)
        left, top, right, bottom = self.pen.textbbox((x, y), words, font, anchor="mm")
        x += max(0.0, 2.0 - left) - max(0.0, right + 2.0 - self.image.width)
        y += max(0.0, 2.0 - top) - max(0.0, bottom + 2.0 - self.image.height)
        self.pen.text((x, y), words, colour, font, anchor="mm", stroke_width=FINER, stroke_fill=VOID)

    def finished(self) -> Image.Image:
        """Return the picture at its own size."""
        return self.image.reduce(FINER)


def draw(exploration: Exploration, path: Path) -> None:
    """Draw what was reached and when, the routes to goals, and the findings."""
    level = exploration.level
    sheet = Sheet(_view(level, exploration.places), WIDTH, HEIGHT)
    half = exploration.cell_size / 2
    heats = heat(exploration.first)
    for (x, y), colour in zip(exploration.places.tolist(), heats, strict=True):
        sheet.box(Area("", x - half, y - half, x + half, y + half), colour)
    _draw_level(sheet, level)
    _draw_movers(sheet, level)
    for number, route in enumerate(exploration.routes):
        places = play(level, exploration.moves, route.inputs).places
        sheet.pen.line([sheet.at(x, y) for x, y in places.tolist()], route_colour(number), 2 * FINER, joint="curve")
    reached = {route.name for route in exploration.routes}
    for area in level.goals + level.coins:
        colour = GOAL if area in level.goals else COIN
        sheet.box(area, None, colour if area.name in reached else ALARM)
        x, y = sheet.at((area.left + area.right) / 2, area.top)
        sheet.text(x, y - 9 * FINER, area.name, colour if area.name in reached else ALARM, 11.0)
    for finding in exploration.findings:
        x, y = sheet.at(finding.x, finding.y)
        around = 10 * FINER
        sheet.pen.ellipse((x - around, y - around, x + around, y + around), None, ALARM, 2 * FINER)
        if finding.kind != "unreached":
            sheet.text(x, y + around + 9 * FINER, finding.name, ALARM, 12.0)
    x, y = sheet.at(level.start.x, level.start.y)
    sheet.text(x, y, "start", PLAYER, 11.0)
    sheet.finished().save(path, "PNG", optimize=True)


def record(level: Level, moves: Moves, inputs: Sequence[int] | Ints, path: Path) -> None:
    """Draw a replay as a GIF."""
    places = play(level, moves, inputs).places
    sheet = Sheet(_view(level, places), SMALL, SMALL)
    _draw_level(sheet, level)
    for area in level.goals + level.coins:
        sheet.box(area, None, GOAL if area in level.goals else COIN)
    blank, tracks = sheet.image, Tracks(level.tracks)
    shape, pictures = level.world.body(level.player).shape, []
    shown = sorted({*range(0, len(places), EVERY), len(places) - 1})
    for frame in shown:
        sheet.image = blank.copy()
        sheet.pen = ImageDraw.Draw(sheet.image)
        poses = tracks.poses(np.array([frame]))[0]
        for body, (x, y, angle) in zip(tracks.bodies.tolist(), poses.tolist(), strict=True):
            sheet.solid(level.world.body(body).shape, im.Pose(x, y, angle), MOVER)
        sheet.pen.line([sheet.at(x, y) for x, y in places[: frame + 1].tolist()], GOAL, FINER)
        x, y = places[frame].tolist()
        sheet.solid(shape, im.Pose(x, y, level.start.angle), PLAYER)
        pictures.append(sheet.finished().quantize(32, dither=Image.Dither.NONE))
    pictures += pictures[-1:] * LINGER
    first, *others = pictures
    first.save(path, "GIF", save_all=True, append_images=others, duration=1000 * EVERY // 60, loop=0, optimize=True)


def heat(first: Ints) -> list[Colour]:
    """Return a colour for each number of frames."""
    shares = np.sqrt(first / max(1, int(first.max()))) * (len(HEAT) - 1)
    low = np.minimum(shares.astype(np.int64), len(HEAT) - 2)
    colours = np.array(HEAT, float)
    mixed = colours[low] + (shares - low)[:, None] * (colours[low + 1] - colours[low])
    return [(int(red), int(green), int(blue)) for red, green, blue in mixed.tolist()]


def route_colour(number: int) -> Colour:
    """Return the colour of a route: neighbours differ."""
    red, green, blue = colorsys.hls_to_rgb(0.83 + 0.381966 * number, 0.72, 0.95)
    return int(255 * red), int(255 * green), int(255 * blue)


def _view(level: Level, places: Floats) -> Area:
    """Return the part of the plane to show: reached places and areas with some of what is around them."""
    border, size = level.border, level.size
    around = 2.0 * max(size.right - size.left, size.top - size.bottom)
    areas = [*level.goals, *level.coins]
    xs = [border.left, border.right, *places[:, 0].tolist()]
    low = min([float(places[:, 1].min()), *(area.bottom for area in areas)])
    high = max([float(places[:, 1].max()), *(area.top for area in areas)])
    return Area("view", min(xs) + size.left, low - around, max(xs) + size.right, high + around)


def _draw_level(sheet: Sheet, level: Level) -> None:
    for area in level.ladders:
        sheet.box(area, LADDER)
    one_way = set(level.one_way.tolist())
    for body in level.world:
        if body.index not in level.tracks and body.index != level.player and body.might > 0:
            sheet.solid(body.shape, body.pose, PLANK if body.index in one_way else WALL)
    for area in level.deadly:
        sheet.box(area, None, DEADLY)


def _draw_movers(sheet: Sheet, level: Level) -> None:
    """Draw moving bodies at their first pose, and the way of their middle."""
    for index, track in level.tracks.items():
        body = level.world.body(index)
        sheet.solid(body.shape, body.pose, MOVER)
        _line(sheet, ((x, y) for x, y, _ in track.poses.tolist()), PALE)


def _line(sheet: Sheet, points: Iterable[tuple[float, float]], colour: Colour) -> None:
    sheet.pen.line([sheet.at(x, y) for x, y in points], colour, FINER)
