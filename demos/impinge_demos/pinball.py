"""Pinball in a Pymunk space: a fast ball, walls of one pixel, and continuous collision. F2 switches it off.

`python -m impinge_demos pinball` starts it. The bumpers' picture comes with Arcade, as do Kenney's sounds (kenney.nl).
The table is in `pinball_table`, its drawing in `pinball_looks`.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from typing import Any, ClassVar, Final, NamedTuple

import arcade
import pymunk
from arcade.types import Color
from pymunk import Vec2d

import impinge as im
from impinge_demos.controls import Controls
from impinge_demos.demo import STEP, Demo
from impinge_demos.pinball_bot import Bot
from impinge_demos.pinball_looks import Looks, Outlines
from impinge_demos.pinball_table import BALL, GRAVITY, LANE, MIDDLE, OUTLINE, Kind, Meeting, Table
from impinge_pymunk import SweepQueryInfo, continuous, draw_sweep, motion_of, sweep_query

SOFT, HARD = 1250, 4200  # pixels a second, of a ball launched by a tap, and at full charge
CHARGE = 45  # frames to charge the launcher
NUDGE = Vec2d(130, 230)  # pixels a second that a shove adds to the ball
TILT, CALM = 3, 180  # TILT shoves within CALM frames lock the flippers
BALLS = 3
SAVED = 300  # frames after a launch in which a lost ball comes back, once
STEEPER = 1.12  # gravity and kicks grow by this from level to level
STEEPEST = 8  # gravity and kicks do not grow above this level
FULL_LANES, FULL_BANK = 100, 500  # points
MOST = 6  # multiplier
CLEAR = 340  # from this x on, the ball cannot touch a drop target
LOUD = 250  # impulse from which a bounce off a wall or a flipper shows its line
FLIGHT = 40  # frames for which an escaped ball is shown


class Rule(NamedTuple):
    """The effect of a kind of contact with the ball: points, a kick, a line on the screen, a sound."""

    points: int
    kick: float  # pixels a second that the ball gets on top of its bounce
    line: str
    sound: str = ""


RULES: Final = {
    Kind.WALL: Rule(0, 0, "continuous(space): however fast it is, the ball bounces off walls of one pixel."),
    Kind.FLIPPER: Rule(0, 0, "Flipper: its tip goes 33 px in a frame, and strikes what is in its way."),
    Kind.BUMPER: Rule(10, 480, "Bumper: the bounce is Pymunk's own, and a handler hears of it, once.", "bumper"),
    Kind.SLINGSHOT: Rule(5, 420, "Slingshot: one hit, one call of the handler, as with a slow ball.", "bumper"),
    Kind.SPINNER: Rule(5, 0, "Spinner: a thin board on a joint. It is swept while it turns.", "spinner"),
    Kind.TARGET: Rule(50, 0, "Drop target: one pixel thick, hit once. All three make the table steeper.", "target"),
    Kind.ROLLOVER: Rule(25, 0, "Rollover: a sensor of one pixel hears of a ball that crosses it in a frame.", "lane"),
    Kind.GATE: Rule(0, 0, "One-way gate: its handler refuses the collision on the way out, at any speed."),
    Kind.DRAIN: Rule(0, 0, "Drain: a sensor of one pixel, and no ball falls past it unnoticed.", "drain"),
}
PLAIN = "Plain Pymunk: it moves the ball first and looks afterwards. F2 makes the steps continuous again."
CHARGING = "The ball leaves with up to 4,200 px/s: 70 px in a frame, nearly four times its width."


class Game(Demo):
    """The rules of the game."""

    title = "Pinball: continuous collision in a Pymunk space"
    keys = "left, right: flippers     space, hold and let go: launch     shift: shove     F2 continuous on, off"
    background = Color(13, 16, 32)
    sounds: ClassVar = {
        "bumper": "hit2",
        "spinner": "coin5",
        "target": "coin3",
        "lane": "coin1",
        "drain": "lose1",
        "launch": "laser3",
        "bank": "upgrade1",
        "tilt": "error2",
        "escape": "fall2",
    }

    def __init__(self, seed: int = 0, sound: bool = False) -> None:
        self.is_continuous = True
        self.escaped = {True: 0, False: 0}  # balls, with continuous steps and without
        self.holes: deque[Vec2d] = deque(maxlen=40)  # where balls escaped
        self.met = dict.fromkeys(RULES, 0)  # contacts of the ball by kind
        self.games = self.launches = self.lost = self.saves = self.banks = self.tilts = 0
        self.fastest = 0.0  # pixels a second
        self.looks = Looks(BALLS)
        super().__init__(seed, sound)

    def autoplay(self) -> Callable[[], Controls]:
        """Return controls that play the game."""
        return Bot(self)

    def setup(self) -> None:
        """Start a game. The seed varies the positions of the bumpers and the strength of the launcher."""
        self.games += 1
        self.ball = self.level = self.multiplier = 1
        self.pause = self.told = 0  # frames until the next game, and until the message disappears
        self.kind, self.kind_since = Kind.WALL, 0  # what the line on the screen explains, and since which frame
        self.hits: deque[tuple[int, Meeting]] = deque(maxlen=16)  # with their frames
        self.down: list[pymunk.Shape] = []  # drop targets
        self.lanes: list[pymunk.Shape] = []  # rollovers that are lit
        self.rising = 0  # frames until the drop targets come up again
        self.table = Table(lambda: self.random.uniform(-9, 9))
        if self.is_continuous:
            self.steps = continuous(self.table.space)  # from now on the ball passes through nothing
        self.serve()

    def switch(self) -> None:
        """Switch between continuous steps and Pymunk's own steps."""
        self.is_continuous = not self.is_continuous
        if self.is_continuous:
            self.steps = continuous(self.table.space)
        else:
            self.steps.release()

    def on_key_press(self, symbol: int, modifiers: int) -> None:
        """Handle the keys that are not held down."""
        super().on_key_press(symbol, modifiers)
        if symbol == arcade.key.F2:
            self.switch()

    def serve(self) -> None:
        """Put the ball in front of the launcher."""
        self.table.serve()
        self.charge = 0.0  # of the launcher, from 0 to 1
        self.launched = self.frame
        self.is_tilted = self.is_saved = False
        self.flight = 0  # frames since the ball escaped
        self.turns = math.floor(self.table.spinner.angle / math.pi)
        self.nudges: list[int] = []  # the frames of the last shoves
        self.was_nudging = True  # true until the key is released
        self.trail = deque([self.table.ball.position], maxlen=24)  # the ball's path, bounces included

    def play(self, controls: Controls) -> None:
        """Play a frame."""
        if self.pause:
            self.pause -= 1
            if not self.pause:
                self.score, self.message = 0, ""
                self.setup()
            return
        if self.told:
            self.told -= 1
            self.message = self.message if self.told else ""
        self.steer(controls)
        meetings = self.table.step()
        for meeting in meetings:
            self.trail.append(meeting.place)
            self.react(meeting)
        self.trail.append(self.table.ball.position)
        self.count_turns()
        self.raise_targets()
        if any(meeting.kind is Kind.DRAIN for meeting in meetings):
            self.lose()
        self.look_for_ball()

    def steer(self, controls: Controls) -> None:
        """Apply the player's controls."""
        for flipper, is_pressed in zip(self.table.flippers, (controls.left, controls.right), strict=True):
            flipper.swing(is_pressed and not self.is_tilted)
        if not self.table.is_waiting:
            self.charge = 0.0
        elif controls.first:
            self.charge = min(1.0, self.charge + 1 / CHARGE)
        elif self.charge:
            self.launch()
        if controls.second and not self.was_nudging and not self.is_tilted:
            self.nudge()
        self.was_nudging = controls.second

    def launch(self) -> None:
        """Shoot the ball up the lane."""
        speed = SOFT + (HARD - SOFT) * self.charge
        self.table.ball.velocity = 0, speed * self.random.uniform(0.97, 1.0)
        self.launched, self.charge = self.frame, 0.0
        self.launches += 1
        self.play_sound("launch")

    def nudge(self) -> None:
        """Shove the table. Too many shoves lock the flippers until the next ball."""
        self.nudges = [frame for frame in self.nudges if self.frame - frame < CALM] + [self.frame]
        if len(self.nudges) >= TILT:
            self.is_tilted = True
            self.tilts += 1
            self.tell("Tilt!", "tilt")
        elif self.table.ball.position.x < LANE:
            away = 1 if self.table.ball.position.x < MIDDLE else -1
            self.table.ball.velocity += NUDGE.x * away, NUDGE.y

    def react(self, meeting: Meeting) -> None:
        """Apply the effects of a contact of the ball."""
        kind, rule = meeting.kind, RULES[meeting.kind]
        self.met[kind] += 1
        self.hits.append((self.frame, meeting))
        if meeting.impulse > LOUD or kind not in (Kind.WALL, Kind.FLIPPER):
            self.explain(kind)
        self.earn(self.multiplier * rule.points)
        self.play_sound(rule.sound)
        self.table.ball.velocity -= rule.kick * self.steepness * meeting.normal
        if kind is Kind.TARGET:
            self.drop(meeting.shape)
        elif kind is Kind.ROLLOVER:
            self.light(meeting.shape)

    @property
    def steepness(self) -> float:
        """Return the factor by which gravity and kicks have grown since the first level."""
        return STEEPER ** (min(self.level, STEEPEST) - 1)

    def explain(self, kind: Kind) -> None:
        """Show the line of this kind if the last line was shown long enough. Walls wait longest: they are hit often."""
        if self.frame - self.kind_since > (180 if kind is Kind.WALL else 20 if self.kind is Kind.WALL else 90):
            self.kind, self.kind_since = kind, self.frame

    def drop(self, target: pymunk.Shape) -> None:
        """Take a drop target off the table."""
        self.table.space.remove(target)
        self.down.append(target)
        if len(self.down) == len(self.table.targets):
            self.banks += 1
            self.level += 1
            self.rising = 90
            self.table.space.gravity = 0, -GRAVITY * self.steepness
            self.earn(self.multiplier * FULL_BANK)
            self.tell(f"Level {self.level}: steeper", "bank")

    def raise_targets(self) -> None:
        """Raise the drop targets again after a while, once the ball cannot touch them."""
        self.rising = max(0, self.rising - 1)
        if len(self.down) == len(self.table.targets) and not self.rising and self.table.ball.position.x > CLEAR:
            self.table.space.add(*self.down)
            self.down.clear()

    def light(self, rollover: pymunk.Shape) -> None:
        """Light a lane. When all lanes are lit, the multiplier grows."""
        if rollover not in self.lanes:
            self.lanes.append(rollover)
        if len(self.lanes) == len(self.table.rollovers):
            self.lanes.clear()
            self.earn(self.multiplier * FULL_LANES)
            self.multiplier = min(MOST, self.multiplier + 1)
            self.tell(f"All counts {self.multiplier} times", "bank")

    def count_turns(self) -> None:
        """Give points for each half turn of the spinner."""
        turns = math.floor(self.table.spinner.angle / math.pi)
        self.earn(self.multiplier * RULES[Kind.SPINNER].points * abs(turns - self.turns))
        self.turns = turns

    def lose(self) -> None:
        """Lose the ball, or serve it again if it was launched a moment ago."""
        if self.frame - self.launched < SAVED and not self.is_saved:
            self.saves += 1
            self.tell("Saved: once more")
            self.serve()
            self.is_saved = True
            return
        self.lost += 1
        if self.ball == BALLS:
            self.message = f"Game over: {self.score:,}"
            self.pause = 150
            return
        self.ball += 1
        self.tell(f"Ball {self.ball}")
        self.serve()

    def look_for_ball(self) -> None:
        """Count the ball if it has escaped, and serve it again after a moment in which the player sees it fly."""
        ball = self.table.ball
        self.fastest = max(self.fastest, ball.velocity.length)
        if self.flight:
            self.flight += 1
        elif not is_inside(ball.position):
            self.flight = 1
            self.escaped[self.is_continuous] += 1
            self.holes.extend(hit.point for hit in self.passed_through())
            self.tell("Through the wall!", "escape")
        if self.flight > FLIGHT:
            self.serve()

    def passed_through(self) -> list[SweepQueryInfo]:
        """Return what the ball should have hit in the last part of its path, as Impinge's sweep finds it."""
        before, now = self.trail[-2], self.trail[-1]
        return sweep_query(self.table.space, self.table.ball, im.Motion(im.Pose(*before), im.Pose(*now)))

    def tell(self, message: str, sound: str = "") -> None:
        """Show a message for a moment."""
        self.message, self.told = message, 75
        self.play_sound(sound)

    def draw(self) -> None:
        """Draw the frame."""
        self.looks.draw(self)

    def draw_debug(self) -> None:
        """Draw the shapes, the ball's motion in the next frame with its first contact, and the last impacts."""
        outlines = Outlines()
        self.table.space.debug_draw(outlines)
        way = motion_of(self.table.ball, STEP)
        draw_sweep(outlines, self.table.ball, way, sweep_query(self.table.space, self.table.ball, way)[:1])
        for _, hit in self.hits:
            touched = hit.place + BALL * hit.normal
            outlines.draw_segment(touched, touched - 22 * hit.normal, outlines.collision_point_color)
            outlines.draw_dot(2, touched, outlines.collision_point_color)
        outlines.draw()

    def shows(self) -> str:
        """Return the line that explains what is happening."""
        if not self.is_continuous:
            return PLAIN
        return CHARGING if self.table.is_waiting else RULES[self.kind].line

    def scores(self) -> str:
        """Return the line with points and balls."""
        return (
            f"Score {self.score:,}, best {self.best:,}      Ball {self.ball} of {BALLS}      "
            f"Fastest {self.fastest:,.0f} px/s      Escaped {self.escaped[True]} with, {self.escaped[False]} without"
        )

    def summary(self) -> str:
        """Return a line that sums up the game."""
        return (
            f"{self.frame} frames, {self.launches} launches, {self.lost} balls lost, best score {self.best}, "
            f"{self.met[Kind.BUMPER]} bumpers, up to {self.fastest:.0f} px/s, {self.escaped[True]} escaped"
        )

    def state(self) -> dict[str, Any]:
        """Return all positions, velocities and counts."""
        table = self.table
        bodies = [table.ball, table.spinner, *(flipper.body for flipper in table.flippers)]
        return {
            "bodies": [[*body.position, *body.velocity, body.angle, body.angular_velocity] for body in bodies],
            "bumpers": [list(bumper.offset) for bumper in table.bumpers],
            "hits": [[frame, hit.kind.name, *hit.place, hit.impulse] for frame, hit in self.hits],
            "met": {kind.name: count for kind, count in self.met.items()},
            "escaped": [self.escaped[True], self.escaped[False]],
            "standing": [target not in self.down for target in table.targets],
            "lit": [rollover in self.lanes for rollover in table.rollovers],
            "counts": [self.games, self.launches, self.lost, self.saves, self.banks, self.tilts],
            "game": [self.score, self.best, self.ball, self.level, self.multiplier, self.charge, self.fastest],
        }


def is_inside(place: Vec2d) -> bool:
    """Return whether a place is on the table."""
    return arcade.geometry.is_point_in_polygon(place.x, place.y, OUTLINE)
