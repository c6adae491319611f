"""What a link shows: pages of Dask's dashboard, and the figures of a sample. Everything else is not found, or withheld.

Never shown: code (profiles, call stacks, exceptions), logs, contents of tasks, hosts and connections (``info/…``,
``json/…``, ``metrics``, the tables of workers), pages that compute something (``hardware``), and Dask's proxy.

Dask takes the kind of a task from the prefix of its key, which names what is computed and, if a program chooses keys
itself, may be a path, an address or a password.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from enum import Enum
from typing import Any

from ...client.display.dashboard import PAGES
from ...protocol.links import SharedPage
from ...protocol.telemetry import PrefixProgress

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


SHOWN = frozenset(
    {
        "id", "at", "workers", "age_seconds", "n_threads",
        "processing", "executing", "ready", "in_memory",
        "cpu_percent", "memory_bytes", "memory_limit_bytes", "managed_bytes",
        "tier_device_bytes", "tier_device_limit_bytes", "tier_host_bytes", "tier_disk_bytes", "cudf_spilled_bytes",
        "device", "device_index", "device_error",
        "vram_total_bytes", "vram_used_bytes", "vram_cluster_bytes",
        "rmm_used_bytes", "rmm_pool_bytes", "rmm_maximum_bytes",
        "gpu_utilization_percent", "gpu_power_watts", "gpu_power_limit_watts", "gpu_temperature_celsius",
        "pcie_sent_bytes_per_second", "pcie_received_bytes_per_second",
        "nvlink_sent_bytes_per_second", "nvlink_received_bytes_per_second",
        "sent_bytes", "received_bytes", "host_memory_bytes", "host_cores", "tasks", "progress",
    }
)  # fmt: skip
"""``progress`` names kinds of tasks; unless the link shows tasks, it has one entry for all of them."""
WITHHELD = frozenset({"host", "host_others_cores"})  # So are unknown figures of newer clusters.
_COUNTS = frozenset(PrefixProgress.model_fields) - {"prefix"}
ALL_TASKS = "all tasks"

# A local worker's address is the path of its socket, which contains its process id. Dask also writes it quoted.
_SOCKET = re.compile(r"gpucluster(?:\+|%2B)unix(?::|%3A)(?:/|%2F){2}[^\s\"'<>\\]*?(?:/|%2F)[0-9]+-([0-9a-f]{6})\b")


def without_paths(text: str) -> str:
    """Return a text of the dashboard with each socket's path reduced to its random part."""
    return _SOCKET.sub(r"socket-\1", text)


def shown_telemetry(line: bytes, *, tasks: bool) -> bytes | None:
    """Return the JSON of an event without what is withheld; ``None``: unreadable. `tasks`: keep task keys."""
    try:
        event: Any = json.loads(line)
        sample: Any = event["sample"]
    except (ValueError, TypeError, KeyError):
        return None
    if not isinstance(sample, Mapping):
        return None
    shown = {name: value for name, value in sample.items() if name in SHOWN}
    if "progress" in shown and not tasks:
        shown["progress"] = all_tasks(shown["progress"])
    return json.dumps({"kind": "telemetry", "sample": shown}, separators=(",", ":")).encode()


def all_tasks(progress: Any) -> list[dict[str, Any]]:
    counts: dict[str, Any] = {"prefix": ALL_TASKS}
    for kind in progress if isinstance(progress, list) else ():
        for state, count in kind.items() if isinstance(kind, Mapping) else ():
            if state in _COUNTS and isinstance(count, int):
                counts[state] = counts.get(state, 0) + count
    return [counts] if len(counts) > 1 else []
