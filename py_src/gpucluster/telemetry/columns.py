"""The row that a worker adds to its heartbeat: flat, so that the scheduler only has to turn rows into columns."""

from __future__ import annotations

METRIC = "gpucluster"
"""Key of the row in the heartbeat's metrics."""
SPILL_METRIC = "gpucluster-spill"
"""Key of what a worker with bounded scratch adds: whether its last result did not fit there."""
VERSION = 2
"""First entry of a row. A row of another version is not read: its columns may mean something else."""
COLUMNS = (
    "executing",
    "ready",
    "in_memory",
    "cpu_percent",
    "memory_bytes",
    "managed_bytes",
    "tier_device_bytes",
    "tier_device_limit_bytes",
    "tier_host_bytes",
    "tier_disk_bytes",
    "cudf_spilled_bytes",
    "host",
    "device",
    "device_index",
    "device_error",
    "vram_total_bytes",
    "vram_used_bytes",
    "vram_cluster_bytes",
    "rmm_used_bytes",
    "rmm_pool_bytes",
    "rmm_maximum_bytes",
    "gpu_utilization_percent",
    "gpu_power_watts",
    "gpu_power_limit_watts",
    "gpu_temperature_celsius",
    "pcie_sent_bytes_per_second",
    "pcie_received_bytes_per_second",
    "nvlink_sent_bytes_per_second",
    "nvlink_received_bytes_per_second",
    "sent_bytes",
    "received_bytes",
)
"""Names of the entries after the first, as in ``TelemetrySample``."""
