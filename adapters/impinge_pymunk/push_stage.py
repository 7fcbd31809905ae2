"""The work around a step for the push rules of a space.

Before the step, a frame of a `World` determines the ends of the weak bodies. They get start positions and velocities
from which the engine brings them there, so that its handlers get the contacts. After the step, other changes that the
engine has made to them are corrected. `ranks` decides which pairs have a rule; `mirror` turns bodies of the space into
bodies of a world.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import chain, compress
from operator import itemgetter
from typing import NamedTuple, TypeAlias

import numpy as np
import pymunk
from numpy.typing import NDArray

import impinge as im
from impinge.checks import LARGEST
from impinge.hooks import entry_plugins
from impinge.sides import SIDES, side_along
from impinge.world.bodies import EVENT_KINDS
from impinge_pymunk.chipmunk import drive, have_surface_velocity, impulse_of, mass_of, move, place_of, surface_of
from impinge_pymunk.handlers import Gate
from impinge_pymunk.hearing import Heeding, Meeting, Repeating
from impinge_pymunk.mirror import Flags, Floats, Member, Mirror, Motions, in_any
from impinge_pymunk.ranks import Ranks, Rule
from impinge_pymunk.shapes import swing
from impinge_pymunk.stepping import Stepper
from impinge_pymunk.velocities import Limit, Vector, nearest_velocity

__all__ = ["PushStage", "Stuck"]

Stuck: TypeAlias = Callable[[pymunk.Body, pymunk.Body, im.Side], object]

# Depth at which a touching body is placed during the engine's step, as a fraction of its size. Chipmunk's distances are
# wrong by some 1e-7 of a size; with this depth it finds a contact in each step. The depth is removed afterwards.
HAIR = 1e-6
# For large enough bodies the depth is half of Pymunk's usual overlap: a crate then touches with both corners, even if
# it is slightly tilted. With one corner at a time, a pile of crates rocks until it falls.
SKIN, MOST_SKIN = 0.5, 0.01
# Tolerance for the end position of a body, as fractions of its size and of its coordinates.
CLOSE = 1e-9
ROUNDING = 1e-12

ORIGIN = (0.0, 0.0)
# Columns of the rows of events.
WEAK, MIGHTY, KIND = im.EventColumn.WEAK, im.EventColumn.MIGHTY, im.EventColumn.KIND
SENSED, STUCK = EVENT_KINDS.index("sensor"), EVENT_KINDS.index("stuck")
# The order of contacts: by might, then by the order of adding.
RANK = itemgetter(0, 1)


class Contact(NamedTuple):
    """A contact of a member with a mightier one."""

    weak: Member
    mighty: Member
    normal: Vector
    # The speed of the mighty member along the normal, in units per second, as a limit of the weak one's velocity.
    limit: Limit
    side: im.Side
    is_stuck: bool

    def at_speed(self, speed: float) -> Contact:
        """Return the contact with another speed of the mighty member."""
        return self._replace(limit=Limit(*self.normal, speed))


Contacts: TypeAlias = dict[Member, list[Contact]]


class Memory(NamedTuple):
    """The state of a member that had contacts in the last step: the same again, if all it follows from is the same."""

    # x, y and angle after the step: if they are different now, the game has moved the body.
    pose: list[float]
    # The velocity that was removed after the step. It presses the member on in the next step: a body that rests on a
    # floor has no velocity, but falls when the floor is gone.
    pressing: Vector
    contacts: list[Contact]
    # The velocity after the step, and the numbers from which both velocities follow.
    velocity: Vector
    figures: list[float]


class Placing(NamedTuple):
    """How a touching member was placed before a step: the same again, if all it follows from is the same."""

    contacts: list[Contact]
    figures: list[float]
    pressing: Vector
    # Its velocity in the step, the velocity that it lost, its position at the start, and its pose at the end.
    velocity: Vector
    lost: Vector
    start: Vector
    arrival: tuple[float, float, float]


@dataclass(slots=True)
class Plan:
    """The planned result of a step."""

    motions: Motions
    # Where the engine alone would take the members, where they must end, and where the engine is to take them.
    goals: Floats
    ends: Floats
    arrivals: Floats
    middles: Floats
    contacts: Contacts
    sleeping: set[Member]
    woken: set[Member]


class PushStage:
    """The stage of `stepping` for push rules; a space has one if it has a rule or a plugin."""

    order, is_copied = 0, False

    def __init__(self, space: pymunk.Space, stepper: Stepper) -> None:
        self._space, self._stepper = space, stepper
        self._stuck: dict[Rule, Stuck | None] = {}
        self._ranks = Ranks()
        self._mirror = Mirror(space)
        self._gate = Gate(space, self._ruled)
        self._meeting = Meeting(space, self._mirror, self._gate)
        self._heeding = Heeding(self._mirror)
        self._repeating = Repeating(self._mirror, self._heeding)
        self._plugins: list[object] = []
        if entry_plugins():
            self._heed()
        self._memories: dict[Member, Memory] = {}
        # The contacts of the step, until stuck bodies are reported.
        self._last: Contacts = {}
        self._plan: Plan | None = None
        # The contacts of each member by the world in the last step, with the rows of its events; and the members of the
        # world's rows, and the duration. A crate at rest has the same events in each step.
        self._told: dict[Member, tuple[list[list[float]], list[Contact]]] = {}
        self._told_to: Mapping[float, Member] = {}
        self._told_dt = 0.0
        # How touching members were placed before the last step.
        self._placings: dict[Member, Placing] = {}
        # Of this step: the speed that gravity gives to a body, the members that the engine did not solve, and the depth
        # at which each touching member is placed during the engine's step.
        self._weight = 0.0
        self._unsolved: set[Member] = set()
        self._hairs = np.empty(0)

    def add(self, rule: Rule, stuck: Stuck | None) -> None:
        """Add a rule, or raise an error for an invalid one."""
        ranks = Ranks([*self._stuck, rule])
        self._stuck[rule] = stuck
        self._follow(ranks)

    def release(self, rule: Rule) -> None:
        """Remove a rule."""
        del self._stuck[rule]
        # Handlers of the remaining rules are replaced again before the next step.
        self._gate.release()
        self._follow(Ranks(self._stuck))

    def register(self, plugin: object, name: str | None) -> str | None:
        """Register a plugin with the world."""
        named = self._mirror.world.register(plugin, name)
        if not self._plugins and not entry_plugins():
            self._heed()
        self._plugins.append(plugin)
        self._follow(self._ranks)
        return named

    def _heed(self) -> None:
        """Let the shadow repeat the plugins' answers of the world."""
        self._mirror.world.register(self._heeding, "repeated plugin answers")
        self._mirror.shadow.register(self._repeating, "repeated plugin answers")

    def unregister(self, plugin: object) -> None:
        """Unregister a plugin, or raise an error if it is not registered."""
        if not any(plugin is known for known in self._plugins):
            raise ValueError(f"plugin must be registered in this space, got {plugin!r}")
        self._mirror.world.unregister(plugin)
        self._plugins = [known for known in self._plugins if known is not plugin]
        if not self._plugins and not entry_plugins():
            self._mirror.world.unregister(self._heeding)
            self._mirror.shadow.unregister(self._repeating)
        self._follow(self._ranks)

    def _follow(self, ranks: Ranks) -> None:
        """Take up new rules; be a stage of the steps only while there is a rule or a plugin."""
        self._ranks = ranks
        self._mirror.follow(ranks)
        is_there = self._stepper.find(PushStage) is self
        if is_there != bool(self._stuck or self._plugins):
            (self._stepper.remove if is_there else self._stepper.add)(self)

    def _ruled(self, one: pymunk.Shape, other: pymunk.Shape) -> tuple[Member, Member] | None:
        """Return the weak and the mighty member of two shapes under a rule, or None."""
        first, second = self._mirror.member_of(one), self._mirror.member_of(other)
        if first is None or second is None:
            return None
        for mighty, weak in ((first, second), (second, first)):
            if weak.is_weak and self._ranks.pushes(mighty.kind, weak.kind):
                return weak, mighty
        return None

    # Before a step.

    def prepare(self, dt: float) -> None:
        """Plan the ends of all members in the step, or raise an error for invalid values."""
        self._plan = None
        mirror = self._mirror
        mirror.look(dt)
        motions, middles = mirror.motions(), mirror.middles()
        goals = motions.after(dt, middles)
        self._refuse_infinite(motions, goals)
        sleeping = self._sleeping()
        for member in sleeping:
            goals[member.row] = motions.poses[member.row]
        self._meeting.prepare()
        woken = self._woken(sleeping, motions, goals)
        wishes = self._wishes(motions, goals, sleeping - woken, dt)
        frame = _frame(mirror.world, mirror.rows, motions.poses, wishes)
        if mirror.catch_up():
            motions, middles = mirror.motions(), mirror.middles()
            goals = np.concatenate((goals, motions.poses[len(goals) :]))
        ends = mirror.world.poses(mirror.rows)
        contacts = self._recalled(mirror.by_row, frame, dt)
        self._keep_contacts(contacts, motions.poses, ends, sleeping, dt)
        self._plan = Plan(motions, goals, ends, goals.copy(), middles, contacts, sleeping, woken)

    def _refuse_infinite(self, motions: Motions, goals: Floats) -> None:
        # NaN and infinity fail this comparison too.
        wrong = ~((np.abs(goals) <= LARGEST) & (np.abs(motions.poses) <= LARGEST))
        if wrong.any():
            row = int(np.argmax(in_any(wrong)))
            raise im.ShapeError(
                f"{self._mirror.members[row].body!r}: position, angle and velocities must be finite, and lead to "
                f"coordinates of at most {LARGEST:g} in size, got {goals[row].tolist()}"
            )

    def _sleeping(self) -> set[Member]:
        if self._space.sleep_time_threshold == math.inf:
            return set()
        is_dynamic = self._mirror.is_dynamic
        return {member for member in compress(self._mirror.members, is_dynamic) if member.body.is_sleeping}

    def _woken(self, sleeping: set[Member], motions: Motions, goals: Floats) -> set[Member]:
        """Return sleeping members whose contacts of the time they fell asleep have moved or are gone."""
        known = sleeping & self._memories.keys()
        if not known:
            return known
        mirror = self._mirror
        moved = _differ(motions.poses, mirror.world.poses(mirror.rows)) | _differ(motions.poses, goals)
        return {
            member
            for member in known
            if any(touch.mighty.row < 0 or moved[touch.mighty.row] for touch in self._memories[member].contacts)
        }

    def _wishes(self, motions: Motions, goals: Floats, resting: set[Member], dt: float) -> Floats:
        """Return the desired ends of members: by their own motion, by pressing, and by conveyor surfaces."""
        wishes, rows, more = goals.copy(), [], []
        poses = dict(zip(self._mirror.weak_rows, motions.poses[self._mirror.weak_rows].tolist(), strict=True))
        touched = [contact.mighty.shapes for memory in self._memories.values() for contact in memory.contacts]
        are_conveying = have_surface_velocity(chain.from_iterable(touched))
        for member, memory in list(self._memories.items()):
            if member.row < 0 or poses[member.row] != memory.pose:
                del self._memories[member]
            elif member not in resting:
                press_x, press_y = memory.pressing
                along_x, along_y = self._conveyed(memory.contacts, motions.poses) if are_conveying else ORIGIN
                rows.append(member.row)
                more.append((press_x + along_x, press_y + along_y))
        if rows:
            wishes[rows, :2] += np.array(more) * dt
        return wishes

    def _conveyed(self, contacts: Iterable[Contact], poses: Floats) -> Vector:
        """Return the surface velocity of the mightiest carrying contact, without its part along the normal."""
        for contact in contacts:
            mighty, (x, y) = contact.mighty, contact.normal
            if mighty.row < 0:
                continue
            for shape in mighty.shapes:
                surface_x, surface_y = surface_of(shape)
                if surface_x != 0.0 or surface_y != 0.0:
                    break
            else:
                continue
            if _side(contact.normal, poses[mighty.row, 2]) & self._ranks.sides[mighty.kind][0]:
                across = surface_x * x + surface_y * y
                return surface_x - across * x, surface_y - across * y
        return 0.0, 0.0

    def _recalled(self, members: Mapping[float, Member], frame: im.Frame, dt: float) -> Contacts:
        """Return the contacts in a frame of the world: the same list, if the events are those of the last one."""
        is_same = self._told_to is members and self._told_dt == dt
        known = self._told if is_same else {}
        self._told, self._told_to, self._told_dt = {}, members, dt
        for weak, events in _events_of(members, frame).items():
            told = known.get(weak)
            if told is None or told[0] != events:
                told = events, self._contacts_of(weak, members, events, dt)
            self._told[weak] = told
        return {weak: touched for weak, (_, touched) in self._told.items()}

    def _contacts_of(
        self, weak: Member, members: Mapping[float, Member], events: list[list[float]], dt: float
    ) -> list[Contact]:
        """Return the contacts of a weak member by the rows of its events, the mightiest first."""
        found, mights = [], self._ranks.might
        for _, speed, _, mighty_row, side, kind, _, order, x, y in events:
            mighty = members[mighty_row]
            contact = Contact(weak, mighty, (x, y), Limit(x, y, speed / dt), SIDES[int(side)], kind == STUCK)
            found.append((-mights[mighty.kind], order, contact))
        found.sort(key=RANK)
        return [contact for _, _, contact in found]

    def _keep_contacts(
        self, contacts: Contacts, starts: Floats, ends: Floats, sleeping: set[Member], dt: float
    ) -> None:
        """Add contacts that last without pressure: without gravity a body may just touch a wall."""
        for weak, memory in self._memories.items():
            if weak in sleeping:
                continue
            touched = contacts.get(weak, [])
            if touched is memory.contacts:
                continue
            pressing = {contact.mighty for contact in touched}
            for contact in memory.contacts:
                mighty = contact.mighty
                if mighty.row < 0 or mighty in pressing or starts[mighty.row, 2] != ends[mighty.row, 2]:
                    continue
                gap = im.distance(weak.solid, _pose(ends[weak.row]), mighty.solid, _pose(ends[mighty.row])).distance
                if -2.0 * HAIR * weak.size <= gap <= 2.0 * CLOSE * weak.size:
                    across = (ends[mighty.row] - starts[mighty.row])[:2] @ contact.normal
                    kept = contact.at_speed(float(across) / dt)._replace(is_stuck=False)
                    # The list may be that of the last step.
                    contacts[weak] = touched = [*touched, kept]

    def before(self, dt: float) -> None:
        """Place each touching body so that the engine brings it to its end, and a hair deeper."""
        plan = self._plan
        assert plan is not None  # `prepare` went before
        self._hairs = _hairs(self._mirror.sizes, self._space.collision_slop)
        self._gate.attach(((rule.mighty, rule.weak) for rule in self._stuck), self._mirror.by_pointer)
        # An immovable mighty body may support a pile of weak ones; the rule does not cover the upper ones.
        self._gate.firm = {
            (member, contact.mighty)
            for member, touched in plan.contacts.items()
            for contact in touched
            if not self._mirror.is_dynamic[contact.mighty.row]
        }
        for member in sorted(plan.woken, key=lambda woken: woken.row):
            member.body.activate()
        rows = [member.row for member in plan.contacts]
        motions = plan.motions
        times = np.full((len(rows), 1), dt)
        figures = np.hstack(
            (
                motions.velocities[rows, :2],
                plan.ends[rows],
                plan.middles[rows],
                motions.poses[rows, 2:],
                self._hairs[rows, None],
                times,
            )
        ).tolist()
        known, self._placings, memories = self._placings, {}, self._memories
        for (member, touched), row in zip(plan.contacts.items(), figures, strict=True):
            memory, placing = memories.get(member), known.get(member)
            pressing = ORIGIN if memory is None else memory.pressing
            if (
                placing is None
                or placing.contacts is not touched
                or placing.figures != row
                or placing.pressing != pressing
                or self._heeding.rebounds(member)
            ):
                placing = self._placing(member, touched, row, pressing)
            self._placings[member] = placing
            if placing.lost != ORIGIN:
                drive(member.body, *placing.velocity)
            move(member.body, *placing.start)
        if rows:
            plan.arrivals[rows] = [placing.arrival for placing in self._placings.values()]

    def _placing(self, member: Member, touched: list[Contact], figures: list[float], pressing: Vector) -> Placing:
        """Return how a touching member is placed before a step.

        `figures` has its velocity, its end, its centre of gravity, its angle, its hair, and the duration of the step.
        """
        x, y, end_x, end_y, angle, middle_x, middle_y, turn, hair, dt = figures
        wish = x + pressing[0], y + pressing[1]
        if self._heeding.rebounds(member):
            across, up = member.twins[0].movement
            wish = across / dt, up / dt
        across, up = nearest_velocity(wish, tuple([contact.limit for contact in touched]))
        for contact in touched:
            end_x -= hair * contact.normal[0]
            end_y -= hair * contact.normal[1]
        swing_x, swing_y = swing((middle_x, middle_y), turn, angle)
        start = end_x - across * dt - swing_x, end_y - up * dt - swing_y
        lost = x - across, y - up
        return Placing(touched, figures, pressing, (across, up), lost, start, (end_x, end_y, angle))

    # After a step.

    def after(self, dt: float) -> None:
        """Correct the positions and velocities of bodies."""
        plan, self._plan = self._plan, None
        assert plan is not None  # `before` went before
        self._weight = self._space.gravity.length * self._space.current_time_step
        self._mirror.read()
        motions = self._mirror.motions()
        freed = self._free(plan, self._meeting.refused())
        # Bodies that fell asleep in this step were not solved.
        self._unsolved = self._sleeping()
        ends, contacts = plan.ends, plan.contacts
        strays = self._strays(plan, motions)
        if freed or strays.any():
            later = self._settle(plan, motions, strays, freed)
            if self._mirror.catch_up():
                motions = self._mirror.motions()
            ends = self._mirror.shadow.poses(self._mirror.shadow_rows)
            found = _events_of(self._mirror.by_shadow_row, later)
            more = {weak: self._contacts_of(weak, self._mirror.by_shadow_row, rows, dt) for weak, rows in found.items()}
            contacts = self._with_later(contacts, more, motions)
        memories: dict[Member, Memory] = {}
        for member in plan.sleeping - plan.woken - contacts.keys():
            if member in self._memories:
                memories[member] = self._memories[member]
        rows = np.flatnonzero(self._mirror.is_weak & motions.present)
        figures = np.hstack((motions.poses[rows, :2], motions.velocities[rows, :2], ends[rows, :2])).tolist()
        members = self._mirror.members
        for row, told, is_stray in zip(rows.tolist(), figures, strays[rows].tolist(), strict=True):
            member = members[row]
            touched = contacts.get(member, [])
            if touched or is_stray or member in freed:
                memory = self._leave(member, touched, told, freed.get(member, ORIGIN))
                if touched:
                    memories[member] = memory
        self._memories, self._last = memories, contacts

    def settles(self, one: pymunk.Shape, other: pymunk.Shape) -> bool:
        """Return whether a rule applies to two shapes."""
        return self._ruled(one, other) is not None

    def _free(self, plan: Plan, refused: set[frozenset[Member | None]]) -> dict[Member, Vector]:
        """Remove contacts that the game's callbacks refused; return the velocities that members get back."""
        freed: dict[Member, Vector] = {}
        if not refused:
            return freed
        for member, touched in list(plan.contacts.items()):
            left = [contact for contact in touched if frozenset((member, contact.mighty)) not in refused]
            if len(left) < len(touched):
                freed[member] = self._placings[member].lost
                plan.contacts[member] = left
        return freed

    def _strays(self, plan: Plan, motions: Motions) -> Flags:
        """Return the members that missed their ends because of another shape, a joint, or a function of the game."""
        near = CLOSE * self._mirror.sizes[:, None] + ROUNDING * (1.0 + np.abs(plan.ends))
        far = np.abs(motions.poses - plan.arrivals) > near
        # The engine alone decides about members without contacts; the world's end also includes their pressing.
        alone = np.ones(len(near), np.bool_)
        alone[[member.row for member in plan.contacts]] = False
        elsewhere = np.abs(motions.poses - plan.ends) > near
        strays: Flags = (in_any(far) | (alone & in_any(elsewhere))) & motions.present
        return strays

    def _settle(self, plan: Plan, motions: Motions, strays: Flags, freed: Iterable[Member]) -> im.Frame:
        """Move strays in the shadow from their planned ends to where they are, as far as the rule allows."""
        mirror = self._mirror
        self._meeting.heed()
        places = np.where(mirror.is_weak[:, None], plan.ends, motions.poses)
        wishes = places.copy()
        # Without the hair by which the engine has taken them deeper.
        astray = strays & mirror.is_weak
        wishes[astray] += (motions.poses - plan.arrivals)[astray]
        alone = [row for row in np.flatnonzero(astray).tolist() if mirror.members[row] not in plan.contacts]
        wishes[alone] = motions.poses[alone]
        for member in freed:
            wishes[member.row] = plan.goals[member.row]
        return _frame(mirror.shadow, mirror.shadow_rows, places, wishes)

    def _with_later(self, contacts: Contacts, later: Contacts, motions: Motions) -> Contacts:
        """Add contacts of the shadow. Mighty members stand still there, so their speeds are read from the space."""
        merged = dict(contacts)
        for member, touched in later.items():
            known = {contact.mighty for contact in merged.get(member, ())}
            for contact in touched:
                if contact.mighty not in known:
                    # A static body may have a velocity, but it does not move.
                    moves = motions.velocities[contact.mighty.row].any()
                    x, y = contact.mighty.body.velocity_at_world_point(member.body.position) if moves else (0.0, 0.0)
                    speed = x * contact.normal[0] + y * contact.normal[1]
                    # The list of the step stays as it is.
                    merged[member] = [*merged.get(member, ()), contact.at_speed(speed)]
        return merged

    def _leave(self, member: Member, touched: list[Contact], told: list[float], given_back: Vector) -> Memory:
        """Put a member at its end, and remove velocity into its contacts; return its state.

        `told` has its position, its velocity and its end.
        """
        body, (here_x, here_y, across, up, x, y) = member.body, told
        if x != here_x or y != here_y:
            move(body, x, y)
            if math.dist((x, y), (here_x, here_y)) > 2.0 * self._hairs[member.row]:
                self._space.reindex_shapes_for_body(body)
        wish = across + given_back[0], up + given_back[1]
        impulses = [0.0 if member in self._unsolved else self._impulse(contact) for contact in touched]
        figures = [*wish, self._weight, mass_of(body), *impulses]
        pose, memory = list(place_of(body)), self._memories.get(member)
        if memory is None or memory.contacts is not touched or memory.figures != figures or memory.pose != pose:
            velocity = nearest_velocity(wish, tuple([contact.limit for contact in touched]))
            taken_x, taken_y = _taken(touched, figures, velocity)
            pressing = wish[0] - velocity[0] + taken_x, wish[1] - velocity[1] + taken_y
            memory = Memory(pose, pressing, touched, velocity, figures)
        if memory.velocity != (across, up):
            drive(body, *memory.velocity)
        return memory

    def _impulse(self, contact: Contact) -> float:
        solved = self._gate.solved.get((contact.weak, contact.mighty))
        return 0.0 if solved is None else sum(map(impulse_of, solved.values()))

    def tell(self, dt: float) -> None:
        """Report stuck bodies, and an interruption of a callback."""
        self._gate.raise_interruption()
        contacts, self._last = self._last, {}
        callbacks = {(rule.mighty, rule.weak): stuck for rule, stuck in self._stuck.items() if stuck is not None}
        if not callbacks:
            return
        told: dict[tuple[Stuck, pymunk.Body, pymunk.Body, im.Side], None] = {}
        for touched in contacts.values():
            for contact in touched:
                weak, mighty = contact.weak, contact.mighty
                stuck = callbacks.get((mighty.kind, weak.kind))
                if contact.is_stuck and stuck is not None:
                    told[stuck, weak.body, mighty.body, contact.side] = None
        here = {body for _, *pair, _ in told for body in pair if body.space is self._space}
        for stuck, weak_body, mighty_body, side in told:
            # A callback may have removed either of them.
            if all(body.space is self._space for body in (weak_body, mighty_body) if body in here):
                stuck(weak_body, mighty_body, side)


def _frame(world: im.World, rows: NDArray[np.int64], places: Floats, wishes: Floats) -> im.Frame:
    """Step a world from given poses to given goals."""
    put = np.flatnonzero(_differ(world.poses(rows), places))
    if len(put):
        world.set_poses(rows[put], places[put])
    sent = np.flatnonzero(_differ(places, wishes))
    if len(sent):
        world.set_goals(rows[sent], wishes[sent])
    return world.step()


def _events_of(members: Mapping[float, Member], frame: im.Frame) -> dict[Member, list[list[float]]]:
    """Return the rows of the events in a frame by weak member; `members` are those of the rows of bodies."""
    found: dict[Member, list[list[float]]] = {}
    for row in frame.rows.tolist():
        weak = members.get(row[WEAK])
        # A plugin may have added one of these bodies to the world.
        if weak is not None and row[MIGHTY] in members and row[KIND] != SENSED:
            found.setdefault(weak, []).append(row)
    return found


def _hairs(sizes: Floats, slop: float) -> Floats:
    """Return the depths at which touching members of some sizes are placed during the engine's step."""
    skins = np.minimum(SKIN * slop, MOST_SKIN * sizes)
    depths: Floats = np.maximum(HAIR * sizes, skins)
    return depths


def _differ(one: Floats, other: Floats) -> Flags:
    return in_any(one != other)


def _taken(touched: list[Contact], figures: list[float], velocity: Vector) -> Vector:
    """Return the velocity that the engine's solver has removed, except where it made the body bounce off.

    `figures` has the velocity without contacts, the weight, the mass, and the impulse of each contact.
    """
    taken_x = taken_y = 0.0
    _, _, weight, mass, *impulses = figures
    for contact, impulse in zip(touched, impulses, strict=True):
        if impulse == 0.0:
            continue
        x, y = contact.normal
        # Separation speed, as of a body that hits with a corner and topples. A remaining approach counts as 0.
        leaving = max(velocity[0] * x + velocity[1] * y - contact.limit.least, 0.0)
        # Of the weight of a pile on a body, only the body's own part presses it on.
        speed = max(min(impulse / mass, weight) - leaving, 0.0)
        taken_x -= speed * x
        taken_y -= speed * y
    return taken_x, taken_y


def _pose(row: Floats) -> im.Pose:
    return im.Pose(*row.tolist())


def _turned(point: Iterable[float], angle: float) -> Vector:
    x, y = point
    cos, sin = math.cos(angle), math.sin(angle)
    return cos * x - sin * y, sin * x + cos * y


def _side(normal: Vector, angle: float) -> im.Side:
    """Return the side of a mighty body that a normal points out of, as a `World` reports it."""
    # The contact of a weak body on that side reports the opposite side.
    return side_along(*_turned(normal, -angle))
