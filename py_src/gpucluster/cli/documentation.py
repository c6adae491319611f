"""The page about the command line, generated from its parsers.

Regenerate it: ``python -m gpucluster.cli.documentation > docs/command-line.md``. The site adds `arguments`.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterable

from .arguments import SentenceParser
from .commands import MAGIC, SHELL, Subcommand
from .verbs import all_verbs, parser_for

_CREATE = "create"
_COMMON = 3  # An argument that at least this many verbs have, with the same text, is described once.
_KINDS = re.compile(r" \[([a-z, ]+)\]$")
_INTRODUCTION = f"""# Command line and magic

```console
$ {SHELL} create --n-workers 2    # start a cluster
$ {SHELL} help create             # all options of a verb
```

`{SHELL}` in a shell and `{MAGIC}` in a notebook (after `%load_ext gpucluster`) have the same verbs and clusters.
`%%gpucluster` also takes arguments from its cell. Variables expand as in every line magic (`%gpucluster scale $n`,
`%gpucluster scale {{n + 1}}`); JSON and lines below `%%gpucluster` stay as typed. Quote what may contain spaces:
`--title "{{title}}"`.

You may omit the name of the only running cluster, in a notebook also of the one it is connected to. In the shell,
`--json` prints models instead of text: `list` an array, other verbs their cluster (`stop` and `remove` an array for
several, `stop --all` and `clean` always), or their subject (`logs`, `gauges`, `devices`, `kinds`, `site`). Only the
answer goes to standard output. An error is one line on standard error (with `--json` an object with `code`, `message`
and `fields`) and an exit code:

"""

_CODES = {
    0: "done",
    1: "any other error; `lessons check`: not all checks pass",
    2: "invalid input; nothing was changed",
    3: "there is no such cluster, worker, link, lesson or recording",
    4: "the cluster's state, a name that is taken, hours or limits of the site, or a folder of lessons forbids it",
    5: (
        "the start failed and nothing was left running, or a running cluster could not do what was requested and "
        "continues"
    ),
    6: "the cluster's process does not respond, or has another version",
    7: "the registry directory does not belong to this user alone, or cannot be written",
    130: "interrupted; a cluster that was starting was stopped",
}

_COMPLETION = f"""
Completion: `source <({SHELL} completion bash)`, the same with `zsh`, and `{SHELL} completion fish | source`.

## Verbs

`{SHELL} help VERB` explains their arguments, as does this page on the site that `make docs` builds.

"""
_COMMON_ARGUMENTS = """## Common arguments

Verbs list these in their usage line only.

"""
_BRACKETS = """
Brackets list the cluster kinds that support an option; those in a heading apply to each option without its own.
"""


def page() -> str:
    """Return the page with all verbs, without their arguments."""
    codes = "\n".join(f"| {code} | {meaning} |" for code, meaning in _CODES.items())
    verbs = "".join(f"| `{verb.name}` | {verb.summary} |\n" for verb in all_verbs())
    only = f"Only in the shell: {_lacking(MAGIC)}. Only in notebooks: {_lacking(SHELL)}.\n\n"
    titles = "| Code | Meaning |\n|---|---|\n", "| Verb | What it does |\n|---|---|\n"
    return "".join([_INTRODUCTION, titles[0], codes, "\n", _COMPLETION, only, titles[1], verbs])


def _lacking(face: str) -> str:
    """Return the first words of the verbs that an interface does not have."""
    return ", ".join(f"`{name}`" for name in sorted({v.name.split()[0] for v in all_verbs() if face not in v.faces}))


def arguments() -> str:
    """Return a section for each verb with its arguments."""
    common = _common()
    parts = [_COMMON_ARGUMENTS, *(f"* `{written}`: {text}\n" for written, text in common)]
    for verb in all_verbs():
        faces = _faces(verb)
        face = SHELL if SHELL in verb.faces else MAGIC
        parser = parser_for(verb.name, face)
        usage = _usage(face, verb.name, parser, common)
        parts.append(f"\n## {verb.name}\n\n{verb.summary}{faces}\n\n```\n{usage}\n```\n")
        if verb.name == _CREATE:
            parts.append(_BRACKETS)
        of_create = {} if verb.name == _CREATE else _as_for_create(parser)
        for title, actions in parser.sections().items():
            lines = [_line(action) for action in actions if action.dest not in of_create]
            lines = [line for line in lines if line not in common]
            if lines:
                parts += _section(title, lines)
        parts.append(_reference(of_create, parser))
        only = parser_for(verb.name, MAGIC).options().keys() - parser.options().keys() if not faces else set()
        extra = parser_for(verb.name, MAGIC).options() if only else {}
        parts += [f"* `{flag}` ({MAGIC} only): {_text(extra[flag])}\n" for flag in sorted(only)]
    return "".join(parts)


def _faces(verb: Subcommand) -> str:
    if SHELL not in verb.faces:
        return " Notebook only."
    return "" if MAGIC in verb.faces else " Shell only."


def _section(title: str, lines: list[tuple[str, str]]) -> list[str]:
    """Return a title and its options; the kinds that most of them have are in the title."""
    kinds = [_kinds(text) for _, text in lines]
    most, count = Counter(kinds).most_common(1)[0]
    most = most if title and most and count > 1 else ""
    parts = [f"\n{title}{most}\n\n" if title else "\n"]
    for (written, text), own in zip(lines, kinds, strict=True):
        text = text.removesuffix(own) + ("" if own == most else own or " [all]")
        parts.append(f"* `{written}`: {text}\n")
    return parts


def _kinds(text: str) -> str:
    """Return the brackets at the end of a text, with the space before them."""
    found = _KINDS.search(text)
    return found[0] if found else ""


def _common() -> list[tuple[str, str]]:
    """Return the arguments that many verbs have, the most frequent one first."""
    seen: Counter[tuple[str, str]] = Counter()
    for verb in all_verbs():
        parser = parser_for(verb.name, SHELL if SHELL in verb.faces else MAGIC)
        seen.update(_line(action) for title, actions in parser.sections().items() if not title for action in actions)
    return [line for line, count in seen.most_common() if count >= _COMMON]


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
        return f"\nAlso these options of [create](#create), for the cluster: {_listed(of_create.values())}.\n"
    but = f", except {_listed(others)}" if others else ""
    return f"\nAlso all other options of [create](#create) that describe the cluster{but}.\n"


def _listed(flags: Iterable[str]) -> str:
    return ", ".join(f"`{flag}`" for flag in flags)


def _flag(action: argparse.Action) -> str:
    return max(action.option_strings, key=len)


def _line(action: argparse.Action) -> tuple[str, str]:
    return _written(action), _text(action)


def _usage(face: str, verb: str, parser: SentenceParser, common: list[tuple[str, str]]) -> str:
    actions = [action for actions in parser.sections().values() for action in actions if action.option_strings]
    shared = [f"[{_written(action)}]" for action in actions if _line(action) in common]
    options = ["[OPTIONS]"] if len(shared) < len(actions) else []
    if parser.after_dashes is not None:
        return " ".join([face, verb, *options, *shared, "--", f"{parser.after_dashes.metavar} …"])
    positionals = parser.positionals()
    words = [f"[{action.metavar}]" if action.nargs == "?" else str(action.metavar) for action in positionals]
    words = [f"[{word} …]" if action.nargs == "*" else word for word, action in zip(words, positionals, strict=True)]
    return " ".join([face, verb, *options, *shared, *words])


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
