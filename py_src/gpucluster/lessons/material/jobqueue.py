"""What dask-jobqueue would submit, without a scheduler and without Slurm."""

from __future__ import annotations

from typing import Any

from ...dask_internals.batch_scripts import slurm_jobs


def jobqueue_script(**options: Any) -> str:
    """Return the script of ``SLURMCluster(**options).job_script()``, or a sentence where the package is missing.

    The cluster itself would start a scheduler; here an address stands in for it.
    """
    try:
        job = slurm_jobs()
    except ImportError:
        return "dask-jobqueue is not installed here: pip install 'gpucluster[slurm]'."
    script: str = job(scheduler="tcp://10.0.0.1:8786", name="0", python="python", **options).job_script()
    return script
