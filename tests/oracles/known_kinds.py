"""Kinds of scenes in which the world once gave wrong answers: random cases of each, judged without the step's kernels.

`python tests/oracles/known_kinds.py --scale 1 --seed 7` prints the failures of each kind. A judge is a distance between
two shapes (`impinge.distance`), another cut of the same walls, a mirror image, or more frames for the same motion.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

import impinge as im
from impinge import Pose, Side, runtime
from shapely_solids import KINDS, concave_outline, convex_outline, random_solid
from transformed_worlds import cut_outline, solid

Rng: TypeAlias = np.random.Generator
Vector: TypeAlias = tuple[float, float]
Placed: TypeAlias = tuple[Any, Pose]

# Ends of one motion among the same walls may differ by this part of the size of the scene.
CLOSE = 1e-6
# A gap of two bodies of some 1 to 30 units at coordinates up to 100 that counts as touching, after a turn or a slide
# around a round corner.
NEAR = 1e-6


@dataclass
class Count:
    """How many cases failed.

    Attributes
    ----------
    total, failed
        Number of cases, and of failures.
    numbers
        Numbers of the failing cases, which `random_generator` makes again.
    """

    total: int = 0
    numbers: list[int] = field(default_factory=list)

    @property
    def failed(self) -> int:
        return len(self.numbers)


def random_generator(name: str, seed: int, number: int) -> Rng:
    """Return the generator of one case."""
    return np.random.default_rng([sum(map(ord, name)), seed, number])


def gap(one: im.Body, other: im.Body) -> float:
    """Return the distance of two bodies where they are now, negative for an overlap."""
    return im.distance(one.shape, one.pose, other.shape, other.pose).distance


def is_alone(body: im.Body, others: list[im.Body]) -> bool:
    """Return whether no other body is near."""
    return all(gap(body, other) > NEAR for other in others)


def walk(shape: Any, start: Pose, step: Vector, walls: list[Placed], frames: int, **rules: Any) -> im.Body:
    """Return a body that has walked by one step a frame among still walls."""
    world = im.World(entry_points=False)
    for wall, pose in walls:
        world.add(wall, pose, might=1)
    body = world.add(shape, start, **rules)
    for _ in range(frames):
        body.goal = Pose(body.pose.x + step[0], body.pose.y + step[1])
        world.step()
    return body


def differ(ends: list[im.Body], size: float) -> bool:
    """Return whether two bodies ended at different places."""
    one, other = ends
    return math.dist(one.coordinates[:2], other.coordinates[:2]) > CLOSE * size


def pointed(rng: Rng, size: float) -> im.Polygon:
    """Return a convex polygon that may stand on a corner."""
    return im.Polygon(size * convex_outline(rng))


def lifted(shape: Any, place: Vector, walls: list[Placed], way: Vector) -> Pose | None:
    """Return the first place along a way, in quarter steps, at which a shape is off all walls."""
    for number in range(200):
        pose = Pose(place[0] + 0.25 * number * way[0], place[1] + 0.25 * number * way[1])
        if all(im.distance(shape, pose, wall, at).distance > 0.01 for wall, at in walls):
            return pose
    return None


# Walls that are cut.


def ramps_of_tiles(rng: Rng) -> bool:
    """A box or a pointed body walks on a ramp of triangular tiles, or on one triangle."""
    width = float(rng.choice([8.0, 16.0, 16.0, 20.0]))
    height = width * float(rng.choice([0.25, 0.5, 1.0, 1.0, 2.0]))
    if rng.random() < 0.3:
        width, height = rng.uniform(5, 20, 2).tolist()
    count, side = 10, float(rng.choice([-1.0, 1.0]))
    corners = [(0.0, 0.0), (side * width, 0.0), (side * width, height)]
    tiles: list[Placed] = [
        (im.Polygon(corners), Pose(side * width * number, height * number)) for number in range(count)
    ]
    x, y = side * width * count, height * count
    whole: list[Placed] = [(im.Polygon([(0.0, 0.0), (x, -1.0), (x, y)]), Pose(0, 0))]
    shape = im.Box(*rng.uniform(2, 14, 2).tolist()) if rng.random() < 0.6 else pointed(rng, rng.uniform(3, 9))
    share = rng.uniform(0.35, 0.65)
    place = (share * x, share * y)
    is_even = rng.random() < 0.5
    if is_even:
        # Coordinates of a game that counts in whole pixels.
        place = (float(round(place[0])), float(round(place[1])))
        if isinstance(shape, im.Box):
            shape = im.Box(round(shape.width), round(shape.height))
    start = lifted(shape, place, whole + tiles, (0.0, 1.0))
    if start is None:
        return False
    # Towards the ramp, and along it either way, for at most a third of it.
    frames, length = 60, math.hypot(x, y)
    along = rng.uniform(-0.3, 0.3) * length / frames
    into = abs(along) * rng.uniform(0.05, 2.0)
    step = ((along * x + into * y * side) / length, (along * y - into * abs(x)) / length)
    if is_even:
        step = (round(2 * step[0]) / 2, round(2 * step[1]) / 2)
    ends = [walk(shape, start, step, walls, frames) for walls in (tiles, whole)]
    return differ(ends, width * count)


def flat_tiles(rng: Rng) -> bool:
    """A pointed body walks on square tiles, or on one box."""
    count, size = 24, 16.0
    tiles: list[Placed] = [(im.Box(size, size), Pose(size * (number + 0.5), -size / 2)) for number in range(count)]
    whole: list[Placed] = [(im.Box(size * count, size), Pose(size * count / 2, -size / 2))]
    shape = pointed(rng, rng.uniform(3, 12))
    start = lifted(shape, (size * count * rng.uniform(0.4, 0.6), 0.0), whole, (0.0, 1.0))
    assert start is not None
    step = (float(rng.choice([-1, 1])) * rng.uniform(0.2, 2.0), -rng.uniform(0.1, 3.0))
    if rng.random() < 0.5:
        step = (round(step[0], 1), round(step[1], 1))
    ends = [walk(shape, start, step, walls, 70) for walls in (tiles, whole)]
    return differ(ends, size * count)


def one_frame_cuts(rng: Rng) -> bool:
    """A sharp body passes a turned wall in one frame, whole or cut into flush parts."""
    outline = rng.uniform(8, 30) * convex_outline(rng)
    angle = rng.uniform(-math.pi, math.pi)
    parts = cut_outline(rng, outline, int(rng.integers(1, 4)), 0.3)
    whole: list[Placed] = [(im.Polygon(outline), Pose(0, 0, angle))]
    cut: list[Placed] = [(im.Polygon(part), Pose(0, 0, angle)) for part in parts]
    shape = im.Box(*rng.uniform(1, 12, 2).tolist()) if rng.random() < 0.5 else pointed(rng, rng.uniform(2, 8))
    bearing = rng.uniform(-math.pi, math.pi)
    way = (math.cos(bearing), math.sin(bearing))
    start = lifted(shape, way, whole, way)
    if start is None:
        return False
    towards = bearing + math.pi + rng.uniform(-1, 1)
    speed = rng.uniform(2, 60)
    step = (speed * math.cos(towards), speed * math.sin(towards))
    return differ([walk(shape, start, step, walls, 1) for walls in (whole, cut)], 30.0)


# Stuck, flung, and blocked by nothing.


def round_hill(rng: Rng, speed: float) -> bool:
    """A compound or a concave body passes a round one: it cannot be stuck, and nothing far away blocks it."""
    world = im.World(entry_points=False)
    hill = world.add(im.Circle(rng.uniform(3, 30)), Pose(0, 0), might=1)
    kind = str(rng.choice(["compound", "concave polygon", "rounded concave polygon", "smooth", "smooth"]))
    shape = solid(rng, kind, rng.uniform(1, 4))
    bearing = rng.uniform(-math.pi, math.pi)
    way = (math.cos(bearing), math.sin(bearing))
    start = lifted(shape, (hill.shape.radius * way[0], hill.shape.radius * way[1]), [(hill.shape, hill.pose)], way)
    if start is None:
        return False
    body = world.add(shape, start)
    towards = bearing + math.pi + rng.uniform(-1.4, 1.4)
    for _ in range(3):
        x, y = speed * math.cos(towards), speed * math.sin(towards)
        body.goal = Pose(body.pose.x + x, body.pose.y + y)
        world.step()
        if body.stuck or (body.blocked and is_alone(body, [hill])):
            return True
    return False


def round_hill_slowly(rng: Rng) -> bool:
    """At 10 units a frame."""
    return round_hill(rng, 10.0)


def round_hill_fast(rng: Rng) -> bool:
    """At 100 units a frame."""
    return round_hill(rng, 100.0)


def short_concave_edges(rng: Rng) -> bool:
    """A ball passes a concave polygon of size 10 with a tiny edge: a blunt corner, or a step."""
    outline = 6.0 * concave_outline(rng)
    if rng.random() < 0.4:
        outline = np.array([(-5, -5), (5, -5), (5, 5), (1, 5), (1, 0), (-5, 0)], float)
    edge, corner = 10.0 ** rng.uniform(-8, -3), int(rng.integers(len(outline)))
    here = outline[corner]
    before, after = outline[corner - 1] - here, outline[(corner + 1) % len(outline)] - here
    before, after = before / np.hypot(*before), after / np.hypot(*after)
    blunt = [here + edge * before, here + edge * after]
    stepped = [here + edge * before, here + edge * before + edge * after, here + 2 * edge * after]
    outline = np.insert(np.delete(outline, corner, 0), corner, blunt if rng.random() < 0.7 else stepped, axis=0)
    world = im.World(entry_points=False)
    try:
        wall = world.add(im.Polygon(outline), Pose(0, 0, float(rng.choice([0.0, rng.uniform(-3, 3)]))), might=1)
    except im.ShapeError:
        return False
    shape: Any = im.Circle(rng.uniform(0.5, 4)) if rng.random() < 0.7 else pointed(rng, 2.0)
    bearing = rng.uniform(-math.pi, math.pi)
    way = (math.cos(bearing), math.sin(bearing))
    start = lifted(shape, (10 * way[0], 10 * way[1]), [(wall.shape, wall.pose)], way)
    if start is None:
        return False
    body = world.add(shape, start)
    aim = rng.uniform(-4, 4, 2)
    speed = rng.uniform(10, 40)
    length = math.hypot(aim[0] - start.x, aim[1] - start.y)
    step = speed * (aim[0] - start.x) / length, speed * (aim[1] - start.y) / length
    for _ in range(2):
        body.goal = Pose(body.pose.x + step[0], body.pose.y + step[1])
        world.step()
        if body.stuck or (body.blocked and is_alone(body, [wall])):
            return True
    return False


def squeezes_that_open(rng: Rng) -> bool:
    """Two bodies of different ranks fly through a third: where both are far, nothing blocks it."""
    world = im.World(entry_points=False)
    bodies = []
    for might in (3, 2, 0):
        shape = im.Box(*rng.uniform(2, 12, 2).tolist()) if rng.random() < 0.4 else pointed(rng, rng.uniform(2, 6))
        x, y = rng.uniform(-15, 15, 2).tolist()
        body = world.add(shape, Pose(x, y), might)
        aim = rng.uniform(-4, 4, 2)
        share = rng.uniform(1.0, 2.5)
        body.goal = Pose(x + share * (aim[0] - x), y + share * (aim[1] - y))
        bodies.append(body)
    world.step()
    return bool(bodies[2].blocked) and is_alone(bodies[2], bodies[:2])


# Walkers at moving ledges.


def feet(rng: Rng) -> Any:
    kind = int(rng.integers(4))
    if kind == 0:
        return im.Circle(rng.uniform(2, 8))
    if kind == 1:
        radius = rng.uniform(2, 6)
        return im.Capsule((0, -rng.uniform(1, 6)), (0, 4), radius)
    if kind == 2:
        return pointed(rng, rng.uniform(3, 9))
    return im.Box(*rng.uniform(3, 12, 2).tolist())


def ledge_corners(rng: Rng) -> bool:
    """A walker flies past the corner of a moving ledge. On the floor, it touches the ledge."""
    world = im.World(entry_points=False)
    ledge = world.add(im.Box(100, 20), Pose(70, 10), might=1)
    shape = feet(rng)
    start = lifted(shape, (20.0 + rng.uniform(-6, 2), 20.0 + rng.uniform(-6, 8)), [(ledge.shape, ledge.pose)], (-1, 1))
    assert start is not None
    body = world.add(shape, start, max_slope=rng.uniform(0.3, 1.2))
    x, y = rng.uniform(-3, 3, 2).tolist()
    ledge.goal = Pose(70 + x, 10 + float(rng.choice([0.0, y])))
    body.goal = Pose(start.x + rng.uniform(-1, 8), start.y + rng.uniform(-4, 4))
    world.step()
    return (body.on_floor or bool(body.blocked)) and gap(body, ledge) > NEAR


def crest_corners(rng: Rng) -> bool:
    """A walker leaves the corner of a still wall and falls. On the floor, it touches the wall."""
    world = im.World(entry_points=False)
    wall = world.add(pointed(rng, rng.uniform(5, 20)), Pose(0, 0), might=1)
    shape = feet(rng)
    corners = np.array(wall.shape.vertices)
    x, y = corners[int(rng.integers(len(corners)))].tolist()
    start = lifted(shape, (x + rng.uniform(-4, 4), y), [(wall.shape, wall.pose)], (0.0, 1.0))
    assert start is not None
    snap = float(rng.choice([0.0, rng.uniform(0, 4)]))
    body = world.add(shape, start, max_slope=rng.uniform(0.3, 1.2), snap=snap)
    step = rng.uniform(-4, 4), -rng.uniform(0.1, 4)
    for _ in range(6):
        body.goal = Pose(body.pose.x + step[0], body.pose.y + step[1])
        world.step()
        if (body.on_floor or body.blocked) and gap(body, wall) > NEAR:
            return True
    return False


def ledge_jumps(rng: Rng) -> bool:
    """A walker with round feet jumps against a ledge that comes. It is on no floor while in the air."""
    world = im.World(entry_points=False)
    ground = world.add(im.Box(400, 20), Pose(0, -10), might=1)
    height = rng.uniform(10, 40)
    speed = float(rng.choice([0.5, 1.0, 1.0, 2.0]))
    ledge = world.add(im.Box(100, height), Pose(110, height / 2), might=1)
    radius = rng.uniform(3, 8)
    shape: Any = im.Circle(radius) if rng.random() < 0.5 else im.Capsule((0, 0), (0, rng.uniform(4, 12)), radius)
    body = world.add(shape, Pose(rng.uniform(0, 40), radius), max_slope=rng.uniform(0.4, 1.0))
    pace, fall, gravity = rng.uniform(0.5, 5), -0.5, rng.uniform(0.2, 0.6)
    leap = math.sqrt(2 * gravity * (height + rng.uniform(-2, 4)))
    start = int(rng.integers(1, 20))
    for number in range(120):
        fall = leap if number == start and body.on_floor else -0.5 if body.on_floor else fall - gravity
        ledge.goal = Pose(ledge.pose.x - speed, ledge.pose.y)
        body.goal = Pose(body.pose.x + pace, body.pose.y + fall)
        world.step()
        if (body.on_floor or body.blocked) and is_alone(body, [ground, ledge]):
            return True
    return False


# Sticky sides.


def sticky_valleys(rng: Rng) -> bool:
    """A body that is pressed into a valley or the foot of a ramp, and rests there, also rests if it is sticky."""
    left, right = rng.uniform(0.1, 0.9, 2).tolist()
    if rng.random() < 0.4:
        left = 0.0
    sign = float(rng.choice([-1, 1]))
    slopes = [[(0, 0), (10, 0), (10, 10 * right)], [(0, 0), (-10, 10 * left), (-10, -1), (0, -1)]]
    kind = str(rng.choice(["circle", "box", "pointed", "capsule"]))
    shape: Any = {
        "circle": im.Circle(rng.uniform(0.5, 2)),
        "box": im.Box(*rng.uniform(0.5, 3, 2).tolist()),
        "pointed": pointed(rng, rng.uniform(1, 2)),
        "capsule": im.Capsule((0, 0), (0, 1), rng.uniform(0.5, 1.5)),
    }[kind]
    x = rng.uniform(-3.0, 3.0)
    step = (float(rng.choice([0.0, rng.uniform(-1, 1)])), -rng.uniform(0.5, 4))
    trails = []
    for sticky in (Side.NONE, Side.TOP):
        world = im.World(entry_points=False)
        for corners in slopes:
            world.add(im.Polygon([(sign * a, b) for a, b in corners]), Pose(0, 0), might=1, sticky=sticky)
        body = world.add(shape, Pose(sign * x, 12.0))
        trail = []
        for _ in range(60):
            body.goal = Pose(body.pose.x + sign * step[0], body.pose.y + step[1])
            world.step()
            trail.append(body.coordinates[:2])
        trails.append(trail)
    plain, held = trails
    if body.pose.y < -0.5 or math.dist(plain[-1], plain[-6]) > CLOSE:
        return False
    return max(math.dist(held[-1], held[-2]), math.dist(held[-1], plain[-1])) > CLOSE


# Starts inside of two bodies.


def ranked_overlaps(rng: Rng, kind: str) -> bool:
    """A body starts in two still bodies of different ranks: both are convex, so there is a way out."""
    solids = [random_solid(rng, kind, size) for size in (5.0, 5.0, 2.0)]
    world = im.World(entry_points=False)
    body = world.add(solids[2], Pose(0, 0), when_stuck="leave")
    others = []
    for might, other in zip((1, 2), solids[:2], strict=True):
        for _ in range(40):
            x, y = rng.uniform(-7, 7, 2).tolist()
            if im.distance(other, Pose(x, y), body.shape, body.pose).distance < -0.01:
                others.append(world.add(other, Pose(x, y), might))
                break
    for _ in range(3):
        world.step()
    return bool(body.stuck) or any(gap(body, other) < -NEAR for other in others)


def ranked_circles(rng: Rng) -> bool:
    """Circles."""
    return ranked_overlaps(rng, "circle")


def ranked_boxes(rng: Rng) -> bool:
    """Upright boxes."""
    return ranked_overlaps(rng, "box")


def ranked_polygons(rng: Rng) -> bool:
    """Convex polygons."""
    return ranked_overlaps(rng, "convex polygon")


# Lazy proxies.


def pushed_proxies(rng: Rng) -> bool:
    """A press pushes a lazy proxy in the frame in which it expands. Its events are of bodies in the world."""
    world = im.World(entry_points=False)

    def expand(proxy: im.Body) -> None:
        pose = proxy.pose
        world.remove(proxy)
        for number in range(4):
            world.add(im.Box(10, 10), Pose(pose.x - 15 + 10 * number, pose.y), might=1)

    press = world.add(im.Box(10, 10), Pose(-20 + rng.uniform(-2, 2), rng.uniform(-3, 3)), might=2)
    world.add(im.Box(40, 10), Pose(15, 0), might=1, expand=expand)
    hero = world.add(im.Circle(3), Pose(15 + rng.uniform(-10, 10), 12))
    press.goal = Pose(rng.uniform(-12, 0), press.pose.y)
    hero.goal = Pose(hero.pose.x, 4)
    frame = world.step()
    try:
        return any(event.weak.world is not world or event.mighty.world is not world for event in frame.events)
    except (AssertionError, ValueError):
        return True


# Tiny edges, long ways, and rotation.


def short_convex_edges(rng: Rng) -> bool:
    """A body slides over a convex polygon with a tiny edge at a corner, or with a plain corner: it ends alike."""
    edge = 10.0 ** rng.uniform(-11, -8)
    outline = rng.uniform(3, 8) * convex_outline(rng)
    if rng.random() < 0.3:
        outline = np.array([(-8, -8), (8, -8), (8, 0), (-8, 0)], float)
    corner = int(rng.integers(len(outline)))
    here = outline[corner]
    before, after = outline[corner - 1] - here, outline[(corner + 1) % len(outline)] - here
    blunt = [here + edge * before / np.hypot(*before), here + edge * after / np.hypot(*after)]
    away = -(before / np.hypot(*before) + after / np.hypot(*after))
    away /= np.hypot(*away)
    try:
        walls = [im.Polygon(outline), im.Polygon(np.insert(np.delete(outline, corner, 0), corner, blunt, axis=0))]
    except im.ShapeError:
        return False
    shape: Any = random_solid(rng, str(rng.choice(KINDS)), 2.0)
    if rng.random() < 0.6:
        shape = im.Box(*rng.uniform(0.5, 6, 2).tolist())
    place = here + rng.uniform(0, 0.5) * (before if rng.random() < 0.5 else after)
    start = lifted(shape, tuple(place), [(walls[0], Pose(0, 0))], tuple(away))
    if start is None:
        return False
    towards, speed, into = rng.uniform(-math.pi, math.pi), rng.uniform(2, 30), rng.uniform(0.3, 4)
    ends = []
    for wall in walls:
        world = im.World(entry_points=False)
        world.add(wall, Pose(0, 0), might=1)
        body = world.add(shape, start)
        body.goal = Pose(start.x - 2 * into * away[0], start.y - 2 * into * away[1])
        world.step()
        x, y = speed * math.cos(towards) - into * away[0], speed * math.sin(towards) - into * away[1]
        body.goal = Pose(body.pose.x + x, body.pose.y + y)
        world.step()
        ends.append(body)
    return differ(ends, 10.0) or ends[0].blocked != ends[1].blocked


def long_turning_ways(rng: Rng) -> bool:
    """A body turns on a way of up to 1e9, with a wall in it near the start."""
    world = im.World(entry_points=False)
    thickness = rng.uniform(0.5, 4)
    bearing = float(rng.choice([0.0, 0.5 * math.pi, math.pi, rng.uniform(-math.pi, math.pi)]))
    wall = world.add(im.Box(thickness, 60), Pose(10 * math.cos(bearing), 10 * math.sin(bearing), bearing), might=1)
    shape = random_solid(rng, str(rng.choice(["box", "convex polygon", "capsule", "concave polygon"])), 2.0)
    body = world.add(shape, Pose(0, 0))
    far = 10.0 ** rng.uniform(3, 9)
    body.goal = Pose(far * math.cos(bearing), far * math.sin(bearing), rng.uniform(0.02, 2.0))
    if gap(body, wall) < 0.1:
        return False
    world.step()
    return math.hypot(body.pose.x, body.pose.y) > 15


def mirrored(shape: Any) -> Any:
    """Return the mirror image of a polygon, a box or a circle in the y axis."""
    if isinstance(shape, im.Polygon):
        return im.Polygon([(-x, y) for x, y in reversed(shape.vertices)], shape.radius)
    return shape


def pressed_turns(rng: Rng) -> bool:
    """A concave body turns while a wall presses it. The mirror image of the scene gives the mirror image."""
    shape = random_solid(rng, "concave polygon", 3.0)
    wall: Any = im.Box(40, 10) if rng.random() < 0.5 else im.Circle(20)
    top = 5.0 if isinstance(wall, im.Box) else 20.0
    angle, spin = rng.uniform(-math.pi, math.pi), rng.uniform(-1.0, 1.0)
    slant = float(rng.choice([0.0, rng.uniform(-0.4, 0.4)]))
    step = rng.uniform(-2, 2), -rng.uniform(0.5, 4)
    rise = float(rng.choice([0.0, rng.uniform(-1, 2)]))
    start = lifted(shape, (0.0, top), [(wall, Pose(0, 0, slant))], (0.0, 1.0))
    assert start is not None
    ends = []
    for sign in (1.0, -1.0):
        world = im.World(entry_points=False)
        floor = world.add(wall, Pose(0, 0, sign * slant), might=1)
        body = world.add(shape if sign > 0 else mirrored(shape), Pose(0, start.y + 3, sign * angle))
        for _ in range(6):
            floor.goal = Pose(0, floor.pose.y + rise, sign * slant)
            body.goal = Pose(body.pose.x + sign * step[0], body.pose.y + step[1], body.angle + sign * spin)
            world.step()
        ends.append((sign * body.pose.x, body.pose.y))
    return math.dist(*ends) > 10 * CLOSE


def beyond_the_limit(rng: Rng) -> bool:
    """Bodies push each other to the largest coordinates: the pose of each can be read, and set as a goal."""
    world = im.World(entry_points=False)
    limit, size = 1e100, 10.0 ** rng.uniform(80, 99)
    bearing = 0.5 * math.pi * int(rng.integers(4))
    cos, sin = round(math.cos(bearing)), round(math.sin(bearing))
    shapes: list[Any] = [im.Box(size, size), im.Circle(size / 2)]
    wall = world.add(shapes[int(rng.integers(2))], Pose(0, 0), might=1)
    body = world.add(shapes[int(rng.integers(2))], Pose(1.5 * size * cos, 1.5 * size * sin))
    wall.goal = Pose(limit * cos, limit * sin)
    try:
        for _ in range(3):
            world.step()
            body.goal = body.pose
    except im.ShapeError:
        return True
    return False


# For each kind a function that returns whether one random case fails, and the number of cases at scale 1.
KINDS_OF_FAILURE: dict[str, tuple[Callable[[Rng], bool], int]] = {
    "ramps_of_tiles": (ramps_of_tiles, 400),
    "flat_tiles": (flat_tiles, 600),
    "one_frame_cuts": (one_frame_cuts, 9_000),
    "round_hill_slowly": (round_hill_slowly, 1_000),
    "round_hill_fast": (round_hill_fast, 1_000),
    "short_concave_edges": (short_concave_edges, 1_000),
    "squeezes_that_open": (squeezes_that_open, 20_000),
    "ledge_corners": (ledge_corners, 8_000),
    "crest_corners": (crest_corners, 2_000),
    "ledge_jumps": (ledge_jumps, 300),
    "sticky_valleys": (sticky_valleys, 400),
    "ranked_circles": (ranked_circles, 400),
    "ranked_boxes": (ranked_boxes, 400),
    "ranked_polygons": (ranked_polygons, 400),
    "pushed_proxies": (pushed_proxies, 100),
    "short_convex_edges": (short_convex_edges, 2_000),
    "long_turning_ways": (long_turning_ways, 1_000),
    "pressed_turns": (pressed_turns, 1_000),
    "beyond_the_limit": (beyond_the_limit, 50),
}


def count_of(name: str, total: int, seed: int = 0) -> Count:
    """Run random cases of a kind."""
    fails = KINDS_OF_FAILURE[name][0]
    return Count(total, [number for number in range(total) if fails(random_generator(name, seed, number))])


def main() -> None:
    """Print how many cases of each kind fail, and the numbers of the first ones."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="part of the cases of each kind")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kind", dest="names", action="append", choices=KINDS_OF_FAILURE, help="may be repeated")
    arguments = parser.parse_args()
    runtime.prepare()
    failed = 0
    for name in arguments.names or KINDS_OF_FAILURE:
        total = max(round(KINDS_OF_FAILURE[name][1] * arguments.scale), 1)
        begin = time.monotonic()
        count = count_of(name, total, arguments.seed)
        failed += count.failed
        took = time.monotonic() - begin
        first = " ".join(map(str, count.numbers[:8]))
        print(f"{name:22} {count.failed:6} of {count.total:6}  {took:6.1f} s  {first}", flush=True)
    raise SystemExit(1 if failed else 0)


if __name__ == "__main__":
    main()
