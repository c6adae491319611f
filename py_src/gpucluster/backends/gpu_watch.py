"""Watches the GPUs of this machine for errors that the driver tells, beside the event loop."""

from __future__ import annotations

import threading
from datetime import UTC, datetime

from ..devices.nvml import NVMLSession
from ..devices.troubles import Troubles

LOOK_SECONDS = 1.0
RECENT_SECONDS = 30.0
"""An error that is older has killed no worker now."""


class GPUWatch:
    """Looks once a second, in a thread of its own: a driver that hangs holds nobody up."""

    def __init__(self) -> None:
        self._troubles = Troubles(NVMLSession())
        self._closed = threading.Event()
        threading.Thread(target=self._run, name="gpu-watch", daemon=True).start()

    def trouble(self, uuid: str) -> str | None:
        """Return the last error of a GPU that came in the last seconds, in a few words."""
        found = self._troubles.xids(uuid)
        if not found or (datetime.now(UTC) - datetime.fromisoformat(found[-1].at)).total_seconds() > RECENT_SECONDS:
            return None
        xid = found[-1]
        return f"XID {xid.number} of its GPU" + (f" ({xid.meaning})" if xid.meaning else "")

    def close(self) -> None:
        """Look no more."""
        self._closed.set()

    def _run(self) -> None:
        while not self._closed.wait(LOOK_SECONDS):
            self._troubles.look()
