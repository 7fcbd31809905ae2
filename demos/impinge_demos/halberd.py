"""An arena in a castle: sword and halberd swings, guards whose sight stops at walls, and sneaking.

`python -m impinge_demos halberd` starts it. Floor, walls and sounds are Kenney's (kenney.nl); Arcade brings them.
"""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Callable
from typing import Any, ClassVar

import arcade
from arcade.types import Color

import impinge as im
from impinge_arcade import draw_debug
from impinge_demos.controls import Controls
from impinge_demos.demo import BAR, HEIGHT, PAPER, SPARK, WIDTH, Demo, text
from impinge_demos.halberd_bot import Bot
from impinge_demos.halberd_castle import GATE, GATE_PLACE, SWEPT, Place, Ways, centre, marks, walls
from impinge_demos.halberd_fighters import (
    BODY,
    CLASH,
    CREST,
    CRIMSON,
    DETOUR,
    GEM,
    GUARD,
    HEALTH,
    KNIGHT,
    SHADOW,
    SIGHT,
    STEEL_BLUE,
    STONE,
    TURNSTILE,
    WALL,
    WEAPONS,
    Fighter,
    Guard,
)
from impinge_demos.halberd_looks import Lights, castle, gate_sprite, weapon_texture

MIGHTIEST, GATE_MIGHT = 40, 30  # ranks of the walls and of the gate: the gate pushes everything except walls

# Pixels and frames; a frame is 1/60 s. Angles are radians.
WALK, SNEAK, STRIKING = 3.2, 1.8, 1.0  # pixels a frame
GATE_TURN = 0.011
LOUD, SOFT, STEPS = 115.0, 30.0, 10  # how far guards hear walking and sneaking; they hear it every STEPS frames
SLAM = 4.0  # pixels a frame: the impact speed at which a wall hurts, and at which a thrown guard knocks down another
STUNNED, LAID_LOW = 18, 50  # frames: stunned by a blow; by a wall or another guard
SAFE = 60  # frames in which the knight cannot be hit again
KILL, BACKSTAB, HURLED, CLEARED, JEWEL = 50, 50, 20, 100, 10  # points

STRIKES = {
    "sword": "Sword: a swinging Sector, swept between frames. A swing hits a target once, and nothing behind walls.",
    "halberd": "Halberd: a Sector with an inner_radius, a part of a ring. It reaches far, and misses who is too near.",
}
SEES = "Cones: what guards see. World.sector queries it with walls as occluders, visible_outline draws it."
SNEAKS = "Sneaking: World.in_box finds the guards that hear you. Unseen, from behind, a blow counts double."
WINDS_UP = "A guard winds up: Attack(windup=...). Get out of the red, or behind a wall, before it ends."
BEHIND = "From behind: the knockback of the Strike points where the guard faces. That counts double."
HURLS = "Thrown against a wall: World stops a thrown guard at any speed, and a hook reports the contact."
BOWLS = "A thrown guard has might 20: it pushes the other guards, and knocks them down."
TURNS = "The gate: a compound that turns, might 30. It pushes knight and guards, and cuts what they see."
PURSUED = "They see you. Out of sight they go where they saw you last: behind a wall you are safe."

NIGHT, HEART = Color(24, 26, 38), Color(255, 92, 110)
CALM, WARY, ALARMED = Color(255, 226, 130, 120), Color(255, 160, 50, 140), Color(255, 70, 54, 150)
TELEGRAPH, TRAIL = Color(255, 60, 50), Color(214, 240, 255, 40)
JEWELS = ":resources:images/items/gemBlue.png"


class Witness:
    """A plugin of the world: its hooks report to the game what happens."""

    def __init__(self, game: Game) -> None:
        self.game = game

    @im.hookimpl
    def impinge_post_solve(self, event: im.Event) -> None:
        """Note impacts of guards and pushes of the gate. The hook is called once for each pair in contact."""
        weak, mighty = event.weak.data, event.mighty.data
        if isinstance(weak, Guard) and event.mighty.layer & STONE:
            across, up = weak.throw
            if -(across * event.normal[0] + up * event.normal[1]) > SLAM:
                self.game.slammed.append(weak)
        elif isinstance(weak, Guard) and isinstance(mighty, Guard) and event.speed > SLAM:
            self.game.bowled.append(weak)
        elif isinstance(weak, Fighter) and event.mighty.layer & TURNSTILE and event.speed > 0:
            self.game.say(TURNS)

    @im.hookimpl
    def impinge_sensed(self, event: im.Event) -> None:
        """Note the gems that the knight touches. Gems are sensors."""
        if event.weak.layer & KNIGHT:
            self.game.found.append(event.mighty)

    @im.hookimpl
    def impinge_sector_hit(self, hit: im.SectorHit) -> None:
        """Note every point that a sector reaches. F1 shows them."""
        self.game.sightings.append(hit.point)


class Game(Demo):
    """The castle and the rules."""

    title = "Halberd: swings, sight and sneaking"
    keys = "arrows or WASD walk, space strikes, shift sneaks, Q other weapon"
    background = NIGHT
    sounds: ClassVar = {
        "hit": "hit3", "hurt": "hurt2", "kill": "explosion2", "slam": "hit1", "gem": "coin1", "alarm": "error4",
        "wave": "upgrade1", "over": "gameover3",
    }  # fmt: skip

    def __init__(self, seed: int = 0, sound: bool = False) -> None:
        self.counts: Counter[str] = Counter()
        self.backdrop = castle()
        self.gate_picture = gate_sprite()
        self.people: arcade.SpriteList[arcade.Sprite] = arcade.SpriteList()
        self.lights = Lights()
        self.label = text(0, 0, 13, CREST, "center")
        super().__init__(seed, sound)

    def autoplay(self) -> Callable[[], Controls]:
        """Return controls that play the game."""
        return Bot(self)

    def setup(self) -> None:
        """Build the castle. The seed varies where the guards start and walk, and how the gate turns."""
        self.wave = self.score = self.pause = 0

        # The whole collision setup: which bodies are solid, which push, which are sensors or only queried.
        self.world = im.World()
        self.world.register(Witness(self))
        self.stones = [(self.world.add(shape, pose, MIGHTIEST, WALL, mask=0).shape, pose) for shape, pose in walls()]
        post = im.Pose(*GATE_PLACE, self.random.uniform(0, math.pi))
        self.gate = self.world.add(GATE, post, GATE_MIGHT, TURNSTILE, mask=0)  # nothing stops it
        self.gate_turn = self.random.choice((-GATE_TURN, GATE_TURN))
        self.world.add(SWEPT, post, 0, DETOUR, mask=0, response="sensor")  # no mask has its layer: it is only queried
        self.ways = Ways(self.world, BODY, WALL, DETOUR)
        self.knight = Fighter(self, centre(marks("@")[0]), KNIGHT, 0, WEAPONS[0], STEEL_BLUE)

        self.guards: list[Guard] = []
        self.gems: list[im.Body] = []  # sensor bodies
        self.jewels: arcade.SpriteList[arcade.Sprite] = arcade.SpriteList()  # their sprites
        self.slammed: list[Guard] = []
        self.bowled: list[Guard] = []
        self.found: list[im.Body] = []
        self.sightings: list[Place] = []
        self.events: tuple[im.Event, ...] = ()
        self.fallen: arcade.SpriteList[arcade.Sprite] = arcade.SpriteList()
        self.sparks: deque[tuple[Place, int]] = deque(maxlen=16)  # where a blow hit, and the frame
        self.line, self.line_ends, self.label_ends = SEES, 0, 0
        self.is_sneaking = False
        self.noise = 0.0
        self.shade = self.walls_now()
        self.begin_wave()

    def walls_now(self) -> im.Occluders:
        """Return the walls and the gate at its current pose, as occluders of sight and blows."""
        return im.Occluders([*self.stones, (GATE, self.gate.pose)])

    def begin_wave(self) -> None:
        """Add guards far from the knight, and gems."""
        self.wave += 1
        self.message = ""
        doors = [centre(cell) for cell in marks("G")]
        far = sorted(doors, key=self.knight.distance)[1:]
        places = self.random.sample(far, min(2 + self.wave, len(far)))
        self.guards = [Guard(self, place, rank) for rank, place in enumerate(places, 1)]
        for gem in list(self.gems):
            self.take_away(gem)
        for cell in marks("*"):
            jewel = arcade.Sprite(JEWELS, 0.3, *centre(cell))
            gem = self.world.add(im.Circle(9), im.Pose(*centre(cell)), 0, GEM, response="sensor", data=jewel)
            self.gems.append(gem)
            self.jewels.append(jewel)
        self.knight.health = min(self.knight.health + 1, HEALTH) if self.wave > 1 else HEALTH
        self.list_people()

    def take_away(self, gem: im.Body) -> None:
        """Remove a gem."""
        self.gems.remove(gem)
        gem.data.remove_from_sprite_lists()
        self.world.remove(gem)

    def list_people(self) -> None:
        """Put all sprites in one list, weapons below the fighters."""
        everybody = [*self.guards, self.knight]
        self.people.clear()
        self.people.extend([fighter.arm for fighter in everybody])
        self.people.extend([fighter.sprite for fighter in everybody])

    def play(self, controls: Controls) -> None:
        """Play a frame."""
        if self.pause:
            self.pause -= 1
            if not self.pause:
                if self.knight.health > 0:
                    self.begin_wave()
                else:
                    self.setup()
            return
        self.sightings.clear()
        self.steer(controls)
        for guard in self.guards:
            guard.think(self)
        self.gate.goal = im.Pose(*GATE_PLACE, self.gate.angle + self.gate_turn)
        self.events = self.world.step().events
        self.shade = self.walls_now()
        self.fight()
        self.settle()

    def on_key_press(self, symbol: int, modifiers: int) -> None:
        """Change the weapon: Q, Tab, or a gamepad's X, which is F2."""
        if symbol in (arcade.key.Q, arcade.key.TAB, arcade.key.F2):
            if self.knight.swing is None:
                knight = self.knight
                knight.weapon = WEAPONS[1 - WEAPONS.index(knight.weapon)]
                knight.arm.texture = weapon_texture(knight.weapon.length, knight.weapon.blade)
                self.say(STRIKES[knight.weapon.name], 120)
        else:
            super().on_key_press(symbol, modifiers)

    def steer(self, controls: Controls) -> None:
        """Walk, sneak and strike as the player's controls say."""
        knight = self.knight
        size = math.hypot(controls.x, controls.y)
        pace = STRIKING if knight.swing else SNEAK if controls.second else WALK
        speed = pace * min(size, 1.0)
        angle = math.atan2(controls.y, controls.x) if size else knight.facing
        if knight.swing is None:
            knight.facing = angle
        if controls.first and knight.swing is None:
            knight.swing = knight.weapon.attack.start()
            self.say(STRIKES[knight.weapon.name], 50)
        knight.go(angle, speed)
        self.is_sneaking = controls.second and speed > 0
        self.noise = (SOFT if controls.second else LOUD) * speed / pace
        if self.noise and self.frame % STEPS == 0:
            self.make_noise(self.noise)

    def make_noise(self, radius: float) -> None:
        """Alert the guards within a radius: they hear the knight."""
        for body in self.world.in_box(im.Circle(radius), self.knight.pose, mask=GUARD):
            body.data.hear(self.knight.place, 0.3)

    def alarm(self, guard: Guard) -> None:
        """Let a guard that has seen the knight alert the guards nearby."""
        self.counts["alarms"] += 1
        self.play_sound("alarm")
        for body in self.world.in_box(im.Circle(CLASH), guard.pose, mask=GUARD, ignore=guard.body):
            body.data.hear(self.knight.place, 0.7)

    def fight(self) -> None:
        """Advance all swings, and apply their hits."""
        for strike in self.knight.strike([guard for guard in self.guards if guard.health > 0], self.shade):
            guard = strike.target
            assert isinstance(guard, Guard)
            ahead = math.cos(guard.facing) * strike.direction[0] + math.sin(guard.facing) * strike.direction[1]
            is_behind = ahead > 0.2 and not guard.pursues
            self.counts[self.knight.weapon.name] += 1
            guard.throw, guard.alert, guard.swing = strike.knockback, 1.5, None
            guard.stun = STUNNED
            self.sparks.append((strike.point, self.frame))
            if is_behind:
                self.counts["backstabs"] += 1
                self.earn(BACKSTAB)
                self.say(BEHIND, 110)
                self.call_out("from behind: double", strike.point)
            self.hurt(guard, 2 if is_behind else 1)
            self.make_noise(CLASH)
        for guard in self.guards:
            if guard.swing is not None and guard.swing.phase == "windup":
                self.say(WINDS_UP)
            for strike in guard.strike([self.knight], self.shade):
                self.counts["hurts"] += 1
                self.knight.throw, self.knight.safe = strike.knockback, SAFE
                self.knight.health -= 1
                self.sparks.append((strike.point, self.frame))
                self.play_sound("hurt")

    def hurt(self, guard: Guard, damage: int) -> None:
        """Take health from a guard."""
        guard.health -= damage
        self.play_sound("hit" if guard.health > 0 else "kill")

    def settle(self) -> None:
        """Apply what the hooks noted, remove beaten guards, and end the wave if it is over."""
        for guards, name, line in ((self.slammed, "slams", HURLS), (self.bowled, "bowled", BOWLS)):
            for guard in guards:
                if guard.stun <= STUNNED and guard.health > 0:  # else the guard lies on the floor already
                    self.counts[name] += 1
                    guard.stun = LAID_LOW
                    self.hurt(guard, 1)
                    self.earn(HURLED)
                    self.say(line, 110)
                    self.call_out("slam!" if name == "slams" else "bowled over!", guard.place)
                    self.play_sound("slam")
            guards.clear()
        for gem in self.found:
            self.take_away(gem)
            self.counts["gems"] += 1
            self.earn(JEWEL)
            self.play_sound("gem")
        self.found.clear()
        # A beaten guard flies on to the end of the throw, and may knock down others on the way.
        for guard in [guard for guard in self.guards if guard.health <= 0 and math.hypot(*guard.throw) < 2]:
            self.guards.remove(guard)
            self.world.remove(guard.body)
            self.fallen.append(guard.sprite)
            self.counts["kills"] += 1
            self.earn(KILL)
            self.list_people()
        for sprite in list(self.fallen):
            sprite.alpha = max(sprite.alpha - 5, 0)
            if not sprite.alpha:
                sprite.remove_from_sprite_lists()
        if self.knight.health <= 0:
            self.counts["losses"] += 1
            self.end(f"You fell in wave {self.wave}", 110, "over")
        elif not self.guards:
            self.counts["waves"] += 1
            self.earn(CLEARED)
            self.end(f"Wave {self.wave} is over", 75, "wave")

    def end(self, message: str, pause: int, sound: str) -> None:
        """Pause after a wave or a game."""
        self.message, self.pause = message, pause
        self.play_sound(sound)

    def say(self, line: str, frames: int = 2) -> None:
        """Show a line for some frames, unless another line stays longer."""
        if self.frame + frames >= self.line_ends:
            self.line, self.line_ends = line, self.frame + frames

    def call_out(self, words: str, place: Place) -> None:
        """Show a label over the place where something happened."""
        self.label.text, self.label.position = words, (round(place[0]), round(place[1]) + 26)
        self.label_ends = self.frame + 55

    def draw(self) -> None:
        """Draw the frame."""
        self.backdrop.draw()
        self.draw_lights()
        self.jewels.draw()
        self.gate_picture.position, self.gate_picture.angle = GATE_PLACE, -math.degrees(self.gate.angle)
        arcade.draw_sprite(self.gate_picture)
        self.fallen.draw()
        for fighter in (*self.guards, self.knight):
            fighter.show()
        self.people.draw()
        self.draw_marks()

    def draw_lights(self) -> None:
        """Draw the guards' fields of view, the areas of coming blows, and the trails of swings."""
        for guard in self.guards:
            if not guard.stun:
                color = ALARMED if guard.pursues else WARY if guard.clue else CALM
                self.lights.add(SIGHT, guard.pose, self.shade, color)
        for fighter in (*self.guards, self.knight):
            if fighter.swing is None:
                continue
            attack, elapsed, pose = fighter.weapon.attack, fighter.swing.elapsed, fighter.pose
            reach = attack.sector
            if fighter is not self.knight and elapsed < attack.windup:
                whole = im.Sector(reach.radius, reach.half_angle + abs(attack.swing) / 2)
                red = TELEGRAPH.replace(a=int(60 + 140 * elapsed / attack.windup))
                self.lights.add(whole, pose, self.shade, red, far=1.0)
            elif attack.windup < elapsed < attack.windup + attack.active + 5:
                start, end = attack.bearing(max(elapsed - 5, attack.windup)), attack.bearing(elapsed)
                trail = im.Sector(reach.radius, reach.half_angle + abs(end - start) / 2, reach.inner_radius)
                middle = im.Pose(pose.x, pose.y, pose.angle + (start + end) / 2)
                self.lights.add(trail, middle, self.shade, TRAIL, far=5.0)
        self.lights.draw()

    def draw_marks(self) -> None:
        """Draw the knight's noise, the guards' alertness, everyone's health, sparks, and the label."""
        x, y = self.knight.place
        if self.noise:
            ring = self.noise * (self.frame % 30 + 1) / 30
            fade = int(90 * (1 - ring / self.noise))
            arcade.draw_circle_outline(x, y, ring, SPARK.replace(a=fade), 2)
        full = [(x - 12 + 8 * number, y + 22) for number in range(HEALTH)]
        arcade.draw_points(full, SHADOW, 7)
        arcade.draw_points(full[: self.knight.health], HEART, 5)
        hearts = [
            (guard.place[0] - 4 * (guard.health - 1) + 8 * number, guard.place[1] + 19)
            for guard in self.guards
            for number in range(guard.health)
        ]
        arcade.draw_points(hearts, SHADOW, 6)
        arcade.draw_points(hearts, CRIMSON, 4)
        for guard in self.guards:
            (x, y), part = guard.place, min(guard.alert, 1.0)
            if part:
                arcade.draw_lrbt_rectangle_filled(x - 13, x + 13, y + 23, y + 29, SHADOW)
                color = ALARMED if guard.pursues else WARY
                arcade.draw_lrbt_rectangle_filled(x - 12, x - 12 + 24 * part, y + 24, y + 28, color.replace(a=255))
        for (x, y), frame in self.sparks:
            glow = 1 - (self.frame - frame) / 14
            if glow > 0:
                arcade.draw_circle_filled(x, y, 9 * glow, PAPER.replace(a=200))
                arcade.draw_circle_outline(x, y, 26 * (1 - glow), CREST.replace(a=int(255 * glow)), 3)
        if self.frame < self.label_ends:
            self.label.draw()

    def draw_debug(self) -> None:
        """Draw what Impinge sees: bodies, goals, ranks, cones, blades at both ends of a frame, points of hits."""
        arcade.draw_lrbt_rectangle_filled(0, WIDTH, 24, HEIGHT - BAR, PAPER.replace(a=190))
        cones = [(SIGHT, guard.pose) for guard in self.guards]
        blades = [blade for fighter in (*self.guards, self.knight) for blade in fighter.blades]
        draw_debug(self, sectors=[*cones, *blades])
        for guard in self.guards:
            outline = im.visible_outline(SIGHT, guard.pose, self.shade, tolerance=0.5)
            arcade.draw_line_strip([*outline.tolist(), outline[0].tolist()], CRIMSON, 2)
        arcade.draw_points(self.sightings, CRIMSON, 8)
        arcade.draw_circle_outline(*self.knight.place, max(self.noise, 1), STEEL_BLUE, 1)

    def shows(self) -> str:
        """Return the line that explains what is happening."""
        if self.frame < self.line_ends:
            return self.line
        if self.is_sneaking:
            return SNEAKS
        return PURSUED if any(guard.pursues for guard in self.guards) else SEES

    def scores(self) -> str:
        """Return the line with the points, and with what is left."""
        return (
            f"Score {self.score}, best {self.best}      Wave {self.wave}, guards {len(self.guards)}      "
            f"Health {max(self.knight.health, 0)} of {HEALTH}      {self.knight.weapon.name.capitalize()}      "
            f"From behind {self.counts['backstabs']}      Slams {self.counts['slams'] + self.counts['bowled']}"
        )

    def summary(self) -> str:
        """Return a line that sums up the game."""
        names = (
            "waves",
            "kills",
            "backstabs",
            "sword",
            "halberd",
            "slams",
            "bowled",
            "alarms",
            "hurts",
            "gems",
            "losses",
        )
        return f"{self.frame} frames, score {self.score}, " + ", ".join(f"{self.counts[name]} {name}" for name in names)

    def state(self) -> dict[str, Any]:
        """Return all positions, states and counts."""
        return {
            "gate": self.gate.angle,
            "knight": [*self.knight.place, self.knight.facing, self.knight.health, self.knight.weapon.name],
            "guards": [[*guard.place, guard.facing, guard.health, guard.alert, guard.stun] for guard in self.guards],
            "gems": [gem.pose.x for gem in self.gems],
            "counts": [self.frame, self.score, self.wave, *sorted(self.counts.items())],
        }
