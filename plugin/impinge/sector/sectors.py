"""Sectors: cones from an apex, for attacks and vision. Hits, sweeps, walls as occluders, and the visible outline.

`attack` adds the phases of an attack and its past hits. `batch` has sector hits for arrays of disks.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from impinge.caching import cached_property
from impinge.checks import finite, not_negative, point, positive
from impinge.errors import ShapeError
from impinge.kernels import columns as col
from impinge.kernels import entry
from impinge.kernels.arrays import Floats, PosedSolids
from impinge.kernels.pair import solids
from impinge.motion import Motion, Pose
from impinge.query.impacts import Impact, feature_of
from impinge.shapes.solids import Bounds, Circle, Solid, Vector, checked_solid, point_row

__all__ = ["Occluders", "Sector", "SectorHit", "sector_hit", "sector_sweep", "visible_outline"]


@dataclass(frozen=True)
class Sector:
    """All points within a radius of an apex and within an angle of a direction: a cone of vision, or a sword's reach.

    The apex is the origin of its own frame, and the sector points along +x there. So the angle of a pose is the
    direction that the sector faces.

    Parameters
    ----------
    radius
        Reach from the apex, in the game's units.
    half_angle
        Radians to either side. With pi, the sector is a disk.
    inner_radius
        Points nearer to the apex than this are not part of the sector, as with a halberd.

    Raises
    ------
    ShapeError
        If the radius is not positive, the half angle not more than 0 and at most pi, or the inner radius not at least 0
        and less than the radius.

    Examples
    --------
    >>> sword = Sector(40, math.radians(60))
    >>> sword.contains((20, 0), Pose(0, 0)), sword.contains((20, 0), Pose(0, 0, angle=math.pi))
    (True, False)
    """

    radius: float
    half_angle: float
    inner_radius: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", positive("radius", self.radius))
        half_angle = finite("half_angle", self.half_angle)
        if not 0.0 < half_angle <= math.pi:
            raise ShapeError(f"half_angle must be more than 0 and at most pi, got {self.half_angle!r}")
        object.__setattr__(self, "half_angle", half_angle)
        inner_radius = not_negative("inner_radius", self.inner_radius)
        if inner_radius >= self.radius:
            raise ShapeError(f"inner_radius must be less than the radius {self.radius!r}, got {self.inner_radius!r}")
        object.__setattr__(self, "inner_radius", inner_radius)

    @property
    def area(self) -> float:
        """Area in the game's units squared.

        Examples
        --------
        >>> Sector(10, math.pi / 4).area == 25 * math.pi
        True
        """
        return self.half_angle * (self.radius - self.inner_radius) * (self.radius + self.inner_radius)

    def contains(self, place: Vector, pose: Pose) -> bool:
        """Return whether a point is in the sector at a pose. The border counts, within the slop.

        Raises
        ------
        ShapeError
            If an argument is not of its type.

        Examples
        --------
        >>> Sector(10, math.pi / 2, inner_radius=5).contains((0, 7), Pose(0, 0))
        True
        """
        spot = point("place", place)
        direction = facing(checked_pose("pose", pose).angle)
        hit = entry.hit_solid(self.cells, self.row, (pose.x, pose.y), direction, point_row(), spot, (1.0, 0.0))
        return not math.isnan(hit[0])

    def bounds(self, pose: Pose) -> Bounds:
        """Return the smallest axis-aligned rectangle around the sector at a pose, in the game's units.

        Raises
        ------
        ShapeError
            If the pose is not a `Pose`.

        Examples
        --------
        >>> Sector(10, math.pi / 2).bounds(Pose(100, 0))
        Bounds(left=100.0, bottom=-10.0, right=110.0, top=10.0)
        """
        cos, sin = facing(checked_pose("pose", pose).angle)
        cos_half, sin_half = facing(self.half_angle)
        ends = [
            (radius * cos_half, side * radius * sin_half)
            for radius in (self.inner_radius, self.radius)
            for side in (-1.0, 1.0)
        ]
        places = [(cos * x - sin * y, sin * x + cos * y) for x, y in ends]
        for ux, uy in ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)):
            ahead, left = cos * ux + sin * uy, abs(cos * uy - sin * ux)
            if left * cos_half <= ahead * sin_half:
                places.append((self.radius * ux, self.radius * uy))
        xs, ys = zip(*places, strict=True)
        # Adding 0.0 turns -0.0 into 0.0.
        return Bounds(*(pose.x + min(xs) + 0.0, pose.y + min(ys) + 0.0, pose.x + max(xs) + 0.0, pose.y + max(ys) + 0.0))

    @cached_property
    def row(self) -> Floats:
        """The sector as a row for the kernels, with its sine and cosine."""
        cos, sin = facing(self.half_angle)
        width = self.radius * (1.0 - min(cos, 0.0)) - max(cos, 0.0) * self.inner_radius
        height = 2.0 * self.radius * (sin if cos > 0.0 else 1.0)
        row = np.array([self.radius, self.inner_radius, cos, sin, self.half_angle, min(width, height)])
        row.setflags(write=False)
        return row

    @cached_property
    def cells(self) -> Floats:
        """The visible cells without occluders: one cell with the whole sector."""
        _, _, cos, sin, half, _ = self.row
        cell = np.zeros((1, col.CELL_COLUMNS))
        cell[0, : col.CELL_KIND] = -half, half, cos, -sin, cos, sin
        cell[0, col.CELL_KIND], cell[0, col.CELL_EXTENT] = col.CELL_IS_RANGE, self.radius
        cell.setflags(write=False)
        return cell


class SectorHit(NamedTuple):
    """The nearest point of a shape inside a sector.

    Attributes
    ----------
    distance
        Distance from the apex to the nearest point of the shape inside the sector, in the game's units. It is never
        less than the inner radius. With occluders, only visible points count.
    bearing
        Direction to that point in radians, counter-clockwise from the sector's direction; 0 for the apex itself. Of
        several equally near points, the one with the least bearing, left or right, applies.
    point
        That point.
    region
        For a `Circle`, the region of its centre, numbered as in the published algorithm. 1: in front, within the angle.
        2, 3: nearest to the left or the right corner. 4: nearest to the apex, or to a corner of the inner arc. 5, 6:
        beside the right or the left edge. None for other shapes.

    Examples
    --------
    >>> from impinge import Circle
    >>> sector_hit(Sector(10, math.pi / 4), Pose(0, 0), Circle(2), Pose(5, 0))
    SectorHit(distance=3.0, bearing=0.0, point=(3.0, 0.0), region=1)
    """

    distance: float
    bearing: float
    point: Vector
    region: int | None


class Occluders(Sequence[tuple[Solid, Pose]]):
    """Walls that hide targets from sectors, prepared once for many queries. They do not move.

    Parameters
    ----------
    walls
        Pairs of a solid and its pose.

    Raises
    ------
    ShapeError
        If an item is not such a pair.

    Examples
    --------
    >>> from impinge import Box
    >>> len(Occluders([(Box(2, 20), Pose(5, 0)), (Box(20, 2), Pose(0, 9))]))
    2
    """

    def __init__(self, walls: Iterable[tuple[Solid, Pose]]) -> None:
        self._walls = tuple(_checked_walls(walls))
        rows = []
        for solid, pose in self._walls:
            cos, sin = facing(pose.angle)
            rows.append(np.empty_like(solid.row))
            entry.turn_by(solid.row, 0, len(solid.row), cos, sin, rows[-1])
        places = np.array([(pose.x, pose.y) for _, pose in self._walls]).reshape(-1, 2)
        self._posed = PosedSolids(*solids.packed(rows), places)
        self._last: tuple[tuple[Sector, Pose], Floats] | None = None

    def __len__(self) -> int:
        return len(self._walls)

    @overload
    def __getitem__(self, index: int) -> tuple[Solid, Pose]: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[tuple[Solid, Pose], ...]: ...
    def __getitem__(self, index: int | slice) -> tuple[Solid, Pose] | tuple[tuple[Solid, Pose], ...]:
        return self._walls[index]

    def __repr__(self) -> str:
        return f"<Occluders: {len(self)}>"

    def lit(self, sector: Sector, pose: Pose) -> Floats:
        """Return the visible cells of a sector, as an array for the kernels.

        The last result is kept, as a game usually tests several targets from one place.
        """
        asked = sector, pose
        kept = self._last
        if kept is None or kept[0] != asked:
            cells = entry.visible_sector_cells(sector.row, (pose.x, pose.y), facing(pose.angle), self._posed)
            kept = self._last = asked, cells
        return kept[1]


Walls = Occluders | Iterable[tuple[Solid, Pose]]


def sector_hit(sector: Sector, pose: Pose, shape: Solid, shape_pose: Pose, occluders: Walls = ()) -> SectorHit | None:
    """Return the nearest point of a shape inside a sector, or None if they do not touch.

    Parameters
    ----------
    sector, pose
        The sector, and the pose of its apex and direction.
    shape, shape_pose
        Any solid, and its pose.
    occluders
        Walls: pairs of a solid and its pose. They hide everything behind them, as seen from the apex. The sector
        reaches only visible parts of a shape. For many queries with the same walls, prepare them once as `Occluders`.

    Returns
    -------
    SectorHit or None
        Touching within the slop counts. The face of a wall is visible, and no shape hides itself. From inside a wall
        nothing is visible. From its border, everything in front of it is.

    Raises
    ------
    ShapeError
        If an argument is not of its type.

    Notes
    -----
    A disk is tested by the regions of "Circle-Sector with Disk" (Avaniel, The Mana World, 2007), without a tangent and
    for any angle: beside the sector, its point nearest to the disk is on the nearer edge. `impinge.reference.sectors`
    lists the mistakes of that publication. Other shapes are tested piece by piece: the nearest point of a convex piece
    inside the sector is its nearest to the apex, or it is on the sector's border. Walls are handled by the lower
    envelope of their edges (Hershberger, "Finding the upper envelope of n line segments in O(n log n) time", 1989). It
    is exact, as it casts no rays.

    Examples
    --------
    A guard sees 100 units far, 45 degrees to either side. A wall hides half of a box:

    >>> from impinge import Box
    >>> guard, eye = Sector(100, math.pi / 4), Pose(0, 0)
    >>> wall = Box(2, 20), Pose(30, 12)
    >>> seen = sector_hit(guard, eye, Box(10, 10), Pose(60, 5), [wall])
    >>> if seen is not None:
    ...     seen.distance, seen.point
    (55.0, (55.0, 0.0))
    >>> sector_hit(guard, eye, Box(10, 10), Pose(60, 15), [wall]) is None
    True
    """
    checked_sector(sector)
    checked_pose("pose", pose)
    checked_solid("shape", shape)
    checked_pose("shape_pose", shape_pose)
    place = shape_pose.x, shape_pose.y, shape_pose.angle
    return unchecked_hit(visible_cells(sector, pose, occluders), sector, pose, shape, place)


def unchecked_hit(
    cells: Floats, sector: Sector, pose: Pose, shape: Solid, place: tuple[float, float, float]
) -> SectorHit | None:
    """Return the nearest point of a shape inside the visible cells of a sector; `place` is its x, y and angle."""
    x, y, angle = place
    distance, bearing, near_x, near_y, region = entry.hit_solid(
        cells, sector.row, (pose.x, pose.y), facing(pose.angle), shape.row, (x, y), facing(angle)
    )
    if math.isnan(distance):
        return None
    return sector_hit_of(shape, distance, bearing, near_x, near_y, region)


def sector_hit_of(shape: Solid, distance: float, bearing: float, x: float, y: float, region: float) -> SectorHit:
    """Return the hit that the kernels found, as a record. Only a `Circle` gets the region."""
    return SectorHit(distance, bearing, (x, y), int(region) if isinstance(shape, Circle) else None)


def sector_sweep(sector: Sector, motion: Motion, shape: Solid, shape_motion: Motion) -> Impact | None:
    """Return the first touch of a sector and a shape, or None without one. Both may move and turn.

    Parameters
    ----------
    sector, motion
        The sector, and the motion of its apex and direction through the frame. It may make several turns.
    shape, shape_motion
        Any solid, and its motion through the frame.

    Returns
    -------
    Impact or None
        The sector is a, the shape is b. Unlike in `time_of_impact`, a touch within the slop counts, also if they graze
        or separate. If they touch at the frame's start, the time is 0. `feature_a` is None.

    Raises
    ------
    ShapeError
        If an argument is not of its type.

    Notes
    -----
    Without rotation and acceleration, the answer has a closed form: a ray against the sector grown by the shape, corner
    by corner. It also has one for a sector that only turns, past a shape that does not move: the first touch is at a
    bearing. Otherwise the method is conservative advancement (Mirtich, "Impulse-based dynamic simulation of rigid body
    systems", 1996). The time is never late, and at that time they are within the slop. It stops after 20,000 steps; the
    time is early then.

    Examples
    --------
    A sword swings from right to left within one frame, past a post that it touches neither at the start nor at the end:

    >>> sword = Sector(40, 0.1)
    >>> swing = Motion(Pose(0, 0, angle=-1), Pose(0, 0, angle=1))
    >>> struck = sector_sweep(sword, swing, Circle(2), Motion.still(Pose(30, 0)))
    >>> if struck is not None:
    ...     round(struck.time, 3)
    0.417
    """
    checked_sector(sector)
    for name, way in (("motion", motion), ("shape_motion", shape_motion)):
        if not isinstance(way, Motion):
            raise ShapeError(f"{name} must be a Motion, got {way!r}")
    answer = entry.sweep_sector(
        sector.cells, sector.row, checked_solid("shape", shape).row, _course(motion, shape_motion)
    )
    time, (x, y), normal, kind, number, along, overlapping, steps = answer
    if math.isnan(time):
        return None
    apex = motion.at(time)
    place = apex.x + x, apex.y + y
    return Impact(time, place, normal, (place,), None, feature_of(shape, kind, number, along), overlapping, steps)


def _course(motion: Motion, shape_motion: Motion) -> Floats:
    """Return the motion of a shape relative to an apex, as an array for the kernels."""
    (x, y, angle), (end_x, end_y, end_angle) = _numbers(motion.start), _numbers(motion.end)
    (u, v, turn), (end_u, end_v, end_turn) = _numbers(shape_motion.start), _numbers(shape_motion.end)
    ax = shape_motion.acceleration[0] - motion.acceleration[0]
    ay = shape_motion.acceleration[1] - motion.acceleration[1]
    farthest = max(map(abs, (x, y, end_x, end_y, u, v, end_u, end_v)))
    way_x, way_y = (end_u - u) - (end_x - x), (end_v - v) - (end_y - y)
    return np.array(
        [
            u - x, v - y, way_x - 0.5 * ax, way_y - 0.5 * ay, ax, ay, angle, *facing(angle), turn, *facing(turn),
            end_angle - angle, end_turn - turn, farthest,
        ]
    )  # fmt: skip


def _numbers(pose: Pose) -> tuple[float, float, float]:
    return pose.x, pose.y, pose.angle


def visible_outline(
    sector: Sector, pose: Pose, occluders: Walls = (), tolerance: float | None = None
) -> NDArray[np.float64]:
    """Return the visible part of a sector as a polygon, for drawing.

    Parameters
    ----------
    sector, pose
        The sector, and the pose of its apex and direction.
    occluders
        Walls: pairs of a solid and its pose, or `Occluders`.
    tolerance
        Largest distance of the polygon from an arc, in the game's units. The default is a thousandth of the radius.

    Returns
    -------
    (n, 2) float64
        The outline, counter-clockwise, in the game's units. It runs from the apex to the right edge, along the border
        of the visible part, and back from the left edge. With an inner radius, it runs back along the inner arc. Where
        a wall is nearer than the inner arc, both ways run along that arc. The outline is empty if nothing is visible.
        Corners of walls are exact, and points of arcs are on the arcs.

    Raises
    ------
    ShapeError
        If an argument is not of its type, or the tolerance is not positive.

    Notes
    -----
    The method is that of `sector_hit`.

    Examples
    --------
    >>> from impinge import Box
    >>> outline = visible_outline(Sector(10, 0.4), Pose(0, 0), [(Box(2, 20), Pose(5, 0))])
    >>> outline.round(3).tolist()
    [[0.0, 0.0], [4.0, -1.691], [4.0, 1.691]]
    """
    checked_sector(sector)
    cos, sin = facing(checked_pose("pose", pose).angle)
    chord = 1e-3 * sector.radius if tolerance is None else positive("tolerance", tolerance)
    x, y = entry.outline_of(sector.row, visible_cells(sector, pose, occluders), chord).T
    return np.column_stack((pose.x + cos * x - sin * y, pose.y + sin * x + cos * y))


def visible_cells(sector: Sector, pose: Pose, occluders: Walls) -> Floats:
    """Return the visible cells of a sector past occluders, as an array for the kernels."""
    if isinstance(occluders, tuple) and not occluders:
        return sector.cells
    walls = occluders if isinstance(occluders, Occluders) else Occluders(occluders)
    return walls.lit(sector, pose)


@lru_cache(maxsize=1024)
def facing(angle: float) -> tuple[float, float]:
    """Return cosine and sine of an angle. They are cached, and exact for quarter turns, unlike those of `math`."""
    quarters = round(angle / QUARTER)
    if quarters * QUARTER == angle:
        return _QUARTERS[quarters % 4]
    return math.cos(angle), math.sin(angle)


QUARTER = 0.5 * math.pi
_QUARTERS = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))


def checked_sector(value: object) -> Sector:
    """Return a sector. Raise a ShapeError for any other value."""
    if not isinstance(value, Sector):
        raise ShapeError(f"sector must be a Sector, got {value!r}")
    return value


def checked_pose(name: str, value: object) -> Pose:
    """Return a pose. Raise a ShapeError with the argument's name for any other value."""
    if not isinstance(value, Pose):
        raise ShapeError(f"{name} must be a Pose, got {value!r}")
    return value


def _checked_walls(walls: Any) -> Iterator[tuple[Solid, Pose]]:
    if not isinstance(walls, Iterable):
        raise ShapeError(f"occluders must be pairs of a solid and a Pose, got {walls!r}")
    for index, wall in enumerate(walls):
        if isinstance(wall, tuple | list) and len(wall) == 2:
            solid, pose = wall
            if isinstance(solid, Solid) and isinstance(pose, Pose):
                yield solid, pose
                continue
        raise ShapeError(f"occluders[{index}] must be a solid and a Pose, got {wall!r}")
