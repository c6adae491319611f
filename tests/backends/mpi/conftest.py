"""Tests of MPI are no jobs, even where they run in one."""

import pytest


@pytest.fixture(autouse=True, scope="module")
def _no_allocation():
    with pytest.MonkeyPatch.context() as patch:
        for name in ("SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID"):
            patch.delenv(name, raising=False)
        yield
