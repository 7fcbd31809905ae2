"""What is done around each step of a space: one wrapper for all that need it, in a fixed order.

Not here: what is done, which is in `continuity` and `pushing`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Protocol

import pymunk

import impinge as im
from impinge_pymunk.handlers import refuse_massless

__all__ = ["Stage", "Stepper", "space_of", "stepper_of"]


class Stage(Protocol):
    """Something that is done around a step."""

    # Who comes first before a step, and last after it.
    order: int
    # Whether a copy of the space has it as well.
    is_copied: bool

    def prepare(self, dt: float) -> None:
        """Look at the space before a step, or refuse it; nothing of the space may change yet."""

    def before(self, dt: float) -> None:
        """Change bodies so that the step leads where it should."""

    def after(self, dt: float) -> None:
        """Put right what the step has left."""

    def settles(self, one: pymunk.Shape, other: pymunk.Shape) -> bool:
        """Whether this stage decides what two shapes do to each other, and no other stage does."""


class Stepper:
    """The `step` of a space, with stages around the one that was there before.

    Examples
    --------
    >>> space = pymunk.Space()
    >>> class Counting:
    ...     order, is_copied, steps = 0, False, 0
    ...     def prepare(self, dt): pass
    ...     def before(self, dt): self.steps += 1
    ...     def after(self, dt): pass
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
        self._space = space
        # Another that has been here, and is put back; else there is the method of the class.
        self._former: Callable[[float], None] | None = vars(space).get("step")
        self._stages: list[Stage] = []
        self._is_stepping = False

    def __call__(self, dt: float) -> None:
        """Step the space.

        Raises
        ------
        impinge.ShapeError
            If the duration is negative or not finite, something of a body is not, or a dynamic body has no mass or no
            moment; nothing has changed then.
        RuntimeError
            If it is called from within a step.
        """
        if isinstance(dt, bool) or not isinstance(dt, (int, float)) or not 0.0 <= dt < math.inf:
            raise im.ShapeError(f"dt must be a finite number, 0 or more, got {dt!r}")
        if dt == 0.0:
            # Pymunk does nothing then.
            self._step(dt)
            return
        if self._is_stepping:
            raise RuntimeError("space.step must not be called from within a step")
        self._is_stepping = True
        try:
            self._take(dt)
        finally:
            self._is_stepping = False

    def _take(self, dt: float) -> None:
        stages = tuple(self._stages)
        refuse_massless(self._space)
        for stage in stages:
            stage.prepare(dt)
        for stage in stages:
            stage.before(dt)
        try:
            self._step(dt)
        finally:
            # What a game does at the end of a step may fail, but the step has been taken.
            for stage in reversed(stages):
                stage.after(dt)

    def _step(self, dt: float) -> None:
        """Step as before; found each time, so that a copy of the space steps the copy."""
        if self._former is None:
            type(self._space).step(self._space, dt)
        else:
            self._former(dt)

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy of the space takes along, as `copy` and `pickle` make it."""
        return {**vars(self), "_stages": [stage for stage in self._stages if stage.is_copied]}

    def add(self, stage: Stage) -> None:
        """Add a stage."""
        self._stages = sorted([*self._stages, stage], key=lambda other: other.order)
        self._space.step = self  # type: ignore[method-assign]

    def remove(self, stage: Stage) -> None:
        """Take a stage away; the last one leaves the space as it was."""
        self._stages = [other for other in self._stages if other is not stage]
        if not self._stages and vars(self._space).get("step") is self:
            if self._former is None:
                del self._space.step
            else:
                self._space.step = self._former

    def others(self, stage: Stage) -> list[Stage]:
        """Return the stages but for one."""
        return [other for other in self._stages if other is not stage]

    def find(self, kind: type) -> Any:
        """Return the stage of a kind, or None."""
        return next((stage for stage in self._stages if isinstance(stage, kind)), None)


def stepper_of(space: pymunk.Space) -> Stepper:
    """Return what steps a space, a new one if it has none."""
    step = vars(space).get("step")
    return step if isinstance(step, Stepper) else Stepper(space)


def space_of(space: Any) -> pymunk.Space:
    """Return a space, or the space of an engine that has one, as `arcade.PymunkPhysicsEngine` does.

    Raises
    ------
    TypeError
        If it is neither.
    """
    found = getattr(space, "space", space)
    if not isinstance(found, pymunk.Space):
        raise TypeError(f"space must be a pymunk.Space or an engine that has one, got {space!r}")
    return found
