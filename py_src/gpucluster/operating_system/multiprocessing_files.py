"""Files that Python's ``multiprocessing`` leaves when a process is killed: a folder, and named semaphores."""

from __future__ import annotations

import multiprocessing
from contextlib import suppress
from typing import Any

from .memory import SHARED_MEMORY

FOLDER = "mp"  # In a cluster's own folder.


def semaphore_prefix(cluster_id: str) -> str:
    """Return the prefix of the names of all semaphores of a cluster, which no others have."""
    return f"gpucluster-{cluster_id}"


def semaphore_refusal() -> str | None:
    """Return why this process cannot make a semaphore, which each start of a worker needs; ``None`` if it can."""
    try:
        multiprocessing.get_context("spawn").Lock()
    except OSError as error:
        return (
            f"Semaphores, which the processes of workers need, cannot be made: {error.strerror or error}. "
            f"Make {SHARED_MEMORY} writable; in a container: --tmpfs {SHARED_MEMORY}."
        )
    return None


def make_no_more_semaphores() -> None:
    """Let this process make no further ones, and so start no process of ``multiprocessing``."""
    config: dict[str, Any] = multiprocessing.current_process()._config  # type: ignore[attr-defined]
    config["semprefix"] = "/no/such"  # Names with a second slash are invalid.


def remove_semaphores(cluster_id: str) -> None:
    """Remove the semaphores that are left of a cluster. Its processes must be gone."""
    for path in SHARED_MEMORY.glob(f"sem.{semaphore_prefix(cluster_id)}-*"):
        with suppress(OSError):
            path.unlink(missing_ok=True)
