"""The words of the lessons: ``course/words.yaml``. Each lesson links their first uses to a list at its end.

``python -m gpucluster.lessons.building.words`` prints all words, as the site lists them.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from ...protocol.errors import GPUClusterError
from ..catalogue import COURSE
from .source import LessonSource, SourceCell, slug_of

_PLACE = re.compile(r"^([0-9]{2})(#[a-z][a-z0-9-]*)?$")
_KEYS = {"is", "at", "in", "also", "words"}
_NO_PROSE = re.compile(
    r"^ {0,3}(?P<fence>`{3,}|~{3,}).*?(?:^ {0,3}(?P=fence)|\Z)"  # code in lines of its own
    r"|^ {0,3}#{1,6} [^\n]*"  # headings
    r"|\$\$.*?\$\$|\$[^$\n]+\$"  # formulas
    r"|(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`)"  # code in a line
    r"|!?\[[^\]]*\]\([^)]*\)"  # links and pictures
    r"|<summary>.*?</summary>|<[^>]*>"  # HTML
    r"|https?://\S+",
    re.MULTILINE | re.DOTALL,
)


class WordsError(GPUClusterError):
    """The file of the words is not in order."""

    code = "lesson_words"


@dataclass(frozen=True)
class Word:
    """A word of the lessons.

    Attributes
    ----------
    name : str
        The word, in lists.
    meaning : str
        What is meant, without a full stop.
    place : str
        A lesson (``09``), or a cell of it (``06#allreduce``), that explains it.
    spellings : tuple of str
        How it stands in a text, in the singular or as it is.
    only_in : frozenset of str, optional
        Lessons in which it has this meaning; None: in all of them.
    """

    name: str
    meaning: str
    place: str
    spellings: tuple[str, ...]
    only_in: frozenset[str] | None = None

    @property
    def anchor(self) -> str:
        """Name of the word's place in the list."""
        return f"word-{self._slug}"

    @property
    def use(self) -> str:
        """Name of the place of its first use."""
        return f"use-{self._slug}"

    @property
    def _slug(self) -> str:
        return re.sub("[^a-z0-9]+", "-", self.name.lower())

    def used_in(self, lesson: str) -> bool:
        """Whether a lesson uses it with this meaning."""
        return self.only_in is None or lesson in self.only_in


@cache
def read_words(path: Path | None = None) -> tuple[Word, ...]:
    """Read the file.

    Raises
    ------
    WordsError
        With the word that is not in order.
    """
    import yaml  # type: ignore[import-untyped]

    path = path or COURSE / "words.yaml"
    try:
        # All plain text: 06 is not a number.
        data = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)  # noqa: S506  # makes no objects
    except (OSError, yaml.YAMLError) as error:
        raise WordsError(f"{path.name} cannot be read: {error}") from None
    if not isinstance(data, dict):
        raise WordsError(f"{path.name} is not a list of words.")
    return tuple(_word(str(name), entry) for name, entry in data.items())


def with_words(source: LessonSource, words: Iterable[Word]) -> LessonSource:
    """Return a lesson whose prose links the first use of each word to the list of them, a cell at its end.

    Headings, code, formulas, links, hints and what is for the instructor stay as they are.
    """
    left = {word.name: word for word in words if word.used_in(source.id)}
    found: list[Word] = []
    cells = []
    for cell in source.cells:
        if cell.type == "markdown" and not cell.hint and "instructor" not in cell.tags:
            text = _linked(cell.text, left, found)
            cell = replace(cell, text=text)
        cells.append(cell)
    if not found:
        return source
    listed = SourceCell("markdown", _listed(found, source.id), tags=("words",), anchor="words")
    return replace(source, cells=(*cells, listed))


def page(words: Iterable[Word]) -> str:
    """Return the list of all words in alphabetical order, with links from a page in ``docs/lessons``."""
    pages = {slug[:2]: f"../../notebooks/{slug}/{slug}.ipynb" for slug in _slugs()}
    rows = []
    for word in sorted(words, key=lambda word: word.name.lower()):
        lesson, mark, anchor = word.place.partition("#")
        also = f" (*{'*, *'.join(_others(word))}*)" if _others(word) else ""
        rows.append(f"* **{word.name}**{also}: {word.meaning} ([{lesson}]({pages[lesson]}{mark}{anchor}))\n")
    return "".join(rows)


def pattern(words: Iterable[Word]) -> re.Pattern[str]:
    """Return what finds each of the words in prose, in singular and plural; of two, the longer one."""
    spellings = sorted({one for word in words for one in word.spellings}, key=lambda one: (-len(one), one))
    parts = "|".join(r"\s+".join(map(re.escape, one.split())) + "(?:s|es)?" for one in spellings)
    return re.compile(rf"(?<![\w/#.-])(?:{parts})(?![\w/-])", re.IGNORECASE)


def meant(text: str, words: Iterable[Word]) -> Word:
    """Return which of the words a text that their `pattern` has found is."""
    plain = " ".join(text.split()).lower()
    by_spelling = {one.lower(): word for word in words for one in word.spellings}
    return next(by_spelling[one] for one in (plain, plain[:-1], plain[:-2]) if one in by_spelling)


def _linked(text: str, left: dict[str, Word], found: list[Word]) -> str:
    """Link first uses in a text; a word that was found goes from those that are left to those that are found."""
    every = (*left.values(), *found)
    words = pattern(every)

    def link(match: re.Match[str]) -> str:
        word = meant(match[0], every)
        if left.pop(word.name, None) is None:
            return match[0]
        found.append(word)
        return f'[<span id="{word.use}"></span>{match[0]}](#{word.anchor} "{word.name}: {word.meaning}")'

    return _in_prose(text, lambda prose: words.sub(link, prose))


def _in_prose(text: str, change: Callable[[str], str]) -> str:
    parts, end = [], 0
    for other in _NO_PROSE.finditer(text):
        parts += [change(text[end : other.start()]), other[0]]
        end = other.end()
    return "".join([*parts, change(text[end:])])


def _listed(words: list[Word], lesson: str) -> str:
    lines = [
        "## Words of this lesson",
        "",
        "In the order in which they are used first. Each first use is a link to here.",
        "",
    ]
    for word in words:
        explained = word.place[:2]
        where = f" (lesson {explained})" if explained != lesson else ""
        back = f'[↑](#{word.use} "back to the text")'
        lines.append(f'* <span id="{word.anchor}"></span>**{word.name}**: {word.meaning}{where}. {back}')
    return "\n".join(lines)


def _others(word: Word) -> list[str]:
    """Return other names, without those that differ in their ending."""
    return [one for one in word.spellings if one[:4].lower() not in word.name.lower()]


def _word(name: str, entry: Any) -> Word:
    if not isinstance(entry, dict) or not {"is", "at"} <= set(entry) <= _KEYS:
        raise WordsError(f"{name} needs its meaning ('is') and where it is explained ('at').")
    place = _PLACE.match(str(entry["at"]))
    if not place:
        raise WordsError(f"{name}: {entry['at']!r} is neither a lesson (09) nor a cell of one (06#allreduce).")
    if set('|"<>') & set(entry["is"]):
        raise WordsError(f'{name}: its meaning must not contain | " < >, because it is used in a table and in a link.')
    spellings = (*entry.get("words", (name,)), *entry.get("also", ()))
    return Word(name, entry["is"], entry["at"], spellings, _lessons(name, entry.get("in", "from"), place[1]))


def _slugs() -> list[str]:
    return [slug_of(package.parent) for package in COURSE.glob("*/__init__.py")]


def _lessons(name: str, where: Any, explained: str) -> frozenset[str] | None:
    if where == "all":
        return None
    if where == "only":
        return frozenset({explained})
    known = sorted(slug[:2] for slug in _slugs())
    if where == "from":
        return frozenset(id for id in known if id >= explained)
    if not isinstance(where, list) or not set(where) <= set(known):
        raise WordsError(f"{name}: 'in' is 'all', 'only', 'from' or a list of lessons, not {where!r}.")
    return frozenset(where)


if __name__ == "__main__":
    sys.stdout.write(page(read_words()))
