"""Which worker of a cluster is meant."""

from __future__ import annotations

import difflib
import re

from .errors import WorkerNotFound
from .models import ClusterModel, WorkerModel

_LISTED = 5
_BEGINNING = re.compile(r"(GPU|MIG)-[0-9a-f]{4,}[0-9a-f-]*")


def find_worker(model: ClusterModel, name: str) -> WorkerModel:
    """Return the worker of that name; of a UUID, as GPU workers have, the beginning is enough.

    Raises
    ------
    WorkerNotFound
        With the names that are near, or those that there are.
    """
    found = [worker for worker in model.workers if worker.name == name]
    if not found and _BEGINNING.fullmatch(name):
        found = [worker for worker in model.workers if worker.name.startswith(name)]
    if len(found) == 1:
        return found[0]
    shown = name if name.isprintable() and len(name) <= 80 else ascii(name[:60])[1:-1]
    raise WorkerNotFound(f"The cluster '{model.name}' has no worker '{shown}'. {_hint(model, name, found)}")


def _hint(model: ClusterModel, name: str, several: list[WorkerModel]) -> str:
    names = [worker.name for worker in model.workers]
    if several:
        return f"The names of several begin so: {_listed([worker.name for worker in several])}."
    if near := difflib.get_close_matches(name[:200], names, n=3):
        return f"Did you mean {' or '.join(near)}?"
    return f"Its workers are: {_listed(names)}." if names else "It has no workers."


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(names[:_LISTED]) + more
