"""What all games share: frames, score, restart, the lines on the screen. It knows nothing of a single game."""

from __future__ import annotations

import random
from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Final

import arcade
from arcade.types import Color

from impinge_demos import sounds
from impinge_demos.controls import Controls
from impinge_demos.scene import HEIGHT, WIDTH, Scene

__all__ = ["BAR", "HEIGHT", "INK", "PAPER", "SPARK", "STEP", "WIDTH", "Demo", "text"]

STEP: Final = 1 / 60  # seconds of game time in a frame
BAR: Final = 48  # pixels at the top that the two lines of text take

INK: Final = Color(28, 34, 48)
PAPER: Final = Color(244, 246, 250)
SPARK: Final = Color(90, 200, 255)


GAP: Final = 4  # frames before the same sound is played again: twice at once is only louder


class Demo(Scene):
    """The base class of the games: the module of each game has a subclass named `Game`.

    The same seed and the same controls give the same game, bit for bit. Nothing depends on the clock, and all
    random numbers come from `self.random`.

    Parameters
    ----------
    seed : int
        Seed of the random numbers.
    sound : bool
        Whether to play sounds. M changes it.
    """

    title: ClassVar[str]
    keys: ClassVar[str]  # help on the keys, such as "arrows walk, space jumps"
    background: ClassVar[Color]
    sounds: ClassVar[dict[str, str]] = {}  # the name that `play_sound` takes -> a file of `sounds.play`

    def __init__(self, seed: int = 0, sound: bool = False) -> None:
        super().__init__(self.background, sound)
        self.random = random.Random(seed)
        self.controls: Callable[[], Controls] = Controls
        self.leave: Callable[[], None] = arcade.exit  # called by Esc; the menu replaces it
        self.show_debug = self.is_paused = False
        self.frame = self.score = self.best = 0
        self.message = ""  # drawn in large letters in the middle
        self.played: dict[str, int] = {}  # the frame in which each sound was last played
        self.lines = Lines(self)
        self.setup()

    @abstractmethod
    def setup(self) -> None:
        """Start the game, or start it again."""

    @abstractmethod
    def play(self, controls: Controls) -> None:
        """Play a frame of 1/60 s."""

    @abstractmethod
    def draw(self) -> None:
        """Draw the frame, without the lines on the screen."""

    @abstractmethod
    def draw_debug(self) -> None:
        """Draw what Impinge sees over the frame. F1 turns it on."""

    @abstractmethod
    def autoplay(self) -> Callable[[], Controls]:
        """Return controls that play the game."""

    @abstractmethod
    def shows(self) -> str:
        """Return a line that explains which part of Impinge is visible now."""

    @abstractmethod
    def scores(self) -> str:
        """Return a line with the player's score."""

    @abstractmethod
    def summary(self) -> str:
        """Return a line that sums up the game, for runs without a screen."""

    @abstractmethod
    def state(self) -> dict[str, Any]:
        """Return everything in which two games could differ, as JSON values."""

    def earn(self, points: int) -> None:
        """Add to the score."""
        self.score += points
        self.best = max(self.best, self.score)

    def play_sound(self, name: str, volume: float = 1.0) -> None:
        """Play a sound, if sounds are on."""
        if self.sound and self.frame - self.played.get(name, -GAP) >= GAP:
            self.played[name] = self.frame
            sounds.play(self.sounds[name], volume)

    def on_fixed_update(self, delta_time: float) -> None:
        """Play a frame, unless the game is paused."""
        if not self.is_paused:
            self.frame += 1
            self.play(self.controls())

    def draw_picture(self) -> None:
        """Draw the frame and the lines over it."""
        self.draw()
        if self.show_debug:
            self.draw_debug()
        self.lines.draw()

    def on_key_press(self, symbol: int, modifiers: int) -> None:
        """Handle the keys that are pressed once; keys held down come with the controls."""
        if symbol == arcade.key.F1:
            self.show_debug = not self.show_debug
        elif symbol == arcade.key.P:
            self.is_paused = not self.is_paused
        elif symbol == arcade.key.R:
            self.score, self.message, self.is_paused = 0, "", False
            self.setup()
        elif symbol == arcade.key.ESCAPE:
            self.leave()
        else:
            super().on_key_press(symbol, modifiers)


class Lines:
    """The lines over a game: score, explanation, keys, the message, and that the game is paused."""

    def __init__(self, game: Demo) -> None:
        keys = f"{game.keys}     P pause     F1 what Impinge sees     R restart     Esc leave"
        self.game = game
        self.scores = text(14, HEIGHT - 20, 14, PAPER)
        self.shows = text(14, HEIGHT - 40, 12, SPARK)
        self.keys = text(WIDTH / 2, 6, 11, PAPER, "center", keys)
        self.message = text(WIDTH / 2, 0.73 * HEIGHT, 36, PAPER, "center")
        self.paused = text(WIDTH / 2, 0.5 * HEIGHT, 48, PAPER, "center", "paused")
        self.hint = text(WIDTH / 2, 0.44 * HEIGHT, 14, PAPER, "center")

    def draw(self) -> None:
        """Draw the lines."""
        self.scores.text, self.shows.text = self.game.scores(), self.game.shows()
        self.message.text = self.game.message
        arcade.draw_lrbt_rectangle_filled(0, WIDTH, HEIGHT - BAR, HEIGHT, INK)
        for line in (self.keys, self.message) if self.game.message else (self.keys,):
            arcade.draw_lrbt_rectangle_filled(line.left - 9, line.right + 9, line.bottom - 3, line.top + 1, SHADE)
        for line in (self.scores, self.shows, self.keys, self.message):
            line.draw()
        if self.game.is_paused:
            self.hint.text = f"P goes on     F11 full screen     M sound {'off' if self.game.sound else 'on'}"
            arcade.draw_lrbt_rectangle_filled(0, WIDTH, 0, HEIGHT, SHADE)
            self.paused.draw()
            self.hint.draw()


SHADE = INK.replace(a=170)


def text(x: float, y: float, size: int, color: Color, anchor: str = "left", words: str = "") -> arcade.Text:
    """Make a line of text in a font that comes with Arcade."""
    return arcade.Text(
        words, round(x), round(y), color, size, font_name="Liberation Sans", bold=size > 12, anchor_x=anchor
    )
