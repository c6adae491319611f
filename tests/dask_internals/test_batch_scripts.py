"""Canaries: dask-jobqueue."""

import signal
import sys
from importlib.util import find_spec

import pytest
from gpucluster.dask_internals.other_packages import slurm_jobs, slurm_script

# Not importorskip: importing dask-jobqueue replaces the SIGINT handler for all tests of this process.
pytestmark = pytest.mark.skipif(find_spec("dask_jobqueue") is None, reason="needs the package 'dask-jobqueue'")

OPTIONS = {"memory": "2GB", "cores": 2, "processes": 1, "walltime": "00:10:00", "scheduler": "tls://h:1", "name": "n"}


def test_script_has_own_command_and_dask_header() -> None:
    made = slurm_script("exec 'a b' \"$c\"", left_out=[], queue="main", **OPTIONS)
    assert made.splitlines()[-1] == "exec 'a b' \"$c\""
    assert "#SBATCH -p main\n" in made
    assert "#SBATCH --cpus-per-task=2\n" in made
    assert "#SBATCH --mem=2G\n" in made
    assert "--mem" not in slurm_script("true", left_out=["--mem="], **OPTIONS)


def test_sigint_handler_is_restored(monkeypatch: pytest.MonkeyPatch) -> None:
    """dask-jobqueue 0.9 replaces it on import; supervisors and notebooks would end silently."""
    before = signal.getsignal(signal.SIGINT)
    for name in [name for name in sys.modules if name.partition(".")[0] == "dask_jobqueue"]:
        monkeypatch.delitem(sys.modules, name)
    slurm_jobs()
    assert "dask_jobqueue.slurm" in sys.modules
    assert signal.getsignal(signal.SIGINT) is before
