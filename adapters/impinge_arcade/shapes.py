"""The exact solid of a sprite and its pose: the scaled and turned hit box, or a shape set by the game.

Values read from a sprite are in `boxes`.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import fabs
from typing import NamedTuple, TypeAlias
from weakref import WeakKeyDictionary, WeakSet

from arcade import BasicSprite, SpriteCircle
from arcade.hitbox import HitBox

import impinge as im
from impinge.checks import LARGEST
from impinge.shapes.solids import Solid
from impinge_arcade.arcade_names import note_shape
from impinge_arcade.boxes import are_coordinates, name_of
from impinge_arcade.outlines import enclosed

__all__ = [
    "AbsenceError",
    "FlatError",
    "Form",
    "Placement",
    "bounds_placement",
    "form_of",
    "is_strict",
    "looks_of",
    "outlined",
    "placed_form",
    "placement",
    "presence",
    "set_strict",
    "shape_for",
    "turnable_placement",
]

Point: TypeAlias = tuple[float, float]
Points: TypeAlias = tuple[Point, ...]

# Number of hit boxes in the caches: those of a game's pictures at its scales, and those that a game makes at run time.
REMEMBERED = 4096


class AbsenceError(im.ShapeError):
    """A sprite with a position, angle, scale or hit box that is not finite."""


class FlatError(AbsenceError):
    """A sprite without area: its scale is 0, or its hit box has less than 3 points or encloses nothing."""


class Form(NamedTuple):
    """A solid in the frame of a sprite.

    Attributes
    ----------
    solid
        The solid.
    offset
        Only for a box, which is centred on its pose: position of its centre relative to the sprite.
    reach
        Upper bound of the distance between sprite and solid's points.
    bounds
        Left, bottom, right and top relative to an upright sprite.
    """

    solid: Solid
    offset: Point
    reach: float
    bounds: tuple[float, float, float, float]

    @classmethod
    def of(cls, solid: Solid, offset: Point, reach: float) -> Form:
        """Return the form of a solid."""
        left, bottom, right, top = solid.bounds()
        x, y = offset
        return cls(solid, offset, reach, (x + left, y + bottom, x + right, y + top))


class Placement(NamedTuple):
    """The solid of a sprite with its pose."""

    solid: Solid
    x: float
    y: float
    angle: float  # radians, counter-clockwise
    reach: float

    @property
    def pose(self) -> im.Pose:
        """Return the pose as the core takes it."""
        return im.Pose(self.x, self.y, self.angle)


_is_strict = False
# Sprites that a warning has named already.
_warned: WeakSet[BasicSprite] = WeakSet()
_own_shapes: WeakKeyDictionary[BasicSprite, Solid] = WeakKeyDictionary()
# Whether any sprite has its own shape: a lookup in a weak dictionary is a tenth of all work for a sprite.
_are_there_own = False
# Keyed by the identity of the points, the scale, and the angle, which is a quarter turn in degrees. Hashing twenty
# points would take longer than everything else. The entries keep the points alive, so identities stay unique.
_forms: dict[tuple[int, float, float, float], tuple[object, Form]] = {}
_HIT_BOX = object()


def shape_for(sprite: BasicSprite, shape: object = _HIT_BOX) -> Solid:
    """Return the solid of a sprite, in the sprite's own frame and scale; or give the sprite another shape.

    Parameters
    ----------
    sprite
        The sprite.
    shape
        A shape for the sprite at scale 1. It scales, turns and mirrors with the sprite, as a hit box does. All of
        `impinge_arcade` uses it; Arcade itself does not. None: use the hit box again.

    Returns
    -------
    impinge.Solid
        For most hit boxes a `Polygon`, concave if the hit box is concave. For rectangles a `Box`, also if it is not
        centred on the sprite. For a `SpriteCircle` with its original hit box a `Circle`. For hit boxes that cross or
        touch themselves their enclosed area: a `Polygon`, or a `Compound` of several.

    Raises
    ------
    impinge.ShapeError
        If the sprite has no valid solid: a hit box with less than 3 points or without area, a scale of 0, a number that
        is not finite, or a round shape with unequal scales. The message names the sprite.

    Examples
    --------
    >>> import arcade
    >>> crate = arcade.SpriteSolidColor(32, 16)
    >>> crate.scale = 2
    >>> shape_for(crate)
    Box(width=64.0, height=32.0)
    >>> shape_for(crate, im.Circle(10))
    Circle(radius=20.0)
    >>> shape_for(crate, None)
    Box(width=64.0, height=32.0)
    """
    global _are_there_own
    if not isinstance(sprite, BasicSprite):
        raise TypeError(f"sprite must be a sprite, got {sprite!r}")
    if shape is not _HIT_BOX:
        if shape is not None and not isinstance(shape, Solid):
            raise im.ShapeError(f"{name_of(sprite)}: shape must be a solid shape or None, got {shape!r}")
        former = _own_shapes.pop(sprite, None)
        if shape is not None:
            assert isinstance(shape, Solid)
            _own_shapes[sprite] = shape
            _are_there_own = True
            try:
                _form_of(sprite, 0.0)
            except im.ShapeError:
                del _own_shapes[sprite]
                if former is not None:
                    _own_shapes[sprite] = former
                raise
        note_shape(sprite)
    return _form_of(sprite, 0.0).solid


def own_shape(sprite: BasicSprite) -> Solid | None:
    """Return the shape that `shape_for` has given to a sprite, or None."""
    return _own_shapes.get(sprite) if _are_there_own else None


def own_shapes(sprites: Sequence[BasicSprite]) -> list[Solid | None]:
    """Return the own shapes of many sprites; an empty list if no sprite has one."""
    return list(map(own_shape, sprites)) if _are_there_own else []


def looks_of(sprite: BasicSprite) -> tuple[object, ...]:
    """Read all values that a sprite's solid and its angle depend on; equal looks mean that neither has changed."""
    hit_box = sprite.hit_box
    points: object = hit_box.points
    if not isinstance(points, tuple):
        points = repr(points)  # the game may change a list in place
    angle = getattr(hit_box, "angle", 0.0)  # a hit box that cannot turn has no angle
    return points, hit_box.scale, angle, sprite.texture, _own_shapes.get(sprite) if _are_there_own else None


def placement(sprite: BasicSprite) -> Placement:
    """Return the solid of a sprite and its pose.

    Raises
    ------
    impinge.ShapeError
        As `shape_for`; also if its position or angle is not finite.
    """
    form, angle = form_of(sprite)
    return placed_form(sprite, form, angle)


def is_strict() -> bool:
    """Return whether sprites without area or at NaN are refused."""
    return _is_strict


def set_strict(strict: bool) -> None:
    """Choose whether sprites without area or at NaN are refused, where an engine does not choose itself."""
    global _is_strict
    _is_strict = strict


def presence(sprite: BasicSprite, *, strict: bool | None = None, turns: bool = False) -> Placement | None:
    """Return the placement of a sprite, or None for one that collides with nothing, as games have them in their lists.

    A sprite without area collides with nothing. One at a position that is not finite does so after one warning. With
    `turns`, it is the `turnable_placement`.

    Raises
    ------
    impinge.ShapeError
        As `placement`, if it is strict (None: see `set_strict`), or if the sprite is invalid in another way.
    """
    try:
        return turnable_placement(sprite) if turns else placement(sprite)
    except AbsenceError as error:
        if _is_strict if strict is None else strict:
            raise
        if not isinstance(error, FlatError) and sprite not in _warned:
            _warned.add(sprite)
            warnings.warn(f"{error}; until then it collides with nothing", RuntimeWarning, stacklevel=2)
        return None


def turnable_placement(sprite: BasicSprite) -> Placement:
    """Return the placement of a sprite that will turn: quarter turns are in the angle, not in the solid."""
    return placed_form(sprite, _form_of(sprite, 0.0), -math.radians(getattr(sprite.hit_box, "angle", 0.0)))


def bounds_placement(sprite: BasicSprite) -> Placement:
    """Return the bounding box of a sprite's solid as it stands, with its pose."""
    solid, x, y, angle, reach = placement(sprite)
    box, across, up = _bounding_box(solid, angle)
    return Placement(box, x + across, y + up, 0.0, reach)


@lru_cache(REMEMBERED)
def _bounding_box(solid: Solid, angle: float) -> tuple[im.Box, float, float]:
    """Return the bounding box of a solid at an angle, and the position of its centre relative to the solid's."""
    if isinstance(solid, im.Box) and angle == 0.0:
        return solid, 0.0, 0.0
    left, bottom, right, top = solid.bounds(im.Pose(0.0, 0.0, angle))
    return im.Box(right - left, top - bottom), 0.5 * (left + right), 0.5 * (bottom + top)


def form_of(sprite: BasicSprite) -> tuple[Form, float]:
    """Return the form of a sprite and its angle; an unchanged sprite gets the same form object.

    Quarter turns are in the form, not in the angle: a turned tile is an upright box, and exactly flush.
    """
    hit_box = sprite.hit_box
    degrees = getattr(hit_box, "angle", 0.0)  # a hit box that cannot turn has no angle
    scale_x, scale_y = hit_box.scale
    known = _forms.get((id(hit_box.points), scale_x, scale_y, degrees))
    if known is not None and not _are_there_own and not isinstance(sprite, SpriteCircle):
        return known[1], 0.0
    quarters, rest = divmod(degrees, 90.0)
    if rest == 0.0:
        return _form_of(sprite, 90.0 * (quarters % 4.0)), 0.0
    if not math.isfinite(degrees):
        raise AbsenceError(f"{name_of(sprite)}: position and angle must be finite, got angle={degrees}")
    return _form_of(sprite, 0.0), -math.radians(degrees)


def placed_form(sprite: BasicSprite, form: Form, angle: float) -> Placement:
    """Return the placement of a form at a sprite's position."""
    solid, (across, up), reach, _ = form
    kind: type[im.ShapeError] = AbsenceError
    try:
        x, y = sprite.position
        if across or up:
            if angle:
                cosine, sine = math.cos(angle), math.sin(angle)
                across, up = cosine * across - sine * up, sine * across + cosine * up
            x, y = x + across, y + up
        # NaN and infinity fail this comparison too.
        if fabs(x) + fabs(y) + fabs(angle) <= LARGEST:
            return Placement(solid, float(x), float(y), angle, reach)
    except (TypeError, ValueError, OverflowError):
        kind = im.ShapeError  # not a number, not a pair, or an integer too large for a float
    raise kind(f"{name_of(sprite)}: position and angle must be finite, and at most {LARGEST:g} in size")


def _form_of(sprite: BasicSprite, degrees: float) -> Form:
    """Return the form of a sprite after clockwise quarter turns, given in degrees."""
    hit_box = sprite.hit_box
    points, (scale_x, scale_y), quarters = hit_box.points, hit_box.scale, int(degrees) // 90
    own = own_shape(sprite)
    try:
        if own is not None:
            return _own_form(own, scale_x, scale_y, quarters)
        if isinstance(sprite, SpriteCircle) and _is_round(sprite, hit_box):
            return _disk(0.5 * sprite.texture.width * abs(scale_x))
        known = _forms.get((id(points), scale_x, scale_y, degrees))
        if known is not None:
            return known[1]
        form = _hit_box_form(tuple((x, y) for x, y in points), scale_x, scale_y, quarters)
    except (im.ShapeError, TypeError, ValueError) as error:
        kind = type(error) if isinstance(error, AbsenceError) else im.ShapeError
        raise kind(f"{name_of(sprite)}: {error}; scale={hit_box.scale}") from None
    if isinstance(points, tuple):  # the game may change a list in place
        if len(_forms) >= REMEMBERED:
            _forms.clear()
        _forms[id(points), scale_x, scale_y, degrees] = points, form
    return form


def _is_round(sprite: SpriteCircle, hit_box: HitBox) -> bool:
    """Return whether a sprite still has its original circular hit box, and equal scales."""
    texture, (scale_x, scale_y) = sprite.texture, hit_box.scale
    is_own = hit_box.points is texture.hit_box_points and texture.file_path is None
    return is_own and texture.width == texture.height and 0.0 < abs(scale_x) == abs(scale_y) < math.inf


@lru_cache(REMEMBERED)
def _disk(radius: float) -> Form:
    return Form.of(im.Circle(radius), (0.0, 0.0), radius)


@lru_cache(REMEMBERED)
def _own_form(shape: Solid, scale_x: float, scale_y: float, quarters: int) -> Form:
    _check_scale(scale_x, scale_y)
    solid = shape.transformed((scale_x, scale_y)) if scale_x != 1.0 or scale_y != 1.0 else shape
    if quarters and not isinstance(solid, im.Circle):
        solid = _turned(solid, quarters)
    left, bottom, right, top = solid.bounds()
    return Form.of(solid, (0.0, 0.0), math.hypot(max(-left, right), max(-bottom, top)))


def _turned(solid: Solid, quarters: int) -> Solid:
    """Return a shape after clockwise quarter turns."""
    if isinstance(solid, im.Box):
        return im.Box(solid.height, solid.width) if quarters % 2 else solid
    return im.Compound([(solid, im.Pose(0.0, 0.0, -0.5 * math.pi * quarters))])


@lru_cache(REMEMBERED)
def _hit_box_form(points: Points, scale_x: float, scale_y: float, quarters: int) -> Form:
    if not are_coordinates(scale_x, scale_y, *(coordinate for point in points for coordinate in point)):
        raise AbsenceError("scale and hit box must be finite")
    _check_scale(scale_x, scale_y)
    if len(points) < 3:
        raise FlatError(f"hit box must have at least 3 points, got {len(points)}")
    cosine, sine = ((1, 0), (0, 1), (-1, 0), (0, -1))[quarters]
    outline = [
        (float(x * scale_x * cosine + y * scale_y * sine), float(y * scale_y * cosine - x * scale_x * sine))
        for x, y in points
    ]
    reach = max(math.hypot(x, y) for x, y in outline)
    if _is_rectangle(outline):
        (left, bottom), (right, top) = min(outline), max(outline)
        return Form.of(im.Box(right - left, top - bottom), (0.5 * (left + right), 0.5 * (bottom + top)), reach)
    return Form.of(outlined(outline), (0.0, 0.0), reach)


def _check_scale(scale_x: float, scale_y: float) -> None:
    if scale_x == 0 or scale_y == 0:
        raise FlatError("scale must not be 0")


def _is_rectangle(outline: Sequence[Point]) -> bool:
    """Return whether an outline is an upright rectangle that does not cross itself."""
    if len(outline) != 4 or len(set(outline)) != 4:
        return False
    (left, bottom), (right, top) = min(outline), max(outline)
    if any(x not in (left, right) or y not in (bottom, top) for x, y in outline):
        return False
    (ax, ay), _, (cx, cy), _ = outline
    return ax != cx and ay != cy


def outlined(outline: list[Point]) -> Solid:
    """Return an outline as a solid; an outline that crosses or touches itself gives all of its enclosed area."""
    try:
        return im.Polygon(outline)
    except im.ShapeError as error:
        loops = enclosed(outline)
        if not loops:
            raise FlatError(str(error).replace("vertices", "hit box")) from None
    solids = [solid for loop in loops if (solid := _loop_solid(loop)) is not None]
    if not solids:
        raise FlatError("hit box must enclose an area")
    return solids[0] if len(solids) == 1 else im.Compound([(solid, im.Pose(0.0, 0.0)) for solid in solids])


def _loop_solid(loop: Iterable[Point]) -> Solid | None:
    """Return a simple outline as a solid; None if it is so small that rounding removes its area."""
    try:
        return im.Polygon(list(loop))
    except im.ShapeError:
        return None
