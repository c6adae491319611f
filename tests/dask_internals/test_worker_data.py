"""Canaries: results that workers keep, and their threads."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from gpucluster.dask_internals import worker_state


async def look(key: str, address: str, dask_worker: Any) -> dict[str, Any]:
    """Runs on a worker."""
    with pytest.raises(KeyError):
        worker_state.held(dask_worker, "never computed")
    return {
        "held": worker_state.held(dask_worker, key),
        "fetched": await worker_state.fetched(dask_worker, address, [key, "never computed"]),
        "thread": await worker_state.in_thread(dask_worker, lambda: threading.current_thread().name),
    }


def test_results_and_threads(here: Any, canary: Any) -> None:
    with canary("Worker.data, get_data_from_worker(rpc, keys, worker, who) and Worker.executors['default']"):
        address = here.worker.address
        kept = here.client.submit(sum, [20, 22], workers=[address])
        assert kept.result(30) == 42
        [found] = here.client.run(look, kept.key, address, workers=[address]).values()
        assert found["held"] == 42
        assert found["fetched"] == {kept.key: 42}
        assert found["thread"] != threading.main_thread().name
