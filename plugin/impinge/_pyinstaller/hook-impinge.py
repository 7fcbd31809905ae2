"""PyInstaller hook: adds installed plugins to a bundled game. PyInstaller finds the native module without help."""

from __future__ import annotations

from PyInstaller.utils.hooks import collect_entry_point

from impinge import runtime

# Plugins of installed packages, and the metadata with their entry points.
datas, hiddenimports = collect_entry_point("impinge.plugins")
# The compiler takes 180 MB, and is imported only without the native module.
excludedimports = ["numba", "llvmlite"] if runtime.KERNELS == "native" else []
