"""Workers as ranks of a real MPI program: started, used, lost, started again, and ended."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import dask.array as da
import gpucluster
import numpy as np
import psutil
import pytest
from distributed import Client
from gpucluster.backends.backend import ReapContext
from gpucluster.backends.mpi.backend import MPIBackend
from gpucluster.backends.mpi.program import MARK
from gpucluster.learn import KMeans, config_context
from gpucluster.protocol.errors import GPUClusterError, InvalidState, StartFailed
from gpucluster.protocol.models import ClusterModel, ClusterState, Network
from sklearn.cluster import KMeans as LocalKMeans
from sklearn.datasets import load_digits

from tests.backends.seen import marked_processes, messages, refusal, stopped
from tests.mpi import MPIEXEC, is_open_mpi, mpiexec, own_options, require_mpi

require_mpi("dask_mpi")

DIGITS = load_digits().data
ORPHAN = ["setsid", "sleep", "4242"]
OPEN_MPI = is_open_mpi()
LAUNCHES = "prterun" if OPEN_MPI else MPIEXEC.name
"""Name of the launcher's process."""
SAYS_ITS_LIBRARY = "[ $1 = --version ] && exec echo " + ("'(Open MPI) 5.0.11'" if OPEN_MPI else "HYDRA")


@pytest.fixture(scope="module")
def cluster(shared_site, module_of_mine):
    """A running cluster of two ranks; another one, with a nanny, comes up meanwhile."""
    shared_site.create(backend="mpi", name="nannies", n_workers=1, nanny=True)
    return shared_site.running(
        backend="mpi", name="ranks", n_workers=2, env={"GREETING": "a secret word"}, idle_timeout_seconds=None
    )


@pytest.fixture
def handle(shared_site, cluster):
    shared_site.wait_for(cluster.id, lambda model: model.n_workers == 2)
    return gpucluster.connect(cluster.id)


@pytest.fixture
def client(handle):
    with Client(handle) as made:
        yield made


def of_program(cluster: ClusterModel) -> list[psutil.Process]:
    """Return the launcher of a cluster, and everything that it has started."""
    return marked_processes(MARK, cluster.id)


def launchers(cluster: ClusterModel) -> list[psutil.Process]:
    return [process for process in of_program(cluster) if process.info["name"] == LAUNCHES]


def scratch_folders(cluster: ClusterModel) -> list[Path]:
    return list(Path(tempfile.gettempdir()).glob(f"gpucluster-{cluster.id}-*"))


def gone(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def pids(client: Client) -> set[int]:
    return set(client.run(os.getpid).values())


def test_ranks_are_workers_and_no_secret_is_visible(shared_site, cluster, client):
    assert (cluster.network, cluster.backend_title, cluster.n_workers) == (Network.TLS, "MPI", 2)
    assert {worker.name for worker in cluster.workers} == {"0", "1"}
    assert "restart" in cluster.can
    assert {"scale", "adapt", "retire"}.isdisjoint(cluster.can)
    assert client.submit(lambda: os.environ.get("GREETING")).result() == "a secret word"
    assert set(client.run(lambda: __import__("beside_my_script").answer).values()) == {42}
    folders = scratch_folders(cluster)
    assert {folder.stat().st_mode & 0o777 for folder in folders} == {0o700}
    assert len(folders) == 2
    folder = shared_site.registry.folder(cluster.id)
    assert shlex.split(folder.submitted.read_text()) == [
        *(*mpiexec(2), sys.executable, "-P", "-u", "-m", "gpucluster.backends.mpi.rank")
    ]
    key = (folder.tls / "key.pem").read_text().splitlines()[1]
    processes = of_program(cluster)
    assert len(processes) >= 5  # mpiexec, and two for each rank
    for process in processes:
        seen = " ".join([*process.cmdline(), *process.environ().values()])
        assert key not in seen
        assert "a secret word" not in seen
    assert "rank 1: INFO" in folder.log.read_text()
    assert shared_site.control.telemetry(cluster.id).workers == ["0", "1"]


def _shared_memory() -> list[str]:
    lines = Path("/proc/self/maps").read_text().splitlines()
    return [line.split(maxsplit=5)[5] for line in lines if "mpich_shm" in line]


@pytest.mark.full
def test_shared_memory_of_ranks_is_unlinked(client):
    if is_open_mpi():
        pytest.skip("MPICH leaves it, Open MPI does not")
    found = client.run(_shared_memory)
    assert len(found) == 2
    for names in found.values():
        assert names
        assert all(name.endswith(" (deleted)") for name in names)


def test_tasks_talk_over_mpi(cluster, client):
    start = DIGITS[:10]
    expected = LocalKMeans(10, init=start, n_init=1).fit(DIGITS)
    with config_context(communicator="mpi"):
        found = KMeans(10, init=start).fit(da.from_array(DIGITS, chunks=(300, 64)))
    np.testing.assert_allclose(found.cluster_centers_, expected.cluster_centers_, atol=1e-9)
    assert found.inertia_ == pytest.approx(expected.inertia_, rel=1e-9)


def test_fixed_number_refuses_to_scale_with_the_reason(handle):
    for refused in (lambda: handle.scale(3), lambda: handle.adapt(1, 3), lambda: handle.retire("0")):
        with pytest.raises(InvalidState, match=r"has a fixed number of ranks\. Create another cluster"):
            refused()
    assert handle.model.n_workers == 2


@pytest.mark.full
def test_a_restart_starts_the_whole_program_again(shared_site, cluster, handle, client):
    kept = client.submit(pow, 2, 10)
    assert kept.result() == 1024
    before, n_entries = pids(client), len(handle.activity())
    handle.restart()
    assert len(pids(client)) == 2
    assert not before & pids(client)
    assert kept.status == "cancelled"
    shared_site.wait_for(cluster.id, lambda model: model.notice is None)
    assert "worker_died" not in {entry.kind for entry in handle.activity()[n_entries:]}


def test_dask_client_restarts_all_ranks_and_cannot_retire_one(shared_site, cluster, handle, client):
    before, n_entries = pids(client), len(handle.activity())
    client.restart()
    assert len(pids(client)) == 2
    assert not before & pids(client)
    worker, _ = client.scheduler_info(n_workers=-1)["workers"]
    with pytest.raises(RuntimeError, match="cannot be retired: an MPI program has a fixed number"):
        client.retire_workers([worker])
    shared_site.control.patch(cluster.id, {"idle_timeout_seconds": 0})  # Pending messages are written before.
    new = [entry.message for entry in handle.activity()[n_entries:]]
    assert new == ["Restart all workers, requested by a Dask client", "Never stop automatically"]


@pytest.mark.full
def test_all_ranks_restart_when_one_dies(shared_site, cluster, handle, client, wait_until):
    result = client.submit(pow, 3, 4)
    assert result.result() == 81
    orphan = client.submit(lambda: subprocess.Popen(ORPHAN).pid, pure=False).result()
    before, n_entries = pids(client), len(handle.activity())
    os.kill(client.submit(os.getpid, workers=["1"], pure=False).result(), signal.SIGKILL)
    wait_until(lambda: "rank 1 was killed by SIGKILL. All its ranks are being restarted" in messages(handle))
    wait_until(lambda: len(handle.model.workers) == 2 and not before & {worker.pid for worker in handle.model.workers})
    assert gone(orphan)
    assert client.submit(lambda value: value + 1, result).result() == 82
    wait_until(lambda: "joined" in handle.activity()[-1].message)
    new = sorted(entry.message for entry in handle.activity()[n_entries:])
    assert len(new) == 3, "the end of one rank is reported once, and for that rank only"
    assert new[0] == "The MPI program ended: rank 1 was killed by SIGKILL. All its ranks are being restarted."
    assert new[1] == "Workers 0 and 1 joined"
    # Whether the task that asked for a process is among them depends on when its future was forgotten.
    assert re.fullmatch(r"Workers 0 and 1 left\. (1 result|2 results) to recompute\.", new[2])
    assert shared_site.get(cluster.id).state is ClusterState.RUNNING
    before = pids(client)
    [launcher] = launchers(cluster)
    launcher.kill()
    wait_until(lambda: f"{MPIEXEC.name} was killed by signal 9" in messages(handle))
    wait_until(lambda: not launcher.is_running())
    wait_until(lambda: len(handle.model.workers) == 2 and not before & {worker.pid for worker in handle.model.workers})


@pytest.mark.full
def test_rank_with_a_killed_outer_process_is_named(shared_site, cluster, handle, client, wait_until):
    """Although launchers end all others then, and MPI always names the first one."""
    before = pids(client)
    times = messages(handle).count("rank 1 was killed by SIGKILL")
    rank = psutil.Process(client.submit(os.getpid, workers=["1"], pure=False).result())
    rank.parent().kill()
    wait_until(lambda: messages(handle).count("rank 1 was killed by SIGKILL") > times, what=lambda: messages(handle))
    wait_until(lambda: len(handle.model.workers) == 2 and not before & {worker.pid for worker in handle.model.workers})


def test_a_nanny_starts_its_worker_again_alone(shared_site, cluster):
    model = shared_site.control.wait(shared_site.get("nannies").id, timeout=60)
    ranks = {process.pid for process in of_program(model)}
    worker = model.workers[0].pid
    assert worker not in {process.pid for process in launchers(model)}
    os.kill(worker, signal.SIGKILL)
    back = shared_site.wait_for(model.id, lambda model: model.workers and model.workers[0].pid != worker)
    assert back.workers[0].name == "0"
    assert ranks - {process.pid for process in of_program(model)} <= {worker}
    assert stopped(shared_site, model.id).state is ClusterState.STOPPED
    assert not of_program(model)
    assert not scratch_folders(model)


# -- refusals ----------------------------------------------------------------------------------------


def _program(path: Path, text: str) -> str:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


_refusal = partial(refusal, kind=GPUClusterError, backend="mpi", n_workers=1)


@pytest.mark.processes
async def test_unusable_launcher_is_refused(tmp_path):
    assert "'none-mpirun' is not on the PATH" in await _refusal(tmp_path, launcher="none-mpirun")
    ours, others = ("Open MPI", "MPICH") if OPEN_MPI else ("MPICH", "Open MPI")
    other = _program(tmp_path / "mpirun", "echo HYDRA" if OPEN_MPI else "echo 'mpirun (Open MPI) 4.1.4'")
    message = await _refusal(tmp_path, launcher=other)
    assert f"The launcher {other} is one of {others}, but mpi4py uses {ours}" in message
    broken = _program(tmp_path / "broken", "echo libmpi.so.40: cannot open >&2; exit 127")
    assert f"The launcher {broken} cannot be started (libmpi.so.40: cannot open)" in await _refusal(
        tmp_path, launcher=broken
    )


@pytest.mark.processes
async def test_unusable_python_is_refused(tmp_path):
    bare = _program(tmp_path / "python", f'exec {sys.executable} -S "$@"')
    assert "needs the package gpucluster in the environment of" in await _refusal(tmp_path, rank_python=bare)
    _program(tmp_path / "python", "echo missing dask_mpi")
    assert "needs the package dask-mpi in the environment of" in await _refusal(tmp_path, rank_python=bare)
    _program(tmp_path / "python", "echo 'RuntimeError: cannot load MPI library'; exit 1")
    assert "MPI cannot be loaded (RuntimeError: cannot load MPI library)" in await _refusal(tmp_path, rank_python=bare)


@pytest.mark.processes
@pytest.mark.full
def test_failing_launcher_is_reported_with_its_output(shared_site, tmp_path):
    failing = _program(tmp_path / "mpiexec", f"{SAYS_ITS_LIBRARY}\necho error: no slots for 2 ranks >&2; exit 3")
    broken = _program(
        tmp_path / "python", f'[ $2 = -c ] && exec {sys.executable} "$@"\necho no such thing; sleep 0.5; exit 1'
    )
    first = shared_site.create(backend="mpi", n_workers=2, launcher=failing)
    second = shared_site.create(backend="mpi", n_workers=2, rank_python=broken, launcher=str(MPIEXEC))
    with pytest.raises(StartFailed, match="mpiexec ended with status 3: error: no slots for 2 ranks"):
        shared_site.control.wait(first.id, timeout=60)
    with pytest.raises(StartFailed, match=r"2 of 2 workers could not start: mpiexec .*no such thing"):
        shared_site.control.wait(second.id, timeout=60)


ESCAPE = "(env -i setsid sleep 4243 & echo $! > {0}/pid) & wait; "
"""A child that leaves the session, loses its parent, and has none of our variables."""


@pytest.mark.processes
@pytest.mark.parametrize("answer", [SAYS_ITS_LIBRARY, ""], ids=["it runs", "it is asked"])
def test_hanging_launcher_is_ended_completely(shared_site, tmp_path, wait_until, answer):
    hanging = _program(tmp_path / "mpiexec", f"{answer}\n{ESCAPE.format(tmp_path)} sleep 4244")
    model = shared_site.create(backend="mpi", n_workers=1, launcher=hanging)
    started = psutil.Process(int(wait_until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text())))
    assert stopped(shared_site, model.id).state is ClusterState.STOPPED
    assert not started.is_running() or started.status() == psutil.STATUS_ZOMBIE
    assert not of_program(model)


@pytest.mark.processes
def test_a_dry_run_shows_the_command(shared_site):
    spec = {"backend": "mpi", "n_workers": 3, "gpus_per_rank": 1, "launcher_options": "-ppn 1"}
    shown = shared_site.control.preview(spec).text
    assert shlex.join([str(MPIEXEC), *own_options(), *["-ppn", "1", "-n", "3"], sys.executable]) in shown


@pytest.mark.processes
@pytest.mark.full
def test_running_dask_mpi_can_be_connected_to(shared_site, tmp_path, wait_until):
    file = tmp_path / "scheduler.json"
    program = Path(sys.executable).with_name("dask-mpi")
    command = [MPIEXEC, *own_options(), "-n", "2", program, "--scheduler-file", file, "--no-dashboard"]
    command += ["--worker-class", "distributed.Worker", "--local-directory", tmp_path]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
        try:
            wait_until(file.exists)
            model = shared_site.running(
                backend="existing", scheduler_file=str(file), n_workers=None, memory_limit="auto"
            )
            shared_site.wait_for(model.id, lambda model: model.n_workers == 1)
            with Client(gpucluster.connect(model.id)) as client:
                assert client.submit(sum, [1, 2]).result() == 3
            assert stopped(shared_site, model.id).state is ClusterState.STOPPED
            assert running.poll() is None
        finally:
            running.terminate()


# -- the end -----------------------------------------------------------------------------------------


async def test_a_dead_supervisor_leaves_nothing(shared_site, cluster, client, wait_until):
    client.submit(lambda: subprocess.Popen(ORPHAN).pid, pure=False).result()
    client.close()
    remembered = shared_site.registry.folder(cluster.id).remembered.read_text()
    os.kill(shared_site.get(cluster.id).pid, signal.SIGKILL)
    wait_until(lambda: not [process for process in of_program(cluster) if process.info["name"] != "sleep"], timeout=30)
    # The next process that lists clusters ends what tasks left, too. A further time does no harm.
    wait_until(lambda: shared_site.get(cluster.id).state.ended)
    wait_until(lambda: not shared_site.registry.folder(cluster.id).remembered.exists())
    assert not of_program(cluster)
    assert not scratch_folders(cluster)
    await MPIBackend().reap(json.loads(remembered)["state"], ReapContext(cluster.id))
