"""Completions, for the shells and for notebooks."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence

from ..protocol.errors import GPUClusterError, InvalidRequest
from ..recordings.places import bundled_recordings, stem_of
from .arguments import SentenceParser
from .commands import ANY, ENDED, LIVING, RECORDINGS, SHELL, WORKERS
from .options import backends
from .verbs import is_group, parser_for, split_verb, verbs_of

Names = Callable[[str], list[str]]
"""Returns the names of clusters (``living``, ``ended`` or ``any``) or of ``workers``."""


def cluster_names(which: str) -> list[str]:
    """Return the names of this user's clusters, or of all their workers; none if they cannot be read."""
    from ..client.control import Control

    try:
        models = Control().list()
    except (GPUClusterError, OSError):
        return []
    if which == WORKERS:
        names = [worker.name for model in models for worker in model.workers]
    else:
        wanted = {LIVING: {False}, ENDED: {True}, ANY: {False, True}}[which]
        names = [model.name for model in models if model.state.ended in wanted]
    return list(dict.fromkeys(names))


def candidates(words: Sequence[str], face: str = SHELL, names: Names = cluster_names) -> list[str]:
    """Return the completions of the last of ``words``."""
    # bash splits --backend=local into three words.
    *before, current = [word for word in words[:-1] if word != "="] + list(words[-1:] or [""])
    if current == "=":
        current = ""
    if not before:
        firsts = dict.fromkeys(verb.split(" ")[0] for verb in verbs_of(face))
        return [word for word in [*firsts, "--help", "--version"][: -1 if face != SHELL else None]
                if word.startswith(current) and (current or not word.startswith("-"))]  # fmt: skip
    if before[:-1] in ([], ["help"]) and is_group(before[-1]):
        start = f"{before[-1]} "
        return [name.removeprefix(start) for name in verbs_of(face) if name.startswith(start + current)]
    verb, rest = split_verb(before)
    before = [verb, *rest]
    try:
        parser = parser_for(verb, face)
    except InvalidRequest:
        return []
    options = parser.options()
    head, flag, tail = "", before[-1], current
    if current.startswith("--") and "=" in current:
        flag, _, tail = current.partition("=")
        head = f"{flag}="
    if flag in options and _takes_value(options[flag]) and (head or len(before) > 1):
        return _values(parser, options[flag].dest, head, tail, face, names)
    if current.startswith("-"):
        used = {flag for word in before if (flag := word.split("=")[0]) in options}
        return [flag for flag in [*options, "--help"] if flag.startswith(current) and flag not in used]
    return _positional_values(parser, before[1:], current, face, names)


def _positional_values(
    parser: SentenceParser, before: Sequence[str], current: str, face: str, names: Names
) -> list[str]:
    options = parser.options()
    given, skip = [], False
    for word in before:
        if skip or word.startswith("-"):
            skip = not skip and word in options and _takes_value(options[word])
            continue
        given.append(word)
    positionals = parser.positionals()
    place = min(len(given), len(positionals) - 1)
    if place < 0 or (len(given) >= len(positionals) and positionals[-1].nargs != "*"):
        return []
    found = _values(parser, positionals[place].dest, "", current, face, names)
    if positionals[place].nargs == "?" and len(positionals) > place + 1:  # The first one is optional.
        found += _values(parser, positionals[place + 1].dest, "", current, face, names)
    return [word for word in found if word not in given]


def _values(parser: SentenceParser, dest: str, head: str, current: str, face: str, names: Names) -> list[str]:
    source = parser.sources.get(dest, ())
    if not isinstance(source, str):
        words = list(source() if callable(source) else source)
    elif source == "verbs":
        words = list(dict.fromkeys(verb.split(" ")[0] for verb in verbs_of(face)))
    elif source == RECORDINGS:
        words = [stem_of(recording.name) for recording in bundled_recordings()]
    else:
        words = names(source) if source in {LIVING, ENDED, ANY, WORKERS} else []
    if dest == "backend":
        words = list(backends())
    # A list: complete its last part.
    done, comma, last = current.rpartition(",")
    if comma and dest.endswith(("list", "only")):
        return [f"{head}{done},{word}" for word in words if word.startswith(last)]
    return [head + word for word in words if word.startswith(current)]


def _takes_value(action: argparse.Action) -> bool:
    return action.nargs != 0
