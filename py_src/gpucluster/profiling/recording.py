"""Install the recorders on a cluster, remove them, and fetch their data."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from distributed import Client

from ..client.api import connect
from ..client.control import AsyncControl
from ..client.handle import ClusterHandle
from ..dask_internals.loops import is_running_loop
from ..dask_internals.messages import sent_by_value
from ..protocol.errors import ClusterNotFound, GPUClusterError, InvalidRequest, InvalidState
from . import recorders
from .nsight import ProcessFacts, launched_by_nsys
from .recorders import scheduler as scheduler_recorder
from .recorders import worker as worker_recorder

_NOTHING = (
    "There is no cluster to measure. Name one, connect first ('%gpucluster connect'), or create a distributed.Client."
)


@dataclass(frozen=True)
class Target:
    """A scheduler to measure."""

    label: str
    address: str
    security: Any
    id: str | None = None  # Id of a gpucluster cluster, which has telemetry.


def find_target(cluster: ClusterHandle | Client | str | None, connected: Client | None = None) -> Target:
    """Find the cluster to measure by a handle, a client, a name or an id.

    ``None``: the connected one, or that of Dask's current client. Raises `ClusterNotFound` or `InvalidState`.
    """
    if isinstance(cluster, str):
        cluster = connect(cluster)
    if isinstance(cluster, ClusterHandle):
        return Target(cluster.name, cluster.scheduler_address, cluster.security, cluster.id)
    if cluster is None:
        is_connected = connected is not None and connected.status == "running"
        cluster = connected if is_connected else current_client()
    if cluster is None:
        raise ClusterNotFound(_NOTHING)
    return _of_client(cluster)


def current_client() -> Client | None:
    from distributed import get_client

    with suppress(ValueError):
        return get_client()
    return None


def _of_client(client: Any) -> Target:
    if not hasattr(client, "scheduler") or not hasattr(client, "security"):
        raise InvalidRequest("cluster: must be a name, a gpucluster.Cluster or a distributed.Client.")
    if client.status != "running" or client.scheduler is None:
        raise InvalidState("The client is no longer connected; connect again ('%gpucluster connect').")
    if client.cluster is not None and is_running_loop(client.loop):
        raise InvalidState(
            "The client shares its event loop with this notebook, which is busy while a cell is measured. "
            "Create the client without asynchronous=True."
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


CONNECT_SECONDS = 15
ANSWER_SECONDS = 20


class Recording:
    """One recording of one cluster over its own connection, independent of the notebook's client."""

    def __init__(self, target: Target) -> None:
        self.name = f"gpucluster-profile-{uuid4().hex}"
        try:
            self.client = Client(
                target.address, security=target.security, timeout=CONNECT_SECONDS, set_as_default=False, name="profile"
            )
        except Exception as error:
            # Dask raises many kinds of network errors, which are less helpful than this.
            raise InvalidState(f"The scheduler of '{target.label}' does not respond; is it still running?") from error
        try:
            self._install()
        except Exception as error:
            self.close()
            # A scheduler of another version, or a hanging worker, can cause any error.
            raise InvalidState(
                f"The cluster '{target.label}' cannot be measured: its scheduler or a worker rejected the "
                f"recorder ({type(error).__name__})."
            ) from error
        except BaseException:
            self.close()
            raise

    def _install(self) -> None:
        client, ask = self.client, self._ask
        with sent_by_value(recorders.__name__):
            scheduler = scheduler_recorder.SchedulerRecorder(self.name, client.id)
            ask(client.register_plugin, scheduler, name=self.name)
            ask(client.register_plugin, worker_recorder.WorkerRecorder(self.name), name=self.name)
            ask(client.run, worker_recorder.begin, self.name, on_error="ignore")
            ask(client.run_on_scheduler, scheduler_recorder.begin, self.name)

    def finish(self) -> tuple[dict[str, Any] | None, dict[str, dict[str, Any]]]:
        """End the recording; return the scheduler's data, if any, and that of workers that answer, by address."""
        scheduler: dict[str, Any] | None = None
        workers: dict[str, dict[str, Any]] = {}
        client = self.client
        if client.status != "running":  # Otherwise each request would wait for a new connection.
            return None, {}
        # The scheduler or a worker may be gone, or hang: the report then lists what is missing.
        with sent_by_value(recorders.__name__):
            with suppress(Exception):
                scheduler = self._ask(client.run_on_scheduler, scheduler_recorder.finish, self.name)
            if scheduler is not None:
                with suppress(Exception):
                    found = self._ask(client.run, worker_recorder.finish, self.name, on_error="ignore")
                    workers = {address: value for address, value in found.items() if isinstance(value, dict)}
        return scheduler, workers

    def worker_processes(self) -> list[ProcessFacts]:
        """Return where the workers run, and whether Nsight Systems can capture them."""
        with sent_by_value(recorders.__name__):
            found = self._ask(self.client.run, worker_recorder.process_facts, on_error="ignore")
        return [ProcessFacts(host, launched_by_nsys(environment)) for host, environment in found.values()]

    def close(self) -> None:
        """Remove the recorders and close the connection."""
        client = self.client
        with suppress(Exception):
            if client.status == "running":
                self._ask(client.unregister_worker_plugin, self.name)
        # The scheduler removes the rest when it notices that this client is gone.
        with suppress(Exception):
            client.close(timeout=2)

    def _ask(self, verb: Any, *args: Any, **options: Any) -> Any:
        return self.client.sync(verb, *args, callback_timeout=ANSWER_SECONDS, **options)
