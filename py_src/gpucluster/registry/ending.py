"""How the end of a cluster is written down: by its supervisor, or by a process that finds the supervisor gone."""

from __future__ import annotations

import os
import re
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..operating_system.files import open_own_file, read_own_file
from ..protocol.messages import MessageCode, saying
from ..protocol.models import ClusterModel, ClusterState
from ..protocol.plain_text import escaped
from ..protocol.telemetry import ActivityEntry
from . import lock, logs
from .record import Folder

LOG_TAIL_LINES = 20
LONGEST_LINE = 4000
NEVER_TAKEN = "The process that requested it ended before the cluster's own process took over. Create it again."
_RAISED = re.compile(r"[A-Za-z_][\w.]*(?:Error|Exception): .|Fatal Python error: .")
"""The line after a traceback, or before one of the interpreter itself."""
_LINES_OF_TRACEBACK = 200


def tail(path: Path, lines: int) -> list[str]:
    """Return the last lines of a text file, control characters escaped, without reading all of it; none without one."""
    try:
        with open(open_own_file(path), "rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - 400 * lines - 4096))
            last = deque(file.read().decode("utf-8", errors="replace").splitlines(), maxlen=lines)
    except OSError:
        return []
    return [escaped(line if len(line) <= LONGEST_LINE else f"… {line[-LONGEST_LINE:]}", keep="\t") for line in last]


def ended_fields(
    model: ClusterModel, state: ClusterState, reason: str | None, *, at: str, log_tail: list[str]
) -> dict[str, Any]:
    ended, other = MessageCode.ENDED, MessageCode.FAILED
    if state is ClusterState.FAILED:
        ended, other = other, ended
    messages = {other: None, ended: reason, MessageCode.NOTICE: None, MessageCode.PENDING: None}
    return {
        "state": state,
        "messages": saying(model.messages, messages, time=at),
        "progress": None,
        "can": (),
        "n_workers": 0,
        "n_pending": 0,
        "n_clients": 0,
        "kernels": [],
        "workers": [],
        "scheduler_address": None,
        "dashboard_path": None,
        "recording": None,
        "ended_at": at,
        "idle": model.idle.model_copy(update={"idle_since": None, "stops_at": None}),
        "log_tail": log_tail,
    }


def ended_by_death(folder: Folder, model: ClusterModel, *, at: str) -> ClusterModel:
    """Return a cluster whose supervisor died without a record, as ended, with the reason as far as known."""
    killed: str | None = None
    with suppress(OSError):
        killed = read_own_file(folder.killed).decode("utf-8", "replace")
    stopped = model.wanted.stopped or killed is not None
    workers = "Its processes elsewhere are being stopped" if folder.remembered.exists() else "Its workers ended with it"
    log_tail = [] if stopped else tail(folder.log, LOG_TAIL_LINES)
    raised = _raised(folder) if log_tail and model.state is ClusterState.STARTING else None
    reason = killed or (
        "Its process ended while it was being stopped."
        if stopped
        else f"Its process could not start: {raised[:300].rstrip('.')}."
        if raised
        else NEVER_TAKEN
        if model.pid is None and not folder.process.exists()
        else f"{gone(model)}: it was killed, or the machine was restarted. {workers}."
    )
    state = ClusterState.STOPPED if stopped else ClusterState.FAILED
    return model.model_copy(update=ended_fields(model, state, reason, at=at, log_tail=log_tail))


def _raised(folder: Folder) -> str | None:
    """Return the error that ended a starting process, if its log ends with that."""
    lines = tail(folder.log, _LINES_OF_TRACEBACK)
    found = [number for number, line in enumerate(lines) if _RAISED.match(line)]
    if not found:
        return None
    # A message may have several lines; what was logged later has another cause.
    logged = any(re.match(r"\d{4}-\d\d-\d\d ", line) for line in lines[found[-1] + 1 :])
    return None if logged else lines[found[-1]]


def gone(model: ClusterModel) -> str:
    """Return the beginning of a message about the end of its process."""
    return f"Its process{f' (pid {model.pid})' if model.pid else ''} is gone"


def note_end(folder: Folder, model: ClusterModel) -> None:
    """Write the end to the activity, once: several processes may find the supervisor gone at the same moment."""
    assert model.ended_at is not None and model.reason is not None
    with suppress(OSError):
        if (writing := lock.take(folder.activity)) is None:
            return  # Another process is writing it.
        try:
            entries = logs.read_activity(folder.activity)
            if not entries or entries[-1].message != model.reason:
                kind = "failure" if model.state is ClusterState.FAILED else "state"
                logs.append_activity(folder.activity, ActivityEntry(at=model.ended_at, kind=kind, message=model.reason))
        finally:
            os.close(writing)
