"""Record calls of every kernel that Python calls, where Python runs it, and repeat them with another backend.

`python tests/oracles/recorded_calls.py record FILE` and `... replay FILE`, each with its own `IMPINGE_KERNELS`. A call
must give bit-identical results: the return value, and the arrays that were passed in.
"""

from __future__ import annotations

import math
import pickle
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

import impinge as im
from impinge import batch
from impinge.fast_bodies import BodyFacts, FastBodies, MemberTraits, ShapeMarks, movers_of
from impinge.kernels import columns as col
from impinge.kernels import compiler, entry
from impinge.kernels.arrays import BodyShapes
from impinge.meetings import GOES_ON, Meetings, PartRows, Rests, Sending, SentBodies, SweptPart
from impinge.near import NearBoxes
from impinge.query.unchecked import course_of, reach_of
from random_rooms import CLASSES, random_generator

# Calls kept per kernel: all of the first ones, then fewer and fewer.
MOST = 60

Calls = list[tuple[str, tuple[Any, ...], tuple[Any, ...], Any]]


def copied(value: Any) -> Any:
    """Copy an argument or a result, with the arrays in it, also those in bundles."""
    if isinstance(value, tuple):
        return type(value)(*map(copied, value)) if hasattr(value, "_fields") else tuple(map(copied, value))
    return value.copy() if isinstance(value, np.ndarray) else value


def fits(argument: Any, example: Any) -> bool:
    """Return whether an argument has its example's type. The native module would misread the bytes of another type."""
    if isinstance(example, tuple):
        return isinstance(argument, tuple) and len(argument) == len(example) and all(map(fits, argument, example))
    if isinstance(example, np.ndarray):
        is_array = isinstance(argument, np.ndarray) and argument.ndim == example.ndim
        return is_array and argument.dtype == example.dtype and argument.flags.c_contiguous
    kinds: tuple[type, ...] = (bool, np.bool_) if isinstance(example, bool) else (int, np.integer)
    return isinstance(argument, (*kinds, float, np.floating) if isinstance(example, float) else kinds)


def record() -> Calls:
    """Play, and return the recorded calls of kernels: name, arguments before and after, and return value."""
    calls: Calls = []
    counts = Counter[str]()

    def recorder(name: str, kernel: Any, examples: tuple[Any, ...]) -> Any:
        def call(*arguments: Any) -> Any:
            assert fits(arguments, examples), name
            counts[name] += 1
            is_kept = counts[name] <= MOST // 2 or math.log2(counts[name]).is_integer()
            before = copied(arguments) if is_kept else ()
            answer = kernel(*arguments)
            if is_kept:
                calls.append((name, before, copied(arguments), copied(answer)))
            return answer

        return call

    recorders = {
        id(kernel): recorder(name, kernel, examples) for name, (kernel, examples) in compiler.entry_points().items()
    }
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0].startswith("impinge"):
            for attribute, value in list(vars(module).items()):
                if id(value) in recorders:
                    setattr(module, attribute, recorders[id(value)])
    play(np.random.default_rng(1))
    return calls


def shapes(rng: np.random.Generator) -> list[Any]:
    """Make a shape of each kind."""
    angles = np.sort(rng.uniform(0, math.tau, 9))
    star = [(r * math.cos(a), r * math.sin(a)) for r, a in zip(rng.uniform(0.5, 2, 9), angles, strict=True)]
    return [
        im.Box(*rng.uniform(0.5, 3, 2)),
        im.Circle(rng.uniform(0.5, 2)),
        im.Capsule((0, 0), tuple(rng.uniform(-2, 2, 2)), rng.uniform(0.1, 1)),
        im.Polygon(star),
        im.Polygon([(0, 0), (4, -3), (1, 0), (4, 3)], 0.25),
        im.Compound([(im.Circle(1), im.Pose(1, 0)), (im.Box(1, 2), im.Pose(-1, 0, 0.4))]),
    ]


class Refusal:
    """A plugin that stops a step."""

    @im.hookimpl
    def impinge_filter(self, world: Any, weak: Any, mighty: Any, response: str) -> str:
        raise RuntimeError(f"{weak} and {mighty}")


def play(rng: np.random.Generator) -> None:
    """Ask all queries at random, and step some worlds."""
    pose = lambda: im.Pose(*rng.uniform(-4, 4, 2), rng.uniform(-3, 3))  # noqa: E731
    kinds = shapes(rng)
    for one in kinds:
        for other in kinds:
            a, b = pose(), pose()
            still, going, turning = (
                im.Motion.still(a),
                im.Motion(b, im.Pose(*rng.uniform(-9, 9, 2))),
                im.Motion(b, pose()),
            )
            im.overlaps(one, a, other, b)
            im.distance(one, a, other, b)
            im.contact(one, a, other, b)
            for way in (going, turning):
                im.time_of_impact(one, still, other, way)
                im.closest_approach(one, still, other, way)
                im.contact_interval(one, still, other, way)
                courses = course_of(way), course_of(still)
                movers = [(*course, 1.0, 0, 0, 1, 0) for course in courses]
                parts = [SweptPart(each, each, (0.25, 0.05, reach_of(each), reach_of(each))) for each in (one, other)]
                Meetings(movers, PartRows(parts), [(0, 0, 1, 1, 0, 0)]).settle(0.5)
        sword = im.Sector(rng.uniform(2, 9), rng.uniform(0.2, 3))
        walls = [(wall, pose()) for wall in kinds[:3]]
        im.sector_hit(sword, pose(), one, pose(), walls)
        im.sector_sweep(sword, turning, one, still)
        im.visible_outline(sword, pose(), walls)
    im.push(im.Box(2, 2), im.Motion.still(im.Pose(0, 0)), im.Box(2, 2), im.Motion(im.Pose(0, 5), im.Pose(1, -5)))
    batch.push_boxes((1, 1), (0, 0), (1, 1), (1, 1), rng.uniform(-5, 5, (20, 2)), rng.uniform(-5, 5, (20, 2)))
    solids = batch.Solids(kinds)
    places, pairs = rng.uniform(-3, 3, (len(kinds), 2)), [(0, 1), (2, 3), (4, 5)]
    batch.time_of_impact(solids, places, np.column_stack((-places, rng.uniform(0, 1, len(kinds)))))
    assert batch.time_of_impact(solids, places, -places, pairs).points.shape == (3, 2)
    batch.overlaps(solids, places, pairs)
    batch.distance(solids, places, pairs)
    batch.contact(solids, places, pairs)
    batch.overlapping_pairs(solids, places)
    batch.sector_hits(sword, im.Pose(0, 0), places, 1.0)
    near = NearBoxes()
    near.move(near.append([(-1, -1, 1, 1, 1.0)] * 200), rng.uniform(-9, 9, (200, 2)))
    for _ in range(200):
        near.met(0.0, 0.0, 1.0, 1.0, math.inf)
    play_fast_bodies(rng)
    play_meetings(rng)
    play_foreign()
    for name, (scene_of, _) in CLASSES.items():
        scene = scene_of(random_generator(name, 7, 0), 0)
        for _ in range(2):
            for body, way in zip(scene.bodies, scene.ways, strict=True):
                goal = None if way is None else way(rng, body)
                if goal is not None:
                    body.goal = goal
            scene.world.step()
        world = scene.world
        rows = np.array([body.index for body in scene.bodies])
        world.set_goals(rows, world.poses(rows))
        world.step()
        world.at_point((0, 0))
        world.in_box(im.Box(4, 4), im.Pose(0, 0))
        world.along((-9, -9), (9, 9))
        world.sweep(im.Circle(1), im.Motion(im.Pose(-9, 0), im.Pose(9, 0)))
        world.nearest((0, 0))
        world.sector(im.Sector(9, 1), im.Pose(0, 0), occluders=1)
        world.overlapping_pairs(rows[:4], world.poses(rows[:4])[:, :2])
        fleet = im.Fleet(world, 2, threads=1)
        fleet.set_velocities(rows, rng.normal(0, 1, (2, len(rows), 3)) * (1, 1, 0.05))
        fleet.step(2)
        fleet.cast_rays(*rng.uniform(-9, 9, (2, 2, 5, 2)))
        world.register(Refusal())
        with suppress(RuntimeError):
            world.step()


def play_fast_bodies(rng: np.random.Generator) -> None:
    """Find the fast bodies among random ones, one of which is late, and the pairs that may hit each other."""
    total = 40
    sizes = rng.uniform(0, 2, (total, col.SIZE_COLUMNS))
    outlines = rng.uniform(0, 3, (total, col.OUTLINE_COLUMNS))
    shapes = BodyShapes(outlines, np.arange(total), np.zeros((total, 4)), np.full((total, 3), math.nan))
    rows, swept = np.zeros(total, np.int64), np.zeros((total, col.SWEPT_COLUMNS))
    for room in (1, 400):
        figures = rng.uniform(-9, 9, (total, col.FIGURE_COLUMNS))
        count, slow = entry.find_fast(figures, sizes, 0.3, np.array([3]), np.array([0.5]), rows, swept)
        near, mates = np.zeros((room, 2), np.int64), np.zeros((room, 2), np.int64)
        # Each call but the first finds some bounds as they were.
        for _ in range(2):
            entry.find_near(figures, shapes, rows, swept, count, slow, near, mates)
    play_members(rng)
    figures[5, 1] = math.inf
    entry.find_fast(figures, sizes, 0.3, np.array([3]), np.array([0.5]), rows, swept)


def play_members(rng: np.random.Generator) -> None:
    """List the pairs of shapes of random bodies, some of which are filtered, sensors, or left."""
    total = 30
    fast = FastBodies(np.full((total, 3), 1.0), np.full((2 * total, 5), 0.5), np.repeat(np.arange(total), 2))
    parts = PartRows([SweptPart(im.Circle(1), im.Circle(0.9), (thick, 0.1, 1.0, 0.0)) for thick in (1.0, 0.5)])
    marks = ShapeMarks(2 * total)
    for left in (np.empty((0, 2), np.int64), np.ascontiguousarray(np.argwhere(rng.random((60, 60)) < 0.5))):
        figures = rng.uniform(-9, 9, (total, 6)) * (1, 1, 1, 3, 3, 0.1)
        fast.find(figures, 0.1, {})
        near = fast.pairs(figures)
        members, is_near = fast.members(near, also=[3], left=left)
        count, shapes = len(members.bodies), rng.integers(0, 2, (len(members.shapes), 5))
        centers = rng.integers(0, 2, (count, 3)).astype(float)
        facts = BodyFacts(rng.integers(0, (3, 2), (count, 2)), centers, *(rng.random((2, count)) < 0.5))
        movers = movers_of(figures, members.bodies, facts, np.full(count, 0.1), int(is_near.sum()))
        for _ in range(2):
            marks.compare(members, centers, rng.integers(0, 2, (len(shapes), 3)).astype(float), shapes)
        shapes[:, 4] = rng.integers(-1, 2, len(shapes))
        traits = MemberTraits(movers, rng.integers(0, 2, count), shapes * (2, 1, 1, 1, 1), left)
        fast.shape_pairs(figures, near, members, traits, parts)


def play_foreign() -> None:
    """Call C functions for no objects: those of an engine are elsewhere in another process."""
    none = np.empty(0, np.int64)
    entry.read_objects(np.zeros((1, col.GETTER_COLUMNS), np.int64), none, np.empty((0, 1), np.int64), np.empty((0, 1)))
    entry.tell_each(0, none, 0, 0)
    meetings = Meetings([], PartRows(), [])
    sending = Sending(none, np.empty((0, 3)), np.empty(0, np.bool_))
    falling = np.empty(0, np.bool_)
    meetings.send(sending, np.empty((0, 3)), np.empty(0), 0.1, (0.0, 0.0), falling)
    rows, times = np.empty((0, col.REST_COLUMNS)), np.empty(0)
    meetings.finish(none, Rests(rows), times, np.empty((0, 3)), np.empty((0, 6)), np.empty((0, 2)), falling)


def play_meetings(rng: np.random.Generator) -> None:
    """Let random bodies meet: some are fixed, heavy, or pushed out of overlaps."""
    solids = (im.Circle(1), im.Capsule((-2, 0), (2, 0), 0.5), im.Box(3, 1))
    cores = (im.Circle(0.9), im.Capsule((-2, 0), (2, 0), 0.4), im.Box(2.8, 0.8))
    traits = ((1.0, 0.1, 1.0, 0.0), (0.5, 0.1, 2.5, 2.5), (0.5, 0.1, 1.6, 1.6))
    parts = PartRows(SweptPart(*each) for each in zip(solids, cores, traits, strict=True))
    for _ in range(8):
        total, movers = 12, list[tuple[float, ...]]()
        for number in range(total):
            begin, end = (*rng.uniform(-8, 8, 2), rng.uniform(-1, 1)), (*rng.uniform(-8, 8, 2), rng.uniform(-1, 1))
            motion = begin + (begin if number == 0 else end) + (0.0, 0.0)
            is_fixed, is_heavy, is_swept, is_parted = (rng.random(4) < (0.2, 0.2, 0.7, 0.5)).tolist()
            movers.append((*motion, rng.uniform(1, 3), is_fixed, is_fixed or is_heavy, is_swept, is_parted))
        pairs = [
            (one, one % 3, other, other % 3, *(rng.random(2) < 0.1).tolist())
            for one in range(total)
            for other in range(total)
            if one < other and not (movers[one][9] and movers[other][9])
        ]
        settled = Meetings(movers, parts, pairs)
        settled.settle(0.5, partings=rng.normal(0, 0.1, (total, 3)))
        after = np.hstack([settled.stands(), rng.normal(0, 9, (total, 3))])
        turns, centers = np.append(rng.permutation(total - 2), (-1, -1)), rng.integers(0, 2, (total, 2)).astype(float)
        sent = settled.sent(rng.uniform(0, 0.2, total), 0.1, turns)
        states, sizes = rng.integers(0, 2, (len(sent), 2)) // rng.integers(1, 3), rng.uniform(0, 3, (len(sent), 3))
        arrivals, _ = settled.arrivals(after, centers, SentBodies(sent, states, sizes), (1.0, 0.1))
        hits = settled.hit_rows().hits
        settled.ends(hits, after, centers, arrivals)
        (going,) = np.nonzero(arrivals == GOES_ON)
        settled.rests(after, centers, np.full(total, 0.1), 0.1, np.full((len(going), 3), 2.0), going)
        settled.falls(hits, rng.normal(0, 9, (total, 3)), after, (0.0, -9.0), 0.1)
        Meetings(movers, parts, pairs).strikes(0.0)
        Meetings(movers, parts, pairs).move_in_turn(total, 0.0)


def same(one: Any, other: Any) -> bool:
    """Return whether two arguments, or two results, are bit-identical."""
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if one is None:
        return other is None
    one, other = np.asarray(one), np.asarray(other)
    return one.shape == other.shape and one.astype(other.dtype).tobytes() == other.tobytes()


def narrowed(value: Any, example: Any) -> Any:
    """Return an argument whose arrays have only the columns that the kernel's example says it needs."""
    if isinstance(value, tuple):
        parts = [narrowed(*each) for each in zip(value, example, strict=True)]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    has_columns = isinstance(value, np.ndarray) and value.ndim == 2 and example.shape[1]
    return np.ascontiguousarray(value[:, : example.shape[1]]) if has_columns else value


def replay(calls: Calls) -> dict[str, tuple[int, int]]:
    """Repeat recorded calls. Return the number of calls of each kernel, and how many gave other results."""
    kernels = compiler.entry_points()
    total, wrong = Counter[str](), Counter[str]()
    for name, before, after, answer in calls:
        kernel, example = kernels[name]
        arguments = narrowed(copied(before), example)
        returned = kernel(*arguments)
        total[name] += 1
        wrong[name] += not (same(returned, answer) and same(arguments, narrowed(after, example)))
    return {name: (total[name], wrong[name]) for name in kernels}


def main() -> None:
    command, file = sys.argv[1], Path(sys.argv[2])
    if command == "record":
        file.write_bytes(pickle.dumps(record()))
    else:
        for name, (total, wrong) in replay(pickle.loads(file.read_bytes())).items():
            print(name, total, wrong)


if __name__ == "__main__":
    main()
