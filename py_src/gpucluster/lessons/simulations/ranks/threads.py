"""Ranks that are threads of this process: for checks that need several of them, whatever the cluster has."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np

from ....learn.communicators import Communicator, combine
from ....learn.communicators.communicator import Message, Operator
from ...examination import describe_error
from .outcome import CountingCommunicator, RankFailed, RankRun


class OtherRankEnded(RankFailed):
    """A rank waits for another one that has ended."""


class _Meeting:
    """Where all ranks give a value and each gets all values, again and again."""

    def __init__(self, size: int) -> None:
        self.size, self.ended = size, False
        self._changed = threading.Condition()
        self._given: dict[int, Message] = {}
        self._shared: list[Message] = []
        self._rounds = 0

    def exchange(self, rank: int, value: Message) -> list[Message]:
        """Wait for all ranks, and return what they gave: copies, as if it had travelled."""
        with self._changed:
            now = self._rounds
            self._given[rank] = copy.deepcopy(value)
            if len(self._given) == self.size:
                self._shared = [self._given[number] for number in range(self.size)]
                self._given = {}
                self._rounds += 1
                self._changed.notify_all()
            self._changed.wait_for(lambda: self._rounds > now or self.ended)
            if self._rounds == now:
                raise OtherRankEnded(f"Rank {rank} calls allreduce once more, but another rank has ended.")
            return copy.deepcopy(self._shared)

    def end(self) -> None:
        """One rank is done: from now on no rank need wait."""
        with self._changed:
            self.ended = True
            self._changed.notify_all()


class ThreadCommunicator(Communicator):
    """One of several ranks in one process."""

    def __init__(self, meeting: _Meeting, rank: int) -> None:
        self.rank, self.size, self._meeting = rank, meeting.size, meeting

    def reduce(self, value: Message, op: Operator = "sum", root: int = 0) -> Message | None:
        """Combine all ranks' values in the order of the ranks."""
        values = self._meeting.exchange(self.rank, value)
        return reduce(lambda one, other: combine(op, one, other), values) if self.rank == root else None

    def broadcast(self, value: Message | None = None, root: int = 0) -> Message:
        """Give all ranks the value of one."""
        return self._meeting.exchange(self.rank, value)[root]

    def gather(self, value: Message, root: int = 0) -> list[Message] | None:
        """Give one rank all values."""
        values = self._meeting.exchange(self.rank, value)
        return values if self.rank == root else None


def run_in_threads(function: Callable[..., Any], parts: Sequence[Any], *arguments: Any) -> RankRun:
    """Run the same function as several ranks, each with its own part, and copies of everything else."""
    meeting = _Meeting(len(parts))
    reports: dict[int, tuple[Any, int, int, int]] = {}
    errors: dict[int, Exception] = {}

    def rank(number: int) -> None:
        comm = CountingCommunicator(ThreadCommunicator(meeting, number))
        try:
            with np.errstate(all="ignore"):
                reports[number] = comm.report(function(comm, parts[number].copy(), *copy.deepcopy(arguments)))
        except Exception as error:
            errors[number] = error
        finally:
            meeting.end()

    threads = [threading.Thread(target=rank, args=(number,), daemon=True) for number in range(len(parts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    own = {number: error for number, error in errors.items() if not isinstance(error, OtherRankEnded)}
    for number, error in own.items():
        raise RankFailed(f"Rank {number} ended with an error: {describe_error(error, function)}") from None
    for error in errors.values():
        raise error
    return RankRun.of([reports[number] for number in range(len(parts))], "threads of this process")
