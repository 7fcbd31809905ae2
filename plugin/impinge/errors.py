"""What Impinge raises. Every message names the argument and the value that it got."""

from __future__ import annotations

__all__ = ["PredictionError", "ShapeError", "SnapshotError"]


class ShapeError(ValueError):
    """A shape, a pose or a motion that cannot be: a size that is not positive, a coordinate that is not finite."""


class SnapshotError(ShapeError):
    """Bytes that are no snapshot of a world: damaged, cut off, of something else, or of a newer version."""


class PredictionError(ArithmeticError):
    """A question of `impinge.predict` that bounds do not answer to the tolerance within the pieces of time allowed."""
