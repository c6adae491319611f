"""What of a sample a link shows: the figures, without the names of machines."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

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
"""``progress`` names kinds of tasks, which are names of functions."""
WITHHELD = frozenset({"host"})
"""What a newer cluster measures and nobody has decided on is withheld, too."""


def shown_telemetry(line: bytes) -> bytes | None:
    """Return the JSON of an event without what is withheld; ``None``: it is no sample that can be read."""
    try:
        event: Any = json.loads(line)
        sample: Any = event["sample"]
    except (ValueError, TypeError, KeyError):
        return None
    if not isinstance(sample, Mapping):
        return None
    shown = {name: value for name, value in sample.items() if name in SHOWN}
    return json.dumps({"kind": "telemetry", "sample": shown}, separators=(",", ":")).encode()
