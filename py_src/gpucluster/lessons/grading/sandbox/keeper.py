"""Starting the kernels of one submission, looking at what they use, and ending them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from ....operating_system.privileges import namespaces_of
from .folder import Sandbox
from .processes import descendants, end_all, end_without_main_thread, has_ended, resident_bytes, threads_of
from .shared_memory import SharedMemory

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
        What comes before the command of each, such as that of a sandbox of its own.
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
        """End the kernel; with a sandbox of its own, all that it has started as well."""
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
        """Let go of the kernel."""
        self.kill()

    def namespaces(self) -> dict[str, str]:
        """Return the namespaces of the kernel. Asked before any code of a learner runs."""
        kernels = [process.pid for process in descendants() if process.name() != "bwrap"]
        return namespaces_of(kernels[-1]) if kernels else {}


def connection_file(sandbox: Sandbox, number: int) -> Path:
    """Return where a kernel finds how to be reached."""
    return sandbox.root / f"connection-{number}.json"
