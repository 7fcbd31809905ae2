"""Growth of the cost of one step with its contacts: paths over many tiles, a wheel of many corners, bounces."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import pymunk
from timing import Contender, compare, machine

import impinge as im
from impinge import Body, Pose, World

RADIUS, WIDTH = 4.0, 10.0


@dataclass
class Frame:
    """A world whose step is repeated; its bodies are put back in between.

    Attributes
    ----------
    world
        The world.
    ways
        Bodies, each with its pose before the step and its goal.
    """

    world: World
    ways: Sequence[tuple[Body, Pose, Pose]]

    def __post_init__(self) -> None:
        self.put_back()

    def put_back(self) -> None:
        for body, start, goal in self.ways:
            body.pose, body.goal = start, goal

    def told(self) -> str:
        bodies = [body for body, _, _ in self.ways]
        return "cut short" if any(body.cut_short for body in bodies) else ""

    def contender(self, name: str, count: int = 1) -> Contender:
        return Contender(name, self.world.step, count, self.put_back, self.told)


def ball_over(bump: im.Box | im.Circle, count: int) -> Frame:
    """Return a frame in which a ball passes over `count` bumps."""
    world = World(entry_points=False)
    for index in range(count):
        world.add(bump, Pose(WIDTH * index, 0), might=1)
    start = Pose(0, 9)
    return Frame(world, [(world.add(im.Circle(RADIUS), start), start, Pose(WIDTH * (count - 1), 8))])


def wheel_under(balls: int, corners: int, turn: float) -> Frame:
    """Return a frame in which a wheel of many corners turns under several balls."""
    world = World(entry_points=False)
    angles = [2 * math.pi * index / corners for index in range(corners)]
    hub = Pose(0, 0)
    wheel = world.add(im.Polygon([(100 * math.cos(a), 100 * math.sin(a)) for a in angles]), hub, might=1)
    ways = [(wheel, hub, Pose(0, 0, turn))]
    for index in range(balls):
        x = 8.0 * (index - balls // 2)
        start = Pose(x, math.sqrt(103**2 - x * x) + 0.1)
        ways.append((world.add(im.Circle(3), start), start, Pose(x, start.y - 1)))
    return Frame(world, ways)


def ball_in_a_gap(room: float) -> Frame:
    """Return a frame in which a ball bounces between two walls, 1,000 units across and 100 along."""
    world = World(entry_points=False)
    for x in (-1.0, 1.0):
        world.add(im.Box(2, 1e4), Pose(x * (1.9 + room / 2), 0), might=1)
    start = Pose(0, 0)
    return Frame(world, [(world.add(im.Circle(0.9), start, response="bounce"), start, Pose(1000, 100))])


def sub_steps(bump: im.Box | im.Circle, count: int) -> Contender:
    """Return the path over the bumps in Pymunk, in steps in which the ball moves by its radius."""
    space = pymunk.Space()
    for index in range(count):
        body = pymunk.Body(body_type=pymunk.Body.STATIC)
        body.position = WIDTH * index, 0
        shape = pymunk.Circle(body, 5) if isinstance(bump, im.Circle) else pymunk.Poly.create_box(body, (WIDTH, WIDTH))
        space.add(body, shape)
    ball = pymunk.Body(1, math.inf)
    space.add(ball, pymunk.Circle(ball, RADIUS))
    steps = math.ceil(WIDTH * count / RADIUS)

    def put_back() -> None:
        ball.position, ball.velocity = (0, 9), (WIDTH * (count - 1), -1)

    def run() -> None:
        for _ in range(steps):
            space.step(1 / steps)

    put_back()
    return Contender(f"Pymunk, {steps} steps of a radius", run, count, put_back, lambda: f"{steps} steps")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few contacts and few turns: only to see that it runs")
    quick = parser.parse_args().quick
    turns = 2 if quick else 9
    print(machine("pymunk"))
    over = partial(compare, unit="a contact", turns=turns)
    for name, bump in (("flat tiles", im.Box(WIDTH, WIDTH)), ("round bumps", im.Circle(5.0))):
        counts = (10, 20) if quick else (500, 1000, 2000)
        ours = [ball_over(bump, count).contender(f"impinge, {count}", count) for count in counts]
        over(f"A ball goes over {name} in one frame", contenders=[*ours, sub_steps(bump, counts[-1])])
    corners = 50 if quick else 5000
    wheels = [
        wheel_under(11, corners, turn).contender(f"impinge, by {turn} radians") for turn in (0.05, 0.5)
    ]  # fmt: skip
    compare(f"A wheel of {corners} corners turns under 11 balls", "a step", wheels, turns)
    gaps = [ball_in_a_gap(room).contender(f"impinge, {1000 / room:.0f} bounces") for room in (10.0, 2.0, 0.2)]
    compare("A ball bounces in a gap, in one frame", "a step", gaps, turns)


if __name__ == "__main__":
    main()
