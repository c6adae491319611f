"""Who uses a device: process, user, program, and which cluster or notebook of ours it belongs to."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeAlias

import psutil

from ..protocol.models import DeviceProcess
from .nvml import NVMLSession

NameOfPid: TypeAlias = Mapping[int, str] | Callable[[int], str | None]
"""Name of the cluster, or path of the notebook, that a process belongs to. A process also belongs to what its
ancestors belong to, so the ids of supervisors and kernels are enough."""

_LISTS = ("nvmlDeviceGetComputeRunningProcesses", "nvmlDeviceGetGraphicsRunningProcesses")
_KNOWN_MOST = 1000
_OURS = {os.getuid()} if hasattr(os, "getuid") else set[int]()


@dataclass(frozen=True)
class _Known:
    """What does not change while a process lives."""

    birth: float
    user: str | None
    command: str | None
    lineage: tuple[int, ...]
    """The process and its ancestors."""


_known: dict[int, _Known] = {}


def device_processes(
    session: NVMLSession, handle: Any, clusters: NameOfPid, notebooks: NameOfPid
) -> list[DeviceProcess]:
    """Return the processes that use a device; those that cannot be listed are left out."""
    memory: dict[int, int | None] = {}
    for function in _LISTS:
        for process in session.soft(function, handle) or []:
            # A process that computes and draws is in both lists with the same figure.
            memory.setdefault(int(process.pid), process.usedGpuMemory)
    return [_describe(pid, used, clusters, notebooks) for pid, used in sorted(memory.items())]


def _describe(pid: int, used: int | None, clusters: NameOfPid, notebooks: NameOfPid) -> DeviceProcess:
    known = _look_up(pid)
    lineage = known.lineage if known is not None else (pid,)
    return DeviceProcess(
        pid=pid,
        user=known.user if known is not None else None,
        command=known.command if known is not None else None,
        memory_used_bytes=used,
        cluster=_owner(lineage, clusters),
        notebook=_owner(lineage, notebooks),
    )


def _owner(lineage: tuple[int, ...], names: NameOfPid) -> str | None:
    lookup = names if callable(names) else names.get
    return next((name for pid in lineage if (name := lookup(pid)) is not None), None)


def _look_up(pid: int) -> _Known | None:
    """Return what is known about a process; ``None`` when there is no such process here.

    In a container NVML may tell process ids of the outside, which mean nothing here.
    """
    try:
        process = psutil.Process(pid)
        birth = process.create_time()
        known = _known.get(pid)
        if known is not None and known.birth == birth:
            return known
        lineage = [pid]
        with suppress(psutil.Error, OSError):
            lineage += [parent.pid for parent in process.parents()]
        user = command = None
        with suppress(psutil.Error, OSError, KeyError):
            user = process.username()
            # What others run is none of our business; that they use the device, and how much of it, is.
            if process.uids().real in _OURS:
                command = process.name()
    except (psutil.Error, OSError):
        _known.pop(pid, None)
        return None
    if len(_known) >= _KNOWN_MOST:
        _known.clear()
    _known[pid] = known = _Known(birth, user, command, tuple(lineage))
    return known
