"""Compile the kernels when a wheel of the package is built. An editable installation uses Numba's JIT instead."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CustomBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """A build hook that adds the native module to a wheel. The wheel is then for one Python and one kind of machine."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile the module, unless `build/native` has a current one for this Python, and add it to the wheel."""
        if self.target_name != "wheel" or version == "editable":
            return
        compiler = Path(self.root, "tools", "compile_kernels.py")
        folder = Path(self.root, "build", "native")
        subprocess.run([sys.executable, str(compiler), "--keep", str(folder)], check=True)
        module = folder / f"_native{sysconfig.get_config_var('EXT_SUFFIX')}"
        build_data["force_include"][str(module)] = f"impinge/kernels/{module.name}"
        build_data["pure_python"], build_data["infer_tag"] = False, True
