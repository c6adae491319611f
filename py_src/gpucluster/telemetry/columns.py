"""The row that a worker adds to its heartbeat: flat, so that the scheduler only has to turn rows into columns.

Figures are as short as a gauge can show them. With many workers, they have fewer digits: a view of hundreds shows each
of them a few pixels wide.
"""

from typing import Any

METRIC = "gpucluster"  # Key of the row in the heartbeat's metrics.
SPILL_METRIC = "gpucluster-spill"  # For a worker with bounded scratch: whether its last result did not fit there.
VERSION = 2  # First entry of a row. Rows of other versions are not read: their columns may differ.
COLUMNS = (
    "executing", "ready", "in_memory", "cpu_percent", "memory_bytes", "managed_bytes",
    "tier_device_bytes", "tier_device_limit_bytes", "tier_host_bytes", "tier_disk_bytes", "cudf_spilled_bytes",
    "host", "device", "device_index", "device_error", "vram_total_bytes", "vram_used_bytes", "vram_cluster_bytes",
    "rmm_used_bytes", "rmm_pool_bytes", "rmm_maximum_bytes",
    "gpu_utilization_percent", "gpu_power_watts", "gpu_power_limit_watts", "gpu_temperature_celsius",
    "pcie_sent_bytes_per_second", "pcie_received_bytes_per_second",
    "nvlink_sent_bytes_per_second", "nvlink_received_bytes_per_second",
    "sent_bytes", "received_bytes",
)  # fmt: skip
"""Names of the entries after the first, as in ``TelemetrySample``."""


SIZE_DIGITS = 5
RATE_DIGITS = 3
MANY_SECONDS = 2.0  # With more than 200 workers, distributed's heartbeats are less frequent than this.
UUID_LENGTH = 11
_SHOWN = ("memory", "vram_total", "vram_used", "vram_cluster", "rmm_used", "rmm_pool", "rmm_maximum")
_DIGITS = {f"{name}_bytes": 3 for name in _SHOWN}
_OTHER_DIGITS = 2
_COUNTERS = {"sent_bytes", "received_bytes"}
_COUNTER_STEP = 10_000_000


def rounded(value: float, digits: int = SIZE_DIGITS) -> int:
    whole = round(value)
    excess = len(str(abs(whole))) - digits
    return round(whole, -excess) if excess > 0 else whole


def size(value: float | None) -> int | None:
    """Return a size for a gauge; ``None`` stays ``None``."""
    return None if value is None else rounded(value)


def coarse(figures: dict[str, Any]) -> dict[str, Any]:
    """Return the figures with the digits for a view of many workers."""
    return {name: value if value is None else _coarse(name, value) for name, value in figures.items()}


def _coarse(name: str, value: Any) -> Any:
    if name == "device":
        # CUDA and nvidia-smi accept such a prefix of a UUID.
        return value[:UUID_LENGTH]
    if name in _COUNTERS:
        # Rounded down, so that it never exceeds later values.
        return value // _COUNTER_STEP * _COUNTER_STEP
    return rounded(value, _DIGITS.get(name, _OTHER_DIGITS)) if isinstance(value, (int, float)) else value
