"""Run Python as on a machine without a screen, in its own process: Arcade is headless for good or not at all."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from scale import PATIENCE

__all__ = ["python", "said"]


def python(*arguments: object, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run Python in a folder, and return the completed process."""
    environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
    )


def said(*arguments: object, folder: Path) -> str:
    """Run Python in a folder, require success, and return the output."""
    run = python(*arguments, folder=folder)
    assert run.returncode == 0, run.stderr
    return run.stdout
