"""Fast calls into Chipmunk for values that are read many times in a step, without Pymunk's wrapper objects.

These objects take three times as long as Chipmunk itself. For rare calls Pymunk's own interface is used.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import numpy as np
import pymunk
from numpy.typing import NDArray
from pymunk._chipmunk_cffi import ffi, lib
from pymunk.batch import BodyFields, Buffer

from impinge.foreign import Getters, Result, body_functions, tell_each
from impinge.meetings import Engine

__all__ = [
    "BodyReader",
    "Bounds",
    "Filter",
    "Finder",
    "Traits",
    "addresses_of",
    "centers_of",
    "counts_of_shapes",
    "drive",
    "engine_of",
    "facts_of_bodies",
    "facts_of_shapes",
    "figures_of",
    "filter_of",
    "have_contacts",
    "have_surface_velocity",
    "impulse_of",
    "kind_of",
    "mark_of",
    "mass_of",
    "move",
    "outline_of",
    "place_of",
    "shapes_near",
    "smooth",
    "states_of",
    "surface_of",
    "traits_of",
    "types_of",
]

Bounds: TypeAlias = tuple[float, float, float, float]
Vector: TypeAlias = tuple[float, float]
Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]
# Position, angle, velocity and angular velocity of a body.
Figures: TypeAlias = tuple[float, float, float, float, float, float]
# Group, categories and mask of a filter.
Filter: TypeAlias = tuple[int, int, int]
# Traits of a shape that a game may simply assign: its collision type, sensor flag and filter. Chipmunk refuses another
# body while the shape is in a space.
Traits: TypeAlias = tuple[int, int, int, int, int]

FIELDS = BodyFields.BODY_ID | BodyFields.POSITION | BodyFields.ANGLE | BodyFields.VELOCITY | BodyFields.ANGULAR_VELOCITY
# Whether the data of Chipmunk's shapes are ids, as in Pymunk 6.9, and not handles of the shapes.
HAS_IDS = hasattr(pymunk.Space, "_get_shape")
ID_SIZE = ffi.sizeof("uintptr_t")
STILL = ffi.new("cpVect *")[0]
EVERYTHING = (0, pymunk.ShapeFilter.ALL_CATEGORIES(), pymunk.ShapeFilter.ALL_MASKS())


def _address(pointer: Any) -> int:
    return int(ffi.cast("intptr_t", pointer))


def _function(name: str) -> int:
    return _address(ffi.addressof(lib, name))


_STATES: list[tuple[int, Result]] = [(_function("cpBodyGetType"), "int"), (_function("cpBodyIsSleeping"), "char")]
# Types and sleep of bodies; also their centres of gravity and masses; and filters, flags, areas and centres of shapes.
READ_STATES = Getters(_STATES)
READ_BODIES = Getters(
    [*_STATES, (_function("cpBodyGetCenterOfGravity"), "vector"), (_function("cpBodyGetMass"), "double")]
)
READ_SHAPES = Getters(
    [
        (_function("cpShapeGetFilter"), "words"),
        (_function("cpShapeGetSensor"), "char"),
        (_function("cpShapeGetArea"), "double"),
        (_function("cpShapeGetCenterOfGravity"), "vector"),
    ]
)
EACH_ARBITER, ITERATE = _function("cpBodyEachArbiter"), _function("ext_cpBodyArbiterIteratorFunc")
BODY_FUNCTIONS = body_functions(
    get_center=_function("cpBodyGetCenterOfGravity"),
    get_place=_function("cpBodyGetPosition"),
    get_angle=_function("cpBodyGetAngle"),
    get_velocity=_function("cpBodyGetVelocity"),
    get_spin=_function("cpBodyGetAngularVelocity"),
    get_force=_function("cpBodyGetForce"),
    set_place=_function("cpBodySetPosition"),
    set_angle=_function("cpBodySetAngle"),
    set_velocity=_function("cpBodySetVelocity"),
    set_spin=_function("cpBodySetAngularVelocity"),
    set_force=_function("cpBodySetForce"),
    to_world=_function("cpBodyLocalToWorld"),
    move=_function("cpBodyUpdatePosition"),
    reindex=_function("cpSpaceReindexShapesForBody"),
)


class Finder:
    """`pymunk.Space.bb_query` with the filter of a shape.

    Examples
    --------
    >>> space, body = pymunk.Space(), pymunk.Body(1, 1)
    >>> ball, wall = pymunk.Circle(body, 2), pymunk.Segment(space.static_body, (5, -9), (5, 9), 1)
    >>> space.add(body, ball, wall)
    >>> find = Finder(space)
    >>> find((3, -1, 4, 1), ball) == [wall], find((9, -1, 10, 1), ball)
    (True, [])
    """

    def __init__(self, space: pymunk.Space) -> None:
        self._space = space
        self._found: list[pymunk.Shape] = []
        self._handle = ffi.new_handle((space, self._found))

    def __call__(self, bounds: Bounds, shape: pymunk.Shape | None = None) -> list[pymunk.Shape]:
        """Return the shapes whose bounds overlap these; with a shape, only those that its filter lets it meet."""
        found, shape_filter = self._found, EVERYTHING if shape is None else lib.cpShapeGetFilter(shape._shape)
        lib.cpSpaceBBQuery(self._space._space, bounds, shape_filter, lib.ext_cpSpaceBBQueryFunc, self._handle)
        if not found:
            return []
        answer = found.copy()
        # No references are kept to shapes that may leave the space.
        found.clear()
        return answer


class _Pointers:
    """Stands in for the space in the callback of Pymunk 6.9, whose lookup of a shape takes longer than to find it."""

    @staticmethod
    def _get_shape(pointer: Any) -> Any:
        return pointer


def shapes_near(
    space: Any, bounds: Bounds, shape_filter: Filter, is_near: Callable[[Any], bool] | None = None
) -> list[pymunk.Shape]:
    """Return the shapes whose bounds overlap these, as `pymunk.Space.bb_query` does.

    Parameters
    ----------
    space, bounds, shape_filter
        As in `pymunk.Space.bb_query`.
    is_near
        Which of the found shapes to return, by their bounds when they were last indexed: an object with the attributes
        l, b, r and t. None for all.

    Examples
    --------
    >>> space = pymunk.Space()
    >>> wall = pymunk.Segment(space.static_body, (5, -9), (5, 9), 1)
    >>> space.add(wall)
    >>> shapes_near(space, (3, -1, 4, 1), filter_of(wall)) == [wall]
    True
    >>> shapes_near(space, (3, -1, 4, 1), filter_of(wall), lambda box: box.r < 5)
    []
    """
    found: list[Any] = []
    handle, box_of = ffi.new_handle((_Pointers, found)), lib.cpShapeGetBB
    lib.cpSpaceBBQuery(space._space, bounds, shape_filter, lib.ext_cpSpaceBBQueryFunc, handle)
    if not HAS_IDS:
        return found if is_near is None else [shape for shape in found if is_near(box_of(shape._shape))]
    if is_near is not None:
        found = [pointer for pointer in found if is_near(box_of(pointer))]
    known, look_up, data_of = space._shapes, space._get_shape, lib.cpShapeGetUserData
    # A shape that a handler has removed is in Chipmunk's space until the end of the step.
    return [known.get(int(ffi.cast("int", data_of(pointer)))) or look_up(pointer) for pointer in found]


class BodyReader:
    """Positions and velocities of all bodies of a space, read in one call.

    Attributes
    ----------
    figures : (n, 6)
        Position, angle, velocity and angular velocity of each body, until the next call.

    Examples
    --------
    >>> space, body = pymunk.Space(), pymunk.Body(1, 1)
    >>> space.add(body)
    >>> body.velocity = 6, 0
    >>> read = BodyReader(space)
    >>> np.frombuffer(read(), np.uintp) == [body.id], read.figures
    (array([ True]), array([[0., 0., 0., 6., 0., 0.]]))
    """

    def __init__(self, space: pymunk.Space) -> None:
        self._space, self._buffer = space, Buffer()
        # `pymunk.batch.get_space_bodies` makes this anew in each call, which takes longer than to read 100 bodies.
        self._request = ffi.new("pmBatchedData *")
        self._request.fields = FIELDS.value
        self._request.floatArray, self._request.intArray = self._buffer._float_arr, self._buffer._int_arr
        self._iterate = ffi.addressof(lib, "pmSpaceBodyGetIteratorFuncBatched")
        self._start = ffi.NULL
        self.figures: Floats = np.empty((0, 6))

    def __call__(self) -> bytes:
        """Read all bodies, and return their ids."""
        ids, floats = self._buffer._int_arr, self._buffer._float_arr
        ids.num = floats.num = 0
        lib.cpSpaceEachBody(self._space._space, self._iterate, self._request)
        if floats.num != self.figures.size or floats.arr != self._start:
            self._start = floats.arr
            self.figures = np.frombuffer(bytearray() if floats.num == 0 else self._buffer.float_buf()).reshape(-1, 6)
        # Comparing bytes takes a tenth of the time of arrays.
        # `Buffer.int_buf` asks for the size of an id each time.
        read: bytes = ffi.buffer(ids.arr, ID_SIZE * ids.num)[:]
        return read


def counts_of_shapes(space: pymunk.Space) -> tuple[int, int]:
    """Return how many shapes were ever added to a space, and how many are in it: no change leaves both as they were.

    The latest added ones are the last of `Space.shapes`.

    Examples
    --------
    >>> space = pymunk.Space()
    >>> shape = pymunk.Circle(space.static_body, 1)
    >>> space.add(shape)
    >>> added, present = counts_of_shapes(space)
    >>> space.remove(shape)
    >>> space.add(shape)
    >>> counts_of_shapes(space) == (added + 1, present)
    True
    """
    # `Space.shapes` of Pymunk 6.9 makes a list.
    return lib.cpSpaceGetShapeIDCounter(space._space), len(space._shapes)


def types_of(bodies: Iterable[pymunk.Body]) -> list[int]:
    """Return the types of bodies.

    Examples
    --------
    >>> types_of([pymunk.Space().static_body]) == [pymunk.Body.STATIC]
    True
    """
    get = lib.cpBodyGetType
    return [get(body._body) for body in bodies]


def filter_of(shape: pymunk.Shape) -> Filter:
    """Return group, categories and mask of a shape's filter.

    Examples
    --------
    >>> filter_of(pymunk.Circle(None, 1, (0, 0)))[0]
    0
    """
    told = lib.cpShapeGetFilter(shape._shape)
    return told.group, told.categories, told.mask


def outline_of(shape: pymunk.Shape) -> tuple[float, ...]:
    """Return the radius and the points of a shape: they change if its outline changes.

    Examples
    --------
    >>> outline_of(pymunk.Segment(None, (1, 2), (3, 4), radius=5))
    (5.0, 1.0, 2.0, 3.0, 4.0)
    """
    inner = shape._shape
    if isinstance(shape, pymunk.Circle):
        middle = lib.cpCircleShapeGetOffset(inner)
        return lib.cpCircleShapeGetRadius(inner), middle.x, middle.y
    if isinstance(shape, pymunk.Segment):
        a, b = lib.cpSegmentShapeGetA(inner), lib.cpSegmentShapeGetB(inner)
        return lib.cpSegmentShapeGetRadius(inner), a.x, a.y, b.x, b.y
    told, vertex_at = [lib.cpPolyShapeGetRadius(inner)], lib.cpPolyShapeGetVert
    for index in range(lib.cpPolyShapeGetCount(inner)):
        vertex = vertex_at(inner, index)
        told += (vertex.x, vertex.y)
    return tuple(told)


def mark_of(shape: pymunk.Shape) -> tuple[float, ...]:
    """Return numbers that change if the outline of a shape changes: of a polygon, in half of the time of all points.

    Examples
    --------
    >>> box = pymunk.Poly.create_box(None, (4, 2), radius=1)
    >>> mark_of(box)
    (1.0, 23.1..., 0.0, 0.0, 2.0, -1.0)
    >>> mark_of(pymunk.Circle(None, 3)) == outline_of(pymunk.Circle(None, 3))
    True
    """
    if not isinstance(shape, pymunk.Poly):
        return outline_of(shape)
    inner = shape._shape
    center, vertex = lib.cpShapeGetCenterOfGravity(inner), lib.cpPolyShapeGetVert(inner, 0)
    return lib.cpPolyShapeGetRadius(inner), lib.cpShapeGetArea(inner), center.x, center.y, vertex.x, vertex.y


def traits_of(shapes: Iterable[pymunk.Shape]) -> list[Traits]:
    """Return the traits of shapes that a game may simply assign.

    Examples
    --------
    >>> shape = pymunk.Circle(None, 2)
    >>> shape.filter = pymunk.ShapeFilter(group=3, categories=1, mask=2)
    >>> traits_of([shape])
    [(0, 0, 3, 1, 2)]
    """
    type_of, is_sensor, filter_of = lib.cpShapeGetCollisionType, lib.cpShapeGetSensor, lib.cpShapeGetFilter
    traits = []
    for shape in shapes:
        inner = shape._shape
        told = filter_of(inner)
        traits.append((type_of(inner), is_sensor(inner), told.group, told.categories, told.mask))
    return traits


def surface_of(shape: pymunk.Shape) -> Vector:
    """Return the surface velocity of a shape.

    Examples
    --------
    >>> belt = pymunk.Segment(None, (0, 0), (9, 0), 1)
    >>> belt.surface_velocity = 3, 0
    >>> surface_of(belt)
    (3.0, 0.0)
    """
    told = lib.cpShapeGetSurfaceVelocity(shape._shape)
    return told.x, told.y


def have_surface_velocity(shapes: Iterable[pymunk.Shape]) -> bool:
    """Return whether any of some shapes has a surface velocity.

    Examples
    --------
    >>> belt = pymunk.Segment(None, (0, 0), (9, 0), 1)
    >>> belt.surface_velocity = 3, 0
    >>> have_surface_velocity([belt]), have_surface_velocity([])
    (True, False)
    """
    get = lib.cpShapeGetSurfaceVelocity
    for shape in shapes:
        told = get(shape._shape)
        if told.x != 0.0 or told.y != 0.0:
            return True
    return False


def impulse_of(arbiter: Any) -> float:
    """Return the length of the total impulse of Chipmunk's arbiter."""
    told = lib.cpArbiterTotalImpulse(arbiter)
    return math.sqrt(told.x * told.x + told.y * told.y)


def smooth(arbiter: Any) -> None:
    """Take friction, restitution and surface velocity from Chipmunk's arbiter."""
    arbiter.u = arbiter.e = 0.0
    arbiter.surface_vr = STILL


def addresses_of(members: Iterable[pymunk.Body | pymunk.Shape]) -> Ints:
    """Return the addresses of Chipmunk's bodies or shapes, as the functions for many of them take them."""
    inner = (member._body if isinstance(member, pymunk.Body) else member._shape for member in members)
    return np.array([*map(_address, inner)], np.int64)


def engine_of(space: pymunk.Space, addresses: Ints) -> Engine:
    """Return bodies of a space, by their addresses, for `impinge.meetings.Meetings`."""
    return Engine(BODY_FUNCTIONS, _address(space._space), addresses)


def facts_of_shapes(addresses: Ints) -> tuple[Ints, Floats]:
    """Return what shapes may hit, and numbers that change if their outlines change.

    Returns
    -------
    (n, 5) int, (n, 3)
        Group, categories and mask of the filter, whether it is a sensor, and a column that is not set; its area and its
        centre.

    Examples
    --------
    >>> ball, rod = pymunk.Circle(None, 3, (4, 5)), pymunk.Segment(None, (1, 2), (3, 4), radius=5)
    >>> ball.filter = rod.filter = pymunk.ShapeFilter(group=3, categories=1, mask=2)
    >>> facts, marks = facts_of_shapes(addresses_of([ball, rod]))
    >>> facts[:, :4], marks.round(2)
    (array([[3, 1, 2, 0],
           [3, 1, 2, 0]]), array([[ 28.27,   4.  ,   5.  ],
           [106.82,   2.  ,   3.  ]]))
    """
    return READ_SHAPES(addresses, more=1)


def facts_of_bodies(addresses: Ints) -> tuple[Ints, Floats]:
    """Return the types of bodies and which are sleeping; and their centres of gravity in their own frames, and masses.

    Examples
    --------
    >>> facts_of_bodies(addresses_of([pymunk.Body(3, 1)]))
    (array([[0, 0]]), array([[0., 0., 3.]]))
    """
    return READ_BODIES(addresses)


def centers_of(bodies: Iterable[pymunk.Body]) -> list[Vector]:
    """Return the centres of gravity of bodies in their own frames.

    Examples
    --------
    >>> centers_of([pymunk.Body(1, 1)])
    [(0.0, 0.0)]
    """
    get = lib.cpBodyGetCenterOfGravity
    return [(center.x, center.y) for body in bodies for center in (get(body._body),)]


def kind_of(body: pymunk.Body) -> tuple[int, bool, Vector]:
    """Return the type of a body, whether it is sleeping, and its centre of gravity in its own frame.

    Examples
    --------
    >>> kind_of(pymunk.Body(1, 1))
    (0, False, (0.0, 0.0))
    """
    inner = body._body
    center = lib.cpBodyGetCenterOfGravity(inner)
    return lib.cpBodyGetType(inner), bool(lib.cpBodyIsSleeping(inner)), (center.x, center.y)


def place_of(body: pymunk.Body) -> tuple[float, float, float]:
    """Return position and angle of a body.

    Examples
    --------
    >>> place_of(pymunk.Body(1, 1))
    (0.0, 0.0, 0.0)
    """
    inner = body._body
    place = lib.cpBodyGetPosition(inner)
    return place.x, place.y, lib.cpBodyGetAngle(inner)


def figures_of(body: pymunk.Body) -> Figures:
    """Return position, angle, velocity and angular velocity of a body.

    Examples
    --------
    >>> body = pymunk.Body(1, 1)
    >>> body.position, body.velocity = (3, 4), (5, 6)
    >>> figures_of(body)
    (3.0, 4.0, 0.0, 5.0, 6.0, 0.0)
    """
    inner = body._body
    place, velocity = lib.cpBodyGetPosition(inner), lib.cpBodyGetVelocity(inner)
    return (
        place.x,
        place.y,
        lib.cpBodyGetAngle(inner),
        velocity.x,
        velocity.y,
        lib.cpBodyGetAngularVelocity(inner),
    )


def mass_of(body: pymunk.Body) -> float:
    """Return the mass of a body."""
    mass: float = lib.cpBodyGetMass(body._body)
    return mass


def move(body: pymunk.Body, x: float, y: float) -> None:
    """Set the position of a body."""
    lib.cpBodySetPosition(body._body, (x, y))


def drive(body: pymunk.Body, x: float, y: float) -> None:
    """Set the velocity of a body."""
    lib.cpBodySetVelocity(body._body, (x, y))


class _Inside:
    """Stands in for a body in a space, in the callback of `pymunk.Body.each_arbiter`."""

    def __init__(self, space: pymunk.Space) -> None:
        self.space = self._space = space


def have_contacts(space: pymunk.Space, addresses: Ints) -> bool:
    """Return whether any of some bodies had contacts in the last step of their space.

    Examples
    --------
    >>> have_contacts(pymunk.Space(), addresses_of([pymunk.Body(1, 1)]))
    False
    """
    found: list[pymunk.Arbiter] = []
    handle = ffi.new_handle((_Inside(space), found.append, (), {}))
    tell_each(EACH_ARBITER, addresses, ITERATE, _address(handle))
    return bool(found)


def states_of(addresses: Ints) -> Ints:
    """Return the types of bodies, and which are sleeping.

    Examples
    --------
    >>> states_of(addresses_of([pymunk.Body(1, 1), pymunk.Space().static_body]))
    array([[0, 0],
           [2, 0]])
    """
    states, _ = READ_STATES(addresses)
    return states
