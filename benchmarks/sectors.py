"""Hits of a sector, and what walls hide of it, against NumPy, Shapely, the published test, and code as in games.

Assertions check that NumPy and the corrected published regions give the same answers. Wrong answers of tests by
centres, and of the published list of steps, are counted. Rays are compared by the area that they light.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import shapely
import shapely.affinity
from numpy.typing import NDArray
from timing import Contender, compare, machine

import impinge as im
from impinge import runtime
from impinge.reference import sectors as published

SEED = 1
# The game's units, like all lengths here.
FIELD = 4000.0
CENTRE = im.Pose(0.5 * FIELD, 0.5 * FIELD)
SECTOR = im.Sector(200.0, math.radians(60.0))
RADII = (5.0, 15.0)
SIDES = (10.0, 30.0)
# Radius of the disk around the apex that has the shapes of a melee, and of single queries.
AROUND = 1.5 * SECTOR.radius
ARC_POINTS = 64
# Largest distance from the arc to a polygon of so many points.
SAGITTA = SECTOR.radius * (1.0 - math.cos(SECTOR.half_angle / (ARC_POINTS - 1)))
# Shapely has no slop. The slop and all rounding are far below this.
AGREEMENT = 1e-6
# Radians by which tutorials cast rays past both sides of a corner.
PAST = 1e-5
# Largest distance from a chord of an outline to its arc, in radii: the default of `visible_outline`.
CHORD = 1e-3
# Largest relative difference of two lit areas: chords cut off up to two thirds of their height, in both outlines.
LIGHT = 2.0 * CHORD
INSTANTS = 20  # of a motion, for tests at instants
CHUNK = 1 << 16  # pairs of a ray and an edge per NumPy call: their data stays in the processor's caches
WALLS, OTHERS = 1, 2  # layers

Vectors = NDArray[np.float64]
Indices = NDArray[np.int64]
Answers = NDArray[np.bool_]
Shape = im.Box | im.Circle | im.Polygon
Wall = tuple[im.Box, im.Pose]
Edge = tuple[float, float, float, float]
Target = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Size:
    """Size of the benchmark.

    Attributes
    ----------
    disks, attacks
        Disks, and sectors that query them in a turn.
    sample
        Disks for the published test, which is slow.
    single
        Shapes or motions queried one by one.
    boxes
        Boxes in a world.
    walls, walls_in_python
        Wall boxes, and up to how many of them plain Python casts its rays.
    turns
        Turns of each contender.
    """

    disks: tuple[tuple[int, int], ...]
    sample: int
    single: int
    boxes: int
    walls: tuple[int, ...]
    walls_in_python: int
    turns: int


FULL = Size(
    disks=((200, 20), (100_000, 3)),
    sample=2_000,
    single=300,
    boxes=10_000,
    walls=(10, 100, 1_000),
    walls_in_python=100,
    turns=11,
)
QUICK = Size(
    disks=((40, 3), (300, 2)), sample=100, single=20, boxes=200, walls=(3, 10, 30), walls_in_python=10, turns=3
)


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """Disks, and the poses of sectors, for all contenders."""

    centers: Vectors
    radii: Vectors
    poses: list[im.Pose]
    x: Vectors = field(init=False)
    y: Vectors = field(init=False)
    targets: list[Target] = field(init=False)

    def __post_init__(self) -> None:
        x, y = np.ascontiguousarray(self.centers.T)
        object.__setattr__(self, "x", x)
        object.__setattr__(self, "y", y)
        object.__setattr__(self, "targets", list(zip(x.tolist(), y.tolist(), self.radii.tolist(), strict=True)))

    def count(self) -> int:
        return len(self.radii) * len(self.poses)

    def hits(self) -> list[im.batch.SectorHits]:
        return [im.batch.sector_hits(SECTOR, pose, self.centers, self.radii) for pose in self.poses]

    def hits_in_numpy(self) -> list[tuple[Indices, Vectors, Vectors]]:
        return [reached_in_numpy(SECTOR, pose, self.x, self.y, self.radii) for pose in self.poses]

    def by_loop(self, function: Callable[..., list[int]]) -> list[list[int]]:
        return [
            function(pose.x, pose.y, pose.angle, SECTOR.radius, SECTOR.half_angle, self.targets) for pose in self.poses
        ]


def crowd(count: int, attacks: int) -> Scene:
    """Return disks and sectors at random places all over the field: sectors reach few of them."""
    random = np.random.default_rng(SEED)
    centers, radii = random.uniform(0.0, FIELD, (count, 2)), random.uniform(*RADII, count)
    return Scene(centers, radii, poses_at(random.uniform(0.0, FIELD, (attacks, 2)), random))


def melee(count: int, attacks: int) -> Scene:
    """Return disks around one place, where sectors face in random directions: sectors reach many of them."""
    random = np.random.default_rng(SEED)
    centers, radii = around_centre(random, count), random.uniform(*RADII, count)
    return Scene(centers, radii, poses_at(np.full((attacks, 2), CENTRE.x), random))


def around_centre(random: np.random.Generator, count: int) -> Vectors:
    angles, lengths = random.uniform(-np.pi, np.pi, count), AROUND * np.sqrt(random.uniform(0.0, 1.0, count))
    return CENTRE.x + lengths[:, None] * np.column_stack((np.cos(angles), np.sin(angles)))


def poses_at(places: Vectors, random: np.random.Generator) -> list[im.Pose]:
    angles = random.uniform(-np.pi, np.pi, len(places)).tolist()
    return [im.Pose(x, y, angle) for (x, y), angle in zip(places.tolist(), angles, strict=True)]


def reached_in_numpy(
    sector: im.Sector, pose: im.Pose, x: Vectors, y: Vectors, radii: Vectors
) -> tuple[Indices, Vectors, Vectors]:
    """Return the disks that a sector without inner radius reaches: indices, distances and bearings, the nearest first.

    The centre's region decides: in front, or beside the nearer edge. One coordinate rejects most disks.
    """
    near = np.flatnonzero(abs(x - pose.x) <= sector.radius + radii.max())
    dx, dy, radii = x[near] - pose.x, y[near] - pose.y, radii[near]
    outer = sector.radius + radii
    rows = np.flatnonzero(dx * dx + dy * dy <= outer * outer)
    near, dx, dy, radii = near[rows], dx[rows], dy[rows], radii[rows]
    cos, sin = math.cos(pose.angle), math.sin(pose.angle)
    cos_half, sin_half = math.cos(sector.half_angle), math.sin(sector.half_angle)
    ahead, left = cos * dx + sin * dy, cos * dy - sin * dx
    beyond = abs(left) * cos_half - ahead * sin_half
    rows = np.flatnonzero(beyond <= radii)
    near, ahead, left, beyond, radii = near[rows], ahead[rows], left[rows], beyond[rows], radii[rows]
    distances = np.maximum(np.sqrt(ahead * ahead + left * left) - radii, 0.0)
    bearings = np.arctan2(left, ahead)
    beside = np.flatnonzero((beyond > 0.0) & (distances > 0.0))
    along = ahead[beside] * cos_half + abs(left[beside]) * sin_half
    enters = along - np.sqrt((radii[beside] - beyond[beside]) * (radii[beside] + beyond[beside]))
    distances[beside] = np.where(along > 0.0, enters, np.inf)
    bearings[beside] = np.copysign(sector.half_angle, left[beside])
    bearings[distances == 0.0] = 0.0
    # NumPy's quickest sort is five times as fast as its stable one. Only disks at the apex have equal distances.
    order = distances.argsort()[: np.count_nonzero(distances <= sector.radius)]
    order[: np.count_nonzero(distances == 0.0)].sort()
    return near[order], distances[order], bearings[order]


def targets_by_centre(
    x: float, y: float, facing: float, radius: float, half_angle: float, targets: Sequence[Target]
) -> list[int]:
    """Find targets as most games do, by distance and angle of their centres."""
    found = []
    for index, (target_x, target_y, _) in enumerate(targets):
        dx, dy = target_x - x, target_y - y
        if math.hypot(dx, dy) <= radius:
            angle = (math.atan2(dy, dx) - facing + math.pi) % math.tau - math.pi
            if abs(angle) <= half_angle:
                found.append(index)
    return found


def targets_by_widened_angle(
    x: float, y: float, facing: float, radius: float, half_angle: float, targets: Sequence[Target]
) -> list[int]:
    """Find targets as careful games do: by distance and angle, both widened by the radius of the disk."""
    found = []
    for index, (target_x, target_y, target_radius) in enumerate(targets):
        dx, dy = target_x - x, target_y - y
        distance = math.hypot(dx, dy)
        if distance <= target_radius:
            found.append(index)
        elif distance <= radius + target_radius:
            angle = (math.atan2(dy, dx) - facing + math.pi) % math.tau - math.pi
            if abs(angle) <= half_angle + math.asin(target_radius / distance):
                found.append(index)
    return found


def check_hits(ours: im.batch.SectorHits, theirs: tuple[Indices, Vectors, Vectors]) -> None:
    """Check that the answers are equal, except for the order of equal distances up to rounding."""
    indices, distances, bearings = theirs
    assert np.array_equal(np.sort(ours.indices), np.sort(indices)), "the targets found are not NumPy's"
    assert np.allclose(ours.distances, distances, rtol=0.0, atol=AGREEMENT), "distances differ from NumPy's"
    own, other = ours.indices.argsort(), indices.argsort()
    assert np.allclose(ours.bearings[own], bearings[other], rtol=0.0, atol=AGREEMENT), "bearings differ from NumPy's"


def answers_of(found: Sequence[Sequence[int] | Indices], count: int) -> Answers:
    answers = np.zeros((len(found), count), np.bool_)
    for row, indices in zip(answers, found, strict=True):
        row[np.asarray(indices, np.int64)] = True
    return answers


def mistakes(theirs: Answers, ours: Answers) -> str:
    return f"{np.count_nonzero(ours & ~theirs):,} of {ours.sum():,} missed, {np.count_nonzero(theirs & ~ours):,} false"


def call_each(function: Callable[..., object], rows: Sequence[tuple[object, ...]]) -> list[object]:
    return [function(*row) for row in rows]


def published_contenders(scene: Scene, ours: Answers, count: int) -> list[Contender]:
    """Return the published test as contenders for some of the disks: its list of steps, and its corrected regions."""
    sample = np.random.default_rng(SEED).permutation(len(scene.radii))[:count].tolist()
    disks = [published.Disk((x, y), radius) for x, y, radius in (scene.targets[i] for i in sample)]
    rows = [
        (published.CircleSector(SECTOR.radius, SECTOR.half_angle, pose.angle, (pose.x, pose.y)), disk)
        for pose in scene.poses
        for disk in disks
    ]
    wanted = ours[:, sample].ravel()
    listed = np.array(call_each(published.collides_as_listed, rows))
    corrected = np.array(call_each(published.collides, rows))
    assert np.array_equal(corrected, wanted), "the answers are not those by the published regions, put right"
    of_them = "" if len(disks) == len(scene.radii) else f"{len(disks):,} of the disks, "
    return [
        Contender(
            "published list of steps in Python",
            partial(call_each, published.collides_as_listed, rows),
            len(rows),
            work=lambda: f"{of_them}{mistakes(listed, wanted)}",
        ),
        Contender(
            "published regions, put right, in Python",
            partial(call_each, published.collides, rows),
            len(rows),
            work=lambda: f"{of_them}{mistakes(corrected, wanted)}",
        ),
    ]


def compare_disks(name: str, scene: Scene, size: Size) -> None:
    count = len(scene.radii)
    hits = scene.hits()
    for own, other in zip(hits, scene.hits_in_numpy(), strict=True):
        check_hits(own, other)
    ours = answers_of([hit.indices for hit in hits], count)
    loops = [
        ("atan2 to each centre, in a loop", targets_by_centre),
        ("the same, widened by the radii", targets_by_widened_angle),
    ]
    compare(
        f"Which are reached? {count:,} disks, {name}; {len(scene.poses)} sectors a turn",
        "a disk",
        [
            Contender(
                "impinge.batch.sector_hits",
                scene.hits,
                scene.count(),
                work=lambda: f"{ours.sum() / len(scene.poses):,.1f} reached by a sector",
            ),
            Contender(
                "NumPy by regions, columns made before", scene.hits_in_numpy, scene.count(), work=lambda: "the same"
            ),
            *(
                Contender(
                    title,
                    partial(scene.by_loop, loop),
                    scene.count(),
                    work=partial(mistakes, answers_of(scene.by_loop(loop), count), ours),
                )
                for title, loop in loops
            ),
            *published_contenders(scene, ours, size.sample),
        ],
        size.turns,
    )


def compare_cheap(size: Size) -> None:
    """Time the published tests, as they are and with values that a game may store."""
    scene = melee(size.sample, 3)
    disks = [published.Disk((x, y), radius) for x, y, radius in scene.targets]
    wedges = [
        published.CircleSector(SECTOR.radius, SECTOR.half_angle, pose.angle, (pose.x, pose.y)) for pose in scene.poses
    ]
    rows = [(wedge, disk) for wedge in wedges for disk in disks]
    kept = [(published.StoredSector.of(wedge), wedge.apex) for wedge in wedges]
    stored = [(*own, disk) for own in kept for disk in disks]
    alone = [(SECTOR, pose, im.Circle(disk.radius), im.Pose(*disk.center)) for pose in scene.poses for disk in disks]
    exact = np.array(call_each(published.collides, rows))
    tests: list[tuple[str, Callable[..., object], Sequence[tuple[object, ...]]]] = [
        ("regions, put right", published.collides, rows),
        ("the same by squares, stored", published.collides_by_squares, stored),
        ("simplified, by angles", published.simplified_by_angles, rows),
        ("simplified, by squares, stored", published.simplified_by_squares, stored),
        ("list of steps", published.collides_as_listed, rows),
        ("list of steps, stored", published.collides_as_stored, stored),
        ("impinge.sector_hit", im.sector_hit, alone),
    ]
    answers = [np.array([bool(found) for found in call_each(test, asked)]) for _, test, asked in tests]
    assert np.array_equal(answers[1], exact), "squares do not tell what the regions tell"
    assert np.array_equal(answers[-1], exact), "sector_hit does not tell what the regions tell"
    compare(
        f"What does a cheap test save? {len(disks):,} disks, a melee, one a call in Python",
        "a call",
        [
            Contender(name, partial(call_each, test, asked), len(asked), work=partial(mistakes, own, exact))
            for (name, test, asked), own in zip(tests, answers, strict=True)
        ],
        size.turns,
    )


def star() -> im.Polygon:
    """Return a concave polygon of 12 corners."""
    angles = np.pi * np.arange(12) / 6
    radii = RADII[1] * np.tile((1.0, 0.5), 6)
    return im.Polygon(radii[:, None] * np.column_stack((np.cos(angles), np.sin(angles))))


def outline_of(sector: im.Sector) -> Vectors:
    """Return the apex and points of the arc, for contenders without sectors."""
    angles = np.linspace(-sector.half_angle, sector.half_angle, ARC_POINTS)
    return np.concatenate((np.zeros((1, 2)), sector.radius * np.column_stack((np.cos(angles), np.sin(angles)))))


def geometry_of(shape: Shape) -> shapely.Polygon:
    if isinstance(shape, im.Circle):
        return shapely.Point(0.0, 0.0).buffer(shape.radius)
    return shapely.Polygon(shape.pieces[0].points if isinstance(shape, im.Box) else shape.vertices)


def placed_geometry(geometry: shapely.Polygon, pose: im.Pose) -> shapely.Polygon:
    """Place a geometry by one call: the fastest way in Shapely for a single one."""
    cos, sin = math.cos(pose.angle), math.sin(pose.angle)
    return shapely.affinity.affine_transform(geometry, (cos, -sin, sin, cos, pose.x, pose.y))


def prepared_sector(pose: im.Pose) -> shapely.Polygon:
    geometry = placed_geometry(shapely.Polygon(outline_of(SECTOR)), pose)
    shapely.prepare(geometry)
    return geometry


def compare_single(name: str, shape: Shape, size: Size) -> None:
    random = np.random.default_rng(SEED)
    poses = poses_at(around_centre(random, size.single), random)
    sector, geometry = prepared_sector(CENTRE), geometry_of(shape)
    placed = [placed_geometry(geometry, pose) for pose in poses]
    rows = [(SECTOR, CENTRE, shape, pose) for pose in poses]
    ours = np.array([im.sector_hit(*row) is not None for row in rows])
    theirs = shapely.intersects(sector, placed)
    check_reached(ours, theirs, shapely.distance(sector, placed), shape)

    def place_and_intersect(pose: im.Pose) -> bool:
        return bool(sector.intersects(placed_geometry(geometry, pose)))

    contenders = [
        Contender(
            "impinge.sector_hit", partial(call_each, im.sector_hit, rows), len(rows), work=lambda: f"{ours.sum()} hit"
        ),
        Contender(
            "Shapely sector.intersects(shape), prepared, placed",
            partial(call_each, sector.intersects, [(one,) for one in placed]),
            len(rows),
            work=lambda: f"{theirs.sum()} hit; no distance, no bearing",
        ),
        Contender(
            "Shapely sector.intersects(shape), prepared, shape placed first",
            partial(call_each, place_and_intersect, [(pose,) for pose in poses]),
            len(rows),
        ),
    ]
    if isinstance(shape, im.Circle):
        centres = [(shapely.Point(pose.x, pose.y), shape.radius) for pose in poses]
        contenders.append(
            Contender(
                "Shapely sector.dwithin(centre, radius), prepared, placed",
                partial(call_each, sector.dwithin, centres),
                len(rows),
                work=lambda: f"{sum(call_each(sector.dwithin, centres))} hit",
            )
        )
    compare(f"One shape a call: {name}", "a call", contenders, 2 * size.turns + 1)


def check_reached(ours: Answers, theirs: Answers, distances: Vectors, shape: Shape) -> None:
    """Check that answers differ only in the gap between Shapely's polygons and the true arcs around them."""
    spare = SAGITTA + AGREEMENT
    if isinstance(shape, im.Circle):
        spare += shape.radius * (1.0 - math.cos(math.pi / ARC_POINTS))
    assert not (theirs & ~ours).any(), f"{np.flatnonzero(theirs & ~ours)[:5]} are reached, as Shapely says"
    gap = distances[ours & ~theirs].max(initial=0.0)
    assert gap <= spare, f"something is reached that Shapely says is {gap} away"


def found_by_tree(tree: shapely.STRtree, pose: im.Pose) -> Indices:
    return tree.query(prepared_sector(pose), predicate="intersects")


def compare_world(size: Size) -> None:
    random = np.random.default_rng(SEED)
    room = FIELD * math.sqrt(size.boxes / FULL.boxes)
    places = random.uniform(0.0, room, (size.boxes, 2))
    sides = random.uniform(*SIDES, (size.boxes, 2))
    boxes = [im.Box(*box) for box in sides.tolist()]
    world = im.World()
    for index, (box, (x, y)) in enumerate(zip(boxes, places.tolist(), strict=True)):
        world.add(box, im.Pose(x, y), layer=OTHERS if index % 10 else WALLS, data=index)
    poses = poses_at(random.uniform(0.0, room, (20, 2)), random)
    corners = np.concatenate((places - 0.5 * sides, places + 0.5 * sides), axis=1)
    tree = shapely.STRtree(shapely.box(*corners.T))

    def ask(occluders: int) -> list[list[tuple[im.Body, im.SectorHit]]]:
        return [world.sector(SECTOR, pose, occluders=occluders) for pose in poses]

    def ask_each_box() -> None:
        for body in world:
            im.sector_hit(SECTOR, poses[0], body.shape, body.pose)

    in_sight = sum(map(len, ask(WALLS))) / len(poses)
    ours = answers_of([[body.data for body, _ in found] for found in ask(0)], size.boxes)
    theirs = answers_of([found_by_tree(tree, pose) for pose in poses], size.boxes)
    for own, other, pose in zip(ours, theirs, poses, strict=True):
        check_reached(own, other, shapely.distance(prepared_sector(pose), tree.geometries), boxes[0])
    compare(
        f"Who is reached? A world of {size.boxes:,} boxes",
        "a sector",
        [
            Contender(
                "impinge.World.sector",
                partial(ask, 0),
                len(poses),
                work=lambda: f"{ours.sum() / len(poses):.1f} bodies reached",
            ),
            Contender(
                "the same, seen past the walls among them",
                partial(ask, WALLS),
                len(poses),
                work=lambda: f"{in_sight:.1f} bodies reached",
            ),
            Contender(
                "shapely.STRtree made before, sector prepared in the turn",
                lambda: [found_by_tree(tree, pose) for pose in poses],
                len(poses),
                work=lambda: f"{theirs.sum() / len(poses):.1f} boxes; no distance, no order",
            ),
            Contender("impinge.sector_hit for each body", ask_each_box, 1),
        ],
        size.turns,
    )


def strewn_walls(count: int) -> list[Wall]:
    """Return boxes at random angles in cells of a square around the apex, which is free. They do not overlap."""
    random = np.random.default_rng(SEED)
    cells = 2 * math.ceil(0.5 * math.sqrt(count + 4))
    width = 2.0 * SECTOR.radius / cells
    columns = np.stack(np.meshgrid(np.arange(cells), np.arange(cells)), axis=-1).reshape(-1, 2) - 0.5 * (cells - 1)
    free = columns[(abs(columns) > 1.0).any(axis=1)]
    sides = width * random.uniform(0.2, 0.6, (count, 2))
    places = CENTRE.x + width * (random.permutation(free)[:count] + random.uniform(-0.05, 0.05, (count, 2)))
    return [(im.Box(*box), pose) for box, pose in zip(sides.tolist(), poses_at(places, random), strict=True)]


def edges_of(walls: Sequence[Wall]) -> Vectors:
    """Return the edges of walls as rows of two ends, relative to the apex."""
    rings = np.array([shapely.get_coordinates(placed_geometry(geometry_of(box), pose)) for box, pose in walls])
    rings -= (CENTRE.x, CENTRE.y)
    return np.concatenate((rings[:, :-1], rings[:, 1:]), axis=2).reshape(-1, 4)


def rays_of(edges: Vectors) -> Vectors:
    """Return the sorted bearings of rays: to each corner and past its sides, along both edges, and along the arc."""
    half = SECTOR.half_angle
    corners = np.arctan2(edges[:, 1], edges[:, 0])
    arc = np.linspace(-half, half, math.ceil(half / math.acos(1.0 - CHORD)) + 1)
    bearings = np.concatenate((arc, corners - PAST, corners, corners + PAST))
    return np.sort(bearings[abs(bearings) <= half])


def cast_in_numpy(edges: Vectors) -> Vectors:
    """Cast rays at every corner and past both of its sides, on all edges; return the outline without the apex."""
    bearings = rays_of(edges)
    rays = np.column_stack((np.cos(bearings), np.sin(bearings)))
    x, y = edges[:, 0], edges[:, 1]
    dx, dy = edges[:, 2] - x, edges[:, 3] - y
    turns = x * dy - y * dx
    lengths = np.empty(len(rays))
    step = max(CHUNK // len(edges), 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        for begin in range(0, len(rays), step):
            ux, uy = rays[begin : begin + step].T[:, :, None]
            across = ux * dy - uy * dx
            reached, along = turns / across, (x * uy - y * ux) / across
            reached[~((along >= 0.0) & (along <= 1.0) & (reached >= 0.0))] = np.inf
            lengths[begin : begin + step] = reached.min(axis=1)
    return rays * np.minimum(lengths, SECTOR.radius)[:, None]


def cast_in_python(edges: Sequence[Edge]) -> list[tuple[float, float]]:
    """Cast rays as tutorials do: at every corner and past both of its sides, on all edges."""
    half, radius = SECTOR.half_angle, SECTOR.radius
    chords = math.ceil(half / math.acos(1.0 - CHORD))
    bearings = [half * (2 * i / chords - 1.0) for i in range(chords + 1)]
    for x, y, _, _ in edges:
        corner = math.atan2(y, x)
        bearings += [bearing for bearing in (corner - PAST, corner, corner + PAST) if abs(bearing) <= half]
    outline = []
    for bearing in sorted(bearings):
        ux, uy = math.cos(bearing), math.sin(bearing)
        nearest = radius
        for x, y, end_x, end_y in edges:
            dx, dy = end_x - x, end_y - y
            across = ux * dy - uy * dx
            if across != 0.0:
                reached = (x * dy - y * dx) / across
                if 0.0 <= reached < nearest and 0.0 <= (x * uy - y * ux) / across <= 1.0:
                    nearest = reached
        outline.append((nearest * ux, nearest * uy))
    return outline


def area_of(outline: Vectors) -> float:
    return float(shapely.Polygon(outline).area)


def compare_outlines(count: int, size: Size) -> None:
    walls = strewn_walls(count)
    prepared, edges = im.Occluders(walls), edges_of(walls)
    rows = list(map(tuple, edges.tolist()))
    outline = im.visible_outline(SECTOR, CENTRE, prepared)
    lit = area_of(outline - (CENTRE.x, CENTRE.y))

    def work(cast: Vectors) -> str:
        difference = area_of(np.concatenate((np.zeros((1, 2)), cast))) / lit - 1.0
        assert abs(difference) <= LIGHT, f"rays light {difference:.2%} more than visible_outline"
        return f"{len(cast):,} rays, {100.0 * difference:+.2f} % light"

    contenders = [
        Contender(
            "impinge.visible_outline, Occluders made before",
            partial(im.visible_outline, SECTOR, CENTRE, prepared),
            1,
            work=lambda: f"{len(outline):,} points, {share(lit, SECTOR.area)} lit",
        ),
        Contender("impinge.visible_outline, walls in a list", partial(im.visible_outline, SECTOR, CENTRE, walls), 1),
        Contender(
            "NumPy, 3 rays a corner, edges made before",
            partial(cast_in_numpy, edges),
            1,
            work=partial(work, cast_in_numpy(edges)),
        ),
    ]
    if count <= size.walls_in_python:
        contenders.append(
            Contender(
                "Python, 3 rays a corner, edges made before",
                partial(cast_in_python, rows),
                1,
                work=partial(work, np.array(cast_in_python(rows))),
            )
        )
    compare(f"What is lit? {count:,} wall boxes", "an outline", contenders, size.turns)


def share(part: float, whole: float) -> str:
    return f"{100 * part / whole:.0f} %"


@dataclass(frozen=True, slots=True)
class Sweep:
    """A sector and a shape that moves past it, and by how many radians each turns."""

    name: str
    shape: Shape
    sector_turns: float = 0.0
    shape_turns: float = 0.0

    def rows(self, count: int) -> list[tuple[im.Sector, im.Motion, Shape, im.Motion]]:
        """Return motions of the shape past the apex, to either side, and far enough to get through."""
        random = np.random.default_rng(SEED)
        sector = im.Motion(CENTRE, im.Pose(CENTRE.x, CENTRE.y, self.sector_turns))
        rows = []
        for start, end in zip(around_centre(random, count), around_centre(random, count), strict=True):
            angle = random.uniform(-np.pi, np.pi)
            motion = im.Motion(im.Pose(*start.tolist(), angle), im.Pose(*end.tolist(), angle + self.shape_turns))
            rows.append((SECTOR, sector, self.shape, motion))
        return rows


def sweeps() -> list[Sweep]:
    return [
        Sweep("a disk going straight, the sector stands", im.Circle(RADII[0])),
        Sweep("a disk going straight, the sector turns", im.Circle(RADII[0]), sector_turns=math.pi),
        Sweep("a box going straight, the sector turns", im.Box(*SIDES), sector_turns=math.pi),
        Sweep("a box that turns, the sector turns", im.Box(*SIDES), sector_turns=math.pi, shape_turns=math.pi),
    ]


def first_of_instants(sector: im.Sector, motion: im.Motion, shape: Shape, shape_motion: im.Motion) -> float:
    """Test at instants, as games with steps do; return the time, infinite without a hit."""
    for step in range(INSTANTS + 1):
        time = step / INSTANTS
        if im.sector_hit(sector, motion.at(time), shape, shape_motion.at(time)) is not None:
            return time
    return math.inf


def time_of(impact: im.Impact | None) -> float:
    return math.inf if impact is None else impact.time


def compare_sweep(sweep: Sweep, size: Size) -> None:
    rows, polygon = sweep.rows(size.single), im.Polygon(outline_of(SECTOR))
    of_polygons = [(polygon, *row[1:]) for row in rows]
    impacts = [im.sector_sweep(*row) for row in rows]
    ours = np.array([time_of(impact) for impact in impacts])
    by_polygon = np.array([time_of(im.time_of_impact(*row)) for row in of_polygons])
    by_instants = np.array(call_each(first_of_instants, rows))
    check_times(ours, of_polygons, by_polygon, by_instants)
    hit = np.isfinite(ours)
    advanced = [impact.iterations for impact in impacts if impact is not None and not impact.overlapping]
    both = hit & np.isfinite(by_instants)
    late = (by_instants[both] - ours[both]).sum() / max(both.sum(), 1)
    compare(
        f"When is it reached? {sweep.name}",
        "a call",
        [
            Contender(
                "impinge.sector_sweep",
                partial(call_each, im.sector_sweep, rows),
                len(rows),
                work=lambda: (
                    f"{share(hit.sum(), len(rows))} hit, {sum(advanced) / max(len(advanced), 1):.1f} iterations"
                ),
            ),
            Contender(
                f"impinge.time_of_impact, {ARC_POINTS} points of the arc",
                partial(call_each, im.time_of_impact, of_polygons),
                len(rows),
                work=lambda: f"{np.count_nonzero(hit & ~np.isfinite(by_polygon))} of {hit.sum()} missed",
            ),
            Contender(
                f"impinge.sector_hit at {INSTANTS + 1} instants",
                partial(call_each, first_of_instants, rows),
                len(rows),
                work=lambda: (
                    f"{np.count_nonzero(hit & ~np.isfinite(by_instants))} of {hit.sum()} missed, "
                    f"{late:.3f} of the motion late"
                ),
            ),
        ],
        size.turns,
    )


def check_times(
    ours: Vectors,
    of_polygons: Sequence[tuple[im.Polygon, im.Motion, Shape, im.Motion]],
    by_polygon: Vectors,
    by_instants: Vectors,
) -> None:
    """Check that no other method finds an earlier time, and that the shapes touch at ours."""
    assert (ours <= by_polygon + AGREEMENT).all(), "an impact is later than that of a polygon inside of the sector"
    assert (ours <= by_instants + AGREEMENT).all(), "an impact is later than a hit"
    for time, (polygon, motion, shape, shape_motion) in zip(ours.tolist(), of_polygons, strict=True):
        if math.isfinite(time):
            gap = im.distance(polygon, motion.at(time), shape, shape_motion.at(time)).distance
            assert gap <= SAGITTA + AGREEMENT, f"{shape_motion} is {gap} away at {time}"


def main(size: Size) -> None:
    runtime.prepare()
    print(machine("shapely"))
    for count, attacks in size.disks:
        compare_disks("a crowd", crowd(count, attacks), size)
        compare_disks("a melee", melee(count, attacks), size)
    compare_cheap(size)
    compare_single("a disk", im.Circle(RADII[1]), size)
    compare_single("a box", im.Box(*SIDES), size)
    compare_single("a concave polygon with 12 corners", star(), size)
    compare_world(size)
    for count in size.walls:
        compare_outlines(count, size)
    for sweep in sweeps():
        compare_sweep(sweep, size)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Time what a sector reaches, and what walls leave of it.")
    parser.add_argument("--quick", action="store_true", help="take a moment; the figures mean nothing")
    main(QUICK if parser.parse_args().quick else FULL)
