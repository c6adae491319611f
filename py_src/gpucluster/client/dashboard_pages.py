"""The pages of Dask's dashboard, under names that people use."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass

from ..protocol.errors import InvalidRequest

DEFAULT_PAGE = "status"


@dataclass(frozen=True)
class DashboardPage:
    """One page."""

    path: str
    """What Dask calls it, such as ``individual-task-stream``."""
    title: str
    gpu: bool = False
    """Whether it says something only where there are GPUs."""

    @property
    def name(self) -> str:
        """Return what people type, such as ``task-stream``."""
        return self.title.lower().replace(" ", "-")


PAGES = (
    DashboardPage("status", "Status"),
    DashboardPage("workers", "Workers"),
    DashboardPage("individual-task-stream", "Task stream"),
    DashboardPage("individual-progress", "Progress"),
    DashboardPage("individual-graph", "Task graph plot"),
    DashboardPage("individual-groups", "Task groups plot"),
    DashboardPage("individual-group-progress", "Group progress"),
    DashboardPage("individual-compute-time-per-key", "Compute time"),
    DashboardPage("individual-aggregate-time-per-action", "Time by action"),
    DashboardPage("individual-fine-performance-metrics", "Fine metrics"),
    DashboardPage("individual-profile", "Profile plot"),
    DashboardPage("individual-profile-server", "Scheduler profile plot"),
    DashboardPage("individual-exceptions", "Exceptions table"),
    DashboardPage("individual-nprocessing", "Tasks by worker"),
    DashboardPage("individual-occupancy", "Occupancy"),
    DashboardPage("individual-cpu", "CPU"),
    DashboardPage("individual-workers-cpu-timeseries", "CPU history"),
    DashboardPage("individual-cluster-memory", "Cluster memory"),
    DashboardPage("individual-workers-memory", "Worker memory"),
    DashboardPage("individual-workers-memory-timeseries", "Memory history"),
    DashboardPage("individual-memory-by-key", "Memory by key"),
    DashboardPage("individual-gpu-memory", "GPU memory", gpu=True),
    DashboardPage("individual-gpu-utilization", "GPU utilization", gpu=True),
    DashboardPage("individual-rmm-memory", "RMM memory", gpu=True),
    DashboardPage("gpu", "GPU", gpu=True),
    DashboardPage("individual-workers-network", "Network"),
    DashboardPage("individual-workers-network-timeseries", "Network history"),
    DashboardPage("individual-workers-transfer-bytes", "Transfers"),
    DashboardPage("individual-bandwidth-workers", "Bandwidth"),
    DashboardPage("individual-bandwidth-types", "Bandwidth by type"),
    DashboardPage("individual-workers-disk", "Disk"),
    DashboardPage("individual-workers-disk-timeseries", "Disk history"),
    DashboardPage("individual-contention", "Contention"),
    DashboardPage("individual-scheduler-system", "Scheduler"),
    DashboardPage("shuffle", "Shuffle"),
    DashboardPage("stealing", "Stealing"),
    DashboardPage("hardware", "Hardware"),
    DashboardPage("events", "Events"),
    DashboardPage("counters", "Counters"),
    # Whole pages that hold several of the above.
    DashboardPage("tasks", "Tasks"),
    DashboardPage("system", "System"),
    DashboardPage("graph", "Task graph"),
    DashboardPage("groups", "Task groups"),
    DashboardPage("profile", "Profile"),
    DashboardPage("profile-server", "Scheduler profile"),
    DashboardPage("exceptions", "Exceptions"),
    DashboardPage("individual-workers", "Workers table"),
)


def _key(text: str) -> str:
    return re.sub(r"[\s_-]+", "-", text.strip().strip("/").lower())


_BY_NAME = (
    {page.path.removeprefix("individual-"): page for page in PAGES}
    | {page.name: page for page in PAGES}
    | {page.path: page for page in PAGES}
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
    shown = "".join(letter if letter.isprintable() else "?" for letter in str(text)[:40])
    raise InvalidRequest(f"page: there is no page '{shown}'.{hint} The pages are {', '.join(page_names())}.")


def page_names() -> list[str]:
    """Return the names of all pages as people type them."""
    return [page.name for page in PAGES]
