"""Batch scripts of dask-jobqueue (0.9): the undocumented ``Job._command_template``, a line of shell."""

from __future__ import annotations

import signal
from typing import Any


def slurm_jobs() -> Any:
    """Import dask-jobqueue and return its ``SLURMJob``.

    The module ``dask_jobqueue.runner``, which comes with it, handles SIGINT itself: from then on Ctrl-C would end the
    process silently, and a computation's interruption would be a ``SystemExit``. The previous handler is restored.

    Raises `ImportError`: dask-jobqueue is not installed.
    """
    before = signal.getsignal(signal.SIGINT)
    try:
        from dask_jobqueue.slurm import SLURMJob
    finally:
        if before is not None and signal.getsignal(signal.SIGINT) is not before:
            signal.signal(signal.SIGINT, before)
    return SLURMJob


def slurm_script(command: str, *, left_out: list[str], **options: Any) -> str:
    """Return the script of a job of Slurm.

    * `command`: the line that starts the worker. dask-jobqueue's own is joined with spaces and not quoted.
    * `left_out`: header lines that contain one of these are left out.
    * `options`: of ``dask_jobqueue.slurm.SLURMJob``; defaults come from the site's ``jobqueue.slurm`` in Dask's
      configuration.
    """
    job = slurm_jobs()(job_directives_skip=left_out, **options)
    job._command_template = command
    return job.job_script()
