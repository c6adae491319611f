"""Fewer digits where there are many workers: a view of hundreds shows each of them a few pixels wide."""

from __future__ import annotations

from typing import Any

from .rounding import rounded

MANY_SECONDS = 2.0
"""distributed lets workers send heartbeats less often than this when there are more than 200 of them."""
UUID_LENGTH = 11
_DIGITS = {
    **dict.fromkeys(("memory_bytes", "vram_total_bytes", "vram_used_bytes", "vram_cluster_bytes"), 3),
    **dict.fromkeys(("rmm_used_bytes", "rmm_pool_bytes", "rmm_maximum_bytes"), 3),
}
_OTHER_DIGITS = 2
_COUNTERS = {"sent_bytes", "received_bytes"}
_COUNTER_STEP = 10_000_000


def is_one_of_many(worker: Any) -> bool:
    """Whether the scheduler has told this worker to send heartbeats as seldom as in a large cluster."""
    heartbeat = worker.periodic_callbacks.get("heartbeat")
    return heartbeat is not None and heartbeat.callback_time > 1000 * MANY_SECONDS


def coarse(figures: dict[str, Any]) -> dict[str, Any]:
    """Return the figures with as many digits as such a view can show."""
    return {name: value if value is None else _coarse(name, value) for name, value in figures.items()}


def _coarse(name: str, value: Any) -> Any:
    if name == "device":
        # CUDA and nvidia-smi take such a beginning of a UUID for the whole.
        return value[:UUID_LENGTH]
    if name in _COUNTERS:
        # Downwards, so that it never runs ahead of what comes later.
        return value // _COUNTER_STEP * _COUNTER_STEP
    return rounded(value, _DIGITS.get(name, _OTHER_DIGITS)) if isinstance(value, (int, float)) else value
