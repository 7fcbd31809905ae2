"""The location of Impinge's PyInstaller hooks. PyInstaller finds this module by the entry point `pyinstaller40`."""

from __future__ import annotations

from pathlib import Path

__all__ = ["hook_directories"]


def hook_directories() -> list[str]:
    """Return the directories of the hooks for PyInstaller."""
    return [str(Path(__file__).parent)]
