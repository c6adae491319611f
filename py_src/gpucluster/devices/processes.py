"""Who uses a device: process, user, program and which cluster of ours it belongs to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import psutil

from ..protocol.models import DeviceProcess
from .nvml import NVMLSession

ClusterOfPid: TypeAlias = Mapping[int, str] | Callable[[int], str | None]
"""Name of the cluster that a process belongs to. A process also belongs to the cluster of its ancestors, so the
supervisors' process ids are enough."""

_LISTS = ("nvmlDeviceGetComputeRunningProcesses", "nvmlDeviceGetGraphicsRunningProcesses")


def device_processes(session: NVMLSession, handle: Any, clusters: ClusterOfPid) -> list[DeviceProcess]:
    """Return the processes that use a device; those that cannot be listed are left out."""
    memory: dict[int, int | None] = {}
    for function in _LISTS:
        for process in session.soft(function, handle) or []:
            # A process that computes and draws is in both lists with the same figure.
            memory.setdefault(int(process.pid), process.usedGpuMemory)
    return [_describe(pid, used, clusters) for pid, used in sorted(memory.items())]


def _describe(pid: int, used: int | None, clusters: ClusterOfPid) -> DeviceProcess:
    lookup = clusters if callable(clusters) else clusters.get
    user = command = None
    cluster = lookup(pid)
    try:
        # In a container NVML may tell process ids of the outside, which mean nothing here.
        process = psutil.Process(pid)
        command = process.name()
        user = process.username()
        for parent in process.parents() if cluster is None else ():
            cluster = cluster or lookup(parent.pid)
    except (psutil.Error, OSError, KeyError):
        pass
    return DeviceProcess(pid=pid, user=user, command=command, memory_used_bytes=used, cluster=cluster)
