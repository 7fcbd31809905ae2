"""Blocks of static tiles: lazy proxies in the worlds of a space, which `mirror` expands near weak bodies.

A level has thousands of tiles, and weak bodies come near few of them.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

import pymunk

import impinge as im
from impinge_pymunk.chipmunk import outline_of, place_of

__all__ = ["Block", "blocks_of"]

Bounds: TypeAlias = tuple[float, float, float, float]

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
        body, bounds = tile.body, _rectangle(tile)
        if body is None or bounds is None:
            continue
        if body not in places:
            places[body] = place_of(body)
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
    for group in groups.values():
        if len(group) < FEWEST:
            continue
        lefts, bottoms, rights, tops = zip(*(bounds for _, _, bounds in group), strict=True)
        left, bottom, right, top = min(lefts), min(bottoms), max(rights), max(tops)
        pose = im.Pose(x + 0.5 * (left + right), y + 0.5 * (bottom + top))
        spare = SPARE * (abs(x) + abs(y) + abs(left) + abs(right) + abs(bottom) + abs(top))
        solid = im.Box(right - left + spare, top - bottom + spare)
        yield Block(body, kind, place, {tile: number for number, tile, _ in group}, solid, pose)


def _rectangle(shape: pymunk.Shape) -> Bounds | None:
    """Return the bounds of an upright rectangle in the frame of its body; None for another shape."""
    if not isinstance(shape, pymunk.Poly):
        return None
    outline = outline_of(shape)
    if len(outline) != 9 or outline[0] != 0.0:
        return None
    # Chipmunk keeps the corners of the convex hull, in order: opposite ones are equal in no coordinate.
    _, x, y, second_x, second_y, third_x, third_y, fourth_x, fourth_y = outline
    if not (
        (second_x == x and third_y == second_y and fourth_x == third_x and fourth_y == y)
        or (second_y == y and third_x == second_x and fourth_y == third_y and fourth_x == x)
    ):
        return None
    left, right = (x, third_x) if x < third_x else (third_x, x)
    bottom, top = (y, third_y) if y < third_y else (third_y, y)
    if not 0.0 < (right - left) * (top - bottom) < math.inf:
        return None
    return left, bottom, right, top
