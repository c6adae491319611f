"""Events for one page: the messages, and those that wait."""

from __future__ import annotations

import asyncio
import gzip
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tornado.iostream import StreamClosedError
from tornado.websocket import WebSocketClosedError

COMPRESS_ABOVE_BYTES = 8 * 1024  # Longer messages go as a binary frame that holds gzip.
_LEVEL = 5
_FINAL, _TEXT, _BINARY = 0x80, 0x1, 0x2


@dataclass(frozen=True)
class EventMessage:
    """A message to a page."""

    about: tuple[str, str]  # Kind and subject of the event: a later message about it replaces this one.
    payload: bytes  # JSON, or gzip of it.
    compressed: bool
    frame: bytes  # The payload as an unmasked WebSocket frame, the same for all viewers.


def event_message(kind: str, id: str, text: bytes) -> EventMessage:
    compressed = len(text) > COMPRESS_ABOVE_BYTES
    payload = gzip.compress(text, _LEVEL, mtime=0) if compressed else text
    return EventMessage((kind, id), payload, compressed, _frame(payload, _BINARY if compressed else _TEXT))


def _frame(payload: bytes, opcode: int) -> bytes:
    """Return an unfragmented frame (RFC 6455, section 5.2)."""
    first, length = _FINAL | opcode, len(payload)
    if length < 126:
        head = struct.pack("!BB", first, length)
    elif length < 2**16:
        head = struct.pack("!BBH", first, 126, length)
    else:
        head = struct.pack("!BBQ", first, 127, length)
    return head + payload


Write = Callable[[EventMessage], "asyncio.Future[Any]"]
"""Starts to send a message. The future is done once the connection has taken it."""


class Viewer:
    """Queue of one page. While its connection is full, only the newest message about each subject is kept."""

    def __init__(self, write: Write, close: Callable[[], object] = lambda: None) -> None:
        self._write = write
        self.close = close
        self._waiting: dict[tuple[str, str], EventMessage] = {}
        self._writing: asyncio.Future[Any] | None = None

    def offer(self, message: EventMessage) -> None:
        """Send a message now, or once the page can take it."""
        if self._writing is None and not self._waiting:
            self._send(message)
            return
        kind, id = message.about
        if kind == "hello":
            self._waiting.clear()
        elif kind == "removed":
            for known in ("cluster", "telemetry", "cells"):
                self._waiting.pop((known, id), None)
        # Append it: the replaced message may be older than others that wait.
        self._waiting.pop(message.about, None)
        self._waiting[message.about] = message

    def _send(self, message: EventMessage) -> None:
        try:
            writing = self._write(message)
        except (StreamClosedError, WebSocketClosedError):
            return  # The connection reports its own end.
        if not writing.done():
            self._writing = writing
            writing.add_done_callback(self._sent)

    def _sent(self, writing: asyncio.Future[Any]) -> None:
        self._writing = None
        if writing.cancelled() or writing.exception() is not None:
            self._waiting.clear()
        while self._waiting and self._writing is None:
            self._send(self._waiting.pop(next(iter(self._waiting))))
