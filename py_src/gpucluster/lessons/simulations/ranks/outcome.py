"""What several ranks did, or why they failed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

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
