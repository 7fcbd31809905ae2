"""What all tests share: kernels that are compiled once, the number of random cases, and no search for old garbage.

The kernels are prepared before pytest-xdist starts worker processes that would each compile them.
"""

from __future__ import annotations

import gc

import pytest
from hypothesis import settings

from impinge import runtime
from scale import IS_SMALL, cases

# A deadline would measure the machine. In CI the parent profile draws the same examples in every run.
settings.register_profile("scaled", max_examples=cases(100), deadline=None)
settings.load_profile("scaled")


def pytest_configure(config: pytest.Config) -> None:
    """Leave out long tests at a small scale, unless `-m` says which tests to run."""
    if IS_SMALL and not config.option.markexpr:
        config.option.markexpr = "not long"


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile the kernels that are not on disk yet. With pytest-xdist, only the controller process does it."""
    if not hasattr(session.config, "workerinput"):
        runtime.prepare()
    gc.disable()


def pytest_collection_finish() -> None:
    """Leave out modules and 10,000 tests, which stay to the end, wherever a test lets Python look for garbage."""
    gc.freeze()
    gc.enable()
