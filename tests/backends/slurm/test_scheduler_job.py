"""Schedulers in separate jobs, and nodes without shared storage, on a real Slurm."""

import json
import os
import signal
import stat
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import gpucluster
import psutil
import pytest
from gpucluster.protocol.errors import PreflightFailed
from gpucluster.protocol.models import ClusterState

from tests.backends.seen import messages, names, stopped
from tests.backends.slurm.test_slurm import job_of, log_of

pytestmark = pytest.mark.full

JOBS = {"backend": "slurm", "walltime": "00:10:00", "memory_limit": "300MB", "interface": "lo"}
FAILS = {**JOBS, "partition": "apart", "shared_storage": False, "n_workers": 1, "python": "/nowhere/python"}
IN_JOB = {**JOBS, "scheduler": "job", "scheduler_memory": "600MB"}


def folders(slurm: Any, node: str) -> list[Path]:
    """Return the private folders of jobs on a node."""
    return list(slurm.temporary(node).glob("gpucluster-*"))


@pytest.fixture(scope="module")
def nodes_apart(slurm):
    """Skip if nodes cannot have separate file systems."""
    if not slurm.apart:
        pytest.skip("needs the right to mount")


@pytest.fixture(scope="module")
def hopeless(shared_site, slurm, nodes_apart):
    """A cluster whose jobs end as soon as they begin; it takes a minute until it gives up."""
    return shared_site.running(**FAILS, name="hopeless")


@pytest.fixture(scope="module")
def apart(shared_site, slurm, nodes_apart):
    """A cluster of a job on two nodes without shared storage, and a scheduler on one of them."""
    shared_site.running(
        **IN_JOB, name="apart", n_workers=2, nodes_per_job=2, partition="apart", shared_storage=False,
        env={"PASSWORD": "a-secret"},
    )  # fmt: skip
    shared_site.wait_for("apart", lambda model: model.n_workers == 2)
    return gpucluster.connect("apart")


def test_only_the_nodes_of_a_job_receive_credentials(slurm, shared_site, apart):
    model = apart.model
    assert names(model) == {"0-0", "0-1"}
    assert sorted(slurm.jobs(model.id)) == [f"gpucluster-{model.id}-0", f"gpucluster-{model.id}-scheduler"]
    key = (shared_site.registry.folder(model.id).tls / "key.pem").read_text()
    found = [path for node in slurm.apart for folder in folders(slurm, node) for path in (folder, *folder.rglob("*"))]
    assert [path.read_text() for path in found if path.name == "key.pem"] == 3 * [key], (
        "the scheduler's, and on each node"
    )
    assert not [path for path in found if stat.S_IMODE(path.stat().st_mode) & 0o077]
    for name in ("0", "scheduler"):
        kept = slurm.ask("scontrol", "write", "batch_script", job_of(slurm, model, name), "-")
        shown = slurm.ask("scontrol", "show", "job", "-d", job_of(slurm, model, name))
        assert "#SBATCH --output=/dev/null" in kept
        for text in (kept, shown):
            assert key.splitlines()[1] not in text
            assert "a-secret" not in text
    with apart.get_client() as client:
        seen = client.run(lambda: (os.environ["SLURMD_NODENAME"], os.environ["PASSWORD"], os.listdir("/tmp")))
    assert {(node, password) for node, password, _ in seen.values()} == {(node, "a-secret") for node in slurm.apart}
    assert not [name for *_, there in seen.values() for name in there if name.startswith("pytest")], "not shared indeed"


def test_scheduler_in_a_job_works_like_any_other(slurm, shared_site, apart, wait_until):
    job = job_of(slurm, apart.model, "scheduler")
    model = shared_site.wait_for("apart", lambda model: any("The scheduler is in job" in note for note in model.notes))
    node = slurm.ask("squeue", "-h", "-o", "%N", "-j", job).strip()
    assert any(note.startswith(f"The scheduler is in job {job} on {node}, until ") for note in model.notes)
    served = json.loads(shared_site.registry.folder(model.id).dashboard.read_text())
    pages = f"http://{served['host']}:{served['port']}"
    with urllib.request.urlopen(f"{pages}/{served['prefix']}/status", timeout=30) as answer:  # noqa: S310
        assert b"bokeh" in answer.read()
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(f"{pages}/status", timeout=30)  # noqa: S310
    apart.scale(4)
    model = shared_site.wait_for("apart", lambda model: model.n_workers == 4)
    with apart.get_client() as client:
        last = [worker.address for worker in model.workers if worker.name.startswith("1-")]
        futures = client.scatter(list(range(10)), workers=last)
        apart.scale(2)
        shared_site.wait_for("apart", lambda model: names(model) == {"0-0", "0-1"})
        assert client.gather(futures) == list(range(10))
        del futures
    apart.adapt(minimum=0, maximum=2, interval=0.2, wait_count=2)
    wait_until(lambda: slurm.jobs(apart.id) == [f"gpucluster-{apart.id}-scheduler"], what=lambda: log_of(apart))
    with apart.get_client() as client:
        assert client.submit(sum, [1, 2]).result(timeout=90) == 3, "a job comes for it"
    assert "lost" not in messages(apart)


def test_preview_shows_the_jobs(shared_site, slurm, tmp_path):
    options = {**IN_JOB, "partition": "main", "workers_per_job": 4, "n_workers": 6, "shared_directory": str(tmp_path)}
    shown = shared_site.control.preview(options)
    assert "#SBATCH --cpus-per-task=4\n" in shown.text
    *_, spread, scheduler = shown.notes
    assert spread.startswith("6 workers are 2 jobs: 1 with 4 and 1 with 2. The last one has --cpus-per-task=2, ")
    assert scheduler == (
        "The scheduler runs in a separate job, submitted first: -p main, --cpus-per-task=1, --mem=573M, -t 1-00:00:00."
    )
    with pytest.raises(PreflightFailed, match="interface: no network interface 'ib7' here. Available: "):
        shared_site.control.preview({**JOBS, "partition": "main", "interface": "ib7"})


def test_cluster_ends_with_the_scheduler_job(slurm, shared_site, apart, wait_until):
    job = job_of(slurm, apart.model, "scheduler")
    slurm.ask("scancel", job)
    model = shared_site.wait_for(apart.id, lambda model: model.state.ended)
    assert model.state is ClusterState.FAILED
    assert f"The scheduler is gone: its job {job} was cancelled. All results" in model.reason
    wait_until(lambda: not slurm.jobs(apart.id), what=lambda: (slurm.jobs(), log_of(apart)))  # they take a moment
    wait_until(lambda: not any(folders(slurm, node) for node in slurm.apart))


def test_failing_job_reports_why_without_shared_storage(slurm, shared_site, hopeless):
    model = shared_site.wait_for("hopeless", lambda model: model.notice)
    assert "/nowhere/python: No such file or directory" in model.notice
    failed = shared_site.create(**FAILS, scheduler="job")
    model = shared_site.wait_for(failed.id, lambda model: model.state.ended)
    assert "The scheduler could not start: its job" in model.reason
    assert "/nowhere/python: No such file or directory" in model.reason
    assert not slurm.jobs(model.id)


def test_scheduler_job_waits_in_the_queue_and_ends_with_the_cluster(slurm, shared_site, tmp_path, wait_until):
    slurm.ask("sbatch", "--exclusive", "-w", "n1", "-t", "10", "-o", "/dev/null", "--wrap", "sleep 600", "-J", "busy")
    shared = {**IN_JOB, "shared_directory": str(tmp_path / "shared"), "n_workers": 1, "scheduler_partition": "short"}
    try:
        model = shared_site.create(**shared)
        model = shared_site.wait_for(
            model.id, lambda model: model.progress and "waits: Resources, expected" in model.progress.message
        )
        assert model.state is ClusterState.STARTING
        assert model.progress.message.startswith(f"The scheduler's job {job_of(slurm, model, 'scheduler')} waits: ")
        other = shared_site.create(**shared)
        wait_until(lambda: slurm.jobs(other.id))
        stopped(shared_site, other.id)
        assert not slurm.jobs(other.id)
    finally:
        slurm.ask("scancel", "--name=busy")
    model = shared_site.wait_for(model.id, lambda model: model.n_workers == 1)
    assert len(slurm.jobs(model.id)) == 2
    os.kill(model.pid, signal.SIGKILL)
    wait_until(lambda: not psutil.pid_exists(model.pid))
    shared_site.control.list()
    wait_until(lambda: not slurm.jobs(model.id), what=slurm.jobs)
    wait_until(lambda: not (tmp_path / "shared" / model.id).exists())


def test_scheduler_without_its_cluster_ends_all_jobs(slurm, tmp_path, wait_until):
    (tmp_path / "prefix").write_text("secret")
    slurm.ask("sbatch", "--hold", "-t", "10", "-o", "/dev/null", "--wrap", "true", "-J", "gpucluster-0badcafe-0")
    assert slurm.jobs("0badcafe")
    words = ["--names", "gpucluster-0badcafe-", "--protocol", "tcp", "--interface", "lo", "--lonely-seconds", "0.5"]
    done = subprocess.run(
        [sys.executable, "-m", "gpucluster.backends.slurm.scheduler_process", "--folder", str(tmp_path), *words],
        env=slurm.environment, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "cancelling all jobs of the cluster" in done.stderr
    assert (tmp_path / "scheduler").read_text().startswith("tcp://127.0.0.1:")
    assert not slurm.jobs("0badcafe")


def test_jobs_that_always_fail_are_no_longer_requested(slurm, shared_site, hopeless):
    model = shared_site.wait_for("hopeless", lambda model: model.notice and "no more are requested" in model.notice)
    assert "/nowhere/python: No such file or directory. After 6 attempts, no more" in model.notice
    assert (model.state, model.wanted.n_workers) == (ClusterState.RUNNING, 0)
    assert not slurm.jobs(model.id)
    shared_site.control.patch("hopeless", {"n_workers": 1})
    shared_site.wait_for("hopeless", lambda model: model.n_pending == 1 and model.notice is None)
