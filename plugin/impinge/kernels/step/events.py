"""Reports about the contacts of a solid W: its sides, the time of its first contact, and the events of the frame."""

from __future__ import annotations

from impinge.kernels import columns as col
from impinge.kernels.arrays import Bodies, Candidates, FrameRows, Ints, Report
from impinge.kernels.compiler import kernel
from impinge.kernels.step.contacts import face_along
from impinge.kernels.step.hook_answers import is_contact_answered
from impinge.kernels.step.rows import take_rows


@kernel(inline=False)
def write_event(weak: int, mighty: int, kind: int, side: int, report: Report, ints: Ints, frame: FrameRows) -> None:
    """Add an event, if the array has a free row."""
    events = frame.events
    event = take_rows(col.EVENT_TOTAL, 1, events.shape[0], col.LACKS_EVENTS, frame.counts)
    if event < 0:
        return
    nx, ny = report.normal
    events[event, col.EVENT_TIME], events[event, col.EVENT_SPEED] = report.time, report.speed
    events[event, col.EVENT_WEAK], events[event, col.EVENT_MIGHTY] = weak, mighty
    events[event, col.EVENT_SIDE], events[event, col.EVENT_KIND] = side, kind
    events[event, col.EVENT_WEAK_ORDER] = ints[weak, col.ORDER]
    events[event, col.EVENT_MIGHTY_ORDER] = ints[mighty, col.ORDER]
    events[event, col.EVENT_NORMAL], events[event, col.EVENT_NORMAL + 1] = nx + 0.0, ny + 0.0


@kernel(inline=False)
def report_contact(
    weak: int,
    neighbour: int,
    report: Report,
    stuck: bool,
    candidates: Candidates,
    bodies: Bodies,
    frame: FrameRows,
) -> None:
    """Report a contact of W with a candidate, and whether W is stuck there; write one event per side and frame."""
    ints, tags = bodies.ints, candidates.tags
    face = face_along(report.normal)
    side = 1 << (face ^ 1)
    if frame.counts[col.LISTENS] and not is_contact_answered(neighbour, report, tags, frame):
        return
    ints[weak, col.SIDES] |= side
    if not bodies.floats[weak, col.FIRST_TOUCH] <= report.time:
        bodies.floats[weak, col.FIRST_TOUCH] = report.time
    if stuck:
        ints[weak, col.STUCK] |= side
    seen = (col.BIT_REPORTED_STUCK if stuck else col.BIT_REPORTED) << face
    if tags[neighbour, col.TAG_BITS] & seen:
        return
    tags[neighbour, col.TAG_BITS] |= seen
    kind = col.KIND_STUCK if stuck else col.KIND_PUSH
    write_event(weak, tags[neighbour, col.TAG_BODY], kind, side, report, ints, frame)
