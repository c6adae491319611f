"""The verbs and their arguments, for the command line and the magic."""

from __future__ import annotations

from argparse import BooleanOptionalAction
from collections.abc import Callable, Sequence
from dataclasses import replace

from ..client.display.dashboard import page_names
from ..gauges.text import FIGURES
from ..protocol.errors import InvalidRequest
from .arguments import SentenceParser, did_you_mean, shown
from .changes import CHANGES
from .commands import (
    ANY,
    ENDED,
    LIVING,
    MAGIC,
    RECORDINGS,
    SHELL,
    Subcommand,
    added_commands,
    added_words,
    declare_name,
    declare_names,
    declare_waiting,
)
from .options import add_spec_options


def _tunnel(parser: SentenceParser, _face: str) -> None:
    parser.argument(
        "port", nargs="?", metavar="PORT", help="Port on this machine. Default: that of your Jupyter server."
    )
    parser.argument(
        "--login-node", metavar="NAME",
        help="Login node, by the name that your laptop uses; also me@NAME and NAME:PORT. Default: from the site's file "
        "or the environment (SSH_CONNECTION, SLURM_SUBMIT_HOST).",
    )  # fmt: skip
    parser.argument("--local-port", metavar="N", help="Port on your laptop. Default: the same.")


def _create(parser: SentenceParser, face: str) -> None:
    add_spec_options(parser)
    declare_waiting(parser, "until it runs")
    parser.argument(
        "--dry-run", action="store_true",
        help="Start nothing: print what would be submitted, and the expected start.",
    )  # fmt: skip
    if face == MAGIC:
        parser.argument("--connect", action="store_true", help="Then connect, as '%%gpucluster connect' does.")


def _lease(parser: SentenceParser, face: str) -> None:
    add_spec_options(parser, helps={"n_workers": "Number of workers. 1 to 256. Default: 1."})
    parser.argument("--timeout", metavar="SECONDS", help="Startup timeout in seconds. 1 to 86400. Default: 120.")
    if face == SHELL:
        parser.argument_after_dashes(
            "command", metavar="COMMAND",
            help="Command to run. In Python, Client() and gpucluster.connect() use the leased worker.",
        )  # fmt: skip


def _no_arguments(_parser: SentenceParser, _face: str) -> None:
    """Declare nothing."""


def _named(complete: str = LIVING, lines: str = "") -> Callable[[SentenceParser, str], None]:
    """Return a function that declares NAME, and with a help text ``--lines``."""

    def declare(parser: SentenceParser, _face: str) -> None:
        declare_name(parser, complete)
        if lines:
            parser.argument("--lines", metavar="N", help=f"Number of {lines}")

    return declare


def _removed(parser: SentenceParser, _face: str) -> None:
    declare_names(parser, ENDED)


def _history(parser: SentenceParser, _face: str) -> None:
    parser.argument(
        "work", nargs="?", metavar="WORK",
        help="Show only these: a cluster, a notebook, a client, or the id of a cell, which is shown in detail. "
        "NAME@2026-11-29: from that day; separate several with commas.",
    )  # fmt: skip
    parser.argument("--compare", metavar="WORK", help="Compare with these, to see which groups of tasks became slower.")
    parser.argument(
        "--by", metavar="WHAT", choices=("day", "notebook", "cluster"), help="Show sums: day, notebook or cluster."
    )
    parser.argument("--perfetto", metavar="FILE", help="Write the timeline to this file, for ui.perfetto.dev.")
    parser.argument("--lines", metavar="N", help="Number of cells, or sums, from the end. 1 to 10000. Default: 20.")


def _logs(parser: SentenceParser, face: str) -> None:
    _named(ANY, "lines from the end. 1 to 10000. Default: 200.")(parser, face)
    if face == SHELL:
        parser.argument("--follow", action="store_true", help="Print new lines until the cluster stops.")


def _dashboard(parser: SentenceParser, _face: str) -> None:
    declare_name(parser)
    parser.argument(
        "--page", metavar="PAGE", complete=page_names(),
        help="Page, such as task-stream, progress or gpu-memory; Dask's page names also work. Default: status.",
    )  # fmt: skip


def _gauges(parser: SentenceParser, face: str) -> None:
    declare_name(parser)
    if face == SHELL:
        parser.argument("--top", metavar="N", help="Show only the N workers with the highest value. 1 to 10000.")
        parser.argument(
            "--by", metavar="{" + ",".join(FIGURES) + "}", complete=FIGURES,
            help="Rank by memory (GPU, or else host), load (GPU or CPU), tasks, or results on disk. "
            "Default: memory.",
        )  # fmt: skip


def _record(parser: SentenceParser, face: str) -> None:
    file = "File to write: .jsonl or .jsonl.gz; without a suffix, .gpucluster.jsonl.gz is added."
    if face == MAGIC:
        parser.argument("file", nargs="?", metavar="FILE", complete="file", help=file)
        declare_name(parser)
        parser.argument("--stop", action="store_true", help="Stop the recording of this notebook, of NAME or of all.")
    else:
        declare_name(parser)
        parser.argument("file", metavar="FILE", complete="file", help=file)
    default = "until --stop, or until the cluster ends" if face == MAGIC else "until Ctrl-C, or until the cluster ends"
    parser.argument("--seconds", metavar="N", help=f"Duration in seconds. 1 to 18000. Default: {default}.")
    parser.argument("--title", metavar="TEXT", help="Title of the recording. Default: the file's name.")
    parser.argument("--note", metavar="TEXT", help="Note on what ran, such as a command.")


def _replay(parser: SentenceParser, _face: str) -> None:
    parser.argument(
        "file", metavar="FILE", complete=RECORDINGS,
        help="A recording, or the name of one that comes with gpucluster.",
    )  # fmt: skip
    parser.argument("--speed", metavar="FACTOR", help="Playback speed. 0.25 to 64. Default: 1.")


def _profile(parser: SentenceParser, _face: str) -> None:
    parser.argument(
        "name", nargs="?", metavar="NAME", complete=LIVING,
        help="Name or id of the cluster. Default: the connected one, or that of Dask's current client.",
    )  # fmt: skip
    parser.argument(
        "--timeline", action=BooleanOptionalAction,
        help="Draw a timeline of the threads. Default: yes.",
    )  # fmt: skip
    parser.argument(
        "--performance-report", metavar="FILE", help="Also write Dask's own performance report to this file."
    )
    parser.argument("--nsight", metavar="FILE", help="Also write an Nsight Systems capture to this file, if possible.")
    parser.argument("--perfetto", metavar="FILE", help="Also write the timeline to this file, for ui.perfetto.dev.")
    parser.argument("--json", metavar="FILE", help="Also write all values to this file.")
    parser.argument(
        "--quiet", action="store_true", help="Show nothing; the report is still stored in 'profile_report'."
    )


def _notify(parser: SentenceParser, _face: str) -> None:
    declare_name(parser)
    parser.argument("--title", metavar="TEXT", help="Name of the cell. Default: its number.")


def _share(parser: SentenceParser, _face: str) -> None:
    declare_name(parser)
    parser.argument("--hours", metavar="N", help="Hours until the link expires, up to 24. Default: 2.")
    parser.argument("--tasks", action="store_true", help="Show task names too: progress, task stream and task graph.")
    parser.argument(
        "--public", action="store_true",
        help="On a hub: also show it to people who are not logged in. The site must allow it.",
    )  # fmt: skip
    parser.argument("--list", action="store_true", help="List the active links of the cluster and their viewers.")
    parser.argument("--withdraw", metavar="LINK", help="Revoke the link with this name in the list, or 'all'.")


def _stop(parser: SentenceParser, face: str) -> None:
    declare_names(parser, LIVING)
    parser.argument("--all", action="store_true", help="Stop all of your clusters on this machine.")
    parser.argument(
        "--no-wait", action="store_true", help="Return immediately, without waiting until the cluster has stopped."
    )
    if face == SHELL:
        parser.argument("--yes", action="store_true", help="With --all: do not prompt (as without a terminal).")


def _node(parser: SentenceParser, face: str) -> None:
    parser.argument(
        "words", nargs="*", metavar="WORD", complete=("message", "stop"),
        help="For the site's instructors. 'message USER|all \"TEXT\"': send a message to owners of clusters. 'stop "
             "USER': stop all clusters of a user.",
    )  # fmt: skip
    parser.argument(
        "--class", dest="of_class", action="store_true", help="For instructors: list the clusters of all users."
    )
    parser.argument("--reason", metavar="TEXT", help="With 'stop': the reason, shown to the user.")
    if face == SHELL:
        parser.argument("--yes", action="store_true", help="With 'stop': do not prompt; required without a terminal.")


def _site(parser: SentenceParser, _face: str) -> None:
    parser.argument("--file", metavar="FILE", complete="file", help="Check this file instead of the site's.")


def _completion(parser: SentenceParser, _face: str) -> None:
    parser.argument("shell", metavar="SHELL", complete=("bash", "zsh", "fish"), help="bash, zsh or fish.")


def _help(parser: SentenceParser, _face: str) -> None:
    parser.argument("verb", nargs="*", metavar="VERB", complete="verbs", help="Explain this verb.")


_WITHOUT_JSON = {"lease", "profile", "notify", "completion", "help"}
VERBS = {
    verb.name: replace(verb, json=verb.name not in _WITHOUT_JSON)
    for verb in (
        Subcommand("create", "Start a cluster and wait until it runs.", _create),
        Subcommand("lease", "Lease a worker for one cell or command, and release it afterwards.", _lease),
        Subcommand("list", "List your clusters on this machine.", _no_arguments),
        Subcommand("status", "Show one cluster.", _named(ANY)),
        Subcommand("connect", "Connect a notebook or program to a cluster.", _named()),
        *(Subcommand(name, change.summary, change.declare) for name, change in CHANGES.items()),
        Subcommand(
            "cells",
            "Show what each notebook cell computed.",
            _named(ANY, "cells from the end. 1 to 1000. Default: 20."),
        ),
        Subcommand("history", "Show and compare what cells and scripts computed on all clusters.", _history),
        Subcommand(
            "activity",
            "Show the log of requests to a cluster and their results.",
            _named(ANY, "entries from the end. 1 to 1000. Default: 100."),
        ),
        Subcommand("logs", "Show the end of a cluster's log.", _logs),
        Subcommand("script", "Show the batch script of a cluster's jobs.", _named(ANY)),
        Subcommand("gauges", "Show live gauges of memory, GPUs and tasks.", _gauges),
        Subcommand("record", "Record what the gauges show to a file.", _record),
        Subcommand("replay", "Play a recording in the gauges.", _replay),
        Subcommand("dashboard", "Show a page of Dask's dashboard, or its link.", _dashboard),
        Subcommand("profile", "Profile a cell (%%gpucluster profile): what the cluster did in it.", _profile, (MAGIC,)),
        Subcommand("notify", "Notify when this cell has finished or failed.", _notify, (MAGIC,)),
        Subcommand("share", "Create a read-only link to a cluster.", _share),
        Subcommand("stop", "Stop a cluster; its workers' data is lost.", _stop),
        Subcommand("remove", "Remove a stopped cluster from the list.", _removed),
        Subcommand("clean", "Remove all stopped clusters from the list.", _no_arguments),
        Subcommand("devices", "List the GPUs on this machine and who uses them.", _no_arguments),
        Subcommand("node", "Show the users of each GPU on this machine, and the queue.", _node),
        Subcommand("kinds", "List the cluster kinds, and why some are unavailable here.", _no_arguments),
        Subcommand("presets", "List the presets for create.", _no_arguments),
        Subcommand("site", "Show this site's settings, and any errors in its file.", _site),
        Subcommand("completion", "Print a shell completion script.", _completion, (SHELL,)),
        Subcommand(
            "tunnel", "Print the ssh command that connects your laptop to your Jupyter server here.", _tunnel, (SHELL,)
        ),
        Subcommand("help", "Explain a verb.", _help),
    )
}


def find_verb(name: str) -> Subcommand | None:
    """Return a verb, also an added one."""
    if name in VERBS:
        return VERBS[name]
    added = added_commands(name.split(" ")[0])
    return next((verb for verb in added.verbs if verb.name == name), None) if added is not None else None


def all_verbs() -> list[Subcommand]:
    """Return all verbs; imports the declarations of added ones."""
    groups = [added_commands(word) for word in added_words() if word not in VERBS]
    added = [verb for group in groups if group is not None for verb in group.verbs]
    return [verb for verb in VERBS.values() if verb.name != "help"] + [*added, VERBS["help"]]


def verbs_of(face: str) -> list[str]:
    return [verb.name for verb in all_verbs() if face in verb.faces]


def is_group(word: str) -> bool:
    """Return whether a word begins verbs of two words, such as "lessons copy"."""
    added = added_commands(word) if word not in VERBS else None
    return added is not None and bool(added.title)


def split_verb(words: Sequence[str]) -> tuple[str, list[str]]:
    """Return the verb, of one or two words ("lessons copy"), and the words after it."""
    number = 2 if len(words) > 1 and is_group(words[0]) else 1
    return " ".join(words[:number]), list(words[number:])


def parser_for(verb: str, face: str) -> SentenceParser:
    """Return the parser of one verb. Raises `InvalidRequest`: no such verb; with a suggestion."""
    found = find_verb(verb)
    if found is None or face not in found.faces:
        known, group = verbs_of(face), verb.split(" ")[0]
        if face == MAGIC and (found is not None or is_group(group)):
            asked = verb if found is not None else group
            raise InvalidRequest(f"'{asked}' is a command for a shell: {SHELL} {asked}.")
        if face == SHELL and is_group(group):
            known = [name for name in known if name.startswith(group)]
        raise InvalidRequest(
            f"Unknown verb '{shown(verb)}'.{_nearest(verb, face, known)} The verbs are {', '.join(known)}."
        )
    parser = SentenceParser(f"{face} {verb}", found.summary, short_usage=verb in {"create", "lease"})
    found.declare(parser, face)
    if found.json and face == SHELL:
        parser.argument("--json", action="store_true", help="Print JSON instead of text.")
    return parser


def _nearest(typed: str, face: str, known: Sequence[str]) -> str:
    """Return `` Did you mean 'x'?`` for a similar word that is valid there, else ``""``."""
    meant = {name: name for name in known}
    if face == SHELL:
        meant |= {word: word for word in added_words() if is_group(word)} | {"version": "--version"}
    # 'copy' is one of the lessons' verbs; 'list' is both.
    for name in known:
        meant.setdefault(name.rpartition(" ")[2], name)
    return did_you_mean(typed.lstrip("-"), meant)


def overview(face: str, group: str = "") -> str:
    """Return the list of all verbs, or of a group of verbs."""
    known = [verb for verb in all_verbs() if face in verb.faces and verb.name.startswith(group)]
    width = max(len(verb.name) for verb in known)
    added = added_commands(group) if group else None
    usage = f"usage: {face} {group} VERB [ARGUMENTS]" if group else f"usage: {face} VERB [ARGUMENTS]"
    lines = [usage, "", added.title if added is not None else "GPU Dask clusters in notebooks.", ""]
    lines += [f"  {verb.name:{width}}  {verb.summary}" for verb in known]
    example = f"{group} VERB" if group else "VERB"
    lines += ["", f"'{face} help {example}' explains a verb."]
    return "\n".join(lines) + "\n"
