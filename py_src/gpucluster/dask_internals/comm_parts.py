"""The parts of our own comms: distributed's base classes, frames, and its connection over any stream."""

from __future__ import annotations

import functools
import weakref
from typing import TYPE_CHECKING, Any

from distributed.comm import tcp
from distributed.comm.addressing import parse_host_port
from distributed.comm.core import BaseListener, Comm, CommClosedError, FatalCommClosedError
from distributed.comm.utils import from_frames, to_frames

if TYPE_CHECKING:
    from tornado.iostream import IOStream

MAX_BUFFER_BYTES: int = int(tcp.MAX_BUFFER_SIZE)
"""distributed's value for TCP: half of the memory (``distributed.comm.tcp.MAX_BUFFER_SIZE``, 2021.1)."""

# Relies on ``distributed.comm.core`` and its ``addressing.parse_host_port``, ``utils.from_frames`` and
# ``utils.to_frames`` with the arguments that ``tcp.TCP`` gives them (2024.1).
__all__ = [
    "MAX_BUFFER_BYTES", "BaseListener", "Comm", "CommClosedError", "FatalCommClosedError", "StreamComm", "from_frames",
    "parse_host_port", "to_frames",
]  # fmt: skip


class StreamComm(tcp.TCP):
    """distributed's comm over TCP on any tornado stream: same frames, same reading into the final buffer.

    Relies on ``distributed.comm.tcp.TCP`` (2024.1), whose constructor is repeated here without TCP's own time-outs, on
    its fields ``stream``, ``_closed``, ``_local_addr``, ``_peer_addr``, ``_finalizer`` and ``_extra``, and on
    ``tcp._close_comm``.

    * `local_address`, `peer_address`: addresses with scheme.
    * `deserialize`: as distributed passes it.
    * `extra`: what is known about the peer.
    """

    def __init__(
        self, stream: IOStream, local_address: str, peer_address: str, deserialize: bool, extra: dict[str, Any]
    ) -> None:
        self._closed = False
        Comm.__init__(self, deserialize=deserialize)
        self._local_addr = local_address
        self._peer_addr = peer_address
        self.stream = stream
        self._finalizer = weakref.finalize(self, self._get_finalizer())  # type: ignore[no-untyped-call]
        self._finalizer.atexit = False
        self._extra = extra
        stream.set_close_callback(functools.partial(tcp._close_comm, weakref.ref(self)))

    @property
    def same_host(self) -> bool:
        """Whether the peer is on this machine."""
        return True
