"""Identify processes, and signal exactly one."""

from __future__ import annotations

import ctypes
import os
import signal
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
