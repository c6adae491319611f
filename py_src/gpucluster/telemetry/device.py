"""The worker's GPU, or MIG slice, as NVML sees it now, read in a thread.

NVML's older call for PCIe throughput blocks for 20 ms and samples; its cumulative counters of bytes do neither.
"""

from __future__ import annotations

import asyncio
import os
import queue
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import psutil

from ..devices.nvml import HIDES_ALL, NOT_SUPPORTED, NVMLCallFailed, NVMLSession, NVMLUnavailable
from ..operating_system.processes import has_open, number_space
from .columns import RATE_DIGITS, rounded, size

_ALL_LINKS = 2**32 - 1
_FIELDS = {
    # column: (field, scope, bytes per unit)
    "pcie_sent_bytes_per_second": (197, 0, 1),
    "pcie_received_bytes_per_second": (198, 0, 1),
    "nvlink_sent_bytes_per_second": (138, _ALL_LINKS, 1024),
    "nvlink_received_bytes_per_second": (139, _ALL_LINKS, 1024),
}
# The member of NVML's union that holds the value, by its type.
_MEMBERS = {0: "dVal", 1: "uiVal", 2: "ulVal", 3: "ullVal", 4: "sllVal", 5: "siVal", 6: "usVal"}
_WRAPS_SOON = {1, 5, 6}  # 32 bits of bytes overflow in a fifth of a second: such a counter is useless.


def traffic(session: NVMLSession, handle: Any) -> dict[str, int | None]:
    """Return the counters in bytes, ``None`` for those that this GPU lacks."""
    wanted = [(field, scope) for field, scope, _ in _FIELDS.values()]
    values = session.soft("nvmlDeviceGetFieldValues", handle, wanted)
    found: dict[str, int | None] = dict.fromkeys(_FIELDS)
    if values is None:
        return found
    for value, (column, (_, _, unit)) in zip(values, _FIELDS.items(), strict=True):
        kind = int(value.valueType)
        member = _MEMBERS.get(kind)
        if value.nvmlReturn == 0 and member is not None and not (unit == 1 and kind in _WRAPS_SOON):
            found[column] = int(getattr(value.value, member)) * unit
    return found


class Rates:
    """Turns readings of counters into rates between two readings."""

    def __init__(self) -> None:
        self._before: dict[str, tuple[float, int]] = {}

    def per_second(self, counter: str, value: int | None, at: float) -> int | None:
        """Return the rate since the last reading; ``None``: there is none, or a reloaded driver has set it back."""
        if value is None:
            self._before.pop(counter, None)
            return None
        before = self._before.get(counter)
        self._before[counter] = (at, value)
        if before is None or at <= before[0] or value < before[1]:
            return None
        return rounded((value - before[1]) / (at - before[0]), RATE_DIGITS)


_TEMPERATURE_OF_GPU = 0
_NOT_FOUND = 6
_UNAVAILABLE = {
    "no_library": "The NVIDIA driver, or the package 'nvidia-ml-py', is missing on this worker's machine.",
    "no_driver": "The NVIDIA driver is not loaded on this worker's machine. Load it, or restart the machine.",
    "version_mismatch": "The NVIDIA driver was updated while in use. Restart the machine, or this cluster.",
    "no_permission": (
        "This account has no permission to use the GPUs of this worker's machine. Ask for access to /dev/nvidia*."
    ),
}
_NO_SUCH_DEVICE = "This worker's GPU is no longer available. Run nvidia-smi on its machine."


def first_device(setting: str | None) -> str | None:
    """Return the first entry of ``CUDA_VISIBLE_DEVICES``; ``None``: the worker has no GPU."""
    if setting is None or setting.strip().lower() in HIDES_ALL:
        return None
    return setting.split(",")[0].strip() or None


class DeviceReader:
    """Reads one device, whatever happens: by index, or by the UUID of a GPU or MIG slice, which may be shortened."""

    def __init__(self, name: str, processes: ClusterProcesses, session: NVMLSession | None = None) -> None:
        self._name = name
        self._processes = processes
        self._session = session or NVMLSession()
        self._rates = Rates()
        self._handle: Any = None
        self._uuid = name if name.startswith(("GPU-", "MIG-")) else None
        self._index: int | None = None
        self._is_slice = False

    def read(self) -> dict[str, Any]:
        """Return the columns of the device, or an error message if it cannot be read."""
        session = self._session
        try:
            if self._handle is None:
                self._find()
            figures = self._memory()
        except NVMLUnavailable as error:
            self._handle = None
            return self._lost(_sentence(error))
        except NVMLCallFailed as error:
            self._handle = None
            lost = NVMLUnavailable.of(error.number, error.text)
            return self._lost(_sentence(lost) if error.session_lost else error.sentence)
        except LookupError:
            return self._lost(_NO_SUCH_DEVICE)
        figures |= {"device": self._uuid, "device_index": self._index}
        figures["vram_cluster_bytes"] = self._cluster_bytes()
        rates = session.soft("nvmlDeviceGetUtilizationRates", self._handle)
        figures["gpu_utilization_percent"] = None if rates is None else int(rates.gpu)
        if not self._is_slice:  # Figures of the whole GPU do not apply to a slice.
            figures |= self._physical()
        return figures

    def _lost(self, sentence: str) -> dict[str, Any]:
        return {"device": self._uuid, "device_index": self._index, "device_error": sentence}

    def _find(self) -> None:
        session = self._session
        handle = session.call("nvmlDeviceGetHandleByIndex", int(self._name)) if self._name.isdigit() else None
        if handle is None:
            handle = self._by_uuid()
        self._uuid = session.call("nvmlDeviceGetUUID", handle)
        self._is_slice = str(self._uuid).startswith("MIG-")
        # Slices are numbered on their GPU, and these numbers are not used elsewhere.
        self._index = None if self._is_slice else session.soft("nvmlDeviceGetIndex", handle)
        self._handle = handle

    def _by_uuid(self) -> Any:
        session = self._session
        try:
            return session.call("nvmlDeviceGetHandleByUUID", self._name.encode())
        except NVMLCallFailed as error:
            if error.number != _NOT_FOUND:
                raise
        for index in range(session.call("nvmlDeviceGetCount")):
            handle = session.soft("nvmlDeviceGetHandleByIndex", index)
            if handle and str(session.soft("nvmlDeviceGetUUID", handle)).startswith(self._name):
                return handle
        raise LookupError(self._name)

    def _memory(self) -> dict[str, Any]:
        try:
            memory = self._session.memory(self._handle)
        except NVMLCallFailed as error:
            if error.number == NOT_SUPPORTED:  # A system on a chip has no separate memory.
                return {}
            raise
        return {"vram_total_bytes": size(memory.total), "vram_used_bytes": size(memory.used)}

    def _cluster_bytes(self) -> int | None:
        usage = self._session.processes(self._handle)
        return None if usage is None else size(self._processes.used_bytes(usage))

    def _physical(self) -> dict[str, Any]:
        session, handle = self._session, self._handle
        figures: dict[str, Any] = {
            "gpu_power_watts": _watts(session.soft("nvmlDeviceGetPowerUsage", handle)),
            "gpu_power_limit_watts": _watts(session.soft("nvmlDeviceGetEnforcedPowerLimit", handle)),
            "gpu_temperature_celsius": session.soft("nvmlDeviceGetTemperature", handle, _TEMPERATURE_OF_GPU),
        }
        counters = traffic(session, handle)
        at = time.monotonic()
        for column, value in counters.items():
            figures[column] = self._rates.per_second(column, value, at)
        return figures


def _sentence(error: NVMLUnavailable) -> str:
    return _UNAVAILABLE.get(error.code, "The NVIDIA driver of this worker's machine does not respond.")


def _watts(milliwatts: Any) -> int | None:
    return rounded(milliwatts / 1000) if isinstance(milliwatts, (int, float)) else None


_CUDA_DEVICES = ("/dev/nvidia-uvm", "/dev/dxg")  # A process with a CUDA context holds one open; the second: WSL2.


def this_host() -> str:
    """Return a name for the machine, or container, whose process ids this process sees."""
    return f"{socket.gethostname()} {number_space()}"


class ClusterProcesses:
    """The processes of a cluster here; on another ``host`` than the supervisor's, only this worker's nanny is known."""

    def __init__(self, host: str, supervisor: int, *, has_nanny: bool) -> None:
        ancestors: list[int] = []
        with suppress(psutil.Error):
            ancestors = [process.pid for process in psutil.Process().parents()]
        if host == this_host() and supervisor in {os.getpid(), *ancestors}:
            self.root = supervisor
        else:
            self.root = ancestors[0] if has_nanny and ancestors else os.getpid()

    def pids(self) -> set[int]:
        found = {self.root, os.getpid()}
        with suppress(psutil.Error):
            found |= {process.pid for process in psutil.Process(self.root).children(recursive=True)}
        return found

    def used_bytes(self, usage: dict[int, int | None]) -> int | None:
        """Return how much of a device these processes use; ``None`` if unknown.

        ``usage`` has the bytes by process id, as NVML reports them. In a container it reports the ids of the outside,
        or no process at all.
        """
        ours = self.pids() & usage.keys()
        known = [used for pid in ours if (used := usage[pid]) is not None]
        if len(known) < len(ours):
            return None
        if not ours and (has_open(*_CUDA_DEVICES) or any(not psutil.pid_exists(pid) for pid in usage)):
            return None
        return sum(known)


WAIT_SECONDS = 0.2  # Maximum delay of a heartbeat; then it takes the figures of the previous reading.
NO_ANSWER_SECONDS = 10.0  # After this long without an answer, old figures are not shown any more.
NO_ANSWER = "The NVIDIA driver has not responded for some time. Run nvidia-smi on this worker's machine."


class BackgroundReading:
    """Runs a blocking function, which returns columns, in a daemon thread."""

    def __init__(self, read: Callable[[], dict[str, Any]]) -> None:
        self._read = read
        self._wanted: queue.SimpleQueue[tuple[asyncio.AbstractEventLoop, asyncio.Future[dict[str, Any]]] | None]
        self._wanted = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._running: asyncio.Future[dict[str, Any]] | None = None
        self._figures: dict[str, Any] = {}
        self._read_at = time.monotonic()

    async def latest(self) -> dict[str, Any]:
        """Return a new reading, or the previous one if that takes long."""
        if self._running is None:
            self._running = self._start()
        running = self._running
        done, _ = await asyncio.wait({running}, timeout=WAIT_SECONDS)
        if done and self._running is running:
            self._running = None
            self._figures = running.result()
            self._read_at = time.monotonic()
        if time.monotonic() - self._read_at > NO_ANSWER_SECONDS:
            known = {name: self._figures.get(name) for name in ("device", "device_index")}
            return {**known, "device_error": NO_ANSWER}
        return self._figures

    def close(self) -> None:
        """End the thread, once it is done."""
        self._wanted.put(None)

    def _start(self) -> asyncio.Future[dict[str, Any]]:
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="gpucluster-telemetry", daemon=True)
            self._thread.start()
        loop = asyncio.get_running_loop()
        future: asyncio.Future[dict[str, Any]] = loop.create_future()
        self._wanted.put((loop, future))
        return future

    def _work(self) -> None:
        while (item := self._wanted.get()) is not None:
            loop, future = item
            try:
                figures = self._read()
            except Exception as error:
                figures = {"device_error": f"The GPU cannot be read ({type(error).__name__})."}
            if loop.is_closed():
                return
            loop.call_soon_threadsafe(_deliver, future, figures)


def _deliver(future: asyncio.Future[dict[str, Any]], figures: dict[str, Any]) -> None:
    if not future.done():
        future.set_result(figures)
