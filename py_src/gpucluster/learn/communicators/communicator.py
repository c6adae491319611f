"""The collective operations that all communicators have, and the communicator of one rank."""

from __future__ import annotations

from abc import ABC, abstractmethod

from .operators import Message, Operator


class Communicator(ABC):
    """Connects the ranks that run the same function at the same time, each on its own part of the data.

    Every rank must call the same operations in the same order. All results are the same on every rank, bit by bit, so
    that all ranks draw the same conclusions from them.

    Attributes
    ----------
    rank : int
        Number of this rank, from 0.
    size : int
        Number of ranks.
    """

    rank: int
    size: int

    @abstractmethod
    def reduce(self, value: Message, op: Operator = "sum", root: int = 0) -> Message | None:
        """Combine all ranks' values; only ``root`` gets the result, the others ``None``.

        Parameters
        ----------
        value : Message
            What this rank gives. ``None`` if it has nothing to give.
        op : {"sum", "min", "max"} or callable
            How two values become one; associative.
        root : int
            Who gets the result.
        """

    @abstractmethod
    def broadcast(self, value: Message | None = None, root: int = 0) -> Message:
        """Give all ranks the value of ``root``; what the others pass does not count."""

    @abstractmethod
    def gather(self, value: Message, root: int = 0) -> list[Message] | None:
        """Return all ranks' values in the order of the ranks on ``root``, and ``None`` on the others."""

    def allreduce(self, value: Message, op: Operator = "sum") -> Message:
        """Combine all ranks' values; every rank gets the result.

        Each rank sends and receives at most ``2 log2(size)`` messages of the value's size.
        """
        return self.broadcast(self.reduce(value, op))

    def allgather(self, value: Message) -> list[Message]:
        """Return all ranks' values in the order of the ranks, on every rank."""
        gathered: list[Message] = self.broadcast(self.gather(value))
        return gathered

    def barrier(self) -> None:
        """Wait until all ranks have come here."""
        self.allreduce(0)

    def raise_if_cancelled(self) -> None:  # noqa: B027 (most communicators' computations cannot be given up)
        """Raise `PeerLost` if the computation was given up, for example by Ctrl-C; all operations do that too.

        Call it now and then in long work between two operations.
        """


class SerialCommunicator(Communicator):
    """The only rank there is: what it gives, it gets back."""

    rank = 0
    size = 1

    def reduce(self, value: Message, op: Operator = "sum", root: int = 0) -> Message | None:
        """Return the value."""
        return value

    def broadcast(self, value: Message | None = None, root: int = 0) -> Message:
        """Return the value."""
        return value

    def gather(self, value: Message, root: int = 0) -> list[Message] | None:
        """Return the value in a list."""
        return [value]
