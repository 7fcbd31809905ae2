"""Draw the pictures of the pages about Pymunk: `python docs/draw_pymunk.py` writes `docs/pictures/pymunk-*.png`.

The library computes what the pictures show. The script needs Pillow, which comes with Arcade.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import pymunk
from drawing import BLUE, GREEN, GREY, INK, ORANGE, Figure, standing, write

import impinge as im
from impinge_pymunk import continuous, sweep_query

CRATE = im.Box(24, 10)
WAY = im.Motion(im.Pose(20, 62), im.Pose(224, 14, angle=-7.0))
TRACES = 24

BULLETS, STEPS = 6, 5


def cave() -> pymunk.Space:
    """Return a space with a floor, a peg and a boulder."""
    space = pymunk.Space()
    floor = pymunk.Poly(space.static_body, [(0, 0), (190, 0), (190, 5), (0, 15)])
    peg = pymunk.Circle(space.static_body, 9, (96, 60))
    boulder = pymunk.Poly(space.static_body, [(192, 0), (232, 0), (222, 36), (204, 42)])
    space.add(floor, peg, boulder)
    return space


def draw_sweep() -> Figure:
    """Draw a crate that spins through a cave, and its impacts."""
    figure = Figure(0.0, -2.0, 240.0, 84.0)
    space = cave()
    for shape in space.shapes:
        if isinstance(shape, pymunk.Circle):
            figure.disk(shape.offset, shape.radius, GREY, fill=0.5)
        elif isinstance(shape, pymunk.Poly):
            figure.area(shape.get_vertices(), GREY, fill=0.5)
    for step in range(TRACES + 1):
        figure.area(standing(CRATE, WAY.at(step / TRACES)), BLUE, 1.0)
    hits = sweep_query(space, CRATE, WAY)
    for number, hit in enumerate(hits):
        figure.area(standing(CRATE, WAY.at(hit.alpha)), GREEN if number else ORANGE, 3.0, fill=0.4)
    for hit in hits:
        figure.arrow(hit.point, hit.point + 12 * hit.normal)
        figure.dot(hit.point)
        figure.text(hit.point + 18 * hit.normal, f"{hit.alpha:.2f}", INK)
    return figure


def gallery() -> tuple[pymunk.Space, list[pymunk.Segment], list[pymunk.Body]]:
    """Return a space with walls of 1 px around and inside, and bullets that start in its middle."""
    space = pymunk.Space()
    corners = [(0, 0), (100, 0), (100, 80), (0, 80)]
    ends = [*pairwise((*corners, corners[0])), ((18, 20), (34, 52)), ((70, 64), (86, 40)), ((58, 14), (78, 22))]
    walls = [pymunk.Segment(space.static_body, a, b, 0.5) for a, b in ends]
    bullets = []
    for number in range(BULLETS):
        bullet = pymunk.Body(1, 1)
        bullet.position = 50, 42
        bullet.velocity = pymunk.Vec2d(1900, 0).rotated(0.4 + math.tau * number / BULLETS)
        ball = pymunk.Circle(bullet, 1.2)
        # All bullets start in one place, and must not collide with each other.
        ball.filter = pymunk.ShapeFilter(group=1)
        space.add(bullet, ball)
        bullets.append(bullet)
    space.add(*walls)
    for shape in space.shapes:
        shape.elasticity = 1
    return space, walls, bullets


def draw_flight(figure: Figure, left: float, make: Callable[[pymunk.Space], object]) -> None:
    """Draw the positions of bullets after each of a few steps, in a space changed by `make`."""
    space, walls, bullets = gallery()
    make(space)
    moved = pymunk.Vec2d(left, 0)
    for wall in walls:
        figure.line([moved + wall.a, moved + wall.b], INK, 2.0)
    places = {bullet: [bullet.position] for bullet in bullets}
    for _ in range(STEPS):
        space.step(1 / 60)
        for bullet in bullets:
            places[bullet].append(bullet.position)
    for passed in places.values():
        is_lost = not (0 < passed[-1].x < 100 and 0 < passed[-1].y < 80)
        for place in passed[1:]:
            if -42 < place.x < 142 and -42 < place.y < 122:
                figure.disk(moved + place, 1.6, ORANGE if is_lost else GREEN, fill=0.8)


def draw_bullets() -> Figure:
    """Draw bullets among walls, with plain and with continuous steps."""
    figure = Figure(-46.0, -46.0, 306.0, 126.0)
    draw_flight(figure, 0.0, lambda space: None)
    draw_flight(figure, 190.0, continuous)
    figure.text((50, -40), "plain", INK)
    figure.text((240, -40), "continuous", INK)
    return figure


PICTURES: dict[str, Callable[[], Figure]] = {"pymunk-sweep.png": draw_sweep, "pymunk-bullets.png": draw_bullets}


if __name__ == "__main__":
    write(PICTURES, "Pymunk")
