"""One cluster of a Dask Gateway: the server starts its workers, replaces them, and follows the load."""

from __future__ import annotations

import asyncio
import logging
import random
import re
import time
from collections.abc import Collection
from contextlib import suppress
from datetime import UTC, datetime

from ...protocol.errors import OperationFailed
from ...protocol.spec import Adapt
from ...protocol.verbs import Verb
from ..backend import StartContext
from ..deployment import Deployment, Slot, SlotState
from .scheduler import GatewayScheduler
from .server import ClusterUnknown, GatewayServer, Report

logger = logging.getLogger("gpucluster.backends")

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
        self._lost = {
            name: lost
            for name, lost in self._lost.items()
            if time.monotonic() - lost < REPORTED_SECONDS and name not in here
        }
        slots = [
            Slot(name, SlotState.LEAVING if name in self._leaving else SlotState.RUNNING, since)
            for name, since in self._since.items()
        ]
        slots += [Slot(name, SlotState.LOST, now, "it has gone") for name in self._lost]
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
                    f"Dask Gateway no longer has the cluster {self._name}: was it restarted without its list?",
                    failed=True,
                )
            return
        except OperationFailed as error:
            self._trouble = f"{error.message} The state shown may be out of date."
            return
        self._trouble = self._unknown_since = None
        if report.status == "FAILED":
            self._scheduler.is_over(
                "The cluster has failed at the Dask Gateway, perhaps because workers could not start. See the "
                "server's log.",
                failed=True,
            )
        elif report.ended:
            self._scheduler.is_over(
                "Dask Gateway has shut the cluster down: on request, or because it reached the site's idle timeout.",
                failed=False,
            )
