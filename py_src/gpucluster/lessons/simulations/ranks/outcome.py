"""What several ranks did, or why they failed; a communicator that counts the bytes a rank gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....learn.communicators import Communicator
from ....learn.communicators.communicator import Message, Operator
from ....protocol.errors import GPUClusterError


class RankFailed(GPUClusterError):
    """A rank of the learner's program ended with an error."""

    code = "rank_failed"


class NoMPI(RankFailed):
    """mpiexec is there, but does not start ranks on this machine."""

    code = "no_mpi"


@dataclass(frozen=True)
class RankRun:
    """What several ranks did.

    Attributes
    ----------
    results : list
        What each rank returned, in order.
    reduced_bytes : list of int
        Bytes that each rank gave to ``allreduce``, all calls together.
    all_bytes : list of int
        The same, with ``reduce``, ``broadcast`` and ``gather``.
    calls : list of int
        How often each rank called an operation.
    where : str
        What the ranks were.
    """

    results: list[Any]
    reduced_bytes: list[int]
    all_bytes: list[int]
    calls: list[int]
    where: str

    def __repr__(self) -> str:
        return f"{len(self.results)} ranks: {self.where}; {self.reduced_bytes[0]:,} bytes per rank given to allreduce"

    @classmethod
    def of(cls, reports: Sequence[tuple[Any, int, int, int]], where: str) -> RankRun:
        """Put together what the ranks' communicators report."""
        results, reduced, everything, calls = (list(column) for column in zip(*reports, strict=True))
        return cls(results, reduced, everything, calls, where)


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
