"""Entries of other versions, of kinds that are not installed here, and damaged ones."""

from __future__ import annotations

import http.client
import json
import os
import socket
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from pydantic import ValidationError

from ..operating_system import processes
from ..operating_system.files import read_own_file
from ..protocol.errors import ErrorModel, InvalidState, error_from_model
from ..protocol.kinds import find_kind
from ..protocol.messages import Message, MessageCode
from ..protocol.models import ClusterModel, ClusterState, Idle, Wanted
from ..protocol.plain_text import printable
from ..protocol.spec import UnknownSpec
from ..protocol.version import PROTOCOL_HEADER, PROTOCOL_VERSION, SECRET_HEADER
from .record import Folder, ProcessIdentity, Record, now, read_secret, stamped

_ANSWER_SECONDS = 1.0
_LONGEST_ANSWER = 64 * 2**20


class Silent(Exception):
    """The process of a cluster has not answered."""


def outline(id: str, text: bytes, *, at: str) -> Record | None:
    """Return what records of all versions share: a cluster to stop; ``None``: a standby, damaged, or this version."""
    try:
        cluster = json.loads(text)["cluster"]
        version = cluster["protocol_version"]
    except (ValueError, LookupError, TypeError, RecursionError):
        return None
    if type(version) is not int or version == PROTOCOL_VERSION:
        return None
    states = {state.value: state for state in ClusterState}
    state = states.get(_text(cluster, "state", ""), ClusterState.RUNNING)
    pid = cluster.get("pid")
    return _entry(
        id,
        state,
        _reason(cluster) if state.ended else f"{_made_by(version)} Here it can only be stopped.",
        name=_text(cluster, "name", id),
        backend=_text(cluster, "backend", "unknown"),
        backend_title=_text(cluster, "backend_title", ""),
        pid=pid if type(pid) is int else None,
        python=_text(cluster, "python", ""),
        created_at=_text(cluster, "created_at", at),
        ended_at=_text(cluster, "ended_at", at) if state.ended else None,
        protocol_version=version,
    )


def _entry(id: str, state: ClusterState, why: str | None, *, backend: str = "unknown", **known: Any) -> Record:
    """Return an entry that can only be stopped, or has ended. `why`: the notice, or the reason of its end, if known."""
    messages = _why(state, why) if state.ended or why is None else [Message.of(MessageCode.NOTICE, why)]
    spec = UnknownSpec(backend=backend)
    fields = {"id": id, "backend": backend, "state": state, "messages": messages, "spec": spec, **known}
    return Record(kind="cluster", cluster=ClusterModel(wanted=Wanted(), idle=Idle(), **fields), readable=False)


def record_from_process(folder: Folder) -> Record | None:
    """Return the record of a folder as its running process reports it; ``None`` for a standby.

    Raises `Silent`: it does not respond, or not as this version does.
    """
    with suppress(OSError, ValueError, http.client.HTTPException):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(_ANSWER_SECONDS)
            connection.connect(str(folder.socket))
            client = http.client.HTTPConnection("gpucluster")
            client.sock = connection
            headers = {PROTOCOL_HEADER: str(PROTOCOL_VERSION), SECRET_HEADER: read_secret(folder) or ""}
            client.request("GET", "/model", headers=headers)
            answer = client.getresponse()
            text = answer.read(_LONGEST_ANSWER)
        if answer.status == http.HTTPStatus.OK:
            model = ClusterModel.model_validate_json(text)
            if model.id != folder.id:
                raise Silent
            return Record(kind="cluster", cluster=model)
        if isinstance(error_from_model(ErrorModel.model_validate_json(text)), InvalidState):
            return None
    raise Silent


def damaged(folder: Folder, why: str, *, alive: bool | None) -> Record:
    """Return an entry for a folder that cannot be read. `alive`: whether its process lives; ``None``: unknown."""
    pid: int | None = None
    with suppress(OSError, ValidationError):
        pid = ProcessIdentity.model_validate_json(read_own_file(folder.process)).pid
    try:
        at = stamped(datetime.fromtimestamp(os.lstat(folder.path).st_mtime, UTC))
    except (OSError, ValueError, OverflowError):
        at = now()
    unreadable = f"Its record cannot be read ({printable(why, 300)})."
    notice = f"{unreadable} Its process does not respond. It can only be stopped here."
    if alive is None:
        notice = (
            f"{unreadable} Whether it is running is unknown; to find out, make its folder readable: chmod 700 "
            f"{folder.path}"
        )
    state, said, ended_at = (ClusterState.RUNNING, notice, None)
    if alive is False:
        state, said, ended_at = (ClusterState.FAILED, unreadable, at)
    shown_pid = pid if alive else None
    return _entry(folder.id, state, said, name=folder.id, pid=shown_pid, python="", created_at=at, ended_at=ended_at)


def of_another_version(model: ClusterModel) -> bool:
    """Whether a cluster can only be stopped, as its process has another protocol version."""
    return not model.state.ended and model.protocol_version != PROTOCOL_VERSION


def ended_outline(record: Record, model: ClusterModel, *, at: str) -> Record:
    if model.state.ended:
        return record
    reason = f"Its process is gone. {_made_by(model.protocol_version)}"
    changes = {"state": ClusterState.FAILED, "messages": _why(ClusterState.FAILED, reason), "ended_at": at}
    return record.model_copy(update={"cluster": model.model_copy(update=changes)})


def with_unknown_kind(record: Record) -> Record:
    """Return the record with a warning, if its cluster runs and is of a kind that is not installed here."""
    model = record.cluster
    if model is None or model.state.ended or not record.readable or not isinstance(model.spec, UnknownSpec):
        return record
    name = model.spec.backend
    found = find_kind(name)
    if found is None:
        why = f"Its kind '{printable(name, 40)}' is not installed in this Python environment."
    elif found.kind is None:
        why = f"Its kind '{name}' cannot be used in this Python environment. {found.problem}"
    else:
        why = f"It was created with another version of its kind '{name}' than the one in this Python environment."
    return _with_warning(record, model, f"{why} The cluster can still be used and stopped.")


def while_paused(record: Record) -> Record:
    """Return the record with a warning, if the cluster's process was stopped by a signal."""
    model = record.cluster
    if model is None or model.state.ended or model.pid is None or not processes.is_paused(model.pid):
        return record
    warning = (
        f"Its process was paused by a signal (SIGSTOP) and does not respond: 'kill -CONT {model.pid}' resumes it, "
        f"'kill -KILL {model.pid}' ends the cluster."
    )
    return _with_warning(record, model, warning)


def _with_warning(record: Record, model: ClusterModel, warning: str) -> Record:
    changed = model.saying({MessageCode.WARNING: [*model.warnings, warning]})
    return record.model_copy(update={"cluster": changed})


def _why(state: ClusterState, reason: str | None) -> list[Message]:
    code = MessageCode.FAILED if state is ClusterState.FAILED else MessageCode.ENDED
    return [] if reason is None else [Message.of(code, reason)]


def _reason(cluster: dict[str, Any]) -> str | None:
    """Return why a cluster of another version has ended: a field until protocol 5, a message from then on."""
    messages = cluster.get("messages")
    fields = [one for one in messages if isinstance(one, dict)] if isinstance(messages, list) else []
    found = [one for one in fields if one.get("code") in {MessageCode.ENDED, MessageCode.FAILED}]
    return _text(cluster, "reason", "") or (_text(found[0], "text", "") if found else "") or None


def _made_by(version: int) -> str:
    return f"It was created by another version of gpucluster (protocol {version}, here {PROTOCOL_VERSION})."


def _text(fields: dict[str, Any], name: str, default: str) -> str:
    value = fields.get(name)
    return printable(value, 300) if isinstance(value, str) and value else default
