"""Run Pymunk's own tests from the installed package: `run_pymunk_tests.py [continuous]`.

With `continuous`, each space that a test makes has continuous steps; the tests are unchanged. Prints as JSON which
tests fail, and how many tests and continuous steps there were.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import io
import json
import pkgutil
import sys
import unittest
import warnings
from typing import Any

import pymunk
import pymunk.tests

from impinge_pymunk import Continuous, continuous


def make_all_spaces_continuous(steps: list[float]) -> None:
    """Give each new space continuous steps, and note each step."""
    begin, before = pymunk.Space.__init__, Continuous.before

    def begin_continuous(space: pymunk.Space, *arguments: Any, **options: Any) -> None:
        begin(space, *arguments, **options)
        continuous(space)

    def before_noted(stage: Continuous, dt: float) -> None:
        steps.append(dt)
        before(stage, dt)

    changed: Any = pymunk.Space
    changed.__init__ = begin_continuous
    changed = Continuous
    changed.before = before_noted


def main(is_continuous: bool) -> None:
    steps: list[float] = []
    if is_continuous:
        make_all_spaces_continuous(steps)
    # They warn about Pymunk's old names, and print.
    warnings.simplefilter("ignore")
    loader, suite = unittest.TestLoader(), unittest.TestSuite()
    with contextlib.redirect_stdout(io.StringIO()):
        for module in pkgutil.iter_modules(pymunk.tests.__path__, "pymunk.tests."):
            if module.name.rpartition(".")[2].startswith("test_"):
                suite.addTests(loader.loadTestsFromModule(importlib.import_module(module.name)))
        # A test of Pymunk collects garbage 720 times: 15 s if that looks through NumPy and Pymunk too.
        gc.freeze()
        result = unittest.TextTestRunner(stream=io.StringIO(), verbosity=0).run(suite)
    failed = {case.id().removeprefix("pymunk.tests."): trace for case, trace in [*result.failures, *result.errors]}
    json.dump({"failed": failed, "tests": result.testsRun, "steps": len(steps)}, sys.stdout)


if __name__ == "__main__":
    main("continuous" in sys.argv[1:])
