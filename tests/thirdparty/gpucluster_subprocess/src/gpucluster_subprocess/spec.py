"""The options of the kind."""

from typing import Annotated, Literal

from gpucluster.protocol.spec import SpecBase, shown_in
from pydantic import Field


class SubprocessSpec(SpecBase):
    """Workers that wait in a queue."""

    backend: Literal["subprocess"] = Field(
        "subprocess", title="Kind", description="Workers that wait in a queue, as separate processes."
    )
    queue: Literal["short", "long"] = Field(
        "short", title="Queue", description="Where the workers wait.", json_schema_extra=shown_in("Queue")
    )
    queue_seconds: Annotated[int, Field(strict=True, ge=0, le=3600)] = Field(
        0,
        title="Waiting time",
        description="Seconds that each worker waits before it starts.",
        json_schema_extra=shown_in("Queue", advanced=True),
    )
    nannies: bool = Field(
        False,
        title="Nannies",
        description="Have each worker watched by a process that can restart it.",
        json_schema_extra=shown_in("Queue", advanced=True),
    )
