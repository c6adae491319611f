"""Which processes a cluster consists of, and who started whom."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

import psutil

if TYPE_CHECKING:
    from distributed import Client

    from ...client.cluster import Cluster


@dataclass(frozen=True)
class ProcessNode:
    """One process of this machine.

    Attributes
    ----------
    parent : int or None
        Process that started it, where that belongs to the cluster as well.
    role : str
        ``"notebook"``, ``"scheduler"``, ``"starter"`` or ``"worker 0"``.
    memory_bytes : int
        Memory it holds now.
    """

    pid: int
    parent: int | None
    role: str
    memory_bytes: int


def processes_of(cluster: Cluster, client: Client) -> list[ProcessNode]:
    """Return the notebook's process and those of the cluster that run on this machine, parents first."""
    model = cluster.model
    roles = {os.getpid(): "notebook", int(client.run_on_scheduler(os.getpid)): "scheduler"}
    roles |= {worker.pid: f"worker {worker.name}" for worker in model.workers if worker.pid is not None}
    parents: dict[int, int | None] = {}
    for pid in list(roles):
        for ancestor in _ancestors(pid, until=model.pid):
            if ancestor not in roles:
                roles[ancestor] = "starter"
    for pid in roles:
        parent = _parent(pid)
        parents[pid] = parent if parent in roles else None
    nodes = [
        ProcessNode(pid, parents[pid], role, _memory(pid)) for pid, role in roles.items() if psutil.pid_exists(pid)
    ]
    return sorted(nodes, key=lambda node: (_depth(node.pid, parents), node.role))


def _ancestors(pid: int, until: int | None) -> list[int]:
    """Return the processes between this one and the supervisor; nothing when it does not descend from it."""
    between: list[int] = []
    parent = _parent(pid)
    while parent is not None and parent > 1:
        if parent == until:
            return between
        between.append(parent)
        parent = _parent(parent)
    return []


def _parent(pid: int) -> int | None:
    try:
        return int(psutil.Process(pid).ppid())
    except psutil.Error:
        return None


def _memory(pid: int) -> int:
    try:
        return int(psutil.Process(pid).memory_info().rss)
    except psutil.Error:
        return 0


def _depth(pid: int, parents: dict[int, int | None]) -> int:
    parent = parents[pid]
    return 0 if parent is None else 1 + _depth(parent, parents)
