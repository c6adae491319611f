"""One worker on one of the hosts, as ``SpecCluster`` knows it."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ...dask_internals.started_elsewhere import StartedElsewhere
from .connection import HostUnusable

if TYPE_CHECKING:
    from .host import Host
    from .pool import Pool

START_SECONDS = 60.0
STOP_SECONDS = 8.0


class SSHWorker(StartedElsewhere):
    """A nanny with its worker, in the agent of a host.

    Parameters
    ----------
    scheduler : str
        Address of the scheduler.
    name : int or str
        What it is called, here and there.
    pool : Pool
        Where it gets its host from.
    """

    def __init__(self, scheduler: str, name: Any, pool: Pool) -> None:
        super().__init__(scheduler, name)
        self.name = name
        self.device: str | None = None
        self._scheduler_address = scheduler
        self._pool = pool
        self._host: Host | None = None
        self._started: asyncio.Future[None] | None = None

    async def start(self) -> None:
        """Start it on the host that has most room."""
        self._started = asyncio.get_running_loop().create_future()
        try:
            with self._pool.placing(self) as host:
                self._host = host
                await host.start(self, self._pool.command(self, host, self._scheduler_address, START_SECONDS))
            await asyncio.wait_for(asyncio.shield(self._started), START_SECONDS + STOP_SECONDS)
        except TimeoutError:
            raise self.note_failure(HostUnusable(f"{self._where}: the worker did not start in time.")) from None
        except Exception as error:
            raise self.note_failure(error) from None
        self.note_running()
        if not self.runs:
            raise self.note_failure(HostUnusable(f"{self._where}: the worker ended during its start."))

    async def close(self) -> None:
        """End it."""
        host = self._host
        if host is not None and host.workers.get(self.name) is self:
            with suppress(Exception):
                host.stop(self)
                await asyncio.wait_for(self.has_ended(), STOP_SECONDS)
        await super().close()

    @property
    def _where(self) -> str:
        return self._host.name if self._host is not None else "No host"

    # -- told by the host ------------------------------------------------------------------------

    def has_started(self, address: str) -> None:
        """Note that it is connected."""
        self.address = address
        if self._started is not None and not self._started.done():
            self._started.set_result(None)

    def has_failed(self, why: Exception) -> None:
        """Note why it could not start."""
        if self._started is not None and not self._started.done():
            self._started.set_exception(why)
            self._started.exception()  # Nobody may wait for it any more.

    def has_gone(self) -> None:
        """Note that it has ended, or that nobody can know."""
        self.has_failed(HostUnusable(f"{self._where}: the worker ended during its start."))
        self.note_gone()
