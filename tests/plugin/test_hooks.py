"""Plugins of a world: which hooks are called, when, with what, in which order, what they may change, and their cost."""

from __future__ import annotations

import copy
import dataclasses
import math
import pickle
import subprocess
import sys
import time
import tracemalloc
import types

import numpy as np
import pluggy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import impinge as im
from impinge import Box, Circle, Pose, Side, World, hooks
from impinge.hooks import Touch, from_support
from impinge.kernels import columns as col
from impinge.kernels import entry
from impinge.world import bodies
from kernel_calls import Call, next_call
from scale import cases, some
from shapely_solids import KINDS, random_solid
from world_contents import contents

NAMES = [name for name in vars(hooks) if name.startswith("impinge_")]
OF_A_FRAME = [name for name in NAMES if name not in ("impinge_solid", "impinge_sector_hit")]
ARGUMENTS = {
    "impinge_solid": ("shape",),
    "impinge_frame_begin": ("world",),
    "impinge_filter": ("world", "weak", "mighty", "response"),
    "impinge_narrowphase": ("world", "weak", "mighty"),
    "impinge_begin": ("world", "contact"),
    "impinge_pre_solve": ("world", "contact"),
    "impinge_post_solve": ("world", "event"),
    "impinge_pushed": ("world", "event"),
    "impinge_stuck": ("world", "event"),
    "impinge_sensed": ("world", "event"),
    "impinge_separate": ("world", "weak", "mighty"),
    "impinge_frame_end": ("world", "frame"),
    "impinge_sector_hit": ("world", "body", "hit"),
}


def plugin(**functions):
    """Return an object whose hooks are the given functions; their names lack the prefix."""
    marked = {f"impinge_{name}": staticmethod(im.hookimpl(function)) for name, function in functions.items()}
    return type("Plugin", (), marked)()


def listener(name, function):
    """Return a plugin with one hook that passes all its arguments to a function."""
    arguments = ", ".join(ARGUMENTS[name])
    made = eval(f"lambda {arguments}: function({arguments})", {"function": function})
    return plugin(**{name.removeprefix("impinge_"): made})


def noting(name):
    """Return a list, and a plugin that appends the last argument of a hook to it."""
    noted = []
    return noted, listener(f"impinge_{name}", lambda *given: noted.append(given[-1]))


def falling(world, height=10.0, **options):
    """Return a floor, top at 0, and a crate that falls onto it."""
    floor = world.add(Box(100, 2), Pose(0, -1), might=1, **options)
    crate = world.add(Box(2, 2), Pose(0, 1 + height))
    return floor, crate


def sink(*sunk, by=4.0):
    for body in sunk:
        body.goal = Pose(body.pose.x, body.pose.y - by)


# Registration.


def test_a_plugin_is_called_by_its_own_name_that_of_its_class_or_a_given_one():
    class Crushes:
        pass

    module = types.ModuleType("fancy")
    world = World()
    assert [world.register(Crushes()), world.register(Crushes()), world.register(module)] == [
        "Crushes",
        "Crushes 2",
        "fancy",
    ]
    assert world.register(Crushes(), "mine") == "mine"


def test_a_plugin_hears_until_it_is_unregistered():
    world, heard = World(), []
    ears = plugin(frame_begin=lambda: heard.append(1))
    world.register(ears)
    world.step()
    world.unregister(ears)
    world.step()
    assert heard == [1]
    world.register(ears)
    world.step()
    assert heard == [1, 1]


def test_each_world_has_plugins_of_its_own():
    one, other, heard = World(), World(), []
    one.register(plugin(frame_begin=lambda world: heard.append(world)))
    other.step()
    one.step()
    assert heard == [one]


@pytest.mark.parametrize("name", NAMES)
def test_every_hook_takes_its_arguments_by_name_and_any_of_them(name):
    world = World()
    world.register(listener(name, print))
    for argument in ARGUMENTS[name]:
        world.register(plugin(**{name.removeprefix("impinge_"): eval(f"lambda {argument}: None")}))
    assert set(ARGUMENTS) == set(NAMES)


def bad_plugin(attribute):
    return type("Bad", (), {"impinge_pushed": im.hookimpl(lambda self, event: None), **attribute})()


@pytest.mark.parametrize(
    ("attribute", "message"),
    [
        ({"impinge_shoved": im.hookimpl(lambda self: None)}, "unknown hook 'impinge_shoved' in the plugin .*Bad"),
        ({"shove": im.hookimpl(lambda self: None, specname="impinge_shoved")}, "unknown hook 'impinge_shoved' .*Bad"),
        ({"impinge_stuck": im.hookimpl(lambda self, evnet: None)}, "(?s)Bad.*impinge_stuck.*evnet"),
        ({"impinge_stuck": lambda self, event: None}, "impinge_stuck of the plugin .*Bad.* is not marked as a hook"),
        ({"impinge_stuck": im.hookimpl(lambda self: None, wrapper=True)}, "(?s)Bad.*impinge_stuck.*generator"),
    ],
)
def test_what_is_no_hook_is_refused_by_plugin_and_name_and_nothing_is_registered(attribute, message, monkeypatch):
    world = World()
    wrong = bad_plugin(attribute)
    with pytest.raises(pluggy.PluginValidationError, match=message):
        world.register(wrong)
    with monkeypatch.context() as patch:
        patch.setattr(hooks, "Start", lambda *_: pytest.fail("a frame with hooks"))
        world.step()
    with pytest.raises(ValueError, match=r"plugin must be registered in this world, got .*Bad"):
        world.unregister(wrong)
    assert world.register(bad_plugin({})) == "Bad"


def test_a_plugin_is_registered_once_and_a_name_given_once():
    world, one = World(), plugin()
    world.register(one)
    with pytest.raises(ValueError, match=r"plugin must not be registered twice, got .*Plugin"):
        world.register(one)
    with pytest.raises(ValueError, match="Plugin"):
        world.register(plugin(), "Plugin")
    with pytest.raises(im.ShapeError, match=r"plugin must be an object .* got None"):
        world.register(None)
    with pytest.raises(ValueError, match="plugin must be registered in this world, got 'Plugin'"):
        World().unregister("Plugin")


# Order of calls.


def test_of_several_the_last_registered_is_called_first_unless_it_says_otherwise():
    world, heard = World(), []

    def named(name, **options):
        hook = im.hookimpl(lambda self: heard.append(name), **options)
        return type(name, (), {"impinge_frame_begin": hook})()

    for one in (named("a"), named("b", tryfirst=True), named("c", trylast=True), named("d")):
        world.register(one)
    world.step()
    assert heard == ["b", "d", "a", "c"]


def test_a_wrapper_is_around_the_others_and_sees_their_answers():
    world, heard = World(), []

    class Wrapper:
        @im.hookimpl(wrapper=True)
        def impinge_filter(self, response):
            heard.append("before")
            answers = yield
            heard.append(answers)
            return ["stop"]

    world.register(Wrapper())
    world.register(plugin(filter=lambda response: heard.append(response) or response))
    _, crate = falling(world)
    sink(crate, by=20)
    crate.goal = Pose(5, -9)
    world.step()
    assert heard == ["before", "push", ["push"]]
    assert (crate.pose.x, crate.pose.y) == pytest.approx((2.5, 1))


def test_the_hooks_of_a_frame_are_called_in_the_order_of_the_page():
    world, heard = World(), []
    for name in OF_A_FRAME:
        world.register(
            listener(name, lambda *_, name=name: heard.append(name) or ("push" if "filter" in name else None))
        )
    _, crate = falling(world, height=2)
    world.add(Circle(3), Pose(0, 5), response="sensor")
    sink(crate)
    world.step()
    crate.pose = Pose(300, 0)
    world.step()
    names = [name.removeprefix("impinge_") for name in heard]
    # A sensor gets a narrowphase, but no filter.
    asked = ["filter", "narrowphase", "narrowphase"]
    first = ["frame_begin", *asked, "begin", "pre_solve", "sensed", "post_solve", "frame_end"]
    assert names == [*first, "frame_begin", "separate", "frame_end"]


# Answers of a filter.


@pytest.mark.parametrize(("response", "x"), [("push", 5.0), ("stop", 2.5), ("bounce", 5.0)])
def test_a_filter_says_what_a_pair_does(response, x):
    world, given = World(), []
    world.register(plugin(filter=lambda weak, mighty, response_=response: given.append((weak, mighty)) or response_))
    floor, crate = falling(world)
    crate.goal = Pose(5, -9)
    world.step()
    assert given == [(crate, floor)]
    assert crate.pose.x == pytest.approx(x)
    assert crate.pose.y == pytest.approx(11 if response == "bounce" else 1)


@pytest.mark.parametrize("own", ["push", "bounce", "stop"])
def test_a_filter_is_given_the_higher_response_of_both(own):
    world, given = World(), []
    world.register(plugin(filter=lambda response: given.append(response) or "push"))
    _, crate = falling(world, response=own)
    sink(crate, by=20)
    world.step()
    assert given == [own]
    assert crate.pose == Pose(0, 1)


def test_a_pair_that_a_filter_removes_meets_again_in_the_next_frame():
    world, answers = World(), [None, "push"]
    world.register(plugin(filter=lambda: answers.pop(0)))
    _, crate = falling(world, height=1)
    crate.goal = Pose(0, 0.5)
    frame = world.step()
    assert (crate.pose.y, frame.events) == (0.5, ())
    assert [event.kind for event in world.step().events] == ["push"]
    assert crate.pose.y == pytest.approx(1)


def test_of_several_filters_the_first_decides_and_each_can_remove_the_pair():
    world = World()
    world.register(plugin(filter=lambda: "push"))
    world.register(plugin(filter=lambda: "stop"))
    _, crate = falling(world)
    crate.goal = Pose(5, -9)
    world.step()
    assert crate.pose.x == pytest.approx(2.5)
    for one in (plugin(filter=lambda: None), plugin(filter=lambda: "push")):
        world.register(one)
    crate.goal = Pose(5, -9)
    world.step()
    assert crate.pose == Pose(5, -9)


def test_a_filter_is_asked_once_a_frame_of_each_pair_in_the_order_of_adding():
    """There are 40 neighbours, more than the initial number of rows. So the kernel must ask in several rounds."""
    world, asked = World(), []
    world.register(plugin(filter=lambda weak, mighty, response: asked.append((weak.data, mighty.data)) or response))
    for number in range(40):
        world.add(Box(2, 2), Pose(2.0 * ((7 * number) % 40), -1), might=1, data=number)
    crate = world.add(Box(90, 2), Pose(40, 1.5), data="crate")
    sink(crate)
    world.step()
    assert sorted(asked) == [("crate", number) for number in range(40)]
    asked.clear()
    world.step()
    assert asked == [("crate", number) for number in range(40)]


@pytest.mark.parametrize("answer", ["sensor", "slide", 3, True])
def test_an_answer_that_is_no_response_is_refused_by_plugin(answer):
    world = World()
    world.register(plugin(filter=lambda: answer), "odd")
    _, crate = falling(world, height=1)
    sink(crate)
    with pytest.raises(im.ShapeError, match=f"impinge_filter must return 'push', .* got {answer!r}") as error:
        world.step()
    assert error.value.__notes__ == ["raised by impinge_filter of the plugin 'odd'"]


# Narrowphase: the shapes that two bodies have for each other.


class Disguised:
    """For other bodies, each body has the shape in its `data`."""

    def __init__(self):
        self.asked = []

    @im.hookimpl
    def impinge_narrowphase(self, weak, mighty):
        self.asked.append((weak, mighty))
        return weak.data, mighty.data


def disguise(solid):
    """Return a disk around a solid at any angle. A disk needs no columns for its rotated shape."""
    return Circle(solid.row[col.FARTHEST] * 1.001)


def two_worlds(actors):
    """Return a world of bodies, and one of disks that stand for them in the narrowphase; each with its bodies."""
    plain, masked = World(), World()
    masked.register(Disguised())
    own = [plain.add(solid, pose, **rules) for solid, pose, rules in actors]
    disks = [masked.add(disguise(solid), pose, data=solid, **rules) for solid, pose, rules in actors]
    return (plain, own), (masked, disks)


def random_play(rng, kind, spin):
    """Return five bodies of all ranks and kinds, and their goals for three frames."""
    actors = []
    # No bounces: in a closing gap they amplify rounding errors to visible size.
    for might, response, far in [(2, "push", 0), (1, "push", 5), (0, "push", 8), (0, "stop", 8), (0, "sensor", 6)]:
        pose = Pose(*rng.uniform(-far, far, 2), rng.uniform(-3, 3))
        actors.append((random_solid(rng, kind, 2.0), pose, {"might": might, "response": response}))
    angles, goals = [pose.angle for _, pose, _ in actors], []
    for _ in range(3):
        angles = [angle + rng.uniform(-spin, spin) for angle in angles]
        goals.append([Pose(*rng.uniform(-3, 3, 2), angle) for angle in angles])
    return actors, goals


def is_steady(actors, goals):
    """Return whether tiny changes of the starts stay small: in some plays, 1e-12 grows to a tenth of a body."""
    plays = []
    for hair in (0.0, 1e-12, 1e-9):
        world = World()
        bodies = [world.add(solid, Pose(at.x + hair, at.y - hair, at.angle), **rules) for solid, at, rules in actors]
        ends = []
        for wishes in goals:
            for body, goal in zip(bodies, wishes, strict=True):
                body.goal = goal
            world.step()
            ends += [coordinate for body in bodies for coordinate in (body.pose.x, body.pose.y)]
        plays.append(ends)
    return all(play == pytest.approx(plays[0], abs=1e-7) for play in plays[1:])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", some(range(6), least=2))
@pytest.mark.parametrize("spin", [0.0, 0.5])
def test_what_bodies_are_to_each_other_is_as_if_they_were_it(kind, seed, spin):
    rng = np.random.default_rng([seed, sum(map(ord, kind))])
    actors, goals = random_play(rng, kind, spin)
    while not is_steady(actors, goals):
        actors, goals = random_play(rng, kind, spin)
    (plain, own), (masked, disks) = two_worlds(actors)
    for wishes in goals:
        for body, disk, goal in zip(own, disks, wishes, strict=True):
            body.goal = disk.goal = goal
        frames = plain.step(), masked.step()
        for body, disk in zip(own, disks, strict=True):
            # With rotation, frames are cut into spans. These end at other times if more bodies are near.
            assert (disk.pose.x, disk.pose.y, disk.pose.angle) == pytest.approx(
                (body.pose.x, body.pose.y, body.pose.angle), abs=1e-3 if spin else 1e-6
            )
        told = [
            sorted((event.kind, event.weak.index, event.mighty.index) for event in frame.events) for frame in frames
        ]
        # For the same reason, a corner that turns may touch a second side for 1e-8 of a frame.
        assert told[0] == told[1] or (spin and set(told[0]) == set(told[1]))


def test_a_pair_is_asked_what_it_is_once_a_frame_unless_a_filter_has_removed_it():
    world, masks = World(), Disguised()
    world.register(masks)
    world.register(plugin(filter=lambda weak, response: None if weak.might == 1 else response))
    floor = world.add(Box(100, 2), Pose(0, -1), might=2)
    ghost, crate = (world.add(Box(2, 2), Pose(x, 2), might=might) for x, might in ((0, 1), (20, 0)))
    coin = world.add(Circle(1), Pose(20, 2), response="sensor")
    sink(ghost, crate)
    world.step()
    assert masks.asked == [(crate, floor), (crate, coin)]


def test_a_sensor_that_looks_itself_is_the_mighty_one_too():
    world, masks = World(), Disguised()
    world.register(masks)
    coin = world.add(Circle(5), Pose(0, 0), response="sensor", data=Box(1, 1))
    wall = world.add(Box(4, 4), Pose(4, 0), might=1, data=Circle(2))
    assert world.step().events == ()
    wall.pose = Pose(2, 0)
    (event,) = world.step().events
    assert (event.weak, event.mighty) == (wall, coin)
    assert (wall, coin) in masks.asked


def test_who_is_let_pass_is_so_until_what_the_two_are_to_each_other_is_apart():
    world, begun = World(), []
    world.register(plugin(begin=lambda contact: begun.append(contact.mighty) or False))
    world.register(plugin(narrowphase=lambda: (Box(2, 2), None)))
    wall = world.add(Box(4, 40), Pose(10, 0), might=1)
    hero = world.add(Box(8, 8), Pose(0, 0))
    for x in (10, 13.5):
        hero.goal = Pose(x, 0)
        world.step()
    assert (hero.pose.x, begun) == (13.5, [wall])
    hero.goal = Pose(0, 0)
    world.step()
    assert (hero.pose, world.counters.passing) == (Pose(0, 0), 1)
    assert begun == [wall, wall], "it begins anew: to each other they were apart"


@pytest.mark.parametrize("answer", [Box(1, 1), (Box(1, 1),), "push", (Box(1, 1), None, None)])
def test_what_is_no_pair_of_solids_is_refused_and_the_frame_was_none(answer):
    world = World()
    world.register(plugin(narrowphase=lambda: answer), "odd")
    _, crate = falling(world, height=1)
    sink(crate)
    with pytest.raises(im.ShapeError, match="impinge_narrowphase must return a solid for the weak body") as error:
        world.step()
    assert error.value.__notes__ == ["raised by impinge_narrowphase of the plugin 'odd'"]
    assert (crate.pose, crate.goal) == (Pose(0, 2), Pose(0, -2))


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ((Box(2.1, 1), None), "impinge_narrowphase must not answer with what reaches beyond the bounds of <Body 1"),
        ((None, Circle(50)), "impinge_narrowphase must not answer with what reaches beyond the bounds of <Body 0"),
        ((None, "wall"), "impinge_narrowphase's solid must be a solid shape .* or one that a plugin knows, got 'wall'"),
    ],
)
def test_a_solid_that_nobody_would_look_for_is_refused(answer, message):
    world = World()
    world.register(plugin(narrowphase=lambda: answer))
    _, crate = falling(world, height=1)
    sink(crate)
    with pytest.raises(im.ShapeError, match=message):
        world.step()
    assert (crate.pose, crate.goal) == (Pose(0, 2), Pose(0, -2))
    assert world.counters.solids == 2


def test_a_turning_body_is_nothing_that_reaches_beyond_it_at_any_angle():
    world = World()
    world.register(plugin(narrowphase=lambda weak: (weak.data, None)))
    world.add(Box(100, 2), Pose(0, -2.4), might=1)
    crate = world.add(Box(2, 2), Pose(0, 0), data=Circle(1.4))
    crate.goal = Pose(0, 0, 0.5)
    world.step()
    crate.goal, crate.data = Pose(0, 0, 1.0), Circle(1.5)
    with pytest.raises(im.ShapeError, match=r"reaches beyond the bounds of <Body 1.* got Circle\(radius=1.5\)"):
        world.step()


def test_what_bodies_are_to_each_other_leaves_nothing_behind():
    world = World()
    # A polygon with a list in it would be a different shape each time, and so is a box of another size.
    world.register(plugin(narrowphase=lambda world: (Box(1 + len(world) / 9, 1), Circle(0.5))))
    arm = world.add(Box(9, 2), Pose(0, 0), might=1)
    world.add(Box(3, 3), Pose(2, 2, 0.3))
    spins = 0
    for _ in range(4):
        arm.goal = Pose(0, 0, arm.angle + 0.1)
        world.step()
    columns = world.counters.solid_columns
    for spins in range(50):
        if spins % 10 == 0:
            world.add(Box(1, 1), Pose(500, 0))
        arm.goal = Pose(0, 0, arm.angle + 0.1)
        world.step()
    assert spins == 49
    assert world.counters.solid_columns <= columns + len(world) * 64
    assert world.counters.solids == len({body.shape for body in world})


@pytest.mark.parametrize("name", ["begin", "pre_solve"])
def test_what_is_no_yes_or_no_is_refused(name):
    world = World()
    world.register(plugin(**{name: lambda contact: contact}))
    _, crate = falling(world, height=1)
    sink(crate)
    with pytest.raises(im.ShapeError, match=f"impinge_{name} must return True, False or None, got <Touch of"):
        world.step()


# Answers about a contact.


def test_a_touch_tells_how_it_comes_about():
    world, (touches, ears) = World(), noting("begin")
    world.register(ears)
    lift = world.add(Box(4, 2), Pose(0, 0), might=1, carrying=Side.TOP)
    crate = world.add(Box(2, 2), Pose(0, 4), response="stop")
    lift.goal = Pose(0, 4)
    world.step()
    (touch,) = touches
    assert (touch.weak, touch.mighty, touch.time, touch.speed) == (crate, lift, 0.5, 4.0)
    assert (touch.normal, touch.side, touch.response, touch.carrying) == ((0, 1), Side.BOTTOM, "stop", Side.TOP)


def plugin_of(heard):
    return plugin(
        begin=lambda contact: heard.append(("begin", contact.weak.data)),
        pre_solve=lambda contact: heard.append(("pre_solve", contact.weak.data)),
        post_solve=lambda event: heard.append(("post_solve", event.weak.data)),
        separate=lambda weak, mighty: heard.append(("separate", weak.data)),
    )


def test_a_pair_begins_once_is_solved_in_each_frame_and_separates_once():
    world, heard = World(), []
    world.register(plugin_of(heard))
    _, crate = falling(world, height=1)
    for _ in range(3):
        sink(crate)
        world.step()
    crate.goal = Pose(0, 9)
    world.step()
    world.step()
    solved = ["pre_solve", "post_solve"]
    assert [name for name, _ in heard] == ["begin", *solved, *solved, *solved, "separate"]
    sink(crate, by=20)
    world.step()
    assert [name for name, _ in heard[-3:]] == ["begin", *solved]


def test_a_pair_of_which_one_is_removed_separates():
    world, heard = World(), []
    world.register(plugin_of(heard))
    _, crate = falling(world, height=1)
    crate.data = "crate"
    sink(crate)
    world.step()
    row = crate.index
    world.remove(crate)
    twin = world.add(Box(2, 2), Pose(0, 1), data="twin")
    assert twin.index == row
    sink(twin)
    world.step()
    assert heard[3:] == [("begin", "twin"), ("pre_solve", "twin"), ("post_solve", "twin"), ("separate", "crate")]


def test_a_vetoed_beginning_lets_them_pass_until_they_are_apart():
    world, asked = World(), []
    ears = plugin(
        begin=lambda contact: bool(asked.append(contact.time)), pre_solve=lambda contact: asked.append(contact)
    )
    world.register(ears)
    slab = world.add(Box(20, 4), Pose(0, 0), might=1)
    crate = world.add(Box(2, 2), Pose(0, 4))
    for y in (2, 0, -2, -4):
        crate.goal = Pose(0, y)
        assert world.step().events == ()
        assert crate.pose == Pose(0, y)
    assert (len(asked), crate.blocked) == (1, Side.NONE)
    crate.goal = Pose(0, 0)
    world.step()
    assert (len(asked), crate.pose) == (2, Pose(0, 0))
    # A teleport separates them too. Then they still pass through each other, although no plugin is registered any more.
    crate.pose = Pose(0, 40)
    crate.goal = Pose(0, 1)
    world.step()
    assert (len(asked), crate.pose) == (3, Pose(0, 1))
    world.unregister(ears)
    crate.goal = Pose(0, 0)
    world.step()
    assert crate.pose == Pose(0, 0)
    slab.pose = Pose(0, -20)
    crate.goal = Pose(0, -40)
    world.step()
    world.step()
    assert crate.pose.y == pytest.approx(-17)


def test_a_forbidden_touch_is_forbidden_for_one_frame():
    world, answers = World(), [False, None]
    world.register(plugin(pre_solve=lambda: answers.pop(0)))
    _, crate = falling(world, height=1)
    crate.goal = Pose(0, 0.5)
    assert world.step().events == ()
    assert crate.pose == Pose(0, 0.5)
    crate.goal = Pose(0, 0)
    world.step()
    assert crate.pose.y == pytest.approx(1)


def test_any_plugin_can_forbid_a_touch():
    world = World()
    for answer in (True, False, None):
        world.register(plugin(pre_solve=lambda answer=answer: answer))
    _, crate = falling(world, height=1)
    sink(crate)
    world.step()
    assert crate.pose == Pose(0, -2)


def test_a_hook_can_take_the_carrying_away():
    world = World()
    belt, crate = falling(world, height=0)
    belt.goal = Pose(3, -1)
    sink(crate)
    world.step()
    assert crate.pose == Pose(3, 1)

    def slip(contact):
        contact.carrying = Side.NONE

    world.register(plugin(pre_solve=slip))
    belt.goal = Pose(6, -1)
    sink(crate)
    world.step()
    assert crate.pose == Pose(3, 1)


@pytest.mark.parametrize("name", ["begin", "pre_solve"])
def test_a_hook_can_make_a_touch_bounce(name):
    def spring(contact):
        contact.response = "bounce"

    world = World()
    world.register(plugin(**{name: spring}))
    _, crate = falling(world)
    sink(crate, by=20)
    world.step()
    assert crate.pose.y == pytest.approx(11)


def first_answer(monkeypatch, pre_solve):
    """Return the first answer of a hook, in the form in which the kernel reads it: the columns up to `VERDICT_SPEED`.

    The crate is 10 above the floor, and falls by 37 while the floor rises by 3.
    """
    answers, take = [], entry.step

    def step(*arguments):
        rows = Call(*arguments).rows
        known = rows.verdicts[: rows.counts[col.VERDICT_TOTAL]]
        answers.extend(known[known[:, col.VERDICT_STAGE] == col.TOUCH_KNOWN, : col.VERDICT_SOLIDS].tolist())
        return take(*arguments)

    world = World()
    floor, crate = falling(world)
    world.register(plugin(pre_solve=pre_solve))
    floor.goal, crate.goal = Pose(0, 2), Pose(0, 11 - 37)
    with monkeypatch.context() as patch:
        patch.setattr(entry, "step", step)
        world.step()
    return answers[0]


def test_a_verdict_holds_a_normal_only_if_a_hook_has_changed_it(monkeypatch):
    answered = [0, col.TOUCH_KNOWN, 0, Side.ALL]  # about the floor: to be pushed, and carried on all sides
    assert first_answer(monkeypatch, lambda contact: None) == [*answered, 0, 0, 0.25, 3]

    def tilt(contact):
        assert contact.side == Side.BOTTOM
        assert (contact.time, contact.speed, contact.normal) == (0.25, 3.0, (0.0, 1.0))
        contact.normal = (3, 4)

    assert first_answer(monkeypatch, tilt) == [*answered, 0.6, 0.8, 0.25, 3]
    assert first_answer(monkeypatch, lambda: False)[col.VERDICT_RESPONSE] == -1


@pytest.mark.parametrize(
    ("normal", "side"),
    [
        ((0, 1), Side.BOTTOM),
        ((0, -1), Side.TOP),
        ((1, 0), Side.LEFT),
        ((-1, 0), Side.RIGHT),
        ((1, 1), Side.BOTTOM),
        ((1, -1), Side.TOP),
        ((1.001, 1), Side.LEFT),
    ],
)
def test_the_side_of_a_touch_follows_from_its_normal(normal, side):
    touch = Touch(None, None, 0.0, 0.0, (0.0, 1.0), "push", Side.ALL)
    touch.normal = normal
    assert touch.side == side
    assert math.hypot(*touch.normal) == pytest.approx(1)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("normal", (0, 0), r"normal must not be zero, got \(0, 0\)"),
        ("normal", 3, r"normal must be two numbers \(x, y\), got 3"),
        ("normal", (math.nan, 1), r"normal\[0\] must be finite, got nan"),
        ("response", "sensor", "response must be one of 'push', 'bounce', 'stop', got 'sensor'"),
        ("response", None, "response must be one of .* got None"),
        ("carrying", 99, "carrying must be a Side, got 99"),
    ],
)
def test_nonsense_is_refused_where_it_is_said(name, value, message):
    world = World()
    world.register(plugin(pre_solve=lambda contact: setattr(contact, name, value)), "odd")
    _, crate = falling(world, height=1)
    sink(crate)
    with pytest.raises(im.ShapeError, match=message) as error:
        world.step()
    assert error.value.__notes__ == ["raised by impinge_pre_solve of the plugin 'odd'"]


@pytest.mark.parametrize("name", ["weak", "mighty", "time", "speed", "side", "colour"])
def test_of_a_touch_only_three_things_can_be_changed(name):
    touch = Touch(None, None, 0.0, 0.0, (0.0, 1.0), "push", Side.ALL)
    with pytest.raises(AttributeError, match=f"{name} of a touch cannot be changed"):
        setattr(touch, name, 1)


# Events that plugins hear in a frame.


def test_a_push_is_heard_of_only_if_the_mighty_one_came():
    world, (pushed, ears) = World(), noting("pushed")
    world.register(ears)
    _, crate = falling(world, height=0)
    wall = world.add(Box(2, 20), Pose(-5, 10), might=1)
    sink(crate)
    frame = world.step()
    assert (len(frame.pushes), pushed) == (1, [])
    wall.goal = Pose(0, 10)
    sink(crate)
    frame = world.step()
    assert [(event.mighty, event.side, event.speed) for event in pushed] == [(wall, Side.LEFT, 5.0)]
    assert pushed[0] in frame.pushes


def test_a_pair_is_solved_once_with_its_first_event_and_stuck_with_each():
    world, (solved, ears), (stuck, other_ears) = World(), noting("post_solve"), noting("stuck")
    world.register(ears)
    world.register(other_ears)
    floor, crate = falling(world, height=0)
    press = world.add(Box(9, 2), Pose(0, 5), might=2)
    press.goal = Pose(0, 1)
    sink(crate)
    frame = world.step()
    assert [event.mighty for event in solved] == [floor, press]
    for event in solved:
        assert event == next(first for first in frame.events if first.mighty is event.mighty)
    assert tuple(stuck) == frame.stuck_events
    assert {event.mighty for event in stuck} == {floor, press}


def test_sensors_are_heard_of_and_neither_begin_nor_press():
    world, heard, (sensed, ears) = World(), [], noting("sensed")
    world.register(plugin_of(heard))
    world.register(plugin(filter=lambda: heard.append("filter") or "push"))
    world.register(ears)
    coin = world.add(Circle(2), Pose(5, 0), response="sensor")
    hero = world.add(Box(2, 2), Pose(0, 0))
    hero.goal = Pose(10, 0)
    frame = world.step()
    assert [(event.weak, event.mighty) for event in sensed] == [(hero, coin)]
    assert (tuple(sensed), heard) == (frame.sensed, [])


def test_hits_of_a_sector_are_heard_of_the_nearest_first():
    world, heard = World(), []
    world.register(plugin(sector_hit=lambda world, body, hit: heard.append((world, body, hit))))
    far, near = (world.add(Box(4, 4), Pose(x, 0)) for x in (30, 10))
    hits = world.sector(im.Sector(40, 0.5), Pose(0, 0), ignore=())
    assert heard == [(world, body, hit) for body, hit in hits]
    assert [body for body, _ in hits] == [near, far]


def test_a_frame_that_has_ended_is_handed_to_the_last_hook():
    world, ended = World(), []
    world.register(plugin(frame_end=lambda world, frame: ended.append(frame)))
    assert world.step() is ended[0]


# Shapes of plugins.


@dataclasses.dataclass(frozen=True)
class Ellipse:
    width: float
    height: float

    def support(self, direction):
        a, b = self.width / 2, self.height / 2
        length = math.hypot(a * direction[0], b * direction[1])
        return a * a * direction[0] / length, b * b * direction[1] / length


def ellipses(shape):
    return from_support(shape.support, 1e-3) if isinstance(shape, Ellipse) else None


def test_a_plugin_makes_a_solid_of_its_own_shape():
    world = World()
    world.register(plugin(solid=ellipses))
    world.register(plugin(solid=lambda: None))
    egg = Ellipse(8, 4)
    floor, crate = falling(world)
    body = world.add(egg, Pose(20, 9), data="egg")
    assert body.shape is egg
    sink(body, by=20)
    world.step()
    assert body.pose.y == pytest.approx(2, abs=2e-3)
    assert world.counters.solids == 3
    crate.shape = egg
    assert crate.shape is egg
    assert world.counters.solids == 2  # both eggs share the polygon of the plugin
    crate.shape = Box(2, 2)
    assert crate.shape == Box(2, 2)
    assert isinstance(floor.shape, Box)


@pytest.mark.parametrize("shape", [Ellipse(8, 4), "box", None])
def test_what_no_plugin_knows_is_refused_by_name_and_value(shape):
    world = World()
    body = world.add(Box(1, 1), Pose(0, 0))
    world.register(plugin(solid=lambda: None))
    for change in (lambda: world.add(shape, Pose(0, 0)), lambda: setattr(body, "shape", shape)):
        with pytest.raises(im.ShapeError, match=r"shape must be a solid shape .* got ") as error:
            change()
        assert repr(shape) in str(error.value)
    assert (len(world), body.shape) == (1, Box(1, 1))


def test_a_plugin_that_makes_nonsense_of_a_shape_is_named():
    world = World()
    world.register(plugin(solid=lambda shape: "round"), "odd")
    with pytest.raises(im.ShapeError, match="impinge_solid must return a solid shape or None, got 'round'") as error:
        world.add(Ellipse(8, 4), Pose(0, 0))
    assert error.value.__notes__ == ["raised by impinge_solid of the plugin 'odd'"]
    assert len(world) == 0


extents = st.floats(1e-2, 1e3)
sizes = st.tuples(extents, extents)


@settings(max_examples=cases(150))
@given(axes=sizes, centre=st.tuples(st.floats(-1e3, 1e3), st.floats(-1e3, 1e3)), share=st.floats(-4, 0))
@pytest.mark.parametrize("fit", ["inside", "around"])
def test_a_polygon_of_an_ellipse_keeps_to_the_tolerance(fit, axes, centre, share):
    """Of two convex sets, one inside the other, the distance is the largest difference of their support functions."""
    a, b = axes
    tolerance = max(axes) * 10**share

    def support(direction):
        x, y = Ellipse(2 * a, 2 * b).support(direction)
        return x + centre[0], y + centre[1]

    polygon = from_support(support, tolerance, fit)
    points = np.array(polygon.vertices) - centre
    rounding = 1e-12 * (max(axes) + max(map(abs, centre)))
    edges = np.roll(points, -1, axis=0) - points
    angles = np.concatenate((np.linspace(-math.pi, math.pi, 2000), np.arctan2(-edges[:, 0], edges[:, 1])))
    away = np.stack((np.cos(angles), np.sin(angles)))
    exact = np.hypot(a * away[0], b * away[1])
    beyond = (points @ away).max(axis=0) - exact
    if fit == "inside":
        assert beyond.max() <= rounding
        assert beyond.min() >= -tolerance - rounding
        assert np.hypot(points[:, 0] / a, points[:, 1] / b) == pytest.approx(
            1, abs=1e-9 * (1 + max(map(abs, centre)) / min(axes))
        )
    else:
        assert beyond.min() >= -rounding - 1e-9 * tolerance
        assert beyond.max() <= tolerance + rounding


def test_a_polygon_of_a_polygon_is_that_polygon():
    corners = [(3, 1), (-2, 2), (-3, -1), (1, -2)]

    def support(direction):
        return max(corners, key=lambda corner: corner[0] * direction[0] + corner[1] * direction[1])

    for fit in ("inside", "around"):
        outline = from_support(support, 1e-9, fit).outline
        assert len(outline) == 4
        for corner in corners:
            assert min(math.dist(corner, other) for other in outline) < 1e-12


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((3, 1), "support must be a function, got 3"),
        ((lambda direction: direction, 0), "tolerance must be positive and finite, got 0"),
        ((lambda direction: direction, 1, "outside"), "fit must be 'inside' or 'around', got 'outside'"),
        ((lambda direction: "far", 1), r"support\(.*\) must be two numbers \(x, y\), got 'far'"),
        ((lambda direction: (-direction[0], -direction[1]), 0.1), "support must give the farthest point .* got "),
        ((lambda direction: direction, 1e-9), "tolerance must not take more than 2048 points, got 1e-09"),
        ((lambda direction: (1, 2), 1), "vertices"),
    ],
)
def test_what_is_no_support_function_is_refused(arguments, message):
    with pytest.raises(im.ShapeError, match=message):
        from_support(*arguments)


# Changes that hooks make in a world wait until the frame has ended.


CHANGES = {
    "shape": Circle(3),
    "pose": Pose(7, 8, 1),
    "angle": 0.5,
    "goal": Pose(7, 8, 1),
    "might": 5,
    "layer": 4,
    "mask": 4,
    "response": "stop",
    "restitution": 0.25,
    "carrying": Side.TOP,
    "sticky": Side.TOP,
    "passable": Side.TOP,
    "max_slope": 0.5,
    "snap": 2.0,
    "step_height": 3.0,
}


@pytest.mark.parametrize("hook", OF_A_FRAME)
@pytest.mark.parametrize("name", CHANGES)
def test_a_change_that_a_hook_makes_is_made_when_the_frame_has_ended(name, hook):
    world, seen = World(), {}
    _, crate, *_ = busy(world)
    other = world.add(Box(2, 2), Pose(50, 50))
    before = getattr(other, name)

    def change(*arguments):
        setattr(other, name, CHANGES[name])
        seen.setdefault("at once", getattr(other, name))
        return "push" if hook == "impinge_filter" else None

    world.register(listener(hook, change))
    world.register(plugin(frame_end=lambda: seen.setdefault("at the end", getattr(other, name))))
    if hook == "impinge_separate":
        world.step()
        seen.clear()
        crate.pose = Pose(100, 100)
    world.step()
    assert seen["at once"] == before
    assert seen["at the end"] == (before if hook == "impinge_frame_end" else CHANGES[name])
    assert getattr(other, name) == CHANGES[name]


def test_goals_of_many_wait_too():
    world = World()
    rows = [world.add(Box(2, 2), Pose(9.0 * i, 0)).index for i in range(3)]
    goals = np.array([(1.0, 1, 0.5), (10, 1, 0), (19, 1, 0)])

    def steer(world):
        world.set_goals(rows, goals)
        goals[:] = -9
        with pytest.raises(im.ShapeError, match="bodies must be in this world, got index 7"):
            world.set_goals([7], [(0, 0)])

    steering = plugin(frame_begin=steer)
    world.register(steering)
    world.step()
    assert world.positions(rows).tolist() == [[0, 0], [9, 0], [18, 0]]
    world.unregister(steering)
    world.step()
    assert world.positions(rows).tolist() == [[1, 1], [10, 1], [19, 1]]
    assert world.angles(rows).tolist() == [0.5, 0, 0]


def test_a_body_that_a_hook_adds_is_there_at_once_and_takes_part_from_the_next_frame_on():
    """The new body gets a new row. The tree still leads to the row of a removed body, where it would be found."""
    world, added = World(), []
    gone = world.add(Box(2, 2), Pose(0, 5), might=1)
    crate = world.add(Box(2, 2), Pose(0, 9))
    # Enough bodies for a tree.
    tiles = [world.add(Box(2, 2), Pose(100 + 2 * i, 0), might=1) for i in range(40)]
    world.step()
    assert next_call(world).tree.leaf_of[gone.index] >= 0
    world.remove(gone)

    def add(world, contact=None):
        if not added:
            slab = world.add(Box(2, 2), Pose(0, 5, 0.5), might=1, data="slab")
            added.append(slab)
            assert (slab.pose, slab.data, slab.shape, slab.world) == (Pose(0, 5, 0.5), "slab", Box(2, 2), world)
            assert world.positions([slab.index]).tolist() == [[0, 5]]
            assert (len(world), list(world)) == (41, [crate, *tiles])
            assert world.at_point((0, 5)) == []
            slab.goal = Pose(0, 6, 0.5)
            world.set_goals([slab.index], [(0, 6, 0.5)])
            assert slab.goal == Pose(0, 5, 0.5)

    world.register(plugin(frame_begin=add))
    crate.goal = Pose(0, 4)
    world.step()
    assert crate.pose == Pose(0, 4)
    (slab,) = added
    assert (len(world), list(world), slab.goal) == (42, [crate, *tiles, slab], Pose(0, 6, 0.5))
    assert world.at_point((0, 5)) == [crate, slab]
    crate.pose = Pose(0, 20)
    crate.goal = Pose(0, -20)
    world.step()
    assert (slab.pose, crate.blocked) == (Pose(0, 6, 0.5), Side.BOTTOM)


def test_rows_of_bodies_that_only_hooks_add_and_remove_are_used_again():
    """Each got a new row once: a gun in a hook made the world grow by a row per shot, without end."""
    world, shots, rows = World(), [], set()
    falling(world)

    def shoot(world):
        shots.append(world.add(Circle(1), Pose(0, 30), might=len(shots) % 4))
        rows.add(shots[-1].index)
        if len(shots) > 3:
            world.remove(shots[-4])

    world.register(plugin(frame_end=shoot))
    for _ in range(200):
        world.step()
    assert len(world) == 5
    assert max(rows) < 50


def test_a_body_that_two_hooks_remove_is_removed_once():
    world = World()
    floor, crate = falling(world, height=1)
    seen = []

    def remove(world, event):
        world.remove(event.weak)
        event.weak.goal = Pose(5, 5)
        event.weak.max_slope = 0.5
        world.set_goals([event.weak.index, floor.index], [(1, 1), (2, 2)])
        seen.append((len(world), event.weak.pose.y))

    for _ in range(2):
        world.register(plugin(post_solve=remove))
    sink(crate)
    frame = world.step()
    assert seen == [(2, 1.0), (2, 1.0)]
    assert (list(world), floor.goal) == ([floor], Pose(2, 2))
    with pytest.raises(ValueError, match="removed"):
        crate.pose  # noqa: B018
    assert frame.events[0].weak is crate


def test_a_change_that_is_refused_is_refused_at_once():
    world = World()
    body = world.add(Box(2, 2), Pose(0, 0))

    def nonsense(world):
        with pytest.raises(im.ShapeError, match="might must be an integer"):
            body.might = "high"
        with pytest.raises(im.ShapeError, match="goal must be a Pose"):
            body.goal = None
        with pytest.raises(im.ShapeError, match="shape must be a solid shape"):
            world.add("box", Pose(0, 0))
        with pytest.raises(ValueError, match="body must be one of this world"):
            world.remove("box")

    world.register(plugin(frame_begin=nonsense))
    world.step()
    assert (list(world), body.might) == ([body], 0)


@pytest.mark.parametrize("hook", NAMES)
def test_a_hook_cannot_step_the_world_that_it_is_called_by(hook):
    world, other = World(), World()
    said = []

    def step(*arguments):
        for name in ("step", "snapshot"):
            with pytest.raises(RuntimeError, match=f"{name} must not be called by a hook") as error:
                getattr(world, name)()
            said.append(str(error.value))
        other.step()
        return {"impinge_filter": "push", "impinge_solid": Box(1, 1)}.get(hook)

    world.register(listener(hook, step))
    busy(world)
    world.add(Ellipse(1, 1) if hook == "impinge_solid" else Box(1, 1), Pose(90, 90))
    world.sector(im.Sector(40, math.pi), Pose(0, 0))
    world.step()
    world.step()
    assert said


# Restoring a world.


def juggled(world):
    """Build a floor, a crate that hops on it, a ghost that passes through it both ways, and a wall that pushes."""
    floor, crate = named_fall(world)
    ghost = world.add(Box(2, 2), Pose(20, 3), data="ghost")
    wall = world.add(Box(2, 8), Pose(-30, 5), might=2, data="wall")
    return floor, crate, ghost, wall


def named_fall(world):
    floor, crate = falling(world, height=0)
    floor.data, crate.data = "floor", "crate"
    return floor, crate


def juggle(world, number):
    _, crate, ghost, wall = world
    for body, height in ((crate, (-1, 3, -3)[number % 3]), (ghost, (-2, -2, -2, -2, 8)[number % 5])):
        body.goal = Pose(body.pose.x + (number % 3 - 1), body.pose.y + height)
    wall.goal = Pose(-30 + 29 * (number % 2), 5)
    world.step()


def pairs_told():
    """Return a list, and a plugin that notes begins and separations; ghosts may pass."""
    heard = []

    def begin(contact):
        heard.append(("begin", contact.weak.data, contact.mighty.data))
        return contact.weak.data != "ghost"

    def separate(weak, mighty):
        heard.append(("separate", weak.data, mighty.data))

    return heard, plugin(begin=begin, separate=separate)


def test_a_world_that_goes_back_hears_the_same_again():
    """A snapshot contains the contacts of the last frame. Without them, begins were repeated and separations lost."""
    world, (heard, ears) = World(), pairs_told()
    juggled(world)
    world.register(ears)
    saves, trails = [], []
    for number in range(20):
        saves.append((world.snapshot(), world.counters.pressing, world.counters.passing))
        heard.clear()
        juggle(world, number)
        trails.append((list(heard), [body.pose for body in world]))
    for start in (10, *range(20)):
        world.restore(saves[start][0])
        assert (world.counters.pressing, world.counters.passing) == saves[start][1:]
        for number in range(start, 20):
            heard.clear()
            juggle(world, number)
            assert (list(heard), [body.pose for body in world]) == trails[number], (start, number)
    kinds = [kind for told, _ in trails for kind, *_ in told]
    assert min(kinds.count("begin"), kinds.count("separate")) > 5
    assert any(pressed for _, pressed, _ in saves[10:])
    assert any(passing for _, _, passing in saves[10:])


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda world: pickle.loads(pickle.dumps(world))])
def test_a_copy_has_no_plugins_and_goes_on_from_what_they_were_told(copied, installed):
    installed(FANCY, "fancy = fancy_collisions\n")
    world, (heard, ears) = World(entry_points=False), pairs_told()
    _, crate = named_fall(world)
    world.register(ears)
    sink(crate)
    world.step()
    assert heard == [("begin", "crate", "floor")]
    twin = copied(world)
    assert twin.register(plugin(), "fancy") == "fancy"  # a name that a plugin of the world has
    twin.register(ears)
    sink(list(twin)[1])
    twin.step()
    assert heard == [("begin", "crate", "floor")]
    sink(list(twin)[1], by=-4)
    twin.step()
    assert heard == [("begin", "crate", "floor"), ("separate", "crate", "floor")]
    deaf = copied(world)
    deaf.step()
    deaf.register(ears)
    deaf.step()
    assert len(heard) == 2, "a contact of a frame without plugins is not reported in a later one"


def test_a_copy_lets_pass_whom_the_plugins_let_pass():
    world = World()
    floor, crate = falling(world, height=0)
    world.register(plugin(begin=lambda: False))
    for by in (0.5, 0.5):
        sink(crate, by=by)
        world.step()
    twin = copy.copy(world)
    for one in (world, twin):
        _, other = one
        sink(other, by=0.25)
        one.step()
        assert other.pose == Pose(0, -0.25)
        other.goal = Pose(0, 5)
        one.step()
        sink(other, by=9)
        one.step()
    assert crate.pose == Pose(0, -4)
    assert other.pose == Pose(0, 1), "once apart, it is let pass no more: there is no plugin to"
    assert floor.pose == Pose(0, -1)


def test_who_pressed_on_what_is_gone_is_in_no_snapshot():
    world, (heard, ears) = World(), pairs_told()
    floor, crate = named_fall(world)
    world.register(ears)
    sink(crate)
    world.step()
    world.remove(floor)
    saved = world.snapshot()
    world.step()
    assert heard.pop() == ("separate", "crate", "floor")
    world.restore(saved)
    world.step()
    assert heard == [("begin", "crate", "floor")]


# A hook that raises.


class Trouble(Exception):  # noqa: N818
    pass


def busy(world):
    """Build a world that calls every hook once the crate is gone: the crate is stuck, and another box is pushed."""
    floor, crate = falling(world, height=0)
    coin = world.add(Circle(3), Pose(0, 5), response="sensor")
    press = world.add(Box(9, 2), Pose(0, 3), might=2)
    ball = world.add(Circle(1), Pose(30, 9, 0.5), response="bounce")
    spinner = world.add(im.Capsule((-4, 0), (4, 0), 1), Pose(60, 0), might=1)
    world.add(Box(2, 2), Pose(-40, 9))
    world.add(Box(2, 9), Pose(-45, 9), might=1).goal = Pose(-40, 9)
    press.goal, ball.goal, spinner.goal = Pose(0, 1), Pose(33, -3, 1.5), Pose(60, 0, 2)
    sink(crate)
    return [floor, crate, coin, press, ball, spinner]


def all_of(world):
    """Return all that a game can read of a world, and all that a step depends on, except the tree and its age."""
    held, counters = contents(world), world.counters
    del held["moves"]
    return (
        list(world),
        [body.shape for body in world],
        held,
        [world.sweep(Circle(0.5), im.Motion(Pose(-90, y), Pose(90, y))) for y in range(-9, 20)],
        (counters.movers, counters.solids, counters.pressing, counters.passing),
    )


def told(frame):
    return [
        (event.kind, event.time, event.side, event.speed, event.normal, event.weak.index, event.mighty.index)
        for event in frame.events
    ]


@pytest.mark.parametrize("hook", OF_A_FRAME)
@pytest.mark.parametrize("kind", [Trouble, KeyboardInterrupt])
def test_where_a_hook_raises_there_was_no_frame(hook, kind):
    """The world continues like one in which no hook raised, whatever hooks were about to change in it."""
    world, twin = World(), World()
    there, others = busy(world), busy(twin)
    made = []

    def change(world):
        made.append(world.add(Circle(2.5), Pose(0, 0, 1), might=9))
        made.append(world.add(Box(2, 2), Pose(0, 0), might=-9))
        world.remove(there[0])
        there[1].shape, there[1].pose, there[1].might, there[1].max_slope = Circle(7), Pose(9, 9, 1), 9, 0.3
        there[2].response = "push"
        there[3].angle = 1.25
        world.set_goals([there[4].index], [(5, 5, 5)])

    def fail(*arguments):
        raise kind("no")

    quiet = plugin(separate=lambda: None)

    def end(world):
        made.append(world.add(Box(1, 1), Pose(0, 0)))
        there[5].shape = Box(2, 2)
        world.remove(there[4])

    changing = plugin(frame_begin=change, frame_end=end)
    failing = listener(hook, fail)
    world.register(quiet)
    if hook == "impinge_separate":
        for bodies_ in (there, others):
            bodies_[1].world.step()
            bodies_[1].pose = Pose(100, 100)
            bodies_[4].angle = 1
    else:
        world.remove(world.add(Box(1, 1), Pose(0, 0), might=1))
        twin.remove(twin.add(Box(1, 1), Pose(0, 0), might=1))
    before = all_of(world)
    world.register(failing, "failing")
    world.register(changing)
    for _ in range(2):
        with pytest.raises(kind) as error:
            world.step()
        assert error.value.__notes__ == [f"raised by {hook} of the plugin 'failing'"]
        assert all_of(world) == before
        for row in contents(world)["free"]:
            with pytest.raises(im.ShapeError, match="index must be that of a body"):
                world.body(row)
    assert made
    assert all(repr(body) == "<Body, removed>" for body in made)
    world.unregister(changing)
    world.unregister(failing)
    for _ in range(4):
        assert told(world.step()) == told(twin.step())
        assert [(body.pose, body.sides, body.blocked) for body in there] == [
            (body.pose, body.sides, body.blocked) for body in others
        ]
        late = world.add(Box(2, 2), Pose(0, 20)), twin.add(Box(2, 2), Pose(0, 20))
        assert late[0].index == late[1].index
        for one in (there, others):
            sink(one[1], late[one is others])
            one[4].goal = Pose(20, -3, one[4].angle + 1)


def test_what_passes_through_each_other_is_what_it_was_if_a_hook_raises():
    world, fails = World(), [False]

    def end(world):
        if fails[0]:
            raise Trouble

    world.register(plugin(begin=lambda: False, frame_end=end))
    _, crate = falling(world, height=1)
    fails[0] = True
    sink(crate)
    with pytest.raises(Trouble):
        world.step()
    assert world.counters.passing == 0
    fails[0] = False
    crate.goal = Pose(0, 0)
    world.step()
    assert (crate.pose, world.counters.passing) == (Pose(0, 0), 1)
    fails[0] = True
    crate.goal = Pose(0, -20)
    with pytest.raises(Trouble):
        world.step()
    assert (crate.pose, crate.goal, world.counters.passing) == (Pose(0, 0), Pose(0, -20), 1)


def test_questions_are_answered_right_after_a_frame_that_was_none():
    world = World()

    def look(world, event):
        assert world.at_point((0, -2)) == [crate]
        raise Trouble

    world.register(plugin(sensed=look))
    world.add(Circle(3), Pose(0, 5), response="sensor")
    crate = world.add(Box(2, 2), Pose(0, 9))
    assert world.at_point((0, 9)) == [crate]
    crate.goal = Pose(0, -2)
    with pytest.raises(Trouble):
        world.step()
    assert (world.at_point((0, -2)), world.at_point((0, 9))) == ([], [crate])


@pytest.mark.parametrize("hook", ["impinge_solid", "impinge_sector_hit"])
def test_between_frames_the_plugin_that_raises_is_named_too(hook):
    world = World()

    def fail(*arguments):
        raise Trouble

    body = world.add(Box(2, 2), Pose(0, 0))
    world.register(listener(hook, fail), "failing")
    with pytest.raises(Trouble) as error:
        world.add(Ellipse(1, 1), Pose(0, 0)) if hook == "impinge_solid" else world.sector(im.Sector(9, 1), Pose(-3, 0))
    assert error.value.__notes__ == [f"raised by {hook} of the plugin 'failing'"]
    assert list(world) == [body]
    world.step()


@pytest.mark.parametrize("after", [False, True])
def test_a_wrapper_that_raises_is_named_and_one_that_is_passed_by_is_not(after):
    class Wrapper:
        @im.hookimpl(wrapper=True)
        def impinge_frame_begin(self):
            if not after:
                raise Trouble
            return (yield)

    def fail():
        raise Trouble

    world = World()
    world.register(Wrapper())
    world.register(plugin(frame_begin=fail), "inner")
    with pytest.raises(Trouble) as error:
        world.step()
    named = "inner" if after else "Wrapper"
    assert error.value.__notes__ == [f"raised by impinge_frame_begin of the plugin {named!r}"]


# Effects and cost of hooks that change nothing.


def random_world(seed, world):
    rng = np.random.default_rng(seed)
    for _ in range(30):
        shape = (
            random_solid(rng, KINDS[rng.integers(len(KINDS))], 4.0)
            if rng.random() < 0.6
            else Box(*rng.uniform(1, 6, 2))
        )
        response = str(rng.choice(["push", "push", "bounce", "stop", "sensor"]))
        pose = Pose(*rng.uniform(-25, 25, 2), float(rng.choice([0.0, rng.uniform(-3, 3)])))
        world.add(shape, pose, might=int(rng.integers(3)), response=response)
    return rng


@pytest.mark.parametrize("seed", range(4))
def test_a_world_that_is_only_listened_to_takes_the_same_steps_to_the_bit(seed):
    quiet, listened = World(), World()
    for name in NAMES:
        listened.register(listener(name, lambda *given, name=name: given[-1] if name == "impinge_filter" else None))
    for _ in range(3):
        rngs = [
            random_world(seed, world) if not len(world) else np.random.default_rng(seed + 99)
            for world in (quiet, listened)
        ]
        for world, rng in zip((quiet, listened), rngs, strict=True):
            for body in world:
                x, y = body.pose.x + rng.uniform(-9, 9), body.pose.y + rng.uniform(-9, 9)
                body.goal = Pose(x, y, body.angle + rng.choice([0, 0.3]))
        assert told(quiet.step()) == told(listened.step())
        assert contents(quiet) == contents(listened) | {"pairs": contents(quiet)["pairs"]}


@pytest.mark.parametrize("also", [{}, {"solid": lambda: None, "sector_hit": lambda: None}])
def test_where_nobody_listens_nothing_is_made_and_nobody_asked(monkeypatch, also):
    world = World()
    world.register(plugin(**also))
    _, crate = falling(world, height=0)
    sink(crate)
    world.step()

    def refuse(*arguments, **named):
        raise AssertionError("no plugin has a hook for it")

    for owner, name in (
        (hooks, "Start"),
        (hooks, "Touch"),
        (hooks.Hooks, "step"),
        (hooks.Hooks, "answer"),
        (bodies, "Event"),
    ):
        monkeypatch.setattr(owner, name, refuse)
    sink(crate)
    tracemalloc.start()
    try:
        before = tracemalloc.take_snapshot()
        frame = world.step()
        after = tracemalloc.take_snapshot()
    finally:
        tracemalloc.stop()
    here = [tracemalloc.Filter(True, hooks.__file__), tracemalloc.Filter(True, pluggy.__path__[0] + "/*")]
    assert after.filter_traces(here).compare_to(before.filter_traces(here), "lineno") == []
    assert len(frame.rows) == 1


def test_where_nobody_hears_of_events_none_is_made(monkeypatch):
    world, begun = World(), []
    world.register(plugin(frame_begin=lambda: begun.append(1), begin=lambda: None, separate=lambda: None))
    _, crate = falling(world, height=0)
    sink(crate)
    monkeypatch.setattr(bodies, "Event", lambda *values: pytest.fail("no plugin takes events"))
    world.step()
    assert begun == [1]


def test_a_world_without_plugins_makes_no_manager(monkeypatch):
    monkeypatch.setattr(hooks, "Plugins", lambda: pytest.fail("there are no plugins"))
    world = World(entry_points=False)
    falling(world)
    world.step()


@pytest.mark.parametrize("name", ["post_solve", "pushed", "stuck", "sensed"])
def test_only_events_that_are_heard_of_are_made(monkeypatch, name):
    world, (heard, ears) = World(), noting(name)
    world.register(ears)
    busy(world)
    made, event = [], bodies.Event
    monkeypatch.setattr(bodies, "Event", lambda *values: made.append(values[0]) or event(*values))
    frame = world.step()
    kinds = {"post_solve": {"push", "stuck"}, "pushed": {"push"}, "stuck": {"stuck"}, "sensed": {"sensor"}}[name]
    assert set(made) == {event.kind for event in heard} == kinds
    assert len(frame.events) > len(heard) > 0


# Plugins of installed packages.


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Create a distribution with two plugins, as an installer leaves it."""

    def install(code, points):
        info = tmp_path / "fancy_collisions-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: fancy-collisions\nVersion: 1.0\n", "utf-8")
        (info / "entry_points.txt").write_text("[impinge.plugins]\n" + points, "utf-8")
        (tmp_path / "fancy_collisions.py").write_text(code, "utf-8")
        monkeypatch.syspath_prepend(tmp_path)
        hooks.entry_plugins.cache_clear()

    yield install
    sys.modules.pop("fancy_collisions", None)
    hooks.entry_plugins.cache_clear()


FANCY = """
import impinge as im

class Counting:
    frames = 0

    @im.hookimpl
    def impinge_frame_end(self, world):
        self.frames += 1

counting = Counting()

@im.hookimpl
def impinge_frame_begin(world):
    counting.frames += 100
"""


def test_plugins_of_installed_packages_are_in_every_world(installed, monkeypatch):
    installed(FANCY, "fancy = fancy_collisions\ncounting = fancy_collisions:counting\n")
    worlds = [World(), World(), World(entry_points=False)]
    for world in worlds:
        world.step()
    from fancy_collisions import counting

    assert counting.frames == 202
    for name in ("counting", "fancy"):
        with pytest.raises(ValueError, match=name):
            worlds[0].register(plugin(), name)
    worlds[1].unregister(counting)
    worlds[1].step()
    assert counting.frames == 302
    # The search happens only once.
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: pytest.fail("looked for twice"))
    World().step()
    assert counting.frames == 403


def test_foreign_packages_and_folders_do_no_harm(tmp_path):
    """A world must be made whatever stands on the path: text of another encoding, no text, files, nothing.

    The search for entry points reads what other packages have installed before `importlib.metadata` is imported.
    """
    for name, content in (
        ("latin-1.0.dist-info", b"[console_scripts]\nna\xefve = na\xefve:run\n"),
        ("empty-1.0.egg-info", b""),
    ):
        (tmp_path / name).mkdir()
        (tmp_path / name / "entry_points.txt").write_bytes(content)
    (tmp_path / "file.egg-info").write_bytes(b"")
    paths = [str(tmp_path), str(tmp_path / "nowhere"), ""]
    program = (
        f"import sys; sys.path += {paths}; import impinge; impinge.World(); print('importlib.metadata' in sys.modules)"
    )
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert answer.stdout.strip() == "False"


BROKEN = {
    "absent": ("import nowhere_at_all", "ModuleNotFoundError: No module named 'nowhere_at_all'"),
    "exits": ("raise SystemExit('no display')", "SystemExit: no display"),
    "unmarked": (FANCY + "def impinge_pushed(event): ...", "PluginValidationError: .*is not marked as a hook"),
}


@pytest.mark.parametrize(("code", "message"), BROKEN.values(), ids=BROKEN)
def test_a_package_whose_plugin_is_broken_is_left_out(installed, code, message):
    """One broken package made every world raise, in games that never use it."""
    installed(code, "fancy = fancy_collisions\nrandom = random\n")
    text = f"the plugin 'fancy' of the package 'fancy-collisions' is left out: {message}"
    for _ in range(2):
        with pytest.warns(RuntimeWarning, match=text) as warned:
            world = World()
        assert warned[0].filename == __file__
        with pytest.raises(ValueError, match="random"):
            world.register(plugin(), "random")
        assert world.register(plugin(), "fancy") == "fancy"
    assert len(World(entry_points=False)) == 0


def test_a_strict_world_raises_the_error_of_a_broken_package(installed):
    installed("import nowhere_at_all", "fancy = fancy_collisions\n")
    for _ in range(2):
        with pytest.raises(ModuleNotFoundError, match="nowhere_at_all") as error:
            World(entry_points="strict")
        assert error.value.__notes__ == [
            "raised when the entry point 'fancy' of 'impinge.plugins' was loaded: fancy_collisions"
        ]


class Shy(list):
    """A plugin that cannot be hashed."""

    @im.hookimpl
    def impinge_frame_end(self): ...


def test_a_plugin_that_could_not_be_unregistered_is_refused():
    world = World()
    with pytest.raises(im.ShapeError, match=r"plugin must be hashable, got \[\]"):
        world.register(Shy())
    with pytest.raises(ValueError, match="plugin must be registered"):
        world.unregister(Shy())
    world.step()


def test_a_refused_plugin_is_not_registered():
    class Odd:
        @im.hookimpl
        def impinge_frame_begin(self): ...

        @im.hookimpl
        def impinge_frame_end(self, nonsense): ...

    world, odd = World(), Odd()
    for _ in range(2):
        with pytest.raises(pluggy.PluginValidationError):
            world.register(odd)
    with pytest.raises(ValueError, match="plugin must be registered"):
        world.unregister(odd)


# The time of hooks.


class Naps:
    """Hooks that take a known time at least."""

    @im.hookimpl
    def impinge_frame_begin(self):
        time.sleep(0.05)

    @im.hookimpl
    def impinge_frame_end(self):
        time.sleep(0.001)
        if self.fails:
            raise KeyError

    fails = False


def test_a_slow_hook_is_found():
    world, naps = World(entry_points=False), Naps()
    world.register(naps, "naps")
    world.register(noting("frame_end")[1], "notes")
    world.step()
    with world.profile() as profile:
        for _ in range(5):
            world.step()
        naps.fails = True
        with pytest.raises(KeyError):
            world.step()
    naps.fails = False
    world.step()
    assert profile.frames == 6
    times = profile.hooks
    assert {key: taken.calls for key, taken in times.items() if key[0] == "naps"} == {
        ("naps", "impinge_frame_begin"): 6,
        ("naps", "impinge_frame_end"): 6,
    }
    assert times["notes", "impinge_frame_end"].calls in (5, 6)
    assert times["naps", "impinge_frame_begin"].seconds >= 6 * 0.05
    assert times["naps", "impinge_frame_end"].seconds >= 6 * 0.001
    assert profile.seconds >= sum(taken.seconds for taken in times.values())
    head, first, *_ = str(profile).splitlines()
    assert head.startswith("6 frames, ")
    assert first.endswith("6 calls  impinge_frame_begin of naps")


def test_a_world_without_plugins_has_a_profile():
    world = World(entry_points=False)
    with world.profile() as profile:
        world.step()
        with pytest.raises(RuntimeError, match="profiled twice"), world.profile():
            pass
        world.step()
    assert (profile.frames, profile.hooks) == (2, {})
    assert profile.seconds > 0
