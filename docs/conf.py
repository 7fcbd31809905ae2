"""Sphinx configuration: `sphinx-build -W docs docs/_build/html` makes the pages."""

from __future__ import annotations

import os
from functools import cached_property
from typing import Any

# Without it, `import arcade`, which autodoc needs, looks for the libraries of a screen.
os.environ.setdefault("ARCADE_HEADLESS", "True")

from impinge import __version__

project = "Impinge"
author = "The Impinge developers"
project_copyright = "The Impinge developers"
release = version = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
exclude_patterns = ["_build"]
# Docstrings put names in single backticks, so that they read well in a terminal too.
default_role = "literal"

myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3

napoleon_google_docstring = False
autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
# Spelt out, this type fills half a page.
autodoc_type_aliases = {"ArrayLike": "ArrayLike"}

html_theme = "furo"
html_title = f"Impinge {release}"


def keep_first_line(app: Any, what: str, name: str, obj: object, options: Any, lines: list[str]) -> None:
    """Keep a property's first line as text: Napoleon takes the part before a colon for a type."""
    if isinstance(obj, property | cached_property):
        lines[:0] = ["..", ""]  # an empty reST comment


def setup(app: Any) -> None:
    """Connect the handler."""
    app.connect("autodoc-process-docstring", keep_first_line, priority=400)  # Napoleon's priority is 500
