"""The GPUs of the Jupyter server's own machine, read without holding up the event loop."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from ..client.control import AsyncControl
from ..client.local_processes import names_of_clusters, names_of_workers
from ..protocol.models import HostDevices

FRESH_SECONDS = 1.0
"""Several pages that ask at once share one reading."""

Notebooks = Callable[[], Awaitable[dict[int, str]]]
"""Gives the paths of the notebooks whose kernels run, by the kernels' process ids."""


class DeviceReader:
    """Reads the devices in a thread; a failure is a sentence, never an error.

    Parameters
    ----------
    control : AsyncControl
        Knows the clusters.
    notebooks : callable
        Knows the kernels.
    log : logging.Logger
        Where failures go.
    may_stop : bool
        Whether people may stop their processes.
    """

    def __init__(
        self, control: AsyncControl, notebooks: Notebooks, log: logging.Logger, *, may_stop: bool = True
    ) -> None:
        self._may_stop = may_stop
        self._control = control
        self._notebooks = notebooks
        self._log = log
        self._reading: asyncio.Task[HostDevices] | None = None
        self._read_at = 0.0
        self._in_use = True

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
            supervisors, workers = names_of_clusters(models), names_of_workers(models)
            # Nobody needs to know the notebooks while no process uses a GPU.
            notebooks = await self._notebooks() if self._in_use else {}
            host = await asyncio.to_thread(_host_devices, supervisors, notebooks, workers)
            in_use = any(device.processes for device in host.devices)
            if in_use and not self._in_use:
                host = await asyncio.to_thread(_host_devices, supervisors, await self._notebooks(), workers)
            self._in_use = in_use
            return host if self._may_stop else _shown_only(host)
        except Exception as error:
            self._log.warning("The GPUs of this machine could not be read: %s", error, exc_info=True)
            return HostDevices(
                available=False,
                code="error",
                message="The GPUs of this machine could not be read; the log of the Jupyter server says why.",
            )


def _shown_only(host: HostDevices) -> HostDevices:
    return host.model_copy(
        update={
            "devices": [
                device.model_copy(
                    update={"processes": [one.model_copy(update={"can_stop": False}) for one in device.processes]}
                )
                for device in host.devices
            ]
        }
    )


def _host_devices(supervisors: dict[int, str], notebooks: dict[int, str], workers: dict[int, str]) -> HostDevices:
    # Imported in the thread: the first time, NVML takes a moment.
    from ..devices.host import host_devices

    return host_devices(supervisors, notebooks=notebooks, workers=workers)
