"""Runs an engine with a game, by one call: after each update of the game, until it is detached.

Drawing between two steps is in `interpolating`.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import ismethod
from types import MethodType
from typing import Any, Literal, TypeAlias
from weakref import WeakMethod

import arcade

from impinge_arcade.interpolating import Engine, Interpolation

__all__ = ["Attachment", "attach"]

Target: TypeAlias = arcade.Window | arcade.View | arcade.Section
Handler: TypeAlias = Callable[..., Any]


class _Hook:
    """A handler of a target, replaced by another one that calls it."""

    def __init__(self, target: Any, event: str, wrapped: Callable[[Handler], Handler]) -> None:
        self._target, self._event = target, event
        self._former: Handler = getattr(target, event)
        self._had_own = event in vars(target)
        around = wrapped(self._former)
        # Arcade expects a view's handlers to be bound methods of the view, and looks them up as such.
        self._handler = MethodType(lambda _, *arguments: around(*arguments), target)
        self._install(self._former, self._handler)

    def check(self) -> None:
        """Refuse to detach while a later attachment wraps this one."""
        if getattr(self._target, self._event) != self._handler:
            raise RuntimeError(f"detach what was attached to {self._event} later first")

    def undo(self) -> None:
        self._install(self._handler, self._former)
        if not self._had_own:
            delattr(self._target, self._event)

    def _install(self, former: Handler, handler: Handler) -> None:
        """Set the handler on the target; if the target is a shown view, replace it in the window's event stack too.

        The handler keeps its place in the stack. If it were pushed again, it would run before the handlers of the
        view's sections, which call it too.
        """
        setattr(self._target, self._event, handler)
        window: Any = self._target.window if isinstance(self._target, arcade.View) else None
        for frame in window._event_stack if window is not None else ():
            if frame.get(self._event) == _kept(former):
                frame[self._event] = _kept(handler)


class Attachment:
    """An engine that runs with a window, view or section; made by `attach`."""

    def __init__(self, target: Target, engine: Engine, on: Literal["on_update", "on_fixed_update"]) -> None:
        section = target if isinstance(target, arcade.Section) else None

        def updating(former: Handler) -> Handler:
            def update(delta_time: float) -> Any:
                result = former(delta_time)
                if section is None or on == "on_update" or _is_updated(section):
                    engine.update()
                return result

            return update

        # Arcade does not call fixed updates of sections.
        updated = section.view if section is not None and on == "on_fixed_update" else target
        self._hooks = [_Hook(updated, on, updating)]
        if isinstance(engine, Interpolation):
            smooth = engine

            def drawing(former: Handler) -> Handler:
                def draw() -> Any:
                    with smooth.drawn():
                        return former()

                return draw

            self._hooks.append(_Hook(target, "on_draw", drawing))
        self.is_attached = True

    def detach(self) -> None:
        """Stop running the engine; a second call does no harm."""
        if not self.is_attached:
            return
        for hook in self._hooks:
            hook.check()
        for hook in self._hooks:
            hook.undo()
        self.is_attached = False


def attach(
    target: Target,
    engine: Engine,
    on: Literal["on_update", "on_fixed_update"] = "on_update",
) -> Attachment:
    """Run ``engine.update()`` after each update of a window, a view or a section.

    Parameters
    ----------
    target
        The window, view or section. The engine of a view pauses while another view is shown. The engine of a section
        pauses while the section's manager does not update it.
    engine
        An engine: an object with an ``update()`` method. Its results are available in the game's next update. An
        `Interpolation` also sets the drawn positions while the target draws.
    on
        The handler to run after: ``"on_update"``, or ``"on_fixed_update"`` for steps of equal time. Sections have no
        fixed updates, so with ``"on_fixed_update"`` a section's engine runs after the fixed update of its view.

    Returns
    -------
    Attachment
        Call its ``detach()`` to stop the engine.

    Raises
    ------
    TypeError
        If the target is not a window, view or section, or the engine has no ``update()``.
    ValueError
        If there is no such handler; if a section without a view gets fixed updates; if an `Interpolation` gets updates
        that are not fixed, since it needs steps of equal time.
    """
    if not isinstance(target, arcade.Window | arcade.View | arcade.Section):
        raise TypeError(f"target must be a Window, a View or a Section, got {target!r}")
    if on not in ("on_update", "on_fixed_update"):
        raise ValueError(f"on must be 'on_update' or 'on_fixed_update', got {on!r}")
    if not callable(getattr(engine, "update", None)):
        raise TypeError(f"engine must have an update(), got {engine!r}")
    if isinstance(engine, Interpolation) and on != "on_fixed_update":
        raise ValueError(f"on must be 'on_fixed_update' for an Interpolation, got {on!r}")
    if isinstance(target, arcade.Section) and on == "on_fixed_update" and target.view is None:
        raise ValueError("target must be in a view's SectionManager before its engine runs on 'on_fixed_update'")
    return Attachment(target, engine, on)


def _kept(handler: Handler) -> object:
    """Return a handler as a window stores it: bound methods by weak reference."""
    return WeakMethod(handler) if ismethod(handler) else handler


def _is_updated(section: arcade.Section) -> bool:
    """Return whether a section's manager updates it: it does not if a modal section is in front."""
    manager = section.section_manager
    view: Any = section.view
    if manager is None or view is None:
        return False
    for each in manager.sections:
        is_updated = each.enabled and not each.block_updates
        if each is section:
            return is_updated
        if is_updated and each.modal:
            return False
    return False
