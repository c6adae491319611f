"""Verbs of the command line and the magic, and those that other packages add.

A package adds a verb by an entry point of the group ``gpucluster.commands``: its name is the verb or, for verbs of two
words, their first; its object is a ``Commands``. ``gpucluster --help`` imports it, so that must be cheap: import what a
verb needs when it runs.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from ..protocol.entry_points import Loaded, load, names
from ..protocol.errors import InvalidRequest
from .arguments import SentenceParser
from .declarations import MAGIC, SHELL

GROUP = "gpucluster.commands"
"""The group of entry points."""

Say = Callable[[str], None]
"""Shows progress."""


@dataclass(frozen=True)
class Answer:
    """The output of a verb of another package.

    Attributes
    ----------
    text : str
        The answer.
    data : optional
        The same for ``--json``: a model, a sequence of models, or plain data. ``None``: there is text only.
    notes : sequence of str
        Shown below the text in a notebook, on standard error of a terminal.
    warnings : sequence of str
        For standard error.
    code : int
        The exit code.
    """

    text: str
    data: Any = None
    notes: Sequence[str] = ()
    warnings: Sequence[str] = ()
    code: int = 0


@dataclass(frozen=True)
class Subcommand:
    """One verb.

    Attributes
    ----------
    name, summary : str
    declare : callable
        Declares the arguments for one of the ``faces``.
    faces : tuple of str
        ``SHELL``, ``MAGIC`` or both.
    run : callable, optional
        Carries out the verb; required for those of other packages.
    become : callable, optional
        Replaces this process, in the shell, by a program that gets the words after the verb; instead of ``run``.
    """

    name: str
    summary: str
    declare: Callable[[SentenceParser, str], None]
    faces: tuple[str, ...] = (SHELL, MAGIC)
    run: Callable[[Namespace, Say], Answer] | None = None
    become: Callable[[Sequence[str]], NoReturn] | None = None


@dataclass(frozen=True)
class Commands:
    """The verbs of one entry point: one verb, or several of two words that begin with its name, under a title."""

    verbs: tuple[Subcommand, ...]
    title: str = ""


def added_words() -> list[str]:
    return names(GROUP)


def added_commands(word: str) -> Commands | None:
    """Return the added verbs that begin with a word, if any."""
    found = load(GROUP, word, Commands)
    if found is None:
        return None
    commands: Commands = _unusable(found) if found.problem else found.value
    return commands


def _unusable(found: Loaded) -> Commands:
    def refuse(_parser: SentenceParser, _face: str) -> None:
        raise InvalidRequest(f"The verb {found.problem}")

    return Commands((Subcommand(found.name, f"The verb {found.problem}", refuse),))
