"""One connection between two ranks, and the messages that arrived for it in order."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any

from .wire import Envelope, Key

WINDOW_BYTES = 2**27  # Limit of unread data of one connection; the rest waits at the sender.


class Arriving:
    """A message whose buffers are on their way; without an envelope, the end of the connection."""

    def __init__(self, envelope: Envelope | None) -> None:
        self.envelope = envelope
        self.buffers: list[Any] = []
        self.left = 0  # Pieces that are still being received.
        self.is_received = envelope is None or not envelope.blocks  # Whether receiving its buffers has begun.

    @property
    def is_here(self) -> bool:
        """Whether all of it has come."""
        return self.is_received and self.left == 0

    @property
    def nbytes(self) -> int:
        return sum(self.envelope.sizes) if self.envelope is not None else 0


class Channel:
    """One side of a connection with another rank; ``sends`` and ``receives`` are tags of buffers."""

    def __init__(self, key: Key, peer: int, sends: int, receives: int, *, opened_here: bool) -> None:
        self.key = key
        self.peer = peer
        self.sends = sends
        self.receives = receives
        self.opened_here = opened_here
        self.arriving: deque[Arriving] = deque()
        self.closed_here = False
        self.closed_there = False
        self.failure: str | None = None  # The error, if MPI has failed.
        self._reader: asyncio.Future[None] | None = None

    def to_receive(self) -> list[Arriving]:
        """Return the messages whose buffers may be received now, in order."""
        found, taken = [], 0
        for message in self.arriving:
            if taken >= WINDOW_BYTES and not self.closed_here:
                break
            taken += message.nbytes
            if not message.is_received:
                found.append(message)
        return found

    def take(self) -> Arriving | None:
        """Return the next message if all of it is here."""
        return self.arriving.popleft() if self.arriving and self.arriving[0].is_here else None

    def changed(self) -> None:
        if self._reader is not None and not self._reader.done():
            self._reader.set_result(None)

    async def wait(self) -> None:
        """Wait until there may be something to take; one reads at a time."""
        self._reader = asyncio.get_running_loop().create_future()
        try:
            await self._reader
        finally:
            self._reader = None
