"""Questions about pairs that a frame asks while it resolves them, and the hook answers. The caller runs the hooks.

If a body has a question, the frame stops resolving it. Once the answer is there, the frame resolves that body again
from the frame's start.
"""

from __future__ import annotations

from impinge.kernels import columns as col
from impinge.kernels.arrays import FrameRows, Ints, Report, Vector
from impinge.kernels.compiler import kernel
from impinge.kernels.step.rows import take_rows


@kernel(inline=False)
def answer_row(mighty: int, frame: FrameRows) -> int:
    """Return the row of the hook answer about a mighty body, or -1."""
    for row in range(frame.counts[col.VERDICT_TOTAL]):
        if frame.verdicts[row, col.VERDICT_BODY] == mighty:
            return row
    return -1


@kernel(inline=False)
def answered_normal(mighty: int, frame: FrameRows) -> Vector:
    """Return the normal that a hook answer gives for all contacts of a body and W; zero without one."""
    verdicts = frame.verdicts
    row = answer_row(mighty, frame)
    if row < 0 or verdicts[row, col.VERDICT_STAGE] != col.TOUCH_KNOWN:
        return 0.0, 0.0
    return verdicts[row, col.VERDICT_NORMAL], verdicts[row, col.VERDICT_NORMAL + 1]


@kernel(inline=False)
def has_answered_solids(mighty: int, frame: FrameRows) -> bool:
    """Return whether a hook answer replaces the solid of a body or of W for this pair."""
    row = answer_row(mighty, frame)
    return row >= 0 and max(frame.verdicts[row, col.VERDICT_SOLIDS], frame.verdicts[row, col.VERDICT_SOLIDS + 2]) >= 0.0


@kernel(inline=False)
def write_question(mighty: int, stage: int, response: int, carries: int, report: Report, frame: FrameRows) -> None:
    """Write a question about a pair to its row, or to a new one."""
    verdicts = frame.verdicts
    frame.counts[col.ASKED] = 1
    row = answer_row(mighty, frame)
    if row < 0:
        row = take_rows(col.VERDICT_TOTAL, 1, verdicts.shape[0], col.LACKS_VERDICTS, frame.counts)
        if row < 0:
            return
        verdicts[row, col.VERDICT_SOLIDS] = verdicts[row, col.VERDICT_SOLIDS + 2] = -1.0
    verdicts[row, col.VERDICT_BODY], verdicts[row, col.VERDICT_STAGE] = mighty, stage
    verdicts[row, col.VERDICT_RESPONSE], verdicts[row, col.VERDICT_CARRIES] = response, carries
    verdicts[row, col.VERDICT_NORMAL], verdicts[row, col.VERDICT_NORMAL + 1] = report.normal
    verdicts[row, col.VERDICT_TIME], verdicts[row, col.VERDICT_SPEED] = report.time, report.speed


@kernel(inline=False)
def is_contact_answered(neighbour: int, report: Report, tags: Ints, frame: FrameRows) -> bool:
    """Return whether a pressing contact may take effect: no hook listens, or its answer is known.

    Otherwise the question is written.
    """
    if not frame.counts[col.LISTENS] & col.LISTENS_TO_TOUCHES:
        return True
    mighty = tags[neighbour, col.TAG_BODY]
    row = answer_row(mighty, frame)
    if row >= 0 and frame.verdicts[row, col.VERDICT_STAGE] == col.TOUCH_KNOWN:
        return True
    response, carries = tags[neighbour, col.TAG_RULE], tags[neighbour, col.TAG_CARRIES]
    write_question(mighty, col.TOUCH_ASKED, response, carries, report, frame)
    return False
