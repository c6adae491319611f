"""Links between files of the repository, as links between pages of the site."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import PurePosixPath

from .errors import SiteError
from .pages import REPOSITORY, Pages

_LINK = re.compile(r"(?P<before>\]\()(?P<target>[^)\s]+)(?P<after>(?:\s+\"[^\"]*\")?\))")
_IN_LESSON = re.compile(r"\[(?P<text>[^\]]+)\]\((?P<target>[^)\s]*notebooks/\d\d-[^)\s]+\.ipynb#[^)\s]+)\)")
_PICTURE = re.compile(r"(?P<before><img src=\")(?P<target>[^\"]+)(?P<after>\")")
_CODE = re.compile(r"`+[^`]*`+")
_FENCE = re.compile(r"^\s*(`{3,}|~{3,})")
_IMAGES = {".png", ".svg", ".jpg"}


def on_the_site(pages: Pages, page: str, text: str) -> str:
    """Return the text of a page with links as they must be on the site.

    A link to another page leads to it, one to any other file of the repository leads to the repository.

    Raises
    ------
    SiteError
        When a link leads to a file that does not exist.
    """

    def changed(target: str) -> str:
        return _target(pages, page, target)

    def to_place_in_lesson(found: re.Match[str]) -> str:
        # Its places are no headings, so Sphinx does not know them; what is built is looked at afterwards.
        place = re.sub(r"\.md(?=#)", ".html", changed(found["target"]))
        return f'<a href="{place}">{found["text"]}</a>'

    def in_line(line: str) -> str:
        line = _IN_LESSON.sub(to_place_in_lesson, line)
        for kind in (_LINK, _PICTURE):
            line = kind.sub(lambda found: f"{found['before']}{changed(found['target'])}{found['after']}", line)
        return line

    return _outside_of_code(text, in_line)


def targets(text: str) -> list[str]:
    """Return where the links of a text lead, in order."""
    found: list[str] = []

    def noted(line: str) -> str:
        found.extend(match["target"] for match in _LINK.finditer(line))
        return line

    _outside_of_code(text, noted)
    return found


def _target(pages: Pages, page: str, target: str) -> str:
    if "://" in target or target.startswith(("#", "mailto:")):
        return target
    path, mark, anchor = target.partition("#")
    name = pages.resolve(page, path)
    if name in pages.places:
        return f"{pages.from_page(page, pages.places[name])}{mark}{anchor}"
    file = pages.root / name
    if not file.exists():
        raise SiteError(f"{page}: the link to {target!r} leads to nothing.")
    if PurePosixPath(name).suffix in _IMAGES and name.startswith("docs/"):
        return pages.from_page(page, name.removeprefix("docs/"))
    return f"{REPOSITORY}/{'tree' if file.is_dir() else 'blob'}/main/{name}{mark}{anchor}"


def _outside_of_code(text: str, change: Callable[[str], str]) -> str:
    lines, fence = [], ""
    for line in text.splitlines(keepends=True):
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence):
                fence = ""
        elif mark:
            fence = mark[1]
        else:
            line = _outside_of_spans(line, change)
        lines.append(line)
    return "".join(lines)


def _outside_of_spans(line: str, change: Callable[[str], str]) -> str:
    """Change a line whose code may not be read as links; a link's own text may be code."""
    kept: list[str] = []

    def hidden(span: re.Match[str]) -> str:
        kept.append(span[0])
        return f"\0{len(kept) - 1}\0"

    changed = change(_CODE.sub(hidden, line))
    return re.sub("\0(\\d+)\0", lambda number: kept[int(number[1])], changed)
