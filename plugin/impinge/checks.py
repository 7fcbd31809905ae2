"""What enters is checked here, once, and refused by name. Inside, code trusts its input."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from impinge.errors import ShapeError

__all__ = ["coordinate", "finite", "flag", "not_negative", "point", "positive"]

# Sizes and coordinates stay within these, so that no product of three of them leaves the range of floats.
SMALLEST, LARGEST = 1e-100, 1e100


def finite(name: str, value: object) -> float:
    """Return a number as a float, or refuse it by name."""
    number = _number(name, value)
    if not math.isfinite(number):
        raise ShapeError(f"{name} must be finite, got {value!r}")
    return number


def coordinate(name: str, value: object) -> float:
    """Return a coordinate as a float, or refuse it by name."""
    number = finite(name, value)
    if abs(number) > LARGEST:
        raise ShapeError(f"{name} must be at most {LARGEST:g} in size, got {value!r}")
    return number


def positive(name: str, value: object) -> float:
    """Return a size as a float, or refuse it by name."""
    number = _number(name, value)
    if not (0.0 < number < math.inf):
        raise ShapeError(f"{name} must be positive and finite, got {value!r}")
    return _within_range(name, number, value)


def not_negative(name: str, value: object) -> float:
    """Return a size that may be zero as a float, or refuse it by name."""
    number = _number(name, value)
    if not (0.0 <= number < math.inf):
        raise ShapeError(f"{name} must be finite and not negative, got {value!r}")
    return number and _within_range(name, number, value)


def flag(name: str, value: object) -> bool:
    """Return whether a flag is set, or refuse what is neither True nor False by name."""
    if value is True or value is False:
        return value
    if isinstance(value, np.bool_):
        return bool(value)
    raise ShapeError(f"{name} must be True or False, got {value!r}")


def point(name: str, value: Any) -> tuple[float, float]:
    """Return a point or a vector as two floats, or refuse it by name."""
    try:
        if isinstance(value, str | bytes | set | frozenset | dict):
            raise TypeError  # letters are no numbers, and a set has no order
        x, y = value
    except (TypeError, ValueError):
        raise ShapeError(f"{name} must be two numbers (x, y), got {value!r}") from None
    return coordinate(f"{name}[0]", x), coordinate(f"{name}[1]", y)


def _number(name: str, value: object) -> float:
    try:
        return float("" if isinstance(value, str | bytes) else value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise ShapeError(f"{name} must be a number, got {value!r}") from None


def _within_range(name: str, number: float, value: object) -> float:
    if not SMALLEST <= number <= LARGEST:
        raise ShapeError(f"{name} must be from {SMALLEST:g} to {LARGEST:g}, got {value!r}")
    return number
