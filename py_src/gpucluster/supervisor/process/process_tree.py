"""Nothing of a cluster outlives it, neither its workers nor the programs of tasks, and it does not outlive its entry.

On Linux the kernel does that. Elsewhere another process does it once the supervisor is gone. A supervisor without its
folder in the registry is not listed, cannot be stopped by a request, and its lock protects nothing.
"""

from __future__ import annotations

import atexit
import logging
import os
import shutil
import signal
import stat
import threading
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...operating_system import LINUX, end_descendants
from ...operating_system.files import make_no_more_semaphores, remove_semaphores
from ...operating_system.processes import adopt_orphans, end_with_parent

if TYPE_CHECKING:
    import psutil

    from ...registry.record import Folder


_PATIENCE_SECONDS = 10.0


def take_all_along() -> None:
    """Let everything below this process, a supervisor, end with it."""
    if LINUX:
        adopt_orphans()  # Also what tasks have started, if the forkserver is killed alone and cannot kill it any more.
    else:
        end_descendants.start()


class Orphans:
    """Adopted processes that have ended. `others`: returns those that are waited for elsewhere, late."""

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


logger = logging.getLogger("gpucluster.supervisor")

LOOK_SECONDS = 1.0
LOOKS = 2  # How often in a row the entry must be missing.


def entry_exists(folder: Folder, held: int) -> bool:
    """Whether the record exists and the lock file is the one that this process holds with the descriptor `held`."""
    try:
        mine, there = os.fstat(held), os.stat(folder.lock, follow_symlinks=False)
        os.lstat(folder.state)  # A dangling link is a damaged record, not a deleted one.
        return (mine.st_dev, mine.st_ino) == (there.st_dev, there.st_ino)
    except FileNotFoundError:
        return False
    except OSError:
        return True  # It may exist.


def _remove_what_came_back(folder: Folder) -> None:
    """Remove the scratch space that Dask has made again in place of the folder, in folders that others may read.

    Such a registry would be refused. A registry that was created again is private, and stays. So does a folder that
    lacks only the record, or that belongs to another user by now: its log may be wanted.
    """
    if any(os.path.lexists(file) for file in (folder.lock, folder.state, folder.log)):
        return
    with suppress(OSError):
        above = folder.path.parent.lstat()
        if not stat.S_ISDIR(above.st_mode) or above.st_uid != os.getuid():
            return
        shutil.rmtree(folder.path, ignore_errors=True)
        if stat.S_IMODE(above.st_mode) & 0o077:
            folder.path.parent.rmdir()


def end_when_deleted(
    folder: Folder, held: int, scratch: Callable[[], Path | None], look: Callable[[], None] = lambda: None
) -> None:
    """Watch from a thread, as the event loop may hang, and end this process with all workers.

    `held`: holds the lock. `scratch`: returns where spilled data is, if outside the folder. `look`: a further check.
    """

    def watch() -> None:
        missing = 0
        while missing < LOOKS:
            time.sleep(LOOK_SECONDS)
            missing = 0 if entry_exists(folder, held) else missing + 1
            look()
        logger.error("The folder of this cluster was deleted: ending with all workers")
        # No other process finds this cluster and cleans up; and the event loop would replace each killed worker.
        make_no_more_semaphores()
        os.umask(0o077)
        kill_descendants()
        remove_semaphores(folder.id)
        if (outside := scratch()) is not None:
            shutil.rmtree(outside, ignore_errors=True)
        _remove_what_came_back(folder)
        os._exit(1)

    threading.Thread(target=watch, name="gpucluster-watchdog", daemon=True).start()
