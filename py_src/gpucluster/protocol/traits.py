"""What kinds of clusters differ in, as data: no part of the product asks a kind for its name."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field


class Verb(StrEnum):
    """What a living cluster may be asked for, besides to stop."""

    SCALE = "scale"
    ADAPT = "adapt"
    RETIRE = "retire"
    RESTART = "restart"


class Traits(BaseModel):
    """What is known about a kind of cluster before there is one."""

    model_config = ConfigDict(frozen=True, extra="forbid", json_schema_serialization_defaults_required=True)

    has_gpus: bool = Field(False, description="Whether each of its workers has a GPU.")
    needs_host_check: bool = Field(
        False, description="Whether the GPUs of the machine that starts it decide about its start."
    )
    this_machine: bool = Field(True, description="Whether its workers run on the machine that starts it.")
    queues: bool = Field(False, description="Whether workers may wait in a queue before they start.")
    chooses: tuple[str, ...] = Field((), description="Kinds out of which it chooses one, when it starts.")
    default_workers: int | None = Field(
        None,
        description="How many workers it has at most where their number is left open; null: the kind finds out, "
        "as from the GPUs.",
    )
