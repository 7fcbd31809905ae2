"""The push rule between bodies of a space: weak bodies give way, mighty bodies move as if the weak were not there.

The work around each step is in `push_stage`.
"""

from __future__ import annotations

from typing import Any

import pymunk

import impinge as im
from impinge_pymunk.push_stage import PushStage, Stuck
from impinge_pymunk.ranks import Rule, Sides
from impinge_pymunk.stepping import space_of, stepper_of

__all__ = ["PushRule", "push_rule", "register", "unregister"]

# Collision types are machine words; the last value is Pymunk's wildcard.
TYPES = (1 << 64) - 1


class PushRule:
    """A rule made by `push_rule`; it holds until it is released.

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
        """End the rule: these pairs and their handlers belong to Pymunk again. A second call does nothing."""
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
    """Let shapes of one collision type push shapes of another, without being moved or slowed by them.

    Parameters
    ----------
    space
        The space, or an engine with a `space`, such as `arcade.PymunkPhysicsEngine`.
    mighty, weak
        The collision types. Shapes of both types may come and go at any time. A type may be weak in this rule and
        mighty in another one: walls push crates, crates push creatures.
    carrying, sticky, passable
        Sides of the mighty bodies that carry weak ones, hold them, or let them in, as in `impinge.World.add`. They are
        sides in the frame of the body, and turn with it.
    stuck
        A function, called after a step as ``stuck(weak_body, mighty_body, side)`` for each pair in which the weak body
        had no room; `side` is the squeezed side of the weak body. It may remove bodies, which are not reported again.

    Raises
    ------
    TypeError
        If `space` is not a space, a type is not an integer, or `stuck` is not callable.
    impinge.ShapeError
        If both types are equal, the pair already has a rule, the rules would form a cycle, or the mighty type has other
        sides in another rule. Then nothing changes.

    Notes
    -----
    It is the rule of `impinge.World`, applied in each `pymunk.Space.step`.

    Examples
    --------
    A press moves down on a crate of a million times its mass:

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
    """Register a plugin of Impinge that observes the push rules of a space and can change their results.

    Parameters
    ----------
    space
        The space, or an engine with a `space`. It may have no rule yet.
    plugin
        An object or a module with functions marked by `impinge.hookimpl`, the same as for a `World`: see
        `impinge.hooks`. `Body.data` of the bodies that they get is the `pymunk.Body`.
    name
        The name for messages.

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
    """Unregister a plugin from a space.

    Raises
    ------
    ValueError
        If the plugin is not registered.
    """
    _stage(space_of(space)).unregister(plugin)


def _stage(space: pymunk.Space) -> PushStage:
    """Return the stage of a space; if it has none, a new one that does nothing yet."""
    stepper = stepper_of(space)
    stage: PushStage | None = stepper.find(PushStage)
    return PushStage(space, stepper) if stage is None else stage
