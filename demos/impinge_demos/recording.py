"""Save the picture in the window as files: one frame, or a GIF of many. They are small, because pages show them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import arcade
from PIL import Image

from impinge_demos.scene import HEIGHT, PICTURE, WIDTH, placed

__all__ = ["EVERY", "Recording", "save_picture"]

EVERY: Final = 3  # frames of 1/60 s between two pictures of a GIF: GIF durations are whole hundredths of a second
COLOURS: Final = 48  # of a GIF: with more colours, the runs of equal pixels get short and the file large
SHRINK: Final = 2  # pixels of the picture to a pixel of a GIF, along each side


class Recording:
    """A GIF that is being recorded. All its pictures use the colours of the first one."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.pictures: list[Image.Image] = []

    def take(self) -> None:
        """Add the present frame."""
        picture = taken().reduce(SHRINK)
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


def taken() -> Image.Image:
    """Return the picture in the window, without bars, at its own size: all frames of a GIF have the same."""
    window = arcade.get_window()
    image = arcade.get_image(*placed(PICTURE, window.width, window.height).lbwh_int, components=3)
    return image if image.size == (WIDTH, HEIGHT) else image.resize((WIDTH, HEIGHT))


def save_picture(path: Path) -> None:
    """Save the picture in the format that the file's name ends in."""
    if path.suffix.lower() == ".png":  # 256 colours take a third of the bytes, and look the same
        taken().quantize(colors=256).save(path, "PNG", optimize=True)
    else:
        taken().save(path, "JPEG", quality=90)
