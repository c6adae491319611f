"""Ranks of MPI within an allocation of a real Slurm: on its nodes, as a step of the job, and gone with it."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from gpucluster.backends.backend import StartContext
from gpucluster.backends.mpi.program import MARK
from gpucluster.backends.slurm.backend import SlurmBackend
from gpucluster.protocol.kinds import parse_spec
from gpucluster.protocol.models import ClusterState

from tests.backends.seen import marked_processes
from tests.mpi import require_mpi

require_mpi("dask_mpi")

WITHIN = """
import json, os, time
import gpucluster

cluster = gpucluster.create("mpi", name="within", interface="lo", protocol="mpi", idle_timeout_seconds=None)


def place():
    from mpi4py import MPI

    return [os.environ["SLURMD_NODENAME"], os.environ["SLURM_STEP_ID"], MPI.COMM_WORLD.Get_rank(), os.getpid()]


with cluster.get_client() as client:
    import numpy as np
    from gpucluster.comm.mpi.world import parse

    found = [parse(address) for address in client.scheduler_info(n_workers=-1)["workers"]]
    assert {location.rank for location in found} == {0, 1, 2, 3}, found
    block = client.submit(np.arange, 10**6, workers="0")
    moved = [client.submit(lambda x: int(x.sum()), block, workers=name, pure=False) for name in "123"]
    assert client.gather(moved) == [10**6 * (10**6 - 1) // 2] * 3
    print(json.dumps({"id": cluster.id, "places": list(client.run(place).values())}), flush=True)
input()
"""


@pytest.mark.processes
@pytest.mark.full
def test_ranks_use_the_allocation_and_end_with_it(slurm, shared_site, wait_until):
    job = ["salloc", "--quiet", "--nodes=2", "--ntasks-per-node=2", "--mem=2000", "--time=5"]
    # As a notebook that holds CPUs and memory of its node in a separate step.
    step = ["srun", "--nodes=1", "--ntasks=1", "--cpus-per-task=2"]
    with subprocess.Popen(
        [*job, *step, sys.executable, "-c", WITHIN],
        env={**slurm.environment, "GPUCLUSTER_DIR": str(shared_site.directory)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stdout is not None
        printed = json.loads(running.stdout.readline())
        nodes, steps, ranks, pids = zip(*printed["places"], strict=True)
        assert sorted(nodes).count("n1") == sorted(nodes).count("n2") == 2
        assert len(set(steps)) == 1
        assert sorted(ranks) == [0, 1, 2, 3]  # By Slurm's PMI, they know each other.
        model = shared_site.get(printed["id"])
        assert "run within this Slurm allocation" in model.notes[0]
        assert f"gpucluster-{printed['id']}"[:8] in slurm.ask("squeue", "-h", "-s", "-o", "%j")
        os.kill(pids[0], signal.SIGKILL)
        wait_until(lambda: not set(pids) & {worker.pid for worker in shared_site.get(printed["id"]).workers})
        shared_site.wait_for(printed["id"], lambda model: model.n_workers == 4)
        # The notebook ends, and with it the allocation.
        running.communicate("\n", timeout=30)
    ended = shared_site.wait_for(printed["id"], lambda model: model.state.ended)
    assert ended.state is ClusterState.STOPPED
    assert ended.reason == "The Slurm allocation of its workers has ended."
    assert not marked_processes(MARK, printed["id"])
    assert not slurm.ask("squeue", "-h", "-s").split()
    assert not list(Path(tempfile.gettempdir()).glob(f"gpucluster-{printed['id']}-*"))


async def test_jobs_requested_within_a_job_get_a_remark(slurm, tmp_path, monkeypatch):
    monkeypatch.setenv("SLURM_JOB_ID", "1234")
    context = StartContext(cluster_id="0badcafe", security=None, scratch_directory=tmp_path, dashboard_prefix="x")
    folder = tmp_path / "shared"
    folder.mkdir(mode=0o700)
    plan = await SlurmBackend().preflight(parse_spec({"backend": "slurm", "shared_directory": str(folder)}), context)
    assert any("already inside job 1234" in note and "the kind 'mpi'" in note for note in plan.notes(1))
