"""Nothing of a cluster outlives it: not its workers, and not the programs that tasks have started.

Linux only; elsewhere the pipes that distributed watches end the workers, later.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import signal
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import psutil

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_PATIENCE_SECONDS = 10.0


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value)


def tie_to_parent() -> None:
    """Make this process, that workers are forked from, end with its parent, and take everything below it along.

    Workers end with this process: the kernel kills them. What their tasks have started knows nothing of that. So this
    process adopts whatever loses its parent below it, and kills it all before it ends itself.
    """
    if sys.platform != "linux":
        return
    server = os.getpid()

    def end(*_: Any) -> None:
        if os.getpid() == server:
            kill_descendants()
            os._exit(1)

    def be_a_worker() -> None:
        # In each child, of which the first generation has this process's handler.
        _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if signal.getsignal(signal.SIGTERM) is end:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)

    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    signal.signal(signal.SIGTERM, end)
    # Its own pipe may tell it first that the parent is gone; then it ends in good order.
    atexit.register(end)
    _prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    os.register_at_fork(after_in_child=be_a_worker)


def kill_descendants() -> None:
    """Kill all processes below this one, and those that come to it because their parents were killed."""
    import psutil

    deadline = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < deadline:
        below = psutil.Process().children(recursive=True)
        for process in below:
            with suppress(psutil.Error):
                process.kill()
        if not below:
            return
        _reap_children()
        time.sleep(0.005)


def descendants() -> list[psutil.Process]:
    """Return all processes below this one: the forkserver, workers and what tasks started."""
    import psutil

    with suppress(psutil.Error):
        return psutil.Process().children(recursive=True)
    return []


def kill(processes: list[psutil.Process]) -> None:
    """Kill those of the processes that still live. psutil compares birth times: no stranger is hit."""
    import psutil

    for process in processes:
        with suppress(psutil.Error):
            process.kill()


def _reap_children() -> None:
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
