"""Launchers of MPI by their version, their command lines, and the ends of programs."""

import asyncio
import os
import subprocess
import sys
from types import SimpleNamespace

import pytest
from gpucluster.backends.deployment import SlotState
from gpucluster.backends.mpi import backend as launchers
from gpucluster.backends.mpi import deployment as module
from gpucluster.backends.mpi.backend import Family, Launcher, command, identify
from gpucluster.backends.mpi.deployment import MPIDeployment, arguments
from gpucluster.backends.mpi.program import Program
from gpucluster.backends.mpi.spec import MPISpec
from gpucluster.backends.mpi.worker import BROKEN, FAILED, _cause
from gpucluster.operating_system import resources
from gpucluster.protocol.errors import PreflightFailed
from gpucluster.protocol.kinds import parse_spec

RANK = [sys.executable, "-P", "-u", "-m", "gpucluster.backends.mpi.rank"]
VERSIONS = {
    "mpiexec (OpenRTE) 4.1.4\n\nReport bugs to http://www.open-mpi.org/community/help/": (Family.OPEN_MPI, (4, 1, 4)),
    "mpirun (Open MPI) 5.0.7\n": (Family.OPEN_MPI, (5, 0, 7)),
    "prterun (PRRTE) 3.0.8\n": (Family.OPEN_MPI, (3, 0, 8)),
    "HYDRA build details:\n    Version:                                 4.3.1\n": (Family.MPICH, (4, 3, 1)),
    "Intel(R) MPI Library for Linux* OS, Version 2021.13 Build 20240701\n": (Family.INTEL, (2021, 13)),
    "slurm 24.05.4\n": (Family.SLURM, (24, 5, 4)),
    "slurm-wlm 22.05.8\n": (Family.SLURM, (22, 5, 8)),
    "aprun (ALPS) something\n": (Family.UNKNOWN, ()),
}


def spec(**options) -> MPISpec:
    return parse_spec({"backend": "mpi", **options})


@pytest.mark.parametrize(("printed", "meant"), VERSIONS.items())
def test_launchers_are_known_by_their_version(printed, meant):
    found = identify("/opt/mpi/bin/mpiexec", printed)
    assert (found.family, found.version) == meant


def test_only_launchers_of_the_same_mpi_are_used():
    def fits(family: Family, library: Family) -> bool:
        return Launcher("/x", family).starts(library)

    assert fits(Family.MPICH, Family.MPICH)
    assert fits(Family.INTEL, Family.MPICH)
    assert fits(Family.UNKNOWN, Family.OPEN_MPI)
    assert fits(Family.SLURM, Family.OPEN_MPI)
    assert not fits(Family.OPEN_MPI, Family.MPICH)
    assert not fits(Family.MPICH, Family.OPEN_MPI)


def test_each_launcher_gets_its_options(monkeypatch):
    monkeypatch.setattr(launchers.os, "geteuid", lambda: 0)

    def words(printed: str, pmi: list[str] | None = None, **options) -> list[str]:
        made = command(identify("/mpi/run", printed), spec(n_workers=4, **options), 4, "gpucluster-ID", pmi or [])
        assert made[0] == "/mpi/run"
        assert made[-len(RANK) :] == RANK
        return made[1 : -len(RANK)]

    assert words("HYDRA") == ["-n", "4"]
    assert words("HYDRA", launcher_options="-hosts 'a,b' -ppn 2") == ["-hosts", "a,b", "-ppn", "2", "-n", "4"]
    bound = ["--bind-to", "none", "--allow-run-as-root"]
    assert words("mpirun (Open MPI) 4.1.4") == [*bound, "--oversubscribe", "-n", "4"]
    assert words("mpirun (Open MPI) 5.0.7") == [*bound, "--map-by", ":OVERSUBSCRIBE", "-n", "4"]
    assert words("Intel(R) MPI Library") == ["-genv", "I_MPI_PIN", "0", "-n", "4"]
    step = ["--kill-on-bad-exit", "--job-name", "gpucluster-ID", "--cpus-per-task", "2"]
    assert words("slurm 20.02.1", threads_per_worker=2) == [*step, "-n", "4"]
    assert words("slurm 23.02", ["--mpi=pmix"], threads_per_worker=2) == ["--overlap", *step, "--mpi=pmix", "-n", "4"]
    # Explicit options are not repeated.
    mine = ["--bind-to", "core", "--map-by", "ppr:1:node"]
    assert words("mpirun (Open MPI) 5.0.7", launcher_options=mine) == ["--allow-run-as-root", *mine, "-n", "4"]
    monkeypatch.setattr(launchers.os, "geteuid", lambda: 1000)
    monkeypatch.setenv("PBS_JOBID", "17")
    assert words("mpirun (Open MPI) 4.1.4") == ["--bind-to", "none", "-n", "4"]


def test_resources_of_an_allocation_are_read():
    assert launchers.allocated_cpus({"SLURM_JOB_CPUS_PER_NODE": "4(x2),2"}) == 10
    assert launchers.allocated_cpus({}) is None
    assert launchers.allocated_gpus({"SLURM_GPUS": "a100:8", "SLURM_GPUS_ON_NODE": "4"}) == 8
    assert launchers.allocated_gpus({"SLURM_GPUS_ON_NODE": "4", "SLURM_JOB_NUM_NODES": "3"}) == 12
    assert launchers.allocated_gpus({}) is None


def test_step_ignores_the_variables_of_the_notebooks_step(monkeypatch):
    for name in ("SLURM_NTASKS", "SLURM_STEP_ID", "SLURM_JOB_ID", "SLURM_CONF", "PASSWORD", "UCX_TLS"):
        monkeypatch.setenv(name, "1")
    given = {"PASSWORD": "1", "UCX_TLS": "1"}
    found = launchers.launcher_environment(Launcher("srun", Family.SLURM), spec(env=given))
    assert {name for name in found if name.startswith("SLURM_")} == {"SLURM_JOB_ID", "SLURM_CONF"}
    assert "PASSWORD" not in found
    assert found["UCX_TLS"] == "1"  # MPI reads it before a rank receives anything.


@pytest.mark.parametrize(
    ("launcher", "message"),
    [
        ("/nonexistent", "launcher: /nonexistent does not exist. Set it to the absolute path of your MPI's mpiexec"),
        ("/etc/passwd", "launcher: /etc/passwd is not executable. Set it to the absolute path"),
        ("nonexistent", "launcher: 'nonexistent' is not on the PATH. Load the module"),
    ],
)
def test_missing_launcher_is_refused(launcher, message):
    with pytest.raises(PreflightFailed) as refused:
        asyncio.run(launchers.find_launcher(spec(launcher=launcher), Family.MPICH))
    assert refused.value.message.startswith(message)


@pytest.mark.parametrize(("python", "why"), [("/nonexistent", "does not exist"), ("/etc/passwd", "is not executable")])
def test_missing_python_of_the_ranks_is_refused(python, why):
    with pytest.raises(PreflightFailed, match=f"rank_python: {python} {why}"):
        asyncio.run(launchers.find_library(python))


async def end_of(*command: str) -> str | None:
    """Run a command as the launcher; return why it ended."""
    program = await Program.start(command, os.environ, {"id": "0badcafe", "local_directory": None}, "mpiexec")
    await program.wait()
    return program.over


async def test_launcher_that_starts_another_program():
    why = "mpiexec started no rank (do launcher_options name another program?): hi -n 2"
    assert await end_of("echo", "hi", "-n", "2") == why


ABORTED = "Abort(7) on node 1 (rank 1 in comm 0): "
LAST_OUTPUT = {
    f"rank 1: {ABORTED}application called MPI_Abort(MPI_COMM_WORLD, 7) - process 1": "rank 1 called MPI_Abort(7)",
    f"{ABORTED}application called MPI_Abort(MPI_COMM_WORLD, 7) - process 1": "rank 1 called MPI_Abort(7)",
    f"rank 1: {ABORTED}Fatal error in internal_Send: Invalid rank": (
        "MPI ended rank 1: Fatal error in internal_Send: Invalid rank"
    ),
    "MPI_ABORT was invoked on rank 1 in communicator MPI_COMM_WORLD": "rank 1 called MPI_Abort",
    f"rank 1: {BROKEN}a task called sys.exit(4)": "rank 1 has ended: a task called sys.exit(4)",
    f"rank 1: {FAILED}no module": "rank 1 could not start: no module",
    "nothing of use": "mpiexec ended with status 7: nothing of use",
}


@pytest.mark.parametrize(("printed", "why"), LAST_OUTPUT.items())
async def test_end_of_a_program_is_explained_by_its_output(printed, why):
    assert await end_of("sh", "-c", f"echo '{printed}'; exit 7") == why


def test_rank_is_lost_only_after_the_end_of_its_program(monkeypatch):
    """Requests for ranks meanwhile would be refused, and the next one would be delayed."""
    plan = SimpleNamespace(n_workers=2, options={"launcher": None, "command": []})
    deployment = MPIDeployment(spec(), plan, None)
    here = {name: SimpleNamespace(name=name) for name in ("0", "1")}
    deployment._scheduler = SimpleNamespace(workers=here)
    deployment._program = program = SimpleNamespace(over=None)

    def states() -> list[SlotState]:
        return [slot.state for slot in deployment.slots()]

    assert states() == [SlotState.RUNNING] * 2
    del here["1"]
    assert states() == [SlotState.RUNNING, SlotState.PENDING]
    monkeypatch.setattr(module, "MISSING_SECONDS", 0.0)
    assert states() == [SlotState.RUNNING, SlotState.LOST], "its program does not end"
    monkeypatch.undo()
    here.clear()
    assert states() == [SlotState.PENDING] * 2
    program.over = "rank 1 was killed by SIGKILL"
    assert states() == [SlotState.LOST] * 2


@pytest.mark.parametrize(
    ("kills", "reason"),
    [([4, 4], ""), ([4, 5], ", because this machine ran out of memory"), ([None, 5], ""), ([4, None], "")],
)
def test_rank_killed_for_lack_of_memory_is_reported(kills, reason, monkeypatch):
    monkeypatch.setattr(resources, "out_of_memory_kills", iter(kills).__next__)
    messages = []
    plan = SimpleNamespace(n_workers=1, options={"launcher": SimpleNamespace(family=None), "command": []})
    context = SimpleNamespace(tell=lambda kind, message: messages.append(message))
    deployment = MPIDeployment(spec(), plan, context)
    deployment._scheduler = SimpleNamespace(workers={"0": SimpleNamespace(name="0")})
    deployment._program = program = SimpleNamespace(over=None)
    deployment.slots()
    program.over = "rank 0 was killed by SIGKILL"
    deployment._note_end(program)
    assert messages == [
        f"The MPI program ended: rank 0 was killed by SIGKILL{reason}. All its ranks are being restarted."
    ]


def test_end_of_a_worker_is_explained():
    assert _cause(SystemExit(4)) == "a task called sys.exit(4)"
    assert _cause(SystemExit()) == "a task called sys.exit()"
    aborted = RuntimeError()
    aborted.__cause__ = KeyboardInterrupt()  # So click has it.
    assert _cause(aborted).startswith("KeyboardInterrupt was raised in a task")


def test_a_rank_whose_mpi_is_finalized_ends():
    """Also by C code, because MPI calls the attribute's callback first."""
    pytest.importorskip("mpi4py", reason="needs the package 'mpi4py'", exc_type=ImportError)
    program = (
        "import ctypes\n"
        "from gpucluster.backends.mpi.worker import keep_mpi\n"
        "from mpi4py import MPI\n"
        "[path, *_] = [line.split()[-1] for line in open('/proc/self/maps') if 'libmpi' in line]\n"
        "keep_mpi(MPI, 'has ended: ')\n"
        "ctypes.CDLL(path).MPI_Finalize()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (1, "has ended: code in a task finalized MPI, which its worker needs\n")


def test_gpus_are_for_dask_cuda():
    assert "dask_cuda.CUDAWorker" in arguments(spec(gpus_per_rank=1))
    assert "distributed.Nanny" in arguments(spec(nanny=True))
    words = arguments(spec(memory_limit=None, protocol="tcp", threads_per_worker=3))
    assert words[2:] == [
        *("--worker-class", "distributed.Worker", "--nthreads", "3", "--memory-limit", "0", "--protocol", "tcp://")
    ]
