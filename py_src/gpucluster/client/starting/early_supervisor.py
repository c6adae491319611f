"""A supervisor that starts before its cluster is known, so that it imports while the command line does.

This module imports only a little of the standard library, to be fast.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from .environment import cluster_environment, with_variables_of_workers

PATIENCE_SECONDS = 10.0  # Timeout for the process to send its pid.
_PID_BYTES = 32


@dataclass(frozen=True)
class _Early:
    process: subprocess.Popen[bytes]
    link: socket.socket  # The process ends when this closes, unless it received a folder.
    cwd: str
    environment: dict[str, str]


_early: _Early | None = None


def start_early() -> None:
    """Start a process that imports what a cluster needs, and waits for one. It ends with this process."""
    global _early
    environment = cluster_environment()
    ours, theirs = socket.socketpair()
    ours.settimeout(PATIENCE_SECONDS)
    with theirs, suppress(OSError):
        directory = os.getcwd()
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "gpucluster.supervisor", "--link-fd", str(theirs.fileno())],
            env=with_variables_of_workers(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(theirs.fileno(),),
            start_new_session=True,
        )
        _early = _Early(process, ours, directory, environment)
        return
    ours.close()


def give_early(
    folder: Path, held: int, turn: int | None, *, python: str, cwd: str, environment: dict[str, str]
) -> int | None:
    """Give a folder's cluster to the early process, if it fits; return its process id, else None."""
    global _early
    early, _early = _early, None
    if early is None:
        return None
    if (python, cwd, environment) != (sys.executable, early.cwd, early.environment):
        _drop(early)
        return None
    with early.link:
        pid: int | None = None
        try:
            pid = int(early.link.recv(_PID_BYTES))
            socket.send_fds(early.link, [os.fsencode(folder)], [held] if turn is None else [held, turn])
        except (OSError, ValueError):
            early.process.kill()
            pid = None
    early.process.wait()
    return pid


def drop_early() -> None:
    """End the early process, if there is one."""
    global _early
    early, _early = _early, None
    if early is not None:
        _drop(early)


def _drop(early: _Early) -> None:
    with early.link, suppress(OSError, ValueError):
        # Not a child of this process, but its pid is valid: it waits for the folder.
        os.kill(int(early.link.recv(_PID_BYTES)), signal.SIGKILL)
    early.process.kill()
    early.process.wait()
