"""Whose numbers travel in an allreduce: the learner's own runs on simulated ranks, and each message is read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .ranks import MPIRun, simulate

SENDERS = ("send", "ssend", "isend", "sendrecv", "Send", "Ssend", "Isend", "Sendrecv")


class Parcel(NamedTuple):
    """One message that was read.

    Attributes
    ----------
    part : int
        Which part of the array it carries.
    ranks : frozenset of int
        Whose numbers are in it.
    """

    source: int
    target: int
    part: int
    ranks: frozenset[int]


class _Reading:
    """Hands everything on to a communicator, and keeps what is sent."""

    def __init__(self, comm: Any, sent: list[Any]) -> None:
        self._comm, self._sent = comm, sent

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._comm, name)
        if name not in SENDERS:
            return found

        def noted(message: Any, *args: Any, **kwargs: Any) -> Any:
            self._sent.append(np.array(message[0] if isinstance(message, list) else message, dtype=float))
            return found(message, *args, **kwargs)

        return noted


def read_ring(allreduce: Callable[..., Any], n_ranks: int) -> tuple[MPIRun, list[list[Parcel]]]:
    """Run an allreduce of arrays with one number for each rank, and tell what each message carries.

    Parameters
    ----------
    allreduce : callable
        ``allreduce(comm, values)``, as in exercise 10.7.
    n_ranks : int
        How many simulated ranks.

    Returns
    -------
    run : MPIRun
    steps : list of lists of Parcel
        What is sent first, second, … by each rank.
    """

    def rank(comm: Any) -> Any:
        sent: list[Any] = []
        # The number of the part, and one bit for each rank: a sum tells what it is the sum of.
        values = 2.0**comm.rank + np.arange(n_ranks) * 2.0**n_ranks
        return allreduce(_Reading(comm, sent), values), sent

    run = simulate(rank, n_ranks=n_ranks)
    read = []
    for source, (_, sent) in enumerate(run.results):
        targets = [message.target for message in run.messages if message.source == source]
        pairs = zip(targets, sent, strict=False)  # no message, where a rank sends to itself or to nobody
        read.append([_parcel(source, target, message, n_ranks) for target, message in pairs])
    steps = [[parcel for sent in read for parcel in sent[step : step + 1] if parcel is not None]
             for step in range(max(map(len, read)))]  # fmt: skip
    return run, steps


def _parcel(source: int, target: int, message: Any, n_ranks: int) -> Parcel | None:
    if message.size != 1:
        return None
    bits, label = int(message.ravel()[0]) % 2**n_ranks, int(message.ravel()[0]) // 2**n_ranks
    ranks = frozenset(rank for rank in range(n_ranks) if bits >> rank & 1)
    if not ranks or not 0 <= label // len(ranks) < n_ranks:
        return None
    return Parcel(source, target, label // len(ranks), ranks)
