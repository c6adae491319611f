"""Collective operations made of messages between two ranks, along a binomial tree.

With ``n`` ranks, the longest path from a leaf to the root has ``log2(n)`` edges, so a reduction takes that many
messages one after the other. An allreduce takes no more: partners exchange what they have (recursive doubling).
Source: R. Thakur, R. Rabenseifner and W. Gropp, "Optimization of Collective Communication Operations in MPICH",
International Journal of High Performance Computing Applications 19 (2005), section 4.
For messages of many megabytes a ring needs less bandwidth; models of this package are smaller.
"""

from __future__ import annotations

from abc import abstractmethod

from ..errors import InvalidParameter, PeerLost
from .communicator import Communicator, Message, Operator, combine, disagreement


class TreeCommunicator(Communicator):
    """Implements all operations with ``_send`` and ``_receive``."""

    def __init__(self, rank: int, size: int) -> None:
        self.rank = rank
        self.size = size
        self._operations = 0

    @abstractmethod
    def _send(self, message: tuple[str, Message], to: int) -> None:
        """Send a message without waiting for its arrival. Messages to one rank keep their order."""

    @abstractmethod
    def _receive(self, source: int) -> tuple[str, Message]:
        """Wait for the next message of that rank."""

    def reduce(self, value: Message, op: Operator = "sum", root: int = 0) -> Message | None:
        """Combine with the children's messages, in the order of the ranks, and send the result to the parent."""
        name = self._begin("reduce")
        self._position(root)
        # To rank 0 first: along another root's tree, the order of the ranks would change.
        value = self._collect(name, value, op, 0)
        if root == 0:
            return value
        if self.rank == 0:
            self._send_named(name, value, root)
        return self._receive_named(name, 0) if self.rank == root else None

    def _collect(self, name: str, value: Message, op: Operator, root: int) -> Message | None:
        position = self._position(root)
        step = 1
        while step < self.size:
            if position & step:
                self._send_named(name, value, self._at(position - step, root))
                return None
            if position + step < self.size:
                value = combine(op, value, self._receive_named(name, self._at(position + step, root)))
            step *= 2
        return value

    def allreduce(self, value: Message, op: Operator = "sum") -> Message:
        """Exchange with a partner at distance 1, then 2, 4, …; both combine the same two messages in the same order.

        Ranks beyond the largest power of two are represented by their neighbours.
        """
        return self._exchange_all(self._begin("allreduce"), value, op)

    def _exchange_all(self, name: str, value: Message, op: Operator) -> Message:
        doubling = 1 << (self.size.bit_length() - 1)
        extra = self.size - doubling
        paired = self.rank < 2 * extra
        if paired and self.rank % 2:
            self._send_named(name, value, self.rank - 1)
            return self._receive_named(name, self.rank - 1)
        if paired:
            value = combine(op, value, self._receive_named(name, self.rank + 1))
        place = self.rank // 2 if paired else self.rank - extra
        step = 1
        while step < doubling:
            partner = place ^ step
            other = 2 * partner if partner < extra else partner + extra
            self._send_named(name, value, other)
            theirs = self._receive_named(name, other)
            value = combine(op, value, theirs) if place < partner else combine(op, theirs, value)
            step *= 2
        if paired:
            self._send_named(name, value, self.rank + 1)
        return value

    def allgather(self, value: Message) -> list[Message]:
        """Collect by an allreduce."""
        found = self._exchange_all(self._begin("allgather"), {self.rank: value}, lambda one, other: one | other)
        return [found[rank] for rank in range(self.size)]

    def broadcast(self, value: Message | None = None, root: int = 0) -> Message:
        """Receive from the parent, and send to the children, those with the most ranks below them first."""
        name = self._begin("broadcast")
        position = self._position(root)
        step = 1
        while step < self.size and not position & step:
            step *= 2
        if position:
            value = self._receive_named(name, self._at(position - step, root))
        while step > 1:
            step //= 2
            if position + step < self.size:
                self._send_named(name, value, self._at(position + step, root))
        return value

    def gather(self, value: Message, root: int = 0) -> list[Message] | None:
        """Collect along the tree."""
        found = self._collect(self._begin("gather"), {self.rank: value}, lambda one, other: one | other, root)
        return None if found is None else [found[rank] for rank in range(self.size)]

    def _position(self, root: int) -> int:
        """Return the position of this rank in the tree of that root."""
        if not 0 <= root < self.size:
            raise InvalidParameter(f"root: must be a rank from 0 to {self.size - 1}, not {root!r}.")
        return (self.rank - root) % self.size

    def _at(self, position: int, root: int) -> int:
        return (position + root) % self.size

    def _begin(self, operation: str) -> str:
        self._operations += 1
        return f"{operation} ({self._operations})"

    def _send_named(self, name: str, value: Message, to: int) -> None:
        try:
            self._send((name, value), to)
        except PeerLost as lost:
            lost.calls = self._calls(name)
            raise

    def _receive_named(self, name: str, source: int) -> Message:
        try:
            theirs, value = self._receive(source)
        except PeerLost as lost:
            lost.calls = self._calls(name)
            raise
        if theirs != name:
            raise disagreement(self.rank, name, source, theirs)
        return value

    def _calls(self, name: str) -> str:
        return f"rank {self.rank} calls {name}"
