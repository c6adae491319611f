"""Addresses such as ``gpucluster://my-cluster``: ``distributed.Client`` finds the cluster and its credentials by name.

distributed loads this by its entry point group ``distributed.comm.backends`` at the first use of the scheme. It is for
tools that only take an address, such as the panel of dask-labextension.
"""

from __future__ import annotations

from typing import Any

from distributed.comm.addressing import parse_address
from distributed.comm.core import Comm, Connector
from distributed.comm.registry import Backend, get_backend

from ..dask_internals.comm_parts import FatalCommClosedError
from ..protocol import errors
from ..registry.store import Registry
from .credentials import security_of

SCHEME = "gpucluster"


class ClusterNotFound(errors.ClusterNotFound, FatalCommClosedError):
    """As it is one of distributed's own errors, a client that cannot start is closed and is not the default."""


class InvalidState(errors.InvalidState, FatalCommClosedError):
    """Likewise, for a cluster that accepts no connections."""


class ClusterConnector(Connector):
    """Connects to the scheduler of a cluster of this user."""

    async def connect(self, address: str, deserialize: bool = True, **connection_args: Any) -> Comm:
        registry = Registry()
        try:
            model = registry.find(address)
        except errors.ClusterNotFound as error:
            raise ClusterNotFound(error.message) from None
        if model.state.ended or model.scheduler_address is None:
            raise InvalidState(f"The cluster '{model.name}' is {model.state.value}; it accepts no connections now.")
        scheme, location = parse_address(model.scheduler_address)
        # The caller's own settings concern no particular cluster; use the cluster's credentials.
        arguments = security_of(model, registry.folder(model.id)).get_connection_args("client")
        connector: Connector = get_backend(scheme).get_connector()
        comm: Comm = await connector.connect(location, deserialize=deserialize, **arguments)
        return comm


class SchemeBackend(Backend):
    """The scheme for distributed. A cluster listens on its real address only."""

    def get_connector(self) -> Connector:
        return ClusterConnector()

    def get_listener(self, loc: str, handle_comm: Any, deserialize: bool, **connection_args: Any) -> Any:
        raise ValueError(f"Cannot listen on {SCHEME}://{loc}: it is a cluster's name.")

    def get_address_host(self, loc: str) -> str:
        return loc

    def resolve_address(self, loc: str) -> str:
        return loc

    def get_local_address_for(self, loc: str) -> str:
        raise ValueError(f"Cannot listen on {SCHEME}://{loc}: it is a cluster's name.")
