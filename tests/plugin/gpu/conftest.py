"""Tests of CUDA need numba-cuda, which `.[dev]` installs on Linux. Those marked `gpu` also need a GPU."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

HAS_NUMBA_CUDA = find_spec("numba_cuda") is not None
collect_ignore_glob = [] if HAS_NUMBA_CUDA else ["test_on_device.py", "test_compile.py"]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out tests that need a GPU where there is none."""
    marked = [item for item in items if item.get_closest_marker("gpu")]
    if not marked:
        return
    from impinge.gpu.device import missing

    if missing()[0]:
        config.hook.pytest_deselected(items=marked)
        items[:] = [item for item in items if item not in marked]
