"""One line that makes an engine run with a game: after the game's own update, until it is detached."""

from __future__ import annotations

from collections.abc import Callable
from types import MethodType
from typing import Any, Literal

import arcade

from impinge_arcade.engine import PushEngine

__all__ = ["Attachment", "attach"]


class Attachment:
    """An engine that runs with a window or a view; made by `attach`."""

    def __init__(
        self,
        target: arcade.Window | arcade.View,
        engine: PushEngine,
        on: Literal["on_update", "on_fixed_update"],
    ) -> None:
        self._target = target
        self._on = on
        self._former: Callable[..., Any] = getattr(target, on)
        self._had_own = on in vars(target)
        former = self._former

        def update(_: arcade.Window | arcade.View, delta_time: float) -> Any:
            result = former(delta_time)
            engine.update()
            return result

        # Arcade takes a view's handlers for methods of the view, and finds them again as such.
        self._handler = MethodType(update, target)
        self._install(self._handler)
        self.is_attached = True

    def detach(self) -> None:
        """Stop running the engine; once is enough, twice does no harm."""
        if not self.is_attached:
            return
        if getattr(self._target, self._on) != self._handler:
            raise RuntimeError(f"detach what was attached to {self._on} later first")
        self._install(self._former)
        if not self._had_own:
            delattr(self._target, self._on)
        self.is_attached = False

    def _install(self, handler: Callable[..., Any]) -> None:
        """Set the handler on the target; a view that is shown has handed its old one to the window already."""
        window: arcade.Window | None = self._target.window if isinstance(self._target, arcade.View) else None
        if window is None or window.current_view is not self._target:
            setattr(self._target, self._on, handler)
            return
        # All of the view's handlers leave and come again together: a window lets go of those only that it finds in one.
        window.remove_handlers(self._target)
        setattr(self._target, self._on, handler)
        events = [event for event in window.event_types if event != "on_show" and hasattr(self._target, event)]
        window.push_handlers(**{event: getattr(self._target, event) for event in events})


def attach(
    target: arcade.Window | arcade.View,
    engine: PushEngine,
    on: Literal["on_update", "on_fixed_update"] = "on_update",
) -> Attachment:
    """Run ``engine.update()`` after each update of a window or a view.

    Parameters
    ----------
    target
        The window or view; a view's engine rests while another view is shown.
    engine
        What it found is in ``engine.events`` when the game's next update runs.
    on
        After which of its handlers: ``"on_update"``, or ``"on_fixed_update"`` for steps of equal time.

    Returns
    -------
    Attachment
        Its ``detach()`` ends it.

    Raises
    ------
    TypeError
        If the target is neither a window nor a view.
    ValueError
        If there is no such handler.
    """
    if not isinstance(target, arcade.Window | arcade.View):
        raise TypeError(f"target must be a Window or a View, got {target!r}")
    if on not in ("on_update", "on_fixed_update"):
        raise ValueError(f"on must be 'on_update' or 'on_fixed_update', got {on!r}")
    return Attachment(target, engine, on)
