"""Which worker of a cluster is meant."""

from __future__ import annotations

import difflib

from .errors import WorkerNotFound
from .models import ClusterModel


def must_have(model: ClusterModel, name: str) -> None:
    """Refuse the name of a worker that the cluster does not have.

    Raises
    ------
    WorkerNotFound
        With the names that are near, or those that there are.
    """
    names = [worker.name for worker in model.workers]
    if name in names:
        return
    near = difflib.get_close_matches(name[:200], names, n=3) or names[:5]
    more = "" if len(near) == len(names) else ", …"
    there = f"Its workers are: {', '.join(near)}{more}." if near else "It has no workers."
    shown = name if name.isprintable() and len(name) <= 80 else ascii(name[:60])
    raise WorkerNotFound(f"The cluster '{model.name}' has no worker '{shown}'. {there}")
