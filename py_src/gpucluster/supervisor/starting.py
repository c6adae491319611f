"""Start a cluster with the workers that it needs, or leave nothing behind and report why."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import Any

from ..backends.backend import Backend, Plan, StartContext
from ..backends.deployment import Deployment, SlotState, could_not_start
from ..protocol.errors import StartFailed, StartTimedOut

logger = logging.getLogger("gpucluster.supervisor")

CLOSE_SECONDS = 10.0


async def start(backend: Backend[Any], plan: Plan, context: StartContext) -> Deployment:
    """Start a cluster and wait for the workers that have to come first.

    Raises `StartFailed`, `StartTimedOut` with the real cause; everything that was started is closed.
    """
    try:
        # Not wait_for, which can miss a stop that comes at the last moment.
        async with asyncio.timeout(plan.start_timeout):
            deployment = await backend.start(plan, context)
    except TimeoutError:
        raise StartTimedOut(
            f"Scheduler and workers did not start within {plan.start_timeout:.0f} seconds. See the log."
        ) from None
    try:
        context.report("workers", "Waiting for workers")
        await _wait_for_workers(deployment, plan)
    except BaseException:
        await asyncio.shield(close(deployment))
        raise
    return deployment


async def _wait_for_workers(deployment: Deployment, plan: Plan) -> None:
    loop = asyncio.get_running_loop()
    deadline = loop.time() + plan.start_timeout
    ready = plan.n_workers if plan.ready_workers is None else plan.ready_workers
    while len((members := deployment.scheduler.members()).workers) < ready:
        if members.ended is not None:
            raise StartFailed(members.ended)
        failed = [slot for slot in deployment.slots() if slot.state is SlotState.FAILED]
        if failed:
            raise StartFailed(could_not_start(len(failed), plan.n_workers, failed[0].why or "see the log"))
        if loop.time() > deadline:
            raise StartTimedOut(
                f"{len(members.workers)} of {plan.n_workers} workers arrived within {plan.start_timeout:.0f} s. "
                "See the log."
            )
        await asyncio.sleep(0.02)


async def close(deployment: Deployment) -> bool:
    """Close a cluster in bounded time, whatever happens; returns whether nothing is left."""
    try:
        await asyncio.wait_for(deployment.close(), CLOSE_SECONDS)
    except Exception as error:
        logger.warning("The cluster did not shut down cleanly (%s: %s)", type(error).__name__, error)
        with suppress(Exception):
            await asyncio.wait_for(deployment.scheduler.close(), 1.0)
        return False
    return True
