"""What a playtest reports: routes to goals, and places where a player falls, is crushed, or cannot leave."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from impinge_playtest.tracks import Floats, Ints

__all__ = ["KINDS", "Finding", "Route", "spots"]

# The kinds of findings, in the order of a report, and what each means.
KINDS = {
    "unreached": "a goal or coin that no player reached",
    "fall": "a player leaves the border",
    "crush": "a player has no room between two bodies",
    "trap": "a place with no observed way back to the start or to a goal",
    "stuck": "a place in which no input moves the player",
}


@dataclass(frozen=True, slots=True)
class Route:
    """The shortest inputs found that lead to an area, one number for each frame."""

    name: str
    inputs: tuple[int, ...]

    @property
    def frames(self) -> int:
        """Frames of the route."""
        return len(self.inputs)


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding.

    Attributes
    ----------
    kind
        One of `KINDS`.
    name
        The goal or coin that was not reached; otherwise the kind and a number.
    x, y
        Where it is: the middle of the area, or the player's position.
    inputs
        The shortest inputs found that lead there; none for what was not reached.
    detail
        What is known about it.
    """

    kind: str
    name: str
    x: float
    y: float
    inputs: tuple[int, ...]
    detail: str

    def __str__(self) -> str:
        after = f" after {len(self.inputs)} frames" if self.inputs else ""
        return f"{self.kind} {self.name!r} at ({self.x:.0f}, {self.y:.0f}){after}: {self.detail}"


def spots(places: Floats, frames: Ints, near: float) -> list[tuple[int, list[int]]]:
    """Group places that are near each other, directly or by places in between.

    Parameters
    ----------
    places : (n, 2) float
        The places.
    frames
        When each was reached.
    near
        Distance along each axis within which two places belong together.

    Returns
    -------
    list of (int, list of int)
        For each group, the index of the place that was reached first, and those of all its places; soonest first.

    Examples
    --------
    >>> spots(np.array([(0, 0), (100, 0), (3, 0), (6, 0)]), np.array([9, 4, 2, 5]), 4)
    [(2, [0, 2, 3]), (1, [1])]
    """
    members: dict[tuple[int, int], list[int]] = {}
    for index, (x, y) in enumerate(np.floor(places / near).astype(np.int64).tolist()):
        members.setdefault((x, y), []).append(index)
    groups = []
    while members:
        front, group = [next(iter(members))], []
        while front:
            x, y = front.pop()
            group += members.pop((x, y), [])
            front += [(x + i, y + j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (x + i, y + j) in members]
        groups.append(sorted(group))
    soonest = [min(group, key=lambda index: (int(frames[index]), index)) for group in groups]
    return sorted(zip(soonest, groups, strict=True), key=lambda each: (int(frames[each[0]]), each[0]))
