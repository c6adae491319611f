"""The owners of GPU memory: this cluster's processes descend from its supervisor, or from the worker's nanny."""

from __future__ import annotations

import os
import socket
from contextlib import suppress

import psutil

from ..operating_system.processes import has_open, number_space

_CUDA_DEVICES = ("/dev/nvidia-uvm", "/dev/dxg")  # A process with a CUDA context holds one open; the second: WSL2.


def this_host() -> str:
    """Return a name for the machine, or container, whose process ids this process sees."""
    return f"{socket.gethostname()} {number_space()}"


class ClusterProcesses:
    """The processes of a cluster on this machine.

    ``host`` is the machine of the supervisor, a process id, as ``this_host`` returns it there. Elsewhere, only the
    nanny of this worker is known.
    """

    def __init__(self, host: str, supervisor: int, *, has_nanny: bool) -> None:
        ancestors: list[int] = []
        with suppress(psutil.Error):
            ancestors = [process.pid for process in psutil.Process().parents()]
        if host == this_host() and supervisor in {os.getpid(), *ancestors}:
            self.root = supervisor
        else:
            self.root = ancestors[0] if has_nanny and ancestors else os.getpid()

    def pids(self) -> set[int]:
        found = {self.root, os.getpid()}
        with suppress(psutil.Error):
            found |= {process.pid for process in psutil.Process(self.root).children(recursive=True)}
        return found

    def used_bytes(self, usage: dict[int, int | None]) -> int | None:
        """Return how much of a device these processes use; ``None`` if unknown.

        ``usage`` has the bytes by process id, as NVML reports them. In a container it reports the ids of the outside,
        or no process at all.
        """
        ours = self.pids() & usage.keys()
        known = [used for pid in ours if (used := usage[pid]) is not None]
        if len(known) < len(ours):
            return None
        if not ours and (has_open(*_CUDA_DEVICES) or any(not psutil.pid_exists(pid) for pid in usage)):
            return None
        return sum(known)
