"""The events of the engines, made of a world's event rows, and the callbacks that hear them."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from typing import Any, Final, Literal, NamedTuple, TypeAlias, get_args

from arcade import BasicSprite

import impinge as im
from impinge import EventColumn, Side
from impinge.sides import SIDES
from impinge.world.bodies import EVENT_KINDS

__all__ = ["CONTACTS", "Kind", "Listeners", "SpriteEvent", "sprite_events"]

TIME, SPEED, SIDE, KIND = (int(getattr(EventColumn, name)) for name in ("TIME", "SPEED", "SIDE", "KIND"))
# Kinds of events, as their index in `EVENT_KINDS`: contacts only, and visits to sensors too.
CONTACTS: Final = frozenset(map(EVENT_KINDS.index, ("push", "stuck")))
WITH_SENSORS: Final = CONTACTS | {EVENT_KINDS.index("sensor")}
# By the numbers in the rows of events: a float finds the key of the equal integer.
NAME_OF_KIND: Final[dict[float, Any]] = dict(enumerate(EVENT_KINDS))
SIDE_OF: Final[dict[float, Side]] = dict(enumerate(SIDES))

Kind: TypeAlias = Literal["begin", "touch", "end", "stuck"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
# A sprite, sprites, a class of sprites, or None for all.
Which: TypeAlias = BasicSprite | Container[BasicSprite] | type[BasicSprite] | None
Pair: TypeAlias = tuple[BasicSprite, BasicSprite]
Callback: TypeAlias = Callable[[Any, Any, "SpriteEvent | None"], object]


class SpriteEvent(NamedTuple):
    """A contact of the last update.

    Attributes
    ----------
    kind
        ``"push"``: the mighty sprite kept the weak one out. ``"stuck"``: the weak sprite had no room between the mighty
        sprite and another one. ``"sensor"``: the weak sprite was in the mighty one, which is a sensor.
    time
        When the contact began: 0 at the update's start, 1 at its end.
    weak, mighty
        The sprites.
    side
        The side of the weak sprite that was touched.
    speed
        Speed of the mighty sprite towards the weak one, in pixels per update: positive if it pushes the weak sprite,
        0 if the weak sprite ran into it, negative if it recedes.
    """

    kind: Literal["push", "stuck", "sensor"]
    time: float
    weak: BasicSprite
    mighty: BasicSprite
    side: Side
    speed: float


def sprite_events(frame: im.Frame, kinds: frozenset[int]) -> tuple[SpriteEvent, ...]:
    """Return the events of a frame for sprites, in the order of `impinge.Frame.events`."""
    rows = frame.ordered_rows
    if not rows:
        return ()
    columns = list(zip(*rows, strict=True))
    fields = zip(
        map(NAME_OF_KIND.__getitem__, columns[KIND]),
        columns[TIME],
        frame.data(EventColumn.WEAK),
        frame.data(EventColumn.MIGHTY),
        map(SIDE_OF.__getitem__, columns[SIDE]),
        columns[SPEED],
        strict=True,
    )
    events = tuple(map(SpriteEvent._make, fields))
    if kinds.issuperset(columns[KIND]):
        return events
    return tuple(event for event, kind in zip(events, columns[KIND], strict=True) if kind in kinds)


class _Listener(NamedTuple):
    """A callback, and the contacts that it hears."""

    kind: Kind
    first: Callable[[BasicSprite], bool]
    second: Callable[[BasicSprite], bool]
    callback: Callback


class Listeners:
    """The callbacks of an engine.

    Parameters
    ----------
    touch
        Returns whether two sprites still touch, although the last update had no event for them: both may stand still.
    """

    def __init__(self, touch: Callable[[BasicSprite, BasicSprite], bool]) -> None:
        self._touch = touch
        self._listeners: list[_Listener] = []
        self._last: dict[Pair, None] = {}

    def add(self, kind: Kind, first: Which, second: Which, callback: Callback) -> Callable[[], None]:
        """Add a callback; return a function that removes it.

        Raises
        ------
        ValueError
            If the kind is unknown.
        TypeError
            If the callback cannot be called, or a selection is none.
        """
        if kind not in KINDS:
            raise ValueError(f"kind must be one of {', '.join(map(repr, KINDS))}, got {kind!r}")
        if not callable(callback):
            raise TypeError(f"callback must be callable, got {callback!r}")
        listener = _Listener(kind, _test("first", first), _test("second", second), callback)
        self._listeners.append(listener)

        def remove() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return remove

    def tell(self, events: Iterable[SpriteEvent]) -> None:
        """Call the callbacks for the events of an update, and for contacts that have ended since the one before."""
        if not self._listeners:
            return
        now: dict[Pair, SpriteEvent] = {}
        for event in events:
            now.setdefault((event.weak, event.mighty), event)
            if event.kind == "stuck":
                self._call("stuck", event.weak, event.mighty, event)
        former, self._last = self._last, dict.fromkeys(now)
        for pair, event in now.items():
            if pair not in former:
                self._call("begin", *pair, event)
            self._call("touch", *pair, event)
        for pair in former:
            if pair not in now:
                if self._touch(*pair):
                    self._last[pair] = None
                else:
                    self._call("end", *pair, None)

    def _call(self, kind: Kind, weak: BasicSprite, mighty: BasicSprite, event: SpriteEvent | None) -> None:
        for listener in tuple(self._listeners):
            if listener.kind != kind:
                continue
            if listener.first(weak) and listener.second(mighty):
                listener.callback(weak, mighty, event)
            elif listener.first(mighty) and listener.second(weak):
                listener.callback(mighty, weak, event)


def _test(name: str, which: Which) -> Callable[[BasicSprite], bool]:
    """Return a function that tells whether a sprite is among those of a selection."""
    if which is None:
        return lambda sprite: True
    if isinstance(which, BasicSprite):
        return lambda sprite: sprite is which
    if isinstance(which, type) and issubclass(which, BasicSprite):
        return lambda sprite: isinstance(sprite, which)
    if isinstance(which, Container) and not isinstance(which, (str, bytes)):
        return lambda sprite: sprite in which
    raise TypeError(f"{name} must be a sprite, a list of sprites, a class of sprites or None, got {which!r}")
