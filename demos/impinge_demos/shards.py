"""Concave rocks that turn, bullets that cross the room in four frames, and cuts along the bullets' exact lines.

`python -m impinge_demos shards` starts it. Sounds are Kenney's (kenney.nl); Arcade brings them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import Enum
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

from arcade.shape_list import Shape, ShapeElementList
from arcade.types import Color

import impinge as im
from impinge_demos.controls import Controls
from impinge_demos.demo import BAR, HEIGHT, SPARK, WIDTH, Demo
from impinge_demos.shards_bot import Bot
from impinge_demos.shards_looks import BLUE, BORDER, EMBER, GREY, NIGHT, WALL, Looks, picture
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
THICK = 400.0  # pixels of the walls, far more than the part that is drawn
ROOM = im.Compound(
    [
        (im.Box(THICK, 2 * HEIGHT), im.Pose(LEFT - THICK / 2, HEIGHT / 2)),
        (im.Box(THICK, 2 * HEIGHT), im.Pose(RIGHT + THICK / 2, HEIGHT / 2)),
        (im.Box(2 * WIDTH, THICK), im.Pose(WIDTH / 2, BOTTOM - THICK / 2)),
        (im.Box(2 * WIDTH, THICK), im.Pose(WIDTH / 2, TOP + THICK / 2)),
    ]
)
BULLET = im.Circle(2)
MUZZLE = 24.0  # pixels from the ship's middle: where a bullet leaves the barrel

# Speeds are pixels a frame, spins radians a frame, and a frame is 1/60 s.
SPEED = 240.0  # of bullets
THRUST, BRAKE, DRAG, TURN = 0.11, 0.94, 0.985, 0.065  # of the ship
FASTEST, MOST_SPIN = 3.6, 0.08  # of rocks
DRIFT = 1.0, 2.0  # speeds of new rocks
PART = 0.8  # speed at which the two sides of a cut separate
GENTLE = 1.4  # change of the ship's speed up to which a contact does no damage

# A square pixel of stone has a mass of 1.
STEEL_DENSITY, SHIP_MASS, BULLET_MASS = 3.0, 1200.0, 4.0
DUST = 700.0  # square pixels: smaller parts turn to dust

RICOCHETS = 3  # a bullet ends after this many
LIVES = 3
RELOAD, SAFE, PAUSE, DARING = 9, 90, 100, 20  # frames: between shots; safe after a hit; after a defeat; in a hollow
SHIELD, CHARGE, CHARGE_IN_HOLLOW = 90.0, 0.1, 0.6  # frames that the shield lasts, and its gain per frame
SPLIT, CRUMBLE, DARE, CLEAR = 10, 20, 50, 100  # points
ROOMY, FAR = 24.0, 140.0  # pixels of space between a new rock and all others, and the ship
AHEAD = 6  # frames that the aim looks ahead: enough for a bullet to cross the room
READ = 110  # frames for which a line is shown

AIMING = "The aim line is impinge.sweep: where the bullet will strike, among rocks that move and turn meanwhile."
BOUNCING = "impinge.bounce: rocks of any outline rebound and spin, several times in one frame where they must."
SHOOTING = "A bullet flies 240 pixels in a frame, 14,400 in a second. The thinnest shard stops it."
RICOCHET = "Off steel: impinge.bounce gives the bullet its way on, and the steel a push and a turn."
HOLLOW = "In the hollow: within the hull of a concave rock, and yet untouched. Here the shield charges."


class Kind(Enum):
    """The kind of a thing."""

    ROOM = "room"
    SHIP = "ship"
    STONE = "stone"
    STEEL = "steel"
    BULLET = "bullet"


COLORS = {Kind.ROOM: WALL, Kind.SHIP: BLUE, Kind.STONE: EMBER, Kind.STEEL: GREY, Kind.BULLET: SPARK}


class Thing:
    """A body of the game."""

    def __init__(self, kind: Kind, body: im.RigidBody) -> None:
        self.kind, self.body = kind, body
        self.ricochets = 0
        self.trail = body.pose.x, body.pose.y  # where the bullet's next streak starts
        self.dared, self.is_settled = 0, False  # frames of the ship in its hull; whether these earn nothing more

    @property
    def outline(self) -> list[Vector]:
        """Return the corners at the current pose."""
        assert isinstance(self.body.shape, im.Polygon)
        return placed(self.body.shape.vertices, self.body.pose)

    @cached_property
    def hull(self) -> im.Polygon:
        """Return the convex hull, which includes the hollows."""
        assert isinstance(self.body.shape, im.Polygon)
        return im.Polygon(hull(self.body.shape.vertices))

    @cached_property
    def picture(self) -> ShapeElementList[Shape]:
        """Return the drawing of the thing."""
        assert isinstance(self.body.shape, im.Polygon)
        return picture(self.body.shape, self.color)

    @property
    def color(self) -> Color:
        """Return the colour of the thing and of its sparks."""
        return COLORS[self.kind]

    @property
    def breaks(self) -> bool:
        """Return whether bullets cut it."""
        return self.kind is Kind.STONE

    def ahead(self, frames: float) -> im.Motion:
        """Return the motion through the next frames if nothing is in the way."""
        pose, (vx, vy) = self.body.pose, self.body.velocity
        return im.Motion(
            pose, im.Pose(pose.x + frames * vx, pose.y + frames * vy, pose.angle + frames * self.body.spin)
        )


class Aim(NamedTuple):
    """What a bullet fired now would hit: its start, the thing, the impact, and the frames until then."""

    start: Vector
    thing: Thing
    impact: im.Impact
    frames: float


class Game(Demo):
    """The room and the rules."""

    title = "Shards: concave rocks, exact cuts"
    keys = "left and right turn     up thrusts, down brakes     space fires     shift holds the shield"
    background = NIGHT
    sounds: ClassVar = {
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
        self.looks = Looks(self)
        super().__init__(seed, sound)

    def autoplay(self) -> Callable[[], Controls]:
        """Return controls that play the game."""
        return Bot(self)

    def setup(self) -> None:
        """Start with the ship in the hollow of a steel crescent."""
        self.life += 1
        self.wave = self.pause = self.reload = self.safe = 0
        self.lives, self.shield = LIVES, SHIELD
        self.line, self.line_frame = "", -READ
        self.is_shielded = self.is_thrusting = False
        self.hollow: Thing | None = None
        self.aim: Aim | None = None
        middle = im.Pose(WIDTH / 2, (BOTTOM + TOP) / 2, self.random.uniform(-math.pi, math.pi))
        # Impacts do not turn the ship: its inertia is infinite, its mass is not.
        arrow = im.Polygon(centred(ARROW)[0])
        body = im.RigidBody(arrow, middle, mass=SHIP_MASS, inertia=math.inf, restitution=0.3)
        self.ship: Thing | None = Thing(Kind.SHIP, body)
        self.room = Thing(Kind.ROOM, im.RigidBody(ROOM, im.Pose(0, 0), friction=0.2))
        self.harbour = make_rock(Kind.STEEL, crescent(self.random, outer=100, inner=70, mouth=0.8, corners=14), middle)
        self.rocks = [self.harbour]
        self.bullets: list[Thing] = []
        self.next_wave()

    def next_wave(self) -> None:
        """Add the rocks of the next wave: more and faster ones each time."""
        self.wave += 1
        self.message, self.message_frame = f"Wave {self.wave}", self.frame
        steel = min(2 + self.wave // 2, 5) - sum(rock.kind is Kind.STEEL for rock in self.rocks)
        for number in range(min(4 + self.wave, 9)):
            if number % 3 == 1:
                self.let_in(Kind.STONE, crescent(self.random), 0.4)
            else:
                self.let_in(Kind.STONE, star(self.random), 1.0 + 0.1 * self.wave)
        for _ in range(steel):
            self.let_in(Kind.STEEL, nut(self.random), 1.0)

    def let_in(self, kind: Kind, outline: Sequence[Vector], haste: float) -> None:
        """Add a rock at a random place with enough space around it; skip it if 100 tries find none."""
        chance = self.random
        velocity = around(chance.uniform(0, math.tau), haste * chance.uniform(*DRIFT))
        spin = haste * chance.uniform(-0.03, 0.03)
        new = make_rock(kind, outline, im.Pose(0, 0), velocity, spin)
        reach = max(math.hypot(*corner) for corner in new.outline)
        others = [(other, im.Circle(reach + (FAR if other.kind is Kind.SHIP else ROOMY))) for other in self.things()]
        for _ in range(100):
            pose = im.Pose(chance.uniform(LEFT, RIGHT), chance.uniform(BOTTOM, TOP), chance.uniform(0, math.tau))
            if not any(im.overlaps(round_it, pose, other.body.shape, other.body.pose) for other, round_it in others):
                new.body = replace(new.body, pose=pose)
                self.rocks.append(new)
                self.looks.burst(new.color, new.outline)
                return

    def things(self) -> list[Thing]:
        """Return all bodies. `bounce` names the bodies of a pair by their indices here; a bullet is never the first."""
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
            self.looks.follow(bullet, (bullet.body.pose.x, bullet.body.pose.y))
        self.bullets = [bullet for bullet in self.bullets if bullet.ricochets < RICOCHETS]
        if self.ship is not None:
            self.look_around(self.ship)
        if not any(rock.breaks for rock in self.rocks) and not self.pause:
            self.cleared += 1
            self.earn(CLEAR * self.wave)
            self.play_sound("wave")
            self.next_wave()

    def steer(self, ship: Thing, controls: Controls) -> None:
        """Apply the player's controls."""
        drag, thrust = BRAKE if controls.y < 0 else DRAG, THRUST * max(controls.y, 0.0)
        (vx, vy), (ax, ay) = ship.body.velocity, around(ship.body.pose.angle, thrust)
        ship.body = replace(ship.body, velocity=(drag * vx + ax, drag * vy + ay), spin=-TURN * controls.x)
        self.is_thrusting = thrust > 0.0
        self.is_shielded = controls.second and self.shield >= 1.0
        self.shield -= self.is_shielded
        self.safe = max(self.safe - 1, 0)
        self.reload = max(self.reload - 1, 0)
        if controls.first and not self.reload:
            self.reload = RELOAD
            self.shoot(ship)

    def calm_down(self) -> None:
        """Limit the speed and the spin that rocks gain from bullets and the ship."""
        for rock in self.rocks:
            (vx, vy), spin = rock.body.velocity, rock.body.spin
            excess = max(math.hypot(vx, vy) / FASTEST, abs(spin) / MOST_SPIN)
            if excess > 1.0:
                rock.body = hastened(rock.body, 1.0 / excess)

    # From here to `look_around` is the core of the game: all motion, from impact to impact.

    def shoot(self, ship: Thing) -> None:
        """Fire a bullet. If the muzzle is inside something, hit that at once."""
        self.shots += 1
        self.play_sound("shot")
        muzzle = im.Pose(*placed([(MUZZLE, 0.0)], ship.body.pose)[0])
        velocity = around(ship.body.pose.angle, SPEED)
        bullet = Thing(Kind.BULLET, im.RigidBody(BULLET, muzzle, velocity, mass=BULLET_MASS))
        targets = [self.room, *self.rocks]
        barrel = im.Motion(ship.body.pose, muzzle)
        hits = im.sweep(BULLET, barrel, [(target.body.shape, target.body.pose) for target in targets])
        if not hits:
            self.bullets.append(bullet)
            return
        target, impact = targets[hits[0].target], hits[0].impact
        self.looks.strew(target, impact.point, minus((0, 0), impact.normal), 8)
        if target.breaks:
            self.split(target, bullet, impact.point)

    def fly(self) -> None:
        """Move everything through the frame. When a bullet reaches a stone, stop there for the cut, then go on."""
        left = 1.0  # part of the frame that is left
        while left > 0.0:
            things = self.things()
            bodies = [hastened(thing.body, left) for thing in things]
            after = im.bounce(bodies)
            cuts = [number for number, hit in enumerate(after.bounces) if is_cut(things, hit)]
            if cuts:
                first = after.bounces[cuts[0]]
                after = im.bounce(bodies, most=cuts[0])  # the same again, up to the bullet's impact
            for thing, body in zip(things, after.bodies, strict=True):
                thing.body = hastened(body, 1.0 / left)
            for hit in after.bounces:
                self.bump(things[hit.a], things[hit.b], hit)
            if not cuts:
                return
            stone, bullet = things[first.a], things[first.b]
            self.looks.follow(bullet, first.impact.point)
            self.bullets.remove(bullet)
            self.looks.strew(stone, first.impact.point, first.impact.normal, 12)
            self.split(stone, bullet, first.impact.point)
            left *= 1.0 - first.time

    def bump(self, a: Thing, b: Thing, hit: im.Bounce) -> None:
        """Count and draw an impact. `bounce` has changed the velocities already."""
        impulse = math.hypot(*hit.impulse)
        if b.kind is Kind.BULLET:
            if a.kind is Kind.STEEL:
                self.ricochets += 1
                self.say(RICOCHET)
            for bullet in (thing for thing in (a, b) if thing.kind is Kind.BULLET):
                bullet.ricochets += 1
                self.looks.follow(bullet, hit.impact.point)
            self.looks.strew(a, hit.impact.point, hit.impact.normal, 8)
            self.play_sound("ricochet")
        elif a.kind is Kind.SHIP:
            self.touch(b, hit.impact, impulse / SHIP_MASS)
        else:
            self.bumps += 1
            self.looks.strew(b, hit.impact.point, hit.impact.normal, min(int(impulse / 1500), 8))

    def split(self, stone: Thing, bullet: Thing, point: Vector) -> None:
        """Cut a stone along a bullet's line. The parts keep its mass, its spin, and its momentum with the bullet's."""
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
                self.looks.burst(EMBER, part)
                continue
            # A part moves as it moved in the whole, plus its share of the bullet's momentum, plus the separation.
            push = PART * (whole.mass - left) / whole.mass if side else -PART * left / whole.mass
            arm = minus(middle, (whole.pose.x, whole.pose.y))
            vx = whole.velocity[0] - whole.spin * arm[1] + kick * bx + push * normal[0]
            vy = whole.velocity[1] + whole.spin * arm[0] + kick * by + push * normal[1]
            self.rocks.append(make_rock(Kind.STONE, part, im.Pose(0, 0), (vx, vy), whole.spin))
        self.play_sound("split")
        if len(parts) == 1:  # the bullet only grazed a corner
            return
        self.splits += 1
        self.parts += len(parts)
        self.earn(SPLIT)
        areas = " and ".join(f"{area:,.0f}" for area, _ in sizes)
        self.say(
            f"Cut along the bullet's line, at its moment in the frame: into {areas} of {whole.mass:,.0f} square pixels."
        )

    def touch(self, rock: Thing, impact: im.Impact, jolt: float) -> None:
        """Apply the contact of a rock with the ship: damage, unless it is gentle or the ship is protected."""
        self.looks.strew(rock, impact.point, minus((0, 0), impact.normal), 8)
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
        """Find the hollow that the ship is in, and its aim. Without lives, remove the ship."""
        if not self.lives:
            self.lost += 1
            self.ship = self.aim = self.hollow = None
            self.pause = PAUSE
            self.message = "Shattered!"
            self.looks.burst(BLUE, 3 * ship.outline)
            return
        # No rock overlaps the ship. If a rock's hull contains the ship's middle, the ship is in its hollow.
        before, middle = self.hollow, (ship.body.pose.x, ship.body.pose.y)
        self.hollow = next((rock for rock in self.rocks if rock.hull.contains(middle, rock.body.pose)), None)
        self.hollows += self.hollow is not before and self.hollow is not None
        self.shield = min(self.shield + (CHARGE_IN_HOLLOW if self.hollow else CHARGE), SHIELD)
        self.dare(ship)
        self.aim = self.foretell(ship)

    def foretell(self, ship: Thing) -> Aim:
        """Return what a bullet fired in the next frame will hit."""
        start, way = placed([(MUZZLE, 0.0), (MUZZLE + AHEAD * SPEED, 0.0)], ship.body.pose)
        targets = [self.room, *self.rocks]
        ways = [(target.body.shape, target.ahead(AHEAD)) for target in targets]
        first = im.sweep(BULLET, im.Motion(im.Pose(*start), im.Pose(*way)), ways)[0]  # the walls are all around
        return Aim(start, targets[first.target], first.impact, AHEAD * first.impact.time)

    def dare(self, ship: Thing) -> None:
        """Give points for staying in a stone's hull without a contact, once for each stone."""
        for stone in self.rocks:
            if not stone.breaks or stone.is_settled:
                continue
            hull, here = stone.hull, stone.body.pose
            is_within = im.overlaps(hull, here, ship.body.shape, ship.body.pose, include_touching=False)
            stone.dared = stone.dared + 1 if is_within else 0
            if stone.dared == DARING:
                stone.is_settled = True
                self.dares += 1
                self.earn(DARE)
                self.say(f"Within the hull of a stone, and the stone has not touched you: {DARE} points for daring.")

    def say(self, line: str) -> None:
        """Show a line about what just happened."""
        self.line, self.line_frame = line, self.frame

    @property
    def charge(self) -> float:
        """Return what is left of the shield, from 0 to 1."""
        return self.shield / SHIELD

    def draw(self) -> None:
        """Draw the frame."""
        self.looks.draw()

    def draw_debug(self) -> None:
        """Draw the convex pieces, the hulls, the motions ahead, and the last impacts with their normals."""
        self.looks.draw_debug()

    def shows(self) -> str:
        """Return the line about what just happened, or else general lines in turn."""
        if self.frame - self.line_frame < READ:
            return self.line
        if self.hollow is not None:
            return HOLLOW
        return (AIMING, BOUNCING, SHOOTING)[self.frame // 240 % 3]

    def scores(self) -> str:
        """Return the line with the points, and with what the player has left."""
        return (
            f"Score {self.score}, best {self.best}      Wave {self.wave}      Ships {self.lives}      "
            f"Splits {self.splits}      Ricochets {self.ricochets}      Dared {self.dares}"
        )

    def summary(self) -> str:
        """Return a line that sums up the game."""
        return (
            f"{self.frame} frames, {self.shots} shots, {self.splits} splits into {self.parts} parts, "
            f"{self.crumbled} crumbled, {self.ricochets} ricochets, {self.struck} hits taken, {self.cleared} waves"
        )

    def state(self) -> dict[str, Any]:
        """Return all bodies and counts."""
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


def is_cut(things: Sequence[Thing], hit: im.Bounce) -> bool:
    """Return whether an impact is of a bullet with a stone."""
    return things[hit.a].breaks and things[hit.b].kind is Kind.BULLET


def make_rock(
    kind: Kind, outline: Sequence[Vector], pose: im.Pose, velocity: Vector = (0.0, 0.0), spin: float = 0.0
) -> Thing:
    """Return a rock of this outline at a pose. It turns around its centroid."""
    corners, middle = centred(outline)
    (x, y), area = placed([middle], pose)[0], measured(outline)[0]
    mass = STEEL_DENSITY * area if kind is Kind.STEEL else area
    at = im.Pose(x, y, pose.angle)
    return Thing(kind, im.RigidBody(im.Polygon(corners), at, velocity, spin, mass, restitution=0.9, friction=0.2))


def hastened(body: im.RigidBody, factor: float) -> im.RigidBody:
    """Return the body with its velocity and spin multiplied by a factor."""
    (vx, vy), spin = body.velocity, body.spin
    return body if factor == 1.0 else replace(body, velocity=(factor * vx, factor * vy), spin=factor * spin)
