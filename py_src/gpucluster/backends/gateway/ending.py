"""End what a dead supervisor requested from a Dask Gateway, by its name or, if that never came back, by its properties.

A cluster gets its name from the server. Before a request, the user's clusters and the time by the server's clock are
written down. If the supervisor dies before the name is written down, its cluster is one with the same options that was
not there before, began within the time of a request, and is unused.
"""

from __future__ import annotations

import asyncio
import time

from ...dask_internals.clusters import was_used
from ..backend import ReapContext, Remembered
from .login import Login
from .server import ANSWER_SECONDS, GatewayServer, Report

IN_FLIGHT_SECONDS = 2.0  # For this time the server may still process a request whose sender is dead.
CLOCK_SECONDS = 5.0
USE_SECONDS = 10.0


async def end_remembered(remembered: Remembered, context: ReapContext) -> None:
    """Shut down what was requested. Raises `GPUClusterError` if the server does not confirm it."""
    if remembered.get("cluster_id") != context.cluster_id:
        raise ValueError("The remembered state belongs to another cluster")
    async with GatewayServer(Login(**remembered["login"])) as server:
        name = remembered["name"]
        names = [str(name)] if name is not None else await _requested(server, remembered)
        for found in names:
            if await server.end(found):
                context.report(f"The cluster {found} left behind by its dead process was shut down at the Dask Gateway")


async def _requested(server: GatewayServer, remembered: Remembered) -> list[str]:
    """Return the names of clusters that only the dead process can have requested."""
    asked = float(remembered["asked"])
    await asyncio.sleep(min(IN_FLIGHT_SECONDS, max(0.0, float(remembered["noted"]) + ANSWER_SECONDS - time.time())))
    found = []
    for report in await server.clusters():
        new = report.name not in remembered["before"] and report.options == remembered["options"]
        then = -CLOCK_SECONDS < report.started - asked < ANSWER_SECONDS + CLOCK_SECONDS
        if new and then and not await _in_use(server, await server.report(report.name)):
            found.append(report.name)
    return found


async def _in_use(server: GatewayServer, report: Report) -> bool:
    """Whether a cluster has workers or clients: ours has neither, as its name never came back."""
    if report.status != "RUNNING":
        return False
    from .scheduler import security_of

    async with asyncio.timeout(USE_SECONDS):
        return await was_used(server.scheduler_address(report.name), security_of(report))
