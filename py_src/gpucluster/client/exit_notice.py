"""What a script says that ends while the cluster lives on that it has created."""

from __future__ import annotations

import atexit
import os
import sys
from contextlib import suppress

from ..protocol.models import ClusterModel
from ..registry.store import Registry


def tell_at_exit(registry: Registry, model: ClusterModel) -> None:
    """Say it on standard error when this process ends, if it is a script: somebody at a prompt sees his clusters.

    Parameters
    ----------
    registry : Registry
        Where the cluster is written down.
    model : ClusterModel
        As it was created.
    """
    if not _has_prompt():
        atexit.register(_tell, registry, model.id, os.getpid())


def _has_prompt() -> bool:
    shell = getattr(sys.modules.get("IPython"), "get_ipython", None)
    return hasattr(sys, "ps1") or bool(sys.flags.interactive) or (shell is not None and shell() is not None)


def _tell(registry: Registry, id: str, pid: int) -> None:
    if os.getpid() != pid:  # A child that was forked ends; who has created the cluster goes on.
        return
    with suppress(Exception):  # It is only a hint, and its entry may be gone.
        model = registry.find(id)
        if model.state.ended or model.wanted.stopped:
            return
        limit = model.idle.timeout_seconds
        end = "" if limit is None else f" until nobody has used it for {max(1, round(limit / 60))} min"
        sys.stderr.write(f"The cluster '{model.name}' lives on{end}. To stop it: gpucluster stop {model.name}\n")
