"""Calls in a fork answer, and an error or a crash there has the name of its case."""

from __future__ import annotations

import os
import signal
import sys

import pytest

from forks import forked


def test_a_fork_answers_and_changes_nothing_here():
    changed = []

    def change(value):
        changed.append(value)
        return list(changed)

    assert forked(change, ["a", "b"]) == [[0], [0, 1]]
    assert changed == ([] if hasattr(os, "fork") else [0, 1])


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
@pytest.mark.parametrize(
    ("ending", "text"),
    [
        (lambda: os.kill(os.getpid(), signal.SIGKILL), f"case b: the process ended with code {int(signal.SIGKILL)}"),
        (lambda: os._exit(3), f"case b: the process ended with code {3 << 8}"),
        (lambda: 1 / 0, "(?s)case b: Traceback.*ZeroDivisionError"),
    ],
)
def test_the_end_of_a_fork_names_its_case(ending, text):
    with pytest.raises(AssertionError, match=text):
        forked(lambda at: ending() if at == 1 else None, ["case a", "case b", "case c"])
