"""Errors of GPUs since the first look: XIDs, as the driver numbers them, and when a GPU was lost."""

from __future__ import annotations

import threading
from collections import deque
from datetime import UTC, datetime
from typing import Any

from ..protocol.models import DeviceModel, XIDModel
from .nvml import NVMLCallFailed, NVMLSession, NVMLUnavailable

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
