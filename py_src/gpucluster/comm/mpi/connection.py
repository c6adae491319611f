"""A connection to another rank, with the interface of distributed."""

from __future__ import annotations

import weakref
from typing import Any

from ...dask_internals.comm_parts import Comm, CommClosedError, from_frames, to_frames
from .channel import Channel
from .engine import Engine


class RankComm(Comm):
    """Messages to and from one other rank."""

    def __init__(
        self, engine: Engine, channel: Channel, local_address: str, peer_address: str, deserialize: bool
    ) -> None:
        super().__init__(deserialize=deserialize)
        self._engine = engine
        self._channel = channel
        self._local_addr = local_address
        self._peer_addr = peer_address
        # When it is garbage-collected, in any thread, it is closed for the other side, too.
        self._finalizer = weakref.finalize(self, _close_later, engine, channel)
        self._finalizer.atexit = False

    @property
    def local_address(self) -> str:
        return self._local_addr

    @property
    def peer_address(self) -> str:
        return self._peer_addr

    @property
    def same_host(self) -> bool:
        return self._engine.world.bell.is_near(self._channel.peer)

    @property
    def extra_info(self) -> dict[str, Any]:
        return {"rank": self._channel.peer}

    async def read(self, deserializers: Any = None) -> Any:
        channel = self._channel
        self._must_be_open()
        while (message := channel.take()) is None:
            await channel.wait()
            self._must_be_open()
        if message.envelope is None:
            self.abort()
            raise CommClosedError(f"rank {channel.peer} has closed the connection")
        self._engine.received(channel)
        try:
            return await from_frames(
                message.envelope.frames(message.buffers),
                deserialize=self.deserialize,
                deserializers=deserializers,
                allow_offload=self.allow_offload,
            )
        except EOFError:
            self.abort()
            raise CommClosedError("a message is not whole") from None

    async def write(self, msg: Any, serializers: Any = None, on_error: Any = "message") -> int:
        self._must_be_open()
        frames = await to_frames(
            msg,
            allow_offload=self.allow_offload,
            serializers=serializers,
            on_error=on_error,
            context={"sender": self.local_info, "recipient": self.remote_info, **self.handshake_options},
        )
        self._must_be_open()  # It may have been closed meanwhile.
        if self._channel.closed_there:
            raise CommClosedError(f"rank {self._channel.peer} has closed the connection")
        self._engine.send(self._channel, frames)
        return sum(memoryview(frame).nbytes for frame in frames)

    async def close(self) -> None:
        self.abort()

    def abort(self) -> None:
        self._finalizer.detach()
        self._engine.close(self._channel)

    def closed(self) -> bool:
        return self._channel.closed_here or self._channel.failure is not None

    def _must_be_open(self) -> None:
        if self._channel.failure is not None:
            raise CommClosedError(self._channel.failure)
        if self._channel.closed_here:
            raise CommClosedError("the connection is closed")


def _close_later(engine: Engine, channel: Channel) -> None:
    if not engine.loop.is_closed():
        engine.loop.call_soon_threadsafe(engine.close, channel)
