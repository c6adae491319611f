"""The client that ``connect`` created: one per notebook."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ..client.libraries import Libraries, libraries_for, use_libraries

if TYPE_CHECKING:
    from distributed import Client

    from ..client.cluster import Cluster

_CLOSE_SECONDS = 2


class Connection:
    """Holds the last client, and closes it when another one replaces it."""

    def __init__(self) -> None:
        self._client: Client | None = None
        self._cluster_id: str | None = None

    def open(self, cluster: Cluster) -> tuple[Client, Libraries]:
        """Connect to a running cluster, and choose the libraries of Dask's collections for it.

        Raises `InvalidState`: the cluster is not running; an earlier connection stays.
        """
        client = cluster.get_client()
        self.close()
        self._client, self._cluster_id = client, cluster.id
        libraries = libraries_for(has_gpus=cluster.model.has_gpus)
        use_libraries(libraries)
        return client, libraries

    @property
    def client(self) -> Client | None:
        """The last client, unless it was closed here."""
        return self._client

    @property
    def cluster_id(self) -> str | None:
        """Id of its cluster, while it is connected."""
        return self._cluster_id if self._client is not None and self._client.status == "running" else None

    def close(self, cluster_id: str | None = None) -> None:
        """Close the client, if there is one (and it belongs to that cluster)."""
        if self._client is None or cluster_id not in {None, self._cluster_id}:
            return
        client: Any = self._client
        self._client = self._cluster_id = None
        # Its cluster may be long gone.
        with suppress(Exception):
            client.close(timeout=_CLOSE_SECONDS)
