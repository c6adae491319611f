"""A session with NVML that survives every error, and the errors of GPUs that it has seen.

NVML may be absent, without a driver, of another version than the driver, forbidden, or lose a GPU while it runs; and
each single figure may be unsupported. A session initialises NVML on first use and again after each error that makes it
useless, so that a driver which comes back is found.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, NamedTuple

from ..protocol.models import DeviceModel, XIDModel

CPU_WORKERS = "clusters use CPU workers"
HIDES_ALL = {"", "-1", "nodevfiles"}  # Values of CUDA_VISIBLE_DEVICES, in lower case.
_PROCESS_LISTS = ("nvmlDeviceGetComputeRunningProcesses", "nvmlDeviceGetGraphicsRunningProcesses")

_UNINITIALIZED, _NO_PERMISSION, _DRIVER_NOT_LOADED, _LIBRARY_NOT_FOUND = 1, 4, 9, 12
NOT_SUPPORTED = 3
# Errors of a driver that only has the first version of a call.
_NO_SUCH_VERSION = {2, NOT_SUPPORTED, 13, 25, 999}
_GPU_IS_LOST, _RESET_REQUIRED, _VERSION_MISMATCH, _UNKNOWN = 15, 16, 18, 999

_UNAVAILABLE = {
    _LIBRARY_NOT_FOUND: ("no_library", f"No GPU here: {CPU_WORKERS}."),
    _DRIVER_NOT_LOADED: (
        "no_driver",
        f"The NVIDIA driver is installed but not loaded: {CPU_WORKERS}. Load it, or restart this machine.",
    ),
    _VERSION_MISMATCH: (
        "version_mismatch",
        f"The NVIDIA driver was updated while in use: {CPU_WORKERS} until this machine, or Jupyter, is restarted.",
    ),
    _NO_PERMISSION: (
        "no_permission",
        f"This account has no permission to use the GPUs: {CPU_WORKERS}. Ask for access to /dev/nvidia*.",
    ),
}
_DEVICE_ERRORS = {
    _GPU_IS_LOST: "This GPU is lost: it has fallen off the bus or overheated. Restart the machine.",
    _RESET_REQUIRED: "This GPU needs a reset before it can be used.",
    _NO_PERMISSION: "This account has no permission to use this GPU.",
}
# After these the session is useless and NVML must be initialised again.
_SESSION_LOST = {_UNINITIALIZED, _DRIVER_NOT_LOADED, _LIBRARY_NOT_FOUND, _VERSION_MISMATCH}


class NVMLUnavailable(Exception):
    """NVML cannot be used on this machine now; the code is that of ``HostDevices.code``."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message

    @classmethod
    def of(cls, number: int, text: str) -> NVMLUnavailable:
        """Return the error for a machine whose NVML answers with this code."""
        return cls(*_UNAVAILABLE.get(number, ("error", f"The GPUs cannot be read ({text}): {CPU_WORKERS}.")))


class NVMLCallFailed(Exception):
    """One NVML call failed. ``number`` is NVML's own code."""

    def __init__(self, number: int, text: str) -> None:
        super().__init__(text)
        self.number = number
        self.text = text

    @property
    def sentence(self) -> str:
        """The meaning for one device, for users."""
        return _DEVICE_ERRORS.get(self.number, f"This GPU cannot be read ({self.text}).")

    @property
    def session_lost(self) -> bool:
        return self.number in _SESSION_LOST


class MemoryReading(NamedTuple):
    """Memory of one device, in bytes, as in ``nvidia-smi``."""

    total: int
    used: int  # By programs.
    reserved: int  # For the driver: part of the total, neither used nor free; 0 if an old driver counts it as used.


class NVMLSession:
    """NVML for one process. Safe to use from several threads and after a fork."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._owner: int | None = None
        self.number = 0  # Of this session; the objects of an earlier one are invalid.
        self._nvml: Any = None

    def open(self) -> None:
        """Initialise NVML unless this process has. Raises `NVMLUnavailable` with the reason; a later call retries."""
        with self._lock:
            if self._owner == os.getpid():
                return
            if self._nvml is None:
                try:
                    import pynvml
                except ImportError:
                    missing = f"The package 'nvidia-ml-py' is missing, so GPUs cannot be detected: {CPU_WORKERS}."
                    raise NVMLUnavailable("no_library", missing) from None
                self._nvml = pynvml
            try:
                self._nvml.nvmlInit()
            except self._nvml.NVMLError as error:
                raise NVMLUnavailable.of(int(error.value), str(error)) from None
            self._owner = os.getpid()
            self.number += 1

    def call(self, function: str, *arguments: Any) -> Any:
        """Call an NVML function by name. Raises `NVMLUnavailable` (there is no NVML) or `NVMLCallFailed`."""
        self.open()
        try:
            value = getattr(self._nvml, function)(*arguments)
        except self._nvml.NVMLError as error:
            failed = NVMLCallFailed(int(error.value), str(error))
            if failed.session_lost:
                self.close()
            raise failed from None
        except (AttributeError, TypeError, UnicodeDecodeError) as error:
            # A pynvml without this function, or a driver with invalid answers.
            raise NVMLCallFailed(_UNKNOWN, str(error)) from None
        return value.decode(errors="replace") if isinstance(value, bytes) else value

    def soft(self, function: str, *arguments: Any) -> Any:
        """Call an NVML function; ``None`` if it fails, whatever the reason."""
        try:
            return self.call(function, *arguments)
        except (NVMLCallFailed, NVMLUnavailable):
            return None

    def memory(self, handle: Any) -> MemoryReading:
        """Return the memory of a device, like `call`; ``NOT_SUPPORTED`` for a system on a chip, which has none."""
        self.open()
        version = getattr(self._nvml, "nvmlMemory_v2", None)
        if version is not None:
            try:
                found = self.call("nvmlDeviceGetMemoryInfo", handle, version)
                return MemoryReading(int(found.total), int(found.used), int(found.reserved))
            except NVMLCallFailed as error:
                if error.number not in _NO_SUCH_VERSION:
                    raise
        found = self.call("nvmlDeviceGetMemoryInfo", handle)
        return MemoryReading(int(found.total), int(found.used), 0)

    def processes(self, handle: Any) -> dict[int, int | None] | None:
        """Return the bytes of a device that processes use, by process id; ``None`` if they cannot be listed."""
        lists = [found for function in _PROCESS_LISTS if (found := self.soft(function, handle)) is not None]
        # A process that computes and draws is in both lists with the same figure.
        usage = {int(process.pid): process.usedGpuMemory for found in reversed(lists) for process in found}
        return usage if lists else None

    def close(self) -> None:
        """Shut NVML down; the next call initialises it again."""
        with self._lock:
            if self._owner == os.getpid():
                with suppress(self._nvml.NVMLError):  # It may be lost already.
                    self._nvml.nvmlShutdown()
            self._owner = None


KEPT = 5
_AT_ONCE = 100
_XID_EVENTS = 0x8
_MEANINGS = {
    13: "a kernel failed, for example with an index out of bounds",
    31: "a kernel accessed invalid memory",
    43: "a program's own error stopped it",
    45: "a program's work was aborted, for example because it was killed or after another error",
    48: "an uncorrectable memory error",
    62: "an internal error",
    63: "part of its memory is being retired",
    64: "part of its memory could not be retired",
    74: "an NVLink error",
    79: "it has fallen off the bus",
    92: "many corrected memory errors",
    94: "a memory error that stopped one program",
    95: "a memory error that stopped all programs",
    119: "its system processor does not respond",
    120: "a system processor error",
    154: "it needs a reset, or the machine a restart",
}


class Troubles:
    """Remembers the errors of this machine's GPUs since the first look; never waits for NVML."""

    def __init__(self, session: NVMLSession) -> None:
        self._session = session
        self._events: Any = None
        self._session_number = -1
        self._xids: dict[str, deque[XIDModel]] = {}
        self._broken_since: dict[str, str] = {}
        self._lock = threading.Lock()

    def look(self) -> None:
        """Read the driver's events since the last look; GPUs that cannot be read are left out."""
        with self._lock:
            try:
                self._register()
                if self._events is None:
                    return
                for _ in range(_AT_ONCE):
                    event = self._session.call("nvmlEventSetWait", self._events, 0)
                    self._note(event)
            except (NVMLCallFailed, NVMLUnavailable):
                pass  # There are no more events, or this driver reports none.

    def _register(self) -> None:
        self._session.open()
        if self._session.number == self._session_number:
            return
        # Registrations are lost with their session. A driver that refuses is not asked again.
        self._session_number, self._events = self._session.number, None
        events = self._session.call("nvmlEventSetCreate")
        for index in range(self._session.call("nvmlDeviceGetCount")):
            handle = self._session.soft("nvmlDeviceGetHandleByIndex", index)
            if handle is not None:
                self._session.soft("nvmlDeviceRegisterEvents", handle, _XID_EVENTS, events)
        self._events = events

    def _note(self, event: Any) -> None:
        uuid = self._session.soft("nvmlDeviceGetUUID", event.device)
        if uuid is not None:
            number = int(event.eventData)
            xid = XIDModel(number=number, at=_now(), meaning=_MEANINGS.get(number))
            self._xids.setdefault(uuid, deque(maxlen=KEPT)).append(xid)

    def xids(self, uuid: str) -> list[XIDModel]:
        """Return the last XIDs of a GPU, oldest first."""
        with self._lock:
            return list(self._xids.get(uuid, ()))

    def added_to(self, device: DeviceModel) -> DeviceModel:
        """Return a reading with the remembered errors of that GPU."""
        name = device.uuid if device.index is None else str(device.index)  # A lost one does not report its UUID.
        if device.error is None:
            self._broken_since.pop(name, None)
        else:
            self._broken_since.setdefault(name, _now())
        return device.model_copy(update={"error_since": self._broken_since.get(name), "xids": self.xids(device.uuid)})


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
