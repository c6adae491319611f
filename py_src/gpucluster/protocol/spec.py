"""Requests for clusters of all kinds; the model of each kind is in its folder (``backends/slurm/spec.py``, …).

These models validate REST bodies, magics, the command line and presets, define the creation form (JSON Schema) and have
the help texts of all interfaces.
"""

from __future__ import annotations

from typing import Annotated, Any, Self

from pydantic import BaseModel, Field, model_validator

from .errors import parsed
from .kinds import parse_spec
from .machine_spec import GPUSpec, MachineSpec, NodeSpec, ScratchSpec
from .spec_base import MAX_WORKERS, MOST_SECONDS, SpecBase, UnknownSpec, WorkerCount, WorkerCountOrZero, shown_in
from .telemetry import WireModel

__all__ = [
    "MAX_WORKERS", "Adapt", "ClusterPatch", "GPUSpec", "MachineSpec", "NodeSpec", "ScratchSpec", "SpecBase",
    "UnknownSpec", "parse_patch", "parse_spec", "shown_in",
]  # fmt: skip


class Adapt(WireModel, json_schema_serialization_defaults_required=False):  # Most requests only have the bounds.
    """Adapt the number of workers to the load."""

    minimum: WorkerCountOrZero = Field(description="Minimum number of workers.")
    maximum: WorkerCount = Field(description="Maximum number of workers.")
    interval_seconds: Annotated[float, Field(strict=True, ge=0.01, le=3600)] | None = Field(
        None, description="Seconds between two checks of the load; none: Dask's own setting, a second."
    )
    wait_count: Annotated[int, Field(strict=True, ge=1, le=100_000)] | None = Field(
        None, description="Checks in a row that must find a worker unneeded before it is retired; none: Dask's own, 3."
    )
    target_duration_seconds: Annotated[float, Field(strict=True, ge=0.001, le=86400)] | None = Field(
        None, description="Seconds that waiting tasks may take: lower values start more workers; none: Dask's own, 5."
    )

    @model_validator(mode="after")
    def _order(self) -> Self:
        if self.minimum > self.maximum:
            raise ValueError(f"minimum ({self.minimum}) must not be larger than maximum ({self.maximum})")
        return self


class ClusterPatch(BaseModel, frozen=True, extra="forbid"):
    """A change to a running cluster: exactly one of the fields."""

    n_workers: WorkerCountOrZero | None = Field(None, description="Scale to this number of workers.")
    adapt: Adapt | None = Field(None, description="Adapt the number of workers to the load.")
    idle_timeout_seconds: Annotated[int, Field(strict=True, ge=0, le=MOST_SECONDS)] | None = Field(
        None, description="Idle time in seconds after which the cluster stops; 0 turns it off."
    )

    @model_validator(mode="before")
    @classmethod
    def _one(cls, value: Any) -> Any:
        if isinstance(value, dict):
            for field in value:
                if field in cls.model_fields and value[field] is None:
                    raise ValueError(f"{field} must not be empty")
            known = [field for field in value if field in cls.model_fields]
            if len(known) != 1 and not (set(value) - set(known)):
                raise ValueError("pass exactly one of n_workers, adapt and idle_timeout_seconds")
        return value


def parse_patch(value: Any) -> ClusterPatch:
    """Validate a change to a running cluster. Raises `InvalidRequest` with a message per field."""
    return parsed(ClusterPatch, value)
