"""The web page of a lesson: one file, no script, nothing loaded from elsewhere, for light and dark."""

import re
from html import escape
from pathlib import Path

from ...protocol.errors import MissingPackage
from ..study.parsons import find_problem, lettered
from .notebooks import cell_ids
from .source import LessonSource, SourceCell

_STYLE = (Path(__file__).parent / "page.css").read_text(encoding="utf-8")
_PARSONS = re.compile(r'^lessons\.parsons\("([0-9.]+)"\)$', re.MULTILINE)
_ACTIVE = re.compile(r"<\s*(script|iframe|object|embed)\b|\son\w+\s*=|javascript:", re.IGNORECASE)


def make_page(source: LessonSource) -> str:
    """Return the lesson as HTML: the learner's view, with the hints to be unfolded and without the solutions.

    Raises
    ------
    ValueError
        When the text of the lesson would put a script into the page.
    """
    body = "\n".join(_cell(cell, name) for cell, name in zip(source.cells, cell_ids(source), strict=True))
    if found := _ACTIVE.search(_without_code(body)):
        raise ValueError(f"The text of {source.slug} has {found[0]!r}, which a page without scripts cannot have.")
    light, dark = (_highlighting(style, scheme) for style, scheme in (("default", "light"), ("github-dark", "dark")))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
        'img-src data:">\n'
        f"<title>{escape(source.id)} · {escape(source.title)}</title>\n<style>\n{_STYLE}{light}{dark}</style>\n"
        f"</head>\n<body>\n<main>\n{body}\n</main>\n"
        f"<footer><p>Lesson {escape(source.id)} of gpucluster. To work through it, run <code>gpucluster lessons open "
        f"{escape(source.id)}</code>.</p></footer>\n</body>\n</html>\n"
    )


def _cell(cell: SourceCell, name: str) -> str:
    if "instructor" in cell.tags:
        return ""
    if cell.hint:
        return f"<details><summary>Hint {cell.hint}</summary>{_prose(cell.text)}</details>"
    kind = "exercise" if cell.exercise else cell.tags[0] if cell.tags else "text"
    inside = _code(cell.learner_text()) + _lines(cell.text) if cell.type == "code" else _prose(cell.text)
    return f'<section id="{escape(name)}" class="{escape(kind)}">\n{inside}</section>'


def _prose(text: str) -> str:
    try:
        from markdown_it import MarkdownIt
    except ImportError:
        raise MissingPackage("Building pages needs markdown-it-py. Install it: pip install markdown-it-py.") from None
    rendered: str = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(text)
    return rendered


def _code(text: str) -> str:
    from pygments import highlight
    from pygments.formatters.html import HtmlFormatter
    from pygments.lexers.python import PythonLexer

    return str(highlight(text, PythonLexer(), HtmlFormatter(cssclass="code")))


def _lines(code: str) -> str:
    """Return the lines that a cell lets learners put in order, as the notebook shows them when the cell has run."""
    found = _PARSONS.search(code)
    problem = find_problem(found[1]) if found else None
    if problem is None:
        return ""
    rows = (f"<li><code>{letter}</code> {escape(line.text)}</li>" for letter, line in lettered(problem).items())
    return f'<ul class="lines">\n{"".join(rows)}\n</ul>'


def _highlighting(style: str, scheme: str) -> str:
    from pygments.formatters.html import HtmlFormatter

    rules = HtmlFormatter(style=style, cssclass="code").get_style_defs("main .code")
    own = "\n".join(line for line in rules.splitlines() if line.startswith("main .code ."))
    return f"@media (prefers-color-scheme: {scheme}) {{\n{own}\n}}\n"


def _without_code(html: str) -> str:
    return re.sub(r"<pre\b.*?</pre>|<code\b.*?</code>", "", html, flags=re.DOTALL)
