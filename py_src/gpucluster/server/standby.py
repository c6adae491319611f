"""Start and release the idle standby supervisor.

It lets the next cluster start at once and takes about 100 MB, so it only runs while the panel is in use. An open page
polls the list of clusters; that starts the first standby but does not keep one forever.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from ..client.control import AsyncControl

RESTART_SECONDS = 4.0  # Pause after a standby was taken: the next one must not compete with starting workers.
CLOSE_SECONDS = 1.0  # For closing the standby when the server stops; a missed one ends later.


class StandbyKeeper:
    """Starts the standby for the first viewer and closes it after a while without use."""

    def __init__(
        self,
        control: AsyncControl,
        *,
        enabled: bool,
        idle_seconds: float,
        log: logging.Logger,
        restart_seconds: float = RESTART_SECONDS,
    ) -> None:
        self._control = control
        self._enabled = enabled
        self._idle_seconds = idle_seconds
        self._restart_seconds = restart_seconds
        self._log = log
        self._let_go = False
        self._started = False
        self._last_used = 0.0
        self._starting: asyncio.Task[None] | None = None
        self._watch: asyncio.Task[None] | None = None

    def listed(self) -> None:
        """Note a request for the list; the first one starts the standby."""
        if not self._started:
            self._start()

    def used(self) -> None:
        """Note any other use; it starts a released standby again."""
        self._last_used = asyncio.get_running_loop().time()
        if self._let_go:
            self._start()

    def taken(self) -> None:
        """Note that a cluster was created; the standby is replaced a little later."""
        self._start(self._restart_seconds)

    async def close(self) -> None:
        for task in (self._starting, self._watch):
            if task is not None:
                task.cancel()
        self._enabled = False
        if self._started and not self._let_go:
            try:
                await asyncio.wait_for(self._control.close_standby(), CLOSE_SECONDS)
            except Exception as error:
                self._log.warning("The standby could not be closed: %s", str(error) or type(error).__name__)

    def _start(self, delay: float = 0.0) -> None:
        if not self._enabled:
            return
        self._started, self._let_go = True, False
        self._last_used = asyncio.get_running_loop().time()
        if self._starting is not None and not self._starting.done():
            self._starting.cancel()
        self._starting = asyncio.create_task(self._quietly(self._control.ensure_standby, "started", delay))
        if self._watch is None or self._watch.done():
            self._watch = asyncio.create_task(self._let_go_when_idle())

    async def _let_go_when_idle(self) -> None:
        clock = asyncio.get_running_loop().time
        while True:
            left = self._last_used + self._idle_seconds - clock()
            if left <= 0:
                break
            await asyncio.sleep(left)
        self._let_go = True
        await self._quietly(self._control.close_standby, "closed")

    async def _quietly(self, work: Callable[[], Awaitable[bool]], what: str, delay: float = 0.0) -> None:
        await asyncio.sleep(delay)
        try:
            await work()
        except Exception as error:
            self._log.warning("The standby could not be %s: %s", what, error)
