"""Replaces Arcade's collision functions and engines by the adapter's, for games whose code should stay unchanged."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import arcade

from impinge_arcade import collision, physics_engines
from impinge_arcade.shapes import set_strict

__all__ = ["bootstrap", "restore"]

# Arcade's originals: this module is imported before `bootstrap` can be called.
ORIGINALS: dict[str, Any] = {name: getattr(arcade, name) for name in (*collision.__all__, *physics_engines.__all__)}

_replaced: list[tuple[ModuleType, str, Any]] = []


def bootstrap(*, strict: bool = False) -> None:
    """Replace Arcade's collision checks and engines by Impinge's, for all modules that are imported later.

    It replaces `arcade.check_for_collision`, `check_for_collision_with_list`, `check_for_collision_with_lists`,
    `get_sprites_at_point`, `PhysicsEngineSimple` and `PhysicsEnginePlatformer` in all of Arcade's modules. Thus the
    sprite methods `collides_with_sprite` and `collides_with_list`, and Arcade's paths, use Impinge as well.

    Call it before the game's modules are imported: names that a module has already imported from Arcade do not change.
    A second call does no harm.

    Parameters
    ----------
    strict
        Whether the checks refuse sprites that most games do not have on purpose: without area, or at a position that is
        not finite. By default they collide with nothing. Engines have an argument of this name.

    Examples
    --------
    >>> import arcade
    >>> bootstrap()
    >>> arcade.PhysicsEngineSimple.__module__
    'impinge_arcade.physics_engines'
    >>> restore()
    >>> arcade.PhysicsEngineSimple.__module__
    'arcade.physics_engines'
    """
    set_strict(strict)
    new = {
        id(original): getattr(physics_engines if name in physics_engines.__all__ else collision, name)
        for name, original in ORIGINALS.items()
    }
    for module in [module for name, module in sys.modules.items() if name.partition(".")[0] == "arcade"]:
        for name, value in list(vars(module).items()):
            if id(value) in new:
                _replaced.append((module, name, value))
                setattr(module, name, new[id(value)])


def restore() -> None:
    """Restore Arcade's own checks and engines; engines made in the meantime keep working unchanged."""
    set_strict(False)
    while _replaced:
        module, name, value = _replaced.pop()
        setattr(module, name, value)
