"""Messages between the grader and the learner's kernel, over a socket of this machine.

What comes from the kernel is plain data and is never unpickled; what goes there may be anything.
"""

import json
import socket
import struct
import time
from typing import Any

LARGEST_MESSAGE = 512 * 2**20
_HEADER = struct.Struct("!QI")
_MOST_BUFFERS = 100_000


class ChannelClosed(Exception):
    """The other side has gone, takes too long, or sends what cannot be."""


class Channel:
    """One connection.

    Parameters
    ----------
    connection : socket.socket
        Connected.
    deadline : float, optional
        Time of ``time.monotonic`` at which waiting ends.
    """

    def __init__(self, connection: socket.socket, deadline: float | None = None) -> None:
        self._socket = connection
        self.deadline = deadline

    def send(self, header: Any, buffers: list[bytes] | None = None) -> None:
        """Send plain JSON data, and bytes beside it."""
        buffers = buffers or []
        text = json.dumps([header, [len(buffer) for buffer in buffers]]).encode()
        size = len(text) + sum(map(len, buffers))
        try:
            self._wait()
            self._socket.sendall(_HEADER.pack(size, len(text)) + text)
            for buffer in buffers:
                self._wait()
                self._socket.sendall(buffer)
        except OSError as error:
            raise ChannelClosed(f"nothing can be sent ({error})") from None

    def receive(self) -> tuple[Any, list[bytes]]:
        """Return the next message.

        Raises
        ------
        ChannelClosed
            Also when the message is too large or no message at all.
        """
        size, text_size = _HEADER.unpack(self._read(_HEADER.size))
        if size > LARGEST_MESSAGE or text_size > size:
            raise ChannelClosed("the message is too large")
        try:
            header, sizes = json.loads(self._read(text_size))
            sizes = [int(one) for one in sizes]
        except (ValueError, TypeError, RecursionError):
            raise ChannelClosed("the message cannot be read") from None
        if len(sizes) > _MOST_BUFFERS or min(sizes, default=0) < 0 or text_size + sum(sizes) != size:
            raise ChannelClosed("the message has parts of the wrong size")
        return header, [self._read(one) for one in sizes]

    def close(self) -> None:
        """End the connection."""
        self._socket.close()

    def _read(self, size: int) -> bytes:
        parts = bytearray()
        while len(parts) < size:
            self._wait()
            try:
                part = self._socket.recv(min(size - len(parts), 2**20))
            except OSError as error:
                why = "it takes too long" if isinstance(error, TimeoutError) else str(error)
                raise ChannelClosed(why) from None
            if not part:
                raise ChannelClosed("the kernel has ended")
            parts += part
        return bytes(parts)

    def _wait(self) -> None:
        if self.deadline is not None:
            left = self.deadline - time.monotonic()
            if left <= 0:
                raise ChannelClosed("it takes too long")
            self._socket.settimeout(left)
