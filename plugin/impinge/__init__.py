"""Impinge: swept collision that never tunnels, and walls that push, beside the engine a game already uses."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from impinge._version import __version__
from impinge.bodies import ALL_LAYERS, Body, Event, Frame
from impinge.errors import PredictionError, ShapeError, SnapshotError
from impinge.hooks import hookimpl
from impinge.impacts import Hit, Impact, sweep, time_of_impact
from impinge.motion import Motion, Pose
from impinge.push import Push, push
from impinge.queries import (
    Approach,
    Contact,
    Separation,
    closest_approach,
    contact,
    contact_interval,
    distance,
    overlaps,
)
from impinge.sector import Occluders, Sector, SectorHit, sector_hit, sector_sweep, visible_outline
from impinge.shapes import Bounds, Box, Capsule, Circle, Compound, Feature, Polygon
from impinge.sides import Side
from impinge.world import World

if TYPE_CHECKING:
    from impinge import batch, predict
    from impinge.attack import Attack, Strike, Swing
    from impinge.rigid import Bounce, Bounced, RigidBody, bounce
    from impinge.room import Room, room

# Loaded at their first use, as many games need none of these: a start without them is 15 ms shorter.
_LATER = {
    "Attack": "impinge.attack",
    "Strike": "impinge.attack",
    "Swing": "impinge.attack",
    "Bounce": "impinge.rigid",
    "Bounced": "impinge.rigid",
    "RigidBody": "impinge.rigid",
    "Room": "impinge.room",
    "bounce": "impinge.rigid",
}


def __getattr__(name: str) -> object:
    if name in _LATER:
        globals()[name] = found = getattr(importlib.import_module(_LATER[name]), name)
        return found
    raise AttributeError(f"module 'impinge' has no attribute {name!r}")


__all__ = [
    "ALL_LAYERS",
    "Approach",
    "Attack",
    "Body",
    "Bounce",
    "Bounced",
    "Bounds",
    "Box",
    "Capsule",
    "Circle",
    "Compound",
    "Contact",
    "Event",
    "Feature",
    "Frame",
    "Hit",
    "Impact",
    "Motion",
    "Occluders",
    "Polygon",
    "Pose",
    "PredictionError",
    "Push",
    "RigidBody",
    "Room",
    "Sector",
    "SectorHit",
    "Separation",
    "ShapeError",
    "Side",
    "SnapshotError",
    "Strike",
    "Swing",
    "World",
    "__version__",
    "batch",
    "bounce",
    "closest_approach",
    "contact",
    "contact_interval",
    "distance",
    "hookimpl",
    "overlaps",
    "predict",
    "push",
    "room",
    "sector_hit",
    "sector_sweep",
    "sweep",
    "time_of_impact",
    "visible_outline",
]
