"""What enters is checked here, once, and refused by name. Inside, code trusts its input."""

from __future__ import annotations

import math
from typing import Any

from impinge.errors import ShapeError

__all__ = ["finite", "not_negative", "point", "positive"]


def finite(name: str, value: object) -> float:
    """Return a coordinate as a float, or refuse it by name."""
    number = _number(name, value)
    if not math.isfinite(number):
        raise ShapeError(f"{name} must be finite, got {value!r}")
    return number


def positive(name: str, value: object) -> float:
    """Return a size as a float, or refuse it by name."""
    number = _number(name, value)
    if not (0.0 < number < math.inf):
        raise ShapeError(f"{name} must be positive and finite, got {value!r}")
    return number


def not_negative(name: str, value: object) -> float:
    """Return a size that may be zero as a float, or refuse it by name."""
    number = _number(name, value)
    if not (0.0 <= number < math.inf):
        raise ShapeError(f"{name} must be finite and not negative, got {value!r}")
    return number


def point(name: str, value: Any) -> tuple[float, float]:
    """Return a point or a vector as two floats, or refuse it by name."""
    try:
        x, y = value
    except (TypeError, ValueError):
        raise ShapeError(f"{name} must be two numbers (x, y), got {value!r}") from None
    return finite(f"{name}[0]", x), finite(f"{name}[1]", y)


def _number(name: str, value: object) -> float:
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise ShapeError(f"{name} must be a number, got {value!r}") from None
