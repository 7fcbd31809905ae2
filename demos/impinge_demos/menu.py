"""The menu: the names of the games, and beside them a preview of the chosen game, which plays itself."""

from __future__ import annotations

from functools import partial
from typing import Final

import arcade
from arcade.types import Color

from impinge_demos import GAMES, stage
from impinge_demos.controls import HandControls
from impinge_demos.demo import HEIGHT, INK, PAPER, SPARK, STEP, WIDTH, Demo, text
from impinge_demos.scene import Scene, camera

__all__ = ["Menu"]

NIGHT: Final = Color(20, 24, 36)
DIM: Final = Color(150, 160, 180)

PREVIEW: Final = arcade.LBWH(290, 130, 690, 690 * HEIGHT / WIDTH)  # where the preview is drawn
STEPS: Final = {arcade.key.UP: -1, arcade.key.W: -1, arcade.key.DOWN: 1, arcade.key.S: 1}
STARTS: Final = (arcade.key.ENTER, arcade.key.NUM_ENTER, arcade.key.SPACE)
PROMISE: Final = "Nothing tunnels. Walls push. A sword hits what it reaches."
KEYS: Final = "up and down choose     Enter or space plays     F11 full screen     M sound on, off     Esc quits"


class Menu(Scene):
    """The menu. Arrows and Enter, or a gamepad, choose a game. Esc in a game returns to the menu.

    Parameters
    ----------
    controls : HandControls
        The player's controls, for the menu and for the games.
    seed, sound
        Arguments for the games.
    """

    def __init__(self, controls: HandControls, seed: int, sound: bool) -> None:
        super().__init__(NIGHT, sound)
        self.controls, self.seed = controls, seed
        self.names = list(GAMES)
        self.chosen = 0
        self.before = controls.on_gamepad()  # in the last frame: a held control chooses only once
        self.preview_camera = camera(PREVIEW)
        top = PREVIEW.top - 24
        self.entries = [text(40, top - 52 * row, 22, DIM, words=name) for row, name in enumerate(self.names)]
        self.heading = text(40, PREVIEW.top + 26, 30, PAPER, words="Impinge")
        self.promise = text(PREVIEW.left, PREVIEW.top + 26, 14, SPARK, words=PROMISE)
        self.line = text(PREVIEW.left, 92, 13, PAPER)
        self.hint = text(PREVIEW.left, 64, 12, DIM)
        self.foot = text(40, 20, 11, DIM, words=KEYS)
        self.choose(0)

    def choose(self, number: int) -> None:
        """Select a game and start its preview."""
        self.chosen = number % len(self.names)
        name = self.names[self.chosen]
        self.preview = stage.load(name, self.seed, sound=False)
        self.preview.controls = self.preview.autoplay()
        self.line.text, self.hint.text = GAMES[name], self.preview.keys
        for row, entry in enumerate(self.entries):
            entry.color = PAPER if row == self.chosen else DIM

    def start(self) -> None:
        """Play the chosen game."""
        game: Demo = stage.load(self.names[self.chosen], self.seed, self.sound)
        game.controls, game.leave = self.controls, partial(self.come_back, game)
        self.window.set_caption(game.title)
        self.window.show_view(game)

    def come_back(self, game: Demo) -> None:
        """Return to the menu after a game."""
        self.sound = game.sound
        self.before = self.controls.on_gamepad()
        self.window.set_caption("Impinge")
        self.window.show_view(self)

    def on_fixed_update(self, delta_time: float) -> None:
        """Play a frame of the preview, and read the gamepad.

        Keys come as events, so that each tap counts, however many are between two frames.
        """
        self.preview.on_fixed_update(STEP)
        now = self.controls.on_gamepad()
        before, self.before = self.before, now
        if abs(now.y) > 0.5 >= abs(before.y):
            self.choose(self.chosen - (1 if now.y > 0 else -1))
        elif now.first and not before.first:
            self.start()

    def on_key_press(self, symbol: int, modifiers: int) -> None:
        """Handle a key."""
        if symbol in STEPS:
            self.choose(self.chosen + STEPS[symbol])
        elif symbol in STARTS:
            self.start()
        elif symbol == arcade.key.ESCAPE:
            arcade.exit()
        else:
            super().on_key_press(symbol, modifiers)

    def draw_picture(self) -> None:
        """Draw the menu and the preview."""
        self.look(self.preview_camera, PREVIEW)
        with self.preview_camera.activate():
            arcade.draw_lrbt_rectangle_filled(0, WIDTH, 0, HEIGHT, self.preview.background)
            self.preview.draw()
        arcade.draw_rect_outline(PREVIEW, DIM, 2)
        entry = self.entries[self.chosen]
        arcade.draw_lrbt_rectangle_filled(24, PREVIEW.left - 12, entry.bottom - 8, entry.top + 6, INK)
        for words in (*self.entries, self.heading, self.promise, self.line, self.hint, self.foot):
            words.draw()
