"""Memory and cores that processes of this machine may use."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil

from ..protocol.capacity import Machine

_GROUPS = Path("/sys/fs/cgroup")


def this_machine() -> Machine:
    """Return what this process may use: of the machine, or of its control group where that allows less."""
    memory = psutil.virtual_memory().total
    cores = float(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
    for folder in _own_groups():
        for name in ("memory.max", "memory.high", "memory.limit_in_bytes"):
            with suppress(OSError, ValueError):
                memory = min(memory, int((folder / name).read_text()))
        with suppress(OSError, ValueError):
            quota, period = map(int, (folder / "cpu.max").read_text().split())
            cores = min(cores, quota / period)
        with suppress(OSError, ValueError):  # control groups of version 1; -1: no limit
            quota, period = (int((folder / f"cpu.cfs_{what}_us").read_text()) for what in ("quota", "period"))
            cores = min(cores, quota / period) if quota > 0 else cores
    return Machine(memory_bytes=memory, cores=max(1, math.floor(cores)))


def _own_groups() -> Iterator[Path]:
    """Yield the folders of this process's control groups, from each up to its root."""
    lines: list[str] = []
    with suppress(OSError):
        lines = Path("/proc/self/cgroup").read_text().splitlines()
    yield _GROUPS
    for line in lines:
        _, kinds, path = line.split(":", 2)
        # Version 1 has a hierarchy for each kind. Inside a container the path may be the host's, which is not there.
        root = _GROUPS / kinds.removeprefix("name=")
        folder = root / path.lstrip("/")
        if kinds:
            yield root
        while folder != root and ".." not in folder.parts:
            yield folder
            folder = folder.parent
