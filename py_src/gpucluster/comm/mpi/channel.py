"""One connection between two ranks: the messages that arrived for it in order, and the buffers of a direction."""

import asyncio
from collections import deque
from collections.abc import Callable
from functools import partial
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


MOST_AT_ONCE = 16

Start = Callable[[], tuple[Any, Any]]  # Passes a buffer to MPI; returns the request and the buffer.
Follow = Callable[[Any, Any, Callable[[], None]], None]
"""Tests a request, with its buffer, until it completes, and then calls a function; perhaps at once."""


class Lane:
    """Buffers with one tag between two ranks, in order: a few at a time are passed to MPI, the others wait here.

    Testing requests takes longer the more there are: with all buffers of a message at once, a message of twice as many
    would take four times as long, and delay all others. ``empty`` is called whenever nothing is left.
    """

    def __init__(self, follow: Follow, empty: Callable[[], object]) -> None:
        self._follow = follow
        self._empty = empty
        self._waiting: deque[tuple[Start, Callable[[], None] | None]] = deque()
        self._with_mpi = 0
        self._is_filling = False

    def add(self, start: Start, end: Callable[[], None] | None = None) -> None:
        """Send or receive a buffer when it is its turn, and call ``end`` when it is done."""
        self._waiting.append((start, end))
        self._fill()

    def _fill(self) -> None:
        if self._is_filling:
            return  # A request completed at once: the loop below continues.
        self._is_filling = True
        try:
            while self._waiting and self._with_mpi < MOST_AT_ONCE:
                start, end = self._waiting.popleft()
                self._with_mpi += 1
                self._follow(*start(), partial(self._done, end))
        finally:
            self._is_filling = False
        if not self._waiting and not self._with_mpi:
            self._empty()

    def _done(self, end: Callable[[], None] | None) -> None:
        self._with_mpi -= 1
        if end is not None:
            end()
        self._fill()
