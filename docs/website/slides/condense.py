"""What of a lesson's prose stands on a slide: what one sees at a glance. All of it is in the speaker's notes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_SENTENCE = re.compile(r".+?[.?!](?:\*\*|\)|”)*(?=\s+[A-Z“(`*]|\s*$)|.+$")
_LABEL = re.compile(r"^\*\*[^*]+\*\*$")
_SEEN = re.compile(r"^(?:[*+-] |\d+\. |\||\$\$|> |!\[|```|~~~)")
_LONGEST = 210
"""Characters that a paragraph may have on a slide."""


@dataclass
class Prose:
    """The prose of a cell.

    Attributes
    ----------
    heading : str
        Without its marks; empty where it has none.
    level : int
        Of the heading.
    seen : list of str
        Blocks for the slide: lists, tables, formulas, pictures, and how paragraphs begin.
    spoken : list of str
        Paragraphs that say more than the slide does.
    """

    heading: str = ""
    level: int = 0
    seen: list[str] = field(default_factory=list)
    spoken: list[str] = field(default_factory=list)


def condensed(text: str) -> Prose:
    """Return what of a cell is seen, and what is spoken."""
    found = Prose()
    for block in blocks(text):
        marks, _, rest = block.partition(" ")
        if set(marks) == {"#"}:
            title, _, below = rest.partition("\n")
            found.heading, found.level = title.strip(), len(marks)
            if not below.strip():
                continue
            block = below.strip()
        if _SEEN.match(block):
            found.seen.append(block)
            continue
        if block.startswith("<details"):
            found.spoken.append(block.strip())
            continue
        first = beginning(block)
        if first:
            found.seen.append(first)
        if first != " ".join(block.split()):
            found.spoken.append(block.strip())
    return found


def beginning(paragraph: str) -> str:
    """Return the first sentences of a paragraph that a slide has room for: nothing where the first one is too long."""
    found = ""
    for sentence in _SENTENCE.findall(" ".join(paragraph.split())):
        longer = f"{found} {sentence.strip()}".strip()
        if len(longer) > _LONGEST:
            break
        found = longer
    whole = all(found.count(mark) % 2 == 0 for mark in ("`", "**", "$"))
    return found if whole and not _LABEL.match(found) else ""


def blocks(text: str) -> list[str]:
    """Return the paragraphs of a text; what is fenced is one."""
    found: list[str] = []
    fence, formula = "", False
    for part in re.split(r"\n\s*\n", text.strip()):
        inside = bool(fence) or formula
        if inside:
            found[-1] += f"\n\n{part}"
        else:
            found.append(part)
        for line in part.splitlines():
            mark = re.match(r"\s*(`{3,}|~{3,})", line)
            if mark and not fence:
                fence = mark[1]
            elif mark and line.strip().startswith(fence):
                fence = ""
        formula ^= part.count("$$") % 2 == 1
    return [block for block in found if block.strip()]
