"""The table of `pinball`: an ordinary Pymunk space with thin walls, and handlers that record the ball's contacts.

It uses nothing of Impinge and knows no points; both are in `pinball`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from enum import IntEnum
from itertools import pairwise
from typing import Any, Final, NamedTuple, TypeVar

import pymunk
from pymunk import Vec2d

from impinge_demos.demo import STEP

__all__ = ["Flipper", "Kind", "Meeting", "Table"]

S = TypeVar("S", bound=pymunk.Shape)

# Pixels, seconds, radians, and a ball of mass 1.
LEFT, RIGHT, FLOOR, TOP = 252, 756, 28, 568  # the table
CORNER = 140  # radius of its upper corners
LANE = 726  # x of the wall beside the launcher's lane
MIDDLE = (LEFT + LANE) / 2  # of the field, without the lane
THIN = 0.5  # radius of a wall: it is one pixel thick
BALL = 9  # radius
LAUNCHER, DRAIN = 60, 50  # heights
START = ((LANE + RIGHT) / 2, LAUNCHER + BALL + THIN)  # where the ball waits for its launch

GRAVITY = 1000
FLIPPER, THICK, SPIN = 84, 3, 24  # length, radius, and angular speed
REST, RAISED = math.radians(-28), math.radians(30)


class Kind(IntEnum):
    """What the ball can touch, as Pymunk's collision types."""

    BALL = 1
    WALL = 2
    FLIPPER = 3
    BUMPER = 4
    SLINGSHOT = 5
    SPINNER = 6
    TARGET = 7
    ROLLOVER = 8
    GATE = 9
    DRAIN = 10


class Meeting(NamedTuple):
    """A contact of the ball in a step: position of the ball, normal towards the other shape, and impulse."""

    kind: Kind
    shape: pymunk.Shape
    place: Vec2d
    normal: Vec2d
    impulse: float


def outline() -> list[tuple[float, float]]:
    """Return the corners of the table, anticlockwise. A ball outside of them has escaped."""
    arcs = [
        (x + CORNER * math.cos(angle), TOP - CORNER + CORNER * math.sin(angle))
        for x, begin in ((RIGHT - CORNER, 0.0), (LEFT + CORNER, math.pi / 2))
        for angle in (begin + part * math.pi / 16 for part in range(9))
    ]
    return [(LEFT, FLOOR), (LANE, FLOOR), (LANE, LAUNCHER), (RIGHT, LAUNCHER), *arcs]


OUTLINE: Final = outline()
WALLS: Final = [
    *pairwise([*OUTLINE, OUTLINE[0]]),
    ((LANE, LAUNCHER), (LANE, 400)),
    # The guides to the flippers. A ball between them and the outer walls falls into the drain.
    *pairwise([(LEFT + 36, 232), (LEFT + 36, 176), (MIDDLE - 103, 114)]),
    *pairwise([(LANE - 36, 232), (LANE - 36, 176), (MIDDLE + 103, 114)]),
    # The lanes at the top.
    *(((x, 478), (x, 512)) for x in (417, 465, 513, 561)),
]
# The rubber runs from the first corner to the last one.
SLINGSHOTS: Final = [[(318, 300), (318, 234), (366, 204)], [(660, 300), (660, 234), (612, 204)]]
BUMPERS: Final = [(415, 350), (563, 350), (489, 418)]
TARGETS: Final = [((253 + x, 442 - 3 * x), (266 + x, 403 - 3 * x)) for x in (0, 14, 28)]
ROLLOVERS: Final = [((x, 495), (x + 40, 495)) for x in (421, 469, 517)]
SPINNER: Final = (660, 366)


class Flipper:
    """A thin flipper. Its body is kinematic: no contact stops it.

    `side` is -1 for the left flipper, 1 for the right one.
    """

    def __init__(self, space: pymunk.Space, side: int) -> None:
        self.body = pymunk.Body(body_type=pymunk.Body.KINEMATIC)
        self.body.position = MIDDLE + 100 * side, 110
        self.rest, self.raised = (REST, RAISED) if side < 0 else (math.pi - REST, math.pi - RAISED)
        self.body.angle = self.rest
        self.shape = pymunk.Segment(self.body, (0, 0), (FLIPPER, 0), THICK)
        self.shape.collision_type, self.shape.elasticity, self.shape.friction = Kind.FLIPPER, 0.5, 0.4
        space.add(self.body, self.shape)

    def swing(self, is_pressed: bool) -> None:
        """Turn up or down in the next step, up to the flipper's limit."""
        turn = (self.raised if is_pressed else self.rest) - self.body.angle
        self.body.angular_velocity = max(-SPIN, min(SPIN, turn / STEP))


class Table:
    """The space, and the ball's contacts in its last step.

    `shift` returns a random offset for each coordinate of the bumpers.
    """

    def __init__(self, shift: Callable[[], float]) -> None:
        self.space = pymunk.Space()
        self.space.gravity = 0, -GRAVITY
        self.space.collision_bias = 0  # overlaps are corrected in one step: there are no stacks to shake
        self.meetings: list[Meeting] = []
        self.ball = pymunk.Body(1, pymunk.moment_for_circle(1, 0, BALL))
        self.ball_shape = pymunk.Circle(self.ball, BALL)
        self.space.add(self.ball)
        self.add(self.ball_shape, Kind.BALL, 1)
        self.flippers = [Flipper(self.space, side) for side in (-1, 1)]

        base = self.space.static_body
        for begin, end in WALLS:
            self.add(pymunk.Segment(base, begin, end, THIN), Kind.WALL, 0.55)
        self.gate = self.add(pymunk.Segment(base, (LANE, 400), (RIGHT, 424), THIN), Kind.GATE, 0.3)
        for corners in SLINGSHOTS:
            self.add(pymunk.Poly(base, corners), Kind.WALL, 0.55)
            self.add(pymunk.Segment(base, corners[0], corners[-1], THICK), Kind.SLINGSHOT, 0.6)
        self.bumpers = [
            self.add(pymunk.Circle(base, 26, (x + shift(), y + shift())), Kind.BUMPER, 0.8) for x, y in BUMPERS
        ]
        self.targets = [self.add(pymunk.Segment(base, *ends, THIN), Kind.TARGET, 0.5) for ends in TARGETS]
        self.rollovers = [self.add(pymunk.Segment(base, *ends, THIN), Kind.ROLLOVER, 0) for ends in ROLLOVERS]
        self.drain = self.add(pymunk.Segment(base, (LEFT, DRAIN), (LANE, DRAIN), THIN), Kind.DRAIN, 0)
        for sensor in (*self.rollovers, self.drain):
            sensor.sensor = True
        self.add_spinner()
        self.hear()

    def add(self, shape: S, kind: Kind, elasticity: float) -> S:
        """Put a shape on the table."""
        shape.collision_type, shape.elasticity, shape.friction = kind, elasticity, 0.3
        self.space.add(shape)
        return shape

    def add_spinner(self) -> None:
        """Add a thin board that turns about its middle, with a little friction."""
        base = self.space.static_body
        self.spinner = pymunk.Body(0.6, 250)
        self.spinner.position, self.spinner.angle = SPINNER, math.pi / 2
        brake = pymunk.SimpleMotor(base, self.spinner, 0)
        brake.max_force = 900
        pivot = pymunk.PivotJoint(base, self.spinner, SPINNER)
        pivot.error_bias = 0
        self.space.add(self.spinner, pivot, brake)
        self.board = self.add(pymunk.Segment(self.spinner, (-28, 0), (28, 0), 1), Kind.SPINNER, 0.3)

    def hear(self) -> None:
        """Register the handlers. Pymunk 7 and 6.9 have different functions for it."""
        space: Any = self.space
        if hasattr(space, "on_collision"):
            space.on_collision(Kind.BALL, begin=self.begin, post_solve=self.post_solve)
        else:
            handler = space.add_wildcard_collision_handler(Kind.BALL)
            handler.begin, handler.post_solve = self.begin, self.post_solve

    def begin(self, arbiter: Any, space: pymunk.Space, data: Any) -> bool:
        """Let the ball through the gate from below, and record sensors."""
        other = arbiter.shapes[1]
        lets_through = other is self.gate and self.ball.velocity.y > 0
        if lets_through or other.sensor:
            self.note(arbiter, 0.0)
        if lets_through and hasattr(arbiter, "process_collision"):  # in Pymunk 7; 6.9 uses the return value
            arbiter.process_collision = False
        return not lets_through

    def post_solve(self, arbiter: pymunk.Arbiter, space: pymunk.Space, data: Any) -> None:
        """Record a first contact with its impulse."""
        if arbiter.is_first_contact:
            self.note(arbiter, arbiter.total_impulse.length)

    def note(self, arbiter: pymunk.Arbiter, impulse: float) -> None:
        """Record the shape that the ball touches, the ball's position, and the impulse."""
        other = arbiter.shapes[1]
        kind, normal = Kind(other.collision_type), arbiter.contact_point_set.normal
        self.meetings.append(Meeting(kind, other, self.ball.position, normal, impulse))

    def step(self) -> list[Meeting]:
        """Advance the space by a frame, and return the ball's contacts."""
        self.meetings = []
        self.space.step(STEP)
        return self.meetings

    def serve(self) -> None:
        """Put the ball in front of the launcher."""
        self.ball.position, self.ball.velocity, self.ball.angular_velocity = START, (0, 0), 0
        self.space.reindex_shapes_for_body(self.ball)

    @property
    def is_waiting(self) -> bool:
        """Return whether the ball rests in front of the launcher."""
        (x, y), speed = self.ball.position, self.ball.velocity.y
        return bool(x > LANE and y < START[1] + 5 and abs(speed) < 60)
