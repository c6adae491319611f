"""Batch scripts of dask-jobqueue (0.9): the undocumented ``Job._command_template``, a line of shell."""

from __future__ import annotations

import signal
from typing import Any


def slurm_jobs() -> Any:
    """Import dask-jobqueue and return its ``SLURMJob``.

    The module ``dask_jobqueue.runner``, which comes with it, takes SIGINT for itself: from then on Ctrl-C ends the
    process without a word, and a computation's interruption is a ``SystemExit``. The handler from before is put back.

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
    * `left_out`: lines of the header with one of these in them are left out.
    * `options`: of ``dask_jobqueue.slurm.SLURMJob``. What is left out is taken from the site's ``jobqueue.slurm`` in
      the configuration of Dask.
    """
    job = slurm_jobs()(job_directives_skip=left_out, **options)
    job._command_template = command
    script: str = job.job_script()
    return script
