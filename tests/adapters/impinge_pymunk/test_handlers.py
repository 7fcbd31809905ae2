"""A game's collision handlers for pairs under a push rule.

The oracle is Pymunk without a rule: it makes the same calls in the same steps.
"""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable
from typing import Any

import pymunk
import pytest
from pymunk import Body, Poly, Space

from impinge_pymunk import push_rule
from scale import some

WALL, CRATE, OTHER = 1, 2, 3
DT = 1 / 60
IS_SEVEN = hasattr(Space, "on_collision")
PHASES = ("begin", "pre_solve", "post_solve", "separate")


def listen(space: Any, first: int | None, second: int | None, **callbacks: Any) -> None:
    """Set callbacks by the API of Pymunk 6.9 or of 7. None means any type."""
    if IS_SEVEN:
        space.on_collision(first, second, **callbacks)
        return
    if second is not None:
        handler = space.add_collision_handler(first, second)
    elif first is not None:
        handler = space.add_wildcard_collision_handler(first)
    else:
        handler = space.add_default_collision_handler()
    for name, callback in callbacks.items():
        setattr(handler, name, callback)


def answer(collides: bool) -> Callable[..., bool]:
    """Return a callback that allows or refuses the collision of a pair."""

    def callback(arbiter: Any, space: Space, data: Any) -> bool:
        if IS_SEVEN:
            arbiter.process_collision = collides
        return collides

    return callback


class Log:
    """Callbacks that record in which step they are called, and with which shapes."""

    def __init__(self) -> None:
        self.step = 0
        self.lines: list[tuple[int, str, str, list[int]]] = []

    def all(self, name: str, *, sorts: bool = False) -> dict[str, Callable[..., bool]]:
        return {phase: self._one(name, phase, sorts) for phase in PHASES}

    def _one(self, name: str, phase: str, sorts: bool) -> Callable[..., bool]:
        def callback(arbiter: Any, space: Space, data: Any) -> bool:
            types = [shape.collision_type for shape in arbiter.shapes]
            self.lines.append((self.step, name, phase, sorted(types) if sorts else types))
            return True

        return callback


def fall(log: Log, set_up: Callable[[Space, Log], None], rule: str) -> tuple[Space, Body, Body]:
    """Drop a crate on a floor, and remove the floor later.

    The rule is set before the handlers, after them, or not at all.
    """
    space = Space()
    space.gravity = 0, -900
    floor, crate = Body(body_type=Body.KINEMATIC), Body(1, float("inf"))
    crate.position = 0, 40
    for body, size, kind in ((floor, (400, 10), WALL), (crate, (20, 20), CRATE)):
        shape = Poly.create_box(body, size)
        shape.collision_type = kind
        space.add(body, shape)
    if rule == "first":
        push_rule(space, WALL, CRATE)
    set_up(space, log)
    if rule == "last":
        push_rule(space, WALL, CRATE)
    for log.step in range(40):
        if log.step == 30:
            space.remove(floor, *floor.shapes)
        space.step(DT)
    return space, floor, crate


def of_the_pair(space: Space, log: Log) -> None:
    listen(space, WALL, CRATE, **log.all("pair"))


def of_the_pair_the_other_way_round(space: Space, log: Log) -> None:
    listen(space, CRATE, WALL, **log.all("pair"))


def of_any_with_one(space: Space, log: Log) -> None:
    listen(space, CRATE, None, **log.all("crate"))
    listen(space, WALL, None, **log.all("wall"))


def of_all(space: Space, log: Log) -> None:
    listen(space, None, None, **log.all("all", sorts=True))


def of_all_kinds(space: Space, log: Log) -> None:
    of_all(space, log)
    of_any_with_one(space, log)


def of_a_pair_and_more(space: Space, log: Log) -> None:
    """Handle only `begin` for the pair. The other phases fall to other handlers."""
    listen(space, WALL, CRATE, begin=log.all("pair")["begin"])
    of_any_with_one(space, log)


@pytest.mark.parametrize("rule", ["first", "last"])
@pytest.mark.parametrize(
    "set_up",
    [
        of_the_pair,
        of_the_pair_the_other_way_round,
        of_any_with_one,
        of_all,
        of_all_kinds,
        of_a_pair_and_more,
    ],
)
def test_handlers_are_called_as_without_a_rule(set_up: Callable[[Space, Log], None], rule: str) -> None:
    plain, ruled = Log(), Log()
    fall(plain, set_up, "none")
    _, _, crate = fall(ruled, set_up, rule)
    # Of two wildcard handlers, Pymunk 6.9 first calls the one of the shape that it finds first.
    tidied = sorted if set_up is of_any_with_one else list
    assert tidied(ruled.lines) == tidied(plain.lines)
    assert len(plain.lines) > 16
    assert crate.position.y < 10


def test_handlers_that_come_later_are_called_from_then_on() -> None:
    log = Log()

    def late(space: Space, log: Log) -> None:
        steps = space.step

        def step(dt: float) -> None:
            if log.step == 20:
                of_the_pair(space, log)
            steps(dt)

        space.step = step  # type: ignore[method-assign]

    fall(log, late, "first")
    steady = {(step, "pair", phase) for step in range(20, 30) for phase in ("pre_solve", "post_solve")}
    assert {line[:3] for line in log.lines} == {*steady, (30, "pair", "separate")}


@pytest.mark.parametrize("set_up", [of_all, of_any_with_one, of_all_kinds])
def test_other_handlers_that_come_later_are_called_as_without_a_rule(set_up: Callable[[Space, Log], None]) -> None:
    """In 6.9 the pair's new handler hides the default one. Its `post_solve` is only relayed once there is a default."""

    def late(space: Space, log: Log) -> None:
        steps = space.step

        def step(dt: float) -> None:
            if log.step == 20:
                set_up(space, log)
            steps(dt)

        space.step = step  # type: ignore[method-assign]

    plain, ruled = Log(), Log()
    fall(plain, late, "none")
    fall(ruled, late, "first")
    tidied = sorted if set_up is of_any_with_one else list
    assert tidied(ruled.lines) == tidied(plain.lines)
    assert "post_solve" in {phase for _, _, phase, _ in plain.lines}


def through_a_wall(moving: bool, **callbacks: Any) -> tuple[Body, Space]:
    """Shoot a crate at a wall whose handlers give an answer."""
    space = Space()
    wall = Body(1e9, 1e9) if moving else Body(body_type=Body.STATIC)
    crate = Body(1, float("inf"))
    crate.position, crate.velocity = (-60, 0), (600, 0)
    for body, kind in ((wall, WALL), (crate, CRATE)):
        shape = Poly.create_box(body, (20, 20))
        shape.collision_type = kind
        space.add(body, shape)
    push_rule(space, WALL, CRATE)
    listen(space, CRATE, WALL, **callbacks)
    for _ in range(20):
        space.step(DT)
    return crate, space


@pytest.mark.parametrize("moving", [False, True])
@pytest.mark.parametrize("phase", ["begin", "pre_solve"])
def test_a_callback_that_refuses_lets_the_pair_through(phase: str, moving: bool) -> None:
    crate, _ = through_a_wall(moving, **{phase: answer(False)})
    assert crate.position.x == pytest.approx(140)
    assert crate.velocity == (600, 0)


@pytest.mark.parametrize("moving", [False, True])
def test_a_callback_that_agrees_changes_nothing(moving: bool) -> None:
    """In Pymunk 7, a callback that runs after the pair's callback could hand the pair back to the solver."""
    crate, space = through_a_wall(moving, begin=answer(True), pre_solve=answer(True))
    assert (crate.position.x, crate.velocity) == (-20, (0, 0))
    listen(space, None, None, pre_solve=answer(True))
    listen(space, CRATE, None, pre_solve=answer(True))
    crate.velocity = 600, 0
    space.step(DT)
    assert (crate.position.x, crate.velocity) == (-20, (0, 0))
    assert all(body.velocity == (0, 0) for body in space.bodies)


def test_who_was_let_through_collides_when_it_comes_again() -> None:
    crate, space = through_a_wall(False, begin=answer(False))
    listen(space, CRATE, WALL, begin=answer(True))
    crate.velocity = -600, 0
    for _ in range(20):
        space.step(DT)
    assert crate.position.x == pytest.approx(20)


def test_the_game_sees_its_own_words_in_7_only_about_pairs_under_a_rule() -> None:
    seen = []

    def note(arbiter: Any, space: Space, data: Any) -> bool:
        seen.append(arbiter.process_collision if IS_SEVEN else True)
        return True

    through_a_wall(True, pre_solve=note)
    assert set(seen) == {True}


if not IS_SEVEN:

    def test_a_callback_that_returns_nothing_is_warned_of_and_lets_collide() -> None:
        def silent(arbiter: Any, space: Space, data: Any) -> None:
            return None

        with pytest.warns(UserWarning, match="'silent' should return a bool"):
            crate, _ = through_a_wall(False, pre_solve=silent)
        assert crate.position.x == -20


def test_callbacks_get_their_own_data() -> None:
    given: list[Any] = []

    def note(arbiter: Any, space: Space, data: Any) -> bool:
        given.append(data)
        return True

    if IS_SEVEN:
        through_a_wall(False, begin=note, data="mine")
        assert given == ["mine"]
    else:
        _, space = through_a_wall(False, begin=note)
        assert given == [space.add_collision_handler(WALL, CRATE).data]


@pytest.mark.parametrize("set_up", [of_the_pair, of_any_with_one, of_all_kinds])
def test_released_handlers_are_the_games_own(set_up: Callable[[Space, Log], None]) -> None:
    space, log = Space(), Log()
    set_up(space, log)
    before = [[getattr(handler, phase) for phase in PHASES] for handler in space._handlers.values()]
    rule = push_rule(space, WALL, CRATE)
    space.step(DT)
    rule.release()
    after = [[getattr(handler, phase) for phase in PHASES] for handler in space._handlers.values()]
    assert after[: len(before)] == before


if IS_SEVEN:

    def test_in_7_nothing_is_left_of_a_rule() -> None:
        space: Any = Space()
        rule = push_rule(space, WALL, CRATE)
        space.step(DT)
        rule.release()
        (handler,) = space._handlers.values()
        assert [getattr(handler, phase) for phase in PHASES] == [None] * len(PHASES)


def refuse(arbiter: Any, space: Any, data: Any) -> bool:
    """Refuse the collision. This callback can be pickled."""
    return answer(False)(arbiter, space, data)


def test_a_pickled_space_has_the_games_callbacks() -> None:
    space = Space()
    listen(space, WALL, CRATE, begin=refuse)
    push_rule(space, WALL, CRATE)
    space.step(DT)
    copy: Any = pickle.loads(pickle.dumps(space))
    callbacks = [callback for handler in copy._handlers.values() if (callback := handler.begin) is not None]
    assert [callback.__name__ for callback in callbacks] == ["refuse"]


def test_a_weak_body_that_is_static_collides_as_ever() -> None:
    ends = []
    for ruled in (False, True):
        space = Space()
        space.gravity = 0, -900
        crate, wall = Body(body_type=Body.STATIC), Body(1, float("inf"))
        wall.position = 0, 40
        for body, kind in ((wall, WALL), (crate, CRATE)):
            shape = Poly.create_box(body, (20, 20))
            shape.collision_type = kind
            space.add(body, shape)
        if ruled:
            push_rule(space, WALL, CRATE)
        for _ in range(60):
            space.step(DT)
        ends.append((wall.position, wall.velocity))
    assert ends[0] == ends[1]
    assert ends[0][0].y == pytest.approx(20, abs=0.2)


def test_pymunk_has_one_of_the_two_ways() -> None:
    """The module `handlers` knows everything else about the two APIs."""
    assert hasattr(Space, "add_collision_handler") != hasattr(Space, "on_collision"), pymunk.version


@pytest.mark.parametrize("seed", some(range(20), least=4))
def test_who_touches_is_told_of_in_each_step_wherever_that_is(seed: int) -> None:
    """Chipmunk rounds distances: it reports shapes that only just touch in some steps and not in others."""
    rnd = random.Random(seed)
    space, log = Space(), Log()
    down = rnd.uniform(-7, 7)
    across = pymunk.Vec2d(0, 1).rotated(down)
    space.gravity = -900 * across
    floor, crate = Body(body_type=Body.KINEMATIC), Body(1, float("inf"))
    floor.angle, floor.position = down, (rnd.uniform(-3000, 3000), rnd.uniform(-3000, 3000))
    floor.velocity = rnd.uniform(-90, 90), rnd.uniform(-90, 90)
    crate.position = floor.position + 40 * across + 0.1 * floor.velocity
    crate.angle = rnd.choice([down, rnd.uniform(-3, 3)])
    for body, kind in ((floor, WALL), (crate, CRATE)):
        body_size = (4000, 10) if kind == WALL else (rnd.uniform(5, 15), rnd.uniform(5, 15))
        shape = Poly.create_box(body, body_size, rnd.choice([0, 1]))
        shape.collision_type = kind
        space.add(body, shape)
    push_rule(space, WALL, CRATE)
    of_the_pair(space, log)
    for log.step in range(90):
        space.step(DT)
    begun = log.lines[0][0]
    assert [line[0] for line in log.lines if line[2] == "pre_solve"] == list(range(begun, 90))
    assert [line[2] for line in log.lines].count("begin") == 1


@pytest.mark.parametrize("phase", PHASES)
def test_a_keyboard_interrupt_in_a_callback_ends_the_step(phase: str) -> None:
    """Chipmunk printed it and went on, so that Ctrl-C did nothing."""
    interrupts: list[int] = []

    def set_up(space: Space, log: Log) -> None:
        calls = log.all("pair")

        def callback(arbiter: Any, space: Space, data: Any) -> bool:
            calls[phase](arbiter, space, data)
            if not interrupts:
                interrupts.append(log.step)
                raise KeyboardInterrupt
            return True

        listen(space, WALL, CRATE, **calls | {phase: callback})
        step = space.step

        def counted(dt: float) -> None:
            before = len(interrupts)
            try:
                step(dt)
            except KeyboardInterrupt:
                raised.append(log.step)
            assert len(raised) == len(interrupts) >= before

        space.step = counted  # type: ignore[method-assign]

    raised: list[int] = []
    log = Log()
    _, _, crate = fall(log, set_up, "first")
    assert raised == interrupts
    assert len(raised) == 1
    assert crate.position.y < 40
