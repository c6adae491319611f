"""Messages over sockets that a rank's thread reads and writes, without its worker's event loop.

On the wire: the number of frames, the length of each, and the frames; all numbers have 8 bytes.
"""

from __future__ import annotations

import os
import select
import socket
import struct
import time
from collections import deque
from collections.abc import Generator, Iterable
from contextlib import suppress
from typing import Any

from ...dask_internals.messages import packed, unpacked
from .communicator import Message

_NUMBER = struct.Struct("=Q")
_MOST_FRAMES = 512  # Of one system call, which takes 1024.
SPIN_SECONDS = 2e-4
"""How long a rank polls before it sleeps: ranks with equal parts arrive almost together, and waking up takes longer
than most waits. Other threads run between two polls."""
_ROOM_BYTES = 1 << 16
"""Shorter data are received with as few system calls as possible, and copied; longer arrays are received in place."""


class Incoming:
    """Receives messages of one rank over a non-blocking socket, ``None`` if it is closed; ``read`` was read before."""

    def __init__(self, sock: socket.socket | None, read: bytes) -> None:
        self._sock = sock
        self._messages: deque[Message] = deque()
        self._frames = self._taken_apart()
        self._space = memoryview(next(self._frames))
        self._room = memoryview(bytearray(_ROOM_BYTES))
        self._take(memoryview(read))

    @property
    def ended(self) -> bool:
        """Whether nothing more can arrive."""
        return self._sock is None

    def fileno(self) -> int:
        """Return the file descriptor to wait for; -1 after the end."""
        sock = self._sock
        return -1 if sock is None else sock.fileno()

    def pop(self) -> Message:
        """Return the next message; raises `IndexError` if none has arrived."""
        return self._messages.popleft()

    def fill(self) -> None:
        """Read what has arrived, without waiting."""
        # The event loop may close it meanwhile.
        while (sock := self._sock) is not None:
            direct = len(self._space) >= len(self._room)
            space = self._space if direct else self._room
            try:
                size = sock.recv_into(space)
            except BlockingIOError:
                return
            except OSError:
                size = 0
            if not size:
                self.close()
            elif direct:
                self._advance(size)
            else:
                self._take(space[:size])
            # Otherwise there may be more.
            if 0 < size < len(space):
                return

    def close(self) -> None:
        """Close the socket; a rank that waits for a message gets an error."""
        sock, self._sock = self._sock, None
        if sock is not None:
            with suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
            sock.close()

    def _take(self, rest: memoryview) -> None:
        while rest:
            size = min(len(rest), len(self._space))
            self._space[:size] = rest[:size]
            rest = rest[size:]
            self._advance(size)

    def _advance(self, size: int) -> None:
        self._space = self._space[size:]
        while not self._space:
            self._space = memoryview(next(self._frames))

    def _taken_apart(self) -> Generator[bytearray]:
        """Yield the buffers to fill next; arrays stay in these buffers, which belong to the receiver."""
        while True:
            yield (count := bytearray(_NUMBER.size))
            yield (lengths := bytearray(_NUMBER.size * _NUMBER.unpack(count)[0]))
            frames = [bytearray(length) for (length,) in _NUMBER.iter_unpack(lengths)]
            yield from frames
            self._messages.append(unpacked(frames))


class Outgoing:
    """Sends messages to one rank over a non-blocking socket."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock

    def fileno(self) -> int:
        """Return the file descriptor to wait for."""
        return self._sock.fileno()

    def write(self, views: list[memoryview]) -> list[memoryview]:
        """Send as much as possible without waiting, and return the rest; raises `OSError` if the rank is gone."""
        while views:
            try:
                size = self._sock.sendmsg(views[:_MOST_FRAMES])
            except BlockingIOError:
                break
            while views and size >= len(views[0]):
                size -= len(views.pop(0))
            if size:
                views[0] = views[0][size:]
        return views

    def close(self) -> None:
        """Close the socket; the other rank still receives what was sent."""
        self._sock.close()


_let_others_run = getattr(os, "sched_yield", lambda: time.sleep(0))  # Gives the processor to another thread.


def views_of(message: Message) -> list[memoryview]:
    frames = [memoryview(frame).cast("B") for frame in packed(message)]
    head = b"".join(map(_NUMBER.pack, [len(frames), *map(len, frames)]))
    return [memoryview(head), *(frame for frame in frames if len(frame))]


def wait_for(readable: Iterable[Incoming], writable: Outgoing | None, seconds: float) -> list[Any]:
    """Return the connections that are ready, after waiting for one of them; none after the timeout."""
    waiting: dict[int, Any] = {}
    poll = select.poll()
    for incoming in readable:
        if (number := incoming.fileno()) >= 0:
            waiting[number] = incoming
            poll.register(number, select.POLLIN)
    if writable is not None:
        waiting[writable.fileno()] = writable
        poll.register(writable, select.POLLOUT)
    until = time.perf_counter() + SPIN_SECONDS
    while not (ready := poll.poll(0)) and time.perf_counter() < until:
        _let_others_run()
    return [waiting[number] for number, _ in ready or poll.poll(seconds * 1000)]
