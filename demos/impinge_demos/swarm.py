"""A swarm of 5,000 agents that follows a lantern among moving walls, to compare the speed with Arcade's engine.

`python -m impinge_demos swarm` starts it. Impinge moves all agents in one `World.step`; F2 switches to Arcade.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple, Protocol

import arcade
import arcade.gl
import numpy as np
from arcade.types import Color
from numpy.typing import NDArray
from pyglet.gl import GL_PROGRAM_POINT_SIZE

import impinge as im
from impinge.shapes.solids import Solid
from impinge_demos.controls import Controls
from impinge_demos.demo import BAR, HEIGHT, SPARK, WIDTH, Demo, text
from impinge_demos.swarm_bot import Bot

Places = NDArray[np.float64]  # (n, 2), pixels

AGENTS = 5000
RADIUS = 3.0  # pixels
ROUND = 1800  # frames: half a minute
PAUSE = 120  # frames between rounds
PACE = 1.15  # how much faster the walls are in each round
LANTERN = 8.0  # pixels a frame
SLOWEST, FASTEST = 2.0, 3.2  # pixels a frame: range of the agents' speeds
JITTER = 0.6  # pixels a frame, the standard deviation of their steps
CROWD = 70.0  # pixels: how closely the agents gather around the lantern
LIT = 600  # frames for which a home is lit
WALL, HOME, AGENT = 1, 2, 4  # layers

BOTTOM, TOP = 24.0, HEIGHT - BAR  # the field
NURSERY = (16.0, 120.0, BOTTOM + 20, TOP - 20)  # left, right, bottom, top: where agents start
HOMES = [(950.0, 480.0), (950.0, 300.0), (950.0, 120.0)]
HOME_BOX = im.Box(84, 110)

NIGHT = Color(22, 26, 38)
STONE = Color(96, 108, 130)
IRON, EDGE = Color(176, 124, 76), Color(214, 164, 112)
CALM, PRESSED = Color(120, 214, 160), Color(255, 190, 90)
LAMP = Color(255, 236, 170)
CRUSHED = Color(255, 90, 90)


class Wall(NamedTuple):
    """A wall that oscillates about a point, and may turn."""

    shape: Solid
    place: tuple[float, float]
    swing: tuple[float, float] = (0.0, 0.0)  # amplitude in pixels
    period: float = 1.0  # frames
    phase: float = 0.0  # of a period
    spin: float = 0.0  # radians a frame

    def pose(self, moment: float) -> im.Pose:
        """Return its pose after a number of frames."""
        far = math.sin(math.tau * (moment / self.period + self.phase))
        (x, y), (dx, dy) = self.place, self.swing
        return im.Pose(x + dx * far, y + dy * far, self.spin * moment)


PRESS, TRAIN, LONG = im.Box(48, 300), im.Box(36, 104), im.Capsule((-92, 0), (92, 0), radius=8)
UPRIGHT = im.Pose(0, 0, math.pi / 2)
CROSS = im.Compound([(im.Capsule((-64, 0), (64, 0), radius=7), pose) for pose in (im.Pose(0, 0), UPRIGHT)])
BORDER = [
    Wall(im.Box(WIDTH, 40), (WIDTH / 2, BOTTOM - 20)),
    Wall(im.Box(WIDTH, 40), (WIDTH / 2, TOP + 20)),
    Wall(im.Box(40, HEIGHT), (-20, HEIGHT / 2)),
    Wall(im.Box(40, HEIGHT), (WIDTH + 20, HEIGHT / 2)),
]
MOVING = [
    Wall(PRESS, (200, 490), (0, 45), 240),
    Wall(PRESS, (200, 110), (0, -45), 240),
    Wall(LONG, (360, 190), spin=0.021),
    Wall(LONG, (360, 410), spin=-0.027),
    *(Wall(TRAIN, (520, 300 + 170 * row), (0, 60), 200) for row in (-1, 0, 1)),
    *(Wall(TRAIN, (580, 300 + 170 * row), (0, -60), 260) for row in (-1, 0, 1)),
    Wall(CROSS, (710, 440), spin=0.030),
    Wall(CROSS, (710, 160), spin=-0.024),
    Wall(PRESS, (838, 490), (0, 45), 180, 0.25),
    Wall(PRESS, (838, 110), (0, -45), 180, 0.25),
]


class Moved(NamedTuple):
    """The result of a frame. Agents are numbered from 0 on."""

    places: Places
    pushed: NDArray[np.int64]
    crushed: NDArray[np.int64]
    home: NDArray[np.int64]
    normals: Places  # away from the wall, one for each entry of `pushed`


class Engine(Protocol):
    """The interface of the two engines below."""

    def put(self, agents: NDArray[np.int64], places: Places) -> None:
        """Place some agents elsewhere."""

    def move(self, moment: float, lit: int, goals: Places) -> Moved:
        """Move the walls to their poses at a moment, and all agents towards their goals."""


class ImpingeEngine:
    """All agents and walls in one `World`."""

    def __init__(self, places: Places) -> None:
        self.world = im.World()
        for wall in BORDER:
            self.world.add(wall.shape, im.Pose(*wall.place), might=1, layer=WALL)
        self.walls = [self.world.add(wall.shape, wall.pose(0), might=1, layer=WALL) for wall in MOVING]
        self.homes = [self.world.add(HOME_BOX, im.Pose(*at), response="sensor", layer=HOME) for at in HOMES]
        agents = [self.world.add(im.Circle(RADIUS), im.Pose(*at), layer=AGENT) for at in places.tolist()]
        self.rows = np.array([agent.index for agent in agents])
        self.numbers = np.zeros(self.rows.max() + 1, np.int64)  # agent numbers by row in the world
        self.numbers[self.rows] = np.arange(len(agents))

    def put(self, agents: NDArray[np.int64], places: Places) -> None:
        """Place some agents elsewhere."""
        self.world.set_poses(self.rows[agents], upright(places))

    def move(self, moment: float, lit: int, goals: Places) -> Moved:
        """Move all agents. Events are read as arrays, because there may be thousands."""
        for body, wall in zip(self.walls, MOVING, strict=True):
            body.goal = wall.pose(moment)
        self.world.set_goals(self.rows, upright(goals))
        rows = self.world.step().rows
        kind, who, what = rows[:, 5], self.numbers[rows[:, 2].astype(np.int64)], rows[:, 3]
        return Moved(
            places=self.world.positions(self.rows),
            pushed=who[kind == 0],
            crushed=np.unique(who[kind == 2]),
            home=np.unique(who[(kind == 1) & (what == self.homes[lit].index)]),
            normals=rows[kind == 0, 8:10],
        )


class ArcadeEngine:
    """The same with `arcade.PhysicsEngineSimple`. It moves one player, so each agent has its own engine.

    Moving walls do not push agents here, so `pushed` and `crushed` are always empty.
    """

    def __init__(self, places: Places) -> None:
        self.walls: arcade.SpriteList[arcade.SpriteSolidColor] = arcade.SpriteList()
        self.ways: list[tuple[Wall, float]] = []  # for each sprite: its wall, and its angle on the wall in degrees
        for wall in (*BORDER, *MOVING):
            for width, height, turned in boxes(wall.shape):
                self.walls.append(arcade.SpriteSolidColor(round(width), round(height)))
                self.ways.append((wall, turned))
        self.stand(0)
        self.agents = [arcade.SpriteSolidColor(round(2 * RADIUS), round(2 * RADIUS), *at) for at in places.tolist()]
        self.engines = [arcade.PhysicsEngineSimple(agent, self.walls) for agent in self.agents]

    def stand(self, moment: float) -> None:
        """Place the walls as they are at a moment."""
        for sprite, (wall, turned) in zip(self.walls, self.ways, strict=True):
            pose = wall.pose(moment)
            sprite.position, sprite.angle = (pose.x, pose.y), turned - math.degrees(pose.angle)

    def put(self, agents: NDArray[np.int64], places: Places) -> None:
        """Place some agents elsewhere."""
        for number, place in zip(agents.tolist(), places.tolist(), strict=True):
            self.agents[number].position = place

    def move(self, moment: float, lit: int, goals: Places) -> Moved:
        """Move all agents, one by one."""
        self.stand(moment)
        for agent, engine, (x, y) in zip(self.agents, self.engines, goals.tolist(), strict=True):
            agent.change_x, agent.change_y = x - agent.center_x, y - agent.center_y
            engine.update()
        places = np.array([agent.position for agent in self.agents])
        inside = (np.abs(places - HOMES[lit]) < (HOME_BOX.width / 2, HOME_BOX.height / 2)).all(axis=1)
        nobody = np.zeros(0, np.int64)
        return Moved(places, nobody, nobody, np.flatnonzero(inside), np.zeros((0, 2)))


def boxes(shape: Solid) -> list[tuple[float, float, float]]:
    """Return the boxes that replace a shape as sprites: width, height, and angle in degrees."""
    match shape:
        case im.Box():
            return [(shape.width, shape.height, 0.0)]
        case im.Capsule():
            return [(shape.b[0] - shape.a[0] + 2 * shape.radius, 2 * shape.radius, 0.0)]
        case im.Compound():
            return [(*boxes(part)[0][:2], -math.degrees(pose.angle)) for part, pose in shape.parts]
    raise TypeError(f"no sprites for {shape!r}")


def upright(places: Places) -> Places:
    """Return the positions with an angle of 0 each."""
    return np.column_stack([places, np.zeros(len(places))])


class Game(Demo):
    """Lead the swarm to the lit home, past the presses."""

    title = "Swarm: 5,000 at once"
    keys = "arrows or WASD move the lantern, space scatters, shift stops, F2 Arcade's engine"
    background = NIGHT
    sounds: ClassVar = {"home": "coin1", "crush": "hurt1"}

    def __init__(self, seed: int = 0, sound: bool = False) -> None:
        self.agents = AGENTS
        self.caption = text(WIDTH - 14, HEIGHT - 20, 14, SPARK, "right")
        self.took = 0.0  # seconds that the engine takes for a frame, on average; only for display
        self.rounds = self.came = self.lost = self.pushes = 0
        super().__init__(seed, sound)
        self.dots = Dots(self.window.ctx)

    def autoplay(self) -> Callable[[], Controls]:
        """Return controls that lead the swarm home."""
        return Bot(self)

    def setup(self) -> None:
        """Start with the first round."""
        self.level = 0
        self.chance = np.random.default_rng(self.random.randrange(2**32))
        self.start_round()

    def start_round(self) -> None:
        """Start a round with all agents in the nursery. Walls are faster in each round."""
        self.level += 1
        self.rounds += 1
        self.left, self.pause, self.message = ROUND, 0, ""
        self.saved = self.crushed = 0
        self.moment = 0.0  # the frames so far, at the speed of the walls
        self.lantern = (150.0, (BOTTOM + TOP) / 2)
        self.places = self.newborn(self.agents)
        self.speeds = self.chance.uniform(SLOWEST, FASTEST, (self.agents, 1))
        self.offsets = self.chance.normal(0, CROWD / 2, (self.agents, 2))
        self.pushed, self.normals = np.zeros(0, np.int64), np.zeros((0, 2))
        self.marks: list[tuple[float, float, int]] = []  # where and when agents were crushed
        self.use(ImpingeEngine)

    def newborn(self, count: int) -> Places:
        """Return random positions in the nursery."""
        left, right, bottom, top = NURSERY
        return self.chance.uniform((left, bottom), (right, top), (count, 2))

    def use(self, kind: Callable[[Places], Engine]) -> None:
        """Replace the engine, and keep all positions."""
        self.engine, self.took = kind(self.places), 0.0

    @property
    def lit(self) -> int:
        """Return the index of the open home."""
        return (ROUND - self.left) // LIT % len(HOMES)

    def play(self, controls: Controls) -> None:
        """Play a frame."""
        if self.pause:
            self.pause -= 1
            if not self.pause:
                self.start_round()
            return
        self.left -= 1
        self.moment += PACE ** (self.level - 1)
        self.carry_lantern(controls)
        goals = self.places + self.steps(controls)

        begun = time.perf_counter()
        moved = self.engine.move(self.moment, self.lit, goals)
        took = time.perf_counter() - begun
        self.took = 0.95 * self.took + 0.05 * took if self.took else took

        self.places, self.pushed, self.normals = moved.places, moved.pushed, moved.normals
        self.pushes += len(self.pushed)
        self.welcome(moved.home)
        self.mourn(moved.crushed)
        if self.left == 0:
            self.message = f"{self.saved:,} came home, {self.crushed:,} were crushed"
            self.pause = PAUSE

    def carry_lantern(self, controls: Controls) -> None:
        """Move the lantern. No wall stops it."""
        x, y = self.lantern
        x, y = x + LANTERN * controls.x, y + LANTERN * controls.y
        self.lantern = min(max(x, 10.0), WIDTH - 10.0), min(max(y, BOTTOM + 10), TOP - 10)

    def steps(self, controls: Controls) -> Places:
        """Return the displacements that all agents aim at, as one array."""
        ways = self.lantern + self.offsets - self.places
        far = np.hypot(ways[:, :1], ways[:, 1:])
        steps = ways * (np.minimum(self.speeds, far) / np.maximum(far, 1e-9))
        if controls.second:
            steps *= 0.0
        elif controls.first:
            steps *= -1.0
        return steps + self.chance.normal(0, JITTER, steps.shape)

    def welcome(self, home: NDArray[np.int64]) -> None:
        """Count the agents that reached the lit home. They start again in the nursery, so the number stays the same."""
        self.saved += len(home)
        self.came += len(home)
        self.earn(len(home))
        self.send_back(home)
        if len(home):
            self.play_sound("home")

    def mourn(self, crushed: NDArray[np.int64]) -> None:
        """Count the crushed agents, and let them start again."""
        self.crushed += len(crushed)
        self.lost += len(crushed)
        self.marks = [mark for mark in self.marks if self.frame - mark[2] < 30]
        self.marks += [(x, y, self.frame) for x, y in self.places[crushed].tolist()]
        self.send_back(crushed)
        if len(crushed):
            self.play_sound("crush")

    def send_back(self, agents: NDArray[np.int64]) -> None:
        """Move some agents to the nursery."""
        if len(agents):
            self.places[agents] = self.newborn(len(agents))
            self.engine.put(agents, self.places[agents])

    def on_key_press(self, symbol: int, modifiers: int) -> None:
        """Switch between the engines."""
        if symbol == arcade.key.F2:
            self.use(ImpingeEngine if isinstance(self.engine, ArcadeEngine) else ArcadeEngine)
        super().on_key_press(symbol, modifiers)

    def draw(self) -> None:
        """Draw the frame."""
        arcade.draw_lrbt_rectangle_filled(0, WIDTH, 0, BOTTOM, STONE)
        for number, (x, y) in enumerate(HOMES):
            shade = CALM if number == self.lit else STONE
            home = arcade.XYWH(x, y, HOME_BOX.width, HOME_BOX.height)
            arcade.draw_rect_filled(home, shade.replace(a=70))
            arcade.draw_rect_outline(home, shade, 2)
        for wall in MOVING:
            draw_shape(wall.shape, wall.pose(self.moment))
        arcade.draw_circle_filled(*self.lantern, CROWD, LAMP.replace(a=26))
        self.dots.draw(self.places, CALM)
        self.dots.draw(self.places[self.pushed], PRESSED)
        arcade.draw_points([mark[:2] for mark in self.marks], CRUSHED, 2 * RADIUS)
        arcade.draw_circle_filled(*self.lantern, 7, LAMP)
        by = "Arcade" if isinstance(self.engine, ArcadeEngine) else "Impinge"
        words = f"{1000 * self.took:.1f} ms a frame for {self.agents:,} by {by}"
        if self.frame % 15 == 1 or by not in self.caption.text:
            self.caption.text = words

    def draw_debug(self) -> None:
        """Draw the normals of all pushes."""
        begins = self.places[self.pushed]
        ends = np.stack([begins, begins + 12 * self.normals], axis=1).reshape(-1, 2)
        arcade.draw_lines([(x, y) for x, y in ends.tolist()], SPARK, 1)

    def draw_picture(self) -> None:
        """Draw the frame, and the time that it took."""
        super().draw_picture()
        self.caption.draw()

    def shows(self) -> str:
        """Return the line that explains what is happening."""
        if isinstance(self.engine, ArcadeEngine):
            return "Arcade's simple engine, one for each agent: walls go through them. F2: back to Impinge."
        if self.marks:
            return "Between two walls that close there is no room: event kind 'stuck'."
        if len(self.pushed):
            return f"{len(self.pushed):,} are pushed by moving and turning walls just now, all in one World.step."
        return "Goals go in as one array, events come out as one: frame.rows."

    def scores(self) -> str:
        """Return the line with the counts of the round."""
        return (
            f"Round {self.level}, {self.left // 60} s      Home {self.saved:,}      Crushed {self.crushed:,}      "
            f"Score {self.score:,}, best {self.best:,}"
        )

    def summary(self) -> str:
        """Return a line that sums up the game."""
        return (
            f"{self.frame} frames, {self.agents:,} agents, {self.pushes:,} pushes, {self.came:,} came home, "
            f"{self.lost:,} crushed, {self.rounds} rounds"
        )

    def state(self) -> dict[str, Any]:
        """Return all positions and counts."""
        return {
            "places": self.places.tolist(),
            "lantern": self.lantern,
            "counts": [self.score, self.pushes, self.came, self.lost, self.rounds, self.left],
        }


class Dots:
    """Thousands of dots in one draw call. Arcade's `draw_points` needs most of a frame to read its list of pairs."""

    VERTEX = """#version 330
        uniform WindowBlock { mat4 projection; mat4 view; } window;
        uniform float size;
        in vec2 place;
        void main() {
            gl_Position = window.projection * window.view * vec4(place, 0.0, 1.0);
            gl_PointSize = size;
        }"""
    FRAGMENT = """#version 330
        uniform vec4 color;
        out vec4 shade;
        void main() {
            if (length(gl_PointCoord - 0.5) > 0.5) discard;
            shade = color;
        }"""

    def __init__(self, context: arcade.ArcadeContext) -> None:
        self.context = context
        self.program = context.program(vertex_shader=self.VERTEX, fragment_shader=self.FRAGMENT)
        self.buffer = context.buffer(reserve=8 * AGENTS)
        layout = arcade.gl.BufferDescription(self.buffer, "2f", ["place"])
        self.geometry = context.geometry([layout], mode=context.POINTS)

    def draw(self, places: Places, color: Color) -> None:
        """Draw a dot at each place."""
        if not len(places):
            return
        self.buffer.orphan(8 * len(places))
        self.buffer.write(places.astype(np.float32).tobytes())
        scale = self.context.viewport[2] / WIDTH * self.context.window.get_pixel_ratio()
        self.program["color"], self.program["size"] = color.normalized, 2 * RADIUS * scale
        self.context.enable(GL_PROGRAM_POINT_SIZE)
        self.geometry.render(self.program, vertices=len(places))


def draw_shape(shape: Solid, pose: im.Pose) -> None:
    """Draw a wall."""
    match shape:
        case im.Box():
            box = arcade.XYWH(pose.x, pose.y, shape.width, shape.height)
            arcade.draw_rect_filled(box, IRON)
            arcade.draw_rect_outline(box, EDGE, 2)
        case im.Capsule():
            ends = [turned(end, pose) for end in (shape.a, shape.b)]
            arcade.draw_line(*ends[0], *ends[1], IRON, 2 * shape.radius)
            for end in ends:
                arcade.draw_circle_filled(*end, shape.radius, IRON)
                arcade.draw_circle_filled(*end, shape.radius / 2, EDGE)
        case im.Compound():
            for part, place in shape.parts:
                draw_shape(part, im.Pose(pose.x, pose.y, pose.angle + place.angle))


def turned(point: Sequence[float], pose: im.Pose) -> tuple[float, float]:
    """Return a point of a shape in the frame of the game."""
    sine, cosine = math.sin(pose.angle), math.cos(pose.angle)
    return pose.x + cosine * point[0] - sine * point[1], pose.y + sine * point[0] + cosine * point[1]
