"""Random scenes for steps of Pymunk: plain ones, 50 sub-steps, and continuous ones, in the same scenes.

A scene is a room with thin walls that its bodies cannot leave. `play` counts what goes wrong in it. As a program, this
module prints a table: `python tests/oracles/continuous_scenes.py --scenes 1000 --seed 1 --class rods`. The same seed
gives the same table. Columns, over all scenes of a row:

- bodies: the number of bodies in rooms.
- escapes: bodies that left the room, for each 10,000.
- freezes: bodies that stood still for 30 steps, though their velocity would have moved them a pixel in each.
- gained, doubled: scenes whose energy exceeded that at the start by more than 1 %, and by more than 100 %, in a room
  that stands, without motors.
- deep: bodies that are at the end overlapped by more than half of their thickness, which is half of their width.
- stretch: the greatest distance of a joint's anchors from where the joint holds them, in px.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
from collections.abc import Callable
from dataclasses import astuple, dataclass, field
from itertools import pairwise

from pymunk import (
    Body,
    Circle,
    PinJoint,
    PivotJoint,
    Poly,
    Segment,
    Shape,
    ShapeFilter,
    SimpleMotor,
    SlideJoint,
    Space,
)

from impinge_pymunk import continuous

FRAME = 1 / 60
FRAMES = 60
SPEED = 6000.0
RADIUS = 200.0
DURATIONS = (1 / 120, 1 / 60, 1 / 40, 1 / 30)  # of variable steps
SUBSTEPS = 50
STILL, STILL_STEPS = 1e-3, 30  # px, of a body that would move a pixel
# Energy of a body that is not counted as a gain: gravity is integrated with an error, whatever the steps.
LITTLE = 1e4

Vector = tuple[float, float]
Points = list[Vector]
Joint = PinJoint | PivotJoint | SlideJoint


def heading(rnd: random.Random, length: float) -> Vector:
    """Return a vector of this length in a random direction."""
    angle = rnd.uniform(0, math.tau)
    return length * math.cos(angle), length * math.sin(angle)


def some_shapes(rnd: random.Random, body: Body) -> list[Shape]:
    """Return shapes for a body: a ball, a rod, a thin box, a polygon, two distant balls, or an off-centre ball."""
    kind = rnd.randrange(6)
    if kind == 0:
        return [Circle(body, rnd.uniform(1, 5))]
    if kind == 1:
        return [Segment(body, (-rnd.uniform(2, 12), 0), (rnd.uniform(2, 12), 0), rnd.uniform(0.5, 2))]
    if kind == 2:
        return [Poly.create_box(body, (rnd.uniform(2, 24), rnd.uniform(2, 6)))]
    if kind == 3:
        angles = sorted(rnd.uniform(0, math.tau) for _ in range(4))
        angles += [angles[0] + 2, angles[0] + 4]
        return [Poly(body, [(6 * math.cos(a), 5 * math.sin(a)) for a in angles], None, rnd.choice([0, 0.5]))]
    if kind == 4:
        return [Circle(body, 2, (-8, 0)), Circle(body, 2, (8, 0))]
    body.center_of_gravity = 3, 2
    return [Circle(body, rnd.uniform(2, 5), (3, 2))]


def sides_of(rnd: random.Random, space: Space, body: Body, corners: Points) -> None:
    """Add walls of 1 px from corner to corner."""
    friction = rnd.choice([0.0, 1.0])
    for a, b in zip(corners, corners[1:] + corners[:1], strict=True):
        side = Segment(body, a, b, 0.5)
        side.elasticity, side.friction = 1, friction
        space.add(side)


def polygon(corners: int, radius: float) -> Points:
    return [
        (radius * math.cos(math.tau * k / corners), radius * math.sin(math.tau * k / corners)) for k in range(corners)
    ]


def is_in(point: Vector, corners: Points) -> bool:
    """Return whether a point is in a convex polygon with counter-clockwise corners."""
    x, y = point
    return all(
        (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0
        for (ax, ay), (bx, by) in zip(corners, corners[1:] + corners[:1], strict=True)
    )


def thrown(rnd: random.Random, space: Space, far: float, elasticity: float) -> Body:
    """Return a body that flies and spins through a room."""
    mass = rnd.uniform(0.2, 5)
    body = Body(mass, 30 * mass)
    body.position, body.angle = heading(rnd, far * math.sqrt(rnd.random())), rnd.uniform(-4, 4)
    body.velocity, body.angular_velocity = heading(rnd, SPEED), rnd.uniform(-60, 60)
    added(space, body, some_shapes(rnd, body), elasticity)
    return body


def added(space: Space, body: Body, shapes: list[Shape], elasticity: float) -> None:
    for shape in shapes:
        shape.elasticity, shape.friction = elasticity, 1
    space.add(body, *shapes)


@dataclass
class Scene:
    """A room with bodies."""

    rnd: random.Random
    space: Space
    room: Body
    corners: Points
    far: float  # distance from the middle within which bodies start
    elasticity: float
    bodies: list[Body] = field(default_factory=list)
    joints: list[Joint] = field(default_factory=list)
    keeps_energy: bool = True


def room(rnd: random.Random) -> Scene:
    """Return an empty room that stands, with gravity or not."""
    space, number = Space(), rnd.randrange(3, 7)
    space.gravity = rnd.choice([(0, 0), (0, -900)])
    corners = polygon(number, RADIUS)
    sides_of(rnd, space, space.static_body, corners)
    far = RADIUS * math.cos(math.pi / number) - 15
    return Scene(rnd, space, space.static_body, corners, far, rnd.choice([0.0, 0.5, 1.0, 1.0]))


def static(rnd: random.Random) -> Scene:
    """Bodies of all shapes in a room that stands."""
    scene = room(rnd)
    scene.bodies = [thrown(rnd, scene.space, scene.far, scene.elasticity) for _ in range(rnd.choice([1, 3, 10]))]
    return scene


def moving(rnd: random.Random) -> Scene:
    """The same in a room that drives and turns."""
    space, drive, number = Space(), Body(body_type=Body.KINEMATIC), rnd.randrange(3, 7)
    drive.velocity, drive.angular_velocity = (rnd.uniform(-2000, 2000), rnd.uniform(-2000, 2000)), rnd.uniform(-6, 6)
    space.add(drive)
    corners = polygon(number, RADIUS)
    sides_of(rnd, space, drive, corners)
    far = RADIUS * math.cos(math.pi / number) - 15
    scene = Scene(rnd, space, drive, corners, far, rnd.choice([0.0, 0.5, 1.0]), keeps_energy=False)
    scene.bodies = [thrown(rnd, space, far, scene.elasticity) for _ in range(rnd.choice([1, 3, 10]))]
    return scene


def rods(rnd: random.Random) -> Scene:
    """Long thin rods."""
    scene = room(rnd)
    for _ in range(rnd.choice([1, 1, 3])):
        length, width, mass = rnd.uniform(20, 100), rnd.uniform(1, 2), rnd.uniform(0.2, 10)
        body = Body(mass, mass * length * length / 12)
        body.position = heading(rnd, max(0.0, scene.far - 0.5 * length) * math.sqrt(rnd.random()))
        body.angle = rnd.uniform(-4, 4)
        body.velocity, body.angular_velocity = heading(rnd, rnd.uniform(0.1, 1.5) * SPEED), rnd.uniform(-20, 20)
        half = 0.5 * length
        shape = rnd.choice([Poly.create_box(body, (length, width)), Segment(body, (-half, 0), (half, 0), 0.5 * width)])
        added(scene.space, body, [shape], scene.elasticity)
        scene.bodies.append(body)
    return scene


def compounds(rnd: random.Random) -> Scene:
    """Bodies of two or three shapes."""
    scene = room(rnd)
    for _ in range(rnd.choice([1, 4])):
        body = thrown(rnd, scene.space, scene.far, scene.elasticity)
        reach = rnd.uniform(4, 15)
        more: list[Shape] = [Segment(body, (-reach, 0), (reach, 0), 0.5), Segment(body, (0, -reach), (0, reach), 0.5)]
        added_shapes = rnd.sample(more, rnd.randrange(1, 3))
        for shape in added_shapes:
            shape.elasticity, shape.friction = scene.elasticity, 1
            scene.space.add(shape)
        scene.bodies.append(body)
    return scene


def chained(scene: Scene, number: int, joint: str, does_collide: bool) -> None:
    """Add a chain of balls, each 12 px from the next one."""
    rnd, space = scene.rnd, scene.space
    turn, (x, y) = rnd.uniform(0, math.tau), heading(rnd, max(0.0, scene.far - 12 * number) * math.sqrt(rnd.random()))
    velocity, chain = heading(rnd, rnd.uniform(0.1, 1) * SPEED), []
    for place in range(number):
        body = Body(1, 8)
        along = 12 * (place - 0.5 * (number - 1))
        body.position = x + along * math.cos(turn), y + along * math.sin(turn)
        body.velocity = velocity
        added(space, body, [Circle(body, 4)], scene.elasticity)
        chain.append(body)
    for one, other in pairwise(chain):
        made: Joint
        if joint == "pin":
            made = PinJoint(one, other)
        elif joint == "pivot":
            made = PivotJoint(one, other, one.position.interpolate_to(other.position, 0.5))
        else:
            made = SlideJoint(one, other, (0, 0), (0, 0), 9, 15)
        made.collide_bodies = does_collide
        space.add(made)
        scene.joints.append(made)
    scene.bodies += chain


def joints(rnd: random.Random) -> Scene:
    """Chains on pins, pivots or slide joints."""
    scene = room(rnd)
    chained(scene, rnd.choice([2, 5]), rnd.choice(["pin", "pivot", "slide"]), rnd.choice([False, True]))
    return scene


def motors(rnd: random.Random) -> Scene:
    """Driven bars on pivots, among thrown bodies."""
    scene = room(rnd)
    scene.keeps_energy = False
    for _ in range(rnd.randrange(1, 3)):
        bar = Body(20, 20 * 60 * 60 / 12)
        bar.position, bar.angle = heading(rnd, rnd.uniform(0, scene.far - 40)), rnd.uniform(-4, 4)
        added(scene.space, bar, [Poly.create_box(bar, (60, 3))], scene.elasticity)
        pivot = PivotJoint(scene.space.static_body, bar, tuple(bar.position))
        scene.space.add(pivot, SimpleMotor(scene.space.static_body, bar, rnd.uniform(-20, 20)))
        scene.joints.append(pivot)
        scene.bodies.append(bar)
    scene.bodies += [thrown(rnd, scene.space, scene.far, scene.elasticity) for _ in range(rnd.choice([1, 5]))]
    return scene


def filters(rnd: random.Random) -> Scene:
    """Bodies of which some do not collide with each other, all of which collide with the walls."""
    scene = static(rnd)
    for body in scene.bodies:
        group, category = rnd.choice([0, 0, 1, 2]), rnd.choice([1, 2])
        for shape in sorted(body.shapes, key=list(scene.space.shapes).index):  # a set, whose order differs between runs
            shape.filter = ShapeFilter(group, category, ShapeFilter.ALL_MASKS() ^ rnd.choice([0, 2]))
    return scene


def sensors(rnd: random.Random) -> Scene:
    """Sensors across the room, which stop no body."""
    scene = static(rnd)
    for _ in range(rnd.randrange(1, 4)):
        (x, y), (across, up) = heading(rnd, rnd.uniform(0, 100)), heading(rnd, 80)
        sensor = Segment(scene.room, (x - across, y - up), (x + across, y + up), 0.5)
        sensor.sensor = True
        scene.space.add(sensor)
    return scene


CLASSES: dict[str, Callable[[random.Random], Scene]] = {
    made.__name__: made for made in (static, moving, rods, compounds, joints, motors, filters, sensors)
}
WAYS = ("plain", "sub-steps", "continuous")


def built(kind: str, seed: int) -> Scene:
    """Return a scene of a class: the same one for the same seed."""
    return CLASSES[kind](random.Random(f"{kind} {seed}"))


def stepped(space: Space, way: str) -> Callable[[float], None]:
    """Return a function that steps a space in one of the ways."""
    if way == "sub-steps":

        def step(dt: float) -> None:
            for _ in range(SUBSTEPS):
                space.step(dt / SUBSTEPS)

        return step
    if way == "continuous":
        continuous(space)
    return space.step


@dataclass
class Count:
    """The outcome of one scene, or the sum of several: the columns of the table."""

    scenes: int = 0
    bodies: int = 0
    escapes: int = 0
    freezes: int = 0
    gained: int = 0
    doubled: int = 0
    deep: int = 0
    stretch: float = 0.0

    def __add__(self, other: Count) -> Count:
        *mine, stretch = astuple(self)
        *others, other_stretch = astuple(other)
        return Count(*(a + b for a, b in zip(mine, others, strict=True)), max(stretch, other_stretch))


def energy_of(scene: Scene) -> float:
    """Return the kinetic energy of all bodies, and their potential energy above the lowest wall."""
    low = min(y for _, y in scene.corners)
    fall = -scene.space.gravity.y
    return sum(
        0.5 * body.mass * body.velocity.dot(body.velocity)
        + 0.5 * body.moment * body.angular_velocity**2
        + body.mass * fall * (body.local_to_world(body.center_of_gravity).y - low)
        for body in scene.bodies
    )


def stretch_of(joint: Joint) -> float:
    """Return how far a joint's anchors are from where the joint holds them."""
    a = joint.a.local_to_world(joint.anchor_a)
    apart = a.get_distance(joint.b.local_to_world(joint.anchor_b))
    if isinstance(joint, PinJoint):
        return abs(apart - joint.distance)
    if isinstance(joint, SlideJoint):
        return max(joint.min - apart, apart - joint.max, 0.0)
    return float(apart)


def thickness_of(shape: Shape) -> float:
    """Return half of the smallest width of a shape."""
    if isinstance(shape, Poly):
        points = shape.get_vertices()
        widths = []
        for a, b in zip(points, points[1:] + points[:1], strict=True):
            normal = (b - a).perpendicular_normal()
            along = [normal.dot(point) for point in points]
            widths.append(max(along) - min(along))
        return 0.5 * min(widths) + float(shape.radius)
    return float(shape.radius)  # type: ignore[attr-defined]


def is_deep(space: Space, body: Body) -> bool:
    """Return whether another shape overlaps a body by more than half of its thickness, by Pymunk's own contacts."""
    # Pymunk 7 also lists shapes that were never added to the space.
    for shape in body.shapes & set(space.shapes):
        for met in space.shape_query(shape):
            other = met.shape
            if other is None or other.sensor or other.body is body:
                continue
            if any(not joint.collide_bodies and other.body in (joint.a, joint.b) for joint in body.constraints):
                continue
            if any(-point.distance > 0.5 * thickness_of(shape) for point in met.contact_point_set.points):
                return True
    return False


def play(kind: str, seed: int, way: str, *, is_variable: bool = False, frames: int = FRAMES) -> Count:
    """Play a scene, and count what goes wrong."""
    scene, times = built(kind, seed), random.Random(seed)
    step, bodies = stepped(scene.space, way), scene.bodies
    begun = energy_of(scene)
    still, frozen, gone, most, stretch = dict.fromkeys(bodies, 0), set(), set(), begun, 0.0
    for _ in range(frames):
        dt = times.choice(DURATIONS) if is_variable else FRAME
        before = [(*body.position, body.angle) for body in bodies]
        step(dt)
        most = max(most, energy_of(scene))
        stretch = max([stretch, *(stretch_of(joint) for joint in scene.joints)])
        for body, (x, y, angle) in zip(bodies, before, strict=True):
            moved = math.hypot(body.position.x - x, body.position.y - y) + abs(body.angle - angle)
            still[body] = still[body] + 1 if moved < STILL and body.velocity.length * dt > 1.0 else 0
            if still[body] >= STILL_STEPS:
                frozen.add(body)
            if not is_in(scene.room.world_to_local(body.local_to_world(body.center_of_gravity)), scene.corners):
                gone.add(body)
    counts = scene.keeps_energy
    return Count(
        1,
        len(bodies),
        len(gone),
        len(frozen),
        int(counts and most > 1.01 * begun + LITTLE),
        int(counts and most > 2.0 * begun + LITTLE),
        sum(body not in gone and is_deep(scene.space, body) for body in bodies),
        stretch,
    )


def row(name: str, way: str, count: Count) -> str:
    escapes = 1e4 * count.escapes / max(1, count.bodies)
    return (
        f"{name:20} {way:11} {count.bodies:7} {escapes:9.1f} {count.freezes:8} {count.gained:7} {count.doubled:8} "
        f"{count.deep:5} {count.stretch:8.1f}"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scenes", type=int, default=100, help="of each class and kind of steps")
    parser.add_argument("--seed", type=int, default=1, help="of the first scene")
    parser.add_argument("--class", dest="kinds", choices=CLASSES, action="append", help="all without it")
    parser.add_argument("--way", dest="ways", choices=WAYS, action="append", help="all without it")
    parser.add_argument("--list", action="store_true", help="print each scene in which something goes wrong")
    chosen = parser.parse_args()
    ways, sums = chosen.ways or WAYS, {way: Count() for way in WAYS}
    print("scenes               steps        bodies   escapes  freezes  gained  doubled  deep  stretch", flush=True)
    for kind in chosen.kinds or CLASSES:
        for is_variable in (False, True):
            name = f"{kind}, variable dt" if is_variable else kind
            for way in ways:
                total = Count()
                for seed in range(chosen.seed, chosen.seed + chosen.scenes):
                    count = play(kind, seed, way, is_variable=is_variable)
                    total += count
                    if chosen.list and (count.escapes or count.freezes or count.gained or count.deep):
                        print(row(f"  {seed}", way, count))
                print(row(name, way, total), flush=True)
                sums[way] += total
    for way in ways:
        print(row("all", way, sums[way]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
