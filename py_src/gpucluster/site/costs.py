"""What the site charges for a cluster while it runs."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

Rate = Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)]


class Costs(BaseModel):
    """Rates of one kind of cluster; what is charged is their sum."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    unit: str = Field(min_length=1, max_length=30, description="What is charged in, such as 'node-hours'.")
    per_gpu_hour: Rate = Field(0.0, description="For each worker that has a GPU.")
    per_cpu_hour: Rate = Field(0.0, description="For each core of each worker.")
    per_node_hour: Rate = Field(0.0, description="For each machine that has workers of the cluster.")

    @model_validator(mode="after")
    def _some(self) -> Self:
        if not (self.per_gpu_hour or self.per_cpu_hour or self.per_node_hour):
            raise ValueError("give per_gpu_hour, per_cpu_hour or per_node_hour")
        return self

    def per_hour(self, *, gpus: int, cores: int, nodes: int) -> float:
        """Return what an hour costs."""
        return self.per_gpu_hour * gpus + self.per_cpu_hour * cores + self.per_node_hour * nodes
