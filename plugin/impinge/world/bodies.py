"""Bodies, frames and events of a world: handles that read the world's arrays.

Not here: adding and stepping bodies, which is in `world`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from impinge.checks import LARGEST, finite, not_negative
from impinge.errors import ShapeError
from impinge.kernels import columns as col
from impinge.motion import Pose
from impinge.sector.sectors import checked_pose
from impinge.shapes.solids import Vector
from impinge.sides import SIDES, Side, checked_sides

if TYPE_CHECKING:
    from impinge.world.world import World

__all__ = ["ALL_LAYERS", "EVENT_KINDS", "Body", "Event", "EventColumn", "Frame", "Response", "WhenStuck"]

# All bits that a layer can have: the 63 of a positive 64-bit integer.
ALL_LAYERS = (1 << 63) - 1
# The might of a free row. No body has it.
REMOVED = np.iinfo(np.int64).min

Response: TypeAlias = Literal["push", "bounce", "stop", "sensor"]
# The index of a name is its code in `kernels.columns`: RESPONSE_PUSH and so on, KIND_PUSH and so on.
RESPONSES: tuple[Response, ...] = get_args(Response)
Kind: TypeAlias = Literal["push", "sensor", "stuck", "cut_short"]
EVENT_KINDS: tuple[Kind, ...] = get_args(Kind)

WhenStuck: TypeAlias = Literal["wait", "freeze", "leave"]
WHEN_STUCK: tuple[WhenStuck, ...] = get_args(WhenStuck)

# Radians. A frame follows a rotation in spans of some 1/32 radian; from 3,072 spans on they get longer.
MAX_TURN_ANGLE = 200.0 * math.pi

# Floor cosine of a body that is no walker: no slope has a cosine above 1, so none is a floor for it.
NO_SLOPE = 2.0


@dataclass(frozen=True, slots=True)
class Event:
    """A contact of one frame.

    Attributes
    ----------
    kind
        ``"push"``: the mighty body kept the weak one out. ``"sensor"``: the weak body was in the mighty one, which is a
        sensor. ``"stuck"``: the weak body had no room between the mighty one and another. ``"cut_short"``: the frame of
        the weak body met the limit of iterations, which ended its own movement. The mighty body is the last one that
        it met, or one near it.
    time
        Begin of the contact, from 0 to 1.
    weak, mighty
        The bodies. In a sensor event, the visitor and the sensor, regardless of their might.
    side
        The touched side of the weak body; `Side.NONE` in a sensor event.
    speed
        Speed of the mighty body towards the weak one, in units per frame: positive if it pushes, 0 if the weak body
        ran into it, negative if it recedes.
    normal
        Contact normal (x, y) of length 1, from the mighty body to the weak one.

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


class EventColumn(IntEnum):
    """Columns of `Frame.rows`. Bodies are numbers there: `World.body` finds a body by its index."""

    TIME = col.EVENT_TIME
    SPEED = col.EVENT_SPEED
    WEAK = col.EVENT_WEAK  # `Body.index`
    MIGHTY = col.EVENT_MIGHTY
    SIDE = col.EVENT_SIDE  # its bits
    KIND = col.EVENT_KIND  # its index in `EVENT_KINDS`
    WEAK_ORDER = col.EVENT_WEAK_ORDER  # `Body.order`
    MIGHTY_ORDER = col.EVENT_MIGHTY_ORDER
    NORMAL_X = col.EVENT_NORMAL
    NORMAL_Y = col.EVENT_NORMAL + 1


EVENT_SORT_COLUMNS = (col.EVENT_TIME, col.EVENT_KIND, col.EVENT_WEAK_ORDER, col.EVENT_MIGHTY_ORDER)
EVENT_SORT_KEY = itemgetter(*EVENT_SORT_COLUMNS)
# From this number of events on, NumPy sorts them faster than Python: 400 in 190 against 600 µs.
MANY_EVENTS = 20


class Frame:
    """The events of one step. They become objects at the first access.

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
        self._ordered: list[list[float]] | None = None

    @property
    def events(self) -> tuple[Event, ...]:
        """Return all events, by time, then by kind (push, sensor, stuck, cut short), then by `Body.order`."""
        if self._events is None:  # before Python 3.12 a `cached_property` takes a lock: a third of an event's cost
            self._events = tuple(map(self._event, self.ordered_rows))
        return self._events

    @property
    def rows(self) -> NDArray[np.float64]:
        """Return all events as an unsorted array of shape (n, 10): faster than `events` if there are many.

        `EventColumn` names the columns: `Event.time`, `speed`, the `Body.index` of `weak` and of `mighty`, the bits of
        `side`, the index of `kind` among push, sensor, stuck and cut short, the `Body.order` of both bodies, and x and
        y of `normal`. `World.body` finds a body by its index, until a body is removed.

        Examples
        --------
        >>> import impinge as im
        >>> world = im.World()
        >>> walls = [world.add(im.Box(2, 9), im.Pose(x, 0), might=1) for x in (0, 20)]
        >>> ball = world.add(im.Circle(1), im.Pose(11, 0))
        >>> ball.goal = im.Pose(31, 0)
        >>> row = world.step().rows[0].tolist()
        >>> row[im.EventColumn.TIME], world.body(int(row[im.EventColumn.MIGHTY])) is walls[1], row[8:]
        (0.35, True, [-1.0, 0.0])
        """
        return self._rows

    @property
    def ordered_rows(self) -> list[list[float]]:
        """Return `rows` as lists of numbers, in the order of `events`."""
        if self._ordered is None:
            if len(self._rows) < MANY_EVENTS:
                self._ordered = self._rows.tolist()
                self._ordered.sort(key=EVENT_SORT_KEY)
            else:
                keys = [self._rows[:, column] for column in reversed(EVENT_SORT_COLUMNS)]
                self._ordered = self._rows[np.lexsort(keys)].tolist()
        return self._ordered

    def data(self, column: EventColumn) -> list[Any]:
        """Return the `Body.data` of one body of each event, in the order of `events`, until a body is removed.

        Parameters
        ----------
        column
            `EventColumn.WEAK` or `EventColumn.MIGHTY`.

        Examples
        --------
        >>> import impinge as im
        >>> world = im.World()
        >>> walls = [world.add(im.Box(2, 9), im.Pose(x, 0), might=1, data=x) for x in (10, -5)]
        >>> ball = world.add(im.Circle(1), im.Pose(0, 0), data="ball")
        >>> ball.goal = im.Pose(20, 0)
        >>> frame = world.step()
        >>> frame.data(im.EventColumn.WEAK), frame.data(im.EventColumn.MIGHTY)
        (['ball'], [10])
        """
        bodies: list[Any] = self._bodies
        return [bodies[int(row[column])].data for row in self.ordered_rows]

    @property
    def pushes(self) -> tuple[Event, ...]:
        """Return the events of kind ``"push"``."""
        return self._of_kind("push")

    @property
    def sensed(self) -> tuple[Event, ...]:
        """Return the events of kind ``"sensor"``."""
        return self._of_kind("sensor")

    @property
    def stuck_events(self) -> tuple[Event, ...]:
        """Return the events of kind ``"stuck"``."""
        return self._of_kind("stuck")

    @property
    def cut_short_events(self) -> tuple[Event, ...]:
        """Return the events of kind ``"cut_short"``."""
        return self._of_kind("cut_short")

    def _of_kind(self, kind: Kind) -> tuple[Event, ...]:
        return tuple(event for event in self.events if event.kind == kind)

    def _event(self, row: list[float]) -> Event:
        weak, mighty = self._bodies[int(row[col.EVENT_WEAK])], self._bodies[int(row[col.EVENT_MIGHTY])]
        assert weak is not None
        assert mighty is not None
        return Event(
            EVENT_KINDS[int(row[col.EVENT_KIND])],
            row[col.EVENT_TIME],
            weak,
            mighty,
            SIDES[int(row[col.EVENT_SIDE])],
            row[col.EVENT_SPEED],
            (row[col.EVENT_NORMAL], row[col.EVENT_NORMAL + 1]),
        )


class Body:
    """A body of a `World`. `World.add` makes it.

    Attributes
    ----------
    data
        Any object of the game.

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
        """Return the world of the body."""
        if self._world is None:
            raise ValueError("this body was removed from its world")
        return self._world

    @property
    def index(self) -> int:
        """Return its row in `World.set_goals` and `World.positions`. After a removal, another body can get this row."""
        self.world  # noqa: B018  refuses a removed body
        return self._index

    @property
    def order(self) -> int:
        """Return its place in the order of adding: among equals, the lower one comes first."""
        return int(self.world._state.ints[self._index, col.ORDER])

    @property
    def shape(self) -> Any:
        """Shape of the body. A new one takes effect at the next step. Equal solids of a world become one object.

        An object that is no `Solid`, of which a plugin made a solid, is returned unchanged.
        """
        return self._shape

    @shape.setter
    def shape(self, shape: Any) -> None:
        world = self.world
        world._set_shape(self._index, world._hooks.solid_of("shape", shape), shape)

    @property
    def pose(self) -> Pose:
        """Current pose. Setting it teleports the body: it collides with nothing on the way."""
        return self.world._state.pose(self._index, col.START, col.ANGLE)

    @pose.setter
    def pose(self, pose: Pose) -> None:
        self.world._place(self._index, checked_pose("pose", pose))

    @property
    def angle(self) -> float:
        """Angle of the pose, in radians. Setting it turns the body at once, in place.

        The goal keeps its place and gets the new angle.
        """
        return self._float(col.ANGLE)

    @angle.setter
    def angle(self, angle: float) -> None:
        pose = self.pose
        self.world._turn(self._index, Pose(pose.x, pose.y, finite("angle", angle)).angle)

    @property
    def previous(self) -> Pose:
        """Return the pose at the start of the last frame."""
        return self.world._state.pose(self._index, col.BEFORE, col.BEFORE_ANGLE)

    @property
    def goal(self) -> Pose:
        """Pose that the body tries to reach in the next frame. After each step, it is the current pose.

        If its angle differs from the current one, the body turns evenly during the frame. More than a hundred turns
        raise a `ShapeError`.
        """
        return self.world._state.pose(self._index, col.GOAL, col.GOAL_ANGLE)

    @goal.setter
    def goal(self, goal: Pose) -> None:
        self.world._set_goal(self._index, checked_pose("goal", goal))

    @property
    def coordinates(self) -> tuple[float, float, float]:
        """Return x, y and angle of the pose as plain numbers, which takes less time than `pose`."""
        item, index = self.world._state.floats.item, self._index
        return item(index, col.START), item(index, col.START + 1), item(index, col.ANGLE)

    def aim(self, x: float, y: float, angle: float) -> None:
        """Set the goal to the pose of these numbers, as ``body.goal = Pose(x, y, angle)`` does in more time.

        Raises
        ------
        ShapeError
            As `goal` and `Pose`.

        Examples
        --------
        >>> import impinge as im
        >>> world = im.World()
        >>> ball = world.add(im.Circle(2), im.Pose(5, 7))
        >>> ball.aim(6, 9, 0)
        >>> frame = world.step()
        >>> ball.coordinates
        (6.0, 9.0, 0.0)
        """
        world, index = self.world, self._index
        state = world._state
        floats = state.floats
        is_plain = type(x) is type(y) is type(angle) is float and -LARGEST <= x <= LARGEST and -LARGEST <= y <= LARGEST
        if is_plain and world._stepper is None and floats.item(index, col.GOAL_ANGLE) == angle:
            state.note_move(index)
            floats[index, col.GOAL], floats[index, col.GOAL + 1] = x, y
        else:
            self.goal = Pose(x, y, angle)

    @property
    def movement(self) -> Vector:
        """Return its own movement at the end of the last frame, (x, y) in units per frame: after a bounce, reflected.

        Contacts and carriers do not count: a body that is blocked or carried still has the movement towards its goal.
        """
        return self._pair(col.MOVEMENT)

    @property
    def might(self) -> int:
        """Rank: the body pushes bodies of lower might, and bodies of higher might push it."""
        return self._int(col.MIGHT)

    @might.setter
    def might(self, might: int) -> None:
        self.world._set_rank(self._index, col.MIGHT, checked_might(might))

    @property
    def layer(self) -> int:
        """Bits that the masks of other bodies select."""
        return self._int(col.LAYER)

    @layer.setter
    def layer(self, layer: int) -> None:
        self.world._set_int(self._index, col.LAYER, checked_integer("layer", layer, 1))

    @property
    def mask(self) -> int:
        """Bits of the layers whose bodies push it, and whose sensors detect it."""
        return self._int(col.MASK)

    @mask.setter
    def mask(self, mask: int) -> None:
        self.world._set_int(self._index, col.MASK, checked_integer("mask", mask, 0))

    @property
    def response(self) -> Response:
        """Response to a contact: see `World.add`."""
        return RESPONSES[self._int(col.RESPONSE)]

    @response.setter
    def response(self, response: Response) -> None:
        self.world._set_rank(self._index, col.RESPONSE, checked_response(response))

    @property
    def when_stuck(self) -> WhenStuck:
        """Behaviour of the body in the frames after it got stuck: see `World.add`."""
        return WHEN_STUCK[self._int(col.WHEN_STUCK)]

    @when_stuck.setter
    def when_stuck(self, when_stuck: WhenStuck) -> None:
        self.world._set_int(self._index, col.WHEN_STUCK, checked_when_stuck(when_stuck))

    @property
    def cut_short(self) -> bool:
        """Return whether its last frame met the limit of iterations, which ended its own movement."""
        return self._int(col.IS_CUT_SHORT) != 0

    @property
    def restitution(self) -> float:
        """Part of the approach speed that a bounce keeps, from 0 to 1."""
        return self._float(col.RESTITUTION)

    @restitution.setter
    def restitution(self, restitution: float) -> None:
        self.world._set_float(self._index, col.RESTITUTION, checked_restitution(restitution))

    @property
    def carrying(self) -> Side:
        """Sides that take a weaker body along, in the body's own frame, as are `sticky` and `passable`."""
        return self._sides(col.CARRYING)

    @carrying.setter
    def carrying(self, sides: Side) -> None:
        self.world._set_int(self._index, col.CARRYING, checked_sides("carrying", sides))

    @property
    def sticky(self) -> Side:
        """Sides that hold a weaker body."""
        return self._sides(col.STICKY)

    @sticky.setter
    def sticky(self, sides: Side) -> None:
        self.world._set_int(self._index, col.STICKY, checked_sides("sticky", sides))

    @property
    def passable(self) -> Side:
        """Sides that let a weaker body in."""
        return self._sides(col.PASSABLE)

    @passable.setter
    def passable(self, sides: Side) -> None:
        self.world._set_int(self._index, col.PASSABLE, checked_sides("passable", sides))

    @property
    def max_slope(self) -> float | None:
        """Steepest slope that the body walks on, in radians; None if it is no walker."""
        self.world  # noqa: B018  refuses a removed body
        return self._max_slope

    @max_slope.setter
    def max_slope(self, max_slope: float | None) -> None:
        self.world._set_slope(self._index, checked_slope(max_slope))

    @property
    def snap(self) -> float:
        """Distance below its feet in which a walker stays on the ground, in the game's units."""
        return self._float(col.SNAP)

    @snap.setter
    def snap(self, snap: float) -> None:
        self.world._set_float(self._index, col.SNAP, not_negative("snap", snap))

    @property
    def step_height(self) -> float:
        """Height of the highest step that a walker climbs, above its feet, in the game's units."""
        return self._float(col.STEP_HEIGHT)

    @step_height.setter
    def step_height(self, step_height: float) -> None:
        self.world._set_float(self._index, col.STEP_HEIGHT, not_negative("step_height", step_height))

    @property
    def on_floor(self) -> bool:
        """Return whether it stood on a body at the end of the last frame; for a walker, on a walkable one."""
        if self.max_slope is None:
            return Side.BOTTOM in self.blocked
        return self.floor is not None

    @property
    def floor(self) -> Body | None:
        """Return the body under it at the end of the last frame; None without one, or if that was removed."""
        floor = self._int(col.FLOOR)
        return None if floor < 0 or floor in self.world._state.gone else self.world._state.bodies[floor]

    @property
    def floor_velocity(self) -> Vector:
        """Return the velocity of its floor under its feet, (x, y) in units per frame; (0, 0) without a floor."""
        return (0.0, 0.0) if self.floor is None else self._pair(col.FLOOR_SPEED)

    @property
    def sides(self) -> Side:
        """Return its sides that a mightier body touched in the last frame, in world coordinates: BOTTOM is below.

        They do not turn with the body. A contact on a slope of 45 degrees still counts as below or above.
        """
        return self._sides(col.SIDES)

    @property
    def blocked(self) -> Side:
        """Return its sides that a mightier body still presses on at the end of the last frame."""
        return self._sides(col.BLOCKED)

    @property
    def stuck(self) -> Side:
        """Return its sides between which it had no room in the last frame."""
        return self._sides(col.STUCK)

    @property
    def overlapped(self) -> bool:
        """Return whether it overlapped a mightier body at the start of the last frame, and so was moved out of it."""
        return self._int(col.OVERLAPPED) != 0

    @property
    def time(self) -> float | None:
        """Return the time of the first contact in the last frame, from 0 to 1; None without one."""
        time = self._float(col.FIRST_TOUCH)
        return None if time != time else time

    def _int(self, column: int) -> int:
        return int(self.world._state.ints[self._index, column])

    def _float(self, column: int) -> float:
        return float(self.world._state.floats[self._index, column])

    def _pair(self, column: int) -> Vector:
        return self._float(column), self._float(column + 1)

    def _sides(self, column: int) -> Side:
        return SIDES[self._int(column)]


def checked_integer(name: str, value: Any, least: int) -> int:
    """Return an integer that fits into 64 bits, or raise an error with its name."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= ALL_LAYERS:
        raise ShapeError(f"{name} must be an integer from {least} to {ALL_LAYERS}, got {value!r}")
    return value


def checked_might(value: object) -> int:
    """Return a rank, or raise an error."""
    return checked_integer("might", value, REMOVED + 1)


def checked_response(value: Any) -> int:
    """Return the code of a response, or raise an error."""
    if not isinstance(value, str) or value not in RESPONSES:
        raise ShapeError(f"response must be one of {', '.join(map(repr, RESPONSES))}, got {value!r}")
    return RESPONSES.index(value)


def checked_when_stuck(value: Any) -> int:
    """Return the code of a `WhenStuck`, or raise an error."""
    if not isinstance(value, str) or value not in WHEN_STUCK:
        raise ShapeError(f"when_stuck must be one of {', '.join(map(repr, WHEN_STUCK))}, got {value!r}")
    return WHEN_STUCK.index(value)


def checked_restitution(value: object) -> float:
    """Return a restitution, or raise an error."""
    number = finite("restitution", value)
    if not 0.0 <= number <= 1.0:
        raise ShapeError(f"restitution must be from 0 to 1, got {value!r}")
    return number


def checked_slope(value: object) -> float | None:
    """Return the steepest slope of a walker, or None for a body that is no walker; else raise an error."""
    if value is None:
        return None
    number = finite("max_slope", value)
    if not 0.0 <= number < 0.5 * math.pi:
        raise ShapeError(f"max_slope must be at least 0 and less than pi / 2, or None, got {value!r}")
    return number


def checked_turn(angle: float, turn: float) -> None:
    """Raise an error if a body would turn by more than a frame can follow."""
    if abs(turn) > MAX_TURN_ANGLE:
        raise ShapeError(
            f"the goal's angle must be at most {MAX_TURN_ANGLE:g} radians (100 turns) from the body's, got {angle!r}: "
            "set Body.angle to turn it at once"
        )


def floor_cosine(slope: float | None) -> float:
    """Return the cosine of the steepest slope of a walker, or `NO_SLOPE` for a body that is no walker."""
    return NO_SLOPE if slope is None else math.cos(slope)
