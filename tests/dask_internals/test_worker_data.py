"""Canaries: results kept by workers."""

from __future__ import annotations

from typing import Any

import pytest
from gpucluster.dask_internals.workers import worker_state


async def look(key: str, address: str, dask_worker: Any) -> dict[str, Any]:
    """Runs on a worker."""
    with pytest.raises(KeyError):
        worker_state.held(dask_worker, "never computed")
    return {
        "held": worker_state.held(dask_worker, key),
        "fetched": await worker_state.fetched(dask_worker, address, [key, "never computed"]),
    }


def test_results(here: Any, canary: Any) -> None:
    with canary("Worker.data and get_data_from_worker(rpc, keys, worker, who)"):
        address = here.worker.address
        kept = here.client.submit(sum, [20, 22], workers=[address])
        assert kept.result(30) == 42
        [found] = here.client.run(look, kept.key, address, workers=[address]).values()
        assert found["held"] == 42
        assert found["fetched"] == {kept.key: 42}
