"""Stages around each step of a space: one wrapper of `step` for all of them, in a fixed order.

The stages themselves are in `continuity` and `push_stage`.
"""

from __future__ import annotations

import copy
import math
import sys
from collections.abc import Callable
from typing import Any, Protocol

import pymunk
from pymunk import Vec2d

import impinge as im
from impinge.threads import Use
from impinge_pymunk.handlers import refuse_massless

__all__ = ["Divider", "Stage", "Stepper", "space_of", "stepper_of"]

NESTED = "space.step must not be called from within a step"


class Stage(Protocol):
    """Work that is done before and after a step."""

    # Lower orders come first before a step, and last after it.
    order: int
    # Whether a copy of the space gets the stage too.
    is_copied: bool

    def prepare(self, dt: float) -> None:
        """Read the space before a step, or raise an error; nothing in the space may change yet."""

    def before(self, dt: float) -> None:
        """Change bodies so that the step brings them to the right places."""

    def after(self, dt: float) -> None:
        """Correct the result of the step."""

    def tell(self, dt: float) -> None:
        """Call functions of the game, which may change the space; all stages have corrected the result."""

    def settles(self, one: pymunk.Shape, other: pymunk.Shape) -> bool:
        """Return whether this stage alone decides how two shapes collide."""


class Divider:
    """A stage that may divide a step. It is no abstract class: `isinstance` takes ten times as long for these."""

    def parts(self, dt: float) -> int:
        """Return into how many equal steps a step is divided: here, into one."""
        return 1


class Stepper:
    """The `step` of a space, with stages around its former `step`.

    Examples
    --------
    >>> space = pymunk.Space()
    >>> class Counting:
    ...     order, is_copied, steps = 0, False, 0
    ...     def prepare(self, dt): pass
    ...     def before(self, dt): self.steps += 1
    ...     def after(self, dt): pass
    ...     def tell(self, dt): pass
    ...     def settles(self, one, other): return False
    >>> counting = Counting()
    >>> stepper_of(space).add(counting)
    >>> space.step(0.1)
    >>> counting.steps
    1
    >>> stepper_of(space).remove(counting)
    >>> "step" in vars(space)
    False
    """

    def __init__(self, space: pymunk.Space) -> None:
        self._space: pymunk.Space | None = space
        # In a copy that does not know its space yet: bodies that lead to it.
        self._bodies: list[pymunk.Body] = []
        # A former `step` of the instance, to be restored; None if it was the method of the class.
        self._former: Callable[[float], None] | None = vars(space).get("step")
        self._stages: list[Stage] = []
        self._use = Use(NESTED)

    @property
    def space(self) -> pymunk.Space:
        """The space."""
        if self._space is None:
            self._space = next(space for body in self._bodies if (space := body.space) is not None)
            self._bodies = []
        return self._space

    def __call__(self, dt: float) -> None:
        """Step the space.

        Raises
        ------
        impinge.ShapeError
            If the duration is negative or not finite, or a value of a body is not finite; then nothing has changed.
        AssertionError
            On Pymunk 7, if a new dynamic body has no mass or no moment; then nothing has changed.
        RuntimeError
            If it is called from within a step.
        """
        if isinstance(dt, bool) or not isinstance(dt, (int, float)) or not 0.0 <= dt < math.inf:
            raise im.ShapeError(f"dt must be a finite number, 0 or more, got {dt!r}")
        if dt == 0.0:
            # Pymunk does nothing for a duration of 0.
            self._step(dt)
            return
        call = self._use.begin(sys._getframe())
        try:
            parts = 1
            for stage in self._stages:
                if isinstance(stage, Divider):
                    parts = max(parts, stage.parts(dt))
            forces = _forces_in(self.space) if parts > 1 else []
            self._take(dt / parts)
            for _ in range(1, parts):
                _restore(self.space, forces)
                self._take(dt / parts)
        finally:
            self._use.end(call)

    def _take(self, dt: float) -> None:
        stages = self._stages  # a list that `add` and `remove` replace
        refuse_massless(self.space)
        for stage in stages:
            stage.prepare(dt)
        for stage in stages:
            stage.before(dt)
        try:
            self._step(dt)
        finally:
            # Game code at the end of a step may raise an error, but the step has been taken.
            for stage in reversed(stages):
                stage.after(dt)
        for stage in stages:
            stage.tell(dt)

    def _step(self, dt: float) -> None:
        """Call the former step; it is looked up each time, so that a copy of the space steps the copy."""
        space = self.space
        if self._former is None:
            type(space).step(space, dt)
        else:
            self._former(dt)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for a copy of the space by `copy` or `pickle`."""
        return {**vars(self), "_stages": [stage for stage in self._stages if stage.is_copied], "_use": Use(NESTED)}

    def __deepcopy__(self, memo: dict[int, Any]) -> Stepper:
        """Return a copy for a copy of the space, or of `Space.__getstate__()`, which another space may take up."""
        twin = memo[id(self)] = Stepper.__new__(Stepper)
        state, bodies = self.__getstate__(), _bodies_in(self.space)
        if id(self.space) not in memo and bodies:
            # A second copy of the space would take the bodies of the copied state.
            state.update(_space=None, _bodies=bodies)
        vars(twin).update(copy.deepcopy(state, memo))
        return twin

    def add(self, stage: Stage) -> None:
        """Add a stage."""
        self._stages = sorted([*self._stages, stage], key=lambda other: other.order)
        self.space.step = self  # type: ignore[method-assign]

    def remove(self, stage: Stage) -> None:
        """Remove a stage; without stages, the space gets its former `step` back."""
        self._stages = [other for other in self._stages if other is not stage]
        if not self._stages and vars(self.space).get("step") is self:
            if self._former is None:
                del self.space.step
            else:
                self.space.step = self._former

    def others(self, stage: Stage) -> list[Stage]:
        """Return all stages except one."""
        return [other for other in self._stages if other is not stage]

    def find(self, kind: type) -> Any:
        """Return the stage of a class, or None."""
        return next((stage for stage in self._stages if isinstance(stage, kind)), None)


def _forces_in(space: pymunk.Space) -> list[tuple[pymunk.Body, Vec2d, float]]:
    """Return the forces and torques on bodies."""
    return [
        (body, body.force, body.torque)
        for body in space.bodies
        if not body.is_sleeping and (body.torque != 0.0 or any(body.force))
    ]


def _restore(space: pymunk.Space, forces: list[tuple[pymunk.Body, Vec2d, float]]) -> None:
    """Apply the forces of a step in a further part of it: Pymunk clears them when it has used them."""
    for body, force, torque in forces:
        if body.space is space and not body.is_sleeping and body.torque == 0.0 and not any(body.force):
            body.force, body.torque = force, torque


def _bodies_in(space: pymunk.Space) -> list[pymunk.Body]:
    """Return the bodies of a space, its own static one too, which is made at its first use."""
    static = space._static_body
    return [*space.bodies] if static is None else [static, *space.bodies]


def stepper_of(space: pymunk.Space) -> Stepper:
    """Return the stepper of a space; if it has none, a new one."""
    step = vars(space).get("step")
    return step if isinstance(step, Stepper) else Stepper(space)


def space_of(space: Any) -> pymunk.Space:
    """Return a space itself, or the `space` of an engine such as `arcade.PymunkPhysicsEngine`.

    Raises
    ------
    TypeError
        If the argument is neither.
    """
    found = getattr(space, "space", space)
    if not isinstance(found, pymunk.Space):
        raise TypeError(f"space must be a pymunk.Space or an engine that has one, got {space!r}")
    return found
