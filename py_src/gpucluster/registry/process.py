"""Who a process is: its pid *and* its birth, so that a stranger with a recycled pid is never signalled.

The birth is the start time in clock ticks since boot together with the boot's id. Neither moves when the
machine's clock is set, unlike ``psutil.Process.create_time``.
"""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path

import psutil
from pydantic import BaseModel, ConfigDict

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


class ProcessIdentity(BaseModel):
    """One process, for ever."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    pid: int
    birth: str
    """Opaque: equal for the same process, different for any other that ever has the same pid."""


def _birth(pid: int) -> str | None:
    """Return the birth of a living process, ``None`` when there is none (a zombie is none)."""
    try:
        # The command in parentheses may contain spaces and parentheses: split after the last one.
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        if _BOOT_ID.exists():
            return None
        try:  # No /proc (macOS).
            process = psutil.Process(pid)
            return None if process.status() == psutil.STATUS_ZOMBIE else f"time-{process.create_time()}"
        except psutil.Error:
            return None
    if fields[0] in {"Z", "X"}:
        return None
    return f"{_BOOT_ID.read_text().strip()}-{fields[19]}"


def identify(pid: int) -> ProcessIdentity | None:
    """Return the identity of a living process, ``None`` when no such process lives."""
    birth = _birth(pid)
    return None if birth is None else ProcessIdentity(pid=pid, birth=birth)


def is_alive(identity: ProcessIdentity) -> bool:
    """Whether exactly this process lives."""
    return _birth(identity.pid) == identity.birth


def send_signal(identity: ProcessIdentity, number: signal.Signals) -> bool:
    """Signal exactly this process.

    Returns
    -------
    bool
        Whether the signal was sent. ``False`` when the process is gone, also when its pid is now
        somebody else's.
    """
    try:
        handle = os.pidfd_open(identity.pid)
    except AttributeError:  # No pidfd (macOS): a small window remains between check and signal.
        if not is_alive(identity):
            return False
        with suppress(ProcessLookupError):
            os.kill(identity.pid, number)
            return True
        return False
    except ProcessLookupError:
        return False
    try:
        # The handle holds on to whoever had the pid when it was opened; is that the one we mean?
        if not is_alive(identity):
            return False
        signal.pidfd_send_signal(handle, number)
        return True
    except ProcessLookupError:
        return False
    finally:
        os.close(handle)
