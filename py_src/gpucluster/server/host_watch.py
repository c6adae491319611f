"""Readings of this machine's GPUs, as long as somebody looks at them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from ..protocol.models import DeviceModel, HostDevices
from .host_devices import DeviceReader

SECONDS = 2.0
SECONDS_WITHOUT_GPU = 30.0

_MIB = 2**20
_CHANGE: dict[str, float] = {
    "memory_used_bytes": 16 * _MIB,
    "utilization_percent": 1.0,
    "power_watts": 2.0,
    "temperature_celsius": 1.0,
    "host_memory_available_bytes": 256 * _MIB,
}
"""A figure that has moved by less than this is not sent again."""


class HostWatch:
    """Reads the devices again and again.

    Parameters
    ----------
    devices : DeviceReader
        Who reads.
    """

    def __init__(self, devices: DeviceReader) -> None:
        self._devices = devices
        self._seen_gpu = False

    async def readings(self) -> AsyncIterator[HostDevices]:
        """Yield a reading, and another one whenever something has changed enough to matter."""
        told: HostDevices | None = None
        while True:
            host = await self._devices.read()
            if told is None or matters(told, host):
                told = host
                yield host
            # A GPU that was there comes back more likely than one that never was.
            self._seen_gpu |= bool(host.devices)
            await asyncio.sleep(SECONDS if self._seen_gpu else SECONDS_WITHOUT_GPU)


def matters(old: HostDevices, new: HostDevices) -> bool:
    """Whether a page should be told the new reading."""
    if _moved(old, new, "host_memory_available_bytes") or len(old.devices) != len(new.devices):
        return True
    if any(_device_differs(*pair) for pair in zip(old.devices, new.devices, strict=True)):
        return True
    blank: dict[str, Any] = {"host_memory_available_bytes": None, "devices": []}
    return old.model_copy(update=blank) != new.model_copy(update=blank)


def _device_differs(old: DeviceModel, new: DeviceModel) -> bool:
    figures = ("memory_used_bytes", "utilization_percent", "power_watts", "temperature_celsius")
    if any(_moved(old, new, name) for name in figures) or len(old.processes) != len(new.processes):
        return True
    for before, after in zip(old.processes, new.processes, strict=True):
        same = before.model_copy(update={"memory_used_bytes": after.memory_used_bytes}) == after
        if not same or _moved(before, after, "memory_used_bytes"):
            return True
    blank: dict[str, Any] = {**dict.fromkeys(figures), "processes": []}
    return old.model_copy(update=blank) != new.model_copy(update=blank)


def _moved(old: object, new: object, name: str) -> bool:
    before, after = getattr(old, name), getattr(new, name)
    if before is None or after is None:
        return before is not after
    return bool(abs(after - before) >= _CHANGE[name])
