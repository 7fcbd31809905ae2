"""Solids as Shapely geometries: the oracle for arrays of random pairs, and the source of these pairs.

A solid is a list of leaves: a core that Shapely represents exactly (a point, a segment, a polygon, concave or not) and
a radius around it. The distance of two leaves is that of their cores minus both radii. So no circle is drawn as a
polygon, and nothing is split into convex pieces. Overlapping cores have no distance: other tests check depths.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import shapely
from numpy.typing import NDArray

import impinge as im

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]

EPSILON = float(np.finfo(float).eps)
# Units in the last place of the farthest coordinate of a pair, relative to the first solid. Some ten operations round,
# both here and in the kernels: transforming a point, its distance from a line, and subtracting the radii. The largest
# error seen is 2.
NOISE_UNITS = 16 * EPSILON
ORIGIN = im.Pose(0, 0)


class Leaf(NamedTuple):
    core: shapely.Geometry
    radius: float


def leaves(solid: Any) -> list[Leaf]:
    """Return the leaves of a solid in its own frame, from its public fields alone."""
    if isinstance(solid, im.Compound):
        return [
            Leaf(shapely.transform(core, placing(pose)), radius)
            for part, pose in solid.parts
            for core, radius in leaves(part)
        ]
    if isinstance(solid, im.Circle):
        return [Leaf(shapely.Point(0, 0), solid.radius)]
    if isinstance(solid, im.Capsule):
        same = solid.a == solid.b
        return [Leaf(shapely.Point(solid.a) if same else shapely.LineString([solid.a, solid.b]), solid.radius)]
    if isinstance(solid, im.Box):
        x, y = solid.width / 2, solid.height / 2
        return [Leaf(shapely.Polygon([(-x, -y), (x, -y), (x, y), (-x, y)]), 0.0)]
    return [Leaf(shapely.Polygon(solid.vertices), solid.radius)]


def placing(pose: im.Pose) -> Callable[[Floats], Floats]:
    """Return the function that transforms points from a solid's own frame to the world."""
    cos, sin = math.cos(pose.angle), math.sin(pose.angle)
    return lambda points: points @ np.array([[cos, sin], [-sin, cos]]) + (pose.x, pose.y)


def whole(solid: Any, pose: im.Pose = ORIGIN, quad_segs: int = 64) -> shapely.Geometry:
    """Return a solid as one geometry; its arcs are inside the circles by up to ``r (1 - cos(pi / (4 quad_segs)))``."""
    parts = [core.buffer(radius, quad_segs) if radius else core for core, radius in leaves(solid)]
    return shapely.transform(shapely.union_all(parts), placing(pose))


class Catalogue:
    """Solids, each with its leaves, from which pairs are drawn by index.

    Attributes
    ----------
    solids
        The solids.
    extents, reaches : (n,) float64
        Smaller side of the bounds of each solid, or the larger if that is zero; largest distance from its origin.
    """

    def __init__(self, solids: Sequence[Any]) -> None:
        self.solids = list(solids)
        parts = [leaves(solid) for solid in solids]
        self.counts = np.array([len(leaves) for leaves in parts])
        self.firsts = np.concatenate([[0], np.cumsum(self.counts)[:-1]])
        self.cores = np.array([core for leaves in parts for core, _ in leaves])
        self.radii = np.array([radius for leaves in parts for _, radius in leaves])
        bounds = shapely.bounds(self.cores) + self.radii[:, None] * np.array([-1.0, -1.0, 1.0, 1.0])
        low = np.minimum.reduceat(bounds[:, :2], self.firsts)
        sides = np.maximum.reduceat(bounds[:, 2:], self.firsts) - low
        self.extents = np.where(sides.min(axis=1) > 0, sides.min(axis=1), sides.max(axis=1))
        farthest = shapely.hausdorff_distance(self.cores, shapely.Point(0, 0)) + self.radii
        self.reaches = np.maximum.reduceat(farthest, self.firsts)


@dataclass
class Pairs:
    """m posed pairs of solids of a catalogue.

    Attributes
    ----------
    catalogue
        The solids.
    chosen : (m, 2) int64
        Indices of the two solids.
    poses : (m, 2, 3) float64
        Position and angle of both.
    """

    catalogue: Catalogue
    chosen: Ints
    poses: Floats

    def __len__(self) -> int:
        return len(self.chosen)

    def __getitem__(self, rows: Any) -> Pairs:
        return Pairs(self.catalogue, self.chosen[rows], self.poses[rows])

    def moved(self, by: Floats) -> Pairs:
        """Return the pairs with the first solid at the origin and the second one moved, so that no position rounds."""
        poses = self.poses.copy()
        poses[:, 1, :2] = self.offsets + by
        poses[:, 0, :2] = 0.0
        return Pairs(self.catalogue, self.chosen, poses)

    def swapped(self) -> Pairs:
        return Pairs(self.catalogue, self.chosen[:, ::-1], self.poses[:, ::-1])

    @property
    def offsets(self) -> Floats:
        return self.poses[:, 1, :2] - self.poses[:, 0, :2]

    @property
    def noise(self) -> Floats:
        """Return the length below which rounding makes any answer about a pair uncertain."""
        return NOISE_UNITS * (self.catalogue.reaches[self.chosen].sum(axis=1) + np.abs(self.offsets).sum(axis=1))

    @property
    def extents(self) -> Floats:
        """Return the extent of the smaller solid of each pair."""
        return self.catalogue.extents[self.chosen].min(axis=1)

    @property
    def coordinates(self) -> Floats:
        """Return the largest coordinate of each pair, or a little more."""
        return (np.abs(self.poses[:, :, :2]).max(axis=2) + self.catalogue.reaches[self.chosen]).max(axis=1)

    @property
    def slops(self) -> Floats:
        """Return the slop of each pair, or a little more."""
        return 1e-9 * self.extents + 8 * EPSILON * self.coordinates

    def packed(self) -> tuple[im.batch.Solids, Floats, Ints]:
        """Return the arguments of the functions of `impinge.batch`."""
        solids = im.batch.Solids([self.catalogue.solids[index] for index in self.chosen.ravel()])
        return solids, self.poses.reshape(-1, 3), np.arange(2 * len(self)).reshape(-1, 2)

    def one_by_one(self) -> list[tuple[Any, im.Pose, Any, im.Pose]]:
        """Return the arguments of `impinge.overlaps` and similar functions."""
        return [
            (self.catalogue.solids[a], im.Pose(*pose_a), self.catalogue.solids[b], im.Pose(*pose_b))
            for (a, b), (pose_a, pose_b) in zip(self.chosen.tolist(), self.poses.tolist(), strict=True)
        ]

    def gaps(self) -> Floats:
        """Return the distances of the solids by Shapely; zero or below where they overlap."""
        owners, cores_a, cores_b, radii = self._leaf_pairs()
        gaps = np.full(len(self), np.inf)
        np.minimum.at(gaps, owners, shapely.distance(cores_a, cores_b) - radii)
        return gaps

    def deepest(self) -> Floats:
        """Return a lower bound of the depth of leaves: both radii where cores overlap, or the root of an area."""
        owners, cores_a, cores_b, radii = self._leaf_pairs()
        gaps = shapely.distance(cores_a, cores_b)
        sharp = np.flatnonzero((gaps == 0.0) & (radii == 0.0))
        depths = radii - gaps
        depths[sharp] = np.sqrt(shapely.area(shapely.intersection(cores_a[sharp], cores_b[sharp])))
        deepest = np.full(len(self), -np.inf)
        np.maximum.at(deepest, owners, depths)
        return deepest

    def point_gaps(self, side: int, points: Floats) -> Floats:
        """Return the distance of one point per pair from the solid on one side; zero or below inside."""
        owners, leaves = _spread(self.catalogue, self.chosen[:, side])
        cores = _placed(self.catalogue.cores[leaves], self.poses[owners, side, 2], self._places(side)[owners])
        gaps = np.full(len(self), np.inf)
        np.minimum.at(
            gaps, owners, shapely.distance(cores, shapely.points(points)[owners]) - self.catalogue.radii[leaves]
        )
        return gaps

    def _places(self, side: int) -> Floats:
        return self.offsets * side

    def _leaf_pairs(self) -> tuple[Ints, Any, Any, Floats]:
        """Return all pairs of leaves: index of their pair, both posed cores, and the sum of their radii."""
        catalogue, standing = self.catalogue, []
        for side in range(2):
            owners, leaves = _spread(catalogue, self.chosen[:, side])
            cores = _placed(catalogue.cores[leaves], self.poses[owners, side, 2], self._places(side)[owners])
            standing.append((cores, catalogue.radii[leaves]))
        counts = catalogue.counts[self.chosen]
        firsts = np.cumsum(counts, axis=0) - counts
        totals = counts.prod(axis=1)
        owners = np.repeat(np.arange(len(self)), totals)
        numbers = np.arange(len(owners)) - np.repeat(np.cumsum(totals) - totals, totals)
        of_a = firsts[owners, 0] + numbers // counts[owners, 1]
        of_b = firsts[owners, 1] + numbers % counts[owners, 1]
        (cores_a, radii_a), (cores_b, radii_b) = standing
        return owners, cores_a[of_a], cores_b[of_b], radii_a[of_a] + radii_b[of_b]


def _spread(catalogue: Catalogue, chosen: Ints) -> tuple[Ints, Ints]:
    """Return all leaves of some solids, one after the other: index of the solid, and index in the catalogue."""
    counts = catalogue.counts[chosen]
    owners = np.repeat(np.arange(len(chosen)), counts)
    return owners, catalogue.firsts[chosen][owners] + np.arange(len(owners)) - (np.cumsum(counts) - counts)[owners]


def _placed(cores: Any, angles: Floats, places: Floats) -> Any:
    points, owners = shapely.get_coordinates(cores, return_index=True)
    cos, sin = np.cos(angles)[owners], np.sin(angles)[owners]
    x, y = points.T
    turned = np.column_stack([cos * x - sin * y, sin * x + cos * y]) + places[owners]
    return shapely.set_coordinates(cores.copy(), turned)


# Outlines that are not star-shaped: a comb, a spiral, a hook, a lying hourglass.
COMB = [(0, 0), (10, 0), (10, 8), (8, 8), (8, 2), (6, 2), (6, 8), (4, 8), (4, 2), (2, 2), (2, 8), (0, 8)]
SPIRAL = [(0, 0), (9, 0), (9, 9), (2, 9), (2, 4), (6, 4), (6, 6), (4, 6), (4, 7), (7, 7), (7, 2), (0, 2)]
HOOK = [(0, 0), (5, 0), (6, 1), (6, 5), (5, 5), (5, 2), (4, 1), (0, 1)]
HOURGLASS = [(0, 0), (5, 3), (10, 0), (10, 7), (5, 4), (0, 7)]

KINDS = (
    "box",
    "circle",
    "capsule",
    "segment",
    "convex polygon",
    "concave polygon",
    "rounded convex polygon",
    "rounded concave polygon",
    "compound",
)


def random_solid(rng: np.random.Generator, kind: str, size: float) -> Any:
    """Make a solid of a kind, about `size` across."""
    if kind == "box":
        return im.Box(*(size * rng.uniform(0.2, 2, 2)))
    if kind == "circle":
        return im.Circle(size * rng.uniform(0.2, 1))
    if kind in ("capsule", "segment"):
        a, b = size * rng.uniform(-1, 1, (2, 2))
        return im.Capsule(tuple(a), tuple(b), 0.0 if kind == "segment" else size * rng.uniform(0.05, 0.6))
    if kind == "compound":
        simple = [name for name in KINDS if name != "compound"]
        return im.Compound(
            [
                (random_solid(rng, rng.choice(simple), 0.6 * size), im.Pose(*(size * rng.uniform(-1, 1, 2)), angle))
                for angle in rng.choice([0.0, 0.4, -2.0], rng.integers(1, 5))
            ]
        )
    outline = convex_outline(rng) if "convex" in kind else concave_outline(rng)
    radius = size * rng.uniform(0.05, 0.4) if "rounded" in kind else 0.0
    return im.Polygon(size * outline, radius)


def convex_outline(rng: np.random.Generator) -> Floats:
    """Return corners on an ellipse, whose centre need not be the origin."""
    count = rng.integers(3, 10)
    angles = (np.arange(count) + rng.uniform(0, 0.8, count)) * (2 * np.pi / count)
    return np.column_stack([np.cos(angles), np.sin(angles)]) * rng.uniform(0.3, 1, 2) + rng.uniform(-0.5, 0.5, 2)


def concave_outline(rng: np.random.Generator) -> Floats:
    """Return a star of corners, or one of the named outlines, rotated."""
    if rng.random() < 0.5:
        named: list[list[tuple[int, int]]] = [COMB, SPIRAL, HOOK, HOURGLASS]
        turn = rng.uniform(0, 2 * np.pi)
        cos, sin = np.cos(turn), np.sin(turn)
        return (np.array(named[rng.integers(len(named))]) - 4.0) @ np.array([[cos, sin], [-sin, cos]]) / 5
    count = rng.integers(5, 15)
    angles = (np.arange(count) + rng.uniform(0, 0.8, count)) * (2 * np.pi / count)
    return np.column_stack([np.cos(angles), np.sin(angles)]) * rng.uniform(0.15, 1, count)[:, None]


def random_catalogue(rng: np.random.Generator, count: int, sizes: tuple[float, float]) -> Catalogue:
    """Make solids of all kinds in turn; their sizes are between two bounds, all magnitudes equally likely."""
    low, high = np.log(sizes[0]), np.log(sizes[1])
    return Catalogue(
        [random_solid(rng, KINDS[index % len(KINDS)], np.exp(rng.uniform(low, high))) for index in range(count)]
    )


def random_pairs(
    rng: np.random.Generator, catalogue: Catalogue, count: int, place: float, *, angles: Sequence[float] = ()
) -> Pairs:
    """Draw pairs near enough to meet every second time, somewhere up to `place` away; at any angle if none is given."""
    chosen = rng.integers(0, len(catalogue.solids), (count, 2))
    poses = np.empty((count, 2, 3))
    poses[:, :, 2] = rng.choice(angles, (count, 2)) if angles else rng.uniform(-np.pi, np.pi, (count, 2))
    poses[:, 0, :2] = rng.uniform(-place, place, (count, 2))
    direction = rng.uniform(-np.pi, np.pi, count)
    length = rng.uniform(0, 1.2, count) * catalogue.reaches[chosen].sum(axis=1)
    poses[:, 1, :2] = poses[:, 0, :2] + np.column_stack([np.cos(direction), np.sin(direction)]) * length[:, None]
    return Pairs(catalogue, chosen, poses)


def forbidden_offsets(a: Any, b: Any, quad_segs: int = 64, shrunk: float = 0.0) -> shapely.Geometry:
    """Return all positions of b relative to a at which they overlap: the Minkowski differences of all triangles.

    The depth of an overlap is the distance of b's position from their complement. Where b only just fits, in a slot of
    its own width, triangles that are shrunk by a little share leave the position free. Enlarged triangles (shrunk by a
    negative share) cover it. Unchanged triangles leave seams between them that only come from rounding.
    """
    differences = []
    for core_a, radius_a in leaves(a):
        for core_b, radius_b in leaves(b):
            for one in _convex(core_a):
                for other in _convex(core_b):
                    corners = (one[:, None] - other[None]).reshape(-1, 2)
                    corners = corners.mean(axis=0) + (corners - corners.mean(axis=0)) * (1.0 - shrunk)
                    hull = shapely.convex_hull(shapely.multipoints(corners))
                    radius = (radius_a + radius_b) * (1.0 - shrunk)
                    differences.append(hull.buffer(radius, quad_segs) if radius else hull)
    return shapely.union_all([difference for difference in differences if difference.area > 0.0])


def _convex(core: shapely.Geometry) -> list[Floats]:
    if core.geom_type != "Polygon":
        return [shapely.get_coordinates(core)]
    return [shapely.get_coordinates(part)[:-1] for part in shapely.constrained_delaunay_triangles(core).geoms]
