"""Draw the picture of the page about strokes: `python docs/draw_howto-melee.py` writes `docs/pictures/howto-melee.png`.

`impinge.Attack` computes the picture, frame by frame. The script needs Pillow, which comes with Arcade.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from drawing import BLUE, GREEN, GREY, INK, ORANGE, Colour, Figure, standing, write

import impinge as im

KNIGHT = im.Pose(0, 0)
BLADE = im.Sector(110, half_angle=0.08, inner_radius=50)
HALBERD = im.Attack(BLADE, windup=0.2, active=0.15, recovery=0.3, swing=-2.4, knockback=12)
GOBLIN = im.Circle(12)
PLACES = {"Ash": (25.0, 12.0), "Bo": (55.0, 65.0), "Cal": (95.0, 15.0), "Dot": (92.0, -62.0), "Eve": (135.0, -5.0)}
WALL, WALL_PLACE = im.Box(8, 70), im.Pose(55, -45, angle=0.6)
FRAME = 1 / 60  # seconds
THROWN = 2.5  # factor of the drawn knockback
TOLERANCE = 0.02


def draw_stroke() -> Figure:
    """Draw the area that a halberd sweeps, the blade at the ends of the frames, and its hits."""
    figure = Figure(-30.0, -112.0, 170.0, 112.0)
    reach = im.Sector(BLADE.radius, 0.5 * abs(HALBERD.swing) + BLADE.half_angle, BLADE.inner_radius)
    outline(figure, reach, KNIGHT, BLUE, width=0.0, fill=0.12)
    stroke: im.Swing[str] = HALBERD.start()
    goblins = {name: (GOBLIN, im.Pose(*place)) for name, place in PLACES.items()}
    struck: dict[str, im.Strike[str]] = {}
    bearings = []
    while stroke.phase in ("windup", "active"):
        begun = stroke.elapsed
        for strike in stroke.step(FRAME, KNIGHT, goblins, [(WALL, WALL_PLACE)]):
            struck[strike.target] = strike
            bearings.append(HALBERD.bearing(begun + FRAME * strike.time))
        if stroke.phase == "active":
            outline(figure, BLADE, stroke.pose(KNIGHT), BLUE, width=1.5, fill=0.15)
    for bearing in bearings:
        outline(figure, BLADE, im.Pose(0, 0, bearing), ORANGE, width=2.5, fill=0.35)
    figure.area(standing(WALL, WALL_PLACE), INK, 2.5, fill=0.6)
    for name, (x, y) in PLACES.items():
        hit = struck.get(name)
        figure.disk((x, y), GOBLIN.radius, GREY if hit is None else GREEN, 2.5, fill=0.15 if hit is None else 0.4)
        figure.text((x, y), name, GREY if hit is None else INK)
        if hit is not None:
            away = GOBLIN.radius * hit.direction[0], GOBLIN.radius * hit.direction[1]
            start = x + away[0], y + away[1]
            figure.arrow(start, (start[0] + THROWN * hit.knockback[0], start[1] + THROWN * hit.knockback[1]))
            figure.dot(hit.point)
    figure.dot((KNIGHT.x, KNIGHT.y))
    half = 0.5 * abs(HALBERD.swing) + 0.2
    figure.text((58 * math.cos(half), 58 * math.sin(half)), "from here", BLUE, "rm")
    figure.text((58 * math.cos(half), -58 * math.sin(half)), "to here", BLUE, "rm")
    return figure


def outline(figure: Figure, sector: im.Sector, pose: im.Pose, colour: Colour, *, width: float, fill: float) -> None:
    """Draw a sector at its pose; without a width, only its inside."""
    points = np.asarray(im.visible_outline(sector, pose, (), TOLERANCE)).tolist()
    figure.area([(x, y) for x, y in points], colour, width, fill=fill)


PICTURES: dict[str, Callable[[], Figure]] = {"howto-melee.png": draw_stroke}


if __name__ == "__main__":
    write(PICTURES, "strokes")
