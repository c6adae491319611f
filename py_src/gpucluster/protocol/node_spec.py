"""The options of kinds whose workers run on other machines, beside those that every kind has."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import Field, field_validator

from .machine_spec import MachineSpec
from .sizes import MemorySizeOrAuto
from .spec_base import Interface, shown_in


class NodeSpec(MachineSpec):
    """Options of kinds whose workers are started by us on other machines; the scheduler is on this one."""

    forked: ClassVar[bool] = False

    memory_limit: MemorySizeOrAuto | None = Field(
        "auto",
        title="Host memory per worker",
        description="Host memory of one worker: a size ('2 GiB'), 'auto' for its share of what there is where it "
        "runs, or none (also 0) for no limit.",
        json_schema_extra=shown_in("Memory"),
    )
    local_directory: str | None = Field(
        None,
        title="Scratch directory",
        description="Absolute path of a directory on a local disk of the workers' machines, for spilled data. A "
        "private folder is made inside.",
        json_schema_extra=shown_in("Memory", advanced=True),
    )
    interface: Interface | None = Field(
        None,
        title="Network interface",
        description="Interface of this machine that the cluster listens on, such as 'ib0': for UCX, and for workers on "
        "other machines. Left out: this machine only, or the one that leads to them.",
        json_schema_extra=shown_in("Network"),
    )
    protocol: Literal["tls", "tcp"] = Field(
        "tls",
        title="Network",
        description="'tls' encrypts, and lets only you connect. 'tcp' is open: anyone who can reach one of these "
        "machines can run code as you.",
        json_schema_extra=shown_in("Network", advanced=True),
    )

    @field_validator("memory_limit")
    @classmethod
    def _absolute_size(cls, value: Any) -> Any:
        if isinstance(value, float):
            raise ValueError("must be a size, such as '2 GiB', not a share: machines differ")
        return value
