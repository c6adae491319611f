"""A communicator that counts what a rank gives."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....learn.communicators import Communicator
from ....learn.communicators.operators import Message, Operator


class CountingCommunicator(Communicator):
    """Hands everything on to another communicator, and counts the bytes that this rank gives."""

    def __init__(self, inner: Communicator) -> None:
        self.inner, self.rank, self.size = inner, inner.rank, inner.size
        self.reduced_bytes = self.all_bytes = self.calls = 0

    def allreduce(self, value: Message, op: Operator = "sum") -> Message:
        """Count, then let the other one do it."""
        self.reduced_bytes += message_bytes(value)
        self._count(value)
        return self.inner.allreduce(value, op)

    def reduce(self, value: Message, op: Operator = "sum", root: int = 0) -> Message | None:
        """Count, then let the other one do it."""
        self._count(value)
        return self.inner.reduce(value, op, root)

    def broadcast(self, value: Message | None = None, root: int = 0) -> Message:
        """Count what the root gives, then let the other one do it."""
        self._count(value if self.rank == root else None)
        return self.inner.broadcast(value, root)

    def gather(self, value: Message, root: int = 0) -> list[Message] | None:
        """Count, then let the other one do it."""
        self._count(value)
        return self.inner.gather(value, root)

    def _count(self, value: Message) -> None:
        self.all_bytes += message_bytes(value)
        self.calls += 1

    def report(self, result: Any) -> tuple[Any, int, int, int]:
        """Return a result with the counts beside it."""
        return result, self.reduced_bytes, self.all_bytes, self.calls


def message_bytes(value: Message) -> int:
    """Return the size of the numbers in a message; what a pickle adds does not count."""
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, (tuple, list)):
        return sum(message_bytes(part) for part in value)
    return 0 if value is None else int(np.asarray(value).nbytes)
