"""Ending a supervisor that does not end by itself."""

from __future__ import annotations

import asyncio
import signal
import time
from contextlib import suppress

from pydantic import ValidationError

from ..operating_system.plain_file import read_own_file
from ..protocol.errors import SupervisorUnreachable
from ..protocol.models import ClusterModel
from ..registry.directory import write_private
from ..registry.process import ProcessIdentity, send_signal
from ..registry.record import Folder
from ..registry.store import Registry

KILLED_SECONDS = 10.0
"""A process that was killed is gone by then, unless the system keeps it."""
_POLL_SECONDS = 0.02


def signal_supervisor(registry: Registry, folder: Folder, number: signal.Signals) -> None:
    """Signal the process of a folder, if it is known and lives."""
    identity: ProcessIdentity | None = None
    record = registry.read(folder)
    if record is not None:
        identity = record.process
    if identity is None:
        with suppress(OSError, ValidationError):
            identity = ProcessIdentity.model_validate_json(read_own_file(folder.process))
    if identity is not None:
        send_signal(identity, number)


def kill_supervisor(registry: Registry, folder: Folder) -> None:
    """Kill the process of a folder, if it is known and lives."""
    signal_supervisor(registry, folder, signal.SIGKILL)


async def kill_cluster(registry: Registry, model: ClusterModel, why: str) -> ClusterModel:
    """Kill the process of a cluster and return the cluster as it has ended, with ``why`` as its reason.

    Raises
    ------
    SupervisorUnreachable
        The system does not let the process go.
    """
    folder = registry.folder(model.id)
    if not model.state.ended:
        # Before: whoever finds it gone first can say why.
        with suppress(OSError):
            write_private(folder.killed, why)
    deadline = time.monotonic() + KILLED_SECONDS
    while not (model := registry.find(model.id)).state.ended:
        if time.monotonic() > deadline:
            raise SupervisorUnreachable(
                f"The process {model.pid} of the cluster '{model.name}' was killed, but is still there: it waits for "
                "the system, probably for a disk or a device, and ends as soon as that answers."
            )
        kill_supervisor(registry, folder)  # Again: one that has only just begun may not have said yet who it is.
        await asyncio.sleep(_POLL_SECONDS)
    return model
