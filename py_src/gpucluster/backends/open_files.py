"""How many workers the limit of open files allows: the cluster's process holds pipes and connections for each."""

from __future__ import annotations

import resource

from ..protocol.errors import PreflightFailed

PROCESS_FILES = 30
"""Open files of the cluster's process without workers, with room for a client and for what is open for a moment."""
WORKER_FILES = 12
"""Further ones for each worker, while it starts."""


def most_workers() -> int | None:
    """Return for how many workers the limit of open files is enough, at least one; ``None`` where there is none."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if limit == resource.RLIM_INFINITY:
        return None
    return max(1, (limit - PROCESS_FILES) // WORKER_FILES)


def bounded_by_open_files(n_workers: int, maximum: int, reason: str) -> tuple[int, str]:
    """Return the largest number of workers, and why it is the largest, under the limit of open files.

    Parameters
    ----------
    n_workers : int
        Workers to start with.
    maximum, reason : int and str
        The same, as far as everything else is concerned.

    Raises
    ------
    PreflightFailed
        When the limit is too small for the workers to start with.
    """
    most = most_workers()
    if most is None or most >= maximum:
        return maximum, reason
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if n_workers > most:
        raise PreflightFailed(
            f"{n_workers} workers need about {PROCESS_FILES + WORKER_FILES * n_workers} open files, and one process "
            f"may have {limit} here. Ask for at most {most}, or raise the limit (ulimit -n) before Jupyter or the "
            "shell starts the cluster."
        )
    return most, (
        f"one process may have {limit} open files here, enough for about {most}; raise the limit (ulimit -n) before "
        "Jupyter or the shell starts the cluster"
    )
