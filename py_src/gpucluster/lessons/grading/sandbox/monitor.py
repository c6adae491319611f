"""Watching what a submission uses, and ending everything that it has started."""

from __future__ import annotations

import ctypes
import os
import threading
import time
from contextlib import suppress

import psutil

from ..grades import Limits, Status
from .shared_memory import SharedMemory

_PR_SET_CHILD_SUBREAPER = 36
_PR_SET_DUMPABLE = 4
_EVERY_S = 0.1
_PATIENCE_S = 10.0
_TRACKERS_S = 4.0
_TRACKER = "resource_tracker import main"
"""What Python runs to remove the locks and the shared memory that its processes leave, once they have ended."""


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


def end_all(*, at_once: bool = False) -> bool:
    """Kill everything below this process, also what is started meanwhile; return whether nothing is left.

    Parameters
    ----------
    at_once : bool, optional
        Do not wait for Python's own trackers, which remove locks from shared memory when all that used them has ended.
    """
    began = time.monotonic()
    trackers = [] if at_once else [process for process in descendants() if _is_tracker(process)]
    while (passed := time.monotonic() - began) < _PATIENCE_S:
        found = [process for process in descendants() if not _has_ended(process)]
        ended = [process for process in found if process not in trackers or passed > _TRACKERS_S]
        for process in ended:
            with suppress(psutil.Error):
                process.suspend()  # what is stopped starts nothing more
        for process in ended:
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
        What the account's new files in shared memory take that are left at the end.
    """

    def __init__(self, limits: Limits) -> None:
        super().__init__(daemon=True)
        self.limits = limits
        self.peak_bytes = 0
        self.exceeded: Status | None = None
        self.deadline = time.monotonic() + limits.seconds
        self.shared_bytes = 0
        self._shared = SharedMemory()
        self._done = threading.Event()

    def run(self) -> None:
        """Look at all processes again and again."""
        own = psutil.Process()
        at_first = _resident(own)
        while not self._done.wait(_EVERY_S):
            found = descendants()
            alive = [process for process in found if not _has_ended(process)]
            for process in alive:
                _end_without_main_thread(process)
            # What the kernel sends is held by this process until it is looked at.
            used = sum(_resident(process) for process in alive) + max(0, _resident(own) - at_first)
            used += self._shared.used(alive)
            self.peak_bytes = max(self.peak_bytes, used)
            if len(found) > self.limits.processes:
                self._end("processes")
            elif sum(_threads(process) for process in alive) > self.limits.threads:
                self._end("threads")
            elif used > self.limits.memory_bytes:
                self._end("memory")
            elif time.monotonic() > self.deadline:
                self._end("time")

    def stop(self) -> None:
        """Stop watching."""
        self._done.set()
        self.join()
        self.shared_bytes = self._shared.left()

    def _end(self, why: Status) -> None:
        self.exceeded = self.exceeded or why
        end_all(at_once=True)


def _resident(process: psutil.Process) -> int:
    with suppress(psutil.Error):
        return int(process.memory_info().rss)
    return 0


def _threads(process: psutil.Process) -> int:
    with suppress(psutil.Error):
        return int(process.num_threads())
    return 0


def _is_zombie(process: psutil.Process) -> bool:
    with suppress(psutil.Error):
        return bool(process.status() == psutil.STATUS_ZOMBIE)
    return True


def _has_ended(process: psutil.Process) -> bool:
    """Whether it has; where only the main thread has, it is a zombie as well, and the others go on."""
    return _is_zombie(process) and _threads(process) <= 1


def _end_without_main_thread(process: psutil.Process) -> None:
    """Kill a process whose main thread has ended: the system does not say any more how much memory it has."""
    with suppress(psutil.Error):
        if _is_zombie(process):
            process.kill()


def _is_tracker(process: psutil.Process) -> bool:
    with suppress(psutil.Error):
        return any(_TRACKER in part for part in process.cmdline())
    return False
