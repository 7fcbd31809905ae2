"""Save the window as files: a PNG of one frame, a GIF of many. The files are small, because pages show them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import arcade
from PIL import Image

__all__ = ["EVERY", "Recording", "save_picture"]

EVERY: Final = 3  # frames of 1/60 s between two pictures of a GIF: GIF durations are whole hundredths of a second
COLOURS: Final = 48  # of a GIF: with more colours, the runs of equal pixels get short and the file large
SHRINK: Final = 2  # window pixels to a pixel of a GIF, along each side


class Recording:
    """A GIF that is being recorded. All its pictures use the colours of the first one."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.pictures: list[Image.Image] = []

    def take(self) -> None:
        """Add a picture of the window."""
        picture = arcade.get_image(components=3).reduce(SHRINK)
        if self.pictures:
            picture = picture.quantize(palette=self.pictures[0], dither=Image.Dither.NONE)
        else:
            picture = picture.quantize(colors=COLOURS, dither=Image.Dither.NONE)
        self.pictures.append(picture)

    def save(self) -> None:
        """Write the file, if there are any pictures."""
        if self.pictures:
            first, *others = self.pictures
            pace = 1000 * EVERY // 60  # milliseconds
            first.save(self.path, "GIF", save_all=True, append_images=others, duration=pace, loop=0, optimize=True)


def save_picture(path: Path) -> None:
    """Save the window as a PNG of 256 colours: a third of the bytes, and it looks the same."""
    arcade.get_image(components=3).quantize(colors=256).save(path, format="PNG", optimize=True)
