"""Ends everything that a process leaves below it, where the system does not: on macOS, or in tests without Linux.

``start`` runs this module as a separate process. It waits on a pipe, which the system closes when the first process has
ended, however that happened. By then the parent of an orphan is unknown. So it looks once a second at the processes
below that one, and remembers them; those that it has never seen it recognizes by their session, or by a mark in their
environment. A process that leaves the session, drops the mark and loses its parent between two looks is missed.
"""

from __future__ import annotations

import os
import secrets
import select
import subprocess
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import psutil

MARK = "GPUCLUSTER_FAMILY"  # Variable of all processes below; not passed on to another cluster.
LOOK_SECONDS = 1.0
_PATIENCE_SECONDS = 10.0
_TRACKERS_SECONDS = 4.0
_TRACKER = "multiprocessing.resource_tracker"
"""Python's process that removes the locks and the shared memory of its processes once they have ended."""

_mark = ""
_process: subprocess.Popen[bytes] | None = None


def start() -> None:
    """Let everything below this process end with it. Call it once, before it has children."""
    global _mark, _process
    reading, _open_until_the_end = os.pipe()
    _mark = secrets.token_hex(8)
    session = os.getsid(0) if os.getsid(0) == os.getpid() else 0  # Otherwise it may be a user's shell.
    program = [sys.executable, "-P", "-m", __name__, str(os.getpid()), str(session), _mark]
    _process = subprocess.Popen(program, stdin=reading, start_new_session=True)
    os.close(reading)
    mark()


def mark() -> None:
    """Mark the environment again, if everything below this process is to end with it."""
    if _mark:
        os.environ[MARK] = _mark


def started() -> int | None:
    """Return the process that ``start`` has started from here."""
    return _process.pid if _process is not None else None


def main(root: int, session: int, mark: str) -> None:
    """Look until the process has ended; then end what it has left."""
    import psutil

    seen: set[psutil.Process] = set()
    while not select.select([0], [], [], LOOK_SECONDS)[0]:
        seen = _with_all_below(seen, root)
    began = time.monotonic()
    while (passed := time.monotonic() - began) < _PATIENCE_SECONDS:
        seen |= {process for process in psutil.process_iter() if _belongs(process, session, mark)}
        seen = _with_all_below(seen)
        for process in seen:
            with suppress(psutil.Error):
                if passed > _TRACKERS_SECONDS or not any(_TRACKER in word for word in process.cmdline()):
                    process.kill()
        if not seen:
            return
        time.sleep(0.05)


def _with_all_below(known: set[psutil.Process], root: int | None = None) -> set[psutil.Process]:
    """Return the known processes that live, and everything below them and the root, without this process."""
    import psutil

    found: set[psutil.Process] = set()
    with suppress(psutil.Error):
        if root is not None:
            found.update(psutil.Process(root).children(recursive=True))
    for process in known - found:  # orphans
        with suppress(psutil.Error):
            if process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
                found |= {process, *process.children(recursive=True)}
    return {process for process in found if process.pid != os.getpid()}


def _belongs(process: psutil.Process, session: int, mark: str) -> bool:
    import psutil

    with suppress(psutil.Error, OSError):
        if process.pid == os.getpid():
            return False
        if session and os.getsid(process.pid) == session:
            return True
        return process.uids().real == os.getuid() and process.environ().get(MARK) == mark
    return False


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
