"""Looks at the queue again and again: often while something waits or changes, seldom when all is calm."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress

from . import commands
from .queue import INTERVAL_SECONDS

logger = logging.getLogger("gpucluster.backends")

CALM_SECONDS = 15.0
"""Between two looks at the queue when all jobs run."""
TROUBLE_SECONDS = 15.0


class Following:
    """Does what follows from the queue, and tells when Slurm does not answer.

    Parameters
    ----------
    look : callable
        Looks once.
    restless : callable
        Whether something waits or changes.
    """

    def __init__(self, look: Callable[[], Awaitable[None]], restless: Callable[[], bool]) -> None:
        self._look = look
        self._restless = restless
        self._soon = asyncio.Event()
        self.trouble: str | None = None
        """That Slurm does not answer, in a sentence."""

    def soon(self) -> None:
        """Look again as soon as that may be."""
        self._soon.set()

    async def run(self) -> None:
        """Look until cancelled."""
        while True:
            begun = time.monotonic()
            try:
                await self._look()
                self.trouble = None
                pause = INTERVAL_SECONDS if self._restless() else CALM_SECONDS
            except commands.SlurmSilent as error:
                self.trouble = f"{error.message} What is said of the jobs may be old."
                pause = TROUBLE_SECONDS
            except Exception:
                logger.exception("The queue could not be looked at")
                pause = TROUBLE_SECONDS
            self._soon.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._soon.wait(), pause)
            # Whatever happens: not more often than that.
            await asyncio.sleep(max(0.0, begun + INTERVAL_SECONDS - time.monotonic()))
