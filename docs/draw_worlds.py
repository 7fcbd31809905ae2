"""Draw the pictures of the page about worlds: `python docs/draw_worlds.py` writes `docs/pictures/world_*.png`.

The pictures show the poses of a world's bodies, frame by frame. The script needs Pillow, which comes with Arcade.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from drawing import BLUE, GREY, INK, ORANGE, Figure, Point, standing, write

import impinge as im

ORIGIN = im.Pose(0, 0)

# A slope, a valley, a hill and a cliff, and a ball's displacement to its goal in each frame.
GROUND = im.Polygon([(-6, -8), (118, -8), (118, 34), (93, 34), (50, 10), (6, 40), (-6, 40)])
BALL, WISH = im.Circle(5), (5.0, -4.0)

# An arm that turns around its end by more than a quarter turn in one frame, and a ball in its path.
ARM = im.Polygon([(0, -2.5), (56, -2.5), (56, 2.5), (0, 2.5)])
SWUNG, TOY = 1.9, im.Circle(6)
TOY_PLACE = im.Pose(33, 16)

# Ground to walk on: a ramp, a crest, steps, and a slope that is too steep.
TRAIL = im.Polygon(
    [
        *((-8, -8), (152, -8), (152, 44), (140, 16), (112, 16), (112, 12), (104, 12), (104, 8), (96, 8), (96, 4)),
        *((78, 4), (52, 16), (42, 16), (16, 0), (-8, 0)),
    ]
)
HERO = im.Capsule((0, 3), (0, 11), radius=3)
PACE, FALL = 3.0, 1.0


def draw_slide() -> Figure:
    """Draw a ball with the same displacement to its goal in every frame, and its positions on the ground."""
    figure = Figure(-6.0, -8.0, 150.0, 58.0)
    world = im.World()
    world.add(GROUND, ORIGIN, might=1)
    ball = world.add(BALL, im.Pose(0, 48))
    places = [(ball.pose.x, ball.pose.y)]
    while ball.pose.y > 4.0:
        ball.goal = im.Pose(ball.pose.x + WISH[0], ball.pose.y + WISH[1])
        world.step()
        places.append((ball.pose.x, ball.pose.y))
    figure.area(standing(GROUND, ORIGIN), INK, 2.5, fill=0.25)
    for place in places:
        figure.disk(place, BALL.radius, BLUE, 1.5, fill=0.12)
    figure.line(places, BLUE, 2.5)
    for place in places:
        figure.dot(place, BLUE)
    start = 34.0, 54.0
    figure.arrow(start, (start[0] + 2 * WISH[0], start[1] + 2 * WISH[1]), ORANGE)
    figure.text((48.0, 50.0), "where it would like to go", ORANGE, "lm")
    return figure


def draw_arm() -> Figure:
    """Draw a frame of a swinging arm, and the path of the ball that it pushes."""
    figure = Figure(-36.0, -7.0, 74.0, 62.0)
    moments = 48
    places = []
    for moment in range(1, moments + 1):
        # The ball does not move by itself, so a shorter frame is the beginning of the whole one.
        arm, ball, frame = swing(SWUNG * moment / moments)
        places.append((ball.pose.x, ball.pose.y))
    touched = frame.pushes[0].time
    for share, colour, fill in ((0.0, GREY, 0.15), (touched, ORANGE, 0.25), (0.5 * (1.0 + touched), BLUE, 0.1)):
        figure.area(standing(ARM, im.Pose(0, 0, share * SWUNG)), colour, 2.0, fill=fill)
        _, ball, _ = swing(share * SWUNG)
        figure.disk((ball.pose.x, ball.pose.y), TOY.radius, colour, 2.0, fill=fill)
    figure.area(standing(ARM, arm.pose), BLUE, 2.5, fill=0.35)
    figure.disk(places[-1], TOY.radius, BLUE, 2.5, fill=0.35)
    figure.line([(TOY_PLACE.x, TOY_PLACE.y), *places], INK, 2.5)
    figure.dot((0.0, 0.0))
    for time, colour, angle in ((0.0, GREY, 0.0), (touched, ORANGE, touched * SWUNG), (1.0, BLUE, SWUNG)):
        figure.text((58 * math.cos(angle), 59 * math.sin(angle)), f"t = {time:.2g}", colour, "lm")
    return figure


def swing(angle: float) -> tuple[im.Body, im.Body, im.Frame]:
    """Turn the arm in one frame; return the arm, the ball and the frame."""
    world = im.World()
    arm = world.add(ARM, ORIGIN, might=1)
    ball = world.add(TOY, TOY_PLACE)
    arm.goal = im.Pose(0, 0, angle)
    return arm, ball, world.step()


def draw_walk() -> Figure:
    """Draw the path of a walker over slopes and steps, and in orange that of the same body without walking."""
    figure = Figure(-8.0, -8.0, 152.0, 46.0)
    walk, fall = steps(max_slope=0.9, snap=3.0, step_height=5.0), steps(max_slope=None, snap=0.0, step_height=0.0)
    figure.area(standing(TRAIL, ORIGIN), INK, 2.5, fill=0.25)
    for pose in walk[::2]:
        figure.area(upright(pose), BLUE, 1.5, fill=0.12)
    figure.area(upright(fall[-1]), ORANGE, 2.0)
    figure.line([(pose.x, pose.y) for pose in fall], ORANGE, 2.5)
    for pose in walk:
        figure.dot((pose.x, pose.y), BLUE)
    return figure


def steps(*, max_slope: float | None, snap: float, step_height: float) -> list[im.Pose]:
    """Let a body walk to the right until it stops; return its pose after each frame."""
    world = im.World()
    world.add(TRAIL, ORIGIN, might=1)
    hero = world.add(HERO, im.Pose(0, 0), max_slope=max_slope, snap=snap, step_height=step_height)
    poses = [hero.pose]
    while hero.pose.x - hero.previous.x > 0.01 or len(poses) == 1:
        hero.goal = im.Pose(hero.pose.x + PACE, hero.pose.y - FALL)
        world.step()
        poses.append(hero.pose)
    return poses


def upright(pose: im.Pose) -> list[Point]:
    """Return the outline of the walker at a pose."""
    turns = [math.pi * step / 24 for step in range(25)]
    radius, (low, high) = HERO.radius, (HERO.a[1], HERO.b[1])
    arcs = [(radius * math.cos(turn), high + radius * math.sin(turn)) for turn in turns]
    arcs += [(-radius * math.cos(turn), low - radius * math.sin(turn)) for turn in turns]
    return [(pose.x + x, pose.y + y) for x, y in arcs]


PICTURES: dict[str, Callable[[], Figure]] = {
    "world_slide.png": draw_slide,
    "world_arm.png": draw_arm,
    "world_walk.png": draw_walk,
}


if __name__ == "__main__":
    write(PICTURES, "worlds")
