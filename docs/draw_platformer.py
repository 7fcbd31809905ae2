"""Draw the pictures of the tutorial: `python docs/draw_platformer.py` writes `docs/pictures/platformer-*.png`.

The pictures are frames of the tutorial's own steps, played without a screen with the keys given here.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from typing import Any

os.environ.setdefault("ARCADE_HEADLESS", "True")  # Arcade reads it at import
import arcade
from arcade import key

STEPS = Path(__file__).parent / "platformer"
SMALL = 480, 360
# For each picture: the step, the number of updates, and the keys pressed and released before an update.
Keys = dict[int, list[tuple[str, int]]]
PLAYED: dict[str, tuple[str, int, Keys]] = {
    "level": ("02_level", 0, {}),
    "jump": ("03_run_and_jump", 92, {30: [("press", key.RIGHT)], 60: [("press", key.UP)]}),
    "ferry": ("05_moving_platforms", 60, {}),
    "hill": ("06_planks_and_hills", 41, {0: [("press", key.RIGHT)]}),
    "debug": ("06_planks_and_hills", 41, {0: [("press", key.RIGHT), ("press", key.F1)]}),
    "push": ("07_push_engine", 110, {60: [("press", key.RIGHT)]}),
}
# Positions of the hero that differ from the start of the level.
PLACES = {"ferry": (13.5 * 64, 120.0), "hill": (27.0 * 64, 300.0), "debug": (27.0 * 64, 300.0)}


def game_of(step: str) -> arcade.View:
    """Return the game of a step."""
    spec = importlib.util.spec_from_file_location(f"step_{step}", STEPS / f"{step}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    game: arcade.View = module.Game()
    return game


def play(game: Any, updates: int, keys: Keys) -> None:
    """Play some updates of a game."""
    for update in range(updates):
        for done, symbol in keys.get(update, ()):
            (game.on_key_press if done == "press" else game.on_key_release)(symbol, 0)
        game.on_update(1 / 60)


def main(folder: Path) -> None:
    """Write all pictures to a folder."""
    window = arcade.Window(800, 600, visible=False)
    for name, (step, updates, keys) in PLAYED.items():
        game: Any = game_of(step)
        window.show_view(game)
        if name in PLACES:
            game.hero.position = PLACES[name]
        play(game, updates, keys)
        game.on_draw()
        image = arcade.get_image().convert("RGB").resize(SMALL)
        image.quantize(64).save(folder / f"platformer-{name}.png", optimize=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "pictures")
