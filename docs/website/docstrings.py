"""Docstrings as they are written here, for Sphinx."""

from __future__ import annotations

import re

from sphinx.application import Sphinx
from sphinx.domains.python import PyClasslike

_LITERAL = re.compile(r"(`+[^`]*`+)")
_FITTED = re.compile(r"(?<=\w)_(?=[\s,.;:)\]]|$)")


def setup(app: Sphinx) -> None:
    """Look at each docstring after napoleon has."""
    for field in PyClasslike.doc_field_types:
        if field.name == "variable":
            field.label = "Attributes"  # as the docstrings say
    app.connect("autodoc-process-docstring", _escape_fitted_names, priority=900)


def _escape_fitted_names(
    _app: Sphinx, _what: str, _name: str, _thing: object, _options: object, lines: list[str]
) -> None:
    """Let ``labels_`` be a name: for reStructuredText, a word with an underscore at its end is a link."""
    for place, line in enumerate(lines):
        parts = _LITERAL.split(line)
        lines[place] = "".join(part if _LITERAL.match(part) else _FITTED.sub(r"\\_", part) for part in parts)
