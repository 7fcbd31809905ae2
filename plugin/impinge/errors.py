"""The exceptions of Impinge. Each message names the argument and its value."""

from __future__ import annotations

__all__ = ["DeviceError", "PredictionError", "ShapeError", "SnapshotError"]


class ShapeError(ValueError):
    """An invalid argument, such as a size that is not positive, or a coordinate that is not finite."""


class SnapshotError(ShapeError):
    """Bytes that are not a valid snapshot of a world: damaged, cut off, of another kind, or of a newer version."""


class DeviceError(RuntimeError):
    """A device that cannot be used: numba-cuda, a driver or a GPU is missing, or a version does not fit."""


class PredictionError(ArithmeticError):
    """A query of `impinge.predict` that did not reach its tolerance within the allowed number of time intervals."""
