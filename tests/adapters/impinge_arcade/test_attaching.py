"""Engines that run with a game. A window or view records its calls in `calls`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import arcade
import pytest
from arcade.clock import GLOBAL_CLOCK, GLOBAL_FIXED_CLOCK

from impinge_arcade import (
    Attachment,
    Interpolation,
    PhysicsEnginePlatformer,
    PhysicsEngineSimple,
    PushEngine,
    SpriteEvent,
    attach,
)

UPDATES = ["on_update", "on_fixed_update"]


class NotingEngine(PushEngine):
    """An engine that records its updates among the game's own calls."""

    def __init__(self, calls: list[str], name: str = "engine") -> None:
        super().__init__(weak=arcade.SpriteList())
        self.calls, self.name = calls, name

    def update(self) -> tuple[SpriteEvent, ...]:
        self.calls.append(self.name)
        return super().update()


class GameView(arcade.View):
    """A level of a game."""

    def __init__(self, calls: list[str], name: str = "view") -> None:
        super().__init__()
        self.calls, self.name = calls, name

    def on_update(self, delta_time: float) -> bool | None:
        self.calls.append(f"{self.name}.on_update")
        return None

    def on_fixed_update(self, delta_time: float) -> None:
        self.calls.append(f"{self.name}.on_fixed_update")

    def on_key_press(self, symbol: int, modifiers: int) -> None:
        self.calls.append(f"{self.name}.on_key_press")


@pytest.fixture
def calls(window: Any) -> list[str]:
    """Return the calls, in order."""
    return window.calls  # type: ignore[no-any-return]


@pytest.fixture
def attached(window: Any) -> Iterator[Callable[..., Attachment]]:
    """`attach`, undone when the test is over."""
    attachments: list[Attachment] = []

    def attach_for_now(*arguments: Any) -> Attachment:
        attachments.append(attach(*arguments))
        return attachments[-1]

    yield attach_for_now
    for attachment in reversed(attachments):
        attachment.detach()


def heard(window: Any, event: str = "on_update", *arguments: object) -> list[str]:
    """Return the calls that an event causes."""
    window.calls.clear()
    window.play(event, *arguments)
    return list(window.calls)


@pytest.mark.parametrize("on", UPDATES)
def test_an_engine_runs_after_its_window_s_own_update(
    window: Any, calls: list[str], attached: Callable[..., Attachment], on: str
) -> None:
    attached(window, NotingEngine(calls), on)
    assert heard(window, on) == [f"window.{on}", "engine"]
    assert heard(window, on) == [f"window.{on}", "engine"]


def test_an_engine_runs_with_updates_unless_told_otherwise(
    window: Any, calls: list[str], attached: Callable[..., Attachment]
) -> None:
    attached(window, NotingEngine(calls))
    assert heard(window, "on_fixed_update") == ["window.on_fixed_update"]
    assert heard(window, "on_update") == ["window.on_update", "engine"]


def test_a_speed_that_the_game_sets_in_its_update_counts_in_the_same_frame(
    window: Any, attached: Callable[..., Attachment]
) -> None:
    player = arcade.SpriteSolidColor(10, 10)

    class Level(arcade.View):
        def on_update(self, delta_time: float) -> None:
            player.change_x = 4

    level = Level()
    attached(level, PushEngine(player))
    window.show_view(level)
    window.play()
    assert player.position == (4, 0)


@pytest.mark.parametrize("on", UPDATES)
@pytest.mark.parametrize("shown_first", [False, True], ids=["attached, shown", "shown, attached"])
def test_an_engine_runs_after_its_view_s_own_update(
    window: Any, calls: list[str], attached: Callable[..., Attachment], shown_first: bool, on: str
) -> None:
    view = GameView(calls)
    if shown_first:
        window.show_view(view)
    attached(view, NotingEngine(calls), on)
    if not shown_first:
        window.show_view(view)
    assert heard(window, on) == [f"view.{on}", "engine", f"window.{on}"]
    assert heard(window, on) == [f"view.{on}", "engine", f"window.{on}"]


@pytest.mark.parametrize("shown_first", [False, True], ids=["attached, shown", "shown, attached"])
def test_while_another_view_is_shown_a_view_and_its_engine_rest(
    window: Any, calls: list[str], attached: Callable[..., Attachment], shown_first: bool
) -> None:
    level, menu = GameView(calls, "level"), GameView(calls, "menu")
    if shown_first:
        window.show_view(level)
    attached(level, NotingEngine(calls))
    for _ in range(3):
        window.show_view(level)
        assert heard(window) == ["level.on_update", "engine", "window.on_update"]
        assert heard(window, "on_key_press", 1, 0) == ["level.on_key_press"]
        window.show_view(menu)
        assert heard(window) == ["menu.on_update", "window.on_update"]
        assert heard(window, "on_key_press", 1, 0) == ["menu.on_key_press"]


def test_a_view_that_is_hidden_is_heard_of_no_more(
    window: Any, calls: list[str], attached: Callable[..., Attachment]
) -> None:
    view = GameView(calls)
    window.show_view(view)
    attached(view, NotingEngine(calls))
    window.hide_view()
    assert heard(window) == ["window.on_update"]
    assert heard(window, "on_key_press", 1, 0) == []


@pytest.mark.parametrize("is_shown", [False, True])
@pytest.mark.parametrize("shown_first", [False, True], ids=["attached, shown", "shown, attached"])
def test_a_detached_view_is_as_it_was(window: Any, calls: list[str], shown_first: bool, is_shown: bool) -> None:
    level, menu = GameView(calls, "level"), GameView(calls, "menu")
    if shown_first:
        window.show_view(level)
    attachment = attach(level, NotingEngine(calls))
    window.show_view(level if is_shown else menu)
    assert attachment.is_attached
    attachment.detach()
    assert not attachment.is_attached
    for view in (level, menu, level):
        window.show_view(view)
        assert heard(window) == [f"{view.name}.on_update", "window.on_update"]
        assert heard(window, "on_fixed_update") == [f"{view.name}.on_fixed_update", "window.on_fixed_update"]
        assert heard(window, "on_key_press", 1, 0) == [f"{view.name}.on_key_press"]


def test_a_detached_window_is_as_it_was(window: Any, calls: list[str]) -> None:
    attachment = attach(window, NotingEngine(calls))
    attachment.detach()
    assert heard(window) == ["window.on_update"]


def test_to_detach_twice_does_no_harm(window: Any, calls: list[str], attached: Callable[..., Attachment]) -> None:
    former = attach(window, NotingEngine(calls, "former"))
    former.detach()
    attached(window, NotingEngine(calls))
    former.detach()
    assert heard(window) == ["window.on_update", "engine"]


def test_a_view_may_attach_when_it_is_shown_and_detach_when_it_is_hidden(window: Any, calls: list[str]) -> None:
    class Level(GameView):
        def on_show_view(self) -> None:
            self.attachment = attach(self, NotingEngine(calls))

        def on_hide_view(self) -> None:
            self.attachment.detach()

    level, menu = Level(calls, "level"), GameView(calls, "menu")
    for _ in range(3):
        window.show_view(level)
        assert heard(window) == ["level.on_update", "engine", "window.on_update"]
        assert heard(window, "on_key_press", 1, 0) == ["level.on_key_press"]
        window.show_view(menu)
        assert heard(window) == ["menu.on_update", "window.on_update"]
        assert heard(window, "on_key_press", 1, 0) == ["menu.on_key_press"]


def test_a_view_may_show_the_next_one_in_its_update(
    window: Any, calls: list[str], attached: Callable[..., Attachment]
) -> None:
    following = GameView(calls, "next")

    class Level(GameView):
        def on_update(self, delta_time: float) -> bool | None:
            super().on_update(delta_time)
            window.show_view(following)
            return True

    level = Level(calls, "level")
    attached(level, NotingEngine(calls))
    window.show_view(level)
    assert heard(window)[0] == "level.on_update"
    assert heard(window) == ["next.on_update", "window.on_update"]


def test_two_engines_run_in_the_order_they_were_attached(
    window: Any, calls: list[str], attached: Callable[..., Attachment]
) -> None:
    view = GameView(calls)
    window.show_view(view)
    attached(view, NotingEngine(calls, "first"))
    second = attached(view, NotingEngine(calls, "second"))
    assert heard(window) == ["view.on_update", "first", "second", "window.on_update"]
    second.detach()
    assert heard(window) == ["view.on_update", "first", "window.on_update"]


def test_an_engine_under_another_one_is_not_detached(
    window: Any, calls: list[str], attached: Callable[..., Attachment]
) -> None:
    first = attached(window, NotingEngine(calls, "first"))
    second = attached(window, NotingEngine(calls, "second"))
    with pytest.raises(RuntimeError, match="detach what was attached to on_update later first"):
        first.detach()
    assert heard(window) == ["window.on_update", "first", "second"]
    second.detach()
    first.detach()
    assert heard(window) == ["window.on_update"]


def test_engines_of_both_updates_and_of_window_and_view_do_not_mix(
    window: Any, calls: list[str], attached: Callable[..., Attachment]
) -> None:
    view = GameView(calls)
    window.show_view(view)
    of_update = attached(view, NotingEngine(calls, "1"), "on_update")
    attached(view, NotingEngine(calls, "2"), "on_fixed_update")
    attached(window, NotingEngine(calls, "3"), "on_update")
    assert heard(window) == ["view.on_update", "1", "window.on_update", "3"]
    assert heard(window, "on_fixed_update") == ["view.on_fixed_update", "2", "window.on_fixed_update"]
    of_update.detach()
    assert heard(window) == ["view.on_update", "window.on_update", "3"]


def test_a_view_that_handles_its_update_keeps_it_from_the_window(
    window: Any, calls: list[str], attached: Callable[..., Attachment]
) -> None:
    class Level(GameView):
        def on_update(self, delta_time: float) -> bool | None:
            super().on_update(delta_time)
            return True

    level = Level(calls)
    window.show_view(level)
    attached(level, NotingEngine(calls))
    assert heard(window) == ["view.on_update", "engine"]


def test_what_else_was_pushed_on_the_window_stays(
    window: Any, calls: list[str], attached: Callable[..., Attachment]
) -> None:
    def on_key_press(symbol: int, modifiers: int) -> None:
        calls.append("menu bar")

    level, menu = GameView(calls, "level"), GameView(calls, "menu")
    window.show_view(level)
    window.push_handlers(on_key_press=on_key_press)
    try:
        attached(level, NotingEngine(calls))
        assert sorted(heard(window, "on_key_press", 1, 0)) == ["level.on_key_press", "menu bar"]
        window.show_view(menu)
        assert sorted(heard(window, "on_key_press", 1, 0)) == ["menu bar", "menu.on_key_press"]
    finally:
        window.remove_handlers(on_key_press=on_key_press)


@pytest.mark.parametrize("target", [None, "window", object(), arcade.View])
def test_only_windows_views_and_sections_can_have_an_engine(target: Any) -> None:
    with pytest.raises(TypeError, match="target must be a Window, a View or a Section, got "):
        attach(target, PushEngine())


@pytest.mark.parametrize("on", ["on_draw", "", None])
def test_an_engine_runs_with_updates_only(window: Any, on: Any) -> None:
    with pytest.raises(ValueError, match="on must be 'on_update' or 'on_fixed_update', got "):
        attach(window, PushEngine(), on)


# ---------------------------------------------------------------- engines of all kinds


@pytest.mark.parametrize("kind", [arcade.PhysicsEngineSimple, PhysicsEngineSimple, PhysicsEnginePlatformer])
def test_whatever_has_an_update_can_be_attached(
    window: Any, attached: Callable[..., Attachment], kind: Callable[..., Any]
) -> None:
    hero = arcade.SpriteSolidColor(10, 10)
    hero.change_x = 4
    attached(window, kind(hero, arcade.SpriteList()))
    window.play()
    assert hero.center_x == 4


@pytest.mark.parametrize("engine", [None, object(), SimpleNamespace(update=3)])
def test_what_has_no_update_is_refused(window: Any, engine: Any) -> None:
    with pytest.raises(TypeError, match=r"engine must have an update\(\), got "):
        attach(window, engine)


# ---------------------------------------------------------------- sections


class GameSection(arcade.Section):
    """A part of a view."""

    def __init__(self, calls: list[str], name: str, **options: Any) -> None:
        super().__init__(0, 0, 32, 32, name=name, **options)
        self.calls = calls

    def on_update(self, delta_time: float) -> None:
        self.calls.append(f"{self.name}.on_update")

    def on_draw(self) -> None:
        self.calls.append(f"{self.name}.on_draw")


class SectionedView(GameView):
    """A view with sections, which are enabled and disabled with it, as in Arcade's manual."""

    def __init__(self, calls: list[str], *sections: arcade.Section) -> None:
        super().__init__(calls)
        self.section_manager = arcade.SectionManager(self)
        for section in sections:
            self.section_manager.add_section(section)

    def on_show_view(self) -> None:
        self.section_manager.enable()

    def on_hide_view(self) -> None:
        self.section_manager.disable()


@pytest.mark.parametrize("shown_first", [False, True], ids=["attached, shown", "shown, attached"])
def test_an_engine_runs_after_its_section_s_own_update(
    window: Any, calls: list[str], attached: Callable[..., Attachment], shown_first: bool
) -> None:
    board, bar = GameSection(calls, "board"), GameSection(calls, "bar")
    view = SectionedView(calls, board, bar)
    if shown_first:
        window.show_view(view)
    attachment = attached(board, NotingEngine(calls))
    if not shown_first:
        window.show_view(view)
    assert heard(window) == ["view.on_update", "board.on_update", "engine", "bar.on_update"]
    board.block_updates = True
    assert heard(window) == ["view.on_update", "bar.on_update"]
    board.block_updates = False
    attachment.detach()
    assert heard(window) == ["view.on_update", "board.on_update", "bar.on_update"]
    assert "on_update" not in vars(board)


def test_a_section_s_engine_runs_after_its_view_s_fixed_update_while_the_section_is_updated(
    window: Any, calls: list[str], attached: Callable[..., Attachment]
) -> None:
    board, menu = GameSection(calls, "board"), GameSection(calls, "menu", modal=True, enabled=False)
    view = SectionedView(calls, board)
    window.show_view(view)
    view.section_manager.add_section(menu)
    attached(board, NotingEngine(calls), "on_fixed_update")
    rests, runs = ["view.on_fixed_update"], ["view.on_fixed_update", "engine"]

    def told() -> list[str]:
        return [call for call in heard(window, "on_fixed_update") if not call.startswith("window.")]

    assert told() == runs
    menu.enabled = True
    assert told() == rests
    menu.block_updates = True
    assert told() == runs
    menu.enabled = False
    board.enabled = False
    assert told() == rests
    board.enabled = True
    assert told() == runs
    view.section_manager.remove_section(board)
    assert told() == rests


@pytest.mark.parametrize("shown_first", [False, True], ids=["attached, shown", "shown, attached"])
def test_an_engine_of_a_view_with_sections_runs_once(
    window: Any, calls: list[str], attached: Callable[..., Attachment], shown_first: bool
) -> None:
    """Attaching to a visible view put its handlers before those of its sections, which call the view's handlers too.

    So the game was updated twice per frame.
    """
    view = SectionedView(calls, GameSection(calls, "board"))
    if shown_first:
        window.show_view(view)
    attachment = attached(view, NotingEngine(calls))
    if not shown_first:
        window.show_view(view)
    assert heard(window) == ["view.on_update", "engine", "board.on_update"]
    attachment.detach()
    assert heard(window) == ["view.on_update", "board.on_update"]
    window.hide_view()
    assert heard(window) == ["window.on_update"]


def test_an_interpolated_section_is_drawn_between_two_steps(
    window: Any, calls: list[str], attached: Callable[..., Attachment], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(GLOBAL_CLOCK, "_elapsed_time", GLOBAL_FIXED_CLOCK.time + 0.25 * GLOBAL_FIXED_CLOCK.rate)
    hero = arcade.SpriteSolidColor(10, 10)
    hero.change_x = 8
    drawn = []

    class Board(GameSection):
        def on_draw(self) -> None:
            drawn.append(hero.center_x)

    board = Board(calls, "board")
    window.show_view(SectionedView(calls, board))
    attached(board, Interpolation(PhysicsEngineSimple(hero, arcade.SpriteList())), "on_fixed_update")
    window.play("on_fixed_update")
    window.dispatch_event("on_draw")
    window.dispatch_events()
    assert drawn == [pytest.approx(2)]
    assert hero.center_x == 8


def test_a_section_without_a_view_has_no_fixed_updates(window: Any, calls: list[str]) -> None:
    with pytest.raises(ValueError, match="target must be in a view's SectionManager before its engine runs on"):
        attach(GameSection(calls, "board"), PushEngine(), "on_fixed_update")
