"""The GPUs of the Jupyter server's own machine, read without holding up the event loop."""

from __future__ import annotations

import asyncio
import logging

from ..client.control import AsyncControl
from ..protocol.models import HostDevices

FRESH_SECONDS = 1.0
"""Several pages that ask at once share one reading."""


class DeviceReader:
    """Reads the devices in a thread; a failure is a sentence, never an error."""

    def __init__(self, control: AsyncControl, log: logging.Logger) -> None:
        self._control = control
        self._log = log
        self._reading: asyncio.Task[HostDevices] | None = None
        self._read_at = 0.0

    async def read(self) -> HostDevices:
        """Return the devices as they are now."""
        now = asyncio.get_running_loop().time()
        if self._reading is None or (self._reading.done() and now - self._read_at > FRESH_SECONDS):
            self._reading = asyncio.create_task(self._read())
            self._read_at = now
        # One asker that goes away must not cancel the reading of the others.
        return await asyncio.shield(self._reading)

    async def _read(self) -> HostDevices:
        try:
            models = await self._control.list()
            supervisors = {model.pid: model.name for model in models if model.pid and not model.state.ended}
            return await asyncio.to_thread(_host_devices, supervisors)
        except Exception as error:
            self._log.warning("The GPUs of this machine could not be read: %s", error, exc_info=True)
            return HostDevices(
                available=False,
                code="error",
                message="The GPUs of this machine could not be read; the log of the Jupyter server says why.",
            )


def _host_devices(supervisors: dict[int, str]) -> HostDevices:
    # Imported in the thread: the first time, NVML takes a moment.
    from ..devices.host import host_devices

    return host_devices(supervisors)
