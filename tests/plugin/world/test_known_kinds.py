"""Kinds of random scenes that once failed: `python tests/oracles/known_kinds.py` counts them at any scale."""

from __future__ import annotations

import pytest

from known_kinds import KINDS_OF_FAILURE, count_of
from scale import cases


@pytest.mark.parametrize("name", KINDS_OF_FAILURE)
def test_no_case_of_a_kind_fails(name):
    total = cases(KINDS_OF_FAILURE[name][1])
    assert count_of(name, total, seed=22).numbers == []
