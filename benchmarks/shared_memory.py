"""``python -m benchmarks.shared_memory``: what passing blocks through shared memory would gain over a unix socket.

Two processes, no Dask: the time until the second one has a block of the first in its own memory (``socket``,
``memfd, reused``), or can read it where the first one wrote it (``memfd, fresh``, which cannot be used again before
the reader is done with its array).
"""

from __future__ import annotations

import argparse
import array
import json
import mmap
import os
import socket
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

MEBIBYTE = 2**20
SEND_BUFFER_BYTES = MEBIBYTE
DONE = b"d"


def _descriptor(connection: socket.socket) -> int | None:
    message, ancillary, *_ = connection.recvmsg(1, socket.CMSG_SPACE(4))
    if not message:
        raise EOFError
    return array.array("i", ancillary[0][2])[0] if ancillary else None


def _send_descriptor(connection: socket.socket, descriptor: int) -> None:
    rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [descriptor]))
    connection.sendmsg([DONE], [rights])


def _shared(n_bytes: int) -> tuple[int, Any]:
    descriptor = os.memfd_create("block")
    os.ftruncate(descriptor, n_bytes)
    return descriptor, np.frombuffer(mmap.mmap(descriptor, n_bytes), np.uint8)


def read_socket(connection: socket.socket, n_bytes: int) -> None:
    """Read blocks as distributed does: into memory that is there."""
    block = memoryview(bytearray(n_bytes))
    while True:
        n_read = 0
        while n_read < n_bytes:
            n_new = connection.recv_into(block[n_read:])
            if not n_new:
                return
            n_read += n_new
        connection.send(DONE)


def read_reused(connection: socket.socket, n_bytes: int) -> None:
    """Copy blocks out of one segment, which the sender uses again."""
    block = np.zeros(n_bytes, np.uint8)
    segment: Any = None
    while True:
        try:
            descriptor = _descriptor(connection)
        except EOFError:
            return
        if descriptor is not None:
            segment = np.frombuffer(mmap.mmap(descriptor, n_bytes), np.uint8)
        block[:] = segment
        connection.send(DONE)


def read_fresh(connection: socket.socket, n_bytes: int) -> None:
    """Read one byte of each page of a segment that the sender gives away."""
    while True:
        try:
            descriptor = _descriptor(connection)
        except EOFError:
            return
        assert descriptor is not None
        segment = np.frombuffer(mmap.mmap(descriptor, n_bytes), np.uint8)
        os.close(descriptor)
        int(segment[:: mmap.PAGESIZE].sum())
        del segment
        connection.send(DONE)


def sender(way: str, connection: socket.socket, block: Any) -> Callable[[], None]:
    """Return what sends the block once."""
    if way == "socket":
        return lambda: connection.sendall(block)
    if way == "memfd, fresh":

        def give() -> None:
            descriptor, segment = _shared(len(block))
            segment[:] = block
            _send_descriptor(connection, descriptor)
            os.close(descriptor)

        return give
    descriptor, segment = _shared(len(block))
    unknown = [descriptor]

    def again() -> None:
        segment[:] = block
        if unknown:
            _send_descriptor(connection, unknown.pop())
        else:
            connection.send(DONE)

    return again


READERS = {"socket": read_socket, "memfd, reused": read_reused, "memfd, fresh": read_fresh}


def measure(n_bytes: int, repeats: int) -> dict[str, Any]:
    """Return medians in milliseconds by way, and the medians of the ratios of the socket's time to them."""
    block = np.random.default_rng(0).integers(0, 255, n_bytes, dtype=np.uint8)
    senders: dict[str, Callable[[], None]] = {}
    connections: dict[str, socket.socket] = {}
    children = []
    for way, read in READERS.items():
        ours, theirs = socket.socketpair()
        for end in (ours, theirs):
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
        if not (child := os.fork()):
            for connection in (ours, *connections.values()):
                connection.close()
            read(theirs, n_bytes)
            os._exit(0)
        children.append(child)
        theirs.close()
        connections[way] = ours
        senders[way] = sender(way, ours, block)
    found: dict[str, list[float]] = {way: [] for way in READERS}
    for turn in range(repeats + 1):
        for way, send in senders.items():
            begin = time.perf_counter()
            send()
            connections[way].recv(1)
            if turn:
                found[way].append(time.perf_counter() - begin)
    for connection in connections.values():
        connection.close()
    for child in children:
        os.waitpid(child, 0)
    row: dict[str, Any] = {way: round(1000 * statistics.median(values), 2) for way, values in found.items()}
    for way in ("memfd, reused", "memfd, fresh"):
        ratios = [one / other for one, other in zip(found["socket"], found[way], strict=True)]
        row[f"socket / {way}"] = round(statistics.median(ratios), 2)
    return row


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=31)
    options = parser.parse_args()
    sizes = (1, 8, 64)
    print(json.dumps({f"{size} MiB": measure(size * MEBIBYTE, options.repeats) for size in sizes}, indent=1))


if __name__ == "__main__":
    main()
