"""What is asked about pairs while a frame is resolved, and what was answered. Who answers is not known here.

The body that has a question is left as it is, and gone through again from the frame's start once the answer is there.
"""

from __future__ import annotations

from impinge.kernels.compiler import kernel
from impinge.kernels.layout import (
    ASKED,
    LACKS_VERDICTS,
    LISTENS,
    LISTENS_TO_TOUCHES,
    TOUCH_ASKED,
    TOUCH_KNOWN,
    VERDICT_BODY,
    VERDICT_CARRIES,
    VERDICT_NORMAL,
    VERDICT_RESPONSE,
    VERDICT_SOLIDS,
    VERDICT_SPEED,
    VERDICT_STAGE,
    VERDICT_TIME,
    VERDICT_TOTAL,
    Floats,
    Ints,
)
from impinge.kernels.rows import take_rows


@kernel(inline=False)
def verdict_of(mighty: int, verdicts: Floats, counts: Ints) -> int:
    """Return the row about a mighty body, or -1."""
    for row in range(counts[VERDICT_TOTAL]):
        if verdicts[row, VERDICT_BODY] == mighty:
            return row
    return -1


@kernel(inline=False)
def given_normal(mighty: int, verdicts: Floats, counts: Ints) -> tuple[float, float]:
    """Return the normal by which a body holds W, wherever they touch; zero if none was given."""
    row = verdict_of(mighty, verdicts, counts)
    if row < 0 or verdicts[row, VERDICT_STAGE] != TOUCH_KNOWN:
        return 0.0, 0.0
    return verdicts[row, VERDICT_NORMAL], verdicts[row, VERDICT_NORMAL + 1]


@kernel(inline=False)
def gives_solids(mighty: int, verdicts: Floats, counts: Ints) -> bool:
    """Whether a body and W are something else to each other than their own shapes."""
    row = verdict_of(mighty, verdicts, counts)
    return row >= 0 and max(verdicts[row, VERDICT_SOLIDS], verdicts[row, VERDICT_SOLIDS + 2]) >= 0.0


@kernel(inline=False)
def ask(
    mighty: int,
    stage: int,
    response: int,
    nx: float,
    ny: float,
    time: float,
    speed: float,
    carries: int,
    verdicts: Floats,
    counts: Ints,
) -> None:
    """Write a question about a pair, in its row or in a new one."""
    counts[ASKED] = 1
    row = verdict_of(mighty, verdicts, counts)
    if row < 0:
        row = take_rows(VERDICT_TOTAL, 1, verdicts.shape[0], LACKS_VERDICTS, counts)
        if row < 0:
            return
        verdicts[row, VERDICT_SOLIDS] = verdicts[row, VERDICT_SOLIDS + 2] = -1.0
    verdicts[row, VERDICT_BODY], verdicts[row, VERDICT_STAGE] = mighty, stage
    verdicts[row, VERDICT_RESPONSE], verdicts[row, VERDICT_CARRIES] = response, carries
    verdicts[row, VERDICT_NORMAL], verdicts[row, VERDICT_NORMAL + 1] = nx, ny
    verdicts[row, VERDICT_TIME], verdicts[row, VERDICT_SPEED] = time, speed


@kernel(inline=False)
def is_touch_known(
    mighty: int,
    response: int,
    carries: int,
    nx: float,
    ny: float,
    time: float,
    speed: float,
    verdicts: Floats,
    counts: Ints,
) -> bool:
    """Whether a touch that presses on W may have its effect; asks for it if that is not known yet."""
    if not counts[LISTENS] & LISTENS_TO_TOUCHES:
        return True
    row = verdict_of(mighty, verdicts, counts)
    if row >= 0 and verdicts[row, VERDICT_STAGE] == TOUCH_KNOWN:
        return True
    ask(mighty, TOUCH_ASKED, response, nx, ny, time, speed, carries, verdicts, counts)
    return False
