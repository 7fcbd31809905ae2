"""Arcade without a screen where there is none. Tests of Ray need Ray, which `.[dev]` installs."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("ray") else ["test_ray_cluster.py"]

if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
    os.environ.setdefault("ARCADE_HEADLESS", "True")
