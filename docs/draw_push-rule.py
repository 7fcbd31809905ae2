"""Draw the pictures of the page about the push rule: `python docs/draw_push-rule.py` writes `pictures/push-rule*.png`.

The library and the published stepping compute what the pictures show. The script needs Pillow, which comes with
Arcade.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from drawing import BLUE, GREY, INK, ORANGE, Figure, Point, paled, standing, write

import impinge as im
from impinge.reference.quads import TwoQuads, collision_of_two_quads

PALE = 0.55  # opacity of the colours at the frame's start
SAMPLES = 60  # points of a path


@dataclass(frozen=True)
class Mover:
    """A box, its position at the frame's start, and its goal."""

    box: im.Box
    start: Point
    goal: Point

    def way(self, time: float = 1.0) -> im.Motion:
        """Return its own motion up to a time."""
        (x, y), (goal_x, goal_y) = self.start, self.goal
        return im.Motion(im.Pose(x, y), im.Pose(x + time * (goal_x - x), y + time * (goal_y - y)))


@dataclass(frozen=True)
class Case:
    """A case of the rule in a panel of 40 by 24: mighty boxes, the sides of each of them, and weak boxes."""

    title: str
    mighty: tuple[Mover, ...]
    weak: tuple[Mover, ...]
    sides: dict[str, im.Side] = field(default_factory=dict)
    compared: dict[str, im.Side] | None = None  # other sides; the end of the weak box with them is drawn in grey


ONE_WAY = im.Side.LEFT | im.Side.RIGHT | im.Side.BOTTOM
CREATURE = im.Box(6, 6)
CASES = (
    Case(
        "1  struck, and carried along",
        (Mover(im.Box(16, 5), (10, 4), (22, 9)),),
        (Mover(CREATURE, (18, 20), (16, 8)),),
        compared={"carrying": im.Side.NONE},
    ),
    Case(
        "2  slides past the end of a face",
        (Mover(im.Box(22, 7), (12, 9), (12, 9)),),
        (Mover(CREATURE, (12, 19), (32, 3)),),
    ),
    Case(
        "3  a sticky lift goes down",
        (Mover(im.Box(24, 4), (17, 15), (17, 5)),),
        (Mover(CREATURE, (11, 20), (23, 19)),),
        {"sticky": im.Side.TOP},
        compared={},
    ),
    Case(
        "4  passable from below, not from above",
        (Mover(im.Box(34, 3), (20, 10), (20, 10)),),
        (Mover(CREATURE, (10, 4), (14, 20)), Mover(CREATURE, (26, 20), (30, 4))),
        {"passable": ONE_WAY},
    ),
    Case(
        "5  stuck between two",
        (Mover(im.Box(34, 4), (20, 3), (20, 3)), Mover(im.Box(20, 5), (20, 20), (20, 12))),
        (Mover(CREATURE, (20, 8), (20, 8)),),
    ),
    Case(
        "6  inside at the start",
        (Mover(im.Box(20, 16), (14, 12), (14, 12)),),
        (Mover(CREATURE, (23, 15), (34, 7)),),
    ),
)
PANEL = (40.0, 28.0)  # size of a case with its title


def draw_cases() -> Figure:
    """Draw the cases of the rule, two in a row."""
    wide, high = PANEL
    rows = (len(CASES) + 1) // 2
    figure = Figure(-1.0, 0.0, 2 * wide + 1.0, rows * high)
    for index, case in enumerate(CASES):
        draw_case(figure, case, index % 2 * wide, (rows - 1 - index // 2) * high)
    return figure


def draw_case(figure: Figure, case: Case, left: float, bottom: float) -> None:
    """Draw one case in a panel: starts pale, goals dashed, ends solid, and the path of each weak box."""

    def area(box: im.Box, place: Point, *style: object, **options: object) -> None:
        figure.area(standing(box, im.Pose(left + place[0], bottom + place[1])), *style, **options)  # type: ignore[arg-type]

    figure.text((left + 1.0, bottom + PANEL[1] - 2.0), case.title, anchor="lm")
    for mover in case.mighty:
        if mover.start != mover.goal:
            area(mover.box, mover.start, paled(BLUE, PALE), fill=0.1)
        area(mover.box, mover.goal, BLUE, 3.0, fill=0.3)
    for mover in case.weak:
        area(mover.box, mover.goal, paled(ORANGE, 0.75), dashed=True)
        area(mover.box, mover.start, paled(ORANGE, PALE), fill=0.1)
        if case.compared is not None:
            area(mover.box, ended(case.mighty, mover, case.compared), GREY)
        # A box that starts inside another is moved out first, and its own motion starts from there.
        freed = replace(mover, start=ended(case.mighty, mover, case.sides, 0.0))
        places = [mover.start]
        places += [ended(case.mighty, freed, case.sides, step / SAMPLES) for step in range(SAMPLES + 1)]
        area(mover.box, places[-1], ORANGE, 3.0, fill=0.3)
        figure.line([(left + x, bottom + y) for x, y in places], INK, 2.0)
        figure.dot((left + places[-1][0], bottom + places[-1][1]))
    for mover in case.mighty:
        if mover.start != mover.goal:
            ways = [(left + x, bottom + y) for x, y in (mover.start, mover.goal)]
            figure.arrow(ways[0], ways[1], BLUE, 2.0)


def ended(mighty: tuple[Mover, ...], weak: Mover, sides: dict[str, im.Side], time: float = 1.0) -> Point:
    """Return the position of a weak box at a time of the frame: its end if the frame ends then."""
    world = im.World()
    for mover in mighty:
        body = world.add(mover.box, mover.way().start, might=1, **sides)
        body.goal = mover.way(time).end
    creature = world.add(weak.box, weak.way().start)
    creature.goal = weak.way(time).end
    world.step()
    return creature.pose.x, creature.pose.y


# The worked example of the original, in its own coordinates: pixels, y down, positions of upper left corners.
PAGE = TwoQuads(
    mighty_size=(8, 8),
    mighty_start=(-7, 4),
    mighty_end=(-4, 1),
    weak_size=(8, 8),
    weak_start=(2, -6),
    weak_goal=(1, -5),
)


def draw_page() -> Figure:
    """Draw the original's example three times: as published, and by the rule with and without carrying."""
    figure = Figure(-9.0, -17.0, 51.0, 11.5)
    published = collision_of_two_quads(PAGE).weak_end
    draw_answer(figure, 0.0, "as published", published)
    for left, title, carrying in ((20.0, "the rule, carried", im.Side.ALL), (40.0, "not carried", im.Side.NONE)):
        push = im.push(im.Box(8, 8), way(PAGE.mighty_start, PAGE.mighty_end), *weak_way(), carrying=carrying)
        draw_answer(figure, left, title, (push.pose.x - 4.0, -push.pose.y - 4.0))
    return figure


def draw_answer(figure: Figure, left: float, title: str, end: Point) -> None:
    """Draw one result of the example."""

    def upright(corner: Point) -> list[Point]:
        return standing(im.Box(8, 8), centre(corner, left))

    figure.area(upright(PAGE.mighty_start), paled(BLUE, PALE), fill=0.1)
    figure.area(upright(PAGE.weak_start), paled(ORANGE, PALE), fill=0.1)
    figure.area(upright(PAGE.weak_goal), paled(ORANGE, 0.75), dashed=True)
    figure.area(upright(PAGE.mighty_end), BLUE, 3.0, fill=0.3)
    figure.area(upright(end), ORANGE, 3.0, fill=0.3)
    x, y = end
    figure.dot((left + x, -y))
    figure.text((left + 1.0, 10.0), title)
    figure.text((left + 1.0, -15.0), f"({x:g}, {y:.4g})", ORANGE)


def centre(corner: Point, left: float = 0.0) -> im.Pose:
    """Return the pose of a quad of the example, with y up."""
    return im.Pose(left + corner[0] + 4.0, -corner[1] - 4.0)


def way(start: Point, end: Point) -> im.Motion:
    """Return the motion of a quad of the example."""
    return im.Motion(centre(start), centre(end))


def weak_way() -> tuple[im.Box, im.Motion]:
    """Return the weak quad of the example and its motion."""
    return im.Box(8, 8), way(PAGE.weak_start, PAGE.weak_goal)


PICTURES = {
    "push-rule.png": draw_cases,
    "push-rule-original.png": draw_page,
}


if __name__ == "__main__":
    write(PICTURES, "the push rule")
