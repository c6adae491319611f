"""Verbs of the command line and the magic, and those that other packages add.

A package adds a verb by an entry point of the group ``gpucluster.commands``: its name is the verb or, for verbs of two
words, their first; its object is a ``Commands``. Importing it must be cheap, as ``gpucluster --help`` does so: what a
verb needs is imported when it runs.
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
"""Shows what is being done."""


@dataclass(frozen=True)
class Answer:
    """What a verb of another package has to show.

    Attributes
    ----------
    text : str
        For people.
    data : optional
        The same for ``--json``: a model, a sequence of models, or plain data. ``None``: there is text only.
    notes : sequence of str
        For people only: below the text in a notebook, on standard error of a terminal.
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
        Carries the verb out; needed for those of other packages.
    become : callable, optional
        Instead of ``run``, in the shell: replaces this process by a program, which gets the words after the verb.
    """

    name: str
    summary: str
    declare: Callable[[SentenceParser, str], None]
    faces: tuple[str, ...] = (SHELL, MAGIC)
    run: Callable[[Namespace, Say], Answer] | None = None
    become: Callable[[Sequence[str]], NoReturn] | None = None


@dataclass(frozen=True)
class Commands:
    """What one entry point adds: a verb, or several of two words that begin with its name, under a title."""

    verbs: tuple[Subcommand, ...]
    title: str = ""


def added_words() -> list[str]:
    return names(GROUP)


def added_commands(word: str) -> Commands | None:
    """Return the added verbs that begin with a word; ``None``: there are none."""
    found = load(GROUP, word, Commands)
    if found is None:
        return None
    commands: Commands = _unusable(found) if found.problem else found.value
    return commands


def _unusable(found: Loaded) -> Commands:
    def refuse(_parser: SentenceParser, _face: str) -> None:
        raise InvalidRequest(f"The verb {found.problem}")

    return Commands((Subcommand(found.name, f"The verb {found.problem}", refuse),))
