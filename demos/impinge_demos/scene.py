"""The picture that the menu and the games draw, scaled to the window, and the keys for the window. No game logic."""

from __future__ import annotations

from abc import abstractmethod
from typing import Final

import arcade
from arcade.types import Color, Rect

__all__ = ["HEIGHT", "WIDTH", "Scene", "placed"]

# Pixels of the picture, the same in all games, because the menu shows each of them.
WIDTH: Final = 1008
HEIGHT: Final = 624
PICTURE: Final = arcade.LBWH(0, 0, WIDTH, HEIGHT)


def placed(part: Rect, width: int, height: int) -> Rect:
    """Return where a part of the picture is in a window.

    The picture is as large as the window allows, keeps its aspect, and is centred.

    Examples
    --------
    >>> placed(PICTURE, 2016, 1248).lbwh_int
    (0, 0, 2016, 1248)
    >>> placed(PICTURE, 2016, 624).lbwh_int
    (504, 0, 1008, 624)
    """
    scale = max(min(width / WIDTH, height / HEIGHT), 2 / HEIGHT)  # a minimized window may have no height
    left, bottom = (width - scale * WIDTH) / 2, (height - scale * HEIGHT) / 2
    across = round(left + scale * part.left), round(left + scale * part.right)
    return arcade.LRBT(*across, round(bottom + scale * part.bottom), round(bottom + scale * part.top))


class Scene(arcade.View):
    """A view whose picture of `WIDTH` x `HEIGHT` is scaled to the window.

    Parameters
    ----------
    background : Color
        Colour of the picture where nothing is drawn.
    sound : bool
        Whether sounds are on.
    """

    is_paused = False

    def __init__(self, background: Color, sound: bool) -> None:
        super().__init__(background_color=background)
        self.sound = sound
        self.camera = camera(PICTURE)

    @abstractmethod
    def draw_picture(self) -> None:
        """Draw the picture."""

    def look(self, view: arcade.Camera2D, part: Rect) -> None:
        """Let a camera fill a part of the picture, in the window's present size."""
        view.viewport = view.scissor = placed(part, self.window.width, self.window.height)

    def on_draw(self) -> None:
        """Draw the picture, and black bars beside it where the window has another aspect."""
        self.look(self.camera, PICTURE)
        self.clear(color=arcade.color.BLACK)
        self.clear(viewport=self.camera.viewport.lbwh_int)
        with self.camera.activate():
            self.draw_picture()
        self.window.ctx.scissor = None  # Arcade's default camera leaves it as it is

    def on_key_press(self, symbol: int, modifiers: int) -> None:
        """Handle the keys for the window."""
        if symbol == arcade.key.M:
            self.sound = not self.sound

    def on_key_release(self, symbol: int, modifiers: int) -> None:
        """Switch between full screen and window when F11 is released.

        On X11, pyglet makes a new window, which does not hear of the release of a key that was pressed in the old one.
        Pyglet then takes the next press of that key for a repetition.
        """
        if symbol == arcade.key.F11:
            self.window.set_fullscreen(not self.window.fullscreen)


def camera(part: Rect) -> arcade.Camera2D:
    """Make a camera that shows a whole picture in a part of a picture."""
    return arcade.Camera2D(part, projection=PICTURE, position=(0, 0))
