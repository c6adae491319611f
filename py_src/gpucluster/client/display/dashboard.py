"""The pages of Dask's dashboard, their names, and the links to them."""

from __future__ import annotations

import difflib
import os
import re
from dataclasses import dataclass

from ...protocol.errors import InvalidRequest
from ...protocol.models import ClusterModel
from ...protocol.plain_text import printable

DEFAULT_PAGE = "status"


@dataclass(frozen=True)
class DashboardPage:
    path: str  # What Dask calls it, such as ``individual-task-stream``.
    title: str
    gpu: bool = False  # Whether it is empty without GPUs.


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
    DashboardPage("individual-group-progress", "Group progress"),
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
    DashboardPage("individual-cluster-memory", "Cluster memory"),
    DashboardPage("individual-workers-memory-timeseries", "Memory over time"),
    DashboardPage("individual-memory-by-key", "Memory by key"),
    DashboardPage("individual-workers-disk", "Disk by worker"),
    DashboardPage("individual-workers-disk-timeseries", "Disk over time"),
    DashboardPage("individual-gpu-memory", "GPU memory", gpu=True),
    DashboardPage("individual-gpu-utilization", "GPU utilization", gpu=True),
    DashboardPage("individual-rmm-memory", "RMM memory", gpu=True),
    DashboardPage("gpu", "Scheduler GPUs", gpu=True),
    DashboardPage("individual-cpu", "CPU by worker"),
    DashboardPage("individual-workers-cpu-timeseries", "CPU over time"),
    DashboardPage("individual-workers", "Worker table"),
    DashboardPage("individual-workers-transfer-bytes", "Transfers"),
    DashboardPage("individual-workers-network", "Network by worker"),
    DashboardPage("individual-workers-network-timeseries", "Network over time"),
    DashboardPage("individual-bandwidth-workers", "Bandwidth between workers"),
    DashboardPage("individual-bandwidth-types", "Bandwidth by type"),
    DashboardPage("shuffle", "Shuffles"),
    DashboardPage("individual-scheduler-system", "Scheduler"),
    DashboardPage("individual-contention", "Contention"),
    DashboardPage("individual-profile-server", "Scheduler profile"),
    DashboardPage("system", "Scheduler, whole page"),
    DashboardPage("profile-server", "Scheduler profile, whole page"),
    DashboardPage("stealing", "Work stealing"),
    DashboardPage("events", "Events"),
    DashboardPage("counters", "Counters"),
)
"""In the panel's order, with its titles."""
_PATHS = {page.path for page in PAGES}


def _key(text: str) -> str:
    return re.sub(r"[\s_,-]+", "-", text.strip().strip("/").lower())


def _name(page: DashboardPage) -> str:
    """Return the short name of a page: its own path, or its title unless that is another page's path."""
    if not page.path.startswith(("individual-", "statics/", "info/")):
        return page.path
    return page.path if _key(page.title) in _PATHS else _key(page.title)


_BY_NAME = (
    {_key(page.path.removeprefix("individual-")): page for page in PAGES}
    | {_key(page.title): page for page in PAGES}
    | {_key(page.path): page for page in PAGES}
)


def find_page(text: str) -> DashboardPage:
    """Return the page of that name: ``task-stream``, ``Task stream`` or ``individual-task-stream``."""
    wanted = _key(text) if isinstance(text, str) else ""
    if wanted in _BY_NAME:
        return _BY_NAME[wanted]
    near = difflib.get_close_matches(wanted[:80], list(_BY_NAME), n=1, cutoff=0.6)
    hint = f" Did you mean '{near[0]}'?" if near else ""
    shown = printable(str(text), 40)
    raise InvalidRequest(f"page: unknown page '{shown}'.{hint} The pages are {', '.join(page_names())}.")


def page_names() -> list[str]:
    return [_name(page) for page in PAGES]


def jupyter_base_url() -> str | None:
    """Return the base URL path of the Jupyter server that this kernel belongs to, ``None`` outside Jupyter."""
    hub = os.environ.get("JUPYTERHUB_SERVICE_PREFIX")
    if hub:
        return hub
    parent = os.environ.get("JPY_PARENT_PID")
    if not parent or not parent.isdigit():
        return None
    from ..jupyter_servers import read_server, runtime_directory

    server = read_server(runtime_directory() / f"jpserver-{parent}.json")
    return server.base_url if server is not None else None


def jupyter_link(model: ClusterModel) -> str | None:
    """Return the path of the status page on the Jupyter server, which checks access and hides the secret.

    ``None`` outside Jupyter, and without a dashboard.
    """
    base = jupyter_base_url()
    if base is None or model.dashboard_path is None:
        return None
    return f"{base.rstrip('/')}/{model.dashboard_path}"


def page_link(link: str, page: DashboardPage) -> str:
    """Return the link to a page, given that to the status page."""
    return f"{link.rsplit('/', 1)[0]}/{page.path}"
