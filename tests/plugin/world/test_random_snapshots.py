"""Mutated snapshots: see `hostile_snapshots`."""

from __future__ import annotations

import pytest

import hostile_snapshots
from scale import cases


@pytest.mark.parametrize("seed", range(2))
def test_mutated_snapshots_are_worlds_or_refused_in_time(seed):
    told = []
    assert hostile_snapshots.run(cases(5000), seed, 60.0, told.append) == 0, told
