"""A restart at the moment when workers leave: a real scheduler and real workers, in this process."""

from __future__ import annotations

import asyncio

import pytest
from distributed.security import Security
from gpucluster.backends.backend import StartContext, load_backend
from gpucluster.backends.local import LocalSpec

pytestmark = pytest.mark.processes


async def test_nobody_waits_for_workers_that_were_told_to_leave(tmp_path):
    context = StartContext("0badcafe", Security.temporary(), tmp_path, "prefix")
    backend = load_backend("local")
    deployment = await backend.start(await backend.preflight(LocalSpec(n_workers=2, protocol="tls"), context), context)
    try:
        await deployment.scale(1)
        assert len(deployment.scheduler.members().workers) == 2, "Dask would wait until there are two again"
        async with asyncio.timeout(60):
            await deployment.restart()
        assert len(deployment.scheduler.members().workers) == 1
    finally:
        await deployment.close()
