"""A supervisor lives no longer than its entry in the registry.

Without its folder it is in no list, cannot be asked to stop, and its lock protects nothing.
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
LOOKS = 2  # So often in a row the entry must be missing.


def entry_exists(folder: Folder, held: int) -> bool:
    """Whether the record exists and the lock file is the one that this process holds.

    `held`: descriptor that holds the lock.
    """
    try:
        mine, there = os.fstat(held), os.stat(folder.lock, follow_symlinks=False)
        os.lstat(folder.state)  # Also a link that leads nowhere: the record is damaged then, not deleted.
        return (mine.st_dev, mine.st_ino) == (there.st_dev, there.st_ino)
    except FileNotFoundError:
        return False
    except OSError:
        return True  # What cannot be seen may be there.


def _remove_what_came_back(folder: Folder) -> None:
    """Remove the scratch space that Dask has made again where the folder was, with folders that others may look into.

    A registry like that would be refused. One that somebody has restarted is private, and stays. So does a folder of
    which only the record is gone, or that is somebody else's by now: its log may be wanted.
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
    * `scratch`: tells where spilled data is, if it is outside the folder.
    * `look`: what else to look at each time, in that thread.
    """

    def watch() -> None:
        missing = 0
        while missing < LOOKS:
            time.sleep(LOOK_SECONDS)
            missing = 0 if entry_exists(folder, held) else missing + 1
            look()
        logger.error("The folder of this cluster was deleted: ending with all workers")
        # Nobody who looks at the list finds this cluster any more, and cleans up after it; and for each worker that is
        # killed here, the event loop would start another.
        make_no_more_semaphores()
        os.umask(0o077)
        kill_descendants()
        remove_semaphores(folder.id)
        outside = scratch()
        if outside is not None:
            shutil.rmtree(outside, ignore_errors=True)
        _remove_what_came_back(folder)
        os._exit(1)

    threading.Thread(target=watch, name="gpucluster-watchdog", daemon=True).start()
