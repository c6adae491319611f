"""Clusters whose jobs have several workers each, on a real Slurm."""

import os
import signal
from pathlib import Path
from typing import Any

import gpucluster
import pytest
from gpucluster.protocol.errors import InvalidRequest, InvalidState, StartFailed
from nvml.machine import FakeMachine, gpu

from tests.backends.seen import messages, names, stopped, with_workers
from tests.backends.slurm.test_slurm import job_of, log_of

pytestmark = pytest.mark.full

CUDA_PYTHON = Path(os.environ.get("GPUCLUSTER_CUDA_PYTHON", Path(__file__).parents[3] / ".venv-cuda/bin/python"))
SITE = "costs: {slurm: {unit: core-hours, per_cpu_hour: 1}}\n"


@pytest.fixture(scope="module")
def made(shared_site, slurm, tmp_path_factory):
    """A cluster of two jobs with two workers each."""
    folder = Path(tmp_path_factory.mktemp("shared"))
    folder.chmod(0o700)
    (folder / "site.yaml").write_text(SITE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GPUCLUSTER_SITE", str(folder / "site.yaml"))
        return shared_site.running(
            backend="slurm", name="pairs", n_workers=4, workers_per_job=2, cores=2, partition="main",
            walltime="00:10:00", memory_limit="300MB", interface="lo", shared_directory=str(folder),
        )  # fmt: skip


@pytest.fixture
def pairs(shared_site, made):
    """That cluster with four workers."""
    return with_workers(shared_site, "pairs", 4)


def n_submitted(cluster: Any) -> int:
    """Return how many jobs of a cluster were ever submitted."""
    return sum("is submitted to Slurm" in line for line in cluster.logs(lines=10_000))


def test_several_workers_share_the_resources_of_a_job(slurm, shared_site, pairs):
    model = pairs.model
    assert names(model) == {"0-0", "0-1", "1-0", "1-1"}
    assert sorted(slurm.jobs(model.id)) == [f"gpucluster-{model.id}-{number}" for number in (0, 1)]
    assert {worker.memory_limit_bytes for worker in model.workers} == {300_000_000}
    of_one = slurm.ask("scontrol", "show", "job", job_of(slurm, model, "0"))
    assert "NumCPUs=2 " in of_one
    assert "MinMemoryNode=573M " in of_one, "300 MB for each"
    model = shared_site.wait_for("pairs", lambda model: model.nodes)
    assert sum(int(node.split()[1]) for node in model.nodes) == 4
    assert "retire" not in model.can
    assert model.cost.per_hour == 4, "two cores of each job"


def test_whole_nodes_require_whole_jobs(shared_site, pairs):
    options = {"backend": "slurm", "workers_per_job": 2, "interface": "lo"}
    with pytest.raises(InvalidRequest, match="n_workers: each job has 2 workers, .*: use 4 or 6, not 5"):
        shared_site.create(**options, n_workers=5, exclusive=True)
    refused = shared_site.create(**options, n_workers=5, partition="whole")
    with pytest.raises(StartFailed, match="'whole' allocates only whole nodes, and each job has 2 .*: use 4 or 6"):
        shared_site.control.wait(refused.id)


def test_dead_worker_restarts_and_cancelled_job_is_replaced(slurm, shared_site, pairs, wait_until):
    before = pairs.model
    goes_on, gone = (job_of(slurm, before, number) for number in "01")
    dies = next(worker for worker in before.workers if worker.name == "0-1")
    os.kill(dies.pid, signal.SIGKILL)
    slurm.ask("scancel", gone)
    message = f"Workers 1-0 to 1-1: its job {gone} was cancelled"
    wait_until(lambda: message in messages(pairs), what=lambda: log_of(pairs))
    there = {worker.pid for worker in before.workers if worker.name == "0-0"}
    model = shared_site.wait_for(
        "pairs",
        lambda model: (
            model.n_workers == 4
            and there == {worker.pid for worker in before.workers} & {worker.pid for worker in model.workers}
        ),
    )
    assert job_of(slurm, before, "0") == goes_on
    *kept, new, other = sorted(names(model))
    assert kept == ["0-0", "0-1"]
    assert (new[:-1], other[:-1]) == (other[:-1], other[:-1]), "both in one new job"


def test_the_last_job_may_have_fewer_workers(slurm, shared_site, pairs, wait_until):
    with pytest.raises(InvalidState, match="cannot end a single worker: the workers of a job start and stop together"):
        pairs.retire("0-0")
    whole = names(pairs.model)
    pairs.scale(5)
    model = shared_site.wait_for("pairs", lambda model: model.n_workers == 5)
    assert "5 workers are 3 jobs: 2 with 2 and 1 with 1." in model.notes
    [last] = [worker for worker in model.workers if worker.name not in whole]
    of_one = slurm.ask("scontrol", "show", "job", job_of(slurm, model, last.name))
    assert "NumCPUs=1 " in of_one
    assert "MinMemoryNode=287M " in of_one
    with pairs.get_client() as client:
        futures = client.scatter(list(range(10)), workers=[last.address])
        pairs.scale(4)
        model = shared_site.wait_for("pairs", lambda model: model.n_workers == 4)
        assert names(model) == whole
        # Neither of the two jobs can have one worker only: one continues until a smaller one runs.
        futures += client.scatter(list(range(10)), workers=[worker.address for worker in model.workers])
        shared_site.control.patch("pairs", {"n_workers": 1})
        wait_until(lambda: any("until a smaller one has replaced it" in note for note in pairs.model.notes))
        model = shared_site.wait_for("pairs", lambda model: (model.n_workers, model.n_pending) == (1, 0))
        assert client.gather(futures) == 2 * list(range(10))
    [small] = names(model)
    wait_until(lambda: slurm.jobs(model.id) == [f"gpucluster-{model.id}-{small}"])


def test_adaptive_scaling_uses_whole_jobs(slurm, shared_site, pairs, wait_until):
    pairs.adapt(minimum=0, maximum=5, interval=0.2, wait_count=2)
    wait_until(lambda: not slurm.jobs(pairs.id), what=slurm.jobs)
    before = n_submitted(pairs)
    with pairs.get_client() as client:
        future = client.submit(sum, [1, 2])
        assert future.result(timeout=90) == 3
        # As long as the result is wanted, its job is needed. No other job was requested in vain.
        assert len(slurm.jobs(pairs.id)) == 1
        assert n_submitted(pairs) == before + 1
    stopped(shared_site, pairs.id)
    assert not slurm.jobs(pairs.id)


@pytest.mark.filterwarnings("ignore:Mismatched versions")
def test_each_gpu_of_each_node_of_a_job_has_a_worker(slurm, shared_site, fake_libraries, tmp_path, wait_until):
    if not CUDA_PYTHON.exists():
        pytest.skip("needs the second environment, which has dask-cuda")
    machine = FakeMachine(fake_libraries, tmp_path / "gpus.txt")
    machine.write([gpu(0), gpu(1)])
    tmp_path.chmod(0o700)
    prologue = f"export LD_LIBRARY_PATH={fake_libraries} FAKE_NVML={machine.file}"
    model = shared_site.running(
        backend="slurm", name="gpus", n_workers=4, gpus_per_node=2, nodes_per_job=2, walltime="1:00:00", interface="lo",
        memory_limit="300MB", shared_directory=str(tmp_path), python=str(CUDA_PYTHON), job_script_prologue=[prologue],
    )  # fmt: skip
    model = shared_site.wait_for("gpus", lambda model: model.n_workers == 4)
    assert model.has_gpus
    assert slurm.jobs(model.id) == [f"gpucluster-{model.id}-0"]
    model = shared_site.wait_for("gpus", lambda model: model.nodes)
    assert [node.split(maxsplit=1)[1] for node in model.nodes] == ["2 GPUs", "2 GPUs"]
    with gpucluster.connect("gpus").get_client() as client:
        found = client.run(
            lambda dask_worker: (
                dask_worker.name, os.environ["SLURMD_NODENAME"], os.environ["CUDA_VISIBLE_DEVICES"].split(",")[0]
            )
        )  # fmt: skip
    # dask-cuda has each worker see its own GPU first.
    assert {(name, own) for name, _, own in found.values()} == {(f"0-{a}-{b}", str(b)) for a in (0, 1) for b in (0, 1)}
    assert {node.partition(":")[0] for node in model.nodes} == {node for _, node, _ in found.values()}
    with pytest.raises(InvalidRequest, match="n_workers: each job has 4 workers, .*: use 4 or 8, not 6"):
        shared_site.control.patch("gpus", {"n_workers": 6})
    stopped(shared_site, model.id)
    # Slurm lists it as completing for a moment.
    wait_until(lambda: not slurm.jobs(model.id), what=slurm.jobs)
