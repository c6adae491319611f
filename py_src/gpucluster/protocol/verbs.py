"""The verbs of a running cluster: one table for the supervisor, REST, the OpenAPI document, command line and magic."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Verb(StrEnum):
    """Requests to a running cluster, besides stop."""

    SCALE = "scale"
    ADAPT = "adapt"
    RESTART = "restart"
    RETIRE = "retire"


_NAMES = frozenset(Verb)


def known_verbs(names: Any) -> Any:
    """Return the verbs that this version knows: a newer one may have more."""
    return [name for name in names if name in _NAMES] if isinstance(names, list | tuple) else names


@dataclass(frozen=True)
class Description:
    """What the interfaces share about one verb."""

    summary: str  # What it does, for help texts and the OpenAPI document.
    cannot: str | None = None  # The refusal if a deployment's ``can`` lacks it; ``None``: every cluster supports it.
    instead: str = ""  # The reason, or what to do instead, unless the deployment knows better.
    path: str | None = None  # Of its POST below the cluster, with arguments such as ``{worker}``; ``None``: a PATCH.
    waits: str = ""  # What the command waits for, as in "without waiting for the workers".
    meanwhile: str = ""  # What the command shows while it waits; empty: the cluster's own progress.


VERBS = {
    Verb.SCALE: Description(
        "Change the number of workers and wait for them.",
        cannot="cannot be scaled",
        instead=": it keeps the workers that it was started with",
    ),
    Verb.ADAPT: Description(
        "Adapt the number of workers to the load.",
        cannot="does not support adaptive scaling",
        instead="; set a number of workers",
    ),
    Verb.RESTART: Description(
        "Restart all workers; their data is lost.",
        cannot="cannot restart its workers",
        instead="; stop it and create another",
        path="restart",
        waits="for the workers",
        meanwhile="Restarting the workers",
    ),
    Verb.RETIRE: Description(
        "Retire one worker; its data goes to the others first.",
        cannot="cannot end a single worker",
        instead="; scale to a smaller number",
        path="workers/{worker}/retire",
        waits="until it is gone",
        meanwhile="Moving the worker's data to the others",
    ),
}
"""In the order of the help."""


def arguments_of(path: str) -> list[str]:
    return re.findall(r"{(\w+)}", path)


def posts() -> Iterator[tuple[Verb, str, str]]:
    """Yield each verb that is a POST, with its path and the regular expression of that."""
    for verb, description in VERBS.items():
        if description.path is not None:
            yield verb, description.path, re.sub(r"{\w+}", "([^/]+)", description.path)
