"""A page of JupyterLab with the panel, without a browser: its requests when it is opened, and from then on.

The requests and their pace are those of the page (``browserpage`` counts a real one's in the same run).
"""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import json
import time
from typing import Any

from tornado.httpclient import HTTPRequest
from tornado.websocket import WebSocketClientConnection, websocket_connect

from .server import Server

OPENING = (
    "/lab", "/lab/api/settings", "/lab/api/translations/en", "/lab/api/workspaces/default", "/api/me",
    "/api/kernelspecs", "/api/kernels", "/api/sessions", "/api/terminals", "/api/contents?content=1&hash=0",
    "/lsp/status", "/gpucluster/api/clusters", "/gpucluster/api/schema", "/gpucluster/api/presets",
    "/gpucluster/api/lessons", "/gpucluster/api/site",
)  # fmt: skip
REPEATED = (
    (10.0, ("/api/kernels", "/api/sessions", "/api/terminals", "/api/contents?content=1&hash=0")),
    (5.0, ("/gpucluster/api/lessons",)),
    (61.0, ("/api/kernelspecs",)),
)
"""Intervals in seconds, and what is requested at each; JupyterLab waits longer while nothing changes."""


class Page:
    """One open page.

    Parameters
    ----------
    server : Server
        Whose page it is.
    """

    def __init__(self, server: Server) -> None:
        self._server = server
        self._socket: WebSocketClientConnection | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._changed = asyncio.Event()
        self.clusters: dict[str, Any] = {}
        self.seen: list[tuple[float, str, str]] = []
        """When the page showed what: time, state of the cluster, and the line of its progress."""
        self.bytes = 0
        self.messages = 0

    async def open(self) -> None:
        """Load the page, and begin to follow the clusters."""
        for path in OPENING:
            # What this server does not have, a page does without.
            self.bytes += len((await self._server.client.get(path)).content)
        request = HTTPRequest(
            f"ws://127.0.0.1:{self._server.port}/gpucluster/api/events",
            headers={"Authorization": f"token {self._server.token}"},
            connect_timeout=60,
            request_timeout=60,
        )
        self._socket = await websocket_connect(request)
        self._tasks = [asyncio.create_task(self._follow(self._socket))]
        self._tasks += [asyncio.create_task(self._repeat(*each)) for each in REPEATED]

    async def close(self) -> None:
        """Close the lid."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        if self._socket is not None:
            self._socket.close()

    def note(self, model: dict[str, Any]) -> None:
        """Show a cluster, as the page does with each answer and event."""
        self.clusters[model["id"]] = model
        line = (model.get("progress") or {}).get("message", "")
        if not self.seen or self.seen[-1][1:] != (model["state"], line):
            self.seen.append((time.monotonic(), model["state"], line))
        self._changed.set()

    async def until(self, id: str, *states: str) -> dict[str, Any]:
        """Wait until the page shows a cluster in one of these states."""
        while self.clusters.get(id, {}).get("state") not in states:
            self._changed.clear()
            await self._changed.wait()
        model: dict[str, Any] = self.clusters[id]
        return model

    async def until_workers(self, id: str, number: int) -> None:
        """Wait until the page shows a running cluster with this number of workers."""
        while (model := self.clusters[id])["state"] != "running" or model["n_workers"] != number:
            if model["state"] in {"failed", "stopped"}:
                raise RuntimeError(f"The cluster of {self._server.account.name} has ended: {model['reason']}")
            self._changed.clear()
            await self._changed.wait()

    async def _follow(self, socket: WebSocketClientConnection) -> None:
        while (message := await socket.read_message()) is not None:
            self.messages += 1
            self.bytes += len(message)
            event = json.loads(gzip.decompress(message) if isinstance(message, bytes) else message)
            match event["kind"]:
                case "hello":
                    for model in event["clusters"]:
                        self.note(model)
                case "cluster":
                    self.note(event["cluster"])

    async def _repeat(self, seconds: float, paths: tuple[str, ...]) -> None:
        while True:
            await asyncio.sleep(seconds)
            for path in paths:
                with contextlib.suppress(Exception):  # A page tries again, too.
                    self.bytes += len((await self._server.client.get(path)).content)
