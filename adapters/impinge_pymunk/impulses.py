"""The impulses of lasting contacts in a space whose steps do not all have the same duration.

Pymunk begins to solve a lasting contact with its former impulse, multiplied by the ratio of the durations, but it keeps
the impulse without that factor, and can take back only as much.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pymunk

__all__ = ["Impulses"]

Key: TypeAlias = tuple[object, object, int]
Impulse: TypeAlias = tuple[float, float]


class Impulses:
    """The impulses of the contacts of a space.

    A body that hits a wall in the last of 25 parts of a step would leave it with 24 times its impulse in the next whole
    step. And a stack of boxes would be pressed together with several times its weight after a shorter step.
    """

    def __init__(self, space: pymunk.Space) -> None:
        self._space = space
        self._steady: dict[Key, Impulse] = {}
        self._scaled: dict[Key, Impulse] = {}
        self._ratio = 1.0

    def note(self) -> None:
        """Note the impulses of the last step, as those of contacts that last."""
        self._steady = self._read()

    def begin(self, ratio: float) -> None:
        """Prepare the contacts for a step whose duration is the former one multiplied by a ratio.

        In a longer step, no contact begins with more than the noted impulse: the rest may be that of an impact.
        """
        if ratio > 1.0:
            self._change(lambda key, normal, tangential: _at_most(self._steady.get(key), normal, tangential))
        self._steady, self._ratio = {}, ratio
        self._scaled = self._read()

    def end(self) -> None:
        """Multiply the impulses with which the step began by the ratio, as Pymunk did when it applied them."""
        if self._scaled:
            more = self._ratio - 1.0
            self._change(lambda key, normal, tangential: _plus(self._scaled.get(key), more, normal, tangential))
            self._scaled = {}

    def _read(self) -> dict[Key, Impulse]:
        told: dict[Key, Impulse] = {}
        for arbiter in self._space._get_arbiters():
            for index in range(arbiter.count):
                contact = arbiter.contacts[index]
                told[arbiter.a, arbiter.b, contact.hash] = contact.jnAcc, contact.jtAcc
        return told

    def _change(self, change: Callable[[Key, float, float], Impulse]) -> None:
        for arbiter in self._space._get_arbiters():
            for index in range(arbiter.count):
                contact = arbiter.contacts[index]
                key = arbiter.a, arbiter.b, contact.hash
                contact.jnAcc, contact.jtAcc = change(key, contact.jnAcc, contact.jtAcc)


def _at_most(steady: Impulse | None, normal: float, tangential: float) -> Impulse:
    """Return the smaller one of two impulses of a contact."""
    if steady is None:
        return 0.0, 0.0
    return (normal, tangential) if normal <= steady[0] else steady


def _plus(scaled: Impulse | None, more: float, normal: float, tangential: float) -> Impulse:
    """Return an impulse plus a multiple of that with which the step began."""
    if scaled is None:
        return normal, tangential
    return max(0.0, normal + more * scaled[0]), tangential + more * scaled[1]
