"""Collision handlers of Pymunk 6.9 and 7; all differences between these versions are in this module.

A `Gate` wraps the callbacks of a game: it calls them, records their answers, and keeps the solver away from pairs that
the push rules resolve, which is in `push_stage`.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from enum import Enum
from functools import partial
from typing import Any, Literal, TypeAlias, get_args

import pymunk
from pymunk._chipmunk_cffi import lib

from impinge_pymunk.chipmunk import smooth

__all__ = ["Gate", "Solving", "refuse_massless"]

Phase: TypeAlias = Literal["begin", "pre_solve", "post_solve", "separate"]
PHASES: tuple[Phase, ...] = get_args(Phase)
ANSWERING = PHASES[:2]
# The phases of which the gate must know.
WATCHED: tuple[Phase, ...] = (*ANSWERING, "separate")
# A callback of a game. Callbacks of 6.9 return whether the pair collides; those of 7 write it into the arbiter.
Callback: TypeAlias = Callable[[pymunk.Arbiter, pymunk.Space, Any], Any]
ShapePair: TypeAlias = frozenset[pymunk.Shape]

RETURNS_ANSWERS = hasattr(pymunk.Space, "add_collision_handler")
WILDCARDS = {"begin": "Begin", "pre_solve": "PreSolve", "post_solve": "PostSolve", "separate": "Separate"}


class Solving(Enum):
    """The action of the engine's solver for two shapes in contact."""

    # Whatever the game wants.
    AS_EVER = 0
    # Keep them apart, with neither friction nor restitution.
    APART = 1
    NOTHING = 2


class Gate:
    """Wrappers of the handlers of a space's ruled pairs.

    Parameters
    ----------
    space
        The space.
    ruled
        Function that returns the key of two shapes under a rule, or None. The answer for two of the `known` shapes must
        stay the same while these do.

    Attributes
    ----------
    firm
        The keys whose shapes the solver keeps apart.
    refused
        Pairs of touching shapes whose collision the game's callbacks refuse.
    solved
        Chipmunk's arbiters of the pairs of each key that the solver keeps apart in the present step, or did in the last
        one. Chipmunk frees arbiters with the space only. The arbiter of a pair that it did not solve has no impulse.
    interruption
        The `KeyboardInterrupt` or `SystemExit` that a callback has raised. Chipmunk would print it and go on. So it
        is raised after the step.
    """

    def __init__(self, space: pymunk.Space, ruled: Callable[[pymunk.Shape, pymunk.Shape], Hashable | None]) -> None:
        self._space, self._ruled = space, ruled
        self.firm: Collection[Hashable] = frozenset()
        self.refused: set[ShapePair] = set()
        self.interruption: BaseException | None = None
        self.solved: dict[Hashable, dict[ShapePair, Any]] = {}
        # Pairs whose arbiters in 7 do not collide because of the gate, whatever the game answered.
        self.held: set[ShapePair] = set()
        # Shapes by their pointers, and pairs of them, each with its key: finding them takes half of a callback's time.
        self._known: Mapping[Any, pymunk.Shape] = {}
        self._pairs: dict[tuple[Any, Any], tuple[ShapePair, Hashable | None]] = {}
        # Whether 6.9 would call other handlers for a pair whose handler lacks a callback.
        self.has_others = False
        # In 6.9 a new handler hides the default one, whose `post_solve` must be called. The new handlers, each with
        # Chipmunk's function that calls only wildcards: it takes a tenth of the time.
        self._hiding: list[tuple[Any, Any]] = []

    def attach(self, pairs: Iterable[tuple[int, int]], known: Mapping[Any, pymunk.Shape]) -> None:
        """Wrap the handlers of pairs of collision types before a step. `known` are shapes by their pointers."""
        pairs = list(pairs)
        self.solved.clear()
        if known is not self._known:
            self._known = known
            self._pairs.clear()
        self.has_others = RETURNS_ANSWERS and not all(isinstance(key, tuple) for key in self._space._handlers)
        for first, second in pairs:
            handler, was_there = _handler(self._space, first, second)
            for phase in WATCHED:
                self._stand_before(handler, phase, was_there)
            if handler.post_solve is not None:  # only to note an interruption
                self._stand_before(handler, "post_solve", was_there)
            if RETURNS_ANSWERS and not was_there:
                self._hiding.append((handler, handler._handler.postSolveFunc))
                self._stand_before(handler, "post_solve", was_there)
        for handler, plain in self._hiding:
            relay = handler.post_solve
            if isinstance(relay, _Relay) and relay.theirs is None:
                handler._handler.postSolveFunc = lib.ext_cpCollisionPostSolveFunc if self.has_others else plain
        if not RETURNS_ANSWERS and pairs:
            # In 7 these handlers are called after the pair's own one. In 6.9 only that one may call them.
            for key in [*((kind, None) for pair in pairs for kind in pair), (None, None)]:
                other = self._space._handlers.get(key)
                for phase in ANSWERING:
                    if other is not None and getattr(other, phase) is not None:
                        self._stand_before(other, phase, True)

    def release(self) -> None:
        """Return all handlers to the game."""
        for handler in self._space._handlers.values():
            for phase in PHASES:
                relay = getattr(handler, phase)
                if isinstance(relay, _Relay) and relay.gate is self:
                    setattr(handler, phase, relay.given_back())
        # `Body.each_arbiter` only covers arbiters that are solved.
        for touching in self._space._get_arbiters() if self.held else ():
            arbiter = pymunk.Arbiter(touching, self._space)
            self.give_back(frozenset(arbiter.shapes), arbiter)

    def _stand_before(self, handler: Any, phase: Phase, was_there: bool) -> None:
        theirs = getattr(handler, phase)
        if isinstance(theirs, _Relay) and theirs.gate is self:
            return
        setattr(handler, phase, _Relay(self, phase, theirs, was_there))
        if not RETURNS_ANSWERS:
            handler.data.setdefault(phase, None)

    def give_back(self, pair: ShapePair, arbiter: Any) -> None:
        """Restore the game's answer in an arbiter of 7, which keeps it as long as the two shapes touch."""
        if pair in self.held:
            self.held.discard(pair)
            arbiter.process_collision = pair not in self.refused

    def pair_of(self, arbiter: pymunk.Arbiter) -> tuple[ShapePair, Hashable | None]:
        """Return the shapes of an arbiter, and their key."""
        inner = arbiter._arbiter
        pointers = inner.a, inner.b
        found = self._pairs.get(pointers)
        if found is None:
            first, second = self._known.get(pointers[0]), self._known.get(pointers[1])
            if first is None or second is None:
                first, second = arbiter.shapes
                return frozenset((first, second)), self._ruled(first, second)
            found = self._pairs[pointers] = frozenset((first, second)), self._ruled(first, second)
        return found

    def solving(self, key: Hashable | None) -> Solving:
        """Return what the solver does with the shapes of a key."""
        if key is None:
            return Solving.AS_EVER
        return Solving.APART if key in self.firm else Solving.NOTHING

    def raise_interruption(self) -> None:
        """Raise what has interrupted a callback of the last step, once."""
        interruption, self.interruption = self.interruption, None
        if interruption is not None:
            raise interruption

    def note(self, pair: ShapePair, collides: bool) -> None:
        """Record the game's answer for a pair."""
        if not collides:
            self.refused.add(pair)
        elif self.refused:
            self.refused.discard(pair)


class _Relay:
    """A callback that wraps the game's one. A copied or pickled space has only the game's callback."""

    __slots__ = ("gate", "phase", "theirs", "was_there")

    def __init__(self, gate: Gate, phase: Phase, theirs: Callback | None, was_there: bool) -> None:
        self.gate, self.phase, self.theirs, self.was_there = gate, phase, theirs, was_there

    def __reduce__(self) -> tuple[Any, ...]:
        return _same, (self.given_back(),)

    def given_back(self) -> Callback | None:
        """Return the callback to restore when the gate is removed."""
        if self.theirs is None and RETURNS_ANSWERS:
            # In 6.9 a callback cannot be unset again.
            return partial(_call_others, self.phase, self.was_there)
        return self.theirs

    def __call__(self, arbiter: pymunk.Arbiter, space: pymunk.Space, data: Any) -> bool | None:
        try:
            return self._relayed(arbiter, space, data)
        except Exception:
            raise
        except BaseException as error:
            self.gate.interruption = error
            return False if RETURNS_ANSWERS and self.phase in ANSWERING else None

    def _relayed(self, arbiter: pymunk.Arbiter, space: pymunk.Space, data: Any) -> bool | None:
        if self.phase == "post_solve":
            self._ask(arbiter, space, data)
            return None
        gate = self.gate
        pair, key = gate.pair_of(arbiter)
        if self.phase == "separate":
            gate.refused.discard(pair)
            gate.held.discard(pair)
            self._ask(arbiter, space, data)
            return None
        solving = gate.solving(key)
        if solving is Solving.APART and self.phase == "pre_solve":
            gate.solved.setdefault(key, {})[pair] = arbiter._arbiter
        return (self._answer if RETURNS_ANSWERS else self._write)(pair, solving, arbiter, space, data)

    def _ask(self, arbiter: pymunk.Arbiter, space: pymunk.Space, data: Any) -> Any:
        if self.theirs is not None:
            return self.theirs(arbiter, space, data)
        if self.gate.has_others:
            return _call_others(self.phase, self.was_there, arbiter, space, data)
        return True

    def _answer(self, pair: ShapePair, solving: Solving, arbiter: Any, space: pymunk.Space, data: Any) -> bool:
        collides = False  # Chipmunk's default for a callback that raises
        try:
            answer = self._ask(arbiter, space, data)
            collides = answer if isinstance(answer, bool) else self._warned()
        finally:
            if solving is not Solving.AS_EVER:
                self.gate.note(pair, collides)
                smooth(arbiter._arbiter)
        return collides and not (solving is Solving.NOTHING and self.phase == "pre_solve")

    def _warned(self) -> bool:
        """Warn of a callback that returned no answer, and return the usual one."""
        # Pymunk's own warning. Pymunk reads the callback's `__name__`, which a relay does not have.
        name = getattr(self.theirs, "__name__", repr(self.theirs))
        warnings.warn(
            f"Function '{name}' should return a bool to indicate if the collision should be processed or not "
            "when used as 'begin' or 'pre_solve' collision callback.",
            stacklevel=2,
        )
        return True

    def _write(self, pair: ShapePair, solving: Solving, arbiter: Any, space: pymunk.Space, data: Any) -> None:
        if self.phase == "pre_solve":
            self.gate.give_back(pair, arbiter)
        try:
            self._ask(arbiter, space, data)
        finally:
            if solving is not Solving.AS_EVER:
                self.gate.note(pair, bool(arbiter.process_collision))
                smooth(arbiter._arbiter)
            if solving is Solving.NOTHING and self.phase == "pre_solve":
                arbiter.process_collision = False
                self.gate.held.add(pair)


def _same(callback: Callback | None) -> Callback | None:
    return callback


def _handler(space: Any, first: int, second: int) -> tuple[Any, bool]:
    """Return the handler of two types, and whether it existed before."""
    handlers: dict[Any, Any] = space._handlers
    if RETURNS_ANSWERS:
        was_there = (min(first, second), max(first, second)) in handlers
        return space.add_collision_handler(first, second), was_there
    # In 7 both orders are handlers for one of Chipmunk's, and the one made last is called.
    found = [handler for key, handler in handlers.items() if key in ((first, second), (second, first))]
    if found:
        return found[-1], True
    space.on_collision(first, second)
    return handlers[first, second], False


def _call_others(phase: Phase, was_there: bool, arbiter: Any, space: Any, data: Any) -> bool:
    """Call what 6.9 calls for a pair whose handler lacks a callback, or that had no handler before."""
    default: Any = None if was_there else space._handlers.get(None)
    callback = None if default is None else getattr(default, phase)
    if callback is not None:
        answer = callback(arbiter, space, default.data)
        return answer if isinstance(answer, bool) else True
    name = f"cpArbiterCallWildcard{WILDCARDS[phase]}"
    answers = [getattr(lib, name + side)(arbiter._arbiter, space._space) for side in "AB"]
    return phase not in ANSWERING or all(answers)


def refuse_massless(space: pymunk.Space) -> None:
    """Make Pymunk 7's check of new bodies, which it makes in the middle of a step, after stages have moved others.

    Raises
    ------
    AssertionError
        As from Pymunk, if a dynamic body has no mass or no moment.
    """
    for body in getattr(space, "_bodies_to_check", ()):
        assert body.body_type != pymunk.Body.DYNAMIC or (0.0 < body.mass < math.inf and body.moment > 0.0), (
            f"Dynamic bodies must have a mass > 0 and < inf and moment > 0. "
            f"{body} has mass {body.mass}, moment {body.moment}."
        )
