"""Flush tiles that are merged into one larger box while no player is near. The game does not notice it.

Such a block is a lazy proxy for its tiles in the world (see `World.add`, `expand`): it is replaced before anything
touches it. All results refer to tiles, and they are exactly the same as without blocks. The cost of a map is that of
its blocks, and of the tiles where players have been.

The rules for walls are in `level`.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from arcade import BasicSprite
from numpy.typing import NDArray

import impinge as im
from impinge_arcade.shapes import Placement
from impinge_arcade.walls import SweptRoster

__all__ = ["TileRoster", "flush_groups"]

# Tiles in a block, horizontally and vertically. A block is split at once, in less than a thousandth of a second.
ACROSS, UP = 8, 4
# Left, bottom, right and top.
Bounds: TypeAlias = tuple[float, float, float, float]
# Pixels. Largest gap between flush tiles: it allows for rounding.
GAP: Final = 1e-6
# Pixels by which a block exceeds its tiles on all sides, so that rounding leaves no tile outside.
SPARE: Final = 1.0


@dataclass(eq=False, slots=True)
class Block:
    """Tiles that share one body; a block is the `Body.data` of that body.

    Attributes
    ----------
    tiles, placements, orders
        The tiles, their placements, and their places in the order of bodies.
    """

    tiles: list[BasicSprite]
    placements: list[Placement]
    orders: list[int]


class TileRoster(SweptRoster):
    """A roster of walls; flush tiles that are added together are merged into blocks.

    Attributes
    ----------
    blocks
        The bodies of the blocks. In `bodies`, a merged tile has the body of its block.
    merges
        Whether new tiles are merged.
    """

    def __init__(self, source: Collection[BasicSprite], world: im.World, **rule: Any) -> None:
        super().__init__(source, world, **rule)
        self.blocks: dict[im.Body, None] = {}
        self.merges = True

    def enter(self, sprites: Sequence[BasicSprite], placements: Sequence[Placement]) -> None:
        """Add bodies for new sprites, one for each block."""
        groups = flush_groups(placements) if self.merges else []
        merged = {number for group in groups for number in group.numbers}
        first = self.world.next_order
        blocks = [
            Block(
                [sprites[number] for number in numbers],
                [placements[number] for number in numbers],
                [first + number for number in numbers],
            )
            for numbers, _ in groups
        ]
        alone = [number for number in range(len(sprites)) if number not in merged]
        own = [sprites[number] for number in alone]
        bodies = self._stand(own, [placements[number] for number in alone], [first + number for number in alone])
        for body in self._stand_blocks(blocks, [bounds for _, bounds in groups]) if blocks else ():
            self.blocks[body] = None
            bodies |= dict.fromkeys(body.data.tiles, body)
        self.bodies |= {sprite: bodies[sprite] for sprite in sprites}

    def _stand(
        self, sprites: list[BasicSprite], placements: list[Placement], orders: list[int]
    ) -> dict[BasicSprite, im.Body]:
        """Add bodies for sprites."""
        poses = [(x, y, angle) for _, x, y, angle, _ in placements]
        solids = [placed.solid for placed in placements]
        bodies = self.world.add_many(solids, poses, order=orders, data=sprites, **self._rule)
        return dict(zip(sprites, bodies, strict=True))

    def _stand_blocks(self, blocks: list[Block], bounds: Iterable[Bounds]) -> list[im.Body]:
        """Add bodies for blocks. Each has the place of its last tile, so that bodies added later come after all."""
        sides = [(left - SPARE, bottom - SPARE, right + SPARE, top + SPARE) for left, bottom, right, top in bounds]
        return self.world.add_many(
            [im.Box(right - left, top - bottom) for left, bottom, right, top in sides],
            [(0.5 * (left + right), 0.5 * (bottom + top)) for left, bottom, right, top in sides],
            order=[block.orders[-1] for block in blocks],
            expand=self.split,
            data=blocks,
            **self._rule,
        )

    def split(self, body: im.Body) -> None:
        """Replace a block by the bodies of its tiles, permanently."""
        block = body.data
        del self.blocks[body]
        self.world.remove(body)
        self.bodies |= self._stand(block.tiles, block.placements, block.orders)

    def body(self, sprite: BasicSprite) -> im.Body:
        """Return the sprite's own body; split its block if necessary."""
        body = self.bodies[sprite]
        if body in self.blocks:
            self.split(body)
        return self.bodies[sprite]

    def take_out(self, sprites: Sequence[BasicSprite]) -> None:
        """Remove the bodies of removed sprites; a block with other tiles left is split first."""
        gone = set(sprites)
        for body in dict.fromkeys(map(self.bodies.__getitem__, sprites)):
            if body in self.blocks:
                if gone.issuperset(body.data.tiles):
                    del self.blocks[body]
                else:
                    self.split(body)
        super().take_out(sprites)

    def place(self, sprites: Sequence[BasicSprite], placements: Sequence[Placement]) -> None:
        """Set goals for the bodies of sprites that moved, and poses for those that were teleported."""
        for sprite in sprites:
            self.body(sprite)
        super().place(sprites, placements)


class Group(NamedTuple):
    """Boxes that fill a rectangle: their numbers in rising order, and its left, bottom, right and top."""

    numbers: list[int]
    bounds: Bounds


def flush_groups(placements: Sequence[Placement]) -> list[Group]:
    """Group upright boxes that fill rectangles without gaps, 2 to 32 of them each.

    Returns
    -------
    list of Group
        Boxes without a group are left out.

    Notes
    -----
    Neighbours in a row form runs, and stacked runs form blocks: two sorts, O(n log n).
    """
    boxes, rows = [], array("d")
    for number, (solid, x, y, angle, _) in enumerate(placements):
        if angle == 0.0 and isinstance(solid, im.Box):
            boxes.append(number)
            rows.extend((x, y, solid.width, solid.height))
    if len(boxes) < 2:
        return []
    middles, sizes = np.hsplit(np.frombuffer(rows).reshape(-1, 4), 2)
    run_of, runs = _joined(np.hstack((middles - 0.5 * sizes, middles + 0.5 * sizes)), ACROSS)
    block_of, blocks = _joined(runs[:, [1, 0, 3, 2]], UP)
    owners = block_of[run_of]
    order = np.argsort(owners, kind="stable")
    numbers = np.split(np.array(boxes)[order], np.flatnonzero(np.diff(owners[order])) + 1)
    bounds = map(tuple, blocks[:, [1, 0, 3, 2]].tolist())
    groups = map(Group, (group.tolist() for group in numbers), bounds)
    return [group for group in groups if len(group.numbers) > 1]


def _joined(edges: NDArray[np.float64], most: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Join boxes with right neighbours of the same height, at most `most` of them.

    Returns
    -------
    which, joined
        For each box the index of its joined box, (n,); the edges of the joined boxes, (m, 4).
    """
    order = np.lexsort(edges[:, (0, 3, 1)].T)
    rows = edges[order]
    after = np.full(len(rows), inf)
    after[1:] = rows[1:, 0] - rows[:-1, 2]
    is_flush = np.abs(after) <= GAP
    is_flush[1:] &= (rows[1:, 1] == rows[:-1, 1]) & (rows[1:, 3] == rows[:-1, 3])
    numbers = np.arange(len(rows))
    begun = np.maximum.accumulate(np.where(is_flush, 0, numbers))
    is_first = (numbers - begun) % most == 0
    firsts = np.flatnonzero(is_first)
    joined = rows[firsts]
    joined[:, 2] = rows[np.append(firsts[1:], len(rows)) - 1, 2]
    which = np.empty(len(rows), np.int64)
    which[order] = np.cumsum(is_first) - 1
    return which, joined
