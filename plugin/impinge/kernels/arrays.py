"""Types of the arrays that kernels take. `columns` says what stands in them."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]
# A motion as scalar questions take it, in the columns of `motions`.
Course: TypeAlias = tuple[float, ...]
