"""Which process a number means, and a signal that hits no other one."""

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
    """Return a text that no other process of this number ever has; ``None`` where none lives (a zombie is none).

    On Linux it is the start in clock ticks since boot, with the boot's id. Neither moves when the clock is set.
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
    """Whether a process has been stopped by a signal or a debugger, so that it does nothing until it is resumed."""
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
            # By which psutil itself tells processes apart; unlike ``create_time``, it does not move with the clock.
            return f"time-{process._ident[1]!r}"  # type: ignore[attr-defined]
    return None


def send_signal(pid: int, born: str, number: signal.Signals) -> bool:
    """Signal the process of this number if it was born then.

    Returns whether the signal was sent. ``False`` when the process is gone, also when its number is now somebody
    else's.
    """
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
        # The handle holds on to whoever had the number when it was opened; is that the one who is meant?
        if birth(pid) != born:
            return False
        signal.pidfd_send_signal(handle, number)
        return True
    except ProcessLookupError:
        return False
    finally:
        os.close(handle)


def thread_numbers(pid: int) -> list[int]:
    """Return the numbers of a process's threads. Raises `OSError`: it has ended, or may not be looked into."""
    if LINUX:
        return [int(name) for name in os.listdir(f"/proc/{pid}/task")]
    import psutil

    try:
        return [int(thread.id) for thread in psutil.Process(pid).threads()]
    except psutil.Error as error:
        raise ProcessLookupError(str(error)) from None


def open_files(pid: int) -> list[os.stat_result]:
    """Return what a process holds open, also what has no name any more; where the system does not tell: nothing."""
    found: list[os.stat_result] = []
    if LINUX:
        for name in os.listdir(f"/proc/{pid}/fd"):
            with suppress(FileNotFoundError):
                found.append(os.stat(f"/proc/{pid}/fd/{name}"))
    return found


def has_open(*paths: str) -> bool:
    """Whether this process holds one of these files or devices open; where the system does not tell: no."""
    if LINUX:
        with suppress(OSError):
            for name in os.listdir("/proc/self/fd"):
                with suppress(OSError):
                    if os.readlink(f"/proc/self/fd/{name}") in paths:
                        return True
    return False


def number_space() -> str:
    """Return a name for the processes that are numbered together: of this machine, or of a container of it."""
    if LINUX:
        with suppress(OSError):
            return os.readlink("/proc/self/ns/pid")
    return ""


def show_as(command: Sequence[str]) -> None:
    """Let ``ps`` show the command that this process stands for, as far as it fits in the place of the parent's.

    Linux only; elsewhere nothing happens.
    """
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
    """Return a file descriptor that can be read from when the process ends, to be closed; elsewhere there is none."""
    if not LINUX:
        return None
    try:
        return os.pidfd_open(pid)
    except OSError:
        return None
