"""The script that plays `pinball`. It asks Impinge when a flipper would hit the ball."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import impinge as im
from impinge_demos.controls import Controls
from impinge_demos.pinball_table import FLIPPER, MIDDLE, SPIN, Flipper
from impinge_pymunk import pose_of, shape_of

if TYPE_CHECKING:
    from impinge_demos.pinball import Game

__all__ = ["Bot"]

HOLD, REST = 9, 6  # frames that a flipper stays up, and then down before its next use
NEAR, FAR = 0.5, 1.0  # part of the flipper's length where it should hit the ball
STRENGTHS: Final = (1.0, 0.3, 0.6, 0.1)  # charges of the launches, one after the other
PATIENCE = 780  # frames after a launch until the bot lets the ball go, so that the demo also shows a lost ball
CALM = 150  # frames between nudges: at half of that, the table would tilt


class Bot:
    """Controls that play `pinball`."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.swung = [-99, -99]  # the frames in which the flippers were swung
        self.nudged = 0

    def __call__(self) -> Controls:
        """Return the controls for the next frame."""
        if self.game.table.is_waiting:
            return Controls(first=self.game.charge < STRENGTHS[self.game.launches % len(STRENGTHS)])
        if self.game.frame - self.game.launched > PATIENCE:
            return Controls()
        left, right = (self.uses(number) for number in (0, 1))
        return Controls(second=self.shoves(), left=left, right=right)

    def uses(self, number: int) -> bool:
        """Return whether to press a flipper: for HOLD frames from when a swing would hit the ball well."""
        since = self.game.frame - self.swung[number]
        if since > HOLD + REST and self.would_strike(self.game.table.flippers[number]):
            self.swung[number], since = self.game.frame, 0
        return since <= HOLD

    def would_strike(self, flipper: Flipper) -> bool:
        """Return whether a flipper that swings now would hit the ball with its outer half."""
        table = self.game.table
        pivot, lasting = flipper.body.position, abs(flipper.raised - flipper.rest) / SPIN
        swing = im.Motion(im.Pose(pivot.x, pivot.y, flipper.rest), im.Pose(pivot.x, pivot.y, flipper.raised))
        way = im.Motion.ballistic(
            pose_of(table.ball), table.ball.velocity, table.space.gravity, table.ball.angular_velocity, lasting
        )
        impact = im.time_of_impact(shape_of(flipper.shape), swing, shape_of(table.ball_shape), way)
        return impact is not None and NEAR < pivot.get_distance(impact.point) / FLIPPER < FAR

    def shoves(self) -> bool:
        """Return whether to shove the table: when the ball falls between the flippers."""
        (x, y), (_, speed) = self.game.table.ball.position, self.game.table.ball.velocity
        if abs(x - MIDDLE) < 22 and 90 < y < 200 and speed < -250 and self.game.frame - self.nudged > CALM:
            self.nudged = self.game.frame
            return True
        return False
