"""The push rule between bodies of a space: the weak one gives way, and the mighty one goes on as if it were not there.

Not here: what is done around each step for it, which is in `push_stage`.
"""

from __future__ import annotations

from typing import Any

import pymunk

import impinge as im
from impinge_pymunk.push_stage import PushStage, Stuck
from impinge_pymunk.ranks import Rule, Sides
from impinge_pymunk.stepping import space_of, stepper_of

__all__ = ["PushRule", "push_rule", "register", "unregister"]

# Collision types are words of the machine, and the last one is Pymunk's wildcard.
TYPES = (1 << 64) - 1


class PushRule:
    """A rule that `push_rule` has made; it holds until it is released.

    Attributes
    ----------
    mighty, weak
        The collision types.
    """

    def __init__(self, stage: PushStage, rule: Rule) -> None:
        self.mighty, self.weak = rule.mighty, rule.weak
        self._stage: PushStage | None = stage
        self._rule = rule

    def __repr__(self) -> str:
        return f"<PushRule: {self.mighty} pushes {self.weak}{'' if self._stage else ', released'}>"

    def release(self) -> None:
        """Let the engine decide about these pairs again, and give their handlers back; a second time does nothing."""
        if self._stage is not None:
            self._stage.release(self._rule)
            self._stage = None


def push_rule(
    space: Any,
    mighty: int,
    weak: int,
    *,
    carrying: im.Side = im.Side.ALL,
    sticky: im.Side = im.Side.NONE,
    passable: im.Side = im.Side.NONE,
    stuck: Stuck | None = None,
) -> PushRule:
    """Let shapes of one collision type push those of another one, and be neither moved nor slowed by them.

    Parameters
    ----------
    space
        The space, or an engine that has one, as `arcade.PymunkPhysicsEngine` does.
    mighty, weak
        The collision types. Shapes of either may come and go at any time; there need not be any yet. What is weak here
        may be mighty in another rule: walls push crates, crates push creatures.
    carrying, sticky, passable
        Sides of the mighty bodies that take weak ones along, hold them, or let them in, as in `impinge.World.add`. They
        are sides in the frame of the body, and turn with it.
    stuck
        Called after a step as ``stuck(weak_body, mighty_body, side)`` for each pair in which the weak one had no room;
        `side` is its side that is squeezed.

    Raises
    ------
    TypeError
        If `space` is none, a type is no integer, or `stuck` cannot be called.
    impinge.ShapeError
        If both types are the same one, the pair has a rule, the rules would go round in a circle, or the mighty type
        has other sides in another rule. Nothing is changed then.

    Notes
    -----
    The rule of `impinge.World`, in each `pymunk.Space.step`.

    Examples
    --------
    A press comes down on a crate that weighs a million times as much:

    >>> PRESS, CRATE = 1, 2
    >>> space = pymunk.Space()
    >>> press, crate = pymunk.Body(1, 1), pymunk.Body(1e6, 1e6)
    >>> press.position, press.velocity = (0, 30), (0, -100)
    >>> shapes = pymunk.Poly.create_box(press, (40, 20)), pymunk.Poly.create_box(crate, (20, 20))
    >>> for shape, kind in zip(shapes, (PRESS, CRATE)):
    ...     shape.collision_type = kind
    >>> space.add(press, crate, *shapes)
    >>> rule = push_rule(space, PRESS, CRATE)
    >>> space.step(0.25)
    >>> press.position, press.velocity
    (Vec2d(0.0, 5.0), Vec2d(0.0, -100.0))
    >>> crate.position, crate.velocity
    (Vec2d(0.0, -15.0), Vec2d(0.0, -100.0))
    """
    place = space_of(space)
    for name, kind in (("mighty", mighty), ("weak", weak)):
        if isinstance(kind, bool) or not isinstance(kind, int):
            raise TypeError(f"{name} must be a collision type, an integer, got {kind!r}")
        if not 0 <= kind < TYPES:
            raise im.ShapeError(f"{name} must be a collision type, from 0 to {TYPES - 1}, got {kind!r}")
    if stuck is not None and not callable(stuck):
        raise TypeError(f"stuck must be a function, got {stuck!r}")
    for name, side in (("carrying", carrying), ("sticky", sticky), ("passable", passable)):
        if not isinstance(side, im.Side):
            raise im.ShapeError(f"{name} must be a Side, got {side!r}")
    rule = Rule(mighty, weak, Sides(carrying, sticky, passable))
    stage = _stage(place)
    stage.add(rule, stuck)
    return PushRule(stage, rule)


def register(space: Any, plugin: object, name: str | None = None) -> str | None:
    """Let a plugin of Impinge hear what happens under the push rules of a space, and have a say in it.

    Parameters
    ----------
    space
        The space, or an engine that has one. It need not have a rule yet.
    plugin
        An object or a module with functions marked by `impinge.hookimpl`: those of a `World`, see `impinge.hooks`.
        `Body.data` of the bodies that they are given is the `pymunk.Body`.
    name
        What messages call it.

    Returns
    -------
    str
        The name.

    Raises
    ------
    TypeError, impinge.ShapeError, ValueError, pluggy.PluginValidationError
        As `impinge.World.register`.

    Examples
    --------
    >>> class Landing:
    ...     @im.hookimpl
    ...     def impinge_begin(self, contact):
    ...         print("landed at", contact.weak.data.position)
    >>> space, ball = pymunk.Space(), pymunk.Body(1, 1)
    >>> shapes = pymunk.Segment(space.static_body, (-9, 0), (9, 0), 1), pymunk.Circle(ball, 4)
    >>> shapes[0].collision_type, shapes[1].collision_type = 1, 2
    >>> ball.position, ball.velocity = (0, 10), (0, -60)
    >>> space.add(ball, *shapes)
    >>> rule, name = push_rule(space, 1, 2), register(space, Landing())
    >>> space.step(0.1)
    landed at Vec2d(0.0, 10.0)
    >>> ball.position
    Vec2d(0.0, 5.0)
    """
    return _stage(space_of(space)).register(plugin, name)


def unregister(space: Any, plugin: object) -> None:
    """Let a plugin hear no more of a space.

    Raises
    ------
    ValueError
        If it is not registered.
    """
    _stage(space_of(space)).unregister(plugin)


def _stage(space: pymunk.Space) -> PushStage:
    """Return the stage of a space, a new one that does nothing yet if it has none."""
    stepper = stepper_of(space)
    stage: PushStage | None = stepper.find(PushStage)
    return PushStage(space, stepper) if stage is None else stage
