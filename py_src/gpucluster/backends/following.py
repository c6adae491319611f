"""Follows what is elsewhere: the state of workers at a batch system or a cloud, and what programs print."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

from ..protocol.errors import GPUClusterError

logger = logging.getLogger("gpucluster.backends")

_LONGEST_LINE = 65536


@dataclass(eq=False)
class Following:
    """Looks repeatedly, and reports when there is no answer."""

    look: Callable[[], Awaitable[None]]  # Looks once and acts on what it finds.
    restless: Callable[[], bool]  # Whether something waits or changes.
    what: str  # What is looked at, such as ``jobs``.
    _: KW_ONLY
    often: float  # Seconds between two looks while something waits or changes.
    calm: float  # Seconds between two looks otherwise.
    silent: tuple[type[GPUClusterError], ...]  # Errors that mean that there is no answer.
    trouble: str | None = field(default=None, init=False)  # A message while there is no answer.
    _soon: asyncio.Event = field(default_factory=asyncio.Event, init=False)

    def notes(self) -> list[str]:
        return [] if self.trouble is None else [self.trouble]

    def soon(self) -> None:
        """Look again as soon as the interval allows."""
        self._soon.set()

    async def run(self) -> None:
        while True:
            begun = time.monotonic()
            self._soon.clear()
            pause = self.calm
            try:
                await self.look()
                self.trouble = None
                pause = self.often if self.restless() else self.calm
            except self.silent as error:
                self.trouble = f"{error.message.rstrip('.')}. The state of the {self.what} may be out of date."
            except Exception:
                logger.exception("The %s could not be inspected", self.what)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._soon.wait(), pause)
            await asyncio.sleep(max(0.0, begun + self.often - time.monotonic()))


async def lines_of(stream: Any) -> AsyncIterator[str]:
    """Yield the lines of a program's output, without their ends; a very long one in parts."""
    rest = b""
    while part := await stream.read(_LONGEST_LINE):
        *lines, rest = (rest + part).split(b"\n")
        if len(rest) > _LONGEST_LINE:
            lines, rest = [*lines, rest], b""
        for line in lines:
            yield line.decode(errors="replace").rstrip()
    if rest:
        yield rest.decode(errors="replace").rstrip()


class Tasks:
    """Background tasks of a deployment."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[None]] = set()

    def begin(self, work: Coroutine[Any, Any, None]) -> None:
        """Run it until it is done, or ``stop``."""
        task = asyncio.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    def stop(self) -> None:
        for task in self._running:
            task.cancel()
