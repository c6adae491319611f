"""The memory of processes, and its limits."""

from __future__ import annotations

import os
import resource
import sys
from contextlib import suppress
from pathlib import Path

from . import LINUX

_PAGE = os.sysconf("SC_PAGE_SIZE")
SHARED_MEMORY = Path("/dev/shm")  # noqa: S108  # semaphores are there
"""A folder in memory; Linux only."""


def resident_bytes(pid: int) -> int:
    """Return the memory that a process uses now. On Linux this takes a tenth of psutil's time."""
    if LINUX:
        return _statm(pid, 1)
    import psutil

    try:
        return int(psutil.Process(pid).memory_info().rss)
    except psutil.Error as error:
        raise ProcessLookupError(str(error)) from None


def address_bytes() -> int:
    """Return the size of this process's address space; 0 if the system does not limit it."""
    with suppress(OSError, ValueError):
        return _statm(os.getpid(), 0) if LINUX else 0
    return 0


def peak_resident_bytes() -> int:
    """Return the most memory that this process ever had, shared libraries included."""
    if LINUX:
        # Unlike getrusage, it does not include what the process was before it became Python.
        with suppress(OSError, StopIteration, ValueError):
            lines = Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines()
            return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:"))
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def mapped_files() -> set[str]:
    """Return the paths of the files that this process has mapped; none on systems other than Linux."""
    with suppress(OSError):
        lines = Path("/proc/self/maps").read_text(encoding="utf-8", errors="surrogateescape").splitlines()
        fields = (line.split(maxsplit=5) for line in lines)
        return {found[5] for found in fields if len(found) == 6 and found[5].startswith("/")}
    return set()


def _statm(pid: int, field: int) -> int:
    with open(f"/proc/{pid}/statm", "rb") as file:
        return int(file.read().split()[field]) * _PAGE
