"""Shapes: frozen values, checked once when they are made. Where a shape is, is not its affair: see `motion`."""

from __future__ import annotations

import math
from dataclasses import dataclass

from impinge.errors import ShapeError

__all__ = ["Box"]


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle around its pose, sides along the axes.

    Parameters
    ----------
    width, height
        Full extents, in the game's units; positive and finite.

    Raises
    ------
    ShapeError
        If an extent is not a positive, finite number.

    Examples
    --------
    >>> Box(64, 32)
    Box(width=64.0, height=32.0)
    >>> Box(64, 0)
    Traceback (most recent call last):
    ...
    impinge.errors.ShapeError: height must be positive and finite, got 0
    """

    width: float
    height: float

    def __post_init__(self) -> None:
        for name in ("width", "height"):
            object.__setattr__(self, name, positive(name, getattr(self, name)))


def positive(name: str, value: object) -> float:
    """Return a size as a float, or refuse it by name."""
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise ShapeError(f"{name} must be a number, got {value!r}") from None
    if not (0.0 < number < math.inf):
        raise ShapeError(f"{name} must be positive and finite, got {value!r}")
    return number


def finite(name: str, value: object) -> float:
    """Return a coordinate as a float, or refuse it by name."""
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise ShapeError(f"{name} must be a number, got {value!r}") from None
    if not math.isfinite(number):
        raise ShapeError(f"{name} must be finite, got {value!r}")
    return number
