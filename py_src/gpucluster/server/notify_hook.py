"""Notifications while no browser is open: run a command of the user's own configuration."""

from __future__ import annotations

import asyncio
import logging
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress

from ..client.control import AsyncControl
from ..protocol.errors import GPUClusterError
from ..protocol.models import ClusterChanged, ClusterModel, ClusterState, Hello
from ..protocol.plain_text import printable

SECONDS = 30.0  # Timeout of a command.
MOST_WAITING = 20  # Further news, as of workers that die in succession, are dropped.
RETRY_SECONDS = 30.0


class NotifyHook:
    """Runs a command for each piece of news, one after another.

    `control`: where the news come from. `command`: program and arguments, in which ``{message}``, ``{cluster}`` and
    ``{kind}`` are filled in. No shell reads them.
    """

    def __init__(self, control: AsyncControl, command: Sequence[str], log: logging.Logger) -> None:
        self._control = control
        self._command = list(command)
        self._log = log
        self._known: dict[str, ClusterModel] = {}  # Reported states, by cluster.
        self._waiting: asyncio.Queue[tuple[str, str, str]] = asyncio.Queue(MOST_WAITING)
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Start to watch, if there is a command; needs a running event loop."""
        if self._command:
            self._tasks = [asyncio.create_task(self._watch()), asyncio.create_task(self._run_all())]

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        self._tasks = []

    async def _watch(self) -> None:
        while True:
            try:
                async for event in self._control.events(telemetry=False):
                    if isinstance(event, Hello):
                        # Earlier news were reported already, or belong to another server.
                        self._known = {model.id: model for model in event.clusters} | self._known
                        for model in event.clusters:
                            self._note(model)
                    elif isinstance(event, ClusterChanged):
                        self._note(event.cluster)
            except GPUClusterError as error:
                self._log.warning("Events of clusters are not reported for a while: %s", error.message)
            except Exception as error:
                self._log.warning("Events of clusters are not reported for a while: %s", error, exc_info=True)
            await asyncio.sleep(RETRY_SECONDS)

    def _note(self, model: ClusterModel) -> None:
        for kind, message in self._news(model):
            with suppress(asyncio.QueueFull):
                self._waiting.put_nowait((model.name, kind, message))
        self._known[model.id] = model

    def _news(self, model: ClusterModel) -> Iterator[tuple[str, str]]:
        known = self._known.get(model.id)
        for entry in model.news:
            if known is None or entry not in known.news:
                yield entry.kind, entry.message
        if model.state is ClusterState.FAILED and (known is None or known.state is not ClusterState.FAILED):
            yield "failed", printable(f"It has failed. {model.reason or ''}".strip(), 140)

    async def _run_all(self) -> None:
        while True:
            try:
                await self._run(*await self._waiting.get())
            except Exception as error:
                self._log.warning("The notify_command could not be run: %s", error)

    async def _run(self, cluster: str, kind: str, message: str) -> None:
        # The message starts with the cluster's name, which starts with a letter, so it is never an option.
        filled = {"{message}": f"{cluster}: {message}", "{cluster}": cluster, "{kind}": kind}
        arguments = [_fill(argument, filled) for argument in self._command]
        process = await asyncio.create_subprocess_exec(
            *arguments,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
            cwd=os.path.expanduser("~"),
            start_new_session=True,
        )
        try:
            async with asyncio.timeout(SECONDS):
                status = await process.wait()
        except TimeoutError:
            self._log.warning("The notify_command did not finish within %.0f seconds and was killed.", SECONDS)
        else:
            if status:
                self._log.warning("The notify_command exited with status %d.", status)
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()


def _fill(argument: str, filled: dict[str, str]) -> str:
    """Fill in all names at once, since a value may contain another name."""
    return re.sub("|".join(map(re.escape, filled)), lambda found: filled[found[0]], argument)
