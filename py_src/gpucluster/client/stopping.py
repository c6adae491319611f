"""Stop a cluster in bounded time, by killing it if it does not end; and describe how it ended."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from datetime import datetime

from pydantic import ValidationError

from ..operating_system.files import read_own_file
from ..protocol.errors import AccessDenied, InvalidState, SupervisorUnreachable
from ..protocol.messages import MessageCode
from ..protocol.models import ClusterModel, ClusterState
from ..protocol.telemetry import ActivityEntry
from ..registry import lock, logs
from ..registry.directory import write_private
from ..registry.record import Folder, ProcessIdentity, send_signal
from ..registry.store import Registry
from ..registry.unreadable import of_another_version
from .waiting import POLL_SECONDS

KILLED_SECONDS = 10.0  # A killed process is gone by then, unless it waits for the system.
_GONE_POLL_SECONDS = 0.02


def signal_supervisor(registry: Registry, folder: Folder, number: signal.Signals) -> None:
    record = registry.read(folder)
    identity = record.process if record is not None else None
    if identity is None:
        with suppress(OSError, ValidationError):
            identity = ProcessIdentity.model_validate_json(read_own_file(folder.process))
    if identity is not None:
        send_signal(identity, number)


async def kill_cluster(registry: Registry, model: ClusterModel, why: str) -> ClusterModel:
    """Kill the process of a cluster and return the ended cluster, with ``why`` as its reason."""
    folder = registry.folder(model.id)
    if not model.state.ended:
        # Before the kill: any process that finds it gone can report why.
        with suppress(OSError):
            write_private(folder.killed, why)
    deadline = time.monotonic() + KILLED_SECONDS
    while not (model := registry.find(model.id)).state.ended:
        if time.monotonic() > deadline:
            raise SupervisorUnreachable(
                f"Process {model.pid} of the cluster '{model.name}' was killed, but has not exited: it is waiting for "
                "the system, probably for a disk or a device, and will exit when that responds."
            )
        signal_supervisor(registry, folder, signal.SIGKILL)  # Repeated: a new process records its id a bit later.
        await asyncio.sleep(_GONE_POLL_SECONDS)
    return model


_LEAVING_LOOKS = 100  # Most checks whether the process of an ended cluster has left.


async def stop_cluster(
    registry: Registry, model: ClusterModel, ask: Callable[[float], Awaitable[ClusterModel]], *, wait: bool,
    timeout: float,
) -> ClusterModel:  # fmt: skip
    """Stop a running cluster, see ``AsyncControl.stop``; `ask` requests it with a timeout in seconds."""
    deadline = time.monotonic() + timeout
    asked = model
    folder = registry.folder(model.id)
    if not os.access(folder.path, os.X_OK) and os.path.isdir(folder.path):
        raise InvalidState(f"The cluster's folder cannot be read: chmod 700 {folder.path}, then stop it.")
    if model.progress is not None and model.progress.step == "turn" and not folder.socket.exists():
        # Its process accepts no requests yet, and has started nothing.
        return await kill_cluster(registry, model, "Stopped while waiting to start.")
    try:
        if of_another_version(model):
            # Another version may not understand requests. The signal has always meant to stop.
            signal_supervisor(registry, folder, signal.SIGTERM)
        else:
            model = asked = await ask(timeout / 2)
    except AccessDenied:
        # The file with its secret was removed. Users who may signal the process may stop the cluster anyway.
        signal_supervisor(registry, folder, signal.SIGTERM)
    except SupervisorUnreachable:
        why = f"Its process did not respond within {timeout / 2:.0f} seconds and was killed."
        return await kill_cluster(registry, registry.find(model.id), why)
    except InvalidState:
        # A standby that was never notified of the cluster that its record names.
        why = "Its process was not notified before it was stopped."
        return await kill_cluster(registry, registry.find(model.id), why)
    while wait and not model.state.ended:
        if time.monotonic() > deadline:
            why = f"Its process had not ended {timeout:.0f} seconds after the request, and was killed."
            return await kill_cluster(registry, model, why)
        await asyncio.sleep(POLL_SECONDS)
        model = registry.find(model.id)
    if asked.wanted.stopped and not model.wanted.stopped:
        # The request could not be recorded: to others the process seems lost.
        return model.model_copy(update={"state": ClusterState.STOPPED, "wanted": asked.wanted, "log_tail": []})
    return model


async def remove_cluster(registry: Registry, id: str) -> None:
    """Remove an ended cluster with its log, once its process has left. Raises `ClusterNotFound`, `InvalidState`."""
    model = registry.find(id)
    folder = registry.folder(model.id)
    for _ in range(_LEAVING_LOOKS):  # The process needs a moment to leave after its last record.
        if not (model.state.ended and lock.is_held(folder.lock)):
            break
        await asyncio.sleep(POLL_SECONDS)
    registry.remove(model.id)


BEFORE_IT_ENDS = "Take results out of a lease before it ends, with result() or compute()."
_OVER = {ClusterState.STOPPING, ClusterState.STOPPED, ClusterState.FAILED}


def is_over(model: ClusterModel | None) -> bool:
    return model is not None and model.state in _OVER


def is_lease_of_this_process(model: ClusterModel) -> bool:
    """Return whether this process leased the cluster, and so expects its end."""
    return model.lease is not None and model.lease.pid == os.getpid()


def stopped_by(registry: Registry, model: ClusterModel) -> str | None:
    """Return the origin of the request to stop, such as ``JupyterLab``; ``None``: no request, or unknown."""
    try:
        entries: list[ActivityEntry] = logs.read_activity(registry.folder(model.id).activity)
    except OSError:
        return None
    asked = [entry for entry in entries if entry.kind == "stop"]
    return asked[-1].by if asked else None


def how_it_ended(model: ClusterModel, by: str | None) -> str:
    """Describe how a cluster ended: what happened, when, by whom and why."""
    failed = model.state is ClusterState.FAILED
    verb = "is being stopped" if model.state is ClusterState.STOPPING else "failed" if failed else "was stopped"
    when = "" if model.ended_at is None else f" {_clock(model.ended_at)}"
    notice = next((message.text for message in model.said(MessageCode.STOPPED) if message.subject is not None), None)
    if notice is not None and not failed:  # By an instructor, whom the text names.
        verb = "is being stopped" if model.state is ClusterState.STOPPING else "ended"
        return f"The cluster '{model.name}' {verb}{when}. {notice}"
    who = "" if by is None or failed else f" by {_with_article(by)}"
    why = f": {model.reason}" if model.reason else "."
    return f"The cluster '{model.name}' {verb}{when}{who}{why}"


def ended_unasked(models: Iterable[ClusterModel]) -> str:
    """Describe the cluster that ended last, if it was stopped without a request or died after running; else ``""``.

    The text ends with a space.
    """
    ended = [model for model in models if model.state.ended]
    last = max(ended, key=lambda model: model.ended_at or "", default=None)
    if last is None:
        return ""
    died = last.state is ClusterState.FAILED and last.running_at is not None
    if not died and not any(entry.kind == "stopped" for entry in last.news):
        return ""
    return f"{how_it_ended(last, None)} "


def _clock(time: str) -> str:
    """Return a UTC ISO time in local time, with the date if it is not today."""
    then = datetime.fromisoformat(time).astimezone()
    today = then.date() == datetime.now().astimezone().date()
    return then.strftime("at %H:%M" if today else "on %Y-%m-%d at %H:%M")


def _with_article(by: str) -> str:
    """Return the origin of a request with its article: ``the idle timer``, but ``JupyterLab``."""
    kind = by.partition(",")[0]
    article = {"idle timer": "the ", "command line": "the ", "notebook": "a ", "assistant": "an "}.get(kind, "")
    return f"{article}{by}"
