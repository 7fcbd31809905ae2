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
    ],
)
def test_what_failed_in_long_runs(key: tuple[str, int, int]) -> None:
    assert [str(failure) for failure in outcome_of(*key).failures] == []
