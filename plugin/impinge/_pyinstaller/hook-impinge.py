"""What goes along with a bundled game: the plugins that packages bring. The native module is found without help."""

from __future__ import annotations

from PyInstaller.utils.hooks import collect_entry_point

from impinge import runtime

# Plugins that installed packages name, and by what they name them.
datas, hiddenimports = collect_entry_point("impinge.plugins")
# 180 MB of a compiler, which is imported only where no native module is.
excludedimports = ["numba"] if runtime.KERNELS == "native" else []
