"""Impinge: swept collision that never tunnels, and walls that push, together with the engine that a game uses."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from impinge._version import __version__
from impinge.errors import DeviceError, PredictionError, ShapeError, SnapshotError
from impinge.hooks import hookimpl
from impinge.motion import Motion, Pose
from impinge.query.impacts import Impact, sweep, time_of_impact
from impinge.query.pairs import Contact, Separation, contact, distance, overlaps
from impinge.query.records import Hit, Neighbour, SectorTarget
from impinge.sector.sectors import Occluders, Sector, SectorHit, sector_hit, sector_sweep, visible_outline
from impinge.shapes.solids import Bounds, Box, Capsule, Circle, Compound, Feature, Polygon
from impinge.sides import Side
from impinge.world.bodies import ALL_LAYERS, Body, Event, EventColumn, Frame
from impinge.world.counters import Counters
from impinge.world.snapshot import SnapshotLimits
from impinge.world.world import World

if TYPE_CHECKING:
    from impinge import batch, predict
    from impinge.query.intervals import Approach, closest_approach, contact_interval
    from impinge.query.push import Push, push
    from impinge.query.room import Room, room
    from impinge.rigid import Bounce, Bounced, RigidBody, bounce
    from impinge.sector.attack import Attack, Strike, Swing
    from impinge.world.fleet import FLEET_EVENT, Fleet, FleetFrame

# Imported at the first use: this makes the start 20 ms faster, and many games use none of them.
_LAZY_NAMES = {
    "impinge.query.intervals": ("Approach", "closest_approach", "contact_interval"),
    "impinge.query.push": ("Push", "push"),
    "impinge.query.room": ("Room", "room"),
    "impinge.rigid": ("Bounce", "Bounced", "RigidBody", "bounce"),
    "impinge.sector.attack": ("Attack", "Strike", "Swing"),
    "impinge.world.fleet": ("FLEET_EVENT", "Fleet", "FleetFrame"),
}
_LAZY_MODULE_OF = {name: module for module, names in _LAZY_NAMES.items() for name in names}


def __getattr__(name: str) -> object:
    if name in ("batch", "predict"):
        return importlib.import_module(f"impinge.{name}")
    if name in _LAZY_MODULE_OF:
        globals()[name] = found = getattr(importlib.import_module(_LAZY_MODULE_OF[name]), name)
        return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


__all__ = [
    "ALL_LAYERS",
    "FLEET_EVENT",
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
    "Counters",
    "DeviceError",
    "Event",
    "EventColumn",
    "Feature",
    "Fleet",
    "FleetFrame",
    "Frame",
    "Hit",
    "Impact",
    "Motion",
    "Neighbour",
    "Occluders",
    "Polygon",
    "Pose",
    "PredictionError",
    "Push",
    "RigidBody",
    "Room",
    "Sector",
    "SectorHit",
    "SectorTarget",
    "Separation",
    "ShapeError",
    "Side",
    "SnapshotError",
    "SnapshotLimits",
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
