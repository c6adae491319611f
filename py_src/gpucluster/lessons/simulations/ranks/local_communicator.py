"""A communicator with the names of mpi4py's, whose ranks are threads of this process."""

from __future__ import annotations

import pickle
from functools import reduce
from typing import Any

import numpy as np

from .local_buffers import array_of
from .local_point_to_point import PointToPoint
from .local_world import World
from .outcome import message_bytes


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
