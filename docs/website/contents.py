"""The order of the pages: as ``docs/README.md`` lists them, and the README of a folder those beside it.

One list serves both: people who read on GitHub, and the navigation of the site. Each ``##`` of that page becomes a
section, and each link of a line that begins with one becomes an entry.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from .errors import SiteError
from .links import targets
from .pages import CONTENTS, Pages

_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
_LINE = re.compile(r"^\* \[.*$", re.MULTILINE)
_ENTRY = re.compile(r"\[(?P<title>[^\]]+)\]\((?P<target>[^)#]+)\)")


@dataclass(frozen=True)
class Section:
    """A part of the site: its name, what is said about it, and its pages as (title, path in the repository)."""

    title: str
    text: str
    entries: tuple[tuple[str, str], ...]

    @property
    def place(self) -> str:
        """Path of the section's own page on the site."""
        return f"section-{self.title.lower().replace(' ', '-')}.md"


def sections(pages: Pages) -> tuple[Section, ...]:
    """Return the sections of the site, in order."""
    _, *parts = _HEADING.split((pages.root / CONTENTS).read_text(encoding="utf-8"))
    found = []
    for title, text in zip(parts[::2], parts[1::2], strict=True):
        links = [link for line in _LINE.findall(text) for link in _ENTRY.finditer(line)]
        entries = tuple((_title(link["title"]), pages.resolve(CONTENTS, link["target"])) for link in links)
        found.append(Section(title, text.strip(), entries))
    return tuple(found)


def below(pages: Pages, folder_page: str, text: str) -> tuple[str, ...]:
    """Return the pages that the README of a folder lists, as paths in the repository; lessons come first."""
    folder = PurePosixPath(folder_page).parent
    found = dict.fromkeys(pages.resolve(folder_page, target.partition("#")[0]) for target in targets(text))
    if folder.as_posix() == "docs/lessons":  # also those that were not measured yet, which the table does not have
        found |= dict.fromkeys(sorted(name for name in pages.places if name.endswith(".ipynb")))
    inside = [name for name in found if name in pages.places and name != folder_page
              and (PurePosixPath(name).parent == folder or name.endswith(".ipynb"))]  # fmt: skip
    return tuple(sorted(inside, key=lambda name: not name.endswith(".ipynb")))


def check_complete(pages: Pages, texts: Mapping[str, str], parts: Sequence[Section]) -> None:
    """See that each page can be found.

    Raises
    ------
    SiteError
        When a page is on no list.
    """
    listed = {CONTENTS, *(name for part in parts for _, name in part.entries)}
    for name, text in texts.items():
        if name.endswith("/README.md") and name != CONTENTS:
            listed.update(below(pages, name, text))
    for name in pages.places:
        if name not in listed:
            raise SiteError(
                f"{name} is in no list of pages. Put it into {_list_for(name)}, where people will look for it."
            )
    for part in parts:
        for title, name in part.entries:
            if name not in pages.places:
                raise SiteError(f"{CONTENTS}: {title!r} leads to {name}, which is not a page.")


def toctree(entries: Iterable[tuple[str, str]]) -> str:
    """Return Sphinx's directive for pages below this one, as (title or nothing, place on the site)."""
    lines = [f"{title} </{_name(place)}>" if title else f"/{_name(place)}" for title, place in entries]
    return "\n".join(["", "```{toctree}", ":hidden:", "", *lines, "```", ""])


def for_assistants(pages: Pages, about: str) -> str:
    """Return ``llms.txt``: the pages of the site for programs that read, in the format of https://llmstxt.org."""
    lines = ["# gpucluster", "", f"> {about}"]
    for part in sections(pages):
        lines += ["", f"## {part.title}", ""]
        places = ((title, PurePosixPath(pages.places[name]).with_suffix(".html")) for title, name in part.entries)
        lines += [f"- [{title}]({place})" for title, place in places]
    return "\n".join(lines) + "\n"


def _title(text: str) -> str:
    return text[0].upper() + text[1:]


def _name(place: str) -> str:
    return str(PurePosixPath(place).with_suffix(""))


def _list_for(name: str) -> str:
    folder = PurePosixPath(name).parent
    return CONTENTS if folder.name in {"", "docs", "benchmarks"} else f"{folder}/README.md"
