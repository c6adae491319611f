"""Wait for what workers compute: also inside one of their tasks, and also where the cluster ends meanwhile."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager, nullcontext
from typing import Any

from ...protocol.errors import ClusterEnded
from ..errors import ClusterStopped, PeerLost, WorkersLost

_END_GRACE_SECONDS = 2.0


def current_client() -> Any:
    """Return the client that Dask collections are computed with here; ``None`` where that is this process.

    In a Dask task it is a client of the task's worker, as for Dask itself.
    """
    import dask
    from distributed import get_client

    if dask.config.get("scheduler", None) not in {None, "dask.distributed", "distributed"}:
        return None
    try:
        return get_client()
    except ValueError:
        return None


@contextmanager
def waiting(client: Any) -> Iterator[None]:
    """Wait for results of a cluster within the ``with`` block.

    In a Dask task, the worker may run others meanwhile: where all threads of all workers wait, nobody computes.

    Parameters
    ----------
    client : distributed.Client or None

    Raises
    ------
    ClusterStopped
        The cluster ended, or gave up what was waited for.
    """
    if client is None:
        yield
        return
    from ...dask_internals.clients import ClosedClientError

    try:
        with _release_thread():
            yield
    except (
        CancelledError, asyncio.CancelledError, ClosedClientError, OSError, RuntimeError, PeerLost, WorkersLost
    ) as error:  # fmt: skip
        cancelled = isinstance(error, (CancelledError, asyncio.CancelledError))
        grace = _END_GRACE_SECONDS if cancelled else 0.0
        # Our own client says it itself, while the cluster is still stopping.
        if isinstance(error, ClusterEnded) or _has_ended(client, grace=grace):
            raise ClusterStopped(_end_of(client)) from None
        if cancelled:
            raise ClusterStopped(
                "The computation was cancelled, or data that it needs were released. Load the data again, and repeat "
                "it."
            ) from None
        raise


def computed(*collections: Any) -> tuple[Any, ...]:
    """Return what Dask collections are, as ``dask.compute`` does.

    Raises
    ------
    ClusterStopped
        The cluster ended meanwhile.
    """
    from dask.base import compute

    with waiting(current_client()):
        return tuple(compute(*collections))


def _has_ended(client: Any, *, grace: float) -> bool:
    """Whether the cluster is gone. A scheduler that ends cancels first, and the client sees its end a moment later."""
    deadline = time.monotonic() + grace
    while client.status == "running" and time.monotonic() < deadline:
        time.sleep(0.02)
    return bool(client.status != "running")


def _end_of(client: Any) -> str:
    """Return what has become of the cluster, and how to go on: our own clients know more than others."""
    if isinstance(told := getattr(client, "after_the_end", lambda: None)(), ClusterEnded):
        return told.message
    return (
        "The cluster was stopped, or cannot be reached any more, while it computed. Create another one or "
        "connect to another one, load the data again, and repeat the computation."
    )


def _release_thread() -> Any:
    from distributed import get_worker, worker_client

    try:
        get_worker()
    except ValueError:
        return nullcontext()
    return worker_client()
