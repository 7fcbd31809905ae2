"""Tiles that are flush, taken up as one larger box for as long as no player comes near: a game sees none of it.

A player never meets such a block. What one could meet in a step is split before it, into the tiles with their own
bodies, in the order in which they would have been added: so all that is told is told of tiles, and to the last bit what
it would be without blocks. A map costs what its blocks do, and the tiles where players have been.

Not here: how far a player may come in a step, which `level` knows.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import fabs, inf, nan
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from arcade import BasicSprite
from numpy.typing import NDArray

import impinge as im
from impinge_arcade.bodies import Place
from impinge_arcade.shapes import Placement
from impinge_arcade.walls import SweptRoster

__all__ = ["UNCLEARED", "Block", "Clearing", "TileRoster", "flush_groups"]

# Tiles of a block across, and up: what is split at once, in less than a thousandth of a second.
ACROSS, UP = 8, 4
# Left, bottom, right and top edge.
Bounds: TypeAlias = tuple[float, float, float, float]
# Pixels between tiles that are flush, but for rounding.
GAP: Final = 1e-6


class Clearing(NamedTuple):
    """Where a player can set out and arrive without meeting a block.

    Attributes
    ----------
    left, bottom, right, top
        The box that both places are in.
    limit
        How far it goes or is taken in the step at the most, along each axis.
    """

    left: float
    bottom: float
    right: float
    top: float
    limit: float

    def holds(self, start: Place, goal: Place, stride: float) -> bool:
        """Whether a player stays in it that is taken along by as much as a stride."""
        left, bottom, right, top, limit = self
        (x, y, _), (to_x, to_y, _) = start, goal
        return (
            left <= x <= right
            and left <= to_x <= right
            and bottom <= y <= top
            and bottom <= to_y <= top
            and fabs(to_x - x) + stride <= limit
            and fabs(to_y - y) + stride <= limit
        )


# It holds nobody.
UNCLEARED: Final = Clearing(nan, nan, nan, nan, nan)


@dataclass(eq=False, slots=True)
class Block:
    """Tiles that are one body; its `Body.data`.

    Attributes
    ----------
    roster, bounds
        Whose tiles they are, and the box that they fill.
    tiles, placements, orders
        The tiles, where they stand, and the places that they have in the order of bodies.
    """

    roster: TileRoster
    bounds: Bounds
    tiles: list[BasicSprite]
    placements: list[Placement]
    orders: list[int]

    def nearest(self, x: float, y: float) -> BasicSprite:
        """Return the tile that is nearest to a place."""

        def distance(number: int) -> float:
            solid, tile_x, tile_y, _, _ = self.placements[number]
            assert isinstance(solid, im.Box)
            return max(fabs(x - tile_x) - 0.5 * solid.width, fabs(y - tile_y) - 0.5 * solid.height)

        return self.tiles[min(range(len(self.tiles)), key=distance)]


class TileRoster(SweptRoster):
    """Walls of which those that come together and are flush are taken up as blocks.

    Attributes
    ----------
    blocks
        The bodies of the blocks; in `bodies` that of a tile is its block's.
    """

    def __init__(self, source: Collection[BasicSprite], world: im.World, **rule: Any) -> None:
        super().__init__(source, world, **rule)
        self.blocks: dict[im.Body, None] = {}
        # Their edges, (n, 4), in that order; None if they are others by now.
        self._edges: NDArray[np.float64] | None = None
        self._merges = True

    def enter(self, sprites: Sequence[BasicSprite], placements: Sequence[Placement]) -> None:
        """Add bodies for sprites that have come, one for those of a block."""
        groups = {group.numbers[-1]: group for group in (flush_groups(placements) if self._merges else [])}
        merged = {number for group in groups.values() for number in group.numbers}
        first = self.world.next_order
        bodies: dict[int, im.Body] = {}
        # A block comes with its last tile, so that whoever comes later is behind all of them.
        for number, (sprite, placed) in enumerate(zip(sprites, placements, strict=True)):
            if number in groups:
                numbers, bounds = groups[number]
                tiles, places = [sprites[each] for each in numbers], [placements[each] for each in numbers]
                block = Block(self, bounds, tiles, places, [first + each for each in numbers])
                bodies |= dict.fromkeys(numbers, self._stand_block(block))
            elif number not in merged:
                bodies[number] = self._stand(sprite, placed, first + number)
        self.bodies |= {sprite: bodies[number] for number, sprite in enumerate(sprites)}

    def _stand(self, sprite: BasicSprite, placed: Placement, order: int) -> im.Body:
        return self.world.add(placed.solid, placed.pose, order=order, data=sprite, **self._rule)

    def _stand_block(self, block: Block) -> im.Body:
        left, bottom, right, top = block.bounds
        body = self.world.add(
            im.Box(right - left, top - bottom),
            im.Pose(0.5 * (left + right), 0.5 * (bottom + top)),
            order=block.orders[-1],
            data=block,
            **self._rule,
        )
        self.blocks[body] = self._edges = None
        return body

    def split_within(self, left: float, bottom: float, right: float, top: float) -> None:
        """Split all blocks that a box overlaps or touches."""
        if self._edges is None:
            self._edges = np.array([body.data.bounds for body in self.blocks]).reshape(-1, 4)
        lefts, bottoms, rights, tops = self._edges.T
        found = np.flatnonzero((lefts <= right) & (bottoms <= top) & (rights >= left) & (tops >= bottom))
        bodies = list(self.blocks)
        for number in found.tolist():
            self.split(bodies[number])

    def split(self, body: im.Body) -> None:
        """Give the tiles of a block bodies of their own, for good."""
        block = body.data
        del self.blocks[body]
        self._edges = None
        self.world.remove(body)
        for sprite, placed, order in zip(block.tiles, block.placements, block.orders, strict=True):
            self.bodies[sprite] = self._stand(sprite, placed, order)

    def split_all(self) -> None:
        """Do this for all blocks, and merge no more tiles."""
        self._merges = False
        for body in list(self.blocks):
            self.split(body)

    def body(self, sprite: BasicSprite) -> im.Body:
        """Return the sprite's own body, if need be by splitting a block."""
        body = self.bodies[sprite]
        if body in self.blocks:
            self.split(body)
        return self.bodies[sprite]

    def take_out(self, sprite: BasicSprite) -> None:
        """Remove the body of a sprite that is gone."""
        self.body(sprite)
        super().take_out(sprite)

    def place(self, sprites: Sequence[BasicSprite], placements: Sequence[Placement]) -> None:
        """Let the bodies of sprites go where these stand, or put them there."""
        for sprite in sprites:
            self.body(sprite)
        super().place(sprites, placements)


class Group(NamedTuple):
    """Boxes that fill a rectangle: their numbers, rising, and its left, bottom, right and top edge."""

    numbers: list[int]
    bounds: Bounds


def flush_groups(placements: Sequence[Placement]) -> list[Group]:
    """Group upright boxes that fill rectangles without gaps, 2 to 32 of them each.

    Returns
    -------
    list of Group
        Who is in none is left out.

    Notes
    -----
    Neighbours in a row are runs, and runs that lie upon each other are blocks: by sorting twice, O(n log n).
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
    """Join boxes with neighbours to the right that are as high, so many at the most.

    Returns
    -------
    which, joined
        For each box the number of what it has become part of, (n,); the edges of these, (m, 4).
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
