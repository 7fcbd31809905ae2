"""Random scenes in closed rooms, and a judge of what the world says of contacts after each frame.

For each body that is neither the mightiest nor a sensor:

- *blocked*: its `blocked` has a side, but no mightier body is within reach of a contact at the frame's end;
- *floor*: it is `on_floor`, but its floor is not within reach;
- *chord*: the same, but by no more than the chord of a way around a round corner, as the docs allow: no lie;
- *stuck*: its `stuck` has a side, but all bodies near its way share one velocity, with which it could move along;
- *flung*: it moved farther than its own movement, among still bodies;
- *inside*: it ends inside of a mightier body, and is not stuck;
- *escaped*: it has left the room.

The judge uses `impinge.distance`, and separating axes for depths. `python tests/oracles/phantom_contacts.py
--body-frames 2000000 --seed 7` prints the counts of each class.
"""

from __future__ import annotations

import argparse
import math
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

import impinge as im
from impinge import Pose, runtime
from separating_axes import Solids
from transformed_worlds import CLASSES as TRANSFORMED
from transformed_worlds import (
    Actor,
    Scene,
    Step,
    continued,
    is_free,
    largest_radius,
    rounded,
    script,
    solid,
    starts_overlapped,
    trimmed,
    walking_steps,
)

Rng: TypeAlias = np.random.Generator
Floats: TypeAlias = NDArray[np.float64]

# A gap that counts as a contact, and a depth that counts as none, in units of the scene. Position correction at the end
# of a span of rotation leaves 1e-7 or less.
NEAR = 1e-6
FRAMES = 60
# Weak bodies of this many scenes share the walls of one.
CROWD = 4
KINDS_OF_LIE = ("blocked", "floor", "stuck", "flung", "inside", "escaped")
# A new contact sees the chord of the way around a round corner, off by at most 1/500 of both radii. A slanted contact
# is off by more.
CHORD = 2 / 500


class Lie(NamedTuple):
    """What is wrong with an actor after a frame."""

    kind: str
    frame: int
    actor: int
    amount: float


@dataclass
class Judged:
    """A scene, the frames of bodies that a mightier one could push, and all lies."""

    scene: Scene
    body_frames: int
    lies: list[Lie]


def enclosed(scene: Scene, half: float) -> Scene:
    """Return a scene within four walls that are mightier than all bodies."""
    thick = half
    sides = [
        (im.Box(2 * half + 2 * thick, thick), Pose(0, -half - thick / 2)),
        (im.Box(2 * half + 2 * thick, thick), Pose(0, half + thick / 2)),
        (im.Box(thick, 2 * half), Pose(-half - thick / 2, 0)),
        (im.Box(thick, 2 * half), Pose(half + thick / 2, 0)),
    ]
    walls = tuple(Actor(shape, pose, rules={"might": 99}, is_wall=True) for shape, pose in sides)
    return replace(scene, actors=walls + scene.actors)


def half_width(scene: Scene) -> float:
    return 80.0 if scene.unit > 1.0 else 12.0


def crowded(make: Callable[[Rng], Scene]) -> Callable[[Rng], Scene]:
    """Return a maker of enclosed scenes with more weak bodies."""

    def crowd(rng: Rng) -> Scene:
        scene = make(rng)
        fixed = [actor for actor in scene.actors if actor.rules.get("might")]
        actors = list(scene.actors)
        for _ in range(CROWD - 1):
            other = make(rng)
            if other.unit == scene.unit:
                actors += [
                    actor
                    for actor in other.actors
                    if not actor.is_wall and not actor.rules.get("might") and is_free(actor.shape, actor.pose, fixed)
                ]
        half = half_width(scene)
        inside = [actor for actor in actors if actor.is_wall or math.hypot(actor.pose.x, actor.pose.y) < 0.8 * half]
        return enclosed(replace(scene, actors=tuple(inside)), half)

    return crowd


def ledges(rng: Rng) -> Scene:
    """Walkers jump against ledges that move."""
    actors = []
    for number in range(3):
        width, height = rng.uniform(2, 6, 2).tolist()
        x, y = rng.uniform(-8, 8, 2).tolist()
        step_x, step_y = (rng.uniform(0.05, 0.6) * rng.uniform(-1, 1, 2)).tolist()
        count = int(rng.integers(5, 25))
        flat = float(rng.choice([0.0, 1.0]))
        steps: tuple[Step, ...] = ((step_x, flat * step_y, 0.0),) * count
        back: tuple[Step, ...] = ((-step_x, -flat * step_y, 0.0),) * count
        shape: Any = im.Box(width, height) if rng.random() < 0.7 else solid(rng, "mixed", 3.0)
        actors.append(Actor(shape, Pose(x, y), steps + back, {"might": 3 + number}))
    for _ in range(3):
        kind = str(rng.choice(["circle", "circle", "capsule", "convex polygon", "box"]))
        shape = solid(rng, kind, 1.0)
        x, y = rng.uniform(-8, 8, 2).tolist()
        rules: dict[str, Any] = {"max_slope": float(rng.choice([0.4, 0.8, 1.2]))}
        if is_free(shape, Pose(x, y), actors):
            actors.append(Actor(shape, Pose(x, y), walking_steps(rng, 2.0), rules))
    return Scene(tuple(actors))


def presses(rng: Rng) -> Scene:
    """Bodies of two ranks fly through weak ones, fast or slowly."""
    actors = []
    kind = str(rng.choice(["box", "convex polygon", "mixed"]))
    for number in range(3):
        shape = solid(rng, kind, rng.uniform(1, 3))
        x, y = rng.uniform(-9, 9, 2).tolist()
        step_x, step_y = (10.0 ** rng.uniform(-1, 1) * rng.uniform(-1, 1, 2)).tolist()
        count = int(rng.integers(1, 8))
        steps: tuple[Step, ...] = ((step_x, step_y, 0.0),) * count + ((-step_x, -step_y, 0.0),) * count
        actors.append(Actor(shape, Pose(x, y), steps, {"might": 3 + number}))
    for _ in range(3):
        shape = solid(rng, kind, 1.0)
        x, y = rng.uniform(-8, 8, 2).tolist()
        if is_free(shape, Pose(x, y), actors):
            step: Step = (*rng.uniform(-2, 2, 2).tolist(), 0.0)
            actors.append(Actor(shape, Pose(x, y), (step,) * 5 + ((0.0, 0.0, 0.0),) * 5))
    return Scene(tuple(actors))


def hills(rng: Rng) -> Scene:
    """Compounds and concave bodies pass round hills at any speed."""
    actors = []
    for _ in range(int(rng.integers(1, 4))):
        x, y = rng.uniform(-6, 6, 2).tolist()
        shape: Any = im.Circle(rng.uniform(0.5, 5)) if rng.random() < 0.7 else solid(rng, "capsule", 4.0)
        actors.append(Actor(shape, Pose(x, y, rng.uniform(-3, 3)), rules={"might": 1}, is_wall=True))
    for _ in range(3):
        kind = str(rng.choice(["smooth", "smooth", "compound", "concave polygon", "rounded concave polygon"]))
        shape = solid(rng, kind, 1.5)
        x, y = rng.uniform(-8, 8, 2).tolist()
        pose = Pose(x, y, float(rng.choice([0.0, rng.uniform(-3, 3)])))
        if is_free(shape, pose, actors):
            speeds = (10.0 ** rng.uniform(-1, 1.5, 10)).tolist()
            bearings = rng.uniform(-math.pi, math.pi, 10).tolist()
            steps = tuple(
                (speed * math.cos(bearing), speed * math.sin(bearing), 0.0)
                for speed, bearing in zip(speeds, bearings, strict=True)
            )
            actors.append(Actor(shape, pose, steps))
    return Scene(tuple(actors))


def balls(rng: Rng) -> Scene:
    """Balls and boxes fly, bounce and stop among clutter."""
    return TRANSFORMED["bouncing"](rng)


CLASSES: dict[str, Callable[[Rng], Scene]] = {
    **{name: crowded(make) for name, make in TRANSFORMED.items()},
    "ledges": crowded(ledges),
    "presses": crowded(presses),
    "hills": crowded(hills),
}


def random_scene(name: str, seed: int, number: int) -> Scene:
    return CLASSES[name](np.random.default_rng([sum(map(ord, name)), seed, number]))


@dataclass
class Record:
    """All poses of a scene, (frames + 1, n, 3), own movements, (frames, n, 2), and its flags after each frame."""

    poses: Floats
    wanted: Floats
    flagged: list[tuple[int, int, str, int]]
    stuck: NDArray[np.bool_]
    overlapped: NDArray[np.bool_]


def run(scene: Scene, frames: int) -> Record:
    """Run a scene. Flags are frame, actor, kind, and the actor that is the floor or -1."""
    world = im.World(entry_points=False)
    bodies = [world.add(actor.shape, actor.pose, **actor.rules) for actor in scene.actors]
    count = len(bodies)
    numbers = {body.index: number for number, body in enumerate(bodies)}
    rows = np.array([body.index for body in bodies])
    weak = [number for number, actor in enumerate(scene.actors) if not actor.is_wall]
    moving = [(number, actor, bodies[number]) for number, actor in enumerate(scene.actors) if actor.moves]
    record = Record(
        np.zeros((frames + 1, count, 3)),
        np.zeros((frames, count, 2)),
        [],
        np.zeros((frames, count), bool),
        np.zeros((frames, count), bool),
    )
    record.poses[0] = world.poses(rows)
    for frame in range(frames):
        for number, actor, body in moving:
            x, y, angle = body.coordinates
            step_x, step_y, turn = actor.steps[frame % len(actor.steps)]
            if actor.flies and frame:
                (step_x, step_y), turn = body.movement, 0.0
            body.aim(x + step_x, y + step_y, angle + turn)
            record.wanted[frame, number] = step_x, step_y
        world.step()
        record.poses[frame + 1] = world.poses(rows)
        for number in weak:
            body = bodies[number]
            if body.blocked:
                record.flagged.append((frame, number, "blocked", -1))
            if body.stuck:
                record.flagged.append((frame, number, "stuck", -1))
                record.stuck[frame, number] = True
            if body.overlapped:
                record.overlapped[frame, number] = True
            if body.max_slope is not None and body.floor is not None:
                record.flagged.append((frame, number, "floor", numbers[body.floor.index]))
    return record


def judged(scene: Scene, frames: int = FRAMES) -> Judged:
    """Run a scene, and return all lies."""
    record = run(scene, frames)
    weak = [
        number
        for number, actor in enumerate(scene.actors)
        if not actor.is_wall and actor.rules.get("response") != "sensor"
    ]
    return Judged(scene, frames * len(weak), list(_lies(scene, record, weak)))


def is_wrong(lie: Lie) -> bool:
    return lie.kind in KINDS_OF_LIE


def _lies(scene: Scene, record: Record, weak: list[int]) -> Iterator[Lie]:
    solids = Solids([actor.shape for actor in scene.actors])
    might = np.array([actor.rules.get("might", 0) for actor in scene.actors])
    pushes = np.array([actor.rules.get("response") != "sensor" for actor in scene.actors])
    close = NEAR * scene.unit
    mightier = {number: np.flatnonzero((might > might[number]) & pushes) for number in weak}
    radii = [largest_radius(actor.shape) for actor in scene.actors]
    claims: dict[int, list[tuple[int, str, Any]]] = {}
    for frame, number, kind, floor in record.flagged:
        if number not in mightier:
            continue
        if kind == "stuck":
            if _cannot_be_stuck(scene, record, solids, frame, number, mightier[number]):
                yield Lie(kind, frame, number, math.nan)
            continue
        others = mightier[number] if kind == "blocked" else np.array([floor])
        poses = record.poses[frame + 1]
        far = np.hypot(*(poses[others, :2] - poses[number, :2]).T) - solids.reaches[others]
        reach = solids.reaches[number] + close + CHORD * (radii[number] + max(radii))
        claims.setdefault(frame, []).append((number, kind, others[far <= reach]))
    packed = im.batch.Solids([actor.shape for actor in scene.actors])
    for frame, found in claims.items():
        pairs = np.array([(number, other) for number, _, near in found for other in near.tolist()]).reshape(-1, 2)
        gaps = im.batch.distance(packed, record.poses[frame + 1], pairs).distances if len(pairs) else np.zeros(0)
        begin = 0
        for number, kind, near in found:
            mine = gaps[begin : begin + len(near)]
            begin += len(near)
            gap = float(mine.min(initial=np.inf))
            if gap > close:
                is_chord = gap <= close + CHORD * (radii[number] + max(radii))
                yield Lie("chord" if is_chord else kind, frame, number, gap)
    yield from _flung(scene, record, weak, might, pushes)
    yield from _inside(scene, record, solids, weak, might, pushes)
    half = half_width(scene)
    if any(might == 99):
        outside = np.abs(record.poses[1:, :, :2]).max(axis=2) > half + close
        for number in weak:
            frames = np.flatnonzero(outside[:, number])
            # The origin of a solid may be outside of it.
            if len(frames) and np.abs(record.poses[frames[0] + 1, number, :2]).max() > half + solids.reaches[number]:
                yield Lie("escaped", int(frames[0]), number, math.nan)


def _cannot_be_stuck(
    scene: Scene, record: Record, solids: Solids, frame: int, number: int, mightier: NDArray[np.int64]
) -> bool:
    """Return whether all bodies near the way of a body move alike, and none turns."""
    if frame and record.stuck[frame - 1, number]:
        return False
    before, after = record.poses[frame], record.poses[frame + 1]
    if record.overlapped[frame, number] or before[number, 2] != after[number, 2]:
        return False
    moved = after - before
    length = np.hypot(*moved[:, :2].T)
    # The way may be bent, but it is no longer than its own movement and those of all that push it.
    way = float(np.hypot(*record.wanted[frame, number]) + length[mightier].max(initial=0.0))
    gaps = np.hypot(*(before[mightier, :2] - before[number, :2]).T) - solids.reaches[mightier] - length[mightier]
    near = mightier[gaps <= solids.reaches[number] + way]
    return bool((moved[near, 2] == 0.0).all()) and len(np.unique(moved[near, :2], axis=0)) <= 1


def _flung(
    scene: Scene, record: Record, weak: list[int], might: NDArray[np.int64], pushes: NDArray[np.bool_]
) -> Iterator[Lie]:
    moved = np.diff(record.poses, axis=0)
    for number in weak:
        actor = scene.actors[number]
        still = ~moved[:, (might > might[number]) & pushes].any(axis=(1, 2))
        if "max_slope" in actor.rules or actor.turns:
            continue
        excess = np.hypot(*moved[:, number, :2].T) - np.hypot(*record.wanted[:, number].T)
        since = np.cumsum(record.stuck[:, number] | record.overlapped[:, number]) > 0
        frames = np.flatnonzero(still & ~since & (excess > NEAR * scene.unit))
        if len(frames):
            yield Lie("flung", int(frames[0]), number, float(excess[frames[0]]))


def _inside(
    scene: Scene,
    record: Record,
    solids: Solids,
    weak: list[int],
    might: NDArray[np.int64],
    pushes: NDArray[np.bool_],
) -> Iterator[Lie]:
    passable = [bool(actor.rules.get("passable")) for actor in scene.actors]
    pairs = np.array(
        [
            (other, number)
            for number in weak
            for other in np.flatnonzero((might > might[number]) & pushes).tolist()
            if not passable[other]
        ],
        np.int64,
    ).reshape(-1, 2)
    if not len(pairs):
        return
    excess = -solids.separations(record.poses[1:], pairs) - NEAR * scene.unit
    excess[record.stuck[:, pairs].any(axis=2)] = -np.inf
    for row, (_, number) in enumerate(pairs.tolist()):
        frames = np.flatnonzero(excess[:, row] > 0.0)
        if len(frames):
            yield Lie("inside", int(frames[0]), number, float(excess[frames[0], row]))


def minimised(scene: Scene, lie: Lie) -> tuple[Scene, int]:
    """Return a smaller scene, and its number of frames, with a lie of the same kind."""
    overlaps = starts_overlapped(scene)

    def lies(candidate: Scene, count: int) -> bool:
        if not overlaps and starts_overlapped(candidate):
            return False
        return any(found.kind == lie.kind for found in judged(candidate, count).lies)

    frames = lie.frame + 1
    for left in (1, 2, 3, 5, 10):
        later = continued(scene, frames - left) if left < frames else scene
        if later is not scene and lies(later, left):
            scene, frames = later, left
            break
    number = 0
    while number < len(scene.actors):
        less = replace(scene, actors=scene.actors[:number] + scene.actors[number + 1 :])
        if lies(less, frames):
            scene = less
        else:
            number += 1
    frames = next((count for count in range(1, frames) if lies(scene, count)), frames)
    scene = trimmed(scene, frames)
    for digits in (0, 1, 2, 3, 4):
        for number in range(len(scene.actors)):
            scene = rounded(scene, number, digits, lambda candidate: lies(candidate, frames))
    return scene, frames


def main() -> None:
    """Print how many lies there are in each class."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--body-frames", type=int, default=100_000, help="over all classes")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--class", dest="names", action="append", choices=CLASSES, help="may be repeated")
    parser.add_argument("--show", type=int, default=0, help="print so many small scenes of each class and kind")
    arguments = parser.parse_args()
    names = arguments.names or [*CLASSES]
    runtime.prepare()
    totals = Counter[str]()
    columns = (*KINDS_OF_LIE, "chord")
    print(f"{'class':15}{'body-frames':>12}" + "".join(f"{kind:>9}" for kind in columns) + "  first scenes")
    begin = time.monotonic()
    for name in names:
        counts, first, number = Counter[str](), dict[str, list[int]](), 0
        while counts["body-frames"] < arguments.body_frames / len(names):
            outcome = judged(random_scene(name, arguments.seed, number))
            counts["body-frames"] += outcome.body_frames
            counts["scenes"] += 1
            for lie in outcome.lies:
                counts[lie.kind] += 1
                seen = first.setdefault(lie.kind, [])
                if number not in seen and len(seen) < 4:
                    seen.append(number)
                    if len(seen) <= arguments.show and is_wrong(lie):
                        small, frames = minimised(outcome.scene, lie)
                        print(f"# {name} {number}: {lie}\n{script(small, frames)}", flush=True)
            number += 1
        totals += counts
        row = "".join(f"{counts[kind]:9}" for kind in columns)
        where = "; ".join(f"{kind} {' '.join(map(str, numbers))}" for kind, numbers in first.items())
        print(f"{name:15}{counts['body-frames']:12}{row}  {where}", flush=True)
    found = sum(totals[kind] for kind in KINDS_OF_LIE)
    row = "".join(f"{totals[kind]:9}" for kind in columns)
    print(f"{'all':15}{totals['body-frames']:12}{row}  {totals['scenes']} scenes, {time.monotonic() - begin:.0f} s")
    raise SystemExit(1 if found else 0)


if __name__ == "__main__":
    main()
