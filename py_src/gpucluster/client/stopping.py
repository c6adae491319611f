"""Stopping a cluster in bounded time: it is asked, waited for, and killed when it does not end."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Awaitable, Callable

from ..protocol.errors import AccessDenied, InvalidState, SupervisorUnreachable
from ..protocol.models import ClusterModel, ClusterState
from ..registry import lock
from ..registry.store import Registry
from ..registry.unreadable import of_another_version
from .killing import kill_cluster, signal_supervisor
from .waiting import POLL_SECONDS

_LEAVING_LOOKS = 100
"""So often, at most, one looks whether the process of an ended cluster has left."""


async def stop_cluster(
    registry: Registry,
    model: ClusterModel,
    ask: Callable[[float], Awaitable[ClusterModel]],
    *,
    wait: bool,
    timeout: float,
) -> ClusterModel:
    """Stop a living cluster; the parameters and errors that are not said here are those of ``AsyncControl.stop``.

    Parameters
    ----------
    ask : callable
        Asks the cluster's process to stop, within that many seconds.
    """
    deadline = time.monotonic() + timeout
    asked = model
    folder = registry.folder(model.id)
    if not os.access(folder.path, os.X_OK) and os.path.isdir(folder.path):
        raise InvalidState(f"The folder of the cluster cannot be looked at: chmod 700 {folder.path}, then stop it.")
    if _waits_for_turn(registry, model):
        # Its process listens to nobody yet, and has started nothing.
        return await kill_cluster(registry, model, "Stopped before its turn to start had come.")
    try:
        if of_another_version(model):
            # Requests of ours mean nothing to another version. The signal has always meant to stop.
            signal_supervisor(registry, registry.folder(model.id), signal.SIGTERM)
        else:
            model = asked = await ask(timeout / 2)
    except AccessDenied:
        # The file with its secret was removed. Who may signal the process may stop the cluster anyway.
        signal_supervisor(registry, registry.folder(model.id), signal.SIGTERM)
    except SupervisorUnreachable:
        why = f"Its process did not answer within {timeout / 2:.0f} seconds and was killed."
        return await kill_cluster(registry, registry.find(model.id), why)
    except InvalidState:
        # A standby whose record says that it has this cluster, and whom nobody told.
        why = "Its process was not told of it before it was stopped."
        return await kill_cluster(registry, registry.find(model.id), why)
    while wait and not model.state.ended:
        if time.monotonic() > deadline:
            why = f"Its process had not ended {timeout:.0f} seconds after it was asked to, and was killed."
            return await kill_cluster(registry, model, why)
        await asyncio.sleep(POLL_SECONDS)
        model = registry.find(model.id)
    if asked.wanted.stopped and not model.wanted.stopped:
        # That it was to stop could not be written down: to others it looks as if its process had been lost.
        return model.model_copy(update={"state": ClusterState.STOPPED, "wanted": asked.wanted, "log_tail": []})
    return model


def _waits_for_turn(registry: Registry, model: ClusterModel) -> bool:
    if model.progress is None or model.progress.step != "turn":
        return False
    return not registry.folder(model.id).socket.exists()


async def remove_cluster(registry: Registry, id: str) -> None:
    """Forget an ended cluster with its log, once its process has left.

    Raises
    ------
    ClusterNotFound, InvalidState
    """
    model = registry.find(id)
    folder = registry.folder(model.id)
    for _ in range(_LEAVING_LOOKS):  # The process needs a moment to leave after its last record.
        if not (model.state.ended and lock.is_held(folder.lock)):
            break
        await asyncio.sleep(POLL_SECONDS)
    registry.remove(model.id)
