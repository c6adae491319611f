"""The view of a scheduler that runs in another process, on this machine or elsewhere.

A client connects to it and sends a plugin there by value, as the profiler does: the other side may have another
version of gpucluster, or none. Readings come back once a second, and at once when workers or clients come or go.
"""

from __future__ import annotations

import asyncio
import logging
import pickle
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self
from uuid import uuid4

import dask
from dask.utils import parse_timedelta
from distributed import Client

from ...dask_internals import scheduler_state
from ...dask_internals.messages import sent_by_value
from ...telemetry import columns
from . import reader
from .view import ANSWER_SECONDS, Members, SchedulerView

if TYPE_CHECKING:
    from distributed.security import Security

logger = logging.getLogger("gpucluster.backends")

INTERVAL_SECONDS = 1.0
SILENCE_SECONDS = 60.0  # After this time without an answer the scheduler is gone; sooner if the connection is broken.


class RemoteScheduler(SchedulerView):
    """Reads a scheduler through a client. Made by ``connect``."""

    def __init__(self, client: Client, dashboard: tuple[str, int] | None) -> None:
        self._client = client
        self._name = f"gpucluster_view_{uuid4().hex}"
        self._last: dict[str, Any] = {}
        self._answered = time.monotonic()
        self._changed: Callable[[], None] = lambda: None
        self._cell_began: Callable[[], None] = lambda: None
        self._look = asyncio.Event()
        self._given: dict[str, bytes] = {}
        self._task: asyncio.Task[None] | None = None
        assert client.scheduler is not None
        self._address = str(client.scheduler.address)
        self.dashboard = dashboard

    @property
    def address(self) -> str:
        return self._address

    @classmethod
    async def connect(
        cls, address: str, security: Security | None, *, timeout: float, dashboard: tuple[str, int] | None = None
    ) -> Self:
        """Connect to a scheduler and read it from then on."""
        client = await _connected(address, security, timeout)
        try:
            view = cls(client, dashboard)
            await view._send()
            view._listen()
            await view.refresh()
        except BaseException:
            with suppress(Exception):
                await client.close()
            raise
        view._task = asyncio.create_task(view._follow())
        return view

    def _listen(self) -> None:
        self._client.subscribe_topic(self._name, lambda event: self._look.set())

    async def connect_again(self, address: str, security: Security | None, *, timeout: float) -> None:
        """Read the same scheduler through another client, after the first one gave up."""
        with suppress(Exception):
            await asyncio.wait_for(self._client.close(), ANSWER_SECONDS)
        self._client = await _connected(address, security, timeout)
        self._listen()
        await self._come_back()

    async def _send(self) -> None:
        with sent_by_value(reader.__package__, columns.__name__):
            plugin = reader.SchedulerReader(self._name, self._client.id)
            await self._client.register_plugin(plugin, name=self._name)

    async def _follow(self) -> None:
        while True:
            computes = any(cell["ended"] is None for cell in self._last["cells"])
            with suppress(TimeoutError):
                # More often while cells compute, so that a crash loses less of what they did.
                await asyncio.wait_for(self._look.wait(), INTERVAL_SECONDS / 4 if computes else INTERVAL_SECONDS)
            self._look.clear()
            before, cells = self.members(), self._cell_ids()
            try:
                await self.refresh()
            except Exception as error:
                await self._come_back()
                if self.members().ended is not None:
                    logger.error("The scheduler does not respond (%s: %s)", type(error).__name__, error)
            if self.members() != before:
                try:
                    self._changed()
                except Exception:
                    # Go on reading: otherwise the scheduler would count as gone.
                    logger.exception("A change of workers or clients could not be forwarded")
            if not self._cell_ids() <= cells:
                self._cell_began()

    def _cell_ids(self) -> set[str]:
        return {cell["id"] for cell in self._last["cells"]}

    async def _come_back(self) -> None:
        """Send the plugins again, where another scheduler answers at the same address."""
        if self._client.status != "running":
            return
        with suppress(Exception):
            async with asyncio.timeout(ANSWER_SECONDS):
                await self._send()
                await self.refresh()
                for name, pickled in self._given.items():
                    await scheduler_state.give_worker_plugin_elsewhere(self._client, pickled, name)

    def _reading(self, name: str) -> Any:
        return self._last[name]

    async def _ask(self, verb: str, *, seconds: float | None = ANSWER_SECONDS, **options: Any) -> Any:
        handler = getattr(self._client.scheduler, self._name)
        return await asyncio.wait_for(handler(verb=verb, **options), seconds)

    def watch(self, changed: Callable[[], None]) -> None:
        self._changed = changed

    def watch_cells(self, began: Callable[[], None]) -> None:
        self._cell_began = began

    async def refresh(self) -> None:
        found = await self._ask("read")
        if found is None:  # distributed's answer to an unknown request.
            raise LookupError("Another scheduler is now at its address")
        self._last = found
        self._answered = time.monotonic()

    def members(self) -> Members:
        found = super().members()
        if found.ended is None and time.monotonic() - self._answered > self._patience():
            return found.lost("The scheduler no longer responds.")
        return found

    def _patience(self) -> float:
        """Return the seconds without an answer after which the scheduler is gone."""
        if self._client.status == "closed":
            return 0
        if self._client.status == "connecting":
            # Nothing listens there any more, so the scheduler does not just hang. Workers and clients retry this long.
            connecting: float = parse_timedelta(dask.config.get("distributed.comm.timeouts.connect"))
            return min(SILENCE_SECONDS, connecting)
        return SILENCE_SECONDS

    async def target(self, seconds: float) -> int:
        return await scheduler_state.target_elsewhere(self._client, seconds)

    async def to_close(self, count: int) -> list[str]:
        together = None if self.together is None else pickle.dumps(self.together)
        return await scheduler_state.to_close_elsewhere(self._client, count, together)

    async def forget(self, address: str) -> None:
        """Remove a worker from the scheduler, and do not ask it to end."""
        await scheduler_state.forget_worker_elsewhere(self._client, address)

    async def add_worker_plugin(self, name: str, pickled: bytes) -> None:
        self._given[name] = pickled
        await scheduler_state.give_worker_plugin_elsewhere(self._client, pickled, name)

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
        with suppress(Exception):
            await asyncio.wait_for(self._client.close(), ANSWER_SECONDS)


async def _connected(address: str, security: Security | None, timeout: float) -> Client:
    client: Any = Client(
        address, security=security, asynchronous=True, timeout=timeout, set_as_default=False, name="gpucluster"
    )
    try:
        await client
    except BaseException:
        with suppress(Exception):
            await client.close()
        raise
    connected: Client = client
    return connected
