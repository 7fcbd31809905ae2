"""How Sphinx makes the pages: `sphinx-build -W docs docs/_build/html`."""

from __future__ import annotations

import os
from typing import Any

# Without it `import arcade`, which autodoc needs, looks for a screen's libraries.
os.environ.setdefault("ARCADE_HEADLESS", "True")

from impinge import __version__

project = "Impinge"
author = "The Impinge developers"
project_copyright = "The Impinge developers"
release = version = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
exclude_patterns = ["_build"]
# Docstrings name things in single backticks, so that they read well in a terminal too.
default_role = "literal"

myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3

napoleon_google_docstring = False
autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
# Spelt out it fills half a page.
autodoc_type_aliases = {"ArrayLike": "ArrayLike"}

html_theme = "furo"
html_title = f"Impinge {release}"


def keep_first_line(app: Any, what: str, name: str, obj: object, options: Any, lines: list[str]) -> None:
    """Let a property's first line be text: Napoleon takes what is before a colon in it for a type."""
    if isinstance(obj, property):
        lines[:0] = ["..", ""]  # an empty comment


def setup(app: Any) -> None:
    """Connect it."""
    app.connect("autodoc-process-docstring", keep_first_line, priority=400)  # Napoleon's own is 500
