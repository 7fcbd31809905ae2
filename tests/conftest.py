"""Prepare the kernels once, before pytest-xdist starts worker processes that would each compile them."""

from __future__ import annotations

import pytest

from impinge import runtime


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile the kernels that are not on disk yet. With pytest-xdist, only the controller process does it."""
    if not hasattr(session.config, "workerinput"):
        runtime.prepare()
