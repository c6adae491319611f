"""One page that looks at the event stream."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from tornado.iostream import StreamClosedError
from tornado.websocket import WebSocketClosedError

from .event_message import EventMessage

Write = Callable[[EventMessage], "asyncio.Future[Any]"]
"""Begins to send a message. The future is done at once when the connection has taken it."""


class Viewer:
    """What one page has still to be told.

    Nobody waits for a page: while its connection is full, only the newest message about each thing is kept.

    Parameters
    ----------
    write : callable
        Sends to the page.
    """

    def __init__(self, write: Write) -> None:
        self._write = write
        self._waiting: dict[tuple[str, str], EventMessage] = {}
        self._writing: asyncio.Future[Any] | None = None

    def offer(self, message: EventMessage) -> None:
        """Send a message now, or as soon as the page can take it."""
        if self._writing is None and not self._waiting:
            self._send(message)
            return
        kind, id = message.about
        if kind == "hello":
            self._waiting.clear()
        elif kind == "removed":
            self._waiting.pop(("cluster", id), None)
            self._waiting.pop(("telemetry", id), None)
        # At the end: what it replaces may be older than other things that wait.
        self._waiting.pop(message.about, None)
        self._waiting[message.about] = message

    def _send(self, message: EventMessage) -> None:
        try:
            writing = self._write(message)
        except (StreamClosedError, WebSocketClosedError):
            return  # Whoever holds the connection is told by it.
        if not writing.done():
            self._writing = writing
            writing.add_done_callback(self._sent)

    def _sent(self, writing: asyncio.Future[Any]) -> None:
        self._writing = None
        if writing.cancelled() or writing.exception() is not None:
            self._waiting.clear()
        while self._waiting and self._writing is None:
            self._send(self._waiting.pop(next(iter(self._waiting))))
