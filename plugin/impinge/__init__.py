"""Impinge: swept collision that never tunnels, and walls that push, beside the engine a game already uses."""

from impinge import batch, predict
from impinge._version import __version__
from impinge.errors import ShapeError
from impinge.motion import Motion, Pose
from impinge.push import Push, push
from impinge.shapes import Box
from impinge.sides import Side
from impinge.warmup import warm_up
from impinge.world import ALL_LAYERS, Body, Event, Frame, World

__all__ = [
    "ALL_LAYERS",
    "Body",
    "Box",
    "Event",
    "Frame",
    "Motion",
    "Pose",
    "Push",
    "ShapeError",
    "Side",
    "World",
    "__version__",
    "batch",
    "predict",
    "push",
    "warm_up",
]
