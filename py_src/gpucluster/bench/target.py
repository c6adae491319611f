"""The cluster to measure: a running one, a temporary one, or any Dask scheduler."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..client.api import connect, create
from ..client.cluster import Cluster
from ..client.libraries import Libraries, libraries_for
from ..dask_internals.scheduler_information import known_workers
from ..protocol.errors import InvalidRequest, InvalidState
from ..protocol.spec import SpecBase
from .machine import gpu_memory, gpu_name

_WAIT_SECONDS = 120.0
_CONNECT_SECONDS = 20


class Target:
    """A cluster with a client; without ``cluster``, any Dask scheduler, which cannot be scaled."""

    def __init__(self, client: Any, cluster: Cluster | None = None) -> None:
        self.client = client
        self.cluster = cluster
        self.name = cluster.name if cluster is not None else "Dask scheduler"
        self.backend = cluster.backend if cluster is not None else "other"

    @property
    def workers(self) -> dict[str, Any]:
        """The scheduler's information about each worker, by address."""
        found: dict[str, Any] = known_workers(self.client)
        return found

    @property
    def protocol(self) -> str:
        return str(self.client.scheduler_info(n_workers=0)["address"]).partition("://")[0]

    def libraries(self) -> Libraries:
        gpus = self.backend == "cuda" or (self.backend == "other" and all(map(gpu_name, self.workers.values())))
        return libraries_for(has_gpus=bool(gpus))

    def worker_memory_bytes(self, frames: str) -> int | None:
        """Return the memory of the smallest worker, or of its GPU for cuDF; ``None`` where it is unlimited."""
        if frames == "cudf":
            sizes = [gpu_memory(worker) for worker in self.workers.values()]
        else:
            sizes = [int(worker["memory_limit"] or 0) or None for worker in self.workers.values()]
        return min(filter(None, sizes), default=None)

    def scale(self, n_workers: int) -> None:
        """Scale to exactly this number of workers; raises `InvalidState` where that is not possible."""
        if len(self.workers) == n_workers:
            return
        if self.cluster is None:
            raise InvalidState(
                f"This scheduler has {len(self.workers)} workers, but gpucluster did not start them: leave --workers "
                "out, or scale them where they were started."
            )
        self.cluster.scale(n_workers, timeout=_WAIT_SECONDS)
        self.client.wait_for_workers(n_workers, timeout=_WAIT_SECONDS)
        while len(self.workers) > n_workers:  # The scheduler removes retired workers last.
            self.client.sync(asyncio.sleep, 0.05)


@contextmanager
def existing(name: str | None, *, scales: bool = False) -> Iterator[Target]:
    """Use a running cluster, by name or id, or the only one; with ``scales``, restore its workers at the end."""
    cluster = connect(name)
    wanted = cluster.model.wanted
    if scales and wanted.adapt is not None:
        raise InvalidState(
            f"'{cluster.name}' scales adaptively, so --workers cannot set the number of workers. Set a fixed number "
            "first with 'scale'."
        )
    with cluster.get_client() as client:
        target = Target(client, cluster)
        try:
            yield target
        finally:
            if scales and wanted.n_workers is not None and not cluster.model.state.ended:
                cluster.scale(wanted.n_workers, wait=False)


@contextmanager
def created(spec: SpecBase) -> Iterator[Target]:
    options: dict[str, Any] = spec.model_dump(exclude_unset=True)
    options.setdefault("backend", getattr(spec, "backend", "auto"))
    with create(**options) as cluster, cluster.get_client() as client:
        yield Target(client, cluster)


@contextmanager
def scheduler(address: str) -> Iterator[Target]:
    """Use any Dask scheduler by an address such as ``tcp://10.0.0.1:8786``, or by its scheduler file."""
    from distributed import Client

    if "://" in address:
        where: dict[str, Any] = {"address": address}
    elif _is_scheduler_file(Path(address)):
        where = {"scheduler_file": address}
    else:
        raise InvalidRequest(
            f"scheduler: '{address[:80]}' is neither an address such as tcp://10.0.0.1:8786 nor a scheduler file."
        )
    try:
        client = Client(**where, timeout=_CONNECT_SECONDS)
    except (OSError, ValueError, TypeError, AssertionError) as error:  # The last for an address without a host.
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InvalidRequest(f"scheduler: no scheduler responds at {address[:80]} ({reason}).") from None
    with client:
        yield Target(client)


def _is_scheduler_file(path: Path) -> bool:
    try:
        return isinstance(json.loads(path.read_bytes())["address"], str)
    except (OSError, ValueError, TypeError, LookupError, RecursionError):
        return False
