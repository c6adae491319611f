"""Canaries: workers started by something else, as SpecCluster counts them."""

from __future__ import annotations

import asyncio

from distributed.core import Status
from gpucluster.dask_internals.started_elsewhere import StartedElsewhere


def test_worker_reports_state(canary):
    async def live():
        with canary("ProcessInterface.status and _event_finished"):
            worker = StartedElsewhere("tls://127.0.0.1:1", "a")
            worker.note_running()
            assert worker.runs
            worker.note_gone()
            await asyncio.wait_for(worker.finished(), 10)
            assert worker.status is Status.closed
        with canary("Status.failed and __startup_exc of Server"):
            other = StartedElsewhere("tls://127.0.0.1:1", "b")
            error = other.note_failure(OSError("no"))
            other.note_gone()
            assert (other.status, other._Server__startup_exc) == (Status.failed, error)

    asyncio.run(live())
