"""Draw the pictures of the page about impacts: `python docs/draw_impacts.py` writes `docs/pictures/impact*.png`.

The library computes what the pictures show. The script needs Pillow, which comes with Arcade.
"""

from __future__ import annotations

import math
from functools import partial
from itertools import pairwise

from drawing import BLUE, GREEN, GREY, INK, ORANGE, Figure, Point, Points, between, paled, standing, write

import impinge as im
from impinge.rigid import RigidBody, bounce

# The example of the page: the kite flies into the mouth, which moves towards it.
MOUTH = im.Polygon([(0, 0), (8, 0), (4, 4), (8, 8), (0, 8)])
KITE = im.Polygon([(-4, 0), (0, -3), (3, 0), (0, 1)])
MOUTH_WAY = im.Motion(im.Pose(0, 0), im.Pose(18, 16))
KITE_WAY = im.Motion(im.Pose(29, 7), im.Pose(9, 21))


def draw_impact() -> Figure:
    """Draw two outlines, one of them concave, at the frame's start, at the impact and at the frame's end."""
    impact = struck(MOUTH, MOUTH_WAY, KITE, KITE_WAY)
    figure = Figure(-1.0, -1.0, 35.5, 25.0)
    for solid, way, colour in ((MOUTH, MOUTH_WAY, BLUE), (KITE, KITE_WAY, ORANGE)):
        figure.area(standing(solid, way.start), paled(colour, 0.6), fill=0.12)
        figure.area(standing(solid, way.end), paled(colour, 0.6), dashed=True)
        figure.area(standing(solid, way.at(impact.time)), colour, 3.5, fill=0.3)
    (x, y), (nx, ny) = impact.point, impact.normal
    figure.arrow(impact.point, (x + 3.5 * nx, y + 3.5 * ny))
    figure.dot(impact.point)
    figure.text((x - 0.5, y + 0.1), "point", anchor="rm")
    figure.text((x + 1.7, y - 2.9), "normal", anchor="mt")
    for time in (0.0, impact.time, 1.0):
        mouth, kite, words = MOUTH_WAY.at(time), KITE_WAY.at(time), f"t = {time:g}"
        figure.text((mouth.x + 2.5, mouth.y + 3.5), "a", BLUE)
        figure.text((kite.x - 0.4, kite.y - 0.6), "b", ORANGE)
        figure.text((mouth.x + 2.5, mouth.y + 0.9), words)
        figure.text((kite.x + 3.5, kite.y), words, anchor="lm")
    return figure


def draw_ray() -> Figure:
    """Draw it in the frame of a: b's origin moves along a ray, up to the Minkowski difference."""
    impact = struck(MOUTH, MOUTH_WAY, KITE, KITE_WAY)
    figure = Figure(-11.5, -2.6, 33.0, 13.4)
    start, end = seen(KITE_WAY.start, MOUTH_WAY.start), seen(KITE_WAY.end, MOUTH_WAY.end)
    there = between(start, end, impact.time)
    differences = [difference(one.points, other.points) for one in MOUTH.pieces for other in KITE.pieces]
    for outline in differences:
        figure.area(outline, GREEN, fill=0.15)
    for outline in differences:
        figure.area(outline, GREEN)
    figure.area(MOUTH.vertices, BLUE, 2.5, fill=0.3)
    for place in (start, there):
        figure.area([(place[0] + x, place[1] + y) for x, y in KITE.vertices], ORANGE)
    # The times at which the ray enters half-planes of the piece that it hits, behind edges that face it.
    met = min(differences, key=lambda outline: min(math.dist(there, nearest(there, edge)) for edge in edges(outline)))
    entries = [(time, edge) for edge in edges(met) if (time := entered(edge, start, end)) is not None and time >= 0.0]
    for time, edge in entries:
        place = between(start, end, time)
        figure.line([min(edge, key=partial(math.dist, place)), place], GREEN, dashed=True)
    figure.arrow(start, end)
    for time, _ in entries:
        (x, y), is_last = between(start, end, time), time == max(entries)[0]
        figure.dot((x, y), GREEN, hollow=not is_last)
        figure.text((x + (0.0 if is_last else 0.6), y + (2.2 if is_last else 1.0)), f"{time:.2f}", GREEN)
    figure.dot(start)
    figure.text((2.0, 2.5), "a", BLUE)
    figure.text((start[0] + 1.2, start[1] - 0.7), "b", ORANGE)
    figure.text((end[0] - 1.8, end[1] - 1.3), "way of b's origin", anchor="lt")
    figure.text((0.5, 11.4), "Minkowski difference of a and b", GREEN, "mb")
    return figure


def draw_turning() -> Figure:
    """Draw a slender box that turns three times in a frame, and the wall that it hits."""
    plank, wall = im.Box(9, 0.6), im.Box(0.6, 8)
    way, place = im.Motion(im.Pose(0, 0, 0.3), im.Pose(30, 0, 0.3 + 3 * math.tau)), im.Pose(18, -1)
    impact = struck(plank, way, wall, im.Motion.still(place))
    figure = Figure(-5.5, -6.5, 35.5, 6.0)
    steps = 18
    for step in range(1, steps):
        figure.area(standing(plank, way.at(impact.time * step / steps)), paled(BLUE, 0.25), 1.5)
    tip = [standing(plank, way.at(impact.time * step / 200))[0] for step in range(201)]
    figure.line(tip, GREY, 1.5)
    figure.area(standing(plank, way.start), paled(BLUE, 0.6), fill=0.12)
    figure.area(standing(plank, way.end), paled(BLUE, 0.6), dashed=True)
    figure.area(standing(plank, way.at(impact.time)), BLUE, 3.5, fill=0.3)
    figure.area(standing(wall, place), INK, fill=0.2)
    (x, y), (nx, ny) = impact.point, impact.normal
    figure.arrow(impact.point, (x + 3.2 * nx, y + 3.2 * ny))
    figure.dot(impact.point)
    figure.text((x + 3.5 * nx, y + 3.5 * ny), "normal", anchor="lm")
    for time, words in ((0.0, "t = 0"), (impact.time, f"t = {impact.time:.3f}"), (1.0, "t = 1")):
        figure.text((way.at(time).x, -5.5), words)
    return figure


def draw_bounces() -> Figure:
    """Draw a ball between walls that close in, over time: five impacts in one frame."""
    radius = 1.0
    ball = RigidBody(im.Circle(radius), im.Pose(0, 0), velocity=(20, 0), mass=1)
    walls = [RigidBody(im.Box(2, 20), im.Pose(-6, 0), (2, 0)), RigidBody(im.Box(2, 20), im.Pose(6, 0), (-2, 0))]
    after = bounce([ball, *walls])
    high = 9.0  # the frame, in units
    figure = Figure(-9.0, -0.7, 8.0, high + 0.7)
    for time, words in ((0.0, "t = 0"), (high, "t = 1")):
        figure.line([(-7.6, time), (7.6, time)], GREY, 1.0)
        figure.text((-7.7, time), words, anchor="rm")
    for side in (-1, 1):
        figure.area([(side * 5, 0), (side * 7, 0), (side * 5, high), (side * 3, high)], INK, fill=0.15)
        figure.text((side * 5.8, 0.5), "wall")
    places = [(ball.pose.x, 0.0)]
    for hit in after.bounces:
        nx = hit.impact.normal[0]  # from the ball to the wall
        places.append((hit.impact.point[0] - nx * radius, hit.time * high))
    places.append((after.bodies[0].pose.x, after.time * high))
    for (x, low), (far_x, top) in pairwise(places):
        passed = [(x - radius, low), (x + radius, low), (far_x + radius, top), (far_x - radius, top)]
        figure.area(passed, paled(ORANGE, 0.18), fill=1.0)
    figure.line(places, ORANGE, 3.0)
    figure.text((-0.9, 0.5), "ball", ORANGE)
    for hit in after.bounces:
        x = hit.impact.point[0]
        figure.dot((x, hit.time * high))
        figure.text((x + math.copysign(0.3, x), hit.time * high), f"{hit.time:.3f}", anchor="lm" if x > 0 else "rm")
    return figure


PICTURES = {
    "impact.png": draw_impact,
    "impact-ray.png": draw_ray,
    "impact-turning.png": draw_turning,
    "impact-bounces.png": draw_bounces,
}


def struck(a: im.Polygon | im.Box, motion_a: im.Motion, b: im.Polygon | im.Box, motion_b: im.Motion) -> im.Impact:
    """Return the impact of a pair that hits."""
    impact = im.time_of_impact(a, motion_a, b, motion_b)
    if impact is None:
        raise ValueError("there is no impact to draw")
    return impact


def seen(b: im.Pose, a: im.Pose) -> Point:
    """Return b's position in the frame of a, if a is not turned."""
    return b.x - a.x, b.y - a.y


def difference(a: Points, b: Points) -> list[Point]:
    """Return the Minkowski difference of two convex outlines, counter-clockwise."""
    points = sorted({(ax - bx, ay - by) for ax, ay in a for bx, by in b})

    def chain(ordered: Points) -> list[Point]:
        hull: list[Point] = []
        for point in ordered:
            while len(hull) > 1 and not turns_left(hull[-2], hull[-1], point):
                hull.pop()
            hull.append(point)
        return hull[:-1]

    return chain(points) + chain(points[::-1])


def turns_left(a: Point, b: Point, c: Point) -> bool:
    """Return whether the path from a by b to c turns left."""
    return (b[0] - a[0]) * (c[1] - b[1]) > (b[1] - a[1]) * (c[0] - b[0])


def edges(outline: Points) -> list[tuple[Point, Point]]:
    """Return the edges of an outline."""
    return list(pairwise([*outline, outline[0]]))


def nearest(place: Point, edge: tuple[Point, Point]) -> Point:
    """Return the nearest point of an edge to a place."""
    (x, y), (end_x, end_y) = edge
    dx, dy = end_x - x, end_y - y
    share = ((place[0] - x) * dx + (place[1] - y) * dy) / (dx * dx + dy * dy)
    return between(*edge, min(max(share, 0.0), 1.0))


def entered(edge: tuple[Point, Point], start: Point, end: Point) -> float | None:
    """Return the time at which a straight path enters the half-plane behind an edge, None if it does not."""
    (x, y), (end_x, end_y) = edge
    nx, ny = end_y - y, x - end_x
    speed = -(nx * (end[0] - start[0]) + ny * (end[1] - start[1]))
    return (nx * (start[0] - x) + ny * (start[1] - y)) / speed if speed > 0.0 else None


if __name__ == "__main__":
    write(PICTURES, "impacts")
