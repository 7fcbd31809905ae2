"""Shapes: frozen values, checked once when they are made. A shape has no position: `motion` has poses.

Inside, every solid is a set of rounded convex pieces (see `Piece`), so one kernel serves every pair of solids.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from impinge.caching import cached_property
from impinge.checks import finite, not_negative, positive
from impinge.checks import point as checked_point
from impinge.errors import ShapeError
from impinge.kernels import columns as col
from impinge.kernels import entry
from impinge.kernels.arrays import Floats
from impinge.kernels.pair import solids
from impinge.kernels.tolerances import ROUNDING, SLOP
from impinge.motion import Pose

if TYPE_CHECKING:
    from impinge.shapes.outlines import Outline

__all__ = ["Bounds", "Box", "Capsule", "Circle", "Compound", "Feature", "Piece", "Polygon", "Solid"]

Vector: TypeAlias = tuple[float, float]

ORIGIN = Pose(0.0, 0.0)
# Relative to the extent: an edge of a piece passes through vertices that are nearer than this.
COLLINEAR = 1e-9


class Bounds(NamedTuple):
    """An axis-aligned rectangle around something, in the game's units, y up.

    >>> Circle(2).bounds(Pose(10, 5))
    Bounds(left=8.0, bottom=3.0, right=12.0, top=7.0)
    """

    left: float
    bottom: float
    right: float
    top: float


class Piece(NamedTuple):
    """A rounded convex piece: all points within `radius` of the convex hull of `points`.

    One point makes a disk, two a capsule, and three or more, counter-clockwise, a rounded convex polygon.

    >>> Capsule((0, 0), (4, 0), radius=1).pieces
    (Piece(points=((0.0, 0.0), (4.0, 0.0)), radius=1.0),)
    """

    points: tuple[Vector, ...]
    radius: float


@dataclass(frozen=True, slots=True)
class Feature:
    """A vertex or an edge of a solid, in the numbering of the shape's definition.

    Attributes
    ----------
    kind
        In a shape with a radius, a vertex is its round corner, and an edge is its straight side.
    index
        For a `Polygon`: the index in `vertices` of the vertex, or of the vertex that the edge starts with, in the order
        given. A straight stretch with vertices that were left out is one edge, with the index of its first vertex. For
        a `Box`: counter-clockwise, from the lower left corner or from the lower side. For a `Capsule`: vertex 0 is `a`
        and vertex 1 is `b`; edge 0 is to the right of the direction from `a` to `b`, edge 1 to the left. The whole
        border of a `Circle` is vertex 0.
    part
        For a `Compound`: the index of the part. Parts of nested compounds are counted in order. Otherwise 0.

    Examples
    --------
    >>> Feature("edge", 2)
    Feature(kind='edge', index=2, part=0)
    """

    kind: Literal["vertex", "edge"]
    index: int
    part: int = 0


class Names(NamedTuple):
    """The user's numbers of a point of a piece, and of the edge of the piece that begins there.

    Each item of `edges` is a part of that edge: its begin and end as distances from the point, and the index of the
    user's edge. Most edges have one item, and a cut between pieces has none. An edge in line with a cut has one for its
    own part.
    """

    part: int
    vertex: int
    edges: tuple[tuple[float, float, int], ...]


class Solid(ABC):
    """The base class of all solid shapes. Games make instances of its subclasses.

    Points are in the shape's own frame, unless a pose is among the arguments.
    """

    @property
    @abstractmethod
    def pieces(self) -> tuple[Piece, ...]:
        """The rounded convex pieces that the shape is made of, in the game's units.

        Examples
        --------
        >>> Circle(5).pieces
        (Piece(points=((0.0, 0.0),), radius=5.0),)
        """

    @property
    @abstractmethod
    def area(self) -> float:
        """Area in the game's units squared; overlaps of pieces count once.

        Notes
        -----
        One rounded convex piece has Steiner's formula (Schneider, "Convex Bodies", chapter 4). A union of several is
        cut into vertical slabs (Bentley and Ottmann, "Algorithms for reporting and counting geometric intersections",
        1979): see `impinge.shapes.measures`.

        Examples
        --------
        >>> Compound([(Box(4, 2), Pose(0, 0)), (Box(4, 2), Pose(2, 0))]).area
        12.0
        """

    @property
    @abstractmethod
    def centroid(self) -> Vector:
        """Centre of the area, (x, y) in the game's units; the middle of a segment without radius.

        Notes
        -----
        The method is that of `area`, with the moments (Schneider, "Convex Bodies", chapter 5).

        Examples
        --------
        >>> Compound([(Box(4, 2), Pose(0, 0)), (Box(4, 2), Pose(2, 0))]).centroid
        (1.0, 0.0)
        """

    @abstractmethod
    def transformed(self, scale: float | Vector) -> Solid:
        """Return the shape scaled around the origin of its own frame.

        Parameters
        ----------
        scale
            One factor, or one for each axis; negative factors mirror.

        Raises
        ------
        ShapeError
            If a factor is zero or not finite, or if the result would not be round any more: circles, and shapes with a
            radius, need factors that are equal except for their sign.

        Examples
        --------
        >>> Box(4, 2).transformed(0.5), Box(4, 2).transformed((1, -3))
        (Box(width=2.0, height=1.0), Box(width=4.0, height=6.0))
        """

    def bounds(self, pose: Pose = ORIGIN) -> Bounds:
        """Return the smallest axis-aligned rectangle around the shape, in the game's units.

        Raises
        ------
        ShapeError
            If the pose is not a Pose.

        Examples
        --------
        >>> Capsule((0, 0), (4, 0), radius=1).bounds(Pose(0, 10))
        Bounds(left=-1.0, bottom=9.0, right=5.0, top=11.0)
        """
        x, y, turn = _checked_pose("pose", pose)
        cos, sin = (1.0, 0.0) if turn == 0.0 else (math.cos(turn), math.sin(turn))
        xs, ys, low_x, low_y, high_x, high_y = [], [], math.inf, math.inf, -math.inf, -math.inf
        for points, radius in self.pieces:
            xs = [cos * px - sin * py for px, py in points]
            ys = [sin * px + cos * py for px, py in points]
            low_x, low_y = min(low_x, min(xs) - radius), min(low_y, min(ys) - radius)
            high_x, high_y = max(high_x, max(xs) + radius), max(high_y, max(ys) + radius)
        return Bounds(x + low_x, y + low_y, x + high_x, y + high_y)

    def contains(self, point: Vector, pose: Pose = ORIGIN) -> bool:
        """Return whether a point is in the shape. The border counts, within the slop.

        Raises
        ------
        ShapeError
            If the point is not two finite numbers, or the pose is not a Pose.

        Examples
        --------
        >>> diamond = Pose(10, 10, angle=0.7853981633974483)
        >>> Box(2, 2).contains((11.4, 10), diamond), Box(2, 2).contains((11.4, 10), Pose(10, 10))
        (True, False)
        """
        place = checked_point("point", point)
        x, y, turn = _checked_pose("pose", pose)
        return entry.overlap_pair(self.row, x, y, turn, point_row(), *place, 0.0)

    @cached_property
    def row(self) -> Floats:
        """The solid as a row for the kernels, see `kernels.columns`, read-only."""
        return solids.row_of(self.pieces)

    def drawn_in(self, farthest: float) -> Floats:
        """Return the row of the solid, shrunk on all sides so that it no longer touches solids that it only touched.

        It shrinks by at least twice its slop with a solid that is not smaller, at coordinates up to `farthest`. A solid
        that is little larger than the slop does not shrink. The row is read-only.
        """
        kept: tuple[float, Floats] | None = self.__dict__.get("_drawn_in")
        if kept is None or not farthest <= kept[0] <= 4.0 * farthest + 1.0:
            # Keep the row for other places too: making it takes ten times as long as a query with it.
            reach = 2.0 ** math.ceil(math.log2(farthest + 1.0))
            kept = (
                reach,
                self._row_drawn_in(
                    2.0 * (SLOP * self.row.item(col.EXTENT) + ROUNDING * (reach + self.row.item(col.FARTHEST)))
                ),
            )
            self.__dict__["_drawn_in"] = kept
        return kept[1]

    def _row_drawn_in(self, width: float) -> Floats:
        if width >= 0.25 * self.row.item(col.EXTENT):
            return self.row
        return solids.row_of(tuple(Piece(points, radius - width) for points, radius in self.pieces))

    @property
    @abstractmethod
    def names(self) -> tuple[Names, ...]:
        """The user's numbers of the points of all pieces, in their order.

        Examples
        --------
        >>> Capsule((0, 0), (4, 0)).names
        (Names(part=0, vertex=0, edges=((0.0, inf, 0),)), Names(part=0, vertex=1, edges=((0.0, inf, 1),)))
        """

    def __reduce__(self) -> tuple[type[Solid], tuple[object, ...]]:
        # Cached values are not pickled: they can be computed again.
        return type(self), tuple(getattr(self, field.name) for field in fields(self))  # type: ignore[arg-type]


# Names for shapes with one piece, whose points are numbered in its order.
_SINGLE_PIECE_NAMES = tuple(Names(0, index, ((0.0, math.inf, index),)) for index in range(4))


@dataclass(frozen=True)
class Box(Solid):
    """A rectangle around its pose, with sides along the axes of its own frame.

    Parameters
    ----------
    width, height
        Full extents, in the game's units; positive and finite.

    Raises
    ------
    ShapeError
        If an extent is not a positive, finite number.

    Examples
    --------
    >>> Box(64, 32)
    Box(width=64.0, height=32.0)
    >>> Box(64, 0)
    Traceback (most recent call last):
    ...
    impinge.errors.ShapeError: height must be positive and finite, got 0
    """

    width: float
    height: float

    def __post_init__(self) -> None:
        for name in ("width", "height"):
            object.__setattr__(self, name, positive(name, getattr(self, name)))

    @property
    def pieces(self) -> tuple[Piece, ...]:  # noqa: D102  as in Solid, here and below
        x, y = 0.5 * self.width, 0.5 * self.height
        return (Piece(((-x, -y), (x, -y), (x, y), (-x, y)), 0.0),)

    @property
    def area(self) -> float:  # noqa: D102
        return self.width * self.height

    @property
    def centroid(self) -> Vector:  # noqa: D102
        return 0.0, 0.0

    @property
    def names(self) -> tuple[Names, ...]:  # noqa: D102
        return _SINGLE_PIECE_NAMES

    def transformed(self, scale: float | Vector) -> Box:  # noqa: D102
        sx, sy = _factors(scale)
        return Box(abs(sx) * self.width, abs(sy) * self.height)

    @cached_property
    def row(self) -> Floats:  # noqa: D102
        return solids.row_of(self.pieces, is_box=True)

    def _row_drawn_in(self, width: float) -> Floats:
        if width >= 0.25 * self.row.item(col.EXTENT):
            return self.row
        return Box(self.width - 2.0 * width, self.height - 2.0 * width).row


@dataclass(frozen=True)
class Circle(Solid):
    """A disk around its pose.

    Parameters
    ----------
    radius
        In the game's units; positive and finite.

    Raises
    ------
    ShapeError
        If the radius is not a positive, finite number.

    Examples
    --------
    >>> Circle(5)
    Circle(radius=5.0)
    >>> Circle(float("nan"))
    Traceback (most recent call last):
    ...
    impinge.errors.ShapeError: radius must be positive and finite, got nan
    """

    radius: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", positive("radius", self.radius))

    @property
    def pieces(self) -> tuple[Piece, ...]:  # noqa: D102
        return (Piece(((0.0, 0.0),), self.radius),)

    @property
    def area(self) -> float:  # noqa: D102
        return math.pi * self.radius**2

    @property
    def centroid(self) -> Vector:  # noqa: D102
        return 0.0, 0.0

    @property
    def names(self) -> tuple[Names, ...]:  # noqa: D102
        return _SINGLE_PIECE_NAMES[:1]

    def transformed(self, scale: float | Vector) -> Circle:  # noqa: D102
        return Circle(_factor(scale, self) * self.radius)


@dataclass(frozen=True)
class Capsule(Solid):
    """All points within a radius of the segment from `a` to `b`. Without a radius it is the segment itself.

    Parameters
    ----------
    a, b
        Points in the capsule's own frame, in the game's units.
    radius
        In the game's units; not negative, and not zero if the ends coincide.

    Raises
    ------
    ShapeError
        If a number is not finite, the radius is negative, or both ends are the same point and there is no radius.

    Examples
    --------
    >>> Capsule((-8, 0), (8, 0), radius=4)
    Capsule(a=(-8.0, 0.0), b=(8.0, 0.0), radius=4.0)
    >>> Capsule((1, 1), (1, 1))
    Traceback (most recent call last):
    ...
    impinge.errors.ShapeError: radius must be positive where a and b coincide, got 0.0
    """

    a: Vector
    b: Vector
    radius: float = 0.0

    def __post_init__(self) -> None:
        for name in ("a", "b"):
            object.__setattr__(self, name, checked_point(name, getattr(self, name)))
        object.__setattr__(self, "radius", not_negative("radius", self.radius))
        if self.a == self.b and self.radius == 0.0:
            raise ShapeError(f"radius must be positive where a and b coincide, got {self.radius!r}")

    @property
    def pieces(self) -> tuple[Piece, ...]:  # noqa: D102
        return (Piece((self.a,) if self.a == self.b else (self.a, self.b), self.radius),)

    @property
    def area(self) -> float:  # noqa: D102
        return 2.0 * self.radius * math.dist(self.a, self.b) + math.pi * self.radius**2

    @property
    def centroid(self) -> Vector:  # noqa: D102
        return 0.5 * (self.a[0] + self.b[0]), 0.5 * (self.a[1] + self.b[1])

    @property
    def names(self) -> tuple[Names, ...]:  # noqa: D102
        return _SINGLE_PIECE_NAMES[: len(self.pieces[0].points)]

    def transformed(self, scale: float | Vector) -> Capsule:  # noqa: D102
        radius = _factor(scale, self) * self.radius if self.radius else 0.0
        sx, sy = _factors(scale)
        return Capsule((sx * self.a[0], sy * self.a[1]), (sx * self.b[0], sy * self.b[1]), radius)


@dataclass(frozen=True, init=False)
class Polygon(Solid):
    """A simple polygon, convex or concave. A radius rounds its corners outwards.

    Parameters
    ----------
    vertices : (n, 2)
        The outline in the polygon's own frame, in the game's units, clockwise or counter-clockwise, with or without the
        first vertex repeated at the end.
    radius
        In the game's units; not negative. The shape has all points within this distance of the polygon.

    Raises
    ------
    ShapeError
        If a number is not finite, the radius is negative, or the outline encloses no area, crosses itself or touches
        itself. The message names the place.

    Notes
    -----
    `vertices` has the vertices as given, and `outline` those that the shape uses. Vertices within the slop of the
    straight line between the adjacent ones are left out of the outline. Tests for crossings and touches are exact
    (Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates", 1997).

    A concave polygon is split into convex pieces once, when it is made. Ears are cut off (Meisters, "Polygons have
    ears", 1975), cuts are flipped (Lawson, "Software for C1 surface interpolation", 1977), and cuts that no inward
    corner needs are removed (Hertel & Mehlhorn, "Fast triangulation of simple polygons", 1983).

    Examples
    --------
    >>> arrow = Polygon([(0, 0), (4, -3), (1, 0), (4, 3)])
    >>> arrow.area, arrow.is_convex, len(arrow.pieces)
    (3.0, False, 2)
    >>> arrow.contains((2, 0)), arrow.contains((2, 1.4))
    (False, True)
    >>> Polygon([(0, 0), (2, 2), (2, 0), (0, 2)])
    Traceback (most recent call last):
    ...
    impinge.errors.ShapeError: vertices must not cross: the edges from 0 and from 2 do at (1.0, 1.0)
    """

    vertices: tuple[Vector, ...]
    radius: float

    def __init__(self, vertices: ArrayLike | Iterable[Sequence[float]], radius: float = 0.0) -> None:
        # Imported here, like the splitting below: games that use only boxes do not need them.
        from impinge.shapes.outlines import checked_vertices

        object.__setattr__(self, "radius", not_negative("radius", radius))
        object.__setattr__(self, "vertices", tuple(checked_vertices(vertices)))
        self.pieces  # noqa: B018  checks and splits the polygon now, not in the first frame

    @property
    def outline(self) -> tuple[Vector, ...]:
        """The vertices counter-clockwise from the leftmost one, without duplicates and without collinear ones.

        >>> Polygon([(0, 0), (0, 2), (2, 2), (2, 1), (2, 0), (0, 0)]).outline
        ((0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0))
        """
        return self._clean.points

    @property
    def is_convex(self) -> bool:
        """Whether the outline has no inward corner.

        >>> Polygon([(0, 0), (4, 0), (0, 4)]).is_convex, Polygon([(0, 0), (4, 0), (1, 1), (0, 4)]).is_convex
        (True, False)
        """
        return self._clean.is_convex

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:  # noqa: D102
        points = self._clean.points
        return tuple(Piece(tuple(points[index] for index in indices), self.radius) for indices in self._split)

    @property
    def area(self) -> float:  # noqa: D102
        return self._clean.area if self.radius == 0.0 else self._measures[0]

    @property
    def centroid(self) -> Vector:  # noqa: D102
        return self._clean.centroid if self.radius == 0.0 else self._measures[1]

    def transformed(self, scale: float | Vector) -> Polygon:  # noqa: D102
        radius = _factor(scale, self) * self.radius if self.radius else 0.0
        sx, sy = _factors(scale)
        return Polygon(tuple((sx * x, sy * y) for x, y in self.vertices), radius)

    @cached_property
    def names(self) -> tuple[Names, ...]:  # noqa: D102
        indices = self._clean.indices
        return tuple(
            Names(0, indices[start], tuple(self._edges_between(start, end)))
            for piece in self._split
            for start, end in pairwise((*piece, piece[0]))
        )

    def _edges_between(self, start: int, end: int) -> Iterator[tuple[float, float, int]]:
        """Yield the parts of the outline on the segment between two of its points: begin, end and index."""
        points, indices = self._clean.points, self._clean.indices
        total = len(points)
        # If the user's vertices are clockwise, an edge begins at the point where it ends here.
        is_clockwise = sum(a < b for a, b in pairwise((*indices, indices[0]))) == 1
        (x, y), (end_x, end_y) = points[start], points[end]
        length = math.dist(points[start], points[end])
        ux, uy = (end_x - x) / length, (end_y - y) / length
        spare = COLLINEAR * float(self.row[col.EXTENT])

        def along(index: int) -> float:
            return (points[index][0] - x) * ux + (points[index][1] - y) * uy

        def is_on(index: int) -> bool:
            off = abs((points[index][1] - y) * ux - (points[index][0] - x) * uy)
            return off <= spare and -spare <= along(index) <= length + spare

        for first, step in ((start, 1), (end, -1)):
            here, after = first, (first + step) % total
            while is_on(after):
                low, high = (here, after) if step > 0 else (after, here)
                yield along(low), along(high), indices[high if is_clockwise else low]
                if after in (start, end):
                    return
                here, after = after, (after + step) % total

    @cached_property
    def _split(self) -> tuple[tuple[int, ...], ...]:
        """The pieces, as indices into the points of the outline."""
        if self._clean.is_convex:
            return (tuple(range(len(self._clean.points))),)
        from impinge.shapes.splitting import convex_pieces

        return convex_pieces(self._clean)

    @cached_property
    def _clean(self) -> Outline:
        from impinge.shapes.outlines import clean_outline

        return clean_outline(self.vertices)

    @cached_property
    def _measures(self) -> tuple[float, Vector]:
        return _area_and_centroid(self.pieces)


@dataclass(frozen=True, init=False)
class Compound(Solid):
    """Several shapes as one solid. They may overlap, and need not touch.

    Parameters
    ----------
    parts
        Pairs of a shape and its pose in the compound's own frame: x and y in the game's units, the angle in radians.

    Raises
    ------
    ShapeError
        If there is no part, or a part is not a pair of a shape and a Pose.

    Examples
    --------
    >>> hammer = Compound([(Box(2, 10), Pose(0, 0)), (Box(6, 3), Pose(0, 5))])
    >>> hammer.area, hammer.bounds()
    (35.0, Bounds(left=-3.0, bottom=-5.0, right=3.0, top=6.5))
    >>> Compound([])
    Traceback (most recent call last):
    ...
    impinge.errors.ShapeError: parts must be pairs of a shape and a Pose, at least one, got []
    """

    parts: tuple[tuple[Solid, Pose], ...]

    def __init__(self, parts: Iterable[tuple[Solid, Pose]]) -> None:
        object.__setattr__(self, "parts", _checked_parts(parts))

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:  # noqa: D102
        return tuple(
            Piece(placed(piece.points, pose), piece.radius) for shape, pose in self.parts for piece in shape.pieces
        )

    @property
    def area(self) -> float:  # noqa: D102
        return self._measures[0]

    @property
    def centroid(self) -> Vector:  # noqa: D102
        return self._measures[1]

    def transformed(self, scale: float | Vector) -> Compound:  # noqa: D102
        sx, sy = _factors(scale)
        return Compound(tuple(_scaled_part(shape, pose, sx, sy) for shape, pose in self.parts))

    @cached_property
    def names(self) -> tuple[Names, ...]:  # noqa: D102
        found: list[Names] = []
        part = 0
        for shape, _ in self.parts:
            found += [name._replace(part=part + name.part) for name in shape.names]
            part = found[-1].part + 1
        return tuple(found)

    @cached_property
    def _measures(self) -> tuple[float, Vector]:
        return _area_and_centroid(self.pieces)


def checked_solid(name: str, value: object) -> Solid:
    """Return a solid. Raise a ShapeError with the argument's name for any other value."""
    if not isinstance(value, Solid):
        raise ShapeError(f"{name} must be a solid shape (Box, Circle, Capsule, Polygon, Compound), got {value!r}")
    return value


@cache
def point_row() -> Floats:
    """Return the row of a single point. Its extent is infinite, so that the other solid alone scales the slop."""
    return solids.row_of([Piece(((0.0, 0.0),), 0.0)], extent=math.inf)


def _checked_pose(name: str, value: object) -> tuple[float, float, float]:
    if not isinstance(value, Pose):
        raise ShapeError(f"{name} must be a Pose, got {value!r}")
    return value.x, value.y, value.angle


def _checked_parts(value: Any) -> tuple[tuple[Solid, Pose], ...]:
    parts: tuple[Any, ...] = ()
    with suppress(TypeError):
        parts = tuple(value)
    for part in parts:
        if not (
            isinstance(part, tuple | list)
            and len(part) == 2
            and isinstance(part[0], Solid)
            and isinstance(part[1], Pose)
        ):
            raise ShapeError(f"parts must be pairs of a shape and a Pose, got {part!r}")
    if not parts:
        raise ShapeError(f"parts must be pairs of a shape and a Pose, at least one, got {value!r}")
    return tuple((shape, pose) for shape, pose in parts)


def _factors(scale: float | Vector) -> Vector:
    """Return the factor of each axis. Raise a ShapeError for an invalid scale."""
    factors = checked_point("scale", scale) if isinstance(scale, Iterable) else (finite("scale", scale),) * 2
    if 0.0 in factors:
        raise ShapeError(f"scale must not be zero, got {scale!r}")
    return factors


def _factor(scale: float | Vector, shape: Solid) -> float:
    """Return the common factor of both axes. Raise a ShapeError if they differ: round shapes would not stay round."""
    sx, sy = _factors(scale)
    if abs(sx) != abs(sy):
        raise ShapeError(f"scale must be the same on both axes for a shape with a radius, got {scale!r} for {shape!r}")
    return abs(sx)


def placed(points: tuple[Vector, ...], pose: Pose) -> tuple[Vector, ...]:
    """Return points at a pose, as those of a part in the frame of its compound."""
    if pose.angle == 0.0:
        return tuple((pose.x + x, pose.y + y) for x, y in points)
    cos, sin = math.cos(pose.angle), math.sin(pose.angle)
    return tuple((pose.x + cos * x - sin * y, pose.y + sin * x + cos * y) for x, y in points)


def _scaled_part(shape: Solid, pose: Pose, sx: float, sy: float) -> tuple[Solid, Pose]:
    """Return a part scaled along the axes of its compound. The part may be turned against them."""
    x, y = sx * pose.x, sy * pose.y
    if abs(sx) == abs(sy):
        # One mirror reverses the angle. Two mirrors are half a turn, which keeps it.
        mirrored = (sx < 0.0) != (sy < 0.0)
        flipped = (-1.0 if sx < 0.0 else 1.0, -1.0 if sy < 0.0 else 1.0)
        factors = (abs(sx) * flipped[0], abs(sx) * flipped[1])
        return shape.transformed(factors), Pose(x, y, -pose.angle if mirrored else pose.angle)
    if pose.angle == 0.0:
        return shape.transformed((sx, sy)), Pose(x, y)
    return _scaled_turned_part(shape, pose, sx, sy), Pose(x, y)


def _scaled_turned_part(shape: Solid, pose: Pose, sx: float, sy: float) -> Solid:
    """Return a turned part scaled by different factors along the compound's axes. A box becomes a parallelogram."""
    turn = Pose(0.0, 0.0, pose.angle)
    if isinstance(shape, Compound):
        parts = tuple((part, _composed_pose(turn, place)) for part, place in shape.parts)
        return Compound(parts).transformed((sx, sy))
    if isinstance(shape, Capsule) and shape.radius == 0.0:
        a, b = placed((shape.a, shape.b), turn)
        return Capsule(a, b).transformed((sx, sy))
    if isinstance(shape, Box) or (isinstance(shape, Polygon) and shape.radius == 0.0):
        vertices = shape.pieces[0].points if isinstance(shape, Box) else shape.vertices
        return Polygon(placed(vertices, turn)).transformed((sx, sy))
    return shape.transformed((sx, sy))  # a shape with a radius: `transformed` raises a ShapeError


def _composed_pose(outer: Pose, inner: Pose) -> Pose:
    ((x, y),) = placed(((inner.x, inner.y),), outer)
    return Pose(x, y, outer.angle + inner.angle)


def _area_and_centroid(pieces: tuple[Piece, ...]) -> tuple[float, Vector]:
    # Imported here, as few games need it.
    from impinge.shapes.measures import area_and_centroid

    return area_and_centroid([(np.array(piece.points), piece.radius) for piece in pieces])
