"""Starting the kernels of one submission, looking at what they use, and ending them."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import psutil

from ....operating_system.processes import namespaces_of, open_files
from ....operating_system.resources import SHARED_MEMORY
from .folder import Sandbox
from .processes import descendants, end_all, end_without_main_thread, has_ended, resident_bytes, threads_of

# What a notebook's files in shared memory take: it is memory, though of no process, and stays when its makers end.


_LITTLE = 2**24


class SharedMemory:
    """The files in shared memory that are made, or changed, from now on.

    Parameters
    ----------
    private : bool, optional
        Whether the submission has its own shared memory, which is removed with it.
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
            except OSError:  # it has stopped in the meantime
                continue
        found = sum(sizes.values())
        return max(found, without_name - self._without_name_before) if closed else found


# Starting the kernels of one submission, looking at what they use, and ending them.


KERNEL = "gpucluster.lessons.grading.kernel"
_END_S = 10.0


class Use(NamedTuple):
    """What the processes of a submission use together."""

    processes: int
    threads: int
    bytes: int


class Keeper:
    """The kernels of one submission, one at a time, below this process.

    Parameters
    ----------
    sandbox : Sandbox
        Where they run.
    before : sequence of str, optional
        What comes before the command of each, such as that of a sandbox.
    apart : bool, optional
        Whether that is one, so that a kernel gets nothing from its runner and all that it starts ends with it.
    private : bool, optional
        Whether shared memory is the submission's alone.
    module : str, optional
        What to start.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        before: Sequence[str] = (),
        *,
        apart: bool = False,
        private: bool = False,
        module: str = KERNEL,
    ) -> None:
        self._sandbox, self._before, self._apart, self._module = sandbox, before, apart, module
        self._shared = SharedMemory(private=private)
        self._kernel: subprocess.Popen[bytes] | None = None

    def start(self, number: int) -> None:
        """Start the kernel whose connection file has this number.

        Raises
        ------
        OSError
            When it cannot be started.
        """
        self.kill()
        # Neither the folder of the notebook nor that of its packages comes before Python's own modules: a kernel that
        # follows another one would run what that has left there before it is restricted.
        command = [sys.executable, "-P", "-s", "-m", self._module, "-f", str(connection_file(self._sandbox, number))]
        about = {"apart": self._apart, "unreadable": [os.fsencode(path).hex() for path in self._sandbox.unreadable()]}
        with tempfile.TemporaryFile() as given:  # no process of the learner can change it
            given.write(json.dumps(about).encode())
            given.seek(0)
            self._kernel = subprocess.Popen(
                [*self._before, *command], cwd=self._sandbox.work, env=self._sandbox.environment(), stdin=given,
                start_new_session=True,
            )  # fmt: skip

    def alive(self) -> bool:
        """Whether the kernel still runs."""
        return self._kernel is not None and self._kernel.poll() is None

    def kill(self) -> None:
        """End the kernel; in its own sandbox, all that it has started as well."""
        if self._kernel is not None:
            with suppress(OSError, subprocess.TimeoutExpired):
                self._kernel.kill()
                self._kernel.wait(_END_S)
            self._kernel = None

    def use(self) -> Use:
        """Return what everything below this process uses now; end what cannot be measured."""
        found = descendants()
        alive = [process for process in found if not has_ended(process)]
        for process in alive:
            end_without_main_thread(process)
        taken = sum(resident_bytes(process) for process in alive) + self._shared.used(alive)
        return Use(len(found), sum(threads_of(process) for process in alive), taken)

    def end_all(self, *, at_once: bool = False) -> bool:
        """Kill everything below this process; return whether nothing is left. See `processes.end_all`."""
        return end_all(at_once=at_once or self._apart)

    def left(self) -> int:
        """Return what the account's new files in shared memory take."""
        return self._shared.left()

    def close(self) -> None:
        """End the kernel."""
        self.kill()

    def namespaces(self) -> dict[str, str]:
        """Return the namespaces of the kernel. Asked before any code of a learner runs."""
        kernels = [process.pid for process in descendants() if process.name() != "bwrap"]
        return namespaces_of(kernels[-1]) if kernels else {}


def connection_file(sandbox: Sandbox, number: int) -> Path:
    """Return where a kernel finds how to be reached."""
    return sandbox.root / f"connection-{number}.json"
