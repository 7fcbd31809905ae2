"""Checks of the arguments of public functions. Internal code trusts its input."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from impinge.errors import ShapeError
from impinge.kernels.tolerances import LARGEST

__all__ = [
    "LARGEST",
    "SMALLEST",
    "coordinate",
    "coordinates",
    "count",
    "finite",
    "first_wrong",
    "flag",
    "is_cuda",
    "not_negative",
    "numbers",
    "point",
    "positive",
]

# The least size: as with the limit of sizes and coordinates, no product of three leaves the range of floats.
SMALLEST = 1e-100
# Limit of copies, frames and threads.
MAX_COUNT = 1 << 31


def finite(name: str, value: object) -> float:
    """Return a finite number as a float, or raise an error with its name."""
    number = _number(name, value)
    if not math.isfinite(number):
        raise ShapeError(f"{name} must be finite, got {value!r}")
    return number


def coordinate(name: str, value: object) -> float:
    """Return a coordinate as a float, or raise an error with its name."""
    number = finite(name, value)
    if abs(number) > LARGEST:
        raise ShapeError(f"{name} must be at most {LARGEST:g} in size, got {value!r}")
    return number


def positive(name: str, value: object) -> float:
    """Return a positive size as a float, or raise an error with its name."""
    number = _number(name, value)
    if not (0.0 < number < math.inf):
        raise ShapeError(f"{name} must be positive and finite, got {value!r}")
    return _within_range(name, number, value)


def not_negative(name: str, value: object) -> float:
    """Return a size that may be zero as a float, or raise an error with its name."""
    number = _number(name, value)
    if not (0.0 <= number < math.inf):
        raise ShapeError(f"{name} must be finite and not negative, got {value!r}")
    return number and _within_range(name, number, value)


def flag(name: str, value: object) -> bool:
    """Return a flag, or raise an error with its name if the value is neither True nor False."""
    if value is True or value is False:
        return value
    if isinstance(value, np.bool_):
        return bool(value)
    raise ShapeError(f"{name} must be True or False, got {value!r}")


def count(name: str, value: object) -> int:
    """Return a positive integer, or raise an error with its name."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not 0 < value < MAX_COUNT:
        raise ShapeError(f"{name} must be a positive integer, got {value!r}")
    return int(value)


def point(name: str, value: Any) -> tuple[float, float]:
    """Return a point or a vector as two floats, or raise an error with its name."""
    try:
        if isinstance(value, str | bytes | set | frozenset | dict):
            raise TypeError  # these would unpack, but letters are not numbers, and a set has no order
        x, y = value
    except (TypeError, ValueError):
        raise ShapeError(f"{name} must be two numbers (x, y), got {value!r}") from None
    return coordinate(f"{name}[0]", x), coordinate(f"{name}[1]", y)


def numbers(name: str, value: ArrayLike, shape: str) -> NDArray[np.float64]:
    """Return real numbers as an array of floats, without a copy if they are one, or raise an error with their name."""
    try:
        array: NDArray[Any] = np.asarray(value)
        if array.dtype.kind in "iufO":
            return array.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError):
        pass
    raise ShapeError(f"{name} must be an array of numbers of shape {shape}, got {value!r}")


def coordinates(name: str, array: NDArray[np.float64]) -> None:
    """Raise an error with the name of an array if one of its numbers is no coordinate."""
    if array.size and not -LARGEST <= array.min() <= array.max() <= LARGEST:  # both are NaN if one number is
        wrong = first_wrong(array, ~(abs(array) <= LARGEST))
        raise ShapeError(f"{name} must be finite and at most {LARGEST:g} in size, got {wrong}")


def first_wrong(array: NDArray[Any], wrong: NDArray[np.bool_]) -> str:
    """Return the first wrong value of an array and its index, as text."""
    if array.ndim == 0:
        return repr(array.item())
    index = tuple(int(i) for i in np.argwhere(wrong)[0])
    return f"{array[index].item()!r} at {list(index)}"


def _number(name: str, value: object) -> float:
    try:
        return float("" if isinstance(value, str | bytes | bool | np.bool_) else value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise ShapeError(f"{name} must be a number, got {value!r}") from None


def _within_range(name: str, number: float, value: object) -> float:
    if not SMALLEST <= number <= LARGEST:
        raise ShapeError(f"{name} must be from {SMALLEST:g} to {LARGEST:g}, got {value!r}")
    return number


def is_cuda(device: str) -> bool:
    """Return whether a device is CUDA, or raise an error if there is none."""
    if device == "cpu":
        return False
    if device != "cuda":
        raise ShapeError(f"device must be 'cpu' or 'cuda', got {device!r}")
    from impinge.gpu.device import check_device

    check_device()
    return True
