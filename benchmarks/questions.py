"""Overlap, distance and contact of solids, against Shapely, Arcade, Pymunk and NumPy.

The others do less: only Pymunk has depths, normals and contact points. Assertions check that our answers agree with
Shapely's. Arcade's wrong answers are counted.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pymunk
import shapely
import shapely.affinity
from numpy.typing import NDArray
from timing import Contender, compare, machine

import impinge as im
from impinge import runtime

os.environ.setdefault("ARCADE_HEADLESS", "True")  # Arcade reads it at import
from arcade.geometry import are_polygons_intersecting

SEED = 1
# Pixels, like all lengths here. Shapely has no slop. The slop and all rounding are far below this.
AGREEMENT = 1e-7
SIZES = (8.0, 64.0)
# Sides of the squares with random solids: with DENSE, a third of all pairs overlaps; with SPARSE, most are far apart.
DENSE = 80.0
SPARSE = 640.0

Vectors = NDArray[np.float64]
Indices = NDArray[np.int64]
Answers = NDArray[np.bool_]
Geometries = NDArray[np.object_]
Corners = list[tuple[float, float]]
Shape = im.Box | im.Circle | im.Polygon
Place = tuple[float, float, float]
Row = tuple[Shape, im.Pose, Shape, im.Pose]


@dataclass(frozen=True, slots=True)
class Size:
    """Size of the benchmark: solids in all pairs, pairs measured, solids to find pairs of, single pairs, and turns."""

    solids: int
    measured: int
    found: tuple[int, ...]
    single: int
    turns: int
    turns_of_single: int


FULL = Size(solids=1_000, measured=50_000, found=(1_000, 10_000), single=200, turns=7, turns_of_single=25)
QUICK = Size(solids=30, measured=200, found=(30, 60), single=5, turns=3, turns_of_single=3)


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """Polygons at their poses, for all contenders: outlines in their own frames, and poses of shape (n, 3)."""

    outlines: list[Vectors]
    poses: Vectors

    def polygons(self) -> list[im.Polygon]:
        return [im.Polygon(outline) for outline in self.outlines]

    def placed(self) -> list[Vectors]:
        """Return the outlines in the frame of the game."""
        corners, owners = self._placed_corners()
        return np.split(corners, np.flatnonzero(np.diff(owners)) + 1)

    def geometries(self) -> Geometries:
        """Return Shapely's polygons at their poses, made from arrays: Shapely's fastest way."""
        corners, owners = self._placed_corners()
        return shapely.polygons(shapely.linearrings(corners, indices=owners))

    def prepared(self) -> Geometries:
        geometries = self.geometries()
        shapely.prepare(geometries)
        return geometries

    def concave(self) -> Answers:
        return np.array([not polygon.is_convex for polygon in self.polygons()])

    def _placed_corners(self) -> tuple[Vectors, Indices]:
        owners = np.repeat(np.arange(len(self.outlines)), [len(outline) for outline in self.outlines])
        x, y = np.concatenate(self.outlines).T
        at_x, at_y, angle = self.poses[owners].T
        cos, sin = np.cos(angle), np.sin(angle)
        return np.column_stack((at_x + cos * x - sin * y, at_y + sin * x + cos * y)), owners


def convex(random: np.random.Generator, corners: int) -> Vectors:
    """Return a convex polygon with corners on an ellipse."""
    # One corner in each sector. Otherwise some polygons are slivers that overlap nothing.
    angles = 2.0 * np.pi * (np.arange(corners) + random.uniform(0.0, 0.8, corners)) / corners
    return 0.5 * random.uniform(*SIZES, 2) * np.column_stack((np.cos(angles), np.sin(angles)))


def star(random: np.random.Generator, points: int) -> Vectors:
    """Return a star; one with 6 points is a concave polygon of 12 corners."""
    angles = np.pi * np.arange(2 * points) / points
    radii = 0.5 * random.uniform(*SIZES) * np.tile((1.0, random.uniform(0.3, 0.6)), points)
    return radii[:, None] * np.column_stack((np.cos(angles), np.sin(angles)))


def angle_piece(random: np.random.Generator) -> Vectors:
    """Return an L."""
    width, height = random.uniform(*SIZES, 2)
    x, y = random.uniform(0.2, 0.6, 2) * (width, height)
    outline = np.array([(0, 0), (width, 0), (width, y), (x, y), (x, height), (0, height)])
    return outline - 0.5 * np.array((width, height))


def arrow(random: np.random.Generator) -> Vectors:
    length, width = 0.5 * random.uniform(*SIZES, 2)
    shaft = random.uniform(0.2, 0.5) * width
    half = [(length, 0.0), (0.0, width), (0.0, shaft), (-length, shaft)]
    return np.array([*half, *((x, -y) for x, y in half[:0:-1])])[::-1]


def strewn(outlines: list[Vectors], room: float) -> Scene:
    """Return outlines at random places in a square, at random angles."""
    random = np.random.default_rng(SEED + 1)
    count = len(outlines)
    return Scene(outlines, np.column_stack((random.uniform(0.0, room, (count, 2)), random.uniform(-3.0, 3.0, count))))


def mixed(count: int) -> list[Vectors]:
    """Return outlines: half of them convex with 3 to 8 corners, the others stars, Ls and arrows."""
    random = np.random.default_rng(SEED)
    kinds: list[Callable[[], Vectors]] = [
        lambda: convex(random, int(random.integers(3, 9))),
        lambda: star(random, int(random.integers(4, 7))),
        lambda: convex(random, int(random.integers(3, 9))),
        lambda: angle_piece(random),
        lambda: convex(random, int(random.integers(3, 9))),
        lambda: arrow(random),
    ]
    return [kinds[i % len(kinds)]() for i in range(count)]


def quads(count: int) -> list[Vectors]:
    random = np.random.default_rng(SEED)
    return [convex(random, 4) for _ in range(count)]


def all_pairs(count: int) -> Indices:
    return np.column_stack(np.triu_indices(count, 1))


def with_overlapping_bounds(scene: Scene) -> Indices:
    """Return the pairs whose bounds overlap."""
    left, bottom, right, top = shapely.bounds(scene.geometries()).T
    one, other = all_pairs(len(scene.outlines)).T
    near = (left[one] <= right[other]) & (left[other] <= right[one])
    near &= (bottom[one] <= top[other]) & (bottom[other] <= top[one])
    return np.column_stack((one[near], other[near]))


def separating_axes(corners: Vectors, normals: Vectors, pairs: Indices) -> Answers:
    """Test pairs of convex polygons with equal numbers of corners for a separating axis, in NumPy.

    `corners` and `normals` have the shape (n, corners, 2), at their poses.
    """
    one, other = pairs.T
    axes = np.concatenate((normals[one], normals[other]), axis=1).transpose(0, 2, 1)
    own, others = corners[one] @ axes, corners[other] @ axes
    apart = (own.max(axis=1) < others.min(axis=1)) | (others.max(axis=1) < own.min(axis=1))
    return ~apart.any(axis=1)


def normals_of(corners: Vectors) -> Vectors:
    edges = np.roll(corners, -1, axis=1) - corners
    return np.stack((edges[..., 1], -edges[..., 0]), axis=-1)


def check_overlaps(ours: Answers, a: Geometries, b: Geometries) -> None:
    """Check that the answers agree with Shapely's, except for pairs with a gap below the slop."""
    theirs = shapely.intersects(a, b)
    missed, more = theirs & ~ours, ours & ~theirs
    assert not missed.any(), f"pairs {np.flatnonzero(missed)[:5]} overlap, as Shapely says"
    gap = shapely.distance(a[more], b[more]).max(initial=0.0)
    assert gap <= AGREEMENT, f"pairs overlap that Shapely says are {gap} apart"


def check_distances(ours: Vectors, a: Geometries, b: Geometries) -> None:
    """Check that the distances agree with Shapely's, which are 0 for overlapping pairs."""
    difference = np.abs(np.maximum(ours, 0.0) - shapely.distance(a, b)).max()
    assert difference <= AGREEMENT, f"distances differ by {difference}"


def share(part: float, whole: float) -> str:
    return f"{100 * part / whole:.0f} %"


def call_each(function: Callable[..., object], rows: Sequence[tuple[object, ...]]) -> list[object]:
    return [function(*row) for row in rows]


def arcade_contender(scene: Scene, pairs: Indices, count: int) -> Contender:
    """Return Arcade's test in plain Python on a sample of the pairs, and count its wrong answers."""
    sample = np.random.default_rng(SEED).permutation(pairs)[:count]
    placed = [list(map(tuple, outline.tolist())) for outline in scene.placed()]
    rows = [(placed[i], placed[j]) for i, j in sample.tolist()]
    geometries, concave = scene.geometries(), scene.concave()
    theirs = np.array(call_each(are_polygons_intersecting, rows))
    wrong = theirs != shapely.intersects(*geometries[sample.T])
    has_concave = concave[sample].any(axis=1)
    assert not wrong[~has_concave].any(), "Arcade's test of convex polygons differs from Shapely's"
    work = f"{len(rows):,} of the pairs"
    if has_concave.any():
        work += f", {share(wrong.sum(), has_concave.sum())} wrong of those with a concave one"
    return Contender(
        "arcade are_polygons_intersecting",
        partial(call_each, are_polygons_intersecting, rows),
        len(rows),
        work=lambda: work,
    )


def on_all_processors(
    question: Callable[..., object], solids: im.batch.Solids, scene: Scene, pairs: Indices
) -> Contender:
    """Return a batch as a contender, with a thread for each processor."""
    name = f"impinge.batch.{question.__name__}, {os.cpu_count()} processors"
    return Contender(name, partial(question, solids, scene.poses, pairs, threads=None), len(pairs))


def compare_overlaps(title: str, scene: Scene, pairs: Indices, size: Size, *others: Contender) -> None:
    solids = im.batch.Solids(scene.polygons())
    answers = im.batch.overlaps(solids, scene.poses, pairs)
    a, b = scene.geometries()[pairs.T]
    check_overlaps(answers, a, b)
    prepared_a, prepared_b = scene.prepared()[pairs.T]
    near = len(np.intersect1d(*(p @ (len(solids), 1) for p in (pairs, with_overlapping_bounds(scene)))))
    work = f"{share(near, len(pairs))} have bounds that overlap, {share(answers.sum(), len(pairs))} overlap"
    compare(
        f"Do they overlap? {len(pairs):,} {title}",
        "a pair",
        [
            Contender(
                "impinge.batch.overlaps",
                partial(im.batch.overlaps, solids, scene.poses, pairs),
                len(pairs),
                work=lambda: work,
            ),
            on_all_processors(im.batch.overlaps, solids, scene, pairs),
            Contender("shapely.intersects, placed", partial(shapely.intersects, a, b), len(pairs)),
            Contender("shapely.intersects, prepared", partial(shapely.intersects, prepared_a, prepared_b), len(pairs)),
            *others,
            arcade_contender(scene, pairs, 10 * size.single),
        ],
        size.turns,
    )


def compare_close_quads(size: Size) -> None:
    scene = strewn(quads(size.solids), room=DENSE)
    pairs = with_overlapping_bounds(scene)
    corners = np.array(scene.placed())
    normals = normals_of(corners)
    a, b = scene.geometries()[pairs.T]
    check_overlaps(separating_axes(corners, normals, pairs), a, b)
    sat = Contender("NumPy separating axes", partial(separating_axes, corners, normals, pairs), len(pairs))
    compare_overlaps("pairs of convex quads, all close", scene, pairs, size, sat)


def compare_distances(title: str, scene: Scene, pairs: Indices, size: Size) -> None:
    solids = im.batch.Solids(scene.polygons())
    distances = im.batch.distance(solids, scene.poses, pairs).distances
    a, b = scene.geometries()[pairs.T]
    check_distances(distances, a, b)
    contacts = im.batch.contact(solids, scene.poses, pairs)
    check_overlaps(contacts.touching, a, b)
    compare(
        f"How far, how deep, where? {len(pairs):,} {title}",
        "a pair",
        [
            Contender(
                "impinge.batch.distance",
                partial(im.batch.distance, solids, scene.poses, pairs),
                len(pairs),
                work=lambda: f"{share((distances < 0.0).sum(), len(pairs))} have a depth",
            ),
            on_all_processors(im.batch.distance, solids, scene, pairs),
            Contender(
                "impinge.batch.contact",
                partial(im.batch.contact, solids, scene.poses, pairs),
                len(pairs),
                work=lambda: f"{contacts.counts.sum() / max(contacts.touching.sum(), 1):.1f} points a contact",
            ),
            Contender(
                "shapely.distance, placed",
                partial(shapely.distance, a, b),
                len(pairs),
                work=lambda: "no depth, no normal, no points",
            ),
            Contender(
                "shapely.shortest_line, placed",
                partial(shapely.shortest_line, a, b),
                len(pairs),
                work=lambda: "points, but no depth and no normal",
            ),
        ],
        size.turns,
    )


def pairs_of_tree(geometries: Geometries) -> Indices:
    """Return all pairs that overlap by Shapely's tree, the lower index first."""
    one, other = shapely.STRtree(geometries).query(geometries, predicate="intersects")
    return np.column_stack((one, other))[one < other]


def compare_finding(count: int, size: Size) -> None:
    # Eight in a square as wide as the largest of them, so that each has a few neighbours.
    scene = strewn(mixed(count), room=SIZES[1] * math.sqrt(count / 8))
    solids, geometries = im.batch.Solids(scene.polygons()), scene.geometries()
    ours, theirs = im.batch.overlapping_pairs(solids, scene.poses), pairs_of_tree(geometries)
    assert np.array_equal(ours, theirs[np.lexsort(theirs.T[::-1])]), "the pairs found are not Shapely's"
    compare(
        f"Which overlap? {count:,} polygons",
        "a solid",
        [
            Contender(
                "impinge.batch.overlapping_pairs",
                partial(im.batch.overlapping_pairs, solids, scene.poses),
                count,
                work=lambda: f"{len(ours):,} pairs, {2 * len(ours) / count:.1f} for each solid",
            ),
            Contender("shapely.STRtree, placed", partial(pairs_of_tree, geometries), count),
            Contender("shapely.STRtree, placing included", lambda: pairs_of_tree(scene.geometries()), count),
        ],
        3 * size.turns,
    )


def compare_making(size: Size) -> None:
    scene = strewn(mixed(size.solids), room=SPARSE)
    polygons = scene.polygons()
    compare(
        f"Making {size.solids:,} polygons, not in the times of the other tables",
        "a polygon",
        [
            Contender(
                "impinge.batch.Solids",
                partial(im.batch.Solids, polygons),
                size.solids,
                work=lambda: "once, wherever they go; of polygons that have been made",
            ),
            Contender(
                "impinge.Polygon",
                scene.polygons,
                size.solids,
                work=lambda: (
                    "once: checked and split, "
                    f"{sum(len(polygon.pieces) for polygon in polygons) / len(polygons):.1f} pieces each"
                ),
            ),
            Contender(
                "shapely.polygons, placed", scene.geometries, size.solids, work=lambda: "whenever they have moved"
            ),
        ],
        3 * size.turns,
    )


@dataclass(frozen=True, slots=True)
class Kind:
    """Two shapes to query one pair a call, at distances of up to `reach` on each axis."""

    name: str
    a: Shape
    b: Shape
    reach: float
    is_turned: bool = True


def kinds() -> list[Kind]:
    random = np.random.default_rng(SEED)
    box, other_box = im.Box(32.0, 32.0), im.Box(48.0, 24.0)
    hexagon, octagon = im.Polygon(convex(random, 6)), im.Polygon(convex(random, 8))
    return [
        Kind("circle and circle", im.Circle(16.0), im.Circle(24.0), 40.0, is_turned=False),
        Kind("upright boxes", box, other_box, 40.0, is_turned=False),
        Kind("turned boxes", box, other_box, 40.0),
        Kind("convex, 6 and 8 corners", hexagon, octagon, 40.0),
        Kind("concave with 12 corners, and box", im.Polygon(star(random, 6)), box, 30.0),
    ]


def geometry_of(shape: Shape) -> shapely.Polygon:
    if isinstance(shape, im.Circle):
        return shapely.Point(0.0, 0.0).buffer(shape.radius)
    return shapely.Polygon(shape.pieces[0].points if isinstance(shape, im.Box) else shape.vertices)


def placed_geometry(geometry: shapely.Polygon, pose: im.Pose) -> shapely.Polygon:
    """Place a geometry by one call: the fastest way in Shapely for a single one."""
    cos, sin = math.cos(pose.angle), math.sin(pose.angle)
    return shapely.affinity.affine_transform(geometry, (cos, -sin, sin, cos, pose.x, pose.y))


def body_shape(shape: Shape, pose: im.Pose) -> pymunk.Shape:
    """Return Pymunk's shape, on a body of its own."""
    body = pymunk.Body(body_type=pymunk.Body.KINEMATIC)
    made = (
        pymunk.Circle(body, shape.radius) if isinstance(shape, im.Circle) else pymunk.Poly(body, shape.pieces[0].points)
    )
    place_body(made, pose)
    return made


def place_body(shape: pymunk.Shape, pose: im.Pose) -> None:
    shape.body.position = pose.x, pose.y
    shape.body.angle = pose.angle
    shape.cache_bb()  # without it the shape stays at its old position


def rows_of(kind: Kind, count: int) -> list[Row]:
    """Return the two shapes at new random poses in each row."""
    random = np.random.default_rng(SEED)
    angles = random.uniform(-3.0, 3.0, (count, 2)) if kind.is_turned else np.zeros((count, 2))
    places = random.uniform(0.0, 640.0, (count, 2))
    offsets = random.uniform(-kind.reach, kind.reach, (count, 2))
    return [
        (kind.a, im.Pose(x, y, turn_a), kind.b, im.Pose(x + dx, y + dy, turn_b))
        for (x, y), (dx, dy), (turn_a, turn_b) in zip(places.tolist(), offsets.tolist(), angles.tolist(), strict=True)
    ]


def overlaps_at(a: Shape, place_a: Place, b: Shape, place_b: Place) -> bool:
    """Query with plain numbers, as a game holds them."""
    return im.overlaps(a, im.Pose(*place_a), b, im.Pose(*place_b))


def place_and_intersect(a: shapely.Polygon, pose_a: im.Pose, b: shapely.Polygon, pose_b: im.Pose) -> bool:
    return bool(placed_geometry(a, pose_a).intersects(placed_geometry(b, pose_b)))


def place_and_collide(a: pymunk.Shape, pose_a: im.Pose, b: pymunk.Shape, pose_b: im.Pose) -> pymunk.ContactPointSet:
    place_body(a, pose_a)
    place_body(b, pose_b)
    return a.shapes_collide(b)


def ours_of(rows: list[Row]) -> list[Contender]:
    count = len(rows)
    places = [
        (a, (pose_a.x, pose_a.y, pose_a.angle), b, (pose_b.x, pose_b.y, pose_b.angle)) for a, pose_a, b, pose_b in rows
    ]
    overlapping = sum(im.overlaps(*row) for row in rows)
    return [
        Contender(
            "impinge.overlaps",
            partial(call_each, im.overlaps, rows),
            count,
            work=lambda: f"{share(overlapping, count)} overlap",
        ),
        Contender("impinge.overlaps, Poses made first", partial(call_each, overlaps_at, places), count),
        Contender("impinge.distance", partial(call_each, im.distance, rows), count),
        Contender("impinge.contact", partial(call_each, im.contact, rows), count),
    ]


def shapely_of(kind: Kind, rows: list[Row]) -> list[Contender]:
    """Return Shapely's methods as contenders. A circle is a polygon of 64 corners there."""
    a, b = geometry_of(kind.a), geometry_of(kind.b)
    placed = [(placed_geometry(a, pose_a), placed_geometry(b, pose_b)) for _, pose_a, _, pose_b in rows]
    unplaced = [(a, pose_a, b, pose_b) for _, pose_a, _, pose_b in rows]
    if isinstance(kind.a, im.Box | im.Polygon):
        columns = [np.array(column) for column in zip(*placed, strict=True)]
        check_overlaps(np.array([im.overlaps(*row) for row in rows]), *columns)
        check_distances(np.array([im.distance(*row).distance for row in rows]), *columns)
        check_overlaps(np.array([im.contact(*row) is not None for row in rows]), *columns)
    return [
        Contender("Shapely a.intersects(b), placed", partial(call_each, shapely.Polygon.intersects, placed), len(rows)),
        Contender(
            "Shapely a.intersects(b), placed first", partial(call_each, place_and_intersect, unplaced), len(rows)
        ),
        Contender("Shapely a.distance(b), placed", partial(call_each, shapely.Polygon.distance, placed), len(rows)),
    ]


def arcade_of(kind: Kind, rows: list[Row]) -> list[Contender]:
    """Return Arcade's test as a contender, except for circles, which Arcade does not have."""
    if isinstance(kind.a, im.Circle):
        return []
    a, b = geometry_of(kind.a), geometry_of(kind.b)
    placed = [(corners_of(a, pose_a), corners_of(b, pose_b)) for _, pose_a, _, pose_b in rows]
    answers = call_each(are_polygons_intersecting, placed)
    wrong = sum(answer != im.overlaps(*row) for answer, row in zip(answers, rows, strict=True))
    name = "arcade are_polygons_intersecting, placed"
    return [
        Contender(name, partial(call_each, are_polygons_intersecting, placed), len(rows), work=lambda: f"{wrong} wrong")
    ]


def corners_of(geometry: shapely.Polygon, pose: im.Pose) -> Corners:
    return list(placed_geometry(geometry, pose).exterior.coords)[:-1]


def pymunk_of(kind: Kind, rows: list[Row]) -> list[Contender]:
    """Return Pymunk's contact as a contender, except for concave polygons, which Pymunk does not have."""
    if len(kind.a.pieces) > 1:
        return []
    placed = [(body_shape(a, pose_a), body_shape(b, pose_b)) for a, pose_a, b, pose_b in rows]
    a, b = (body_shape(shape, im.Pose(0.0, 0.0)) for shape in (kind.a, kind.b))
    unplaced = [(a, pose_a, b, pose_b) for _, pose_a, _, pose_b in rows]
    touching = sum(bool(one.shapes_collide(other).points) for one, other in placed)
    return [
        Contender(
            "pymunk shapes_collide, placed",
            partial(call_each, pymunk.Shape.shapes_collide, placed),
            len(rows),
            work=lambda: f"{share(touching, len(rows))} in contact",
        ),
        Contender("pymunk shapes_collide, placed first", partial(call_each, place_and_collide, unplaced), len(rows)),
    ]


def compare_single(kind: Kind, size: Size) -> None:
    rows = rows_of(kind, size.single)
    contenders = [*ours_of(rows), *shapely_of(kind, rows), *arcade_of(kind, rows), *pymunk_of(kind, rows)]
    compare(f"One pair a call: {kind.name}", "a call", contenders, size.turns_of_single)


def main(size: Size) -> None:
    runtime.prepare()
    print(machine("shapely", "arcade", "pymunk"))
    dense, sparse = (strewn(mixed(size.solids), room) for room in (DENSE, SPARSE))
    pairs = all_pairs(size.solids)
    compare_overlaps("pairs of polygons, dense", dense, pairs, size)
    compare_overlaps("pairs of polygons, sparse", sparse, pairs, size)
    compare_close_quads(size)
    sample = np.random.default_rng(SEED).permutation(pairs)[: size.measured]
    compare_distances("pairs of polygons, dense", dense, sample, size)
    compare_distances("pairs of polygons, sparse", sparse, sample, size)
    for count in size.found:
        compare_finding(count, size)
    compare_making(size)
    for kind in kinds():
        compare_single(kind, size)


if __name__ == "__main__":
    main(QUICK if "--quick" in sys.argv[1:] else FULL)
