"""What PyInstaller has to know to bundle a game that uses Impinge. It finds this by the entry point `pyinstaller40`."""

from __future__ import annotations

from pathlib import Path

__all__ = ["hook_directories"]


def hook_directories() -> list[str]:
    """Tell PyInstaller where the hooks are."""
    return [str(Path(__file__).parent)]
