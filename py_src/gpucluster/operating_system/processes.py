"""Identify processes, signal exactly one, tie their lifetimes together, and give up privileges.

Systems other than Linux neither end processes with their parent nor let one adopt orphans: a separate process ends what
is left there (``end_descendants``).
"""

import ctypes
import os
import signal
import struct
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from . import LINUX

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


def birth(pid: int) -> str | None:
    """Return a text that no other process with this pid ever has; ``None`` if none lives (a zombie does not).

    On Linux it is the start in clock ticks since boot, with the boot's id. Neither changes when the clock is set.
    """
    if not LINUX:
        return _portable_birth(pid)
    try:
        # The command in parentheses may contain spaces and parentheses: split after the last one.
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return None if fields[0] in {"Z", "X"} else f"{_boot()}-{fields[19]}"


def is_paused(pid: int) -> bool:
    """Whether a process has been stopped by a signal or a debugger, and does nothing until it is resumed."""
    if not LINUX:
        import psutil

        with suppress(psutil.Error):
            return bool(psutil.Process(pid).status() == psutil.STATUS_STOPPED)
        return False
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in {"T", "t"}
    except OSError:
        return False


@cache
def _boot() -> str:
    return _BOOT_ID.read_text().strip()


def _portable_birth(pid: int) -> str | None:
    import psutil

    with suppress(psutil.Error):
        process = psutil.Process(pid)
        if process.status() != psutil.STATUS_ZOMBIE:
            # psutil's own identity; unlike ``create_time``, it does not move with the clock.
            return f"time-{process._ident[1]!r}"  # type: ignore[attr-defined]
    return None


def send_signal(pid: int, born: str, number: signal.Signals) -> bool:
    """Signal the process with this pid if it started then; returns whether the signal was sent."""
    if not LINUX:  # A small window remains between look and signal.
        with suppress(ProcessLookupError):
            if birth(pid) == born:
                os.kill(pid, number)
                return True
        return False
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return False
    try:
        # The handle refers to the process that had the pid when it was opened: check that this is the right one.
        if birth(pid) != born:
            return False
        signal.pidfd_send_signal(handle, number)
        return True
    except ProcessLookupError:
        return False
    finally:
        os.close(handle)


def thread_numbers(pid: int) -> list[int]:
    """Return the ids of a process's threads. Raises `OSError`: it has ended, or may not be inspected."""
    if LINUX:
        return [int(name) for name in os.listdir(f"/proc/{pid}/task")]
    import psutil

    try:
        return [int(thread.id) for thread in psutil.Process(pid).threads()]
    except psutil.Error as error:
        raise ProcessLookupError(str(error)) from None


def open_files(pid: int) -> list[os.stat_result]:
    """Return the files that a process holds open, including nameless ones; none where the system does not report it."""
    found: list[os.stat_result] = []
    if LINUX:
        for name in os.listdir(f"/proc/{pid}/fd"):
            with suppress(FileNotFoundError):
                found.append(os.stat(f"/proc/{pid}/fd/{name}"))
    return found


def has_open(*paths: str) -> bool:
    """Whether this process holds one of these files or devices open; false where the system does not report it."""
    if LINUX:
        with suppress(OSError):
            for name in os.listdir("/proc/self/fd"):
                with suppress(OSError):
                    if os.readlink(f"/proc/self/fd/{name}") in paths:
                        return True
    return False


def number_space() -> str:
    """Return a name for the processes that share pids: of this machine, or of one of its containers."""
    if LINUX:
        with suppress(OSError):
            return os.readlink("/proc/self/ns/pid")
    return ""


def show_as(command: Sequence[str]) -> None:
    """Let ``ps`` show this command, cut to the length of the parent's. On systems other than Linux nothing happens."""
    if not LINUX:
        return
    with suppress(OSError, ValueError, IndexError):
        # Fields 48 and 49 of proc(5): where the arguments begin and end in this process's own memory.
        fields = Path("/proc/self/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        begin, end = int(fields[45]), int(fields[46])
        if 0 < begin < end:
            text = b"\0".join(os.fsencode(word) for word in command)[: end - begin - 1]
            ctypes.memmove(begin, text.ljust(end - begin, b"\0"), end - begin)


def descriptor_of(pid: int) -> int | None:
    """Return a file descriptor that becomes readable when the process ends; ``None`` on systems other than Linux."""
    if not LINUX:
        return None
    try:
        return os.pidfd_open(pid)
    except OSError:
        return None


_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


def end_with_parent(number: signal.Signals) -> bool:
    """Let the system signal this process when the thread that started it ends; return whether it will."""
    return LINUX and ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, number) == 0


def adopt_orphans() -> bool:
    """Become the parent of all orphans below this process; return whether the system can do that."""
    return LINUX and ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0


_AUTOGROUP = Path("/proc/self/autogroup")
_TRIES = 3
_PAUSE_SECONDS = 0.15  # The kernel accepts one change each tenth of a second, over all users.


def yield_to_sessions(nice: int) -> None:
    """Give the processes of this session together less than those of other sessions; waits a moment at most.

    Linux first shares processors between sessions (autogroup, sched(7)), unless control groups do so; niceness only
    counts within a session. Without such groups, nothing happens.

    `nice`: from 1 to 19; 5 is a third of what others get.
    """
    with suppress(OSError):
        for _ in range(_TRIES):
            try:
                _AUTOGROUP.write_text(f"{nice}\n")
                return
            except BlockingIOError:
                time.sleep(_PAUSE_SECONDS)


def yield_to_processes(nice: int) -> None:
    """Give this process, and those it starts from now on, less than others of this session."""
    with suppress(OSError):
        os.nice(nice)


_PR_SET_DUMPABLE = 4
_PR_CAPBSET_READ, _PR_CAPBSET_DROP, _PR_SET_SECUREBITS = 23, 24, 28
_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL = 47, 4
_NOTHING_FOR_ROOT = 0b1111  # SECBIT_NOROOT, SECBIT_NO_SETUID_FIXUP, each with its lock
_CAPABILITY_VERSION_3 = 0x20080522


def drop_capabilities() -> bool:
    """Give up all privileges beyond those of an ordinary owner of files, for good; return whether none is left.

    A graded notebook has none of them, even where root runs ``gpucluster lessons grade``. This holds for the calling
    thread and what it starts: call it before there are others.
    """
    if not LINUX:  # Elsewhere only the superuser has such privileges, and keeps them.
        return os.getuid() != 0
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
    for right in range(64):
        if libc.prctl(_PR_CAPBSET_READ, right, 0, 0, 0) < 0:
            break
        libc.prctl(_PR_CAPBSET_DROP, right, 0, 0, 0)
    libc.prctl(_PR_SET_SECUREBITS, _NOTHING_FOR_ROOT, 0, 0, 0)
    header, nothing = struct.pack("=Ii", _CAPABILITY_VERSION_3, 0), struct.pack("=6I", *[0] * 6)
    return bool(libc.capset(header, nothing) == 0)


def close_memory() -> None:
    if LINUX:
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


KINDS = ("user", "mnt", "pid", "net", "ipc", "uts")


def namespaces_of(process: int | str = "self") -> dict[str, str]:
    """Return the visible namespaces of a process by kind, each as a unique text."""
    found = {}
    for kind in KINDS:
        with suppress(OSError):
            found[kind] = os.readlink(f"/proc/{process}/ns/{kind}")
    return found


def separated(of: dict[str, str], other: dict[str, str]) -> list[str]:
    """Return the kinds of namespaces that two processes do not share."""
    return [kind for kind in KINDS if kind in of and kind in other and of[kind] != other[kind]]
