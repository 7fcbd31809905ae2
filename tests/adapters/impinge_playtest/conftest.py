"""Fixtures of the playtest tests: Arcade without a screen where there is none."""

from __future__ import annotations

import os
import sys

if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
    os.environ.setdefault("ARCADE_HEADLESS", "True")
