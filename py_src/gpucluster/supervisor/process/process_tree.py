"""Nothing of a cluster outlives it: not its workers, and not the programs that tasks have started.

On Linux the system sees to that. Elsewhere another process does, once the supervisor is gone.
"""

from __future__ import annotations

import atexit
import os
import signal
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ...operating_system import LINUX, end_descendants
from ...operating_system.lifetimes import adopt_orphans, end_with_parent

if TYPE_CHECKING:
    import psutil

_PATIENCE_SECONDS = 10.0


def take_all_along() -> None:
    """Let everything below this process, a supervisor, end with it.

    On Linux, what tasks have started comes to this process should the one that workers are forked from be killed alone;
    that one then cannot kill it any more.
    """
    if not LINUX:
        end_descendants.start()
        return
    adopt_orphans()


class Orphans:
    """Processes that this one has adopted, which nobody else waits for when they have ended.

    `others`: tells the processes that somebody waits for late.
    """

    def __init__(self, others: Callable[[], Collection[int | None]]) -> None:
        self._others = others
        self._seen: int | None = None

    def look(self) -> None:
        """Let one that has ended go, if it had ended at the last look: children that were started here go sooner."""
        try:
            ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return
        pid = ended.si_pid if ended is not None else None
        if pid is not None and pid == self._seen and pid not in self._others():
            with suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        self._seen = pid


def tie_to_parent() -> None:
    """Make this process, that workers are forked from, end with its parent, and take everything below it along.

    Workers are forked on Linux only. They end with this process: the kernel kills them. What their tasks have started
    knows nothing of that. So this process adopts whatever loses its parent below it, and kills it all before it ends
    itself.
    """
    server = os.getpid()

    def end(*_: Any) -> None:
        if os.getpid() == server:
            kill_descendants()
            os._exit(1)

    def be_a_worker() -> None:
        # In each child, of which the first generation has this process's handler.
        end_with_parent(signal.SIGKILL)
        if signal.getsignal(signal.SIGTERM) is end:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)

    adopt_orphans()
    signal.signal(signal.SIGTERM, end)
    # Its own pipe may tell it first that the parent is gone; then it ends in good order.
    atexit.register(end)
    end_with_parent(signal.SIGTERM)
    os.register_at_fork(after_in_child=be_a_worker)


def kill_descendants() -> None:
    """Kill all processes below this one, and those that come to it because their parents were killed."""
    import psutil

    deadline = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < deadline:
        below = descendants()
        for process in below:
            with suppress(psutil.Error):
                process.kill()
        if not below:
            return
        _reap_children()
        time.sleep(0.005)


def descendants() -> list[psutil.Process]:
    """Return all processes below this one that are to end with it: the forkserver, workers and what tasks started."""
    import psutil

    with suppress(psutil.Error):
        below = psutil.Process().children(recursive=True)
        return [process for process in below if process.pid != end_descendants.started()]
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
