"""Ring sectors as sets of points, in polar form and in 80 bits: the oracle for sectors, and a source of random ones.

It does not use the published regions. A point is at some angle beyond the half angle, and the law of cosines gives its
distance. A solid that touches a sector is nearest to the apex at a distance D if it reaches the same sector of radius
D, and no shorter one. Shapely has the sector as two polygons, one inside of it and one around it. Visibility is tested
by single rays, and motion by sampled times.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple, TypeAlias

import mpmath
import numpy as np
import shapely
from numpy.typing import NDArray

import impinge as im
from shapely_solids import EPSILON, Catalogue, Floats, Ints, leaves, placing

Reals: TypeAlias = NDArray[Any]  # of either precision

FINE = np.longdouble
# Units in the last place: a double for the bearing, two rotations and a root round some ten times.
NOISE_UNITS = 16 * EPSILON
DIGITS = 50  # of mpmath


class Nearest(NamedTuple):
    """For disks within sectors: the point nearest to the apex, infinite and NaN where there is none.

    `bearings` are the smallest, if several points are equally near.
    """

    distances: Reals
    bearings: Reals


@dataclass(frozen=True)
class Sectors:
    """m posed sectors. The numbers keep their precision: see `fine`.

    Attributes
    ----------
    radii, half_angles, inner_radii : (m,)
        As in `impinge.Sector`.
    poses : (m, 3)
        Position of the apex, and facing.
    """

    radii: Reals
    half_angles: Reals
    inner_radii: Reals
    poses: Reals

    def __len__(self) -> int:
        return len(self.radii)

    def __getitem__(self, rows: Any) -> Sectors:
        return Sectors(*(getattr(self, field.name)[rows] for field in fields(self)))

    @property
    def fine(self) -> Sectors:
        return Sectors(*(getattr(self, field.name).astype(FINE) for field in fields(self)))

    @property
    def extents(self) -> Floats:
        """Return the smaller side of the bounds of each sector in its own frame."""
        cos, sin = np.cos(self.half_angles), np.sin(np.minimum(self.half_angles, np.pi / 2))
        left = np.where(self.is_round, -self.radii, np.minimum(self.inner_radii * cos, self.radii * cos))
        sides: Floats = np.minimum(self.radii - left, 2.0 * self.radii * sin).astype(np.float64)
        return sides

    @property
    def is_round(self) -> NDArray[np.bool_]:
        """Return which sectors are a full disk or ring. The double nearest to a half turn is less than a half turn."""
        answer: NDArray[np.bool_] = self.half_angles.astype(np.float64) >= np.pi
        return answer

    def one_by_one(self) -> list[tuple[Any, im.Pose]]:
        """Return the arguments of `impinge.sector_hit`."""
        numbers = np.column_stack([self.radii, self.half_angles, self.inner_radii]).astype(np.float64).tolist()
        poses = self.poses.astype(np.float64).tolist()
        return [(im.Sector(*row), im.Pose(*pose)) for row, pose in zip(numbers, poses, strict=True)]

    def inset(self, margins: Reals) -> Sectors:
        """Return sectors all of whose points are at least this deep inside these sectors; radii may become negative."""
        sin = np.where(self.is_round, 1.0, np.sin(self.half_angles))
        ahead = np.where(self.is_round, 0.0, margins / sin)
        poses = self.poses.copy()
        poses[:, 0] += ahead * np.cos(self.poses[:, 2])
        poses[:, 1] += ahead * np.sin(self.poses[:, 2])
        inner = np.where(self.inner_radii > 0.0, self.inner_radii + margins + ahead, 0.0)
        return Sectors(self.radii - margins - ahead, self.half_angles, inner, poses)

    def up_to(self, radii: Reals) -> Sectors:
        """Return the same sectors with other radii."""
        return replace(self, radii=radii)

    def seen(self, points: Reals) -> tuple[Reals, Reals]:
        """Return distances of points from the apices, and bearings from the facings, between half a turn either way."""
        x, y = (points - self.poses[:, :2]).T
        return np.hypot(x, y), _wrapped(np.arctan2(y, x) - self.poses[:, 2])

    def local(self, points: Reals) -> Reals:
        """Return points, one per sector, in the frame of its sector."""
        x, y = (points - self.poses[:, :2]).T
        cos, sin = np.cos(self.poses[:, 2]), np.sin(self.poses[:, 2])
        return np.column_stack([cos * x + sin * y, cos * y - sin * x])

    def point_gaps(self, points: Reals) -> Reals:
        """Return the distances of points from the sectors; zero inside."""
        return self.polar_gaps(*self.seen(points))

    def disk_gaps(self, centers: Reals, radii: Reals) -> Reals:
        """Return the distances of disks from the sectors; below zero where they overlap, down to minus their radius."""
        return self.point_gaps(centers) - radii

    def nearest(self, centers: Reals, radii: Reals) -> Nearest:
        """Return where disks within the sectors are nearest to the apices.

        On a bearing at angle t from the centre, a disk covers ``d cos t -+ sqrt(r^2 - d^2 sin^2 t)``. As t grows, the
        covered span begins farther away and ends nearer. So the bearing nearest to the centre's tells whether the disk
        touches at all, and from which distance on.
        """
        far, bearings = self.seen(centers)
        holds_apex = far <= radii
        aimed = np.where(self.is_round, bearings, np.clip(bearings, -self.half_angles, self.half_angles))
        beside = abs(bearings - aimed)
        squared = radii**2 - (far * np.sin(beside)) ** 2
        root = np.sqrt(np.maximum(squared, 0.0))
        along = far * np.cos(beside)
        begin = np.where(holds_apex, 0.0, along - root)
        is_met = holds_apex | ((squared >= 0.0) & (along >= 0.0))
        is_met &= (begin <= self.radii) & (along + root >= self.inner_radii)
        # All covered points of the inner arc are equally near. They span this angle on either side of the centre's
        # bearing.
        inner = self.inner_radii
        with np.errstate(divide="ignore", invalid="ignore"):
            # Use the sine of half the angle: its cosine loses half of the digits where a disk only just reaches the
            # arc.
            share = (radii - (far - inner)) * (radii + (far - inner)) / (4.0 * far * inner)
            spread = 2.0 * np.arcsin(np.sqrt(np.clip(share, 0.0, 1.0)))
        spread = np.where(holds_apex & (far + inner <= radii), np.inf, spread)
        on_arc = np.sign(bearings) * np.maximum(abs(bearings) - spread, 0.0)
        at = np.where(begin > inner, aimed, np.where(inner > 0.0, on_arc, 0.0))
        return Nearest(np.where(is_met, np.maximum(begin, inner), np.inf), np.where(is_met, at, np.nan))

    def regions(self, centers: Reals) -> Ints:
        """Return which of the published regions the centres are in."""
        far, bearings = self.seen(centers)
        beyond = abs(bearings) - self.half_angles
        along = far * np.cos(beyond)
        is_left = bearings > 0.0
        beside = np.select([along > self.radii, along < self.inner_radii], [np.where(is_left, 2, 3), 4], 5 + is_left)
        return np.where(self.is_round | (beyond <= 0.0), 1, beside)

    def border_distances(self, centers: Reals) -> Reals:
        """Return a lower bound on how far centres are from the borders between regions."""
        far, bearings = self.seen(centers)
        beyond = abs(bearings) - self.half_angles
        from_edge = far * np.sin(np.minimum(abs(beyond), np.pi / 2))
        along = far * np.cos(beyond)
        from_ends = np.minimum(abs(along - self.radii), abs(along - self.inner_radii))
        behind = far * np.sin(np.minimum(np.pi - abs(bearings), np.pi / 2))
        from_back = np.where(along > self.inner_radii, behind, np.inf)
        outside = np.minimum(np.minimum(from_edge, from_ends), from_back)
        return np.where(self.is_round, np.inf, np.where(beyond <= 0.0, from_edge, outside))

    def corners(self) -> Reals:
        """Return (m, 4, 2): both corners at ``-half_angle``, then those at ``half_angle``, in their own frames."""
        cos, sin = np.cos(self.half_angles), np.sin(self.half_angles)
        ends = [np.column_stack([length * cos, side * length * sin]) for side in (-1, 1) for length in self._lengths]
        return np.stack(ends, axis=1)

    @property
    def _lengths(self) -> tuple[Reals, Reals]:
        return self.inner_radii, self.radii

    def polar_gaps(self, far: Reals, bearings: Reals) -> Reals:
        """Return the distances of points, given by distance and bearing from each apex."""
        inner, outer = self._lengths
        beyond = np.where(self.is_round, 0.0, np.maximum(abs(bearings) - self.half_angles, 0.0))
        foot = np.clip(far * np.cos(beyond), inner, outer)
        foot = np.where(beyond > 0.0, foot, np.clip(far, inner, outer))
        return np.sqrt((far - foot) ** 2 + 4.0 * far * foot * np.sin(0.5 * beyond) ** 2)


def _wrapped(angles: Reals) -> Reals:
    turn = 8.0 * np.arctan(np.ones((), angles.dtype))
    return angles - turn * np.round(angles / turn)


class Outlines:
    """The raw borders of the solids of a catalogue: each leaf's core as its edges, concave or not.

    Attributes
    ----------
    starts, ends : (e, 2) float64
        Edges of all leaves; the edge of a point starts and ends at the point.
    leaves : (e,) int64
        Leaf of the catalogue that each edge belongs to.
    is_closed : (e,) bool
        Whether that leaf is a polygon.
    counts, firsts : (n,) int64
        Number of edges of each solid, and the index of its first edge.
    """

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        starts, ends, leaves, counts = [], [], [], []
        for leaf, core in enumerate(catalogue.cores):
            points = shapely.get_coordinates(core)
            starts.append(points[:-1] if len(points) > 1 else points)
            ends.append(points[1:] if len(points) > 1 else points)
            leaves.append(np.full(len(starts[-1]), leaf))
            counts.append(len(starts[-1]))
        self.starts, self.ends = np.concatenate(starts), np.concatenate(ends)
        self.leaves = np.concatenate(leaves)
        self.is_closed = np.array([core.geom_type == "Polygon" for core in catalogue.cores])[self.leaves]
        self.counts = np.add.reduceat(np.array(counts), catalogue.firsts)
        self.firsts = np.cumsum(self.counts) - self.counts

    def gaps(self, sectors: Sectors, chosen: Ints, poses: Reals) -> Reals:
        """Return the distance of each solid from its sector; zero or below where they overlap.

        Parameters
        ----------
        sectors : m of them
            Their precision is that of the answer.
        chosen : (m,) int
            Solids.
        poses : (m, 3)
            Poses of the solids.
        """
        counts = self.counts[chosen]
        owners = np.repeat(np.arange(len(chosen)), counts)
        edges = self.firsts[chosen][owners] + np.arange(len(owners)) - (np.cumsum(counts) - counts)[owners]
        kind = sectors.radii.dtype
        turn = (poses[:, 2].astype(kind) - sectors.poses[:, 2])[owners]
        place = sectors.local(poses[:, :2].astype(kind))[owners]
        cos, sin = np.cos(turn), np.sin(turn)
        a, b = (_turned(points[edges].astype(kind), cos, sin) + place for points in (self.starts, self.ends))
        theirs = sectors[owners]
        gaps = np.maximum(_segment_gaps(theirs, a, b), 0.0)
        # If a sector is completely inside a polygon, then so is its corner: an odd number of edges lies beyond the
        # corner.
        x, y = theirs.corners()[:, 3].T
        is_across = (a[:, 1] > y) != (b[:, 1] > y)
        rise = np.where(is_across, b[:, 1] - a[:, 1], 1.0)
        is_beyond = is_across & (a[:, 0] + (y - a[:, 1]) / rise * (b[:, 0] - a[:, 0]) > x)
        keys = owners * len(self.catalogue.cores) + self.leaves[edges]
        of_leaf = np.unique(keys, return_inverse=True)[1]
        is_around = np.bincount(of_leaf, weights=is_beyond).astype(int) % 2 == 1
        gaps[is_around[of_leaf] & self.is_closed[edges]] = 0.0
        gaps -= self.catalogue.radii[self.leaves[edges]]
        answers = np.full(len(chosen), np.inf, kind)
        np.minimum.at(answers, owners, gaps)
        return answers


def _turned(points: Reals, cos: Reals, sin: Reals) -> Reals:
    x, y = points.T
    return np.column_stack([cos * x - sin * y, sin * x + cos * y])


def _segment_gaps(sectors: Sectors, a: Reals, b: Reals) -> Reals:
    """Return the distance of each segment from its sector, in the sector's frame.

    The nearest point of the segment is one of its ends, the point nearest to the apex, or the one nearest to a corner.
    Otherwise the two cross, on an arc, on a straight edge, or at an end.
    """
    way = b - a
    squared = np.where((way == 0.0).all(axis=1), 1.0, (way**2).sum(axis=1))
    foot = -(a * way).sum(axis=1) / squared
    aside = (a[:, 0] * way[:, 1] - a[:, 1] * way[:, 0]) ** 2 / squared
    times = [np.zeros_like(foot), np.ones_like(foot), foot]
    for length in (sectors.inner_radii, sectors.radii):
        half = np.sqrt(np.maximum(length**2 - aside, 0.0) / squared)
        times += [foot - half, foot + half]
    for side in (-1, 1):
        x, y = np.cos(sectors.half_angles), side * np.sin(sectors.half_angles)
        across = way[:, 0] * y - way[:, 1] * x
        times.append((a[:, 1] * x - a[:, 0] * y) / np.where(across == 0.0, 1.0, across))
    least = np.full(len(a), np.inf, a.dtype)
    for time in times:
        x, y = (a + np.clip(time, 0.0, 1.0)[:, None] * way).T
        np.minimum(least, sectors.polar_gaps(np.hypot(x, y), np.arctan2(y, x)), out=least)
    corners = sectors.corners()
    for number in range(4):
        corner = corners[:, number]
        time = np.clip(((corner - a) * way).sum(axis=1) / squared, 0.0, 1.0)
        gaps = np.hypot(*(a + time[:, None] * way - corner).T)
        np.minimum(least, np.where(sectors.is_round, np.inf, gaps), out=least)
    return least


# Single cases, to any precision: in Cartesian coordinates, so that nothing is shared with the code above.


def exact_disk_gap(sector: Sectors, center: tuple[float, float], radius: float) -> mpmath.mpf:
    """Return the distance of a disk from a single sector; below zero where they overlap."""
    with mpmath.workdps(DIGITS):
        ring = _ExactRing(sector)
        return ring.gap(*ring.local(center)) - mpmath.mpf(radius)


def exact_nearest(sector: Sectors, center: tuple[float, float], radius: float) -> tuple[mpmath.mpf, mpmath.mpf] | None:
    """Find the point of a disk within a single sector that is nearest to the apex: distance and bearing.

    If the nearest point is neither the apex nor on the inner arc, it is on the disk's border: towards the apex, or on
    one of the edges. On the inner arc, the point with the smallest bearing is straight ahead or at an end of the
    covered part.
    """
    with mpmath.workdps(DIGITS):
        ring = _ExactRing(sector)
        x, y = ring.local(center)
        r, far = mpmath.mpf(radius), mpmath.hypot(x, y)
        tiny = mpmath.mpf(10) ** (20 - DIGITS) * (ring.outer + far + r)
        candidates = [(mpmath.mpf(0), mpmath.mpf(0)), (ring.inner, mpmath.mpf(0))]
        if far > 0:
            candidates += [(x * scale, y * scale) for scale in (1 - r / far, ring.inner / far)]
            # Two circles meet at points on both sides of the line through their centres.
            along = (far**2 + ring.inner**2 - r**2) / (2 * far)
            up = mpmath.sqrt(max(ring.inner**2 - along**2, 0))
            candidates += [((x * along - s * y * up) / far, (y * along + s * x * up) / far) for s in (-1, 1)]
        for side in (-1, 1):
            ux, uy = ring.cos, side * ring.sin
            along, aside = x * ux + y * uy, x * uy - y * ux
            back = mpmath.sqrt(max(r**2 - aside**2, 0))
            lengths = (along - back, along, ring.inner, ring.outer)
            candidates += [(ux * length, uy * length) for length in lengths]
        feasible = [
            (mpmath.hypot(px, py), abs(mpmath.atan2(py, px)) if px or py else mpmath.mpf(0), px, py)
            for px, py in candidates
            if mpmath.hypot(px - x, py - y) <= r + tiny and ring.gap(px, py) <= tiny
        ]
        if not feasible:
            return None
        least = min(distance for distance, *_ in feasible)
        if least <= tiny:
            return mpmath.mpf(0), mpmath.mpf(0)
        *_, px, py = min((bearing, px, py) for distance, bearing, px, py in feasible if distance <= least + tiny)
        return least, mpmath.atan2(py, px)


class _ExactRing:
    """A sector whose straight edges are segments. Its arcs are the part of a ring between two half planes."""

    def __init__(self, sector: Sectors) -> None:
        self.outer, self.inner = mpmath.mpf(float(sector.radii[0])), mpmath.mpf(float(sector.inner_radii[0]))
        self.is_round = bool(sector.is_round[0])
        angle = mpmath.pi if self.is_round else mpmath.mpf(float(sector.half_angles[0]))
        self.cos, self.sin = mpmath.cos(angle), mpmath.sin(angle)
        self.place = [mpmath.mpf(float(value)) for value in sector.poses[0]]

    def local(self, point: tuple[float, float]) -> tuple[mpmath.mpf, mpmath.mpf]:
        x, y = mpmath.mpf(point[0]) - self.place[0], mpmath.mpf(point[1]) - self.place[1]
        cos, sin = mpmath.cos(self.place[2]), mpmath.sin(self.place[2])
        return cos * x + sin * y, cos * y - sin * x

    def is_ahead(self, x: mpmath.mpf, y: mpmath.mpf) -> bool:
        """Return whether a point is between both edges, or on one of them."""
        left = self.cos * y - self.sin * x  # relative to the edge at +half_angle
        right = -self.cos * y - self.sin * x  # relative to the mirrored edge
        if self.is_round or (x == 0 and y == 0):
            return True
        if self.cos >= 0:
            return bool(left <= 0 and right <= 0 and x >= 0)
        return bool(left <= 0 or right <= 0 or x >= 0)

    def gap(self, x: mpmath.mpf, y: mpmath.mpf) -> mpmath.mpf:
        far = mpmath.hypot(x, y)
        if self.is_ahead(x, y):
            if self.inner <= far <= self.outer:
                return mpmath.mpf(0)
            return min(abs(far - self.outer), abs(far - self.inner))
        gaps = []
        for side in (-1, 1):
            ux, uy = self.cos, side * self.sin
            along = min(max(x * ux + y * uy, self.inner), self.outer)
            gaps.append(mpmath.hypot(x - along * ux, y - along * uy))
        return min(gaps)


# With Shapely.


def chords_needed(radius: float, half_angle: float, inner_radius: float, accuracy: float) -> int:
    """Return how many chords keep an arc within a share of the radius, and within the ring."""
    share = min(accuracy, 0.2 * (radius - inner_radius) / radius)
    return max(8, math.ceil(half_angle / math.acos(1.0 - share)))


def inside_polygon(radius: float, half_angle: float, inner_radius: float, chords: int) -> shapely.Geometry:
    """Return a polygon within the sector: chords of the outer arc, tangents of the inner one."""
    return _polygon(
        half_angle, _on(radius, half_angle, chords), _around(inner_radius, half_angle, chords), inner_radius
    )


def outside_polygon(radius: float, half_angle: float, inner_radius: float, chords: int) -> shapely.Geometry:
    """Return a polygon around the sector: tangents of the outer arc, chords of the inner one."""
    return _polygon(
        half_angle, _around(radius, half_angle, chords), _on(inner_radius, half_angle, chords), inner_radius
    )


def _polygon(half_angle: float, outer: Floats, inner: Floats, inner_radius: float) -> shapely.Geometry:
    if half_angle >= math.pi:
        return shapely.Polygon(outer[:-1], [inner[:-1]] if inner_radius else [])
    return shapely.Polygon(np.concatenate([outer, inner[::-1] if inner_radius else [[0.0, 0.0]]]))


def _on(radius: float, half_angle: float, chords: int) -> Floats:
    angles = np.linspace(-half_angle, half_angle, chords + 1)
    return radius * np.column_stack([np.cos(angles), np.sin(angles)])


def _around(radius: float, half_angle: float, chords: int) -> Floats:
    angles = np.linspace(-half_angle, half_angle, chords + 1)
    middles = 0.5 * (angles[1:] + angles[:-1])
    far = radius / math.cos(half_angle / chords)
    touches = _on(radius, half_angle, chords)[[0, -1]]
    if half_angle >= math.pi:  # a full turn has no first corner
        middles, touches = np.append(middles, middles[0]), np.empty((0, 2))
    corners = far * np.column_stack([np.cos(middles), np.sin(middles)])
    return np.concatenate([touches[:1], corners, touches[1:]])


def polygon_bounds(
    catalogue: Catalogue, chosen: Ints, places: Floats, inside: Any, outside: Any
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return bounds on the gaps of solids and sectors, and on the distance of their common points from the apex.

    Parameters
    ----------
    catalogue, chosen, places
        Solids, and the (m, 3) poses of them in the frames of the sectors.
    inside, outside : (m,) arrays of polygons
        In the sectors' own frames.

    Returns
    -------
    tuple of four (m,) float64
        Least and greatest gap, least and greatest distance: infinite where there is no common point.
    """
    counts = catalogue.counts[chosen]
    owners = np.repeat(np.arange(len(chosen)), counts)
    leaves = catalogue.firsts[chosen][owners] + np.arange(len(owners)) - (np.cumsum(counts) - counts)[owners]
    points, of = shapely.get_coordinates(catalogue.cores[leaves], return_index=True)
    x, y, angle = places[owners[of]].T
    cores = shapely.set_coordinates(
        catalogue.cores[leaves].copy(), _turned(points, np.cos(angle), np.sin(angle)) + np.column_stack([x, y])
    )
    radii, apex = catalogue.radii[leaves], shapely.Point(0, 0)
    answers = [np.full(len(chosen), np.inf) for _ in range(4)]
    arcs = 64
    # The rest of an arc after its last whole step may be half a step, and is then added to that step.
    enlarged = 1.0 / math.cos(1.5 * math.pi / (4 * arcs))
    for place, polygons, scale in ((0, outside, enlarged), (1, inside, 1.0)):
        np.minimum.at(answers[place], owners, shapely.distance(cores, polygons[owners]) - radii)
        for row, (core, radius) in enumerate(zip(cores, radii, strict=True)):
            owner = owners[row]
            for grown in _grown(core, radius * scale, arcs):
                shared = shapely.intersection(grown, polygons[owner])
                if not shared.is_empty:
                    distance = shapely.distance(shared, apex)
                    answers[2 + place][owner] = min(answers[2 + place][owner], distance)
    return answers[0], answers[1], answers[2], answers[3]


def _grown(core: shapely.Geometry, radius: float, arcs: int) -> list[shapely.Geometry]:
    """Return a grown core. Concave cores grow by triangles: `buffer` simplifies concave outlines by a hundredth."""
    if radius == 0.0:
        return [core]
    if core.geom_type == "Polygon" and core.convex_hull.area > core.area * (1.0 + 1e-12):
        return [part.buffer(radius, arcs) for part in shapely.constrained_delaunay_triangles(core).geoms]
    return [core.buffer(radius, arcs)]


# Rays.


class Scene:
    """Solids around an apex, for rays from there: raw borders, nothing split.

    Attributes
    ----------
    apex : (2,) float64
    starts, ends, radii
        Edges of all leaves, relative to the apex, and their radii.
    covers_apex
        Whether a core contains the apex.
    """

    def __init__(self, apex: tuple[float, float], standing: Sequence[tuple[Any, im.Pose]]) -> None:
        self.apex = np.array(apex, np.float64)
        starts, ends, radii, self.covers_apex = [np.empty((0, 2))], [np.empty((0, 2))], [np.empty(0)], False
        for solid, pose in standing:
            for core, radius in leaves(solid):
                placed = shapely.transform(core, placing(im.Pose(pose.x - apex[0], pose.y - apex[1], pose.angle)))
                points = shapely.get_coordinates(placed)
                starts.append(points[:-1] if len(points) > 1 else points)
                ends.append(points[1:] if len(points) > 1 else points)
                radii.append(np.full(len(starts[-1]), radius))
                self.covers_apex |= bool(core.geom_type == "Polygon" and shapely.contains_xy(placed, 0.0, 0.0))
        self.starts, self.ends, self.radii = np.concatenate(starts), np.concatenate(ends), np.concatenate(radii)

    def first(self, bearings: Floats) -> Floats:
        """Return how far rays get, by their bearings in the world; infinite where nothing blocks them."""
        if self.covers_apex:
            return np.zeros(len(bearings))
        first = np.full(len(bearings), np.inf)
        for low, high in self._spans(bearings):
            np.minimum(first, np.where(low > 0.0, low, np.where(high >= 0.0, 0.0, np.inf)), out=first)
        return first

    def span(self, bearings: Floats) -> tuple[Floats, Floats]:
        """Return where the lines of rays enter and leave the scene, if it is one convex solid."""
        low, high = np.full(len(bearings), np.inf), np.full(len(bearings), -np.inf)
        for begin, end in self._spans(bearings):
            np.minimum(low, begin, out=low)
            np.maximum(high, end, out=high)
        return low, high

    def silhouettes(self) -> Floats:
        """Return the bearings of all corners, and of the tangents of the arcs around them."""
        points, radii = np.concatenate([self.starts, self.ends]), np.concatenate([self.radii, self.radii])
        far, bearings = np.hypot(*points.T), np.arctan2(points[:, 1], points[:, 0])
        spread = np.arcsin(np.clip(radii / np.maximum(far, 1e-300), 0.0, 1.0))
        return np.unique(np.concatenate([bearings - spread, bearings + spread]))

    def _spans(self, bearings: Floats) -> Any:
        """Return for each rounded edge where lines enter and leave it; inf to -inf if they miss it."""
        ux, uy = np.cos(bearings), np.sin(bearings)
        for (ax, ay), (bx, by), radius in zip(self.starts, self.ends, self.radii, strict=True):
            low, high = np.full(len(bearings), np.inf), np.full(len(bearings), -np.inf)
            for x, y in ((ax, ay), (bx, by)):
                root = radius**2 - (ux * y - uy * x) ** 2
                half = np.sqrt(np.maximum(root, 0.0))
                low = np.where(root >= 0.0, np.minimum(low, ux * x + uy * y - half), low)
                high = np.where(root >= 0.0, np.maximum(high, ux * x + uy * y + half), high)
            ex, ey = bx - ax, by - ay
            length = math.hypot(ex, ey)
            across = ux * ey - uy * ex
            for side in (-1, 1) if length and radius else (0,):
                x, y = (ax - side * radius * ey / length, ay + side * radius * ex / length) if side else (ax, ay)
                with np.errstate(divide="ignore", invalid="ignore"):
                    along, share = (x * ey - y * ex) / across, (x * uy - y * ux) / across
                is_crossed = (across != 0.0) & (share >= 0.0) & (share <= 1.0)
                low = np.where(is_crossed, np.minimum(low, along), low)
                high = np.where(is_crossed, np.maximum(high, along), high)
            yield low, high


def convex_parts(solid: Any, pose: im.Pose) -> list[tuple[Any, im.Pose]]:
    """Split a solid into convex ones with the same pose: leaves, and the triangles of concave leaves."""
    parts: list[tuple[Any, im.Pose]] = []
    for core, radius in leaves(solid):
        points = shapely.get_coordinates(core).tolist()
        if core.geom_type == "Point":
            parts.append((im.Capsule(points[0], points[0], radius), pose))
        elif core.geom_type == "LineString":
            parts.append((im.Capsule(*points, radius), pose))
        else:
            triangles = shapely.constrained_delaunay_triangles(core).geoms
            parts += [(im.Polygon(triangle.exterior.coords[:-1], radius), pose) for triangle in triangles]
    return parts


# Sampled times.


@dataclass(frozen=True)
class Ways:
    """Motions of m things through the frame: (m, 3) starts and ends, (m, 2) accelerations, as in `impinge.Motion`."""

    starts: Floats
    ends: Floats
    accelerations: Floats

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, rows: Any) -> Ways:
        return Ways(self.starts[rows], self.ends[rows], self.accelerations[rows])

    def at(self, times: Reals) -> Reals:
        """Return the pose of each thing at its own time."""
        time = times[:, None]
        poses = self.starts + (self.ends - self.starts) * time
        poses[:, :2] -= 0.5 * time * (1.0 - time) * self.accelerations
        return np.where(time == 1.0, self.ends, poses)

    def speeds_from(self, others: Ways) -> Floats:
        """Return bounds on the speeds relative to others, without the rotation of the others."""
        way = (self.ends - self.starts - others.ends + others.starts)[:, :2]
        bend = 0.5 * (self.accelerations - others.accelerations)
        return np.maximum(np.hypot(*(way - bend).T), np.hypot(*(way + bend).T))

    @property
    def turns(self) -> Floats:
        return abs(self.ends - self.starts)[:, 2]

    def one_by_one(self) -> list[im.Motion]:
        rows = zip(self.starts.tolist(), self.ends.tolist(), self.accelerations.tolist(), strict=True)
        return [im.Motion(im.Pose(*start), im.Pose(*end), tuple(bend)) for start, end, bend in rows]


def first_touches(
    gaps: Callable[[Ints, Floats], Reals], speeds: Floats, thresholds: Floats, levels: int = 14
) -> tuple[Floats, Floats]:
    """Find the first of ``2 ** levels`` equal steps, and the frame's ends, at which a gap is at a threshold or below.

    Parameters
    ----------
    gaps
        Function of rows and times.
    speeds, thresholds : (m,)
        No gap changes faster than that: steps are skipped between two samples if nothing can happen there.

    Returns
    -------
    tuple of two (m,) float64
        The times, infinite where there is none, and the least gap of all samples.
    """
    found, least = np.full(len(speeds), np.inf), np.full(len(speeds), np.inf)
    rows, lows = np.arange(len(speeds)), np.zeros(len(speeds))
    for end in (1.0, 0.0):
        at_end = gaps(rows, np.full(len(rows), end))
        np.minimum(least, at_end, out=least)
        found[at_end <= thresholds] = end
    for level in range(levels):
        half = 0.5 ** (level + 1)
        measured = gaps(rows, lows + half)
        np.minimum.at(least, rows, measured)
        touching = measured <= thresholds[rows]
        np.minimum.at(found, rows[touching], lows[touching] + half)
        open_still = (measured - thresholds[rows] <= speeds[rows] * half) & (lows < found[rows])
        rows, lows = rows[open_still], lows[open_still]
        rows, lows = np.concatenate([rows, rows]), np.concatenate([lows, lows + half])
    return found, least


# Sources of random sectors.

HALF_ANGLES = (1e-3, 0.05, 0.4, math.pi / 4, 1.2, math.pi / 2, 2.0, 0.75 * math.pi, 2.9, math.pi - 1e-3, math.pi)
PARTS_INNER = (0.0, 0.0, 0.0, 1e-3, 0.3, 0.8, 0.999)


def random_sectors(rng: np.random.Generator, count: int, sizes: tuple[float, float], place: float) -> Sectors:
    """Draw sectors of all half angles. Half of the angles are special cases, and half of the sectors have no hole.

    Their sizes are between two bounds, all magnitudes equally likely. A quarter faces along an axis.
    """
    low, high = np.log(sizes[0]), np.log(sizes[1])
    radii = np.exp(rng.uniform(low, high, count))
    half_angles = np.where(rng.random(count) < 0.5, rng.choice(HALF_ANGLES, count), rng.uniform(0.01, np.pi, count))
    inner = np.where(rng.random(count) < 0.7, rng.choice(PARTS_INNER, count), rng.uniform(0.01, 0.99, count)) * radii
    facing = rng.uniform(-np.pi, np.pi, count)
    facing = np.where(rng.random(count) < 0.25, rng.integers(-4, 5, count) * (np.pi / 2), facing)
    poses = np.column_stack([rng.uniform(-place, place, (count, 2)), facing])
    return Sectors(radii, half_angles, inner, poses)
