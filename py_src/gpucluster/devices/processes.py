"""The users of a device: a tree of processes, each with its user, its program and its cluster or notebook."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Literal, TypeAlias

import psutil

from ..operating_system import processes as system
from ..protocol.models import DeviceProcess
from ..protocol.telemetry import known_sum
from .nvml import NVMLSession

NameOfPid: TypeAlias = Mapping[int, str] | Callable[[int], str | None]
"""Name of the cluster or worker, or path of the notebook, of a process. Descendants belong to the same, so the ids of
supervisors and kernels are enough."""

_CONTROL = "/dev/nvidiactl"
_KNOWN_MOST = 1000
_OURS = {os.getuid()} if hasattr(os, "getuid") else set[int]()


@dataclass(frozen=True)
class Owners:
    """The owners of processes that may be found on a device."""

    clusters: NameOfPid
    notebooks: NameOfPid
    workers: NameOfPid


@dataclass(frozen=True)
class _Known:
    """What does not change during the life of a process."""

    created: float
    user: str | None
    command: str | None
    birth: str | None  # Only for processes of this user.
    lineage: tuple[int, ...]  # The process and its ancestors.


_known: dict[int, _Known] = {}


def device_processes(session: NVMLSession, handle: Any, owners: Owners) -> list[DeviceProcess]:
    """Return the processes that use a device; those that cannot be listed are left out."""
    memory = session.processes(handle) or {}
    known = {pid: _look_up(pid) for pid in sorted(memory)}
    lineages = {pid: found.lineage if found is not None else (pid,) for pid, found in known.items()}
    return [
        _describe(pid, memory[pid], found, owners).model_copy(
            update={
                "parent_pid": next((ancestor for ancestor in lineages[pid][1:] if ancestor in memory), None),
                "tree_memory_bytes": known_sum(memory[other] for other, line in lineages.items() if pid in line),
            }
        )
        for pid, found in known.items()
    ]


def _describe(pid: int, used: int | None, known: _Known | None, owners: Owners) -> DeviceProcess:
    lineage = known.lineage if known is not None else (pid,)
    cluster, notebook = _owner(lineage, owners.clusters), _owner(lineage, owners.notebooks)
    birth = known.birth if known is not None else None
    role = _role(pid, known, owners, belongs=cluster is not None or notebook is not None)
    return DeviceProcess(
        pid=pid,
        user=known.user if known is not None else None,
        command=known.command if known is not None else None,
        memory_used_bytes=used,
        cluster=cluster,
        notebook=notebook,
        role=role,
        worker=_owner(lineage, owners.workers),
        birth=birth,
        # A cluster is stopped as a cluster, and callers must not end themselves.
        can_stop=birth is not None and role != "supervisor" and pid not in _lineage(os.getpid()),
    )


def _role(
    pid: int, known: _Known | None, owners: Owners, *, belongs: bool
) -> Literal["kernel", "supervisor", "worker", "child", "other", "outside"]:
    if known is None:
        return "outside"
    if _owner((pid,), owners.workers) is not None:
        return "worker"
    if _owner((pid,), owners.clusters) is not None:
        return "supervisor"
    if _owner((pid,), owners.notebooks) is not None:
        return "kernel"
    return "child" if belongs else "other"


def _owner(lineage: tuple[int, ...], names: NameOfPid) -> str | None:
    lookup = names if callable(names) else names.get
    return next((name for pid in lineage if (name := lookup(pid)) is not None), None)


def _lineage(pid: int) -> tuple[int, ...]:
    lineage = [pid]
    with suppress(psutil.Error, OSError):
        lineage += [parent.pid for parent in psutil.Process(pid).parents()]
    return tuple(lineage)


def _look_up(pid: int) -> _Known | None:
    """Return what is known about a process; ``None`` when there is no such process here.

    In a container NVML may report process ids of the outside, which are invalid here.
    """
    try:
        process = psutil.Process(pid)
        created = process.create_time()
        known = _known.get(pid)
        if known is not None and known.created == created:
            return known
        user = command = birth = None
        with suppress(psutil.Error, OSError, KeyError):
            user = process.username()
            # The programs of other users are private, but not that they use the device, and how much of it.
            if process.uids().real in _OURS:
                command = process.name()
                birth = system.birth(pid)
        if birth is not None and _is_another(pid):
            return None
    except (psutil.Error, OSError):
        _known.pop(pid, None)
        return None
    if len(_known) >= _KNOWN_MOST:
        _known.clear()
    _known[pid] = known = _Known(created, user, command, birth, _lineage(pid))
    return known


def _is_another(pid: int) -> bool:
    """Whether a process of ours only has the same id as one outside of this container that NVML reports.

    A process that uses a GPU holds the driver's file open.
    """
    try:
        driver = os.stat(_CONTROL).st_rdev
        opened = system.open_files(pid)
    except OSError:
        return False  # The files cannot be checked.
    return bool(opened) and all(file.st_rdev != driver for file in opened)


_CONNECTION_FILE = re.compile(r"kernel-([\w-]+)\.json")
_NAME_OF_NOTEBOOK = "JPY_SESSION_NAME"  # Jupyter servers set this variable of a kernel to its notebook's path.


def notebook_of(pid: int) -> str | None:
    """Return the path of the notebook whose kernel a process of ours is, or ``kernel ID`` if only that is known."""
    try:
        process = psutil.Process(pid)
        files = (_CONNECTION_FILE.fullmatch(PurePath(word).name) for word in process.cmdline()[1:])
        kernel = next((found[1] for found in files if found is not None), None)
        if kernel is None:  # What a kernel has started inherits the variable, but not the file.
            return None
        return process.environ().get(_NAME_OF_NOTEBOOK) or f"kernel {kernel.split('-')[0]}"
    except (psutil.Error, OSError):
        return None
