"""Arcade without a screen: for maps, and for pictures."""

from __future__ import annotations

import os
import sys
from typing import Any

__all__ = ["arcade_without_screen"]


def arcade_without_screen() -> Any:
    """Import Arcade so that it needs no screen, unless the program has imported it before.

    Raises
    ------
    ModuleNotFoundError
        If Arcade is not installed.
    """
    if "arcade" not in sys.modules and sys.platform == "linux":  # elsewhere pyglet cannot draw without a window
        os.environ.setdefault("ARCADE_HEADLESS", "True")
    try:
        import arcade
    except ModuleNotFoundError as error:
        if error.name != "arcade":
            raise
        raise ModuleNotFoundError("Tiled maps and pictures need Arcade: pip install 'impinge[arcade]'") from error
    return arcade
