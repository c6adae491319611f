"""Links to a read-only view of a cluster, and what they show.

What is not listed here is not shown: no spec, no log, no path, no address, no process, no other user's name.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import BeforeValidator, Field

from .errors import parsed
from .models import ClusterModel, ClusterState, WorkerModel
from .telemetry import TelemetrySample, WireModel

DEFAULT_HOURS = 2.0
MOST_HOURS = 24.0
LEAST_HOURS = 1 / 60
MOST_LINKS = 20  # Of one cluster, at a time.


def _a_minute(hours: object) -> object:
    # The bound as a fraction of an hour would be hard to read.
    if isinstance(hours, (int, float)) and not isinstance(hours, bool) and hours < LEAST_HOURS:
        given = f", not {hours:g}" if hours > -1e6 else ""
        raise ValueError(f"must be at least 1 minute (0.0167){given}")
    return hours


LinkHours = Annotated[
    float, Field(strict=True, ge=LEAST_HOURS, le=MOST_HOURS, allow_inf_nan=False), BeforeValidator(_a_minute)
]
"""How long a link lasts."""


class LinkRequest(WireModel):
    """Properties of a new link."""

    hours: LinkHours = Field(DEFAULT_HOURS, description="Hours until it expires.")
    tasks: bool = Field(False, strict=True, description="Whether it shows task names too, as in the task stream.")
    public: bool = Field(False, strict=True, description="Whether it works without the hub's login; sites allow it.")


class LinkViewer(WireModel):
    """A logged-in viewer."""

    name: str
    opened: int = Field(description="Number of times.")
    last_opened_at: str


class SharedLink(WireModel):
    """A link to a read-only view of a cluster, without its secret."""

    id: str = Field(description="Id among the links of its cluster; it opens nothing.")
    created_at: str
    ends_at: str
    by: str | None = Field(None, description="User who made it.")
    tasks: bool = False
    public: bool = False
    opened: int = Field(0, description="How many times it was opened.")
    last_opened_at: str | None = None
    viewers: list[LinkViewer] = Field(default_factory=list, description="Logged-in viewers; the last twenty.")


class SharedLinks(WireModel):
    """The active links of a cluster."""

    id: str = Field(description="Cluster.")
    links: list[SharedLink]


class NewLink(WireModel):
    """A new link, with its secret, which is returned only once."""

    link: SharedLink
    path: str = Field(repr=False, description="Below the base address of Jupyter. Secret: anyone with it can view.")
    url: str | None = Field(None, repr=False, description="The whole address, if the Jupyter server is known.")
    notes: list[str] = Field(default_factory=list, description="Notes about it.")


class SharedPage(WireModel):
    """A page of Dask's dashboard that a link shows."""

    path: str
    title: str


class SharedCluster(WireModel):
    """A cluster as a link shows it."""

    id: str
    name: str
    state: ClusterState
    backend_title: str
    n_workers: int
    workers: list[WorkerModel] = Field(description="Workers, without their address and process.")


class SharedHello(WireModel):
    """First message of the stream of a shared view."""

    kind: Literal["hello"] = "hello"
    cluster: SharedCluster
    ends_at: str = Field(description="When the link ends.")
    now: str = Field(description="The server's clock.")
    pages: list[SharedPage] = Field(description="Pages of the dashboard that can be seen.")


class SharedChanged(WireModel):
    """The cluster has changed."""

    kind: Literal["cluster"] = "cluster"
    cluster: SharedCluster


class SharedTelemetry(WireModel):
    """A sample."""

    kind: Literal["telemetry"] = "telemetry"
    sample: TelemetrySample


class SharedOver(WireModel):
    """The last message."""

    kind: Literal["over"] = "over"
    message: str = Field(description="Why the cluster can no longer be viewed.")


SharedEvent: TypeAlias = Annotated[
    SharedHello | SharedChanged | SharedTelemetry | SharedOver, Field(discriminator="kind")
]
"""A message of the stream of a shared view."""


def parse_link_request(given: LinkRequest | dict[str, object] | bytes) -> LinkRequest:
    """Return the request, checked. Raises `InvalidRequest`."""
    return parsed(LinkRequest, given)


def shown_cluster(model: ClusterModel) -> SharedCluster:
    """Return what a link shows of a cluster."""
    shown = {name: getattr(model, name) for name in SharedCluster.model_fields}
    shown["workers"] = [worker.model_copy(update={"address": None, "pid": None}) for worker in model.workers]
    return SharedCluster(**shown)
