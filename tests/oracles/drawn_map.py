"""A Tiled map of rectangles: a floor, which may be too short, a start and a goal."""

from __future__ import annotations

import json
from pathlib import Path

__all__ = ["write_map"]

MAP = {
    "width": 12, "height": 6, "tilewidth": 50, "tileheight": 50, "orientation": "orthogonal", "infinite": False,
    "renderorder": "right-down", "version": "1.10", "tiledversion": "1.10.2", "type": "map", "nextlayerid": 9,
    "nextobjectid": 9, "tilesets": [],
}  # fmt: skip


def rectangle(number: int, name: str, x: float, y: float, width: float, height: float) -> dict[str, object]:
    return {
        "id": number, "name": name, "x": x, "y": y, "width": width, "height": height, "rotation": 0, "type": "",
        "visible": True, "point": width == 0,
    }  # fmt: skip


def write_map(path: Path, *, floor: float = 600, goal: float = 550) -> Path:
    """Write a map of 600 by 300 with a floor, walls at both ends, a start and a goal, all drawn as rectangles."""
    layers = {
        "Walls": [rectangle(1, "", 0, 250, floor, 50), rectangle(2, "", -50, -300, 50, 600),
                  rectangle(3, "", 600, -300, 50, 600)],
        "Goal": [rectangle(4, "", goal, 200, 40, 50)],
        "Places": [rectangle(5, "start", 100, 200, 0, 0)],
    }  # fmt: skip
    drawn = [
        {"id": number, "name": name, "objects": objects, "type": "objectgroup", "draworder": "topdown", "opacity": 1,
         "visible": True, "x": 0, "y": 0}
        for number, (name, objects) in enumerate(layers.items(), 1)
    ]  # fmt: skip
    path.write_text(json.dumps({**MAP, "layers": drawn}))
    return path
