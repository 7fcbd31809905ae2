"""Runs Python as on a machine that has no screen, in a process of its own: Arcade is headless for good or not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

__all__ = ["python", "said"]

PATIENCE = 300  # seconds


def python(*arguments: object, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run Python in a folder, and tell how it ended."""
    environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
    )


def said(*arguments: object, folder: Path) -> str:
    """Run Python in a folder, which has to end well, and return what it says."""
    run = python(*arguments, folder=folder)
    assert run.returncode == 0, run.stderr
    return run.stdout
