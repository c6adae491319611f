"""Memory, processors and networks: what processes use, and what a container, a job or a session lets them use."""

import os
import platform
import resource
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from . import LINUX

_PAGE = os.sysconf("SC_PAGE_SIZE")
SHARED_MEMORY = Path("/dev/shm")  # noqa: S108  # A folder in memory, with semaphores; Linux only.


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


def may_read_each_other() -> bool:
    """Whether processes of one user may read each other's memory (``process_vm_readv``): Yama may forbid it."""
    if not LINUX:
        return False
    try:
        with open("/proc/sys/kernel/yama/ptrace_scope", encoding="ascii") as file:
            return file.read().strip() == "0"
    except FileNotFoundError:
        return True
    except OSError:
        return False


def _statm(pid: int, field: int) -> int:
    with open(f"/proc/{pid}/statm", "rb") as file:
        return int(file.read().split()[field]) * _PAGE


_GROUPS = Path("/sys/fs/cgroup")


def bounded(memory: int, cores: float) -> tuple[int, float]:
    """Return how much of this memory and of these cores this process may use; on systems other than Linux: all."""
    for folder in _own_groups() if LINUX else ():
        for name in ("memory.max", "memory.high", "memory.limit_in_bytes"):
            with suppress(OSError, ValueError):
                memory = min(memory, int((folder / name).read_text()))
        with suppress(OSError, ValueError):
            quota, period = map(int, (folder / "cpu.max").read_text().split())
            cores = min(cores, quota / period)
        with suppress(OSError, ValueError):  # control groups of version 1; -1: no limit
            quota, period = (int((folder / f"cpu.cfs_{what}_us").read_text()) for what in ("quota", "period"))
            cores = min(cores, quota / period) if quota > 0 else cores
    return memory, cores


class MemoryKills:
    """Detects that the system kills processes because memory is short."""

    def __init__(self) -> None:
        self._seen = out_of_memory_kills()

    def since_last(self) -> bool:
        """Whether it has since the last call, or since this object was made."""
        before, self._seen = self._seen, out_of_memory_kills()
        return before is not None and self._seen is not None and self._seen > before


def out_of_memory_kills() -> int | None:
    """Return how often the system has killed a process of these groups, out of memory; ``None``: not counted."""
    if not LINUX:
        return None
    found: list[int] = []
    files = [folder / name for folder in _own_groups() for name in ("memory.events", "memory.oom_control")]
    for file in (*files, Path("/proc/vmstat")):  # Kills anywhere on the machine count as well.
        with suppress(OSError, ValueError):
            lines = (line.split() for line in file.read_text().splitlines())
            found += [int(words[1]) for words in lines if len(words) == 2 and words[0] == "oom_kill"]
    return sum(found) if found else None


def _own_groups() -> Iterator[Path]:
    """Yield the folders of this process's control groups, from each up to its root."""
    lines: list[str] = []
    with suppress(OSError):
        lines = Path("/proc/self/cgroup").read_text().splitlines()
    yield _GROUPS
    for line in lines:
        _, kinds, path = line.split(":", 2)
        # Version 1 has one hierarchy per kind. Inside a container the path may be the host's, which does not exist.
        root = _GROUPS / kinds.removeprefix("name=")
        folder = root / path.lstrip("/")
        if kinds:
            yield root
        while folder != root and ".." not in folder.parts:
            yield folder
            folder = folder.parent


def usable_processors() -> list[int]:
    """Return the numbers of the processors that this process may use; on systems other than Linux: all."""
    return sorted(os.sched_getaffinity(0)) if LINUX else list(range(os.cpu_count() or 1))


def processor_name() -> str | None:
    names: list[str] = []
    if LINUX:
        with suppress(OSError), open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            found = (line for line in file if line.lower().startswith(("model name", "cpu model")))
            names = [line.partition(":")[2].strip() for line in found]
    return names[0] if names else platform.processor() or None


_DEVICES = Path("/sys/class/infiniband")


def infiniband_devices(folder: Path = _DEVICES) -> list[str]:
    """Return the names of InfiniBand devices, if Linux lists them; elsewhere none."""
    return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
