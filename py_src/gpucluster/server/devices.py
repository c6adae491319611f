"""The GPUs on this machine: their users, updates for open pages, and stopping the user's own processes."""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from pydantic import BaseModel

from ..client.control import AsyncControl
from ..protocol.errors import AccessDenied, InvalidState, parsed
from ..protocol.models import HostDevices, ProcessStopped, StopProcess
from ..protocol.workers import names_of_clusters, names_of_workers
from ..registry.record import ProcessIdentity, is_alive, send_signal
from .api import ClusterAPIHandler

FRESH_SECONDS = 1.0  # Simultaneous requests share one reading.

Notebooks = Callable[[], Awaitable[dict[int, str]]]
"""Returns the paths of notebooks with a running kernel, by the kernels' process ids."""


class DeviceReader:
    """Reads the devices in a thread; a failure becomes a message, never an exception."""

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
        now = asyncio.get_running_loop().time()
        if self._reading is None or (self._reading.done() and now - self._read_at > FRESH_SECONDS):
            self._reading = asyncio.create_task(self._read())
            self._read_at = now
        # A request that is cancelled must not cancel the reading of the others.
        return await asyncio.shield(self._reading)

    async def _read(self) -> HostDevices:
        try:
            models = await self._control.list()
            supervisors, workers = names_of_clusters(models), names_of_workers(models)
            # The notebooks are not needed while no process uses a GPU.
            notebooks = await self._notebooks() if self._in_use else {}
            host = await asyncio.to_thread(_host_devices, supervisors, notebooks, workers)
            in_use = any(device.processes for device in host.devices)
            if in_use and not self._in_use:
                host = await asyncio.to_thread(_host_devices, supervisors, await self._notebooks(), workers)
            self._in_use = in_use
            return host if self._may_stop else _shown_only(host)
        except Exception as error:
            self._log.warning("The GPUs on this machine could not be read: %s", error, exc_info=True)
            message = "The GPUs on this machine could not be read; see the log of the Jupyter server."
            return HostDevices(available=False, code="error", message=message)


def _shown_only(host: HostDevices) -> HostDevices:
    devices = []
    for device in host.devices:
        processes = [process.model_copy(update={"can_stop": False}) for process in device.processes]
        devices.append(device.model_copy(update={"processes": processes}))
    return host.model_copy(update={"devices": devices})


def _host_devices(supervisors: dict[int, str], notebooks: dict[int, str], workers: dict[int, str]) -> HostDevices:
    # Imported in the thread: the first time, NVML takes a moment.
    from ..devices.host import host_devices

    return host_devices(supervisors, notebooks=notebooks, workers=workers)


SECONDS = 2.0
SECONDS_WITHOUT_GPU = 30.0

_CHANGE: dict[str, float] = {
    "memory_used_bytes": 16 * 2**20,
    "utilization_percent": 1.0,
    "power_watts": 2.0,
    "temperature_celsius": 1.0,
    "host_memory_available_bytes": 256 * 2**20,
}
"""Smaller changes are not sent."""


class HostWatch:
    def __init__(self, devices: DeviceReader) -> None:
        self._devices = devices
        self._seen_gpu = False

    async def readings(self) -> AsyncIterator[HostDevices]:
        """Yield a reading, and another one after each change that matters."""
        last: HostDevices | None = None
        while True:
            host = await self._devices.read()
            if last is None or matters(last, host):
                last = host
                yield host
            # A GPU may come back if there was one before.
            self._seen_gpu |= bool(host.devices)
            await asyncio.sleep(SECONDS if self._seen_gpu else SECONDS_WITHOUT_GPU)


def matters(old: Any, new: Any) -> bool:
    """Whether a page should receive the new reading, or a part of it."""
    if isinstance(old, BaseModel):
        return any(_field_matters(name, getattr(old, name), getattr(new, name)) for name in type(old).model_fields)
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return any(map(matters, old, new))
    return bool(old != new)


def _field_matters(name: str, before: Any, after: Any) -> bool:
    if name in _CHANGE and before is not None and after is not None:
        return bool(abs(after - before) >= _CHANGE[name])
    return matters(before, after)


PATIENCE_SECONDS = 5.0  # From the request to end until the process is killed.
LOOK_SECONDS = 0.05


class StopProcessHandler(ClusterAPIHandler):
    """One process that uses a GPU of this machine."""

    devices: DeviceReader
    allowed: bool

    async def post(self, pid: str) -> None:
        """Terminate the process, and kill it if it does not end; returns when it is gone, or cannot be killed."""
        if not self.allowed:
            raise AccessDenied("This server only shows who uses the GPUs (GPUClusterExtension.stop_processes).")
        birth = parsed(StopProcess, self.body()).birth
        number = int(pid)
        host = await self.devices.read()
        found = [
            process
            for device in host.devices
            for process in device.processes
            if process.pid == number and process.birth == birth
        ]
        if not found:
            raise InvalidState(f"Process {number} no longer uses a GPU, or is not yours.")
        if not found[0].can_stop:
            owner = f"the cluster '{found[0].cluster}'; stop the cluster instead" if found[0].cluster else "this server"
            raise InvalidState(f"Process {number} runs {owner}.")
        self.answer(ProcessStopped(pid=number, ended=await _end(ProcessIdentity(pid=number, birth=birth))))


async def _end(process: ProcessIdentity) -> bool:
    for number in (signal.SIGTERM, signal.SIGKILL):
        send_signal(process, number)
        for _ in range(round(PATIENCE_SECONDS / LOOK_SECONDS)):
            if not is_alive(process):
                return True
            await asyncio.sleep(LOOK_SECONDS)
    return False


async def notebooks_by_pid(session_manager: Any, kernel_manager: Any) -> dict[int, str]:
    """Return the paths of notebooks and consoles by their kernel's process id, as far as it is known."""
    found: dict[int, str] = {}
    for session in await session_manager.list_sessions():
        kernel_id, path = (session.get("kernel") or {}).get("id"), session.get("path")
        if not kernel_id or not path or kernel_id not in kernel_manager:
            continue
        pid = getattr(getattr(kernel_manager.get_kernel(kernel_id), "provisioner", None), "pid", None)
        if isinstance(pid, int) and pid > 0:
            found[pid] = str(path)
    return found
