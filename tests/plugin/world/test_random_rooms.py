"""No body ends a frame inside a mightier body, or outside of its closed room.

The test runs some 17,000 body-frames, ten times as many with `IMPINGE_SCALE=10` in the environment.
"""

from __future__ import annotations

import pytest

from random_rooms import CLASSES, outcome_of
from scale import cases

PARTS = 2


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("name", CLASSES)
def test_nothing_ends_inside_what_is_mightier_or_outside_of_its_room(name: str, part: int) -> None:
    outcomes = (outcome_of(name, 0, number) for number in range(part, cases(CLASSES[name][1]), PARTS))
    failed = [f"{outcome.key} {failure}" for outcome in outcomes for failure in outcome.failures]
    assert not failed, "\n".join(failed)


@pytest.mark.parametrize(
    "key",
    [
        # A third body stopped a walker on its way out of two others: the walker ended 2e-5 deep in them.
        pytest.param(("clutter", 201, 125), id="held-up-on-the-way-out"),
        # After a frame was cut short, bodies moved along with a press through a wall, or were left behind by a moving
        # wall.
        pytest.param(("rooms", 102, 2294), id="through-a-wall-with-a-press"),
        pytest.param(("rooms", 101, 2195), id="squeezed-at-a-thin-wall"),
        pytest.param(("rooms", 401, 1714), id="into-what-it-touched"),
        pytest.param(("rooms", 401, 1390), id="left-by-a-wall-that-moved"),
        pytest.param(("rooms", 401, 4213), id="along-with-what-went-through-a-wall"),
        # After a frame was cut short, bodies stayed in place and rotated about a distant pivot, or moved round with it.
        pytest.param(("rooms", 502, 147), id="turned-on-about-a-far-pivot"),
        pytest.param(("rooms", 1003, 237), id="upright-in-a-room-that-turned"),
        # A wall that rotated slightly was taken to move linearly for the whole frame. W was not moved back into
        # contact.
        pytest.param(("rooms", 1003, 2483), id="sunk-in-a-wall-that-hardly-turned"),
        pytest.param(("rooms", 1006, 163), id="a-segment-in-a-corner-of-segments"),
        # Position correction towards contacts moved bodies through a thin floor, or past the end of a segment in a
        # wedge.
        pytest.param(("walkers", 1007, 68), id="drawn-through-the-floor"),
        pytest.param(("rooms", 1001, 847), id="drawn-along-a-wedge-past-a-corner"),
        # A rotating segment was not moved back out of a wall: the error bound ignored its own spin.
        pytest.param(("rooms", 2013, 1481), id="spun-out-of-a-corner"),
        # Bodies stuck between a press and a wall left the press by the shortest way: through the wall.
        pytest.param(("walkers", 1005, 19), id="left-a-press-through-the-wall"),
        pytest.param(("walkers", 1012, 35), id="left-a-press-on-the-second-try"),
        pytest.param(("walkers", 1001, 804), id="left-one-of-two-presses"),
        # Bodies put exactly onto a thick floor sank into a plate by more than the plate's slop.
        pytest.param(("walkers", 1013, 106), id="put-onto-a-floor-into-a-plate"),
        # On its arc round a corner, a body moved beyond the area that had been searched.
        pytest.param(("clutter", 1008, 1136), id="round-a-corner-off-the-course"),
        # A contact on the chord of its arc round a corner left a body no room to return to the arc.
        pytest.param(("clutter", 2002, 708), id="in-a-corner-under-a-ceiling"),
        pytest.param(("clutter", 2002, 1495), id="in-a-corner-beside-a-wall"),
        # A body kept its offset on the carrier from before the step up.
        pytest.param(("walkers", 2007, 468), id="stepped-onto-what-carries-it"),
        # After a frame was cut short, a body ended among untested bodies, and its overlap with one was not reported.
        pytest.param(("turners", 2013, 1987), id="along-to-where-nobody-was-known"),
        # A platform as mighty as the walls of a room goes through them. Cut short while it was squeezed between both, a
        # walker went along with the platform, which it touched.
        pytest.param(("walkers", 5003, 13), id="along-with-a-platform-through-a-wall"),
        pytest.param(("walkers", 6001, 831), id="along-with-a-platform-through-the-floor"),
        # After a bounce nearly along a wall, a body sank in by the rounding of its velocity.
        pytest.param(("rooms", 2005, 2478), id="along-a-wall-by-rounding"),
    ],
)
def test_what_failed_in_long_runs(key: tuple[str, int, int]) -> None:
    assert [str(failure) for failure in outcome_of(*key).failures] == []
