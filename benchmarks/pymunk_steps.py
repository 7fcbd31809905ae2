"""Steps of a Pymunk space: plain, continuous, with enough substeps to lose hardly any bullet, and with a push rule.

Large spaces, and small ones in which each call counts; the first step with a push rule, and later ones.

Also the cost of a shape cast and of a sector query, against loops written with Pymunk's own queries.
"""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pymunk
from timing import Contender, compare, machine

import impinge as im
import impinge_pymunk
from impinge import runtime

ROOM = 1600.0  # pixels, like all lengths here
LID = 500.0  # height of the floor between the crowd and the bullets
SPEED = 6000.0
FRAME = 1 / 60


@dataclass(frozen=True, slots=True)
class Size:
    """Size of the benchmark: bodies in the pile, bullets, walls, and turns; tiles, and crates on them."""

    crowd: int
    bullets: int
    walls: int
    turns: int
    tiles: int
    crates: int


FULL = Size(crowd=950, bullets=50, walls=20, turns=300, tiles=5000, crates=50)
QUICK = Size(crowd=20, bullets=5, walls=5, turns=3, tiles=100, crates=5)


class Room:
    """A closed room: a pile of balls and crates, a lid on it, and bullets above the lid among walls 1 pixel wide."""

    def __init__(self, size: Size, *, substeps: int = 1, is_continuous: bool = False) -> None:
        self.space, self.substeps, self.steps = pymunk.Space(), substeps, 0
        self.space.gravity = 0, -900
        rng = random.Random(7)
        corners = [(0.0, 0.0), (ROOM, 0.0), (ROOM, ROOM), (0.0, ROOM)]
        for begin, end in zip(corners, corners[1:] + corners[:1], strict=True):
            self._add_wall(begin, end)
        self._add_wall((0.0, LID), (ROOM, LID))
        for _ in range(size.walls):
            x, y, angle = rng.uniform(100, ROOM - 100), rng.uniform(LID + 100, ROOM - 100), rng.uniform(0, math.tau)
            self._add_wall((x, y), (x + 100 * math.cos(angle), y + 100 * math.sin(angle)))
        for number in range(size.crowd):
            self._add_member(number)
        self.bullets = [self._add_bullet(rng) for _ in range(size.bullets)]
        for _ in range(120):  # the pile settles
            self.space.step(FRAME)
        for bullet in self.bullets:
            angle = rng.uniform(0, math.tau)
            bullet.position = rng.uniform(20, ROOM - 20), rng.uniform(LID + 20, ROOM - 20)
            bullet.velocity = SPEED * math.cos(angle), SPEED * math.sin(angle)
        if is_continuous:
            impinge_pymunk.continuous(self.space)

    def _add_wall(self, begin: tuple[float, float], end: tuple[float, float]) -> None:
        wall = pymunk.Segment(self.space.static_body, begin, end, 0.5)
        wall.elasticity = 1
        self.space.add(wall)

    def _add_member(self, number: int) -> None:
        body = pymunk.Body(1, 100)
        body.position = 20 + 22 * (number % 71), 20 + 22 * (number // 71)
        shape = pymunk.Poly.create_box(body, (20, 20)) if number % 2 else pymunk.Circle(body, 10)
        shape.friction = 0.5
        self.space.add(body, shape)

    def _add_bullet(self, rng: random.Random) -> pymunk.Body:
        body = pymunk.Body(0.01, 1)
        shape = pymunk.Circle(body, 2)
        shape.elasticity, shape.filter = 1, pymunk.ShapeFilter(group=1)
        body.position = rng.uniform(20, ROOM - 20), rng.uniform(LID + 20, ROOM - 20)
        self.space.add(body, shape)
        return body

    def step(self) -> None:
        """Take one frame."""
        for _ in range(self.substeps):
            self.space.step(FRAME / self.substeps)
        self.steps += 1

    def lost(self) -> str:
        """Return how many bullets have left the room above the lid."""
        places = [bullet.position for bullet in self.bullets]
        lost = sum(not (0 <= x <= ROOM and LID <= y <= ROOM) for x, y in places)
        return f"{lost} of {len(self.bullets)} bullets lost in {self.steps} frames"


def compare_steps(size: Size) -> None:
    rooms = {
        "Space.step": Room(size),
        "continuous": Room(size, is_continuous=True),
        "10 steps a frame": Room(size, substeps=10),
        "50 steps a frame": Room(size, substeps=50),
    }
    contenders = [Contender(name, room.step, 1, work=room.lost) for name, room in rooms.items()]
    title = f"{size.crowd + size.bullets:,} bodies, {size.bullets} of them bullets"
    compare(title, "a frame", contenders, size.turns)


def compare_slow(size: Size) -> None:
    crowd = replace(size, crowd=size.crowd + size.bullets, bullets=0)
    rooms = {"Space.step": Room(crowd), "continuous": Room(crowd, is_continuous=True)}
    contenders = [Contender(name, room.step, 1) for name, room in rooms.items()]
    compare(f"{crowd.crowd:,} bodies, none of them fast", "a frame", contenders, size.turns)


def add_ball(space: pymunk.Space, place: tuple[float, float], velocity: tuple[float, float], group: int = 0) -> None:
    """Add a bouncing ball of radius 2."""
    body = pymunk.Body(1, 1)
    body.position, body.velocity = place, velocity
    ball = pymunk.Circle(body, 2)
    ball.elasticity, ball.filter = 1, pymunk.ShapeFilter(group=group)
    space.add(body, ball)


def add_wall(space: pymunk.Space, begin: tuple[float, float], end: tuple[float, float]) -> None:
    """Add a bouncing wall 1 wide."""
    wall = pymunk.Segment(space.static_body, begin, end, 0.5)
    wall.elasticity = 1
    space.add(wall)


def lanes() -> pymunk.Space:
    """Return 50 bullets, each in a lane of its own, between walls that are 200 apart."""
    space = pymunk.Space()
    for lane in range(50):
        y = 20.0 * lane
        for x in (0, 200):
            add_wall(space, (x, y - 8), (x, y + 8))
        add_ball(space, (100, y), (SPEED, 0))
    return space


def slow() -> pymunk.Space:
    """Return one slow body without obstacles."""
    space = pymunk.Space()
    add_ball(space, (0, 0), (10, 0))
    return space


def shots() -> pymunk.Space:
    """Return 100 fast bodies in one filter group, without obstacles."""
    space = pymunk.Space()
    for number in range(100):
        add_ball(space, (0, 20 * number), (SPEED, 0), group=1)
    return space


def rods() -> pymunk.Space:
    """Return long thin rods that swing on joints, as in the example `slide_and_pinjoint` of Pymunk."""
    space = pymunk.Space()
    space.gravity = 0, -900
    for number in range(6):
        rod = pymunk.Body(10, 10000)
        rod.position = 200 * number, 0
        rod.angular_velocity = 4
        bars = [pymunk.Segment(rod, *ends, 1.0) for ends in (((-75, 0), (75, 0)), ((-75, 0), (-75, 20)))]
        joints: list[pymunk.Constraint] = [pymunk.PinJoint(rod, space.static_body, (0, 0), (200 * number, 0))]
        if number % 2:
            joints.append(pymunk.SlideJoint(rod, space.static_body, (-75, 0), (200 * number - 75, 0), 0, 100))
        space.add(rod, *bars, *joints)
    return space


# Of a small scene in a turn: bullets in lanes hit the walls in every second one.
FRAMES = 10


class Scene:
    """A small space, stepped plain, continuously, or in substeps."""

    def __init__(self, space: pymunk.Space, *, substeps: int = 1, is_continuous: bool = False) -> None:
        self.space, self.substeps = space, substeps
        if is_continuous:
            impinge_pymunk.continuous(space)

    def step(self) -> None:
        """Take some frames."""
        for _ in range(FRAMES * self.substeps):
            self.space.step(FRAME / self.substeps)


def compare_small(turns: int) -> None:
    scenes = {
        "50 bullets in lanes": lanes,
        "1 slow body": slow,
        "100 fast bodies in one group": shots,
        "6 rods on joints": rods,
    }
    for title, make in scenes.items():
        contenders = [
            Contender("Space.step", Scene(make()).step, FRAMES),
            Contender("continuous", Scene(make(), is_continuous=True).step, FRAMES),
            Contender("50 steps a frame", Scene(make(), substeps=50).step, FRAMES),
        ]
        compare(title, "a frame", contenders, turns)


DOOR, CRATE = 1, 2
TILE = 20.0


class Level:
    """Rows of static tiles, crates on the lowest row, and a door that moves to and fro and pushes some of them."""

    def __init__(self, size: Size, *, is_ruled: bool) -> None:
        self.space, self.steps = pymunk.Space(), 0
        self.space.gravity = 0, -900
        columns = min(size.tiles, 500)
        for number in range(size.tiles):
            x, y = TILE * (number % columns), 10 * TILE * (number // columns)
            corners = [(x, y), (x + TILE, y), (x + TILE, y + TILE), (x, y + TILE)]
            self._add(pymunk.Poly(self.space.static_body, corners), DOOR)
        self.crates = []
        for number in range(size.crates):
            crate = pymunk.Body(1, math.inf)
            crate.position = 100 + number * (TILE * columns - 200) / size.crates, TILE + 8
            self.space.add(crate)
            self._add(pymunk.Poly.create_box(crate, (16, 16)), CRATE)
            self.crates.append(crate)
        self.door = pymunk.Body(body_type=pymunk.Body.KINEMATIC)
        self.door.position, self.door.velocity = (60, TILE + 31), (300, 0)
        self.space.add(self.door)
        self._add(pymunk.Poly.create_box(self.door, (10, 60)), DOOR)
        if is_ruled:
            impinge_pymunk.push_rule(self.space, DOOR, CRATE)

    def _add(self, shape: pymunk.Shape, kind: int) -> None:
        shape.collision_type, shape.friction = kind, 0.5
        self.space.add(shape)

    def step(self) -> None:
        """Take one frame. The door turns back every 120 frames."""
        self.space.step(FRAME)
        self.steps += 1
        if self.steps % 120 == 0:
            self.door.velocity = -self.door.velocity

    def fallen(self) -> str:
        """Return how many crates have fallen through the floor."""
        fallen = sum(crate.position.y < TILE for crate in self.crates)
        return f"{fallen} of {len(self.crates)} crates through the floor in {self.steps} frames"


def compare_pushes(size: Size) -> None:
    few = replace(size, tiles=size.tiles // 10)
    levels = {
        "Space.step": Level(size, is_ruled=False),
        "push_rule": Level(size, is_ruled=True),
        f"push_rule, {few.tiles:,} tiles": Level(few, is_ruled=True),
    }
    contenders = [Contender(name, level.step, 1, work=level.fallen) for name, level in levels.items()]
    compare(f"{size.tiles:,} static tiles, {size.crates} crates on them, and a door", "a frame", contenders, size.turns)


def compare_first_pushes(size: Size) -> None:
    levels: list[Level] = []

    def make() -> None:
        levels[:] = [Level(size, is_ruled=number == 1) for number in range(2)]

    make()
    contenders = [
        Contender("Space.step", lambda: levels[0].step(), 1),
        Contender("push_rule", lambda: levels[1].step(), 1, after=make),
    ]
    compare(f"The first step with {size.tiles:,} static tiles", "a frame", contenders, max(3, size.turns // 60))


SWEEPS = 200


class Field:
    """Crates and posts at random places, and poses of queries among them."""

    def __init__(self, count: int) -> None:
        self.space = pymunk.Space()
        rng = random.Random(3)
        for number in range(count):
            x, y = rng.uniform(0, ROOM), rng.uniform(0, ROOM)
            body = pymunk.Body(body_type=pymunk.Body.STATIC)
            body.position, body.angle = (x, y), rng.uniform(0, math.tau)
            shape = pymunk.Poly.create_box(body, (30, 10)) if number % 2 else pymunk.Circle(body, 8)
            self.space.add(body, shape)
        self.crate = pymunk.Body(1, 1)
        self.box = pymunk.Poly.create_box(self.crate, (24, 12))
        self.places = [(rng.uniform(0, ROOM), rng.uniform(0, ROOM), rng.uniform(0, math.tau)) for _ in range(SWEEPS)]
        self.everything = pymunk.ShapeFilter()

    def sweeps(self) -> None:
        """Cast the crate with Impinge."""
        self.found = 0
        for x, y, angle in self.places:
            end = im.Pose(x + 200 * math.cos(angle), y + 200 * math.sin(angle), angle)
            hits = impinge_pymunk.sweep_query(self.space, self.box, im.Motion(im.Pose(x, y, angle), end))
            self.found += bool(hits)

    def firsts(self) -> None:
        """Cast the crate with Impinge up to its first hit."""
        self.stopped = 0
        for x, y, angle in self.places:
            end = im.Pose(x + 200 * math.cos(angle), y + 200 * math.sin(angle), angle)
            hit = impinge_pymunk.sweep_query_first(self.space, self.box, im.Motion(im.Pose(x, y, angle), end))
            self.stopped += hit is not None

    def samples(self) -> None:
        """Test the crate every 4 pixels of its path, up to the first overlap."""
        self.sampled = sum(any(self._overlaps(*place)) for place in self.places)

    def all_samples(self) -> None:
        """Test the crate every 4 pixels of its path. It misses corners between these places."""
        self.all_sampled = 0
        for place in self.places:
            seen = set()
            for infos in self._overlaps(*place):
                seen.update(info.shape for info in infos)
            self.all_sampled += bool(seen)

    def _overlaps(self, x: float, y: float, angle: float) -> Iterator[list[pymunk.ShapeQueryInfo]]:
        across, up = math.cos(angle), math.sin(angle)
        self.crate.angle = angle
        for length in range(0, 201, 4):
            self.crate.position = x + length * across, y + length * up
            self.box.cache_bb()
            yield self.space.shape_query(self.box)

    def rays(self) -> None:
        """Cast a ray from each corner of the crate. It misses shapes between the rays."""
        self.struck = 0
        for x, y, angle in self.places:
            self.crate.position, self.crate.angle = (x, y), angle
            across, up = 200 * math.cos(angle), 200 * math.sin(angle)
            corners = [self.crate.local_to_world(vertex) for vertex in self.box.get_vertices()]
            hits = [
                self.space.segment_query_first((x, y), (x + across, y + up), 0, self.everything) for x, y in corners
            ]
            self.struck += any(hit is not None for hit in hits)

    def sectors(self) -> None:
        """Query what a guard sees with Impinge."""
        guard = im.Sector(150, half_angle=math.radians(30))
        self.reached = 0
        for x, y, angle in self.places:
            self.reached += len(impinge_pymunk.sector_query(self.space, guard, im.Pose(x, y, angle)))

    def angles(self) -> None:
        """Query all shapes nearby, and compare the angle to each centre. It misses wide shapes at the edge."""
        self.counted = 0
        for x, y, angle in self.places:
            for info in self.space.point_query((x, y), 150, self.everything):
                if info.shape is None:
                    continue
                dx, dy = info.shape.body.position - (x, y)
                off = (math.atan2(dy, dx) - angle + math.pi) % math.tau - math.pi
                self.counted += abs(off) <= math.radians(30)

    def fans(self) -> None:
        """Cast a ray for each degree of the sector. It misses thin shapes far away."""
        self.fanned = 0
        for x, y, angle in self.places:
            seen = set()
            for degree in range(-30, 31):
                turn = angle + math.radians(degree)
                far = x + 150 * math.cos(turn), y + 150 * math.sin(turn)
                seen.update(info.shape for info in self.space.segment_query((x, y), far, 0, self.everything))
            self.fanned += len(seen)


def compare_queries(size: Size) -> None:
    field = Field(size.crowd)
    compare(
        f"What does a crate strike on a way of 200 pixels, among {size.crowd:,} shapes?",
        "a way",
        [
            Contender("sweep_query, all that it strikes", field.sweeps, SWEEPS, work=lambda: f"{field.found} strike"),
            Contender(
                "shape_query every 4 pixels", field.all_samples, SWEEPS, work=lambda: f"{field.all_sampled} strike"
            ),
            Contender("sweep_query_first", field.firsts, SWEEPS, work=lambda: f"{field.stopped} strike"),
            Contender(
                "shape_query every 4 pixels, the first", field.samples, SWEEPS, work=lambda: f"{field.sampled} strike"
            ),
            Contender("segment_query_first from 4 corners", field.rays, SWEEPS, work=lambda: f"{field.struck} strike"),
        ],
        max(3, size.turns // 10),
    )
    compare(
        f"Whom does a guard see within 150 pixels and 60 degrees, of {size.crowd:,}?",
        "a guard",
        [
            Contender("sector_query", field.sectors, SWEEPS, work=lambda: f"{field.reached} seen"),
            Contender(
                "point_query, and angles to the centres", field.angles, SWEEPS, work=lambda: f"{field.counted} seen"
            ),
            Contender("segment_query, 61 rays", field.fans, SWEEPS, work=lambda: f"{field.fanned} seen"),
        ],
        max(3, size.turns // 10),
    )


def main(size: Size) -> None:
    runtime.prepare()
    print(machine("pymunk"))
    compare_steps(size)
    compare_slow(size)
    compare_small(size.turns)
    compare_pushes(size)
    compare_first_pushes(size)
    compare_queries(size)


if __name__ == "__main__":
    main(QUICK if "--quick" in sys.argv[1:] else FULL)
