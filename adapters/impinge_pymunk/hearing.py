"""Who may meet whom in the worlds of a space: what filters, constraints, the game's handlers and plugins say.

All are plugins of these worlds. Not here: what happens when two meet.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeAlias

import pymunk

import impinge as im
from impinge_pymunk.handlers import Gate
from impinge_pymunk.mirror import Member, Mirror

__all__ = ["Heeding", "Meeting"]

Pair: TypeAlias = tuple[Member | None, Member | None]


class Meeting:
    """What the space says of pairs: shape filters, constraints, and the callbacks of the game."""

    def __init__(self, space: pymunk.Space, mirror: Mirror, gate: Gate) -> None:
        self._space, self._mirror, self._gate = space, mirror, gate
        self._apart: set[frozenset[pymunk.Body]] = set()
        self._refused: set[frozenset[Member | None]] = set()
        self._known: dict[Pair, bool] = {}
        self._is_asked = False

    def prepare(self) -> None:
        """See what is said now, and be asked only if anything is: a question for each pair costs more than a frame."""
        self._known.clear()
        self._apart = {frozenset((joint.a, joint.b)) for joint in self._space.constraints if not joint.collide_bodies}
        self._refused = self.refused()
        is_needed = bool(self._mirror.has_filters or self._apart or self._refused)
        if is_needed != self._is_asked:
            self._is_asked = is_needed
            for world in (self._mirror.world, self._mirror.shadow):
                if is_needed:
                    world.register(self, "what the space lets meet")
                else:
                    world.unregister(self)

    def refused(self) -> set[frozenset[Member | None]]:
        """Return the pairs that the game's callbacks do not let collide now."""
        return {frozenset(map(self._mirror.member_of, pair)) for pair in self._gate.refused}

    def heed(self) -> None:
        """Heed what the game's callbacks have said in a step, in what is put right after it."""
        refused = self.refused()
        if refused != self._refused:
            self._refused = refused
            self._known.clear()
            if not self._is_asked:
                self._is_asked = True
                for world in (self._mirror.world, self._mirror.shadow):
                    world.register(self, "what the space lets meet")

    # Asked last: another plugin may have a response of its own.
    @im.hookimpl(trylast=True)
    def impinge_filter(self, weak: im.Body, mighty: im.Body, response: Any) -> Any:
        """Let a pair meet as it would, or not at all."""
        pair = self._mirror.member_of_twin(weak), self._mirror.member_of_twin(mighty)
        if pair not in self._known:
            self._known[pair] = self._may_meet(*pair)
        return response if self._known[pair] else None

    def _may_meet(self, weak: Member | None, mighty: Member | None) -> bool:
        if weak is None or mighty is None:
            return True  # a plugin has put it into the world
        if frozenset((weak, mighty)) in self._refused or frozenset((weak.body, mighty.body)) in self._apart:
            return False
        return any(_collide(one.filter, other.filter) for one in weak.shapes for other in mighty.shapes)


def _collide(one: pymunk.ShapeFilter, other: pymunk.ShapeFilter) -> bool:
    """Say what Chipmunk says of two filters."""
    if one.group and one.group == other.group:
        return False
    return bool(one.categories & other.mask and other.categories & one.mask)


class Heeding:
    """What the plugins of a space have said in a frame: once more in the shadow, without asking them again."""

    def __init__(self, mirror: Mirror) -> None:
        self._mirror = mirror
        self._asked: set[Pair] = set()
        self._solids: dict[Pair, Any] = {}
        self._forbidden: set[Pair] = set()
        self._passing: set[Pair] = set()
        self._rebounding: set[Member | None] = set()

    def _pair(self, weak: im.Body, mighty: im.Body) -> Pair:
        return self._mirror.member_of_twin(weak), self._mirror.member_of_twin(mighty)

    @im.hookimpl(tryfirst=True)
    def impinge_frame_begin(self) -> None:
        """Begin anew."""
        self._passing &= self._asked
        self._asked.clear()
        self._solids.clear()
        self._forbidden.clear()
        self._rebounding.clear()

    @im.hookimpl(wrapper=True)
    def impinge_filter(self, weak: im.Body, mighty: im.Body) -> Generator[None, Any, Any]:
        """Note that a pair is asked about: if no solids are asked for next, it was removed."""
        self._asked.add(self._pair(weak, mighty))
        return (yield)

    @im.hookimpl(wrapper=True)
    def impinge_narrowphase(self, weak: im.Body, mighty: im.Body) -> Generator[None, Any, Any]:
        """Note what two bodies are to each other."""
        solids = yield
        self._solids[self._pair(weak, mighty)] = solids
        return solids

    @im.hookimpl(wrapper=True)
    def impinge_begin(self, contact: im.hooks.Touch) -> Generator[None, Any, Any]:
        """Note who is let pass until they are apart."""
        answers = yield
        pair = self._pair(contact.weak, contact.mighty)
        (self._passing.add if False in answers else self._passing.discard)(pair)
        return answers

    @im.hookimpl(wrapper=True)
    def impinge_pre_solve(self, contact: im.hooks.Touch) -> Generator[None, Any, Any]:
        """Note who is let pass for a frame."""
        answers = yield
        pair = self._pair(contact.weak, contact.mighty)
        if False in answers:
            self._forbidden.add(pair)
        elif contact.response != "push":
            self._rebounding.add(pair[0])
        return answers

    def forbids(self, pair: Pair) -> bool:
        """Whether the plugins kept a pair apart in the last frame."""
        return pair in self._forbidden or pair in self._passing or (pair in self._asked and pair not in self._solids)

    def rebounds(self, weak: Member) -> bool:
        """Whether the plugins let one bounce or stop in the last frame."""
        return weak in self._rebounding

    def solids(self, pair: Pair) -> Any:
        """Return what two were to each other in the last frame, None for their own shapes."""
        return self._solids.get(pair)


class Repeating:
    """The plugin of the shadow that repeats what others have said."""

    def __init__(self, mirror: Mirror, heeding: Heeding) -> None:
        self._mirror, self._heeding = mirror, heeding

    @im.hookimpl
    def impinge_filter(self, weak: im.Body, mighty: im.Body, response: Any) -> Any:
        """Let a pair meet, or not at all."""
        pair = self._mirror.member_of_twin(weak), self._mirror.member_of_twin(mighty)
        return None if self._heeding.forbids(pair) else response

    @im.hookimpl
    def impinge_narrowphase(self, weak: im.Body, mighty: im.Body) -> Any:
        """Say what two bodies are to each other."""
        return self._heeding.solids((self._mirror.member_of_twin(weak), self._mirror.member_of_twin(mighty)))
