"""Arguments of several verbs, and sources of their completions."""

from __future__ import annotations

from .arguments import SentenceParser

SHELL = "gpucluster"
MAGIC = "%gpucluster"

LIVING = "living"
ENDED = "ended"
ANY = "any"
WORKERS = "workers"
RECORDINGS = "recordings"
"""Sources of completions: running, ended or all clusters; workers; bundled recordings."""


def declare_name(parser: SentenceParser, complete: str = LIVING) -> None:
    parser.argument(
        "name", nargs="?", metavar="NAME", complete=complete,
        help="Name or id of the cluster. Optional if you have only one.",
    )  # fmt: skip


def declare_names(parser: SentenceParser, complete: str) -> None:
    parser.argument("names", nargs="*", metavar="NAME", complete=complete, help="Names or ids of clusters.")


def declare_waiting(parser: SentenceParser, what: str) -> None:
    parser.argument("--no-wait", action="store_true", help=f"Return at once, without waiting {what}.")
    parser.argument("--timeout", metavar="SECONDS", help="Timeout in seconds. 1 to 86400. Default: 120.")
