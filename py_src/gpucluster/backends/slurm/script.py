"""The batch script of a cluster's jobs: the same for all of them, so that people can read, copy and send it."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from ...dask_internals.batch_scripts import slurm_jobs, slurm_script
from ...protocol.errors import MissingPackage
from ...protocol.slurmspec import SlurmSpec
from ..nodes.workers import WORKER_MODULE, cuda_worker_arguments, worker_arguments
from .folder import JobFolder

CUDA_WORKER_MODULE = "dask_cuda.cli"
DEATH_TIMEOUT_SECONDS = 60
SOMEWHERE = "tls://HOST:PORT"
"""Stands in a script that is shown before there is a scheduler."""
_MEMORY = """\
memory=${SLURM_MEM_PER_NODE:-$(( ${SLURM_MEM_PER_CPU:-0} * ${SLURM_CPUS_ON_NODE:-1} + ${SLURM_MEM_PER_GPU:-0}@gpus ))}
if [ "$memory" -gt 0 ]; then memory="@eachMiB"; else memory=auto; fi"""


def must_have_jobqueue() -> None:
    """Refuse where dask-jobqueue is not installed.

    Raises
    ------
    MissingPackage
    """
    try:
        slurm_jobs()
    except ImportError as error:
        raise MissingPackage(
            "Clusters of Slurm need the package dask-jobqueue in the cluster's Python environment: "
            "pip install 'gpucluster[slurm]'."
        ) from error


def job_names(spec: SlurmSpec, cluster_id: str) -> str:
    """Return what the names of all jobs of a cluster begin with, and no others."""
    return f"{spec.job_name}-{cluster_id}-"


def batch_script(spec: SlurmSpec, folder: JobFolder, cluster_id: str, scheduler: str = SOMEWHERE) -> str:
    """Return the script. It has no secrets in it: Slurm keeps scripts.

    Parameters
    ----------
    spec : SlurmSpec
    folder : JobFolder
    cluster_id : str
    scheduler : str
        Address of the scheduler.

    Raises
    ------
    MissingPackage
    """
    must_have_jobqueue()
    given = spec.memory_of_job
    return slurm_script(
        _command(spec, folder, scheduler),
        with_memory=given is not None,
        memory=given or "1GB",
        cores=spec.threads_per_worker,
        job_cpu=spec.cores_of_job,
        processes=1,
        queue=spec.partition,
        account=spec.account,
        walltime=spec.walltime,
        job_name=f"{spec.job_name}-{cluster_id}",
        job_extra_directives=_directives(spec, folder),
        job_script_prologue=_prologue(spec, folder),
        shebang="#!/bin/bash",
        python=spec.python or sys.executable,
        scheduler=scheduler,
        name=cluster_id,
    )


def _directives(spec: SlurmSpec, folder: JobFolder) -> list[str]:
    lines = ["--nodes=1", "--no-requeue", f"--output={folder.output()}", "--open-mode=append"]
    if spec.qos is not None:
        lines.append(f"--qos={spec.qos}")
    if spec.gpus_per_node:
        kind = f":{spec.gpu_type}" if spec.gpu_type else ""
        # Memory per GPU goes with this form only.
        option = "--gpus-per-node=" if spec.memory_per_gpu is not None else "--gres=gpu:"
        lines.append(f"{option}{kind.lstrip(':') + ':' if kind else ''}{spec.gpus_per_node}")
    if isinstance(spec.memory_per_gpu, int):
        lines.append(f"--mem-per-gpu={-(-spec.memory_per_gpu // 2**20)}M")
    if spec.constraint is not None:
        lines.append(f"--constraint={spec.constraint}")
    return lines + spec.directives


def _prologue(spec: SlurmSpec, folder: JobFolder) -> list[str]:
    """Return the lines before the workers, whose names begin with the end of the job's."""
    scratch = spec.local_directory or "${SLURM_TMPDIR:-${TMPDIR:-/tmp}}"
    lines = ["umask 077", f". {shlex.quote(str(folder.environment))}"]
    lines += [f"module load {shlex.quote(name)}" for name in spec.modules]
    lines += spec.job_script_prologue
    if spec.local_directory:
        lines.append(f"mkdir -p {shlex.quote(scratch)}")
    lines += [
        f'scratch=$(mktemp -d "{scratch}/gpucluster-XXXXXXXX") || exit 1',
        # Where many share a disk, nobody's files are in a folder of a known name.
        'export DASK_TEMPORARY_DIRECTORY="$scratch"',
        "trap 'rm -rf \"$scratch\"' EXIT",
    ]
    if spec.gpus_per_node > 1:
        # dask-cuda starts a worker for each GPU that it sees, and a job may see more than it has asked for.
        everything = ",".join(map(str, range(spec.gpus_per_node)))
        lines.append(
            f'CUDA_VISIBLE_DEVICES=$(echo "${{CUDA_VISIBLE_DEVICES:-{everything}}}" | cut -d, -f-{spec.gpus_per_node})'
        )
        lines.append("export CUDA_VISIBLE_DEVICES")
    return [*lines, _memory(spec)] if spec.memory_limit == "auto" else lines


def _memory(spec: SlurmSpec) -> str:
    """Return the lines that find out the memory of a worker, an equal share of the job's."""
    each = "${memory}" if spec.workers_in_job == 1 else f"$(( memory / {spec.workers_in_job} ))"
    gpus = f" * {spec.gpus_per_node}" if spec.gpus_per_node > 1 else ""
    return _MEMORY.replace("@gpus", gpus).replace("@each", each)


def _command(spec: SlurmSpec, folder: JobFolder, scheduler: str) -> str:
    arguments = worker_arguments(
        spec.model_copy(update={"local_directory": None}),
        tls_directory=folder.tls if spec.protocol == "tls" else None,
        death_timeout_seconds=DEATH_TIMEOUT_SECONDS,
    )
    if spec.interface is not None:
        arguments += ["--interface", spec.interface]
    module = WORKER_MODULE
    if spec.gpus_per_node:
        module = CUDA_WORKER_MODULE
        arguments = cuda_worker_arguments(spec, arguments)
    elif spec.workers_in_job > 1:
        arguments += ["--nworkers", str(spec.workers_in_job)]
    python = spec.python or ("python3" if spec.image else sys.executable)
    words = [python, "-P", "-m", module, scheduler, *arguments]
    words = [shlex.quote(word) for word in words]
    if spec.memory_limit == "auto":
        words[words.index("--memory-limit") + 1] = '"$memory"'
    words += ["--name", '"${SLURM_JOB_NAME##*-}"', "--local-directory", '"$scratch"']
    return " ".join([*_container(spec, folder.path), *words])


def _container(spec: SlurmSpec, folder: Path) -> list[str]:
    if spec.image is None:
        return []
    gpus = ["--nv"] if spec.gpus_per_node else []
    binds = ["--bind", shlex.quote(str(folder)), "--bind", '"$scratch"']
    return ["apptainer", "exec", *gpus, *binds, shlex.quote(spec.image)]
