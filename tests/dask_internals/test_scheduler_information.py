"""Canaries: a client's questions to its scheduler."""

from __future__ import annotations

import distributed
import pytest
from gpucluster.dask_internals import clients, scheduler_information


def test_kept_results_are_read_at_once(here, canary):
    with canary("Client.scheduler.nbytes(keys=, summary=), who_has(keys=) and identity(n_workers=)"):
        future = here.client.scatter(bytes(1000), direct=False, workers=[here.worker.address])
        found: scheduler_information.Kept = scheduler_information.kept(here.client, [future.key, "unknown"])
        assert found.sizes[future.key] >= 1000
        assert list(found.holders[future.key]) == [here.worker.address]
        assert not found.holders.get("unknown")
        assert set(found.workers) == {here.worker.address, here.other.address}
        assert found.workers[here.worker.address]["nthreads"] == here.worker.state.nthreads
    with canary("scheduler_info(), which the client's own clock may replace by one without workers"):
        here.client.sync(here.client._update_scheduler_info)
        left = set() if distributed.__version__ >= "2026" else set(found.workers)  # 2025.9.1 still has them.
        assert set(here.client._scheduler_identity["workers"]) == left
        assert set(scheduler_information.known_workers(here.client)) == set(found.workers)
    with canary("Client.scheduler, None in a closed client"):
        with clients.ClientOfCluster(here.scheduler.address, set_as_default=False) as client:
            pass
        with pytest.raises(clients.ClosedClientError):
            scheduler_information.known_workers(client)
