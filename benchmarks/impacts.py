"""Times of impact of moving shapes, against Box2D's Python binding, Shapely, NumPy, and all vertices on all edges.

The others return a time; NumPy's swept axes also return a normal. Only ours return the point and the features.
Differences are asserted to be small, or counted where Box2D's slop decides. Without Box2D its rows are left out.
"""

from __future__ import annotations

import argparse
import importlib
import math
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont
from timing import Contender, compare, machine

import impinge as im
from impinge import runtime
from impinge.reference.polygons import collision_of_polygons

SEED = 1
# Metres, the unit that Box2D is made for.
RADIUS, ROOM, REACH = 5.0, 100.0, 50.0
# Box2D's polygons stop 0.005 apart and its circles 0.015 deep, give or take 0.001. It uses single precision.
SLOP_OF_BOX2D = 0.02
# Metres, far above the slop and rounding of all others.
AGREEMENT = 1e-6
BOX2D = "Box2D"
CHUNK = 4096  # pairs per NumPy call: their data stays in the processor's caches

Vectors = NDArray[np.float64]
Indices = NDArray[np.int64]
Answers = NDArray[np.bool_]
Shape = im.Box | im.Circle | im.Polygon
Way = tuple[list[float], list[float]]
Row = tuple[Shape, im.Motion, Shape, im.Motion]


@dataclass(frozen=True, slots=True)
class Size:
    """Size of the benchmark.

    Attributes
    ----------
    pairs, quads
        Pairs in arrays, and the number of quads that have as many pairs among themselves.
    sample, single
        Pairs for slow contenders, and single pairs.
    outlines, published, vertices
        Pairs of concave outlines, how many of them the published method gets, and their numbers of vertices.
    found
        Polygons to find impacts among.
    turns
        Turns of each contender.
    """

    pairs: int
    quads: int
    sample: int
    single: int
    outlines: int
    published: int
    vertices: tuple[int, ...]
    found: tuple[int, ...]
    turns: int


FULL = Size(
    pairs=100_000,
    quads=1_000,
    sample=5_000,
    single=500,
    outlines=200,
    published=3,
    vertices=(20, 50, 100, 200),
    found=(1_000, 10_000),
    turns=11,
)
QUICK = Size(
    pairs=300, quads=40, sample=40, single=10, outlines=6, published=2, vertices=(8, 16), found=(20, 40), turns=3
)


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """Shapes through one frame, for all contenders: poses of shape (n, 3) at its start and at its end."""

    shapes: Sequence[Shape]
    starts: Vectors
    ends: Vectors
    pairs: Indices
    solids: im.batch.Solids = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "solids", im.batch.Solids(self.shapes))

    def only(self, pairs: Indices) -> Frame:
        """Return the frame with only some pairs and their shapes."""
        chosen, renumbered = np.unique(pairs, return_inverse=True)
        shapes = [self.shapes[i] for i in chosen.tolist()]
        return Frame(shapes, self.starts[chosen], self.ends[chosen], renumbered.reshape(-1, 2))

    def impacts(self) -> im.batch.Impacts:
        return im.batch.time_of_impact(self.solids, self.starts, self.ends, self.pairs)

    def rows(self) -> list[Row]:
        motions = [
            im.Motion(im.Pose(*start), im.Pose(*end))
            for start, end in zip(self.starts.tolist(), self.ends.tolist(), strict=True)
        ]
        return [(self.shapes[i], motions[i], self.shapes[j], motions[j]) for i, j in self.pairs.tolist()]


def quad(random: np.random.Generator) -> Vectors:
    """Return four corners on a circle, one in each quarter."""
    angles = 0.5 * np.pi * (np.arange(4) + random.uniform(0.0, 1.0, 4))
    return RADIUS * np.column_stack((np.cos(angles), np.sin(angles)))


def gear(random: np.random.Generator, corners: int) -> Vectors:
    """Return the outline of a worn gear: every other corner is deep, and radii and angles are irregular."""
    angles = 2.0 * np.pi * (np.arange(corners) + random.uniform(-0.3, 0.3, corners)) / corners
    radii = RADIUS * random.uniform(0.85, 1.0, corners) * np.where(np.arange(corners) % 2, 0.75, 1.0)
    return radii[:, None] * np.column_stack((np.cos(angles), np.sin(angles)))


def strewn(shapes: Sequence[Shape], pairs: Indices, turn: float, room: float = ROOM, reach: float = REACH) -> Frame:
    """Return shapes at random poses in a square, with motions of up to `reach` and turns of up to `turn` either way."""
    random = np.random.default_rng(SEED + 1)
    count = len(shapes)
    starts = np.column_stack((random.uniform(0.0, room, (count, 2)), random.uniform(-3.0, 3.0, count)))
    moves = np.column_stack((random.uniform(-reach, reach, (count, 2)), random.uniform(-turn, turn, count)))
    return Frame(shapes, starts, starts + moves, pairs)


def crossing(pairs_of_shapes: Sequence[tuple[Shape, Shape]], turn: float, is_turned: bool = True) -> Frame:
    """Return pairs of moving shapes that pass so closely that about half of them hit."""
    random = np.random.default_rng(SEED + 2)
    count = len(pairs_of_shapes)
    distances = random.uniform(4.0, 8.0, count) * RADIUS
    directions = random.uniform(-np.pi, np.pi, count)
    aims = directions + np.pi + np.arcsin(random.uniform(-3.4, 3.4, count) * RADIUS / distances)
    starts, moves = np.zeros((2 * count, 3)), np.zeros((2 * count, 3))
    starts[::2, :2] = random.uniform(0.0, ROOM, (count, 2))
    starts[1::2, :2] = starts[::2, :2] + polar(distances, directions)
    moves[::2, :2] = random.uniform(-RADIUS, RADIUS, (count, 2))
    moves[1::2, :2] = moves[::2, :2] + polar(2.0 * distances, aims)
    if is_turned:
        starts[:, 2] = random.uniform(-3.0, 3.0, 2 * count)
    moves[:, 2] = random.uniform(-turn, turn, 2 * count)
    shapes = [shape for pair in pairs_of_shapes for shape in pair]
    return Frame(shapes, starts, starts + moves, np.arange(2 * count).reshape(-1, 2))


def polar(lengths: Vectors, angles: Vectors) -> Vectors:
    return lengths[:, None] * np.column_stack((np.cos(angles), np.sin(angles)))


def all_pairs(count: int) -> Indices:
    return np.column_stack(np.triu_indices(count, 1))


def sampled_pairs(count: int, most: int) -> Indices:
    """Return all pairs, or `most` random ones if there are more."""
    if count * (count - 1) // 2 <= most:
        return all_pairs(count)
    random = np.random.default_rng(SEED)
    one = random.integers(0, count, most)
    return np.column_stack((one, (one + random.integers(1, count, most)) % count))


def quads(count: int) -> list[im.Polygon]:
    random = np.random.default_rng(SEED)
    return [im.Polygon(quad(random)) for _ in range(count)]


def among_themselves(shapes: Sequence[Shape], count: int, turn: float) -> Frame:
    """Return a frame with random pairs of the shapes."""
    return strewn(shapes, np.random.default_rng(SEED).permutation(all_pairs(len(shapes)))[:count], turn)


def two_by_two(shapes: Sequence[Shape], turn: float) -> Frame:
    return strewn(shapes, np.arange(len(shapes)).reshape(-1, 2), turn)


def share(part: float, whole: float) -> str:
    return f"{100 * part / whole:.0f} %"


def placed(outlines: Vectors, poses: Vectors) -> Vectors:
    """Place outlines with equal numbers of corners: (2, corners, n), so that NumPy adds up along the last axis."""
    x, y = outlines
    cos, sin = np.cos(poses[:, 2]), np.sin(poses[:, 2])
    return np.stack((cos * x - sin * y + poses[:, 0], sin * x + cos * y + poses[:, 1]))


def with_swept_bounds_that_meet(corners: Vectors, moves: Vectors, pairs: Indices) -> Indices:
    """Return the pairs whose swept bounds overlap, in the frame of the first shape."""
    lows, highs = corners.min(axis=1), corners.max(axis=1)
    a, b = pairs.T
    near = np.ones(len(pairs), np.bool_)
    for low, high, move in zip(lows, highs, moves, strict=True):
        near &= np.minimum(move, 0.0) + low[b] <= high[a]
        near &= np.maximum(move, 0.0) + high[b] >= low[a]
    return np.flatnonzero(near)


def relative_moves(starts: Vectors, ends: Vectors, pairs: Indices) -> Vectors:
    x, y, _ = (ends - starts).T
    a, b = pairs.T
    return np.stack((x[b] - x[a], y[b] - y[a]))


def swept_axes(outlines: Vectors, starts: Vectors, ends: Vectors, pairs: Indices) -> tuple[Vectors, Vectors]:
    """Sweep convex outlines along separating axes in NumPy: times, NaN without an impact, and unit normals from a to b.

    `outlines` has the shape (2, corners, n), counter-clockwise; nothing turns. Along the axes of one polygon only the
    side of its edge is tested, which is half of the projections.
    """
    corners = placed(outlines, starts)
    moves = relative_moves(starts, ends, pairs)
    near = with_swept_bounds_that_meet(corners, moves, pairs)
    times, normals = np.full(len(pairs), np.nan), np.full((len(pairs), 2), np.nan)
    for begin in range(0, len(near), CHUNK):
        rows = near[begin : begin + CHUNK]
        a, b = pairs[rows].T
        times[rows], normals[rows] = cast_along(corners[:, :, a], corners[:, :, b], moves[:, rows])
    return times, normals


def cast_along(a: Vectors, b: Vectors, moves: Vectors) -> tuple[Vectors, Vectors]:
    """Clip the path of b by the half-planes of the Minkowski difference (Cyrus and Beck, 1978), corners (2, k, n)."""
    axes_a, gaps_a = faced(a, b)
    axes_b, gaps_b = faced(b, a)
    axes, gaps = np.concatenate((axes_a, -axes_b), axis=1), np.concatenate((gaps_a, gaps_b))
    rates = axes[0] * moves[0] + axes[1] * moves[1]
    with np.errstate(divide="ignore", invalid="ignore"):
        crossings = -gaps / rates
    enters = np.where(rates < 0.0, crossings, -np.inf)
    axis = enters.argmax(axis=0)
    columns = np.arange(len(axis))
    enter = enters[axis, columns]
    leave = np.where(rates > 0.0, crossings, np.inf).min(axis=0)
    beside = ((rates == 0.0) & (gaps > 0.0)).any(axis=0)
    touching = (enter < leave) & (leave > 0.0) & (enter <= 1.0) & ~beside
    normals = axes[:, axis, columns].T
    normals = normals / np.hypot(*normals.T)[:, None]
    return np.where(touching, np.maximum(enter, 0.0), np.nan), np.where(touching[:, None], normals, np.nan)


def faced(own: Vectors, others: Vectors) -> tuple[Vectors, Vectors]:
    """Return the outward normals of outlines, and the gap from each edge to the others, in units of its length."""
    x, y = own
    following = np.roll(own, -1, axis=1)
    axes = np.stack((following[1] - y, x - following[0]))
    gaps = axes[0] * others[0, 0] + axes[1] * others[1, 0]
    for other_x, other_y in others.transpose(1, 0, 2)[1:]:
        np.minimum(gaps, axes[0] * other_x + axes[1] * other_y, out=gaps)
    gaps -= axes[0] * x + axes[1] * y
    return axes, gaps


def polygons_of(corners: Vectors) -> NDArray[np.object_]:
    _, corners_each, count = corners.shape
    flat = corners.transpose(2, 1, 0).reshape(-1, 2)
    return shapely.polygons(shapely.linearrings(flat, indices=np.repeat(np.arange(count), corners_each)))


def swept_by_shapely(outlines: Vectors, starts: Vectors, ends: Vectors, pairs: Indices) -> Vectors:
    """Advance by Shapely's shortest lines, all pairs at once, until they touch; nothing turns.

    Conservative advancement (Mirtich, 1996), after a test of the swept bounds. The convex hull of start and end was
    slower at rejecting misses, and bisection by such hulls took three times as long to the microsecond.
    """
    corners = placed(outlines, starts)
    moves = relative_moves(starts, ends, pairs)
    times = np.full(len(pairs), np.nan)
    rows = with_swept_bounds_that_meet(corners, moves, pairs)
    a, time = polygons_of(corners[:, :, pairs[rows, 0]]), np.zeros(len(rows))
    while len(rows):
        b = polygons_of(corners[:, :, pairs[rows, 1]] + (moves[:, rows] * time)[:, None])
        ends_of_lines = shapely.get_coordinates(shapely.shortest_line(a, b)).reshape(-1, 2, 2)
        gaps = ends_of_lines[:, 1] - ends_of_lines[:, 0]
        squares, closing = (gaps**2).sum(axis=1), -(gaps * moves[:, rows].T).sum(axis=1)
        touching = squares <= 1e-18  # a nanometre
        times[rows[touching]] = time[touching]
        with np.errstate(divide="ignore", invalid="ignore"):
            time = time + squares / closing
        going = ~touching & (closing > 0.0) & (time <= 1.0)
        rows, a, time = rows[going], a[going], time[going]
    return times


def outlines_of(frame: Frame) -> Vectors:
    """Pack polygons with equal numbers of corners for NumPy, once."""
    outlines = np.array([shape.vertices for shape in frame.shapes if isinstance(shape, im.Polygon)])
    return np.ascontiguousarray(outlines.transpose(2, 1, 0))


def check_times(frame: Frame, impacts: im.batch.Impacts, theirs: Vectors) -> str:
    """Check that their times agree with ours. Count pairs where only one finds an impact, and check that they graze."""
    both = impacts.hit & np.isfinite(theirs)
    lengths = np.hypot(*relative_moves(frame.starts, frame.ends, frame.pairs))
    differences = abs(impacts.times - theirs)[both] * lengths[both]
    assert differences.max(initial=0.0) <= AGREEMENT, f"places of impact differ by {differences.max()}"
    passing = frame.only(frame.pairs[impacts.hit != np.isfinite(theirs)]).rows()
    for row in passing:
        assert abs(least_gap(row)) <= AGREEMENT, f"does not just pass: {row}"
    return f"{share(np.isfinite(theirs).sum(), len(theirs))} hit, {len(passing)} answers differ"


def gap_at(row: Row, time: float) -> float:
    a, motion_a, b, motion_b = row
    return im.distance(a, motion_a.at(time), b, motion_b.at(time)).distance


def least_gap(row: Row, until: float = 1.0) -> float:
    """Return the smallest distance of a pair at many instants, refined around the smallest; negative if it overlaps."""
    low, high, least = 0.0, until, math.inf
    for _ in range(4):
        instants = np.linspace(low, high, 201).tolist()
        gaps = [gap_at(row, instant) for instant in instants]
        at = int(np.argmin(gaps))
        least = min(least, gaps[at])
        low, high = instants[max(at - 1, 0)], instants[min(at + 1, 200)]
    return least


def imported_box2d() -> Any:
    """Return the module Box2D if it is installed, else None."""
    if find_spec(BOX2D) is None:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # importing it warns, and crashes Python where warnings are errors
        return importlib.import_module(BOX2D)


class Binding:
    """Box2D's shapes and sweeps for rows of pairs, made beforehand: one input for every two convex pieces."""

    def __init__(self, module: Any, rows: Sequence[Row]) -> None:
        self.module = module
        # Proxies point into the shapes, but do not keep them alive.
        self.shapes = {id(shape): self._made(shape) for a, _, b, _ in rows for shape in (a, b)}
        self.inputs = [
            [
                module.b2TOIInput(
                    proxyA=module.b2DistanceProxy(piece_a),
                    proxyB=module.b2DistanceProxy(piece_b),
                    sweepA=self._set(self._sweep(), motion_a),
                    sweepB=self._set(self._sweep(), motion_b),
                    tMax=1.0,
                )
                for piece_a in self.shapes[id(a)]
                for piece_b in self.shapes[id(b)]
            ]
            for a, motion_a, b, motion_b in rows
        ]
        self.sweeps = self._sweep(), self._sweep()

    def ask(self) -> None:
        """Query all rows, and keep no result."""
        time_of_impact = self.module.b2TimeOfImpact
        for inputs in self.inputs:
            for one in inputs:
                time_of_impact(one)

    def times(self) -> Vectors:
        """Return the earliest time of each row, NaN without an impact."""
        output = self.module.b2TOIOutput
        times = []
        for inputs in self.inputs:
            answers = [self.module.b2TimeOfImpact(one) for one in inputs]
            hits = [0.0 if state == output.e_overlapped else t for state, t in answers if state != output.e_separated]
            times.append(min(hits, default=math.nan))
        return np.array(times)

    def ask_anew(self, a: Shape, motion_a: im.Motion, b: Shape, motion_b: im.Motion) -> None:
        """Query as a game whose shapes are not Box2D's: set its sweeps first."""
        sweep_a, sweep_b = (self._set(*each) for each in zip(self.sweeps, (motion_a, motion_b), strict=True))
        for piece_a in self.shapes[id(a)]:
            for piece_b in self.shapes[id(b)]:
                self.module.b2TimeOfImpact(piece_a, 0, piece_b, 0, sweep_a, sweep_b, 1.0)

    def _sweep(self) -> Any:
        return self.module.b2Sweep(localCenter=(0.0, 0.0), alpha0=0.0)

    def _set(self, sweep: Any, motion: im.Motion) -> Any:
        start, end = motion.start, motion.end
        sweep.c0, sweep.a0 = (start.x, start.y), start.angle
        sweep.c, sweep.a = (end.x, end.y), end.angle
        return sweep

    def _made(self, shape: Shape) -> list[Any]:
        if isinstance(shape, im.Circle):
            return [self.module.b2CircleShape(radius=shape.radius)]
        return [self.module.b2PolygonShape(vertices=list(piece.points)) for piece in shape.pieces]


def check_box2d(rows: Sequence[Row], ours: Vectors, theirs: Vectors) -> str:
    """Check every answer of Box2D that differs by more than its slop, and that ours is the right one."""
    differing = Counter[str]()
    for row, own, other in zip(rows, ours.tolist(), theirs.tolist(), strict=True):
        assert math.isnan(own) or own == 0.0 or abs(gap_at(row, own)) <= AGREEMENT, f"no touch at {own}: {row}"
        difference = difference_of(row, own, other)
        if difference:
            assert least_gap(row, 1.0 if math.isnan(own) else own) >= -AGREEMENT, f"{own} is late: {row}"
            differing[difference] += 1
    found = ", ".join(f"{count} {difference}" for difference, count in sorted(differing.items()))
    return f"{share(np.isfinite(theirs).sum(), len(theirs))} hit, {found or '0 answers differ'}"


def difference_of(row: Row, own: float, other: float) -> str:
    """Return how an answer of Box2D is wrong, or "" if it is right within its slop. Times are NaN without an impact."""
    if math.isnan(other):
        if math.isnan(own):
            return ""
        return "passes within its slop" if least_gap(row) >= -SLOP_OF_BOX2D else "missed"
    if math.isnan(own):
        return "passes within its slop" if least_gap(row) <= SLOP_OF_BOX2D else "without a touch"
    if other > own and least_gap(row, other) < -SLOP_OF_BOX2D:
        return "late"
    return "early" if other < own and gap_at(row, other) > SLOP_OF_BOX2D else ""


def call_each(function: Callable[..., object], rows: Sequence[tuple[object, ...]]) -> list[object]:
    return [function(*row) for row in rows]


def impacts_contender(name: str, frame: Frame) -> Contender:
    impacts = frame.impacts()
    advanced = impacts.iterations > 0
    work = f"{share(impacts.hit.sum(), len(impacts.hit))} hit, {impacts.overlapping.sum():,} overlap at the start"
    if advanced.any():
        mean, most = impacts.iterations[advanced].mean(), impacts.iterations.max()
        work += f"; {mean:.1f} iterations for {share(advanced.sum(), len(advanced))}, at most {most}"
    return Contender(name, frame.impacts, len(frame.pairs), work=lambda: work)


def landed_contender(frame: Frame) -> Contender:
    """Return the same contender with all attributes of the impacts: these are computed at the first access."""

    def ask() -> None:
        impacts = frame.impacts()
        for name in ("normals", "points", "ends", "features_a", "features_b"):
            getattr(impacts, name)

    return Contender("the same, with normals, points and features", ask, len(frame.pairs))


def box2d_contender(frame: Frame, count: int) -> list[Contender]:
    """Return Box2D as a contender for the first pairs, if it is installed."""
    module = imported_box2d()
    if module is None:
        return []
    few = frame.only(frame.pairs[:count])
    rows = few.rows()
    binding = Binding(module, rows)
    work = check_box2d(rows, few.impacts().times, binding.times())
    return [
        Contender(
            "Box2D b2TimeOfImpact, sweeps set before",
            binding.ask,
            len(rows),
            work=lambda: f"{len(rows):,} of the pairs, {work}",
        )
    ]


def compare_straight(title: str, frame: Frame, size: Size) -> None:
    impacts, outlines = frame.impacts(), outlines_of(frame)
    arrays = outlines, frame.starts, frame.ends, frame.pairs
    by_axes = check_times(frame, impacts, swept_axes(*arrays)[0])
    few = frame.only(frame.pairs[: size.sample])
    few_arrays = outlines_of(few), few.starts, few.ends, few.pairs
    by_shapely = check_times(few, few.impacts(), swept_by_shapely(*few_arrays))
    compare(
        f"When do they touch? {len(frame.pairs):,} {title}",
        "a pair",
        [
            impacts_contender("impinge.batch.time_of_impact", frame),
            landed_contender(frame),
            Contender(
                "NumPy swept axes, only time and normal",
                partial(swept_axes, *arrays),
                len(frame.pairs),
                work=lambda: by_axes,
            ),
            Contender(
                "shapely.shortest_line, advanced, only time",
                partial(swept_by_shapely, *few_arrays),
                len(few.pairs),
                work=lambda: f"{len(few.pairs):,} of the pairs, {by_shapely}",
            ),
            *box2d_contender(frame, size.sample),
        ],
        size.turns,
    )


def compare_turning(few: Frame, own: Frame, size: Size) -> None:
    compare(
        f"When do they touch? {len(own.pairs):,} pairs of quads, turning",
        "a pair",
        [
            impacts_contender(f"impinge.batch.time_of_impact, {len(few.shapes):,} quads", few),
            landed_contender(few),
            impacts_contender(f"impinge.batch.time_of_impact, {len(own.shapes):,} quads", own),
            *box2d_contender(own, size.sample),
        ],
        size.turns,
    )


@dataclass(frozen=True, slots=True)
class Kind:
    """Two shapes to query one pair a call, which turn by up to `turn` either way."""

    name: str
    a: Shape
    b: Shape
    turn: float = 0.0
    is_turned: bool = True


def kinds() -> list[Kind]:
    random = np.random.default_rng(SEED)
    box, other_box = im.Box(8.0, 8.0), im.Box(9.0, 5.0)
    return [
        Kind("circle and circle", im.Circle(5.0), im.Circle(4.0), is_turned=False),
        Kind("upright boxes", box, other_box, is_turned=False),
        Kind("quads", im.Polygon(quad(random)), im.Polygon(quad(random))),
        Kind("concave with 10 corners, and box", im.Polygon(gear(random, 10)), box),
        Kind("turning boxes", box, other_box, turn=math.pi),
    ]


def impact_of(a: Shape, way_a: Way, b: Shape, way_b: Way) -> im.Impact | None:
    """Query with plain numbers, as a game holds them."""
    (start_a, end_a), (start_b, end_b) = way_a, way_b
    motion_a = im.Motion(im.Pose(*start_a), im.Pose(*end_a))
    return im.time_of_impact(a, motion_a, b, im.Motion(im.Pose(*start_b), im.Pose(*end_b)))


def compare_single(kind: Kind, size: Size) -> None:
    frame = crossing([(kind.a, kind.b)] * size.single, kind.turn, kind.is_turned)
    rows = frame.rows()
    impacts = [im.time_of_impact(*row) for row in rows]
    times = np.array([impact.time if impact else math.nan for impact in impacts])
    ways = list(zip(frame.starts.tolist(), frame.ends.tolist(), strict=True))
    numbers = [(kind.a, ways[i], kind.b, ways[j]) for i, j in frame.pairs.tolist()]
    contenders = [
        Contender(
            "impinge.time_of_impact",
            partial(call_each, im.time_of_impact, rows),
            len(rows),
            work=lambda: f"{share(np.isfinite(times).sum(), len(times))} hit",
        ),
        Contender("impinge.time_of_impact, Motions made first", partial(call_each, impact_of, numbers), len(rows)),
    ]
    module = imported_box2d()
    if module is not None:
        binding = Binding(module, rows)
        work = check_box2d(rows, times, binding.times())
        pieces = len(binding.inputs[0])
        contenders += [
            Contender(
                "Box2D b2TimeOfImpact, sweeps set before",
                binding.ask,
                len(rows),
                work=lambda: f"{work}; {pieces} {'pair' if pieces == 1 else 'pairs'} of pieces",
            ),
            Contender("Box2D b2TimeOfImpact, sweeps set first", partial(call_each, binding.ask_anew, rows), len(rows)),
        ]
    compare(f"One pair a call: {kind.name}", "a call", contenders, 2 * size.turns + 1)


def earliest_cast(a: Vectors, b: Vectors, move: Vectors) -> float:
    """Cast every vertex of two outlines on every edge of the other, in NumPy: the time, infinite without an impact."""
    return min(cast_on_edges(b, a, move), cast_on_edges(a, b, -move))


def cast_on_edges(points: Vectors, outline: Vectors, move: Vectors) -> float:
    """Cast points on the edges of an outline that they can enter through, which are half of them."""
    edges = np.roll(outline, -1, axis=0) - outline
    facing = edges[:, 0] * move[1] - edges[:, 1] * move[0]
    front = facing > 0.0
    starts, edges, facing = outline[front], edges[front], facing[front]
    across = np.stack((edges[:, 1], -edges[:, 0])) / facing
    along = np.array((move[1], -move[0]))
    times = points @ across - (starts.T * across).sum(axis=0)
    places = (points @ along)[:, None] / facing - starts @ along / facing
    times[(times < 0.0) | (times > 1.0) | (places < 0.0) | (places > 1.0)] = math.inf
    return float(times.min(initial=math.inf))


def cast_each(rows: Sequence[tuple[Vectors, Vectors, Vectors]]) -> list[float]:
    return [earliest_cast(*row) for row in rows]


@dataclass(frozen=True, slots=True)
class Line:
    """Seconds a pair that a method took, for each number of vertices of the two outlines."""

    name: str
    vertices: tuple[int, ...]
    seconds: list[float] = field(default_factory=list)

    def exponent(self) -> float:
        slope, _ = np.polyfit(np.log(self.vertices), np.log(self.seconds), 1)
        return float(slope)

    def label(self) -> str:
        return f"{self.name}: n^{self.exponent():.2f}"


def compare_growth(size: Size) -> list[Line]:
    lines = [Line(name, size.vertices) for name in ("impinge", "NumPy, all vertices on all edges", "published method")]
    for vertices in size.vertices:
        for line, seconds in zip(lines, compare_outlines(vertices, size), strict=True):
            line.seconds.append(seconds)
    print(f"\nTime a pair over the number n of vertices: {', '.join(line.label() for line in lines)}", flush=True)
    return lines


def published_contender(frame: Frame, corners: Vectors, times: Vectors, count: int) -> Contender:
    """Return "Collision point of two non-rotating polygons" (Christensen, 1996) as a contender for the first pairs.

    Both shapes move here. If one of them stands still, the published method makes errors.
    """
    outlines = [list(map(tuple, outline)) for outline in corners[: 2 * count].tolist()]
    moves = list(map(tuple, (frame.ends - frame.starts)[: 2 * count, :2].tolist()))
    given = [(outlines[i], moves[i], outlines[j], moves[j]) for i, j in frame.pairs[:count].tolist()]
    collisions = [collision_of_polygons(*row) for row in given]
    theirs = np.array([math.inf if collision is None else collision.time for collision in collisions])
    differing = np.count_nonzero(~np.isclose(theirs, times[: len(theirs)], rtol=0.0, atol=AGREEMENT))
    return Contender(
        "published method in Python, placed",
        partial(call_each, collision_of_polygons, given),
        len(given),
        work=lambda: f"{len(given)} of the pairs, {differing} answers differ",
    )


def compare_outlines(vertices: int, size: Size) -> list[float]:
    random = np.random.default_rng(SEED)
    gears = [im.Polygon(gear(random, vertices)) for _ in range(min(2 * size.outlines, 100))]
    chosen = random.integers(0, len(gears), (size.outlines, 2)).tolist()
    frame = crossing([(gears[i], gears[j]) for i, j in chosen], turn=0.0)
    corners = placed(outlines_of(frame), frame.starts).transpose(2, 1, 0)
    moves = relative_moves(frame.starts, frame.ends, frame.pairs).T
    rows = [(corners[i], corners[j], move) for (i, j), move in zip(frame.pairs.tolist(), moves, strict=True)]
    theirs = np.array(cast_each(rows))
    agreement = check_times(frame, frame.impacts(), np.where(theirs <= 1.0, theirs, np.nan))
    pieces = np.mean([len(polygon.pieces) for polygon in gears])
    ours = impacts_contender("impinge.batch.time_of_impact", frame)
    sample = rows[: size.outlines // 2]
    return compare(
        f"When do they touch? {size.outlines:,} pairs of concave outlines, {vertices} vertices each",
        "a pair",
        [
            replace(ours, work=lambda: f"{ours.work()}; {pieces:.0f} pieces a polygon"),
            Contender(
                "NumPy, all vertices on all edges, placed",
                partial(cast_each, sample),
                len(sample),
                work=lambda: f"{len(sample):,} of the pairs, only time; {agreement}",
            ),
            published_contender(frame, corners, theirs, size.published),
        ],
        size.turns // 2 + 1,
    )


def found_by_tree(frame: Frame) -> im.batch.Impacts:
    """Find the pairs by Shapely's tree of the swept bounds, then query their times of impact."""
    starts, ends = frame.starts[:, :2], frame.ends[:, :2]
    boxes = shapely.box(*(np.minimum(starts, ends) - RADIUS).T, *(np.maximum(starts, ends) + RADIUS).T)
    one, other = shapely.STRtree(boxes).query(boxes)
    return im.batch.time_of_impact(frame.solids, frame.starts, frame.ends, np.column_stack((one, other))[one < other])


def compare_finding(count: int, size: Size) -> None:
    random = np.random.default_rng(SEED)
    shapes = [im.Polygon(gear(random, 10) if i % 2 else quad(random)) for i in range(count)]
    # So that each polygon has a few others that cross its path.
    pairs = sampled_pairs(count, 5 * size.pairs)
    frame = strewn(shapes, pairs, 0.0, room=5.0 * RADIUS * math.sqrt(count), reach=RADIUS)
    ours, theirs = im.batch.time_of_impact(frame.solids, frame.starts, frame.ends), found_by_tree(frame)
    earliest = np.lexsort((*theirs.pairs.T[::-1], theirs.times))[: theirs.hit.sum()]
    assert np.array_equal(ours.pairs, theirs.pairs[earliest]), "the pairs found are not those by the tree"
    compare(
        f"Which collide? {count:,} moving polygons",
        "a polygon",
        [
            Contender(
                "impinge.batch.time_of_impact, no pairs given",
                partial(im.batch.time_of_impact, frame.solids, frame.starts, frame.ends),
                count,
                work=lambda: f"{len(ours.pairs):,} pairs collide",
            ),
            Contender(
                "shapely.STRtree for the pairs",
                partial(found_by_tree, frame),
                count,
                work=lambda: f"{len(theirs.pairs):,} pairs looked at",
            ),
            Contender(
                "impinge.batch.time_of_impact, all pairs given",
                frame.impacts,
                round(len(pairs) / (0.5 * (count - 1))),
                work=lambda: f"{len(pairs):,} of {count * (count - 1) // 2:,} pairs",
            ),
        ],
        size.turns,
    )


def draw(lines: Sequence[Line], file: Path) -> None:
    """Draw times over numbers of vertices, both on logarithmic scales."""
    # Drawn at twice the size and scaled down, which smooths the lines.
    width, height, left, top, right, bottom = 1800, 1080, 180, 140, 80, 140
    colours = ("#1f6f4a", "#c0562f", "#4a5a9c")
    image = Image.new("RGB", (width, height), "white")
    pen = ImageDraw.Draw(image)
    text = partial(pen.text, font=ImageFont.load_default(size=32))
    vertices, seconds = lines[0].vertices, [value for line in lines for value in line.seconds]
    decades = range(math.floor(math.log10(min(seconds))), math.ceil(math.log10(max(seconds))) + 1)

    def at(count: int, value: float) -> tuple[float, float]:
        x = math.log(count / vertices[0]) / math.log(vertices[-1] / vertices[0])
        y = (math.log10(value) - decades[0]) / (decades[-1] - decades[0])
        return left + x * (width - left - right), height - bottom - y * (height - top - bottom)

    for decade in decades:
        _, y = at(vertices[0], 10.0**decade)
        pen.line((left, y, width - right, y), fill="#c8c8c8", width=2)
        text((left - 20, y), power_of_ten(decade), fill="black", anchor="rm")
    for count in vertices:
        x, y = at(count, 10.0 ** decades[0])
        pen.line((x, top, x, y), fill="#e4e4e4", width=2)
        text((x, y + 20), f"{count}", fill="black", anchor="mt")
    text((width / 2, height - 40), "vertices of each of two concave outlines", fill="black", anchor="ms")
    text((left, 70), "time a pair that moves straight; about half of them hit", fill="black", anchor="ls")
    for line, colour in zip(lines, colours, strict=True):
        points = [at(*point) for point in zip(line.vertices, line.seconds, strict=True)]
        pen.line(points, fill=colour, width=6, joint="curve")
        for x, y in points:
            pen.ellipse((x - 10, y - 10, x + 10, y + 10), fill=colour)
        x, y = points[-1]
        text((x, y - 24), line.label(), fill=colour, anchor="rb", stroke_width=8, stroke_fill="white")
    image.resize((width // 2, height // 2), Image.Resampling.LANCZOS).save(file, optimize=True)


def power_of_ten(exponent: int) -> str:
    """Return a power of ten of seconds in a suitable unit. Pillow's font has no µ."""
    step = exponent // 3
    return f"{10 ** (exponent - 3 * step)} {('ns', 'us', 'ms', 's')[step + 3]}"


def main(size: Size, plot: Path | None) -> None:
    runtime.prepare()
    module = imported_box2d()
    print(machine("shapely", *([BOX2D] if module else [])))
    if module is None:
        print("\nBox2D is left out, because it is not installed: pip install Box2D")
    few, own = quads(size.quads), quads(2 * size.pairs)
    straight = "pairs of quads, straight"
    compare_straight(f"{straight}, of {len(few):,} quads", among_themselves(few, size.pairs, 0.0), size)
    compare_straight(f"{straight}, of {len(own):,} quads", two_by_two(own, 0.0), size)
    compare_turning(among_themselves(few, size.pairs, math.pi), two_by_two(own, math.pi), size)
    for kind in kinds():
        compare_single(kind, size)
    lines = compare_growth(size)
    if plot:
        draw(lines, plot)
    for count in size.found:
        compare_finding(count, size)
    print("\nNot measured: Box2D 3, in C, took 155 ns a pair of quads on a comparable machine.")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Time when moving shapes first touch.")
    parser.add_argument("--quick", action="store_true", help="take a moment; the figures mean nothing")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw the growth with the vertices as a PNG")
    options = parser.parse_args()
    main(QUICK if options.quick else FULL, options.plot)
