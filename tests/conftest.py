"""Makes the kernels ready once, before the tests are spread over processes that would each compile them."""

from __future__ import annotations

import pytest

from impinge import runtime


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile what is not on disk yet; with pytest-xdist in the process that hands out the work only."""
    if not hasattr(session.config, "workerinput"):
        runtime.prepare()
