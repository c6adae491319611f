"""What a study function leaves in the notebook: a record for our panel, HTML for every other page, and text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from typing import Any

from ..results import LESSON_MIME

# What a study function leaves in the notebook: a record for our panel, HTML for every other page, and text.


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


# HTML without scripts, for places that do not know our MIME type: details elements that open with a click.


_KEPT = re.compile(r"(?P<ticks>`+)(?P<code>.+?)(?P=ticks)|(?P<formula>\${1,2}[^$]+\${1,2})", re.DOTALL)
_STRONG = re.compile(r"\*\*(.+?)\*\*", re.DOTALL)
_EMPHASIS = re.compile(r"(?<![\w*])\*([^*<\s](?:[^*<]*[^*<\s])?)\*(?!\*)")
_FENCE = re.compile(r"^(?:```|~~~)[^\n]*\n(.*?)\n?(?:```|~~~)[ \t]*$", re.DOTALL | re.MULTILINE)
_BULLET = re.compile(r"^\s*[-*] +")
_NUMBER = re.compile(r"^\s*\d+[.)] +")


def html_of(markdown: str) -> str:
    """Return simple Markdown as HTML: paragraphs, lists, code and bold text. Everything else is shown as it is."""
    parts, last = [], 0
    for fence in _FENCE.finditer(markdown):
        parts += [_prose(markdown[last : fence.start()]), code_block(fence[1])]
        last = fence.end()
    return "".join([*parts, _prose(markdown[last:])])


def inline(markdown: str) -> str:
    """Return one line of Markdown as HTML without a paragraph around it."""
    kept: list[str] = []

    def keep(match: re.Match[str]) -> str:
        code = match["code"]
        kept.append(escape(match[0], quote=False) if code is None else f"<code>{escape(code.strip())}</code>")
        return f"\0{len(kept) - 1}\0"

    # Code and formulas are set aside, so that no star in them makes text bold.
    text = escape(_KEPT.sub(keep, markdown.replace("\0", "")), quote=False)
    text = _EMPHASIS.sub(r"<em>\1</em>", _STRONG.sub(r"<strong>\1</strong>", text))
    return re.sub("\0(\\d+)\0", lambda match: kept[int(match[1])], text)


def code_block(text: str) -> str:
    """Return a program as HTML."""
    return f"<pre><code>{escape(text)}</code></pre>"


def details(summary: str, body: str) -> str:
    """Return HTML that opens with a click; both parts are HTML."""
    return f"<details><summary>{summary}</summary>{body}</details>"


def summary_of(markdown: str) -> str:
    """Return Markdown as the line that opens a details element; a program in it keeps its lines."""
    return html_of(markdown) if _FENCE.search(markdown) else inline(markdown)


def items(entries: list[str], *, kind: str | None = None) -> str:
    """Return a list of HTML entries, counted where a kind such as ``"A"`` or ``"1"`` is given."""
    body = "".join(f"<li>{entry}</li>" for entry in entries)
    return f'<ol type="{kind}">{body}</ol>' if kind else f"<ul>{body}</ul>"


def _prose(markdown: str) -> str:
    blocks = [block.strip("\n") for block in re.split(r"\n\s*\n", markdown) if block.strip()]
    return "".join(_block(block) for block in blocks)


def _block(text: str) -> str:
    lines = text.splitlines()
    for mark, kind in ((_BULLET, None), (_NUMBER, "1")):
        if all(mark.match(line) for line in lines):
            return items([inline(mark.sub("", line)) for line in lines], kind=kind)
    return f"<p>{inline(text)}</p>"
