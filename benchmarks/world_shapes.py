"""Frames of worlds with bodies of all shapes: time, growth, memory of a body, cost of a hook, and Pymunk.

`world_step` times boxes that only push, also against Arcade's simple engine; here they are a baseline. Pymunk's bodies
have mass and bounce where they end, so the table also gives what happened to the movers.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import time
import tracemalloc
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TypedDict

import numpy as np
import pymunk
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont
from timing import Contender, compare, machine
from world_step import Game, Scene, platformer

import impinge as im
from impinge import runtime
from impinge.hooks import Touch
from impinge.kernels import columns as col
from impinge.world.bodies import Response

os.environ.setdefault("ARCADE_HEADLESS", "True")  # Arcade reads it at import
import arcade

SEED = 1
TILE = 32.0  # pixels, like all lengths here
MOVER = 24.0
COIN = 12.0
FASTEST = 8.0  # pixels a frame on each axis
OPEN, DENSE = 0.2, 0.7  # part of the cells with a static body: a tenth or half of the movers touch one a frame
TILTED = 3  # every third static body of mixed shapes has an angle
TURNING = 10  # one of ten static bodies turns, in worlds where any turn
SPIN = 0.05  # largest spin, in radians a frame
FIRST_FRAMES = 20  # not timed: in them, movers that begin in a tilted body are moved out of it
# Walkers: radians and pixels.
MAX_SLOPE, SNAP, STEP_HEIGHT = 0.8, 4.0, 4.0
HILL = 0.25  # of a tile: the difference of heights at both ends of a tile of hilly ground

# Processor time excludes other processes. On Windows it has steps of 16 ms, so time on the clock is used there.
clock = time.perf_counter if sys.platform == "win32" else time.thread_time

Vectors = NDArray[np.float64]
Solid = im.Box | im.Circle | im.Capsule | im.Polygon


class Feet(TypedDict, total=False):
    """The arguments that make a body a walker."""

    max_slope: float
    snap: float
    step_height: float


@dataclass(frozen=True, slots=True)
class Size:
    """Size of the benchmark.

    Attributes
    ----------
    movers, statics
        Bodies in most of the worlds.
    many_movers, many_statics
        Bodies in the largest worlds.
    growth
        Movers of the growing worlds, with `statics / movers` times as many static bodies.
    coins
        Two numbers of sensors among the movers.
    arcade_movers
        Movers for Arcade's engine.
    added
        Bodies whose memory is measured.
    turns
        Turns of each contender.
    """

    movers: int
    statics: int
    many_movers: int
    many_statics: int
    growth: tuple[int, ...]
    coins: tuple[int, int]
    arcade_movers: int
    added: int
    turns: int


FULL = Size(
    movers=1_000,
    statics=10_000,
    many_movers=10_000,
    many_statics=100_000,
    growth=(300, 1_000, 3_000, 10_000, 30_000),
    coins=(1_000, 10_000),
    arcade_movers=10,
    added=100_000,
    turns=100,
)
QUICK = Size(
    movers=20,
    statics=400,
    many_movers=40,
    many_statics=800,
    growth=(5, 10, 20),
    coins=(20, 40),
    arcade_movers=2,
    added=200,
    turns=3,
)


@dataclass(frozen=True)
class Shapes(Scene):
    """A scene of shapes: `tiles` and `movers` are the positions of static and moving bodies.

    Attributes
    ----------
    tile_shapes, mover_shapes
        The first body has the first shape, and so on, in a cycle.
    angles, spins
        (n,) of the static bodies: radians, and radians a frame. Bodies with a spin turn, and are no longer static.
    coins
        (n, 2) positions of sensors.
    feet
        Makes the movers walkers.
    """

    tile_shapes: Sequence[Solid] = ()
    mover_shapes: Sequence[Solid] = ()
    angles: Vectors = field(default_factory=lambda: np.empty(0))
    spins: Vectors = field(default_factory=lambda: np.empty(0))
    coins: Vectors = field(default_factory=lambda: np.empty((0, 2)))
    feet: Feet = field(default_factory=Feet)

    @property
    def turning(self) -> NDArray[np.int64]:
        """Return the indices of the static bodies that turn."""
        return np.flatnonzero(self.spins)


def box(size: float) -> Solid:
    return im.Box(size, size)


def circle(size: float) -> Solid:
    return im.Circle(size / 2)


def capsule(size: float) -> Solid:
    return im.Capsule((-size / 4, 0.0), (size / 4, 0.0), size / 4)


def hexagon(size: float) -> Solid:
    turns = [math.tau * corner / 6 for corner in range(6)]
    return im.Polygon([(size / 2 * math.cos(turn), size / 2 * math.sin(turn)) for turn in turns])


def concave(size: float) -> Solid:
    """Return an L, which is concave."""
    r = size / 2
    return im.Polygon([(-r, -r), (r, -r), (r, 0), (0, 0), (0, r), (-r, r)])


BOXES: tuple[Callable[[float], Solid], ...] = (box,)
MIXED: tuple[Callable[[float], Solid], ...] = (box, circle, capsule, hexagon, concave)


def strewn(
    movers: int,
    statics: int,
    kinds: Sequence[Callable[[float], Solid]] = MIXED,
    *,
    density: float = OPEN,
    turning: bool = False,
    coins: int = 0,
) -> Shapes:
    """Return bodies in random cells of a square without a border. All moving bodies begin in free cells.

    With mixed shapes, every third static body has an angle.
    """
    random = np.random.default_rng(SEED)
    side = math.ceil(math.sqrt(max(statics / density, statics + movers + coins)))
    cells = TILE * random.permutation(np.stack(np.divmod(np.arange(side * side), side), axis=-1))
    angles, spins = np.zeros(statics), np.zeros(statics)
    if len(kinds) > 1:
        angles[::TILTED] = random.uniform(0.0, math.tau, len(angles[::TILTED]))
    if turning:
        chosen = random.permutation(statics)[: statics // TURNING]
        spins[chosen] = random.uniform(-SPIN, SPIN, len(chosen))
    free = cells[statics:]
    return Shapes(
        cells[:statics],
        free[:movers],
        random.uniform(-FASTEST, FASTEST, (movers, 2)),
        tile_shapes=[kind(TILE) for kind in kinds],
        mover_shapes=[kind(MOVER) for kind in kinds],
        angles=angles,
        spins=spins,
        coins=free[movers : movers + coins],
    )


def floors(movers: int, statics: int, mover: Solid, feet: Feet, *, hilly: bool = False) -> Shapes:
    """Return movers that walk to and fro on floors of tiles, level or hilly, with a wall at both ends."""
    scene = platformer(movers, statics)
    up, down = ((-1.0, 1.0), (1.0, -1.0)) if hilly else ((0.0, 0.0), (0.0, 0.0))
    r, rise = TILE / 2, TILE * HILL / 2
    # A rising tile, then a falling one: at their ends, neighbours have the same height.
    tiles = [
        im.Polygon([(-r, -r), (r, -r), (r, r + rise * right), (-r, r + rise * left)]) for left, right in (up, down)
    ]
    return Shapes(
        scene.tiles,
        np.add(scene.movers, (0.0, rise if hilly else 0.0)),
        scene.velocities,
        scene.rebound,
        tile_shapes=tiles if hilly else [box(TILE)],
        mover_shapes=[mover],
        angles=np.zeros(len(scene.tiles)),
        spins=np.zeros(len(scene.tiles)),
        feet=feet,
    )


class ClockedGame(Game):
    """A game that records the processor time of its fastest frame, which a busy machine disturbs least."""

    def __init__(self, scene: Shapes) -> None:
        super().__init__(scene)
        self.least = math.inf

    def run(self) -> None:
        """Take one frame, timed."""
        begun = clock()
        self.take_frame()
        self.least = min(self.least, (clock() - begun) / len(self.places))

    def take_frame(self) -> None:
        """Take one frame."""
        raise NotImplementedError

    def after(self) -> None:
        """Read the positions, and set the next goals."""
        raise NotImplementedError

    def begin(self) -> None:
        """Take the first frames, which do not count."""
        for _ in range(FIRST_FRAMES):
            self.take_frame()
            self.after()
        self.frames = self.stopped = self.outside = 0

    def work(self) -> str:
        """Return the time of the fastest frame, and how many movers were stopped."""
        return f"least {1e6 * self.least:.2f} µs; {100 * self.a_frame(self.stopped):.0f} % stopped"


class ImpingeGame(ClockedGame):
    """`World.set_goals` of all bodies that move or turn, and `World.step`."""

    def __init__(self, scene: Shapes) -> None:
        super().__init__(scene)
        self.world = im.World()
        add, shapes = self.world.add, scene.tile_shapes
        for i, (x, y) in enumerate(scene.tiles.tolist()):
            body = add(shapes[i % len(shapes)], im.Pose(x, y, scene.angles.item(i)), might=1)
            # Each world has only these bodies: indices in `tiles` are rows.
            assert body.index == i
        shapes = scene.mover_shapes
        movers = [
            add(shapes[i % len(shapes)], im.Pose(x, y), **scene.feet) for i, (x, y) in enumerate(scene.movers.tolist())
        ]
        for x, y in scene.coins.tolist():
            add(im.Circle(COIN / 2), im.Pose(x, y), response="sensor")
        self.rows = np.array([mover.index for mover in movers])
        self.turning = scene.turning
        self.turned = np.column_stack((scene.tiles, scene.angles))[self.turning]
        self.spin = np.column_stack((np.zeros((len(self.turning), 2)), scene.spins[self.turning]))
        self.counts = np.zeros(col.COUNT_COLUMNS, np.int64)
        self.touched = self.sensed = 0
        self.begin()
        self.counts[:] = 0
        self.touched = self.sensed = 0

    def take_frame(self) -> None:
        """Take one frame."""
        if len(self.turning):
            self.turned += self.spin
            self.world.set_goals(self.turning, self.turned)
        self.world.set_goals(self.rows, self.goals)
        self.frame = self.world.step()

    def after(self) -> None:
        """Count the work, and set the next goals."""
        # The counters and these columns are not public, but unlike times they are the same on every machine.
        self.counts += self.world._state.counts
        self.touched += int(np.count_nonzero(~np.isnan(self.world._state.floats[self.rows, col.FIRST_TOUCH])))
        self.sensed += int(np.count_nonzero(self.frame._rows[:, col.EVENT_KIND] == col.KIND_SENSOR))
        self.steer(self.world.positions(self.rows))

    def work(self) -> str:
        """Return also the work for a mover in a frame: broadphase candidates, and turns of the event loop.

        A body that is cut short reached the event loop's limit without progress. None should.
        """
        near, turns = (self.a_frame(self.counts[column]) for column in (col.NEAR_TOTAL, col.TURN_TOTAL))
        sensed = f", {self.a_frame(self.sensed):.2f} sensed" if self.sensed else ""
        cut = f"; {self.counts[col.CUT_SHORT]} cut short" if self.counts[col.CUT_SHORT] else ""
        touched = f"{100 * self.a_frame(self.touched):.0f} % touch"
        return f"{super().work()}, {touched}; a mover: {near:.2f} neighbours, {turns:.2f} turns{sensed}{cut}"


class Listener:
    """A plugin that counts its calls, and changes nothing.

    Attributes
    ----------
    calls
        How often its hook was called.
    """

    calls = 0


class Pushed(Listener):
    """Listens to pushes of moving bodies. Static bodies cause none."""

    @im.hookimpl
    def impinge_pushed(self, event: im.Event) -> None:
        self.calls += 1


class Pressed(Listener):
    """Listens to all contacts of movers, after the frame."""

    @im.hookimpl
    def impinge_post_solve(self, event: im.Event) -> None:
        self.calls += 1


class Begun(Listener):
    """Listens to contacts that begin, during the frame. It could refuse them."""

    @im.hookimpl
    def impinge_begin(self, contact: Touch) -> None:
        self.calls += 1


class Near(Listener):
    """Filters all candidates of movers."""

    @im.hookimpl
    def impinge_filter(self, response: Response) -> Response:
        self.calls += 1
        return response


class HookedGame(ImpingeGame):
    """The same with a plugin that is registered after the first frames."""

    def __init__(self, scene: Shapes, plugin: Listener) -> None:
        super().__init__(scene)
        self.plugin = plugin
        self.world.register(plugin)

    def work(self) -> str:
        """Return also how often the plugin was called for a mover in a frame."""
        return f"{super().work()}, {self.a_frame(self.plugin.calls):.2f} calls"


class PymunkGame(ClockedGame):
    """`Space.step`: dynamic bodies that cannot turn and do not collide with each other, like weak bodies of a `World`.

    The others are static, or kinematic if they turn. A concave shape is several shapes on one body.
    """

    STANDING, MOVING = 1, 2  # categories

    def __init__(self, scene: Shapes) -> None:
        super().__init__(scene)
        self.space = pymunk.Space()
        shapes = scene.tile_shapes
        for i, place in enumerate(scene.tiles.tolist()):
            spin = scene.spins.item(i)
            body = pymunk.Body(body_type=pymunk.Body.KINEMATIC if spin else pymunk.Body.STATIC)
            body.position, body.angle, body.angular_velocity = tuple(place), scene.angles.item(i), spin
            self.furnish(body, shapes[i % len(shapes)], self.STANDING, self.MOVING)
        self.bodies = []
        shapes = scene.mover_shapes
        for i, place in enumerate(scene.movers.tolist()):
            body = pymunk.Body(mass=1.0, moment=math.inf)
            body.position = tuple(place)
            self.furnish(body, shapes[i % len(shapes)], self.MOVING, self.STANDING)
            self.bodies.append(body)
        self.set_off()
        self.begin()

    def furnish(self, body: pymunk.Body, solid: Solid, category: int, mask: int) -> None:
        """Give a body its shapes, and add all to the space."""
        shapes: list[pymunk.Shape]
        if isinstance(solid, im.Circle):
            shapes = [pymunk.Circle(body, solid.radius)]
        elif isinstance(solid, im.Capsule):
            shapes = [pymunk.Segment(body, solid.a, solid.b, solid.radius)]
        elif isinstance(solid, im.Box):
            shapes = [pymunk.Poly.create_box(body, (solid.width, solid.height))]
        else:
            shapes = [pymunk.Poly(body, [(x, y) for x, y in piece.points]) for piece in solid.pieces]
        for shape in shapes:
            shape.filter = pymunk.ShapeFilter(categories=category, mask=mask)
        self.space.add(body, *shapes)

    def set_off(self) -> None:
        """Set the velocities of the movers."""
        for body, velocity in zip(self.bodies, self.velocities.tolist(), strict=True):
            body.velocity = tuple(velocity)

    def take_frame(self) -> None:
        """Take one frame."""
        self.space.step(1.0)

    def after(self) -> None:
        """Read the positions, and set the next velocities."""
        self.steer(np.array([body.position for body in self.bodies]))
        self.set_off()


class PlatformerGame(ClockedGame):
    """`arcade.PhysicsEnginePlatformer` without gravity, one for each mover, with a spatial hash over the walls."""

    def __init__(self, scene: Shapes) -> None:
        super().__init__(scene)
        walls: arcade.SpriteList[arcade.Sprite] = arcade.SpriteList(use_spatial_hash=True)
        for x, y in scene.tiles.tolist():
            walls.append(arcade.SpriteSolidColor(int(TILE), int(TILE), x, y))
        self.engines = [
            arcade.PhysicsEnginePlatformer(
                arcade.SpriteSolidColor(int(MOVER), int(MOVER), x, y), walls=walls, gravity_constant=0.0
            )
            for x, y in scene.movers.tolist()
        ]
        self.set_off()
        self.begin()

    def set_off(self) -> None:
        """Set the velocities of the movers."""
        for engine, velocity in zip(self.engines, self.velocities.tolist(), strict=True):
            engine.player_sprite.velocity = tuple(velocity)

    def take_frame(self) -> None:
        """Take one frame."""
        for engine in self.engines:
            engine.update()

    def after(self) -> None:
        """Read the positions, and set the next velocities."""
        self.steer(np.array([engine.player_sprite.position for engine in self.engines]))
        self.set_off()


def contender(name: str, game: ImpingeGame | PymunkGame | PlatformerGame) -> Contender:
    return Contender(name, game.run, len(game.places), game.after, game.work)


def few_of(scene: Shapes, count: int) -> Shapes:
    """Return a scene with only the first movers."""
    return replace(scene, movers=scene.movers[:count], velocities=scene.velocities[:count])


def compare_sizes(size: Size) -> None:
    """Compare worlds with few and many movers and static bodies."""
    few, many = (size.movers, size.many_movers), (size.statics, size.many_statics)
    for title, kinds, turning in (
        ("boxes", BOXES, False),
        ("mixed shapes, a third at angles", MIXED, False),
        ("mixed shapes, a tenth turns", MIXED, True),
    ):
        compare(
            f"How large? Worlds of {title}",
            "a mover",
            [
                contender(
                    f"{movers:,} movers, {statics:,} that stand",
                    ImpingeGame(strewn(movers, statics, kinds, turning=turning)),
                )
                for statics in many
                for movers in few
            ],
            size.turns // 2 + 1,
        )


def compare_others(title: str, scene: Shapes, size: Size) -> None:
    """Compare with Pymunk, and with Arcade if all bodies are upright boxes."""
    contenders = [contender("impinge.World", ImpingeGame(scene)), contender("pymunk.Space", PymunkGame(scene))]
    if all(isinstance(shape, im.Box) for shape in scene.mover_shapes):
        count = size.arcade_movers
        few = PlatformerGame(few_of(scene, count))
        contenders.append(contender(f"arcade.PhysicsEnginePlatformer, {count} movers", few))
    compare(
        f"{title}: {len(scene.movers):,} movers, {len(scene.tiles):,} that stand or turn",
        "a mover",
        contenders,
        size.turns if len(scene.movers) == size.movers else size.turns // 4 + 2,
    )


def compare_kinds(size: Size) -> None:
    """Compare movers of different shapes in one mixed world."""
    scene = strewn(size.movers, size.statics, density=DENSE)
    compare(
        f"Which shape costs what? Dense, {size.movers:,} movers of one shape, {size.statics:,} mixed ones that stand",
        "a mover",
        [
            contender(
                kind.__name__,
                ImpingeGame(replace(scene, mover_shapes=[kind(MOVER)])),
            )
            for kind in MIXED
        ],
        size.turns // 2 + 1,
    )


def compare_walkers(size: Size) -> None:
    """Measure the cost of walking: max_slope, snap and step_height."""
    feet: Feet = {"max_slope": MAX_SLOPE, "snap": SNAP, "step_height": STEP_HEIGHT}
    none = Feet()
    pill: Solid = im.Capsule((0.0, -MOVER / 4), (0.0, MOVER / 4), MOVER / 4)
    compare(
        f"What does a walker cost? {size.movers:,} on floors of {size.statics:,} tiles",
        "a mover",
        [
            contender(name, ImpingeGame(floors(size.movers, size.statics, mover, walks, hilly=hilly)))
            for name, mover, walks, hilly in (
                ("box, is pushed", box(MOVER), none, False),
                ("box, walks", box(MOVER), feet, False),
                ("capsule, is pushed", pill, none, False),
                ("capsule, walks", pill, feet, False),
                ("capsule, is pushed on hills", pill, none, True),
                ("capsule, walks on hills", pill, feet, True),
            )
        ],
        size.turns,
    )


def compare_sensors(size: Size) -> None:
    """Measure the cost of sensors."""
    for title, kinds in (("boxes", BOXES), ("mixed shapes", MIXED)):
        compare(
            f"What do sensors cost? {size.movers:,} movers among {size.statics:,} {title}, and coins",
            "a mover",
            [
                contender(f"{coins:,} coins", ImpingeGame(strewn(size.movers, size.statics, kinds, coins=coins)))
                for coins in (0, *size.coins)
            ],
            size.turns,
        )


def compare_hooks(size: Size) -> None:
    """Measure the cost of one hook that is called and changes nothing."""
    scene = strewn(size.movers, size.statics)
    compare(
        f"What does a hook cost? {size.movers:,} movers among {size.statics:,} mixed shapes that stand",
        "a mover",
        [
            contender("no plugin", ImpingeGame(scene)),
            contender("impinge_pushed", HookedGame(scene, Pushed())),
            contender("impinge_post_solve", HookedGame(scene, Pressed())),
            contender("impinge_begin", HookedGame(scene, Begun())),
            contender("impinge_filter", HookedGame(scene, Near())),
        ],
        size.turns,
    )


@dataclass(frozen=True, slots=True)
class Line:
    """A name, numbers of movers, and the processor time of the fastest frame per mover, in seconds."""

    name: str
    movers: Sequence[int]
    seconds: Sequence[float]

    def exponent(self) -> float:
        """Return the exponent by which the time of a frame grows with the movers."""
        frames = np.multiply(self.movers, self.seconds)
        return float(np.polyfit(np.log(self.movers), np.log(frames), 1)[0])


def grow(title: str, kinds: Sequence[Callable[[float], Solid]], density: float, size: Size) -> Line:
    """Time worlds of equal density that grow in all directions."""
    each = size.statics // size.movers
    games = [ImpingeGame(strewn(movers, each * movers, kinds, density=density)) for movers in size.growth]
    compare(
        f"How does it grow? {title}",
        "a mover",
        [
            contender(f"{movers:,} movers, {each * movers:,} that stand", game)
            for movers, game in zip(size.growth, games, strict=True)
        ],
        size.turns // 2 + 1,
    )
    # Long frames are interrupted more often, so medians would depend on the load of the machine.
    return Line(title, size.growth, [game.least for game in games])


def compare_growth(size: Size) -> list[Line]:
    lines = [
        grow("boxes", BOXES, OPEN, size),
        grow("mixed shapes", MIXED, OPEN, size),
        grow("mixed shapes, dense", MIXED, DENSE, size),
    ]
    grown = ", ".join(f"{line.name} n^{line.exponent():.2f}" for line in lines)
    logarithm = Line("", size.growth, np.log(np.multiply(size.growth, size.statics // size.movers)).tolist())
    print(
        f"\nA frame grows with the movers and all that stand as: {grown}; n log n would be n^{logarithm.exponent():.2f}"
    )
    return lines


def compare_adding(size: Size) -> None:
    """Measure the cost of adding a body, in time and in memory."""
    random = np.random.default_rng(SEED)
    places = random.uniform(0.0, 1e4, (size.added, 2)).tolist()
    upright, angles = [0.0] * size.added, random.uniform(0.0, math.tau, size.added).tolist()
    cases = (
        ("boxes of one size", [box(TILE)], upright),
        ("mixed, five shapes", [kind(TILE) for kind in MIXED], upright),
        ("mixed, all at angles", [kind(TILE) for kind in MIXED], angles),
    )

    def filled(count: int, shapes: Sequence[Solid], turns: Sequence[float]) -> im.World:
        world = im.World()
        for i, ((x, y), angle) in enumerate(zip(places[:count], turns, strict=False)):
            world.add(shapes[i % len(shapes)], im.Pose(x, y, angle), might=i % 2)
        return world

    def filled_at_once(count: int, shapes: Sequence[Solid], turns: Sequence[float]) -> im.World:
        world = im.World()
        poses = [(x, y, angle) for (x, y), angle in zip(places[:count], turns, strict=False)]
        given = [shapes[i % len(shapes)] for i in range(count)] if len(shapes) > 1 else shapes[0]
        world.add_many(given, poses, might=np.arange(count) % 2)
        return world

    part = max(size.added // 20, 1)
    contenders = [
        Contender(f"{way}, {name}", partial(fill, part, shapes, turns), part)
        for way, fill in (("add", filled), ("add_many", filled_at_once))
        for name, shapes, turns in cases
    ]
    compare(f"What does a body cost? {part:,} are added", "a body", contenders, max(size.turns // 5, 3))
    weights = []
    for name, shapes, turns in cases:
        tracemalloc.start()
        world = filled(size.added, shapes, turns)
        world.step()
        weights.append(f"{name} {tracemalloc.get_traced_memory()[0] / size.added:,.0f}")
        tracemalloc.stop()
        del world
    print(f"\nBytes a body in a world of {size.added:,}, half of them mighty, after a step: {'; '.join(weights)}")


def draw(lines: Sequence[Line], file: Path) -> None:
    """Draw times of a frame over numbers of movers, both on logarithmic scales."""
    # Drawn at twice the size and scaled down, which smooths the lines.
    width, height, left, top, right, bottom = 1800, 1080, 180, 140, 80, 140
    colours = ("#1f6f4a", "#c0562f", "#4a5a9c")
    image = Image.new("RGB", (width, height), "white")
    pen = ImageDraw.Draw(image)
    text = partial(pen.text, font=ImageFont.load_default(size=32))
    movers = lines[0].movers
    frames = [np.multiply(line.movers, line.seconds).tolist() for line in lines]
    low = math.floor(math.log10(min(map(min, frames))))
    high = math.ceil(math.log10(max(map(max, frames))))

    def at(count: float, seconds: float) -> tuple[float, float]:
        x = math.log(count / movers[0]) / math.log(movers[-1] / movers[0])
        y = (math.log10(seconds) - low) / (high - low)
        return left + x * (width - left - right), height - bottom - y * (height - top - bottom)

    for decade in range(low, high + 1):
        _, y = at(movers[0], 10.0**decade)
        pen.line((left, y, width - right, y), fill="#c8c8c8", width=2)
        step = decade // 3
        # Pillow's font has no µ.
        words = f"{10 ** (decade - 3 * step)} {('ns', 'us', 'ms', 's')[step + 3]}"
        text((left - 20, y), words, fill="black", anchor="rm")
    for count in movers:
        x, y = at(count, 10.0**low)
        pen.line((x, top, x, y), fill="#e4e4e4", width=2)
        text((x, y + 20), f"{count:,}", fill="black", anchor="mt")
    text((width / 2, height - 40), "movers, with ten times as many bodies that stand", fill="black", anchor="ms")
    text((left, 70), "processor time of the fastest frame", fill="black", anchor="ls")
    for line, seconds, colour in zip(lines, frames, colours, strict=True):
        points = [at(*point) for point in zip(line.movers, seconds, strict=True)]
        pen.line(points, fill=colour, width=6, joint="curve")
        for x, y in points:
            pen.ellipse((x - 10, y - 10, x + 10, y + 10), fill=colour)
    # Lines may lie close together, so their names are in a list, in the order of the lines.
    order = sorted(zip(lines, frames, colours, strict=True), key=lambda entry: -entry[1][-1])
    for row, (line, _, colour) in enumerate(order):
        text((left + 30, top + 30 + 48 * row), f"{line.name}: n^{line.exponent():.2f}", fill=colour, anchor="lt")
    image.resize((width // 2, height // 2), Image.Resampling.LANCZOS).save(file, optimize=True)


def main(size: Size, plot: Path | None) -> None:
    runtime.prepare()
    print(machine("pymunk", "arcade"))
    compare_sizes(size)
    compare_others("Boxes", strewn(size.movers, size.statics, BOXES), size)
    compare_others("Boxes, dense", strewn(size.movers, size.statics, BOXES, density=DENSE), size)
    compare_others("Mixed shapes", strewn(size.movers, size.statics), size)
    compare_others("Mixed shapes, dense", strewn(size.movers, size.statics, density=DENSE), size)
    compare_others("Mixed shapes, a tenth turns", strewn(size.movers, size.statics, turning=True), size)
    compare_others("Mixed shapes, many", strewn(size.many_movers, size.many_statics), size)
    compare_kinds(size)
    compare_walkers(size)
    compare_sensors(size)
    compare_hooks(size)
    lines = compare_growth(size)
    if plot:
        draw(lines, plot)
    compare_adding(size)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Time frames of worlds with bodies of all shapes.")
    parser.add_argument("--quick", action="store_true", help="take a moment; the figures mean nothing")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw how a frame grows as a PNG")
    options = parser.parse_args()
    main(QUICK if options.quick else FULL, options.plot)
