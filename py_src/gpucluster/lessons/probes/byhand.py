"""Start a scheduler and workers with command lines, as on two nodes that share a directory, on this machine."""

from __future__ import annotations

import shlex
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

_PATIENCE_SECONDS = 30.0


class StartedByHand:
    """The processes of some command lines; all end with the ``with`` block.

    Parameters
    ----------
    scheduler_file : str or Path
        What the first command writes.
    commands : sequence of str or list
        The scheduler's first. They begin with ``dask``; this environment's is taken.

    Notes
    -----
    On this machine the scheduler listens on loopback only and has no dashboard, so that it disturbs nobody.
    """

    def __init__(self, scheduler_file: str | Path, *commands: str | Sequence[str]) -> None:
        self.file = Path(scheduler_file)
        self._commands = [shlex.split(one) if isinstance(one, str) else [str(word) for word in one] for one in commands]
        self._processes: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> StartedByHand:
        first, *others = self._commands
        try:
            self._start([*first, "--host", "127.0.0.1", "--no-dashboard"])
            deadline = time.monotonic() + _PATIENCE_SECONDS
            while not self.file.exists():
                if self._processes[0].poll() is not None:
                    raise RuntimeError(f"The scheduler ended at once: {shlex.join(first)}")
                if time.monotonic() > deadline:
                    raise RuntimeError(f"There is no scheduler file {self.file}.")
                time.sleep(0.05)
            for command in others:
                self._start([*command, "--no-dashboard"])
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def _start(self, words: Sequence[str]) -> None:
        if words[:1] != ["dask"]:
            raise RuntimeError(f"The command must begin with 'dask': {shlex.join(words)}")
        command = [sys.executable, "-m", "dask", *words[1:]]
        quiet = subprocess.DEVNULL
        self._processes.append(subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet))

    def _end(self) -> None:
        for process in reversed(self._processes):  # workers first: they say goodbye to the scheduler
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
