"""The fighters of `halberd`: what the knight and the guards share, and how guards act."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import arcade
from arcade.types import Color

import impinge as im
from impinge_demos.halberd_castle import Place, centre, marks
from impinge_demos.halberd_looks import fighter_texture, weapon_texture

if TYPE_CHECKING:
    from impinge_demos.halberd import Game

__all__ = [
    "BODY",
    "CLASH",
    "CREST",
    "CRIMSON",
    "DETOUR",
    "GEM",
    "GUARD",
    "HEALTH",
    "KNIGHT",
    "SHADOW",
    "SIGHT",
    "STEEL_BLUE",
    "STONE",
    "TURNSTILE",
    "WALL",
    "WEAPONS",
    "Fighter",
    "Guard",
]

# Layers, and ranks: the higher rank pushes. Each guard has its own rank from 1 on: guards of equal rank would overlap.
WALL, TURNSTILE, KNIGHT, GUARD, GEM, DETOUR = 1, 2, 4, 8, 16, 32
STONE: Final = WALL | TURNSTILE  # what stops sight and blows
THROWN: Final = 20  # the might of a guard that is thrown

# Pixels and frames; a frame is 1/60 s. Angles are radians.
BODY: Final = im.Circle(12)
PATROL: Final = 1.2  # pixels a frame
LUNGE: Final = 3.5  # the same, for guards that strike
DRAG: Final = 0.85  # part of a throw that is left in the next frame
NEAR: Final = 62.0  # the distance at which a guard begins to strike
CLASH: Final = 170.0  # how far a shout or a blow is heard
HEALTH: Final = 3

# The guards' field of view, and the knight's attacks. A throw begins with more than a wall's thickness a frame.
SIGHT: Final = im.Sector(185, half_angle=0.5)
SWORD: Final = im.Attack(im.Sector(56, 0.2), windup=3, active=6, recovery=7, swing=-2.4, knockback=13)
HALBERD: Final = im.Attack(
    im.Sector(112, 0.1, inner_radius=58), windup=9, active=8, recovery=13, swing=2.4, knockback=30
)

CREST, STEEL_BLUE = Color(250, 206, 90), Color(70, 120, 214)
SHADOW, CRIMSON, CAPTAIN = Color(30, 30, 42), Color(186, 58, 62), Color(122, 60, 150)


class Weapon(NamedTuple):
    """A weapon."""

    name: str
    attack: im.Attack
    length: int  # pixels, blade included
    blade: int


WEAPONS: Final = (Weapon("sword", SWORD, 46, 34), Weapon("halberd", HALBERD, 104, 26))


class Fighter:
    """A character that walks, strikes and can be thrown: the knight or a guard."""

    def __init__(self, game: Game, place: Place, layer: int, might: int, weapon: Weapon, cloak: Color) -> None:
        senses = GEM if layer == KNIGHT else 0
        self.body = game.world.add(BODY, im.Pose(*place), might, layer, STONE | GUARD | senses, data=self)
        self.facing = 0.0
        self.throw = (0.0, 0.0)
        self.health, self.stun, self.safe = HEALTH, 0, 0
        self.weapon = weapon
        self.swing: im.Swing[Fighter] | None = None
        self.blades: list[tuple[im.Sector, im.Pose]] = []  # blades at both ends of the last frame
        crest = CREST if layer == KNIGHT else SHADOW
        self.sprite = arcade.Sprite(fighter_texture(cloak, crest), 0.56)
        self.arm = arcade.Sprite(weapon_texture(weapon.length, weapon.blade), 0.5)

    @property
    def pose(self) -> im.Pose:
        """Return where the fighter stands and faces. The body itself does not turn: it would roll along walls."""
        return im.Pose(self.body.pose.x, self.body.pose.y, self.facing)

    @property
    def place(self) -> Place:
        """Return the position of the fighter."""
        return self.body.pose.x, self.body.pose.y

    def distance(self, place: Place) -> float:
        """Return the distance to a place."""
        return math.dist(self.place, place)

    def bearing(self, place: Place) -> float:
        """Return the direction to a place."""
        return math.atan2(place[1] - self.body.pose.y, place[0] - self.body.pose.x)

    def go(self, angle: float, speed: float) -> None:
        """Set the goal for this frame: the fighter's own steps plus its throw."""
        (x, y), (u, v) = self.place, self.throw
        self.body.goal = im.Pose(x + speed * math.cos(angle) + u, y + speed * math.sin(angle) + v)
        self.throw = DRAG * u, DRAG * v
        self.stun, self.safe = max(self.stun - 1, 0), max(self.safe - 1, 0)

    def strike(self, targets: Sequence[Fighter], walls: im.Occluders) -> list[im.Strike[Fighter]]:
        """Advance the swing by the frame's motions, and return its hits. Walls hide targets."""
        self.blades = []
        if self.swing is None:
            return []
        before = self.body.previous
        own_way = im.Motion(im.Pose(before.x, before.y, self.facing), self.pose)
        ways: Mapping[Fighter, Any] = {
            target: (BODY, im.Motion(target.body.previous, target.body.pose)) for target in targets if not target.safe
        }
        sector, begins = self.weapon.attack.sector, self.swing.pose(own_way.start)
        strikes = self.swing.step(1, own_way, ways, walls)
        if self.swing.phase == "active" or strikes:
            self.blades = [(sector, begins), (sector, self.swing.pose(own_way.end))]
        if self.swing.is_over:
            self.swing = None
        return strikes

    def show(self) -> None:
        """Place the sprites of the fighter and of its weapon."""
        self.sprite.position, self.sprite.angle = self.place, -math.degrees(self.facing)
        attack, swing = self.weapon.attack, self.swing
        drawn, bearing = 0.0, 0.0  # how far the weapon is extended, from 0 to 1, and its bearing
        if swing is not None:
            bearing = attack.bearing(swing.elapsed)
            left = attack.duration - swing.elapsed
            drawn = min(swing.elapsed / max(attack.windup, 1), left / attack.recovery, 1.0)
        reach = drawn * (attack.sector.radius - self.weapon.length / 2) + (1 - drawn) * 16
        angle, aside = self.facing + drawn * bearing, 11 * (1 - drawn)
        cos, sin = math.cos(angle), math.sin(angle)
        x, y = self.place
        self.arm.position = x + reach * cos + aside * sin, y + reach * sin - aside * cos
        self.arm.angle = -math.degrees(angle)
        self.sprite.alpha = 120 if self.safe // 5 % 2 or self.health <= 0 else 255


class Guard(Fighter):
    """A guard: patrols, follows what it sees and hears, and strikes."""

    def __init__(self, game: Game, place: Place, rank: int) -> None:
        is_captain = rank <= game.wave - 2  # from the third wave on, one more in each wave
        windup = max(14, 26 - 2 * game.wave)
        attack = im.Attack(im.Sector(58, 0.25), windup=windup, active=6, recovery=30, swing=1.6, knockback=8)
        super().__init__(game, place, GUARD, rank, Weapon("blade", attack, 42, 30), CAPTAIN if is_captain else CRIMSON)
        self.rank = rank
        self.health = 4 if is_captain else 2
        self.pace = min(2.0 + 0.15 * game.wave, 2.9)
        self.facing = game.random.uniform(-math.pi, math.pi)
        self.alert = 0.0  # from 1 on the guard pursues
        self.clue: Place | None = None  # where the guard last saw or heard something
        self.round = place
        self.search = 0  # frames for which the guard looks around

    @property
    def pursues(self) -> bool:
        """Return whether the guard pursues the knight."""
        return self.alert >= 1

    def think(self, game: Game) -> None:
        """Look for the knight, and decide where to go."""
        self.body.might = THROWN if math.hypot(*self.throw) > 1 else self.rank
        if self.stun or self.health <= 0:
            self.go(self.facing, 0)
            return
        seen = self.look(game)
        if self.swing is not None:
            self.go(self.facing, LUNGE if self.swing.phase == "active" else 0)
        elif seen and self.pursues and self.distance(game.knight.place) < NEAR:
            self.facing = self.bearing(game.knight.place)
            self.swing = self.weapon.attack.start()
            self.go(self.facing, 0)
        elif self.search:
            self.search -= 1
            self.facing += 0.04 if self.search // 28 % 2 else -0.04
            self.go(self.facing, 0)
            self.search = 0 if seen else self.search
        elif self.clue is not None:
            if self.walk(game, self.clue, self.pace if self.pursues else PATROL):
                self.clue, self.search = None, 84
        elif self.walk(game, self.round, PATROL):
            self.round, self.search = centre(game.random.choice(marks("G") + marks("*"))), 42

    def look(self, game: Game) -> bool:
        """Look for the knight. A guard that sees the knight for long, or near, pursues."""
        seen = game.world.sector(SIGHT, self.pose, mask=KNIGHT, occluders=STONE)
        if not seen:
            self.alert = max(self.alert - 0.008, 0.0)
            return False
        self.clue = game.knight.place
        before, self.alert = self.alert, min(self.alert + 0.10 - 0.07 * seen[0][1].distance / SIGHT.radius, 2.0)
        if before < 1 <= self.alert:
            game.alarm(self)
        return True

    def hear(self, place: Place, alert: float) -> None:
        """Hear something, and go to look for it."""
        if not self.pursues:
            self.clue, self.search, self.alert = place, 0, max(self.alert, alert)

    def walk(self, game: Game, place: Place, speed: float) -> bool:
        """Walk towards a place as far as the guard faces it; return whether it is there."""
        ahead = self.bearing(game.ways.next_place(self.place, place))
        turn = (ahead - self.facing + math.pi) % math.tau - math.pi
        self.facing += min(max(turn, -0.06 * speed), 0.06 * speed)
        self.go(ahead, speed * max(math.cos(turn), 0.0))
        return self.distance(place) < 14
