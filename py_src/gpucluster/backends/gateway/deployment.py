"""One cluster of a Dask Gateway: the server starts its workers, replaces them, and follows the load.

It is requested so that it either runs, or is shut down, or is written down for that. A cluster gets its name from the
server. Before a request, the user's clusters and the time by the server's clock are written down. If the supervisor
dies before the name is written down, its cluster is one with the same options that was not there before, began within
the time of a request, and is unused.

The server also reports the end of a scheduler more reliably than the connection through its proxy does.
"""

from __future__ import annotations

import asyncio
import logging
import math
import random
import re
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import asdict, fields, replace
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from distributed.security import Security

from ...dask_internals.clusters import was_used
from ...dask_internals.other_packages import know_addresses
from ...protocol.errors import GPUClusterError, OperationFailed, PreflightFailed, StartFailed
from ...protocol.spec import Adapt
from ...protocol.verbs import Verb
from ..backend import Plan, ReapContext, Remembered, StartContext
from ..deployment import Deployment, Slot, SlotState, cause_of
from ..existing.deployment import greet
from ..existing.spec import keep_credentials
from ..scheduler.remote import RemoteScheduler
from ..scheduler.view import Members
from .server import ANSWER_SECONDS, ClusterUnknown, GatewayRefused, GatewayServer, Login, Report
from .spec import GatewaySpec

logger = logging.getLogger("gpucluster.backends")

CONNECT_SECONDS = 20.0


def security_of(report: Report) -> Security:
    """Return the credentials of a cluster from its server's report."""
    cert = report.certificate
    return Security(require_encryption=True, tls_ca_file=cert, tls_client_cert=cert, tls_client_key=report.key)


class GatewayScheduler(RemoteScheduler):
    """Reads a scheduler behind a gateway, and reconnects when the connection breaks."""

    silent: Callable[[], None] | None = None  # Called when the scheduler may have ended, or does not respond.
    _over: Members | None = None
    way_back: tuple[str, Security]  # Where to connect again when the client gives up.

    def is_over(self, reason: str, *, failed: bool) -> None:
        """Note that it has ended according to the gateway."""
        self._over = Members(ended=reason, failed=failed)
        self._changed()

    def members(self) -> Members:
        if self._over is not None:
            return self._over
        found = super().members()
        if self.silent is not None and (found.ended is not None or self._client.status != "running"):
            self.silent()
        return replace(found, ended=None, failed=False)

    def _patience(self) -> float:
        # It is not gone as long as the gateway reports it.
        return math.inf

    async def _come_back(self) -> None:
        if self._over is not None:
            return
        if self.silent is not None:
            self.silent()
        if self._client.status == "closed":
            address, security = self.way_back
            await asyncio.sleep(1)
            try:
                await self.connect_again(address, security, timeout=CONNECT_SECONDS)
            except Exception:
                # The next look tries again.
                logger.info("The scheduler cannot be reached yet", exc_info=True)
            except asyncio.CancelledError:
                # A client that gives up cancels its own requests; the end of the view cancels this task.
                task = asyncio.current_task()
                if task is None or task.cancelling():
                    raise
        else:
            await super()._come_back()


def pages(server: GatewayServer, report: Report) -> tuple[tuple[str, int], str] | None:
    """Return host and port of the web pages, and their path; ``None`` if they cannot be shown."""
    place = urlsplit(server.login.address)
    if report.dashboard_route is None or place.scheme != "http":
        return None
    path = f"{place.path}{report.dashboard_route}".removesuffix("/status").strip("/")
    return (place.hostname or "", place.port or 80), path


LOOK_SECONDS = 15.0
CALM_SECONDS = 120.0
"""While nothing is pending. The end of a scheduler is noticed at once in any case, and one server answers for all
clusters of a site: for ten thousand, 590 requests per second at an interval of 17 seconds, and 83 at two minutes."""
TROUBLE_SECONDS = 2.0
REPORTED_SECONDS = 10.0  # A worker that is gone is reported this long; the gateway has requested another meanwhile.
UNKNOWN_SECONDS = 10.0
STOP_SECONDS = 7.0
_LIMIT = re.compile(r"limit of (\d+) workers")


class GatewayDeployment(Deployment):
    """A cluster of a Dask Gateway."""

    can = frozenset(Verb)

    def __init__(
        self,
        server: GatewayServer,
        report: Report,
        scheduler: GatewayScheduler,
        context: StartContext,
        *,
        ends_with_us: bool,
    ) -> None:
        self.scheduler = self._scheduler = scheduler
        self._server = server
        self._name = report.name
        self._context = context
        self._ends_with_us = ends_with_us
        self._wanted: int | None = None
        self._adapting = False
        self._since: dict[str, datetime] = {}
        self._lost: dict[str, float] = {}
        self._leaving: set[str] = set()
        self._asked = datetime.now(UTC)
        self._limit: str | None = None
        self._ignored: str | None = None
        self._trouble: str | None = None
        self._unknown_since: float | None = None
        self._look_soon = asyncio.Event()
        self._following: asyncio.Task[None] | None = None
        scheduler.silent = self._look_soon.set

    def follow(self) -> None:
        self._following = asyncio.create_task(self._follow())

    # -- what there is ---------------------------------------------------------------------------

    def slots(self) -> list[Slot]:
        here = [worker.name for worker in self._scheduler.members().workers]
        now, wanted = datetime.now(UTC), self._wanted
        gone = [name for name in self._since if name not in here]
        for name in gone:
            # If fewer workers are wanted, the gateway has ended it; otherwise it was lost.
            if wanted is not None and len(here) < wanted and name not in self._leaving:
                self._lost[name] = time.monotonic()
        self._leaving.difference_update(gone)
        self._since = {name: self._since.get(name, now) for name in here}
        recent = time.monotonic() - REPORTED_SECONDS
        self._lost = {name: lost for name, lost in self._lost.items() if lost > recent and name not in here}
        states = {name: SlotState.LEAVING if name in self._leaving else SlotState.RUNNING for name in here}
        slots = [Slot(name, states[name], since) for name, since in self._since.items()]
        slots += [Slot(name, SlotState.LOST, now, "it is gone") for name in self._lost]
        missing = (wanted or 0) - sum(name not in self._leaving for name in here)
        why = "Dask Gateway starts them"
        return slots + [Slot(f"waiting-{i}", SlotState.PENDING, self._asked, why) for i in range(missing)]

    def leaving(self, n: int) -> set[str]:
        """Return none: the gateway chooses the workers that hold least, and moves their results first."""
        return set()

    def notes(self) -> list[str]:
        return [note for note in (self._trouble, self._limit, self._ignored) if note is not None]

    # -- changing it -----------------------------------------------------------------------------

    async def scale(self, n: int) -> None:
        remark = await self._server.scale(self._name, n)
        self._note_limit(remark)
        found = _LIMIT.search(remark or "")
        self.limit = int(found[1]) if found else None
        self._wanted = n if self.limit is None else min(n, self.limit)
        self._adapting, self._ignored = False, None
        self._asked = datetime.now(UTC)
        self._lost.clear()
        self._look_soon.set()

    async def adapt(self, bounds: Adapt | None) -> None:
        if bounds is None:
            if self._adapting:
                await self._server.stop_adapting(self._name)
                self._adapting, self._ignored = False, None
            return
        self._note_limit(await self._server.adapt(self._name, bounds.minimum, bounds.maximum))
        self._adapting, self._wanted = True, None
        options = ("interval_seconds", "wait_count", "target_duration_seconds")
        what = ", ".join(name for name in options if getattr(bounds, name) is not None)
        self._ignored = f"Dask Gateway has its own {what}: the requested values have no effect." if what else None

    def _note_limit(self, remark: str | None) -> None:
        self._limit = None if remark is None else f"The limits of the site: {remark}"

    async def release(self, names: Collection[str]) -> None:
        slots = {slot.name: slot for slot in self.slots()}
        # A worker whose results were moved is gone already, and would be replaced.
        known = [slots[name] for name in names if name in slots and slots[name].state is not SlotState.LEAVING]
        for slot in known:
            self._lost.pop(slot.name, None)
        running = [slot.name for slot in known if slot.state is SlotState.RUNNING]
        if running:
            self._leaving.update(running)
            # First these: with fewer workers wanted, the gateway would choose which.
            await self._scheduler.end_workers(running)
        if known and self._wanted is not None:
            await self.scale(max(0, self._wanted - len(known)))

    async def close(self) -> None:
        """Shut the cluster down, or only end the view; raises if the gateway does not confirm it."""
        if self._following is not None:
            self._following.cancel()
        try:
            if self._ends_with_us:
                async with asyncio.timeout(STOP_SECONDS):
                    await self._server.end(self._name)
                self._context.remember({})
        finally:
            with suppress(Exception):
                await asyncio.wait_for(self._scheduler.close(), 2.0)
            await self._server.close()

    # -- following it ----------------------------------------------------------------------------

    async def _follow(self) -> None:
        """Query the gateway rarely, and often while something is wrong."""
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._look_soon.wait(), self._pause())
            self._look_soon.clear()
            try:
                await self._look()
            except Exception:
                logger.exception("The gateway did not respond")
            await asyncio.sleep(TROUBLE_SECONDS)

    def _pause(self) -> float:
        if self._trouble:
            return TROUBLE_SECONDS
        if any(slot.state is not SlotState.RUNNING for slot in self.slots()):
            return LOOK_SECONDS
        # Randomized, because many clusters begin at the same time when a class does.
        return CALM_SECONDS * random.uniform(0.75, 1.25)  # noqa: S311  # no secret

    async def _look(self) -> None:
        try:
            report = await self._server.report(self._name)
        except ClusterUnknown as error:
            # A server that is just starting may not have read its list yet.
            self._trouble = error.message
            self._unknown_since = self._unknown_since or time.monotonic()
            if time.monotonic() - self._unknown_since > UNKNOWN_SECONDS:
                self._scheduler.is_over(
                    f"Dask Gateway no longer has the cluster {self._name}. Was it restarted without its database?",
                    failed=True,
                )
            return
        except OperationFailed as error:
            self._trouble = f"{error.message} The state shown may be out of date."
            return
        self._trouble = self._unknown_since = None
        if report.status == "FAILED":
            self._scheduler.is_over(
                "The cluster has failed on the Dask Gateway, perhaps because workers could not start. See the server's "
                "log.",
                failed=True,
            )
        elif report.ended:
            self._scheduler.is_over(
                "Dask Gateway has shut the cluster down: on request, or because it reached the site's idle timeout.",
                failed=False,
            )


START_LOOK_SECONDS = 0.3
LONGEST_LOOK_SECONDS = 3.0
LAST_WORD_SECONDS = 5.0
IN_FLIGHT_SECONDS = 2.0  # For this time the server may still process a request whose sender is dead.
CLOCK_SECONDS = 5.0
USE_SECONDS = 10.0


async def start(plan: Plan, context: StartContext) -> GatewayDeployment:
    """Request the cluster, connect, and request its workers. Raises `StartFailed`: a new one is shut down again."""
    spec: GatewaySpec = plan.options["spec"]
    login: Login = plan.options["login"]
    know_addresses()
    server = GatewayServer(login)
    record = RequestRecord(context, spec, login)
    try:
        name = spec.cluster_name
        if name is None:
            context.report("scheduler", "Requesting a cluster from Dask Gateway")
            name = await _submit(server, record, plan.options["options"])
        elif spec.ends_with_us:
            record.write(name)
        context.report("scheduler", "Waiting for the scheduler of the cluster")
        report = await _running(server, name)
        scheduler = await _connect(server, report, context)
        deployment = GatewayDeployment(server, report, scheduler, context, ends_with_us=spec.ends_with_us)
        if spec.n_workers is not None or spec.cluster_name is None:
            context.report("workers", "Requesting workers")
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
        names = [report.name for report in before]
        self._kept |= {"before": names, "options": options, "asked": asked, "noted": time.time()}
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
    pause = START_LOOK_SECONDS
    while True:
        report = await server.report(name)
        if report.status == "RUNNING":
            return report
        if report.ended:
            raise StartFailed(
                f"Dask Gateway could not start the scheduler of the cluster {name} ({report.status.lower()}). See the "
                "server's log, or ask its administrator."
            )
        await asyncio.sleep(pause)
        pause = min(LONGEST_LOOK_SECONDS, 1.2 * pause)


async def _connect(server: GatewayServer, report: Report, context: StartContext) -> GatewayScheduler:
    address, security = server.scheduler_address(report.name), security_of(report)
    try:
        greeting = await greet(address, security)
    except PreflightFailed as error:
        raise StartFailed(
            f"{error.message} Dask's connections go to {urlsplit(address).netloc}; to change that, set proxy_address."
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
                context.report(
                    f"The cluster {found}, left over from a process that died, was shut down on the Dask Gateway"
                )


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
