"""Sokoban in real time: trains push iron, iron pushes you, you push crates, and crates push lighter crates.

`python -m impinge_demos sokoban_rush` starts it. Most pictures and all sounds are Kenney's (kenney.nl); Arcade brings them.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import arcade
from arcade.types import Color

import impinge as im
from impinge.hooks import Touch
from impinge_arcade import draw_debug
from impinge_demos import sokoban_rush_art as art
from impinge_demos.controls import Controls
from impinge_demos.demo import BAR, HEIGHT, INK, PAPER, SPARK, WIDTH, Demo, text
from impinge_demos.sokoban_rush_art import TILE
from impinge_demos.sokoban_rush_bot import Bot

# Who pushes whom: the higher might. Each crate has its own, as equals would pass through each other.
WALL, MACHINE, YOU = 30, 20, 10
IRON = {"I": 11, "J": 12, "K": 13}
COUPLING = "J"  # its left and right sides are sticky
WOOD = range(1, 10)

# What is in whose way, as bits of `layer` and `mask`.
SOLID, GRATE, FLOOR, SUNK = 1, 2, 4, 8

# Speeds are pixels a frame, and a frame is 1/60 s.
WALK = 3.0
BELT = 2.0
PULL = 2.0  # of a pad on its crate
SNUG = 3.0  # pixels between the middles of a crate and its pad when it sinks in
PATIENCE = 20  # frames in which a machine is jammed before it turns back
LAMP = 30  # frames for which a machine blinks before it starts
TAPE = 120  # frames of the past that can be wound back to
WINDING = 2  # frames of the past that go by in one
TRIES = 8  # how often a frame is taken before everybody stands still in it
LIVES = 3
CRATE, SECOND, RANK = 50, 2, 10  # points for a crate, for a second left, for each rank of the longest chain


def block(width: float, chamfer: float) -> im.Polygon:
    """Make a square that slips past corners: its own are cut off."""
    far, near = width / 2, width / 2 - chamfer
    corners = [(-near, -far), (near, -far), (far, -near), (far, near)]
    return im.Polygon([*corners, *((-x, -y) for x, y in corners)])


CRATE_SHAPE, ROBOT_SHAPE = block(40, 5), block(32, 8)
HEAD = 22.0  # pixels from the middle of a machine to its front


class Track(NamedTuple):
    """A machine's way: there fast, back slowly, with a rest at home. Cells are (column, row), from the lower left."""

    kind: str  # "cart", "tug" with a front that holds on to what it touches, "piston" with a rod behind
    home: tuple[int, int]
    far: tuple[int, int]
    speed: float
    rest: int


class Level(NamedTuple):
    """A hall. # wall, % grate, <>^v belts, IJK iron, @ you; small letters are crates and capitals their pads."""

    name: str
    seconds: int
    tracks: list[Track]
    plan: str


LEVELS = [
    Level(
        "The train",
        60,
        [Track("tug", (1, 5), (17, 5), 6.0, 60)],
        """
#####################
#########...#########
#########...#########
#.......#......B....#
#.......#......^....#
#......@.......^....#
#.JI....r...R..^..#.#
#..............^....#
#..........b...^....#
#...................#
######.........######
#####################
""",
    ),
    Level(
        "The presses",
        60,
        [Track("piston", (col, 10), (col, 8), 8.0, 70) for col in (7, 10, 13)]
        + [Track("piston", (9, 1), (9, 2), 8.0, 100), Track("cart", (1, 5), (16, 5), 4.0, 120)],
        """
#####################
#.....#.##.##.#.....#
#.....#.##.##.#.....#
#..g............G...#
#.@...#########.....#
#.....%%%%%%%%%.....#
#..J................#
#.....%%%%%%%%%.b...#
#.....#########.....#
#..B<<<<<<<<<<<.....#
#.....###.#####.....#
#####################
""",
    ),
    Level(
        "Two trains",
        75,
        [Track("tug", (3, 7), (17, 7), 6.0, 100), Track("tug", (17, 4), (3, 4), 6.0, 100)],
        """
#####################
#...................#
#..G......R......B..#
#...................#
#...I.............#.#
#...................#
#...................#
#.#.............I...#
#...................#
#..r......b......g..#
#.........@.........#
#####################
""",
    ),
    Level(
        "Posts",
        90,
        [Track("tug", (3, 7), (17, 7), 7.0, 60)],
        """
#####################
#......%.....%......#
#..G...%..Y..%...R..#
#......%.....%......#
#...I.............#.#
#......###.###......#
#......#..y..#......#
#......###.###......#
#...................#
#..r...%.....%...g..#
#......%..@..%......#
#####################
""",
    ),
    Level(
        "Rush hour",
        75,
        [Track("piston", (col, 10), (col, 8), 8.0, 90) for col in (7, 10, 13)]
        + [Track("piston", (10, 1), (10, 2), 8.0, 90), Track("tug", (1, 6), (17, 6), 7.0, 120)],
        """
#####################
#.....#.##.##.#.....#
#.....#.##.##.#.....#
#..r.............R..#
#.....%%%%%%%%%.....#
#.JI..............#.#
#...............G...#
#...g.%%%%%%%%%.b...#
#.....%%%%%%%%%.....#
#....B<<<<<<<<<.....#
#..@..####.####.....#
#####################
""",
    ),
]

BACKGROUND = Color(222, 220, 212)
JOINT = Color(208, 206, 198)
EDGE = Color(84, 94, 120)
TRACK = Color(150, 146, 136)
HAZARD = Color(250, 214, 120)
RUBBER = Color(74, 80, 96)
ARROW = Color(150, 160, 184)
PUSH = Color(0, 120, 210)
BESIDE = 32  # pixels from the middles of bodies to the arrow that tells which of them pushes
ARROWHEAD = (8, 0), (-6, 8), (-6, -8)
JAM = Color(235, 40, 40)
REWOUND = Color(40, 90, 200, 70)
ROBOT = ":resources:images/animated_characters/robot/robot_"

SIDE_OF = {(-1, 0): im.Side.LEFT, (1, 0): im.Side.RIGHT, (0, -1): im.Side.BOTTOM, (0, 1): im.Side.TOP}
BELTS = {"<": (-1, 0), ">": (1, 0), "v": (0, -1), "^": (0, 1)}
MIRRORED = str.maketrans("<>", "><")


@dataclass(eq=False)
class Crate:
    """A crate of wood, or of iron, which has no colour and belongs nowhere."""

    body: im.Body
    sprite: arcade.Sprite
    colour: str = ""
    is_paid: bool = False  # a crate earns once, however often it is wound back

    @property
    def is_sunk(self) -> bool:
        """Whether it is in its pad, and part of the floor."""
        return self.body.layer == SUNK


@dataclass(eq=False)
class Pad:
    """Where the crate of a colour belongs."""

    place: im.Pose
    sprite: arcade.Sprite
    colour: str


@dataclass(eq=False)
class Belt:
    """A cell of a belt: it takes along what covers its middle line, and centres it."""

    place: im.Pose
    across: int
    up: int

    def velocity(self, body: im.Body) -> tuple[float, float]:
        """Tell where it takes a body in a frame."""
        x, y = self.place.x - body.pose.x, self.place.y - body.pose.y
        return (BELT * self.across, clamped(y, 1.0)) if self.across else (clamped(x, 1.0), BELT * self.up)


@dataclass(eq=False)
class Machine:
    """What goes there and back on its track. Nothing pushes it; it stops where a crate is stuck."""

    track: Track
    stops: tuple[im.Pose, im.Pose]
    body: im.Body
    sprite: arcade.Sprite
    rest: int
    heading: int = 1
    jam: int = 0

    def goal(self) -> im.Pose:
        """Where it would like to be at the frame's end."""
        start, stop = self.body.pose, self.stops[self.heading]
        x, y = stop.x - start.x, stop.y - start.y
        speed = self.track.speed if self.heading else self.track.speed / 2
        part = 0.0 if self.rest else min(1.0, speed / (math.hypot(x, y) or 1.0))
        return im.Pose(start.x + part * x, start.y + part * y)

    def go_on(self, is_jammed: bool) -> None:
        """Turn back at the ends, and when it is jammed for long."""
        self.jam = self.jam + 1 if is_jammed else 0
        if self.rest:
            self.rest -= 1
        elif self.body.pose == self.stops[self.heading] or self.jam > PATIENCE:
            self.heading = 1 - self.heading
            self.rest = self.track.rest if self.heading else 10
            self.jam = 0


class Foreman:
    """A plugin that hears who pushes whom in a frame, and who came to press on whom."""

    def __init__(self) -> None:
        self.pushes: list[im.Event] = []
        self.meetings: list[tuple[im.Body, im.Body]] = []

    @im.hookimpl
    def impinge_frame_begin(self) -> None:
        """Forget the frame before, which may have been this one, taken another way."""
        self.pushes, self.meetings = [], []

    @im.hookimpl
    def impinge_begin(self, contact: Touch) -> None:
        """Note who meets whom."""
        self.meetings.append((contact.mighty, contact.weak))

    @im.hookimpl
    def impinge_pushed(self, event: im.Event) -> None:
        """Note a push."""
        self.pushes.append(event)

    def chain(self) -> list[im.Body]:
        """Return the longest chain of those who push each other, the mightiest first."""
        chains: dict[im.Body, list[im.Body]] = {}
        for event in sorted(self.pushes, key=lambda event: -event.mighty.might):
            chain = [*chains.get(event.mighty, [event.mighty]), event.weak]
            if len(chain) > len(chains.get(event.weak, [])):
                chains[event.weak] = chain
        return max(chains.values(), key=len, default=[])

    def drivers(self, jam: im.Event) -> Iterator[tuple[im.Body, im.Event]]:
        """Go back along the pushes that led to a jam: each body, and what it did."""
        known: dict[im.Body, im.Event] = {}
        ahead = [jam]
        while ahead:
            event = ahead.pop()
            if event.mighty not in known:
                known[event.mighty] = event
                ahead += [push for push in self.pushes if push.weak is event.mighty]
        yield from known.items()


class Moment(NamedTuple):
    """All that is wound back: the world as bytes, and what of the game is not in it."""

    world: bytes
    machines: list[tuple[int, int, int]]
    drift: dict[im.Body, tuple[float, float]]


# What is to be seen, the rarest first: it counts when it begins, and its line stands in the window for a while.
LINES = {
    "crushed": "Stuck: no room for you between {sides}, says body.stuck. So the world goes back by its last snapshots.",
    "rewound": "world.restore(snapshot): all bodies go back, frame by frame, to the bit. The clock does not.",
    "chained": "A chain in one frame: {chain}. Each pushes the next lower rank, by the way that it really took.",
    "jammed": "frame.stuck: a crate has no room (red). The frame is taken again, and who pushes stops at {time:.2f} of it.",
    "sunk": "A pad is a sensor: it pushes nobody. Of frame.sensed it takes the crate of its colour.",
    "pulled": "The tug's front is sticky: what touches it is pulled along as well, until something holds it back.",
    "carried": "Belts are sensors, too: what is in frame.sensed drifts along in the next frame.",
    "pushed": "You, of rank 10, push wood of ranks 1 to 9; a crate pushes crates of lower numbers, and stops at higher ones.",
}
LINGER = 80  # frames


class Game(Demo):
    """A hall, who works in it, and the clock."""

    title = "Sokoban rush: ranks that push each other"
    keys = "arrows or WASD walk and push     hold shift to rewind"
    background = BACKGROUND
    sounds = {  # noqa: RUF012
        "bump": "hit2",
        "jam": "error2",
        "sink": "coin2",
        "crush": "hurt2",
        "clear": "upgrade1",
        "over": "gameover2",
    }

    def __init__(self, seed: int = 0, sound: bool = False) -> None:
        self.counts = dict.fromkeys([*LINES, "cleared", "lost"], 0)
        self.longest = 0
        self.rank = text(0, 0, 14, INK, "center", str(YOU))
        super().__init__(seed, sound)

    def autoplay(self) -> Callable[[], Controls]:
        """Give controls that play the game by themselves."""
        return Bot(self)

    def setup(self) -> None:
        """Start with the first hall."""
        self.lives, self.number = LIVES, 0
        self.build()

    def build(self) -> None:
        """Start a hall. The seed mirrors it or not, deals out the ranks of the crates, and sets the machines off."""
        self.level = LEVELS[self.number % len(LEVELS)]
        self.rush = 1.0 + 0.2 * (self.number // len(LEVELS))
        self.clock = round(60 * self.level.seconds / self.rush)
        self.message, self.pause, self.then = "", 0, self.build
        self.is_unwinding = False
        self.seen: dict[str, int] = {}
        self.now: set[str] = set()
        self.words: dict[str, Any] = {}
        self.jams: dict[Crate, im.Side] = {}
        self.tape: deque[Moment] = deque(maxlen=TAPE)
        self.drift: dict[im.Body, tuple[float, float]] = {}
        self.record = 3
        self.events: Sequence[im.Event] = ()

        rows = self.level.plan.split()[::-1]
        self.is_mirrored = self.random.random() < 0.5
        if self.is_mirrored:
            rows = [row[::-1].translate(MIRRORED) for row in rows]
        self.plan = {(column, row): letter for row, line in enumerate(rows) for column, letter in enumerate(line)}
        self.build_world()
        self.build_scenery()

    def build_world(self) -> None:
        """Say what there is, what rank it has, and in whose way it is."""
        self.world = im.World()
        self.foreman = Foreman()
        self.world.register(self.foreman)
        self.crates: list[Crate] = []
        self.pads: list[Pad] = []
        cells = {letter: place(cell) for cell, letter in self.plan.items()}
        numbers = self.random.sample(WOOD, len(art.COLOURS))

        for cell, letter in self.plan.items():
            if letter in "#%":
                layer = SOLID if letter == "#" else GRATE
                self.world.add(im.Box(TILE, TILE), place(cell), might=WALL, layer=layer, mask=0)
            elif letter in BELTS:
                belt = Belt(place(cell), *BELTS[letter])
                shape = im.Box(*(TILE if way else 4.0 for way in BELTS[letter]))
                self.world.add(shape, belt.place, layer=FLOOR, mask=0, response="sensor", data=belt)
            elif letter in IRON:
                might = IRON[letter]
                sticky = im.Side.LEFT | im.Side.RIGHT if letter == COUPLING else im.Side.NONE
                mask, carrying = SOLID | GRATE, im.Side.NONE
                body = self.world.add(CRATE_SHAPE, place(cell), might, mask=mask, carrying=carrying, sticky=sticky)
                self.crates.append(Crate(body, sprite(art.iron(might, letter == COUPLING))))
        for colour, might in zip(art.COLOURS, numbers, strict=True):
            if colour in cells:
                mask, carrying = SOLID | GRATE | FLOOR, im.Side.NONE
                body = self.world.add(CRATE_SHAPE, cells[colour], might, mask=mask, carrying=carrying)
                self.crates.append(Crate(body, sprite(art.crate(colour, might)), colour))
                spot = cells[colour.upper()]
                pad = Pad(spot, sprite(art.pad(colour, False), spot.x, spot.y), colour)
                self.world.add(im.Circle(6), pad.place, layer=FLOOR, mask=0, response="sensor", data=pad)
                self.pads.append(pad)
        for crate in self.crates:
            crate.body.data = crate
        mask, carrying = SOLID | FLOOR, im.Side.NONE
        self.robot = self.world.add(ROBOT_SHAPE, cells["@"], YOU, mask=mask, carrying=carrying, data="you")
        self.machines = [self.machine(track) for track in self.level.tracks]

    def machine(self, track: Track) -> Machine:
        """Make a machine. Nothing is in its mask, so nothing stops it, not even the wall that a piston comes out of."""
        if self.is_mirrored:
            last = WIDTH // TILE - 1
            track = track._replace(home=(last - track.home[0], track.home[1]), far=(last - track.far[0], track.far[1]))
        home, far = place(track.home), place(track.far)
        way = math.hypot(far.x - home.x, far.y - home.y)
        across, up = (far.x - home.x) / way, (far.y - home.y) / way
        back = HEAD + (way if track.kind == "piston" else 0.0)
        corners = [(-back, -HEAD), (HEAD, -HEAD), (HEAD, HEAD), (-back, HEAD)]
        shape = im.Polygon([(across * x - up * y, up * x + across * y) for x, y in corners])
        sticky = SIDE_OF[round(across), round(up)] if track.kind == "tug" else im.Side.NONE
        body = self.world.add(shape, home, MACHINE, mask=0, sticky=sticky, carrying=im.Side.NONE, data=track.kind)
        picture = sprite(art.machine(track.kind, MACHINE, round(math.degrees(math.atan2(up, across)))))
        track = track._replace(speed=track.speed * self.rush)
        return Machine(track, (home, far), body, picture, self.random.randrange(LAMP, LAMP + track.rest))

    def build_scenery(self) -> None:
        """Paint what stands still, and put the rest into lists."""
        self.scenery = arcade.shape_list.ShapeElementList()
        self.tops: arcade.SpriteList[arcade.Sprite] = arcade.SpriteList()
        joints = [(x, y) for x in range(0, WIDTH, TILE) for y in (0, HEIGHT)]
        joints += [(x, y) for y in range(0, HEIGHT, TILE) for x in (0, WIDTH)]
        self.add_lines(joints, JOINT, 2)
        for machine in self.machines:
            ends = [(stop.x, stop.y) for stop in machine.stops]
            if machine.track.kind == "piston":
                self.add_lines(ends, HAZARD, HEAD * 2)
            else:
                self.add_lines(art.rails(ends), TRACK, 3)
        for cell, letter in self.plan.items():
            x, y = place(cell).x, place(cell).y
            if letter in BELTS:
                across, up = (TILE - 8 * (way == 0) for way in BELTS[letter])
                self.scenery.append(arcade.shape_list.create_rectangle_filled(x, y, across, up, RUBBER))
            elif letter == "%":
                self.tops.append(sprite(art.grate(), x, y))
            elif letter == "#":
                below = self.plan.get((cell[0], cell[1] - 1), "#")
                self.tops.append(art.wall(x, y, in_front=below != "#"))
        self.floor = sprites(pad.sprite for pad in self.pads)
        self.movers = sprites(each.sprite for each in (*self.crates, *self.machines))
        names = ["idle", "climb0", "climb1", *(f"walk{number}" for number in range(8))]
        self.rightward = {name: arcade.load_texture(f"{ROBOT}{name}.png") for name in names}
        self.leftward = {name: texture.flip_left_right() for name, texture in self.rightward.items()}
        self.looks = self.rightward
        self.you = arcade.Sprite(self.looks["idle"], 0.46)
        self.movers.append(self.you)
        self.show(Controls())

    def add_lines(self, ends: list[tuple[float, float]], color: Color, width: float) -> None:
        """Add lines to the scenery, two points for each."""
        for (x, y), (end_x, end_y) in zip(ends[::2], ends[1::2], strict=True):
            self.scenery.append(arcade.shape_list.create_line(x, y, end_x, end_y, color, width))

    def play(self, controls: Controls) -> None:
        """Play a frame."""
        if self.pause:
            self.pause -= 1
            if not self.pause:
                self.then()
            return
        self.now = set()
        self.clock -= 1
        if self.tape and (controls.second or self.is_unwinding):
            self.rewind()
        else:
            self.is_unwinding = False
            machines = [(machine.heading, machine.rest, machine.jam) for machine in self.machines]
            self.tape.append(Moment(self.world.snapshot(), machines, self.drift))
            self.react(self.step(self.goals(controls)))
        self.show(controls)
        self.count()
        if not self.clock and not self.pause:
            self.lose("Time is up!", self.build)

    def goals(self, controls: Controls) -> dict[im.Body, im.Pose]:
        """Say where everybody would like to be at the frame's end."""
        goals = {machine.body: machine.goal() for machine in self.machines}
        for body, (x, y) in self.drift.items():
            goals[body] = im.Pose(body.pose.x + x, body.pose.y + y)
        start, pace = goals.get(self.robot, self.robot.pose), WALK / max(1.0, math.hypot(controls.x, controls.y))
        goals[self.robot] = im.Pose(start.x + pace * controls.x, start.y + pace * controls.y)
        return goals

    def step(self, goals: dict[im.Body, im.Pose]) -> im.Frame:
        """Take a frame. If a crate is stuck in it, take it back, and once more with its drivers held back."""
        self.jams = {}
        stopped: set[im.Body] = set()
        for attempt in range(TRIES):
            for body, goal in goals.items():
                body.goal = goal
            frame = self.world.step()
            jams = [event for event in frame.stuck if event.weak is not self.robot]
            if not jams:
                break
            drivers = [(body, push, jam.time) for jam in jams for body, push in self.foreman.drivers(jam)]
            self.world.restore(self.tape[-1].world)
            for body, push, time in drivers:
                if body in goals:
                    goals[body] = held_back(body.pose, goals[body], push.normal, 0.0 if attempt else time)
                    stopped.add(body)
            if not attempt:
                self.notice_jams(jams)
        for machine in self.machines:
            machine.go_on(machine.body in stopped)
        return frame

    def notice_jams(self, jams: list[im.Event]) -> None:
        """Note between which sides crates are stuck."""
        for jam in jams:
            crate = jam.weak.data
            self.jams[crate] = self.jams.get(crate, im.Side.NONE) | jam.side
        if self.seen.get("jammed", -2) < self.frame - 1:
            self.words["time"] = jams[0].time
        self.now.add("jammed")

    def react(self, frame: im.Frame) -> None:
        """See to what happened in a frame."""
        self.events = frame.events
        self.drift = {}
        for event in frame.sensed:
            if isinstance(event.mighty.data, Pad):
                self.welcome(event.weak, event.mighty.data)
            else:
                self.drift[event.weak] = event.mighty.data.velocity(event.weak)
                self.now.add("carried")
        for event in frame.pushes:
            if event.speed < 0 and event.mighty.data == "tug":
                self.now.add("pulled")
            elif event.speed > 0 and event.mighty is self.robot:
                self.now.add("pushed")
        chain = self.foreman.chain()
        if len(chain) > 3:
            self.now.add("chained")
            if len(chain) >= self.words.get("length", 0) or "chained" not in self.seen:
                ranks = ["you" if body is self.robot else str(body.might) for body in chain]
                self.words["chain"], self.words["length"] = " > ".join(ranks), len(chain)
        elif self.frame - self.seen.get("chained", -LINGER) >= LINGER:
            self.words["length"] = 0
        if len(chain) > self.record:
            self.earn(RANK * len(chain))
            self.record = len(chain)
            self.longest = max(self.longest, self.record)
        if any(mighty.might >= MACHINE > weak.might for mighty, weak in self.foreman.meetings if mighty.might < WALL):
            self.play_sound("bump")
        if self.robot.stuck:
            self.words["sides"] = " and ".join(str(side.name) for side in self.robot.stuck)
            self.now.add("crushed")
            self.is_unwinding = True
            self.play_sound("crush")
            self.lose("Crushed!", self.unpause)
        elif all(crate.is_sunk for crate in self.crates if crate.colour):
            self.clear_hall()

    def welcome(self, visitor: im.Body, pad: Pad) -> None:
        """Pull the crate of a pad to its middle, and let it sink in there: then it is in nobody's way."""
        crate = visitor.data
        if not isinstance(crate, Crate) or crate.colour != pad.colour:
            return
        x, y = pad.place.x - visitor.pose.x, pad.place.y - visitor.pose.y
        way = math.hypot(x, y)
        if way > SNUG:
            self.drift[visitor] = PULL * x / way, PULL * y / way
            return
        visitor.pose, visitor.layer, visitor.mask = pad.place, SUNK, 0
        self.now.add("sunk")
        self.play_sound("sink")
        if not crate.is_paid:
            crate.is_paid = True
            self.earn(CRATE)

    def rewind(self) -> None:
        """Go back by some frames."""
        for _ in range(min(WINDING, len(self.tape))):
            moment = self.tape.pop()
        self.world.restore(moment.world)
        for machine, state in zip(self.machines, moment.machines, strict=True):
            machine.heading, machine.rest, machine.jam = state
        self.drift, self.jams, self.events = moment.drift, {}, ()
        self.now.add("rewound")

    def clear_hall(self) -> None:
        """Go on to the next hall."""
        self.counts["cleared"] += 1
        self.earn(SECOND * (self.clock // 60))
        self.number += 1
        self.play_sound("clear")
        self.wait("All stowed!", 70, self.build)

    def lose(self, message: str, then: Callable[[], None]) -> None:
        """Lose a life, and after the last one the game."""
        self.lives -= 1
        if self.lives:
            self.wait(message, 40, then)
            return
        self.counts["lost"] += 1
        self.play_sound("over")
        self.wait(f"{message} Game over", 120, self.start_again)

    def wait(self, message: str, frames: int, then: Callable[[], None]) -> None:
        """Stand still for some frames, for the player to see why."""
        self.message, self.pause, self.then = message, frames, then

    def unpause(self) -> None:
        """Go on."""
        self.message = ""

    def start_again(self) -> None:
        """Start another game after a lost one."""
        self.score = 0
        self.setup()

    def count(self) -> None:
        """Count what begins in this frame."""
        for name in self.now:
            self.counts[name] += self.seen.get(name, -2) < self.frame - 1
            self.seen[name] = self.frame

    def show(self, controls: Controls) -> None:
        """Put the pictures where the bodies are."""
        for each in (*self.crates, *self.machines):
            each.sprite.position = each.body.pose.x, each.body.pose.y
        for crate in self.crates:
            crate.sprite.visible = not crate.is_sunk
        done = {crate.colour for crate in self.crates if crate.is_sunk}
        for pad in self.pads:
            pad.sprite.texture = art.pad(pad.colour, pad.colour in done)
        if controls.x:
            self.looks = self.rightward if controls.x > 0 else self.leftward
        x, y = self.robot.pose.x, self.robot.pose.y
        if controls.y > 0 and not controls.x:
            name = f"climb{int(y // 16) % 2}"
        else:
            name = f"walk{int((x - y) // 8) % 8}" if controls.x or controls.y else "idle"
        self.you.texture = self.looks[name]
        self.you.center_x, self.you.bottom = x, y - 18
        self.you.color = JAM if "crushed" in self.now else arcade.color.WHITE

    def draw(self) -> None:
        """Draw the frame."""
        self.scenery.draw()
        self.draw_belts()
        self.floor.draw()
        for machine in self.machines:
            if machine.track.kind == "piston":
                home, head = machine.stops[0], machine.body.pose
                arcade.draw_line(home.x, home.y, head.x, head.y, EDGE, 16)
        self.tops.draw()
        self.movers.draw()
        jammed = [line for crate, sides in self.jams.items() for line in edges(crate.body, sides)]
        arcade.draw_lines(jammed, JAM, 5)
        for machine in self.machines:
            if machine.heading and 0 < machine.rest < LAMP and machine.rest % 10 < 5:
                arcade.draw_circle_filled(machine.body.pose.x, machine.body.pose.y, 15, JAM.replace(a=110))
                arcade.draw_circle_filled(machine.body.pose.x, machine.body.pose.y, 8, JAM)
        self.draw_tape()

    def draw_belts(self) -> None:
        """Draw the arrows on the belts, which move."""
        points = []
        way = BELT * self.frame % (TILE / 2) - TILE / 4
        for cell, letter in self.plan.items():
            if letter in BELTS:
                (across, up), middle = BELTS[letter], place(cell)
                for start in (way - TILE / 4, way + TILE / 4):
                    x, y = middle.x + start * across, middle.y + start * up
                    for turn in (-9, 9):
                        points += [(x, y), (x - 7 * across + turn * up, y - 7 * up + turn * across)]
        arcade.draw_lines(points, ARROW, 3)

    def draw_tape(self) -> None:
        """Draw how much can be rewound, and a veil while it is."""
        if "rewound" in self.now:
            arcade.draw_lrbt_rectangle_filled(0, WIDTH, 0, HEIGHT - BAR, REWOUND)
            arcade.draw_lines([(x, y) for y in range(self.frame % 12, HEIGHT - BAR, 12) for x in (0, WIDTH)], REWOUND, 2)
        arcade.draw_lrbt_rectangle_filled(12, 136, 8, 18, INK)
        if self.tape:
            arcade.draw_lrbt_rectangle_filled(14, 14 + 120 * len(self.tape) / TAPE, 10, 16, SPARK)

    def draw_debug(self) -> None:
        """Draw shapes, sides and normals as Impinge sees them, who pushes whom, and the ranks."""
        draw_debug(self)
        for event in self.foreman.pushes:
            (across, up), start, end = event.normal, event.mighty.pose, event.weak.pose
            x, y = end.x - BESIDE * up, end.y + BESIDE * across
            arcade.draw_line(start.x - BESIDE * up, start.y + BESIDE * across, x, y, PUSH, 4)
            tip, left, right = ((x + a * across - b * up, y + a * up + b * across) for a, b in ARROWHEAD)
            arcade.draw_triangle_filled(*tip, *left, *right, PUSH)
        self.rank.position = self.robot.pose.x, self.robot.pose.y - 6
        self.rank.draw()

    def shows(self) -> str:
        """Explain what is happening, or was a moment ago."""
        for name, line in LINES.items():
            if self.frame - self.seen.get(name, -LINGER) < LINGER:
                return line.format(**self.words)
        return "Ranks: machines 20 push iron 11 to 13, iron pushes you, 10, and you push wood, 1 to 9. Nobody pushes back."

    def scores(self) -> str:
        """Count the points, the lives, the time."""
        wooden = [crate for crate in self.crates if crate.colour]
        return (
            f"Score {self.score}, best {self.best}      Hall {self.number + 1}: {self.level.name}      "
            f"Crates {sum(crate.is_sunk for crate in wooden)} of {len(wooden)}      Lives {self.lives}      "
            f"Clock {math.ceil(self.clock / 60)}      Longest chain {self.longest}"
        )

    def summary(self) -> str:
        """Say what happened, in a line."""
        counts = ", ".join(f"{count} {name}" for name, count in self.counts.items())
        return f"{self.frame} frames, score {self.score}, best {self.best}, longest chain {self.longest}, {counts}"

    def state(self) -> dict[str, Any]:
        """Tell where everybody is, and what has happened."""
        return {
            "places": [(body.pose.x, body.pose.y, body.might, body.mask) for body in self.world],
            "machines": [(machine.heading, machine.rest, machine.jam) for machine in self.machines],
            "counts": self.counts,
            "game": [self.score, self.best, self.lives, self.number, self.clock, len(self.tape), self.longest],
        }


def place(cell: tuple[int, int]) -> im.Pose:
    """Return the middle of a cell."""
    return im.Pose((cell[0] + 0.5) * TILE, (cell[1] + 0.5) * TILE)


def clamped(value: float, most: float) -> float:
    """Return the nearest value from -most to most."""
    return max(-most, min(most, value))


def held_back(start: im.Pose, goal: im.Pose, normal: tuple[float, float], part: float) -> im.Pose:
    """Return a goal with only this part of the way along a normal."""
    lead = max(0.0, (goal.x - start.x) * normal[0] + (goal.y - start.y) * normal[1])
    return im.Pose(goal.x - (1 - part) * lead * normal[0], goal.y - (1 - part) * lead * normal[1])


def edges(body: im.Body, sides: im.Side) -> list[tuple[float, float]]:
    """Return lines along some sides of a body."""
    left, bottom, right, top = body.shape.bounds(body.pose)
    corners = {
        im.Side.LEFT: [(left, bottom), (left, top)],
        im.Side.RIGHT: [(right, bottom), (right, top)],
        im.Side.BOTTOM: [(left, bottom), (right, bottom)],
        im.Side.TOP: [(left, top), (right, top)],
    }
    return [point for side in sides for point in corners[side]]


def sprite(texture: arcade.Texture, x: float = 0.0, y: float = 0.0) -> arcade.Sprite:
    """Make a sprite of a picture that was painted for this game."""
    return arcade.Sprite(texture, 1 / art.SHARP, x, y)


def sprites(members: Iterator[arcade.Sprite]) -> arcade.SpriteList[arcade.Sprite]:
    """Make a sprite list."""
    made: arcade.SpriteList[arcade.Sprite] = arcade.SpriteList()
    made.extend(members)
    return made
