"""One real Slurm for all tests of the kind."""

import sys
from pathlib import Path

import pytest

from tests.backends.packages import NotInstalled
from tests.backends.slurm.realslurm import RealSlurm, require_installed

sys.path.insert(0, str(Path(__file__).parents[2] / "fakes"))

from nvml.fixtures import fake_libraries  # noqa: E402, F401


@pytest.fixture(scope="session")
def slurm():
    """A Slurm with three nodes of four cores and two GPUs each, which this process and what it starts use.

    Two more nodes share no storage.
    """
    try:
        require_installed()
    except NotInstalled as reason:
        pytest.skip(f"needs Slurm: {reason}")
    slurm = RealSlurm()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SLURM_CONF", slurm.environment["SLURM_CONF"])
        try:
            slurm.start()
            yield slurm
        finally:
            slurm.stop()
