"""Which cluster a profile measures, and how to reach its scheduler."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..client.api import connect
from ..client.control import AsyncControl
from ..client.handle import ClusterHandle
from ..dask_internals.loops import shares_running_loop
from ..protocol.errors import ClusterNotFound, GPUClusterError, InvalidRequest, InvalidState

if TYPE_CHECKING:
    from distributed import Client

_NOTHING = (
    "There is no cluster to measure. Name one, connect first ('%gpucluster connect'), or make a distributed.Client."
)


@dataclass(frozen=True)
class Target:
    """A scheduler to ask."""

    label: str
    address: str
    security: Any
    id: str | None = None
    """Id of the cluster when it is one of gpucluster's: then it has telemetry."""


def find_target(cluster: ClusterHandle | Client | str | None, connected: Client | None = None) -> Target:
    """Find the cluster to measure.

    Parameters
    ----------
    cluster : Cluster, distributed.Client, str or None
        A handle, a client, a name or an id; None: the connected one, or that of Dask's current client.
    connected : distributed.Client, optional
        The client that ``%gpucluster connect`` made.

    Raises
    ------
    ClusterNotFound
        When there is none.
    InvalidState
        When it is not running.
    """
    if isinstance(cluster, str):
        cluster = connect(cluster)
    if isinstance(cluster, ClusterHandle):
        return Target(cluster.name, cluster.scheduler_address, cluster.security, cluster.id)
    if cluster is None and connected is not None and connected.status == "running":
        cluster = connected
    if cluster is None:
        cluster = current_client()
    if cluster is None:
        raise ClusterNotFound(_NOTHING)
    return _of_client(cluster)


def current_client() -> Client | None:
    """Return Dask's current client, if there is one."""
    from distributed import get_client

    with suppress(ValueError):
        return get_client()
    return None


def _of_client(client: Any) -> Target:
    if not hasattr(client, "scheduler") or not hasattr(client, "security"):
        raise InvalidRequest("cluster: must be a name, a gpucluster.Cluster or a distributed.Client.")
    if client.status != "running" or client.scheduler is None:
        raise InvalidState("The client is not connected any more; connect again ('%gpucluster connect').")
    if client.cluster is not None and shares_running_loop(client):
        raise InvalidState(
            "The client shares its event loop with this notebook, which is busy while a cell is measured. "
            "Make the client without asynchronous=True."
        )
    address = str(client.scheduler.address)
    handle = getattr(client, "cluster", None)
    if isinstance(handle, ClusterHandle):
        return Target(handle.name, address, client.security, handle.id)
    with suppress(GPUClusterError, OSError):
        for model in AsyncControl().registry.list():
            if model.scheduler_address == address and not model.state.ended:
                return Target(model.name, address, client.security, model.id)
    name = getattr(handle, "name", None)
    return Target(name if isinstance(name, str) else address, address, client.security)
