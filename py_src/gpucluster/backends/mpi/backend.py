"""The kind ``mpi``, and the launcher of its ranks: which one is used, which MPI it belongs to, and its command line.

Neither Dask nor dask-mpi is imported until a cluster is started.
"""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import shutil
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import ClassVar

from ...devices.host import host_devices, usable
from ...operating_system.contained import contained
from ...protocol.capacity import default_workers
from ...protocol.errors import MissingPackage, PreflightFailed
from ...protocol.models import Network, Submission
from ...protocol.plain_text import counted, printable
from ...protocol.spec_base import MAX_WORKERS, SpecBase
from ...protocol.traits import Needs, Traits
from ..backend import Backend, Plan, ReapContext, Remembered, StartContext
from ..cuda.spec import check_platform, importable, needed_packages
from ..deployment import Deployment
from ..environment import given_variables
from ..workers import scheduler_address, shared_machine
from .program import end_processes, remove_scratch
from .spec import MPISpec

PATIENCE_SECONDS = 20.0
NAMES = ("mpiexec", "mpirun")
_OVERLAP_SINCE = (20, 11)
_STEP_VARIABLES = re.compile(
    r"SLURM_(STEP.*|NTASKS.*|NPROCS|NNODES|TASKS_PER_NODE|CPUS_PER_TASK|CPU_BIND.*|MEM_BIND.*|DISTRIBUTION|PROCID|LOCALID"
    r"|NODEID|GTIDS|TASK_PID|SRUN_COMM_.*|LAUNCH_NODE_IPADDR|UMASK|PTY_.*|LABELIO|TRES_PER_TASK)|PMI_.*|PMIX_.*"
)
"""Variables that srun sets for its own step; another srun below it would follow them."""
_BEFORE_MPI = re.compile(
    r"PATH|LD_LIBRARY_PATH|LD_PRELOAD|PYTHON\w*|(MPI|MPI4PY|MPICH|MPIR|OMPI|OPAL|PRTE|PMIX|I_MPI|UCX|FI|PSM2|HYDRA|SLURM"
    r"|CUDA|NCCL)_\w+"
)
"""Variables for the workers that MPI reads when it is loaded, before a rank receives anything."""
_ASK_LIBRARY = (
    "import importlib.util, sys\n"
    "missing = [name for name in ('gpucluster', 'dask_mpi', 'mpi4py') if importlib.util.find_spec(name) is None]\n"
    "if missing: print('missing', missing[0]); sys.exit()\n"
    "import mpi4py; mpi4py.rc.initialize = False\n"
    "from mpi4py import MPI\n"
    "print('library', MPI.Get_library_version().splitlines()[0])"
)
_PACKAGES = {"dask_mpi": "dask-mpi", "mpi4py": "mpi4py", "gpucluster": "gpucluster"}


class Family(StrEnum):
    """The MPI, or Slurm, that a launcher or library belongs to."""

    MPICH = "MPICH"
    OPEN_MPI = "Open MPI"
    INTEL = "Intel MPI"
    SLURM = "Slurm"
    UNKNOWN = "unknown"


_KIN = {Family.MPICH: {Family.MPICH, Family.INTEL}, Family.INTEL: {Family.MPICH, Family.INTEL}}
"""Families that can start each other's processes."""


@dataclass(frozen=True)
class Launcher:
    """A launcher of MPI programs."""

    path: str
    family: Family
    version: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        return Path(self.path).name

    def starts(self, library: Family) -> bool:
        """Whether processes with this library can connect to each other when this launcher starts them."""
        if Family.UNKNOWN in {self.family, library} or self.family is Family.SLURM:
            return True
        return library in _KIN.get(self.family, {self.family})


def allocated_cpus(environment: Mapping[str, str] = os.environ) -> int | None:
    """Return how many CPUs the allocation has on all its nodes: ``SLURM_JOB_CPUS_PER_NODE``, as ``4(x2),2``."""
    parts = re.findall(r"(\d+)(?:\(x(\d+)\))?", environment.get("SLURM_JOB_CPUS_PER_NODE", ""))
    return sum(int(cpus) * int(nodes or 1) for cpus, nodes in parts) or None


def allocated_gpus(environment: Mapping[str, str] = os.environ) -> int | None:
    """Return how many GPUs the allocation has on all its nodes, if known."""
    with suppress(KeyError, ValueError):
        return int(environment["SLURM_GPUS"].rpartition(":")[2])
    with suppress(KeyError, ValueError):
        return int(environment["SLURM_GPUS_ON_NODE"]) * int(environment.get("SLURM_JOB_NUM_NODES", "1"))
    return None


# -- finding ---------------------------------------------------------------------------------------


async def find_library(python: str) -> Family:
    """Return the family of the MPI library that mpi4py uses in a Python."""
    if not (os.path.isfile(python) and os.access(python, os.X_OK)):
        what = "is not executable" if os.path.exists(python) else "does not exist"
        raise PreflightFailed(
            f"rank_python: {python} {what}. Set it to the absolute path of the Python of an environment that has "
            "gpucluster[mpi], or omit it to use the cluster's own."
        )
    status, output = await _run(python, "-P", "-c", _ASK_LIBRARY)
    word, _, rest = output.strip().rpartition("\n")[2].partition(" ")
    if status == 0 and word == "missing":
        where = "this Python environment" if python == sys.executable else f"the environment of {python}"
        raise MissingPackage(
            f"The kind 'mpi' needs the package {_PACKAGES[rest]} in {where}: pip install 'gpucluster[mpi]'"
        )
    if status != 0 or word != "library":
        raise PreflightFailed(
            f"MPI cannot be loaded ({last_line(output)}). mpi4py needs an MPI library: load its module, as with "
            "'module load openmpi', or pip install mpich."
        )
    return _library(rest)


def _library(version: str) -> Family:
    for family in (Family.OPEN_MPI, Family.INTEL, Family.MPICH):
        if family.value.removesuffix(" MPI") in version:
            return family
    return Family.MPICH if "MVAPICH" in version or "Cray" in version else Family.UNKNOWN


async def find_launcher(spec: MPISpec, library: Family) -> Launcher:
    candidates = _candidates(spec)
    if not candidates:
        if spec.launcher is not None and os.path.isabs(spec.launcher):
            what = "{} does not exist"
            if os.path.exists(spec.launcher):
                what = "{} is not executable"
            raise PreflightFailed(
                f"launcher: {what.format(spec.launcher)}. Set it to the absolute path of your MPI's mpiexec, or omit "
                "it to use the one on the PATH."
            )
        if spec.launcher is not None:
            raise PreflightFailed(
                f"launcher: '{printable(spec.launcher, 80)}' is not on the PATH. Load the module of your MPI, as with "
                "'module load openmpi', or set an absolute path."
            )
        raise PreflightFailed(
            "No MPI launcher found: neither mpiexec nor mpirun is beside Python or on the PATH. Load the "
            "module of your MPI, as with 'module load openmpi', set launcher, or pip install 'gpucluster[mpi]'."
        )
    found = []
    for path in candidates:
        launcher = await look_at(path)
        if launcher.starts(library):
            return launcher
        found.append(launcher)
    raise PreflightFailed(
        f"The launcher {found[0].path} is one of {found[0].family.value}, but mpi4py uses {library.value}: its ranks "
        f"could not communicate. Set launcher to one of {library.value}, or install an mpi4py that was built with "
        f"{found[0].family.value}."
    )


def _candidates(spec: MPISpec) -> list[str]:
    names = (spec.launcher,) if spec.launcher is not None else NAMES
    places = [str(Path(spec.rank_python or sys.executable).parent), *os.get_exec_path()]
    found = [shutil.which(name, path=place) for place in places for name in names]
    if spec.launcher is None and "SLURM_JOB_ID" in os.environ:
        found.insert(0, shutil.which("srun"))
    return list(dict.fromkeys(path for path in found if path is not None))


async def look_at(path: str) -> Launcher:
    """Identify a launcher by its version. Raises `PreflightFailed`: it cannot be started."""
    status, output = await _run(path, "--version")
    if status != 0:
        raise PreflightFailed(f"The launcher {path} cannot be started ({last_line(output)}).")
    return identify(path, output)


def identify(path: str, output: str) -> Launcher:
    """Return the launcher that prints this with ``--version``."""
    family = Family.UNKNOWN
    if re.search(r"Open MPI|OpenRTE|PRRTE|prte", output):
        family = Family.OPEN_MPI
    elif "Intel" in output:
        family = Family.INTEL
    elif "HYDRA" in output or "MPICH" in output:
        family = Family.MPICH
    elif output.startswith("slurm"):  # Debian: slurm-wlm
        family = Family.SLURM
    version = re.search(r"\d+(\.\d+)+", output)
    return Launcher(path, family, tuple(int(part) for part in version[0].split(".")) if version else ())


async def pmi_options(launcher: Launcher, spec: MPISpec, library: Family) -> list[str]:
    """Return Slurm's option for connecting ranks; nothing if it has none that the library knows."""
    if launcher.family is not Family.SLURM or any(word.startswith("--mpi") for word in spec.options):
        return []
    ways = ("pmix", "pmi2") if library is Family.OPEN_MPI else ("pmi2", "pmix")
    _, output = await _run(launcher.path, "--mpi=list")
    known = set(re.findall(r"[a-z0-9_]+", output))
    return next(([f"--mpi={way}"] for way in ways if way in known), [])


async def _run(*command: str) -> tuple[int | None, str]:
    try:
        process = await asyncio.create_subprocess_exec(
            *contained(*command),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        return None, str(error.strerror)
    try:
        output, _ = await asyncio.wait_for(process.communicate(), PATIENCE_SECONDS)
    except TimeoutError:
        return None, f"it did not respond within {PATIENCE_SECONDS:.0f} seconds"
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.terminate()
            await asyncio.shield(process.wait())
    return process.returncode, output.decode(errors="replace")


def last_line(output: str) -> str:
    """Return the last line of a program's output, without a full stop."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return printable(lines[-1], 300).rstrip(".") if lines else "it printed nothing"


# -- the command -----------------------------------------------------------------------------------


def command(launcher: Launcher, spec: MPISpec, n_workers: int, name: str, pmi: list[str]) -> list[str]:
    """Return the command line; nothing in it is secret."""
    words = [launcher.path]
    for option, *values in _options(launcher, spec, name):
        if option not in {word.partition("=")[0] for word in spec.options}:
            words += [option, *values]
    words += [*pmi, *spec.options, "-n", str(n_workers)]
    return [*words, spec.rank_python or sys.executable, "-P", "-u", "-m", "gpucluster.backends.mpi.rank"]


def _options(launcher: Launcher, spec: MPISpec, name: str) -> list[list[str]]:
    if launcher.family is Family.SLURM:
        # The notebook's own step holds CPUs: without this the ranks would wait for its end.
        overlap = [["--overlap"]] if launcher.version >= _OVERLAP_SINCE else []
        cores = ["--cpus-per-task", str(spec.threads_per_worker)]
        return [*overlap, ["--kill-on-bad-exit"], ["--job-name", name], cores]
    if launcher.family is Family.OPEN_MPI:
        # Otherwise a rank, which has several threads, would be bound to one core.
        found = [["--bind-to", "none"]]
        if os.geteuid() == 0:
            found.append(["--allow-run-as-root"])
        if not {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID"} & set(os.environ):
            # On a single machine, more ranks than cores are intended.
            found.append(["--oversubscribe"] if launcher.version < (5,) else ["--map-by", ":OVERSUBSCRIBE"])
        return found
    if launcher.family is Family.INTEL:
        return [["-genv", "I_MPI_PIN", "0"]]
    return []


def launcher_environment(launcher: Launcher, spec: MPISpec) -> dict[str, str]:
    """Return the environment of the launcher, which some pass on to other hosts.

    Variables for the workers are only in it if MPI needs them early; all others go to the ranks in another way.
    """
    later = {name for name in spec.env or () if not _BEFORE_MPI.fullmatch(name)}
    early = {name: value for name, value in given_variables().items() if _BEFORE_MPI.fullmatch(name)}
    found = {name: value for name, value in os.environ.items() if name not in later} | early
    if launcher.family is Family.SLURM:
        return {name: value for name, value in found.items() if not _STEP_VARIABLES.fullmatch(name)}
    return found


class MPIBackend(Backend[MPISpec]):
    """Workers as the ranks of one MPI program; the scheduler is in the supervisor."""

    name: ClassVar[str] = "mpi"
    title: ClassVar[str] = "MPI"
    where: ClassVar[str] = "MPI"
    needs: ClassVar[Needs] = Needs(packages=("dask_mpi", "mpi4py"), extra="mpi")
    spec: ClassVar[type[SpecBase]] = MPISpec
    traits: ClassVar[Traits] = Traits(this_machine=False)

    async def preflight(self, spec: MPISpec, context: StartContext) -> Plan:
        """Find the launcher, and check that it belongs to mpi4py's MPI."""
        context.report("preflight", "Looking for an MPI launcher")
        if spec.gpus_per_rank and spec.rank_python is None:
            _require_packages(spec)
        launcher, words, remarks = await _look(spec, context.cluster_id)
        n_workers = _number(spec, launcher)
        return Plan(
            n_workers=n_workers,
            maximum_workers=n_workers,
            maximum_reason="an MPI program has a fixed number of ranks",
            network=Network.of(spec.port_protocol),
            options={"spec": spec, "launcher": launcher, "command": words, "host": scheduler_address(spec.interface)},
            threads_per_worker=spec.threads_per_worker,
            memory_limit_bytes=spec.memory_limit if isinstance(spec.memory_limit, int) else 0,
            has_gpus=bool(spec.gpus_per_rank),
            remarks=remarks,
        )

    async def preview(self, spec: MPISpec) -> Submission:
        _, words, remarks = await _look(spec, "ID")
        return Submission(text=shlex.join(words) + "\n", notes=list(remarks))

    async def start(self, plan: Plan, context: StartContext) -> Deployment:
        from .deployment import MPIDeployment

        return await MPIDeployment.start(plan.options["spec"], plan, context, plan.options["host"])

    async def reap(self, remembered: Remembered, context: ReapContext) -> None:
        """End what is left on this machine; the ranks elsewhere end when the launcher's input does."""
        if remembered["id"] != context.cluster_id:
            raise ValueError("The saved state belongs to another cluster")
        ended = await asyncio.to_thread(end_processes, context.cluster_id)
        await asyncio.to_thread(remove_scratch, context.cluster_id, remembered["local_directory"])
        if ended:
            context.report(f"{counted(ended, 'process', 'processes')} left over from a process that died were stopped.")


def _require_packages(spec: MPISpec) -> None:
    check_platform()
    for need in needed_packages(spec):
        if not importable(need.module):
            raise need.refusal("is not installed")


async def _look(spec: MPISpec, cluster_id: str) -> tuple[Launcher, list[str], tuple[str, ...]]:
    library = await find_library(spec.rank_python or sys.executable)
    launcher = await find_launcher(spec, library)
    pmi = await pmi_options(launcher, spec, library)
    words = command(launcher, spec, _number(spec, launcher), f"gpucluster-{cluster_id}", pmi)
    remarks: tuple[str, ...] = ()
    if launcher.family is Family.SLURM:
        remarks = ("The workers run within this Slurm allocation, and end with it.",)
    if spec.protocol == "mpi":
        remarks += ("Messages between ranks go over MPI and are not encrypted; everything else is.",)
    return launcher, words, remarks


def _number(spec: MPISpec, launcher: Launcher) -> int:
    """Return the number of ranks: that of the spec, or as many as there is room for."""
    if spec.n_workers is not None:
        return spec.n_workers
    if spec.gpus_per_rank:
        gpus = allocated_gpus() if launcher.family is Family.SLURM else sum(map(usable, host_devices().devices))
        if not gpus:
            raise PreflightFailed(
                "n_workers: pass the number of ranks, one per GPU of their hosts; no GPU was found here."
            )
        return min(MAX_WORKERS, gpus)
    cpus = allocated_cpus() if launcher.family is Family.SLURM else None
    if cpus is not None:
        return min(MAX_WORKERS, max(1, cpus // spec.threads_per_worker))
    return default_workers(shared_machine())
