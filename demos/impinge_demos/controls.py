"""The player's input in a frame, read from the keyboard and a gamepad. Each game decides what the input does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import arcade
    from pyglet.input import Controller

__all__ = ["Controls", "HandControls"]

DEAD_ZONE: Final = 0.25  # part of a stick's range that counts as released: worn sticks rest at up to 0.2


@dataclass(frozen=True, slots=True)
class Controls:
    """The player's input in this frame, from keys, a gamepad or a script."""

    x: float = 0.0  # -1 to the left ... 1 to the right: arrows, A and D, the left stick
    y: float = 0.0  # -1 down ... 1 up: arrows, S and W, the left stick
    first: bool = False  # space, or a gamepad's A
    second: bool = False  # shift, or a gamepad's B
    left: bool = False  # the left arrow, A, or the left shoulder button; `right` may be true too
    right: bool = False  # the right arrow, D, or the right shoulder button


class HandControls:
    """Controls from the keyboard and from the first gamepad, if there is one.

    Keys that act once when pressed, such as F1, reach the game as key events. The gamepad's buttons for them are sent
    as key events too.
    """

    def __init__(self, window: arcade.Window) -> None:
        import arcade

        self.window, self.keys = window, arcade.key
        self.buttons = {"start": arcade.key.R, "back": arcade.key.ESCAPE, "y": arcade.key.F1, "x": arcade.key.F2}
        assert window.keyboard is not None  # it is None only in windows made without polling
        self.pressed = window.keyboard
        self.tapped: set[int] = set()  # keys that were pressed since the last frame, released or not
        window.push_handlers(on_key_press=self.tap)
        self.gamepad: Controller | None = None
        try:
            self.manager = arcade.ControllerManager()
        except OSError:  # no input devices, as in a container
            return
        self.manager.push_handlers(on_connect=self.connect, on_disconnect=self.disconnect)
        for gamepad in self.manager.get_controllers():
            self.connect(gamepad)

    def connect(self, gamepad: Controller) -> None:
        """Use a gamepad that was plugged in, unless another one is in use."""
        if self.gamepad is None:
            gamepad.open()
            gamepad.push_handlers(on_button_press=self.press)
            self.gamepad = gamepad

    def disconnect(self, gamepad: Controller) -> None:
        """Forget a gamepad that was unplugged."""
        if gamepad is self.gamepad:
            self.gamepad = None

    def press(self, gamepad: Controller, button: str) -> None:
        """Send the key event that a button of the gamepad stands for."""
        if button in self.buttons:
            self.window.dispatch_event("on_key_press", self.buttons[button], 0)

    def tap(self, symbol: int, modifiers: int) -> None:
        """Note a key for the next frame: at a low frame rate, a tap begins and ends between two frames."""
        if not getattr(self.window.current_view, "is_paused", False):
            self.tapped.add(symbol)

    def is_down(self, *symbols: int) -> bool:
        """Return whether one of some keys is held down, or was tapped since the last frame."""
        return any(self.pressed[symbol] or symbol in self.tapped for symbol in symbols)

    def on_gamepad(self) -> Controls:
        """Return what is held down now on the gamepad."""
        if (pad := self.gamepad) is None:
            return Controls()
        x, y = tilt(pad.leftx) or pad.dpadx, tilt(pad.lefty) or pad.dpady
        return Controls(x, y, bool(pad.a), bool(pad.b), bool(pad.leftshoulder), bool(pad.rightshoulder))

    def __call__(self) -> Controls:
        """Return what is held down now, and what was tapped since the last call."""
        key, down, pad = self.keys, self.is_down, self.on_gamepad()
        left, right = down(key.LEFT, key.A), down(key.RIGHT, key.D)
        x, y = float(right) - float(left), float(down(key.UP, key.W)) - float(down(key.DOWN, key.S))
        first, second = down(key.SPACE), down(key.LSHIFT, key.RSHIFT)
        self.tapped.clear()
        return Controls(
            x or pad.x, y or pad.y, first or pad.first, second or pad.second, left or pad.left, right or pad.right
        )


def tilt(stick: float) -> float:
    """Return the value of a stick, or 0 within the dead zone: a released stick rarely reads exactly 0."""
    return stick if abs(stick) > DEAD_ZONE else 0.0
