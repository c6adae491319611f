"""Where results are: which worker holds which block, in which order, and how many bytes are kept for a client."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...dask_internals.collections import keys as block_keys
from ...dask_internals.collections import meta
from ...dask_internals.scheduler_information import known_workers
from ...dask_internals.scheduler_state import bytes_kept_for
from ..material.conversion import as_numpy

if TYPE_CHECKING:
    from distributed import Client


def spread(client: Client, array: Any) -> Any:
    """Compute a Dask array's blocks and keep them, the first on the first worker, the second on the second, and so on.

    Parameters
    ----------
    client : distributed.Client
        Connected to the cluster.
    array : dask.array.Array
        Cut along its rows only.

    Returns
    -------
    dask.array.Array
        The same rows; consecutive blocks lie on different workers.
    """
    import dask.array as da
    from distributed import wait

    workers = sorted(known_workers(client))
    made = client.compute(list(array.to_delayed().ravel()))
    futures = [
        # A new key: the block may already be elsewhere under its key in the array.
        client.submit(_itself, block, workers=[workers[number % len(workers)]], allow_other_workers=False, pure=False)
        for number, block in enumerate(made)
    ]
    wait(futures)
    blocks = [
        da.from_delayed(future, shape=(rows, *array.shape[1:]), meta=meta(array))
        for rows, future in zip(array.chunks[0], futures, strict=True)
    ]
    return client.persist(da.concatenate(blocks))


def blocks_by_worker(client: Client, array: Any) -> dict[str, list[int]]:
    """Return the numbers of the blocks that each worker holds; workers without blocks are there as well.

    Parameters
    ----------
    client : distributed.Client
        Connected to the cluster.
    array : dask.array.Array
        Persisted.
    """
    from distributed import futures_of, wait

    wait(array)
    keys = {key: number for number, key in enumerate(block_keys(array))}
    held: dict[str, list[int]] = {address: [] for address in sorted(known_workers(client))}
    for key, addresses in client.who_has(futures_of(array)).items():
        number = _number(keys, key)
        for address in addresses:
            held.setdefault(address, []).append(number)
    return {address: sorted(numbers) for address, numbers in held.items()}


def worker_order(client: Client, array: Any) -> Any:
    """Return a persisted array in memory, put together worker by worker, as some libraries do it.

    Parameters
    ----------
    client : distributed.Client
        Connected to the cluster.
    array : dask.array.Array
        Persisted.

    Returns
    -------
    numpy.ndarray
        All rows, in the order of the workers. That is the order of the rows only by luck.
    """
    held = blocks_by_worker(client, array)
    first = dict.fromkeys(number for numbers in held.values() for number in numbers)  # a block may have copies
    return np.concatenate([as_numpy(array.blocks[number].compute()) for number in first])


def _itself(block: Any) -> Any:
    return block


def _number(keys: dict[Any, int], key: Any) -> int:
    if key in keys:
        return keys[key]
    # who_has answers with keys as text
    return next(number for known, number in keys.items() if str(known) == str(key))


def places_of(client: Client, futures: Sequence[Any]) -> list[str]:
    """Return, for each future, the name of a worker that holds its result; an empty text where none does.

    Parameters
    ----------
    client : distributed.Client
        Connected to the cluster.
    futures : sequence of distributed.Future
        Finished ones.
    """
    facts = known_workers(client)
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
