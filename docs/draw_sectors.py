"""Draw the pictures of the page about sectors: `python docs/draw_sectors.py` writes `docs/pictures/sector-*.png`.

The library computes what the pictures show. The script needs Pillow, which comes with Arcade.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from drawing import BLUE, GREEN, GREY, INK, ORANGE, Colour, Figure, Point, Points, paled, standing, write
from numpy.typing import NDArray

import impinge as im

Solid = im.Box | im.Circle | im.Polygon
Placed = tuple[Solid, im.Pose]

ORIGIN = im.Pose(0, 0)
TOLERANCE = 0.002  # of arcs, in the game's units: less than a pixel

# The first example of the page: a sword, and goblins around it.
SWORD = im.Sector(40, math.radians(45))
GOBLIN = im.Circle(8)
GOBLINS = ((20, 4), (45, -8), (27, 35), (31, -37), (-5, 2), (9, -19), (13, 23), (-20, -14))

# A halberd, and shapes around it.
HALBERD = im.Sector(40, math.radians(40), inner_radius=18)
TROUGH = im.Polygon([(-8, -6), (8, -6), (8, 6), (5, 6), (5, -3), (-5, -3), (-5, 6), (-8, 6)])
AROUND: tuple[Placed, ...] = (
    (im.Circle(3.2), im.Pose(10.5, -0.5)),
    (im.Box(8, 8), im.Pose(19, 21, angle=0.3)),
    (TROUGH, im.Pose(31, 5, angle=1.9)),
    (im.Circle(7), im.Pose(10, -15)),
)

# A guard, walls that limit what it sees (a pillar, a crate, a wall with a gap), and thieves.
GUARD = im.Sector(100, 0.5)
WALLS: tuple[Placed, ...] = (
    (im.Circle(5), im.Pose(38, 12)),
    (im.Box(9, 9), im.Pose(30, -8, angle=0.4)),
    (im.Box(3, 32), im.Pose(66, 22)),
    (im.Box(3, 28), im.Pose(66, -14)),
)
THIEVES: tuple[Placed, ...] = tuple((im.Circle(5), im.Pose(x, y)) for x, y in ((85, 7), (85, -13), (52, -17)))

# A swing of three frames, and a bat that it hits between two of them.
SLASH = im.Attack(im.Sector(40, 0.07), windup=3, active=3, recovery=4, swing=-1.5, knockback=14)
BAT, BAT_PLACE = im.Circle(2.2), im.Pose(29, -1.5)


def draw_regions() -> Figure:
    """Draw the six regions around a sector, the goblins that it hits, and their nearest points."""
    figure = Figure(-42.0, -52.0, 78.0, 52.0)
    far, half = 200.0, SWORD.half_angle
    apex, corners = (0.0, 0.0), [ray(SWORD.radius, side * half) for side in (-1.0, 1.0)]
    aways = [ray(far, side * (half + 0.5 * math.pi)) for side in (-1.0, 1.0)]  # perpendicular to the edges
    tint(figure, [apex, *aways], GREY)
    for corner, away in zip(corners, aways, strict=True):
        beside, ahead = plus(corner, away), (far * corner[0], far * corner[1])
        tint(figure, [apex, corner, beside, away], ORANGE)
        tint(figure, [corner, ahead, beside], GREEN)
    tint(figure, [apex, ray(far, -half), ray(far, half)], BLUE)
    for corner, away in zip(corners, aways, strict=True):
        for start, end in ((corner, plus(corner, away)), (apex, away), (corner, (4 * corner[0], 4 * corner[1]))):
            figure.line([start, end], GREY, 1.5, dashed=True)
    sector(figure, SWORD, ORIGIN, BLUE, fill=0.3)
    for x, y in GOBLINS:
        reached(figure, GOBLIN, im.Pose(x, y), im.sector_hit(SWORD, ORIGIN, GOBLIN, im.Pose(x, y)))
    sector(figure, SWORD, ORIGIN, BLUE)
    for x, y in GOBLINS:
        first(figure, im.sector_hit(SWORD, ORIGIN, GOBLIN, im.Pose(x, y)))
    for name, place in zip("OAB", [(1.0, -3.0), *corners], strict=True):
        figure.text(plus(place, (-3.6, 0.0)), name, BLUE)
    figure.text((62, 0), "1: in front", BLUE)
    figure.text((40, 49), "2: corner B", GREEN)
    figure.text((40, -49), "3: corner A", GREEN)
    figure.text((-30, 8), "4: apex O", INK)
    figure.text((-14, -34), "5: edge O-A", ORANGE)
    figure.text((-14, 34), "6: edge O-B", ORANGE)
    return figure


def draw_ring() -> Figure:
    """Draw a ring sector, and the nearest points of the shapes that it reaches."""
    figure = Figure(-8.0, -28.0, 52.0, 28.0)
    sector(figure, HALBERD, ORIGIN, BLUE, fill=0.25)
    hits = [im.sector_hit(HALBERD, ORIGIN, solid, pose) for solid, pose in AROUND]
    for (solid, pose), hit in zip(AROUND, hits, strict=True):
        reached(figure, solid, pose, hit)
        if hit is None:
            figure.text((pose.x, pose.y), "missed", GREY)
    sector(figure, HALBERD, ORIGIN, BLUE)
    for hit in hits:
        if hit is not None:
            figure.line([(0.0, 0.0), hit.point], INK, 1.5, dashed=True)
            figure.text(plus(hit.point, (1.0, -0.7)), f"{hit.distance:.1f}", anchor="lm")
        first(figure, hit)
    figure.dot((0.0, 0.0), BLUE)
    return figure


def draw_walls() -> Figure:
    """Draw what a guard sees between walls, and which thieves."""
    figure = Figure(-6.0, -50.0, 104.0, 50.0)
    sector(figure, GUARD, ORIGIN, GREY, fill=0.2)
    figure.area(pairs(im.visible_outline(GUARD, ORIGIN, WALLS, TOLERANCE)), ORANGE, fill=0.3)
    for solid, pose in WALLS:
        stand(figure, solid, pose, INK, fill=0.6)
    figure.dot((0.0, 0.0))
    for solid, pose in THIEVES:
        hit = im.sector_hit(GUARD, ORIGIN, solid, pose, WALLS)
        reached(figure, solid, pose, hit)
        first(figure, hit)
        figure.text((pose.x, pose.y), "hidden" if hit is None else "seen", GREY if hit is None else INK)
    return figure


def draw_swing() -> Figure:
    """Draw a blade at the ends of three frames, and a bat that it hits between two of them."""
    figure = Figure(-6.0, -31.0, 60.0, 31.0)
    swing, blades = SLASH.start(), []
    while swing.phase in ("windup", "active"):
        before, pose = swing.elapsed, swing.pose(ORIGIN)
        if swing.phase == "active":
            blades.append((before, pose))
        for strike in swing.step(1.0, ORIGIN, {"bat": (BAT, BAT_PLACE)}):
            time, end = before + strike.time, swing.pose(ORIGIN)
            # The area that the blade sweeps in that frame, between the blue blades at its ends.
            middle, half = 0.5 * (pose.angle + end.angle), 0.5 * abs(pose.angle - end.angle)
            between = im.Sector(SLASH.sector.radius, half + SLASH.sector.half_angle)
            tint(figure, pairs(im.visible_outline(between, im.Pose(0, 0, middle), (), TOLERANCE)), ORANGE)
            struck = time, im.Pose(0, 0, SLASH.bearing(time)), strike
    blades.append((swing.elapsed, swing.pose(ORIGIN)))
    for elapsed, pose in blades:
        sector(figure, SLASH.sector, pose, BLUE, fill=0.25)
        figure.text(ray(43.0, pose.angle), f"t = {elapsed:g}", BLUE, "lm")
    time, pose, strike = struck
    sector(figure, SLASH.sector, pose, ORANGE, fill=0.3)
    figure.text(ray(42.0, pose.angle), f"t = {time:.2f}", ORANGE, "lm")
    stand(figure, BAT, BAT_PLACE, GREEN, fill=0.35)
    middle_of_bat = BAT_PLACE.x, BAT_PLACE.y
    figure.arrow(middle_of_bat, plus(middle_of_bat, strike.knockback))
    figure.dot(strike.point)
    return figure


def ray(length: float, bearing: float) -> Point:
    """Return the end of a ray from the origin."""
    return length * math.cos(bearing), length * math.sin(bearing)


def plus(place: Point, way: Point) -> Point:
    """Return the sum of a place and a displacement."""
    return place[0] + way[0], place[1] + way[1]


def tint(figure: Figure, points: Points, colour: Colour) -> None:
    """Fill an outline with a pale colour, without a border."""
    figure.area(points, paled(colour, 0.1), fill=1.0)


def pairs(outline: NDArray[np.float64]) -> list[Point]:
    """Return an outline as a list of points."""
    return [(float(x), float(y)) for x, y in outline]


def sector(figure: Figure, shape: im.Sector, pose: im.Pose, colour: Colour, *, fill: float = 0.0) -> None:
    """Draw a sector at its pose."""
    figure.area(pairs(im.visible_outline(shape, pose, (), TOLERANCE)), colour, 2.5, fill=fill)


def stand(figure: Figure, solid: Solid, pose: im.Pose, colour: Colour, *, fill: float) -> None:
    """Draw a solid at its pose."""
    if isinstance(solid, im.Circle):
        figure.disk((pose.x, pose.y), solid.radius, colour, 2.5, fill=fill)
    else:
        figure.area(standing(solid, pose), colour, 2.5, fill=fill)


def reached(figure: Figure, solid: Solid, pose: im.Pose, hit: im.SectorHit | None) -> None:
    """Draw a solid: green if the sector reaches it, else grey and hollow."""
    stand(figure, solid, pose, GREY if hit is None else GREEN, fill=0.0 if hit is None else 0.35)


def first(figure: Figure, hit: im.SectorHit | None) -> None:
    """Draw the nearest point of a hit, if there is a hit."""
    if hit is not None:
        figure.dot(hit.point)


PICTURES: dict[str, Callable[[], Figure]] = {
    "sector-regions.png": draw_regions,
    "sector-ring.png": draw_ring,
    "sector-walls.png": draw_walls,
    "sector-swing.png": draw_swing,
}


if __name__ == "__main__":
    write(PICTURES, "sectors")
