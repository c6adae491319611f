"""Wait for results of workers, even inside a task, and report if the cluster ends during the wait.

Everything that a computation keeps on the workers is released when it ends, even after Ctrl-C: a stored traceback, as
in IPython, would otherwise hold the futures.
"""

import asyncio
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager, nullcontext
from typing import Any

import dask
from dask.base import compute, persist

from ...dask_internals.collections import bind_futures, futures_in, leaving_no_futures
from ...dask_internals.scheduler_information import known_scheduler_id
from ...protocol.errors import ClusterEnded, InvalidState
from ..errors import ClusterStopped, InvalidData, PeerLost, WorkersLost

_END_GRACE_SECONDS = 2.0


def current_client() -> Any:
    """Return the client, in a task the worker's, as in Dask; ``None`` for schedulers in this process."""
    from distributed import get_client

    if dask.config.get("scheduler", None) not in {None, "dask.distributed", "distributed"}:
        return None
    try:
        return get_client()
    except ValueError:
        return None


@contextmanager
def waiting(client: Any, *collections: Any) -> Iterator[ExitStack]:
    """Wait for results of a cluster within the ``with`` block.

    In a Dask task, the worker may run other tasks during the wait, to avoid a deadlock where all threads wait. What
    `persisted` has kept is released at the end, even after an error; ``pop_all()`` leaves it to the caller. Raises
    `ClusterStopped` where the cluster ended or cancelled the computation, and `InvalidData` where the collections are
    kept on another cluster.
    """
    if client is None:
        with ExitStack() as scope:
            yield scope
        return
    from ...dask_internals.clients import ClosedClientError

    try:
        require_own(client, collections)
        with _release_thread(), ExitStack() as scope:
            yield scope
    except (
        CancelledError, asyncio.CancelledError, ClosedClientError, OSError, RuntimeError, PeerLost, WorkersLost
    ) as error:  # fmt: skip
        if isinstance(error, InvalidState):
            raise ClusterStopped(error.message) from None  # gpucluster's client knows the missing results, and why.
        cancelled = isinstance(error, (CancelledError, asyncio.CancelledError))
        grace = _END_GRACE_SECONDS if cancelled else 0.0
        if _has_ended(client, grace=grace):
            raise ClusterStopped(_end_of(client)) from None
        if cancelled:
            raise ClusterStopped(
                "The computation was cancelled, or its input data was released. Reload the data and try again."
            ) from None
        raise


def computed(*collections: Any) -> tuple[Any, ...]:
    """Compute Dask collections like ``dask.compute``; raises `ClusterStopped` where the cluster ends."""
    with waiting(current_client(), *collections), leaving_no_futures():
        return tuple(compute(*collections))


def persisted(scope: ExitStack, *collections: Any) -> tuple[Any, ...]:
    """Compute Dask collections, and keep them on the workers until the scope of `waiting` ends."""
    from distributed import futures_of

    with leaving_no_futures():
        kept: tuple[Any, ...] = persist(*collections)
        scope.callback(release, futures_of(kept))
    return kept


def release(futures: Iterable[Any]) -> None:
    """Let the cluster forget results, even if their futures are still referenced."""
    for future in futures:
        future.release()


def require_own(client: Any, collections: Iterable[Any]) -> None:
    """Refuse data that are kept on another cluster; call it before collections are optimized.

    Unpickled futures have no client yet, and get this one.
    """
    if client is None:
        return
    futures = futures_in(collections)
    bind_futures(futures, client)
    owners = {id(future.client): future.client for future in futures}
    for owner in owners.values():
        if owner is not client and _scheduler_id(owner) != _scheduler_id(client):
            raise InvalidData(
                "The data is on a different cluster from that of the current client. Load it here, or connect to its "
                "cluster: client.as_current()."
            )


def attached(collections: Iterable[Any], client: Any, scheduler: str | None) -> bool:
    """Give unpickled collections a client of the cluster that keeps them; return whether each future has one.

    ``scheduler`` identifies that cluster's scheduler.
    """
    loose = [future for future in futures_in(collections) if future.client is None]
    if loose and (client is None or known_scheduler_id(client) != scheduler):
        return False
    bind_futures(loose, client)
    return True


def _scheduler_id(client: Any) -> Any:
    return client.scheduler_info(n_workers=0).get("id")


def _has_ended(client: Any, *, grace: float) -> bool:
    """Whether the cluster is gone. A scheduler that stops cancels tasks first, and the client notices its end later."""
    deadline = time.monotonic() + grace
    while client.status == "running" and time.monotonic() < deadline:
        time.sleep(0.02)
    return bool(client.status != "running")


def _end_of(client: Any) -> str:
    """Return an error message about the end of the cluster; gpucluster's clients know the reason."""
    if isinstance(end := getattr(client, "after_the_end", lambda: None)(), ClusterEnded):
        return end.message
    return (
        "The cluster was stopped, or can no longer be reached. Create another one or "
        "connect to another one, load the data again, and repeat the computation."
    )


def _release_thread() -> Any:
    from distributed import get_worker, worker_client

    try:
        get_worker()
    except ValueError:
        return nullcontext()
    return worker_client()
