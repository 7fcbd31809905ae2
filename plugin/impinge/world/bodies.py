"""A body of a world as a game sees it, and what a frame tells of it: handles and answers, no arrays of their own.

Not here: where bodies are added and take their steps, which is in `world`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from impinge.checks import finite, not_negative
from impinge.errors import ShapeError
from impinge.kernels import columns as col
from impinge.motion import Pose
from impinge.sector.sectors import checked_pose
from impinge.shapes.solids import Vector
from impinge.sides import SIDES, Side, checked_sides

if TYPE_CHECKING:
    from impinge.world.world import World

__all__ = ["ALL_LAYERS", "Body", "Event", "Frame", "Response", "WhenStuck"]

# Every bit that a layer can have: 63, the positive part of a 64-bit integer.
ALL_LAYERS = (1 << 63) - 1
# What no body has: the row is free.
REMOVED = np.iinfo(np.int64).min

Response: TypeAlias = Literal["push", "bounce", "stop", "sensor"]
# Where a name stands is its number in `layout`: RESPONSE_PUSH and so on, KIND_PUSH and so on.
RESPONSES: tuple[Response, ...] = get_args(Response)
Kind: TypeAlias = Literal["push", "sensor", "stuck", "cut_short"]
KINDS: tuple[Kind, ...] = get_args(Kind)

WhenStuck: TypeAlias = Literal["wait", "freeze", "leave"]
WHEN_STUCK: tuple[WhenStuck, ...] = get_args(WhenStuck)

# Radians. A frame follows what turns in spans of some 1/32 radian; from 3,072 spans on they get longer.
MOST_TURNING = 200.0 * math.pi

# The cosine of a body's steepest slope where it is no walker: no slope is as flat as that.
NO_SLOPE = 2.0


@dataclass(frozen=True, slots=True)
class Event:
    """A contact of one frame.

    Attributes
    ----------
    kind
        ``"push"``: the mighty body kept the weak one out. ``"sensor"``: the weak one was in the mighty one, which is a
        sensor. ``"stuck"``: the weak one had no room between the mighty one and another. ``"cut_short"``: the frame of
        the weak one took more turns than a frame may, and it stayed where it was by then; the mighty one is the last
        that it met, or is near.
    time
        When it began, from 0 to 1.
    weak, mighty
        The bodies; of a sensor's event the visitor and the sensor, whatever their might.
    side
        The side of the weak body that was touched; none of a sensor's visitor.
    speed
        Speed of the mighty body towards the weak one, in units a frame: positive when it pushes, 0 when the weak one
        ran against it, negative when it recedes.
    normal
        (x, y) of length 1, from the mighty body to the weak one.

    Examples
    --------
    >>> import impinge as im
    >>> world = im.World()
    >>> wall, crate = world.add(im.Box(2, 9), im.Pose(0, 0), might=1), world.add(im.Box(2, 2), im.Pose(5, 0))
    >>> wall.goal = im.Pose(6, 0)
    >>> event = world.step().events[0]
    >>> event.kind, event.time, event.weak is crate, event.side, event.speed
    ('push', 0.5, True, <Side.LEFT: 1>, 6.0)
    """

    kind: Kind
    time: float
    weak: Body
    mighty: Body
    side: Side
    speed: float
    normal: Vector


IN_ORDER = itemgetter(col.EVENT_TIME, col.EVENT_KIND, col.EVENT_WEAK_ORDER, col.EVENT_MIGHTY_ORDER)


class Frame:
    """What happened in one step; the events become objects when they are first asked for.

    Examples
    --------
    >>> import impinge as im
    >>> im.World().step().events
    ()
    """

    def __init__(self, rows: NDArray[np.float64], bodies: list[Body | None]) -> None:
        self._rows = rows
        self._bodies = bodies
        self._events: tuple[Event, ...] | None = None

    @property
    def events(self) -> tuple[Event, ...]:
        """All events in order of time; at one time by kind (push, sensor, stuck, cut short), then by `Body.order`."""
        if self._events is None:  # until Python 3.12 a `cached_property` takes a lock, a third of an event
            rows: list[list[float]] = self._rows.tolist()
            rows.sort(key=IN_ORDER)
            self._events = tuple(map(self._event, rows))
        return self._events

    @property
    def rows(self) -> NDArray[np.float64]:
        """All events as numbers, in no order, (n, 10): for who reads very many, or reads them in no time.

        The columns are `Event.time`, `speed`, the `Body.index` of `weak` and of `mighty`, the bits of `side`, the
        place of `kind` among push, sensor, stuck and cut short, the `Body.order` of both bodies, and the two of
        `normal`. `World.body` finds a body by its index, until one is removed.

        Examples
        --------
        >>> import impinge as im
        >>> world = im.World()
        >>> walls = [world.add(im.Box(2, 9), im.Pose(x, 0), might=1) for x in (0, 20)]
        >>> ball = world.add(im.Circle(1), im.Pose(11, 0))
        >>> ball.goal = im.Pose(31, 0)
        >>> row = world.step().rows[0].tolist()
        >>> row[0], world.body(int(row[3])) is walls[1], row[8:]
        (0.35, True, [-1.0, 0.0])
        """
        return self._rows

    @property
    def pushes(self) -> tuple[Event, ...]:
        """The events of kind ``"push"``."""
        return self._of_kind("push")

    @property
    def sensed(self) -> tuple[Event, ...]:
        """The events of kind ``"sensor"``."""
        return self._of_kind("sensor")

    @property
    def stuck(self) -> tuple[Event, ...]:
        """The events of kind ``"stuck"``."""
        return self._of_kind("stuck")

    @property
    def cut_short(self) -> tuple[Event, ...]:
        """The events of kind ``"cut_short"``."""
        return self._of_kind("cut_short")

    def _of_kind(self, kind: Kind) -> tuple[Event, ...]:
        return tuple(event for event in self.events if event.kind == kind)

    def _event(self, row: list[float]) -> Event:
        weak, mighty = self._bodies[int(row[col.EVENT_WEAK])], self._bodies[int(row[col.EVENT_MIGHTY])]
        assert weak is not None
        assert mighty is not None
        return Event(
            KINDS[int(row[col.EVENT_KIND])],
            row[col.EVENT_TIME],
            weak,
            mighty,
            SIDES[int(row[col.EVENT_SIDE])],
            row[col.EVENT_SPEED],
            (row[col.EVENT_NORMAL], row[col.EVENT_NORMAL + 1]),
        )


class Body:
    """A body of a `World`, made by `World.add`.

    Attributes
    ----------
    data
        Whatever the game wants to find again here.

    Examples
    --------
    >>> import math, impinge as im
    >>> world = im.World()
    >>> door = world.add(im.Box(40, 4), im.Pose(0, 0), might=1)
    >>> door.goal = im.Pose(0, 0, math.pi / 2)
    >>> frame = world.step()
    >>> door.angle == math.pi / 2, door.previous.angle
    (True, 0.0)
    """

    __slots__ = ("__weakref__", "_index", "_max_slope", "_shape", "_world", "data")

    def __init__(self, world: World, index: int, shape: Any, max_slope: float | None, data: Any) -> None:
        self._world: World | None = world
        self._index = index
        self._shape = shape
        self._max_slope = max_slope
        self.data = data

    def __repr__(self) -> str:
        if self._world is None:
            return "<Body, removed>"
        return f"<Body {self._index}: {self._shape} at {self.pose}>"

    @property
    def world(self) -> World:
        """The world it belongs to."""
        if self._world is None:
            raise ValueError("this body was removed from its world")
        return self._world

    @property
    def index(self) -> int:
        """Its row in `World.set_goals` and `World.positions`; given to another body once this one is removed."""
        self.world  # noqa: B018  a removed body has no row
        return self._index

    @property
    def order(self) -> int:
        """Its place in the order in which bodies are added: of equals, the lower one comes first."""
        return int(self.world._ints[self._index, col.ORDER])

    @property
    def shape(self) -> Any:
        """Its shape; a new one takes effect at the next step. Equal solids of a world become one object.

        What is no `Solid` is given back as it is: a plugin has made a solid of it.
        """
        return self._shape

    @shape.setter
    def shape(self, shape: Any) -> None:
        world = self.world
        world._set_shape(self._index, world._hooks.solid_of("shape", shape), shape)

    @property
    def pose(self) -> Pose:
        """Where it stands. To set it moves the body there at once, and nothing in between is met."""
        return self.world._pose(self._index, col.START, col.ANGLE)

    @pose.setter
    def pose(self, pose: Pose) -> None:
        self.world._place(self._index, checked_pose("pose", pose))

    @property
    def angle(self) -> float:
        """The angle of its pose, in radians. To set it turns the body at once where it stands; the goal stays, turned.

        That is: the place of the goal stays, and the body does not wish to turn any further.
        """
        return self._float(col.ANGLE)

    @angle.setter
    def angle(self, angle: float) -> None:
        pose = self.pose
        self.world._turn(self._index, Pose(pose.x, pose.y, finite("angle", angle)).angle)

    @property
    def previous(self) -> Pose:
        """Where it stood at the start of the last frame."""
        return self.world._pose(self._index, col.BEFORE, col.BEFORE_ANGLE)

    @property
    def goal(self) -> Pose:
        """Where it would like to be at the frame's end; after each step, where it is.

        If its angle is another one, the body turns evenly during the frame, up to a hundred times. More is refused with
        a `ShapeError`.
        """
        return self.world._pose(self._index, col.GOAL, col.GOAL_ANGLE)

    @goal.setter
    def goal(self, goal: Pose) -> None:
        self.world._set_goal(self._index, checked_pose("goal", goal))

    @property
    def movement(self) -> Vector:
        """Its own movement at the last frame's end, (x, y) in units a frame: after a bounce, the way it flies on.

        Own is what nobody gave it: a body that is held up or carried along still has the movement of its goal.
        """
        return self._pair(col.MOVEMENT)

    @property
    def might(self) -> int:
        """Its rank: it pushes bodies of lower might, and is pushed by those of higher."""
        return self._int(col.MIGHT)

    @might.setter
    def might(self, might: int) -> None:
        self.world._set_rank(self._index, col.MIGHT, checked_might(might))

    @property
    def layer(self) -> int:
        """The bits by which the masks of others choose it."""
        return self._int(col.LAYER)

    @layer.setter
    def layer(self, layer: int) -> None:
        self.world._set_int(self._index, col.LAYER, checked_integer("layer", layer, 1))

    @property
    def mask(self) -> int:
        """The bits of the layers whose bodies push it, and whose sensors sense it."""
        return self._int(col.MASK)

    @mask.setter
    def mask(self, mask: int) -> None:
        self.world._set_int(self._index, col.MASK, checked_integer("mask", mask, 0))

    @property
    def response(self) -> Response:
        """What happens when it meets another: see `World.add`."""
        return RESPONSES[self._int(col.RESPONSE)]

    @response.setter
    def response(self, response: Response) -> None:
        self.world._set_rank(self._index, col.RESPONSE, checked_response(response))

    @property
    def when_stuck(self) -> WhenStuck:
        """What it does in a body that it got stuck in: see `World.add`."""
        return WHEN_STUCK[self._int(col.WHEN_STUCK)]

    @when_stuck.setter
    def when_stuck(self, when_stuck: WhenStuck) -> None:
        self.world._set_int(self._index, col.WHEN_STUCK, checked_when_stuck(when_stuck))

    @property
    def cut_short(self) -> bool:
        """Whether its last frame took more turns than a frame may: it stayed where it was by then."""
        return self._int(col.IS_CUT_SHORT) != 0

    @property
    def restitution(self) -> float:
        """The part of the speed of an approach that it bounces with, from 0 to 1."""
        return self._float(col.RESTITUTION)

    @restitution.setter
    def restitution(self, restitution: float) -> None:
        self.world._set_float(self._index, col.RESTITUTION, checked_restitution(restitution))

    @property
    def carrying(self) -> Side:
        """Its sides that take a weaker body along; like the next two, as they are in its own frame."""
        return self._sides(col.CARRYING)

    @carrying.setter
    def carrying(self, sides: Side) -> None:
        self.world._set_int(self._index, col.CARRYING, checked_sides("carrying", sides))

    @property
    def sticky(self) -> Side:
        """Its sides that hold a weaker body."""
        return self._sides(col.STICKY)

    @sticky.setter
    def sticky(self, sides: Side) -> None:
        self.world._set_int(self._index, col.STICKY, checked_sides("sticky", sides))

    @property
    def passable(self) -> Side:
        """Its sides that let a weaker body in."""
        return self._sides(col.PASSABLE)

    @passable.setter
    def passable(self, sides: Side) -> None:
        self.world._set_int(self._index, col.PASSABLE, checked_sides("passable", sides))

    @property
    def max_slope(self) -> float | None:
        """The steepest slope that it walks on, in radians; None if it is no walker."""
        self.world  # noqa: B018  a removed body walks nowhere
        return self._max_slope

    @max_slope.setter
    def max_slope(self, max_slope: float | None) -> None:
        self.world._set_slope(self._index, checked_slope(max_slope))

    @property
    def snap(self) -> float:
        """How far it reaches down to stay on the ground, in the game's units."""
        return self._float(col.SNAP)

    @snap.setter
    def snap(self, snap: float) -> None:
        self.world._set_float(self._index, col.SNAP, not_negative("snap", snap))

    @property
    def step_height(self) -> float:
        """How high above its feet the top of a step may be that it walks up, in the game's units."""
        return self._float(col.STEP_HEIGHT)

    @step_height.setter
    def step_height(self, step_height: float) -> None:
        self.world._set_float(self._index, col.STEP_HEIGHT, not_negative("step_height", step_height))

    @property
    def on_floor(self) -> bool:
        """Whether it stood on something at the last frame's end: a walker only on what it can walk on."""
        if self.max_slope is None:
            return Side.BOTTOM in self.blocked
        return self.floor is not None

    @property
    def floor(self) -> Body | None:
        """What it stood on at the last frame's end; None if that is nothing, or is gone."""
        floor = self._int(col.FLOOR)
        return None if floor < 0 or floor in self.world._gone else self.world._bodies[floor]

    @property
    def floor_velocity(self) -> Vector:
        """Velocity of its floor where it stood on it, (x, y) in units a frame; (0, 0) without one."""
        return (0.0, 0.0) if self.floor is None else self._pair(col.FLOOR_SPEED)

    @property
    def sides(self) -> Side:
        """Its sides that a mightier body touched in the last frame, as the world sees them: BOTTOM is below.

        However the body is turned; and what touches it on a slope of 45 degrees is still below or above.
        """
        return self._sides(col.SIDES)

    @property
    def blocked(self) -> Side:
        """Its sides that a mightier body still presses on at the frame's end."""
        return self._sides(col.BLOCKED)

    @property
    def stuck(self) -> Side:
        """Its sides between which it had no room in the last frame."""
        return self._sides(col.STUCK)

    @property
    def time(self) -> float | None:
        """When it was first touched in the last frame, from 0 to 1; None if it was not."""
        time = self._float(col.FIRST_TOUCH)
        return None if time != time else time

    def _int(self, column: int) -> int:
        return int(self.world._ints[self._index, column])

    def _float(self, column: int) -> float:
        return float(self.world._floats[self._index, column])

    def _pair(self, column: int) -> Vector:
        return self._float(column), self._float(column + 1)

    def _sides(self, column: int) -> Side:
        return SIDES[self._int(column)]


def checked_integer(name: str, value: Any, least: int) -> int:
    """Return an integer of 64 bits, or refuse it by name."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= ALL_LAYERS:
        raise ShapeError(f"{name} must be an integer from {least} to {ALL_LAYERS}, got {value!r}")
    return value


def checked_might(value: object) -> int:
    """Return a rank, or refuse it."""
    return checked_integer("might", value, REMOVED + 1)


def checked_response(value: Any) -> int:
    """Return the number of a response, or refuse what is none."""
    if not isinstance(value, str) or value not in RESPONSES:
        raise ShapeError(f"response must be one of {', '.join(map(repr, RESPONSES))}, got {value!r}")
    return RESPONSES.index(value)


def checked_when_stuck(value: Any) -> int:
    """Return the number of what a stuck body does, or refuse what is none."""
    if not isinstance(value, str) or value not in WHEN_STUCK:
        raise ShapeError(f"when_stuck must be one of {', '.join(map(repr, WHEN_STUCK))}, got {value!r}")
    return WHEN_STUCK.index(value)


def checked_restitution(value: object) -> float:
    """Return a restitution, or refuse it."""
    number = finite("restitution", value)
    if not 0.0 <= number <= 1.0:
        raise ShapeError(f"restitution must be from 0 to 1, got {value!r}")
    return number


def checked_slope(value: object) -> float | None:
    """Return a walker's steepest slope, None for what is none, or refuse it."""
    if value is None:
        return None
    number = finite("max_slope", value)
    if not 0.0 <= number < 0.5 * math.pi:
        raise ShapeError(f"max_slope must be at least 0 and less than pi / 2, or None, got {value!r}")
    return number


def checked_turn(angle: float, turn: float) -> None:
    """Refuse the angle of a goal that a body would turn to by more than a frame can follow."""
    if abs(turn) > MOST_TURNING:
        raise ShapeError(
            f"the goal's angle must be at most {MOST_TURNING:g} radians (100 turns) from the body's, got {angle!r}: "
            "set Body.angle to turn it at once"
        )


def floor_cosine(slope: float | None) -> float:
    """Return the cosine of a walker's steepest slope, and more than any slope has for what is no walker."""
    return NO_SLOPE if slope is None else math.cos(slope)
