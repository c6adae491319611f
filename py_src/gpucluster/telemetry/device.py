"""The worker's GPU, or MIG slice, as NVML sees it now. Blocking: runs in a thread.

NVML's older call for PCIe throughput blocks for 20 ms and samples; its cumulative counters of bytes do neither.
"""

from __future__ import annotations

import time
from typing import Any

from ..devices.nvml import HIDES_ALL, NOT_SUPPORTED, NVMLCallFailed, NVMLSession, NVMLUnavailable, unavailable
from .columns import RATE_DIGITS, rounded, size
from .gpu_ownership import ClusterProcesses

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
        """Return the rate of a counter since its last reading, in seconds; ``None`` if it cannot be read.

        Also for a first reading, and for a counter that went back because the driver was reloaded.
        """
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
    "no_permission": "This account may not use the GPUs of this worker's machine. Ask for access to /dev/nvidia*.",
}
_NO_SUCH_DEVICE = "This worker's GPU is no longer available. Run nvidia-smi on its machine."


def first_device(setting: str | None) -> str | None:
    """Return the first entry of ``CUDA_VISIBLE_DEVICES``; ``None``: the worker has no GPU."""
    if setting is None or setting.strip().lower() in HIDES_ALL:
        return None
    return setting.split(",")[0].strip() or None


class DeviceReader:
    """Reads one device, whatever happens to it and to the driver.

    It is named by index, or by the UUID of a GPU or MIG slice, which may be shortened.
    """

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
            message = _sentence(unavailable(error.number, error.text)) if error.session_lost else error.sentence
            return self._lost(message)
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
