"""Draw the pictures of the page about Pymunk: `python docs/draw_pymunk.py` writes `docs/pictures/pymunk-*.png`.

What is drawn is asked of the library, so the pictures show what it answers. It takes Pillow, which comes with Arcade.
"""

from __future__ import annotations

from collections.abc import Callable

import pymunk
from drawing import BLUE, GREEN, GREY, INK, ORANGE, Figure, standing, write

import impinge as im
from impinge_pymunk import sweep_query

CRATE = im.Box(24, 10)
WAY = im.Motion(im.Pose(20, 62), im.Pose(224, 14, angle=-7.0))
TRACES = 24


def cave() -> pymunk.Space:
    """Return a space with a floor, a peg and a boulder."""
    space = pymunk.Space()
    floor = pymunk.Poly(space.static_body, [(0, 0), (190, 0), (190, 5), (0, 15)])
    peg = pymunk.Circle(space.static_body, 9, (96, 60))
    boulder = pymunk.Poly(space.static_body, [(192, 0), (232, 0), (222, 36), (204, 42)])
    space.add(floor, peg, boulder)
    return space


def draw_sweep() -> Figure:
    """Draw a crate that spins through a cave, and where it strikes what."""
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


PICTURES: dict[str, Callable[[], Figure]] = {"pymunk-sweep.png": draw_sweep}


if __name__ == "__main__":
    write(PICTURES, "Pymunk")
