"""Verbs of the command line and the magic, and those that other packages add.

A package adds a verb by an entry point of the group ``gpucluster.commands``: its name is the verb or, for verbs of two
words, their first; its object is a ``Commands``. ``gpucluster --help`` imports it, so that must be cheap: import what a
verb needs when it runs.
"""

from argparse import Namespace
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from ..protocol.entry_points import Loaded, load, names
from ..protocol.errors import InvalidRequest
from .arguments import SentenceParser

SHELL = "gpucluster"
MAGIC = "%gpucluster"

LIVING = "living"
ENDED = "ended"
ANY = "any"
WORKERS = "workers"
RECORDINGS = "recordings"  # Sources of completions: running, ended or all clusters; workers; bundled recordings.


def declare_name(parser: SentenceParser, complete: str = LIVING) -> None:
    parser.argument(
        "name", nargs="?", metavar="NAME", complete=complete,
        help="Name or id of the cluster. Optional if you have only one.",
    )  # fmt: skip


def declare_names(parser: SentenceParser, complete: str) -> None:
    parser.argument("names", nargs="*", metavar="NAME", complete=complete, help="Cluster names or ids.")


def declare_waiting(parser: SentenceParser, what: str) -> None:
    parser.argument("--no-wait", action="store_true", help=f"Return immediately, without waiting {what}.")
    parser.argument("--timeout", metavar="SECONDS", help="Timeout in seconds. 1 to 86400. Default: 120.")


GROUP = "gpucluster.commands"  # The group of entry points.

Say = Callable[[str], None]  # Shows progress.


@dataclass(frozen=True)
class Answer:
    """The output of a verb, such as one of another package."""

    text: str
    data: Any = None  # The same for ``--json``: a model, several of them, or plain data. ``None``: there is text only.
    notes: Sequence[str] = ()  # Shown below the text in a notebook, on standard error of a terminal.
    warnings: Sequence[str] = ()  # For standard error.
    code: int = 0  # The exit code.


@dataclass(frozen=True)
class Subcommand:
    name: str
    summary: str
    declare: Callable[[SentenceParser, str], None]  # Declares the arguments for one of the ``faces``.
    faces: tuple[str, ...] = (SHELL, MAGIC)
    run: Callable[[Namespace, Say], Answer] | None = None  # Carries out the verb; required for those of other packages.
    become: Callable[[Sequence[str]], NoReturn] | None = None
    """Replaces this process, in the shell, by a program that gets the words after the verb; instead of ``run``."""
    json: bool = False  # Whether it has ``--json`` in the shell.


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
