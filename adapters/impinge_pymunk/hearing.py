"""Which pairs may collide in the worlds of a space, by filters, constraints, the game's handlers and plugins.

The classes are plugins of these worlds. They do not resolve collisions.
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
    """Decides about pairs by the space: by shape filters, constraints, and the game's callbacks."""

    def __init__(self, space: pymunk.Space, mirror: Mirror, gate: Gate) -> None:
        self._space, self._mirror, self._gate = space, mirror, gate
        self._apart: set[frozenset[pymunk.Body]] = set()
        self._refused: set[frozenset[Member | None]] = set()
        self._known: dict[Pair, bool] = {}
        self._is_asked = False

    def prepare(self) -> None:
        """Read the present decisions. Register only if there are any: asking for each pair costs more than a frame."""
        self._known.clear()
        self._apart = {frozenset((joint.a, joint.b)) for joint in self._space.constraints if not joint.collide_bodies}
        self._refused = self.refused()
        is_needed = bool(self._mirror.has_filters or self._apart or self._refused)
        if is_needed != self._is_asked:
            self._is_asked = is_needed
            for world in (self._mirror.world, self._mirror.shadow):
                if is_needed:
                    world.register(self, "filters of the space")
                else:
                    world.unregister(self)

    def refused(self) -> set[frozenset[Member | None]]:
        """Return the pairs whose collision the game's callbacks refuse now."""
        return {frozenset(map(self._mirror.member_of, pair)) for pair in self._gate.refused}

    def heed(self) -> None:
        """Apply the callbacks' answers of a step to the position correction after it."""
        refused = self.refused()
        if refused != self._refused:
            self._refused = refused
            self._known.clear()
            if not self._is_asked:
                self._is_asked = True
                for world in (self._mirror.world, self._mirror.shadow):
                    world.register(self, "filters of the space")

    # Called last: another plugin may give a response of its own.
    @im.hookimpl(trylast=True)
    def impinge_filter(self, weak: im.Body, mighty: im.Body, response: Any) -> Any:
        """Return the pair's usual response, or None if the pair must not collide."""
        pair = self._mirror.member_of_twin(weak), self._mirror.member_of_twin(mighty)
        if pair not in self._known:
            self._known[pair] = self._may_meet(*pair)
        return response if self._known[pair] else None

    def _may_meet(self, weak: Member | None, mighty: Member | None) -> bool:
        if weak is None or mighty is None:
            return True  # a plugin has added this body to the world
        if frozenset((weak, mighty)) in self._refused or frozenset((weak.body, mighty.body)) in self._apart:
            return False
        return any(_collide(one.filter, other.filter) for one in weak.shapes for other in mighty.shapes)


def _collide(one: pymunk.ShapeFilter, other: pymunk.ShapeFilter) -> bool:
    """Return whether two filters allow a collision, as Chipmunk does."""
    if one.group and one.group == other.group:
        return False
    return bool(one.categories & other.mask and other.categories & one.mask)


class Heeding:
    """Records the plugins' answers in a frame, so that the shadow can repeat them without asking again."""

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
        """Clear the record of the last frame."""
        self._passing &= self._asked
        self._asked.clear()
        self._solids.clear()
        self._forbidden.clear()
        self._rebounding.clear()

    @im.hookimpl(wrapper=True)
    def impinge_filter(self, weak: im.Body, mighty: im.Body) -> Generator[None, Any, Any]:
        """Record a filter call for a pair: if no narrowphase call follows, a plugin has removed the pair."""
        self._asked.add(self._pair(weak, mighty))
        return (yield)

    @im.hookimpl(wrapper=True)
    def impinge_narrowphase(self, weak: im.Body, mighty: im.Body) -> Generator[None, Any, Any]:
        """Record the solids of a pair."""
        solids = yield
        self._solids[self._pair(weak, mighty)] = solids
        return solids

    @im.hookimpl(wrapper=True)
    def impinge_begin(self, contact: im.hooks.Touch) -> Generator[None, Any, Any]:
        """Record a pair that may pass until it separates."""
        answers = yield
        pair = self._pair(contact.weak, contact.mighty)
        (self._passing.add if False in answers else self._passing.discard)(pair)
        return answers

    @im.hookimpl(wrapper=True)
    def impinge_pre_solve(self, contact: im.hooks.Touch) -> Generator[None, Any, Any]:
        """Record a pair that may pass for a frame."""
        answers = yield
        pair = self._pair(contact.weak, contact.mighty)
        if False in answers:
            self._forbidden.add(pair)
        elif contact.response != "push":
            self._rebounding.add(pair[0])
        return answers

    def forbids(self, pair: Pair) -> bool:
        """Return whether plugins kept a pair from colliding in the last frame."""
        return pair in self._forbidden or pair in self._passing or (pair in self._asked and pair not in self._solids)

    def rebounds(self, weak: Member) -> bool:
        """Return whether plugins let a member bounce or stop in the last frame."""
        return weak in self._rebounding

    def solids(self, pair: Pair) -> Any:
        """Return the solids of a pair in the last frame; None for the members' own shapes."""
        return self._solids.get(pair)


class Repeating:
    """The shadow's plugin, which repeats the answers of other plugins."""

    def __init__(self, mirror: Mirror, heeding: Heeding) -> None:
        self._mirror, self._heeding = mirror, heeding

    @im.hookimpl
    def impinge_filter(self, weak: im.Body, mighty: im.Body, response: Any) -> Any:
        """Return the pair's usual response, or None if the pair must not collide."""
        pair = self._mirror.member_of_twin(weak), self._mirror.member_of_twin(mighty)
        return None if self._heeding.forbids(pair) else response

    @im.hookimpl
    def impinge_narrowphase(self, weak: im.Body, mighty: im.Body) -> Any:
        """Return the recorded solids of two bodies."""
        return self._heeding.solids((self._mirror.member_of_twin(weak), self._mirror.member_of_twin(mighty)))
