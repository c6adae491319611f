"""The options of clusters of Slurm jobs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, field_validator, model_validator

from ...protocol.durations import DEFAULT_SCHEDULER_WALLTIME, walltime_seconds
from ...protocol.machine_spec import GPUSpec, NodeSpec
from ...protocol.plain_text import printable
from ...protocol.sizes import MemorySize, MemorySizeOrAuto
from ...protocol.spec_base import (
    WorkerCountOrZero,
    advanced,
    matching,
    not_at_default,
    not_whole_jobs,
    number_of_workers,
    option,
)

DEFAULT_WALLTIME = "01:00:00"
MOST_LINES = 50
_OF_SCHEDULER_JOB = ("scheduler_partition", "scheduler_walltime", "scheduler_cores", "scheduler_memory")
_OF_WORKERS = ("n_workers", "workers_per_job", "gpu_type", "memory_per_gpu", "constraint", "local_directory")
_OF_NODES = re.compile(
    r"--(exclusive|gres|gpu|mem|cpus|ntasks|cores|sockets|threads|tmp|switches|contiguous|licenses)|-[BGLS]([ =]|$)"
)
"""Options of sbatch that concern the workers' nodes, and not a scheduler."""
_MOST_LETTERS = 100
_WORD = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+@-]*")
_WORDS = re.compile(rf"{_WORD.pattern}(,{_WORD.pattern})*")
_MODULE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+@/:=-]{0,199}")
_PATH = re.compile(r"/[A-Za-z0-9_.+@=:,/-]{0,999}")
_DIRECTIVE = re.compile(r"(--[a-z][a-z-]*|-[A-Za-z])([= ].*)?")
_OURS = frozenset({
    "-J", "--job-name", "-o", "--output", "-e", "--error", "-i", "--input", "-a", "--array", "-W", "--wait", "--wrap",
    "--parsable", "--test-only", "--requeue", "--no-requeue", "-n", "--ntasks", "--ntasks-per-node", "-N", "--nodes",
    "--open-mode", "--export", "--export-file", "--het-group", "--uid", "--gid", "-H", "--hold", "-h", "--help",
    "--usage", "-V", "--version", "--signal",
})  # fmt: skip
"""Options of sbatch that the cluster sets itself, or that would make it lose its jobs."""
_CLUSTERS = "--clusters"  # Submits a job to another cluster of the site, where the other commands do not see it.
_OF_JOBS = re.compile(r"SLURM_(JOB_?ID|JOB_NAME|NODEID|CPUS_ON_NODE|MEM_PER_\w+)|SLURMD_NODENAME")
"""Variables that describe a job to itself."""
_FIELDS_OF = {
    "-p": "partition", "--partition": "partition", "-A": "account", "--account": "account", "-q": "qos",
    "--qos": "qos", "-t": "walltime", "--time": "walltime", "-c": "cores", "--cpus-per-task": "cores",
    "--mem": "memory_limit", "-C": "constraint", "--constraint": "constraint", "--mem-per-gpu": "memory_per_gpu",
}  # fmt: skip
"""Options of sbatch that have their own field."""
_shown = partial(option, "Slurm")
_advanced = partial(advanced, "Slurm")


def _lines(value: Any) -> Any:
    """Read a list, or text with one entry per line."""
    if isinstance(value, str):
        return [line.strip() for line in value.splitlines() if line.strip()]
    return value


Lines = Annotated[list[str], BeforeValidator(_lines)]
Features = Annotated[
    str,
    matching(
        r"[A-Za-z0-9_.:*&|!,()\[\]-]{1,200}",
        "must be features as sbatch reads them, such as 'a100&nvlink', without spaces",
    ),
]


class SlurmSpec(NodeSpec, GPUSpec):
    """Workers in jobs of Slurm, one or several in each."""

    backend: Literal["slurm"] = Field("slurm", title="Kind", description="Workers on this site's nodes, in Slurm jobs.")
    n_workers: WorkerCountOrZero | None = number_of_workers("those of one job: one, or one for each of its GPUs")
    partition: str | None = _shown("Partition", None, "Partition that the jobs wait in. Default: chosen by Slurm.")
    account: str | None = _shown("Account", None, "Account that jobs are charged to. Default: your default account.")
    qos: str | None = _advanced("Quality of service", None, "QOS of the jobs. Default: your default QOS.")
    walltime: str = _shown(
        "Job time limit",
        DEFAULT_WALLTIME,
        "In Slurm's format: '00:30:00', '2-12:00:00', or minutes. Before it ends, results move to other workers and a "
        "new job is submitted.",
    )
    gpus_per_node: Annotated[int, Field(strict=True, ge=0, le=16)] = _shown(
        "GPUs per node", 0, "GPUs of a job on each of its nodes; each GPU gets a worker (dask-cuda). 0: CPU workers."
    )
    workers_per_job: Annotated[int, Field(strict=True, ge=1, le=256)] | None = _advanced(
        "CPU workers per job", None, "Default: one on each of its nodes. With GPUs: one for each GPU."
    )
    nodes_per_job: Annotated[int, Field(strict=True, ge=1, le=64)] = _advanced(
        "Nodes per job", 1, "For sites that grant only jobs of several nodes. Cores, GPUs and memory are per node."
    )
    exclusive: bool = _advanced(
        "Whole nodes",
        False,
        "Jobs have their nodes to themselves ('--exclusive'). All jobs then have the same number of workers; "
        "otherwise the last one may have fewer.",
    )
    gpu_type: str | None = _advanced(
        "GPU type", None, "Type of the GPUs, by the site's name, such as 'a100'. Default: any."
    )
    cores: Annotated[int, Field(strict=True, ge=1, le=1024)] | None = _advanced(
        "Cores per job", None, "CPU cores of a job on each of its nodes. Default: as many as its workers have threads."
    )
    memory_limit: MemorySizeOrAuto | None = option(
        "Memory",
        "Host memory per worker",
        "auto",
        "Host memory of each worker of a job: a size ('2 GiB'), 'auto' for its share of what the partition gives the "
        "job, or none (or 0): as 'auto', without a limit in Dask.",
    )
    memory_per_gpu: MemorySize | None = advanced(
        "Memory", "Host memory per GPU", None, "Instead of the memory per job, for sites that require '--mem-per-gpu'."
    )
    constraint: Features | None = _advanced("Features", None, "Of nodes to use ('--constraint'): 'a100&nvlink'.")
    directives: Lines = _advanced(
        "More sbatch options",
        list,
        "One per line, such as '--reservation=school' or '--mail-type=END'; each becomes a line of '#SBATCH'. In a "
        "shell: --directives=--mail-type=END.",
    )
    modules: Lines = advanced("Job", "Modules", list, "Loaded first in a job, one per line, such as 'cuda/12.4'.")
    job_script_prologue: Lines = advanced(
        "Job",
        "Job prologue",
        list,
        "Shell commands that a job runs before its worker, such as 'source ~/env/bin/activate'. Slurm keeps them: no "
        "passwords here.",
    )
    image: str | None = advanced("Job", "Apptainer image", None, "Absolute path of the worker's image, or its folder.")
    python: str | None = advanced(
        "Job",
        "Python on the nodes",
        None,
        "Absolute path of the Python that runs the worker. Default: the cluster's own; in an image 'python3'.",
    )
    job_name: str = advanced("Job", "Job name", "gpucluster", "Prefix of the jobs' names, before id and number.")
    shared_directory: str | None = advanced(
        "Job",
        "Shared directory",
        None,
        "Absolute path of a directory that the nodes can also access; credentials (for you only) and the jobs' output "
        "go there. Default: '.gpucluster/slurm' in your home directory.",
    )
    shared_storage: bool = advanced(
        "Job",
        "Shared storage",
        True,
        "Whether the nodes can access that directory. If not, each job gets its credentials through srun when it "
        "starts, and keeps them in a private folder of /tmp while it runs.",
    )
    scheduler: Literal["here", "job"] = advanced(
        "Scheduler",
        "Scheduler",
        "here",
        "'here': in the cluster's process, on this node. 'job': in a separate job, for sites that end long processes "
        "on this node. The cluster runs as soon as that job has started.",
    )
    scheduler_partition: str | None = advanced("Scheduler", "Scheduler partition", None, "Default: the workers'.")
    scheduler_walltime: str | None = advanced(
        "Scheduler",
        "Scheduler time limit",
        None,
        "The cluster ends with it. Default: a day, or what its partition allows, if that is less.",
    )
    scheduler_cores: Annotated[int, Field(strict=True, ge=1, le=1024)] = advanced(
        "Scheduler", "Scheduler cores", 1, "CPU cores of its job."
    )
    scheduler_memory: MemorySize = advanced("Scheduler", "Scheduler memory", 2 * 2**30, "Host memory of its job.")

    @property
    def walltime_seconds(self) -> int:
        return walltime_seconds(self.walltime)

    @property
    def workers_in_job(self) -> int:
        """Workers of one job: they come and go together."""
        if self.gpus_per_node:
            return self.gpus_per_node * self.nodes_per_job
        return self.workers_per_job or self.nodes_per_job

    @property
    def workers_on_node(self) -> int:
        return self.workers_in_job // self.nodes_per_job

    @property
    def whole_jobs(self) -> bool:
        """Whether all jobs have the same number of workers, so that there is a multiple of that."""
        return self.nodes_per_job > 1 or self.takes_whole_nodes

    @property
    def takes_whole_nodes(self) -> bool:
        return self.exclusive or "--exclusive" in self.directives

    @property
    def workers_step(self) -> int:
        return self.workers_in_job if self.whole_jobs else 1

    @property
    def cores_on_node(self) -> int:
        return self.cores or self.threads_per_worker * self.workers_on_node

    @property
    def memory_on_node(self) -> int | None:
        """Bytes of host memory of one job on each of its nodes, if the spec has a limit."""
        return self.memory_limit * self.workers_on_node if isinstance(self.memory_limit, int) else None

    @property
    def of_scheduler(self) -> Self:
        """The spec of the scheduler's job, as if it were a job with one worker."""
        changes: dict[str, Any] = dict.fromkeys(_OF_WORKERS)
        changes |= {"gpus_per_node": 0, "nodes_per_job": 1, "exclusive": False, "threads_per_worker": 1}
        changes["directives"] = [line for line in self.directives if not _OF_NODES.match(line)]
        changes |= {"cores": self.scheduler_cores, "memory_limit": self.scheduler_memory}
        changes["partition"] = self.scheduler_partition or self.partition
        changes["walltime"] = self.scheduler_walltime or DEFAULT_SCHEDULER_WALLTIME
        return self.model_copy(update=changes)

    def with_workers(self, count: int) -> Self:
        if count == self.workers_in_job:
            return self
        changes: dict[str, Any] = {"gpus_per_node": count} if self.gpus_per_node else {"workers_per_job": count}
        if self.cores is not None:
            changes["cores"] = -(-self.cores * count // self.workers_in_job)
        return self.model_copy(update=changes)

    @model_validator(mode="before")
    @classmethod
    def _earlier_name(cls, value: Any) -> Any:
        """Accept ``gpus_per_job``, the earlier name of ``gpus_per_node``."""
        if isinstance(value, Mapping) and "gpus_per_job" in value and "gpus_per_node" not in value:
            return {"gpus_per_node" if name == "gpus_per_job" else name: given for name, given in value.items()}
        return value

    @field_validator("partition", "account", "qos", "gpu_type", "job_name", "scheduler_partition")
    @classmethod
    def _words(cls, value: str | None, info: Any) -> str | None:
        pattern = _WORDS if info.field_name in {"partition", "scheduler_partition"} else _WORD
        if value is not None and not pattern.fullmatch(value):
            raise ValueError(
                "may contain only letters, digits, '_', '.', '+', '@' and '-', and must not begin with '-'"
            )
        if (longest := max(map(len, (value or "").split(",")))) > _MOST_LETTERS:
            raise ValueError(f"may have at most {_MOST_LETTERS} characters, not {longest}")
        return value

    @field_validator("walltime", "scheduler_walltime", mode="before")
    @classmethod
    def _time(cls, value: Any) -> Any:
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if isinstance(value, str):
            value = value.strip()
            seconds = walltime_seconds(value)
            if seconds < 60:
                raise ValueError("must be a minute or more, as Slurm counts in minutes; '30' means 30 minutes")
            if seconds > 366 * 86400:
                raise ValueError("must be a year or less")
        return value

    @field_validator("directives", "job_script_prologue", "modules")
    @classmethod
    def _one_line_each(cls, value: list[str]) -> list[str]:
        if len(value) > MOST_LINES:
            raise ValueError(f"may have at most {MOST_LINES} lines")
        for line in value:
            if not line.strip() or not line.isprintable() or len(line) > 1000:
                raise ValueError(f"{printable(line, 40)!r} is not one line of text")
        return value

    @field_validator("directives")
    @classmethod
    def _options(cls, value: list[str]) -> list[str]:
        for line in value:
            found = _DIRECTIVE.fullmatch(line)
            if not found:
                raise ValueError(f"{printable(line, 40)!r} is not an option of sbatch, such as '--mail-type=END'")
            if any(name == found[1] or (name.startswith(found[1]) and len(found[1]) > 2) for name in _OURS):
                raise ValueError(f"{found[1]} is set by gpucluster, or abbreviates such an option")
            if found[1] == "-M" or (len(found[1]) > 4 and _CLUSTERS.startswith(found[1])):
                raise ValueError(
                    f"{found[1]} would send jobs where gpucluster cannot monitor them: set SLURM_CLUSTERS before "
                    "Jupyter starts instead"
                )
            if found[1] in _FIELDS_OF:
                raise ValueError(f"{found[1]} has its own field: {_FIELDS_OF[found[1]]}")
        return value

    @field_validator("env")
    @classmethod
    def _no_job_variables(cls, value: dict[str, str] | None) -> dict[str, str] | None:
        if ours := next(filter(_OF_JOBS.fullmatch, value or ()), None):
            raise ValueError(f"{ours} is set by Slurm in each job, and cannot be changed")
        return value

    @field_validator("modules")
    @classmethod
    def _modules(cls, value: list[str]) -> list[str]:
        if wrong := [name for name in value if not _MODULE.fullmatch(name)]:
            raise ValueError(f"{printable(wrong[0], 40)!r} is not the name of a module, such as 'cuda/12.4'")
        return value

    @field_validator("image", "python", "shared_directory", "local_directory", "rmm_log_directory")
    @classmethod
    def _plain_path(cls, value: str | None) -> str | None:
        if value is not None and (not _PATH.fullmatch(value) or "/../" in f"{value}/"):
            raise ValueError("must be an absolute path of letters, digits and '_.+@=:,-' only")
        return value

    @model_validator(mode="after")
    def _combinations(self) -> Self:
        for name in ("gpu_type", "memory_per_gpu"):
            if getattr(self, name) is not None and not self.gpus_per_node:
                raise ValueError(f"{name} needs GPUs: set gpus_per_node")
        if self.gpus_per_node and self.workers_per_job not in {None, self.workers_in_job}:
            raise ValueError("workers_per_job is for CPU workers: with GPUs a job has one for each; omit it")
        if self.exclusive and any(line.startswith("--exclusive") for line in self.directives):
            raise ValueError("directives: --exclusive has its own field: exclusive")
        if self.workers_per_job is not None and self.workers_per_job % self.nodes_per_job:
            raise ValueError(
                f"workers_per_job is {self.workers_per_job}, and nodes_per_job {self.nodes_per_job}: each node runs "
                "the same number of workers; use a multiple"
            )
        if fault := not_whole_jobs(self.n_workers, self.workers_step):
            raise ValueError(f"n_workers: {fault}")
        if self.memory_per_gpu is not None and self.memory_limit not in {"auto", None}:
            raise ValueError("memory_limit and memory_per_gpu cannot be combined; choose one")
        if isinstance(self.scheduler_memory, float):
            raise ValueError("scheduler_memory must be a size, such as '2 GiB'")
        if self.scheduler == "here" and (of_job := not_at_default(self, _OF_SCHEDULER_JOB)):
            raise ValueError(f"{of_job} is for a scheduler in a separate job: set scheduler='job'")
        if isinstance(self.memory_per_gpu, float):
            raise ValueError("memory_per_gpu must be a size, such as '60 GiB'")
        if not self.gpus_per_node and (chosen := self.chosen_gpu_options()):
            raise ValueError(f"{chosen[0]} is for workers with a GPU: set gpus_per_node")
        threads = self.threads_per_worker * self.workers_on_node
        if self.cores is not None and self.cores < threads:
            who = "the worker has" if self.workers_on_node == 1 else "the job's workers have"
            raise ValueError(f"cores is {self.cores}, but {who} {threads} threads; request more cores")
        return self
