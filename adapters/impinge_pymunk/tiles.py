"""Blocks of static tiles: lazy proxies in the worlds of a space, which `mirror` expands near weak bodies.

A level has thousands of tiles, and weak bodies come near few of them.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain

import pymunk

import impinge as im
from impinge_pymunk.chipmunk import Bounds
from impinge_pymunk.shapes import checked_place, rectangle_of

__all__ = ["Block", "blocks_of"]

# Side of a block, in tiles, and the fewest tiles in one: a block with fewer saves nothing.
SIDE, FEWEST = 8, 4
# Space around the tiles of a block, as a fraction of its coordinates and sizes: more than the rounding error.
SPARE = 1e-6


@dataclass(eq=False, slots=True)
class Block:
    """Tiles of one body and one collision type.

    Attributes
    ----------
    body, kind, place
        The body, the collision type, and the place of the body when the block was made.
    tiles
        The tiles, each with its number in the order of adding.
    solid, pose
        A box around them.
    proxies, firsts
        The lazy proxies in the worlds, and the place in the order of adding of the shape with number 0 in each.
    """

    body: pymunk.Body
    kind: int
    place: tuple[float, float, float]
    tiles: dict[pymunk.Shape, int]
    solid: im.Box
    pose: im.Pose
    proxies: tuple[im.Body, ...] = ()
    firsts: tuple[int, ...] = ()


def blocks_of(tiles: Iterable[tuple[int, pymunk.Shape, int]]) -> list[Block]:
    """Return blocks of those shapes that are upright rectangles, given with a number and their collision types.

    Examples
    --------
    >>> body = pymunk.Space().static_body
    >>> tiles = [pymunk.Poly(body, [(x, 0), (x + 20, 0), (x + 20, 20), (x, 20)]) for x in range(0, 200, 20)]
    >>> [(len(block.tiles), block.pose.x) for block in blocks_of((x, tile, 1) for x, tile in enumerate(tiles))]
    [(8, 80.0)]
    """
    found: dict[tuple[pymunk.Body, int], list[tuple[int, pymunk.Shape, Bounds]]] = {}
    places: dict[pymunk.Body, tuple[float, float, float]] = {}
    for number, tile, kind in tiles:
        body, bounds = tile.body, rectangle_of(tile)
        if body is None or bounds is None:
            continue
        if body not in places:
            places[body] = checked_place(body)
        if places[body][2] == 0.0:
            found.setdefault((body, kind), []).append((number, tile, bounds))
    return [block for (body, kind), rows in found.items() for block in _grouped(rows, body, kind, places[body])]


def _grouped(
    rows: list[tuple[int, pymunk.Shape, Bounds]], body: pymunk.Body, kind: int, place: tuple[float, float, float]
) -> Iterable[Block]:
    """Yield the blocks of tiles of one body and one type."""
    if len(rows) < FEWEST:
        return
    cell = SIDE * statistics.median(max(right - left, top - bottom) for _, _, (left, bottom, right, top) in rows)
    groups: dict[tuple[int, int], list[tuple[int, pymunk.Shape, Bounds]]] = {}
    for row in rows:
        groups.setdefault((math.floor(row[2][0] / cell), math.floor(row[2][1] / cell)), []).append(row)
    x, y, _ = place
    # The same for all, so that blocks of one size share a solid.
    spare = SPARE * (abs(x) + abs(y) + max(map(abs, chain.from_iterable(bounds for _, _, bounds in rows))))
    for group in groups.values():
        if len(group) < FEWEST:
            continue
        lefts, bottoms, rights, tops = zip(*(bounds for _, _, bounds in group), strict=True)
        left, bottom, right, top = min(lefts), min(bottoms), max(rights), max(tops)
        pose = im.Pose(x + 0.5 * (left + right), y + 0.5 * (bottom + top))
        width, height = (spare * math.ceil(length / spare + 1.0) for length in (right - left, top - bottom))
        yield Block(body, kind, place, {tile: number for number, tile, _ in group}, im.Box(width, height), pose)
