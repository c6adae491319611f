"""What a notebook's files in shared memory take: it is memory, though of no process, and stays when its makers end."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from contextlib import suppress

import psutil

from ....operating_system.memory import SHARED_MEMORY
from ....operating_system.processes import open_files

_LITTLE = 2**24


class SharedMemory:
    """The files in shared memory that are made, or changed, from now on.

    Parameters
    ----------
    private : bool, optional
        Whether the submission has a shared memory of its own, in which all is its own and that ends with it.
    """

    def __init__(self, *, private: bool = False) -> None:
        self._private = private
        self._since = time.time()
        self._without_name_before = self._look()[1]

    def used(self, processes: Iterable[psutil.Process]) -> int:
        """Return what this account's new files take, with those that only these processes hold open."""
        named, without_name = self._look()
        if self._private:
            return named + max(0, without_name)
        # To look through all that is open costs time, and is needed only where there is more than what has a name.
        return named + (self._held(processes, without_name) if without_name > _LITTLE else 0)

    def left(self) -> int:
        """Return what this account's new files take that have a name."""
        return 0 if self._private else self._look()[0]

    def _look(self) -> tuple[int, int]:
        """What this account's new files take, and what all files take that have no name in this folder."""
        new = total = 0
        with suppress(OSError), os.scandir(SHARED_MEMORY) as entries:
            for entry in entries:
                with suppress(OSError):
                    about = entry.stat(follow_symlinks=False)
                    total += 512 * about.st_blocks
                    if about.st_uid == os.getuid() and about.st_ctime >= self._since:
                        new += 512 * about.st_blocks
        with suppress(OSError):
            system = os.statvfs(SHARED_MEMORY)
            return new, (system.f_blocks - system.f_bfree) * system.f_frsize - total
        return new, 0

    def _held(self, processes: Iterable[psutil.Process], without_name: int) -> int:
        """What these processes hold open of files that have been removed.

        Where one of them cannot be looked into, all that was added since the beginning counts.
        """
        device = os.stat(SHARED_MEMORY).st_dev
        sizes: dict[int, int] = {}
        closed = False
        for process in processes:
            try:
                for about in open_files(process.pid):
                    if about.st_dev == device and not about.st_nlink:
                        sizes[about.st_ino] = 512 * about.st_blocks
            except PermissionError:
                closed = True
            except OSError:  # it has ended meanwhile
                continue
        found = sum(sizes.values())
        return max(found, without_name - self._without_name_before) if closed else found
