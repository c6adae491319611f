"""The identity of a process: its pid *and* its start, so that a process with a recycled pid is never signalled."""

from __future__ import annotations

import signal

from pydantic import BaseModel, ConfigDict

from ..operating_system import processes


class ProcessIdentity(BaseModel):
    """One process, for all time."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    pid: int
    birth: str
    """Opaque: equal for the same process, different for any other that ever has the same pid."""


def identify(pid: int) -> ProcessIdentity | None:
    """Return the identity of a running process, ``None`` when there is none."""
    birth = processes.birth(pid)
    return None if birth is None else ProcessIdentity(pid=pid, birth=birth)


def is_alive(identity: ProcessIdentity) -> bool:
    return processes.birth(identity.pid) == identity.birth


def send_signal(identity: ProcessIdentity, number: signal.Signals) -> bool:
    """Signal exactly this process; returns whether it was sent, ``False`` when the process is gone."""
    return processes.send_signal(identity.pid, identity.birth, number)
