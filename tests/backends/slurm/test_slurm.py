"""Clusters of jobs on a real Slurm, as people make them; and what Slurm does to jobs."""

import os
import signal
import stat
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest
from distributed import fire_and_forget
from gpucluster.protocol.errors import StartFailed
from gpucluster.protocol.models import ClusterState
from gpucluster.protocol.verbs import Verb
from gpucluster.registry.started_elsewhere import read_remembered

from tests.backends.seen import messages, names, results_stay, same_centres, stopped, with_workers

JOBS = {"backend": "slurm", "partition": "main", "walltime": "00:10:00", "memory_limit": "600MB", "interface": "lo"}
SHORT = {**JOBS, "partition": "short"}
HOG = "x = b'x' * 10**9; import time; time.sleep(60)"


def log_of(cluster: Any) -> str:
    return "\n".join(cluster.logs(lines=60))


@pytest.fixture(scope="module")
def shared_folder(slurm, tmp_path_factory):
    """Storage that login node and nodes share."""
    folder = Path(tmp_path_factory.mktemp("shared"))
    folder.chmod(0o700)
    return folder


@pytest.fixture(scope="module")
def made(shared_site, shared_folder):
    """A cluster of two jobs; its model just after it was made."""
    return shared_site.running(**JOBS, name="jobs", n_workers=2, shared_directory=str(shared_folder))


@pytest.fixture
def two(shared_site, made):
    return with_workers(shared_site, "jobs", 2)


def job_of(slurm: Any, model: Any, name: str) -> str:
    numbers = slurm.ask("squeue", "-h", "-o", "%i", f"--name=gpucluster-{model.id}-{name}").split()
    assert len(numbers) == 1, (numbers, sorted(names(model)))
    return str(numbers[0])


def test_cluster_runs_while_jobs_wait_and_slurm_keeps_no_secret(slurm, shared_site, made, shared_folder):
    assert (made.state, made.backend_title, made.network, made.has_gpus) == ("running", "Slurm", "tls", False)
    assert (made.n_workers + made.n_pending, set(made.can)) == (2, set(Verb))
    folder = shared_site.registry.folder(made.id)
    script = folder.submitted.read_text()
    assert f"#SBATCH -J gpucluster-{made.id}\n" in script
    assert "#SBATCH -t 00:10:00\n" in script
    assert read_remembered(folder).state["names"] == f"gpucluster-{made.id}-"
    key = (folder.tls / "key.pem").read_text()
    shared = shared_folder / made.id / "tls" / "key.pem"
    assert shared.read_text() == key
    kept = slurm.ask("scontrol", "write", "batch_script", job_of(slurm, made, "0"), "-")
    assert kept.strip() == script.strip(), "what is shown is what was sent"
    assert key.splitlines()[1] not in kept
    for path in (shared_folder / made.id, *(shared_folder / made.id).rglob("*")):
        private = stat.S_IMODE(path.stat().st_mode) & 0o077 == 0
        assert private or path.parent.name == "log", f"others may read {path}"
    model = shared_site.wait_for("jobs", lambda model: model.n_workers == 2)
    printed = list((shared_folder / made.id / "log").iterdir())
    assert [stat.S_IMODE(path.stat().st_mode) for path in printed] == 2 * [0o600]
    assert (names(model), model.n_pending, model.pending_reason) == ({"0", "1"}, 0, None)


@pytest.mark.full
def test_kmeans_finds_what_scikit_learn_finds(two):
    same_centres(two)


@pytest.mark.full
def test_retire_and_scale_down_move_results(shared_site, two):
    results_stay(shared_site, two)


@pytest.mark.full
def test_a_restart_keeps_the_jobs(slurm, two):
    before = two.model
    jobs = {job_of(slurm, before, name) for name in names(before)}
    with two.get_client() as client:
        pids = {worker.pid for worker in before.workers}
        two.restart()
        assert {worker.pid for worker in two.model.workers}.isdisjoint(pids)
        assert {job_of(slurm, before, name) for name in names(two.model)} == jobs
        assert client.submit(sum, [1, 2]).result(timeout=60) == 3


@pytest.mark.full
def test_lost_jobs_are_reported_and_replaced(slurm, shared_site, two, wait_until):
    two.scale(3)
    before = shared_site.wait_for("jobs", lambda model: model.n_workers == 3)
    cancelled, down, too_big = sorted(names(before), key=int)
    number = job_of(slurm, before, cancelled)
    node = slurm.ask("squeue", "-h", "-o", "%N", "-j", job_of(slurm, before, down)).strip()
    # All three of them may be on one node.
    slurm.ask("scancel", number)
    with two.get_client() as client:
        # A separate process: Dask's nanny monitors its worker's memory only.
        address = next(worker.address for worker in before.workers if worker.name == too_big)
        hog = client.submit(os.spawnv, os.P_WAIT, sys.executable, ["python", "-c", HOG], workers=[address], pure=False)
        fire_and_forget(hog)  # Otherwise it would be cancelled.
        wait_until(lambda: "used more memory than its limit of 572.2 MiB" in messages(two), what=lambda: log_of(two))
    wait_until(lambda: f"its job {number} was cancelled" in messages(two), what=lambda: log_of(two))
    slurm.ask("scontrol", "update", f"nodename={node}", "state=down", "reason=test")
    try:
        wait_until(lambda: f"its node failed ({node})" in messages(two), what=lambda: log_of(two))
        model = shared_site.wait_for("jobs", lambda model: model.n_workers == 3)
        assert names(model).isdisjoint(names(before))
    finally:
        slurm.ask("scontrol", "update", f"nodename={node}", "state=resume")


@pytest.mark.full
def test_preempted_jobs_are_replaced(slurm, shared_site, two, wait_until):
    before = two.model
    gone, _ = sorted(names(before), key=int)
    node = slurm.ask("squeue", "-h", "-o", "%N", "-j", job_of(slurm, before, gone)).strip()
    urgent = ("sbatch", "--parsable", "-p", "urgent", "--exclusive", "-w", node, "-t", "5", "-o", "/dev/null")
    number = slurm.ask(*urgent, "--wrap", "sleep 300").strip()
    try:
        wait_until(lambda: f"it was preempted by more urgent jobs on {node}" in messages(two), what=lambda: log_of(two))
        model = shared_site.wait_for("jobs", lambda model: model.n_workers == 2 and gone not in names(model))
    finally:
        slurm.ask("scancel", number)
    # Requeued by an administrator: the same job comes again, and no other one.
    back = max(names(model), key=int)
    again = job_of(slurm, model, back)
    pid = next(worker.pid for worker in model.workers if worker.name == back)
    slurm.ask("scontrol", "update", f"jobid={again}", "requeue=1")
    slurm.ask("scontrol", "requeue", again)
    wait_until(lambda: shared_site.get("jobs").n_pending == 1, what=lambda: log_of(two))
    # Not in the same second: Slurm would take the new credential for the revoked one, and the job would fail.
    slurm.ask("scontrol", "update", f"jobid={again}", "starttime=now+3")
    model = shared_site.wait_for("jobs", lambda model: (model.n_workers, model.n_pending) == (2, 0))
    assert back in names(model), log_of(two)
    assert job_of(slurm, model, back) == again
    assert pid not in {worker.pid for worker in model.workers}


@pytest.mark.full
def test_job_is_replaced_and_results_move_before_its_walltime_ends(slurm, shared_site, two, wait_until):
    before = two.model
    ends, stays = before.workers
    # It keeps 30 to 90 seconds: Slurm counts in minutes.
    *_, passed, seconds = slurm.ask("squeue", "-h", "-o", "%M", "-j", job_of(slurm, before, ends.name)).split(":")
    minutes = int(passed) + (2 if int(seconds) >= 30 else 1)
    with two.get_client() as client:
        future = client.scatter("kept", workers=[ends.address])
        slurm.ask("scontrol", "update", f"jobid={job_of(slurm, before, ends.name)}", f"timelimit={minutes}")
        wait_until(lambda: "walltime of 1 job ends at" in "\n".join(two.model.warnings), what=lambda: log_of(two))
        model = shared_site.wait_for(
            "jobs", lambda model: ends.name not in names(model) and len(names(model)) == 2 and not model.n_pending
        )
        assert stays.name in names(model)
        assert client.gather(future) == "kept"
    assert "left unexpectedly" not in messages(two).splitlines()[-1]


@pytest.mark.full
def test_adaptive_scaling_follows_the_load(slurm, shared_site, two, wait_until):
    two.adapt(minimum=0, maximum=3)
    with two.get_client() as client:
        futures = client.map(lambda _: time.sleep(1), range(24), pure=False)
        shared_site.wait_for("jobs", lambda model: model.n_workers == 3)
        client.gather(futures)
        del futures
    wait_until(lambda: not slurm.jobs(two.id), what=slurm.jobs)
    assert "cancelled" not in messages(two).rpartition("Scale adaptively")[2]
    with two.get_client() as client:
        assert client.submit(sum, [1, 2]).result(timeout=90) == 3, "a job comes for it"


def test_stop_leaves_nothing(slurm, shared_site, two, shared_folder, wait_until):
    stopped(shared_site, two.id)
    wait_until(lambda: not slurm.jobs(two.id), what=slurm.jobs)
    assert not (shared_folder / two.id).exists()
    assert "#SBATCH" in shared_site.registry.folder(two.id).submitted.read_text(), "can be read afterwards"
    wait_until(lambda: not shared_site.processes())


# -- without workers --------------------------------------------------------------------------------


@pytest.fixture
def busy(slurm):
    """Node n1 is taken for ten minutes."""
    slurm.ask("sbatch", "--exclusive", "-w", "n1", "-t", "10", "-o", "/dev/null", "--wrap", "sleep 600", "-J", "busy")
    yield
    slurm.ask("scancel", "--name=busy")


@pytest.mark.full
def test_queued_jobs_are_pending_and_cancelled_after_a_dead_supervisor(
    slurm, busy, shared_site, shared_folder, wait_until
):
    model = shared_site.running(**SHORT, n_workers=2, shared_directory=str(shared_folder))
    kept = "its nodes are down, drained, or kept for jobs of a higher priority, expected "
    reasons = ("Resources, expected ", "Priority, expected ", kept)
    model = shared_site.wait_for(model.id, lambda model: (model.pending_reason or "").startswith(reasons))
    assert (model.state, model.n_workers, model.n_pending, model.notice) == (ClusterState.RUNNING, 0, 2, None)
    os.kill(model.pid, signal.SIGKILL)
    wait_until(lambda: not psutil.pid_exists(model.pid))
    assert len(slurm.jobs(model.id)) == 2
    shared_site.control.list()
    wait_until(lambda: not slurm.jobs(model.id), what=slurm.jobs)
    folder = shared_site.registry.folder(model.id)
    wait_until(lambda: not folder.remembered.exists(), what=folder.log.read_text)
    assert not (shared_folder / model.id).exists()
    assert any("were cancelled" in one.message for one in shared_site.control.activity(model.id).entries)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"partition": "nope"}, "Slurm has no partition 'nope' here. Available: (apart, )?main, short, urgent, whole."),
        ({"partition": "short", "walltime": "02:00:00"}, "walltime: 02:00:00 is more than .* allows, 00:30:00"),
        ({"gpus_per_node": 1, "gpu_type": "h100"}, "gpu_type: .* no GPUs of the type 'h100'. Available: fake."),
        ({"directives": ["--gres=gpu:9"]}, "Slurm would reject this job: no node has what one job requests"),
        ({"constraint": "lunar"}, "Slurm would reject this job: constraint: no node has these features"),
        ({"cores": 99}, "cores: no node of the partition 'main' has 99 cores; the largest has 4."),
        ({"memory_limit": "100 GiB"}, "memory_limit: no node .* has 100 GiB of memory; the largest has 7.8 GiB."),
        ({"interface": "ib7"}, "interface: no network interface 'ib7' here"),
    ],
)
def test_impossible_requests_are_refused_before_the_start(slurm, shared_site, options, message):
    model = shared_site.create(**{**JOBS, "n_workers": 1, **options})
    with pytest.raises(StartFailed, match=message):
        shared_site.control.wait(model.id)
    assert not slurm.jobs(model.id)


def test_drained_nodes_leave_jobs_pending(slurm, shared_site, shared_folder):
    slurm.ask("scontrol", "update", "nodename=n1", "state=drain", "reason=test")
    try:
        model = shared_site.running(**SHORT, n_workers=1, shared_directory=str(shared_folder))
        entries = [one.message for one in shared_site.control.activity(model.id).entries]
        waits = "Jobs may have to wait: these nodes accept none at the moment: n1 (drain"
        assert any(one.startswith(waits) for one in entries), entries
        assert (model.n_workers, model.n_pending) == (0, 1)
    finally:
        slurm.ask("scontrol", "update", "nodename=n1", "state=resume")
    shared_site.control.stop(model.id)


@pytest.mark.full
def test_failing_job_reports_why(slurm, shared_site, shared_folder):
    options = {**JOBS, "python": "/nowhere/python", "n_workers": 1, "shared_directory": str(shared_folder)}
    model = shared_site.running(**options)
    model = shared_site.wait_for(model.id, lambda model: model.notice)
    assert "1 of 1 workers could not start: its job" in model.notice
    assert "/nowhere/python: No such file or directory" in model.notice
    shared_site.control.stop(model.id)


@pytest.mark.full
def test_a_controller_that_is_down(slurm, busy, shared_site, shared_folder, wait_until, monkeypatch):
    model = shared_site.running(**SHORT, n_workers=1, shared_directory=str(shared_folder))
    wait_until(lambda: slurm.jobs(model.id))
    slurm.stop_controller()
    try:
        refused = shared_site.create(**JOBS)
        with pytest.raises(StartFailed, match="Slurm's controller does not respond. Try again later"):
            shared_site.control.wait(refused.id)
        wait_until(lambda: any("does not respond" in note for note in shared_site.get(model.id).notes))
        stopped(shared_site, model.id)
        folder = shared_site.registry.folder(model.id)
        assert folder.remembered.exists(), "what may be left is not forgotten"
    finally:
        slurm.start_controller()
    # The next process that lists clusters ends the job.
    folder.reaping.write_text("")  # A minute later.
    wait_until(lambda: shared_site.control.list() and not folder.remembered.exists(), what=folder.log.read_text)
    wait_until(lambda: not slurm.jobs(model.id), what=slurm.jobs)
