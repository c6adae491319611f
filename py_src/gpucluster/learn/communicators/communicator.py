"""The collective operations that all communicators have, and the communicator of one rank."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial, reduce
from typing import Any, Literal

import numpy as np

from ..arrays import is_of_numpy, to_numpy
from ..errors import InvalidOperator, RanksDisagree

Message = Any  # A number, an array, or a tuple, named tuple or dictionary of these; ``None`` is an empty message.
Operator = Literal["sum", "min", "max"] | Callable[[Any, Any], Any]
"""Must be associative: in which order the ranks' messages are combined depends on their number."""

_BY_NAME: dict[str, Callable[[Any, Any], Any]] = {
    "sum": lambda one, other: one + other,
    "min": np.minimum,
    "max": np.maximum,
}


def combine(op: Operator, one: Message, other: Message) -> Message:
    """Return one message made of two.

    A named operator applies to numbers and arrays element by element, and to each part of a tuple or dictionary; a
    callable gets the whole messages. Both messages have the same structure; ``None`` leaves the other one unchanged.
    Raises `InvalidOperator` for an unknown operator.
    """
    if one is None or other is None:
        return other if one is None else one
    if callable(op):
        return op(one, other)
    if isinstance(one, tuple):
        parts = [combine(op, mine, theirs) for mine, theirs in zip(one, other, strict=True)]
        return type(one)(*parts) if hasattr(one, "_fields") else tuple(parts)
    if isinstance(one, dict):
        return {name: combine(op, part, other[name]) for name, part in one.items()}
    if op not in _BY_NAME:
        raise InvalidOperator(f"op: {op!r} is not known. Use 'sum', 'min', 'max' or a function of two messages.")
    return _BY_NAME[op](one, other)


def in_host_memory(message: Message) -> Message:
    """Return a message with its arrays copied from a GPU to this computer's memory."""
    if isinstance(message, tuple):
        parts = [in_host_memory(part) for part in message]
        return type(message)(*parts) if hasattr(message, "_fields") else tuple(parts)
    if isinstance(message, dict):
        return {name: in_host_memory(part) for name, part in message.items()}
    return message if is_of_numpy(message) else to_numpy(message)


def combine_all(op: Operator, *messages: Message) -> Message:
    """Combine any number of messages from left to right; ``None`` where there are none."""
    return reduce(partial(combine, op), messages, None)


class Communicator(ABC):
    """Connects the ranks that run the same function at the same time, each on its own part of the data.

    Every rank must call the same operations in the same order. Results are bit-identical on all ranks, so that all
    ranks take the same decisions.

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
            Value of this rank; ``None`` if it has none.
        op : {"sum", "min", "max"} or callable
            How two values become one; associative.
        root : int
            Rank that gets the result.
        """

    @abstractmethod
    def broadcast(self, value: Message | None = None, root: int = 0) -> Message:
        """Give all ranks the value of ``root``; the values of the others are ignored."""

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
        return self.broadcast(self.gather(value))

    def barrier(self) -> None:
        """Wait for all ranks."""
        self.allreduce(0)

    def raise_if_cancelled(self) -> None:  # noqa: B027 (most communicators' computations cannot be given up)
        """Raise `PeerLost` if the computation was cancelled, for example by Ctrl-C, as all operations do.

        Call it regularly in long work between two operations.
        """


class SerialCommunicator(Communicator):
    """The communicator of a single rank, which gets its own values back."""

    rank = 0
    size = 1

    def reduce(self, value: Message, op: Operator = "sum", root: int = 0) -> Message | None:
        return value

    def broadcast(self, value: Message | None = None, root: int = 0) -> Message:
        return value

    def gather(self, value: Message, root: int = 0) -> list[Message] | None:
        return [value]


SAME_ORDER = "The numbers count each rank's operations. All ranks must call the same operations in the same order."


def disagreement(rank: int, calls: str, other: int, theirs: str) -> RanksDisagree:
    """Return the error for two ranks with different calls, each with its number, as in 'reduce (2)'."""
    return RanksDisagree(f"Rank {rank} calls {calls}, but rank {other} calls {theirs}. {SAME_ORDER}")
