"""Shapes: frozen values, checked once when they are made. Where a shape is, is not its affair: see `motion`."""

from __future__ import annotations

from dataclasses import dataclass

from impinge.checks import positive

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
