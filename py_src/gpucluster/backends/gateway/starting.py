"""Request a cluster from a Dask Gateway so that it either runs, or is shut down, or is written down for that.

A cluster gets its name from the server. Before a request, the user's clusters and the time by the server's clock are
written down. If the supervisor dies before the name is written down, its cluster is one with the same options that was
not there before, began within the time of a request, and is unused.
"""

from __future__ import annotations

import asyncio
import logging
import time
from contextlib import suppress
from dataclasses import asdict, fields
from typing import Any
from urllib.parse import urlsplit

from ...dask_internals.clusters import was_used
from ...dask_internals.other_packages import know_addresses
from ...protocol.errors import GPUClusterError, PreflightFailed, StartFailed
from ..backend import Plan, ReapContext, Remembered, StartContext
from ..causes import cause_of
from ..existing.address import keep_credentials
from ..existing.greeting import greet
from .deployment import GatewayDeployment
from .login import Login
from .scheduler import CONNECT_SECONDS, GatewayScheduler, pages, security_of
from .server import ANSWER_SECONDS, GatewayRefused, GatewayServer, Report
from .spec import GatewaySpec

logger = logging.getLogger("gpucluster.backends")

LOOK_SECONDS = 0.3
LONGEST_LOOK_SECONDS = 3.0
LAST_WORD_SECONDS = 5.0
IN_FLIGHT_SECONDS = 2.0  # For this time the server may still process a request whose sender is dead.
CLOCK_SECONDS = 5.0
USE_SECONDS = 10.0


async def start(plan: Plan, context: StartContext) -> GatewayDeployment:
    """Request the cluster, connect to it, and request its workers.

    Raises `StartFailed` with the gateway's message; a new cluster is shut down again.
    """
    spec: GatewaySpec = plan.options["spec"]
    login: Login = plan.options["login"]
    know_addresses()
    server = GatewayServer(login)
    record = RequestRecord(context, spec, login)
    try:
        name = spec.cluster_name
        if name is None:
            context.report("scheduler", "Asking Dask Gateway for a cluster")
            name = await _submit(server, record, plan.options["options"])
        elif spec.ends_with_us:
            record.write(name)
        context.report("scheduler", "Waiting for the scheduler of the cluster")
        report = await _running(server, name)
        scheduler = await _connect(server, report, context)
        deployment = GatewayDeployment(server, report, scheduler, context, ends_with_us=spec.ends_with_us)
        if spec.n_workers is not None or spec.cluster_name is None:
            context.report("workers", "Asking for workers")
            await deployment.scale(plan.n_workers)
    except BaseException as error:
        await asyncio.shield(_give_up(server, record))
        if isinstance(error, GPUClusterError) and not isinstance(error, StartFailed):
            raise StartFailed(error.message) from error
        raise
    if not spec.ends_with_us:
        record.clear()  # From here on it is independent of this process.
    deployment.follow()
    return deployment


class RequestRecord:
    """What is written down about a cluster before and after the request."""

    def __init__(self, context: StartContext, spec: GatewaySpec, login: Login) -> None:
        self._context = context
        self._of_others = spec.cluster_name is not None
        self._kept: dict[str, Any] = {"cluster_id": context.cluster_id, "login": asdict(login), "name": None}
        self.name: str | None = None

    def write_request(self, before: list[Report], options: dict[str, Any], asked: float) -> None:
        """Write down a request before it is sent: the cluster's name is not known yet."""
        self._kept |= {
            "before": [report.name for report in before],
            "options": options,
            "asked": asked,
            "noted": time.time(),
        }
        self._context.remember(self._kept)

    def write(self, name: str) -> None:
        self.name = name
        self._context.remember({"cluster_id": self._kept["cluster_id"], "login": self._kept["login"], "name": name})

    def clear(self) -> None:
        self.name = None
        self._context.remember({})

    @property
    def to_end(self) -> str | None:
        """The cluster to shut down if the start fails, unless it was there before."""
        return None if self._of_others else self.name


async def _submit(server: GatewayServer, record: RequestRecord, options: dict[str, Any]) -> str:
    record.write_request(await server.clusters(), options, await server.clock())

    async def ask() -> str:
        try:
            name = await server.submit(options)
        except GatewayRefused:
            record.clear()
            raise
        record.write(name)
        return name

    asking = asyncio.ensure_future(ask())
    try:
        return await asyncio.shield(asking)
    except asyncio.CancelledError:
        # Its name is needed to shut it down; without it, the written request is enough.
        with suppress(Exception):
            await asyncio.wait_for(asking, LAST_WORD_SECONDS)
        raise


async def _running(server: GatewayServer, name: str) -> Report:
    pause = LOOK_SECONDS
    while True:
        report = await server.report(name)
        if report.status == "RUNNING":
            return report
        if report.ended:
            raise StartFailed(
                f"Dask Gateway could not start the scheduler of the cluster {name} ({report.status.lower()}). The "
                "reason is in the log of the server: ask its administrator."
            )
        await asyncio.sleep(pause)
        pause = min(LONGEST_LOOK_SECONDS, 1.2 * pause)


async def _connect(server: GatewayServer, report: Report, context: StartContext) -> GatewayScheduler:
    address, security = server.scheduler_address(report.name), security_of(report)
    try:
        greeting = await greet(address, security)
    except PreflightFailed as error:
        raise StartFailed(
            f"{error.message} Dask's connections go to {urlsplit(address).netloc}; set proxy_address for another one."
        ) from error
    if greeting.warning is not None:
        logger.warning("%s", greeting.warning)
        context.tell("state", greeting.warning)
    try:
        scheduler = await GatewayScheduler.connect(address, security, timeout=CONNECT_SECONDS)
    except Exception as error:
        raise StartFailed(f"The scheduler at {address} cannot be inspected ({cause_of(error)}).") from error
    scheduler.way_back = (address, security)
    found = pages(server, report)
    if found is not None:
        scheduler.dashboard, scheduler.dashboard_prefix = found
    if context.credentials_directory is not None:
        keep_credentials(security, context.credentials_directory)
    return scheduler


async def _give_up(server: GatewayServer, record: RequestRecord) -> None:
    """Shut down what was requested; it stays written down unless the end is confirmed."""
    try:
        if record.to_end is not None:
            await server.end(record.to_end)
            record.clear()
        elif record.name is not None:
            record.clear()
    except Exception as error:
        logger.warning("The cluster could not be shut down (%s)", cause_of(error))
    await server.close()


async def end_remembered(remembered: Remembered, context: ReapContext) -> None:
    """Shut down what was requested. Raises `GPUClusterError` if the server does not confirm it."""
    if remembered.get("cluster_id") != context.cluster_id:
        raise ValueError("The saved state belongs to another cluster")
    login = {field.name: remembered["login"].get(field.name) for field in fields(Login)}
    async with GatewayServer(Login(**login)) as server:
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
    async with asyncio.timeout(USE_SECONDS):
        return await was_used(server.scheduler_address(report.name), security_of(report))
