"""The only module that calls MPI for Dask: in the event loop, without blocking and without a thread.

While something is on its way, the event loop polls MPI, first without and then with pauses. Otherwise it sleeps until
the bell of this rank rings, and polls rarely in case a ring was lost.

Matched probes (``MPI_Improbe``) take an envelope out of MPI's queue in one step, so that no other thread can take it.
All messages are received, including those of closed connections: one left in the queue would be taken for another.

Waking up takes longer than most messages, because the kernel has to find a processor, which may itself sleep. Polling
takes a processor from others. So a rank polls only as long as that was useful recently: if its bell rings soon after it
went to sleep, it polls twice as long the next time, and after a long sleep half as long. Linux decides in the same way
how long an idle processor of a virtual machine polls (``haltpoll``).
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import os
import struct
import time
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from .channel import Arriving, Channel, Lane
from .memory import Memory
from .wire import Envelope, Key, Kind, decode, encode
from .world import World

logger = logging.getLogger("gpucluster.comm")

ENVELOPES = 1  # Tag of all envelopes.
FIRST_TAG = 2
MOST_AT_ONCE = 64  # Envelopes that are taken before the event loop continues.
SLICE_SECONDS = 0.0005  # Time for moving large buffers before the event loop continues.
LARGE_BYTES = 2**18
QUICK_SECONDS = 0.0008  # Time for polling without a pause while something is on its way and nothing completes.
SLEEP_WITH_WORK_SECONDS = 0.001  # The shortest timer of Python 3.11's event loop.
SHORTEST_SLEEP_SECONDS, LONGEST_SLEEP_SECONDS = 0.05, 0.4
"""Sleep unless the bell rings; doubled each time while nothing comes or goes."""

_PORT = struct.Struct("<H")
Accept = Callable[[Channel], None]


class Engine:
    """Sends and receives for all connections of this rank; only the thread of its event loop may call it."""

    def __init__(self, world: World, loop: asyncio.AbstractEventLoop) -> None:
        from mpi4py import MPI

        self.world = world
        self.loop = loop
        self._listening: dict[int, Accept] = {}  # Callbacks for new connections, by port.
        self._mpi = MPI
        self._most_tags = (world.communicator.Get_attr(MPI.TAG_UB) - FIRST_TAG) // 2
        self._channels: dict[tuple[Key, bool], Channel] = {}
        """By key and whether it was opened here: a rank may be connected to itself."""
        self._numbers = itertools.count(1)
        self._requests: list[Any] = []
        self._ends: list[tuple[Callable[[], None], Any]] = []
        """Callback for the completion of each request, and its buffer, in the order of the requests."""
        self._sending: dict[tuple[int, int], Lane] = {}  # By rank and tag: blocks that are not sent yet.
        self._receiving: dict[tuple[int, int], Lane] = {}
        self._large = 0
        self._envelopes: dict[int, deque[tuple[Any, list[bool]]]] = defaultdict(deque)
        """Buffers of envelopes by source, and whether they are complete."""
        self._memory = Memory()
        self._pacing = Pacing()
        self._next: asyncio.Handle | None = None
        self._until = 0.0  # End of polling without a pause.
        self.is_over = False  # Whether MPI has failed, or this rank has stopped.
        for bell in world.bell.sockets:
            loop.add_reader(bell, self._rung)
        self._sleep = SHORTEST_SLEEP_SECONDS
        self._slow: asyncio.Handle = loop.call_soon(self._poll_rarely)

    # -- connections -----------------------------------------------------------------------------

    def listen(self, port: int, accept: Accept) -> None:
        """Accept connections to a port from this rank and others."""
        self._listening[port] = accept

    def stop_listening(self, port: int) -> None:
        self._listening.pop(port, None)

    def open(self, rank: int, port: int) -> Channel:
        """Open a connection; a port without a listener is only noticed when it is used."""
        used = {channel.sends for channel in self._channels.values() if channel.opened_here and channel.peer == rank}
        key, tag = next(
            (key, tag)
            for number in self._numbers
            if (tag := self._tag(key := Key(self.world.rank, number))) not in used
        )
        channel = self._channels[key, True] = Channel(key, rank, tag, tag + 1, opened_here=True)
        self._send(rank, Kind.OPEN, key, tag, [_PORT.pack(port)])
        return channel

    def send(self, channel: Channel, frames: Sequence[Any]) -> None:
        """Send a message. Its frames must not be changed meanwhile, as with Dask's own comms."""
        self._send(channel.peer, Kind.MESSAGE, channel.key, channel.sends, frames)

    def received(self, channel: Channel) -> None:
        """Receive what the window of a connection now has room for."""
        for message in channel.to_receive():
            self._receive(channel, message)

    def close(self, channel: Channel) -> None:
        """Close a connection after everything sent is delivered. Later messages are received and dropped."""
        if channel.closed_here:
            return
        channel.closed_here = True
        self._channels.pop((channel.key, channel.opened_here), None)
        if self.is_over:
            return
        if not channel.closed_there:
            self._send(channel.peer, Kind.CLOSE, channel.key, channel.sends)
        self.received(channel)
        channel.changed()

    def stop(self) -> None:
        """Close all connections, and stop calling MPI."""
        for channel in list(self._channels.values()):
            self.close(channel)
        self._turn()
        self._fail("this rank has ended")

    def _tag(self, key: Key) -> int:
        # The side that opened a connection sends with an even tag, the other with the next odd one.
        tag: int = FIRST_TAG + 2 * (key.number % self._most_tags)
        return tag

    # -- sending ---------------------------------------------------------------------------------

    def _send(self, rank: int, kind: Kind, key: Key, tag: int, frames: Sequence[Any] = ()) -> None:
        envelope, buffers = encode(kind, key, tag, frames)
        self._follow(self.world.communicator.Isend([envelope, self._mpi.BYTE], rank, ENVELOPES), envelope)
        for parts in buffers:
            self._lane(self._sending, rank, tag).add(partial(self._isend, parts, rank, tag))
        self.world.bell.announce(rank)
        self._keep_polling()

    def _isend(self, parts: list[memoryview], rank: int, tag: int) -> tuple[Any, Any]:
        # Joined only now: all blocks of a large message at once would take its memory once more.
        buffer = parts[0] if len(parts) == 1 else b"".join(parts)
        return self.world.communicator.Isend([buffer, self._mpi.BYTE], rank, tag), buffer

    def _irecv(self, buffer: Any, rank: int, tag: int) -> tuple[Any, Any]:
        return self.world.communicator.Irecv([buffer, self._mpi.BYTE], rank, tag), buffer

    def _lane(self, lanes: dict[tuple[int, int], Lane], rank: int, tag: int) -> Lane:
        lane = lanes.get((rank, tag))
        if lane is None:
            lane = lanes[rank, tag] = Lane(self._follow, partial(lanes.pop, (rank, tag), None))
        return lane

    def _follow(self, request: Any, buffer: Any, end: Callable[[], None] | None = None) -> None:
        """Test a request until it completes, and keep its buffer until then."""
        size = len(buffer)
        if size < LARGE_BYTES and request.Test():
            if end is not None:
                end()
            return
        large = size >= LARGE_BYTES
        self._large += large

        def done() -> None:
            self._large -= large
            if end is not None:
                end()

        self._requests.append(request)
        self._ends.append((done, buffer))

    # -- receiving -------------------------------------------------------------------------------

    def _look(self) -> bool:
        """Take envelopes out of MPI's queue; return whether there was one."""
        communicator, status = self.world.communicator, self._mpi.Status()
        for count in range(MOST_AT_ONCE):
            message = communicator.Improbe(self._mpi.ANY_SOURCE, ENVELOPES, status)
            if message is None:
                return count > 0
            source = status.Get_source()
            self.world.bell.took(source)
            buffer = bytearray(status.Get_count(self._mpi.BYTE))
            here = [False]
            self._envelopes[source].append((buffer, here))
            self._follow(message.Irecv([buffer, self._mpi.BYTE]), buffer, partial(self._came, source, here))
        return True

    def _came(self, source: int, here: list[bool]) -> None:
        """Open the complete envelopes of a rank, in the order in which they were sent."""
        here[0] = True
        waiting = self._envelopes[source]
        while waiting and waiting[0][1][0]:
            buffer, _ = waiting.popleft()
            self._open(source, decode(memoryview(buffer)))

    def _open(self, source: int, envelope: Envelope) -> None:
        from_opener = envelope.tag % 2 == 0
        if envelope.kind is Kind.OPEN:
            accept = self._listening.get(_PORT.unpack(envelope.frames([])[0])[0])
            if accept is None:
                self._send(source, Kind.CLOSE, envelope.key, envelope.tag + 1)
                return
            channel = Channel(envelope.key, source, envelope.tag + 1, envelope.tag, opened_here=False)
            self._channels[envelope.key, False] = channel
            accept(channel)
            return
        known = self._channels.get((envelope.key, not from_opener))
        if known is None:
            if envelope.blocks:
                gone = Channel(envelope.key, source, 0, envelope.tag, opened_here=False)
                self._receive(gone, Arriving(envelope))
            return
        if envelope.kind is Kind.CLOSE:
            known.closed_there = True
            known.arriving.append(Arriving(None))
        else:
            known.arriving.append(Arriving(envelope))
            self.received(known)
        known.changed()

    def _receive(self, channel: Channel, message: Arriving) -> None:
        assert message.envelope is not None
        message.is_received = True
        message.buffers = message.envelope.allocated(self._memory.take)
        views = message.envelope.pieces(message.buffers)
        message.left = len(views)

        def one_less() -> None:
            message.left -= 1
            if message.left == 0:
                channel.changed()

        for view in views:
            lane = self._lane(self._receiving, channel.peer, channel.receives)
            lane.add(partial(self._irecv, view, channel.peer, channel.receives), one_less)
        # The sender may sleep, and large buffers move only while both sides poll.
        self.world.bell.ring(channel.peer)
        self._keep_polling()

    # -- polling ---------------------------------------------------------------------------------

    def _rung(self) -> None:
        if self.world.bell.heard():
            self._pacing.woken(time.perf_counter())
            self._turn()
            self._keep_polling()

    def _poll_rarely(self) -> None:
        came = self._turn() or self._is_waiting
        self._memory.forget_old()
        if self.is_over:
            return
        self._sleep_for(SHORTEST_SLEEP_SECONDS if came else min(2 * self._sleep, LONGEST_SLEEP_SECONDS))
        if came:
            self._keep_polling()

    def _sleep_for(self, seconds: float) -> None:
        self._sleep = seconds
        self._slow.cancel()
        self._slow = self.loop.call_later(seconds, self._poll_rarely)

    @property
    def _is_waiting(self) -> bool:
        return bool(self._requests) or self.world.bell.is_waiting

    def _keep_polling(self) -> None:
        """Poll from now on, because something was received or sent."""
        if self.is_over:
            return
        if self._sleep > SHORTEST_SLEEP_SECONDS:
            self._sleep_for(SHORTEST_SLEEP_SECONDS)
        seconds = max(self._pacing.window, QUICK_SECONDS if self._is_waiting else 0.0)
        self._until = max(self._until, time.perf_counter() + seconds)
        if isinstance(self._next, asyncio.TimerHandle):
            self._next.cancel()
            self._next = None
        if self._next is None:
            self._next = self.loop.call_soon(self._again)

    def _again(self) -> None:
        self._next = None
        if self._turn():
            self._keep_polling()
            return
        now = time.perf_counter()
        if self.is_over or self._next is not None:
            return
        if now < self._until:
            # On an overcommitted machine, the other side may be waiting for this processor.
            os.sched_yield()
            self._next = self.loop.call_soon(self._again)
        elif self._is_waiting:
            self._next = self.loop.call_later(SLEEP_WITH_WORK_SECONDS, self._again)
        else:
            self._pacing.sleeps(now)

    def _turn(self) -> bool:
        """Receive envelopes and advance requests; return whether anything happened."""
        if self.is_over:
            return False
        try:
            self.world.bell.ring_again()
            came = self._look()
            return (bool(self._requests) and self._test()) or came
        except Exception as error:
            logger.exception("MPI has failed")
            self._fail(f"MPI has failed: {error}")
            return False

    def _test(self) -> bool:
        """Advance requests; return whether any completed."""
        moved = False
        deadline = time.perf_counter() + SLICE_SECONDS
        while self._requests:
            done = self._mpi.Request.Testsome(self._requests)
            if done:
                moved = True
                ends = [self._ends[place] for place in done]
                gone = set(done)
                self._requests = [request for place, request in enumerate(self._requests) if place not in gone]
                self._ends = [end for place, end in enumerate(self._ends) if place not in gone]
                for end, _ in ends:
                    end()
            if not self._large or time.perf_counter() > deadline:
                break
        return moved

    def _fail(self, why: str) -> None:
        self.is_over = True
        self._slow.cancel()
        if self._next is not None:
            self._next.cancel()
        for bell in self.world.bell.sockets:
            with suppress(OSError, ValueError):
                self.loop.remove_reader(bell)
        for channel in self._channels.values():
            channel.failure = why
            channel.changed()
        self._channels.clear()
        self._sending.clear()
        self._receiving.clear()


_engine: Engine | None = None


def started(world: World) -> Engine | None:
    """Return the engine of this process, which belongs to the first event loop that calls this; ``None`` in others."""
    global _engine
    loop = asyncio.get_running_loop()
    if _engine is None or _engine.is_over:
        _engine = Engine(world, loop)
    return _engine if _engine.loop is loop else None


LONGEST_SECONDS = 0.0004  # The longest polling time: answers come sooner, or take long.
SHORTEST_SECONDS = 0.00005


class Pacing:
    """How long one rank polls before it sleeps. Times are those of ``time.perf_counter``."""

    def __init__(self) -> None:
        self.window = SHORTEST_SECONDS  # Polling time after something was received or sent; 0: it sleeps at once.
        self._asleep_since: float | None = None

    def sleeps(self, now: float) -> None:
        """Note that it has polled in vain, and sleeps."""
        if self._asleep_since is None:
            self._asleep_since = now

    def woken(self, now: float) -> None:
        """Note that its bell woke it: if that was soon, polling for longer would have been better."""
        since, self._asleep_since = self._asleep_since, None
        if since is None:
            return  # It was polling.
        if now - since <= LONGEST_SECONDS:
            self.window = min(max(2 * self.window, SHORTEST_SECONDS), LONGEST_SECONDS)
        else:
            self.window = self.window / 2 if self.window > SHORTEST_SECONDS else 0.0
