"""Where a learner's memory is: proportional shares (PSS), by what a process is for."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from pathlib import Path

import psutil

from .accounts import Account


def kind_of(process: psutil.Process) -> str:
    """Return what a process is for."""
    for below, parent in enumerate(process.parents(), 1):
        if _is_supervisor(parent):
            return "forkserver" if below == 1 else "worker"
    line = " ".join(process.cmdline())
    if _is_supervisor(process):
        return "standby" if "--standby" in line else "supervisor"
    if "ipykernel" in line:
        return "kernel"
    return "server" if "jupyter" in line else "other"


def _is_supervisor(process: psutil.Process) -> bool:
    return "gpucluster.supervisor" in process.cmdline()


def proportional_bytes(account: Account) -> Counter[str]:
    """Return the bytes of all processes of a user, by kind. Needs the rights of root."""
    found: Counter[str] = Counter()
    for process in account.processes():
        with suppress(psutil.Error, OSError, StopIteration):
            kind = kind_of(process)
            lines = Path(f"/proc/{process.pid}/smaps_rollup").read_text().splitlines()
            found[kind] += int(next(line for line in lines if line.startswith("Pss:")).split()[1]) * 1024
    return found
