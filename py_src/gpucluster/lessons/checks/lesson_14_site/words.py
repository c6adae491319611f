"""Command lines that learners return: as one text for a shell, or as a list of words."""

from __future__ import annotations

import shlex
from typing import Any

from ...examination import Examination, Halt, describe


def command_words(exam: Examination, found: Any, what: str = "It") -> list[str]:
    """Return the words of a command line, or end the examination."""
    if isinstance(found, (list, tuple)):
        other = next((word for word in found if not isinstance(word, str)), None)
        exam.require(f"{what} is a text, or a list of texts", other is None, f"there is {describe(other)} in it")
        return list(found)
    exam.require(f"{what} is a text, or a list of texts", isinstance(found, str), describe(found))
    try:
        return shlex.split(found.replace("\\\n", " "))
    except ValueError as error:
        exam.require("A shell can read it", False, f"{error}: {found}")
        raise Halt from error


def option_values(words: list[str], with_values: set[str]) -> tuple[list[tuple[str, str]], list[str]]:
    """Read options up to the first word that is none.

    Returns
    -------
    tuple
        Pairs of an option and its value, empty for one without; and the words behind them.
    """
    found: list[tuple[str, str]] = []
    left = list(words)
    while left and left[0].startswith("-"):
        name, equals, value = left.pop(0).partition("=")
        if name in with_values and not equals and left:
            value = left.pop(0)
        found.append((name, value))
    return found, left
