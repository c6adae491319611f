"""The processes below this one: what they use, and how to end all of them."""

import os
import time
from contextlib import suppress

import psutil

_PATIENCE_S = 10.0
_TRACKERS_S = 4.0
_TRACKER = "resource_tracker import main"
"""What Python runs to remove the locks and the shared memory that its processes leave, once they have ended."""


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
        found = [process for process in descendants() if not has_ended(process)]
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


def has_ended(process: psutil.Process) -> bool:
    """Whether a process has; where only its main thread has, it is a zombie as well, and the others go on."""
    return _is_zombie(process) and threads_of(process) <= 1


def end_without_main_thread(process: psutil.Process) -> None:
    """Kill a process whose main thread has ended: the system does not say any more how much memory it has."""
    with suppress(psutil.Error):
        if _is_zombie(process):
            process.kill()


def resident_bytes(process: psutil.Process) -> int:
    """Return how much memory a process has; 0 when it has ended."""
    with suppress(psutil.Error):
        return int(process.memory_info().rss)
    return 0


def threads_of(process: psutil.Process) -> int:
    """Return how many threads a process has; 0 when it has ended."""
    with suppress(psutil.Error):
        return int(process.num_threads())
    return 0


def _is_zombie(process: psutil.Process) -> bool:
    with suppress(psutil.Error):
        return bool(process.status() == psutil.STATUS_ZOMBIE)
    return True


def _is_tracker(process: psutil.Process) -> bool:
    with suppress(psutil.Error):
        return any(_TRACKER in part for part in process.cmdline())
    return False
