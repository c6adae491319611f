"""What lesson 00 looks with: the processes of a cluster, and its dashboard."""

from __future__ import annotations

import os
import re
import socket
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import TYPE_CHECKING

import psutil

from ....client.background import run

if TYPE_CHECKING:
    from distributed import Client, Worker

    from ....client.cluster import Cluster


# Which processes a cluster consists of, and who started whom.


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
    # Asked of the workers themselves: what the supervisor reports of a new one may be a second old.
    here = socket.gethostname()
    roles |= {pid: f"worker {name}" for host, pid, name in client.run(_identity).values() if host == here}
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


def _identity(dask_worker: Worker) -> tuple[str, int, str]:
    return socket.gethostname(), os.getpid(), str(dask_worker.name)


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


# Does a page of the dashboard answer?


_TITLE = re.compile(r"<title>(.*?)</title>", re.DOTALL)
_LONGEST = 100_000
_SECONDS = 8.0  # a busy machine may take its time


@dataclass(frozen=True)
class PageAnswer:
    """What came back from a page.

    Attributes
    ----------
    status : int or None
        The status of HTTP, 200 when all is well; None without an answer.
    words : str
        Title of the page, or what went wrong.
    """

    status: int | None
    words: str

    def __repr__(self) -> str:
        return f"HTTP {self.status}: {self.words}" if self.status else f"No answer: {self.words}"


def direct_address(cluster: Cluster) -> str:
    """Return the address of the status page on this machine. It contains a secret: never print it."""
    return run(cluster.control.open_dashboard(cluster.id))


def reach_dashboard(cluster: Cluster) -> PageAnswer:
    """Ask the cluster's dashboard for its status page, from this machine."""
    return reach(direct_address(cluster))


def reach(address: str) -> PageAnswer:
    """Ask for a page; neither the answer nor an error shows its address."""
    if not address.startswith(("http://", "https://")):
        return PageAnswer(None, "this is not the address of a web page")
    try:
        with urllib.request.urlopen(address, timeout=_SECONDS) as answer:  # noqa: S310 (looked at above)
            page = answer.read(_LONGEST).decode("utf-8", errors="replace")
            title = _TITLE.search(page)
            return PageAnswer(answer.status, f"the page “{title[1].strip()}”" if title else "a page without a title")
    except urllib.error.HTTPError as error:
        error.close()
        return PageAnswer(error.code, error.reason)
    except TimeoutError:
        return PageAnswer(None, f"no answer within {_SECONDS:g} seconds; try again")
    except urllib.error.URLError as error:
        return PageAnswer(None, str(error.reason))
    except (OSError, ValueError) as error:
        return PageAnswer(None, type(error).__name__)
