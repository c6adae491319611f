"""What the workers hold: which worker has which result, and how many bytes are kept for us."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...dask_internals.scheduler_state import bytes_kept_for

if TYPE_CHECKING:
    from distributed import Client


def places_of(client: Client, futures: Sequence[Any]) -> list[str]:
    """Return, for each future, the name of a worker that holds its result; an empty text where none does.

    Parameters
    ----------
    client : distributed.Client
        Connected to the cluster.
    futures : sequence of distributed.Future
        Finished ones.
    """
    facts = client.scheduler_info(n_workers=-1)["workers"]
    holders = client.who_has(futures)
    places = []
    for future in futures:
        addresses = sorted(holders.get(future.key, ()))
        places.append(f"worker {facts[addresses[0]]['name']}" if addresses else "")
    return places


def memory_on_workers(client: Client) -> int:
    """Return the bytes of all results that the workers keep for this client.

    The scheduler keeps account of them. What the worker processes need for themselves does not count, nor what they
    keep for other notebooks.
    """
    return int(client.run_on_scheduler(_bytes_kept_for, client=client.id))


def _bytes_kept_for(client: str, dask_scheduler: Any) -> int:
    return bytes_kept_for(dask_scheduler, client)
