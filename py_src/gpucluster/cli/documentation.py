"""The page about the command line, generated from its parsers.

Regenerate it: ``python -m gpucluster.cli.documentation > docs/command-line.md``
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from .arguments import SentenceParser
from .declarations import MAGIC, SHELL
from .verbs import all_verbs, parser_for

_CREATE = "create"
_INTRODUCTION = f"""# Command line and magic

`{SHELL}` in a shell and `{MAGIC}` in a notebook (after `%load_ext gpucluster`) know the same verbs and see the same
clusters. `%%gpucluster` takes the arguments from the lines of its cell too. Variables are expanded as in every line
magic: `%gpucluster scale {{n + 1}}`, `%gpucluster scale $n`. JSON and the lines below `%%gpucluster` stay as typed.
Quote what may contain spaces: `--title "{{title}}"`.

A cluster's name may be omitted while only one is running; in a notebook also while several are, for the one that it is
connected to by the magic or the panel. In the shell, `--json` prints models instead of text: `list`
prints an array, every other verb its cluster (`stop` and `remove` an array when they mean several, `stop --all` and
`clean` always), and those about something else (`logs`, `gauges`, `devices`, `kinds`, `site`) print that; each
verb below says whether it takes `--json`. Only the answer goes to standard output. An error is one line
on standard error (with `--json` a JSON object with `code`, `message` and `fields`) and an exit code:

"""

_CODES = {
    0: "done",
    1: "any other refusal; `lessons check`: not all checks pass",
    2: "something typed is wrong; nothing was changed",
    3: "there is no such cluster, worker, link, lesson or recording",
    4: "the cluster's state, a name that is taken, hours or limits of the site, or a folder of lessons forbids it",
    5: (
        "the start failed and nothing was left running, or a running cluster could not do what was requested and "
        "continues"
    ),
    6: "the cluster's process does not answer, or speaks another version",
    7: "the registry directory does not belong to this user alone, or cannot be written",
    130: "interrupted; a cluster that was starting was stopped again",
}

_COMPLETION = """
Completion: `source <(gpucluster completion bash)`, the same with `zsh`, and `gpucluster completion fish | source`.
"""


def page() -> str:
    codes = "\n".join(f"| {code} | {meaning} |" for code, meaning in _CODES.items())
    parts = [_INTRODUCTION, "| Code | Meaning |\n|---|---|\n", codes, "\n", _COMPLETION]
    for verb in all_verbs():
        faces = "" if MAGIC in verb.faces else " Shell only."
        faces = faces if SHELL in verb.faces else " Notebook only."
        face = SHELL if SHELL in verb.faces else MAGIC
        parser = parser_for(verb.name, face)
        parts.append(f"\n## {verb.name}\n\n{verb.summary}{faces}\n\n```\n{_usage(face, verb.name, parser)}\n```\n")
        of_create = {} if verb.name == _CREATE else _as_for_create(parser)
        for title, actions in parser.sections().items():
            own = [action for action in actions if action.dest not in of_create]
            if own:
                parts.append(f"\n{title}\n\n" if title else "\n")
                parts += [f"* `{_written(action)}`: {_text(action)}\n" for action in own]
        parts.append(_reference(of_create, parser))
        only = parser_for(verb.name, MAGIC).options().keys() - parser.options().keys() if not faces else set()
        extra = parser_for(verb.name, MAGIC).options() if only else {}
        parts += [f"* `{flag}` ({MAGIC} only): {_text(extra[flag])}\n" for flag in sorted(only)]
    return "".join(parts)


def _as_for_create(parser: SentenceParser) -> dict[str, str]:
    """Return the flags of a cluster's options that are the same for `create`."""
    create = {_line(action) for action in parser_for(_CREATE, SHELL).options().values()}
    return {
        action.dest: _flag(action)
        for title, actions in parser.sections().items()
        for action in actions
        if title and _line(action) in create
    }


def _reference(of_create: dict[str, str], parser: SentenceParser) -> str:
    """Return a paragraph that lists them or, if those are fewer, the other options of `create`."""
    if not of_create:
        return ""
    sections = parser_for(_CREATE, SHELL).sections().items()
    others = [flag for title, actions in sections for flag in map(_flag, actions) if title]
    others = [flag for flag in others if flag not in parser.options()]
    if len(others) > len(of_create):
        return f"\nAnd of the options of [create](#create), for the cluster: {_listed(of_create.values())}.\n"
    but = f", except {_listed(others)}" if others else ""
    return f"\nAnd all other options of [create](#create) that describe the cluster{but}.\n"


def _listed(flags: Iterable[str]) -> str:
    return ", ".join(f"`{flag}`" for flag in flags)


def _flag(action: argparse.Action) -> str:
    return max(action.option_strings, key=len)


def _line(action: argparse.Action) -> tuple[str, str]:
    return _written(action), _text(action)


def _usage(face: str, verb: str, parser: SentenceParser) -> str:
    if parser.after_dashes is not None:
        return f"{face} {verb} [OPTIONS] -- {parser.after_dashes.metavar} …"
    positionals = parser.positionals()
    words = [f"[{action.metavar}]" if action.nargs == "?" else str(action.metavar) for action in positionals]
    words = [f"[{word} …]" if action.nargs == "*" else word for word, action in zip(words, positionals, strict=True)]
    return " ".join([face, verb, "[OPTIONS]", *words])


def _written(action: argparse.Action) -> str:
    if not action.option_strings:
        return str(action.metavar)
    flags = ", ".join(action.option_strings)
    return flags if action.nargs == 0 else f"{flags} {action.metavar}"


def _text(action: argparse.Action) -> str:
    return (action.help or "").replace("%%", "%")


if __name__ == "__main__":
    import sys

    sys.stdout.write(page())
