"""No body ends a frame inside a mightier body, or outside of its closed room.

At the scale of CI these are some 46,000 body-frames, and with `IMPINGE_SCALE=10` in the environment ten times as many.
"""

from __future__ import annotations

import os

import pytest

from random_rooms import CLASSES, outcome_of

SCALE = int(os.environ.get("IMPINGE_SCALE", "1"))
PARTS = 4


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("name", CLASSES)
def test_nothing_ends_inside_what_is_mightier_or_outside_of_its_room(name: str, part: int) -> None:
    outcomes = (outcome_of(name, 0, number) for number in range(part, CLASSES[name][1] * SCALE, PARTS))
    failed = [f"{outcome.key} {failure}" for outcome in outcomes for failure in outcome.failures]
    assert not failed, "\n".join(failed)
