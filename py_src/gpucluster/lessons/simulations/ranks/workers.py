"""Ranks that are the workers of a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ....dask_internals.scheduler_information import known_workers
from ...examination import describe_error
from ...lab import current_client
from .outcome import CountingCommunicator, RankFailed, RankRun

if TYPE_CHECKING:
    from distributed import Client


def run_on_workers(
    function: Callable[..., Any], points: Any, *arguments: Any, client: Client | None = None, sizes: Any = None
) -> RankRun:
    """Run the same function on the workers of a Dask cluster, each with the blocks it holds."""
    import dask.array as da

    from ....learn import run_on_ranks

    client = client or current_client()
    if client is None:
        raise RankFailed("There is no cluster. Run the first code cell (lab = lessons.start(...)) again.")
    n_workers = len(known_workers(client))
    sizes = tuple(sizes or map(len, np.array_split(np.arange(len(points)), n_workers)))

    def on_shard(shard: Any) -> Any:
        comm = CountingCommunicator(shard.communicator)
        own = np.concatenate([block.X for block in shard.blocks])
        try:
            return comm.report(function(comm, own, *arguments))
        except Exception as error:
            if type(error).__module__.startswith("gpucluster."):
                raise  # a broken conversation between the ranks; the library's sentence says who called what
            raise RankFailed(f"Rank {comm.rank} ended with an error: {describe_error(error, function)}") from None

    with client.as_current():
        reports = run_on_ranks(on_shard, da.from_array(np.asarray(points), chunks=(sizes, -1)))
    return RankRun.of(reports, "workers of the Dask cluster")
