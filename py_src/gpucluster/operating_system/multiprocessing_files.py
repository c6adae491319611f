"""What Python's ``multiprocessing`` leaves when a process is killed: a folder, and named semaphores."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

FOLDER = "mp"
"""Of a cluster's own folder: where its processes keep such files."""
_SEMAPHORES = Path("/dev/shm")  # noqa: S108  # the system's own place
"""Where Linux has them; elsewhere they cannot be listed."""


def semaphore_prefix(cluster_id: str) -> str:
    """Return how the names of all semaphores of a cluster begin; nobody else's do."""
    return f"gpucluster-{cluster_id}"


def remove_semaphores(cluster_id: str) -> None:
    """Remove those that are left of a cluster. Its processes must be gone."""
    for path in _SEMAPHORES.glob(f"sem.{semaphore_prefix(cluster_id)}-*"):
        with suppress(OSError):
            path.unlink(missing_ok=True)
