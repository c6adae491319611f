"""HTML without scripts, for places that do not know our MIME type: details elements that open with a click."""

from __future__ import annotations

import re
from html import escape

_CODE = re.compile(r"(`+)(.+?)\1", re.DOTALL)
_STRONG = re.compile(r"\*\*(.+?)\*\*", re.DOTALL)
_EMPHASIS = re.compile(r"(?<![\w*])\*([^*\s](?:[^*]*[^*\s])?)\*(?![\w*])")
_FENCE = re.compile(r"^(?:```|~~~)[^\n]*\n(.*?)\n?(?:```|~~~)[ \t]*$", re.DOTALL | re.MULTILINE)
_BULLET = re.compile(r"^\s*[-*] +", re.MULTILINE)


def html_of(markdown: str) -> str:
    """Return simple Markdown as HTML: paragraphs, lists, code and bold text. Everything else is shown as it is."""
    parts, last = [], 0
    for fence in _FENCE.finditer(markdown):
        parts += [_prose(markdown[last : fence.start()]), code_block(fence[1])]
        last = fence.end()
    return "".join([*parts, _prose(markdown[last:])])


def inline(markdown: str) -> str:
    """Return one line of Markdown as HTML without a paragraph around it."""
    pieces, last = [], 0
    for code in _CODE.finditer(markdown):
        pieces += [_marked(markdown[last : code.start()]), f"<code>{escape(code[2].strip())}</code>"]
        last = code.end()
    return "".join([*pieces, _marked(markdown[last:])])


def code_block(text: str) -> str:
    """Return a program as HTML."""
    return f"<pre><code>{escape(text)}</code></pre>"


def details(summary: str, body: str) -> str:
    """Return HTML that opens with a click; both parts are HTML."""
    return f"<details><summary>{summary}</summary>{body}</details>"


def items(entries: list[str], *, kind: str | None = None) -> str:
    """Return a list of HTML entries, numbered where a kind such as ``"A"`` is given."""
    body = "".join(f"<li>{entry}</li>" for entry in entries)
    return f'<ol type="{kind}">{body}</ol>' if kind else f"<ul>{body}</ul>"


def _prose(markdown: str) -> str:
    blocks = [block.strip("\n") for block in re.split(r"\n\s*\n", markdown) if block.strip()]
    return "".join(_block(block) for block in blocks)


def _block(text: str) -> str:
    lines = text.splitlines()
    if all(_BULLET.match(line) for line in lines):
        return items([inline(_BULLET.sub("", line)) for line in lines])
    return f"<p>{inline(text)}</p>"


def _marked(text: str) -> str:
    return _EMPHASIS.sub(r"<em>\1</em>", _STRONG.sub(r"<strong>\1</strong>", escape(text, quote=False)))
