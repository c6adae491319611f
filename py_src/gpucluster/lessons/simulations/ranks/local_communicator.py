"""A communicator with the names of mpi4py's, whose ranks are threads of this process."""

from __future__ import annotations

import pickle
import sys
import time
from functools import reduce
from typing import Any

import numpy as np

from .local_world import EAGER_BYTES, Envelope, Kind, SentMessage, Wanted, World
from .outcome import message_bytes

# Arrays as MPI sees them: the memory of an array, in the order in which it lies there.


def array_of(buffer: Any) -> Any:
    """Return the array of a buffer; ``[array, count]`` and ``[array, type]`` are those of mpi4py."""
    found = buffer[0] if isinstance(buffer, (list, tuple)) and buffer else buffer
    if isinstance(found, (bytes, bytearray, memoryview)):
        return np.frombuffer(found, dtype=np.uint8)
    if not isinstance(found, (np.ndarray, np.generic)):
        raise TypeError("message: expecting buffer or list/tuple")
    return np.asarray(found)


def _counted(buffer: Any) -> Any:
    """Return the array as one row, in the order of its memory, cut to the count that came with it."""
    array = array_of(buffer)
    if not (array.flags.c_contiguous or array.flags.f_contiguous):
        raise BufferError("dlpack: buffer is not contiguous")
    if array.dtype.hasobject:
        raise ValueError("message: cannot send an array of Python objects as a buffer")
    row = array.reshape(-1, order="A")
    counts = [part for part in buffer[1:] if isinstance(part, (int, np.integer))] if isinstance(buffer, list) else []
    if counts and counts[0] > row.size:
        raise ValueError(f"message: buffer too small for requested count ({counts[0]} of {row.size})")
    return row[: counts[0]] if counts else row


def memory_of(buffer: Any) -> bytes:
    """Return what is sent of a buffer."""
    data: bytes = _counted(buffer).tobytes()
    return data


def fill(buffer: Any, letter: Envelope) -> None:
    """Put what has come into a buffer, as far as it goes."""
    array = _counted(buffer)
    if letter.kind != "buffer":
        raise TypeError("Recv gets a pickled object that was sent with send; use recv")
    if len(letter.data) > array.nbytes:
        raise RuntimeError(f"Message truncated: {len(letter.data)} bytes came, the buffer has {array.nbytes}")
    target = array.view(np.uint8) if array.size else array
    if not np.shares_memory(target, array_of(buffer)) and array.size:
        raise ValueError("the buffer cannot be written to in place")
    if letter.data:
        target[: len(letter.data)] = np.frombuffer(letter.data, dtype=np.uint8)


# Messages from one rank to another, with the names of mpi4py's; the ranks are threads of this process.


ANY = -1


class PointToPoint:
    """What one rank can send and receive within a group of ranks.

    What is sent is copied, as if it had travelled. Messages of more than 64 KiB wait for their receiver.
    """

    def __init__(self, world: World, members: tuple[int, ...], rank: int, group: tuple[Any, ...] = ()) -> None:
        self.rank, self.size = rank, len(members)
        self._world, self._members, self._group = world, members, group

    @property
    def _me(self) -> int:
        return self._members[self.rank]

    def Get_rank(self) -> int:
        """Return the number of this rank."""
        return self.rank

    def Get_size(self) -> int:
        """Return the number of ranks."""
        return self.size

    def send(self, obj: Any, dest: int, tag: int = 0) -> None:
        """Pickle an object and send it."""
        self._post("pickle", pickle.dumps(obj), dest, tag)

    def recv(self, buf: Any = None, source: int = ANY, tag: int = ANY, status: Any = None) -> Any:
        """Wait for a pickled object, and return it."""
        letter = self._take(source, tag)
        _note(status, letter)
        return _unpickled(letter)

    def isend(self, obj: Any, dest: int, tag: int = 0) -> LocalRequest:
        """Begin to send a pickled object."""
        return LocalRequest(self, sent=self._post("pickle", pickle.dumps(obj), dest, tag, wait=False))

    def irecv(self, buf: Any = None, source: int = ANY, tag: int = ANY) -> LocalRequest:
        """Begin to receive a pickled object; the request's ``wait`` returns it."""
        return LocalRequest(self, buffer=None, wanted=self._want(source, tag))

    def sendrecv(
        self, sendobj: Any, dest: int, sendtag: int = 0, recvbuf: Any = None, source: int = ANY, recvtag: int = ANY,
        status: Any = None,
    ) -> Any:  # fmt: skip
        """Send one object and receive another."""
        self.isend(sendobj, dest, sendtag)
        return self.recv(None, source, recvtag, status)

    def Send(self, buf: Any, dest: int, tag: int = 0) -> None:
        """Send the memory of an array as it is."""
        self._post("buffer", memory_of(buf), dest, tag)

    def Recv(self, buf: Any, source: int = ANY, tag: int = ANY, status: Any = None) -> None:
        """Wait for the memory of an array, and put it into another one."""
        letter = self._take(source, tag)
        _note(status, letter)
        fill(buf, letter)

    def Isend(self, buf: Any, dest: int, tag: int = 0) -> LocalRequest:
        """Begin to send the memory of an array; the request tells when it has been received."""
        return LocalRequest(self, sent=self._post("buffer", memory_of(buf), dest, tag, wait=False))

    def Irecv(self, buf: Any, source: int = ANY, tag: int = ANY) -> LocalRequest:
        """Begin to receive into an array; the request tells when it is filled."""
        array_of(buf)
        return LocalRequest(self, buffer=buf, wanted=self._want(source, tag))

    def probe(self, source: int = ANY, tag: int = ANY, status: Any = None) -> bool:
        """Wait until a message could be received."""
        _note(status, self._world.look(self._me, self._group, self._me, self._checked(source), tag))
        return True

    def iprobe(self, source: int = ANY, tag: int = ANY, status: Any = None) -> bool:
        """Whether a message could be received now."""
        letter = self._world.has_come(self._group, self._me, self._checked(source), tag)
        _note(status, letter)
        time.sleep(0)
        return letter is not None

    Probe, Iprobe, Ssend, ssend = probe, iprobe, Send, send

    def _post(self, kind: Kind, data: bytes, dest: int, tag: int, *, wait: bool = True) -> Envelope:
        if not isinstance(dest, (int, np.integer)) or not 0 <= dest < self.size:
            raise ValueError(f"dest: there is no rank {dest!r} in a communicator of {self.size}")
        target = self._members[dest]
        letter = Envelope(self._group, self.rank, target, tag, kind, data)
        self._world.post(letter, SentMessage(self._me, target, kind, len(data), tag))
        if wait and len(data) > EAGER_BYTES:
            self._world.wait_until_taken(self._me, letter)
        return letter

    def _take(self, source: int, tag: int) -> Envelope:
        return self._world.take(self._me, self._group, self._me, self._checked(source), tag)

    def _want(self, source: int, tag: int) -> Wanted:
        return self._world.want(self._group, self._me, self._checked(source), tag)

    def _checked(self, source: int) -> int:
        if source >= self.size:
            raise ValueError(f"source: there is no rank {source!r} in a communicator of {self.size}")
        return source


class LocalRequest:
    """A send or a receive that has begun."""

    def __init__(
        self, comm: PointToPoint, sent: Envelope | None = None, buffer: Any = None, wanted: Wanted | None = None
    ) -> None:
        self._comm, self._sent, self._buffer, self._wanted = comm, sent, buffer, wanted
        self._found: Any = None

    def Test(self, status: Any = None) -> bool:
        """Whether it is done. Asking is what lets it go on."""
        done = self._is_done()
        if done:
            self._finish(status)
        else:
            self._comm._world.look_alive()
            time.sleep(0)  # the other ranks are threads of this process, and want their turn
        return done

    def Wait(self, status: Any = None) -> bool:
        """Wait until it is done."""
        comm = self._comm
        if not self._is_done():
            if self._sent is not None:
                comm._world.wait_until_taken(comm._me, self._sent)
            elif self._wanted is not None:
                comm._world.wait_for(comm._me, self._wanted)
        self._finish(status)
        return True

    def test(self, status: Any = None) -> tuple[bool, Any]:
        """Whether it is done, and the object that has come."""
        return self.Test(status), self._found

    def wait(self, status: Any = None) -> Any:
        """Wait until it is done, and return the object that has come."""
        self.Wait(status)
        return self._found

    def _is_done(self) -> bool:
        if self._sent is not None:
            return self._sent.arrived or len(self._sent.data) <= EAGER_BYTES
        return self._wanted is None or self._wanted.letter is not None

    def _finish(self, status: Any) -> None:
        """Put what has come into its place, once."""
        if self._wanted is None or self._wanted.letter is None:
            return
        letter, self._wanted = self._wanted.letter, None
        self._comm._world.note_received(self._comm._me)
        _note(status, letter)
        if self._buffer is None:
            self._found = _unpickled(letter)
        else:
            fill(self._buffer, letter)


def _unpickled(letter: Envelope) -> Any:
    if letter.kind != "pickle":
        raise TypeError("recv gets a buffer that was sent with Send; use Recv, with an array to put it into")
    return pickle.loads(letter.data)  # noqa: S301 (this process has made it)


def _note(status: Any, letter: Envelope | None) -> None:
    """Fill an ``MPI.Status``, which exists only where mpi4py does."""
    if status is None or letter is None:
        return
    status.Set_source(letter.source)
    status.Set_tag(letter.tag)
    status.Set_elements(sys.modules["mpi4py.MPI"].BYTE, len(letter.data))


# A communicator with the names of mpi4py's, whose ranks are threads of this process.


class LocalCommunicator(PointToPoint):
    """One rank's view of a group of ranks: point to point, collective operations and ``Split``."""

    def __init__(self, world: World, members: tuple[int, ...], rank: int, group: tuple[Any, ...] = ()) -> None:
        super().__init__(world, members, rank, group)
        self._calls = 0

    def barrier(self) -> None:
        """Wait for all ranks."""
        self._meet("barrier", None)

    Barrier = barrier

    def bcast(self, obj: Any = None, root: int = 0) -> Any:
        """Give all ranks the object of one."""
        return self._meet("bcast", obj if self.rank == root else None)[root]

    def gather(self, sendobj: Any, root: int = 0) -> list[Any] | None:
        """Give one rank the objects of all."""
        found = self._meet("gather", sendobj)
        return found if self.rank == root else None

    def allgather(self, sendobj: Any) -> list[Any]:
        """Give all ranks the objects of all."""
        return self._meet("allgather", sendobj)

    def scatter(self, sendobj: Any, root: int = 0) -> Any:
        """Give each rank one object of a list that one rank has."""
        given = self._meet("scatter", list(sendobj) if self.rank == root else None)[root]
        if len(given) != self.size:
            raise ValueError(f"expecting {self.size} items, got {len(given)}")
        return given[self.rank]

    def reduce(self, sendobj: Any, op: Any = None, root: int = 0) -> Any:
        """Combine the objects of all ranks, by default their sum; one rank gets the result."""
        found = self._meet("reduce", sendobj)
        return reduce(_operator(op), found) if self.rank == root else None

    def allreduce(self, sendobj: Any, op: Any = None) -> Any:
        """Combine the objects of all ranks, by default their sum; every rank gets the result."""
        return reduce(_operator(op), self._meet("allreduce", sendobj))

    def Allreduce(self, sendbuf: Any, recvbuf: Any, op: Any = None) -> None:
        """Combine arrays of all ranks into an array that each rank has."""
        array_of(recvbuf)[...] = reduce(_operator(op), self._meet("Allreduce", _given(sendbuf, recvbuf)))

    def Reduce(self, sendbuf: Any, recvbuf: Any, op: Any = None, root: int = 0) -> None:
        """Combine arrays of all ranks into an array that one rank has."""
        found = self._meet("Reduce", _given(sendbuf, recvbuf))
        if self.rank == root:
            array_of(recvbuf)[...] = reduce(_operator(op), found)

    def Allgather(self, sendbuf: Any, recvbuf: Any) -> None:
        """Put the arrays of all ranks, in order, into an array that each rank has."""
        _stack(recvbuf, self._meet("Allgather", array_of(sendbuf)))

    def Gather(self, sendbuf: Any, recvbuf: Any, root: int = 0) -> None:
        """Put the arrays of all ranks, in order, into an array that one rank has."""
        found = self._meet("Gather", array_of(sendbuf))
        if self.rank == root:
            _stack(recvbuf, found)

    def Scatter(self, sendbuf: Any, recvbuf: Any, root: int = 0) -> None:
        """Give each rank its part of an array that one rank has."""
        whole = self._meet("Scatter", array_of(sendbuf) if self.rank == root else None)[root]
        part = array_of(recvbuf)
        part[...] = whole.reshape(self.size, -1)[self.rank].reshape(part.shape)

    def Bcast(self, buf: Any, root: int = 0) -> None:
        """Fill an array of all ranks with that of one."""
        found = self._meet("Bcast", array_of(buf) if self.rank == root else None)[root]
        if self.rank != root:
            array_of(buf)[...] = found

    def Split(self, color: int = 0, key: int = 0) -> LocalCommunicator:
        """Return a new communicator: of the ranks that gave the same color, in the order of their keys."""
        given = self._meet("Split", (color, key))
        order = sorted((other_key, other) for other, (one, other_key) in enumerate(given) if one == color)
        ranks = [other for _, other in order]
        group = (*self._group, "Split", self._calls, color)
        members = tuple(self._members[other] for other in ranks)
        return LocalCommunicator(self._world, members, ranks.index(self.rank), group)

    def Free(self) -> None:
        """Nothing is to be freed here."""

    def _meet(self, name: str, value: Any) -> list[Any]:
        self._calls += 1
        me = self._me
        size = message_bytes(value) if name != "Split" and not isinstance(value, str) else 0
        self._world.collectives.append((name, self._group, me, size))
        place = (self._group, self._calls, name)
        given = self._world.meet(me, place, self.size, pickle.dumps(value))
        return [pickle.loads(given[member]) for member in self._members]  # noqa: S301


def _given(sendbuf: Any, recvbuf: Any) -> Any:
    """Return what a rank gives: with ``MPI.IN_PLACE``, what it has where the result is to be."""
    in_place = type(sendbuf).__name__ == "InPlaceType"
    return array_of(recvbuf).copy() if in_place else array_of(sendbuf)


def _stack(buffer: Any, arrays: list[Any]) -> None:
    target = array_of(buffer)
    target[...] = np.stack(arrays).reshape(target.shape)


def _operator(op: Any) -> Any:
    return (lambda one, other: one + other) if op is None or isinstance(op, str) else op
