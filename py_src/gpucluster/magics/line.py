"""Split the line after ``%gpucluster`` into words."""

import json
import re
import shlex
from collections.abc import Callable, Mapping
from typing import Any

from ..protocol.errors import InvalidRequest

_COMMENT = re.compile(r"(^|\s)#.*")


class Expansion:
    """Expands ``{expression}`` and ``$name`` in a line, as IPython does in every line magic.

    What cannot be evaluated stays as typed, and so does a JSON object such as ``{"a": 1}``.

    `names`: the variables of the code that the line is in.
    """

    def __init__(self, names: Mapping[str, Any]) -> None:
        self._names = names
        self.problem: str | None = None  # Why something was not expanded.

    def __call__(self, text: str) -> str:
        """Return the text with its variables expanded."""
        expanded, begin, place = "", 0, text.find("{")
        while place >= 0:
            if text.startswith("{{", place):  # An escaped brace.
                place += 1
            elif (end := _end_of_json(text, place)) is not None:
                expanded += self._filled(text[begin:place]) + text[place:end]
                begin, place = end, end - 1
            place = text.find("{", place + 1)
        return expanded + self._filled(text[begin:])

    def _filled(self, text: str) -> str:
        if "{" not in text and "$" not in text:
            return text
        from IPython.utils.text import DollarFormatter

        try:
            return DollarFormatter().vformat(text, args=[], kwargs=dict(self._names))
        except Exception as error:  # Of the expression; IPython leaves it as typed, too.
            what = "braces" if "{" in text else "variables"
            self.problem = f"The {what} in it were not expanded: {error or type(error).__name__}."
            return text


def _end_of_json(text: str, place: int) -> int | None:
    """Return the end of the JSON object that starts there; ``None``: there is none."""
    try:
        return json.JSONDecoder().raw_decode(text, place)[1]
    except (ValueError, RecursionError):
        return None


def may_expand(line: str) -> bool:
    return "{" in line or "$" in line


def split_line(line: str, cell: str | None = None, expand: Callable[[str], str] = str) -> list[str]:
    """Split a line and the lines of the cell below it into words, like a shell.

    `expand`: expands variables in the line; the cell stays as typed. Raises `InvalidRequest`: unclosed quotation mark.
    """
    words: list[str] = []
    for part in [expand(_COMMENT.sub("", line)), *(_COMMENT.sub("", part) for part in (cell or "").splitlines())]:
        try:
            words += shlex.split(part)
        except ValueError:
            raise InvalidRequest("Missing closing quotation mark.") from None
    return words
