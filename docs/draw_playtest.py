"""Draw the picture of the page about playtests: `python docs/draw_playtest.py` writes `docs/pictures/playtest.png`.

It is the picture of a report about step 6 of the tutorial.
"""

from __future__ import annotations

import argparse
import importlib.util
import math
import os
from pathlib import Path

os.environ.setdefault("ARCADE_HEADLESS", "True")  # Arcade reads it at import
import arcade
from PIL import Image

from impinge_playtest import Area, Level, Platformer, explore
from impinge_playtest.maps import areas_of, level_from_engine
from impinge_playtest.picture import draw

STEP = Path(__file__).parent / "platformer" / "06_planks_and_hills.py"
WIDTH = 1200  # pixels
COLOURS = 96  # in a file, few to keep it small


def tutorial() -> tuple[Level, Platformer]:
    """Return the level of the step, and what its hero can do."""
    spec = importlib.util.spec_from_file_location("step", STEP)
    assert spec is not None
    assert spec.loader is not None
    step = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(step)
    window = arcade.Window(800, 600)
    game = step.Game()
    moves = Platformer(speed=step.RUN, jump=step.JUMP - step.GRAVITY, gravity=step.GRAVITY)
    border = Area("border", 0, 0, 40 * step.TILE, math.inf)
    coins = areas_of(game.coins, "coin")
    level = level_from_engine(game.engine, game.hero, moves, coins=coins, border=border, name="tutorial")
    window.close()
    return level, moves


def main() -> None:
    """Write the picture."""
    parser = argparse.ArgumentParser(description="Draw the picture of the page about playtests.")
    parser.add_argument("folder", nargs="?", type=Path, default=Path(__file__).parent / "pictures")
    path = parser.parse_args().folder / "playtest.png"
    draw(explore(*tutorial(), frames=600_000), path)
    with Image.open(path) as picture:
        smaller = picture.resize((WIDTH, round(picture.height * WIDTH / picture.width)), Image.Resampling.LANCZOS)
    smaller.quantize(COLOURS, dither=Image.Dither.NONE).save(path, "PNG", optimize=True)


if __name__ == "__main__":
    main()
