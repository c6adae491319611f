"""One message of the event stream, made once for all viewers."""

from __future__ import annotations

import gzip
import struct
from dataclasses import dataclass

COMPRESS_ABOVE_BYTES = 8 * 1024
"""Longer messages go as a binary frame that holds gzip."""
_LEVEL = 5
_FINAL, _TEXT, _BINARY = 0x80, 0x1, 0x2


@dataclass(frozen=True)
class EventMessage:
    """What is sent to a page."""

    about: tuple[str, str]
    """Kind of the event and what it is about: a later message about the same makes this one void."""
    payload: bytes
    """JSON, or gzip of it."""
    compressed: bool
    frame: bytes
    """The payload as a WebSocket frame. A server's frames are not masked, so they are the same for everybody."""


def event_message(kind: str, id: str, text: bytes) -> EventMessage:
    """Make a message of an event's JSON."""
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
