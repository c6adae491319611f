"""Tests of MPI are no jobs, even where they run in one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="module")
def _no_allocation() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name in ("SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID"):
            patch.delenv(name, raising=False)
        yield
