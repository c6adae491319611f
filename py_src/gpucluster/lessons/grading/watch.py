"""Watching what a submission uses, and ending everything that it has started."""

from __future__ import annotations

import ctypes
import os
import threading
import time
from contextlib import suppress

import psutil

from .cage import SHARED_MEMORY
from .model import Limits, Status

_PR_SET_CHILD_SUBREAPER = 36
_PR_SET_DUMPABLE = 4
_EVERY_S = 0.1
_PATIENCE_S = 10.0


def adopt_orphans() -> None:
    """Become the parent of every process that those below us leave behind, so that none gets away."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def close_memory() -> None:
    """Keep other processes of this user from looking into this one."""
    ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def descendants() -> list[psutil.Process]:
    """Return all processes below this one."""
    with suppress(psutil.Error):
        return psutil.Process().children(recursive=True)
    return []


def end_all() -> bool:
    """Kill everything below this process, also what is started meanwhile; return whether nothing is left."""
    deadline = time.monotonic() + _PATIENCE_S
    while time.monotonic() < deadline:
        found = [process for process in descendants() if _status(process) != psutil.STATUS_ZOMBIE]
        for process in found:
            with suppress(psutil.Error):
                process.suspend()  # what is stopped starts nothing more
        for process in found:
            with suppress(psutil.Error):
                process.kill()
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                continue
        if not found:
            return True
        time.sleep(0.02)
    return False


class Watch(threading.Thread):
    """Ends a submission that uses too much.

    Attributes
    ----------
    peak_bytes : int
        Most memory that was in use at once; pages that processes share count once for each.
    exceeded : str or None
        Which limit was passed.
    shared_bytes : int
        What the account's new files in shared memory take. They are memory, and stay when their makers end.
    """

    def __init__(self, limits: Limits) -> None:
        super().__init__(daemon=True)
        self.limits = limits
        self.peak_bytes = 0
        self.exceeded: Status | None = None
        self.deadline = time.monotonic() + limits.seconds
        self.shared_bytes = 0
        self._began = time.time()
        self._done = threading.Event()

    def run(self) -> None:
        """Look at all processes again and again."""
        own = psutil.Process()
        at_first = _resident(own)
        while not self._done.wait(_EVERY_S):
            found = descendants()
            # What the kernel sends is held by this process until it is looked at.
            used = sum(_resident(process) for process in found) + max(0, _resident(own) - at_first)
            self.shared_bytes = _shared(self._began)
            used += self.shared_bytes
            self.peak_bytes = max(self.peak_bytes, used)
            if len(found) > self.limits.processes:
                self._end("processes")
            elif used > self.limits.memory_bytes:
                self._end("memory")
            elif time.monotonic() > self.deadline:
                self._end("time")

    def stop(self) -> None:
        """Stop watching."""
        self._done.set()
        self.join()
        self.shared_bytes = _shared(self._began)

    def _end(self, why: Status) -> None:
        self.exceeded = self.exceeded or why
        end_all()


def _resident(process: psutil.Process) -> int:
    with suppress(psutil.Error):
        return int(process.memory_info().rss)
    return 0


def _shared(since: float) -> int:
    """What this account's files in shared memory take that were made or changed since then."""
    size = 0
    with suppress(OSError), os.scandir(SHARED_MEMORY) as entries:
        for entry in entries:
            with suppress(OSError):
                about = entry.stat(follow_symlinks=False)
                if about.st_uid == os.getuid() and about.st_ctime >= since:
                    size += 512 * about.st_blocks
    return size


def _status(process: psutil.Process) -> str:
    with suppress(psutil.Error):
        return str(process.status())
    return psutil.STATUS_ZOMBIE
