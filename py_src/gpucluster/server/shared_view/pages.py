"""The addresses of Dask's dashboard that a link shows. All others are not found.

Never shown: code (profiles, call stacks, exceptions), logs, contents of tasks, hosts and connections (``info/…``,
``json/…``, ``metrics``, the tables of workers), pages that compute something (``hardware``), and Dask's proxy.
"""

from __future__ import annotations

import re
from enum import Enum

from ...client.display.dashboard import PAGES
from ...protocol.links import SharedPage

FIGURES = (
    "individual-nprocessing", "individual-occupancy", "individual-aggregate-time-per-action",
    "individual-workers-memory", "individual-cluster-memory", "individual-workers-memory-timeseries",
    "individual-workers-disk", "individual-workers-disk-timeseries", "individual-gpu-memory",
    "individual-gpu-utilization", "individual-rmm-memory", "individual-cpu", "individual-workers-cpu-timeseries",
    "individual-workers-transfer-bytes", "individual-workers-network", "individual-workers-network-timeseries",
    "individual-bandwidth-workers", "individual-bandwidth-types",
)  # fmt: skip
"""Figures of workers. Some plots show the beginnings of task keys, which cannot be filtered."""
TASKS = (
    "individual-task-stream", "individual-graph", "individual-groups", "individual-group-progress",
    "individual-progress", "individual-compute-time-per-key", "individual-memory-by-key",
)  # fmt: skip
"""Tasks by their keys or key prefixes, which may contain anything that a program put there."""

_FILE = re.compile(r"(static|statics)/(?:[A-Za-z0-9_-]+/)*[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*\.(?:js|css|svg|png|ico)")


class Address(Enum):
    """Kind of a dashboard's address for viewers with a link."""

    PAGE = "page"
    SOCKET = "socket"
    FILE = "file"


def shown_pages(*, tasks: bool, gpus: bool) -> list[SharedPage]:
    """Return the pages that a link shows, in the order of the panel."""
    paths = {*FIGURES, *(TASKS if tasks else ())}
    return [
        SharedPage(path=page.path, title=page.title) for page in PAGES if page.path in paths and (gpus or not page.gpu)
    ]


def address_of(path: str, *, tasks: bool) -> Address | None:
    """Return the kind of a path; ``None``: links do not show it."""
    shown = {*FIGURES, *(TASKS if tasks else ())}
    if path in shown:
        return Address.PAGE
    if path.endswith("/ws") and path.removesuffix("/ws") in shown:
        return Address.SOCKET
    return Address.FILE if _FILE.fullmatch(path) else None
