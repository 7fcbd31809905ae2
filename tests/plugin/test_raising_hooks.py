"""Frames in which a hook raises: the world continues like a twin world that never had this frame."""

from __future__ import annotations

import random
from typing import Any

import pytest

import impinge as im
from impinge import Body, Box, Capsule, Circle, Compound, Event, Frame, Polygon, Pose, Side, World
from impinge.hooks import Touch
from scale import cases
from world_contents import contents

SHAPES = [
    Box(2, 2),
    Box(1, 3),
    Box(5, 1),
    Circle(1),
    Circle(1.5),
    Capsule((-1, 0), (1, 0), 0.5),
    Capsule((0, -1), (0, 1), 0.5),
    Polygon([(-1, -1), (2, -1), (0, 2)]),
    Compound([(Box(2, 1), Pose(0, 0)), (Circle(1), Pose(1, 1))]),
]
# A solid within the bounds of each of these, for `impinge_narrowphase`.
CORE = Circle(0.25)
# Attributes of a body that a game can read.
ATTRIBUTES = [
    "index",
    "order",
    "shape",
    "pose",
    "previous",
    "goal",
    "movement",
    "might",
    "layer",
    "mask",
    "response",
    "when_stuck",
    "cut_short",
    "restitution",
    "carrying",
    "sticky",
    "passable",
    "max_slope",
    "snap",
    "step_height",
    "on_floor",
    "floor_velocity",
    "sides",
    "blocked",
    "stuck",
    "overlapped",
    "time",
]
# The rest of the counters is the work of the last frame, and the size of the memory.
COUNTERS = ["bodies", "movers", "solids", "resolved", "pressing", "passing"]
FRAMES = 10


class Trouble(Exception):  # noqa: N818
    pass


class Game:
    """A world with hooks that change it. Games of one seed are equal, and stay so.

    Attributes
    ----------
    handles
        All bodies that the world ever had, in the order of adding.
    frame
        Seeds the changes of the next frame, with the number of the call.
    fails_at
        The call of the next frame that raises, if it has as many: else the last call does.
    is_late
        Whether a change raises where it is applied, after all hooks of the frame, and not the call.
    """

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.frame: object = "start"
        self.calls = 0
        self.fails_at: int | None = None
        self.is_late = False
        self.handles: list[Body] = []
        self.world = World(entry_points=False)
        draw = random.Random(seed)
        self.is_level = draw.random() < 0.2  # all bodies have one rank, so only sensors find others
        self.rate = draw.choice([0.0, 0.1, 0.2])
        self.asks = draw.random() < 0.5
        self._add(self.world.add(Box(60, 2), Pose(0, -1), 0 if self.is_level else 2))
        self._add(self.world.add(Capsule((-6, 0), (6, 0), 1), Pose(-14, 9), 0 if self.is_level else 3))
        for _ in range(draw.choice([4, 12, 28])):
            self._add_one(draw)
        for body in draw.sample(self.handles[2:], len(self.handles) // 4):
            self.world.remove(body)
        self.world.register(_plugin_of(self))

    def _add(self, *bodies: Body) -> None:
        self.handles += bodies

    def _add_one(self, draw: random.Random) -> None:
        walks = draw.random() < 0.3
        taken = {body.order for body in self.present()}
        self._add(
            self.world.add(
                draw.choice(SHAPES),
                _pose(draw),
                0 if self.is_level else draw.choice([0, 0, 0, 1, 3]),
                draw.choice([1, 1, 2]),
                draw.choice([1, 3, 3]),
                response=draw.choice(["push", "push", "push", "bounce", "stop", "sensor"]),
                max_slope=0.8 if walks else None,
                snap=0.5 * walks,
                step_height=0.5 * walks,
                when_stuck=draw.choice(["wait", "freeze", "leave"]),
                order=draw.choice([None, *(set(range(self.world.next_order)) - taken)]),
            )
        )

    def present(self) -> list[Body]:
        """Return the bodies that are in the world, also those that hooks have added in this frame."""
        return [body for body in self.handles if repr(body) != "<Body, removed>"]

    def called(self) -> random.Random:
        """Change the world, and raise if it is time. Every hook calls this."""
        self.calls += 1
        draw = random.Random(f"{self.seed} {self.frame} {self.calls}")
        if self.calls < 60 and draw.random() < self.rate:
            self.change(draw)
        if self.calls == self.fails_at:
            self.fail(draw)
        return draw

    def fail(self, draw: random.Random) -> None:
        """Raise an exception, or make a change that raises where it is applied: a goal that is too many turns away."""
        if not self.is_late:
            raise Trouble
        there = self.present()
        for body in draw.sample(there, len(there)):
            body.angle = 1000
            body.goal = Pose(0, 0, body.goal.angle)

    def change(self, draw: random.Random) -> None:
        """Make a few changes to the world."""
        for _ in range(draw.randrange(1, 4)):
            there = self.present()
            body = draw.choice(there)
            kind = draw.randrange(16) if len(there) < 50 else draw.randrange(2, 16)
            if kind == 0:
                self._add_one(draw)
            elif kind == 1:
                poses = [(draw.uniform(-20, 20), draw.uniform(0, 15)) for _ in range(draw.randrange(20))]
                self._add(*self.world.add_many(draw.choice(SHAPES), poses, draw.randrange(2)))
            elif kind in (2, 3) and body not in self.handles[:2]:
                self.world.remove(body)
            elif kind == 4:
                body.shape = draw.choice(SHAPES)
            elif kind == 5:
                body.pose = _pose(draw)
            elif kind == 6:
                body.might = draw.choice([-1, 0, 1, 2, 4])
            elif kind == 7:
                body.mask, body.layer = draw.choice([0, 1, 3]), draw.choice([1, 2])
            elif kind == 8:
                body.response = draw.choice(["push", "bounce", "sensor"])
            elif kind == 9:
                body.max_slope, body.snap = draw.choice([None, 0.3, 0.8]), draw.random()
            elif kind == 10:
                self.world.set_goals([body.index], [(draw.uniform(-20, 20), draw.uniform(0, 15))])
            elif kind == 11:
                self.world.set_poses([body.index], [(draw.uniform(-20, 20), draw.uniform(0, 15), draw.random())])
            elif kind == 12:
                body.restitution, body.carrying = draw.random(), draw.choice([Side.ALL, Side.NONE])
            elif kind == 13:
                body.sticky, body.passable = draw.choice([Side.ALL, Side.NONE]), draw.choice([Side.TOP, Side.NONE])
            else:
                _queries(self.world)

    def aim(self, frame: object) -> None:
        """Set the goals of most bodies for a frame, and seed its changes."""
        self.frame, self.calls = frame, 0
        draw = random.Random(f"{self.seed} {frame}")
        for body in self.present():
            if draw.random() < (0.2 if body.might > 1 else 0.8):
                x, y, angle = body.coordinates
                turn = draw.choice([0, 0, 0.5, -2])
                body.goal = Pose(x + draw.uniform(-3, 3), y + draw.uniform(-4, 3), angle + turn)


def _pose(draw: random.Random) -> Pose:
    return Pose(draw.uniform(-20, 20), draw.uniform(0, 15), draw.choice([0.0, 0.0, 0.7, 2.0]))


def _plugin_of(game: Game) -> object:
    class Hooks:
        @im.hookimpl
        def impinge_frame_begin(self) -> None:
            game.called()

        @im.hookimpl
        def impinge_begin(self) -> bool:
            return game.called().random() < 0.9

        @im.hookimpl
        def impinge_pre_solve(self, contact: Touch) -> bool:
            return game.called().random() < 0.9

        @im.hookimpl
        def impinge_post_solve(self) -> None:
            game.called()

        @im.hookimpl
        def impinge_sensed(self) -> None:
            game.called()

        @im.hookimpl
        def impinge_separate(self) -> None:
            game.called()

        @im.hookimpl
        def impinge_frame_end(self) -> None:
            draw = game.called()
            if game.fails_at is not None:
                game.fail(draw)

    class Asking(Hooks):
        @im.hookimpl
        def impinge_filter(self) -> str | None:
            return game.called().choice([None, None, None, "bounce", "stop"])

        @im.hookimpl
        def impinge_narrowphase(self) -> tuple[Any, Any]:
            draw = game.called()
            return draw.choice([(None, None), (CORE, None), (None, CORE), (CORE, Circle(draw.uniform(0.1, 0.3)))])

    return Asking() if game.asks else Hooks()


def _queries(world: World) -> list[Any]:
    """Return the answers of queries all over the world."""
    answers: list[Any] = []
    for y in range(0, 16, 3):
        answers += [
            [(hit.target.index, hit.impact) for hit in world.along((-25, y), (25, y + 1))],
            [[body.index for body in world.at_point((x, y))] for x in range(-20, 21, 10)],
            [body.index for body in world.in_box(Box(9, 4), Pose(5 * y - 30, y, 0.1 * y))],
        ]
    return answers


def told(frame: Frame) -> list[Any]:
    """Return all that the events of a frame tell."""

    def tell(event: Event) -> tuple[Any, ...]:
        return (event.kind, event.time, event.side, event.speed, event.normal, repr(event.weak), repr(event.mighty))

    return [tell(event) for event in frame.events]


def view(game: Game) -> dict[str, Any]:
    """Return all that a game can read of a world, and all that a step depends on, except the tree and its age."""
    held, counters = contents(game.world), game.world.counters
    for name in ("moves", "leaves"):
        del held[name]
    there = game.present()
    return {
        "handles": [repr(body) for body in game.handles],
        "attributes": [[getattr(body, name) for name in ATTRIBUTES] for body in there],
        "floors": [body.floor and body.floor.index for body in there],
        "rows": [body.index for body in game.world],
        "are known": all(game.world.body(body.index) is body and body.world is game.world for body in there),
        "contents": held,
        "counters": [getattr(counters, name) for name in COUNTERS],
        "queries": _queries(game.world),
        "next order": game.world.next_order,
    }


def step(game: Game, twin: Game, frame: object) -> None:
    """Advance both games by the same frame, and compare its events."""
    for one in (game, twin):
        one.aim(frame)
    assert told(game.world.step()) == told(twin.world.step()), frame


def fail(game: Game, twin: Game, frame: object, draw: random.Random) -> None:
    """Let a hook raise in a frame of a game, and compare it with the twin, which has no such frame."""
    for one in (game, twin):
        one.aim(frame)
    if draw.random() < 0.5:  # queries before the frame build their tree
        assert view(game) == view(twin)
    rate, known = game.rate, len(game.handles)
    game.rate, game.is_late = draw.choice([0.0, 0.3, 1.0]), draw.random() < 0.4
    game.fails_at = draw.choice([0, draw.randrange(1, 40)])
    with pytest.raises((Trouble, im.ShapeError)):
        game.world.step()
    game.rate, game.fails_at = rate, None
    assert [repr(body) for body in game.handles[known:]] == ["<Body, removed>"] * (len(game.handles) - known)
    del game.handles[known:]
    assert view(game) == view(twin), frame


@pytest.mark.parametrize("seed", range(cases(400, least=20)))
def test_a_world_in_which_a_hook_raised_continues_like_a_twin_without_this_frame(seed: int) -> None:
    draw = random.Random(f"{seed}, the failures")
    game, twin = Game(seed), Game(seed)
    for number in range(draw.randrange(4)):
        step(game, twin, number)
    for number in range(10, 10 + FRAMES):
        if number in (10, 13):
            fail(game, twin, f"failed {number}", draw)
        step(game, twin, number)
    assert view(game) == view(twin)


def test_queries_after_a_frame_find_bodies_that_moved_after_a_query_of_a_hook() -> None:
    """A query in `impinge_begin` refreshed the tree of queries, and later movements of the frame were missing in it."""

    class Looks:
        @im.hookimpl
        def impinge_begin(self, world: World) -> None:
            world.at_point((0, 0))

    world = World(entry_points=False)
    world.register(Looks())
    world.add(Box(100, 2), Pose(0, -1), might=1)
    crate = world.add(Box(2, 2), Pose(0, 9))
    assert world.at_point((0, 9)) == [crate]
    crate.goal = Pose(20, -5)
    world.step()
    assert crate.pose == Pose(20, 1)
    assert (world.at_point((20, 1)), world.at_point((0, 9))) == ([crate], [])


def test_the_order_of_a_removed_body_is_taken_again_after_a_hook_raised() -> None:
    """A hook has added another body with this order. Without a new table, two bodies could get one order."""

    class Replaces:
        @im.hookimpl
        def impinge_frame_begin(self, world: World) -> None:
            world.remove(crate)

        @im.hookimpl
        def impinge_frame_end(self, world: World) -> None:
            world.add(Box(2, 2), Pose(9, 0), order=0)
            raise Trouble

    world = World(entry_points=False)
    crate = world.add(Box(2, 2), Pose(0, 0), order=0)
    world.add(Box(2, 2), Pose(0, 9))
    world.register(Replaces())
    with pytest.raises(Trouble):
        world.step()
    assert crate.order == 0
    with pytest.raises(im.ShapeError, match="order must be one that no body has"):
        world.add(Box(2, 2), Pose(5, 5), order=0)
