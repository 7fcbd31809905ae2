"""How many random cases the tests run: `IMPINGE_SCALE` times their full number, a twentieth by default.

`IMPINGE_SCALE=1` runs all, and `IMPINGE_SCALE=10` ten times as many. From 1 on, the tests with the marker `long` run
too, see `tests/conftest.py`. `.ci/run` runs a tenth of the cases and the long tests, but all cases of
`test_random_*.py` and of levels that `impinge_playtest` explores.

A test whose random cases would be too few to fail names the `least` number of them: `cases(60, least=5)`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import pytest

__all__ = ["IS_SMALL", "PATIENCE", "SCALE", "cases", "some"]

SCALE = float(os.environ.get("IMPINGE_SCALE", "0.05"))
# Whether too few cases run to say anything about their shares: how many hit, or have a known answer.
IS_SMALL = SCALE < 1.0
# Seconds until a process counts as hanging, on the slowest machine.
PATIENCE = 600


def cases(full: int, least: int = 1) -> int:
    """Return how many of a test's cases run, but `least` of them, which some tests need to compare anything."""
    return max(round(full * SCALE), min(least, full))


def some(values: Iterable[Any], least: int = 1) -> list[Any]:
    """Return parameters of a test. Those beyond the scale are `long`."""
    every = list(values)
    short = cases(len(every), least)
    rows = [value if isinstance(value, tuple) else (value,) for value in every[short:]]
    return every[:short] + [pytest.param(*row, marks=pytest.mark.long) for row in rows]
