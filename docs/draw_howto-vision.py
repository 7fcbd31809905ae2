"""Draw the picture of the page about guards: `python docs/draw_howto-vision.py` writes `pictures/howto-vision.png`.

The picture is a frame of the page's own program, played without a screen.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

os.environ.setdefault("ARCADE_HEADLESS", "True")  # Arcade reads it at import
import arcade

PAGE = Path(__file__).parent / "howto-vision.md"
UPDATES = 8  # updates until the light comes through the gap


def program() -> dict[str, Any]:
    """Return the names that the page's first program defines."""
    block = re.search(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    assert block is not None
    names: dict[str, Any] = {"__name__": "yard"}
    exec(compile(block[1], PAGE.name, "exec"), names)
    return names


def main(folder: Path) -> None:
    """Write the picture to a folder."""
    window = arcade.Window(600, 340, visible=False)
    yard: Any = program()["Yard"]()
    window.show_view(yard)
    for _ in range(UPDATES):
        yard.on_fixed_update(1 / 60)
    yard.on_draw()
    arcade.get_image().convert("RGB").quantize(64).save(folder / "howto-vision.png", optimize=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "pictures")
