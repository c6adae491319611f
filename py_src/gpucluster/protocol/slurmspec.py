"""What can be asked of Slurm."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, field_validator, model_validator

from .gpuspec import GPUSpec
from .jobsize import not_whole_jobs
from .nodespec import NodeSpec
from .plaintext import printable
from .sizes import MemorySize, MemorySizeOrAuto
from .specbase import shown_in

DEFAULT_WALLTIME = "01:00:00"
MOST_LINES = 50
_WORD = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+@-]{0,99}")
_WORDS = re.compile(rf"{_WORD.pattern}(,{_WORD.pattern})*")
_CONSTRAINT = re.compile(r"[A-Za-z0-9_.:*&|!,()\[\]-]{1,200}")
_MODULE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+@/:=-]{0,199}")
_PATH = re.compile(r"/[A-Za-z0-9_.+@=:,/-]{0,999}")
_DIRECTIVE = re.compile(r"(--[a-z][a-z-]*|-[A-Za-z])([= ].*)?")
_WALLTIME = re.compile(r"(?:(\d{1,4})-(\d{1,2})(?::(\d{1,2})(?::(\d{1,2}))?)?|(\d{1,6})(?::(\d{1,2})(?::(\d{1,2}))?)?)")
_OURS = frozenset({
    "-J", "--job-name", "-o", "--output", "-e", "--error", "-i", "--input", "-a", "--array", "-W", "--wait", "--wrap",
    "--parsable", "--test-only", "--requeue", "--no-requeue", "-n", "--ntasks", "--ntasks-per-node", "-N", "--nodes",
    "--open-mode", "--export", "--export-file", "--het-group", "--uid", "--gid", "-H", "--hold", "-h", "--help",
    "--usage", "-V", "--version", "--signal",
})  # fmt: skip
"""Options of sbatch that are the kind's own business, or that would make it lose its jobs."""
_FIELDS_OF = {
    "-p": "partition", "--partition": "partition", "-A": "account", "--account": "account", "-q": "qos",
    "--qos": "qos", "-t": "walltime", "--time": "walltime", "-c": "cores", "--cpus-per-task": "cores",
    "--mem": "memory_limit", "-C": "constraint", "--constraint": "constraint", "--mem-per-gpu": "memory_per_gpu",
}  # fmt: skip
"""Options of sbatch that have a field of their own."""


def walltime_seconds(text: str) -> int:
    """Return the seconds of a time limit as Slurm writes it: ``30``, ``30:00``, ``1:00:00``, ``2-12``, ``2-12:00:00``.

    Raises
    ------
    ValueError
        It is none; with the end of a sentence.
    """
    found = _WALLTIME.fullmatch(text)
    if not found:
        raise ValueError(
            f"{printable(text, 40)!r} is not a time limit: write minutes, '00:30:00' (hours, minutes, seconds) or "
            "'2-12:00:00' (with days)"
        )
    days, *after_days = found.group(1, 2, 3, 4)
    if days is not None:
        hours, minutes, seconds = (int(part or 0) for part in after_days)
        return ((int(days) * 24 + hours) * 60 + minutes) * 60 + seconds
    first, second, third = found.group(5, 6, 7)
    if third is not None:
        return (int(first) * 60 + int(second)) * 60 + int(third)
    return int(first) * 60 + int(second or 0)


def _lines(value: Any) -> Any:
    """Read a list, or text with one entry per line."""
    if isinstance(value, str):
        return [line.strip() for line in value.splitlines() if line.strip()]
    return value


Lines = Annotated[list[str], BeforeValidator(_lines)]


class SlurmSpec(NodeSpec, GPUSpec):
    """Workers in jobs of Slurm, one or several in each."""

    backend: Literal["slurm"] = Field(
        "slurm", title="Kind", description="Workers on the nodes of this site, in jobs of Slurm."
    )
    partition: str | None = Field(
        None,
        title="Partition",
        description="Partition that the jobs wait in. Left out: Slurm's default.",
        json_schema_extra=shown_in("Slurm"),
    )
    account: str | None = Field(
        None,
        title="Account",
        description="Account that the jobs are charged to. Left out: your default.",
        json_schema_extra=shown_in("Slurm"),
    )
    qos: str | None = Field(
        None,
        title="Quality of service",
        description="QOS of the jobs. Left out: your default.",
        json_schema_extra=shown_in("Slurm"),
    )
    walltime: str = Field(
        DEFAULT_WALLTIME,
        title="Time limit of a job",
        description="As Slurm writes it: '00:30:00', '2-12:00:00', or minutes. Before it is over, results go to "
        "others and a new job is asked for.",
        json_schema_extra=shown_in("Slurm"),
    )
    gpus_per_node: Annotated[int, Field(strict=True, ge=0, le=16)] = Field(
        0,
        title="GPUs per job",
        description="Each job is on one node, and has a worker for each of its GPUs (dask-cuda): 4 takes four GPUs of "
        "a node. 0: CPU workers.",
        json_schema_extra=shown_in("Slurm"),
    )
    workers_per_job: Annotated[int, Field(strict=True, ge=1, le=128)] | None = Field(
        None,
        title="CPU workers per job",
        description="Left out: one. With GPUs there is one for each.",
        json_schema_extra=shown_in("Slurm", advanced=True),
    )
    gpu_type: str | None = Field(
        None,
        title="Type of GPU",
        description="As the site calls it, such as 'a100'. Left out: any.",
        json_schema_extra=shown_in("Slurm"),
    )
    cores: Annotated[int, Field(strict=True, ge=1, le=1024)] | None = Field(
        None,
        title="Cores per job",
        description="CPU cores that a job gets. Left out: as many as its workers have threads.",
        json_schema_extra=shown_in("Slurm"),
    )
    memory_limit: MemorySizeOrAuto | None = Field(
        "auto",
        title="Host memory per worker",
        description="Host memory of each worker of a job: a size ('2 GiB'), 'auto' for its share of what the "
        "partition gives the job, or none (also 0): the same, and Dask watches over no limit.",
        json_schema_extra=shown_in("Memory"),
    )
    memory_per_gpu: MemorySize | None = Field(
        None,
        title="Host memory per GPU",
        description="In place of the memory per job, where the site wants it so ('--mem-per-gpu').",
        json_schema_extra=shown_in("Memory", advanced=True),
    )
    constraint: str | None = Field(
        None,
        title="Features",
        description="Features that nodes must have ('--constraint'), such as 'a100&nvlink'.",
        json_schema_extra=shown_in("Slurm", advanced=True),
    )
    directives: Lines = Field(
        default_factory=list,
        title="More options of sbatch",
        description="One per line, such as '--exclusive' or '--mail-type=END'; each becomes a line of '#SBATCH'. In a "
        "shell: --directives=--exclusive.",
        json_schema_extra=shown_in("Slurm", advanced=True),
    )
    modules: Lines = Field(
        default_factory=list,
        title="Modules",
        description="Environment modules that a job loads first, one per line, such as 'cuda/12.4'.",
        json_schema_extra=shown_in("Job", advanced=True),
    )
    job_script_prologue: Lines = Field(
        default_factory=list,
        title="Before the worker",
        description="Lines of shell that a job runs before its worker, such as 'source ~/env/bin/activate'. Slurm "
        "keeps them: no passwords here.",
        json_schema_extra=shown_in("Job", advanced=True),
    )
    image: str | None = Field(
        None,
        title="Apptainer image",
        description="Absolute path of an image, or of a folder, that the worker runs in.",
        json_schema_extra=shown_in("Job", advanced=True),
    )
    python: str | None = Field(
        None,
        title="Python on the nodes",
        description="Absolute path of the Python that runs the worker. Left out: the cluster's own; in an image "
        "'python3'.",
        json_schema_extra=shown_in("Job", advanced=True),
    )
    job_name: str = Field(
        "gpucluster",
        title="Name of the jobs",
        description="Beginning of the jobs' names; the cluster's id and a number follow.",
        json_schema_extra=shown_in("Job", advanced=True),
    )
    shared_directory: str | None = Field(
        None,
        title="Shared directory",
        description="Absolute path of a directory that the nodes see, too; credentials (for you only) and the "
        "jobs' output go there. Left out: '.gpucluster/slurm' in your home directory.",
        json_schema_extra=shown_in("Job", advanced=True),
    )

    @property
    def walltime_seconds(self) -> int:
        """The time limit of a job."""
        return walltime_seconds(self.walltime)

    @property
    def workers_in_job(self) -> int:
        """Workers of one job: they come and go together."""
        return self.gpus_per_node or self.workers_per_job or 1

    @property
    def cores_of_job(self) -> int:
        """CPU cores of one job."""
        return self.cores or self.threads_per_worker * self.workers_in_job

    @property
    def memory_of_job(self) -> int | None:
        """Bytes of host memory of one job, where somebody has said how many."""
        return self.memory_limit * self.workers_in_job if isinstance(self.memory_limit, int) else None

    @model_validator(mode="before")
    @classmethod
    def _earlier_name(cls, value: Any) -> Any:
        """Take ``gpus_per_job``, as it was called while it could be one only."""
        if isinstance(value, Mapping) and "gpus_per_job" in value and "gpus_per_node" not in value:
            return {"gpus_per_node" if name == "gpus_per_job" else name: given for name, given in value.items()}
        return value

    @field_validator("partition", "account", "qos", "gpu_type", "job_name")
    @classmethod
    def _words(cls, value: str | None, info: Any) -> str | None:
        pattern = _WORDS if info.field_name == "partition" else _WORD
        if value is not None and not pattern.fullmatch(value):
            raise ValueError("may have letters, digits, '_', '.', '+', '@' and '-' only, and must not begin with '-'")
        return value

    @field_validator("walltime", mode="before")
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

    @field_validator("constraint")
    @classmethod
    def _features(cls, value: str | None) -> str | None:
        if value is not None and not _CONSTRAINT.fullmatch(value):
            raise ValueError("must be features as sbatch reads them, such as 'a100&nvlink', without spaces")
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
                raise ValueError(f"{printable(line, 40)!r} is not an option of sbatch, such as '--exclusive'")
            if any(name == found[1] or (name.startswith(found[1]) and len(found[1]) > 2) for name in _OURS):
                raise ValueError(f"{found[1]} is set by the cluster itself, or short for such an option")
            if found[1] in _FIELDS_OF:
                raise ValueError(f"{found[1]} has a field of its own: {_FIELDS_OF[found[1]]}")
        return value

    @field_validator("modules")
    @classmethod
    def _modules(cls, value: list[str]) -> list[str]:
        for name in value:
            if not _MODULE.fullmatch(name):
                raise ValueError(f"{printable(name, 40)!r} is not the name of a module, such as 'cuda/12.4'")
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
        if self.gpus_per_node and self.workers_per_job not in {None, self.gpus_per_node}:
            raise ValueError("workers_per_job is for CPU workers: with GPUs a job has one for each; leave it out")
        if fault := not_whole_jobs(self.n_workers, self.workers_in_job):
            raise ValueError(f"n_workers: {fault}")
        if self.memory_per_gpu is not None and self.memory_limit not in {"auto", None}:
            raise ValueError("memory_limit and memory_per_gpu exclude each other; choose one")
        if isinstance(self.memory_per_gpu, float):
            raise ValueError("memory_per_gpu must be a size, such as '60 GiB'")
        if not self.gpus_per_node and (chosen := self.chosen_gpu_options()):
            raise ValueError(f"{chosen[0]} is for workers with a GPU: set gpus_per_node")
        threads = self.threads_per_worker * self.workers_in_job
        if self.cores is not None and self.cores < threads:
            who = "the worker has" if self.workers_in_job == 1 else "the job's workers have"
            raise ValueError(f"cores is {self.cores}, and {who} {threads} threads; ask for more cores")
        return self
