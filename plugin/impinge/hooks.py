"""Plugins of a `World`: the specifications of all hooks, the objects that hooks receive, and the calls of hooks.

Not here: collisions of bodies, which are in `kernels`. Hooks only permit, change or forbid them, and receive events.
"""

from __future__ import annotations

import inspect
import math
import os
import sys
import warnings
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from functools import cache
from importlib.machinery import PathFinder
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np
import pluggy
from numpy.typing import NDArray

from impinge.checks import point, positive
from impinge.errors import ShapeError
from impinge.interrupts import at_once, surely
from impinge.kernels import columns as col
from impinge.kernels import entry
from impinge.kernels.arrays import Floats, Ints
from impinge.kernels.tolerances import ROUNDING
from impinge.motion import Pose
from impinge.query.pairs import overlaps
from impinge.query.records import SectorTarget
from impinge.sector.sectors import SectorHit
from impinge.shapes.solids import Polygon, Solid, Vector
from impinge.sides import Side, checked_sides, side_along
from impinge.world.bodies import RESPONSES, Body, Event, Frame, Response
from impinge.world.pool import Pool

if TYPE_CHECKING:
    from impinge.world.state import State
    from impinge.world.world import World

__all__ = ["ENTRY_POINTS", "HookTime", "Profile", "Touch", "from_support", "hookimpl"]

PROJECT = "impinge"
# The entry point group of plugins of installed packages. Every world registers them.
ENTRY_POINTS = "impinge.plugins"

hookspec = pluggy.HookspecMarker(PROJECT)
# The decorator that marks a function of a plugin as a hook, with the options of pluggy.
hookimpl = pluggy.HookimplMarker(PROJECT)


# The hooks, in the order of a frame.


@hookspec(firstresult=True)
def impinge_solid(shape: object) -> Solid | None:
    """Return a solid for an object that is no `Solid`, in `World.add` and `Body.shape`; None asks the next plugin.

    `Body.shape` still returns the object, not the solid. `from_support` makes solids of round convex shapes.
    """


@hookspec
def impinge_frame_begin(world: World) -> None:
    """Receive the begin of a frame: no body has moved yet."""


@hookspec
def impinge_filter(world: World, weak: Body, mighty: Body, response: Response) -> Response | None:
    """Return the response of a pair: ``"push"``, ``"bounce"`` or ``"stop"``, or None to ignore the pair in this frame.

    The frame calls this hook once for each candidate pair, before it computes any contact, and not for sensors.
    `response` is that of the two bodies. If several plugins implement the hook, the first one called decides, but each
    can remove the pair. A wrapper receives the answers without None, and removes the pair if it returns fewer.

    Examples
    --------
    Ghosts pass through walls:

    >>> import impinge as im
    >>> class Ghosts:
    ...     @im.hookimpl
    ...     def impinge_filter(self, weak, response):
    ...         return None if weak.data == "ghost" else response
    >>> world = im.World()
    >>> name = world.register(Ghosts())
    >>> wall = world.add(im.Box(2, 9), im.Pose(5, 0), might=1)
    >>> ghost, knight = (world.add(im.Box(2, 2), im.Pose(0, 0), data=data) for data in ("ghost", "knight"))
    >>> ghost.goal = knight.goal = im.Pose(10, 0)
    >>> frame = world.step()
    >>> ghost.pose.x, knight.pose.x
    (10.0, 3.0)
    """


@hookspec(firstresult=True)
def impinge_narrowphase(world: World, weak: Body, mighty: Body) -> tuple[object, object] | None:
    """Return other solids for the two bodies of a pair: first for the weak one, then for the mighty one.

    Each is a solid in the frame of its body, or an object that `impinge_solid` knows, or None for the body's own shape.
    A single None asks the next plugin. The frame calls this hook once for each candidate pair that no filter has
    removed, also with sensors, which are the mighty bodies. The answer counts only for this frame and this pair. World
    queries such as `World.sweep` use the bodies' own shapes.

    The answer is a shape and not a distance, because a frame is swept in closed form. A distance function would need
    samples, and could miss a contact between two of them. The broadphase uses the bodies' own shapes, so no answer may
    exceed their bounds.

    Examples
    --------
    A hedge blocks only the boots of a giant:

    >>> import impinge as im
    >>> class Giants:
    ...     @im.hookimpl
    ...     def impinge_narrowphase(self, weak, mighty):
    ...         if (weak.data, mighty.data) == ("giant", "hedge"):
    ...             return im.Polygon([(-2, -9), (2, -9), (2, -5), (-2, -5)]), None
    >>> world = im.World()
    >>> name = world.register(Giants())
    >>> giant = world.add(im.Box(12, 18), im.Pose(0, 9), data="giant")
    >>> hedge = world.add(im.Box(4, 3), im.Pose(20, 1.5), might=1, data="hedge")
    >>> tower = world.add(im.Box(4, 40), im.Pose(40, 20), might=1, data="tower")
    >>> giant.goal = im.Pose(30, 9)
    >>> frame = world.step()
    >>> giant.pose.x
    16.0
    >>> giant.pose = im.Pose(24, 9)
    >>> giant.goal = im.Pose(60, 9)
    >>> frame = world.step()
    >>> giant.pose.x
    32.0
    """


@hookspec
def impinge_begin(world: World, contact: Touch) -> bool | None:
    """Receive a contact of a pair that did not press in the frame before; False lets the pair pass.

    The two bodies then pass through each other until they are apart at the start of a frame. Changes of the contact
    count for this frame only. `impinge_pre_solve` receives the same contact afterwards.
    """


@hookspec
def impinge_pre_solve(world: World, contact: Touch) -> bool | None:
    """Change a contact before it has an effect; False disables it in this frame.

    Each frame calls this hook once for each pair that presses, at the first contact.

    Examples
    --------
    Ice does not carry:

    >>> import impinge as im
    >>> class Ice:
    ...     @im.hookimpl
    ...     def impinge_pre_solve(self, contact):
    ...         if contact.mighty.data == "ice":
    ...             contact.carrying = im.Side.NONE
    >>> world = im.World()
    >>> name = world.register(Ice())
    >>> floe = world.add(im.Box(40, 2), im.Pose(0, -1), might=1, data="ice")
    >>> penguin = world.add(im.Box(2, 2), im.Pose(0, 1))
    >>> floe.goal, penguin.goal = im.Pose(7, -1), im.Pose(0, 0)
    >>> frame = world.step()
    >>> penguin.pose
    Pose(x=0.0, y=1.0, angle=0.0)
    """


@hookspec
def impinge_post_solve(world: World, event: Event) -> None:
    """Receive the first event, of kind ``"push"`` or ``"stuck"``, of each pair that pressed in this frame."""


@hookspec
def impinge_pushed(world: World, event: Event) -> None:
    """Receive the event of a mighty body that moved against a weak one: of kind ``"push"``, with positive speed."""


@hookspec
def impinge_stuck(world: World, event: Event) -> None:
    """Receive the event of a weak body that had no room between this mighty body and another."""


@hookspec
def impinge_sensed(world: World, event: Event) -> None:
    """Receive the event of a body that was in a sensor."""


@hookspec
def impinge_separate(world: World, weak: Body, mighty: Body) -> None:
    """Receive a pair that pressed in the frame before, but not in this one.

    This includes pairs of which a body was removed meanwhile. A removed body only has `Body.data`.
    """


@hookspec
def impinge_frame_end(world: World, frame: Frame) -> None:
    """Receive the end of a frame, after all other hooks: their changes of the world are applied."""


@hookspec
def impinge_sector_hit(world: World, body: Body, hit: SectorHit) -> None:
    """Receive a hit of `World.sector`, within or between frames, the nearest body first."""


# The objects that hooks receive.


def _pair_response(value: Any) -> Response:
    """Return the response of a pair, or raise an error. ``"sensor"`` is a property of a body, not of a pair."""
    if not isinstance(value, str) or value not in RESPONSES[: col.RESPONSE_SENSOR]:
        raise ShapeError(f"response must be one of 'push', 'bounce', 'stop', got {value!r}")
    return RESPONSES[RESPONSES.index(value)]


def _direction(value: Any) -> Vector:
    """Return a vector scaled to length 1, or raise an error."""
    x, y = point("normal", value)
    length = math.hypot(x, y)
    if length == 0.0:
        raise ShapeError(f"normal must not be zero, got {value!r}")
    return x / length, y / length


class Touch:
    """A contact of two bodies before it has an effect. A hook may set `normal`, `response` and `carrying`.

    Attributes
    ----------
    weak, mighty
        The bodies.
    time
        Begin of the contact, from 0 to 1.
    speed
        Speed of the mighty body towards the weak one, in units per frame, as `Event.speed`.
    normal
        Contact normal (x, y), from the mighty body to the weak one. Setting it scales it to length 1.
    response
        Response of the weak body: ``"push"``, ``"bounce"`` or ``"stop"``.
    carrying
        Sides of the mighty body, in its own frame, that take the weak one along.

    Raises
    ------
    ShapeError
        If a hook sets an invalid normal, response or side.
    AttributeError
        If a hook sets another attribute.

    Examples
    --------
    >>> import impinge as im
    >>> world = im.World()
    >>> ice, hero = world.add(im.Box(9, 1), im.Pose(0, 0), might=1), world.add(im.Box(1, 1), im.Pose(0, 1))
    >>> touch = Touch(hero, ice, time=0.0, speed=0.0, normal=(0, 1), response="push", carrying=im.Side.ALL)
    >>> touch.side
    <Side.BOTTOM: 4>
    >>> touch.carrying = im.Side.NONE
    >>> touch.normal = (3, 4)
    >>> touch.normal
    (0.6, 0.8)
    >>> touch.time = 0.5
    Traceback (most recent call last):
    ...
    AttributeError: time of a touch cannot be changed
    """

    __slots__ = ("carrying", "mighty", "normal", "response", "speed", "time", "weak")

    weak: Body
    mighty: Body
    time: float
    speed: float
    normal: Vector
    response: Response
    carrying: Side

    def __init__(
        self,
        weak: Body,
        mighty: Body,
        time: float,
        speed: float,
        normal: Vector,
        response: Response,
        carrying: Side,
    ) -> None:
        figures = {"weak": weak, "mighty": mighty, "time": time, "speed": speed, "normal": normal}
        for name, value in figures.items():
            object.__setattr__(self, name, value)
        self.response, self.carrying = response, carrying

    def __setattr__(self, name: str, value: object) -> None:
        if name == "normal":
            value = _direction(value)
        elif name == "response":
            value = _pair_response(value)
        elif name == "carrying":
            value = Side(checked_sides("carrying", value))
        else:
            raise AttributeError(f"{name} of a touch cannot be changed")
        object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in ("time", "normal", "response"))
        return f"<Touch of {self.weak!r} and {self.mighty!r}: {shown}>"

    @property
    def side(self) -> Side:
        """Return the touched side of the weak body, in world coordinates. It depends on the normal."""
        x, y = self.normal
        return side_along(-x, -y)


# Largest number of points of `from_support`: enough for a circle to a millionth of its radius.
MAX_SUPPORT_POINTS = 2048
Tangent: TypeAlias = tuple[Vector, Vector]  # a direction, and the farthest point in it
# Largest allowed error of a support function, as a part of the largest coordinate. One in single precision exceeds it.
SUPPORT_NOISE = 1e-9


def from_support(
    support: Callable[[Vector], Vector], tolerance: float, fit: Literal["inside", "around"] = "inside"
) -> Polygon:
    """Return a polygon that approximates a convex shape, given by its support function.

    Parameters
    ----------
    support
        Support function: for a direction, (x, y) of length 1, it returns the farthest point of the shape in that
        direction, in the shape's own frame; any of them if there are several.
    tolerance
        Largest distance between the borders of polygon and shape, in the game's units.
    fit
        ``"inside"``: the vertices of the polygon are on the border of the shape. ``"around"``: its edges touch that
        border.

    Raises
    ------
    ShapeError
        If an argument is not of its type or out of its range, the points are not those of a convex shape with an area,
        or the tolerance needs more than 2048 points.

    Notes
    -----
    The sandwich algorithm (Rote, "The convergence rate of the sandwich algorithm for approximating convex functions",
    1992). Between two points, the border is inside the triangle of their chord and their tangents. If the height of the
    triangle exceeds the tolerance, the point farthest from the chord is added. With ``"inside"``, the distance of that
    point from the chord is the error itself.

    Examples
    --------
    An ellipse, 8 wide and 4 high:

    >>> def farthest(direction):
    ...     x, y = 4 * direction[0], 2 * direction[1]
    ...     length = math.hypot(x, y)
    ...     return 4 * x / length, 2 * y / length
    >>> egg = from_support(farthest, tolerance=0.1)
    >>> len(egg.vertices), egg.bounds()
    (16, Bounds(left=-4.0, bottom=-2.0, right=4.0, top=2.0))
    >>> egg.area < 8 * math.pi < from_support(farthest, 0.1, fit="around").area
    True
    """
    if not callable(support):
        raise ShapeError(f"support must be a function, got {support!r}")
    near = positive("tolerance", tolerance)
    if fit not in ("inside", "around"):
        raise ShapeError(f"fit must be 'inside' or 'around', got {fit!r}")

    def tangent(x: float, y: float) -> Tangent:
        length = math.hypot(x, y)
        direction = x / length, y / length
        return direction, point(f"support({direction})", support(direction))

    tangents = [tangent(x, y) for x, y in ((1, 0), (0, 1), (-1, 0), (0, -1))]
    tangents.append(tangents[0])
    corners: list[Vector] = []
    while len(corners) < len(tangents) - 1:
        first, second = tangents[len(corners)], tangents[len(corners) + 1]
        corner, height = _tangent_intersection(first, second)
        if height > near:
            (x, y), (end_x, end_y) = first[1], second[1]
            between = tangent(end_y - y, x - end_x)
            if fit == "inside":
                (ux, uy), (far_x, far_y) = between
                height = (far_x - x) * ux + (far_y - y) * uy
        if height <= near:
            corners.append(corner)
        elif len(tangents) > MAX_SUPPORT_POINTS:
            raise ShapeError(f"tolerance must not take more than {MAX_SUPPORT_POINTS} points, got {tolerance!r}")
        else:
            tangents.insert(len(corners) + 1, between)
    return Polygon([place for _, place in tangents[:-1]] if fit == "inside" else corners)


def _tangent_intersection(first: Tangent, second: Tangent) -> tuple[Vector, float]:
    """Return the intersection of two tangents, and its height above the chord. The second is next counter-clockwise."""
    (ux, uy), (x, y) = first
    (vx, vy), (end_x, end_y) = second
    chord_x, chord_y = end_x - x, end_y - y
    spare = SUPPORT_NOISE * max(abs(x), abs(y), abs(end_x), abs(end_y))
    beyond, short = ux * chord_x + uy * chord_y, vx * chord_x + vy * chord_y
    if beyond > spare or short < -spare:
        answers = f"{(x, y)} for {(ux, uy)} and {(end_x, end_y)} for {(vx, vy)}"
        raise ShapeError(f"support must give the farthest point in a direction, got {answers}")
    length = math.hypot(chord_x, chord_y)
    along = max(short, 0.0) / (ux * vy - uy * vx)
    if length == 0.0:
        return (x, y), 0.0
    return (x - uy * along, y + ux * along), abs(chord_x * ux + chord_y * uy) * along / length


# Registering and calling hooks.

# The hooks that `World.step` calls. Without any of them, the step makes no calls.
_STEP_HOOKS = frozenset(
    f"impinge_{name}"
    for name in (
        "frame_begin",
        "filter",
        "narrowphase",
        "begin",
        "pre_solve",
        "post_solve",
        "pushed",
        "stuck",
        "sensed",
        "separate",
        "frame_end",
    )
)
_EVENT_HOOKS = frozenset(f"impinge_{name}" for name in ("post_solve", "pushed", "stuck", "sensed"))
_CONTACT_PAIR_HOOKS = frozenset(("impinge_begin", "impinge_separate"))


def _is_answer(name: str, value: object) -> bool:
    """Return whether a value is a valid answer of a hook."""
    if name == "impinge_solid":
        return value is None or isinstance(value, Solid)
    if name == "impinge_filter":
        return value is None or (isinstance(value, str) and value in RESPONSES[: col.RESPONSE_SENSOR])
    if name == "impinge_narrowphase":
        return value is None or (isinstance(value, tuple) and len(value) == 2)
    return value is None or isinstance(value, bool | np.bool_)


_VALID_ANSWERS = {
    "impinge_solid": "a solid shape or None",
    "impinge_filter": "'push', 'bounce', 'stop' or None",
    "impinge_narrowphase": "a solid for the weak body and one for the mighty one, or None",
    "impinge_begin": "True, False or None",
    "impinge_pre_solve": "True, False or None",
}


def _with_plugin_note(function: Callable[..., Any], name: str, plugin: str) -> Callable[..., Any]:
    """Return a function that calls a hook, checks its answer, and adds hook and plugin to the notes of exceptions."""
    note = f"raised by {name} of the plugin {plugin!r}"

    def blame(error: BaseException) -> None:
        # An exception that passes through a wrapper or an outer hook already has the note of its origin.
        if not any(" of the plugin " in known for known in getattr(error, "__notes__", ())):
            error.add_note(note)

    def answer(*arguments: Any) -> Any:
        try:
            value = function(*arguments)
            if name in _VALID_ANSWERS and not _is_answer(name, value):
                raise ShapeError(f"{name} must return {_VALID_ANSWERS[name]}, got {value!r}")
        except BaseException as error:
            blame(error)
            raise
        return value

    def wrap(*arguments: Any) -> Generator[None, Any, Any]:
        try:
            return (yield from function(*arguments))
        except GeneratorExit:
            raise
        except BaseException as error:
            blame(error)
            raise

    return wrap if inspect.isgeneratorfunction(function) else answer


class HookTime(NamedTuple):
    """Calls of one hook of one plugin, and the seconds that they took."""

    calls: int
    seconds: float


@dataclass(slots=True)
class Profile:
    """Times of the hooks of a world: see `World.profile`. `str` makes a table of it.

    Attributes
    ----------
    frames
        Number of steps.
    seconds
        Time of these steps, hooks included.
    hooks
        A `HookTime` for each name of a plugin and name of a hook that was called. Wrappers are not timed: their time
        contains that of other plugins.
    """

    frames: int = 0
    seconds: float = 0.0
    hooks: dict[tuple[str, str], HookTime] = field(default_factory=dict)

    def __str__(self) -> str:
        lines = [f"{self.frames} frames, {1e3 * self.seconds:.3f} ms"]
        for (plugin, hook), (calls, seconds) in sorted(self.hooks.items(), key=lambda item: -item[1].seconds):
            share = seconds / self.seconds if self.seconds else 0.0
            lines.append(f"{share:6.1%} {1e3 * seconds:10.3f} ms {calls:8} calls  {hook} of {plugin}")
        return "\n".join(lines)


class Plugins(pluggy.PluginManager):
    """The plugins of one world: pluggy's manager, with stricter checks and a cache of the implemented hooks.

    Attributes
    ----------
    heard
        Names of the implemented hooks.
    filters
        Number of filters that are no wrappers: fewer answers than this remove a pair.
    profile
        Receives the time of each call; None outside of `World.profile`.
    """

    def __init__(self) -> None:
        super().__init__(PROJECT)
        self.add_hookspecs(sys.modules[__name__])
        self.heard: frozenset[str] = frozenset()
        self.filters = 0
        self.profile: Profile | None = None

    def register(self, plugin: object, name: str | None = None) -> str | None:
        """Register a plugin. After an error, none of its hooks is registered."""
        if plugin is None:
            raise ShapeError("plugin must be an object or a module with hooks, got None")
        if self.knows(plugin):
            raise ValueError(f"plugin must not be registered twice, got {plugin!r}")
        try:
            hash(plugin)  # pluggy finds a plugin by its hash when it is to be unregistered
        except TypeError:
            raise ShapeError(f"plugin must be hashable, got {plugin!r}") from None
        named = super().register(plugin, name)
        for caller in self.get_hookcallers(plugin) or ():
            for hook in caller.get_hookimpls():
                if hook.plugin is plugin:
                    timed = self._timed(hook.function, hook.plugin_name, caller.name)
                    blaming = _with_plugin_note(timed, caller.name, hook.plugin_name)
                    # pluggy declares the attribute as final. But it has already checked the function, and reads the
                    # attribute only to call it.
                    object.__setattr__(hook, "function", blaming)
        self._count()
        return named

    def unregister(self, plugin: object | None = None, name: str | None = None) -> Any:
        """Remove a plugin."""
        removed = super().unregister(plugin, name)
        self._count()
        return removed

    def knows(self, plugin: object) -> bool:
        """Return whether this very object is registered."""
        return any(plugin is known for _, known in self.list_name_plugin())

    def count_frame(self, seconds: float) -> None:
        """Add a step to the profile while there is one."""
        if self.profile is not None:
            self.profile.frames += 1
            self.profile.seconds += seconds

    def _timed(self, function: Callable[..., Any], plugin: str, hook: str) -> Callable[..., Any]:
        """Return a function that calls a hook, and adds its time to the profile while there is one."""
        if inspect.isgeneratorfunction(function):  # a wrapper: its time contains that of other plugins
            return function

        def call(*arguments: Any) -> Any:
            profile = self.profile
            if profile is None:
                return function(*arguments)
            begun = perf_counter()
            try:
                return function(*arguments)
            finally:
                known = profile.hooks.get((plugin, hook), HookTime(0, 0.0))
                profile.hooks[plugin, hook] = HookTime(known.calls + 1, known.seconds + perf_counter() - begun)

        return call

    def get_canonical_name(self, plugin: object) -> str:
        """Return a readable name for messages, where pluggy would use a number."""
        name = getattr(plugin, "__name__", None) or type(plugin).__name__
        taken, number = name, 1
        while self.has_plugin(taken):
            number += 1
            taken = f"{name} {number}"
        return str(taken)

    def parse_hookimpl_opts(self, plugin: object, name: str) -> Any:
        """Return the options of a hook, or raise an error if a function is named like a hook but is not one."""
        options = super().parse_hookimpl_opts(plugin, name)
        if options is None:
            if name.startswith("impinge_") and inspect.isroutine(inspect.getattr_static(plugin, name)):
                raise pluggy.PluginValidationError(
                    plugin, f"{name} of the plugin {plugin!r} is not marked as a hook: with impinge.hookimpl"
                )
            return None
        hook = options.get("specname") or name
        if not hasattr(self.hook, hook) and not options.get("optionalhook"):
            raise pluggy.PluginValidationError(plugin, f"unknown hook {hook!r} in the plugin {plugin!r}")
        return options

    def _count(self) -> None:
        hooks = {name: caller.get_hookimpls() for name, caller in vars(self.hook).items() if name.startswith(PROJECT)}
        self.heard = frozenset(name for name, found in hooks.items() if found)
        self.filters = sum(not (hook.wrapper or hook.hookwrapper) for hook in hooks["impinge_filter"])


def _may_have_entry_points() -> bool:
    """Return whether an installed package may have entry points in `ENTRY_POINTS`.

    This takes 1 ms; `importlib.metadata` takes 30 ms.
    """
    finders = [finder for finder in sys.meta_path if hasattr(finder, "find_distributions")]
    if finders != [PathFinder]:
        return True
    for folder in map(os.path.abspath, sys.path):
        if os.path.isfile(folder):  # an archive
            return True
        try:
            names = os.listdir(folder)
        except OSError:  # it is gone, or may not be read: `importlib.metadata` ignores it too
            continue
        for name in names:
            if name.endswith(".egg"):
                return True
            if name.endswith((".dist-info", ".egg-info")):
                try:
                    with open(os.path.join(folder, name, "entry_points.txt"), "rb") as entries:
                        if b"[%s]" % ENTRY_POINTS.encode() in entries.read():
                            return True
                except OSError:  # most packages have none
                    continue
    return False


class EntryPlugin(NamedTuple):
    """A plugin of an installed package: the object, or what was raised when it was loaded."""

    name: str
    package: str
    plugin: object
    error: BaseException | None


@cache
def entry_plugins() -> tuple[EntryPlugin, ...]:
    """Return the plugins of all installed packages. The search runs once."""
    if not _may_have_entry_points():
        return ()
    from importlib.metadata import entry_points

    found = []
    for named in sorted(entry_points(group=ENTRY_POINTS), key=lambda named: named.name):
        plugin, failure, package = None, None, named.dist.name if named.dist else "?"
        try:
            plugin = named.load()
        except (Exception, SystemExit) as error:
            error.add_note(f"raised when the entry point {named.name!r} of {ENTRY_POINTS!r} was loaded: {named.value}")
            failure = error
        found.append(EntryPlugin(named.name, package, plugin, failure))
    return tuple(found)


Pair: TypeAlias = tuple[Body, Body]


def _pressing_pairs(frame: Frame) -> dict[Pair, None]:
    """Return the pairs that pressed in a frame, in the order in which their bodies were added."""
    kinds = frame._rows[:, col.EVENT_KIND]
    rows = frame._rows[(kinds == col.KIND_PUSH) | (kinds == col.KIND_STUCK)]
    orders = np.lexsort((rows[:, col.EVENT_MIGHTY_ORDER], rows[:, col.EVENT_WEAK_ORDER]))
    pairs = rows[orders][:, (col.EVENT_WEAK, col.EVENT_MIGHTY)].astype(np.int64).tolist()
    bodies: list[Any] = frame._bodies  # bodies of events are never None
    return {(bodies[weak], bodies[mighty]): None for weak, mighty in pairs}


class Hooks:
    """The calls from a world to its plugins. Without plugins, they cost one attribute check per frame.

    Attributes
    ----------
    plugins
        None until the first plugin: making a manager takes longer than making a world.
    is_calling
        Whether a hook may be running: during a frame, or during a call between frames.
    pressed
        The pairs that pressed in the last frame, weak and mighty, in the order in which their bodies were added.
    passing
        The pairs that `impinge_begin` lets pass through each other until they are apart.
    start
        The state at the start of the frame; None between frames.
    changes
        While hooks of a frame run, the changes to apply at its end, each with its rows. At other times None.
    state
        The state of the world.
    """

    __slots__ = ("_borrowed", "changes", "is_calling", "passing", "plugins", "pressed", "start", "state")

    def __init__(self, state: State) -> None:
        self.state = state
        self.plugins: Plugins | None = None
        self.is_calling = False
        self.pressed: dict[Pair, None] = {}
        self.passing: dict[Pair, None] = {}
        self.start: Start | None = None
        self.changes: list[tuple[Any, ...]] | None = None
        # Slots of the pool with the solids of `impinge_narrowphase` for this frame.
        self._borrowed: list[int] = []

    def register(self, plugin: object, name: str | None) -> str | None:
        """Register a plugin."""
        if self.plugins is None:
            self.plugins = Plugins()
        return self.plugins.register(plugin, name)

    def register_installed(self, is_strict: bool) -> None:
        """Register the plugins of installed packages. Warn of those that fail, or raise their error if strict."""
        for name, package, plugin, failure in entry_plugins():
            try:
                if failure is not None:
                    raise failure
                self.register(plugin, name)
            except (Exception, SystemExit) as error:
                if is_strict:
                    raise
                warnings.warn(
                    f"the plugin {name!r} of the package {package!r} is left out: {type(error).__name__}: {error}",
                    RuntimeWarning,
                    stacklevel=3,
                )

    def unregister(self, plugin: object) -> None:
        """Unregister a plugin, or raise an error if it is not registered."""
        if self.plugins is None or not self.plugins.knows(plugin):
            raise ValueError(f"plugin must be registered in this world, got {plugin!r}")
        self.plugins.unregister(plugin)

    def hears(self, *names: str) -> bool:
        """Return whether any plugin implements one of these hooks."""
        return self.plugins is not None and not self.plugins.heard.isdisjoint(names)

    @property
    def has_frames(self) -> bool:
        """Return whether frames must run through `Hooks.step`."""
        return bool(self.passing) or (self.plugins is not None and not self.plugins.heard.isdisjoint(_STEP_HOOKS))

    def names(self) -> list[str]:
        """Return the names of the registered plugins."""
        return [] if self.plugins is None else [name for name, _ in self.plugins.list_name_plugin()]

    def solid_of(self, name: str, shape: object) -> Solid:
        """Return a solid unchanged, and any other shape as the solid of a plugin; else raise an error with the name."""
        if isinstance(shape, Solid):
            return shape
        made = None
        if self.hears("impinge_solid"):
            made = self._call_between_frames("impinge_solid", shape=shape)
        if not isinstance(made, Solid):
            kinds = "Box, Circle, Capsule, Polygon, Compound"
            raise ShapeError(f"{name} must be a solid shape ({kinds}) or one that a plugin knows, got {shape!r}")
        return made

    def tell_hits(self, world: World, hits: list[SectorTarget[Body]]) -> None:
        """Call `impinge_sector_hit` for each hit of a sector."""
        for body, hit in hits if self.hears("impinge_sector_hit") else ():
            self._call_between_frames("impinge_sector_hit", world=world, body=body, hit=hit)

    def step(self, world: World, advance: Callable[[int], Frame]) -> Frame:
        """Advance a world by one frame with hooks. If a hook raises, the world returns to the start of the frame.

        `advance` does it, for the LISTENS bits of the hooks to call.
        """
        start = Start(self.state, self)
        try:
            self.start, self.changes, self.is_calling = start, [], True
            self._part(world)
            self._call("impinge_frame_begin", world=world)
            frame = advance(self._asks())
            self._give_back()
            self._tell(world, frame)
            self._make_changes(world)
            self._call("impinge_frame_end", world=world, frame=frame)
            self._make_changes(world)
            self._end()
        except BaseException:
            surely(lambda: start.restore(self.state))
            raise
        return frame

    def _end(self) -> None:
        self.start, self.changes, self.is_calling = None, None, False

    def answer(self, world: World, weak: int) -> None:
        """Answer the kernel's questions about the pairs of a weak body."""
        counts, verdicts = self.state.counts, self.state.verdicts
        total = int(counts[col.VERDICT_TOTAL])
        if counts[col.LACKS] & col.LACKS_VERDICTS:
            # The kernel repeats the questions for which there was no row.
            self.state.verdicts = np.concatenate((verdicts, np.empty((max(16, total), col.VERDICT_COLUMNS))))
        rows = [self.state.verdicts[row] for row in range(total)]
        # Sorted, because the broadphase finds candidates in an order of its own.
        for row in sorted(rows, key=lambda row: int(self.state.ints[int(row[col.VERDICT_BODY]), col.ORDER])):
            if row[col.VERDICT_STAGE] == col.PAIR_ASKED:
                self._pair(world, weak, row)
            elif row[col.VERDICT_STAGE] == col.TOUCH_ASKED:
                self._touch(world, weak, row)

    def _pair(self, world: World, weak: int, row: NDArray[np.float64]) -> None:
        mighty = int(row[col.VERDICT_BODY])
        given = int(max(self.state.ints[weak, col.RESPONSE], self.state.ints[mighty, col.RESPONSE]))
        if given != col.RESPONSE_SENSOR:
            given = self._filter(world, weak, mighty, given)
        row[col.VERDICT_STAGE], row[col.VERDICT_RESPONSE] = col.PAIR_KNOWN, given
        if given >= 0:
            self._give_solids(world, weak, mighty, row)

    def _filter(self, world: World, weak: int, mighty: int, given: int) -> int:
        """Return the response of a pair, or -1 if a filter removes it."""
        pair = {"weak": self.state.body(weak), "mighty": self.state.body(mighty)}
        answers = self._call("impinge_filter", world=world, **pair, response=RESPONSES[given])
        assert self.plugins is not None
        if len(answers) < self.plugins.filters:
            return -1
        return RESPONSES.index(answers[0]) if answers else given

    def _solids_of(self, world: World, weak: Body, mighty: Body) -> tuple[Solid | None, Solid | None]:
        """Return the solids that `impinge_narrowphase` gives a pair, None for a body's own shape."""
        answer = None
        if self.hears("impinge_narrowphase"):
            answer = self._call("impinge_narrowphase", world=world, weak=weak, mighty=mighty)
        first, second = answer or (None, None)
        name = "impinge_narrowphase's solid"
        return (
            None if first is None else self.solid_of(name, first),
            None if second is None else self.solid_of(name, second),
        )

    def _give_solids(self, world: World, weak: int, mighty: int, row: NDArray[np.float64]) -> None:
        """Write the solids for a pair into the row of a question."""
        visits = self.state.ints[weak, col.RESPONSE] == col.RESPONSE_SENSOR
        weaker, mightier = (mighty, weak) if visits else (weak, mighty)
        given = self._solids_of(world, self.state.body(weaker), self.state.body(mightier))
        if given == (None, None):
            return
        # In the order of `columns.VERDICT_SOLIDS`: first the candidate, then the body that the kernel resolves.
        for place, (index, solid) in enumerate(zip((mighty, weak), given if visits else given[::-1], strict=True)):
            if solid is not None:
                self._refuse_reach(index, solid)
                slot = self.state.pool.take(solid)
                self._borrowed.append(slot.first)
                column = col.VERDICT_SOLIDS + 2 * place
                row[column], row[column + 1] = slot.first, slot.columns

    def _refuse_reach(self, index: int, solid: Solid) -> None:
        """Raise an error if a hook answers with a solid that leaves the bounds of the body's own solid.

        The broadphase finds the body by its own bounds.
        """
        row = self.state.floats[index]
        angle, goal = row[col.ANGLE], row[col.GOAL_ANGLE]
        bounds = solid.bounds(Pose(0.0, 0.0, float(angle)))
        lower, upper = (row[first : first + 2] for first in (col.LOWER_REACH, col.UPPER_REACH))
        spare = ROUNDING * (upper - lower).max()
        reaches = [*(lower - bounds[:2]), *(bounds[2:] - upper)]
        if angle != goal:
            reaches = [solid.row[col.FARTHEST] - upper.max()]
        if max(reaches) > spare:
            raise ShapeError(
                "impinge_narrowphase must not answer with what reaches beyond the bounds of "
                f"{self.state.body(index)!r}, got {solid!r}"
            )

    def _give_back(self) -> None:
        while self._borrowed:
            self.state.pool.give_back(self._borrowed.pop())

    def _touch(self, world: World, weak: int, row: NDArray[np.float64]) -> None:
        mighty = int(row[col.VERDICT_BODY])
        pair = self.state.body(weak), self.state.body(mighty)
        response, carries, *normal, time, speed = row[col.VERDICT_RESPONSE : col.VERDICT_SOLIDS].tolist()
        carrying = Side(int(carries)) if carries >= 0.0 else pair[1].carrying
        touch = Touch(*pair, time, speed, (normal[0], normal[1]), RESPONSES[int(response)], carrying)
        before = touch.normal
        row[col.VERDICT_STAGE] = col.TOUCH_KNOWN
        if self._is_forbidden(world, pair, touch):
            row[col.VERDICT_RESPONSE] = -1.0
            return
        row[col.VERDICT_RESPONSE] = RESPONSES.index(touch.response)
        if touch.carrying != carrying:
            row[col.VERDICT_CARRIES] = touch.carrying
        row[col.VERDICT_NORMAL : col.VERDICT_NORMAL + 2] = touch.normal if touch.normal != before else 0.0

    def _is_forbidden(self, world: World, pair: Pair, touch: Touch) -> bool:
        if pair in self.passing:
            return True
        if pair not in self.pressed and False in self._call("impinge_begin", world=world, contact=touch):
            self.passing[pair] = None
            return True
        return False in self._call("impinge_pre_solve", world=world, contact=touch)

    def _asks(self) -> int:
        asks = col.LISTENS_TO_PAIRS if self.hears("impinge_filter") else 0
        if self.hears("impinge_narrowphase"):
            asks |= col.LISTENS_TO_PAIRS | col.LISTENS_TO_SHAPES
        if self.passing or self.hears("impinge_begin", "impinge_pre_solve"):
            asks |= col.LISTENS_TO_TOUCHES
        return asks

    def _part(self, world: World) -> None:
        """Remove the passing pairs that are apart now, or of which a body was removed."""
        for pair in list(self.passing):
            if not all(body._world is world for body in pair):
                del self.passing[pair]
                continue
            given = self._solids_of(world, *pair)
            weak, mighty = (
                (solid or self.state.solid(body.index), body.pose) for solid, body in zip(given, pair, strict=True)
            )
            if not overlaps(*weak, *mighty):
                del self.passing[pair]

    def _tell(self, world: World, frame: Frame) -> None:
        """Call the hooks for the events of a frame, and for the contacts that ended."""
        if self.hears(*_EVENT_HOOKS):
            told = set()
            for event in self._heard_of(frame):
                if event.kind == "sensor":
                    self._call("impinge_sensed", world=world, event=event)
                    continue
                if (event.weak, event.mighty) not in told:
                    told.add((event.weak, event.mighty))
                    self._call("impinge_post_solve", world=world, event=event)
                if event.kind == "stuck":
                    self._call("impinge_stuck", world=world, event=event)
                elif event.speed > 0.0:
                    self._call("impinge_pushed", world=world, event=event)
        before, self.pressed = self.pressed, _pressing_pairs(frame) if self.hears(*_CONTACT_PAIR_HOOKS) else {}
        if self.hears("impinge_separate"):
            for weak, mighty in before:
                if (weak, mighty) not in self.pressed:
                    self._call("impinge_separate", world=world, weak=weak, mighty=mighty)

    def _heard_of(self, frame: Frame) -> tuple[Event, ...]:
        """Return the events that a hook receives. Making an event takes as long as calling a hook with it."""
        kinds, speeds = frame._rows[:, col.EVENT_KIND], frame._rows[:, col.EVENT_SPEED]
        wanted = np.full(len(kinds), False)
        if self.hears("impinge_post_solve"):
            wanted |= (kinds == col.KIND_PUSH) | (kinds == col.KIND_STUCK)
        if self.hears("impinge_pushed"):
            wanted |= (kinds == col.KIND_PUSH) & (speeds > 0.0)
        if self.hears("impinge_stuck"):
            wanted |= kinds == col.KIND_STUCK
        if self.hears("impinge_sensed"):
            wanted |= kinds == col.KIND_SENSOR
        return frame.events if wanted.all() else Frame(frame._rows[wanted], frame._bodies).events

    def _make_changes(self, world: World) -> None:
        """Apply the changes of hooks in their order. Changes to bodies that are already removed are skipped."""
        changes, self.changes = self.changes, None
        if changes or self.state.arriving:
            assert self.start is not None
            self.start.keep(self.state, [rows for _, rows, *_ in changes or ()])
            arriving = self.state.arriving
            self.start.arrived += arriving.values()
            self.state.roll.enter(np.fromiter(arriving, np.int64, len(arriving)))
            at_once([*self.state.entering(list(arriving), list(arriving.values())), (arriving.clear,)])
            for change, rows, *values in changes or ():
                is_there = self.state.is_used[rows]
                if np.all(is_there):
                    change(world, rows, *values)
                elif np.any(is_there):
                    change(world, rows[is_there], *(value[is_there] for value in values))
        self.changes = []

    def _call(self, name: str, **arguments: object) -> Any:
        if self.plugins is None or name not in self.plugins.heard:
            return []
        return getattr(self.plugins.hook, name)(**arguments)

    def _call_between_frames(self, name: str, **arguments: object) -> Any:
        was = self.is_calling
        try:
            self.is_calling = True
            return self._call(name, **arguments)
        finally:
            self.is_calling = was


# Attributes of a state that a frame may change, besides its rows. The tree is not among them: each frame refits the
# leaves of moving bodies.
_SAVED_ATTRIBUTES = (
    "added",
    "frames_to_sort",
    "highest",
    "last",
    "lowest",
    "met",
    "all_are_met",
    "order",
    "ranks_changed",
)


class Start:
    """The state of a world at the start of a frame, to restore if a hook raises: only what a frame may change.

    Attributes
    ----------
    arrived
        Active bodies that hooks have added in this frame.
    """

    def __init__(self, state: State, hooks: Hooks) -> None:
        self._figures = {name: getattr(state, name) for name in _SAVED_ATTRIBUTES}
        self._movers, self._gone, self._free = state.movers.copy(), set(state.gone), list(state.free)
        self._hooks = hooks
        self._total = len(state.bodies)
        self._knots = state.knots.copy()
        self._pairs = hooks.pressed, dict(hooks.passing)
        self._pool: Pool | None = None
        self._kept: list[tuple[Ints, Floats, Ints]] = []
        self._handles: list[tuple[Body, World | None, Any, float | None]] = []
        self.arrived: list[Body] = []
        if state.ranks_changed or state.gone:
            rows = np.arange(self._total)
        else:
            rows = np.concatenate((state.order, state.movers.rows()))
        self._keep_rows(state, rows)

    def keep_pool(self, state: State) -> None:
        """Save the pool of solids, too: a hook is about to add a solid."""
        if self._pool is not None:
            return
        pool = state.pool.copy()
        for first in self._hooks._borrowed:  # `restore` discards the pool that lends them
            pool.give_back(first)
        self._pool = pool

    def keep(self, state: State, rows: list[Any]) -> None:
        """Save more rows, and their bodies: changes of hooks are about to be applied to them."""
        self.keep_pool(state)
        changed = np.unique(np.concatenate([np.atleast_1d(row) for row in rows])) if rows else np.empty(0, np.int64)
        came = [*state.arriving, *(body._index for body in self.arrived)]  # `restore` removes these bodies
        changed = np.setdiff1d(changed, np.array(came, np.int64))
        self._keep_rows(state, changed)
        bodies = [body for row in changed.tolist() if (body := state.bodies[row]) is not None]
        self._handles += [(body, body._world, body._shape, body._max_slope) for body in bodies]

    def _keep_rows(self, state: State, rows: Ints) -> None:
        self._kept.append((rows, state.floats[rows], state.ints[rows]))

    def restore(self, state: State) -> None:
        """Restore the saved state. Bodies that were added since are removed, and removed bodies are back."""
        hooks = self._hooks
        hooks._give_back()
        came = [*self.arrived, *state.arriving.values()]
        for body in came:
            body._world = None
        at_once(state.leaving([body._index for body in came]))
        state.arriving.clear()
        del state.bodies[self._total :]
        state.row_of = None
        state.is_used[self._total :] = False
        for body, world, shape, slope in reversed(self._handles):
            body._world, body._shape, body._max_slope = world, shape, slope
            state.bodies[body._index], state.is_used[body._index] = body, True
        for name, value in self._figures.items():
            setattr(state, name, value)
        state.movers, state.free, state.gone, state.knots = self._movers, self._free, self._gone, self._knots
        state.movers.make_room(len(state.floats))
        state.forget_standing()
        if self._pool is not None:
            state.pool = self._pool
        for rows, floats, ints in reversed(self._kept):
            state.floats[rows], state.ints[rows] = floats, ints
        rows = self._kept[0][0]
        entry.update_all_pose_bounds(rows[state.is_used[rows]], state.floats, state.ints, state.pool.rows)
        state.forget_stances()
        hooks.pressed, hooks.passing = self._pairs
        hooks._end()
