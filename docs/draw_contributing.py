"""Draw the picture of CONTRIBUTING.md: `python docs/draw_contributing.py` writes `docs/pictures/layout.png`.

The layers of the core are computed from its imports. Drawing needs Pillow, which comes with Arcade.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

from drawing import BLUE, GREEN, GREY, INK, ORANGE, Colour, Figure, write

CORE = Path(__file__).resolve().parents[1] / "plugin" / "impinge"
# Parts of the core that no layer shows: what starts it, what packs it, and the oracles.
APART = {"__init__", "__main__", "_pyinstaller", "_version", "reference", "runtime"}


def draw_layout() -> Figure:
    """Draw the packages as layers: each imports only packages below it."""
    rows = layers()
    top = 3.5 + 7.5 * len(rows)
    figure = Figure(0.0, 0.0, 96.0, top + 28.0)
    box(figure, (17.0, top + 19.0, 79.0, top + 26.0), ORANGE, "demos/impinge_demos", "games")
    box(figure, (17.0, top + 8.0, 47.0, top + 15.0), BLUE, "adapters/impinge_arcade", "sprites")
    box(figure, (49.0, top + 8.0, 79.0, top + 15.0), BLUE, "adapters/impinge_pymunk", "spaces")
    box(figure, (2.0, top + 8.5, 12.0, top + 14.5), GREY, "Arcade")
    box(figure, (84.0, top + 8.5, 94.0, top + 14.5), GREY, "Pymunk")
    figure.area(corners(2.0, 1.0, 94.0, top + 4.0), GREEN, fill=0.06)
    figure.text((4.0, top + 1.5), "plugin/impinge: the core, which imports no engine", GREEN, "lm")
    for level, names in enumerate(rows):
        low = 2.5 + 7.5 * level
        box(figure, (4.0, low, 74.0, low + 6.0), GREEN if level else INK, "  ".join(names))
    box(figure, (77.0, 2.5, 92.0, top - 1.0), GREY, "reference/", "as published:", "oracles for", "tests")
    for x, above, below in ((32.0, 19.0, 15.0), (64.0, 19.0, 15.0), (32.0, 8.0, 4.0), (64.0, 8.0, 4.0)):
        figure.arrow((x, top + above), (x, top + below), INK, 2.0)
    figure.arrow((17.0, top + 11.5), (12.0, top + 11.5), INK, 2.0)
    figure.arrow((79.0, top + 11.5), (84.0, top + 11.5), INK, 2.0)
    return figure


def layers() -> list[list[str]]:
    """Return the folders and modules of the core, lowest layer first: each imports from lower layers or its own."""
    names = sorted({path.stem for path in CORE.iterdir() if path.suffix == ".py" or path.is_dir()} - APART)
    used = {name: imports_of(name) & set(names) for name in names if not name.startswith("__")}

    @cache
    def reached(name: str) -> frozenset[str]:
        """Return all parts that a part imports, directly or not."""
        seen, waiting = set[str](), [name]
        while waiting:
            new = used[waiting.pop()] - seen
            seen |= new
            waiting += new
        return frozenset(seen)

    @cache
    def level(name: str) -> int:
        """Return one more than the highest layer below: parts that import each other share a layer."""
        below = [other for other in reached(name) if name not in reached(other)]
        return 1 + max(map(level, below), default=-1)

    rows: list[list[str]] = [[] for _ in range(1 + max(map(level, used)))]
    for name in used:
        rows[level(name)].append(f"{name}/" if (CORE / name).is_dir() else name)
    return rows


def imports_of(name: str) -> set[str]:
    """Return the parts of the core that one imports when it is imported: not those for types or within functions."""
    path, found = CORE / name, set()
    for source in path.rglob("*.py") if path.is_dir() else [path.with_suffix(".py")]:
        for node in ast.parse(source.read_text("utf-8")).body:
            if isinstance(node, ast.ImportFrom) and node.module == "impinge":
                found |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("impinge."):
                found.add(node.module.split(".")[1])
    return found - {name}


def box(figure: Figure, sides: tuple[float, float, float, float], colour: Colour, *words: str) -> None:
    """Draw a box with a name and, below it, a description."""
    left, bottom, right, top = sides
    figure.area(corners(*sides), colour, fill=0.15)
    high = 2.8
    first = 0.5 * (bottom + top) + 0.5 * high * (len(words) - 1)
    for index, word in enumerate(words):
        figure.text((0.5 * (left + right), first - high * index), word, GREY if index else colour)


def corners(left: float, bottom: float, right: float, top: float) -> list[tuple[float, float]]:
    """Return the corners of a rectangle."""
    return [(left, bottom), (right, bottom), (right, top), (left, top)]


PICTURES = {"layout.png": draw_layout}


if __name__ == "__main__":
    write(PICTURES, "contributing")
