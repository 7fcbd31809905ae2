"""The work around a step for the push rules of a space.

Before the step, a frame of a `World` determines the ends of the weak bodies. They get start positions and velocities
from which the engine brings them there, so that its handlers get the contacts. After the step, other changes that the
engine has made to them are corrected. `ranks` decides which pairs have a rule; `mirror` turns bodies of the space into
bodies of a world.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from operator import itemgetter
from typing import NamedTuple, TypeAlias

import numpy as np
import pymunk
from numpy.typing import NDArray

import impinge as im
from impinge.hooks import entry_plugins
from impinge.sides import SIDES, side_along
from impinge.world.bodies import EVENT_KINDS
from impinge_pymunk.chipmunk import place_of, surface_of
from impinge_pymunk.handlers import Gate, Solving
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
    """The state of a member that had contacts in the last step."""

    # x, y and angle after the step: if they are different now, the game has moved the body.
    pose: list[float]
    # The velocity that was removed after the step. It presses the member on in the next step: a body that rests on a
    # floor has no velocity, but falls when the floor is gone.
    pressing: Vector
    contacts: list[Contact]


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
    # The velocities that members lost before the step.
    lost: dict[Member, Vector] = field(default_factory=dict)


class PushStage:
    """The stage of `stepping` for push rules; a space has one if it has a rule or a plugin."""

    order, is_copied = 0, False

    def __init__(self, space: pymunk.Space, stepper: Stepper) -> None:
        self._space, self._stepper = space, stepper
        self._stuck: dict[Rule, Stuck | None] = {}
        self._ranks = Ranks()
        self._mirror = Mirror(space)
        self._gate = Gate(space, self._solving)
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
        # Of this step: the slop of the space, and the speed that gravity gives to a body.
        self._slop = self._weight = 0.0
        # Touching pairs of weak and mighty members in this step in which the solver cannot move the mighty one.
        self._firm: set[tuple[Member, Member]] = set()

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

    def _solving(self, one: pymunk.Shape, other: pymunk.Shape) -> Solving:
        first, second = self._mirror.member_of(one), self._mirror.member_of(other)
        if first is None or second is None:
            return Solving.AS_EVER
        for mighty, weak in ((first, second), (second, first)):
            if weak.is_weak and self._ranks.pushes(mighty.kind, weak.kind):
                # An immovable mighty body may support a pile of weak ones; the rule does not cover the upper ones.
                return Solving.APART if (weak, mighty) in self._firm else Solving.NOTHING
        return Solving.AS_EVER

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
        moved = _differ(motions.poses, mirror.world.poses(mirror.rows)) | _differ(motions.poses, goals)
        woken = self._woken(sleeping, moved)
        wishes = self._wishes(motions, goals, sleeping - woken, dt)
        frame = _frame(mirror.world, mirror.rows, motions.poses, wishes)
        if mirror.catch_up():
            motions, middles = mirror.motions(), mirror.middles()
            goals = np.concatenate((goals, motions.poses[len(goals) :]))
        ends = mirror.world.poses(mirror.rows)
        contacts = self._contacts(mirror.by_row, frame, dt)
        self._keep_contacts(contacts, motions.poses, ends, sleeping, dt)
        self._plan = Plan(motions, goals, ends, goals.copy(), middles, contacts, sleeping, woken)

    def _refuse_infinite(self, motions: Motions, goals: Floats) -> None:
        finite = np.isfinite(goals) & np.isfinite(motions.poses)
        if not finite.all():
            body = self._mirror.members[int(np.argmax(in_any(~finite)))].body
            raise im.ShapeError(f"{body!r}: position, angle and velocities must be finite")

    def _sleeping(self) -> set[Member]:
        if self._space.sleep_time_threshold == math.inf:
            return set()
        return {member for member in self._mirror.members if member.body.is_sleeping}

    def _woken(self, sleeping: set[Member], moved: Flags) -> set[Member]:
        """Return sleeping members whose contacts of the time they fell asleep have moved or are gone."""
        return {
            member
            for member in sleeping & self._memories.keys()
            if any(touch.mighty.row < 0 or moved[touch.mighty.row] for touch in self._memories[member].contacts)
        }

    def _wishes(self, motions: Motions, goals: Floats, resting: set[Member], dt: float) -> Floats:
        """Return the desired ends of members: by their own motion, by pressing, and by conveyor surfaces."""
        wishes, rows, more = goals.copy(), [], []
        poses = dict(zip(self._mirror.weak_rows, motions.poses[self._mirror.weak_rows].tolist(), strict=True))
        for member, memory in list(self._memories.items()):
            if member.row < 0 or poses[member.row] != memory.pose:
                del self._memories[member]
            elif member not in resting:
                (press_x, press_y), (along_x, along_y) = memory.pressing, self._conveyed(memory.contacts, motions.poses)
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
            surface = next((surface for surface in map(surface_of, mighty.shapes) if surface != (0.0, 0.0)), None)
            if surface is not None and _side(contact.normal, poses[mighty.row, 2]) & self._ranks.sides[mighty.kind][0]:
                surface_x, surface_y = surface
                across = surface_x * x + surface_y * y
                return surface_x - across * x, surface_y - across * y
        return 0.0, 0.0

    def _contacts(self, members: dict[int, Member], frame: im.Frame, dt: float) -> Contacts:
        """Return the contacts of each weak member in a frame, the mightiest first; `members` are those of its rows."""
        found: dict[Member, list[tuple[float, float, Contact]]] = {}
        mights = self._ranks.might
        for _, speed, weak_row, mighty_row, side, kind, _, order, x, y in frame.rows.tolist():
            if kind == SENSED:
                continue
            weak, mighty = members.get(int(weak_row)), members.get(int(mighty_row))
            if weak is None or mighty is None:
                continue  # a plugin has added one of these bodies to the world
            contact = Contact(weak, mighty, (x, y), Limit(x, y, speed / dt), SIDES[int(side)], kind == STUCK)
            found.setdefault(weak, []).append((-mights[mighty.kind], order, contact))
        return {weak: [row[2] for row in sorted(rows, key=RANK)] for weak, rows in found.items()}

    def _keep_contacts(
        self, contacts: Contacts, starts: Floats, ends: Floats, sleeping: set[Member], dt: float
    ) -> None:
        """Add contacts that last without pressure: without gravity a body may just touch a wall."""
        for weak, memory in self._memories.items():
            if weak in sleeping:
                continue
            pressing = {contact.mighty for contact in contacts.get(weak, ())}
            for contact in memory.contacts:
                mighty = contact.mighty
                if mighty.row < 0 or mighty in pressing or starts[mighty.row, 2] != ends[mighty.row, 2]:
                    continue
                gap = im.distance(weak.solid, _pose(ends[weak.row]), mighty.solid, _pose(ends[mighty.row])).distance
                if -2.0 * HAIR * weak.size <= gap <= 2.0 * CLOSE * weak.size:
                    across = (ends[mighty.row] - starts[mighty.row])[:2] @ contact.normal
                    kept = contact.at_speed(float(across) / dt)._replace(is_stuck=False)
                    contacts.setdefault(weak, []).append(kept)

    def before(self, dt: float) -> None:
        """Place each touching body so that the engine brings it to its end, and a hair deeper."""
        plan = self._plan
        assert plan is not None  # `prepare` went before
        self._slop = self._space.collision_slop
        self._gate.known = self._mirror.by_pointer
        self._gate.attach((rule.mighty, rule.weak) for rule in self._stuck)
        self._firm = {
            (member, contact.mighty)
            for member, touched in plan.contacts.items()
            for contact in touched
            if contact.mighty.body.body_type != pymunk.Body.DYNAMIC
        }
        for member in sorted(plan.woken, key=lambda woken: woken.row):
            member.body.activate()
        rows = [member.row for member in plan.contacts]
        motions = plan.motions
        figures = np.hstack(
            (motions.velocities[rows], plan.ends[rows], plan.middles[rows], motions.poses[rows])
        ).tolist()
        arrivals = []
        for (member, touched), (x, y, _, end_x, end_y, angle, *middle, _, _, turn) in zip(
            plan.contacts.items(), figures, strict=True
        ):
            press_x, press_y = self._memories[member].pressing if member in self._memories else ORIGIN
            wish = x + press_x, y + press_y
            if self._heeding.rebounds(member):
                across, up = member.twins[0].movement
                wish = across / dt, up / dt
            velocity = nearest_velocity(wish, tuple(contact.limit for contact in touched))
            plan.lost[member] = x - velocity[0], y - velocity[1]
            hair = self._hair(member)
            for contact in touched:
                end_x -= hair * contact.normal[0]
                end_y -= hair * contact.normal[1]
            arrivals.append((end_x, end_y, angle))
            swing_x, swing_y = swing((middle[0], middle[1]), turn, angle)
            if velocity != (x, y):
                member.body.velocity = velocity
            member.body.position = end_x - velocity[0] * dt - swing_x, end_y - velocity[1] * dt - swing_y
        if rows:
            plan.arrivals[rows] = arrivals

    # After a step.

    def after(self, dt: float) -> None:
        """Correct the positions and velocities of bodies."""
        plan, self._plan = self._plan, None
        assert plan is not None  # `before` went before
        self._weight = self._space.gravity.length * self._space.current_time_step
        self._mirror.read()
        motions = self._mirror.motions()
        refused = self._meeting.refused()
        freed = self._free(plan, refused)
        ends, contacts = plan.ends, plan.contacts
        strays = self._strays(plan, motions)
        if freed or strays.any():
            later = self._settle(plan, motions, strays, freed)
            if self._mirror.catch_up():
                motions = self._mirror.motions()
            ends = self._mirror.shadow.poses(self._mirror.shadow_rows)
            contacts = self._with_later(contacts, self._contacts(self._mirror.by_shadow_row, later, dt), motions)
        memories: dict[Member, Memory] = {}
        for member in plan.sleeping - plan.woken - contacts.keys():
            if member in self._memories:
                memories[member] = self._memories[member]
        rows = np.flatnonzero(self._mirror.is_weak & motions.present)
        figures = np.hstack((motions.poses[rows, :2], motions.velocities[rows, :2], ends[rows, :2])).tolist()
        for row, told, is_stray in zip(rows.tolist(), figures, strays[rows].tolist(), strict=True):
            member = self._mirror.members[row]
            if is_stray or member in contacts or member in freed:
                touched = contacts.get(member, [])
                pressing = self._leave(member, touched, told, freed.get(member, ORIGIN))
                if touched:
                    memories[member] = Memory(list(place_of(member.body)), pressing, touched)
        self._memories, self._last = memories, contacts

    def settles(self, one: pymunk.Shape, other: pymunk.Shape) -> bool:
        """Return whether a rule applies to two shapes."""
        return self._solving(one, other) is not Solving.AS_EVER

    def _free(self, plan: Plan, refused: set[frozenset[Member | None]]) -> dict[Member, Vector]:
        """Remove contacts that the game's callbacks refused; return the velocities that members get back."""
        freed: dict[Member, Vector] = {}
        if not refused:
            return freed
        for member, touched in list(plan.contacts.items()):
            left = [contact for contact in touched if frozenset((member, contact.mighty)) not in refused]
            if len(left) < len(touched):
                freed[member] = plan.lost[member]
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
        merged = {member: list(touched) for member, touched in contacts.items()}
        for member, touched in later.items():
            known = {contact.mighty for contact in merged.get(member, ())}
            for contact in touched:
                if contact.mighty not in known:
                    # A static body may have a velocity, but it does not move.
                    moves = motions.velocities[contact.mighty.row].any()
                    x, y = contact.mighty.body.velocity_at_world_point(member.body.position) if moves else (0.0, 0.0)
                    speed = x * contact.normal[0] + y * contact.normal[1]
                    merged.setdefault(member, []).append(contact.at_speed(speed))
        return merged

    def _leave(self, member: Member, touched: list[Contact], told: list[float], given_back: Vector) -> Vector:
        """Put a member at its end, and remove velocity into its contacts; return the removed velocity.

        `told` has its position, its velocity and its end.
        """
        body, (here_x, here_y, across, up, x, y) = member.body, told
        if (x, y) != (here_x, here_y):
            body.position = x, y
            if math.dist((x, y), (here_x, here_y)) > 2.0 * self._hair(member):
                self._space.reindex_shapes_for_body(body)
        wish = across + given_back[0], up + given_back[1]
        velocity = nearest_velocity(wish, tuple(contact.limit for contact in touched))
        if velocity != (across, up):
            body.velocity = velocity
        taken_x, taken_y = self._solved(member, touched, velocity)
        return wish[0] - velocity[0] + taken_x, wish[1] - velocity[1] + taken_y

    def _solved(self, member: Member, touched: list[Contact], velocity: Vector) -> Vector:
        """Return the velocity that the engine's solver has removed, except where it made the body bounce off."""
        taken_x = taken_y = 0.0
        if member.body.body_type == pymunk.Body.DYNAMIC:
            for contact in touched:
                x, y = contact.normal
                # Separation speed, as of a body that hits with a corner and topples. A remaining approach counts as 0.
                leaving = max(velocity[0] * x + velocity[1] * y - contact.limit.least, 0.0)
                # Of the weight of a pile on a body, only the body's own part presses it on.
                speed = max(min(self._impulse(contact) / member.body.mass, self._weight) - leaving, 0.0)
                taken_x -= speed * x
                taken_y -= speed * y
        return taken_x, taken_y

    def _hair(self, member: Member) -> float:
        """Return the depth at which a touching member is placed during the engine's step."""
        skin = min(SKIN * self._slop, MOST_SKIN * member.size)
        return float(max(HAIR * member.size, skin))

    def _impulse(self, contact: Contact) -> float:
        get = self._gate.impulses.get
        return sum(get(frozenset((one, other)), 0.0) for one in contact.weak.shapes for other in contact.mighty.shapes)

    def tell(self, dt: float) -> None:
        """Report stuck bodies."""
        contacts, self._last = self._last, {}
        callbacks = {(rule.mighty, rule.weak): stuck for rule, stuck in self._stuck.items()}
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


def _differ(one: Floats, other: Floats) -> Flags:
    return in_any(one != other)


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
