"""Fixtures of the adapter tests: Arcade without a screen where there is none, and its only window.

Arcade has one window per process, and decides at import whether it runs headless. So no module may import Arcade in the
test process before this one. The demo tests give each game its own process.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import pytest

if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
    os.environ.setdefault("ARCADE_HEADLESS", "True")

import arcade

from impinge_arcade import bootstrap, restore


class GameWindow(arcade.Window):
    """A game that lives in its window, and records its calls."""

    calls: list[str]

    def on_update(self, delta_time: float) -> None:
        self.calls.append("window.on_update")

    def on_fixed_update(self, delta_time: float) -> None:
        self.calls.append("window.on_fixed_update")

    def play(self, event: str = "on_update", *arguments: object) -> None:
        """Dispatch an event as Arcade's loop does."""
        self.dispatch_event(event, *(arguments or (1 / 60,)))
        self.dispatch_events()


@pytest.fixture(scope="session")
def only_window() -> Iterator[GameWindow]:
    window = GameWindow(64, 64)
    yield window
    window.close()


@pytest.fixture
def window(only_window: GameWindow) -> Iterator[GameWindow]:
    """Return the window, without a view and outside of any event."""
    only_window.dispatch_events()
    only_window.calls = []
    yield only_window
    only_window.hide_view()
    only_window.dispatch_events()


@pytest.fixture
def strict() -> Iterator[None]:
    """Refuse sprites without area or at NaN."""
    bootstrap(strict=True)
    yield
    restore()
