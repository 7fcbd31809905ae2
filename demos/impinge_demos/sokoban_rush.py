"""Sokoban in real time: trains push iron, iron pushes you, you push crates, and crates push lighter crates.

`python -m impinge_demos sokoban_rush` starts it. Halls are in `sokoban_rush_halls`, drawing in `sokoban_rush_looks`.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import impinge as im
from impinge import Side
from impinge.hooks import Touch
from impinge_demos.controls import Controls
from impinge_demos.demo import WIDTH, Demo
from impinge_demos.sokoban_rush_bot import Bot
from impinge_demos.sokoban_rush_halls import BELTS, COLOURS, HALLS, TILE, Track, middle, plan_of
from impinge_demos.sokoban_rush_looks import FLOORING, Picture

# Ranks: the higher might pushes. Each crate has its own, because bodies of equal might pass through each other.
WALL, MACHINE, YOU = 30, 20, 10
IRON = {"I": 11, "J": 12}
COUPLING = "J"  # the iron whose left and right sides are sticky
WOOD = range(1, 10)

# Bits of `layer` and `mask`. A crate in its pad has the layer SUNK, which no mask has.
SOLID, POSTS, FLOOR, SUNK = 1, 2, 4, 8

# Speeds are pixels a frame, and a frame is 1/60 s.
WALK = 3.0
BELT = 2.0
PULL = 2.0  # pixels a frame by which a pad pulls its crate
SNUG = 3.0  # distance in pixels from a crate's middle to its pad's at which the crate sinks in
PATIENCE = 20  # frames for which a machine is jammed before it turns back
TAPE = 120  # frames of the past that a rewind can reach
WINDING = 2  # frames of the past that one frame of rewinding takes back
TRIES = 8  # attempts at a frame, after which everything stands still in it
LIVES = 3
PER_CRATE, PER_SECOND, PER_RANK = 50, 2, 10  # points; the last for each body in the longest chain


def block(width: float, chamfer: float) -> im.Polygon:
    """Return a square with its corners cut off, so that it slips past other corners."""
    far, near = width / 2, width / 2 - chamfer
    corners = [(-near, -far), (near, -far), (far, -near), (far, near)]
    return im.Polygon([*corners, *((-x, -y) for x, y in corners)])


CRATE_SHAPE, ROBOT_SHAPE = block(40, 5), block(32, 8)
HEAD = 22.0  # pixels from the middle of a machine to its front


@dataclass(eq=False)
class Crate:
    """A crate of wood, or a block of iron, which has no colour and no pad."""

    body: im.Body
    colour: str = ""
    is_paid: bool = False  # it earns points once, even after a rewind

    @property
    def is_sunk(self) -> bool:
        """Return whether the crate is in its pad, and part of the floor."""
        return self.body.layer == SUNK


@dataclass(eq=False)
class Pad:
    """The place for the crate of one colour."""

    place: im.Pose
    colour: str

    def pull(self, body: im.Body) -> tuple[float, float]:
        """Return the displacement by which it pulls its crate in a frame."""
        x, y = self.place.x - body.pose.x, self.place.y - body.pose.y
        way = math.hypot(x, y)
        return (PULL * x / way, PULL * y / way) if way > SNUG else (0.0, 0.0)


@dataclass(eq=False)
class Belt:
    """A cell of a conveyor belt."""

    place: im.Pose
    across: int
    up: int

    def pull(self, body: im.Body) -> tuple[float, float]:
        """Return the displacement of a body in a frame: along the belt, and towards its middle line."""
        x, y = (max(-1.0, min(1.0, way)) for way in (self.place.x - body.pose.x, self.place.y - body.pose.y))
        return (BELT * self.across, y) if self.across else (x, BELT * self.up)


@dataclass(eq=False)
class Machine:
    """A machine that moves to and fro on its track. Nothing pushes it; it stops where a crate is stuck."""

    track: Track
    stops: tuple[im.Pose, im.Pose]
    body: im.Body
    rest: int
    heading: int = 1  # index of the stop that it moves to
    jam: int = 0

    def goal(self) -> im.Pose:
        """Return the pose that it aims at for the frame's end."""
        start, stop = self.body.pose, self.stops[self.heading]
        x, y = stop.x - start.x, stop.y - start.y
        speed = self.track.speed if self.heading else self.track.speed / 2
        part = 0.0 if self.rest else min(1.0, speed / (math.hypot(x, y) or 1.0))
        return im.Pose(start.x + part * x, start.y + part * y)

    def go_on(self, is_jammed: bool) -> None:
        """Turn back at the ends of the track, and after a long jam."""
        self.jam = self.jam + 1 if is_jammed else 0
        if self.rest:
            self.rest -= 1
        elif self.body.pose == self.stops[self.heading] or self.jam > PATIENCE:
            self.heading = 1 - self.heading
            self.rest = self.track.rest if self.heading else 10
            self.jam = 0


class Foreman:
    """A plugin that records the pushes of a frame and counts the blows of machines."""

    def __init__(self) -> None:
        self.pushes: list[im.Event] = []
        self.blows = 0

    @im.hookimpl
    def impinge_frame_begin(self) -> None:
        """Forget the last frame, which may be an earlier attempt at this one."""
        self.pushes, self.blows = [], 0

    @im.hookimpl
    def impinge_begin(self, contact: Touch) -> None:
        """Count a blow of a machine. A contact that lasts into the next frame does not begin again."""
        self.blows += contact.mighty.might == MACHINE

    @im.hookimpl
    def impinge_pushed(self, event: im.Event) -> None:
        """Record a push."""
        self.pushes.append(event)

    def chain(self) -> list[im.Body]:
        """Return the longest chain of bodies that push each other, the highest might first."""
        chains: dict[im.Body, list[im.Body]] = {}
        for event in sorted(self.pushes, key=lambda event: -event.mighty.might):
            chain = [*chains.get(event.mighty, [event.mighty]), event.weak]
            if len(chain) > len(chains.get(event.weak, [])):
                chains[event.weak] = chain
        return max(chains.values(), key=len, default=[])

    def drivers(self, jam: im.Event) -> dict[im.Body, im.Event]:
        """Return the bodies whose pushes led to a jam, each with its push."""
        found: dict[im.Body, im.Event] = {}
        ahead = [jam]
        while ahead:
            event = ahead.pop()
            if event.mighty not in found:
                found[event.mighty] = event
                ahead += [push for push in self.pushes if push.weak is event.mighty]
        return found


class Moment(NamedTuple):
    """A state for rewinding: the world as bytes, and the game's state outside the world."""

    world: bytes
    machines: list[tuple[int, int, int]]
    drift: dict[im.Body, tuple[float, float]]


# What the HUD explains, most important first. An event counts when it begins; its line stays for LINGER frames.
LINES = {
    "rewound": "world.restore(snapshot): all bodies go back frame by frame, bit for bit. The clock runs on.",
    "crushed": "Stuck: no room for you between {sides}, says body.stuck. So the world goes back by its last snapshots.",
    "chained": "A chain in one frame: {chain}. Each pushes the next lower rank, by the way that it really took.",
    "jammed": "frame.stuck_events: a crate (red) has no room. The frame is repeated; the pushing bodies stop there.",
    "sunk": "A pad is a sensor: it does not push. It takes the crate of its colour from frame.sensed.",
    "pulled": "The tug's front is sticky: what touches it is pulled along as well, until something holds it back.",
    "carried": "Belts are sensors too: bodies in frame.sensed drift along in the next frame.",
    "pushed": "You, of rank 10, push wood of ranks 1 to 9. A crate pushes lower numbers and stops at higher ones.",
}
RANKS = "Machines, rank 20, push iron, 11 and 12; iron pushes you, 10; you push wood, 1 to 9. None push back."
LINGER = 80  # frames


class Game(Demo):
    """A hall, the bodies in it, and the clock."""

    title = "Sokoban rush: ranks that push each other"
    keys = "arrows or WASD walk and push     hold shift to rewind"
    background = FLOORING
    sounds: ClassVar = {
        "blow": "hit2",
        "jam": "error2",
        "sink": "coin2",
        "crush": "hurt2",
        "clear": "upgrade1",
        "over": "gameover2",
    }

    def __init__(self, seed: int = 0, sound: bool = False) -> None:
        self.counts = dict.fromkeys([*LINES, "cleared", "lost"], 0)
        self.longest = 0
        super().__init__(seed, sound)

    def autoplay(self) -> Callable[[], Controls]:
        """Return controls that play the game."""
        return Bot(self)

    def setup(self) -> None:
        """Start with the first hall."""
        self.lives, self.number = LIVES, 0
        self.build()

    def build(self) -> None:
        """Start a hall. The seed decides on mirroring, the ranks of crates, and the start times of machines."""
        self.hall = HALLS[self.number % len(HALLS)]
        self.rush = 1.0 + 0.2 * (self.number // len(HALLS))  # faster each time round the halls
        self.clock = round(60 * self.hall.seconds / self.rush)
        self.message, self.pause, self.then = "", 0, self.build
        self.is_unwinding = False
        self.now: set[str] = set()  # names of `LINES`
        self.seen: dict[str, int] = {}  # the last frame of each name
        self.words = {"chain": "", "sides": ""}
        self.record = 3  # bodies in the longest chain of this hall; only longer ones earn points
        self.jams: dict[im.Body, Side] = {}
        self.tape: deque[Moment] = deque(maxlen=TAPE)
        self.drift: dict[im.Body, tuple[float, float]] = {}
        self.events: Sequence[im.Event] = ()
        self.is_mirrored = self.random.random() < 0.5
        self.plan = plan_of(self.hall, self.is_mirrored)
        self.build_world()
        self.picture = Picture(self)

    def build_world(self) -> None:
        """Add all bodies with their ranks, layers and masks."""
        self.world = im.World()
        self.foreman = Foreman()
        self.world.register(self.foreman)
        self.crates: list[Crate] = []
        self.pads: list[Pad] = []
        ranks = dict(zip(COLOURS, self.random.sample(WOOD, len(COLOURS)), strict=True))
        for cell, letter in self.plan.items():
            here = middle(cell)
            if letter in "#%":
                layer = SOLID if letter == "#" else POSTS
                self.world.add(im.Box(TILE, TILE), here, might=WALL, layer=layer, mask=0)
            elif letter in BELTS:
                line = im.Box(*(TILE if way else 4.0 for way in BELTS[letter]))
                self.add_sensor(line, Belt(here, *BELTS[letter]))
            elif letter.lower() in COLOURS and letter.isupper():
                self.pads.append(Pad(here, letter.lower()))
                self.add_sensor(im.Circle(6), self.pads[-1])
            elif letter in IRON:
                body = self.add_pushed(CRATE_SHAPE, here, IRON[letter], SOLID | POSTS)
                body.sticky = Side.LEFT | Side.RIGHT if letter == COUPLING else Side.NONE
                self.crates.append(Crate(body))
            elif letter in COLOURS:
                body = self.add_pushed(CRATE_SHAPE, here, ranks[letter], SOLID | POSTS | FLOOR)
                self.crates.append(Crate(body, letter))
            elif letter == "@":
                self.robot = self.add_pushed(ROBOT_SHAPE, here, YOU, SOLID | FLOOR)
        for crate in self.crates:
            crate.body.data = crate
        self.machines = [self.add_machine(track) for track in self.hall.tracks]

    def add_pushed(self, shape: im.Polygon, here: im.Pose, might: int, mask: int) -> im.Body:
        """Add a body that is pushed and pushes. Bodies that slide along it are not carried sideways."""
        return self.world.add(shape, here, might, SOLID, mask, carrying=Side.NONE)

    def add_sensor(self, shape: im.Box | im.Circle, data: Belt | Pad) -> None:
        """Add a part of the floor as a sensor."""
        self.world.add(shape, data.place, layer=FLOOR, mask=0, response="sensor", data=data)

    def add_machine(self, track: Track) -> Machine:
        """Add a machine. Its mask is 0, so nothing stops it, not even the wall that a piston comes out of."""
        track = track.mirrored(WIDTH // TILE) if self.is_mirrored else track
        across, up = track.direction
        stops = middle(track.home), middle(track.far)
        rod = abs(stops[1].x - stops[0].x) + abs(stops[1].y - stops[0].y) if track.kind == "piston" else 0.0
        corners = [(-HEAD - rod, -HEAD), (HEAD, -HEAD), (HEAD, HEAD), (-HEAD - rod, HEAD)]
        shape = im.Polygon([(across * x - up * y, up * x + across * y) for x, y in corners])
        front = {(-1, 0): Side.LEFT, (1, 0): Side.RIGHT, (0, -1): Side.BOTTOM, (0, 1): Side.TOP}[across, up]
        sticky = front if track.kind == "tug" else Side.NONE
        body = self.world.add(shape, stops[0], MACHINE, mask=0, carrying=Side.NONE, sticky=sticky)
        track = track._replace(speed=track.speed * self.rush)
        return Machine(track, stops, body, rest=self.random.randrange(30, 30 + track.rest))

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
        self.count()
        self.picture.show(controls)
        if not self.clock and not self.pause:
            self.lose("Time is up!", self.build)

    def goals(self, controls: Controls) -> dict[im.Body, im.Pose]:
        """Return the goals of all moving bodies for the frame's end."""
        goals = {machine.body: machine.goal() for machine in self.machines}
        for body, (x, y) in self.drift.items():
            goals[body] = im.Pose(body.pose.x + x, body.pose.y + y)
        start, pace = goals.get(self.robot, self.robot.pose), WALK / max(1.0, math.hypot(controls.x, controls.y))
        goals[self.robot] = im.Pose(start.x + pace * controls.x, start.y + pace * controls.y)
        return goals

    def step(self, goals: dict[im.Body, im.Pose]) -> im.Frame:
        """Take a frame. If a crate is stuck, restore the world, limit its drivers' goals, and repeat the frame."""
        self.jams = {}
        stopped: set[im.Body] = set()
        for attempt in range(TRIES):
            for body, goal in goals.items():
                body.goal = goal
            frame = self.world.step()
            jams = [event for event in frame.stuck_events if event.weak is not self.robot]
            if not jams:
                break
            for jam in jams:
                self.jams[jam.weak] = self.jams.get(jam.weak, Side.NONE) | jam.side
            drivers = [(body, push, jam.time) for jam in jams for body, push in self.foreman.drivers(jam).items()]
            self.world.restore(self.tape[-1].world)
            for body, push, time in drivers:
                if body in goals:
                    # Up to the jam. If another body moves in even so, the next attempts stop the drivers completely.
                    goals[body] = held_back(body.pose, goals[body], push.normal, 0.0 if attempt else time)
                    stopped.add(body)
        for machine in self.machines:
            machine.go_on(machine.body in stopped)
        return frame

    def react(self, frame: im.Frame) -> None:
        """React to the events of a frame."""
        self.events, self.drift = frame.events, {}
        for event in frame.sensed:
            self.sense(event.weak, event.mighty.data)
        tugs = [machine.body for machine in self.machines if machine.track.kind == "tug"]
        happened = {
            "carried": any(isinstance(event.mighty.data, Belt) for event in frame.sensed),
            "pulled": any(event.speed < 0 and event.mighty in tugs for event in frame.pushes),
            "pushed": any(event.mighty is self.robot for event in self.foreman.pushes),
            "jammed": bool(self.jams),
            "crushed": bool(self.robot.stuck),
        }
        self.now |= {name for name, is_so in happened.items() if is_so}
        self.praise(self.foreman.chain())
        if self.foreman.blows:
            self.play_sound("blow")
        if self.robot.stuck:
            self.words["sides"] = " and ".join(str(side.name) for side in self.robot.stuck)
            self.is_unwinding = True
            self.play_sound("crush")
            self.lose("Crushed!", self.go_on)
        elif all(crate.is_sunk for crate in self.crates if crate.colour):
            self.clear_hall()

    def sense(self, body: im.Body, part: Belt | Pad) -> None:
        """Move a body that is on a belt or a pad. A crate sinks into its pad, and then nothing collides with it."""
        crate = body.data
        if isinstance(part, Belt):
            self.drift[body] = part.pull(body)
        elif isinstance(crate, Crate) and crate.colour == part.colour:
            self.drift[body] = part.pull(body)
            if self.drift[body] == (0.0, 0.0):
                del self.drift[body]
                body.pose, body.layer, body.mask = part.place, SUNK, 0
                self.now.add("sunk")
                self.play_sound("sink")
                self.earn(0 if crate.is_paid else PER_CRATE)
                crate.is_paid = True

    def praise(self, chain: list[im.Body]) -> None:
        """Show a chain of four and more bodies, and give points for the longest in this hall."""
        if len(chain) > 3:
            self.now.add("chained")
            self.words["chain"] = " > ".join("you" if body is self.robot else str(body.might) for body in chain)
        if len(chain) > self.record:
            self.record = len(chain)
            self.longest = max(self.longest, self.record)
            self.earn(PER_RANK * self.record)

    def rewind(self) -> None:
        """Rewind by WINDING frames."""
        for _ in range(min(WINDING, len(self.tape))):
            moment = self.tape.pop()
        self.world.restore(moment.world)
        for machine, (heading, rest, jam) in zip(self.machines, moment.machines, strict=True):
            machine.heading, machine.rest, machine.jam = heading, rest, jam
        self.drift, self.jams, self.events, self.foreman.pushes = moment.drift, {}, (), []
        self.now.add("rewound")

    def clear_hall(self) -> None:
        """Go on to the next hall."""
        self.counts["cleared"] += 1
        self.earn(PER_SECOND * (self.clock // 60))
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
        """Pause for some frames, so that the player sees the reason."""
        self.message, self.pause, self.then = message, frames, then

    def go_on(self) -> None:
        """Continue after a message."""
        self.message = ""

    def start_again(self) -> None:
        """Start another game after the last life."""
        self.score = 0
        self.setup()

    def count(self) -> None:
        """Count the events that begin in this frame."""
        if "jammed" in self.now and self.seen.get("jammed", -2) < self.frame - 1:
            self.play_sound("jam")
        for name in LINES:
            if name in self.now:
                self.counts[name] += self.seen.get(name, -2) < self.frame - 1
                self.seen[name] = self.frame

    def draw(self) -> None:
        """Draw the frame."""
        self.picture.draw()

    def draw_debug(self) -> None:
        """Draw shapes, sides and normals as Impinge sees them, and an arrow for each push."""
        self.picture.draw_debug()

    def shows(self) -> str:
        """Return the line that explains what is happening, or what happened a moment ago."""
        for name, line in LINES.items():
            if self.frame - self.seen.get(name, -LINGER) < LINGER:
                return line.format(**self.words)
        return RANKS

    def scores(self) -> str:
        """Return the line with points, lives and time."""
        wooden = [crate for crate in self.crates if crate.colour]
        return (
            f"Score {self.score}, best {self.best}      Hall {self.number + 1}: {self.hall.name}      "
            f"Crates {sum(crate.is_sunk for crate in wooden)} of {len(wooden)}      Lives {self.lives}      "
            f"Clock {math.ceil(self.clock / 60)}      Longest chain {self.longest}"
        )

    def summary(self) -> str:
        """Return a line that sums up the game."""
        counts = ", ".join(f"{count} {name}" for name, count in self.counts.items())
        return f"{self.frame} frames, best score {self.best}, longest chain {self.longest}, {counts}"

    def state(self) -> dict[str, Any]:
        """Return all positions, states and counts."""
        return {
            "places": [(body.pose.x, body.pose.y, body.might, body.mask) for body in self.world],
            "machines": [(machine.heading, machine.rest, machine.jam) for machine in self.machines],
            "counts": self.counts,
            "game": [self.score, self.best, self.lives, self.number, self.clock, len(self.tape), self.longest],
        }


def held_back(start: im.Pose, goal: im.Pose, normal: tuple[float, float], part: float) -> im.Pose:
    """Return a goal with only a part of the displacement along a normal."""
    lead = max(0.0, (goal.x - start.x) * normal[0] + (goal.y - start.y) * normal[1])
    return im.Pose(goal.x - (1 - part) * lead * normal[0], goal.y - (1 - part) * lead * normal[1])
