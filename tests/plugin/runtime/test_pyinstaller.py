"""PyInstaller finds the hook of Impinge. To check that its games work, build one: `tools/build_demo.py --check`."""

from __future__ import annotations

import importlib
import tomllib
from pathlib import Path


def test_pyinstaller_is_shown_the_way_to_the_hook() -> None:
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text("utf-8"))["project"]
    module, _, function = project["entry-points"]["pyinstaller40"]["hook-dirs"].partition(":")
    (directory,) = getattr(importlib.import_module(module), function)()
    # The name makes PyInstaller run it when it finds `import impinge`.
    assert (Path(directory) / "hook-impinge.py").is_file()
