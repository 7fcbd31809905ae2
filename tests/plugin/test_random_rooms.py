"""No body ends a frame inside a mightier body, or outside of its closed room.

These are some 17,000 body-frames, ten times as many with `IMPINGE_SCALE=10` in the environment, and `.ci/bounds` takes
200,000 through kernels that check every index.
"""

from __future__ import annotations

import os

import pytest

from random_rooms import CLASSES, outcome_of

SCALE = int(os.environ.get("IMPINGE_SCALE", "1"))
PARTS = 2


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("name", CLASSES)
def test_nothing_ends_inside_what_is_mightier_or_outside_of_its_room(name: str, part: int) -> None:
    outcomes = (outcome_of(name, 0, number) for number in range(part, CLASSES[name][1] * SCALE, PARTS))
    failed = [f"{outcome.key} {failure}" for outcome in outcomes for failure in outcome.failures]
    assert not failed, "\n".join(failed)


@pytest.mark.parametrize(
    "key",
    [
        # Held up by a third body on its way out of two others, a walker ended 2e-5 deep in these.
        pytest.param(("clutter", 201, 125), id="held-up-on-the-way-out"),
        # Cut short, they went along with a press through a wall, or were left by the wall that moved them.
        pytest.param(("rooms", 102, 2294), id="through-a-wall-with-a-press"),
        pytest.param(("rooms", 101, 2195), id="squeezed-at-a-thin-wall"),
        pytest.param(("rooms", 401, 1714), id="into-what-it-touched"),
        pytest.param(("rooms", 401, 1390), id="left-by-a-wall-that-moved"),
        pytest.param(("rooms", 401, 4213), id="along-with-what-went-through-a-wall"),
        # Cut short, they stayed in place and turned on about a pivot far away, or went round with it.
        pytest.param(("rooms", 502, 147), id="turned-on-about-a-far-pivot"),
        pytest.param(("rooms", 1003, 237), id="upright-in-a-room-that-turned"),
        # Turned by little, a wall was taken to move evenly for the whole frame, and W was not put back in touch.
        pytest.param(("rooms", 1003, 2483), id="sunk-in-a-wall-that-hardly-turned"),
        pytest.param(("rooms", 1006, 163), id="a-segment-in-a-corner-of-segments"),
        # Drawn to what pressed on them, they went through a thin floor, or past the end of a segment in a wedge.
        pytest.param(("walkers", 1007, 68), id="drawn-through-the-floor"),
        pytest.param(("rooms", 1001, 847), id="drawn-along-a-wedge-past-a-corner"),
        # Turning, a segment was not drawn back out of a wall: its own spin had been left out of how far it may be off.
        pytest.param(("rooms", 2013, 1481), id="spun-out-of-a-corner"),
        # Stuck between a press and a wall, they left the press by the shortest way: through the wall.
        pytest.param(("walkers", 1005, 19), id="left-a-press-through-the-wall"),
        pytest.param(("walkers", 1012, 35), id="left-a-press-on-the-second-try"),
        pytest.param(("walkers", 1001, 804), id="left-one-of-two-presses"),
        # Put exactly onto a thick floor, they sank into a plate by more than the slop of that.
        pytest.param(("walkers", 1013, 106), id="put-onto-a-floor-into-a-plate"),
        # On its arc round a corner it went beyond what had been looked through.
        pytest.param(("clutter", 1008, 1136), id="round-a-corner-off-the-course"),
        # What it met on the chord of its arc round a corner left it no room to go back onto the arc.
        pytest.param(("clutter", 2002, 708), id="in-a-corner-under-a-ceiling"),
        pytest.param(("clutter", 2002, 1495), id="in-a-corner-beside-a-wall"),
        # It rode on by its offset from before the step up.
        pytest.param(("walkers", 2007, 468), id="stepped-onto-what-carries-it"),
        # Cut short, it ended among bodies that it had not looked at, and the overlap with one of them was not told.
        pytest.param(("turners", 2013, 1987), id="along-to-where-nobody-was-known"),
        # Bounced nearly along a wall, it sank in by the rounding of its velocity.
        pytest.param(("rooms", 2005, 2478), id="along-a-wall-by-rounding"),
    ],
)
def test_what_failed_in_long_runs(key: tuple[str, int, int]) -> None:
    assert [str(failure) for failure in outcome_of(*key).failures] == []
