"""How many workers there can be where several share a job, and so come and go together."""

from __future__ import annotations


def not_whole_jobs(n_workers: int | None, together: int) -> str | None:
    """Return what is wrong with a number of workers, as the end of a sentence without a full stop, if anything is."""
    if not n_workers or n_workers % together == 0:
        return None
    fewer = n_workers - n_workers % together
    near = f"{fewer} or {fewer + together}" if fewer else f"{together}"
    return f"each job has {together} workers, which come and go together: ask for {near}, not {n_workers}"
