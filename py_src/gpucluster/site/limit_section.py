"""One entry of the section ``limits``, and what holds where it cannot be read."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field

from ..protocol.durations import walltime_seconds
from ..protocol.sizes import MemorySize
from .limits import SiteLimits
from .tolerant_reading import NothingEmpty

LEAST = SiteLimits(
    n_workers=1, threads_per_worker=1, idle_timeout_seconds=600, memory_limit=2**30, walltime=600, where="at this site"
)
"""What holds where a limit cannot be read."""

MOST = 10**9
"""More than anybody has of anything; what is above it is a slip."""
Count = Annotated[int, Field(strict=True, ge=1, le=MOST)]


def must_be_size(value: int | float) -> int | float:
    """Refuse a share."""
    if isinstance(value, float):
        raise ValueError("must be a size such as '4 GiB', not a share: machines differ")
    return value


def _minutes(value: Any) -> Any:
    return str(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else value


def _must_be_time(value: str) -> str:
    if value.lower() in {"unlimited", "infinite"}:
        raise ValueError("must be a time such as 24:00:00; for no limit, leave the line out")
    if not walltime_seconds(value):
        raise ValueError("must be more than no time; for no limit, leave the line out")
    return value


Time = Annotated[str, BeforeValidator(_minutes), AfterValidator(_must_be_time)]
"""A time as Slurm writes it; a whole number are minutes."""


def _some_kinds(value: list[str]) -> list[str]:
    if not value:
        raise ValueError("must name at least one kind, such as 'local'; leave it out to allow all")
    return value


class Limits(NothingEmpty):
    """The limits of one kind, or of all."""

    n_workers: Count | None = Field(None, description="Most workers of a cluster.")
    threads_per_worker: Count | None = Field(
        None, description="Most threads of a worker, and cores of a scheduler's job."
    )
    memory_limit: Annotated[MemorySize, AfterValidator(must_be_size)] | None = Field(
        None, description="Most host memory of a worker, or of a scheduler's job, such as '16 GiB'."
    )
    idle_timeout_seconds: Count | None = Field(None, description="Longest idle time, in seconds.")
    walltime: Time | None = Field(None, description="Longest time limit of a job, such as '24:00:00'.")
    kinds: Annotated[list[str], AfterValidator(_some_kinds)] | None = Field(
        None, description="The kinds of clusters that there are; under 'all'."
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


LEAST_HOLDS = (
    "Until it is fixed, clusters of {} have at most 1 worker with 1 thread and 1 GiB, 10 minutes idle and jobs of 10 "
    "minutes."
)
