"""Messages over sockets that a rank's own thread reads and writes, without its worker's event loop.

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
_MOST_FRAMES = 512  # So many go to the system at once, which takes 1024.
SPIN_SECONDS = 2e-4
"""So long a rank looks again and again before it sleeps: ranks with equal parts arrive almost together, and being woken
takes longer than most waits. It lets others run between two looks."""
_ROOM_BYTES = 1 << 16
"""What is no longer than this is received with as little waiting as possible, and copied; arrays that are longer lie
where they were received."""


class Incoming:
    """What arrives from one rank over a socket that does not block; ``None`` where it is closed already.

    ``read`` has arrived before.
    """

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
        """Return what to wait for; -1 where it has ended."""
        sock = self._sock
        return -1 if sock is None else sock.fileno()

    def pop(self) -> Message:
        """Return the next message; `IndexError` where none has arrived."""
        return self._messages.popleft()

    def fill(self) -> None:
        """Take what has arrived, and do not wait for more."""
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
        """End it; whoever waits for a message learns it."""
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
        """Yield what is to be filled next; arrays then lie where they were received, and are the receiver's own."""
        while True:
            yield (count := bytearray(_NUMBER.size))
            yield (lengths := bytearray(_NUMBER.size * _NUMBER.unpack(count)[0]))
            frames = [bytearray(length) for (length,) in _NUMBER.iter_unpack(lengths)]
            yield from frames
            self._messages.append(unpacked(frames))


class Outgoing:
    """What is sent to one rank over a socket that does not block."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock

    def fileno(self) -> int:
        """Return what to wait for."""
        return self._sock.fileno()

    def write(self, views: list[memoryview]) -> list[memoryview]:
        """Send as much as possible without waiting, and return what is left; `OSError` where the rank is gone."""
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
        """Let the rank know that no more will come; it still gets what was sent."""
        self._sock.close()


_let_others_run = getattr(os, "sched_yield", lambda: time.sleep(0))  # Gives the processor to another thread.


def views_of(message: Message) -> list[memoryview]:
    frames = [memoryview(frame).cast("B") for frame in packed(message)]
    head = b"".join(map(_NUMBER.pack, [len(frames), *map(len, frames)]))
    return [memoryview(head), *(frame for frame in frames if len(frame))]


def wait_for(readable: Iterable[Incoming], writable: Outgoing | None, seconds: float) -> list[Any]:
    """Wait until one of them is ready, and return those that are; none after so many seconds."""
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
