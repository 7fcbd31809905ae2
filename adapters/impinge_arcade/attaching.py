"""One line that makes an engine run with a game: after the game's own update, until it is detached.

Not here: what is drawn between two steps, which is in `interpolating`.
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
    """One handler of a target that is replaced by another one, which calls it."""

    def __init__(self, target: Any, event: str, wrapped: Callable[[Handler], Handler]) -> None:
        self._target, self._event = target, event
        self._former: Handler = getattr(target, event)
        self._had_own = event in vars(target)
        around = wrapped(self._former)
        # Arcade takes a view's handlers for methods of the view, and finds them again as such.
        self._handler = MethodType(lambda _, *arguments: around(*arguments), target)
        self._install(self._former, self._handler)

    def check(self) -> None:
        """Refuse to be taken out from under another one."""
        if getattr(self._target, self._event) != self._handler:
            raise RuntimeError(f"detach what was attached to {self._event} later first")

    def undo(self) -> None:
        self._install(self._handler, self._former)
        if not self._had_own:
            delattr(self._target, self._event)

    def _install(self, former: Handler, handler: Handler) -> None:
        """Set the handler on the target; a view that is shown has handed its old one to the window already.

        There it stays in its place. Were it pushed again, it would come before the view's sections, which call it too.
        """
        setattr(self._target, self._event, handler)
        window: Any = self._target.window if isinstance(self._target, arcade.View) else None
        for frame in window._event_stack if window is not None else ():
            if frame.get(self._event) == _kept(former):
                frame[self._event] = _kept(handler)


class Attachment:
    """An engine that runs with a window, a view or a section; made by `attach`."""

    def __init__(self, target: Target, engine: Engine, on: Literal["on_update", "on_fixed_update"]) -> None:
        section = target if isinstance(target, arcade.Section) else None

        def updating(former: Handler) -> Handler:
            def update(delta_time: float) -> Any:
                result = former(delta_time)
                if section is None or on == "on_update" or _is_updated(section):
                    engine.update()
                return result

            return update

        # Arcade tells sections of no fixed updates.
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
        """Stop running the engine; once is enough, twice does no harm."""
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
        The window, view or section. A view's engine rests while another view is shown, and a section's while its
        manager does not update it.
    engine
        An engine: what has an ``update()``. What it found is there when the game's next update runs. An
        `Interpolation` of one is also heeded while the target draws.
    on
        After which of its handlers: ``"on_update"``, or ``"on_fixed_update"`` for steps of equal time. As a section has
        no such handler, its engine then runs after its view's.

    Returns
    -------
    Attachment
        Its ``detach()`` ends it.

    Raises
    ------
    TypeError
        If the target is no window, view or section, or the engine has no ``update()``.
    ValueError
        If there is no such handler; if a section is in no view yet, for fixed updates; for an `Interpolation` with
        updates that are not fixed, between which there is nothing to draw.
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
    """Return a handler as a window keeps it: methods without holding on to their object."""
    return WeakMethod(handler) if ismethod(handler) else handler


def _is_updated(section: arcade.Section) -> bool:
    """Whether a section's manager updates it: it does not while a modal section is in front."""
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
