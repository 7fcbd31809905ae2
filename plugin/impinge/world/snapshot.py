"""The state of a world as bytes, for rollback and saves, and copies of worlds: all that the next steps depend on.

Not here: derived data (the bounds of the tree, rows of posed solids), and `Body.data`. The bytes contain no pickle, and
every number is checked, so an untrusted save cannot run code.
"""

from __future__ import annotations

import copy
import math
import os
import struct
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from impinge.checks import LARGEST, positive
from impinge.errors import ShapeError, SnapshotError
from impinge.interrupts import at_once
from impinge.kernels import columns as col
from impinge.kernels import entry
from impinge.kernels.arrays import Floats, Ints
from impinge.motion import Pose
from impinge.shapes.solids import Box, Capsule, Circle, Compound, Piece, Polygon, Solid
from impinge.world.adding import set_solids
from impinge.world.bodies import MAX_TURN_ANGLE, NO_SLOPE, REMOVED, Body
from impinge.world.pool import GROWTH, Slot

if TYPE_CHECKING:
    from impinge.hooks import Hooks
    from impinge.world.state import State
    from impinge.world.world import World

__all__ = ["FORMAT", "Roll", "SnapshotLimits", "encode", "join", "parts", "restore", "shared_handles", "snapshot"]

Records: TypeAlias = NDArray[np.void]
Bools: TypeAlias = NDArray[np.bool_]

# Every change of the layout below increments it. Older formats must stay readable. Format 1 has no pairs.
FORMAT = 4
MAGIC = b"Impinge\n"
# Magic, format, CRC-32 of all other bytes, total length.
SNAPSHOT_HEADER = struct.Struct("<8sIIQ")
CRC_BEGIN = SNAPSHOT_HEADER.size
# Numbers of: free rows, bodies, leaves of the tree, bodies in order, shapes, bytes of the shapes. Then 1 if ranks must
# be sorted, frames until the next sort, moves since the tree was built, bodies ever added, lowest and highest rank.
COUNTS = struct.Struct("<IIIIIIIiqqqq")
# After the bodies: the number of pairs that pressed in the last frame, and of pairs that pass through each other. Then
# the rows of both bodies of each pair.
PAIRS = struct.Struct("<II")
NO_PAIRS = struct.Struct("<")

# Saved columns of a body. The others are derived from these, or a step writes them before it reads them. Between two
# frames, REACHED is START, REACHED_ANGLE is GOAL_ANGLE, and no body has knots.
FLOATS = [
    col.START, col.START + 1, col.GOAL, col.GOAL + 1, col.ANCHOR, col.ANCHOR + 1, col.FIRST_TOUCH,
    col.BEFORE, col.BEFORE + 1, col.ANGLE, col.GOAL_ANGLE, col.BEFORE_ANGLE, col.MOVEMENT,
    col.MOVEMENT + 1, col.RESTITUTION, col.FLOOR_COSINE, col.SNAP, col.STEP_HEIGHT, col.FLOOR_SPEED,
    col.FLOOR_SPEED + 1, col.STUCK_NORMAL, col.STUCK_NORMAL + 1,
]  # fmt: skip
# Indices into FLOATS of places, angles and settings: they are within the limits of coordinates. Results of a step may
# be beyond them.
COORDINATE_FIELDS = [0, 1, 2, 3, 7, 8, 9, 10, 11, 14, 15, 16, 17]
SPEED_FIELDS = [12, 13, 18, 19]
# Derived columns depend on these and on the shape: if one of them changes, `entry.stand_bodies` must run for the body.
DERIVING_COLUMNS = [col.ANGLE, col.GOAL_ANGLE, col.FLOOR_COSINE, col.SNAP, col.STEP_HEIGHT]
INT64_COLUMNS = [col.MIGHT, col.ORDER, col.LAYER, col.MASK]
ROWS = [col.ANCHORED, col.ANCHORED + 1, col.FLOOR, col.STUCK_IN]
UINT8_COLUMNS = [
    col.CARRYING, col.STICKY, col.PASSABLE, col.SIDES, col.STUCK, col.BLOCKED, col.RESPONSE,
    col.WHEN_STUCK, col.IS_CUT_SHORT, col.OVERLAPPED,
]  # fmt: skip
# Limit of the bodies ever added, whose number events hold exactly as a float, and of the moves since the tree was
# built: many more can follow. The frames until the next sort are few.
MAX_COUNT = 3 << 51
MAX_FRAMES_TO_SORT = 1 << 16
SIDE_TOTAL = 6  # number of columns in SMALL that are sides; they come first


def _body_type(floats: int, rows: int, small: int) -> np.dtype[np.void]:
    return np.dtype(
        [
            ("floats", "<f8", floats),
            ("max_slope", "<f8"),  # NaN for a body that is no walker
            ("wide", "<i8", len(INT64_COLUMNS)),
            ("name", "<i8"),
            ("rows", "<i4", rows),
            ("shape", "<u4"),
            ("small", "u1", small),
            ("moved", "u1"),
        ]
    )


BODY = _body_type(len(FLOATS), len(ROWS), len(UINT8_COLUMNS))
# Bodies of the formats from 1 on. The first two have no STUCK_NORMAL, STUCK_IN, WHEN_STUCK and IS_CUT_SHORT, and the
# first three no OVERLAPPED.
BODIES = (
    *2 * (_body_type(len(FLOATS) - 2, len(ROWS) - 1, len(UINT8_COLUMNS) - 3),),
    _body_type(len(FLOATS), len(ROWS), len(UINT8_COLUMNS) - 1),
    BODY,
)

# Kinds of shapes. The index is the code in a snapshot.
KINDS: tuple[type[Solid], ...] = (Box, Circle, Capsule, Polygon, Compound)


@dataclass(frozen=True, slots=True)
class SnapshotLimits:
    """Limits for a snapshot that `World.restore` reads. They bound the time and memory that bytes from a stranger take.

    Attributes
    ----------
    size
        Number of bytes.
    rows
        Number of bodies and free rows. A row takes half a kilobyte of memory.
    parts
        Number of parts of one shape, those of nested compounds included.
    vertices
        Number of vertices of one polygon.
    nesting
        Depth of compounds in compounds.
    coordinate
        Largest absolute value of places, angles and sizes.

    Raises
    ------
    ShapeError
        If a limit is not a positive number.

    Examples
    --------
    >>> import impinge as im
    >>> world, small = im.World(), im.SnapshotLimits(rows=2)
    >>> for x in range(3):
    ...     body = world.add(im.Circle(1), im.Pose(x, 0))
    >>> im.World().restore(world.snapshot(), limits=small)
    Traceback (most recent call last):
    ...
    impinge.errors.SnapshotError: snapshot must be within limits.rows = 2, got 3
    """

    size: int = 1 << 28
    rows: int = 500_000
    parts: int = 5_000
    vertices: int = 10_000
    nesting: int = 32
    coordinate: float = 1e12

    def __post_init__(self) -> None:
        for each in fields(self):
            positive(each.name, getattr(self, each.name))

    def check(self, name: str, value: float) -> None:
        """Raise an error if a value exceeds the limit of this name."""
        limit = getattr(self, name)
        if not value <= limit:
            raise SnapshotError(f"snapshot must be within limits.{name} = {limit:g}, got {value:g}")


DEFAULT_LIMITS = SnapshotLimits()
NO_LIMITS = SnapshotLimits(*[LARGEST] * 6)  # type: ignore[arg-type]


class Written(NamedTuple):
    """Shapes as bytes: joined, each after its length; as a list; and the number of each."""

    together: bytes
    each: list[bytes]
    numbers: dict[bytes, int]


class ShapeTable(NamedTuple):
    """The slots of some bodies, the number of the shape in each (-1 if `shapes` lacks it), and these shapes."""

    slots: list[Slot]
    numbers: Ints
    shapes: Written


class Roll:
    """Data of a world for its snapshots: names of its bodies, and a cache of encoded shapes.

    A name identifies one body for ever, in all worlds. Row and `Body.order` do not: after a `restore` to a state before
    the body was added, another body can get both.

    Attributes
    ----------
    names : (rows,) int64
        Name of the body in each row of the world; undefined for free rows.
    written
        Shapes as bytes, by the first column of their slots.
    table
        The shapes of the last call.

    Examples
    --------
    >>> one, other = Roll(), Roll()
    >>> for roll in (one, one, other):
    ...     roll.enter(0)
    >>> bool(one.names[0] == other.names[0])
    False
    """

    def __init__(self) -> None:
        self.names = np.zeros(16, np.int64)
        self.written: dict[int, tuple[Slot, bytes]] = {}
        self.table = ShapeTable([], np.empty(0, np.int64), Written(b"", [], {}))
        self._next, self._process = 0, -1

    def copy(self) -> Roll:
        """Return a copy with names of its own. Both share the cache of shapes, which are the same."""
        twin = copy.copy(self)
        twin.names = self.names.copy()
        return twin

    def enter(self, rows: int | Ints) -> None:
        """Give a name to the body that is added in a row, or to several."""
        if isinstance(rows, int):
            self._prepare(rows + 1)
            self.names[rows] = self._next
            self._next += 1
        else:
            self._prepare(int(rows.max(initial=-1)) + 1)
            self.names[rows] = np.arange(self._next, self._next + len(rows))
            self._next += len(rows)

    def _prepare(self, rows: int) -> None:
        if self._process != os.getpid():
            # Each world counts from a random number, so that no two worlds give the same names, nor a world and its
            # copy in a forked process. Not from `random`: the game may have seeded it.
            self._next, self._process = int.from_bytes(os.urandom(8), "little") >> 2, os.getpid()
        if rows > len(self.names):
            self.grow(rows)

    def grow(self, rows: int) -> None:
        """Grow to at least this number of rows."""
        if rows > len(self.names):
            more = max(rows - len(self.names), int(GROWTH * len(self.names)))
            self.names = np.concatenate((self.names, np.zeros(more, np.int64)))


class Counts(NamedTuple):
    """The numbers of the header, see `COUNTS`."""

    free: int
    bodies: int
    leaves: int
    order: int
    shapes: int
    shape_bytes: int
    ranks_changed: int
    frames_to_sort: int
    moves: int
    added: int
    lowest: int
    highest: int


@dataclass(slots=True)
class Saved:
    """A decoded and checked snapshot."""

    counts: Counts
    free: list[int]
    used: Ints
    bodies: Records
    leaves: Ints
    order: Ints
    pressed: Ints
    passing: Ints
    shapes: Written


def snapshot(state: State, hooks: Hooks) -> bytes:
    """Return the state of a world as bytes: see `World.snapshot`."""
    total = len(state.bodies)
    used = np.flatnonzero(state.is_used[:total])
    rows = _used_row_index(used, total)
    floats, ints = state.floats[rows], state.ints[rows]
    bodies = np.empty(len(used), BODY)
    for part, columns, source in (
        ("floats", FLOATS, floats),
        ("wide", INT64_COLUMNS, ints),
        ("small", UINT8_COLUMNS, ints),
    ):
        for there, here in _column_runs(columns):
            bodies[part][:, here] = source[:, there]
    bodies["max_slope"] = _slopes(state, used, floats[:, col.FLOOR_COSINE])
    bodies["name"] = state.roll.names[rows][: len(used)]
    bodies["rows"] = _live_row_references(state, ints)
    moved = np.zeros(total, np.uint8)
    moved[state.movers.rows()] = 1
    bodies["moved"] = moved[rows]
    bodies["shape"], shapes = _write_shapes(state, ints[:, col.SOLID])
    order = state.order[:0] if state.ranks_changed else state.order
    # A row that an interruption has lost is free, too.
    free = np.array(state.free, np.int64)
    free = np.concatenate((np.setdiff1d(np.arange(total), np.concatenate((used, free))), free))
    counts = Counts(
        len(free),
        len(used),
        len(state.tree.leaves),
        len(order),
        len(shapes.each),
        len(shapes.together),
        int(state.ranks_changed),
        state.frames_to_sort,
        state.moves,
        state.added,
        state.lowest,
        state.highest,
    )
    content: list[bytes | memoryview] = [
        COUNTS.pack(*counts),
        free.astype("<i4").tobytes(),
        state.tree.leaves.astype("<i4").tobytes(),
        order.astype("<i4").tobytes(),
        bodies.tobytes(),
        _write_pairs(state, hooks),
        shapes.together,
    ]
    length = SNAPSHOT_HEADER.size + sum(map(len, content))
    crc = zlib.crc32(SNAPSHOT_HEADER.pack(MAGIC, FORMAT, 0, length))
    for part_of_it in content:
        crc = zlib.crc32(part_of_it, crc)
    return b"".join((SNAPSHOT_HEADER.pack(MAGIC, FORMAT, crc, length), *content))


def restore(world: World, state: State, hooks: Hooks, data: bytes, limits: SnapshotLimits) -> None:
    """Restore the state of a world: see `World.restore`."""
    saved = _read(data, state.roll, limits)
    shapes = saved.bodies["shape"]
    present = np.flatnonzero(state.is_used[: len(state.bodies)])
    known, numbers = _known_shapes(state, state.ints[present, col.SOLID], saved.shapes)
    made = {number: _solid(shape, limits) for number, shape in enumerate(saved.shapes.each) if number not in known}
    for shape in made.values():
        shape.row  # noqa: B018
    total = len(saved.used) + len(saved.free)
    _make_room(state, total)
    has = np.full(max(total, len(state.bodies)), -1)
    has[present] = numbers
    is_kept = has[saved.used] == shapes
    slots = _take_slots(state, saved, known, made, np.flatnonzero(~is_kept))
    leaves = np.zeros(len(has), np.bool_)
    leaves[present] = True
    leaves[saved.used[is_kept]] = False
    left: list[int] = state.ints[np.flatnonzero(leaves), col.SOLID].tolist()
    bodies, changes = _handles(world, state, saved, slots)
    draft = state.draft()
    draft.bodies = bodies
    _write(draft, saved, slots)
    _write_world_state(draft, saved)
    pressed, passing = _pairs(draft, saved)
    changes += [(hooks, "pressed", pressed), (hooks, "passing", passing)]
    # Until here the world is as before.
    at_once([(vars(state).update, vars(draft)), *((setattr, *change) for change in changes)])
    for first in left:
        state.pool.give_back(first)


def parts(world: World, state: State, hooks: Hooks, own: Iterable[str]) -> dict[str, Any]:
    """Return the parts from which `join` rebuilds a world. A pickle or a deep copy handles the objects in them.

    Parameters
    ----------
    world, state, hooks
        The world, and what it has.
    own
        Names of the attributes that every world has. Other attributes, of a derived class, are copied as they are.
    """
    return {
        "snapshot": snapshot(state, hooks),
        "bodies": state.bodies,
        # As objects, to preserve custom shapes.
        "shapes": [state.pool[first].shape for first in _slot_first_columns(state)],
        "more": {name: value for name, value in vars(world).items() if name not in set(own)},
    }


def shared_handles(state: State, twin: World) -> list[Body | None]:
    """Return the bodies of a shallow copy, the twin: handles of its own, which share all other objects."""
    return [
        None if body is None else Body(twin, body._index, body._shape, body._max_slope, body.data)
        for body in state.bodies
    ]


def join(world: World, state: State, hooks: Hooks, made_of: dict[str, Any]) -> None:
    """Fill an empty world from its parts.

    Its bodies may not have their attributes yet: pickle must create one object of a reference cycle first.
    """
    saved = _read(made_of["snapshot"], state.roll, NO_LIMITS)
    _make_room(state, len(saved.used) + len(saved.free))
    slots = dict(enumerate(state.pool.take_all(made_of["shapes"])))
    state.bodies = made_of["bodies"]
    _write(state, saved, slots)
    _write_world_state(state, saved)
    hooks.pressed, hooks.passing = _pairs(state, saved)
    vars(world).update(made_of["more"])


# Writing.


def _used_row_index(used: Ints, total: int) -> slice | Ints:
    """Return an index for the used rows: a slice if all are used, as it is faster."""
    return slice(0, total) if len(used) == total else used


def _column_runs(columns: list[int]) -> list[tuple[slice, slice]]:
    """Return slices that map columns of a world's array to columns of a snapshot, one pair for each adjacent run."""
    begins = [0] + [place for place in range(1, len(columns)) if columns[place] != columns[place - 1] + 1]
    return [
        (slice(columns[begin], columns[begin] + end - begin), slice(begin, end))
        for begin, end in pairwise((*begins, len(columns)))
    ]


def _slopes(state: State, used: Ints, cosines: Floats) -> Floats:
    slopes = np.full(len(used), np.nan)
    for place in np.flatnonzero(cosines < NO_SLOPE).tolist():
        slopes[place] = state.body(int(used[place]))._max_slope
    return slopes


def _live_row_references(state: State, ints: Ints) -> Ints:
    """Return the rows of other bodies that bodies refer to, with -1 for removed bodies."""
    rows: Ints = ints[:, ROWS]
    if state.gone:
        is_gone = np.zeros(len(state.bodies) + 1, np.bool_)
        is_gone[list(state.gone)] = True
        rows[is_gone[rows]] = -1
    return rows


def _write_pairs(state: State, hooks: Hooks) -> bytes:
    """Write the pairs that hooks store between frames, except those of removed bodies, which have no row."""
    rows = [
        [(weak._index, mighty._index) for weak, mighty in pairs if state.has(weak) and state.has(mighty)]
        for pairs in (hooks.pressed, hooks.passing)
    ]
    return PAIRS.pack(*map(len, rows)) + np.array(rows[0] + rows[1], "<i4").tobytes()


def _slot_first_columns(state: State) -> list[int]:
    """Return the first columns of the slots of all bodies."""
    firsts: list[int] = state.ints[np.flatnonzero(state.is_used[: len(state.bodies)]), col.SOLID].tolist()
    return firsts


def _write_shapes(state: State, solids: Ints) -> tuple[Ints, Written]:
    """Return the number of each body's shape, and all shapes, equal ones once."""
    table = state.roll.table
    firsts, which = np.unique(solids, return_inverse=True)
    slots = [state.pool[first] for first in firsts.tolist()]
    if slots != table.slots or (table.numbers < 0).any():
        numbers: dict[bytes, int] = {}
        of_slots = [numbers.setdefault(_encoded_shape(state, slot), len(numbers)) for slot in slots]
        together = b"".join([struct.pack("<I", len(shape)) + shape for shape in numbers])
        table = ShapeTable(slots, np.array(of_slots, np.int64), Written(together, list(numbers), numbers))
        state.roll.table = table
    return table.numbers[which], table.shapes


def _encoded_shape(state: State, slot: Slot) -> bytes:
    """Return the shape in a slot as bytes. The result is cached, because a slot's shape never changes."""
    kept = state.roll.written.get(slot.first)
    if kept is None or kept[0] is not slot:
        kept = state.roll.written[slot.first] = slot, encode(slot.shape)
    return kept[1]


def encode(shape: Solid) -> bytes:
    """Return a shape as bytes of plain numbers.

    Examples
    --------
    >>> len(encode(Box(4, 2))), encode(Box(4, 2)) == encode(Box(4.0, 2.0))
    (17, True)
    """
    shape = _library_shape(shape)
    kind = bytes([KINDS.index(type(shape))])
    if isinstance(shape, Box):
        return kind + struct.pack("<2d", shape.width, shape.height)
    if isinstance(shape, Circle):
        return kind + struct.pack("<d", shape.radius)
    if isinstance(shape, Capsule):
        return kind + struct.pack("<5d", *shape.a, *shape.b, shape.radius)
    if isinstance(shape, Polygon):
        numbers = [number for vertex in shape.vertices for number in vertex]
        return kind + struct.pack(f"<Id{len(numbers)}d", len(shape.vertices), shape.radius, *numbers)
    assert isinstance(shape, Compound)
    written = [struct.pack("<3d", pose.x, pose.y, pose.angle) + encode(part) for part, pose in shape.parts]
    return kind + struct.pack("<I", len(written)) + b"".join(written)


def _library_shape(shape: Solid) -> Solid:
    """Return a custom shape as one of the library's: of its base class if the pieces are equal, else a `Compound`."""
    if type(shape) in KINDS:
        return shape
    for kind in KINDS:
        if isinstance(shape, kind):
            twin = kind(*(getattr(shape, field.name) for field in fields(kind)))  # type: ignore[arg-type]
            if np.array_equal(twin.row, shape.row):
                return twin
    return Compound([_part(points, radius) for points, radius in _pieces(shape.row)])


def _pieces(row: Floats) -> list[Piece]:
    """Return the pieces of a row. Unlike a custom shape, the row never changes."""
    found = []
    for index in range(int(row[col.PIECE_TOTAL])):
        piece = col.PIECES + col.PIECE_COLUMNS * index
        first, total = int(row[piece + col.FIRST_POINT]), int(row[piece + col.POINT_TOTAL])
        columns = range(first, first + col.POINT_COLUMNS * total, col.POINT_COLUMNS)
        points = tuple((float(row[at + col.POINT]), float(row[at + col.POINT + 1])) for at in columns)
        found.append(Piece(points, float(row[piece + col.RADIUS])))
    return found


def _part(points: tuple[tuple[float, float], ...], radius: float) -> tuple[Solid, Pose]:
    if len(points) == 1:
        return Circle(radius), Pose(*points[0])
    return (Capsule(*points, radius) if len(points) == 2 else Polygon(points, radius)), Pose(0.0, 0.0)


# Reading: this does not change the world.


def _snapshot_error(reason: str) -> SnapshotError:
    return SnapshotError(f"snapshot must be one that World.snapshot made, got {reason}")


def _read(data: object, roll: Roll, limits: SnapshotLimits) -> Saved:
    """Return the content of a snapshot, or raise an error."""
    if not isinstance(data, bytes | bytearray | memoryview):
        raise SnapshotError(f"snapshot must be bytes, got {data!r}")
    limits.check("size", memoryview(data).nbytes)
    data = bytes(data)
    _check_seal(data)
    try:
        counts = Counts._make(COUNTS.unpack_from(data, CRC_BEGIN))
    except struct.error:
        raise _snapshot_error("one without its counts") from None
    at = CRC_BEGIN + COUNTS.size
    version = SNAPSHOT_HEADER.unpack_from(data)[1]
    body_type = BODIES[version - 1]
    sizes = 4 * counts.free, 4 * counts.leaves, 4 * counts.order, body_type.itemsize * counts.bodies, counts.shape_bytes
    begin, form = at + sum(sizes[:4]), NO_PAIRS if version == 1 else PAIRS
    pair_totals = form.unpack_from(data, begin) if begin + form.size <= len(data) else ()
    length = at + sum(sizes) + form.size + 8 * sum(pair_totals)
    if length != len(data):
        raise _snapshot_error(f"{len(data)} bytes where its counts make {length}")
    limits.check("rows", counts.free + counts.bodies)
    free = np.frombuffer(data, "<i4", counts.free, at)
    leaves = np.frombuffer(data, "<i4", counts.leaves, at + sizes[0]).astype(np.int64)
    order = np.frombuffer(data, "<i4", counts.order, at + sizes[0] + sizes[1]).astype(np.int64)
    bodies = _in_current_format(np.frombuffer(data, body_type, counts.bodies, at + sum(sizes[:3])))
    pairs = np.frombuffer(data, "<i4", 2 * sum(pair_totals), begin + form.size).astype(np.int64).reshape(-1, 2)
    total = counts.free + counts.bodies
    for name, rows in (("free rows", free), ("leaves", leaves), ("an order", order)):
        if not _are_rows(rows, total):
            raise _snapshot_error(f"{name} that are no rows of it")
    is_used = np.ones(total, np.bool_)
    is_used[free] = False
    if len(pairs) and not (pairs.min() >= 0 and pairs.max() < total and is_used[pairs].all()):
        raise _snapshot_error("pairs that are no bodies of it")
    used = np.flatnonzero(is_used)
    together = data[len(data) - counts.shape_bytes :]
    known = roll.table.shapes
    shapes = known if together == known.together else _split_shapes(together)
    if len(shapes.each) != counts.shapes:
        raise _snapshot_error(f"{len(shapes.each)} shapes where it says {counts.shapes}")
    pressed = sum(pair_totals[:1])
    saved = Saved(counts, free.tolist(), used, bodies, leaves, order, pairs[:pressed], pairs[pressed:], shapes)
    _check_bodies(saved, is_used)
    _check_order(saved)
    if len(bodies):
        limits.check("coordinate", np.abs(bodies["floats"][:, COORDINATE_FIELDS]).max())
    return saved


def _in_current_format(bodies: NDArray[np.void]) -> NDArray[np.void]:
    """Return bodies of any format in the current one."""
    if bodies.dtype == BODY:
        return bodies
    result = np.zeros(len(bodies), BODY)
    result["rows"] = -1
    for name in bodies.dtype.names or ():
        if bodies.dtype[name].shape:
            result[name][:, : bodies.dtype[name].shape[0]] = bodies[name]
        else:
            result[name] = bodies[name]
    return result


def _check_seal(data: bytes) -> None:
    if data[: len(MAGIC)] != MAGIC:
        raise _snapshot_error(f"{data[:16]!r}{'...' if len(data) > 16 else ''}")
    if len(data) < SNAPSHOT_HEADER.size:
        raise _snapshot_error(f"{len(data)} bytes of it")
    _, version, crc, length = SNAPSHOT_HEADER.unpack_from(data)
    # Format and length come first, because their messages are the most helpful. If one of them is damaged, it fails
    # its own check.
    if not 1 <= version <= FORMAT:
        raise SnapshotError(f"snapshot must have format 1 to {FORMAT}, got {version}: of another version of Impinge?")
    if length != len(data):
        raise _snapshot_error(f"{len(data)} bytes of {length}")
    seal = zlib.crc32(SNAPSHOT_HEADER.pack(MAGIC, version, 0, length))
    if zlib.crc32(memoryview(data)[CRC_BEGIN:], seal) != crc:
        raise _snapshot_error("one that was damaged: its CRC-32 differs")


def _are_rows(rows: NDArray[Any], total: int) -> bool:
    """Return whether all numbers are rows, and no row occurs twice."""
    if not len(rows):
        return True
    return bool(rows.min() >= 0 and rows.max() < total) and int(np.bincount(rows).max()) == 1


def _split_shapes(together: bytes) -> Written:
    """Split the joined bytes into shapes."""
    each, at = [], 0
    while at < len(together):
        end = at + 4 + int.from_bytes(together[at : at + 4], "little")
        each.append(together[at + 4 : end])
        at = end
    numbers = {shape: number for number, shape in enumerate(each)}
    if at != len(together) or len(numbers) != len(each):
        raise _snapshot_error("shapes that are cut off, or the same twice")
    return Written(together, each, numbers)


def _check_bodies(saved: Saved, is_used: Bools) -> None:
    """Raise an error if a body has an invalid number: kernels do not check them."""
    bodies, counts = saved.bodies, saved.counts
    # Contiguous columns, because the checks go through them column by column.
    floats = np.ascontiguousarray(bodies["floats"].T)
    wide, small, rows = (np.ascontiguousarray(bodies[part].T) for part in ("wide", "small", "rows"))
    restitution, cosine, time, snap, step = (floats[FLOATS.index(column)] for column in (
        col.RESTITUTION, col.FLOOR_COSINE, col.FIRST_TOUCH, col.SNAP, col.STEP_HEIGHT
    ))  # fmt: skip
    might, added, layer, mask = wide
    slope = bodies["max_slope"]
    walks = cosine != NO_SLOPE
    with np.errstate(invalid="ignore", over="ignore"):  # angles may still be no numbers
        turn = np.abs(floats[FLOATS.index(col.GOAL_ANGLE)] - floats[FLOATS.index(col.ANGLE)])
    is_row = np.append(is_used, True)  # index -1 means no body, and is valid
    good = {
        "a place": (np.abs(floats) <= LARGEST).all(axis=1)[COORDINATE_FIELDS].all(),
        "a speed": np.isfinite(floats[SPEED_FIELDS]).all(),
        "a turn": (turn <= MAX_TURN_ANGLE).all(),
        "a length": (snap >= 0.0).all() and (step >= 0.0).all(),
        "a restitution": ((restitution >= 0.0) & (restitution <= 1.0)).all(),
        "a slope": (np.isnan(slope) != walks).all()
        and ((slope >= 0.0) & (slope < 0.5 * math.pi) & (cosine > 0.0) & (cosine <= 1.0))[walks].all(),
        "a time": (np.isnan(time) | ((time >= 0.0) & (time <= 1.0))).all(),
        "a might": (might > REMOVED).all(),
        "a layer or a mask": (layer >= 1).all() and (mask >= 0).all(),
        "an order of adding": _are_distinct(added) and ((added >= 0) & (added < counts.added)).all(),
        "a name": _are_distinct(bodies["name"]) and (bodies["name"] >= 0).all(),
        "a side": (small[:SIDE_TOTAL] <= 15).all(),
        "a response": (small[SIDE_TOTAL] <= col.RESPONSE_SENSOR).all(),
        "a state": (small[SIDE_TOTAL + 1] <= col.STUCK_LEAVES).all() and (small[SIDE_TOTAL + 2 :] <= 1).all(),
        "a normal": (np.abs(floats[-2:]) <= 1.0).all(),
        "a shape": (bodies["shape"] < counts.shapes).all(),
        "a floor": (rows >= -1).all() and (rows < len(is_used)).all() and is_row[rows].all(),
        "a movement": (bodies["moved"] <= 1).all(),
    }
    for name, is_good in good.items():
        if not is_good:
            raise _snapshot_error(f"{name} that no body has")


def _are_distinct(numbers: NDArray[Any]) -> bool:
    ordered = np.sort(numbers)
    return bool((ordered[1:] != ordered[:-1]).all())


def _check_order(saved: Saved) -> None:
    """Raise an error if the order of bodies does not descend by rank, or lacks a body."""
    counts = saved.counts
    is_counted = all(0 <= count <= MAX_COUNT for count in (counts.moves, counts.added))
    if counts.ranks_changed not in (0, 1) or not is_counted or abs(counts.frames_to_sort) > MAX_FRAMES_TO_SORT:
        raise _snapshot_error("counts that no world has")
    if counts.ranks_changed:
        if counts.order:
            raise _snapshot_error("an order of ranks that are not sorted")
        return
    might, response = np.full((2, counts.free + counts.bodies), REMOVED)
    might[saved.used], response[saved.used] = saved.bodies["wide"][:, 0], saved.bodies["small"][:, SIDE_TOTAL]
    is_sensor = response == col.RESPONSE_SENSOR
    ranks = might[(might != REMOVED) & ~is_sensor]
    if (counts.lowest, counts.highest) != ((int(ranks.min()), int(ranks.max())) if len(ranks) else (0, 0)):
        raise _snapshot_error("other ranks than those of its bodies")
    steps = saved.used[(might[saved.used] < counts.highest) | is_sensor[saved.used]]
    falls = might[saved.order[1:]] <= might[saved.order[:-1]]
    if len(steps) != len(saved.order) or not falls.all() or (np.sort(saved.order) != steps).any():
        raise _snapshot_error("bodies in another order than that of their ranks")


def _solid(written: bytes, limits: SnapshotLimits) -> Solid:
    """Return the shape of some bytes, or raise an error."""
    reader = _ShapeReader(written, limits)
    try:
        with np.errstate(invalid="ignore"):  # a signalling NaN is refused as any other
            shape = reader.shape(0)
    except (struct.error, ShapeError) as error:
        raise _snapshot_error(f"a shape that cannot be: {error}") from None
    if reader.at != len(written):
        raise _snapshot_error("a shape that goes on")
    return shape


class _ShapeReader:
    """Reads the bytes of a shape from its begin to its end, up to the limits."""

    def __init__(self, data: bytes, limits: SnapshotLimits) -> None:
        self.data, self.limits = data, limits
        self.at = self.parts = 0

    def take(self, form: str) -> tuple[Any, ...]:
        """Return the next numbers."""
        numbers = struct.unpack_from(form, self.data, self.at)
        self.at += struct.calcsize(form)
        return numbers

    def lengths(self, total: int) -> tuple[float, ...]:
        """Return the next places, angles or sizes."""
        numbers = self.take(f"<{total}d")
        self.limits.check("coordinate", max(map(abs, numbers), default=0.0))
        return numbers

    def shape(self, depth: int) -> Solid:
        """Return the next shape, which is in so many compounds."""
        self.limits.check("nesting", depth)
        self.parts += 1
        self.limits.check("parts", self.parts)
        (kind,) = self.take("<B")
        if kind == KINDS.index(Box):
            return Box(*self.lengths(2))
        if kind == KINDS.index(Circle):
            return Circle(*self.lengths(1))
        if kind == KINDS.index(Capsule):
            ax, ay, bx, by, radius = self.lengths(5)
            return Capsule((ax, ay), (bx, by), radius)
        if kind == KINDS.index(Polygon):
            (total,) = self.take("<I")
            self.limits.check("vertices", total)
            radius, *numbers = self.lengths(1 + 2 * total)
            return Polygon(list(zip(numbers[::2], numbers[1::2], strict=True)), radius)
        if kind != KINDS.index(Compound):
            raise ShapeError(f"its kind is {kind}")
        (total,) = self.take("<I")
        parts = []
        for _ in range(total):
            pose = Pose(*self.lengths(3))
            parts.append((self.shape(depth + 1), pose))
        return Compound(parts)


# Restoring. Nothing below raises an error about the snapshot.


def _known_shapes(state: State, solids: Ints, shapes: Written) -> tuple[dict[int, Slot], Ints]:
    """Return the slots of saved shapes that the world has, by number, and the number of each body's shape, else -1."""
    table = state.roll.table
    firsts, which = np.unique(solids, return_inverse=True)
    slots = [state.pool[first] for first in firsts.tolist()]
    if slots != table.slots or shapes is not table.shapes:
        of_slots = [shapes.numbers.get(_encoded_shape(state, slot), -1) for slot in slots]
        state.roll.table = table = ShapeTable(slots, np.array(of_slots, np.int64), shapes)
    known = {number: slot for number, slot in zip(table.numbers.tolist(), slots, strict=True) if number >= 0}
    return known, table.numbers[which]


def _take_slots(
    state: State, saved: Saved, known: dict[int, Slot], made: dict[int, Solid], lacking: Ints
) -> dict[int, Slot]:
    """Take a slot for each body that lacks one, and return the slots by index of the body in the snapshot."""
    slots = {}
    for place, number in zip(lacking.tolist(), saved.bodies["shape"][lacking].tolist(), strict=True):
        slot = known.get(number)
        if slot is None:
            slot = known[number] = state.pool.take(made[number])
        else:
            slot.users += 1
        slots[place] = slot
    return slots


def _make_room(state: State, total: int) -> None:
    """Grow a state to at least this number of rows."""
    state.roll.grow(total)
    state.make_room(total)


def _handles(
    world: World, state: State, saved: Saved, slots: dict[int, Slot]
) -> tuple[list[Body | None], list[tuple[object, str, Any]]]:
    """Return the bodies by row: existing handles where the world has the body, else new ones; and what changes in them.

    The list is a new one, because earlier frames look up their bodies in the old list.
    """
    changes: list[tuple[object, str, Any]] = []
    used, names, slopes = saved.used, saved.bodies["name"], saved.bodies["max_slope"]
    is_there = state.is_used[used] & (state.roll.names[used] == names)
    stays = np.zeros(max(len(state.bodies), len(used) + len(saved.free)), np.bool_)
    stays[used[is_there]] = True
    old = state.bodies + [None] * (len(stays) - len(state.bodies))
    bodies = old[: len(used) + len(saved.free)]
    for row in np.flatnonzero(~stays).tolist():
        gone = old[row]
        if gone is not None:
            changes.append((gone, "_world", None))
            if row < len(bodies):
                bodies[row] = None
    for place in np.flatnonzero(~is_there).tolist():
        row = int(used[place])
        slot = slots.get(place) or state.pool[int(state.ints[row, col.SOLID])]
        bodies[row] = Body(world, row, slot.shape, None, None)
    for place, slot in slots.items():
        changes.append((_handle(bodies, used[place]), "_shape", slot.shape))
    walks = (slopes == slopes) | (state.floats[used, col.FLOOR_COSINE] != NO_SLOPE)
    for row, slope in zip(used[walks].tolist(), slopes[walks].tolist(), strict=True):
        changes.append((_handle(bodies, row), "_max_slope", None if slope != slope else slope))
    return bodies, changes


def _handle(bodies: list[Body | None], row: int) -> Body:
    body = bodies[row]
    assert body is not None
    return body


def _write(state: State, saved: Saved, slots: dict[int, Slot]) -> None:
    """Write the rows of all bodies, and update derived columns where the slot or a column of STANCE changes."""
    used, bodies, total = saved.used, saved.bodies, len(saved.used) + len(saved.free)
    rows = _used_row_index(used, total)
    floats, ints = state.floats, state.ints
    stance = floats[rows][:, DERIVING_COLUMNS]
    response = ints[rows, col.RESPONSE].copy()
    for source, columns, target in (
        (bodies["floats"], FLOATS, floats),
        (bodies["wide"], INT64_COLUMNS, ints),
        (bodies["rows"], ROWS, ints),
        (bodies["small"], UINT8_COLUMNS, ints),
    ):
        for there, here in _column_runs(columns):
            target[rows, there] = source[:, here]
    floats[rows, col.REACHED : col.REACHED + 2] = floats[rows, col.START : col.START + 2]
    floats[rows, col.REACHED_ANGLE] = floats[rows, col.GOAL_ANGLE]
    for column in (col.KNOT_COUNT, col.LOOKS):
        ints[:total, column] = 0
    state.roll.names[used] = bodies["name"]
    if saved.free:
        floats[saved.free], ints[saved.free] = 0.0, 0
        ints[saved.free, col.MIGHT] = REMOVED
    state.is_used[:] = False
    state.is_used[used] = True
    stands = (stance != floats[rows][:, DERIVING_COLUMNS]).any(axis=1)
    stands |= response != ints[rows, col.RESPONSE]
    lacking = np.fromiter(slots, np.int64, len(slots))
    set_solids(ints, used[lacking], slots.values())
    stands[lacking] = True
    entry.update_all_pose_bounds(used[stands], floats, ints, state.pool.rows)


def _write_world_state(state: State, saved: Saved) -> None:
    """Set all state besides the bodies, and rebuild the tree as it was: its order is that of the contacts."""
    counts, used = saved.counts, saved.used
    state.free = saved.free
    state.row_of = None
    state.added, state.moves, state.frames_to_sort = counts.added, counts.moves, counts.frames_to_sort
    state.ranks_changed = counts.ranks_changed == 1
    state.lowest, state.highest = counts.lowest, counts.highest
    state.movers.keep(used[saved.bodies["moved"] == 1])
    state.gone = set()
    state.last = None
    state.standing_tree = None
    state.order = saved.order
    state.ints[saved.order, col.LOOKS] = 1
    is_sensor = state.ints[used, col.RESPONSE] == col.RESPONSE_SENSOR
    state.all_are_met = counts.lowest == counts.highest and bool(is_sensor.any())
    state.met = saved.order[state.is_met(saved.order)]
    _place_free_leaves(state, saved)
    state.plant_tree(saved.leaves, np.empty(0, np.int64))
    met = used[state.is_met(used)]
    state.tree = state.tree._replace(tail=met[state.tree.leaf_of[met] < 0])


def _pairs(state: State, saved: Saved) -> tuple[dict[tuple[Body, Body], None], dict[tuple[Body, Body], None]]:
    """Return the pairs that pressed in the last frame, and those that pass through each other."""
    pressed, passing = (
        {(state.body(weak), state.body(mighty)): None for weak, mighty in pairs.tolist()}
        for pairs in (saved.pressed, saved.passing)
    )
    return pressed, passing


def _place_free_leaves(state: State, saved: Saved) -> None:
    """Move free rows that still have a leaf to the place of the used leaf before: they must not widen the tree."""
    if not saved.free or not len(saved.leaves):
        return
    is_there = state.is_used[saved.leaves]
    before = np.maximum.accumulate(np.where(is_there, np.arange(len(is_there)), np.argmax(is_there)))
    for column in (col.START, col.START + 1, col.REACHED, col.REACHED + 1):
        state.floats[saved.leaves, column] = state.floats[saved.leaves[before], column]
