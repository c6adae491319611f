"""One connection between two ranks: what has come for it, in its order."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any

from .wire import Envelope, Key

WINDOW_BYTES = 2**27  # So much unread is taken in for one connection; what is beyond waits with its sender.


class Arriving:
    """A message whose buffers are on their way; without an envelope, nothing comes any more."""

    def __init__(self, envelope: Envelope | None) -> None:
        self.envelope = envelope
        self.buffers: list[Any] = []
        self.left = 0  # Pieces that are not here yet, of those that are received.
        self.is_received = envelope is None or not envelope.blocks  # Whether its buffers are, or have begun to be.

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
        self.failure: str | None = None  # Why nothing comes or goes any more, where MPI has failed.
        self._reader: asyncio.Future[None] | None = None

    def to_receive(self) -> list[Arriving]:
        """Return the messages whose buffers may be received now, in their order."""
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
        if self.arriving and self.arriving[0].is_here:
            return self.arriving.popleft()
        return None

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
