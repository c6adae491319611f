"""The pages of Dask's dashboard, under names that people use."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass

from ..protocol.errors import InvalidRequest
from ..protocol.plaintext import printable

DEFAULT_PAGE = "status"


@dataclass(frozen=True)
class DashboardPage:
    """One page."""

    path: str
    """What Dask calls it, such as ``individual-task-stream``."""
    title: str
    gpu: bool = False
    """Whether it says something only where there are GPUs."""


PAGES = (
    DashboardPage("status", "Status"),
    DashboardPage("workers", "Workers"),
    DashboardPage("statics/individual-cluster-map.html", "Cluster map"),
    DashboardPage("hardware", "Hardware benchmark"),
    DashboardPage("info/main/workers.html", "Information"),
    DashboardPage("individual-task-stream", "Task stream"),
    DashboardPage("individual-progress", "Progress"),
    DashboardPage("individual-graph", "Task graph"),
    DashboardPage("individual-groups", "Task groups"),
    DashboardPage("individual-group-progress", "Progress of groups"),
    DashboardPage("individual-nprocessing", "Tasks by worker"),
    DashboardPage("individual-occupancy", "Occupancy"),
    DashboardPage("individual-compute-time-per-key", "Compute time"),
    DashboardPage("individual-aggregate-time-per-action", "Time by action"),
    DashboardPage("individual-fine-performance-metrics", "Fine performance metrics"),
    DashboardPage("individual-profile", "Profile"),
    DashboardPage("individual-exceptions", "Exceptions"),
    DashboardPage("tasks", "Tasks, whole page"),
    DashboardPage("graph", "Task graph, whole page"),
    DashboardPage("groups", "Task groups, whole page"),
    DashboardPage("profile", "Profile, whole page"),
    DashboardPage("exceptions", "Exceptions, whole page"),
    DashboardPage("individual-workers-memory", "Memory by worker"),
    DashboardPage("individual-cluster-memory", "Memory of the cluster"),
    DashboardPage("individual-workers-memory-timeseries", "Memory over time"),
    DashboardPage("individual-memory-by-key", "Memory by key"),
    DashboardPage("individual-workers-disk", "Disk by worker"),
    DashboardPage("individual-workers-disk-timeseries", "Disk over time"),
    DashboardPage("individual-gpu-memory", "GPU memory", gpu=True),
    DashboardPage("individual-gpu-utilization", "GPU utilization", gpu=True),
    DashboardPage("individual-rmm-memory", "RMM memory", gpu=True),
    DashboardPage("gpu", "GPUs of the scheduler", gpu=True),
    DashboardPage("individual-cpu", "CPU by worker"),
    DashboardPage("individual-workers-cpu-timeseries", "CPU over time"),
    DashboardPage("individual-workers", "Table of workers"),
    DashboardPage("individual-workers-transfer-bytes", "Transfers"),
    DashboardPage("individual-workers-network", "Network by worker"),
    DashboardPage("individual-workers-network-timeseries", "Network over time"),
    DashboardPage("individual-bandwidth-workers", "Bandwidth between workers"),
    DashboardPage("individual-bandwidth-types", "Bandwidth by type"),
    DashboardPage("shuffle", "Shuffles"),
    DashboardPage("individual-scheduler-system", "Scheduler"),
    DashboardPage("individual-contention", "Contention"),
    DashboardPage("individual-profile-server", "Profile of the scheduler"),
    DashboardPage("system", "Scheduler, whole page"),
    DashboardPage("profile-server", "Profile of the scheduler, whole page"),
    DashboardPage("stealing", "Work stealing"),
    DashboardPage("events", "Events"),
    DashboardPage("counters", "Counters"),
)
"""In the order and under the titles of the panel."""
_PATHS = {page.path for page in PAGES}


def _key(text: str) -> str:
    return re.sub(r"[\s_,-]+", "-", text.strip().strip("/").lower())


def _name(page: DashboardPage) -> str:
    """Return what people type: the page's own path, or its title where that is no other page's path."""
    if not page.path.startswith(("individual-", "statics/", "info/")):
        return page.path
    return page.path if _key(page.title) in _PATHS else _key(page.title)


_BY_NAME = (
    {_key(page.path.removeprefix("individual-")): page for page in PAGES}
    | {_key(page.title): page for page in PAGES}
    | {_key(page.path): page for page in PAGES}
)


def find_page(text: str) -> DashboardPage:
    """Return the page of that name: ``task-stream``, ``Task stream`` or ``individual-task-stream``.

    Raises
    ------
    InvalidRequest
        When there is none, with the nearest one and the list.
    """
    wanted = _key(text) if isinstance(text, str) else ""
    if wanted in _BY_NAME:
        return _BY_NAME[wanted]
    near = difflib.get_close_matches(wanted[:80], list(_BY_NAME), n=1, cutoff=0.6)
    hint = f" Did you mean '{near[0]}'?" if near else ""
    shown = printable(str(text), 40)
    raise InvalidRequest(f"page: there is no page '{shown}'.{hint} The pages are {', '.join(page_names())}.")


def page_names() -> list[str]:
    """Return the names of all pages as people type them."""
    return [_name(page) for page in PAGES]
