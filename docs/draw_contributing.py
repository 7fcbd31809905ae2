"""Draw the picture of CONTRIBUTING.md: `python docs/draw_contributing.py` writes `docs/pictures/layout.png`.

It needs Pillow, which comes with Arcade. `tests/docs/test_contributing.py` checks that imports point down.
"""

from __future__ import annotations

from drawing import BLUE, GREEN, GREY, INK, ORANGE, Colour, Figure, write


def draw_layout() -> Figure:
    """Draw the packages as layers: each imports only packages below it."""
    figure = Figure(0.0, 0.0, 96.0, 62.0)
    box(figure, (17.0, 53.0, 79.0, 60.0), ORANGE, "demos/impinge_demos", "games")
    box(figure, (17.0, 41.0, 47.0, 49.0), BLUE, "adapters/impinge_arcade", "sprites")
    box(figure, (49.0, 41.0, 79.0, 49.0), BLUE, "adapters/impinge_pymunk", "spaces")
    box(figure, (2.0, 42.0, 12.0, 48.0), GREY, "Arcade")
    box(figure, (84.0, 42.0, 94.0, 48.0), GREY, "Pymunk")
    figure.area(corners(2.0, 1.0, 94.0, 36.0), GREEN, fill=0.06)
    figure.text((4.0, 33.5), "plugin/impinge: the core, which knows no engine", GREEN, "lm")
    box(figure, (4.0, 25.0, 68.0, 31.0), GREEN, "world  bodies  searches  hooks  state", "many bodies")
    box(figure, (4.0, 17.5, 68.0, 23.5), GREEN, "queries  impacts  push  sector  attack  predict  batch", "pairs")
    box(figure, (4.0, 10.0, 68.0, 16.0), GREEN, "shapes  motion  sides  checks  errors", "values")
    box(figure, (4.0, 2.5, 68.0, 8.5), INK, "kernels/", "compiled: arrays in, arrays out")
    box(figure, (72.0, 2.5, 92.0, 31.0), GREY, "reference/", "as published:", "oracles for", "tests")
    for x, top, bottom in ((32.0, 53.0, 49.0), (32.0, 41.0, 36.0), (64.0, 41.0, 36.0)):
        figure.arrow((x, top), (x, bottom), INK, 2.0)
    figure.arrow((17.0, 45.0), (12.0, 45.0), INK, 2.0)
    figure.arrow((79.0, 45.0), (84.0, 45.0), INK, 2.0)
    return figure


def box(figure: Figure, sides: tuple[float, float, float, float], colour: Colour, *words: str) -> None:
    """Draw a box with a name and a description: on the right if the box is wide, else below."""
    left, bottom, right, top = sides
    figure.area(corners(*sides), colour, fill=0.15)
    if right - left > 40.0 and len(words) == 2:
        middle = 0.5 * (bottom + top)
        figure.text((left + 1.5, middle), words[0], colour, "lm")
        figure.text((right - 1.5, middle), words[1], GREY, "rm")
        return
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
