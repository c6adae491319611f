"""Find phrases in the documentation, the lessons and the source that ``.ci/words.txt`` replaces.

Usage: ``python .ci/words.py [PAGE ...]``. Of Markdown, code is not checked; of Python, strings and comments are. A line
with ``words: ok`` is an exception.
"""

from __future__ import annotations

import argparse
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIST = ROOT / ".ci" / "words.txt"
EXCEPTION = "words: ok"
_CODE = re.compile(
    r"^ *(`{3,}|~{3,}).*?^ *\1 *$|(?<!`)(`+)(?!`)(?:(?!\n\n).)*?(?<!`)\2(?!`)|\]\([^)\s]*\)", re.MULTILINE | re.DOTALL
)
# "The mean of its own rows" is plain English, "a process of its own" is not.
_OWN = r"(?! (?!(?:and|as|at|below|but|by|for|from|in|is|on|so|that|to|when|where|which|while|with)\b)[a-z])"
_START = r"(?:\A|(?<=[.!?:|*-] )|(?<=[.!?:*|\n]\n)|(?<=\*\*))"


@dataclass(frozen=True)
class Phrase:
    """A phrase, what finds it, and what to write instead."""

    text: str
    pattern: re.Pattern[str]
    replacement: str


def phrases(path: Path = LIST) -> list[Phrase]:
    """Read the list of phrases."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            text, replacement = line.split(" = ", 1)
            starts, text = text.startswith("^"), text.removeprefix("^")
            words = r"\s+".join(re.escape(word) for word in text.split())
            pattern = (
                rf"{_START}{words}\b(?![^.!?|]*\?)"
                if starts
                else rf"(?i:\b{words}\b){_OWN if text.endswith(' own') else ''}"
            )
            found.append(Phrase(text, re.compile(pattern), replacement))
    return found


def findings(text: str, listed: list[Phrase]) -> Iterator[tuple[int, Phrase]]:
    """Yield the line number of each phrase in a page of Markdown, without its code and the targets of its links."""
    prose = _CODE.sub(lambda code: re.sub(r"[^\n]", " ", code[0]), text)
    lines = text.splitlines()
    for phrase in listed:
        for match in phrase.pattern.finditer(prose):
            number = prose.count("\n", 0, match.start()) + 1
            if EXCEPTION not in lines[number - 1]:
                yield number, phrase


def pages() -> list[str]:
    """Return the pages of the documentation, the sources of lessons and the modules, relative to the repository."""
    package = ROOT / "py_src" / "gpucluster"
    course = package / "lessons" / "course"
    found = [*(ROOT / "docs").rglob("*.md"), *package.rglob("*.py"), *course.rglob("*.json"), *course.rglob("*.yaml")]
    built = package / "lessons" / "notebooks"
    return ["README.md", *sorted(path.relative_to(ROOT).as_posix() for path in found if built not in path.parents)]


def _words_of_python(source: str) -> str:
    """Return the strings and comments of a module, at their lines."""
    lines = [""] * (source.count("\n") + 1)
    kinds = {tokenize.STRING, tokenize.COMMENT, getattr(tokenize, "FSTRING_MIDDLE", -1)}
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in kinds:
            text = re.sub(r"\{[^{}\n]*\}", "", token.string)
            for number, line in enumerate(text.split("\n"), token.start[0] - 1):
                lines[number] += f"{line} "
    return "\n".join(lines)


def faults(page: str, listed: list[Phrase]) -> list[str]:
    """Return one message for each phrase of a page."""
    text = (ROOT / page).read_text(encoding="utf-8")
    if page.endswith(".py"):
        text = _words_of_python(text)
    found = sorted(findings(text, listed), key=lambda one: one[0])
    return [f"{page}:{number}: {phrase.text!r}: write {phrase.replacement}" for number, phrase in found]


def check(chosen: list[str] | None = None) -> list[str]:
    """Return what is wrong with these pages, or with all."""
    listed = phrases()
    return [fault for page in chosen or pages() for fault in faults(page, listed)]


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="*", help="check these pages only")
    wrong = check(parser.parse_args().pages)
    print("\n".join(wrong), end="\n" if wrong else "", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
