"""Follows what a batch system or a cloud says of workers: often while something waits or changes, else seldom."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from typing import Any

from ..protocol.errors import GPUClusterError

logger = logging.getLogger("gpucluster.backends")


class Following:
    """Does what follows from each look, and tells when nobody answers.

    * `look`: looks once.
    * `restless`: whether something waits or changes.
    * `what`: what is looked at, such as ``jobs``.
    * `often`, `calm`: seconds between two looks, while something does and while nothing does.
    * `silent`: what is raised where nobody answers.
    """

    def __init__(
        self,
        look: Callable[[], Awaitable[None]],
        restless: Callable[[], bool],
        what: str,
        *,
        often: float,
        calm: float,
        silent: tuple[type[GPUClusterError], ...],
    ) -> None:
        self._look = look
        self._restless = restless
        self._what = what
        self._often = often
        self._calm = calm
        self._silent = silent
        self._soon = asyncio.Event()
        self.trouble: str | None = None  # That nobody answers, in two sentences.

    def soon(self) -> None:
        """Look again as soon as that may be."""
        self._soon.set()

    async def run(self) -> None:
        while True:
            begun = time.monotonic()
            self._soon.clear()
            pause = self._calm
            try:
                await self._look()
                self.trouble = None
                pause = self._often if self._restless() else self._calm
            except self._silent as error:
                self.trouble = f"{error.message.rstrip('.')}. What is said of the {self._what} may be old."
            except Exception:
                logger.exception("The %s could not be looked at", self._what)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._soon.wait(), pause)
            # Whatever happens: not more often than that.
            await asyncio.sleep(max(0.0, begun + self._often - time.monotonic()))


class Tasks:
    """What a deployment does besides."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[None]] = set()

    def begin(self, work: Coroutine[Any, Any, None]) -> None:
        """Do it until it is done, or ``stop``."""
        task = asyncio.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    def stop(self) -> None:
        for task in self._running:
            task.cancel()
