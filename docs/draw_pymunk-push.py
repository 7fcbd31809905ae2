"""Draw the picture of the page about the push rule in Pymunk: `python docs/draw_pymunk-push.py` writes it.

The picture shows what happens in a space. The script needs Pillow, which comes with Arcade.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import pymunk
from drawing import BLUE, GREY, INK, ORANGE, Figure, standing, write
from pymunk import Body, Poly

import impinge as im
from impinge_pymunk import pose_of, push_rule

DOOR, CRATE, WALL = 1, 2, 3
DT = 1 / 60
STEPS = 22
DOOR_SIZE, CRATE_SIZE, WALL_SIZE = (8.0, 44.0), (16.0, 16.0), (8.0, 44.0)


class Room(NamedTuple):
    """A door that closes on two crates, each a hundred times as heavy as the door."""

    space: pymunk.Space
    door: Body
    crates: list[Body]
    wall: Body


def room(height: float) -> Room:
    """Return the room with its middle at this height."""
    space = pymunk.Space()
    door, wall = Body(1, math.inf), Body(body_type=Body.STATIC)
    door.position, door.velocity = (20, height), (360, 0)
    wall.position = 206, height
    crates = [Body(100, math.inf) for _ in range(2)]
    for crate, (x, y) in zip(crates, ((66, -10), (112, 10)), strict=True):
        crate.position = x, height + y
    bodies = [(door, DOOR_SIZE, DOOR), (wall, WALL_SIZE, WALL), *((crate, CRATE_SIZE, CRATE) for crate in crates)]
    for body, size, kind in bodies:
        shape = Poly.create_box(body, size)
        shape.collision_type = kind
        space.add(body, shape)
    return Room(space, door, crates, wall)


def draw_door() -> Figure:
    """Draw the door in a plain Pymunk space, and with a push rule."""
    figure = Figure(0.0, -28.0, 240.0, 92.0)
    for height, name, ruled in ((64.0, "Pymunk", False), (0.0, "push_rule", True)):
        space, door, crates, wall = room(height)
        if ruled:
            push_rule(space, DOOR, CRATE)
            push_rule(space, WALL, CRATE)
        figure.area(standing(im.Box(*WALL_SIZE), pose_of(wall)), GREY, fill=0.5)
        for crate in crates:
            figure.area(standing(im.Box(*CRATE_SIZE), pose_of(crate)), ORANGE, 1.5, dashed=True)
        for _ in range(STEPS):
            figure.area(standing(im.Box(*DOOR_SIZE), pose_of(door)), BLUE, 1.0)
            space.step(DT)
        for crate in crates:
            figure.area(standing(im.Box(*CRATE_SIZE), pose_of(crate)), ORANGE, 3.0, fill=0.4)
        figure.area(standing(im.Box(*DOOR_SIZE), pose_of(door)), BLUE, 3.0, fill=0.4)
        if door.velocity.x:
            way = math.copysign(14.0, door.velocity.x)
            tip = math.copysign(DOOR_SIZE[0] / 2, way)
            figure.arrow((door.position.x + tip, height + 20), (door.position.x + tip + way, height + 20), BLUE)
        figure.text((226, height), name, INK)
    return figure


PICTURES: dict[str, Callable[[], Figure]] = {"pymunk-push.png": draw_door}


if __name__ == "__main__":
    write(PICTURES, "the push rule in Pymunk")
