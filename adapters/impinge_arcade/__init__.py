"""Impinge for Arcade: exact collisions and pushes for sprites."""

from impinge_arcade.asking import line_of_sight, nearest, sector_attack, sweep
from impinge_arcade.attaching import Attachment, attach
from impinge_arcade.bootstrapping import bootstrap, restore
from impinge_arcade.collision import (
    check_for_collision,
    check_for_collision_with_list,
    check_for_collision_with_lists,
    get_sprites_at_point,
)
from impinge_arcade.debug import draw_debug
from impinge_arcade.engine import PushEngine
from impinge_arcade.events import SpriteEvent
from impinge_arcade.interpolating import Interpolation
from impinge_arcade.maps import engine_for
from impinge_arcade.physics_engines import PhysicsEnginePlatformer, PhysicsEngineSimple
from impinge_arcade.shapes import shape_for
from impinge_arcade.striking import SpriteAttack
from impinge_arcade.walking import Jump, Ladders, Walker, WallSlide

__all__ = [
    "Attachment",
    "Interpolation",
    "Jump",
    "Ladders",
    "PhysicsEnginePlatformer",
    "PhysicsEngineSimple",
    "PushEngine",
    "SpriteAttack",
    "SpriteEvent",
    "Walker",
    "WallSlide",
    "attach",
    "bootstrap",
    "check_for_collision",
    "check_for_collision_with_list",
    "check_for_collision_with_lists",
    "draw_debug",
    "engine_for",
    "get_sprites_at_point",
    "line_of_sight",
    "nearest",
    "restore",
    "sector_attack",
    "shape_for",
    "sweep",
]
