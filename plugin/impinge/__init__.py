"""Impinge: swept collision that never tunnels, and walls that push, beside the engine a game already uses."""

import impinge.near  # noqa: F401  its kernels belong to the entry points
from impinge import batch, predict
from impinge._version import __version__
from impinge.attack import Attack, Strike, Swing
from impinge.bodies import ALL_LAYERS, Body, Event, Frame
from impinge.bounce import Bounce, Bounced, RigidBody, bounce
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
from impinge.room import Room, room
from impinge.sector import Occluders, Sector, SectorHit, sector_hit, sector_sweep, visible_outline
from impinge.shapes import Bounds, Box, Capsule, Circle, Compound, Feature, Polygon
from impinge.sides import Side
from impinge.world import World

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
