"""Find workers of a cluster by name, and format their names."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from .errors import WorkerNotFound
from .models import ClusterModel, WorkerModel
from .plain_text import counted, printable

_LISTED = 5
_NAMED = 3  # Most workers that are named together; more are counted.
_LONGEST_NAME = 40
_WORKER = "Worker "
_UUID = re.compile(r"(?:GPU|MIG)-[0-9a-f]{8}(?=-)")
_BEGINNING = re.compile(r"(GPU|MIG)-[0-9a-f]{4,}[0-9a-f-]*")


def worker_title(name: str, device_index: int | None = None, machine: str | None = None) -> str:
    """Return a worker's title: ``GPU 3``, ``Worker 0``, ``GPU 3 · node2``; without an index the UUID's beginning."""
    uuid = _UUID.match(name)
    if uuid is None:
        title = f"{_WORKER}{printable(name, _LONGEST_NAME)}"
    else:
        title = uuid[0] if device_index is None else f"GPU {device_index}"
    return title if machine is None else f"{title} · {printable(machine, _LONGEST_NAME)}"


def several_workers(titles: Sequence[str]) -> str:
    """Return a common title for workers, from their titles: ``Workers 2 and 3``, or their number if they are many."""
    if len(titles) == 1:
        return titles[0]
    if len(titles) > _NAMED:
        return counted(len(titles), "worker")
    start = ""
    if all(title.startswith(_WORKER) for title in titles):
        start, titles = "Workers ", [title.removeprefix(_WORKER) for title in titles]
    return f"{start}{', '.join(titles[:-1])} and {titles[-1]}"


def find_worker(model: ClusterModel, name: str) -> WorkerModel:
    """Return the worker of that name, or beginning of a UUID. Raises `WorkerNotFound` with similar names, or all."""
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
        return f"Several names begin with this: {_listed([worker.name for worker in several])}."
    if near := difflib.get_close_matches(name[:200], names, n=3):
        return f"Did you mean {' or '.join(near)}?"
    return f"Its workers are: {_listed(names)}." if names else "It has no workers."


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(names[:_LISTED]) + more


def names_of_clusters(models: Sequence[ClusterModel]) -> dict[int, str]:
    """Return the names of running clusters, by the process ids of their supervisors."""
    return {model.pid: model.name for model in models if model.pid and not model.state.ended}


def names_of_workers(models: Sequence[ClusterModel]) -> dict[int, str]:
    """Return the names of the workers on this machine, by their process ids."""
    living = [model for model in models if not model.state.ended]
    return {worker.pid: worker.name for model in living for worker in model.workers if worker.pid and _is_here(worker)}


def _is_here(worker: WorkerModel) -> bool:
    """Return whether a worker's process id is of this machine."""
    host = urlsplit(worker.address or "").hostname or ""
    return host in {"127.0.0.1", "localhost", "::1"}
