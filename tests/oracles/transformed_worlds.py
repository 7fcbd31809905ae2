"""Random scenes, and transformations of them that must not change the answer.

A scene is mirrored, turned by quarter turns, shifted, scaled, and added in another order; its walls are cut into flush
parts or joined to one compound; its frames are cut into equal parts. Mapped back, poses must agree within `CLOSE` times
the scene's unit, and `blocked`, `stuck`, `on_floor` and sensed bodies must be equal.

A scene may be at a tie: a body that meets a corner exactly can go either way. To judge, its weak bodies are moved by up
to 1e-7 units, `DISTURBED` times. If both answers come back, the scene is at a *tie*; if neither comes back often, it is
*unstable*, as a ball that has bounced ten times. Every other difference is a failure, also one that needs exact
coordinates to happen. Ties and unstable scenes are counted apart.

`python tests/oracles/transformed_worlds.py --scenes 200 --seed 7 --show 3 --minimise` prints a table, and scenes that
fail as short scripts.
"""

from __future__ import annotations

import argparse
import math
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import shapely
import shapely.ops

import impinge as im
from impinge import Pose, Side, runtime
from shapely_solids import KINDS, random_solid

Rng: TypeAlias = np.random.Generator
Step: TypeAlias = tuple[float, float, float]

# Two ends agree within this part of the unit of the scene, about the size of its weak bodies.
CLOSE = 1e-6
# A contact with a turning body is followed in spans of 1/32 radian, with errors of third order. New contacts shift the
# spans.
CLOSE_TURNING = 1e-3
# Runs with disturbed starts, by up to these parts of the unit.
DISTURBED = 12
DISTURBANCES = (1e-9, 1e-8, 1e-7)
# Of this part of the disturbed runs, one of the two answers comes back, or the scene is unstable.
STEADY_PART = 0.7
# Parts of a frame that is cut.
PARTS = 8
# Normals nearer to 45 degrees touch either of two sides.
DIAGONAL = 1e-6


@dataclass(frozen=True)
class Actor:
    """A body and its motion.

    Attributes
    ----------
    steps
        In frame `n`, its goal is its pose plus `steps[n % len(steps)]`: x, y and angle.
    rules
        Further arguments of `World.add`.
    is_wall
        Whether it may be cut and joined; the ends of walls are not compared.
    flies
        After the first frame, its goal is its pose plus `Body.movement`.
    """

    shape: Any
    pose: Pose
    steps: tuple[Step, ...] = ((0.0, 0.0, 0.0),)
    rules: dict[str, Any] = field(default_factory=dict)
    is_wall: bool = False
    flies: bool = False

    @property
    def turns(self) -> bool:
        return any(step[2] for step in self.steps)

    @property
    def moves(self) -> bool:
        return any(any(step) for step in self.steps)


@dataclass(frozen=True)
class Scene:
    """Bodies in the order of adding; `unit` is about the size of the weak ones."""

    actors: tuple[Actor, ...]
    unit: float = 1.0


class End(NamedTuple):
    """The end of one body: x, y, angle, flags, and the numbers of sensors that it met."""

    x: float
    y: float
    angle: float
    blocked: Side
    stuck: Side
    on_floor: bool
    sensed: frozenset[int]


@dataclass
class Played:
    """The ends of all actors that are no walls, in the order of the scene."""

    ends: list[End]
    has_diagonal: bool = False
    was_stuck: bool = False


def play(scene: Scene, frames: int, parts: int = 1) -> Played:
    """Return how the bodies of a scene end."""
    world = im.World(entry_points=False)
    bodies = [world.add(actor.shape, actor.pose, **actor.rules) for actor in scene.actors]
    played = Played([])
    moving = [(actor, body) for actor, body in zip(scene.actors, bodies, strict=True) if actor.moves]
    frame = im.Frame(np.zeros((0, 10)), [])
    for number in range(frames):
        for part in range(parts):
            for actor, body in moving:
                x, y, angle = body.coordinates
                if actor.flies and (number or part):
                    step_x, step_y = body.movement
                    turn = 0.0
                else:
                    step_x, step_y, turn = (value / parts for value in actor.steps[number % len(actor.steps)])
                body.goal = Pose(x + step_x, y + step_y, angle + turn)
            frame = world.step()
            played.was_stuck |= bool(frame.stuck_events)
            if len(frame.rows):
                normals = np.abs(frame.rows[:, 8:10])
                played.has_diagonal |= bool((np.abs(normals[:, 0] - normals[:, 1]) < DIAGONAL).any())
    order = {body.index: number for number, body in enumerate(bodies)}
    sensed: dict[int, set[int]] = {}
    for event in frame.sensed:
        sensed.setdefault(event.weak.index, set()).add(order[event.mighty.index])
    for actor, body in zip(scene.actors, bodies, strict=True):
        if not actor.is_wall:
            x, y, angle = body.coordinates
            floor = body.on_floor if body.max_slope is not None else False
            met = frozenset(sensed.get(body.index, ()))
            played.ends.append(End(x, y, angle, body.blocked, body.stuck, floor, met))
    return played


# Transformations.


@dataclass(frozen=True)
class Map:
    """A linear map of the plane that keeps angles up to their sign, and a shift."""

    matrix: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 1.0)
    shift: tuple[float, float] = (0.0, 0.0)

    @property
    def sign(self) -> float:
        a, b, c, d = self.matrix
        return math.copysign(1.0, a * d - b * c)

    @property
    def scale(self) -> float:
        a, _, c, _ = self.matrix
        return abs(a) + abs(c)

    @property
    def inverse(self) -> Map:
        a, b, c, d = self.matrix
        area = a * d - b * c
        back = Map((d / area, -b / area, -c / area, a / area))
        x, y = back.vector(*self.shift)
        return Map(back.matrix, (-x, -y))

    def vector(self, x: float, y: float) -> tuple[float, float]:
        a, b, c, d = self.matrix
        return a * x + b * y, c * x + d * y

    def pose(self, pose: Pose) -> Pose:
        x, y = self.vector(pose.x, pose.y)
        return Pose(x + self.shift[0], y + self.shift[1], self.sign * pose.angle)

    def step(self, step: Step) -> Step:
        return (*self.vector(*step[:2]), self.sign * step[2])

    def sides(self, sides: Side) -> Side:
        directions = {Side.LEFT: (-1, 0), Side.RIGHT: (1, 0), Side.BOTTOM: (0, -1), Side.TOP: (0, 1)}
        found = Side.NONE
        for side, direction in directions.items():
            if side in sides:
                x, y = self.vector(*direction)
                found |= next(name for name, (a, b) in directions.items() if a * x + b * y > 0)
        return found

    def shape(self, shape: Any) -> Any:
        """Return the image of a shape in its own frame."""
        scale = self.scale
        if isinstance(shape, im.Box):
            size = (shape.width, shape.height) if self.matrix[0] else (shape.height, shape.width)
            return im.Box(scale * size[0], scale * size[1])
        if isinstance(shape, im.Circle):
            return im.Circle(scale * shape.radius)
        if isinstance(shape, im.Capsule):
            return im.Capsule(self.vector(*shape.a), self.vector(*shape.b), scale * shape.radius)
        if isinstance(shape, im.Polygon):
            vertices = [self.vector(*vertex) for vertex in shape.vertices]
            return im.Polygon(vertices if self.sign > 0 else vertices[::-1], scale * shape.radius)
        plain = Map(self.matrix)
        return im.Compound([(self.shape(part), plain.pose(pose)) for part, pose in shape.parts])

    def rules(self, rules: dict[str, Any]) -> dict[str, Any]:
        found = dict(rules)
        for name in ("carrying", "sticky", "passable"):
            if name in found:
                found[name] = self.sides(found[name])
        for name in ("snap", "step_height"):
            if name in found:
                found[name] *= self.scale
        return found

    def scene(self, scene: Scene) -> Scene:
        plain = Map(self.matrix)
        actors = tuple(
            replace(
                actor,
                shape=self.shape(actor.shape),
                pose=self.pose(actor.pose),
                steps=tuple(plain.step(step) for step in actor.steps),
                rules=self.rules(actor.rules),
            )
            for actor in scene.actors
        )
        return Scene(actors, scene.unit * self.scale)

    def end(self, end: End) -> End:
        pose = self.pose(Pose(end.x, end.y, end.angle))
        return End(pose.x, pose.y, pose.angle, self.sides(end.blocked), self.sides(end.stuck), end.on_floor, end.sensed)


MAPS = {
    "mirror_x": Map((-1.0, 0.0, 0.0, 1.0)),
    "mirror_y": Map((1.0, 0.0, 0.0, -1.0)),
    "quarter": Map((0.0, -1.0, 1.0, 0.0)),
    "half": Map((-1.0, 0.0, 0.0, -1.0)),
    "shift": Map(shift=(1000.0, -1000.0)),
    "twice": Map((2.0, 0.0, 0.0, 2.0)),
    "times_1024": Map((1024.0, 0.0, 0.0, 1024.0)),
}
TRANSFORMATIONS = (*MAPS, "order", "cut", "joined", "parts")
# Gravity of walkers is down.
UPRIGHT_ONLY = ("mirror_y", "quarter", "half")


def applies(transformation: str, scene: Scene) -> bool:
    """Return whether a transformation must not change the answer, by the rules."""
    rules = [actor.rules for actor in scene.actors]
    walks = any("max_slope" in rule for rule in rules)
    if transformation in UPRIGHT_ONLY:
        return not walks
    turning = any(actor.turns for actor in scene.actors)
    if transformation == "parts":
        # Sticky sides hold bodies that touch at the frame's start, steps and snap come once a frame, rotation is
        # followed in spans, a way around a round corner sees another side of it every 1/8 radian, and a body that is
        # moved out of an overlap keeps its goal.
        once = any(rule.get("sticky") or rule.get("snap") or rule.get("step_height") for rule in rules)
        return not (once or turning or any(rule.get("passable") for rule in rules) or starts_overlapped(scene))
    walls = [actor for actor in scene.actors if actor.is_wall]
    if transformation in ("cut", "joined"):
        # A body inside a passable one first leaves the whole of it. Spans of turning bodies depend on their sizes.
        changes = len(walls) > 1 if transformation == "joined" else any(cuttable(wall) for wall in walls)
        return changes and not (turning or any(rule.get("passable") for rule in rules))
    return True


def cuttable(actor: Actor) -> bool:
    return isinstance(actor.shape, im.Box) or (isinstance(actor.shape, im.Polygon) and not actor.shape.radius)


def reordered(rng: Rng, scene: Scene) -> tuple[Scene, list[int]]:
    """Return a scene in another order of adding, and for each new place the old one."""
    order = rng.permutation(len(scene.actors)).tolist()
    return replace(scene, actors=tuple(scene.actors[number] for number in order)), order


def cut(rng: Rng, scene: Scene) -> Scene:
    """Return a scene with all walls cut into flush parts."""
    actors: list[Actor] = []
    for actor in scene.actors:
        actors += cut_wall(rng, actor, scene.unit) if actor.is_wall else [actor]
    return replace(scene, actors=tuple(actors))


def cut_wall(rng: Rng, wall: Actor, unit: float) -> list[Actor]:
    """Return the parts of a wall: upright boxes, or polygons in its own frame."""
    pose = wall.pose
    if isinstance(wall.shape, im.Box) and pose.angle == 0.0 and not wall.turns:
        parts: list[tuple[float, float, float, float]] = [
            (-wall.shape.width / 2, -wall.shape.height / 2, wall.shape.width / 2, wall.shape.height / 2)
        ]
        for _ in range(int(rng.integers(1, 4))):
            left, bottom, right, top = parts.pop(0)
            share = rng.uniform(0.25, 0.75)
            if right - left > top - bottom:
                middle = left + share * (right - left)
                parts += [(left, bottom, middle, top), (middle, bottom, right, top)]
            else:
                middle = bottom + share * (top - bottom)
                parts += [(left, bottom, right, middle), (left, middle, right, top)]
        return [
            replace(wall, shape=im.Box(c - a, d - b), pose=Pose(pose.x + (a + c) / 2, pose.y + (b + d) / 2))
            for a, b, c, d in parts
        ]
    if not cuttable(wall):
        return [wall]
    x, y = (wall.shape.width / 2, wall.shape.height / 2) if isinstance(wall.shape, im.Box) else (0.0, 0.0)
    outline = [(-x, -y), (x, -y), (x, y), (-x, y)] if x else wall.shape.vertices
    pieces = cut_outline(rng, outline, int(rng.integers(1, 4)), 0.05 * unit)
    return [replace(wall, shape=im.Polygon(piece)) for piece in pieces]


def cut_outline(rng: Rng, outline: Any, lines: int, least: float) -> list[Any]:
    """Return the parts into which random lines cut an outline, none thinner than `least`."""
    pieces = [shapely.Polygon(outline)]
    for _ in range(lines):
        piece = max(pieces, key=lambda polygon: float(polygon.area))
        x, y = piece.representative_point().coords[0]
        angle = rng.uniform(0.0, math.pi)
        far_x, far_y = 1e3 * math.cos(angle), 1e3 * math.sin(angle)
        halves = list(
            shapely.ops.split(piece, shapely.LineString([(x - far_x, y - far_y), (x + far_x, y + far_y)])).geoms
        )
        if all(2.0 * half.area / half.length > least for half in halves):
            pieces.remove(piece)
            pieces += halves
    return [shapely.get_coordinates(piece)[:-1].tolist() for piece in pieces]


def joined(scene: Scene) -> Scene:
    """Return a scene in which walls of equal motion and rules are one compound."""
    groups: dict[Any, list[Actor]] = {}
    actors = []
    for actor in scene.actors:
        # Sides turn with a body: a compound has one angle.
        rules = actor.rules
        has_sides = any(rules.get(name, Side.NONE) not in (Side.NONE, Side.ALL) for name in ("carrying", "sticky"))
        key = (actor.steps, tuple(sorted(rules.items())), actor.pose.angle if has_sides else 0.0)
        if not actor.is_wall:
            actors.append(actor)
        elif key in groups:
            groups[key].append(actor)
        else:
            groups[key] = [actor]
            actors.append(actor)
    merged = {
        id(group[0]): replace(group[0], shape=compound(group, key[2]), pose=Pose(0, 0, key[2]))
        for key, group in groups.items()
    }
    return replace(scene, actors=tuple(merged.get(id(actor), actor) for actor in actors))


def compound(group: list[Actor], angle: float) -> im.Compound:
    """Return walls as one solid, for a body at the origin and at an angle."""
    cos, sin = math.cos(angle), math.sin(angle)
    return im.Compound(
        [
            (actor.shape, Pose(cos * x + sin * y, cos * y - sin * x, actor.pose.angle - angle))
            for actor in group
            for x, y in [(actor.pose.x, actor.pose.y)]
        ]
    )


def transformed(transformation: str, scene: Scene, frames: int, rng: Rng) -> tuple[Scene, Callable[[], Played]]:
    """Return the image of a scene, and a function that plays it and maps the ends back."""
    if transformation in MAPS:
        there = MAPS[transformation]
        image = there.scene(scene)

        def play_back() -> Played:
            played = play(image, frames)
            played.ends = [there.inverse.end(end) for end in played.ends]
            return played

        return image, play_back
    if transformation == "order":
        image, order = reordered(rng, scene)

        def play_in_order() -> Played:
            played = play(image, frames)
            compared = [number for number in order if not scene.actors[number].is_wall]
            by_number = dict(zip(compared, played.ends, strict=True))
            played.ends = [
                by_number[number]._replace(sensed=frozenset(order[met] for met in by_number[number].sensed))
                for number in sorted(by_number)
            ]
            return played

        return image, play_in_order
    if transformation == "parts":
        return scene, lambda: play(scene, frames, PARTS)
    image = cut(rng, scene) if transformation == "cut" else joined(scene)

    def play_walls() -> Played:
        played = play(image, frames)
        # Sensors are no walls, and keep their places among the other bodies.
        old = [number for number, actor in enumerate(scene.actors) if not actor.is_wall]
        new = [number for number, actor in enumerate(image.actors) if not actor.is_wall]
        numbers = dict(zip(new, old, strict=True))
        played.ends = [end._replace(sensed=frozenset(numbers[met] for met in end.sensed)) for end in played.ends]
        return played

    return image, play_walls


# The judge.


def agree(one: Played, other: Played, close: float, flags: int = 7) -> bool:
    """Return whether two runs ended alike, also in the first `flags` fields."""
    for a, b in zip(one.ends, other.ends, strict=True):
        if abs(a.x - b.x) > close or abs(a.y - b.y) > close or abs(a.angle - b.angle) > CLOSE:
            return False
        if a[3:flags] != b[3:flags]:
            return False
    return True


def disturbed(rng: Rng, scene: Scene, by: float, frames: int) -> Scene:
    """Return a scene in which weak bodies start and move a little differently."""

    def moved(actor: Actor) -> Actor:
        if actor.is_wall:
            return actor
        x, y = (by * scene.unit * rng.uniform(-1, 1, 2)).tolist()
        step_x, step_y = (by * scene.unit / frames * rng.uniform(-1, 1, 2)).tolist() if actor.moves else (0.0, 0.0)
        return replace(
            actor,
            pose=Pose(actor.pose.x + x, actor.pose.y + y, actor.pose.angle),
            steps=tuple((a + step_x, b + step_y, c) for a, b, c in actor.steps),
        )

    return replace(scene, actors=tuple(moved(actor) for actor in scene.actors))


def round_error(scene: Scene, frames: int) -> float:
    """Return how far new contacts on the way around a round corner can be off: by rule, 1/500 of the radius each."""
    radius = 2.0 * max(largest_radius(actor.shape) for actor in scene.actors)
    return radius / 100.0 if frames == 1 else radius


def largest_radius(shape: Any) -> float:
    if isinstance(shape, im.Compound):
        return max(largest_radius(part) for part, _ in shape.parts)
    return float(getattr(shape, "radius", 0.0))


def verdict(transformation: str, scene: Scene, frames: int, seed: Sequence[int] = (0,)) -> str:
    """Return "same", "place", "flags", "tie", "unstable", or "rule" if the rules let the answers differ.

    "place": it ends at another place; "flags": only with other flags.
    """
    _, play_image = transformed(transformation, scene, frames, np.random.default_rng([1, *seed]))
    plain, image = play(scene, frames), play_image()
    turning = any(actor.turns for actor in scene.actors)
    close = (CLOSE_TURNING if turning else CLOSE) * scene.unit + (
        round_error(scene, frames) if transformation == "parts" else 0.0
    )
    # A diagonal contact is at the top or the bottom. The last part of a frame can have left a sensor.
    diagonal = transformation == "quarter" and (plain.has_diagonal or image.has_diagonal)
    is_round = transformation == "parts" and round_error(scene, frames) > 0.0
    flags = 3 if diagonal or is_round else 6 if transformation == "parts" else 7
    if agree(plain, image, close, flags):
        return "same"
    pressed = starts_overlapped(scene) or any(actor.moves and actor.rules.get("might") for actor in scene.actors)
    if transformation in ("parts", "order") and pressed and (plain.was_stuck or image.was_stuck):
        # A stuck body waits from the next frame on; of equals, the first added holds it.
        return "rule"
    rng = np.random.default_rng([2, *seed])
    as_plain = as_image = 0
    for number in range(DISTURBED):
        by = DISTURBANCES[number % len(DISTURBANCES)]
        again = play(disturbed(rng, scene, by, frames), frames)
        is_plain, is_image = agree(again, plain, close, flags), agree(again, image, close, flags)
        as_plain += is_plain
        as_image += is_image
    if as_plain + as_image < STEADY_PART * DISTURBED:
        return "unstable"
    if min(as_plain, as_image) >= 2:
        return "tie"
    return "flags" if agree(plain, image, close, 3) else "place"


# Smaller scenes that still fail.


def minimised(transformation: str, scene: Scene, frames: int, seed: Sequence[int]) -> tuple[Scene, int]:
    """Return a smaller scene with as few frames as possible that still fails."""

    kind, overlaps = verdict(transformation, scene, frames, seed), starts_overlapped(scene)

    def fails(candidate: Scene, count: int) -> bool:
        try:
            is_alike = applies(transformation, candidate) and (overlaps or not starts_overlapped(candidate))
            return is_alike and verdict(transformation, candidate, count, seed) == kind
        except (im.ShapeError, ValueError):
            return False

    def still_fails(candidate: Scene) -> bool:
        return fails(candidate, frames)

    frames = next((count for count in range(1, frames) if fails(scene, count)), frames)
    for _ in range(3):
        before = scene
        for candidate in smaller(scene):
            if len(candidate.actors) <= len(scene.actors) and fails(candidate, frames):
                scene = candidate
        scene = later(transformation, scene, frames, fails) if frames > 1 else scene
        frames = next((count for count in range(1, frames) if fails(scene, count)), frames)
        number = 0
        while number < len(scene.actors):
            less = replace(scene, actors=scene.actors[:number] + scene.actors[number + 1 :])
            if fails(less, frames):
                scene = less
            else:
                number += 1
        for digits in (0, 1, 2, 3, 4):
            for number in range(len(scene.actors)):
                scene = rounded(scene, number, digits, still_fails)
        scene = trimmed(scene, frames)
        if scene == before:
            break
    return scene, frames


def trimmed(scene: Scene, frames: int) -> Scene:
    """Return a scene without the steps after some frames."""

    def short(steps: tuple[Step, ...]) -> tuple[Step, ...]:
        taken = steps[:frames]
        return taken[:1] if len(set(taken)) == 1 else taken

    return replace(scene, actors=tuple(replace(actor, steps=short(actor.steps)) for actor in scene.actors))


def smaller(scene: Scene) -> Iterator[Scene]:
    """Yield scenes with fewer rules."""
    for number, actor in enumerate(scene.actors):
        for name in actor.rules:
            if name not in ("might", "max_slope"):
                rules = {key: value for key, value in actor.rules.items() if key != name}
                yield with_actor(scene, number, replace(actor, rules=rules))


def with_actor(scene: Scene, number: int, actor: Actor) -> Scene:
    return replace(scene, actors=(*scene.actors[:number], actor, *scene.actors[number + 1 :]))


def later(transformation: str, scene: Scene, frames: int, fails: Callable[[Scene, int], bool]) -> Scene:
    """Return the scene as it is before the last frame, if it still fails then."""
    for left in (1, 2, 3, 5, 10):
        if left < frames:
            found = continued(scene, frames - left)
            if fails(found, left):
                return found
    return scene


def continued(scene: Scene, frames: int) -> Scene:
    """Return a scene that starts where another one is after some frames."""
    world = im.World(entry_points=False)
    bodies = [world.add(actor.shape, actor.pose, **actor.rules) for actor in scene.actors]
    for number in range(frames):
        for actor, body in zip(scene.actors, bodies, strict=True):
            x, y, angle = body.coordinates
            step_x, step_y, turn = actor.steps[number % len(actor.steps)]
            if actor.flies and number:
                (step_x, step_y), turn = body.movement, 0.0
            body.goal = Pose(x + step_x, y + step_y, angle + turn)
        world.step()
    actors = []
    for actor, body in zip(scene.actors, bodies, strict=True):
        turned = frames % len(actor.steps)
        steps = actor.steps[turned:] + actor.steps[:turned]
        if actor.flies:
            steps = ((*body.movement, 0.0),)
        actors.append(replace(actor, pose=body.pose, steps=steps))
    return replace(scene, actors=tuple(actors))


def rounded(scene: Scene, number: int, digits: int, fails: Callable[[Scene], bool]) -> Scene:
    """Return the scene with shorter numbers in one actor, as far as it still fails."""
    tries: list[Callable[[Actor], Actor]] = [
        lambda old: replace(old, pose=Pose(round(old.pose.x, digits), round(old.pose.y, digits), old.pose.angle)),
        lambda old: replace(old, pose=Pose(old.pose.x, old.pose.y, round(old.pose.angle, digits))),
        lambda old: replace(old, steps=tuple((round(a, digits), round(b, digits), c) for a, b, c in old.steps)),
        lambda old: replace(old, steps=tuple((a, b, round(c, digits)) for a, b, c in old.steps)),
    ]
    if digits == 0 and isinstance(scene.actors[number].shape, im.Polygon):
        count = len(scene.actors[number].shape.vertices)
        tries += [without_corner(corner) for corner in reversed(range(count))]
    tries.append(lambda old: replace(old, shape=rounded_shape(old.shape, digits)))
    for change in tries:
        try:
            candidate = with_actor(scene, number, change(scene.actors[number]))
        except (im.ShapeError, ValueError):
            continue
        if candidate != scene and fails(candidate):
            scene = candidate
    return scene


def rounded_shape(shape: Any, digits: int) -> Any:
    if isinstance(shape, im.Box):
        return im.Box(round(shape.width, digits), round(shape.height, digits))
    if isinstance(shape, im.Circle):
        return im.Circle(round(shape.radius, digits))
    if isinstance(shape, im.Capsule):
        a, b = ([round(value, digits) for value in end] for end in (shape.a, shape.b))
        return im.Capsule((a[0], a[1]), (b[0], b[1]), round(shape.radius, digits))
    if isinstance(shape, im.Polygon):
        corners = [(round(x, digits), round(y, digits)) for x, y in shape.vertices]
        return im.Polygon(corners, round(shape.radius, digits))
    return im.Compound(
        [
            (rounded_shape(part, digits), Pose(round(pose.x, digits), round(pose.y, digits), round(pose.angle, digits)))
            for part, pose in shape.parts
        ]
    )


def without_corner(corner: int) -> Callable[[Actor], Actor]:
    """Return a function that takes a corner from an actor's polygon."""

    def change(old: Actor) -> Actor:
        corners = list(old.shape.vertices)
        del corners[corner]
        return replace(old, shape=im.Polygon(corners, old.shape.radius))

    return change


def script(scene: Scene, frames: int, parts: int = 1) -> str:
    """Return a script that plays a scene."""
    lines = ["w = im.World()"]
    moves = []
    for number, actor in enumerate(scene.actors):
        rules = "".join(f", {name}={literal(value)}" for name, value in actor.rules.items())
        lines.append(f"b{number} = w.add({literal(actor.shape)}, {literal(actor.pose)}{rules})")
        if actor.moves:
            steps = f"{[*actor.steps]}[n % {len(actor.steps)}]" if len(actor.steps) > 1 else f"{actor.steps[0]}"
            moves.append(f"    x, y, a = {steps}")
            if actor.flies:
                moves.append(f"    if n: (x, y), a = b{number}.movement, 0.0")
            b = f"b{number}"
            moves.append(f"    {b}.goal = Pose({b}.pose.x + x, {b}.pose.y + y, {b}.angle + a)")
    if parts > 1:
        moves = [line.replace(" + x", f" + x / {parts}").replace(" + y", f" + y / {parts}") for line in moves]
        lines.append(f"for n in [n for n in range({frames}) for _ in range({parts})]:")
    else:
        lines.append(f"for n in range({frames}):")
    lines += [*moves, "    w.step()"]
    for number, actor in enumerate(scene.actors):
        if not actor.is_wall:
            b = f"b{number}"
            lines.append(f"print('{b}', {b}.coordinates, {b}.blocked, {b}.stuck, {b}.on_floor)")
    return "\n".join(lines)


def literal(value: Any) -> str:
    if isinstance(value, Side):
        return f"Side({int(value)})"
    if isinstance(value, Pose):
        return f"Pose({value.x!r}, {value.y!r}" + (f", {value.angle!r})" if value.angle else ")")
    if isinstance(value, im.Polygon):
        corners = ", ".join(f"({float(x)!r}, {float(y)!r})" for x, y in value.vertices)
        return f"im.Polygon([{corners}]" + (f", {value.radius!r})" if value.radius else ")")
    if isinstance(value, im.Compound):
        return "im.Compound([" + ", ".join(f"({literal(part)}, {literal(pose)})" for part, pose in value.parts) + "])"
    if isinstance(value, (im.Box, im.Circle, im.Capsule)):
        return f"im.{value!r}"
    return repr(value)


# Scenes.


def is_free(shape: Any, pose: Pose, others: Iterable[Actor], least: float = 1e-3) -> bool:
    """Return whether a shape stands off all actors."""
    return all(im.distance(shape, pose, other.shape, other.pose).distance > least for other in others)


def placed(rng: Rng, shape: Any, near: float, others: Sequence[Actor], angle: float = 0.0) -> Pose | None:
    """Return a free place, if one is found."""
    for _ in range(30):
        x, y = rng.uniform(-near, near, 2).tolist()
        pose = Pose(x, y, angle)
        if is_free(shape, pose, others):
            return pose
    return None


def wandering(rng: Rng, speed: float, count: int, spin: float = 0.0) -> tuple[Step, ...]:
    """Return steps, each of which is repeated for a few frames."""
    steps: list[Step] = []
    while len(steps) < count:
        x, y = (speed * rng.uniform(-1, 1, 2)).tolist()
        steps += [(x, y, spin * rng.uniform(-1, 1) if spin else 0.0)] * int(rng.integers(1, 12))
    return tuple(steps)


def towards(rng: Rng, pose: Pose, speed: float, near: float) -> Step:
    """Return a step towards the middle of a scene."""
    x, y = rng.uniform(-near, near, 2).tolist()
    length = max(math.hypot(x - pose.x, y - pose.y), 1e-6)
    return speed * (x - pose.x) / length, speed * (y - pose.y) / length, 0.0


def random_steps(rng: Rng, pose: Pose, spin: float = 0.0) -> tuple[Step, ...]:
    """Return the motion of a weak body of size 1: fast towards the middle, or wandering, or pressing to one side."""
    kind = int(rng.integers(4))
    if kind == 0:
        x, y, _ = towards(rng, pose, rng.uniform(2, 15), 3.0)
        return ((x, y, spin),)
    if kind == 1:
        x, y, _ = towards(rng, pose, rng.uniform(0.1, 1.0), 3.0)
        return ((x, y, spin),)
    first = towards(rng, pose, rng.uniform(1, 6), 3.0)
    if kind == 2:
        return (first, *wandering(rng, rng.uniform(0.2, 2.0), 30, spin))
    down = (rng.uniform(-0.3, 0.3), -rng.uniform(0.2, 0.6), spin)
    return (first, *[down] * 20, *wandering(rng, 0.5, 10, spin))


def solid(rng: Rng, kind: str, size: float) -> Any:
    """Return a solid of a kind, of any kind if "mixed", or with parts that continue each other if "smooth"."""
    if kind == "smooth":
        return smooth_solid(rng, size)
    if kind == "mixed":
        kind = str(rng.choice(KINDS))
    return random_solid(rng, kind, size)


def smooth_solid(rng: Rng, size: float) -> Any:
    """Return a compound of circles and boxes with common tangents, or an outline of many flat corners."""
    radius, length = size * rng.uniform(0.2, 0.7), size * rng.uniform(0.2, 1.0)
    kind = int(rng.integers(5))
    if kind == 0:
        ends = [(im.Circle(radius), Pose(0, y)) for y in (-length, length)]
        return im.Compound([*ends, (im.Box(2 * radius, 2 * length), Pose(0, 0))])
    if kind == 1:
        corners = [(im.Circle(radius), Pose(x, y)) for x in (-length, length) for y in (-size, size)]
        boxes = [im.Box(2 * length, 2 * size + 2 * radius), im.Box(2 * length + 2 * radius, 2 * size)]
        return im.Compound([*corners, *((box, Pose(0, 0)) for box in boxes)])
    if kind == 2:
        angle = rng.uniform(-1, 1)
        elbow = (length * math.cos(angle), length * math.sin(angle))
        arms = [im.Capsule((-length, 0), (0, 0), radius), im.Capsule((0, 0), elbow, radius)]
        return im.Compound([(arm, Pose(0, 0)) for arm in arms])
    count = int(rng.integers(12, 40))
    angles = 2.0 * math.pi * np.arange(count) / count
    # Without a dent a regular outline, with one a kidney.
    dent = 0.0 if kind == 3 else rng.uniform(0.1, 0.8)
    reach = size * (1.0 - dent * np.exp(-4.0 * (angles - math.pi) ** 2))
    return im.Polygon(np.column_stack((reach * np.cos(angles), reach * np.sin(angles))))


def clutter(rng: Rng, kind: str, *, upright: bool = False, weak: int = 2, **rules: Any) -> Scene:
    """Return still walls of a kind, and weak bodies of that kind, none at rest."""
    actors: list[Actor] = []
    for _ in range(int(rng.integers(1, 6))):
        shape = solid(rng, kind, rng.uniform(1, 4))
        angle = 0.0 if upright or rng.random() < 0.3 else rng.uniform(-3, 3)
        x, y = rng.uniform(-5, 5, 2).tolist()
        actors.append(Actor(shape, Pose(x, y, angle), rules={"might": 1, **rules}, is_wall=True))
    for _ in range(weak):
        shape = solid(rng, kind, 1.0)
        angle = 0.0 if upright or rng.random() < 0.5 else rng.uniform(-3, 3)
        pose = placed(rng, shape, 8, actors, angle)
        if pose is not None:
            actors.append(Actor(shape, pose, random_steps(rng, pose)))
    return Scene(tuple(actors))


def boxes(rng: Rng) -> Scene:
    """Upright boxes."""
    return clutter(rng, "box", upright=True)


def of_kind(kind: str) -> Callable[[Rng], Scene]:
    return lambda rng: clutter(rng, kind)


def tile_shape(rng: Rng, count_in_pixels: bool) -> Any:
    """Return a body for a map of tiles of size 16."""
    kind = str(rng.choice(["box", "box", "convex polygon", "circle", "capsule", "mixed"]))
    shape = solid(rng, kind, rng.uniform(3, 9))
    if isinstance(shape, im.Box) and count_in_pixels:
        return im.Box(max(round(shape.width), 1), max(round(shape.height), 1))
    return shape


def pixel_steps(rng: Rng, pose: Pose, in_pixels: bool) -> tuple[Step, ...]:
    x, y = rng.uniform(-3, 3), -rng.uniform(0.5, 4)
    steps: tuple[Step, ...] = ((x, y, 0.0),)
    if rng.random() < 0.4:
        steps = tuple((a, b - 0.5, 0.0) for a, b, _ in wandering(rng, 3.0, 30))
    if in_pixels:
        steps = tuple((round(2 * a) / 2, round(2 * b) / 2, 0.0) for a, b, _ in steps)
    return steps


def weak_among_tiles(rng: Rng, walls: list[Actor], near: float, **rules: Any) -> Iterator[Actor]:
    for _ in range(2):
        in_pixels = rng.random() < 0.5
        shape = tile_shape(rng, in_pixels)
        for _ in range(30):
            x, y = rng.uniform(-near, near, 2).tolist()
            pose = Pose(round(x), round(y)) if in_pixels else Pose(x, y)
            if is_free(shape, pose, walls, -1e-12):
                yield Actor(shape, pose, pixel_steps(rng, pose, in_pixels), rules)
                break


def tiles(rng: Rng, **rules: Any) -> Scene:
    """A grid of flush upright tiles of size 16, with holes."""
    walls = []
    full = rng.uniform(0.3, 0.9)
    floor_only = rng.random() < 0.5
    for column in range(-4, 4):
        for row in range(-3, 3):
            if (row == -2) if floor_only else rng.random() < full:
                pose = Pose(16.0 * column + 8, 16.0 * row + 8)
                walls.append(Actor(im.Box(16, 16), pose, rules={"might": 1, **rules}, is_wall=True))
    return Scene((*walls, *weak_among_tiles(rng, walls, 48.0)), 16.0)


def ramps(rng: Rng, **rules: Any) -> Scene:
    """Ramps of triangular tiles on rows of square ones: a valley or a hill."""
    width = 16.0
    height = width * float(rng.choice([0.25, 0.5, 1.0, 1.0, rng.uniform(0.2, 1.5)]))
    walls = []
    rising = -1.0 if rng.random() < 0.5 else 1.0
    for side in (-1.0, 1.0):
        for number in range(4):
            near, far = side * width * number, side * width * (number + 1)
            low, high = rising * height * number, rising * height * (number + 1)
            if rng.random() < 0.5:
                corners = [(near, low), (far, high), (far, min(low, high)), (near, min(low, high))]
                corners = list(dict.fromkeys(corners))
            else:
                corners = [(near, low), (far, high), (far, -160.0), (near, -160.0)]
            if side > 0:
                corners = corners[::-1]
            outline = [(x - near, y - low) for x, y in corners]
            walls.append(Actor(im.Polygon(outline), Pose(near, low), rules={"might": 1, **rules}, is_wall=True))
    return Scene((*walls, *weak_among_tiles(rng, walls, 40.0)), 16.0)


def rotated_tiles(rng: Rng) -> Scene:
    """Flush tiles of one turned wall, as squares or triangles."""
    angle = rng.uniform(-3, 3)
    size = rng.uniform(0.7, 3)
    cos, sin = math.cos(angle), math.sin(angle)
    walls = []
    half = size / 2
    triangles: list[list[tuple[float, float]]] = [
        [(-half, -half), (half, -half), (half, half)],
        [(-half, -half), (half, half), (-half, half)],
    ]
    split = rng.random() < 0.4
    for column in range(-3, 3):
        for row in range(int(rng.integers(1, 3))):
            x, y = size * column, size * row
            pose = Pose(cos * x - sin * y, sin * x + cos * y, angle)
            shapes = [im.Polygon(corners) for corners in triangles] if split else [im.Box(size, size)]
            walls += [Actor(shape, pose, rules={"might": 1}, is_wall=True) for shape in shapes]
    weak = []
    for _ in range(2):
        kind = str(rng.choice(["box", "convex polygon", "circle", "capsule", "mixed"]))
        shape = solid(rng, kind, 1.0)
        place = placed(rng, shape, 6, walls, float(rng.choice([0.0, rng.uniform(-3, 3)])))
        if place is not None:
            weak.append(Actor(shape, place, random_steps(rng, place)))
    return Scene((*walls, *weak))


def moving(rng: Rng, spin: float = 0.0, own_spin: float = 0.0, kind: str = "mixed", **rules: Any) -> Scene:
    """Still walls, two or three movers of different ranks, and weak bodies."""
    upright = kind == "box"
    actors: list[Actor] = []
    for _ in range(int(rng.integers(1, 4))):
        shape = solid(rng, kind, rng.uniform(1, 3))
        angle = 0.0 if upright or rng.random() < 0.3 else rng.uniform(-3, 3)
        x, y = rng.uniform(-6, 6, 2).tolist()
        # Mightier than all movers, so that no cut and no join frees a wall.
        actors.append(Actor(shape, Pose(x, y, angle), rules={"might": 9, **rules}, is_wall=True))
    for number in range(int(rng.integers(1, 4))):
        shape = solid(rng, kind, rng.uniform(1, 3))
        angle = 0.0 if upright or rng.random() < 0.3 else rng.uniform(-3, 3)
        pose = placed(rng, shape, 8, actors, angle)
        if pose is None:
            continue
        speed = 10.0 ** rng.uniform(-1, 0.7)
        x, y = (speed * rng.uniform(-1, 1, 2)).tolist()
        turn = spin * rng.uniform(-1, 1)
        count = int(rng.integers(2, 12))
        steps: tuple[Step, ...] = ((x, y, turn),) * count + ((-x, -y, -turn),) * count
        # Ranks differ: the order of adding breaks no tie.
        carrying = Side(int(rng.choice([0, 15, 15, 15])))
        actors.append(Actor(shape, pose, steps, {"might": 8 - number, "carrying": carrying, **rules}))
    for _ in range(2):
        shape = solid(rng, kind, 1.0)
        angle = 0.0 if upright or rng.random() < 0.5 else rng.uniform(-3, 3)
        pose = placed(rng, shape, 8, actors, angle)
        if pose is not None:
            turn = own_spin * rng.uniform(-1, 1)
            actors.append(Actor(shape, pose, random_steps(rng, pose, turn)))
    return Scene(tuple(actors))


def moving_boxes(rng: Rng) -> Scene:
    """Upright boxes of several ranks."""
    return moving(rng, kind="box")


def turning(rng: Rng) -> Scene:
    """Movers turn."""
    return moving(rng, spin=float(rng.choice([0.05, 0.5, 2.0])))


def turning_bodies(rng: Rng) -> Scene:
    """Weak bodies turn among still walls."""
    kind = str(rng.choice(["convex polygon", "concave polygon", "mixed"]))
    scene = clutter(rng, kind)
    spin = float(rng.choice([0.05, 0.3, 1.0]))

    def turned(actor: Actor) -> Actor:
        if actor.is_wall:
            return actor
        return replace(actor, steps=tuple((x, y, spin * rng.uniform(-1, 1)) for x, y, _ in actor.steps))

    return replace(scene, actors=tuple(turned(actor) for actor in scene.actors))


def walking_steps(rng: Rng, size: float) -> tuple[Step, ...]:
    """Return steps of a walker that falls, walks and jumps."""
    gravity = 0.05 * size
    steps: list[Step] = []
    while len(steps) < 60:
        pace = size * rng.uniform(-0.4, 0.4)
        if rng.random() < 0.4:
            rise = size * rng.uniform(0.2, 0.5)
            steps += [(pace, rise - gravity * number, 0.0) for number in range(12)]
        else:
            steps += [(pace, -rng.uniform(0.02, 0.5) * size, 0.0)] * int(rng.integers(5, 20))
    return tuple(steps)


def walkers(rng: Rng) -> Scene:
    """Walkers on tiles, ramps, clutter and movers."""
    which = int(rng.integers(4))
    scene = (tiles, ramps, lambda rng: clutter(rng, "mixed"), moving)[which](rng)
    size = 8.0 if scene.unit > 1 else 1.0

    def walks(actor: Actor) -> Actor:
        if actor.rules.get("might"):
            return actor
        rules = {"max_slope": float(rng.choice([0.4, 0.8, 1.2]))}
        if rng.random() < 0.6:
            rules["snap"] = size * rng.uniform(0.1, 0.6)
        if rng.random() < 0.4:
            rules["step_height"] = size * rng.uniform(0.1, 0.6)
        return replace(actor, rules=rules, steps=walking_steps(rng, size))

    return replace(scene, actors=tuple(walks(actor) for actor in scene.actors))


def sticky(rng: Rng) -> Scene:
    """Walls and movers hold bodies."""
    sides = Side(int(rng.choice([15, 8, int(rng.integers(1, 16))])))
    which = int(rng.integers(4))
    if which == 0:
        return ramps(rng, sticky=sides)
    if which == 1:
        return tiles(rng, sticky=sides)
    return clutter(rng, "mixed", sticky=sides) if which == 2 else moving(rng, sticky=sides)


def passable(rng: Rng) -> Scene:
    """One-way walls and movers."""
    sides = Side(int(rng.choice([7, 11, 13, 14, int(rng.integers(1, 16))])))
    which = int(rng.integers(3))
    if which == 0:
        return tiles(rng, passable=sides)
    return clutter(rng, "mixed", passable=sides) if which == 1 else moving(rng, passable=sides)


def bouncing(rng: Rng) -> Scene:
    """Balls and others fly and bounce."""
    scene = (
        moving(rng, kind=str(rng.choice(["box", "mixed", "circle"]))) if rng.random() < 0.5 else clutter(rng, "mixed")
    )
    restitution = float(rng.choice([0.2, 0.5, 1.0]))

    def flying(actor: Actor) -> Actor:
        if actor.rules.get("might"):
            return actor
        response = str(rng.choice(["bounce", "bounce", "stop"]))
        return replace(actor, flies=True, rules={"response": response, "restitution": restitution})

    return replace(scene, actors=tuple(flying(actor) for actor in scene.actors))


def sensors(rng: Rng) -> Scene:
    """Sensors, still and moving, among walls."""
    scene = clutter(rng, "mixed")
    found = []
    for _ in range(3):
        shape = solid(rng, "mixed", rng.uniform(1, 3))
        x, y = rng.uniform(-6, 6, 2).tolist()
        pose = Pose(x, y, rng.uniform(-3, 3))
        found.append(Actor(shape, pose, wandering(rng, 1.0, 10), {"response": "sensor"}))
    return replace(scene, actors=scene.actors + tuple(found))


def overlapped(rng: Rng) -> Scene:
    """Bodies begin inside of walls of one or two ranks."""
    kind = str(rng.choice(["box", "circle", "convex polygon", "mixed"]))
    upright = kind == "box" and rng.random() < 0.7
    actors: list[Actor] = []
    ranks = int(rng.integers(1, 3))
    for _ in range(int(rng.integers(1, 4))):
        shape = solid(rng, kind, rng.uniform(1, 4))
        x, y = rng.uniform(-3, 3, 2).tolist()
        might = int(rng.integers(1, ranks + 1))
        angle = 0.0 if upright else rng.uniform(-3, 3)
        # With a mask, a wall would be pushed by mightier ones, and the pieces of a cut wall each by itself.
        actors.append(Actor(shape, Pose(x, y, angle), rules={"might": might, "mask": 0}, is_wall=True))
    shape = solid(rng, kind, 1.0)
    x, y = rng.uniform(-2, 2, 2).tolist()
    when = str(rng.choice(["wait", "freeze", "leave"]))
    pose = Pose(x, y, 0.0 if upright else rng.uniform(-3, 3))
    steps = ((0.0, 0.0, 0.0),) if rng.random() < 0.5 else random_steps(rng, pose)
    actors.append(Actor(shape, pose, steps, {"when_stuck": when}))
    return Scene(tuple(actors))


CLASSES: dict[str, Callable[[Rng], Scene]] = {
    "boxes": boxes,
    "convex": of_kind("convex polygon"),
    "circles": of_kind("circle"),
    "capsules": of_kind("capsule"),
    "compounds": of_kind("compound"),
    "concave": of_kind("concave polygon"),
    "smooth": of_kind("smooth"),
    "mixed": of_kind("mixed"),
    "tiles": tiles,
    "ramps": ramps,
    "rotated_tiles": rotated_tiles,
    "moving_boxes": moving_boxes,
    "moving": moving,
    "turning": turning,
    "turning_bodies": turning_bodies,
    "walkers": walkers,
    "sticky": sticky,
    "passable": passable,
    "bouncing": bouncing,
    "sensors": sensors,
    "overlapped": overlapped,
}


def random_scene(name: str, seed: int, number: int) -> Scene:
    return CLASSES[name](np.random.default_rng([sum(map(ord, name)), seed, number]))


def starts_overlapped(scene: Scene) -> bool:
    """Return whether a body begins inside of a mightier one."""
    might = [actor.rules.get("might", 0) for actor in scene.actors]
    return any(
        might[a] < might[b]
        and scene.actors[b].rules.get("response") != "sensor"
        and im.distance(one.shape, one.pose, other.shape, other.pose).distance < -1e-9 * scene.unit
        for a, one in enumerate(scene.actors)
        if not one.is_wall
        for b, other in enumerate(scene.actors)
    )


def verdicts(name: str, transformation: str, frames: int, scenes: int, seed: int) -> Iterator[tuple[int, str]]:
    """Yield the number and the verdict of each scene of a class to which a transformation applies."""
    for number in range(scenes):
        scene = random_scene(name, seed, number)
        if applies(transformation, scene):
            yield number, verdict(transformation, scene, frames, (seed, number))


def show(name: str, transformation: str, frames: int, seed: int, number: int, *, small: bool) -> None:
    """Print a scene and its image as scripts."""
    scene = random_scene(name, seed, number)
    key = (seed, number)
    if small:
        scene, frames = minimised(transformation, scene, frames, key)
    print(f"# {name} {transformation}, {frames} frames, seed {seed}, scene {number}")
    print("import impinge as im\nfrom impinge import Pose, Side, Polygon, Box, Circle, Capsule")
    print(script(scene, frames))
    image, _ = transformed(transformation, scene, frames, np.random.default_rng([1, *key]))
    print(script(image, frames, PARTS if transformation == "parts" else 1))
    print(flush=True)


def main() -> None:
    """Print how many scenes of each class differ from their images."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--scenes", type=int, default=100, help="of each class")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--class", dest="names", action="append", choices=CLASSES, help="may be repeated")
    parser.add_argument("--transformation", action="append", choices=TRANSFORMATIONS, help="may be repeated")
    parser.add_argument("--frames", type=int, action="append", help="1 or 60; default: both")
    parser.add_argument("--show", type=int, default=0, help="print so many failing scenes of each row")
    parser.add_argument("--minimise", action="store_true", help="print smaller scenes that still fail")
    arguments = parser.parse_args()
    names, chosen = arguments.names or [*CLASSES], arguments.transformation or [*TRANSFORMATIONS]
    runtime.prepare()
    begin, totals = time.monotonic(), Counter[str]()
    cells: dict[tuple[str, str], Counter[str]] = {}
    for name in names:
        for transformation in chosen:
            for frames in arguments.frames or (1, 60):
                found: dict[str, list[int]] = {}
                for number, said in verdicts(name, transformation, frames, arguments.scenes, arguments.seed):
                    found.setdefault(said, []).append(number)
                cell = Counter({said: len(numbers) for said, numbers in found.items()})
                cells[name, transformation] = cells.get((name, transformation), Counter()) + cell
                totals += cell
                for said, numbers in sorted(found.items()):
                    if said != "same":
                        first = " ".join(map(str, numbers[:8]))
                        print(f"{name} {transformation} {frames}: {len(numbers)} {said}: {first}", flush=True)
                for number in [*found.get("place", []), *found.get("flags", [])][: arguments.show]:
                    show(name, transformation, frames, arguments.seed, number, small=arguments.minimise)
    print(f"\n{'differences':15}" + "".join(f"{transformation:>11}" for transformation in chosen))
    for name in names:
        row = ""
        for transformation in chosen:
            cell = cells[name, transformation]
            row += f"{cell['place'] + cell['flags']:5}/{cell.total():<5}" if cell else 11 * " "
        print(f"{name:15}{row}")
    print(f"{totals.total()} pairs of scenes in {time.monotonic() - begin:.0f} s: {dict(totals)}")
    raise SystemExit(1 if totals["place"] + totals["flags"] else 0)


if __name__ == "__main__":
    main()
