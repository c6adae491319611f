"""Messages: those of clients to a scheduler and between workers, and serialization of Python objects and our code."""

from __future__ import annotations

import os
import pickle
import socket
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from .workers.following import Following, follow_handler

GRAPH, SCATTER = ("update-graph", "expr_ser"), ("scatter", "data")
"""Operations by which clients send task graphs and data, with the argument that holds them."""


def keep_no_sent_messages() -> None:
    """Let this process keep no copies of what it has sent, which only help Dask's developers.

    They are the last thousand messages, of up to a megabyte, of each connection to a worker or client, with their
    tasks: a scheduler would grow with each computation. Relies on ``BatchedSend.recent_message_log``, which is only
    added to (2021.1).
    """
    from distributed.batched import BatchedSend

    def nothing(_: Any) -> deque[Any]:
        return deque(maxlen=0)

    setattr(BatchedSend, "recent_message_log", property(nothing, lambda *_: None))  # noqa: B010 - mypy forbids it


def follow_received_from_clients(scheduler: Any, follower: Callable[[str, int], None]) -> list[Following] | None:
    """Call a follower for each message with a task graph or scattered data that a scheduler receives.

    Data that a client scatters with ``direct=True`` bypasses the scheduler. Relies on
    ``Scheduler.stream_handlers["update-graph"]`` with ``expr_ser`` (2025.4), on ``Scheduler.handlers["scatter"]`` with
    ``data``, and on both having ``client`` (2021.1).

    `follower`: gets the id of the client, and the bytes on the wire. Returns None if this scheduler works differently.
    """
    places = [(scheduler.stream_handlers, *GRAPH), (scheduler.handlers, *SCATTER)]
    if any(operation not in table for table, operation, _ in places):
        return None

    def telling(argument: str) -> Callable[[dict[str, Any]], None]:
        return lambda message: follower(str(message.get("client")), wire_bytes(message.get(argument)))

    return [follow_handler(table, operation, telling(argument)) for table, operation, argument in places]


def wire_bytes(value: Any) -> int:
    """Return the bytes of serialized objects: the ``frames`` of a ``Serialized``, alone or in a dictionary (2021.1)."""
    frames = getattr(value, "frames", None)
    if frames is not None:
        return sum(memoryview(frame).nbytes for frame in frames)
    if isinstance(value, dict):
        return sum(wire_bytes(item) for item in value.values())
    return 0


def set_handler(server: Any, operation: str, handler: Callable[..., Any]) -> None:
    """Answer a message: a coroutine function in ``Server.handlers`` gets the connection and the entries (2021.1)."""
    server.handlers[operation] = handler


def remove_handler(server: Any, operation: str) -> None:
    """Undo ``set_handler``; does nothing if it was not set."""
    server.handlers.pop(operation, None)


def connection_arguments(worker: Any) -> dict[str, Any]:
    """Return a worker's arguments for connections, including credentials: ``Server.connection_args`` (2021.1)."""
    return worker.connection_args


def serialized(message: Any) -> Any:
    """Return a message that Dask sends without another copy; types defined in a notebook are included.

    Large arrays become bytes here: the sender may write to them once they are on their way. Relies on
    ``distributed.protocol.serialize.serialize`` with ``serializers`` and ``on_error``, and on ``Serialized`` (2021.1).
    """
    from distributed.protocol.serialize import Serialized, serialize

    header, frames = serialize(message, serializers=("pickle",), on_error="raise")
    return Serialized(header, [frame if isinstance(frame, bytes) else bytes(frame) for frame in frames])


def deserialized(message: Any) -> Any:
    """Return the argument of ``serialized``, even if it was not serialized on the way: workers in one process.

    Relies on ``distributed.protocol.serialize.deserialize`` and on ``Serialized`` (2021.1).
    """
    from distributed.protocol.serialize import Serialized, deserialize

    return deserialize(message.header, message.frames) if isinstance(message, Serialized) else message


def packed(message: Any) -> list[Any]:
    """Return a message as bytes and buffers, without copying large arrays; types defined in a notebook are included.

    Relies on ``distributed.protocol.pickle.dumps`` with ``buffer_callback`` (2021.1) where plain pickle does not work.
    """
    buffers: list[pickle.PickleBuffer] = []
    try:
        data = pickle.dumps(message, protocol=5, buffer_callback=buffers.append)
    except Exception:
        data = b""
    if not data or b"__main__" in data:
        from distributed.protocol.pickle import dumps

        buffers.clear()
        data = dumps(message, buffer_callback=buffers.append)
    return [data, *(buffer.raw() for buffer in buffers)]


def unpacked(frames: list[Any]) -> Any:
    """Return the message that was `packed`: ``distributed.protocol.pickle.loads`` with ``buffers`` (2021.1)."""
    from distributed.protocol.pickle import loads

    return loads(frames[0], buffers=frames[1:])


def can_be_taken(comm: Any) -> bool:
    """Whether a connection's data is plain on its socket: not with TLS, nor without a socket.

    Relies on ``comm.stream``, a tornado stream, of TCP connections (2021.1).
    """
    from tornado.iostream import IOStream

    return type(getattr(comm, "stream", None)) is IOStream


async def flushed(comm: Any) -> None:
    """Wait until a connection that can be taken has sent everything written: ``comm.stream.writing()`` (2021.1)."""
    while comm.stream.writing():
        await comm.stream.write(b"")


def taken(comm: Any) -> tuple[socket.socket | None, bytes]:
    """Take the socket of a connection away from the event loop, and end the connection; the peer does not notice.

    Relies on ``comm.stream`` with ``socket`` and ``read_bytes``, and on ``comm.abort()``, which closes and does not
    shut down (2021.1).

    Returns the socket, which does not block (``None`` if the peer has closed it already), and data that had arrived but
    was not read.
    """
    from tornado.iostream import StreamClosedError

    stream, read = comm.stream, b""
    with suppress(StreamClosedError):
        while (more := stream.read_bytes(1 << 20, partial=True)).done():
            read += more.result()
    own = None if stream.closed() else socket.socket(fileno=os.dup(stream.socket.fileno()))
    comm.abort()
    return own, read


_lock = threading.Lock()


@contextmanager
def sent_by_value(*packages: str) -> Iterator[None]:
    """Let these modules or packages, and all below them, be pickled by value, together with ``dask_internals`` itself.

    Other processes of a cluster may have another gpucluster, or none.

    Relies on ``cloudpickle.register_pickle_by_value``, and on distributed checking whether the module of a function
    itself, not a package above it, is registered (2023.4).
    """
    import cloudpickle

    names = (__package__, *packages)
    modules = [
        module
        for name, module in list(sys.modules.items())
        if name in names or name.startswith(tuple(f"{name}." for name in names))
    ]
    with _lock:
        for module in modules:
            cloudpickle.register_pickle_by_value(module)
        try:
            yield
        finally:
            for module in modules:
                cloudpickle.unregister_pickle_by_value(module)
