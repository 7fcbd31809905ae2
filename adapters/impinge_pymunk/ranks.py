"""The rules of a space as a graph of collision types, and the parameters of each type in a `World`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

import impinge as im

__all__ = ["FREE", "Ranks", "Rule", "Sides"]

# Most types that rules may name: the layers of a world are the bits of a positive integer.
MOST_TYPES = 63


class Sides(NamedTuple):
    """The sides of a mighty type, as in `impinge.World.add`."""

    carrying: im.Side
    sticky: im.Side
    passable: im.Side


FREE = Sides(im.Side.ALL, im.Side.NONE, im.Side.NONE)


class Rule(NamedTuple):
    """A rule: one type pushes another."""

    mighty: int
    weak: int
    sides: Sides


Edges: TypeAlias = dict[int, list[int]]


class Ranks:
    """The parameters that follow from the rules of a space.

    Parameters
    ----------
    rules
        The rules.

    Raises
    ------
    impinge.ShapeError
        If two rules contradict each other, or the rules form a cycle.

    Attributes
    ----------
    might
        The might of each type that has a rule; the weakest type has 0.
    sides
        The sides of each mighty type.

    Examples
    --------
    >>> WALL, CRATE, CREATURE = 1, 2, 3
    >>> ranks = Ranks([Rule(CRATE, CREATURE, FREE), Rule(WALL, CRATE, FREE)])
    >>> ranks.might
    {2: 1, 3: 0, 1: 2}
    >>> ranks.mask(CREATURE) == ranks.layer(CRATE), ranks.mask(WALL)
    (True, 0)
    """

    def __init__(self, rules: Iterable[Rule] = ()) -> None:
        self._weaker: Edges = {}
        self._mightier: Edges = {}
        self.sides: dict[int, Sides] = {}
        for rule in rules:
            self._take(rule)
        types = list(dict.fromkeys(kind for mighty, weak in self._weaker.items() for kind in (mighty, *weak)))
        if len(types) > MOST_TYPES:
            raise im.ShapeError(f"rules must not name more than {MOST_TYPES} collision types, got {len(types)}")
        self._bits = {kind: 1 << place for place, kind in enumerate(types)}
        self.might: dict[int, int] = {}
        for kind in types:
            self._rank(kind, ())
        self.might = {kind: self.might[kind] for kind in types}

    def _take(self, rule: Rule) -> None:
        mighty, weak, sides = rule
        if mighty == weak:
            raise im.ShapeError(f"mighty and weak must be two collision types, got {mighty} for both")
        if weak in self._weaker.get(mighty, ()):
            raise im.ShapeError(f"collision type {mighty} must be given one rule over {weak}, got a second one")
        known = self.sides.setdefault(mighty, sides)
        if known != sides:
            for name, one, other in zip(Sides._fields, sides, known, strict=True):
                if one != other:
                    raise im.ShapeError(
                        f"{name} must be the same in all rules of collision type {mighty}, got {one!r} beside {other!r}"
                    )
        self._weaker.setdefault(mighty, []).append(weak)
        self._mightier.setdefault(weak, []).append(mighty)

    def _rank(self, kind: int, above: tuple[int, ...]) -> int:
        if kind in above:
            circle = " > ".join(map(str, (*above[above.index(kind) :], kind)))
            raise im.ShapeError(f"rules must not go round in a circle, got the collision types {circle}")
        if kind not in self.might:
            weaker = self._weaker.get(kind, ())
            self.might[kind] = max((1 + self._rank(other, (*above, kind)) for other in weaker), default=0)
        return self.might[kind]

    def pushes(self, mighty: int, weak: int) -> bool:
        """Return whether one type pushes another."""
        return weak in self._weaker.get(mighty, ())

    def layer(self, kind: int) -> int:
        """Return the bit of a type."""
        return self._bits[kind]

    def mask(self, kind: int) -> int:
        """Return the bits of the types that push a type."""
        return sum(self._bits[mighty] for mighty in self._mightier.get(kind, ()))
