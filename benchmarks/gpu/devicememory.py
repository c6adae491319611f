"""What NVML reports about a GPU: its memory, its load, and which processes have a context on it."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

import psutil
from gpucluster.devices.nvml import NVMLSession

from .piece import MARK, carries_mark


@dataclass(frozen=True)
class Occupation:
    """Memory of one GPU.

    Attributes
    ----------
    used_bytes : int
        By any program, what the driver keeps for itself not counted, as `nvidia-smi` reports it.
    by_pid : dict
        Bytes of each process with a context; ``None`` where the driver does not tell (in containers, often).
    """

    used_bytes: int
    by_pid: dict[int, int | None]


def occupation(index: int = 0) -> Occupation:
    """Return who uses the GPU with that index."""
    session = NVMLSession()
    try:
        handle = session.call("nvmlDeviceGetHandleByIndex", index)
        running = session.call("nvmlDeviceGetComputeRunningProcesses", handle)
        return Occupation(session.memory(handle).used, {process.pid: process.usedGpuMemory for process in running})
    finally:
        session.close()


def used_by_us(index: int = 0) -> int:
    """Return the bytes that processes of this piece of the proof use, so that others on the GPU make no difference.

    All that is used, outside of the proof, and where the driver does not tell what each process has.
    """
    found, mark = occupation(index), os.environ.get(MARK)
    if mark is None or None in found.by_pid.values():
        return found.used_bytes
    return sum(size or 0 for pid, size in found.by_pid.items() if _is_ours(pid, mark))


def _is_ours(pid: int, mark: str) -> bool:
    try:
        return carries_mark(psutil.Process(pid), mark)
    except psutil.NoSuchProcess:
        return False


def utilization_percent(index: int = 0) -> float:
    """Return the share of the last moment in which a kernel ran on the GPU with that index, as NVML reports it."""
    session = NVMLSession()
    try:
        handle = session.call("nvmlDeviceGetHandleByIndex", index)
        return float(session.call("nvmlDeviceGetUtilizationRates", handle).gpu)
    finally:
        session.close()


def has_context(pid: int) -> bool:
    """Return whether a process has a context on the first GPU, as the driver reports it.

    What a process has open does not tell: NVML, too, opens the device file of CUDA's unified memory and loads the
    driver's library (seen with driver 580). Of the simulated driver, which knows no contexts, it is asked whether that
    process has called ``cuInit``: after that, it cannot be forked either.

    Raises
    ------
    RuntimeError
        The driver reports ids of another process namespace, as in containers.
    """
    log = os.environ.get("FAKE_CUDA_LOG")
    if log is not None:
        return Path(log).exists() and f" {pid} " in Path(log).read_text(encoding="utf-8")
    known = occupation().by_pid
    if any(not psutil.pid_exists(each) for each in known):
        raise RuntimeError("The driver does not report which process has a context. Run this outside of containers.")
    return pid in known


def settles_to(wanted_bytes: int, *, within: int, seconds: float = 20, index: int = 0) -> tuple[bool, int]:
    """Wait until our memory is within `within` bytes of what is wanted; return whether it is, and our memory."""
    deadline = time.monotonic() + seconds
    while True:
        used = used_by_us(index)
        if abs(used - wanted_bytes) <= within:
            return True, used
        if time.monotonic() > deadline:
            return False, used
        time.sleep(0.1)


def forkservers(supervisor: int) -> list[int]:
    """Return the processes directly below a supervisor: the forkserver and the resource tracker."""
    return [process.pid for process in psutil.Process(supervisor).children()]
