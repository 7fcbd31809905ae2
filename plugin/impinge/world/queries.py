"""World queries: bodies at a point, near it, in a box, in a sector, or along a path, at their current poses.

Not here: moving bodies, which is in `world`, and queries about shapes without a world.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import lru_cache
from itertools import accumulate, chain, pairwise
from threading import get_ident
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from impinge.checks import coordinates, flag, not_negative, numbers
from impinge.checks import point as checked_point
from impinge.errors import ShapeError
from impinge.kernels import columns as col
from impinge.kernels import entry
from impinge.kernels.arrays import Bodies, Course, Floats, Ints, QueryFilter, Tree
from impinge.motion import Motion, Pose
from impinge.query.impacts import course_of, impact_of
from impinge.query.records import Hit, Neighbour, SectorTarget
from impinge.sector.sectors import Sector, checked_pose, checked_sector, facing, sector_hit_of
from impinge.shapes.solids import Circle, Solid, Vector, checked_solid, point_row
from impinge.sides import side_along
from impinge.world.bodies import ALL_LAYERS, Body, checked_integer
from impinge.world.standing_tree import NO_BODY_ROWS, StandingTree
from impinge.world.state import State

if TYPE_CHECKING:
    from impinge.query.room import Room

__all__ = ["Searches"]

# Directions of the four sides, in the order of `Room`.
DIRECTIONS = ((-1.0, 0.0), (1.0, 0.0), (0.0, -1.0), (0.0, 1.0))

# Feature names for a lone point: those of a circle, whose only feature is its whole border.
POINT_NAMES = Circle(1.0)
ALL_BODIES = QueryFilter(ALL_LAYERS, NO_BODY_ROWS)


class Searches:
    """World queries about bodies at their current poses. `World` inherits them.

    The queries use a tree of their own. The first query builds it. Each later query first updates it for the bodies
    that have moved. A world without queries has no such tree.

    Examples
    --------
    >>> import impinge as im
    >>> world = im.World()
    >>> floor = world.add(im.Box(100, 2), im.Pose(0, -1), might=1)
    >>> ball = world.add(im.Circle(2), im.Pose(10, 2))
    >>> world.at_point((10, 1)) == [ball], world.nearest((0, 3)) == [(floor, 3.0)]
    (True, True)
    """

    def __init__(self) -> None:
        self._state = State()
        # The thread that is in a step.
        self._stepper: int | None = None

    def at_point(self, point: Vector, *, mask: int = ALL_LAYERS, ignore: Body | Iterable[Body] = ()) -> list[Body]:
        """Find all bodies that contain a point, as `Solid.contains` does. A point on the border, to the slop, counts.

        Parameters
        ----------
        point
            (x, y), in the game's units.
        mask
            Bits: the query finds only bodies whose layer has one of them.
        ignore
            A body, or several, to leave out.

        Returns
        -------
        list of Body
            In the order in which they were added.

        Raises
        ------
        ShapeError
            If the point is not two finite numbers, or the mask is not an integer.
        ValueError
            If a body to ignore is not in this world.

        Notes
        -----
        The method of `impinge.overlaps`. A packed R-tree finds the candidates (Kamel and Faloutsos, "On packing
        R-trees", 1993).

        Examples
        --------
        >>> import impinge as im
        >>> world = im.World()
        >>> tile = world.add(im.Box(10, 10), im.Pose(0, 0), layer=1)
        >>> coin = world.add(im.Circle(2), im.Pose(3, 0), layer=2)
        >>> world.at_point((4, 0)) == [tile, coin], world.at_point((4, 0), mask=2) == [coin], world.at_point((9, 9))
        (True, True, [])
        """
        place = checked_point("point", point)
        return list(map(self._state.body, self._over(point_row(), place, 0.0, mask, ignore).tolist()))

    def in_box(
        self,
        box: Solid,
        pose: Pose,
        *,
        mask: int = ALL_LAYERS,
        ignore: Body | Iterable[Body] = (),
        include_touching: bool = True,
    ) -> list[Body]:
        """Find all bodies that a solid at a pose would overlap, as `impinge.overlaps` does. Touching counts.

        Parameters
        ----------
        box, pose
            The solid and its assumed pose: a box for a selection, or any other solid.
        mask, ignore
            As for `at_point`.
        include_touching
            Whether touching counts. If not, only an overlap by more than the slop counts.

        Returns
        -------
        list of Body
            In the order in which they were added.

        Raises
        ------
        ShapeError
            If an argument is not of its type.
        ValueError
            If a body to ignore is not in this world.

        Notes
        -----
        The methods of `impinge.overlaps` and of `at_point`. Without touching, the query shrinks the given solid by
        twice the slop.

        Examples
        --------
        Is there room for a door to stand open?

        >>> import impinge as im
        >>> world = im.World()
        >>> crate = world.add(im.Box(2, 2), im.Pose(5, 8))
        >>> door = im.Box(20, 1)
        >>> world.in_box(door, im.Pose(5, 0)), world.in_box(door, im.Pose(5, 0, angle=1.5)) == [crate]
        ([], True)
        >>> world.in_box(door, im.Pose(5, 6.5)) == [crate], world.in_box(door, im.Pose(5, 6.5), include_touching=False)
        (True, [])
        """
        if flag("include_touching", include_touching):
            checked_pose("pose", pose)
            row = checked_solid("box", box).row
            return list(map(self._state.body, self._over(row, (pose.x, pose.y), pose.angle, mask, ignore).tolist()))
        tree = self._fresh_tree()
        if type(pose) is not Pose:
            checked_pose("pose", pose)
        x, y, angle = pose.x, pose.y, pose.angle
        try:
            row = box.drawn_in(max(tree.farthest, x, -x, y, -y))
        except (AttributeError, TypeError):
            # Only now: a check with the abstract class before each query would take a tenth of it.
            row = checked_solid("box", box).drawn_in(tree.farthest)
        query, bodies = self._query(mask, ignore), self._state.all_bodies()
        found = entry.bodies_over(row, (x, y), angle, self._state.pool.longest, query, bodies, tree.rows)
        return [self._state.body(index) for _, index in sorted(found.tolist())] if len(found) else []

    def overlapping_pairs(
        self,
        bodies: ArrayLike,
        poses: ArrayLike,
        *,
        mask: int = ALL_LAYERS,
        ignore: Body | Iterable[Body] = (),
        include_touching: bool = True,
    ) -> NDArray[np.int64]:
        """Find the bodies that each of many bodies would overlap at another pose, moved alone. Touching counts.

        Parameters
        ----------
        bodies : (n,) int
            Their `Body.index`.
        poses : (n, 2) or (n, 3)
            Assumed x and y of each body in the game's units, and its angle in radians. Without angles, each keeps its
            own.
        mask, ignore
            As for `at_point`. A body does not find itself.
        include_touching
            Whether touching counts. If not, only an overlap by more than the slop counts.

        Returns
        -------
        (k, 2) int64
            The row of the moved body in `bodies`, and the `Body.index` of a body that it overlaps. Sorted by row, then
            in the order in which the bodies were added.

        Raises
        ------
        ShapeError
            If an index belongs to no body, a number is not finite, the mask is not an integer, or `include_touching` is
            neither True nor False.
        ValueError
            If a body to ignore is not in this world.

        Notes
        -----
        The method of `in_box`, for all bodies in one call: half a microsecond each instead of five.

        Examples
        --------
        >>> import impinge as im
        >>> world = im.World()
        >>> rows = [world.add(im.Box(10, 10), im.Pose(x, 0)).index for x in (0, 10, 25)]
        >>> world.overlapping_pairs(rows, world.poses(rows)).tolist()
        [[0, 1], [1, 0]]
        >>> world.overlapping_pairs(rows, world.positions(rows) + (4, 0), include_touching=False).tolist()
        [[0, 1]]
        """
        is_touch_enough = flag("include_touching", include_touching)
        rows, places = self._checked_places("poses", bodies, poses)
        asked = self._asked(mask, ignore)
        if not len(rows):
            return np.empty((0, 2), np.int64)
        if places.shape[1] == 2:
            places = np.column_stack((places, self._state.floats[rows, col.ANGLE]))
        farthest = max(self._fresh_tree().farthest, float(np.abs(places[:, :2]).max()))
        slots = self._state.ints[rows, col.SOLID].tolist()
        own = list(dict.fromkeys(slots))
        shapes = [self._state.pool[slot].shape for slot in own]
        asking = [shape.row if is_touch_enough else shape.drawn_in(farthest) for shape in shapes]
        firsts = [0, *accumulate(map(len, asking))]
        spans = dict(zip(own, pairwise(firsts), strict=True))
        together = np.empty(firsts[-1])
        for row, first in zip(asking, firsts, strict=False):
            entry.write_row(row, together, first)
        found = entry.pairs_over(
            together,
            np.fromiter(chain.from_iterable(map(spans.__getitem__, slots)), np.int64, 2 * len(slots)).reshape(-1, 2),
            np.ascontiguousarray(places),
            np.ascontiguousarray(rows),
            self._state.pool.longest,
            *asked,
        )
        asker, order = found[:, col.HIT_ASKER], found[:, col.HIT_ORDER]
        in_order = np.lexsort((order, asker))
        return found[in_order][:, [col.HIT_ASKER, col.HIT_BODY]]

    def along(
        self, start: Vector, end: Vector, *, mask: int = ALL_LAYERS, ignore: Body | Iterable[Body] = ()
    ) -> list[Hit[Body]]:
        """Find all bodies that a segment hits, without stopping at the first: for a shot or a line of sight.

        Parameters
        ----------
        start, end
            (x, y) of both ends, in the game's units.
        mask, ignore
            As for `at_point`.

        Returns
        -------
        list of Hit
            Each body with its `Impact`, the nearest first; of equally near ones, the body that was added first. The
            time of an impact runs from 0 at the start to 1 at the end of the segment. Its normal is that of `sweep`, so
            it points into the body, against the normal of the surface. A body that contains the start, deeper than the
            slop, comes first, with time 0 and `overlapping`. Point and normal then are those of `contact`.

            Grazing is not a hit, as in `time_of_impact`: the segment does not hit a surface that it runs along, or a
            corner that it passes. It does hit a surface on which it starts and into which it leads. It hits a surface
            on which it just ends, at time 1, as far as rounding permits. It also hits a capsule without radius that it
            crosses.

        Raises
        ------
        ShapeError
            If an end is not two finite numbers, or the mask is not an integer.
        ValueError
            If a body to ignore is not in this world.

        Notes
        -----
        The method of `impinge.time_of_impact` for a lone point, and that of `at_point`.

        Examples
        --------
        >>> import impinge as im
        >>> world = im.World()
        >>> wall, post = world.add(im.Box(2, 20), im.Pose(30, 0)), world.add(im.Circle(2), im.Pose(10, 0))
        >>> for body, impact in world.along((0, 0), (40, 0)):
        ...     body is post, impact.time, impact.point, impact.normal
        (True, 0.2, (8.0, 0.0), (1.0, 0.0))
        (False, 0.725, (29.0, 0.0), (1.0, 0.0))
        >>> world.along((0, 10), (40, 10))
        []
        """
        course = (*checked_point("start", start), 0.0, *checked_point("end", end), 0.0, 0.0, 0.0)
        return self._struck(POINT_NAMES, point_row(), course, mask, ignore)

    def sweep(
        self, shape: Solid, motion: Motion, *, mask: int = ALL_LAYERS, ignore: Body | Iterable[Body] = ()
    ) -> list[Hit[Body]]:
        """Find all bodies that a moving solid would hit at their current poses, without stopping at the first.

        Parameters
        ----------
        shape, motion
            The solid and its motion, as for `impinge.time_of_impact`.
        mask, ignore
            As for `at_point`.

        Returns
        -------
        list of Hit
            Each body with its `Impact`, the earliest first; of equally early ones, the body that was added first. The
            normal points from the solid to the body.

        Raises
        ------
        ShapeError
            If an argument is not of its type.
        ValueError
            If a body to ignore is not in this world.

        Notes
        -----
        The methods of `impinge.time_of_impact` and of `at_point`.

        Examples
        --------
        >>> import impinge as im
        >>> world = im.World()
        >>> posts = [world.add(im.Box(2, 20), im.Pose(x, 0)) for x in (30, 10, -10)]
        >>> hits = world.sweep(im.Circle(1), im.Motion(im.Pose(0, 0), im.Pose(40, 0)))
        >>> [(posts.index(body), impact.time) for body, impact in hits]
        [(1, 0.2), (0, 0.7)]
        """
        if not isinstance(motion, Motion):
            raise ShapeError(f"motion must be a Motion, got {motion!r}")
        return self._struck(shape, checked_solid("shape", shape).row, course_of(motion), mask, ignore)

    def room(
        self,
        body: Body,
        pose: Pose | None = None,
        *,
        reach: float = math.inf,
        mask: int | None = None,
        ignore: Body | Iterable[Body] = (),
    ) -> Room:
        """Return the free room on each side of a body, between the bodies that can push it.

        Parameters
        ----------
        body
            A body of this world.
        pose
            Assumed pose of the body; None for its own pose.
        reach
            Largest distance to search, in the game's units; infinity for all. The cost grows with the number of bodies
            within it.
        mask
            Bits: only bodies whose layer has one of them count. None for the body's own mask.
        ignore
            A body, or several, to leave out.

        Returns
        -------
        Room
            Distances that the body can move straight to each side before it hits a mightier body; infinity if there is
            none within `reach`. As for `impinge.room`, a floor under the body does not limit left and right, and a body
            that it overlaps by more than the slop leaves no room at all. Sensors do not limit the room. As in a step,
            nor do passable sides, and a body with a passable side that contains the body.

        Raises
        ------
        ShapeError
            If the pose is not a `Pose`, `reach` is negative, or the mask is not an integer.
        ValueError
            If a body is not in this world.

        Notes
        -----
        The method of `sweep`, once for each side: closed form, and exact to the rounding of a coordinate. Bodies count
        at their current poses. No hook is called.

        Examples
        --------
        How high can a creature jump? Through a one-way platform, up to the ceiling:

        >>> import impinge as im
        >>> world, creature = im.World(), im.Box(4, 2)
        >>> floor = world.add(im.Box(100, 2), im.Pose(0, -1), might=1)
        >>> step = world.add(im.Box(10, 1), im.Pose(15, 0.5), might=1)
        >>> one_way = im.Side.ALL & ~im.Side.TOP
        >>> platform = world.add(im.Box(20, 1), im.Pose(0, 5), might=1, passable=one_way)
        >>> ceiling = world.add(im.Box(100, 2), im.Pose(0, 10), might=1)
        >>> body = world.add(creature, im.Pose(0, 1))
        >>> world.room(body)
        Room(left=inf, right=8.0, bottom=0.0, top=7.0)
        >>> world.room(body, reach=5).top
        inf
        """
        own = self._own("body", body)
        if pose is not None:
            checked_pose("pose", pose)
        limit = math.inf if reach == math.inf else not_negative("reach", reach)
        layers = body.mask if mask is None else checked_integer("mask", mask, 0)
        query = QueryFilter(layers, np.append(self._ignored(ignore), own))
        bounds = self._fresh_tree().rows.nodes[-1].tolist()
        row, place = self._state.solid(own).row, body.pose if pose is None else pose
        # A path to the far side of all bodies is long enough.
        spare = 2.0 * row.item(col.FARTHEST)
        far = [place.x - bounds[0], bounds[2] - place.x, place.y - bounds[1], bounds[3] - place.y]
        lengths = [min(limit, distance + spare) for distance in far]
        from impinge.query.room import Room  # imports `batch`, which most games do not need

        return Room(
            *(
                self._room_along(own, row, place, direction, length, query)
                for direction, length in zip(DIRECTIONS, lengths, strict=True)
            )
        )

    def _room_along(
        self, own: int, row: Floats, pose: Pose, direction: Vector, length: float, query: QueryFilter
    ) -> float:
        """Return the distance a body can move in a direction before a mightier one stops it; infinity for no limit."""
        if length < 0.0 or self._state.ints[own, col.RESPONSE] == col.RESPONSE_SENSOR:
            return math.inf
        # A power of two, so that time times way is a distance without another rounding. At least the size of the body,
        # so that the query finds a touching body even with a reach of 0.
        way = 2.0 ** math.ceil(math.log2(max(length, row.item(col.EXTENT))))
        course = (
            *(pose.x, pose.y, pose.angle),
            *(pose.x + way * direction[0], pose.y + way * direction[1], pose.angle, 0.0, 0.0),
        )
        tree = self._fresh_tree().rows
        found = entry.bodies_hit(row, course, self._state.pool.longest, query, self._state.all_bodies(), tree)
        struck = found[:, col.IMPACT_COLUMNS + col.HIT_BODY].astype(np.int64)
        ints, sensor = self._state.ints, col.RESPONSE_SENSOR
        stops = (ints[struck, col.MIGHT] > ints[own, col.MIGHT]) & (ints[struck, col.RESPONSE] != sensor)
        times = [
            hit[col.IMPACT_TIME]
            for hit, index in zip(found[stops].tolist(), struck[stops].tolist(), strict=True)
            if not self._lets_in(index, hit)
        ]
        nearest = way * min(times, default=math.inf)
        return nearest if nearest <= length else math.inf

    def _lets_in(self, index: int, hit: list[float]) -> bool:
        """Return whether a body lets a hit in: by a passable side, or by any side if both overlap already."""
        passable = int(self._state.ints[index, col.PASSABLE])
        if not passable or hit[col.IMPACT_OVERLAPPING] == 1.0:
            return passable != 0
        cos, sin = facing(float(self._state.floats[index, col.ANGLE]))
        # The outward normal of the hit body, in its own frame.
        x, y = (
            -cos * hit[col.IMPACT_NORMAL] - sin * hit[col.IMPACT_NORMAL + 1],
            sin * hit[col.IMPACT_NORMAL] - cos * hit[col.IMPACT_NORMAL + 1],
        )
        return bool(passable & side_along(x, y))

    def nearest(
        self,
        point: Vector,
        *,
        within: float = math.inf,
        count: int = 1,
        mask: int = ALL_LAYERS,
        ignore: Body | Iterable[Body] = (),
    ) -> list[Neighbour[Body]]:
        """Find the bodies nearest to a point.

        Parameters
        ----------
        point
            (x, y), in the game's units.
        within
            Largest distance to search, in the game's units; infinity for all.
        count
            Largest number of bodies to return.
        mask, ignore
            As for `at_point`.

        Returns
        -------
        list of Neighbour
            Each body with its distance from the point, the nearest first; of equally near ones, the body that was added
            first. A body that contains the point has the distance 0, or a negative one: minus the depth of the point,
            as in `impinge.distance`.

        Raises
        ------
        ShapeError
            If the point is not two finite numbers, `within` is negative, `count` is not a positive integer, or the mask
            is not an integer.
        ValueError
            If a body to ignore is not in this world.

        Notes
        -----
        The method of `impinge.distance`. Branch and bound in the tree of `at_point` finds the candidates (Roussopoulos
        et al., "Nearest neighbor queries", 1995).

        Examples
        --------
        >>> import impinge as im
        >>> world = im.World()
        >>> crates = [world.add(im.Box(2, 2), im.Pose(x, 0)) for x in (9, 0, 4)]
        >>> [(crates.index(body), distance) for body, distance in world.nearest((0.5, 0), count=2)]
        [(1, -0.5), (2, 2.5)]
        >>> world.nearest((0, 50), within=10)
        []
        """
        place = checked_point("point", point)
        limit = math.inf if within == math.inf else not_negative("within", within)
        wanted = checked_integer("count", count, 1)
        longest = self._state.pool.longest
        found = entry.bodies_near(point_row(), place, limit, wanted, longest, *self._asked(mask, ignore))
        return [Neighbour(self._state.body(int(row)), distance) for distance, _, row in sorted(found.tolist())]

    def sector(
        self,
        sector: Sector,
        pose: Pose,
        *,
        mask: int = ALL_LAYERS,
        occluders: int = 0,
        ignore: Body | Iterable[Body] = (),
    ) -> list[SectorTarget[Body]]:
        """Find all bodies that a sector hits at their current poses, as `impinge.sector_hit` does: the nearest first.

        Parameters
        ----------
        sector, pose
            The sector, the place of its apex, and its direction.
        mask
            Bits: the query finds only bodies whose layer has one of them.
        occluders
            Bits: a body whose layer has one of them hides the bodies behind it.
        ignore
            A body, or several, to leave out as targets and as occluders: above all, the attacker.

        Returns
        -------
        list of SectorTarget
            Each body with its `SectorHit`. Among equal distances, the body that was added first comes first.

        Raises
        ------
        ShapeError
            If an argument is not of its type.
        ValueError
            If a body to ignore is not in this world.

        Notes
        -----
        The methods of `impinge.sector_hit` and of `at_point`.

        Examples
        --------
        >>> import impinge as im
        >>> world, sword = im.World(), im.Sector(40, 0.5)
        >>> wall = world.add(im.Box(2, 20), im.Pose(20, 0), might=1, layer=2)
        >>> near, far = (world.add(im.Box(4, 4), im.Pose(x, 0)) for x in (10, 30))
        >>> [(body is near, hit.distance) for body, hit in world.sector(sword, im.Pose(0, 0), mask=1)]
        [(True, 8.0), (False, 28.0)]
        >>> [body is near for body, hit in world.sector(sword, im.Pose(0, 0), mask=1, occluders=2)]
        [True]
        """
        checked_sector(sector)
        direction = facing(checked_pose("pose", pose).angle)
        apex = pose.x, pose.y
        wanted = checked_integer("mask", mask, 0), checked_integer("occluders", occluders, 0)
        near, walls = self._within(wanted, self._ignored(ignore), apex, sector.radius)
        cells = sector.cells
        if len(walls):
            cells = entry.visible_sector_cells(sector.row, apex, direction, self._state.posed_solids(walls))
        hits = np.empty((len(near), col.SECTOR_HIT_COLUMNS))
        entry.hit_solids(cells, sector.row, apex, direction, self._state.posed_solids(near), hits)
        chosen = np.flatnonzero(~np.isnan(hits[:, 0]))
        order = np.lexsort((self._state.ints[near[chosen], col.ORDER], hits[chosen, 0]))
        rows, found = near[chosen[order]], hits[chosen[order]].tolist()
        firsts = self._state.ints[rows, col.SOLID].tolist()
        return [
            SectorTarget(self._state.body(row), sector_hit_of(self._state.pool[first].shape, *hit))
            for row, first, hit in zip(rows.tolist(), firsts, found, strict=True)
        ]

    def _over(self, row: Floats, place: Vector, angle: float, mask: int, ignore: Body | Iterable[Body]) -> Ints:
        """Return the rows of all bodies that a solid overlaps. `row` is the row of the solid."""
        found = entry.bodies_over(row, place, angle, self._state.pool.longest, *self._asked(mask, ignore))
        in_order: Ints = found[found[:, col.HIT_ORDER].argsort(), col.HIT_BODY]
        return in_order

    def _struck(
        self, shape: Solid, row: Floats, course: Course, mask: int, ignore: Body | Iterable[Body]
    ) -> list[Hit[Body]]:
        """Return all bodies that a moving solid hits. `row` is its row, and `shape` names its features."""
        found = entry.bodies_hit(row, course, self._state.pool.longest, *self._asked(mask, ignore)).tolist()
        found.sort(key=lambda hit: (hit[col.IMPACT_TIME], hit[col.IMPACT_COLUMNS + col.HIT_ORDER]))
        struck = []
        for hit in found:
            index = int(hit[col.IMPACT_COLUMNS + col.HIT_BODY])
            impact = impact_of(shape, self._state.solid(index), tuple(hit[: col.IMPACT_COLUMNS]))
            assert impact is not None
            struck.append(Hit(self._state.body(index), impact))
        return struck

    def _within(self, wanted: tuple[int, int], ignored: Ints, place: Vector, reach: float) -> tuple[Ints, Ints]:
        """Return the candidates within a reach of a place: those of the wanted layers, and those of the occluders."""
        query, tree = QueryFilter(wanted[0] | wanted[1], ignored), self._fresh_tree().rows
        near = entry.bodies_within(place, reach, query, self._state.all_bodies(), tree)
        if not wanted[1]:
            return near, near[:0]
        # An order that does not depend on the history of the tree: light is cut wall by wall, and the order shows in
        # the last bit.
        near.sort()
        layers = self._state.ints[near, col.LAYER]
        return near[layers & wanted[0] != 0], near[layers & wanted[1] != 0]

    def _asked(self, mask: int, ignore: Body | Iterable[Body]) -> tuple[QueryFilter, Bodies, Tree]:
        """Return the arguments that all query kernels share."""
        query, tree = self._query(mask, ignore), self._fresh_tree().rows
        return query, self._state.all_bodies(), tree

    def _query(self, mask: int, ignore: Body | Iterable[Body]) -> QueryFilter:
        """Return which bodies a query finds, or raise an error."""
        if type(ignore) is tuple and not ignore:
            return ALL_BODIES if mask is ALL_LAYERS else _filter_of(checked_integer("mask", mask, 0))
        return QueryFilter(checked_integer("mask", mask, 0), self._ignored(ignore))

    def _ignored(self, ignore: Body | Iterable[Body]) -> Ints:
        """Return the rows of the ignored bodies, or raise an error."""
        if type(ignore) is tuple and not ignore:
            return NO_BODY_ROWS
        # Most queries ignore one body, and a check for `Iterable` is slow.
        bodies = ignore if not isinstance(ignore, Body) and isinstance(ignore, Iterable) else (ignore,)
        try:
            return np.array([self._own("ignore", body) for body in bodies], np.int64)
        except TypeError:  # an array without an axis, which has no elements to iterate
            raise ValueError(f"ignore must be bodies of this world, got {ignore!r}") from None

    def _refuse_others(self) -> None:
        """Raise an error if another thread is in a step: its kernels run without the lock of the interpreter."""
        if self._stepper is not None and self._stepper != get_ident():
            raise RuntimeError("a world must not be used by a second thread while one is in its step")

    def _fresh_tree(self) -> StandingTree:
        """Return the updated tree. The first query builds it."""
        self._refuse_others()
        return self._state.fresh_tree()

    def _checked_places(
        self, name: str, bodies: ArrayLike, places: ArrayLike
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the rows of bodies, and places with or without angles for them, or raise an error with the name."""
        rows = self._rows(bodies)
        array = numbers(name, places, f"{(len(rows), 2)} or {(len(rows), 3)}")
        if not len(rows) and array.shape == (0,):
            return rows, np.empty((0, 2))
        if array.shape not in ((len(rows), 2), (len(rows), 3)):
            raise ShapeError(f"{name} must have shape {(len(rows), 2)} or {(len(rows), 3)}, got {array.shape}")
        array = np.array(array, order="C")  # another thread may write the given one
        coordinates(name, array)
        return rows, array

    def _rows(self, bodies: ArrayLike) -> NDArray[np.int64]:
        try:
            rows = np.asarray(bodies)
        except (TypeError, ValueError):  # a ragged list
            rows = np.empty(())
        if rows.shape == (0,):
            return np.empty(0, np.int64)
        if rows.ndim != 1 or rows.dtype.kind not in "iu":
            raise ShapeError(f"bodies must be indices of shape (n,), got {bodies!r}")
        rows = rows.astype(np.int64)  # a copy: kernels trust it, and another thread may write the given array
        try:
            # As an unsigned number, a negative index is beyond the end, so one lookup checks all. This runs in every
            # frame.
            if np.count_nonzero(self._state.is_used[rows.view(np.uint64)]) == len(rows):
                return rows
        except IndexError:
            pass
        known = set(np.flatnonzero(self._state.is_used).tolist()) | self._state.arriving.keys()
        wrong = next((row for row in rows.tolist() if row not in known), None)
        if wrong is None:
            return rows
        raise ShapeError(f"bodies must be in this world, got index {wrong}")

    def _own(self, name: str, body: object) -> int:
        """Return the row of a body of this world, or raise an error."""
        if not isinstance(body, Body) or body._world is not self:
            raise ValueError(f"{name} must be one of this world, got {body!r}")
        return body._index


@lru_cache(maxsize=1024)
def _filter_of(layers: int) -> QueryFilter:
    """Return the filter for all bodies of some layers. It is cached, as making one takes 4 % of a short query."""
    return QueryFilter(layers, NO_BODY_ROWS)
