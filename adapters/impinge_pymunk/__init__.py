"""Impinge for Pymunk: features that a space lacks, added to a game's existing space."""

from impinge_pymunk.continuity import Continuous, continuous
from impinge_pymunk.drawing import draw_sector, draw_stops, draw_sweep
from impinge_pymunk.pushing import PushRule, push_rule, register, unregister
from impinge_pymunk.queries import (
    SectorQueryInfo,
    SweepQueryInfo,
    sector_query,
    sweep_query,
    sweep_query_first,
    time_of_impact,
)
from impinge_pymunk.shapes import motion_of, pose_of, shape_of
from impinge_pymunk.stops import Stop

__all__ = [
    "Continuous",
    "PushRule",
    "SectorQueryInfo",
    "Stop",
    "SweepQueryInfo",
    "continuous",
    "draw_sector",
    "draw_stops",
    "draw_sweep",
    "motion_of",
    "pose_of",
    "push_rule",
    "register",
    "sector_query",
    "shape_of",
    "sweep_query",
    "sweep_query_first",
    "time_of_impact",
    "unregister",
]
