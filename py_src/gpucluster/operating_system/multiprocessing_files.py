"""What Python's ``multiprocessing`` leaves when a process is killed: a folder, and named semaphores."""

from __future__ import annotations

import multiprocessing
from contextlib import suppress
from pathlib import Path
from typing import Any

FOLDER = "mp"  # Of a cluster's own folder: where its processes keep such files.
_SEMAPHORES = Path("/dev/shm")  # noqa: S108  # the system's own place
"""Where Linux has them; elsewhere they cannot be listed."""


def semaphore_prefix(cluster_id: str) -> str:
    """Return how the names of all semaphores of a cluster begin; nobody else's do."""
    return f"gpucluster-{cluster_id}"


def semaphore_refusal() -> str | None:
    """Return why this process cannot make a semaphore, as each start of a worker does; None where it can."""
    try:
        multiprocessing.get_context("spawn").Lock()
    except OSError as error:
        return (
            f"Semaphores, which the processes of workers need, cannot be made: {error.strerror or error}. "
            f"Make {_SEMAPHORES} writable; in a container: --tmpfs {_SEMAPHORES}."
        )
    return None


def make_no_more_semaphores() -> None:
    """Let each further one of this process fail, and with it each start of a process of ``multiprocessing``."""
    config: dict[str, Any] = multiprocessing.current_process()._config  # type: ignore[attr-defined]
    config["semprefix"] = "/no/such"  # A name has one slash only.


def remove_semaphores(cluster_id: str) -> None:
    """Remove those that are left of a cluster. Its processes must be gone."""
    for path in _SEMAPHORES.glob(f"sem.{semaphore_prefix(cluster_id)}-*"):
        with suppress(OSError):
            path.unlink(missing_ok=True)
