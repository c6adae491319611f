"""A supervisor lives no longer than its entry in the registry.

Without its folder it is not listed, cannot be stopped by a request, and its lock protects nothing.
"""

from __future__ import annotations

import logging
import os
import shutil
import stat
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from ...operating_system.multiprocessing_files import make_no_more_semaphores, remove_semaphores
from ...registry.record import Folder
from .process_tree import kill_descendants

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
    """Watch from a thread, which works while the event loop does not, and end this process with all workers.

    * `held`: descriptor that holds the lock.
    * `scratch`: returns the directory of spilled data, if it is outside the folder.
    * `look`: a further check that the thread calls each time.
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
