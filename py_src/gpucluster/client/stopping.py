"""Stopping a cluster in bounded time, by killing it when it does not end; and how it has ended, in words."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from datetime import datetime

from pydantic import ValidationError

from ..operating_system.plain_file import read_own_file
from ..protocol.errors import AccessDenied, InvalidState, SupervisorUnreachable
from ..protocol.messages import MessageCode
from ..protocol.models import ClusterModel, ClusterState
from ..protocol.telemetry import ActivityEntry
from ..registry import activity, lock
from ..registry.directory import write_private
from ..registry.process import ProcessIdentity, send_signal
from ..registry.record import Folder
from ..registry.store import Registry
from ..registry.unreadable import of_another_version
from .waiting import POLL_SECONDS

KILLED_SECONDS = 10.0  # A process that was killed is gone by then, unless the system keeps it.
_GONE_POLL_SECONDS = 0.02


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
    """Kill the process of a cluster and return the cluster as it has ended, with ``why`` as its reason."""
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
                "the system, probably for a disk or a device, and ends when that responds."
            )
        kill_supervisor(registry, folder)  # Again: one that has only just begun may not have said yet who it is.
        await asyncio.sleep(_GONE_POLL_SECONDS)
    return model


_LEAVING_LOOKS = 100  # So often, at most, one looks whether the process of an ended cluster has left.


async def stop_cluster(
    registry: Registry,
    model: ClusterModel,
    ask: Callable[[float], Awaitable[ClusterModel]],
    *,
    wait: bool,
    timeout: float,
) -> ClusterModel:
    """Stop a living cluster; the parameters and errors that are not said here are those of ``AsyncControl.stop``.

    `ask`: asks the cluster's process to stop, within that many seconds.
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
        # The file with its secret was removed. Anyone who may signal the process may stop the cluster anyway.
        signal_supervisor(registry, registry.folder(model.id), signal.SIGTERM)
    except SupervisorUnreachable:
        why = f"Its process did not answer within {timeout / 2:.0f} seconds and was killed."
        return await kill_cluster(registry, registry.find(model.id), why)
    except InvalidState:
        # A standby whose record says that it has this cluster, and whom nobody told.
        why = "Its process was not notified before it was stopped."
        return await kill_cluster(registry, registry.find(model.id), why)
    while wait and not model.state.ended:
        if time.monotonic() > deadline:
            why = f"Its process had not ended {timeout:.0f} seconds after the request, and was killed."
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
    """Forget an ended cluster with its log, once its process has left. Raises `ClusterNotFound`, `InvalidState`."""
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
    """Return whether a cluster has ended, or is about to."""
    return model is not None and model.state in _OVER


def is_lease_of_this_process(model: ClusterModel) -> bool:
    """Return whether this process had leased a cluster, and so knows that it ends."""
    return model.lease is not None and model.lease.pid == os.getpid()


def stopped_by(registry: Registry, model: ClusterModel) -> str | None:
    """Return who has asked the cluster to stop, such as ``JupyterLab``; ``None`` where nobody has, or nobody knows."""
    try:
        entries: list[ActivityEntry] = activity.read(registry.folder(model.id).activity)
    except OSError:
        return None
    asked = [entry for entry in entries if entry.kind == "stop"]
    return asked[-1].by if asked else None


def how_it_ended(model: ClusterModel, by: str | None) -> str:
    """Return what has become of a cluster: what happened to it, when, by whom and why."""
    failed = model.state is ClusterState.FAILED
    verb = "is being stopped" if model.state is ClusterState.STOPPING else "failed" if failed else "was stopped"
    when = "" if model.ended_at is None else f" {_clock(model.ended_at)}"
    told = next((message.text for message in model.said(MessageCode.STOPPED) if message.subject is not None), None)
    if told is not None and not failed:  # By an instructor: it names who it was.
        verb = "is being stopped" if model.state is ClusterState.STOPPING else "ended"
        return f"The cluster '{model.name}' {verb}{when}. {told}"
    who = "" if by is None or failed else f" by {_with_article(by)}"
    why = f": {model.reason}" if model.reason else "."
    return f"The cluster '{model.name}' {verb}{when}{who}{why}"


def ended_unasked(models: Iterable[ClusterModel]) -> str:
    """Return a sentence about the cluster that ended last, if it was stopped unasked or has died after it had run.

    Its user may have been away; where there is none, the text is empty. A blank follows the sentence.
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
    """Return a UTC ISO time as this machine's clock showed it, with the day where it was another one."""
    then = datetime.fromisoformat(time).astimezone()
    today = then.date() == datetime.now().astimezone().date()
    return then.strftime("at %H:%M" if today else "on %Y-%m-%d at %H:%M")


def _with_article(by: str) -> str:
    """Return who asked as a part of a sentence: ``JupyterLab``, ``the idle timer``, ``a notebook, process 12``."""
    kind = by.partition(",")[0]
    article = {"idle timer": "the ", "command line": "the ", "notebook": "a ", "assistant": "an "}.get(kind, "")
    return f"{article}{by}"
