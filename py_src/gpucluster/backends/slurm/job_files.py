"""The batch scripts of a cluster's jobs, and its private folder on shared storage: what they read and print.

All jobs of a size have the same script, so that users can read, copy and submit it.
"""

from __future__ import annotations

import asyncio
import errno
import os
import re
import shlex
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from ...dask_internals.other_packages import slurm_jobs, slurm_script
from ...operating_system.files import read_own_file
from ...protocol.errors import MissingPackage, PreflightFailed
from ...protocol.plain_text import printable
from ..workers import WORKER_MODULE, worker_arguments
from .commands import Job
from .handover import LAST_WORDS, keeping_output_short, receiving
from .spec import SlurmSpec

OWN = Path("/@own@")  # Placeholder for the folder that a job makes on its node.
_ID = re.compile(r"[0-9a-f]{8}")
_PLAIN = re.compile(r"/[A-Za-z0-9_.+@=:,/-]*")
_TAIL_BYTES = 16384
_NOISE = re.compile(r"^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d+ - )|^\s*$|^slurmstepd: error: \*\*\* JOB")


def base_folder(shared_directory: str | None) -> Path:
    return Path(shared_directory) if shared_directory else Path.home() / ".gpucluster" / "slurm"


class JobFolder:
    """Folder of one cluster. `shared`: whether the nodes see it; if not, each job receives a copy of its contents."""

    def __init__(self, base: Path, cluster_id: str, *, shared: bool = True) -> None:
        self.base = base
        self.shared = shared
        self.path = base / cluster_id
        self.on_nodes = self.path if shared else OWN / "given"  # Where jobs find what is in it.
        self.tls = self.on_nodes / "tls"
        self.environment = self.on_nodes / "environment"
        self.log = self.path / "log"

    def require_usable(self) -> None:
        """Make the base, for this user only."""
        self._require_plain()
        with self._explained():
            self.base.mkdir(mode=0o700, parents=True, exist_ok=True)
            found = self.base.stat()
            # On some file systems, such as /proc, nothing can be created, whatever the modes.
            os.rmdir(tempfile.mkdtemp(prefix=".looks-", dir=self.base))
        self._require_private(found)

    def require_possible(self) -> None:
        """Check that the base can be made or used, and make nothing."""
        self._require_plain()
        there = next(path for path in (self.base, *self.base.parents) if path.exists())
        with self._explained():
            if os.statvfs(there).f_blocks == 0 or not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
                raise PermissionError(errno.EACCES, "it is not writable")
            if there == self.base:
                self._require_private(there.stat())

    def _require_plain(self) -> None:
        if not _PLAIN.fullmatch(str(self.base)):
            raise PreflightFailed(
                f"shared_directory: {self.base} has characters that a batch script cannot use in a path. Choose "
                "another directory that the nodes can access."
            )

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise PreflightFailed(
                f"shared_directory: {self.base} cannot be used ({error.strerror}). Choose a directory that you can "
                "write to and the nodes can access."
            ) from error

    def _require_private(self, found: os.stat_result) -> None:
        if found.st_uid != os.geteuid() or stat.S_IMODE(found.st_mode) & 0o022:
            raise PreflightFailed(
                f"shared_directory: other users can modify the contents of {self.base}. Choose a directory that you "
                "own and only you can write to."
            )

    def make(self, contents: Mapping[str, str]) -> None:
        """Write the files for the jobs, of mode 0600 in folders of mode 0700."""
        for path in (self.path, self.path / "tls", self.log):
            path.mkdir(mode=0o700)
        for name, text in contents.items():
            _write(self.path / name, text)

    async def printed(self, job_name: str, job_id: str, job: Job | None) -> list[str]:
        """Return the end of a job's output, the last line last; without shared storage, its comment."""
        if self.shared:
            return await asyncio.to_thread(self.last_words, job_name, job_id)
        return [printable(job.comment, 300)] if job is not None and job.comment and "://" not in job.comment else []

    def last_words(self, job_name: str, job_id: str) -> list[str]:
        """Return the end of a job's output, the last line last."""
        try:
            with open(self.output(job_name, job_id), "rb") as file:
                file.seek(max(0, os.fstat(file.fileno()).st_size - _TAIL_BYTES))
                # Zeros are printed, or left by a node that went down while writing.
                text = file.read().replace(b"\0", b"").decode(errors="replace")
        except OSError:
            return []
        return [printable(line.rstrip(), 300) for line in text.splitlines()[-40:]]

    def forget_printed(self, job_name: str, job_id: str) -> None:
        if self.shared:
            with suppress(OSError):
                self.output(job_name, job_id).unlink()

    def was_there(self, job_name: str, job_id: str) -> bool:
        """Return whether a job has found this folder on its node, and so could print."""
        return self.output(job_name, job_id).exists()

    def output(self, job_name: str = "%x", job_id: str = "%j") -> Path:
        """Return the file that a job prints to; Slurm fills in the defaults."""
        return Path(os.devnull) if not self.shared else self.log / f"{job_name}-{job_id}.log"

    def remove(self) -> None:
        if _ID.fullmatch(self.path.name):
            shutil.rmtree(self.path, ignore_errors=True)


def contents(tls: Path | None, variables: Mapping[str, str], dashboard_prefix: str) -> dict[str, str]:
    """Return the files that the jobs read, by their names.

    * `tls`: folder with the cluster's credentials.
    * `variables`: environment variables of the workers; they may be secret, so they are not in the script.
    * `dashboard_prefix`: secret path prefix of the dashboard, for a scheduler in a job.
    """
    usable = {name: value for name, value in variables.items() if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name)}
    lines = [f"export {name}={shlex.quote(value)}\n" for name, value in usable.items()]
    found = {"environment": "".join(lines), "prefix": dashboard_prefix}
    if tls is not None:
        found |= {f"tls/{name}": read_own_file(tls / name).decode() for name in ("ca.pem", "cert.pem", "key.pem")}
    return found


def error_line(lines: list[str]) -> str | None:
    """Return the line that best explains a failure, without a full stop; ``None``: nothing was printed."""
    worth = [line.strip() for line in lines if not _NOISE.search(line)]
    for line in worth[::-1]:
        if "error" in line.lower() or "not found" in line.lower() or "No such file" in line:
            return re.sub(r"^\S*/?slurm_script: line \d+: ", "", line).rstrip(".")
    return worth[-1].rstrip(".") if worth else None


def _write(path: Path, text: str) -> None:
    with open(path, "x", opener=lambda name, flags: os.open(name, flags | os.O_NOFOLLOW, 0o600)) as file:
        file.write(text)


MODULE = "gpucluster.backends.slurm.scheduler_process"
CUDA_WORKER_MODULE = "dask_cuda.cli"
DEATH_TIMEOUT_SECONDS = 60
SOMEWHERE = "tls://HOST:PORT"  # Placeholder in a script that is shown before there is a scheduler.
_END = "END_OF_EACH_NODE"
_REMOVING = 'trap \'[ ! -O "$scratch" ] || rm -rf "$scratch"\' EXIT'
_MEMORY = """\
memory=${SLURM_MEM_PER_NODE:-$(( ${SLURM_MEM_PER_CPU:-0} * ${SLURM_CPUS_ON_NODE:-1} + ${SLURM_MEM_PER_GPU:-0}@gpus ))}
if [ "$memory" -gt 0 ]; then memory="@eachMiB"; else memory=auto; fi"""


def require_jobqueue() -> None:
    try:
        slurm_jobs()
    except ImportError as error:
        raise MissingPackage(
            "Slurm clusters need the package dask-jobqueue in the cluster's Python environment: "
            "pip install 'gpucluster[slurm]'."
        ) from error


def job_names(spec: SlurmSpec, cluster_id: str) -> str:
    """Return the prefix of the names of a cluster's jobs, which no other job has."""
    return f"{spec.job_name}-{cluster_id}-"


def batch_script(spec: SlurmSpec, folder: JobFolder, cluster_id: str, scheduler: str = SOMEWHERE) -> str:
    """Return the script, which has no secrets because Slurm keeps scripts."""
    lines, command = _on_node(spec, folder, scheduler)
    return _assembled(spec, lines, command, folder, cluster_id)


def scheduler_script(spec: SlurmSpec, folder: JobFolder, cluster_id: str) -> str:
    """Return the script of the scheduler's job, which has no secrets either. Raises `MissingPackage`."""
    asked = spec.of_scheduler
    words = [_python(spec), "-P", "-m", MODULE, "--folder", str(folder.on_nodes)]
    words += ["--names", job_names(spec, cluster_id), "--protocol", spec.protocol]
    words += ["--interface", spec.interface] if spec.interface is not None else []
    words += [] if folder.shared else ["--tell", "comment"]
    lines = [*_given(folder), *_before(asked), *([] if folder.shared else [LAST_WORDS])]
    command = _line([*_container(asked, folder, scratch=False), *map(shlex.quote, words)])
    return _assembled(asked, lines, command, folder, cluster_id)


def _assembled(spec: SlurmSpec, lines: list[str], command: str, folder: JobFolder, cluster_id: str) -> str:
    require_jobqueue()
    given = spec.memory_on_node
    if spec.nodes_per_job > 1:
        lines, command = on_each_node(lines, command, spec)
    if folder.shared:  # The output of all its nodes is in one file; otherwise each node keeps its own.
        lines = [*keeping_output_short(), *lines]
    return slurm_script(
        command,
        left_out=[*([] if given is not None else ["--mem="]), *(["SBATCH -n 1"] if spec.nodes_per_job > 1 else [])],
        memory=given or "1GB",
        cores=spec.threads_per_worker,
        job_cpu=spec.cores_on_node,
        processes=1,
        queue=spec.partition,
        account=spec.account,
        walltime=spec.walltime,
        job_name=f"{spec.job_name}-{cluster_id}",
        job_extra_directives=_directives(spec, folder),
        job_script_prologue=lines,
        shebang="#!/bin/bash",
        python=spec.python or sys.executable,
        scheduler=SOMEWHERE,
        name=cluster_id,
    )


def _given(folder: JobFolder) -> list[str]:
    """Return the first lines of a job, which load its secrets."""
    return ["umask 077", *(receiving() if not folder.shared else [f". {shlex.quote(str(folder.environment))}"])]


def _before(spec: SlurmSpec) -> list[str]:
    return [f"module load {shlex.quote(name)}" for name in spec.modules] + spec.job_script_prologue


def _python(spec: SlurmSpec) -> str:
    return spec.python or ("python3" if spec.image else sys.executable)


def _line(words: list[str]) -> str:
    return " ".join(words).replace(str(OWN), '"$gpucluster_own"')


def smaller_job(spec: SlurmSpec, count: int, folder: JobFolder, cluster_id: str) -> list[str]:
    """Return the directives of a job with fewer workers that differ from those of the others."""
    scripts = (batch_script(each, folder, cluster_id) for each in (spec, spec.with_workers(count)))
    usual, smaller = ([line for line in text.splitlines() if line.startswith("#SBATCH ")] for text in scripts)
    return [line.removeprefix("#SBATCH ") for line in smaller if line not in usual]


def _directives(spec: SlurmSpec, folder: JobFolder) -> list[str]:
    lines = [f"--nodes={spec.nodes_per_job}"]
    if spec.nodes_per_job > 1:
        lines.append("--ntasks-per-node=1")
    lines += ["--no-requeue", f"--output={folder.output()}", "--open-mode=append"]
    if not folder.shared:
        lines.append("--chdir=/tmp")
    if spec.exclusive:
        lines.append("--exclusive")
    if spec.qos is not None:
        lines.append(f"--qos={spec.qos}")
    if spec.gpus_per_node:
        kind = f":{spec.gpu_type}" if spec.gpu_type else ""
        # Memory per GPU needs this form.
        option = "--gpus-per-node=" if spec.memory_per_gpu is not None else "--gres=gpu:"
        lines.append(f"{option}{kind.lstrip(':') + ':' if kind else ''}{spec.gpus_per_node}")
    if isinstance(spec.memory_per_gpu, int):
        lines.append(f"--mem-per-gpu={-(-spec.memory_per_gpu // 2**20)}M")
    if spec.constraint is not None:
        lines.append(f"--constraint={spec.constraint}")
    return lines + spec.directives


def _on_node(spec: SlurmSpec, folder: JobFolder, scheduler: str) -> tuple[list[str], str]:
    """Return the lines that are run on each node of a job, and the one that starts the workers there."""
    lines = [*_given(folder), *_before(spec), *_scratch(spec, folder)]
    if spec.gpus_per_node > 1:
        # dask-cuda starts a worker for each GPU that it sees, and a job may see more than it requested.
        everything = ",".join(map(str, range(spec.gpus_per_node)))
        lines.append(
            f'CUDA_VISIBLE_DEVICES=$(echo "${{CUDA_VISIBLE_DEVICES:-{everything}}}" | cut -d, -f-{spec.gpus_per_node})'
        )
        lines.append("export CUDA_VISIBLE_DEVICES")
    if spec.memory_limit == "auto":
        lines.append(_memory(spec))
    return lines, _command(spec, folder, scheduler)


def _scratch(spec: SlurmSpec, folder: JobFolder) -> list[str]:
    """Return the lines that make a folder for spilled data, and remove it at the end."""
    place = spec.local_directory or "${SLURM_TMPDIR:-${TMPDIR:-/tmp}}"
    advice = "choose another local_directory" if spec.local_directory else "set local_directory, or TMPDIR in env"
    no_path = "mktemp is not on the PATH of this node ('$PATH'): check env, modules and the job prologue"
    no_folder = f"cannot create a folder in {place} on this node: {advice}"
    return [
        f'command -v mktemp >/dev/null || {{ echo "error: {no_path}"; exit 1; }}',
        *([f"mkdir -p {shlex.quote(place)}"] if spec.local_directory else []),
        # The name first, then what removes it: a job may be cancelled at any line.
        f'scratch=$(mktemp -du "{place}/gpucluster-XXXXXXXX")',
        # Again, because the lines before the worker may have set another trap.
        _REMOVING if folder.shared else LAST_WORDS,
        f'mkdir -m 700 "$scratch" || {{ echo "error: {no_folder}"; exit 1; }}',
        # On a shared disk, no folder may have a predictable name.
        'export DASK_TEMPORARY_DIRECTORY="$scratch"',
    ]


def on_each_node(lines: list[str], command: str, spec: SlurmSpec) -> tuple[list[str], str]:
    """Return the lines of a job that does the same on each of its nodes, and its last one."""
    options = ["--ntasks-per-node=1", f"--cpus-per-task={spec.cores_on_node}", "--input=none", "--wait=0"]
    return (
        [f"read -r -d '' on_each_node <<'{_END}'", *lines, command, _END],
        # The workers of one node continue if others end.
        f'srun {" ".join(options)} --kill-on-bad-exit=0 bash -c "$on_each_node" bash "${{SLURM_JOB_NAME##*-}}"',
    )


def _memory(spec: SlurmSpec) -> str:
    """Return the lines that compute the memory of a worker, an equal share of the job's."""
    each = "${memory}" if spec.workers_on_node == 1 else f"$(( memory / {spec.workers_on_node} ))"
    gpus = f" * {spec.gpus_per_node}" if spec.gpus_per_node > 1 else ""
    return _MEMORY.replace("@gpus", gpus).replace("@each", each)


def _command(spec: SlurmSpec, folder: JobFolder, scheduler: str) -> str:
    arguments = worker_arguments(
        spec.model_copy(update={"local_directory": None}),
        gpu=spec if spec.gpus_per_node else None,
        tls_directory=folder.tls if spec.protocol == "tls" else None,
        death_timeout_seconds=DEATH_TIMEOUT_SECONDS,
    )
    if spec.interface is not None:
        arguments += ["--interface", spec.interface]
    module = CUDA_WORKER_MODULE if spec.gpus_per_node else WORKER_MODULE
    if spec.workers_on_node > 1 and not spec.gpus_per_node:
        arguments += ["--nworkers", str(spec.workers_on_node)]
    words = [shlex.quote(word) for word in (_python(spec), "-P", "-m", module, scheduler, *arguments)]
    if spec.memory_limit == "auto":
        words[words.index("--memory-limit") + 1] = '"$memory"'
    # The end of the job's name, and the number of the node in the job.
    name = '"$1-$SLURM_NODEID"' if spec.nodes_per_job > 1 else '"${SLURM_JOB_NAME##*-}"'
    words += ["--name", name, "--local-directory", '"$scratch"']
    return _line([*_container(spec, folder), *words])


def _container(spec: SlurmSpec, folder: JobFolder, *, scratch: bool = True) -> list[str]:
    if spec.image is None:
        return []
    gpus = ["--nv"] if spec.gpus_per_node else []
    binds = ["--bind", shlex.quote(str(folder.on_nodes)), *(["--bind", '"$scratch"'] if scratch else [])]
    return ["apptainer", "exec", *gpus, *binds, shlex.quote(spec.image)]
