"""What a measurement found out, as it is written to a file."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from .errors import UnreadableResult
from .statistics import Spread, spread_of

FORMAT = 1


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class HostFacts(_Model):
    """Computers of one kind that workers ran on."""

    count: int = Field(description="So many computers of this kind.")
    n_workers: int = Field(description="Workers on all of them when all workers were there.")
    cpu_model: str | None = None
    cpus: int = Field(description="CPUs that one worker may use.")
    memory_bytes: int
    gpus: list[str] = Field(default_factory=list, description="Names of the GPUs of the workers.")
    system: str
    load_before: float | None = Field(None, description="Mean number of running processes in the minute before.")


class ClusterFacts(_Model):
    """The cluster that was measured."""

    name: str
    backend: str = Field(description="'local', 'cuda', or 'other' for one that gpucluster did not start.")
    protocol: str = Field(description="How workers talk: 'tls', 'tcp' or 'ucx'.")
    n_workers: list[int] = Field(description="Numbers of workers that were measured.")
    threads_per_worker: int
    memory_limit_bytes: int | None = Field(None, description="Of the smallest worker; null: no limit.")
    mpi: bool = Field(False, description="Whether the workers are processes of one MPI program.")
    arrays: str = "numpy"
    frames: str = "pandas"


class Measurement(_Model):
    """One workload on so many workers."""

    workload: str
    title: str
    size: str
    parameters: dict[str, int]
    n_workers: int
    n_blocks: int
    seconds: list[float] = Field(description="Of each run that counts, in order.")
    warm_up_seconds: float
    prepare_seconds: float
    amount: float | None = Field(None, description="How much one run works through, in 'unit'.")
    unit: str
    scales: bool
    check: float = Field(description="A number that depends on the whole result.")

    @property
    def spread(self) -> Spread:
        """Median, quartiles and ends of the times."""
        return spread_of(self.seconds)

    @property
    def rate(self) -> float | None:
        """How much of ``unit`` a second of the median run."""
        return None if self.amount is None else self.amount / self.spread.median


class LeftOut(_Model):
    """A workload that was not measured on so many workers, and why."""

    workload: str
    n_workers: int
    why: str
    failed: bool = Field(description="Whether it was tried.")


class BenchResult(_Model):
    """Everything that one measurement found out."""

    format: Literal[1] = 1
    started_at: str
    wall_seconds: float
    complete: bool = Field(True, description="False: somebody interrupted it before everything was measured.")
    cluster: ClusterFacts
    hosts: list[HostFacts]
    versions: dict[str, str]
    settings: dict[str, str] = Field(default_factory=dict, description="Environment of the workers that matters.")
    n_repeats: int
    measurements: list[Measurement]
    left_out: list[LeftOut] = Field(default_factory=list)
    notes: list[str] = Field(default_factory=list)

    def save(self, path: Path) -> None:
        """Write everything as JSON."""
        path.write_text(self.model_dump_json(indent=2) + "\n", encoding="utf-8")


def load(path: str | Path) -> BenchResult:
    """Read a file that ``gpucluster bench`` has written.

    Raises
    ------
    UnreadableResult
        There is no such file, or it is something else.
    """
    try:
        text = Path(path).read_bytes()
    except OSError as error:
        raise UnreadableResult(f"{path} cannot be read: {error.strerror or error}.") from None
    try:
        return BenchResult.model_validate_json(text)
    except ValidationError:
        raise UnreadableResult(
            f"{path} is no result of this version of 'gpucluster bench'. Give the JSON file that it has written."
        ) from None
