"""Text of others inside messages: names of files and workers, and user input."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence


def printable(text: str, longest: int | None = None) -> str:
    """Return the text without control characters, shortened to `longest` characters."""
    shown = text if longest is None else text[: longest + 1]
    shown = "".join(letter if letter.isprintable() else "?" for letter in shown)
    return shown if longest is None or len(shown) <= longest else f"{shown[: longest - 1]}…"


_OBEYED = {"Cc", "Cf", "Cs", "Zl", "Zp"}
"""Categories of characters that control a terminal or the layout: controls, text direction, line ends."""


def escaped(text: str, *, keep: str = "") -> str:
    r"""Return the text with control characters escaped, such as ``\x1b``. Doing it twice changes nothing.

    `keep`: characters to keep, such as line ends and tabs.
    """
    if text.isprintable():
        return text
    return "".join(
        letter.encode("unicode_escape").decode()
        if unicodedata.category(letter) in _OBEYED and letter not in keep
        else letter
        for letter in text
    )


def counted(number: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun: ``1 task``, ``5,000 tasks``.

    `one`: the noun in the singular. `many`: the plural, where that is not the singular with an s.
    """
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


def times(sentence: str, number: int) -> str:
    """Return a sentence with a count: ``It does not respond (30 times).``"""
    return sentence if number == 1 else f"{sentence.removesuffix('.')} ({number:,} times)."


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Return rows of a table with aligned columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )
