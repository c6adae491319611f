"""Nothing of a cluster outlives it: neither its workers nor the programs that tasks have started.

On Linux the kernel does that. Elsewhere another process does it once the supervisor is gone.
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

    On Linux it adopts what tasks have started in case the forkserver is killed alone and cannot kill it any more.
    """
    if LINUX:
        adopt_orphans()
    else:
        end_descendants.start()


class Orphans:
    """Adopted processes that have ended and that nothing else waits for.

    `others`: returns the processes that are waited for elsewhere, late.
    """

    def __init__(self, others: Callable[[], Collection[int | None]]) -> None:
        self._others = others
        self._seen: int | None = None

    def look(self) -> None:
        """Reap one that had ended at the last look already: children that were started here are reaped sooner."""
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
    """Make this process, the forkserver, end with its parent and take everything below it along.

    Workers are forked on Linux only. The kernel kills them with this process, but not what their tasks have started.
    So this process adopts all orphans below it, and kills everything before it ends.
    """
    server = os.getpid()

    def end(*_: Any) -> None:
        if os.getpid() == server:
            kill_descendants()
            os._exit(1)

    def be_a_worker() -> None:
        # Children of the first generation have inherited the handler.
        end_with_parent(signal.SIGKILL)
        if signal.getsignal(signal.SIGTERM) is end:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)

    adopt_orphans()
    signal.signal(signal.SIGTERM, end)
    # Its pipe may end first, which leads to a regular exit.
    atexit.register(end)
    end_with_parent(signal.SIGTERM)
    os.register_at_fork(after_in_child=be_a_worker)


def kill_descendants() -> None:
    """Kill all processes below this one, including orphans that it adopts meanwhile."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < deadline and (below := descendants()):
        kill(below)
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        time.sleep(0.005)


def descendants() -> list[psutil.Process]:
    """Return all processes below this one that are to end with it: the forkserver, workers and what tasks started."""
    import psutil

    with suppress(psutil.Error):
        below = psutil.Process().children(recursive=True)
        return [process for process in below if process.pid != end_descendants.started()]
    return []


def kill(processes: list[psutil.Process]) -> None:
    """Kill the processes that still live. psutil compares start times, so a recycled pid is never hit."""
    import psutil

    for process in processes:
        with suppress(psutil.Error):
            process.kill()
