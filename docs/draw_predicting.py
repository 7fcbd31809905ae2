"""Draw the picture of the page about predicting: `python docs/draw_predicting.py` writes `pictures/predicting.png`.

The library computes what the picture shows. The script needs Pillow, which comes with Arcade.
"""

from __future__ import annotations

from drawing import BLUE, GREY, INK, ORANGE, Figure, Point, paled, write

from impinge.predict.relations import Path, minimum, moving_circles, squared_distance

# The example of the page: two circles of radius 1, and their motions in a second.
P, Q = Path.steady((0, 0), (2, 7)), Path.steady((1.5, 2.5), (-1, 2))
RADIUS = 1.0
LEFT, WIDE = 6.0, 10.0  # of the graph: x of its left end, and its width, which is one second


def draw_circles() -> Figure:
    """Draw both circles at the times of contact, and the square of their distance over time."""
    figure = Figure(-2.0, -1.7, 18.5, 9.5)
    apart = squared_distance(P, Q)
    ((enter, leave),) = moving_circles(P, RADIUS, Q, RADIUS)
    least = minimum(apart)
    for path, colour in ((P, BLUE), (Q, ORANGE)):
        for time in (0.0, 1.0):
            figure.disk(path(time), RADIUS, paled(colour, 0.5), fill=0.1)
        for time in (enter, leave):
            figure.disk(path(time), RADIUS, colour, 2.5)
    for path, colour in ((P, BLUE), (Q, ORANGE)):
        figure.arrow(path(0.0), path(1.0), colour, 2.0)

    def on_graph(time: float) -> Point:
        return LEFT + WIDE * time, float(apart(time))

    near = (2.0 * RADIUS) ** 2
    touching = [on_graph(enter + (leave - enter) * step / 100) for step in range(101)]
    figure.area([*touching, touching[0]], paled(BLUE, 0.2), fill=1.0)
    figure.line([(LEFT, 0.0), (LEFT + WIDE, 0.0)], GREY, 1.5)
    figure.line([(LEFT, near), (LEFT + WIDE, near)], GREY, 1.5, dashed=True)
    figure.line([on_graph(step / 200) for step in range(201)], INK, 3.0)
    figure.text((LEFT + WIDE + 0.3, near), "n = 4", GREY, "lm")
    figure.text((LEFT + 0.9, 8.0), "R(t)", anchor="lm")
    for time, words in ((0.0, "t = 0"), (1.0, "1")):
        figure.text((LEFT + WIDE * time, -0.3), words, GREY, "mt")
    for time in (enter, least.time, leave):
        figure.dot(on_graph(time), INK)
        figure.text((LEFT + WIDE * time, -0.3), f"{time:.3g}", anchor="mt")
        figure.line([on_graph(time), (LEFT + WIDE * time, 0.0)], GREY, 1.0, dashed=True)
    return figure


PICTURES = {"predicting.png": draw_circles}


if __name__ == "__main__":
    write(PICTURES, "predicting")
