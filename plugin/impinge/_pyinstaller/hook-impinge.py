"""What goes along with a bundled game: the kernels' machine code and sources, and the plugins that packages bring."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from PyInstaller.config import CONF
from PyInstaller.utils.hooks import collect_entry_point

# The machine code is stamped with the sources. They are not imported.
module_collection_mode = {"impinge.kernels": "pyz+py"}
# Plugins that installed packages name, and by what they name them.
datas, hiddenimports = collect_entry_point("impinge.plugins")


def hook(hook_api: Any) -> None:
    """Compile the kernels, or take them from disk, and add them to what is collected."""
    folder = Path(CONF["workpath"]) / "impinge-machine-code"
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "impinge", "ship", str(folder)], check=True)
    hook_api.add_datas([(str(folder), "impinge/kernels/machine_code")])
