"""The push rule of ``docs/push-rule.md`` in exact rational arithmetic: the oracle for the kernels.

It transcribes the rule's text and shares nothing with the library. `exact_push` is the closed form for one pair,
`exact_world` an event loop for one weak box among several mighty ones. The two check each other. The module is not for
games: it is slow, and only supports boxes that translate.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

NONE, LEFT, RIGHT, BOTTOM, TOP = 0, 1, 2, 4, 8
ALL = LEFT | RIGHT | BOTTOM | TOP

Vector = tuple[Fraction, Fraction]

ZERO = Fraction(0)
ONE = Fraction(1)

# The order of the faces is the rule's order for equal ways out.
_FACES = (LEFT, RIGHT, BOTTOM, TOP)
# Less than any gap between positions on a grid.
_HAIR = Fraction(1, 10**6)
_AXIS = {LEFT: 0, RIGHT: 0, BOTTOM: 1, TOP: 1}
_SIGN = {LEFT: -1, RIGHT: 1, BOTTOM: -1, TOP: 1}
_OPPOSITE = {LEFT: RIGHT, RIGHT: LEFT, BOTTOM: TOP, TOP: BOTTOM}

# More events than this in one frame mean that the oracle chatters, which is a defect of the oracle.
_MOST_EVENTS = 10_000


class Knot(NamedTuple):
    """A corner of a bent path: the position of a centre at a time of the frame."""

    time: Fraction
    x: Fraction
    y: Fraction


@dataclass(frozen=True)
class ExactBox:
    """A box about its centre, by its half sizes."""

    half_width: Fraction
    half_height: Fraction


@dataclass(frozen=True)
class ExactMotion:
    """A straight motion of a centre over the frame."""

    start: Vector
    end: Vector

    @property
    def knots(self) -> tuple[Knot, ...]:
        return (Knot(ZERO, *self.start), Knot(ONE, *self.end))


@dataclass(frozen=True)
class ExactPush:
    """The end position of W, its first contact time, its touched sides, and whether depenetration moved it."""

    x: Fraction
    y: Fraction
    time: Fraction | None
    sides: int
    overlapped: bool


@dataclass(frozen=True)
class ExactMighty:
    """A mighty body of `exact_world`; `motion` is straight, or the knots of a bent path from time 0 to 1."""

    box: ExactBox
    motion: ExactMotion | Sequence[Knot]
    might: int = 1
    carrying: int = ALL
    sticky: int = NONE
    passable: int = NONE

    @property
    def knots(self) -> Sequence[Knot]:
        return self.motion.knots if isinstance(self.motion, ExactMotion) else self.motion


@dataclass(frozen=True)
class ExactStep:
    """The result of `exact_push`, the sides between which W was stuck, and its bent path.

    The path starts where depenetration moved W, and has a knot wherever W's velocity changed. So it can be the motion
    of an `ExactMighty` for a lower rank. The result is `tied` if W was moved out diagonally and another way is equally
    long: the rule does not promise which of them is taken.
    """

    x: Fraction
    y: Fraction
    time: Fraction | None
    sides: int
    stuck: int
    overlapped: bool
    path: tuple[Knot, ...]
    tied: bool = False


def _minus(a: Vector, b: Vector) -> Vector:
    return (a[0] - b[0], a[1] - b[1])


def _along(place: Vector, velocity: Vector, duration: Fraction) -> Vector:
    return (place[0] + velocity[0] * duration, place[1] + velocity[1] * duration)


def _with(vector: Vector, axis: int, value: Fraction) -> Vector:
    return (value, vector[1]) if axis == 0 else (vector[0], value)


def _face(axis: int, towards: Fraction) -> int:
    """Return the face of M that looks along `axis` in the direction of the sign of `towards`."""
    return (LEFT, BOTTOM)[axis] if towards < 0 else (RIGHT, TOP)[axis]


def _reach(mighty: ExactBox, weak: ExactBox) -> Vector:
    """Return the half sizes of M grown by W. W as a point is inside the grown M exactly when the boxes overlap."""
    return (mighty.half_width + weak.half_width, mighty.half_height + weak.half_height)


def _depth(place: Vector, reach: Vector, face: int) -> Fraction:
    """Return how far W must move to leave M by `face`; not positive outside."""
    axis = _AXIS[face]
    return reach[axis] - _SIGN[face] * place[axis]


def _inside(place: Vector, reach: Vector, slop: Fraction = ZERO) -> bool:
    return all(_depth(place, reach, face) > slop for face in _FACES)


def _way_out(place: Vector, reach: Vector) -> int:
    return min(_FACES, key=lambda face: _depth(place, reach, face))


def _on_face(place: Vector, reach: Vector, face: int) -> bool:
    """Return whether W touches `face` along a line, not only at its corner."""
    axis = _AXIS[face]
    return place[axis] == _SIGN[face] * reach[axis] and abs(place[1 - axis]) < reach[1 - axis]


def _leads_into(velocity: Vector, face: int) -> bool:
    return velocity[_AXIS[face]] * _SIGN[face] < 0


def _points_away(velocity: Vector, face: int) -> bool:
    return velocity[_AXIS[face]] * _SIGN[face] > 0


# ------------------------------------------------------------------------------------------------------------
# One pair, in closed form. Everything is relative to M: W is a point, M is the grown box about the origin, and
# `relative` is W's own velocity relative to M.


def exact_push(
    mighty: ExactBox,
    mighty_motion: ExactMotion,
    weak: ExactBox,
    weak_start: Vector,
    weak_goal: Vector,
    *,
    carrying: int = ALL,
    sticky: int = NONE,
    passable: int = NONE,
    slop: Fraction = ZERO,
) -> ExactPush:
    """Apply the push rule to one straight mighty motion and one weak box.

    A straight motion gives four legs at most: free, along a face, along the neighbouring face, free.

    Parameters
    ----------
    carrying, sticky, passable : int
        Sides of M, as flags.
    slop : Fraction
        A gap or an overlap of no more than this on an axis, at the start, counts as a touch on that axis.
    """
    reach = _reach(mighty, weak)
    place = _minus(weak_start, mighty_motion.start)
    overlapped = _inside(place, reach, slop)
    if overlapped and passable:
        return ExactPush(*weak_goal, time=None, sides=NONE, overlapped=False)
    faces: list[int] = []
    if overlapped:
        faces.append(_way_out(place, reach))
        axis = _AXIS[faces[0]]
        place = _with(place, axis, _SIGN[faces[0]] * reach[axis])
    pair = _Pair(
        reach=reach,
        own=_minus(weak_goal, _along(place, mighty_motion.start, ONE)),
        drift=_minus(mighty_motion.end, mighty_motion.start),
        carrying=carrying,
        sticky=sticky,
        passable=passable,
        touched=faces,
        first=ZERO if overlapped else None,
    )
    touching = (_snapped(place[0], reach[0], slop), _snapped(place[1], reach[1], slop))
    end = pair.follow(touching)
    # W is put on the faces it met. On an axis where it met none, it keeps its gap or overlap within the slop.
    met = {_AXIS[face] for face in pair.touched}
    for axis in {0, 1} - met:
        end = _with(end, axis, end[axis] + place[axis] - touching[axis])
    x, y = _along(end, mighty_motion.end, ONE)
    return ExactPush(x, y, pair.first, sum(_OPPOSITE[face] for face in set(pair.touched)), overlapped)


def _snapped(coordinate: Fraction, reach: Fraction, slop: Fraction) -> Fraction:
    face = reach if coordinate > 0 else -reach
    return face if abs(coordinate - face) <= slop else coordinate


@dataclass
class _Pair:
    reach: Vector
    own: Vector
    drift: Vector
    carrying: int
    sticky: int
    passable: int
    touched: list[int]
    first: Fraction | None

    @property
    def relative(self) -> Vector:
        return _minus(self.own, self.drift)

    def follow(self, place: Vector) -> Vector:
        """Return the end position of W relative to M."""
        if not any(self.relative):
            return place
        contact = self.held_from_the_start(place) or self.entry(place)
        if contact is None:
            return _along(place, self.relative, ONE)
        time, face = contact
        return self.along_face(time, _along(place, self.relative, time), face)

    def held_from_the_start(self, place: Vector) -> tuple[Fraction, int] | None:
        for face in _FACES:
            holds = face & self.sticky & ~self.passable and not _points_away(self.own, face)
            if holds and _on_face(place, self.reach, face):
                return ZERO, face
        return None

    def entry(self, place: Vector) -> tuple[Fraction, int] | None:
        """Return when and by which face of M W enters, or None if it does not enter or the face is passable."""
        spans: list[tuple[Fraction, Fraction, int]] = []
        for axis in (0, 1):
            speed = self.relative[axis]
            if speed:
                ends = sorted((side * self.reach[axis] - place[axis]) / speed for side in (-1, 1))
                spans.append((ends[0], ends[1], axis))
            elif abs(place[axis]) >= self.reach[axis]:
                return None
        time = max(span[0] for span in spans)
        if not 0 <= time < min(ONE, *(span[1] for span in spans)):
            return None
        last = [axis for start, _, axis in spans if start == time]
        axis = min(last, key=lambda axis: abs(self.relative[axis]))
        face = _face(axis, -self.relative[axis])
        return None if face & self.passable else (time, face)

    def touch(self, time: Fraction, face: int) -> None:
        self.touched.append(face)
        self.first = time if self.first is None else self.first

    def slide(self, time: Fraction, face: int) -> Fraction:
        """Return W's speed along `face` relative to M. M's own part cancels when the face carries."""
        held = time == 0 and face & self.sticky and not _points_away(self.own, face)
        tangent = 1 - _AXIS[face]
        return (self.own if held or face & self.carrying else self.relative)[tangent]

    def slid_past(self, time: Fraction, place: Vector, face: int, slide: Fraction) -> tuple[Fraction, Vector]:
        """Return when and where W reaches the end of `face`, or its state at the frame's end if it does not."""
        tangent = 1 - _AXIS[face]
        velocity = _with((ZERO, ZERO), tangent, slide)
        if slide:
            end = self.reach[tangent] if slide > 0 else -self.reach[tangent]
            duration = (end - place[tangent]) / slide
            if time + duration < 1:
                return time + duration, _along(place, velocity, duration)
        return ONE, _along(place, velocity, 1 - time)

    def along_face(self, time: Fraction, place: Vector, face: int) -> Vector:
        self.touch(time, face)
        slide = self.slide(time, face)
        time, place = self.slid_past(time, place, face, slide)
        if time == 1:
            return place
        neighbour = _face(1 - _AXIS[face], slide)
        led_back = _leads_into(self.relative, face) and _leads_into(self.relative, neighbour)
        if led_back and not neighbour & self.passable:
            return self.round_the_corner(time, place, face, neighbour)
        return _along(place, self.relative, 1 - time)

    def round_the_corner(self, time: Fraction, place: Vector, face: int, neighbour: int) -> Vector:
        self.touch(time, neighbour)
        slide = self.slide(time, neighbour)
        if slide * _SIGN[face] >= 0:
            return place
        time, place = self.slid_past(time, place, neighbour, slide)
        return _along(place, self.relative, 1 - time)


# ------------------------------------------------------------------------------------------------------------
# One weak box among several mighty ones. An event is any time at which W reaches the line through some face, or at
# which a mighty path bends. Between two events all velocities are constant.


class _Contact(NamedTuple):
    body: int
    face: int


class _Settled(NamedTuple):
    velocity: Vector
    pressing: frozenset[_Contact]
    jammed: int
    """Sides of W between which two bodies leave no room."""


class _Bounds(NamedTuple):
    low: Fraction | None
    high: Fraction | None
    jammed: bool

    def clamp(self, speed: Fraction) -> Fraction:
        if self.low is not None and speed < self.low:
            return self.low
        if self.high is not None and speed > self.high:
            return self.high
        return speed


@dataclass
class _Corner:
    """The state of a body at whose corner W is: the faces tried in vain, and those that hold W now."""

    tried: list[int]
    chosen: list[int] = field(default_factory=list)
    first: int = NONE
    """The face to try first: W is in contact with it already."""
    entered: bool = False
    came_along: bool = False


def exact_world(weak: ExactBox, start: Vector, goal: Vector, mighties: Sequence[ExactMighty]) -> ExactStep:
    """Apply the push rule to one weak box among mightier bodies, which are in the order of adding."""
    frame = _Frame(weak, start, goal, mighties)
    for _ in range(_MOST_EVENTS):
        if frame.time == 1:
            return frame.result()
        frame.advance()
    raise AssertionError(f"no end after {_MOST_EVENTS} events: {weak}, {start}, {goal}, {mighties}")


class _Frame:
    def __init__(self, weak: ExactBox, start: Vector, goal: Vector, mighties: Sequence[ExactMighty]) -> None:
        self.mighties = mighties
        self.weak = weak
        self.reaches = [_reach(mighty.box, weak) for mighty in mighties]
        self.bodies = range(len(mighties))
        self.time = ZERO
        self.place = start
        self.first: Fraction | None = None
        self.sides = NONE
        self.stuck = NONE
        self.overlapped = False
        self.tied = False
        # Bodies that let W in by a passable side; bodies W was squeezed into, with the face it presses on.
        self.let_in: set[int] = set()
        self.pierced: dict[int, int] = {}
        # Contacts of the leg that ends now, and W's velocity on it relative to each body.
        self.contacts: frozenset[_Contact] = frozenset()
        self.seen: list[Vector] = [(ZERO, ZERO) for _ in mighties]
        self.move_out()
        self.own = _minus(goal, self.place)
        self.let_in = {i for i in self.bodies if mighties[i].passable and self.is_inside(i)}
        self.held = {
            contact for contact in self.flat_contacts() if contact.body not in self.pierced and self.holds(contact)
        }
        self.path = [Knot(ZERO, *self.place)]
        self.velocities: list[Vector] = []
        self.velocity: Vector | None = None

    def result(self) -> ExactStep:
        path = (*self.path, Knot(ONE, *self.place))
        return ExactStep(*self.place, self.first, self.sides, self.stuck, self.overlapped, path, self.tied)

    # Positions of the bodies.

    def body_at(self, body: int) -> Vector:
        knots = self.mighties[body].knots
        for start, end in pairwise(knots):
            if start.time <= self.time <= end.time:
                part = (self.time - start.time) / (end.time - start.time)
                return (start.x + (end.x - start.x) * part, start.y + (end.y - start.y) * part)
        raise AssertionError(f"a path must lead from time 0 to time 1: {knots}")

    def body_velocity(self, body: int) -> Vector:
        knots = self.mighties[body].knots
        for start, end in pairwise(knots):
            if start.time <= self.time < end.time:
                duration = end.time - start.time
                return ((end.x - start.x) / duration, (end.y - start.y) / duration)
        raise AssertionError(f"a path must lead from time 0 to time 1: {knots}")

    def seen_from(self, body: int) -> Vector:
        return _minus(self.place, self.body_at(body))

    def is_inside(self, body: int) -> bool:
        return _inside(self.seen_from(body), self.reaches[body])

    def rank(self, body: int) -> tuple[int, int]:
        """Return the sort key of a body: the mightiest first, and equals in the order of adding."""
        return (-self.mighties[body].might, body)

    def speed(self, contact: _Contact) -> Fraction:
        """Return the speed of the contact's body along the contact's normal."""
        return self.velocities[contact.body][_AXIS[contact.face]]

    # The start of the frame.

    def move_out(self) -> None:
        """Leave overlapping bodies, the mightiest rank first: by the shortest way out of all of that rank or above."""
        waiting = {i for i in self.bodies if not self.mighties[i].passable}
        farthest = max((self.farthest(i) for i in waiting if self.is_inside(i)), default=0.0)
        while overlapping := {i for i in waiting if self.is_inside(i)}:
            body = min(overlapping, key=lambda i: (-self.mighties[i].might, -self.shortest(i), i))
            might = self.mighties[body].might
            rank = {i for i in overlapping if self.mighties[i].might == might}
            waiting -= rank
            self.overlapped = True
            solid = [i for i in self.bodies if self.is_obstacle(i, might)]
            place = self.way_out_of_all(body, solid)
            moved = _minus(place, self.place)
            is_far = math.hypot(*map(float, moved)) >= farthest
            if is_far or any(self.passes_through(i, moved) for i in solid if self.mighties[i].might > might):
                for i in rank:
                    face = _way_out(self.seen_from(i), self.reaches[i])
                    self.pierced[i] = face
                    self.touch(ZERO, face)
                    self.stuck |= face | _OPPOSITE[face]
                continue
            axis = 1 if abs(moved[1]) >= abs(moved[0]) else 0
            self.touch(ZERO, _face(axis, moved[axis]))
            self.place = place

    def shortest(self, body: int) -> Fraction:
        place, reach = self.seen_from(body), self.reaches[body]
        return _depth(place, reach, _way_out(place, reach))

    def farthest(self, body: int) -> float:
        """Return a bound that no way out reaches: twice the half diagonals of W and of an overlapping body."""
        weak, mighty = self.weak, self.mighties[body].box
        return 2.0 * sum(math.hypot(box.half_width, box.half_height) for box in (weak, mighty))

    def is_obstacle(self, body: int, might: int) -> bool:
        return not self.mighties[body].passable and body not in self.pierced and self.mighties[body].might >= might

    def way_out_of_all(self, body: int, solid: Sequence[int]) -> Vector:
        """Return the nearest place outside of some bodies. W is in one of them, and leaves it straight if possible."""
        face = _way_out(self.seen_from(body), self.reaches[body])
        axis = _AXIS[face]
        depth = _depth(self.seen_from(body), self.reaches[body], face)
        straight = _with(self.place, axis, self.place[axis] + _SIGN[face] * depth)
        if self.is_free(straight, solid):
            return straight
        # The nearest place is on one side of a body, level with W, or where two sides cross.
        sides = [
            [self.body_at(i)[axis] + sign * self.reaches[i][axis] for i in solid for sign in (-1, 1)] for axis in (0, 1)
        ]
        x, y = self.place
        level = [(side, y) for side in sides[0]] + [(x, side) for side in sides[1]]
        crossings = [(one, other) for one in sides[0] for other in sides[1]]
        free = [place for place in [*level, *crossings] if self.is_open(place, solid)]
        nearest = min(free, key=lambda place: (self.square_to(place), *self.side_order(place)))
        rivals = {place for place in free if self.square_to(place) == self.square_to(nearest)}
        self.tied = self.tied or (self.side_order(nearest)[0] == 1 and len(rivals) > 1)
        return nearest

    def square_to(self, place: Vector) -> Fraction:
        x, y = _minus(place, self.place)
        return x * x + y * y

    def side_order(self, place: Vector) -> tuple[int, int]:
        """Return a sort key for equal ways: first along an axis, then in the order of the sides."""
        x, y = _minus(place, self.place)
        if x != 0 and y != 0:
            return (1, 0)
        return (0, _FACES.index(_face(0, x) if x != 0 else _face(1, y)))

    def is_free(self, place: Vector, solid: Sequence[int]) -> bool:
        return not any(_inside(_minus(place, self.body_at(i)), self.reaches[i]) for i in solid)

    def is_open(self, place: Vector, solid: Sequence[int]) -> bool:
        """Return whether W has free space beside a place, and does not just fit in between."""
        x, y = place
        corners = ((x + across * _HAIR, y + up * _HAIR) for across in (-1, 1) for up in (-1, 1))
        return self.is_free(place, solid) and any(self.is_free(corner, solid) for corner in corners)

    def passes_through(self, body: int, moved: Vector) -> bool:
        """Return whether a straight path of W leads through a body that it is not in."""
        if self.is_inside(body):
            return False
        low, high = ZERO, ONE
        for axis in (0, 1):
            offset, reach = self.seen_from(body)[axis], self.reaches[body][axis]
            if moved[axis] == 0:
                if abs(offset) >= reach:
                    return False
                continue
            times = sorted([(-reach - offset) / moved[axis], (reach - offset) / moved[axis]])
            low, high = max(low, times[0]), min(high, times[1])
        return low < high

    def touch(self, time: Fraction, face: int) -> None:
        self.sides |= _OPPOSITE[face]
        self.first = time if self.first is None else self.first

    def holds(self, contact: _Contact) -> bool:
        sticky = contact.face & self.mighties[contact.body].sticky
        return bool(sticky) and not _points_away(self.own, contact.face)

    # Finding the contacts.

    def flat_contacts(self) -> set[_Contact]:
        contacts = {_Contact(body, face) for body, face in self.pierced.items()}
        for body in set(self.bodies) - self.let_in - set(self.pierced):
            for face in _FACES:
                if self.is_on(body, face) and not self.lets_in(body, face):
                    contacts.add(_Contact(body, face))
        return contacts

    def is_on(self, body: int, face: int) -> bool:
        return _on_face(self.seen_from(body), self.reaches[body], face)

    def corners(self) -> dict[int, _Corner]:
        corners: dict[int, _Corner] = {}
        for body in sorted(set(self.bodies) - self.let_in - set(self.pierced), key=self.rank):
            place, reach = self.seen_from(body), self.reaches[body]
            if (abs(place[0]), abs(place[1])) == reach:
                corners[body] = self.corner(body)
        return corners

    def corner(self, body: int) -> _Corner:
        faces = [contact.face for contact in self.contacts if contact.body == body]
        if len(faces) != 1:
            return _Corner(tried=[])
        face = faces[0]
        # If W moved along the face, it has reached the face's end. If it did not, it was at the corner all along.
        if self.seen[body][1 - _AXIS[face]]:
            return _Corner(tried=[face])
        held = _Contact(body, face) in self.held
        return _Corner(tried=[face] if held else [], chosen=[face] if held else [], first=face)

    # W's velocity from its contacts.

    def is_held(self, contact: _Contact) -> bool:
        return contact in self.held and self.own != self.velocities[contact.body]

    def bounds(self, axis: int, pressing: Iterable[_Contact]) -> _Bounds:
        """Return the limits of W's speed on an axis. Mightier bodies bind first.

        A body to which they leave no room does not bind: W moves into it.
        """
        low: Fraction | None = None
        high: Fraction | None = None
        jammed = False
        for contact in sorted(pressing, key=lambda contact: self.rank(contact.body)):
            speed = self.speed(contact)
            if _AXIS[contact.face] != axis:
                continue
            if _SIGN[contact.face] > 0:
                jammed |= high is not None and speed > high
                low = high if high is not None and speed > high else speed if low is None else max(low, speed)
            else:
                jammed |= low is not None and speed < low
                high = low if low is not None and speed < low else speed if high is None else min(high, speed)
        return _Bounds(low, high, jammed)

    def carry(self, axis: int, pressing: frozenset[_Contact]) -> Fraction:
        across = self.bounds(1 - axis, pressing)
        carriers = [
            contact.body
            for contact in pressing
            if _AXIS[contact.face] != axis
            and (contact.face & self.mighties[contact.body].carrying or self.is_held(contact))
            # Another body may push W away from this body, or into it. Then W does not rest on the face.
            and self.speed(contact) == (across.low if _SIGN[contact.face] > 0 else across.high)
        ]
        return self.velocities[min(carriers, key=self.rank)][axis] if carriers else ZERO

    def target(self, axis: int, pressing: frozenset[_Contact]) -> Fraction:
        holders = [c for c in self.held if _AXIS[c.face] == axis and self.is_held(c)]
        if holders:
            return self.speed(min(holders, key=lambda contact: self.rank(contact.body)))
        return self.own[axis] + self.carry(axis, pressing)

    def presses(self, contact: _Contact, speed: Fraction) -> bool:
        return (speed - self.speed(contact)) * _SIGN[contact.face] < 0

    def pressed(self, contacts: set[_Contact], pressing: frozenset[_Contact]) -> frozenset[_Contact]:
        """Return the contacts that W presses against, when those of `pressing` carry it and push it."""
        targets = [self.target(axis, pressing) for axis in (0, 1)]
        return frozenset(
            contact
            for contact in contacts
            if self.is_held(contact)
            or self.presses(contact, targets[_AXIS[contact.face]])
            or any(
                self.presses(contact, self.speed(other)) for other in pressing if other.face == _OPPOSITE[contact.face]
            )
        )

    def settle(self, contacts: set[_Contact], pinned: set[_Contact]) -> _Settled:
        history: list[frozenset[_Contact]] = []
        pressing: frozenset[_Contact] = frozenset()
        while pressing not in history:
            history.append(pressing)
            pressing = self.pressed(contacts, pressing)
        cycle = history[history.index(pressing) :]
        pressing = frozenset(pinned).union(*cycle)
        fixed = len(cycle) > 1 or bool(pinned)
        velocity = (self.settled_speed(0, pressing, fixed), self.settled_speed(1, pressing, fixed))
        jammed = NONE
        for axis, sides in ((0, LEFT | RIGHT), (1, BOTTOM | TOP)):
            jammed |= sides if self.bounds(axis, pressing).jammed else NONE
        return _Settled(velocity, pressing, jammed)

    def settled_speed(self, axis: int, pressing: frozenset[_Contact], fixed: bool) -> Fraction:
        bounds = self.bounds(axis, pressing)
        if not fixed:
            return bounds.clamp(self.target(axis, pressing))
        if bounds.low is None or bounds.high is None:
            return next((speed for speed in (bounds.low, bounds.high) if speed is not None), self.own[axis])
        return bounds.clamp(self.own[axis])

    def settle_corners(self, corners: dict[int, _Corner]) -> _Settled:
        """Settle the velocity, and update corners and holding contacts, until nothing changes."""
        flat = self.flat_contacts()
        while True:
            at_corners = {_Contact(body, face) for body, corner in corners.items() for face in corner.chosen}
            pinned = {contact for contact in at_corners if len(corners[contact.body].chosen) == 2}
            settled = self.settle(flat | at_corners, pinned)
            if not self.torn_off(settled) and not self.turn_a_corner(corners, settled):
                return settled

    def torn_off(self, settled: _Settled) -> bool:
        torn = {
            contact
            for contact in self.held
            if self.is_held(contact)
            and _points_away(_minus(settled.velocity, self.velocities[contact.body]), contact.face)
        }
        self.held -= torn
        return bool(torn)

    def turn_a_corner(self, corners: dict[int, _Corner], settled: _Settled) -> bool:
        """Choose another face at a corner that `settled` leads into or past. Return whether there was one."""
        for body, corner in corners.items():
            seen = _minus(settled.velocity, self.velocities[body])
            place = self.seen_from(body)
            faces = [_face(axis, place[axis]) for axis in (0, 1)]
            if len(corner.chosen) == 1:
                contact = _Contact(body, corner.chosen[0])
                if contact in settled.pressing and _points_away(seen, faces[1 - _AXIS[contact.face]]):
                    self.touch(self.time, contact.face)
                    self.held.discard(contact)
                    corner.chosen = []
                    return True
            elif not corner.chosen and not corner.entered:
                away = [face for face in faces if not _leads_into(seen, face)]
                if not away:
                    faces.sort(key=lambda face: (face != corner.first, abs(seen[_AXIS[face]])))
                    self.meet_corner(body, corner, faces)
                    return True
                if len(away) == 1 and not _points_away(seen, away[0]) and not self.lets_in(body, away[0]):
                    # W moves onto a face flush with the one that supports it. The new face may carry W too.
                    corner.chosen = faces if corner.came_along else away
                    corner.came_along = True
                    return True
        return False

    def lets_in(self, body: int, face: int) -> bool:
        return bool(face & self.mighties[body].passable)

    def meet_corner(self, body: int, corner: _Corner, faces: list[int]) -> None:
        untried = [face for face in faces if face not in corner.tried]
        if not untried:
            corner.chosen = faces
        elif self.lets_in(body, untried[0]):
            corner.entered = True
        else:
            corner.tried.append(untried[0])
            corner.chosen = [untried[0]]
            contact = _Contact(body, untried[0])
            if self.time == 0 and self.holds(contact):
                self.held.add(contact)

    # From one event to the next.

    def advance(self) -> None:
        self.let_in = {body for body in self.let_in if self.is_inside(body)}
        self.pierced = {body: face for body, face in self.pierced.items() if self.is_inside(body)}
        self.velocities = [self.body_velocity(body) for body in self.bodies]
        corners = self.corners()
        resting = {_Contact(body, face) for body, corner in corners.items() for face in corner.chosen}
        self.held &= self.flat_contacts() | resting
        settled = self.settle_corners(corners)
        self.seen = [_minus(settled.velocity, velocity) for velocity in self.velocities]
        self.note(settled)
        self.enter(corners)
        self.move(settled.velocity)

    def note(self, settled: _Settled) -> None:
        self.stuck |= settled.jammed
        for contact in settled.pressing:
            self.touch(self.time, contact.face)
            if _leads_into(self.seen[contact.body], contact.face):
                self.pierced[contact.body] = contact.face
        self.contacts = frozenset(
            contact for contact in settled.pressing if not self.seen[contact.body][_AXIS[contact.face]]
        )

    def enter(self, corners: dict[int, _Corner]) -> None:
        for body in self.bodies:
            by_corner = body in corners and corners[body].entered
            by_face = any(
                self.is_on(body, face) and _leads_into(self.seen[body], face)
                for face in _FACES
                if self.lets_in(body, face)
            )
            if by_corner or by_face:
                self.let_in.add(body)

    def move(self, velocity: Vector) -> None:
        if self.velocity is not None and velocity != self.velocity:
            self.path.append(Knot(self.time, *self.place))
        self.velocity = velocity
        time = min(time for time in self.event_times() if time > self.time)
        self.place = _along(self.place, velocity, time - self.time)
        self.time = time

    def event_times(self) -> Iterable[Fraction]:
        yield ONE
        for body in self.bodies:
            yield from (knot.time for knot in self.mighties[body].knots)
            place = self.seen_from(body)
            for face in _FACES:
                axis = _AXIS[face]
                if self.seen[body][axis]:
                    gap = _SIGN[face] * self.reaches[body][axis] - place[axis]
                    yield self.time + gap / self.seen[body][axis]
