"""Messages from one rank to another, with the names of mpi4py's; the ranks are threads of this process."""

from __future__ import annotations

import pickle
import sys
import time
from typing import Any

import numpy as np

from .local_buffers import array_of, fill, memory_of
from .local_messages import Envelope, Kind, SentMessage, Wanted
from .local_world import EAGER_BYTES, World

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
