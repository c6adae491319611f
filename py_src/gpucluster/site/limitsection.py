"""One entry of the section ``limits``, and what holds where it cannot be read."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from ..protocol.sizes import MemorySize
from ..protocol.slurmspec import walltime_seconds
from .limits import SiteLimits

LEAST = SiteLimits(
    n_workers=1, threads_per_worker=1, idle_timeout_seconds=600, memory_limit=2**30, walltime=600, where="at this site"
)
"""What holds where a limit cannot be read."""

Count = Annotated[int, Field(strict=True, ge=1)]


def _size(value: int | float) -> int | float:
    if isinstance(value, float):
        raise ValueError("must be a size such as '4 GiB': a share of what, when machines differ?")
    return value


def _time(value: str) -> str:
    walltime_seconds(value)
    return value


class Limits(BaseModel):
    """The limits of one kind, or of all."""

    model_config = ConfigDict(extra="forbid")

    n_workers: Count | None = Field(None, description="Most workers of a cluster.")
    threads_per_worker: Count | None = Field(None, description="Most threads of a worker.")
    memory_limit: Annotated[MemorySize, AfterValidator(_size)] | None = Field(
        None, description="Most host memory of a worker, such as '16 GiB'."
    )
    idle_timeout_seconds: Count | None = Field(None, description="Longest idle time, in seconds.")
    walltime: Annotated[str, AfterValidator(_time)] | None = Field(
        None, description="Longest time limit of a job, such as '24:00:00'."
    )
    kinds: list[str] | None = Field(
        None, min_length=1, description="The kinds of clusters that there are; under 'all'."
    )

    def narrowed(self) -> SiteLimits:
        """Return them as they are applied."""
        return SiteLimits(
            n_workers=self.n_workers,
            threads_per_worker=self.threads_per_worker,
            idle_timeout_seconds=self.idle_timeout_seconds,
            memory_limit=int(self.memory_limit) if self.memory_limit is not None else None,
            walltime=walltime_seconds(self.walltime) if self.walltime is not None else None,
            backends=tuple(self.kinds) if self.kinds is not None else None,
            where="at this site",
        )


LEAST_HOLDS = "Until it is mended, clusters of {} have at most 1 worker with 1 thread and 1 GiB."
