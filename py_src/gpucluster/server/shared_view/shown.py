"""The part of a sample that a link shows: the figures, without names of machines and contents of task keys.

Dask takes the kind of a task from the prefix of its key, which names what is computed and, if a program chooses keys
itself, may be a path, an address or a password.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from ...protocol.telemetry import PrefixProgress

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
