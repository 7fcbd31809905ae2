"""Concave rocks that turn, bullets that cross the room in four frames, and cuts along their exact lines.

`python -m impinge_demos shards` starts it. Sounds are Kenney's (kenney.nl); Arcade brings them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import Enum
from functools import cached_property
from typing import Any, NamedTuple

from arcade.shape_list import Shape, ShapeElementList

from impinge import (
    Bounce,
    Box,
    Circle,
    Compound,
    Impact,
    Motion,
    Polygon,
    Pose,
    RigidBody,
    bounce,
    distance,
    penetrates,
    sweep,
)
from impinge_demos.controls import Controls
from impinge_demos.demo import BAR, HEIGHT, SPARK, WIDTH, Demo
from impinge_demos.shards_bot import Bot
from impinge_demos.shards_looks import BLUE, BORDER, EMBER, GREY, NIGHT, WALL, Looks, Streak, picture
from impinge_demos.shards_rocks import (
    ARROW,
    Vector,
    around,
    centred,
    crescent,
    cut,
    dot,
    hull,
    measured,
    minus,
    nut,
    placed,
    star,
)

# The room within its walls, in pixels.
LEFT, RIGHT, BOTTOM, TOP = BORDER, WIDTH - BORDER, 24 + BORDER, HEIGHT - BAR - BORDER
THICK = 400.0  # pixels of wall: far more than is seen
ROOM = Compound(
    [
        (Box(THICK, 2 * HEIGHT), Pose(LEFT - THICK / 2, HEIGHT / 2)),
        (Box(THICK, 2 * HEIGHT), Pose(RIGHT + THICK / 2, HEIGHT / 2)),
        (Box(2 * WIDTH, THICK), Pose(WIDTH / 2, BOTTOM - THICK / 2)),
        (Box(2 * WIDTH, THICK), Pose(WIDTH / 2, TOP + THICK / 2)),
    ]
)
BULLET = Circle(2)
MUZZLE = 24.0  # pixels from the ship's middle: where a bullet leaves the barrel

# Speeds are pixels a frame, spins radians a frame, and a frame is 1/60 s.
SPEED = 240.0  # of bullets
THRUST, BRAKE, DRAG, TURN = 0.11, 0.94, 0.985, 0.065  # of the ship
FASTEST, MOST_SPIN = 3.6, 0.08  # of rocks
DRIFT = 1.0, 2.0  # the speeds of rocks when they come
PART = 0.8  # with which both sides of a cut part
GENTLE = 1.4  # by which a touch may change the ship's speed without harm

# A square pixel of stone has a mass of 1.
STEEL_DENSITY, SHIP_MASS, BULLET_MASS = 3.0, 1200.0, 4.0
DUST = 700.0  # square pixels: what is smaller goes up in dust

RICOCHETS = 3  # after which a bullet is spent
LIVES = 3
RELOAD, SAFE, PAUSE, DARING = 9, 90, 100, 20  # frames: from shot to shot, after a hit, after the last, in a hollow
SHIELD, CHARGE, CHARGE_IN_HOLLOW = 90.0, 0.1, 0.6  # frames that the shield lasts, and what it wins in one
SPLIT, CRUMBLE, DARE, CLEAR = 10, 20, 50, 100  # points
ROOMY, FAR = 24.0, 140.0  # pixels that a new rock keeps from all others, and from the ship
AHEAD = 6  # frames that the aim looks ahead: enough for a bullet to cross the room
READ = 110  # frames that a line stays to be read

AIMING = "The aim line is impinge.sweep: where the bullet will strike, among rocks that move and turn meanwhile."
BOUNCING = "impinge.bounce: rocks of any outline rebound and spin, several times in one frame where they must."
SHOOTING = "A bullet flies 240 pixels in a frame, 14,400 in a second. The thinnest shard stops it."
HOLLOW = "In the hollow: within the hull of a concave rock, and yet untouched. Here the shield charges."


class Kind(Enum):
    """What a thing is, and the colour of its sparks."""

    ROOM = WALL
    SHIP = BLUE
    STONE = EMBER
    STEEL = GREY
    BULLET = SPARK


class Thing:
    """A body of the game."""

    def __init__(self, kind: Kind, body: RigidBody) -> None:
        self.kind, self.body = kind, body
        self.ricochets = 0
        self.trail = body.pose.x, body.pose.y  # where the streak of a bullet goes on from
        self.dared, self.is_settled = 0, False  # frames that the ship was within its hull; whether that can still pay

    @property
    def outline(self) -> list[Vector]:
        """The corners where they are now."""
        assert isinstance(self.body.shape, Polygon)
        return placed(self.body.shape.vertices, self.body.pose)

    @cached_property
    def hull(self) -> Polygon:
        """What a stretched band around it would hold: its hollows too."""
        assert isinstance(self.body.shape, Polygon)
        return Polygon(hull(self.body.shape.vertices))

    @cached_property
    def picture(self) -> ShapeElementList[Shape]:
        """How it looks."""
        assert isinstance(self.body.shape, Polygon)
        return picture(self.body.shape, self.kind.value)

    @property
    def breaks(self) -> bool:
        """Whether bullets cut it."""
        return self.kind is Kind.STONE

    def ahead(self, frames: float) -> Motion:
        """Give its way through the next frames, if nothing is in between."""
        pose, (vx, vy) = self.body.pose, self.body.velocity
        return Motion(pose, Pose(pose.x + frames * vx, pose.y + frames * vy, pose.angle + frames * self.body.spin))


class Aim(NamedTuple):
    """What a bullet would strike that was fired now: from where, which thing, how, and after how many frames."""

    start: Vector
    thing: Thing
    impact: Impact
    frames: float


class Game(Demo):
    """The room, and what happens in it."""

    title = "Shards: concave rocks, exact cuts"
    keys = "left and right turn     up thrusts, down brakes     space fires     shift holds the shield"
    background = NIGHT
    sounds = {  # noqa: RUF012
        "shot": "laser2",
        "split": "rockHit2",
        "ricochet": "hit3",
        "hurt": "hurt3",
        "lost": "gameover3",
        "wave": "upgrade4",
    }

    def __init__(self, seed: int = 0, sound: bool = False) -> None:
        self.life = self.shots = self.splits = self.parts = self.crumbled = self.ricochets = 0
        self.bumps = self.shielded = self.struck = self.lost = self.hollows = self.dares = self.cleared = 0
        self.looks = Looks()
        self.line, self.line_frame = "", -READ
        super().__init__(seed, sound)

    def autoplay(self) -> Callable[[], Controls]:
        """Give controls that play the game by themselves."""
        return Bot(self)

    def setup(self) -> None:
        """Start with the ship in the hollow of a steel crescent."""
        self.life += 1
        self.wave = self.pause = self.reload = self.safe = 0
        self.lives, self.shield = LIVES, SHIELD
        self.is_shielded = self.is_thrusting = False
        self.hollow: Thing | None = None
        self.aim: Aim | None = None
        middle = Pose(WIDTH / 2, (BOTTOM + TOP) / 2, self.random.uniform(-math.pi, math.pi))
        # No impact turns the ship: its inertia is infinite, its mass is not.
        arrow = Polygon(centred(ARROW)[0])
        body = RigidBody(arrow, middle, mass=SHIP_MASS, inertia=math.inf, restitution=0.3)
        self.ship: Thing | None = Thing(Kind.SHIP, body)
        self.room = Thing(Kind.ROOM, RigidBody(ROOM, Pose(0, 0), friction=0.2))
        self.harbour = make_rock(Kind.STEEL, crescent(self.random, 100, 70, 0.8, 14), middle)
        self.rocks = [self.harbour]
        self.bullets: list[Thing] = []
        self.next_wave()

    def next_wave(self) -> None:
        """Let rocks come, more and faster ones each time."""
        self.wave += 1
        self.message, self.message_frame = f"Wave {self.wave}", self.frame
        steel = min(2 + self.wave // 2, 5) - sum(rock.kind is Kind.STEEL for rock in self.rocks)
        for number in range(min(3 + self.wave, 8)):
            if number % 3 == 1:
                self.let_in(Kind.STONE, crescent(self.random), 0.4)
            else:
                self.let_in(Kind.STONE, star(self.random), 1.0 + 0.1 * self.wave)
        for _ in range(steel):
            self.let_in(Kind.STEEL, nut(self.random), 1.0)

    def let_in(self, kind: Kind, outline: Sequence[Vector], haste: float) -> None:
        """Put a rock somewhere, apart from all others; leave it out if there is hardly such a place."""
        chance = self.random
        velocity = around(chance.uniform(0, math.tau), haste * chance.uniform(*DRIFT))
        spin = haste * chance.uniform(-0.03, 0.03)
        for _ in range(100):
            pose = Pose(chance.uniform(LEFT, RIGHT), chance.uniform(BOTTOM, TOP), chance.uniform(0, math.tau))
            new = make_rock(kind, outline, pose, velocity, spin)
            if all(gap(new, other) > (FAR if other.kind is Kind.SHIP else ROOMY) for other in self.things()):
                self.rocks.append(new)
                self.burst(kind, new.outline, (new.body.pose.x, new.body.pose.y))
                return

    def things(self) -> list[Thing]:
        """List all bodies. `bounce` names two that meet by their places in here: a bullet is never the first."""
        ship = [] if self.ship is None else [self.ship]
        return [self.room, *ship, *self.rocks, *self.bullets]

    def play(self, controls: Controls) -> None:
        """Play a frame."""
        if self.pause:
            self.pause -= 1
            if not self.pause:
                self.score = 0
                self.setup()
        elif self.frame - self.message_frame > READ // 2:
            self.message = ""
        if self.ship is not None:
            self.steer(self.ship, controls)
        self.calm_down()
        self.fly()
        for bullet in self.bullets:
            self.leave_streak(bullet, (bullet.body.pose.x, bullet.body.pose.y))
        self.bullets = [bullet for bullet in self.bullets if bullet.ricochets < RICOCHETS]
        if self.ship is not None:
            self.look_around(self.ship)
        if not any(rock.kind is Kind.STONE for rock in self.rocks) and not self.pause:
            self.cleared += 1
            self.earn(CLEAR * self.wave)
            self.play_sound("wave")
            self.next_wave()

    def steer(self, ship: Thing, controls: Controls) -> None:
        """Do what the player wants."""
        x, y = ahead = math.cos(ship.body.pose.angle), math.sin(ship.body.pose.angle)
        drag, thrust = BRAKE if controls.y < 0 else DRAG, THRUST * max(controls.y, 0.0)
        velocity = drag * ship.body.velocity[0] + thrust * x, drag * ship.body.velocity[1] + thrust * y
        ship.body = replace(ship.body, velocity=velocity, spin=-TURN * controls.x)
        self.is_thrusting = thrust > 0.0
        self.is_shielded = controls.second and self.shield >= 1.0
        self.shield -= self.is_shielded
        self.safe = max(self.safe - 1, 0)
        self.reload = max(self.reload - 1, 0)
        if controls.first and not self.reload:
            self.reload = RELOAD
            self.shoot(ship, ahead)

    def calm_down(self) -> None:
        """Keep rocks from getting ever faster by what bullets and the ship give them."""
        for rock in self.rocks:
            (vx, vy), spin = rock.body.velocity, rock.body.spin
            excess = max(math.hypot(vx, vy) / FASTEST, abs(spin) / MOST_SPIN)
            if excess > 1.0:
                rock.body = hastened(rock.body, 1.0 / excess)

    # From here to `look_around` is what the game is about: all that flies, from impact to impact.

    def shoot(self, ship: Thing, direction: Vector) -> None:
        """Fire a bullet, or, where the muzzle is in something already, strike that."""
        self.shots += 1
        self.play_sound("shot")
        pose, (x, y) = ship.body.pose, direction
        muzzle = Pose(pose.x + MUZZLE * x, pose.y + MUZZLE * y)
        bullet = Thing(Kind.BULLET, RigidBody(BULLET, muzzle, (SPEED * x, SPEED * y), mass=BULLET_MASS))
        others = [self.room, *self.rocks]
        barrel = Motion(pose, muzzle)
        hits = sweep(BULLET, barrel, [(other.body.shape, other.body.pose) for other in others])
        if not hits:
            self.bullets.append(bullet)
            return
        struck, impact = others[hits[0].index], hits[0].impact
        if struck.kind is Kind.STONE:
            self.split(struck, bullet, impact.point)
        else:
            self.strew(struck, impact.point, minus((0, 0), impact.normal), 8)

    def fly(self) -> None:
        """Move all things through the frame. When a bullet comes to a stone, time halts for the cut."""
        left = 1.0  # of the frame
        while left > 0.0:
            things = self.things()
            bodies = [hastened(thing.body, left) for thing in things]
            after = bounce(bodies)
            cuts = [number for number, hit in enumerate(after.bounces) if is_cut(things, hit)]
            if cuts:
                first = after.bounces[cuts[0]]
                after = bounce(bodies, most=cuts[0])  # the same again, until the bullet is there
            for thing, body in zip(things, after.bodies, strict=True):
                thing.body = hastened(body, 1.0 / left)
            for hit in after.bounces:
                self.bump(things[hit.a], things[hit.b], hit)
            if not cuts:
                return
            bullet = things[first.b]
            self.leave_streak(bullet, first.impact.point)
            self.bullets.remove(bullet)
            self.strew(things[first.a], first.impact.point, first.impact.normal, 12)
            self.split(things[first.a], bullet, first.impact.point)
            left *= 1.0 - first.time

    def bump(self, a: Thing, b: Thing, hit: Bounce) -> None:
        """See to an impact that `bounce` has answered already: the speeds have changed."""
        impulse = math.hypot(*hit.impulse)
        if b.kind is Kind.BULLET:
            self.ricochets += a.kind is Kind.STEEL
            for bullet in (thing for thing in (a, b) if thing.kind is Kind.BULLET):
                bullet.ricochets += 1
                self.leave_streak(bullet, hit.impact.point)
            self.strew(a, hit.impact.point, hit.impact.normal, 8)
            self.play_sound("ricochet")
        elif a.kind is Kind.SHIP:
            self.touch(b, hit.impact, impulse / SHIP_MASS)
        else:
            self.bumps += 1
            self.strew(b, hit.impact.point, hit.impact.normal, min(int(impulse / 1500), 8))

    def split(self, stone: Thing, bullet: Thing, point: Vector) -> None:
        """Cut a stone along a bullet's line. The parts have its mass, its spin, and its momentum with the bullet's."""
        whole, (bx, by) = stone.body, bullet.body.velocity
        direction = bx / math.hypot(bx, by), by / math.hypot(bx, by)
        normal = -direction[1], direction[0]
        parts = cut(stone.outline, point, direction)
        sizes = [measured(part) for part in parts]
        is_left = [dot(normal, minus(middle, point)) > 0.0 for _, middle in sizes]
        left = sum(area for (area, _), side in zip(sizes, is_left, strict=True) if side)
        kick = BULLET_MASS / whole.mass
        self.rocks.remove(stone)
        for part, (area, middle), side in zip(parts, sizes, is_left, strict=True):
            if area < DUST:
                self.crumbled += 1
                self.earn(CRUMBLE)
                self.burst(Kind.STONE, part, middle)
                continue
            # A part flies as it did within the whole; then the bullet takes it along, and both sides push apart.
            push = PART * (whole.mass - left) / whole.mass if side else -PART * left / whole.mass
            arm = minus(middle, (whole.pose.x, whole.pose.y))
            vx = whole.velocity[0] - whole.spin * arm[1] + kick * bx + push * normal[0]
            vy = whole.velocity[1] + whole.spin * arm[0] + kick * by + push * normal[1]
            self.rocks.append(make_rock(Kind.STONE, part, Pose(0, 0), (vx, vy), whole.spin))
        self.splits += 1
        self.parts += len(parts)
        self.earn(SPLIT)
        self.play_sound("split")
        areas = " and ".join(f"{area:,.0f}" for area, _ in sizes)
        self.say(
            f"Cut along the bullet's line, at its moment in the frame: into {areas} of {whole.mass:,.0f} square pixels."
        )

    def touch(self, rock: Thing, impact: Impact, jolt: float) -> None:
        """See whether a rock that touches the ship does harm."""
        self.strew(rock, impact.point, minus((0, 0), impact.normal), 8)
        rock.is_settled = True
        if jolt <= GENTLE:
            self.say("A gentle touch: it changes the ship's speed by less than 100 pixels a second, and does no harm.")
        elif self.is_shielded or self.safe:
            self.shielded += self.is_shielded
        else:
            self.struck += 1
            self.lives -= 1
            self.safe = SAFE
            corner = "a corner" if impact.feature_b is not None and impact.feature_b.kind == "vertex" else "an edge"
            self.say(f"Struck by {corner} of a rock, at the point of the outline where the sparks fly.")
            self.play_sound("hurt" if self.lives else "lost")

    def look_around(self, ship: Thing) -> None:
        """See what the ship is in, and what it aims at; without lives, it is no more."""
        pose = ship.body.pose
        here, ahead = (pose.x, pose.y), (math.cos(pose.angle), math.sin(pose.angle))
        if not self.lives:
            self.lost += 1
            self.ship = self.aim = self.hollow = None
            self.pause = PAUSE
            self.message = "Shattered!"
            self.burst(Kind.SHIP, 3 * ship.outline, here)
            return
        # No rock overlaps the ship: a rock whose hull holds its middle has it in a hollow.
        before = self.hollow
        self.hollow = next((rock for rock in self.rocks if rock.hull.contains(here, rock.body.pose)), None)
        self.hollows += self.hollow is not before and self.hollow is not None
        self.shield = min(self.shield + (CHARGE_IN_HOLLOW if self.hollow else CHARGE), SHIELD)
        self.dare(ship)
        start = Pose(here[0] + MUZZLE * ahead[0], here[1] + MUZZLE * ahead[1])
        way = AHEAD * SPEED
        end = Pose(start.x + way * ahead[0], start.y + way * ahead[1])
        targets = [self.room, *self.rocks]
        hits = sweep(BULLET, Motion(start, end), [(target.body.shape, target.ahead(AHEAD)) for target in targets])
        first = hits[0]  # there is always a wall
        self.aim = Aim((start.x, start.y), targets[first.index], first.impact, AHEAD * first.impact.time)

    def dare(self, ship: Thing) -> None:
        """Reward who stays between a stone and its hull without a touch; for each stone once."""
        for stone in self.rocks:
            if not stone.breaks or stone.is_settled:
                continue
            is_within = penetrates(stone.hull, stone.body.pose, ship.body.shape, ship.body.pose)
            stone.dared = stone.dared + 1 if is_within else 0
            if stone.dared == DARING:
                stone.is_settled = True
                self.dares += 1
                self.earn(DARE)
                self.say(f"Within the hull of a stone, and the stone has not touched you: {DARE} points for daring.")

    def strew(self, thing: Thing, point: Vector, normal: Vector, count: int) -> None:
        """Let sparks fly off a thing, along the normal of an impact."""
        self.looks.strew(self.random, self.frame, point, normal, count, thing.kind.value)

    def burst(self, thing: Kind, outline: Sequence[Vector], middle: Vector) -> None:
        """Let sparks fly off all corners of an outline."""
        self.looks.burst(self.random, self.frame, outline, middle, thing.value)

    def leave_streak(self, bullet: Thing, end: Vector) -> None:
        """Let a bullet's way be seen up to a point."""
        self.looks.streaks.append(Streak(bullet.trail, end, self.frame))
        bullet.trail = end

    def say(self, line: str) -> None:
        """Explain what just happened, for as long as it takes to read."""
        self.line, self.line_frame = line, self.frame

    @property
    def charge(self) -> float:
        """What the shield has left, from 0 to 1."""
        return self.shield / SHIELD

    def draw(self) -> None:
        """Draw the frame."""
        self.looks.draw(self)

    def draw_debug(self) -> None:
        """Draw the convex pieces, the hulls, the ways ahead, and the last impacts with their normals."""
        self.looks.draw_debug(self)

    def shows(self) -> str:
        """Explain what just happened; in quiet times, one thing after the other."""
        if self.frame - self.line_frame < READ:
            return self.line
        if self.hollow is not None:
            return HOLLOW
        return (AIMING, BOUNCING, SHOOTING)[self.frame // 240 % 3]

    def scores(self) -> str:
        """Count the points, and what the player has left."""
        return (
            f"Score {self.score}, best {self.best}      Wave {self.wave}      Ships {self.lives}      "
            f"Splits {self.splits}      Ricochets {self.ricochets}      Dared {self.dares}"
        )

    def summary(self) -> str:
        """Say what happened, in a line."""
        return (
            f"{self.frame} frames, {self.shots} shots, {self.splits} splits into {self.parts} parts, "
            f"{self.crumbled} crumbled, {self.ricochets} ricochets, {self.struck} hits taken, {self.cleared} waves"
        )

    def state(self) -> dict[str, Any]:
        """Tell where everybody is, and what has happened."""
        counts = [self.score, self.best, self.life, self.wave, self.lives, self.shield, self.safe, self.reload]
        return {
            "bodies": [
                (thing.kind.name, body.pose.x, body.pose.y, body.pose.angle, body.velocity, body.spin, body.mass)
                for thing in self.things()
                for body in (thing.body,)
            ],
            "counts": [*counts, self.shots, self.crumbled, self.bumps, self.hollows, self.dares, self.lost],
            "summary": self.summary(),
        }


def is_cut(things: Sequence[Thing], hit: Bounce) -> bool:
    """Tell whether a bullet has come to a stone."""
    return things[hit.a].kind is Kind.STONE and things[hit.b].kind is Kind.BULLET


def make_rock(
    kind: Kind, outline: Sequence[Vector], pose: Pose, velocity: Vector = (0.0, 0.0), spin: float = 0.0
) -> Thing:
    """Make a rock of an outline as it is at a pose. It turns around its centroid."""
    corners, middle = centred(outline)
    (x, y), area = placed([middle], pose)[0], measured(outline)[0]
    mass = STEEL_DENSITY * area if kind is Kind.STEEL else area
    at = Pose(x, y, pose.angle)
    return Thing(kind, RigidBody(Polygon(corners), at, velocity, spin, mass, restitution=0.9, friction=0.2))


def hastened(body: RigidBody, factor: float) -> RigidBody:
    """Give a body as many times its speed and its spin."""
    (vx, vy), spin = body.velocity, body.spin
    return body if factor == 1.0 else replace(body, velocity=(factor * vx, factor * vy), spin=factor * spin)


def gap(one: Thing, other: Thing) -> float:
    """Measure how far two things are apart."""
    return distance(one.body.shape, one.body.pose, other.body.shape, other.body.pose).distance
