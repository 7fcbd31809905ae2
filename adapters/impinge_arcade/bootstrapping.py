"""Puts the adapter's functions and engines in the place of Arcade's own, for games whose code is not to be touched."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import arcade

from impinge_arcade import collision, physics_engines

__all__ = ["bootstrap", "restore"]

# As Arcade has them while this module is imported, that is before `bootstrap` can have been called.
ORIGINALS: dict[str, Any] = {name: getattr(arcade, name) for name in (*collision.__all__, *physics_engines.__all__)}

_replaced: list[tuple[ModuleType, str, Any]] = []


def bootstrap() -> None:
    """Let Arcade's checks and engines be Impinge's, from now on, for everything that is imported later.

    That is `arcade.check_for_collision`, `check_for_collision_with_list`, `check_for_collision_with_lists`,
    `get_sprites_at_point`, `PhysicsEngineSimple` and `PhysicsEnginePlatformer`, in all of Arcade's modules; so sprites'
    own `collides_with_sprite` and `collides_with_list`, and Arcade's paths, ask Impinge as well. Call it before the
    game's modules are imported: a name that one of them has imported from Arcade already stays Arcade's. Twice is as
    good as once.

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
    """Give Arcade its own checks and engines back; engines that were made in the meantime go on as they are."""
    while _replaced:
        module, name, value = _replaced.pop()
        setattr(module, name, value)
