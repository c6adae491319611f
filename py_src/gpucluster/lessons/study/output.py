"""What a study function leaves in the notebook: a record for our panel, HTML for every other page, and text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..results import LESSON_MIME
from .static_html import inline


@dataclass(frozen=True)
class StudyOutput:
    """A quiz, cards, a Parsons problem, advice or progress; it shows itself at the end of a cell.

    Attributes
    ----------
    record : dict
        Plain JSON data, rendered by the panel's extension; empty where a sentence says all.
    html : str
        The same without scripts.
    text : str
        The same as plain text.
    """

    record: dict[str, Any]
    html: str
    text: str

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        plain: dict[str, Any] = {"text/plain": self.text, "text/html": self.html}
        return plain | ({LESSON_MIME: self.record} if self.record else {})


def sentence(text: str) -> StudyOutput:
    """Return an output that only says something, where there is nothing to show."""
    return StudyOutput({}, f"<p>{inline(text)}</p>", text)
