"""What the window shows, as files: a PNG of a frame, a GIF of many. Small, as they go into pages."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import arcade
from PIL import Image

__all__ = ["EVERY", "Recording", "save_picture"]

EVERY: Final = 3  # frames of 1/60 s from picture to picture of a GIF, which counts hundredths of a second
COLOURS: Final = 48  # of a GIF: more of them, and its runs of equal pixels grow short
SHRINK: Final = 2  # window pixels to a pixel of a GIF, along each side


class Recording:
    """A GIF in the making. All of its pictures have the colours of the first."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.pictures: list[Image.Image] = []

    def take(self) -> None:
        """Add what the window shows."""
        picture = arcade.get_image(components=3).reduce(SHRINK)
        if self.pictures:
            picture = picture.quantize(palette=self.pictures[0], dither=Image.Dither.NONE)
        else:
            picture = picture.quantize(colors=COLOURS, dither=Image.Dither.NONE)
        self.pictures.append(picture)

    def save(self) -> None:
        """Write the file, if there is anything to be seen in it."""
        if self.pictures:
            first, *others = self.pictures
            pace = 1000 * EVERY // 60  # milliseconds
            first.save(self.path, "GIF", save_all=True, append_images=others, duration=pace, loop=0, optimize=True)


def save_picture(path: Path) -> None:
    """Save what the window shows as a PNG of 256 colours: a third of the bytes, and it looks the same."""
    arcade.get_image(components=3).quantize(colors=256).save(path, format="PNG", optimize=True)
