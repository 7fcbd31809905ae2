"""Play the sounds that come with Arcade: Kenney's (kenney.nl), in the public domain (CC0)."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from typing import Final

import arcade
from pyglet.media import get_audio_driver
from pyglet.media.drivers.silent.adaptation import SilentDriver

__all__ = ["play"]

VOLUME: Final = 0.5  # of the loudest sounds; 1 is as loud as the files are


@cache
def _loaded(file: str) -> arcade.Sound:
    return arcade.load_sound(f":resources:sounds/{file}.wav")


def play(file: str, volume: float) -> None:
    """Play a sound, or nothing where there is no sound device.

    Parameters
    ----------
    file : str
        Name of a file in Arcade's folder of sounds, without ".wav".
    volume : float
        From 0, silent, to 1.
    """
    if isinstance(get_audio_driver(), SilentDriver):  # type: ignore[no-untyped-call]
        return
    # A device may go away during a game. Each driver raises errors of its own type for that.
    with suppress(Exception):
        _loaded(file).play(VOLUME * volume)
