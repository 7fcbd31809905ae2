"""Random scenes of several ranks. In them, no body may end inside a mightier one, or outside of its room.

Six classes of scenes: fast bodies and bodies of the middle ranks in closed rooms; a weak body squeezed between two
ranks; walkers on moving and rotating platforms; rotating bodies in contact with two lower ranks, and the same with
hundreds of corners; starts inside of tiles. For long runs this module is a program, which continues after a failure:
`python tests/oracles/random_rooms.py --help`.

Checks after each frame, for each body and each mightier body:

- the pose is finite, and a frame that was cut short is reported as such;
- the depth of the pair is at most three slops, unless one of the two is `stuck` in this frame;
- in a closed room the body reaches no further than the walls, within the same tolerance, unless it is `stuck`;
- in a closed room the centre of its bounds is within the walls, within that tolerance too, `stuck` or not: otherwise it
  has tunnelled.
"""

from __future__ import annotations

import argparse
import math
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import impinge as im
from impinge import Pose, Side, runtime
from separating_axes import Solids
from shapely_solids import KINDS, random_solid

# Rounding of a depth in the judge, in the game's units, for solids of some 1 to 10 units.
NOISE = 1e-12
RESPONSES = ("push", "bounce", "stop")
WEAK, MIDDLE, WALL = 0, 3, 9

Rng = np.random.Generator
# Returns the goal pose of a body, or None to stay.
Way = Callable[[Rng, im.Body], Pose | None]


def random_generator(*keys: str | int) -> Rng:
    """Return a generator for one scene alone: a failing scene can run again without the scenes before it."""
    return np.random.default_rng([*(sum(map(ord, key)) if isinstance(key, str) else key for key in keys)])


@dataclass
class Room:
    """A square between four walls.

    `half` is the distance from its centre to each wall. The room may move and rotate in a frame.
    """

    half: float
    pose: Pose
    speed: float = 0.0
    spin: float = 0.0
    walls: list[tuple[int, Pose]] = field(default_factory=list)

    def move(self, rng: Rng, bodies: list[im.Body]) -> None:
        x, y = (self.speed * rng.uniform(-1, 1, 2)).tolist()
        spin = self.spin * rng.uniform(-1, 1)
        self.pose = Pose(self.pose.x + x, self.pose.y + y, self.pose.angle + spin)
        for index, offset in self.walls:
            bodies[index].goal = placed(offset, self.pose)


def placed(offset: Pose, frame: Pose) -> Pose:
    """Return the world pose of an offset in a frame of reference."""
    cos, sin = math.cos(frame.angle), math.sin(frame.angle)
    return Pose(
        frame.x + cos * offset.x - sin * offset.y,
        frame.y + sin * offset.x + cos * offset.y,
        frame.angle + offset.angle,
    )


class Scene:
    """A world, the motions of its bodies, and its room if it has one."""

    def __init__(self, frames: int) -> None:
        self.world = im.World(entry_points=False)
        self.frames = frames
        self.bodies: list[im.Body] = []
        self.ways: list[Way | None] = []
        self.rules: list[dict[str, Any]] = []
        self.room: Room | None = None

    def add(self, shape: Any, pose: Pose, might: int, way: Way | None = None, **rules: Any) -> im.Body:
        body = self.world.add(shape, pose, might, **rules)
        self.bodies.append(body)
        self.ways.append(way)
        self.rules.append({"might": might, **rules})
        return body

    def add_within(
        self, rng: Rng, shape: Any, near: float, might: int, way: Way | None = None, *, apart: bool = True, **rules: Any
    ) -> None:
        """Add a body at a free place within the room, if one is found. Without `apart` it may overlap equals."""
        centre = self.room.pose if self.room else Pose(0, 0)
        angle = float(rng.choice([0.0, 0.0, rng.uniform(-3, 3)]))
        for _ in range(20):
            x, y = rng.uniform(-near, near, 2).tolist()
            pose = Pose(centre.x + x, centre.y + y, angle)
            if not self._is_within(shape, pose):
                continue
            if not any(apart or body.might != might for body in self.world.in_box(shape, pose, include_touching=False)):
                self.add(shape, pose, might, way, **rules)
                return

    def _is_within(self, shape: Any, pose: Pose) -> bool:
        if self.room is None:
            return True
        poses, room = (np.array([(p.x, p.y, p.angle)]) for p in (pose, self.room.pose))
        return bool(Solids([shape]).farthest(poses[None], room)[0].item() < self.room.half)


@dataclass
class Record:
    """The history of a scene: enough to run it again without random numbers.

    Attributes
    ----------
    poses : (frames + 1, n, 3) float64
        Pose of each body before each frame, and at the end.
    goals : (frames, n, 3) float64
        Goal of each body.
    rooms : (frames + 1, 3) float64
        Position and angle of the room.
    stuck : (frames, n) bool
    cut_short : (frames,) bool
        Whether a body took more turns than the limit of a frame.
    untold : (frames,) bool
        Whether the events of the frame, or the bodies, fail to report that.
    costs : (frames,) float64
        Seconds of CPU time of each step.
    """

    poses: Any
    goals: Any
    rooms: Any
    stuck: Any
    cut_short: Any
    untold: Any
    costs: Any


def run(scene: Scene, rng: Rng) -> Record:
    """Run all frames of a scene."""
    world, bodies, count = scene.world, scene.bodies, len(scene.bodies)
    rows = np.array([body.index for body in bodies])
    frames = scene.frames
    record = Record(
        np.zeros((frames + 1, count, 3)),
        np.zeros((frames, count, 3)),
        np.zeros((frames + 1, 3)),
        np.zeros((frames, count), bool),
        np.zeros(frames, bool),
        np.zeros(frames, bool),
        np.zeros(frames),
    )
    record.poses[0] = world.poses(rows)
    for number in range(frames):
        if scene.room is not None:
            record.rooms[number] = scene.room.pose.x, scene.room.pose.y, scene.room.pose.angle
            scene.room.move(rng, bodies)
        for body, way in zip(bodies, scene.ways, strict=True):
            goal = None if way is None else way(rng, body)
            if goal is not None:
                body.goal = goal
        record.goals[number] = [(goal.x, goal.y, goal.angle) for goal in (body.goal for body in bodies)]
        begin = time.thread_time()
        frame = world.step()
        record.costs[number] = time.thread_time() - begin
        record.cut_short[number] = world.counters.cut_short > 0
        told = {event.weak for event in frame.cut_short_events}
        is_told = told == {body for body in bodies if body.cut_short} and bool(told) == record.cut_short[number]
        record.untold[number] = not is_told
        record.poses[number + 1] = world.poses(rows)
        record.stuck[number] = [bool(body.stuck) for body in bodies]
        if not np.isfinite(record.poses[number + 1]).all():
            record.poses[number + 2 :] = np.nan
            break
    if scene.room is not None:
        record.rooms[frames] = scene.room.pose.x, scene.room.pose.y, scene.room.pose.angle
    return record


@dataclass(frozen=True)
class Failure:
    """A broken promise: after the frame `weak` is too deep in `mighty`, or too far out of the room."""

    kind: str
    frame: int
    weak: int
    mighty: int
    amount: float
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        amount = f"frame {self.frame}: {self.kind}, body {self.weak} and {self.mighty}, {self.amount:.3g}"
        return ", ".join([amount, *self.notes])


def ranked_pairs(mights: list[int]) -> Any:
    """Return all pairs of a mightier body and a weaker one, (m, 2)."""
    pairs = [(a, b) for a, high in enumerate(mights) for b, low in enumerate(mights) if high > low]
    return np.array(pairs, np.int64).reshape(-1, 2)


def allowed_depths(solids: Solids, record: Record, pairs: Any) -> Any:
    """Return three slops of each pair in each frame, for the largest coordinate of starts, ends and goals."""
    places = np.maximum(np.abs(record.poses[:-1]), np.abs(record.poses[1:]))[..., :2].max(axis=2)
    far = (np.maximum(places, np.abs(record.goals[..., :2]).max(axis=2)) + solids.reaches)[:, pairs].max(axis=2)
    return 3.0 * (1e-9 * solids.extents[pairs].min(axis=1) + 8.0 * np.finfo(float).eps * far) + NOISE


def failures(scene: Scene, record: Record) -> list[Failure]:
    """Return the failures of the first frame that has any, and of the first frame cut short without a report.

    A body that has left a room does not come back, so later frames only repeat the failure.
    """
    misplaced = [*_misplaced(scene, record)]
    first = min((failure.frame for failure in misplaced), default=-1)
    found = [failure for failure in misplaced if failure.frame == first]
    if record.untold.any():
        found.append(Failure("cut short untold", int(np.argmax(record.untold)), -1, -1, math.nan))
    return found


def _misplaced(scene: Scene, record: Record) -> Iterator[Failure]:
    lost = np.argwhere(~np.isfinite(record.poses[1:]).all(axis=2))
    if len(lost):
        yield Failure("not finite", int(lost[0, 0]), int(lost[0, 1]), -1, math.nan)
        return
    solids = Solids([body.shape for body in scene.bodies])
    mights = [rule["might"] for rule in scene.rules]
    pairs = ranked_pairs(mights)
    allowed = allowed_depths(solids, record, pairs)
    stuck = record.stuck[:, pairs].any(axis=2)
    excess = np.where(stuck, -np.inf, -solids.separations(record.poses[1:], pairs) - allowed)
    yield from _worst_of_first("depth", excess, pairs, record)
    if scene.room is not None:
        yield from _outside(scene, scene.room, solids, record)


def _outside(scene: Scene, room: Room, solids: Solids, record: Record) -> Iterator[Failure]:
    mights = [rule["might"] for rule in scene.rules]
    held = np.flatnonzero(np.array(mights) < WALL)
    walls = np.column_stack([np.full(len(held), room.walls[0][0]), held])
    reach, centre = (found[:, held] - room.half for found in solids.farthest(record.poses[1:], record.rooms[1:]))
    allowed = allowed_depths(solids, record, walls)
    outside = np.where(record.stuck[:, held], -np.inf, reach - allowed)
    # A segment along a wall has its centre on the wall: it may be as deep in the wall as a contact allows.
    yield from _worst_of_first("left the room", centre - allowed, walls, record)
    yield from _worst_of_first("beyond the wall", outside, walls, record)


def _worst_of_first(kind: str, excess: Any, pairs: Any, record: Record) -> Iterator[Failure]:
    frames = np.flatnonzero((excess > 0.0).any(axis=1))
    if len(frames):
        frame = int(frames[0])
        worst = int(excess[frame].argmax())
        mighty, weak = pairs[worst].tolist()
        notes = {
            "cut short": record.cut_short[frame],
            "cut short before": record.cut_short[:frame].any(),
            "stuck": record.stuck[frame, [mighty, weak]].any(),
            "stuck before": record.stuck[:frame, [mighty, weak]].any(),
        }
        told = tuple(note for note, holds in notes.items() if holds)
        yield Failure(kind, frame, weak, mighty, float(excess[frame, worst]), told)


# Motions.


def steady(x: float, y: float, spin: float = 0.0) -> Way:
    return lambda _, body: Pose(body.pose.x + x, body.pose.y + y, body.angle + spin)


def to_and_fro(x: float, y: float, spin: float, frames: int) -> Way:
    """Move at one velocity for some frames, then back for as many."""
    passed = [0]

    def way(_: Rng, body: im.Body) -> Pose:
        sign = 1.0 if passed[0] // frames % 2 == 0 else -1.0
        passed[0] += 1
        return Pose(body.pose.x + sign * x, body.pose.y + sign * y, body.angle + spin)

    return way


def wandering(speed: float, spin: float) -> Way:
    def way(rng: Rng, body: im.Body) -> Pose:
        x, y, turn = rng.uniform(-1, 1, 3).tolist()
        return Pose(body.pose.x + speed * x, body.pose.y + speed * y, body.angle + spin * turn)

    return way


def darting(size: float, spin: float) -> Way:
    """Choose goals up to 300 sizes away, all magnitudes equally likely."""

    def way(rng: Rng, body: im.Body) -> Pose:
        far = size * 10.0 ** rng.uniform(-1.5, 2.5)
        x, y, turn = rng.uniform(-1, 1, 3).tolist()
        return Pose(body.pose.x + far * x, body.pose.y + far * y, body.angle + spin * turn)

    return way


def flying(speed: float, spin: float) -> Way:
    """Continue with the velocity after a bounce. Choose a new one in one frame of five, or at rest."""
    begun = [False]

    def way(rng: Rng, body: im.Body) -> Pose:
        x, y, turn, new = rng.uniform(-1, 1, 4).tolist()
        way_x, way_y = body.movement
        if not begun[0] or new > 0.6 or math.hypot(way_x, way_y) < 1e-3 * speed:
            way_x, way_y, begun[0] = speed * x, speed * y, True
        return Pose(body.pose.x + way_x, body.pose.y + way_y, body.angle + spin * turn)

    return way


def homing(x: float, y: float, speed: float, spin: float) -> Way:
    """Move towards a place, which may be out of reach."""

    def way(rng: Rng, body: im.Body) -> Pose:
        off_x, off_y = x - body.pose.x, y - body.pose.y
        share = min(1.0, speed / max(math.hypot(off_x, off_y), 1e-9))
        turn = spin * rng.uniform(-1, 1)
        return Pose(body.pose.x + share * off_x, body.pose.y + share * off_y, body.angle + turn)

    return way


def walking(speed: float, spin: float, gravity: float, jump: float) -> Way:
    """Walk in one direction for a while, jump now and then, and fall."""
    state = {"fall": 0.0, "pace": 0.0}

    def way(rng: Rng, body: im.Body) -> Pose:
        turns, leaps, pace, turn, dash = rng.uniform(0, 1, 5).tolist()
        if turns < 0.15:
            state["pace"] = speed * (2.0 * pace - 1.0) * (10.0 if dash < 0.05 else 1.0)
        stands = body.on_floor
        state["fall"] = jump if stands and leaps < 0.15 else -0.1 * gravity if stands else state["fall"] - gravity
        turn = spin * (2.0 * turn - 1.0)
        return Pose(body.pose.x + state["pace"], body.pose.y + state["fall"], body.angle + turn)

    return way


# Rooms.


def add_room(scene: Scene, rng: Rng, half: float, ways: str, walls: str) -> None:
    """Add four walls, as one body or as four: still, moving, or rotating."""
    angle = float(rng.choice([0.0, 0.0, rng.uniform(-3, 3)]))
    room = scene.room = Room(half, Pose(0, 0, angle))
    if ways != "still":
        room.speed = half * 10.0 ** rng.uniform(-2, 0.5)
    if ways == "turning":
        room.spin = 10.0 ** rng.uniform(-2, 0.3)
        room.speed *= float(rng.choice([0.0, 1.0]))
    rules: dict[str, Any] = {
        "carrying": Side(int(rng.choice([0, 15, 15]))),
        "response": str(rng.choice(RESPONSES, p=[0.8, 0.1, 0.1])),
        "restitution": float(rng.choice([0.0, 0.5, 1.0])),
    }
    thickness = {"thick": 3.0, "thin": 1e-3}.get(walls, float(rng.choice([3.0, 0.3, 1e-3])))
    long, off = 2 * half + 2 * thickness, half + thickness / 2
    sides: list[tuple[Any, Pose]] = [
        (im.Box(long, thickness), Pose(0, -off)),
        (im.Box(long, thickness), Pose(0, off)),
        (im.Box(thickness, long), Pose(-off, 0)),
        (im.Box(thickness, long), Pose(off, 0)),
    ]
    if walls == "segments":
        corners = [(-half, -half), (half, -half), (half, half), (-half, half), (-half, -half)]
        sides = [(im.Capsule(corners[i], corners[i + 1]), Pose(0, 0)) for i in range(4)]
    if walls in ("compound", "segments"):
        sides = [(im.Compound(sides), Pose(0, 0))]
    elif ways == "turning":
        # All walls rotate about the centre of the room.
        sides = [(im.Compound([side]), Pose(0, 0)) for side in sides]
    for shape, offset in sides:
        room.walls.append((len(scene.bodies), offset))
        scene.add(shape, placed(offset, room.pose), WALL, **rules)


def random_rules(rng: Rng) -> dict[str, Any]:
    return {
        "response": str(rng.choice(RESPONSES)),
        "restitution": float(rng.choice([0.0, 0.5, 1.0])),
        "carrying": Side(int(rng.choice([0, 15, 15, int(rng.integers(16))]))),
        "sticky": Side(int(rng.choice([0, 0, 0, 0, 8, 15]))),
    }


def middle_solid(rng: Rng) -> Any:
    """Return a plate, a crate, a blade, a rod, or any solid."""
    name = str(rng.choice(["plate", "crate", "blade", "rod", "any"]))
    if name == "plate":
        return im.Box(rng.uniform(2, 12), float(rng.choice([0.01, 0.2, 0.5])))
    if name == "crate":
        return im.Box(*rng.uniform(1, 4, 2).tolist())
    if name == "blade":
        length, width = rng.uniform(2, 8), rng.uniform(0.02, 0.6)
        return im.Polygon([(0, -width), (length, 0), (0, width)])
    if name == "rod":
        return im.Capsule((0, 0), (rng.uniform(1, 7), 0), float(rng.choice([0.0, 0.05, 0.4])))
    return random_solid(rng, str(rng.choice(KINDS)), rng.uniform(0.8, 2.5))


def weak_solid(rng: Rng, kind: str, size: float) -> Any:
    """Return a solid of a kind; one in ten is very thin or tiny."""
    odd = rng.random()
    if odd < 0.05:
        return im.Box(size * 2, 0.01)
    if odd < 0.1:
        return random_solid(rng, kind, 0.05 * size)
    return random_solid(rng, kind, size)


def middle_way(rng: Rng, half: float) -> Way | None:
    spin = float(rng.choice([0.0, 0.1, 0.7, 2.0]))
    speed = half * 10.0 ** rng.uniform(-2, 0.3)
    x, y = (speed * rng.uniform(-1, 1, 2)).tolist()
    ways: list[Way | None] = [
        None,
        steady(0.0, 0.0, spin * rng.uniform(-1, 1)),
        steady(x, y, spin * rng.uniform(-1, 1)),
        to_and_fro(x, y, spin * rng.uniform(-1, 1), int(rng.integers(1, 6))),
        wandering(speed, spin),
        darting(half, spin),
        flying(3 * speed, spin),
    ]
    return ways[int(rng.integers(len(ways)))]


def rooms(rng: Rng, number: int) -> Scene:
    """Return a closed room with bodies of the middle ranks and fast weak bodies."""
    half = 10.0
    scene = Scene(12)
    upright = number % 4 == 0
    ways = "moving" if upright and number % 8 else ("still", "still", "moving", "turning")[int(rng.integers(4))]
    if upright:
        ways = ways.replace("turning", "still")
    walls = str(rng.choice(["thick", "thin", "separate", "compound", "segments"]))
    add_room(scene, rng, half, ways, walls)
    for _ in range(int(rng.integers(0, 5))):
        shape = im.Box(*rng.uniform(0.3, 6, 2).tolist()) if upright else middle_solid(rng)
        scene.add_within(rng, shape, half, int(rng.integers(1, 4)), middle_way(rng, half), **random_rules(rng))
    kind = KINDS[number % len(KINDS)]
    for index in range(5):
        mixed = kind if index < 3 else str(rng.choice(KINDS))
        shape = weak_solid(rng, "box" if upright else mixed, rng.uniform(0.3, 1.5))
        spin = float(rng.choice([0.0, 0.0, 0.5, 3.0]))
        far = half * 10.0 ** rng.uniform(-1, 2)
        x, y = rng.uniform(-15, 15, 2).tolist()
        choice = [darting(half, spin), flying(far, spin), homing(x, y, 3.0, spin), wandering(0.3 * half, spin)]
        scene.add_within(rng, shape, half, WEAK, choice[int(rng.integers(4))], **random_rules(rng))
    if upright:
        keep_upright(scene)
    return scene


def keep_upright(scene: Scene) -> None:
    """Prevent rotation of all bodies: the world has special kernels for upright boxes."""
    assert scene.room is not None
    for body in scene.bodies:
        body.angle = 0.0
    scene.room.pose, scene.room.spin = Pose(0, 0), 0.0
    for index, offset in scene.room.walls:
        scene.bodies[index].pose = offset

    def level(way: Way) -> Way:
        def levelled(rng: Rng, body: im.Body) -> Pose | None:
            goal = way(rng, body)
            return None if goal is None else Pose(goal.x, goal.y)

        return levelled

    scene.ways = [None if way is None else level(way) for way in scene.ways]


SQUEEZERS = ("box", "circle", "box", "circle", "capsule", "convex polygon", "rounded convex polygon", "compound")
SPEEDS = (0.3, 2.0, 10.0, 100.0)


def squeezes(rng: Rng, number: int) -> Scene:
    """Return a mightiest body, a body of the second rank, and a weak body between them.

    `number` runs through all responses of the three bodies, through which of them move, and through the directions.
    """
    scene = Scene(4)
    left, responses = number, []
    for _ in range(3):
        left, choice = divmod(left, 3)
        responses.append(RESPONSES[choice])
    left, moving = divmod(left, 4)
    left, quarter = divmod(left, 6)
    angle = (0.0, 0.5 * math.pi, math.pi, -0.5 * math.pi, 0.25 * math.pi, rng.uniform(-3, 3))[quarter]
    cos, sin = math.cos(angle), math.sin(angle)
    place, speed = 0.0, float(rng.choice(SPEEDS))
    spin = float(rng.choice([0.0, 0.0, 0.4]))
    reach = 0.0
    # The mightiest body moves, the second moves, both move, or the weak body flies between them.
    wishes = ((-1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.5, 0.0, -1.0), (0.0, float(rng.choice([-1, 1])), -0.5))[moving]
    if moving == 0:
        wishes = (1.0, 0.0, 0.0)
    for might, size, wish, response in zip((2, 0, 1), (3.0, 0.8, 2.0), wishes, responses, strict=True):
        kind = str(rng.choice(SQUEEZERS))
        shape = random_solid(rng, kind, size)
        bounds = Solids([shape])
        own = float(bounds.reaches[0])
        # Their bounding circles touch, overlap a little, or are apart.
        place += (reach + own) * float(rng.choice([1.0, rng.uniform(0.8, 1.6)])) if might != 2 else 0.0
        reach = own
        aside = float(rng.choice([0.0, rng.uniform(-1, 1)]))
        turned = float(rng.choice([0.0, 0.0, rng.uniform(-3, 3)]))
        way = steady(speed * wish * cos, speed * wish * sin, spin * rng.uniform(-1, 1) if turned else 0.0)
        restitution = float(rng.choice([0.0, 0.5, 1.0]))
        x, y = place * cos - aside * sin, place * sin + aside * cos
        scene.add(
            shape,
            Pose(x, y, turned),
            might,
            flying_on(way) if response == "bounce" else way,
            response=response,
            restitution=restitution,
            carrying=Side(int(rng.choice([0, 15, 15]))),
        )
    return scene


def flying_on(first: Way) -> Way:
    """Follow another motion in the first frame, and then continue with the velocity of the body."""
    begun = [False]

    def way(rng: Rng, body: im.Body) -> Pose | None:
        if not begun[0]:
            begun[0] = True
            return first(rng, body)
        x, y = body.movement
        return Pose(body.pose.x + x, body.pose.y + y, body.angle)

    return way


def random_step(rng: Rng) -> dict[str, Any]:
    """Return the rules of a walker; one in four does not walk."""
    slope = [None, 0.4, 0.8, 1.2][int(rng.integers(4))]
    return {
        "max_slope": slope,
        "step_height": float(rng.choice([0, 0.5, 1, 2])),
        "snap": float(rng.choice([0, 0.3, 1, 2])),
        "response": str(rng.choice(RESPONSES, p=[0.8, 0.1, 0.1])),
    }


def walkers(rng: Rng, number: int) -> Scene:
    """Return walkers on platforms and clutter in a closed room."""
    half = 15.0
    scene = Scene(40)
    room_way = str(rng.choice(["still", "still", "moving", "turning"]))
    add_room(scene, rng, half, room_way, str(rng.choice(["thick", "thin", "separate", "compound"])))
    assert scene.room is not None
    scene.room.speed = min(scene.room.speed, 2.0)
    scene.room.spin = min(scene.room.spin, 0.3)
    if rng.random() < 0.6:
        # The floor is level.
        scene.room.pose = Pose(0, 0)
        for index, offset in scene.room.walls:
            scene.bodies[index].pose = offset
    for _ in range(int(rng.integers(2, 8))):
        shape = middle_solid(rng) if rng.random() < 0.7 else im.Box(2.0, 2.0)
        x_way, y_way = rng.uniform(-1, 1, 2).tolist()
        spin = float(rng.choice([0.0, 0.05, 0.3])) * rng.uniform(-1, 1)
        choice: list[Way | None] = [
            None,
            None,
            to_and_fro(x_way, y_way, spin, int(rng.integers(2, 10))),
            steady(0.0, 0.0, spin),
            steady(x_way, y_way, spin),
            walking(1.0, 0.0, 0.5, 4.0),
        ]
        rules = random_rules(rng) if rng.random() < 0.3 else {}
        might, way = int(rng.choice([1, 2, WALL])), choice[int(rng.integers(len(choice)))]
        # Depenetration jumps over bodies in between, so bodies of different ranks start apart.
        scene.add_within(rng, shape, half, might, way, apart=False, **rules)
    kind = KINDS[number % len(KINDS)]
    for _ in range(4):
        spin = float(rng.choice([0.0, 0.0, 0.3]))
        gravity = float(rng.choice([0.1, 0.5, 1.0]))
        way = walking(float(rng.choice([0.5, 1.5, 4.0])), spin, gravity, float(rng.choice([0.0, 3.0, 6.0])))
        shape = weak_solid(rng, kind, rng.uniform(0.5, 1.5))
        scene.add_within(rng, shape, half, WEAK, way, **random_step(rng))
    return scene


def turners(rng: Rng, number: int) -> Scene:
    """Return rotating bodies in the middle, and bodies of two lower ranks that press against them and each other."""

    def turner() -> Any:
        return middle_solid(rng) if rng.random() < 0.6 else random_solid(rng, str(rng.choice(KINDS)), 3.0)

    return around(rng, number, turner)


def wheels(rng: Rng, number: int) -> Scene:
    """Return the same around ellipses with hundreds of corners, of which only those near a body are tested."""

    def ellipse() -> Any:
        total, flat = int(rng.integers(260, 360)), rng.uniform(0.1, 1.0)
        angles = 2.0 * math.pi * (np.arange(total) + rng.choice([0.0, 0.9]) * rng.random(total)) / total
        return im.Polygon(np.column_stack((5.0 * np.cos(angles), 5.0 * flat * np.sin(angles))))

    return around(rng, number, ellipse)


def around(rng: Rng, number: int, turner: Callable[[], Any]) -> Scene:
    """Return a rotating body or two in the middle, and six others around them."""
    scene = Scene(15)
    spin = float(rng.choice([0.02, 0.2, 0.8, 2.5])) * float(rng.choice([-1, 1]))
    for _ in range(int(rng.integers(1, 3))):
        shape = turner()
        x, y = rng.uniform(-3, 3, 2).tolist()
        x_way, y_way = (float(rng.choice([0.0, 0.3, 2.0])) * rng.uniform(-1, 1, 2)).tolist()
        way = to_and_fro(x_way, y_way, spin * rng.uniform(0.3, 1), int(rng.integers(1, 6)))
        scene.add(shape, Pose(x, y, rng.uniform(-3, 3)), WALL, way, carrying=Side(int(rng.choice([0, 15, 15]))))
    kind = KINDS[number % len(KINDS)]
    for index in range(6):
        might = MIDDLE if index < 3 else WEAK
        shape = random_solid(rng, str(rng.choice(KINDS)) if might else kind, 1.5 if might else 0.8)
        x, y = rng.uniform(-2, 2, 2).tolist()
        own = float(rng.choice([0.0, 0.0, 0.1, 0.6]))
        way = homing(x, y, float(rng.choice([0.05, 0.5, 3.0])), own)
        rules = random_rules(rng)
        if rng.random() < 0.5:
            rules["response"] = "push"
        scene.add_within(rng, shape, 7.0, might, way, **rules)
    return scene


def clutter(rng: Rng, number: int) -> Scene:
    """Return tiles that are flush or overlap, of one rank or two, and bodies that start among them and walk."""
    scene = Scene(20)
    size = float(rng.choice([1.0, 2.0, 3.3]))
    step = size * float(rng.choice([1.0, 1.0, 0.8]))
    full = rng.uniform(0.2, 0.7)
    turned = rng.random() < 0.2
    for column in range(-4, 5):
        for row in range(-3, 3):
            if rng.random() < full:
                shape: Any = im.Box(size, size)
                if rng.random() < 0.2:
                    x, y = size / 2, size / 2
                    shape = im.Polygon([(-x, -y), (x, -y), (-x, y)])
                angle = rng.uniform(-3, 3) if turned and rng.random() < 0.3 else 0.0
                might = 2 if rng.random() < 0.1 else 1
                way = wandering(0.3, 0.1) if rng.random() < 0.05 else None
                scene.add(shape, Pose(column * step, row * step, angle), might, way)
    kind = KINDS[number % len(KINDS)]
    for _ in range(4):
        spin = float(rng.choice([0.0, 0.0, 0.3]))
        x, y = (rng.uniform(-4, 4, 2) * step).tolist()
        if rng.random() < 0.3:
            x, y = round(x / step) * step, round(y / step) * step
        shape = random_solid(rng, kind, size * rng.uniform(0.2, 1.0))
        angle = float(rng.choice([0.0, 0.0, rng.uniform(-3, 3)]))
        way = walking(float(rng.choice([0.2, 0.7, 2.0])) * size, spin, 0.2 * size, 1.5 * size)
        scene.add(shape, Pose(x, y, angle), WEAK, way, **random_step(rng))
    return scene


# For each class the function that makes a scene, and the number of scenes at the scale of CI.
CLASSES: dict[str, tuple[Callable[[Rng, int], Scene], int]] = {
    "rooms": (rooms, 40),
    "squeezes": (squeezes, 648),
    "walkers": (walkers, 20),
    "turners": (turners, 30),
    "wheels": (wheels, 15),
    "clutter": (clutter, 30),
}


@dataclass
class Outcome:
    """A scene, its history, and its failures."""

    key: tuple[str, int, int]
    scene: Scene
    record: Record
    failures: list[Failure]

    @property
    def body_frames(self) -> int:
        """Number of frames of bodies that have a mightier one, and that moved or had a goal elsewhere."""
        mights = np.array([rule["might"] for rule in self.scene.rules])
        before = self.record.poses[:-1]
        moved = (self.record.poses[1:] != before) | (self.record.goals != before)
        return int(moved.any(axis=2)[:, mights < mights.max()].sum())


def outcome_of(name: str, seed: int, number: int) -> Outcome:
    """Make the scene of a key, run it, and judge all frames."""
    rng = random_generator(name, seed, number)
    scene = CLASSES[name][0](rng, number)
    record = run(scene, rng)
    return Outcome((name, seed, number), scene, record, failures(scene, record))


def main() -> None:
    """Run random scenes, print all failures and slow steps, and the totals at the end."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--frames", type=int, default=40_000, help="body-frames to check, over all classes")
    parser.add_argument("--seconds", type=float, default=math.inf, help="stop after this time")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="number of the first scene of each class")
    parser.add_argument(
        "--class", dest="names", action="append", choices=CLASSES, help="may be repeated; default: all classes"
    )
    parser.add_argument("--slow", type=float, default=30.0, help="print steps that take more milliseconds of CPU time")
    arguments = parser.parse_args()
    names = arguments.names or list(CLASSES)
    runtime.prepare()
    done, failed, scenes = Counter[str](), Counter[tuple[str, str]](), Counter[str]()
    cut = Counter[str]()
    worst = dict.fromkeys(names, (0.0, ""))
    stepping, begin = 0.0, time.monotonic()
    while done.total() < arguments.frames and time.monotonic() - begin < arguments.seconds:
        name = min(names, key=lambda name: done[name])
        outcome = outcome_of(name, arguments.seed, arguments.first + scenes[name])
        scenes[name] += 1
        done[name] += outcome.body_frames
        cut[name] += int(outcome.record.cut_short.sum())
        stepping += float(outcome.record.costs.sum())
        slowest = int(outcome.record.costs.argmax())
        cost = 1e3 * float(outcome.record.costs[slowest])
        where = f"{outcome.key} frame {slowest}, {len(outcome.scene.bodies)} bodies"
        worst[name] = max(worst[name], (cost, where))
        if cost > arguments.slow:
            print(f"SLOW {cost:.1f} ms: {where}{', cut short' * bool(outcome.record.cut_short[slowest])}", flush=True)
        for failure in outcome.failures:
            failed[name, failure.kind] += 1
            print(f"FAIL {outcome.key} {failure}", flush=True)
    took = time.monotonic() - begin
    for name in names:
        kinds = ", ".join(f"{count} {kind}" for (of, kind), count in sorted(failed.items()) if of == name)
        cost, where = worst[name]
        print(f"{name}: {done[name]} body-frames, {scenes[name]} scenes; failed: {kinds or 'none'}")
        print(f"  cut short: {cut[name]} steps")
        print(f"  slowest step {cost:.2f} ms: {where}")
    print(f"{done.total()} body-frames in {took:.1f} s, {stepping:.1f} s of it in steps; {failed.total()} failures")
    raise SystemExit(1 if failed else 0)


if __name__ == "__main__":
    main()
